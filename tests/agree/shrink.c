/* A failing robot made smaller while it still fails in the same way, and printed. See agree.h. */
#include "agree.h"

#include <time.h>

double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void run_check(agree *g, const recipe *r, const check *c)
{
    subject x;
    memset(&g->finding, 0, sizeof g->finding);
    if (subject_open(&x, g, r)) c->run(&x);
    subject_close(&x);
}

/* does the changed recipe still fail in the same kind? Then it takes the place of the other */
static int accept(agree *g, recipe *r, const recipe *changed, const check *c, kind k)
{
    run_check(g, changed, c);
    if (!g->finding.found || g->finding.kind != k) return 0;
    memcpy(r, changed, sizeof *r);
    return 1;
}

static int still_same(const recipe *a, const recipe *b) { return memcmp(a, b, sizeof *a) == 0; }

/* one thing of a part taken away; `what` counts the things */
enum { PART_THINGS = 15 };
static void simplify_part(recipe *r, int i, int what)
{
    part *p = &r->parts[i];
    hml_joint_spec *j = &p->spec;
    static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    hml_joint_spec plain;
    switch (what) {
    case 0: p->leader = -1; break;
    case 1: memset(j->stiffness, 0, sizeof j->stiffness); break;
    case 2: memset(j->damping, 0, sizeof j->damping); break;
    case 3: memset(j->armature, 0, sizeof j->armature); break;
    case 4: memset(j->point, 0, sizeof j->point); break;
    case 5: memcpy(j->rotation, identity, sizeof identity); break;
    case 6: memset(j->position, 0, sizeof j->position), j->position[0] = 0.5; break;
    case 7: j->pitch = j->type == HML_JOINT_HELICAL ? 0.1 : 0; break;
    case 8: memset(j->axis, 0, sizeof j->axis), j->axis[2] = 1; break;
    case 9: memset(j->axis2, 0, sizeof j->axis2), j->axis2[0] = 1; break;
    case 10:
        hml_joint_spec_init(&plain, j->type);
        memcpy(j->rest, plain.rest, sizeof j->rest);
        break;
    case 11:
        if (p->massive) p->inertia = (hml_inertia_spec){1, {0, 0, 0}, {0.1, 0, 0, 0, 0.1, 0, 0, 0, 0.1}};
        break;
    case 12:
        if (j->type != HML_JOINT_FIXED && hml_joint_type_nv(j->type) != 1) {
            hml_joint_spec_init(&plain, HML_JOINT_REVOLUTE);
            memcpy(plain.position, j->position, sizeof plain.position);
            memcpy(plain.rotation, j->rotation, sizeof plain.rotation);
            plain.axis[2] = 1;
            *j = plain;
            for (int s = 0; s < r->nstates; s++) r->states[s][i].q[0] = 0.3;
        }
        break;
    case 13: p->massive = 0; break;
    default:
        hml_joint_spec_init(&plain, j->type);
        memcpy(j->lower, plain.lower, sizeof j->lower), memcpy(j->upper, plain.upper, sizeof j->upper);
        break;
    }
}

/* one thing of the states taken away */
enum { STATE_THINGS = 7 };
static void simplify_states(recipe *r, int what)
{
    if (what == 0) r->pushed = 0;
    if (what == 1) r->nframes = 0;
    for (int s = 0; s < r->nstates; s++) {
        for (int i = 0; i < r->nparts; i++) {
            part_state *p = &r->states[s][i];
            if (what == 2) memset(p->v, 0, sizeof p->v);
            if (what == 3) memset(p->tau, 0, sizeof p->tau);
            if (what == 4) memset(p->a, 0, sizeof p->a);
            if (what == 6)
                for (int k = 0; k < HML_JOINT_MAX_NQ; k++) p->q[k] = round(100 * p->q[k]) / 100;
            if (what != 5 && what != 6) continue;
            const hml_joint_type type = r->parts[i].spec.type;
            double *quaternion = type == HML_JOINT_FREE ? p->q + 3 : type == HML_JOINT_SPHERICAL ? p->q : NULL;
            if (what == 5) memset(p->q, 0, sizeof p->q);
            if (what == 5 && quaternion) quaternion[0] = 1;
            if (!quaternion) continue;
            double n = sqrt(quaternion[0] * quaternion[0] + quaternion[1] * quaternion[1] +
                            quaternion[2] * quaternion[2] + quaternion[3] * quaternion[3]);
            for (int k = 0; k < 4; k++) quaternion[k] /= n > 0 ? n : 1;
        }
    }
    if (what == 7) r->gravity[0] = r->gravity[1] = r->gravity[2] = 0;
}

/* many parts at once first, then fewer, then one by one */
static int shrink_parts(agree *g, recipe *r, recipe *t, const check *c, kind k, double end)
{
    int smaller = 0;
    for (int run = r->nparts / 2; run >= 1; run = run > 3 ? run / 2 : run - 1) {
        for (int i = r->nparts - 1; i >= 0 && seconds_now() < end; i -= run) {
            const int from = i - run + 1 < 0 ? 0 : i - run + 1;
            if (i >= r->nparts || r->nparts - (i - from + 1) < 1) continue;
            memcpy(t, r, sizeof *t);
            for (int d = i; d >= from; d--) recipe_remove(t, d);
            smaller |= accept(g, r, t, c, k);
        }
    }
    return smaller;
}

void shrink(agree *g, recipe *r, const check *c, double seconds)
{
    recipe *t = malloc(sizeof *t);
    const kind k = g->finding.kind;
    const double end = seconds_now() + seconds;
    int again = t != NULL;
    g->counting = 0;
    while (again && seconds_now() < end) {
        again = shrink_parts(g, r, t, c, k, end);
        for (int n = 1; n < r->nstates; n++) { /* the smallest number of states that will do */
            memcpy(t, r, sizeof *t);
            t->nstates = n;
            if (accept(g, r, t, c, k)) again = 1;
        }
        for (int what = 0; what <= STATE_THINGS && seconds_now() < end; what++) {
            memcpy(t, r, sizeof *t);
            simplify_states(t, what);
            if (!still_same(t, r)) again |= accept(g, r, t, c, k) && what != 6;
        }
        for (int i = 0; i < r->nparts; i++) {
            for (int what = 0; what < PART_THINGS && seconds_now() < end; what++) {
                memcpy(t, r, sizeof *t);
                simplify_part(t, i, what);
                if (!still_same(t, r)) accept(g, r, t, c, k);
            }
        }
    }
    run_check(g, r, c);
    g->counting = 1;
    free(t);
}

static void print_row(FILE *out, const char *name, const double *x, size_t n)
{
    fprintf(out, "  \"%s\": [", name);
    for (size_t i = 0; i < n; i++) fprintf(out, "%s%.17g", i ? ", " : "", x[i]);
    fprintf(out, "]");
}

/* the finding, with the robot as JSON and its states: everything one needs to look at it */
void report(agree *g, const recipe *r, const check *c, FILE *out)
{
    const finding f = g->finding;
    fprintf(out, "\nDISAGREEMENT %s: %s | %s, in check_%s, call '%s'\n", kind_names[f.kind], kind_ones[f.kind],
            kind_others[f.kind], c->name, f.call);
    fprintf(out, "  entry [%zu, %zu] of state %d: %.17g against %.17g; off by %.3g, allowed %.3g\n", f.row, f.column,
            f.state, f.x, f.y, f.deviation, f.allowed);
    fprintf(out, "  %s, seed %llu, built with options %u%s\n", r->label, (unsigned long long)r->seed, r->build,
            r->build & HML_BUILD_KEEP_FIXED ? " (fixed bodies kept)" : "");
    subject x;
    char *text = NULL;
    size_t size = 0;
    if (subject_open(&x, g, r)) {
        if (!hml_write_json(x.model, &text, &size, NULL)) fprintf(out, "%s\n", text);
        hml_text_free(text);
        for (int s = 0; s < x.nstates && s <= f.state; s++) {
            fprintf(out, "{\n");
            print_row(out, "q", x.q + (size_t)s * (size_t)x.nq, (size_t)x.nq), fprintf(out, ",\n");
            print_row(out, "v", x.v + (size_t)s * (size_t)x.nv, (size_t)x.nv), fprintf(out, ",\n");
            print_row(out, "tau", x.tau + (size_t)s * (size_t)x.nv, (size_t)x.nv), fprintf(out, ",\n");
            print_row(out, "a", x.a + (size_t)s * (size_t)x.nv, (size_t)x.nv);
            if (x.wrenches) {
                fprintf(out, ",\n");
                print_row(out, "wrenches", wrenches_of(&x, s), 6 * (size_t)x.nb);
            }
            fprintf(out, "\n}\n");
        }
    }
    g->counting = 0;
    subject_close(&x);
    g->counting = 1;
    g->finding = f;
}
