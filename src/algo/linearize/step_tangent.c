/* The tangent of a step: what kernel/single/step.h wants of joints, and its calls. */
#include <string.h>

#include "algo/linearize/blocks.h"
#include "algo/linearize/step.h"
#include "group/joint_tangent.h"
#include "model/coordinates.h"

/* E and S at θ */
static void joint_ends(one_step *s)
{
    step_joint *to = s->tangent.joints;
    for (const model_joint *j = first_joint(s->model); j; j = next_joint(s->model, j))
        if (!joint_commutes(j->type)) joint_end_tangent(j->type, s->x + j->v, to->E, to->S), to++;
}

void hmli_step_angle_rates(one_step *s, int tangent)
{
    step_joint *to = s->tangent.joints;
    memcpy(s->rate, s->x + s->n, s->n * sizeof *s->rate);
    for (const model_joint *j = first_joint(s->model); j; j = next_joint(s->model, j)) {
        if (joint_commutes(j->type)) continue;
        const double *theta = s->x + j->v, *nu = s->x + s->n + j->v;
        double *rate = s->rate + j->v;
        if (tangent)
            joint_rate_tangent(j->type, theta, nu, to->inverse, to->T);
        else
            joint_jacobian_inverse(j->type, theta, to->inverse);
        for (int32_t r = 0; r < j->nv; r++) {
            double sum = 0;
            for (int32_t c = 0; c < j->nv; c++) sum += to->inverse[r * j->nv + c] * nu[c];
            rate[r] = sum;
        }
        to++;
    }
}

void hmli_step_euler_tangent(one_step *s)
{
    joint_ends(s);
    s->work->choice.single->single_step_euler(&s->tangent);
}

/* a linearization by the kernels of limbs; stages behind the first have products, which take them apart. 0: it is not done */
static int stage_limbs(one_step *s, const hml_linearization *at)
{
    step_call *t = &s->tangent;
    t->limbs.W = t->factor + 6 * 2 * s->n, t->limbs.ld = 2 * s->n;
    return s->limbs && hmli_linearize_limbs(s->work, at, t->stage ? &t->limbs : NULL);
}

hml_status hmli_step_stage_tangent(one_step *s, int stage)
{
    step_call *t = &s->tangent;
    const size_t n = s->n, ld = t->ld;
    double *K = t->K[stage], *blocks = K + t->begin;
    hml_linearization at;
    memset(&at, 0, sizeof at);
    at.struct_size = sizeof at;
    at.q.data = s->q;
    at.v.data = s->x + n;
    at.tau.data = s->tau;
    at.acceleration.data = s->rate + n;
    at.Dq = (hml_output){blocks, ld, 0};
    at.Dv = (hml_output){blocks + n, ld, 0};
    at.Minv = (hml_output){blocks + 2 * n, ld, 0};
    t->stage = stage;
    memset(K, 0, (n * ld + STEP_ROW_PACK) * sizeof *K); /* sums read whole packs, the last of them beyond the end */
    const int limbs = stage_limbs(s, &at);
    const hml_status status = limbs ? HML_OK : hmli_linearize(s->work, NULL, &at);
    if (status) return status;
    if (!stage) return HML_OK; /* θ = 0 */
    joint_ends(s);
    if (limbs)
        s->work->choice.batch->single_step_limbs(t);
    else
        s->work->choice.batch->single_step_stage(t);
    return HML_OK;
}

void hmli_step_sum_tangent(one_step *s)
{
    joint_ends(s);
    s->work->choice.batch->single_step_sum(&s->tangent);
}
