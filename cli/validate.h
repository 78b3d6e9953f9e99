/*
 * hamel validate: what is measured.
 *
 * Four derivatives of forward dynamics, as in Bos (82)-(85): by the pose H of the base, the joint positions s, the
 * velocity v of the base, the joint velocities r. A base is a free root; every other coordinate is a joint's.
 */
#ifndef CLI_VALIDATE_H
#define CLI_VALIDATE_H

#include "hamel/random.h"
#include "robot.h"

enum { VALIDATE_PARTS = 4, VALIDATE_STEPS = 14, VALIDATE_STEP = 5 /* index of 1e-6, the paper's */ };

/* sums over all samples and entries */
typedef struct validate_sums {
    long entries[VALIDATE_PARTS], accelerations;
    double exact[VALIDATE_PARTS], acceleration;       /* |D|, |ν̇| */
    double largest[VALIDATE_STEPS][VALIDATE_PARTS];   /* max |D − difference| */
    double deviation[VALIDATE_STEPS][VALIDATE_PARTS]; /* sum |D − difference| */
} validate_sums;

/*
 * Bos (86), (87): errors divided by the mean absolute entry of the derivative; 0 where there are no entries. A
 * derivative may vanish: without gravity nothing depends on H. Then its error is divided by the mean absolute entry of
 * all four derivatives together, and if those vanish too, by that of ν̇ (of 1, if nothing accelerates).
 */
typedef struct validate_errors {
    double step[VALIDATE_STEPS]; /* 1e-1 … 1e-14 */
    double max[VALIDATE_STEPS][VALIDATE_PARTS];
    double average[VALIDATE_STEPS][VALIDATE_PARTS];
    double scale[VALIDATE_PARTS]; /* what they were divided by */
    int present[VALIDATE_PARTS];  /* 0: this robot has no such coordinates */
    int vanishes[VALIDATE_PARTS]; /* 1: the derivative does, next to the others */
    int redrawn;                  /* 1: placements and inertias were drawn for every sample */
    long samples;
} validate_errors;

/* the same robot with every placement and inertia drawn anew; *drawn is the caller's to free */
hml_status validate_redraw(const hml_model *model, hml_rng *rng, hml_model **drawn);

/*
 * A state, uniform in [0, 1], and forces that give joint accelerations uniform in [0, 1] with no force on the base. Of
 * the base's velocity what is drawn is ᴬv_{A,0}, as in the paper (HML_RIGHT), or ⁰v_{A,0} (HML_LEFT).
 */
hml_status validate_state(const hml_model *model, hml_work *work, const int *is_base, hml_representation drawn,
                          hml_rng *rng, double *q, double *v, double *tau);

/* writes PREFIX.csv and PREFIX.svg; an exit status */
int validate_write_study(const validate_errors *errors, const char *prefix);

/* tables on standard output; the paper's figures are shown beside ours for the built-in robot */
void validate_print(const validate_errors *errors, int built_in);

/* e_max, e_avg and study */
void validate_add(const validate_errors *errors, hml_result *result);

#endif
