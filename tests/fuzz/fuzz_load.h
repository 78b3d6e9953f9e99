/*
 * What each fuzzer of a model format does: load the bytes; a model that comes out has a scene, and must survive being
 * written and read again without a change. Seeds: tests/broken, robots.
 */
#ifndef FUZZ_LOAD_H
#define FUZZ_LOAD_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "hamel/view.h"

static inline void fuzz_check(int condition)
{
    if (!condition) abort();
}

static inline void fuzz_load(const uint8_t *data, size_t size, hml_model_format format, unsigned build)
{
    hml_load_options options;
    hml_load_options_init(&options);
    options.format = format;
    options.build = build;
    hml_model *model, *back;
    hml_error error = {0};
    hml_status status = hml_load_memory(data, size, NULL, &options, &model, &error);
    fuzz_check((status == HML_OK) == (model != NULL));
    fuzz_check(status == HML_OK ||
               (error.status == status && error.message[0] && memchr(error.message, 0, sizeof error.message)));
    if (status) return;
    hml_scene *scene;
    fuzz_check(hml_scene_load_memory(data, size, NULL, &options, model, &scene, &error) == HML_OK);
    hml_scene_free(scene);

    char *text, *again;
    size_t length, length_again;
    fuzz_check(hml_write_json(model, &text, &length, &error) == HML_OK);
    options.format = HML_FORMAT_JSON;
    fuzz_check(hml_load_memory(text, length, NULL, &options, &back, &error) == HML_OK);
    fuzz_check(hml_write_json(back, &again, &length_again, &error) == HML_OK);
    fuzz_check(length == length_again && memcmp(text, again, length) == 0);
    hml_text_free(text);
    hml_text_free(again);
    hml_model_free(back);
    if (hml_write_urdf(model, &text, &length, &error) == HML_OK) {
        options.format = HML_FORMAT_URDF;
        fuzz_check(hml_load_memory(text, length, NULL, &options, &back, &error) == HML_OK);
        if (hml_model_nv(model) != hml_model_nv(back)) { /* a free root is left out there, and names may not tell */
            hml_model_free(back);
            options.base = HML_BASE_FREE;
            fuzz_check(hml_load_memory(text, length, NULL, &options, &back, &error) == HML_OK);
        }
        fuzz_check(hml_model_nv(model) == hml_model_nv(back));
        hml_text_free(text);
        hml_model_free(back);
    }
    hml_model_free(model);
}

#endif
