/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * find: lessons by their words, by what they lack, and one lesson to read, in one curriculum or in
 * several; or which curricula there are. The store finds; this file says it in few words. On the
 * read work queue.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "helpers/base/json.h"
#include "mcp/curriculum/text.h"
#include "mcp/store/entities/node.h"
#include "mcp/store/entities/read.h"
#include "mcp/store/entities/session.h"
#include "mcp/store/search/find.h"
#include "mcp/tool/arguments.h"

#define LIMIT_DEFAULT 8
#define TITLE_SHOWN   160
#define FIELD_SHOWN   100 /* bytes of a field's name */
#define ALSO_CAP      4u  /* further curricula of one call */
#define LISTED_CAP    100 /* curricula */

static int run(struct tool_call *call, struct store *store, struct error *err);

static const char *const sorts[] = {"best", "order", "words", "changed", NULL};

const struct tool tool_find_lessons = {
    .name = "find",
    .title = "Find",
    .description = "Lessons by words (any form; \"a phrase\"), what they lack, or all. node_id "
                   "alone: reads it. "
                   "No arguments: the curricula.",
    .call_title = "Find {text}|Read {node_id}|Lessons without {without}|Look at the lessons",
    .icon = "ask",
    .use = "to find where something stands, and to read a lesson",
    .arguments = ARGUMENTS(
        "find", ARGUMENT_SESSION, FIELD("text", FIELD_TEXT, .least = 1, .most = FIND_TEXT_MAX),
        FIELD("in", FIELD_TEXT,
              .documentation = "titles, a component type or parameter; to read: all, a type"),
        FIELD("without", FIELD_TEXT,
              .documentation = "a component or relationship type, relationships, a field"),
        FIELD("node_id", FIELD_TEXT), FIELD("sort", FIELD_TEXT, .choices = sorts),
        FIELD("also", FIELD_ARRAY, .item = FIELD_TEXT, .documentation = "other curricula"),
        FIELD("limit", FIELD_WHOLE, .least = 1, .most = FIND_LIMIT_MAX),
        FIELD("offset", FIELD_WHOLE, .most = FIND_OFFSET_MAX)),
    .read_only = true,
    .run = run,
};

static const char *const sorted_as[] = {[FIND_ANY] = "",
                                        [FIND_BEST] = "",
                                        [FIND_ORDER] = " in teaching order",
                                        [FIND_WORDS] = ", fewest words first",
                                        [FIND_CHANGED] = ", newest change first"};

static enum find_sort read_sort(const struct tool_call *call)
{
    const char *sort = argument_text(call, "sort");

    for (size_t i = 0; sort && sorts[i]; i++)
        if (strcmp(sort, sorts[i]) == 0)
            return FIND_BEST + (enum find_sort)i;
    return FIND_ANY;
}

static int64_t whole(const json_t *object, const char *name)
{
    return json_integer_value(json_object_get(object, name));
}

/* ---- hits ---- */

static void say_hit(const json_t *hit, struct buf *to)
{
    const char *words = json_get_string(hit, "text"), *field = json_get_string(hit, "field");
    const char *changed = json_get_string(hit, "last_modified");
    const json_t *count = json_object_get(hit, "words");
    char title[TITLE_SHOWN];

    buf_addf(to, "\n%s \"%s\"", json_get_string(hit, "node_id"),
             text_cut_line(title, sizeof title, json_get_string(hit, "title")));
    if (json_object_get(hit, "component_order"))
        buf_addf(to, ", component %" PRId64 " (%s)", whole(hit, "component_order"),
                 json_get_string(hit, "component_type"));
    else if (field)
        buf_addf(to, ", %s", field);
    if (count)
        buf_addf(to, ", %" PRId64 " words", (int64_t)json_integer_value(count));
    if (changed)
        buf_addf(to, ", %s", changed);
    if (words)
        buf_addf(to, ": %s", words);
    if (whole(hit, "places") > 1)
        buf_addf(to, " (+%" PRId64 ")", whole(hit, "places") - 1);
}

static void say_hits(const struct find_request *request, const json_t *found, struct buf *to)
{
    const json_t *hits = json_object_get(found, "hits"), *hit;
    size_t shown = json_array_size(hits), i;
    int64_t total = whole(found, "total");
    bool places = request->node_id || (request->in && strncasecmp(request->in, "title", 5) != 0);
    const char *things = places ? "place" : "lesson";

    if (total == 0) {
        buf_addf(to, "No %s found%s.", things,
                 request->text ? "; try fewer or other words, or leave in and without out" : "");
        return;
    }
    buf_addf(to, "%s%" PRId64 " %s%s%s",
             json_is_true(json_object_get(found, "more")) ? "At least " : "", total, things,
             total == 1 ? "" : "s", request->without ? " without " : "");
    buf_adds(to, request->without ? request->without : "");
    if (request->offset > 0 && shown > 0)
        buf_addf(to, ", from %zu to %zu", request->offset + 1, request->offset + shown);
    else if (request->offset > 0)
        buf_adds(to, ", none from the offset on");
    else if ((int64_t)shown < total)
        buf_addf(to, ", the first %zu", shown);
    buf_addf(to, "%s:", sorted_as[request->sort]);
    json_array_foreach((json_t *)hits, i, hit)
    {
        say_hit(hit, to);
    }
}

/* ---- a lesson ---- */

static void say_component(const json_t *component, struct buf *to)
{
    const json_t *parameters = json_object_get(component, "parameters");
    const char *words = json_get_string(component, "text");

    buf_addf(to, "\n%" PRId64 ". %s", whole(component, "component_order"),
             json_get_string(component, "component_type"));
    if (parameters) {
        buf_adds(to, ": ");
        json_write(to, parameters);
    } else {
        buf_addf(to, ", %" PRId64 " words%s%s", whole(component, "words"),
                 words && *words ? ": " : "", words ? words : "");
    }
}

static void say_field(const json_t *field, struct buf *to)
{
    const json_t *value = json_object_get(field, "value");
    const char *words = json_get_string(field, "text");
    char name[FIELD_SHOWN];

    buf_addf(to, "\n%s", text_cut_line(name, sizeof name, json_get_string(field, "field")));
    if (value) {
        buf_adds(to, ": ");
        json_write(to, value);
    } else {
        buf_addf(to, ", %" PRId64 " words: %s", whole(field, "words"), words ? words : "");
    }
}

static void say_fields(const json_t *lesson, struct buf *to)
{
    const json_t *field;
    size_t i;

    json_array_foreach(json_object_get(lesson, "fields"), i, field)
    {
        say_field(field, to);
    }
    if (whole(lesson, "fields_left_out") > 0)
        buf_addf(to, "\n(%" PRId64 " other fields; all with in: all)",
                 whole(lesson, "fields_left_out"));
}

static void say_link(const json_t *link, struct buf *to)
{
    const char *curriculum = json_get_string(link, "curriculum");
    char shown[TITLE_SHOWN];

    buf_addf(to, "\nLink: %.64s %s \"%s\"", json_get_string(link, "type"),
             json_get_string(link, "node_id"),
             text_cut_line(shown, sizeof shown, json_get_string(link, "title")));
    if (curriculum)
        buf_addf(to, " of \"%s\"", text_cut_line(shown, sizeof shown, curriculum));
    buf_addf(to, " (relationship id %" PRId64 ")%s", whole(link, "id"),
             json_is_true(json_object_get(link, "gone")) ? ", which is gone" : "");
}

static bool is_whole(const json_t *component)
{
    return json_object_get(component, "parameters") != NULL;
}

/* An outline, or the components that were asked for, whole, and how many others there are. */
static void say_lesson(const json_t *lesson, struct buf *to)
{
    const json_t *links = json_object_get(lesson, "links"), *link;
    const json_t *components = json_object_get(lesson, "components"), *component;
    const json_t *chapter = json_object_get(lesson, "chapter");
    size_t whole_count = 0, i;
    char title[TITLE_SHOWN];

    buf_addf(to, "%s \"%s\"", json_get_string(lesson, "node_id"),
             text_cut_line(title, sizeof title, json_get_string(lesson, "title")));
    if (json_is_string(chapter))
        buf_addf(to, " in chapter \"%s\"",
                 text_cut_line(title, sizeof title, json_string_value(chapter)));
    else if (chapter)
        buf_addf(to, " in chapter %" PRId64, whole(lesson, "chapter"));
    buf_addf(to, ", %" PRId64 " words, %zu components, revision %" PRId64 ":",
             whole(lesson, "words"), json_array_size(components), whole(lesson, "revision"));
    say_fields(lesson, to);
    json_array_foreach((json_t *)components, i, component)
    {
        whole_count += is_whole(component);
    }
    json_array_foreach((json_t *)components, i, component)
    {
        if (whole_count == 0 || is_whole(component))
            say_component(component, to);
    }
    if (whole_count > 0 && whole_count < json_array_size(components))
        buf_addf(to, "\n(%zu other components; without in: the outline)",
                 json_array_size(components) - whole_count);
    json_array_foreach((json_t *)links, i, link)
    {
        say_link(link, to);
    }
}

static int find(struct tool_call *call, struct store *store, const char *sid,
                struct find_request *request, struct error *err)
{
    struct buf BUF_AUTO text = {0};
    json_auto_t *found = NULL;

    if (store_find(store, sid, request, &text, err) < 0)
        return -1;
    found = json_read(text.data, text.len, "the hits", err);
    if (!found)
        return -1;
    if (json_object_get(found, "components"))
        say_lesson(found, &call->text);
    else
        say_hits(request, found, &call->text);
    return 0;
}

/* ---- several curricula ---- */

/* The same in each curriculum of also, under its title. */
static int find_also(struct tool_call *call, struct store *store, struct find_request *request,
                     struct error *err)
{
    const json_t *also = json_object_get(call->arguments, "also"), *name;
    char sid[SESSION_ID_SIZE], title[TITLE_SHOWN];
    size_t i;

    if (json_array_size(also) > ALSO_CAP)
        return error_set_at(err, "also", "also: name at most %u curricula", ALSO_CAP);
    if (json_array_size(also) > 0 && request->node_id)
        return error_set_at(err, "also",
                            "node_id is a lesson of one curriculum: leave also out, and name that "
                            "curriculum in session_id");
    json_array_foreach((json_t *)also, i, name)
    {
        if (tool_session_named(call, store, json_string_value(name), "also", sid, err) < 0 ||
            store_session(store, sid, title, sizeof title, NULL, err) < 0)
            return -1;
        buf_addf(&call->text, "\n\nIn \"%s\": ", title);
        if (find(call, store, sid, request, err) < 0)
            return -1;
    }
    return 0;
}

/* Which curricula there are. Returns how many, or -1. */
static int list_curricula(struct tool_call *call, struct store *store, struct error *err)
{
    struct buf BUF_AUTO text = {0};
    json_auto_t *read = NULL;
    const json_t *sessions, *session;
    size_t count, i;

    if (store_read_sessions(store, &text, err) < 0)
        return -1;
    read = json_read(text.data, text.len, "the curricula", err);
    if (!read)
        return -1;
    sessions = json_object_get(read, "sessions");
    count = json_array_size(sessions);
    buf_addf(&call->text, "%zu curricul%s", count, count == 1 ? "um:" : "a:");
    json_array_foreach((json_t *)sessions, i, session)
    {
        char title[TITLE_SHOWN];

        if (i == LISTED_CAP) {
            buf_addf(&call->text, "\nand %zu more", count - i);
            break;
        }
        buf_addf(&call->text, "\n\"%s\", session_id %s",
                 text_cut_line(title, sizeof title, json_get_string(session, "title")),
                 json_get_string(session, "session_id"));
    }
    return (int)count;
}

static int run(struct tool_call *call, struct store *store, struct error *err)
{
    struct find_request request = {
        .text = argument_text(call, "text"),
        .in = argument_text(call, "in"),
        .without = argument_text(call, "without"),
        .only = call->bound_session,
        .node_id = argument_text(call, "node_id"),
        .sort = read_sort(call),
        .limit = (size_t)argument_whole(call, "limit", LIMIT_DEFAULT),
        .offset = (size_t)argument_whole(call, "offset", 0),
    };
    struct buf BUF_AUTO found = {0};
    char sid[SESSION_ID_SIZE];

    if (json_object_size(call->arguments) == 0 && !call->bound_session) {
        int count = list_curricula(call, store, err);

        if (count != 1)
            return count < 0 ? -1 : 0;
        buf_adds(&call->text, "\n\n");
    }
    if (tool_session(call, store, sid, err) < 0 ||
        (request.node_id &&
         store_node_id(store, sid, request.node_id, "node_id", &found, &request.node_id, err) < 0))
        return -1;
    if (find(call, store, sid, &request, err) < 0)
        return -1;
    return find_also(call, store, &request, err);
}
