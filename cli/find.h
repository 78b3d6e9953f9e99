/* Robots by their names, as hamel.load in Python takes them. */
#ifndef CLI_FIND_H
#define CLI_FIND_H

#include "cli.h"

typedef struct found_robot {
    const char *builtin; /* a robot of the library, or NULL */
    char *path;          /* a file, or NULL; free it */
} found_robot;

/*
 * What is given is a file, or the name of a robot: of the library, of a folder in HAMEL_ROBOTS, or of example-robot-data. A
 * name that is both is the file. An exit status; what is neither is left as a path, so that reading it says what is wrong.
 */
int find_robot(const char *given, found_robot *found);

#endif
