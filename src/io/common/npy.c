/* The header of an NPY file. See npy.h. Files are not trusted. */
#include "io/common/npy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NPY_ALIGN = 64, NPY_PREAMBLE = 10 };

char hmli_npy_order(void)
{
    const uint16_t one = 1;
    return *(const unsigned char *)&one ? '<' : '>';
}

/* ---- reading ---- */

/* the text after 'key': in the header's dictionary */
static const char *value_of(const char *text, const char *key)
{
    char quoted[32];
    snprintf(quoted, sizeof quoted, "'%s':", key);
    const char *found = strstr(text, quoted);
    if (!found) return NULL;
    found += strlen(quoted);
    return found + strspn(found, " ");
}

/* "(3, 4)"; 0 if it is not a shape */
static int read_shape(const char *text, npy_header *h)
{
    if (!text || *text++ != '(') return 0;
    h->count = 1;
    for (h->rank = 0;; h->rank++) {
        text += strspn(text, " ,");
        if (*text == ')') return 1;
        char *end;
        unsigned long long n = strtoull(text, &end, 10);
        if (end == text || *text == '-' || h->rank == NPY_MAX_RANK || (n && h->count > (UINT64_MAX >> 8) / n)) return 0;
        text = end;
        h->shape[h->rank] = n;
        h->count *= n;
    }
}

/* "'<f8'"; 0 if it is not a type at all; the kind stays 0 for one that is not read */
static int read_type(const char *text, npy_header *h)
{
    if (!text || *text != '\'') {
        snprintf(h->type, sizeof h->type, "a record");
        return text != NULL;
    }
    size_t length = strcspn(++text, "'");
    snprintf(h->type, sizeof h->type, "%.*s", (int)(length < sizeof h->type ? length : sizeof h->type - 1), text);
    if (!*text || !strchr("<>|=", *text)) return 1;
    char order = *text++, kind = *text++, *end;
    unsigned long width = strtoul(text, &end, 10);
    if (end == text || *end != '\'' || width == 0 || width >= 100000) return 1;
    h->width = width;
    h->swapped = (order == '<' || order == '>') && order != hmli_npy_order();
    if (kind == 'U') h->width *= 4;
    if (kind == 'U' || ((kind == 'f' || kind == 'i') && (width == 8 || width == 4))) h->kind = kind;
    return 1;
}

int hmli_npy_read(const unsigned char *data, size_t size, npy_header *h)
{
    memset(h, 0, sizeof *h);
    if (size < 12 || memcmp(data, "\x93NUMPY", 6) != 0 || data[6] < 1 || data[6] > 3) return 0;
    size_t length = data[8] | (size_t)data[9] << 8, at = 10;
    if (data[6] > 1) length |= (size_t)data[10] << 16 | (size_t)data[11] << 24, at = 12;
    if (length > NPY_HEADER_MAX || length > size - at) return 0;
    char text[NPY_HEADER_MAX + 1];
    memcpy(text, data + at, length);
    text[length] = 0;
    const char *fortran = value_of(text, "fortran_order");
    if (!fortran || !read_type(value_of(text, "descr"), h) || !read_shape(value_of(text, "shape"), h)) return 0;
    h->fortran = strncmp(fortran, "True", 4) == 0;
    h->begin = at + length;
    return 1;
}

/* ---- entries ---- */

size_t hmli_npy_place(const npy_header *h, size_t i)
{
    if (!h->fortran || h->rank < 2) return i;
    size_t at = 0, index[NPY_MAX_RANK];
    for (int k = h->rank - 1; k >= 0; k--) {
        index[k] = i % (size_t)h->shape[k];
        i /= (size_t)h->shape[k];
    }
    for (int k = h->rank - 1; k >= 0; k--) at = at * (size_t)h->shape[k] + index[k];
    return at;
}

static double number(const npy_header *h, const unsigned char *entry)
{
    unsigned char bytes[8];
    for (size_t k = 0; k < h->width; k++) bytes[k] = entry[h->swapped ? h->width - 1 - k : k];
    double f8;
    float f4;
    int64_t i8;
    int32_t i4;
    if (h->kind == 'f' && h->width == 8) return memcpy(&f8, bytes, 8), f8;
    if (h->kind == 'f') return memcpy(&f4, bytes, 4), (double)f4;
    if (h->width == 8) return memcpy(&i8, bytes, 8), (double)i8;
    return memcpy(&i4, bytes, 4), (double)i4;
}

double hmli_npy_number(const npy_header *h, const unsigned char *data, size_t i)
{
    return number(h, data + hmli_npy_place(h, i) * h->width);
}

/* ---- writing ---- */

size_t hmli_npy_write(char out[NPY_ROOM], const char *type, int rank, const size_t shape[])
{
    char sizes[128] = "", header[NPY_ROOM - NPY_ALIGN];
    size_t used = 0;
    for (int i = 0; i < rank && i < NPY_MAX_RANK; i++) {
        used += (size_t)snprintf(sizes + used, sizeof sizes - used, "%zu,%s", shape[i], i + 1 < rank ? " " : "");
    }
    int length =
        snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", type, sizes);
    size_t begin = (NPY_PREAMBLE + (size_t)length + 1 + NPY_ALIGN - 1) / NPY_ALIGN * NPY_ALIGN;
    size_t rest = begin - NPY_PREAMBLE;
    memset(out, ' ', begin);
    memcpy(out, "\x93NUMPY\x01\x00", 8);
    out[8] = (char)(rest & 0xff);
    out[9] = (char)(rest >> 8);
    memcpy(out + NPY_PREAMBLE, header, (size_t)length);
    out[begin - 1] = '\n';
    return begin;
}
