/* One contact by itself: whatever comes out of local_solve satisfies Signorini's and Coulomb's laws, w⁺ = alone + B P. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "draw.h"
#include "sim/contact_local.h"

enum { OPEN, STICKS, SLIDES, STATES };

/* symmetric, positive, with normal and tangents coupled as strongly as the tangents with each other */
static local draw_local(uint64_t *seed)
{
    local l = {.mu = 0.1 + fabs(draw(seed))};
    double G[3][3];
    for (int i = 0; i < 9; i++) G[i / 3][i % 3] = draw(seed);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            l.B[i][k] = G[i][0] * G[k][0] + G[i][1] * G[k][1] + G[i][2] * G[k][2] + (i == k ? 0.2 : 0);
    return l;
}

/* the laws, to a relative 1e-9 of the velocities: the sliding impulse is found by iteration */
static int check_laws(const local *l, const double alone[3], const double P[3])
{
    double w[3], size = 0;
    for (int i = 0; i < 3; i++) {
        w[i] = alone[i] + l->B[i][0] * P[0] + l->B[i][1] * P[1] + l->B[i][2] * P[2];
        size += fabs(alone[i]);
    }
    const double small = 1e-9 * size, tangent = hypot(P[1], P[2]), speed = hypot(w[1], w[2]);
    assert_true(P[0] >= 0 && w[0] >= -small);
    if (P[0] == 0) {
        assert_true(tangent == 0);
        return OPEN;
    }
    assert_true(fabs(w[0]) < small); /* it does not open while it is pushed */
    assert_true(tangent <= l->mu * P[0] * (1 + 1e-12));
    if (speed < small) return STICKS;
    assert_true(fabs(tangent - l->mu * P[0]) < 1e-9 * P[0]);
    assert_true(P[1] * w[1] + P[2] * w[2] < -(1 - 1e-9) * tangent * speed); /* against the motion, all of it */
    return SLIDES;
}

static void test_laws_of_contact(void **state)
{
    (void)state;
    uint64_t seed = 3;
    int met[STATES] = {0};
    for (int k = 0; k < 3000; k++) {
        const local l = draw_local(&seed);
        double alone[3], w[3], P[3];
        for (int i = 0; i < 3; i++) alone[i] = draw(&seed), P[i] = draw(&seed);
        P[0] = fabs(P[0]);
        for (int i = 0; i < 3; i++) w[i] = alone[i] + l.B[i][0] * P[0] + l.B[i][1] * P[1] + l.B[i][2] * P[2];
        local_solve(&l, w, P); /* from any impulse that it had */
        met[check_laws(&l, alone, P)]++;
    }
    for (int i = 0; i < STATES; i++) assert_true(met[i] > 100);
}

static void test_without_friction_or_motion(void **state)
{
    (void)state;
    uint64_t seed = 4;
    for (int k = 0; k < 200; k++) {
        local l = draw_local(&seed);
        double w[3], P[3] = {0};
        for (int i = 0; i < 3; i++) w[i] = draw(&seed);
        l.mu = 0;
        local_solve(&l, w, P);
        assert_true(P[1] == 0 && P[2] == 0);
        assert_true(fabs(P[0] - fmax(0, -w[0] / l.B[0][0])) < 1e-12);
        memset(l.B, 0, sizeof l.B); /* the world against itself: nothing moves, nothing pushes */
        l.mu = 0.5, P[0] = 1, P[1] = 0.2;
        local_solve(&l, w, P);
        assert_true(P[0] == 0 && P[1] == 0 && P[2] == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_laws_of_contact),
        cmocka_unit_test(test_without_friction_or_motion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
