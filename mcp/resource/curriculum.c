/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A curriculum as a table of contents, and each of its lessons, as Markdown that people and models
 * read alike.
 */
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/curriculum/curriculum_uri.h"
#include "mcp/format/markdown.h"
#include "mcp/resource/resource.h"
#include "mcp/store/entities/outline.h"
#include "mcp/store/entities/read.h"
#include "mcp/store/entities/relationship.h"
#include "mcp/store/entities/session.h"
#include "mcp/store/history/history.h"
#include "mcp/store/store.h"
#include "mcp/tool/arguments.h"

#define COMPONENT_PART "/component/"
#define CHAPTER_PART   "/chapter/"
#define HISTORY_PART   "/history"
#define MARKDOWN_TYPE  "text/markdown"
#define REST_ROOM      1024 /* bytes that a cut answer needs for saying so */
#define TITLE_ROOM     2100
#define HISTORY_SHOWN  50 /* change sets */

/* What each component of the store has, so that its mark need not say so. */
#define STORED_SHAPE (SHAPE_TYPE | SHAPE_COMPONENT_TYPE | SHAPE_ORDER | SHAPE_ORDER_INDEX)

/* ---- URIs ---- */

static bool curriculum_changes(const struct store_change *change, struct buf *uri)
{
    curriculum_uri_write(uri, change->sid, NULL);
    return true;
}

static bool node_changes(const struct store_change *change, struct buf *uri)
{
    if (!change->node_id)
        return false;
    curriculum_uri_write(uri, change->sid, change->node_id);
    return true;
}

/* Every component of the node: a change does not say which. */
static bool component_changes(const struct store_change *change, struct buf *uri)
{
    if (!node_changes(change, uri))
        return false;
    buf_adds(uri, COMPONENT_PART);
    return true;
}

/* Every chapter: a change does not say which the node was in. */
static bool chapter_changes(const struct store_change *change, struct buf *uri)
{
    curriculum_uri_write(uri, change->sid, NULL);
    buf_adds(uri, CHAPTER_PART);
    return true;
}

static bool history_changes(const struct store_change *change, struct buf *uri)
{
    curriculum_uri_write(uri, change->sid, NULL);
    buf_adds(uri, HISTORY_PART);
    return true;
}

static bool list_changes(const struct store_change *change)
{
    return change->target == STORE_SESSION;
}

bool (*const resource_list_changes)(const struct store_change *change) = list_changes;

/* ---- a curriculum ---- */

static bool is_full(const struct buf *text)
{
    return text->len + REST_ROOM > text->cap;
}

static void write_lessons(const struct outline *outline, const char *sid, struct buf *to)
{
    buf_addf(to, "## Lessons (%zu)\n\n", outline->node_count);
    for (size_t i = 0; i < outline->node_count; i++) {
        if (is_full(to)) {
            buf_addf(to, "\n%zu more lessons are left out: ask query_graph with query outline.\n",
                     outline->node_count - i);
            return;
        }
        buf_addf(to, "- [%s: %s](", outline->nodes[i].id, outline->nodes[i].title);
        curriculum_uri_write(to, sid, outline->nodes[i].id);
        buf_addf(to, "), %zu components\n", outline->nodes[i].components);
    }
}

static void write_relationships(const struct outline *outline, struct buf *to)
{
    buf_addf(to, "\n## Relationships (%zu)\n\n", outline->edge_count);
    for (size_t i = 0; i < outline->edge_count; i++) {
        const struct outline_edge *edge = &outline->edges[i];

        if (is_full(to)) {
            buf_addf(to,
                     "\n%zu more relationships are left out: ask query_graph with query "
                     "neighbours for a lesson's.\n",
                     outline->edge_count - i);
            return;
        }
        buf_addf(to, "- %s %s %s\n", edge->from, edge->type, edge->to);
    }
}

static int read_curriculum(struct tool_call *call, struct store *store, struct error *err)
{
    char sid[SESSION_ID_SIZE], title[TITLE_ROOM];
    struct outline outline = {0};

    if (tool_session(call, store, sid, err) < 0 ||
        store_session(store, sid, title, sizeof title, NULL, err) < 0 ||
        store_read_outline(store, sid, &outline, err) < 0)
        return -1;
    buf_addf(&call->text, "# %s\n\n", title);
    write_lessons(&outline, sid, &call->text);
    write_relationships(&outline, &call->text);
    outline_finish(&outline);
    return 0;
}

/* ---- a lesson ---- */

/* Adds the fields that a reader of the lesson sees. */
static int add_fields(json_t *lesson, struct store *store, const char *sid, const char *node_id,
                      struct error *err)
{
    const bool is_bare = json_array_size(json_object_get(lesson, "components")) == 0;
    struct buf BUF_AUTO text = {0};
    json_auto_t *fields = NULL;

    if (store_read_fields(store, sid, node_id, is_bare, &text, err) < 0)
        return -1;
    fields = json_read(text.data, text.len, "the fields of the lesson", err);
    return fields ? json_object_update_missing(lesson, fields) : -1;
}

static json_t *load_node(struct store *store, const char *sid, const char *node_id,
                         struct error *err)
{
    struct buf BUF_AUTO text = {0};
    json_auto_t *lesson = NULL;

    if (store_read_components(store, sid, node_id, &text, err) < 0)
        return NULL;
    lesson = json_read(text.data, text.len, "the lesson", err);
    return lesson && add_fields(lesson, store, sid, node_id, err) == 0 ? json_incref(lesson) : NULL;
}

/* The node with its components, of the session sid; NULL with err. */
static json_t *find_node(struct tool_call *call, struct store *store, char sid[SESSION_ID_SIZE],
                         struct error *err)
{
    if (tool_session(call, store, sid, err) < 0)
        return NULL;
    return load_node(store, sid, argument_text(call, "node_id"), err);
}

/* What it is linked to in other curricula. */
static int write_links(struct tool_call *call, struct store *store, const char *sid,
                       struct error *err)
{
    json_auto_t *links =
        store_links(store, sid, argument_text(call, "node_id"), call->bound_session, err);
    const json_t *link;
    size_t i;

    if (!links)
        return -1;
    if (json_array_size(links) > 0)
        buf_adds(&call->text, "\n## Links to other curricula\n\n");
    json_array_foreach(links, i, link)
    {
        const char *title = json_get_string(link, "title"), *uri = json_get_string(link, "uri");
        const char *curriculum = json_get_string(link, "curriculum");

        if (is_full(&call->text)) {
            buf_addf(&call->text, "\n%zu more links are left out.\n", json_array_size(links) - i);
            break;
        }
        buf_addf(&call->text, "- %s [%s](%s)", json_get_string(link, "type"), title ? title : uri,
                 uri);
        if (curriculum)
            buf_addf(&call->text, " of %s", curriculum);
        buf_adds(&call->text, json_is_true(json_object_get(link, "gone"))
                                  ? ": it has been deleted, so this link leads nowhere\n"
                                  : "\n");
    }
    return 0;
}

static int write_lesson(json_t *node, struct buf *to, struct error *err)
{
    static const char *const counts[] = {"total_components", "suggested_template",
                                         "overall_confidence", "session_id"};

    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        json_object_del(node, counts[i]);
    return node_write(to, node, STORED_SHAPE, err);
}

static int read_node(struct tool_call *call, struct store *store, struct error *err)
{
    char sid[SESSION_ID_SIZE];
    json_auto_t *node = find_node(call, store, sid, err);

    if (!node || write_lesson(node, &call->text, err) < 0)
        return -1;
    return write_links(call, store, sid, err);
}

/* ---- a chapter: the lessons of a group, as outline shows it ---- */

/* Returns 1 if it does not fit. */
static int add_lesson(struct buf *to, struct store *store, const char *sid, const char *node_id,
                      struct error *err)
{
    json_auto_t *node = load_node(store, sid, node_id, err);
    struct buf BUF_AUTO text = {0};

    if (!node || write_lesson(node, &text, err) < 0)
        return -1;
    if (to->len + text.len + REST_ROOM > to->cap)
        return 1;
    if (to->len > 0)
        buf_adds(to, "\n");
    buf_add(to, text.data, text.len);
    return 0;
}

static int write_chapter(struct tool_call *call, struct store *store, const char *sid,
                         const struct outline *outline, struct error *err)
{
    const char *chapter = argument_text(call, "chapter"), *first_left = NULL;
    size_t found = 0, left = 0;
    int rc = 0;

    for (size_t i = 0; i < outline->node_count && rc >= 0; i++) {
        const struct outline_node *node = &outline->nodes[i];

        if (!node->group || strcmp(node->group, chapter) != 0)
            continue;
        found++;
        if (left == 0)
            rc = add_lesson(&call->text, store, sid, node->id, err);
        left += rc > 0;
        if (left == 1)
            first_left = node->id;
    }
    if (rc >= 0 && found == 0)
        return error_set(err, ERROR_NOT_FOUND,
                         "there is no chapter of this name; the query outline lists them");
    if (left > 0) {
        buf_addf(&call->text, "\n%zu of %zu lessons are left out, beginning with ", left, found);
        curriculum_uri_write(&call->text, sid, first_left);
        buf_adds(&call->text, "\n");
    }
    return rc < 0 ? -1 : 0;
}

static int read_chapter(struct tool_call *call, struct store *store, struct error *err)
{
    struct outline outline = {0};
    char sid[SESSION_ID_SIZE];
    int rc;

    if (tool_session(call, store, sid, err) < 0 ||
        store_read_outline(store, sid, &outline, err) < 0)
        return -1;
    rc = write_chapter(call, store, sid, &outline, err);
    outline_finish(&outline);
    return rc;
}

/* ---- a component ---- */

static int read_component(struct tool_call *call, struct store *store, struct error *err)
{
    const char *component_id = argument_text(call, "component_id");
    char sid[SESSION_ID_SIZE];
    json_auto_t *node = find_node(call, store, sid, err);
    const json_t *component;
    size_t i;

    if (!node)
        return -1;
    json_array_foreach(json_object_get(node, "components"), i, component)
    {
        if (json_string_is(component, "component_id", component_id))
            return component_write(&call->text, component, i + 1, STORED_SHAPE, err);
    }
    return error_set(err, ERROR_NOT_FOUND, "the lesson has no component with this component_id");
}

/* ---- the history ---- */

static int read_history(struct tool_call *call, struct store *store, struct error *err)
{
    const struct history_page page = {.limit = HISTORY_SHOWN, .without_texts = true};
    struct buf BUF_AUTO text = {0};
    char sid[SESSION_ID_SIZE];
    json_auto_t *read = NULL;
    const json_t *change;
    size_t i;

    if (tool_session(call, store, sid, err) < 0 ||
        store_read_history(store, sid, &page, &text, err) < 0)
        return -1;
    read = json_read(text.data, text.len, "the history", err);
    if (!read)
        return -1;
    buf_addf(&call->text, "# Changes, up to version %" JSON_INTEGER_FORMAT "\n\n",
             json_integer_value(json_object_get(read, "version")));
    json_array_foreach(json_object_get(read, "changes"), i, change)
    {
        buf_addf(&call->text, "- %" JSON_INTEGER_FORMAT ", %s, %s: %s%s\n",
                 json_integer_value(json_object_get(change, "version")),
                 json_get_string(change, "at"), json_get_string(change, "who"),
                 json_get_string(change, "what"),
                 json_get_string(change, "undone_by") ? " (undone)" : "");
    }
    return 0;
}

/* ---- lists ---- */

static bool may_use(const struct tool_call *call, const char *sid)
{
    return sid && (!call->bound_session || strcmp(call->bound_session, sid) == 0);
}

static json_t *read_sessions(struct store *store, struct error *err)
{
    struct buf BUF_AUTO text = {0};

    if (store_read_sessions(store, &text, err) < 0)
        return NULL;
    return json_read(text.data, text.len, "the curricula", err);
}

static int list_curricula(struct tool_call *call, struct store *store, struct error *err)
{
    json_auto_t *sessions = read_sessions(store, err);
    struct buf BUF_AUTO uri = {0};
    json_t *session;
    size_t i;

    if (!sessions)
        return -1;
    call->parts = json_array();
    json_array_foreach(json_object_get(sessions, "sessions"), i, session)
    {
        const char *sid = json_get_string(session, "session_id");
        const char *title = json_get_string(session, "title");

        if (!may_use(call, sid))
            continue;
        buf_clear(&uri);
        curriculum_uri_write(&uri, sid, NULL);
        json_array_append_new(call->parts,
                              json_pack("{s:s, s:s, s:s}", "uri", uri.data, "name",
                                        title && *title ? title : sid, "mimeType", MARKDOWN_TYPE));
    }
    return 0;
}

static const struct tool lister = {
    .name = "resources/list",
    .title = "List the curricula",
    .description = "",
    .arguments = {.name = "resources/list", .noun = "argument"},
    .read_only = true,
    .run = list_curricula,
};
const struct tool *const resource_lister = &lister;

/* ---- completions ---- */

/* The id, if what was typed is a part of it or of the title. */
static void offer(struct tool_call *call, const char *id, const char *title)
{
    const char *value = argument_text(call, "value");

    if (strcasestr(id, value) || (title && strcasestr(title, value)))
        json_array_append_new(call->parts, json_string(id));
}

static int complete_session(struct tool_call *call, struct store *store, struct error *err)
{
    json_auto_t *sessions = read_sessions(store, err);
    json_t *session;
    size_t i;

    if (!sessions)
        return -1;
    json_array_foreach(json_object_get(sessions, "sessions"), i, session)
    {
        const char *sid = json_get_string(session, "session_id");

        if (may_use(call, sid))
            offer(call, sid, json_get_string(session, "title"));
    }
    return 0;
}

/* Its lessons before this one have another chapter. */
static bool is_first_of_chapter(const struct outline *outline, size_t at)
{
    const char *chapter = outline->nodes[at].group;

    for (size_t i = 0; i < at; i++)
        if (outline->nodes[i].group && strcmp(outline->nodes[i].group, chapter) == 0)
            return false;
    return true;
}

/* Of the curriculum that is given, or of the only one. */
static int complete_part(struct tool_call *call, struct store *store, bool chapters,
                         struct error *err)
{
    json_t *given = json_object_get(json_object_get(call->arguments, "given"), "session_id");
    struct outline outline = {0};
    char sid[SESSION_ID_SIZE];

    if (json_is_string(given))
        json_object_set(call->arguments, "session_id", given);
    if (tool_session(call, store, sid, err) < 0 ||
        store_read_outline(store, sid, &outline, err) < 0)
        return -1;
    for (size_t i = 0; i < outline.node_count; i++) {
        const struct outline_node *node = &outline.nodes[i];

        if (!chapters)
            offer(call, node->id, node->title);
        else if (node->group && is_first_of_chapter(&outline, i))
            offer(call, node->group, NULL);
    }
    outline_finish(&outline);
    return 0;
}

static int complete(struct tool_call *call, struct store *store, struct error *err)
{
    const char *name = argument_text(call, "name");

    call->parts = json_array();
    if (!call->parts)
        return error_set(err, ERROR_MEMORY, "out of memory for the completion");
    if (strcmp(name, "session_id") == 0)
        return complete_session(call, store, err);
    if (strcmp(name, "node_id") == 0 || strcmp(name, "chapter") == 0)
        return complete_part(call, store, *name == 'c', err);
    return 0;
}

const struct tool tool_complete_curriculum = {
    .name = "completion/complete",
    .title = "Complete",
    .description = "",
    .arguments = COMPLETION_ARGUMENTS,
    .read_only = true,
    .run = complete,
};

/* ---- the rows ---- */

static const struct tool curriculum_reader = {
    .name = "resources/read",
    .title = "Read a curriculum",
    .description = "",
    .arguments = ARGUMENTS("resources/read", ARGUMENT_SESSION),
    .read_only = true,
    .run = read_curriculum,
};

static const struct tool node_reader = {
    .name = "resources/read",
    .title = "Read a lesson",
    .description = "",
    .arguments = ARGUMENTS("resources/read", ARGUMENT_SESSION, ARGUMENT_NODE),
    .read_only = true,
    .run = read_node,
};

static const struct tool component_reader = {
    .name = "resources/read",
    .title = "Read a component",
    .description = "",
    .arguments = ARGUMENTS("resources/read", ARGUMENT_SESSION, ARGUMENT_NODE,
                           FIELD("component_id", FIELD_TEXT, .required = true)),
    .read_only = true,
    .run = read_component,
};

static const struct tool chapter_reader = {
    .name = "resources/read",
    .title = "Read a chapter",
    .description = "",
    .arguments = ARGUMENTS("resources/read", ARGUMENT_SESSION,
                           FIELD("chapter", FIELD_TEXT, .required = true)),
    .read_only = true,
    .run = read_chapter,
};

static const struct tool history_reader = {
    .name = "resources/read",
    .title = "Read the history",
    .description = "",
    .arguments = ARGUMENTS("resources/read", ARGUMENT_SESSION),
    .read_only = true,
    .run = read_history,
};

const struct resource resource_curriculum = {
    .uri = CURRICULUM_URI "{session_id}",
    .name = "curriculum",
    .title = "Curriculum",
    .description = "The lessons of a curriculum and their relationships",
    .mime = MARKDOWN_TYPE,
    .read = &curriculum_reader,
    .complete = &tool_complete_curriculum,
    .changes = curriculum_changes,
};

const struct resource resource_node = {
    .uri = CURRICULUM_URI "{session_id}" CURRICULUM_URI_NODE "{node_id}",
    .name = "lesson",
    .title = "Lesson",
    .description = "A lesson with its components",
    .mime = MARKDOWN_TYPE,
    .read = &node_reader,
    .complete = &tool_complete_curriculum,
    .changes = node_changes,
};

const struct resource resource_component = {
    .uri = CURRICULUM_URI "{session_id}" CURRICULUM_URI_NODE "{node_id}" COMPONENT_PART
                          "{component_id}",
    .name = "component",
    .title = "Component",
    .description = "One component of a lesson",
    .mime = MARKDOWN_TYPE,
    .read = &component_reader,
    .complete = &tool_complete_curriculum,
    .changes = component_changes,
};

const struct resource resource_chapter = {
    .uri = CURRICULUM_URI "{session_id}" CHAPTER_PART "{chapter}",
    .name = "chapter",
    .title = "Chapter",
    .description = "The lessons of a chapter, whole and in their order",
    .mime = MARKDOWN_TYPE,
    .read = &chapter_reader,
    .complete = &tool_complete_curriculum,
    .changes = chapter_changes,
};

const struct resource resource_history = {
    .uri = CURRICULUM_URI "{session_id}" HISTORY_PART,
    .name = "history",
    .title = "History",
    .description = "The newest changes of a curriculum, and who made them",
    .mime = MARKDOWN_TYPE,
    .read = &history_reader,
    .complete = &tool_complete_curriculum,
    .changes = history_changes,
};
