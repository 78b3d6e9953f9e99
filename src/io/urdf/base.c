/*
 * Is the root of a URDF bolted to the world, or does it float? The format cannot say it, and programs ask their caller. Where
 * nobody says it (HML_BASE_AUTO), this rule decides, and docs/files.md explains it:
 *
 *   1. A root link called "world" is the world: fixed.
 *   2. A file in which nothing moves describes one body, which floats.
 *   3. Names of the robot, its links and its joints that have a word of legs or of flight in them: it floats.
 *   4. Everything else, arms above all, is bolted, and a warning says so.
 *
 * Words are whole: "LHipYaw", "lf_hip_1" and "HIP" have the word hip, "chip" has not.
 */
#include <ctype.h>
#include <string.h>

#include "io/urdf/urdf.h"

static const char *const MOVERS[] = {
    /* legs; HAA, HFE, KFE are the usual names of a quadruped's joints */
    "leg", "legs", "foot", "feet", "hip", "hips", "knee", "ankle", "thigh", "shank", "shin", "calf", "sole", "toe",
    "lleg", "rleg", "lfoot", "rfoot", "pelvis", "haa", "hfe", "kfe", "humanoid", "quadruped", "biped",
    /* flight, water, space */
    "rotor", "rotors", "propeller", "propellers", "prop", "thruster", "thrusters", "quadrotor", "quadcopter",
    "hexacopter", "multirotor", "drone", "uav", "flying", "auv", "rov", "ship", "vessel", "satellite", "spacecraft",
    /* said outright */
    "floating", "freeflyer"};

/* the length of the word that begins at text: letters of one case, or a capital and small ones */
static size_t word_length(const char *text)
{
    size_t n = 1;
    if (!isalpha((unsigned char)text[0])) return 0;
    if (isupper((unsigned char)text[0]) && isupper((unsigned char)text[1])) {
        while (isupper((unsigned char)text[n])) n++;
        return islower((unsigned char)text[n]) ? n - 1 : n; /* "LHip": L, Hip */
    }
    while (islower((unsigned char)text[n])) n++;
    return n;
}

static int is_mover(const char *word, size_t length)
{
    for (size_t i = 0; i < sizeof MOVERS / sizeof *MOVERS; i++) {
        size_t k = 0;
        if (strlen(MOVERS[i]) != length) continue;
        while (k < length && tolower((unsigned char)word[k]) == MOVERS[i][k]) k++;
        if (k == length) return 1;
    }
    return 0;
}

static int has_mover(const char *name)
{
    while (name && *name) {
        const size_t length = word_length(name);
        if (length && is_mover(name, length)) return 1;
        name += length ? length : 1;
    }
    return 0;
}

hml_base_kind hmli_urdf_base(const urdf *u, const char *robot, const urdf_link *root, int *guessed)
{
    int moves = 0;
    *guessed = 0;
    if (strcmp(root->name, "world") == 0) return HML_BASE_FIXED;
    if (has_mover(robot)) return HML_BASE_FREE;
    for (size_t i = 0; i < u->nlinks; i++)
        if (has_mover(u->links[i].name)) return HML_BASE_FREE;
    for (size_t i = 0; i < u->njoints; i++) {
        if (has_mover(u->joints[i].spec.name)) return HML_BASE_FREE;
        moves |= u->joints[i].spec.type != HML_JOINT_FIXED;
    }
    *guessed = moves;
    return moves ? HML_BASE_FIXED : HML_BASE_FREE;
}
