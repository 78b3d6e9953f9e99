/*
 * Ten seconds of flight on the chip: the drone itself is plant.c, the generated robot in double, moved on by a millisecond
 * at a time; the controller runs every second time. The drone starts tilted and away from its place, its arm swings, and a
 * gust pushes it. Returns 0 if it comes back to where it should be. The image has no heap and no library for output.
 */
#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "board.h"
#include "controller.h"
#include "plant.h"

enum { STEPS = 10000, STEPS_PER_TICK = 2, GUST_FROM = 5000, GUST_TO = 5400 };
static const double H = 0.001, GUST = 4; /* s, N along the world's y */

typedef struct flight {
    double q[NQ], v[NV];
    float tau[NV];
    double tilt, place, arm; /* largest errors since the last look: rad, m, rad */
    uint32_t most;           /* instructions of a tick of the controller */
} flight;

/* q exp(h v) of the base, for turns that are small in a step, and the arm */
static void advance(flight *f)
{
    double *q = f->q, *v = f->v, t[3], c[3];
    const double w = q[3], *u = q + 4;
    double half[3], next[4];
    for (int i = 0; i < 3; i++) t[i] = H * v[i], half[i] = 0.5 * H * v[3 + i];
    for (int i = 0; i < 3; i++) c[i] = 2 * (u[(i + 1) % 3] * t[(i + 2) % 3] - u[(i + 2) % 3] * t[(i + 1) % 3]);
    for (int i = 0; i < 3; i++)
        q[i] += t[i] + w * c[i] + u[(i + 1) % 3] * c[(i + 2) % 3] - u[(i + 2) % 3] * c[(i + 1) % 3];
    next[0] = w - u[0] * half[0] - u[1] * half[1] - u[2] * half[2];
    for (int i = 0; i < 3; i++)
        next[1 + i] = w * half[i] + u[i] + u[(i + 1) % 3] * half[(i + 2) % 3] - u[(i + 2) % 3] * half[(i + 1) % 3];
    const double scale = 1 / sqrt(next[0] * next[0] + next[1] * next[1] + next[2] * next[2] + next[3] * next[3]);
    for (int i = 0; i < 4; i++) q[3 + i] = scale * next[i];
    for (int i = BASE; i < NV; i++) q[1 + i] += H * v[i];
}

static int control(flight *f, const reference *r)
{
    float q[NQ], v[NV];
    for (int i = 0; i < NQ; i++) q[i] = (float)f->q[i];
    for (int i = 0; i < NV; i++) v[i] = (float)f->v[i];
    const uint32_t start = board_instructions();
    const int status = controller_run(r, q, v, f->tau);
    const uint32_t passed = board_passed(start, board_instructions());
    if (passed > f->most) f->most = passed;
    return status;
}

static int step(flight *f, int gust)
{
    double tau[NV], a[NV];
    const double *q = f->q;
    for (int i = 0; i < NV; i++) tau[i] = (double)f->tau[i];
    if (gust) { /* at the drone's origin, along the world's y, in its axes */
        tau[0] += GUST * 2 * (q[4] * q[5] + q[3] * q[6]);
        tau[1] += GUST * (1 - 2 * (q[4] * q[4] + q[6] * q[6]));
        tau[2] += GUST * 2 * (q[5] * q[6] - q[3] * q[4]);
    }
    const int status = plant_forward_dynamics(f->q, f->v, tau, a);
    for (int i = 0; i < NV; i++) f->v[i] += H * a[i];
    advance(f);
    return status;
}

static void look(flight *f, const reference *r)
{
    const double tilt = 2 * sqrt(f->q[4] * f->q[4] + f->q[5] * f->q[5]);
    const double place = sqrt(f->q[0] * f->q[0] + f->q[1] * f->q[1] + f->q[2] * f->q[2]);
    if (!(tilt <= f->tilt)) f->tilt = tilt;
    if (!(place <= f->place)) f->place = place;
    for (int i = BASE; i < NV; i++) {
        const double arm = fabs(f->q[1 + i] - (double)r->q[1 + i]);
        if (!(arm <= f->arm)) f->arm = arm;
    }
}

static void report(flight *f, int second)
{
    board_text("second ");
    board_number(second);
    board_text(": largest tilt ");
    board_number((long)(1e3 * f->tilt));
    board_text(" mrad, away ");
    board_number((long)(1e3 * f->place));
    board_text(" mm, arm ");
    board_number((long)(1e3 * f->arm));
    board_text(" mrad\n");
}

int main(void)
{
    static flight f = {.q = {0.3, -0.2, 0.1}};
    reference r;
    int status = 0;
    f.q[3] = cos(0.2);
    f.q[4] = sin(0.2); /* 0.4 rad about x */
    for (int k = 0; k < STEPS && !status; k++) {
        reference_at((float)(H * k), &r);
        if (k % STEPS_PER_TICK == 0) status |= control(&f, &r);
        status |= step(&f, k >= GUST_FROM && k < GUST_TO);
        look(&f, &r);
        if (k % 1000 == 999) {
            report(&f, k / 1000 + 1);
            if (k < STEPS - 1) f.tilt = f.place = f.arm = 0;
        }
    }
    board_text("a tick of the controller: at most ");
    board_number((long)f.most);
    board_text(" instructions; stack in use: ");
    board_number((long)board_stack());
    board_text(" bytes\n");
    return status || !(f.tilt < 0.05 && f.place < 0.05 && f.arm < 0.05);
}
