/*
 * A and B of a robot: a drone with an arm, hovering on its side, where Euler angles have their singularity. The
 * matrices predict what a small push does a millisecond later; the robot itself says whether they are right.
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

int main(void)
{
    static double q[NQ], v[NV], A[2 * NV][2 * NV], B[2 * NV][NV], a[NV], a_pushed[NV];
    hml_linearization at = {.struct_size = sizeof at, .q.data = q, .v.data = v, .A.data = *A, .B.data = *B};
    hml_model *robot;
    hml_work *work;

    check(hml_load_builtin("drone_arm", NULL, &robot, NULL));
    if (hml_model_nq(robot) != NQ || hml_model_nv(robot) != NV) return EXIT_FAILURE;
    check(hml_work_new(robot, HML_ISA_BEST, HML_USE_ALL, &work));
    check(hml_configuration_neutral(robot, q));
    q[3] = q[5] = sqrt(0.5); /* pitched by exactly 90 degrees: quaternion (w, x, y, z) in q[3 … 6] */
    v[4] = 0.2;
    at.acceleration.data = a;
    check(hml_linearize(robot, work, &at)); /* exact: no step size, no singularity; allocates nothing */

    /* push: turn the drone by a microradian about each axis, bend the first joint by as much */
    double z[NV] = {0, 0, 0, 1e-6, 1e-6, 1e-6, 1e-6}, pushed[NQ], error = 0;
    check(hml_configuration_integrate(robot, q, z, pushed)); /* q ⊕ z, on the group */
    check(hml_forward_dynamics(robot, work, pushed, v, NULL, NULL, a_pushed));
    puts("coordinate   predicted        happened");
    for (int i = 0; i < NV; i++) {
        char name[32];
        double predicted = 0;
        for (int k = 0; k < NV; k++) predicted += A[NV + i][k] * z[k];
        check(hml_model_velocity_name(robot, i, name, sizeof name));
        printf("%-10s  % .6e  % .6e\n", name, predicted, a_pushed[i] - a[i]);
        error = fmax(error, fabs(predicted - (a_pushed[i] - a[i])));
    }
    hml_work_free(work);
    hml_model_free(robot);
    return error < 1e-9 ? EXIT_SUCCESS : EXIT_FAILURE; /* the square of a microradian times the curvature */
}
