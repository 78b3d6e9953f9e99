/* Streams of the device that is none, for device_emulated.c and the tests. */
#ifndef HML_TESTS_STREAMS_EMULATED_H
#define HML_TESTS_STREAMS_EMULATED_H

#include <stddef.h>

#include "hamel/base.h"

typedef hml_status (*emulated_work)(const void *context);

/* work, with a copy of its context, into a stream; 0: the stream is the default one, where it must be done at once */
int emulated_streams_defer(void *stream, emulated_work work, const void *context, size_t bytes);

/* streams forget whom they follow, as a faulty program would have it */
void emulated_streams_forget(int on);

/* streams and staging memory that nobody has given back */
int emulated_streams_left(void);

#endif
