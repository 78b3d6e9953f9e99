/*
 * Names in a crit-bit tree: D. R. Morrison, "PATRICIA", J. ACM 15 (1968), in the form of D. J. Bernstein,
 * "Crit-bit trees" (2004). A node looks at one bit, the first in which the names on its two sides differ; a leaf is a
 * name. Looking a name up takes at most eight steps for each of its bytes, whatever the other names are: nobody can
 * choose names that make it slow, as one can for a hash table whose function is known.
 *
 * The names themselves belong to the caller, who says where the text of leaf i is: leaves count up from 0 in the order
 * they come. There are as many nodes as leaves, less one.
 */
#ifndef HML_MODEL_TRIE_H
#define HML_MODEL_TRIE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define TRIE_LEAF UINT32_C(0x80000000) /* this child is a leaf, not a node */
#define TRIE_NONE UINT32_MAX

typedef struct trie_node {
    uint32_t child[2]; /* where the bit is 0, and where it is 1 */
    uint32_t byte;     /* which byte of the name; beyond its end stand zeros */
    uint32_t bit;      /* a power of two */
} trie_node;

typedef struct trie {
    trie_node *nodes; /* the caller makes room: `leaves` of them are enough for one leaf more */
    uint32_t root, leaves;
} trie;

typedef const char *trie_text(const void *names, uint32_t leaf);

static inline int trie_side(const trie_node *node, const char *name, size_t length)
{
    return node->byte < length && ((unsigned char)name[node->byte] & node->bit);
}

/* the leaf whose name is the same if any is; there is at least one */
static inline uint32_t trie_nearest(const trie *t, const char *name, size_t length)
{
    uint32_t at = t->root;
    while (!(at & TRIE_LEAF)) at = t->nodes[at].child[trie_side(&t->nodes[at], name, length)];
    return at & ~TRIE_LEAF;
}

/* the leaf with this name, or TRIE_NONE */
static inline uint32_t trie_find(const trie *t, trie_text *text, const void *names, const char *name)
{
    if (t->leaves == 0) return TRIE_NONE;
    uint32_t leaf = trie_nearest(t, name, strlen(name));
    return strcmp(text(names, leaf), name) == 0 ? leaf : TRIE_NONE;
}

/* adds `name` as leaf t->leaves and gives TRIE_NONE; or, if it is there already, its leaf */
static inline uint32_t trie_add(trie *t, trie_text *text, const void *names, const char *name)
{
    if (t->leaves == 0) {
        t->root = TRIE_LEAF | t->leaves++;
        return TRIE_NONE;
    }
    size_t length = strlen(name);
    uint32_t leaf = trie_nearest(t, name, length), byte = 0, bit = 0x80;
    const char *other = text(names, leaf);
    while (name[byte] == other[byte]) /* both end with a zero */
        if (!name[byte++]) return leaf;
    while (!(((unsigned char)name[byte] ^ (unsigned char)other[byte]) & bit)) bit >>= 1;

    uint32_t *link = &t->root; /* nodes on the way look at bytes and bits further and further behind */
    while (!(*link & TRIE_LEAF)) {
        trie_node *node = &t->nodes[*link];
        if (node->byte > byte || (node->byte == byte && node->bit < bit)) break;
        link = &node->child[trie_side(node, name, length)];
    }
    trie_node *fresh = &t->nodes[t->leaves - 1];
    int side = ((unsigned char)name[byte] & bit) != 0;
    fresh->byte = byte;
    fresh->bit = bit;
    fresh->child[side] = TRIE_LEAF | t->leaves;
    fresh->child[!side] = *link;
    *link = t->leaves - 1;
    t->leaves++;
    return TRIE_NONE;
}

#endif
