/* Batches in single precision against those in double, at the same rounded states. */
#include "agree.h"

enum { RESULTS = 13 };

enum { LA, LDQ, LDV, LMINV, A, TAU, M, MINV, TQ, TV, POSES, POSES_TOO, COLUMNS };

/* what is computed: its kind, the rows and columns of a state, and what its entries are measured against */
typedef struct result {
    const char *name;
    kind kind;
    size_t rows, columns;
    weight row, column;
    float *narrow;
    double *wide;
} result;

typedef struct rounded {
    float *q, *v, *tau, *a, *w;
    double *Q, *V, *T, *ACC, *W;
} rounded;

static void round_states(subject *x, const double *from, size_t n, float **narrow, double **wide)
{
    *narrow = from ? room_bytes(x->g, n * sizeof **narrow, sizeof(double)) : NULL;
    *wide = from ? room(x->g, n) : NULL;
    for (size_t i = 0; from && i < n; i++) (*narrow)[i] = (float)from[i], (*wide)[i] = (double)(*narrow)[i];
}

static rounded states_of(subject *x)
{
    const size_t n = (size_t)x->nstates, nv = (size_t)x->nv;
    rounded r;
    round_states(x, x->q, n * (size_t)x->nq, &r.q, &r.Q);
    round_states(x, x->v, n * nv, &r.v, &r.V);
    round_states(x, x->tau, n * nv, &r.tau, &r.T);
    round_states(x, x->a, n * nv, &r.a, &r.ACC);
    round_states(x, x->wrenches, n * 6 * (size_t)x->nb, &r.w, &r.W);
    return r;
}

static void open_results(subject *x, result out[RESULTS])
{
    const size_t nv = (size_t)x->nv, poses = 16 * (size_t)x->nb;
    const result all[RESULTS] = {
        [LA] = {"linearize, acceleration", KIND_single_solved, nv, 1, UP, PLAIN, NULL, NULL},
        [LDQ] = {"linearize, D_q", KIND_single_solved, nv, nv, UP, DOWN, NULL, NULL},
        [LDV] = {"linearize, D_v", KIND_single_solved, nv, nv, UP, DOWN, NULL, NULL},
        [LMINV] = {"linearize, inverse mass", KIND_single_solved, nv, nv, UP, UP, NULL, NULL},
        [A] = {"acceleration", KIND_single_solved, nv, 1, UP, PLAIN, NULL, NULL},
        [TAU] = {"torque", KIND_single, nv, 1, DOWN, PLAIN, NULL, NULL},
        [M] = {"M", KIND_single, nv, nv, DOWN, DOWN, NULL, NULL},
        [MINV] = {"inverse mass", KIND_single_solved, nv, nv, UP, UP, NULL, NULL},
        [TQ] = {"dtau/dq", KIND_single, nv, nv, DOWN, DOWN, NULL, NULL},
        [TV] = {"dtau/dv", KIND_single, nv, nv, DOWN, DOWN, NULL, NULL},
        [POSES] = {"poses", KIND_single, 1, poses, PLAIN, PLAIN, NULL, NULL},
        [POSES_TOO] = {"poses beside columns", KIND_single, 1, poses, PLAIN, PLAIN, NULL, NULL},
        [COLUMNS] = {"columns", KIND_single, 6, nv, PLAIN, PLAIN, NULL, NULL},
    };
    for (int k = 0; k < RESULTS; k++) {
        const size_t size = (size_t)x->nstates * all[k].rows * all[k].columns;
        out[k] = all[k];
        out[k].narrow = room_bytes(x->g, size * sizeof(float), sizeof(double));
        out[k].wide = room(x->g, size);
    }
}

/* all batches in floats of the states from `first` on; statuses of the linearization, of dynamics and of poses */
static void narrow_batches(subject *x, hml_work *work, const rounded *s, size_t first, size_t n, const result *out,
                           hml_status status[3][STATES])
{
    const size_t nq = (size_t)x->nq, nv = (size_t)x->nv, nw = 6 * (size_t)x->nb;
    const hml_input_f32 q = {s->q + first * nq, nq}, v = {s->v + first * nv, nv}, tau = {s->tau + first * nv, nv};
    const hml_input_f32 w = {s->w ? s->w + first * nw : NULL, nw}, a = {s->a + first * nv, nv};
    hml_linearization_f32 l = {.struct_size = sizeof l, .q = q, .v = v, .tau = tau, .wrenches = w};
    l.acceleration.data = out[LA].narrow, l.Dq.data = out[LDQ].narrow;
    l.Dv.data = out[LDV].narrow, l.Minv.data = out[LMINV].narrow;
    hml_linearize_batch_f32(x->model, work, n, &l, status[0]);
    hml_dynamics_states_f32 d = {.struct_size = sizeof d, .q = q, .v = v, .tau = tau, .a = a, .wrenches = w};
    d.acceleration.data = out[A].narrow, d.torque.data = out[TAU].narrow, d.M.data = out[M].narrow;
    d.Minv.data = out[MINV].narrow, d.dtau_dq.data = out[TQ].narrow, d.dtau_dv.data = out[TV].narrow;
    hml_dynamics_batch_f32(x->model, work, n, &d, status[1]);
    hml_body_poses_batch_f32(x->model, work, n, q, (hml_output_f32){out[POSES].narrow, 0, 0}, status[2]);
    hml_jacobian_columns_f32 c = {.struct_size = sizeof c, .q = q};
    c.H.data = out[POSES_TOO].narrow, c.J.data = out[COLUMNS].narrow;
    const hml_status columns = hml_all_jacobians_batch_f32(x->model, work, n, &c, NULL);
    note_status(x, KIND_status, "hml_all_jacobians_batch_f32", 0, columns, x->followers ? HML_UNSUPPORTED : HML_OK);
}

static void wide_batches(subject *x, const rounded *s, const result *out, hml_status *status)
{
    const size_t nq = (size_t)x->nq, nv = (size_t)x->nv, nw = 6 * (size_t)x->nb, n = (size_t)x->nstates;
    const hml_input q = {s->Q, nq}, v = {s->V, nv}, tau = {s->T, nv}, a = {s->ACC, nv}, w = {s->W, nw};
    hml_linearization l = {.struct_size = sizeof l, .q = q, .v = v, .tau = tau, .wrenches = w};
    l.acceleration.data = out[LA].wide, l.Dq.data = out[LDQ].wide, l.Dv.data = out[LDV].wide;
    l.Minv.data = out[LMINV].wide;
    hml_linearize_batch(x->model, x->work, n, &l, status);
    hml_dynamics_states d = {.struct_size = sizeof d, .q = q, .v = v, .tau = tau, .a = a, .wrenches = w};
    d.acceleration.data = out[A].wide, d.torque.data = out[TAU].wide, d.M.data = out[M].wide;
    d.Minv.data = out[MINV].wide, d.dtau_dq.data = out[TQ].wide, d.dtau_dv.data = out[TV].wide;
    hml_dynamics_batch(x->model, x->work, n, &d, NULL);
    hml_body_poses_batch(x->model, x->work, n, q, (hml_output){out[POSES].wide, 0, 0}, NULL);
    hml_jacobian_columns c = {.struct_size = sizeof c, .q = q};
    c.H.data = out[POSES_TOO].wide, c.J.data = out[COLUMNS].wide;
    hml_all_jacobians_batch(x->model, x->work, n, &c, NULL);
}

/* M may count as singular where its condition is that of a float, and then the results are NaN */
static int is_singular(subject *x, const char *call, int s, hml_status status)
{
    if (status == HML_SINGULAR && x->cond[s] > 1e4) return 1;
    note_status(x, KIND_status, call, s, status, HML_OK);
    return status != HML_OK;
}

/* A float of 5000 rad or metres is known to 2.4e-4, and positions in the tree, which take it, no better */
static double coarseness(const subject *x, int s)
{
    return 1 + 0.05 * largest((size_t)x->nq, x->q + (size_t)s * (size_t)x->nq);
}

static void compare_state(subject *x, const char *isa, int s, const result *r, int k)
{
    const size_t size = r->rows * r->columns, at = (size_t)s * size;
    double *one = room(x->g, size);
    char call[96];
    snprintf(call, sizeof call, "%s, %s", r->name, isa);
    for (size_t i = 0; i < size; i++) one[i] = (double)r->narrow[at + i];
    const double floor = k == M || k == MINV || k == LMINV ? 1 : k >= POSES ? x->away[s] : x->force[s];
    note(x, r->kind, call, (how){s, r->row, r->column, floor, coarseness(x, s)}, one, r->wide + at, r->rows,
         r->columns);
}

/*
 * Springs of joints that do not commute pull by a logarithm, which has a pole at every whole turn. What is lost of an
 * angle of thousands of radians, 2.4e-4, may be all of the distance to a pole: such forces are not compared.
 */
static int lost_to_springs(const subject *x, int s, int r)
{
    const int pulled = r == LA || r == LDQ || r == A || r == TAU || r == TQ;
    return pulled && x->noncommuting_springs && largest((size_t)x->nq, x->q + (size_t)s * (size_t)x->nq) > 100;
}

/* the same bits at another place of another batch */
static void compare_place(subject *x, int s, const result *whole, const result *piece, size_t to)
{
    const size_t size = whole->rows * whole->columns;
    double *one = room(x->g, size), *other = room(x->g, size);
    for (size_t i = 0; i < size; i++) {
        one[i] = (double)whole->narrow[(size_t)s * size + i], other[i] = (double)piece->narrow[to * size + i];
    }
    note_bits(x, KIND_single_place, whole->name, s, one, other, size);
}

void check_single_precision(subject *x)
{
    if (x->regular) return;
    const int i = hml_rng_below(&x->rng, x->nisas);
    const rounded s = states_of(x);
    result whole[RESULTS], piece[RESULTS];
    hml_status status[3][STATES], later[3][STATES], wide[STATES];
    open_results(x, whole), open_results(x, piece);
    narrow_batches(x, x->works[i], &s, 0, (size_t)x->nstates, whole, status);
    wide_batches(x, &s, whole, wide);
    const size_t first = (size_t)hml_rng_below(&x->rng, x->nstates);
    narrow_batches(x, x->works[i], &s, first, (size_t)x->nstates - first, piece, later);
    for (int k = 0; k < x->nstates; k++) {
        if (wide[k]) continue; /* a rounded state that double cannot do either */
        const int skip[3] = {is_singular(x, "hml_linearize_batch_f32", k, status[0][k]),
                             is_singular(x, "hml_dynamics_batch_f32", k, status[1][k]),
                             is_singular(x, "hml_body_poses_batch_f32", k, status[2][k])};
        for (int r = 0; r < RESULTS; r++) {
            const int which = r <= LMINV ? 0 : r < POSES ? 1 : 2;
            if (skip[which] || (r >= POSES_TOO && x->followers)) continue;
            if (!lost_to_springs(x, k, r)) compare_state(x, hml_isa_name(x->isas[i]), k, &whole[r], r);
            if ((size_t)k >= first) compare_place(x, k, &whole[r], &piece[r], (size_t)k - first);
        }
    }
}
