/* Mistyped names: which name of the builder was meant. */
#ifndef HMLI_MODEL_NEAR_H
#define HMLI_MODEL_NEAR_H

#include "model/builder.h"

typedef enum near_kind { NEAR_BODY, NEAR_JOINT, NEAR_PLACE } near_kind; /* a place is a body or a frame */

enum { NEAR_WORD = 64, NEAR_TEXT = NEAR_WORD + 24 };

/* "; did you mean 'trunk'?", written into text, or "" where no name is near */
const char *hmli_near(const hml_builder *b, near_kind kind, const char *word, char text[NEAR_TEXT]);

#endif
