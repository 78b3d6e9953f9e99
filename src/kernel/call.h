/*
 * Input and output of a kernel: one pack of states, in arrays with strides. A pack that is not full repeats its first
 * state in the unused lanes; their results are not written.
 */
#ifndef HML_KERNEL_CALL_H
#define HML_KERNEL_CALL_H

#include <stddef.h>
#include <string.h>

#include "group/spatial.h"
#include "hamel/se3.h"
#include "kernel/paths.h"
#include "kernel/simd/transpose.h"

#if defined NUM_SINGLE /* types of their own: objects of both precisions are in one library */
#define kernel_input  kernel_input_f32
#define kernel_output kernel_output_f32
#define kernel_call   kernel_call_f32
#define jacobian_call jacobian_call_f32
#define limb_results  limb_results_f32
#define step_joint    step_joint_f32
#define step_call     step_call_f32
#endif

typedef struct kernel_input {
    const lane *data; /* NULL: zeros */
    size_t stride;    /* from one state to the next */
} kernel_input;

typedef struct kernel_output {
    lane *data;    /* NULL: not wanted */
    size_t ld;     /* from one row to the next */
    size_t stride; /* from one state to the next */
} kernel_output;

/*
 * A linearization of one state with the limbs of a free root apart. A limb, a block of plan_block_end, takes part in the
 * motion of the others only through the acceleration of the root, so its rows are W times those of the root, plus what
 * it does by itself: columns of its own and the root's angular velocity. Rows of D_q, D_ν and M⁻¹ hold the latter, and
 * are not written in the columns of other limbs. What the root's own motion does to its coordinates, and not to the
 * limbs, is not in its rows but in `motion`.
 */
typedef struct limb_results {
    lane *W; /* a row of 6 for each coordinate below the root */
    size_t ld;
    lane motion[36]; /* 3 × 12: columns of the root in D_q and in D_ν, rows of its linear acceleration */
} limb_results;

typedef struct kernel_call {
    const hml_plan *plan;
    const plan_paths *paths;
    void *scratch; /* aligned to a pack */
    const double *gravity;
    const model_coordinate *coordinates;       /* the plan's; a step that is implicit brings its own */
    int passive;                               /* 1: with damping and springs */
    int long_chain;                            /* as in kernel_choice; of single calls */
    limb_results *limbs;                       /* not NULL: single_linearize takes limbs apart */
    int count;                                 /* states in this pack, 1 … LANES */
    kernel_input q, v, tau, a, wrenches;       /* in the tree's numbering; a: for inverse dynamics */
    kernel_output acceleration, Dq, Dv, Minv;  /* forward */
    kernel_output torque, dtau_dq, dtau_dv, M; /* inverse */
} kernel_call;

/* poses and Jacobians */
typedef struct jacobian_call {
    const hml_plan *plan;
    void *scratch;      /* aligned to a pack; see kernel/scratch_size.h */
    int count;          /* states in this pack, 1 … LANES */
    int skip_checks;    /* poses of one state: 1 if it was checked before */
    kernel_input q;     /* in the tree's numbering */
    kernel_output H, J; /* nbodies × 16 as one row; 6 × nv */
} jacobian_call;

/* a robot in motion: Coriolis matrix, regressor, centroidal momentum and its derivatives */
typedef struct robot_call {
    const hml_plan *plan;
    const plan_paths *paths; /* of the Coriolis matrix alone */
    void *scratch;
    const double *gravity; /* of the regressor alone */
    int count;
    kernel_input q, v, a;
    kernel_output coriolis, Mdot; /* nv × nv */
    kernel_output regressor;      /* nv × 10 nbodies */
    kernel_output com, com_velocity, com_acceleration, com_J, com_Jdot, com_J_q, com_velocity_q;
    kernel_output A, Adot, momentum, momentum_rate, momentum_q, momentum_rate_q, momentum_rate_v;
} robot_call;

/* a frame's pose and motion */
typedef struct frame_call {
    const hml_plan *plan;
    void *scratch;
    int count;
    int32_t body;           /* that carries it; −1: it stands in the world */
    int32_t representation; /* hml_representation */
    /* its placement, R row-major: in the body's frame for single_frame, in its plan frame for pack_frame; or in the world */
    const double *R, *p;
    kernel_input q, v, a;
    kernel_output pose, J, Jdot, twist, acceleration;      /* 16 as one row; 6 × nv; 6 */
    kernel_output twist_q, acceleration_q, acceleration_v; /* 6 × nv */
} frame_call;

/* q ⊕ ν and q₁ ⊖ q₀ */
typedef struct configuration_call {
    const hml_plan *plan;
    int32_t nq, nv;  /* the user's: mimic followers have no coordinates of their own */
    int count;       /* states in this pack, 1 … LANES; any number where all coordinates add up, without gaps */
    int skip_checks; /* 1: compute even where a state is bad and its result overwrites it */
    kernel_input q, with;
    kernel_output out; /* one row; q ⊕ ν may overwrite q */
} configuration_call;

/* a joint whose group does not commute, in a step: matrices m × m of its own, and rows of the tangent, m × ld each */
typedef struct step_joint {
    size_t first, m;         /* its coordinates of velocity */
    lane E[36], S[36];       /* Ad of exp(−θ), and the right Jacobian at θ */
    lane inverse[36], T[36]; /* S⁻¹, and the derivative of S⁻¹ ν by θ, ν held */
    lane *moved;             /* E z_q + S dθ: how q of the stage moves */
    lane *rate, *sum;        /* of dθ: its derivative by time at the stage, and the weighted sum of those */
} step_joint;

enum {
    STEP_HEAD = 8,       /* columns, a whole pack of the widest registers */
    STEP_LIMB_SHARED = 9 /* factors of every limb in single/step_limbs.h */
};

/*
 * The tangent of a step of one state, in the user's numbering (kernel/single/step.h). K: n × ld of every stage, the
 * derivatives of ν̇ by z_q, z_ν and w side by side, from column `begin` on; rows are zero before it, and behind the 3n
 * numbers up to ld. Where the first joint is free, columns 0 … STEP_HEAD − 1 are its z_q and nothing else.
 */
typedef struct step_call {
    const hml_plan *plan;
    size_t n, ld, begin;
    double h;
    size_t njoints;
    step_joint *joints; /* those that do not commute, in order */
    int stages, stage;  /* of Munthe-Kaas: how many, and the one at hand */
    double node[4];     /* stage i is at node[i] h on the rate of the stage before, and has the weight weight[i] */
    double weight[4];
    lane *K[4];           /* K[stage]: at first D_q, D_ν and M⁻¹ side by side */
    lane *factor;         /* n × 2n: scratch */
    const lane **rows;    /* 2n: scratch */
    limb_results limbs;   /* of a stage by single_step_limbs; W is in `factor` */
    kernel_output Ad, Bd; /* results; Euler: at first D_q, D_ν and M⁻¹ in their lower halves */
} step_call;

static inline size_t kernel_state(int count, int l) { return (size_t)(l < count ? l : 0); }

static inline num kernel_load(kernel_input in, int count, int32_t index)
{
    num x = K(0);
    if (!in.data) return x;
    for (int l = 0; l < LANES; l++) num_set(&x, l, in.data[kernel_state(count, l) * in.stride + (size_t)index]);
    return x;
}

/* entries 0 … n − 1 of every state */
static inline void kernel_load_all(kernel_input in, int count, int32_t n, num *out)
{
    int32_t i = 0;
#if LANES > 1
    for (; in.data && i + LANES <= n; i += LANES) {
        for (int l = 0; l < LANES; l++) {
            memcpy(&out[i + l], in.data + kernel_state(count, l) * in.stride + (size_t)i, sizeof(num));
        }
        num_transpose(out + i);
    }
    if (in.data && i < n) {
        num rest[LANES];
        for (int l = 0; l < LANES; l++) {
            rest[l] = num_load_part(in.data + kernel_state(count, l) * in.stride + (size_t)i, n - i);
        }
        num_transpose(rest);
        for (int l = 0; l < n - i; l++) out[i + l] = rest[l];
        return;
    }
#endif
    for (; i < n; i++) out[i] = kernel_load(in, count, i);
}

/* the same for one state in all lanes */
static inline void kernel_spread(kernel_input in, int32_t n, num *out)
{
#if LANES > 1
    for (int32_t i = 0; i < n; i++) out[i] = in.data ? K(in.data[i]) : K(0);
#else
    for (int32_t i = 0; i < n; i++) out[i] = in.data ? in.data[i] : K(0);
#endif
}

/* bad, and the lanes in which some x is not finite: x·0 is zero where x is finite, else NaN, which a sum keeps */
static inline mask kernel_not_finite(const num *x, int32_t n, mask bad)
{
    num a = K(0), b = K(0);
    int32_t i = 0;
    for (; i + 2 <= n; i += 2) a += x[i] * K(0), b += x[i + 1] * K(0);
    if (i < n) a += x[i] * K(0);
    a += b;
    return bad | ~num_lt(a, K(1));
}

/* the lanes with a bad state: numbers that are not finite, quaternions that are not unit; v and a may be NULL */
static inline mask kernel_bad_state(const hml_plan *plan, const num *q, const num *v, const num *a)
{
    const plan_body *end = plan_bodies(plan) + plan->nbodies;
    mask bad = kernel_not_finite(q, plan->nq, num_lt(K(1), K(0)));
    if (v) bad = kernel_not_finite(v, plan->nv, bad);
    if (a) bad = kernel_not_finite(a, plan->nv, bad);
    for (const plan_body *b = plan_bodies(plan); b < end; b++) {
        if (b->type == HML_JOINT_FREE) bad |= ~quat_is_unit(quat_at(q + b->q + 3));
        if (b->type == HML_JOINT_SPHERICAL) bad |= ~quat_is_unit(quat_at(q + b->q));
    }
    return bad;
}

/* entry (row, column) of every state's matrix */
static inline void kernel_store(kernel_output out, int count, int32_t row, int32_t column, num x)
{
    for (int l = 0; l < count; l++) {
        out.data[(size_t)l * out.stride + (size_t)row * out.ld + (size_t)column] = num_get(x, l);
    }
}

/* entries (row, column) … (row, column + n − 1) */
static inline void kernel_store_run(kernel_output out, int count, int32_t row, int32_t column, int32_t n, const num *x)
{
    lane *to = out.data + (size_t)row * out.ld + (size_t)column;
    int32_t j = 0;
#if LANES > 1
    for (; j + LANES <= n; j += LANES) {
        num t[LANES];
        memcpy(t, x + j, sizeof t);
        num_transpose(t);
        if (count == LANES) { /* a loop of known length: t stays in registers */
            for (int l = 0; l < LANES; l++) memcpy(to + (size_t)l * out.stride + (size_t)j, &t[l], sizeof(num));
            continue;
        }
        for (int l = 0; l < count; l++) memcpy(to + (size_t)l * out.stride + (size_t)j, &t[l], sizeof(num));
    }
    if (j < n) {
        num rest[LANES];
        for (int l = 0; l < LANES; l++) rest[l] = j + l < n ? x[j + l] : K(0);
        num_transpose(rest);
        to += j;
        if (count == LANES) {
            for (int l = 0; l < LANES; l++, to += out.stride) num_store_part(to, n - j, rest[l]);
        } else {
            for (int l = 0; l < count; l++, to += out.stride) num_store_part(to, n - j, rest[l]);
        }
    }
#else
    (void)count;
    for (; j < n; j++) to[j] = num_get(x[j], 0);
#endif
}

#endif
