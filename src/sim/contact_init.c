/* A contact problem on the caller's memory, and what it says about the last step: hamel/contact.h. */
#include <math.h>
#include <string.h>

#include "base/struct_size.h"
#include "group/arrays.h"
#include "hamel/reference/textbook.h"
#include "sim/contact.h"

enum { MOST_CONTACTS = 64, ITERATIONS = 2000 };

/* ---- the shapes that were given, or those of the model ---- */

static int32_t count_shapes(const hml_model *model, const hml_contact_settings *s)
{
    return s->shapes ? s->nshapes : hml_model_nshapes(model);
}

static hml_shape shape_at(const hml_model *model, const hml_contact_settings *s, int32_t i)
{
    hml_shape shape = {.frame = -1};
    if (s->shapes) return s->shapes[i];
    hml_model_shape(model, i, &shape);
    return shape;
}

/* ---- checking ---- */

static hml_status check_shape(const hml_model *model, const hml_shape *s)
{
    const int sizes = hml_shape_kind_sizes(s->kind);
    mat3 R;
    if (s->frame < -1 || s->frame >= model->nframes || sizes < 0) return HML_INVALID_ARGUMENT;
    TRY(read_check(s->position, 3));
    TRY(read_rotation(s->rotation, &R));
    TRY(rotation_check(R));
    TRY(read_check(s->size, sizes));
    for (int i = 0; i < sizes; i++)
        if (!(s->size[i] > 0)) return HML_INVALID_ARGUMENT;
    if (s->kind == HML_SHAPE_HULL) {
        if (!s->vertices || s->nvertices < 1 || s->nvertices > HML_SHAPE_MAX_VERTICES) return HML_INVALID_ARGUMENT;
        TRY(read_check(s->vertices, 3 * s->nvertices));
    }
    TRY(read_check(&s->friction, 1));
    TRY(read_check(&s->restitution, 1));
    return s->restitution >= 0 && s->restitution <= 1 ? HML_OK : HML_INVALID_ARGUMENT;
}

static hml_status check_plane(const hml_plane *p)
{
    vec3 n, x = vec3_zero();
    TRY(read_check(p->point, 3));
    TRY(read_vec3(p->normal, &n));
    TRY(read_check(p->size, 2));
    TRY(read_check(&p->depth, 1));
    TRY(read_check(&p->friction, 1));
    TRY(read_check(&p->restitution, 1));
    if (!(vec3_dot(n, n) > 0) || p->size[0] < 0 || p->size[1] < 0 || p->depth < 0) return HML_INVALID_ARGUMENT;
    if (p->size[0] > 0 || p->size[1] > 0) {
        TRY(read_vec3(p->axis, &x));
        vec3 across = vec3_cross(n, x);
        if (!(vec3_dot(across, across) > 0)) return HML_INVALID_ARGUMENT;
    }
    return p->friction >= 0 && p->restitution >= 0 && p->restitution <= 1 ? HML_OK : HML_INVALID_ARGUMENT;
}

static const hml_contact_settings *take(const hml_contact_settings *given, hml_contact_settings *room)
{
    return STRUCT_TAKE(hml_contact_settings, given, room, planes);
}

static hml_status check(const hml_model *model, const hml_contact_settings *s)
{
    if (!model || !s || s->nplanes < 0 || s->nshapes < 0 || s->max_contacts < 0 || (s->nplanes && !s->planes) ||
        s->iterations < 0 || s->nheightfields < 0 || (s->nheightfields && !s->heightfields)) {
        return HML_INVALID_ARGUMENT;
    }
    const double numbers[] = {s->slop, s->correction, s->bounce, s->tolerance};
    TRY(read_check(numbers, 4));
    for (int i = 0; i < 4; i++)
        if (numbers[i] < 0) return HML_INVALID_ARGUMENT;
    if (s->correction > 1) return HML_INVALID_ARGUMENT;
    for (int32_t i = 0; s->shapes && i < s->nshapes; i++) TRY(check_shape(model, &s->shapes[i]));
    for (int32_t i = 0; i < s->nplanes; i++) TRY(check_plane(&s->planes[i]));
    for (int32_t i = 0; i < s->nheightfields; i++) TRY(hmli_heightfield_check(&s->heightfields[i]));
    if (!s->joint_friction) return HML_OK;
    TRY(read_check(s->joint_friction, model->nv));
    for (int32_t i = 0; i < model->nv; i++)
        if (s->joint_friction[i] < 0) return HML_INVALID_ARGUMENT;
    return HML_OK;
}

/* ---- what is known from the start ---- */

static int32_t vertices_of(const hml_shape *s) { return s->kind == HML_SHAPE_HULL ? s->nvertices : 0; }

/* *vertices: room for those of a hull, of which it takes what it needs; NULL: they stay where they are */
static collision_shape resolve_shape(const hml_model *model, hml_shape s, double **vertices)
{
    const model_frame *f = s.frame < 0 ? NULL : &model_frames(model)[s.frame];
    collision_shape r = {.body = f ? f->body : -1, .parent = -2, .kind = s.kind};
    if (r.body >= 0) r.parent = model_bodies(model)[r.body].parent;
    memcpy(r.size, s.size, sizeof r.size);
    r.place = pose_of(mat3_at(s.rotation, 3), vec3_at(s.position));
    if (f) r.place = pose_mul(pose_of(mat3_at(f->R, 3), vec3_at(f->p)), r.place);
    r.friction = s.friction;
    r.restitution = s.restitution;
    r.contype = s.contype;
    r.conaffinity = s.conaffinity;
    r.nvertices = vertices_of(&s);
    r.vertices = s.vertices;
    if (vertices && r.nvertices) {
        r.vertices = memcpy(*vertices, s.vertices, 3 * (size_t)r.nvertices * sizeof **vertices);
        *vertices += 3 * (size_t)r.nvertices;
    }
    hmli_collision_bound(&r);
    return r;
}

static size_t count_vertices(const hml_model *model, const hml_contact_settings *s)
{
    size_t count = 0;
    for (int32_t i = 0; i < count_shapes(model, s); i++) {
        const hml_shape shape = shape_at(model, s, i);
        count += (size_t)vertices_of(&shape);
    }
    return count;
}

static size_t count_heights(const hml_contact_settings *s)
{
    size_t count = 0;
    for (int32_t i = 0; i < s->nheightfields; i++)
        count += (size_t)s->heightfields[i].rows * (size_t)s->heightfields[i].columns;
    return count;
}

static vec3 normalized(vec3 a) { return vec3_scale(1 / sqrt(vec3_dot(a, a)), a); }

static collision_plane resolve_plane(const hml_plane *p)
{
    collision_plane r = {.point = vec3_at(p->point), .normal = normalized(vec3_at(p->normal))};
    r.x = r.y = vec3_zero();
    if (p->size[0] > 0 || p->size[1] > 0) {
        r.y = normalized(vec3_cross(r.normal, vec3_at(p->axis)));
        r.x = vec3_cross(r.y, r.normal);
    }
    r.size[0] = p->size[0];
    r.size[1] = p->size[1];
    r.depth = p->depth;
    r.friction = p->friction;
    r.restitution = p->restitution;
    return r;
}

/* does a coordinate change one number of q alone, and by itself? */
static int moves_alone(int32_t type, int32_t k)
{
    switch (type) {
    case HML_JOINT_FREE:
    case HML_JOINT_SPHERICAL: return 0;
    case HML_JOINT_PLANAR: return k == 2;
    case HML_JOINT_SCHOENFLIES: return k >= 2;
    default: return 1;
    }
}

/* coordinates that have limits, into limits where that is not NULL */
static int32_t list_limits(const hml_model *model, unsigned options, joint_limit *limits)
{
    int32_t count = 0;
    for (int32_t i = 0; i < model->njoints && !(options & HML_CONTACT_NO_LIMITS); i++) {
        const model_joint *j = &model_joints(model)[i];
        const model_coordinate *c = &model_coordinates(model)[model_bodies(model)[j->body].v];
        for (int32_t k = 0; k < j->nv; k++) {
            if (!moves_alone(j->type, k) || (isinf(c[k].lower) && isinf(c[k].upper))) continue;
            joint_limit limit = {j->q + k, j->v + k, c[k].lower, c[k].upper};
            if (limits) limits[count] = limit;
            count++;
        }
    }
    return count;
}

/* as many points as shapes can have on planes and on each other */
static int32_t most_contacts(const hml_model *model, const hml_contact_settings *s)
{
    int64_t count = 0;
    if (s->max_contacts) return s->max_contacts;
    for (int32_t i = 0; i < count_shapes(model, s) && count < MOST_CONTACTS; i++) {
        collision_shape a = resolve_shape(model, shape_at(model, s, i), NULL);
        count += (int64_t)hmli_collision_points(a.kind) * s->nplanes + HEIGHTFIELD_POINTS * (int64_t)s->nheightfields;
        for (int32_t k = 0; k < i && (s->options & HML_CONTACT_PAIRS); k++) {
            collision_shape b = resolve_shape(model, shape_at(model, s, k), NULL);
            count += hmli_collision_pair(&a, &b);
        }
    }
    return count < MOST_CONTACTS ? (int32_t)count : MOST_CONTACTS;
}

/* ---- dry friction of joints ---- */

static int has_friction(const hml_model *model, const hml_contact_settings *s)
{
    for (int32_t i = 0; !s->joint_friction && i < model->tree_nv; i++)
        if (model_coordinates(model)[i].friction > 0) return 1;
    return s->joint_friction != NULL;
}

/* what was given, or that of the model; a follower that turns f times as far resists |f| times as much */
static void put_friction(const hml_model *model, const hml_contact_settings *s, double *friction)
{
    for (int32_t i = 0; i < model->nv; i++) friction[i] = s->joint_friction ? s->joint_friction[i] : 0;
    for (int32_t i = 0; !s->joint_friction && i < model->njoints; i++) {
        const model_joint *j = &model_joints(model)[i];
        const model_coordinate *at = model_coordinates(model) + model_bodies(model)[j->body].v;
        const int follows = j->leader >= 0;
        const int32_t user = follows ? model_joints(model)[j->leader].v : j->v;
        for (int32_t k = 0; k < j->nv + follows; k++) {
            friction[user + k] += (follows ? fabs(j->multiplier) : 1) * fmax(0, at[k].friction);
        }
    }
}

/* ---- memory ---- */

/* sizes that no memory has stay SIZE_MAX */
static size_t product(size_t a, size_t b) { return b && a > SIZE_MAX / b ? SIZE_MAX : a * b; }

static size_t lay_out(const hml_model *model, const hml_contact_settings *s, void *memory, hml_contact *c)
{
    const size_t n = (size_t)model->nv, nq = (size_t)model->nq;
    const int32_t limits = list_limits(model, s->options, NULL), contacts = most_contacts(model, s);
    const int64_t rows = 3 * (int64_t)contacts + limits + (has_friction(model, s) ? model->nv : 0);
    if (rows > INT32_MAX) return SIZE_MAX;
    c->nloops = hmli_contact_count_loops(model, s->options, &c->loop_rows);
    const size_t r = (size_t)rows, rn = product(r, n), rr = product(r, r);
    if (rn > SIZE_MAX / 64 || rr > SIZE_MAX / 64) return SIZE_MAX;
    layout_cursor at = layout_begin(memory);
    layout_array(&at, 1, sizeof *c);
    c->nlimits = limits;
    c->max_contacts = contacts;
    c->max_rows = (int32_t)rows;
    c->shapes = layout_array(&at, (size_t)count_shapes(model, s), sizeof *c->shapes);
    c->vertices = layout_doubles(&at, product(3, count_vertices(model, s)));
    c->centres = layout_array(&at, (size_t)count_shapes(model, s), sizeof *c->centres);
    const size_t pairs = s->options & HML_CONTACT_PAIRS ? (size_t)count_shapes(model, s) : 0;
    c->pairs = layout_array(&at, product(pairs, pairs) / 2, sizeof *c->pairs);
    c->planes = layout_array(&at, (size_t)s->nplanes, sizeof *c->planes);
    c->fields = layout_array(&at, (size_t)s->nheightfields, sizeof *c->fields);
    c->heights = layout_doubles(&at, count_heights(s));
    c->reach = layout_doubles(&at, (size_t)model->njoints);
    c->limits = layout_array(&at, (size_t)limits, sizeof *c->limits);
    c->now.items = layout_array(&at, (size_t)contacts, sizeof *c->now.items);
    c->last.items = layout_array(&at, (size_t)contacts, sizeof *c->last.items);
    c->rows = layout_array(&at, r, sizeof *c->rows);
    c->user = layout_array(&at, (size_t)model->tree_nv, sizeof *c->user);
    c->factor = layout_doubles(&at, (size_t)model->tree_nv);
    c->parents = layout_array(&at, n, sizeof *c->parents);
    c->common = layout_array(&at, n * n, sizeof *c->common);
    c->lengths = layout_array(&at, r, sizeof *c->lengths);
    c->active = layout_array(&at, r, sizeof *c->active);
    c->joint_friction = layout_doubles(&at, has_friction(model, s) ? n : 0);
    c->target = layout_doubles(&at, nq);
    c->servo_stiffness = layout_doubles(&at, n);
    c->servo_damping = layout_doubles(&at, n);
    c->stiffness = layout_doubles(&at, n);
    c->damping = layout_doubles(&at, n);
    c->torque = layout_doubles(&at, n);
    c->actuator_tau = layout_doubles(&at, n);
    c->actuator_wrenches = layout_doubles(&at, 6 * (size_t)model->nbodies);
    c->actuator_force = layout_doubles(&at, (size_t)model->nactuators);
    c->slopes = layout_doubles(&at, 3 * (size_t)model->nactuators);
    c->act_stiffness = layout_doubles(&at, n);
    c->act_damping = layout_doubles(&at, n);
    c->held = layout_array(&at, (size_t)model->nactuators, sizeof *c->held);
    c->released = layout_array(&at, (size_t)model->nactuators, sizeof *c->released);
    c->V = layout_doubles(&at, 6 * (size_t)model->nbodies);
    c->limit_impulse = layout_doubles(&at, (size_t)limits);
    c->friction_impulse = layout_doubles(&at, n);
    c->q = layout_doubles(&at, nq);
    c->v = layout_doubles(&at, n);
    c->u = layout_doubles(&at, n);
    c->free = layout_doubles(&at, n);
    c->mean = layout_doubles(&at, n);
    c->pushed = layout_doubles(&at, n);
    c->first = layout_doubles(&at, n);
    c->x = layout_doubles(&at, n);
    c->q_before = layout_doubles(&at, nq);
    c->v_before = layout_doubles(&at, n);
    c->q_next = layout_doubles(&at, nq);
    c->v_next = layout_doubles(&at, n);
    c->H = layout_doubles(&at, 16 * (size_t)model->nbodies);
    c->columns = layout_doubles(&at, 6 * (size_t)model->tree_nv);
    c->known_q = layout_doubles(&at, nq);
    c->known_M = layout_doubles(&at, n * n);
    c->L = layout_doubles(&at, n * n);
    c->bias = layout_doubles(&at, n);
    c->J = layout_doubles(&at, rn);
    c->G = layout_doubles(&at, rn);
    c->K = layout_doubles(&at, rr);
    c->P = layout_doubles(&at, r);
    c->w = layout_doubles(&at, r);
    c->base = layout_doubles(&at, r);
    c->old = layout_doubles(&at, r);
    c->warm = layout_doubles(&at, r);
    c->kept = layout_doubles(&at, r);
    c->speed = layout_doubles(&at, r);
    c->best = layout_doubles(&at, r);
    c->before_part = layout_doubles(&at, r);
    c->true_base = layout_doubles(&at, r);
    c->diagonal = layout_doubles(&at, r);
    c->bounced = layout_doubles(&at, r);
    c->before = layout_doubles(&at, r);
    c->A = layout_doubles(&at, rr);
    c->y = layout_doubles(&at, r);
    hmli_rank_lay_out(n, r, &at, &c->rank);
    c->record.v = layout_doubles(&at, n);
    c->record.tau = layout_doubles(&at, n);
    c->record.wrenches = layout_doubles(&at, 6 * (size_t)model->nbodies);
    c->record.after = layout_doubles(&at, n);
    c->record.displacement = layout_doubles(&at, n);
    c->record.recalled = layout_doubles(&at, r);
    const size_t loops = (size_t)c->loop_rows;
    c->loops = layout_array(&at, (size_t)c->nloops, sizeof *c->loops);
    c->loop_J = layout_doubles(&at, product(loops, n));
    c->loop_error = layout_doubles(&at, loops);
    c->loop_impulse = layout_doubles(&at, loops);
    c->block = layout_doubles(&at, loops ? 6 * n : 0);
    c->way = layout_doubles(&at, loops ? n : 0);
    hmli_rank_lay_out(n, loops, &at, &c->loop_rank);
    return at.used;
}

size_t hml_contact_size(const hml_model *model, const hml_contact_settings *settings)
{
    hml_contact c;
    hml_contact_settings room;
    const hml_contact_settings *s = take(settings, &room);
    size_t size = check(model, s) ? 0 : lay_out(model, s, NULL, &c);
    return size < SIZE_MAX ? size : 0;
}

static double or_default(double x, double otherwise) { return x > 0 ? x : otherwise; }

hml_status hml_contact_init(void *memory, size_t size, const hml_model *model, const hml_contact_settings *settings,
                            hml_contact **contact)
{
    hml_contact_settings settings_room;
    const hml_contact_settings *s = take(settings, &settings_room);
    if (!memory || !contact || (uintptr_t)memory % sizeof(double)) return HML_INVALID_ARGUMENT;
    TRY(check(model, s));
    hml_contact *c = memory, room;
    const size_t needed = lay_out(model, s, NULL, &room);
    if (needed == SIZE_MAX || size < needed) return HML_INVALID_ARGUMENT;
    memset(c, 0, sizeof *c);
    lay_out(model, s, memory, c);
    memset(c->free, 0, (size_t)model->nv * sizeof(double)); /* the first step compares with it */
    c->model = model;
    c->n = (size_t)model->nv;
    c->nshapes = count_shapes(model, s);
    c->nplanes = s->nplanes;
    c->nfields = s->nheightfields;
    c->options = s->options;
    c->slop = or_default(s->slop, 1e-4);
    c->correction = or_default(s->correction, 0.2);
    c->bounce = or_default(s->bounce, 1e-2);
    c->tolerance = or_default(s->tolerance, 1e-8);
    c->iterations = s->iterations ? s->iterations : ITERATIONS;
    double mass = 0;
    for (int32_t i = 0; i < model->nbodies; i++) mass += model_bodies(model)[i].mass;
    c->mobility = mass > 0 ? 1 / mass : 0;
    c->now.capacity = c->last.capacity = c->max_contacts;
    double *vertices = c->vertices;
    for (int32_t i = 0; i < c->nshapes; i++) c->shapes[i] = resolve_shape(model, shape_at(model, s, i), &vertices);
    hmli_contact_list_pairs(c);
    hmli_contact_find_reach(c);
    for (int32_t i = 0; i < s->nplanes; i++) c->planes[i] = resolve_plane(&s->planes[i]);
    double *heights = c->heights;
    for (int32_t i = 0; i < s->nheightfields; i++) {
        c->fields[i] = hmli_heightfield_resolve(&s->heightfields[i], heights);
        heights += (size_t)s->heightfields[i].rows * (size_t)s->heightfields[i].columns;
    }
    list_limits(model, s->options, c->limits);
    if (has_friction(model, s))
        put_friction(model, s, c->joint_friction);
    else
        c->joint_friction = NULL;
    hmli_contact_find_tree(c);
    hmli_contact_read_loops(c);
    *contact = c;
    TRY(hml_contact_set_servo(c, NULL, NULL, NULL));
    return hml_contact_forget(c);
}

hml_status hml_contact_forget(hml_contact *c)
{
    if (!c) return HML_INVALID_ARGUMENT;
    c->record.kind = RECORD_NONE;
    c->last.count = 0;
    memset(c->limit_impulse, 0, (size_t)c->nlimits * sizeof(double));
    memset(c->friction_impulse, 0, c->n * sizeof(double));
    return HML_OK;
}

/* ---- what touched ---- */

int32_t hml_contact_count(const hml_contact *contact) { return contact ? contact->last.count : 0; }

hml_status hml_contact_get(const hml_contact *contact, int32_t index, hml_contact_point *point)
{
    if (!contact || !point || index < 0 || index >= contact->last.count) return HML_INVALID_ARGUMENT;
    const touch *t = &contact->last.items[index];
    point->shape = t->shape;
    point->other = t->other;
    point->gap = t->gap;
    write_vec3(t->point, point->position);
    write_vec3(t->normal, point->normal);
    return write_vec3(t->total, point->impulse);
}
