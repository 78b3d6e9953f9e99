/*
 * The algorithms over expressions: kinematics outwards, sums over subtrees inwards, and the functions made of them. The
 * formulas are those of kernel/composite.h, but every quantity is in the frame of its own body: a column is then a unit
 * vector, and products with it cost nothing. A column's entries in the rows of its ancestors come by moving wrenches
 * towards the root (columns.c).
 *
 * In another frame, moved by p and not turned, the sums of a composite become
 *   J' = J + 2 (e·p) 1 − e pᵀ − p eᵀ, e = h + m p / 2      k' = k + 2 (n·p) 1 − n pᵀ − p nᵀ
 */
#include "generate/columns.h"
#include "generate/moves.h"
#include "generate/solve.h"

#include <stddef.h>

enum acceleration { BIAS, GIVEN, FALLING }; /* FALLING: given, without gravity, in the frame of a falling root */
enum sums { SUM_INERTIA = 1, SUM_FORCE = 2, SUM_MOMENTUM = 4 };

static ex coordinate_input(region *r, program_array array, const program *p, const part *b, int32_t k)
{
    const int32_t column = plan_bodies(p->shape->plan)[b->body].v + k;
    if (array == ARRAY_OWN && r->table[ARRAY_OWN]) return r->table[ARRAY_OWN][hmli_column_place(p, r, column)];
    if (array == ARRAY_OWN && !r->limbs) array = ARRAY_A;
    return hmli_graph_input(&r->g, (int32_t)array, array == ARRAY_OWN ? hmli_column_place(p, r, column) : column);
}

/* Σ S_k x_k of an array of coordinates */
static ex6 joint_motion(const program *p, region *r, const part *b, program_array array)
{
    ex6 sum = ex6_zero();
    for (int32_t k = 0; k < b->nv; k++)
        sum = ex6_add(&r->g, sum, ex6_scale(&r->g, coordinate_input(r, array, p, b, k), b->S[k]));
    return sum;
}

/* gravity in the frame of a root: the placement and the joint turn it */
static ex3 root_gravity(const program *p, region *r, const part *b)
{
    const double *g = p->shape->model->gravity;
    const ex3 world =
        ex3_of(hmli_graph_number(&r->g, g[0]), hmli_graph_number(&r->g, g[1]), hmli_graph_number(&r->g, g[2]));
    return ex33_turn_back(&r->g, &b->Rj, ex33_turn_back(&r->g, &b->Rc, world));
}

/* ---- inertias ---- */

static ex3 sum3(program *p, region *limbs, ex3 a)
{
    return ex3_of(hmli_program_sum(p, limbs, a.x), hmli_program_sum(p, limbs, a.y), hmli_program_sum(p, limbs, a.z));
}

static exs3 sum_s3(program *p, region *limbs, exs3 a)
{
    return (exs3){hmli_program_sum(p, limbs, a.xx), hmli_program_sum(p, limbs, a.xy), hmli_program_sum(p, limbs, a.xz),
                  hmli_program_sum(p, limbs, a.yy), hmli_program_sum(p, limbs, a.yz), hmli_program_sum(p, limbs, a.zz)};
}

static ex_inertia sum_inertia(program *p, region *limbs, ex_inertia I)
{
    return (ex_inertia){hmli_program_sum(p, limbs, I.m), sum3(p, limbs, I.h), sum_s3(p, limbs, I.J)};
}

/*
 * A body that turns about z carries a part that no turn changes: its mass and first moment on the axis, and the moment
 * (J_yy, J_yy, 0). As this part does not feel the joint, it may as well be a part of the parent, and the body keeps six
 * entries less. Exact: I S = 0 of this part, and S ×* I = I S ×. On the world it moves nothing.
 */
static void regroup(program *p, region *r, part *b)
{
    graph *g = &r->g;
    const ex Jyy = b->own.J.yy;
    const ex_inertia moved = {b->own.m, ex3_of(EX_ZERO, EX_ZERO, b->own.h.z),
                              (exs3){Jyy, EX_ZERO, EX_ZERO, Jyy, EX_ZERO, EX_ZERO}};
    if (plan_bodies(p->shape->plan)[b->body].type != HML_JOINT_REVOLUTE) return;
    b->own.m = b->own.h.z = b->own.J.yy = EX_ZERO;
    b->own.J.xx = ex_sub(g, b->own.J.xx, Jyy);
    if (b->parent < 0 && !r->limbs) return;
    const ex33 straight = ex33_identity();
    const ex_inertia up = inertia_step(g, &b->Rc, b->pc, inertia_step(g, &straight, b->pj, moved));
    part *to = b->parent >= 0 ? &r->parts[b->parent] : &p->regions[0].parts[p->part_of[r->limbs->attach]];
    if (b->parent >= 0)
        to->own = ex_inertia_add(g, to->own, up);
    else
        to->own = ex_inertia_add(&p->regions[0].g, to->own, sum_inertia(p, r, up));
}

/* all joints, then all inertias from the leaves to the root */
static void fill_parts(program *p)
{
    for (int32_t k = 0; k < p->nregions; k++) {
        for (int32_t i = 0; i < p->regions[k].nparts; i++) hmli_joint_fill(p, &p->regions[k], &p->regions[k].parts[i]);
    }
    for (int32_t k = p->nregions - 1; k >= 0; k--) {
        for (int32_t i = p->regions[k].nparts - 1; i >= 0; i--) regroup(p, &p->regions[k], &p->regions[k].parts[i]);
    }
}

/* ---- outwards ---- */

static void velocities(program *p, region *r)
{
    for (int32_t i = 0; i < r->nparts; i++) {
        part *b = &r->parts[i];
        ex6 above = ex6_zero();
        if (b->parent >= 0) above = r->parts[b->parent].v;
        if (b->parent < 0 && r->limbs)
            above = hmli_program_import6(p, r, p->regions[0].parts[p->part_of[r->limbs->attach]].v);
        b->vp = part_down(&r->g, b, above);
        b->v = ex6_add(&r->g, b->vp, joint_motion(p, r, b, ARRAY_V));
        if (b->galilean) b->v.v = ex3_zero();
    }
}

/* ν̇ of a falling root without what gravity and its linear velocity add: ν̇ − gravity + ω × u */
static ex6 falling_acceleration(const program *p, region *r, const part *b, int what)
{
    ex6 a = joint_motion(p, r, b, what == GIVEN ? ARRAY_A : ARRAY_OWN);
    if (what != GIVEN) return a;
    const ex3 u = joint_motion(p, r, b, ARRAY_V).v;
    a.v = ex3_sub(&r->g, a.v, root_gravity(p, r, b));
    a.v = ex3_add(&r->g, a.v, ex3_cross(&r->g, b->v.w, u));
    return a;
}

static void accelerations(program *p, region *r, int what)
{
    const double *g = p->shape->model->gravity;
    const ex6 world = ex6_of(
        ex3_of(hmli_graph_number(&r->g, -g[0]), hmli_graph_number(&r->g, -g[1]), hmli_graph_number(&r->g, -g[2])),
        ex3_zero());
    for (int32_t i = 0; i < r->nparts; i++) {
        part *b = &r->parts[i];
        if (b->galilean) {
            b->ap = ex6_zero();
            b->a = what == BIAS ? ex6_zero() : falling_acceleration(p, r, b, what);
            continue;
        }
        ex6 above = world;
        if (b->parent >= 0) above = r->parts[b->parent].a;
        if (b->parent < 0 && r->limbs)
            above = hmli_program_import6(p, r, p->regions[0].parts[p->part_of[r->limbs->attach]].a);
        b->ap = part_down(&r->g, b, above);
        b->a = ex6_add(&r->g, b->ap, ex6_cross(&r->g, b->vp, joint_motion(p, r, b, ARRAY_V)));
        if (what != BIAS) b->a = ex6_add(&r->g, b->a, joint_motion(p, r, b, what == GIVEN ? ARRAY_A : ARRAY_OWN));
    }
}

/* ---- inwards ---- */

/* the part alone */
static void own_sums(region *r, part *b, int what)
{
    graph *g = &r->g;
    const ex6 m = ex_inertia_mul(g, b->own, b->v);
    if (what & SUM_INERTIA) b->sum = b->own;
    if (what & SUM_FORCE) b->f = ex6_add(g, ex_inertia_mul(g, b->own, b->a), ex6_cross_dual(g, b->v, m));
    if (!(what & SUM_MOMENTUM)) return;
    const ex33 J = exs3_matrix(b->own.J);
    const ex3 x = ex3_cross(g, b->v.w, ex33_row(&J, 0)), y = ex3_cross(g, b->v.w, ex33_row(&J, 1));
    const ex3 z = ex3_cross(g, b->v.w, ex33_row(&J, 2));
    const ex two = hmli_graph_number(g, 2);
    const exs3 k = {hmli_graph_mul(g, two, x.x), hmli_graph_add(g, y.x, x.y), hmli_graph_add(g, z.x, x.z),
                    hmli_graph_mul(g, two, y.y), hmli_graph_add(g, z.y, y.z), hmli_graph_mul(g, two, z.z)};
    b->n = m.v;
    b->t = m.w;
    b->k = exs3_shift(g, k, b->own.h, b->v.v);
}

/* adds a part to its parent; the first one of limbs, all members together, to the trunk */
static void add_to_parent(program *p, region *r, part *b, int what)
{
    region *trunk = &p->regions[0];
    part up = {0};
    up.sum = what & SUM_INERTIA ? part_inertia_up(&r->g, b, b->sum) : up.sum;
    if (what & SUM_FORCE) up.f = part_up(&r->g, b, b->f);
    if (what & SUM_MOMENTUM) {
        const ex6 m = part_up(&r->g, b, ex6_of(b->n, b->t));
        up.n = m.v, up.t = m.w;
        up.k = part_k_up(&r->g, b, b->n, b->k);
    }
    if (b->parent < 0 && !r->limbs) return;
    part *to = b->parent < 0 ? &trunk->parts[p->part_of[r->limbs->attach]] : &r->parts[b->parent];
    if (b->parent < 0) {
        up.sum = sum_inertia(p, r, up.sum);
        up.f = ex6_of(sum3(p, r, up.f.v), sum3(p, r, up.f.w));
        up.n = sum3(p, r, up.n), up.t = sum3(p, r, up.t), up.k = sum_s3(p, r, up.k);
    }
    graph *g = b->parent < 0 ? &trunk->g : &r->g;
    if (what & SUM_INERTIA) to->sum = ex_inertia_add(g, to->sum, up.sum);
    if (what & SUM_FORCE) to->f = ex6_add(g, to->f, up.f);
    if (!(what & SUM_MOMENTUM)) return;
    to->n = ex3_add(g, to->n, up.n), to->t = ex3_add(g, to->t, up.t);
    to->k = exs3_add(g, to->k, up.k);
}

static void own_of_all(region *r, int what)
{
    for (int32_t i = 0; i < r->nparts; i++) own_sums(r, &r->parts[i], what);
}

static void inwards(program *p, region *r, int what)
{
    for (int32_t i = r->nparts - 1; i >= 0; i--) add_to_parent(p, r, &r->parts[i], what);
}

/*
 * The bias of every column: gravity, Coriolis, damping and springs. Into H go the forces that act minus the bias, into TAU
 * the forces that an acceleration needs.
 */
static void store_forces(program *p, region *r, program_array array)
{
    graph *g = &r->g;
    for (int32_t i = 0; i < r->nparts; i++) {
        const part *b = &r->parts[i];
        const int32_t first = plan_bodies(p->shape->plan)[b->body].v;
        for (int32_t k = 0; k < b->nv; k++) {
            const ex damping = hmli_program_damping(p, r, first + k);
            ex h = ex6_dot(g, b->S[k], b->f);
            h = hmli_graph_add(g, h, hmli_graph_mul(g, damping, coordinate_input(r, ARRAY_V, p, b, k)));
            h = hmli_graph_add(g, h, hmli_joint_spring(p, r, b, k));
            if (array == ARRAY_TAU) {
                const ex armature = hmli_program_armature(p, r, first + k);
                h = hmli_graph_add(g, h, hmli_graph_mul(g, armature, coordinate_input(r, ARRAY_A, p, b, k)));
                hmli_program_store(r, ARRAY_TAU, hmli_column_place(p, r, first + k), h);
            } else {
                h = ex_sub(g, coordinate_input(r, ARRAY_FORCE, p, b, k), h);
                hmli_program_store(r, ARRAY_H, hmli_column_place(p, r, first + k), h);
            }
        }
    }
}

/* gravity in the frames of falling roots, which the last stage puts back */
static void store_gravity(program *p)
{
    region *r = &p->regions[0];
    int32_t roots = 0;
    for (int32_t i = 0; i < r->nparts; i++) {
        if (!r->parts[i].galilean) continue;
        const ex3 g = root_gravity(p, r, &r->parts[i]);
        const ex all[3] = {g.x, g.y, g.z};
        for (int k = 0; k < 3; k++) hmli_program_store(r, ARRAY_GRAVITY, 3 * roots + k, all[k]);
        roots++;
    }
}

/* ---- the functions ---- */

/* steps 0 to 2: out along the trunk, out and in along the limbs, in along the trunk */
static void first_steps(program *p, int acceleration, int what)
{
    region *trunk = &p->regions[0];
    fill_parts(p);
    velocities(p, trunk);
    if (what & SUM_FORCE) accelerations(p, trunk, acceleration);
    own_of_all(trunk, what);
    for (int32_t i = 1; i < p->nregions; i++) {
        region *r = &p->regions[i];
        r->step = 1;
        velocities(p, r);
        if (what & SUM_FORCE) accelerations(p, r, acceleration);
        own_of_all(r, what);
        inwards(p, r, what);
        if (what & SUM_INERTIA) hmli_columns_mass(p, r);
        if (what & SUM_FORCE) store_forces(p, r, acceleration == BIAS ? ARRAY_H : ARRAY_TAU);
        if (p->solves) hmli_solve_limbs(r);
    }
    trunk->step = 2;
    inwards(p, trunk, what);
    if (what & SUM_INERTIA) hmli_columns_mass(p, trunk);
    if (what & SUM_FORCE) store_forces(p, trunk, acceleration == BIAS ? ARRAY_H : ARRAY_TAU);
    if (p->solves) hmli_solve_trunk(p);
}

void hmli_passes_mass_matrix(program *p) { first_steps(p, BIAS, SUM_INERTIA); }
void hmli_passes_inverse_dynamics(program *p) { first_steps(p, GIVEN, SUM_FORCE); }

/* steps 0 to 2, and what the last stage needs */
static void solve_steps(program *p)
{
    first_steps(p, BIAS, SUM_INERTIA | SUM_FORCE);
    store_gravity(p);
}

/* step 3: the acceleration of limbs, unless loops solve */
void hmli_passes_forward_dynamics(program *p)
{
    solve_steps(p);
    for (int32_t i = 1; p->solves && i < p->nregions; i++) {
        p->regions[i].step = 3;
        hmli_solve_accelerations(p, &p->regions[i]);
    }
}

/* columns of a limb's path that a falling root makes known: 6 of the configuration, 3 of the velocity */
static int32_t known_columns(const program *p, const region *r, int of_q)
{
    const int32_t top = p->shape->column[r->limbs->path[0]];
    if (!hmli_shape_is_galilean(p->shape, plan_columns(p->shape->plan)[top].body)) return 0;
    return of_q ? 6 : 3;
}

/* steps 3 to 5: the same ways once more, with the acceleration */
void hmli_passes_linearize(program *p)
{
    region *trunk = &p->regions[0];
    solve_steps(p);
    for (int32_t i = 1; i < p->nregions; i++) {
        if (p->regions[i].multiplies) hmli_solve_keep(&p->regions[i]);
    }
    trunk->step = 3;
    accelerations(p, trunk, FALLING);
    own_of_all(trunk, SUM_FORCE | SUM_MOMENTUM);
    hmli_columns_motions(trunk);
    for (int32_t i = 1; i < p->nregions; i++) {
        region *r = &p->regions[i];
        r->step = 4;
        if (p->solves) hmli_solve_accelerations(p, r);
        accelerations(p, r, FALLING);
        own_of_all(r, SUM_FORCE | SUM_MOMENTUM);
        inwards(p, r, SUM_FORCE | SUM_MOMENTUM);
        hmli_columns_motions(r);
        hmli_columns_derivatives(p, r);
        if (p->solves) hmli_solve_right_limbs(r, known_columns(p, r, 1), known_columns(p, r, 0));
    }
    trunk->step = 5;
    inwards(p, trunk, SUM_FORCE | SUM_MOMENTUM);
    hmli_columns_derivatives(p, trunk);
    if (p->solves) hmli_solve_right_trunk(p);
}

/* ---- frames and holds ---- */

void hmli_passes_frames(program *p)
{
    fill_parts(p);
    hmli_kinematics_frames(p);
}

/* steps 0 to 2: M, forces, rows of the holds; 3 and 5: derivatives, with the acceleration and the forces of the rows */
void hmli_passes_held(program *p)
{
    region *trunk = &p->regions[0];
    first_steps(p, BIAS, SUM_INERTIA | SUM_FORCE);
    hmli_kinematics_rows(p);
    trunk->step = 3;
    accelerations(p, trunk, FALLING);
    own_of_all(trunk, SUM_FORCE | SUM_MOMENTUM);
    hmli_kinematics_push(p);
    hmli_columns_motions(trunk);
    trunk->step = 5;
    inwards(p, trunk, SUM_FORCE | SUM_MOMENTUM);
    hmli_columns_derivatives(p, trunk);
    hmli_kinematics_derivatives(p);
}
