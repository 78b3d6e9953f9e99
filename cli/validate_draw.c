/*
 * hamel validate: random robots and states (Bos, section 5), everything uniform in [0, 1].
 *
 * The paper's random symmetric 6×6 inertias are no rigid bodies; here mass, centre of mass and the second moments of
 * the mass along three principal axes are drawn, and the axes themselves: any such choice is a body that could be
 * built.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hamel/configuration.h"
#include "hamel/representation.h"
#include "hamel/se3.h"
#include "hamel/so3.h"
#include "validate.h"

static double draw(hml_rng *rng) { return hml_rng_uniform(rng, 0, 1); }

static void draw_vector(hml_rng *rng, int n, double *x)
{
    for (int i = 0; i < n; i++) x[i] = draw(rng);
}

/* a rotation by the exponential map of a uniform vector */
static hml_status draw_rotation(hml_rng *rng, double R[9])
{
    double phi[3];
    draw_vector(rng, 3, phi);
    return hml_so3_exp_batch(HML_ISA_SCALAR, 1, phi, R);
}

/* moments about the principal axes are σ₂ + σ₃, σ₃ + σ₁, σ₁ + σ₂ */
static hml_status draw_inertia(hml_rng *rng, hml_inertia_spec *inertia)
{
    double R[9], sigma[3];
    inertia->mass = draw(rng);
    draw_vector(rng, 3, inertia->com);
    draw_vector(rng, 3, sigma);
    hml_status status = draw_rotation(rng, R);
    double principal[3] = {sigma[1] + sigma[2], sigma[2] + sigma[0], sigma[0] + sigma[1]};
    for (int i = 0; i < 9 && !status; i++) {
        inertia->moment[i] = 0;
        for (int k = 0; k < 3; k++) inertia->moment[i] += R[3 * (i / 3) + k] * principal[k] * R[3 * (i % 3) + k];
    }
    return status;
}

/* the name of the body that carries body i; the cross inside a universal joint is nobody's parent */
static const char *parent_name(const hml_model *model, int32_t i)
{
    hml_body_info body = {.struct_size = sizeof body};
    hml_model_body(model, i, &body);
    int32_t joint = body.joint;
    while (body.joint == joint && body.parent >= 0) hml_model_body(model, body.parent, &body);
    return body.joint == joint ? NULL : body.name;
}

static hml_status redraw_body(const hml_model *model, const hml_body_info *body, const hml_joint_info *joint,
                              const char *parent, hml_rng *rng, hml_builder *builder)
{
    hml_joint_spec spec;
    hml_joint_info leader = {.struct_size = sizeof leader};
    hml_inertia_spec inertia;
    hml_joint_spec_init(&spec, joint->type);
    if (joint->leader >= 0) hml_model_joint(model, joint->leader, &leader);
    spec.name = joint->name;
    spec.actuated = joint->actuated;
    spec.pitch = joint->pitch;
    spec.mimic = joint->leader >= 0 ? leader.name : NULL;
    spec.multiplier = joint->multiplier;
    spec.offset = joint->offset;
    memcpy(spec.axis, joint->axis, sizeof spec.axis);
    memcpy(spec.axis2, joint->axis2, sizeof spec.axis2);
    memcpy(spec.point, joint->point, sizeof spec.point);
    memcpy(spec.armature, joint->armature, sizeof spec.armature);
    memcpy(spec.damping, joint->damping, sizeof spec.damping);
    memcpy(spec.stiffness, joint->stiffness, sizeof spec.stiffness);
    memcpy(spec.rest, joint->rest, sizeof spec.rest);
    hml_status status = HML_OK;
    if (joint->type != HML_JOINT_FREE || parent) { /* a base is where its coordinates say */
        draw_vector(rng, 3, spec.position);
        status = draw_rotation(rng, spec.rotation);
    }
    if (!status) status = draw_inertia(rng, &inertia);
    return status ? status : hml_builder_add_body(builder, body->name, parent, &spec, &inertia, NULL);
}

hml_status validate_redraw(const hml_model *model, hml_rng *rng, hml_model **drawn)
{
    hml_builder *builder = hml_builder_new();
    double gravity[3];
    hml_model_gravity(model, gravity);
    hml_status status = builder ? hml_builder_set_gravity(builder, gravity) : HML_OUT_OF_MEMORY;
    for (int32_t i = 0; i < hml_model_nbodies(model) && !status; i++) {
        hml_body_info body = {.struct_size = sizeof body};
        hml_joint_info joint = {.struct_size = sizeof joint};
        hml_model_body(model, i, &body);
        hml_model_joint(model, body.joint, &joint);
        if (joint.body != i) continue;
        status = redraw_body(model, &body, &joint, parent_name(model, i), rng, builder);
    }
    if (!status) status = hml_builder_build(builder, HML_BUILD_KEEP_FIXED, drawn, NULL);
    hml_builder_free(builder);
    return status;
}

/* ---- the state ---- */

/* A x = b by elimination with row pivots, n×n; x takes the place of b */
static hml_status solve(size_t n, double *A, double *b)
{
    for (size_t k = 0; k < n; k++) {
        size_t p = k;
        for (size_t i = k + 1; i < n; i++) p = fabs(A[i * n + k]) > fabs(A[p * n + k]) ? i : p;
        if (A[p * n + k] == 0) return HML_SINGULAR;
        for (size_t j = 0; j <= n; j++) {
            double *x = j < n ? &A[k * n + j] : &b[k], *y = j < n ? &A[p * n + j] : &b[p], keep = *x;
            *x = *y, *y = keep;
        }
        for (size_t i = 0; i < n; i++) {
            double factor = i == k ? 0 : A[i * n + k] / A[k * n + k];
            for (size_t j = k; j < n; j++) A[i * n + j] -= factor * A[k * n + j];
            b[i] -= factor * b[k];
        }
    }
    for (size_t k = 0; k < n; k++) b[k] /= A[k * n + k];
    return HML_OK;
}

/*
 * Joint accelerations are drawn; those of the base follow from M ν̇ + h = 0 in its rows, and τ from the other rows.
 * With the rows of joints replaced by ν̇_i = drawn this is one linear system.
 */
static hml_status consistent_forces(size_t n, const int *is_base, const double *M, const double *h, double *A,
                                    double *a, double *tau)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) A[i * n + j] = is_base[i] ? M[i * n + j] : (double)(i == j);
        if (is_base[i]) a[i] = -h[i];
    }
    hml_status status = solve(n, A, a);
    for (size_t i = 0; i < n && !status; i++) {
        tau[i] = is_base[i] ? 0 : h[i];
        for (size_t j = 0; j < n && !is_base[i]; j++) tau[i] += M[i * n + j] * a[j];
    }
    return status;
}

hml_status validate_state(const hml_model *model, hml_work *work, const int *is_base, hml_representation drawn,
                          hml_rng *rng, double *q, double *v, double *tau)
{
    const size_t n = (size_t)hml_model_nv(model);
    double *memory = malloc((2 * n * n + 2 * n + 1) * sizeof *memory);
    if (!memory) return HML_OUT_OF_MEMORY;
    double *M = memory, *A = M + n * n, *h = A + n * n, *a = h + n;
    hml_dynamics_result result = {.struct_size = sizeof result, .M = M, .h = h};
    draw_vector(rng, (int)n, v);
    hml_status status = hml_configuration_neutral(model, q);
    if (!status) status = hml_configuration_integrate(model, q, v, q); /* the exponential map makes the orientation */
    for (int32_t i = 0; i < hml_model_njoints(model) && !status; i++) {
        hml_joint_info joint = {.struct_size = sizeof joint};
        status = hml_model_joint(model, i, &joint);
        if (joint.type == HML_JOINT_FREE) draw_vector(rng, 3, q + joint.q);
    }
    draw_vector(rng, (int)n, v);
    if (!status) status = hml_velocity_from_representation(model, drawn, q, v, v);
    draw_vector(rng, (int)n, a);
    if (!status) status = hml_dynamics(model, work, q, v, NULL, NULL, &result);
    if (!status) status = consistent_forces(n, is_base, M, h, A, a, tau);
    free(memory);
    return status;
}
