/*
 * Recursive Newton-Euler inverse dynamics in the four forms of a twist: Müller, sections 4.1 to 4.3, here for joints
 * that are groups, linear part first. Gravity enters as the world's acceleration upward, −g.
 *
 *   left    (65a)-(67)  V_i in the body:      V̇_i = Ad V̇_p + S ν̇ + V_i × S ν
 *   right   (72)-(74)   V_i in the world:     V̇_i = V̇_p + J ν̇ + V_i × J ν
 *   mixed   (hybrid)    V_i at the body's origin, world's axes: a twist's two parts are plain derivatives
 *   split               ṙ in the world, ω in the body
 *
 * Deviation from print: the backward recursion begins at the last body and adds every child's wrench to its parent's.
 */
#include "base/overflow.h"
#include "group/motion.h"
#include "reference/featherstone/tree.h"
#include "reference/muller/newton_euler.h"

static void left(tree *t, const double *v, const double *a)
{
    hmli_tree_motion(t, v, a);
    for (int i = 0; i < t->n; i++) {
        tree_body *b = &t->body[i];
        b->f = wrench_add(inertia_mul(b->I, b->a), twist_cross_dual(b->v, inertia_mul(b->I, b->v)));
    }
}

static void left_back(tree *t, int i)
{
    const tree_body *b = &t->body[i];
    tree_body *p = &t->body[b->parent];
    p->f = wrench_add(p->f, pose_ad_dual(b->X, b->f));
}

/* the joint's columns in the form of the twists, (70b) and (75b); they carry ν and ν̇ out, and take τ from wrenches */
static void turn_columns(tree_body *b, hml_representation representation)
{
    for (int k = 0; k < b->nv; k++) b->Sr[k] = twist_from_left(representation, b->H, b->S[k]);
}

static void right(tree *t, const double *v, const double *a)
{
    for (int i = 0; i < t->n; i++) {
        tree_body *b = &t->body[i];
        twist vp = twist_zero(), ap = twist_of(vec3_neg(tree_gravity(t)), vec3_zero());
        if (b->parent >= 0) vp = t->body[b->parent].v, ap = t->body[b->parent].a;
        inertia Is = inertia_transform(b->H, b->I);
        turn_columns(b, HML_RIGHT);
        twist vJ = tree_joint(b, b->Sr, v);
        b->v = twist_add(vp, vJ);
        b->a = twist_add(ap, twist_add(tree_joint(b, b->Sr, a), twist_cross(b->v, vJ)));
        b->f = wrench_add(inertia_mul(Is, b->a), twist_cross_dual(b->v, inertia_mul(Is, b->v)));
    }
}

static void right_back(tree *t, int i)
{
    const tree_body *b = &t->body[i];
    t->body[b->parent].f = wrench_add(t->body[b->parent].f, b->f);
}

/* b->v = [ṙ; ω], b->a = [r̈ − g; ω̇], world's axes; b->c.v: from the parent's origin to the body's */
static void mixed(tree *t, const double *v, const double *a)
{
    for (int i = 0; i < t->n; i++) {
        tree_body *b = &t->body[i];
        twist vp = twist_zero(), ap = twist_of(vec3_neg(tree_gravity(t)), vec3_zero());
        vec3 d = b->X.p;
        if (b->parent >= 0) {
            vp = t->body[b->parent].v, ap = t->body[b->parent].a;
            d = mat3_mul_vec(t->body[b->parent].H.R, b->X.p);
        }
        turn_columns(b, HML_MIXED);
        twist vJ = tree_joint(b, b->Sr, v), aJ = tree_joint(b, b->Sr, a);
        b->c.v = d;
        b->v.w = vec3_add(vp.w, vJ.w);
        b->v.v = vec3_add(vp.v, vec3_add(vec3_cross(vp.w, d), vJ.v));
        b->a.w = vec3_add(ap.w, vec3_add(aJ.w, vec3_cross(b->v.w, vJ.w)));
        b->a.v = vec3_add(vec3_add(ap.v, vec3_cross(ap.w, d)), vec3_cross(vp.w, vec3_sub(b->v.v, vp.v)));
        b->a.v = vec3_add(b->a.v, vec3_add(aJ.v, vec3_cross(b->v.w, vJ.v)));
        b->f = newton_euler_classical(inertia_turn(b->H.R, b->I), b->a.v, b->v.w, b->a.w);
    }
}

static void mixed_back(tree *t, int i)
{
    const tree_body *b = &t->body[i];
    tree_body *p = &t->body[b->parent];
    p->f.f = vec3_add(p->f.f, b->f.f);
    p->f.t = vec3_add(p->f.t, vec3_add(b->f.t, vec3_cross(b->c.v, b->f.f)));
}

/* r_i = r_p + R_p d(q): its two derivatives in the world, ω and ω̇ in the body */
static void split(tree *t, const double *v, const double *a)
{
    for (int i = 0; i < t->n; i++) {
        tree_body *b = &t->body[i];
        twist vp = twist_zero(), ap = twist_of(vec3_neg(tree_gravity(t)), vec3_zero());
        mat3 Rp = mat3_identity(), Q = b->X.R;
        if (b->parent >= 0) vp = t->body[b->parent].v, ap = t->body[b->parent].a, Rp = t->body[b->parent].H.R;
        twist vJ = tree_joint(b, b->S, v), aJ = tree_joint(b, b->S, a);
        vec3 d = b->X.p, dd = mat3_mul_vec(Q, vJ.v);                        /* ḋ */
        vec3 ddd = mat3_mul_vec(Q, vec3_add(aJ.v, vec3_cross(vJ.w, vJ.v))); /* d̈ */
        vec3 wd = vec3_cross(vp.w, d);
        vec3 turn = vec3_add(vec3_cross(ap.w, d), vec3_cross(vp.w, vec3_axpy(2, dd, wd)));
        b->v.w = vec3_add(mat3_tmul_vec(Q, vp.w), vJ.w);
        b->v.v = vec3_add(vp.v, mat3_mul_vec(Rp, vec3_add(wd, dd)));
        b->a.w = vec3_add(mat3_tmul_vec(Q, ap.w), vec3_add(aJ.w, vec3_cross(b->v.w, vJ.w)));
        b->a.v = vec3_add(ap.v, mat3_mul_vec(Rp, vec3_add(turn, ddd)));
        b->f = newton_euler_classical(b->I, mat3_tmul_vec(b->H.R, b->a.v), b->v.w, b->a.w);
        b->f.f = mat3_mul_vec(b->H.R, b->f.f);
    }
}

static void split_back(tree *t, int i)
{
    const tree_body *b = &t->body[i];
    tree_body *p = &t->body[b->parent];
    vec3 arm = vec3_cross(b->X.p, mat3_tmul_vec(p->H.R, b->f.f));
    p->f.f = vec3_add(p->f.f, b->f.f);
    p->f.t = vec3_add(p->f.t, vec3_add(mat3_mul_vec(b->X.R, b->f.t), arm));
}

void hmli_tree_wrenches(tree *t, hml_representation representation, const double *v, const double *a,
                        const double *wrenches)
{
    static void (*const forward[])(tree *, const double *, const double *) = {
        [HML_LEFT] = left, [HML_RIGHT] = right, [HML_MIXED] = mixed, [HML_SPLIT] = split};
    static void (*const back[])(tree *, int) = {
        [HML_LEFT] = left_back, [HML_RIGHT] = right_back, [HML_MIXED] = mixed_back, [HML_SPLIT] = split_back};
    forward[representation](t, v, a);
    for (int i = t->n - 1; i >= 0; i--) {
        tree_body *b = &t->body[i];
        if (wrenches) b->f = wrench_sub(b->f, wrench_from_left(representation, b->H, tree_wrench(wrenches, i)));
        if (b->parent >= 0) back[representation](t, i);
    }
}

hml_status hml_rnea(const hml_model *model, void *scratch, hml_representation representation, const double *q,
                    const double *v, const double *a, const double *wrenches, double *tau)
{
    tree t;
    if (!v || !a || !tau || representation < HML_LEFT || representation > HML_SPLIT) return HML_INVALID_ARGUMENT;
    hml_status status = hmli_tree_open(model, scratch, q, v, a, wrenches, &t);
    if (status) return status;
    const unsigned before = overflow_watch();
    hmli_tree_wrenches(&t, representation, v, a, wrenches);
    for (int i = 0; i < model->nv; i++) tau[i] = model_coordinates(model)[i].armature * -a[i];
    hmli_tree_subtract_passive(&t, q, v, tau);
    for (int i = 0; i < t.n; i++) {
        const tree_body *b = &t.body[i];
        int turned = representation == HML_RIGHT || representation == HML_MIXED;
        const twist *S = turned ? b->Sr : b->S;
        wrench f = turned ? b->f : wrench_to_left(representation, b->H, b->f);
        for (int k = 0; k < b->nv; k++) tau[b->at + k] = wrench_dot(f, S[k]) - tau[b->at + k];
    }
    return OVERFLOW_STATUS(before, {tau, (size_t)model->nv});
}
