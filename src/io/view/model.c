/* The robot as the page reads it: JSON, with the names that viewer/src uses. */
#include <math.h>
#include <string.h>

#include "io/view/page.h"

static void put_key(writer *w, const char *name)
{
    if (w->size > 0 && w->data[w->size - 1] != '{') hmli_writer_put(w, ",");
    hmli_writer_print(w, "\"%s\":", name);
}

static void put_text(writer *w, const char *name, const char *text)
{
    put_key(w, name);
    hmli_writer_json_text(w, text ? text : "");
}

static void put_number(writer *w, const char *name, double x)
{
    put_key(w, name);
    if (isfinite(x))
        hmli_writer_number(w, x);
    else
        hmli_writer_put(w, "null");
}

static void put_index(writer *w, const char *name, int32_t x)
{
    put_key(w, name);
    hmli_writer_print(w, "%d", (int)x);
}

void hmli_page_numbers(writer *w, const char *name, const double *x, int n)
{
    put_key(w, name);
    for (int i = 0; i < n; i++) {
        hmli_writer_put(w, i ? "," : "[");
        if (isfinite(x[i]))
            hmli_writer_number(w, x[i]);
        else
            hmli_writer_put(w, "null");
    }
    hmli_writer_put(w, n ? "]" : "[]");
}

/* "name": [{…}, …]; begin and end of the list and of an item */
static void open_list(writer *w, const char *name)
{
    put_key(w, name);
    hmli_writer_put(w, "[");
}

static void open_item(writer *w, int32_t i) { hmli_writer_put(w, i ? ",{" : "{"); }

static void put_bodies(writer *w, const hml_model *model)
{
    open_list(w, "bodies");
    for (int32_t i = 0; i < hml_model_nbodies(model); i++) {
        hml_body_info body = {.struct_size = sizeof body};
        hml_model_body(model, i, &body);
        open_item(w, i);
        put_text(w, "name", body.name);
        put_index(w, "parent", body.parent);
        put_index(w, "joint", body.joint);
        put_number(w, "mass", body.mass);
        hmli_page_numbers(w, "com", body.com, 3);
        hmli_page_numbers(w, "moment", body.moment, 9);
        hmli_writer_put(w, "}");
    }
    hmli_writer_put(w, "]");
}

static void put_joint(writer *w, const hml_joint_info *joint)
{
    int nv = (int)hml_joint_type_nv(joint->type);
    put_text(w, "name", joint->name);
    put_text(w, "type", hml_joint_type_name(joint->type));
    put_index(w, "q", joint->q);
    hmli_page_numbers(w, "position", joint->position, 3);
    hmli_page_numbers(w, "rotation", joint->rotation, 9);
    hmli_page_numbers(w, "axis", joint->axis, 3);
    hmli_page_numbers(w, "axis2", joint->axis2, 3);
    hmli_page_numbers(w, "point", joint->point, 3);
    put_number(w, "pitch", joint->pitch);
    hmli_page_numbers(w, "lower", joint->lower, nv);
    hmli_page_numbers(w, "upper", joint->upper, nv);
    if (joint->leader < 0) return;
    put_index(w, "leader", joint->leader);
    put_number(w, "multiplier", joint->multiplier);
    put_number(w, "offset", joint->offset);
}

static void put_joints(writer *w, const hml_model *model)
{
    open_list(w, "joints");
    for (int32_t i = 0; i < hml_model_njoints(model); i++) {
        hml_joint_info joint = {.struct_size = sizeof joint};
        hml_model_joint(model, i, &joint);
        open_item(w, i);
        put_joint(w, &joint);
        hmli_writer_put(w, "}");
    }
    hmli_writer_put(w, "]");
}

static void put_frames(writer *w, const hml_model *model)
{
    static const char *const kinds[] = {"body", "link", "named"};
    open_list(w, "frames");
    for (int32_t i = 0; i < hml_model_nframes(model); i++) {
        hml_frame_info frame = {.struct_size = sizeof frame};
        hml_model_frame(model, i, &frame);
        open_item(w, i);
        put_text(w, "name", frame.name);
        put_index(w, "body", frame.body);
        put_text(w, "kind", kinds[frame.kind]);
        hmli_page_numbers(w, "position", frame.position, 3);
        hmli_page_numbers(w, "rotation", frame.rotation, 9);
        hmli_writer_put(w, "}");
    }
    hmli_writer_put(w, "]");
}

static void put_shapes(writer *w, const hml_model *model)
{
    open_list(w, "shapes");
    for (int32_t i = 0; i < hml_model_nshapes(model); i++) {
        hml_shape shape;
        if (hml_model_shape(model, i, &shape)) continue;
        open_item(w, i);
        put_text(w, "kind", hml_shape_kind_name(shape.kind));
        put_index(w, "frame", shape.frame);
        hmli_page_numbers(w, "size", shape.size, 3);
        hmli_page_numbers(w, "position", shape.position, 3);
        hmli_page_numbers(w, "rotation", shape.rotation, 9);
        hmli_writer_put(w, "}");
    }
    hmli_writer_put(w, "]");
}

static void put_visuals(writer *w, const hml_scene *scene)
{
    static const char *const kinds[] = {"", "sphere", "box", "capsule", "cylinder", "ellipsoid", "plane", "mesh"};
    open_list(w, "visuals");
    for (int32_t i = 0; scene && i < scene->nvisuals; i++) {
        const hml_visual *v = &scene->visuals[i];
        open_item(w, i);
        put_text(w, "kind", kinds[v->kind]);
        put_index(w, "frame", v->frame);
        hmli_page_numbers(w, "size", v->size, 3);
        hmli_page_numbers(w, "position", v->position, 3);
        hmli_page_numbers(w, "rotation", v->rotation, 9);
        if (v->colour[0] >= 0) hmli_page_numbers(w, "colour", v->colour, 4);
        if (v->mesh >= 0) put_index(w, "mesh", v->mesh);
        if (v->texture >= 0) put_index(w, "texture", v->texture);
        if (v->paint) put_index(w, "paint", 1);
        hmli_writer_put(w, "}");
    }
    hmli_writer_put(w, "]");
}

static void put_files(writer *w, const page_files *files)
{
    open_list(w, "files");
    for (size_t i = 0; i < files->npaths; i++) {
        const char *slash = strrchr(files->paths[i], '/');
        int first = 1;
        open_item(w, (int32_t)i);
        put_text(w, "name", slash ? slash + 1 : files->paths[i]); /* without its folder, which is nobody's business */
        hmli_writer_print(w, ",\"entry\":\"f%zu\"", i);
        hmli_writer_put(w, ",\"needs\":{");
        for (size_t k = 0; k < files->nneeds; k++) {
            if (files->needs[k].from != i) continue;
            if (!first) hmli_writer_put(w, ",");
            hmli_writer_json_text(w, files->needs[k].reference);
            hmli_writer_print(w, ":%zu", files->needs[k].to);
            first = 0;
        }
        hmli_writer_put(w, "}}");
    }
    hmli_writer_put(w, "]");
}

static void put_texts(writer *w, const char *name, const char *const *texts, int32_t n)
{
    open_list(w, name);
    for (int32_t i = 0; i < n; i++) {
        if (i) hmli_writer_put(w, ",");
        hmli_writer_json_text(w, texts[i] ? texts[i] : "");
    }
    hmli_writer_put(w, "]");
}

static void put_heightfields(writer *w, const hml_heightfield *fields, int32_t n)
{
    open_list(w, "heightfields");
    for (int32_t i = 0; i < n; i++) {
        const hml_heightfield *f = &fields[i];
        open_item(w, i);
        put_index(w, "rows", f->rows);
        put_index(w, "columns", f->columns);
        hmli_page_numbers(w, "spacing", f->spacing, 2);
        hmli_page_numbers(w, "position", f->position, 3);
        hmli_page_numbers(w, "rotation", f->rotation, 9);
        hmli_page_numbers(w, "heights", f->heights, f->rows * f->columns);
        hmli_writer_put(w, "}");
    }
    hmli_writer_put(w, "]");
}

void hmli_page_model(writer *w, const hml_model *model, const hml_page_options *o, const double *q,
                     const page_files *files)
{
    double gravity[3];
    const hml_scene *scene = o->scene;
    const char *name = hml_model_name(model), *title = o->title ? o->title : name && *name ? name : "robot";
    hml_model_gravity(model, gravity);
    hmli_writer_put(w, "{");
    put_text(w, "title", title);
    put_index(w, "nv", hml_model_nv(model));
    put_number(w, "mass", hml_model_mass(model));
    hmli_page_numbers(w, "gravity", gravity, 3);
    hmli_page_numbers(w, "q", q, (int)hml_model_nq(model));
    put_key(w, "ground");
    hmli_writer_put(w, o->ground ? "true" : "false");
    put_bodies(w, model);
    put_joints(w, model);
    put_frames(w, model);
    put_shapes(w, model);
    put_visuals(w, scene);
    if (o->nheightfields > 0) put_heightfields(w, o->heightfields, o->nheightfields);
    put_files(w, files);
    if (scene) put_texts(w, "warnings", (const char *const *)scene->warnings, scene->nwarnings);
    if (o->ncontacts > 0) put_texts(w, "contacts", o->contact_names, o->ncontacts);
    hmli_writer_put(w, "}");
}
