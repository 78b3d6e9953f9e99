/*
 * Streams of the device that is none: what is put into a stream happens as late as a GPU may let it happen, when somebody
 * waits for it. What does not wait for what it needs finds NaN, or numbers of other states.
 */
#include "streams_emulated.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/device.h"

typedef struct operation {
    emulated_work work;
    void *context;
    /* a copy, or what another stream must have done */
    void *to;
    const void *from;
    size_t bytes;
    struct stream *first;
} operation;

typedef struct stream {
    operation *operations;
    size_t count, done, room;
} stream;

static int forgetful, streams, stages;

void emulated_streams_forget(int on) { forgetful = on; }

int emulated_streams_left(void) { return streams + stages; }

static operation *put(stream *s)
{
    if (s->count == s->room) {
        s->room = 2 * s->room + 8;
        s->operations = realloc(s->operations, s->room * sizeof *s->operations);
        if (!s->operations) abort();
    }
    operation *o = &s->operations[s->count++];
    memset(o, 0, sizeof *o);
    return o;
}

static hml_status run(stream *s, size_t until)
{
    hml_status status = HML_OK;
    while (s->done < until) {
        const operation o = s->operations[s->done++];
        hml_status one = HML_OK;
        if (o.work) one = o.work(o.context), free(o.context);
        if (o.to) memcpy(o.to, o.from, o.bytes);
        if (o.first) one = run(o.first, o.bytes);
        if (!status) status = one;
    }
    return status;
}

int emulated_streams_defer(void *at, emulated_work work, const void *context, size_t bytes)
{
    if (!at) return 0;
    operation *o = put(at);
    o->work = work, o->context = malloc(bytes);
    if (!o->context) abort();
    memcpy(o->context, context, bytes);
    return 1;
}

hml_status hmli_device_wait(int device, void *at, hml_error *error)
{
    (void)device, (void)error;
    stream *s = at;
    return s ? run(s, s->count) : HML_OK;
}

hml_status hmli_device_stage(int device, size_t bytes, void **memory, hml_error *error)
{
    *memory = NULL;
    if (hmli_device_allocate(device, bytes, memory, error)) return HML_OUT_OF_MEMORY;
    memset(*memory, 0xff, bytes);
    stages++;
    return HML_OK;
}

void hmli_device_unstage(int device, void *memory)
{
    stages -= memory != NULL;
    hmli_device_release(device, memory);
}

hml_status hmli_device_copy_in_stream(int device, void *to, const void *from, size_t bytes, int to_device, void *at,
                                      hml_error *error)
{
    (void)device, (void)to_device, (void)error;
    operation *o = put(at);
    o->to = to, o->from = from, o->bytes = bytes;
    return HML_OK;
}

hml_status hmli_device_stream_new(int device, void **at, hml_error *error)
{
    (void)device, (void)error;
    *at = calloc(1, sizeof(stream));
    if (!*at) return HML_OUT_OF_MEMORY;
    streams++;
    return HML_OK;
}

void hmli_device_stream_free(int device, void *at)
{
    (void)device;
    stream *s = at;
    if (!s) return;
    for (size_t k = s->done; k < s->count; k++) free(s->operations[k].context);
    free(s->operations);
    free(s);
    streams--;
}

/* the default stream has done everything already */
hml_status hmli_device_follow(int device, void *first, void *then, hml_error *error)
{
    (void)device, (void)error;
    if (!first || !then || forgetful) return HML_OK;
    operation *o = put(then);
    o->first = first, o->bytes = ((stream *)first)->count;
    return HML_OK;
}

/* three parts, the last first */
void hmli_device_share(void (*work)(const void *context, int part, int parts), const void *context, int most)
{
    (void)most;
    for (int part = 2; part >= 0; part--) work(context, part, 3);
}
