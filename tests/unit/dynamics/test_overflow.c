/*
 * What no number can hold is a status: a function that computes never answers HML_OK with NaN or infinity in what it
 * computed. States of every size, up to the largest numbers there are, on robots of every joint and for every kind of
 * register; in a batch the others keep their bits.
 */
#include <fenv.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "draw.h"
#include "hamel/hamel.h"

enum { N = 64, B = 32, STATES = 9 };

typedef struct subject {
    hml_model *model;
    hml_work *work;
    size_t nv, nq, nb;
    double q[N], v[N], a[N], tau[N];
} subject;

static double out[8][64 * N * N];

static int finite_all(const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i])) return 0;
    return 1;
}

/* counts what was refused and what was computed; stops where a result is no number and nobody says so */
static int refused, computed;

static void judge(const char *what, double size, hml_status status, const double *x, size_t n)
{
    if (status) {
        refused++;
        if (status != HML_NOT_FINITE && status != HML_SINGULAR && status != HML_NOT_CONVERGED) {
            fail_msg("%s at %g: %s", what, size, hml_status_message(status));
        }
        return;
    }
    computed++;
    if (!finite_all(x, n)) fail_msg("%s at %g: HML_OK, and no number", what, size);
}

static void try_all(const subject *s, double size)
{
    const hml_model *m = s->model;
    const size_t nv = s->nv, square = nv * nv;
    static double recursive[1 << 16];
    assert_true(hml_recursive_size(m) <= sizeof recursive);
    judge("forward", size, hml_forward_dynamics(m, s->work, s->q, s->v, s->tau, NULL, out[0]), out[0], nv);
    judge("inverse", size, hml_inverse_dynamics(m, s->work, s->q, s->v, s->a, NULL, out[0]), out[0], nv);
    judge("mass", size, hml_mass_matrix(m, s->work, s->q, out[0]), out[0], square);
    judge("inverse mass", size, hml_inverse_mass_matrix(m, s->work, s->q, out[0]), out[0], square);
    hml_status status = hml_inverse_dynamics_derivatives(m, s->work, s->q, s->v, s->a, NULL, out[0], out[1], out[2]);
    for (int i = 0; i < 3; i++) judge("derivatives", size, status, out[i], square);
    hml_dynamics_result d = {.struct_size = sizeof d, .M = out[0], .h = out[1], .gravity = out[2], .com = out[4]};
    d.acceleration = out[3], d.momentum = out[5], d.centroidal_momentum = out[6];
    status = hml_dynamics(m, s->work, s->q, s->v, s->tau, NULL, &d);
    judge("dynamics M", size, status, out[0], square);
    for (int i = 1; i < 4; i++) judge("dynamics", size, status, out[i], nv);
    judge("dynamics com", size, status, out[4], 3);
    for (int i = 5; i < 7; i++) judge("dynamics momentum", size, status, out[i], 6);
    judge("energy", size, status, &d.kinetic_energy, 1);
    judge("energy", size, status, &d.potential_energy, 1);
    const hml_linearization x = {.struct_size = sizeof x,
                                 .q = {s->q, 0},
                                 .v = {s->v, 0},
                                 .tau = {s->tau, 0},
                                 .acceleration = {out[0], 0, 0},
                                 .A = {out[1], 0, 0},
                                 .B = {out[2], 0, 0}};
    status = hml_linearize(m, s->work, &x);
    judge("linearize", size, status, out[0], nv);
    judge("linearize A", size, status, out[1], 4 * square);
    judge("linearize B", size, status, out[2], 2 * square);
    judge("integrate", size, hml_configuration_integrate(m, s->q, s->v, out[0]), out[0], s->nq);
    judge("poses", size, hml_body_poses(m, s->work, s->q, out[0]), out[0], 16 * s->nb);
    judge("rnea", size, hml_rnea(m, recursive, HML_LEFT, s->q, s->v, s->a, NULL, out[0]), out[0], nv);
    judge("crba", size, hml_crba(m, recursive, HML_CRBA_BODY, s->q, out[0]), out[0], square);
    judge("aba", size, hml_aba(m, recursive, s->q, s->v, s->tau, NULL, out[0]), out[0], nv);
    for (int k = 0; k < 2; k++) {
        hml_scheme scheme = k ? HML_SCHEME_RK4 : HML_SCHEME_EULER;
        double *scratch = malloc(hml_step_scratch_doubles(m) * sizeof *scratch);
        status = hml_step(m, s->work, scratch,
                          &HML_STRUCT(hml_discrete_step, .scheme = scheme, .h = 0.01, .q.data = s->q, .v.data = s->v,
                                      .tau.data = s->tau, .q_next.data = out[0], .v_next.data = out[1]));
        judge("step q", size, status, out[0], s->nq);
        judge("step v", size, status, out[1], nv);
        status = hml_step(m, s->work, scratch,
                          &HML_STRUCT(hml_discrete_step, .scheme = scheme, .h = 0.01, .q.data = s->q, .v.data = s->v,
                                      .tau.data = s->tau, .q_next.data = out[0], .v_next.data = out[1],
                                      .Ad.data = out[2], .Bd.data = out[3]));
        judge("step Ad", size, status, out[2], 4 * square);
        judge("step Bd", size, status, out[3], 2 * square);
        free(scratch);
    }
    for (int scheme = 0; scheme < HML_SCHEME_COUNT; scheme++) {
        hml_motion_options options;
        hml_motion *motion = NULL;
        hml_motion_options_init(&options);
        options.scheme = (hml_scheme)scheme;
        options.step = 0.01;
        status = hml_motion_new(m, s->work, &options, NULL, 0, s->q, s->v, &motion);
        if (status) continue;
        status = hml_motion_step(motion, 0.01);
        judge("motion q", size, status, hml_motion_position(motion), s->nq);
        judge("motion v", size, status, hml_motion_velocity(motion), nv);
        hml_motion_free(motion);
    }
}

static void open_subject(subject *s, uint64_t seed, hml_isa isa)
{
    const draw_tree_spec spec = {.nbodies = 7, .root = seed % 2 ? HML_JOINT_FREE : HML_JOINT_REVOLUTE};
    s->model = draw_tree(&seed, &spec);
    assert_non_null(s->model);
    s->nv = (size_t)hml_model_nv(s->model), s->nq = (size_t)hml_model_nq(s->model);
    s->nb = (size_t)hml_model_nbodies(s->model);
    assert_true(s->nv <= N && s->nq <= N && s->nb <= B);
    if (!hml_isa_available(isa)) isa = HML_ISA_BEST; /* of this build, on this processor */
    assert_int_equal(hml_work_new(s->model, isa, HML_USE_ALL, &s->work), HML_OK);
    draw_configuration(&seed, s->model, 1, s->q);
    for (size_t i = 0; i < s->nv; i++) s->v[i] = draw(&seed), s->a[i] = draw(&seed), s->tau[i] = draw(&seed);
}

static void close_subject(subject *s)
{
    hml_work_free(s->work);
    hml_model_free(s->model);
}

static const hml_isa ISAS[] = {HML_ISA_SCALAR, HML_ISA_128, HML_ISA_AVX2, HML_ISA_AVX512};

/* velocities, accelerations and forces of one size each; what is moderate is computed, what is absurd is refused */
static void test_states_of_every_size(void **state)
{
    (void)state;
    static const double sizes[] = {1, 1e10, 1e75, 1e100, 1e150, 1e154, 1e160, 1e200, 1e300, 1.7e308};
    for (uint64_t seed = 1; seed < 5; seed++) {
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            for (unsigned which = 1; which < 8; which++) {
                subject s;
                open_subject(&s, seed, ISAS[seed % 4]);
                for (size_t i = 0; i < s.nv; i++) {
                    if (which & 1) s.v[i] *= sizes[k];
                    if (which & 2) s.a[i] *= sizes[k];
                    if (which & 4) s.tau[i] *= sizes[k];
                }
                refused = computed = 0;
                try_all(&s, sizes[k]);
                if (k == 0) assert_int_equal(refused, 0);
                if (sizes[k] >= 1e200 && which & 1) assert_true(refused > 10);
                close_subject(&s);
            }
        }
    }
}

/* a state too large for the numbers is NaN with its status; its neighbours have the bits they have without it */
static void test_batches(void **state)
{
    (void)state;
    static double q[STATES * N], v[STATES * N], bad[STATES * N], tau[STATES * N];
    static double A[2][STATES * 4 * N * N], Bm[2][STATES * 2 * N * N], a[2][STATES * N], moved[2][STATES * N];
    for (size_t k = 0; k < sizeof ISAS / sizeof *ISAS; k++) {
        subject s;
        uint64_t seed = 5;
        open_subject(&s, seed, ISAS[k]);
        for (size_t i = 0; i < STATES; i++) draw_configuration(&seed, s.model, 1, q + i * s.nq);
        for (size_t i = 0; i < STATES * s.nv; i++) v[i] = bad[i] = draw(&seed), tau[i] = draw(&seed);
        for (size_t i = 0; i < s.nv; i++) bad[4 * s.nv + i] *= 1e200, bad[7 * s.nv + i] *= 1.7e308;
        hml_status each[3][STATES];
        for (int with = 0; with < 2; with++) {
            hml_linearization x = {.struct_size = sizeof x,
                                   .q = {q, s.nq},
                                   .v = {with ? bad : v, s.nv},
                                   .tau = {tau, s.nv},
                                   .acceleration = {a[with], 0, 0},
                                   .A = {A[with], 0, 0},
                                   .B = {Bm[with], 0, 0}};
            hml_status status = hml_linearize_batch(s.model, s.work, STATES, &x, each[0]);
            assert_int_equal(status, with ? HML_NOT_FINITE : HML_OK);
            hml_dynamics_states d = {.struct_size = sizeof d,
                                     .q = {q, s.nq},
                                     .v = {with ? bad : v, s.nv},
                                     .tau = {tau, s.nv},
                                     .acceleration = {out[with], 0, 0}};
            status = hml_dynamics_batch(s.model, s.work, STATES, &d, each[1]);
            assert_int_equal(status, with ? HML_NOT_FINITE : HML_OK);
            const hml_input from = {q, s.nq}, by = {with ? bad : v, s.nv};
            const hml_output to = {moved[with], 0, 0};
            status = hml_configuration_integrate_batch(s.model, s.work, STATES, from, by, to, each[2]);
            for (size_t i = 0; i < STATES; i++) {
                if (!each[2][i]) assert_true(finite_all(moved[with] + i * s.nq, s.nq));
                if (with && (i == 4 || i == 7)) {
                    assert_int_equal(each[0][i], HML_NOT_FINITE);
                    assert_int_equal(each[1][i], HML_NOT_FINITE);
                    assert_true(isnan(a[1][i * s.nv]) && isnan(A[1][i * 4 * s.nv * s.nv]) && isnan(out[1][i * s.nv]));
                    continue;
                }
                assert_int_equal(each[0][i] | each[1][i] | each[2][i], HML_OK);
                const size_t n = s.nv, nn = 4 * n * n;
                assert_memory_equal(a[with] + i * n, a[0] + i * n, n * sizeof(double));
                assert_memory_equal(A[with] + i * nn, A[0] + i * nn, nn * sizeof(double));
                assert_memory_equal(out[with] + i * n, out[0] + i * n, n * sizeof(double));
                assert_memory_equal(moved[with] + i * s.nq, moved[0] + i * s.nq, s.nq * sizeof(double));
            }
        }
        close_subject(&s);
    }
}

/* states that leave the numbers, far from each other and beside a bad one: the first of them is what is returned, and
 * statuses that nobody wants change nothing */
static void test_long_batches(void **state)
{
    (void)state;
    enum { MANY = 300, OVERFLOWS = 131, BAD = 137, LAST = 299 };
    static double q[MANY * N], v[MANY * N], a[2][MANY * N];
    static hml_status each[MANY];
    for (size_t k = 0; k < sizeof ISAS / sizeof *ISAS; k++) {
        for (int bad_first = 0; bad_first < 2; bad_first++) {
            const size_t overflows = bad_first ? BAD : OVERFLOWS, bad = bad_first ? OVERFLOWS : BAD;
            subject s;
            uint64_t seed = 7;
            open_subject(&s, seed, ISAS[k]);
            for (size_t i = 0; i < MANY; i++) draw_configuration(&seed, s.model, 1, q + i * s.nq);
            for (size_t i = 0; i < MANY * s.nv; i++) v[i] = draw(&seed);
            for (size_t i = 0; i < s.nv; i++) v[overflows * s.nv + i] *= 1e200, v[LAST * s.nv + i] *= 1.7e308;
            q[bad * s.nq + 3] = 1e3; /* a quaternion that is none */
            hml_dynamics_states d = {
                .struct_size = sizeof d, .q = {q, s.nq}, .v = {v, s.nv}, .acceleration = {a[0], 0, 0}};
            const hml_status status = hml_dynamics_batch(s.model, s.work, MANY, &d, each);
            assert_int_equal(status, each[OVERFLOWS]);
            assert_int_equal(each[overflows], HML_NOT_FINITE);
            assert_int_not_equal(each[bad], HML_OK);
            assert_int_not_equal(each[bad], HML_NOT_FINITE);
            assert_int_equal(each[LAST], HML_NOT_FINITE);
            d.acceleration.data = a[1];
            assert_int_equal(hml_dynamics_batch(s.model, s.work, MANY, &d, NULL), status);
            for (size_t i = 0; i < MANY; i++) {
                const int fine = i != overflows && i != bad && i != LAST;
                if (fine) assert_int_equal(each[i], HML_OK);
                for (size_t j = i * s.nv; j < (i + 1) * s.nv; j++) assert_int_equal(fine, isfinite(a[0][j]) != 0);
            }
            assert_memory_equal(a[0], a[1], MANY * s.nv * sizeof(double));
            close_subject(&s);
        }
    }
}

/* the caller's own flags: those that were up stay up, and do not make anybody refuse what is fine */
static void test_the_flags_of_the_caller(void **state)
{
    (void)state;
    subject s;
    open_subject(&s, 3, HML_ISA_BEST);
    feclearexcept(FE_ALL_EXCEPT);
    assert_int_equal(hml_forward_dynamics(s.model, s.work, s.q, s.v, s.tau, NULL, out[0]), HML_OK);
    assert_int_equal(fetestexcept(FE_OVERFLOW | FE_INVALID | FE_DIVBYZERO), 0);
    feraiseexcept(FE_OVERFLOW | FE_DIVBYZERO);
    assert_int_equal(hml_forward_dynamics(s.model, s.work, s.q, s.v, s.tau, NULL, out[0]), HML_OK);
    assert_int_equal(fetestexcept(FE_OVERFLOW | FE_INVALID | FE_DIVBYZERO), FE_OVERFLOW | FE_DIVBYZERO);
    feclearexcept(FE_ALL_EXCEPT);
    close_subject(&s);
}

/* a grain of sand that carries a mountain: the articulated bodies say what the factorization says */
static void test_mass_ratios(void **state)
{
    (void)state;
    static double recursive[1 << 12];
    for (int k = 0; k <= 18; k++) {
        hml_builder *b = hml_builder_new();
        hml_joint_spec joint;
        hml_inertia_spec light = {.mass = 1, .com = {0.1, 0, 0}, .moment = {1, 0, 0, 0, 1, 0, 0, 0, 1}}, heavy = light;
        hml_model *model = NULL;
        hml_work *work = NULL;
        const double q[2] = {0.3, -0.7}, v[2] = {0.1, 0.2}, tau[2] = {1, 1};
        double a[2], by[2];
        heavy.mass *= pow(10, k);
        for (int i = 0; i < 9; i++) heavy.moment[i] *= pow(10, k);
        hml_joint_spec_init(&joint, HML_JOINT_REVOLUTE);
        joint.axis[0] = 0, joint.axis[2] = 1, joint.name = "one";
        assert_int_equal(hml_builder_add_body(b, "a", NULL, &joint, &light, NULL), HML_OK);
        joint.name = "two"; /* on the same axis */
        assert_int_equal(hml_builder_add_body(b, "b", "a", &joint, &heavy, NULL), HML_OK);
        assert_int_equal(hml_builder_build(b, 0, &model, NULL), HML_OK);
        hml_builder_free(b);
        assert_int_equal(hml_work_new(model, HML_ISA_BEST, HML_USE_ALL, &work), HML_OK);
        assert_true(hml_recursive_size(model) <= sizeof recursive);
        hml_status by_factor = hml_forward_dynamics(model, work, q, v, tau, NULL, a);
        hml_status by_bodies = hml_aba(model, recursive, q, v, tau, NULL, by);
        if (k < 13) assert_int_equal(by_factor | by_bodies, HML_OK); /* pivots are known to 2⁻⁵² of the diagonal */
        if (k > 14) {
            assert_int_equal(by_factor, HML_SINGULAR);
            assert_int_equal(by_bodies, HML_SINGULAR);
        }
        for (int i = 0; i < 2 && k < 13; i++) {
            /* what the pivot has lost, both have lost: 1e-16 · 10ᵏ */
            assert_true(fabs(a[i] - by[i]) <= 1e-12 * fmax(1, 1e-2 * pow(10, k)) * (1 + fabs(a[i])));
        }
        hml_work_free(work);
        hml_model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_states_of_every_size), cmocka_unit_test(test_batches),
        cmocka_unit_test(test_long_batches),         cmocka_unit_test(test_the_flags_of_the_caller),
        cmocka_unit_test(test_mass_ratios),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
