/*
 * The derivatives of steps of motions against differences of the motions. Two steps, one after the other: their product
 * passes on what the scheme carries along, which differences see from outside.
 */
#include "base/dense.h"
#include "difference.h"
#include "hamel/dynamics.h"
#include "hamel/random.h"
#include "motion_check.h"

static const draw_tree_spec specs[] = {
    {.nbodies = 5, .root = HML_JOINT_FREE},
    {.nbodies = 5, .root = HML_JOINT_SPHERICAL, .points = 1},
    {.nbodies = 4, .root = HML_JOINT_SCHOENFLIES, .passive = 1},
};

typedef struct two_steps {
    const mover *m;
    hml_scheme scheme;
    double h;
    const double *tau, *wrenches, *q_end, *v_end;
    size_t column; /* of (z_q, z_ν, w) */
} two_steps;

static hml_motion *start(const two_steps *x, const double *q, const double *v, const double *tau)
{
    const hml_forces forces = {.struct_size = sizeof forces, .tau = tau, .wrenches = x->wrenches};
    mover m = *x->m;
    memcpy(m.q, q, m.nq * sizeof *q), memcpy(m.v, v, m.n * sizeof *v);
    return mover_start(&m, x->scheme, x->h, 0, &forces);
}

/* where two steps end, moved by t along the column at their beginning */
static void end_at(const void *context, double t, double *out)
{
    const two_steps *x = context;
    const size_t n = x->m->n;
    double q[NQ], v[NV], tau[NV], z[NV] = {0};
    memcpy(v, x->m->v, n * sizeof *v), memcpy(tau, x->tau, n * sizeof *tau);
    if (x->column < n)
        z[x->column] = t;
    else if (x->column < 2 * n)
        v[x->column - n] += t;
    else
        tau[x->column - 2 * n] += t;
    assert_int_equal(hml_configuration_integrate(x->m->model, x->m->q, z, q), HML_OK);
    hml_motion *motion = start(x, q, v, tau);
    for (int k = 0; k < 2; k++) assert_int_equal(hml_motion_step(motion, 1), HML_OK);
    hml_configuration_difference(x->m->model, x->q_end, hml_motion_position(motion), out);
    for (size_t i = 0; i < n; i++) out[n + i] = hml_motion_velocity(motion)[i] - x->v_end[i];
    hml_motion_free(motion);
}

/* rows × (2n + n): Ad times what is there, and Bd for the columns of w */
static void pass_on(size_t states, size_t n, const double *Ad, const double *Bd, const double *before, double *after)
{
    const size_t columns = 3 * n;
    for (size_t r = 0; r < states; r++) {
        for (size_t c = 0; c < columns; c++) {
            double sum = c < 2 * n ? 0 : Bd[r * n + c - 2 * n];
            for (size_t k = 0; k < states; k++) sum += Ad[r * states + k] * before[k * columns + c];
            after[r * columns + c] = sum;
        }
    }
}

static void compare(const mover *m, hml_scheme scheme, double h, const double *tau, const double *wrenches)
{
    const size_t n = m->n, columns = 3 * n, most = 3 * n;
    two_steps x = {.m = m, .scheme = scheme, .h = h, .tau = tau, .wrenches = wrenches};
    double *D = calloc(3 * n * n, sizeof *D), *Ad = calloc(most * most, sizeof *Ad), *Bd = calloc(most * n, sizeof *Bd);
    double *sum[2] = {calloc(most * columns, sizeof **sum), calloc(most * columns, sizeof **sum)};
    double *scratch = calloc(hml_motion_linearize_scratch_doubles(m->model), sizeof *scratch);
    hml_motion *motion = start(&x, m->q, m->v, tau);
    const size_t states = (size_t)hml_motion_states(motion);
    hml_linearization at = {.struct_size = sizeof at};
    at.q.data = m->q, at.v.data = m->v, at.tau.data = tau, at.wrenches.data = wrenches;
    at.Dq.data = D, at.Dv.data = D + n * n, at.Minv.data = D + 2 * n * n;
    assert_int_equal(hml_linearize(m->model, m->work, &at), HML_OK);
    for (size_t i = 0; i < 2 * n; i++) sum[0][i * columns + i] = 1;
    for (size_t i = 0; states > 2 * n && i < n; i++) { /* α begins as ν̇ */
        for (size_t c = 0; c < columns; c++) sum[0][(2 * n + i) * columns + c] = D[c / n * n * n + i * n + c % n];
    }
    assert_int_equal(hml_motion_linearize(motion, scratch, Ad, Bd), HML_INVALID_ARGUMENT); /* there was no step */
    for (int k = 0; k < 2; k++) {
        assert_int_equal(hml_motion_step(motion, 1), HML_OK);
        assert_int_equal(hml_motion_linearize(motion, scratch, Ad, Bd), HML_OK);
        pass_on(states, n, Ad, Bd, sum[k], sum[1 - k]);
    }
    x.q_end = hml_motion_position(motion), x.v_end = hml_motion_velocity(motion);
    double worst = 0, size = 1;
    for (x.column = 0; x.column < columns; x.column++) {
        double out[2 * NV];
        assert_true(2 * n <= DIFFERENCE_MAX);
        difference(end_at, &x, 2 * n, out);
        for (size_t r = 0; r < 2 * n; r++) {
            const double exact = sum[0][r * columns + x.column];
            size = fmax(size, fabs(exact));
            if (!(fabs(exact - out[r]) <= worst)) worst = fabs(exact - out[r]);
        }
    }
    assert_true(worst <= 1e-9 * size);
    hml_motion_free(motion);
    free(D), free(Ad), free(Bd), free(sum[0]), free(sum[1]), free(scratch);
}

static void test_two_steps(void **state)
{
    (void)state;
    static const hml_scheme schemes[] = {HML_SCHEME_EULER, HML_SCHEME_RK2, HML_SCHEME_RK4, HML_SCHEME_ALPHA,
                                         HML_SCHEME_VARIATIONAL};
    uint64_t seed = 61;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        mover m = mover_draw(&seed, &specs[i]);
        double tau[NV], wrenches[6 * NB];
        for (size_t k = 0; k < m.n; k++) tau[k] = draw(&seed);
        for (size_t k = 0; k < 6 * NB; k++) wrenches[k] = draw(&seed);
        for (size_t k = 0; k < sizeof schemes / sizeof *schemes; k++) compare(&m, schemes[k], 0.02, tau, NULL);
        compare(&m, HML_SCHEME_ALPHA, 0.02, tau, wrenches);
        mover_close(&m);
    }
}

/* a robot that turns fast, under forces and wrenches, by long steps: what is of higher order in h shows, too */
static void compare_variational(uint64_t *seed, mover *m, double h)
{
    double tau[NV], wrenches[6 * NB];
    draw_configuration(seed, m->model, 1.0, m->q);
    for (size_t k = 0; k < m->n; k++) m->v[k] = 2 * draw(seed), tau[k] = 2 * draw(seed);
    for (size_t k = 0; k < 6 * NB; k++) wrenches[k] = draw(seed);
    compare(m, HML_SCHEME_VARIATIONAL, h, tau, wrenches);
    mover_close(m);
}

/* every joint as a root, every joint below it; springs, dampers, armature and followers */
static void test_variational(void **state)
{
    (void)state;
    static const hml_joint_type roots[] = {HML_JOINT_FREE, HML_JOINT_SPHERICAL, HML_JOINT_PLANAR, HML_JOINT_SCHOENFLIES,
                                           HML_JOINT_UNIVERSAL};
    uint64_t seed = 63;
    for (int i = 0; i < 15; i++) {
        hml_random_spec spec;
        hml_model *model = NULL;
        hml_random_spec_init(&spec);
        spec.seed = 100 + (uint64_t)i, spec.nbodies = 6, spec.shape = HML_RANDOM_ANY, spec.root = roots[i % 5];
        spec.joint_types = 0;
        for (int type = 0; type <= HML_JOINT_FREE; type++) spec.joint_types |= type == HML_JOINT_FIXED ? 0 : 1u << type;
        spec.passive = 0.5 * (i % 3), spec.mimic = 0.5;
        assert_int_equal(hml_model_random(&spec, &model), HML_OK);
        mover m = mover_of(model);
        compare_variational(&seed, &m, 0.01);
    }
}

/* the determinant of A, n × n, which is destroyed */
static double determinant(size_t n, double *A)
{
    double product = 1;
    for (size_t k = 0; k < n; k++) {
        const size_t pivot = dense_pivot(n, A, k);
        if (pivot != k) dense_exchange(n, A + k * n, A + pivot * n), product = -product;
        product *= A[k * n + k];
        for (size_t i = k + 1; i < n; i++) {
            const double f = A[i * n + k] / A[k * n + k];
            for (size_t j = k; j < n; j++) A[i * n + j] -= f * A[k * n + j];
        }
    }
    return product;
}

/* the scheme is symplectic: in (q, M ν) volumes stay, |A_d| |M(q⁺)| = |M(q)| */
static void test_volumes_stay(void **state)
{
    (void)state;
    static const hml_joint_type roots[] = {HML_JOINT_FREE, HML_JOINT_SPHERICAL, HML_JOINT_REVOLUTE};
    uint64_t seed = 65;
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
        mover m = mover_draw(&seed, &(draw_tree_spec){.nbodies = 5, .root = roots[i], .points = 1});
        const size_t n = m.n;
        double *M = calloc(n * n, sizeof *M), *Ad = calloc(4 * n * n, sizeof *Ad), *Bd = calloc(2 * n * n, sizeof *Bd);
        double *scratch = calloc(hml_motion_linearize_scratch_doubles(m.model), sizeof *scratch);
        hml_motion *motion = mover_start(&m, HML_SCHEME_VARIATIONAL, 0.05, 0, NULL);
        assert_int_equal(hml_motion_step(motion, 1), HML_OK);
        assert_int_equal(hml_motion_linearize(motion, scratch, Ad, Bd), HML_OK);
        assert_int_equal(hml_mass_matrix(m.model, m.work, m.q, M), HML_OK);
        const double before = determinant(n, M), step = determinant(2 * n, Ad);
        assert_int_equal(hml_mass_matrix(m.model, m.work, hml_motion_position(motion), M), HML_OK);
        const double after = determinant(n, M);
        assert_true(fabs(step * after - before) <= 1e-10 * before);
        hml_motion_free(motion);
        free(M), free(Ad), free(Bd), free(scratch);
        mover_close(&m);
    }
}

/* a robot that floats on springs, which push where the frame of its centre of mass has gone to; one of its joints leads */
static void test_springs_at_the_base(void **state)
{
    (void)state;
    static const hml_joint_type types[] = {HML_JOINT_FREE, HML_JOINT_REVOLUTE, HML_JOINT_SPHERICAL, HML_JOINT_HELICAL};
    static const char *const names[] = {"base", "leader", "ball", "follower"};
    uint64_t seed = 64;
    hml_builder *b = hml_builder_new();
    hml_model *model = NULL;
    for (int i = 0; i < 4; i++) {
        hml_joint_spec joint;
        hml_inertia_spec solid;
        hml_joint_spec_init(&joint, types[i]);
        joint.name = names[i], joint.pitch = 0.1;
        for (int k = 0; k < 6; k++) joint.stiffness[k] = i == 0 ? 30 + 10 * draw(&seed) : 3;
        for (int k = 0; k < 3; k++) joint.axis[k] = draw(&seed), joint.position[k] = i ? 0.4 * draw(&seed) : 0;
        if (i == 3) joint.mimic = "leader", joint.multiplier = -1.5, joint.offset = 0.2;
        draw_inertia(&seed, &solid);
        assert_int_equal(hml_builder_add_body(b, names[i], i ? names[i - 1] : NULL, &joint, &solid, NULL), HML_OK);
    }
    assert_int_equal(hml_builder_build(b, 0, &model, NULL), HML_OK);
    hml_builder_free(b);
    mover m = mover_of(model);
    compare_variational(&seed, &m, 0.05);
}

static void test_what_it_refuses(void **state)
{
    (void)state;
    uint64_t seed = 62;
    mover m = mover_draw(&seed, &specs[0]);
    double *scratch = calloc(hml_motion_linearize_scratch_doubles(m.model), sizeof *scratch);
    double *A = calloc(9 * m.n * m.n, sizeof *A), *B = calloc(3 * m.n * m.n, sizeof *B);
    const hml_forces pushed = {.struct_size = sizeof pushed, .function = mover_push, .context = &m};
    const struct {
        hml_scheme scheme;
        const hml_forces *forces;
    } cases[] = {{HML_SCHEME_DOPRI5, NULL},
                 {HML_SCHEME_MOMENTUM, NULL},
                 {HML_SCHEME_ALPHA, &pushed},
                 {HML_SCHEME_VARIATIONAL, &pushed}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hml_motion *motion = mover_start(&m, cases[i].scheme, 0.01, 0, cases[i].forces);
        assert_int_equal(hml_motion_step(motion, 1), HML_OK);
        assert_int_equal(hml_motion_linearize(motion, scratch, A, B), HML_UNSUPPORTED);
        assert_int_equal(hml_motion_linearize(motion, NULL, A, B), HML_INVALID_ARGUMENT);
        assert_int_equal(hml_motion_linearize(motion, scratch, NULL, B), HML_INVALID_ARGUMENT);
        hml_motion_free(motion);
    }
    assert_int_equal(hml_motion_linearize(NULL, scratch, A, B), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_motion_states(NULL), 0);
    assert_int_equal(hml_motion_linearize_scratch_doubles(NULL), 0);
    free(scratch), free(A), free(B);
    mover_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_two_steps), cmocka_unit_test(test_variational),
                                       cmocka_unit_test(test_volumes_stay), cmocka_unit_test(test_springs_at_the_base),
                                       cmocka_unit_test(test_what_it_refuses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
