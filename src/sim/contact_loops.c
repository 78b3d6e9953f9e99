/*
 * Loops of the model in a step of contact. They are there whatever touches, so they are eliminated before the contacts
 * are: with M = LᵀL the velocity y = L u moves only across the columns of G_l = L⁻ᵀJ_lᵀ, rows of contacts lose their
 * parts along them, and the solver does not know that there are loops.
 *
 *   J_l(q_M) ½(u + u⁺) = 0
 *
 * The mean velocity is the one that moves the robot in the step, and impulses that act against it do no work:
 * ½(u + u⁺)ᵀJ_lᵀP = 0. With J_l u⁺ = 0 a loop that turns with ω would lose (hω)² of its energy in every step. What of u
 * is not along the loop, mostly rounding and the way that it has turned, comes back with the other sign and would do so
 * for ever; so it comes back a little smaller.
 *
 * Positions drift by errors of third order in a step. The displacement after the step takes a part of them out.
 */
#include <math.h>
#include <string.h>

#include "group/arrays.h"
#include "hamel/reference/textbook.h"
#include "sim/constraint_loop.h"
#include "sim/contact.h"

static const double returned = 0.95; /* of J_l u */

int32_t hmli_contact_count_loops(const hml_model *model, unsigned options, int32_t *rows)
{
    const int32_t count = options & HML_CONTACT_OPEN_LOOPS ? 0 : hml_model_nloops(model);
    *rows = 0;
    for (int32_t i = 0; i < count; i++) {
        hml_loop loop;
        if (hml_model_loop(model, i, &loop) == HML_OK) *rows += hmli_loop_kind_rows(loop.kind);
    }
    return count;
}

void hmli_contact_read_loops(hml_contact *c)
{
    for (int32_t i = 0; i < c->nloops; i++) hml_model_loop(c->model, i, &c->loops[i]);
}

/* what the loops are open by */
static hml_status find_errors(hml_contact *c)
{
    int32_t row = 0;
    for (int32_t i = 0; i < c->nloops; i++) {
        loop_motion m;
        TRY(hmli_loop_motion(c->model, &c->loops[i], c->q, NULL, NULL, NULL, &m));
        hmli_loop_error(&c->loops[i], &m, c->loop_error + row);
        row += hmli_loop_kind_rows(c->loops[i].kind);
    }
    return HML_OK;
}

hml_status hmli_contact_factor_loops(hml_contact *c)
{
    const double tolerance = 1e-10; /* as in hml_constraints */
    const size_t m = (size_t)c->loop_rows;
    if (!m) return HML_OK;
    const hml_constraints set = {.struct_size = sizeof set, .loops = c->loops, .loop_count = c->nloops};
    constraint_system s = {.model = c->model, .set = &set, .n = c->n, .m = m, .J = c->loop_J, .block = c->block};
    TRY(hmli_loop_evaluate(&s, c->q, NULL, 0, 0));
    TRY(find_errors(c));
    memcpy(c->loop_rank.columns, c->loop_J, m * c->n * sizeof(double));
    for (size_t i = 0; i < m; i++)
        hml_factor_solve(c->model->nv, c->parents, c->L, HML_DIAGONAL_STORED, 1, c->loop_rank.columns + i * c->n);
    hmli_rank_factor(&c->loop_rank, tolerance);
    return HML_OK;
}

void hmli_contact_drop_loops(const hml_contact *c, double *x)
{
    memcpy(c->way, x, c->n * sizeof *x);
    hmli_rank_project(&c->loop_rank, c->way);
    for (size_t k = 0; k < c->n; k++) x[k] -= c->way[k];
}

void hmli_contact_keep_loops(hml_contact *c, const double *v, double *u)
{
    double *y = c->way;
    if (!c->loop_rows) return;
    for (size_t k = 0; k < c->n; k++) y[k] = u[k] + returned * v[k];
    hml_factor_multiply(c->model->nv, c->parents, c->L, HML_DIAGONAL_STORED, 0, y);
    hmli_rank_project(&c->loop_rank, y);
    hml_factor_solve(c->model->nv, c->parents, c->L, HML_DIAGONAL_STORED, 0, y);
    for (size_t k = 0; k < c->n; k++) u[k] -= y[k];
}

/* as much of x as turns no joint by more than most_turn */
static double allowed(const hml_contact *c, double most_turn, const double *x)
{
    const double turn = hmli_contact_turn_of(c->model, x, 1);
    return turn > most_turn ? most_turn / turn : 1;
}

int hmli_contact_close_loops(hml_contact *c, double part)
{
    double *x = c->way, *P = c->loop_impulse, most = 0;
    for (int32_t i = 0; i < c->loop_rows; i++) {
        P[i] = -part * c->correction * c->loop_error[i];
        most = fmax(most, fabs(P[i]));
    }
    if (!(most > 0)) return 0;
    hmli_rank_solve_gram(&c->loop_rank, P, P);
    memset(x, 0, c->n * sizeof *x);
    for (size_t i = 0; i < (size_t)c->loop_rows; i++)
        for (size_t k = 0; k < c->n; k++) x[k] += P[i] * c->loop_J[i * c->n + k];
    for (int transposed = 1; transposed >= 0; transposed--)
        hml_factor_solve(c->model->nv, c->parents, c->L, HML_DIAGONAL_STORED, transposed, x);
    const double share = allowed(c, 0.05 * part, x);
    for (size_t k = 0; k < c->n; k++) c->x[k] += share * x[k];
    return 1;
}
