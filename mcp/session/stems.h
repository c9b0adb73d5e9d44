/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Words of a text as a search compares them: lower case, without accents, cut to their stems
 * (Snowball), so that "Ratios" and "ratio" are the same. The stems are in one language, which a
 * curriculum names or its words show. A `struct stems` is used by one thread at a time.
 */
#ifndef LECTERN_SESSION_STEMS_H
#define LECTERN_SESSION_STEMS_H

#include <stdbool.h>
#include <stddef.h>

#define STEM_MAX      64 /* bytes; a longer word is cut */
#define LANGUAGES_CAP 8
#define LANGUAGE_NONE (-1) /* words are not cut to stems */

struct stems;

struct stems *stems_new(void);        /* NULL if out of memory */
void stems_free(struct stems *stems); /* takes NULL */

/* 0 to LANGUAGES_CAP - 1. The language of a name or a code ("en", "en-GB", "English", "Deutsch");
 * LANGUAGE_NONE for another one. */
int language_named(const char *name);
/* The one with the most little words in the text; `usual` unless another one has far more, or
 * LANGUAGE_NONE, if there is none. */
int language_of(const char *text, size_t len, int usual);
const char *language_code(int language); /* "en" */

/* One word of a text: its bytes, and its stem, which lasts until the next one. small: one of the
 * little words of its language, such as "the". */
struct stem {
    size_t start, len;
    const char *stem; /* NUL-terminated */
    bool small;
};

/* A value other than 0 stops, and is returned. */
typedef int stem_visit(void *user, const struct stem *stem);

/* Calls visit for each word: a run of letters, digits and marks. Where a language writes no spaces
 * (Chinese, Japanese), each character is a word. */
int stems_each(struct stems *stems, int language, const char *text, size_t len, stem_visit *visit,
               void *user);

#endif
