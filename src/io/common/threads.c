/* See hamel/states.h and threads.h. */
#if defined __linux__ && !defined _GNU_SOURCE
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier): sched_getaffinity */
#endif
#include "io/common/threads.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined __linux__
#include <sched.h>
#endif
#if defined _WIN32
#include <windows.h>
#else
#include <unistd.h>
#endif

#include "hamel/states.h"

enum { PATH_SIZE = 1024, LINE_SIZE = 768 };

/* ---- control groups ---- */

/* the first line of a file; 1 if there is one */
static int read_line(const char *root, const char *folder, const char *name, char line[LINE_SIZE])
{
    char path[3 * PATH_SIZE];
    snprintf(path, sizeof path, "%.900s%.1500s%s", root, folder, name);
    FILE *file = fopen(path, "r");
    if (!file) return 0;
    const int found = fgets(line, LINE_SIZE, file) != NULL;
    fclose(file);
    return found;
}

static int cores_of(double quota, double period)
{
    if (!(quota > 0) || !(period > 0)) return 0;
    const double cores = quota / period;
    if (!(cores < INT_MAX / 2)) return 0;
    return (int)cores + (cores > (double)(int)cores);
}

/* the limit of one group; version 1 keeps it in two files */
static int limit_of(const char *root, const char *folder, int version)
{
    char line[LINE_SIZE], period[LINE_SIZE];
    if (version == 2) {
        char *end;
        if (!read_line(root, folder, "/cpu.max", line)) return 0;
        const double quota = strtod(line, &end); /* "max", which is no number, is no limit */
        return end == line ? 0 : cores_of(quota, strtod(end, NULL));
    }
    if (!read_line(root, folder, "/cpu.cfs_quota_us", line) || !read_line(root, folder, "/cpu.cfs_period_us", period))
        return 0;
    return cores_of(strtod(line, NULL), strtod(period, NULL)); /* −1: no limit */
}

/* the least of a group and of those above it */
static int least_limit(const char *root, const char *mount, const char *group, int version)
{
    char folder[PATH_SIZE];
    int least = 0;
    const size_t top = strlen(mount);
    snprintf(folder, sizeof folder, "%s%s", mount, group);
    for (;;) {
        const int limit = limit_of(root, folder, version);
        if (limit > 0 && (least == 0 || limit < least)) least = limit;
        char *last = strrchr(folder, '/');
        if (!last || (size_t)(last - folder) < top) return least;
        *last = 0;
    }
}

int hmli_threads_quota(const char *root)
{
    char path[PATH_SIZE], line[LINE_SIZE];
    int least = 0;
    snprintf(path, sizeof path, "%.900s/proc/self/cgroup", root);
    FILE *file = fopen(path, "r");
    if (!file) return 0;
    while (fgets(line, sizeof line, file)) { /* 0::/group, or 4:cpu,cpuacct:/group */
        line[strcspn(line, "\n")] = 0;
        char *names = strchr(line, ':'), *group = names ? strchr(names + 1, ':') : NULL;
        if (!group) continue;
        *group++ = 0;
        int limit = 0;
        if (names[1] == 0)
            limit = least_limit(root, "/sys/fs/cgroup", group, 2);
        else if (strcmp(names + 1, "cpu") == 0 || strncmp(names + 1, "cpu,", 4) == 0 || strstr(names + 1, ",cpu,"))
            limit = least_limit(root, "/sys/fs/cgroup/cpu", group, 1);
        if (limit > 0 && (least == 0 || limit < least)) least = limit;
    }
    fclose(file);
    return least;
}

/* ---- all of it ---- */

/* cores that the process may run on */
static long cores(void)
{
#if defined __linux__
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0) return CPU_COUNT(&set);
#endif
#if defined _WIN32
    SYSTEM_INFO about;
    GetSystemInfo(&about);
    return (long)about.dwNumberOfProcessors;
#else
    return sysconf(_SC_NPROCESSORS_ONLN);
#endif
}

/* the number that a variable begins with; 0: none */
static long said(const char *name)
{
    const char *text = getenv(name);
    const long n = text ? strtol(text, NULL, 10) : 0;
    return n > 0 ? n : 0;
}

int32_t hml_threads_default(void)
{
    static atomic_int quota = -1; /* files are read once; the affinity may change */
    const char *own = getenv("HAMEL_THREADS");
    if (own && *own) {
        char *end;
        const long n = strtol(own, &end, 10);
        if (*end || n < 1) return 0;
        return n > INT32_MAX ? INT32_MAX : (int32_t)n;
    }
    long n = cores();
    int limit = atomic_load(&quota);
    if (limit < 0) atomic_store(&quota, limit = hmli_threads_quota(""));
    if (limit > 0 && n > limit) n = limit;
    const long others = said("OMP_NUM_THREADS");
    if (others > 0 && n > others) n = others;
    return n < 1 ? 1 : n > INT32_MAX ? INT32_MAX : (int32_t)n;
}
