/* Screws of twists, wrenches and poses: the public functions of hamel/se3.h about them. */
#include "group/screw.h"

#include <math.h>

#include "group/arrays.h"
#include "hamel/se3.h"

static double most_of(vec3 a) { return fmax(fabs(a.x), fmax(fabs(a.y), fabs(a.z))); }

/* a power of two that brings the largest entry of a near 1; 1 for the zero vector */
static double to_unit(vec3 a)
{
    double most = most_of(a);
    return most > 0 ? ldexp(1, most < 0x1p-1000 ? 1000 : -ilogb(most)) : 1;
}

/*
 * Direction and moment to a screw. Scaling by a power of two is exact and keeps |u|² from under- and overflow. A
 * direction so small that the axis would lie beyond what a double can hold counts as zero.
 */
static hml_status write_screw(vec3 u, vec3 n, hml_screw *out)
{
    if (!out) return HML_INVALID_ARGUMENT;
    int turns = most_of(u) > 0 && most_of(n) / most_of(u) < 0x1p1020;
    if (!turns) u = vec3_zero();
    double s = to_unit(turns ? u : n);
    screw S = screw_of_parts(vec3_scale(s, u), vec3_scale(s, n));
    write_vec3(S.axis, out->axis);
    write_vec3(S.point, out->point);
    out->pitch = turns ? S.pitch : (double)INFINITY;
    out->magnitude = S.magnitude / s;
    return HML_OK;
}

static hml_status read_screw(const hml_screw *in, screw *S)
{
    if (!in) return HML_INVALID_ARGUMENT;
    TRY(read_vec3(in->axis, &S->axis));
    TRY(read_vec3(in->point, &S->point));
    TRY(read_number(in->magnitude, &S->magnitude));
    if (isnan(in->pitch)) return HML_NOT_FINITE;
    double s = to_unit(S->axis);
    S->axis = vec3_scale(s, S->axis);
    double length = vec3_norm(S->axis);
    if (!(length > 0)) return HML_INVALID_ARGUMENT;
    S->axis = vec3_scale(1 / length, S->axis);
    int turns = !isinf(in->pitch);
    S->pitch = turns ? in->pitch : 0;
    S->turns = turns;
    return HML_OK;
}

hml_status hml_screw_from_twist(const double V[6], hml_screw *out)
{
    twist U;
    TRY(read_twist(V, &U));
    return write_screw(U.w, U.v, out);
}

hml_status hml_screw_from_wrench(const double F[6], hml_screw *out)
{
    wrench W;
    TRY(read_wrench(F, &W));
    return write_screw(W.f, W.t, out);
}

hml_status hml_screw_from_pose(const double H[16], hml_screw *out)
{
    pose A;
    TRY(read_placement(H, &A));
    twist U = se3_log(A);
    return write_screw(U.w, U.v, out);
}

hml_status hml_screw_to_twist(const hml_screw *in, double V[6])
{
    screw S;
    TRY(read_screw(in, &S));
    return write_twist(screw_to_twist(S), V);
}

hml_status hml_screw_to_wrench(const hml_screw *in, double F[6])
{
    screw S;
    TRY(read_screw(in, &S));
    return write_wrench(screw_to_wrench(S), F);
}

hml_status hml_screw_to_pose(const hml_screw *in, double H[16])
{
    screw S;
    TRY(read_screw(in, &S));
    return write_pose(se3_exp(screw_to_twist(S)), H);
}

hml_status hml_screw_reciprocal(const double V1[6], const double V2[6], double *product)
{
    twist A, B;
    TRY(read_twist(V1, &A));
    TRY(read_twist(V2, &B));
    return write_number(screw_reciprocal(A, B), product);
}
