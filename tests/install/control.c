/* The installed feedback: the regulator of the double integrator with unit weights has the gain (1, √3). */
#include <stdio.h>

#include <hamel/control.h>

int main(void)
{
    const double A[4] = {0, 1, 0, 0}, B[2] = {0, 1}, Q[4] = {1, 0, 0, 1}, R[1] = {1};
    double K[2], scratch[512];
    if (hml_lqr_scratch_doubles(2, 1) > 512) return 1;
    if (hml_lqr_solve(&HML_STRUCT(hml_lqr, .n = 2, .m = 1, .A = A, .B = B, .Q = Q, .R = R, .K = K), scratch, NULL))
        return 1;
    printf("K = %.6f %.6f\n", K[0], K[1]);
    const double error = (K[0] - 1) * (K[0] - 1) + (K[1] * K[1] - 3) * (K[1] * K[1] - 3);
    return error < 1e-24 ? 0 : 1;
}
