/* --states: many states from a file, the same numbers as one by one; what does not fit is refused; --resume. */
#include <math.h>
#include <sys/stat.h>

#include "hamel/hamel.h"
#include "hamel/io.h"
#include "npz_files.h"

enum { N = 300, NQ = 19, NV = 18, INPUTS = 12 };

#define QUADRUPED ROBOTS "quadruped.json"

static double q[N * NQ], v[N * NV], tau[N * NV];
static hml_model *model;

static int setup(void **state)
{
    hml_rng rng;
    if (run_setup(state) || hml_load(QUADRUPED, NULL, &model, NULL)) return 1;
    hml_rng_seed(&rng, 7);
    for (int i = 0; i < N; i++) {
        if (hml_configuration_random(model, &rng, q + i * NQ)) return 1;
    }
    for (int i = 0; i < N * NV; i++) v[i] = hml_rng_uniform(&rng, -1, 1), tau[i] = hml_rng_uniform(&rng, -5, 5);
    const npz_file_array arrays[] = {{"position", "<f8", "300, 19", q, sizeof q, 0},
                                     {"velocity", "<f8", "300, 18", v, sizeof v, 0},
                                     {"force", "<f8", "300, 18", tau, sizeof tau, 0}};
    npz_file_save("s.npz", 3, arrays, 0);
    npz_file_save("deflated.npz", 3, arrays, 1);
    return 0;
}

static int teardown(void **state)
{
    hml_model_free(model);
    return run_teardown(state);
}

static void same_file(const char *a, const char *b)
{
    char command[1200];
    snprintf(command, sizeof command, "cmp -s '%s' '%s'", run_path(a), run_path(b));
    if (system(command) != 0) fail_msg("%s and %s differ", a, b);
}

/* ---- the same numbers ---- */

static void linearize_is_the_batch(void **state)
{
    (void)state;
    static double A[N * 4 * NV * NV], B[N * 2 * NV * NV], a[N * NV];
    hml_work *work;
    assert_int_equal(hml_work_new(model, HML_ISA_BEST, HML_USE_ALL, &work), HML_OK);
    const hml_linearization x = {.struct_size = sizeof x,
                                 .q = {q, NQ},
                                 .v = {v, NV},
                                 .tau = {tau, NV},
                                 .acceleration = {a, 0, 0},
                                 .A = {A, 0, 0},
                                 .B = {B, 0, 0}};
    assert_int_equal(hml_linearize_batch(model, work, N, &x, NULL), HML_OK);
    hml_work_free(work);
    assert_int_equal(run("linearize " QUADRUPED " --states s.npz --out r.npz"), 0);
    assert_string_equal(run_err, "");
    double *rA = npz_file_load("r.npz", "A", "'<f8', 'fortran_order': False, 'shape': (300, 36, 36,)", sizeof A);
    double *rB = npz_file_load("r.npz", "B", "'shape': (300, 36, 12,)", (size_t)N * 36 * 12 * sizeof *rB);
    double *ra = npz_file_load("r.npz", "acceleration", "'shape': (300, 18,)", sizeof a);
    int32_t *status = npz_file_load("r.npz", "status", "'<i4', 'fortran_order': False, 'shape': (300,)", N * 4);
    assert_memory_equal(rA, A, sizeof A);
    assert_memory_equal(ra, a, sizeof a);
    for (int i = 0; i < N * 36; i++) assert_memory_equal(rB + i * 12, B + i * 18 + 6, 12 * sizeof *B);
    for (int i = 0; i < N; i++) assert_int_equal(status[i], 0);
    free(rA), free(rB), free(ra), free(status);
    /* however they are stored, and on however many threads */
    assert_int_equal(run("linearize " QUADRUPED " --states deflated.npz --out d.npz --threads 1"), 0);
    same_file("r.npz", "d.npz");
    assert_int_equal(run_with("HAMEL_THREADS=5", "linearize " QUADRUPED " --states s.npz --out d.npz"), 0);
    same_file("r.npz", "d.npz");
}

/* a state file of row i */
static void save_state(int row)
{
    char text[8192];
    size_t used = (size_t)snprintf(text, sizeof text, "{\"joints\": {");
    for (int32_t j = 0; j < hml_model_njoints(model); j++) {
        hml_joint_info info = {.struct_size = sizeof info};
        hml_model_joint(model, j, &info);
        const struct {
            const char *name;
            const double *x;
            int32_t n;
        } parts[3] = {{"position", q + row * NQ + info.q, info.nq},
                      {"velocity", v + row * NV + info.v, info.nv},
                      {"force", tau + row * NV + info.v, info.nv}};
        used += (size_t)snprintf(text + used, sizeof text - used, "%s\"%s\": {", j ? ", " : "", info.name);
        for (int k = 0; k < 3; k++) {
            used += (size_t)snprintf(text + used, sizeof text - used, "%s\"%s\": [", k ? ", " : "", parts[k].name);
            for (int32_t i = 0; i < parts[k].n; i++) {
                used += (size_t)snprintf(text + used, sizeof text - used, "%s%.17g", i ? ", " : "", parts[k].x[i]);
            }
            used += (size_t)snprintf(text + used, sizeof text - used, "]");
        }
        used += (size_t)snprintf(text + used, sizeof text - used, "}");
    }
    snprintf(text + used, sizeof text - used, "}}");
    run_save("one.json", text);
}

/* the results of `command` for one state, and its row of those for all: within `tolerance` of the largest entry */
static void row_is(const char *command, const char *name, const char *shape, int row, size_t entries, double tolerance)
{
    char arguments[512];
    static double one[1 << 16];
    save_state(row);
    snprintf(arguments, sizeof arguments, "%s --state one.json --out one_result.json", command);
    assert_int_equal(run(arguments), 0);
    snprintf(arguments, sizeof arguments, "%s --states s.npz --out all.npz --resume", command);
    assert_int_equal(run(arguments), 0);
    json_t *result = run_json("one_result.json");
    assert_int_equal(run_numbers(result, name, one, sizeof one / sizeof *one), entries);
    json_decref(result);
    double *all = npz_file_load("all.npz", name, shape, N * entries * sizeof *all), most = 0;
    for (size_t i = 0; i < entries; i++) most = fmax(most, fabs(one[i]));
    for (size_t i = 0; i < entries; i++) {
        const double gap = fabs(one[i] - all[(size_t)row * entries + i]);
        if (!(gap <= tolerance * most)) fail_msg("%s: %s differs by %g of %g", command, name, gap, most);
    }
    free(all);
}

static void rows_are_what_single_states_give(void **state)
{
    (void)state;
    /* one state and a batch round differently: some hundred operations per entry */
    row_is("linearize " QUADRUPED " -r mixed --inputs all", "A", "(300, 36, 36,)", 299, 36 * 36, 1e-11);
    row_is("linearize " QUADRUPED " -r split", "B", "(300, 36, 12,)", 0, 36 * 12, 1e-11);
    row_is("linearize " QUADRUPED " -r right", "acceleration", "(300, 18,)", 64, 18, 1e-11);
    /* the same function, but a state file's quaternion is normalized once more */
    row_is("dynamics " QUADRUPED " -r mixed", "M", "(300, 18, 18,)", 17, 18 * 18, 1e-14);
    row_is("dynamics " QUADRUPED " -r mixed", "h", "(300, 18,)", 17, 18, 1e-14);
    row_is("dynamics " QUADRUPED, "gravity", "(300, 18,)", 18, 18, 1e-14);
    row_is("dynamics " QUADRUPED, "centroidal_momentum", "(300, 6,)", 299, 6, 1e-14);
    row_is("simulate " QUADRUPED " --time 0.02 --integrator rk4 --step 0.005", "position", "(300, 5, 19,)", 7, 5 * 19,
           1e-14);
    row_is("simulate " QUADRUPED " --time 0.02 --integrator rk4 --step 0.005 --controller hold --stiffness 10",
           "velocity", "(300, 5, 18,)", 299, 5 * 18, 1e-14);
    row_is("simulate " QUADRUPED " --time 0.02", "energy", "(300, 3,)", 3, 3, 1e-14);
    double *time = npz_file_load("all.npz", "time", "(3,)", 3 * sizeof *time);
    assert_true(time[0] == 0 && time[2] == 0.02);
    free(time);
}

static void results_can_be_selected_and_narrow(void **state)
{
    (void)state;
    assert_int_equal(run("linearize " QUADRUPED " --states s.npz --out all.npz"), 0);
    assert_int_equal(
        run("linearize " QUADRUPED " --states s.npz --out r.npz --select acceleration,B --precision float32"), 0);
    double *wide = npz_file_load("all.npz", "acceleration", "(300, 18,)", N * NV * sizeof *wide);
    float *narrow =
        npz_file_load("r.npz", "acceleration", "'<f4', 'fortran_order': False, 'shape': (300, 18,)", N * NV * 4);
    for (int i = 0; i < N * NV; i++) assert_true(narrow[i] == (float)wide[i]);
    free(wide), free(narrow);
    int code;
    zip_t *zip = zip_open(run_path("r.npz"), ZIP_RDONLY, &code);
    assert_true(zip_name_locate(zip, "B.npy", 0) >= 0 && zip_name_locate(zip, "status.npy", 0) >= 0);
    assert_true(zip_name_locate(zip, "A.npy", 0) < 0);
    zip_discard(zip);
}

static void float32_states_are_widened(void **state)
{
    (void)state;
    static float narrow[N * NQ], still[N * NV], back[N * NV];
    static double wide[N * NQ];
    for (int i = 0; i < N * NQ; i++) narrow[i] = (float)q[i], wide[i] = (double)narrow[i];
    for (int i = 0; i < N * NV; i++) { /* in the other byte order */
        unsigned char bytes[4];
        still[i] = (float)v[i];
        memcpy(bytes, &still[i], 4);
        for (int k = 0; k < 4; k++) ((unsigned char *)&back[i])[k] = bytes[3 - k];
    }
    static double still_wide[N * NV];
    for (int i = 0; i < N * NV; i++) still_wide[i] = (double)still[i];
    const npz_file_array few[] = {{"position", "<f4", "300, 19", narrow, sizeof narrow, 0},
                                  {"velocity", ">f4", "300, 18", back, sizeof back, 0}};
    const npz_file_array many[] = {{"position", "<f8", "300, 19", wide, sizeof wide, 0},
                                   {"velocity", "<f8", "300, 18", still_wide, sizeof still_wide, 0}};
    npz_file_save("narrow.npz", 2, few, 1);
    npz_file_save("wide.npz", 2, many, 0);
    assert_int_equal(run("dynamics " QUADRUPED " --states narrow.npz --out a.npz --select M,h"), 0);
    assert_int_equal(run("dynamics " QUADRUPED " --states wide.npz --out b.npz --select M,h"), 0);
    double *a = npz_file_load("a.npz", "h", "(300, 18,)", N * NV * sizeof *a);
    double *b = npz_file_load("b.npz", "h", "(300, 18,)", N * NV * sizeof *b);
    assert_memory_equal(a, b, N * NV * sizeof *a);
    free(a), free(b);
}

/* ---- bad states ---- */

static void bad_rows_are_flagged(void **state)
{
    (void)state;
    static double bad[N * NQ];
    memcpy(bad, q, sizeof q);
    bad[5 * NQ + 8] = NAN;
    bad[130 * NQ + 3] = 7; /* a quaternion */
    const npz_file_array arrays[] = {{"position", "<f8", "300, 19", bad, sizeof bad, 0},
                                     {"velocity", "<f8", "300, 18", v, sizeof v, 0},
                                     {"force", "<f8", "300, 18", tau, sizeof tau, 0}};
    npz_file_save("bad.npz", 3, arrays, 0);
    assert_int_equal(run("linearize " QUADRUPED " --states s.npz --out good.npz"), 0);
    assert_int_equal(run("linearize " QUADRUPED " --states bad.npz --out r.npz"), 0);
    assert_non_null(strstr(run_err, "2 of 300 states failed and are NaN, the first in row 5"));
    double *A = npz_file_load("r.npz", "A", "(300, 36, 36,)", N * 36 * 36 * sizeof *A);
    double *right = npz_file_load("good.npz", "A", "(300, 36, 36,)", N * 36 * 36 * sizeof *A);
    int32_t *status = npz_file_load("r.npz", "status", "(300,)", N * 4);
    for (int i = 0; i < N; i++) {
        const int wrong = i == 5 || i == 130;
        assert_int_equal(status[i], i == 5 ? HML_NOT_FINITE : i == 130 ? HML_NOT_NORMALIZED : HML_OK);
        if (!wrong) assert_memory_equal(A + i * 36 * 36, right + i * 36 * 36, 36 * 36 * sizeof *A);
        for (int k = 0; wrong && k < 36 * 36; k++) assert_true(isnan(A[i * 36 * 36 + k]));
    }
    free(A), free(right), free(status);
    for (int i = 0; i < N * NQ; i++) bad[i] = NAN;
    npz_file_save("bad.npz", 3, arrays, 0);
    assert_int_equal(run("dynamics " QUADRUPED " --states bad.npz --out none.npz"), 1); /* not finite: bad input */
    assert_non_null(strstr(run_err, "every state fails"));
    assert_int_equal(run("dynamics " QUADRUPED " --states bad.npz --out none.npz --resume"), 1); /* still */
    assert_non_null(strstr(run_err, "every state fails"));
}

/* a torque of 1e38 is a float32, the acceleration it gives is none: no infinity is written as if it were a result */
static void results_beyond_float32_are_flagged(void **state)
{
    (void)state;
    static double large[N * NV];
    memcpy(large, tau, sizeof tau);
    large[7 * NV + 17] = 1e38;
    const npz_file_array arrays[] = {{"position", "<f8", "300, 19", q, sizeof q, 0},
                                     {"velocity", "<f8", "300, 18", v, sizeof v, 0},
                                     {"force", "<f8", "300, 18", large, sizeof large, 0}};
    npz_file_save("large.npz", 3, arrays, 0);
    assert_int_equal(run("linearize " QUADRUPED " --states large.npz --out r.npz --select acceleration"), 0);
    assert_null(strstr(run_err, "failed"));
    assert_int_equal(
        run("linearize " QUADRUPED " --states large.npz --out r.npz --select acceleration --precision float32"), 0);
    assert_non_null(strstr(run_err, "1 of 300 states failed and are NaN, the first in row 7"));
    float *a = npz_file_load("r.npz", "acceleration", "(300, 18,)", N * NV * sizeof *a);
    int32_t *status = npz_file_load("r.npz", "status", "(300,)", N * 4);
    for (int i = 0; i < N; i++) {
        assert_int_equal(status[i], i == 7 ? HML_NOT_FINITE : HML_OK);
        for (int k = 0; k < NV; k++) assert_true(i == 7 ? isnan(a[i * NV + k]) : isfinite(a[i * NV + k]));
    }
    free(a), free(status);
}

/* also where the command itself looks at the state, for its servos */
static void bad_starts_of_motions_are_flagged(void **state)
{
    (void)state;
    static double bad[N * NQ];
    memcpy(bad, q, sizeof q);
    bad[5 * NQ + 8] = NAN;
    bad[130 * NQ + 3] = 7;
    const npz_file_array arrays[] = {{"position", "<f8", "300, 19", bad, sizeof bad, 0},
                                     {"velocity", "<f8", "300, 18", v, sizeof v, 0}};
    npz_file_save("bad.npz", 2, arrays, 0);
    assert_int_equal(run("simulate " QUADRUPED " --time 0.002 --integrator rk2 --controller hold --stiffness 10 "
                         "--states bad.npz --out r.npz"),
                     0);
    assert_memory_equal(run_err, "hamel: bad.npz: warning: 2 of 300 states failed", 47);
    int32_t *status = npz_file_load("r.npz", "status", "(300,)", N * 4);
    for (int i = 0; i < N; i++)
        assert_int_equal(status[i], i == 5 ? HML_NOT_FINITE : i == 130 ? HML_NOT_NORMALIZED : HML_OK);
    free(status);
    assert_int_equal(run("simulate " QUADRUPED " --time 1 --controller actuators --states s.npz --out n.npz"), 1);
    assert_string_equal(run_err, "hamel: " QUADRUPED ": there are no actuators for --controller actuators\n");
    assert_int_not_equal(access(run_path("n.npz.part"), F_OK), 0);
}

static void refuse(int n, const npz_file_array *arrays, const char *sentence)
{
    npz_file_save("odd.npz", n, arrays, 0);
    assert_int_equal(run("linearize " QUADRUPED " --states odd.npz --out odd_result.npz"), 1);
    if (!strstr(run_err, sentence)) fail_msg("%s, not: %s", run_err, sentence);
    assert_memory_equal(run_err, "hamel: odd.npz: ", 16);
    assert_int_not_equal(access(run_path("odd_result.npz.part"), F_OK), 0);
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    const npz_file_array p = {"position", "<f8", "300, 19", q, sizeof q, 0};
    const npz_file_array u = {"velocity", "<f8", "300, 18", v, sizeof v, 0};
    const npz_file_array f = {"force", "<f8", "300, 18", tau, sizeof tau, 0};
    refuse(1, &p, "there is no array 'velocity' (states x 18)");
    refuse(1, &u, "there is no array 'position' (states x 19)");
    npz_file_array a[3] = {p, u, f};
    a[2].name = "forces";
    refuse(3, a, "there is an array 'forces', which states do not have");
    a[2] = f, a[2].shape = "200, 18";
    refuse(3, a, "force has 200 x 18 entries, but position has 300 rows");
    a[2].shape = "300, 12";
    refuse(3, a, "force has 300 x 12 entries; rows of 18 are wanted");
    a[2].shape = "5400,";
    refuse(3, a, "rows of 18 are wanted");
    a[2] = f, a[2].type = "<i8";
    refuse(3, a, "force has entries of type <i8; float64 and float32 are read");
    a[2].type = "|O";
    refuse(3, a, "force has entries of type |O");
    a[2] = f, a[2].fortran = 1;
    refuse(3, a, "force: is stored by columns");
    a[2] = f, a[2].size = 800;
    refuse(3, a, "force: is shorter than its header says");
    a[2] = f, a[2].shape = "-1, 18";
    refuse(3, a, "force: is damaged");
    run_save("text.npz", "no archive");
    assert_int_equal(run("linearize " QUADRUPED " --states text.npz --out r.npz"), 1);
    assert_non_null(strstr(run_err, "is not an NPZ file"));
    assert_int_equal(run("linearize " QUADRUPED " --states nowhere.npz --out r.npz"), 1);
    assert_non_null(strstr(run_err, "there is no such file"));
}

/* turns over the bits of the byte in the middle of a file */
static void flip(const char *name)
{
    FILE *file = fopen(run_path(name), "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    const long middle = ftell(file) / 2;
    assert_int_equal(fseek(file, middle, SEEK_SET), 0);
    const int byte = fgetc(file);
    assert_int_equal(fseek(file, middle, SEEK_SET), 0);
    assert_int_equal(fputc(byte ^ 0xff, file), byte ^ 0xff);
    assert_int_equal(fclose(file), 0);
}

/* states that are not what was saved give no result, from the first row on or from where an interruption was */
static void damaged_states_are_noticed(void **state)
{
    (void)state;
    static const char *const from[] = {"s.npz", "deflated.npz"};
    static const char command[] = "linearize " QUADRUPED " --states damaged.npz --out r.npz --threads 1 --resume";
    char before[64];
    assert_int_equal(run("linearize " QUADRUPED " --states s.npz --out whole.npz"), 0);
    for (int i = 0; i < 2; i++) {
        unlink(run_path("r.npz"));
        snprintf(before, sizeof before, "cp %s damaged.npz;", from[i]);
        assert_int_equal(run_with(before, "--version"), 0);
        flip("damaged.npz");
        for (int k = 0; k < 2; k++) { /* again from where it has stopped */
            assert_int_equal(run(command), 1);
            assert_memory_equal(run_err, "hamel: damaged.npz: velocity: is damaged", 40);
            assert_non_null(strstr(run_err, "; none of the results is kept"));
            assert_int_not_equal(access(run_path("r.npz"), F_OK), 0);
        }
        flip("damaged.npz");
        assert_int_equal(run(command), 0);
        same_file("whole.npz", "r.npz");
    }
}

static void usage_is_explained(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"linearize " QUADRUPED " --states s.npz", "--states needs --out FILE.npz"},
        {"linearize " QUADRUPED " --states s.npz --out r.json", "--states needs --out FILE.npz"},
        {"linearize " QUADRUPED " --states s.npz --out r.h5", "with --states in .npz or .zarr"},
        {"linearize " QUADRUPED " --states s.npz --state one.json --out r.npz", "both give states"},
        {"linearize " QUADRUPED " --states s.npz --spy --out r.npz", "--spy shows one state"},
        {"linearize " QUADRUPED " --states s.npz --full --out r.npz", "--full shows one state"},
        {"linearize " QUADRUPED " --states s.npz --q base.x=1 --out r.npz", "--q changes one state"},
        {"dynamics " QUADRUPED " --states s.npz --close --out r.npz", "--close changes one state"},
        {"linearize " QUADRUPED " --states s.npz --out r.npz --select accelerations", "did you mean 'acceleration'"},
        {"linearize " QUADRUPED " --states s.npz --out r.npz --select xxxxxxxxxx", "linearize has A, B, acceleration"},
        {"linearize " QUADRUPED " --states s.npz --out r.npz --precision half", "float64 or float32"},
        {"linearize " QUADRUPED " --states s.npz --out r.npz --threads 0", "from 1 to 256"},
        {"linearize " QUADRUPED " --resume", "--resume needs --states"},
        {"dynamics " QUADRUPED " --select M", "--select needs --states"},
        {"simulate " QUADRUPED " --time 1 --precision float32", "--precision needs --states"},
        {"simulate " QUADRUPED " --time 1 --ground --states s.npz --out r.npz", "--ground is for one state"},
        {"jacobian " QUADRUPED " --frame base --states s.npz", "hamel jacobian has no option --states"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(run(cases[i][0]), 2);
        if (!strstr(run_err, cases[i][1])) fail_msg("hamel %s: %s", cases[i][0], run_err);
    }
    assert_int_equal(run_with("HAMEL_THREADS=many", "dynamics " QUADRUPED " --states s.npz --out r.npz"), 2);
    assert_non_null(strstr(run_err, "HAMEL_THREADS is 'many', not a positive number"));
}

/* a link stays one, and what is no file is refused before anything is computed */
static void results_go_where_links_lead(void **state)
{
    (void)state;
    assert_int_equal(mkdir(run_path("elsewhere"), 0777), 0);
    run_save("elsewhere/there.npz", "");
    assert_int_equal(symlink("elsewhere/there.npz", run_path("link.npz")), 0);
    assert_int_equal(run("dynamics " QUADRUPED " --states s.npz --out link.npz --select h"), 0);
    assert_int_equal(run("dynamics " QUADRUPED " --states s.npz --out plain.npz --select h"), 0);
    same_file("elsewhere/there.npz", "plain.npz");
    struct stat about;
    assert_int_equal(lstat(run_path("link.npz"), &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    assert_int_equal(mkdir(run_path("folder.npz"), 0777), 0);
    assert_int_equal(run("dynamics " QUADRUPED " --states s.npz --out folder.npz"), 4);
    assert_non_null(strstr(run_err, "folder.npz: cannot be written: Is a directory"));
    assert_int_not_equal(access(run_path("folder.npz.part"), F_OK), 0);
    assert_int_equal(symlink("/dev/full", run_path("full.npz")), 0);
    assert_int_equal(run("dynamics " QUADRUPED " --states s.npz --out full.npz"), 4);
    assert_non_null(strstr(run_err, "full.npz: is not a plain file"));
}

/* under whatever name: the states are still there, and so are models and state files */
static void inputs_are_not_overwritten(void **state)
{
    (void)state;
    static const char *const outs[] = {"s.npz", "./s.npz", "s_link.npz", "s_other.npz"};
    char arguments[512];
    assert_int_equal(symlink("s.npz", run_path("s_link.npz")), 0);
    assert_int_equal(link(run_path("s.npz"), run_path("s_other.npz")), 0);
    for (size_t i = 0; i < sizeof outs / sizeof *outs; i++) {
        for (int resume = 0; resume < 2; resume++) {
            snprintf(arguments, sizeof arguments, "dynamics " QUADRUPED " --states s.npz --out %s%s", outs[i],
                     resume ? " --resume" : "");
            assert_int_equal(run(arguments), 2);
            assert_non_null(strstr(run_err, " would overwrite the states, s.npz; give it another name"));
        }
    }
    same_file("s.npz", "s_other.npz");
    assert_int_equal(rename(run_path("s_other.npz"), run_path("x.npz.part")), 0);
    assert_int_equal(run("dynamics " QUADRUPED " --states x.npz.part --out x.npz"), 2);
    assert_non_null(strstr(run_err, "--out x.npz would overwrite the states, x.npz.part"));
    assert_int_equal(unlink(run_path("x.npz.part")), 0);
    assert_int_equal(run_with("cp " QUADRUPED " m.json;", "info m.json --out m.json"), 2);
    assert_non_null(strstr(run_err, "--out m.json would overwrite its input, m.json"));
    save_state(0);
    assert_int_equal(run("dynamics m.json --state one.json --out one.json"), 2);
    assert_non_null(strstr(run_err, "would overwrite the state, one.json"));
    assert_int_equal(run("dynamics m.json --state one.json --out two.json"), 0);
    assert_int_equal(run("dynamics m.json --states s.npz --out r.npz --select h"), 0);
}

/* with standard input and error closed, a warning does not go into the results */
static void closed_files_do_not_matter(void **state)
{
    (void)state;
    static double bad[N * NQ];
    memcpy(bad, q, sizeof q);
    bad[5 * NQ + 8] = NAN;
    const npz_file_array arrays[] = {{"position", "<f8", "300, 19", bad, sizeof bad, 0},
                                     {"velocity", "<f8", "300, 18", v, sizeof v, 0}};
    npz_file_save("bad.npz", 2, arrays, 0);
    assert_int_equal(run("dynamics " QUADRUPED " --states bad.npz --out open.npz --select h"), 0);
    assert_int_equal(run_with("exec <&- 2>&- ;", "dynamics " QUADRUPED " --states bad.npz --out r.npz --select h"), 0);
    same_file("open.npz", "r.npz");
}

/* ---- interruptions ---- */

static void nothing_is_done_twice(void **state)
{
    (void)state;
    assert_int_equal(run("dynamics " QUADRUPED " --states s.npz --out done.npz --resume"), 0);
    assert_int_equal(
        run_with("touch -d 2001-01-01 done.npz;", "dynamics " QUADRUPED " --states s.npz --out done.npz --resume"), 0);
    assert_int_equal(run_with("test \"$(date -r done.npz +%Y)\" = 2001 &&", "--version"),
                     0); /* it was not written again */
    assert_int_not_equal(access(run_path("done.npz.part"), F_OK), 0);
}

#ifdef HAMEL_STOPPING
static int stopped_at(int write, const char *how, const char *arguments)
{
    char before[1024];
    snprintf(before, sizeof before, "LD_PRELOAD='" HAMEL_STOPPING "' HAMEL_STOP=%d HAMEL_STOP_HOW=%s", write, how);
    return run_with(before, arguments);
}

/* killed, or out of disk, at every fifth write: the file is the same in the end */
static void interruptions_change_nothing(void **state)
{
    (void)state;
    static const char command[] = "linearize " QUADRUPED " --states s.npz --out r.npz --threads 2";
    static const char resume[] = "linearize " QUADRUPED " --states deflated.npz --out r.npz --resume";
    assert_int_equal(run("linearize " QUADRUPED " --states s.npz --out whole.npz"), 0);
    int kills = 0, full = 0;
    for (int k = 2; k < 60; k += 5) {
        unlink(run_path("r.npz"));
        const int killed = k % 2;
        const int status = stopped_at(k, killed ? "kill" : "full", command);
        if (status == 0) break;
        assert_int_equal(status, killed ? 137 : 4);
        if (!killed) assert_non_null(strstr(run_err, "No space left on device"));
        assert_int_not_equal(access(run_path("r.npz"), F_OK), 0);
        kills += killed, full += !killed;
        assert_int_equal(run("linearize " QUADRUPED " --states s.npz --out r.npz --resume -r mixed"), 1);
        assert_non_null(strstr(run_err, "belongs to another computation"));
        if (k % 3 == 0) { /* and once more on the way */
            assert_true(stopped_at(4, "kill", resume) != 0);
        }
        assert_int_equal(run(resume), 0);
        same_file("whole.npz", "r.npz");
        assert_int_not_equal(access(run_path("r.npz.part"), F_OK), 0);
    }
    assert_true(kills >= 2 && full >= 2);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linearize_is_the_batch),
        cmocka_unit_test(rows_are_what_single_states_give),
        cmocka_unit_test(results_can_be_selected_and_narrow),
        cmocka_unit_test(float32_states_are_widened),
        cmocka_unit_test(bad_rows_are_flagged),
        cmocka_unit_test(results_beyond_float32_are_flagged),
        cmocka_unit_test(bad_starts_of_motions_are_flagged),
        cmocka_unit_test(results_go_where_links_lead),
        cmocka_unit_test(inputs_are_not_overwritten),
        cmocka_unit_test(closed_files_do_not_matter),
        cmocka_unit_test(what_does_not_fit_is_refused),
        cmocka_unit_test(damaged_states_are_noticed),
        cmocka_unit_test(usage_is_explained),
        cmocka_unit_test(nothing_is_done_twice),
#ifdef HAMEL_STOPPING
        cmocka_unit_test(interruptions_change_nothing),
#endif
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
