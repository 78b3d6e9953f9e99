/*
 * Velocities of a step. The joints free, planar and Schönflies slide in their body's axes, which turn during the step:
 * what goes straight on would not, and a rolling ball would leave its floor. So a step works with Kindr's u instead:
 * the linear part in the axes of the predecessor, the angular part in the body's.
 *
 *   u = [R v; ω],   r ← r + h ṙ,   R ← R exp(h ω),   u̇ = [R(v̇ + ω × v); ω̇]
 *
 * For all other joints u is ν.
 */
#include <math.h>
#include <string.h>

#include "group/arrays.h"
#include "group/joint.h"
#include "hamel/configuration.h"
#include "sim/contact.h"

static int slides_and_turns(const model_joint *j)
{
    return j->nv && (j->type == HML_JOINT_FREE || j->type == HML_JOINT_PLANAR || j->type == HML_JOINT_SCHOENFLIES);
}

/* how many of its coordinates, and of its numbers in q, are lengths */
static int32_t lengths(const model_joint *j) { return j->type == HML_JOINT_PLANAR ? 2 : 3; }

static mat3 joint_rotation(const model_joint *j, const double *q)
{
    q += j->q + lengths(j);
    if (j->type == HML_JOINT_FREE) return quat_to_mat3(quat_normalize(quat_at(q)));
    double c = cos(q[0]), s = sin(q[0]);
    return mat3_of(vec3_of(c, s, 0), vec3_of(-s, c, 0), vec3_of(0, 0, 1));
}

static vec3 linear(const model_joint *j, const double *v)
{
    return vec3_of(v[j->v], v[j->v + 1], lengths(j) == 3 ? v[j->v + 2] : 0);
}

static vec3 angular(const model_joint *j, const double *v)
{
    v += j->v + lengths(j);
    return j->type == HML_JOINT_FREE ? vec3_at(v) : vec3_of(0, 0, v[0]);
}

static void put_linear(const model_joint *j, vec3 a, double *v)
{
    v += j->v;
    v[0] = a.x, v[1] = a.y;
    if (lengths(j) == 3) v[2] = a.z;
}

void hmli_contact_turn(const hml_model *model, const double *q, int back, const double *v, double *out)
{
    if (out != v) memcpy(out, v, (size_t)model->nv * sizeof *v);
    for (int32_t i = 0; i < model->njoints; i++) {
        const model_joint *j = &model_joints(model)[i];
        if (!slides_and_turns(j)) continue;
        mat3 R = joint_rotation(j, q);
        vec3 a = linear(j, v);
        put_linear(j, back ? mat3_tmul_vec(R, a) : mat3_mul_vec(R, a), out);
    }
}

void hmli_contact_add_turning(const hml_model *model, const double *v, double h, double *out)
{
    for (int32_t i = 0; i < model->njoints; i++) {
        const model_joint *j = &model_joints(model)[i];
        if (slides_and_turns(j))
            put_linear(j, vec3_axpy(h, vec3_cross(angular(j, v), linear(j, v)), linear(j, out)), out);
    }
}

hml_status hmli_contact_advance(const hml_model *model, const double *q, const double *du, double *out)
{
    TRY(hml_configuration_integrate(model, q, du, out));
    for (int32_t i = 0; i < model->njoints; i++) {
        const model_joint *j = &model_joints(model)[i];
        for (int32_t k = 0; slides_and_turns(j) && k < lengths(j); k++) out[j->q + k] = q[j->q + k] + du[j->v + k];
    }
    return HML_OK;
}
