/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * history: what changed and by whom, and what is different between two versions. It only reads;
 * undo.c takes changes back. Answers name changes by their version, a number that the next call can
 * send; the ids of change sets cost a model twenty tokens each.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/curriculum/entity.h"
#include "mcp/curriculum/text.h"
#include "mcp/server.h"
#include "mcp/store/entities/node.h"
#include "mcp/store/entities/session.h"
#include "mcp/store/history/history.h"
#include "mcp/tool/arguments.h"
#include "mcp/tool/history_pages.h"

#define LIST_DEFAULT         20
#define LIST_MAX             200
#define DIFFERENCE_LINES_CAP 60 /* more are counted */
#define MINUTE_LEN           16 /* of a time: "2026-11-23T14:05" */
#define SHOWN_CAP            90 /* bytes of a title or of the beginning of a text */

static const char *action_name(size_t i);
static void check_action(const struct field *row, const json_t *value, const json_t *object,
                         const char *name, struct validation_errors *problems);
static void check_version(const struct field *row, const json_t *value, const json_t *object,
                          const char *name, struct validation_errors *problems);
static void write_whole(const struct field *row, const void *context, struct buf *to);
static void write_text(const struct field *row, const void *context, struct buf *to);
static int run(struct tool_call *call, struct store *store, struct error *err);

static const struct fields action_names = {
    .name = "action", .choice = action_name, .check = check_action};

static const struct fields version_number = {
    .name = "a version", .check = check_version, .write_schema = write_whole};

static const struct fields version_or_time = {
    .name = "a version", .check = check_version, .write_schema = write_text};

const struct tool tool_history = {
    .name = "history",
    .title = "History",
    .description = "Changes since a version or date; or how versions differ.",
    .call_title = "{action=difference}Compare versions[ {version}][ and {to_version}]"
                  "|Look at the history",
    .icon = "history",
    .use = "lists changes, and what is different between versions",
    .arguments =
        ARGUMENTS("history", ARGUMENT_SESSION,
                  FIELD("action", FIELD_TEXT, .of = &action_names, .flags = FIELD_UNLISTED),
                  FIELD("version", FIELD_ANY, .of = &version_number),
                  FIELD("to_version", FIELD_ANY, .of = &version_number),
                  FIELD("node_id", FIELD_TEXT), FIELD("since", FIELD_ANY, .of = &version_or_time),
                  FIELD("limit", FIELD_WHOLE, .least = 1, .most = LIST_MAX)),
    .read_only = true,
    .run = run,
    .brief = true,
};

/* What every action needs of a call. */
struct asked {
    char sid[SESSION_ID_SIZE];
    const char *node_id;                /* or NULL */
    struct buf found;                   /* owned: the id, where node_id was a title */
    int64_t version, to_version, since; /* 0: none was sent */
};

/* Returns as store_read_history does; *read is a new reference. */
static int read_page(struct store *store, const char *sid, const struct history_page *page,
                     json_t **read, struct error *err)
{
    struct buf BUF_AUTO text = {0};
    int rc = store_read_history(store, sid, page, &text, err);

    if (rc != 0)
        return rc;
    *read = json_read(text.data, text.len, "the history", err);
    return *read ? 0 : -1;
}

/* ---- list ---- */

static void write_change(struct buf *to, const json_t *change)
{
    const char *at = json_get_string(change, "at");
    const json_t *entries = json_object_get(change, "entries");

    buf_addf(to, "\nv%ld ", (long)json_integer_value(json_object_get(change, "version")));
    buf_add(to, at ? at : "", at ? strnlen(at, MINUTE_LEN) : 0);
    buf_addf(to, " %s: %s", json_get_string(change, "who"), json_get_string(change, "what"));
    if (json_array_size(entries) == 1 &&
        strcmp(json_get_string(json_array_get(entries, 0), "entity"), "component") == 0)
        buf_addf(to, " (component_id %s)",
                 json_get_string(json_array_get(entries, 0), "entity_id"));
    if (json_get_string(change, "undone_by"))
        buf_adds(to, " (undone)");
}

/* Those of read, newest first, that the page is of. *total counts them, beyond the limit too. */
static void write_changes(struct buf *to, const json_t *read, const struct history_page *page,
                          size_t *total)
{
    const json_t *change;
    size_t i, found = 0;

    json_array_foreach(json_object_get(read, "changes"), i, change)
    {
        json_int_t version = json_integer_value(json_object_get(change, "version"));

        if (version <= page->since || (page->before > 0 && version > page->before))
            continue;
        if (found++ < page->limit && to)
            write_change(to, change);
    }
    if (total)
        *total = found;
}

static int list(struct tool_call *call, struct store *store, const struct asked *asked,
                struct error *err)
{
    const struct history_page page = {
        .since = asked->since,
        .before = asked->version,
        .node_id = asked->node_id,
        .limit = (size_t)argument_whole(call, "limit", LIST_DEFAULT),
        .without_texts = true,
    };
    json_auto_t *own = NULL;
    const json_t *read = NULL;
    size_t total;
    int rc = call->briefly
                 ? history_pages_get(&call->server->histories, store, asked->sid, &read, err)
                 : read_page(store, asked->sid, &page, &own, err);

    if (rc != 0)
        return rc;
    if (own)
        total = (size_t)json_integer_value(json_object_get(own, "total"));
    else
        write_changes(NULL, read, &page, &total);
    read = own ? own : read;
    buf_addf(&call->text, "The curriculum is at version %ld; %zu change%s%s",
             (long)json_integer_value(json_object_get(read, "version")), total,
             total == 1 ? "" : "s", total == 0 ? "." : ", newest first:");
    write_changes(&call->text, read, &page, NULL);
    if (total > page.limit)
        buf_addf(&call->text, "\n%zu earlier: send version, the one to list from, or limit.",
                 total - page.limit);
    return 0;
}

/* ---- a difference in words ---- */

struct saying {
    struct buf *to;
    struct store *store;
    const char *sid;
    const json_t *differences;
};

static const char *sign(const json_t *before, const json_t *after)
{
    return json_is_null(before) ? "+" : json_is_null(after) ? "-" : "~";
}

/* The current state; of a deleted node the last one. */
static void add_node(const struct saying *saying, const char *node_id)
{
    char title[SHOWN_CAP] = "", id[SHOWN_CAP];
    const json_t *entry;
    size_t i;

    buf_adds(saying->to, text_cut_line(id, sizeof id, node_id));
    json_array_foreach((json_t *)saying->differences, i, entry)
    {
        const json_t *node = json_object_get(entry, "after");

        if (strcmp(json_get_string(entry, "entity"), "node") != 0 ||
            !json_get_string(entry, "entity_id") ||
            strcmp(json_get_string(entry, "entity_id"), node_id) != 0)
            continue;
        if (json_is_null(node))
            node = json_object_get(entry, "before");
        text_cut_line(title, sizeof title, json_get_string(node, "title"));
    }
    if (*title ||
        store_node_title(saying->store, saying->sid, node_id, title, sizeof title, NULL) == 0)
        buf_addf(saying->to, " \"%s\"", title);
}

/* ": title: A [scale -> balance]" */
static void add_change(struct buf *to, const json_t *before, const json_t *after)
{
    if (json_is_null(before) || json_is_null(after))
        return;
    buf_adds(to, ": ");
    value_change(before, after, to);
}

static void write_node(const struct saying *saying, const json_t *entry, const json_t *before,
                       const json_t *after)
{
    buf_adds(saying->to, "node ");
    add_node(saying, json_get_string(entry, "entity_id"));
    add_change(saying->to, before, after);
}

/* Its parameters, and its other members beside them; owned. */
static json_t *flat_component(const json_t *component)
{
    json_t *flat = json_copy(json_object_get(component, "parameters"));

    if (!json_is_object(flat)) {
        json_decref(flat);
        return json_incref((json_t *)component);
    }
    json_object_update_missing(flat, (json_t *)component);
    json_object_del(flat, "parameters");
    json_object_del(flat, "order_index");
    return flat;
}

/* N014 "Ratio tables", component 3 (definition) */
static void write_component(const struct saying *saying, const json_t *entry, const json_t *before,
                            const json_t *after)
{
    const json_t *component = json_is_null(after) ? before : after;
    const json_t *order = json_object_get(component, "order");
    char shown[SHOWN_CAP];

    add_node(saying, json_get_string(entry, "node_id"));
    buf_adds(saying->to, ", component ");
    if (json_is_integer(order))
        buf_addf(saying->to, "%" JSON_INTEGER_FORMAT " ", json_integer_value(order));
    text_cut_line(shown, sizeof shown, entity_component_type(component));
    buf_addf(saying->to, "(%s)", shown);
    if (json_is_null(before) || json_is_null(after)) {
        entity_component_summary(component, shown, sizeof shown);
        buf_addf(saying->to, ": %s", shown);
    } else {
        json_auto_t *old = flat_component(before), *new = flat_component(after);

        add_change(saying->to, old, new);
    }
    buf_addf(saying->to, " (component_id %s)", json_get_string(entry, "entity_id"));
}

static void write_relationship(const struct saying *saying, const json_t *entry,
                               const json_t *before, const json_t *after)
{
    const json_t *relationship = json_is_null(after) ? before : after;
    static const char *const ends[] = {"from_node_id", "to_node_id"};
    const char *type = json_get_string(relationship, "relationship_type");

    buf_addf(saying->to, "%.64s", type ? type : "relationship");
    for (size_t i = 0; i < 2; i++) {
        const char *node_id = json_get_string(relationship, ends[i]);

        buf_adds(saying->to, i == 0 ? " from " : " to ");
        add_node(saying, node_id ? node_id : "nowhere");
    }
    buf_addf(saying->to, " (id %s)", json_get_string(entry, "entity_id"));
    add_change(saying->to, before, after);
}

static void write_node_map(const struct saying *saying, const json_t *entry, const json_t *before,
                           const json_t *after)
{
    (void)before;
    (void)after;
    buf_adds(saying->to, NODE_MAP_ENTITY " of ");
    add_node(saying, json_get_string(entry, "entity_id"));
}

static void write_session(const struct saying *saying, const json_t *entry, const json_t *before,
                          const json_t *after)
{
    (void)entry;
    buf_adds(saying->to, "the curriculum's own fields");
    add_change(saying->to, before, after);
}

static const struct {
    const char *entity;
    void (*say)(const struct saying *saying, const json_t *entry, const json_t *before,
                const json_t *after);
} sayings[] = {
    {"node", write_node},
    {"component", write_component},
    {"relationship", write_relationship},
    {NODE_MAP_ENTITY, write_node_map},
    {"session", write_session},
};

static void say(const struct saying *saying, const json_t *entry)
{
    const json_t *before = json_object_get(entry, "before");
    const json_t *after = json_object_get(entry, "after");

    buf_addf(saying->to, "\n%s ", sign(before, after));
    for (size_t i = 0; i < sizeof sayings / sizeof sayings[0]; i++)
        if (strcmp(sayings[i].entity, json_get_string(entry, "entity")) == 0)
            sayings[i].say(saying, entry, before, after);
}

/* difference: as store_read_difference tells it. One line a thing. */
static int write_difference(struct buf *to, struct store *store, const char *sid,
                            const json_t *difference, struct error *err)
{
    const struct saying saying = {to, store, sid, json_object_get(difference, "differences")};
    size_t total = json_array_size(saying.differences), i;
    const json_t *entry;

    buf_addf(to, "From version %" JSON_INTEGER_FORMAT " to %" JSON_INTEGER_FORMAT ": ",
             json_integer_value(json_object_get(difference, "from")),
             json_integer_value(json_object_get(difference, "to")));
    if (total == 0)
        buf_adds(to, "no difference.");
    else
        buf_addf(to, "%zu thing%s (+ came, - went, ~ changed)", total, total == 1 ? "" : "s");
    json_array_foreach((json_t *)saying.differences, i, entry)
    {
        if (i == DIFFERENCE_LINES_CAP) {
            buf_addf(to, "\n%zu more: compare closer versions.", total - i);
            break;
        }
        say(&saying, entry);
    }
    return buf_check(to, "the answer", err);
}

/* ---- difference ---- */

static int difference(struct tool_call *call, struct store *store, const struct asked *asked,
                      struct error *err)
{
    struct buf BUF_AUTO text = {0};
    json_auto_t *read = NULL;
    int64_t to = asked->to_version;

    if (asked->version == 0)
        return error_set_at(err, "version",
                            "difference needs version, the one to compare with; without versions, "
                            "history lists those there are.");
    if ((to == 0 && store_session(store, asked->sid, NULL, 0, &to, err) < 0) ||
        store_read_difference(store, asked->sid, asked->version, to, &text, err) < 0)
        return -1;
    read = json_read(text.data, text.len, "the history", err);
    return read ? write_difference(&call->text, store, asked->sid, read, err) : -1;
}

int tool_set_of_version(struct store *store, const char *sid, long version,
                        char set[CHANGE_SET_ID_SIZE], struct error *err)
{
    const struct history_page page = {
        .since = version - 1, .before = version, .limit = HISTORY_LIMIT_MAX, .without_texts = true};
    json_auto_t *read = NULL;
    const char *found;

    if (read_page(store, sid, &page, &read, err) < 0)
        return -1;
    found = json_get_string(json_array_get(json_object_get(read, "changes"), 0), "change_set");
    if (!found)
        return error_set_at(err, "version",
                            "version: no change ended at %ld; send one that history lists, "
                            "the newest is %ld.",
                            version, (long)json_integer_value(json_object_get(read, "version")));
    snprintf(set, CHANGE_SET_ID_SIZE, "%s", found);
    return 0;
}

/* ---- actions ---- */

static const struct {
    const char *name;
    int (*run)(struct tool_call *call, struct store *store, const struct asked *asked,
               struct error *err);
    bool brief;
} actions[] = {{"list", list, true}, {"difference", difference, false}};
#define ACTION_COUNT (sizeof actions / sizeof actions[0])

static const char *action_name(size_t i)
{
    return i < ACTION_COUNT ? actions[i].name : NULL;
}

/* The index of the action in the table. One that is missing follows from the versions. */
static size_t find_action(const struct tool_call *call)
{
    const char *action = argument_text(call, "action");

    for (size_t i = 0; action && i < ACTION_COUNT; i++)
        if (strcmp(actions[i].name, action) == 0)
            return i;
    return json_object_get(call->arguments, "version") ||
           json_object_get(call->arguments, "to_version");
}

/* Undo and restore were actions here: models and people who know them are told what works now. */
static void check_action(const struct field *row, const json_t *value, const json_t *object,
                         const char *name, struct validation_errors *problems)
{
    const char *action = json_string_value(value);

    (void)row;
    (void)object;
    for (size_t i = 0; action && i < ACTION_COUNT; i++)
        if (strcmp(actions[i].name, action) == 0)
            return;
    if (action && (strcmp(action, "undo") == 0 || strcmp(action, "restore") == 0))
        validation_add(problems, name,
                       "history only reads. Call the tool undo: {} for your newest change, "
                       "{\"version\": 7} for the change of version 7, {\"restore\": 7} to go back "
                       "to version 7");
    else
        validation_add(problems, name, "must be list (the default) or difference");
}

/* ---- versions: by number, or by a time at which they were current ---- */

#define TIME_LEN_MAX (sizeof "2026-11-28T14:05:00.000" - 1)

/* Whether text is a date, or a date and a time in UTC; to: the same as the change log writes it. */
static bool read_time(const char *text, char to[TIME_LEN_MAX + 1])
{
    static const char form[] = "0000-00-00T00:00:00.000";
    size_t len = strlen(text);

    if (len > 0 && text[len - 1] == 'Z')
        len--;
    if (len != strlen("2026-11-28") && len != strlen("2026-11-28T14:05") &&
        len != strlen("2026-11-28T14:05:00") && len != TIME_LEN_MAX)
        return false;
    for (size_t i = 0; i < len; i++) {
        to[i] = text[i] == ' ' ? 'T' : text[i];
        if (form[i] == '0' ? to[i] < '0' || to[i] > '9' : to[i] != form[i])
            return false;
    }
    to[len] = '\0';
    return true;
}

/* The number, also if it was sent as text; -1 for anything else. */
static int64_t read_number(const json_t *value)
{
    const char *text = json_string_value(value);
    char *end;
    int64_t number;

    if (json_is_integer(value))
        return json_integer_value(value);
    if (json_is_real(value) && json_real_value(value) == (double)(int64_t)json_real_value(value))
        return (int64_t)json_real_value(value);
    if (!text || *text < '0' || *text > '9')
        return -1;
    number = strtoll(text, &end, 10);
    return *end ? -1 : number;
}

static void check_version(const struct field *row, const json_t *value, const json_t *object,
                          const char *name, struct validation_errors *problems)
{
    const char *text = json_string_value(value);
    char time[TIME_LEN_MAX + 1];

    (void)row;
    (void)object;
    if (read_number(value) < 0 && !(text && read_time(text, time)))
        validation_add(
            problems, name,
            "must be a version, a whole number, or a time in UTC at which it was current, "
            "such as 2026-11-28 or 2026-11-28T14:05");
}

static void write_whole(const struct field *row, const void *context, struct buf *to)
{
    (void)row;
    (void)context;
    buf_adds(to, "{\"type\":\"integer\"}");
}

static void write_text(const struct field *row, const void *context, struct buf *to)
{
    (void)row;
    (void)context;
    buf_adds(to, "{\"type\":\"string\"}");
}

/* *version stays as it is if the argument was not sent. */
static int take_version(const struct tool_call *call, struct store *store, const char *sid,
                        const char *name, int64_t newest, int64_t *version, struct error *err)
{
    const json_t *value = json_object_get(call->arguments, name);
    const char *text = json_string_value(value);
    char time[TIME_LEN_MAX + 1];

    if (!value)
        return 0;
    if (!text || !read_time(text, time))
        *version = read_number(value);
    else if (store_version_at(store, sid, time, version, err) < 0)
        return -1;
    if (*version > newest)
        return error_set_at(err, name,
                            "%s: there is no version %" PRId64 ", the newest is %" PRId64, name,
                            *version, newest);
    if (*version > 0 || strcmp(name, "since") == 0)
        return 0;
    return error_set_at(err, name, "%s: the history of this curriculum begins later", name);
}

static int take_versions(const struct tool_call *call, struct store *store, struct asked *asked,
                         struct error *err)
{
    int64_t newest;

    if (store_session(store, asked->sid, NULL, 0, &newest, err) < 0 ||
        take_version(call, store, asked->sid, "version", newest, &asked->version, err) < 0 ||
        take_version(call, store, asked->sid, "to_version", newest, &asked->to_version, err) < 0)
        return -1;
    return take_version(call, store, asked->sid, "since", newest, &asked->since, err);
}

/* An id of a node that was deleted is taken as it is: history has it still. */
static int resolve_node(struct store *store, struct asked *asked, struct error *err)
{
    const char *name = asked->node_id;
    struct error why = {0};

    if (!name || store_node_id(store, asked->sid, name, "node_id", &asked->found, &asked->node_id,
                               &why) == 0)
        return 0;
    asked->node_id = name;
    if (why.kind == ERROR_NOT_FOUND)
        return 0;
    return error_set(err, why.kind, "%s", why.text);
}

static int run(struct tool_call *call, struct store *store, struct error *err)
{
    struct asked asked = {.node_id = argument_text(call, "node_id")};
    int rc = -1;

    if (call->briefly && (!actions[find_action(call)].brief || asked.node_id))
        return 1;
    if (tool_session(call, store, asked.sid, err) == 0 &&
        take_versions(call, store, &asked, err) == 0 && resolve_node(store, &asked, err) == 0)
        rc = actions[find_action(call)].run(call, store, &asked, err);
    buf_finish(&asked.found);
    return rc;
}
