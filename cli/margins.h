/* The stability margins of a feedback, as hamel lqr prints and writes them. */
#ifndef CLI_MARGINS_H
#define CLI_MARGINS_H

#include "hamel/control/margins.h"
#include "robot.h"

typedef struct margin_set {
    size_t m;
    const char *const *names; /* of the inputs */
    hml_margin *inputs;       /* m */
    hml_disk disks[3];        /* of S, T and (S − T)/2 */
} margin_set;

/* of u = −K x, in continuous time (step 0) or in steps; an exit status. margins_free is due either way */
int margins_find(const robot *r, size_t n, size_t m, const double *A, const double *B, const double *K, double step,
                 margin_set *x);
void margins_free(margin_set *x);

void margins_add(const margin_set *set, hml_result *result);
void margins_print(const margin_set *set);

#endif
