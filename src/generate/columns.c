/*
 * The columns of M, ∂τ/∂q and ∂τ/∂ν over expressions (kernel/composite.h; Singh, Russo, Wensing). Column c of a joint
 * has four wrenches, which move from body to body towards the root:
 *
 *   F = I S     g = (2B)ᵀ S, a torque     U_q = 2B Ψ̇ + I Ψ̈ + S ×* f     U_ν = 2B S + I (Ψ̇ + Ṡ)
 *
 * In the frame of an ancestor with columns k, and for F and g also in that of its own body:
 *
 *   M_ck = S_k·F     ∂τ_c/∂q_k = g·Ψ̇_k + F·Ψ̈_k     ∂τ_c/∂ν_k = g·S_k + F·(Ψ̇ + Ṡ)_k     ∂τ_k/∂(q, ν)_c = S_k·U
 */
#include "generate/columns.h"

#include <stddef.h>

#include "generate/moves.h"

typedef struct moving {
    int32_t place; /* among the columns of the region */
    ex6 F, Uq, Uv;
    ex3 g;
} moving;

int32_t hmli_column_place(const program *p, const region *r, int32_t column)
{
    return r->limbs ? column - limb_column(p->shape, r->limbs, 0) : p->shape->place[column];
}

static int32_t first_place(const program *p, const region *r, const part *b)
{
    return hmli_column_place(p, r, plan_bodies(p->shape->plan)[b->body].v);
}

/* ---- the way to the world: parts of the region, then those of the trunk ---- */

/* a part of the trunk over the graph of limbs */
static part import_part(program *p, region *r, const part *from)
{
    part b = *from;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            b.Rc.m[i][j] = hmli_program_import(p, r, from->Rc.m[i][j]);
            b.Rj.m[i][j] = hmli_program_import(p, r, from->Rj.m[i][j]);
        }
    }
    b.pc = hmli_program_import3(p, r, from->pc);
    b.pj = hmli_program_import3(p, r, from->pj);
    for (int32_t k = 0; k < b.nv; k++) {
        b.S[k] = hmli_program_import6(p, r, from->S[k]);
        b.Pd[k] = hmli_program_import6(p, r, from->Pd[k]);
        b.Pdd[k] = hmli_program_import6(p, r, from->Pdd[k]);
        b.PS[k] = hmli_program_import6(p, r, from->PS[k]);
    }
    return b;
}

static int is_root_part(const part *b) { return b->parent < 0; }

/* the poses of roots are not needed: nothing moves further than into their frames */
static void import_path(program *p, region *r)
{
    r->npath_parts = 0;
    if (!r->limbs) return;
    for (int32_t i = p->part_of[r->limbs->attach]; i >= 0; i = p->regions[0].parts[i].parent) {
        part from = p->regions[0].parts[i];
        if (is_root_part(&from)) {
            from.Rc = from.Rj = ex33_identity();
            from.pc = from.pj = ex3_zero();
        }
        r->path[r->npath_parts++] = import_part(p, r, &from);
    }
}

/* the first column of a part of the path among the path's columns */
static int32_t path_place(const program *p, const region *r, const part *b)
{
    const int32_t place = p->shape->place[plan_bodies(p->shape->plan)[b->body].v];
    for (int32_t i = 0; i < r->npath; i++) {
        if (r->limbs->path[i] == place) return i;
    }
    return 0;
}

/* ---- M ---- */

static void store_mass(region *r, const part *above, int32_t row, int32_t first, ex6 F, int own)
{
    for (int32_t k = 0; k < above->nv; k++) {
        const ex m = ex6_dot(&r->g, above->S[k], F);
        if (own) {
            hmli_program_store(r, ARRAY_M, row * r->n + first + k, m);
            hmli_program_store(r, ARRAY_M, (first + k) * r->n + row, m);
        } else
            hmli_program_store(r, ARRAY_MP, row * r->npath + first + k, m);
    }
}

static void mass_of_column(program *p, region *r, const part *b, int32_t c)
{
    const int32_t row = first_place(p, r, b) + c;
    ex6 F = b->F[c];
    for (int32_t i = b->parent; i >= 0; b = &r->parts[i], i = b->parent) {
        F = part_up(&r->g, b, F);
        store_mass(r, &r->parts[i], row, first_place(p, r, &r->parts[i]), F, 1);
    }
    for (int32_t i = 0; i < r->npath_parts; b = &r->path[i++]) {
        F = part_up(&r->g, b, F);
        store_mass(r, &r->path[i], row, path_place(p, r, &r->path[i]), F, 0);
    }
}

/* columns of different branches do not touch each other: zeros in an array of own rows and columns */
static void store_zeros(const program *p, region *r, program_array array)
{
    const plan_body *b = plan_bodies(p->shape->plan);
    for (int32_t i = 0; i < r->nparts; i++) {
        for (int32_t j = 0; j < r->nparts; j++) {
            const int32_t bi = r->parts[i].body, bj = r->parts[j].body;
            if ((bi <= bj && bj < b[bi].end) || (bj <= bi && bi < b[bj].end)) continue;
            for (int32_t k = 0; k < r->parts[i].nv * r->parts[j].nv; k++) {
                const int32_t row = first_place(p, r, &r->parts[i]) + k / r->parts[j].nv;
                hmli_program_store(r, array, row * r->n + first_place(p, r, &r->parts[j]) + k % r->parts[j].nv,
                                   EX_ZERO);
            }
        }
    }
}

void hmli_columns_mass(program *p, region *r)
{
    graph *g = &r->g;
    import_path(p, r);
    for (int32_t i = 0; i < r->nparts; i++) {
        part *b = &r->parts[i];
        const int32_t tree_first = plan_bodies(p->shape->plan)[b->body].v, first = first_place(p, r, b);
        for (int32_t c = 0; c < b->nv; c++) {
            b->F[c] = ex_inertia_mul(g, b->sum, b->S[c]);
            for (int32_t k = 0; k < b->nv; k++) {
                ex m = k <= c ? ex6_dot(g, b->S[k], b->F[c]) : ex6_dot(g, b->S[c], ex_inertia_mul(g, b->sum, b->S[k]));
                if (k == c) m = hmli_graph_add(g, m, hmli_program_armature(p, r, tree_first + c));
                hmli_program_store(r, ARRAY_M, (first + c) * r->n + first + k, m);
            }
            mass_of_column(p, r, b, c);
        }
    }
    store_zeros(p, r, ARRAY_M);
}

/* ---- derivatives ---- */

void hmli_columns_motions(region *r)
{
    graph *g = &r->g;
    for (int32_t i = 0; i < r->nparts; i++) {
        part *b = &r->parts[i];
        for (int32_t k = 0; k < b->nv; k++) {
            b->Pd[k] = ex6_cross(g, b->vp, b->S[k]);
            b->Pdd[k] = ex6_add(g, ex6_cross(g, b->ap, b->S[k]), ex6_cross(g, b->vp, b->Pd[k]));
            b->PS[k] = ex6_add(g, b->Pd[k], ex6_cross(g, b->v, b->S[k]));
            if (!b->galilean) continue;
            b->Pd[k] = b->Pdd[k] = ex6_zero();
            if (k < 3) b->PS[k] = ex6_zero();
        }
    }
}

/* 2B m */
static ex6 twice_B(graph *g, const part *b, ex6 m)
{
    const ex3 force = ex3_scale(g, hmli_graph_number(g, -2), ex3_cross(g, b->n, m.w));
    return ex6_of(force, ex3_sub(g, exs3_mul(g, b->k, m.w), ex3_cross(g, b->t, m.w)));
}

static moving column_of(program *p, region *r, const part *b, int32_t c)
{
    graph *g = &r->g;
    const ex6 S = b->S[c];
    moving out;
    out.place = first_place(p, r, b) + c;
    out.F = b->F[c];
    out.g = ex3_add(g, ex3_scale(g, hmli_graph_number(g, 2), ex3_cross(g, b->n, S.v)),
                    ex3_add(g, exs3_mul(g, b->k, S.w), ex3_cross(g, b->t, S.w)));
    out.Uq = ex6_add(g, twice_B(g, b, b->Pd[c]), ex_inertia_mul(g, b->sum, b->Pdd[c]));
    out.Uq = ex6_add(g, out.Uq, ex6_cross_dual(g, S, b->f));
    out.Uv = ex6_add(g, twice_B(g, b, S), ex_inertia_mul(g, b->sum, b->PS[c]));
    return out;
}

/* −∂τ_c/∂(q, ν)_k */
static ex row_q(graph *g, const moving *c, const part *b, int32_t k)
{
    return ex_neg(hmli_graph_add(g, ex3_dot(g, c->g, b->Pd[k].w), ex6_dot(g, c->F, b->Pdd[k])));
}

static ex row_v(graph *g, const moving *c, const part *b, int32_t k)
{
    return ex_neg(hmli_graph_add(g, ex3_dot(g, c->g, b->S[k].w), ex6_dot(g, c->F, b->PS[k])));
}

/* in the frame of the part's own joint: damping and springs join in */
static void own_pairs(program *p, region *r, const part *b, const moving *c)
{
    graph *g = &r->g;
    const int32_t first = first_place(p, r, b), tree = plan_bodies(p->shape->plan)[b->body].v;
    for (int32_t k = 0; k < b->nv; k++) {
        const int32_t at = c->place * r->n + first + k, own = c->place - first;
        ex v = row_v(g, c, b, k);
        if (k == own) v = ex_sub(g, v, hmli_program_damping(p, r, tree + k));
        hmli_program_store(r, ARRAY_BQ, at, ex_sub(g, row_q(g, c, b, k), hmli_joint_spring_rate(p, r, b, own, k)));
        hmli_program_store(r, ARRAY_BV, at, v);
    }
}

/* in the frame of an ancestor whose columns begin at `first` */
static void pairs(region *r, const part *b, const moving *c, int32_t first, int own)
{
    graph *g = &r->g;
    const int32_t width = own ? r->n : r->npath;
    for (int32_t k = 0; k < b->nv; k++) {
        const int32_t row = c->place * width + first + k, column = (first + k) * r->n + c->place;
        hmli_program_store(r, own ? ARRAY_BQ : ARRAY_RQ, row, row_q(g, c, b, k));
        hmli_program_store(r, own ? ARRAY_BV : ARRAY_RV, row, row_v(g, c, b, k));
        hmli_program_store(r, own ? ARRAY_BQ : ARRAY_UQ, column, ex_neg(ex6_dot(g, b->S[k], c->Uq)));
        hmli_program_store(r, own ? ARRAY_BV : ARRAY_UV, column, ex_neg(ex6_dot(g, b->S[k], c->Uv)));
    }
}

static void move_column(graph *g, const part *b, moving *c)
{
    c->F = part_up(g, b, c->F);
    c->g = part_turn_up(g, b, c->g);
    c->Uq = part_up(g, b, c->Uq);
    c->Uv = part_up(g, b, c->Uv);
}

void hmli_columns_derivatives(program *p, region *r)
{
    import_path(p, r);
    for (int32_t j = 0; j < r->nparts; j++) {
        for (int32_t k = 0; k < r->parts[j].nv; k++) {
            const part *b = &r->parts[j];
            moving c = column_of(p, r, b, k);
            own_pairs(p, r, b, &c);
            for (int32_t i = b->parent; i >= 0; b = &r->parts[i], i = b->parent) {
                move_column(&r->g, b, &c);
                pairs(r, &r->parts[i], &c, first_place(p, r, &r->parts[i]), 1);
            }
            for (int32_t i = 0; i < r->npath_parts; b = &r->path[i++]) {
                move_column(&r->g, b, &c);
                pairs(r, &r->path[i], &c, path_place(p, r, &r->path[i]), 0);
            }
        }
    }
    store_zeros(p, r, ARRAY_BQ);
    store_zeros(p, r, ARRAY_BV);
}
