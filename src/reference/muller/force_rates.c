/*
 * τ, τ̇ and τ̈ (Müller, section 6.3) in an inertial frame that is where the tree's root is at this instant. There, all
 * is plain differentiation by the product rule, and forces of children are added as they are:
 *
 *   S' = V × S      V = V_p + S ν      f = (I V)' − I g      τ = Sᵀ Σ f
 *
 * For a twist m(t), I m is differentiated as a body sees it: (I m)' = I m° + V ×* I m with m° = m' − V × m. An external
 * wrench W that the body carries along is Ad* W there, and (Ad* W)' = Ad* W' + V ×* Ad* W.
 *
 * A spring pulls with k φ, φ = log(g_rest⁻¹ g), and ν = S(φ) φ' with the right Jacobian S of exp, so
 *
 *   φ' = S(φ)⁻¹ ν      φ'' = S(φ)⁻¹ (ν' − S'(φ; φ') φ')
 *
 * all in the coordinates of SE(3), of which every joint's group is a part.
 *
 * x^(k) is the k-th derivative; a series is an array of them.
 */
#include "base/overflow.h"
#include "model/check_item.h"
#include "reference/featherstone/tree.h"

static const double binomial[4][4] = {{1}, {1, 1}, {1, 2, 1}, {1, 3, 3, 1}};

/* (A × B)^(k) */
static twist cross_series(int k, const twist *A, const twist *B)
{
    twist sum = twist_zero();
    for (int j = 0; j <= k; j++) sum = twist_axpy(binomial[k][j], twist_cross(A[j], B[k - j]), sum);
    return sum;
}

/* W^(0 … K) of W = I m */
static void inertia_series(int K, inertia I, const twist *V, const twist *m, wrench *W)
{
    W[0] = inertia_mul(I, m[0]);
    if (K == 0) return;
    twist seen[3] = {twist_zero(), twist_zero(), twist_zero()}; /* m° */
    wrench rest[3];
    for (int k = 0; k < K; k++) seen[k] = twist_sub(m[k + 1], cross_series(k, V, m));
    inertia_series(K - 1, I, V, seen, rest);
    for (int k = 0; k < K; k++) {
        W[k + 1] = rest[k];
        for (int j = 0; j <= k; j++)
            W[k + 1] = wrench_add(W[k + 1], wrench_scale(binomial[k][j], twist_cross_dual(V[j], W[k - j])));
    }
}

/* columns and twists to the third derivative; rate: ν, ν̇, ν̈, ν⃛ */
static void motion(tree *t, const double *const rate[4])
{
    for (int i = 0; i < t->n; i++) {
        tree_body *b = &t->body[i];
        for (int k = 0; k < 4; k++) {
            b->V[k] = b->parent < 0 ? twist_zero() : t->body[b->parent].V[k];
            for (int l = 0; l < b->nv; l++) {
                twist S[4] = {b->Sr[l], b->Sd[0][l], b->Sd[1][l], b->Sd[2][l]};
                for (int j = 0; j <= k; j++)
                    b->V[k] = twist_axpy(binomial[k][j] * rate[k - j][b->at + l], S[j], b->V[k]);
            }
            for (int l = 0; l < b->nv && k < 3; l++) { /* the next derivative of S needs V up to here */
                twist S[4] = {b->Sr[l], b->Sd[0][l], b->Sd[1][l], b->Sd[2][l]};
                b->Sd[k][l] = cross_series(k, b->V, S);
            }
        }
    }
}

/* ---- springs ---- */

static twist embed(int m, const twist *S, const double *x)
{
    twist V = twist_zero();
    for (int k = 0; k < m; k++) V = twist_axpy(x[k], S[k], V);
    return V;
}

static void project(int m, const twist *S, twist V, double *x)
{
    for (int k = 0; k < m; k++) x[k] = vec3_dot(S[k].v, V.v) + vec3_dot(S[k].w, V.w);
}

/* φ, φ', φ'' of a joint; q, v and a are its own */
static void spring_series(int type, const double *rest, const double *q, const double *v, const double *a,
                          double phi[3][HML_JOINT_MAX_NV])
{
    int m = joint_nv(type);
    joint_difference(type, rest, q, phi[0]);
    if (joint_commutes(type)) {
        memcpy(phi[1], v, (size_t)m * sizeof *v);
        memcpy(phi[2], a, (size_t)m * sizeof *a);
        return;
    }
    twist S[HML_JOINT_MAX_NV];
    joint_columns(type, vec3_of(0, 0, 1), vec3_zero(), 0, S);
    twist x = embed(m, S, phi[0]), dx = se3_dexp_right_inverse_apply(x, embed(m, S, v));
    twist ddx = se3_dexp_right_inverse_apply(x, twist_sub(embed(m, S, a), se3_dexp_right_derivative(x, dx, dx)));
    project(m, S, dx, phi[1]);
    project(m, S, ddx, phi[2]);
}

/* armature, dampers and springs: their part of force number k */
static void add_passive(const tree *t, const double *q, const double *const rate[4], int k, double *tau)
{
    const model_coordinate *c = model_coordinates(t->model);
    for (int i = 0; i < t->n; i++) {
        const model_body *m = &model_bodies(t->model)[i];
        double phi[3][HML_JOINT_MAX_NV] = {{0}};
        spring_series(m->type, &model_rest(t->model)[m->q], &q[m->q], &rate[0][m->v], &rate[1][m->v], phi);
        for (int l = 0; l < m->nv; l++) {
            const model_coordinate *x = &c[m->v + l];
            tau[m->v + l] += x->armature * rate[k + 1][m->v + l] + x->damping * rate[k][m->v + l];
            if (x->stiffness != 0) tau[m->v + l] += x->stiffness * phi[k][l];
        }
    }
}

/* ---- external wrenches ---- */

/* those of body i and their derivatives, W[0 … 2], in the frame that stands still */
static void wrench_series(const tree *t, int i, const double *wrenches, wrench W[3])
{
    const tree_body *b = &t->body[i];
    const int count = wrenches ? 3 : 0;
    wrench u[3] = {wrench_zero(), wrench_zero(), wrench_zero()};
    for (int k = 0; k < count; k++) u[k] = pose_ad_dual(b->P, tree_wrench(wrenches + 6 * k * t->n, i));
    W[0] = u[0];
    W[1] = wrench_add(u[1], twist_cross_dual(b->V[0], u[0]));
    wrench du = wrench_add(u[2], twist_cross_dual(b->V[0], u[1])); /* u₁' */
    W[2] = wrench_add(du, wrench_add(twist_cross_dual(b->V[1], u[0]), twist_cross_dual(b->V[0], W[1])));
}

hml_status hml_force_rates(const hml_model *model, void *scratch, const double *q, const double *v, const double *a,
                           const double *jerk, const double *snap, const double *wrenches, double *tau, double *dtau,
                           double *ddtau)
{
    tree t;
    const double *const rate[4] = {v, a, jerk, snap};
    double *const out[3] = {tau, dtau, ddtau};
    if (!v || !a || !jerk || !snap) return HML_INVALID_ARGUMENT;
    hml_status status = hmli_tree_open(model, scratch, q, v, a, NULL, &t);
    if (!status) status = hmli_tree_open(model, scratch, q, jerk, snap, NULL, &t);
    if (status) return status;
    if (wrenches && !all_finite(wrenches, (size_t)(18 * t.n))) return HML_NOT_FINITE;
    const unsigned before = overflow_watch();
    hmli_tree_to_root(&t);
    for (int i = 0; i < 3 * t.n; i++) {
        tree_body *b = &t.body[i / 3];
        memset(b->Sd[i % 3], 0, (size_t)b->nv * sizeof(twist));
    }
    motion(&t, rate);
    for (int i = 0; i < t.n; i++) {
        tree_body *b = &t.body[i];
        wrench W[4], G[3], outer[3];
        twist g[3] = {twist_of(mat3_tmul_vec(t.body[b->root].H.R, tree_gravity(&t)), vec3_zero()), twist_zero(),
                      twist_zero()};
        inertia_series(3, b->Ic, b->V, b->V, W);
        inertia_series(2, b->Ic, b->V, g, G);
        wrench_series(&t, i, wrenches, outer);
        for (int k = 0; k < 3; k++) b->F[k] = wrench_sub(wrench_sub(W[k + 1], G[k]), outer[k]);
    }
    for (int i = t.n - 1; i >= 0; i--) {
        const tree_body *b = &t.body[i];
        for (int k = 0; k < 3; k++) {
            for (int l = 0; out[k] && l < b->nv; l++) {
                const twist S[3] = {b->Sr[l], b->Sd[0][l], b->Sd[1][l]};
                out[k][b->at + l] = 0;
                for (int j = 0; j <= k; j++) out[k][b->at + l] += binomial[k][j] * wrench_dot(b->F[k - j], S[j]);
            }
            if (b->parent >= 0) t.body[b->parent].F[k] = wrench_add(t.body[b->parent].F[k], b->F[k]);
        }
    }
    for (int k = 0; k < 3; k++)
        if (out[k]) add_passive(&t, q, rate, k, out[k]);
    return OVERFLOW_STATUS(before, {tau, (size_t)model->nv}, {dtau, (size_t)model->nv}, {ddtau, (size_t)model->nv});
}
