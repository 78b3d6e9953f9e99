/* Bounces before a step, pair by pair, and the displacement after it that reduces penetration. */
#include <math.h>
#include <string.h>

#include "group/joint.h"
#include "sim/contact_laws.h"

enum { BOUNCES = 50, DISPLACEMENT_SWEEPS = 50 };

static const double most_turn = 0.05; /* rad, of a displacement */

/* ---- bounces ---- */

/* the energy that an impulse brings to a contact by itself: ½ Pᵀ (w + w⁺) */
static double bounce_energy(const local *l, const double w[3], const double P[3])
{
    double energy = 0;
    for (int i = 0; i < 3; i++) {
        energy += P[i] * (w[i] + 0.5 * (l->B[i][0] * P[0] + l->B[i][1] * P[1] + l->B[i][2] * P[2]));
    }
    return energy;
}

/*
 * Newton's law with friction for one contact. Where the sliding turns round, it may make energy (Kane and Levinson):
 * then with the largest part of the restitution that does not. Without restitution it never does.
 */
static void bounce(const local *l, double restitution, const double w[3], double P[3])
{
    double low = 0, high = 1, part = 1;
    for (int halvings = 0; halvings < 60; halvings++) {
        const double closing[3] = {(1 + part * restitution) * w[0], w[1], w[2]};
        memset(P, 0, 3 * sizeof *P);
        local_solve(l, closing, P);
        if (part == low) return;
        if (bounce_energy(l, w, P) <= 1e-13 * fabs(P[0] * w[0])) { /* round-off */
            if (part == 1) return;
            low = part;
        } else {
            high = part;
        }
        part = high - low < 1e-12 ? low : 0.5 * (low + high);
    }
}

int32_t hmli_contact_bounces(hml_contact *c)
{
    const int32_t most = BOUNCES * (c->now.count + 1);
    int32_t count = 0;
    memset(c->bounced, 0, (size_t)c->nrows * sizeof(double));
    memcpy(c->w, c->before, (size_t)c->nrows * sizeof(double));
    for (; count < most; count++) {
        int32_t fastest = -1;
        double speed = -c->bounce;
        for (int32_t i = 0; i < c->nrows; i++) {
            if (c->rows[i].kind != ROW_CONTACT || !(c->now.items[c->rows[i].index].restitution > 0)) continue;
            if (c->w[i] < speed) speed = c->w[i], fastest = i;
        }
        if (fastest < 0) break;
        const local l = local_of(c, fastest);
        double P[3];
        bounce(&l, c->now.items[c->rows[fastest].index].restitution, c->w + fastest, P);
        for (int k = 0; k < 3; k++) c->bounced[fastest + k] += P[k];
        move(c, fastest, 3, P);
    }
    if (!count) return 0;
    hmli_contact_push(c, c->bounced, c->x);
    for (size_t k = 0; k < c->n; k++) c->v[k] += c->x[k];
    return count;
}

/* ---- displacement ---- */

static int one_sided(const contact_row *row) { return row->kind == ROW_CONTACT || row->kind == ROW_LIMIT; }

/* shapes lie within this of the frame of each body; a joint with a follower moves what that one carries, too */
void hmli_contact_find_reach(hml_contact *c)
{
    const hml_model *m = c->model;
    double *reach = c->reach;
    for (int32_t i = 0; i < m->njoints; i++) reach[i] = 0;
    for (int32_t i = 0; i < c->nshapes; i++) {
        const collision_shape *s = &c->shapes[i];
        if (s->body < 0) continue;
        double *to = &reach[model_bodies(m)[s->body].joint];
        *to = fmax(*to, sqrt(vec3_dot(s->place.p, s->place.p)) + sqrt(vec3_dot(s->centre, s->centre)) + s->radius);
    }
    for (int32_t i = m->nbodies - 1; i >= 0; i--) {
        const model_body *body = &model_bodies(m)[i];
        const vec3 p = vec3_at(body->p);
        const double own = reach[body->joint];
        const int32_t leader = model_joints(m)[body->joint].leader;
        if (!(own > 0)) continue;
        if (body->parent >= 0) {
            double *to = &reach[model_bodies(m)[body->parent].joint];
            *to = fmax(*to, sqrt(vec3_dot(p, p)) + own);
        }
        if (leader >= 0) reach[leader] = fmax(reach[leader], own);
    }
}

/*
 * A point near the axis of a hinge has to turn it far to move a little, and what lies far from the axis then moves a
 * lot, through the floor even. So no length changes by more than the largest correction that was asked for, and no angle
 * by more than moves the farthest shape by three times that, or by more than a limit asked for, or than 0.05 rad: all of x
 * becomes shorter, and the next steps do the rest. Returns 0 where x holds what is no number.
 */
static int limit_displacement(hml_contact *c, double length, double angle, double most_angle)
{
    double part = 1;
    for (int32_t i = 0; i < c->model->njoints; i++) {
        const model_joint *j = &model_joints(c->model)[i];
        const double turn = c->reach[i] > 0 ? local_max(angle, 3 * length / c->reach[i]) : most_angle;
        for (int32_t k = 0; k < j->nv; k++) {
            const double most = joint_is_length(j->type, k) ? local_max(length, angle)
                                : turn < most_angle         ? turn
                                                            : most_angle;
            const double x = fabs(c->x[j->v + k]);
            if (!isfinite(x)) return 0;
            if (x * part > most) part = most / x;
        }
    }
    for (size_t k = 0; k < c->n; k++) c->x[k] *= part;
    c->record.cut = part < 1;
    return 1;
}

/* out of penetrations and limits: c->x; 0 if there is nothing to do */
static int push_out(hml_contact *c, double part)
{
    double largest[2] = {0, 0}; /* of contacts, of limits */
    for (int32_t i = 0; i < c->nrows; i++) {
        const double depth = one_sided(&c->rows[i]) ? -c->rows[i].gap - c->slop : 0;
        c->w[i] = depth > 0 ? -part * c->correction * depth : 0;
        c->y[i] = 0;
        double *most = &largest[c->rows[i].kind == ROW_LIMIT];
        if (-c->w[i] > *most) *most = -c->w[i];
    }
    if (!(largest[0] > 0 || largest[1] > 0)) return 0;
    c->displaced |= largest[1] > 0;
    for (int n = 0; n < DISPLACEMENT_SWEEPS; n++) {
        for (int32_t i = 0; i < c->nrows; i++) {
            if (!one_sided(&c->rows[i])) continue;
            double P = positive(c->y[i] - c->w[i] / K_row(c, i)[i]), dP = P - c->y[i];
            c->y[i] = P;
            move(c, i, 1, &dP);
        }
    }
    hmli_contact_push(c, c->y, c->x);
    return limit_displacement(c, largest[0], largest[1], part * most_turn);
}

int hmli_contact_displacement(hml_contact *c, double part)
{
    int moved = push_out(c, part);
    if (!moved) memset(c->x, 0, c->n * sizeof *c->x);
    moved |= hmli_contact_close_loops(c, part);
    return moved;
}
