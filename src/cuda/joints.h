/*
 * What joints do by themselves: q ⊕ v, q₁ ⊖ q₀, the end of a step of semi-implicit Euler and its Jacobians. A thread has a
 * state, or a column of a state's Jacobians; threads do not meet.
 */
#ifndef HML_CUDA_JOINTS_H
#define HML_CUDA_JOINTS_H

#include "cuda/lanes.h"

/* a body's joint */
typedef struct joint_place {
    int type, q, v, nq, nv;
} joint_place;

LANE_CODE joint_place joint_place_of(const cuda_model *m, const cuda_tree *t, int i)
{
    const int32_t *at = m->integers + t->body + i;
    joint_place j;
    j.type = at[BODY_TYPE * t->bodies], j.q = at[BODY_Q * t->bodies], j.v = at[BODY_V * t->bodies];
    j.nq = joint_nq(j.type), j.nv = joint_nv(j.type);
    return j;
}

LANE_CODE const num *joints_input(cuda_input in, size_t state) { return (const num *)in.data + state * in.stride; }

LANE_CODE num *joints_output(cuda_output out, size_t state) { return (num *)out.data + state * out.stride; }

/* what is wrong with n numbers that a joint starts from; quaternion: where one is, or −1 */
LANE_CODE int joint_fault(const num *x, int n, int quaternion)
{
    num sum = K(0);
    for (int k = 0; k < n; k++) sum += K(0) * x[k];
    if (!(sum == K(0))) return HML_NOT_FINITE;
    if (quaternion < 0) return HML_OK;
    const num *r = x + quaternion;
    return quat_is_unit(quat_of(r[0], r[1], r[2], r[3])) ? HML_OK : HML_NOT_NORMALIZED;
}

/* one joint; returns what is wrong with it */
LANE_CODE int joint_compute(const cuda_joints *c, joint_place j, size_t state)
{
    const num *q = joints_input(c->q, state) + j.q, *v = joints_input(c->v, state);
    num *to = joints_output(c->to, state), in[HML_JOINT_MAX_NQ], x[HML_JOINT_MAX_NQ], y[HML_JOINT_MAX_NQ];
    const int at = quaternion_at(j.type);
    int fault;
    for (int k = 0; k < j.nq; k++) in[k] = q[k];
    if (c->operation == JOINTS_DIFFERENCE) {
        for (int k = 0; k < j.nq; k++) x[k] = v[j.q + k];
        fault = joint_fault(in, j.nq, at);
        fault = fault ? fault : joint_fault(x, j.nq, at);
        joint_difference(j.type, in, x, y);
        for (int k = 0; k < j.nv; k++) to[j.v + k] = fault ? K(NAN) : y[k];
        return fault;
    }
    num *v_next = c->operation == JOINTS_STEP ? joints_output(c->v_next, state) : (num *)0;
    for (int k = 0; k < j.nv; k++) {
        x[k] = v[j.v + k];
        if (v_next) x[k] += K(c->h) * v_next[j.v + k]; /* so far the acceleration is there */
        if (v_next) v_next[j.v + k] = x[k];
        x[k] *= K(c->h);
    }
    fault = joint_fault(in, j.nq, at);
    fault = fault ? fault : joint_fault(x, j.nv, -1);
    joint_integrate(j.type, in, x, y);
    for (int k = 0; k < j.nq; k++) to[j.q + k] = fault ? K(NAN) : y[k];
    return fault;
}

/* all joints of a state; all of them are NaN if one of them has a fault */
LANE_CODE void joints_compute(const cuda_joints *c, size_t state)
{
    const cuda_model *m = &c->model;
    const int n = c->operation == JOINTS_DIFFERENCE ? m->nv : m->nq;
    int fault = 0;
    for (int t = 0; t < m->trees; t++) {
        for (int i = 0; i < m->tree[t].bodies; i++) {
            const int own = joint_compute(c, joint_place_of(m, &m->tree[t], i), state);
            fault = fault ? fault : own;
        }
    }
    for (int k = 0; fault && k < n; k++) joints_output(c->to, state)[k] = K(NAN);
    for (int k = 0; fault && c->operation == JOINTS_STEP && k < m->nv; k++) joints_output(c->v_next, state)[k] = K(NAN);
    /* the linearization of a step has said it before, and better */
    if (c->status && (c->operation != JOINTS_STEP || (fault && !c->status[state]))) c->status[state] = fault;
}

/* ---- Jacobians of a step ---- */

/* S(θ), and E = 1 − S ad_θ, of a joint; θ = h ν⁺ */
LANE_CODE void joint_ends(const cuda_joints *c, joint_place j, size_t state, num *S, num *E)
{
    num theta[HML_JOINT_MAX_NV], ad[HML_JOINT_MAX_NV * HML_JOINT_MAX_NV];
    const int m = j.nv;
    for (int k = 0; k < m; k++) theta[k] = K(c->h) * joints_output(c->v_next, state)[j.v + k];
    joint_jacobian(j.type, theta, S);
    joint_ad(j.type, theta, ad);
    for (int i = 0; i < m; i++) {
        for (int k = 0; k < m; k++) {
            num sum = i == k ? K(1) : K(0);
            for (int e = 0; e < m; e++) sum -= S[i * m + e] * ad[e * m + k];
            E[i * m + k] = sum;
        }
    }
}

/*
 * Rows of a joint in column `column` of [A_d B_d]. The lower halves hold D_q, D_ν and M⁻¹; with y = h times them, and 1 on
 * ν's own place, δν⁺ = y and δq⁺ = E δq + h S y.
 */
LANE_CODE void joint_tangent(const cuda_joints *c, joint_place j, size_t state, int column)
{
    const int nv = c->model.nv, of_B = column >= 2 * nv, ld = (int)(of_B ? c->Bd.ld : c->Ad.ld);
    num *to = joints_output(of_B ? c->Bd : c->Ad, state) + (of_B ? column - 2 * nv : column);
    num S[HML_JOINT_MAX_NV * HML_JOINT_MAX_NV], E[HML_JOINT_MAX_NV * HML_JOINT_MAX_NV], y[HML_JOINT_MAX_NV];
    const int own = column - j.v, commutes = joint_commutes(j.type);
    for (int k = 0; k < j.nv; k++) {
        num *lower = to + (nv + j.v + k) * ld;
        y[k] = K(c->h) * *lower + (column == nv + j.v + k ? K(1) : K(0));
        *lower = y[k];
    }
    if (!commutes) joint_ends(c, j, state, S, E);
    for (int r = 0; r < j.nv; r++) {
        num x = commutes ? y[r] : K(0), e = own == r ? K(1) : K(0);
        for (int k = 0; !commutes && k < j.nv; k++) x += S[r * j.nv + k] * y[k];
        if (!commutes) e = own >= 0 && own < j.nv ? E[r * j.nv + own] : K(0);
        to[(j.v + r) * ld] = e + K(c->h) * x;
    }
}

/* thread i of n · 3 nv: a column of a state */
LANE_CODE void joints_tangent(const cuda_joints *c, size_t i)
{
    const cuda_model *m = &c->model;
    const size_t columns = 3 * (size_t)m->nv;
    for (int t = 0; t < m->trees; t++) {
        for (int k = 0; k < m->tree[t].bodies; k++)
            joint_tangent(c, joint_place_of(m, &m->tree[t], k), i / columns, (int)(i % columns));
    }
}

#endif
