/*
 * Robots whose free root carries equal limbs, each a chain of a few revolute joints: a lane has a limb, and all that
 * belongs to it in registers. Quadrupeds and hexapods. This file: from a state's numbers to the right-hand sides of all
 * columns; limbs_write.h: the results.
 *
 * With M_l of a limb, F its rows against the root, and t a right-hand side with the root's rows t_root and the limb's t_l:
 *
 *   G = M_l⁻¹ F      S = M_root − Σ Fᵀ G      x = −S⁻¹ (t_root − Gᵀ t_l)      −M⁻¹ t: x, own rows −M_l⁻¹ t_l − G x, others −G x
 *
 * M_l is factored from the tip on, and the right-hand sides go along, so that S is the result of an elimination
 * (inverse.h says why). What needs ν̇ is linear in it, and comes last.
 */
#ifndef HML_CUDA_LIMBS_H
#define HML_CUDA_LIMBS_H

#include "cuda/limbs_root.h"

/* ---- a limb, out ---- */

/* poses, velocities and accelerations without ν̇ in the slots; S */
LANE_CODE void limb_out(limb_lane *x, const limb_root *r, limb *l)
{
    pose H = pose_identity();
    twist v = twist_of(vec3_zero(), r->w), a = twist_zero();
    ROLLED for (int j = 0; j < x->joints; j++)
    {
        num sine, cosine;
        num_sincos(limb_input(x, x->q + limb_column(x, j) + 1), &sine, &cosine);
        work_put(limb_slot(x, j, SLOT_H), sine), work_put(limb_slot(x, j, SLOT_H + 1), cosine);
    }
    UNROLLED for (int j = 0; j < x->joints; j++)
    {
        pose P = table_pose(joint_table(x, j));
        P.R = turn_z_by(P.R, work_get(limb_slot(x, j, SLOT_H)), work_get(limb_slot(x, j, SLOT_H + 1)));
        H = j == 0 ? P : pose_mul(H, P);
        l->S[j] = turn_column(H.R.z, H.p);
        const twist vp = v;
        v = twist_axpy(limb_input(x, x->v + limb_column(x, j)), l->S[j], v);
        a = twist_add(a, twist_cross(vp, v));
        slot_put_vec3(limb_slot(x, j, SLOT_H), H.R.x);
        slot_put_vec3(limb_slot(x, j, SLOT_H + 3), H.R.y);
        slot_put_vec3(limb_slot(x, j, SLOT_H + 6), H.R.z);
        slot_put_vec3(limb_slot(x, j, SLOT_H + 9), H.p);
        slot_put_twist(limb_slot(x, j, SLOT_V), v);
        slot_put_twist(limb_slot(x, j, SLOT_A), a);
    }
}

/* ---- a limb, back ---- */

/* right-hand sides of column j, and its row of M; F and g: of the joints from j on */
LANE_CODE void limb_joint(limb_lane *x, const limb_root *r, const composite *sum, int j, const wrench *F, const vec3 *g,
                          limb *l)
{
    const twist S = l->S[j], v = slot_twist(limb_slot(x, j, SLOT_V));
    twist vp = twist_of(vec3_zero(), r->w), ap = twist_zero();
    if (j > 0) vp = slot_twist(limb_slot(x, j - 1, SLOT_V)), ap = slot_twist(limb_slot(x, j - 1, SLOT_A));
    const twist Pd = twist_cross(vp, S), PS = twist_cross(twist_add(vp, v), S);
    const twist Pdd = twist_add(twist_cross(ap, S), twist_cross(vp, Pd));
    const wrench Uq = composite_Uq(sum, S, Pd, Pdd), Uv = composite_Uv(sum, S, PS);
    UNROLLED for (int i = 0; i < x->joints; i++)
    {
        num q;
        if (i < j) {
            q = wrench_dot(Uq, l->S[i]), l->v[i][j] = wrench_dot(Uv, l->S[i]);
        } else {
            q = wrench_dot(F[i], Pdd) + vec3_dot(g[i], Pd.w);
            l->v[i][j] = wrench_dot(F[i], PS) + vec3_dot(g[i], S.w);
        }
        work_put(limb_slot(x, j, SLOT_Q + i), q);
        if (i <= j) l->M[j][i] = wrench_dot(F[j], l->S[i]);
    }
    slot_put_twist(limb_slot(x, j, SLOT_SV), twist_of_wrench(Uv)); /* where the acceleration was: joint j is done */
    slot_put_twist(limb_slot(x, j, SLOT_U), twist_of_wrench(Uq));
}

/* armature, damping and springs of joint j, and its right-hand side of ν̇ */
LANE_CODE void limb_passive(limb_lane *x, int j, num h, limb *l)
{
    const int c = limb_column(x, j);
    const num *table = joint_table(x, j);
    const num damping = work_get(table + TABLE_DAMPING);
    l->b[j] = limb_input(x, x->b + c) - h;
    l->M[j][j] += work_get(table + TABLE_ARMATURE);
    if (!x->s.call->model.passive) return;
    l->b[j] -= damping * work_get(x->v + c);
    l->v[j][j] += damping;
    if (x->s.tree->elastic) {
        const num stiffness = work_get(table + TABLE_STIFFNESS);
        l->b[j] -= stiffness * (work_get(x->q + c + 1) - work_get(table + TABLE_REST));
        work_put(limb_slot(x, j, SLOT_Q + j), work_get(limb_slot(x, j, SLOT_Q + j)) + stiffness);
    }
}

/* the composite bodies from the tip on; what the limb adds to the root */
LANE_CODE void limb_back(limb_lane *x, limb_root *r, limb *l)
{
    composite sum;
    wrench F[LIMB_MOST];
    vec3 g[LIMB_MOST];
    UNROLLED for (int j = x->joints - 1; j >= 0; j--)
    {
        const pose H = pose_of(mat3_of(slot_vec3(limb_slot(x, j, SLOT_H)), slot_vec3(limb_slot(x, j, SLOT_H + 3)),
                                       slot_vec3(limb_slot(x, j, SLOT_H + 6))),
                               slot_vec3(limb_slot(x, j, SLOT_H + 9)));
        const twist v = slot_twist(limb_slot(x, j, SLOT_V)), a = slot_twist(limb_slot(x, j, SLOT_A));
        composite c = composite_of(inertia_transform(H, table_inertia(joint_table(x, j))), v, a);
        if (x->s.call->wrenches.data) c.f = wrench_sub(c.f, external_wrench(&x->s, limb_body(x, j), H));
        sum = j == x->joints - 1 ? c : composite_add(c, sum);
        F[j] = inertia_mul(sum.I, l->S[j]);
        g[j] = composite_2B_transposed(&sum, l->S[j]);
        limb_joint(x, r, &sum, j, F, g, l);
        limb_passive(x, j, wrench_dot(sum.f, l->S[j]), l);
        l->G[j] = twist_of_wrench(F[j]);
        l->w[j] = vec3_add(g[j], vec3_cross(F[j].t, r->w));
        const num I[10] = {sum.I.m,    sum.I.h.x,  sum.I.h.y,  sum.I.h.z,  sum.I.J.xx,
                           sum.I.J.xy, sum.I.J.xz, sum.I.J.yy, sum.I.J.yz, sum.I.J.zz};
        for (int k = 0; k < 10; k++) work_put(limb_slot(x, j, SLOT_I + k), I[k]);
    }
    root_add(r, &sum, r->w);
}

/* ---- elimination ---- */

/* M_l⁻¹ t, with the factor */
LANE_CODE void limb_solve(const limb_lane *x, const limb *l, num t[LIMB_MOST])
{
    UNROLLED for (int k = x->joints - 1; k > 0; k--) { UNROLLED for (int i = 0; i < k; i++) t[i] -= l->M[k][i] * t[k]; }
    UNROLLED for (int k = 0; k < x->joints; k++)
    {
        t[k] *= l->M[k][k];
        UNROLLED for (int i = 0; i < k; i++) t[k] -= l->M[k][i] * t[i];
    }
}

/* the factor; right-hand sides go along, and take their part from the root */
LANE_CODE void limb_eliminate(limb_lane *x, limb_root *r, limb *l)
{
    num original[LIMB_MOST];
    UNROLLED for (int k = 0; k < x->joints; k++) original[k] = l->M[k][k];
    UNROLLED for (int k = x->joints - 1; k >= 0; k--)
    {
        const num d = inverse_of_pivot(&x->s, l->M[k][k], original[k]);
        num f[6];
        UNROLLED for (int i = 0; i < k; i++)
        {
            const num m = d * l->M[k][i];
            UNROLLED for (int j = 0; j <= i; j++) l->M[i][j] -= m * l->M[k][j];
            l->G[i] = twist_axpy(-m, l->G[k], l->G[i]);
            l->w[i] = vec3_axpy(-m, l->w[k], l->w[i]);
            l->b[i] -= m * l->b[k];
        }
        UNROLLED for (int i = 0; i < k; i++) l->M[k][i] *= d;
        l->M[k][k] = d;
        UNROLLED for (int i = 0; i < 6; i++) f[i] = d * twist_get(l->G[k], i);
        UNROLLED for (int i = 0; i < 6; i++)
        {
            UNROLLED for (int j = 0; j <= i; j++) r->S[at21(i, j)] -= f[i] * twist_get(l->G[k], j);
        }
        r->omega[0] = twist_axpy(-l->w[k].x, twist_from(f), r->omega[0]);
        r->omega[1] = twist_axpy(-l->w[k].y, twist_from(f), r->omega[1]);
        r->omega[2] = twist_axpy(-l->w[k].z, twist_from(f), r->omega[2]);
        r->b = twist_axpy(-l->b[k], twist_from(f), r->b);
    }
    UNROLLED for (int k = 0; k < x->joints; k++)
    {
        const num d = l->M[k][k];
        l->G[k] = twist_scale(d, l->G[k]), l->w[k] = vec3_scale(d, l->w[k]), l->b[k] *= d;
        UNROLLED for (int i = 0; i < k; i++)
        {
            l->G[k] = twist_axpy(-l->M[k][i], l->G[i], l->G[k]);
            l->w[k] = vec3_axpy(-l->M[k][i], l->w[i], l->w[k]);
            l->b[k] -= l->M[k][i] * l->b[i];
        }
    }
}

/* column j of t: s = t_root − Gᵀ t, and −M_l⁻¹ t in its place */
LANE_CODE twist limb_right(const limb_lane *x, const limb *l, twist s, num t[LIMB_MOST][LIMB_MOST], int j)
{
    num y[LIMB_MOST];
    UNROLLED for (int i = 0; i < x->joints; i++)
    {
        s = twist_axpy(-t[i][j], l->G[i], s);
        y[i] = -t[i][j];
    }
    limb_solve(x, l, y);
    UNROLLED for (int i = 0; i < x->joints; i++) t[i][j] = y[i];
    return s;
}

/* ν̇, and what it adds to the right-hand sides by q */
LANE_CODE void limb_acceleration(limb_lane *x, limb_root *r, limb *l)
{
    const twist base = twist_scale(K(-1), limb_root_times(r, r->b));
    wrench y[LIMB_MOST], F[LIMB_MOST];
    twist da = base;
    UNROLLED for (int j = x->joints - 1; j >= 0; j--)
    {
        l->b[j] -= dot6(l->G[j], base);
        F[j] = inertia_mul(slot_inertia(limb_slot(x, j, SLOT_I)), l->S[j]);
        y[j] = wrench_scale(l->b[j], F[j]);
        if (j < x->joints - 1) y[j] = wrench_add(y[j], y[j + 1]);
    }
    UNROLLED for (int j = 0; j < x->joints; j++)
    {
        const inertia sum = slot_inertia(limb_slot(x, j, SLOT_I));
        const twist S = l->S[j], dPdd = twist_cross(da, S);
        const wrench f = wrench_add(inertia_mul(sum, da), y[j]);
        const wrench dU = wrench_add(inertia_mul(sum, dPdd), twist_cross_dual(S, f));
        UNROLLED for (int i = 0; i < x->joints; i++)
        {
            const num dq = i < j ? wrench_dot(dU, l->S[i]) : wrench_dot(F[i], dPdd);
            l->q[i][j] = work_get(limb_slot(x, j, SLOT_Q + i)) + dq;
        }
        l->sq[j] = twist_add(slot_twist(limb_slot(x, j, SLOT_U)), twist_of_wrench(dU));
        da = twist_axpy(l->b[j], S, da);
    }
    UNROLLED for (int j = 0; j < x->joints; j++) l->sq[j] = limb_right(x, l, l->sq[j], l->q, j);
    r->b = base;
}

/* a state from its inputs to everything that the results are made of */
LANE_CODE void limb_compute(limb_lane *x, limb_root *r, limb *l)
{
    *r = limb_root_begin(x);
    limb_out(x, r, l);
    limb_back(x, r, l);
    lanes_forget();
    limb_eliminate(x, r, l);
    UNROLLED for (int j = 0; j < x->joints; j++)
    {
        const twist U = slot_twist(limb_slot(x, j, SLOT_SV));
        slot_put_twist(limb_slot(x, j, SLOT_SV), limb_right(x, l, U, l->v, j));
    }
    lanes_forget(); /* there are not registers enough for everything while the root is solved */
    limb_root_sum(x, r);
    limb_root_body(x, r);
    limb_root_inverse(x, r);
    limb_acceleration(x, r, l);
    UNROLLED for (int j = 0; j < x->joints; j++) l->sv[j] = slot_twist(limb_slot(x, j, SLOT_SV));
    if (not_finite(x->bad)) x->s.flags |= FLAG_NOT_FINITE;
}

#endif
