/*
 * Closed forms of the equations of motion, Müller, section 5.1, for joints that are groups. The Jacobian of body i has
 * a column for every joint j on its way to the root:
 *
 *   body-fixed   J_ij = Ad(H_ij) S_j,   J̇_ij = (Ad(H_ij) V_j − V_i) × J_ij        (6)
 *   spatial      J_j  = Ad(H_j) S_j     the same for all bodies it carries
 */
#include "hamel/closed_form.h"

#include "base/dense.h"
#include "base/overflow.h"
#include "model/check_item.h"
#include "reference/featherstone/tree.h"

/* the way from a body up to its root: j, and the pose of the body in j */
typedef struct way {
    int j;
    pose D;
} way;

static way way_from(int i)
{
    way w;
    w.j = i;
    w.D = pose_identity();
    return w;
}

static void way_up(const tree *t, way *w)
{
    w->D = pose_mul(t->body[w->j].X, w->D);
    w->j = t->body[w->j].parent;
}

/* V_i = J_i ν */
static twist body_twist(const tree *t, int i, const double *v)
{
    twist V = twist_zero();
    for (way w = way_from(i); w.j >= 0; way_up(t, &w)) {
        const tree_body *b = &t->body[w.j];
        V = twist_add(V, pose_ad_inverse(w.D, tree_joint(b, b->S, v)));
    }
    return V;
}

/* V̇_i = J_i ν̇ + J̇_i ν, the twists of all bodies up to i being there */
static twist body_acceleration(const tree *t, int i, const double *v, const double *a)
{
    twist A = twist_zero(), V = t->body[i].v;
    for (way w = way_from(i); w.j >= 0; way_up(t, &w)) {
        const tree_body *b = &t->body[w.j];
        twist relative = twist_sub(pose_ad_inverse(w.D, b->v), V);
        A = twist_add(A, pose_ad_inverse(w.D, tree_joint(b, b->S, a)));
        A = twist_add(A, twist_cross(relative, pose_ad_inverse(w.D, tree_joint(b, b->S, v))));
    }
    return A;
}

/* τ += J_iᵀ f */
static void project(const tree *t, int i, wrench f, double *tau)
{
    for (way w = way_from(i); w.j >= 0; way_up(t, &w)) {
        const tree_body *b = &t->body[w.j];
        for (int k = 0; k < b->nv; k++) tau[b->at + k] += wrench_dot(f, pose_ad_inverse(w.D, b->S[k]));
    }
}

hml_status hml_euler_jourdain(const hml_model *model, void *scratch, const double *q, const double *v, const double *a,
                              const double *wrenches, double *tau)
{
    tree t;
    if (!v || !a || !tau) return HML_INVALID_ARGUMENT;
    hml_status status = hml_tree_open(model, scratch, q, v, a, wrenches, &t);
    if (status) return status;
    const unsigned before = overflow_watch();
    for (int i = 0; i < model->nv; i++) tau[i] = -model_coordinates(model)[i].armature * a[i];
    hml_tree_subtract_passive(&t, q, v, tau);
    for (int i = 0; i < model->nv; i++) tau[i] = -tau[i];
    for (int i = 0; i < t.n; i++) {
        tree_body *b = &t.body[i];
        b->v = body_twist(&t, i, v);
        twist A = body_acceleration(&t, i, v, a);
        A.v = vec3_sub(A.v, mat3_tmul_vec(b->H.R, tree_gravity(&t)));
        wrench f = wrench_add(inertia_mul(b->I, A), twist_cross_dual(b->v, inertia_mul(b->I, b->v)));
        project(&t, i, wrench_sub(f, tree_wrench(wrenches, i)), tau);
    }
    return OVERFLOW_STATUS(before, {tau, (size_t)model->nv});
}

/* ---- in the world ---- */

hml_status hml_body_momenta(const hml_model *model, void *scratch, const double *q, const double *v, double *momenta)
{
    tree t;
    if (!v || !momenta) return HML_INVALID_ARGUMENT;
    hml_status status = hml_tree_open(model, scratch, q, v, NULL, NULL, &t);
    if (status) return status;
    const unsigned before = overflow_watch();
    for (int i = 0; i < t.n; i++) {
        twist V = twist_zero();
        for (int j = i; j >= 0; j = t.body[j].parent)
            V = twist_add(V, pose_ad(t.body[j].H, tree_joint(&t.body[j], t.body[j].S, v)));
        wrench p = inertia_mul(inertia_transform(t.body[i].H, t.body[i].I), V);
        const double numbers[6] = {p.f.x, p.f.y, p.f.z, p.t.x, p.t.y, p.t.z};
        memcpy(momenta + 6 * i, numbers, sizeof numbers);
    }
    return OVERFLOW_STATUS(before, {momenta, 6 * (size_t)t.n});
}

/* V with I V = p; 1 if there is none */
static int twist_of_momentum(inertia I, wrench p, twist *V)
{
    if (!(I.m > 0)) return 1;
    vec3 c = vec3_scale(1 / I.m, I.h), L = vec3_sub(p.t, vec3_cross(c, p.f)); /* about the centre of mass */
    sym3 A = sym3_add(I.J, sym3_point_mass(-I.m, c));
    double moment[9] = {A.xx, A.xy, A.xz, A.xy, A.yy, A.yz, A.xz, A.yz, A.zz}, w[3] = {L.x, L.y, L.z};
    if (dense_factor(3, moment, NULL)) return 1;
    dense_solve(3, moment, w);
    V->w = vec3_of(w[0], w[1], w[2]);
    V->v = vec3_sub(vec3_scale(1 / I.m, p.f), vec3_cross(V->w, c));
    return 0;
}

/* ν with S ν = V in the sense of least squares */
static void joint_velocity(const tree_body *b, twist V, double *v)
{
    size_t m = (size_t)b->nv;
    for (size_t k = 0; k < m; k++) {
        for (size_t l = 0; l < m; l++)
            b->D[k * m + l] = vec3_dot(b->S[k].v, b->S[l].v) + vec3_dot(b->S[k].w, b->S[l].w);
        v[k] = vec3_dot(b->S[k].v, V.v) + vec3_dot(b->S[k].w, V.w);
    }
    dense_factor(m, b->D, NULL);
    dense_solve(m, b->D, v);
}

hml_status hml_momentum_velocities(const hml_model *model, void *scratch, const double *q, const double *momenta,
                                   double *v)
{
    tree t;
    if (!momenta || !v) return HML_INVALID_ARGUMENT;
    hml_status status = hml_tree_open(model, scratch, q, NULL, NULL, NULL, &t);
    if (status) return status;
    if (!hml_all_finite(momenta, 6 * t.n)) return HML_NOT_FINITE;
    for (int i = 0; i < t.n; i++) {
        tree_body *b = &t.body[i];
        if (twist_of_momentum(b->I, pose_ad_dual_inverse(b->H, tree_wrench(momenta, i)), &b->v)) return HML_SINGULAR;
        twist up = b->parent < 0 ? twist_zero() : pose_ad_inverse(b->X, t.body[b->parent].v);
        joint_velocity(b, twist_sub(b->v, up), v + b->at);
    }
    return FINITE_STATUS({v, (size_t)model->nv});
}

hml_status hml_momentum_forces(const hml_model *model, void *scratch, const double *q, const double *rates,
                               const double *wrenches, double *tau)
{
    tree t;
    if (!rates || !tau) return HML_INVALID_ARGUMENT;
    hml_status status = hml_tree_open(model, scratch, q, NULL, NULL, wrenches, &t);
    if (status) return status;
    if (!hml_all_finite(rates, 6 * t.n)) return HML_NOT_FINITE;
    const unsigned before = overflow_watch();
    memset(tau, 0, (size_t)model->nv * sizeof *tau);
    for (int i = 0; i < t.n; i++) {
        const tree_body *b = &t.body[i];
        vec3 g = tree_gravity(&t), first = vec3_axpy(b->I.m, b->H.p, mat3_mul_vec(b->H.R, b->I.h)); /* Σ m c */
        wrench weight = wrench_of(vec3_scale(b->I.m, g), vec3_cross(first, g));
        wrench f = wrench_sub(tree_wrench(rates, i), wrench_add(weight, pose_ad_dual(b->H, tree_wrench(wrenches, i))));
        for (int j = i; j >= 0; j = t.body[j].parent) {
            const tree_body *up = &t.body[j];
            for (int k = 0; k < up->nv; k++) tau[up->at + k] += wrench_dot(f, pose_ad(up->H, up->S[k]));
        }
    }
    return OVERFLOW_STATUS(before, {tau, (size_t)model->nv});
}
