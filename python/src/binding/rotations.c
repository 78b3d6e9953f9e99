/* Rotations (hamel/so3.h). */
#include "objects.h"

#define TABLE           "rotations.def"
#define TABLE_FUNCTIONS rotations_table
#include "table.h"

int rotations_ready(PyObject *module) { return table_modules(rotations_table, COUNT(rotations_table), module); }
