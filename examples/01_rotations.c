/*
 * Rotations: an aeroplane flies a loop. Straight up and straight down Euler angles have no rates, and the library says
 * so; the quaternion does not notice.
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

/* whole degrees; + 0.0 takes the minus away from -0 */
static double degrees(double angle) { return nearbyint(angle * 57.295779513082323) + 0.0; }

int main(void)
{
    const double nose_up[3] = {0, -0.52359877559829887, 0}; /* 30° a second, in the body: x forward, y left, z up */
    double q[4] = {1, 0, 0, 0}, start[4] = {1, 0, 0, 0};    /* w first */

    puts("second       w        y       yaw   pitch    roll      their rates");
    for (int second = 0; second < 12; second++) {
        double e[3], rate[3];
        check(hml_quat_to_euler_zyx(q, e));
        printf("%4d   %8.4f %8.4f  %7.0f %7.0f %7.0f   ", second, q[0], q[2], degrees(e[0]), degrees(e[1]),
               degrees(e[2]));
        hml_status status = hml_euler_zyx_rate(HML_LOCAL, e, nose_up, rate);
        if (status == HML_SINGULAR_PARAMETERIZATION) {
            puts("      there are none");
        } else {
            check(status);
            printf("%6.0f %6.0f %6.0f\n", degrees(rate[0]), degrees(rate[1]), degrees(rate[2]));
        }
        check(hml_quat_boxplus(HML_LOCAL, q, nose_up, q)); /* q exp(v): a second later, exactly */
    }

    double angle;
    check(hml_quat_distance(q, start, &angle));
    printf("\nAfter the loop the aeroplane is %.0e radians from where it started.\n\n", angle);
    return angle < 1e-14 ? EXIT_SUCCESS : EXIT_FAILURE; /* twelve products, half an ulp each: 1.3e-15 */
}
