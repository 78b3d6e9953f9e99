/*
 * Dynamics by brute force, over num: the projected Newton-Euler equations with dense body Jacobians (Kindr), in the
 * bodies' own frames, from the tree as it was built. Shares the joints' poses and columns with the library, and nothing
 * with the kernels: no plan, no root frame, no composite bodies, no factorization of M by branches.
 *
 *   M = Σ Jᵀ I J + armature        h = Σ Jᵀ (I (J̇ν − g) + v ×* I v − f_ext) + damping ν + springs
 */
#ifndef HAMEL_TESTS_ORACLE_H
#define HAMEL_TESTS_ORACLE_H

#include "group/joint.h"
#include "model/model.h"

enum { ORACLE_NV = 96, ORACLE_BODIES = 64 };

typedef struct oracle {
    pose H[ORACLE_BODIES];             /* in the world */
    twist v[ORACLE_BODIES];            /* body frame */
    twist bias[ORACLE_BODIES];         /* J̇ν, body frame */
    twist J[ORACLE_BODIES][ORACLE_NV]; /* body frame */
    num M[ORACLE_NV][ORACLE_NV];
    num h[ORACLE_NV];
} oracle;

static vec3 oracle_vec3(const double a[3]) { return vec3_of(K(a[0]), K(a[1]), K(a[2])); }

static mat3 oracle_mat3(const double R[9])
{
    return mat3_of(vec3_of(K(R[0]), K(R[3]), K(R[6])), vec3_of(K(R[1]), K(R[4]), K(R[7])),
                   vec3_of(K(R[2]), K(R[5]), K(R[8])));
}

static inertia oracle_inertia(const model_body *b)
{
    return inertia_of_com(
        K(b->mass), oracle_vec3(b->com),
        sym3_of(K(b->moment[0]), K(b->moment[1]), K(b->moment[2]), K(b->moment[3]), K(b->moment[4]), K(b->moment[5])));
}

/*
 * A change of the model's numbers, to first order: what a complex step by a parameter needs. Counted as in
 * hamel/parameters.h.
 */
typedef struct oracle_change {
    int body;
    inertia I;       /* added to the body's, about its origin */
    twist placement; /* origin · (1 + placement) */
    vec3 point, turn;
    num pitch;
    vec3 gravity;
    int coordinate;
    num armature, damping, stiffness;
} oracle_change;

/* the identity plus a small twist */
static inline pose oracle_small_pose(twist d) { return pose_of(mat3_add(mat3_identity(), mat3_hat(d.w)), d.v); }

/* wrenches: nbodies × 6 in body frames, or NULL; change: NULL for the model as it is */
static inline void oracle_run_changed(const hml_model *m, const num *q, const num *v, const num *wrenches,
                                      const oracle_change *change, oracle *o)
{
    const model_body *b = model_bodies(m);
    const model_coordinate *coordinate = model_coordinates(m);
    vec3 g = oracle_vec3(m->gravity);
    int nv = m->tree_nv;
    for (int r = 0; r < nv; r++) {
        o->h[r] = K(coordinate[r].damping) * v[r];
        for (int c = 0; c < nv; c++) o->M[r][c] = K(r == c ? coordinate[r].armature : 0);
    }
    if (change) {
        g = vec3_add(g, change->gravity);
        o->h[change->coordinate] += change->damping * v[change->coordinate];
        o->M[change->coordinate][change->coordinate] += change->armature;
    }
    for (int i = 0; i < m->nbodies; i++) {
        vec3 axis = oracle_vec3(b[i].axis), point = oracle_vec3(b[i].point);
        pose origin = pose_of(oracle_mat3(b[i].R), oracle_vec3(b[i].p));
        num pitch = K(b[i].pitch);
        const oracle_change *here = change && change->body == i ? change : NULL;
        if (here) {
            axis = vec3_add(axis, vec3_cross(here->turn, axis));
            point = vec3_add(point, here->point);
            pitch += here->pitch;
            origin = pose_mul(origin, oracle_small_pose(here->placement));
        }
        pose X = pose_mul(origin, joint_pose(b[i].type, axis, point, pitch, &q[b[i].q]));
        int p = b[i].parent;
        twist S[6], vJ = twist_zero();
        joint_columns(b[i].type, axis, point, pitch, S);
        o->H[i] = p < 0 ? X : pose_mul(o->H[p], X);
        for (int c = 0; c < nv; c++) o->J[i][c] = p < 0 ? twist_zero() : pose_ad_inverse(X, o->J[p][c]);
        for (int k = 0; k < b[i].nv; k++) {
            o->J[i][b[i].v + k] = S[k];
            vJ = twist_axpy(v[b[i].v + k], S[k], vJ);
        }
        o->v[i] = twist_add(p < 0 ? twist_zero() : pose_ad_inverse(X, o->v[p]), vJ);
        o->bias[i] = twist_add(p < 0 ? twist_zero() : pose_ad_inverse(X, o->bias[p]), twist_cross(o->v[i], vJ));

        inertia I = oracle_inertia(&b[i]);
        if (here) I = inertia_add(I, here->I);
        twist a = o->bias[i];
        a.v = vec3_sub(a.v, mat3_tmul_vec(o->H[i].R, g));
        wrench f = wrench_add(inertia_mul(I, a), twist_cross_dual(o->v[i], inertia_mul(I, o->v[i])));
        if (wrenches) {
            const num *w = &wrenches[6 * i];
            f = wrench_sub(f, wrench_at(w));
        }
        for (int r = 0; r < nv; r++) {
            wrench F = inertia_mul(I, o->J[i][r]);
            o->h[r] += wrench_dot(f, o->J[i][r]);
            for (int c = 0; c < nv; c++) o->M[r][c] += wrench_dot(F, o->J[i][c]);
        }

        num rest[HML_JOINT_MAX_NQ], now[HML_JOINT_MAX_NQ], log[HML_JOINT_MAX_NV];
        for (int k = 0; k < b[i].nq; k++) rest[k] = K(model_rest(m)[b[i].q + k]), now[k] = q[b[i].q + k];
        joint_difference(b[i].type, rest, now, log);
        for (int k = 0; k < b[i].nv; k++) {
            num stiffness = K(coordinate[b[i].v + k].stiffness);
            if (change && change->coordinate == b[i].v + k) stiffness += change->stiffness;
            o->h[b[i].v + k] += stiffness * log[k];
        }
    }
}

static inline void oracle_run(const hml_model *m, const num *q, const num *v, const num *wrenches, oracle *o)
{
    oracle_run_changed(m, q, v, wrenches, NULL, o);
}

/* x = M⁻¹ b by Gauss elimination; M is symmetric positive definite, so no pivoting is needed */
static inline void oracle_solve(int n, num M[][ORACLE_NV], const num *b, num *x)
{
    static num A[ORACLE_NV][ORACLE_NV];
    for (int r = 0; r < n; r++) {
        x[r] = b[r];
        for (int c = 0; c < n; c++) A[r][c] = M[r][c];
    }
    for (int k = 0; k < n; k++) {
        for (int r = k + 1; r < n; r++) {
            num a = A[r][k] / A[k][k];
            for (int c = k; c < n; c++) A[r][c] -= a * A[k][c];
            x[r] -= a * x[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int c = k + 1; c < n; c++) x[k] -= A[k][c] * x[c];
        x[k] /= A[k][k];
    }
}

static inline void oracle_forward_dynamics(const hml_model *m, const num *q, const num *v, const num *tau,
                                           const num *wrenches, num *a)
{
    static oracle o;
    num b[ORACLE_NV];
    oracle_run(m, q, v, wrenches, &o);
    for (int r = 0; r < m->tree_nv; r++) b[r] = tau[r] - o.h[r];
    oracle_solve(m->tree_nv, o.M, b, a);
}

/* q ⊕ z on the tree */
static inline void oracle_integrate(const hml_model *m, const num *q, const num *z, num *out)
{
    for (int i = 0; i < m->nbodies; i++) {
        const model_body *b = &model_bodies(m)[i];
        joint_integrate(b->type, &q[b->q], &z[b->v], &out[b->q]);
    }
}

#endif
