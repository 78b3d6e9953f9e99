/* A robot under feedback: the forces, the push, and whether it came back. */
#include "feedback.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hamel/configuration.h"
#include "hamel/dynamics.h"
#include "hamel/kinematics.h"
#include "linear.h"
#include "loops.h"
#include "table.h"

/* the limits of the motors, from the file; 0 there means that it does not say */
static hml_status read_limits(const robot *r, double *most)
{
    hml_status status = HML_OK;
    for (int32_t i = 0; i < r->nv; i++) most[i] = HUGE_VAL;
    for (int32_t j = 0; !status && j < hml_model_njoints(r->model); j++) {
        hml_joint_info joint = {.struct_size = sizeof joint};
        status = hml_model_joint(r->model, j, &joint);
        for (int32_t k = 0; !status && k < joint.nv; k++) {
            if (joint.effort_limit[k] > 0) most[joint.v + k] = joint.effort_limit[k];
        }
    }
    return status;
}

int feedback_make(const cli_options *options, const robot *r, const double *K, output_set *outputs, const double *Ki,
                  feedback *f)
{
    const size_t nq = (size_t)r->nq, nv = (size_t)r->nv;
    *f = (feedback){.K = K, .outputs = outputs, .Ki = Ki, .settled = -1};
    const char **names = calloc(nv, sizeof *names);
    f->columns = calloc(nv, sizeof *f->columns);
    f->q = calloc(nq + 11 * nv + 2 * outputs->count, sizeof *f->q);
    if (names && f->columns && f->q) f->ninputs = linear_inputs(r, options->all_inputs, f->columns, names);
    free(names);
    if (f->ninputs == 0) return robot_fail(r, HML_OUT_OF_MEMORY); /* a gain has inputs */
    f->v = f->q + nq, f->tau = f->v + nv, f->most = f->tau + nv, f->z = f->most + nv;
    f->J = f->z + 2 * nv, f->integral = f->J + 6 * nv, f->error = f->integral + outputs->count;
    f->frame = strcmp(r->base, "free") == 0 ? 0 : r->nbodies - 1;
    memcpy(f->push, options->push, sizeof f->push);
    memcpy(f->disturb, options->disturb, sizeof f->disturb);
    if (isnan(f->disturb[0])) f->disturb[0] = f->disturb[1] = f->disturb[2] = 0;
    if (isnan(f->push[0])) f->push[0] = 0.1 * hml_model_mass(r->model), f->push[1] = f->push[2] = 0;
    const hml_status status = read_limits(r, f->most);
    return status ? robot_fail(r, status) : CLI_OK;
}

void feedback_free(feedback *f)
{
    free(f->columns);
    free(f->q);
}

/* the push goes through the centre of mass of its body: its moment about the origin of the body's frame, in the world */
static hml_status moment_about(const robot *r, const feedback *f, const double *q, double *J, double push[6])
{
    double H[16], arm[3];
    hml_body_info body = {.struct_size = sizeof body};
    hml_frame_motion motion = {.struct_size = sizeof motion, .pose = H, .J = J};
    hml_status status = hml_model_body(r->model, f->frame, &body);
    if (!status) status = hml_frame(r->model, r->work, f->frame, HML_MIXED, q, NULL, NULL, &motion);
    if (status) return status;
    for (int i = 0; i < 3; i++)
        arm[i] = H[4 * i] * body.com[0] + H[4 * i + 1] * body.com[1] + H[4 * i + 2] * body.com[2];
    for (int i = 0; i < 3; i++)
        push[3 + i] = arm[(i + 1) % 3] * push[(i + 2) % 3] - arm[(i + 2) % 3] * push[(i + 1) % 3];
    return HML_OK;
}

/* Δν = M⁻¹ Jᵀ p: what the wrench p adds to ν̇, in one second */
hml_status feedback_push(const robot *r, feedback *f)
{
    const size_t nv = (size_t)r->nv;
    double push[6] = {f->push[0], f->push[1], f->push[2], 0, 0, 0};
    double *wrenches = calloc(6 * (size_t)r->nbodies + 2 * nv, sizeof *wrenches);
    if (!wrenches) return HML_OUT_OF_MEMORY;
    double *before = wrenches + 6 * (size_t)r->nbodies, *after = before + nv;
    memcpy(f->q, r->state->q, (size_t)r->nq * sizeof *f->q);
    memcpy(f->v, r->state->v, nv * sizeof *f->v);
    hml_status status = moment_about(r, f, f->q, NULL, push);
    if (!status) status = outputs_begin(r, f->q, f->outputs);
    if (!status) status = hml_wrench_add(r->model, r->work, f->q, f->frame, 1, push, wrenches);
    if (!status) status = hml_forward_dynamics(r->model, r->work, f->q, f->v, NULL, NULL, before);
    if (!status) status = hml_forward_dynamics(r->model, r->work, f->q, f->v, NULL, wrenches, after);
    for (size_t i = 0; !status && i < nv; i++) r->state->v[i] += after[i] - before[i];
    free(wrenches);
    return status || !r->nloops ? status : loops_fit_velocity(r); /* loops give their impulses at the same moment */
}

/* what deviations are small against: that after the push; a robot that falls makes much larger ones */
static double scale_of(const feedback *f) { return f->at_start > 0 ? f->at_start : f->largest; }

/* how far the robot is from where it should be, and since when it is near */
static void look(double time, size_t n, feedback *f)
{
    double size = 0;
    for (size_t i = 0; i < n; i++) {
        size = fmax(size, fabs(f->z[i]));
        if (fabs(f->z[i]) > f->largest)
            f->largest = fabs(f->z[i]), f->largest_time = time, f->largest_entry = (int32_t)i;
    }
    if (f->steps == 0) f->at_start = size;
    f->end = size;
    if (size > 0.05 * scale_of(f))
        f->settled = -1;
    else if (f->settled < 0)
        f->settled = time;
}

/* what the constant force asks of the joints: Jᵀ w, held over the step */
static hml_status disturb(const robot *r, const double *q, feedback *f)
{
    const size_t nv = (size_t)r->nv;
    double w[6] = {f->disturb[0], f->disturb[1], f->disturb[2], 0, 0, 0};
    if (w[0] == 0 && w[1] == 0 && w[2] == 0) return HML_OK;
    const hml_status status = moment_about(r, f, q, f->J, w);
    for (size_t i = 0; !status && i < nv; i++)
        for (size_t k = 0; k < 6; k++) f->tau[i] += f->J[k * nv + i] * w[k];
    return status;
}

/* ξ ← ξ + h error; not while a motor gives all it has, so that the integral does not wind up */
static hml_status integrate(const robot *r, double time, const double *q, int saturated, feedback *f)
{
    for (size_t i = 0; f->steps && !saturated && i < f->outputs->count; i++)
        f->integral[i] += (time - f->last) * f->error[i];
    f->last = time;
    return outputs_error(r, q, f->z, f->outputs, f->error);
}

hml_status feedback_update(const robot *r, double time, const double *q, const double *v, feedback *f)
{
    const size_t nv = (size_t)r->nv;
    hml_status status = hml_configuration_difference(r->model, f->q, q, f->z);
    if (!status) status = integrate(r, time, q, f->now_saturated, f);
    if (status) return status;
    for (size_t i = 0; i < nv; i++) f->z[nv + i] = v[i] - f->v[i];
    look(time, 2 * nv, f);
    memcpy(f->tau, r->state->tau, nv * sizeof *f->tau);
    int saturated = 0;
    for (size_t k = 0; k < f->ninputs; k++) {
        const size_t c = f->columns[k];
        double force = f->tau[c];
        for (size_t i = 0; i < 2 * nv; i++) force -= f->K[k * 2 * nv + i] * f->z[i];
        for (size_t i = 0; i < f->outputs->count; i++) force -= f->Ki[k * f->outputs->count + i] * f->integral[i];
        f->tau[c] = fmin(fmax(force, -f->most[c]), f->most[c]);
        saturated |= f->tau[c] != force;
    }
    f->steps++;
    f->saturated += saturated;
    f->now_saturated = saturated;
    return disturb(r, q, f);
}

void feedback_print(const robot *r, const feedback *f)
{
    const char *name = r->names[f->largest_entry % r->nv];
    hml_frame_info frame = {.struct_size = sizeof frame};
    hml_model_frame(r->model, f->frame, &frame);
    const char *scale = f->at_start > 0 ? "the first" : "the largest";
    table_heading(stdout, "Recovery from a push");
    printf("push                 %.4g, %.4g, %.4g N s on %s\n", f->push[0], f->push[1], f->push[2], frame.name);
    if (f->disturb[0] != 0 || f->disturb[1] != 0 || f->disturb[2] != 0)
        printf("constant force       %.4g, %.4g, %.4g N on %s\n", f->disturb[0], f->disturb[1], f->disturb[2],
               frame.name);
    printf("deviation            %.3g after the push, %.3g at the most (%s of %s, at %.3g s), %.2g at the end\n",
           f->at_start, f->largest, f->largest_entry < r->nv ? "position" : "velocity", name, f->largest_time, f->end);
    if (f->saturated > 0) printf("motors               at their limits in %ld of %ld steps\n", f->saturated, f->steps);
    size_t worst = 0;
    for (size_t i = 0; i < f->outputs->count; i++)
        if (fabs(f->error[i]) > fabs(f->error[worst])) worst = i;
    if (f->outputs->count)
        printf("integrals            bring back %zu output%s; the largest error at the end is %.2g (%s)\n",
               f->outputs->count, f->outputs->count == 1 ? "" : "s", fabs(f->error[worst]), f->outputs->names[worst]);
    if (f->settled >= 0)
        printf("recovered            below 5 %% of %s deviation from %.3g s on\n", scale, f->settled);
    else
        printf("recovered            no: the deviation did not stay below 5 %% of %s one\n", scale);
}
