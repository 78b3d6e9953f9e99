/* Laying out the plan of a model: see plan.h. Time and memory are linear in the size of the tree. */
#include "model/plan.h"

#include <math.h>
#include <string.h>

#include "base/layout.h"
#include "group/joint.h"

/* ---- topology: columns, segments, trees ---- */

/* λ of the first column of a body: the last column of the nearest ancestor that has any, or −1 */
static int32_t column_above(const model_body *bodies, int32_t body)
{
    int32_t p = bodies[body].parent;
    while (p >= 0 && bodies[p].nv == 0) p = bodies[p].parent;
    return p < 0 ? -1 : bodies[p].v + bodies[p].nv - 1;
}

/* where the columns of a body's subtree end */
static int32_t subtree_columns_end(const model_body *bodies, int32_t body)
{
    const model_body *last = &bodies[bodies[body].subtree_end - 1];
    return last->v + last->nv;
}

/* does the first column of a body start a segment? Not if the column before it carries this body and nothing else */
static int starts_segment(const model_body *bodies, int32_t body)
{
    int32_t p = bodies[body].parent;
    while (p >= 0 && bodies[p].nv == 0) p = bodies[p].parent;
    return p < 0 || bodies[p].v + bodies[p].nv != bodies[body].v ||
           subtree_columns_end(bodies, p) != subtree_columns_end(bodies, body);
}

static int32_t count_segments(const hml_model *m)
{
    const model_body *b = model_bodies(m);
    int32_t n = 0;
    for (int32_t i = 0; i < m->nbodies; i++) n += b[i].nv > 0 && starts_segment(b, i);
    return n;
}

/*
 * Where the plan's tree with this root ends. A body fixed to the world is one of its own: it moves nothing, and a tree
 * that it carries keeps its digits far from the world's origin only in the frame of its own root.
 */
static int32_t tree_end(const model_body *bodies, int32_t root)
{
    return bodies[root].type == HML_JOINT_FIXED ? root + 1 : bodies[root].subtree_end;
}

static int32_t count_trees(const hml_model *m)
{
    int32_t n = 0;
    for (int32_t i = 0; i < m->nbodies; i = tree_end(model_bodies(m), i)) n++;
    return n;
}

static void fill_columns(const hml_model *m, hml_plan *plan)
{
    const model_body *b = model_bodies(m);
    plan_column *columns = (plan_column *)((char *)plan + plan->columns);
    plan_segment *segments = (plan_segment *)((char *)plan + plan->segments);
    int32_t s = -1;
    plan->depth = 0;
    for (int32_t i = 0; i < m->nbodies; i++) {
        for (int32_t k = 0; k < b[i].nv; k++) {
            int32_t c = b[i].v + k, above = k ? c - 1 : column_above(b, i);
            if (k == 0 && starts_segment(b, i)) {
                s++;
                segments[s].begin = c;
                segments[s].depth = above < 0 ? 0 : columns[above].depth + 1;
                segments[s].parent = above < 0 ? -1 : columns[above].segment;
                segments[s].attach = above;
            }
            segments[s].end = c + 1;
            columns[c].body = i;
            columns[c].first = b[i].v;
            columns[c].subtree_end = subtree_columns_end(b, i);
            columns[c].depth = above < 0 ? 0 : columns[above].depth + 1;
            columns[c].segment = s;
            if (columns[c].depth + 1 > plan->depth) plan->depth = columns[c].depth + 1;
        }
    }
}

static void fill_trees(const hml_model *m, hml_plan *plan)
{
    const model_body *b = model_bodies(m);
    plan_tree *tree = (plan_tree *)((char *)plan + plan->trees);
    plan->block = plan->longest_path = 0;
    for (int32_t i = 0; i < m->nbodies; i = tree->body_end, tree++) {
        tree->body_begin = i;
        tree->body_end = tree_end(b, i);
        tree->begin = b[i].v;
        tree->end = b[i].type == HML_JOINT_FIXED ? tree->begin : subtree_columns_end(b, i);
        tree->base = b[i].type == HML_JOINT_FREE ? 6 : 0;
        for (int32_t c = tree->begin + tree->base, end; c < tree->end; c = end) {
            end = plan_block_end(plan, tree, c);
            if (end - c > plan->block) plan->block = end - c;
        }
        for (int32_t c = tree->begin + tree->base; c < tree->end; c++) {
            const int32_t path = plan_columns(plan)[c].depth + 1 - tree->base;
            if (path > plan->longest_path) plan->longest_path = path;
        }
    }
}

/* ---- runs ---- */

static int adds_up(int32_t type)
{
    return type != HML_JOINT_PLANAR && type != HML_JOINT_SCHOENFLIES && type != HML_JOINT_SPHERICAL &&
           type != HML_JOINT_FREE;
}

/* returns how many there are; runs NULL: only that */
static int32_t find_runs(const hml_model *m, plan_run *runs)
{
    plan_run last = {-1, 0, 0, 0};
    int32_t n = 0;
    for (int32_t i = 0; i < m->njoints; i++) {
        const model_joint *j = &model_joints(m)[i];
        if (j->leader >= 0 || j->nq == 0) continue;
        const int plain = adds_up(j->type);
        if (plain && last.type == HML_JOINT_FIXED) {
            last.n += j->nq; /* the user's numbers follow the joints: side by side they stand anyway */
        } else {
            last = (plan_run){plain ? HML_JOINT_FIXED : j->type, j->q, j->v, plain ? j->nq : 0};
            n++;
        }
        if (runs) runs[n - 1] = last;
    }
    return n;
}

/* ---- constants: frames and inertias ---- */

static void pose_write(pose H, double out[12])
{
    const double R[9] = {H.R.x.x, H.R.y.x, H.R.z.x, H.R.x.y, H.R.y.y, H.R.z.y, H.R.x.z, H.R.y.z, H.R.z.z};
    memcpy(out, R, sizeof R);
    out[9] = H.p.x, out[10] = H.p.y, out[11] = H.p.z;
}

static pose pose_read(const double X[12]) { return pose_of(mat3_at(X, 3), vec3_at(X + 9)); }

/* a rotation whose z is the given unit axis; the identity, exactly, where the axis is z */
static mat3 rotation_to_axis(vec3 a)
{
    vec3 e = fabs(a.x) < 0.5 ? vec3_of(1, 0, 0) : vec3_of(0, 1, 0);
    vec3 x = vec3_axpy(-vec3_dot(e, a), a, e);
    x = vec3_scale(1 / vec3_norm(x), x);
    return mat3_of(x, vec3_cross(a, x), a);
}

static int has_axis(int32_t type)
{
    return type == HML_JOINT_REVOLUTE || type == HML_JOINT_PRISMATIC || type == HML_JOINT_HELICAL ||
           type == HML_JOINT_CYLINDRICAL;
}

/* the plan frame in the body frame */
static pose plan_frame(const model_body *b)
{
    mat3 A = has_axis(b->type) ? rotation_to_axis(vec3_at(b->axis)) : mat3_identity();
    return pose_of(A, vec3_at(b->point));
}

/* the code of plan_quarter_turn */
static int32_t quarter_turn_code(const double R[9])
{
    int32_t code = PLAN_QUARTER_TURN;
    for (int k = 0; k < 3; k++) {
        int found = 0;
        for (int axis = 0; axis < 3; axis++) {
            double x = R[3 * axis + k];
            if (x == 0) continue;
            if (found++ || x * x != 1) return 0;
            code |= (axis | (x < 0 ? 4 : 0)) << (3 * k);
        }
    }
    return code;
}

static void fill_bodies(const hml_model *m, hml_plan *plan)
{
    const model_body *b = model_bodies(m);
    plan_body *out = (plan_body *)((char *)plan + plan->bodies);
    double *inertias = (double *)((char *)plan + plan->inertias);
    const size_t row = (size_t)m->nbodies + PLAN_PACK;
    int32_t end = 0; /* of the tree so far */
    memset(inertias, 0, 10 * row * sizeof *inertias);
    for (int32_t i = 0; i < m->nbodies; i++) {
        const int root = i == end;
        if (root) end = tree_end(b, i);
        pose Q = plan_frame(&b[i]), Qp = b[i].parent < 0 ? pose_identity() : plan_frame(&b[b[i].parent]);
        pose origin = pose_of(mat3_at(b[i].R, 3), vec3_of(b[i].p[0], b[i].p[1], b[i].p[2]));
        pose X = pose_between(Qp, pose_mul(origin, Q)), to_body = pose_inverse(Q);
        if (root && b[i].parent >= 0)
            X = pose_mul(pose_read(out[b[i].parent].X), X); /* that one is fixed to the world */
        inertia I = inertia_of_com(
            b[i].mass, vec3_of(b[i].com[0], b[i].com[1], b[i].com[2]),
            sym3_of(b[i].moment[0], b[i].moment[1], b[i].moment[2], b[i].moment[3], b[i].moment[4], b[i].moment[5]));
        I = inertia_transform(to_body, I);
        const double parameters[10] = {I.m, I.h.x, I.h.y, I.h.z, I.J.xx, I.J.xy, I.J.xz, I.J.yy, I.J.yz, I.J.zz};
        memset(&out[i], 0, sizeof out[i]);
        out[i].parent = root ? -1 : b[i].parent;
        out[i].type = b[i].type;
        out[i].q = b[i].q;
        out[i].v = b[i].v;
        out[i].nv = b[i].nv;
        out[i].level = root ? 0 : out[b[i].parent].level + 1;
        out[i].end = root ? end : b[i].subtree_end;
        pose_write(X, out[i].X);
        out[i].quarter_turn = quarter_turn_code(out[i].X);
        memcpy(out[i].I, parameters, sizeof parameters);
        out[i].pitch = b[i].pitch;
        pose_write(to_body, out[i].to_body);
        for (int k = 0; k < 10; k++) inertias[(size_t)k * row + (size_t)i] = parameters[k];
    }
}

/* ---- motions ---- */

static void rows_write(pose H, double out[12])
{
    const double rows[12] = {H.R.x.x, H.R.y.x, H.R.z.x, H.p.x,   H.R.x.y, H.R.y.y,
                             H.R.z.y, H.p.y,   H.R.x.z, H.R.y.z, H.R.z.z, H.p.z};
    memcpy(out, rows, sizeof rows);
}

/* R (turned | p − turned p): a rotation's part of the motion about an axis through a point, behind R */
static pose about_point(mat3 R, mat3 turned, vec3 point)
{
    return pose_of(mat3_mul(R, turned), vec3_neg(mat3_mul_vec(R, mat3_mul_vec(turned, point))));
}

/* P T(point) exp(θ axis) T(−point), with exp = axis axisᵀ + cos (1 − axis axisᵀ) + sin axis^ */
static void fill_turn(pose P, vec3 axis, vec3 point, plan_motion *out)
{
    mat3 along = mat3_outer(axis, axis), across = mat3_sub(mat3_identity(), along);
    pose C = about_point(P.R, along, point);
    C.p = vec3_add(vec3_add(P.p, mat3_mul_vec(P.R, point)), C.p);
    rows_write(C, out->rows[0]);
    rows_write(about_point(P.R, across, point), out->rows[1]);
    rows_write(about_point(P.R, mat3_hat(axis), point), out->rows[2]);
}

/* turn and axis of a revolute joint through the frame's origin; most are such */
static void fill_quarter(const model_body *b, plan_motion *out)
{
    int found = 0;
    for (int k = 0; k < 3; k++) {
        if (b->point[k] != 0) return;
        if (b->axis[k] == 0) continue;
        if (found++ || b->axis[k] * b->axis[k] != 1) return;
        out->axis = k | (b->axis[k] < 0 ? 4 : 0);
    }
    out->quarter_turn = quarter_turn_code(b->R);
}

static int is_one(const double rows[12])
{
    for (int k = 0; k < 12; k++)
        if (rows[k] != (k % 5 == 0)) return 0;
    return 1;
}

static void fill_motions(const hml_model *m, hml_plan *plan)
{
    const model_body *bodies = model_bodies(m);
    plan_motion *motions = (plan_motion *)((char *)plan + plan->motions);
    plan->angles_begin = plan->nq;
    for (int32_t i = 0; i < m->nbodies; i++) {
        const model_body *b = &bodies[i];
        plan_motion *out = &motions[i];
        const pose P = pose_of(mat3_at(b->R, 3), vec3_at(b->p)), Q = plan_frame(b);
        const vec3 axis = vec3_at(b->axis);
        const int32_t angle = joint_angle_at(b->type);
        memset(out, 0, sizeof *out);
        out->parent = b->parent, out->type = b->type, out->q = b->q, out->pitch = b->pitch;
        out->level = b->parent < 0 ? 0 : motions[b->parent].level + 1;
        if (out->level + 1 > plan->levels) plan->levels = out->level + 1;
        if (b->type == HML_JOINT_REVOLUTE) {
            fill_turn(P, axis, Q.p, out);
            fill_quarter(b, out);
        } else if (b->type == HML_JOINT_PRISMATIC) {
            rows_write(P, out->rows[0]);
            rows_write(pose_of(mat3_zero(), mat3_mul_vec(P.R, axis)), out->rows[1]);
        } else {
            rows_write(pose_mul(P, Q), out->rows[0]);
            rows_write(pose_inverse(Q), out->rows[1]);
            out->quarter_turn = is_one(out->rows[0]) && is_one(out->rows[1]);
        }
        if (angle < 0) continue;
        if (b->q + angle < plan->angles_begin) plan->angles_begin = b->q + angle;
        plan->angles_end = b->q + angle + 1;
    }
}

/* ---- the whole ---- */

/* how much there is of everything, and where; returns the size in bytes */
static uint64_t lay_out(const hml_model *m, hml_plan *plan)
{
    const uint64_t nbodies = (uint64_t)m->nbodies;
    uint64_t end = 0;
    memset(plan, 0, sizeof *plan);
    plan->nbodies = m->nbodies;
    plan->nv = m->tree_nv;
    plan->nq = m->tree_nq;
    plan->ntrees = count_trees(m);
    plan->nsegments = count_segments(m);
    plan->nruns = find_runs(m, NULL);
    plan->passive = m->passive;
    layout_offset(&end, 1, sizeof(hml_plan));
    plan->bodies = layout_offset(&end, nbodies, sizeof(plan_body));
    plan->columns = layout_offset(&end, (uint64_t)plan->nv, sizeof(plan_column));
    plan->segments = layout_offset(&end, (uint64_t)plan->nsegments, sizeof(plan_segment));
    plan->trees = layout_offset(&end, (uint64_t)plan->ntrees, sizeof(plan_tree));
    plan->runs = layout_offset(&end, (uint64_t)plan->nruns, sizeof(plan_run));
    plan->motions = layout_offset(&end, nbodies, sizeof(plan_motion));
    plan->inertias = layout_offset(&end, 10 * (nbodies + PLAN_PACK), sizeof(double));
    plan->coordinates = (int64_t)m->coordinates - (int64_t)m->plan;
    plan->rest = (int64_t)m->rest - (int64_t)m->plan;
    return plan->size = end;
}

size_t hmli_plan_size(const hml_model *m)
{
    hml_plan plan;
    return (size_t)lay_out(m, &plan);
}

void hmli_plan_fill(hml_model *m)
{
    hml_plan *plan = (hml_plan *)((char *)m + m->plan);
    lay_out(m, plan);
    fill_columns(m, plan);
    fill_trees(m, plan);
    fill_bodies(m, plan);
    fill_motions(m, plan);
    find_runs(m, (plan_run *)((char *)plan + plan->runs));
}
