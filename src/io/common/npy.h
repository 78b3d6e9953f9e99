/*
 * The header of an NPY file: the magic, the version, the length of the header, and a Python literal, padded with spaces
 * so that the data begin at a multiple of 64.
 */
#ifndef HML_IO_COMMON_NPY_H
#define HML_IO_COMMON_NPY_H

#include <stddef.h>
#include <stdint.h>

enum { NPY_MAX_RANK = 4, NPY_HEADER_MAX = 10000, NPY_ROOM = 512 };

typedef struct npy_header {
    char type[16]; /* as it stands there, such as <f8 */
    char kind;     /* f, i or U; 0: a type that is not read */
    int swapped;   /* the bytes of an entry are in the other order than this machine's */
    size_t width;  /* bytes of an entry */
    int fortran;   /* column-major */
    int rank;
    uint64_t shape[NPY_MAX_RANK];
    uint64_t count;
    size_t begin; /* where the data begin */
} npy_header;

/* the first bytes of a file; 0 if they are not a header, or have more dimensions or entries than can be counted */
int hmli_npy_read(const unsigned char *data, size_t size, npy_header *h);

/* which entry of the file is the i-th in row-major order */
size_t hmli_npy_place(const npy_header *h, size_t i);

/* entry i in row-major order of numbers, kind f or i; data: where they begin */
double hmli_npy_number(const npy_header *h, const unsigned char *data, size_t i);

/* '<' or '>' */
char hmli_npy_order(void);

/* type: such as "<f8". The whole header into out; its size, a multiple of 64 */
size_t hmli_npy_write(char out[NPY_ROOM], const char *type, int rank, const size_t shape[]);

#endif
