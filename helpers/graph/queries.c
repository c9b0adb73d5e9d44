/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From a question to its answer: checks arguments, finds nodes, selects types, gets the view, calls
 * the query's function, and writes the scope.
 */
#include "helpers/graph/ask.h"

#include <string.h>
#include <strings.h>

#include "helpers/base/nearest.h"
#include "helpers/graph/igraph_guard.h"

#define CANCEL_STRIDE 1024u /* nodes compared between two checks of the bounds */
#define TYPES_SHOWN   12u

/* ---- the table ---- */

enum { HEAVY, LINEAR };

static const struct graph_query queries[] = {
#define ROW(name, summary, needs, follows, counts, work)                                           \
    {#name,          summary, GRAPH_##needs,     GRAPH_FOLLOWS_##follows,                          \
     GRAPH_##counts, work,    graph_query_##name},
    GRAPH_QUERIES(ROW)
#undef ROW
};

#define QUERY_COUNT (sizeof queries / sizeof *queries)

const struct graph_query *graph_queries(size_t *count)
{
    *count = QUERY_COUNT;
    return queries;
}

static const struct {
    const char *other, *name;
} other_names[] = {{"prerequisites", "needs"}, {"dependents", "needed_by"}};

static int no_such_query(const char *name, struct error *err)
{
    struct buf BUF_AUTO known = {0}, BUF_AUTO text = {0};
    struct nearest search;

    buf_init(&known, ERROR_TEXT_CAP);
    buf_init(&text, ERROR_TEXT_CAP);
    nearest_begin(&search, name);
    for (size_t i = 0; i < QUERY_COUNT; i++) {
        nearest_feed(&search, queries[i].name);
        buf_addf(&known, "%s%s", i > 0 ? ", " : "", queries[i].name);
    }
    graph_text_add(&text, name, GRAPH_TITLE_CAP, false);
    buf_adds(&text, search.best ? "'; did you mean '" : "'.");
    if (search.best)
        buf_addf(&text, "%s'?", search.best);
    if (graph_text_blank(name))
        return error_set_at(err, "query", "say which query. The queries: %s.", known.data);
    return error_set_at(err, "query", "there is no query '%s The queries: %s.", text.data,
                        known.data);
}

const struct graph_query *graph_query_find(const char *name, struct error *err)
{
    for (size_t i = 0; i < sizeof other_names / sizeof *other_names; i++) {
        if (strcmp(other_names[i].other, name) == 0)
            name = other_names[i].name;
    }
    for (size_t i = 0; i < QUERY_COUNT; i++) {
        if (strcmp(queries[i].name, name) == 0)
            return &queries[i];
    }
    no_such_query(name, err);
    return NULL;
}

static bool is_id(const struct graph *graph, const char *name)
{
    return !name || graph_node_by_id(graph, name) != GRAPH_NO_NODE;
}

bool graph_is_brief(const struct graph *graph, const struct graph_question *question)
{
    const struct graph_query *query = graph_query_find(question->query, NULL);

    return query && query->linear && query->uses != GRAPH_COUNTS_WORDS && !question->words &&
           graph->node_count + graph->link_count <= GRAPH_BRIEF_SIZE &&
           is_id(graph, question->node) && is_id(graph, question->from) &&
           is_id(graph, question->to);
}

/* ---- nodes ---- */

static int write_shared(const struct graph *graph, const char *name, const char *what, size_t count,
                        struct error *err)
{
    struct buf BUF_AUTO text = {0};
    size_t shown = 0;

    buf_init(&text, ERROR_TEXT_CAP);
    graph_text_add(&text, name, GRAPH_TITLE_CAP, true);
    buf_addf(&text, " is the title of %zu nodes: ", count);
    for (uint32_t v = 0; v < graph->node_count && shown < GRAPH_NAME_SHOWN; v++) {
        const char *group = graph->groups[graph->nodes[v].group].name;

        if (!graph_text_same(name, graph->nodes[v].title) &&
            !graph_text_same(name, graph->nodes[v].code))
            continue;
        buf_adds(&text, shown++ > 0 ? ", " : "");
        graph_text_add(&text, graph->nodes[v].id, GRAPH_ID_CAP / 2, false);
        if (graph_text_blank(group))
            continue;
        buf_adds(&text, " (");
        graph_text_add(&text, group, GRAPH_TITLE_CAP / 2, false);
        buf_addc(&text, ')');
    }
    if (shown < count)
        buf_addf(&text, " and %zu more", count - shown);
    return error_set(err, ERROR_CONFLICT, "%s: %s. Send the id of one of them.", what, text.data);
}

/* nearest_feed compares each letter; if the lengths alone exclude a match, this only looks for
 * contained words. */
static void feed(struct nearest *search, const char *word, const char *candidate, size_t *best,
                 size_t node)
{
    size_t len = strnlen(word, NEAREST_WORD_CAP), other = strnlen(candidate, NEAREST_WORD_CAP);
    size_t limit = len / 3 > 0 ? len / 3 : 1, fed = search->fed;

    if ((len > other ? len - other : other - len) > limit && !strcasestr(candidate, word) &&
        !strcasestr(word, candidate))
        return;
    nearest_feed(search, candidate);
    if (search->best && search->best_index == fed)
        *best = node;
}

static int write_nearest(const struct graph *graph, const char *name, const char *what,
                         struct error *err)
{
    struct buf BUF_AUTO text = {0};
    struct nearest ids, titles;
    size_t by_id = 0, by_title = 0;
    uint32_t node;

    nearest_begin(&ids, name);
    nearest_begin(&titles, name);
    for (uint32_t v = 0; v < graph->node_count; v++) {
        if (v % CANCEL_STRIDE == 0 && igraph_guard_wanted(err) < 0)
            return -1;
        feed(&ids, name, graph->nodes[v].id, &by_id, v);
        feed(&titles, name, graph->nodes[v].title, &by_title, v);
        if (*graph->nodes[v].code)
            feed(&titles, name, graph->nodes[v].code, &by_title, v);
    }
    buf_init(&text, ERROR_TEXT_CAP);
    graph_text_add(&text, name, GRAPH_TITLE_CAP, false);
    if (!ids.best && !titles.best) {
        buf_adds(&text, "', and none is near. Ids look like ");
        graph_text_add(&text, graph->nodes[0].id, GRAPH_ID_CAP, false);
        return error_set(err, ERROR_NOT_FOUND,
                         "%s: no node has the id or title '%s; the query outline lists the nodes.",
                         what, text.data);
    }
    node = (uint32_t)(!titles.best || (ids.best && ids.best_distance <= titles.best_distance)
                          ? by_id
                          : by_title);
    buf_adds(&text, "'; the nearest is ");
    graph_text_add(&text, graph->nodes[node].id, GRAPH_ID_CAP, false);
    buf_addc(&text, ' ');
    graph_text_add(&text, graph->nodes[node].title, GRAPH_TITLE_CAP, true);
    return error_set(err, ERROR_NOT_FOUND, "%s: no node has the id or title '%s.", what, text.data);
}

int graph_find_node(const struct graph *graph, const char *name, const char *what, uint32_t *node,
                    struct error *err)
{
    struct graph_name search;
    size_t place;

    *node = graph_node_by_id(graph, name);
    if (*node != GRAPH_NO_NODE)
        return 0;
    if (graph->node_count == 0)
        return error_set(err, ERROR_NOT_FOUND, "%s: the curriculum has no nodes yet.", what);
    graph_name_begin(&search, name);
    for (uint32_t v = 0; v < graph->node_count; v++) {
        if (v % CANCEL_STRIDE == 0 && igraph_guard_wanted(err) < 0)
            return -1;
        graph_name_feed(&search, graph->nodes[v].id, graph->nodes[v].title, graph->nodes[v].code);
    }
    if (graph_name_found(&search, &place)) {
        *node = (uint32_t)place;
        return 0;
    }
    if (search.same_titles > 1)
        return write_shared(graph, name, what, search.same_titles, err);
    return write_nearest(graph, name, what, err);
}

/* ---- types ---- */

/* The types of the contract: asking about one is valid even if the curriculum has no such edge. */
static const char *const contract_types[] = {"LEADS_TO", "PREREQUISITE_FOR", "PREREQUISITE",
                                             "ENRICHMENT"};

static bool is_contract_type(const char *name)
{
    for (size_t i = 0; i < sizeof contract_types / sizeof *contract_types; i++) {
        if (strcasecmp(name, contract_types[i]) == 0)
            return true;
    }
    return false;
}

static int write_unknown(const struct graph *graph, const char *name, struct error *err)
{
    struct buf BUF_AUTO text = {0}, BUF_AUTO known = {0};
    struct nearest search;

    buf_init(&text, ERROR_TEXT_CAP);
    buf_init(&known, ERROR_TEXT_CAP);
    nearest_begin(&search, name);
    for (uint32_t i = 0; i < graph->type_count; i++) {
        nearest_feed(&search, graph->types[i].name);
        if (i >= TYPES_SHOWN)
            continue;
        buf_adds(&known, i > 0 ? ", " : "");
        graph_text_add(&known, graph->types[i].name, GRAPH_TYPE_CAP, false);
    }
    if (graph->type_count > TYPES_SHOWN)
        buf_adds(&known, ", …");
    graph_text_add(&text, name, GRAPH_TITLE_CAP, false);
    buf_adds(&text, search.best ? "'; did you mean '" : "'.");
    if (search.best) {
        graph_text_add(&text, search.best, GRAPH_TYPE_CAP, false);
        buf_adds(&text, "'?");
    }
    return error_set(err, ERROR_NOT_FOUND,
                     "types: no relationship is of type '%s There are: %s (or \"all\").", text.data,
                     known.len > 0 ? known.data : "none");
}

static int choose(const struct graph *graph, const char *name, bool *follows, struct error *err)
{
    uint32_t type = graph_find_type(graph, name);

    if (type != GRAPH_NO_NODE)
        follows[type] = true;
    else if (!is_contract_type(name))
        return write_unknown(graph, name, err);
    return 0;
}

static int choose_types(const struct graph *graph, const struct graph_question *question,
                        enum graph_follows otherwise, bool *follows, struct error *err)
{
    if (!question->types || !question->types[0]) {
        graph_default_types(graph, otherwise, follows);
        return 0;
    }
    for (size_t i = 0; question->types[i]; i++) {
        if (strcasecmp(question->types[i], "all") == 0)
            graph_default_types(graph, GRAPH_FOLLOWS_ALL, follows);
        else if (choose(graph, question->types[i], follows, err) < 0)
            return -1;
    }
    return 0;
}

/* ---- the answer ---- */

static const char *given(const char *text)
{
    return text && !graph_text_blank(text) ? text : NULL;
}

static int check_counting(const struct graph_query *query, const struct graph_question *question,
                          struct error *err)
{
    if (question->words && query->uses < GRAPH_MAY_COUNT_WORDS)
        return error_set_at(err, "words",
                            "the query %s counts no words; outline, order, levels and pace do: "
                            "leave words out.",
                            query->name);
    if (question->parts > 0 && query->uses != GRAPH_COUNTS_WORDS)
        return error_set_at(err, "parts", "the query %s has no parts; send pace with parts.",
                            query->name);
    if (question->parts > GRAPH_PARTS_MAX ||
        (question->parts == 0 && query->uses == GRAPH_COUNTS_WORDS))
        return error_set_at(err, "parts",
                            "the query %s takes parts, a whole number from 1 to %u, such as 6.",
                            query->name, GRAPH_PARTS_MAX);
    return 0;
}

/* Checks the arguments that a kind of query takes, and says what is wrong with others. */
static int check_arguments(const struct graph_query *query, const struct graph_question *question,
                           bool data, struct error *err)
{
    static const struct {
        bool node_needed, node_allowed, ends;
        const char *loc, *takes;
    } rules[] = {
        [GRAPH_TAKES_NOTHING] = {false, false, false, "node",
                                 "is about the whole curriculum: leave node_id, from_node_id and "
                                 "to_node_id out"},
        [GRAPH_TAKES_NODE] = {true, true, false, "node",
                              "takes one node, node_id: its id, or a title that only one node has"},
        [GRAPH_TAKES_FROM_TO] =
            {false, false, true, "from",
             "takes two nodes, from_node_id and to_node_id: ids, or titles that only one node "
             "has"},
        [GRAPH_MAY_TAKE_NODE] =
            {false, true, false, "node",
             "takes one node, node_id, or none: leave from_node_id and to_node_id "
             "out"},
        [GRAPH_TAKES_FRAMEWORK] =
            {false, true, false, "framework",
             "takes framework, the id or title of another curriculum, and node_id, a chapter or "
             "statement of it, or not: leave from_node_id and to_node_id out"},
    };
    bool node = given(question->node), from = given(question->from), to = given(question->to);
    bool good = rules[query->needs].ends ? from && to : !from && !to;

    if (question->framework && query->needs != GRAPH_TAKES_FRAMEWORK)
        return error_set_at(err, "framework", "the query %s takes no framework; coverage does.",
                            query->name);
    good = good && (question->framework || query->needs != GRAPH_TAKES_FRAMEWORK);
    good = good && (node ? rules[query->needs].node_allowed : !rules[query->needs].node_needed);
    if (!good)
        return error_set_at(err, rules[query->needs].loc, "the query %s %s.", query->name,
                            rules[query->needs].takes);
    if (!data && question->limit > GRAPH_LIMIT_MAX)
        return error_set_at(err, "limit", "limit goes from 1 to %u.", GRAPH_LIMIT_MAX);
    return check_counting(query, question, err);
}

static int find_one(struct graph_ask *ask, const char *name, const char *what, uint32_t *node,
                    struct error *err)
{
    *node = GRAPH_NO_NODE;
    return given(name) ? graph_find_node(ask->graph, name, what, node, err) : 0;
}

static int count_words(struct graph_ask *ask, struct error *err)
{
    const struct graph_facts *facts = ask->question->facts;
    const struct graph *graph = ask->graph;

    if (!ask->question->words && ask->query->uses != GRAPH_COUNTS_WORDS)
        return 0;
    if (!facts)
        return error_set_at(err, "words", "the words of the nodes are not known here.");
    ask->words = graph_alloc(graph->node_count, sizeof *ask->words, err);
    for (uint32_t v = 0; ask->words && v < graph->node_count; v++) {
        if (v % CANCEL_STRIDE == 0 && igraph_guard_wanted(err) < 0)
            return -1;
        ask->words[v] = facts->words(facts->user, graph->nodes[v].id);
    }
    return ask->words ? 0 : -1;
}

static int prepare(struct graph_ask *ask, struct error *err)
{
    /* Programs call them by the names of the relationships' fields. */
    static const char *const named[2][3] = {{"node", "from", "to"},
                                            {"node_id", "from_node_id", "to_node_id"}};
    const char *const *names = named[ask->data];
    const struct graph_question *question = ask->question;
    cleanup_free bool *follows = NULL;

    if (check_arguments(ask->query, question, ask->data, err) < 0 ||
        (!question->framework && find_one(ask, question->node, names[0], &ask->node, err) < 0) ||
        find_one(ask, question->from, names[1], &ask->from, err) < 0 ||
        find_one(ask, question->to, names[2], &ask->to, err) < 0)
        return -1;
    follows = graph_alloc(ask->graph->type_count, sizeof *follows, err);
    if (!follows || choose_types(ask->graph, question, ask->query->follows, follows, err) < 0)
        return -1;
    ask->view = graph_view_get(ask->graph, follows, err);
    return ask->view ? count_words(ask, err) : -1;
}

static int write_answer(struct graph_ask *ask, struct error *err)
{
    if (ask->data) {
        buf_addf(ask->answer, "{\"query\":\"%s\"", ask->query->name);
        graph_scope(ask, ask->view);
    }
    if (ask->query->answer(ask, err) < 0)
        return -1;
    if (!ask->data && !ask->no_scope)
        graph_scope(ask, ask->view);
    if (ask->data) {
        graph_put(ask, "cut", ask->cut);
        graph_put_bool(ask, "full", ask->full);
        graph_close(ask, '}');
    }
    return 0;
}

/* Rows end before rows_cap more bytes. */
static int answer(struct graph *graph, const struct graph_question *question, bool data,
                  size_t rows_cap, struct buf *to, struct error *err)
{
    size_t before = to->len, otherwise = data ? SIZE_MAX : GRAPH_LIMIT_DEFAULT;
    struct graph_ask ask = {
        .graph = graph,
        .question = question,
        .limit = question->limit > 0 ? question->limit : otherwise,
        .answer = to,
        .rows_end = before + rows_cap,
        .data = data,
    };
    int rc;

    ask.query = graph_query_find(question->query ? question->query : "", err);
    if (!ask.query)
        return -1;
    rc = igraph_guard_wanted(err);
    if (rc == 0)
        rc = prepare(&ask, err);
    if (rc == 0)
        rc = write_answer(&ask, err);
    for (size_t i = 0; i < GRAPH_PIECES; i++)
        buf_finish(&ask.pieces[i]);
    free(ask.words);
    if (rc == 0)
        rc = buf_check(to, "the answer", err);
    if (rc < 0 && !to->failed && to->data) {
        to->len = before;
        to->data[before] = '\0';
    }
    return rc;
}

/* ---- keeping answers ---- */

/* The question as bytes: those with the same bytes have the same answer. 0 if they are too many, or
 * if the answer depends on more than the graph. */
static size_t write_key(const struct graph_question *question, char key[GRAPH_KEPT_KEY])
{
    const unsigned numbers[] = {question->limit, question->parts, question->words};
    const char *const names[] = {question->query, question->node, question->from, question->to};
    size_t len = sizeof numbers, names_count = sizeof names / sizeof *names;

    if (question->facts || question->framework)
        return 0;
    memcpy(key, numbers, sizeof numbers);
    for (size_t i = 0;; i++) {
        const char *text = i < names_count   ? names[i]
                           : question->types ? question->types[i - names_count]
                                             : NULL;
        size_t size;

        if (!text && i >= names_count)
            return len;
        text = text ? text : "";
        size = strlen(text) + 1;
        if (size > GRAPH_KEPT_KEY - len)
            return 0;
        memcpy(key + len, text, size);
        len += size;
    }
}

static const struct graph_kept *find_kept(const struct graph *graph, const char *key, size_t len)
{
    for (size_t i = 0; len > 0 && i < GRAPH_KEPT_CAP; i++) {
        const struct graph_kept *kept = &graph->kept[i];

        if (kept->text && kept->key_len == len && memcmp(kept->key, key, len) == 0)
            return kept;
    }
    return NULL;
}

/* Without memory the answer is not kept. */
static void keep(struct graph *graph, const char *key, size_t key_len, const char *text, size_t len)
{
    struct graph_kept *kept = &graph->kept[graph->next_kept];
    char *copy = key_len > 0 ? malloc(len) : NULL;

    if (!copy)
        return;
    graph->next_kept = (graph->next_kept + 1) % GRAPH_KEPT_CAP;
    free(kept->text);
    memcpy(copy, text, len);
    *kept = (struct graph_kept){.key_len = key_len, .len = len, .text = copy};
    memcpy(kept->key, key, key_len);
}

static int answer_or_repeat(struct graph *graph, const struct graph_question *question,
                            struct buf *to, struct error *err)
{
    char key[GRAPH_KEPT_KEY];
    size_t before = to->len, key_len = write_key(question, key);
    const struct graph_kept *kept = find_kept(graph, key, key_len);

    if (kept) {
        buf_add(to, kept->text, kept->len);
        return buf_check(to, "the answer", err);
    }
    if (answer(graph, question, false, GRAPH_ANSWER_CAP - GRAPH_ANSWER_RESERVE, to, err) < 0)
        return -1;
    keep(graph, key, key_len, to->data + before, to->len - before);
    return 0;
}

int graph_answer(struct graph *graph, const struct graph_question *question, struct buf *to,
                 struct error *err)
{
    int rc;

    if (igraph_guard_begin(&question->bounds) > 0)
        return 1;
    graph_asking_begin(graph);
    rc = answer_or_repeat(graph, question, to, err);
    graph_asking_end(graph);
    igraph_guard_end();
    return rc;
}

int graph_answer_data(struct graph *graph, const struct graph_question *question, struct buf *to,
                      struct error *err)
{
    int rc;

    if (igraph_guard_begin(&question->bounds) > 0)
        return 1;
    graph_asking_begin(graph);
    rc = answer(graph, question, true, GRAPH_DATA_CAP, to, err);
    graph_asking_end(graph);
    igraph_guard_end();
    return rc;
}
