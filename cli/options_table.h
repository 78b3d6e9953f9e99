/* The table of all options: the parser and the help are made from it. */
#ifndef CLI_OPTIONS_TABLE_H
#define CLI_OPTIONS_TABLE_H

#include "cli.h"

/* a name may stand in several rows, if no command has two of them */
typedef struct option_row {
    const char *name;
    int letter; /* 0: none */
    unsigned commands;
    const char *argument; /* NULL: none */
    const char *help;
    int (*read)(const char *text, void *field); /* 0 if the text does not fit; NULL: help and version */
    size_t field;                               /* where it goes, in cli_options; 0: the reader takes all of them */
    const char *wanted;                         /* what would fit */
} option_row;

extern const option_row option_rows[];
extern const int option_count;

enum { OPTIONS_MOST = 128 }; /* more rows than there are */

#endif
