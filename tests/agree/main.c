/*
 * agree [--seconds N] [--models N] [--seed N] [--only INDEX] [--check NAME] [--files FOLDER] [--dump FILE] [--stop 1]
 *
 * Robots one after another until the time is over; each goes through all checks. The first finding of each kind is
 * shrunk and printed. Exit status 1 if anything disagreed. --only runs one robot of a seed again, --check one
 * check; --stop 1 ends at the first finding, as it is.
 */
#include "agree.h"

#include <signal.h>
#include <unistd.h>

const check checks[] = {
    {"linearize", check_linearize, 1},
    {"batches", check_batches, 1},
    {"layout", check_layout, 2},
    {"derivatives", check_derivatives, 1},
    {"directional", check_directional, 1},
    {"textbook", check_textbook, 1},
    {"balance", check_balance, 1},
    {"bodies", check_bodies, 1},
    {"dynamics_batch", check_dynamics_batch, 1},
    {"batch_motion", check_batch_motion, 1},
    {"single_precision", check_single_precision, 2},
    {"kinematics", check_kinematics, 1},
    {"frames", check_frames, 1},
    {"configurations", check_configurations, 1},
    {"group_of_q", check_group_of_q, 1},
    {"saved", check_saved, 2},
    {"merged", check_merged, 1},
    {"rerooted", check_rerooted, 1},
    {"edited", check_edited, 2},
    {"representations", check_representations, 1},
    {"constraints", check_constraints, 1},
    {"held", check_held, 1},
    {"steps", check_steps, 1},
    {"bad_states", check_bad_states, 1},
    {"singular", check_singular, 2},
    {"groups", check_groups, 4},
    {"dump", check_dump, 1},
};
const int check_count = sizeof checks / sizeof *checks;

typedef struct options {
    double seconds;
    long models, only, stop;
    uint64_t seed;
    const char *check, *files, *dump;
} options;

static int read_options(options *o, int argc, char **argv)
{
    *o = (options){.seconds = 20, .models = -1, .only = -1, .seed = 1, .files = getenv("HAMEL_AGREE_MODELS")};
    for (int i = 1; i + 1 < argc; i += 2) {
        const char *name = argv[i], *value = argv[i + 1];
        if (!strcmp(name, "--seconds"))
            o->seconds = strtod(value, NULL);
        else if (!strcmp(name, "--models"))
            o->models = strtol(value, NULL, 10), o->seconds = 1e9;
        else if (!strcmp(name, "--only"))
            o->only = strtol(value, NULL, 10);
        else if (!strcmp(name, "--seed"))
            o->seed = strtoull(value, NULL, 10);
        else if (!strcmp(name, "--stop"))
            o->stop = strtol(value, NULL, 10);
        else if (!strcmp(name, "--check"))
            o->check = value;
        else if (!strcmp(name, "--files"))
            o->files = value;
        else if (!strcmp(name, "--dump"))
            o->dump = value;
        else
            return 0;
    }
    if (o->only >= 0) o->seconds = 1e9;
    return argc % 2 == 1;
}

/* where we were when it crashed */
static char place[256];

static void crashed(int signal_number)
{
    (void)!write(2, place, strlen(place));
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

/* every fourth robot is a real one, and each comes with its fixed bodies kept and merged */
static int make_recipe(recipe *r, const options *o, const file_list *files, long index)
{
    const uint64_t seed = o->seed * UINT64_C(1000003) + (uint64_t)index;
    hml_model *model = NULL;
    hml_rng rng;
    if (index % 4 != 3 || !files->count) return recipe_draw(r, seed), 1;
    const char *path = files->paths[(index / 4) % files->count];
    if (!files_load(path, &model)) return 0;
    const int good = recipe_from_model(r, model);
    hml_model_free(model);
    if (!good) return 0;
    hml_rng_seed(&rng, seed);
    r->seed = seed;
    r->build = index / 4 / files->count % 2 ? 0 : HML_BUILD_KEEP_FIXED;
    recipe_draw_states(r, &rng);
    if (r->nstates > 5) r->nstates = 5; /* they are large */
    snprintf(r->label, sizeof r->label, "%.140s", path);
    return 1;
}

static void progress(const agree *g, const options *o, double begin, int last)
{
    static double shown;
    const double now = seconds_now(), spent = now - begin;
    if (!isatty(2) || (!last && now - shown < 0.5)) return;
    shown = now;
    const double left = o->seconds < 1e8 ? o->seconds - spent : 0;
    fprintf(stderr, "\r%zu robots, %zu comparisons, %.0f robots a minute, %.0f s left   %s", g->models, g->comparisons,
            60 * (double)g->models / spent, left > 0 ? left : 0, last ? "\n" : "");
}

static void summary(const agree *g, double spent)
{
    printf("%-34s %-36s %-34s %9s %9s %9s\n", "what", "one way", "the other", "number", "worst", "of bound");
    for (int k = 0; k < KINDS; k++) {
        const kind_record *r = &g->kinds[k];
        printf("%-34s %-36s %-34s %9zu %9.1e %8.1f%%%s\n", kind_names[k], kind_ones[k], kind_others[k], r->count,
               r->worst, r->worst_share < 1e9 ? 100 * r->worst_share : 1e9, r->failures ? "  FAILED" : "");
    }
    printf("%zu robots (%zu of them with a mass matrix too close to singular to divide by), %zu comparisons in %.0f s: "
           "%.0f robots and %.0f comparisons a minute\n",
           g->models, g->singular, g->comparisons, spent, 60 * (double)g->models / spent,
           60 * (double)g->comparisons / spent);
}

static void one_robot(agree *g, const options *o, const recipe *given, long index, int *reported)
{
    subject x;
    recipe *r = malloc(sizeof *r);
    if (!r) exit(2);
    g->counting = 0;
    if (subject_open(&x, g, given)) g->models++, g->singular += x.regular != HML_OK;
    subject_close(&x);
    g->counting = 1;
    for (int c = 0; c < check_count; c++) {
        if (o->check && strcmp(o->check, checks[c].name)) continue;
        if (!o->check && index % checks[c].every) continue;
        snprintf(place, sizeof place, "\ncrashed in check_%s, seed %llu, robot %ld (%.100s)\n", checks[c].name,
                 (unsigned long long)o->seed, index, given->label);
        run_check(g, given, &checks[c]);
        if (!g->finding.found || reported[g->finding.kind]++) continue;
        if (o->stop) exit(1);
        memcpy(r, given, sizeof *r);
        printf("\nrobot %ld of seed %llu: run again with --seed %llu --only %ld --check %s\n", index,
               (unsigned long long)o->seed, (unsigned long long)o->seed, index, checks[c].name);
        shrink(g, r, &checks[c], 30);
        report(g, r, &checks[c], stdout);
        fflush(stdout);
    }
    free(r);
}

int main(int argc, char **argv)
{
    options o;
    agree g = {.counting = 1};
    file_list files;
    static int reported[KINDS];
    if (!read_options(&o, argc, argv)) {
        fprintf(stderr, "agree [--seconds N] [--models N] [--seed N] [--only INDEX] [--check NAME] [--files FOLDER] "
                        "[--dump FILE] [--stop 1]\n");
        return 2;
    }
    if (o.dump && !(g.dump = fopen(o.dump, "w"))) return perror(o.dump), 2;
    signal(SIGSEGV, crashed), signal(SIGFPE, crashed), signal(SIGABRT, crashed), signal(SIGBUS, crashed);
    files_find(&files, o.files);
    printf("seed %llu, %d real robots\n", (unsigned long long)o.seed, files.count);
    fflush(stdout);
    recipe *r = malloc(sizeof *r);
    const double begin = seconds_now();
    for (long i = o.only < 0 ? 0 : o.only; r && seconds_now() - begin < o.seconds; i++) {
        if (o.models >= 0 && i >= o.models) break;
        if (make_recipe(r, &o, &files, i)) one_robot(&g, &o, r, i, reported);
        progress(&g, &o, begin, 0);
        if (o.only >= 0) break;
    }
    progress(&g, &o, begin, 1);
    summary(&g, seconds_now() - begin);
    free(r);
    files_free(&files);
    if (g.dump) fclose(g.dump);
    size_t failures = 0;
    const int whole = !o.check && o.only < 0 && g.models >= 200; /* enough robots to meet everything */
    for (int k = 0; k < KINDS; k++) {
        failures += g.kinds[k].failures;
        if (!whole || g.kinds[k].count || !hml_isa_available(HML_ISA_128)) continue;
        printf("NEVER COMPARED %s: %s | %s\n", kind_names[k], kind_ones[k], kind_others[k]);
        failures++;
    }
    printf("%zu disagreements\n", failures);
    return failures > 0;
}
