/*
 * IMMAmb, the inverse of the mass matrix of a robot with a moving base: Bos, Table 9. Symbols in quantities.h, where Mc
 * now holds the articulated inertia 𝕄^A. F_i and P_i are the table's 𝓕_i and 𝓟_i.
 *
 * Deviations from print
 * - 𝓕 and 𝓟 are 6 × (n_J + 6).
 * - Line 11: _λX^i multiplies the sum (𝓕_i + U_Bi M^inv row).
 * - Line 18: 𝓟 of the parent is indexed [:, i+6:].
 * - The lower left block is never written there: it is filled by symmetry.
 */
#include "reference/bos/quantities.h"

hml_status hml_reference_inverse_mass_matrix(const hml_model *model, void *scratch, const double *q, double *Minv)
{
    reference r;
    if (!model || !scratch || !q || !Minv) return HML_INVALID_ARGUMENT;
    if (!hmli_reference_lay(model, scratch, &r)) return HML_UNSUPPORTED;
    const model_body *tree = model_bodies(model);
    reference_body *b = r.body;
    size_t w = (size_t)r.n + 6, set = 6 * w; /* columns; size of 𝓕_i */
    double *F = r.sets, *P = r.sets + set * ((size_t)r.n + 1), inverse[36];
    memset(F, 0, 2 * set * ((size_t)r.n + 1) * sizeof *F);
    memset(Minv, 0, w * w * sizeof *Minv);
    hmli_reference_joints(model, q, &r);                                    /* 1-3 */
    for (int i = 0; i <= r.n; i++) memcpy(b[i].Mc, b[i].M, sizeof b[i].Mc); /* 4, 5 */
    for (int i = r.n; i >= 1; i--) {                                        /* 6 */
        double *U = b[i].U, D, *row = Minv + (size_t)(5 + i) * w;
        double *Fi = F + set * (size_t)i, *Fp = F + set * (size_t)b[i].parent;
        mat6_apply(U, b[i].Mc, b[i].Gamma); /* 7 */
        D = vec6_dot(b[i].Gamma, U);        /* 8 */
        if (!(D > 0)) return HML_SINGULAR;
        b[i].D = D;
        row[5 + i] = 1 / D; /* 9 */
        for (size_t k = 5 + (size_t)i; k < 5 + (size_t)tree[i].subtree_end; k++) {
            for (size_t l = 0; l < 6; l++) row[k] -= b[i].Gamma[l] * Fi[l * w + k] / D; /* 10 */
            double sum[6], up[6];
            for (size_t l = 0; l < 6; l++) sum[l] = Fi[l * w + k] + U[l] * row[k];
            mat6_tapply(up, b[i].X, sum);
            for (size_t l = 0; l < 6; l++) Fp[l * w + k] += up[l]; /* 11 */
        }
        double Ma[36];
        for (int k = 0; k < 36; k++) Ma[k] = b[i].Mc[k] - U[k / 6] * U[k % 6] / D; /* 12 */
        mat6_add_sandwich(b[b[i].parent].Mc, b[i].X, Ma, b[i].X);                  /* 13 */
    }                                                                              /* 14 */
    if (hmli_reference_inverse6(b[0].Mc, inverse)) return HML_SINGULAR;
    for (size_t k = 6; k < w; k++) { /* 15 */
        for (size_t l = 0; l < 36; l++) P[l / 6 * w + k] -= inverse[l] * F[l % 6 * w + k];
    }
    for (int i = 1; i <= r.n; i++) { /* 16 */
        const double *U = b[i].U, D = b[i].D, *Pp = P + set * (size_t)b[i].parent;
        double *row = Minv + (size_t)(5 + i) * w, *Pi = P + set * (size_t)i;
        for (size_t k = 5 + (size_t)i; k < w; k++) {
            double from[6], here[6];
            for (size_t l = 0; l < 6; l++) from[l] = Pp[l * w + k];
            mat6_apply(here, b[i].X, from);
            row[k] -= vec6_dot(U, here) / D;                                                 /* 17 */
            for (size_t l = 0; l < 6; l++) Pi[l * w + k] = b[i].Gamma[l] * row[k] + here[l]; /* 18 */
        }
    }                                /* 19 */
    for (size_t k = 6; k < w; k++) { /* 20 */
        for (size_t l = 0; l < 6; l++) Minv[l * w + k] = P[l * w + k];
    }
    for (size_t l = 0; l < 6; l++) memcpy(Minv + l * w, inverse + 6 * l, 6 * sizeof *Minv); /* 26 */
    for (size_t k = 0; k < w; k++) { /* 21-25, and the lower left */
        for (size_t l = 0; l < k; l++) Minv[k * w + l] = Minv[l * w + k];
    }
    return HML_OK;
}
