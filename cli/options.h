/* The options of the command line: one table makes the parser and the help. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "cli.h"

/*
 * Reads argv. *command: what to run, NULL when --help or --version has already answered. Returns an exit status.
 * The models of *options point into argv.
 */
int cli_options_read(int argc, char **argv, const cli_command_info **command, cli_options *options);

/* the options of a command (CLI_ALL: those that all have), one a line */
void cli_options_help(FILE *out, unsigned commands);

/* the help of the whole command (NULL), or of one */
void cli_help(const cli_command_info *command);

#endif
