/* Derivatives of frames: frame_derivatives.h behind hamel/kinematic_derivatives.h. */
#include "hamel/kinematic_derivatives.h"

#include "algo/kinematics/frame_derivatives.h"
#include "algo/work.h"
#include "group/arrays.h"

_Static_assert(sizeof(path_column) <= sizeof(column_state), "scratch of a column");

static hml_status check(const hml_model *model, const hml_work *work, int32_t frame, hml_representation rep)
{
    if (hml_work_check(model, work, HML_USE_TREE) || frame < 0 || frame >= model->nframes) return HML_INVALID_ARGUMENT;
    return rep >= HML_LEFT && rep <= HML_SPLIT ? HML_OK : HML_INVALID_ARGUMENT;
}

hml_status hml_frame_derivatives(const hml_model *model, hml_work *work, int32_t frame,
                                 hml_representation representation, const double *q, const double *v, const double *a,
                                 hml_frame_derivative *x)
{
    TRY(check(model, work, frame, representation));
    if (!q || !x || x->struct_size != sizeof *x) return HML_INVALID_ARGUMENT;
    if ((x->acceleration_q && !a) || (!v && (x->twist_q || x->acceleration_q || x->acceleration_v))) {
        return HML_INVALID_ARGUMENT;
    }
    TRY(hml_work_check_state(model, q, v, a, NULL));
    double *Jacobians[] = {x->placement_q, x->twist_v, x->acceleration_a}, *J = NULL;
    for (int i = 0; i < 3; i++)
        if (Jacobians[i]) J = Jacobians[i];
    state_series state = {.q = q, .rates = {v, a}};
    derivative_matrices out = {model->nv, J, x->twist_q, x->acceleration_q, x->acceleration_v};
    frame_derivatives(model, frame, representation, &state, &out);
    for (int i = 0; i < 3; i++) {
        for (int32_t k = 0; Jacobians[i] && Jacobians[i] != J && k < 6 * model->nv; k++) Jacobians[i][k] = J[k];
    }
    return HML_OK;
}

hml_status hml_frame_hessian(const hml_model *model, hml_work *work, int32_t frame, hml_representation representation,
                             const double *q, double *H)
{
    TRY(check(model, work, frame, representation));
    if (!q || !H) return HML_INVALID_ARGUMENT;
    TRY(hml_work_check_state(model, q, NULL, NULL, NULL));
    frame_hessian(model, frame, representation, q, (path_column *)work->scratch, H);
    return HML_OK;
}

hml_status hml_jacobian_partial(const hml_model *model, hml_work *work, int32_t frame,
                                hml_representation representation, const double *q, int32_t column, int32_t n,
                                const int32_t *indices, double derivative[6])
{
    TRY(check(model, work, frame, representation));
    if (!q || !derivative || column < 0 || column >= model->nv || n < 0 || (n && !indices)) return HML_INVALID_ARGUMENT;
    if (representation != HML_LEFT && representation != HML_RIGHT) return HML_INVALID_ARGUMENT;
    for (int32_t i = 0; i < n; i++)
        if (indices[i] < 0 || indices[i] >= model->nv) return HML_INVALID_ARGUMENT;
    TRY(hml_work_check_state(model, q, NULL, NULL, NULL));

    path_column *path = (path_column *)work->scratch;
    twist partial;
    if (jacobian_partial(model, frame, representation, q, column, n, indices, path, &partial)) return HML_UNSUPPORTED;
    return write_twist(partial, derivative);
}
