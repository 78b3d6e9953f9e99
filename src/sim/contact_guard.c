/*
 * Energy that a step has made out of nothing is taken out again.
 *
 * Coriolis forces do no work, but in steps of finite length they do, and light links between joints whose axes become
 * parallel turn as fast as one likes. A joint that turns more than 0.1 rad in a step is too fast for the scheme. Where
 * there is one, the energy after the step, that of springs and servos included, may exceed the one before by the work of
 * τ. What is more is taken from the joints that are too fast, by making them slower by a common factor. All others keep
 * their velocities, unless that is not enough; then they pay, too, but not for what the displacement out of penetrations
 * has lifted. The same holds where a displacement has moved joints back within their limits: the velocities stay, but
 * the inertia that they move does not.
 *
 * Momentum is nobody's error: a robot that falls goes on falling, whatever its joints do. With R the coordinates of a
 * root that moves freely, v = c + s: c = M_RR⁻¹ M_R v on R and zero elsewhere is the motion of the robot with its joints
 * locked and the same momentum, and s carries none, M_R s = 0. Both are perpendicular in M, so their energies add up.
 * Energy is taken from s. Only where s has none left it is taken from how the locked robot turns, and never from how its mass moves: the
 * same with R the linear coordinates alone. What that motion must be is known: weight and contacts change the momentum
 * of the whole robot, and joints that turn fast do not.
 */
#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "group/arrays.h"
#include "group/joint.h"
#include "hamel/reference/textbook.h"
#include "model/coordinates.h"
#include "sim/contact.h"

static const double too_fast = 0.1; /* rad in a step */

/* ½ k (q ⊖ target)² of the servo */
static double servo_energy(const hml_contact *c, const double *q)
{
    double sum = 0;
    for (const model_joint *j = first_joint(c->model); c->servo && j; j = next_joint(c->model, j)) {
        double log[HML_JOINT_MAX_NV] = {0};
        joint_difference(group_type(j->type), c->target + j->q, q + j->q, log);
        for (int32_t k = 0; k < j->nv; k++) sum += 0.5 * c->servo_stiffness[j->v + k] * log[k] * log[k];
    }
    return sum;
}

/* M and the energy of gravity and of the model's springs at q, which a step that begins where the last one ended knows */
static hml_status know(hml_contact *c, hml_work *work, const double *q)
{
    const hml_model *m = c->model;
    const size_t size = (size_t)m->nq * sizeof *q;
    if (c->known_by == work && !memcmp(c->known_q, q, size)) return HML_OK;
    kernel_call call;
    work_call(work, &call);
    call.q.data = q;
    call.M.data = c->known_M;
    call.M.ld = c->n;
    c->known_by = NULL;
    hmli_work_torque_and_mass(work, &call);
    const hml_status status = hml_body_poses(m, work, q, c->H);
    if (status) return status;
    double sum = hmli_spring_energy(work, q);
    for (int32_t i = 0; i < m->nbodies; i++) {
        const model_body *b = &model_bodies(m)[i];
        const double *H = c->H + 16 * (size_t)i;
        for (int k = 0; k < 3; k++) {
            const double com =
                H[4 * k + 3] + H[4 * k] * b->com[0] + H[4 * k + 1] * b->com[1] + H[4 * k + 2] * b->com[2];
            sum -= b->mass * m->gravity[k] * com;
        }
    }
    memcpy(c->known_q, q, size);
    c->known_potential = sum;
    c->known_by = work;
    return HML_OK;
}

/* ½ vᵀ M v at the q that is known */
static double kinetic_energy(const hml_contact *c, const double *v)
{
    double sum = 0;
    for (size_t i = 0; i < c->n; i++) sum += 0.5 * v[i] * contact_dot(c->n, c->known_M + i * c->n, v);
    return sum;
}

/* q is known afterwards; NaN if there is no number for it */
static double energy(hml_contact *c, hml_work *work, const double *q, const double *v)
{
    if (know(c, work, q)) return NAN;
    return servo_energy(c, q) + c->known_potential + kinetic_energy(c, v);
}

/* ---- momentum ---- */

typedef enum momentum { LINEAR, ALL } momentum;

/* the body of a frame's tree that stands on the world; −1: the world itself */
static int32_t root_of(const hml_model *model, int32_t frame)
{
    int32_t body = frame == HML_WORLD ? -1 : model_frames(model)[frame].body;
    while (body >= 0 && model_bodies(model)[body].parent >= 0) body = model_bodies(model)[body].parent;
    return body;
}

/* does a loop tie this root to another one, or to the world, which then pull at it? */
static int is_tied(const hml_contact *c, int32_t root)
{
    for (int32_t i = 0; i < c->nloops; i++) {
        const int32_t a = root_of(c->model, c->loops[i].frame), b = root_of(c->model, c->loops[i].other);
        if (a != b && (a == root || b == root)) return 1;
    }
    return 0;
}

/* how many coordinates of a joint, from the first one on, have such a momentum of the whole robot; 0: nothing floats */
static size_t floating(const hml_contact *c, const model_joint *j, momentum which)
{
    const model_coordinate *at = model_coordinates(c->model) + model_bodies(c->model)[j->body].v;
    if (j->type != HML_JOINT_FREE || model_bodies(c->model)[j->body].parent >= 0) return 0;
    if (is_tied(c, j->body)) return 0;
    for (int32_t k = 0; k < j->nv; k++) /* it is moored */
        if (c->damping[j->v + k] != 0 || c->stiffness[j->v + k] != 0 || at[k].armature != 0) return 0;
    return which == ALL ? 6 : 3;
}

/* velocities of the roots that float, all else at rest, that have the momenta p less those of v; out may not be p or v */
static void find_carrier(const hml_contact *c, momentum which, const double *p, const double *v, double *out)
{
    memset(out, 0, c->n * sizeof *out);
    for (const model_joint *j = first_joint(c->model); j; j = next_joint(c->model, j)) {
        const size_t r = floating(c, j, which);
        double A[HML_JOINT_MAX_NV * HML_JOINT_MAX_NV], x[HML_JOINT_MAX_NV];
        for (size_t i = 0; i < r; i++) {
            const double *row = c->known_M + ((size_t)j->v + i) * c->n;
            x[i] = (p ? p[(size_t)j->v + i] : 0) - contact_dot(c->n, row, v);
            for (size_t k = 0; k < r; k++) A[i * r + k] = row[(size_t)j->v + k];
        }
        if (r == 0 || dense_factor(r, A, NULL)) continue; /* nothing has mass there */
        dense_solve(r, A, x);
        memcpy(out + j->v, x, r * sizeof *x);
    }
}

/* the part of v that carries the momenta of the roots, with M that is known: out, which may not be v */
static void carry(const hml_contact *c, momentum which, const double *v, double *out)
{
    find_carrier(c, which, NULL, v, out);
    for (size_t i = 0; i < c->n; i++) out[i] = -out[i];
}

/* p += h m g for the roots that float, in axes of their predecessors */
static void add_weight(const hml_contact *c, double h, double *p)
{
    for (const model_joint *j = first_joint(c->model); j; j = next_joint(c->model, j)) {
        if (!floating(c, j, LINEAR)) continue;
        const double m = c->known_M[(size_t)j->v * (c->n + 1)];
        const vec3 g = mat3_tmul_vec(mat3_at(model_bodies(c->model)[j->body].R, 3), vec3_at(c->model->gravity));
        p[j->v] += h * m * g.x, p[j->v + 1] += h * m * g.y, p[j->v + 2] += h * m * g.z;
    }
}

/* the linear momenta of floating roots after a step from q, v, in p and axes of the predecessors; M at q is known */
static void expect_momentum(hml_contact *c, double h, const double *q, const double *v, const double *tau, double *p)
{
    double *pushed = c->mean;
    for (size_t i = 0; i < c->n; i++) {
        p[i] = contact_dot(c->n, c->known_M + i * c->n, v);
        pushed[i] = tau ? h * tau[i] : 0;
    }
    for (int32_t i = 0; i < c->nrows; i++) {
        const double *J = c->J + (size_t)i * c->n, P = c->P[i] + c->bounced[i];
        for (int32_t k = 0; k < c->lengths[i]; k++) pushed[k] += P * J[k];
    }
    hmli_contact_turn(c->model, q, 0, p, p);
    hmli_contact_turn(c->model, c->q, 0, pushed, pushed);
    for (size_t i = 0; i < c->n; i++) p[i] += pushed[i];
    add_weight(c, h, p);
}

/* gives v_next the linear momenta p; M at q_next is known */
static void restore_momentum(hml_contact *c, double *p)
{
    double *change = c->mean;
    hmli_contact_turn(c->model, c->q_next, 1, p, p);
    find_carrier(c, LINEAR, p, c->v_next, change);
    for (size_t i = 0; i < c->n; i++) c->v_next[i] += change[i];
}

/* v = part + s becomes part + f s, with the largest f up to 1 that leaves no more kinetic energy than `most` */
static void shorten(const hml_contact *c, double most, const double *part, double *v)
{
    const double all = kinetic_energy(c, v), kept = kinetic_energy(c, part);
    if (!(all > most)) return;
    const double f = most > kept ? sqrt((most - kept) / (all - kept)) : 0;
    for (size_t i = 0; i < c->n; i++) v[i] = part[i] + f * (v[i] - part[i]);
}

/* takes kinetic energy from v until no more than `most` is left, or nothing but the motion of the centre of mass */
static void slow_down(hml_contact *c, double most, double *v)
{
    double *part = c->mean;
    memset(part, 0, c->n * sizeof *part);
    if (!c->tamed) {
        carry(c, ALL, v, part);
        shorten(c, most, part, v);
        carry(c, LINEAR, v, part);
    }
    shorten(c, most, part, v);
}

/* ---- what a step has made ---- */

/* what the displacement out of penetrations may have lifted */
static double lifted(const hml_contact *c, const hml_contact_result *r)
{
    const double *g = c->model->gravity, strength = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    return c->mobility > 0 ? strength / c->mobility * c->correction * r->penetration : 0;
}

static double work_of(const hml_contact *c, double h, const double *v, const double *tau)
{
    double sum = 0;
    for (size_t k = 0; tau && k < c->n; k++) sum += 0.5 * h * tau[k] * (v[k] + c->v_next[k]);
    return sum;
}

/* the largest s in [0, 1] with ½ (slow + s fast)ᵀ M (slow + s fast) ≤ target, or the s that makes it least */
static double slower(hml_contact *c, double h, double target)
{
    const size_t n = c->n;
    double a = 0, b = 0, both = 0;
    for (size_t i = 0; i < n; i++) c->x[i] = 0;
    for (const model_joint *j = first_joint(c->model); j; j = next_joint(c->model, j)) {
        for (int32_t k = 0; k < j->nv; k++) {
            const int fast = !joint_is_length(j->type, k) && h * fabs(c->v_next[j->v + k]) > too_fast;
            if (fast) c->x[j->v + k] = c->v_next[j->v + k];
        }
    }
    carry(c, ALL, c->x, c->mean);
    for (size_t i = 0; i < n; i++) c->x[i] -= c->mean[i];
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < n; k++) {
            const double M = c->known_M[i * n + k];
            a += 0.5 * c->x[i] * M * c->x[k];
            b += c->x[i] * M * (c->v_next[k] - c->x[k]);
            both += 0.5 * c->v_next[i] * M * c->v_next[k];
        }
    }
    if (!(a > 0)) return 1;
    const double rest = both - a - b - target, under = b * b - 4 * a * rest; /* a s² + b s + rest = 0 */
    const double s = under > 0 ? (sqrt(under) - b) / (2 * a) : -b / (2 * a);
    return fmin(1, fmax(0, s));
}

/* ½ |L v|², with dampers and springs in it */
static double metric(const hml_contact *c, const double *v)
{
    double sum = 0;
    for (int32_t i = 0; i < (int32_t)c->n; i++) {
        double x = 0;
        for (int32_t k = i; k >= 0; k = c->parents[k]) x += c->L[(size_t)i * c->n + (size_t)k] * v[k];
        sum += 0.5 * x * x;
    }
    return sum;
}

/*
 * Where three axes of massless links become two, M is all but singular, and a step may find any velocity. No joint gets
 * faster than ten radians in a step; if one would, the robot as a whole gets no more kinetic energy than it had. Impulses
 * of such a step say nothing about momenta.
 */
void hmli_contact_tame(hml_contact *c, double h, hml_contact_result *r)
{
    static const double wildest = 10;
    if (!(hmli_contact_turn_of(c->model, c->v_next, h) > wildest)) return;
    c->tamed = 1;
    for (const model_joint *j = first_joint(c->model); j; j = next_joint(c->model, j)) {
        for (int32_t k = 0; k < j->nv; k++) {
            double *v = &c->v_next[j->v + k];
            if (!joint_is_length(j->type, k)) *v = fmin(wildest / h, fmax(-wildest / h, *v));
        }
    }
    const double before = metric(c, c->v), after = metric(c, c->v_next);
    if (!(after > before)) return;
    for (size_t i = 0; i < c->n; i++) c->v_next[i] *= sqrt(before / after);
    r->removed += after - before;
}

hml_status hmli_contact_guard(hml_contact *c, hml_work *work, double h, const double *q, const double *v,
                              const double *tau, hml_contact_result *r)
{
    const double turn = fmax(hmli_contact_turn_of(c->model, v, h), hmli_contact_turn_of(c->model, c->v_next, h));
    if (!(turn > too_fast) && !c->displaced) return HML_OK;
    const double before = energy(c, work, q, v);
    expect_momentum(c, h, q, v, tau, c->pushed);
    TRY(know(c, work, c->q_next));
    if (!c->tamed) restore_momentum(c, c->pushed);
    const double after = energy(c, work, c->q_next, c->v_next);
    if (!isfinite(before) || !isfinite(after)) return HML_NOT_FINITE;
    const double kinetic = kinetic_energy(c, c->v_next), excess = after - before - work_of(c, h, v, tau);
    if (!(excess > 1e-6 * kinetic)) return HML_OK;
    const double part = slower(c, h, fmax(0, kinetic - excess)), most = fmax(0, kinetic - excess + lifted(c, r));
    for (size_t i = 0; i < c->n; i++) c->v_next[i] -= (1 - part) * c->x[i];
    const double left = kinetic_energy(c, c->v_next), free = turn > too_fast ? 1.01 : 1 + 1e-6;
    if (left > free * most) slow_down(c, most, c->v_next);
    r->removed += kinetic - kinetic_energy(c, c->v_next);
    return HML_OK;
}
