#include "control/assign.h"

#include <math.h>

void hmli_assign(size_t n, const double *cost, double *room, size_t *index_room, size_t *column)
{
    double *u = room, *v = u + n + 1,
           *least = v + n + 1; /* potentials of rows and columns, and the shortest ways so far */
    size_t *row_of = index_room, *way = row_of + n + 1, *used = way + n + 1;
    for (size_t j = 0; j <= n; j++) u[j] = v[j] = 0, row_of[j] = 0;
    for (size_t i = 1; i <= n; i++) { /* rows and columns count from 1; column 0 has the row that looks for a place */
        size_t at = 0;
        row_of[0] = i;
        for (size_t j = 0; j <= n; j++) least[j] = HUGE_VAL, used[j] = way[j] = 0;
        do {
            const size_t row = row_of[at];
            size_t next = 0;
            double delta = HUGE_VAL;
            used[at] = 1;
            for (size_t j = 1; j <= n; j++) {
                if (used[j]) continue;
                const double now = cost[(row - 1) * n + j - 1] - u[row] - v[j];
                if (now < least[j]) least[j] = now, way[j] = at;
                if (least[j] < delta || next == 0) delta = least[j], next = j;
            }
            for (size_t j = 0; j <= n; j++) {
                if (used[j])
                    u[row_of[j]] += delta, v[j] -= delta;
                else
                    least[j] -= delta;
            }
            at = next;
        } while (row_of[at] != 0);
        for (size_t before; at; at = before) {
            before = way[at];
            row_of[at] = row_of[before];
        }
    }
    for (size_t j = 1; j <= n; j++) column[row_of[j] - 1] = j - 1;
}
