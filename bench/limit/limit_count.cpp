/*
 * How many operations a linearization takes: the kernels' own source, compiled once more with a number that counts
 * (num_counted.h). Usage: limit_count ROBOT...; one line of JSON a robot. See docs/limit.md.
 *
 * ν̇, D_q, D_ν and M⁻¹ of one state, compared with the library's before they are believed.
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "num_counted.h"
#define NUM_EPS 0x1p-52
inline num num_atan2(num y, num x) { return num(atan2(y.x, x.x)); }
#include "hamel/hamel.h"
#include "num/sincos.h"

extern "C" {
#include "kernel/pack/linearize.h"
#include "model/model.h"
#include "peers/measure.h"
}

struct memory {
    void *data;
    explicit memory(size_t size) : data(aligned_alloc(64, (size + 63) / 64 * 64)) {}
    ~memory() { free(data); }
    memory(const memory &) = delete;
    memory &operator=(const memory &) = delete;
};

static int counted(const bench_robot *r, double *out)
{
    const size_t nv = r->nv, nn = nv * nv;
    const hml_plan *plan = model_plan(r->model);
    memory scratch(kernel_scratch_size(plan)), lists(hmli_paths_size(plan));
    plan_paths paths;
    if (!scratch.data || !lists.data) return 0;
    hmli_paths_fill(plan, lists.data, &paths);
    kernel_call call = {};
    call.plan = plan, call.paths = &paths, call.scratch = scratch.data, call.gravity = r->gravity, call.count = 1;
    call.q.data = r->q, call.v.data = r->v, call.tau.data = r->u;
    call.acceleration.data = out;
    call.Dq = {out + nv, nv, 0}, call.Dv = {out + nv + nn, nv, 0}, call.Minv = {out + nv + 2 * nn, nv, 0};
    count = operations();
    return pack_linearize(&call) == 0;
}

static int library(const bench_robot *r, double *out)
{
    void *self = hamel_batch.open(r);
    const int ok = self && hamel_batch.run(self, BENCH_LINEARIZE, 1) && hamel_batch.result(self, BENCH_LINEARIZE, out);
    if (self) hamel_batch.close(self);
    return ok;
}

/* rounding differs where one of the two has fused operations; M of these robots has condition numbers up to 1e5 */
static const double tolerance = 1e-10;

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        bench_robot r;
        if (!robot_load(argv[i], HML_ISA_BEST, &r)) return 1;
        const size_t n = r.nv + 3 * r.nv * r.nv;
        memory ours(n * sizeof(double)), theirs(n * sizeof(double));
        double *x = (double *)ours.data, *y = (double *)theirs.data;
        if (!x || !y || !counted(&r, x) || !library(&r, y) || measure_difference(x, y, n) > tolerance) {
            fprintf(stderr, "limit_count: %s: not the library's linearization\n", argv[i]);
            return 1;
        }
        printf("{\"robot\": \"%s\", \"nv\": %zu, \"multiplications\": %ld, \"additions\": %ld, \"divisions\": %ld, "
               "\"roots\": %ld}\n",
               r.name, r.nv, count.multiply, count.add, count.divide, count.root);
        robot_close(&r);
    }
    return 0;
}
