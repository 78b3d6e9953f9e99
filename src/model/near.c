/* The name of a builder's that is nearest to a mistyped one. */
#include "model/near.h"

#include <stdio.h>
#include <string.h>

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* insertions, deletions, exchanges, and swaps of neighbours; NEAR_WORD where a word is too long or the limit is passed */
static size_t edits(const char *from, const char *to, size_t limit)
{
    size_t rows[3][NEAR_WORD + 1];
    const size_t m = strlen(from), n = strlen(to);
    if (m > NEAR_WORD || n > NEAR_WORD || (m > n ? m - n : n - m) >= limit) return NEAR_WORD;
    for (size_t i = 0; i <= m; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];
        for (size_t j = 0; j <= n; j++) {
            if (i == 0 || j == 0) {
                row[j] = i + j;
                continue;
            }
            row[j] = least(above[j - 1] + (from[i - 1] != to[j - 1]), least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1])
                row[j] = least(row[j], two_above[j - 2] + 1);
        }
    }
    return rows[m % 3][n];
}

const char *hmli_near(const hml_builder *b, near_kind kind, const char *word, char text[NEAR_TEXT])
{
    const char *nearest = NULL;
    size_t best = strlen(word) / 3 + 2; /* farther away it is another word */
    const size_t n = b->nlinks + (kind == NEAR_PLACE ? b->nframes : 0);
    for (size_t i = 0; i < n; i++) {
        const builder_link *link = i < b->nlinks ? &b->links[i] : NULL;
        const uint32_t name = !link                ? b->frames[i - b->nlinks].name
                              : kind == NEAR_JOINT ? link->joint_name
                                                   : link->name;
        const size_t away = name == NO_TEXT ? NEAR_WORD : edits(word, builder_text(b, name), best);
        if (away > 0 && away < best && away < strlen(builder_text(b, name))) {
            best = away;
            nearest = builder_text(b, name);
        }
    }
    text[0] = 0;
    if (nearest) snprintf(text, NEAR_TEXT, "; did you mean '%s'?", nearest);
    return text;
}
