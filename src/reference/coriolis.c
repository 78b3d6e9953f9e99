/*
 * The Coriolis matrix and Christoffel's symbols by composite bodies, in the frame of the tree's root:
 *
 *   C_jk = S_jᵀ ( I_i^c Ṡ_k + B_i^c S_k ),   i the deeper of the two bodies,   Ṡ = V × S
 *   B = ½ ( V ×* I − I V × + [I V] ),        [f] m = m ×* f
 *
 * summed over subtrees. It is Müller (84) made right: as printed, Ṁ − 2C is not skew. The same matrix is that of
 * Echeandia and Wensing (2021), who show that it holds Christoffel's symbols; nothing in it asks a joint to commute.
 *
 * Of B's 36 entries most are zero or the momentum (p, l) = I V once more:
 *
 *   B = [0 −p^; 0 Y − ½ l^],   Y = ½ (ω^ J − J ω^) + (v·h) 1 − ½ (h vᵀ + v hᵀ)   symmetric
 *
 * C is linear in ν. With ν the unit vector k, all bodies that k carries have the twist S_k, so that with d the deepest
 * of the bodies of i, j and k, on one path all three:
 *
 *   Γ_ijk = S_iᵀ ( [k carries j or is of its joint] I_d^c (S_k × S_j) + B(I_d^c, S_k) S_j )
 */
#include "hamel/reference/textbook.h"

#include "base/overflow.h"
#include "reference/featherstone/tree.h"

/* B: what it needs of a momentum, and Y */
typedef struct velocity_part {
    wrench momentum;
    sym3 Y;
} velocity_part;

static velocity_part velocity_part_of(inertia I, twist V)
{
    const sym3 J = I.J;
    const vec3 w = V.w, v = V.v, h = I.h;
    const vec3 x = vec3_cross(w, vec3_of(J.xx, J.xy, J.xz)), y = vec3_cross(w, vec3_of(J.xy, J.yy, J.yz));
    const vec3 z = vec3_cross(w, vec3_of(J.xz, J.yz, J.zz)); /* columns of ω^ J */
    const double s = vec3_dot(v, h);
    velocity_part B;
    B.momentum = inertia_mul(I, V);
    B.Y = sym3_of(x.x + s - h.x * v.x, 0.5 * (x.y + y.x - h.x * v.y - h.y * v.x),
                  0.5 * (x.z + z.x - h.x * v.z - h.z * v.x), y.y + s - h.y * v.y,
                  0.5 * (y.z + z.y - h.y * v.z - h.z * v.y), z.z + s - h.z * v.z);
    return B;
}

/* I Ṡ + B S */
static wrench pull(inertia I, const velocity_part *B, twist S, twist Sdot)
{
    const wrench f = inertia_mul(I, Sdot);
    const vec3 turn = vec3_axpy(-0.5, vec3_cross(B->momentum.t, S.w), sym3_mul(B->Y, S.w));
    return wrench_of(vec3_sub(f.f, vec3_cross(B->momentum.f, S.w)), vec3_add(f.t, turn));
}

/* the angular part of Bᵀ S, the other is zero */
static vec3 pull_back(const velocity_part *B, twist S)
{
    const vec3 turn = vec3_axpy(0.5, vec3_cross(B->momentum.t, S.w), sym3_mul(B->Y, S.w));
    return vec3_add(turn, vec3_cross(B->momentum.f, S.v));
}

/* a body's, in the room of its articulated inertia */
static velocity_part *part_of(const tree_body *b) { return (velocity_part *)(void *)b->IA; }

_Static_assert(sizeof(velocity_part) <= 36 * sizeof(double), "room of B");

/* row and column k of body i, over all that carries it */
static void row_and_column(const tree *t, int i, int k, size_t nv, double *C)
{
    const tree_body *b = &t->body[i];
    const twist S = b->Sr[k];
    const size_t row = tree_at(b, k);
    const wrench across = inertia_mul(b->Ic, S), down = pull(b->Ic, part_of(b), S, b->Sd[0][k]);
    const vec3 turn = pull_back(part_of(b), S);
    for (int j = i; j >= 0; j = t->body[j].parent) {
        const tree_body *up = &t->body[j];
        for (int l = 0; l < up->nv; l++) {
            const size_t column = tree_at(up, l);
            C[row * nv + column] = wrench_dot(across, up->Sd[0][l]) + vec3_dot(turn, up->Sr[l].w);
            if (j != i) C[column * nv + row] = wrench_dot(down, up->Sr[l]);
        }
    }
}

static void fill(tree *t, const double *v, size_t nv, double *C)
{
    memset(C, 0, nv * nv * sizeof *C);
    hmli_tree_to_root(t);
    for (int i = 0; i < t->n; i++) {
        tree_body *b = &t->body[i];
        b->v = twist_add(b->parent < 0 ? twist_zero() : t->body[b->parent].v, tree_joint(b, b->Sr, v));
        for (int k = 0; k < b->nv; k++) b->Sd[0][k] = twist_cross(b->v, b->Sr[k]);
        *part_of(b) = velocity_part_of(b->Ic, b->v);
    }
    for (int i = t->n - 1; i >= 0; i--) {
        const tree_body *b = &t->body[i];
        for (int k = 0; k < b->nv; k++) row_and_column(t, i, k, nv, C);
        if (b->parent < 0) continue;
        tree_body *p = &t->body[b->parent];
        velocity_part *to = part_of(p);
        p->Ic = inertia_add(p->Ic, b->Ic);
        to->momentum = wrench_add(to->momentum, part_of(b)->momentum);
        to->Y = sym3_add(to->Y, part_of(b)->Y);
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
    for (size_t i = 0; Mdot && i < nv; i++) {
        for (size_t k = 0; k < nv; k++) Mdot[i * nv + k] = C[i * nv + k] + C[k * nv + i];
    }
    return OVERFLOW_STATUS(before, {C, nv * nv}, {Mdot, nv * nv});
}

/* ---- Christoffel's symbols ---- */

/* Γ_ijk for all i on d's path, or for those of d alone: the products of W with their columns */
static void symbols_of_wrench(const tree *t, int d, int d_alone, wrench W, size_t j, size_t k, size_t nv, double *Gamma)
{
    for (int i = d; i >= 0; i = d_alone ? -1 : t->body[i].parent) {
        const tree_body *b = &t->body[i];
        for (int e = 0; e < b->nv; e++) Gamma[(tree_at(b, e) * nv + j) * nv + k] = wrench_dot(W, b->Sr[e]);
    }
}

/* all symbols of column k of body b whose deepest body is d */
static void symbols_of_column(const tree *t, int d, int b, int k, size_t nv, double *Gamma)
{
    const tree_body *own = &t->body[b];
    const inertia I = t->body[d].Ic;
    const twist S = own->Sr[k];
    const velocity_part B = velocity_part_of(I, S);
    for (int j = d; j >= 0; j = t->body[j].parent) {
        const tree_body *at = &t->body[j];
        for (int l = 0; l < at->nv; l++) {
            const twist turned = b <= j ? twist_cross(S, at->Sr[l]) : twist_zero(); /* parents come first */
            const wrench W = pull(I, &B, at->Sr[l], turned);
            symbols_of_wrench(t, d, b != d && j != d, W, tree_at(at, l), tree_at(own, k), nv, Gamma);
        }
    }
}

hml_status hml_christoffel(const hml_model *model, void *scratch, const double *q, double *Gamma)
{
    tree t;
    if (!Gamma) return HML_INVALID_ARGUMENT;
    hml_status status = hmli_tree_open(model, scratch, q, NULL, NULL, NULL, &t);
    if (status) return status;
    const unsigned before = overflow_watch();
    const size_t nv = (size_t)model->nv;
    memset(Gamma, 0, nv * nv * nv * sizeof *Gamma);
    hmli_tree_to_root(&t);
    for (int d = t.n - 1; d >= 0; d--) {
        const tree_body *own = &t.body[d];
        for (int b = d; own->nv && b >= 0; b = t.body[b].parent)
            for (int k = 0; k < t.body[b].nv; k++) symbols_of_column(&t, d, b, k, nv, Gamma);
        if (own->parent >= 0) t.body[own->parent].Ic = inertia_add(t.body[own->parent].Ic, own->Ic);
    }
    return OVERFLOW_STATUS(before, {Gamma, nv * nv * nv});
}
