/* Poses, twists, wrenches, screws (hamel/se3.h) and inertias (hamel/rigid_body.h). */
#include <string.h>

#include "objects.h"

static hml_status screw_from(hml_status (*from)(const double *, hml_screw *), const row *r)
{
    hml_screw s;
    hml_status status = from(r->in[0], &s);
    if (status) return status;
    memcpy(r->out[0], s.axis, sizeof s.axis);
    memcpy(r->out[1], s.point, sizeof s.point);
    *r->out[2] = s.pitch;
    *r->out[3] = s.magnitude;
    return HML_OK;
}

static hml_status screw_to(hml_status (*to)(const hml_screw *, double *), const row *r)
{
    hml_screw s = {.pitch = *r->in[2], .magnitude = *r->in[3]};
    memcpy(s.axis, r->in[0], sizeof s.axis);
    memcpy(s.point, r->in[1], sizeof s.point);
    return to(&s, r->out[0]);
}

static hml_status pose_check(const row *r)
{
    hml_status status = hml_se3_check(r->in[0]);
    *r->out[0] = status == HML_OK;
    return status == HML_NOT_NORMALIZED ? HML_OK : status;
}

static hml_status inertia_check(const row *r)
{
    unsigned problems = 0;
    double tolerance = r->in[1] ? *r->in[1] : HML_INERTIA_TOLERANCE;
    hml_status status = hml_inertia_check(r->in[0], tolerance, &problems, r->out[1], r->out[2]);
    *r->out[0] = problems;
    return status;
}

#define TABLE           "poses.def"
#define TABLE_FUNCTIONS poses_table
#include "table.h"

int poses_ready(PyObject *module) { return table_modules(poses_table, COUNT(poses_table), module); }
