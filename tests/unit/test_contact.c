/*
 * Contact with friction where the answer is known: inclines, falls, bounces, cradles, stacks, stops.
 *
 * A body that slides or rests has a constant force: the scheme is exact for those up to rounding and the solver's
 * tolerance, 1e-10 m/s a step.
 */
#include "unit/contact_check.h"

static const double g = 9.81;

/* a box on its face on a plane that is inclined by `angle` about y; downhill is along its x */
static void open_incline(scene *s, hml_plane *plane, hml_shape *shape, double angle, double friction)
{
    hml_builder *b = hml_builder_new();
    add_solid(b, "box", HML_JOINT_FREE, 0.2, 0.15, 0.1);
    s->model = finish(b, 0);
    *plane = floor_plane(friction, 0);
    plane->normal[0] = sin(angle), plane->normal[2] = cos(angle);
    *shape = shape_on(0, HML_SHAPE_BOX, 0.2, 0.15, 0.1);
    s->settings = (hml_contact_settings){.planes = plane, .nplanes = 1, .shapes = shape, .nshapes = 1};
    open_scene(s);
    s->q[3] = cos(angle / 2), s->q[5] = sin(angle / 2);
    for (int i = 0; i < 3; i++) s->q[i] = (0.1 - 1e-6) * plane->normal[i];
}

static void test_incline_sticks(void **state)
{
    (void)state;
    scene s = {0};
    hml_plane plane;
    hml_shape shape;
    const double friction = 0.5, angle = atan(friction) - 0.01;
    double q[7];
    open_incline(&s, &plane, &shape, angle, friction);
    memcpy(q, s.q, sizeof q);
    run(&s, 1e-3, 1000, NULL);
    assert_all_close(s.q, q, 7, 1e-9);
    assert_all_close(s.v, (double[6]){0}, 6, 1e-10);
    assert_int_equal(s.result.contacts, 4);
    close_scene(&s);
}

static void test_incline_slides(void **state)
{
    (void)state;
    scene s = {0};
    hml_plane plane;
    hml_shape shape;
    const double friction = 0.5, angle = atan(friction) + 0.1, h = 1e-3;
    const double a = g * (sin(angle) - friction * cos(angle));
    open_incline(&s, &plane, &shape, angle, friction);
    run(&s, h, 1000, NULL);
    assert_close(s.v[0], a * 1000 * h, 1e-7); /* a thousand steps of 1e-10 */
    assert_all_close(s.v + 1, (double[5]){0}, 5, 1e-7);
    hml_contact_point p;
    double force[3] = {0};
    for (int32_t i = 0; i < hml_contact_count(s.contact); i++) {
        OK(hml_contact_get(s.contact, i, &p));
        for (int k = 0; k < 3; k++) force[k] += p.impulse[k] / h;
    }
    assert_close(force[0], 2 * a * cos(angle), 1e-6); /* m a, along the world's x and z */
    assert_close(force[2], 2 * (g - a * sin(angle)), 1e-6);
    close_scene(&s);
}

static void test_free_flight(void **state)
{
    (void)state;
    scene s = {0};
    hml_builder *b = hml_builder_new();
    add_solid(b, "ball", HML_JOINT_TRANSLATION3, 0.1, 0.1, 0.1);
    s.model = finish(b, 0);
    open_scene(&s);
    s.v[0] = 1, s.v[2] = 3;
    run(&s, 1e-2, 100, NULL);
    assert_close(s.q[0], 1, 1e-12);
    assert_close(s.q[2], 3 - 0.5 * g, 1e-12); /* the midpoint rule is exact for a parabola */
    close_scene(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_incline_sticks),
        cmocka_unit_test(test_incline_slides),
        cmocka_unit_test(test_free_flight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
