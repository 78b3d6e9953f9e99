/*
 * The linearization of held robots in minimal coordinates against the full one: at rest it is a projection of it. In
 * motion the basis moves, and its rate is taken by differences of fourth order along the motion: A Φ − Φ̇ = Φ A_r holds
 * in all 2 nv rows, so that perturbations that keep the constraints go on to keep them.
 */
#include "dynamics_check.h"

#include "hamel/hamel.h"
#include "model_fixture.h"

enum { ROWS = 24, FEET = 4 };

typedef struct full {
    double A[4 * NV * NV], B[2 * NV * NV], a[NV];
} full;

typedef struct reduced {
    double Z[NV * NV], X[NV * NV], P[NV * NV], A[4 * NV * NV], B[2 * NV * NV];
} reduced;

typedef struct held_robot {
    robot r;
    hml_constraint items[FEET];
    hml_loop loops[2];
    hml_constraints set;
    double *scratch;
    int32_t freedom;
} held_robot;

static void held_open(held_robot *h, uint64_t *seed, const draw_tree_spec *spec, int count, int kinds)
{
    robot_take(&h->r, draw_tree(seed, spec), HML_ISA_BEST);
    robot_state(&h->r, seed);
    memset(h->items, 0, sizeof h->items);
    for (int i = 0; i < count; i++, kinds /= 3) {
        const int32_t nframes = hml_model_nframes(h->r.model);
        const double pick = (draw(seed) + 1) / 2 * nframes;
        hml_constraint *c = &h->items[i];
        c->kind = (hml_constraint_kind)(kinds % 3);
        c->frame = pick < nframes - 1 ? (int32_t)pick : nframes - 1;
        for (int k = 0; k < 3; k++) c->normal[k] = k + draw(seed);
        c->damping = i; /* has no part in the result */
    }
    h->set = (hml_constraints){.struct_size = sizeof h->set, .items = h->items, .count = count};
    h->scratch = malloc(hml_constraint_scratch_doubles(h->r.model, &h->set) * sizeof(double));
    assert_non_null(h->scratch);
}

static void held_close(held_robot *h)
{
    free(h->scratch);
    robot_close(&h->r);
}

/* the velocity that is left of the robot's own when the constraints come into force */
static int keep_constraints(held_robot *h)
{
    robot *r = &h->r;
    return !hml_constrained_impulse(r->model, r->work, &h->set, h->scratch,
                                    &HML_STRUCT(hml_constrained_impact, .q = r->q, .v = r->v, .v_next = r->v));
}

static hml_status reduce(held_robot *h, const double *q, const double *v, reduced *out)
{
    hml_constrained_reduction x = {.struct_size = sizeof x, .q = q, .v = v, .tau = h->r.tau};
    x.wrenches = h->r.wrenches;
    x.freedom = h->freedom;
    x.Z = out->Z, x.X = out->X, x.P = out->P, x.A = out->A, x.B = out->B;
    memset(out, 0xff, sizeof *out); /* NaN where nothing is written */
    return hml_constrained_reduce(h->r.model, h->r.work, &h->set, h->scratch, &x);
}

static hml_status linearize(held_robot *h, full *out)
{
    hml_constrained_linearization x = {.struct_size = sizeof x, .q = h->r.q, .v = h->r.v, .tau = h->r.tau};
    x.wrenches = h->r.wrenches;
    x.A = out->A, x.B = out->B, x.acceleration = out->a;
    return hml_constrained_linearize(h->r.model, h->r.work, &h->set, h->scratch, &x);
}

/* C += s A B; A: rows × n, B: n × columns, rows of C are ld apart */
static void add_product(size_t rows, size_t n, size_t columns, double s, const double *A, const double *B, double *C,
                        size_t ld)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < n; j++)
            for (size_t k = 0; k < columns; k++) C[i * ld + k] += s * A[i * n + j] * B[j * columns + k];
}

/* Φ = [ Z 0 ; X Z ] turned by R: r × r, or not turned; 2n × 2r */
static void fill_phi(size_t n, size_t r, const reduced *x, const double *R, double *phi)
{
    double identity[NV * NV];
    for (size_t i = 0; i < r * r; i++) identity[i] = i % (r + 1) == 0;
    memset(phi, 0, 4 * n * r * sizeof *phi);
    add_product(n, r, r, 1, x->Z, R ? R : identity, phi, 2 * r);
    add_product(n, r, r, 1, x->X, R ? R : identity, phi + 2 * r * n, 2 * r);
    add_product(n, r, r, 1, x->Z, R ? R : identity, phi + 2 * r * n + r, 2 * r);
}

/*
 * Φ̇ of the basis that is the projection of this one, along q ⊕ t ν and ν + t ν̇: the rate of what a smooth function has
 * along a line is that along the motion. 0: somewhere there the rank is another.
 */
static int rate_of_phi(held_robot *h, const full *f, const reduced *here, double *rate)
{
    static const double steps[4] = {-2, -1, 1, 2}, weights[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
    static reduced there;
    static double phi[4 * NV * NV];
    const size_t n = h->r.nv, r = (size_t)h->freedom;
    const double step = 1e-4;
    memset(rate, 0, 4 * n * r * sizeof *rate);
    for (int s = 0; s < 4; s++) {
        double q[NQ], v[NV], move[NV], R[NV * NV] = {0};
        for (size_t i = 0; i < n; i++) move[i] = steps[s] * step * h->r.v[i];
        for (size_t i = 0; i < n; i++) v[i] = h->r.v[i] + steps[s] * step * f->a[i];
        assert_int_equal(hml_configuration_integrate(h->r.model, h->r.q, move, q), HML_OK);
        if (reduce(h, q, v, &there)) return 0;
        add_product(r, n, r, 1, there.P, here->Z, R, r);
        fill_phi(n, r, &there, R, phi);
        for (size_t i = 0; i < 4 * n * r; i++) rate[i] += weights[s] / step * phi[i];
    }
    return 1;
}

static void assert_small(const char *what, const double *x, size_t n, double size, double tolerance)
{
    double most = 0;
    for (size_t i = 0; i < n; i++)
        if (!(fabs(x[i]) <= most)) most = fabs(x[i]); /* NaN stays */
    if (!(most <= tolerance * size)) fail_msg("%s is %g of %g, more than %g", what, most, size, tolerance);
}

static double size_of(const double *x, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

/* J Z = 0, ZᵀM Z = 1, P = ZᵀM, P X = 0, B = [0; Zᵀ] = [0; P D_τ] */
static void assert_basis(held_robot *h, const full *f, const reduced *x)
{
    static double M[NV * NV], P[NV * NV], one[NV * NV], B[NV * NV];
    const size_t n = h->r.nv, r = (size_t)h->freedom;
    memset(P, 0, sizeof P), memset(one, 0, sizeof one), memset(B, 0, sizeof B);
    assert_int_equal(hml_mass_matrix(h->r.model, h->r.work, h->r.q, M), HML_OK);
    for (size_t i = 0; i < r * n; i++)
        for (size_t k = 0; k < n; k++) P[i] += x->Z[k * r + i / n] * M[k * n + i % n];
    assert_near("P", x->P, P, r * n, 1e-10);
    add_product(r, n, r, 1, x->P, x->Z, one, r);
    for (size_t i = 0; i < r * r; i++) one[i] -= i % (r + 1) == 0;
    assert_small("ZᵀM Z − 1", one, r * r, 1, 1e-9);
    memset(one, 0, sizeof one);
    add_product(r, n, r, 1, x->P, x->X, one, r);
    assert_small("P X", one, r * r, 1 + size_of(x->P, r * n) * size_of(x->X, r * n), 1e-9);
    add_product(r, n, n, 1, x->P, f->B + n * n, B, n);
    assert_near("B", x->B + r * n, B, r * n, 1e-8);
    for (size_t i = 0; i < r * n; i++) assert_true(x->B[i] == 0);
    for (int32_t i = 0; i < h->set.count; i++) {
        static double J[6 * NV], held[6 * NV];
        const hml_constraint *c = &h->items[i];
        hml_frame_motion m = {.struct_size = sizeof m, .J = J};
        const hml_representation rep = c->kind == HML_HOLD_FRAME ? HML_LEFT : HML_MIXED;
        assert_int_equal(hml_frame(h->r.model, h->r.work, c->frame, rep, h->r.q, NULL, NULL, &m), HML_OK);
        for (size_t k = 0; c->kind == HML_HOLD_PLANE && k < n; k++)
            J[k] = c->normal[0] * J[k] + c->normal[1] * J[n + k] + c->normal[2] * J[2 * n + k];
        const size_t rows = c->kind == HML_HOLD_FRAME ? 6 : c->kind == HML_HOLD_POINT ? 3 : 1;
        memset(held, 0, sizeof held);
        add_product(rows, n, r, 1, J, x->Z, held, r);
        assert_small("J Z", held, rows * r, 1 + size_of(J, rows * n) * size_of(x->Z, n * r), 1e-9);
    }
}

/* A Φ − Φ̇ = Φ (A_r − diag(Ω, Ω)): Ω is by how much this basis turns more than the projected one */
static int compare_rates(held_robot *h)
{
    static full f;
    static reduced x;
    static double phi[4 * NV * NV], rate[4 * NV * NV], left[4 * NV * NV];
    robot *r = &h->r;
    const size_t n = r->nv;
    if (!keep_constraints(h)) return 0;
    assert_int_equal(hml_constrained_freedom(r->model, r->work, &h->set, h->scratch, r->q, &h->freedom), HML_OK);
    const size_t d = (size_t)h->freedom;
    const hml_status status = linearize(h, &f);
    assert_int_equal(reduce(h, r->q, r->v, &x), status);
    if (status == HML_INCONSISTENT) return 0; /* rows at a joint's end that no acceleration keeps */
    assert_int_equal(status, HML_OK);
    assert_basis(h, &f, &x);
    if (d == 0 || !rate_of_phi(h, &f, &x, rate)) return 0;
    fill_phi(n, d, &x, NULL, phi);
    memset(left, 0, sizeof left);
    add_product(2 * n, 2 * n, 2 * d, 1, f.A, phi, left, 2 * d);
    const double size = 1 + size_of(left, 4 * n * d) + size_of(rate, 4 * n * d);
    /* Ω = N − P Ż with N = −P ad_ν Z, which the upper half of A knows: P(−ad_ν Z − Ż) = P times the upper left */
    double omega[NV * NV] = {0}, Ar[4 * NV * NV];
    static double moved[NV * NV];
    for (size_t i = 0; i < n * d; i++) {
        const size_t row = i / d, k = i % d;
        moved[i] = -rate[row * 2 * d + k];
        for (size_t j = 0; j < n; j++) moved[i] += f.A[row * 2 * n + j] * x.Z[j * d + k];
    }
    add_product(d, n, d, 1, x.P, moved, omega, d);
    memcpy(Ar, x.A, sizeof Ar);
    for (size_t i = 0; i < d * d; i++) {
        Ar[i / d * 2 * d + i % d] += omega[i];
        Ar[(d + i / d) * 2 * d + d + i % d] += omega[i];
    }
    for (size_t i = 0; i < 4 * n * d; i++) left[i] -= rate[i];
    add_product(2 * n, 2 * d, 2 * d, -1, phi, Ar, left, 2 * d);
    assert_small("A Φ − Φ̇ − Φ A_r", left, 4 * n * d, size, 1e-7);
    return 1;
}

static void test_moving_robots(void **state)
{
    (void)state;
    static held_robot h;
    uint64_t seed = 21;
    for (size_t i = 0; i < ROBOT_SPECS; i++) {
        int compared = 0;
        for (int k = 0; k < 27; k++) {
            held_open(&h, &seed, &robot_specs[i], k % 4, k);
            compared += compare_rates(&h);
            held_close(&h);
        }
        assert_in_range(compared, i == 0 ? 5 : 9, 27);
    }
}

/* the same rows twice: the same motions are left */
static void test_redundant_rows(void **state)
{
    (void)state;
    static held_robot h;
    static const draw_tree_spec spec = {.nbodies = 12, .root = HML_JOINT_FREE, .one_dof = 1};
    uint64_t seed = 4;
    int compared = 0;
    for (int k = 0; k < 6; k++) {
        held_open(&h, &seed, &spec, 2, k);
        int32_t once, twice;
        assert_int_equal(hml_constrained_freedom(h.r.model, h.r.work, &h.set, h.scratch, h.r.q, &once), HML_OK);
        h.items[2] = h.items[0];
        h.set.count = 3;
        h.scratch = realloc(h.scratch, hml_constraint_scratch_doubles(h.r.model, &h.set) * sizeof(double));
        assert_int_equal(hml_constrained_freedom(h.r.model, h.r.work, &h.set, h.scratch, h.r.q, &twice), HML_OK);
        assert_int_equal(once, twice);
        compared += compare_rates(&h);
        held_close(&h);
    }
    assert_in_range(compared, 3, 6);
}

/* loops beside a hold: two points of a tree tied to each other, or two frames, a plane, a rod */
static void test_loops(void **state)
{
    (void)state;
    static held_robot h;
    static const hml_constraint_kind kinds[] = {HML_HOLD_POINT, HML_HOLD_FRAME, HML_HOLD_PLANE, HML_HOLD_DISTANCE};
    static const draw_tree_spec spec = {.nbodies = 12, .root = HML_JOINT_FREE, .one_dof = 1};
    uint64_t seed = 31;
    int compared = 0;
    for (int k = 0; k < 8; k++) {
        held_open(&h, &seed, &spec, 1, k);
        const int32_t nframes = hml_model_nframes(h.r.model);
        for (int i = 0; i < 2; i++) {
            h.loops[i] = (hml_loop){.kind = kinds[(k + i) % 4], .normal = {0, 1, 2}, .distance = 1, .damping = 3};
            h.loops[i].frame = nframes - 1 - i, h.loops[i].other = (k + 3 * i) % (nframes - 2);
        }
        h.set.loops = h.loops, h.set.loop_count = 1 + k / 4;
        h.scratch = realloc(h.scratch, hml_constraint_scratch_doubles(h.r.model, &h.set) * sizeof(double));
        compared += compare_rates(&h);
        held_close(&h);
    }
    assert_in_range(compared, 6, 8);
}

static void test_at_rest(void **state)
{
    (void)state;
    static held_robot h;
    static full f;
    static reduced x;
    static double half[4 * NV * NV], want[4 * NV * NV];
    static const draw_tree_spec spec = {.nbodies = 12, .root = HML_JOINT_FREE, .one_dof = 1};
    uint64_t seed = 9;
    for (int k = 0; k < 9; k++) {
        held_open(&h, &seed, &spec, 2, k);
        memset(h.r.v, 0, sizeof h.r.v);
        const size_t n = h.r.nv;
        assert_int_equal(hml_constrained_freedom(h.r.model, h.r.work, &h.set, h.scratch, h.r.q, &h.freedom), HML_OK);
        const size_t d = (size_t)h.freedom;
        assert_int_equal(linearize(&h, &f), HML_OK);
        assert_int_equal(reduce(&h, h.r.q, h.r.v, &x), HML_OK);
        for (size_t i = 0; i < n * d; i++) assert_true(x.X[i] == 0);
        static double phi[4 * NV * NV];
        fill_phi(n, d, &x, NULL, phi);
        memset(half, 0, sizeof half), memset(want, 0, sizeof want);
        add_product(2 * n, 2 * n, 2 * d, 1, f.A, phi, half, 2 * d);
        add_product(d, n, 2 * d, 1, x.P, half, want, 2 * d);
        add_product(d, n, 2 * d, 1, x.P, half + 2 * d * n, want + 2 * d * d, 2 * d);
        assert_near("A", x.A, want, 4 * d * d, 1e-9);
        held_close(&h);
    }
}

static void test_refusals(void **state)
{
    (void)state;
    static held_robot h;
    static reduced x;
    static const draw_tree_spec spec = {.nbodies = 12, .root = HML_JOINT_FREE, .one_dof = 1};
    uint64_t seed = 6;
    int32_t freedom = -1;
    held_open(&h, &seed, &spec, 2, 4); /* two points */
    robot *r = &h.r;
    assert_int_equal(hml_constrained_freedom(r->model, r->work, &h.set, h.scratch, r->q, &h.freedom), HML_OK);
    assert_int_equal(reduce(&h, r->q, r->v, &x), HML_INCONSISTENT); /* the feet move */
    assert_true(keep_constraints(&h));
    assert_int_equal(reduce(&h, r->q, r->v, &x), HML_OK);
    h.freedom++;
    assert_int_equal(reduce(&h, r->q, r->v, &x), HML_INVALID_ARGUMENT);
    h.freedom--;
    r->tau[2] = NAN;
    assert_int_equal(reduce(&h, r->q, r->v, &x), HML_NOT_FINITE);
    r->tau[2] = 0;
    assert_int_equal(reduce(&h, r->q, NULL, &x), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_constrained_freedom(r->model, r->work, &h.set, h.scratch, NULL, &freedom),
                     HML_INVALID_ARGUMENT);
    assert_int_equal(hml_constrained_freedom(r->model, r->work, &h.set, h.scratch, r->q, NULL), HML_INVALID_ARGUMENT);
    h.items[1].kind = HML_TOUCH_PLANE;
    free(h.scratch);
    h.scratch = malloc(hml_constraint_scratch_doubles(r->model, &h.set) * sizeof(double));
    assert_int_equal(hml_constrained_freedom(r->model, r->work, &h.set, h.scratch, r->q, &freedom), HML_UNSUPPORTED);
    assert_int_equal(reduce(&h, r->q, r->v, &x), HML_UNSUPPORTED);
    assert_int_equal(freedom, -1);
    held_close(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_moving_robots), cmocka_unit_test(test_redundant_rows), cmocka_unit_test(test_loops),
        cmocka_unit_test(test_at_rest),       cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
