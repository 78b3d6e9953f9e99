/* The tangent of a step: what kernel/single/step.h wants of joints, and its calls. */
#include <string.h>

#include "algo/linearize/blocks.h"
#include "algo/linearize/step.h"
#include "group/joint.h"
#include "model/coordinates.h"

/* E = Ad of exp(−θ) = 1 − S(θ) ad_θ, and S */
static void joint_end(int type, const double *theta, step_joint *j)
{
    const size_t m = j->m;
    double ad[HML_JOINT_MAX_NV * HML_JOINT_MAX_NV];
    joint_jacobian(type, theta, j->S);
    joint_ad(type, theta, ad);
    for (size_t i = 0; i < m; i++) {
        for (size_t k = 0; k < m; k++) {
            double sum = i == k;
            for (size_t e = 0; e < m; e++) sum -= j->S[i * m + e] * ad[e * m + k];
            j->E[i * m + k] = sum;
        }
    }
}

/* Σ a_k S_k: an element of a joint's algebra as one of se(3), where its Jacobians are known in closed form */
static twist embed(size_t m, const twist *S, const double *a)
{
    twist V = twist_zero();
    for (size_t k = 0; k < m; k++) V = twist_axpy(a[k], S[k], V);
    return V;
}

/* S⁻¹, and the derivative of S⁻¹ ν by θ: −S⁻¹ (∂S/∂θ) S⁻¹ ν; rate: S⁻¹ ν */
static void joint_rates(int type, const double *theta, const double *rate, step_joint *j)
{
    const size_t m = j->m;
    twist S[HML_JOINT_MAX_NV];
    se3_coefficients g, g1;
    joint_columns(type, vec3_of(0, 0, 1), vec3_zero(), 0, S);
    const twist back = twist_neg(embed(m, S, theta)), u = embed(m, S, rate); /* S(θ) is dexp on the left at −θ */
    se3_derivative_coefficients(back.w, &g, &g1);
    memset(j->T, 0, sizeof j->T);
    for (size_t c = 0; c < m; c++) {
        const twist d = se3_derivative_apply(g, g1, back, S[c], u);
        for (size_t e = 0; e < m; e++) {
            const double x = vec3_dot(S[e].v, d.v) + vec3_dot(S[e].w, d.w);
            for (size_t r = 0; r < m; r++) j->T[r * m + c] += j->inverse[r * m + e] * x;
        }
    }
}

/* E and S at θ */
static void joint_ends(one_step *s)
{
    step_joint *to = s->tangent.joints;
    for (const model_joint *j = first_joint(s->model); j; j = next_joint(s->model, j))
        if (!joint_commutes(j->type)) joint_end(j->type, s->x + j->v, to++);
}

void hmli_step_angle_rates(one_step *s, int tangent)
{
    step_joint *to = s->tangent.joints;
    memcpy(s->rate, s->x + s->n, s->n * sizeof *s->rate);
    for (const model_joint *j = first_joint(s->model); j; j = next_joint(s->model, j)) {
        if (joint_commutes(j->type)) continue;
        const double *theta = s->x + j->v, *nu = s->x + s->n + j->v;
        double *rate = s->rate + j->v;
        joint_jacobian_inverse(j->type, theta, to->inverse);
        for (int32_t r = 0; r < j->nv; r++) {
            double sum = 0;
            for (int32_t c = 0; c < j->nv; c++) sum += to->inverse[r * j->nv + c] * nu[c];
            rate[r] = sum;
        }
        if (tangent) joint_rates(j->type, theta, rate, to);
        to++;
    }
}

void hmli_step_euler_tangent(one_step *s)
{
    joint_ends(s);
    s->work->choice.single->single_step_euler(&s->tangent);
}

hml_status hmli_step_stage_tangent(one_step *s, int stage)
{
    const size_t n = s->n, ld = s->tangent.ld;
    double *K = s->tangent.K[stage];
    hml_linearization at;
    memset(&at, 0, sizeof at);
    at.struct_size = sizeof at;
    at.q.data = s->q;
    at.v.data = s->x + n;
    at.tau.data = s->tau;
    at.acceleration.data = s->rate + n;
    at.Dq = (hml_output){K, ld, 0};
    at.Dv = (hml_output){K + n, ld, 0};
    at.Minv = (hml_output){K + 2 * n, ld, 0};
    const hml_status status = hmli_linearize(s->work, NULL, &at);
    if (status) return status;
    for (size_t r = 0; r < n; r++) memset(K + r * ld + 3 * n, 0, (ld - 3 * n) * sizeof *K);
    memset(K + n * ld, 0, STEP_ROW_PACK * sizeof *K); /* sums read whole packs, the last of them beyond the end */
    if (stage) joint_ends(s);                         /* the first one is at θ = 0 */
    s->tangent.stage = stage;
    s->work->choice.batch->single_step_stage(&s->tangent);
    return HML_OK;
}

void hmli_step_sum_tangent(one_step *s)
{
    joint_ends(s);
    s->work->choice.single->single_step_sum(&s->tangent);
}
