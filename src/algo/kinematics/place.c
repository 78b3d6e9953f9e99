/*
 * Frames, Jacobians and base velocities for any observer and in any place: place.h behind hamel/kinematics.h. Notation
 * (33), (44)-(47) and (75)-(76), with B[C] for any two frames.
 *
 *   ᴰJ_{F,E/C} = ᴰX_E ᴱJ_{F,E/B} ᴮY_C,      ᴮY_C = diag(ᴮX_C, 1),      d/dt ᴮX_C = ᴮX_C (ᶜv_{B,C} ×)
 */
#include "hamel/kinematics.h"

#include <string.h>

#include "algo/kinematics/place.h"
#include "algo/kinematics/scratch.h"
#include "algo/work.h"
#include "base/overflow.h"
#include "base/struct_size.h"
#include "group/arrays.h"

_Static_assert(6 * sizeof(double) <= sizeof(column_state), "scratch of a column");

static int is_frame(const hml_model *m, int32_t frame) { return frame >= HML_WORLD && frame < m->nframes; }

static int is_place(const hml_model *m, hml_place place, int base)
{
    return (is_frame(m, place.origin) || (base && place.origin == HML_BASE)) &&
           (is_frame(m, place.axes) || (base && place.axes == HML_BASE));
}

/* ---- what a frame does ---- */

/* walks to E, to F and to D, in one F₀; the columns of E relative to F in j where it is not NULL */
typedef struct three {
    path_walk e, f, d;
} three;

static void walk_three(three *w, const hml_model *m, int32_t frame, int32_t observer, hml_place place,
                       const state_series *state, int order, const jacobian_series *j)
{
    if (j) jacobian_zero(j);
    walk_start(&w->e, order);
    walk_to(&w->e, m, frame, state, 1, j);
    walk_start_beside(&w->f, &w->e);
    walk_to(&w->f, m, observer, state, -1, j);
    walk_to_place(&w->d, &w->e, NULL, m, place, state);
}

static int valid(const hml_frame_motion *motion, const double *v, const double *a)
{
    if (!motion || (motion->acceleration && !a)) return 0;
    return v || !(motion->Jdot || motion->twist || motion->acceleration);
}

hml_status hml_frame_in(const hml_model *model, hml_work *work, int32_t frame, int32_t observer, hml_place place,
                        const double *q, const double *v, const double *a, const hml_frame_motion *given)
{
    hml_frame_motion room;
    const hml_frame_motion *motion = STRUCT_TAKE(hml_frame_motion, given, &room, pose);
    if (hmli_work_check(model, work, HML_USE_TREE) || !q || !valid(motion, v, a)) return HML_INVALID_ARGUMENT;
    if (frame < 0 || !is_frame(model, frame) || !is_frame(model, observer) || !is_place(model, place, 0)) {
        return HML_INVALID_ARGUMENT;
    }
    TRY(hmli_work_check_state(model, q, v, a, NULL));
    state_series state = {.q = q, .rates = {v, a}};
    jacobian_series J = {.order = motion->Jdot != NULL, .nv = model->nv, .J = {motion->J, motion->Jdot}};
    if (!motion->J) J.J[0] = hmli_work_kinematics(work).J; /* J̇ grows out of J */
    int wanted = motion->J || motion->Jdot;
    const size_t columns = 6 * (size_t)model->nv;
    three w;
    walk_three(&w, model, frame, observer, place, &state, motion->Jdot || motion->acceleration, wanted ? &J : NULL);
    expression x;
    expression_of_walk(&x, HML_LEFT, &w.d);
    if (wanted) jacobian_express(&J, model, &x, body_of(model, frame), body_of(model, observer));
    walk_subtract(&w.e, &w.f);
    if (motion->pose) write_pose(pose_between(w.d.H, w.e.H), motion->pose);
    if (motion->twist) write_twist(pose_ad_inverse(w.d.H, w.e.V[0]), motion->twist);
    if (motion->acceleration) write_twist(relative_acceleration(HML_APPARENT, &w.e, &w.f, &w.d), motion->acceleration);
    return FINITE_STATUS({motion->pose, 16}, {motion->J, columns}, {motion->Jdot, columns}, {motion->twist, 6},
                         {motion->acceleration, 6});
}

hml_status hml_frame_acceleration_in(const hml_model *model, hml_work *work, int32_t frame, int32_t observer,
                                     hml_acceleration_kind kind, hml_place place, const double *q, const double *v,
                                     const double *a, double acceleration[6])
{
    if (hmli_work_check(model, work, HML_USE_TREE) || !q || !v || !a || !acceleration) return HML_INVALID_ARGUMENT;
    if (frame < 0 || !is_frame(model, frame) || !is_frame(model, observer) || !is_place(model, place, 0)) {
        return HML_INVALID_ARGUMENT;
    }
    if (kind < HML_INTRINSIC || kind > HML_CLASSICAL) return HML_INVALID_ARGUMENT;
    TRY(hmli_work_check_state(model, q, v, a, NULL));
    state_series state = {.q = q, .rates = {v, a}};
    three w;
    walk_three(&w, model, frame, observer, place, &state, 1, NULL);
    walk_subtract(&w.e, &w.f);
    TRY(write_twist(relative_acceleration(kind, &w.e, &w.f, &w.d), acceleration));
    return finite_array(acceleration, 6);
}

/* ---- the base's velocity ---- */

/* a free root: its first velocity number, ᴮX_C as a pose, and the twist of C relative to B, in C */
typedef struct base {
    size_t v;
    pose H;
    twist V;
} base;

/* is the joint of a body a free one on the world, but for fixed bodies? */
static int is_root(const hml_model *m, int32_t body)
{
    const model_body *b = model_bodies(m);
    int32_t parent = b[body].parent;
    if (b[body].type != HML_JOINT_FREE) return 0;
    while (parent >= 0 && b[parent].type == HML_JOINT_FIXED) parent = b[parent].parent;
    return parent < 0;
}

/* the free root at body *i or later, and *i moves past it; 0 if there is none */
static int next_base(const hml_model *m, hml_place place, const state_series *state, int32_t *i, base *b)
{
    for (; *i < m->nbodies; ++*i) {
        if (!is_root(m, *i)) continue;
        path_walk root, c;
        walk_start(&root, 0);
        walk_to_body(&root, m, *i, state);
        walk_to_place(&c, &root, &root, m, place, state);
        b->v = (size_t)coordinates_of(m, *i).v;
        b->H = pose_between(root.H, c.H);
        b->V = pose_ad_inverse(c.H, twist_sub(c.V[0], root.V[0]));
        ++*i;
        return 1;
    }
    return 0;
}

static hml_status check_base(const hml_model *model, const hml_work *work, hml_place place, const double *q,
                             const double *v)
{
    if (hmli_work_check(model, work, HML_USE_TREE) || !q || !is_place(model, place, 1)) return HML_INVALID_ARGUMENT;
    return hmli_work_check_state(model, q, v, NULL, NULL);
}

hml_status hml_base_transform(const hml_model *model, hml_work *work, hml_place place, const double *q, const double *v,
                              double *Y, double *Ydot)
{
    TRY(check_base(model, work, place, q, v));
    if ((!Y && !Ydot) || (Ydot && !v)) return HML_INVALID_ARGUMENT;
    const size_t n = (size_t)model->nv;
    state_series state = {.q = q, .rates = {v}};
    double X[36], ad[36];
    base b;
    if (Ydot) memset(Ydot, 0, n * n * sizeof *Ydot);
    for (size_t i = 0; Y && i < n * n; i++) Y[i] = i % (n + 1) == 0;
    for (int32_t i = 0; next_base(model, place, &state, &i, &b);) {
        pose_ad_matrix(b.H, X);
        twist_cross_matrix(b.V, ad);
        for (size_t r = 0; r < 6; r++) {
            const size_t at = (b.v + r) * n + b.v;
            for (size_t c = 0; Y && c < 6; c++) Y[at + c] = X[6 * r + c];
            for (size_t c = 0; Ydot && c < 36; c++) Ydot[at + c % 6] += X[6 * r + c / 6] * ad[c];
        }
    }
    return FINITE_STATUS({Y, n * n}, {Ydot, n * n});
}

static hml_status change_velocity(const hml_model *model, hml_work *work, hml_place place, const double *q, int back,
                                  const double *in, double *out)
{
    TRY(check_base(model, work, place, q, in));
    if (!in || !out) return HML_INVALID_ARGUMENT;
    state_series state = {.q = q, .rates = {NULL}};
    base b;
    if (in != out) memcpy(out, in, (size_t)model->nv * sizeof *out);
    for (int32_t i = 0; next_base(model, place, &state, &i, &b);) {
        twist V = twist_at(out + b.v);
        write_twist(back ? pose_ad(b.H, V) : pose_ad_inverse(b.H, V), out + b.v);
    }
    return finite_array(out, (size_t)model->nv);
}

hml_status hml_base_velocity_to(const hml_model *model, hml_work *work, hml_place place, const double *q,
                                const double *v, double *v_place)
{
    return change_velocity(model, work, place, q, 0, v, v_place);
}

hml_status hml_base_velocity_from(const hml_model *model, hml_work *work, hml_place place, const double *q,
                                  const double *v_place, double *v)
{
    return change_velocity(model, work, place, q, 1, v_place, v);
}

/* six columns that begin at x times a 6×6 matrix, added to y */
static void six_times(const double *x, const double X[36], double *y)
{
    for (int c = 0; c < 36; c++) y[c % 6] += x[c / 6] * X[c];
}

hml_status hml_base_jacobian(const hml_model *model, hml_work *work, hml_place place, const double *q, const double *v,
                             int32_t rows, double *J, double *Jdot)
{
    TRY(check_base(model, work, place, q, v));
    if (rows < 0 || !J || (Jdot && !v)) return HML_INVALID_ARGUMENT;
    const size_t n = (size_t)model->nv;
    state_series state = {.q = q, .rates = {v}};
    double X[36], ad[36];
    base b;
    for (int32_t i = 0; next_base(model, place, &state, &i, &b);) {
        pose_ad_matrix(b.H, X);
        twist_cross_matrix(b.V, ad);
        for (size_t r = 0; r < (size_t)rows; r++) { /* J X, J̇ X + J X (V ×) */
            double turned[6] = {0}, rate[6] = {0}, *at = J + r * n + b.v;
            six_times(at, X, turned);
            if (Jdot) six_times(Jdot + r * n + b.v, X, rate), six_times(turned, ad, rate);
            if (Jdot) memcpy(Jdot + r * n + b.v, rate, sizeof rate);
            memcpy(at, turned, sizeof turned);
        }
    }
    return FINITE_STATUS({J, (size_t)rows * n}, {Jdot, (size_t)rows * n});
}

hml_status hml_jacobian_in(const hml_model *model, hml_work *work, int32_t frame, int32_t observer, hml_place place,
                           hml_place from, const double *q, const double *v, double *J, double *Jdot)
{
    if (!J) return HML_INVALID_ARGUMENT;
    hml_frame_motion motion = {.struct_size = sizeof motion, .J = J, .Jdot = Jdot};
    TRY(check_base(model, work, from, q, v));
    TRY(hml_frame_in(model, work, frame, observer, place, q, v, NULL, &motion));
    return hml_base_jacobian(model, work, from, q, v, 6, J, Jdot);
}
