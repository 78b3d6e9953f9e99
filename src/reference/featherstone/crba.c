/*
 * The mass matrix by composite bodies (Featherstone, Table 6.2), for joints that are groups: M_jk = S_jᵀ I_i^c S_k,
 * i the deeper of the two bodies.
 */
#include "base/overflow.h"
#include "reference/featherstone/tree.h"

/* F = I^c S_k moves from body to body towards the root */
static void by_bodies(tree *t, size_t nv, double *M)
{
    for (int i = 0; i < t->n; i++) t->body[i].Ic = t->body[i].I;
    for (int i = t->n - 1; i >= 0; i--) {
        const tree_body *b = &t->body[i];
        if (b->parent >= 0) {
            tree_body *p = &t->body[b->parent];
            p->Ic = inertia_add(p->Ic, inertia_transform(b->X, b->Ic));
        }
        for (int k = 0; k < b->nv; k++) {
            wrench F = inertia_mul(b->Ic, b->S[k]);
            size_t row = tree_at(b, k);
            for (int j = i; j >= 0; j = t->body[j].parent) {
                const tree_body *up = &t->body[j];
                for (int l = 0; l < up->nv; l++) {
                    size_t column = tree_at(up, l);
                    M[row * nv + column] = M[column * nv + row] = wrench_dot(F, up->S[l]);
                }
                F = pose_ad_dual(up->X, F);
            }
        }
    }
}

/* in one frame nothing moves: composite inertias are sums, entries are dot products */
static void in_root(tree *t, size_t nv, double *M)
{
    hmli_tree_to_root(t);
    for (int i = t->n - 1; i >= 0; i--) {
        const tree_body *b = &t->body[i];
        if (b->parent >= 0) t->body[b->parent].Ic = inertia_add(t->body[b->parent].Ic, b->Ic);
        for (int k = 0; k < b->nv; k++) {
            wrench F = inertia_mul(b->Ic, b->Sr[k]);
            size_t row = tree_at(b, k);
            for (int j = i; j >= 0; j = t->body[j].parent) {
                const tree_body *up = &t->body[j];
                for (int l = 0; l < up->nv; l++) {
                    size_t column = tree_at(up, l);
                    M[row * nv + column] = M[column * nv + row] = wrench_dot(F, up->Sr[l]);
                }
            }
        }
    }
}

hml_status hml_crba(const hml_model *model, void *scratch, hml_crba_frame frame, const double *q, double *M)
{
    tree t;
    if (!M || (frame != HML_CRBA_BODY && frame != HML_CRBA_ROOT)) return HML_INVALID_ARGUMENT;
    hml_status status = hmli_tree_open(model, scratch, q, NULL, NULL, NULL, &t);
    if (status) return status;
    const unsigned before = overflow_watch();
    size_t nv = (size_t)model->nv;
    memset(M, 0, nv * nv * sizeof *M);
    if (frame == HML_CRBA_ROOT)
        in_root(&t, nv, M);
    else
        by_bodies(&t, nv, M);
    for (size_t k = 0; k < nv; k++) M[k * nv + k] += model_coordinates(model)[k].armature;
    return OVERFLOW_STATUS(before, {M, nv * nv});
}
