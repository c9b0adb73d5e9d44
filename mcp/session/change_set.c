/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A change set, done as one transaction: each operation in a savepoint of its own, so that a bad
 * one leaves nothing half done and the others are still checked.
 */
#include "mcp/session/change_set.h"

#include <stdio.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/session/change_operations.h"
#include "helpers/base/validation.h"
#include "mcp/session/text.h"

#define LINES_SAID_CAP 30 /* operations listed one by one in words */
#define LINE_CAP       600

struct change_run {
    struct store *store;
    const char *sid;
    const struct change_set *set;
    struct change_set_outcome *outcome;
    struct writer writer;
    json_t *results; /* owned */
    int64_t version; /* of the session before it */
    struct validation_errors bad;
    enum error_kind bad_kind; /* of all that are bad, where it is the same */
};

/* ---- saying what became of one ---- */

static void add_line(struct change_run *run, size_t index, const char *text)
{
    char line[LINE_CAP];

    if (index < LINES_SAID_CAP)
        buf_addf(&run->outcome->lines, "- %s\n", text_cut_line(line, sizeof line, text));
}

static void end_lines(struct change_run *run)
{
    size_t count = json_array_size(run->results);

    if (count > LINES_SAID_CAP)
        buf_addf(&run->outcome->lines, "… and %zu operations more\n", count - LINES_SAID_CAP);
}

static int add_result(struct change_run *run, json_t *result, const char *op, bool ok,
                      const char *text, struct error *err)
{
    json_t *whole = json_pack("{s:s*, s:b, s:s}", "op", op, "ok", ok, "message", text);

    if (!whole || json_object_update(whole, result) != 0 ||
        json_array_append(run->results, whole) != 0) {
        json_decref(whole);
        return error_set(err, ERROR_MEMORY, "out of memory for a change set");
    }
    add_line(run, json_array_size(run->results) - 1, text);
    json_decref(whole);
    return 0;
}

/* What no other operation can be asked any more: the whole set ends with it. */
static bool is_grave(enum error_kind kind)
{
    return kind != ERROR_MALFORMED && kind != ERROR_INVALID && kind != ERROR_NOT_FOUND &&
           kind != ERROR_CONFLICT && kind != ERROR_STALE && kind != ERROR_TOO_LARGE;
}

static int take_bad(struct change_run *run, size_t index, const char *op, struct error *found,
                    struct error *err)
{
    json_auto_t *nothing = json_object();
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
    return add_result(run, nothing, op, false, found->text, err);
}

/* ---- doing ---- */

static int apply_one(struct change_run *run, const json_t *item, json_t *result,
                     struct buf *message, struct error *err)
{
    json_auto_t *given = NULL;
    const struct change_operation *operation =
        change_operation_read(item, run->results, &given, err);
    struct change_work work = {run->store, &run->writer, run->sid, given, result, message};
    int rc;

    if (!operation || store_begin(run->store, err) < 0)
        return -1;
    rc = change_operation_resolve(operation, run->store, run->sid, given, err);
    if (rc == 0)
        rc = operation->apply(&work, err);
    if (store_end(run->store, rc == 0, rc == 0 ? err : NULL) < 0)
        rc = -1;
    return rc;
}

static int apply_at(struct change_run *run, size_t index, struct error *err)
{
    const json_t *item = json_array_get(run->set->operations, index);
    const char *op = json_get_string(item, "op");
    json_auto_t *result = json_object();
    struct buf BUF_AUTO message = {0};
    struct error found = {0};

    if (!result)
        return error_set(err, ERROR_MEMORY, "out of memory for a change set");
    if (apply_one(run, item, result, &message, &found) < 0)
        return take_bad(run, index, op, &found, err);
    run->outcome->done++;
    return add_result(run, result, op, true, message.data ? message.data : "", err);
}

static int apply_all(struct change_run *run, struct error *err)
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
static void write_results(struct change_run *run)
{
    json_t *result;
    size_t i;

    json_array_foreach(run->results, i, result)
    {
        if (!run->set->dry_run || !json_get_string(result, "op") ||
            strncmp(json_get_string(result, "op"), "create_", 7) != 0)
            continue;
        json_object_del(result, "component_id");
        json_object_del(result, "id");
    }
    json_write(&run->outcome->results, run->results);
    end_lines(run);
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

/* In front of a service each node is a request: all that are named are asked for at once. */
static int read_ahead(struct change_run *run, struct error *err)
{
    json_auto_t *parts = NULL;
    const json_t *item;
    size_t i;

    if (!store_capabilities(run->store).waits_for_network)
        return 0;
    parts = json_object();
    json_array_foreach((json_t *)run->set->operations, i, item)
        change_operation_add_parts(item, parts);
    return store_read_ahead(run->store, run->sid, parts, err);
}

static int work(struct change_run *run, int64_t expected, struct error *err)
{
    struct change_set_outcome *outcome = run->outcome;
    const json_t *item;
    size_t i;

    if (check_expected(run->store, run->sid, expected, &run->version, err) < 0 ||
        read_ahead(run, err) < 0)
        return -1;
    outcome->version = run->version;
    json_array_foreach((json_t *)run->set->operations, i, item) outcome->touches_graph =
        outcome->touches_graph || change_operation_touches_graph(item);
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

static int check_list(const json_t *operations, struct error *err)
{
    size_t count = json_array_size(operations);

    if (!json_is_array(operations) || count == 0)
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
    struct change_run run = {
        .store = store, .sid = sid, .set = set, .outcome = outcome, .results = json_array()};
    int rc = -1;

    memset(outcome, 0, sizeof *outcome);
    validation_begin(&run.bad, "");
    run.writer = (struct writer){.who = writer->who, .change_set = outcome->change_set};
    if (!run.results)
        return error_set(err, ERROR_MEMORY, "out of memory for a change set");
    if (check_list(set->operations, err) == 0 && text_uuid(outcome->change_set, err) == 0 &&
        store_begin(store, err) == 0) {
        rc = work(&run, writer->expected_cursor, err);
        if (store_end(store, rc == 0 && !set->dry_run, rc == 0 ? err : NULL) < 0)
            rc = -1;
    }
    if (outcome->version == run.version) /* a dry run, or nothing that was not so already */
        outcome->change_set[0] = '\0';
    if (rc < 0)
        change_set_outcome_finish(outcome);
    json_decref(run.results);
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
