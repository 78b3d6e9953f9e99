/* Linearizations: single, batch and parallel, on every instruction set, in every layout of their outputs. */
#include "agree.h"

/* where each block of a state lies, and how it is weighed */
static void note_blocks(subject *x, const kind kinds[4], const char *call, int state, const single *one,
                        const single *other)
{
    const size_t nv = (size_t)x->nv;
    const double force = x->force[state];
    note(x, kinds[0], call, (how){state, UP, PLAIN, force, 0}, one->a, other->a, nv, 1);
    note(x, kinds[1], call, (how){state, UP, PLAIN, force, 0}, one->Dq, other->Dq, nv, nv);
    note(x, kinds[2], call, (how){state, UP, PLAIN, force, 0}, one->Dv, other->Dv, nv, nv);
    note(x, kinds[3], call, (how){state, UP, UP, 1, 0}, one->Minv, other->Minv, nv, nv);
}

void check_linearize(subject *x)
{
    static const kind kinds[4] = {KIND_isa_a, KIND_isa_Dq, KIND_isa_Dv, KIND_isa_Minv};
    const size_t nv = (size_t)x->nv;
    if (x->regular) return;
    for (int s = 0; s < x->nstates && s < 3; s++) {
        single best = single_new(x), each = single_new(x);
        double *product = room(x->g, nv * nv), *identity = room(x->g, nv * nv);
        note_status(x, KIND_status, "hml_linearize", s, single_linearize(x, x->work, s, &best), HML_OK);
        for (int i = 0; i + 1 < x->nisas; i++) {
            note_status(x, KIND_status, "hml_linearize", s, single_linearize(x, x->works[i], s, &each), HML_OK);
            note_blocks(x, kinds, hml_isa_name(x->isas[i]), s, &each, &best);
        }
        const double *Minv = x->Minv + (size_t)s * nv * nv, *M = x->M + (size_t)s * nv * nv;
        note(x, KIND_Minv_linearize, "hml_linearize", (how){s, UP, UP, 1, 0}, best.Minv, Minv, nv, nv);
        for (int i = 0; i < x->nisas; i++) {
            hml_status status =
                hml_inverse_mass_matrix(x->model, x->works[i], x->q + (size_t)s * (size_t)x->nq, each.Minv);
            note_status(x, KIND_status, "hml_inverse_mass_matrix", s, status, HML_OK);
            note(x, KIND_Minv_dense, hml_isa_name(x->isas[i]), (how){s, UP, UP, 1, 0}, each.Minv, Minv, nv, nv);
        }
        dense_multiply(nv, nv, nv, M, each.Minv, product);
        for (size_t i = 0; i < nv * nv; i++) identity[i] = i % (nv + 1) == 0;
        note(x, KIND_M_Minv, "hml_inverse_mass_matrix", (how){s, DOWN, UP, 1, 0}, product, identity, nv, nv);
    }
}

/* ---- batches ---- */

typedef struct batch {
    double *a, *Dq, *Dv, *Minv;
    hml_status status[STATES];
} batch;

static batch batch_new(subject *x, size_t n)
{
    const size_t nv = (size_t)x->nv;
    batch b = {room(x->g, n * nv), room(x->g, n * nv * nv), room(x->g, n * nv * nv), room(x->g, n * nv * nv), {0}};
    return b;
}

/* states first … first + n − 1 */
static hml_linearization batch_arguments(const subject *x, size_t first, batch *b)
{
    const size_t nq = (size_t)x->nq, nv = (size_t)x->nv, six = 6 * (size_t)x->nb;
    hml_linearization l = {.struct_size = sizeof l};
    l.q = (hml_input){x->q + first * nq, nq};
    l.v = (hml_input){x->v + first * nv, nv};
    l.tau = (hml_input){x->tau + first * nv, nv};
    if (x->wrenches) l.wrenches = (hml_input){x->wrenches + first * six, six};
    l.acceleration.data = b->a, l.Dq.data = b->Dq, l.Dv.data = b->Dv, l.Minv.data = b->Minv;
    return l;
}

static single batch_at(const subject *x, const batch *b, size_t i)
{
    const size_t nv = (size_t)x->nv;
    return (single){b->a + i * nv, b->Dq + i * nv * nv, b->Dv + i * nv * nv, b->Minv + i * nv * nv};
}

static void note_same(subject *x, kind k, const char *call, int state, const single *one, const single *other)
{
    const size_t nv = (size_t)x->nv;
    note_bits(x, k, call, state, one->a, other->a, nv);
    note_bits(x, k, call, state, one->Dq, other->Dq, nv * nv);
    note_bits(x, k, call, state, one->Dv, other->Dv, nv * nv);
    note_bits(x, k, call, state, one->Minv, other->Minv, nv * nv);
}

/* workers take turns, the last task first: the order must not matter */
static void backwards(void *context, size_t count, hml_parallel_task *task, void *data)
{
    const size_t works = *(const size_t *)context;
    for (size_t i = count; i-- > 0;) task(data, i, i % works);
}

static void check_parallel(subject *x, const batch *whole)
{
    const size_t n = (size_t)x->nstates;
    const size_t size = hml_work_size(x->model, HML_ISA_BEST, HML_USE_ALL);
    hml_work *works[2] = {x->work, NULL};
    batch b = batch_new(x, n);
    if (hml_work_init(room_bytes(x->g, size, HML_WORK_ALIGN), size, x->model, HML_ISA_BEST, HML_USE_ALL, &works[1]))
        return;
    hml_parallel p = {.struct_size = sizeof p, .nworks = 2, .works = works, .parallel_for = backwards};
    p.context = &p.nworks;
    p.chunk = 1 + (size_t)hml_rng_below(&x->rng, 9);
    hml_linearization l = batch_arguments(x, 0, &b);
    note_status(x, KIND_status, "hml_linearize_parallel", 0, hml_linearize_parallel(x->model, &p, n, &l, b.status),
                HML_OK);
    for (size_t s = 0; s < n; s++) {
        single one = batch_at(x, &b, s), other = batch_at(x, whole, s);
        note_same(x, KIND_parallel, "hml_linearize_parallel", (int)s, &one, &other);
    }
}

void check_batches(subject *x)
{
    static const kind kinds[4] = {KIND_batch_a, KIND_batch_Dq, KIND_batch_Dv, KIND_batch_Minv};
    const size_t n = (size_t)x->nstates;
    if (x->regular) return;
    for (int i = 0; i < x->nisas; i++) {
        const char *isa = hml_isa_name(x->isas[i]);
        batch whole = batch_new(x, n);
        hml_linearization l = batch_arguments(x, 0, &whole);
        hml_status status = hml_linearize_batch(x->model, x->works[i], n, &l, whole.status);
        note_status(x, KIND_status, "hml_linearize_batch", 0, status, HML_OK);
        for (size_t s = 0; s < n; s++) {
            single each = batch_at(x, &whole, s), one = single_new(x);
            note_status(x, KIND_status, "hml_linearize_batch", (int)s, whole.status[s], HML_OK);
            single_linearize(x, x->works[i], (int)s, &one);
            note_blocks(x, kinds, isa, (int)s, &each, &one);
        }
        /* a part of it, elsewhere in its packs */
        const size_t first = (size_t)hml_rng_below(&x->rng, (int32_t)n);
        const size_t count = 1 + (size_t)hml_rng_below(&x->rng, (int32_t)(n - first));
        batch piece = batch_new(x, count);
        l = batch_arguments(x, first, &piece);
        status = hml_linearize_batch(x->model, x->works[i], count, &l, NULL);
        note_status(x, KIND_status, "hml_linearize_batch", 0, status, HML_OK);
        for (size_t s = 0; s < count; s++) {
            single one = batch_at(x, &piece, s), other = batch_at(x, &whole, first + s);
            note_same(x, KIND_batch_place, isa, (int)(first + s), &one, &other);
        }
        if (i == x->nisas - 1) check_parallel(x, &whole);
    }
}

/* ---- layouts of outputs ---- */

/* a matrix with rows and states apart from each other; what lies between must stay as it is */
typedef struct sparse {
    double *data;
    size_t rows, columns, ld, stride, n;
} sparse;

static sparse sparse_new(subject *x, size_t rows, size_t columns, size_t n)
{
    sparse m = {.rows = rows, .columns = columns, .n = n};
    m.ld = columns + (size_t)hml_rng_below(&x->rng, 4);
    m.stride = rows * m.ld + (size_t)hml_rng_below(&x->rng, 5);
    m.data = room(x->g, n * m.stride);
    for (size_t i = 0; i < n * m.stride; i++) m.data[i] = 12345;
    return m;
}

static hml_output sparse_output(const sparse *m) { return (hml_output){m->data, m->ld, m->stride}; }

/* one state of it, packed; and the gaps */
static const double *sparse_at(subject *x, const sparse *m, size_t s, const char *call)
{
    double *out = room(x->g, m->rows * m->columns), gap = 0;
    const double none = 0;
    for (size_t i = 0; i < m->stride; i++) {
        const size_t r = i / m->ld, c = i % m->ld;
        if (r < m->rows && c < m->columns)
            out[r * m->columns + c] = m->data[s * m->stride + i];
        else
            gap += m->data[s * m->stride + i] != 12345;
    }
    note_bits(x, KIND_memory, call, (int)s, &gap, &none, 1);
    return out;
}

/* A and B asked for alone, with Dq and so on beside them, single and in batches: the blocks are the same bits */
void check_layout(subject *x)
{
    const size_t nv = (size_t)x->nv, n = (size_t)(x->nstates < 3 ? x->nstates : 3);
    const char *call = "A and B";
    if (x->regular) return;
    for (int alone = 0; alone < 2; alone++) {
        sparse A = sparse_new(x, 2 * nv, 2 * nv, n), B = sparse_new(x, 2 * nv, nv, n);
        sparse Dq = sparse_new(x, nv, nv, n), Dv = sparse_new(x, nv, nv, n), Minv = sparse_new(x, nv, nv, n);
        batch b = batch_new(x, n);
        hml_linearization l = batch_arguments(x, 0, &b);
        l.Dq = sparse_output(&Dq), l.Dv = sparse_output(&Dv), l.Minv = sparse_output(&Minv);
        if (!alone) l.A = sparse_output(&A), l.B = sparse_output(&B);
        note_status(x, KIND_status, call, 0, hml_linearize_batch(x->model, x->work, n, &l, NULL), HML_OK);
        if (alone) {
            l.A = sparse_output(&A), l.B = sparse_output(&B);
            l.Dq.data = l.Dv.data = l.Minv.data = l.acceleration.data = NULL;
            note_status(x, KIND_status, call, 0, hml_linearize_batch(x->model, x->work, n, &l, NULL), HML_OK);
        }
        for (size_t s = 0; s < n; s++) {
            const double *a = sparse_at(x, &A, s, call), *w = sparse_at(x, &B, s, call);
            const double *blocks[3] = {sparse_at(x, &Dq, s, call), sparse_at(x, &Dv, s, call),
                                       sparse_at(x, &Minv, s, call)};
            double *lower = room(x->g, 3 * nv * nv), *upper = room(x->g, 2 * nv * nv), *want = room(x->g, 2 * nv * nv);
            for (size_t i = 0; i < nv * nv; i++) {
                const size_t r = i / nv, c = i % nv;
                lower[i] = a[(nv + r) * 2 * nv + c], lower[nv * nv + i] = a[(nv + r) * 2 * nv + nv + c];
                lower[2 * nv * nv + i] = w[(nv + r) * nv + c];
                upper[i] = a[r * 2 * nv + nv + c], upper[nv * nv + i] = w[r * nv + c];
                want[i] = r == c, want[nv * nv + i] = 0;
            }
            for (int k = 0; k < 3; k++)
                note(x, alone ? KIND_part_outputs : KIND_A_blocks, call,
                     (how){(int)s, UP, k == 2 ? UP : PLAIN, k == 2 ? 1 : x->force[s], 0}, lower + (size_t)k * nv * nv,
                     blocks[k], nv, nv);
            note_bits(x, KIND_A_blocks, "I and 0", (int)s, upper, want, 2 * nv * nv);
        }
    }
}
