/*
 * Müller's Christoffel symbols (86), (87) and the slips of his text that compute something, corrected and as printed:
 * the corrected form agrees with differences, the printed one does not. The other slips have their tests beside the
 * code they belong to: test_kinematics_muller.c, test_newton_euler.c, test_closed_form.c, test_reconstruct.c.
 */
#include "group/motion.h"
#include "hamel/reference/textbook.h"
#include "motion_of_state.h"

enum { N = 6 };
static const draw_tree_spec chain = {.nbodies = N, .root = HML_JOINT_HELICAL, .one_dof = 1, .points = 1};

/* a chain, not a tree: body l hangs on body l − 1 */
static void chain_open(robot *r, uint64_t *seed)
{
    for (;;) {
        int straight = 1;
        robot_open(r, seed, &chain);
        for (int l = 1; l < r->model->nbodies; l++) straight &= model_bodies(r->model)[l].parent == l - 1;
        if (straight) return;
        robot_close(r);
    }
}

static double inner(inertia I, twist A, twist B) { return wrench_dot(inertia_mul(I, B), A); }

/* ½ (∂M_ik/∂q_j + ∂M_ij/∂q_k − ∂M_jk/∂q_i), the definition below (85), by differences of the brute-force M */
static void symbols_by_differences(const robot *r, double Gamma[N][N][N])
{
    static oracle o;
    static double dM[N][N][N]; /* by q_k */
    const double step = 1e-3;
    memset(dM, 0, sizeof dM);
    for (int k = 0; k < N; k++) {
        for (int s = 0; s < 4; s++) {
            double q[NQ];
            memcpy(q, r->q, sizeof q);
            q[k] += difference_at[s] * step;
            oracle_run(r->model, q, r->v, NULL, &o);
            for (int e = 0; e < N * N; e++)
                dM[k][e / N][e % N] += difference_first[s] * o.M[e / N][e % N] / (12 * step);
        }
    }
    for (int e = 0; e < N * N * N; e++) {
        int i = e / N / N, j = e / N % N, k = e % N;
        Gamma[i][j][k] = (dM[j][i][k] + dM[k][i][j] - dM[i][j][k]) / 2;
    }
}

static int max(int a, int b) { return a > b ? a : b; }
static int min(int a, int b) { return a < b ? a : b; }

/* (86): corrected s = j, r = k; printed r = max(i, j), s = min(i, j) */
static double symbol_86(const robot *x, const oracle *o, int i, int j, int k, int printed)
{
    int r = printed ? max(i, j) : k, s = printed ? min(i, j) : j;
    double sum = 0;
    for (int l = max(i, k); l < N; l++) {
        const twist *J = o->J[l];
        inertia I = oracle_inertia(&model_bodies(x->model)[l]);
        sum += inner(I, J[k], twist_cross(J[i], J[j])) + inner(I, J[j], twist_cross(J[i], J[k])) +
               inner(I, J[i], twist_cross(J[s], J[r]));
    }
    return sum / 2;
}

/* the 4x4 matrix of a screw */
static void hat(twist S, double H[4][4])
{
    const double m[4][4] = {
        {0, -S.w.z, S.w.y, S.v.x}, {S.w.z, 0, -S.w.x, S.v.y}, {-S.w.y, S.w.x, 0, S.v.z}, {0, 0, 0, 0}};
    memcpy(H, m, sizeof m);
}

static void product4(double A[4][4], double B[4][4], double C[4][4])
{
    for (int e = 0; e < 16; e++) {
        C[e / 4][e % 4] = 0;
        for (int k = 0; k < 4; k++) C[e / 4][e % 4] += A[e / 4][k] * B[k][e % 4];
    }
}

/* Λ = [ϑ + m c cᵀ, m c; m cᵀ, m], ϑ = ½ tr Θ − Θ: the integral of p pᵀ over the body, p = (x, y, z, 1) */
static void pseudo_inertia(inertia I, double L[4][4])
{
    const double J[3][3] = {{I.J.xx, I.J.xy, I.J.xz}, {I.J.xy, I.J.yy, I.J.yz}, {I.J.xz, I.J.yz, I.J.zz}};
    const double h[3] = {I.h.x, I.h.y, I.h.z}, trace = I.J.xx + I.J.yy + I.J.zz;
    for (int e = 0; e < 9; e++) L[e / 3][e % 3] = (e % 4 == 0 ? trace / 2 : 0) - J[e / 3][e % 3];
    for (int e = 0; e < 3; e++) L[e][3] = L[3][e] = h[e];
    L[3][3] = I.m;
}

/* (87) corrected: Σ tr( Ĵ_li Λ_l (Ĵ_lj Ĵ_lk)ᵀ ), j ≤ k, all i */
static double symbol_87(const robot *x, const oracle *o, int i, int j, int k)
{
    double sum = 0;
    for (int l = max(i, k); l < N; l++) {
        double L[4][4], Hi[4][4], Hj[4][4], Hk[4][4], A[4][4], B[4][4];
        pseudo_inertia(oracle_inertia(&model_bodies(x->model)[l]), L);
        hat(o->J[l][i], Hi), hat(o->J[l][j], Hj), hat(o->J[l][k], Hk);
        product4(Hi, L, A), product4(Hj, Hk, B);
        for (int e = 0; e < 16; e++) sum += A[e / 4][e % 4] * B[e / 4][e % 4];
    }
    return sum;
}

/*
 * (87) as printed: ½ Σ J_ljᵀ M̌_l ad J_li, M̌ with ϑ in the place of Θ at the centre of mass and moved to the frame as
 * (40) moves M; ad of J_lk, of its angular part or of its linear one, as the mark above it is read.
 */
static double symbol_87_printed(const robot *x, const oracle *o, int i, int j, int k, int reading)
{
    double sum = 0;
    for (int l = k; l < N; l++) {
        const model_body *m = &model_bodies(x->model)[l];
        double half = (m->moment[0] + m->moment[3] + m->moment[5]) / 2;
        inertia binet = inertia_of_com(m->mass, oracle_vec3(m->com),
                                       sym3_of(half - m->moment[0], -m->moment[1], -m->moment[2], half - m->moment[3],
                                               -m->moment[4], half - m->moment[5]));
        twist by = o->J[l][k];
        if (reading == 1) by.v = vec3_zero();
        if (reading == 2) by.w = vec3_zero();
        sum += inner(binet, o->J[l][j], twist_cross(by, o->J[l][i]));
    }
    return sum / 2;
}

static void test_christoffel_symbols(void **state)
{
    (void)state;
    static oracle o;
    static double Gamma[N][N][N], ours[N][N][N];
    uint64_t seed = 211;
    double right86 = 0, right87 = 0, both = 0, wrong86 = INFINITY, wrong87[3] = {INFINITY, INFINITY, INFINITY};
    for (int t = 0; t < 10; t++) {
        robot r;
        chain_open(&r, &seed);
        void *scratch = malloc(hml_recursive_size(r.model));
        symbols_by_differences(&r, Gamma);
        assert_int_equal(hml_christoffel(r.model, scratch, r.q, ours[0][0]), HML_OK);
        oracle_run(r.model, r.q, r.v, NULL, &o);
        double size = 0, printed86 = 0, printed87[3] = {0};
        for (int e = 0; e < N * N * N; e++) size = fmax(size, fabs(Gamma[e / N / N][e / N % N][e % N]));
        for (int e = 0; e < N * N * N; e++) {
            int i = e / N / N, j = e / N % N, k = e % N;
            both = fmax(both, fabs(ours[i][j][k] - Gamma[i][j][k]) / size);
            if (j > k) continue; /* the symbols are symmetric in the last two */
            right87 = fmax(right87, fabs(symbol_87(&r, &o, i, j, k) - Gamma[i][j][k]) / size);
            if (!((i < j && j <= k) || (j <= i && i < k))) continue; /* where (86) and (87) are stated */
            right86 = fmax(right86, fabs(symbol_86(&r, &o, i, j, k, 0) - Gamma[i][j][k]) / size);
            printed86 = fmax(printed86, fabs(symbol_86(&r, &o, i, j, k, 1) - Gamma[i][j][k]) / size);
            for (int n = 0; n < 3; n++)
                printed87[n] = fmax(printed87[n], fabs(symbol_87_printed(&r, &o, i, j, k, n) - Gamma[i][j][k]) / size);
        }
        wrong86 = fmin(wrong86, printed86);
        for (int n = 0; n < 3; n++) wrong87[n] = fmin(wrong87[n], printed87[n]);
        free(scratch);
        robot_close(&r);
    }
    printf("(86): corrected %.1e at most, as printed %.1e at least\n", right86, wrong86);
    printf("(87): corrected %.1e at most, as printed %.1e, %.1e, %.1e at least\n", right87, wrong87[0], wrong87[1],
           wrong87[2]);
    assert_true(right86 < 1e-9 && right87 < 1e-9 && both < 1e-9); /* step⁴, and round-off over the step */
    assert_true(wrong86 > 0.05 && wrong87[0] > 0.05 && wrong87[1] > 0.05 && wrong87[2] > 0.05);
}

/* ---- the text ---- */

static vec3 draw_vec3(uint64_t *seed)
{
    double x = draw(seed), y = draw(seed), z = draw(seed);
    return vec3_of(x, y, z);
}

static twist draw_twist(uint64_t *seed)
{
    vec3 v = draw_vec3(seed);
    return twist_of(v, draw_vec3(seed));
}

static pose draw_pose(uint64_t *seed)
{
    twist X = draw_twist(seed);
    return se3_exp(X);
}

static double apart(twist A, twist B)
{
    twist D = twist_sub(A, B);
    return sqrt(vec3_dot(D.v, D.v) + vec3_dot(D.w, D.w));
}

static twist angular(vec3 w) { return twist_of(vec3_zero(), w); }
static twist linear(vec3 v) { return twist_of(v, vec3_zero()); }

/* Ad of a translation by d, inverted */
static twist shift_back(vec3 d, twist U) { return pose_ad_inverse(pose_of(mat3_identity(), d), U); }

/* before (53): d/dt Ad_d⁻¹ = −ad_ḋ, but Ad_d⁻¹ ad_ω − ad_ω Ad_d⁻¹ is + ad_ḋ */
static void test_before_53(void **state)
{
    (void)state;
    const double h = 1e-4;
    uint64_t seed = 212;
    for (int t = 0; t < 20; t++) {
        vec3 d = draw_vec3(&seed), w = draw_vec3(&seed);
        twist U = draw_twist(&seed), W = angular(w);
        twist up = shift_back(mat3_mul_vec(so3_exp(vec3_scale(h, w)), d), U);
        twist down = shift_back(mat3_mul_vec(so3_exp(vec3_scale(-h, w)), d), U);
        twist rate = twist_scale(1 / (2 * h), twist_sub(up, down));
        twist first = twist_scale(-1, twist_cross(linear(vec3_cross(w, d)), U));
        twist printed = twist_sub(shift_back(d, twist_cross(W, U)), twist_cross(W, shift_back(d, U)));
        assert_true(apart(rate, first) < 1e-7); /* h² */
        assert_true(apart(rate, twist_scale(-1, printed)) < 1e-7);
        assert_true(apart(rate, printed) > 1.9 * apart(rate, twist_zero()));
    }
}

/* before (60): V̇_i^s = Ad_{C_j} V̇ + ad_{V_j^s} V_i^s; printed with V_i for V_j it adds nothing */
static void test_before_60(void **state)
{
    (void)state;
    const double h = 1e-4;
    uint64_t seed = 213;
    for (int t = 0; t < 20; t++) {
        pose C = draw_pose(&seed);
        twist V = draw_twist(&seed), of_j = draw_twist(&seed); /* of body i, numbers held in frame j; of frame j */
        twist up = pose_ad(pose_mul(C, se3_exp(twist_scale(h, of_j))), V);
        twist down = pose_ad(pose_mul(C, se3_exp(twist_scale(-h, of_j))), V);
        twist rate = twist_scale(1 / (2 * h), twist_sub(up, down));
        assert_true(apart(rate, twist_cross(pose_ad(C, of_j), pose_ad(C, V))) < 1e-6);
        twist printed = twist_cross(pose_ad(C, V), pose_ad(C, V));
        assert_true(apart(printed, twist_zero()) < 1e-14 && apart(rate, twist_zero()) > 1e-2);
    }
}

/*
 * Before (63): the numbers of a twist in the axes of frame k, turned into those of frame j. Their rates differ by ad of
 * the angular velocity of k relative to j, ω_k − ω_j in the axes of j; printed is that of body i.
 */
static void test_before_63(void **state)
{
    (void)state;
    const double h = 1e-4;
    uint64_t seed = 214;
    for (int t = 0; t < 20; t++) {
        mat3 Rj = draw_pose(&seed).R, Rk = draw_pose(&seed).R;
        vec3 wj = draw_vec3(&seed), wk = draw_vec3(&seed); /* in the world */
        twist V = draw_twist(&seed), side[2];              /* numbers held in k */
        for (int s = 0; s < 2; s++) {
            double dt = s ? h : -h;
            mat3 J = mat3_mul(so3_exp(vec3_scale(dt, wj)), Rj), L = mat3_mul(so3_exp(vec3_scale(dt, wk)), Rk);
            mat3 R = mat3_tmul(J, L);
            side[s] = twist_of(mat3_mul_vec(R, V.v), mat3_mul_vec(R, V.w));
        }
        mat3 R = mat3_tmul(Rj, Rk);
        twist turned = twist_of(mat3_mul_vec(R, V.v), mat3_mul_vec(R, V.w));
        twist rate = twist_scale(1 / (2 * h), twist_sub(side[1], side[0]));
        vec3 relative = mat3_tmul_vec(Rj, vec3_sub(wk, wj));
        assert_true(apart(rate, twist_cross(angular(relative), turned)) < 1e-6);
        assert_true(apart(rate, twist_cross(angular(turned.w), turned)) > 1e-2); /* body i's own ω */
    }
}

/* before (47): V_c^h is Ad_R V_c^b, as in (98), not Ad_R⁻¹ V_c^b */
static void test_before_47(void **state)
{
    (void)state;
    const double h = 1e-4;
    uint64_t seed = 215;
    for (int t = 0; t < 20; t++) {
        pose C = draw_pose(&seed), up, down;
        twist V = draw_twist(&seed); /* body-fixed */
        up = pose_mul(C, se3_exp(twist_scale(h, V))), down = pose_mul(C, se3_exp(twist_scale(-h, V)));
        vec3 velocity = vec3_scale(1 / (2 * h), vec3_sub(up.p, down.p));
        assert_true(vec3_norm(vec3_sub(velocity, mat3_mul_vec(C.R, V.v))) < 1e-7);
        assert_true(vec3_norm(vec3_sub(velocity, mat3_tmul_vec(C.R, V.v))) > 1e-3);
    }
}

/* remark 3: the first term is V̇_i, printed without its dot */
static void test_remark_3(void **state)
{
    (void)state;
    static oracle o;
    uint64_t seed = 216;
    for (int t = 0; t < 10; t++) {
        robot r;
        chain_open(&r, &seed);
        oracle_run(r.model, r.q, r.v, NULL, &o);
        double printed = 0;
        for (int i = 1; i < N; i++) {
            twist A[2] = {o.bias[i], o.bias[i - 1]}, X = o.J[i][i];
            for (int b = 0; b < 2; b++)
                for (int c = 0; c < N; c++) A[b] = twist_axpy(r.tau[c], o.J[i - b][c], A[b]);
            pose D = pose_between(o.H[i], o.H[i - 1]);
            twist up = pose_ad(D, o.v[i - 1]), rest = twist_sub(twist_cross(o.v[i], up), pose_ad(D, A[1]));
            double length = vec3_dot(X.v, X.v) + vec3_dot(X.w, X.w);
            twist right = twist_add(A[0], rest), wrong = twist_add(o.v[i], rest);
            double a = (vec3_dot(X.v, right.v) + vec3_dot(X.w, right.w)) / length;
            double b = (vec3_dot(X.v, wrong.v) + vec3_dot(X.w, wrong.w)) / length;
            assert_true(fabs(a - r.tau[i]) < 1e-12 * (1 + fabs(a)));
            printed = fmax(printed, fabs(b - r.tau[i]));
        }
        assert_true(printed > 0.1);
        robot_close(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_christoffel_symbols), cmocka_unit_test(test_before_47), cmocka_unit_test(test_before_53),
        cmocka_unit_test(test_before_60),           cmocka_unit_test(test_before_63), cmocka_unit_test(test_remark_3),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
