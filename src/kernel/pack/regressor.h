/*
 * The regressor, over num: Y with τ = Y π + what does not depend on the inertial parameters π.
 *
 * A body's wrench is linear in its ten parameters m, h = m c, J, which belong to its own axes R and origin p. In the root
 * frame, with A the acceleration of the origin less gravity, force f and torque n about the origin are
 *
 *   m:  f = A                      h:  f = (α^ + ω^ω^) R e    n = R e × A             J:  n = R N e,
 *
 * N of the body's own ω and α: J α + ω × J ω = Σ N_k J_k. A column S = (s, σ) takes u·f + σ·n of it, u = s + σ × p. The
 * columns of a free root are unit vectors: their rows are the wrench itself. (reference/regressor.c turns columns into
 * the bodies instead.)
 */
#ifndef HML_KERNEL_PACK_REGRESSOR_H
#define HML_KERNEL_PACK_REGRESSOR_H

#include "kernel/pack/robot.h"

enum { BODY_PARAMETERS = 10 };

typedef struct regressor_wrench {
    vec3 p;
    vec3 f[4]; /* of m and h */
    vec3 n[9]; /* of h and J */
} regressor_wrench;

static inline size_t regressor_scratch_lay(const hml_plan *plan, void *memory, robot_scratch *k)
{
    layout_cursor at = layout_begin(memory);
    robot_scratch_lay(plan, &at, k);
    return at.used;
}

NUM_INLINE void regressor_wrench_of(const robot_link *b, const plan_body *p, regressor_wrench *r)
{
    const pose P = pose_mul(b->H, plan_pose(p->to_body));
    const vec3 w = b->v.w, e = b->a.w;
    const vec3 velocity = vec3_add(b->v.v, vec3_cross(w, P.p));
    const vec3 A = vec3_add(vec3_add(b->a.v, vec3_cross(e, P.p)), vec3_cross(w, velocity));
    const vec3 axes[3] = {P.R.x, P.R.y, P.R.z};
    r->p = P.p;
    r->f[0] = A;
    for (int k = 0; k < 3; k++) {
        r->f[1 + k] = vec3_add(vec3_cross(e, axes[k]), vec3_cross(w, vec3_cross(w, axes[k])));
        r->n[k] = vec3_cross(axes[k], A);
    }
    const vec3 o = mat3_tmul_vec(P.R, w), d = mat3_tmul_vec(P.R, e); /* ω and α in the body's axes */
    const num xx = o.x * o.x, yy = o.y * o.y, zz = o.z * o.z, xy = o.x * o.y, xz = o.x * o.z, yz = o.y * o.z;
    r->n[3] = mat3_mul_vec(P.R, vec3_of(d.x, xz, -xy));
    r->n[4] = mat3_mul_vec(P.R, vec3_of(d.y - xz, d.x + yz, xx - yy));
    r->n[5] = mat3_mul_vec(P.R, vec3_of(d.z + xy, zz - xx, d.x - yz));
    r->n[6] = mat3_mul_vec(P.R, vec3_of(-yz, d.y, xy));
    r->n[7] = mat3_mul_vec(P.R, vec3_of(yy - zz, d.z - xy, d.y + xz));
    r->n[8] = mat3_mul_vec(P.R, vec3_of(yz, -xz, d.z));
}

/* what a column takes of the ten wrenches */
NUM_INLINE void regressor_row(const regressor_wrench *r, twist S, num y[BODY_PARAMETERS])
{
    const vec3 u = vec3_add(S.v, vec3_cross(S.w, r->p));
    y[0] = vec3_dot(u, r->f[0]);
    for (int k = 0; k < 3; k++) y[1 + k] = vec3_dot(u, r->f[1 + k]) + vec3_dot(S.w, r->n[k]);
    for (int k = 3; k < 9; k++) y[1 + k] = vec3_dot(S.w, r->n[k]);
}

/* the six rows of a free root */
static inline void regressor_base(const regressor_wrench *r, num y[6][BODY_PARAMETERS])
{
    for (int k = 0; k < BODY_PARAMETERS; k++) {
        const vec3 f = k < 4 ? r->f[k] : vec3_zero();
        vec3 t = k ? r->n[k - 1] : vec3_zero();
        if (k < 4) t = vec3_add(t, vec3_cross(r->p, f));
        y[0][k] = f.x, y[1][k] = f.y, y[2][k] = f.z;
        y[3][k] = t.x, y[4][k] = t.y, y[5][k] = t.z;
    }
}

/* zeros where a column carries nothing */
static inline void regressor_clear(const robot_call *call)
{
    const hml_plan *plan = call->plan;
    const kernel_output out = call->regressor;
    const size_t all = BODY_PARAMETERS * (size_t)plan->nbodies;
    for (int32_t c = 0; c < plan->nv; c++) {
        const int32_t body = plan_columns(plan)[c].body;
        const size_t begin = BODY_PARAMETERS * (size_t)body,
                     end = BODY_PARAMETERS * (size_t)plan_bodies(plan)[body].end;
        for (int l = 0; l < call->count; l++) {
            lane *row = out.data + (size_t)l * out.stride + (size_t)c * out.ld;
            memset(row, 0, begin * sizeof *row);
            memset(row + end, 0, (all - end) * sizeof *row);
        }
    }
}

static inline unsigned pack_regressor(const robot_call *call)
{
    const hml_plan *plan = call->plan;
    const plan_body *pb = plan_bodies(plan);
    robot_scratch k;
    regressor_scratch_lay(plan, call->scratch, &k);
    robot_load(call, &k);
    regressor_clear(call);
    for (int32_t t = 0; t < plan->ntrees; t++) {
        const plan_tree *tree = &plan_trees(plan)[t];
        for (int32_t i = tree->body_begin; i < tree->body_end; i++) {
            kernel_output to = call->regressor;
            regressor_wrench r;
            num y[BODY_PARAMETERS], base[6][BODY_PARAMETERS];
            to.data += BODY_PARAMETERS * (size_t)i;
            robot_out(2, &k, &pb[i], t, call->gravity);
            regressor_wrench_of(&k.links[pb[i].level], &pb[i], &r);
            for (int32_t j = i; j >= 0; j = pb[j].parent) {
                if (tree->base && pb[j].parent < 0) break;
                for (int32_t c = pb[j].v; c < pb[j].v + pb[j].nv; c++) {
                    regressor_row(&r, k.columns[c].S, y);
                    store_row(to, call->count, c, BODY_PARAMETERS, y);
                }
            }
            if (!tree->base) continue;
            regressor_base(&r, base);
            for (int32_t c = 0; c < tree->base; c++)
                store_row(to, call->count, tree->begin + c, BODY_PARAMETERS, base[c]);
        }
    }
    return robot_bad(call, &k);
}

#endif
