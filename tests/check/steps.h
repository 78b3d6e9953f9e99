/*
 * Counts what a program does, so that "this takes n log n" can be tested on a busy machine: the library is compiled once
 * more with -fsanitize-coverage=trace-pc, which calls us at every branch, and the functions of the C library that walk
 * through memory say how far they went (linked with --wrap). Include it in one file of such a program.
 *
 *   steps   branches, and bytes that were walked over
 */
#ifndef STEPS_H
#define STEPS_H

#include <malloc.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

static uint64_t steps;

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void) { steps++; }

#define STEPS_WRAP(type, name, parameters, call, counted)                                                              \
    type __real_##name parameters;                                                                                     \
    type __wrap_##name parameters;                                                                                     \
    type __wrap_##name parameters                                                                                      \
    {                                                                                                                  \
        type result = __real_##name call;                                                                              \
        steps += (uint64_t)(counted);                                                                                  \
        return result;                                                                                                 \
    }

size_t __real_strlen(const char *s);
static inline size_t steps_common(const char *a, const char *b)
{
    size_t i = 0;
    while (a[i] && a[i] == b[i]) i++;
    return i;
}

STEPS_WRAP(size_t, strlen, (const char *s), (s), result)
STEPS_WRAP(int, strcmp, (const char *a, const char *b), (a, b), steps_common(a, b))
STEPS_WRAP(int, strncmp, (const char *a, const char *b, size_t n), (a, b, n), n)
STEPS_WRAP(int, memcmp, (const void *a, const void *b, size_t n), (a, b, n), n)
STEPS_WRAP(void *, memcpy, (void *to, const void *from, size_t n), (to, from, n), n)
STEPS_WRAP(void *, memmove, (void *to, const void *from, size_t n), (to, from, n), n)
STEPS_WRAP(void *, memset, (void *to, int c, size_t n), (to, c, n), n)
STEPS_WRAP(void *, memchr, (const void *s, int c, size_t n), (s, c, n),
           result ? (size_t)((const char *)result - (const char *)s) : n)
STEPS_WRAP(char *, strchr, (const char *s, int c), (s, c), result ? (size_t)(result - s) : __real_strlen(s))
STEPS_WRAP(char *, strrchr, (const char *s, int c), (s, c), __real_strlen(s))
STEPS_WRAP(char *, strstr, (const char *s, const char *t), (s, t), result ? (size_t)(result - s) : __real_strlen(s))
STEPS_WRAP(size_t, strspn, (const char *s, const char *t), (s, t), result)
STEPS_WRAP(size_t, strcspn, (const char *s, const char *t), (s, t), result)
STEPS_WRAP(void *, calloc, (size_t n, size_t size), (n, size), n *size)
STEPS_WRAP(void *, realloc, (void *p, size_t size), (p, size), size) /* at most that is copied */

#endif
