/* hamel modes --view: a page on which the robot moves as one of its modes does. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "hamel/configuration.h"
#include "modes.h"
#include "view.h"

enum { FRAMES = 240, PERIODS = 4, TITLE = 320 };

static const double LARGEST = 0.3; /* radians or metres that the coordinate that moves most does */

size_t modes_choose(const mode_set *m)
{
    for (size_t k = 0; k < m->count; k++)
        if (m->modes[k].eigenvalue[1] > 0) return k;
    return 0;
}

/* how a mode is shown: how long, how much slower than it is, and its shape with the largest coordinate real and LARGEST */
typedef struct animation {
    double duration, slower; /* of the page, in seconds; seconds of the page per second of the robot */
    double growth, turn;     /* real and imaginary part of the eigenvalue, per second of the page */
    double complex *shape;   /* nv */
} animation;

static double clamp(double x, double least, double most) { return fmin(fmax(x, least), most); }

static void choose_time(const hml_mode *mode, animation *a)
{
    const double re = mode->eigenvalue[0], im = mode->eigenvalue[1], round = 2 * acos(-1);
    a->slower = 1;
    if (im > 0)
        a->slower = clamp(round / im, 1, 4) * im / round; /* one period takes 1 to 4 seconds */
    else if (re != 0)
        a->slower = clamp(1 / fabs(re), 0.5, 2) * fabs(re);
    a->growth = re / a->slower, a->turn = im / a->slower;
    a->duration = im > 0 ? PERIODS * round / a->turn : re != 0 ? PERIODS / fabs(a->growth) : PERIODS;
}

/* 0 where no coordinate moves */
static int choose_shape(const robot *r, const mode_set *m, size_t column, animation *a)
{
    double complex most = 0;
    for (int32_t i = 0; i < r->nv; i++) {
        const double *z = m->right + 2 * ((size_t)i * m->n + column);
        a->shape[i] = z[0] + I * z[1];
        if (cabs(a->shape[i]) > cabs(most)) most = a->shape[i];
    }
    for (int32_t i = 0; i < r->nv && most != 0; i++) a->shape[i] *= LARGEST / most;
    return most != 0;
}

/* where along the shape the robot is: an integrator goes to and fro; what grows ends at the largest, the rest begins there */
static double complex factor_at(const animation *a, double t)
{
    if (a->growth == 0 && a->turn == 0) return sin(2 * acos(-1) * t / a->duration);
    return cexp(a->growth * (a->growth > 0 ? t - a->duration : t) + I * a->turn * t);
}

static hml_status fill(const robot *r, const animation *a, double *q, double *time)
{
    double *z = malloc(((size_t)r->nv + 1) * sizeof *z);
    hml_status status = z ? HML_OK : HML_OUT_OF_MEMORY;
    for (int32_t k = 0; k < FRAMES && !status; k++) {
        time[k] = a->duration * k / (FRAMES - 1);
        const double complex factor = factor_at(a, time[k]);
        for (int32_t i = 0; i < r->nv; i++) z[i] = creal(a->shape[i] * factor);
        status = hml_configuration_integrate(r->model, r->state->q, z, q + (size_t)k * (size_t)r->nq);
    }
    free(z);
    return status;
}

static void make_title(const robot *r, const hml_mode *mode, size_t index, double slower, char title[TITLE])
{
    const double *z = mode->eigenvalue;
    char speed[64] = "", what[96];
    if (slower > 1.005) snprintf(speed, sizeof speed, ", %.3g times slower", slower);
    if (slower < 0.995) snprintf(speed, sizeof speed, ", %.3g times faster", 1 / slower);
    if (z[1] > 0)
        snprintf(what, sizeof what, "%.4g Hz", mode_frequency(z));
    else if (z[0] != 0)
        snprintf(what, sizeof what, "it %s by e in %.4g s", z[0] > 0 ? "grows" : "shrinks", 1 / fabs(z[0]));
    else
        snprintf(what, sizeof what, "nothing holds it");
    snprintf(title, TITLE, "%.100s: mode %zu, %s%s", hml_model_name(r->model), index + 1, what, speed);
}

int modes_view(const cli_options *options, const robot *r, const mode_set *m, size_t index)
{
    const hml_mode *mode = &m->modes[index];
    animation a = {.shape = calloc((size_t)r->nv + 1, sizeof *a.shape)};
    double *q = malloc((FRAMES * (size_t)r->nq + FRAMES + 1) * sizeof *q),
           *time = q ? q + FRAMES * (size_t)r->nq : NULL;
    char title[TITLE];
    int status = CLI_OK;
    choose_time(mode, &a);
    if (!a.shape || !q) {
        status = robot_fail(r, HML_OUT_OF_MEMORY);
    } else if (!choose_shape(r, m, (size_t)mode->first, &a)) {
        status = cli_fail(CLI_INPUT, "%s: no coordinate moves in mode %zu", r->file, index + 1);
    } else {
        const hml_status filled = fill(r, &a, q, time);
        status = filled ? robot_fail(r, filled) : CLI_OK;
    }
    if (status == CLI_OK) {
        hml_page_options page;
        hml_page_options_init(&page);
        make_title(r, mode, index, a.slower, title);
        page.title = title;
        page.count = FRAMES, page.q = q, page.time = time;
        status = view_write(options, r, &page, options->view);
    }
    free(q);
    free(a.shape);
    return status;
}
