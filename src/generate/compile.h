/* Compiled code of a robot, and whether it is worth its while. */
#ifndef HML_GENERATE_COMPILE_H
#define HML_GENERATE_COMPILE_H

#include "hamel/generate.h"
#include "hamel/linearize.h"

typedef int linearize_code(const double *q, const double *v, const double *tau, double *acceleration, double *Dq,
                           double *Dv, double *Minv);
typedef int linearize_batch_code(int n, const double *q, const double *v, const double *tau, double *acceleration,
                                 double *Dq, double *Dv, double *Minv);

enum { COMPILED_SINGLE = 1, COMPILED_BATCH = 2, COMPILED_ALL = 3 }; /* for which calls it is faster than the library */
enum { COMPILED_NOTE = 256 };

struct hml_compiled {
    const hml_model *model;
    void *library;
    linearize_code *linearize; /* NULL: the library's kernels */
    linearize_batch_code *batch;
    int choice; /* calls for which it is faster: COMPILED_… */
    char note[COMPILED_NOTE];
};

/*
 * choose.c: does the code agree with the library at random states, and for which calls is it faster? −1: it does not
 * agree, or there is no memory. choice 0: nothing is measured, and the answer is 0 where it agrees.
 */
int hmli_compiled_choose(const hml_model *model, linearize_code *code, linearize_batch_code *batch, int choice);

#endif
