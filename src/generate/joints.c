/*
 * Joints over expressions: what group/joint.h says about numbers, for the plan's frames, in which every axis is z. A
 * rotation of a quaternion divides by its square, so that no root is needed.
 */
#include "generate/program.h"

#include <stddef.h>
#include <string.h>

static ex position(region *r, const plan_body *b, int32_t k) { return hmli_graph_input(&r->g, ARRAY_Q, b->q + k); }

/* a turn about z by entry k of the joint's position */
static ex33 turn_z(region *r, const plan_body *b, int32_t k)
{
    const ex s = hmli_graph_input(&r->g, ARRAY_SINE, b->q + k), c = hmli_graph_input(&r->g, ARRAY_COSINE, b->q + k);
    return (ex33){{{c, ex_neg(s), EX_ZERO}, {s, c, EX_ZERO}, {EX_ZERO, EX_ZERO, EX_ONE}}};
}

/* a number of a part's frame, one value per lane */
static ex frame_field(region *r, const part *b, size_t offset)
{
    double values[GRAPH_LANES];
    const body_frame *f = &r->frames[(b - r->parts) * GRAPH_LANES];
    for (int32_t l = 0; l < r->g.lanes && l < GRAPH_LANES; l++)
        memcpy(&values[l], (const char *)&f[l] + offset, sizeof values[l]);
    return hmli_graph_constant(&r->g, values);
}

/* the turn of a revolute joint in the frame that was chosen: a constant is added to its angle */
static ex33 turn_more(region *r, const part *b, ex33 R)
{
    graph *g = &r->g;
    const ex c = frame_field(r, b, offsetof(body_frame, c)), s = frame_field(r, b, offsetof(body_frame, s));
    const ex cosine = ex_cross2(g, R.m[0][0], c, R.m[1][0], s);
    const ex sine = hmli_graph_add(g, hmli_graph_mul(g, R.m[1][0], c), hmli_graph_mul(g, R.m[0][0], s));
    return (ex33){{{cosine, ex_neg(sine), EX_ZERO}, {sine, cosine, EX_ZERO}, {EX_ZERO, EX_ZERO, EX_ONE}}};
}

/* of the quaternion that begins at entry k */
static ex33 turn_quaternion(region *r, const plan_body *b, int32_t k)
{
    graph *g = &r->g;
    const ex w = position(r, b, k);
    const ex3 v = ex3_of(position(r, b, k + 1), position(r, b, k + 2), position(r, b, k + 3));
    const ex square = hmli_graph_add(g, hmli_graph_mul(g, w, w), ex3_dot(g, v, v));
    const ex scale = hmli_graph_div(g, hmli_graph_number(g, 2), square);
    const ex3 a = ex3_scale(g, scale, v), wa = ex3_scale(g, w, a);
    const ex xx = hmli_graph_mul(g, a.x, v.x), yy = hmli_graph_mul(g, a.y, v.y), zz = hmli_graph_mul(g, a.z, v.z);
    const ex xy = hmli_graph_mul(g, a.x, v.y), xz = hmli_graph_mul(g, a.x, v.z), yz = hmli_graph_mul(g, a.y, v.z);
    const ex dx = ex_sub(g, EX_ONE, hmli_graph_add(g, yy, zz)), dy = ex_sub(g, EX_ONE, hmli_graph_add(g, xx, zz));
    const ex dz = ex_sub(g, EX_ONE, hmli_graph_add(g, xx, yy));
    return (ex33){{{dx, ex_sub(g, xy, wa.z), hmli_graph_add(g, xz, wa.y)},
                   {hmli_graph_add(g, xy, wa.z), dy, ex_sub(g, yz, wa.x)},
                   {ex_sub(g, xz, wa.y), hmli_graph_add(g, yz, wa.x), dz}}};
}

static ex6 slide(int axis)
{
    return ex6_of(ex3_of(axis == 0 ? EX_ONE : EX_ZERO, axis == 1 ? EX_ONE : EX_ZERO, axis == 2 ? EX_ONE : EX_ZERO),
                  ex3_zero());
}

static ex6 turn(int axis) { return ex6_of(ex3_zero(), slide(axis).v); }

/* the motion of the joint after its placement, and where its columns slide and turn */
static void fill_motion(program *p, region *r, part *b, const plan_body *pb)
{
    graph *g = &r->g;
    const ex pitch = hmli_program_field(p, r, b->body, offsetof(plan_body, pitch));
    const int32_t last = b->nv - 1;
    switch (pb->type) {
    case HML_JOINT_HELICAL:
        b->pj.z = hmli_graph_mul(g, pitch, position(r, pb, 0));
        b->Rj = turn_z(r, pb, 0);
        b->S[0] = ex6_of(ex3_of(EX_ZERO, EX_ZERO, pitch), ex3_of(EX_ZERO, EX_ZERO, EX_ONE));
        return;
    case HML_JOINT_REVOLUTE:
        b->Rj = turn_more(r, b, turn_z(r, pb, 0));
        b->pj.z = frame_field(r, b, offsetof(body_frame, slide));
        b->S[0] = turn(2);
        return;
    case HML_JOINT_PRISMATIC:
    case HML_JOINT_CYLINDRICAL:
        b->pj.z = position(r, pb, 0);
        b->S[0] = slide(2);
        break;
    case HML_JOINT_SPHERICAL: b->Rj = turn_quaternion(r, pb, 0); break;
    case HML_JOINT_FREE: b->Rj = turn_quaternion(r, pb, 3); break;
    default: break;
    }
    if (pb->type == HML_JOINT_CYLINDRICAL || pb->type == HML_JOINT_PLANAR || pb->type == HML_JOINT_SCHOENFLIES) {
        b->Rj = turn_z(r, pb, last);
        b->S[last] = turn(2);
    }
    if (pb->type == HML_JOINT_SPHERICAL || pb->type == HML_JOINT_FREE) {
        for (int k = 0; k < 3; k++) b->S[b->nv - 3 + k] = turn(k);
    }
    if (pb->type == HML_JOINT_TRANSLATION2 || pb->type == HML_JOINT_PLANAR || pb->type == HML_JOINT_TRANSLATION3 ||
        pb->type == HML_JOINT_SCHOENFLIES || pb->type == HML_JOINT_FREE) {
        const int flat = pb->type == HML_JOINT_TRANSLATION2 || pb->type == HML_JOINT_PLANAR;
        b->pj = ex3_of(position(r, pb, 0), position(r, pb, 1), flat ? EX_ZERO : position(r, pb, 2));
        for (int k = 0; k < 3 - flat; k++) b->S[k] = slide(k);
    }
}

void hmli_joint_fill(program *p, region *r, part *b)
{
    const plan_body *pb = &plan_bodies(p->shape->plan)[b->body];
    ex I[10], position[3];
    for (int i = 0; i < 9; i++)
        b->Rc.m[i / 3][i % 3] = frame_field(r, b, offsetof(body_frame, R) + (size_t)i * sizeof(double));
    for (int k = 0; k < 10; k++) I[k] = frame_field(r, b, offsetof(body_frame, I) + (size_t)k * sizeof(double));
    for (int k = 0; k < 3; k++) position[k] = frame_field(r, b, offsetof(body_frame, p) + (size_t)k * sizeof(double));
    b->pc = ex3_of(position[0], position[1], position[2]);
    b->own = (ex_inertia){I[0], ex3_of(I[1], I[2], I[3]), (exs3){I[4], I[5], I[6], I[7], I[8], I[9]}};
    b->Rj = ex33_identity();
    b->pj = ex3_zero();
    fill_motion(p, r, b, pb);
}

/* ---- springs ---- */

static ex stiffness(program *p, region *r, const part *b, int32_t k)
{
    const plan_body *pb = &plan_bodies(p->shape->plan)[b->body];
    return hmli_program_coordinate(p, r, pb->v + k, offsetof(model_coordinate, stiffness));
}

static int commutes(const plan_body *b)
{
    return b->type != HML_JOINT_PLANAR && b->type != HML_JOINT_SCHOENFLIES && b->type != HML_JOINT_SPHERICAL &&
           b->type != HML_JOINT_FREE;
}

ex hmli_joint_spring(program *p, region *r, const part *b, int32_t k)
{
    const plan_body *pb = &plan_bodies(p->shape->plan)[b->body];
    const ex c = stiffness(p, r, b, k);
    if (c == EX_ZERO) return c;
    const ex length = commutes(pb) ? ex_sub(&r->g, position(r, pb, k), hmli_program_rest(p, r, b->body, k))
                                   : hmli_graph_input(&r->g, ARRAY_SPRING, pb->v + k);
    return hmli_graph_mul(&r->g, c, length);
}

ex hmli_joint_spring_rate(program *p, region *r, const part *b, int32_t k, int32_t j)
{
    const plan_body *pb = &plan_bodies(p->shape->plan)[b->body];
    const ex c = stiffness(p, r, b, k);
    if (c == EX_ZERO || (commutes(pb) && j != k)) return EX_ZERO;
    if (commutes(pb)) return c;
    return hmli_graph_mul(&r->g, c, hmli_graph_input(&r->g, ARRAY_SPRING_RATE + j, pb->v + k));
}
