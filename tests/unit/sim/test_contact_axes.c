/*
 * Bodies that slide and turn at once, far from any floor: what flies goes straight on, whatever its spin. Their joints
 * count lengths in axes that turn with them.
 */
#include "contact_check.h"

/* cosine and sine of the angle of a planar or Schönflies joint, R of a free one: what takes ν to the predecessor */
static void rotation_of(hml_joint_type type, const double *q, double R[9])
{
    const double c = cos(q[type == HML_JOINT_PLANAR ? 2 : 3]), s = sin(q[type == HML_JOINT_PLANAR ? 2 : 3]);
    const double turned[9] = {c, -s, 0, s, c, 0, 0, 0, 1};
    memcpy(R, turned, sizeof turned);
    if (type == HML_JOINT_FREE) OK(hml_quat_to_matrix(q + 3, R));
}

static void velocity_outside(hml_joint_type type, const double *q, const double *v, double out[3])
{
    double R[9];
    const double linear[3] = {v[0], v[1], type == HML_JOINT_PLANAR ? 0 : v[2]};
    rotation_of(type, q, R);
    for (int i = 0; i < 3; i++) out[i] = R[3 * i] * linear[0] + R[3 * i + 1] * linear[1] + R[3 * i + 2] * linear[2];
}

static void test_what_spins_flies_straight(void **state)
{
    (void)state;
    static const hml_joint_type types[3] = {HML_JOINT_PLANAR, HML_JOINT_SCHOENFLIES, HML_JOINT_FREE};
    for (int k = 0; k < 3; k++) {
        const int lengths = types[k] == HML_JOINT_PLANAR ? 2 : 3, angle = lengths;
        const double none[3] = {0}, h = 1e-2;
        scene s = {0};
        hml_builder *b = hml_builder_new();
        OK(hml_builder_set_gravity(b, none));
        add_solid(b, "body", types[k], 0.2, 0.2, 0.2); /* a cube: it may spin about any axis */
        s.model = finish(b, 0);
        hml_plane plane = floor_plane(0.5, 0);
        plane.point[2] = -100;
        hml_shape shape = shape_on(0, HML_SHAPE_SPHERE, 0.1, 0, 0);
        s.settings = (hml_contact_settings){.planes = &plane, .nplanes = 1, .shapes = &shape, .nshapes = 1};
        open_scene(&s);
        for (int i = 0; i < lengths; i++) s.q[i] = 0.3 * (i + 1), s.v[i] = 1 - 0.7 * i;
        if (types[k] == HML_JOINT_FREE) {
            const double w[3] = {0.9, -1.1, 2}, turned[4] = {0.8, 0, 0.6, 0};
            memcpy(s.v + 3, w, sizeof w), memcpy(s.q + 3, turned, sizeof turned);
        } else {
            s.q[angle] = 0.4, s.v[angle] = 2.5;
        }
        double begin[3] = {0}, before[3], after[3], spin = s.v[angle], first = s.q[angle];
        memcpy(begin, s.q, (size_t)lengths * sizeof *begin);
        velocity_outside(types[k], s.q, s.v, before);
        run(&s, h, 150, NULL);
        velocity_outside(types[k], s.q, s.v, after);
        for (int i = 0; i < 3; i++) assert_close(after[i], before[i], 1e-10);
        for (int i = 0; i < lengths; i++) assert_close(s.q[i], begin[i] + 150 * h * before[i], 1e-10);
        if (types[k] != HML_JOINT_FREE) assert_close(s.q[angle], first + 150 * h * spin, 1e-10);
        assert_int_equal(s.result.contacts, 0);
        close_scene(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_what_spins_flies_straight)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
