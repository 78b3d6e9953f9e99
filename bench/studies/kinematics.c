/*
 * Nanoseconds per state for all Jacobians of a robot: one call, and batches of each instruction set. One line per
 * measurement: operation, column, nanoseconds. group.sh makes the table. Usage: kinematics_bench [ROBOT.urdf...];
 * without an argument, robots that come with the library.
 *
 * The first row of a robot is the matrix of all joints' columns in the world, what Pinocchio's computeJointJacobians
 * leaves in data.J; the second writes the poses of all bodies too. 64 states; the best of many rounds counts, the
 * others were disturbed.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "hamel/hamel.h"
#include "hamel/io.h"

enum { STATES = 64, ROUNDS = 400 };

typedef struct field {
    const hml_model *model;
    hml_work *work;
    double *q, *J, *H;
    size_t nq;
    int batched;
} field;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static hml_status run(const field *f)
{
    hml_jacobian_columns x = {.struct_size = sizeof x, .q = {f->q, f->nq}, .H = {.data = f->H}, .J = {.data = f->J}};
    if (f->batched) return hml_all_jacobians_batch(f->model, f->work, STATES, &x, NULL);
    for (size_t s = 0; s < STATES; s++) {
        x.q.data = f->q + s * f->nq;
        hml_status status = hml_all_jacobians(f->model, f->work, &x);
        if (status) return status;
    }
    return HML_OK;
}

static void measure(const char *robot, const char *what, const char *column, const field *f)
{
    double best = INFINITY;
    if (run(f)) return;
    for (int round = 0; round < ROUNDS; round++) {
        double start = now();
        run(f);
        best = fmin(best, now() - start);
    }
    printf("%s, nv %d%s\t%s\t%.1f\n", robot, hml_model_nv(f->model), what, column, 1e9 * best / STATES);
}

static void bench(const char *robot, const hml_model *model)
{
    static const hml_isa all[] = {HML_ISA_BEST, HML_ISA_SCALAR, HML_ISA_128, HML_ISA_AVX2, HML_ISA_AVX512};
    const size_t nq = (size_t)hml_model_nq(model), nv = (size_t)hml_model_nv(model);
    const size_t poses = 16 * (size_t)hml_model_nbodies(model);
    double *q = malloc(STATES * nq * sizeof *q), *J = malloc(STATES * 6 * nv * sizeof *J);
    double *H = malloc(STATES * poses * sizeof *H);
    hml_rng rng;
    hml_rng_seed(&rng, 1);
    for (size_t s = 0; q && s < STATES; s++) hml_configuration_random(model, &rng, q + s * nq);
    for (size_t k = 0; q && J && H && k < sizeof all / sizeof *all; k++) {
        field f = {.model = model, .q = q, .J = J, .nq = nq, .batched = all[k] != HML_ISA_BEST};
        const char *column = f.batched ? hml_isa_name(all[k]) : "call";
        if (!hml_isa_available(all[k]) || hml_work_new(model, all[k], HML_USE_TREE, &f.work)) continue;
        measure(robot, "", column, &f);
        f.H = H;
        measure(robot, ", with poses", column, &f);
        hml_work_free(f.work);
    }
    free(q), free(J), free(H);
}

int main(int argc, char **argv)
{
    static const char *const builtin[] = {"quadruped", "humanoid", "arm7"};
    const int own = argc < 2, n = own ? (int)(sizeof builtin / sizeof *builtin) : argc - 1;
    for (int i = 0; i < n; i++) {
        hml_load_options options;
        hml_model *model;
        hml_error error = {0};
        const char *path = own ? builtin[i] : argv[i + 1], *slash = strrchr(path, '/'),
                   *name = slash ? slash + 1 : path;
        char robot[64];
        snprintf(robot, sizeof robot, "%.*s", (int)strcspn(name, "."), name);
        hml_load_options_init(&options);
        options.base = own ? HML_BASE_AUTO : HML_BASE_FREE;
        options.build = HML_BUILD_MIMIC_INDEPENDENT;
        if (own ? hml_load_builtin(path, &options, &model, &error) : hml_load(path, &options, &model, &error)) {
            fprintf(stderr, "kinematics_bench: %s: %s\n", path, error.message);
            return 1;
        }
        bench(robot, model);
        hml_model_free(model);
    }
    return 0;
}
