/* Signatures: from a line of text to what a call needs to know, and to the documentation. */
#include "engine.h"

#include <string.h>

static const char *const REPRESENTATIONS[] = {"left", "right", "mixed", "split", NULL};
static const char *const SIDES[] = {"local", "global", NULL};
/* then the names of Motion for the same schemes */
static const char *const INTEGRATORS[] = {"semi_implicit_euler", "munthe_kaas_4", "euler", "rk4", "rk2", NULL};
static const char *const ACCELERATIONS[] = {"intrinsic", "apparent", "classical", NULL};
static const char *const AXES[] = {"frame", "world", NULL};
static const char *const DIAGONALS[] = {"stored", "unit", NULL};
static const char *const LAYOUTS[] = {"hamel", "pinocchio", "mujoco", "drake", "rbdl", "idyntree", NULL};
static const char *const ORIGINS[] = {"body", "root", NULL};
static const char *const ERRORS[] = {"raise", "nan", NULL};
static const char *const UPDATES[] = {"se3", "so3_r3", NULL};
static const char *const ROTATIONS[] = {"matrix", "quat", "angle_axis", "rotvec", "euler_zyx", "euler_xyz", NULL};
static const char *const SCREWS[] = {"moving", "body", "reference", NULL};
static const char *const STATE_GROUPS[] = {"direct", "tangent", NULL};
static const char *const INPUTS[] = {"all", "actuated", NULL};

static const struct {
    const char *name;
    const char *const *words;
} CHOICES[] = {
    {"representation", REPRESENTATIONS},
    {"base", REPRESENTATIONS},
    {"held", REPRESENTATIONS},
    {"source", REPRESENTATIONS},
    {"target", REPRESENTATIONS},
    {"side", SIDES},
    {"rotation", ROTATIONS},
    {"group", STATE_GROUPS},
    {"integrator", INTEGRATORS},
    {"kind", ACCELERATIONS},
    {"axes", AXES},
    {"diagonal", DIAGONALS},
    {"layout", LAYOUTS},
    {"origin", ORIGINS},
    {"errors", ERRORS},
    {"inputs", INPUTS},
    {"update", UPDATES},
    {"screws", SCREWS},
};

static int fault(const function *f)
{
    PyErr_Format(PyExc_SystemError, "%s.%s: bad signature: %s", f->module, f->name, f->signature);
    return -1;
}

/* "2v,3": dimensions until the text no longer looks like one */
static const char *parse_shape(const char *s, shape *out)
{
    out->ncore = 0;
    while (*s && *s != ' ' && *s != '!') {
        dimension *d = &out->core[out->ncore++];
        char *end;
        long factor = strtol(s, &end, 10);
        d->factor = end == s ? 1 : factor;
        d->symbol = *end >= 'a' && *end <= 'z' ? *end++ - 'a' : -1;
        s = *end == ',' ? end + 1 : end;
    }
    return s;
}

static int word_index(const char *const *words, const char *word, size_t length)
{
    for (int i = 0; words[i]; i++) {
        if (strlen(words[i]) == length && !strncmp(words[i], word, length)) return i;
    }
    return -1;
}

static const char *parse_parameter(function *f, const char *s)
{
    if (f->nparameters == MAX_PARAMETERS) return NULL;
    parameter *p = &f->parameters[f->nparameters++];
    size_t length = strcspn(s, "?:%&=@# ");
    p->name = PyUnicode_FromStringAndSize(s, (Py_ssize_t)length);
    if (!p->name) return NULL;
    PyUnicode_InternInPlace(&p->name);
    const char *name = s;
    s += length;
    p->optional = *s == '?';
    s += p->optional;
    switch (*s) {
    case ':': p->kind = DOUBLES; return parse_shape(s + 1, &p->shape);
    case '&': p->kind = HOLDS; return s + 1;
    case '%': p->kind = INTEGERS; return parse_shape(s + 1, &p->shape);
    case '@':
        p->kind = FRAME;
        p->optional = s[1] != ' ' && s[1];
        p->fallback = strncmp(s + 1, "base", 4) ? HML_WORLD : HML_BASE;
        return s + 1 + strcspn(s + 1, " ");
    case '#':
        p->kind = INTEGER;
        p->optional = s[1] != ' ' && s[1];
        p->fallback = atoi(s + 1);
        return s + 1 + strcspn(s + 1, " ");
    case '=':
        p->kind = CHOICE;
        p->optional = 1;
        for (size_t i = 0; i < COUNT(CHOICES); i++) {
            if (strlen(CHOICES[i].name) == length && !strncmp(CHOICES[i].name, name, length))
                p->words = CHOICES[i].words;
        }
        length = strcspn(++s, " ");
        if (!p->words) return NULL;
        p->fallback = word_index(p->words, s, length);
        if (p->words == ERRORS) f->errors = f->nparameters - 1;
        return p->fallback < 0 ? NULL : s + length;
    default: return NULL;
    }
}

static const char *parse_output(function *f, const char *s)
{
    if (f->noutputs == MAX_OUTPUTS) return NULL;
    output *o = &f->outputs[f->noutputs++];
    size_t length = strcspn(s, ":");
    o->name = PyUnicode_FromStringAndSize(s, (Py_ssize_t)length);
    if (!o->name || !s[length]) return NULL;
    s = parse_shape(s + length + 1, &o->shape);
    while (*s == '!') {
        length = strcspn(++s, "! ");
        for (int i = 0; i < f->nparameters; i++) {
            const char *name = PyUnicode_AsUTF8(f->parameters[i].name);
            if (name && strlen(name) == length && !strncmp(name, s, length)) o->needs |= 1u << i;
        }
        s += length;
    }
    return s;
}

static int parse(function *f, char *type, size_t size)
{
    const char *s = f->signature;
    f->errors = -1;
    *type = 0;
    while (s && *s && *s != '>') {
        s = parse_parameter(f, s);
        while (s && *s == ' ') s++;
    }
    if (!s || *s != '>') return fault(f);
    s += 2;
    const char *bracket = strchr(s, '(');
    if (bracket) {
        snprintf(type, size, "%.*s", (int)(bracket - s), s);
        s = bracket + 1;
    }
    while (s && *s == ' ') s++;
    while (s && *s && *s != ')') {
        s = parse_output(f, s);
        while (s && *s == ' ') s++;
    }
    return s && f->noutputs ? 0 : fault(f);
}

/* ---- documentation ---- */

typedef struct text {
    char *data;
    size_t size, used;
} text;

static void say(text *t, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int n = vsnprintf(t->data + t->used, t->size - t->used, format, list);
    va_end(list);
    if (n > 0 && t->used + (size_t)n < t->size) t->used += (size_t)n;
}

static const char *symbol_name(int symbol)
{
    switch (symbol + 'a') {
    case 'q': return "nq";
    case 'v': return "nv";
    case 'b': return "nbodies";
    case 'u': return "nactuators";
    case 'f': return "nframes";
    case 'c': return "coordinates";
    case 'p': return "point";
    case 'x': return "their nq";
    case 'y': return "their nv";
    case 'z': return "nx";
    case 'g': return "m";
    case 'n': return "n";
    case 'm': return "inputs";
    case 'l': return "rows";
    case 'd': return "freedom";
    default: return "k";
    }
}

static void say_shape(text *t, const shape *s, int leads)
{
    say(t, leads ? "(…" : "(");
    for (int i = 0; i < s->ncore; i++) {
        const dimension *d = &s->core[i];
        say(t, i || leads ? ", " : "");
        if (d->symbol < 0)
            say(t, "%ld", (long)d->factor);
        else if (d->factor == 1)
            say(t, "%s", symbol_name(d->symbol));
        else
            say(t, "%ld %s", (long)d->factor, symbol_name(d->symbol));
    }
    say(t, ")");
}

static void say_call(const function *f, text *t, int method)
{
    say(t, "%s(%s", f->name, method ? "$self" : "$module");
    for (int i = 0; i < f->nparameters; i++) {
        const parameter *p = &f->parameters[i];
        say(t, ", %s", PyUnicode_AsUTF8(p->name));
        if (p->kind == CHOICE)
            say(t, "='%s'", p->words[p->fallback]);
        else if (p->kind == INTEGER && p->optional)
            say(t, "=%d", p->fallback);
        else if (p->optional)
            say(t, "=None");
    }
    say(t, ", *, out=None, threads=None)\n--\n\n");
}

static void say_parameters(const function *f, text *t)
{
    for (int i = 0; i < f->nparameters; i++) {
        const parameter *p = &f->parameters[i];
        say(t, "\n    %s  ", PyUnicode_AsUTF8(p->name));
        switch (p->kind) {
        case DOUBLES: say_shape(t, &p->shape, 1); break;
        case INTEGERS:
            say_shape(t, &p->shape, 0);
            say(t, " integers");
            break;
        case FRAME:
            say(t, !p->optional               ? "name or index of a frame"
                   : p->fallback == HML_WORLD ? "name or index; the world if not given"
                                              : "name or index, or 'world'; the free base itself if not given");
            break;
        case INTEGER: say(t, "integer"); break;
        case HOLDS: say(t, "list of hamel.Hold"); break;
        case CHOICE:
            for (int k = 0; p->words[k]; k++) say(t, "%s%s", k ? ", " : "", p->words[k]);
            break;
        }
    }
    if (f->result) say(t, "\n    → %s", strrchr(f->result->tp_name, '.') + 1);
    for (int i = 0; i < f->noutputs; i++) {
        const output *o = &f->outputs[i];
        say(t, f->result ? "\n        %s  " : "\n    → %s  ", PyUnicode_AsUTF8(o->name));
        say_shape(t, &o->shape, 1);
        int named = 0;
        for (int k = 0; k < f->nparameters; k++) {
            if (!(o->needs >> k & 1)) continue;
            say(t, "%s%s", named++ ? " and " : "; None without ", PyUnicode_AsUTF8(f->parameters[k].name));
        }
    }
    say(t, "\n");
}

/* a tuple with names; it lives in the module, so that pickle finds it */
static PyTypeObject *result_type(const function *f, const char *name, PyObject *module)
{
    PyObject *known = PyObject_GetAttrString(module, name);
    if (known) return (PyTypeObject *)known;
    PyErr_Clear();
    PyStructSequence_Field fields[MAX_OUTPUTS + 1] = {{NULL, NULL}};
    for (int i = 0; i < f->noutputs; i++) fields[i].name = PyUnicode_AsUTF8(f->outputs[i].name);
    char *full = PyMem_Malloc(strlen(name) + sizeof "hamel._core."); /* the type keeps it */
    if (!full) return NULL;
    strcpy(full, "hamel._core.");
    strcat(full, name);
    char *doc = PyMem_Malloc(128);
    if (!doc) return NULL;
    snprintf(doc, 128, "What %s.%s computes: a tuple whose entries have names.", f->module, f->name);
    PyStructSequence_Desc description = {full, doc, fields, f->noutputs};
    PyTypeObject *type = PyStructSequence_NewType(&description);
    if (!type || PyModule_AddObject(module, name, (PyObject *)type) < 0) return NULL;
    Py_INCREF(type);
    /* older programs say result.a */
    PyObject *newer =
        strstr(f->signature, "( acceleration:") ? PyObject_GetAttrString((PyObject *)type, "acceleration") : NULL;
    if (newer && PyObject_SetAttrString((PyObject *)type, "a", newer)) return NULL;
    Py_XDECREF(newer);
    return PyErr_Occurred() ? NULL : type;
}

int function_ready(function *f, PyObject *module, PyMethodDef *definition)
{
    char type[64];
    text t = {PyMem_Malloc(4096), 4096, 0};
    if (!t.data) return PyErr_NoMemory() ? 0 : -1;
    if (parse(f, type, sizeof type)) return -1;
    if (*type && !(f->result = result_type(f, type, module))) return -1;
    say_call(f, &t, f->module[0] >= 'A' && f->module[0] <= 'Z');
    say(&t, "%s\n", f->text);
    say_parameters(f, &t);
    definition->ml_name = f->name;
    definition->ml_meth = (PyCFunction)(void (*)(void))f->from_python;
    definition->ml_flags = METH_FASTCALL | METH_KEYWORDS;
    definition->ml_doc = t.data;
    return 0;
}
