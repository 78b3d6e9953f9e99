/*
 * A ship with a crane in waves: a moving base that wrenches drive. The water's spring and damper are in the model; a
 * function of time adds the swell, a heave force and a roll moment. How far does the load on its cable swing?
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <hamel/hamel.h>
#include <hamel/io.h>

enum { NQ = 32, NV = 32 };

static void check(hml_status status)
{
    if (status == HML_OK) return;
    fprintf(stderr, "%s\n", hml_status_message(status));
    exit(EXIT_FAILURE);
}

/* a swell of nine seconds on the hull, body 0, force and torque in its frame */
static hml_status swell(void *context, double t, const double *q, const double *v, double *tau, double *wrenches)
{
    (void)context, (void)q, (void)v, (void)tau;
    wrenches[2] += 1e5 * sin(0.7 * t);
    wrenches[3] += 1e5 * sin(0.7 * t - 1);
    return HML_OK;
}

int main(void)
{
    static double q[NQ], v[NV], stiffness[NV], damping[NV];
    hml_model *ship;
    hml_work *work;
    hml_motion *motion;
    check(hml_load_builtin("ship_crane", NULL, &ship, NULL));
    if (hml_model_nq(ship) > NQ || hml_model_nv(ship) > NV) return EXIT_FAILURE;
    check(hml_work_new(ship, HML_ISA_BEST, HML_USE_ALL, &work));
    check(hml_configuration_neutral(ship, q));
    for (int32_t j = 0; j < hml_model_njoints(ship); j++) { /* crane and deck hold; cable and sling are free to swing */
        hml_joint_info joint = {.struct_size = sizeof joint};
        check(hml_model_joint(ship, j, &joint));
        for (int k = joint.v; joint.actuated && k < joint.v + joint.nv; k++) stiffness[k] = 1e8, damping[k] = 1e7;
    }
    const hml_forces waves = {
        .struct_size = sizeof waves, .function = swell, .target = q, .stiffness = stiffness, .damping = damping};
    hml_motion_options options;
    hml_motion_options_init(&options);
    options.scheme = HML_SCHEME_ALPHA; /* implicit: such servos are stiff */
    options.step = 0.02;
    check(hml_motion_new(ship, work, &options, &waves, 0, q, v, &motion));
    hml_joint_info swing = {.struct_size = sizeof swing};
    check(hml_model_joint(ship, hml_model_find_joint(ship, "swing"), &swing));
    double widest = 0;
    for (int k = 1; k <= 120; k++) {
        check(hml_motion_advance(motion, 0.25 * k));
        const double *r = hml_motion_position(motion) + swing.q; /* a quaternion */
        widest = fmax(widest, 2 * atan2(hypot(hypot(r[1], r[2]), r[3]), fabs(r[0])));
    }
    printf("in 30 s the cable swings by up to %.1f degrees\n", 57.29578 * widest);
    hml_motion_free(motion);
    hml_work_free(work);
    hml_model_free(ship);
    return widest > 0.01 && widest < 1 ? EXIT_SUCCESS : EXIT_FAILURE;
}
