/*
 * The centre of mass and its Jacobian alone, over num: centroidal.h without velocities and moments of inertia. With the mass m of
 * the subtree that a joint carries and its first moment h in F₀, a unit rate of a column S = [u; ω] gives the momentum m u + ω × h;
 * over the mass of all, in the world's axes, that is the column of the Jacobian.
 */
#ifndef HML_ALGO_KINEMATICS_MASS_CENTRE_H
#define HML_ALGO_KINEMATICS_MASS_CENTRE_H

#include "algo/kinematics/centroidal.h"

/* world, H, and I.m and I.h of each body's subtree; columns: S, or NULL */
static inline void mass_centre_passes(const hml_model *m, const state_series *state, centroidal_body *bodies,
                                      centroidal_column *columns)
{
    const plan_body *pb = plan_bodies(model_plan(m));
    assert(bodies); /* for the analyzer */
    for (int32_t i = 0; i < m->nbodies; i++) {
        const plan_body *p = &pb[i];
        const centroidal_body *up = p->parent < 0 ? NULL : &bodies[p->parent];
        centroidal_body *b = &bodies[i];
        twist S[HML_JOINT_MAX_NV];
        num room;
        const pose X = plan_pose(p->X);
        b->H = joint_move(p->type, up ? pose_mul(up->H, X) : X, K(p->pitch), body_position(m, i, state->q, &room));
        b->world = up ? up->world : b->H;
        if (!up) b->H = pose_identity();
        if (columns) {
            joint_columns_at(p->type, b->H, K(p->pitch), S);
            for (int32_t k = 0; k < p->nv; k++) columns[p->v + k].S = S[k];
        }
        b->I.m = K(p->I[0]);
        b->I.h = vec3_axpy(b->I.m, b->H.p, mat3_mul_vec(b->H.R, vec3_of(K(p->I[1]), K(p->I[2]), K(p->I[3]))));
        b->Idot.h = vec3_zero();
    }
    for (int32_t i = m->nbodies - 1; i >= 0; i--) {
        if (pb[i].parent < 0) continue;
        centroidal_body *p = &bodies[pb[i].parent];
        p->I.m += bodies[i].I.m;
        p->I.h = vec3_add(p->I.h, bodies[i].I.h);
    }
}

/* J: 3 × nv, or NULL. Mass and com of out are set */
static inline void mass_centre_run(const hml_model *m, const state_series *state, centroidal_body *bodies,
                                   centroidal_column *columns, num *J, centroidal *out)
{
    const plan_body *pb = plan_bodies(model_plan(m));
    const size_t nv = (size_t)m->nv;
    mass_centre_passes(m, state, bodies, J ? columns : NULL);
    (void)centroidal_com(m, bodies, out);
    if (!J) return;
    const num each = K(1) / out->mass;
    for (size_t i = 0; m->nfollowers && i < 3 * nv; i++) J[i] = K(0); /* several joints may share a column then */
    for (int32_t i = 0; i < m->nbodies; i++) {
        const centroidal_body *b = &bodies[i];
        const body_coordinates at = coordinates_of(m, i);
        for (int32_t k = 0; k < pb[i].nv; k++) {
            const twist S = columns[pb[i].v + k].S;
            vec3 f = vec3_axpy(b->I.m, S.v, vec3_cross(S.w, b->I.h));
            num *to = J + at.v + k;
            f = vec3_scale(each, mat3_mul_vec(b->world.R, f));
            if (m->nfollowers) f = vec3_axpy(at.factor, f, vec3_of(to[0], to[nv], to[2 * nv]));
            to[0] = f.x, to[nv] = f.y, to[2 * nv] = f.z;
        }
    }
}

#endif
