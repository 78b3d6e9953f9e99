/* What a step remembers of the one before, as numbers: [count; contacts, six each; limits; joint friction]. */
#include <math.h>
#include <string.h>

#include "sim/contact.h"

enum { EACH = 6 }; /* shape, other, feature, impulse along normal and tangents */

static const double widest = 1e9; /* of a number that stands for an index */

size_t hml_contact_memory_doubles(const hml_contact *c)
{
    return c ? 1 + EACH * (size_t)c->max_contacts + (size_t)c->nlimits + c->n : 0;
}

hml_status hml_contact_get_memory(const hml_contact *c, double *memory)
{
    if (!c || !memory) return HML_INVALID_ARGUMENT;
    memset(memory, 0, hml_contact_memory_doubles(c) * sizeof *memory);
    memory[0] = c->last.count;
    for (int32_t i = 0; i < c->last.count; i++) {
        const touch *t = &c->last.items[i];
        double *at = memory + 1 + EACH * (size_t)i;
        at[0] = t->shape, at[1] = t->other, at[2] = t->feature;
        memcpy(at + 3, t->impulse, sizeof t->impulse);
    }
    double *limits = memory + 1 + EACH * (size_t)c->max_contacts;
    memcpy(limits, c->limit_impulse, (size_t)c->nlimits * sizeof *limits);
    memcpy(limits + c->nlimits, c->friction_impulse, c->n * sizeof *limits);
    return HML_OK;
}

static int is_index(double x) { return fabs(x) <= widest && x == floor(x); }

hml_status hml_contact_set_memory(hml_contact *c, const double *memory)
{
    if (!c || !memory) return HML_INVALID_ARGUMENT;
    const size_t n = hml_contact_memory_doubles(c);
    for (size_t i = 0; i < n; i++)
        if (!isfinite(memory[i])) return HML_NOT_FINITE;
    if (!is_index(memory[0]) || memory[0] < 0 || memory[0] > c->max_contacts) return HML_INVALID_ARGUMENT;
    const int32_t count = (int32_t)memory[0];
    for (int32_t i = 0; i < count; i++)
        for (size_t k = 0; k < 3; k++)
            if (!is_index(memory[1 + EACH * (size_t)i + k])) return HML_INVALID_ARGUMENT;
    c->record.kind = RECORD_NONE;
    for (int32_t i = 0; i < count; i++) {
        const double *at = memory + 1 + EACH * (size_t)i;
        touch *t = &c->last.items[i];
        memset(t, 0, sizeof *t);
        t->shape = (int32_t)at[0], t->other = (int32_t)at[1], t->feature = (int32_t)at[2];
        memcpy(t->impulse, at + 3, sizeof t->impulse);
    }
    c->last.count = count;
    const double *limits = memory + 1 + EACH * (size_t)c->max_contacts;
    memcpy(c->limit_impulse, limits, (size_t)c->nlimits * sizeof *limits);
    memcpy(c->friction_impulse, limits + c->nlimits, c->n * sizeof *limits);
    return HML_OK;
}
