/*
 * Loops among the feet of one state: a frame A of the robot that another frame B of it holds, in all rows or as a point.
 *
 * With the twists v_A, v_B of the two bodies, v_R = v_A − v_B, and P the point of A, all as they are and in the root's
 * axes, the rows are the numbers, in axes of A (frame) or of B (point), of
 *
 *   a_R = a_A − a_B + v_A × v_B          frame: c = a_R at P          point: c = (a_R)_P + ω_R × (v_R)_P
 *
 * A column that moves both bodies, or none, leaves c as it is. Of those that move A alone (σ = 1) and B alone (σ = −1),
 * up to a turn of the axes, which changes nothing where c = 0, and with γ = Ψ̇ + S × v_B
 *
 *   ∂a_R/∂q = σ (Ψ̈ + S × a_B − v_A × γ − v_B × Ψ̇)     ∂v_R/∂q = σ γ
 *   ∂a_R/∂ν = σ (Ψ̇ + Ṡ − (v_A + v_B) × S)               ∂v_R/∂ν = σ S
 *
 * λ acts on A and moves with it; the opposite wrench on B moves with A too, and not with B, as the columns of the
 * linearization have it: their right-hand sides are joined by −σ J_Bᵀ (S × λ).
 */
#ifndef HML_KERNEL_SINGLE_HELD_LOOP_H
#define HML_KERNEL_SINGLE_HELD_LOOP_H

#include "kernel/single/held.h"

/* the columns that move one of the two bodies and not both */
static inline void held_loop_path(const single_tree *t, held_foot *f)
{
    const size_t bytes = t->call->paths->bytes;
    const int32_t last = held_last_column(t, f->body), other = held_last_column(t, f->other);
    uint8_t *above = f->room_sets, *behind = above + bytes;
    f->other_depth = held_path_of(t, other, &f->other_path);
    for (size_t k = 0; k < bytes; k++) {
        const unsigned a = last < 0 ? 0 : columns_above(t, last - t->below)[k];
        const unsigned b = other < 0 ? 0 : columns_above(t, other - t->below)[k];
        above[k] = (uint8_t)(a ^ b), behind[k] = (uint8_t)(b & ~a);
    }
    f->depth = 0;
    for (int32_t k = 0; k < t->n; k++) {
        f->room[f->depth] = t->below + k;
        f->depth += above[k / 8] >> k % 8 & 1;
    }
    f->path = f->room, f->above = above, f->behind = behind;
}

static inline void held_loop_place(const single_tree *t, held_foot *f)
{
    const quad flat = {1, 1, 1, 0}, u = held_velocity(t);
    f->slot = f->body - t->tree->body_begin + 1, f->other_slot = f->other - t->tree->body_begin + 1;
    const frame4 A = held_frame_of(t, f->slot, f->placement), B = held_frame_of(t, f->other_slot, f->other_placement);
    const frame4 *axes = f->rows == 6 ? &A : &B;
    const double *v = t->v + f->slot * ROW8, *w = t->v + f->other_slot * ROW8;
    held_loop_path(t, f);
    *(quad_anywhere *)f->p = A.p * flat;
    quads_put(f->v, quad_from(v) + u, quad_from(v + 4));
    quads_put(f->other_v, quad_from(w) + u, quad_from(w + 4));
    *(quad_anywhere *)f->axis[0] = axes->x;
    *(quad_anywhere *)f->axis[1] = axes->y;
    *(quad_anywhere *)f->axis[2] = axes->z;
    if (!(f->stiffness > 0)) return;
    if (f->rows == 6) {
        held_frame_error(pose_between(held_pose(&B), held_pose(&A)), f);
        return;
    }
    const double *g = f->goal;
    *(quad_anywhere *)f->error = (A.p - B.p - B.x * g[3] - B.y * g[7] - B.z * g[11]) * flat;
}

/* c in the root's axes, from the accelerations as the passes have them; a frame's error comes in its own axes */
static inline pair4 held_loop_rate(const single_tree *t, const held_foot *f)
{
    const double *a = t->a + f->slot * ROW8, *b = t->a + f->other_slot * ROW8;
    const quad p = quad_from(f->p), u = held_velocity(t), v = quad_from(f->v), w = quad_from(f->v + 4);
    const quad other_v = quad_from(f->other_v), other_w = quad_from(f->other_v + 4), turning = w - other_w;
    const quad linear =
        quad_from(a) - quad_from(b) - quad_cross(turning, u) + quad_cross(w, other_v) + quad_cross(v, other_w);
    const quad angular = quad_from(a + 4) - quad_from(b + 4) + quad_cross(w, other_w);
    const quad at = v - other_v + quad_cross(turning, p);
    pair4 c = {linear + quad_cross(angular, p) + at * f->damping, angular + turning * f->damping};
    if (f->rows == 6) return c;
    c.v += quad_cross(turning, at);
    if (f->stiffness > 0) c.v += quad_from(f->error) * f->stiffness;
    return c;
}

/* the acceleration of the other body as it is, once that of the robot is known */
static inline void held_loop_acceleration(const single_tree *t, held_foot *f)
{
    const double *b = t->a + f->other_slot * ROW8;
    const quad w = quad_from(f->other_v + 4);
    quads_put(f->other_a, quad_from(b) + quad_from(t->gravity) - quad_cross(w, held_velocity(t)), quad_from(b + 4));
}

#endif
