/* Why there is no trim, in a sentence: what is left, and what is in the way. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "group/arrays.h"
#include "group/joint.h"
#include "model/plan.h"
#include "sim/constraint.h"
#include "sim/trim.h"

enum { NAME = 160 };

void hmli_trim_say(hml_error *error, hml_status status, const char *format, ...)
{
    va_list arguments;
    if (!error) return;
    *error = (hml_error){.status = status};
    va_start(arguments, format);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
}

static const char *frame_name(const hml_model *m, int32_t frame) { return model_text(m, model_frames(m)[frame].name); }

static const model_joint *joint_of(const hml_model *m, int32_t coordinate)
{
    const model_joint *j = model_joints(m);
    while (coordinate < j->v || coordinate >= j->v + j->nv) j++;
    return j;
}

/* "base.2 (vz)", "knee" */
static void coordinate_name(const hml_model *m, int32_t coordinate, char *name)
{
    static const char *const letters[] = {"vx", "vy", "vz", "wx", "wy", "wz"};
    const model_joint *j = joint_of(m, coordinate);
    if (hml_model_velocity_name(m, coordinate, name, NAME)) snprintf(name, NAME, "coordinate %d", (int)coordinate);
    if (j->type != HML_JOINT_FREE) return;
    const size_t used = strlen(name);
    snprintf(name + used, NAME - used, " (%s)", letters[coordinate - j->v]);
}

static const char *can(hml_status status)
{
    return status == HML_NOT_CONVERGED ? "is after all iterations not" : "cannot be";
}

static int is_moved(const trim_system *s, int32_t row)
{
    for (size_t k = s->nz; k < s->nx; k++)
        if (fabs(s->C[(size_t)row * s->nx + k]) > 1e-12 / s->force_scale) return 1;
    return 0;
}

static void limit_name(const trim_system *s, const trim_row *row, char *name)
{
    static const char *const kinds[] = {"position of ", "torque of ", "thruster at ", "contact "};
    int length = snprintf(name, NAME, "%s", kinds[row->kind]);
    switch (row->kind) {
    case TRIM_THRUST:
        snprintf(name + length, NAME - (size_t)length, "%s",
                 frame_name(s->model, s->problem->thrusters[row->item].frame));
        break;
    case TRIM_CONTACT:
        snprintf(name + length, NAME - (size_t)length, "%s", frame_name(s->model, s->holds->items[row->item].frame));
        break;
    default: hml_model_velocity_name(s->model, row->item, name + length, NAME - (size_t)length); break;
    }
}

/* "; at a limit: torque of knee, contact foot"; the first three */
static void list_limits(const trim_system *s, char *text, size_t size)
{
    int named = 0;
    const trim_row *last = NULL;
    *text = 0;
    for (size_t i = 0; i < s->nrows && named < 3; i++) {
        char name[NAME];
        if (!hmli_trim_at_limit(s, i)) continue;
        if (last && last->kind == s->rows[i].kind && last->item == s->rows[i].item) continue;
        last = &s->rows[i];
        limit_name(s, last, name);
        const size_t used = strlen(text);
        snprintf(text + used, size - used, "%s%s", named++ ? ", " : "; at a limit: ", name);
    }
}

static void explain_hold(const trim_system *s, size_t row, double left, hml_status status, hml_error *error)
{
    int32_t i = 0;
    for (size_t next = 0; i < s->holds->count + s->holds->loop_count - 1; i++) {
        const int32_t loop = i - s->holds->count;
        next += (size_t)(loop < 0 ? hmli_constraint_kind_rows(s->holds->items[i].kind)
                                  : hmli_loop_kind_rows(s->holds->loops[loop].kind));
        if (row < next) break;
    }
    char limits[3 * NAME + 32];
    list_limits(s, limits, sizeof limits);
    hmli_trim_say(error, status, "the %s of %s %s kept: it is %.3g m or rad away%s",
                  i < s->holds->count ? "hold" : "loop", frame_name(s->model, trim_frame(s, i)), can(status), left,
                  limits);
}

void hmli_trim_explain(trim_system *s, const trim_point *x, hml_status status, hml_error *error)
{
    char name[NAME], limits[3 * NAME + 32];
    size_t worst = 0;
    for (size_t i = 0; i < s->ne; i++)
        if (fabs(x->c[i]) > fabs(x->c[worst])) worst = i;
    if (worst >= s->n) {
        explain_hold(s, worst - s->n, fabs(x->c[worst]), status, error);
        return;
    }
    const model_joint *j = joint_of(s->model, (int32_t)worst);
    const int length = joint_is_length(j->type, (int32_t)worst - j->v);
    coordinate_name(s->model, (int32_t)worst, name);
    list_limits(s, limits, sizeof limits);
    const char *cause = limits;
    if (!is_moved(s, (int32_t)worst))
        cause = "; no motor, no thruster and no hold acts on it";
    else if (!*limits)
        cause = "; what acts on it is bound to balance other coordinates";
    hmli_trim_say(error, status, "the %s of %s %s balanced: %.6g %s is left%s", length ? "force" : "torque", name,
                  can(status), x->c[worst] * s->force_scale, length ? "N" : "N m", cause);
}
