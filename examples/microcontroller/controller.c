/* The controller: see controller.h. */
#include "controller.h"

#include <math.h>

#include "gains.h"
#include "pilot.h" /* the robot in single precision */

/* the arm swings about its rest: amplitude, rad, and frequency, rad/s, of each joint */
static const float AMPLITUDE[NV - BASE] = {0.6f, 0.4f, 0.5f, 0.3f, 0.8f};
static const float FREQUENCY[NV - BASE] = {0.7f, 1.1f, 0.9f, 1.3f, 0.8f};

/* N and N m: thrust, torques, then the arm's motors */
static const float LEAST[INPUTS] = {0, -4, -4, -1, -4, -4, -3, -1, -1};
static const float MOST[INPUTS] = {60, 4, 4, 1, 4, 4, 3, 1, 1};

void reference_at(float t, reference *r)
{
    for (int i = 0; i < NQ; i++) r->q[i] = 0;
    for (int i = 0; i < NV; i++) r->v[i] = r->a[i] = 0;
    r->q[3] = 1;
    for (int i = 0; i < NV - BASE; i++) {
        /* begins and goes on smoothly: 1 - cos */
        const float A = 0.5f * AMPLITUDE[i], w = FREQUENCY[i], s = sinf(w * t), c = cosf(w * t);
        r->q[BASE + 1 + i] = A * (1 - c);
        r->v[BASE + i] = A * w * s;
        r->a[BASE + i] = A * w * w * c;
    }
}

/* from the reference to the state: the place in the drone's axes, the rotation vector, angles; then velocities */
static void error_of(const reference *r, const float *q, const float *v, float *e)
{
    const float w = q[3], x = q[4], y = q[5], z = q[6];
    const float d[3] = {q[0] - r->q[0], q[1] - r->q[1], q[2] - r->q[2]};
    const float length = sqrtf(x * x + y * y + z * z), sign = w < 0 ? -1.0f : 1.0f;
    const float factor = length < 1e-6f ? 2 * sign : 2 * sign * atan2f(length, sign * w) / length;
    e[0] = (1 - 2 * (y * y + z * z)) * d[0] + 2 * (x * y + w * z) * d[1] + 2 * (x * z - w * y) * d[2];
    e[1] = 2 * (x * y - w * z) * d[0] + (1 - 2 * (x * x + z * z)) * d[1] + 2 * (y * z + w * x) * d[2];
    e[2] = 2 * (x * z + w * y) * d[0] + 2 * (y * z - w * x) * d[1] + (1 - 2 * (x * x + y * y)) * d[2];
    e[3] = factor * x;
    e[4] = factor * y;
    e[5] = factor * z;
    for (int i = BASE; i < NV; i++) e[i] = q[i + 1] - r->q[i + 1];
    for (int i = 0; i < NV; i++) e[NV + i] = v[i] - r->v[i];
}

int controller_run(const reference *r, const float *q, const float *v, float *tau)
{
    float e[STATES], forward[NV];
    const int status = pilot_inverse_dynamics(r->q, r->v, r->a, forward);
    error_of(r, q, v, e);
    tau[0] = tau[1] = 0;
    for (int i = 0; i < INPUTS; i++) {
        float u = forward[i + 2];
        for (int k = 0; k < STATES; k++) u -= gains[i][k] * e[k];
        tau[i + 2] = u < LEAST[i] ? LEAST[i] : u > MOST[i] ? MOST[i] : u;
    }
    return status;
}
