/* One body: hamel/rigid_body.h. Müller, section 3, linear part first. */
#include "hamel/rigid_body.h"

#include "group/arrays.h"
#include "reference/muller/newton_euler.h"

/* M V̇ − ad_Vᵀ M V, (38) and (41) */
static wrench momentum_rate(inertia I, twist V, twist dV)
{
    return wrench_add(inertia_mul(I, dV), twist_cross_dual(V, inertia_mul(I, V)));
}

static wrench body_wrench(hml_representation representation, pose H, inertia I, twist V, twist dV)
{
    wrench W;
    switch (representation) {
    case HML_RIGHT: return momentum_rate(inertia_transform(H, I), V, dV);                 /* (34), (38) */
    case HML_MIXED: return newton_euler_classical(inertia_turn(H.R, I), dV.v, V.w, dV.w); /* (51), (54), (55) */
    case HML_SPLIT:                                                                       /* (56), (57) */
        W = newton_euler_classical(I, mat3_tmul_vec(H.R, dV.v), V.w, dV.w);
        W.f = mat3_mul_vec(H.R, W.f);
        return W;
    default: return momentum_rate(I, V, dV); /* (41) */
    }
}

/* the two equations do not share a number but ω in left's f */
static wrench com_wrench(hml_representation representation, pose H, num m, sym3 moment, twist V, twist dV)
{
    if (representation == HML_RIGHT) return body_wrench(HML_RIGHT, H, inertia_of(m, vec3_zero(), moment), V, dV);
    vec3 a = dV.v;
    if (representation == HML_LEFT) a = vec3_add(a, vec3_cross(V.w, V.v));             /* (46); else (50) */
    if (representation == HML_MIXED) moment = sym3_rotate(H.R, moment);                /* (47) */
    vec3 t = vec3_add(sym3_mul(moment, dV.w), vec3_cross(V.w, sym3_mul(moment, V.w))); /* (45), (49), (58) */
    return wrench_of(vec3_scale(m, a), t);
}

typedef struct motion {
    pose H;
    twist V, dV;
} motion;

static hml_status read_motion(hml_representation representation, const double *H, const double *V, const double *dV,
                              motion *x)
{
    if ((unsigned)representation > HML_SPLIT) return HML_INVALID_ARGUMENT;
    x->H = pose_identity();
    if (representation != HML_LEFT) TRY(read_pose(H, &x->H));
    TRY(read_twist(V, &x->V));
    return read_twist(dV, &x->dV);
}

static inertia inertia_from(const double I[10]) { return inertia_at(I); }

hml_status hml_newton_euler(hml_representation representation, const double H[16], const double parameters[10],
                            const double V[6], const double dV[6], double W[6])
{
    motion x;
    TRY(read_motion(representation, H, V, dV, &x));
    TRY(read_check(parameters, 10));
    return write_wrench(body_wrench(representation, x.H, inertia_from(parameters), x.V, x.dV), W);
}

hml_status hml_newton_euler_com(hml_representation representation, const double H[16], double mass,
                                const double moment[9], const double V[6], const double dV[6], double W[6])
{
    motion x;
    const double origin[3] = {0};
    double I[10];
    TRY(read_motion(representation, H, V, dV, &x));
    TRY(hml_inertia_from_com(mass, origin, moment, I));
    return write_wrench(com_wrench(representation, x.H, I[0], inertia_from(I).J, x.V, x.dV), W);
}

hml_status hml_newton_euler_frame(const double parameters[10], const double V_frame[6], const double V[6],
                                  const double dV[6], double W[6])
{
    motion x;
    twist frame;
    TRY(read_motion(HML_LEFT, NULL, V, dV, &x));
    TRY(read_twist(V_frame, &frame));
    TRY(read_check(parameters, 10));
    return write_wrench(momentum_rate(inertia_from(parameters), x.V, twist_add(x.dV, twist_cross(frame, x.V))), W);
}
