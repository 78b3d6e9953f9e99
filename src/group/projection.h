/*
 * The rotation nearest to a 3x3 matrix A in Frobenius norm, for kinds of one lane.
 *
 * |A − C|² = const − 2 tr(Aᵀ C), and tr(Aᵀ C(q)) = qᵀ N q with a symmetric 4x4 matrix N of A's entries (Horn 1987;
 * Davenport). So q is the eigenvector of N's largest eigenvalue, found with Jacobi's rotations: no case distinction,
 * determinant +1 by construction. With singular values s₁ >= s₂ >= s₃ and d = sign det A the two largest eigenvalues
 * differ by 2 (s₂ + d s₃): where that vanishes, the nearest rotation is not unique.
 */
#ifndef HML_GROUP_PROJECTION_H
#define HML_GROUP_PROJECTION_H

#include "group/rotation.h"

/* annihilates N[i][j] by a rotation of the coordinates i and j, and turns the columns of V along */
static inline void projection_turn(num N[4][4], num V[4][4], int i, int j)
{
    num off = N[i][j], gap = K(0.5) * (N[j][j] - N[i][i]);
    num root = num_sqrt(gap * gap + off * off);
    if (!num_lt(K(0), root)) return;
    num t = off / (gap + num_select(num_lt(gap, K(0)), -root, root)); /* the smaller root of t² + 2(gap/off)t − 1 */
    num c = K(1) / num_sqrt(K(1) + t * t), s = c * t;
    for (int k = 0; k < 4; k++) {
        num a = N[k][i], b = N[k][j], v = V[k][i], w = V[k][j];
        N[k][i] = c * a - s * b, N[k][j] = s * a + c * b;
        V[k][i] = c * v - s * w, V[k][j] = s * v + c * w;
    }
    for (int k = 0; k < 4; k++) {
        num a = N[i][k], b = N[j][k];
        N[i][k] = c * a - s * b, N[j][k] = s * a + c * b;
    }
}

/* 0 if the nearest rotation is not unique to working precision, or A is zero */
static inline int projection_quat(mat3 A, quat *q)
{
    num scale = K(0);
    const vec3 *column[3] = {&A.x, &A.y, &A.z};
    for (int i = 0; i < 3; i++) {
        vec3 a = *column[i];
        scale =
            rotation_max(rotation_max(scale, rotation_abs(a.x)), rotation_max(rotation_abs(a.y), rotation_abs(a.z)));
    }
    if (!num_lt(K(0), scale)) return 0;
    A = mat3_of(vec3_of(A.x.x / scale, A.x.y / scale, A.x.z / scale),
                vec3_of(A.y.x / scale, A.y.y / scale, A.y.z / scale),
                vec3_of(A.z.x / scale, A.z.y / scale, A.z.z / scale));
    num xx = A.x.x, yy = A.y.y, zz = A.z.z;
    num x = A.y.z - A.z.y, y = A.z.x - A.x.z, z = A.x.y - A.y.x;
    num xy = A.x.y + A.y.x, xz = A.x.z + A.z.x, yz = A.y.z + A.z.y;
    num N[4][4] = {
        {xx + yy + zz, x, y, z}, {x, xx - yy - zz, xy, xz}, {y, xy, yy - xx - zz, yz}, {z, xz, yz, zz - xx - yy}};
    num V[4][4] = {{K(1)}, {K(0), K(1)}, {K(0), K(0), K(1)}, {K(0), K(0), K(0), K(1)}};
    for (int sweep = 0; sweep < 12; sweep++) { /* quadratic convergence: 6 sweeps reach 53 bits, 7 reach 113 */
        for (int i = 0; i < 3; i++) {
            for (int j = i + 1; j < 4; j++) projection_turn(N, V, i, j);
        }
    }
    int best = 0, second = 1;
    if (num_lt(N[0][0], N[1][1])) best = 1, second = 0;
    for (int i = 2; i < 4; i++) {
        if (num_lt(N[best][best], N[i][i]))
            second = best, best = i;
        else if (num_lt(N[second][second], N[i][i]))
            second = i;
    }
    *q = so3_unique(quat_normalize(quat_of(V[0][best], V[1][best], V[2][best], V[3][best])));
    return !!num_lt(K(64) * K(NUM_EPS), N[best][best] - N[second][second]);
}

#endif
