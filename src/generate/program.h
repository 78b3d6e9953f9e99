/*
 * The program of one generated function: regions, steps, and what each step leaves in memory.
 *
 * A region is the trunk or a class of limbs, with one graph for the whole function. The function runs in steps; between
 * some of them stand stages, loops over small matrices that the emitters write (emit_matrix.c). A step of a region
 * computes its roots: entries of arrays that a stage reads, results, and values that other regions import. Values that a
 * later step of the same region uses again are kept in memory, too: the emitter finds them by itself.
 */
#ifndef HML_GENERATE_PROGRAM_H
#define HML_GENERATE_PROGRAM_H

#include "generate/shape.h"
#include "generate/space.h"

/* arrays that nodes read, and that roots write */
typedef enum program_array {
    ARRAY_Q, /* inputs, in the tree's order */
    ARRAY_V,
    ARRAY_A,     /* acceleration: an input, or what the first stage found in the trunk */
    ARRAY_FORCE, /* forces that act */
    ARRAY_SINE,  /* of the entries of q that are angles */
    ARRAY_COSINE,
    ARRAY_TAU, /* result of inverse dynamics */
    ARRAY_OWN, /* of limbs: the acceleration that the first stage found, by place */
    ARRAY_M,   /* of a region: own rows, own columns */
    ARRAY_MP,  /* own rows, columns of the path */
    ARRAY_H,   /* own rows: forces minus the bias */
    ARRAY_BQ,  /* −∂τ/∂q: own rows and columns */
    ARRAY_BV,
    ARRAY_UQ, /* rows of the path, own columns */
    ARRAY_UV,
    ARRAY_RQ, /* own rows, columns of the path */
    ARRAY_RV,
    ARRAY_INVERTED, /* from here on what solve.c leaves: M⁻¹, of the trunk S⁻¹ */
    ARRAY_KEPT_T,
    ARRAY_ACCELERATION,
    ARRAY_QQ, /* M⁻¹ BQ, M⁻¹ BV */
    ARRAY_QV,
    ARRAY_SQ, /* what own columns leave to the trunk; of the trunk: its own columns of the sheets */
    ARRAY_SV,
    ARRAY_PQ, /* M⁻¹ RQ, M⁻¹ RV */
    ARRAY_PV,
    ARRAY_SCORE,    /* large or NaN where M is singular */
    ARRAY_GRAVITY,  /* in the frame of a root that falls freely, 3 each */
    ARRAY_POSE,     /* of frames: rotation and position in the world, 12 each */
    ARRAY_JACOBIAN, /* of frames: 6 rows each, in their own axes */
    ARRAY_DRIFT,    /* of holds: the acceleration of each row without ν̇ */
    ARRAY_CQ,       /* derivatives of the acceleration of each row */
    ARRAY_CV,
    ARRAY_LAMBDA,      /* input: forces of the rows */
    ARRAY_STEP,        /* input: the length of a time step */
    ARRAY_SPRING,      /* log(rest⁻¹ q) of joints whose group does not commute */
    ARRAY_SPRING_RATE, /* column 0 of its derivative in the joint; the others follow */
    ARRAY_INVERSE = ARRAY_SPRING_RATE + HML_JOINT_MAX_NV, /* tables alone: M⁻¹ or S⁻¹, and T */
    ARRAY_T,
    ARRAY_COUNT
} program_array;

/* a body's placement and inertia in the frame that frames.c chose for it, of one member */
typedef struct body_frame {
    double R[9], p[3]; /* placement: rotation and position */
    double c, s;       /* cosine and sine of what is added to the angle of a revolute joint */
    double slide;      /* along its axis */
    double I[10];      /* mass, first moment, moments */
    /* how the frame was chosen: turned and slid about its own z; where the joint's placement ends on its axis */
    double turn_c, turn_s, shift, back;
    int moved, leads, slides;
} body_frame;

/* a body over expressions */
typedef struct part {
    int32_t body;   /* in the plan; of the first member */
    int32_t parent; /* part of the same region, −1: attached to the trunk or to the world */
    int galilean;   /* a root that falls freely */
    int32_t nv;
    ex33 Rc, Rj; /* rotation of the placement, and of the joint */
    ex3 pc, pj;
    ex6 S[HML_JOINT_MAX_NV];
    ex6 vp, v, ap, a; /* of the parent and of the body, in its frame */
    ex_inertia own, sum;
    ex3 n, t; /* momentum of the subtree */
    exs3 k;
    ex6 f;
    ex6 F[HML_JOINT_MAX_NV];
    ex6 Pd[HML_JOINT_MAX_NV], Pdd[HML_JOINT_MAX_NV], PS[HML_JOINT_MAX_NV];
} part;

typedef struct root {
    int32_t step, array, index; /* array −1: only kept for other regions */
    ex e;
} root;

typedef struct region {
    graph g;
    int32_t id; /* 0: the trunk; else class id − 1 */
    const limb_class *limbs;
    int32_t n, npath;
    int32_t nparts, step;
    int multiplies; /* 1: loops multiply the right-hand sides by M⁻¹ and Tᵀ (emit_products.c), not expressions */
    part *parts;
    body_frame *frames; /* GRAPH_LANES of each part */
    part *path; /* of limbs: the bodies between them and the world, the attached one first, over the limbs' graph */
    int32_t npath_parts;
    root *roots;
    int32_t nroots;
    size_t roots_capacity;
    /* with solve.c: expressions of M, MP, H, B, U, R, of the inverse and of T, and of the acceleration; else all NULL */
    ex *table[ARRAY_COUNT];
    ex *tables; /* their memory */
    ex score;
} region;

/* a frame whose pose and Jacobian are wanted; rows: 3 or 6 of a hold */
typedef struct program_frame {
    int32_t frame, rows;
} program_frame;

typedef struct program {
    const robot_shape *shape;
    int32_t nregions;
    region *regions;
    int32_t *part_of; /* of every body of the plan, in its region */
    int solves;       /* 1: the matrices are solved over expressions, too (solve.c); 0: by loops */
    int implicit;     /* 1: of a time step, at whose end dampers and springs act */
    const program_frame *frames;
    int32_t nframes;
    int failed; /* no memory */
} program;

/* 0: no memory; hmli_program_free in any case */
int hmli_program_init(program *p, const robot_shape *shape, int solves);
void hmli_program_free(program *p);

/* a root of the region's present step; an entry of a table, where the region has one */
void hmli_program_store(region *r, program_array array, int32_t index, ex e);
/* a root, even where the region has a table: loops read it */
void hmli_program_keep(region *r, program_array array, int32_t index, ex e);

/* a value of the trunk in a class of limbs: the same in all lanes */
ex hmli_program_import(program *p, region *r, ex e);
ex3 hmli_program_import3(program *p, region *r, ex3 a);
ex6 hmli_program_import6(program *p, region *r, ex6 a);

/* the sum over the members of a value of limbs, in the trunk */
ex hmli_program_sum(program *p, region *limbs, ex e);

/* a field of the plan's bodies that correspond to each other, or of their coordinates: one value per lane */
ex hmli_program_field(const program *p, region *r, int32_t body, size_t offset);
ex hmli_program_coordinate(const program *p, region *r, int32_t column, size_t offset);
ex hmli_program_armature(const program *p, region *r, int32_t column); /* with what a step adds */
ex hmli_program_damping(const program *p, region *r, int32_t column);
ex hmli_program_rest(const program *p, region *r, int32_t body, int32_t k); /* entry k of where its spring rests */

/* joints.c: the placement of a part, the motion of its joint and its columns, from the plan and the inputs */
void hmli_joint_fill(program *p, region *r, part *b);
/* force of a spring on coordinate k, and its derivative by coordinate j of the same joint */
ex hmli_joint_spring(program *p, region *r, const part *b, int32_t k);
ex hmli_joint_spring_rate(program *p, region *r, const part *b, int32_t k, int32_t j);

/* the functions that can be generated: passes.c fills a program with all their roots */
void hmli_passes_mass_matrix(program *p);
void hmli_passes_inverse_dynamics(program *p);
void hmli_passes_forward_dynamics(program *p);
void hmli_passes_linearize(program *p);
void hmli_passes_frames(program *p);
void hmli_passes_held(program *p);

/* kinematics.c: poses and Jacobians; rows of holds, their forces on bodies, and the derivatives of these rows */
void hmli_kinematics_frames(program *p);
void hmli_kinematics_rows(program *p);
void hmli_kinematics_push(program *p);
void hmli_kinematics_derivatives(program *p);

#endif
