/*
 * M and the velocity at the end of a step without contacts: M (u⁺ − u) = h f(q_M, ū, τ).
 *
 * Coriolis and centrifugal forces are those of the mean velocity ū = ½(u + u⁺), found by repetition: then a motion
 * without forces keeps its energy but for errors of third order in a step. Those of u alone, which are cheaper, make a
 * link that whirls gain (hω)²/2 of its energy in every step. Robots that hardly move, hω < 1e-3, have no use for it.
 * What contacts will do to u⁺ is not known yet; it is taken to be what they did in the last step.
 */
#include <math.h>
#include <string.h>

#include "group/arrays.h"
#include "group/joint.h"
#include "hamel/reference/textbook.h"
#include "sim/contact.h"

enum { REPETITIONS = 6 };

static const double slow = 1e-3, settled = 1e-4; /* rad in a step; part of the velocity by which it still changes */

/* bias: τ − h at q_M with v; M as well if L is not NULL */
static void inverse_dynamics(hml_contact *c, hml_work *work, const double *v, const double *tau, const double *wrenches,
                             double *L)
{
    const size_t n = c->n;
    kernel_call call;
    work_call(work, &call);
    call.q.data = c->q;
    call.v.data = v;
    call.wrenches.data = wrenches;
    call.torque.data = c->bias;
    call.M.data = L;
    call.M.ld = n;
    hmli_work_torque_and_mass(work, &call);
    for (size_t i = 0; i < n; i++) c->bias[i] = (tau ? tau[i] : 0) - c->bias[i];
}

/* L is factored in place; HML_SINGULAR where a pivot is rounding */
static hml_status factor(hml_contact *c)
{
    const double floor = 0x1p-46; /* of a pivot against its diagonal entry, as everywhere in the library */
    const size_t n = c->n;
    for (size_t i = 0; i < n; i++) c->x[i] = c->L[i * n + i];
    TRY(hml_ltl_factor(c->model->nv, c->parents, c->L));
    for (size_t i = 0; i < n; i++) {
        double pivot = c->L[i * n + i];
        if (!(pivot * pivot > floor * c->x[i])) return HML_SINGULAR;
    }
    return HML_OK;
}

/*
 * Some joints of real files move no mass. A little armature makes them as light as can be, instead of infinitely fast: of
 * the largest inertia of a coordinate that is a length, or an angle, the same part for all.
 */
static void add_armature(hml_contact *c)
{
    const double part = 1e-9;
    double largest[2] = {0, 0};
    for (int add = 0; add < 2; add++) {
        for (int32_t i = 0; i < c->model->njoints; i++) {
            const model_joint *j = &model_joints(c->model)[i];
            for (int32_t k = 0; k < j->nv; k++) {
                double *M = &c->L[(size_t)(j->v + k) * (c->n + 1)], *most = &largest[joint_is_length(j->type, k)];
                if (add)
                    *M += part * *most;
                else
                    *most = fmax(*most, *M);
            }
        }
    }
}

hml_status hmli_contact_factor(hml_contact *c, hml_work *work, double h, const double *v, const double *tau,
                               const double *wrenches, int *massless)
{
    for (*massless = 0; *massless < 2; ++*massless) {
        inverse_dynamics(c, work, v, tau, wrenches, c->L);
        if (*massless) add_armature(c);
        if (h > 0) { /* in an impact no time passes */
            hmli_contact_add_passive(c, h, v);
            hmli_contact_add_stiffness(c, h);
        }
        hml_status status = factor(c);
        if (status != HML_SINGULAR || !(h > 0)) return status;
    }
    return HML_SINGULAR;
}

double hmli_contact_turn_of(const hml_model *model, const double *v, double h)
{
    double fastest = 0;
    for (int32_t i = 0; i < model->njoints; i++) {
        const model_joint *j = &model_joints(model)[i];
        for (int32_t k = 0; k < j->nv; k++) {
            const double size = fabs(v[j->v + k]);
            if (size > fastest && !joint_is_length(j->type, k)) fastest = size;
        }
    }
    return h * fastest;
}

/* free from bias; turning: the velocity whose ω × v counts. Returns by how much it changed, against its size */
static double solve(hml_contact *c, double h, const double *turning)
{
    double change = 0, size = 0;
    for (size_t k = 0; k < c->n; k++) c->x[k] = h * c->bias[k];
    hml_factor_solve(c->model->nv, c->parents, c->L, HML_DIAGONAL_STORED, 1, c->x);
    hml_factor_solve(c->model->nv, c->parents, c->L, HML_DIAGONAL_STORED, 0, c->x);
    hmli_contact_add_turning(c->model, turning, h, c->x);
    for (size_t k = 0; k < c->n; k++) c->x[k] += c->v[k];
    hmli_contact_keep_loops(c, c->v, c->x);
    for (size_t k = 0; k < c->n; k++) {
        const double u = c->x[k];
        const double by = fabs(u - c->free[k]), now = fabs(u);
        change = by > change ? by : change;
        size = now > size ? now : size;
        c->free[k] = u;
    }
    return size > 0 ? change / size : 0;
}

/*
 * What contacts may add to c->free. Impulses of contacts that jam a joint are large and cancel each other; where one of
 * them is gone the rest is of no use, so no velocity changes by more than its own size.
 */
static void predict_push(hml_contact *c)
{
    hmli_contact_push(c, c->P, c->pushed);
    for (size_t k = 0; k < c->n; k++) {
        const double most = fabs(c->v[k]) + fabs(c->free[k]);
        c->pushed[k] = c->pushed[k] > most ? most : c->pushed[k] < -most ? -most : c->pushed[k];
    }
}

/* bias at the mean of c->v and what c->free would come to with the contacts of the last step */
static void repeat(hml_contact *c, hml_work *work, double h, const double *tau, const double *wrenches)
{
    double *mean = c->mean;
    for (size_t k = 0; k < c->n; k++) mean[k] = 0.5 * (c->v[k] + c->free[k] + c->pushed[k]);
    inverse_dynamics(c, work, mean, tau, wrenches, NULL);
    for (size_t k = 0; k < c->n; k++) { /* dampers stay those of u⁺: their part in M makes it so from that of u */
        c->bias[k] += (c->damping[k] - c->servo_damping[k]) * (mean[k] - c->v[k]);
    }
    hmli_contact_add_passive(c, h, c->v);
}

void hmli_contact_free(hml_contact *c, hml_work *work, double h, const double *tau, const double *wrenches)
{
    double last = INFINITY;
    c->record.repetitions = 0;
    solve(c, h, c->v);
    if (!(hmli_contact_turn_of(c->model, c->v, h) > slow)) return;
    memcpy(c->record.recalled, c->P, (size_t)c->nrows * sizeof(double));
    predict_push(c);
    memcpy(c->first, c->free, c->n * sizeof(double));
    for (int n = 0; n < REPETITIONS && last > settled; n++) {
        repeat(c, work, h, tau, wrenches);
        const double change = solve(c, h, c->mean);
        if (!(change < last)) { /* it does not settle: the first one is as good as any */
            memcpy(c->free, c->first, c->n * sizeof(double));
            c->record.repetitions = 0;
            return;
        }
        last = change;
        c->record.repetitions++;
    }
}
