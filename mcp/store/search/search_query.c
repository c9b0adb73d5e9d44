/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A search: the text of a person or a model as terms, the queries of the index for them, and the
 * rank of what they find. Nothing in the text is a query language, but that "words in quotes" stand
 * together.
 *
 * A word that thousands of rows have costs milliseconds, so the rows are looked for where it takes
 * fewest steps first: in titles and terms; where all words are; where a rare one is.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "helpers/base/array.h"
#include "mcp/store/search/search_internal.h"

#define PAIR_DISTANCE 2 /* words, in which two that follow one another in the text are a pair */
#define PAIR_WEIGHT   1.5
#define ROW_PART      0.5  /* of the best row's own rank in that of a lesson */
#define ROWS_AT_ONCE  3000 /* rows with any of the words that are all looked at */
/* A language with less than this part of the texts of the most frequent one is rare: a single text,
 * or a line of code that was taken for one. Small words are those of the other languages. */
#define RARE_LANGUAGE 20
#define PHRASES_CAP   (SEARCH_TERMS_CAP * LANGUAGES_CAP + 2)

/* ---- reading the text ---- */

static int count_rows(struct store *store, const char *term, int64_t *rows, struct error *err)
{
    return db_number(store->db, rows, err, SQL_SEARCH_TERM, "s", term);
}

/* The languages of which the session has texts; that of most other texts if it has none. */
static int read_languages(struct search_query *query, struct store *store, struct error *err)
{
    int64_t rows_of[LANGUAGES_CAP], most = 0;

    for (int i = 0; *language_code(i); i++) {
        char term[SEARCH_TERM_SIZE];
        int64_t rows;

        snprintf(term, sizeof term, "%s@@%s", query->prefix, language_code(i));
        if (count_rows(store, term, &rows, err) < 0)
            return -1;
        if (rows == 0)
            continue;
        most = rows > most ? rows : most;
        rows_of[query->language_count] = rows;
        query->languages[query->language_count++] = i;
    }
    for (size_t i = 0; i < query->language_count; i++)
        query->is_rare[i] = rows_of[i] < most / RARE_LANGUAGE;
    if (query->language_count == 0)
        query->languages[query->language_count++] = LANGUAGE_NONE;
    return 0;
}

struct reader {
    struct search_query *query;
    size_t next;            /* place of the next word of this segment in this language */
    size_t base;            /* offset of the segment in the text */
    bool rare;              /* the language has no say in which words are small */
    struct search_term *in; /* the phrase that is read, or NULL */
    bool small;             /* the words so far are all small */
};

static bool add_form(struct search_term *term, const char *form)
{
    for (size_t i = 0; i < term->form_count; i++)
        if (strcmp(term->forms[i], form) == 0)
            return true;
    snprintf(term->forms[term->form_count++], SEARCH_TERM_SIZE, "%s", form);
    return true;
}

static int add_word(void *user, const struct stem *stem)
{
    struct reader *reader = user;
    struct search_query *query = reader->query;
    struct search_term *term;
    char form[SEARCH_TERM_SIZE];

    if (reader->next == SEARCH_TERMS_CAP)
        return 0;
    term = &query->terms[reader->next++];
    if (reader->next > query->count)
        query->count = reader->next;
    term->start = reader->base + stem->start;
    term->len = stem->len;
    if (term->form_count == 0)
        term->small = true;
    term->small = term->small && (reader->rare || stem->small);
    snprintf(form, sizeof form, "%s%s", query->prefix, stem->stem);
    add_form(term, form);
    return 0;
}

static int add_to_phrase(void *user, const struct stem *stem)
{
    struct reader *reader = user;
    struct search_term *term = reader->in;
    char *form = term->forms[term->form_count];
    size_t len = strlen(form);

    if (len + strlen(reader->query->prefix) + strlen(stem->stem) + 2 < SEARCH_TERM_SIZE)
        snprintf(form + len, SEARCH_TERM_SIZE - len, "%s%s%s", len > 0 ? " " : "",
                 reader->query->prefix, stem->stem);
    return 0;
}

static void read_phrase(struct search_query *query, const char *text, size_t len, size_t base)
{
    struct search_term *term = &query->terms[query->count];
    struct reader reader = {.query = query, .base = base, .in = term};

    if (query->count == SEARCH_TERMS_CAP)
        return;
    term->phrase = true;
    term->start = base;
    term->len = len;
    for (size_t i = 0; i < query->language_count; i++) {
        stems_each(query->stems, query->languages[i], text, len, add_to_phrase, &reader);
        if (*term->forms[term->form_count])
            term->form_count++;
    }
    query->count += term->form_count > 0;
}

static void read_words(struct search_query *query, const char *text, size_t len, size_t base)
{
    size_t first = query->count;

    for (size_t i = 0; i < query->language_count; i++) {
        struct reader reader = {
            .query = query, .next = first, .base = base, .rare = query->is_rare[i]};

        stems_each(query->stems, query->languages[i], text, len, add_word, &reader);
    }
}

/* With one of these a text asks for a definition, as its first word that is not small. */
static const char asking_words[] =
    " define definition definitions meaning explain explanation bedeutung definiere erklärung"
    " définition définir définis signification definición definir significado definição"
    " definizione ";

static bool is_asking(const char *text, const struct search_term *term)
{
    for (const char *at = asking_words + 1; *at; at = strchr(at, ' ') + 1)
        if (strcspn(at, " ") == term->len && strncasecmp(at, text + term->start, term->len) == 0)
            return true;
    return false;
}

/* "definition of a sheaf" asks for a sheaf. */
static void drop_asking(struct search_query *query, const char *text)
{
    struct search_term *first = NULL;
    size_t large = 0;

    for (size_t i = 0; i < query->count; i++) {
        struct search_term *term = &query->terms[i];

        if (term->small && !term->phrase)
            continue;
        if (large++ == 0 && !term->phrase && is_asking(text, term))
            first = term;
    }
    if (first && large > 1)
        first->small = true;
}

/* Without the small words, unless there are no others; and each word once. */
static void drop_small(struct search_query *query)
{
    size_t kept = 0, large = 0;

    for (size_t i = 0; i < query->count; i++)
        large += !query->terms[i].small || query->terms[i].phrase;
    for (size_t i = 0; i < query->count; i++) {
        struct search_term *term = &query->terms[i];
        bool again = large > 0 && term->small && !term->phrase;

        for (size_t j = 0; !again && j < kept; j++)
            again = strcmp(query->terms[j].forms[0], term->forms[0]) == 0;
        if (!again && kept++ != i)
            query->terms[kept - 1] = *term;
    }
    query->count = kept;
}

static int weigh(struct search_query *query, struct store *store, struct error *err)
{
    int64_t rows, all = 1;

    for (size_t i = 0; i < query->count; i++) {
        struct search_term *term = &query->terms[i];

        term->rows = 0;
        for (size_t j = 0; !term->phrase && j < term->form_count; j++) {
            if (count_rows(store, term->forms[j], &rows, err) < 0)
                return -1;
            term->rows += rows;
        }
        all = term->rows > all ? term->rows : all;
    }
    for (size_t i = 0; i < query->count; i++)
        query->terms[i].weight = log(1.5 + (double)(all + 20) / (double)(query->terms[i].rows + 1));
    return 0;
}

/* The length up to a quote, or to the end. One behind a backslash is an accent of TeX. */
static size_t to_quote(const char *text)
{
    size_t at = strcspn(text, "\"");

    while (text[at] && at > 0 && text[at - 1] == '\\')
        at += 1 + strcspn(text + at + 1, "\"");
    return at;
}

int search_query_begin(struct search_query *query, struct store *store, int64_t session,
                       const char *text, struct error *err)
{
    *query = (struct search_query){.stems = stems_new(), .last = INT64_MAX};
    query->terms = calloc(SEARCH_TERMS_CAP, sizeof *query->terms);
    if (!query->stems || !query->terms)
        return error_set(err, ERROR_MEMORY, "out of memory for a search");
    search_prefix(query->prefix, session);
    if (read_languages(query, store, err) < 0)
        return -1;
    for (const char *at = text; *at;) {
        size_t skip = *at == '"', len = to_quote(at + skip);
        bool phrase = skip > 0 && at[skip + len];

        (phrase ? read_phrase : read_words)(query, at + skip, len, (size_t)(at - text) + skip);
        at += skip + len + phrase;
    }
    drop_asking(query, text);
    drop_small(query);
    if (query->count == 0)
        return error_set_at(err, "text",
                            "text has no word: send words that a lesson has, such as equivalent "
                            "fractions; a phrase in \"double quotes\".");
    return weigh(query, store, err);
}

void search_query_finish(struct search_query *query)
{
    stems_free(query->stems);
    free(query->terms);
}

/* ---- what the index finds ---- */

struct finder {
    struct search_query *query;
    struct search_result *result;
    bool by_row;
    int phrases[PHRASES_CAP]; /* the term of each phrase of the query that runs; -1: a marker */
    size_t phrase_count;
    bool starved;
    /* The row whose places come. */
    int64_t row;
    double best[SEARCH_TERMS_CAP]; /* of its terms */
    unsigned places[SEARCH_TERMS_CAP];
    unsigned in_term, in_head; /* a bit for each term */
    unsigned pairs; /* a bit for each term that the one before it in the text stands before */
    int last_term, last_column, last_offset;
    /* Of each of result->found: the best of each term in any of its rows. */
    struct weights {
        float of[SEARCH_TERMS_CAP];
        double row_score;
    } * weights;
};

/* How much a place says: a title, a term that is defined, a heading, the beginning of a text. */
static double place_weight(int64_t row, int column, int offset)
{
    bool node = search_row_component(row) == 0;

    if (column == SEARCH_TERM)
        return 4.5;
    if (column == SEARCH_HEAD)
        return node ? 5.0 : 3.0;
    return 1.0 + 0.5 / (1.0 + offset / 16.0);
}

static size_t place_of(const struct search_result *result, int64_t key)
{
    size_t from = 0, to = result->count;

    if (to > 0 && result->found[to - 1].key < key)
        return to;
    while (from < to) {
        size_t middle = (from + to) / 2;

        if (result->found[middle].key < key)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* The one with this key, made if there is none. Keys are ordered. */
static struct search_found *open_found(struct finder *finder, int64_t key)
{
    struct search_result *result = finder->result;
    size_t at = place_of(result, key);

    if (at < result->count && result->found[at].key == key)
        return &result->found[at];
    if (!ARRAY_ROOM(result->found, result->count) || !ARRAY_ROOM(finder->weights, result->count)) {
        finder->starved = true;
        return NULL;
    }
    memmove(result->found + at + 1, result->found + at,
            (result->count - at) * sizeof *result->found);
    memmove(finder->weights + at + 1, finder->weights + at,
            (result->count - at) * sizeof *finder->weights);
    result->count++;
    result->found[at] = (struct search_found){.key = key};
    finder->weights[at] = (struct weights){0};
    return &result->found[at];
}

/* The row is complete: adds it to what it belongs to. */
static void close_row(struct finder *finder)
{
    struct search_query *query = finder->query;
    struct search_found *found;
    struct weights *weights;
    const unsigned all = (1u << query->count) - 1;
    const bool defines = finder->in_term == all;
    double score = 0;

    if (finder->row < 0)
        return;
    found = open_found(finder, finder->by_row ? finder->row : search_row_node(finder->row));
    if (!found)
        return;
    weights = &finder->weights[found - finder->result->found];
    for (size_t i = 0; i < query->count; i++) {
        double more = finder->places[i] > 1 ? finder->places[i] - 1 : 0;
        double weight = finder->best[i] + (more > 3 ? 3 : more) * 0.15;

        if (finder->best[i] == 0)
            continue;
        found->terms |= 1u << i;
        if (finder->pairs >> i & 1u)
            weight += PAIR_WEIGHT * finder->best[i];
        score += weight * query->terms[i].weight;
        if (weight > weights->of[i])
            weights->of[i] = (float)weight;
    }
    found->rows++;
    found->titled |= search_row_component(finder->row) == 0 && finder->in_head == all;
    if (score > weights->row_score || (defines && !found->defines)) {
        weights->row_score = score;
        found->row = finder->row;
        found->defines = defines;
    }
}

static void begin_row(struct finder *finder, int64_t row)
{
    finder->row = row;
    finder->pairs = finder->in_term = finder->in_head = 0;
    finder->last_term = -2;
    memset(finder->best, 0, sizeof finder->best);
    memset(finder->places, 0, sizeof finder->places);
}

static void on_hit(void *user, int64_t row, int phrase, int column, int offset)
{
    struct finder *finder = user;
    int term = (size_t)phrase < finder->phrase_count ? finder->phrases[phrase] : -1;
    double weight;

    if (term < 0 || (finder->query->titles && search_row_component(row) > 0))
        return;
    if (row != finder->row) {
        close_row(finder);
        begin_row(finder, row);
    }
    weight = place_weight(row, column, offset);
    if (weight > finder->best[term])
        finder->best[term] = weight;
    finder->places[term]++;
    if (column == SEARCH_TERM)
        finder->in_term |= 1u << term;
    if (column == SEARCH_HEAD)
        finder->in_head |= 1u << term;
    if (term == finder->last_term + 1 && column == finder->last_column &&
        offset <= finder->last_offset + PAIR_DISTANCE)
        finder->pairs |= 1u << term;
    finder->last_term = term;
    finder->last_column = column;
    finder->last_offset = offset;
}

/* ---- the queries: bits of `all` are terms that a row must have, of `any` those of which it needs
 * one ---- */

static void add_term(struct finder *finder, size_t term, struct buf *to)
{
    const struct search_term *it = &finder->query->terms[term];

    buf_addc(to, '(');
    for (size_t i = 0; i < it->form_count; i++) {
        buf_addf(to, "%s\"%s\"", i > 0 ? " OR " : "", it->forms[i]);
        finder->phrases[finder->phrase_count++] = (int)term;
    }
    buf_addc(to, ')');
}

static void add_terms(struct finder *finder, unsigned terms, const char *between, struct buf *to)
{
    bool first = true;

    buf_addc(to, '(');
    for (size_t i = 0; i < finder->query->count; i++) {
        if (!(terms >> i & 1u))
            continue;
        buf_adds(to, first ? "" : between);
        add_term(finder, i, to);
        first = false;
    }
    buf_addc(to, ')');
}

static int look(struct finder *finder, struct store *store, bool heads, unsigned all, unsigned any,
                struct error *err)
{
    const struct search_query *query = finder->query;
    struct buf BUF_AUTO match = {0};
    int rc;

    finder->phrase_count = 0;
    if (query->type && !heads) {
        buf_addc(&match, '"');
        search_marker(&match, query->prefix, query->type);
        buf_adds(&match, "\" AND ");
        finder->phrases[finder->phrase_count++] = -1;
    }
    if (query->titles)
        buf_adds(&match, "{head} : (");
    else
        buf_adds(&match, heads ? "{head term} : (" : "(");
    if (all)
        add_terms(finder, all, " AND ", &match);
    if (any) {
        buf_adds(&match, all ? " AND " : "");
        add_terms(finder, any, " OR ", &match);
    }
    buf_addc(&match, ')');
    if (buf_check(&match, "a search", err) < 0)
        return -1;
    finder->row = -1;
    rc = store->db->backend->search(store->db, match.data, query->first, query->last, on_hit,
                                    finder, err);
    close_row(finder);
    finder->row = -1;
    if (finder->starved)
        return error_set(err, ERROR_MEMORY, "out of memory for a search");
    return rc;
}

/* Those with any of the words: first the rows with a rare one, then what else these have. */
static int look_for_any(struct finder *finder, struct store *store, unsigned must, unsigned others,
                        struct error *err)
{
    const struct search_query *query = finder->query;
    int64_t rows = 0;
    unsigned rare = 0;

    while (others & ~rare) {
        size_t next = SEARCH_TERMS_CAP;

        for (size_t i = 0; i < query->count; i++)
            if ((others & ~rare) >> i & 1u &&
                (next == SEARCH_TERMS_CAP || query->terms[i].rows < query->terms[next].rows))
                next = i;
        rows += query->terms[next].rows;
        if (rows > ROWS_AT_ONCE && rare)
            break;
        rare |= 1u << next;
    }
    if (look(finder, store, false, must, rare, err) < 0)
        return -1;
    for (size_t i = 0; i < query->count; i++) {
        if (!((others & ~rare) >> i & 1u))
            continue;
        finder->result->more = true;
        if (look(finder, store, false, must | 1u << i, rare, err) < 0)
            return -1;
    }
    return 0;
}

static int look_for_best(struct finder *finder, struct store *store, unsigned must, unsigned others,
                         size_t wanted, struct error *err)
{
    const struct search_query *query = finder->query;
    int64_t rows = 0;

    for (size_t i = 0; i < query->count; i++)
        rows += query->terms[i].rows;
    if (rows > ROWS_AT_ONCE && !query->titles) {
        finder->result->more = true;
        if (!query->type && (look(finder, store, true, must | others, 0, err) < 0 ||
                             finder->result->count >= wanted))
            return finder->starved ? -1 : 0;
        if (query->count > 1 && (look(finder, store, false, must | others, 0, err) < 0 ||
                                 finder->result->count >= wanted))
            return finder->starved ? -1 : 0;
        finder->result->more = false;
    }
    if (must && look(finder, store, false, must, 0, err) < 0)
        return -1;
    return others ? look_for_any(finder, store, must, others, err) : 0;
}

static int look_for_all(struct finder *finder, struct store *store, unsigned must, unsigned others,
                        struct error *err)
{
    if (look(finder, store, false, must | others, 0, err) < 0)
        return -1;
    if (finder->result->count > 0 || !others || finder->query->count == 1)
        return 0;
    return look_for_any(finder, store, must, others, err);
}

static int compare_scores(const void *a, const void *b)
{
    const struct search_found *one = a, *other = b;

    if (one->score != other->score)
        return one->score > other->score ? -1 : 1;
    return one->key < other->key ? -1 : one->key > other->key;
}

static void score(struct finder *finder)
{
    const struct search_query *query = finder->query;
    struct search_result *result = finder->result;
    double all = 0;

    for (size_t i = 0; i < query->count; i++)
        all += query->terms[i].weight;
    for (size_t i = 0; i < result->count; i++) {
        struct search_found *found = &result->found[i];
        double sum = 0, had = 0;

        for (size_t j = 0; j < query->count; j++) {
            sum += finder->weights[i].of[j] * query->terms[j].weight;
            had += (found->terms >> j & 1u) * query->terms[j].weight;
        }
        found->score = (sum + finder->weights[i].row_score * ROW_PART) * (had / all) +
                       log(1.0 + (double)found->rows) * 0.1 * all;
    }
}

int search_find(struct search_query *query, struct store *store, bool by_row, bool best,
                size_t wanted, struct search_result *result, struct error *err)
{
    struct finder finder = {.query = query, .result = result, .by_row = by_row, .row = -1};
    unsigned must = 0, others = 0;
    int rc;

    *result = (struct search_result){0};
    for (size_t i = 0; i < query->count; i++)
        *(query->terms[i].phrase ? &must : &others) |= 1u << i;
    rc = best ? look_for_best(&finder, store, must, others, wanted, err)
              : look_for_all(&finder, store, must, others, err);
    if (rc == 0)
        score(&finder);
    if (rc == 0 && best && result->count > 1)
        qsort(result->found, result->count, sizeof *result->found, compare_scores);
    free(finder.weights);
    if (rc < 0) {
        free(result->found);
        *result = (struct search_result){0};
    }
    return rc;
}

/* ---- rows with a marker ---- */

static void on_listed(void *user, int64_t row, int phrase, int column, int offset)
{
    struct finder *finder = user;
    struct search_found *found;

    (void)phrase;
    (void)column;
    (void)offset;
    found = open_found(finder, row);
    if (found)
        found->row = row;
}

int search_list(struct store *store, const struct search_query *rows, const char *match,
                struct search_result *result, struct error *err)
{
    struct finder finder = {.result = result, .by_row = true};
    int rc;

    *result = (struct search_result){0};
    rc = store->db->backend->search(store->db, match, rows->first, rows->last, on_listed, &finder,
                                    err);
    free(finder.weights);
    if (rc == 0 && finder.starved)
        rc = error_set(err, ERROR_MEMORY, "out of memory for a search");
    if (rc < 0) {
        free(result->found);
        *result = (struct search_result){0};
    }
    return rc;
}

/* ---- words of a text that was found ---- */

struct comparison {
    struct search_query *query;
    size_t term;
    bool found;
};

static int compare_word(void *user, const struct stem *stem)
{
    struct comparison *comparison = user;
    const struct search_query *query = comparison->query;
    size_t skip = strlen(query->prefix);

    for (size_t i = 0; i < query->count; i++) {
        for (size_t j = 0; j < query->terms[i].form_count; j++) {
            const char *form = query->terms[i].forms[j];

            while (form) {
                size_t len = strcspn(form + skip, " ");

                if (strncmp(form + skip, stem->stem, len) == 0 && !stem->stem[len]) {
                    comparison->term = i;
                    comparison->found = true;
                    return 1;
                }
                form = query->terms[i].phrase ? strchr(form, ' ') : NULL;
                form += form != NULL;
            }
        }
    }
    return 0;
}

bool search_is_term(struct search_query *query, const char *text, size_t len, size_t *term)
{
    struct comparison comparison = {.query = query};

    for (size_t i = 0; !comparison.found && i < query->language_count; i++)
        stems_each(query->stems, query->languages[i], text, len, compare_word, &comparison);
    *term = comparison.term;
    return comparison.found;
}

struct shared {
    struct search_query *query;
    const char *text;
    unsigned terms;
    size_t words;
};

static int share_word(void *user, const struct stem *stem)
{
    struct shared *shared = user;
    size_t term;

    if (search_is_term(shared->query, shared->text + stem->start, stem->len, &term)) {
        shared->terms |= 1u << term;
        shared->words++;
    }
    return 0;
}

double search_shared(struct search_query *query, const char *text, size_t len, size_t *words)
{
    struct shared shared = {.query = query, .text = text};
    double sum = 0;

    stems_each(query->stems, LANGUAGE_NONE, text, len, share_word, &shared);
    for (size_t i = 0; i < query->count; i++)
        sum += (shared.terms >> i & 1u) * query->terms[i].weight;
    *words = shared.words;
    return sum;
}
