/*
 * τ, τ̇ and τ̈ (Müller, section 6.3) in an inertial frame that is where the tree's root is at this instant. There, all
 * is plain differentiation by the product rule, and forces of children are added as they are:
 *
 *   S' = V × S      V = V_p + S ν      f = (I V)' − I g      τ = Sᵀ Σ f
 *
 * For a twist m(t), I m is differentiated as a body sees it: (I m)' = I m° + V ×* I m with m° = m' − V × m.
 * x^(k) is the k-th derivative; a series is an array of them.
 */
#include "base/overflow.h"
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

/* armature, dampers and springs: their part of force number k */
static hml_status add_passive(const tree *t, const double *q, const double *const rate[4], int k, double *tau)
{
    const model_coordinate *c = model_coordinates(t->model);
    for (int i = 0; i < t->n; i++) {
        const model_body *m = &model_bodies(t->model)[i];
        double log[HML_JOINT_MAX_NV] = {0};
        int commutes = m->nv < 3 || m->type == HML_JOINT_TRANSLATION3;
        joint_difference(m->type, &model_rest(t->model)[m->q], &q[m->q], log);
        for (int l = 0; l < m->nv; l++) {
            const model_coordinate *x = &c[m->v + l];
            if (x->stiffness != 0 && !commutes) return HML_UNSUPPORTED;
            double spring = k ? rate[k - 1][m->v + l] : log[l];
            tau[m->v + l] +=
                x->armature * rate[k + 1][m->v + l] + x->damping * rate[k][m->v + l] + x->stiffness * spring;
        }
    }
    return HML_OK;
}

hml_status hml_force_rates(const hml_model *model, void *scratch, const double *q, const double *v, const double *a,
                           const double *jerk, const double *snap, double *tau, double *dtau, double *ddtau)
{
    tree t;
    const double *const rate[4] = {v, a, jerk, snap};
    double *const out[3] = {tau, dtau, ddtau};
    for (int k = 0; k < 4; k++) {
        if (!rate[k] || (k < 3 && !out[k])) return HML_INVALID_ARGUMENT;
    }
    hml_status status = hml_tree_open(model, scratch, q, v, a, NULL, &t);
    if (!status) status = hml_tree_open(model, scratch, q, jerk, snap, NULL, &t);
    if (status) return status;
    const unsigned before = overflow_watch();
    hml_tree_to_root(&t);
    for (int i = 0; i < 3 * t.n; i++) {
        tree_body *b = &t.body[i / 3];
        memset(b->Sd[i % 3], 0, (size_t)b->nv * sizeof(twist));
    }
    motion(&t, rate);
    for (int i = 0; i < t.n; i++) {
        tree_body *b = &t.body[i];
        wrench W[4], G[3];
        twist g[3] = {twist_of(mat3_tmul_vec(t.body[b->root].H.R, tree_gravity(&t)), vec3_zero()), twist_zero(),
                      twist_zero()};
        inertia_series(3, b->Ic, b->V, b->V, W);
        inertia_series(2, b->Ic, b->V, g, G);
        for (int k = 0; k < 3; k++) b->F[k] = wrench_sub(W[k + 1], G[k]);
    }
    for (int i = t.n - 1; i >= 0; i--) {
        const tree_body *b = &t.body[i];
        for (int k = 0; k < 3; k++) {
            for (int l = 0; l < b->nv; l++) {
                const twist S[3] = {b->Sr[l], b->Sd[0][l], b->Sd[1][l]};
                out[k][b->at + l] = 0;
                for (int j = 0; j <= k; j++) out[k][b->at + l] += binomial[k][j] * wrench_dot(b->F[k - j], S[j]);
            }
            if (b->parent >= 0) t.body[b->parent].F[k] = wrench_add(t.body[b->parent].F[k], b->F[k]);
        }
    }
    for (int k = 0; k < 3 && !status; k++) status = add_passive(&t, q, rate, k, out[k]);
    hml_status large =
        OVERFLOW_STATUS(before, {tau, (size_t)model->nv}, {dtau, (size_t)model->nv}, {ddtau, (size_t)model->nv});
    return status ? status : large;
}
