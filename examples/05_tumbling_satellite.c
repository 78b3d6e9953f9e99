/*
 * A satellite that tumbles, its arm and wheels moving. Two integrators: dopri5 chooses its steps by its error, the
 * variational scheme takes equal ones and keeps the momentum of the whole to the last digits, for ever.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <hamel/hamel.h>
#include <hamel/io.h>

enum { NQ = 40, NV = 40 };

static void check(hml_status status)
{
    if (status == HML_OK) return;
    fprintf(stderr, "%s\n", hml_status_message(status));
    exit(EXIT_FAILURE);
}

int main(void)
{
    static double q[NQ], v[NV], M[NV * NV], h[NV], momentum[2][6];
    hml_load_options load;
    hml_model *satellite;
    hml_work *work;
    hml_load_options_init(&load);
    load.build = HML_BUILD_NO_PASSIVE; /* its hinges and mounts have dampers, which would eat the energy */
    check(hml_load_builtin("satellite", &load, &satellite, NULL));
    if (hml_model_nq(satellite) > NQ || hml_model_nv(satellite) > NV) return EXIT_FAILURE;
    check(hml_work_new(satellite, HML_ISA_BEST, HML_USE_ALL, &work));
    check(hml_configuration_neutral(satellite, q));
    for (int i = 0; i < hml_model_nv(satellite); i++) v[i] = 0.3 * sin(i + 1.0);

    double worst = 0;
    for (int k = 0; k < 2; k++) {
        hml_motion_options options;
        hml_motion *motion;
        hml_motion_options_init(&options);
        options.scheme = k ? HML_SCHEME_VARIATIONAL : HML_SCHEME_DOPRI5;
        check(hml_motion_new(satellite, work, &options, NULL, 0, q, v, &motion));
        for (int end = 0; end < 2; end++) {
            hml_dynamics_result d = {.struct_size = sizeof d, .M = M, .h = h, .momentum = momentum[end]};
            check(hml_motion_advance(motion, 2 * end));
            check(hml_dynamics(satellite, work, hml_motion_position(motion), hml_motion_velocity(motion), NULL, NULL,
                               &d));
            printf("%-12s t %d s, energy %.12f J, angular momentum %.12f %.12f %.12f\n",
                   hml_scheme_name(options.scheme), 2 * end, d.kinetic_energy, momentum[end][3], momentum[end][4],
                   momentum[end][5]);
        }
        for (int i = 0; i < 6; i++) worst = fmax(worst, fabs(momentum[1][i] - momentum[0][i]));
        hml_motion_free(motion);
    }
    hml_work_free(work);
    hml_model_free(satellite);
    return worst < 1e-9 ? EXIT_SUCCESS : EXIT_FAILURE;
}
