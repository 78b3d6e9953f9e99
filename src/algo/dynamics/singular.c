/* Which coordinates make the mass matrix singular: the pivots of its factorization that vanish. */
#include <string.h>

#include "algo/dynamics/mimic.h"
#include "algo/work.h"
#include "hamel/dynamics.h"
#include "kernel/scratch.h"

hml_status hml_singular_coordinates(const hml_model *model, hml_work *work, const double *q, int *marks)
{
    if (hmli_work_check(model, work, HML_USE_FACTOR) || !q || !marks) return HML_INVALID_ARGUMENT;
    hml_status status = hmli_work_check_state(model, q, NULL, NULL, NULL);
    if (status) return status;
    kernel_call call;
    work_call(work, &call);
    call.q.data = q;
    if (model->nfollowers) {
        hmli_mimic_singular(work, &call, marks);
        return HML_OK;
    }
    work->choice.fallback->pack_linearize(&call); /* at rest, nothing wanted but the factors it leaves */
    const kept_scratch k = hmli_work_kept(work);
    for (int32_t c = 0; c < model->nv; c++) marks[c] = k.pivots[c] == 0;
    return HML_OK;
}
