/* What frames do: twists, accelerations, Jacobians of every kind and their derivatives. */
#include "agree.h"

typedef struct view {
    subject *x;
    int32_t frame;
    hml_representation as;
    const double *q, *v, *a, *zq, *zv;
    double *q_t, *v_t;
    int what; /* 0: J, 1: twist, 2: acceleration, 3: pose */
    int bent; /* 1: along the motion q ⊕ (t v + ½ t² a), v + t a; 0: along zq, zv */
} view;

static int seen(void *context, double t, double *out)
{
    view *w = context;
    subject *x = w->x;
    hml_frame_motion m = {.struct_size = sizeof m};
    for (int i = 0; i < x->nv; i++)
        w->v_t[i] = w->bent ? t * w->v[i] + 0.5 * t * t * w->a[i] : w->zq ? t * w->zq[i] : 0;
    if (hml_configuration_integrate(x->model, w->q, w->v_t, w->q_t)) return 0;
    for (int i = 0; i < x->nv; i++) w->v_t[i] = w->v[i] + (w->bent ? t * w->a[i] : w->zv ? t * w->zv[i] : 0);
    if (w->what == 0) m.J = out;
    if (w->what == 1) m.twist = out;
    if (w->what == 2) m.acceleration = out;
    if (w->what == 3) m.pose = out;
    return !hml_frame(x->model, x->work, w->frame, w->as, w->q_t, w->v_t, w->a, &m);
}

/* H⁻¹Ḣ, ḢH⁻¹, or what the representation makes of them */
static void twist_of(const double H[16], const double D[16], hml_representation as, double V[6])
{
    double W[9], B[9];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            W[3 * i + j] = D[4 * i] * H[4 * j] + D[4 * i + 1] * H[4 * j + 1] + D[4 * i + 2] * H[4 * j + 2];
            B[3 * i + j] = H[i] * D[j] + H[4 + i] * D[4 + j] + H[8 + i] * D[8 + j];
        }
    }
    const double world[3] = {W[7], W[2], W[3]}, body[3] = {B[7], B[2], B[3]};
    const double *omega = as == HML_LEFT || as == HML_SPLIT ? body : world;
    for (int i = 0; i < 3; i++) {
        V[i] = D[4 * i + 3];
        V[3 + i] = omega[i];
        if (as == HML_LEFT) V[i] = H[i] * D[3] + H[4 + i] * D[7] + H[8 + i] * D[11];
    }
    if (as != HML_RIGHT) return;
    const double o[3] = {H[3], H[7], H[11]};
    for (int i = 0; i < 3; i++) V[i] -= world[(i + 1) % 3] * o[(i + 2) % 3] - world[(i + 2) % 3] * o[(i + 1) % 3];
}

typedef struct frame_data {
    double H[16], *J, *Jdot, twist[6], acceleration[6];
    double turning, size; /* sizes of what its numbers are made of: rates, and twists and accelerations */
} frame_data;

static void check_differences(subject *x, const view *given, int s, const frame_data *f, double scale)
{
    const size_t nv = (size_t)x->nv;
    view w = *given;
    double *z = room(x->g, nv), *one = room(x->g, 6 * nv), *other = room(x->g, 6 * nv), D[16], V[6];
    const char *as = hml_representation_name(w.as);
    draw_direction(&x->rng, nv, z);
    const how here = {s, PLAIN, PLAIN, scale, 0};

    w.what = 3, w.zq = z;
    if (difference(x->g, seen, &w, 1e-3, 16, D)) {
        twist_of(f->H, D, w.as, V);
        dense_apply(6, nv, f->J, z, one);
        note(x, KIND_jacobian_pose, as, here, one, V, 6, 1);
    }
    w.what = 0, w.bent = 1;
    const double rate = 1 + largest(nv, w.v);
    if (difference(x->g, seen, &w, 1e-3 / rate, 6 * nv, other))
        note(x, KIND_frame_Jdot, as, (how){s, PLAIN, PLAIN, scale * f->turning, 0}, f->Jdot, other, 6, nv);
    w.bent = 0;
    double *P[5] = {0};
    for (int k = 0; k < 5; k++) P[k] = room(x->g, 6 * nv);
    hml_frame_derivative d = {.struct_size = sizeof d, .twist_q = P[0], .acceleration_q = P[1]};
    d.acceleration_v = P[2], d.twist_v = P[3], d.acceleration_a = P[4];
    if (hml_frame_derivatives(x->model, x->work, w.frame, w.as, w.q, w.v, w.a, &d)) return;
    note(x, KIND_frame_twist, "hml_frame_derivatives", here, P[3], f->J, 6, nv);
    note(x, KIND_frame_twist, "hml_frame_derivatives", here, P[4], f->J, 6, nv);
    for (int k = 0; k < 3; k++) {
        static const char *const names[3] = {"twist_q", "acceleration_q", "acceleration_v"};
        w.what = k ? 2 : 1, w.zq = k < 2 ? z : NULL, w.zv = k < 2 ? NULL : z;
        dense_apply(6, nv, P[k], z, one);
        if (difference(x->g, seen, &w, 1e-3, 6, other))
            note(x, KIND_frame_derivatives, names[k], (how){s, PLAIN, PLAIN, scale * f->size, 0}, one, other, 6, 1);
    }
}

static void check_products(subject *x, const view *w, int s, const frame_data *f, double scale)
{
    const size_t nv = (size_t)x->nv;
    const char *as = hml_representation_name(w->as);
    double one[6], more[6], *sum = room(x->g, 6 * nv);
    const how fast = {s, PLAIN, PLAIN, scale * f->size, 0};
    dense_apply(6, nv, f->J, w->v, one);
    note(x, KIND_frame_twist, as, fast, one, f->twist, 6, 1);
    dense_apply(6, nv, f->J, w->a, one), dense_apply(6, nv, f->Jdot, w->v, more);
    for (int i = 0; i < 6; i++) one[i] += more[i];
    note(x, KIND_frame_acceleration, as, fast, one, f->acceleration, 6, 1);

    const size_t count = (size_t)hml_model_nframes(x->model);
    double *H = room(x->g, 16 * count), *V = room(x->g, 6 * count), *A = room(x->g, 6 * count);
    if (!hml_frame_motions(x->model, x->work, (int32_t)count, w->as, w->q, w->v, w->a, H, V, A)) {
        note(x, KIND_frame_twist, "hml_frame_motions", fast, V + 6 * w->frame, f->twist, 6, 1);
        note(x, KIND_frame_acceleration, "hml_frame_motions", fast, A + 6 * w->frame, f->acceleration, 6, 1);
        note(x, KIND_poses_frames, "hml_frame_motions", (how){s, PLAIN, PLAIN, x->away[s], 0}, H + 16 * w->frame, f->H,
             16, 1);
    }
    if (nv <= 30) {
        double *hessian = room(x->g, nv * 6 * nv);
        if (!hml_frame_hessian(x->model, x->work, w->frame, w->as, HML_LEFT, w->q, hessian)) {
            for (size_t i = 0; i < 6 * nv; i++) {
                sum[i] = 0;
                for (size_t k = 0; k < nv; k++) sum[i] += hessian[k * 6 * nv + i] * w->v[k];
            }
            note(x, KIND_frame_hessian, as, (how){s, PLAIN, PLAIN, scale * f->turning, 0}, sum, f->Jdot, 6, nv);
        }
    }
    double *rates = room(x->g, 2 * nv), twists[12], *J2 = room(x->g, 12 * nv);
    memcpy(rates, w->v, nv * sizeof *rates), memcpy(rates + nv, w->a, nv * sizeof *rates);
    if (!hml_frame_series(x->model, x->work, w->frame, HML_WORLD, w->as, 1, w->q, rates, twists, J2)) {
        note(x, KIND_frame_series, as, fast, twists, f->twist, 6, 1);
        note(x, KIND_frame_series, as, fast, twists + 6, f->acceleration, 6, 1);
        note(x, KIND_frame_series, as, (how){s, PLAIN, PLAIN, scale, 0}, J2, f->J, 6, nv);
        note(x, KIND_frame_series, as, (how){s, PLAIN, PLAIN, scale * f->turning, 0}, J2 + 6 * nv, f->Jdot, 6, nv);
    }
}

/* the frame seen from another: H_ref⁻¹ H, and the difference of twists in the frame's axes */
static void check_relative(subject *x, const view *w, int s)
{
    const size_t nv = (size_t)x->nv;
    const int32_t other = hml_rng_below(&x->rng, hml_model_nframes(x->model));
    double H[3][16], twist[3][6], *J[3] = {room(x->g, 6 * nv), room(x->g, 6 * nv), room(x->g, 6 * nv)};
    for (int k = 0; k < 3; k++) {
        hml_frame_motion m = {.struct_size = sizeof m, .pose = H[k], .J = J[k], .twist = twist[k]};
        hml_status status =
            k < 2 ? hml_frame(x->model, x->work, k ? other : w->frame, HML_LEFT, w->q, w->v, NULL, &m)
                  : hml_frame_relative(x->model, x->work, w->frame, other, HML_LEFT, w->q, w->v, NULL, &m);
        note_status(x, KIND_status, "hml_frame_relative", s, status, HML_OK);
        if (status) return;
    }
    double back[16], move[16], want[6];
    if (hml_se3_inverse(H[1], back) || hml_se3_compose(back, H[0], move)) return;
    note(x, KIND_frame_relative, "pose", (how){s, PLAIN, PLAIN, x->away[s], 0}, H[2], move, 16, 1);
    if (hml_se3_inverse(move, back)) return;
    if (hml_twist_transform(back, twist[1], want)) return;
    for (int i = 0; i < 6; i++) want[i] = twist[0][i] - want[i];
    const double reach = 1 + largest(16, move);
    note(x, KIND_frame_relative, "twist",
         (how){s, PLAIN, PLAIN, reach * (1e-9 + largest(6, twist[0]) + largest(6, twist[1])), 0}, twist[2], want, 6, 1);
    dense_apply(6, nv, J[2], w->v, want);
    note(x, KIND_frame_relative, "J",
         (how){s, PLAIN, PLAIN, reach * (1e-9 + largest(6, twist[0]) + largest(6, twist[1])), 0}, want, twist[2], 6, 1);
}

/* the origin of a frame as a point; a wrench at a frame as forces at the joints */
static void check_point(subject *x, const view *w, int s)
{
    const size_t nv = (size_t)x->nv, nb = (size_t)x->nb;
    static const double origin[3] = {0, 0, 0};
    double p[3], velocity[3], *J = room(x->g, 3 * nv), *mixed = room(x->g, 6 * nv), twist[6], H[16];
    hml_point_motion m = {.struct_size = sizeof m, .position = p, .J = J, .velocity = velocity};
    hml_frame_motion f = {.struct_size = sizeof f, .pose = H, .J = mixed, .twist = twist};
    if (hml_point(x->model, x->work, w->frame, origin, w->q, w->v, NULL, &m) ||
        hml_frame(x->model, x->work, w->frame, HML_MIXED, w->q, w->v, NULL, &f))
        return;
    const double at[3] = {H[3], H[7], H[11]}, speed = 1 + largest(nv, w->v);
    note(x, KIND_point, "position", (how){s, PLAIN, PLAIN, x->away[s], 0}, p, at, 3, 1);
    note(x, KIND_point, "velocity", (how){s, PLAIN, PLAIN, speed, 0}, velocity, twist, 3, 1);
    note(x, KIND_point, "J", (how){s, PLAIN, PLAIN, 1, 0}, J, mixed, 3, nv);

    double *wrenches = room(x->g, 6 * nb), *zero = room(x->g, nv), *with = room(x->g, nv), *without = room(x->g, nv);
    double force[6], *want = room(x->g, nv);
    for (size_t i = 0; i < 6 * nb; i++) wrenches[i] = 0;
    for (size_t i = 0; i < nv; i++) zero[i] = 0;
    for (int i = 0; i < 6; i++) force[i] = hml_rng_uniform(&x->rng, -1, 1);
    hml_status status = hml_wrench_add(x->model, x->work, w->q, w->frame, 1, force, wrenches);
    note_status(x, KIND_status, "hml_wrench_add", s, status, HML_OK);
    if (hml_inverse_dynamics(x->model, x->work, w->q, zero, zero, wrenches, with) ||
        hml_inverse_dynamics(x->model, x->work, w->q, zero, zero, NULL, without))
        return;
    dense_apply_transposed(6, nv, mixed, force, want);
    for (size_t i = 0; i < nv; i++) with[i] = without[i] - with[i];
    note(x, KIND_wrench, "hml_wrench_add", (how){s, DOWN, PLAIN, x->force[s], 0}, with, want, nv, 1);
}

/* any expression frame, any representation of the base: the same motion */
static void check_kinds(subject *x, const view *w, int s)
{
    const size_t nv = (size_t)x->nv;
    double *J = room(x->g, 6 * nv), *want = room(x->g, 6 * nv);
    const struct {
        hml_axes axes;
        hml_representation as;
    } pairs[2] = {{HML_AXES_OF_FRAME, HML_LEFT}, {HML_AXES_OF_WORLD, HML_MIXED}};
    for (int k = 0; k < 2; k++) {
        hml_frame_motion f = {.struct_size = sizeof f, .J = want};
        if (hml_frame(x->model, x->work, w->frame, pairs[k].as, w->q, NULL, NULL, &f)) return;
        if (!hml_jacobian(x->model, x->work, w->frame, w->frame, pairs[k].axes, HML_LEFT, w->q, NULL, J, NULL))
            note(x, KIND_jacobian_kinds, "hml_jacobian", (how){s, PLAIN, PLAIN, 1, 0}, J, want, 6, nv);
        if (k == 0 && !hml_jacobian_doubly_left(x->model, x->work, w->frame, w->q, J))
            note(x, KIND_jacobian_kinds, "hml_jacobian_doubly_left", (how){s, PLAIN, PLAIN, 1, 0}, J, want, 6, nv);
        if (k == 1 && !hml_jacobian_to_representation(x->model, HML_MIXED, w->q, w->v, 6, want, NULL) &&
            !hml_jacobian_doubly_mixed(x->model, x->work, w->frame, w->q, J))
            note(x, KIND_jacobian_kinds, "hml_jacobian_doubly_mixed", (how){s, PLAIN, PLAIN, 1, 0}, J, want, 6, nv);
    }
}

/* all bodies at once, and the coordinates back from the bodies' motion */
static void check_system(subject *x, const view *w, int s)
{
    const size_t nv = (size_t)x->nv, nb = (size_t)x->nb;
    double *H = room(x->g, 16 * nb), *V = room(x->g, 6 * nb), *A = room(x->g, 6 * nb), *back = room(x->g, nv);
    double *J = room(x->g, 6 * nb * nv), *twists = room(x->g, 6 * nb);
    if (hml_frame_motions(x->model, x->work, x->nb, HML_LEFT, w->q, w->v, w->a, H, V, A)) return;
    const double speed = 1 + largest(6 * nb, V), strong = 1 + largest(6 * nb, A) + speed * speed;
    if (!hml_joint_velocities(x->model, x->work, HML_LEFT, w->q, V, back))
        note(x, KIND_joint_velocities, "hml_joint_velocities", (how){s, PLAIN, PLAIN, speed, 0}, back, w->v, nv, 1);
    if (!hml_joint_accelerations(x->model, x->work, HML_LEFT, w->q, V, A, back))
        note(x, KIND_joint_velocities, "hml_joint_accelerations", (how){s, PLAIN, PLAIN, strong, 0}, back, w->a, nv, 1);
    hml_system system = {.struct_size = sizeof system, .J = J};
    if (nb > 25 || hml_system_matrices(x->model, x->work, HML_LEFT, w->q, w->v, &system)) return;
    dense_apply(6 * nb, nv, J, w->v, twists);
    note(x, KIND_system_matrices, "hml_system_matrices", (how){s, PLAIN, PLAIN, speed * (1 + 1e-3 * x->away[s]), 10},
         twists, V, 6 * nb, 1);
}

/* pose and J are what they are beside the rates */
static void check_alone(subject *x, const view *w, int s, const frame_data *f, double scale)
{
    const size_t nv = (size_t)x->nv;
    double H[16], *J = room(x->g, 6 * nv);
    const hml_frame_motion m = {.struct_size = sizeof m, .pose = H, .J = J};
    const hml_status status = hml_frame(x->model, x->work, w->frame, w->as, w->q, NULL, NULL, &m);
    note_status(x, KIND_status, "hml_frame", s, status, HML_OK);
    if (status) return;
    note(x, KIND_frame_alone, "J", (how){s, PLAIN, PLAIN, scale, 0}, J, f->J, 6, nv);
    note(x, KIND_frame_alone, "pose", (how){s, PLAIN, PLAIN, x->away[s], 0}, H, f->H, 4, 4);
}

/* instruction sets with four lanes have a kernel of their own, the others plain code */
static void check_sets(subject *x, const view *w, int s, const frame_data *f, double scale)
{
    const size_t nv = (size_t)x->nv, n = 6 * nv;
    const how still = {s, PLAIN, PLAIN, scale, 0}, turning = {s, PLAIN, PLAIN, scale * f->turning, 0};
    const how fast = {s, PLAIN, PLAIN, scale * f->size, 0}, there = {s, PLAIN, PLAIN, x->away[s], 0};
    double *J = room(x->g, n), *Jdot = room(x->g, n), H[16], twist[6], acceleration[6], *D[2][5];
    for (int k = 0; k < 10; k++) D[k / 5][k % 5] = room(x->g, n);
    for (int i = x->nisas; i >= 0; i--) { /* first the best */
        hml_work *work = i == x->nisas ? x->work : x->works[i];
        const char *isa = i == x->nisas ? "best" : hml_isa_name(x->isas[i]);
        double *const *d = D[i != x->nisas];
        const hml_frame_motion m = {sizeof m, H, J, Jdot, twist, acceleration};
        const hml_frame_derivative by = {sizeof by, d[0], d[1], d[2], d[3], d[4], NULL};
        note_status(x, KIND_status, isa, s, hml_frame(x->model, work, w->frame, w->as, w->q, w->v, w->a, &m), HML_OK);
        note_status(x, KIND_status, isa, s,
                    hml_frame_derivatives(x->model, work, w->frame, w->as, w->q, w->v, w->a, &by), HML_OK);
        note(x, KIND_frame_isa, isa, there, H, f->H, 16, 1);
        note(x, KIND_frame_isa, isa, still, J, f->J, 6, nv);
        note(x, KIND_frame_isa, isa, turning, Jdot, f->Jdot, 6, nv);
        note(x, KIND_frame_isa, isa, fast, twist, f->twist, 6, 1);
        note(x, KIND_frame_isa, isa, fast, acceleration, f->acceleration, 6, 1);
        for (int k = 0; k < 5 && i < x->nisas; k++) note(x, KIND_frame_isa, isa, fast, d[k], D[0][k], 6, nv);
    }
}

void check_frames(subject *x)
{
    const size_t nv = (size_t)x->nv;
    const int s = hml_rng_below(&x->rng, x->nstates);
    view w = {.x = x, .frame = hml_rng_below(&x->rng, hml_model_nframes(x->model))};
    w.q = x->q + (size_t)s * (size_t)x->nq, w.v = x->v + (size_t)s * nv, w.a = x->a + (size_t)s * nv;
    w.q_t = room(x->g, (size_t)x->nq), w.v_t = room(x->g, nv);
    w.as = (hml_representation)hml_rng_below(&x->rng, 4);
    frame_data f = {.J = room(x->g, 6 * nv), .Jdot = room(x->g, 6 * nv)};
    hml_frame_motion m = {.struct_size = sizeof m, .pose = f.H, .J = f.J, .Jdot = f.Jdot, .twist = f.twist};
    m.acceleration = f.acceleration;
    hml_status status = hml_frame(x->model, x->work, w.frame, w.as, w.q, w.v, w.a, &m);
    note_status(x, KIND_status, "hml_frame", s, status, HML_OK);
    if (status) return;
    /* right twists are taken at the world's origin; rates add up along the chain */
    const double scale = (w.as == HML_RIGHT ? x->away[s] : 1) * (1 + sqrt(x->away[s]) * 1e-2);
    double sum = 0, bend = 0;
    for (size_t i = 0; i < nv; i++) sum += fabs(w.v[i]), bend += fabs(w.a[i]);
    f.turning = 1 + sum, f.size = 1 + sum + sum * sum + bend;
    check_alone(x, &w, s, &f, scale);
    check_sets(x, &w, s, &f, scale);
    check_differences(x, &w, s, &f, scale);
    check_products(x, &w, s, &f, scale);
    check_relative(x, &w, s);
    check_point(x, &w, s);
    check_kinds(x, &w, s);
    check_system(x, &w, s);
}
