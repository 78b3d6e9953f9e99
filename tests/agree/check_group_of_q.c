/* Configurations as a group, perturbations on both sides, and generalized coordinates of other rotations. */
#include "agree.h"

typedef struct place {
    int s;
    const double *q, *v; /* v: angles about 1 */
    double far;
} place;

/* both configurations are the same: their difference is nothing */
static void note_same_q(subject *x, kind k, const char *call, const place *p, const double *one, const double *other,
                        double factor)
{
    const size_t nv = (size_t)x->nv;
    double *d = room(x->g, nv), *zero = room(x->g, nv);
    hml_status status = hml_configuration_difference(x->model, one, other, d);
    note_status(x, KIND_status, call, p->s, status, HML_OK);
    for (size_t i = 0; i < nv; i++) zero[i] = 0;
    if (!status) note(x, k, call, (how){p->s, PLAIN, PLAIN, p->far, factor}, d, zero, nv, 1);
}

/* q · q⁻¹ = 1, q · exp(v) = q ⊕ v, exp(Ad v) · q = q ⊕ v, and the logarithms of these */
static void check_products(subject *x, const place *p)
{
    const size_t nv = (size_t)x->nv, nq = (size_t)x->nq;
    double *neutral = room(x->g, nq), *inverse = room(x->g, nq), *one = room(x->g, nq), *other = room(x->g, nq);
    double *Ad = room(x->g, nv * nv), *back = room(x->g, nv * nv), *both = room(x->g, nv * nv), *w = room(x->g, nv);
    double *identity = room(x->g, nv * nv), *d = room(x->g, nv);
    const char *call = "hml_configuration_product";
    if (hml_configuration_neutral(x->model, neutral) || hml_configuration_inverse(x->model, p->q, inverse) ||
        hml_configuration_product(x->model, p->q, inverse, one) ||
        hml_configuration_integrate(x->model, neutral, p->v, other)) {
        note_status(x, KIND_status, call, p->s, HML_INVALID_ARGUMENT, HML_OK);
        return;
    }
    note_same_q(x, KIND_group_of_q, "hml_configuration_inverse", p, one, neutral, p->far);
    if (hml_configuration_product(x->model, p->q, other, one) ||
        hml_configuration_integrate(x->model, p->q, p->v, other))
        return;
    note_same_q(x, KIND_group_of_q, call, p, one, other, p->far);
    if (hml_configuration_adjoint(x->model, p->q, Ad, back)) return;
    dense_multiply(nv, nv, nv, Ad, back, both);
    for (size_t i = 0; i < nv * nv; i++) identity[i] = i % (nv + 1) == 0;
    note(x, KIND_group_of_q, "hml_configuration_adjoint", (how){p->s, PLAIN, PLAIN, p->far * p->far, 10}, both,
         identity, nv, nv);
    dense_apply(nv, nv, Ad, p->v, w);
    if (!hml_configuration_integrate_global(x->model, p->q, w, one))
        note_same_q(x, KIND_group_of_q, "hml_configuration_integrate_global", p, one, other, p->far);
    if (!hml_configuration_difference_global(x->model, p->q, other, d))
        note(x, KIND_group_of_q, "hml_configuration_difference_global", (how){p->s, PLAIN, PLAIN, p->far * p->far, 10},
             d, w, nv, 1);
}

static void check_between(subject *x, const place *p)
{
    const size_t nv = (size_t)x->nv, nq = (size_t)x->nq;
    double *q1 = room(x->g, nq), *some = room(x->g, nv), *one = room(x->g, nq), *other = room(x->g, nq);
    double distance = 0, length = 0;
    const double at = hml_rng_uniform(&x->rng, -0.2, 1.2);
    for (size_t i = 0; i < nv; i++) some[i] = at * p->v[i], length += p->v[i] * p->v[i];
    length = sqrt(length);
    if (hml_configuration_integrate(x->model, p->q, p->v, q1)) return;
    if (!hml_configuration_interpolate(x->model, p->q, q1, at, one) &&
        !hml_configuration_integrate(x->model, p->q, some, other))
        note_same_q(x, KIND_group_of_q, "hml_configuration_interpolate", p, one, other, 10 * p->far);
    if (!hml_configuration_distance(x->model, p->q, q1, &distance))
        note(x, KIND_group_of_q, "hml_configuration_distance", (how){p->s, PLAIN, PLAIN, 1, 10 * p->far}, &distance,
             &length, 1, 1);
}

/* x and back, and the matrices between their rates and velocities; close to a singularity digits are lost */
static void check_coordinates(subject *x, const place *p)
{
    const size_t nv = (size_t)x->nv;
    const hml_rotation form = (hml_rotation)hml_rng_below(&x->rng, 6);
    const hml_representation as = (hml_representation)hml_rng_below(&x->rng, 4);
    const size_t n = (size_t)hml_coordinates_count(x->model, form);
    double *c = room(x->g, n), *q = room(x->g, (size_t)x->nq), *F = room(x->g, n * nv), *G = room(x->g, nv * n);
    double *both = room(x->g, nv * nv), *identity = room(x->g, nv * nv);
    hml_status status = hml_coordinates_from_configuration(x->model, form, p->q, c);
    note_status(x, KIND_status, "hml_coordinates_from_configuration", p->s, status,
                x->followers && status ? status : HML_OK);
    if (status || hml_coordinates_to_configuration(x->model, form, c, q)) return;
    if (hml_coordinates_rate_matrix(x->model, form, as, c, F) ||
        hml_coordinates_velocity_matrix(x->model, form, as, c, G))
        return;
    const double worst = 1 + dense_norm(n, nv, F) * dense_norm(nv, n, G);
    note_same_q(x, KIND_coordinates, hml_rotation_name(form), p, q, p->q, worst);
    dense_multiply(nv, n, nv, G, F, both);
    for (size_t i = 0; i < nv * nv; i++) identity[i] = i % (nv + 1) == 0;
    note(x, KIND_coordinates, hml_rotation_name(form), (how){p->s, PLAIN, PLAIN, 1, worst}, both, identity, nv, nv);
}

void check_group_of_q(subject *x)
{
    const size_t nv = (size_t)x->nv;
    double *v = room(x->g, nv);
    place p = {.s = hml_rng_below(&x->rng, x->nstates), .v = v};
    for (size_t i = 0; i < nv; i++) v[i] = hml_rng_uniform(&x->rng, -1, 1);
    p.q = x->q + (size_t)p.s * (size_t)x->nq, p.far = 1 + largest((size_t)x->nq, p.q);
    check_products(x, &p);
    check_between(x, &p);
    check_coordinates(x, &p);
}
