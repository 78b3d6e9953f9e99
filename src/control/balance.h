/*
 * Powers of two d for which rows and columns of d⁻¹ A d are alike in size (Parlett and Reinsch 1969), among states that act
 * on each other: where one only drives another, as a velocity its position, rows and columns could grow apart for ever.
 */
#ifndef HML_CONTROL_BALANCE_H
#define HML_CONTROL_BALANCE_H

#include <stddef.h>

/* marks: n × n; room: n × n */
void hmli_balance(size_t n, const double *A, unsigned char *marks, double *room, double *d);

#endif
