/*
 * The derivatives of steps of motions against differences of the motions. Two steps, one after the other: their product
 * passes on what the scheme carries along, which differences see from outside.
 */
#include "difference.h"
#include "motion_check.h"

static const draw_tree_spec specs[] = {
    {.nbodies = 5, .root = HML_JOINT_FREE},
    {.nbodies = 5, .root = HML_JOINT_SPHERICAL, .points = 1},
    {.nbodies = 4, .root = HML_JOINT_SCHOENFLIES, .passive = 1},
};

static const double h = 0.02;

typedef struct two_steps {
    const mover *m;
    hml_scheme scheme;
    const double *tau, *wrenches, *q_end, *v_end;
    size_t column; /* of (z_q, z_ν, w) */
} two_steps;

static hml_motion *start(const two_steps *x, const double *q, const double *v, const double *tau)
{
    const hml_forces forces = {.struct_size = sizeof forces, .tau = tau, .wrenches = x->wrenches};
    mover m = *x->m;
    memcpy(m.q, q, m.nq * sizeof *q), memcpy(m.v, v, m.n * sizeof *v);
    return mover_start(&m, x->scheme, h, 0, &forces);
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

static void compare(const mover *m, hml_scheme scheme, const double *tau, const double *wrenches)
{
    const size_t n = m->n, columns = 3 * n, most = 3 * n;
    two_steps x = {.m = m, .scheme = scheme, .tau = tau, .wrenches = wrenches};
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
    static const hml_scheme schemes[] = {HML_SCHEME_EULER, HML_SCHEME_RK2, HML_SCHEME_RK4, HML_SCHEME_ALPHA};
    uint64_t seed = 61;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        mover m = mover_draw(&seed, &specs[i]);
        double tau[NV], wrenches[6 * NB];
        for (size_t k = 0; k < m.n; k++) tau[k] = draw(&seed);
        for (size_t k = 0; k < 6 * NB; k++) wrenches[k] = draw(&seed);
        for (size_t k = 0; k < sizeof schemes / sizeof *schemes; k++) compare(&m, schemes[k], tau, NULL);
        compare(&m, HML_SCHEME_ALPHA, tau, wrenches);
        mover_close(&m);
    }
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
    } cases[] = {{HML_SCHEME_DOPRI5, NULL}, {HML_SCHEME_MOMENTUM, NULL}, {HML_SCHEME_ALPHA, &pushed}};
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_two_steps), cmocka_unit_test(test_what_it_refuses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
