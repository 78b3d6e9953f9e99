/* Which phase a knot belongs to: chunks of knots that are linearized together are under the same holds. */
#include <string.h>

#include "control/shooting.h"

void hmli_shooting_schedule(hml_solver *s)
{
    size_t count = 0;
    for (size_t k = 0; k < s->N; k++) {
        shooting_chunk *last = count ? &s->chunks[count - 1] : NULL;
        if (last && last->phase == s->phase_of[k] && last->count < CHUNK)
            last->count++;
        else
            s->chunks[count++] = (shooting_chunk){s->phase_of[k], k, 1};
    }
    s->chunks[count++] = (shooting_chunk){s->problem.nphases, s->N, 1};
    s->nchunks = count;
    memset(s->now.lambda, 0, s->N * s->forces * sizeof *s->now.lambda);
    memset(s->trial.lambda, 0, s->N * s->forces * sizeof *s->trial.lambda);
}
