/*
 * A stage of Munthe-Kaas for a robot on a free root, limb by limb: limb_results in kernel/call.h has the formula. With K_b,
 * rows of the root, and K_l, those of a limb, and the same for θ and ν,
 *
 *   felt = D_q dθ + D_ν dν + M⁻¹ w           the root's acceleration as the limbs feel it, six rows
 *   K_l  = W felt + D_ν,ω dω + D_q,l dθ_l + D_ν,l dν_l + M⁻¹_l w
 *   K_b  = felt + motion (dθ_b, dν_b)
 *
 * So a limb of m coordinates has 9 + 2m factors per row, and not those of all other limbs.
 */
#ifndef HML_KERNEL_SINGLE_STEP_LIMBS_H
#define HML_KERNEL_SINGLE_STEP_LIMBS_H

#include "kernel/single/step.h"

/*
 * What the limb of coordinates begin … end − 1 does by itself: factors behind W, in the order of limb_rows, and D_q in the
 * columns of z_ν of K
 */
static inline void limb_factors(const step_call *s, size_t begin, size_t end, double a, double b, int second)
{
    const size_t n = s->n, m = end - begin;
    for (size_t r = begin; r < end; r++) {
        lane *row = s->K[s->stage] + r * s->ld + s->begin, *to = s->factor + r * 2 * n;
        scaled_row(3, a, row + n + 3, to + 6);
        scaled_row(m, a, row + n + begin, to + STEP_LIMB_SHARED);
        angle_factors(s, begin, end, a, b, second, row, to + STEP_LIMB_SHARED + m);
    }
}

/* the rows that these factors multiply; returns their number */
static inline size_t limb_rows(const step_call *s, size_t begin, size_t end, int second)
{
    const lane **row = s->rows;
    for (size_t d = 0; d < 6; d++) *row++ = s->K[s->stage] + d * s->ld;
    row = velocity_rows(s, 3, 6, row);
    row = velocity_rows(s, begin, end, row);
    row = angle_rows(s, begin, end, second, row);
    return (size_t)(row - s->rows);
}

/* `motion` in the root's rows: what q and ν of the root do to its linear acceleration, and the limbs do not feel */
static inline void root_motion(const step_call *s, double a)
{
    const size_t n = s->n, ld = s->ld;
    const lane *motion = s->limbs.motion, **row = s->rows;
    for (size_t d = 3; d < 6; d++) *row++ = s->joints[0].moved + d * ld;
    velocity_rows(s, 0, 6, row);
    for (size_t r = 0; r < 3; r++, motion += 12) {
        lane *factor = s->factor + r * 2 * n, *to = s->K[s->stage] + r * ld + s->begin + n;
        for (size_t d = 0; d < 3; d++) factor[d] = motion[3 + d];
        for (size_t d = 0; d < 6; d++) factor[3 + d] = a * motion[6 + d], to[d] += motion[6 + d];
    }
    step_block(s, STEP_LIMB_SHARED, 0, 3, 0, ld);
}

/*
 * K of a stage behind the first, complete. All factors come before the first product: what has just been stored by a mask
 * cannot be loaded before it is in the cache
 */
static inline unsigned single_step_limbs(const step_call *s)
{
    const int second = s->stage == 1;
    const double a = s->node[s->stage] * s->h, b = s->node[s->stage - 1] * s->h * a;
    const plan_tree *tree = plan_trees(s->plan);
    for (int32_t begin = 6, end; begin < tree->end; begin = end) {
        end = plan_block_end(s->plan, tree, begin);
        limb_factors(s, (size_t)begin, (size_t)end, a, b, second);
    }
    for (size_t r = 0; r < 6; r++) stage_row(s, r, a, b, second);
    for (size_t k = 0; k < s->njoints; k++) joint_stage(s, &s->joints[k], a);
    step_block(s, stage_rows(s, second), 0, 6, 0, s->ld);
    for (int32_t begin = 6, end; begin < tree->end; begin = end) {
        end = plan_block_end(s->plan, tree, begin);
        const size_t inner = limb_rows(s, (size_t)begin, (size_t)end, second);
        step_block(s, inner, (size_t)begin, (size_t)end, STEP_HEAD, s->ld);
    }
    root_motion(s, a);
    return 0;
}

#endif
