/*
 * The derivatives of steps of contact against differences of the steps: robots that fly, stand, roll, slide, run into limits
 * and stick in their joints.
 */
#include "contact_check.h"
#include "difference.h"
#include "draw.h"
#include "hamel/random.h"
#include "sim/contact.h"

enum { MOST = 32 };

typedef struct one {
    scene *s;
    double h;
    const double *q, *v, *tau, *memory, *q_end, *v_end;
    size_t column; /* of (z_q, z_ν, w) */
    uint64_t set;
    int *other; /* 1: a step had another set */
} one;

/* what the rows of the last step did: open, stick or slide, carry or not; and the repetitions of its mean velocity */
typedef struct active {
    uint64_t set;
    int sticks, slides, carries;
} active;

static active active_of(const hml_contact *c)
{
    active a = {.set = (uint64_t)c->nrows * 64 + (uint64_t)c->record.repetitions * 4};
    a.set += (uint64_t)c->record.displaced * (1 + (uint64_t)c->record.cut);
    for (int32_t i = 0; i < c->nrows; i++) {
        const contact_row *row = &c->rows[i];
        const double *P = c->P + i, tangents = hypot(P[1], P[2]);
        const int carries = row->kind == ROW_FRICTION ? fabs(*P) < row->bound * (1 - 1e-9) : *P > 0;
        int what = carries;
        if (row->kind == ROW_TANGENT) continue;
        a.set = a.set * 2 + (c->record.displaced && c->y[i] > 0);
        if (row->kind == ROW_CONTACT && carries) {
            const double most = c->last.items[row->index].friction * *P;
            what = tangents < most * (1 - 1e-9) ? 2 : 3;
            a.sticks += what == 2, a.slides += what == 3;
        }
        a.carries += row->kind != ROW_CONTACT && carries;
        a.set = a.set * 31 + (uint64_t)what + 7 * (uint64_t)(row->index + (int)row->kind);
    }
    for (size_t i = 0; c->record.repetitions && i < c->n; i++) { /* bounds of what contacts add to the mean velocity */
        const double most = fabs(c->v[i]) + fabs(c->first[i]);
        const int bounded = fabs(c->pushed[i]) >= most * (1 - 1e-12);
        a.set = a.set * 31 + (uint64_t)(bounded + 2 * (bounded && c->v[i] > 0) + 4 * (bounded && c->first[i] > 0));
    }
    return a;
}

static size_t size_of(const scene *s) { return (size_t)hml_model_nv(s->model); }

/* where a step ends that starts t further along the column */
static void end_at(const void *context, double t, double *out)
{
    const one *x = context;
    const size_t n = size_of(x->s);
    double z[MOST] = {0}, tau[MOST];
    memcpy(tau, x->tau, n * sizeof *tau);
    memcpy(x->s->v, x->v, n * sizeof *x->v);
    if (x->column < n)
        z[x->column] = t;
    else if (x->column < 2 * n)
        x->s->v[x->column - n] += t;
    else
        tau[x->column - 2 * n] += t;
    OK(hml_contact_set_memory(x->s->contact, x->memory));
    OK(hml_configuration_integrate(x->s->model, x->q, z, x->s->q));
    OK(one_step(x->s, x->h, tau));
    if (active_of(x->s->contact).set != x->set) *x->other = 1;
    OK(hml_configuration_difference(x->s->model, x->q_end, x->s->q, out));
    for (size_t i = 0; i < n; i++) out[n + i] = x->s->v[i] - x->v_end[i];
}

/*
 * A step from the state of the scene; returns the largest error of a derivative, relative to the largest of them, and what
 * its rows did. −1: steps nearby have other sets
 */
static double error_of(scene *s, double h, double length, const double *tau, active *did)
{
    int other = 0;
    const size_t n = size_of(s), doubles = hml_contact_memory_doubles(s->contact);
    double q[80], v[80], q_end[80], v_end[80], worst = 0, size = 1;
    double *memory = calloc(doubles, sizeof *memory), *Ad = calloc(4 * n * n, sizeof *Ad), *Bd = calloc(2 * n * n, 8);
    double *scratch = calloc(hml_contact_linearize_scratch_doubles(s->contact), sizeof *scratch);
    one x = {.s = s, .h = h, .q = q, .v = v, .tau = tau, .memory = memory, .q_end = q_end, .v_end = v_end};
    assert_true(n <= MOST);
    memcpy(q, s->q, sizeof q), memcpy(v, s->v, sizeof v);
    OK(hml_contact_get_memory(s->contact, memory));
    OK(one_step(s, h, tau));
    memcpy(q_end, s->q, sizeof q), memcpy(v_end, s->v, sizeof v);
    const hml_status status = hml_contact_linearize(s->model, s->work, s->contact, scratch, Ad, Bd);
    *did = active_of(s->contact);
    x.set = did->set, x.other = &other;
    for (x.column = 0; x.column < 3 * n; x.column++) {
        double out[2 * MOST];
        difference_over(length, end_at, &x, 2 * n, out);
        for (size_t r = 0; r < 2 * n; r++) {
            const double exact = x.column < 2 * n ? Ad[r * 2 * n + x.column] : Bd[r * n + x.column - 2 * n];
            size = fmax(size, fabs(exact));
            if (!(fabs(exact - out[r]) <= worst)) worst = fabs(exact - out[r]);
        }
    }
    free(memory), free(Ad), free(Bd), free(scratch);
    return other || status == HML_UNSUPPORTED ? -1 : status ? INFINITY : worst / size;
}

/* robots of all joints in the air, with dampers, springs, armature, followers and a servo */
static void test_flight(void **state)
{
    (void)state;
    static const hml_joint_type roots[] = {HML_JOINT_FREE, HML_JOINT_SPHERICAL, HML_JOINT_PLANAR, HML_JOINT_SCHOENFLIES,
                                           HML_JOINT_UNIVERSAL};
    uint64_t seed = 71;
    for (int i = 0; i < 10; i++) {
        scene s = {0};
        hml_random_spec spec;
        double tau[MOST], target[80], gains[2][MOST];
        hml_random_spec_init(&spec);
        spec.seed = 300 + (uint64_t)i, spec.nbodies = 6, spec.shape = HML_RANDOM_ANY, spec.root = roots[i % 5];
        spec.joint_types = 0;
        for (int type = 0; type <= HML_JOINT_FREE; type++) spec.joint_types |= type == HML_JOINT_FIXED ? 0 : 1u << type;
        spec.passive = 0.5 * (i % 3), spec.mimic = 0.5;
        OK(hml_model_random(&spec, &s.model));
        s.settings.options = HML_CONTACT_NO_LIMITS;
        open_scene(&s);
        const size_t n = size_of(&s);
        draw_configuration(&seed, s.model, 1.0, s.q), draw_configuration(&seed, s.model, 1.0, target);
        for (size_t k = 0; k < n; k++) {
            s.v[k] = draw(&seed), tau[k] = draw(&seed);
            gains[0][k] = 2 * fabs(draw(&seed)), gains[1][k] = fabs(draw(&seed));
        }
        if (i % 2) OK(hml_contact_set_servo(s.contact, target, gains[0], gains[1]));
        active did;
        const double error = error_of(&s, 0.01, 0x1p-9, tau, &did);
        assert_true(error >= 0 && error < 1e-9);
        close_scene(&s);
    }
}

/* ---- on the ground ---- */

/* three links in the ground by some centimetres, with balls, capsules, corners and points on them */
static void open_links(scene *s, uint64_t *seed, const hml_plane *plane, hml_shape *shapes, double slop)
{
    static const hml_shape_kind kinds[] = {HML_SHAPE_SPHERE, HML_SHAPE_BOX, HML_SHAPE_POINT, HML_SHAPE_CAPSULE};
    static const char *const names[] = {"base", "middle", "end"};
    hml_builder *b = hml_builder_new();
    for (int i = 0; i < 3; i++) {
        hml_joint_spec joint;
        hml_inertia_spec I;
        draw_inertia(seed, &I);
        hml_joint_spec_init(&joint, i == 0           ? HML_JOINT_FREE
                                    : draw(seed) > 0 ? HML_JOINT_REVOLUTE
                                                     : HML_JOINT_SPHERICAL);
        joint.name = names[i];
        for (int k = 0; k < 3; k++) joint.axis[k] = draw(seed), joint.position[k] = i ? 0.4 * draw(seed) : 0;
        for (int k = 0; k < 6; k++) joint.damping[k] = i ? fabs(draw(seed)) : 0, joint.stiffness[k] = i ? 2 : 0;
        for (int k = 0; k < 6; k++) joint.lower[k] = i == 2 && joint.type == HML_JOINT_REVOLUTE ? 0.3 : -INFINITY;
        OK(hml_builder_add_body(b, names[i], i ? names[i - 1] : NULL, &joint, &I, NULL));
        shapes[i] = shape_on(i, kinds[(int)(2 * (draw(seed) + 1))], 0.2, 0.15, 0.1);
        for (int k = 0; k < 3; k++) shapes[i].position[k] = 0.3 * draw(seed);
        draw_rotation(seed, shapes[i].rotation);
    }
    s->model = finish(b, 0);
    s->settings = (hml_contact_settings){
        .planes = plane, .nplanes = 1, .shapes = shapes, .nshapes = 3, .slop = slop, .tolerance = 1e-13};
    open_scene(s);
}

/* what touches sticks, slides or opens; of 300 states those count whose neighbours do the same */
static void test_on_the_ground(void **state)
{
    (void)state;
    uint64_t seed = 72;
    active sum = {0};
    for (int i = 0; i < 300; i++) {
        scene s = {0};
        hml_shape shapes[3];
        const hml_plane plane = {.normal = {0.2 * draw(&seed), 0.2 * draw(&seed), 1}, .friction = i % 4 * 0.3};
        double tau[MOST];
        active did;
        open_links(&s, &seed, &plane, shapes, i % 2 ? 1 : 1e-4);
        draw_configuration(&seed, s.model, 0.5, s.q);
        OK(hml_contact_place(s.model, s.work, s.contact, 0, -0.04, s.q));
        for (size_t k = 0; k < size_of(&s); k++) s.v[k] = 0.5 * draw(&seed), tau[k] = draw(&seed);
        run(&s, 1e-2, i % 3, tau); /* impulses to begin with */
        const double error = error_of(&s, 1e-2, 0x1p-13, tau, &did);
        assert_true(error < 1e-9);
        if (error >= 0) sum.sticks += did.sticks, sum.slides += did.slides, sum.carries += did.carries;
        close_scene(&s);
    }
    assert_true(sum.sticks > 20 && sum.slides > 100 && sum.carries > 10);
}

/*
 * A box on its four corners, with more rows than motions. It stands; or slides straight on, with steps nearby that share
 * the load out in other ways, which shows in terms of second order; or turns besides, and has no derivative. An arm on it
 * has dry friction
 */
static void test_a_box(void **state)
{
    (void)state;
    for (int i = 0; i < 6; i++) {
        scene s = {0};
        hml_builder *b = hml_builder_new();
        hml_joint_spec joint;
        const hml_inertia_spec I = {0.3, {0.1, 0.05, 0}, {0.01, 0, 0, 0, 0.02, 0, 0, 0, 0.02}};
        const double friction[] = {0, 0, 0, 0, 0, 0, i < 3 ? 10 : 0.01}, tau[MOST] = {0};
        const hml_plane plane = floor_plane(0.6, 0);
        const hml_shape shape = shape_on(0, HML_SHAPE_BOX, 0.2, 0.15, 0.1);
        active did;
        add_solid(b, "box", HML_JOINT_FREE, 0.2, 0.15, 0.1);
        hml_joint_spec_init(&joint, HML_JOINT_REVOLUTE);
        joint.name = "arm", joint.axis[1] = 1;
        OK(hml_builder_add_body(b, "arm", "box", &joint, &I, NULL));
        s.model = finish(b, 0);
        s.settings = (hml_contact_settings){.planes = &plane, .nplanes = 1, .shapes = &shape, .nshapes = 1};
        s.settings.slop = i % 2 ? 1 : 1e-4, s.settings.tolerance = 1e-13, s.settings.joint_friction = friction;
        open_scene(&s);
        s.q[2] = 0.09, s.v[0] = i % 3 ? 1 : 0, s.v[5] = i % 3 == 2 ? 2 : 0, s.v[6] = 0.3;
        const double error = error_of(&s, 1e-2, 0x1p-14, tau, &did);
        assert_true(i % 3 == 2 ? error == INFINITY : error >= 0 && error < (i % 3 ? 1e-5 : 1e-10));
        assert_int_equal(did.carries, i < 3);
        assert_int_equal(i % 3 ? did.slides : did.sticks, 4);
        close_scene(&s);
    }
}

/* ---- what it refuses ---- */

/* a ball, a cylinder or a box that lies on the floor */
static scene on_the_floor(hml_shape_kind kind, const hml_plane *plane, hml_shape *shape)
{
    scene s = {0};
    hml_builder *b = hml_builder_new();
    add_solid(b, "solid", HML_JOINT_FREE, 0.1, 0.1, 0.1);
    s.model = finish(b, 0);
    *shape = shape_on(0, kind, 0.1, 0.1, 0.1);
    s.settings = (hml_contact_settings){.planes = plane, .nplanes = 1, .shapes = shape, .nshapes = 1};
    open_scene(&s);
    s.q[2] = 0.1 - 1e-5;
    return s;
}

static void test_what_it_refuses(void **state)
{
    (void)state;
    const hml_plane plane = floor_plane(0.5, 0.5);
    hml_shape shape;
    scene s = on_the_floor(HML_SHAPE_SPHERE, &plane, &shape);
    double *scratch = calloc(hml_contact_linearize_scratch_doubles(s.contact), sizeof *scratch), A[144], B[72];
    assert_int_equal(hml_contact_linearize(s.model, s.work, s.contact, scratch, A, B), HML_INVALID_ARGUMENT);
    run(&s, 1e-3, 1, NULL);
    OK(hml_contact_linearize(s.model, s.work, s.contact, scratch, A, B));
    assert_int_equal(hml_contact_linearize(NULL, s.work, s.contact, scratch, A, B), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_contact_linearize(s.model, NULL, s.contact, scratch, A, B), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_contact_linearize(s.model, s.work, NULL, scratch, A, B), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_contact_linearize(s.model, s.work, s.contact, NULL, A, B), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_contact_linearize(s.model, s.work, s.contact, scratch, NULL, B), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_contact_linearize(s.model, s.work, s.contact, scratch, A, NULL), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_contact_linearize_scratch_doubles(NULL), 0);
    s.v[2] = -1; /* bounces */
    run(&s, 1e-3, 1, NULL);
    assert_int_equal(hml_contact_linearize(s.model, s.work, s.contact, scratch, A, B), HML_UNSUPPORTED);
    s.v[4] = 1000; /* takes substeps */
    run(&s, 1e-3, 1, NULL);
    assert_int_equal(hml_contact_linearize(s.model, s.work, s.contact, scratch, A, B), HML_UNSUPPORTED);
    OK(hml_contact_set_servo(s.contact, NULL, NULL, NULL)); /* other forces than those of the step */
    assert_int_equal(hml_contact_linearize(s.model, s.work, s.contact, scratch, A, B), HML_INVALID_ARGUMENT);
    free(scratch);
    close_scene(&s);
    s = on_the_floor(HML_SHAPE_CYLINDER, &plane, &shape);
    scratch = calloc(hml_contact_linearize_scratch_doubles(s.contact), sizeof *scratch);
    run(&s, 1e-3, 1, NULL);
    assert_int_equal(hml_contact_linearize(s.model, s.work, s.contact, scratch, A, B), HML_UNSUPPORTED);
    free(scratch);
    close_scene(&s);
}

/* steps are the same bits whether they are linearized or not */
static void test_the_motion_goes_on(void **state)
{
    (void)state;
    const hml_plane plane = floor_plane(0.5, 0);
    double ends[2][7];
    for (int linearized = 0; linearized < 2; linearized++) {
        hml_shape shape;
        scene s = on_the_floor(HML_SHAPE_BOX, &plane, &shape);
        double *scratch = calloc(hml_contact_linearize_scratch_doubles(s.contact), sizeof *scratch), A[144], B[72];
        s.v[0] = 1, s.v[3] = 0.5;
        for (int i = 0; i < 50; i++) {
            run(&s, 1e-3, 1, NULL);
            if (linearized) (void)hml_contact_linearize(s.model, s.work, s.contact, scratch, A, B);
        }
        memcpy(ends[linearized], s.q, sizeof ends[0]);
        free(scratch);
        close_scene(&s);
    }
    assert_memory_equal(ends[0], ends[1], sizeof ends[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_flight), cmocka_unit_test(test_on_the_ground),
                                       cmocka_unit_test(test_a_box), cmocka_unit_test(test_what_it_refuses),
                                       cmocka_unit_test(test_the_motion_goes_on)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
