/* hamel._core: what the package is made of. */
#define HAMEL_IMPORTS_NUMPY
#include "objects.h"

static PyObject *isa(PyObject *module, PyObject *none)
{
    (void)module;
    (void)none;
    return PyUnicode_FromString(hml_isa_name(hml_isa_best()));
}

static PyMethodDef methods[] = {
    {"isa", isa, METH_NOARGS,
     "isa()\n--\n\nThe widest instruction set of this processor and build: scalar, x2, x4 or x8."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                                        "hamel._core",
                                        "Hamel's C library. Import hamel instead.",
                                        -1,
                                        methods,
                                        NULL,
                                        NULL,
                                        NULL,
                                        NULL};

PyMODINIT_FUNC PyInit__core(void)
{
    import_array();
    PyObject *module = PyModule_Create(&definition);
    if (module && !errors_ready() && !query_ready(module) && !solve_ready(module) && !trim_ready(module) &&
        !close_ready(module) && !motion_ready(module) && !contact_ready(module) && !linearization_ready(module) &&
        !model_ready(module) && !builder_ready(module) && !group_ready(module) && !rotations_ready(module) &&
        !poses_ready(module) && !matrices_ready(module) && !field_ready(module) && !control_ready(module) &&
        !solver_ready(module) && !mpc_ready(module) && !single_ready(module) &&
        !PyModule_AddFunctions(module, load_methods) && !PyModule_AddFunctions(module, page_methods) &&
        !PyModule_AddStringConstant(module, "__version__", hml_version())) {
        return module;
    }
    Py_XDECREF(module);
    return NULL;
}
