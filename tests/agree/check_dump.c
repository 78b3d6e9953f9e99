/* What the Python side computes again: a robot, a state and results as one line of JSON. See compare.py. */
#include "agree.h"

static void row(FILE *out, const char *name, const double *x, size_t n)
{
    fprintf(out, ", \"%s\": [", name);
    for (size_t i = 0; i < n; i++) fprintf(out, "%s%.17g", i ? ", " : "", x[i]);
    fputc(']', out);
}

void check_dump(subject *x)
{
    FILE *out = x->g->dump;
    char *text = NULL;
    size_t size = 0;
    if (!out || !x->g->counting || x->regular || hml_write_json(x->model, &text, &size, NULL)) return;
    const int s = hml_rng_below(&x->rng, x->nstates);
    const size_t nv = (size_t)x->nv, nq = (size_t)x->nq, nb = (size_t)x->nb;
    const double *q = x->q + (size_t)s * nq, *v = x->v + (size_t)s * nv, *tau = x->tau + (size_t)s * nv;
    const double *a = x->a + (size_t)s * nv;
    double *H = room(x->g, 16 * nb), *force = room(x->g, nv), *fall = room(x->g, nv), *next = room(x->g, nq);
    single l = single_new(x);
    if (!single_linearize(x, x->work, s, &l) && !hml_body_poses(x->model, x->work, q, H) &&
        !hml_inverse_dynamics(x->model, x->work, q, v, a, wrenches_of(x, s), force) &&
        !forward(x, q, v, tau, s, fall) && !hml_configuration_integrate(x->model, q, a, next)) {
        for (size_t i = 0; i < size; i++)
            if (text[i] == '\n') text[i] = ' ';
        fprintf(out, "{\"model\": %s, \"keep\": %d, \"cond\": %.3g, \"force\": %.6g", text,
                (x->recipe->build & HML_BUILD_KEEP_FIXED) != 0, x->cond[s], x->force[s]);
        row(out, "q", q, nq), row(out, "v", v, nv), row(out, "tau", tau, nv), row(out, "a", a, nv);
        if (x->wrenches) row(out, "wrenches", wrenches_of(x, s), 6 * nb);
        row(out, "scale", x->s + (size_t)s * nv, nv);
        row(out, "poses", H, 16 * nb), row(out, "inverse_dynamics", force, nv), row(out, "forward_dynamics", fall, nv);
        row(out, "integrate", next, nq), row(out, "M", x->M + (size_t)s * nv * nv, nv * nv);
        row(out, "acceleration", l.a, nv), row(out, "Dq", l.Dq, nv * nv), row(out, "Dv", l.Dv, nv * nv);
        row(out, "Minv", l.Minv, nv * nv);
        fputs("}\n", out);
    }
    hml_text_free(text);
}
