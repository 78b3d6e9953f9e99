/* Centre of mass and centroidal momentum: centroidal.h behind hamel/kinematics.h. */
#include "algo/kinematics/scratch.h"

#include <string.h>

#include "algo/kinematics/mass_centre.h"
#include "algo/work.h"
#include "base/overflow.h"
#include "base/struct_size.h"
#include "group/arrays.h"
#include "hamel/kinematics.h"

/* the columns' scratch holds what centroidal.h wants, then A and Ȧ where they are not wanted */
_Static_assert(sizeof(centroidal_body) <= sizeof(body_state), "scratch of a body");
_Static_assert(sizeof(centroidal_column) + 12 * sizeof(double) <= sizeof(column_state), "scratch of a column");

static int valid(const hml_centroidal_motion *x, const double *v, const double *a)
{
    if (!x) return 0;
    if ((x->com_acceleration || x->momentum_rate) && !a) return 0;
    return v || !(x->com_Jdot || x->com_velocity || x->com_acceleration || x->Adot || x->momentum || x->momentum_rate);
}

/* out = first three rows of A over the mass */
static void com_rows(const double *A, size_t nv, double mass, double *out)
{
    for (size_t i = 0; out && i < 3 * nv; i++) out[i] = A[i] / mass;
}

/* nothing asked for that needs moments of inertia or accelerations */
static int centre_alone(const hml_centroidal_motion *x)
{
    return !(x->A || x->Adot || x->momentum || x->momentum_rate || x->com_acceleration);
}

static hml_status mass_centre(const hml_model *model, const hml_work *work, const double *q, const double *v,
                              const hml_centroidal_motion *x)
{
    const size_t nv = (size_t)model->nv;
    const int moving = x->com_Jdot || x->com_velocity;
    const unsigned before = overflow_watch();
    const robot_call call = {.plan = model_plan(model),
                             .scratch = work->scratch,
                             .count = 1,
                             .q.data = q,
                             .v.data = moving ? v : NULL,
                             .com.data = x->com,
                             .com_velocity.data = x->com_velocity,
                             .com_J = {.data = x->com_J, .ld = nv},
                             .com_Jdot = {.data = x->com_Jdot, .ld = nv}};
    if (work->choice.single->single_mass_centre(&call)) return HML_SINGULAR;
    return OVERFLOW_STATUS(before, {x->com_J, 3 * nv}, {x->com_Jdot, 3 * nv}, {x->com, 3}, {x->com_velocity, 3});
}

hml_status hml_centroidal(const hml_model *model, hml_work *work, const double *q, const double *v, const double *a,
                          const hml_centroidal_motion *given)
{
    hml_centroidal_motion room;
    const hml_centroidal_motion *motion = STRUCT_TAKE(hml_centroidal_motion, given, &room, com);
    if (hmli_work_check(model, work, HML_USE_TREE) || !q || !valid(motion, v, a)) return HML_INVALID_ARGUMENT;
    TRY(hmli_work_check_state(model, q, v, a, NULL));
    if (work->choice.single->single_mass_centre && !model->nfollowers && centre_alone(motion))
        return mass_centre(model, work, q, v, motion);
    if (!(hml_model_mass(model) > 0)) return HML_SINGULAR;
    const unsigned before = overflow_watch();
    const size_t nv = (size_t)model->nv;
    state_series state = {.q = q, .rates = {v, a}};
    const kinematics_scratch k = hmli_work_kinematics(work);
    jacobian_series A = {.order = motion->Adot || motion->com_Jdot, .nv = model->nv};
    A.J[0] = motion->A ? motion->A : k.centroidal.A;
    A.J[1] = motion->Adot ? motion->Adot : k.centroidal.Adot;
    centroidal x;
    memset(&x, 0, sizeof x);
    const int momentum = motion->momentum || motion->momentum_rate || motion->com_acceleration;
    if (momentum || motion->A || A.order || motion->com_velocity) {
        centroidal_run_for(model, &state, k.centroidal.bodies, k.centroidal.columns, &A, momentum, &x);
        com_rows(A.J[0], nv, x.mass, motion->com_J);
    } else {
        mass_centre_run(model, &state, k.centroidal.bodies, k.centroidal.columns, motion->com_J, &x);
    }
    com_rows(A.J[1], nv, x.mass, motion->com_Jdot);
    if (motion->com) write_vec3(x.com, motion->com);
    if (motion->com_velocity) write_vec3(x.velocity, motion->com_velocity);
    if (motion->com_acceleration) write_vec3(vec3_scale(1 / x.mass, x.momentum[1].f), motion->com_acceleration);
    if (motion->momentum) write_wrench(x.momentum[0], motion->momentum);
    if (motion->momentum_rate) write_wrench(x.momentum[1], motion->momentum_rate);
    return OVERFLOW_STATUS(before, {motion->A, 6 * nv}, {motion->Adot, 6 * nv}, {motion->com_J, 3 * nv},
                           {motion->com_Jdot, 3 * nv}, {motion->com, 3}, {motion->com_velocity, 3},
                           {motion->com_acceleration, 3}, {motion->momentum, 6}, {motion->momentum_rate, 6});
}
