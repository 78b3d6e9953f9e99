/*
 * The linearization of one state in lanes, and M⁻¹ (kernel/single/linearize.h) against the scalar kernel, which shares
 * no pass and no solver with it: every joint type and root, blocks of every width, forests, springs and wrenches,
 * results that nobody wants. That the lanes did the work is asserted as well.
 */
#include "dynamics_check.h"

#include "algo/work.h"
#include "hamel/linearize.h"
#include "hamel/random.h"

enum { LARGE = 160 };

typedef struct results {
    double a[LARGE], Dq[LARGE * LARGE], Dv[LARGE * LARGE], Minv[LARGE * LARGE];
} results;

static results lanes, scalar, part;

static kernel_choice choice_of(const hml_model *model)
{
    kernel_choice choice;
    assert_true(hmli_kernel_choose(model_plan(model), 0, HML_ISA_BEST, &choice));
    return choice;
}

static kernel_call call_of(const hml_work *work, const double *q, const double *v, const double *tau, results *x)
{
    const size_t nv = (size_t)hml_model_nv(work->model);
    kernel_call call;
    work_call(work, &call);
    call.q.data = q, call.v.data = v, call.tau.data = tau;
    call.acceleration.data = x->a;
    call.Dq.data = x->Dq, call.Dv.data = x->Dv, call.Minv.data = x->Minv;
    call.Dq.ld = call.Dv.ld = call.Minv.ld = nv;
    return call;
}

/* largest sum of a row's magnitudes */
static double norm(const double *x, size_t n)
{
    double largest = 0;
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t k = 0; k < n; k++) sum += fabs(x[i * n + k]);
        largest = fmax(largest, sum);
    }
    return largest;
}

/* how far two eliminations may be apart: what the condition of M makes of a few roundings, and a few hundred more */
static double tolerance_of(const hml_model *model, hml_work *work, const double *q, const double *Minv)
{
    static double M[LARGE * LARGE];
    const size_t nv = (size_t)hml_model_nv(model);
    assert_int_equal(hml_mass_matrix(model, work, q, M), HML_OK);
    return 1e-13 + 32 * 0x1p-52 * norm(M, nv) * norm(Minv, nv);
}

static void assert_same(const results *x, const results *y, size_t nv, double tolerance)
{
    assert_near("acceleration", x->a, y->a, nv, tolerance);
    assert_near("D_q", x->Dq, y->Dq, nv * nv, tolerance);
    assert_near("D_v", x->Dv, y->Dv, nv * nv, tolerance);
    assert_near("the inverse of M", x->Minv, y->Minv, nv * nv, tolerance);
}

/* on every instruction set with lanes for one state */
static void compare(const hml_model *model, const double *q, const double *v, const double *tau, const double *wrenches)
{
    static const hml_isa sets[] = {HML_ISA_128, HML_ISA_AVX2, HML_ISA_AVX512};
    const size_t nv = (size_t)hml_model_nv(model);
    hml_work *work;
    assert_int_equal(hml_work_new(model, HML_ISA_SCALAR, HML_USE_FACTOR, &work), HML_OK);
    kernel_call call = call_of(work, q, v, tau, &scalar);
    call.wrenches.data = wrenches;
    assert_int_equal(work->choice.fallback->pack_linearize(&call), 0);
    const double tolerance = tolerance_of(model, work, q, scalar.Minv);
    hml_work_free(work);
    for (int i = 0; i < 3; i++) {
        if (!hml_isa_available(sets[i])) continue;
        assert_int_equal(hml_work_new(model, sets[i], HML_USE_FACTOR, &work), HML_OK);
        const kernel_table *tables[] = {work->choice.single,
                                        work->choice.batch}; /* the second has them for long chains */
        for (int k = 0; k < 2; k++) {
            call = call_of(work, q, v, tau, &lanes);
            call.wrenches.data = wrenches;
            assert_non_null(tables[k]->single_linearize);
            memset(&lanes, 0xff, sizeof lanes); /* NaN where nothing is written */
            assert_int_equal(tables[k]->single_linearize(&call), 0);
            assert_same(&lanes, &scalar, nv, tolerance);
            memset(&lanes, 0xff, sizeof lanes);
            call.v.data = NULL, call.tau.data = NULL;
            assert_int_equal(tables[k]->single_inverse_mass_matrix(&call), 0);
            assert_near("the inverse of M alone", lanes.Minv, scalar.Minv, nv * nv, tolerance);
        }
        hml_work_free(work);
    }
}

static void compare_random(const hml_random_spec *spec)
{
    static double q[2 * LARGE], v[LARGE], tau[LARGE], wrenches[6 * LARGE];
    hml_model *model;
    uint64_t seed = spec->seed + 5;
    assert_int_equal(hml_model_random(spec, &model), HML_OK);
    assert_in_range(hml_model_nv(model), 1, LARGE);
    draw_configuration(&seed, model, 1.0, q);
    for (int i = 0; i < hml_model_nv(model); i++) v[i] = draw(&seed), tau[i] = 5 * draw(&seed);
    for (int i = 0; i < 6 * hml_model_nbodies(model); i++) wrenches[i] = draw(&seed);
    if (hml_model_nv(model) > 2) compare(model, q, v, tau, spec->seed % 3 ? NULL : wrenches);
    hml_model_free(model);
}

/* legs, arms and chains whose blocks fit one pack, lie astride two, fill many; all revolute or of every type */
static void test_trees_of_every_shape(void **state)
{
    (void)state;
    static const hml_joint_type roots[] = {HML_JOINT_FREE, HML_JOINT_FIXED, HML_JOINT_REVOLUTE};
    static const int32_t sizes[] = {1, 2, 5, 8, 9, 13, 17, 30, 44};
    hml_random_spec spec;
    hml_random_spec_init(&spec);
    for (size_t size = 0; size < sizeof sizes / sizeof *sizes; size++) {
        for (int shape = HML_RANDOM_ANY; shape <= HML_RANDOM_STAR; shape++) {
            for (int root = 0; root < 3; root++) {
                spec.nbodies = sizes[size];
                spec.shape = (hml_random_shape)shape;
                spec.branches = 2 + shape % 3;
                spec.root = roots[root];
                spec.joint_types = 1u << HML_JOINT_REVOLUTE;
                spec.passive = spec.seed % 2 && root ? 0.5 : 0;
                if (sizes[size] > 1 || roots[root] != HML_JOINT_FIXED) compare_random(&spec);
                spec.joint_types = 1u << HML_JOINT_REVOLUTE | 1u << HML_JOINT_PRISMATIC | 1u << HML_JOINT_SPHERICAL |
                                   1u << HML_JOINT_CYLINDRICAL | 1u << HML_JOINT_PLANAR | 1u << HML_JOINT_HELICAL |
                                   1u << HML_JOINT_SCHOENFLIES | 1u << HML_JOINT_UNIVERSAL |
                                   1u << HML_JOINT_TRANSLATION2;
                if (sizes[size] > 1 && sizes[size] < 40) compare_random(&spec);
                spec.seed++;
            }
        }
    }
}

/* a chain too long for sets of 64 columns, and legs whose results are too large for the caches */
static void test_a_long_chain(void **state)
{
    (void)state;
    hml_random_spec spec;
    hml_random_spec_init(&spec);
    spec.nbodies = 100, spec.shape = HML_RANDOM_CHAIN, spec.length = 0.05;
    compare_random(&spec);
    spec.nbodies = 141, spec.shape = HML_RANDOM_LEGGED, spec.branches = 4;
    compare_random(&spec);
    spec.nbodies = 151, spec.root = HML_JOINT_FIXED, spec.passive = 0.5, spec.seed = 3;
    compare_random(&spec);
}

/* long and branching, joints of every type and free ones among them, forests: those that sweeps take */
static const draw_tree_spec long_specs[] = {
    {.nbodies = 40, .root = HML_JOINT_FREE},
    {.nbodies = 60, .root = HML_JOINT_FREE, .one_dof = 1, .points = 1},
    {.nbodies = 60, .root = HML_JOINT_REVOLUTE, .one_dof = 1, .passive = 1},
    {.nbodies = 40, .root = HML_JOINT_PLANAR, .points = 1},
    {.nbodies = 40, .root = HML_JOINT_SPHERICAL, .passive = 1, .points = 1},
    {.nbodies = 44, .root = HML_JOINT_SCHOENFLIES, .forest = 1, .points = 1},
    {.nbodies = 70, .root = HML_JOINT_FREE, .forest = 1, .one_dof = 1},
};
enum { LONG_SPECS = sizeof long_specs / sizeof *long_specs };

typedef struct long_state {
    double q[2 * LARGE], v[LARGE], tau[LARGE], wrenches[6 * LARGE];
} long_state;

static void draw_state(uint64_t *seed, const hml_model *model, long_state *x)
{
    draw_configuration(seed, model, 1.0, x->q);
    for (int i = 0; i < hml_model_nv(model); i++) x->v[i] = draw(seed), x->tau[i] = 5 * draw(seed);
    for (int i = 0; i < 6 * hml_model_nbodies(model); i++) x->wrenches[i] = draw(seed);
}

/* a long robot with any wanted spec, of a size that fits; one_by_one: and so long that batches go state by state */
static hml_model *draw_long(uint64_t *seed, const draw_tree_spec *spec, int one_by_one)
{
    for (int i = 0; i < 1000; i++) {
        hml_model *model = draw_tree(seed, spec);
        assert_non_null(model);
        kernel_choice choice = choice_of(model);
        one_by_one = one_by_one && choice.single->single_linearize; /* nothing to go through without lanes */
        if (hml_model_nv(model) <= LARGE && choice.long_chain && choice.one_by_one >= one_by_one) return model;
        hml_model_free(model);
    }
    fail_msg("no long robot among 1000");
    return NULL;
}

static void test_long_paths(void **state)
{
    (void)state;
    static long_state x;
    uint64_t seed = 6;
    for (int i = 0; i < 4 * LONG_SPECS; i++) {
        hml_model *model = draw_long(&seed, &long_specs[i % LONG_SPECS], 0);
        draw_state(&seed, model, &x);
        compare(model, x.q, x.v, x.tau, i % 2 ? x.wrenches : NULL);
        hml_model_free(model);
    }
}

/* states of a batch are taken one by one there: bit for bit those of single calls, a bad one changes no other */
static void test_long_paths_in_batches(void **state)
{
    (void)state;
    enum { N = 11, BAD = 4 };
    static long_state x[N];
    static results one;
    uint64_t seed = 7;
    hml_model *model = draw_long(&seed, &long_specs[0], 1);
    const size_t nv = (size_t)hml_model_nv(model), stride = sizeof *x / sizeof(double), size = nv * nv * sizeof(double);
    for (int i = 0; i < N; i++) draw_state(&seed, model, &x[i]);
    x[BAD].q[nv + 1] = NAN;
    results *all = calloc(N, sizeof *all);
    double *Minv = calloc(N, size);
    hml_work *work;
    hml_status status[N], again[N];
    assert_non_null(all), assert_non_null(Minv);
    assert_int_equal(hml_work_new(model, HML_ISA_BEST, HML_USE_ALL, &work), HML_OK);
    hml_linearization out = {.struct_size = sizeof out};
    out.q.data = x->q, out.v.data = x->v, out.tau.data = x->tau;
    out.q.stride = out.v.stride = out.tau.stride = stride;
    out.acceleration.data = all->a, out.Dq.data = all->Dq, out.Dv.data = all->Dv, out.Minv.data = all->Minv;
    out.acceleration.stride = out.Dq.stride = out.Dv.stride = out.Minv.stride = sizeof *all / sizeof(double);
    assert_int_equal(hml_linearize_batch(model, work, N, &out, status), HML_NOT_FINITE);
    hml_dynamics_states dynamics = {.struct_size = sizeof dynamics};
    dynamics.q = out.q;
    dynamics.Minv.data = Minv;
    assert_int_equal(hml_dynamics_batch(model, work, N, &dynamics, again), HML_NOT_FINITE);
    for (int i = 0; i < N; i++) {
        assert_int_equal(status[i], i == BAD ? HML_NOT_FINITE : HML_OK);
        assert_int_equal(again[i], status[i]);
        if (i == BAD) {
            assert_true(isnan(all[i].Dq[0]) && isnan(all[i].a[nv - 1]) && isnan(Minv[(size_t)i * nv * nv + 1]));
            continue;
        }
        hml_linearization single = {.struct_size = sizeof single};
        single.q.data = x[i].q, single.v.data = x[i].v, single.tau.data = x[i].tau;
        single.acceleration.data = one.a, single.Dq.data = one.Dq, single.Dv.data = one.Dv;
        single.Minv.data = one.Minv;
        assert_int_equal(hml_linearize(model, work, &single), HML_OK);
        if (work->choice.single->single_linearize) {
            assert_memory_equal(all[i].Dq, one.Dq, size), assert_memory_equal(all[i].Dv, one.Dv, size);
            assert_memory_equal(all[i].Minv, one.Minv, size), assert_memory_equal(all[i].a, one.a, nv * sizeof(double));
        }
        assert_near("the inverse of M in a batch", Minv + (size_t)i * nv * nv, one.Minv, nv * nv, 1e-9);
    }
    free(all), free(Minv);
    hml_work_free(work);
    hml_model_free(model);
}

/* armature, damping and springs on a free root are the scalar kernel's */
static int has_bound_root(const robot *r)
{
    const hml_plan *plan = model_plan(r->model);
    int base = 0;
    for (int32_t i = 0; i < plan->ntrees; i++) base |= plan_trees(plan)[i].base;
    return plan->passive && base;
}

static void test_every_root_and_forests(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int i = 0; i < 10 * ROBOT_SPECS; i++) {
        robot r;
        robot_open(&r, &seed, &robot_specs[i % ROBOT_SPECS]);
        if (!has_bound_root(&r)) compare(r.model, r.q, r.v, r.tau, r.wrenches);
        robot_close(&r);
    }
}

/* a result that is not wanted changes no other, and rows may lie further apart */
static void check_results_one_by_one(const hml_model *model, const double *q, const double *v, const double *tau)
{
    const size_t nv = (size_t)hml_model_nv(model), ld = nv + 3;
    hml_work *work;
    assert_int_equal(hml_work_new(model, HML_ISA_BEST, HML_USE_FACTOR, &work), HML_OK);
    compare(model, q, v, tau, NULL);
    for (int want = 0; want < 8 && work->choice.single->single_linearize; want++) {
        kernel_call call = call_of(work, q, v, tau, &part);
        memset(&part, 0, sizeof part);
        if (!(want & 1)) call.Dq.data = NULL;
        if (!(want & 2)) call.Dv.data = NULL;
        if (!(want & 4)) call.Minv.data = NULL;
        assert_int_equal(work->choice.single->single_linearize(&call), 0);
        if (want & 1) assert_near("D_q alone", part.Dq, scalar.Dq, nv * nv, 1e-10);
        if (want & 2) assert_near("D_v alone", part.Dv, scalar.Dv, nv * nv, 1e-10);
        if (want & 4) assert_near("the inverse of M alone", part.Minv, scalar.Minv, nv * nv, 1e-10);
        assert_near("acceleration", part.a, scalar.a, nv, 1e-10);
    }
    if (work->choice.single->single_linearize) {
        kernel_call call = call_of(work, q, v, tau, &part);
        memset(&part, 0, sizeof part);
        for (size_t i = 0; i < LARGE * LARGE; i++) part.Dq[i] = part.Dv[i] = part.Minv[i] = 7;
        call.Dq.ld = call.Dv.ld = call.Minv.ld = ld;
        assert_int_equal(work->choice.single->single_linearize(&call), 0);
        for (size_t i = 0; i < nv; i++) {
            assert_near("a row of D_q", part.Dq + i * ld, scalar.Dq + i * nv, nv, 1e-9);
            assert_near("a row of D_v", part.Dv + i * ld, scalar.Dv + i * nv, nv, 1e-9);
            for (size_t k = i * ld + nv; k < (i + 1) * ld; k++)
                assert_true(part.Dq[k] == 7 && part.Dv[k] == 7 && part.Minv[k] == 7);
        }
    }
    hml_work_free(work);
}

static void test_results_one_by_one(void **state)
{
    (void)state;
    static long_state x;
    uint64_t seed = 4;
    robot r;
    hml_model *model;
    hml_random_spec spec;
    robot_open(&r, &seed, &robot_specs[2]);
    check_results_one_by_one(r.model, r.q, r.v, r.tau);
    robot_close(&r);
    hml_random_spec_init(&spec);
    spec.nbodies = 131, spec.shape = HML_RANDOM_LEGGED, spec.branches = 5;
    assert_int_equal(hml_model_random(&spec, &model), HML_OK);
    draw_state(&seed, model, &x);
    check_results_one_by_one(model, x.q, x.v, x.tau);
    hml_model_free(model);
}

/* what the lanes leave to the scalar kernel, besides a singular M: numbers and quaternions that are none */
static void test_what_is_left_to_the_scalar_kernel(void **state)
{
    (void)state;
    uint64_t seed = 5;
    robot r;
    robot_open(&r, &seed, &robot_specs[2]);
    if (r.work->choice.single->single_linearize) {
        kernel_call call = call_of(r.work, r.q, r.v, r.tau, &part);
        double *const numbers[] = {&r.q[8], &r.v[3], &r.tau[7]};
        for (int i = 0; i < 3; i++) {
            const double good = *numbers[i];
            *numbers[i] = i == 1 ? INFINITY : NAN;
            assert_int_equal(r.work->choice.single->single_linearize(&call), 1);
            *numbers[i] = good;
        }
        for (int k = 3; k < 7; k++) r.q[k] *= 1.1;
        assert_int_equal(r.work->choice.single->single_linearize(&call), 1);
    }
    robot_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trees_of_every_shape),
        cmocka_unit_test(test_a_long_chain),
        cmocka_unit_test(test_long_paths),
        cmocka_unit_test(test_long_paths_in_batches),
        cmocka_unit_test(test_every_root_and_forests),
        cmocka_unit_test(test_results_one_by_one),
        cmocka_unit_test(test_what_is_left_to_the_scalar_kernel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
