/*
 * The linearization of Bos, Propositions 1 to 3, from Tables 4 to 9:
 *
 *   A = [ −v×  0  I  0 ; 0  0  0  I ; −M⁻¹ [∂ID/∂H  ∂ID/∂s  ∂ID/∂v  ∂ID/∂r] ]   (42)      B = [ 0 ; M⁻¹ ]   (31)
 *
 * at the ν̇ that the forward dynamics give, (36). B has all columns: S of (5) picks the actuated ones.
 */
#include "base/layout.h"
#include "base/overflow.h"
#include "reference/bos/quantities.h"

size_t hmli_reference_lay(const hml_model *model, void *memory, reference *r)
{
    if (hml_reference_check(model, NULL)) return 0;
    const size_t n = (size_t)model->nbodies - 1, w = n + 6, c = n > 6 ? n : 6;
    layout_cursor at = layout_begin(memory);
    r->n = (int)n;
    r->body = layout_array(&at, n + 1, sizeof *r->body);
    r->rates = layout_doubles(&at, (n + 1) * 7 * 6 * c);
    r->dMc = layout_doubles(&at, (n + 1) * n * 36);
    r->dF = layout_doubles(&at, 12 * n);
    r->sets = layout_doubles(&at, 12 * (n + 1) * w);
    r->tau = layout_doubles(&at, w);
    r->dq = layout_doubles(&at, w * w);
    r->dv = layout_doubles(&at, w * w);
    return at.used;
}

reference_rates hmli_reference_rates_of(const reference *r, int i)
{
    size_t block = 6 * (size_t)(r->n > 6 ? r->n : 6);
    double *at = r->rates + (size_t)i * 7 * block;
    reference_rates d = {
        at, at + block, at + 2 * block, at + 3 * block, at + 4 * block, at + 5 * block, at + 6 * block};
    return d;
}

size_t hml_reference_size(const hml_model *model)
{
    reference r;
    return model ? hmli_reference_lay(model, NULL, &r) : 0;
}

hml_status hml_reference_inverse_dynamics(const hml_model *model, void *scratch, const double *q, const double *v,
                                          const double *a, double *tau)
{
    reference r;
    if (!model || !scratch || !q || !v || !a || !tau) return HML_INVALID_ARGUMENT;
    if (!hmli_reference_lay(model, scratch, &r)) return HML_UNSUPPORTED;
    hmli_reference_eidamb_passes(model, q, v, a, &r);
    hmli_reference_eidamb_forces(a, &r, tau);
    return FINITE_STATUS({tau, (size_t)model->nv});
}

hml_status hml_reference_consistent_dynamics(const hml_model *model, void *scratch, const double *q, const double *v,
                                             double *a, double *tau)
{
    reference r;
    double inverse[36];
    if (!model || !scratch || !q || !v || !a || !tau) return HML_INVALID_ARGUMENT;
    if (!hmli_reference_lay(model, scratch, &r)) return HML_UNSUPPORTED;
    hmli_reference_eidamb_passes(model, q, v, a, &r);
    if (hmli_reference_inverse6(r.body[0].Mc, inverse)) return HML_SINGULAR;
    mat6_apply(a, inverse, r.body[0].bc); /* between lines 28 and 29: a_0 = −(𝕄_B0^c)⁻¹ b_B0^c */
    for (int k = 0; k < 6; k++) a[k] = -a[k];
    hmli_reference_eidamb_forces(a, &r, tau);
    return FINITE_STATUS({tau, (size_t)model->nv});
}

hml_status hml_reference_inverse_dynamics_derivatives(const hml_model *model, void *scratch, hml_representation held,
                                                      const double *q, const double *v, const double *a,
                                                      double *dtau_dq, double *dtau_dv)
{
    reference r;
    if (!model || !scratch || !q || !v || !a || !dtau_dq || !dtau_dv || (held != HML_LEFT && held != HML_RIGHT)) {
        return HML_INVALID_ARGUMENT;
    }
    if (!hmli_reference_lay(model, scratch, &r)) return HML_UNSUPPORTED;
    hmli_reference_eidamb_passes(model, q, v, a, &r);
    hmli_reference_eidamb_forces(a, &r, r.tau);
    hmli_reference_derivative_H(held, &r, dtau_dq);
    if (r.n) hmli_reference_derivative_s(a, &r, dtau_dq);
    hmli_reference_derivative_v(&r, dtau_dv);
    if (r.n) hmli_reference_derivative_r(&r, dtau_dv);
    const size_t nn = (size_t)model->nv * (size_t)model->nv;
    return FINITE_STATUS({dtau_dq, nn}, {dtau_dv, nn});
}

/* −M⁻¹ D into a block of A, whose rows are 2 nv long */
static void solved(size_t nv, const double *Minv, const double *D, double *out)
{
    for (size_t i = 0; i < nv; i++) {
        for (size_t j = 0; j < nv; j++) {
            double sum = 0;
            for (size_t k = 0; k < nv; k++) sum -= Minv[i * nv + k] * D[k * nv + j];
            out[i * 2 * nv + j] = sum;
        }
    }
}

hml_status hml_reference_linearize(const hml_model *model, void *scratch, const double *q, const double *v,
                                   const double *tau, double *a, double *A, double *B)
{
    reference r;
    if (!model || !scratch || !q || !v || !a || !A || !B) return HML_INVALID_ARGUMENT;
    if (!hmli_reference_lay(model, scratch, &r)) return HML_UNSUPPORTED;
    size_t nv = (size_t)r.n + 6;
    double *Minv = B + nv * nv, ad[36];
    memset(A, 0, 4 * nv * nv * sizeof *A);
    memset(B, 0, nv * nv * sizeof *B);
    hml_status status = hml_reference_inverse_mass_matrix(model, scratch, q, Minv);
    if (status) return status;
    memset(a, 0, nv * sizeof *a);
    hml_reference_inverse_dynamics(model, scratch, q, v, a, r.tau); /* h */
    for (size_t k = 0; k < nv; k++) r.tau[k] = (tau ? tau[k] : 0) - r.tau[k];
    for (size_t i = 0; i < nv; i++) { /* (36) */
        for (size_t k = 0; k < nv; k++) a[i] += Minv[i * nv + k] * r.tau[k];
    }
    hml_reference_inverse_dynamics_derivatives(model, scratch, HML_LEFT, q, v, a, r.dq, r.dv);
    mat6_cross(ad, v);
    for (size_t k = 0; k < 36; k++) A[k / 6 * 2 * nv + k % 6] = -ad[k];
    for (size_t k = 0; k < nv; k++) A[k * 2 * nv + nv + k] = 1;
    solved(nv, Minv, r.dq, A + 2 * nv * nv);
    solved(nv, Minv, r.dv, A + 2 * nv * nv + nv);
    return FINITE_STATUS({a, nv}, {A, 4 * nv * nv}, {B, 2 * nv * nv});
}
