/*
 * Impacts by themselves: known ones by hand, the laws row by row from velocities that the library did not use to find
 * them, and energy that never grows, on robots, contacts, frictions and restitutions at random.
 */
#include "contact_check.h"

enum { MOST = 48, SITES = 5 };

typedef struct stage {
    hml_model *model;
    hml_work *work;
    void *memory;
    size_t size;
    int32_t nv, count;
    hml_contact_site sites[SITES];
    double q[MOST + 16], v[MOST], after[MOST], impulse[3 * SITES];
    hml_contact_impact impact;
} stage;

static void open_stage(stage *s, hml_model *model)
{
    memset(s, 0, sizeof *s);
    s->model = model;
    s->nv = hml_model_nv(model);
    assert_true(s->nv <= MOST);
    s->size = hml_contact_impulse_size(model, SITES);
    s->memory = malloc(s->size);
    OK(hml_work_new(model, HML_ISA_SCALAR, HML_USE_ALL, &s->work));
    OK(hml_configuration_neutral(model, s->q));
}

static void close_stage(stage *s)
{
    free(s->memory);
    hml_work_free(s->work);
    hml_model_free(s->model);
}

static hml_status hit(stage *s)
{
    s->impact.struct_size = sizeof s->impact;
    return hml_contact_impulse(s->model, s->work, s->memory, s->size,
                               &HML_STRUCT(hml_contact_collision, .sites = s->sites, .count = s->count, .q = s->q,
                                           .v = s->v, .v_next = s->after, .impulse = s->impulse, .impact = &s->impact));
}

static double kinetic(const stage *s, const double *v)
{
    static double M[MOST * MOST], h[MOST];
    hml_dynamics_result d = {.struct_size = sizeof d, .M = M, .h = h};
    OK(hml_dynamics(s->model, s->work, s->q, v, NULL, NULL, &d));
    return d.kinetic_energy;
}

/* ---- by hand ---- */

static hml_model *block(void)
{
    hml_builder *b = hml_builder_new();
    add_solid(b, "block", HML_JOINT_FREE, 0.5, 0.3, 0.2); /* 2 kg */
    return finish(b, 0);
}

static hml_contact_site under(double x, double y, double friction, double restitution)
{
    hml_contact_site s = {.frame = 0,
                          .other = HML_WORLD,
                          .position = {x, y, -0.2},
                          .normal = {0, 0, 3},
                          .friction = friction,
                          .restitution = restitution};
    return s;
}

/* a block comes down flat on its four corners, also sliding: friction takes what it can, μ (1 + e) of the speed */
static void test_block_comes_down_flat(void **state)
{
    (void)state;
    stage s;
    open_stage(&s, block());
    s.count = 4;
    for (double e = 0; e <= 1; e += 0.25) {
        for (double mu = 0; mu < 0.6; mu += 0.1) {
            double sum[3] = {0};
            for (int i = 0; i < 4; i++) s.sites[i] = under(i % 2 ? 0.5 : -0.5, i / 2 ? 0.3 : -0.3, mu, e);
            memset(s.v, 0, sizeof s.v);
            s.v[2] = -3;
            OK(hit(&s));
            assert_close(s.after[2], 3 * e, 1e-9);
            for (int i = 0; i < 4; i++) {
                for (int k = 0; k < 3; k++) sum[k] += s.impulse[3 * i + k];
            }
            assert_close(sum[2], 2 * 3 * (1 + e), 1e-9);
            assert_close(s.impact.work, kinetic(&s, s.after) - kinetic(&s, s.v), 1e-9);
            assert_true(s.impact.restitution == 1);
        }
    }
    close_stage(&s);
}

/* a ball of radius r with spin: the contact point slides, or sticks and rolls */
static void test_ball_with_spin(void **state)
{
    (void)state;
    const double r = 0.2, m = 2, I = 0.4 * m * r * r;
    hml_builder *b = hml_builder_new();
    hml_joint_spec joint;
    hml_inertia_spec solid = {m, {0}, {I, 0, 0, 0, I, 0, 0, 0, I}};
    hml_joint_spec_init(&joint, HML_JOINT_FREE), joint.name = "base";
    OK(hml_builder_add_body(b, "ball", NULL, &joint, &solid, NULL));
    stage s;
    open_stage(&s, finish(b, 0));
    s.count = 1;
    int stuck = 0, slid = 0;
    for (double mu = 0.05; mu < 1; mu += 0.1) {
        for (double spin = -20; spin <= 20; spin += 5) {
            const double e = 0.6, down = -2, along = 1.3, slip = along - r * spin; /* ω_y > 0 rolls along +x */
            s.sites[0] = under(0, 0, mu, e);
            memset(s.v, 0, sizeof s.v);
            s.v[0] = along, s.v[2] = down, s.v[4] = spin;
            OK(hit(&s));
            const double normal = -m * (1 + e) * down, stop = -slip / (1 / m + r * r / I);
            const double friction = fabs(stop) <= mu * normal ? stop : -mu * normal * (slip > 0 ? 1 : -1);
            assert_close(s.impulse[2], normal, 1e-9);
            assert_close(s.impulse[0], friction, 1e-9);
            assert_close(s.after[2], -e * down, 1e-9);
            assert_close(s.after[0], along + friction / m, 1e-9);
            assert_close(s.after[4], spin - r * friction / I, 1e-9);
            stuck += friction == stop, slid += friction != stop;
        }
    }
    assert_true(stuck > 10 && slid > 10);
    close_stage(&s);
}

/* different restitutions: each contact has its own */
static void test_restitution_of_each_contact(void **state)
{
    (void)state;
    stage s;
    open_stage(&s, block());
    s.count = 2;
    s.sites[0] = under(-0.5, 0, 0, 0.9), s.sites[1] = under(0.5, 0, 0, 0.1);
    s.v[2] = -1;
    OK(hit(&s));
    double V[3], H[16];
    const double ends[2][3] = {{-0.5, 0, -0.2}, {0.5, 0, -0.2}};
    OK(hml_se3_identity(H));
    for (int i = 0; i < 2; i++) {
        OK(hml_point_velocity(H, s.after, ends[i], NULL, V));
        assert_close(V[2], s.sites[i].restitution, 1e-9);
    }
    assert_true(s.impact.restitution == 1);
    close_stage(&s);
}

/* two blocks that touch: equal and opposite, momentum stays */
static void test_two_bodies(void **state)
{
    (void)state;
    hml_builder *b = hml_builder_new();
    add_solid(b, "first", HML_JOINT_FREE, 0.5, 0.3, 0.2);
    add_solid(b, "second", HML_JOINT_FREE, 0.1, 0.1, 0.1);
    stage s;
    open_stage(&s, finish(b, 0));
    s.count = 1;
    s.q[7] = 0.6; /* the second stands at x = 0.6 */
    hml_contact_site site = {.frame = hml_model_find_frame(s.model, "second"),
                             .other = hml_model_find_frame(s.model, "first"),
                             .position = {0.5, 0, 0},
                             .normal = {1, 0, 0},
                             .restitution = 1};
    s.sites[0] = site;
    s.v[0] = 2;
    OK(hit(&s));
    assert_close(s.after[0], 0, 1e-9); /* equal masses change places */
    assert_close(s.after[6], 2, 1e-9);
    assert_close(s.impulse[0], 4, 1e-9);
    s.v[0] = -2; /* apart: nothing happens */
    OK(hit(&s));
    assert_close(s.after[0], -2, 0);
    assert_int_equal(s.impact.closed, 0);
    close_stage(&s);
}

/* ---- at random ---- */

static void draw_stage(stage *s, uint64_t seed, int32_t nbodies, double mimic, hml_rng *rng)
{
    hml_random_spec spec;
    hml_model *model = NULL;
    hml_random_spec_init(&spec);
    hml_rng_seed(rng, seed);
    spec.seed = seed;
    spec.nbodies = nbodies;
    spec.mimic = mimic;
    spec.shape = HML_RANDOM_ANY;
    spec.joint_types = 1u << HML_JOINT_REVOLUTE | 1u << HML_JOINT_PRISMATIC | 1u << HML_JOINT_SPHERICAL;
    OK(hml_model_random(&spec, &model));
    open_stage(s, model);
    OK(hml_configuration_random(model, rng, s->q));
    s->count = 1 + (int32_t)(seed % SITES);
    for (int i = 0; i < s->count; i++) {
        hml_contact_site *c = &s->sites[i];
        *c = (hml_contact_site){.frame = hml_rng_below(rng, hml_model_nframes(model)), .other = HML_WORLD};
        hml_point_motion m = {.struct_size = sizeof m, .position = c->position};
        const double point[3] = {hml_rng_uniform(rng, -0.3, 0.3), hml_rng_uniform(rng, -0.3, 0.3),
                                 hml_rng_uniform(rng, -0.3, 0.3)};
        OK(hml_point(model, s->work, c->frame, point, s->q, NULL, NULL, &m));
        for (int k = 0; k < 3; k++) c->normal[k] = hml_rng_normal(rng);
        c->friction = hml_rng_below(rng, 4) ? hml_rng_uniform(rng, 0, 1.5) : 0;
        c->restitution = hml_rng_below(rng, 3) ? hml_rng_uniform(rng, 0, 1) : 1;
    }
    for (int32_t i = 0; i < s->nv; i++) s->v[i] = hml_rng_normal(rng);
}

/* velocity of a contact in the world, by the frame's own twist */
static void contact_velocity(const stage *s, int i, const double *v, double *w)
{
    double V[6], H[16];
    const hml_contact_site *c = &s->sites[i];
    hml_frame_motion m = {.struct_size = sizeof m, .twist = V, .pose = H};
    OK(hml_frame(s->model, s->work, c->frame, HML_RIGHT, s->q, v, NULL, &m));
    const double *p = c->position;
    w[0] = V[0] + V[4] * p[2] - V[5] * p[1];
    w[1] = V[1] + V[5] * p[0] - V[3] * p[2];
    w[2] = V[2] + V[3] * p[1] - V[4] * p[0];
}

/* the laws in hamel/contact.h, with the restitution that energy allowed */
static void check_laws(const stage *s)
{
    for (int i = 0; i < s->count; i++) {
        const hml_contact_site *c = &s->sites[i];
        const double *P = s->impulse + 3 * i;
        double n[3], size = 0, before[3], after[3], Pn = 0, closing = 0, wn = 0, slide = 0, push = 0, along = 0;
        for (int k = 0; k < 3; k++) size += c->normal[k] * c->normal[k];
        for (int k = 0; k < 3; k++) n[k] = c->normal[k] / sqrt(size);
        contact_velocity(s, i, s->v, before), contact_velocity(s, i, s->after, after);
        for (int k = 0; k < 3; k++) Pn += n[k] * P[k], closing += n[k] * before[k], wn += n[k] * after[k];
        const double left = wn + s->impact.restitution * c->restitution * fmin(closing, 0), tight = 1e-7;
        assert_true(Pn >= -1e-12 && left >= -tight);
        assert_true(fabs(Pn * left) < tight * (1 + fabs(Pn)));
        for (int k = 0; k < 3; k++) {
            const double t = P[k] - Pn * n[k], u = after[k] - wn * n[k];
            push += t * t, slide += u * u, along += t * u;
        }
        push = sqrt(push), slide = sqrt(slide);
        assert_true(push <= c->friction * Pn + 1e-9 * (1 + Pn));
        if (slide > 1e-4 && Pn > 1e-4) { /* against it, and all there is */
            assert_close(push, c->friction * Pn, 1e-5 * (1 + Pn));
            assert_close(along, -push * slide, 1e-5 * (1 + push * slide));
        }
    }
}

static void test_laws_and_energy(void **state)
{
    (void)state;
    int lowered = 0, closed = 0, missed = 0;
    const int draws = 3000;
    for (int n = 1; n <= draws; n++) {
        stage s;
        hml_rng rng;
        draw_stage(&s, (uint64_t)n, 1 + n % 6, 0, &rng);
        hml_status status = hit(&s);
        if (status == HML_NOT_CONVERGED) {
            missed++;
        } else {
            assert_int_equal(status, HML_OK);
            const double before = kinetic(&s, s.v), after = kinetic(&s, s.after);
            if (!(after <= before * (1 + 1e-9))) print_error("draw %d: %.17g J become %.17g J\n", n, before, after);
            assert_true(after <= before * (1 + 1e-9)); /* the solver's 1e-10 */
            assert_close(after - before, s.impact.work, 1e-9 * (1 + before));
            check_laws(&s);
            lowered += s.impact.restitution<1, closed += s.impact.closed> 0;
        }
        close_stage(&s);
    }
    print_message("lowered %d, closed %d, missed %d of %d\n", lowered, closed, missed, draws);
    assert_true(closed > draws / 2);
    assert_true(lowered > 0); /* Newton's law alone would have made energy: the guard is what is tested */
    assert_true(missed < draws / 100);
}

/* M (ν⁺ − ν) = Jᵀ Λ, J coordinate by coordinate */
static void check_momentum(const stage *s)
{
    static double M[MOST * MOST];
    OK(hml_mass_matrix(s->model, s->work, s->q, M));
    for (int32_t k = 0; k < s->nv; k++) {
        double left = 0, right = 0, size = 1, unit[MOST] = {0};
        unit[k] = 1;
        for (int32_t j = 0; j < s->nv; j++) {
            const double part = M[k * s->nv + j] * (s->after[j] - s->v[j]);
            left += part, size += fabs(part);
        }
        for (int i = 0; i < s->count; i++) {
            double w[3];
            contact_velocity(s, i, unit, w);
            for (int d = 0; d < 3; d++) right += w[d] * s->impulse[3 * i + d];
        }
        assert_close(left, right, 1e-9 * size);
    }
}

/* a follower moves with a leader that may be on another branch: M, J and L have other zeros than the tree */
static void test_followers(void **state)
{
    (void)state;
    int closed = 0, followers = 0, missed = 0;
    const int draws = 600;
    for (int n = 1; n <= draws; n++) {
        stage s;
        hml_rng rng;
        draw_stage(&s, (uint64_t)n, 3 + n % 12, 0.5, &rng);
        hml_status status = hit(&s);
        for (int32_t j = 0; j < hml_model_njoints(s.model); j++) {
            hml_joint_info info = {.struct_size = sizeof info};
            OK(hml_model_joint(s.model, j, &info));
            followers += info.leader >= 0;
        }
        if (status == HML_NOT_CONVERGED) {
            missed++;
        } else {
            assert_int_equal(status, HML_OK);
            check_momentum(&s);
            check_laws(&s);
            closed += s.impact.closed > 0;
        }
        close_stage(&s);
    }
    assert_true(closed > draws / 2);
    assert_true(followers > draws);
    assert_true(missed < draws / 100);
}

/* bounces of hml_contact_step obey the same rule: a corner of a spinning block hits a rough floor, weightless */
static void test_bounces_of_a_step(void **state)
{
    (void)state;
    const double none[3] = {0, 0, 0}, h = 1e-9;
    int bounced = 0;
    for (uint64_t n = 1; n <= 3000; n++) {
        stage s;
        scene c = {.model = block()};
        hml_rng rng;
        hml_rng_seed(&rng, n);
        OK(hml_model_set_gravity(c.model, none));
        const hml_plane floor = floor_plane(hml_rng_uniform(&rng, 0, 1.5), 1);
        hml_shape corner = shape_on(0, HML_SHAPE_POINT, 0, 0, 0);
        for (int k = 0; k < 3; k++) corner.position[k] = hml_rng_uniform(&rng, -0.5, 0.5);
        c.settings = (hml_contact_settings){.planes = &floor, .nplanes = 1, .shapes = &corner, .nshapes = 1};
        open_scene(&c);
        hml_rng_quaternion(&rng, c.q + 3);
        double p[3];
        hml_point_motion m = {.struct_size = sizeof m, .position = p};
        OK(hml_point(c.model, c.work, 0, corner.position, c.q, NULL, NULL, &m));
        c.q[2] = -p[2];
        for (int k = 0; k < 6; k++) c.v[k] = 3 * hml_rng_normal(&rng);
        s.model = c.model, s.work = c.work;
        memcpy(s.q, c.q, sizeof s.q);
        const double before = kinetic(&s, c.v);
        OK(one_step(&c, h, NULL));
        memcpy(s.q, c.q, sizeof s.q);
        assert_true(kinetic(&s, c.v) <= before * (1 + 1e-7)); /* a nanosecond of rotation at 10 rad/s */
        bounced += c.result.bounces > 0;
        close_scene(&c);
    }
    assert_true(bounced > 1000);
}

static void test_bad_input(void **state)
{
    (void)state;
    stage s;
    open_stage(&s, block());
    s.count = 1;
    s.sites[0] = under(0, 0, 0.5, 0.5);
    assert_true(hml_contact_impulse_size(s.model, -1) == 0 && hml_contact_impulse_size(NULL, 1) == 0);
    OK(hit(&s));
    s.sites[0].restitution = 1.1;
    assert_int_equal(hit(&s), HML_INVALID_ARGUMENT);
    s.sites[0] = under(0, 0, -1, 0.5);
    assert_int_equal(hit(&s), HML_INVALID_ARGUMENT);
    s.sites[0] = under(0, NAN, 0.5, 0.5);
    assert_int_equal(hit(&s), HML_NOT_FINITE);
    s.sites[0] = under(0, 0, 0.5, 0.5), s.sites[0].frame = 7;
    assert_int_equal(hit(&s), HML_INVALID_ARGUMENT);
    s.sites[0].frame = 0, s.sites[0].normal[2] = 0;
    assert_int_equal(hit(&s), HML_INVALID_ARGUMENT);
    s.sites[0].normal[2] = 1, s.size = 8;
    assert_int_equal(hit(&s), HML_INVALID_ARGUMENT);
    s.size = hml_contact_impulse_size(s.model, SITES), s.v[2] = -1.7e308, s.v[4] = 1.7e308;
    assert_int_equal(hit(&s), HML_NOT_FINITE); /* overflows */
    s.v[2] = s.v[4] = 0;
    s.count = 0, s.v[0] = 1, s.size = hml_contact_impulse_size(s.model, SITES);
    OK(hit(&s)); /* nothing touches, nothing happens */
    assert_true(s.after[0] == 1);
    close_stage(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_block_comes_down_flat),
        cmocka_unit_test(test_ball_with_spin),
        cmocka_unit_test(test_restitution_of_each_contact),
        cmocka_unit_test(test_two_bodies),
        cmocka_unit_test(test_laws_and_energy),
        cmocka_unit_test(test_followers),
        cmocka_unit_test(test_bounces_of_a_step),
        cmocka_unit_test(test_bad_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
