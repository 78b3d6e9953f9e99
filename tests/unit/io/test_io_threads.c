/* How many threads a batch takes by itself: variables, the affinity, and the limits of control groups. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined __linux__
#include <sched.h>
#endif

#include "io_check.h"

#include "hamel/states.h"
#include "io/common/threads.h"

static char root[64];

static int open_root(void **state)
{
    snprintf(root, sizeof root, "/tmp/hamel-threads-XXXXXX");
    return state == NULL || mkdtemp(root) == NULL;
}

static void run(const char *format)
{
    char command[512];
    snprintf(command, sizeof command, format, root);
    assert_int_equal(system(command), 0);
}

static int close_root(void **state)
{
    run("rm -rf '%s'");
    return state == NULL;
}

/* a file of the system that is looked at */
static void put(const char *folder, const char *name, const char *text)
{
    char command[512], path[512];
    snprintf(command, sizeof command, "mkdir -p '%s/%s'", root, folder);
    assert_int_equal(system(command), 0);
    snprintf(path, sizeof path, "%s/%s/%s", root, folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void limits_of_groups_count(void **state)
{
    (void)state;
    assert_int_equal(hmli_threads_quota(root), 0); /* no such system */
    put("proc/self", "cgroup", "0::/a/b\n");
    assert_int_equal(hmli_threads_quota(root), 0); /* no limit is written down */
    put("sys/fs/cgroup/a/b", "cpu.max", "max 100000\n");
    assert_int_equal(hmli_threads_quota(root), 0);
    put("sys/fs/cgroup/a", "cpu.max", "300000 100000\n"); /* the group above */
    assert_int_equal(hmli_threads_quota(root), 3);
    put("sys/fs/cgroup/a/b", "cpu.max", "150000 100000\n"); /* a part of a core is a core */
    assert_int_equal(hmli_threads_quota(root), 2);
    put("sys/fs/cgroup", "cpu.max", "10000 100000\n"); /* in a container its own group is the top */
    assert_int_equal(hmli_threads_quota(root), 1);
    put("proc/self", "cgroup", "0::/\n");
    assert_int_equal(hmli_threads_quota(root), 1);
    run("rm -r '%s/sys'");
}

static void so_do_those_of_version_1(void **state)
{
    (void)state;
    put("proc/self", "cgroup", "5:cpuset:/x\n4:cpu,cpuacct:/job\n1:name=systemd:/\nnonsense\n");
    put("sys/fs/cgroup/cpu/job", "cpu.cfs_quota_us", "-1\n");
    put("sys/fs/cgroup/cpu/job", "cpu.cfs_period_us", "100000\n");
    assert_int_equal(hmli_threads_quota(root), 0);
    put("sys/fs/cgroup/cpu/job", "cpu.cfs_quota_us", "700000\n");
    assert_int_equal(hmli_threads_quota(root), 7);
    put("sys/fs/cgroup/cpu/job", "cpu.cfs_period_us", "0\n"); /* nonsense is no limit */
    assert_int_equal(hmli_threads_quota(root), 0);
    put("sys/fs/cgroup/cpu/job", "cpu.cfs_period_us", "nan\n");
    assert_int_equal(hmli_threads_quota(root), 0);
}

static void variables_come_first(void **state)
{
    (void)state;
    unsetenv("HAMEL_THREADS");
    unsetenv("OMP_NUM_THREADS");
    const int32_t usual = hml_threads_default();
    assert_true(usual >= 1);
    setenv("OMP_NUM_THREADS", "1,2", 1);
    assert_int_equal(hml_threads_default(), 1);
    setenv("OMP_NUM_THREADS", "100000", 1); /* more than there are */
    assert_int_equal(hml_threads_default(), usual);
    setenv("OMP_NUM_THREADS", "nonsense", 1); /* that is for OpenMP to say */
    assert_int_equal(hml_threads_default(), usual);
    setenv("OMP_NUM_THREADS", "1", 1);
    setenv("HAMEL_THREADS", "7", 1);
    assert_int_equal(hml_threads_default(), 7);
    static const char *const wrong[] = {"many", "0", "-3", "2x", " "};
    for (int i = 0; i < 5; i++) {
        setenv("HAMEL_THREADS", wrong[i], 1);
        assert_int_equal(hml_threads_default(), 0);
    }
    setenv("HAMEL_THREADS", "", 1);
    assert_int_equal(hml_threads_default(), 1);
    unsetenv("HAMEL_THREADS");
    unsetenv("OMP_NUM_THREADS");
}

#if defined __linux__
static void the_affinity_counts(void **state)
{
    (void)state;
    cpu_set_t before, one;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    CPU_ZERO(&one);
    for (size_t i = 0; i < CPU_SETSIZE; i++) {
        if (!CPU_ISSET(i, &before)) continue;
        CPU_SET(i, &one);
        break;
    }
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_int_equal(hml_threads_default(), 1);
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_of_groups_count),
        cmocka_unit_test(so_do_those_of_version_1),
        cmocka_unit_test(variables_come_first),
#if defined __linux__
        cmocka_unit_test(the_affinity_counts),
#endif
    };
    return cmocka_run_group_tests(tests, open_root, close_root);
}
