/*
 * hml_dynamics: the equations of motion of one state, and what a person asks about it.
 *
 * M and h are inverse dynamics with ν̇ = 0; gravity is the same at rest without passive and external forces. The passes
 * leave mass, first moment and momentum of every tree in its root body, in the root frame, without a free root's linear
 * velocity u, which adds [m u; h × u]. From there they go to the world once, so that no digit is lost far from its
 * origin.
 */
#include <string.h>

#include "algo/dynamics/mimic.h"
#include "algo/work.h"
#include "base/overflow.h"
#include "base/struct_size.h"
#include "hamel/dynamics.h"
#include "kernel/scratch.h"
#include "model/coordinates.h"
#include "model/mimic.h"

/*
 * mass, first moment and momentum of all trees about the world's origin, from what inverse dynamics left in the scratch
 */
typedef struct totals {
    double mass;
    vec3 first; /* Σ m c */
    wrench momentum;
    vec3 centroid; /* angular momentum about the com */
} totals;

static totals sum_trees(const hml_work *work)
{
    const hml_plan *plan = model_plan(work->model);
    const kept_scratch k = hmli_work_kept(work);
    totals sum = {0, vec3_zero(), wrench_zero(), vec3_zero()};
    for (int32_t t = 0; t < plan->ntrees; t++) {
        const composite *root = &k.bodies[plan_trees(plan)[t].body_begin].sum;
        const base_motion *base = &k.base[t];
        double m = root->I.m;
        vec3 n = vec3_axpy(m, base->u, root->n), angular = vec3_add(root->t, vec3_cross(root->I.h, base->u));
        sum.mass += m;
        sum.first = vec3_add(sum.first, vec3_axpy(m, base->H.p, mat3_mul_vec(base->H.R, root->I.h)));
        sum.momentum = wrench_add(sum.momentum, pose_ad_dual(base->H, wrench_of(n, angular)));
        if (m > 0 && plan->ntrees == 1) {
            vec3 about_com = vec3_sub(angular, vec3_scale(1 / m, vec3_cross(root->I.h, n)));
            sum.centroid = mat3_mul_vec(base->H.R, about_com);
        }
    }
    if (sum.mass > 0 && plan->ntrees != 1) { /* several trees have their com in none of them */
        vec3 com = vec3_scale(1 / sum.mass, sum.first);
        sum.centroid = vec3_sub(sum.momentum.t, vec3_cross(com, sum.momentum.f));
    }
    return sum;
}

static void put_wrench(double *out, vec3 f, vec3 t)
{
    if (!out) return;
    vec3_put(f, out);
    vec3_put(t, out + 3);
}

double hmli_spring_energy(const hml_work *work, const double *q)
{
    const hml_model *m = work->model;
    const model_body *b = model_bodies(m);
    const model_coordinate *c = model_coordinates(m);
    double sum = 0;
    if (!m->passive) return 0;
    if (m->nfollowers) {
        model_expand_q(m, q, work->tree); /* the tree's q comes first there */
        q = work->tree;
    }
    for (int32_t i = 0; i < m->nbodies; i++) {
        double log[HML_JOINT_MAX_NV] = {0};
        joint_difference(b[i].type, &model_rest(m)[b[i].q], &q[b[i].q], log);
        for (int32_t k = 0; k < b[i].nv; k++) sum += 0.5 * c[b[i].v + k].stiffness * log[k] * log[k];
    }
    return sum;
}

/* ½ Σ vᵀ I v over the tree and ½ armature ν²; that is ½ νᵀ M ν */
static double kinetic_energy(size_t n, const double *M, const double *v)
{
    double sum = 0;
    for (size_t r = 0; r < n; r++) {
        for (size_t c = 0; c < n; c++) sum += 0.5 * v[r] * M[r * n + c] * v[c];
    }
    return sum;
}

static hml_status summarize(const hml_model *model, hml_work *work, const double *q, const double *v, const double *tau,
                            const double *wrenches, hml_dynamics_result *result)
{
    hml_status status = hmli_work_check_state(model, q, v, tau, wrenches);
    if (status) return status;
    size_t nv = (size_t)model->nv;
    const unsigned before = overflow_watch();
    kernel_call call;
    work_call(work, &call);
    call.q.data = q;
    call.v.data = v;
    if (result->gravity) {
        kernel_call rest = call;
        memset(result->h, 0, nv * sizeof(double)); /* at rest; h itself comes later */
        rest.v.data = result->h;
        rest.passive = 0;
        rest.torque.data = result->gravity;
        hmli_work_inverse_dynamics(work, &rest);
    }
    call.wrenches.data = wrenches;
    call.torque.data = result->h;
    call.M.data = result->M;
    call.M.ld = nv;
    memset(result->M, 0, nv * nv * sizeof(double));
    hmli_work_inverse_dynamics(work, &call);

    totals sum = sum_trees(work);
    vec3 com = sum.mass > 0 ? vec3_scale(1 / sum.mass, sum.first) : vec3_zero();
    const double *g = model->gravity;
    if (result->com) vec3_put(com, result->com);
    put_wrench(result->momentum, sum.momentum.f, sum.momentum.t);
    put_wrench(result->centroidal_momentum, sum.momentum.f, sum.centroid);
    result->kinetic_energy = kinetic_energy(nv, result->M, v);
    result->potential_energy = -(g[0] * sum.first.x + g[1] * sum.first.y + g[2] * sum.first.z);
    result->potential_energy += hmli_spring_energy(work, q);
    status = OVERFLOW_STATUS(before, {result->M, nv * nv}, {result->h, nv}, {result->gravity, nv}, {result->com, 3},
                             {result->centroidal_momentum, 6}, {result->momentum, 6}, {&result->kinetic_energy, 1},
                             {&result->potential_energy, 1});
    if (status || !result->acceleration) return status;
    return hml_forward_dynamics(model, work, q, v, tau, wrenches, result->acceleration);
}

hml_status hml_dynamics(const hml_model *model, hml_work *work, const double *q, const double *v, const double *tau,
                        const double *wrenches, hml_dynamics_result *result)
{
    hml_dynamics_result room;
    const hml_dynamics_result *taken = STRUCT_TAKE(hml_dynamics_result, result, &room, h);
    if (!taken || hmli_work_check(model, work, HML_USE_FACTOR) || !q || !v || !taken->M || !taken->h) {
        return HML_INVALID_ARGUMENT;
    }
    hml_dynamics_result *own = taken == result ? result : &room;
    hml_status status = summarize(model, work, q, v, tau, wrenches, own);
    struct_give(result, own, sizeof *own);
    return status;
}
