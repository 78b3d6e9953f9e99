/* How many cores the process may use, where the machine has more. */
#ifndef HML_IO_COMMON_THREADS_H
#define HML_IO_COMMON_THREADS_H

/*
 * Cores that the control groups of a Linux process give it, rounded up; 0: they set no limit, or there are none. Looks
 * at the files below `root`, which is "" for the process itself.
 */
int hmli_threads_quota(const char *root);

#endif
