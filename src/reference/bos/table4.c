/*
 * EIDAmb, the extended inverse dynamics of a robot with a moving base: Bos, Table 4. The line numbers of the table are
 * in the margin; the symbols are in quantities.h.
 *
 * Deviations from print
 * - Line 5. The state is the left-trivialized twist v = ⁰v_{A,0} (Propositions 1 and 3), so v_0 = v; the table starts
 *   from ᴬv. Lines 1 to 4 are only needed for gravity.
 * - Line 6. a_grav is the fictitious upward acceleration, minus the gravity vector: with gravity itself the bias
 *   wrenches have the wrong sign.
 * - The output is [τ_b; τ], base first, as in (32); the table's last row has it the other way round.
 */
#include "base/dense.h"
#include "group/joint.h"
#include "model/pose.h"
#include "reference/bos/quantities.h"

static void body_inertia(const model_body *b, double M[36])
{
    const double *m = b->moment;
    vec3 c = vec3_at(b->com);
    inertia_matrix(inertia_of_com(b->mass, c, sym3_at(m)), M);
}

/* The base's frame is where its joint is: a free root that turns about a point of its body has it there */
static pose placement(const model_body *b, int i)
{
    pose H = pose_of_arrays(b[i].R, b[i].p);
    if (b[i].parent == 0) H.p = vec3_sub(H.p, vec3_of(b[0].point[0], b[0].point[1], b[0].point[2]));
    return H;
}

static void base_inertia(const model_body *b, double M[36])
{
    model_body moved = *b;
    for (int k = 0; k < 3; k++) moved.com[k] -= b->point[k];
    body_inertia(&moved, M);
}

void hmli_reference_joints(const hml_model *model, const double *q, reference *r)
{
    const model_body *b = model_bodies(model);
    base_inertia(b, r->body[0].M);
    for (int i = 1; i <= r->n; i++) {
        reference_body *x = &r->body[i];
        vec3 axis = vec3_of(b[i].axis[0], b[i].axis[1], b[i].axis[2]);
        vec3 point = vec3_of(b[i].point[0], b[i].point[1], b[i].point[2]);
        pose joint = joint_pose(b[i].type, axis, point, b[i].pitch, &q[b[i].q]);
        twist S[HML_JOINT_MAX_NV] = {twist_zero()};
        double ad[36];
        joint_columns(b[i].type, axis, point, b[i].pitch, S);
        twist_put(S[0], x->Gamma);
        x->parent = b[i].parent;
        body_inertia(&b[i], x->M);
        pose_ad_matrix(pose_inverse(pose_mul(placement(b, i), joint)), x->X);
        /* jcalcderv for every joint at once: Γ is constant, so ∂/∂s of Ad(exp(Γs)⁻¹) is −Γ × Ad(exp(Γs)⁻¹) */
        mat6_cross(ad, x->Gamma);
        block_product(6, x->dX, ad, x->X);
        for (int k = 0; k < 36; k++) x->dX[k] = -x->dX[k];
    }
}

void hmli_reference_base(const hml_model *model, const double *q, double R[9])
{
    const model_body *b = model_bodies(model);
    pose H = pose_mul(pose_of_arrays(b->R, b->p), joint_pose(b->type, vec3_zero(), vec3_zero(), 0, q));
    const vec3 columns[3] = {H.R.x, H.R.y, H.R.z};
    for (int j = 0; j < 3; j++) R[j] = columns[j].x, R[3 + j] = columns[j].y, R[6 + j] = columns[j].z;
}

/* b = 𝕄 a + v ×* m */
static void bias(const reference_body *x, const double *a, double *b)
{
    mat6_apply(b, x->M, a);
    vec6_add_cross_dual(b, x->v, x->m);
}

void hmli_reference_eidamb_passes(const hml_model *model, const double *q, const double *v, const double *a,
                                  reference *r)
{
    reference_body *base = &r->body[0];
    double R[9];
    hmli_reference_joints(model, q, r);
    hmli_reference_base(model, q, R);     /* 1-4 */
    memcpy(base->v, v, sizeof base->v);   /* 5 */
    memset(base->ar, 0, sizeof base->ar); /* 6: ⁰X_A a_grav */
    for (int k = 0; k < 9; k++) base->ar[k % 3] -= R[k] * model->gravity[k / 3];
    memcpy(base->avp, base->ar, sizeof base->avp); /* 7 */
    memcpy(base->Mc, base->M, sizeof base->Mc);    /* 8 */
    mat6_apply(base->m, base->M, base->v);         /* 9 */
    bias(base, base->ar, base->bc);                /* 10 */
    memcpy(base->bvp, base->bc, sizeof base->bvp); /* 11 */
    for (int i = 1; i <= r->n; i++) {              /* 12 */
        reference_body *x = &r->body[i];           /* 13, 15: hmli_reference_joints */
        const reference_body *p = &r->body[x->parent];
        for (int k = 0; k < 6; k++) x->vJ[k] = x->Gamma[k] * v[5 + i];         /* 14 */
        mat6_apply(x->v, x->X, p->v), vec6_add(x->v, x->vJ);                   /* 16 */
        mat6_apply(x->avp, x->X, p->avp), vec6_add_cross(x->avp, x->v, x->vJ); /* 18 */
        mat6_apply(x->ar, x->X, p->ar), vec6_add_cross(x->ar, x->v, x->vJ);    /* 17 */
        for (int k = 0; k < 6; k++) x->ar[k] += x->Gamma[k] * a[5 + i];
        memcpy(x->Mc, x->M, sizeof x->Mc); /* 19 */
        mat6_apply(x->m, x->M, x->v);      /* 20 */
        bias(x, x->ar, x->bc);             /* 21 */
        bias(x, x->avp, x->bvp);           /* 22 */
    }                                      /* 23 */
    for (int i = r->n; i >= 1; i--) {      /* 24 */
        const reference_body *x = &r->body[i];
        reference_body *p = &r->body[x->parent];
        mat6_add_sandwich(p->Mc, x->X, x->Mc, x->X); /* 25 */
        block_add_tproduct(1, p->bc, x->X, x->bc);   /* 26 */
        block_add_tproduct(1, p->bvp, x->X, x->bvp); /* 27 */
    }                                                /* 28 */
}

void hmli_reference_eidamb_forces(const double *a, reference *r, double *tau)
{
    reference_body *base = &r->body[0];
    double Fr[6] = {0}; /* ₀F ṙ */
    memcpy(base->a0, a, sizeof base->a0);
    for (int i = 1; i <= r->n; i++) { /* 29 */
        reference_body *x = &r->body[i];
        double f[6], F[6], up[6];
        mat6_apply(x->a0, x->X, r->body[x->parent].a0); /* 30 */
        mat6_apply(f, x->Mc, x->a0), vec6_add(f, x->bc);
        tau[5 + i] = vec6_dot(x->Gamma, f);             /* 31 */
        mat6_apply(F, x->Mc, x->Gamma);                 /* 32 */
        for (int j = i; j > 0; j = r->body[j].parent) { /* 33-38: down to the base */
            mat6_tapply(up, r->body[j].X, F);
            memcpy(F, up, sizeof F);
        }
        for (int k = 0; k < 6; k++) Fr[k] += F[k] * a[5 + i];
    }                                    /* 39 */
    mat6_apply(tau, base->Mc, base->a0); /* 40 */
    vec6_add(tau, Fr), vec6_add(tau, base->bvp);
}

int hmli_reference_inverse6(const double *A, double *inverse)
{
    double L[36];
    memcpy(L, A, sizeof L);
    if (dense_factor(6, L, NULL)) return 1;
    for (int j = 0; j < 6; j++) {
        double x[6] = {0};
        x[j] = 1;
        dense_solve(6, L, x);
        for (int i = 0; i < 6; i++) inverse[6 * i + j] = x[i];
    }
    return 0;
}
