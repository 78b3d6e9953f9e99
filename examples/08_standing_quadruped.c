/*
 * A quadruped is dropped and stands: contact by hml_contact_step, a servo in every joint. The servos' gains are on the
 * armature of a second model, so that their forces count at the end of each step and no gain is too high.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <hamel/hamel.h>
#include <hamel/io.h>

enum { NQ = 19, NV = 18 };

static void check(hml_status status)
{
    if (status == HML_OK) return;
    fprintf(stderr, "%s\n", hml_status_message(status));
    exit(EXIT_FAILURE);
}

int main(void)
{
    static const char *const feet[4] = {"fl_foot", "fr_foot", "hl_foot", "hr_foot"};
    const double h = 0.002, stiffness = 150, damping = 10;
    double target[NQ], q[NQ], v[NV] = {0}, armature[NV] = {0}, gap[NV], tau[NV], up = 0;
    hml_model *dog, *stepped;
    hml_work *work;
    check(hml_load_builtin("quadruped", NULL, &dog, NULL));
    if (hml_model_nq(dog) != NQ || hml_model_nv(dog) != NV) return EXIT_FAILURE;
    for (int i = 6; i < NV; i++) armature[i] = h * damping + h * h * stiffness;
    check(hml_model_with_armature(dog, armature, &stepped));
    check(hml_work_new(stepped, HML_ISA_BEST, HML_USE_ALL, &work));
    check(hml_configuration_neutral(dog, target));
    for (int leg = 0; leg < 4; leg++) target[8 + 3 * leg] = 0.8, target[9 + 3 * leg] = -1.6; /* hip pitch, knee */
    for (int i = 0; i < NQ; i++) q[i] = target[i];
    q[2] = 0.4;

    hml_shape shapes[4] = {{0}};
    for (int i = 0; i < 4; i++) shapes[i].frame = hml_model_find_frame(dog, feet[i]), shapes[i].friction = 0.8;
    for (int i = 0; i < 12; i++) shapes[i / 3].rotation[4 * (i % 3)] = 1;
    const hml_plane ground = {.normal = {0, 0, 1}, .axis = {1, 0, 0}, .friction = 0.8};
    const hml_contact_settings settings = {
        .struct_size = sizeof settings, .planes = &ground, .nplanes = 1, .shapes = shapes, .nshapes = 4};
    hml_contact *contact;
    const hml_contact_motion step = {
        .struct_size = sizeof step, .h = h, .q = q, .v = v, .tau = tau, .q_next = q, .v_next = v};
    size_t size = hml_contact_size(stepped, &settings);
    void *memory = malloc(size);
    check(hml_contact_init(memory, size, stepped, &settings, &contact));
    for (int k = 0; k < 1000; k++) {
        check(hml_configuration_difference(dog, target, q, gap));
        for (int i = 0; i < NV; i++) tau[i] = i < 6 ? 0 : -stiffness * (gap[i] + h * v[i]) - damping * v[i];
        check(hml_contact_step(stepped, work, contact, &step));
    }
    for (int32_t i = 0; i < hml_contact_count(contact); i++) {
        hml_contact_point foot;
        check(hml_contact_get(contact, i, &foot));
        up += foot.impulse[2] / h;
    }
    double weight = 9.81 * hml_model_mass(dog);
    printf("after 2 s the trunk is at %.3f m, four feet carry %.2f N of %.2f N\n", q[2], up, weight);
    free(memory);
    hml_work_free(work);
    hml_model_free(stepped);
    hml_model_free(dog);
    return fabs(up / weight - 1) < 1e-3 ? EXIT_SUCCESS : EXIT_FAILURE;
}
