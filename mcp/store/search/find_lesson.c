/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One lesson as somebody reads it who has not seen it: its further fields (node_field.h) and its
 * components with their words and beginnings, or whole, without the source of its drawings.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "helpers/base/json.h"
#include "helpers/base/utf8.h"
#include "mcp/curriculum/node_field.h"
#include "mcp/store/search/search_internal.h"

#define DEPTH_MAX   64 /* of a component's parameters (ENTITY_DEPTH_MAX) */
#define PICTURE_CAP 48 /* bytes of "svg, 2.1 kB" */

#define FIELDS_SHOWN 40u  /* of one lesson in an outline; the others are counted */
#define FIELD_SHOWN  200u /* bytes of the beginning of one */

/* What a drawing or a picture inside a text is called; NULL for words. */
static const char *picture_kind(const char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    if (strncasecmp(text, "<svg", 4) == 0 || strncasecmp(text, "<?xml", 5) == 0)
        return "svg";
    return strncasecmp(text, "data:image/", 11) == 0 ? "image" : NULL;
}

static json_t *without_pictures(const json_t *value, unsigned depth)
{
    const char *kind = json_is_string(value) ? picture_kind(json_string_value(value)) : NULL;
    char said[PICTURE_CAP];
    const char *name;
    json_t *copy, *member;

    if (kind) {
        snprintf(said, sizeof said, "%s, %.1f kB", kind, (double)json_string_length(value) / 1000);
        return json_string(said);
    }
    if (depth == DEPTH_MAX || (!json_is_object(value) && !json_is_array(value)))
        return json_incref((json_t *)value);
    copy = json_is_object(value) ? json_object() : json_array();
    json_object_foreach((json_t *)value, name, member)
    {
        json_object_set_new(copy, name, without_pictures(member, depth + 1));
    }
    for (size_t i = 0; i < json_array_size(value); i++)
        json_array_append_new(copy, without_pictures(json_array_get(value, i), depth + 1));
    return copy;
}

static void add_parameters(const json_t *body, struct buf *json)
{
    json_auto_t *shown = without_pictures(json_object_get(body, "parameters"), 0);

    buf_adds(json, ",\"parameters\":");
    if (shown)
        json_write(json, shown);
    else
        buf_adds(json, "{}");
}

static int add_beginning(const char *type, const json_t *body, struct buf *json, struct error *err)
{
    struct buf BUF_AUTO text = {0};

    buf_adds(&text, "");
    if (search_beginning(type, body, &text) < 0 || buf_check(&text, "a component", err) < 0)
        return error_set(err, ERROR_MEMORY, "out of memory for a lesson");
    buf_adds(json, ",\"text\":");
    json_write_string(json, text.data, text.len);
    return 0;
}

/* Columns of SQL_COMPONENT_LIST. */
static int add_component(struct rows *rows, size_t order, const char *whole, size_t *words,
                         struct buf *json, struct error *err)
{
    struct kept kept = rows_kept(rows, 0);
    json_auto_t *body = json_read(kept.body, kept.len, "a kept component", err);
    const char *type = rows_text(rows, 7) ? rows_text(rows, 7) : "";
    size_t own;

    if (!body)
        return -1;
    own = prose_words(type, json_object_get(body, "parameters"));
    *words += own;
    buf_addf(json, "%s{\"component_order\":%zu,\"component_type\":", order > 1 ? "," : "", order);
    json_write_string(json, type, strlen(type));
    buf_addf(json, ",\"component_id\":\"%s\",\"revision\":%" PRId64 ",\"words\":%zu",
             rows_text(rows, 5), rows_int(rows, 6), own);
    if (whole && (strcasecmp(whole, "all") == 0 || strcmp(whole, type) == 0))
        add_parameters(body, json);
    else if (add_beginning(type, body, json, err) < 0)
        return -1;
    buf_addc(json, '}');
    return 0;
}

/* ---- fields ---- */

static int count_words(void *user, const struct prose_text *text)
{
    *(size_t *)user += prose_words_of(text);
    return 0;
}

static bool is_scalar(const json_t *value)
{
    return json_is_number(value) || json_is_boolean(value);
}

/* Whether an outline shows it: numbers, booleans, and texts with words. */
static bool is_shown(const char *name, const json_t *value, size_t *words)
{
    *words = 0;
    if (is_scalar(value))
        return !node_field_is_technical(name);
    prose_of_field(name, value, count_words, words);
    return *words > 0;
}

static int add_field_beginning(const char *name, const json_t *value, size_t words,
                               struct buf *json, struct error *err)
{
    struct buf BUF_AUTO text = {0};

    buf_adds(&text, "");
    if (search_beginning_of_field(name, value, &text) < 0 || buf_check(&text, "a field", err) < 0)
        return error_set(err, ERROR_MEMORY, "out of memory for a lesson");
    buf_addf(json, ",\"words\":%zu,\"text\":", words);
    json_write_string(json, text.data, utf8_shown(text.data, FIELD_SHOWN));
    return 0;
}

/* Appends ,"fields": [{"field", "words" and "text", or "value"}], if there are any. all: each with
 * its whole value. The contract's own content counts where nothing else can be read: has_content.
 */
static int add_fields(const json_t *node, bool all, bool has_content, struct buf *json,
                      struct error *err)
{
    size_t shown = 0, left = 0, words;
    const char *name;
    json_t *value;

    json_object_foreach((json_t *)node, name, value)
    {
        enum node_field field = node_field_of(name);

        if ((field != NODE_FIELD_FURTHER && (field != NODE_FIELD_CONTENT || has_content)) ||
            node_value_is_empty(value) || !(is_shown(name, value, &words) || all))
            continue;
        if (!all && shown == FIELDS_SHOWN) {
            left++;
            continue;
        }
        buf_adds(json, shown++ > 0 ? "," : ",\"fields\":[");
        buf_adds(json, "{\"field\":");
        json_write_string(json, name, strlen(name));
        if (all || is_scalar(value)) {
            json_auto_t *plain = without_pictures(value, 0);

            buf_adds(json, ",\"value\":");
            json_write(json, plain ? plain : value);
        } else if (add_field_beginning(name, value, words, json, err) < 0) {
            return -1;
        }
        buf_addc(json, '}');
    }
    buf_adds(json, shown > 0 ? "]" : "");
    if (left > 0)
        buf_addf(json, ",\"fields_left_out\":%zu", left);
    return 0;
}

int find_lesson(struct store *store, const struct session_found *session, const char *node_id,
                const char *whole, const char *only, struct buf *json, struct error *err)
{
    json_auto_t *links = json_array(), *fields = NULL;
    const json_t *chapter;
    struct node_found node;
    struct rows *rows;
    unsigned flags;
    const bool one_type = whole && strcasecmp(whole, "all") != 0;
    size_t order = 0, words = 0;
    int row;

    if (store_node_find(store, session->key, node_id, &node, err) < 0)
        return -1;
    buf_addf(json, "{\"session_id\":\"%s\",\"node_id\":", session->sid);
    json_write_string(json, node_id, strlen(node_id));
    buf_adds(json, ",\"title\":");
    json_write_string(json, node.title, strlen(node.title));
    fields = store_node_load(store, node.key, &flags, err);
    if (!fields)
        return -1;
    chapter = json_object_get(fields, "chapter");
    if (json_is_string(chapter) || json_is_number(chapter)) {
        buf_adds(json, ",\"chapter\":");
        json_write(json, chapter);
    }
    buf_addf(json, ",\"revision\":%" PRId64 ",\"components\":[", node.revision);
    rows = db_query(store->db, err, SQL_COMPONENT_LIST, "i", node.key);
    while ((row = rows_next(rows, err)) > 0) {
        if (rows_kept(rows, 0).flags & ROW_RAW)
            continue;
        if (add_component(rows, ++order, whole, &words, json, err) < 0) {
            rows_end(rows);
            return -1;
        }
    }
    if (row < 0 || store_links_add(store, session->key, node_id, only, links, err) < 0)
        return -1;
    buf_addf(json, "],\"words\":%zu", words);
    if (!one_type && add_fields(fields, whole != NULL, order > 0, json, err) < 0)
        return -1;
    if (json_array_size(links) > 0) {
        buf_adds(json, ",\"links\":");
        json_write(json, links);
    }
    buf_addc(json, '}');
    return buf_check(json, "the lesson", err);
}
