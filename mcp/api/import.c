/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Routes of the session API for imports: into a new session, or into one that is there. The files
 * come in the body: a text, one file or archive, or the files of a folder. A dry run writes nothing
 * and has the same report.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/cleanup.h"
#include "helpers/base/encode.h"
#include "helpers/base/json.h"
#include "mcp/api/rest_internal.h"
#include "mcp/change/curriculum_file.h"
#include "mcp/change/import_into.h"
#include "mcp/change/import_outline.h"
#include "mcp/format/format.h"

#define SHAPE                                                                                      \
    "send {\"files\": [{\"name\": \"lessons.csv\", \"base64\": \"...\"}]}, or {\"text\": \"...\"}"
#define COLUMNS_CAP 100u /* members of map */

/* ---- the body ---- */

static void check_files(const struct field *row, const json_t *value, const json_t *object,
                        const char *name, struct validation_errors *problems)
{
    const json_t *file;
    size_t i;

    (void)row;
    (void)object;
    json_array_foreach((json_t *)value, i, file)
    {
        const json_t *called = json_object_get(file, "name");
        char place[ERROR_LOC_CAP];

        snprintf(place, sizeof place, "%s.%zu", name, i);
        if (!json_is_string(called) || json_string_length(called) == 0 ||
            json_string_length(called) >= PATH_MAX ||
            strlen(json_string_value(called)) != json_string_length(called) ||
            json_is_string(json_object_get(file, "base64")) ==
                json_is_string(json_object_get(file, "text")))
            validation_add(problems, place,
                           "must be a file, such as {\"name\": \"algebra/lines.md\", \"base64\": "
                           "\"IyBMaW5lcwo=\"}, or with its \"text\" in place of base64");
    }
}

static void check_map(const struct field *row, const json_t *value, const json_t *object,
                      const char *name, struct validation_errors *problems)
{
    const char *column;
    json_t *role;

    (void)row;
    (void)object;
    if (json_object_size(value) > COLUMNS_CAP)
        validation_add(problems, name, "has at most %u columns", COLUMNS_CAP);
    json_object_foreach((json_t *)value, column, role)
    {
        if (json_is_string(role))
            continue;
        validation_add(problems, name,
                       "must name roles of columns, such as {\"Voraussetzung\": "
                       "\"prerequisites\"}");
        break;
    }
}

static int read_file(const json_t *file, size_t at, struct buf *bytes, struct error *err)
{
    const json_t *base64 = json_object_get(file, "base64"), *text = json_object_get(file, "text");
    int rc = 0;

    buf_init(bytes, CURRICULUM_FILE_CAP);
    if (base64)
        rc = base64_read(bytes, json_string_value(base64), json_string_length(base64));
    else
        buf_add(bytes, json_string_value(text), json_string_length(text));
    buf_add(bytes, "", 0);
    if (rc < 0)
        return error_set_at(err, "files", "files[%zu]: base64 must be the file's bytes in base64",
                            at);
    return buf_check(bytes, json_get_string(file, "name"), err);
}

static json_t *read_files(const json_t *files, const struct format *format,
                          struct format_report *report, struct error *err)
{
    size_t count = json_array_size(files), i;
    cleanup_free struct given_file *given = calloc(count + 1, sizeof *given);
    cleanup_free struct buf *bytes = calloc(count + 1, sizeof *bytes);
    json_t *curriculum = NULL;
    int rc = 0;

    if (!given || !bytes)
        abort();
    if (count == 0 || count > FORMAT_FILES_CAP)
        rc = error_set_at(err, "files", "files must be 1 to %u files: " SHAPE, FORMAT_FILES_CAP);
    for (i = 0; rc == 0 && i < count; i++) {
        given[i] = (struct given_file){.name = json_get_string(json_array_get(files, i), "name"),
                                       .bytes = &bytes[i]};
        rc = read_file(json_array_get(files, i), i, &bytes[i], err);
    }
    if (rc == 0)
        curriculum = format_read_given(given, count, format, report, err);
    for (i = 0; i < count; i++)
        buf_finish(&bytes[i]);
    return curriculum;
}

/* {"Voraussetzung": "prerequisites"} as ["Voraussetzung=prerequisites"], which it owns. */
static const char **take_map(const json_t *columns, json_t *owner)
{
    size_t count = json_object_size(columns), used = 0;
    const char **map = calloc(count + 1, sizeof *map), *column;
    json_t *role;

    if (!map)
        abort();
    json_object_foreach((json_t *)columns, column, role)
    {
        json_t *word = json_sprintf("%s=%s", column, json_string_value(role));

        json_array_append_new(owner, word);
        map[used++] = json_string_value(word);
    }
    return map;
}

/* The curriculum in the body. A new reference, or NULL. */
static json_t *read_curriculum(const struct rest_call *call, struct format_report *report,
                               struct error *err)
{
    const json_t *files = json_object_get(call->body, "files");
    json_t *text = json_object_get(call->body, "text");
    json_auto_t *alone = json_pack("[{s:s, s:O*}]", "name", "the text", "text", text);
    const json_t *columns = json_object_get(call->body, "map");
    const char *named = json_get_string(call->body, "format");
    const struct format *format = named ? format_find(named) : NULL;
    json_auto_t *owner = json_array();
    cleanup_free const char **map = take_map(columns, owner);
    json_t *curriculum = NULL;

    report->untyped = json_get_string(call->body, "untyped");
    report->map = columns ? map : NULL;
    if (named && !format)
        error_set_at(err, "format", "format must be one of %s", format_names());
    else if (files && text)
        error_set_at(err, "files", SHAPE ", and not both");
    else if (files)
        curriculum = read_files(files, format, report, err);
    else if (text && format)
        curriculum = read_files(alone, format, report, err);
    else if (text)
        curriculum =
            format_read_text(json_string_value(text), json_string_length(text), report, err);
    else
        error_set_at(err, "files", SHAPE);
    report->map = NULL;
    return curriculum;
}

/* ---- the answers ---- */

static bool is_dry(const struct rest_call *call)
{
    return json_is_true(json_object_get(call->body, "dry_run"));
}

/* Takes the members over. */
static int answer(struct rest_call *call, json_t *members, struct error *err)
{
    json_auto_t *whole = members;

    if (!whole)
        return error_set(err, ERROR_MEMORY, "out of memory for a report");
    json_write(&call->response->body, whole);
    return 0;
}

static int write_new(struct rest_call *call, const json_t *curriculum, struct findings *lines,
                     struct error *err)
{
    bool dry = is_dry(call);
    struct import_report report = {0};
    struct buf BUF_AUTO text = {0};

    buf_init(&text, 2 * CURRICULUM_FILE_CAP);
    json_write(&text, curriculum);
    if (buf_check(&text, "the curriculum", err) < 0 ||
        curriculum_import(call->store, &call->writer, text.data, text.len,
                          json_get_string(call->body, "title"), dry, NULL, &report, lines, err) < 0)
        return -1;
    return answer(call,
                  json_pack("{s:s?, s:b, s:I, s:I, s:I, s:o, s:o*}", "session_id",
                            dry ? NULL : report.session_id, "dry_run", dry, "nodes",
                            (json_int_t)report.nodes, "components", (json_int_t)report.components,
                            "relationships", (json_int_t)report.relationships, "report",
                            findings_json(lines), "lessons",
                            dry ? import_outline(curriculum) : NULL),
                  err);
}

static int write_into(struct rest_call *call, const json_t *curriculum, struct findings *lines,
                      struct error *err)
{
    const struct import_into into = {
        .sid = call->session,
        .delete_missing = json_is_true(json_object_get(call->body, "delete_missing")),
        .dry_run = is_dry(call)};
    struct into_report report = {0};
    int rc =
        curriculum_import_into(call->store, &call->writer, curriculum, &into, &report, lines, err);

    if (rc == 0)
        rc = answer(call,
                    json_pack("{s:s, s:b, s:s?, s:o, s:o}", "session_id", call->session, "dry_run",
                              into.dry_run, "change_set",
                              *report.change_set ? report.change_set : NULL, "changes",
                              into_report_json(&report), "report", findings_json(lines)),
                    err);
    into_report_finish(&report);
    return rc;
}

typedef int write_import(struct rest_call *call, const json_t *curriculum, struct findings *lines,
                         struct error *err);

static int import(struct rest_call *call, write_import *write, struct error *err)
{
    struct format_report read = {0};
    json_auto_t *curriculum = read_curriculum(call, &read, err);
    int rc = curriculum ? write(call, curriculum, &read.lines, err) : -1;

    findings_finish(&read.lines);
    return rc;
}

static int import_new(struct rest_call *call, struct error *err)
{
    return import(call, write_new, err);
}

static int import_into(struct rest_call *call, struct error *err)
{
    return import(call, write_into, err);
}

/* ---- the routes ---- */

/* clang-format off */
static const struct fields file_fields = {
    .name = "a file", .schema = "ImportFile",
    .rows = (const struct field[]){
        FIELD("name", FIELD_TEXT, .required = true, .flags = FIELD_LINE, .least = 1, .most = PATH_MAX - 1,
              .documentation = "With its folders: \"algebra/lines.md\""),
        FIELD("base64", FIELD_TEXT, .required = true, .instead = "text", .documentation = "The bytes of the file"),
        FIELD("text", FIELD_TEXT, .flags = FIELD_NUL), {0}},
    .check = check_files,
};
static const struct fields map_fields = {.name = "map", .check = check_map};
#define SOURCE \
    FIELD("files", FIELD_ARRAY, .of = &file_fields, \
          .documentation = "One file in any of the formats, an archive (.zip, .tar.gz), or the files of a folder"), \
    FIELD("text", FIELD_TEXT, .documentation = "In place of files: JSON, CASE, CSV, GraphML, GEXF or Markdown"), \
    FIELD("format", FIELD_TEXT, .documentation = "Where names and content do not say it"), \
    FIELD("untyped", FIELD_TEXT, .documentation = "Type of relationships that have none in the file"), \
    FIELD("map", FIELD_MAP, .item = FIELD_TEXT, .of = &map_fields, .documentation = "Roles of columns: {\"Voraussetzung\": \"prerequisites\"}"), \
    FIELD("dry_run", FIELD_FLAG, .documentation = "Nothing is written")
static const struct fields new_body = {
    .name = "an import", .schema = "SessionImport",
    .rows = (const struct field[]){SOURCE, FIELD("title", FIELD_TEXT, .most = TITLE_MAX), {0}},
};
static const struct fields into_body = {
    .name = "an import into a session", .schema = "SessionUpdate",
    .rows = (const struct field[]){SOURCE,
        FIELD("delete_missing", FIELD_FLAG, .documentation = "Delete the nodes and relationships that the files do not have"), {0}},
};
static const struct fields finding =
    REST_ANSWER("Finding", REST_TEXT("reason"), REST_WHOLE("count"),
                FIELD("places", FIELD_ARRAY, .required = true, .documentation = "The first ones: {file, line, value}"));
static const struct fields findings =
    REST_ANSWER("Findings", REST_LIST("read", &finding), REST_LIST("changed", &finding), REST_LIST("leftOut", &finding),
                REST_LIST("rules", &finding));
#define REPORT FIELD("report", FIELD_OBJECT, .required = true, .of = &findings)
static const struct fields lesson =
    REST_ANSWER("ImportLesson", REST_TEXT_OR_NULL("node_id"), REST_TEXT_OR_NULL("title"), REST_WHOLE("components"),
                FIELD("needs", FIELD_ARRAY, .required = true, .item = FIELD_TEXT));
static const struct fields imported =
    REST_ANSWER("SessionImported",
                FIELD("session_id", FIELD_TEXT, .required = true, .flags = FIELD_NULL, .documentation = "null after a dry run"),
                REST_FLAG("dry_run"), REST_WHOLE("nodes"), REST_WHOLE("components"), REST_WHOLE("relationships"), REPORT,
                FIELD("lessons", FIELD_ARRAY, .of = &lesson, .documentation = "The first ones, in a dry run"));
static const struct fields first = REST_ANSWER(NULL, REST_TEXT("node_id"), REST_TEXT_OR_NULL("title"));
static const struct fields changed =
    REST_ANSWER("ImportChange", REST_WHOLE("nodes"), REST_WHOLE("relationships"), REST_LIST("first", &first));
#define CHANGED(member, ...) FIELD(member, FIELD_OBJECT, .required = true, .of = &changed, __VA_ARGS__)
static const struct fields changes =
    REST_ANSWER("ImportChanges", CHANGED("added"), CHANGED("updated"), CHANGED("unchanged"),
                CHANGED("missing", .documentation = "Only in the session"),
                FIELD("components", FIELD_WHOLE, .required = true, .documentation = "Nodes whose components are replaced"));
static const struct fields updated =
    REST_ANSWER("SessionUpdated", REST_TEXT("session_id"), REST_FLAG("dry_run"),
                FIELD("change_set", FIELD_TEXT, .required = true, .flags = FIELD_NULL, .documentation = "null if nothing was written"),
                FIELD("changes", FIELD_OBJECT, .required = true, .of = &changes), REPORT);

const struct rest_route rest_import_routes[] = {
    {"POST", "/session/import", import_new, ROUTE_WRITE | ROUTE_BODY | ROUTE_TRIES | ROUTE_NEW, REST_STATE_NONE, NULL,
     "importSession", "sessions", "A new session from files, with the report of the import", NULL, &new_body, &imported},
    {"POST", "/session/{sid}/import", import_into, ROUTE_WRITE | ROUTE_BODY | ROUTE_TRIES, REST_STATE_SESSION, rest_nodes,
     "importIntoSession", "sessions", "Updates a session from files, as one change that can be undone", NULL, &into_body,
     &updated},
    {0},
};
/* clang-format on */
