/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The words around a place that a search has found, as a reader sees them. Pure.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "mcp/store/search/search_internal.h"

#define WORDS_CAP    4000 /* of one text that are looked at */
#define WORDS_BEFORE 5
#define NO_TERM      SIZE_MAX
#define BEGINS_WITH  9 /* words */
#define TELLS_LITTLE 6 /* words; a text with fewer is followed by the next one */

struct excerpt_word {
    size_t start, len, span, term; /* term: of the query, or NO_TERM */
};

struct excerpt {
    struct search_query *query;
    const char *field;
    char *path;
    struct buf *to;
    int terms;   /* that the best text so far has */
    size_t room; /* words that the text after it may add, if it follows */
    struct excerpt_word *words;
    size_t count;
    /* Of the text that is read. */
    const struct prose_text *text;
    size_t span;
};

static int take_word(void *user, const struct stem *stem)
{
    struct excerpt *excerpt = user;
    const struct prose_span *span = &excerpt->text->spans[excerpt->span];
    struct excerpt_word *word = &excerpt->words[excerpt->count];

    if (excerpt->count == WORDS_CAP)
        return 1;
    *word = (struct excerpt_word){span->start + stem->start, stem->len, excerpt->span, NO_TERM};
    excerpt->count++;
    return 0;
}

static void read_words(struct excerpt *excerpt, const struct prose_text *text)
{
    struct search_query *query = excerpt->query;

    excerpt->text = text;
    excerpt->count = 0;
    for (excerpt->span = 0; excerpt->span < text->count; excerpt->span++)
        stems_each(query->stems, LANGUAGE_NONE, text->text + text->spans[excerpt->span].start,
                   text->spans[excerpt->span].len, take_word, excerpt);
    for (size_t i = 0; i < excerpt->count; i++) {
        struct excerpt_word *word = &excerpt->words[i];
        size_t term;

        if (search_is_term(query, text->text + word->start, word->len, &term))
            word->term = term;
    }
}

static int count_terms(const struct excerpt *excerpt, size_t from, size_t to)
{
    unsigned seen = 0;

    for (size_t i = from; i < to && i < excerpt->count; i++)
        if (excerpt->words[i].term != NO_TERM)
            seen |= 1u << excerpt->words[i].term;
    return __builtin_popcount(seen);
}

/* Bytes of a text on one line: spaces count as one, which is written before the next word. */
static void add_bytes(struct excerpt *excerpt, size_t from, size_t to, bool *space)
{
    for (size_t at = from; at < to; at++) {
        char c = excerpt->text->text[at];

        if ((unsigned char)c <= ' ') {
            *space = true;
            continue;
        }
        if (*space)
            buf_addc(excerpt->to, ' ');
        *space = false;
        buf_addc(excerpt->to, c);
    }
}

/* Whether the part that is no word is TeX, which is shown too: without it a formula is wrong. */
static bool is_tex(const struct excerpt *excerpt, size_t from, size_t to)
{
    while (from < to && (unsigned char)excerpt->text->text[from] <= ' ')
        from++;
    return from < to && excerpt->text->text[from] == '\\';
}

/* What a reader sees between two words. What is no word between them, such as a tag, separates them
 * if a letter follows. */
static void add_between(struct excerpt *excerpt, const struct excerpt_word *one,
                        const struct excerpt_word *next)
{
    const struct prose_span *spans = excerpt->text->spans;
    size_t from = one->start + one->len;
    bool space = false;

    if (one->span == next->span ||
        is_tex(excerpt, spans[one->span].start + spans[one->span].len, spans[next->span].start)) {
        add_bytes(excerpt, from, next->start, &space);
    } else {
        size_t end = spans[one->span].start + spans[one->span].len, begin = spans[next->span].start;

        add_bytes(excerpt, from, end, &space);
        space = space || begin == next->start;
        for (size_t at = end; !space && at < begin; at++)
            space = (unsigned char)excerpt->text->text[at] <= ' ';
        add_bytes(excerpt, begin, next->start, &space);
    }
    if (space)
        buf_addc(excerpt->to, ' ');
}

/* What stands without a space before the first word or behind the last one, if it is of a formula:
 * its beginning or its end. */
static void add_edge(struct excerpt *excerpt, size_t from, size_t to)
{
    const char *text = excerpt->text->text;
    bool space = false;

    for (size_t at = from; at < to; at++) {
        if (strchr("\\{}$", text[at]) && text[at]) {
            add_bytes(excerpt, from, to, &space);
            return;
        }
    }
}

static void add_before(struct excerpt *excerpt, size_t i)
{
    const struct excerpt_word *word = &excerpt->words[i];
    size_t least = i > 0 ? word[-1].start + word[-1].len : 0, from = word->start;

    while (from > least && (unsigned char)excerpt->text->text[from - 1] > ' ')
        from--;
    add_edge(excerpt, from, word->start);
}

static void add_behind(struct excerpt *excerpt, size_t i)
{
    const struct excerpt_word *word = &excerpt->words[i];
    size_t from = word->start + word->len, to = from;
    size_t most = i + 1 < excerpt->count ? word[1].start : excerpt->text->len;

    while (to < most && (unsigned char)excerpt->text->text[to] > ' ')
        to++;
    add_edge(excerpt, from, to);
}

static void write_words(struct excerpt *excerpt, size_t from, size_t to)
{
    buf_adds(excerpt->to, from > 0 ? "... " : "");
    if (from < to)
        add_before(excerpt, from);
    for (size_t i = from; i < to; i++) {
        const struct excerpt_word *word = &excerpt->words[i];
        bool marked = word->term != NO_TERM;

        if (i > from)
            add_between(excerpt, &word[-1], word);
        buf_adds(excerpt->to, marked ? "[" : "");
        buf_add(excerpt->to, excerpt->text->text + word->start, word->len);
        buf_adds(excerpt->to, marked ? "]" : "");
    }
    if (from < to)
        add_behind(excerpt, to - 1);
    buf_adds(excerpt->to, to < excerpt->count ? " ..." : "");
}

/* The first word of the window that has most terms. */
static size_t best_window(const struct excerpt *excerpt)
{
    size_t best = 0;
    int most = -1;

    for (size_t i = 0; i < excerpt->count; i++) {
        int terms;

        if (excerpt->words[i].term == NO_TERM)
            continue;
        terms = count_terms(excerpt, i, i + EXCERPT_WORDS - WORDS_BEFORE);
        if (terms > most) {
            most = terms;
            best = i;
        }
    }
    return best;
}

static bool is_field(const char *path, const char *field)
{
    const char *last = strrchr(path, '.');
    size_t len = strlen(field);

    return (strncasecmp(path, field, len) == 0 && (!path[len] || path[len] == '.')) ||
           (last && strcasecmp(last + 1, field) == 0);
}

/* A term, a label: what it stands for is in the text that follows. */
static void add_following(struct excerpt *excerpt)
{
    if (excerpt->room == 0 || excerpt->count == 0)
        return;
    buf_adds(excerpt->to, ": ");
    write_words(excerpt, 0, excerpt->room < excerpt->count ? excerpt->room : excerpt->count);
    excerpt->room = 0;
}

static int take_text(void *user, const struct prose_text *text)
{
    struct excerpt *excerpt = user;
    size_t at, from, to;
    int terms;

    if (excerpt->field && !is_field(text->path, excerpt->field))
        return 0;
    read_words(excerpt, text);
    terms = count_terms(excerpt, 0, excerpt->count);
    if (terms <= excerpt->terms) {
        add_following(excerpt);
        return 0;
    }
    excerpt->terms = terms;
    snprintf(excerpt->path, PROSE_PATH_SIZE, "%s", text->path);
    at = best_window(excerpt);
    from = at > WORDS_BEFORE ? at - WORDS_BEFORE : 0;
    to = from + EXCERPT_WORDS < excerpt->count ? from + EXCERPT_WORDS : excerpt->count;
    buf_clear(excerpt->to);
    write_words(excerpt, from, to);
    excerpt->room = excerpt->count < TELLS_LITTLE ? EXCERPT_WORDS - excerpt->count : 0;
    return 0;
}

int search_excerpt(struct search_query *query, const char *type, const json_t *body,
                   const char *field, char path[PROSE_PATH_SIZE], struct buf *to)
{
    struct excerpt excerpt = {.query = query, .field = field, .path = path, .to = to};
    int rc;

    excerpt.words = malloc(WORDS_CAP * sizeof *excerpt.words);
    if (!excerpt.words)
        return -1;
    rc = prose_each(type, type ? json_object_get(body, "parameters") : body, take_text, &excerpt);
    free(excerpt.words);
    return rc < 0 || to->failed ? -1 : excerpt.terms;
}

/* ---- the beginning of a component ---- */

struct beginning {
    struct buf *to;
    size_t words;
};

static int begin_text(void *user, const struct prose_text *text)
{
    struct beginning *beginning = user;

    for (size_t i = 0; i < text->count; i++) {
        const char *at = text->text + text->spans[i].start, *end = at + text->spans[i].len;

        while (at < end) {
            const char *from = at;

            while (at < end && (unsigned char)*at > ' ')
                at++;
            if (at > from && beginning->words++ == BEGINS_WITH) {
                buf_adds(beginning->to, " ...");
                return 1;
            }
            buf_adds(beginning->to, at > from && beginning->words > 1 ? " " : "");
            buf_add(beginning->to, from, (size_t)(at - from));
            while (at < end && (unsigned char)*at <= ' ')
                at++;
        }
    }
    return 0;
}

int search_beginning_of_field(const char *name, const json_t *value, struct buf *to)
{
    struct beginning beginning = {.to = to};

    return prose_of_field(name, value, begin_text, &beginning) < 0 ? -1 : 0;
}

int search_beginning(const char *type, const json_t *body, struct buf *to)
{
    struct beginning beginning = {.to = to};

    return prose_each(type, type ? json_object_get(body, "parameters") : body, begin_text,
                      &beginning) < 0
               ? -1
               : 0;
}
