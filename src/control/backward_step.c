/* The step of backward.h, compiled once per instruction set like product.c, whose products it calls. */
#include <string.h>

#include "base/finite.h"
#include "control/backward.h"

#ifndef PRODUCT_STEP
#define PRODUCT_STEP hmli_backward_step_plain
#endif

/* v = V_x + V gap */
static void add_gap(const backward_size *z, const backward_knot *x, const backward_space *s)
{
    const size_t n = z->n;
    memcpy(s->v, s->Vx, 2 * n * sizeof *s->v);
    for (size_t i = 0; x->gap && i < 2 * n; i++) {
        double sum = 0;
        for (size_t k = 0; k < 2 * n; k++) sum += s->V[i * z->ldx + k] * x->gap[k];
        s->v[i] += sum;
    }
}

/* v; w = (Eᵀv_q, v_ν + Hᵀv_q) */
static void move_gradient(const backward_size *z, const backward_knot *x, const backward_space *s)
{
    const size_t n = z->n;
    add_gap(z, x, s);
    memcpy(s->w, s->v, n * sizeof *s->w);
    for (size_t i = 0; i < n; i++) s->w[n + i] = s->v[n + i] + x->h * s->v[i];
    for (size_t j = 0; j < z->curved; j++) {
        const curved_joint c = z->joints[j];
        const double *E = x->E + j * BLOCK_MOST, *H = x->H + j * BLOCK_MOST;
        for (size_t i = 0; i < c.m; i++) {
            double e = 0, h = 0;
            for (size_t k = 0; k < c.m; k++) {
                e += E[k * c.m + i] * s->v[c.first + k];
                h += H[k * c.m + i] * s->v[c.first + k];
            }
            s->w[c.first + i] = e;
            s->w[n + c.first + i] = s->v[n + c.first + i] + h;
        }
    }
}

/* rows of C of a curved joint ← base + XᵀA of its rows, n columns; base may be NULL */
static void rows_tn(const curved_joint c, size_t n, const double *X, const double *A, size_t lda, const double *base,
                    size_t ldb, double *C, size_t ldc)
{
    for (size_t i = 0; i < c.m; i++) {
        double *to = C + (c.first + i) * ldc;
        if (base)
            memcpy(to, base + (c.first + i) * ldb, n * sizeof *to);
        else
            memset(to, 0, n * sizeof *to);
        for (size_t k = 0; k < c.m; k++) {
            const double f = X[k * c.m + i], *from = A + (c.first + k) * lda;
            for (size_t j = 0; j < n; j++) to[j] += f * from[j];
        }
    }
}

/* columns of a curved joint of C (n rows) += A X, or ← A X where `set` */
static void columns(const curved_joint c, size_t n, const double *A, size_t lda, const double *X, int set, double *C,
                    size_t ldc)
{
    for (size_t i = 0; i < n; i++) {
        double a[6];
        for (size_t k = 0; k < c.m; k++) a[k] = A[i * lda + c.first + k];
        for (size_t j = 0; j < c.m; j++) {
            double sum = 0;
            for (size_t k = 0; k < c.m; k++) sum += a[k] * X[k * c.m + j];
            double *to = C + i * ldc + c.first + j;
            *to = set ? sum : *to + sum;
        }
    }
}

/*
 * W_νq into Wnq, W_νν into Wnn, W_qq into the qq block of next, on top of what is there. Rows are as wide as whole vectors:
 * what lies behind their n columns is not used.
 */
static void move_form(const backward_size *z, const backward_knot *x, const backward_space *s)
{
    const size_t n = z->n, ld = z->ld, ldx = z->ldx, wide = product_pad(n);
    const double *Vqq = s->V, *Vqn = s->V + n, *Vnq = s->V + n * ldx, *Vnn = Vnq + n, h = x->h;
    double *Wqq = s->P; /* room that is not in use yet */
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < wide; j++) {
            s->M1[i * ld + j] = Vnq[i * ldx + j] + h * Vqq[i * ldx + j];
            s->Wnn[i * ld + j] = Vnn[i * ldx + j] + h * Vqn[i * ldx + j];
            Wqq[i * ld + j] = Vqq[i * ldx + j];
        }
    }
    for (size_t k = 0; k < z->curved; k++) {
        const curved_joint c = z->joints[k];
        const double *E = x->E + k * BLOCK_MOST, *H = x->H + k * BLOCK_MOST;
        rows_tn(c, wide, H, Vqq, ldx, Vnq, ldx, s->M1, ld);
        rows_tn(c, wide, H, Vqn, ldx, Vnn, ldx, s->Wnn, ld);
        rows_tn(c, wide, E, Vqq, ldx, NULL, 0, Wqq, ld);
    }
    for (size_t i = 0; i < n; i++) {
        memcpy(s->Wnq + i * ld, s->M1 + i * ld, n * sizeof(double)); /* zero behind, since hmli_backward_begin */
        for (size_t j = 0; j < wide; j++) s->Wnn[i * ld + j] += h * s->M1[i * ld + j];
    }
    for (size_t k = 0; k < z->curved; k++) {
        const curved_joint c = z->joints[k];
        const double *E = x->E + k * BLOCK_MOST, *H = x->H + k * BLOCK_MOST;
        double less[BLOCK_MOST]; /* H − h: the rest has been added */
        for (size_t i = 0; i < c.m * c.m; i++) less[i] = H[i] - (i % (c.m + 1) == 0 ? h : 0);
        columns(c, n, s->M1, ld, E, 1, s->Wnq, ld);
        columns(c, n, s->M1, ld, less, 0, s->Wnn, ld);
        columns(c, n, Wqq, ld, E, 1, Wqq, ld);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < product_pad(i + 1); j++) s->next[i * ldx + j] += Wqq[i * ld + j];
}

/* k and the free inputs; Z ← their rows of G. How many are free, or more than m: not positive definite */
static size_t choose_inputs(const backward_size *z, const backward_knot *x, backward_space *s)
{
    const size_t n = z->n, m = z->m, ld = z->ld, last = 2 * n + m;
    size_t count = 0;
    for (size_t i = 0; i < m; i++) s->free[i] = 1;
    if (x->lower) {
        double *g = s->step; /* column `last`, packed */
        for (size_t i = 0; i < m; i++) g[i] = s->G[i * ld + last];
        const box_problem box = {.m = m,
                                 .ld = ld,
                                 .Q = s->G + 2 * n,
                                 .g = g,
                                 .lower = x->lower,
                                 .upper = x->upper,
                                 .x = x->k,
                                 .free = s->free,
                                 .gradient = s->gradient,
                                 .factor = s->factor,
                                 .step = s->factor + m * m};
        if (hmli_box_solve(&box)) return m + 1;
    }
    for (size_t i = 0; i < m; i++) {
        if (!s->free[i]) continue;
        memcpy(s->Z + count * ld, s->G + i * ld, ld * sizeof(double));
        s->pivot[count++] = 2 * n + i;
    }
    return count;
}

/* K, k and next −= ZᵀZ */
static int gains(const backward_size *z, const backward_knot *x, backward_space *s)
{
    const size_t n = z->n, m = z->m, ld = z->ld, last = 2 * n + m, count = choose_inputs(z, x, s);
    if (count > m) return 1;
    const product_rows rows = {count, ld, s->pivot, s->Z};
    if (z->products->factor(&rows)) return 1;
    z->products->add(&(product_call){2 * n, 2 * n, count, s->Z, ld, s->Z, ld, s->next, z->ldx, -1, 1});
    z->products->substitute(&rows, 2 * n, last);
    for (size_t i = 0, f = 0; i < m; i++) {
        double *K = x->K + i * 2 * n;
        const double *Z = s->Z + f * ld;
        for (size_t j = 0; j < 2 * n; j++) K[j] = s->free[i] ? -Z[j] : 0;
        if (!x->lower) x->k[i] = -Z[last];
        f += s->free[i] != 0;
    }
    return 0;
}

/* next ← l_xx: the lower triangle, which is all that is wanted of it until it is mirrored */
static void begin_next(const backward_size *z, const backward_knot *x, const backward_space *s)
{
    for (size_t i = 0; i < 2 * z->n; i++) memcpy(s->next + i * z->ldx, x->lxx + i * z->ldx, (i + 1) * sizeof(double));
}

/* next ← l_xx + F_xᵀP_x + [W_qq + W_νqᵀF_q], P ← [W_νν F + [W_νq 0 0], w_ν], G ← [l_ux l_uu l_u] + F_uᵀP */
static void condense(const backward_size *z, const backward_knot *x, const backward_space *s)
{
    const size_t n = z->n, m = z->m, ld = z->ld, ldx = z->ldx, last = 2 * n + m;
    const product_table *p = z->products;
    move_gradient(z, x, s);
    begin_next(z, x, s);
    move_form(z, x, s);
    memcpy(s->P, s->Wnq, n * ld * sizeof(double));
    p->add(&(product_call){n, 2 * n + m, n, s->Wnn, ld, x->F, ld, s->P, ld, 1, 0});
    p->add(&(product_call){2 * n, 2 * n, n, x->F, ld, s->P, ld, s->next, ldx, 1, 1});
    p->add(&(product_call){n, n, n, s->Wnq, ld, x->F, ld, s->next, ldx, 1, 1});
    for (size_t i = 0; i < n; i++) s->P[i * ld + last] = s->w[n + i];
    memcpy(s->G, x->lu, m * ld * sizeof(double));
    p->add(&(product_call){m, last + 1, n, x->F + 2 * n, ld, s->P, ld, s->G, ld, 1, 0});
}

/* the same with A_d and B_d in [D; F]: next ← l_xx + [D; F]_xᵀP_x, P ← [V [D; F], v], G ← [l_ux l_uu l_u] + [D; F]_uᵀP */
static void condense_full(const backward_size *z, const backward_knot *x, const backward_space *s)
{
    const size_t n = z->n, m = z->m, ld = z->ld, ldx = z->ldx, last = 2 * n + m;
    const product_table *p = z->products;
    add_gap(z, x, s);
    memset(s->w, 0, n * sizeof *s->w);
    memcpy(s->w + n, s->v + n, n * sizeof *s->w);
    memset(s->P, 0, 2 * n * ld * sizeof(double));
    p->add(&(product_call){2 * n, 2 * n + m, n, s->V, ldx, x->D, ld, s->P, ld, 1, 0});
    p->add(&(product_call){2 * n, 2 * n + m, n, s->V + n * ldx, ldx, x->F, ld, s->P, ld, 1, 0});
    begin_next(z, x, s);
    p->add(&(product_call){2 * n, 2 * n, n, x->D, ld, s->P, ld, s->next, ldx, 1, 1});
    p->add(&(product_call){2 * n, 2 * n, n, x->F, ld, s->P + n * ld, ld, s->next, ldx, 1, 1});
    for (size_t i = 0; i < 2 * n; i++) s->P[i * ld + last] = s->v[i];
    memcpy(s->G, x->lu, m * ld * sizeof(double));
    p->add(&(product_call){m, last + 1, n, x->D + 2 * n, ld, s->P, ld, s->G, ld, 1, 0});
    p->add(&(product_call){m, last + 1, n, x->F + 2 * n, ld, s->P + n * ld, ld, s->G, ld, 1, 0});
}

/* V_x += Σ f_k · row k */
static void add_rows(const backward_size *z, const backward_space *s, size_t count, const double *f, const double *rows)
{
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < 2 * z->n; i++) s->Vx[i] += f[k] * rows[k * z->ld + i];
}

hml_status PRODUCT_STEP(const backward_size *z, const backward_knot *x, double mu, backward_space *s)
{
    const size_t n = z->n, m = z->m, ld = z->ld, ldx = z->ldx;
    if (x->D)
        condense_full(z, x, s);
    else
        condense(z, x, s);
    for (size_t i = 0; i < m; i++) s->G[i * ld + 2 * n + i] += mu;
    if (gains(z, x, s)) return HML_SINGULAR;
    for (size_t i = 0; i < 2 * n; i++) s->Vx[i] = x->lx[i] + (i < n ? s->w[i] : 0);
    if (x->D) add_rows(z, s, n, s->v, x->D);
    add_rows(z, s, n, s->w + n, x->F);
    add_rows(z, s, m, x->k, s->G);
    backward_mirror(2 * n, ldx, s->next);
    double *V = s->V;
    s->V = s->next, s->next = V;
    return all_finite(s->Vx, 2 * n) && all_finite(x->k, m) && all_finite(s->V, 2 * n * ldx) ? HML_OK : HML_NOT_FINITE;
}
