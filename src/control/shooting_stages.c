/*
 * Steps of the explicit Munthe-Kaas schemes rk2 (midpoint) and rk4 (the classical four stages), free or under holds, and
 * their derivatives: x = (θ, ν) from (0, ν), q ⊕ θ,
 *
 *   κ_i = (S(θ_i)⁻¹ ν_i, a(q ⊕ θ_i, ν_i, τ)),   x_i = (0, ν) + h c_i κ_{i−1},   x⁺ = (0, ν) + h Σ b_i κ_i
 *
 * a is hml_forward_dynamics, under holds hml_constrained_forward_dynamics; λ is that of the first stage, the beginning of the
 * step. Tangents have the columns [z_q z_ν w]. A stage is linearized at all knots of a chunk together, in packs.
 */
#include <string.h>

#include "base/layout.h"
#include "control/shooting.h"
#include "group/joint_tangent.h"
#include "hamel/configuration.h"
#include "hamel/dynamics.h"

typedef struct stage_table {
    int count;
    double node[4], weight[4]; /* c, b */
} stage_table;

static const stage_table *table_of(hml_scheme scheme)
{
    static const stage_table midpoint = {2, {0, 0.5}, {0, 1}};
    static const stage_table classical = {4, {0, 0.5, 0.5, 1}, {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}};
    return scheme == HML_SCHEME_RK2 ? &midpoint : &classical;
}

size_t hmli_stages_lay_out(const backward_size *z, size_t nq, void *memory, shooting_stages *s)
{
    layout_cursor c = layout_begin(memory);
    const size_t d = sizeof(double), n = z->n, rows = n * z->ld;
    s->q = layout_take(&c, CHUNK * nq * d);
    s->theta = layout_take(&c, CHUNK * n * d);
    s->v = layout_take(&c, CHUNK * n * d);
    s->theta_rate = layout_take(&c, CHUNK * n * d);
    s->v_rate = layout_take(&c, CHUNK * n * d);
    s->theta_tangent = layout_take(&c, CHUNK * rows * d);
    s->v_tangent = layout_take(&c, CHUNK * rows * d);
    s->moved = layout_take(&c, rows * d);
    s->v_moved = layout_take(&c, rows * d);
    s->transposed = layout_take(&c, n * product_pad(n) * d);
    return c.used;
}

/* ---- states ---- */

/* x ← (0, ν) + f κ: where a stage of knot i of the chunk is, or the end */
static void advance(const hml_solver *s, const shooting_stages *t, size_t i, const double *v, double f)
{
    const size_t n = s->n;
    for (size_t e = i * n; e < (i + 1) * n; e++) {
        t->theta[e] = f * t->theta_rate[e];
        t->v[e] = v[e - i * n] + f * t->v_rate[e];
    }
}

/* θ̇ = S(θ)⁻¹ ν into rate */
static void angle_rate(const hml_solver *s, const double *theta, const double *v, double *rate)
{
    memcpy(rate, v, s->n * sizeof *rate);
    for (size_t j = 0; j < s->size.curved; j++) {
        const size_t m = s->curved[j].m, first = s->curved[j].first;
        double inverse[BLOCK_MOST] = {0};
        joint_jacobian_inverse(s->curved_types[j], theta + first, inverse);
        for (size_t r = 0; r < m; r++) {
            rate[first + r] = 0;
            for (size_t c = 0; c < m; c++) rate[first + r] += inverse[r * m + c] * v[first + c];
        }
    }
}

/* q⁺, ν⁺ of knot k from the sum of its stages, in the place i of the chunk */
static hml_status land(const hml_solver *s, const shooting_stages *t, size_t i, const shooting_motion *x, size_t k)
{
    memcpy(x->v_next + k * s->n, t->v + i * s->n, s->n * sizeof(double));
    return hml_configuration_integrate(s->model, x->q + k * s->nq, t->theta + i * s->n, x->q_next + k * s->nq);
}

hml_status hmli_stages_step(const hml_solver *s, shooting_worker *w, const shooting_motion *x, size_t k)
{
    const hml_phase *phase = &s->problem.phases[s->phase_of[k]];
    const stage_table *table = table_of(phase->scheme);
    const shooting_stages *t = &w->stages;
    const size_t n = s->n;
    const double *q = x->q + k * s->nq, *v = x->v + k * n, *tau = x->tau + k * n;
    double *sum = t->moved; /* 2n: room of the tangents */
    hml_status status = HML_OK;
    memset(t->theta_rate, 0, n * sizeof(double));
    memset(t->v_rate, 0, n * sizeof(double));
    memset(sum, 0, 2 * n * sizeof *sum);
    for (int i = 0; !status && i < table->count; i++) {
        advance(s, t, 0, v, phase->h * table->node[i]);
        status = hml_configuration_integrate(s->model, q, t->theta, t->q);
        angle_rate(s, t->theta, t->v, t->theta_rate);
        const hml_constrained_dynamics at =
            HML_STRUCT(hml_constrained_dynamics, .q = t->q, .v = t->v, .tau = tau, .acceleration = t->v_rate,
                       .lambda = i ? NULL : x->lambda + k * s->forces);
        if (!status && hmli_phase_forces(phase))
            status = hml_constrained_forward_dynamics(s->model, w->work, phase->holds, w->scratch, &at);
        else if (!status)
            status = hml_forward_dynamics(s->model, w->work, t->q, t->v, tau, NULL, t->v_rate);
        for (size_t e = 0; e < n; e++) {
            sum[e] += table->weight[i] * t->theta_rate[e];
            sum[n + e] += table->weight[i] * t->v_rate[e];
        }
    }
    if (status) return status;
    memcpy(t->theta_rate, sum, n * sizeof *sum);
    memcpy(t->v_rate, sum + n, n * sizeof *sum);
    advance(s, t, 0, v, phase->h);
    return land(s, t, 0, x, k);
}

/* ---- tangents ---- */

/* D_q, D_ν, D_τ and the acceleration of a stage at all knots of the chunk; of the first one the forces too */
static hml_status linearize(const hml_solver *s, shooting_worker *w, const shooting_motion *x, const shooting_chunk *c,
                            int stage)
{
    const hml_phase *phase = &s->problem.phases[c->phase];
    const shooting_stages *t = &w->stages;
    const size_t n = s->n, nq = s->nq;
    const hml_input q = {t->q, nq}, v = {t->v, n}, tau = {x->tau + c->first * n, n};
    const hml_output a = {t->v_rate, 0, n}, Dq = {w->Dq, 0, 0}, Dv = {w->Dv, 0, 0}, Dtau = {w->Dtau, 0, 0};
    if (!hmli_phase_forces(phase))
        return hml_linearize_batch(s->model, w->work, c->count,
                                   &HML_STRUCT(hml_linearization, .q = q, .v = v, .tau = tau, .acceleration = a,
                                               .Dq = Dq, .Dv = Dv, .Minv = Dtau),
                                   NULL);
    hml_constrained_states at = HML_STRUCT(hml_constrained_states, .q = q, .v = v, .tau = tau, .acceleration = a,
                                           .Dq = Dq, .Dv = Dv, .Dtau = Dtau);
    if (stage == 0) {
        at.lambda = (hml_output){x->lambda + c->first * s->forces, 0, s->forces};
        at.lambda_q.data = w->force_q, at.lambda_v.data = w->force_v, at.lambda_tau.data = w->force_tau;
    }
    return hml_constrained_linearize_batch(s->model, w->work, phase->holds, w->scratch, c->count, &at, NULL);
}

/* C += A B with A: n × n */
static void add_product(const hml_solver *s, const shooting_stages *t, const double *A, const double *B, double *C)
{
    const size_t n = s->n, lda = product_pad(n), ld = s->size.ld;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) t->transposed[j * lda + i] = A[i * n + j];
    s->size.products->add(&(product_call){n, 2 * n + s->m, n, t->transposed, lda, B, ld, C, ld, 1, 0});
}

/* rows of a curved joint of C ← X A, or += where `add` */
static void rows_of(const hml_solver *s, curved_joint c, const double *X, const double *A, int add, double *C)
{
    const size_t ld = s->size.ld;
    for (size_t i = 0; i < c.m; i++) {
        double *to = C + (c.first + i) * ld;
        if (!add) memset(to, 0, ld * sizeof *to);
        for (size_t e = 0; e < c.m; e++) {
            const double f = X[i * c.m + e], *from = A + (c.first + e) * ld;
            for (size_t k = 0; k < ld; k++) to[k] += f * from[k];
        }
    }
}

/* q ⊕ θ moved: E z_q + S dθ; angles: dθ, n × ld. With a gap, seen from the next knot across it: S⁻¹(gap) times that */
static void move(const hml_solver *s, const double *theta, const double *angles, const double *gap, double *moved)
{
    const size_t n = s->n, ld = s->size.ld;
    memcpy(moved, angles, n * ld * sizeof *moved);
    for (size_t i = 0; i < n; i++) moved[i * ld + i] += 1;
    for (size_t j = 0; j < s->size.curved; j++) {
        const curved_joint c = s->curved[j];
        double E[BLOCK_MOST] = {0}, S[BLOCK_MOST] = {0}, D[BLOCK_MOST] = {0}, X[BLOCK_MOST] = {0}, Y[BLOCK_MOST] = {0};
        joint_end_tangent(s->curved_types[j], theta + c.first, E, S);
        for (size_t i = 0; i < c.m * c.m; i++) D[i] = i % (c.m + 1) == 0;
        if (gap) joint_jacobian_inverse(s->curved_types[j], gap + c.first, D);
        for (size_t i = 0; i < c.m * c.m; i++) {
            X[i] = Y[i] = 0;
            for (size_t e = 0; e < c.m; e++) {
                X[i] += D[i / c.m * c.m + e] * E[e * c.m + i % c.m];
                Y[i] += D[i / c.m * c.m + e] * S[e * c.m + i % c.m];
            }
        }
        rows_of(s, c, Y, angles, 0, moved);
        for (size_t i = 0; i < c.m; i++)
            for (size_t e = 0; e < c.m; e++) moved[(c.first + i) * ld + c.first + e] += X[i * c.m + e];
    }
}

/* the tangent of κ of a stage: of θ̇ = S⁻¹ν in theta_tangent, of ν̇ = a in v_tangent; f: h c of the stage */
static void stage_tangent(const hml_solver *s, shooting_worker *w, size_t i, double f)
{
    const shooting_stages *t = &w->stages;
    const size_t n = s->n, ld = s->size.ld;
    const double *theta = t->theta + i * n, *v = t->v + i * n;
    double *angles = t->theta_tangent + i * n * ld, *rates = t->v_tangent + i * n * ld;
    for (size_t e = 0; e < n * ld; e++) angles[e] *= f, t->v_moved[e] = f * rates[e];
    for (size_t e = 0; e < n; e++) t->v_moved[e * ld + n + e] += 1;
    move(s, theta, angles, NULL, t->moved);
    memset(rates, 0, n * ld * sizeof *rates);
    add_product(s, t, w->Dq + i * n * n, t->moved, rates);
    add_product(s, t, w->Dv + i * n * n, t->v_moved, rates);
    hmli_shooting_add_inputs(s, w->Dtau + i * n * n, rates + 2 * n);
    memcpy(t->moved, angles, n * ld * sizeof *angles);
    memcpy(angles, t->v_moved, n * ld * sizeof *angles);
    for (size_t j = 0; j < s->size.curved; j++) {
        const curved_joint c = s->curved[j];
        double inverse[BLOCK_MOST] = {0}, T[BLOCK_MOST] = {0};
        joint_rate_tangent(s->curved_types[j], theta + c.first, v + c.first, inverse, T);
        rows_of(s, c, inverse, t->v_moved, 0, angles);
        rows_of(s, c, T, t->moved, 1, angles);
    }
}

/* the sums over the stages: of κ in the motion's v_next and the worker's a, of its tangents in F and D */
static void add_stage(const hml_solver *s, shooting_worker *w, const shooting_motion *x, size_t i, size_t k, double b)
{
    const shooting_stages *t = &w->stages;
    const size_t n = s->n, rows = n * s->size.ld;
    double *F = s->F + k * rows, *D = s->D + k * rows;
    for (size_t e = 0; e < n; e++) {
        w->a[i * n + e] += b * t->theta_rate[i * n + e];
        x->v_next[k * n + e] += b * t->v_rate[i * n + e];
    }
    for (size_t e = 0; e < rows; e++) {
        D[e] += b * t->theta_tangent[i * rows + e];
        F[e] += b * t->v_tangent[i * rows + e];
    }
}

static void begin(const hml_solver *s, shooting_worker *w, const shooting_motion *x, const shooting_chunk *c)
{
    const shooting_stages *t = &w->stages;
    const size_t n = s->n, rows = n * s->size.ld, d = sizeof(double);
    memset(t->theta_rate, 0, c->count * n * d);
    memset(t->v_rate, 0, c->count * n * d);
    memset(t->theta_tangent, 0, c->count * rows * d);
    memset(t->v_tangent, 0, c->count * rows * d);
    memset(w->a, 0, c->count * n * d);
    memset(x->v_next + c->first * n, 0, c->count * n * d);
    memset(s->F + c->first * rows, 0, c->count * rows * d);
    memset(s->D + c->first * rows, 0, c->count * rows * d);
}

hml_status hmli_stages_linearize(const hml_solver *s, shooting_worker *w, const shooting_motion *x,
                                 const shooting_chunk *c)
{
    const hml_phase *phase = &s->problem.phases[c->phase];
    const stage_table *table = table_of(phase->scheme);
    const shooting_stages *t = &w->stages;
    const size_t n = s->n, nq = s->nq, f = c->first;
    begin(s, w, x, c);
    for (int stage = 0; stage < table->count; stage++) {
        const double to = phase->h * table->node[stage];
        for (size_t i = 0; i < c->count; i++) {
            advance(s, t, i, x->v + (f + i) * n, to);
            const hml_status status =
                hml_configuration_integrate(s->model, x->q + (f + i) * nq, t->theta + i * n, t->q + i * nq);
            if (status) return status;
            angle_rate(s, t->theta + i * n, t->v + i * n, t->theta_rate + i * n);
        }
        const hml_status status = linearize(s, w, x, c, stage);
        if (status) return status;
        for (size_t i = 0; i < c->count; i++) {
            stage_tangent(s, w, i, to);
            add_stage(s, w, x, i, f + i, table->weight[stage]);
        }
    }
    hml_status status = HML_OK;
    for (size_t i = 0; !status && i < c->count; i++) {
        memcpy(t->theta_rate + i * n, w->a + i * n, n * sizeof(double));
        memcpy(t->v_rate + i * n, x->v_next + (f + i) * n, n * sizeof(double));
        advance(s, t, i, x->v + (f + i) * n, phase->h);
        status = land(s, t, i, x, f + i);
        if (hmli_phase_forces(phase)) hmli_shooting_force_inputs(s, w, i, hmli_phase_forces(phase));
    }
    return status;
}

void hmli_stages_finish(const hml_solver *s, shooting_worker *w, size_t k, size_t in_chunk, double h)
{
    const shooting_stages *t = &w->stages;
    const size_t n = s->n, ld = s->size.ld;
    double *F = s->F + k * n * ld, *D = s->D + k * n * ld;
    for (size_t e = 0; e < n * ld; e++) F[e] *= h, D[e] *= h;
    for (size_t e = 0; e < n; e++) F[e * ld + n + e] += 1;
    move(s, t->theta + in_chunk * n, D, s->gap + k * 2 * n, t->moved);
    memcpy(D, t->moved, n * ld * sizeof *D);
}
