/*
 * What the dynamics benchmark and its contenders say to each other.
 *
 * A contender is Hamel, one call at a time or in batches, or a peer in a shared object of its own, which exports
 * bench_peer. Peers are handed plain numbers and know nothing of the library, so that a peer may be compiled with any
 * compiler and any flags: nothing but C crosses the border.
 */
#ifndef BENCH_PEER_DYNAMICS_H
#define BENCH_PEER_DYNAMICS_H

#include <stddef.h>
#include <stdint.h>

#include "hamel/base.h"
#include "hamel/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* one list makes the enum and the names: constant, name, doubles of a result */
#define BENCH_LIST(X)                                                                                                           \
    X(LINEARIZE, "linearize", nv + 3 * nv * nv)            /* ν̇, D_q, D_ν, M⁻¹ */                                        \
    X(HELD, "constrained_linearize", nv + 3 * nv * nv)     /* the same with the feet held: ν̇, D_q, D_ν, D_τ */             \
    X(DIFFERENCES, "finite_differences", nv + 3 * nv * nv) /* the same from 3nv + 1 forward dynamics */                         \
    X(REFERENCE, "reference", nv + 3 * nv * nv)            /* the same by Bos, Tables 4 to 9 */                                 \
    X(INVERSE_DYNAMICS, "rnea", nv)                        /* τ */                                                             \
    X(FORWARD_DYNAMICS, "aba", nv)                         /* ν̇ */                                                           \
    X(MASS_MATRIX, "crba", nv *nv)                         /* M */                                                              \
    X(INVERSE_MASS_MATRIX, "minv", nv *nv)                 /* M⁻¹, all of it */                                              \
    X(KINEMATICS, "forward_kinematics", 12 * nbodies)      /* poses of all bodies: rotation, then position */                   \
    X(JACOBIANS, "jacobians", 6 * nv)                      /* columns of all joints, in the world */                            \
    X(INTEGRATE, "integrate", nq)                          /* q ⊕ ν */                                                       \
    X(FACTORIZATION, "factorization", nv)                  /* M and its factors Lᵀ D L; D */                                  \
    X(STEP_LINEARIZE, "step_linearize", 6 * nv * nv)       /* A_d and B_d of a semi-implicit Euler step */                      \
    X(RNEA_DERIVATIVES, "rnea_derivatives", 2 * nv * nv)   /* ∂τ/∂q, ∂τ/∂ν */                                        \
    X(CORIOLIS, "coriolis", nv)                            /* C; compared: C ν, since C is not unique */                       \
    X(REGRESSOR, "regressor", nv)                          /* Y; compared: Y π, since the order of π differs */               \
    X(CENTROIDAL, "centroidal", 12 * nv)                   /* A and Ȧ about the centre of mass */                              \
    X(FRAME_JACOBIAN, "frame_jacobian", 6 * nv)            /* pose and J of the last body; compared: J */                       \
    X(COM_JACOBIAN, "com_jacobian", 3 * nv)                /* centre of mass and its J; compared: J */                          \
    X(GRAVITY, "gravity", nv + nv * nv)                    /* G(q) and ∂G/∂q */                                             \
    X(CENTROIDAL_DERIVATIVES, "centroidal_derivatives", 24 * nv) /* ∂h/∂q, ∂ḣ/∂q, ∂ḣ/∂ν, ∂ḣ/∂ν̇ = A */ \
    X(FRAME_RATE, "frame_rate", 12 * nv)               /* pose, J and J̇ of the last body; compared: J, J̇ */                 \
    X(FRAME_DERIVATIVES, "frame_derivatives", 24 * nv) /* of its twist V and acceleration: V_q, A_q, A_ν, A_ν̇ */            \
    X(COM_DERIVATIVE, "com_derivative", 3 * nv)        /* of the velocity of the centre of mass, by q */                        \
    X(STATIC_TORQUE, "static_torque", nv *nv)          /* ∂τ/∂q at rest, under a wrench on every body */                   \
    X(STEP_RK4, "step_rk4", 6 * nv * nv)               /* A_d and B_d of a Munthe-Kaas step of order four */

typedef enum bench_algorithm {
#define BENCH_ENUM(constant, name, size) BENCH_##constant,
    BENCH_LIST(BENCH_ENUM)
#undef BENCH_ENUM
        BENCH_ALGORITHMS
} bench_algorithm;

enum { BENCH_STATES = 64 }; /* the knots of a horizon: a batch, and what single calls go through */

#define BENCH_STEP 1e-3 /* seconds: of step_linearize */

/* a frame or a point of a body that the world holds */
typedef struct bench_foot {
    size_t body;
    int rows;           /* 6: a frame, 3: a point */
    int32_t frame;      /* Hamel's */
    double position[3]; /* in the body frame */
} bench_foot;

enum { BENCH_FEET = 8 };

/* a robot without passive forces and followers, and the states it is in; everything in Hamel's conventions */
typedef struct bench_robot {
    char name[64];
    const hml_model *model; /* for Hamel's own contenders */
    hml_isa isa;
    size_t nbodies, nq, nv;
    hml_body_info *bodies;
    hml_joint_info *joints; /* the one that moves body i */
    double gravity[3];
    double *q, *v, *u; /* BENCH_STATES of each; u is τ where that is given, and ν̇ where that is */
    size_t nfeet;      /* ends of the limbs of a free base, or none */
    bench_foot feet[BENCH_FEET];
    double *wrenches; /* of static_torque: nbodies × 6, [force; torque] in the bodies' frames */
} bench_robot;

typedef struct bench_contender {
    const char *name;  /* "hamel", "pinocchio-native", … */
    const char *build; /* version, compiler, flags: for the record */

    /* NULL if it cannot have this robot */
    void *(*open)(const bench_robot *robot);
    /* works through at least this many states, round and round; returns how many, 0 if it has no such algorithm */
    size_t (*run)(void *self, bench_algorithm algorithm, size_t states);
    /* the result of the first state, after a run of one; 0 if it has none that can be compared */
    int (*result)(void *self, bench_algorithm algorithm, double *out);
    void (*close)(void *self);
} bench_contender;

/* what a peer's shared object exports */
__attribute__((visibility("default"))) const bench_contender *bench_peer(void);

#ifdef __cplusplus
}
#endif

#endif
