/*
 * Feet that the world holds, of a batch: frames and points, the same for all states. On lanes, as motion.h.
 *
 *   M ν̇ + h = τ + Jᵀλ, c = 0     W = M⁻¹ Jᵀ   K = J W   λ = −K⁻¹ c₀        E = J D⁰ + ∂c   D = D⁰ − W K⁻¹ E   ∂λ = −K⁻¹ E
 *
 * c₀ is c of the free motion. D⁰ is the linearization with λ among the wrenches of the bodies: a wrench of a frame moves
 * with its body, as it should, and a force at a point turns in the world while its body turns (held_column.h). So the
 * library linearizes twice, with the kernels that it has, and this one works before and after the second time:
 *
 *   stage 1   ν̇ and M⁻¹ of the free robot  →  λ, and wrenches; ν̇ where no more is wanted
 *   stage 2   D⁰ of q and ν, ν̇, M⁻¹, λ     →  D_q, D_ν, D_τ, ∂λ
 *
 * Rows of a foot: of a frame along its own axes, of a point along the world's. −K⁻¹ is what sweeps leave of K. Rows that
 * depend on each other, or nearly, are for the CPU, which decides about their rank: the state has HML_UNSUPPORTED.
 */
#ifndef HML_CUDA_HELD_H
#define HML_CUDA_HELD_H

#include "cuda/motion.h"

/* diagonal of K over pivot, where a state is given up: digits of K⁻¹ that are lost */
#if defined HML_NUM_F32
#define HELD_LOST K(1e3)
#define HELD_TINY K(1e-10)
#else
#define HELD_LOST K(1e6)
#define HELD_TINY K(1e-20)
#endif

/* what is kept of a foot, in the root frame: H 12, v 8, axes 12, error 8, its force 4 */
enum { FOOT_V = 12, FOOT_AXIS = 20, FOOT_ERROR = 32, FOOT_FORCE = 40 };

typedef struct lane_held {
    lane_state s;
    const cuda_held *h;
    num *J, *W, *K, *E, *c, *lambda, *u, *diagonal, *feet;
} lane_held;

LANE_CODE lane_held held_begin(const cuda_held *h, num *work, int l)
{
    lane_held x;
    x.s = motion_begin(&h->call, work, l);
    x.h = h;
    x.J = work + h->J, x.W = work + h->W, x.K = work + h->K, x.E = work + h->E;
    x.c = work + h->row, x.lambda = x.c + h->all, x.u = x.c + 2 * h->all, x.diagonal = x.c + 3 * h->all;
    x.feet = work + h->foot;
    return x;
}

LANE_CODE num *held_output(const lane_held *x, cuda_output o, int there)
{
    return output_of(o, x->s.state, there).data;
}

/* ---- feet ---- */

LANE_CODE vec3 foot_axis(const num *foot, int d)
{
    const num4 a = work_get4(foot + FOOT_AXIS + 4 * d);
    return vec3_of(a.a, a.b, a.c);
}

LANE_CODE void foot_put_axes(num *foot, mat3 R)
{
    work_put4(foot + FOOT_AXIS, num4_of(R.x.x, R.x.y, R.x.z, K(0)));
    work_put4(foot + FOOT_AXIS + 4, num4_of(R.y.x, R.y.y, R.y.z, K(0)));
    work_put4(foot + FOOT_AXIS + 8, num4_of(R.z.x, R.z.y, R.z.z, K(0)));
}

/* its distance from the goal: of a point in the root's axes, of a frame in its own */
LANE_CODE twist foot_error(const cuda_foot *f, pose P, pose H)
{
    const double *g = f->goal;
    const vec3 o = vec3_of(K(g[9]), K(g[10]), K(g[11]));
    if (f->rows == 3) return twist_of(mat3_tmul_vec(P.R, vec3_sub(pose_act(P, H.p), o)), vec3_zero());
    const mat3 R = mat3_of(vec3_of(K(g[0]), K(g[3]), K(g[6])), vec3_of(K(g[1]), K(g[4]), K(g[7])),
                           vec3_of(K(g[2]), K(g[5]), K(g[8])));
    return se3_log(pose_between(pose_of(R, o), pose_mul(P, H)));
}

/* c of a foot; a: of its body with ν̇, less what the passes leave out */
LANE_CODE void foot_drift(const lane_held *x, const cuda_foot *f, const num *foot, twist v, twist a, vec3 p,
                          twist error)
{
    const lane_state *s = &x->s;
    const vec3 g = root_gravity(s), u = s->tree->base ? root_motion(s).u : vec3_zero(), at = held_moved(v, p);
    const num damping = K(f->damping), stiffness = K(f->stiffness);
    vec3 linear = vec3_axpy(damping, vec3_add(at, u), vec3_add(held_moved(a, p), g));
    const vec3 angular = vec3_axpy(damping, v.w, a.w);
    if (f->rows == 6) {
        linear = vec3_sub(linear, vec3_cross(v.w, u));
        const num e[6] = {error.v.x, error.v.y, error.v.z, error.w.x, error.w.y, error.w.z};
        UNROLLED for (int d = 0; d < 6; d++)
            work_put(x->c + f->row + d, vec3_dot(foot_axis(foot, d % 3), d < 3 ? linear : angular) + stiffness * e[d]);
        return;
    }
    linear = vec3_axpy(stiffness, error.v, vec3_add(linear, vec3_cross(v.w, at)));
    UNROLLED for (int d = 0; d < 3; d++) work_put(x->c + f->row + d, vec3_dot(foot_axis(foot, d), linear));
}

/* lane of a foot of tree `number`: all of it; in stage 1 its rows of c, in stage 2 its force */
LANE_CODE void tree_feet(lane_held *x, int number)
{
    lane_state *s = &x->s;
    const cuda_tree *t = s->tree;
    FOR_LANES(s, k, x->h->feet)
    {
        const cuda_foot *f = &x->h->at[k];
        num *foot = x->feet + HELD_FOOT * k;
        if (frame_integer(s, FRAME_TREE, f->frame) != number) continue;
        const int i = frame_integer(s, FRAME_BODY, f->frame);
        const pose P = work_pose(s->work + t->at.place);
        const pose H = pose_mul(work_pose(s->work + t->at.H + 12 * i), frame_placement(s, f->frame));
        const twist v = work_twist(s->work + t->at.v + 8 * i), a = work_twist(s->work + t->at.a + 8 * i);
        const twist error = f->stiffness > 0 ? foot_error(f, P, H) : twist_zero();
        work_put_pose(foot, H);
        work_put_twist(foot + FOOT_V, v);
        foot_put_axes(foot, f->rows == 6 ? H.R : mat3_transpose(P.R));
        work_put_twist(foot + FOOT_ERROR, error);
        if (x->h->stage == 1) {
            foot_drift(x, f, foot, v, a, H.p, error);
        } else {
            vec3 force = vec3_zero();
            UNROLLED for (int d = 0; d < 3; d++) force =
                vec3_axpy(work_get(x->lambda + f->row + d), foot_axis(foot, d), force);
            work_put4(foot + FOOT_FORCE, num4_of(force.x, force.y, force.z, K(0)));
        }
    }
    lanes_sync();
}

/* ---- columns ---- */

/* what a foot's ∂c needs of a column; of a free root's, gravity and u have no part in it: see held.h of kernel/pack */
LANE_CODE held_columns held_column_of(const lane_state *s, int c, twist foot_v, int point)
{
    const cuda_tree *t = s->tree;
    const int i = column_integer(s, COLUMN_BODY, c), parent = column_integer(s, COLUMN_PARENT, c);
    const twist v = work_twist(s->work + t->at.v + 8 * i);
    held_columns x;
    x.S = column_twist(s, c), x.v = foot_v;
    if (c < t->base) {
        const vec3 u = root_motion(s).u;
        x.Pd = x.Pdd = twist_zero();
        x.g = x.u = vec3_zero();
        x.PS = twist_cross(v, x.S);
        if (point) x.PS.v = vec3_add(x.PS.v, vec3_cross(x.S.w, u));
        return x;
    }
    twist v_p = twist_zero(), a_p = v_p;
    x.g = root_gravity(s);
    x.u = t->base ? root_motion(s).u : vec3_zero();
    if (parent >= 0)
        v_p = work_twist(s->work + t->at.v + 8 * parent), a_p = work_twist(s->work + t->at.a + 8 * parent);
    else
        a_p.v = vec3_neg(x.g);
    x.Pd = twist_cross(v_p, x.S);
    x.Pdd = twist_add(twist_cross(a_p, x.S), twist_cross(v_p, x.Pd));
    x.PS = twist_add(x.Pd, twist_cross(v, x.S));
    return x;
}

LANE_CODE void held_put3(num *to, int ld, const num *foot, vec3 a)
{
    UNROLLED for (int d = 0; d < 3; d++) work_put(to + d * ld, vec3_dot(foot_axis(foot, d), a));
}

/* ∂c of a foot by a column, by q and by ν */
LANE_CODE void foot_rates(const lane_held *x, const cuda_foot *f, const num *foot, int c, num *q, num *v)
{
    const lane_state *s = &x->s;
    const int nv = s->call->model.nv;
    const pose H = work_pose(foot);
    const twist error = work_twist(foot + FOOT_ERROR);
    const held_columns column = held_column_of(s, c, work_twist(foot + FOOT_V), f->rows == 3);
    if (f->rows == 3) {
        const held_rates r = held_point_rates(&column, H.p, f->damping, f->stiffness, error.v);
        held_put3(q, nv, foot, r.q.v), held_put3(v, nv, foot, r.v.v);
        return;
    }
    const held_rates r = held_frame_rates(&column, H.p, f->damping);
    twist rate = twist_of(mat3_tmul_vec(H.R, r.q.v), mat3_tmul_vec(H.R, r.q.w));
    if (f->stiffness > 0) rate = twist_add(rate, held_frame_stiffness(&column, H.p, H.R, f->stiffness, error));
    const num e[6] = {rate.v.x, rate.v.y, rate.v.z, rate.w.x, rate.w.y, rate.w.z};
    UNROLLED for (int d = 0; d < 6; d++) work_put(q + d * nv, e[d]);
    held_put3(v, nv, foot, r.v.v), held_put3(v + 3 * nv, nv, foot, r.v.w);
}

/* how the force of a point turns in the world while its body does, into ∂λ/∂q, which held_write.h completes */
LANE_CODE void foot_turn(const lane_held *x, const num *foot, int rows, twist S, num *to)
{
    const num4 f = work_get4(foot + FOOT_FORCE);
    const vec3 turn = vec3_cross(S.w, vec3_of(f.a, f.b, f.c));
    for (int d = 0; d < rows; d++)
        to[(size_t)d * x->h->lambda_q.ld] = rows == 3 ? vec3_dot(foot_axis(foot, d), turn) : K(0);
}

/* lane of a column: J, and in stage 2 ∂c */
LANE_CODE void tree_rows(lane_held *x, int number, num *lambda_q)
{
    lane_state *s = &x->s;
    const cuda_tree *t = s->tree;
    const int nv = s->call->model.nv, second = x->h->stage == 2;
    num *Eq = x->E, *Ev = x->E + x->h->all * nv;
    FOR_LANES(s, c, t->columns)
    {
        const int at = t->begin + c;
        const twist S = column_twist(s, c);
        ROLLED for (int k = 0; k < x->h->feet; k++)
        {
            const cuda_foot *f = &x->h->at[k];
            const num *foot = x->feet + HELD_FOOT * k;
            const int i = frame_integer(s, FRAME_BODY, f->frame), first = f->row * nv + at;
            if (frame_integer(s, FRAME_TREE, f->frame) != number || !column_moves(s, c, i)) {
                ROLLED for (int d = 0; d < f->rows; d++)
                {
                    work_put(x->J + first + d * nv, K(0));
                    if (second) work_put(Eq + first + d * nv, K(0)), work_put(Ev + first + d * nv, K(0));
                    if (lambda_q) lambda_q[(size_t)(f->row + d) * x->h->lambda_q.ld + (size_t)at] = K(0);
                }
                continue;
            }
            held_put3(x->J + first, nv, foot, held_moved(S, work_pose(foot).p));
            if (f->rows == 6) held_put3(x->J + first + 3 * nv, nv, foot, S.w);
            if (second) foot_rates(x, f, foot, c, Eq + first, Ev + first);
            if (lambda_q) foot_turn(x, foot, f->rows, S, lambda_q + (size_t)f->row * x->h->lambda_q.ld + (size_t)at);
        }
        ROLLED for (int r = x->h->rows; r < x->h->all; r++)
        {
            work_put(x->J + r * nv + at, K(0));
            if (second) work_put(Eq + r * nv + at, K(0)), work_put(Ev + r * nv + at, K(0));
        }
    }
    lanes_sync();
}

/* lane of a foot: are there rows that move nothing, so that what they are is rounding alone? */
LANE_CODE void tree_unmoved(lane_held *x, int number)
{
    lane_state *s = &x->s;
    const cuda_tree *t = s->tree;
    const int nv = s->call->model.nv;
    FOR_LANES(s, k, t->base ? 0 : x->h->feet)
    {
        const cuda_foot *f = &x->h->at[k];
        if (frame_integer(s, FRAME_TREE, f->frame) != number) continue;
        const vec3 p = work_pose(x->feet + HELD_FOOT * k).p;
        num lever = K(0);
        for (int c = 0; c < t->columns; c++) {
            const twist S = column_twist(s, c);
            if (column_moves(s, c, frame_integer(s, FRAME_BODY, f->frame)))
                lever += vec3_dot(S.v, S.v) + vec3_dot(S.w, S.w) * (K(1) + vec3_dot(p, p));
        }
        for (int d = 0; d < f->rows; d++) {
            num length = K(0);
            for (int c = 0; c < t->columns; c++) {
                const num j = work_get(x->J + (f->row + d) * nv + t->begin + c);
                length += j * j;
            }
            if (!(length > HELD_TINY * lever)) s->flags |= FLAG_DEPENDENT;
        }
    }
}

/* ---- W, K and its inverse ---- */

typedef struct held_six {
    num x[HELD_ROWS];
} held_six;

/* x += a · the rows r … r + 5 of a matrix, in column j */
LANE_CODE void six_add(held_six *to, num a, const num *x, int step)
{
    UNROLLED for (int k = 0; k < HELD_ROWS; k++) to->x[k] += a * work_get(x + k * step);
}

LANE_CODE held_six six_zero(void)
{
    held_six x;
    UNROLLED for (int k = 0; k < HELD_ROWS; k++) x.x[k] = K(0);
    return x;
}

/* lane of a row of M⁻¹: W = M⁻¹ Jᵀ */
LANE_CODE void held_response(lane_held *x)
{
    lane_state *s = &x->s;
    const int nv = s->call->model.nv, all = x->h->all;
    const num *Minv = (const num *)x->h->Minv.data + s->state * x->h->Minv.stride;
    FOR_LANES(s, i, nv)
    {
        ROLLED for (int r = 0; r < all; r += HELD_ROWS)
        {
            held_six sum = six_zero();
            BY_FOUR for (int j = 0; j < nv; j++) six_add(&sum, Minv[j * nv + i], x->J + r * nv + j, nv);
            UNROLLED for (int k = 0; k < HELD_ROWS; k++) work_put(x->W + i * all + r + k, sum.x[k]);
        }
    }
    lanes_sync();
}

/* lane of an entry: K = J W */
LANE_CODE void held_gram(lane_held *x)
{
    lane_state *s = &x->s;
    const int nv = s->call->model.nv, all = x->h->all;
    FOR_LANES(s, task, all * all)
    {
        const int r = task / all, c = task % all;
        num sum = K(0);
        if (c > r) continue;
        BY_FOUR for (int i = 0; i < nv; i++) sum += work_get(x->J + r * nv + i) * work_get(x->W + i * all + c);
        work_put(x->K + r * all + c, sum);
        if (c == r)
            work_put(x->diagonal + r, sum);
        else
            work_put(x->K + c * all + r, sum);
    }
    lanes_sync();
}

/* K ← −K⁻¹, by sweeps; doubtful pivots give the state up */
LANE_CODE void held_inverse(lane_held *x)
{
    lane_state *s = &x->s;
    const int all = x->h->all, rows = x->h->rows;
    num largest = K(0), smallest, ratio = K(1);
    for (int r = 0; r < rows; r++) {
        const num d = work_get(x->diagonal + r);
        largest = d > largest ? d : largest;
    }
    smallest = largest;
    for (int r = 0; r < rows; r++) {
        const num d = work_get(x->diagonal + r);
        smallest = d < smallest ? d : smallest;
    }
    ROLLED for (int k = 0; k < rows; k++)
    {
        FOR_LANES(s, r, rows) work_put(x->u + r, work_get(x->K + r * all + k));
        lanes_sync();
        const num pivot = work_get(x->u + k), d = work_get(x->diagonal + k);
        const int good = d < HELD_LOST * pivot;
        const num inverse = good ? K(1) / pivot : K(1);
        if (!good) s->flags |= FLAG_DEPENDENT;
        ratio = d * inverse > ratio ? d * inverse : ratio;
        FOR_LANES(s, task, rows * rows)
        {
            const int r = task / rows, c = task % rows;
            const num a = r == k ? K(1) : work_get(x->u + r), b = c == k ? K(1) : work_get(x->u + c);
            const num f = r == k || c == k ? (r == k && c == k ? -inverse : inverse) : -inverse;
            num *to = x->K + r * all + c;
            work_put(to, (r == k || c == k ? K(0) : work_get(to)) + f * a * b);
        }
        lanes_sync();
    }
    const num tolerance = K(100 * x->h->tolerance * x->h->tolerance);
    if (!(tolerance * largest * ratio < smallest)) s->flags |= FLAG_DEPENDENT;
}

/* J, W and −K⁻¹, and in stage 1 c, in stage 2 ∂c */
LANE_CODE void held_prepare(lane_held *x, num *lambda_q)
{
    lane_state *s = &x->s;
    for (int i = 0; i < s->call->model.trees; i++) {
        s->tree = &s->call->model.tree[i];
        tree_place(s);
        tree_load_acceleration(s, x->h->a);
        bodies_velocities(s, s->work + s->call->model.x);
        tree_feet(x, i);
        tree_rows(x, i, lambda_q);
        tree_unmoved(x, i);
        lanes_sync(); /* the next tree uses the same workspace */
    }
    held_response(x);
    held_gram(x);
    held_inverse(x);
}

/* ---- stage 1 ---- */

/* lane of a row: λ = −K⁻¹ c */
LANE_CODE void held_forces(lane_held *x, num *out)
{
    lane_state *s = &x->s;
    FOR_LANES(s, r, x->h->rows)
    {
        num sum = K(0);
        ROLLED for (int k = 0; k < x->h->rows; k++) sum += work_get(x->K + r * x->h->all + k) * work_get(x->c + k);
        if (not_finite(sum)) s->flags |= FLAG_OVERFLOW;
        work_put(x->lambda + r, sum);
        if (out) out[r] = sum;
    }
    lanes_sync();
}

/* λ of a foot as a wrench of its body, in the body's frame; frame: that of the body itself */
LANE_CODE wrench foot_wrench(const lane_held *x, int k, pose body)
{
    const cuda_foot *f = &x->h->at[k];
    const num *foot = x->feet + HELD_FOOT * k;
    const vec3 p = vec3_sub(work_pose(foot).p, body.p);
    vec3 force = vec3_zero(), torque = vec3_zero();
    for (int d = 0; d < 3; d++) {
        force = vec3_axpy(work_get(x->lambda + f->row + d), foot_axis(foot, d), force);
        if (f->rows == 6) torque = vec3_axpy(work_get(x->lambda + f->row + 3 + d), foot_axis(foot, d), torque);
    }
    return wrench_of(mat3_tmul_vec(body.R, force), mat3_tmul_vec(body.R, vec3_add(torque, vec3_cross(p, force))));
}

/* lane of a body: external wrenches and λ. Poses of the feet's bodies are found from those of the feet */
LANE_CODE void held_wrenches(lane_held *x, num *out)
{
    lane_state *s = &x->s;
    const cuda_held *h = x->h;
    const num *given = h->given.data ? (const num *)h->given.data + s->state * h->given.stride : (const num *)0;
    FOR_LANES(s, i, s->call->model.bodies)
    {
        wrench sum = wrench_zero();
        for (int k = 0; k < h->feet; k++) {
            const int frame = h->at[k].frame;
            if (frame_integer(s, FRAME_GLOBAL, frame) != i) continue;
            /* frame i is body i itself: foot = body · (body⁻¹ foot), and both placements are from the same plan frame */
            const pose between = pose_between(frame_placement(s, frame), frame_placement(s, i));
            sum = wrench_add(sum, foot_wrench(x, k, pose_mul(work_pose(x->feet + HELD_FOOT * k), between)));
        }
        const num f[6] = {sum.f.x, sum.f.y, sum.f.z, sum.t.x, sum.t.y, sum.t.z};
        for (int d = 0; d < 6 && out; d++) out[6 * i + d] = f[d] + (given ? given[6 * i + d] : K(0));
    }
}

/* lane of a coordinate: ν̇ = ν̇₀ + W λ */
LANE_CODE void held_acceleration(lane_held *x, num *out)
{
    lane_state *s = &x->s;
    const int nv = s->call->model.nv, all = x->h->all;
    const num *a = (const num *)x->h->a.data + s->state * x->h->a.stride;
    FOR_LANES(s, i, nv)
    {
        num sum = a[i];
        ROLLED for (int r = 0; r < x->h->rows; r++) sum += work_get(x->W + i * all + r) * work_get(x->lambda + r);
        if (not_finite(sum)) s->flags |= FLAG_OVERFLOW;
        if (out) out[i] = sum;
    }
}

/* what an earlier stage says about a state */
LANE_CODE int32_t held_before(const lane_held *x)
{
    const int32_t a = x->h->before ? x->h->before[x->s.state] : 0, b = x->h->before2 ? x->h->before2[x->s.state] : 0;
    return a ? a : b;
}

LANE_CODE void held_first(lane_held *x, size_t state, int there)
{
    lane_state *s = &x->s;
    held_prepare(x, NULL);
    held_forces(x, held_output(x, x->h->lambda, there));
    num *wrenches = held_output(x, x->h->wrenches, there), *a = held_output(x, x->h->call.acceleration, there);
    if (x->h->wrenches.data) held_wrenches(x, wrenches);
    if (x->h->call.acceleration.data) held_acceleration(x, a);
    const int flags = lanes_or(s->flags, s->width);
    const int32_t before = held_before(x), status = before ? before : status_of_flags(flags);
    if (status) {
        lanes_fill(s, held_output(x, x->h->lambda, there), (size_t)x->h->rows);
        lanes_fill(s, a, (size_t)s->call->model.nv);
    }
    if (s->lane == 0 && there && x->h->after) x->h->after[state] = status;
    if (s->lane == 0 && there && s->call->status) s->call->status[state] = status;
}

#endif
