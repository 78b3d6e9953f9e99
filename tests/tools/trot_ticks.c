/*
 * The trot of examples/09_trotting_quadruped.c for 100,000 ticks of its controller, while no memory can be allocated: ticks,
 * steps of contact and all else need none. It also compares the time of the first ticks with that of the last.
 *
 *   trot_ticks [TICKS]
 */
#include "allocator.h"

#define main example_main
#include "../../examples/09_trotting_quadruped.c"
#undef main

static double middle(double *ticks, size_t count)
{
    qsort(ticks, count, sizeof *ticks, by_size);
    return 1e3 * ticks[count / 2];
}

int main(int argc, char **argv)
{
    static robot r;
    static controller c;
    const size_t ticks = (size_t)number(argc, argv, 1, 100000), tenth = ticks / 10;
    const double seconds = (double)ticks * TICK * DT;
    if (tenth < 1 || ticks > TICKS) {
        fprintf(stderr, "from 10 to %d ticks\n", (int)TICKS);
        return EXIT_FAILURE;
    }
    (void)example_main; /* it is not called */
    robot_open(&r, 0);
    controller_open(&c, &r);
    allocator_start();
    const size_t before = allocated_now;
    allocations_left = 0;
    const double held = trot(&r, &c, seconds, 120);
    const size_t after = allocated_now, most = allocated_most;
    const long refused = allocations_failed;
    allocations_left = -1;
    hml_mpc_statistics s = {.struct_size = sizeof s};
    check(hml_mpc_get_statistics(c.mpc, &s));
    printf("%zu ticks, %g s of trot of %g s with pushes of 120 N; %zu failed, %zu without a step\n", s.ticks, held,
           seconds, s.failed, s.rejected);
    printf("memory: %zu bytes before, %zu after, %zu at most; %ld allocations asked for\n", before, after, most,
           refused);
    printf("feet have used %.0f %% of the friction at most\n", 100 * r.worst);
    const double first = middle(c.ticks, tenth), last = middle(c.ticks + c.nticks - tenth, tenth);
    printf("median of a tick: %.2f ms in the first tenth, %.2f ms in the last, of one core\n", first, last);
    hml_mpc_free(c.mpc);
    robot_close(&r);
    return held < seconds || s.ticks != ticks || s.failed || refused || after != before || most != before ||
                   r.worst > 1 + 1e-6
               ? EXIT_FAILURE
               : EXIT_SUCCESS;
}
