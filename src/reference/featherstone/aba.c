/*
 * Forward dynamics by articulated bodies (Featherstone, Table 7.1) and hybrid dynamics (his section 9.2), for joints
 * that are groups: D is as large as the joint. All in the bodies' frames.
 *
 *   IA, p      articulated inertia and bias wrench        U = IA S     D = SᵀU + armature     u = τ − Sᵀp
 *   a' = Ad a_p + V × S ν                                 ν̇ = D⁻¹(u − Uᵀ a')
 *
 * A prescribed joint hands its body's whole inertia on, and its acceleration as if it were a velocity product.
 */
#include "base/dense.h"
#include "model/coordinates.h"
#include "reference/bos/matrix6.h"
#include "reference/featherstone/tree.h"

static void put(wrench f, double *x)
{
    x[0] = f.f.x, x[1] = f.f.y, x[2] = f.f.z, x[3] = f.t.x, x[4] = f.t.y, x[5] = f.t.z;
}

static void put_twist(twist v, double *x) { put(wrench_of(v.v, v.w), x); }
static void forward(tree *t, const double *v, const double *wrenches)
{
    for (int i = 0; i < t->n; i++) {
        tree_body *b = &t->body[i];
        twist vp = b->parent < 0 ? twist_zero() : t->body[b->parent].v, vJ = tree_joint(b, b->S, v);
        b->v = twist_add(pose_ad_inverse(b->X, vp), vJ);
        b->c = twist_cross(b->v, vJ);
        b->p = wrench_sub(twist_cross_dual(b->v, inertia_mul(b->I, b->v)), tree_wrench(wrenches, i));
        inertia_matrix(b->I, b->IA);
        b->Ic = b->I;
    }
}

/* U, D = LDLᵀ and D⁻¹u of one joint, with armature or without; 1 if D is singular */
static int articulate(const tree *t, tree_body *b, const double *tau, int armature)
{
    const model_coordinate *passive = model_coordinates(t->model);
    int m = b->nv;
    for (int k = 0; k < m; k++) {
        double S[6];
        put_twist(b->S[k], S);
        mat6_apply(b->U + 6 * k, b->IA, S); /* column k of U */
        b->u[k] = tau[b->at + k] - wrench_dot(b->p, b->S[k]);
        for (int l = 0; l < m; l++) b->D[l * m + k] = wrench_dot(wrench_at(b->U + 6 * k), b->S[l]);
        if (armature) b->D[k * m + k] += passive[b->at + k].armature;
    }
    if (dense_factor((size_t)m, b->D, NULL)) return 1;
    for (int k = 0; k < m; k++) { /* against the diagonal of M: what is left of it may be nothing but rounding */
        double diagonal = wrench_dot(inertia_mul(b->Ic, b->S[k]), b->S[k]);
        if (armature) diagonal += passive[b->at + k].armature;
        if (!(b->D[k * m + k] > 0x1p-46 * diagonal)) return 1;
    }
    return 0;
}

/* IA and p of a body, as its parent feels them */
static void hand_on(tree_body *b, tree_body *p, int prescribed)
{
    double Ia[36], c[6], pa[6], up[36], x[6];
    memcpy(Ia, b->IA, sizeof Ia);
    put(b->p, pa), put_twist(b->c, c);
    if (!prescribed) {
        double y[6][6] = {{0}}; /* y[j] = D⁻¹ (row j of U) */
        for (int j = 0; j < 6; j++) {
            for (int k = 0; k < b->nv; k++) y[j][k] = b->U[6 * k + j];
            dense_solve((size_t)b->nv, b->D, y[j]);
        }
        memcpy(x, b->u, (size_t)b->nv * sizeof *x);
        dense_solve((size_t)b->nv, b->D, x);
        for (int i = 0; i < 6; i++) {
            for (int k = 0; k < b->nv; k++) {
                pa[i] += b->U[6 * k + i] * x[k];
                for (int j = 0; j < 6; j++) Ia[6 * i + j] -= b->U[6 * k + i] * y[j][k];
            }
        }
    }
    block_add_product(1, pa, Ia, c);
    p->p = wrench_add(p->p, pose_ad_dual(b->X, wrench_at(pa)));
    pose_ad_matrix(pose_inverse(b->X), up);
    mat6_add_sandwich(p->IA, up, Ia, up);
}

/* accelerations, root to leaves; a is read where prescribed, else written. world: how the world accelerates */
static void accelerate(tree *t, const int *prescribed, vec3 world, double *a)
{
    for (int i = 0; i < t->n; i++) {
        tree_body *b = &t->body[i];
        twist ap = twist_of(world, vec3_zero());
        if (b->parent >= 0) ap = t->body[b->parent].a;
        b->a = twist_add(pose_ad_inverse(b->X, ap), b->c); /* a prescribed joint's own is in c */
        if (prescribed && prescribed[i]) continue;
        for (int k = 0; k < b->nv; k++) a[b->at + k] = b->u[k] - wrench_dot(wrench_at(b->U + 6 * k), b->a);
        dense_solve((size_t)b->nv, b->D, a + b->at);
        b->a = twist_add(b->a, tree_joint(b, b->S, a));
    }
}

/* tau: forces without the passive ones */
static hml_status run(tree *t, const int *prescribed, const double *v, const double *wrenches, const double *tau,
                      double *a)
{
    forward(t, v, wrenches);
    for (int i = t->n - 1; i >= 0; i--) {
        tree_body *b = &t->body[i];
        int given = prescribed && prescribed[i];
        if (given)
            b->c = twist_add(b->c, tree_joint(b, b->S, a));
        else if (articulate(t, b, tau, 1))
            return HML_SINGULAR;
        if (b->parent >= 0) {
            tree_body *p = &t->body[b->parent];
            p->Ic = inertia_add(p->Ic, inertia_transform(b->X, b->Ic));
            hand_on(b, p, given);
        }
    }
    accelerate(t, prescribed, vec3_neg(tree_gravity(t)), a);
    return finite_numbers(a, t->model->nv);
}

hml_status hmli_tree_project(tree *t, double *x)
{
    for (int k = 0; k < t->model->nv; k++) t->vector[k] = 0;
    for (int i = 0; i < t->n; i++) {
        tree_body *b = &t->body[i];
        b->c = twist_zero();
        b->Ic = b->I;
        b->p = wrench_scale(-1, b->f);
        inertia_matrix(b->I, b->IA);
    }
    for (int i = t->n - 1; i >= 0; i--) {
        tree_body *b = &t->body[i];
        if (articulate(t, b, t->vector, 0)) return HML_SINGULAR;
        if (b->parent < 0) continue;
        tree_body *up = &t->body[b->parent];
        up->Ic = inertia_add(up->Ic, inertia_transform(b->X, b->Ic));
        hand_on(b, up, 0);
    }
    accelerate(t, NULL, vec3_zero(), x);
    return HML_OK;
}

hml_status hml_aba(const hml_model *model, void *scratch, const double *q, const double *v, const double *tau,
                   const double *wrenches, double *a)
{
    tree t;
    if (!v || !a) return HML_INVALID_ARGUMENT;
    hml_status status = hmli_tree_open(model, scratch, q, v, tau, wrenches, &t);
    if (status) return status;
    for (int k = 0; k < model->nv; k++) t.vector[k] = tau ? tau[k] : 0;
    hmli_tree_subtract_passive(&t, q, v, t.vector);
    return run(&t, NULL, v, wrenches, t.vector, a);
}

hml_status hml_hybrid_dynamics(const hml_model *model, void *scratch, const int *prescribed, const double *q,
                               const double *v, const double *wrenches, double *a, double *tau)
{
    tree t;
    if (!prescribed || !v || !a || !tau) return HML_INVALID_ARGUMENT;
    hml_status status = hmli_tree_open(model, scratch, q, v, NULL, wrenches, &t);
    if (status) return status;
    for (int i = 0; i < t.n; i++) {
        for (int k = t.body[i].at; k < t.body[i].at + t.body[i].nv; k++) {
            double given = prescribed[i] ? a[k] : tau[k];
            if (!isfinite(given)) return HML_NOT_FINITE;
            t.vector[k] = prescribed[i] ? 0 : tau[k];
        }
    }
    hmli_tree_subtract_passive(&t, q, v, t.vector);
    status = run(&t, prescribed, v, wrenches, t.vector, a);
    if (status) return status;
    for (int k = 0; k < model->nv; k++) t.vector[k] = tau[k];
    status = hml_rnea(model, scratch, HML_LEFT, q, v, a, wrenches, tau);
    for (int i = 0; i < t.n; i++) { /* what was given stays as it was, to the bit */
        for (int k = t.body[i].at; !prescribed[i] && k < t.body[i].at + t.body[i].nv; k++) tau[k] = t.vector[k];
    }
    return status;
}
