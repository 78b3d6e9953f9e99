/* hamel simulate: energy, height, joints, torques and forces of the ground over time, panels of a picture. */
#include "panels.h"
#include "simulate.h"

static void add_ground(const scene *s, const trajectory *t, panels *p)
{
    const size_t stride = 3 * (size_t)s->npoints;
    for (size_t i = 0; i < (size_t)s->npoints; i++) {
        int touches = 0;
        for (size_t row = 0; row < t->count && !touches; row++) touches = t->forces[row * stride + 3 * i + 2] != 0;
        if (touches) panels_add(p, s->point_names[i], t->forces + 3 * i + 2, stride, t->count);
    }
}

static void add_joints(const robot *r, const trajectory *t, int positions, int slides, panels *p)
{
    panels_add_joints(p, r, &(panel_joints){positions ? t->q : t->torque, t->count, positions, slides});
}

static void choose(const robot *r, const scene *s, const trajectory *t, panels *p)
{
    panels_open(p, "energy / J"), panels_add(p, NULL, t->energy, 1, t->count), panels_close(p);
    panels_open(p, "height / m"), panels_add(p, NULL, t->height, 1, t->count), panels_close(p);
    panels_open(p, "joints / rad"), add_joints(r, t, 1, 0, p), panels_close(p);
    panels_open(p, "joints / m"), add_joints(r, t, 1, 1, p), panels_close(p);
    panels_open(p, "joint forces / N, N m"), add_joints(r, t, 0, 0, p), add_joints(r, t, 0, 1, p), panels_close(p);
    if (t->forces) panels_open(p, "forces of the ground, up / N"), add_ground(s, t, p), panels_close(p);
}

int simulate_plot(const char *path, const robot *r, const scene *s, const trajectory *t)
{
    panels all;
    char title[256];
    const int status = panels_begin(&all, 2 + 2 * (size_t)r->nv + (size_t)s->npoints);
    if (status != CLI_OK) return status;
    choose(r, s, t, &all);
    snprintf(title, sizeof title, "%.120s, %s", hml_model_name(r->model), t->scheme);
    return panels_write(&all, path, title, t->count, t->time);
}
