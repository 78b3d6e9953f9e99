/*
 * A block of a model with some of its words replaced: hml_model_from_data refuses it, or it is a model that everything
 * can be asked of. Input: pairs of an offset (4 bytes) and a word (8 bytes).
 */
#include <stdlib.h>
#include <string.h>

#include "hamel/configuration.h"
#include "hamel/edit.h"

static hml_model *base(void)
{
    hml_random_spec spec;
    hml_model *model = NULL;
    hml_random_spec_init(&spec);
    spec.shape = HML_RANDOM_ANY;
    spec.joint_types = (2u << HML_JOINT_FREE) - 1;
    spec.passive = spec.limited = spec.mimic = 0.5;
    spec.nframes = 3;
    if (hml_model_random(&spec, &model)) abort();
    return model;
}

static void ask(const hml_model *m)
{
    char text[64];
    size_t nq = (size_t)hml_model_nq(m), nv = (size_t)hml_model_nv(m);
    double *q = calloc(nq + 1, sizeof *q), *v = calloc(nv + 1, sizeof *v);
    hml_builder *b = NULL;
    hml_model *again = NULL;
    if (!q || !v) abort();
    for (int32_t i = 0; i < hml_model_nv(m); i++) hml_model_velocity_name(m, i, text, sizeof text);
    if (hml_configuration_neutral(m, q) || hml_configuration_integrate(m, q, v, q)) abort();
    if (hml_model_to_builder(m, &b) == HML_OK && hml_builder_build(b, 0, &again, NULL) == HML_OK)
        hml_model_equal(m, again, 1e-9, text, sizeof text);
    hml_builder_free(b);
    hml_model_free(again);
    free(q);
    free(v);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static hml_model *whole;
    if (!whole) whole = base();
    size_t length = hml_model_size(whole);
    unsigned char *block = malloc(length);
    if (!block) abort();
    memcpy(block, whole, length);
    for (; size >= 12; data += 12, size -= 12) {
        uint32_t offset;
        memcpy(&offset, data, sizeof offset);
        memcpy(block + offset % (length / 8) * 8, data + 4, 8);
    }
    hml_model *broken = NULL;
    if (hml_model_from_data(block, length, &broken) == HML_OK) ask(broken);
    hml_model_free(broken);
    free(block);
    return 0;
}
