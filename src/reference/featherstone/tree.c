/* See tree.h. */
#include "reference/featherstone/tree.h"

#include "algo/work.h"

/* doubles a coordinate (S, Sr, Sd; U, D, u; vector) and doubles a body (IA; V, F) */
enum { COLUMN = 5 * 6 + 6 + 6 + 1 + 1, BODY = 36 + 4 * 6 + 3 * 6 };

size_t hml_recursive_size(const hml_model *model)
{
    if (!model || model->nfollowers) return 0;
    size_t n = (size_t)model->nbodies, nv = (size_t)model->nv;
    return n * sizeof(tree_body) + (BODY * n + COLUMN * nv + 1) * sizeof(double);
}

/* the arrays of body i; those of one kind lie together, those that are used together after each other */
static void lay_out(const tree *t, int i)
{
    tree_body *b = &t->body[i];
    size_t n = (size_t)t->n, nv = (size_t)t->model->nv, at = (size_t)b->at, k = (size_t)i;
    double *columns = t->vector + nv, *articulated = columns + 12 * nv, *derivatives = articulated + 13 * nv + 36 * n;
    b->S = (twist *)(void *)(columns + 6 * at);
    b->Sr = (twist *)(void *)(columns + 6 * (nv + at));
    b->IA = articulated + 36 * k;
    b->U = articulated + 36 * n + 6 * at;
    b->D = articulated + 36 * n + 6 * (nv + at); /* nv² of the joint are 6 nv at most */
    b->u = articulated + 36 * n + 12 * nv + at;
    for (size_t d = 0; d < 3; d++) b->Sd[d] = (twist *)(void *)(derivatives + 6 * (d * nv + at));
    b->V = (twist *)(void *)(derivatives + 18 * nv + 24 * k);
    b->F = (wrench *)(void *)(derivatives + 18 * nv + 24 * n + 18 * k);
}

hml_status hmli_tree_open(const hml_model *model, void *scratch, const double *q, const double *v, const double *other,
                          const double *wrenches, tree *t)
{
    if (!model || !scratch || !q) return HML_INVALID_ARGUMENT;
    if (model->nfollowers) return HML_UNSUPPORTED;
    hml_status status = hmli_work_check_state(model, q, v, other, wrenches);
    if (status) return status;
    t->n = model->nbodies;
    t->model = model;
    t->body = (tree_body *)scratch;
    t->vector = (double *)(void *)(t->body + t->n);
    for (int i = 0; i < t->n; i++) {
        const model_body *m = &model_bodies(model)[i];
        tree_body *b = &t->body[i];
        vec3 axis = vec3_at(m->axis), point = vec3_at(m->point);
        double unit[HML_JOINT_MAX_NQ];
        memcpy(unit, &q[m->q], (size_t)m->nq * sizeof *unit);
        if (m->type == HML_JOINT_SPHERICAL) quat_put(quat_normalize(quat_at(unit)), unit);
        if (m->type == HML_JOINT_FREE) quat_put(quat_normalize(quat_at(unit + 3)), unit + 3);
        b->parent = m->parent;
        b->root = m->root;
        b->nv = m->nv;
        b->at = m->v;
        lay_out(t, i);
        b->X = pose_mul(pose_of(mat3_at(m->R, 3), vec3_at(m->p)), joint_pose(m->type, axis, point, m->pitch, unit));
        b->H = m->parent < 0 ? b->X : pose_mul(t->body[m->parent].H, b->X);
        joint_columns(m->type, axis, point, m->pitch, b->S);
        b->I = inertia_of_com(m->mass, vec3_at(m->com), sym3_at(m->moment));
    }
    return HML_OK;
}

void hmli_tree_to_root(tree *t)
{
    for (int i = 0; i < t->n; i++) {
        tree_body *b = &t->body[i];
        b->P = b->parent < 0 ? pose_identity() : pose_mul(t->body[b->parent].P, b->X);
        b->Ic = inertia_transform(b->P, b->I);
        for (int k = 0; k < b->nv; k++) b->Sr[k] = pose_ad(b->P, b->S[k]);
    }
}

void hmli_tree_motion(tree *t, const double *v, const double *a)
{
    for (int i = 0; i < t->n; i++) {
        tree_body *b = &t->body[i];
        twist vp = twist_zero(), ap = twist_of(vec3_neg(tree_gravity(t)), vec3_zero());
        if (b->parent >= 0) vp = t->body[b->parent].v, ap = t->body[b->parent].a;
        const twist vJ = tree_joint(b, b->S, v), aJ = a ? tree_joint(b, b->S, a) : twist_zero();
        b->v = twist_add(pose_ad_inverse(b->X, vp), vJ);
        b->a = twist_add(pose_ad_inverse(b->X, ap), twist_add(aJ, twist_cross(b->v, vJ)));
    }
}

void hmli_tree_subtract_passive(const tree *t, const double *q, const double *v, double *x)
{
    const model_coordinate *c = model_coordinates(t->model);
    for (int i = 0; t->model->passive && i < t->n; i++) {
        const model_body *m = &model_bodies(t->model)[i];
        double log[HML_JOINT_MAX_NV] = {0};
        joint_difference(m->type, &model_rest(t->model)[m->q], &q[m->q], log);
        for (int k = 0; k < m->nv; k++)
            x[m->v + k] -= c[m->v + k].damping * v[m->v + k] + c[m->v + k].stiffness * log[k];
    }
}
