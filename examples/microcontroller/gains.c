/*
 * The gains of the controller, on the host: the discrete Riccati equation about hovering, iterated until it rests, with
 * A_d and B_d of the generated step (plant.c, in double). Prints gains.h.
 */
#include <math.h>
#include <stdio.h>

#include "controller.h"
#include "plant.h"

/* weights of squares: place, attitude, arm, their velocities, inputs */
static const double PLACE = 2, ATTITUDE = 20, ARM = 60, VELOCITY = 1, INPUT = 0.2;
enum { ITERATIONS = 20000 };

static double A[STATES][STATES], B[STATES][INPUTS], P[STATES][STATES], K[INPUTS][STATES];

/* G x = b for a symmetric positive definite G, which is overwritten; columns of b */
static void solve(double G[INPUTS][INPUTS], double b[INPUTS][STATES])
{
    for (int k = 0; k < INPUTS; k++) {
        for (int i = k + 1; i < INPUTS; i++) {
            const double f = G[i][k] / G[k][k];
            for (int j = k; j < INPUTS; j++) G[i][j] -= f * G[k][j];
            for (int j = 0; j < STATES; j++) b[i][j] -= f * b[k][j];
        }
    }
    for (int k = INPUTS - 1; k >= 0; k--) {
        for (int j = 0; j < STATES; j++) {
            for (int i = k + 1; i < INPUTS; i++) b[k][j] -= G[k][i] * b[i][j];
            b[k][j] /= G[k][k];
        }
    }
}

static double weight(int i) { return i < 3 ? PLACE : i < BASE ? ATTITUDE : i < NV ? ARM : VELOCITY; }

/* K = (R + BᵀPB)⁻¹ BᵀPA, P = Q + Aᵀ P (A − B K); returns the largest change of P */
static double iterate(void)
{
    static double PA[STATES][STATES], BP[INPUTS][STATES], G[INPUTS][INPUTS], C[STATES][STATES];
    double change = 0;
    for (int i = 0; i < INPUTS; i++) {
        for (int j = 0; j < STATES; j++) {
            BP[i][j] = 0;
            for (int k = 0; k < STATES; k++) BP[i][j] += B[k][i] * P[k][j];
        }
        for (int j = 0; j < INPUTS; j++) {
            G[i][j] = i == j ? INPUT : 0;
            for (int k = 0; k < STATES; k++) G[i][j] += BP[i][k] * B[k][j];
        }
        for (int j = 0; j < STATES; j++) {
            K[i][j] = 0;
            for (int k = 0; k < STATES; k++) K[i][j] += BP[i][k] * A[k][j];
        }
    }
    solve(G, K);
    for (int i = 0; i < STATES * STATES; i++) {
        double closed = A[i / STATES][i % STATES];
        for (int k = 0; k < INPUTS; k++) closed -= B[i / STATES][k] * K[k][i % STATES];
        C[i / STATES][i % STATES] = closed;
    }
    for (int i = 0; i < STATES * STATES; i++) {
        double sum = 0;
        for (int k = 0; k < STATES; k++) sum += P[i / STATES][k] * C[k][i % STATES];
        PA[i / STATES][i % STATES] = sum;
    }
    for (int i = 0; i < STATES * STATES; i++) {
        const int row = i / STATES, column = i % STATES;
        double sum = row == column ? weight(row) : 0;
        for (int k = 0; k < STATES; k++) sum += A[k][row] * PA[k][column];
        change = fmax(change, fabs(sum - P[row][column]) / (1 + fabs(sum)));
        P[row][column] = sum;
    }
    return change;
}

int main(void)
{
    static const double v[NV] = {0};
    static double Ad[STATES * STATES], Bd[STATES * NV];
    double q[NQ] = {0}, tau[NV], q_next[NQ], v_next[NV], change = 1;
    q[3] = 1;
    if (plant_inverse_dynamics(q, v, NULL, tau) || plant_step_linearize(TICK, q, v, tau, q_next, v_next, Ad, Bd))
        return 1;
    for (int i = 0; i < STATES; i++) {
        for (int j = 0; j < STATES; j++) A[i][j] = Ad[i * STATES + j];
        for (int j = 0; j < INPUTS; j++) B[i][j] = Bd[i * NV + j + 2];
        P[i][i] = weight(i);
    }
    for (int i = 0; i < ITERATIONS && change > 1e-9; i++) change = iterate();
    if (!(change <= 1e-9)) return 1;
    printf("/* Written by gains.c: inputs in rows, errors in columns. */\nstatic const float gains[%d][%d] = {\n",
           INPUTS, STATES);
    for (int i = 0; i < INPUTS; i++) {
        printf("    {");
        for (int j = 0; j < STATES; j++) printf("%s%.9ef", j ? ", " : "", K[i][j]);
        printf("},\n");
    }
    printf("};\n");
    return 0;
}
