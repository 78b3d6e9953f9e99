/*
 * What the tests of representations and perturbations share: a robot with a free base and joints of all groups, a
 * state, and the state moved along a direction: q ⊕ z or exp(z)·g, and ν_rep + z_ν with the rest held.
 */
#ifndef HML_TESTS_REPRESENTATION_CHECK_H
#define HML_TESTS_REPRESENTATION_CHECK_H

#include "constraint_check.h"
#include "difference.h"

/* eighth-order differences leave 1e-13 of numbers up to 1e3 */
#define DIFFERENCE_TOL 1e-9
#define ROUND_OFF      1e-11 /* products of nv numbers up to 100, there and back */

static const hml_representation ALL[4] = {HML_LEFT, HML_RIGHT, HML_MIXED, HML_SPLIT};

/* a free trunk whose joint is not at its origin; a ball, a hinge, a plane and a crane on it */
static inline hml_model *creature(void)
{
    hml_builder *b = hml_builder_new();
    hml_joint_spec base = some_joint(HML_JOINT_FREE, "base");
    base.point[0] = 0.2, base.point[1] = -0.3;
    base.rotation[0] = base.rotation[4] = 0.8, base.rotation[1] = -0.6, base.rotation[3] = 0.6;
    add_spec(b, "trunk", NULL, &base);
    add_link(b, "thigh", "trunk", HML_JOINT_SPHERICAL);
    add_link(b, "shank", "thigh", HML_JOINT_REVOLUTE);
    add_link(b, "cart", "trunk", HML_JOINT_PLANAR);
    add_link(b, "crane", "cart", HML_JOINT_SCHOENFLIES);
    add_tool(b, "foot", "shank");
    add_tool(b, "hook", "crane");
    return finish(b, 0);
}

/* a direction: of the configuration, of ν_rep, of τ; and how it is to be read */
typedef struct direction {
    const stage *s;
    hml_representation representation;
    int global;
    double zq[MOST], zv[MOST], w[MOST];
} direction;

static inline direction coordinate(const stage *s, hml_representation representation, int global, int k)
{
    direction d = {.s = s, .representation = representation, .global = global};
    double *part = k < s->nv ? d.zq : k < 2 * s->nv ? d.zv : d.w;
    part[k % s->nv] = 1;
    return d;
}

static inline void move_along(const direction *d, double t, double *q, double *v, double *tau)
{
    const stage *s = d->s;
    double z[MOST], rep[MOST];
    for (int i = 0; i < s->nv; i++) z[i] = t * d->zq[i], tau[i] = s->tau[i] + t * d->w[i];
    if (d->global)
        ASSERT_OK(hml_configuration_integrate_global(s->model, s->q, z, q));
    else
        ASSERT_OK(hml_configuration_integrate(s->model, s->q, z, q));
    ASSERT_OK(hml_velocity_to_representation(s->model, d->representation, s->q, s->v, rep));
    for (int i = 0; i < s->nv; i++) rep[i] += t * d->zv[i];
    ASSERT_OK(hml_velocity_from_representation(s->model, d->representation, q, rep, v));
}

/* columns of a matrix with `rows` rows: the derivatives of f along every coordinate of q and ν, and of τ if there are m
 */
static inline void check_columns(const stage *s, hml_representation representation, int global, function_of_t f,
                                 int rows, int first, int last, const double *D, int ld, double tolerance)
{
    for (int k = first; k < last; k++) {
        direction d = coordinate(s, representation, global, k);
        double column[DIFFERENCE_MAX], ours[DIFFERENCE_MAX];
        difference(f, &d, (size_t)rows, column);
        for (int i = 0; i < rows; i++) ours[i] = D[i * ld + k - first];
        CHECK(ours, column, rows, tolerance);
    }
}

#endif
