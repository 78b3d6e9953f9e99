/*
 * Many states on many processes, with MPI: each reads its own chunks of a file and linearizes them; the first one writes
 * the results, the same file to the last bit as `hamel linearize` makes of these states.
 *
 *   mpicc -O2 linearize_mpi.c -o linearize_mpi $(pkg-config --cflags --libs hamel-io)
 *   mpirun -n 4 ./linearize_mpi quadruped.json states.npz results.npz
 *
 * The arrays are A, B of all coordinates, acceleration and status. Chunk k belongs to process k mod the number of
 * processes; the first process takes part.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hamel/hamel.h"
#include "hamel/states.h"

enum { CHUNK = 256, COLUMNS = 4 };

typedef struct part {
    hml_model *model;
    hml_work *work;
    hml_states *states;
    size_t nq, nv, rows;
    double *q, *v, *tau, *out[3]; /* A, B, acceleration of a chunk */
    size_t entries[3];
    int32_t codes[CHUNK];
} part;

static void die(const char *what)
{
    fprintf(stderr, "linearize_mpi: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
    exit(1);
}

static void open_part(part *p, const char *model, const char *states)
{
    hml_error error = {0};
    memset(p, 0, sizeof *p);
    if (hml_load(model, NULL, &p->model, &error) || hml_states_open(states, p->model, &p->states, &error))
        die(error.message);
    if (hml_work_new(p->model, HML_ISA_BEST, HML_USE_ALL, &p->work)) die("out of memory");
    p->nq = (size_t)hml_model_nq(p->model), p->nv = (size_t)hml_model_nv(p->model);
    p->rows = (size_t)hml_states_count(p->states);
    p->entries[0] = 4 * p->nv * p->nv, p->entries[1] = 2 * p->nv * p->nv, p->entries[2] = p->nv;
    p->q = malloc(CHUNK * (p->nq + 2 * p->nv) * sizeof *p->q);
    p->v = p->q ? p->q + CHUNK * p->nq : NULL, p->tau = p->v ? p->v + CHUNK * p->nv : NULL;
    for (int i = 0; i < 3; i++) {
        p->out[i] = malloc(CHUNK * p->entries[i] * sizeof *p->out[i]);
        if (!p->q || !p->out[i]) die("out of memory");
    }
}

static void close_part(part *p)
{
    for (int i = 0; i < 3; i++) free(p->out[i]);
    free(p->q);
    hml_states_free(p->states);
    hml_work_free(p->work);
    hml_model_free(p->model);
}

static size_t count_of(const part *p, size_t chunk)
{
    const size_t left = p->rows - chunk * CHUNK;
    return left < CHUNK ? left : CHUNK;
}

static void compute(part *p, size_t chunk)
{
    const size_t n = count_of(p, chunk);
    hml_error error = {0};
    hml_status status[CHUNK];
    if (hml_states_read(p->states, (int64_t)(chunk * CHUNK), (int64_t)n, p->q, p->v, p->tau, &error))
        die(error.message);
    const hml_linearization x = {.struct_size = sizeof x,
                                 .q = {p->q, p->nq},
                                 .v = {p->v, p->nv},
                                 .tau = {p->tau, p->nv},
                                 .A = {p->out[0], 0, 0},
                                 .B = {p->out[1], 0, 0},
                                 .acceleration = {p->out[2], 0, 0}};
    hml_linearize_batch(p->model, p->work, n, &x, status); /* a state that fails is NaN and has its status */
    for (size_t i = 0; i < n; i++) p->codes[i] = (int32_t)status[i];
}

static hml_table *open_table(const part *p, const char *path)
{
    const hml_column columns[COLUMNS] = {{.name = "A", .rank = 2, .shape = {2 * p->nv, 2 * p->nv}},
                                         {.name = "B", .rank = 2, .shape = {2 * p->nv, p->nv}},
                                         {.name = "acceleration", .rank = 1, .shape = {p->nv}},
                                         {.name = "status", .type = HML_COLUMN_INT32}};
    const hml_table_settings s = {.struct_size = sizeof s,
                                  .rows = (int64_t)p->rows,
                                  .chunk = CHUNK,
                                  .ncolumns = COLUMNS,
                                  .columns = columns,
                                  .digest = hml_states_digest(p->states)};
    hml_table *table = NULL;
    hml_error error = {0};
    if (hml_table_open(path, &s, &table, &error)) die(error.message);
    return table;
}

/* the chunk of another process, into the memory of this one */
static void receive(part *p, size_t chunk, int from)
{
    const size_t n = count_of(p, chunk);
    for (int i = 0; i < 3; i++) {
        MPI_Recv(p->out[i], (int)(n * p->entries[i]), MPI_DOUBLE, from, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Recv(p->codes, (int)n, MPI_INT32_T, from, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void send(const part *p, size_t chunk)
{
    const size_t n = count_of(p, chunk);
    for (int i = 0; i < 3; i++) MPI_Send(p->out[i], (int)(n * p->entries[i]), MPI_DOUBLE, 0, i, MPI_COMM_WORLD);
    MPI_Send(p->codes, (int)n, MPI_INT32_T, 0, 3, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int rank, size;
    part p;
    hml_error error = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc != 4) die("usage: linearize_mpi MODEL STATES.npz RESULTS.npz");
    open_part(&p, argv[1], argv[2]);
    const size_t chunks = (p.rows + CHUNK - 1) / CHUNK;
    hml_table *table = rank == 0 ? open_table(&p, argv[3]) : NULL;
    const void *const data[COLUMNS] = {p.out[0], p.out[1], p.out[2], p.codes};
    for (size_t k = 0; k < chunks; k++) {
        const int owner = (int)(k % (size_t)size);
        if (owner == rank) compute(&p, k);
        if (rank == 0 && owner != 0) receive(&p, k, owner);
        if (rank == 0 && hml_table_write(table, (int64_t)k, data, &error)) die(error.message);
        if (rank != 0 && owner == rank) send(&p, k);
    }
    if (rank == 0 && hml_table_finish(table, &error)) die(error.message);
    hml_table_free(table);
    close_part(&p);
    MPI_Finalize();
    return 0;
}
