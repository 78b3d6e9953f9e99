/* Edited models: joints locked, robots side by side, more armature, masses said in another way, other scales. */
#include "agree.h"

static hml_work *work_for(subject *x, const hml_model *m)
{
    hml_work *work = NULL;
    const size_t size = hml_work_size(m, HML_ISA_BEST, HML_USE_ALL);
    return hml_work_init(room_bytes(x->g, size, HML_WORK_ALIGN), size, m, HML_ISA_BEST, HML_USE_ALL, &work) ? NULL
                                                                                                            : work;
}

/* where the coordinates of a model lie in the robot's, by the names of joints behind a prefix; 0 if one is not there */
static int coordinates(const subject *x, const hml_model *m, const char *prefix, int32_t *where)
{
    char name[2 * NAME];
    for (int32_t i = 0; i < hml_model_nv(m); i++) where[i] = -1;
    int found = 0;
    for (int32_t j = 0; j < hml_model_njoints(x->model); j++) {
        hml_joint_info here = {.struct_size = sizeof here}, there = {.struct_size = sizeof there};
        hml_model_joint(x->model, j, &here);
        snprintf(name, sizeof name, "%s%s", prefix, here.name);
        const int32_t k = hml_model_find_joint(m, name);
        if (k < 0 || here.leader >= 0 || hml_model_joint(m, k, &there)) continue;
        for (int32_t i = 0; i < there.nv; i++) where[there.v + i] = here.v + i, found++;
    }
    return found;
}

/* rows and columns of a model's M and forces against the robot's; −1: not a coordinate of this robot */
static void note_parts(subject *x, kind k, const char *call, int s, const double *M, const double *tau,
                       const double *want_tau, const int32_t *where, size_t n)
{
    const size_t nv = (size_t)x->nv;
    const double *M0 = x->M + (size_t)s * nv * nv, *scale = x->s + (size_t)s * nv;
    double *one = room(x->g, n * n), *other = room(x->g, n * n), *t = room(x->g, n), *t0 = room(x->g, n);
    for (size_t i = 0; i < n; i++) {
        const double si = where[i] < 0 ? 1 : scale[where[i]];
        for (size_t j = 0; j < n; j++) {
            const int ours = where[i] >= 0 && where[j] >= 0;
            const double w = ours ? 1 / (si * scale[where[j]]) : 0;
            one[i * n + j] = w * M[i * n + j];
            other[i * n + j] = ours ? w * M0[(size_t)where[i] * nv + (size_t)where[j]] : 0;
        }
        t[i] = where[i] < 0 ? 0 : tau[i] / si, t0[i] = where[i] < 0 ? 0 : want_tau[where[i]] / si;
    }
    note(x, k, call, (how){s, PLAIN, PLAIN, 1, 0}, one, other, n, n);
    note(x, k, call, (how){s, PLAIN, PLAIN, x->force[s], 0}, t, t0, n, 1);
}

/* a locked joint has no velocity: the others' part of M, and of the forces of a motion without it */
static void check_locked(subject *x, int s)
{
    const size_t nv = (size_t)x->nv;
    const double *q = x->q + (size_t)s * (size_t)x->nq, *v = x->v + (size_t)s * nv, *a = x->a + (size_t)s * nv;
    const int32_t joints = hml_model_njoints(x->model);
    int32_t *chosen = room_bytes(x->g, (size_t)joints * sizeof *chosen, sizeof(double)), count = 0;
    double *v0 = room(x->g, nv), *a0 = room(x->g, nv), *tau0 = room(x->g, nv);
    if (x->followers) return;
    memcpy(v0, v, nv * sizeof *v), memcpy(a0, a, nv * sizeof *a);
    for (int32_t j = 0; j < joints; j++) {
        hml_joint_info info = {.struct_size = sizeof info};
        hml_model_joint(x->model, j, &info);
        if (info.nv == 0 || hml_rng_below(&x->rng, 3)) continue;
        chosen[count++] = j;
        for (int32_t i = 0; i < info.nv; i++) v0[info.v + i] = a0[info.v + i] = 0;
    }
    hml_model *m = NULL;
    hml_status status = hml_model_lock(x->model, chosen, count, q, &m, NULL);
    note_status(x, KIND_status, "hml_model_lock", s, status, HML_OK);
    if (status) return;
    const size_t n = (size_t)hml_model_nv(m);
    hml_work *work = n ? work_for(x, m) : NULL;
    int32_t *where = room_bytes(x->g, (n + 1) * sizeof *where, sizeof(double));
    double *qm = room(x->g, (size_t)hml_model_nq(m)), *vm = room(x->g, n), *am = room(x->g, n);
    double *M = room(x->g, n * n), *tau = room(x->g, n);
    if (work && coordinates(x, m, "", where) == (int)n && !hml_configuration_transfer(x->model, q, m, qm) &&
        !hml_velocity_transfer(x->model, v0, m, vm) && !hml_velocity_transfer(x->model, a0, m, am) &&
        !hml_mass_matrix(m, work, qm, M) && !hml_inverse_dynamics(m, work, qm, vm, am, NULL, tau) &&
        !hml_inverse_dynamics(x->model, x->work, q, v0, a0, NULL, tau0))
        note_parts(x, KIND_locked, "hml_model_lock", s, M, tau, tau0, where, n);
    hml_model_free(m);
}

/* the robot beside itself, in another state: neither feels the other */
static void check_appended(subject *x, int s)
{
    const size_t nv = (size_t)x->nv, nq = (size_t)x->nq;
    const int second = hml_rng_below(&x->rng, x->nstates), state[2] = {s, second};
    static const char *const prefixes[2] = {"", "twin_"};
    hml_model *m = NULL;
    if (nv > 40) return;
    hml_status status = hml_model_append(x->model, -1, x->model, prefixes[1], &m, NULL);
    note_status(x, KIND_status, "hml_model_append", s, status, HML_OK);
    if (status) return;
    const size_t n = (size_t)hml_model_nv(m);
    hml_work *work = work_for(x, m);
    int32_t *where[2];
    double *q = room(x->g, (size_t)hml_model_nq(m)), *v = room(x->g, n), *a = room(x->g, n), *M = room(x->g, n * n);
    double *tau = room(x->g, n), *want = room(x->g, nv), across = 0;
    for (int k = 0; k < 2; k++) {
        where[k] = room_bytes(x->g, n * sizeof **where, sizeof(double));
        if (coordinates(x, m, prefixes[k], where[k]) != x->nv) work = NULL;
        for (int32_t j = 0; j < hml_model_njoints(x->model); j++) {
            hml_joint_info here = {.struct_size = sizeof here}, there = {.struct_size = sizeof there};
            char name[2 * NAME];
            hml_model_joint(x->model, j, &here);
            snprintf(name, sizeof name, "%s%s", prefixes[k], here.name);
            if (here.nq == 0 || hml_model_joint(m, hml_model_find_joint(m, name), &there)) continue;
            memcpy(q + there.q, x->q + (size_t)state[k] * nq + here.q, (size_t)here.nq * sizeof *q);
            memcpy(v + there.v, x->v + (size_t)state[k] * nv + here.v, (size_t)here.nv * sizeof *v);
            memcpy(a + there.v, x->a + (size_t)state[k] * nv + here.v, (size_t)here.nv * sizeof *a);
        }
    }
    if (work && !hml_mass_matrix(m, work, q, M) && !hml_inverse_dynamics(m, work, q, v, a, NULL, tau)) {
        for (int k = 0; k < 2; k++) {
            const size_t at = (size_t)state[k];
            if (!hml_inverse_dynamics(x->model, x->work, x->q + at * nq, x->v + at * nv, x->a + at * nv, NULL, want))
                note_parts(x, KIND_appended, "hml_model_append", state[k], M, tau, want, where[k], n);
        }
        const double none = 0;
        for (size_t i = 0; i < n * n; i++)
            if ((where[0][i / n] < 0) != (where[0][i % n] < 0)) across += fabs(M[i]);
        note_bits(x, KIND_appended_zero, "hml_model_append", s, &across, &none, 1);
    }
    hml_model_free(m);
}

static void check_armature(subject *x, int s)
{
    const size_t nv = (size_t)x->nv;
    double *more = room(x->g, nv), *M = room(x->g, nv * nv), *want = room(x->g, nv * nv);
    hml_model *m = NULL;
    for (size_t i = 0; i < nv; i++) more[i] = hml_rng_uniform(&x->rng, 0, 1);
    if (hml_model_with_armature(x->model, more, &m)) return; /* followers share their leader's */
    hml_work *work = work_for(x, m);
    memcpy(want, x->M + (size_t)s * nv * nv, nv * nv * sizeof *want);
    for (size_t i = 0; i < nv; i++) want[i * nv + i] += more[i];
    if (work && !hml_mass_matrix(m, work, x->q + (size_t)s * (size_t)x->nq, M))
        note(x, KIND_armature, "hml_model_with_armature", (how){s, DOWN, DOWN, 1, 0}, M, want, nv, nv);
    hml_model_free(m);
}

/* the masses again, as the ten numbers of each body */
static void check_parameters_again(subject *x, int s)
{
    const size_t nv = (size_t)x->nv;
    const double *q = x->q + (size_t)s * (size_t)x->nq, *v = x->v + (size_t)s * nv, *a = x->a + (size_t)s * nv;
    double *pi = room(x->g, 10 * (size_t)x->nb), *one = room(x->g, nv), *other = room(x->g, nv);
    hml_model *m = NULL;
    if (hml_model_parameters(x->model, pi) || hml_model_copy(x->model, &m)) return;
    hml_status status = hml_model_set_parameters(m, 0, x->nb, pi);
    note_status(x, KIND_status, "hml_model_set_parameters", s, status, HML_OK);
    hml_work *work = work_for(x, m);
    if (work && !hml_inverse_dynamics(m, work, q, v, a, wrenches_of(x, s), one) &&
        !hml_inverse_dynamics(x->model, x->work, q, v, a, wrenches_of(x, s), other))
        note(x, KIND_set_parameters, "hml_model_set_parameters", (how){s, DOWN, PLAIN, x->force[s], 0}, one, other, nv,
             1);
    hml_model_free(m);
}

/* a robot twice as long and thrice as heavy falls alike where gravity is twice as strong and angles are counted */
static void check_scaled(subject *x, int s)
{
    const size_t nv = (size_t)x->nv;
    const double *q = x->q + (size_t)s * (size_t)x->nq, *v = x->v + (size_t)s * nv;
    double gravity[3], *one = room(x->g, nv), *other = room(x->g, nv);
    hml_model *big = NULL;
    if (x->regular || hml_model_scale(x->model, 2, 3, &big)) return;
    hml_model_gravity(x->model, gravity);
    for (int k = 0; k < 3; k++) gravity[k] *= 2;
    hml_work *work = work_for(x, big);
    int turns_only = work != NULL && !hml_model_set_gravity(big, gravity);
    for (int32_t j = 0; j < hml_model_njoints(x->model); j++) {
        hml_joint_info info = {.struct_size = sizeof info};
        hml_model_joint(x->model, j, &info);
        const int turns = info.type == HML_JOINT_REVOLUTE || info.type == HML_JOINT_SPHERICAL ||
                          info.type == HML_JOINT_UNIVERSAL || info.type == HML_JOINT_HELICAL ||
                          info.type == HML_JOINT_FIXED;
        if (!turns) turns_only = 0;
    }
    if (turns_only && !hml_forward_dynamics(big, work, q, v, NULL, NULL, one) &&
        !hml_forward_dynamics(x->model, x->work, q, v, NULL, NULL, other))
        note(x, KIND_scaled, "hml_model_scale", (how){s, UP, PLAIN, x->force[s], 0}, one, other, nv, 1);
    hml_model_free(big);
}

void check_edited(subject *x)
{
    const int s = hml_rng_below(&x->rng, x->nstates);
    check_locked(x, s);
    check_appended(x, s);
    check_armature(x, s);
    check_parameters_again(x, s);
    check_scaled(x, s);
}
