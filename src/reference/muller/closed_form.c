/*
 * Closed forms of the equations of motion, Müller, section 5.1, for joints that are groups. The Jacobian of body i has
 * a column for every joint j on its way to the root:
 *
 *   body-fixed   J_ij = Ad(H_ij) S_j,   J̇_ij = (Ad(H_ij) V_j − V_i) × J_ij        (6)
 *   spatial      J_j  = Ad(H_j) S_j     the same for all bodies it carries
 */
#include "hamel/reference/textbook.h"

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
    hml_status status = hmli_tree_open(model, scratch, q, v, a, wrenches, &t);
    if (status) return status;
    const unsigned before = overflow_watch();
    for (int i = 0; i < model->nv; i++) tau[i] = -model_coordinates(model)[i].armature * a[i];
    hmli_tree_subtract_passive(&t, q, v, tau);
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
    hml_status status = hmli_tree_open(model, scratch, q, v, NULL, NULL, &t);
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

/*
 * ν from Π. Π_i − M_i V_i is what a motion V_i = J_i ν leaves of a body's momentum; the ν that makes the kinetic energy
 * of these rests, Σ ½ (Π_i − M_i V_i)ᵀ M_i⁺ (Π_i − M_i V_i), smallest solves
 *
 *   Σ J_iᵀ M_i J_i ν = Σ J_iᵀ Π_i
 *
 * and has the total momentum of Π wherever the robot as a whole is free to have it. No M_i needs to be regular by
 * itself. Two more rounds with the rests in the place of Π bring the digits back that the products J_iᵀ M_i J_i cost.
 */
hml_status hml_momentum_velocities(const hml_model *model, void *scratch, const double *q, const double *momenta,
                                   double *v)
{
    tree t;
    if (!momenta || !v) return HML_INVALID_ARGUMENT;
    hml_status status = hmli_tree_open(model, scratch, q, NULL, NULL, NULL, &t);
    if (status) return status;
    if (!all_finite(momenta, (size_t)(6 * t.n))) return HML_NOT_FINITE;
    if (t.n == 0) return HML_OK;
    double *change = (double *)(void *)t.body[0].Sr; /* columns that nobody uses here */
    for (int i = 0; i < t.n; i++) t.body[i].f = pose_ad_dual_inverse(t.body[i].H, tree_wrench(momenta, i));
    status = hmli_tree_project(&t, v);
    for (int round = 0; round < 2 && !status; round++) {
        for (int i = 0; i < t.n; i++) {
            tree_body *b = &t.body[i];
            wrench own = pose_ad_dual_inverse(b->H, tree_wrench(momenta, i));
            twist up = b->parent < 0 ? twist_zero() : pose_ad_inverse(b->X, t.body[b->parent].v);
            b->v = twist_add(up, tree_joint(b, b->S, v));
            b->f = wrench_sub(own, inertia_mul(b->I, b->v));
        }
        status = hmli_tree_project(&t, change);
        for (int k = 0; k < model->nv && !status; k++) v[k] += change[k];
    }
    return status ? status : FINITE_STATUS({v, (size_t)model->nv});
}

/* ---- rates of momenta ---- */

/* V_i and V̇_i of all bodies, in their frames */
static void move(tree *t, const double *v, const double *a)
{
    for (int i = 0; i < t->n; i++) {
        tree_body *b = &t->body[i];
        twist vp = twist_zero(), ap = twist_zero(), vJ = tree_joint(b, b->S, v);
        if (b->parent >= 0) vp = t->body[b->parent].v, ap = t->body[b->parent].a;
        b->v = twist_add(pose_ad_inverse(b->X, vp), vJ);
        b->a = twist_add(pose_ad_inverse(b->X, ap), twist_add(tree_joint(b, b->S, a), twist_cross(b->v, vJ)));
    }
}

/* Π̇^s = Ad* (Π̇^b − ad_Vᵀ Π^b), (35) and (41) */
static void write_rates(const tree *t, double *rates)
{
    for (int i = 0; i < t->n; i++) {
        const tree_body *b = &t->body[i];
        wrench f = wrench_add(inertia_mul(b->I, b->a), twist_cross_dual(b->v, inertia_mul(b->I, b->v)));
        f = pose_ad_dual(b->H, f);
        const double numbers[6] = {f.f.x, f.f.y, f.f.z, f.t.x, f.t.y, f.t.z};
        memcpy(rates + 6 * i, numbers, sizeof numbers);
    }
}

hml_status hml_body_momentum_rates(const hml_model *model, void *scratch, const double *q, const double *v,
                                   const double *a, double *rates)
{
    tree t;
    if (!v || !a || !rates) return HML_INVALID_ARGUMENT;
    hml_status status = hmli_tree_open(model, scratch, q, v, a, NULL, &t);
    if (status) return status;
    move(&t, v, a);
    write_rates(&t, rates);
    return FINITE_STATUS({rates, 6 * (size_t)t.n});
}

hml_status hml_momentum_dynamics(const hml_model *model, void *scratch, const double *q, const double *momenta,
                                 const double *tau, const double *wrenches, double *v, double *rates)
{
    tree t;
    if (!rates) return HML_INVALID_ARGUMENT;
    hml_status status = hml_momentum_velocities(model, scratch, q, momenta, v);
    double *a = rates; /* nv <= 6 nbodies; read before rates are written */
    if (!status) status = hml_aba(model, scratch, q, v, tau, wrenches, a);
    if (!status) status = hmli_tree_open(model, scratch, q, v, a, NULL, &t);
    if (status) return status;
    move(&t, v, a);
    write_rates(&t, rates);
    return FINITE_STATUS({rates, 6 * (size_t)t.n});
}

hml_status hml_momentum_forces(const hml_model *model, void *scratch, const double *q, const double *rates,
                               const double *wrenches, double *tau)
{
    tree t;
    if (!rates || !tau) return HML_INVALID_ARGUMENT;
    hml_status status = hmli_tree_open(model, scratch, q, NULL, NULL, wrenches, &t);
    if (status) return status;
    if (!all_finite(rates, (size_t)(6 * t.n))) return HML_NOT_FINITE;
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
