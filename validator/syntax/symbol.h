/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The different names of a program, each once and numbered, so that two names are compared as
 * numbers and what the policy says of a name is looked up once. Names that are not ASCII are kept
 * in NFKC, the form in which Python compares them.
 */
#ifndef LECTERN_VALIDATOR_SYMBOL_H
#define LECTERN_VALIDATOR_SYMBOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "helpers/base/buf.h"

#define SYMBOL_NONE 0 /* no name; real ones begin at 1 */

struct symbol {
    uint32_t at;     /* byte of the source, or of `names` with SYMBOL_OWN */
    uint32_t hash;   /* of the text */
    uint32_t length; /* bytes */
    uint16_t flags;
};

enum symbol_flags {
    SYMBOL_OWN = 1 << 0,   /* the text was normalised or put together: it lies in `names` */
    SYMBOL_MIXED = 1 << 1, /* ASCII letters beside look-alikes of another alphabet */
};

struct symbols {
    const char *source;  /* borrowed */
    struct symbol *rows; /* owned; row 0 is SYMBOL_NONE */
    uint32_t count, size;
    uint32_t *slots; /* owned; open addressing, slot_count is a power of two */
    uint32_t slot_count;
    struct buf names;
    size_t probes; /* slots that were looked at in vain */
    bool crowded;  /* too many: the names were chosen to collide; nothing is added any more */
    bool failed;   /* no memory */
};

void symbols_init(struct symbols *symbols, const char *source);
void symbols_finish(struct symbols *symbols);

/* The number of the name source[at..at+len). non_ascii: to be normalised first. SYMBOL_NONE only
 * without memory or when crowded. */
uint32_t symbols_add(struct symbols *symbols, uint32_t at, uint32_t len, bool non_ascii);

/* The same for a text that does not stand in the source as it is, such as a dotted name with
 * blanks around a dot. It is copied. */
uint32_t symbols_add_text(struct symbols *symbols, const char *text, size_t len);

/* The number of a text, SYMBOL_NONE where the program does not hold it. */
uint32_t symbols_find(const struct symbols *symbols, const char *text, size_t len);

/* Borrowed until the next addition; not NUL-terminated. */
const char *symbols_text(const struct symbols *symbols, uint32_t symbol, size_t *len);

#endif
