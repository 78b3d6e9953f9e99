/* See outputs.h. */
#include "outputs.h"

#include <stdlib.h>
#include <string.h>

#include "hamel/kinematics.h"
#include "holds.h"

/* ---- names ---- */

static int add(output_set *o, output item, const char *name, const char *behind)
{
    const size_t size = strlen(name) + strlen(behind) + 1;
    char *text = malloc(size);
    output *items = realloc(o->items, (o->count + 1) * sizeof *items);
    if (items) o->items = items;
    char **names = realloc(o->names, (o->count + 1) * sizeof *names);
    if (names) o->names = names;
    if (!text || !items || !names) {
        free(text);
        return 0;
    }
    snprintf(text, size, "%s%s", name, behind);
    o->items[o->count] = item;
    o->names[o->count++] = text;
    return 1;
}

/* a coordinate, all coordinates of a joint, or the position of a frame */
static int read_one(const robot *r, const char *text, size_t length, output_set *o)
{
    static const char *const axes[] = {".x", ".y", ".z"};
    const size_t before = o->count;
    int room = 1;
    for (int32_t i = 0; room && i < r->nv; i++) {
        const char *name = r->names[i];
        const int same = strncmp(name, text, length) == 0 && (name[length] == 0 || name[length] == '.');
        if (same || (strncmp(r->labels[i], text, length) == 0 && r->labels[i][length] == 0))
            room = add(o, (output){.coordinate = i, .frame = -1}, name, "");
    }
    if (!room) return robot_fail(r, HML_OUT_OF_MEMORY);
    if (o->count > before) return CLI_OK;
    int32_t frame;
    const int status = holds_frame(r, text, length, &frame);
    if (status != CLI_OK) return status;
    hml_frame_info info = {.struct_size = sizeof info};
    hml_model_frame(r->model, frame, &info);
    for (int32_t k = 0; room && k < 3; k++)
        room = add(o, (output){.coordinate = -1, .frame = frame, .axis = k}, info.name, axes[k]);
    return room ? CLI_OK : robot_fail(r, HML_OUT_OF_MEMORY);
}

static hml_status position(const robot *r, const double *q, int32_t frame, double *J, double *H)
{
    const hml_frame_motion motion = HML_STRUCT(hml_frame_motion, .pose = H, .J = J);
    return hml_frame(r->model, r->work, frame, HML_MIXED, q, NULL, NULL, &motion);
}

static hml_status differentiate(const robot *r, output_set *o)
{
    const size_t nv = (size_t)r->nv;
    double H[16], *J = malloc(6 * nv * sizeof *J);
    hml_status status = J ? HML_OK : HML_OUT_OF_MEMORY;
    o->C = calloc(o->count * nv + 1, sizeof *o->C);
    if (!o->C) status = HML_OUT_OF_MEMORY;
    for (size_t i = 0; !status && i < o->count; i++) {
        const output *x = &o->items[i];
        if (x->coordinate >= 0) {
            o->C[i * nv + (size_t)x->coordinate] = 1;
        } else {
            status = position(r, r->state->q, x->frame, J, H);
            if (!status) memcpy(o->C + i * nv, J + (size_t)x->axis * nv, nv * sizeof *J);
        }
    }
    free(J);
    return status;
}

int outputs_read(const cli_options *options, const robot *r, output_set *o)
{
    int status = CLI_OK;
    for (const char *at = options->integral; at && status == CLI_OK;) {
        const char *comma = strchr(at, ',');
        const size_t length = comma ? (size_t)(comma - at) : strlen(at);
        if (length == 0) return cli_fail(CLI_USAGE, "--integral: names of joints or frames with commas between them");
        status = read_one(r, at, length, o);
        at = comma ? comma + 1 : NULL;
    }
    const hml_status computed = status == CLI_OK && o->count ? differentiate(r, o) : HML_OK;
    return computed ? robot_fail(r, computed) : status;
}

void outputs_free(output_set *o)
{
    for (size_t i = 0; i < o->count; i++) free(o->names[i]);
    free(o->names);
    free(o->items);
    free(o->C);
}

/* ---- values ---- */

void outputs_reduce(const robot *r, const linear_state *s, const output_set *o, double *C)
{
    const size_t nv = (size_t)r->nv, f = s->n / 2;
    for (size_t i = 0; i < o->count; i++) {
        for (size_t j = 0; j < f; j++) {
            double *at = C + i * s->n + j;
            *at = s->Z ? 0 : o->C[i * nv + j];
            for (size_t k = 0; s->Z && k < nv; k++) *at += o->C[i * nv + k] * s->Z[k * f + j];
        }
    }
}

hml_status outputs_begin(const robot *r, const double *q, output_set *o)
{
    hml_status status = HML_OK;
    double H[16];
    for (size_t i = 0; !status && i < o->count; i++) {
        output *x = &o->items[i];
        if (x->coordinate >= 0) continue;
        status = position(r, q, x->frame, NULL, H);
        if (!status) x->at = H[4 * x->axis + 3];
    }
    return status;
}

hml_status outputs_error(const robot *r, const double *q, const double *z, const output_set *o, double *error)
{
    hml_status status = HML_OK;
    double H[16];
    for (size_t i = 0; !status && i < o->count; i++) {
        const output *x = &o->items[i];
        if (x->coordinate < 0) status = position(r, q, x->frame, NULL, H);
        error[i] = x->coordinate >= 0 ? z[x->coordinate] : H[4 * x->axis + 3] - x->at;
    }
    return status;
}
