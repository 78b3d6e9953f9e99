/*
 * Numbers as text, without the C library's locale: the point is a point everywhere.
 *
 * Reading is exact: the double nearest to the decimal number, ties to even. What does not fit a double is refused, and
 * so are "nan", "inf" and hexadecimal; what is smaller than the smallest double is zero. Writing gives the shortest of
 * 15, 16 or 17 digits that reads back as the same double.
 */
#ifndef HML_IO_COMMON_NUMBER_H
#define HML_IO_COMMON_NUMBER_H

#include "base/decimal.h"

enum { NUMBER_SIZE = DECIMAL_SIZE };

/* reads a number at the start of text; where it ends, or NULL if there is none or it is too large */
const char *hmli_number_read(const char *text, double *value);

/*
 * Reads a list separated by white space: at most `most` numbers into values; how many there were, or −1 if something
 * is no number. Numbers beyond `most` are counted but not kept.
 */
int hmli_number_read_list(const char *text, int most, double values[]);

/* x is finite */
void hmli_number_write(double x, char text[NUMBER_SIZE]);

#endif
