/*
 * q ⊕ ν and q₁ ⊖ q₀ of a pack of states, over num. Numbers that add up are added where they lie, state by state, with
 * neighbouring numbers in a register; joints with a quaternion or an arc are turned into packs, where a lane is a
 * state.
 */
#ifndef HML_ALGO_KERNEL_CONFIGURATION_H
#define HML_ALGO_KERNEL_CONFIGURATION_H

#include "algo/kernel_kinematics.h"
#include "group/joint.h"

typedef struct configuration_call {
    const hml_plan *plan;
    int32_t nq, nv; /* the user's: followers have no numbers, and need none */
    int count;      /* states in this pack, 1 … LANES */
    int trust;      /* 1: compute even where a state is bad */
    kernel_input q, with;
    kernel_output out; /* one row; of ⊕ it may be q */
} configuration_call;

/* ---- numbers where they lie ---- */

#if LANES == 1
static inline num load_some(const lane *from, size_t n) { return (void)n, *from; }
static inline void store_some(lane *to, size_t n, num x) { (void)n, *to = x; }
#else
static inline num load_some(const lane *from, size_t n) { return num_load_part(from, (int)n); }
static inline void store_some(lane *to, size_t n, num x) { num_store_part(to, (int)n, x); }
#endif

/* out = a + sign b */
static inline void add_numbers(size_t n, const lane *a, const lane *b, num sign, lane *out)
{
    size_t k = 0;
    for (; k + LANES <= n; k += LANES) {
        *(num_anywhere *)(out + k) = *(const num_anywhere *)(a + k) + sign * *(const num_anywhere *)(b + k);
    }
    if (k < n) store_some(out + k, n - k, load_some(a + k, n - k) + sign * load_some(b + k, n - k));
}

/* x − x is zero exactly where x is finite: its bits, all together */
static inline bits not_finite_bits(size_t n, const lane *x, bits all)
{
    size_t k = 0;
    for (; k + LANES <= n; k += LANES) {
        num y = *(const num_anywhere *)(x + k);
        all |= num_to_bits(y - y);
    }
    if (k < n) {
        num y = load_some(x + k, n - k);
        all |= num_to_bits(y - y);
    }
    return all;
}

/* of the first n numbers of every state; what lies without gaps is one array */
static inline bits states_not_finite(kernel_input in, int count, size_t n, bits all)
{
    if (in.stride == n) return not_finite_bits(n * (size_t)count, in.data, all);
    for (int l = 0; l < count; l++) all = not_finite_bits(n, in.data + (size_t)l * in.stride, all);
    return all;
}

/* ---- joints in packs ---- */

/* n <= 8 numbers of every state from `at` on; x has room for 8 */
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
        rows_transpose(x + k);
    }
}

NUM_INLINE void store_joint(kernel_output out, int count, int32_t at, int n, num *x)
{
    for (int k = 0; k < n; k += LANES) {
        rows_transpose(x + k);
        for (int l = 0; l < LANES; l++) { /* unused lanes hold the first state once more */
            lane *to = out.data + kernel_state(count, l) * out.stride + (size_t)(at + k);
            if (n - k < LANES)
                store_some(to, (size_t)(n - k), x[k + l]);
            else
                *(num_anywhere *)to = x[k + l];
        }
    }
}

/* is a quaternion of a run off in any lane? */
static inline int run_is_off(kernel_input q, int count, const plan_run *r)
{
    const int at = quaternion_at(r->type);
    num x[8];
    if (at < 0) return 0;
    load_joint(q, count, r->q + at, 4, x);
    return num_any(quaternion_is_off(x));
}

NUM_INLINE void unit_numbers(int type, num *g)
{
    const int at = quaternion_at(type);
    if (at >= 0) joint_put_quat(quat_normalize(joint_quat(g + at)), g + at);
}

/* the type, and so the numbers of a joint, is a constant here */
NUM_INLINE void run_joint(const configuration_call *call, const plan_run *r, int type, int difference)
{
    const int nq = joint_nq(type), nv = joint_nv(type);
    num g[8], x[8], out[8];
    for (int k = 0; k < 8; k++) out[k] = K(0);
    load_joint(call->q, call->count, r->q, nq, g);
    unit_numbers(type, g);
    if (difference) {
        load_joint(call->with, call->count, r->q, nq, x);
        unit_numbers(type, x);
        joint_difference(type, g, x, out);
        store_joint(call->out, call->count, r->v, nv, out);
    } else {
        load_joint(call->with, call->count, r->v, nv, x);
        joint_integrate(type, g, x, out);
        store_joint(call->out, call->count, r->q, nq, out);
    }
}

/* ---- the whole ---- */

/* numbers that add up; a robot that is one run, without gaps between states, is one array */
NUM_INLINE void run_add(const configuration_call *call, const plan_run *r, int difference)
{
    const size_t n = (size_t)r->n, count = (size_t)call->count, first = (size_t)(difference ? r->v : r->q);
    const kernel_input a = difference ? call->with : call->q, b = difference ? call->q : call->with;
    const kernel_output out = call->out;
    const size_t from = (size_t)(difference ? r->q : r->v);
    const num sign = K(difference ? -1 : 1);
    if (a.stride == n && b.stride == n && out.stride == n) {
        add_numbers(n * count, a.data, b.data, sign, out.data);
        return;
    }
    for (size_t l = 0; l < count; l++) {
        add_numbers(n, a.data + l * a.stride + (size_t)r->q, b.data + l * b.stride + from, sign,
                    out.data + l * out.stride + first);
    }
}

/* is every state of the pack finite, and on the group? */
static inline int pack_is_good(const configuration_call *call, int difference)
{
    const plan_run *r = plan_runs(call->plan), *end = r + call->plan->nruns;
    bits all = num_to_bits(K(0));
    all = states_not_finite(call->q, call->count, (size_t)call->nq, all);
    all = states_not_finite(call->with, call->count, (size_t)(difference ? call->nq : call->nv), all);
    if (num_any((mask)(all != 0))) return 0;
    for (; r < end; r++) {
        if (run_is_off(call->q, call->count, r)) return 0;
        if (difference && run_is_off(call->with, call->count, r)) return 0;
    }
    return 1;
}

NUM_INLINE unsigned configuration_pack(const configuration_call *call, int difference)
{
    const plan_run *r = plan_runs(call->plan), *end = r + call->plan->nruns;
    if (!call->trust && !pack_is_good(call, difference)) return 1;
    for (; r < end; r++) {
        switch (r->type) {
        case HML_JOINT_FREE: run_joint(call, r, HML_JOINT_FREE, difference); break;
        case HML_JOINT_SPHERICAL: run_joint(call, r, HML_JOINT_SPHERICAL, difference); break;
        case HML_JOINT_PLANAR: run_joint(call, r, HML_JOINT_PLANAR, difference); break;
        case HML_JOINT_SCHOENFLIES: run_joint(call, r, HML_JOINT_SCHOENFLIES, difference); break;
        default: run_add(call, r, difference); break;
        }
    }
    return 0;
}

/* 1: some state is not finite or not on the group, and nothing was written */
static inline unsigned kernel_integrate(const configuration_call *call) { return configuration_pack(call, 0); }
static inline unsigned kernel_difference(const configuration_call *call) { return configuration_pack(call, 1); }

#endif
