/* A recipe that was built, and what the checks share. See agree.h. */
#include "agree.h"

static void count_features(subject *x)
{
    for (int32_t j = 0; j < hml_model_njoints(x->model); j++) {
        hml_joint_info info = {.struct_size = sizeof info};
        if (hml_model_joint(x->model, j, &info)) continue;
        const int nv = hml_joint_type_nv(info.type);
        int spring = 0;
        x->followers += info.leader >= 0;
        for (int k = 0; k < nv; k++) {
            if (info.armature[k] > 0 || info.damping[k] > 0 || info.stiffness[k] > 0) x->passive = 1;
            spring |= info.stiffness[k] > 0;
        }
        if (spring && (info.type == HML_JOINT_FREE || info.type == HML_JOINT_SPHERICAL ||
                       info.type == HML_JOINT_PLANAR || info.type == HML_JOINT_SCHOENFLIES))
            x->noncommuting_springs = 1;
    }
}

static void fill_states(subject *x)
{
    const recipe *r = x->recipe;
    const size_t nq = (size_t)x->nq, nv = (size_t)x->nv, nb = (size_t)x->nb, n = (size_t)x->nstates;
    agree *g = x->g;
    x->q = room(g, n * nq), x->v = room(g, n * nv), x->tau = room(g, n * nv), x->a = room(g, n * nv);
    if (r->pushed) {
        x->wrenches = room(g, n * 6 * nb);
        for (size_t i = 0; i < n * 6 * nb; i++) x->wrenches[i] = 0;
    }
    for (int i = 0; i < r->nparts; i++) {
        hml_joint_info info = {.struct_size = sizeof info};
        int32_t joint = hml_model_find_joint(x->model, r->parts[i].joint);
        int32_t body = hml_model_find_body(x->model, r->parts[i].name);
        for (size_t s = 0; s < n; s++) {
            const part_state *p = &r->states[s][i];
            if (x->wrenches && body >= 0)
                memcpy(x->wrenches + (s * nb + (size_t)body) * 6, p->wrench, sizeof p->wrench);
            if (joint < 0 || hml_model_joint(x->model, joint, &info) || info.q < 0) continue;
            memcpy(x->q + s * nq + info.q, p->q, (size_t)info.nq * sizeof *p->q);
            memcpy(x->v + s * nv + info.v, p->v, (size_t)info.nv * sizeof *p->v);
            memcpy(x->tau + s * nv + info.v, p->tau, (size_t)info.nv * sizeof *p->v);
            memcpy(x->a + s * nv + info.v, p->a, (size_t)info.nv * sizeof *p->v);
        }
    }
}

static double length3(const double *x) { return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]); }

/* the size of the forces of a state, scaled: what they are made of, before it cancels */
static double force_size(subject *x, int state, double *distance)
{
    agree *g = x->g;
    const size_t nv = (size_t)x->nv, nb = (size_t)x->nb;
    const double *q = x->q + (size_t)state * (size_t)x->nq, *v = x->v + (size_t)state * nv;
    const double *a = x->a + (size_t)state * nv, *tau = x->tau + (size_t)state * nv, *s = x->s + (size_t)state * nv;
    double *H = room(g, 16 * nb), *V = room(g, 6 * nb), *A = room(g, 6 * nb), *t = room(g, nv), *none = room(g, nv);
    double gravity[3], motion = 0, size = 0, mass = hml_model_mass(x->model);
    hml_model_gravity(x->model, gravity);
    *distance = 1;
    if (hml_frame_motions(x->model, x->work, x->nb, HML_LEFT, q, v, a, H, V, A)) return INFINITY;
    for (size_t b = 0; b < nb; b++) {
        const double at[3] = {H[16 * b + 3], H[16 * b + 7], H[16 * b + 11]};
        const double w = length3(V + 6 * b + 3),
                     each = length3(A + 6 * b) + length3(A + 6 * b + 3) + w * (w + length3(V + 6 * b));
        motion = fmax(motion, each);
        *distance = fmax(*distance, length3(at));
    }
    size = sqrt(mass) * (motion + length3(gravity));
    for (size_t i = 0; i < nv; i++) none[i] = 0;
    for (int k = 0; k < 4; k++) {
        const double *vel = k & 1 ? v : none;
        if (hml_inverse_dynamics(x->model, x->work, q, vel, none, k & 2 ? wrenches_of(x, state) : NULL, t)) continue;
        for (size_t i = 0; i < nv; i++) size = fmax(size, fabs(t[i]) / s[i]);
    }
    for (size_t i = 0; i < nv; i++) size = fmax(size, fabs(tau[i]) / s[i]);
    return size + 1e-12;
}

/*
 * What M_ii would be if nothing of the bodies that coordinate i moves lay on its axis: masses times the squares of how
 * far away they are. Sums of that size are rounded, and an axis through the masses leaves little of them. Kernels sum
 * about the root of the tree, which is further away: a third of that distance counts as well.
 */
static void size_of_moved(subject *x, const double *q, double *size)
{
    double *H = room(x->g, 16 * (size_t)x->nb);
    for (int i = 0; i < x->nv; i++) size[i] = 0;
    if (hml_body_poses(x->model, x->work, q, H)) return;
    for (int32_t b = 0; b < x->nb; b++) {
        hml_body_info body = {.struct_size = sizeof body}, above = {.struct_size = sizeof above};
        hml_model_body(x->model, b, &body);
        const double *I = body.moment, trace = I[0] + I[4] + I[8], com = length3(body.com);
        int32_t root = b;
        for (int32_t a = b; a >= 0; root = a, a = above.parent) hml_model_body(x->model, a, &above);
        const double *R = H + 16 * root, *B = H + 16 * b;
        const double from_root = length3((double[3]){B[3] - R[3], B[7] - R[7], B[11] - R[11]}) + com;
        for (int32_t a = b; a >= 0; a = above.parent) {
            const double *A = H + 16 * a;
            hml_joint_info joint = {.struct_size = sizeof joint};
            hml_model_body(x->model, a, &above);
            if (hml_model_joint(x->model, above.joint, &joint)) continue;
            const double near = length3((double[3]){B[3] - A[3], B[7] - A[7], B[11] - A[11]}) + com +
                                length3(joint.point) + fabs(joint.pitch),
                         far = fmax(near, 0.3 * from_root);
            for (int32_t k = 0; k < joint.nv; k++) size[joint.v + k] += body.mass * far * far + trace;
        }
    }
}

static void condition(subject *x)
{
    agree *g = x->g;
    const size_t nv = (size_t)x->nv, n = (size_t)x->nstates;
    x->M = room(g, n * nv * nv), x->Minv = room(g, n * nv * nv), x->s = room(g, n * nv);
    x->cond = room(g, n), x->force = room(g, n), x->away = room(g, n);
    double *scaled = room(g, nv * nv), *moved = room(g, nv);
    x->regular = HML_OK;
    for (size_t k = 0; k < n; k++) {
        double *M = x->M + k * nv * nv, *Minv = x->Minv + k * nv * nv, *s = x->s + k * nv;
        x->cond[k] = x->away[k] = x->force[k] = 1;
        for (size_t i = 0; i < nv; i++) s[i] = 1;
        if (hml_mass_matrix(x->model, x->work, x->q + k * (size_t)x->nq, M)) {
            x->regular = HML_INVALID_ARGUMENT;
            continue;
        }
        double lost = 1; /* what an axis through the masses leaves of them */
        size_of_moved(x, x->q + k * (size_t)x->nq, moved);
        for (size_t i = 0; i < nv; i++) {
            const double m = M[i * nv + i];
            s[i] = m > 0 ? sqrt(m) : 1;
            if (!x->followers) lost = fmax(lost, moved[i] / (m > 0 ? m : 1e-300));
        }
        if (!dense_invert_spd(nv, M, Minv)) {
            x->regular = HML_SINGULAR;
        } else {
            for (size_t i = 0; i < nv * nv; i++) scaled[i] = M[i] / (s[i / nv] * s[i % nv]);
            x->cond[k] = dense_norm(nv, nv, scaled);
            for (size_t i = 0; i < nv * nv; i++) scaled[i] = Minv[i] * (s[i / nv] * s[i % nv]);
            x->cond[k] *= dense_norm(nv, nv, scaled);
            x->cond[k] *= fmax(1, 0.1 * lost);
            if (nv == 0) x->cond[k] = 1;
            if (!(x->cond[k] < 1e9)) x->regular = HML_SINGULAR;
        }
        for (size_t i = 0; i < nv; i++) s[i] = sqrt(fmax(s[i] * s[i], 1e-3 * (x->followers ? 0 : moved[i])));
        x->force[k] = force_size(x, (int)k, &x->away[k]);
    }
}

int subject_open(subject *x, agree *g, const recipe *r)
{
    static const hml_isa all[ISAS] = {HML_ISA_SCALAR, HML_ISA_128, HML_ISA_AVX2, HML_ISA_AVX512};
    memset(x, 0, sizeof *x);
    x->g = g, x->recipe = r;
    hml_rng_seed(&x->rng, r->seed + 1);
    if (recipe_build(r, r->build, &x->model, NULL)) return 0;
    x->nq = hml_model_nq(x->model), x->nv = hml_model_nv(x->model), x->nb = hml_model_nbodies(x->model);
    x->nstates = r->nstates;
    if (x->nb == 0 || x->nv == 0) return 0; /* all of it is part of the world */
    for (int i = 0; i < ISAS; i++) {
        if (!hml_isa_available(all[i])) continue;
        const size_t size = hml_work_size(x->model, all[i], HML_USE_ALL);
        if (hml_work_init(room_bytes(g, size, HML_WORK_ALIGN), size, x->model, all[i], HML_USE_ALL,
                          &x->works[x->nisas]))
            return 0;
        x->isas[x->nisas++] = all[i];
    }
    x->work = x->works[x->nisas - 1];
    count_features(x);
    fill_states(x);
    condition(x);
    return 1;
}

void subject_close(subject *x)
{
    room_close(x->g);
    hml_model_free(x->model);
}

single single_new(subject *x)
{
    const size_t nv = (size_t)x->nv;
    return (single){room(x->g, nv), room(x->g, nv * nv), room(x->g, nv * nv), room(x->g, nv * nv)};
}

hml_status single_linearize(subject *x, hml_work *work, int state, single *out)
{
    hml_linearization l = {.struct_size = sizeof l};
    l.q.data = x->q + (size_t)state * (size_t)x->nq;
    l.v.data = x->v + (size_t)state * (size_t)x->nv;
    l.tau.data = x->tau + (size_t)state * (size_t)x->nv;
    l.wrenches.data = wrenches_of(x, state);
    l.acceleration.data = out->a, l.Dq.data = out->Dq, l.Dv.data = out->Dv, l.Minv.data = out->Minv;
    return hml_linearize(x->model, work, &l);
}

hml_status forward(subject *x, const double *q, const double *v, const double *tau, int state, double *a)
{
    return hml_forward_dynamics(x->model, x->work, q, v, tau, wrenches_of(x, state), a);
}

hml_status summary_of(subject *x, const hml_model *model, hml_work *work, const double *q, const double *v,
                      hml_dynamics_result *d)
{
    const size_t nv = (size_t)hml_model_nv(model);
    d->M = room(x->g, nv * nv), d->h = room(x->g, nv);
    return hml_dynamics(model, work, q, v, NULL, NULL, d);
}
