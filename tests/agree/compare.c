/*
 * Comparisons and what they allow.
 *
 * Vectors and matrices over coordinates are scaled by s_i = √M_ii, which makes metres, radians, heavy and light bodies
 * comparable: s_i ν̇_i and τ_i / s_i are accelerations and forces of unit masses. Then the largest difference counts
 * against the largest entry, or against the size of the forces where everything cancels.
 *
 *   EXACT    nothing: the same operations in the same order, or bytes
 *   SUMS     1e-11: sums of thousands of rounded products, deep chains multiply dozens of poses
 *   SOLVED   1e-13 times the condition of the scaled M, the worst that a backward stable solution may do with a few
 *            thousand roundings; and SUMS
 *   DIFFER   fourth-order differences with steps of 1e-3: h⁴ times fifth derivatives of chains, and roundings over h,
 *            which the condition of M and the distance multiply; five times what its two best steps are apart
 *   PLACES   SUMS, and one part in 1e15 of the square of the distance from the origin, in metres: moments about the
 *            origin are forces times the distance, inertias about it go with the square
 *   FLOATS   2e-5: 24 bits, angles near π
 *   FLOATS_SOLVED   FLOATS, and 1e-5 times the condition of the scaled M: 170 roundings of 6e-8, where SOLVED allows
 *            900 of those of a double
 */
#include "agree.h"

enum class { EXACT, SUMS, SOLVED, DIFFER, PLACES, FLOATS, FLOATS_SOLVED };

static const enum class classes[KINDS] = {
#define KIND_CLASS(name, tolerance, measure, one, other) tolerance,
    AGREE_KINDS(KIND_CLASS)};

const char *const kind_names[KINDS] = {
#define KIND_NAME(name, tolerance, measure, one, other) #name " (" measure ")",
    AGREE_KINDS(KIND_NAME)};
const char *const kind_ones[KINDS] = {
#define KIND_ONE(name, tolerance, measure, one, other) one,
    AGREE_KINDS(KIND_ONE)};
const char *const kind_others[KINDS] = {
#define KIND_OTHER(name, tolerance, measure, one, other) other,
    AGREE_KINDS(KIND_OTHER)};

double kind_tolerance(const subject *x, kind k, int state)
{
    const double sums = 1e-11, away = x->away[state], cond = x->cond[state];
    switch (classes[k]) {
    case SUMS: return sums;
    case SOLVED: return sums + 1e-13 * cond;
    case DIFFER: return 1e-6 + 1e-11 * cond + 1e-11 * away;
    case PLACES: return sums + 1e-15 * away * away;
    case FLOATS: return 2e-5;
    case FLOATS_SOLVED: return 2e-5 + 1e-5 * cond;
    default: return 0;
    }
}

static void record(agree *g, kind k, const char *call, int state, double deviation, double allowed, size_t at,
                   size_t columns, double one, double other)
{
    kind_record *r = &g->kinds[k];
    const double share = allowed > 0 ? deviation / allowed : deviation > 0 ? INFINITY : 0;
    const int bad = !(deviation <= allowed);
    if (g->counting) {
        g->comparisons++;
        r->count++;
        r->failures += (size_t)bad;
        if (!(deviation <= r->worst)) r->worst = deviation;
        if (!(share <= r->worst_share)) r->worst_share = share;
    }
    if (!bad || g->finding.found) return;
    finding *f = &g->finding;
    f->found = 1, f->kind = k, f->state = state;
    f->row = columns ? at / columns : 0, f->column = columns ? at % columns : 0, f->columns = columns;
    f->x = one, f->y = other, f->deviation = deviation, f->allowed = allowed;
    snprintf(f->call, sizeof f->call, "%s", call);
}

static double weigh(weight w, double s) { return w == UP ? s : w == DOWN ? 1 / s : 1; }

/* what a difference does not know of its own entries, where these are one's */
static const double *doubt_of(const agree *g, const double *entries, size_t n)
{
    const double *d = g->difference;
    return d && entries >= d && entries + n <= d + g->doubts ? g->doubt + (entries - d) : NULL;
}

void note(subject *x, kind k, const char *call, how h, const double *one, const double *other, size_t rows,
          size_t columns)
{
    const double *s = x->s + (size_t)h.state * (size_t)x->nv;
    const double *doubt = classes[k] == DIFFER ? doubt_of(x->g, other, rows * columns) : NULL;
    double size = h.floor, off = 0;
    size_t at = 0;
    for (size_t r = 0; r < rows; r++) {
        const double row = h.rows ? weigh(h.rows, s[r]) : 1;
        for (size_t c = 0; c < columns; c++) {
            const size_t i = r * columns + c;
            const double w = row * (h.columns ? weigh(h.columns, s[c]) : 1);
            double d = w * fabs(one[i] - other[i]);
            if (doubt && d <= 5 * w * doubt[i]) d = 0;
            if (w * fabs(other[i]) > size) size = w * fabs(other[i]);
            if (!(d <= off) && !isnan(off)) off = d, at = i; /* NaN stays */
        }
    }
    const double allowed = kind_tolerance(x, k, h.state) * (h.factor > 0 ? h.factor : 1);
    record(x->g, k, call, h.state, off > 0 || isnan(off) ? off / (size + 1e-300) : 0, allowed, at, columns,
           rows && columns ? one[at] : 0, rows && columns ? other[at] : 0);
}

void note_bits(subject *x, kind k, const char *call, int state, const double *one, const double *other, size_t n)
{
    size_t at = 0, off = 0;
    for (size_t i = 0; i < n; i++) {
        if (memcmp(&one[i], &other[i], sizeof *one) == 0) continue;
        if (!off++) at = i;
    }
    record(x->g, k, call, state, (double)off, 0, at, n, n ? one[at] : 0, n ? other[at] : 0);
}

void note_status(subject *x, kind k, const char *call, int state, hml_status one, hml_status other)
{
    record(x->g, k, call, state, one == other ? 0 : 1, 0, 0, 1, (double)one, (double)other);
}

/* ---- memory with guards ---- */

enum { GUARD = 512 };

struct block {
    block *next;
    unsigned char *memory, *guard; /* what was given ends where the guard begins */
};

void *room_bytes(agree *g, size_t size, size_t align)
{
    const size_t whole = size + GUARD + align;
    block *b = malloc(sizeof *b);
    unsigned char *memory = malloc(whole);
    if (!b || !memory) {
        fprintf(stderr, "out of memory\n");
        exit(2);
    }
    unsigned char *begin = memory + (align - (uintptr_t)memory % align) % align;
    b->memory = memory, b->guard = begin + size, b->next = g->blocks;
    g->blocks = b;
    memset(begin, 0xff, size); /* doubles of these bytes are NaN */
    memset(b->guard, 0xa5, GUARD);
    return begin;
}

double *room(agree *g, size_t n) { return room_bytes(g, n * sizeof(double), sizeof(double)); }

void room_close(agree *g)
{
    size_t off = 0;
    g->difference = NULL;
    while (g->blocks) {
        block *b = g->blocks;
        for (int i = 0; i < GUARD; i++) off += b->guard[i] != 0xa5;
        g->blocks = b->next;
        free(b->memory);
        free(b);
    }
    record(g, KIND_memory, "bytes written behind what was given", 0, (double)off, 0, 0, 1, (double)off, 0);
}
