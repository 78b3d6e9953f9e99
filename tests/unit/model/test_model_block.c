/* The block: it can be moved, copied and doubted. */
#include <stdlib.h>

#include "model_fixture.h"

#include "model/model.h"

static hml_model *zoo(void)
{
    hml_builder *b = hml_builder_new();
    char name[16], parent[16];
    for (int i = HML_JOINT_FIXED; i <= HML_JOINT_FREE; i++) {
        snprintf(name, sizeof name, "l%d", i);
        snprintf(parent, sizeof parent, "l%d", i / 2);
        add_link(b, name, i > 1 ? parent : NULL, (hml_joint_type)i);
    }
    hml_joint_spec joint = some_joint(HML_JOINT_REVOLUTE, "copycat");
    joint.mimic = "j_l1";
    joint.damping[0] = 0.1;
    add_spec(b, "copycat", "l3", &joint);
    add_tool(b, "tool", "l4");
    hml_builder_add_warning(b, "a warning");
    return finish(b, 0);
}

static void test_round_trip(void **state)
{
    (void)state;
    hml_model *m = zoo(), *copy = NULL, *again = NULL;
    size_t size = hml_model_size(m);
    char *anywhere = malloc(size + 3); /* on the way a block may lie at any address */
    memcpy(anywhere + 3, hml_model_data(m), size);
    assert_int_equal(hml_model_from_data(anywhere + 3, size, &again), HML_OK);
    free(anywhere);
    assert_int_equal(hml_model_copy(m, &copy), HML_OK);
    assert_memory_equal(copy, m, size);
    assert_int_equal(hml_model_size(again), size);
    assert_memory_equal(again, m, size);
    assert_int_equal((uintptr_t)again % HML_MODEL_ALIGN, 0);
    hml_model_free(m);
    assert_int_equal(hml_model_find_frame(again, "tool"), hml_model_find_frame(copy, "tool"));
    const double moon[3] = {0, 0, -1.62};
    double g[3];
    assert_int_equal(hml_model_set_gravity(copy, moon), HML_OK);
    hml_model_gravity(copy, g);
    assert_memory_equal(g, moon, sizeof g);
    hml_model_gravity(again, g);
    assert_true(g[2] == -9.81);
    hml_model_free(copy);
    hml_model_free(again);
}

static void test_same_input_same_bytes(void **state)
{
    (void)state;
    hml_model *a = zoo(), *b = zoo();
    assert_int_equal(hml_model_size(a), hml_model_size(b));
    assert_memory_equal(a, b, hml_model_size(a));
    hml_model_free(a);
    hml_model_free(b);
}

/* walk over everything a model says; the sanitizers watch */
static double read_all(const hml_model *m)
{
    double sum = (double)strlen(hml_model_name(m));
    char name[64];
    for (int32_t i = 0; i < hml_model_nbodies(m); i++) {
        hml_body_info info = {.struct_size = sizeof info};
        assert_int_equal(hml_model_body(m, i, &info), HML_OK);
        sum += info.mass + hml_model_find_body(m, info.name);
    }
    for (int32_t i = 0; i < hml_model_njoints(m); i++) {
        hml_joint_info info = {.struct_size = sizeof info};
        assert_int_equal(hml_model_joint(m, i, &info), HML_OK);
        sum += info.rest[0] + info.damping[0] + hml_model_find_joint(m, info.name);
    }
    for (int32_t i = 0; i < hml_model_nframes(m); i++) {
        hml_frame_info info = {.struct_size = sizeof info};
        assert_int_equal(hml_model_frame(m, i, &info), HML_OK);
        sum += info.position[0] + hml_model_find_frame(m, info.name);
    }
    for (int32_t i = 0; i < hml_model_nv(m); i++)
        assert_int_equal(hml_model_velocity_name(m, i, name, sizeof name), HML_OK);
    for (int32_t i = 0; i < hml_model_nwarnings(m); i++) sum += (double)strlen(hml_model_warning(m, i));
    return sum;
}

/* every byte changed in several ways: refused, or still a model that can be read */
static void test_every_byte_broken(void **state)
{
    (void)state;
    static const unsigned char flips[] = {0x01, 0x80, 0xff};
    hml_model *m = zoo();
    size_t size = hml_model_size(m);
    unsigned char *data = malloc(size);
    memcpy(data, m, size);
    int refused = 0, accepted = 0;
    for (size_t i = 0; i < size; i++) {
        for (size_t k = 0; k < sizeof flips; k++) {
            hml_model *broken = NULL;
            data[i] ^= flips[k];
            hml_status status = hml_model_from_data(data, size, &broken);
            data[i] ^= flips[k];
            assert_true(status == HML_OK || status == HML_BAD_MODEL || status == HML_OUT_OF_MEMORY);
            if (status == HML_OK) read_all(broken);
            status == HML_OK ? accepted++ : refused++;
            hml_model_free(broken);
        }
    }
    assert_true(refused > 0 && accepted > 0);
    free(data);
    hml_model_free(m);
}

/* whole words replaced: the values that hurt most as an index, a count, an offset or a number */
static void test_every_word_broken(void **state)
{
    (void)state;
    static const uint32_t values[] = {0x7fffffffu, 0x80000000u, 0xffffffffu, 0x7ff80000u, 0x7ff00000u, 12u, 1u << 20};
    hml_model *m = zoo();
    size_t size = hml_model_size(m);
    unsigned char *data = malloc(size);
    memcpy(data, m, size);
    for (size_t i = 0; i + 4 <= size; i += 4) {
        for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
            hml_model *broken = NULL;
            uint32_t before;
            memcpy(&before, data + i, 4);
            memcpy(data + i, &values[k], 4);
            if (hml_model_from_data(data, size, &broken) == HML_OK) read_all(broken);
            memcpy(data + i, &before, 4);
            hml_model_free(broken);
        }
    }
    free(data);
    hml_model_free(m);
}

static void test_truncated(void **state)
{
    (void)state;
    hml_model *m = zoo(), *broken = NULL;
    for (size_t size = 0; size < hml_model_size(m); size += 7)
        assert_int_equal(hml_model_from_data(m, size, &broken), HML_BAD_MODEL);
    assert_int_equal(hml_model_from_data(NULL, 100, &broken), HML_INVALID_ARGUMENT);
    hml_model_free(m);
}

/* each invariant of the tree broken on its own must be seen */
static void test_invariants(void **state)
{
    (void)state;
    hml_model *m = zoo();
    size_t size = hml_model_size(m);
    model_body *bodies = (model_body *)((char *)m + m->bodies);
    model_joint *joints = (model_joint *)((char *)m + m->joints);
    model_frame *frames = (model_frame *)((char *)m + m->frames);
    int32_t follower = hml_model_find_joint(m, "copycat");
    int32_t *const numbers[] = {&bodies[1].parent, &bodies[1].type,
                                &bodies[1].q,      &bodies[1].v,
                                &bodies[1].nq,     &bodies[1].nv,
                                &bodies[1].depth,  &bodies[1].root,
                                &bodies[1].joint,  &bodies[1].subtree_end,
                                &joints[1].body,   &joints[1].nbodies,
                                &joints[1].q,      &joints[1].v,
                                &joints[1].nq,     &joints[1].nv,
                                &joints[1].type,   &joints[follower].leader,
                                &frames[1].body,   &frames[1].kind,
                                &m->passive,       &m->depth,
                                &m->nfollowers,    &m->nv,
                                &m->tree_nq,       &m->nframes};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        for (int step = -1; step <= 1; step += 2) {
            hml_model *broken = NULL;
            if (numbers[i] == &joints[follower].leader && step == 1) continue; /* another joint may well lead */
            *numbers[i] += step;
            if (hml_model_from_data(m, size, &broken) != HML_BAD_MODEL) fail_msg("number %zu, step %d", i, step);
            *numbers[i] -= step;
        }
    }
    hml_model *whole = NULL;
    assert_int_equal(hml_model_from_data(m, size, &whole), HML_OK);
    hml_model_free(whole);
    hml_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),        cmocka_unit_test(test_same_input_same_bytes),
        cmocka_unit_test(test_every_byte_broken), cmocka_unit_test(test_every_word_broken),
        cmocka_unit_test(test_truncated),         cmocka_unit_test(test_invariants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
