/*
 * q ⊕ ν and q₁ ⊖ q₀ of a pack of states, over num. Coordinates that simply add up are added in place, state by state,
 * with neighbouring coordinates in a register. Joints with a quaternion or an arc are transposed to packs, where a lane
 * is a state.
 */
#ifndef HML_KERNEL_PACK_CONFIGURATION_H
#define HML_KERNEL_PACK_CONFIGURATION_H

#include "group/joint.h"
#include "kernel/pack/poses.h"

/* ---- coordinates that add up ---- */

/* out = a + sign b; returns all, and bits that are not zero where a or b is not finite */
NUM_INLINE bits add_numbers(size_t n, const lane *a, const lane *b, num sign, lane *out, bits all)
{
    size_t k = 0;
    for (; k + LANES <= n; k += LANES) {
        num x = *(const num_anywhere *)(a + k), y = *(const num_anywhere *)(b + k);
        *(num_anywhere *)(out + k) = x + sign * y;
        all |= num_to_bits(x - x) | num_to_bits(y - y);
    }
    if (k < n) {
        num x = load_some(a + k, n - k), y = load_some(b + k, n - k);
        store_some(out + k, n - k, x + sign * y);
        all |= num_to_bits(x - x) | num_to_bits(y - y);
    }
    return all;
}

/* the same test for the first n entries of every state; states without gaps are one array */
static inline bits states_not_finite(kernel_input in, int count, size_t n, bits all)
{
    if (in.stride == n) return not_finite_bits(n * (size_t)count, in.data, all);
    for (int l = 0; l < count; l++) all = not_finite_bits(n, in.data + (size_t)l * in.stride, all);
    return all;
}

/* ---- joints in packs ---- */

/* n <= 8 entries of every state from `at` on; x has room for 8 */
NUM_INLINE void load_joint(kernel_input in, int count, int32_t at, int n, num *x)
{
    for (int k = 0; k < n; k += LANES) {
        for (int l = 0; l < LANES; l++) {
            const lane *from = in.data + kernel_state(count, l) * in.stride + (size_t)(at + k);
            if (n - k < LANES)
                x[k + l] = load_some(from, (size_t)(n - k));
            else
                x[k + l] = *(const num_anywhere *)from;
        }
        num_transpose(x + k);
    }
}

NUM_INLINE void store_joint(kernel_output out, int count, int32_t at, int n, num *x)
{
    for (int k = 0; k < n; k += LANES) {
        num_transpose(x + k);
        for (int l = 0; l < LANES; l++) { /* unused lanes hold the first state once more */
            lane *to = out.data + kernel_state(count, l) * out.stride + (size_t)(at + k);
            if (n - k < LANES)
                store_some(to, (size_t)(n - k), x[k + l]);
            else
                *(num_anywhere *)to = x[k + l];
        }
    }
}

/* is a quaternion of a run not unit in some lane? */
static inline int run_is_off(kernel_input q, int count, const plan_run *r)
{
    const int at = quaternion_at(r->type);
    num x[8];
    if (at < 0) return 0;
    load_joint(q, count, r->q + at, 4, x);
    return num_any(~quat_is_unit(quat_at(x)));
}

/* the coordinates of a joint, with the quaternion normalized; returns bits that are not zero where they are bad */
NUM_INLINE bits load_position(const configuration_call *call, kernel_input in, const plan_run *r, int type, num *g)
{
    const int n = joint_nq(type), at = quaternion_at(type);
    bits all = num_to_bits(K(0));
    load_joint(in, call->count, r->q, n, g);
    for (int k = 0; k < n; k++) all |= num_to_bits(g[k] - g[k]);
    if (at < 0) return all;
    all |= (bits)~quat_is_unit(quat_at(g + at));
    quat_put(quat_normalize(quat_at(g + at)), g + at);
    return all;
}

/* the type is a constant wherever this is inlined, and so are the sizes */
NUM_INLINE bits run_joint(const configuration_call *call, const plan_run *r, int type, int difference)
{
    const int nq = joint_nq(type), nv = joint_nv(type);
    num g[8], x[8], out[8];
    for (int k = 0; k < 8; k++) out[k] = K(0);
    bits all = load_position(call, call->q, r, type, g);
    if (difference) {
        all |= load_position(call, call->with, r, type, x);
        joint_difference(type, g, x, out);
        store_joint(call->out, call->count, r->v, nv, out);
    } else {
        load_joint(call->with, call->count, r->v, nv, x);
        for (int k = 0; k < nv; k++) all |= num_to_bits(x[k] - x[k]);
        joint_integrate(type, g, x, out);
        store_joint(call->out, call->count, r->q, nq, out);
    }
    return all;
}

/* ---- a pack ---- */

/* a run of coordinates that add up; if it is the whole robot, without gaps between states, it is one array */
NUM_INLINE bits run_add(const configuration_call *call, const plan_run *r, int difference)
{
    const size_t n = (size_t)r->n, count = (size_t)call->count, first = (size_t)(difference ? r->v : r->q);
    const kernel_input a = difference ? call->with : call->q, b = difference ? call->q : call->with;
    const kernel_output out = call->out;
    const size_t from = (size_t)(difference ? r->q : r->v);
    const num sign = K(difference ? -1 : 1);
    bits all = num_to_bits(K(0));
    if (a.stride == n && b.stride == n && out.stride == n) {
        return add_numbers(n * count, a.data, b.data, sign, out.data, all);
    }
    for (size_t l = 0; l < count; l++) {
        all = add_numbers(n, a.data + l * a.stride + (size_t)r->q, b.data + l * b.stride + from, sign,
                          out.data + l * out.stride + first, all);
    }
    return all;
}

/* is every state of the pack finite, and on the group? */
static inline int pack_is_good(const configuration_call *call)
{
    const plan_run *r = plan_runs(call->plan), *end = r + call->plan->nruns;
    bits all = num_to_bits(K(0));
    all = states_not_finite(call->q, call->count, (size_t)call->nq, all);
    all = states_not_finite(call->with, call->count, (size_t)call->nv, all);
    if (num_any((mask)(all != 0))) return 0;
    for (; r < end; r++)
        if (run_is_off(call->q, call->count, r)) return 0;
    return 1;
}

NUM_INLINE unsigned configuration_pack(const configuration_call *call, int difference)
{
    const plan_run *r = plan_runs(call->plan), *end = r + call->plan->nruns;
    bits all = num_to_bits(K(0));
    for (; r < end; r++) {
        switch (r->type) {
        case HML_JOINT_FREE: all |= run_joint(call, r, HML_JOINT_FREE, difference); break;
        case HML_JOINT_SPHERICAL: all |= run_joint(call, r, HML_JOINT_SPHERICAL, difference); break;
        case HML_JOINT_PLANAR: all |= run_joint(call, r, HML_JOINT_PLANAR, difference); break;
        case HML_JOINT_SCHOENFLIES: all |= run_joint(call, r, HML_JOINT_SCHOENFLIES, difference); break;
        default: all |= run_add(call, r, difference); break;
        }
    }
    return num_any((mask)(all != 0)) ? 1 : 0;
}

/* 1: some state is not finite or not on the group; its outputs are invalid, the inputs are unchanged */
static inline unsigned pack_integrate(const configuration_call *call)
{
    if (!call->skip_checks && call->out.data == call->q.data && !pack_is_good(call)) return 1;
    return configuration_pack(call, 0);
}

static inline unsigned pack_difference(const configuration_call *call) { return configuration_pack(call, 1); }

#endif
