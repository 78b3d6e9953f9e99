/* A step of a held robot against the linearization that it is made of. */
#include "agree.h"

void note_held_step(subject *x, int i, int s, double worst, const hml_constraints *set,
                    const hml_constrained_linearization *l)
{
    const double h = 1.0 / 64;
    const size_t nv = (size_t)x->nv, rows = (size_t)hml_constraint_rows(set), nn = nv * nv;
    double *q = room(x->g, (size_t)x->nq), *v = room(x->g, nv), *lambda = room(x->g, rows);
    double *Ad = room(x->g, 4 * nn), *Bd = room(x->g, 2 * nn), *one = room(x->g, nn), *other = room(x->g, nn);
    double *scratch = room(x->g, hml_constrained_step_scratch_doubles(x->model, set));
    const hml_constrained_discrete_step step =
        HML_STRUCT(hml_constrained_discrete_step, .h = h, .q.data = l->q, .v.data = l->v, .tau.data = l->tau,
                   .wrenches.data = l->wrenches, .q_next.data = q, .v_next.data = v, .lambda.data = lambda,
                   .Ad.data = Ad, .Bd.data = Bd);
    const char *isa = hml_isa_name(x->isas[i]);
    const hml_status status = hml_constrained_step(x->model, x->works[i], set, scratch, 1, &step, NULL);
    note_status(x, KIND_status, "hml_constrained_step", s, status, HML_OK);
    if (status) return;
    const double *blocks[3] = {l->Dq, l->Dv, l->Dtau};
    for (size_t k = 0; k < 3; k++) {
        double size = 0;
        for (size_t e = 0; e < nn; e++) {
            const size_t r = e / nv, c = e % nv;
            one[e] = k < 2 ? Ad[(nv + r) * 2 * nv + k * nv + c] - (k == 1 && r == c) : Bd[(nv + r) * nv + c];
            other[e] = h * blocks[k][e];
            size = fmax(size, fabs(blocks[k][e]) * x->s[(size_t)s * nv + r]);
        }
        /* what was added to 1 has the last digits of that */
        note(x, KIND_held_step, isa, (how){s, UP, PLAIN, fmax(h * fmax(size, x->force[s]), k == 1 ? 1 : 0), worst}, one,
             other, nv, nv);
    }
    for (size_t e = 0; e < nv; e++) one[e] = v[e] - l->v[e], other[e] = h * l->acceleration[e];
    const double speed = largest(nv, l->v);
    note(x, KIND_held_step, isa,
         (how){s, UP, PLAIN, fmax(h * x->force[s], speed * largest(nv, x->s + (size_t)s * nv)), worst}, one, other, nv,
         1);
}
