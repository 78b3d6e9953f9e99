/*
 * Screws over num: a line, a pitch and a magnitude. Müller, appendix B.2 (angular first there, linear first here).
 *
 *   twist  of a screw    m (p × e + h e; e)       turning at m about the line through p along e, h metres a radian
 *                        m (e; 0)                 h infinite: sliding along e
 *   wrench of a screw    m (e; p × e + h e)       force m along the line, couple h m about it;  m (0; e): a couple
 *
 * e is unit. `turns` is 1 for a finite pitch and 0 for an infinite one, where pitch and point are 0. The parts of a
 * screw are not guarded against underflow: the caller scales the direction to about 1, which changes m alone.
 */
#ifndef HML_GROUP_SCREW_H
#define HML_GROUP_SCREW_H

#include "group/spatial.h"

typedef struct {
    vec3 axis, point;
    num pitch, magnitude, turns;
} screw;

static inline screw screw_of(vec3 axis, vec3 point, num pitch, num magnitude, num turns)
{
    screw S;
    S.axis = axis, S.point = point, S.pitch = pitch, S.magnitude = magnitude, S.turns = turns;
    return S;
}

/* m·turns·e, the vector along the line */
static inline vec3 screw_direction(screw S) { return vec3_scale(S.magnitude * S.turns, S.axis); }

/* m (p × e + h e), or m e where the pitch is infinite */
static inline vec3 screw_moment(screw S)
{
    num along = S.turns * S.pitch + (K(1) - S.turns);
    return vec3_scale(S.magnitude, vec3_axpy(along, S.axis, vec3_scale(S.turns, vec3_cross(S.point, S.axis))));
}

static inline twist screw_to_twist(screw S) { return twist_of(screw_moment(S), screw_direction(S)); }
static inline wrench screw_to_wrench(screw S) { return wrench_of(screw_direction(S), screw_moment(S)); }

/*
 * The screw with direction u and moment n: e = u/|u|, p = u × n/u², the point nearest to the origin, h = u·n/u². With
 * u = 0 the pitch is infinite and e = n/|n|; with n = 0 as well the magnitude is 0 and e is the z axis.
 */
static inline screw screw_of_parts(vec3 u, vec3 n)
{
    num zero = K(0), one = K(1), u2 = vec3_dot(u, u), n2 = vec3_dot(n, n);
    mask turns = num_lt(zero, u2), moves = num_lt(zero, n2);
    num r = one / num_select(turns, u2, one);
    num size = num_sqrt(num_select(turns, u2, n2));
    num s = one / num_select(turns | moves, size, one);
    vec3 axis = vec3_of(s * num_select(turns, u.x, n.x), s * num_select(turns, u.y, n.y),
                        num_select(turns | moves, s * num_select(turns, u.z, n.z), one));
    return screw_of(axis, vec3_scale(r, vec3_cross(u, n)), r * vec3_dot(u, n), size, num_select(turns, one, zero));
}

/* ξ₁·η₂ + η₁·ξ₂ of two twists' directions ξ and moments η: zero if a wrench along one does no work on the other */
static inline num screw_reciprocal(twist A, twist B) { return vec3_dot(A.w, B.v) + vec3_dot(A.v, B.w); }

#endif
