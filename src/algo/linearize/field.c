/* The linearization of any field on a product of groups: see hamel/field.h. Bos, (8)-(13). */
#include "hamel/field.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/finite.h"
#include "base/struct_size.h"
#include "group/joint.h"

enum { ORDER = 4 }; /* points on either side */

/* the eighth-order central difference: Σ weight[i] (f((i + 1) s) − f(−(i + 1) s)) / s */
static const double weight[ORDER] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};

typedef struct scratch_parts {
    double *g;            /* nq: moved */
    double *u;            /* ninputs: moved */
    double *lambda;       /* m: at the point itself */
    double *plus, *minus; /* m */
} scratch_parts;

static int factor(const hml_field *f, size_t i) { return (int)f->factors[i]; }

static size_t count(const hml_field *f, int (*size)(int))
{
    size_t n = 0;
    for (size_t i = 0; f && f->factors && i < f->nfactors; i++) n += (size_t)size(factor(f, i));
    return n;
}

static const hml_field *take(const hml_field *given, hml_field *room)
{
    return STRUCT_TAKE(hml_field, given, room, velocity);
}

size_t hml_field_nq(const hml_field *field)
{
    hml_field room;
    return count(take(field, &room), joint_nq);
}

size_t hml_field_nv(const hml_field *field)
{
    hml_field room;
    return count(take(field, &room), joint_nv);
}

size_t hml_field_scratch_doubles(const hml_field *field)
{
    hml_field room;
    const hml_field *f = take(field, &room);
    if (!f) return 0;
    size_t own = hml_field_nq(f) + 3 * hml_field_nv(f);
    return f->ninputs <= SIZE_MAX / sizeof(double) - own ? own + f->ninputs : 0;
}

static scratch_parts lay_out(const hml_field *f, double *at)
{
    scratch_parts s;
    size_t m = hml_field_nv(f);
    s.g = at;
    s.u = s.g + hml_field_nq(f);
    s.lambda = s.u + f->ninputs;
    s.plus = s.lambda + m;
    s.minus = s.plus + m;
    return s;
}

static int is_group(int type)
{
    return type >= HML_JOINT_FIXED && type <= HML_JOINT_FREE && type != HML_JOINT_UNIVERSAL;
}

static int valid(const hml_field *f, const double *g, const double *u, double t, const double *scratch)
{
    if (!f || !f->velocity || !scratch || !isfinite(t)) return 0;
    if ((f->nfactors && (!f->factors || !g)) || (f->ninputs && !u)) return 0;
    if (!isfinite(f->step) || f->step < 0) return 0;
    for (size_t i = 0; i < f->nfactors; i++) {
        if (!is_group(factor(f, i))) return 0;
    }
    return 1;
}

static hml_status check_point(const hml_field *f, const double *g, const double *u)
{
    if (!all_finite(g, hml_field_nq(f)) || !all_finite(u, f->ninputs)) return HML_NOT_FINITE;
    for (size_t i = 0; i < f->nfactors; g += joint_nq(factor(f, i)), i++) {
        const int at = quaternion_at(factor(f, i));
        if (at >= 0 && !quat_is_unit(quat_at(g + at))) return HML_NOT_NORMALIZED;
    }
    return HML_OK;
}

/* column c of out ← Σ weight (plus − minus)/h, point after point */
static void add_difference(const scratch_parts *s, size_t m, double scale, size_t columns, size_t c, double *out)
{
    for (size_t r = 0; r < m; r++) out[r * columns + c] += scale * (s->plus[r] - s->minus[r]);
}

/* Dλ∘DL_g, one factor moved at a time */
static hml_status difference_g(const hml_field *f, const double *g, const double *u, double t, double h,
                               const scratch_parts *s, double *A)
{
    size_t m = hml_field_nv(f), q = 0, column = 0;
    memcpy(s->g, g, hml_field_nq(f) * sizeof *g);
    for (size_t i = 0; i < f->nfactors; q += (size_t)joint_nq(factor(f, i)), i++) {
        int type = factor(f, i), nv = joint_nv(type);
        for (int k = 0; k < nv; k++, column++) {
            for (int p = 0; p < ORDER; p++) {
                double z[HML_JOINT_MAX_NV] = {0};
                z[k] = (p + 1) * h;
                joint_integrate(type, g + q, z, s->g + q);
                hml_status status = f->velocity(f->user, s->g, u, t, s->plus);
                z[k] = -z[k];
                joint_integrate(type, g + q, z, s->g + q);
                if (!status) status = f->velocity(f->user, s->g, u, t, s->minus);
                if (status) return status;
                add_difference(s, m, weight[p] / h, m, column, A);
            }
        }
        memcpy(s->g + q, g + q, (size_t)joint_nq(type) * sizeof *g);
    }
    return HML_OK;
}

static hml_status difference_u(const hml_field *f, const double *g, const double *u, double t, double step,
                               const scratch_parts *s, double *B)
{
    size_t m = hml_field_nv(f);
    if (f->ninputs) memcpy(s->u, u, f->ninputs * sizeof *u);
    for (size_t k = 0; k < f->ninputs; k++) {
        double h = step * fmax(1, fabs(u[k]));
        for (int p = 0; p < ORDER; p++) {
            s->u[k] = u[k] + (p + 1) * h;
            hml_status status = f->velocity(f->user, g, s->u, t, s->plus);
            s->u[k] = u[k] - (p + 1) * h;
            if (!status) status = f->velocity(f->user, g, s->u, t, s->minus);
            if (status) return status;
            add_difference(s, m, weight[p] / h, f->ninputs, k, B);
        }
        s->u[k] = u[k];
    }
    return HML_OK;
}

/* − ad_λ, factor by factor on the diagonal: (12) */
static void subtract_ad(const hml_field *f, const double *lambda, double *A)
{
    size_t m = hml_field_nv(f), first = 0;
    for (size_t i = 0; i < f->nfactors; i++) {
        size_t n = (size_t)joint_nv(factor(f, i));
        double ad[HML_JOINT_MAX_NV * HML_JOINT_MAX_NV] = {0};
        if (!joint_commutes(factor(f, i))) {
            joint_ad(factor(f, i), &lambda[first], ad);
            for (size_t r = 0; r < n; r++) {
                for (size_t c = 0; c < n; c++) A[(first + r) * m + first + c] -= ad[r * n + c];
            }
        }
        first += n;
    }
}

hml_status hml_field_linearize(const hml_field *field, const double *g, const double *u, double t, double *scratch,
                               double *lambda, double *A, double *B)
{
    hml_field room;
    const hml_field *f = take(field, &room);
    if (!valid(f, g, u, t, scratch)) return HML_INVALID_ARGUMENT;
    hml_status status = check_point(f, g, u);
    if (status) return status;
    scratch_parts s = lay_out(f, scratch);
    size_t m = hml_field_nv(f);
    double step = f->step > 0 ? f->step : 1.0 / 64;
    status = f->velocity(f->user, g, u, t, s.lambda);
    if (status) return status;
    if (lambda) memcpy(lambda, s.lambda, m * sizeof(double));
    if (A) memset(A, 0, m * m * sizeof(double));
    if (B) memset(B, 0, m * f->ninputs * sizeof(double));
    if (f->derivatives) {
        status = A || B ? f->derivatives(f->user, g, u, t, A, B) : HML_OK;
    } else {
        if (A) status = difference_g(f, g, u, t, step, &s, A);
        if (B && !status) status = difference_u(f, g, u, t, step, &s, B);
    }
    if (A && !status) subtract_ad(f, s.lambda, A);
    return status;
}
