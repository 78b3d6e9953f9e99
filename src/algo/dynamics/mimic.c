/* See mimic.h. */
#include "algo/dynamics/mimic.h"

#include <assert.h>
#include <string.h>

#include "algo/work.h"
#include "base/dense.h"
#include "base/layout.h"
#include "model/mimic.h"

/* what a workspace holds for models with followers; n: the tree's coordinates, r: the user's */
typedef struct mimic_scratch {
    double *q, *v, *a, *tau;  /* the tree's */
    double *factor;           /* n: G's entries */
    int32_t *user;            /* n: their columns */
    double *M, *dq, *dv;      /* n × n */
    double *Mr, *Dq, *Dv, *L; /* r × r */
    double *h, *x;            /* r */
} mimic_scratch;

static size_t lay_out(const hml_model *m, double *at, mimic_scratch *s)
{
    const size_t n = (size_t)m->tree_nv, r = (size_t)m->nv;
    layout_cursor c = layout_begin(at);
    s->q = layout_doubles(&c, (size_t)m->tree_nq);
    s->v = layout_doubles(&c, n);
    s->a = layout_doubles(&c, n);
    s->tau = layout_doubles(&c, n);
    s->factor = layout_doubles(&c, n);
    s->user = layout_array(&c, n, sizeof *s->user);
    s->M = layout_doubles(&c, n * n);
    s->dq = layout_doubles(&c, n * n);
    s->dv = layout_doubles(&c, n * n);
    s->Mr = layout_doubles(&c, r * r);
    s->Dq = layout_doubles(&c, r * r);
    s->Dv = layout_doubles(&c, r * r);
    s->L = layout_doubles(&c, r * r);
    s->h = layout_doubles(&c, r);
    s->x = layout_doubles(&c, r);
    return layout_count(&c);
}

size_t hmli_mimic_scratch_size(const hml_model *model)
{
    mimic_scratch s;
    return model->nfollowers ? lay_out(model, NULL, &s) : 0;
}

/* what tree_inverse computes beside τ; the paths are needed for M and ∂τ. KEEP: what others read in the scratch */
enum { TREE_MASS = 1, TREE_DERIVATIVES = 2, TREE_KEEP = 4, TREE_NO_TORQUE = 8 };

/* the tree's inverse dynamics at the user's state: τ in s->tau, and what is wanted beside it, or instead */
static void tree_inverse(const hml_work *work, const kernel_call *call, const mimic_scratch *s, int wanted)
{
    const hml_model *m = work->model;
    size_t n = (size_t)m->tree_nv;
    kernel_call tree;
    work_call(work, &tree);
    tree.q.data = s->q;
    tree.v.data = s->v;
    tree.a.data = s->a;
    tree.wrenches = call->wrenches;
    tree.gravity = call->gravity;
    tree.passive = call->passive;
    tree.coordinates = call->coordinates;
    tree.torque.data = s->tau;
    if (wanted & TREE_MASS) {
        tree.M.data = s->M;
        tree.M.ld = n;
        memset(s->M, 0, n * n * sizeof(double));
    }
    if (wanted & TREE_DERIVATIVES) {
        tree.dtau_dq.data = s->dq;
        tree.dtau_dv.data = s->dv;
        tree.dtau_dq.ld = tree.dtau_dv.ld = n;
        memset(s->dq, 0, n * n * sizeof(double));
        memset(s->dv, 0, n * n * sizeof(double));
    }
    if (wanted & (TREE_DERIVATIVES | TREE_KEEP)) {
        work->choice.fallback->pack_inverse_dynamics_derivatives(&tree);
        return;
    }
    if (!(wanted & TREE_NO_TORQUE)) work->choice.fallback->pack_inverse_dynamics(&tree);
    if (wanted & TREE_MASS) work->choice.fallback->pack_mass_matrix(&tree);
}

/* M of the user's coordinates, Gᵀ M G, in s->Mr: a row of the tree's M has entries along its path alone */
static void reduce_mass_matrix(const hml_work *work, const mimic_scratch *s)
{
    const hml_plan *plan = model_plan(work->model);
    const size_t r = (size_t)work->model->nv, n = (size_t)plan->nv;
    memset(s->Mr, 0, r * r * sizeof(double));
    for (size_t i = 0; i < n; i++) {
        const int32_t *path = column_path(&work->paths, (int32_t)i);
        const size_t at = (size_t)s->user[i];
        s->Mr[at * (r + 1)] += s->factor[i] * s->factor[i] * s->M[i * (n + 1)];
        for (int32_t d = 0; d < plan_columns(plan)[i].depth; d++) {
            const size_t j = (size_t)path[d], up = (size_t)s->user[j];
            const double part = s->factor[i] * s->factor[j] * s->M[i * n + j];
            s->Mr[at * r + up] += part, s->Mr[up * r + at] += part;
        }
    }
}

static mimic_scratch expand(const hml_work *work, const kernel_call *call)
{
    mimic_scratch s;
    const hml_model *m = work->model;
    assert(work->tree); /* every workspace of a model with followers has it */
    lay_out(m, work->tree, &s);
    model_mimic_map(m, s.user, s.factor);
    model_expand_q(m, call->q.data, s.q);
    if (call->v.data)
        model_expand_v(m, call->v.data, s.v);
    else
        memset(s.v, 0, (size_t)m->tree_nv * sizeof(double));
    return s;
}

/* M of the user's coordinates at s->q, factored in s->L; 1 if it is singular */
static int factor_mass_matrix(const hml_work *work, const kernel_call *call, const mimic_scratch *s, int *marks)
{
    const hml_model *m = work->model;
    size_t r = (size_t)m->nv;
    memset(s->a, 0, (size_t)m->tree_nv * sizeof(double));
    tree_inverse(work, call, s, TREE_MASS | TREE_KEEP);
    reduce_mass_matrix(work, s);
    memcpy(s->L, s->Mr, r * r * sizeof(double));
    return dense_factor(r, s->L, marks);
}

static void store(kernel_output out, const double *x, size_t rows, size_t columns)
{
    for (size_t r = 0; out.data && r < rows; r++) {
        memcpy(out.data + r * out.ld, x + r * columns, columns * sizeof *x);
    }
}

/* out = −M⁻¹ X, column by column */
static void solve_columns(const mimic_scratch *s, size_t r, const double *X, kernel_output out)
{
    for (size_t c = 0; out.data && c < r; c++) {
        for (size_t i = 0; i < r; i++) s->x[i] = -X[i * r + c];
        dense_solve(r, s->L, s->x);
        for (size_t i = 0; i < r; i++) out.data[i * out.ld + c] = s->x[i];
    }
}

unsigned hmli_mimic_linearize(const hml_work *work, const kernel_call *call)
{
    const hml_model *m = work->model;
    size_t r = (size_t)m->nv;
    mimic_scratch s = expand(work, call);
    if (factor_mass_matrix(work, call, &s, NULL)) return 1;
    model_reduce_force(m, s.tau, s.h);
    for (size_t i = 0; i < r; i++) s.x[i] = (call->tau.data ? call->tau.data[i] : 0) - s.h[i];
    dense_solve(r, s.L, s.x);
    store(call->acceleration, s.x, 1, r);
    model_expand_v(m, s.x, s.a);
    tree_inverse(work, call, &s, TREE_DERIVATIVES);
    model_reduce_matrix(m, s.user, s.factor, s.dq, (size_t)m->tree_nv, s.Dq);
    model_reduce_matrix(m, s.user, s.factor, s.dv, (size_t)m->tree_nv, s.Dv);
    solve_columns(&s, r, s.Dq, call->Dq);
    solve_columns(&s, r, s.Dv, call->Dv);
    for (size_t i = 0; i < r * r; i++) s.Mr[i] = i % (r + 1) == 0 ? -1 : 0;
    solve_columns(&s, r, s.Mr, call->Minv);
    return 0;
}

void hmli_mimic_singular(const hml_work *work, const kernel_call *call, int *marks)
{
    mimic_scratch s = expand(work, call);
    factor_mass_matrix(work, call, &s, marks);
}

static void set_acceleration(const hml_work *work, const kernel_call *call, const mimic_scratch *s)
{
    if (call->a.data)
        model_expand_v(work->model, call->a.data, s->a);
    else
        memset(s->a, 0, (size_t)work->model->tree_nv * sizeof(double));
}

/* τ and M of the tree to the user's */
static void reduce(const hml_work *work, const kernel_call *call, const mimic_scratch *s)
{
    const hml_model *m = work->model;
    const size_t r = (size_t)m->nv;
    if (call->torque.data) model_reduce_force(m, s->tau, s->h);
    store(call->torque, s->h, 1, r);
    if (call->M.data) reduce_mass_matrix(work, s);
    store(call->M, s->Mr, r, r);
}

unsigned hmli_mimic_inverse_dynamics(const hml_work *work, const kernel_call *call)
{
    const hml_model *m = work->model;
    size_t r = (size_t)m->nv, n = (size_t)m->tree_nv;
    mimic_scratch s = expand(work, call);
    set_acceleration(work, call, &s);
    tree_inverse(work, call, &s,
                 TREE_KEEP | (call->M.data ? TREE_MASS : 0) |
                     (call->dtau_dq.data || call->dtau_dv.data ? TREE_DERIVATIVES : 0));
    reduce(work, call, &s);
    if (call->dtau_dq.data) model_reduce_matrix(m, s.user, s.factor, s.dq, n, s.Dq);
    if (call->dtau_dv.data) model_reduce_matrix(m, s.user, s.factor, s.dv, n, s.Dv);
    store(call->dtau_dq, s.Dq, r, r);
    store(call->dtau_dv, s.Dv, r, r);
    return 0;
}

void hmli_mimic_torque_and_mass(const hml_work *work, const kernel_call *call)
{
    mimic_scratch s = expand(work, call);
    set_acceleration(work, call, &s);
    tree_inverse(work, call, &s, (call->M.data ? TREE_MASS : 0) | (call->torque.data ? 0 : TREE_NO_TORQUE));
    reduce(work, call, &s);
}
