/*
 * Explicit Munthe-Kaas schemes: a Runge-Kutta scheme for x = (θ, ν) from (0, ν₀), q = q₀ ⊕ θ,
 *
 *   θ̇ = S(θ)⁻¹ ν,   ν̇ = ν̇(t, q₀ ⊕ θ, ν),
 *
 * with the exact inverse of the right Jacobian S of exp, joint by joint (Müller (89), second form: dexp₋X is our S(X)).
 * So the order is that of the Runge-Kutta scheme, whatever the groups.
 *
 * dopri5: Dormand and Prince, "A family of embedded Runge-Kutta formulae", 1980; its interpolant of order four as in
 * Hairer, Nørsett, Wanner, "Solving ordinary differential equations I", II.6. The last stage is the next step's first:
 * θ starts anew, so its rate there is ν, and ν̇ is what it was.
 */
#include <math.h>
#include <string.h>

#include "base/dense.h"
#include "hamel/configuration.h"
#include "sim/motion.h"

typedef struct tableau {
    int stages;  /* that make the step; dopri5 has one more for its error */
    double c[7]; /* nodes */
    double a[7][6];
    double b[7]; /* weights */
    double e[7]; /* weights less those of the embedded scheme */
} tableau;

static const tableau RK2 = {.stages = 2, .c = {0, 0.5}, .a = {{0}, {0.5}}, .b = {0, 1}};

static const tableau RK4 = {.stages = 4,
                            .c = {0, 0.5, 0.5, 1},
                            .a = {{0}, {0.5}, {0, 0.5}, {0, 0, 1}},
                            .b = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}};

static const tableau DOPRI5 = {
    .stages = 6,
    .c = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1},
    .a = {{0},
          {1.0 / 5},
          {3.0 / 40, 9.0 / 40},
          {44.0 / 45, -56.0 / 15, 32.0 / 9},
          {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
          {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
          {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}},
    .b = {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84},
    .e = {71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40}};

static double *stage(const hml_motion *m, int i) { return m->stages + (size_t)i * 2 * m->n; }

/* x ← (0, ν) + h Σ w_i k_i over the first `count` stages */
static void combine(const hml_motion *m, double h, int count, const double *w)
{
    size_t n = m->n;
    memset(m->x, 0, n * sizeof(double));
    memcpy(m->x + n, m->v, n * sizeof(double));
    for (int i = 0; i < count; i++) {
        const double *k = stage(m, i);
        for (size_t r = 0; w[i] != 0 && r < 2 * n; r++) m->x[r] += h * w[i] * k[r];
    }
}

/* k_i at the state x, which lies c·h after the beginning */
static hml_status evaluate(hml_motion *m, double t, int i)
{
    double *k = stage(m, i);
    hml_status status = hml_configuration_integrate(m->model, m->q, m->x, m->q1);
    if (status) return status;
    hmli_motion_apply(m->model, m->x, 1, m->x + m->n, k);
    return hmli_motion_rate(m, t, m->q1, m->x + m->n, k + m->n);
}

/* the first stage: θ = 0 there */
static hml_status begin(hml_motion *m)
{
    double *k = stage(m, 0);
    memcpy(k, m->v, m->n * sizeof(double));
    if (!m->rate_known) {
        hml_status status = hmli_motion_rate(m, m->t, m->q, m->v, m->a);
        if (status) return status;
        m->rate_known = 1;
    }
    memcpy(k + m->n, m->a, m->n * sizeof(double));
    return HML_OK;
}

/*
 * The local error against the tolerance: positions in metres and radians, velocities relative to the largest of the
 * robot's, at either end of the step. A robot at rest is measured against 1e-6.
 */
static double error_of(const hml_motion *m, double h)
{
    const double floor = 1e-6;
    size_t n = m->n;
    double scale = fmax(floor, fmax(motion_norm(n, m->v), motion_norm(n, m->v1))), worst = 0;
    for (size_t r = 0; r < 2 * n; r++) {
        double sum = 0;
        for (int i = 0; i < MOTION_STAGES; i++) sum += DOPRI5.e[i] * stage(m, i)[r];
        sum = fabs(h * sum) / (r < n ? 1 : scale);
        if (!(sum <= worst) && worst == worst) worst = sum;
    }
    return worst / m->options.tolerance;
}

hml_status hmli_motion_explicit(hml_motion *m, double h, double *error)
{
    const tableau *T = m->options.scheme == HML_SCHEME_RK2   ? &RK2
                       : m->options.scheme == HML_SCHEME_RK4 ? &RK4
                                                             : &DOPRI5;
    size_t n = m->n;
    hml_status status = begin(m);
    for (int i = 1; !status && i < T->stages; i++) {
        combine(m, h, i, T->a[i]);
        status = evaluate(m, motion_after(m, T->c[i] * h), i);
    }
    if (status) return status;
    combine(m, h, T->stages, T->b);
    memcpy(m->theta1, m->x, n * sizeof(double));
    memcpy(m->v1, m->x + n, n * sizeof(double));
    *error = 0;
    if (T != &DOPRI5) return hml_configuration_integrate(m->model, m->q, m->theta1, m->q1);
    status = evaluate(m, motion_after(m, h), 6);
    memcpy(m->a1, stage(m, 6) + n, n * sizeof(double));
    if (!status && m->options.tolerance > 0) *error = error_of(m, h);
    return status;
}

void hmli_motion_dense(const hml_motion *m, double s, double *x)
{
    static const double d[7] = {-12715105075.0 / 11282082432,  0,
                                87487479700.0 / 32700410799,   -10690763975.0 / 1880347072,
                                701980252875.0 / 199316789632, -1453857185.0 / 822651844,
                                69997945.0 / 29380423};
    size_t n = m->n;
    for (size_t r = 0; r < 2 * n; r++) {
        double start = r < n ? 0 : m->v0[r - n], end = r < n ? m->theta[r] : m->v[r - n], D = 0;
        for (int i = 0; i < MOTION_STAGES; i++) D += d[i] * stage(m, i)[r];
        double rise = end - start, bend = m->h * stage(m, 0)[r] - rise, turn = rise - m->h * stage(m, 6)[r] - bend;
        x[r] = start + s * (rise + (1 - s) * (bend + s * (turn + (1 - s) * m->h * D)));
    }
}

/* ---- semi-implicit Euler ---- */

/*
 * ν⁺ = ν + h a, q⁺ = q ⊕ h ν⁺. Dampers C and springs K are taken at the end of the step,
 * (M + hC + h²K) a = τ − h(q, ν) − h K ν = M ν̇ − h K ν, so that no gain and no damper is too stiff for it.
 */
hml_status hmli_motion_euler(hml_motion *m, double h)
{
    size_t n = m->n;
    double *a = m->a1;
    hml_status status = hmli_motion_rate(m, m->t, m->q, m->v, a);
    if (!status && hmli_motion_is_elastic(m)) {
        status = hml_inverse_dynamics_derivatives(m->model, m->work, m->q, m->v, a, NULL, NULL, NULL, m->M);
        if (status) return status;
        memset(m->J, 0, n * n * sizeof(double));
        hmli_motion_add_stiffness(m, m->q, 1, 0, h, m->J);
        for (size_t i = 0; i < n; i++) {
            m->r[i] = 0;
            for (size_t k = 0; k < n; k++) m->r[i] += m->M[i * n + k] * a[k] - m->J[i * n + k] * m->v[k];
        }
        memcpy(m->J, m->M, n * n * sizeof(double));
        hmli_motion_add_stiffness(m, m->q, 1, h, h * h, m->J);
        status = dense_eliminate(n, m->J, 0, 1, m->r) ? HML_SINGULAR : HML_OK;
        memcpy(a, m->r, n * sizeof(double));
    }
    if (status) return status;
    for (size_t i = 0; i < n; i++) {
        m->v1[i] = m->v[i] + h * a[i];
        m->theta1[i] = h * m->v1[i];
    }
    return hml_configuration_integrate(m->model, m->q, m->theta1, m->q1);
}
