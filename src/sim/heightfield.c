/*
 * Ground that is a grid of heights: the grid, and shapes of the robot on it. How one shape touches it is in
 * heightfield_touch.c.
 */
#include "sim/heightfield.h"

#include <math.h>
#include <string.h>

#include "group/arrays.h"
#include "group/se3.h"

enum { MOST_POINTS = 1 << 24 }; /* of the grid: features of contacts are numbered */
static const double longest =
    1e9; /* metres; normals of triangles with longer sides, or with much shorter ones, would overflow */

static int is_zero(const double *x, int n)
{
    int zero = 1;
    for (int i = 0; i < n; i++) zero &= x[i] == 0;
    return zero;
}

hml_status hmli_heightfield_check(const hml_heightfield *f)
{
    mat3 R;
    if (f->rows < 2 || f->columns < 2 || !f->heights || f->rows > MOST_POINTS / f->columns) return HML_INVALID_ARGUMENT;
    TRY(read_check(f->heights, f->rows * f->columns));
    TRY(read_check(f->spacing, 2));
    TRY(read_check(f->position, 3));
    TRY(read_check(&f->friction, 1));
    TRY(read_check(&f->restitution, 1));
    if (!is_zero(f->rotation, 9)) {
        TRY(read_rotation(f->rotation, &R));
        TRY(rotation_check(R));
    }
    for (int i = 0; i < 2; i++)
        if (!(f->spacing[i] >= 1 / longest && f->spacing[i] <= longest)) return HML_INVALID_ARGUMENT;
    for (int32_t i = 0; i < f->rows * f->columns; i++)
        if (!(fabs(f->heights[i]) <= longest)) return HML_INVALID_ARGUMENT;
    return f->friction >= 0 && f->restitution >= 0 && f->restitution <= 1 ? HML_OK : HML_INVALID_ARGUMENT;
}

heightfield hmli_heightfield_resolve(const hml_heightfield *f, double *heights)
{
    const size_t n = (size_t)f->rows * (size_t)f->columns;
    heightfield r = {.rows = f->rows, .columns = f->columns, .lowest = f->heights[0], .highest = f->heights[0]};
    r.heights = memcpy(heights, f->heights, n * sizeof *heights);
    for (size_t i = 1; i < n; i++) {
        r.lowest = fmin(r.lowest, heights[i]);
        r.highest = fmax(r.highest, heights[i]);
    }
    r.spacing[0] = f->spacing[0];
    r.spacing[1] = f->spacing[1];
    r.place = pose_of(is_zero(f->rotation, 9) ? mat3_identity() : mat3_at(f->rotation, 3), vec3_at(f->position));
    r.friction = f->friction;
    r.restitution = f->restitution;
    return r;
}

/* ---- the grid ---- */

vec3 hmli_heightfield_corner(const heightfield *f, int32_t row, int32_t column)
{
    return vec3_of((column - 0.5 * (f->columns - 1)) * f->spacing[0], (row - 0.5 * (f->rows - 1)) * f->spacing[1],
                   f->heights[(size_t)row * (size_t)f->columns + (size_t)column]);
}

facet hmli_heightfield_facet(const heightfield *f, int32_t row, int32_t column, int upper)
{
    const vec3 corner = hmli_heightfield_corner(f, row + upper, column + !upper);
    const vec3 first = vec3_sub(hmli_heightfield_corner(f, row, column), corner);
    const vec3 last = vec3_sub(hmli_heightfield_corner(f, row + 1, column + 1), corner);
    const vec3 normal = upper ? vec3_cross(first, last) : vec3_cross(last, first);
    return (facet){corner, vec3_scale(1 / sqrt(vec3_dot(normal, normal)), normal)};
}

int32_t hmli_heightfield_cell(const heightfield *f, int axis, double x)
{
    const int32_t cells = (axis ? f->rows : f->columns) - 1;
    const double at = floor(x / f->spacing[axis] + 0.5 * cells);
    if (!(at > 0)) return 0;
    return at < cells ? (int32_t)at : cells - 1;
}

int hmli_heightfield_under(const heightfield *f, double x, double y, int32_t *row, int32_t *column, int *upper)
{
    if (!(fabs(x) <= 0.5 * (f->columns - 1) * f->spacing[0]) || !(fabs(y) <= 0.5 * (f->rows - 1) * f->spacing[1]))
        return 0;
    *column = hmli_heightfield_cell(f, 0, x);
    *row = hmli_heightfield_cell(f, 1, y);
    const vec3 corner = hmli_heightfield_corner(f, *row, *column);
    *upper = (y - corner.y) / f->spacing[1] > (x - corner.x) / f->spacing[0];
    return 1;
}

/* ---- shapes of a robot ---- */

static pose seen_from(const heightfield *f, const collision_shape *s, const double *H)
{
    return pose_mul(pose_inverse(f->place), hmli_collision_pose(s, H));
}

void hmli_collide_heightfields(const collision_shape *shapes, int32_t nshapes, const heightfield *fields,
                               int32_t nfields, int32_t first, const double *H, touch_list *list)
{
    for (int32_t k = 0; k < nfields; k++) {
        const heightfield *f = &fields[k];
        for (int32_t i = 0; i < nshapes; i++) {
            const collision_shape *s = &shapes[i];
            touch found[HEIGHTFIELD_POINTS];
            if (s->body < 0) continue;
            const int32_t n = hmli_heightfield_touch(f, s, seen_from(f, s, H), 0, found);
            for (int32_t j = 0; j < n; j++) {
                touch t = {.shape = i, .other = -1 - first - k, .feature = found[j].feature, .body = s->body};
                t.other_body = -1;
                t.gap = found[j].gap;
                t.point = pose_act(f->place, found[j].point);
                t.normal = mat3_mul_vec(f->place.R, found[j].normal);
                t.friction = hmli_collision_larger(s->friction, f->friction);
                t.restitution = hmli_collision_larger(s->restitution, f->restitution);
                hmli_collision_add(list, t);
            }
        }
    }
}

static int touches(const heightfield *f, const collision_shape *s, pose X, double down, int any,
                   touch found[HEIGHTFIELD_POINTS])
{
    X.p = vec3_axpy(-down, vec3_of(0, 0, 1), X.p);
    return hmli_heightfield_touch(f, s, X, any, found) > 0;
}

/* what is solid is solid all the way down: a shape that touches at some height also does so at every lower one */
touch hmli_heightfield_lowest(const collision_shape *s, const heightfield *f, const double *H)
{
    enum { HALVINGS = 100 };
    const pose X = seen_from(f, s, H);
    const vec3 centre = pose_act(X, s->centre);
    double over = centre.z - s->radius - f->highest, inside = centre.z + s->radius - f->lowest;
    touch lowest = {.shape = -1, .body = s->body, .other_body = -1, .gap = INFINITY}, found[HEIGHTFIELD_POINTS];
    lowest.normal = f->place.R.z;
    lowest.point = lowest.total = vec3_zero();
    if (!touches(f, s, X, inside, 1, found)) return lowest;
    for (int i = 0; i < HALVINGS && inside - over > 1e-13 * (fabs(inside) + fabs(over)); i++) {
        const double middle = 0.5 * (over + inside);
        if (touches(f, s, X, middle, 1, found))
            inside = middle;
        else
            over = middle;
    }
    touches(f, s, X, inside, 0, found);
    lowest.gap = inside;
    lowest.feature = found[0].feature;
    lowest.normal = mat3_mul_vec(f->place.R, found[0].normal);
    lowest.point = pose_act(f->place, vec3_axpy(inside, vec3_of(0, 0, 1), found[0].point));
    return lowest;
}
