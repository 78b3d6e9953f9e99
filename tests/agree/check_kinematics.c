/* Poses, Jacobians and configurations. */
#include "agree.h"

static const double *state_q(const subject *x, int s) { return x->q + (size_t)s * (size_t)x->nq; }
static const double *state_v(const subject *x, int s) { return x->v + (size_t)s * (size_t)x->nv; }

/* rotations and positions apart: far away only positions are rounded more coarsely */
static void note_poses(subject *x, kind k, const char *call, int s, const double *one, const double *other, size_t n)
{
    double *R[2] = {room(x->g, 9 * n), room(x->g, 9 * n)}, *p[2] = {room(x->g, 3 * n), room(x->g, 3 * n)};
    for (int which = 0; which < 2; which++) {
        const double *H = which ? other : one;
        for (size_t b = 0; b < n; b++) {
            for (size_t i = 0; i < 3; i++) {
                for (size_t j = 0; j < 3; j++) R[which][9 * b + 3 * i + j] = H[16 * b + 4 * i + j];
                p[which][3 * b + i] = H[16 * b + 4 * i + 3];
            }
        }
    }
    /* angles up to 1e4 are rounded, and exponentials multiply dozens of them */
    note(x, k, call, (how){s, PLAIN, PLAIN, 1, k == KIND_poses ? 10 : 0}, R[0], R[1], n, 9);
    note(x, k, call, (how){s, PLAIN, PLAIN, x->away[s], k == KIND_poses ? 10 : 0}, p[0], p[1], n, 3);
}

static void check_batches_of(subject *x, int i)
{
    const size_t nv = (size_t)x->nv, nb = (size_t)x->nb, n = (size_t)x->nstates;
    const char *isa = hml_isa_name(x->isas[i]);
    const hml_input q = {x->q, (size_t)x->nq};
    double *H = room(x->g, n * 16 * nb), *H2 = room(x->g, 16 * nb), *J = room(x->g, n * 6 * nv);
    double *J2 = room(x->g, 6 * nv), *H3 = room(x->g, n * 16 * nb);
    hml_status status[STATES];
    hml_status first = hml_body_poses_batch(x->model, x->works[i], n, q, (hml_output){H, 0, 0}, status);
    note_status(x, KIND_status, "hml_body_poses_batch", 0, first, HML_OK);
    hml_jacobian_columns c = {.struct_size = sizeof c, .q = q, .H = {H3, 0, 0}, .J = {J, 0, 0}};
    const hml_status expected = x->followers ? HML_UNSUPPORTED : HML_OK;
    first = hml_all_jacobians_batch(x->model, x->works[i], n, &c, status);
    note_status(x, KIND_status, "hml_all_jacobians_batch", 0, first, expected);
    for (int s = 0; s < x->nstates; s++) {
        if (hml_body_poses(x->model, x->works[i], state_q(x, s), H2)) continue;
        note_poses(x, KIND_poses_isa, isa, s, H + (size_t)s * 16 * nb, H2, nb);
        if (hml_body_poses(x->model, x->work, state_q(x, s), H2)) continue;
        note_poses(x, KIND_poses_isa, isa, s, H + (size_t)s * 16 * nb, H2, nb);
        hml_jacobian_columns one = {.struct_size = sizeof one, .q.data = state_q(x, s), .J.data = J2, .H.data = H2};
        if (x->followers || hml_all_jacobians(x->model, x->work, &one)) continue;
        note_poses(x, KIND_poses_isa, "hml_all_jacobians", s, H3 + (size_t)s * 16 * nb, H2, nb);
        note(x, KIND_jacobians, isa, (how){s, PLAIN, PLAIN, x->away[s], 0}, J + (size_t)s * 6 * nv, J2, 6, nv);
    }
    const size_t from = (size_t)hml_rng_below(&x->rng, (int32_t)n);
    const size_t count = 1 + (size_t)hml_rng_below(&x->rng, (int32_t)(n - from));
    double *piece = room(x->g, count * 16 * nb), *columns = room(x->g, count * 6 * nv);
    const hml_input at = {state_q(x, (int)from), (size_t)x->nq};
    hml_body_poses_batch(x->model, x->works[i], count, at, (hml_output){piece, 0, 0}, NULL);
    note_bits(x, KIND_poses_place, isa, (int)from, piece, H + from * 16 * nb, count * 16 * nb);
    c = (hml_jacobian_columns){.struct_size = sizeof c, .q = at, .J = {columns, 0, 0}};
    if (!x->followers && !hml_all_jacobians_batch(x->model, x->works[i], count, &c, NULL))
        note_bits(x, KIND_jacobians_place, isa, (int)from, columns, J + from * 6 * nv, count * 6 * nv);
}

/* the columns of the joints that carry a body are its right Jacobian */
static void check_columns(subject *x, int s)
{
    const size_t nv = (size_t)x->nv;
    double *all = room(x->g, 6 * nv), *J = room(x->g, 6 * nv), *want = room(x->g, 6 * nv);
    hml_jacobian_columns c = {.struct_size = sizeof c, .q.data = state_q(x, s), .J.data = all};
    if (x->followers || hml_all_jacobians(x->model, x->work, &c)) return;
    const int32_t body = hml_rng_below(&x->rng, x->nb);
    hml_body_info info = {.struct_size = sizeof info};
    hml_model_body(x->model, body, &info);
    hml_frame_motion m = {.struct_size = sizeof m, .J = J};
    if (hml_frame(x->model, x->work, hml_model_find_frame(x->model, info.name), HML_RIGHT, state_q(x, s), NULL, NULL,
                  &m))
        return;
    for (size_t i = 0; i < 6 * nv; i++) want[i] = 0;
    for (int32_t b = body; b >= 0; b = info.parent) {
        hml_joint_info joint = {.struct_size = sizeof joint};
        hml_model_body(x->model, b, &info);
        hml_model_joint(x->model, info.joint, &joint);
        /* of a universal joint the cross carries the first coordinate, the body both; the walk meets both */
        for (size_t k = 0; k < (size_t)joint.nv; k++)
            for (size_t r = 0; r < 6; r++) want[r * nv + (size_t)joint.v + k] = all[r * nv + (size_t)joint.v + k];
    }
    hml_model_body(x->model, body, &info);
    hml_joint_info own = {.struct_size = sizeof own};
    hml_model_joint(x->model, info.joint, &own);
    if (own.type == HML_JOINT_UNIVERSAL && own.body != body) return; /* a cross is carried by the first one alone */
    note(x, KIND_jacobian_columns, "hml_all_jacobians", (how){s, PLAIN, PLAIN, x->away[s], 0}, want, J, 6, nv);
}

void check_kinematics(subject *x)
{
    const size_t nb = (size_t)x->nb;
    const int s = hml_rng_below(&x->rng, x->nstates);
    double *H = room(x->g, 16 * nb), *H2 = room(x->g, 16 * nb);
    for (int i = 0; i < x->nisas; i++) check_batches_of(x, i);
    note_status(x, KIND_status, "hml_body_poses", s, hml_body_poses(x->model, x->work, state_q(x, s), H), HML_OK);
    if (!hml_body_poses_exponential(x->model, x->work, state_q(x, s), H2))
        note_poses(x, KIND_poses, "hml_body_poses_exponential", s, H2, H, nb);
    if (!hml_frame_motions(x->model, x->work, x->nb, HML_LEFT, state_q(x, s), NULL, NULL, H2, NULL, NULL))
        note_poses(x, KIND_poses_frames, "hml_frame_motions", s, H2, H, nb);
    check_columns(x, s);
}

/* ---- configurations ---- */

typedef struct moved {
    const subject *x;
    const double *q, *q1, *v, *z, *back;
    double *q_t, *v_t;
    int what;
} moved;

static int integrated(void *context, double t, double *out)
{
    moved *m = context;
    const hml_model *model = m->x->model;
    for (int i = 0; i < m->x->nv; i++) m->v_t[i] = m->what == 0 ? t * m->z[i] : m->v[i] + t * m->z[i];
    switch (m->what) {
    case 0: /* (q ⊕ tz) ⊕ v, seen from q ⊕ v */
        return !hml_configuration_integrate(model, m->q, m->v_t, m->q_t) &&
               !hml_configuration_integrate(model, m->q_t, m->v, m->q_t) &&
               !hml_configuration_difference(model, m->back, m->q_t, out);
    default: /* q ⊕ (v + tz), seen from there */
        return !hml_configuration_integrate(model, m->q, m->v_t, m->q_t) &&
               !hml_configuration_difference(model, m->back, m->q_t, out);
    }
}

static int differed(void *context, double t, double *out)
{
    moved *m = context;
    for (int i = 0; i < m->x->nv; i++) m->v_t[i] = t * m->z[i];
    if (hml_configuration_integrate(m->x->model, m->what ? m->q1 : m->q, m->v_t, m->q_t)) return 0;
    return !hml_configuration_difference(m->x->model, m->what ? m->q : m->q_t, m->what ? m->q_t : m->q1, out);
}

static int placed(void *context, double t, double *out)
{
    moved *m = context;
    for (int i = 0; i < m->x->nv; i++) m->v_t[i] = t * m->v[i];
    return !hml_configuration_integrate(m->x->model, m->q, m->v_t, out);
}

static void check_configuration_jacobians(subject *x, int s, const double *v)
{
    const size_t nv = (size_t)x->nv, nq = (size_t)x->nq;
    double *J[2] = {room(x->g, nv * nv), room(x->g, nv * nv)}, *q1 = room(x->g, nq), *z = room(x->g, nv);
    double *one = room(x->g, nv), *other = room(x->g, nv);
    const how here = {s, PLAIN, PLAIN, 1, 0};
    draw_direction(&x->rng, nv, z);
    if (hml_configuration_integrate(x->model, state_q(x, s), v, q1)) return;
    moved m = {x, state_q(x, s), q1, v, z, q1, room(x->g, nq), room(x->g, nv), 0};
    if (!hml_configuration_integrate_jacobians(x->model, m.q, v, J[0], J[1])) {
        for (m.what = 0; m.what < 2; m.what++) {
            dense_apply(nv, nv, J[m.what], z, one);
            if (difference(x->g, integrated, &m, 1e-3, nv, other))
                note(x, KIND_integrate_jacobians, m.what ? "dv" : "dq", here, one, other, nv, 1);
        }
    }
    if (!hml_configuration_difference_jacobians(x->model, m.q, q1, J[0], J[1])) {
        for (m.what = 0; m.what < 2; m.what++) {
            dense_apply(nv, nv, J[m.what], z, one);
            if (difference(x->g, differed, &m, 1e-3, nv, other))
                note(x, KIND_difference_jacobians, m.what ? "dq1" : "dq0", here, one, other, nv, 1);
        }
    }
}

static void check_rates(subject *x, int s)
{
    const size_t nv = (size_t)x->nv, nq = (size_t)x->nq;
    const double *q = state_q(x, s), *v = state_v(x, s), speed = 1 + largest(nv, v);
    double *rate = room(x->g, nq), *F = room(x->g, nq * nv), *other = room(x->g, nq), *back = room(x->g, nv);
    const how here = {s, PLAIN, PLAIN, speed, 0};
    if (hml_configuration_rate(x->model, q, v, rate)) return;
    if (!hml_configuration_rate_matrix(x->model, q, F)) {
        dense_apply(nq, nv, F, v, other);
        note(x, KIND_rate, "hml_configuration_rate_matrix", here, other, rate, nq, 1);
    }
    if (!hml_configuration_velocity(x->model, q, rate, back))
        note(x, KIND_rate, "hml_configuration_velocity", here, back, v, nv, 1);
    moved m = {x, q, NULL, v, NULL, NULL, NULL, room(x->g, nv), 0};
    if (difference(x->g, placed, &m, 1e-3 / speed, nq, other))
        note(x, KIND_rate_difference, "hml_configuration_rate", here, rate, other, nq, 1);
}

static void check_layouts(subject *x, int s)
{
    const double *q = state_q(x, s), *v = state_v(x, s);
    for (int k = HML_LAYOUT_HAMEL; k <= HML_LAYOUT_IDYNTREE; k++) {
        const unsigned options = k == HML_LAYOUT_PINOCCHIO ? (unsigned)hml_rng_below(&x->rng, 4) & ~1u : 0;
        int32_t nq = 0, nv = 0;
        if (hml_layout_count(x->model, (hml_layout)k, options, &nq, &nv)) continue;
        double *q2 = room(x->g, (size_t)nq), *v2 = room(x->g, (size_t)nv);
        double *q3 = room(x->g, (size_t)x->nq), *v3 = room(x->g, (size_t)x->nv), *d = room(x->g, (size_t)x->nv);
        double *zero = room(x->g, (size_t)x->nv);
        if (hml_layout_to(x->model, (hml_layout)k, options, q, v, q2, v2)) continue;
        hml_status status = hml_layout_from(x->model, (hml_layout)k, options, q2, v2, q3, v3);
        note_status(x, KIND_status, "hml_layout_from", s, status, HML_OK);
        /* roll, pitch, yaw lose digits where cos(pitch) is small; angles may come back in another turn */
        const int angles = k == HML_LAYOUT_DRAKE || k == HML_LAYOUT_PINOCCHIO;
        if (status || hml_configuration_difference(x->model, q, q3, d)) continue;
        for (int i = 0; i < x->nv; i++) {
            zero[i] = 0;
            if (angles) d[i] = remainder(d[i], 6.283185307179586);
        }
        const double factor = angles ? 1e5 : 10;
        note(x, KIND_layouts, hml_layout_name((hml_layout)k), (how){s, PLAIN, PLAIN, x->away[s], factor}, d, zero,
             (size_t)x->nv, 1);
        note(x, KIND_layouts, hml_layout_name((hml_layout)k), (how){s, PLAIN, PLAIN, 1, factor}, v3, v, (size_t)x->nv,
             1);
    }
}

/* angles about 1: further than a turn ⊖ takes the short way */
static void small_velocities(subject *x, double *v)
{
    for (int i = 0; i < x->nv * x->nstates; i++) v[i] = hml_rng_uniform(&x->rng, -1, 1);
}

void check_configurations(subject *x)
{
    const size_t nv = (size_t)x->nv, nq = (size_t)x->nq, n = (size_t)x->nstates;
    double *v = room(x->g, n * nv), *q1 = room(x->g, n * nq), *back = room(x->g, n * nv), *one = room(x->g, nq);
    double *d = room(x->g, nv), *piece = room(x->g, n * nq);
    small_velocities(x, v);
    for (int i = 0; i < x->nisas; i++) {
        const hml_input q = {x->q, nq}, w = {v, nv};
        const char *isa = hml_isa_name(x->isas[i]);
        hml_status status =
            hml_configuration_integrate_batch(x->model, x->works[i], n, q, w, (hml_output){q1, 0, 0}, NULL);
        note_status(x, KIND_status, "hml_configuration_integrate_batch", 0, status, HML_OK);
        status = hml_configuration_difference_batch(x->model, x->works[i], n, q, (hml_input){q1, nq},
                                                    (hml_output){back, 0, 0}, NULL);
        note_status(x, KIND_status, "hml_configuration_difference_batch", 0, status, HML_OK);
        for (int s = 0; s < x->nstates; s++) {
            const how here = {s, PLAIN, PLAIN, 1, 0}, far = {s, PLAIN, PLAIN, x->away[s], 0};
            const double *vs = v + (size_t)s * nv, *qs = q1 + (size_t)s * nq;
            note(x, KIND_integrate, isa, (how){s, PLAIN, PLAIN, 1, x->away[s]}, back + (size_t)s * nv, vs, nv, 1);
            if (!hml_configuration_integrate(x->model, state_q(x, s), vs, one))
                note(x, KIND_integrate_batch, isa, far, qs, one, nq, 1);
            if (!hml_configuration_difference(x->model, state_q(x, s), qs, d))
                note(x, KIND_difference_batch, isa, here, back + (size_t)s * nv, d, nv, 1);
        }
        const size_t from = (size_t)hml_rng_below(&x->rng, (int32_t)n);
        const size_t count = 1 + (size_t)hml_rng_below(&x->rng, (int32_t)(n - from));
        const hml_input qf = {x->q + from * nq, nq}, vf = {v + from * nv, nv};
        hml_configuration_integrate_batch(x->model, x->works[i], count, qf, vf, (hml_output){piece, 0, 0}, NULL);
        note_bits(x, KIND_configuration_place, isa, (int)from, piece, q1 + from * nq, count * nq);
    }
    const int s = hml_rng_below(&x->rng, x->nstates);
    check_configuration_jacobians(x, s, v + (size_t)s * nv);
    check_rates(x, s);
    check_layouts(x, s);
}
