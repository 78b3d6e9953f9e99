/*
 * Random numbers and random robots, for tests and benchmarks. The state is the caller's; the same seed gives the same
 * numbers on every machine.
 */
#ifndef HAMEL_RANDOM_H
#define HAMEL_RANDOM_H

#include "hamel/model.h"

/* ---- numbers ---- */

typedef struct hml_rng {
    uint64_t state[4];
} hml_rng;

/* a state of zeros, as from calloc, is that of seed 0 */
HML_API void hml_rng_seed(hml_rng *rng, uint64_t seed);
HML_API uint64_t hml_rng_bits(hml_rng *rng);
HML_API double hml_rng_uniform(hml_rng *rng, double lower, double upper); /* in [lower, upper) */
HML_API double hml_rng_normal(hml_rng *rng);                              /* mean 0, deviation 1 */
HML_API int32_t hml_rng_below(hml_rng *rng, int32_t n);                   /* 0 … n − 1 */

/* a rotation, all of them equally likely: unit quaternion, w first */
HML_API void hml_rng_quaternion(hml_rng *rng, double q[4]);

/* ---- robots ---- */

typedef enum hml_random_shape {
    HML_RANDOM_ANY = 0,    /* each body on any earlier one */
    HML_RANDOM_CHAIN = 1,  /* one after the other */
    HML_RANDOM_BUSHY = 2,  /* every body has `branches` children as long as there are bodies */
    HML_RANDOM_LEGGED = 3, /* a trunk with `branches` chains of equal length */
    HML_RANDOM_STAR = 4    /* all on the first */
} hml_random_shape;

typedef struct hml_random_spec {
    size_t struct_size;
    uint64_t seed;
    int32_t nbodies; /* links, the root among them; default 13 */
    hml_random_shape shape;
    int32_t branches;     /* bushy: children per body; legged: legs; default 4 */
    hml_joint_type root;  /* joint of the first body on the world; default free; fixed: it is part of the world */
    unsigned joint_types; /* the others: a sum of 1u << type, each equally likely; default revolute */
    double aligned;       /* chance that a joint has a frame rotated by quarter turns and its axis x, y or z through
                             the origin; default 0.5 */
    double length;        /* metres from joint to joint, about; default 0.3 */
    double mass;          /* kilograms per body, about; default 1 */
    double passive;       /* chance that a joint has armature, damping and a spring; default 0 */
    double limited;       /* chance that a joint has limits; default 0 */
    double mimic;         /* chance that a joint of one coordinate follows another; default 0 */
    int32_t nframes;      /* frames on random bodies; default 0 */
} hml_random_spec;

/* the defaults: a quadruped-like robot, seed 1 */
HML_API void hml_random_spec_init(hml_random_spec *spec);

/*
 * A robot with physically consistent inertias: each body is a box of random size and orientation. Bodies are called
 * body0, body1, …, joints joint0, joint1, …, frames frame0, frame1, …; a free root joint is called base. The same spec
 * gives the same bytes on every machine whose libm rounds alike.
 */
HML_API hml_status hml_model_random(const hml_random_spec *spec, hml_model **model);

#endif
