/* Representations of the base's velocity, and perturbations on the other side: there, and back again. */
#include "agree.h"

typedef struct turned {
    subject *x;
    int state;
    hml_representation as;
    const double *q, *v, *a, *tau, *zq, *zv, *v_rep;
    double *q_t, *v_t, *v_left;
    int bent;
} turned;

/* bent: ν_rep along the motion; else the rates (ν, d/dt ν_rep) at q ⊕ t zq and ν_rep + t zv, both held in the frame */
static int rates(void *context, double t, double *out)
{
    turned *p = context;
    subject *x = p->x;
    const int nv = x->nv;
    for (int i = 0; i < nv; i++) p->v_t[i] = p->bent ? t * p->v[i] + 0.5 * t * t * p->a[i] : t * p->zq[i];
    if (hml_configuration_integrate(x->model, p->q, p->v_t, p->q_t)) return 0;
    for (int i = 0; i < nv; i++) p->v_t[i] = p->bent ? p->v[i] + t * p->a[i] : p->v_rep[i] + t * p->zv[i];
    if (p->bent) return !hml_velocity_to_representation(x->model, p->as, p->q_t, p->v_t, out);
    double *a = room(x->g, (size_t)nv);
    return !hml_velocity_from_representation(x->model, p->as, p->q_t, p->v_t, p->v_left) &&
           !forward(x, p->q_t, p->v_left, p->tau, p->state, a) &&
           !hml_acceleration_to_representation(x->model, p->as, p->q_t, p->v_left, a, out);
}

static double dot(size_t n, const double *x, const double *y)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

static void check_converted(subject *x, turned *p, const single *l)
{
    const size_t nv = (size_t)x->nv, n = 2 * nv;
    const int s = p->state;
    const double far = p->as == HML_RIGHT ? x->away[s] : 1, speed = 1 + largest(nv, p->v);
    double *A = room(x->g, n * n), *B = room(x->g, n * nv), *zq = room(x->g, nv), *zv = room(x->g, nv);
    double *z = room(x->g, n), *one = room(x->g, n), *other = room(x->g, nv), *rep = room(x->g, nv);
    hml_linearization all = {.struct_size = sizeof all, .q.data = p->q, .v.data = p->v, .tau.data = p->tau};
    all.wrenches.data = wrenches_of(x, s), all.A.data = A, all.B.data = B;
    if (hml_linearize(x->model, x->work, &all)) return;
    if (hml_linearization_to_representation(x->model, p->as, p->q, p->v, l->a, x->nv, A, B)) return;
    draw_direction(&x->rng, nv, zq), draw_direction(&x->rng, nv, zv);
    for (size_t i = 0; i < nv; i++) z[i] = zq[i], z[nv + i] = zv[i];
    dense_apply(n, n, A, z, one);
    if (hml_velocity_to_representation(x->model, p->as, p->q, p->v, rep)) return;
    p->zq = zq, p->zv = zv, p->bent = 0, p->v_rep = rep;
    double strong = largest(nv, l->a) + x->force[s] / fmax(1e-3, x->s[(size_t)s * nv]) + speed * speed;
    if (difference(x->g, rates, p, 1e-3, nv, other))
        note(x, KIND_representation_A, hml_representation_name(p->as), (how){s, PLAIN, PLAIN, strong * far, 0},
             one + nv, other, nv, 1);
}

/* ---- there and back ---- */

static double *copy_of(subject *x, const double *given, size_t n)
{
    double *out = room(x->g, n);
    memcpy(out, given, n * sizeof *out);
    return out;
}

static void note_back(subject *x, const char *call, int s, double size, const double *one, const double *other,
                      size_t n)
{
    note(x, KIND_representation_back, call, (how){s, PLAIN, PLAIN, fmax(size, largest(n, other)), 10}, one, other, n,
         1);
}

/* A and B left against what comes back from another representation, and from perturbations on the other side */
static void check_linearization_back(subject *x, const turned *p, const single *l)
{
    const size_t nv = (size_t)x->nv, n = 2 * nv;
    const int s = p->state;
    double *A = room(x->g, n * n), *B = room(x->g, n * nv);
    hml_linearization all = {.struct_size = sizeof all, .q.data = p->q, .v.data = p->v, .tau.data = p->tau};
    all.wrenches.data = wrenches_of(x, s), all.A.data = A, all.B.data = B;
    if (hml_linearize(x->model, x->work, &all)) return;
    double *A2 = copy_of(x, A, n * n), *B2 = copy_of(x, B, n * nv);
    const double far = p->as == HML_RIGHT ? x->away[s] : 1, speed = 1 + largest(nv, p->v);
    const double size = far * (speed * speed + largest(n * n, A) + largest(nv, l->a));
    if (!hml_linearization_to_representation(x->model, p->as, p->q, p->v, l->a, x->nv, A2, B2) &&
        !hml_linearization_from_representation(x->model, p->as, p->q, p->v, l->a, x->nv, A2, B2)) {
        note_back(x, "hml_linearization_from_representation, A", s, size, A2, A, n * n);
        note_back(x, "hml_linearization_from_representation, B", s, far, B2, B, n * nv);
    }
}

/* M and h, C and dM/dt, accelerations and Jacobians */
static void check_dynamics_back(subject *x, const turned *p)
{
    const size_t nv = (size_t)x->nv, size = hml_recursive_size(x->model);
    const int s = p->state;
    const double *M0 = x->M + (size_t)s * nv * nv, far = p->as == HML_RIGHT ? x->away[s] : 1;
    const double speed = 1 + largest(nv, p->v), heavy = far * far * largest(nv * nv, M0);
    double *M = copy_of(x, M0, nv * nv), *h = copy_of(x, p->tau, nv), *a = copy_of(x, p->a, nv);
    if (!hml_dynamics_to_representation(x->model, p->as, p->q, p->v, M, h) &&
        !hml_dynamics_from_representation(x->model, p->as, p->q, p->v, M, h)) {
        note_back(x, "hml_dynamics_from_representation, M", s, heavy, M, M0, nv * nv);
        note_back(x, "hml_dynamics_from_representation, h", s, heavy * speed * speed, h, p->tau, nv);
    }
    if (!hml_acceleration_to_representation(x->model, p->as, p->q, p->v, a, a) &&
        !hml_acceleration_from_representation(x->model, p->as, p->q, p->v, a, a))
        note_back(x, "hml_acceleration_from_representation", s, far * speed * speed, a, p->a, nv);

    double *C = room(x->g, nv * nv), *Mdot = room(x->g, nv * nv), *zero = room(x->g, nv);
    for (size_t i = 0; i < nv; i++) zero[i] = 0;
    if (size && !hml_coriolis_matrix(x->model, room_bytes(x->g, size, sizeof(double)), p->q, p->v, C, Mdot)) {
        double *C2 = copy_of(x, C, nv * nv), *Mdot2 = copy_of(x, Mdot, nv * nv);
        memcpy(M, M0, nv * nv * sizeof *M);
        if (!hml_coriolis_to_representation(x->model, p->as, p->q, p->v, M, C2, Mdot2) &&
            !hml_dynamics_to_representation(x->model, p->as, p->q, p->v, M, zero) &&
            !hml_coriolis_from_representation(x->model, p->as, p->q, p->v, M, C2, Mdot2)) {
            note_back(x, "hml_coriolis_from_representation, C", s, heavy * speed, C2, C, nv * nv);
            note_back(x, "hml_coriolis_from_representation, dM/dt", s, heavy * speed, Mdot2, Mdot, nv * nv);
        }
    }
    double *J = room(x->g, 6 * nv), *Jdot = room(x->g, 6 * nv);
    hml_frame_motion m = {.struct_size = sizeof m, .J = J, .Jdot = Jdot};
    if (hml_frame(x->model, x->work, hml_rng_below(&x->rng, hml_model_nframes(x->model)), HML_MIXED, p->q, p->v, NULL,
                  &m))
        return;
    double *J2 = copy_of(x, J, 6 * nv), *Jdot2 = copy_of(x, Jdot, 6 * nv);
    if (!hml_jacobian_to_representation(x->model, p->as, p->q, p->v, 6, J2, Jdot2) &&
        !hml_jacobian_from_representation(x->model, p->as, p->q, p->v, 6, J2, Jdot2)) {
        note_back(x, "hml_jacobian_from_representation, J", s, far, J2, J, 6 * nv);
        note_back(x, "hml_jacobian_from_representation, dJ/dt", s, far * speed, Jdot2, Jdot, 6 * nv);
    }
}

/* ---- perturbations on the other side ---- */

static int accelerations_global(void *context, double t, double *out)
{
    turned *p = context;
    for (int i = 0; i < p->x->nv; i++) p->v_t[i] = t * p->zq[i];
    return !hml_configuration_integrate_global(p->x->model, p->q, p->v_t, p->q_t) &&
           !forward(p->x, p->q_t, p->v, p->tau, p->state, out);
}

static void check_global(subject *x, turned *p, const single *l)
{
    const size_t nv = (size_t)x->nv, n = 2 * nv;
    const int s = p->state;
    const double far = x->away[s], size = far * x->force[s];
    double *D = copy_of(x, l->Dq, nv * nv), *Ad = room(x->g, nv * nv), *inverse = room(x->g, nv * nv);
    double *A = room(x->g, n * n), *B = room(x->g, n * nv), *z = room(x->g, nv), *one = room(x->g, nv);
    double *other = room(x->g, nv), *lower = room(x->g, nv * nv), *upper = room(x->g, nv * nv);
    hml_linearization all = {.struct_size = sizeof all, .q.data = p->q, .v.data = p->v, .tau.data = p->tau};
    all.wrenches.data = wrenches_of(x, s), all.A.data = A, all.B.data = B;
    if (hml_linearize(x->model, x->work, &all) || hml_configuration_adjoint(x->model, p->q, Ad, inverse)) return;
    double *A2 = copy_of(x, A, n * n), *B2 = copy_of(x, B, n * nv);
    if (hml_gradient_to_global(x->model, p->q, x->nv, D) ||
        hml_linearization_to_global(x->model, p->q, p->v, x->nv, A2, B2))
        return;
    for (size_t i = 0; i < nv * nv; i++) {
        lower[i] = A2[(nv + i / nv) * n + i % nv];
        upper[i] = A2[i / nv * n + nv + i % nv];
    }
    const how solved = {s, UP, PLAIN, size, 10};
    note(x, KIND_global, "hml_linearization_to_global, D_q", solved, lower, D, nv, nv);
    note(x, KIND_global, "hml_linearization_to_global, Ad", (how){s, PLAIN, PLAIN, far, 10}, upper, Ad, nv, nv);
    dense_multiply(nv, nv, nv, l->Dq, inverse, lower);
    note(x, KIND_global, "hml_gradient_to_global", solved, D, lower, nv, nv);
    draw_direction(&x->rng, nv, z);
    dense_apply(nv, nv, D, z, one);
    p->zq = z;
    if (far < 1e3 && difference(x->g, accelerations_global, p, 1e-3, nv, other))
        note(x, KIND_global_difference, "hml_gradient_to_global", (how){s, UP, PLAIN, size, 0}, one, other, nv, 1);
    if (!hml_linearization_from_global(x->model, p->q, p->v, x->nv, A2, B2)) {
        const double speed = 1 + largest(nv, p->v);
        note_back(x, "hml_linearization_from_global, A", s, far * (speed + largest(n * n, A)), A2, A, n * n);
        note_back(x, "hml_linearization_from_global, B", s, far, B2, B, n * nv);
    }
}

void check_representations(subject *x)
{
    const size_t nv = (size_t)x->nv;
    if (x->regular) return;
    const int s = hml_rng_below(&x->rng, x->nstates);
    turned p = {.x = x, .state = s, .q = x->q + (size_t)s * (size_t)x->nq, .v = x->v + (size_t)s * nv};
    p.a = x->a + (size_t)s * nv, p.tau = x->tau + (size_t)s * nv;
    p.q_t = room(x->g, (size_t)x->nq), p.v_t = room(x->g, nv), p.v_left = room(x->g, nv);
    const double speed = 1 + largest(nv, p.v), away = x->away[s];
    double *v = room(x->g, nv), *tau = room(x->g, nv), *back = room(x->g, nv), *a = room(x->g, nv);
    double *M = room(x->g, nv * nv), *h = room(x->g, nv), *zero = room(x->g, nv), *given = room(x->g, nv);
    for (size_t i = 0; i < nv; i++) zero[i] = 0;
    single l = single_new(x);
    if (single_linearize(x, x->work, s, &l)) return;
    for (int k = 0; k < 4; k++) {
        p.as = (hml_representation)k;
        const char *as = hml_representation_name(p.as);
        const double far = k == HML_RIGHT ? away : 1;
        if (hml_velocity_to_representation(x->model, p.as, p.q, p.v, v) ||
            hml_force_to_representation(x->model, p.as, p.q, p.tau, tau))
            continue;
        if (!hml_velocity_from_representation(x->model, p.as, p.q, v, back))
            note(x, KIND_representation_v, as, (how){s, PLAIN, PLAIN, speed, 0}, back, p.v, nv, 1);
        if (!hml_force_from_representation(x->model, p.as, p.q, tau, back))
            note(x, KIND_representation_v, as, (how){s, PLAIN, PLAIN, 1, 0}, back, p.tau, nv, 1);
        const double one = dot(nv, tau, v), other = dot(nv, p.tau, p.v), size = speed * largest(nv, p.tau) * (double)nv;
        note(x, KIND_representation_power, as, (how){s, PLAIN, PLAIN, size, 0}, &one, &other, 1, 1);
        p.bent = 1;
        if (hml_acceleration_to_representation(x->model, p.as, p.q, p.v, p.a, a)) continue;
        const double bend = (speed * speed + largest(nv, p.a)) * far;
        if (difference(x->g, rates, &p, 1e-3 / speed, nv, back))
            note(x, KIND_representation_a, as, (how){s, PLAIN, PLAIN, bend, 0}, a, back, nv, 1);
        /* M_rep a_rep + h_rep is the force of that motion, there */
        memcpy(M, x->M + (size_t)s * nv * nv, nv * nv * sizeof *M);
        if (hml_inverse_dynamics(x->model, x->work, p.q, p.v, zero, wrenches_of(x, s), h) ||
            hml_inverse_dynamics(x->model, x->work, p.q, p.v, p.a, wrenches_of(x, s), given) ||
            hml_dynamics_to_representation(x->model, p.as, p.q, p.v, M, h) ||
            hml_force_to_representation(x->model, p.as, p.q, given, given))
            continue;
        dense_apply(nv, nv, M, a, back);
        for (size_t i = 0; i < nv; i++) back[i] += h[i];
        const double force = hml_model_mass(x->model) * bend * far + largest(nv, given);
        note(x, KIND_representation_M, as, (how){s, PLAIN, PLAIN, force, 0}, back, given, nv, 1);
        check_converted(x, &p, &l);
        check_linearization_back(x, &p, &l);
        check_dynamics_back(x, &p);
    }
    check_global(x, &p, &l);
}
