/*
 * Out of memory while reading: at every single allocation, in every format. The status says so (a parser that takes
 * it for a mistake in the file sends people looking for one), there is a message, and nothing is left behind.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "allocator.h"

#include <cmocka.h>

#include "hamel/io.h"
#include "hamel/view.h"

#define INERTIA "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>"

static const char urdf[] =
    "<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' "
    "izz='1'/></inertial><collision><geometry><sphere radius='1'/></geometry></collision></link><link name='b'/><link "
    "name='c'/><joint name='j' type='continuous' odd=''><parent link='a'/><child link='b'/><axis xyz='0 2 0'/></joint>"
    "<joint name='p' type='planar'><parent link='b'/><child link='c'/><axis xyz='0 1 0'/></joint><unknown/></robot>";
static const char mjcf[] =
    "<mujoco model='m'><default><geom density='3'/><default class='c'><joint damping='1'/></default></default>"
    "<worldbody><site name='s'/><body name='b' childclass='c'><joint name='j'/><joint axis='1 0 0'/><geom size='1'/>"
    "<site name='b'/><frame pos='1 0 0'><body><freejoint odd=''/></body></frame></body></worldbody>"
    "<actuator><motor name='m' joint='j'/></actuator><equality><joint joint1='j'/></equality>"
    "<tendon><fixed name='t' stiffness='1'/></tendon></mujoco>";
static const char sound_mjcf[] =
    "<mujoco model='m'><default><geom density='3'/><default class='c'><joint damping='1'/></default></default>"
    "<worldbody><site name='s'/><body name='b' childclass='c'><joint name='j'/><joint axis='1 0 0'/><geom size='1'/>"
    "<site name='b'/><frame pos='1 0 0'><body>" INERTIA "</body></frame></body></worldbody><actuator><motor name='m' "
    "joint='j'/></actuator><equality><joint joint1='j'/></equality><tendon><fixed name='t' stiffness='1'/></tendon>"
    "<keyframe><key name='k' qpos='1 2'/><key qvel='1 2'/><key name='k' qpos='1 2'/><key qpos='1'/><odd/></keyframe>"
    "</mujoco>";
static const char json[] =
    "{\"name\": \"r\", \"bodies\": [{\"name\": \"b\", \"parent\": null, \"joint\": {\"name\": \"j\", \"type\": "
    "\"universal\", \"axis\": [0, 0, 1], \"axis2\": [0, 1, 0]}, \"inertia\": {\"mass\": 1, \"com\": [0, 0, 0]}}], "
    "\"frames\": [{\"name\": \"f.cross\", \"body\": \"b\", \"origin\": {\"rpy\": [0, 0, 1]}}, {\"name\": \"f\", "
    "\"body\": \"b\"}], \"shapes\": [{\"body\": "
    "\"b\", "
    "\"type\": \"point\"}], \"keyframes\": [{\"name\": \"k\", \"joints\": {\"j\": {\"position\": [1, 2]}}}, {\"name\": "
    "\"l\", \"odd\": 1}], \"odd\": {\"a\": 1, \"b\": 1, \"c\": 1, \"d\": 1, \"e\": 1, \"f\": 1, \"g\": 1, \"h\": 1, "
    "\"i\": 1, \"j\": [1, [2, [3]]]}}";
static const char state[] = "{\"joints\": {\"j\": {\"position\": [0.1, 0.2], \"odd\": 1}}, \"wrenches\": [{\"frame\": "
                            "\"f\", \"wrench\": [0, 0, 1, 0, 0, 0]}], \"odd\": 2}";

typedef hml_status operation(const char *name, const char *text, const hml_model *model, hml_error *error);

static hml_status load(const char *name, const char *text, const hml_model *model, hml_error *error)
{
    (void)model;
    hml_model *loaded = NULL;
    hml_status status = hml_load_memory(text, strlen(text), name, NULL, &loaded, error);
    assert_true((status == HML_OK) == (loaded != NULL));
    hml_model_free(loaded);
    return status;
}

static hml_status load_state(const char *name, const char *text, const hml_model *model, hml_error *error)
{
    hml_state *loaded = NULL;
    hml_status status = hml_state_load_memory(text, strlen(text), name, model, &loaded, error);
    assert_true((status == HML_OK) == (loaded != NULL));
    hml_state_free(loaded);
    return status;
}

static hml_status load_scene(const char *name, const char *text, const hml_model *model, hml_error *error)
{
    hml_scene *loaded = NULL;
    hml_status status = hml_scene_load_memory(text, strlen(text), name, NULL, model, &loaded, error);
    assert_true((status == HML_OK) == (loaded != NULL));
    hml_scene_free(loaded);
    return status;
}

static hml_status write_json(const char *name, const char *text, const hml_model *model, hml_error *error)
{
    (void)name, (void)text;
    char *written = NULL;
    size_t size;
    hml_status status = hml_write_json(model, &written, &size, error);
    hml_text_free(written);
    return status;
}

/* what it answers with memory enough, it answers at the end; before that, out of memory each time */
static void fail_everywhere(const char *name, operation *run, const char *text, const hml_model *model)
{
    hml_error error = {0};
    allocator_start();
    hml_status expected = run(name, text, model, &error);
    for (long k = 0;; k++) {
        size_t before = allocated_now;
        memset(&error, 0, sizeof error);
        allocator_start();
        allocations_left = k;
        hml_status status = run(name, text, model, &error);
        long failed = allocations_failed;
        allocator_start();
        assert_int_equal(allocated_now, before);
        if (!failed) {
            assert_int_equal(status, expected);
            assert_true(k > 0);
            return;
        }
        if (status != HML_OUT_OF_MEMORY || error.status != status || !strstr(error.message, "out of memory"))
            fail_msg("%s, allocation %ld: status %d, '%s'", name, k, (int)status, error.message);
    }
}

static void test_readers(void **unused)
{
    (void)unused;
    if (!ALLOCATOR) skip();
    hml_model *model = NULL;
    assert_int_equal(hml_load_memory(json, strlen(json), "a.json", NULL, &model, NULL), HML_OK);
    fail_everywhere("a.urdf", load, urdf, NULL);
    fail_everywhere("a.xml", load, sound_mjcf, NULL);
    fail_everywhere("a.xml", load, mjcf, NULL); /* it is refused, in the end */
    fail_everywhere("a.json", load, json, NULL);
    fail_everywhere("a.json", load, "{\"bodies\": [}", NULL);
    fail_everywhere("a.urdf", load_scene, urdf, model); /* of another model: warnings */
    fail_everywhere("a.xml", load_scene, sound_mjcf, model);
    fail_everywhere("a.json", load_scene, json, model);
    fail_everywhere("state", load_state, state, model);
    fail_everywhere("written", write_json, "", model);
    hml_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_readers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
