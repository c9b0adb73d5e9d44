/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * find: lessons by their words, by what they have and what they lack, in an order; as JSON.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "helpers/base/clock.h"
#include "helpers/base/json.h"
#include "helpers/base/nearest.h"
#include "mcp/curriculum/component_type.h"
#include "mcp/curriculum/curriculum_uri.h"
#include "mcp/curriculum/node_field.h"
#include "mcp/store/search/find.h"
#include "mcp/store/search/search_internal.h"

#define FIELD_ROWS_CAP   2000 /* components whose texts are read to find words in one of them */
#define RANKED_AGAIN     40   /* best hits whose title and term are compared with the text */
#define NAMES_RANKED_CAP 2000 /* also of further hits that have all words in one */
#define QUESTION_WORDS   4    /* from so many on, a term need not have them all */
#define TITLE_WEIGHT     3.0
#define TERM_WEIGHT      3.0
#define SHOWN            64 /* bytes of a name in an error */
#define NAMES_CAP        1024
#define SCOPE            (MIRROR_ALL)

/* The longest wait for the words of a large write (store_index_later). */
#define WORDS_WAIT_MS 5000
#define WORDS_POLL_NS 5000000

struct find {
    const struct find_request *request;
    struct store *store;
    struct session_found session;
    bool current; /* the index has everything of the session */
    enum find_sort sort;
    struct search_query query;
    struct search_result result;
    struct search_lessons lessons;
    bool has_lessons;
    /* in */
    const char *type, *field;
    bool titles, linked;
    /* without */
    enum { LACKS_NOTHING, LACKS_COMPONENT, LACKS_RELATIONSHIP, LACKS_LINK, LACKS_FIELD } lacks;
    const char *lacked; /* NULL: any relationship */
    int64_t node;       /* to look only there, or 0 */
    struct buf *json;
    size_t hits, total;
    bool more;
};

/* ---- what the request means ---- */

static bool is_parameter(const char *name)
{
    for (size_t i = 0; i < component_type_count(); i++)
        for (const struct field *row = component_type_at(i)->parameters; row->name; row++)
            if (strcmp(row->name, name) == 0)
                return true;
    for (const struct field *row = component_picture_rows; row->name; row++)
        if (strcmp(row->name, name) == 0)
            return true;
    return strcmp(name, "description") == 0 || node_field_of(name) == NODE_FIELD_CONTENT;
}

static void list_types(struct buf *to, struct nearest *nearest)
{
    for (size_t i = 0; i < component_type_count(); i++) {
        buf_addf(to, "%s%s", i > 0 ? ", " : "", component_type_at(i)->name);
        nearest_feed(nearest, component_type_at(i)->name);
    }
}

static int refuse(const char *member, const char *value, const char *others, struct error *err)
{
    struct buf BUF_AUTO types = {0};
    char shown[SHOWN];
    struct nearest nearest;

    buf_init(&types, NAMES_CAP);
    nearest_begin(&nearest, value);
    list_types(&types, &nearest);
    return error_set_at(
        err, member, "%s: nothing is called '%s'%s%s%s; send %s a component type: %s", member,
        text_cut_line(shown, sizeof shown, value), nearest.best ? ", did you mean '" : "",
        nearest.best ? nearest.best : "", nearest.best ? "'?" : "", others, types.data);
}

static bool is_links(const char *name)
{
    return strcasecmp(name, "links") == 0 || strcasecmp(name, "link") == 0;
}

static bool has_words_in(const json_t *node, const char *name)
{
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)node, key, value)
    {
        if (strcasecmp(key, name) == 0 && node_field_of(key) == NODE_FIELD_FURTHER)
            return true;
    }
    return false;
}

/* Whether any lesson has the field. any_case: one with words, in small letters or capitals. */
static int is_field(struct find *find, const char *name, bool any_case, bool *is, struct error *err)
{
    struct rows *rows = db_query(find->store->db, err, SQL_NODE_LIST, "i", find->session.key);
    int row;

    *is = false;
    while (!*is && (row = rows_next(rows, err)) > 0) {
        struct kept kept = rows_kept(rows, 0);
        json_auto_t *node = json_read(kept.body, kept.len, "a kept node", NULL);

        *is = any_case ? has_words_in(node, name) : json_object_get(node, name) != NULL;
    }
    if (*is)
        rows_end(rows);
    return *is ? 0 : row;
}

static int read_in(struct find *find, struct error *err)
{
    const char *in = find->request->in;
    bool is = false;

    if (!in || !*in)
        return 0;
    find->titles = strcasecmp(in, "titles") == 0 || strcasecmp(in, "title") == 0;
    find->linked = is_links(in);
    if (component_type_find(in))
        find->type = in;
    else if (!find->titles && is_parameter(in))
        find->field = in;
    else if (!find->titles && !find->linked && is_field(find, in, true, &is, err) < 0)
        return -1;
    if (is)
        find->field = in;
    if (find->titles || find->linked || find->type || (find->field && find->request->text))
        return 0;
    if (find->field)
        return error_set_at(err, "in",
                            "in: %s is a field, in which only words can be found: send text "
                            "too, or a component type",
                            in);
    return refuse("in", in, "titles, links, a parameter such as definition, a field of lessons, or",
                  err);
}

static int read_without(struct find *find, struct error *err)
{
    const char *without = find->request->without;
    bool is;

    if (!without || !*without)
        return 0;
    find->lacked = without;
    find->lacks = LACKS_COMPONENT;
    if (component_type_find(without))
        return 0;
    find->lacks = LACKS_RELATIONSHIP;
    for (size_t i = 0; relationship_types[i]; i++)
        if (strcasecmp(without, relationship_types[i]) == 0) {
            find->lacked = relationship_types[i];
            return 0;
        }
    for (size_t i = 0; link_types[i]; i++)
        if (strcasecmp(without, link_types[i]) == 0) {
            find->lacked = link_types[i];
            return 0;
        }
    find->lacks = LACKS_LINK;
    if (is_links(without))
        return 0;
    find->lacks = LACKS_RELATIONSHIP;
    find->lacked = NULL;
    if (strcasecmp(without, "relationship") == 0 || strcasecmp(without, "relationships") == 0)
        return 0;
    find->lacked = without;
    find->lacks = LACKS_FIELD;
    if (is_field(find, without, false, &is, err) < 0)
        return -1;
    return is ? 0
              : refuse(
                    "without", without,
                    "a field that some lesson has (none has this one), links, relationships, "
                    "a relationship type (LEADS_TO, PREREQUISITE_FOR, PREREQUISITE, ENRICHMENT) or",
                    err);
}

static int count_links(struct find *find, const char *node_id, int64_t *count, struct error *err)
{
    return db_number(find->store->db, count, err, SQL_SEARCH_LINKS, "iss", find->session.key,
                     node_id, CURRICULUM_URI "%" CURRICULUM_URI_NODE "%");
}

static bool is_filtered(const struct find *find)
{
    return find->lacks != LACKS_NOTHING || find->linked;
}

/* 1: the lesson lacks the asked part, and has links if links are asked for. */
static int fits(struct find *find, int64_t node, struct error *err)
{
    struct rows *rows;
    json_auto_t *body = NULL;
    struct kept kept;
    int64_t count = 0;
    int rc = 0;

    if (find->lacks == LACKS_COMPONENT) {
        rc = db_number(find->store->db, &count, err, SQL_SEARCH_HAS_TYPE, "is", node, find->lacked);
        if (rc < 0 || count > 0 || !find->linked)
            return rc < 0 ? -1 : count == 0;
    }
    rows = db_query(find->store->db, err, SQL_SEARCH_LESSON, "i", node);
    if (rows_next(rows, err) <= 0)
        return -1;
    if (find->linked && count_links(find, rows_text(rows, 2), &count, err) < 0)
        return -1;
    if (find->linked && count == 0) {
        rows_end(rows);
        return 0;
    }
    switch (find->lacks) {
    case LACKS_RELATIONSHIP:
        rc = db_number(find->store->db, &count, err, SQL_SEARCH_HAS_RELATIONSHIP, "iss",
                       find->session.key, rows_text(rows, 2), find->lacked);
        break;
    case LACKS_LINK:
        rc = count_links(find, rows_text(rows, 2), &count, err);
        break;
    case LACKS_FIELD:
        kept = rows_kept(rows, 0);
        body = json_read(kept.body, kept.len, "a kept node", err);
        count = body ? !node_value_is_empty(json_object_get(body, find->lacked)) : 0;
        rc = body ? 0 : -1;
        break;
    case LACKS_COMPONENT: /* it lacks it, and has links */
    case LACKS_NOTHING:
        count = 0;
        break;
    }
    rows_end(rows);
    return rc < 0 ? -1 : count == 0;
}

/* ---- hits ---- */

static void begin_hit(struct find *find, struct rows *node)
{
    buf_adds(find->json, find->hits++ > 0 ? ",{\"node_id\":" : "{\"node_id\":");
    rows_write_text(node, 2, find->json);
    buf_adds(find->json, ",\"title\":");
    rows_write_text(node, 3, find->json);
}

static void add_string(struct buf *json, const char *name, const char *text, size_t len)
{
    buf_addf(json, ",\"%s\":", name);
    json_write_string(json, text, len);
}

/* The members of a sort: words, last_modified. */
static void end_hit(struct find *find, const struct search_found *found)
{
    int64_t node = search_row_node(found->row);
    const struct search_lesson *lesson =
        find->has_lessons ? search_lesson(&find->lessons, node) : NULL;

    if (found->rows > 1)
        buf_addf(find->json, ",\"places\":%zu", found->rows);
    if (lesson && find->sort == FIND_WORDS)
        buf_addf(find->json, ",\"words\":%" PRId64, lesson->words);
    if (lesson && find->sort == FIND_CHANGED)
        add_string(find->json, "last_modified", lesson->changed, strlen(lesson->changed));
    buf_addc(find->json, '}');
}

/* Appends what was found in a row, its words and where they are: 1; 0 if the words are not in the
 * field. The node's row is read already. */
static int add_found(struct find *find, const struct search_found *found, struct rows *node,
                     struct error *err)
{
    int64_t component = search_row_component(found->row);
    struct rows *row =
        component > 0 ? db_query(find->store->db, err, SQL_SEARCH_HIT, "i", component) : NULL;
    char path[PROSE_PATH_SIZE] = "", type[SEARCH_TYPE_SIZE];
    struct buf BUF_AUTO words = {0};
    json_auto_t *body = NULL;
    struct kept kept;
    int terms = 0;

    if (component > 0 && rows_next(row, err) <= 0)
        return -1;
    kept = rows_kept(component > 0 ? row : node, 0);
    text_cut(type, sizeof type, component > 0 ? rows_text(row, 2) : "");
    body = json_read(kept.body, kept.len, "a kept text", err);
    if (!body)
        return -1;
    buf_adds(&words, "");
    if (find->query.count > 0)
        terms = search_excerpt(&find->query, component > 0 ? type : NULL, body, find->field, path,
                               &words);
    else if (component > 0)
        terms = search_beginning(type, body, &words);
    if (terms < 0)
        return error_set(err, ERROR_MEMORY, "out of memory for a search");
    if (find->field && terms == 0) {
        rows_end(row);
        return 0;
    }
    begin_hit(find, node);
    if (component > 0) {
        buf_addf(find->json, ",\"component_order\":%" PRId64, rows_int(row, 4));
        add_string(find->json, "component_type", type, strlen(type));
        add_string(find->json, "component_id", rows_text(row, 3), strlen(rows_text(row, 3)));
    }
    if (*path && strcmp(path, "title") != 0)
        add_string(find->json, "field", path, strlen(path));
    if (words.len > 0 && (component > 0 || strcmp(path, "title") != 0))
        add_string(find->json, "text", words.data, words.len);
    end_hit(find, found);
    rows_end(row);
    return 1;
}

static int add_hit(struct find *find, const struct search_found *found, struct error *err)
{
    struct rows *node =
        db_query(find->store->db, err, SQL_SEARCH_LESSON, "i", search_row_node(found->row));
    int rc = rows_next(node, err);

    if (rc > 0)
        rc = add_found(find, found, node, err);
    rows_end(node);
    return rc;
}

/* In their order, those that lack what they must, from the offset up to the limit. */
static int add_hits(struct find *find, struct error *err)
{
    size_t looked = 0, skipped = 0;

    for (size_t i = 0; i < find->result.count; i++) {
        const struct search_found *found = &find->result.found[i];
        int rc = 1;

        if (is_filtered(find))
            rc = fits(find, search_row_node(found->row), err);
        if (rc > 0 && skipped < find->request->offset) {
            skipped++;
        } else if (rc > 0 && find->hits < find->request->limit) {
            if (find->field && looked++ == FIELD_ROWS_CAP) {
                find->more = true;
                break;
            }
            rc = add_hit(find, found, err);
        } else if (rc > 0 && find->field) {
            find->more = true;
            break;
        }
        if (rc < 0)
            return -1;
        find->total += (size_t)rc;
    }
    return 0;
}

/* ---- the best ones ----
 *
 * Equal titles come first, then definitions of an equal term. Of others the one is better whose
 * title, or term, has little else than the words. */

struct name_words {
    size_t words; /* that are not small */
    size_t same;  /* of those, words of the query */
    double shared;
};

static int count_word(void *user, const struct stem *stem)
{
    *(size_t *)user += !stem->small;
    return 0;
}

static struct name_words compare_name(struct find *find, const char *name)
{
    struct name_words count = {0};

    stems_each(find->query.stems, find->query.languages[0], name, strlen(name), count_word,
               &count.words);
    count.shared = search_shared(&find->query, name, strlen(name), &count.same);
    return count;
}

/* Where the name has nothing but the words of the query, and all of them, it is equal. */
static void weigh_name(struct find *find, struct search_found *found, const char *name,
                       double weight, enum search_tier tier)
{
    struct name_words count = compare_name(find, name);
    double all = 0;

    if (count.words == 0)
        return;
    for (size_t i = 0; i < find->query.count; i++)
        all += find->query.terms[i].weight;
    found->score += weight * count.shared * (double)count.same / (double)count.words;
    if (count.same == count.words && count.shared >= all && found->tier < tier)
        found->tier = tier;
}

static int weigh_title(struct find *find, struct search_found *found, struct error *err)
{
    struct rows *node =
        db_query(find->store->db, err, SQL_SEARCH_LESSON, "i", search_row_node(found->row));

    if (rows_next(node, err) <= 0)
        return -1;
    if (rows_text(node, 3))
        weigh_name(find, found, rows_text(node, 3), TITLE_WEIGHT, SEARCH_EQUAL_TITLE);
    rows_end(node);
    return 0;
}

/* If the row is a definition. */
static int weigh_definition(struct find *find, struct search_found *found, struct error *err)
{
    struct rows *row =
        db_query(find->store->db, err, SQL_SEARCH_HIT, "i", search_row_component(found->row));
    json_auto_t *body = NULL;
    const char *term;
    struct kept kept;

    if (rows_next(row, err) <= 0)
        return -1;
    kept = rows_kept(row, 0);
    body = json_read(kept.body, kept.len, "a kept component", err);
    rows_end(row);
    if (!body)
        return -1;
    term = json_get_string(json_object_get(body, "parameters"), "term");
    if (term)
        weigh_name(find, found, term, TERM_WEIGHT, SEARCH_EQUAL_TERM);
    return 0;
}

static int compare_found(const void *a, const void *b)
{
    const struct search_found *one = a, *other = b;

    if (one->tier != other->tier)
        return one->tier > other->tier ? -1 : 1;
    if (one->score != other->score)
        return one->score > other->score ? -1 : 1;
    return one->key < other->key ? -1 : one->key > other->key;
}

static int rank_again(struct find *find, struct error *err)
{
    struct search_result *result = &find->result;
    const bool is_long = find->query.count >= QUESTION_WORDS;
    size_t names = 0;

    for (size_t i = 0; i < result->count && names < NAMES_RANKED_CAP; i++) {
        struct search_found *found = &result->found[i];
        bool near = i < RANKED_AGAIN;

        if (!near && !found->titled && !found->defines)
            continue;
        names++;
        if (weigh_title(find, found, err) < 0 ||
            ((found->defines || (is_long && search_row_component(found->row) > 0)) &&
             weigh_definition(find, found, err) < 0))
            return -1;
    }
    if (result->count > 1)
        qsort(result->found, result->count, sizeof *result->found, compare_found);
    return 0;
}

/* ---- in another order ---- */

struct sorted {
    struct search_found found;
    const struct search_lesson *lesson;
    enum find_sort sort;
};

static int compare_sorted(const void *a, const void *b)
{
    const struct sorted *one = a, *other = b;
    int order = 0;

    if (one->found.defines != other->found.defines && one->sort == FIND_ORDER)
        return one->found.defines ? -1 : 1;
    if (one->sort == FIND_WORDS && one->lesson->words != other->lesson->words)
        return one->lesson->words < other->lesson->words ? -1 : 1;
    if (one->sort == FIND_CHANGED)
        order = strcmp(other->lesson->changed, one->lesson->changed);
    if (order != 0)
        return order;
    if (one->lesson->rank != other->lesson->rank)
        return one->lesson->rank < other->lesson->rank ? -1 : 1;
    return one->found.row < other->found.row ? -1 : one->found.row > other->found.row;
}

static int sort_found(struct find *find, struct error *err)
{
    struct search_result *result = &find->result;
    struct sorted *sorted = malloc((result->count + 1) * sizeof *sorted);
    size_t count = 0;

    if (!sorted)
        return error_set(err, ERROR_MEMORY, "out of memory for a search");
    for (size_t i = 0; i < result->count; i++) {
        const struct search_lesson *lesson =
            search_lesson(&find->lessons, search_row_node(result->found[i].row));

        if (lesson)
            sorted[count++] = (struct sorted){result->found[i], lesson, find->sort};
    }
    if (count > 1)
        qsort(sorted, count, sizeof *sorted, compare_sorted);
    for (size_t i = 0; i < count; i++)
        result->found[i] = sorted[i].found;
    result->count = count;
    free(sorted);
    return 0;
}

static int read_lessons(struct find *find, struct error *err)
{
    if (search_lessons_read(&find->lessons, find->store, find->session.key, find->sort, err) < 0)
        return -1;
    find->has_lessons = true;
    return 0;
}

static int find_words(struct find *find, struct error *err)
{
    bool best = find->sort == FIND_BEST;
    bool by_row = find->type || find->field || find->node > 0;
    const size_t last = find->request->offset + find->request->limit;
    size_t wanted = last > RANKED_AGAIN ? last : RANKED_AGAIN;

    if (search_query_begin(&find->query, find->store, find->session.key, find->request->text, err) <
        0)
        return -1;
    find->query.type = find->type;
    find->query.titles = find->titles;
    if (find->node > 0) {
        find->query.first = find->node << 31;
        find->query.last = search_row_last(find->query.first);
    }
    if (is_filtered(find) || find->field)
        wanted = SIZE_MAX;
    if (search_find(&find->query, find->store, by_row, best, wanted, &find->result, err) < 0)
        return -1;
    find->more = find->result.more;
    if (best)
        return by_row ? 0 : rank_again(find, err);
    return read_lessons(find, err) < 0 ? -1 : sort_found(find, err);
}

/* ---- without words: all lessons, or all components of a type ---- */

static int list_components(struct find *find, struct error *err)
{
    struct search_query query = {.type = find->type, .last = INT64_MAX};
    struct buf BUF_AUTO match = {0};

    search_prefix(query.prefix, find->session.key);
    if (find->node > 0) {
        query.first = find->node << 31;
        query.last = search_row_last(query.first);
    }
    buf_addc(&match, '"');
    search_marker(&match, query.prefix, find->type);
    buf_addc(&match, '"');
    return search_list(find->store, &query, match.data, &find->result, err);
}

static int list_lessons(struct find *find, struct error *err)
{
    find->result.found = calloc(find->lessons.count + 1, sizeof *find->result.found);
    if (!find->result.found)
        return error_set(err, ERROR_MEMORY, "out of memory for the lessons");
    for (size_t i = 0; i < find->lessons.count; i++) {
        int64_t key = find->lessons.rows[i].key;

        find->result.found[find->result.count++] =
            (struct search_found){.key = key, .row = key << 31};
    }
    return 0;
}

static int list_all(struct find *find, struct error *err)
{
    if (read_lessons(find, err) < 0 ||
        (find->type ? list_components(find, err) : list_lessons(find, err)) < 0)
        return -1;
    return sort_found(find, err);
}

/* ---- all of it ---- */

static int answer(struct find *find, struct error *err)
{
    const struct find_request *request = find->request;
    struct node_found node;
    bool ready;

    if (request->node_id) {
        if (store_node_find(find->store, find->session.key, request->node_id, &node, err) < 0)
            return -1;
        find->node = node.key;
        if (!request->text && request->in && strcasecmp(request->in, "all") != 0 &&
            !component_type_find(request->in))
            return refuse("in", request->in, "all or", err);
        if (!request->text)
            return find_lesson(find->store, &find->session, request->node_id, request->in,
                               request->only, find->json, err);
    }
    if (search_is_ready(find->store, &ready, err) < 0)
        return -1;
    if (!ready || !find->current)
        return error_set(err, ERROR_BUSY, "the search is being prepared: call again in a moment");
    if (read_in(find, err) < 0 || read_without(find, err) < 0)
        return -1;
    find->sort = request->sort != FIND_ANY ? request->sort : request->text ? FIND_BEST : FIND_ORDER;
    if (!request->text && find->sort == FIND_BEST)
        find->sort = FIND_ORDER;
    if ((request->text ? find_words(find, err) : list_all(find, err)) < 0)
        return -1;
    buf_addf(find->json, "{\"session_id\":\"%s\",\"hits\":[", find->session.sid);
    if (add_hits(find, err) < 0)
        return -1;
    buf_addf(find->json, "],\"total\":%zu,\"more\":%s}", find->total,
             find->more ? "true" : "false");
    return buf_check(find->json, "the answer", err);
}

int store_find(struct store *store, const char *sid, const struct find_request *request,
               struct buf *json, struct error *err)
{
    struct find find = {.request = request, .store = store, .json = json};
    const struct timespec pause = {.tv_nsec = WORDS_POLL_NS};
    const int64_t end_ms = clock_ms() + WORDS_WAIT_MS;
    const bool indexed = request->text || !request->node_id; /* or it is a lesson by its id */
    int rc;

    for (;;) {
        if (store_read_begin(store, SCOPE, sid, NULL, &find.session, err) < 0)
            return -1;
        rc = indexed ? search_is_current(store, find.session.key, &find.current, err) : 0;
        if (!indexed || rc < 0 || find.current || clock_ms() > end_ms)
            break;
        store_read_end(store, 0);
        nanosleep(&pause, NULL);
    }
    if (rc == 0)
        rc = answer(&find, err);
    search_query_finish(&find.query);
    search_lessons_finish(&find.lessons);
    free(find.result.found);
    return store_read_end(store, rc);
}
