/*
 * Derivatives by the placements of joints: complex steps of brute force over a tree whose placements are complex
 * numbers too.
 */
#include "algo/kinematics/placement_derivatives.h"
#include "kinematics_check.h"

static path_column path[ORACLE_NV];
static num P[6 * 6 * (ORACLE_BODIES + 1)], J[6 * (ORACLE_BODIES + 1) * 6 * ORACLE_NV];

/* a motion of the whole robot with the world's first placement moves the frame as the world's twist does */
static void test_root_placement_moves_everything(void **unused)
{
    (void)unused;
    uint64_t seed = 41;
    for (int s = 0; s < NSPECS; s++) {
        robot r;
        robot_open(&r, &seed, &specs[s]);
        int body = r.model->nbodies - 1, root = model_bodies(r.model)[body].root;
        const model_body *b = &model_bodies(r.model)[root];
        int np = 6 * (r.model->njoints + 1), joint = b->joint;
        pose W = pose_of(oracle_mat3(b->R), oracle_vec3(b->p));
        placement_derivatives(r.model, body, HML_RIGHT, r.q, path, P, J);
        for (int k = 0; k < 6; k++) {
            ASSERT_NEAR(matrix_column(P, np, 6 * joint + k), pose_ad(W, unit_twist(k)), 10, TOLERANCE);
        }
        placement_derivatives(r.model, body, HML_LEFT, r.q, path, P, J);
        for (int k = 0; k < 6; k++) { /* a left Jacobian does not see it; the frame's own placement is the identity */
            ASSERT_NEAR(matrix_column(P, np, np - 6 + k), unit_twist(k), 10, TOLERANCE);
            for (int c = 0; c < r.nv; c++) {
                twist dJ = matrix_column(J + 6 * r.nv * (6 * joint + k), r.nv, c);
                ASSERT_NEAR(dJ, twist_zero(), 10, TOLERANCE);
            }
        }
        robot_close(&r);
    }
}

#if defined HML_NUM_C64

typedef struct chain {
    pose H;
    twist J[ORACLE_NV]; /* left */
} chain;

/* pose and left Jacobian of a body; the placement of `moved` is followed by exp(π), that of the frame itself too */
static void chain_run(const robot *r, int body, int moved, twist pi, twist pi_frame, chain *out)
{
    const model_body *b = &model_bodies(r->model)[body];
    vec3 axis = oracle_vec3(b->axis), point = oracle_vec3(b->point);
    pose X = pose_of(oracle_mat3(b->R), oracle_vec3(b->p)), F = se3_exp(pi_frame);
    twist S[HML_JOINT_MAX_NV];
    if (body == moved) X = pose_mul(X, se3_exp(pi));
    X = pose_mul(X, joint_pose(b->type, axis, point, K(b->pitch), &r->q[b->q]));
    if (b->parent >= 0) {
        chain_run(r, b->parent, moved, pi, twist_zero(), out);
    } else {
        out->H = pose_identity();
        for (int c = 0; c < r->nv; c++) out->J[c] = twist_zero();
    }
    out->H = pose_mul(out->H, X);
    for (int c = 0; c < r->nv; c++) out->J[c] = pose_ad_inverse(X, out->J[c]);
    joint_columns(b->type, axis, point, K(b->pitch), S);
    for (int k = 0; k < b->nv; k++) out->J[b->v + k] = S[k];
    out->H = pose_mul(out->H, F);
    for (int c = 0; c < r->nv; c++) out->J[c] = pose_ad_inverse(F, out->J[c]);
}

static void test_against_complex_steps(void **unused)
{
    (void)unused;
    uint64_t seed = 42;
    for (int s = 0; s < 2 * NSPECS; s++) {
        robot r;
        static chain at, moved;
        robot_open(&r, &seed, &specs[s % NSPECS]);
        int body = r.model->nbodies - 1, np = 6 * (r.model->njoints + 1);
        chain_run(&r, body, -1, twist_zero(), twist_zero(), &at);
        for (int rep_ = HML_LEFT; rep_ <= HML_SPLIT; rep_++) {
            hml_representation rep = (hml_representation)rep_;
            placement_derivatives(r.model, body, rep, r.q, path, P, J);
            for (int k = 0; k < np; k++) {
                twist pi = twist_scale(__builtin_complex(0.0, STEP), unit_twist(k % 6));
                if (k < np - 6)
                    chain_run(&r, body, model_joints(r.model)[k / 6].body, pi, twist_zero(), &moved);
                else
                    chain_run(&r, body, -1, twist_zero(), pi, &moved);
                pose X = pose_between(at.H, moved.H);
                twist xi = imaginary(twist_of(X.p, vec3_of(X.R.y.z, X.R.z.x, X.R.x.y)));
                ASSERT_NEAR(matrix_column(P, np, k), twist_from_left(rep, at.H, xi), 10, TOLERANCE);
                for (int c = 0; c < r.nv; c++) {
                    twist dJ = imaginary(twist_from_left(rep, moved.H, moved.J[c]));
                    ASSERT_NEAR(matrix_column(J + 6 * r.nv * k, r.nv, c), dJ, 10, TOLERANCE);
                }
            }
        }
        robot_close(&r);
    }
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_root_placement_moves_everything),
#if defined HML_NUM_C64
        cmocka_unit_test(test_against_complex_steps),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
