/*
 * One step of the backward pass over a motion on the group, with the structure of its Jacobians. Perturbations are
 * z = (z_q, z_ν), inputs w; the step is
 *
 *   z_ν⁺ = F (z_q, z_ν, w),    z_q⁺ = E z_q + H z_ν⁺ (+ the gap)
 *
 * where E and H have one block per joint: E = 1 and H = h for every coordinate of a group that commutes. Hence
 * A_d = [E + H F_q, H F_ν; F_q, F_ν] and B_d = [H F_u; F_u] are never formed: the value's quadratic form is first moved to
 * (z_q, z_ν⁺), which costs n², and then multiplied by F alone.
 *
 *   v ← V_x + V gap,  w_q = Eᵀv_q,  w_ν = v_ν + Hᵀv_q
 *   M₁ = V_νq + HᵀV_qq,  W_νq = M₁ E,  W_νν = V_νν + HᵀV_qν + M₁ H,  W_qq = EᵀV_qq E
 *   P = W_νν F + [W_νq 0 0]
 *   [Q_ux Q_uu Q_u] = [l_ux l_uu l_u] + F_uᵀ [P w_ν],  Q_x = l_x + F_xᵀw_ν + (w_q, 0)
 *   V_xx = l_xx + F_xᵀP_x + [W_qq + W_νqᵀF_q] − ZᵀZ,  V_x = Q_x + Q_uxᵀ k,    ZᵀZ = Q_uxᵀ Q_uu⁻¹ Q_ux
 *
 * Steps with inner stages have no such structure: their rows of z_q⁺ = D (z_q, z_ν, w) are given as well, and with [D; F] in the
 * place of A_d and B_d it is the usual recursion.
 *
 * The input's change is w = k + K z. With bounds on w, k is the least of the quadratic form in the box, and the rows of K of
 * inputs at a bound are zero; Z is that of the others.
 */
#ifndef HML_CONTROL_BACKWARD_H
#define HML_CONTROL_BACKWARD_H

#include "control/product.h"

enum { BLOCK_MOST = 36 }; /* doubles of a joint's block */

/* a joint whose group does not commute: coordinates first … first + m − 1 */
typedef struct curved_joint {
    size_t first, m;
} curved_joint;

typedef struct backward_size {
    size_t n, m;   /* nv, inputs */
    size_t ld;     /* of rows [q ν u 1]: product_pad(2n + m + 1) */
    size_t ldx;    /* of rows [q ν]: product_pad(2n) */
    size_t curved; /* how many */
    const curved_joint *joints;
    const product_table *products;
} backward_size;

typedef struct backward_knot {
    const double *F;             /* n × ld, zero behind its 2n + m columns */
    const double *D;             /* the same; NULL: z_q⁺ = E z_q + H z_ν⁺ */
    const double *E, *H;         /* curved × BLOCK_MOST */
    double h;                    /* the H of all other coordinates */
    const double *gap;           /* 2n, or NULL: none */
    const double *lx, *lxx;      /* 2n; 2n × ldx, whose lower triangle is read */
    const double *lu;            /* m × ld: [l_ux l_uu l_u] */
    const double *lower, *upper; /* m: of w, lower ≤ 0 ≤ upper; NULL: none */
    double *K, *k;               /* m × 2n, m */
} backward_knot;

/* memory of one pass; hmli_backward_lay_out sets it */
typedef struct backward_space {
    double *V, *Vx;                   /* 2n × ldx, 2n: the value of what follows, symmetric */
    double *next, *v, *w;             /* 2n × ldx, 2n, 2n */
    double *M1, *Wnn, *Wnq;           /* n × ld each */
    double *P;                        /* 2n × ld; n of them but for steps with D */
    double *G, *Z;                    /* m × ld */
    double *step, *gradient, *factor; /* of the box: m, m, m × m */
    size_t *pivot;
    int *free;
} backward_space;

static inline void backward_mirror(size_t n, size_t ld, double *V)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) V[j * ld + i] = V[i * ld + j];
}

/* bytes, and where memory is not NULL the pointers */
size_t hmli_backward_lay_out(const backward_size *z, void *memory, backward_space *s);

/* V and Vx of the end: the terminal cost's derivatives, of which the lower triangle is read */
void hmli_backward_begin(const backward_size *z, const double *lx, const double *lxx, backward_space *s);

/* V and Vx of the step behind become those of this one; HML_SINGULAR if Q_uu + mu is not positive definite */
hml_status hmli_backward_step(const backward_size *z, const backward_knot *x, double mu, backward_space *s);

/*
 * The least of ½ xᵀQx + gᵀx in lower ≤ x ≤ upper by a projected Newton method; x begins at 0. Q: m × m with rows ld apart;
 * free[i] is 1 where x_i is not at a bound that holds it. 1 if Q is not positive definite on the free ones, or the method
 * does not end.
 */
typedef struct box_problem {
    size_t m, ld;
    const double *Q, *g, *lower, *upper;
    double *x;
    int *free;
    double *gradient, *factor, *step; /* m, m × m, m: scratch */
} box_problem;

int hmli_box_solve(const box_problem *b);

#endif
