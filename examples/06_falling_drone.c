/*
 * A drone falls with its motors off, its arm swinging, until a function of the state says stop: hml_motion_find locates
 * the moment in which the base passes a height, between the steps.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <hamel/hamel.h>
#include <hamel/io.h>

enum { NQ = 12, NV = 11 };

static void check(hml_status status)
{
    if (status == HML_OK) return;
    fprintf(stderr, "%s\n", hml_status_message(status));
    exit(EXIT_FAILURE);
}

/* how high the base is above the height the context holds */
static hml_status above(void *height, double t, const double *q, const double *v, double *value)
{
    (void)t, (void)v;
    *value = q[2] - *(const double *)height;
    return HML_OK;
}

int main(void)
{
    double q[NQ], v[NV] = {0}, landing = -5, t = 0;
    int found = 0;
    hml_model *drone;
    hml_work *work;
    hml_motion *motion;
    check(hml_load_builtin("drone_arm", NULL, &drone, NULL));
    if (hml_model_nq(drone) != NQ || hml_model_nv(drone) != NV) return EXIT_FAILURE;
    check(hml_work_new(drone, HML_ISA_BEST, HML_USE_ALL, &work));
    check(hml_configuration_neutral(drone, q));
    v[6] = 4, v[8] = -3; /* the arm swings; the base answers */

    check(hml_motion_new(drone, work, NULL, NULL, 0, q, v, &motion));
    while (!found) {
        check(hml_motion_step(motion, 10));
        check(hml_motion_find(motion, above, &landing, &found, &t, q, v));
    }
    printf("after %.9f s the base is at %.12f m and sinks with %.4f m/s\n", t, q[2], -v[2]);
    hml_motion_free(motion);
    hml_work_free(work);
    hml_model_free(drone);
    return fabs(q[2] - landing) < 1e-12 && fabs(t - sqrt(2 * 5 / 9.81)) < 0.05 ? EXIT_SUCCESS : EXIT_FAILURE;
}
