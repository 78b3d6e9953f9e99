/* The batches of groups: instruction sets against each other, single precision against double. */
#include "agree.h"

enum { N = 19, WIDEST = 36 };

/* of one array, or of two */
typedef hml_status wide(hml_isa isa, size_t n, const double *in, double *out);
typedef hml_status wide2(hml_isa isa, size_t n, const double *first, const double *second, double *out);
typedef hml_status narrow(size_t n, const float *in, float *out);
typedef hml_status narrow2(size_t n, const float *first, const float *second, float *out);

enum input { TWISTS, VECTORS, QUATERNIONS, POSES, INERTIAS, INPUTS };
static const size_t sizes[INPUTS] = {6, 3, 4, 16, 10};

/* what both precisions read is the same: floats, and the doubles that they are */
typedef struct inputs {
    double wide[INPUTS][16 * N];
    float narrow[INPUTS][16 * N];
} inputs;

static void keep(inputs *in, enum input which, size_t i, double x)
{
    in->narrow[which][i] = (float)x;
    in->wide[which][i] = (double)in->narrow[which][i];
}

static void draw_inputs(subject *x, inputs *in)
{
    double q[4], H[16], xi[6];
    for (size_t i = 0; i < N; i++) {
        const double size = i % 4 == 0 ? 1e-6 : i % 4 == 1 ? 1.7 : 0.5;
        for (size_t k = 0; k < 6; k++)
            xi[k] = size * hml_rng_uniform(&x->rng, -1, 1), keep(in, TWISTS, 6 * i + k, xi[k]);
        for (size_t k = 0; k < 3; k++) keep(in, VECTORS, 3 * i + k, size * hml_rng_uniform(&x->rng, -1, 1));
        hml_rng_quaternion(&x->rng, q);
        if (fabs(q[0]) < 0.1) q[0] = 0.5; /* the logarithm jumps at half a turn; any length will do for it */
        const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
        for (size_t k = 0; k < 4; k++) keep(in, QUATERNIONS, 4 * i + k, q[k] / length);
        if (hml_se3_exp(xi, H)) continue;
        for (size_t k = 0; k < 16; k++) keep(in, POSES, 16 * i + k, H[k]);
        for (size_t k = 0; k < 10; k++) keep(in, INERTIAS, 10 * i + k, hml_rng_uniform(&x->rng, 0, 1));
    }
}

typedef struct map {
    const char *name;
    wide *f64;
    narrow *f32;
    wide2 *f64_2; /* of two inputs, the second always twists */
    narrow2 *f32_2;
    enum input first;
    size_t out;
} map;

static hml_status call_wide(const map *m, hml_isa isa, const double *in, const double *twists, double *out)
{
    return m->f64 ? m->f64(isa, N, in, out) : m->f64_2(isa, N, in, twists, out);
}

static void check_map(subject *x, const map *m, const inputs *in)
{
    const size_t all = m->out * N;
    const how plain = {0, PLAIN, PLAIN, 1, 0};
    double *one = room(x->g, all), *other = room(x->g, all), *piece = room(x->g, all);
    float *floats = room_bytes(x->g, all * sizeof *floats, sizeof(double));
    const double *from = in->wide[m->first], *twists = in->wide[TWISTS];
    note_status(x, KIND_status, m->name, 0, call_wide(m, HML_ISA_SCALAR, from, twists, other), HML_OK);
    for (int i = 0; i < x->nisas; i++) {
        note_status(x, KIND_status, m->name, 0, call_wide(m, x->isas[i], from, twists, one), HML_OK);
        note(x, KIND_group_isa, m->name, plain, one, other, all, 1);
        const size_t at = 1 + (size_t)hml_rng_below(&x->rng, N - 1), rest = N - at; /* rows elsewhere in their packs */
        const double *later = from + at * sizes[m->first], *later2 = twists + 6 * at;
        hml_status status =
            m->f64 ? m->f64(x->isas[i], rest, later, piece) : m->f64_2(x->isas[i], rest, later, later2, piece);
        note_status(x, KIND_status, m->name, 0, status, HML_OK);
        note_bits(x, KIND_group_place, m->name, 0, piece, one + at * m->out, rest * m->out);
    }
    hml_status status = m->f32 ? m->f32(N, in->narrow[m->first], floats)
                               : m->f32_2(N, in->narrow[m->first], in->narrow[TWISTS], floats);
    note_status(x, KIND_status, m->name, 0, status, HML_OK);
    for (size_t i = 0; i < all; i++) one[i] = (double)floats[i];
    note(x, KIND_floats, m->name, plain, one, other, all, 1);
}

void check_groups(subject *x)
{
    static const map maps[] = {
        {"hml_so3_exp_batch", hml_so3_exp_batch, hml_so3_exp_batch_f32, NULL, NULL, VECTORS, 9},
        {"hml_quat_to_rotvec_batch", hml_quat_to_rotvec_batch, hml_quat_to_rotvec_batch_f32, NULL, NULL, QUATERNIONS,
         3},
        {"hml_so3_dexp_left_batch", hml_so3_dexp_left_batch, hml_so3_dexp_left_batch_f32, NULL, NULL, VECTORS, 9},
        {"hml_quat_to_matrix_batch", hml_quat_to_matrix_batch, hml_quat_to_matrix_batch_f32, NULL, NULL, QUATERNIONS,
         9},
        {"hml_se3_exp_batch", hml_se3_exp_batch, hml_se3_exp_batch_f32, NULL, NULL, TWISTS, 16},
        {"hml_se3_log_batch", hml_se3_log_batch, hml_se3_log_batch_f32, NULL, NULL, POSES, 6},
        {"hml_se3_dexp_left_batch", hml_se3_dexp_left_batch, hml_se3_dexp_left_batch_f32, NULL, NULL, TWISTS, WIDEST},
        {"hml_se3_dexp_left_inverse_batch", hml_se3_dexp_left_inverse_batch, hml_se3_dexp_left_inverse_batch_f32, NULL,
         NULL, TWISTS, WIDEST},
        {"hml_twist_transform_batch", NULL, NULL, hml_twist_transform_batch, hml_twist_transform_batch_f32, POSES, 6},
        {"hml_twist_cross_batch", NULL, NULL, hml_twist_cross_batch, hml_twist_cross_batch_f32, TWISTS, 6},
        {"hml_inertia_mul_batch", NULL, NULL, hml_inertia_mul_batch, hml_inertia_mul_batch_f32, INERTIAS, 6}};
    inputs *in = room_bytes(x->g, sizeof *in, sizeof(double));
    draw_inputs(x, in);
    for (size_t k = 0; k < sizeof maps / sizeof *maps; k++) check_map(x, &maps[k], in);
    double *H = room(x->g, 16 * N), *log = room(x->g, 6 * N);
    for (int i = 0; i < x->nisas; i++) {
        if (!hml_se3_exp_batch(x->isas[i], N, in->wide[TWISTS], H) && !hml_se3_log_batch(x->isas[i], N, H, log))
            note(x, KIND_group_isa, "log of exp", (how){0, PLAIN, PLAIN, 1, 0}, log, in->wide[TWISTS], 6 * N, 1);
    }
}
