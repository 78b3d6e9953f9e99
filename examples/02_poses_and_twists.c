/*
 * Poses and twists: a car drives through a banked bend. Its motion is one twist; written by four people it is four
 * lists of numbers, and the engine's power is the same in all of them.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <hamel/hamel.h>

static void check(hml_status status)
{
    if (status == HML_OK) return;
    fprintf(stderr, "%s\n", hml_status_message(status));
    exit(EXIT_FAILURE);
}

/* one digit; + 0.0 takes the minus away from -0 */
static double tidy(double x) { return nearbyint(10 * x) / 10 + 0.0; }

int main(void)
{
    static const char *const names[] = {"left", "right", "mixed", "split"};
    const double roll[3] = {0.64350110879328437, 0, 0}, place[3] = {50, 0, 0}; /* banked by atan(3/4) */
    const double V[6] = {10, 0,   0,
                         0,  0.3, 0.4}; /* linear first, seen from the car: 10 m/s, 0.5 rad/s about the vertical */
    const double F[6] = {300, 0, 0, 0, 30, 40}; /* force first: 300 N forward, 50 Nm about the vertical */
    const double t = 3.1415926535897931;        /* s: a quarter of the circle, whose radius is 10/0.5 = 20 m */
    double R[9], start[16], xi[6], H[16], error = 0;

    check(hml_so3_exp(roll, R));
    check(hml_se3_make(R, place, start));
    for (int i = 0; i < 6; i++) xi[i] = t * V[i];
    check(hml_se3_exp(xi, H)); /* a constant twist for t seconds: exact, however long */
    check(hml_se3_compose(start, H, H));
    printf("The car is at (%.1f, %.1f, %.1f) m, its nose along (%.1f, %.1f, %.1f).\n\n", tidy(H[3]), tidy(H[7]),
           tidy(H[11]), tidy(H[0]), tidy(H[4]), tidy(H[8]));

    puts("           vx     vy     vz     wx     wy     wz    power");
    for (int k = 0; k < 4; k++) {
        double Vk[6], Fk[6], power;
        check(hml_twist_convert(H, HML_LEFT, V, (hml_representation)k, Vk));
        check(hml_wrench_convert(H, HML_LEFT, F, (hml_representation)k, Fk));
        check(hml_wrench_power(Fk, Vk, &power));
        printf("%-6s", names[k]);
        for (int i = 0; i < 6; i++) printf(" %6.1f", tidy(Vk[i]));
        printf(" %6.0f W\n", power);
        error = fmax(error, fabs(power - (300 * 10 + 50 * 0.5)));
    }
    return error < 1e-11 ? EXIT_SUCCESS : EXIT_FAILURE; /* 3025 W, a dozen roundings of terms up to 1e4 */
}
