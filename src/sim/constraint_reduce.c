/*
 * The linearization of a held robot in the coordinates that are left: hamel/constraint.h.
 *
 * Perturbations (z, w) of (q, ν) on the constraints: J z = 0, J w + G z = 0 with G = ∂(J ν)/∂q. M = LᵀL, and the columns
 * of Q₂ are perpendicular to those of L⁻ᵀJᵀ:
 *
 *   Z = L⁻¹Q₂,  X = M⁻¹Jᵀξ,  (J M⁻¹Jᵀ) ξ = −G Z,      z = Z y,  w = X y + Z u
 *
 * ż = −ad_ν z + w is ẏ = u where ZᵀM(Ż + ad_ν Z) = 0, which says how the basis moves, together with d(J Z)/dt = 0. The
 * other half, M ẇ = −∂τ̂/∂q z − ∂τ̂/∂ν w + δτ + Jᵀδλ, is multiplied by Zᵀ, and δλ is gone:
 *
 *   u̇ = ZᵀM(ẇ − Ẋ y − Ż u),    ZᵀM Ż = −ZᵀM ad_ν Z,    −ZᵀM Ẋ = ŻᵀM X + ZᵀṀ X = (J Ż)ᵀξ + ZᵀṀ X
 *
 * for ZᵀM X = 0 always. J Ż = −J̇ Z = −(G + J ad_ν) Z, because flows commute: G z = J̇ z − J ad_ν z.
 */
#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "base/overflow.h"
#include "group/arrays.h"
#include "group/joint.h"
#include "hamel/reference/textbook.h"
#include "sim/constraint.h"

/* of the parts that a row's velocity adds up, what may be left of them; and a velocity that counts as none */
static const double tolerated = 1e-6, still = 1e-9;

/* out = ad_ν x */
static void apply_ad(const hml_model *model, const double *v, const double *x, double *out)
{
    memset(out, 0, (size_t)model->nv * sizeof *out);
    for (int32_t i = 0; i < model->njoints; i++) {
        const model_joint *j = &model_joints(model)[i];
        const size_t size = (size_t)j->nv;
        double ad[HML_JOINT_MAX_NV * HML_JOINT_MAX_NV] = {0};
        if (joint_commutes(j->type)) continue;
        joint_ad(j->type, v + j->v, ad);
        for (size_t r = 0; r < size; r++) out[(size_t)j->v + r] = dense_dot(size, ad + r * size, x + j->v);
    }
}

/* out_r = matrix_r · x, for all rows */
static void apply(size_t rows, size_t n, const double *matrix, const double *x, double *out)
{
    for (size_t i = 0; i < rows; i++) out[i] = dense_dot(n, matrix + i * n, x);
}

/* J ν = 0, up to round-off and to what an integrator leaves */
static int velocity_fits(const constraint_system *s, const double *v)
{
    for (size_t i = 0; i < s->m; i++) {
        double sum = 0, size = 0;
        for (size_t k = 0; k < s->n; k++) {
            const double part = s->J[i * s->n + k] * v[k];
            sum += part, size += fabs(part);
        }
        if (!(fabs(sum) <= tolerated * size + still)) return 0;
    }
    return 1;
}

/* Z, M Z, and with G in the partials what comes with a moving state */
static void fill_basis(constraint_system *s, size_t r)
{
    const size_t n = s->n, m = s->m;
    const constraint_basis *b = &s->basis;
    for (size_t k = 0; k < r; k++) {
        double *Z = b->Z + k * n, *MZ = b->MZ + k * n, *xi = b->xi + k * m;
        hmli_rank_null(&s->K, k, Z);
        memcpy(MZ, Z, n * sizeof *Z);
        hml_factor_solve(s->model->nv, s->parents, s->L, HML_DIAGONAL_STORED, 0, Z);
        hml_factor_multiply(s->model->nv, s->parents, s->L, HML_DIAGONAL_STORED, 1, MZ);
        apply(m, n, s->partials.cq, Z, b->GZ + k * m);
        for (size_t i = 0; i < m; i++) s->b[i] = -b->GZ[k * m + i];
        hmli_rank_solve_gram(&s->K, s->b, xi);
        hmli_constraint_apply(s, xi, s->zero, b->X + k * n);
    }
}

/* column k of −Zᵀ(D t), D: n × n, t: n */
static void put_force(const constraint_system *s, size_t r, const double *D, const double *t, double *column)
{
    apply(s->n, s->n, D, t, s->x);
    for (size_t i = 0; i < r; i++) column[i * 2 * r] -= dense_dot(s->n, s->basis.Z + i * s->n, s->x);
}

/* the lower half of A: K and D */
static void fill_lower(const constraint_system *s, size_t r, const double *q, const double *v, double *A)
{
    const size_t n = s->n, m = s->m;
    const constraint_basis *b = &s->basis;
    memset(A, 0, 2 * r * r * sizeof *A);
    for (size_t k = 0; k < r; k++) { /* what the forces do, and ad_ν Z in T */
        apply_ad(s->model, v, b->Z + k * n, b->T + k * n);
        put_force(s, r, s->partials.dq, b->Z + k * n, A + k);
        put_force(s, r, s->partials.dv, b->X + k * n, A + k);
        put_force(s, r, s->partials.dv, b->Z + k * n, A + r + k);
        for (size_t i = 0; i < r; i++) A[i * 2 * r + r + k] += dense_dot(n, b->MZ + i * n, b->T + k * n);
    }
    for (size_t i = 0; i < r; i++) { /* (J Ż)ᵀξ, row by row */
        apply(m, n, s->J, b->T + i * n, s->b);
        for (size_t j = 0; j < m; j++) s->b[j] += b->GZ[i * m + j];
        for (size_t k = 0; k < r; k++) A[i * 2 * r + k] -= dense_dot(m, s->b, b->xi + k * m);
    }
    for (size_t k = 0; m > 0 && k < r; k++) {
        hmli_constraint_mass_rate(s, q, v, b->X + k * n, s->h);
        for (size_t i = 0; i < r; i++) A[i * 2 * r + k] += dense_dot(n, b->Z + i * n, s->h);
    }
}

/* from rows to columns */
static void put_columns(size_t r, size_t n, const double *rows, double *out)
{
    for (size_t i = 0; out && i < n * r; i++) out[i] = rows[i % r * n + i / r];
}

static hml_status reduce(constraint_system *s, const hml_constrained_reduction *x)
{
    const size_t n = s->n;
    hml_constraint_report report;
    TRY(hmli_constraint_motion(s, x->q, x->v, x->tau, x->wrenches, &report));
    const size_t r = n - s->K.rank;
    if (x->freedom < 0 || (size_t)x->freedom != r) return HML_INVALID_ARGUMENT;
    TRY(hmli_constraint_tangent(s, x->q, x->v, x->wrenches));
    if (!velocity_fits(s, x->v)) return HML_INCONSISTENT;
    fill_basis(s, r);
    if (x->A) {
        memset(x->A, 0, 2 * r * r * sizeof(double));
        for (size_t k = 0; k < r; k++) x->A[k * 2 * r + r + k] = 1;
        fill_lower(s, r, x->q, x->v, x->A + 2 * r * r);
    }
    put_columns(r, n, s->basis.Z, x->Z);
    put_columns(r, n, s->basis.X, x->X);
    if (x->P) memcpy(x->P, s->basis.MZ, r * n * sizeof(double));
    if (x->B) {
        memset(x->B, 0, r * n * sizeof(double));
        memcpy(x->B + r * n, s->basis.Z, r * n * sizeof(double));
    }
    return FINITE_STATUS({x->Z, n * r}, {x->X, n * r}, {x->P, n * r}, {x->A, 4 * r * r});
}

/* held rows alone */
static int has_touches(const hml_constraints *set)
{
    for (int32_t i = 0; i < set->count; i++)
        if (set->items[i].kind == HML_TOUCH_PLANE) return 1;
    return 0;
}

hml_status hml_constrained_reduce(const hml_model *model, hml_work *work, const hml_constraints *constraints,
                                  double *scratch, const hml_constrained_reduction *arguments)
{
    constraint_system s;
    hml_constraints constraints_room;
    hml_constrained_reduction room;
    const hml_constraints *set = constraints_take(constraints, &constraints_room);
    const hml_constrained_reduction *x = STRUCT_TAKE(hml_constrained_reduction, arguments, &room, freedom);
    if (!x || !set || !x->v) return HML_INVALID_ARGUMENT;
    TRY(hmli_constraint_open(model, work, set, x->q, x->v, x->tau, x->wrenches, scratch, &s));
    return has_touches(set) ? HML_UNSUPPORTED : reduce(&s, x);
}

hml_status hml_constrained_freedom(const hml_model *model, hml_work *work, const hml_constraints *constraints,
                                   double *scratch, const double *q, int32_t *freedom)
{
    constraint_system s;
    hml_constraints constraints_room;
    const hml_constraints *set = constraints_take(constraints, &constraints_room);
    if (!set || !freedom) return HML_INVALID_ARGUMENT;
    TRY(hmli_constraint_open(model, work, set, q, NULL, NULL, NULL, scratch, &s));
    if (has_touches(set)) return HML_UNSUPPORTED;
    TRY(hmli_constraint_evaluate(&s, q, NULL, 0));
    TRY(hmli_constraint_factor(&s, q, s.zero, NULL));
    *freedom = (int32_t)(s.n - s.K.rank);
    return HML_OK;
}
