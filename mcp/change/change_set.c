/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A change set: checking an operation against its row of the table in change_operations.c (known
 * members, required members, types), and applying a list of them in one transaction. Each operation
 * has its own savepoint, so that a bad one leaves nothing behind and the others are still checked.
 */
#include "mcp/change/change_set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/nearest.h"
#include "helpers/base/utf8.h"
#include "helpers/base/validation.h"
#include "mcp/change/change_run.h"
#include "mcp/curriculum/curriculum_uri.h"
#include "mcp/curriculum/entity.h"
#include "mcp/store/entities/node.h"
#include "mcp/store/entities/outline.h"
#include "mcp/store/entities/session.h"

#define MEMBERS_CAP    10 /* of an operation */
#define BRIEF_CAP      48 /* of all operations together */
#define WORD_SHOWN     64 /* bytes of a client's own word in an error */
#define LINES_SAID_CAP 30 /* operations listed one by one in words */
#define LINE_CAP       600

/* "rename_node takes node_id, title, expected_revision?" */
static void list_members(const struct operation *operation, struct buf *to)
{
    const struct fields *members = &operation->members;

    buf_addf(to, "%s takes ", members->name);
    for (const struct field *row = members->rows; row->name; row++)
        buf_addf(to, "%s%s%s", row > members->rows ? ", " : "", row->name,
                 row->required ? "" : "?");
}

/* ---- schemas ---- */

static void write_operation(const struct operation *operation, struct buf *to)
{
    const char *const name[] = {operation->members.name, NULL};
    struct field rows[MEMBERS_CAP + 2] = {
        FIELD("op", FIELD_TEXT, .required = true, .choices = name)};
    struct fields fields = operation->members;

    for (size_t i = 0; i < MEMBERS_CAP && fields.rows[i].name; i++)
        rows[i + 1] = fields.rows[i];
    fields.rows = rows;
    fields_schema(&fields, "", NULL, to);
}

static void write_operations(const struct field *row, const void *context, struct buf *to)
{
    (void)row;
    (void)context;
    buf_adds(to, "{\"type\":\"object\",\"anyOf\":[");
    for (size_t i = 0; i < change_operation_count; i++) {
        buf_adds(to, i > 0 ? "," : "");
        write_operation(&change_operations[i], to);
    }
    buf_adds(to, "]}");
}

static const char *operation_name(size_t i)
{
    return i < change_operation_count ? change_operations[i].members.name : NULL;
}

const struct fields change_set_operation = {"an operation", .schema = "Operation",
                                            .write_schema = write_operations};

/* The short form for models: the members of all operations together, each once, so that a program
 * that allows no others can send them all. */
static const char *brief_name(size_t i)
{
    return i == change_operation_count ? CHANGE_SET_DRY_RUN : operation_name(i);
}

static const struct fields brief_names = {.name = "op", .choice = brief_name};

static struct field brief_row(const struct field *row)
{
    struct field brief = {.name = row->name, .type = row->type, .item = row->item};

    if (row->type == FIELD_ARRAY && row->item == FIELD_ANY) /* places, also as text, or ids */
        brief.item = FIELD_TEXT;
    return brief;
}

/* Whether it is there already, by its name or by the other one that it has. */
static bool is_listed(const struct fields *all, const struct field *row)
{
    const struct field *other = row->also ? fields_find(all, row->also) : NULL;

    return fields_find(all, row->name) || (other && other->type == row->type);
}

static void write_brief(const struct field *row, const void *context, struct buf *to)
{
    struct field rows[BRIEF_CAP + 1] = {
        FIELD("op", FIELD_TEXT, .required = true, .of = &brief_names)};
    const struct fields all = {.rows = rows,
                               .documentation = change_set_operation_brief.documentation};
    size_t count = 1;

    (void)row;
    for (size_t i = 0; i < change_operation_count; i++)
        for (const struct field *member = change_operations[i].members.rows; member->name; member++)
            if (!is_listed(&all, member) && !(member->flags & FIELD_UNLISTED) && count < BRIEF_CAP)
                rows[count++] = brief_row(member);
    fields_schema(&all, NULL, context, to);
}

const struct fields change_set_operation_brief = {
    .name = "an operation",
    .flags = FIELDS_AS_TEXT,
    .write_schema = write_brief,
    .documentation = "Beside node_id: create_node title, fields; split_node components (2, 4-6), "
                     "new_node_id, title; merge_nodes into_node_id. relationships: by id or other "
                     "end. order: old places. in: titles, component type or field"};

bool change_set_has_member(const char *name)
{
    for (size_t i = 0; i < change_operation_count; i++)
        if (fields_find(&change_operations[i].members, name))
            return true;
    return false;
}

/* ---- reading one ---- */

static const struct operation *find(const char *name)
{
    for (size_t i = 0; name && i < change_operation_count; i++) {
        if (strcmp(change_operations[i].members.name, name) == 0)
            return &change_operations[i];
    }
    return NULL;
}

const struct fields *change_set_operation_like(const char *name)
{
    struct nearest search;

    nearest_begin_action(&search, name);
    for (size_t i = 0; i < change_operation_count; i++)
        nearest_feed(&search, change_operations[i].members.name);
    return search.best ? &change_operations[search.best_index].members : NULL;
}

static int write_unknown(const json_t *op, struct error *err)
{
    const struct fields *like =
        json_is_string(op) ? change_set_operation_like(json_string_value(op)) : NULL;
    struct buf BUF_AUTO names = {0};
    char shown[WORD_SHOWN];

    buf_init(&names, ERROR_TEXT_CAP / 2);
    for (size_t i = 0; i < change_operation_count; i++)
        buf_addf(&names, "%s%s", i > 0 ? ", " : "", change_operations[i].members.name);
    if (!op)
        return error_set_at(err, "op", "op is needed, one of %s", names.data);
    if (!json_is_string(op))
        return error_set_at(err, "op", "op must be text, not %s: one of %s", json_kind(op),
                            names.data);
    text_cut_line(shown, sizeof shown, json_string_value(op));
    if (like)
        return error_set_at(err, "op", "there is no op '%s'; did you mean '%s'? There are %s",
                            shown, like->name, names.data);
    return error_set_at(err, "op", "there is no op '%s'. There are %s", shown, names.data);
}

/* What an earlier operation made, where value is "$2"; borrowed, or NULL. */
static json_t *made_by(const char *value, const json_t *results, const char *member)
{
    unsigned long at;
    char *end;

    if (!value || value[0] != '$' || value[1] < '0' || value[1] > '9')
        return NULL;
    at = strtoul(value + 1, &end, 10);
    return *end ? NULL : json_object_get(json_array_get(results, at), member);
}

/* The value with "$2" replaced, also in a list; a new reference. */
static json_t *with_made(json_t *value, const json_t *results, const char *member)
{
    json_t *id = made_by(json_string_value(value), results, member), *list, *entry;
    size_t i;

    if (!json_is_array(value))
        return json_incref(id ? id : value);
    list = json_copy(value);
    json_array_foreach(list, i, entry)
    {
        id = made_by(json_string_value(entry), results, member);
        if (id)
            json_array_set(list, i, id);
    }
    return list;
}

/* The members that were sent, with "$2" replaced; a new reference, or NULL. */
static json_t *sent_members(const struct operation *operation, const json_t *item,
                            const json_t *results)
{
    static const char *const made[][2] = {{"component_id", "component_id"},
                                          {"id", "id"},
                                          {"components", "component_id"},
                                          {"relationships", "id"}};
    json_t *members = json_copy((json_t *)item);

    json_object_del(members, "op");
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++) {
        json_t *sent = json_object_get(members, made[i][0]);

        if (sent && fields_find(&operation->members, made[i][0]))
            json_object_set_new(members, made[i][0], with_made(sent, results, made[i][1]));
    }
    return members;
}

/* A null stands for a member that is not used: programs that require every member send them all.
 * (A node's own field of such a name is taken away with fields.) */
static void drop_unused(const struct operation *operation, json_t *sent)
{
    const char *name;
    void *next;
    json_t *value;

    json_object_foreach_safe(sent, next, name, value)
    {
        if (json_is_null(value) && !fields_find(&operation->members, name) &&
            change_set_has_member(name))
            json_object_del(sent, name);
    }
}

/* The fields that every node may have need not stand in fields. Takes them out of sent: a new
 * reference. */
static json_t *take_node_fields(const struct operation *operation, json_t *sent)
{
    json_t *taken = json_object();
    const char *name;
    void *next;
    json_t *value;

    if (!fields_find(&operation->members, "fields"))
        return taken;
    json_object_foreach_safe(sent, next, name, value)
    {
        const struct field *row = fields_find(&entity_node_fields, name);

        if (!row || row->flags & FIELD_GIVEN_BACK || fields_find(&operation->members, name))
            continue;
        json_object_set(taken, name, value);
        json_object_del(sent, name);
    }
    return taken;
}

/* Puts the node's own fields that were sent in fields beside the operation's members. */
static int spread_fields(struct run *run, struct error *err)
{
    json_auto_t *fields = json_incref(json_object_get(run->given, "fields"));
    const char *name;
    json_t *value;

    json_object_del(run->given, "fields");
    json_object_foreach(fields, name, value)
    {
        if (strcmp(name, "node_id") == 0 || json_object_get(run->given, name))
            return error_set_at(err, "fields", "fields: %.*s stands beside fields, not in it",
                                utf8_shown(name, WORD_SHOWN), name);
        if (json_object_set(run->given, name, value) != 0)
            return error_set(err, ERROR_MEMORY, "out of memory for an operation");
    }
    return 0;
}

/* The row that item's op names, and its members checked, as the run's. NULL: ERROR_INVALID. */
static const struct operation *read_operation(struct run *run, const json_t *item,
                                              struct error *err)
{
    const struct operation *operation = find(json_get_string(item, "op"));
    json_auto_t *sent = NULL, *node_fields = NULL;
    struct validation_errors problems;
    struct buf BUF_AUTO advice = {0};

    run->given = NULL;
    if (!json_is_object(item)) {
        error_set_at(err, "",
                     "an operation must be an object such as {\"op\": \"delete_node\", "
                     "\"node_id\": \"N003\"}, not %s",
                     json_kind(item));
        return NULL;
    }
    if (!operation) {
        write_unknown(json_object_get(item, "op"), err);
        return NULL;
    }
    validation_begin(&problems, "");
    sent = sent_members(operation, item, run->results);
    if (sent) {
        drop_unused(operation, sent);
        node_fields = take_node_fields(operation, sent);
        run->given = fields_take(&operation->members, sent, NULL, &problems);
    }
    if (!run->given || !node_fields || json_object_update(run->given, node_fields) < 0) {
        error_set(err, ERROR_MEMORY, "out of memory for an operation");
        return NULL;
    }
    if (problems.count > 0) {
        buf_init(&advice, ERROR_TEXT_CAP / 2);
        list_members(operation, &advice);
    }
    if (validation_end(&problems, advice.data, err) < 0 || spread_fields(run, err) < 0)
        return NULL;
    return operation;
}

/* Whether it is the end of a link, which is in another curriculum. */
static bool names_elsewhere(const json_t *given, const char *member, const char *name)
{
    return strcmp(member, "to_node_id") == 0 &&
           (json_get_string(given, "to_session") || curriculum_uri_is_node(name));
}

/* Puts ids in place of titles, in the transaction of the operation. */
static int resolve_names(struct run *run, const struct operation *operation, struct error *err)
{
    for (const struct field *row = operation->members.rows; row->name; row++) {
        const char *name = get_text(run, row->name), *id;
        struct buf BUF_AUTO found = {0};

        if (!(row->flags & FIELD_NAME) || !name || names_elsewhere(run->given, row->name, name))
            continue;
        if (store_node_id(run->store, run->sid, name, row->name, &found, &id, err) < 0)
            return -1;
        if (id != name && json_object_set_new(run->given, row->name, json_string(id)) != 0)
            return error_set(err, ERROR_MEMORY, "out of memory for an operation");
    }
    return 0;
}

/* ---- doing a list ---- */

/* What became of one operation. */
static int end_operation(struct run *run, const char *op, bool ok, const char *text,
                         struct error *err)
{
    json_auto_t *whole = json_pack("{s:s*, s:b, s:s}", "op", op, "ok", ok, "message", text);
    char line[LINE_CAP];

    if (!whole || json_object_update(whole, run->result) != 0 ||
        json_array_append(run->results, whole) != 0)
        return error_set(err, ERROR_MEMORY, "out of memory for a change set");
    if (json_array_size(run->results) > LINES_SAID_CAP)
        return 0;
    buf_addf(&run->outcome->lines, "- %s\n", text_cut_line(line, sizeof line, text));
    if (ok)
        buf_add(&run->outcome->lines, run->details.data, run->details.len);
    return 0;
}

/* Errors that all other operations would have too: they end the whole set. */
static bool is_grave(enum error_kind kind)
{
    return kind != ERROR_MALFORMED && kind != ERROR_INVALID && kind != ERROR_NOT_FOUND &&
           kind != ERROR_CONFLICT && kind != ERROR_STALE && kind != ERROR_TOO_LARGE;
}

static int take_bad(struct run *run, size_t index, const char *op, struct error *found,
                    struct error *err)
{
    char loc[ERROR_LOC_CAP + 32];

    if (is_grave(found->kind))
        return error_set(err, found->kind, "%s", found->text);
    snprintf(loc, sizeof loc, "operations.%zu%s%s", index, *found->loc ? "." : "", found->loc);
    error_wrap(found, "operations.%zu%s%s%s", index, op ? " (" : "", op ? op : "", op ? ")" : "");
    text_cut(found->loc, sizeof found->loc, loc);
    validation_take(&run->bad, found);
    run->bad_kind =
        run->outcome->bad == 0 || run->bad_kind == found->kind ? found->kind : ERROR_INVALID;
    run->outcome->bad++;
    json_object_clear(run->result);
    return end_operation(run, op, false, found->text, err);
}

/* ---- doing ---- */

/* In its own savepoint. */
static int apply_one(struct run *run, const json_t *item, struct error *err)
{
    const struct operation *operation = read_operation(run, item, err);
    int rc;

    if (!operation || store_begin(run->store, err) < 0)
        return -1;
    rc = resolve_names(run, operation, err);
    if (rc == 0)
        rc = operation->apply(run, err);
    if (store_end(run->store, rc == 0, rc == 0 ? err : NULL) < 0)
        rc = -1;
    return rc;
}

static int apply_at(struct run *run, size_t index, struct error *err)
{
    const json_t *item = json_array_get(run->set->operations, index);
    const char *op = json_get_string(item, "op");
    struct error found = {0};
    int rc;

    run->result = json_object();
    if (!run->result)
        return error_set(err, ERROR_MEMORY, "out of memory for a change set");
    if (apply_one(run, item, &found) < 0) {
        rc = take_bad(run, index, op, &found, err);
    } else {
        run->outcome->done++;
        rc = end_operation(run, op, true, run->message.data ? run->message.data : "", err);
    }
    json_decref(run->given);
    json_decref(run->result);
    buf_clear(&run->message);
    buf_clear(&run->details);
    return rc;
}

static int apply_all(struct run *run, struct error *err)
{
    size_t count = json_array_size(run->set->operations);

    for (size_t i = 0; i < count; i++) {
        if (apply_at(run, i, err) < 0)
            return -1;
    }
    if (run->outcome->bad == 0 || run->set->keep_going)
        return 0;
    validation_end(&run->bad,
                   count > 1 ? "Nothing was done; keep_going does those that are good" : NULL, err);
    if (err)
        err->kind = run->bad_kind;
    return -1;
}

/* What a dry run makes is made again, with other ids, when it is applied. */
static void write_results(struct run *run)
{
    size_t count = json_array_size(run->results), i;
    json_t *result;

    json_array_foreach(run->results, i, result)
    {
        if (!run->set->dry_run || !json_get_string(result, "op") ||
            strncmp(json_get_string(result, "op"), "create_", 7) != 0)
            continue;
        json_object_del(result, "component_id");
        json_object_del(result, "id");
    }
    json_write(&run->outcome->results, run->results);
    if (count > LINES_SAID_CAP)
        buf_addf(&run->outcome->lines, "… and %zu operations more\n", count - LINES_SAID_CAP);
}

/* ---- the whole ---- */

static int check_expected(struct store *store, const char *sid, int64_t expected, int64_t *version,
                          struct error *err)
{
    if (store_session(store, sid, NULL, 0, version, err) < 0)
        return -1;
    if (expected == 0 || expected == *version)
        return 0;
    return error_set(err, ERROR_STALE,
                     "the session is at version %lld now: another write came between. Read it "
                     "again, then send what is still right",
                     (long long)*version);
}

/* Adds what the operation will read of the nodes that it names, as store_read_ahead takes it. */
static void add_parts(const struct operation *operation, const json_t *item, json_t *parts)
{
    for (const struct field *row = operation->members.rows; row->name; row++) {
        const char *id = json_get_string(item, row->name);
        json_int_t before;

        if (!id && row->also)
            id = json_get_string(item, row->also);
        if (!id || !(row->flags & FIELD_NAME))
            continue;
        before = json_integer_value(json_object_get(parts, id));
        json_object_set_new(parts, id, json_integer(before | operation->reads));
    }
}

/* With a service behind the store each node is a request: requests all named nodes at once. */
static int read_ahead(struct run *run, struct error *err)
{
    json_auto_t *parts = NULL;
    const json_t *item;
    size_t i;

    if (!store_capabilities(run->store).waits_for_network)
        return 0;
    parts = json_object();
    json_array_foreach((json_t *)run->set->operations, i, item)
    {
        const struct operation *operation = find(json_get_string(item, "op"));

        if (operation && operation->reads)
            add_parts(operation, item, parts);
    }
    return store_read_ahead(run->store, run->sid, parts, err);
}

static int apply_set(struct run *run, int64_t expected, struct error *err)
{
    struct change_set_outcome *outcome = run->outcome;
    const json_t *item;
    size_t i;

    if (check_expected(run->store, run->sid, expected, &run->version, err) < 0 ||
        read_ahead(run, err) < 0)
        return -1;
    outcome->version = run->version;
    json_array_foreach((json_t *)run->set->operations, i, item)
    {
        const struct operation *operation = find(json_get_string(item, "op"));

        outcome->touches_graph |= operation && !operation->leaves_graph;
    }
    if (outcome->touches_graph &&
        store_read_outline(run->store, run->sid, &outcome->before, err) < 0)
        return -1;
    if (apply_all(run, err) < 0 ||
        (outcome->touches_graph &&
         store_read_outline(run->store, run->sid, &outcome->after, err) < 0))
        return -1;
    write_results(run);
    if (buf_check(&outcome->results, "the results", err) < 0 ||
        buf_check(&outcome->lines, "the results", err) < 0)
        return -1;
    if (run->set->dry_run)
        return 0;
    return store_session(run->store, run->sid, NULL, 0, &outcome->version, err);
}

static int check_list(const json_t *list, struct error *err)
{
    size_t count = json_array_size(list);

    if (!json_is_array(list) || count == 0)
        return error_set_at(err, "operations",
                            "operations: send an array of operations such as {\"op\": "
                            "\"delete_node\", \"node_id\": \"N003\"}, one at least");
    if (count > CHANGE_SET_OPERATIONS_MAX)
        return error_set_at(err, "operations",
                            "operations: %zu are too many at once, send %d at most", count,
                            CHANGE_SET_OPERATIONS_MAX);
    return 0;
}

int change_set_apply(struct store *store, const struct writer *writer, const char *sid,
                     const struct change_set *set, struct change_set_outcome *outcome,
                     struct error *err)
{
    const struct writer own = {.who = writer->who,
                               .change_set = outcome->change_set,
                               .only = writer->only,
                               .strict = true};
    struct run run = {.store = store,
                      .sid = sid,
                      .set = set,
                      .outcome = outcome,
                      .writer = &own,
                      .results = json_array()};
    int rc = -1;

    memset(outcome, 0, sizeof *outcome);
    validation_begin(&run.bad, "");
    if (!run.results)
        return error_set(err, ERROR_MEMORY, "out of memory for a change set");
    if (check_list(set->operations, err) == 0 && text_uuid(outcome->change_set, err) == 0 &&
        store_begin(store, err) == 0) {
        rc = apply_set(&run, writer->expected_cursor, err);
        if (store_end(store, rc == 0 && !set->dry_run, rc == 0 ? err : NULL) < 0)
            rc = -1;
    }
    if (outcome->version == run.version) /* a dry run, or nothing that was not so already */
        outcome->change_set[0] = '\0';
    if (rc < 0)
        change_set_outcome_finish(outcome);
    json_decref(run.results);
    buf_finish(&run.message);
    buf_finish(&run.details);
    return rc;
}

void change_set_outcome_finish(struct change_set_outcome *outcome)
{
    buf_finish(&outcome->results);
    buf_finish(&outcome->lines);
    outline_finish(&outcome->before);
    outline_finish(&outcome->after);
    memset(outcome, 0, sizeof *outcome);
}
