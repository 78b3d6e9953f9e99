/* A model with more armature: how a step that is explicit in a servo's forces becomes implicit in them. */
#include <math.h>

#include "hamel/edit.h"
#include "hamel/motion.h"
#include "model/mimic.h"
#include "model/plan.h"

hml_status hml_model_with_armature(const hml_model *model, const double *armature, hml_model **result)
{
    if (!model || !armature || !result) return HML_INVALID_ARGUMENT;
    for (int32_t i = 0; i < model->nv; i++) {
        if (!isfinite(armature[i])) return HML_NOT_FINITE;
        if (armature[i] < 0) return HML_INVALID_ARGUMENT;
    }
    hml_model *copy = NULL;
    hml_status status = hml_model_copy(model, &copy);
    if (status) return status;
    model_coordinate *coordinates = (model_coordinate *)((char *)copy + copy->coordinates);
    for (int32_t i = 0; i < model->njoints; i++) {
        const model_joint *j = &model_joints(model)[i];
        int32_t at = model_bodies(model)[j->body].v;
        for (int32_t k = 0; k < j->nv; k++) coordinates[at + k].armature += armature[j->v + k];
    }
    copy->passive = 1;
    hmli_plan_fill(copy);
    *result = copy;
    return HML_OK;
}
