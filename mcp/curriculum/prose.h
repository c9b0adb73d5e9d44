/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a reader reads as words in the parameters of a component or the members of a node. Which
 * members are words follows from the table of component types (FIELD_NOT_PROSE, choices); texts of
 * members that the table does not know are words unless their name or their beginning says
 * otherwise (svg, url, code, id, ...); the members of a node: node_field.h. Pure, any thread.
 */
#ifndef LECTERN_CURRICULUM_PROSE_H
#define LECTERN_CURRICULUM_PROSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#define PROSE_PATH_SIZE 160 /* a longer path is cut */

/* Bytes of a text that a reader sees as words. Outside: tags, entities, drawings (<svg>, <script>,
 * <style>, <pre>, <code>), targets of links, URLs, code in backticks and fences, TeX commands. A
 * span begins and ends with a character that is not a space. */
struct prose_span {
    size_t start, len;
};

struct prose_text {
    const char *path;               /* "definition", "steps.2" (from 1), "pictures.svg1.title" */
    const char *text;               /* whole; borrowed from the JSON value */
    size_t len;                     /* bytes */
    const struct prose_span *spans; /* in their order, not overlapping */
    size_t count;
    unsigned flags; /* of its row in the table, as FIELD_TERM; 0 without one */
    bool further;   /* in a field of a node that the contract does not name (node_field.h) */
};

/* A value other than 0 stops, and is returned. */
typedef int prose_visit(void *user, const struct prose_text *text);

/* Calls visit for each text of a component's parameters, in their order; a text without words has
 * count 0, and one that is not words at all is left out. type NULL: for the members of a node: its
 * title, its content, and its further fields (node_field.h) but for values for programs. Returns
 * what visit returned, or -1 if out of memory. */
int prose_each(const char *type, const json_t *parameters, prose_visit *visit, void *user);
/* The same for one member of a node. */
int prose_of_field(const char *name, const json_t *value, prose_visit *visit, void *user);

/* The spans of one text, such as a title. *count is their number; -1 if it is more than cap, of
 * which only the first cap are in spans. */
int prose_spans(const char *text, size_t len, struct prose_span *spans, size_t cap, size_t *count);

/* The length of a letter with its accent as TeX writes it, at the beginning of text: \"o, {\'e},
 * \v{C}, \'{\i}; 0 if there is none. Such a letter is part of a word. letter: its place, mark: the
 * combining character that is the accent. */
size_t prose_accent(const char *text, size_t len, size_t *letter, uint32_t *mark);

/* Words as a reader counts them: runs without a space, with a letter or a digit in them. */
size_t prose_words(const char *type, const json_t *parameters);
size_t prose_words_of(const struct prose_text *text);

/* Words of a text as a search compares them: lower case, without accents, cut to their stems
 * (Snowball), so that "Ratios" and "ratio" are the same. The stems are in one language, which a
 * curriculum names or its words show. A `struct stems` is used by one thread at a time. */

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

/* Calls visit for each word: a run of letters, digits and marks. C++ and C# are words other than C,
 * as is each letter with these signs. Where a language writes no spaces
 * (Chinese, Japanese), each character is a word. */
int stems_each(struct stems *stems, int language, const char *text, size_t len, stem_visit *visit,
               void *user);

#endif
