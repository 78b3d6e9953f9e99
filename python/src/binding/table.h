/*
 * Makes a table of functions out of a .def file. Before: #define TABLE "so3.def" and what the calls in it need; after:
 * TABLE_FUNCTIONS, an array of function *.
 *
 *   FN(module, name, signature, text, call)          call: an expression of type hml_status
 *   FNB(module, name, signature, text, (batch), call)    and one that does r->n rows at once
 *   FNL(module, name, signature, text, kind, batch, call)   the result is a Linearization of this kind; batch: a runner
 *                                                           or NULL
 *
 *   IN(i), MARKS(i), PICK(i)   parameter i: its numbers, its integers, its choice, frame or integer
 *   OUT(k)                     output k
 *   MODEL, WORK, ROWS          model, workspace, rows
 */
#define IN(i)    r->in[i]
#define MARKS(i) r->marks[i]
#define PICK(i)  r->choice[i]
#define OUT(k)   r->out[k]
#define MODEL    r->model
#define WORK     r->work
#define ROWS     r->n

#define DEFINE(module, name, signature, text, batch)                                                                   \
    static entry from_python_##module##_##name;                                                                        \
    static function function_##module##_##name = {                                                                     \
        #module, #name, signature, text, run_##module##_##name, batch, from_python_##module##_##name};                 \
    static PyObject *from_python_##module##_##name(PyObject *self, PyObject *const *arguments, Py_ssize_t count,       \
                                                   PyObject *names)                                                    \
    {                                                                                                                  \
        return function_call(&function_##module##_##name, self, arguments, count, names);                              \
    }
#define FN(module, name, signature, text, ...)                                                                         \
    static hml_status run_##module##_##name(const row *r) { return __VA_ARGS__; }                                      \
    DEFINE(module, name, signature, text, NULL)
#define FNB(module, name, signature, text, many, ...)                                                                  \
    static hml_status batch_##module##_##name(const row *r) { return many; }                                           \
    static hml_status run_##module##_##name(const row *r) { return __VA_ARGS__; }                                      \
    DEFINE(module, name, signature, text, batch_##module##_##name)
#define FNL(module, name, signature, text, kind, many, ...)                                                            \
    static hml_status run_##module##_##name(const row *r) { return __VA_ARGS__; }                                      \
    static entry from_python_##module##_##name;                                                                        \
    static function function_##module##_##name = {                                                                     \
        #module, #name, signature, text, run_##module##_##name, many, from_python_##module##_##name};                  \
    static PyObject *from_python_##module##_##name(PyObject *self, PyObject *const *arguments, Py_ssize_t count,       \
                                                   PyObject *names)                                                    \
    {                                                                                                                  \
        return linearization_call(kind, &function_##module##_##name, self, arguments, count, names);                   \
    }
#include TABLE
#undef FN
#undef FNL
#undef FNB
#undef DEFINE

#define FN(module, name, ...)  &function_##module##_##name,
#define FNB(module, name, ...) &function_##module##_##name,
#define FNL(module, name, ...) &function_##module##_##name,
static function *const TABLE_FUNCTIONS[] = {
#include TABLE
};
#undef FN
#undef FNB
#undef FNL
#undef IN
#undef MARKS
#undef PICK
#undef OUT
#undef MODEL
#undef WORK
#undef ROWS
