/*
 * dump_contact [--base free|fixed] MODEL CONSTRAINTS < STATES > NUMBERS
 *
 * Constrained dynamics of a model at each state on standard input (q, ν and τ: nq + 2 nv numbers), as raw doubles:
 *
 *   ν̇ (nv), λ (m), ∂ν̇/∂q, ∂ν̇/∂ν, ∂ν̇/∂τ (nv × nv each), ∂λ/∂q, ∂λ/∂ν, ∂λ/∂τ (m × nv each), rank (1),
 *   and of an impulse without restitution: ν⁺ (nv), Λ (m)
 *
 * CONSTRAINTS: frame:NAME and point:NAME, with commas between them. Mimic joints are independent, joints have no
 * damping: that is how Pinocchio reads them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hamel/hamel.h"
#include "hamel/io.h"

enum { MOST = 8 };

static void put(const double *x, size_t n) { fwrite(x, sizeof *x, n, stdout); }

static int read_constraints(const hml_model *model, char *text, hml_constraint *items)
{
    int count = 0;
    for (char *word = strtok(text, ","); word && count < MOST; word = strtok(NULL, ",")) {
        hml_constraint c = {.kind = strncmp(word, "frame:", 6) == 0 ? HML_HOLD_FRAME : HML_HOLD_POINT};
        c.frame = hml_model_find_frame(model, word + 6);
        if (c.frame < 0) return -1;
        items[count++] = c;
    }
    return count;
}

static hml_status dump(const hml_model *model, hml_work *work, const hml_constraints *set, const double *state,
                       double *scratch, double *room)
{
    const size_t nq = (size_t)hml_model_nq(model), nv = (size_t)hml_model_nv(model);
    const size_t m = (size_t)hml_constraint_rows(set);
    hml_constraint_report report = {.struct_size = sizeof report};
    hml_constrained_linearization x = {
        .struct_size = sizeof x, .q = state, .v = state + nq, .tau = state + nq + nv, .report = &report};
    double **parts[] = {&x.acceleration, &x.lambda, &x.Dq, &x.Dv, &x.Dtau, &x.lambda_q, &x.lambda_v, &x.lambda_tau};
    const size_t sizes[] = {nv, m, nv * nv, nv * nv, nv * nv, m * nv, m * nv, m * nv};
    double *next = room;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) *parts[i] = next, next += sizes[i];
    hml_status status = hml_constrained_linearize(model, work, set, scratch, &x);
    double rank = report.rank, *v_next = next, *impulse = next + nv;
    if (!status) {
        status = hml_constrained_impulse(
            model, work, set, scratch,
            &HML_STRUCT(hml_constrained_impact, .q = x.q, .v = x.v, .v_next = v_next, .impulse = impulse));
    }
    if (!status) put(room, (size_t)(next - room)), put(&rank, 1), put(v_next, nv + m);
    return status;
}

int main(int argc, char **argv)
{
    hml_load_options options;
    hml_load_options_init(&options);
    options.build |= HML_BUILD_MIMIC_INDEPENDENT | HML_BUILD_NO_PASSIVE;
    int at = 1;
    if (argc == 5 && strcmp(argv[1], "--base") == 0) {
        options.base = strcmp(argv[2], "free") == 0 ? HML_BASE_FREE : HML_BASE_FIXED;
        at = 3;
    }
    hml_model *model = NULL;
    hml_work *work = NULL;
    hml_error error = {0};
    hml_constraint items[MOST];
    hml_constraints set = {.struct_size = sizeof set, .items = items};
    if (argc != at + 2 || hml_load(argv[at], &options, &model, &error) ||
        hml_work_new(model, HML_ISA_SCALAR, HML_USE_ALL, &work) ||
        (set.count = read_constraints(model, argv[at + 1], items)) < 0) {
        fprintf(stderr, "dump_contact: %s\n", *error.message ? error.message : "a model and its constraints, please");
        return 1;
    }
    const size_t nv = (size_t)hml_model_nv(model), n = (size_t)hml_model_nq(model) + 2 * nv;
    double *state = calloc(n + 1, sizeof *state);
    double *scratch = calloc(hml_constraint_scratch_doubles(model, &set) + 1, sizeof *scratch);
    double *room = calloc(3 * nv * (nv + 6 * MOST + 1) + 64 * MOST, sizeof *room);
    hml_status status = state && room && scratch ? HML_OK : HML_OUT_OF_MEMORY;
    for (size_t got = 0; !status && scanf("%lf", &state[got]) == 1;) {
        if (++got < n) continue;
        got = 0;
        status = dump(model, work, &set, state, scratch, room);
    }
    if (status) fprintf(stderr, "dump_contact: %s\n", hml_status_message(status));
    free(state);
    free(scratch);
    free(room);
    hml_work_free(work);
    hml_model_free(model);
    return status ? 1 : 0;
}
