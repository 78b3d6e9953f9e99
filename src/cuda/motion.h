/*
 * Inverse dynamics, M, and frames of a batch, on lanes: a state has 8, 16 or 32 of them, as in linearize.h, and the trees
 * of a model come one after the other. Formulas: kernel/composite.h.
 *
 *   τ_c = Sᵀ f + armature a + damping ν + stiffness log(rest⁻¹ q)      M_rc = Sᵀ_r F_c where r carries c      F = I S
 *
 * f and I are those of the column's subtree.
 */
#ifndef HML_CUDA_MOTION_H
#define HML_CUDA_MOTION_H

#include "cuda/output.h"

/* a lane's view of a state of a call whose model has the workspace of tables_motion.c */
LANE_CODE lane_state motion_begin(const cuda_call *call, num *work, int l)
{
    lane_state s;
    s.call = call;
    s.tree = call->model.tree;
    s.integers = call->model.integers;
    s.numbers = (const num *)call->model.numbers;
    s.work = work;
    s.lane = l;
    s.width = call->model.width;
    s.one = s.trunk = 0;
    s.state = 0;
    s.flags = 0;
    return s;
}

/* ν̇ into the workspace; of a free root less what the passes leave out. Behind bodies_move, which finds gravity */
LANE_CODE void tree_load_acceleration(lane_state *s, cuda_input a)
{
    const cuda_tree *t = s->tree;
    const num *from = a.data ? (const num *)a.data + s->state * a.stride + t->begin : (const num *)0;
    const vec3 left_out = t->base ? root_acceleration(s) : vec3_zero();
    FOR_LANES(s, c, t->columns)
    {
        num x = from ? from[c] : K(0);
        if (not_finite(x)) s->flags |= FLAG_NOT_FINITE;
        if (t->base && c < 3) x -= vec3_get(left_out, c);
        work_put(s->work + s->call->model.x + t->begin + c, x);
    }
    lanes_sync();
}

/* poses and twists of a tree, and where its root is in the world */
LANE_CODE void tree_place(lane_state *s)
{
    bodies_move(s);
    if (s->lane == 0) work_put_pose(s->work + s->tree->at.place, body_move(s, 0, body_integer(s, BODY_TYPE, 0)));
    chains_poses(s);
    columns_twists(s);
}

/* S of a column; of a free root's, the identity */
LANE_CODE twist column_twist(const lane_state *s, int c)
{
    return c < s->tree->base ? unit_twist(c) : work_twist(s->work + s->tree->at.S + 8 * c);
}

/* does column c move body i? */
LANE_CODE int column_moves(const lane_state *s, int c, int i)
{
    const int j = column_integer(s, COLUMN_BODY, c);
    return j <= i && i < body_integer(s, BODY_END, j);
}

/* ---- inverse dynamics and M ---- */

LANE_CODE void tree_torque(lane_state *s, num *torque)
{
    const cuda_tree *t = s->tree;
    const num *a = s->work + s->call->model.x + t->begin, *b = s->work + s->call->model.b + t->begin;
    const vec3 left_out = t->base ? root_acceleration(s) : vec3_zero();
    FOR_LANES(s, c, t->columns)
    {
        const composite sum = work_composite(s->work + t->at.sum + column_integer(s, COLUMN_BODY, c), t->at.sum_ld);
        num x = work_get(a + c);
        if (t->base && c < 3) x += vec3_get(left_out, c);
        const num tau = wrench_dot(sum.f, column_twist(s, c)) + column_armature(s, c) * x - work_get(b + c);
        if (not_finite(tau)) s->flags |= FLAG_OVERFLOW;
        if (torque) torque[t->begin + c] = tau;
    }
}

LANE_CODE void tree_mass(lane_state *s, lane_output M)
{
    const cuda_tree *t = s->tree;
    num *F = s->work + t->at.G, wrong = K(0);
    FOR_LANES(s, c, t->columns)
    {
        const composite sum = work_composite(s->work + t->at.sum + column_integer(s, COLUMN_BODY, c), t->at.sum_ld);
        const wrench f = inertia_mul(sum.I, column_twist(s, c));
        work_put_twist(F + 8 * c, twist_of(f.f, f.t));
    }
    lanes_sync();
    ROLLED for (int r = 0; r < t->columns; r++)
    {
        const int end = column_integer(s, COLUMN_END, r);
        FOR_LANES(s, c, t->columns)
        {
            const int low = c < r ? c : r, high = c < r ? r : c;
            num x = K(0);
            if (c < r ? r < column_integer(s, COLUMN_END, c) : c < end)
                x = wrench_dot(work_wrench(F + 8 * high), column_twist(s, low));
            if (c == r) x += column_armature(s, c);
            wrong += K(0) * x;
            output_put(M, t->begin + r, t->begin + c, x);
        }
        FOR_LANES(s, i, s->call->model.nv - t->columns)
        output_put(M, t->begin + r, i < t->begin ? i : i + t->columns, K(0));
    }
    if (not_finite(wrong)) s->flags |= FLAG_OVERFLOW;
}

LANE_CODE void tree_dynamics(lane_state *s, const cuda_motion *m, num *torque, lane_output M)
{
    tree_place(s);
    tree_load_acceleration(s, m->a);
    bodies_velocities(s, s->work + s->call->model.x);
    bodies_composites(s);
    if (s->call->model.passive) bodies_passive(s);
    if (m->torque.data) tree_torque(s, torque);
    if (m->M.data) tree_mass(s, M);
}

/* ---- frames ---- */

/* where a frame is on its body, or in the world */
LANE_CODE pose frame_placement(const lane_state *s, int frame)
{
    const num *x = s->numbers + s->call->model.frame_numbers + 12 * frame;
    return pose_of(mat3_of(vec3_of(x[0], x[3], x[6]), vec3_of(x[1], x[4], x[7]), vec3_of(x[2], x[5], x[8])),
                   vec3_of(x[9], x[10], x[11]));
}

LANE_CODE int frame_integer(const lane_state *s, int which, int frame)
{
    return s->integers[s->call->model.frame + FRAME_INTEGERS * frame + which];
}

/* where the results of a frame go; all three may be missing */
typedef struct frame_outputs {
    num *pose, *J, *twist;
    int ld;
} frame_outputs;

LANE_CODE frame_outputs frame_outputs_of(const lane_state *s, const cuda_motion *m, int k, int there)
{
    frame_outputs o;
    o.pose = output_of(m->pose, s->state, there).data;
    o.J = output_of(m->J, s->state, there).data;
    o.twist = output_of(m->twist, s->state, there).data;
    o.ld = (int)m->J.ld;
    if (o.pose) o.pose += 16 * (size_t)k;
    if (o.J) o.J += 6 * (size_t)k * m->J.ld;
    if (o.twist) o.twist += 6 * (size_t)k;
    return o;
}

/* number i of a pose's sixteen */
LANE_CODE num pose_entry(pose H, int i)
{
    const vec3 column = i % 4 == 0 ? H.R.x : i % 4 == 1 ? H.R.y : i % 4 == 2 ? H.R.z : H.p;
    return i < 12 ? vec3_get(column, i / 4) : one_if(i == 15);
}

LANE_CODE void frame_put_pose(lane_state *s, frame_outputs o, pose H)
{
    FOR_LANES(s, i, 16)
    {
        const num x = pose_entry(H, i);
        if (not_finite(x)) s->flags |= FLAG_OVERFLOW;
        if (o.pose) o.pose[i] = x;
    }
}

/* a twist in the root frame, as one of the frame H there; P: the root in the world */
LANE_CODE twist frame_represent(twist V, pose H, pose P, int representation)
{
    if (representation == HML_RIGHT) return pose_ad(P, V);
    const mat3 R = representation == HML_LEFT ? H.R : mat3_transpose(P.R);
    const vec3 at = mat3_tmul_vec(R, held_moved(V, H.p)), w = mat3_tmul_vec(R, V.w);
    return twist_of(at, representation == HML_SPLIT ? mat3_tmul_vec(H.R, V.w) : w);
}

LANE_CODE void put6(num *to, int step, twist V)
{
    to[0] = V.v.x, to[step] = V.v.y, to[2 * step] = V.v.z;
    to[3 * step] = V.w.x, to[4 * step] = V.w.y, to[5 * step] = V.w.z;
}

LANE_CODE void tree_frame(lane_state *s, const cuda_motion *m, int frame, frame_outputs o)
{
    const cuda_tree *t = s->tree;
    const int i = frame_integer(s, FRAME_BODY, frame);
    const pose H = pose_mul(work_pose(s->work + t->at.H + 12 * i), frame_placement(s, frame));
    const pose P = work_pose(s->work + t->at.place);
    if (m->pose.data) frame_put_pose(s, o, pose_mul(P, H));
    if (m->twist.data && s->lane == 0) {
        twist V = work_twist(s->work + t->at.v + 8 * i);
        if (t->base) V.v = vec3_add(V.v, root_motion(s).u);
        V = frame_represent(V, H, P, m->representation);
        if (not_finite(vec3_dot(V.v, V.v) + vec3_dot(V.w, V.w))) s->flags |= FLAG_OVERFLOW;
        if (o.twist) put6(o.twist, 1, V);
    }
    FOR_LANES(s, c, o.J ? s->call->model.nv : 0)
    {
        const int own = c - t->begin;
        twist V = twist_zero();
        if (own >= 0 && own < t->columns && column_moves(s, own, i))
            V = frame_represent(column_twist(s, own), H, P, m->representation);
        put6(o.J + c, o.ld, V);
    }
}

/* a frame that nothing moves */
LANE_CODE void world_frame(lane_state *s, const cuda_motion *m, int frame, frame_outputs o)
{
    if (m->pose.data) frame_put_pose(s, o, frame_placement(s, frame));
    if (o.twist && s->lane == 0) put6(o.twist, 1, twist_zero());
    FOR_LANES(s, c, o.J ? s->call->model.nv : 0) put6(o.J + c, o.ld, twist_zero());
}

/* the frames of tree `number`, or those that nothing moves: −1 */
LANE_CODE void tree_frames(lane_state *s, const cuda_motion *m, int number, int there)
{
    ROLLED for (int k = 0; k < m->count; k++)
    {
        const int frame = m->listed ? m->frame[k] : k;
        if (frame_integer(s, FRAME_TREE, frame) != number) continue;
        const frame_outputs o = frame_outputs_of(s, m, k, there);
        if (number < 0)
            world_frame(s, m, frame, o);
        else
            tree_frame(s, m, frame, o);
    }
}

/* ---- the whole ---- */

LANE_CODE void lanes_fill(const lane_state *s, num *to, size_t n)
{
    for (size_t i = (size_t)s->lane; to && i < n; i += (size_t)s->width) to[i] = K(NAN);
}

LANE_CODE void motion_nan(const lane_state *s, const cuda_motion *m, int there)
{
    const int nv = s->call->model.nv;
    const frame_outputs o = frame_outputs_of(s, m, 0, there);
    lanes_fill(s, output_of(m->torque, s->state, there).data, (size_t)nv);
    const lane_output M = output_of(m->M, s->state, there);
    for (int r = 0; r < nv && M.data; r++) lanes_fill(s, M.data + r * M.ld, (size_t)nv);
    lanes_fill(s, o.pose, 16 * (size_t)m->count);
    lanes_fill(s, o.twist, 6 * (size_t)m->count);
    for (int r = 0; r < 6 * m->count && o.J; r++) lanes_fill(s, o.J + (size_t)r * m->J.ld, (size_t)nv);
}

/* one state of a batch */
LANE_CODE void lanes_motion(lane_state *s, const cuda_motion *m, size_t state)
{
    const cuda_call *call = s->call;
    const int there = state < call->n, dynamics = m->torque.data || m->M.data;
    s->state = there ? state : call->n - 1;
    s->flags = 0;
    num *torque = output_of(m->torque, s->state, there).data;
    const lane_output M = output_of(m->M, s->state, there);
    load_state(s);
    if (!dynamics) tree_frames(s, m, -1, there);
    for (int i = 0; i < call->model.trees; i++) {
        s->tree = &call->model.tree[i];
        if (dynamics) {
            tree_dynamics(s, m, torque, M);
        } else {
            tree_place(s);
            if (m->twist.data) bodies_velocities(s, NULL);
            tree_frames(s, m, i, there);
        }
        lanes_sync(); /* the next tree, or the next state, uses the same workspace */
    }
    const int flags = lanes_or(s->flags, s->width);
    if (flags) motion_nan(s, m, there);
    if (s->lane == 0 && there && call->status) call->status[state] = status_of_flags(flags);
}

#endif
