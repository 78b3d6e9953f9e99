/* What draws a robot of any shape, with joints of every kind; those of odd seeds have followers. */
#ifndef HAMEL_TESTS_ANY_ROBOT_H
#define HAMEL_TESTS_ANY_ROBOT_H

#include "hamel/random.h"

static hml_random_spec any_robot(uint64_t seed, double mimic)
{
    hml_random_spec spec;
    hml_random_spec_init(&spec);
    spec.seed = seed;
    spec.shape = HML_RANDOM_ANY;
    spec.joint_types = 0xffe; /* all but fixed */
    spec.mimic = seed % 2 ? mimic : 0;
    return spec;
}

#endif
