/* <compiler> and <option>: what they say about the robot. Sections repeat; the last word counts. */
#include <string.h>

#include "io/mjcf/mjcf.h"

#define RADIANS_IN_DEGREE (3.14159265358979323846 / 180)

void hmli_mjcf_settings_init(mjcf_settings *set)
{
    memset(set, 0, sizeof *set);
    set->angle = RADIANS_IN_DEGREE;
    memcpy(set->eulerseq, "xyz", 4);
    set->from_geoms = 2;
    set->autolimits = 1;
    set->total_mass = -1;
    set->groups[1] = 5;
    set->gravity[2] = -9.81;
    set->meshdir = set->texturedir = "";
}

static const char *const flag_words[] = {"false", "true", NULL};

hml_status hmli_mjcf_compiler(mjcf *m, const xml_node *node)
{
    static const char *const known[] = {"autolimits",
                                        "boundmass",
                                        "boundinertia",
                                        "settotalmass",
                                        "balanceinertia",
                                        "strippath",
                                        "coordinate",
                                        "angle",
                                        "fitaabb",
                                        "eulerseq",
                                        "meshdir",
                                        "texturedir",
                                        "discardvisual",
                                        "usethread",
                                        "fusestatic",
                                        "inertiafromgeom",
                                        "inertiagrouprange",
                                        "saveinertial",
                                        "savecompiled",
                                        "savecanonical",
                                        "assetdir",
                                        "alignfree",
                                        "conflict",
                                        "passthrough",
                                        "exactmeshinertia",
                                        "convexhull",
                                        NULL};
    static const char *const angles[] = {"radian", "degree", NULL};
    static const char *const coordinates[] = {"local", "global", NULL};
    static const char *const from_geoms[] = {"false", "true", "auto", NULL};
    mjcf_settings *set = &m->set;
    mjcf_element e = {node, MJCF_PLAIN, 0};
    int degree = -1, global = 0;
    hml_status status = hmli_reader_warn_attributes(m->r, node, known);
    if (!status) status = hmli_mjcf_word(m, &e, "angle", angles, &degree);
    if (!status) status = hmli_mjcf_word(m, &e, "coordinate", coordinates, &global);
    if (!status) status = hmli_mjcf_word(m, &e, "inertiafromgeom", from_geoms, &set->from_geoms);
    if (!status) status = hmli_mjcf_word(m, &e, "autolimits", flag_words, &set->autolimits);
    if (!status) status = hmli_mjcf_word(m, &e, "balanceinertia", flag_words, &set->balance);
    if (!status) status = hmli_mjcf_word(m, &e, "alignfree", flag_words, &set->align_free);
    if (!status) status = hmli_mjcf_word(m, &e, "strippath", flag_words, &set->strippath);
    if (!status) status = hmli_mjcf_numbers(m, &e, "boundmass", 1, &set->bound_mass);
    if (!status) status = hmli_mjcf_numbers(m, &e, "boundinertia", 1, &set->bound_inertia);
    if (!status) status = hmli_mjcf_numbers(m, &e, "settotalmass", 1, &set->total_mass);
    if (!status) status = hmli_mjcf_numbers(m, &e, "inertiagrouprange", 2, set->groups);
    if (status) return status;
    if (global)
        return MJCF_FAIL(m, HML_UNSUPPORTED, node,
                         "<compiler> coordinate=\"global\" has not been supported since MuJoCo 2.3.3");
    const char *assetdir = hmli_xml_get(node, "assetdir"), *meshdir = hmli_xml_get(node, "meshdir");
    const char *texturedir = hmli_xml_get(node, "texturedir");
    if (assetdir) set->meshdir = set->texturedir = assetdir;
    if (meshdir) set->meshdir = meshdir;
    if (texturedir) set->texturedir = texturedir;
    if (degree >= 0) set->angle = degree ? RADIANS_IN_DEGREE : 1;
    const char *sequence = hmli_xml_get(node, "eulerseq");
    if (sequence) {
        if (strlen(sequence) != 3 || strspn(sequence, "xyzXYZ") != 3)
            return MJCF_FAIL(m, HML_BAD_FILE, node, "<compiler> eulerseq=\"%.80s\" is not three letters of xyzXYZ",
                             sequence);
        memcpy(set->eulerseq, sequence, 4);
    }
    return HML_OK;
}

/* wind, water and air: not in Hamel's equations */
static hml_status warn_medium(mjcf *m, const mjcf_element *e)
{
    static const char *const names[] = {"density", "viscosity", NULL};
    for (int i = 0; names[i]; i++) {
        double x = 0;
        hml_status status = hmli_mjcf_numbers(m, e, names[i], 1, &x);
        if (!status && x != 0)
            status = hmli_reader_warn_once(m->r, names[i], "line %d: the %s of the medium is not used", e->node->line,
                                           names[i]);
        if (status) return status;
    }
    return HML_OK;
}

hml_status hmli_mjcf_option(mjcf *m, const xml_node *node)
{
    static const char *const words[] = {"disable", "enable", NULL};
    static const char *const names[] = {"gravity", "spring", "damper", NULL};
    int *const off[] = {&m->set.no_gravity, &m->set.no_springs, &m->set.no_dampers};
    mjcf_element e = {node, MJCF_PLAIN, 0};
    hml_status status = hmli_mjcf_numbers(m, &e, "gravity", 3, m->set.gravity);
    if (!status) status = warn_medium(m, &e);
    for (const xml_node *flag = node->first; !status && flag; flag = flag->next) {
        if (!xml_is(flag, "flag")) continue;
        mjcf_element f = {flag, MJCF_PLAIN, 0};
        for (int i = 0; !status && names[i]; i++) {
            int on = !*off[i];
            status = hmli_mjcf_word(m, &f, names[i], words, &on);
            *off[i] = !on;
        }
    }
    return status;
}
