/*
 * With traps on for division by zero, invalid operations and overflow: a program that runs so (many simulators do, to
 * find their own faults) may load every robot of the library and compute with it. A trap ends this program.
 *
 * clang computes with lanes of registers that nobody reads, zero by zero for instance, unless it is told to forgo most
 * optimizations. What it compiled reads files with traps on, and does not compute.
 */
#define _GNU_SOURCE
#include <fenv.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "draw.h"
#include "hamel/hamel.h"
#include "hamel/io.h"

#define OK(call) assert_int_equal(call, HML_OK)

#if defined(__GLIBC__) && defined(__x86_64__)
static int traps_are_on(void) { return (fegetexcept() & FE_OVERFLOW) != 0; }
static void traps_on(void) { assert_true(feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW) >= 0); }
static void traps_off(void)
{
    fedisableexcept(FE_ALL_EXCEPT);
    feclearexcept(FE_ALL_EXCEPT);
}
#else
static void traps_on(void) { skip(); } /* not every processor has them */
static void traps_off(void) {}
static int traps_are_on(void) { return 0; }
#endif

#if defined __clang__
enum { CLANG = 1 };
#else
enum { CLANG = 0 };
#endif

enum { N = 80, B = 40, STATES = 11 };

typedef struct subject {
    hml_model *model;
    hml_work *work;
    size_t nv, nq, nb;
    double q[STATES * N], v[STATES * N], a[STATES * N], tau[STATES * N];
} subject;

static void open_subject(subject *s, hml_model *model, hml_isa isa, uint64_t seed)
{
    s->model = model;
    s->nv = (size_t)hml_model_nv(model), s->nq = (size_t)hml_model_nq(model), s->nb = (size_t)hml_model_nbodies(model);
    assert_true(s->nv <= N && s->nq <= N && s->nb <= B);
    OK(hml_work_new(model, isa, HML_USE_ALL, &s->work));
    for (size_t i = 0; i < STATES; i++) draw_configuration(&seed, model, 1, s->q + i * s->nq);
    for (size_t i = 0; i < STATES * s->nv; i++) s->v[i] = draw(&seed), s->a[i] = draw(&seed), s->tau[i] = draw(&seed);
}

static double M[STATES * N * N], D[STATES * 4 * N * N], E[STATES * 4 * N * N], vectors[4][STATES * 16 * B];

static void dynamics(const subject *s)
{
    hml_dynamics_result d = {.struct_size = sizeof d, .M = M, .h = vectors[0], .acceleration = vectors[1]};
    OK(hml_dynamics(s->model, s->work, s->q, s->v, s->tau, NULL, &d));
    OK(hml_forward_dynamics(s->model, s->work, s->q, s->v, s->tau, NULL, vectors[0]));
    OK(hml_inverse_dynamics(s->model, s->work, s->q, s->v, s->a, NULL, vectors[0]));
    OK(hml_mass_matrix(s->model, s->work, s->q, M));
    OK(hml_inverse_mass_matrix(s->model, s->work, s->q, M));
    OK(hml_inverse_dynamics_derivatives(s->model, s->work, s->q, s->v, s->a, NULL, D, E, M));
    const hml_linearization x = {.struct_size = sizeof x,
                                 .q = {s->q, s->nq},
                                 .v = {s->v, s->nv},
                                 .tau = {s->tau, s->nv},
                                 .acceleration = {vectors[0], 0, 0},
                                 .A = {D, 0, 0},
                                 .B = {E, 0, 0}};
    OK(hml_linearize(s->model, s->work, &x));
    OK(hml_linearize_batch(s->model, s->work, STATES, &x, NULL));
    OK(hml_body_poses(s->model, s->work, s->q, vectors[0]));
    const hml_jacobian_columns columns = {.struct_size = sizeof columns, .q = {s->q, s->nq}, .J = {D, 0, 0}};
    hml_status status = hml_all_jacobians_batch(s->model, s->work, STATES, &columns, NULL);
    assert_true(status == HML_OK || status == HML_UNSUPPORTED); /* followers have no columns of their own */
    double *scratch = malloc(hml_step_scratch_doubles(s->model) * sizeof *scratch);
    OK(hml_step(s->model, s->work, scratch,
                &HML_STRUCT(hml_discrete_step, .scheme = HML_SCHEME_RK4, .h = 1e-3, .q.data = s->q, .v.data = s->v,
                            .tau.data = s->tau, .q_next.data = vectors[0], .v_next.data = vectors[1], .Ad.data = D,
                            .Bd.data = E)));
    free(scratch);
}

static void motions(const subject *s)
{
    for (int scheme = 0; scheme < HML_SCHEME_COUNT; scheme++) {
        hml_motion_options options;
        hml_motion *motion = NULL;
        hml_motion_options_init(&options);
        options.scheme = (hml_scheme)scheme;
        OK(hml_motion_new(s->model, s->work, &options, NULL, 0, s->q, s->v, &motion));
        OK(hml_motion_advance(motion, 5e-3));
        hml_motion_info info = {.struct_size = sizeof info};
        OK(hml_motion_get_info(motion, &info));
        OK(hml_motion_at(motion, hml_motion_time(motion) - 0.5 * info.last_step, vectors[0], vectors[1]));
        hml_motion_free(motion);
    }
}

/* above the ground, on it and half in it; what a step answers does not matter here, that it answers does */
static void contacts(const subject *s)
{
    hml_plane plane = {.normal = {0, 0, 1}, .friction = 0.7};
    hml_contact_settings settings = {.struct_size = sizeof settings, .planes = &plane, .nplanes = 1};
    size_t size = hml_contact_size(s->model, &settings);
    void *memory = malloc(size);
    hml_contact *contact = NULL;
    OK(hml_contact_init(memory, size, s->model, &settings, &contact));
    for (int k = -1; k < 3; k++) {
        double q[N], v[N];
        memcpy(q, s->q, sizeof q);
        memcpy(v, s->v, sizeof v);
        plane.point[2] = 0.3 * k;
        OK(hml_contact_init(memory, size, s->model, &settings, &contact));
        hml_contact_motion x = {.struct_size = sizeof x, .h = 1e-3, .q = q, .v = v, .q_next = q, .v_next = v};
        for (int n = 0; n < 40; n++) {
            if (hml_contact_step(s->model, s->work, contact, &x)) break;
        }
    }
    free(memory);
}

static void holds(const subject *s)
{
    const hml_constraint item = {.kind = HML_HOLD_FRAME, .frame = hml_model_nframes(s->model) - 1};
    const hml_constraints set = {.struct_size = sizeof set, .items = &item, .count = 1};
    double *scratch = malloc(hml_constraint_scratch_doubles(s->model, &set) * sizeof *scratch), lambda[6];
    hml_constrained_linearization x = {.struct_size = sizeof x,
                                       .q = s->q,
                                       .v = s->v,
                                       .tau = s->tau,
                                       .acceleration = vectors[0],
                                       .lambda = lambda,
                                       .A = D,
                                       .B = E};
    hml_status status = hml_constrained_linearize(s->model, s->work, &set, scratch, &x);
    assert_true(status == HML_OK || status == HML_INCONSISTENT);
    free(scratch);
}

static void everything(hml_model *model, uint64_t seed)
{
    static const hml_isa isas[] = {HML_ISA_SCALAR, HML_ISA_128, HML_ISA_AVX2, HML_ISA_AVX512};
    for (size_t k = 0; k < sizeof isas / sizeof *isas; k++) {
        static subject s;
        if (!hml_work_size(model, isas[k], HML_USE_ALL)) continue; /* this processor has no such registers */
        open_subject(&s, model, isas[k], seed);
        dynamics(&s);
        if (k == 0) motions(&s), contacts(&s), holds(&s);
        hml_work_free(s.work);
    }
    hml_model_free(model);
}

static void test_robots_of_the_library(void **state)
{
    (void)state;
    if (CLANG) skip();
    traps_on();
    for (int32_t i = 0; i < hml_builtin_count(); i++) {
        hml_model *model = NULL;
        OK(hml_load_builtin(hml_builtin_name(i), NULL, &model, NULL));
        everything(model, 70 + (uint64_t)i);
    }
    traps_off();
}

static void test_random_trees(void **state)
{
    (void)state;
    if (CLANG) skip();
    traps_on();
    for (uint64_t seed = 1; seed < 9; seed++) {
        hml_random_spec spec;
        hml_model *model = NULL;
        hml_random_spec_init(&spec);
        spec.seed = seed;
        spec.joint_types = 0xffeu;
        spec.passive = 0.5;
        spec.mimic = seed % 2 ? 0 : 0.3;
        OK(hml_model_random(&spec, &model));
        everything(model, seed);
    }
    traps_off();
}

/* inertias of every size a program may ask about, flat, slender and pointlike ones too */
static void test_inertias(void **state)
{
    (void)state;
    if (CLANG) skip();
    traps_on();
    for (int k = -150; k <= 150; k += 10) {
        double size = pow(10, k), moments[3], axes[9];
        unsigned problems = 0;
        const double diagonal[][3] = {{1, 1, 1}, {1, 1, 2}, {0, 1, 1}, {0, 0, 0}, {1, 1 + 1e-12, 1 - 1e-12}};
        for (size_t i = 0; i < sizeof diagonal / sizeof *diagonal; i++) {
            double I[10] = {1, 0, 0, 0, diagonal[i][0] * size, diagonal[i][1] * size, diagonal[i][2] * size, 0, 0, 0};
            hml_inertia_check(I, 1e-9, &problems, moments, axes);
            I[7] = 1e-17 * size, I[8] = 1e-3 * size;
            hml_inertia_check(I, 1e-9, &problems, moments, axes);
        }
    }
    traps_off();
}

static const char *const numbers_of_every_size[] = {
    "0", "1", "1e-320", "4.9e-324", "1e-200", "1e200", "1.7e308", "-1e300", "1e400", "0.1234567890123456789e-5"};

static void load_text(const char *name, const char *format, const char *a, const char *b)
{
    char text[2000];
    hml_model *model = NULL;
    hml_error error;
    snprintf(text, sizeof text, format, a, b, a, b, a, b);
    hml_load_memory(text, strlen(text), name, NULL, &model, &error); /* refused or not: it answers */
    hml_model_free(model);
}

/* readers of every format, with numbers of every size where numbers may stand */
static void test_files(void **state)
{
    (void)state;
    static const char urdf[] =
        "<robot name='r' version='1.1'><link name='a'><inertial><mass value='%s'/><inertia ixx='%s' ixy='%s' ixz='0' "
        "iyy='%s' iyz='0' izz='1'/></inertial><collision><geometry><sphere radius='%s'/></geometry></collision></link>"
        "<link name='b'/><joint name='j' type='planar'><axis xyz='0 %s 0'/><parent link='a'/><child link='b'/></joint>"
        "</robot>";
    static const char mjcf[] =
        "<mujoco><compiler boundmass='%s' boundinertia='%s' balanceinertia='true'/><worldbody><body name='b'>"
        "<joint axis='%s 0 1' ref='%s'/><geom type='ellipsoid' size='%s %s 1' density='3' shellinertia='true'/></body>"
        "</worldbody></mujoco>";
    static const char placed[] =
        "<mujoco><worldbody><body name='b' quat='%s %s 0 0'><joint/><inertial pos='0 0 %s' mass='1' fullinertia='%s 1 "
        "1 %s 0 %s'/></body></worldbody></mujoco>";
    static const char json[] =
        "{\"bodies\": [{\"name\": \"b\", \"parent\": null, \"joint\": {\"name\": \"j\", \"type\": \"revolute\", "
        "\"axis\": [%s, 0, %s], \"origin\": {\"quaternion\": [%s, 0, 0, %s]}}, \"inertia\": {\"mass\": %s, "
        "\"moment\": [[1, 0, 0], [0, %s, 0], [0, 0, 1]]}}]}";
    const char *const *numbers = numbers_of_every_size;
    const size_t n = sizeof numbers_of_every_size / sizeof *numbers;
    traps_on();
    for (size_t i = 0; i < n * n; i++) {
        const char *a = numbers[i / n], *b = numbers[i % n];
        load_text("a.urdf", urdf, a, b);
        load_text("a.xml", mjcf, a, b);
        load_text("a.xml", placed, a, b);
        load_text("a.json", json, a, b);
    }
    assert_true(traps_are_on()); /* still */
    traps_off();
}

/* a program that rounds upwards reads the same numbers, and goes on rounding upwards */
static void test_rounding_does_not_matter(void **state)
{
    (void)state;
    static const char json[] = "{\"bodies\": [{\"name\": \"b\", \"parent\": null, \"joint\": {\"name\": \"j\", "
                               "\"type\": \"revolute\", \"axis\": [0.1, 0.3, 0.7], \"origin\": {\"rpy\": [0.1, 0.2, "
                               "0.3]}}, \"inertia\": {\"mass\": 0.1, \"com\": [0.1, 1e-3, 3.3e-7]}}]}";
    static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    hml_model *nearest = NULL;
    OK(hml_load_memory(json, strlen(json), "a.json", NULL, &nearest, NULL));
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        hml_model *model = NULL;
        if (fesetround(modes[i])) continue;
        hml_status status = hml_load_memory(json, strlen(json), "a.json", NULL, &model, NULL);
        int after = fegetround();
        fesetround(FE_TONEAREST);
        OK(status);
        assert_int_equal(after, modes[i]);
        assert_int_equal(hml_model_size(model), hml_model_size(nearest));
        assert_memory_equal(hml_model_data(model), hml_model_data(nearest), hml_model_size(nearest));
        hml_model_free(model);
    }
    hml_model_free(nearest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_robots_of_the_library),
        cmocka_unit_test(test_random_trees),
        cmocka_unit_test(test_inertias),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_rounding_does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
