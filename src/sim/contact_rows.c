/*
 * Rows of a step: contacts, joint limits, joint friction; their Jacobian and Delassus matrix K = J M⁻¹ Jᵀ.
 *
 * All columns come at once, right-trivialized in the world: along d at the point p a column [v; ω] moves with
 * d·v + (p × d)·ω.
 */
#include <math.h>
#include <string.h>

#include "algo/kinematics/motion_series.h"
#include "group/arrays.h"
#include "hamel/reference/textbook.h"
#include "model/mimic.h"
#include "sim/contact.h"

hml_status hmli_contact_pose(hml_contact *c, hml_work *work)
{
    const hml_model *model = c->model;
    const kernel_choice *choice = &work->choice;
    jacobian_call call = {.plan = model_plan(model), .scratch = work->scratch, .count = 1, .q = {c->q, 0}};
    TRY(hmli_work_check_state(model, c->q, NULL, NULL, NULL));
    if (model->nfollowers) {
        model_expand_q(model, c->q, work->tree);
        call.q.data = work->tree;
    }
    call.H.data = c->H;
    call.J.data = c->columns;
    call.J.ld = (size_t)model->tree_nv;
    if (choice->single->single_jacobians)
        choice->single->single_jacobians(&call);
    else
        choice->fallback->pack_jacobians(&call);
    return HML_OK;
}

touch *hmli_contact_find(const hml_contact *c, const touch *t)
{
    for (int32_t i = 0; i < c->last.count; i++) {
        touch *old = &c->last.items[i];
        if (old->shape == t->shape && old->other == t->other && old->feature == t->feature) return old;
    }
    return NULL;
}

static void recall(const hml_contact *c, touch *t)
{
    const touch *old = hmli_contact_find(c, t);
    memset(t->impulse, 0, sizeof t->impulse);
    if (old) memcpy(t->impulse, old->impulse, sizeof t->impulse);
}

static void add_row(hml_contact *c, contact_row row, double P)
{
    c->P[c->nrows] = P;
    c->rows[c->nrows++] = row;
}

void hmli_contact_list_rows(hml_contact *c, double h)
{
    c->nrows = 0;
    for (int32_t i = 0; i < c->now.count; i++) {
        touch *t = &c->now.items[i];
        contact_row normal = {.kind = ROW_CONTACT, .index = i, .gap = t->gap};
        contact_row tangent = {.kind = ROW_TANGENT, .index = i};
        recall(c, t);
        add_row(c, normal, t->impulse[0]);
        add_row(c, tangent, t->impulse[1]);
        add_row(c, tangent, t->impulse[2]);
    }
    for (int32_t i = 0; i < c->nlimits; i++) {
        const joint_limit *l = &c->limits[i];
        double above = c->q[l->q] - l->lower, below = l->upper - c->q[l->q];
        if (above > 0 && below > 0) continue;
        int lower = above <= below;
        contact_row row = {.kind = ROW_LIMIT, .index = i, .sign = lower ? 1 : -1, .gap = lower ? above : below};
        add_row(c, row, c->limit_impulse[i]);
    }
    for (int32_t i = 0; c->joint_friction && i < c->model->nv; i++) {
        contact_row row = {.kind = ROW_FRICTION, .index = i, .bound = h * c->joint_friction[i]};
        if (row.bound > 0) add_row(c, row, c->friction_impulse[i]);
    }
}

/* adds sign · d·(velocity of the body's point) to three rows, d: normal and tangents */
static void add_point(hml_contact *c, int32_t body, const touch *t, double sign, double *rows)
{
    const model_body *b = model_bodies(c->model);
    const vec3 d[3] = {t->normal, t->t1, t->t2};
    const size_t n = c->n;
    for (; body >= 0; body = b[body].parent) {
        for (int32_t k = b[body].v; k < b[body].v + b[body].nv; k++) {
            twist S = matrix_column(c->columns, c->model->tree_nv, k);
            vec3 u = vec3_add(S.v, vec3_cross(S.w, t->point));
            double *to = rows + c->user[k], part = sign * c->factor[k];
            for (size_t i = 0; i < 3; i++) to[i * n] += part * vec3_dot(d[i], u);
        }
    }
}

static void fill_contact(hml_contact *c, const touch *t, double *rows)
{
    const int32_t bodies[2] = {t->body, t->other_body};
    for (int i = 0; i < 2; i++) {
        if (bodies[i] < 0) continue;
        add_point(c, bodies[i], t, i ? -1 : 1, rows);
    }
}

/* x ← L⁻ᵀ x for `rows` of them, n apart, which live on one branch: the rest of them stays zero */
static void solve_branch(const hml_contact *c, int32_t end, int rows, double *x)
{
    const size_t n = c->n;
    for (int r = 0; end < 0 && r < rows; r++)
        hml_factor_solve(c->model->nv, c->parents, c->L, HML_DIAGONAL_STORED, 1, x + (size_t)r * n);
    for (int32_t i = end; i >= 0; i = c->parents[i]) {
        const double *row = c->L + (size_t)i * n, inverse = 1 / row[i];
        double own[3];
        for (int r = 0; r < rows; r++) own[r] = x[(size_t)r * n + (size_t)i] *= inverse;
        for (int32_t j = c->parents[i]; j >= 0; j = c->parents[j])
            for (int r = 0; r < rows; r++) x[(size_t)r * n + (size_t)j] -= row[j] * own[r];
    }
}

/*
 * A little compliance on K's diagonal: 1e-14 of what a row can be moved by, of a contact at least what the whole robot
 * can be. A point on the axis of the only hinge cannot be moved, and its entries of K are rounding; divisions by them
 * would make numbers of any size. For all others this is far below the solver's tolerance.
 */
static void soften(hml_contact *c)
{
    const double part = 1e-14;
    const size_t r = (size_t)c->nrows;
    for (size_t i = 0; i < r; i++) {
        double scale = c->K[i * r + i];
        if (c->rows[i].kind == ROW_TANGENT) continue;
        if (contact_is_joint(&c->rows[i])) {
            c->K[i * r + i] += scale > 0 ? part * scale : 1; /* zero: loops hold the joint */
            continue;
        }
        for (size_t k = 1; k < 3; k++) scale = fmax(scale, c->K[(i + k) * r + i + k]);
        scale = fmax(scale, c->mobility);
        for (size_t k = 0; k < 3; k++) c->K[(i + k) * r + i + k] += part * scale;
    }
}

/*
 * Rows that loops bind: G and J = LᵀG lose what loops do not let happen, so that neither what a row pushes nor the
 * velocity that it sees is across a loop. Where nothing is left of a row, nothing that it pushes can move. It stays as a
 * row of zeros: w = 0 whatever its impulse, and the impulse is zero.
 */
static void bind_rows(hml_contact *c, size_t first, size_t count)
{
    const double rounding = 1e-20; /* of squares */
    for (size_t i = first; c->loop_rows && i < first + count; i++) {
        double *G = c->G + i * c->n, *J = c->J + i * c->n;
        const double before = contact_dot(c->n, G, G);
        hmli_contact_drop_loops(c, G);
        if (!(contact_dot(c->n, G, G) > rounding * before)) memset(G, 0, c->n * sizeof *G);
        memcpy(J, G, c->n * sizeof *J);
        hml_factor_multiply(c->model->nv, c->parents, c->L, HML_DIAGONAL_STORED, 1, J);
    }
}

/* where both rows may differ from zero; ends: their row_end */
static size_t shared(const hml_contact *c, int32_t a, int32_t b)
{
    return a < 0 || b < 0 ? c->n : (size_t)c->common[(size_t)a * c->n + (size_t)b];
}

void hmli_contact_fill_rows(hml_contact *c)
{
    const size_t n = c->n, r = (size_t)c->nrows;
    memset(c->J, 0, r * n * sizeof(double));
    for (size_t i = 0; i < r; i++) {
        const contact_row *row = &c->rows[i];
        if (row->kind == ROW_CONTACT) fill_contact(c, &c->now.items[row->index], c->J + i * n);
        if (row->kind == ROW_LIMIT) c->J[i * n + (size_t)c->limits[row->index].v] = row->sign;
        if (row->kind == ROW_FRICTION) c->J[i * n + (size_t)row->index] = 1;
    }
    memcpy(c->G, c->J, r * n * sizeof(double));
    int32_t *ends = c->active; /* free until the solver begins */
    for (size_t i = 0; i < r; i++) {
        double *Gi = c->G + i * n;
        ends[i] = hmli_contact_row_end(c, &c->rows[i]);
        c->lengths[i] = hmli_contact_row_length(c, ends[i]);
        const int own = c->rows[i].kind == ROW_CONTACT ? 3 : contact_is_joint(&c->rows[i]);
        if (own) {
            solve_branch(c, ends[i], own, Gi);
            bind_rows(c, i, (size_t)own);
        }
        for (size_t j = 0; j <= i; j++) {
            c->K[i * r + j] = c->K[j * r + i] = contact_dot(shared(c, ends[i], ends[j]), Gi, c->G + j * n);
        }
    }
    soften(c);
}

void hmli_contact_push(const hml_contact *c, const double *P, double *x)
{
    memset(x, 0, c->n * sizeof *x);
    for (int32_t i = 0; i < c->nrows; i++) {
        const double *G = c->G + (size_t)i * c->n;
        for (int32_t k = 0; k < c->lengths[i]; k++) x[k] += P[i] * G[k];
    }
    hml_factor_solve(c->model->nv, c->parents, c->L, HML_DIAGONAL_STORED, 0, x);
}
