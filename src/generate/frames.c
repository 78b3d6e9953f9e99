/*
 * Frames of bodies. What a program computes does not depend on which frame of a body it uses, as long as a revolute joint
 * turns about z: a frame may be turned about its own axis and slid along it. Where the placement of the next joint is a
 * dense rotation, its parent's frame is moved to the common normal of both axes (Denavit and Hartenberg): the placement is
 * then a turn and a shift along x, followed by a turn and a shift along z, and a vector is moved by 12 products instead
 * of 19. Angles of joints get a constant added. Exact but for rounding: nothing is snapped to a round angle.
 */
#include "generate/frames.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDING 0x1p-51 /* what is smaller is a zero that was rounded */

enum { DENSE = 5 };                /* entries of a rotation, neither 0 nor ±1, from which on it is worth the change */
static const double SLANTED = 0.1; /* sine of the angle of two axes from which on their common normal is well defined */

static body_frame *frame_of(const region *r, int32_t i, int32_t lane) { return &r->frames[i * GRAPH_LANES + lane]; }

static double rounded(double x)
{
    if (fabs(x) < ROUNDING) return 0;
    return fabs(fabs(x) - 1) < ROUNDING ? copysign(1, x) : x;
}

static int is_revolute(const program *p, const part *b)
{
    return plan_bodies(p->shape->plan)[b->body].type == HML_JOINT_REVOLUTE;
}

/* has the rotation many entries that cost a product? */
static int is_dense(const region *r, int32_t at)
{
    int count = 0;
    for (int i = 0; i < 9; i++) {
        int plain = 1;
        for (int32_t l = 0; l < r->g.lanes; l++) {
            const double x = fabs(frame_of(r, at, l)->R[i]);
            plain &= x == 0 || x == 1;
        }
        count += !plain;
    }
    return count >= DENSE;
}

/* turns back about z: the rows of a rotation, and a vector */
static void turn_back(double c, double s, double R[9], double p[3])
{
    for (int j = 0; j < 3; j++) {
        const double x = R[j], y = R[3 + j];
        R[j] = c * x + s * y;
        R[3 + j] = c * y - s * x;
    }
    const double x = p[0], y = p[1];
    p[0] = c * x + s * y;
    p[1] = c * y - s * x;
}

/* the direction of x that is normal to z and to the next axis; for parallel axes, towards the next one */
static void common_normal(const body_frame *child, double normal[2])
{
    const double *R = child->R, *p = child->p, slant = hypot(R[2], R[5]), away = hypot(p[0], p[1]);
    if (slant > ROUNDING) {
        normal[0] = -R[5] / slant;
        normal[1] = R[2] / slant;
    } else if (away > ROUNDING) {
        normal[0] = p[0] / away;
        normal[1] = p[1] / away;
    } else {
        normal[0] = 1;
        normal[1] = 0;
    }
    normal[0] = rounded(normal[0]);
    normal[1] = rounded(normal[1]);
}

/* how far the frames slide along their axes, the parent's and the joint's, to the feet of the common normal */
static int feet(const body_frame *child, double *shift, double *back)
{
    const double *R = child->R, *p = child->p, slant = hypot(R[2], R[5]);
    const double along = p[0] * R[2] + p[1] * R[5] + p[2] * R[8];
    *shift = *back = 0;
    if (slant <= ROUNDING) {
        *shift = p[2];
        return 1;
    }
    if (slant < SLANTED) return 0;
    *shift = (p[2] - along * R[8]) / (slant * slant);
    *back = *shift * R[8] - along;
    return 1;
}

/* the frame of a part's parent, from the placement of the part: all lanes turn the same way */
static void move_parent(region *r, int32_t i)
{
    double first[2] = {1, 0};
    for (int32_t l = 0; l < r->g.lanes; l++) {
        body_frame *child = frame_of(r, i, l), *parent = frame_of(r, r->parts[i].parent, l);
        double normal[2];
        common_normal(child, normal);
        if (l == 0) memcpy(first, normal, sizeof first);
        const double sign = first[0] * normal[0] + first[1] * normal[1] < 0 ? -1 : 1;
        parent->turn_c = sign * normal[0];
        parent->turn_s = sign * normal[1];
        child->slides = feet(child, &parent->shift, &child->back);
        child->leads = parent->moved = 1;
    }
}

/* R = Rz(α) Rx(β) Rz(γ): the last turn goes into the angle of the joint. 1: α is zero already */
static void split_turn(body_frame *f, int aligned)
{
    double normal[2] = {1, 0}, M[9], none[3] = {0, 0, 0};
    if (!aligned) common_normal(f, normal);
    memcpy(M, f->R, sizeof M);
    turn_back(normal[0], normal[1], M, none);
    const double length = hypot(M[5], M[8]), turn = hypot(M[0], M[1]);
    const double sine = rounded(-M[5] / length), cosine = rounded(M[8] / length);
    const double c = normal[0], s = normal[1];
    const double R[9] = {c, -s * cosine, s * sine, s, c * cosine, -c * sine, 0, sine, cosine};
    memcpy(f->R, R, sizeof R);
    f->c = M[0] / turn;
    f->s = -M[1] / turn;
}

/* mass, first moment and moments in the frame that is turned and slid along z */
static void move_inertia(body_frame *f)
{
    double *I = f->I, *h = I + 1, *J = I + 4; /* xx, xy, xz, yy, yz, zz */
    const double c = f->turn_c, s = f->turn_s, d = -f->shift, e = h[2] + 0.5 * I[0] * d;
    J[0] += 2 * e * d;
    J[3] += 2 * e * d;
    J[2] -= h[0] * d;
    J[4] -= h[1] * d;
    h[2] += I[0] * d;
    const double x = h[0], y = h[1], xx = J[0], xy = J[1], xz = J[2], yy = J[3], yz = J[4];
    h[0] = c * x + s * y;
    h[1] = c * y - s * x;
    J[0] = c * c * xx + 2 * c * s * xy + s * s * yy;
    J[1] = c * s * (yy - xx) + (c * c - s * s) * xy;
    J[3] = s * s * xx - 2 * c * s * xy + c * c * yy;
    J[2] = c * xz + s * yz;
    J[4] = c * yz - s * xz;
}

static void finish(const program *p, region *r, int32_t i)
{
    const part *b = &r->parts[i];
    const int dense = is_dense(r, i);
    for (int32_t l = 0; l < r->g.lanes; l++) {
        body_frame *f = frame_of(r, i, l);
        const body_frame *parent = b->parent >= 0 ? frame_of(r, b->parent, l)
                                   : r->limbs     ? frame_of(&p->regions[0], p->part_of[r->limbs->attach], 0)
                                                  : NULL;
        if (parent && parent->moved) {
            f->p[2] -= parent->shift;
            turn_back(parent->turn_c, parent->turn_s, f->R, f->p);
        }
        if (is_revolute(p, b) && (f->leads || dense)) split_turn(f, f->leads);
        if (f->slides) f->p[1] = f->p[2] = 0;
        f->slide = f->shift - f->back;
        const double c = f->c, s = f->s;
        f->c = rounded(c * f->turn_c - s * f->turn_s);
        f->s = rounded(s * f->turn_c + c * f->turn_s);
        if (f->moved) move_inertia(f);
    }
}

static void load(const program *p, region *r)
{
    for (int32_t i = 0; i < r->nparts; i++) {
        for (int32_t l = 0; l < r->g.lanes; l++) {
            const int32_t body =
                r->limbs ? r->limbs->first[l] + r->parts[i].body - r->limbs->first[0] : r->parts[i].body;
            const plan_body *b = &plan_bodies(p->shape->plan)[body];
            body_frame *f = frame_of(r, i, l);
            *f = (body_frame){.c = 1, .turn_c = 1};
            memcpy(f->R, &b->X, sizeof f->R);
            memcpy(f->p, (const char *)&b->X + sizeof f->R, sizeof f->p);
            memcpy(f->I, &b->I, sizeof f->I);
        }
    }
}

int hmli_frames_choose(program *p)
{
    for (int32_t k = 0; k < p->nregions; k++) {
        region *r = &p->regions[k];
        r->frames = calloc((size_t)r->nparts * GRAPH_LANES + 1, sizeof *r->frames);
        if (!r->frames) return 0;
        load(p, r);
        for (int32_t i = 0; i < r->nparts; i++) {
            const int32_t parent = r->parts[i].parent;
            if (parent < 0 || !is_revolute(p, &r->parts[i]) || !is_revolute(p, &r->parts[parent])) continue;
            if (!frame_of(r, parent, 0)->moved && is_dense(r, i)) move_parent(r, i);
        }
        for (int32_t i = r->nparts - 1; i >= 0; i--) finish(p, r, i);
    }
    return 1;
}
