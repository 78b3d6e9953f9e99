#include "hamel/control/energy.h"

#include <math.h>

#include "base/finite.h"
#include "base/layout.h"
#include "hamel/dynamics.h"
#include "hamel/kinematics.h"
#include "hamel/model.h"

typedef struct space {
    double *M;    /* nv × nv */
    double *J;    /* 6 × nv: of one body, in its axes */
    double *part; /* n: the first row of `right` that is w, 0 or nv */
} space;

static size_t lay_out(size_t nv, size_t n, double *memory, space *s)
{
    layout_cursor c = layout_begin(memory);
    s->M = layout_doubles(&c, nv * nv);
    s->J = layout_doubles(&c, 6 * nv);
    s->part = layout_doubles(&c, n);
    return layout_count(&c);
}

size_t hml_modes_energy_scratch_doubles(const hml_model *model, size_t n)
{
    space s;
    return model ? lay_out((size_t)hml_model_nv(model), n, NULL, &s) : 0;
}

/* wᴴ M w, w: every n-th pair from the first */
static double form(size_t nv, size_t n, const double *M, const double *w)
{
    double sum = 0;
    for (size_t i = 0; i < nv; i++)
        for (size_t k = 0; k < nv; k++)
            sum += M[i * nv + k] * (w[2 * n * i] * w[2 * n * k] + w[2 * n * i + 1] * w[2 * n * k + 1]);
    return sum;
}

/* m |v + ω × c|² + ωᵀ I ω of a twist, linear part first */
static double energy_of(const hml_body_info *b, const double V[6])
{
    const double *c = b->com, *w = V + 3;
    const double v[3] = {V[0] + w[1] * c[2] - w[2] * c[1], V[1] + w[2] * c[0] - w[0] * c[2],
                         V[2] + w[0] * c[1] - w[1] * c[0]};
    double sum = b->mass * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) sum += w[i] * b->moment[3 * i + k] * w[k];
    return sum;
}

/* a follower turns as its leader does, times the multiplier */
static double armature_energy(const hml_model *model, const hml_joint_info *given, size_t n, const double *w)
{
    hml_joint_info leader = {.struct_size = sizeof leader};
    const hml_joint_info *joint = given;
    double sum = 0, factor = 1;
    if (given->leader >= 0) {
        if (hml_model_joint(model, given->leader, &leader)) return 0;
        joint = &leader, factor = given->multiplier * given->multiplier;
    }
    for (int32_t k = 0; k < joint->nv; k++) {
        const double *x = w + 2 * n * (size_t)(joint->v + k);
        sum += factor * given->armature[k] * (x[0] * x[0] + x[1] * x[1]);
    }
    return sum;
}

/* one body's column of energy */
static hml_status add_body(const hml_model *model, hml_work *work, const double *q, int32_t body, size_t n,
                           const double *right, const space *s, double *energy)
{
    const size_t nv = (size_t)hml_model_nv(model), bodies = (size_t)hml_model_nbodies(model);
    hml_body_info b = {.struct_size = sizeof b};
    hml_joint_info joint = {.struct_size = sizeof joint};
    hml_status status = hml_model_body(model, body, &b);
    if (!status) status = hml_model_joint(model, b.joint, &joint);
    if (!status)
        status = hml_frame(model, work, hml_model_find_frame(model, b.name), HML_LEFT, q, NULL, NULL,
                           &HML_STRUCT(hml_frame_motion, .J = s->J));
    for (size_t j = 0; !status && j < n; j++) {
        const double *w = right + 2 * ((size_t)s->part[j] * n + j);
        double *to = energy + j * bodies + (size_t)body;
        for (size_t side = 0; side < 2; side++) { /* real and imaginary part */
            double V[6] = {0};
            for (size_t i = 0; i < 6; i++)
                for (size_t k = 0; k < nv; k++) V[i] += s->J[i * nv + k] * w[2 * n * k + side];
            *to += energy_of(&b, V);
        }
        *to += armature_energy(model, &joint, n, w);
    }
    return status;
}

hml_status hml_modes_energy(const hml_model *model, hml_work *work, const double *q, size_t n, const double *right,
                            double *scratch, double *energy)
{
    space s;
    if (!model || !work || !q || !right || !scratch || !energy) return HML_INVALID_ARGUMENT;
    const size_t nv = (size_t)hml_model_nv(model), bodies = (size_t)hml_model_nbodies(model);
    if (!all_finite(right, 4 * nv * n)) return HML_NOT_FINITE;
    (void)lay_out(nv, n, scratch, &s);
    hml_status status = hml_mass_matrix(model, work, q, s.M);
    for (size_t j = 0; !status && j < n; j++) {
        const double still = form(nv, n, s.M, right + 2 * j), fast = form(nv, n, s.M, right + 2 * (nv * n + j));
        s.part[j] = fast > 1e-18 * still ? (double)nv : 0;
    }
    for (size_t i = 0; i < n * bodies; i++) energy[i] = 0;
    for (size_t i = 0; !status && i < bodies; i++) status = add_body(model, work, q, (int32_t)i, n, right, &s, energy);
    for (size_t j = 0; !status && j < n; j++) {
        double sum = 0;
        for (size_t i = 0; i < bodies; i++) sum += energy[j * bodies + i];
        for (size_t i = 0; i < bodies && sum > 0; i++) energy[j * bodies + i] /= sum;
    }
    return status;
}
