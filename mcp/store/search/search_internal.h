/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The search inside the store: its index, and the rows that have words. Private to this folder.
 */
#ifndef LECTERN_STORE_SEARCH_INTERNAL_H
#define LECTERN_STORE_SEARCH_INTERNAL_H

#include "mcp/curriculum/prose.h"
#include "mcp/store/search/find.h"
#include "mcp/store/store_internal.h"

#define SEARCH_PREFIX_SIZE 24 /* "SESSION:" */
#define SEARCH_TYPE_SIZE   64

enum search_column { SEARCH_HEAD, SEARCH_TERM, SEARCH_WORDS, SEARCH_COLUMNS };

/* A row of the index is a component, or a node's own texts (component 0). */
static inline int64_t search_row_node(int64_t row)
{
    return row >> 31;
}
static inline int64_t search_row_component(int64_t row)
{
    return row & INT64_C(0x7FFFFFFF);
}

static inline int64_t search_row_last(int64_t row) /* of the same node */
{
    return row | INT64_C(0x7FFFFFFF);
}

/* ---- search_index.c ---- */

/* Makes the index of a store that was opened for writing, unless it has it. */
int search_open(struct store *store, struct error *err);
int search_rebuild(struct store *store, struct error *err);
int search_is_ready(struct store *store, bool *ready, struct error *err);
/* Whether the index has everything of the session, as read in the open transaction. */
int search_is_current(struct store *store, int64_t session, bool *current, struct error *err);
/* Before a commit: reads again what the transaction has changed. */
int search_update(struct store *store, struct error *err);

/* The beginning of each term of a session, and the marker of a component type. */
void search_prefix(char prefix[SEARCH_PREFIX_SIZE], int64_t session);
void search_marker(struct buf *to, const char *prefix, const char *type);
/* Where a text of a component or a node is found. */
enum search_column search_column_of(const struct prose_text *text);

/* ---- search_query.c: from a text to what has its words ---- */

#define SEARCH_TERMS_CAP 16 /* words and phrases of one search; later ones are left out */
#define SEARCH_TERM_SIZE                                                                           \
    200                      /* bytes of a word's or phrase's form in the index; a phrase is cut   \
                              */
#define SEARCH_FOUND_CAP 100 /* that are ranked; the others are counted */

struct search_term {
    char forms[LANGUAGES_CAP][SEARCH_TERM_SIZE]; /* with the session before each word */
    size_t form_count;
    size_t start, len; /* of its words in the text */
    bool phrase;
    bool small;
    double weight; /* the rarer, the greater */
    int64_t rows;  /* that have it */
};

struct search_query {
    struct stems *stems;
    int languages[LANGUAGES_CAP]; /* those of the session's texts */
    bool is_rare[LANGUAGES_CAP];  /* of each: in few of them */
    size_t language_count;
    char prefix[SEARCH_PREFIX_SIZE];
    struct search_term *terms; /* owned */
    size_t count;
    /* What a row must be besides. */
    const char *type;    /* a component of this type, or NULL */
    bool titles;         /* a node, with its title */
    int64_t first, last; /* rows */
};

/* A node, or a component, that has words of the query. */
struct search_found {
    int64_t key;    /* of the node, or of the row */
    int64_t row;    /* that has most */
    size_t rows;    /* of it that have any */
    unsigned terms; /* a bit for each term */
    bool defines;   /* row is a definition of the words */
    bool titled;    /* the node's title has them all */
    enum search_tier { SEARCH_OTHER, SEARCH_EQUAL_TERM, SEARCH_EQUAL_TITLE } tier;
    double score; /* within the tier */
};

struct search_result {
    struct search_found *found; /* owned */
    size_t count;
    bool more; /* not all were looked at, as the first ones are better */
};

/* Reads the text. ERROR_INVALID if it has no words. */
int search_query_begin(struct search_query *query, struct store *store, int64_t session,
                       const char *text, struct error *err);
void search_query_finish(struct search_query *query);
/* Finds nodes, or with by_row components. best: the best ones are enough, `wanted` of them, in
 * their order; else all that have every word, or if there are none those that have any, by their
 * keys. */
int search_find(struct search_query *query, struct store *store, bool by_row, bool best,
                size_t wanted, struct search_result *result, struct error *err);

/* All rows that a query of the index finds, by their keys. */
int search_list(struct store *store, const struct search_query *rows, const char *match,
                struct search_result *result, struct error *err);
/* The sum of the weights of the terms that a text has; *words: how many of its words they are. */
double search_shared(struct search_query *query, const char *text, size_t len, size_t *words);
/* Whether a word of a text is one of the query's. */
bool search_is_term(struct search_query *query, const char *text, size_t len, size_t *term);

/* ---- search_excerpt.c ---- */

#define EXCERPT_WORDS 18 /* that are shown at most */

/* Appends the words around those of the query (in brackets) in the text of the body that has most
 * of them, and sets path to its name. type NULL: a node. field: only in the texts of this name; or
 * NULL. Returns how many terms it has, 0 if none, or -1. */
int search_excerpt(struct search_query *query, const char *type, const json_t *body,
                   const char *field, char path[PROSE_PATH_SIZE], struct buf *to);
/* Appends the first words of a body. */
int search_beginning(const char *type, const json_t *body, struct buf *to);
/* Likewise of one member of a node. */
int search_beginning_of_field(const char *name, const json_t *value, struct buf *to);

/* ---- search_order.c ---- */

struct search_lesson {
    int64_t key;
    const char *node_id, *changed; /* in strings */
    size_t rank;                   /* in teaching order, from 0 */
    int64_t words;
};
struct search_lessons { /* by key */
    struct search_lesson *rows;
    size_t count;
    struct buf strings;
};
/* All lessons of a session, as the sort needs. */
int search_lessons_read(struct search_lessons *lessons, struct store *store, int64_t session,
                        enum find_sort sort, struct error *err);
void search_lessons_finish(struct search_lessons *lessons);
const struct search_lesson *search_lesson(const struct search_lessons *lessons, int64_t key);

/* ---- find_lesson.c ---- */

/* Appends one lesson; whole: NULL, "all", or the component type whose components are shown whole;
 * only: as in struct find_request.
 */
int find_lesson(struct store *store, const struct session_found *session, const char *node_id,
                const char *whole, const char *only, struct buf *json, struct error *err);

#endif
