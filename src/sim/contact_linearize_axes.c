/*
 * The two halves of a step of contact, differentiated: from the start to q_M, and from q_M to the end.
 *
 * With A = exp(½h ω) and the right Jacobian S of exp, a joint that slides and turns goes from (z, δν) at the start to
 *
 *   z_ω' = Aᵀ z_ω + S ½h δω,   z_v' = Aᵀ (z_v + ½h δu),   δu = z_ω × v + δv
 *   δv'  = Aᵀ δu − z_ω' × v',  δω' = δω
 *
 * and with B = exp(x_ω), T = S(x_ω) δx_ω from there to
 *
 *   z_ω⁺ = Bᵀ z_ω' + T,   z_v⁺ = Bᵀ (z_v' + z_ω' × x_v + δx_v),   δv⁺ = Bᵀ δv' − T × v⁺
 */
#include "sim/contact_linearize.h"

#include <string.h>

#include "group/joint.h"
#include "model/coordinates.h"

/* a joint's coordinates as vectors: v along, w about its axes */
static twist motion_of(const model_joint *j, const double *x)
{
    const joint_axes axes = joint_axes_of(group_type(j->type));
    double parts[2][3] = {{0}};
    x += j->v;
    for (int k = 0; k < 3; k++)
        if (axes.slides >> k & 1) parts[0][k] = *x++;
    for (int k = 0; k < 3; k++)
        if (axes.turns >> k & 1) parts[1][k] = *x++;
    return twist_of(vec3_at(parts[0]), vec3_at(parts[1]));
}

static void put_motion(const model_joint *j, twist V, double *x)
{
    const joint_axes axes = joint_axes_of(group_type(j->type));
    double parts[2][3];
    vec3_put(V.v, parts[0]), vec3_put(V.w, parts[1]);
    x += j->v;
    for (int k = 0; k < 3; k++)
        if (axes.slides >> k & 1) *x++ = parts[0][k];
    for (int k = 0; k < 3; k++)
        if (axes.turns >> k & 1) *x++ = parts[1][k];
}

static int is_curved(const model_joint *j) { return !joint_commutes(group_type(j->type)); }

/* does the joint slide in axes that turn? */
static int slides_and_turns(const model_joint *j) { return is_curved(j) && j->type != HML_JOINT_SPHERICAL; }

static void start_of_joint(const contact_tangent *t, const model_joint *j, const double *dv, double *z, double *v)
{
    const contact_record *record = &t->c->record;
    const double half = 0.5 * t->h;
    const twist nu = motion_of(j, record->v), change = motion_of(j, dv), motion = motion_of(j, z);
    const vec3 way = vec3_scale(half, nu.w), du = vec3_add(vec3_cross(motion.w, nu.v), change.v);
    const mat3 A = so3_exp(way);
    twist middle, after;
    middle.w = vec3_add(mat3_tmul_vec(A, motion.w), so3_dexp_right_apply(way, vec3_scale(half, change.w)));
    middle.v = mat3_tmul_vec(A, vec3_axpy(half, du, motion.v));
    after.v = vec3_sub(mat3_tmul_vec(A, du), vec3_cross(middle.w, motion_of(j, t->c->v).v));
    after.w = change.w;
    put_motion(j, middle, z);
    put_motion(j, after, v);
}

void hmli_contact_tangent_start(const contact_tangent *t, size_t k)
{
    const size_t n = t->n;
    double *z = t->z + k * n, *v = t->v + k * n, *dv = t->x;
    memset(z, 0, n * sizeof *z);
    memset(dv, 0, n * sizeof *dv);
    if (k < n)
        z[k] = 1;
    else if (k < 2 * n)
        dv[k - n] = 1;
    memcpy(v, dv, n * sizeof *v);
    for (const model_joint *j = first_joint(t->c->model); j; j = next_joint(t->c->model, j)) {
        if (is_curved(j)) {
            start_of_joint(t, j, dv, z, v);
            continue;
        }
        for (int32_t i = j->v; i < j->v + j->nv; i++) z[i] += 0.5 * t->h * dv[i];
    }
}

static void end_of_joint(const contact_tangent *t, const model_joint *j, const double *x, const double *z,
                         const double *du, const double *dx, double *q, double *v)
{
    const twist way = motion_of(j, x), motion = motion_of(j, z), after = motion_of(j, du), change = motion_of(j, dx);
    const mat3 B = so3_exp(way.w);
    const vec3 turn = so3_dexp_right_apply(way.w, change.w);
    const vec3 slid = vec3_add(vec3_add(motion.v, vec3_cross(motion.w, way.v)), change.v);
    const vec3 velocity = mat3_tmul_vec(B, motion_of(j, t->c->record.after).v);
    const vec3 angular = vec3_add(mat3_tmul_vec(B, motion.w), turn);
    const vec3 linear = vec3_sub(mat3_tmul_vec(B, after.v), vec3_cross(turn, velocity));
    put_motion(j, twist_of(mat3_tmul_vec(B, slid), angular), q);
    put_motion(j, twist_of(linear, after.w), v);
}

void hmli_contact_tangent_end(const contact_tangent *t, const double *x, const double *z, const double *du,
                              const double *dx, double *q, double *v)
{
    for (const model_joint *j = first_joint(t->c->model); j; j = next_joint(t->c->model, j)) {
        if (is_curved(j)) {
            end_of_joint(t, j, x, z, du, dx, q, v);
            continue;
        }
        for (int32_t i = j->v; i < j->v + j->nv; i++) q[i] = z[i] + dx[i], v[i] = du[i];
    }
}

void hmli_contact_add_turning_change(const hml_model *model, const double *v, const double *dv, double h, double *out)
{
    for (const model_joint *j = first_joint(model); j; j = next_joint(model, j)) {
        if (!slides_and_turns(j)) continue;
        const twist V = motion_of(j, v), d = motion_of(j, dv);
        twist sum = motion_of(j, out);
        sum.v = vec3_axpy(h, vec3_add(vec3_cross(d.w, V.v), vec3_cross(V.w, d.v)), sum.v);
        put_motion(j, sum, out);
    }
}
