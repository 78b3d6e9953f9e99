/*
 * Many states at once: the knots of a trajectory, as model-predictive control linearizes them. One call, packs as wide
 * as the processor has, no allocation; a bad knot says so and leaves its neighbours alone.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <hamel/hamel.h>
#include <hamel/io.h>

enum { KNOTS = 20, NQ = 19, NV = 18 };

static void check(hml_status status)
{
    if (status == HML_OK) return;
    fprintf(stderr, "%s\n", hml_status_message(status));
    exit(EXIT_FAILURE);
}

int main(void)
{
    static double q[KNOTS][NQ], v[KNOTS][NV], a[KNOTS][NV], Dq[KNOTS][NV * NV], Dv[KNOTS][NV * NV];
    hml_status status[KNOTS];
    hml_model *robot;
    hml_work *work;

    check(hml_load_builtin("quadruped", NULL, &robot, NULL));
    if (hml_model_nq(robot) != NQ || hml_model_nv(robot) != NV) return EXIT_FAILURE;
    check(hml_work_new(robot, HML_ISA_BEST, HML_USE_ALL, &work));
    for (int k = 0; k < KNOTS; k++) { /* trotting on the spot */
        check(hml_configuration_neutral(robot, q[k]));
        for (int j = 6; j < NV; j++) {
            q[k][j + 1] = 0.3 * sin(0.3 * k + j);
            v[k][j] = cos(0.3 * k + j);
        }
    }
    q[7][3] = 5; /* one knot has a quaternion that is none */

    hml_linearization at = {.struct_size = sizeof at, .q = {*q, NQ}, .v = {*v, NV}};
    at.acceleration.data = *a; /* one state behind the other; ld and stride say otherwise */
    at.Dq.data = *Dq;
    at.Dv.data = *Dv;
    hml_status first = hml_linearize_batch(robot, work, KNOTS, &at, status);

    printf("in packs of %s: %s\n", hml_isa_name(hml_work_isa(work)), hml_status_message(first));
    int bad = 0;
    for (int k = 0; k < KNOTS; k++) {
        bad += status[k] != HML_OK;
        if (k % 4 == 3)
            printf("knot %2d: %s, base accelerates with %6.3f m/s²\n", k, hml_status_message(status[k]), a[k][2]);
    }
    hml_work_free(work);
    hml_model_free(robot);
    return bad == 1 && status[7] == HML_NOT_NORMALIZED && isnan(a[7][2]) ? EXIT_SUCCESS : EXIT_FAILURE;
}
