/* What a joint contributes to the derivative of a variational step: chord_tangent of motion_chord.h. */
#include <string.h>

#include "sim/motion_chord.h"

/* a joint's step, its momentum at the end and D in the middle, as elements of SE(3); its half turn and A = exp(φ/2) */
typedef struct chord {
    int type, m;
    double h;
    const double *mu, *D;
    twist x;
    vec3 half;
    mat3 A;
} chord;

/* w = ½ J(φ/2) δφ: A⁻¹ δA = w^ */
static vec3 half_turn(const chord *c, twist d) { return vec3_scale(0.5, so3_dexp_right_apply(c->half, d.w)); }

static void put_column(const chord *c, int column, const double *from, double *block)
{
    for (int r = 0; r < c->m; r++) block[r * c->m + column] = from[r];
}

/* T δ and N δ */
static void moves(const chord *c, twist d, double *end, double *middle)
{
    const vec3 w = half_turn(c, d), chord_change = vec3_add(d.v, vec3_cross(w, c->x.v));
    chord_project(c->type, mat3_tmul_vec(c->A, chord_change), so3_dexp_right_apply(c->x.w, d.w), end);
    chord_project(c->type, vec3_scale(0.5, chord_change), w, middle);
}

/*
 * bend δ: Tᵀ μ = (A f, ½ L(φ/2) (Δ × A f) + L(φ) t) for μ = (f, t), and Nᵀ D = (½ F, ½ L(φ/2) (½ Δ × F + M)) for
 * D = (F, M), with L = Jᵀ the left Jacobian of exp
 */
static void bend(const chord *c, twist d, double *out)
{
    const twist mu = chord_embed(c->type, c->mu), D = chord_embed(c->type, c->D);
    const vec3 f = mat3_mul_vec(c->A, mu.v), df = mat3_mul_vec(c->A, vec3_cross(half_turn(c, d), mu.v));
    const mat3 L_change = so3_dexp_left_derivative(c->half, vec3_scale(0.5, d.w));
    const vec3 moment = vec3_axpy(-c->h, vec3_axpy(0.5, vec3_cross(c->x.v, D.v), D.w), vec3_cross(c->x.v, f));
    const vec3 moment_change = vec3_add(vec3_cross(d.v, vec3_axpy(-0.5 * c->h, D.v, f)), vec3_cross(c->x.v, df));
    const vec3 lever = vec3_add(mat3_mul_vec(L_change, moment), so3_dexp_left_apply(c->half, moment_change));
    const vec3 spin = mat3_mul_vec(so3_dexp_left_derivative(c->x.w, d.w), mu.w);
    chord_project(c->type, df, vec3_axpy(0.5, lever, spin), out);
}

/* out += f ad_zᵀ y */
static void add_coadjoint(const chord *c, double f, const double *z, const double *y, double *out)
{
    double ad[CHORD_BLOCK] = {0};
    joint_ad(c->type, z, ad);
    for (int k = 0; k < c->m; k++) {
        for (int r = 0; r < c->m; r++) out[k] += f * ad[r * c->m + k] * y[r];
    }
}

/* turn δ, from T δ and N δ */
static void turn(const chord *c, const double *rest, const double *end, const double *middle, double *out)
{
    double pulled[HML_JOINT_MAX_NV] = {0};
    memset(out, 0, (size_t)c->m * sizeof *out);
    add_coadjoint(c, 1, end, c->mu, out);
    add_coadjoint(c, 1, middle, c->D, pulled);
    for (int k = 0; k < c->m; k++) {
        for (int r = 0; r < c->m; r++) out[k] -= c->h * rest[r * c->m + k] * pulled[r];
    }
}

/* a joint whose group commutes: g = θ, m = θ/2 */
static void flat(int m, chord_tangent *out)
{
    memset(out, 0, sizeof *out);
    for (int i = 0; i < m; i++) {
        const int at = i * (m + 1);
        out->T[at] = out->end[at] = out->middle[at] = out->rest[at] = out->step[at] = 1;
        out->N[at] = 0.5;
    }
}

void hmli_chord_tangent(int type, double h, const double *theta, const double *mu, const double *D, chord_tangent *out)
{
    type = group_type(type);
    if (joint_commutes(type)) {
        flat(joint_nv(type), out);
        return;
    }
    chord c = {.type = type, .m = joint_nv(type), .h = h, .mu = mu, .D = D, .x = chord_embed(type, theta)};
    c.half = vec3_scale(0.5, c.x.w);
    c.A = so3_exp(c.half);
    const vec3 way = mat3_mul_vec(c.A, c.x.v);
    const pose g = pose_of(mat3_mul(c.A, c.A), way), middle = pose_of(c.A, vec3_scale(0.5, way));
    chord_adjoint(type, g, out->step);
    chord_adjoint(type, pose_inverse(g), out->end);
    chord_adjoint(type, pose_inverse(middle), out->middle);
    chord_adjoint(type, pose_between(middle, g), out->rest);
    for (int k = 0; k < c.m; k++) {
        double e[HML_JOINT_MAX_NV] = {0}, columns[4][HML_JOINT_MAX_NV] = {{0}};
        e[k] = 1;
        const twist d = chord_embed(type, e);
        moves(&c, d, columns[0], columns[1]);
        turn(&c, out->rest, columns[0], columns[1], columns[2]);
        bend(&c, d, columns[3]);
        put_column(&c, k, columns[0], out->T);
        put_column(&c, k, columns[1], out->N);
        put_column(&c, k, columns[2], out->turn);
        put_column(&c, k, columns[3], out->bend);
    }
}
