/*
 * Frames over expressions. Everything about a frame is in its own axes: with (R, p) its pose in the frame of an ancestor,
 * a motion S of that ancestor moves it by (Rᵀ(S.v + S.w × p), Rᵀ S.w). The acceleration of a held frame has
 *
 *   ∂a/∂q_k = Ψ̈_k − V × Ψ̇_k + (g × S_k.w, 0)     ∂a/∂ν_k = Ψ̇_k + Ṡ_k − V × S_k
 *
 * with Ψ̇, Ψ̈ and Ṡ of column k (columns.c) as seen from the frame, and V its twist. The last term takes out gravity, which
 * accelerations in the recursion contain. A held point has three rows, the acceleration of the origin: a.v + ω × v.
 */
#include <stdlib.h>

#include "generate/moves.h"

/* a frame on its way to the world */
typedef struct journey {
    const part *at; /* NULL: in the world */
    ex33 R;
    ex3 p;
} journey;

static ex33 product(graph *g, const ex33 *A, const ex33 *B)
{
    ex33 C;
    for (int j = 0; j < 3; j++) {
        const ex3 column = ex33_turn(g, A, ex33_column(B, j));
        C.m[0][j] = column.x, C.m[1][j] = column.y, C.m[2][j] = column.z;
    }
    return C;
}

static void numbers(graph *g, const double R[9], const double p[3], ex33 *to_R, ex3 *to_p)
{
    for (int i = 0; i < 9; i++) to_R->m[i / 3][i % 3] = hmli_graph_number(g, R[i]);
    *to_p = ex3_of(hmli_graph_number(g, p[0]), hmli_graph_number(g, p[1]), hmli_graph_number(g, p[2]));
}

static void append(graph *g, const ex33 *R, ex3 p, journey *j)
{
    j->p = ex3_add(g, p, ex33_turn(g, R, j->p));
    j->R = product(g, R, &j->R);
}

/* where the frame is on its body: in the frame that frames.c chose for it */
static journey start(program *p, int32_t frame)
{
    region *r = &p->regions[0];
    graph *g = &r->g;
    const model_frame *f = &model_frames(p->shape->model)[frame];
    journey j = {NULL, ex33_identity(), ex3_zero()};
    numbers(g, f->R, f->p, &j.R, &j.p);
    if (f->body < 0) return j;
    const plan_body *b = &plan_bodies(p->shape->plan)[f->body];
    const body_frame *chosen = &r->frames[p->part_of[f->body] * GRAPH_LANES];
    ex33 R;
    ex3 shift;
    numbers(g, b->to_body, b->to_body + 9, &R, &shift);
    append(g, &R, shift, &j);
    const double c = chosen->turn_c, s = chosen->turn_s, turn[9] = {c, s, 0, -s, c, 0, 0, 0, 1}, none[3] = {0, 0, 0};
    const double back[3] = {0, 0, -chosen->shift}, straight[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    numbers(g, straight, back, &R, &shift);
    append(g, &R, shift, &j);
    numbers(g, turn, none, &R, &shift);
    append(g, &R, shift, &j);
    j.at = &r->parts[p->part_of[f->body]];
    return j;
}

/* from a part to its parent, or into the world */
static void go_up(region *r, journey *j)
{
    const part *b = j->at;
    append(&r->g, &b->Rj, b->pj, j);
    append(&r->g, &b->Rc, b->pc, j);
    j->at = b->parent >= 0 ? &r->parts[b->parent] : NULL;
}

/* a twist of the part where the frame is, as the frame sees it */
static ex6 seen(graph *g, const journey *j, ex6 twist) { return twist_step(g, &j->R, j->p, twist); }

static journey world_of(program *p, int32_t frame)
{
    journey j = start(p, frame);
    while (j.at) go_up(&p->regions[0], &j);
    return j;
}

static void store6(region *r, program_array array, int32_t row, int32_t column, ex6 x, int32_t rows)
{
    const ex all[6] = {x.v.x, x.v.y, x.v.z, x.w.x, x.w.y, x.w.z};
    for (int32_t k = 0; k < rows; k++) hmli_program_store(r, array, (row + k) * r->n + column, all[k]);
}

/* zeros in the columns that do not move the frame */
static void store_still(const program *p, region *r, program_array array, int32_t row, int32_t frame, int32_t rows)
{
    const int32_t body = model_frames(p->shape->model)[frame].body;
    for (int32_t c = 0; c < r->n; c++) {
        const int32_t carrier = plan_columns(p->shape->plan)[c].body;
        if (body >= carrier && body < plan_bodies(p->shape->plan)[carrier].end) continue;
        store6(r, array, row, c, ex6_zero(), rows);
    }
}

static void store_pose(region *r, int32_t index, const journey *j)
{
    const ex position[3] = {j->p.x, j->p.y, j->p.z};
    for (int i = 0; i < 9; i++) hmli_program_store(r, ARRAY_POSE, 12 * index + i, j->R.m[i / 3][i % 3]);
    for (int i = 0; i < 3; i++) hmli_program_store(r, ARRAY_POSE, 12 * index + 9 + i, position[i]);
}

static void store_jacobian(program *p, int32_t index)
{
    region *r = &p->regions[0];
    const int32_t frame = p->frames[index].frame;
    journey j = start(p, frame);
    for (; j.at; go_up(r, &j)) {
        const int32_t first = plan_bodies(p->shape->plan)[j.at->body].v;
        for (int32_t k = 0; k < j.at->nv; k++)
            store6(r, ARRAY_JACOBIAN, 6 * index, first + k, seen(&r->g, &j, j.at->S[k]), 6);
    }
    store_still(p, r, ARRAY_JACOBIAN, 6 * index, frame, 6);
    store_pose(r, index, &j);
}

void hmli_kinematics_frames(program *p)
{
    for (int32_t i = 0; i < p->nframes; i++) store_jacobian(p, i);
}

/* ---- holds ---- */

/* gravity in the axes of a frame */
static ex3 gravity_seen(program *p, const journey *world)
{
    graph *g = &p->regions[0].g;
    const double *x = p->shape->model->gravity;
    const ex3 down = ex3_of(hmli_graph_number(g, x[0]), hmli_graph_number(g, x[1]), hmli_graph_number(g, x[2]));
    return ex33_turn_back(g, &world->R, down);
}

void hmli_kinematics_rows(program *p)
{
    region *r = &p->regions[0];
    graph *g = &r->g;
    int32_t row = 0;
    for (int32_t i = 0; i < p->nframes; row += p->frames[i++].rows) {
        const journey world = world_of(p, p->frames[i].frame), j = start(p, p->frames[i].frame);
        ex6 a = ex6_zero(), v = ex6_zero();
        store_jacobian(p, i);
        if (j.at) a = seen(g, &j, j.at->a), v = seen(g, &j, j.at->v);
        if (j.at) a.v = ex3_add(g, a.v, gravity_seen(p, &world));
        if (p->frames[i].rows == 3) a.v = ex3_add(g, a.v, ex3_cross(g, v.w, v.v));
        const ex all[6] = {a.v.x, a.v.y, a.v.z, a.w.x, a.w.y, a.w.z};
        for (int32_t k = 0; k < p->frames[i].rows; k++) hmli_program_store(r, ARRAY_DRIFT, row + k, all[k]);
    }
}

void hmli_kinematics_push(program *p)
{
    region *r = &p->regions[0];
    graph *g = &r->g;
    int32_t row = 0;
    for (int32_t i = 0; i < p->nframes; row += p->frames[i++].rows) {
        const journey j = start(p, p->frames[i].frame);
        ex x[6] = {EX_ZERO, EX_ZERO, EX_ZERO, EX_ZERO, EX_ZERO, EX_ZERO};
        if (!j.at) continue;
        for (int32_t k = 0; k < p->frames[i].rows; k++) x[k] = hmli_graph_input(g, ARRAY_LAMBDA, row + k);
        const ex6 push = wrench_step(g, &j.R, j.p, ex6_of(ex3_of(x[0], x[1], x[2]), ex3_of(x[3], x[4], x[5])));
        part *b = &r->parts[j.at - r->parts];
        b->f = ex6_add(g, b->f, ex6_neg(push));
    }
}

/* the change of a hold's rows that comes with a change of its twist and of its acceleration */
static ex6 change(graph *g, ex6 V, ex6 twist, ex6 a, int32_t rows)
{
    if (rows == 3) a.v = ex3_add(g, a.v, ex3_add(g, ex3_cross(g, twist.w, V.v), ex3_cross(g, V.w, twist.v)));
    return a;
}

static void store_derivatives(program *p, int32_t index, int32_t row)
{
    region *r = &p->regions[0];
    graph *g = &r->g;
    const int32_t frame = p->frames[index].frame, rows = p->frames[index].rows;
    const journey world = world_of(p, frame);
    journey j = start(p, frame);
    const ex3 gravity = gravity_seen(p, &world);
    const ex6 V = j.at ? seen(g, &j, j.at->v) : ex6_zero();
    for (; j.at; go_up(r, &j)) {
        const int32_t first = plan_bodies(p->shape->plan)[j.at->body].v;
        for (int32_t k = 0; k < j.at->nv; k++) {
            const ex6 S = seen(g, &j, j.at->S[k]), Pd = seen(g, &j, j.at->Pd[k]);
            ex6 q = ex6_add(g, seen(g, &j, j.at->Pdd[k]), ex6_neg(ex6_cross(g, V, Pd)));
            const ex6 v = ex6_add(g, seen(g, &j, j.at->PS[k]), ex6_neg(ex6_cross(g, V, S)));
            q.v = ex3_add(g, q.v, ex3_cross(g, gravity, S.w));
            store6(r, ARRAY_CQ, row, first + k, change(g, V, Pd, q, rows), rows);
            store6(r, ARRAY_CV, row, first + k, change(g, V, S, v, rows), rows);
        }
    }
    store_still(p, r, ARRAY_CQ, row, frame, rows);
    store_still(p, r, ARRAY_CV, row, frame, rows);
}

void hmli_kinematics_derivatives(program *p)
{
    int32_t row = 0;
    for (int32_t i = 0; i < p->nframes; row += p->frames[i++].rows) store_derivatives(p, i, row);
}
