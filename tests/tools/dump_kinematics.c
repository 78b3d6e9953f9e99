/*
 * dump_kinematics [--base free|fixed] [--independent] MODEL < STATES > NUMBERS
 *
 * The kinematics of a model at each state on standard input (q, ν and ν̇: nq + 2 nv numbers), as raw doubles:
 *
 *   for every frame, for left, right and mixed: pose 16, J, J̇, twist 6, acceleration 6, ∂twist/∂q, ∂acceleration/∂q,
 *   ∂acceleration/∂ν, and for left and right the Hessian nv × 6 × nv; then com 3, its J and J̇ (3 × nv), velocity 3,
 *   acceleration 3, centroidal momentum matrix and its rate, momentum 6, its rate 6, ∂momentum/∂q, ∂rate/∂q, ∂rate/∂ν
 *
 * 6 × nv each where nothing is said.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hamel/hamel.h"
#include "hamel/io.h"

static void put(const double *x, size_t n) { fwrite(x, sizeof *x, n, stdout); }

static hml_status dump_frame(const hml_model *model, hml_work *work, int32_t frame, const double *state, double *room)
{
    const size_t nq = (size_t)hml_model_nq(model), nv = (size_t)hml_model_nv(model), wide = 6 * nv;
    const double *q = state, *v = q + nq, *a = v + nv;
    for (int rep = HML_LEFT; rep <= HML_MIXED; rep++) {
        double pose[16], twist[6], acceleration[6], *J = room, *Jdot = J + wide, *Vq = Jdot + wide, *H = Vq + 3 * wide;
        hml_frame_motion m = {sizeof m, pose, J, Jdot, twist, acceleration};
        hml_frame_derivative d = {
            .struct_size = sizeof d, .twist_q = Vq, .acceleration_q = Vq + wide, .acceleration_v = Vq + 2 * wide};
        hml_status status = hml_frame(model, work, frame, (hml_representation)rep, q, v, a, &m);
        if (!status) status = hml_frame_derivatives(model, work, frame, (hml_representation)rep, q, v, a, &d);
        if (!status) status = hml_frame_hessian(model, work, frame, (hml_representation)rep, HML_LEFT, q, H);
        if (status) return status;
        put(pose, 16), put(J, wide), put(Jdot, wide), put(twist, 6), put(acceleration, 6), put(Vq, 3 * wide);
        if (rep != HML_MIXED) put(H, wide * nv);
    }
    return HML_OK;
}

static hml_status dump_centroidal(const hml_model *model, hml_work *work, const double *state, double *room)
{
    const size_t nq = (size_t)hml_model_nq(model), nv = (size_t)hml_model_nv(model),
                 sizes[] = {3, 3 * nv, 3 * nv, 3, 3, 6 * nv, 6 * nv, 6, 6};
    double *at[9], *next = room;
    for (int i = 0; i < 9; i++) at[i] = next, next += sizes[i];
    hml_centroidal_motion m = {sizeof m, at[0], at[1], at[2], at[3], at[4], at[5], at[6], at[7], at[8]};
    hml_status status = hml_centroidal(model, work, state, state + nq, state + nq + nv, &m);
    if (!status) put(room, (size_t)(next - room));
    const hml_centroidal_derivative d = {.struct_size = sizeof d,
                                         .momentum_q = room,
                                         .momentum_rate_q = room + 6 * nv,
                                         .momentum_rate_v = room + 12 * nv};
    if (!status) status = hml_centroidal_derivatives(model, work, state, state + nq, state + nq + nv, &d);
    if (!status) put(room, 18 * nv);
    return status;
}

int main(int argc, char **argv)
{
    hml_load_options options;
    hml_load_options_init(&options);
    const char *path = NULL;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--base") == 0 && i + 1 < argc)
            options.base = strcmp(argv[++i], "free") == 0 ? HML_BASE_FREE : HML_BASE_FIXED;
        else if (strcmp(argv[i], "--independent") == 0)
            options.build |= HML_BUILD_MIMIC_INDEPENDENT;
        else
            path = argv[i];
    }
    hml_model *model;
    hml_work *work;
    hml_error error = {0};
    if (!path || hml_load(path, &options, &model, &error) || hml_work_new(model, HML_ISA_SCALAR, HML_USE_TREE, &work)) {
        fprintf(stderr, "dump_kinematics: %s\n", path ? error.message : "no model");
        return 1;
    }
    const size_t nv = (size_t)hml_model_nv(model), n = (size_t)hml_model_nq(model) + 2 * nv;
    double *state = calloc(n + 1, sizeof *state), *room = calloc(6 * nv * (nv + 8) + 64, sizeof *room);
    hml_status status = state && room ? HML_OK : HML_OUT_OF_MEMORY;
    for (size_t got = 0; !status && scanf("%lf", &state[got]) == 1;) {
        if (++got < n) continue;
        got = 0;
        for (int32_t f = 0; !status && f < hml_model_nframes(model); f++) {
            status = dump_frame(model, work, f, state, room);
        }
        if (!status) status = dump_centroidal(model, work, state, room);
    }
    if (status) fprintf(stderr, "dump_kinematics: %s\n", hml_status_message(status));
    free(state);
    free(room);
    hml_work_free(work);
    hml_model_free(model);
    return status ? 1 : 0;
}
