/*
 * What the reference algorithms hand to each other: the quantities of Bos, Table 3, in the caller's scratch.
 *
 * Symbols of the paper and their names here, all in the frame of body i, linear first:
 *
 *   ⁱX_λ(i)      X       twist from the parent's frame; its transpose is the wrench transform the other way, _λX^i
 *   ∂ⁱX_λ/∂s_i   dX
 *   Γ_Ji         Gamma   v_Ji  vJ     joint velocity subspace and velocity
 *   v_i          v       m_Bi  m      twist, momentum
 *   a_i^r        ar      a_i^vp  avp  acceleration against the base plus "gravity"; velocity products alone
 *   𝕄_Bi         M       𝕄_Bi^c  Mc   inertia; composite (in Table 9 articulated, 𝕄_Bi^A)
 *   b_Bi^c       bc      b_Bi^vp  bvp composite bias wrenches
 *   ⁱa_{A,0}     a0      the base's acceleration, seen from body i
 *   U_Bi         U, D    Table 9, lines 7 and 8: 𝕄_Bi^A Γ_Ji and Γ_Jiᵀ U_Bi
 *
 * Body 0 is the base, bodies 1 … n its successors; joint i moves body i and is coordinate i − 1 of s and r.
 */
#ifndef HML_REFERENCE_BOS_QUANTITIES_H
#define HML_REFERENCE_BOS_QUANTITIES_H

#include "hamel/reference/bos.h"
#include "model/model.h"
#include "reference/bos/matrix6.h"

typedef struct reference_body {
    double X[36], dX[36], M[36], Mc[36];
    double Gamma[6], vJ[6], v[6], ar[6], avp[6], m[6], bc[6], bvp[6], a0[6];
    double U[6], D;
    int parent;
} reference_body;

/* derivatives of the quantities of one body: blocks of n columns, or of six */
typedef struct reference_rates {
    double *v, *ar, *avp, *m, *bc, *bvp, *a0;
} reference_rates;

typedef struct reference {
    int n;                 /* n_B = n_J */
    reference_body *body;  /* n + 1 */
    double *rates;         /* (n + 1) · 7 blocks of max(n, 6) columns */
    double *dMc;           /* (n + 1) · n mat6: ∂𝕄_Bi^c/∂s_k */
    double *dF;            /* two blocks of n columns */
    double *sets;          /* 𝓕 and 𝓟 of Table 9: 2 (n + 1) blocks of n + 6 columns */
    double *tau, *dq, *dv; /* n + 6, and (n + 6)² twice */
} reference;

/* bytes; memory NULL: count only */
size_t hmli_reference_lay(const hml_model *model, void *memory, reference *r);

reference_rates hmli_reference_rates_of(const reference *r, int i);
static inline double *reference_dMc(const reference *r, int i, int k)
{
    return r->dMc + ((size_t)i * (size_t)r->n + (size_t)k) * 36;
}

/* lines 13 and 15 of Table 4, and Γ; 2 and 3 of Tables 6 and 9: everything that depends on s alone */
void hmli_reference_joints(const hml_model *model, const double *q, reference *r);

/* Table 4: the forward and backward passes, lines 5 to 28; then lines 29 to 40 */
void hmli_reference_eidamb_passes(const hml_model *model, const double *q, const double *v, const double *a,
                                  reference *r);
void hmli_reference_eidamb_forces(const double *a, reference *r, double *tau);

/* Tables 5 and 7 (six columns), 8 and 6 (n columns), after Table 4; out: (n + 6) × (n + 6), of which they fill
 * their columns */
void hmli_reference_derivative_H(hml_representation held, const reference *r, double *out);
void hmli_reference_derivative_v(const reference *r, double *out);
void hmli_reference_derivative_r(const reference *r, double *out);
void hmli_reference_derivative_s(const double *a, const reference *r, double *out);

/* A⁻¹ of a symmetric positive definite 6 × 6; 1 if there is none */
int hmli_reference_inverse6(const double *A, double *inverse);

/* the base's pose in the world */
void hmli_reference_base(const hml_model *model, const double *q, double R[9]);

#endif
