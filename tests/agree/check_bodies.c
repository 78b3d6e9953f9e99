/* What bodies and joints carry: joint wrenches, momenta and their rates; and what is linear in the model's numbers. */
#include "agree.h"

/* plain forces of a motion, and what they are measured by */
typedef struct motion_of {
    int s;
    const double *q, *v, *a, *w;
    double *tau;
    void *scratch;
    how sums;
} motion_of;

static void check_joint_wrenches(subject *x, const motion_of *m)
{
    static const hml_representation forms[4] = {HML_LEFT, HML_MIXED, HML_SPLIT, HML_RIGHT};
    const size_t nv = (size_t)x->nv, nb = (size_t)x->nb;
    const double away = x->away[m->s], heavy = sqrt(hml_model_mass(x->model)) * x->force[m->s];
    double *forces = room(x->g, nv), *H = room(x->g, 16 * nb), ground[4][6], *W[4], *back = room(x->g, 6 * nb);
    if (hml_body_poses(x->model, x->work, m->q, H)) return;
    for (int k = 0; k < 4; k++) {
        hml_joint_loads loads = {.struct_size = sizeof loads, .forces = forces, .ground = ground[k]};
        loads.wrenches = W[k] = room(x->g, 6 * nb);
        hml_status status = hml_joint_wrenches(x->model, m->scratch, forms[k], m->q, m->v, m->a, m->w, &loads);
        note_status(x, KIND_status, "hml_joint_wrenches", m->s, status, HML_OK);
        if (status) return;
        if (!x->passive)
            note(x, k == 3 ? KIND_rnea_right : KIND_joint_forces, hml_representation_name(forms[k]), m->sums, forces,
                 m->tau, nv, 1);
        note(x, KIND_joint_wrenches, "ground", (how){m->s, PLAIN, PLAIN, heavy * away, 10}, ground[k], ground[0], 6, 1);
        for (size_t b = 0; b < nb; b++)
            if (hml_wrench_convert(H + 16 * b, forms[k], W[k] + 6 * b, HML_LEFT, back + 6 * b)) return;
        const double bound = heavy * (k == 3 ? away : 1);
        note(x, KIND_joint_wrenches, hml_representation_name(forms[k]), (how){m->s, PLAIN, PLAIN, bound, 10}, back,
             W[0], 6 * nb, 1);
    }
}

static void check_momenta(subject *x, const motion_of *m)
{
    const size_t nv = (size_t)x->nv, nb = (size_t)x->nb, columns = 10 * nb;
    const double far = x->away[m->s], speed = 1 + largest(nv, m->v), mass = hml_model_mass(x->model);
    double *P = room(x->g, 6 * nb), *rates = room(x->g, 6 * nb), *rates2 = room(x->g, 6 * nb), *one = room(x->g, nv);
    double sum[6] = {0}, momentum[6], *Y = room(x->g, 6 * columns), *pi = room(x->g, columns), energies[2], rows[2];
    double *K = room(x->g, columns), *U = room(x->g, columns);
    hml_dynamics_result d = {.struct_size = sizeof d, .momentum = momentum};
    if (hml_body_momenta(x->model, m->scratch, m->q, m->v, P) || summary_of(x, x->model, x->work, m->q, m->v, &d))
        return;
    for (size_t i = 0; i < 6 * nb; i++) sum[i % 6] += P[i];
    const how total = {m->s, PLAIN, PLAIN, mass * speed * far, 0};
    note(x, KIND_momenta, "hml_body_momenta", total, sum, momentum, 6, 1);
    if (!hml_model_parameters(x->model, pi) && !hml_momentum_regressor(x->model, m->scratch, m->q, m->v, Y)) {
        dense_apply(6, columns, Y, pi, sum);
        note(x, KIND_momenta, "hml_momentum_regressor", total, sum, momentum, 6, 1);
    }
    if (x->passive) return; /* armature moves, springs pull: no part of bodies */
    if (!hml_energy_regressor(x->model, m->scratch, m->q, m->v, K, U)) {
        dense_apply(1, columns, K, pi, &rows[0]), dense_apply(1, columns, U, pi, &rows[1]);
        energies[0] = d.kinetic_energy, energies[1] = d.potential_energy;
        note(x, KIND_energies, "kinetic", (how){m->s, PLAIN, PLAIN, 1e-6, 0}, rows, energies, 1, 1);
        note(x, KIND_energies, "potential", (how){m->s, PLAIN, PLAIN, 9.81 * mass * far, 0}, rows + 1, energies + 1, 1,
             1);
    }
    if (!hml_body_momentum_rates(x->model, m->scratch, m->q, m->v, m->a, rates) &&
        !hml_momentum_forces(x->model, m->scratch, m->q, rates, m->w, one))
        note(x, KIND_momentum_forces, "hml_momentum_forces", m->sums, one, m->tau, nv, 1);
    if (x->regular || far > 1e3) return; /* about the origin a velocity far away is lost in what it is multiplied by */
    const double worst = 1 + x->cond[m->s] * far * far;
    if (!hml_momentum_velocities(x->model, m->scratch, m->q, P, one))
        note(x, KIND_momentum_velocities, "hml_momentum_velocities", (how){m->s, UP, PLAIN, speed, worst}, one, m->v,
             nv, 1);
    const double *tau = x->tau + (size_t)m->s * nv;
    double *a = room(x->g, nv);
    if (forward(x, m->q, m->v, tau, m->s, a) ||
        hml_momentum_dynamics(x->model, m->scratch, m->q, P, tau, m->w, one, rates) ||
        hml_body_momentum_rates(x->model, m->scratch, m->q, m->v, a, rates2))
        return;
    note(x, KIND_momentum_velocities, "hml_momentum_dynamics", (how){m->s, UP, PLAIN, speed, worst}, one, m->v, nv, 1);
    const double strong = far * far * (sqrt(mass) * x->force[m->s] + mass * (speed * speed + largest(nv, a)));
    note(x, KIND_momentum_velocities, "hml_momentum_dynamics, rates", (how){m->s, PLAIN, PLAIN, strong, worst}, rates,
         rates2, 6 * nb, 1);
}

/* coordinates' armature, damping and stiffness, in the order of v: no followers here */
static void passive_numbers(const subject *x, double *armature, double *damping, double *stiffness)
{
    for (int32_t j = 0; j < hml_model_njoints(x->model); j++) {
        hml_joint_info info = {.struct_size = sizeof info};
        hml_model_joint(x->model, j, &info);
        for (int32_t k = 0; k < info.nv; k++) {
            armature[info.v + k] = info.armature[k], damping[info.v + k] = info.damping[k];
            stiffness[info.v + k] = info.stiffness[k];
        }
    }
}

/* forces are linear in masses, armature, damping and stiffness: their derivatives times those numbers are the forces */
static void check_parameter_derivatives(subject *x, const motion_of *m)
{
    const size_t nv = (size_t)x->nv, columns = 10 * (size_t)x->nb;
    double *scratch = room(x->g, hml_parameters_scratch_doubles(x->model)), *pi = room(x->g, columns);
    double *p[3] = {room(x->g, nv), room(x->g, nv), room(x->g, nv)}, *D[3], *sum = room(x->g, nv),
           *one = room(x->g, nv);
    double *plain = room(x->g, nv), *Y = room(x->g, nv * columns);
    for (int k = 0; k < 3; k++) D[k] = room(x->g, nv * nv);
    hml_parameter_derivatives d = {.struct_size = sizeof d, .inertia = room(x->g, nv * columns)};
    d.gravity = room(x->g, nv * 3), d.armature = D[0], d.damping = D[1], d.stiffness = D[2];
    hml_status status = hml_inverse_dynamics_parameters(x->model, x->work, m->q, m->v, m->a, m->w, scratch, &d);
    note_status(x, KIND_status, "hml_inverse_dynamics_parameters", m->s, status, HML_OK);
    if (status || hml_model_parameters(x->model, pi) ||
        hml_inverse_dynamics(x->model, x->work, m->q, m->v, m->a, NULL, plain))
        return;
    passive_numbers(x, p[0], p[1], p[2]);
    dense_apply(nv, columns, d.inertia, pi, sum);
    for (int k = 0; k < 3; k++) {
        dense_apply(nv, nv, D[k], p[k], one);
        for (size_t i = 0; i < nv; i++) sum[i] += one[i];
    }
    note(x, KIND_linear, "hml_inverse_dynamics_parameters", m->sums, sum, plain, nv, 1);
    if (!hml_regressor(x->model, m->scratch, m->q, m->v, m->a, Y)) {
        dense_apply(nv, columns, Y, pi, sum), dense_apply(nv, columns, d.inertia, pi, one);
        note(x, KIND_linear, "hml_regressor", m->sums, sum, one, nv, 1);
    }
    if (x->regular) return;
    /* at the acceleration that the forces make, both ways */
    double *a = room(x->g, nv), *mine = room(x->g, nv * 3);
    const double *tau = x->tau + (size_t)m->s * nv, force = x->force[m->s];
    hml_parameter_derivatives g = {.struct_size = sizeof g, .gravity = d.gravity, .armature = D[0]};
    hml_parameter_derivatives f = {.struct_size = sizeof f, .gravity = room(x->g, nv * 3), .armature = D[1]};
    if (forward(x, m->q, m->v, tau, m->s, a) ||
        hml_inverse_dynamics_parameters(x->model, x->work, m->q, m->v, a, m->w, scratch, &g) ||
        hml_forward_dynamics_parameters(x->model, x->work, m->q, m->v, tau, m->w, scratch, &f))
        return;
    dense_multiply(nv, nv, 3, x->Minv + (size_t)m->s * nv * nv, g.gravity, mine);
    for (size_t i = 0; i < 3 * nv; i++) mine[i] = -mine[i];
    const how solved = {m->s, UP, PLAIN, force + 1, 0};
    note(x, KIND_forward_parameters, "gravity", solved, f.gravity, mine, nv, 3);
    dense_multiply(nv, nv, nv, x->Minv + (size_t)m->s * nv * nv, D[0], D[2]);
    for (size_t i = 0; i < nv * nv; i++) D[2][i] = -D[2][i];
    note(x, KIND_forward_parameters, "armature", solved, D[1], D[2], nv, nv);
}

/* τ, and its rate along q ⊕ (t ν + …), from the accelerations' derivatives */
static void check_force_rates(subject *x, const motion_of *m)
{
    const size_t nv = (size_t)x->nv;
    double *tau = room(x->g, nv), *zero = room(x->g, nv), *one = room(x->g, nv);
    for (size_t i = 0; i < nv; i++) zero[i] = 0;
    if (hml_force_rates(x->model, m->scratch, m->q, m->v, m->a, zero, zero, NULL, tau, NULL, NULL) ||
        hml_inverse_dynamics(x->model, x->work, m->q, m->v, m->a, NULL, one))
        return;
    note(x, KIND_force_rates, "hml_force_rates", m->sums, tau, one, nv, 1);
}

void check_bodies(subject *x)
{
    const size_t nv = (size_t)x->nv, size = hml_recursive_size(x->model);
    const int s = hml_rng_below(&x->rng, x->nstates);
    if (size == 0) return; /* followers */
    motion_of m = {.s = s, .q = x->q + (size_t)s * (size_t)x->nq, .v = x->v + (size_t)s * nv, .tau = room(x->g, nv)};
    m.a = x->a + (size_t)s * nv, m.w = wrenches_of(x, s), m.scratch = room_bytes(x->g, size, sizeof(double));
    m.sums = (how){s, DOWN, PLAIN, x->force[s], 0};
    if (hml_inverse_dynamics(x->model, x->work, m.q, m.v, m.a, m.w, m.tau)) return;
    check_joint_wrenches(x, &m);
    check_momenta(x, &m);
    check_parameter_derivatives(x, &m);
    check_force_rates(x, &m);
}
