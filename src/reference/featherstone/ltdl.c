/* See hamel/reference/textbook.h; Featherstone, Tables 6.3 to 6.5. λ is parents. */
#include "hamel/reference/textbook.h"

#include <math.h>

#include "model/model.h"

static double *row(double *M, int32_t nv, int32_t i) { return M + (size_t)i * (size_t)nv; }
static const double *const_row(const double *M, int32_t nv, int32_t i) { return M + (size_t)i * (size_t)nv; }

hml_status hml_coordinate_parents(const hml_model *model, int32_t *parents)
{
    if (!model || !parents) return HML_INVALID_ARGUMENT;
    if (model->nfollowers) return HML_UNSUPPORTED;
    const model_body *b = model_bodies(model);
    for (int32_t i = 0; i < model->nbodies; i++) {
        int32_t up = b[i].parent;
        while (up >= 0 && b[up].nv == 0) up = b[up].parent; /* fixed joints that were kept */
        for (int32_t k = 0; k < b[i].nv; k++)
            parents[b[i].v + k] = k ? b[i].v + k - 1 : up < 0 ? -1 : b[up].v + b[up].nv - 1;
    }
    return HML_OK;
}

hml_status hml_ltl_factor(int32_t nv, const int32_t *parents, double *M)
{
    if (nv < 0 || !parents || !M) return HML_INVALID_ARGUMENT;
    for (int32_t k = nv - 1; k >= 0; k--) {
        double *Mk = row(M, nv, k);
        if (!(Mk[k] > 0)) return HML_SINGULAR;
        Mk[k] = sqrt(Mk[k]);
        for (int32_t i = parents[k]; i >= 0; i = parents[i]) Mk[i] /= Mk[k];
        for (int32_t i = parents[k]; i >= 0; i = parents[i]) {
            for (int32_t j = i; j >= 0; j = parents[j]) row(M, nv, i)[j] -= Mk[i] * Mk[j];
        }
    }
    return HML_OK;
}

hml_status hml_ltdl_factor(int32_t nv, const int32_t *parents, double *M)
{
    if (nv < 0 || !parents || !M) return HML_INVALID_ARGUMENT;
    for (int32_t k = nv - 1; k >= 0; k--) {
        double *Mk = row(M, nv, k);
        if (!(Mk[k] > 0)) return HML_SINGULAR;
        for (int32_t i = parents[k]; i >= 0; i = parents[i]) {
            double a = Mk[i] / Mk[k];
            for (int32_t j = i; j >= 0; j = parents[j]) row(M, nv, i)[j] -= a * Mk[j];
            Mk[i] = a;
        }
    }
    return HML_OK;
}

hml_status hml_factor_multiply(int32_t nv, const int32_t *parents, const double *L, hml_factor_diagonal diagonal,
                               int transposed, double *x)
{
    if (nv < 0 || !parents || !L || !x) return HML_INVALID_ARGUMENT;
    for (int32_t n = 0; n < nv; n++) { /* rows are used up from the end, columns from the beginning */
        int32_t i = transposed ? n : nv - 1 - n;
        const double *Li = const_row(L, nv, i);
        double xi = x[i], own = diagonal == HML_DIAGONAL_UNIT ? xi : Li[i] * xi;
        for (int32_t j = parents[i]; j >= 0; j = parents[j]) {
            if (transposed)
                x[j] += Li[j] * xi;
            else
                own += Li[j] * x[j];
        }
        x[i] = own;
    }
    return HML_OK;
}

hml_status hml_factor_solve(int32_t nv, const int32_t *parents, const double *L, hml_factor_diagonal diagonal,
                            int transposed, double *x)
{
    if (nv < 0 || !parents || !L || !x) return HML_INVALID_ARGUMENT;
    for (int32_t n = 0; n < nv; n++) {
        int32_t i = transposed ? nv - 1 - n : n;
        const double *Li = const_row(L, nv, i);
        double own = diagonal == HML_DIAGONAL_UNIT ? 1 : Li[i];
        if (transposed) x[i] /= own;
        for (int32_t j = parents[i]; j >= 0; j = parents[j]) {
            if (transposed)
                x[j] -= Li[j] * x[i];
            else
                x[i] -= Li[j] * x[j];
        }
        if (!transposed) x[i] /= own;
    }
    return HML_OK;
}

hml_status hml_tree_multiply(int32_t nv, const int32_t *parents, const double *M, const double *x, double *y)
{
    if (nv < 0 || !parents || !M || !x || !y) return HML_INVALID_ARGUMENT;
    for (int32_t i = 0; i < nv; i++) y[i] = const_row(M, nv, i)[i] * x[i];
    for (int32_t i = 0; i < nv; i++) {
        const double *Mi = const_row(M, nv, i);
        for (int32_t j = parents[i]; j >= 0; j = parents[j]) {
            y[i] += Mi[j] * x[j];
            y[j] += Mi[j] * x[i];
        }
    }
    return HML_OK;
}
