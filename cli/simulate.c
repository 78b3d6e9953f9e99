/* hamel simulate: the motion from a state. */
#include "simulate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "batch.h"
#include "hamel/configuration.h"
#include "hamel/dynamics.h"
#include "loops.h"
#include "term.h"
#include "view.h"

enum { BAR = 1000000 }; /* the bar's own units: a part of the time that is simulated */

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* dopri5, whose steps are its own */
static int is_adaptive(const cli_options *options)
{
    return !options->ground && (options->integrator < 0 || options->integrator == HML_SCHEME_DOPRI5);
}

int schedule_make(const cli_options *options, schedule *s)
{
    const int adaptive = is_adaptive(options);
    const double most = options->max_steps > 0 && !adaptive ? (double)options->max_steps : 1e8;
    s->time = options->time;
    double step = options->step;
    if (!(step > 0)) step = adaptive ? fmax(0.01, options->time / SIMULATE_ROWS) : 1e-3;
    double count = ceil(options->time / step * (1 - 1e-12));
    if (!(count <= most)) {
        return cli_fail(CLI_USAGE,
                        "--time %g in steps of %g s: too many (%.3g, the most are %.10g); give a longer --step%s",
                        options->time, step, count, most, adaptive ? "" : " or a larger --max-steps");
    }
    s->steps = count < 1 ? 1 : (long)count;
    s->every = (s->steps + SIMULATE_ROWS - 1) / SIMULATE_ROWS;
    s->step = options->time / (double)s->steps; /* all equal, and the last one ends where it should */
    return CLI_OK;
}

/* when row k is due; the last one exactly at the end */
static double due(const schedule *s, long step)
{
    return step >= s->steps ? s->time : (double)step / (double)s->steps * s->time;
}

size_t schedule_rows(const schedule *s) { return 1 + (size_t)(s->steps / s->every) + (s->steps % s->every != 0); }

void schedule_times(const schedule *s, double *time)
{
    size_t row = 0;
    time[row++] = 0;
    for (long k = 1; k <= s->steps; k++) {
        if (k % s->every == 0 || k == s->steps) time[row++] = due(s, k);
    }
}

/* step 0: it is always the same */
static void show(const cli_options *options, double t, double step)
{
    char note[80] = "";
    if (options->quiet) return;
    if (step > 0) snprintf(note, sizeof note, ", at %.6g s in steps of %.2g s", t, step);
    term_progress("simulate", note, (long)(BAR * (t / options->time)), BAR);
}

/* ---- free of contact ---- */

/* the row at a time of the last step, or at the start */
static hml_status add_row(const cli_options *options, const robot *r, double time, hml_motion *motion, double *room,
                          trajectory *t)
{
    double *q = room, *v = q + r->nq, *torque = v + r->nv;
    hml_status status = HML_OK;
    if (time > 0) {
        status = hml_motion_at(motion, time, q, v);
    } else {
        memcpy(q, r->state->q, (size_t)r->nq * sizeof *q);
        memcpy(v, r->state->v, (size_t)r->nv * sizeof *v);
    }
    if (!status) status = hml_motion_torque(motion, time, q, v, torque);
    return status ? status : trajectory_add(r, options->representation, time, q, v, torque, t);
}

static hml_status check_now(const robot *r, const hml_motion *motion, trajectory *t)
{
    hml_balance balance = {.struct_size = sizeof balance};
    hml_status status = hml_motion_get_balance(motion, &balance);
    if (status) return status;
    return trajectory_check(r, hml_motion_position(motion), hml_motion_velocity(motion), &balance, t);
}

static hml_status integrate(const cli_options *options, const robot *r, const scene *sc, const schedule *s,
                            trajectory *t, hml_motion *motion)
{
    double *room = malloc(((size_t)r->nq + 2 * (size_t)r->nv) * sizeof *room);
    hml_status status = room ? add_row(options, r, 0, motion, room, t) : HML_OUT_OF_MEMORY;
    const int adaptive = is_adaptive(options);
    const int64_t most = hml_motion_most_steps(motion, s->time);
    hml_motion_info info = {.struct_size = sizeof info};
    for (long k = 1; !status && k <= s->steps;) {
        const size_t before = t->count;
        if (sc->feedback) {
            status = feedback_update(r, hml_motion_time(motion), hml_motion_position(motion),
                                     hml_motion_velocity(motion), sc->feedback);
            if (status) break;
        }
        status = info.steps + info.rejected < most ? hml_motion_step(motion, adaptive ? s->time : due(s, k))
                                                   : HML_TOO_MANY_STEPS;
        hml_motion_get_info(motion, &info);
        show(options, hml_motion_time(motion), adaptive ? info.last_step : 0);
        for (; !status && k <= s->steps && due(s, k) <= hml_motion_time(motion); k++) {
            if (k % s->every == 0 || k == s->steps) status = add_row(options, r, due(s, k), motion, room, t);
        }
        if (!status && t->count > before) status = check_now(r, motion, t);
    }
    free(room);
    return status;
}

hml_status simulate_fly(const cli_options *options, const robot *r, const scene *sc, const schedule *s, trajectory *t,
                        double *reached)
{
    hml_motion_options o;
    hml_motion *motion = NULL;
    hml_motion_info info = {.struct_size = sizeof info};
    hml_motion_options_init(&o);
    if (options->integrator >= 0) o.scheme = (hml_scheme)options->integrator;
    if (options->tolerance > 0) o.tolerance = options->tolerance;
    o.step = o.scheme == HML_SCHEME_DOPRI5 ? 0 : s->step;
    o.max_steps = options->max_steps;
    o.balance = 1;
    t->scheme = hml_scheme_name(o.scheme);
    const hml_constraints set = loops_with(r, NULL, 0);
    hml_status status = HML_OK;
    if (r->nloops) {
        o.constraints = &set;
        o.constraint_scratch = malloc((hml_constraint_scratch_doubles(r->model, &set) + 1) * sizeof(double));
        if (!o.constraint_scratch) status = HML_OUT_OF_MEMORY;
        loops_stabilize(r);
    }
    if (!status) status = hml_motion_new(r->model, r->work, &o, &sc->forces, 0, r->state->q, r->state->v, &motion);
    if (!status) status = integrate(options, r, sc, s, t, motion);
    if (motion) {
        hml_motion_get_info(motion, &info);
        *reached = hml_motion_time(motion);
    }
    t->steps = info.steps, t->rejected = info.rejected, t->evaluations = info.evaluations;
    t->last_step = info.last_step;
    hml_motion_free(motion);
    free(o.constraint_scratch);
    return status;
}

/* ---- with a ground ---- */

typedef struct walker {
    const robot *r;
    const scene *sc;
    double *q, *v, *wrenches, *torque;
    double *impulses; /* npoints × 3: of the step that is being made */
    double *places;   /* npoints × 3: sums of positions, weighted by impulses, */
    double *weights;  /* npoints: and the sums of the weights */
    int64_t steps, relaxed, substeps;
    double residual, removed; /* the largest, and the sum */
    double now;               /* the time at the start of the step */
    trajectory *t;            /* what is said about the whole motion */
} walker;

static hml_status one_step(walker *w, double h)
{
    const scene *sc = w->sc;
    hml_contact_result result = {.struct_size = sizeof result};
    const hml_contact_motion motion = {.struct_size = sizeof motion,
                                       .h = h,
                                       .q = w->q,
                                       .v = w->v,
                                       .tau = sc->feedback ? sc->feedback->tau : w->r->state->tau,
                                       .wrenches = w->wrenches,
                                       .q_next = w->q,
                                       .v_next = w->v,
                                       .result = &result,
                                       .torque = w->torque,
                                       .inputs = sc->inputs};
    hml_status status = HML_OK;
    memset(w->wrenches, 0, 6 * (size_t)w->r->nbodies * sizeof *w->wrenches);
    for (int32_t i = 0; !status && i < sc->forces.nframe_wrenches; i++) {
        const hml_frame_wrench *f = &sc->forces.frame_wrenches[i];
        status = hml_wrench_add(w->r->model, w->r->work, w->q, f->frame, f->in_world, f->wrench, w->wrenches);
    }
    if (!status && sc->feedback) status = feedback_update(w->r, w->now, w->q, w->v, sc->feedback);
    if (!status) status = hml_contact_step(w->r->model, w->r->work, sc->contact, &motion);
    for (int32_t i = 0; !status && i < hml_contact_count(sc->contact); i++) {
        hml_contact_point point;
        if (hml_contact_get(sc->contact, i, &point) || point.shape < 0 || point.shape >= sc->npoints) continue;
        if (-point.gap > w->t->penetration) {
            w->t->penetration = -point.gap, w->t->deepest = point.shape, w->t->deepest_time = w->now;
        }
        if (point.other >= 0) continue; /* of the robot itself: no force of the ground */
        double weight = hypot(hypot(point.impulse[0], point.impulse[1]), point.impulse[2]);
        w->weights[point.shape] += weight;
        for (int k = 0; k < 3; k++) {
            w->impulses[3 * point.shape + k] += point.impulse[k];
            w->places[3 * point.shape + k] += weight * point.position[k];
        }
    }
    if (status) return status;
    w->steps++;
    w->relaxed += result.relaxed;
    w->residual = fmax(w->residual, result.residual);
    w->substeps += result.substeps;
    w->removed += result.removed;
    w->t->massless += result.massless;
    if (result.left_out > w->t->left_out) w->t->left_out = result.left_out;
    return HML_OK;
}

/* forces of the ground, as means over the step, and where they act: zero where nothing touches */
static void add_contacts(const walker *w, double step, trajectory *t)
{
    size_t npoints = (size_t)w->sc->npoints, row = (t->count - 1) * npoints * 3;
    for (size_t i = 0; i < npoints; i++) {
        double weight = w->weights[i];
        for (size_t k = 3 * i; k < 3 * i + 3; k++) {
            t->forces[row + k] = w->impulses[k] / step;
            t->places[row + k] = weight > 0 ? w->places[k] / weight : 0;
        }
    }
}

static hml_status walk_on(const cli_options *options, const schedule *s, walker *w, trajectory *t, double *reached)
{
    const scene *sc = w->sc;
    hml_status status = HML_OK;
    for (long k = 1; !status && k <= s->steps; k++) {
        memset(w->impulses, 0, 7 * (size_t)sc->npoints * sizeof *w->impulses); /* and places and weights */
        w->now = *reached;
        status = one_step(w, s->step);
        if (status) break;
        *reached = due(s, k);
        show(options, *reached, 0);
        if (k % s->every != 0 && k != s->steps) continue;
        hml_balance balance = {.struct_size = sizeof balance};
        status = trajectory_add(w->r, options->representation, *reached, w->q, w->v, w->torque, t);
        if (!status) add_contacts(w, s->step, t);
        if (!status) status = hml_contact_get_balance(sc->contact, &balance);
        if (!status) status = trajectory_check(w->r, w->q, w->v, &balance, t);
    }
    return status;
}

static hml_status walk(const cli_options *options, const robot *r, const scene *sc, const schedule *s, trajectory *t,
                       double *reached)
{
    size_t nv = (size_t)r->nv, nq = (size_t)r->nq, six = 6 * (size_t)r->nbodies, points = (size_t)sc->npoints;
    double *memory = calloc(nq + 2 * nv + six + 7 * points + 1, sizeof *memory);
    if (!memory) return HML_OUT_OF_MEMORY;
    walker w = {.r = r, .sc = sc, .q = memory, .t = t};
    w.v = w.q + nq, w.wrenches = w.v + nv, w.impulses = w.wrenches + six;
    w.places = w.impulses + 3 * points, w.weights = w.places + 3 * points, w.torque = w.weights + points;
    memcpy(w.q, r->state->q, nq * sizeof *w.q);
    memcpy(w.v, r->state->v, nv * sizeof *w.v);
    t->scheme = "contact";
    hml_status status = trajectory_add(r, options->representation, 0, w.q, w.v, NULL, t);
    if (!status) status = walk_on(options, s, &w, t, reached);
    t->steps = t->evaluations = w.steps, t->relaxed = w.relaxed, t->residual = w.residual;
    t->substeps = w.substeps, t->removed = w.removed;
    free(memory);
    return status;
}

/* ---- all of it ---- */

static int simulate_view(const cli_options *options, const robot *r, const scene *sc, const trajectory *t)
{
    hml_page_options page;
    hml_page_options_init(&page);
    page.count = (int32_t)t->count;
    page.q = t->q;
    page.time = t->time;
    page.ground = options->ground && !options->terrain;
    page.heightfields = &sc->field;
    page.nheightfields = sc->field.heights != NULL;
    page.ncontacts = sc->npoints;
    page.contact_names = (const char *const *)sc->point_names;
    page.contact_positions = t->places;
    page.contact_forces = t->forces;
    return view_write(options, r, &page, options->view);
}

static int move(const cli_options *options, const robot *r, scene *sc, const schedule *s, trajectory *t)
{
    double began = seconds_now(), reached = 0;
    hml_status status = (sc->contact ? walk : simulate_fly)(options, r, sc, s, t, &reached);
    term_progress_end();
    t->seconds = seconds_now() - began;
    if (!status) return CLI_OK;
    return simulate_fail(r, sc, t, reached, is_adaptive(options) ? 0 : s->step, status);
}

int simulate_check_ground(const cli_options *options)
{
    if (options->terrain && !options->ground) return cli_fail(CLI_USAGE, "--terrain needs --ground");
    if (options->spacing[0] > 0 && !options->terrain) return cli_fail(CLI_USAGE, "--spacing belongs to --terrain");
    if (!options->ground && (options->contacts || options->friction >= 0)) {
        return cli_fail(CLI_USAGE, "%s needs --ground", options->contacts ? "--contact" : "--friction");
    }
    if (!options->ground && (options->lift || options->height >= 0)) {
        return cli_fail(CLI_USAGE, "%s needs --ground", options->lift ? "--lift" : "--height");
    }
    if (options->pairs && (!options->ground || options->contacts)) {
        return cli_fail(CLI_USAGE, options->contacts ? "--pairs is about shapes, --contact about points; leave one out"
                                                     : "--pairs needs --ground");
    }
    if (options->lift && options->height >= 0) {
        return cli_fail(CLI_USAGE, "--height moves the robot wherever the state has it, --lift only out of the ground; "
                                   "leave one out");
    }
    return CLI_OK;
}

static int check_options(const cli_options *options)
{
    const int status = simulate_check_ground(options);
    if (status != CLI_OK) return status;
    if (options->ground && options->integrator >= 0) {
        return cli_fail(CLI_USAGE, "--ground has an integrator of its own; leave --integrator out");
    }
    if (options->hold != 1 && (options->stiffness >= 0 || options->damping >= 0)) {
        return cli_fail(CLI_USAGE, "--stiffness and --damping belong to --controller hold");
    }
    if (options->tolerance > 0 &&
        (options->ground || (options->integrator >= 0 && options->integrator != HML_SCHEME_DOPRI5))) {
        return cli_fail(CLI_USAGE, "--tolerance belongs to dopri5; the others take --step");
    }
    return CLI_OK;
}

static int check_states(const cli_options *options)
{
    const char *name = options->ground ? "--ground" : options->plot ? "--plot" : options->view ? "--view" : NULL;
    return options->states && name ? cli_fail(CLI_USAGE, "%s is for one state; leave out --states", name) : CLI_OK;
}

/* the state that the feedback keeps is the one on the ground */
static int begin_feedback(const robot *r, scene *sc, feedback *f)
{
    const hml_status status = feedback_push(r, f);
    sc->feedback = f;
    sc->forces.tau = f->tau;
    return status ? robot_fail(r, status) : CLI_OK;
}

static int check_loops(const cli_options *options, const robot *r)
{
    const int scheme = options->integrator;
    if (r->nloops && !options->ground && scheme >= 0 && scheme != HML_SCHEME_DOPRI5 && scheme != HML_SCHEME_RK2 &&
        scheme != HML_SCHEME_RK4)
        return cli_fail(CLI_USAGE,
                        "%s: dopri5, rk2 and rk4 keep loops, other integrators do not; --loops off leaves "
                        "them open",
                        r->file);
    return CLI_OK;
}

int simulate_robot(const cli_options *options, robot *r, feedback *f)
{
    scene sc = {.npoints = 0};
    trajectory t = {.rows = 0};
    schedule s = {.steps = 1, .every = 1};
    bounded moved = {0, -1, 0};
    int status = check_loops(options, r);
    if (status == CLI_OK) status = schedule_make(options, &s);
    if (status == CLI_OK && options->ground && !f && !r->nloops) moved = scene_keep_limits(options, r);
    if (status == CLI_OK) status = scene_make(options, r, &sc);
    sc.bounded = moved;
    if (status == CLI_OK && f) status = begin_feedback(r, &sc, f);
    if (status == CLI_OK) {
        hml_status made = trajectory_make(r, (size_t)(s.steps / s.every) + 2, sc.npoints, &t);
        if (made) status = robot_fail(r, made);
    }
    if (status == CLI_OK) status = move(options, r, &sc, &s, &t);
    if (status == CLI_OK && options->plot) status = simulate_plot(options->plot, r, &sc, &t);
    if (status == CLI_OK && options->view) status = simulate_view(options, r, &sc, &t);
    if (status == CLI_OK && options->out) {
        status = robot_write(options, simulate_result(r, options->representation, &sc, &t));
    } else if (status == CLI_OK && !f) {
        robot_print_header(r, options->representation);
        simulate_print(r, &sc, &t);
    }
    trajectory_free(&t);
    scene_free(&sc);
    return status;
}

int cli_simulate(const cli_options *options)
{
    robot r = {.file = NULL};
    schedule s;
    int status = check_options(options);
    if (status == CLI_OK) status = batch_check(options);
    if (status == CLI_OK) status = check_states(options);
    if (status == CLI_OK) status = schedule_make(options, &s); /* says what is wrong before anything is read */
    if (status == CLI_OK && options->states) return batch_run(options, &batch_simulate);
    if (status == CLI_OK) status = robot_load(options, options->nmodels > 0 ? options->models[0] : NULL, &r);
    if (status == CLI_OK) status = robot_must_move(&r);
    if (status == CLI_OK) status = robot_load_state(options, &r);
    if (status == CLI_OK) status = loops_load(options, &r);
    if (status == CLI_OK) status = simulate_robot(options, &r, NULL);
    robot_free(&r);
    return status;
}
