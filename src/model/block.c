/* A model as one relocatable block. See model.h. */
#include "model/block.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/aligned.h"
#include "base/layout.h"
#include "model/check_item.h"
#include "model/plan.h"

static_assert(HML_MODEL_ALIGN == LAYOUT_ALIGN, "sections begin at lines of the cache");

void hmli_block_layout(hml_model *m)
{
    uint64_t end = 0, names = (uint64_t)m->nbodies + (uint64_t)m->njoints + (uint64_t)m->nframes;
    layout_offset(&end, 1, sizeof *m);
    m->bodies = layout_offset(&end, (uint64_t)m->nbodies, sizeof(model_body));
    m->joints = layout_offset(&end, (uint64_t)m->njoints, sizeof(model_joint));
    m->frames = layout_offset(&end, (uint64_t)m->nframes, sizeof(model_frame));
    m->coordinates = layout_offset(&end, (uint64_t)m->tree_nv, sizeof(model_coordinate));
    m->rest = layout_offset(&end, (uint64_t)m->tree_nq, sizeof(double));
    m->shapes = layout_offset(&end, (uint64_t)m->nshapes, sizeof(model_shape));
    m->vertices = layout_offset(&end, (uint64_t)m->nvertices, 3 * sizeof(double));
    m->loops = layout_offset(&end, (uint64_t)m->nloops, sizeof(model_loop));
    m->exclusions = layout_offset(&end, (uint64_t)m->nexclusions, sizeof(model_exclusion));
    m->keyframes = layout_offset(&end, (uint64_t)m->nkeyframes, sizeof(model_keyframe));
    m->keys = layout_offset(&end, (uint64_t)m->nkeys, sizeof(model_key));
    m->actuators = layout_offset(&end, (uint64_t)m->nactuators, sizeof(model_actuator));
    m->warnings = layout_offset(&end, (uint64_t)m->nwarnings, sizeof(uint32_t));
    m->names = layout_offset(&end, m->names_size, 1);
    m->lookup = layout_offset(&end, names * sizeof(model_name) + (uint64_t)m->nv * sizeof(int32_t), 1);
    m->plan = m->size = end;
    m->plan_size = 0;
}

hml_model *hmli_block_new(uint64_t size)
{
    if (size > SIZE_MAX - HML_MODEL_ALIGN) return NULL;
    hml_model *m = aligned_new(HML_MODEL_ALIGN, layout_aligned((size_t)size));
    if (m) memset(m, 0, (size_t)size);
    return m;
}

/* ---- names ---- */

model_lookup hmli_block_lookup(const hml_model *m)
{
    model_lookup l;
    l.bodies = (model_name *)((char *)(uintptr_t)m + m->lookup);
    l.joints = l.bodies + m->nbodies;
    l.frames = l.joints + m->njoints;
    l.velocity_joint = (int32_t *)(l.frames + m->nframes);
    return l;
}

/* FNV-1a */
static uint32_t hash_of(const char *name)
{
    uint32_t hash = 2166136261u;
    for (; *name; name++) hash = (hash ^ (unsigned char)*name) * 16777619u;
    return hash;
}

static int compare(const hml_model *m, model_name_of *name, model_name a, uint32_t hash, const char *text)
{
    if (a.hash != hash) return a.hash < hash ? -1 : 1;
    return strcmp(model_text(m, name(m, a.index)), text);
}

/* merges runs of 1, 2, 4, … pairs, to and fro between the list and `spare`; those that are equal keep their order */
static void sort(const hml_model *m, model_name *pairs, model_name *spare, int32_t n, model_name_of *name)
{
    model_name *from = pairs, *to = spare;
    for (int64_t run = 1; run < n; run *= 2) {
        for (int64_t start = 0; start < n; start += 2 * run) {
            int64_t middle = start + run < n ? start + run : n, end = start + 2 * run < n ? start + 2 * run : n;
            int64_t a = start, b = middle;
            for (int64_t k = start; k < end; k++) {
                int first = b == end;
                if (a < middle && !first)
                    first = compare(m, name, from[a], from[b].hash, model_text(m, name(m, from[b].index))) <= 0;
                to[k] = first ? from[a++] : from[b++];
            }
        }
        model_name *swap = from;
        from = to;
        to = swap;
    }
    if (from != pairs) memcpy(pairs, from, (size_t)n * sizeof *pairs);
}

static void fill_names(const hml_model *m, model_name *pairs, model_name *spare, int32_t n, model_name_of *name)
{
    for (int32_t i = 0; i < n; i++) {
        pairs[i].hash = hash_of(model_text(m, name(m, i)));
        pairs[i].index = i;
    }
    sort(m, pairs, spare, n, name);
}

int32_t hmli_block_find(const hml_model *m, const model_name *pairs, int32_t n, model_name_of *name, const char *wanted)
{
    if (!wanted) return -1;
    uint32_t hash = hash_of(wanted);
    int32_t low = 0, high = n;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (compare(m, name, pairs[middle], hash, wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && compare(m, name, pairs[low], hash, wanted) == 0 ? pairs[low].index : -1;
}

static hml_status fill_lookup(const hml_model *m)
{
    model_lookup l = hmli_block_lookup(m);
    const model_joint *joints = model_joints(m);
    int32_t most = m->nframes > m->njoints ? m->nframes : m->njoints; /* every body has a frame */
    model_name *spare = malloc(((size_t)most + 1) * sizeof *spare);
    if (!spare) return HML_OUT_OF_MEMORY;
    memset(l.bodies, 0, (size_t)(m->plan - m->lookup));
    fill_names(m, l.bodies, spare, m->nbodies, model_body_name);
    fill_names(m, l.joints, spare, m->njoints, model_joint_name);
    fill_names(m, l.frames, spare, m->nframes, model_frame_name);
    free(spare);
    for (int32_t i = 0; i < m->njoints; i++)
        for (int32_t k = 0; k < joints[i].nv; k++) l.velocity_joint[joints[i].v + k] = i;
    return HML_OK;
}

hml_status hmli_block_finish(const hml_model *draft, hml_model **model)
{
    uint64_t plan_size = hmli_plan_size(draft);
    hml_model *m = hmli_block_new(draft->plan + plan_size);
    if (!m) return HML_OUT_OF_MEMORY;
    memcpy(m, draft, (size_t)draft->lookup);
    m->plan_size = plan_size;
    m->size = m->plan + plan_size;
    hml_status status = fill_lookup(m);
    if (status) {
        hml_model_free(m);
        return status;
    }
    hmli_plan_fill(m);
    *model = m;
    return HML_OK;
}

void hml_model_free(hml_model *m) { aligned_delete(m); }
size_t hml_model_size(const hml_model *m) { return (size_t)m->size; }
const void *hml_model_data(const hml_model *m) { return m; }

hml_status hml_model_copy(const hml_model *m, hml_model **copy)
{
    if (!m || !copy) return HML_INVALID_ARGUMENT;
    *copy = hmli_block_new(m->size);
    if (!*copy) return HML_OUT_OF_MEMORY;
    memcpy(*copy, m, (size_t)m->size);
    return HML_OK;
}

hml_status hml_model_set_gravity(hml_model *m, const double gravity[3])
{
    if (!m || !gravity) return HML_INVALID_ARGUMENT;
    if (!all_finite(gravity, 3)) return HML_NOT_FINITE;
    memcpy(m->gravity, gravity, sizeof m->gravity);
    return HML_OK;
}

/* the header of a block says the truth about its sections: counts without sign, offsets as we would lay them out */
static int header_valid(const hml_model *m, size_t size)
{
    hml_model layout = *m;
    if (memcmp(m->magic, HML_MODEL_MAGIC, sizeof m->magic) != 0 || m->version != HML_MODEL_VERSION ||
        m->header_size != sizeof *m || m->size != size)
        return 0;
    const int32_t counts[] = {m->nbodies, m->njoints,    m->nframes, m->nwarnings, m->nq,
                              m->nv,      m->tree_nq,    m->tree_nv, m->nshapes,   m->nkeyframes,
                              m->nkeys,   m->nactuators, m->nloops,  m->nvertices, m->nexclusions};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (counts[i] < 0 || counts[i] > 1 << 29) return 0;
    if (m->names_size == 0 || m->names_size > UINT32_MAX || m->plan_size > size) return 0;
    hmli_block_layout(&layout);
    return layout.bodies == m->bodies && layout.joints == m->joints && layout.frames == m->frames &&
           layout.coordinates == m->coordinates && layout.rest == m->rest && layout.shapes == m->shapes &&
           layout.vertices == m->vertices && layout.loops == m->loops && layout.exclusions == m->exclusions &&
           layout.keyframes == m->keyframes && layout.keys == m->keys && layout.actuators == m->actuators &&
           layout.warnings == m->warnings && layout.names == m->names && layout.lookup == m->lookup &&
           layout.plan == m->plan && layout.plan + m->plan_size == size;
}

hml_status hml_model_from_data(const void *data, size_t size, hml_model **model)
{
    hml_model header;
    if (!data || !model) return HML_INVALID_ARGUMENT;
    if (size < sizeof header) return HML_BAD_MODEL;
    memcpy(&header, data, sizeof header);
    if (!header_valid(&header, size)) return HML_BAD_MODEL;
    hml_model *draft = hmli_block_new(size); /* data may lie anywhere; a block is aligned */
    if (!draft) return HML_OUT_OF_MEMORY;
    memcpy(draft, data, size);
    hml_status status = hmli_block_valid(draft) ? hmli_block_finish(draft, model) : HML_BAD_MODEL;
    hml_model_free(draft);
    return status;
}
