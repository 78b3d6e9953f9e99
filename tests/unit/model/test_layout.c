/*
 * Layouts of other programs: the worked example of docs/conventions.md, whose numbers came out of those programs, then
 * rates of the numbers, and there and back.
 */
#include <math.h>

#include "model_fixture.h"

#include "hamel/configuration.h"
#include "hamel/interchange.h"

enum { MAX = 256 };

static hml_model *single(hml_joint_type type)
{
    hml_builder *b = hml_builder_new();
    add_link(b, "body", NULL, type);
    return finish(b, 0);
}

static void expect(const hml_model *m, hml_layout layout, unsigned options, const double *q, const double *v,
                   const double *q_wanted, int nq, const double *v_wanted, int nv)
{
    double q_out[32], v_out[32], q_back[32], v_back[32];
    int32_t size_q, size_v;
    assert_int_equal(hml_layout_count(m, layout, options, &size_q, &size_v), HML_OK);
    assert_int_equal(size_q, nq);
    assert_int_equal(size_v, nv);
    assert_int_equal(hml_layout_to(m, layout, options, q, v, q_out, v_out), HML_OK);
    assert_all_close(q_out, q_wanted, nq, 1e-15);
    assert_all_close(v_out, v_wanted, nv, 1e-15);
    assert_int_equal(hml_layout_from(m, layout, options, q_wanted, v_wanted, q_back, v_back), HML_OK);
    assert_all_close(q_back, q, hml_model_nq(m), 1e-15);
    assert_all_close(v_back, v, hml_model_nv(m), 1e-15);
}

static void test_worked_example(void **state)
{
    (void)state;
    hml_model *m = single(HML_JOINT_FREE);
    const double q[7] = {1, 2, 3, 0.8, 0.4, 0.2, 0.4}, v[6] = {2, -1, 0.5, 1, 2, -1};
    const double pinocchio[7] = {1, 2, 3, 0.4, 0.2, 0.4, 0.8};
    const double split[6] = {2, 1, -0.5, 1, 2, -1}, mixed[6] = {2, 1, -0.5, -1, 2, 1};
    const double drake[7] = {0.8, 0.4, 0.2, 0.4, 1, 2, 3}, drake_v[6] = {-1, 2, 1, 2, 1, -0.5};
    const double rbdl[7] = {1, 2, 3, 0.4, 0.2, 0.4, 0.8};
    const double H[16] = {0.6, -0.48, 0.64, 1, 0.8, 0.36, -0.48, 2, 0, 0.8, 0.6, 3, 0, 0, 0, 1};
    expect(m, HML_LAYOUT_HAMEL, 0, q, v, q, 7, v, 6);
    expect(m, HML_LAYOUT_PINOCCHIO, 0, q, v, pinocchio, 7, v, 6);
    expect(m, HML_LAYOUT_MUJOCO, 0, q, v, q, 7, split, 6);
    expect(m, HML_LAYOUT_DRAKE, 0, q, v, drake, 7, drake_v, 6);
    expect(m, HML_LAYOUT_RBDL, 0, q, v, rbdl, 7, split, 6);
    expect(m, HML_LAYOUT_IDYNTREE, 0, q, v, H, 16, mixed, 6);
    hml_model_free(m);
}

/* quarter turns, so that the numbers can be seen */
static void test_other_joints(void **state)
{
    (void)state;
    const double r = sqrt(0.5), quarter = acos(0);
    hml_model *m = single(HML_JOINT_SPHERICAL);
    const double ball[4] = {r, 0, 0, r}, w[3] = {1, 2, 3}; /* a quarter turn about z: x → y, y → −x */
    const double xyzw[4] = {0, 0, r, r}, rpy[3] = {0, 0, quarter}, turned[3] = {-2, 1, 3};
    expect(m, HML_LAYOUT_PINOCCHIO, 0, ball, w, xyzw, 4, w, 3);
    expect(m, HML_LAYOUT_MUJOCO, 0, ball, w, ball, 4, w, 3);
    expect(m, HML_LAYOUT_DRAKE, 0, ball, w, rpy, 3, turned, 3);
    expect(m, HML_LAYOUT_RBDL, 0, ball, w, xyzw, 4, w, 3);
    hml_model_free(m);

    m = single(HML_JOINT_PLANAR);
    const double flat[3] = {5, 6, quarter}, circle[4] = {5, 6, 0, 1};
    expect(m, HML_LAYOUT_PINOCCHIO, 0, flat, w, circle, 4, w, 3);
    expect(m, HML_LAYOUT_MUJOCO, 0, flat, w, flat, 3, turned, 3);
    expect(m, HML_LAYOUT_DRAKE, 0, flat, w, flat, 3, turned, 3);
    expect(m, HML_LAYOUT_RBDL, 0, flat, w, flat, 3, turned, 3);
    hml_model_free(m);

    m = single(HML_JOINT_SCHOENFLIES);
    const double lift[4] = {5, 6, 7, quarter}, x[4] = {1, 2, 3, 4}, y[4] = {-2, 1, 3, 4};
    expect(m, HML_LAYOUT_PINOCCHIO, 0, lift, x, lift, 4, y, 4);
    hml_model_free(m);

    m = single(HML_JOINT_REVOLUTE);
    const double cs[2] = {0, 1};
    expect(m, HML_LAYOUT_PINOCCHIO, HML_LAYOUT_CIRCLES, &quarter, w, cs, 2, w, 1);
    expect(m, HML_LAYOUT_PINOCCHIO, 0, &quarter, w, &quarter, 1, w, 1);
    expect(m, HML_LAYOUT_MUJOCO, HML_LAYOUT_CIRCLES, &quarter, w, &quarter, 1, w, 1);
    hml_model_free(m);
}

static hml_model *zoo(uint64_t seed, unsigned without)
{
    hml_random_spec spec;
    hml_model *m = NULL;
    hml_random_spec_init(&spec);
    spec.seed = seed;
    spec.nbodies = 30;
    spec.shape = HML_RANDOM_ANY;
    spec.joint_types = ((2u << HML_JOINT_FREE) - 2) & ~without;
    spec.mimic = 0.5;
    spec.limited = 0.5;
    assert_int_equal(hml_model_random(&spec, &m), HML_OK);
    return m;
}

/* there and back for every joint at once; and every number finds its place */
static void test_round_trip(void **state)
{
    (void)state;
    hml_rng rng;
    hml_rng_seed(&rng, 1);
    for (int layout = HML_LAYOUT_HAMEL; layout <= HML_LAYOUT_RBDL; layout++) {
        for (unsigned options = 0; options < 4; options++) {
            hml_model *m = zoo(options + 1, 1u << HML_JOINT_HELICAL);
            double q[MAX], v[MAX], q_out[MAX], v_out[MAX], q_back[MAX], v_back[MAX], d[MAX];
            int32_t nq, nv;
            int used[MAX] = {0};
            assert_int_equal(hml_layout_count(m, (hml_layout)layout, options, &nq, &nv), HML_OK);
            assert_int_equal(hml_configuration_random(m, &rng, q), HML_OK);
            for (int i = 0; i < hml_model_nv(m); i++) v[i] = hml_rng_uniform(&rng, -1, 1);
            for (int i = 0; i < MAX; i++) q_out[i] = v_out[i] = 777;
            assert_int_equal(hml_layout_to(m, (hml_layout)layout, options, q, v, q_out, v_out), HML_OK);
            assert_true(q_out[nq] == 777 && v_out[nv] == 777 && q_out[nq - 1] != 777 && v_out[nv - 1] != 777);
            assert_int_equal(hml_layout_from(m, (hml_layout)layout, options, q_out, v_out, q_back, v_back), HML_OK);
            assert_int_equal(hml_configuration_difference(m, q, q_back, d), HML_OK);
            for (int i = 0; i < hml_model_nv(m); i++) {
                /* angles come back from cos and sin within ±π; the unlimited ones were drawn there */
                assert_close(d[i], 0, 1e-14);
                assert_close(v_back[i], v[i], 1e-14);
            }
            for (int32_t i = 0; i < hml_model_njoints(m); i++) {
                hml_layout_place place;
                assert_int_equal(hml_layout_joint(m, (hml_layout)layout, options, i, &place), HML_OK);
                for (int k = 0; k < place.nq; k++) used[place.q + k]++;
                if (place.w >= 0) used[place.w]++;
            }
            for (int i = 0; i < MAX; i++) assert_int_equal(used[i], i < nq);
            hml_model_free(m);
        }
    }
}

/* where a velocity is the rate of the numbers, it must be so: differences of the layout's own q */
static void test_velocity_is_a_rate(void **state)
{
    (void)state;
    static const hml_joint_type types[] = {HML_JOINT_PLANAR, HML_JOINT_SCHOENFLIES, HML_JOINT_FREE};
    hml_rng rng;
    hml_rng_seed(&rng, 9);
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        hml_model *m = single(types[t]);
        int nv = hml_model_nv(m), slides = types[t] == HML_JOINT_PLANAR ? 2 : 3;
        double q[7], v[6], step[6], a[7], b[7], before[7], after[7], rate[6];
        const double h = 1e-5;
        assert_int_equal(hml_configuration_random(m, &rng, q), HML_OK);
        for (int i = 0; i < nv; i++) v[i] = hml_rng_uniform(&rng, -1, 1);
        for (int i = 0; i < nv; i++) step[i] = -h * v[i];
        assert_int_equal(hml_configuration_integrate(m, q, step, a), HML_OK);
        for (int i = 0; i < nv; i++) step[i] = h * v[i];
        assert_int_equal(hml_configuration_integrate(m, q, step, b), HML_OK);
        assert_int_equal(hml_layout_to(m, HML_LAYOUT_MUJOCO, 0, q, v, before, rate), HML_OK);
        assert_int_equal(hml_layout_to(m, HML_LAYOUT_MUJOCO, 0, a, NULL, before, NULL), HML_OK);
        assert_int_equal(hml_layout_to(m, HML_LAYOUT_MUJOCO, 0, b, NULL, after, NULL), HML_OK);
        for (int i = 0; i < slides; i++) assert_close((after[i] - before[i]) / (2 * h), rate[i], 1e-9);
        hml_model_free(m);
    }
}

static void test_followers(void **state)
{
    (void)state;
    hml_builder *b = hml_builder_new();
    add_link(b, "a", NULL, HML_JOINT_REVOLUTE);
    hml_joint_spec joint = some_joint(HML_JOINT_REVOLUTE, "echo");
    joint.mimic = "j_a", joint.multiplier = -2, joint.offset = 0.5;
    add_spec(b, "b", "a", &joint);
    hml_model *m = finish(b, 0);
    const double q = 0.3, v = 0.7, q_all[2] = {0.3, 0.5 - 0.6}, v_all[2] = {0.7, -1.4};
    hml_layout_place place;
    expect(m, HML_LAYOUT_MUJOCO, HML_LAYOUT_FOLLOWERS, &q, &v, q_all, 2, v_all, 2);
    expect(m, HML_LAYOUT_MUJOCO, 0, &q, &v, &q, 1, &v, 1);
    assert_int_equal(hml_layout_joint(m, HML_LAYOUT_MUJOCO, 0, 1, &place), HML_OK);
    assert_true(place.q == -1 && place.nq == 0 && place.v == -1 && place.nv == 0 && place.w == -1);
    hml_model_free(m);
}

static void test_refused(void **state)
{
    (void)state;
    hml_model *helix = single(HML_JOINT_HELICAL), *plane = single(HML_JOINT_PLANAR), *base = single(HML_JOINT_FREE);
    double q[16] = {0}, v[6] = {0}, out[16];
    int32_t nq;
    assert_int_equal(hml_layout_count(helix, HML_LAYOUT_MUJOCO, 0, &nq, NULL), HML_UNSUPPORTED);
    assert_int_equal(hml_layout_to(helix, HML_LAYOUT_MUJOCO, 0, q, v, out, out), HML_UNSUPPORTED);
    assert_int_equal(hml_layout_count(plane, HML_LAYOUT_IDYNTREE, 0, &nq, NULL), HML_UNSUPPORTED);
    assert_int_equal(hml_layout_count(helix, (hml_layout)9, 0, &nq, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_layout_from(plane, HML_LAYOUT_PINOCCHIO, 0, q, v, out, out),
                     HML_NOT_NORMALIZED); /* cos, sin */
    assert_int_equal(hml_layout_from(base, HML_LAYOUT_IDYNTREE, 0, q, v, out, out), HML_NOT_NORMALIZED);
    assert_int_equal(hml_layout_from(base, HML_LAYOUT_DRAKE, 0, q, v, out, out), HML_NOT_NORMALIZED);
    q[3] = 1;
    v[0] = NAN;
    assert_int_equal(hml_layout_to(base, HML_LAYOUT_DRAKE, 0, q, v, out, out), HML_NOT_FINITE);
    hml_layout layout = HML_LAYOUT_HAMEL;
    assert_int_equal(hml_layout_from_name("rbdl", &layout), HML_OK);
    assert_int_equal(layout, HML_LAYOUT_RBDL);
    assert_int_equal(hml_layout_from_name("bullet", &layout), HML_NOT_FOUND);
    assert_string_equal(hml_layout_name(HML_LAYOUT_DRAKE), "drake");
    assert_null(hml_layout_name((hml_layout)6));
    hml_model_free(helix);
    hml_model_free(plane);
    hml_model_free(base);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_worked_example), cmocka_unit_test(test_other_joints),
        cmocka_unit_test(test_round_trip),     cmocka_unit_test(test_velocity_is_a_rate),
        cmocka_unit_test(test_followers),      cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
