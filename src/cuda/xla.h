/*
 * The part of XLA's typed FFI that xla.c reads: what XLA hands to a custom call, and how it is answered. The layout is that
 * of xla/ffi/api/c_api.h (OpenXLA), version 0.1, of which jaxlib carries a newer one; within a version 0, XLA only adds
 * members at the end of these structures. It is declared here again, under names of our own, so that libhamel-cuda is
 * built, and tested, where there is no jaxlib, and one build serves all of its versions. python/tests/test_cuda_jax.py compares
 * the two declarations member by member.
 */
#ifndef HML_CUDA_XLA_H
#define HML_CUDA_XLA_H

#include <stddef.h>
#include <stdint.h>

enum { XLA_MAJOR = 0, XLA_MINOR = 1 }; /* the version of what is declared here */

typedef enum xla_stage { XLA_INSTANTIATE, XLA_PREPARE, XLA_INITIALIZE, XLA_EXECUTE } xla_stage;
typedef enum xla_attribute_kind { XLA_SCALAR = 3, XLA_STRING = 4 } xla_attribute_kind;
typedef enum xla_type { XLA_S64 = 5, XLA_F32 = 11, XLA_F64 = 12 } xla_type;

/* the codes of absl::Status */
typedef enum xla_code {
    XLA_INVALID_ARGUMENT = 3,
    XLA_NOT_FOUND = 5,
    XLA_RESOURCE_EXHAUSTED = 8,
    XLA_UNIMPLEMENTED = 12,
    XLA_INTERNAL = 13
} xla_code;

typedef struct xla_error xla_error;     /* XLA's own */
typedef struct xla_context xla_context; /* likewise: of one execution */

typedef enum xla_extension_kind { XLA_METADATA = 1 } xla_extension_kind;

typedef struct xla_extension {
    size_t struct_size;
    xla_extension_kind kind;
    struct xla_extension *next;
} xla_extension;

typedef struct xla_version {
    size_t struct_size;
    xla_extension *extensions;
    int major, minor;
} xla_version;

/* what a handler says about itself; newer versions ask for more, which may stay as it is */
typedef struct xla_metadata {
    size_t struct_size;
    xla_version version;
    uint32_t traits;
} xla_metadata;

typedef struct xla_metadata_question {
    xla_extension base;
    xla_metadata *metadata;
} xla_metadata_question;

typedef struct xla_buffer {
    size_t struct_size;
    xla_extension *extensions;
    xla_type type;
    void *data;
    int64_t rank;
    int64_t *dims; /* row-major, unless the caller asks for another layout */
} xla_buffer;

typedef struct xla_span {
    const char *data;
    size_t length;
} xla_span;

typedef struct xla_scalar {
    xla_type type;
    void *value;
} xla_scalar;

/* of arguments, and of results */
typedef struct xla_buffers {
    size_t struct_size;
    xla_extension *extensions;
    int64_t count;
    int *kinds; /* 1: all are buffers */
    xla_buffer **at;
} xla_buffers;

typedef struct xla_attributes {
    size_t struct_size;
    xla_extension *extensions;
    int64_t count;
    xla_attribute_kind *kinds;
    xla_span **names; /* sorted */
    void **at;        /* an xla_scalar or an xla_span */
} xla_attributes;

typedef struct xla_error_arguments {
    size_t struct_size;
    xla_extension *extensions;
    const char *message;
    xla_code code;
} xla_error_arguments;

typedef struct xla_destroy_arguments {
    size_t struct_size;
    xla_extension *extensions;
    xla_error *error;
} xla_destroy_arguments;

typedef struct xla_stream_arguments {
    size_t struct_size;
    xla_extension *extensions;
    xla_context *context;
    void *stream; /* out: a cudaStream_t */
} xla_stream_arguments;

typedef struct xla_ordinal_arguments {
    size_t struct_size;
    xla_extension *extensions;
    xla_context *context;
    int32_t ordinal; /* out: of the device, counted from 0 */
} xla_ordinal_arguments;

typedef void xla_unused(void);

typedef struct xla_api {
    size_t struct_size;
    xla_extension *extensions;
    xla_version version;
    const void *internal;
    xla_error *(*error_create)(xla_error_arguments *);
    xla_unused *error_message;
    void (*error_destroy)(xla_destroy_arguments *);
    xla_unused *handler_register;
    xla_error *(*stream_get)(xla_stream_arguments *);
    xla_unused *others[12];
    xla_error *(*ordinal_get)(xla_ordinal_arguments *); /* since 0.2 or so: where struct_size says that it is there */
} xla_api;

typedef struct xla_frame {
    size_t struct_size;
    xla_extension *extensions;
    const xla_api *api;
    xla_context *context;
    xla_stage stage;
    xla_buffers arguments, results;
    xla_attributes attributes;
} xla_frame;

#endif
