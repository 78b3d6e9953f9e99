/* A model as one relocatable block. See model.h. */
#include "model/block.h"

#include <stdlib.h>
#include <string.h>

#include "model/check_item.h"
#include "model/plan.h"

static uint64_t align(uint64_t size) { return (size + HML_MODEL_ALIGN - 1) / HML_MODEL_ALIGN * HML_MODEL_ALIGN; }

static uint64_t place(uint64_t *end, uint64_t count, uint64_t element)
{
    uint64_t offset = *end;
    *end = align(offset + count * element);
    return offset;
}

void hml_block_layout(hml_model *m)
{
    uint64_t end = align(sizeof *m), slots = names_capacity(m->nbodies);
    slots += names_capacity(m->njoints);
    slots += names_capacity(m->nframes);
    slots += (uint64_t)m->nv;
    m->bodies = place(&end, (uint64_t)m->nbodies, sizeof(model_body));
    m->joints = place(&end, (uint64_t)m->njoints, sizeof(model_joint));
    m->frames = place(&end, (uint64_t)m->nframes, sizeof(model_frame));
    m->coordinates = place(&end, (uint64_t)m->tree_nv, sizeof(model_coordinate));
    m->rest = place(&end, (uint64_t)m->tree_nq, sizeof(double));
    m->shapes = place(&end, (uint64_t)m->nshapes, sizeof(model_shape));
    m->warnings = place(&end, (uint64_t)m->nwarnings, sizeof(uint32_t));
    m->names = place(&end, m->names_size, 1);
    m->lookup = place(&end, slots, sizeof(uint32_t));
    m->plan = m->size = end;
    m->plan_size = 0;
}

hml_model *hml_block_new(uint64_t size)
{
    if (size > SIZE_MAX - HML_MODEL_ALIGN) return NULL;
    hml_model *m = aligned_alloc(HML_MODEL_ALIGN, (size_t)align(size));
    if (m) memset(m, 0, (size_t)size);
    return m;
}

model_lookup hml_block_lookup(const hml_model *m)
{
    model_lookup l;
    l.bodies = (uint32_t *)((char *)(uintptr_t)m + m->lookup);
    l.joints = l.bodies + names_capacity(m->nbodies);
    l.frames = l.joints + names_capacity(m->njoints);
    l.velocity_joint = (int32_t *)(l.frames + names_capacity(m->nframes));
    return l;
}

static void put(uint32_t *slots, int32_t n, const char *name, int32_t index)
{
    uint32_t mask = names_capacity(n) - 1, i = names_hash(name) & mask;
    while (slots[i]) i = (i + 1) & mask;
    slots[i] = (uint32_t)index + 1;
}

static void fill_lookup(const hml_model *m)
{
    model_lookup l = hml_block_lookup(m);
    const model_joint *joints = model_joints(m);
    memset(l.bodies, 0, (size_t)(m->plan - m->lookup));
    for (int32_t i = 0; i < m->nbodies; i++) put(l.bodies, m->nbodies, model_text(m, model_bodies(m)[i].name), i);
    for (int32_t i = 0; i < m->njoints; i++) put(l.joints, m->njoints, model_text(m, joints[i].name), i);
    for (int32_t i = 0; i < m->nframes; i++) put(l.frames, m->nframes, model_text(m, model_frames(m)[i].name), i);
    for (int32_t i = 0; i < m->njoints; i++)
        for (int32_t k = 0; k < joints[i].nv; k++) l.velocity_joint[joints[i].v + k] = i;
}

hml_status hml_block_finish(const hml_model *draft, hml_model **model)
{
    uint64_t plan_size = hml_plan_size(draft);
    hml_model *m = hml_block_new(draft->plan + plan_size);
    if (!m) return HML_OUT_OF_MEMORY;
    memcpy(m, draft, (size_t)draft->lookup);
    m->plan_size = plan_size;
    m->size = m->plan + plan_size;
    fill_lookup(m);
    hml_plan_fill(m);
    *model = m;
    return HML_OK;
}

void hml_model_free(hml_model *m) { free(m); }
size_t hml_model_size(const hml_model *m) { return (size_t)m->size; }
const void *hml_model_data(const hml_model *m) { return m; }

hml_status hml_model_copy(const hml_model *m, hml_model **copy)
{
    if (!m || !copy) return HML_INVALID_ARGUMENT;
    *copy = hml_block_new(m->size);
    if (!*copy) return HML_OUT_OF_MEMORY;
    memcpy(*copy, m, (size_t)m->size);
    return HML_OK;
}

hml_status hml_model_set_gravity(hml_model *m, const double gravity[3])
{
    if (!m || !gravity) return HML_INVALID_ARGUMENT;
    if (!hml_all_finite(gravity, 3)) return HML_NOT_FINITE;
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
    const int32_t counts[] = {m->nbodies, m->njoints, m->nframes, m->nwarnings, m->nq,
                              m->nv,      m->tree_nq, m->tree_nv, m->nshapes};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (counts[i] < 0 || counts[i] > 1 << 29) return 0;
    if (m->names_size == 0 || m->names_size > UINT32_MAX || m->plan_size > size) return 0;
    hml_block_layout(&layout);
    return layout.bodies == m->bodies && layout.joints == m->joints && layout.frames == m->frames &&
           layout.coordinates == m->coordinates && layout.rest == m->rest && layout.shapes == m->shapes &&
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
    hml_model *draft = hml_block_new(size); /* data may lie anywhere; a block is aligned */
    if (!draft) return HML_OUT_OF_MEMORY;
    memcpy(draft, data, size);
    hml_status status = hml_block_valid(draft) ? hml_block_finish(draft, model) : HML_BAD_MODEL;
    hml_model_free(draft);
    return status;
}
