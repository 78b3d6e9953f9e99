/* The MEX gateway: what its files share. MATLAB's arrays are column-major: a state is a column, a batch is a matrix. */
#ifndef HAMEL_MATLAB_GATEWAY_H
#define HAMEL_MATLAB_GATEWAY_H

#include <string.h>

#include "hamel/control.h"
#include "hamel/hamel.h"
#include "hamel/io.h"
#include "mex.h"

/* a robot in the table of the gateway */
typedef struct gateway_robot {
    hml_model *model; /* NULL: free */
    hml_work *work;
    size_t nq, nv;
} gateway_robot;

/* a command: its arguments after the robot */
typedef void gateway_command(gateway_robot *r, int nout, mxArray **out, int nin, const mxArray **in);

gateway_command command_info, command_neutral, command_integrate, command_linearize, command_dynamics, command_jacobian,
    command_simulate, command_lqr, command_trim;

/* ends the command with an error of MATLAB, whose identifier is hamel:STATUS; NULL: the sentence of the status */
void gateway_fail(hml_status status, const char *sentence);
void gateway_check(hml_status status);

/* ---- arguments ---- */

/* a real matrix with that many rows; its columns in *n, which must be the same everywhere (0: not known yet) */
const double *gateway_states(const mxArray *array, const char *name, size_t rows, size_t *n);

/* the same, but [] is NULL */
const double *gateway_states_or_none(const mxArray *array, const char *name, size_t rows, size_t *n);

double gateway_number(const mxArray *array, const char *name);
char *gateway_text(const mxArray *array, const char *name); /* MATLAB frees it */
int32_t gateway_frame(const gateway_robot *r, const char *name);
hml_representation gateway_representation(const mxArray *array);

/* memory that MATLAB frees when the command ends, also with an error */
double *gateway_room(size_t doubles);

/* ---- results ---- */

void gateway_set(mxArray *result, const char *name, mxArray *value);
void gateway_set_number(mxArray *result, const char *name, double value);
void gateway_set_vector(mxArray *result, const char *name, size_t n, const double *x);

/* n row-major matrices, one after the other, as rows × columns × n */
void gateway_set_matrices(mxArray *result, const char *name, size_t rows, size_t columns, size_t n, const double *x);
void gateway_set_names(mxArray *result, const char *name, size_t n, const char *const *names);

/* the actuated coordinates, or all of them, in columns (room for nv); how many */
size_t gateway_inputs(const gateway_robot *r, int all, size_t *columns);
void gateway_set_input_names(mxArray *result, const gateway_robot *r, size_t m, const size_t *columns);

#endif
