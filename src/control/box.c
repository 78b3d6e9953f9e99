/*
 * Quadratic programs in a box, after Tassa, Mansard and Todorov, "Control-limited differential dynamic programming",
 * ICRA 2014: Newton steps in the coordinates that no bound holds, projected into the box, with Armijo's rule. A coordinate at
 * its bound that the gradient pulls inwards and the Newton step pushes outwards, because of the others, is held for this step:
 * projected, the rest of the step need not go downhill.
 */
#include <math.h>
#include <string.h>

#include "control/backward.h"
#include "control/matrix.h"

enum { BOX_STEPS = 100 };

static double value(const box_problem *b, const double *x)
{
    double sum = 0;
    for (size_t i = 0; i < b->m; i++) {
        double row = 0;
        for (size_t j = 0; j < b->m; j++) row += b->Q[i * b->ld + j] * x[j];
        sum += x[i] * (0.5 * row + b->g[i]);
    }
    return sum;
}

static void look_at_gradient(const box_problem *b)
{
    for (size_t i = 0; i < b->m; i++) {
        double sum = b->g[i];
        for (size_t j = 0; j < b->m; j++) sum += b->Q[i * b->ld + j] * b->x[j];
        b->gradient[i] = sum;
        b->free[i] = !((b->x[i] <= b->lower[i] && sum > 0) || (b->x[i] >= b->upper[i] && sum < 0));
        if (!(b->lower[i] < b->upper[i])) b->free[i] = 0;
    }
}

/* step ← −Q_ff⁻¹ gradient_f, 0 elsewhere; 1 if Q_ff is not positive definite */
static int newton(const box_problem *b)
{
    size_t count = 0;
    for (size_t i = 0; i < b->m; i++) {
        if (!b->free[i]) continue;
        size_t column = 0;
        b->step[count] = -b->gradient[i];
        for (size_t j = 0; j < b->m; j++)
            if (b->free[j]) b->factor[count * b->m + column++] = b->Q[i * b->ld + j];
        count++;
    }
    for (size_t i = 1; i < count; i++) memmove(b->factor + i * count, b->factor + i * b->m, count * sizeof(double));
    if (matrix_cholesky(count, b->factor)) return 1;
    matrix_solve_lower(count, b->factor, 1, b->step);
    matrix_solve_upper(count, b->factor, 1, b->step);
    for (size_t i = b->m; i-- > 0;) b->step[i] = b->free[i] ? b->step[--count] : 0;
    return 0;
}

/* coordinates at a bound that the step would push beyond it are held; how many they are */
static size_t hold_pushed(const box_problem *b)
{
    size_t count = 0;
    for (size_t i = 0; i < b->m; i++) {
        if (!b->free[i] || !((b->x[i] <= b->lower[i] && b->step[i] < 0) || (b->x[i] >= b->upper[i] && b->step[i] > 0)))
            continue;
        b->free[i] = 0;
        count++;
    }
    return count;
}

static double clamp(const box_problem *b, size_t i, double x) { return fmin(fmax(x, b->lower[i]), b->upper[i]); }

/* moves x along the projected step; 0 if no length lowers the value */
static int advance(const box_problem *b)
{
    const double before = value(b, b->x);
    double *trial = b->factor; /* no longer needed */
    for (double alpha = 1; alpha > 0x1p-30; alpha /= 2) {
        double slope = 0;
        for (size_t i = 0; i < b->m; i++) {
            trial[i] = clamp(b, i, b->x[i] + alpha * b->step[i]);
            slope += b->gradient[i] * (trial[i] - b->x[i]);
        }
        if (slope < 0 && value(b, trial) - before <= 0.1 * slope) {
            memcpy(b->x, trial, b->m * sizeof *trial);
            return 1;
        }
    }
    return 0;
}

int hmli_box_solve(const box_problem *b)
{
    for (size_t i = 0; i < b->m; i++) b->x[i] = clamp(b, i, 0);
    for (int k = 0; k < BOX_STEPS; k++) {
        double change = 0, size = 0;
        look_at_gradient(b);
        do {
            if (newton(b)) return 1;
        } while (hold_pushed(b));
        for (size_t i = 0; i < b->m; i++) {
            change = fmax(change, fabs(clamp(b, i, b->x[i] + b->step[i]) - b->x[i]));
            size = fmax(size, fabs(b->x[i]));
        }
        if (!(change > 0x1p-44 * size)) return 0;
        if (!advance(b)) return 0; /* rounding is all that is left */
    }
    return 1;
}
