/* The types that Python sees. */
#ifndef HAMEL_PYTHON_OBJECTS_H
#define HAMEL_PYTHON_OBJECTS_H

#include "engine.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct model_object {
    PyObject_HEAD hml_model *model;
    npy_intp symbol[SYMBOLS];
    _Atomic(workspace *) spare; /* one that needs no lock */
    pthread_mutex_t lock;       /* of the others */
    workspace *free;
    PyObject *parts[4]; /* tuples of bodies, joints, frames and velocity names, once somebody asked */
    PyObject *weak;
    struct hml_compiled *compiled; /* by Model.compile; NULL: the library's kernels */
} model_object;

typedef struct group_object {
    PyObject_HEAD hml_subgroup group;
} group_object;

typedef struct builder_object {
    PyObject_HEAD hml_builder *builder;
} builder_object;

extern PyTypeObject model_type, group_type, builder_type, linearization_type;

/* takes the model over, also when it fails */
PyObject *model_wrap(hml_model *model);

/* the model, or an exception that says what the error says */
PyObject *model_or_error(hml_status status, hml_model *model, hml_error *error);

/* how a model was loaded: format, base, base_name, gravity, build, as hamel/_load.py hands them over; −1: an exception */
typedef struct load_settings {
    hml_load_options options;
    double gravity[3];
} load_settings;

int load_settings_read(const char *format, const char *base, const char *base_name, PyObject *gravity, unsigned build,
                       load_settings *s);

workspace *workspace_take(model_object *self);
void workspace_give(model_object *self, workspace *space);

/* a tuple with names, added to the module; full is hamel._core.Name */
PyTypeObject *record_type(PyObject *module, const char *full, const char *words, const char *const *names);

PyObject *model_shapes(const hml_model *model);
PyObject *wrap_balance(const hml_balance *balance); /* of a motion or a contact */

/* ---- parts of a model by their names (names.c) ---- */

typedef enum model_part { FRAME_PART, JOINT_PART, BODY_PART } model_part;

/* a frame by name or index, world: that too, as HML_WORLD; INT32_MIN with an exception */
int32_t find_frame(const hml_model *model, PyObject *object, int world);
/* a joint or body by name or index; −1 with an exception */
int32_t find_part(const hml_model *model, PyObject *object, model_part kind);

/* what each file adds to the module */
int query_ready(PyObject *module);
int model_ready(PyObject *module);
int group_ready(PyObject *module);
int builder_ready(PyObject *module);
int linearization_ready(PyObject *module);
int matrices_ready(PyObject *module);
int field_ready(PyObject *module);
int control_ready(PyObject *module);
int solve_ready(PyObject *module);
int solver_ready(PyObject *module);
int mpc_ready(PyObject *module);
int single_ready(PyObject *module);
int trim_ready(PyObject *module);
int close_ready(PyObject *module);
int motion_ready(PyObject *module);
int contact_ready(PyObject *module);
int rotations_ready(PyObject *module);
int poses_ready(PyObject *module);

extern PyMethodDef load_methods[], edit_methods[], solve_methods[], trim_methods[], close_methods[], view_methods[],
    control_methods[], page_methods[], generate_methods[];
extern function *const *const configuration_table, *const *const kinematics_table, *const *const dynamics_table,
                                                                                       *const *const constraints_table;
extern function *const linearize_entry;
extern const size_t configuration_count, kinematics_count, dynamics_count, constraints_count;

#endif
