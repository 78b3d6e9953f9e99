#include "hamel/control/modes.h"

#include <math.h>
#include <string.h>

#include "base/finite.h"
#include "base/struct_size.h"
#include "control/balance.h"
#include "control/matrix.h"
#include "control/mode_reach.h"
#include "control/mode_space.h"
#include "control/stage.h"

typedef struct space {
    mode_spaces m;
    mode_reach reach;
    double *A;           /* n × n: of the states that the modes are found in */
    double *factor;      /* n/2 × n/2: of the mass matrix */
    double *onto, *back; /* rows × n, n × rows: from those states to the shown ones, and back */
    double *scale, *product;
    unsigned char *marks; /* n × n */
    cplx *B, *C;          /* n × m, n × p: inputs and outputs in those states, columns of length one */
    cplx *outer, *inner;  /* rows × n, n × rows */
    size_t *order;        /* n */
} space;

static size_t lay_out(size_t n, size_t m, size_t p, size_t rows, double *memory, space *s)
{
    const size_t inputs = m > p ? m : p;
    layout_cursor c = layout_begin(memory);
    hmli_mode_spaces_lay_out(n, &c, &s->m);
    hmli_mode_reach_lay_out(n, inputs, &c, &s->reach);
    s->A = layout_doubles(&c, n * n);
    s->factor = layout_doubles(&c, n * n);
    s->onto = layout_doubles(&c, rows * n);
    s->back = layout_doubles(&c, n * rows);
    s->scale = layout_doubles(&c, n);
    s->product = layout_doubles(&c, n * (n > inputs ? n : inputs));
    s->marks = layout_array(&c, n * n, sizeof *s->marks);
    s->B = layout_array(&c, n * m, sizeof *s->B);
    s->C = layout_array(&c, n * p, sizeof *s->C);
    s->outer = layout_array(&c, rows * n, sizeof *s->outer);
    s->inner = layout_array(&c, n * rows, sizeof *s->inner);
    s->order = layout_array(&c, n, sizeof *s->order);
    return layout_count(&c);
}

size_t hml_modes_scratch_doubles(size_t n, size_t m, size_t p, size_t rows)
{
    space s;
    if (n > STAGE_MOST || m > STAGE_MOST || p > STAGE_MOST || rows > STAGE_MOST) return SIZE_MAX;
    return lay_out(n, m, p, rows, NULL, &s);
}

/* ---- arguments ---- */

static hml_status check(const hml_modes *p)
{
    const size_t n = p->n, rows = p->onto ? p->rows : n;
    if (!p->A || n < 1 || n > STAGE_MOST || p->m > STAGE_MOST || p->p > STAGE_MOST || rows > STAGE_MOST)
        return HML_INVALID_ARGUMENT;
    if (!p->onto != !p->back || (p->mass && (p->onto || n % 2))) return HML_INVALID_ARGUMENT;
    if (!(p->tolerance >= 0 && p->tolerance < 1)) return HML_INVALID_ARGUMENT;
    if (!all_finite(p->A, n * n) || (p->B && !all_finite(p->B, n * p->m)) || (p->C && !all_finite(p->C, n * p->p)) ||
        (p->mass && !all_finite(p->mass, n / 2 * (n / 2))) ||
        (p->onto && (!all_finite(p->onto, rows * n) || !all_finite(p->back, rows * n))))
        return HML_NOT_FINITE;
    return p->mass && !matrix_is_symmetric(n / 2, p->mass) ? HML_INVALID_ARGUMENT : HML_OK;
}

/* ---- states in which units and masses do not matter ---- */

/* y = Lᵀ x for both halves, with M = L Lᵀ */
static hml_status take_mass(const hml_modes *p, space *s)
{
    const size_t n = p->n, h = n / 2;
    double *inverse = s->product;
    matrix_copy(h * h, p->mass, s->factor);
    if (matrix_cholesky(h, s->factor)) return HML_INVALID_ARGUMENT;
    for (size_t i = 0; i < h * h; i++) inverse[i] = i % (h + 1) == 0;
    matrix_solve_upper(h, s->factor, h, inverse);
    memset(s->onto, 0, n * n * sizeof *s->onto);
    memset(s->back, 0, n * n * sizeof *s->back);
    for (size_t i = 0; i < h; i++) {
        for (size_t j = 0; j < h; j++) {
            s->onto[i * n + j] = s->onto[(h + i) * n + h + j] = inverse[i * h + j];
            s->back[i * n + j] = s->back[(h + i) * n + h + j] = s->factor[j * h + i];
        }
    }
    matrix_multiply(n, n, n, p->A, s->onto, s->product);
    matrix_multiply(n, n, n, s->back, s->product, s->A);
    return HML_OK;
}

static hml_status choose_states(const hml_modes *p, space *s, size_t rows)
{
    const size_t n = p->n;
    if (p->mass) return take_mass(p, s);
    matrix_copy(n * n, p->A, s->A);
    for (size_t i = 0; i < rows * n; i++) {
        s->onto[i] = p->onto ? p->onto[i] : i % (n + 1) == 0;
        s->back[i] = p->back ? p->back[i] : i % (n + 1) == 0;
    }
    return HML_OK;
}

/* columns of length one: the units of an input do not matter */
static void unit_columns(size_t n, size_t m, cplx *B)
{
    for (size_t j = 0; j < m; j++) {
        double most = 0, sum = 0;
        for (size_t i = 0; i < n; i++) most = fmax(most, fabs(creal(B[i * m + j])));
        for (size_t i = 0; i < n && most > 0; i++) sum += cplx_square(B[i * m + j] / most);
        for (size_t i = 0; i < n && most > 0; i++) B[i * m + j] /= most * sqrt(sum);
    }
}

/* everything in the balanced states; B and C are those of the caller's y, or x where there is a mass matrix */
static void balance(const hml_modes *p, space *s, size_t rows)
{
    const size_t n = p->n;
    const double *d = s->scale;
    hmli_balance(n, s->A, s->marks, s->product, s->scale);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) s->m.A[i * n + j] = s->A[i * n + j] * d[j] / d[i];
    if (p->B) {
        if (p->mass) matrix_multiply(n, n, p->m, s->back, p->B, s->product);
        for (size_t i = 0; i < n * p->m; i++) s->B[i] = (p->mass ? s->product : p->B)[i] / d[i / p->m];
        unit_columns(n, p->m, s->B);
    }
    for (size_t i = 0; p->C && i < n; i++) { /* Cᵀ */
        for (size_t k = 0; k < p->p; k++) {
            double sum = p->mass ? 0 : p->C[k * n + i];
            for (size_t j = 0; p->mass && j < n; j++) sum += p->C[k * n + j] * s->onto[j * n + i];
            s->C[i * p->p + k] = sum * d[i];
        }
    }
    if (p->C) unit_columns(n, p->p, s->C);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < n; j++) s->onto[i * n + j] *= d[j];
    for (size_t i = 0; i < n * rows; i++) s->back[i] /= d[i / rows];
}

/* ---- answers ---- */

static size_t chain_of(const mode_spaces *m, const mode_space *e)
{
    const size_t n = m->n, k = e->count;
    cplx *T = m->T, *power = m->Q, *next = m->Q2;
    if (e->chain) return e->chain;
    for (size_t i = 0; i < k; i++) {
        for (size_t j = 0; j < k; j++) {
            cplx sum = i == j ? -e->value : 0;
            for (size_t a = 0; a < n; a++)
                for (size_t b = 0; b < n; b++)
                    sum += m->left[(e->first + i) * n + a] * m->A[a * n + b] * m->right[b * n + e->first + j];
            T[i * k + j] = power[i * k + j] = sum;
        }
    }
    for (size_t length = 1;; length++) {
        double size = 0;
        for (size_t i = 0; i < k * k; i++) size += cplx_square(power[i]);
        if (length == k || !(sqrt(size) > 1e-7)) return length;
        cplx_multiply(k, k, k, power, T, next);
        memcpy(power, next, k * k * sizeof *power);
    }
}

static hml_mode_kind kind_of(const mode_space *e, double value[2])
{
    value[0] = creal(e->value), value[1] = cimag(e->value);
    if (e->value == 0) return HML_MODE_INTEGRATOR;
    if (value[1] != 0 && fabs(value[0]) <= e->error) {
        value[0] = 0;
        return HML_MODE_UNDAMPED;
    }
    if (value[0] > 0) return HML_MODE_UNSTABLE;
    return value[1] != 0 ? HML_MODE_OSCILLATION : HML_MODE_DECAY;
}

static hml_mode mode_of(const hml_modes *p, space *s, const mode_space *e)
{
    const double tolerance = p->tolerance > 0 ? p->tolerance : 1e-9;
    hml_mode x = {.multiplicity = (int32_t)e->count, .unreachable = -1, .unseen = -1, .reach = NAN, .sight = NAN};
    x.kind = kind_of(e, x.eigenvalue);
    x.eigenvalue[0] *= s->m.norm, x.eigenvalue[1] *= s->m.norm;
    x.chain = (int32_t)chain_of(&s->m, e);
    if (p->B) x.reach = hmli_mode_reach(&s->m, e, 0, p->m, s->B, tolerance, &s->reach, &x.unreachable);
    if (p->C) x.sight = hmli_mode_reach(&s->m, e, 1, p->p, s->C, tolerance, &s->reach, &x.unseen);
    return x;
}

/* from slow to fast; spaces with a negative imaginary part belong to their conjugates. How many modes there are */
static size_t sort(const mode_spaces *m, size_t *order)
{
    size_t count = 0;
    for (size_t e = 0; e < m->count; e++) {
        const cplx z = m->found[e].value;
        if (cimag(z) < 0) continue;
        size_t at = count++;
        for (; at > 0; at--) {
            const cplx before = m->found[order[at - 1]].value;
            if (cabs(before) < cabs(z) || (cabs(before) == cabs(z) && creal(before) <= creal(z))) break;
            order[at] = order[at - 1];
        }
        order[at] = e;
    }
    return count;
}

static void put(double *to, cplx z, int conjugate) { to[0] = creal(z), to[1] = conjugate ? -cimag(z) : cimag(z); }

/* the columns and rows of one mode, from entry `at` on; conjugates side by side. Where the next one begins */
static size_t put_mode(const hml_modes *p, const space *s, const mode_space *e, const hml_mode *mode, size_t rows,
                       size_t at)
{
    const size_t n = p->n, sides = mode->eigenvalue[1] > 0 ? 2 : 1;
    double all = 0;
    for (size_t i = 0; i < rows; i++) {
        cplx sum = 0;
        for (size_t j = e->first; j < e->first + e->count; j++) sum += s->outer[i * n + j] * s->inner[j * rows + i];
        all += cabs(sum);
        for (size_t k = 0; p->participation && k < sides * e->count; k++)
            p->participation[(at + k) * rows + i] = cabs(sum);
    }
    for (size_t k = 0; k < sides * e->count; k++, at++) {
        const size_t j = e->first + k / sides;
        const int turned = k % sides == 1;
        if (p->eigenvalues) put(p->eigenvalues + 2 * at, mode->eigenvalue[0] + I * mode->eigenvalue[1], turned);
        for (size_t i = 0; i < rows; i++) {
            if (p->right) put(p->right + 2 * (i * n + at), s->outer[i * n + j], turned);
            if (p->left) put(p->left + 2 * (at * rows + i), s->inner[j * rows + i], turned);
            if (p->participation && all > 0) p->participation[at * rows + i] /= all;
        }
    }
    return at;
}

static void real_times(size_t n, size_t k, size_t m, const double *A, const cplx *B, cplx *C)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < m; j++) C[i * m + j] = 0;
        for (size_t l = 0; l < k; l++)
            for (size_t j = 0; j < m; j++) C[i * m + j] += A[i * k + l] * B[l * m + j];
    }
}

static void give(const hml_modes *p, space *s, size_t rows, size_t *count)
{
    const size_t n = p->n, modes = sort(&s->m, s->order);
    size_t at = 0;
    real_times(rows, n, n, s->onto, s->m.right, s->outer);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < rows; j++) {
            cplx sum = 0;
            for (size_t l = 0; l < n; l++) sum += s->m.left[i * n + l] * s->back[l * rows + j];
            s->inner[i * rows + j] = sum;
        }
    }
    for (size_t k = 0; k < modes; k++) {
        const mode_space *e = &s->m.found[s->order[k]];
        hml_mode mode = mode_of(p, s, e);
        mode.first = (int32_t)at;
        at = put_mode(p, s, e, &mode, rows, at);
        if (p->modes) p->modes[k] = mode;
    }
    if (count) *count = modes;
}

hml_status hml_modes_solve(const hml_modes *given, double *scratch, size_t *count)
{
    hml_modes room;
    const hml_modes *p = STRUCT_TAKE(hml_modes, given, &room, modes);
    if (!p || !scratch) return HML_INVALID_ARGUMENT;
    hml_status status = check(p);
    if (status) return status;
    space s;
    const size_t rows = p->onto ? p->rows : p->n;
    (void)lay_out(p->n, p->B ? p->m : 0, p->C ? p->p : 0, rows, scratch, &s);
    status = choose_states(p, &s, rows);
    if (status) return status;
    balance(p, &s, rows);
    status = hmli_mode_spaces_find(&s.m);
    if (status) return status;
    give(p, &s, rows, count);
    return HML_OK;
}
