/* Scenes: what a URDF or MJCF file shows, where its meshes are, and what is said about those that are missing. */
#define _XOPEN_SOURCE 700
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hamel/view.h"
#include "io_check.h"

static char folder[256];

static const char *path_of(const char *name)
{
    static char paths[4][512];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static void save(const char *name, const char *text)
{
    FILE *file = fopen(path_of(name), "wb");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void make_folder(const char *name) { assert_int_equal(mkdir(path_of(name), 0700), 0); }

/*
 * folder/
 *   arm_description/meshes/upper.STL     package://arm_description/meshes/upper.STL from arm_description/urdf/
 *   elsewhere/hand/palm.dae              package://hand/palm.dae with ROS_PACKAGE_PATH = elsewhere
 *   prefix/share/tool/tip.obj            package://tool/tip.obj with AMENT_PREFIX_PATH = prefix
 *   assets/thigh.obj, assets/skin.png    of MJCF files
 */
static int setup(void **state)
{
    (void)state;
    const char *tmp = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/hamel-scene-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    assert_non_null(mkdtemp(folder));
    const char *const folders[] = {"arm_description", "arm_description/urdf", "arm_description/meshes",
                                   "elsewhere",       "elsewhere/hand",       "prefix",
                                   "prefix/share",    "prefix/share/tool",    "assets"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) make_folder(folders[i]);
    const char *const files[] = {"arm_description/meshes/upper.STL", "elsewhere/hand/palm.dae",
                                 "prefix/share/tool/tip.obj", "assets/thigh.obj", "assets/skin.png"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) save(files[i], "mesh");
    unsetenv("ROS_PACKAGE_PATH");
    unsetenv("AMENT_PREFIX_PATH");
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    char command[512];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

/* a model and its scene; name: of the file in the folder */
static hml_scene *scene_of(const char *name, const char *text, hml_model **model)
{
    hml_scene *scene = NULL;
    hml_error error = {0};
    save(name, text);
    if (hml_load(path_of(name), NULL, model, &error)) fail_msg("%d: %s", error.line, error.message);
    if (hml_scene_load(path_of(name), NULL, *model, &scene, &error)) fail_msg("%d: %s", error.line, error.message);
    assert_non_null(scene);
    return scene;
}

static void done(hml_model *model, hml_scene *scene)
{
    hml_scene_free(scene);
    hml_model_free(model);
}

static void assert_says(const hml_scene *scene, const char *word)
{
    for (int32_t i = 0; i < scene->nwarnings; i++)
        if (strstr(scene->warnings[i], word)) return;
    fail_msg("no warning has '%s'", word);
}

#define INERTIAL "<inertial><mass value='1'/><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>"

/* ---- URDF ---- */

static void urdf_shows_its_visuals(void **state)
{
    (void)state;
    hml_model *model;
    hml_scene *scene = scene_of(
        "arm_description/urdf/arm.urdf",
        "<robot name='arm'><material name='red'><color rgba='1 0 0 0.5'/></material>"
        "<link name='base'>" INERTIAL "<visual><origin xyz='1 2 3' rpy='0 0 1.5707963267948966'/>"
        "<geometry><box size='2 4 6'/></geometry><material name='red'/></visual>"
        "<visual><geometry><cylinder radius='0.5' length='3'/></geometry>"
        "<material name='blue'><color rgba='0 0 2 1'/></material></visual></link>"
        "<link name='upper'>" INERTIAL "<visual><geometry>"
        "<mesh filename='package://arm_description/meshes/upper.STL' scale='0.001 0.001 -0.001'/></geometry></visual>"
        "<visual><geometry><mesh filename='meshes/upper.STL'/></geometry></visual></link>"
        "<link name='tip'><visual><geometry><sphere radius='0.1'/></geometry><material name='blue'/></visual></link>"
        "<joint name='j' type='continuous'><parent link='base'/><child link='upper'/></joint>"
        "<joint name='k' type='fixed'><origin xyz='0 0 1'/><parent link='upper'/><child link='tip'/></joint></robot>",
        &model);
    assert_int_equal(scene->nvisuals, 5);
    assert_int_equal(scene->nwarnings, 0);
    assert_int_equal(scene->nfiles, 1); /* both names lead to one file */
    const hml_visual *v = scene->visuals;
    assert_int_equal(v[0].kind, HML_VISUAL_BOX);
    assert_int_equal(v[0].frame, hml_model_find_frame(model, "base"));
    assert_near(v[0].size, (const double[]){1, 2, 3}, 3, 0, "half lengths");
    assert_near(v[0].position, (const double[]){1, 2, 3}, 3, 0, "position");
    assert_near(v[0].rotation, (const double[]){0, -1, 0, 1, 0, 0, 0, 0, 1}, 9, 1e-15, "rotation");
    assert_near(v[0].colour, (const double[]){1, 0, 0, 0.5}, 4, 0, "colour by name");
    assert_near(v[1].size, (const double[]){0.5, 1.5}, 2, 0, "cylinder");
    assert_near(v[1].colour, (const double[]){0, 0, 1, 1}, 4, 0, "a colour beyond 1");
    assert_int_equal(v[2].kind, HML_VISUAL_MESH);
    assert_near(v[2].size, (const double[]){0.001, 0.001, -0.001}, 3, 0, "scale");
    assert_int_equal(v[2].mesh, 0);
    assert_true(v[2].colour[0] < 0);
    assert_int_equal(v[3].mesh, 0);
    assert_int_equal(v[4].frame, hml_model_find_frame(model, "tip")); /* a merged link has its own frame */
    assert_near(v[4].colour, (const double[]){0, 0, 1, 1}, 4, 0, "material of another visual");
    struct stat about;
    assert_int_equal(stat(scene->files[0], &about), 0);
    done(model, scene);
}

static void urdf_says_once_what_is_missing(void **state)
{
    (void)state;
    hml_model *model;
    assert_int_equal(truncate(path_of("arm_description/meshes/upper.STL"), 0), 0);
    save("arm_description/meshes/huge.stl", "");
    assert_int_equal(truncate(path_of("arm_description/meshes/huge.stl"), HML_SCENE_MAX_FILE + 1l), 0);
    make_folder("arm_description/meshes/folder.stl");
    hml_scene *scene = scene_of("arm_description/urdf/lost.urdf",
                                "<robot name='lost'><link name='base'>" INERTIAL
                                "<visual><geometry><mesh filename='package://gone/a.stl'/></geometry></visual>"
                                "<visual><geometry><mesh filename='package://gone/b.stl'/></geometry></visual>"
                                "<visual><geometry><mesh filename='package://gone/b.stl'/></geometry></visual>"
                                "<visual><geometry><mesh filename='meshes/folder.stl'/></geometry></visual>"
                                "<visual><geometry><mesh filename='http://example.com/a.stl'/></geometry></visual>"
                                "<visual><geometry><mesh filename='meshes/huge.stl'/></geometry></visual>"
                                "<visual><geometry><mesh filename='/etc/passwd'/></geometry></visual>"
                                "<visual><geometry><sphere radius='1 2'/></geometry></visual>"
                                "<visual><geometry><sphere radius='0'/></geometry></visual>"
                                "<visual><geometry><sphere radius='1'/></geometry></visual></link></robot>",
                                &model);
    assert_int_equal(scene->nvisuals, 1);
    assert_int_equal(scene->nfiles, 0);
    assert_int_equal(scene->nwarnings, 4);
    assert_says(scene, "'package://gone/a.stl' and 3 more: each was not found");
    assert_says(scene, "ROS_PACKAGE_PATH");
    assert_says(scene, "'meshes/huge.stl' is too large");
    assert_says(scene, "'/etc/passwd' is not .stl");
    assert_says(scene, "radius");
    done(model, scene);
    unlink(path_of("arm_description/meshes/huge.stl"));
}

static const char *const packages =
    "<robot name='far'><link name='world'/><link name='a'>" INERTIAL
    "<visual><geometry><mesh filename='package://hand/palm.dae'/></geometry></visual>"
    "<visual><geometry><mesh filename='package://tool/tip.obj'/></geometry></visual></link>"
    "<joint name='j' type='continuous'><parent link='world'/><child link='a'/></joint></robot>";

static void packages_are_found_by_the_environment(void **state)
{
    (void)state;
    hml_model *model;
    hml_scene *scene = scene_of("far.urdf", packages, &model);
    assert_int_equal(scene->nvisuals, 0);
    done(model, scene);
    char list[600];
    snprintf(list, sizeof list, "/nowhere::%s", path_of("elsewhere"));
    setenv("ROS_PACKAGE_PATH", list, 1);
    setenv("AMENT_PREFIX_PATH", path_of("prefix"), 1);
    scene = scene_of("far.urdf", packages, &model);
    unsetenv("ROS_PACKAGE_PATH");
    unsetenv("AMENT_PREFIX_PATH");
    assert_int_equal(scene->nvisuals, 2);
    assert_string_equal(scene->files[0], path_of("elsewhere/hand/palm.dae"));
    assert_string_equal(scene->files[1], path_of("prefix/share/tool/tip.obj"));
    done(model, scene);
}

/* a model that was read otherwise need not have all links; memory without a name has no folder */
static void other_models_and_memory(void **state)
{
    (void)state;
    hml_scene *scene = NULL;
    hml_error error = {0};
    hml_model *model =
        load_text("x.json", "{\"bodies\": [{\"name\": \"b\", \"parent\": null,"
                            "\"joint\": {\"name\": \"j\", \"type\": \"free\"}, \"inertia\": {\"mass\": 1}}]}");
    assert_int_equal(hml_scene_load_memory(packages, strlen(packages), NULL, NULL, model, &scene, &error), HML_OK);
    assert_int_equal(scene->nvisuals, 0);
    assert_says(scene, "not found");
    hml_scene_free(scene);
    const char *text =
        "<robot name='r'><link name='a'>" INERTIAL "<visual><geometry><sphere radius='1'/></geometry></visual>"
        "<visual><geometry><sphere radius='2'/></geometry></visual></link></robot>";
    assert_int_equal(hml_scene_load_memory(text, strlen(text), NULL, NULL, model, &scene, NULL), HML_OK);
    assert_int_equal(scene->nvisuals, 0);
    assert_int_equal(scene->nwarnings, 1);
    assert_says(scene, "no link 'a'");
    hml_scene_free(scene);
    char outside[700];
    snprintf(
        outside, sizeof outside,
        "<robot name='r'><link name='b'>%s<visual><geometry><mesh filename='%s'/>"
        "</geometry></visual><visual><geometry><mesh filename='meshes/upper.STL'/></geometry></visual></link></robot>",
        INERTIAL, path_of("assets/thigh.obj"));
    hml_status status = hml_scene_load_memory(outside, strlen(outside), path_of("arm_description/urdf/arm.urdf"), NULL,
                                              model, &scene, NULL);
    assert_int_equal(status, HML_OK);
    assert_int_equal(scene->nvisuals, 1); /* a name from memory leads to no file outside */
    assert_says(scene, "thigh.obj' was not found");
    hml_scene_free(scene);
    assert_int_equal(hml_scene_load_memory("<robot", 6, NULL, NULL, model, &scene, &error), HML_BAD_FILE);
    assert_null(scene);
    assert_int_equal(hml_scene_load("/nowhere.urdf", NULL, model, &scene, &error), HML_CANNOT_READ);
    assert_int_equal(hml_scene_load(NULL, NULL, model, &scene, &error), HML_INVALID_ARGUMENT);
    assert_int_equal(hml_scene_load("x.urdf", NULL, NULL, &scene, &error), HML_INVALID_ARGUMENT);
    hml_scene_free(NULL);
    hml_model_free(model);
}

/* ---- MJCF ---- */

static const char *const walker =
    "<mujoco><compiler meshdir='assets' texturedir='assets'/>"
    "<default><mesh scale='0.1 0.1 0.1'/><geom material='skin'/>"
    "<default class='collision'><geom group='3'/></default></default>"
    "<asset><mesh file='thigh.obj' refpos='1 0 0'/><mesh name='lost' file='lost.stl'/>"
    "<texture name='t' type='2d' file='skin.png'/><material name='skin' rgba='0.2 0.4 0.6 1' texture='t'/></asset>"
    "<worldbody><geom type='plane' size='0 0 1' material='none'/>"
    "<body><freejoint/><geom type='mesh' mesh='thigh' mass='1' pos='0 0 5'/><inertial pos='0 0 0' mass='1' "
    "diaginertia='1 1 1'/>"
    "<geom type='mesh' mesh='lost'/><geom type='sphere' size='1' rgba='0 0 0 0'/>"
    "<geom class='collision' type='sphere' size='1'/>"
    "<frame pos='0 0 1'><geom type='capsule' size='0.1' fromto='0 0 0 0 0 2' rgba='1 0.5 0 1'/></frame>"
    "<geom type='ellipsoid' size='1 2 3'/></body></worldbody></mujoco>";

static void mjcf_shows_its_geoms(void **state)
{
    (void)state;
    hml_model *model;
    hml_scene *scene = scene_of("walker.xml", walker, &model);
    const hml_visual *v = scene->visuals;
    assert_int_equal(scene->nvisuals, 4);
    assert_int_equal(v[0].kind, HML_VISUAL_PLANE);
    assert_int_equal(v[0].frame, -1);
    assert_true(v[0].colour[0] < 0);
    assert_int_equal(v[1].kind, HML_VISUAL_MESH);
    assert_int_equal(v[1].frame, hml_model_find_frame(model, "body1")); /* a body without a name */
    assert_near(v[1].size, (const double[]){0.1, 0.1, 0.1}, 3, 0, "scale of the default class");
    assert_near(v[1].position, (const double[]){-0.1, 0, 5}, 3, 1e-17, "pos less refpos, which is scaled");
    assert_near(v[1].colour, (const double[]){0.2, 0.4, 0.6, 1}, 4, 0, "material");
    assert_int_equal(v[1].paint, 1);
    assert_string_equal(scene->files[v[1].mesh], path_of("assets/thigh.obj"));
    assert_string_equal(scene->files[v[1].texture], path_of("assets/skin.png"));
    assert_int_equal(v[2].kind, HML_VISUAL_CAPSULE);
    assert_near(v[2].size, (const double[]){0.1, 1}, 2, 0, "capsule");
    assert_near(v[2].position, (const double[]){0, 0, 2}, 3, 0, "in its frame");
    assert_near(v[2].colour, (const double[]){1, 0.5, 0, 1}, 4, 0, "its own colour wins");
    assert_int_equal(v[3].kind, HML_VISUAL_ELLIPSOID);
    assert_int_equal(scene->nwarnings, 1);
    assert_says(scene, "'lost.stl' was not found");
    done(model, scene);
}

static void mjcf_strips_paths(void **state)
{
    (void)state;
    hml_model *model;
    hml_scene *scene =
        scene_of("strip.xml",
                 "<mujoco><compiler assetdir='assets' strippath='true'/><asset><mesh file='deep/er/thigh.obj'/></asset>"
                 "<worldbody><body><freejoint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>"
                 "<geom type='mesh' mesh='thigh'/><geom type='mesh' mesh='none'/>"
                 "<geom type='hfield' hfield='h' contype='0' conaffinity='0'/></body></worldbody></mujoco>",
                 &model);
    assert_int_equal(scene->nvisuals, 1);
    assert_string_equal(scene->files[0], path_of("assets/thigh.obj"));
    assert_says(scene, "no mesh 'none'");
    done(model, scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(urdf_shows_its_visuals),
        cmocka_unit_test(urdf_says_once_what_is_missing),
        cmocka_unit_test(packages_are_found_by_the_environment),
        cmocka_unit_test(other_models_and_memory),
        cmocka_unit_test(mjcf_shows_its_geoms),
        cmocka_unit_test(mjcf_strips_paths),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
