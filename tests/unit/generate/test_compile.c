/* Generated code in this process: it agrees with the library, is kept, and gives way to the library where it must. */
#include <dirent.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "model_fixture.h"

#include "hamel/configuration.h"
#include "hamel/generate.h"
#include "hamel/io.h"
#include "hamel/random.h"

enum { STATES = 11, ROOM = 40 }; /* a batch of eight, and what is left over */

static char folder[64];
static double q[STATES * ROOM], v[STATES * ROOM], tau[STATES * ROOM];
static double A[2][STATES * 4 * ROOM * ROOM], B[2][STATES * 2 * ROOM * ROOM], a[2][STATES * ROOM];

static int open_folder(void **state)
{
    snprintf(folder, sizeof folder, "/tmp/hamel-compile-XXXXXX");
    return state == NULL || mkdtemp(folder) == NULL;
}

static int close_folder(void **state)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return state == NULL || system(command);
}

static hml_model *robot(const char *name)
{
    hml_model *m = NULL;
    hml_rng rng;
    assert_int_equal(hml_load_builtin(name, NULL, &m, NULL), HML_OK);
    hml_rng_seed(&rng, 4);
    for (int i = 0; i < STATES; i++)
        assert_int_equal(hml_configuration_random(m, &rng, q + i * hml_model_nq(m)), HML_OK);
    for (int i = 0; i < STATES * hml_model_nv(m); i++) v[i] = hml_rng_normal(&rng), tau[i] = hml_rng_normal(&rng);
    return m;
}

static int always = 1; /* use the code whether it is faster or not, so that it is compared */

static hml_compiled *compile_with(const hml_model *m, const char *compiler)
{
    hml_compiled *c = NULL;
    hml_error error = {0};
    const hml_compile_options options =
        HML_STRUCT(hml_compile_options, .compiler = compiler, .cache = folder, .always = always);
    if (hml_model_compile(m, &options, &c, &error)) fail_msg("%s", error.message);
    return c;
}

static int files(void)
{
    int n = 0;
    DIR *d = opendir(folder);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));) n += e->d_name[0] != '.';
    closedir(d);
    return n;
}

/* no compiled robot is kept any more */
static void forget(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -f '%s'/*", folder);
    assert_int_equal(system(command), 0);
}

/* A, B and the acceleration of all states, by the library (0) and by the code (1) */
static void assert_agrees(const hml_model *m, const hml_compiled *c)
{
    const int nv = hml_model_nv(m);
    hml_work *work = NULL;
    hml_status each[STATES];
    assert_int_equal(hml_work_new(m, HML_ISA_BEST, HML_USE_ALL, &work), HML_OK);
    for (int k = 0; k < 2; k++) {
        const hml_linearization l = HML_STRUCT(
            hml_linearization, .q = {q, (size_t)hml_model_nq(m)}, .v = {v, (size_t)nv}, .tau = {tau, (size_t)nv},
            .acceleration = {.data = a[k]}, .A = {.data = A[k]}, .B = {.data = B[k]});
        assert_int_equal(k ? hml_compiled_linearize(c, work, STATES, &l, each)
                           : hml_linearize_batch(m, work, STATES, &l, each),
                         HML_OK);
    }
    double largest = 0;
    for (int i = 0; i < STATES * 4 * nv * nv; i++) largest = fmax(largest, fabs(A[0][i]));
    for (int i = 0; i < STATES * 4 * nv * nv; i++) assert_close(A[1][i], A[0][i], 1e-12 * largest);
    for (int i = 0; i < STATES * 2 * nv * nv; i++) largest = fmax(largest, fabs(B[0][i]));
    for (int i = 0; i < STATES * 2 * nv * nv; i++) assert_close(B[1][i], B[0][i], 1e-12 * largest);
    for (int i = 0; i < STATES * nv; i++) assert_close(a[1][i], a[0][i], 1e-12 * largest);
    hml_work_free(work);
}

static void compiled_robots_agree_and_are_kept(void **state)
{
    (void)state;
    static const char *const names[] = {"pendulum", "quadruped", "arm7"};
    for (int i = 0; i < 3; i++) {
        hml_model *m = robot(names[i]);
        hml_compiled *c = compile_with(m, NULL);
        if (hml_compiled_note(c)) print_message("%s\n", hml_compiled_note(c));
        assert_agrees(m, c);
        const int kept = files();
        hml_compiled *again = compile_with(m, "no-such-compiler"); /* it is there already */
        if (!hml_compiled_note(c)) assert_null(hml_compiled_note(again));
        assert_int_equal(files(), kept);
        hml_compiled_free(again);
        hml_compiled_free(c);
        hml_model_free(m);
    }
}

static void without_a_compiler_the_library_does_the_work(void **state)
{
    (void)state;
    hml_model *m = robot("nine");
    const int before = files();
    hml_compiled *c = compile_with(m, "no-such-compiler");
    assert_says(hml_compiled_note(c), "compiler");
    assert_int_equal(files(), before);
    assert_agrees(m, c);
    hml_compiled_free(c);
    hml_model_free(m);
}

static void no_handler(int number) { (void)number; }

/* a program with a timer still waits for its compiler */
static void signals_do_not_end_the_compiler(void **state)
{
    (void)state;
    const struct sigaction handler = {.sa_handler = no_handler}; /* without SA_RESTART: calls are interrupted */
    const struct itimerval often = {.it_interval = {.tv_usec = 2000}, .it_value = {.tv_usec = 2000}}, never = {0};
    struct sigaction before;
    hml_model *m = robot("pendulum");
    hml_compiled *undisturbed = compile_with(m, NULL);
    const char *note = hml_compiled_note(undisturbed);
    hml_compiled_free(undisturbed);
    if (note) skip(); /* there is no compiler */
    forget();
    assert_int_equal(sigaction(SIGALRM, &handler, &before), 0);
    assert_int_equal(setitimer(ITIMER_REAL, &often, NULL), 0);
    hml_compiled *c = compile_with(m, NULL);
    setitimer(ITIMER_REAL, &never, NULL);
    sigaction(SIGALRM, &before, NULL);
    assert_null(hml_compiled_note(c));
    hml_compiled_free(c);
    hml_model_free(m);
}

/* code that a compiler has spoiled, as this command of sed does, is not used */
static void assert_notices(const char *spoil)
{
    hml_model *m = robot("pendulum");
    char path[128];
    forget();
    snprintf(path, sizeof path, "%s/wrong-cc", folder);
    FILE *script = fopen(path, "w");
    assert_non_null(script);
    fprintf(script,
            "#!/bin/sh\nfor last; do case $last in *.c) source=$last ;; esac; done\n"
            "sed -i '%s' \"$source\"\nexec cc \"$@\"\n",
            spoil);
    fclose(script);
    assert_int_equal(chmod(path, 0700), 0);
    hml_compiled *c = compile_with(m, path);
    assert_non_null(hml_compiled_note(c));
    if (!strstr(hml_compiled_note(c), "no C compiler")) assert_says(hml_compiled_note(c), "does not agree");
    assert_agrees(m, c);
    forget(); /* the wrong code was kept */
    hml_compiled_free(c);
    hml_model_free(m);
}

static void wrong_code_is_noticed(void **state)
{
    (void)state;
    assert_notices("s/\\(acceleration\\[trunk_column\\[i\\]\\]\\) = w/\\1 = 2 * w/"); /* the acceleration alone */
    assert_notices("s/int failed = 0;/int failed = 1;/");                             /* batches alone */
}

/* the kept code with another choice in its name: 0, the library is faster for all calls; 1, only the code's single calls */
static void choose(int choice)
{
    char command[256];
    snprintf(command, sizeof command,
             "cd '%s' && for f in *.so; do g=${f%%-*}; mv \"$f\" \"${g%%-*}-%d-${f##*-}\"; done", folder, choice);
    assert_int_equal(system(command), 0);
}

static void the_choice_is_made_once_and_kept(void **state)
{
    (void)state;
    forget();
    hml_model *m = robot("pendulum");
    hml_compiled *c = compile_with(m, NULL);
    const int works = hml_compiled_note(c) == NULL;
    hml_compiled_free(c);
    always = 0;
    for (int choice = 0; works && choice < 2; choice++) {
        choose(choice);
        c = compile_with(m, "no-such-compiler");
        if (choice == 0) assert_says(hml_compiled_note(c), "not faster");
        if (choice == 1) assert_null(hml_compiled_note(c));
        assert_agrees(m, c);
        assert_int_equal(files(), 1);
        hml_compiled_free(c);
    }
    always = 1;
    forget();
    hml_model_free(m);
}

/* a file that lost its end, or whose bytes are zeros, as a full disk or a loss of power leaves them, is made anew */
static void spoiled_files_are_made_anew(void **state)
{
    (void)state;
    static const char *const spoil[] = {"truncate -s 4096", "truncate -s 0", "truncate -s +9",
                                        "dd if=/dev/zero bs=4096 seek=1 count=1 conv=notrunc 2>/dev/null of="};
    forget();
    hml_model *m = robot("pendulum");
    hml_compiled *c = compile_with(m, NULL);
    const int works = hml_compiled_note(c) == NULL;
    hml_compiled_free(c);
    for (int i = 0; works && i < 4; i++) {
        char command[256];
        snprintf(command, sizeof command, "cd '%s' && for f in *.so; do %s%s\"$f\"; done", folder, spoil[i],
                 i < 3 ? " " : "");
        assert_int_equal(system(command), 0);
        if (i == 0) {
            c = compile_with(m, "no-such-compiler");
            assert_says(hml_compiled_note(c), "compiler");
            assert_agrees(m, c);
            assert_int_equal(files(), 0);
            hml_compiled_free(c);
        }
        c = compile_with(m, NULL);
        assert_null(hml_compiled_note(c));
        assert_agrees(m, c);
        assert_int_equal(files(), 1);
        hml_compiled_free(c);
    }
    forget();
    hml_model_free(m);
}

/* a state that fails is NaN and has its status, the others are not touched */
static void bad_states_are_marked(void **state)
{
    (void)state;
    hml_model *m = robot("pendulum");
    hml_compiled *c = compile_with(m, NULL);
    hml_work *work = NULL;
    hml_status each[STATES];
    const int nv = hml_model_nv(m);
    assert_int_equal(hml_work_new(m, HML_ISA_BEST, HML_USE_ALL, &work), HML_OK);
    v[nv] = NAN;
    const hml_linearization l = HML_STRUCT(hml_linearization, .q = {q, (size_t)hml_model_nq(m)}, .v = {v, (size_t)nv},
                                           .acceleration = {.data = a[0]}, .A = {.data = A[0]}, .B = {.data = B[0]});
    assert_int_equal(hml_compiled_linearize(c, work, STATES, &l, each), HML_NOT_FINITE);
    assert_true(each[0] == HML_OK && each[1] == HML_NOT_FINITE && each[2] == HML_OK);
    assert_true(isnan(A[0][4 * nv * nv]) && isfinite(A[0][0]) && isfinite(A[0][8 * nv * nv]));
    assert_int_equal(hml_compiled_linearize(NULL, work, 1, &l, NULL), HML_INVALID_ARGUMENT);
    hml_work_free(work);
    hml_compiled_free(c);
    hml_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compiled_robots_agree_and_are_kept),
        cmocka_unit_test(without_a_compiler_the_library_does_the_work),
        cmocka_unit_test(signals_do_not_end_the_compiler),
        cmocka_unit_test(wrong_code_is_noticed),
        cmocka_unit_test(the_choice_is_made_once_and_kept),
        cmocka_unit_test(spoiled_files_are_made_anew),
        cmocka_unit_test(bad_states_are_marked),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
