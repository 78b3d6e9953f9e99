/* C source for one robot: Model.generate and its relatives. */
#include "objects.h"

#include "hamel/generate.h"
#include "hamel/io.h"

#define OPTIONS "functions", "single", "prefix", "force", "test", "test_states", "target", "batch", "frames", "holds"

typedef struct generate_call {
    hml_generate_options options;
    const char *functions;
    const char *target; /* "c" or "vector" */
    int states;
    PyObject *frame_list, *hold_list; /* NULL or None: none */
    int32_t *frames;
    void *holds; /* memory of options.holds */
} generate_call;

static void start(generate_call *c)
{
    memset(c, 0, sizeof *c);
    hml_generate_options_init(&c->options);
    c->functions = NULL;
    c->target = "c";
    c->states = 0;
}

static void stop(generate_call *c)
{
    PyMem_Free(c->frames);
    PyMem_Free(c->holds);
}

/* names of frames as indices; 0 on success, −1 with an exception */
static int read_frames(const hml_model *model, generate_call *c)
{
    const int alone = PyUnicode_Check(c->frame_list);
    PyObject *all =
        alone ? PyTuple_Pack(1, c->frame_list) : PySequence_Fast(c->frame_list, "frames is a list of names of frames");
    if (!all) return -1;
    const Py_ssize_t n = PySequence_Fast_GET_SIZE(all);
    c->frames = PyMem_Calloc((size_t)n + 1, sizeof *c->frames);
    if (!c->frames) PyErr_NoMemory();
    for (Py_ssize_t i = 0; c->frames && i < n && !PyErr_Occurred(); i++)
        c->frames[i] = find_frame(model, PySequence_Fast_GET_ITEM(all, i), 0);
    Py_DECREF(all);
    if (n) c->options.frames = c->frames, c->options.frame_count = (int32_t)n;
    return PyErr_Occurred() ? -1 : 0;
}

static int read_lists(const hml_model *model, generate_call *c)
{
    hml_constraints set = {.struct_size = sizeof set};
    if (c->frame_list && c->frame_list != Py_None && read_frames(model, c)) return -1;
    if (!c->hold_list || c->hold_list == Py_None) return 0;
    if (read_holds(model, c->hold_list, &set, &c->holds)) return -1;
    if (set.loop_count) {
        PyErr_SetString(hamel_errors[HML_UNSUPPORTED], "only held points and held frames can be generated, not loops");
        return -1;
    }
    if (set.count) c->options.holds = set.items, c->options.hold_count = set.count;
    return 0;
}

/* names to bits and indices; 0 on success, −1 with an exception */
static int finish(const hml_model *model, generate_call *c)
{
    const int vector = strcmp(c->target, "vector") == 0;
    c->options.test_states = c->states;
    c->options.target = vector ? HML_TARGET_VECTOR : HML_TARGET_C;
    if (!vector && strcmp(c->target, "c") != 0) {
        PyErr_Format(PyExc_ValueError, "target: 'c' or 'vector', not '%s'", c->target);
        return -1;
    }
    if (!c->functions || hml_generate_functions(c->functions, &c->options.functions) == HML_OK)
        return read_lists(model, c);
    PyErr_Format(
        PyExc_ValueError,
        "functions: some of linearize, forward_dynamics, inverse_dynamics, mass_matrix, step_linearize, frames, "
        "held_linearize, with commas between them, not '%s'",
        c->functions);
    return -1;
}

static PyObject *generate(model_object *self, PyObject *arguments, PyObject *names)
{
    static char *words[] = {"path", OPTIONS, NULL};
    PyObject *path = NULL;
    generate_call c;
    hml_error error = {0};
    start(&c);
    if (!parse_arguments(arguments, names, "O&|$zpzppispOO", words, PyUnicode_FSConverter, &path, &c.functions,
                         &c.options.single, &c.options.prefix, &c.options.force, &c.options.test, &c.states, &c.target,
                         &c.options.batch, &c.frame_list, &c.hold_list)) {
        Py_XDECREF(path);
        return NULL;
    }
    const int failed = finish(self->model, &c);
    if (!failed) error.status = hml_generate(self->model, &c.options, PyBytes_AS_STRING(path), &error);
    stop(&c);
    Py_DECREF(path);
    if (failed) return NULL;
    if (!error.status) Py_RETURN_NONE;
    raise_error(&error);
    return NULL;
}

static PyObject *generate_text(model_object *self, PyObject *arguments, PyObject *names)
{
    static char *words[] = {OPTIONS, NULL};
    char *source = NULL, *header = NULL, *test = NULL;
    generate_call c;
    hml_error error = {0};
    start(&c);
    if (!parse_arguments(arguments, names, "|$zpzppispOO", words, &c.functions, &c.options.single, &c.options.prefix,
                         &c.options.force, &c.options.test, &c.states, &c.target, &c.options.batch, &c.frame_list,
                         &c.hold_list))
        return NULL;
    const int failed = finish(self->model, &c);
    if (!failed) error.status = hml_generate_text(self->model, &c.options, &source, &header, &test, &error);
    stop(&c);
    if (failed) return NULL;
    if (error.status) {
        raise_error(&error);
        return NULL;
    }
    PyObject *result = Py_BuildValue("(ssz)", source, header, test);
    hml_text_free(source);
    hml_text_free(header);
    hml_text_free(test);
    return result;
}

static PyObject *generate_estimate(model_object *self, PyObject *arguments, PyObject *names)
{
    static char *words[] = {"functions", NULL};
    int64_t statements = 0;
    generate_call c;
    start(&c);
    if (!parse_arguments(arguments, names, "|$z", words, &c.functions)) return NULL;
    if (finish(self->model, &c)) return NULL;
    const hml_status status = hml_generate_estimate(self->model, &c.options, &statements);
    if (status) {
        raise_status(status, "generate_estimate");
        return NULL;
    }
    return PyLong_FromLongLong((long long)statements);
}

/* ---- in this process ---- */

static PyObject *compile_model(model_object *self, PyObject *arguments, PyObject *names)
{
    static char *words[] = {"compiler", "cache", "always", NULL};
    hml_compile_options options = {.struct_size = sizeof options};
    PyObject *cache = NULL;
    hml_model *copy = NULL;
    hml_error error = {0};
    if (!parse_arguments(arguments, names, "|$zO&p", words, &options.compiler, PyUnicode_FSConverter, &cache,
                         &options.always))
        return NULL;
    options.cache = cache ? PyBytes_AS_STRING(cache) : NULL;
    error.status = hml_model_copy(self->model, &copy);
    model_object *result = error.status ? NULL : (model_object *)model_wrap(copy);
    if (result) {
        Py_BEGIN_ALLOW_THREADS error.status = hml_model_compile(copy, &options, &result->compiled, &error);
        Py_END_ALLOW_THREADS
    }
    Py_XDECREF(cache);
    if (!error.status) return (PyObject *)result;
    Py_XDECREF(result);
    if (*error.message)
        raise_error(&error);
    else
        raise_status(error.status, "compile");
    return NULL;
}

static PyObject *compiled_note(model_object *self, PyObject *none)
{
    (void)none;
    if (!self->compiled) return PyUnicode_FromString("the model was not compiled; the library's kernels do the work");
    const char *note = hml_compiled_note(self->compiled);
    return note ? PyUnicode_FromString(note) : (Py_INCREF(Py_None), Py_None);
}

PyMethodDef generate_methods[] = {
    {"compile", (PyCFunction)(void (*)(void))compile_model, METH_VARARGS | METH_KEYWORDS,
     "compile($self, *, compiler=None, cache=None, always=False)\n--\n\n"
     "The same robot, linearized by code that is compiled for it.\n\n"
     "Generates C, calls the system's compiler (compiler, or the variable CC, or cc), and keeps the result in a "
     "folder\n"
     "(cache, or hamel in XDG_CACHE_HOME or ~/.cache), so that the next call loads it. Everything else stays as it is. "
     "Calls\n"
     "for which the library is faster, as a short measurement says, go to the library unless always is set. If there "
     "is "
     "no\n"
     "compiler, the library's kernels do the work, and compiled_note says why. Models made from this one, "
     "by\n"
     "editing or pickle, are not compiled."},
    {"compiled_note", (PyCFunction)compiled_note, METH_NOARGS,
     "compiled_note($self, /)\n--\n\n"
     "Why the library's kernels linearize this model, as a sentence; None if compiled code does."},
    {"generate", (PyCFunction)(void (*)(void))generate, METH_VARARGS | METH_KEYWORDS,
     "generate($self, path, *, functions=None, single=False, prefix=None, force=False, test=False, test_states=0, "
     "target='c', batch=False, frames=None, holds=None)\n"
     "--\n\n"
     "Writes C source for this robot alone, path, which ends in .c, and the header beside it.\n\n"
     "The code is C11, needs libm only and allocates nothing. functions: some of 'linearize,forward_dynamics,\n"
     "inverse_dynamics,mass_matrix,step_linearize,frames,held_linearize', all if not given: frames if a list of names\n"
     "is given for them, held_linearize if holds is, a list of hamel.Hold or of names of frames whose origins are "
     "held.\n"
     "single: float instead of double. prefix: of all names, the "
     "name\n"
     "of the file if not given. force: also robots whose code is very large. test: also path with _test.c at its end, "
     "a\n"
     "program that compares with results of this library at test_states states. target: 'vector' computes limbs of "
     "the\n"
     "same shape side by side, in vectors as gcc and clang have them; 'c' is plain C11. batch: also a function for "
     "many\n"
     "states."},
    {"generate_text", (PyCFunction)(void (*)(void))generate_text, METH_VARARGS | METH_KEYWORDS,
     "generate_text($self, *, functions=None, single=False, prefix=None, force=False, test=False, test_states=0, "
     "target='c', batch=False, frames=None, holds=None)\n"
     "--\n\nThe texts that generate writes: (source, header, test), test None if it was not asked for."},
    {"generate_estimate", (PyCFunction)(void (*)(void))generate_estimate, METH_VARARGS | METH_KEYWORDS,
     "generate_estimate($self, *, functions=None)\n--\n\n"
     "About how many statements generate would write, within a factor of two."},
    {NULL, NULL, 0, NULL},
};
