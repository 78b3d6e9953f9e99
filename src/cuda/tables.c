/* Making the tables of a model: see call.h. */
#include "cuda/tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/tables_write.h"
#include "group/joint.h"

/* ---- bodies and columns ---- */

static double body_entry(const plan_body *b, int which)
{
    if (which < BODY_I) return b->X[which];
    if (which < BODY_PITCH) return b->I[which - BODY_I];
    return which == BODY_PITCH ? b->pitch : b->to_body[which - BODY_TO_BODY];
}

static int is_elastic(const hml_plan *plan, const plan_body *b)
{
    int elastic = 0;
    for (int32_t k = 0; k < b->nv; k++) elastic |= plan_coordinates(plan)[b->v + k].stiffness != 0;
    return elastic;
}

static void put_bodies(writer *w, const hml_plan *plan, const plan_tree *tree, cuda_tree *t)
{
    const plan_body *bodies = plan_bodies(plan) + tree->body_begin;
    t->body = w->ninteger;
    for (int which = 0; which < BODY_INTEGERS; which++) {
        for (int32_t i = 0; i < t->bodies; i++) {
            const plan_body *b = &bodies[i];
            const int32_t parent = b->parent < 0 ? -1 : b->parent - tree->body_begin;
            const int32_t row[BODY_INTEGERS] = {
                parent, b->type, b->q, b->v, b->nv, is_elastic(plan, b), b->end - tree->body_begin};
            put_integer(w, row[which]);
            t->elastic |= is_elastic(plan, b);
        }
    }
    t->body_numbers = w->nnumber;
    for (int which = 0; which < BODY_NUMBERS; which++) {
        for (int32_t i = 0; i < t->bodies; i++) put_number(w, body_entry(&bodies[i], which));
    }
}

/* the block of a column: where it begins, how many columns it has, and its number */
static int32_t find_block(const hml_plan *plan, const plan_tree *tree, int32_t c, int32_t *size, int32_t *number)
{
    int32_t begin = tree->begin + tree->base, end;
    for (*number = 0; (end = plan_block_end(plan, tree, begin)) <= c; begin = end) ++*number;
    *size = end - begin;
    return begin - tree->begin;
}

/* which columns of its block carry a column, of the first 32 */
static int32_t find_above(const hml_plan *plan, const plan_tree *tree, int32_t c, int32_t block)
{
    const plan_column *columns = plan_columns(plan);
    uint32_t set = 0;
    for (int32_t j = 0; j < 32 && tree->begin + block + j < columns[c].first; j++)
        set |= (uint32_t)(c < columns[tree->begin + block + j].subtree_end) << j;
    return (int32_t)set;
}

static void put_columns(writer *w, const hml_plan *plan, const plan_tree *tree, cuda_tree *t)
{
    const plan_column *columns = plan_columns(plan);
    t->column = w->ninteger;
    for (int which = 0; which < COLUMN_INTEGERS; which++) {
        for (int32_t c = tree->begin; c < tree->end; c++) {
            const plan_column *p = &columns[c];
            const int of_root = c < tree->begin + tree->base;
            int32_t size = 0, number = 0, block = of_root ? 0 : find_block(plan, tree, c, &size, &number);
            const plan_body *body = &plan_bodies(plan)[p->body];
            const int32_t parent = body->parent < 0 ? -1 : body->parent - tree->body_begin;
            const int32_t row[COLUMN_INTEGERS] = {p->body - tree->body_begin,
                                                  parent,
                                                  body->type,
                                                  p->first - tree->begin,
                                                  p->subtree_end - tree->begin,
                                                  block,
                                                  size,
                                                  number * ((plan->block + 3) / 4 * 4 + 12),
                                                  of_root ? 0 : find_above(plan, tree, c, block),
                                                  -1,
                                                  0,
                                                  0,
                                                  0,
                                                  0};
            if (number + 1 > t->blocks) t->blocks = number + 1;
            put_integer(w, row[which]);
            if (size > t->block) t->block = size;
        }
    }
    t->column_numbers = w->nnumber;
    for (int which = 0; which < COLUMN_NUMBERS; which++) {
        for (int32_t c = tree->begin; c < tree->end; c++) {
            const model_coordinate *p = &plan_coordinates(plan)[c];
            const double row[COLUMN_NUMBERS] = {p->armature, p->damping, p->stiffness};
            put_number(w, row[which]);
        }
    }
}

/* ---- chains ---- */

typedef struct chain {
    int32_t begin, end, attach;
    int32_t before, behind; /* chains on the way to the root; most chains on the way to a leaf */
} chain;

static int32_t parent_of(const hml_plan *plan, const plan_tree *tree, int32_t i)
{
    const int32_t parent = plan_bodies(plan)[tree->body_begin + i].parent;
    return parent < 0 ? -1 : parent - tree->body_begin;
}

static int32_t children_of(const hml_plan *plan, const plan_tree *tree, int32_t i)
{
    int32_t n = 0;
    for (int32_t k = i + 1; k < tree->body_end - tree->body_begin; k++) n += parent_of(plan, tree, k) == i;
    return n;
}

/* the chains of a tree, in the order of their first bodies; chain_of: of every body */
static int32_t find_chains(const hml_plan *plan, const plan_tree *tree, chain *chains, int32_t *chain_of)
{
    const int32_t bodies = tree->body_end - tree->body_begin;
    int32_t n = 0;
    for (int32_t i = 0; i < bodies; i++) {
        const int32_t parent = parent_of(plan, tree, i);
        if (parent < 0 || parent != i - 1 || children_of(plan, tree, parent) != 1) {
            chains[n].begin = i, chains[n].attach = parent;
            chains[n].before = parent < 0 ? 0 : chains[chain_of[parent]].before + 1;
            chains[n].behind = 0;
            n++;
        }
        chains[n - 1].end = i + 1;
        chain_of[i] = n - 1;
    }
    for (int32_t k = n - 1; k > 0; k--) { /* a chain comes after the one that carries it */
        chain *carrier = &chains[chain_of[chains[k].attach]];
        if (chains[k].behind + 1 > carrier->behind) carrier->behind = chains[k].behind + 1;
    }
    return n;
}

/* a list of chains by level: `levels` + 1 numbers, then the chains; with the heads that hang on each of them */
static int32_t put_levels(writer *w, const chain *chains, int32_t n, int out, int32_t *levels)
{
    const int32_t at = w->ninteger;
    int32_t count = 0;
    *levels = 0;
    for (int32_t k = 0; k < n; k++) {
        const int32_t level = out ? chains[k].before : chains[k].behind;
        if (level + 1 > *levels) *levels = level + 1;
    }
    for (int32_t l = 0; l <= *levels; l++) {
        put_integer(w, count);
        for (int32_t k = 0; k < n; k++) count += (out ? chains[k].before : chains[k].behind) == l;
    }
    for (int32_t l = 0; l < *levels; l++) {
        int32_t heads = 0; /* in the list of put_heads */
        for (int32_t k = 0; k < n; k++) {
            int32_t hang = 0;
            for (int32_t j = 0; j < n; j++) hang += chains[j].attach == chains[k].end - 1;
            if ((out ? chains[k].before : chains[k].behind) == l) {
                put_integer(w, chains[k].begin), put_integer(w, chains[k].end), put_integer(w, chains[k].attach);
                put_integer(w, heads), put_integer(w, heads + hang);
            }
            heads += hang;
        }
    }
    return at;
}

static int32_t put_heads(writer *w, const chain *chains, int32_t n)
{
    const int32_t at = w->ninteger;
    for (int32_t k = 0; k < n; k++) {
        for (int32_t j = 0; j < n; j++) {
            if (chains[j].attach == chains[k].end - 1) put_integer(w, chains[j].begin);
        }
    }
    return at;
}

/* what a lane does in a level of chains: call.h, SHARE_BITS; `heads` are those of the chain */
static int32_t lane_share(const writer *w, int32_t list, int32_t levels, int32_t l, int32_t number, int32_t width,
                          int32_t *heads)
{
    const int32_t *level = w->integers + list, n = level[l + 1] - level[l], lanes = width / n;
    const int32_t own = number / lanes, none = SHARE_NONE << 3 * SHARE_BITS;
    const int32_t *found = level + levels + 1 + CHAIN_SIZE * (level[l] + own);
    *heads = 0;
    if (own >= n) return none;
    *heads = found[CHAIN_HEADS] | found[CHAIN_HEADS_END] << 8;
    return found[CHAIN_BEGIN] | found[CHAIN_END] << SHARE_BITS | (found[CHAIN_ATTACH] + 1) << 2 * SHARE_BITS |
           number % lanes << 3 * SHARE_BITS | lanes << 4 * SHARE_BITS;
}

/* for models of which a lane has one body at most: the shares of all lanes, level by level */
static void put_shares(writer *w, cuda_tree *t, int32_t width)
{
    int32_t heads = 0;
    t->out_lanes = w->ninteger;
    for (int32_t i = 0; i < t->out_levels * width; i++)
        put_integer(w, w->integers ? lane_share(w, t->out, t->out_levels, i / width, i % width, width, &heads) : 0);
    t->back_lanes = w->ninteger;
    for (int32_t i = 0; i < t->back_levels * width; i++) {
        put_integer(w, w->integers ? lane_share(w, t->back, t->back_levels, i / width, i % width, width, &heads) : 0);
        put_integer(w, heads);
    }
}

/* ---- workspace ---- */

/* a tree's part of the workspace, behind `used` numbers; returns where it ends */
static int32_t lay_out(cuda_tree *t, int32_t width, int32_t used)
{
    cuda_layout *at = &t->at;
    const int64_t scratch = 4 * (int64_t)t->block * width;
    const int trips = (t->extended + width - 1) / width;
    const int32_t begin = used;
    at->sum_ld = t->bodies | 1;
    at->H = take(&used, 12 * (int64_t)t->bodies);
    at->v = take(&used, 8 * (int64_t)t->bodies);
    at->a = take(&used, 8 * (int64_t)t->bodies);
    at->sum = take(&used, 28 * (int64_t)at->sum_ld);
    if (trips == 1) {
        at->scratch = begin;
        if (used - begin < scratch) used = begin, take(&used, scratch);
    } else {
        at->scratch = take(&used, scratch);
    }
    at->S = take_rows(&used, t, 8);
    at->row = take_rows(&used, t, 12);
    at->N = take_rows(&used, t, t->block_ld);
    at->pivot_size = t->blocks * (t->block_ld + 12);
    at->pivot = take(&used, 2 * (int64_t)at->pivot_size);
    at->Z = take_rows(&used, t, 12);
    at->R = t->columns - t->base <= t->bodies ? at->H - 12 * t->base : take_rows(&used, t, 12);
    at->G = take(&used, t->base ? 8 * (int64_t)t->columns : 0);
    at->root = take(&used, 32);
    at->springs = take(&used, t->elastic ? 6 * (int64_t)t->columns : 0);
    return used;
}

/* ---- the whole ---- */

static hml_status put_tree(writer *w, const hml_plan *plan, const plan_tree *tree, cuda_tree *t)
{
    const model_coordinate *passive = plan_coordinates(plan) + tree->begin;
    memset(t, 0, sizeof *t);
    t->bodies = tree->body_end - tree->body_begin;
    t->body_begin = tree->body_begin;
    t->columns = tree->end - tree->begin;
    t->begin = tree->begin;
    t->base = tree->base;
    chain *chains = calloc((size_t)t->bodies, sizeof *chains);
    int32_t *chain_of = calloc((size_t)t->bodies, sizeof *chain_of);
    if (!chains || !chain_of) return free(chains), free(chain_of), HML_OUT_OF_MEMORY;
    put_bodies(w, plan, tree, t);
    put_columns(w, plan, tree, t);
    const int32_t n = find_chains(plan, tree, chains, chain_of);
    t->out = put_levels(w, chains, n, 1, &t->out_levels);
    t->back = put_levels(w, chains, n, 0, &t->back_levels);
    t->heads = put_heads(w, chains, n);
    t->out_first = n > 1 && chains[0].end == 1;
    free(chains), free(chain_of);
    t->k0 = t->base ? 3 : 0;
    for (int32_t k = 0; k < t->base; k++) {
        if (passive[k].armature != 0 || passive[k].damping != 0 || passive[k].stiffness != 0) t->k0 = 0;
    }
    t->extended = t->columns - t->k0;
    t->block_ld = (plan->block + 3) / 4 * 4;
    return HML_OK;
}

/* lanes of a state: no more than it has work for at once, but never less than a root's six columns */
static void choose_width(cuda_model *m)
{
    int32_t most = 8;
    for (int32_t i = 0; i < m->trees; i++) {
        const int32_t n = m->tree[i].extended > m->tree[i].bodies ? m->tree[i].extended : m->tree[i].bodies;
        if (n > most) most = n;
    }
    m->width = most <= 8 ? 8 : most <= 16 ? 16 : 32;
    m->one = m->trees == 1 && most <= m->width;
}

/*
 * Joints per limb of a free root that carries equal chains of revolute joints, in the order of their numbers; 0 if it is
 * anything else, or if kernel.cu has no kernel for so many.
 */
static int32_t find_limbs(const hml_plan *plan, const cuda_model *m)
{
    const cuda_tree *t = &m->tree[0];
    const plan_body *bodies = plan_bodies(plan) + t->body_begin;
    int32_t joints = 1;
    if (m->trees != 1 || m->nv != t->columns || t->base != 6 || t->k0 != 3 || bodies[0].q || bodies[0].v) return 0;
    while (1 + joints < t->bodies && bodies[1 + joints].parent == t->body_begin + joints) joints++;
    if (joints < 2 || joints > LIMB_MOST || (t->bodies - 1) % joints) return 0;
    for (int32_t i = 1; i < t->bodies; i++) {
        const int32_t parent = t->body_begin + ((i - 1) % joints ? i - 1 : 0);
        const plan_body *b = &bodies[i];
        if (b->type != HML_JOINT_REVOLUTE || b->parent != parent || b->q != 6 + i || b->v != 5 + i) return 0;
    }
    const int32_t limbs = (t->bodies - 1) / joints;
    return limbs == 4 || (limbs == 6 && joints == 3) ? joints : 0;
}

/* both arrays, or their sizes */
static hml_status write_all(const hml_model *model, writer *w, cuda_model *m)
{
    const hml_plan *plan = model_plan(model);
    m->nq = model->nq, m->nv = model->nv, m->bodies = model->nbodies;
    m->trees = 0;
    memcpy(m->gravity, model->gravity, sizeof m->gravity);
    for (int32_t k = 0; k < model->nv; k++) {
        const model_coordinate *c = &plan_coordinates(plan)[k];
        m->passive |= c->damping != 0 || c->stiffness != 0;
    }
    const plan_tree *first = NULL;
    for (int32_t i = 0; i < plan->ntrees; i++) {
        const plan_tree *tree = &plan_trees(plan)[i];
        if (tree->begin == tree->end) continue; /* fixed to the world */
        if (!first) first = tree;
        for (int32_t k = tree->body_begin; k < tree->body_end; k++) {
            const plan_body *b = &plan_bodies(plan)[k];
            m->stiff_groups |= is_elastic(plan, b) && !joint_commutes(b->type);
        }
        const hml_status status = put_tree(w, plan, tree, &m->tree[m->trees++]);
        if (status) return status;
    }
    m->rest = w->nnumber;
    for (int32_t k = 0; k < model->nq; k++) put_number(w, plan_rest(plan)[k]);
    hmli_cuda_put_frames(w, model, m);
    choose_width(m);
    if (m->one) put_shares(w, &m->tree[0], m->width);
    m->limb_joints = find_limbs(plan, m);
    if (m->limb_joints) {
        m->limbs = (m->tree[0].bodies - 1) / m->limb_joints;
        m->limb_width = m->limbs <= 4 ? 4 : 8;
        m->block_numbers = LIMB_TABLE * m->tree[0].bodies;
    }
    int32_t used = 0;
    m->q = take(&used, m->nq), m->v = take(&used, m->nv), m->b = take(&used, m->nv), m->x = take(&used, m->nv);
    m->state_numbers = used;
    for (int32_t i = 0; i < m->trees; i++) {
        const int32_t end = lay_out(&m->tree[i], m->width, used);
        if (end > m->state_numbers) m->state_numbers = end;
    }
    return first ? hmli_cuda_plan_trunk(w, plan, first, m, used) : HML_OK;
}

static hml_status refuse(hml_error *error, const char *sentence)
{
    if (error) {
        memset(error, 0, sizeof *error);
        error->status = HML_UNSUPPORTED;
        snprintf(error->message, sizeof error->message, "%s", sentence);
    }
    return HML_UNSUPPORTED;
}

hml_status hmli_cuda_tables_new(const hml_model *model, int type, cuda_tables *tables, hml_error *error)
{
    const hml_plan *plan = model_plan(model);
    int trees = 0;
    memset(tables, 0, sizeof *tables);
    for (int32_t i = 0; i < plan->ntrees; i++) trees += plan_trees(plan)[i].begin < plan_trees(plan)[i].end;
    if (model->nfollowers) return refuse(error, "joints that follow others are not supported on the GPU");
    if (trees > CUDA_TREES) return refuse(error, "more than 16 separate trees are not supported on the GPU");
    if (model->nv > 1024) return refuse(error, "more than 1024 degrees of freedom are not supported on the GPU");

    writer w = {NULL, NULL, type, 0, 0};
    hml_status status = write_all(model, &w, &tables->model);
    if (status) return status;
    tables->ninteger = (size_t)w.ninteger, tables->nnumber = (size_t)w.nnumber;
    tables->integers = malloc((tables->ninteger + 1) * sizeof(int32_t));
    tables->numbers = malloc((tables->nnumber + 1) * (size_t)type);
    if (!tables->integers || !tables->numbers) return hmli_cuda_tables_free(tables), HML_OUT_OF_MEMORY;
    w = (writer){tables->integers, tables->numbers, type, 0, 0};
    status = write_all(model, &w, &tables->model);
    tables->model.integers = tables->integers, tables->model.numbers = tables->numbers;
    if (status) hmli_cuda_tables_free(tables);
    return status;
}

void hmli_cuda_tables_free(cuda_tables *tables)
{
    free(tables->integers), free(tables->numbers);
    memset(tables, 0, sizeof *tables);
}
