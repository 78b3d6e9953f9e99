/*
 * What a kernel of the GPU gets: the model as tables, the layout of a state's workspace, and the arrays of a batch.
 * Plain integers and pointers, the same on both sides, and small enough to be handed over by value.
 *
 * Tables are two arrays, one of integers and one of numbers of the batch's type. A tree's bodies and columns are counted
 * from its first ones. Tables of bodies and columns are stored entry by entry, so that the lanes of a warp read
 * neighbours.
 *
 * Chains: a run of bodies each of which carries the next and nothing else. Sums along the tree go chain by chain, out
 * from the root (`out`, sorted by the number of chains before them) or back to it (`back`, sorted by the chains behind).
 */
#ifndef HML_CUDA_CALL_H
#define HML_CUDA_CALL_H

#include <stddef.h>
#include <stdint.h>

enum {
    CUDA_TREES = 16, /* trees with columns in one model, at most */
    CUDA_WARP = 32,
};

/*
 * Robots with a lane per limb, limbs.h: joints of a limb at most; numbers from a row of G to the next; what a block has
 * of a body in its table.
 */
enum { LIMB_MOST = 4, LIMB_ROW = 8, LIMB_TABLE = 28 };

/*
 * Robots with a trunk, trunk.h: columns of the trunk at most; of the core, which is a free root and the trunk; columns of
 * a limb at most; numbers from one row of T or G to the next, and from one row of right-hand sides to the next; rows
 * of the results that are laid out at a time.
 */
enum { TRUNK_MOST = 3, TRUNK_CORE = 6 + TRUNK_MOST, TRUNK_LIMB = 8, TRUNK_ROW = 12, TRUNK_WIDE = 16, TRUNK_CHUNK = 8 };

/* a chain: five integers in the tables */
enum { CHAIN_BEGIN, CHAIN_END, CHAIN_ATTACH, CHAIN_HEADS, CHAIN_HEADS_END, CHAIN_SIZE };

/* numbers of a body, each a row of `bodies` entries in the tables */
enum { BODY_X = 0, BODY_I = 12, BODY_PITCH = 22, BODY_TO_BODY = 23, BODY_NUMBERS = 35 };

/*
 * The chains of a level for the lanes, where a lane has one body at most: a lane has one chain and begins with number k of
 * it, `lanes` share the chain. Bits: first body, 6; end, 6; the body that it hangs on, plus 1, 6; k, 6, 63: none; lanes, 6.
 * Back to the root a second integer has the chain's heads: first, 8 bits; end.
 */
enum { SHARE_BITS = 6, SHARE_NONE = 63 };

/*
 * Integers of a body, and of a column. END of a body: of its subtree. ABOVE: bit j is set if column j of the block, of the first 32, carries this one.
 * LIMB …: of robots with a trunk: the column's place in the core, or −1; first column and size of its limb; which columns
 * of the limb before this one carry it, joint included; which columns of the trunk do.
 */
enum { BODY_PARENT, BODY_TYPE, BODY_Q, BODY_V, BODY_NV, BODY_ELASTIC, BODY_END, BODY_INTEGERS };
enum {
    COLUMN_BODY,
    COLUMN_PARENT,
    COLUMN_TYPE,
    COLUMN_FIRST,
    COLUMN_END,
    COLUMN_BLOCK,
    COLUMN_SIZE,
    COLUMN_PIVOT,
    COLUMN_ABOVE,
    COLUMN_CORE,
    COLUMN_LIMB,
    COLUMN_LIMB_SIZE,
    COLUMN_LIMB_ABOVE,
    COLUMN_TRUNK_ABOVE,
    COLUMN_INTEGERS
};
enum { COLUMN_ARMATURE, COLUMN_DAMPING, COLUMN_STIFFNESS, COLUMN_NUMBERS };

/*
 * A frame of the model: its tree, or −1 where it is fixed to the world; its body there, and among all of the model. The
 * numbers are its place in the plan frame of that body, or in the world: R row-major, then p.
 */
enum { FRAME_TREE, FRAME_BODY, FRAME_GLOBAL, FRAME_INTEGERS };

/*
 * Where a tree's part of the workspace is, in numbers; each offset is a multiple of four. Arrays of columns have no rows
 * for those of a free root, but are counted from where these would be.
 */
typedef struct cuda_layout {
    int32_t H;       /* bodies × 12: rows of the pose in the root frame; later da (6) and y (6), see dynamics.h */
    int32_t v, a;    /* bodies × 8: velocity; acceleration with ν̇ = 0 */
    int32_t sum;     /* 28 × sum_ld: composite bodies, number by number; at first poses in the parent's frame */
    int32_t sum_ld;  /* odd: no two lanes meet in a bank of the memory */
    int32_t scratch; /* of the columns: b and y, see columns.h. It overlaps all of the above where there is one trip */
    int32_t S;       /* columns × 8 */
    int32_t row;     /* columns × 12: see composites.h */
    int32_t N;       /* columns × block_ld: M of the blocks, then its inverse */
    int32_t pivot;   /* the pivots' rows of all blocks, block_ld + 12 each; twice, in turns */
    int32_t pivot_size;
    int32_t Z;        /* columns × 12: right-hand sides that are eliminated along; then T and y of a free root */
    int32_t R;        /* columns × 12: what they were at the pivot; in the memory of the poses if there is room */
    int32_t G;        /* columns × 8, of a free root's tree, its six rows too */
    int32_t root;     /* 48: see composites.h */
    int32_t springs;  /* columns × 6, where there are any */
    int32_t core;     /* with a trunk only, see trunk.h: rows of the core, TRUNK_WIDE each */
    int32_t below, y; /* of the trunk's columns: ∂τ, and −N ∂τ, in the rows of the limbs, 8 each */
    int32_t motion;   /* of the trunk's columns: 20 each */
    int32_t sums;     /* of the trunk's columns: 2 × TRUNK_ROW each */
    int32_t stage;    /* 3 × TRUNK_CHUNK × columns: rows of the results; over `below` and what is behind it */
    int32_t place;    /* 12, of motion.h and held.h: the root in the world */
} cuda_layout;

typedef struct cuda_tree {
    int32_t bodies, body_begin; /* the first one's number in the model */
    int32_t columns, begin;     /* the first one's number in the velocity */
    int32_t base;               /* 6: the root is free, and its columns are the identity; else 0 */
    int32_t k0;                 /* first column of a free root that is computed: 3, or 0 with passive forces on it */
    int32_t extended;           /* columns that lanes compute: the rest of the root's from k0 on, and all below */
    int32_t blocks;
    int32_t block, block_ld; /* columns of the largest block; from one row of N to the next */
    int32_t elastic;         /* 1: there are springs */
    int32_t out_levels, back_levels;
    int32_t out, back; /* tables of integers: levels + 1 first chains, then the chains */
    int32_t heads;     /* first bodies of the chains that hang on a chain */
    int32_t out_first; /* level from which sums out from the root begin: 1 where the root is a chain by itself */
    int32_t out_lanes, back_lanes; /* integers: what each lane does in each level, see SHARE_BITS; where `one` is set */
    int32_t body, column;          /* integers */
    int32_t body_numbers, column_numbers;
    cuda_layout at;
} cuda_tree;

typedef struct cuda_input {
    const void *data; /* NULL: zeros */
    uint64_t stride;
} cuda_input;

typedef struct cuda_output {
    void *data; /* NULL: not wanted */
    uint64_t ld, stride;
} cuda_output;

typedef struct cuda_model {
    const int32_t *integers;
    const void *numbers;
    int32_t nq, nv, bodies, trees;
    int32_t rest;                           /* table of numbers: nq */
    int32_t frames, frame, frame_numbers;   /* how many there are; tables: FRAME_INTEGERS and 12 numbers of each */
    int32_t width;                          /* lanes of a state: 8, 16 or 32 */
    int32_t one;                            /* 1: one tree, and a lane has one body and one column at most */
    int32_t passive;                        /* 1: damping or springs */
    int32_t stiff_groups;                   /* 1: springs on joints whose groups do not commute */
    int32_t q, v, b, x;                     /* of the workspace: nq, and nv each */
    int32_t state_numbers;                  /* workspace of a state */
    int32_t limb_joints, limbs, limb_width; /* a free root with equal limbs, where limb_joints is not 0: limbs.h */
    int32_t trunk;                          /* 1: a free root with a trunk and limbs, trunk.h; tree[1] is its layout */
    int32_t trunk_columns[TRUNK_MOST];      /* −1: there are fewer */
    int32_t limb_most;                      /* columns of its largest limb */
    int32_t trunk_numbers;                  /* its workspace */
    int32_t block_numbers;                  /* what all warps of a block share, in front of their workspaces */
    double gravity[3];
    cuda_tree tree[CUDA_TREES];
} cuda_model;

typedef struct cuda_call {
    cuda_model model;
    uint64_t n;
    double h; /* of an implicit step: dampers and springs act at its end. 0: none */
    cuda_input q, v, tau, wrenches;
    cuda_output acceleration, Dq, Dv, Minv, A, B;
    int32_t *status; /* one per state, or NULL */
    void *workspace; /* in global memory where it does not fit the multiprocessor's; else NULL */
} cuda_call;

/* joints.h: q ⊕ h v; q₁ ⊖ q₀, where v is q₁; the end of a step, where v_next holds the acceleration */
enum { JOINTS_INTEGRATE, JOINTS_DIFFERENCE, JOINTS_STEP };

typedef struct cuda_joints {
    cuda_model model;
    uint64_t n;
    double h;
    int32_t operation;
    cuda_input q, v;
    cuda_output to, v_next;
    cuda_output Ad, Bd; /* of the tangent; their lower halves hold D_q, D_ν and M⁻¹ */
    int32_t *status;
} cuda_joints;

enum { CUDA_FRAMES = 64, CUDA_FEET = 16 }; /* in one call, at most */

/* motion.h: inverse dynamics, M, frames. The call's model has the workspace of these, tables_motion.c */
typedef struct cuda_motion {
    cuda_call call; /* q, v, wrenches, status */
    cuda_input a;
    cuda_output torque, M;
    cuda_output pose, J, twist; /* count × 16, count × 6 × nv (ld: of J), count × 6 */
    int32_t representation;     /* hml_representation */
    int32_t listed;             /* 1: `frame` says which; 0: frames 0, 1, … */
    int32_t count;
    int32_t frame[CUDA_FRAMES];
} cuda_motion;

/* a frame or a point that the world holds */
typedef struct cuda_foot {
    int32_t frame;     /* of the model */
    int32_t rows, row; /* 6: a frame, 3: a point; its first row */
    double goal[12];   /* R row-major, then p; read where stiffness is not zero */
    double damping, stiffness;
} cuda_foot;

/* held.h. Rows are padded to a multiple of HELD_ROWS with zeros */
enum { HELD_ROWS = 6, HELD_FOOT = 60 };
typedef struct cuda_held {
    cuda_call call;         /* q, v, status; results of the second stage: acceleration, Dq, Dv, A, B, and Minv: D_τ */
    int32_t stage;          /* 1: λ; 2: derivatives */
    int32_t feet;           /* how many */
    int32_t rows, all;      /* all: padded */
    double tolerance;       /* of the rank */
    cuda_input a;           /* ν̇: free in stage 1, of the held robot in stage 2 */
    cuda_input Minv, given; /* given: external wrenches */
    const int32_t *before;  /* statuses of what came before, or NULL; of two sources */
    const int32_t *before2;
    int32_t *after;         /* stage 1: its own */
    cuda_output wrenches;   /* stage 1: given and λ */
    cuda_output lambda;     /* stage 1 writes it, stage 2 reads it */
    cuda_output lambda_out; /* stage 2: the caller's, for NaN */
    cuda_output lambda_q, lambda_v, lambda_tau;
    int32_t J, W, K, E, row,
        foot; /* workspace: all × nv; nv × all; all × all; 2 of all × nv; 3 × all; HELD_FOOT each */
    cuda_foot at[CUDA_FEET];
} cuda_held;

#if defined __CUDACC__
#define CUDA_BOTH static inline __host__ __device__
#else
#define CUDA_BOTH static inline
#endif

/* where things are in the workspace of a warp whose lanes have a limb each: constants of a kernel that knows the robot */
typedef struct limb_layout {
    int b, rows, stage, end; /* behind q and v: τ, −S⁻¹ and G, results */
} limb_layout;

/* numbers that a lane lays aside per joint */
CUDA_BOTH int cuda_limb_slots(int joints) { return 24 + joints; }

CUDA_BOTH limb_layout cuda_limb_layout(int joints, int limbs, int width)
{
    const int states = CUDA_WARP / width, nv = 6 + limbs * joints;
    const int slots = CUDA_WARP * cuda_limb_slots(joints) * joints, results = states * nv * nv;
    limb_layout at;
    at.b = (states * (2 * nv + 1) + 3) / 4 * 4;
    at.rows = at.b + (states * nv + 3) / 4 * 4;
    at.stage = at.rows + states * (LIMB_ROW * nv + 4);
    at.end = at.stage + (slots > results ? slots : results);
    return at;
}

/* of the kernel with a lane per limb where the model has one, else of those with a lane per column */
CUDA_BOTH int cuda_states_per_warp(const cuda_model *m)
{
    return CUDA_WARP / (m->limb_joints ? m->limb_width : m->width);
}

/* numbers from the workspace of a warp to the next */
CUDA_BOTH size_t cuda_warp_numbers(const cuda_model *m)
{
    if (m->limb_joints) return (size_t)cuda_limb_layout(m->limb_joints, m->limbs, m->limb_width).end;
    return (size_t)cuda_states_per_warp(m) * (size_t)(m->trunk ? m->trunk_numbers : m->state_numbers);
}

#endif
