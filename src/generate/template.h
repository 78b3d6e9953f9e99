/* Fixed text of generated files: sections of templates.txt, with names and numbers put in. */
#ifndef HML_GENERATE_TEMPLATE_H
#define HML_GENERATE_TEMPLATE_H

#include "io/common/writer.h"

enum { TEMPLATE_NAMES = 128 };

/* what stands for a name between @ signs */
typedef struct template_values {
    int count;
    const char *names[TEMPLATE_NAMES];
    char *values[TEMPLATE_NAMES];
    int failed; /* no memory */
} template_values;

/* sets a value, or sets it anew; the name is a literal */
void hmli_template_text(template_values *v, const char *name, const char *value);
void hmli_template_integer(template_values *v, const char *name, long value);
/* takes the text of a writer, and frees it */
void hmli_template_take(template_values *v, const char *name, writer *w);
void hmli_template_free(template_values *v);

/* writes a section */
void hmli_template_put(writer *w, const template_values *v, const char *section);

#endif
