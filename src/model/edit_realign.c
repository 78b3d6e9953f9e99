/*
 * A model whose placements have the right angles that its file only writes with some digits.
 *
 * The test is on sines: a rotation's entry that is smaller than the tolerance becomes zero. What is left is taken only if it
 * is a rotation by its zeros alone, about an axis of the frame, so that making it one again brings no small numbers back.
 */
#include <math.h>
#include <string.h>

#include "model/edit.h"

/* small numbers become zero; returns the largest of them */
static double drop_small(double *x, int n, double tolerance)
{
    double largest = 0;
    for (int i = 0; i < n; i++) {
        const double size = fabs(x[i]);
        if (size >= tolerance) continue;
        largest = fmax(largest, size);
        x[i] = 0;
    }
    return largest;
}

/* the entry of a row that stands alone in its row and its column; −1: there is none */
static int lonely(const double R[9], int row)
{
    for (int j = 0; j < 3; j++) {
        const int j1 = (j + 1) % 3, j2 = (j + 2) % 3, r1 = (row + 1) % 3, r2 = (row + 2) % 3;
        if (R[3 * row + j1] == 0 && R[3 * row + j2] == 0 && R[3 * r1 + j] == 0 && R[3 * r2 + j] == 0) return j;
    }
    return -1;
}

/* a rotation about an axis of the frame: row `row` is ± the unit vector j, the other four numbers are a turn. 0: it is not one */
static int make_plane(double R[9], int row, int j)
{
    const int j1 = (j + 1) % 3, j2 = (j + 2) % 3, r1 = (row + 1) % 3, r2 = (row + 2) % 3;
    const double a = R[3 * r1 + j1], b = R[3 * r1 + j2], c = R[3 * r2 + j1], d = R[3 * r2 + j2];
    const double length = hypot(a, b), sign = a * d - b * c < 0 ? -1 : 1;
    if (!(length > 0)) return 0;
    R[3 * row + j] = R[3 * row + j] < 0 ? -1 : 1;
    R[3 * r1 + j1] = a / length, R[3 * r1 + j2] = b / length;
    R[3 * r2 + j1] = -sign * R[3 * r1 + j2], R[3 * r2 + j2] = sign * R[3 * r1 + j1];
    for (int i = 0; i < 9; i++) R[i] += 0.0; /* −0 becomes 0 */
    return 1;
}

/* returns the angle, 0 if the rotation stays as it is */
static double realign(double R[9], double tolerance)
{
    double M[9];
    memcpy(M, R, sizeof M);
    const double angle = drop_small(M, 9, tolerance);
    if (angle == 0) return 0;
    for (int row = 0; row < 3; row++) {
        const int j = lonely(M, row);
        if (j < 0) continue;
        if (!make_plane(M, row, j)) return 0;
        memcpy(R, M, sizeof M);
        return angle;
    }
    return 0;
}

static double realign_axis(double axis[3], double tolerance)
{
    const double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    return length > 0 ? drop_small(axis, 3, tolerance * length) / length : 0;
}

hml_status hml_model_realign(const hml_model *model, double tolerance, hml_model **result, double *angle)
{
    if (!model || !result || !(tolerance > 0) || tolerance > 1e-3) return HML_INVALID_ARGUMENT;
    hml_builder *b = NULL;
    double largest = 0;
    const hml_status status = hml_model_to_builder(model, &b);
    if (status) return status;
    for (size_t i = 0; i < b->nlinks; i++) {
        hml_joint_spec *joint = &b->links[i].joint;
        largest = fmax(largest, realign(joint->rotation, tolerance));
        largest = fmax(largest, realign_axis(joint->axis, tolerance));
        largest = fmax(largest, realign_axis(joint->axis2, tolerance));
    }
    if (angle) *angle = largest;
    return hmli_rebuild(b, model, result, NULL);
}
