#include "control/balance.h"

#include <math.h>

/* marks[i, j]: state j acts on state i, also through others (Warshall's algorithm) */
static void find_drives(size_t n, const double *size, unsigned char *marks)
{
    double most = 0;
    for (size_t i = 0; i < n * n; i++) most = fmax(most, size[i]);
    for (size_t i = 0; i < n * n; i++) marks[i] = size[i] > 1e-13 * most;
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; marks[i * n + k] && j < n; j++) marks[i * n + j] |= marks[k * n + j];
}

/* 1 if state i gets another scale */
static int balance_state(size_t n, double *size, size_t i, double *d)
{
    double column = 0, row = 0;
    for (size_t j = 0; j < n; j++) column += size[j * n + i], row += size[i * n + j];
    if (!(column > 0) || !(row > 0)) return 0;
    const double f = exp2(nearbyint(log2(row / column) / 2));
    if (!(column * f + row / f < 0.95 * (column + row))) return 0;
    for (size_t j = 0; j < n; j++) size[j * n + i] *= f, size[i * n + j] /= f;
    d[i] *= f;
    return 1;
}

void hmli_balance(size_t n, const double *A, unsigned char *marks, double *room, double *d)
{
    enum { SWEEPS = 20 };
    for (size_t i = 0; i < n * n; i++) room[i] = i % (n + 1) == 0 ? 0 : fabs(A[i]);
    find_drives(n, room, marks);
    for (size_t i = 0; i < n; i++) {
        d[i] = 1;
        for (size_t j = 0; j < n; j++)
            if (!marks[i * n + j] || !marks[j * n + i]) room[i * n + j] = 0;
    }
    for (int sweep = 0, changed = 1; changed && sweep < SWEEPS; sweep++) {
        changed = 0;
        for (size_t i = 0; i < n; i++) changed |= balance_state(n, room, i, d);
    }
}
