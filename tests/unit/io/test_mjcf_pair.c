/* <pair>: which shapes touch each other because of it. All balls overlap, so that contacts show which pairs may touch. */
#include <stdlib.h>

#include "hamel/hamel.h"
#include "io_check.h"

#define FREE(name, geoms)                                                                                              \
    "<body name='" name "'><freejoint name='j" name "'/><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>" geoms    \
    "</body>"
#define SILENT "contype='0' conaffinity='0'"

enum { MOST = 64 };

/* contacts of the balls, where every pair that may touch does */
static int32_t contacts_of(const hml_model *m)
{
    hml_work *work;
    hml_contact *contact;
    const hml_plane far_away = {.normal = {0, 0, 1}, .point = {0, 0, -9}};
    const hml_contact_settings s =
        HML_STRUCT(hml_contact_settings, .planes = &far_away, .nplanes = 1, .options = HML_CONTACT_PAIRS);
    const size_t size = hml_contact_size(m, &s);
    void *memory = malloc(size);
    double *q = calloc((size_t)hml_model_nq(m), sizeof *q);
    int32_t count = -1;
    assert_true(memory && q);
    assert_int_equal(hml_work_new(m, HML_ISA_BEST, HML_USE_ALL, &work), HML_OK);
    assert_int_equal(hml_contact_init(memory, size, m, &s, &contact), HML_OK);
    hml_configuration_neutral(m, q);
    assert_int_equal(hml_contact_exclude(m, work, contact, q, &count), HML_OK);
    hml_work_free(work);
    free(memory);
    free(q);
    return count;
}

static int32_t touching(const char *text)
{
    hml_model *m = load_text("m.xml", text);
    const int32_t count = contacts_of(m);
    hml_model_free(m);
    return count;
}

/* three balls, with these attributes, and pairs */
static int32_t three(const char *attributes, const char *pairs)
{
    char text[2000];
    snprintf(
        text, sizeof text,
        "<mujoco><default><geom %s size='1'/></default><worldbody><geom name='floor' type='plane' size='1 1 1'/>" FREE(
            "a", "<geom name='ga'/>") FREE("b", "<geom name='gb'/>")
            FREE("c", "<geom name='gc'/>") "</worldbody><contact>%s</contact></mujoco>",
        attributes, pairs);
    return touching(text);
}

static void test_who_touches(void **state)
{
    (void)state;
    assert_int_equal(three("", ""), 3);
    assert_int_equal(three("", "<pair geom1='ga' geom2='gb'/>"), 3); /* they do so anyway */
    assert_int_equal(three(SILENT, "<pair geom1='ga' geom2='gb'/>"), 1);
    assert_int_equal(three(SILENT, "<pair geom1='ga' geom2='gb'/><pair geom1='gb' geom2='ga'/>"), 1);
    assert_int_equal(three(SILENT, "<pair geom1='ga' geom2='gb'/><pair geom1='gc' geom2='ga'/>"), 2);
    assert_int_equal(three(SILENT, "<pair geom1='ga' geom2='gb'/><pair geom1='gc' geom2='ga'/>"
                                   "<pair geom1='gb' geom2='gc'/>"),
                     3);
    assert_int_equal(three("contype='1' conaffinity='2'", "<pair geom1='gb' geom2='gc'/>"), 1);
    assert_int_equal(three(SILENT, "<pair geom1='ga' geom2='floor'/><pair geom1='floor' geom2='gb'/>"), 0);
    /* a weld joins no pair that the file does not name, and the classes of pairs are read */
    assert_int_equal(
        touching("<mujoco><worldbody>" FREE("a", "<geom name='x' size='1' " SILENT "/><body name='w'>"
                                                 "<geom name='y' size='1' " SILENT "/></body>")
                     FREE("b", "<geom name='z' size='1' " SILENT
                               "/>") "</worldbody><contact><pair geom1='y' geom2='z'/></contact></mujoco>"),
        1);
}

/* a geom that only a pair lets touch becomes a shape, a frame, and stands on the ground with the pair's friction */
static void test_feet(void **state)
{
    (void)state;
    hml_model *m = load_text(
        "m.xml",
        "<mujoco><default><default class='grip'><pair friction='0.3 0.4'/></default></default>"
        "<worldbody><geom name='floor' type='plane' size='1 1 1'/>" FREE(
            "a", "<geom name='foot' size='1' " SILENT "/><geom name='seen' size='1' " SILENT
                 "/>") "</worldbody><contact><pair class='grip' geom1='foot' geom2='floor'/></contact></mujoco>");
    assert_int_equal(hml_model_nshapes(m), 1);
    hml_shape foot;
    assert_int_equal(hml_model_shape(m, 0, &foot), HML_OK);
    assert_true(foot.friction == 0.3);
    assert_true(hml_model_find_frame(m, "foot") >= 0 && hml_model_find_frame(m, "seen") < 0);
    assert_int_equal(hml_model_nwarnings(m), 0);
    hml_model_free(m);
}

static void test_what_is_left_out(void **state)
{
    (void)state;
    static const char *const texts[][2] = {
        {FREE("a",
              "<geom name='x' size='1'/><body name='b'><joint/><geom name='y' size='1'/></body>") "</"
                                                                                                  "worldbody><contact><"
                                                                                                  "pair geom1='x' "
                                                                                                  "geom2='y'/></"
                                                                                                  "contact></mujoco>",
         "a body and its parent"},
        {FREE("a", "<geom name='x' size='1'/>")
             FREE("b", "<geom name='y' size='1'/>") "</worldbody><contact><pair geom1='x' geom2='y' "
                                                    "friction='0.5'/></contact></mujoco>",
         "the larger one of its geoms counts, 1"},
        {FREE("a", "<geom name='x' size='1'/>")
             FREE("b", "<geom name='y' size='1'/>") "</worldbody><contact><pair geom1='x' geom2='y'/><exclude "
                                                    "body1='a' body2='b'/></contact></mujoco>",
         "counts for every <pair>"},
        {FREE("a", "<geom name='x' size='1' contype='-1'/>")
             FREE("b", "<geom name='y' size='1' conaffinity='0' contype='4'/>") FREE(
                 "c", "<geom name='z' size='1' conaffinity='0' contype='0'/>") "</worldbody><contact><pair geom1='y' "
                                                                               "geom2='z'/></contact></mujoco>",
         "no bit of contype is free"}};
    for (size_t i = 0; i < 4; i++) {
        char text[2000];
        snprintf(text, sizeof text, "<mujoco><worldbody>%s", texts[i][0]);
        hml_model *m = load_text("m.xml", text);
        assert_has_warning(m, texts[i][1]);
        hml_model_free(m);
    }
    assert_refused("m.xml",
                   "<mujoco><worldbody>" FREE(
                       "a", "<geom name='x' size='1'/>") "</worldbody><contact>\n"
                                                         "<pair geom1='x' geom2='nothing'/></contact></mujoco>",
                   HML_BAD_MODEL, 2, "there is no geom 'nothing'");
    assert_refused("m.xml",
                   "<mujoco><worldbody>" FREE("a", "<geom name='x' size='1'/>") "</worldbody><contact>\n"
                                                                                "<pair geom1='x'/></contact></mujoco>",
                   HML_BAD_FILE, 2, "geom2");
}

/* each of many balls with the next one: a bit per ball, until there are none */
static void test_many(void **state)
{
    (void)state;
    for (int n = 4; n <= MOST; n += 30) {
        char *text = malloc(MOST * 600), *to = text;
        assert_non_null(text);
        to += sprintf(to, "<mujoco><default><geom " SILENT " size='1'/></default><worldbody>");
        for (int i = 0; i < n; i++)
            to += sprintf(to,
                          "<body name='b%d'><freejoint name='j%d'/><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>"
                          "<geom name='g%d'/></body>",
                          i, i, i);
        to += sprintf(to, "</worldbody><contact>");
        for (int i = 1; i < n; i++) to += sprintf(to, "<pair geom1='g%d' geom2='g%d'/>", i - 1, i);
        sprintf(to, "</contact></mujoco>");
        hml_model *m = load_text("m.xml", text);
        const int32_t count = contacts_of(m);
        assert_true(n > 30 ? count >= 31 && count < n : count == n - 1);
        if (n > 60) assert_has_warning(m, "no bit of contype is free");
        hml_model_free(m);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_who_touches),
        cmocka_unit_test(test_feet),
        cmocka_unit_test(test_what_is_left_out),
        cmocka_unit_test(test_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
