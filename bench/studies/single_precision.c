/*
 * Batches in single precision beside those in double: single_precision_study [FILE...] prints, for every robot and
 * algorithm, the time per state in double and in float, their ratio, and the worst error of a state against double,
 * relative to the largest entry of its result. The table of docs/accuracy.md.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "hamel/hamel.h"
#include "hamel/io.h"

enum { N = 256, ROUNDS = 15 };

typedef struct {
    hml_model *model;
    hml_work *work;
    size_t nq, nv, nb;
    double *q, *v, *tau, *wide;
    float *fq, *fv, *ftau, *single;
} subject;

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct {
    const char *name;
    size_t (*size)(const subject *s); /* entries of a state's results */
    hml_status (*in_double)(const subject *s, size_t n), (*in_float)(const subject *s, size_t n);
} algorithm;

static size_t vector_size(const subject *s) { return s->nv; }
static size_t matrix_size(const subject *s) { return s->nv * s->nv; }
static size_t pose_size(const subject *s) { return 16 * s->nb; }
static size_t column_size(const subject *s) { return 6 * s->nv; }

#define LINEARIZE(name, field)                                                                                         \
    static hml_status name##_double(const subject *s, size_t n)                                                        \
    {                                                                                                                  \
        const hml_linearization x = {.struct_size = sizeof x,                                                          \
                                     .q = {s->q, s->nq},                                                               \
                                     .v = {s->v, s->nv},                                                               \
                                     .tau = {s->tau, s->nv},                                                           \
                                     .field.data = s->wide};                                                           \
        return hml_linearize_batch(s->model, s->work, n, &x, NULL);                                                    \
    }                                                                                                                  \
    static hml_status name##_float(const subject *s, size_t n)                                                         \
    {                                                                                                                  \
        const hml_linearization_f32 x = {.struct_size = sizeof x,                                                      \
                                         .q = {s->fq, s->nq},                                                          \
                                         .v = {s->fv, s->nv},                                                          \
                                         .tau = {s->ftau, s->nv},                                                      \
                                         .field.data = s->single};                                                     \
        return hml_linearize_batch_f32(s->model, s->work, n, &x, NULL);                                                \
    }
LINEARIZE(Dq, Dq)
LINEARIZE(Dv, Dv)
#undef LINEARIZE

/* all three matrices at once, as they are timed; compared are those above and M⁻¹ below */
static hml_status all_double(const subject *s, size_t n)
{
    const size_t n2 = s->nv * s->nv;
    const hml_linearization x = {.struct_size = sizeof x,
                                 .q = {s->q, s->nq},
                                 .v = {s->v, s->nv},
                                 .tau = {s->tau, s->nv},
                                 .Minv = {s->wide, 0, 0},
                                 .Dq = {s->wide + n * n2, 0, 0},
                                 .Dv = {s->wide + 2 * n * n2, 0, 0}};
    return hml_linearize_batch(s->model, s->work, n, &x, NULL);
}
static hml_status all_float(const subject *s, size_t n)
{
    const size_t n2 = s->nv * s->nv;
    const hml_linearization_f32 x = {.struct_size = sizeof x,
                                     .q = {s->fq, s->nq},
                                     .v = {s->fv, s->nv},
                                     .tau = {s->ftau, s->nv},
                                     .Minv = {s->single, 0, 0},
                                     .Dq = {s->single + n * n2, 0, 0},
                                     .Dv = {s->single + 2 * n * n2, 0, 0}};
    return hml_linearize_batch_f32(s->model, s->work, n, &x, NULL);
}

#define DYNAMICS(name)                                                                                                 \
    static hml_status name##_double(const subject *s, size_t n)                                                        \
    {                                                                                                                  \
        const hml_dynamics_states x = {.struct_size = sizeof x,                                                        \
                                       .q = {s->q, s->nq},                                                             \
                                       .v = {s->v, s->nv},                                                             \
                                       .tau = {s->tau, s->nv},                                                         \
                                       .a = {s->tau, s->nv},                                                           \
                                       .name.data = s->wide};                                                          \
        return hml_dynamics_batch(s->model, s->work, n, &x, NULL);                                                     \
    }                                                                                                                  \
    static hml_status name##_float(const subject *s, size_t n)                                                         \
    {                                                                                                                  \
        const hml_dynamics_states_f32 x = {.struct_size = sizeof x,                                                    \
                                           .q = {s->fq, s->nq},                                                        \
                                           .v = {s->fv, s->nv},                                                        \
                                           .tau = {s->ftau, s->nv},                                                    \
                                           .a = {s->ftau, s->nv},                                                      \
                                           .name.data = s->single};                                                    \
        return hml_dynamics_batch_f32(s->model, s->work, n, &x, NULL);                                                 \
    }
DYNAMICS(acceleration)
DYNAMICS(torque)
DYNAMICS(M)
DYNAMICS(Minv)
#undef DYNAMICS

static hml_status derivatives_double(const subject *s, size_t n)
{
    const hml_dynamics_states x = {.struct_size = sizeof x,
                                   .q = {s->q, s->nq},
                                   .v = {s->v, s->nv},
                                   .a = {s->tau, s->nv},
                                   .dtau_dq.data = s->wide,
                                   .dtau_dv.data = s->wide + n * s->nv * s->nv};
    return hml_dynamics_batch(s->model, s->work, n, &x, NULL);
}
static hml_status derivatives_float(const subject *s, size_t n)
{
    const hml_dynamics_states_f32 x = {.struct_size = sizeof x,
                                       .q = {s->fq, s->nq},
                                       .v = {s->fv, s->nv},
                                       .a = {s->ftau, s->nv},
                                       .dtau_dq.data = s->single,
                                       .dtau_dv.data = s->single + n * s->nv * s->nv};
    return hml_dynamics_batch_f32(s->model, s->work, n, &x, NULL);
}

static hml_status poses_double(const subject *s, size_t n)
{
    const hml_input q = {s->q, s->nq};
    const hml_output H = {s->wide, 0, 0};
    return hml_body_poses_batch(s->model, s->work, n, q, H, NULL);
}
static hml_status poses_float(const subject *s, size_t n)
{
    const hml_input_f32 q = {s->fq, s->nq};
    const hml_output_f32 H = {s->single, 0, 0};
    return hml_body_poses_batch_f32(s->model, s->work, n, q, H, NULL);
}
static hml_status jacobians_double(const subject *s, size_t n)
{
    const hml_jacobian_columns x = {.struct_size = sizeof x, .q = {s->q, s->nq}, .J.data = s->wide};
    return hml_all_jacobians_batch(s->model, s->work, n, &x, NULL);
}
static hml_status jacobians_float(const subject *s, size_t n)
{
    const hml_jacobian_columns_f32 x = {.struct_size = sizeof x, .q = {s->fq, s->nq}, .J.data = s->single};
    return hml_all_jacobians_batch_f32(s->model, s->work, n, &x, NULL);
}

static const algorithm algorithms[] = {
    {"linearize", matrix_size, all_double, all_float},
    {"Dq", matrix_size, Dq_double, Dq_float},
    {"Dv", matrix_size, Dv_double, Dv_float},
    {"forward_dynamics", vector_size, acceleration_double, acceleration_float},
    {"inverse_dynamics", vector_size, torque_double, torque_float},
    {"mass_matrix", matrix_size, M_double, M_float},
    {"inverse_mass_matrix", matrix_size, Minv_double, Minv_float},
    {"derivatives", matrix_size, derivatives_double, derivatives_float},
    {"poses", pose_size, poses_double, poses_float},
    {"jacobians", column_size, jacobians_double, jacobians_float},
};

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* the worst and the median error of a state, against its largest entry */
static void errors_of(const subject *s, size_t size, double *median, double *worst)
{
    double each[N];
    for (size_t i = 0; i < N; i++) {
        double off = 0, largest = 0;
        for (size_t e = i * size; e < (i + 1) * size; e++) {
            const double d = fabs((double)s->single[e] - s->wide[e]);
            off = d > off ? d : off, largest = fabs(s->wide[e]) > largest ? fabs(s->wide[e]) : largest;
        }
        each[i] = off / (largest + 1e-300);
    }
    qsort(each, N, sizeof *each, by_size);
    *median = each[N / 2], *worst = each[N - 1];
}

static void study(const char *name, const subject *s, const algorithm *a)
{
    double in_double = 1e9, in_float = 1e9, median, worst;
    const size_t repeat = 1 + 4000 / (s->nv * N);
    hml_status wide = HML_OK, single = HML_OK;
    for (int r = 0; r < ROUNDS; r++) {
        double t0 = seconds();
        for (size_t k = 0; k < repeat; k++) wide = a->in_double(s, N);
        double t1 = seconds();
        for (size_t k = 0; k < repeat; k++) single = a->in_float(s, N);
        double t2 = seconds();
        in_double = t1 - t0 < in_double ? t1 - t0 : in_double;
        in_float = t2 - t1 < in_float ? t2 - t1 : in_float;
    }
    if (wide || single) {
        printf("%-28s %3d %-20s %s | %s\n", name, (int)s->nv, a->name, hml_status_message(wide),
               hml_status_message(single));
        return;
    }
    errors_of(s, a->size(s), &median, &worst);
    const double scale = 1e9 / (double)(N * repeat);
    printf("%-28s %3d %-20s %8.0f %8.0f ns %6.2f   median %.1e worst %.1e\n", name, (int)s->nv, a->name,
           scale * in_double, scale * in_float, in_double / in_float, median, worst);
}

static void *room(size_t n, size_t size)
{
    void *p = calloc(n, size);
    if (!p) exit(1);
    return p;
}

/* uniform in [−1, 1) */
static double draw(void)
{
    static uint64_t x = 88172645463325252u;
    x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    return (double)(x >> 11) * 0x1p-52 - 1;
}

static void to_floats(double *x, float *to, size_t n)
{
    for (size_t i = 0; i < n; i++) to[i] = (float)x[i], x[i] = (double)to[i];
}

static void fill(subject *s)
{
    double *z = room(s->nv, sizeof *z), *neutral = room(s->nq, sizeof *neutral);
    hml_configuration_neutral(s->model, neutral);
    for (size_t i = 0; i < N; i++) {
        for (size_t k = 0; k < s->nv; k++) z[k] = draw(), s->v[i * s->nv + k] = draw(), s->tau[i * s->nv + k] = draw();
        hml_configuration_integrate(s->model, neutral, z, s->q + i * s->nq);
    }
    to_floats(s->q, s->fq, N * s->nq), to_floats(s->v, s->fv, N * s->nv), to_floats(s->tau, s->ftau, N * s->nv);
    free(z), free(neutral);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        subject s;
        if (hml_load(argv[i], NULL, &s.model, NULL)) {
            printf("%s: cannot be read\n", argv[i]);
            continue;
        }
        const char *slash = strrchr(argv[i], '/'), *name = slash ? slash + 1 : argv[i];
        s.nq = (size_t)hml_model_nq(s.model), s.nv = (size_t)hml_model_nv(s.model);
        s.nb = (size_t)hml_model_nbodies(s.model);
        size_t most = 3 * s.nv * s.nv > 16 * s.nb ? 3 * s.nv * s.nv : 16 * s.nb;
        if (6 * s.nv > most) most = 6 * s.nv;
        if (!s.nv || hml_work_new(s.model, HML_ISA_BEST, HML_USE_ALL, &s.work)) return 1;
        s.q = room(N * s.nq, sizeof(double)), s.fq = room(N * s.nq, sizeof(float));
        s.v = room(N * s.nv, sizeof(double)), s.fv = room(N * s.nv, sizeof(float));
        s.tau = room(N * s.nv, sizeof(double)), s.ftau = room(N * s.nv, sizeof(float));
        s.wide = room(N * most, sizeof(double)), s.single = room(N * most, sizeof(float));
        fill(&s);
        for (size_t k = 0; k < sizeof algorithms / sizeof *algorithms; k++) study(name, &s, &algorithms[k]);
        free(s.q), free(s.fq), free(s.v), free(s.fv), free(s.tau), free(s.ftau), free(s.wide), free(s.single);
        hml_work_free(s.work);
        hml_model_free(s.model);
    }
    return 0;
}
