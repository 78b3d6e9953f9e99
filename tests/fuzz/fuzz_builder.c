/*
 * A builder fed with whatever comes: it refuses, or builds a model whose block is accepted. The input is read as a
 * sequence of links and frames: one byte for each choice, names from a small set so that they meet.
 */
#include <stdlib.h>
#include <string.h>

#include "hamel/model.h"

typedef struct bytes {
    const uint8_t *data;
    size_t size;
} bytes;

static unsigned next(bytes *in)
{
    if (!in->size) return 0;
    in->size--;
    return *in->data++;
}

static double number(bytes *in)
{
    static const double odd[] = {0, 1, -1, 1e-4, 1e300, -1e300, 1e-300, 0.5};
    unsigned k = next(in);
    if (k == 255) return strtod("nan", NULL);
    if (k == 254) return strtod("inf", NULL);
    return k < 8 ? odd[k] : ((double)k - 128) / 64;
}

static const char *name(bytes *in)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "a.cross", "b.cross", "", NULL};
    return names[next(in) % 12];
}

static void add(hml_builder *b, bytes *in)
{
    hml_joint_spec joint;
    hml_inertia_spec I = {0};
    unsigned choices = next(in);
    hml_joint_spec_init(&joint, (hml_joint_type)(next(in) % 13));
    joint.name = name(in);
    for (int i = 0; i < 3; i++) joint.axis[i] = number(in), joint.axis2[i] = number(in);
    if (choices & 1)
        for (int i = 0; i < 9; i++) joint.rotation[i] = number(in);
    if (choices & 2)
        for (int i = 0; i < 3; i++) joint.point[i] = number(in), joint.position[i] = number(in);
    if (choices & 4) joint.mimic = name(in), joint.multiplier = number(in);
    if (choices & 8) joint.armature[0] = number(in), joint.rest[3] = number(in), joint.lower[0] = number(in);
    I.mass = number(in);
    for (int i = 0; i < 9 && (choices & 16); i++) I.moment[i] = number(in);
    const char *body = name(in), *parent = name(in);
    if (choices & 32)
        hml_builder_add_frame(b, body, parent, joint.position, joint.rotation, NULL);
    else
        hml_builder_add_body(b, body, parent, &joint, choices & 64 ? &I : NULL, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bytes in = {data, size};
    hml_error error;
    hml_model *m = NULL, *copy = NULL;
    hml_builder *b = hml_builder_new();
    if (!b) abort();
    unsigned options = next(&in) & 15u;
    while (in.size) add(b, &in);
    if (hml_builder_build(b, options, &m, &error) == HML_OK) {
        if (hml_model_from_data(hml_model_data(m), hml_model_size(m), &copy)) abort();
        hml_model_free(copy);
    }
    hml_model_free(m);
    hml_builder_free(b);
    return 0;
}
