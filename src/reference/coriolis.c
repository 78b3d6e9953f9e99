/*
 * The Coriolis matrix by composite bodies, in the frame of the tree's root:
 *
 *   C_jk = S_jᵀ ( I_i^c Ṡ_k + B_i^c S_k ),   i the deeper of the two bodies,   Ṡ = V × S
 *   B = ½ ( V ×* I − I V × + [I V] ),        [f] m = m ×* f
 *
 * summed over subtrees. It is Müller (84) made right: as printed, Ṁ − 2C is not skew. The same matrix is that of
 * Echeandia and Wensing (2021), who show that it holds Christoffel's symbols; nothing in it asks a joint to commute.
 */
#include "hamel/reference/textbook.h"

#include "base/overflow.h"
#include "reference/bos/matrix6.h"
#include "reference/featherstone/tree.h"

/* B of a body, in b->IA; its momentum goes to b->p */
static void body_B(tree_body *b)
{
    double V[36], I[36];
    b->p = inertia_mul(b->Ic, b->v);
    twist_cross_matrix(b->v, V);
    inertia_matrix(b->Ic, I);
    wrench_cross_matrix(b->p, b->IA); /* [f] m = m ×* f = ãd_f m */
    for (int r = 0; r < 6; r++) {
        for (int c = 0; c < 6; c++) {
            for (int k = 0; k < 6; k++) b->IA[6 * r + c] -= V[6 * k + r] * I[6 * k + c] + I[6 * r + k] * V[6 * k + c];
        }
    }
    for (int k = 0; k < 36; k++) b->IA[k] /= 2;
}

static void twist_numbers(twist v, double x[6])
{
    x[0] = v.v.x, x[1] = v.v.y, x[2] = v.v.z, x[3] = v.w.x, x[4] = v.w.y, x[5] = v.w.z;
}

/* I S' + B S */
static wrench pull(const tree_body *i, twist S, twist Sdot)
{
    double x[6], y[6];
    twist_numbers(S, x);
    mat6_apply(y, i->IA, x);
    return wrench_add(inertia_mul(i->Ic, Sdot), wrench_at(y));
}

static void fill(tree *t, const double *v, size_t nv, double *C)
{
    memset(C, 0, nv * nv * sizeof *C);
    hmli_tree_to_root(t);
    for (int i = 0; i < t->n; i++) {
        tree_body *b = &t->body[i];
        b->v = twist_add(b->parent < 0 ? twist_zero() : t->body[b->parent].v, tree_joint(b, b->Sr, v));
        body_B(b);
    }
    for (int i = t->n - 1; i >= 0; i--) {
        const tree_body *b = &t->body[i];
        if (b->parent >= 0) {
            tree_body *p = &t->body[b->parent];
            p->Ic = inertia_add(p->Ic, b->Ic);
            for (int k = 0; k < 36; k++) p->IA[k] += b->IA[k];
        }
        for (int j = i; j >= 0; j = t->body[j].parent) {
            const tree_body *up = &t->body[j];
            for (int k = 0; k < b->nv; k++) {
                size_t row = tree_at(b, k);
                wrench below = pull(b, b->Sr[k], twist_cross(b->v, b->Sr[k]));
                for (int l = 0; l < up->nv; l++) {
                    size_t column = tree_at(up, l);
                    wrench above = pull(b, up->Sr[l], twist_cross(up->v, up->Sr[l]));
                    C[row * nv + column] = wrench_dot(above, b->Sr[k]);
                    if (j != i) C[column * nv + row] = wrench_dot(below, up->Sr[l]);
                }
            }
        }
    }
}

hml_status hml_coriolis_matrix(const hml_model *model, void *scratch, const double *q, const double *v, double *C,
                               double *Mdot)
{
    tree t;
    if (!v || !C) return HML_INVALID_ARGUMENT;
    hml_status status = hmli_tree_open(model, scratch, q, v, NULL, NULL, &t);
    if (status) return status;
    const unsigned before = overflow_watch();
    size_t nv = (size_t)model->nv;
    fill(&t, v, nv, C);
    for (size_t k = 0; Mdot && k < nv * nv; k++) Mdot[k] = C[k] + C[k % nv * nv + k / nv];
    return OVERFLOW_STATUS(before, {C, nv * nv}, {Mdot, nv * nv});
}

hml_status hml_christoffel(const hml_model *model, void *scratch, const double *q, double *Gamma)
{
    tree t;
    if (!Gamma) return HML_INVALID_ARGUMENT;
    hml_status status = hmli_tree_open(model, scratch, q, NULL, NULL, NULL, &t);
    if (status) return status;
    const unsigned before = overflow_watch();
    size_t nv = (size_t)model->nv;
    double *C = Gamma; /* one matrix after the other, then turned: C is linear in ν */
    for (size_t k = 0; k < nv; k++) {
        for (size_t i = 0; i < nv; i++) t.vector[i] = i == k;
        fill(&t, t.vector, nv, C + k * nv * nv);
    }
    /* (k, i, j) → (i, j, k): the cycles of the permutation, in place */
    size_t size = nv * nv * nv, last = size ? size - 1 : 0, square = nv * nv;
    for (size_t start = 1; start < last; start++) {
        size_t at = start;
        do at = at / square + at % square * nv;
        while (at > start);
        if (at < start) continue; /* an earlier start has turned this cycle */
        double carried = C[start];
        do {
            at = at / square + at % square * nv;
            double here = C[at];
            C[at] = carried;
            carried = here;
        } while (at != start);
    }
    return OVERFLOW_STATUS(before, {Gamma, nv * nv * nv});
}
