/*
 * The exact derivatives of constrained motion and of impulses against central differences of eighth order, which know
 * nothing of them. The differences are good for about 1e-11 of the largest entry here; asked for is 1e-9.
 */
#include "constraint_check.h"
#include "difference.h"

typedef struct along {
    stage *s;
    const double *direction; /* nv, and which of q, ν, τ it moves */
    char what;
    double restitution; /* −1: no impulse */
} along;

/* ν̇ and λ, or ν⁺ and Λ, at t along the direction */
static void motion_at(const void *context, double t, double *out)
{
    const along *x = context;
    stage *s = x->s;
    double q[MOST], v[MOST], tau[MOST], z[MOST];
    for (int i = 0; i < s->nv; i++) {
        z[i] = x->what == 'q' ? t * x->direction[i] : 0;
        v[i] = s->v[i] + (x->what == 'v' ? t * x->direction[i] : 0);
        tau[i] = s->tau[i] + (x->what == 't' ? t * x->direction[i] : 0);
    }
    ASSERT_OK(hml_configuration_integrate(s->model, s->q, z, q));
    if (x->restitution < 0) {
        ASSERT_OK(hml_constrained_forward_dynamics(s->model, s->work, &s->set, s->scratch,
                                                   &HML_STRUCT(hml_constrained_dynamics, .q = q, .v = v, .tau = tau,
                                                               .wrenches = s->wrenches, .acceleration = out,
                                                               .lambda = out + s->nv)));
    } else {
        ASSERT_OK(
            hml_constrained_impulse(s->model, s->work, &s->set, s->scratch,
                                    &HML_STRUCT(hml_constrained_impact, .q = q, .v = v, .restitution = x->restitution,
                                                .v_next = out, .impulse = out + s->nv)));
    }
}

static double largest(const double *x, int n)
{
    double size = 1;
    for (int i = 0; i < n; i++) size = fmax(size, fabs(x[i]));
    return size;
}

/* D (nv × nv) and F (m × nv) column by column */
static void compare(stage *s, char what, double restitution, const double *D, const double *F)
{
    const double scale = largest(D, s->nv * s->nv), force = F ? largest(F, s->m * s->nv) : 1;
    for (int k = 0; k < s->nv; k++) {
        double e[MOST] = {0}, out[DIFFERENCE_MAX];
        along x = {s, e, what, restitution};
        e[k] = 1;
        difference(motion_at, &x, (size_t)(s->nv + s->m), out);
        for (int i = 0; i < s->nv; i++) assert_close(D[i * s->nv + k] / scale, out[i] / scale, 1e-9);
        for (int i = 0; F && i < s->m; i++) assert_close(F[i * s->nv + k] / force, out[s->nv + i] / force, 1e-9);
    }
}

typedef struct results {
    double a[MOST], lambda[MOST], Dq[MOST * MOST], Dv[MOST * MOST], Dtau[MOST * MOST];
    double Lq[MOST * MOST], Lv[MOST * MOST], Ltau[MOST * MOST], A[4 * MOST * MOST], B[2 * MOST * MOST];
} results;

static void linearize(stage *s, results *r)
{
    hml_constrained_linearization x = {.struct_size = sizeof x,
                                       .q = s->q,
                                       .v = s->v,
                                       .tau = s->tau,
                                       .wrenches = s->wrenches,
                                       .acceleration = r->a,
                                       .lambda = r->lambda,
                                       .Dq = r->Dq,
                                       .Dv = r->Dv,
                                       .Dtau = r->Dtau,
                                       .lambda_q = r->Lq,
                                       .lambda_v = r->Lv,
                                       .lambda_tau = r->Ltau,
                                       .A = r->A,
                                       .B = r->B};
    ASSERT_OK(hml_constrained_linearize(s->model, s->work, &s->set, s->scratch, &x));
}

/* everything gentle enough for the differences: a foot near its goal, slow */
static void calm(stage *s)
{
    for (int i = 0; i < s->nv; i++) s->v[i] *= 0.3;
    for (int i = 0; i < s->set.count; i++) {
        hml_constraint *c = &s->items[i];
        double pose[16];
        hml_frame_motion x = {.struct_size = sizeof x, .pose = pose};
        ASSERT_OK(hml_frame(s->model, s->work, c->frame, HML_LEFT, s->q, NULL, NULL, &x));
        memcpy(c->pose, pose, sizeof pose);
        c->pose[3] += 0.1;
        c->pose[11] -= 0.2;
    }
}

static void check_all(stage *s)
{
    static results r;
    const int n = s->nv;
    linearize(s, &r);
    compare(s, 'q', -1, r.Dq, r.Lq);
    compare(s, 'v', -1, r.Dv, r.Lv);
    compare(s, 't', -1, r.Dtau, r.Ltau);
    for (int i = 0; i < n; i++) { /* A = [ −ad_ν I ; D_q D_ν ], B = [ 0 ; D_τ ] */
        assert_close(r.A[i * 2 * n + n + i], 1, 0);
        assert_all_close(&r.A[(n + i) * 2 * n], &r.Dq[i * n], n, 0);
        assert_all_close(&r.A[(n + i) * 2 * n + n], &r.Dv[i * n], n, 0);
        assert_all_close(&r.B[(n + i) * n], &r.Dtau[i * n], n, 0);
    }
    assert_close(r.A[1], s->v[5], 0); /* the base's −ad: ω_z in the first row */
}

static void test_frame(void **state)
{
    (void)state;
    stage s = {.model = biped()};
    s.items[0] = hold(s.model, HML_HOLD_FRAME, "foot");
    s.items[0].damping = 4;
    s.items[0].stiffness = 9;
    open_stage(&s, 1);
    calm(&s);
    check_all(&s);
    close_stage(&s);
}

static void test_point_and_plane(void **state)
{
    (void)state;
    stage s = {.model = biped()};
    double wrenches[6 * MOST];
    draw_array(wrenches, 6 * MOST, 2);
    s.wrenches = wrenches;
    s.items[0] = hold(s.model, HML_HOLD_POINT, "foot");
    s.items[1] = hold(s.model, HML_HOLD_PLANE, "left_foot");
    s.items[1].damping = 2;
    s.items[1].stiffness = 5;
    open_stage(&s, 2);
    calm(&s);
    check_all(&s);
    close_stage(&s);
}

/* one hip follows the other's lead: M is dense, columns are shared */
static void test_mimic(void **state)
{
    (void)state;
    hml_builder *b = hml_builder_new();
    add_link(b, "trunk", NULL, HML_JOINT_FREE);
    add_link(b, "leg", "trunk", HML_JOINT_REVOLUTE);
    add_link(b, "shin", "leg", HML_JOINT_PRISMATIC);
    hml_joint_spec joint = some_joint(HML_JOINT_REVOLUTE, "j_other");
    joint.mimic = "j_leg";
    joint.multiplier = -0.7;
    add_spec(b, "other", "shin", &joint);
    add_tool(b, "foot", "other");
    stage s = {.model = finish(b, 0)};
    s.items[0] = hold(s.model, HML_HOLD_FRAME, "foot");
    open_stage(&s, 1);
    calm(&s);
    check_all(&s);
    close_stage(&s);
}

/* the same frame twice: the motion's derivatives are those of one */
static void test_redundant(void **state)
{
    (void)state;
    static results one, two;
    stage a = {.model = biped()}, b = {.model = biped()};
    a.items[0] = b.items[0] = b.items[1] = hold(a.model, HML_HOLD_FRAME, "foot");
    open_stage(&a, 1);
    open_stage(&b, 2);
    memcpy(b.v, a.v, sizeof a.v);
    memcpy(b.tau, a.tau, sizeof a.tau);
    linearize(&a, &one);
    linearize(&b, &two);
    const double scale = largest(one.Dq, a.nv * a.nv);
    for (int i = 0; i < a.nv * a.nv; i++) {
        assert_close(two.Dq[i] / scale, one.Dq[i] / scale, 1e-11);
        assert_close(two.Dv[i] / scale, one.Dv[i] / scale, 1e-11);
        assert_close(two.Dtau[i], one.Dtau[i], 1e-11);
    }
    close_stage(&a);
    close_stage(&b);
}

static void test_impulse(void **state)
{
    (void)state;
    static double next_q[MOST * MOST], next_v[MOST * MOST], impulse_q[MOST * MOST], impulse_v[MOST * MOST];
    const double e = 0.4;
    stage s = {.model = biped()};
    double next[MOST], impulse[MOST], want[MOST], Lambda[MOST];
    s.items[0] = hold(s.model, HML_HOLD_FRAME, "foot");
    s.items[1] = hold(s.model, HML_HOLD_POINT, "left_foot");
    s.items[2] = hold(s.model, HML_HOLD_PLANE, "trunk");
    open_stage(&s, 3);
    calm(&s);
    ASSERT_OK(hml_constrained_impulse(s.model, s.work, &s.set, s.scratch,
                                      &HML_STRUCT(hml_constrained_impact, .q = s.q, .v = s.v, .restitution = e,
                                                  .v_next = next, .impulse = impulse, .next_q = next_q,
                                                  .next_v = next_v, .impulse_q = impulse_q, .impulse_v = impulse_v)));
    ASSERT_OK(hml_constrained_impulse(
        s.model, s.work, &s.set, s.scratch,
        &HML_STRUCT(hml_constrained_impact, .q = s.q, .v = s.v, .restitution = e, .v_next = want, .impulse = Lambda)));
    assert_all_close(next, want, s.nv, 1e-13);
    assert_all_close(impulse, Lambda, s.m, 1e-12);
    compare(&s, 'q', e, next_q, impulse_q);
    compare(&s, 'v', e, next_v, impulse_v);
    close_stage(&s);
}

int main(void)
{
    int failed = 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frame),     cmocka_unit_test(test_point_and_plane), cmocka_unit_test(test_mimic),
        cmocka_unit_test(test_redundant), cmocka_unit_test(test_impulse),
    };
    /* the kernels for held robots, and the plain steps: a scalar workspace has no such kernels */
    static const hml_isa sets[] = {HML_ISA_BEST, HML_ISA_128, HML_ISA_SCALAR};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        stage_isa = hml_isa_available(sets[i]) ? sets[i] : HML_ISA_BEST;
        failed += cmocka_run_group_tests(tests, NULL, NULL);
    }
    return failed;
}
