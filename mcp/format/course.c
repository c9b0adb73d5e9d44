/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Shared by the readers of course packages.
 */
#include "mcp/format/course.h"

#include <stdio.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/curriculum/component_type.h"
#include "mcp/format/html.h"
#include "mcp/format/xml.h"

void course_begin(struct course_package *course, const struct files *files,
                  struct format_report *report)
{
    *course = (struct course_package){.files = files,
                                      .report = report,
                                      .meta = json_object(),
                                      .nodes = json_array(),
                                      .relationships = json_array(),
                                      .ids = json_object()};
}

void course_free(struct course_package *course)
{
    json_decref(course->meta);
    json_decref(course->nodes);
    json_decref(course->relationships);
    json_decref(course->ids);
    json_decref(course->chapter);
    *course = (struct course_package){0};
}

json_t *course_finish(struct course_package *course, struct error *err)
{
    json_t *curriculum = NULL;

    if (json_array_size(course->nodes) == 0)
        error_set(err, ERROR_INVALID, "%s: the course has no lesson", files_path(course->files));
    else
        curriculum = json_pack("{s:O, s:O, s:O}", "meta", course->meta, "nodes", course->nodes,
                               "relationships", course->relationships);
    course_free(course);
    return curriculum;
}

void course_say(const struct course_package *course, enum finding_kind kind, const char *file,
                size_t line, const char *value, const char *reason)
{
    findings_add(&course->report->lines, kind, PLACE(file, line, value), "%s", reason);
}

/* ---- lessons ---- */

void course_chapter(struct course_package *course, json_t *title)
{
    json_decref(course->chapter);
    course->chapter = title;
    course->chapters++;
}

json_t *course_lesson(struct course_package *course, const char *id, const char *title,
                      const char *file, size_t line)
{
    json_auto_t *own = json_string(id);
    json_t *node;

    if (json_array_size(course->nodes) >= COURSE_LESSONS_CAP) {
        course_say(course, FINDING_LEFT_OUT, file, line, title,
                   "lessons of a course with too many");
        return NULL;
    }
    for (size_t n = 2; json_object_get(course->ids, json_string_value(own)); n++) {
        if (n == 2)
            course_say(course, FINDING_CHANGED, file, line, id,
                       "ids of lessons that stand twice get a number");
        json_decref(own);
        own = json_sprintf("%s-%zu", id, n);
    }
    node = json_pack("{s:O, s:s}", "node_id", own, "title", title);
    if (course->chapter) {
        json_object_set(node, "chapter", course->chapter);
        json_object_set_new(node, "chapter_id", json_integer((json_int_t)course->chapters));
    }
    json_object_set_new(node, "components", json_array());
    json_object_set_new(course->ids, json_string_value(own), json_object());
    json_array_append_new(course->nodes, node);
    return node;
}

void course_need(struct course_package *course, const char *from, const char *to,
                 const char *explanation)
{
    json_t *needs = json_object_get(course->ids, to);

    if (strcmp(from, to) == 0 || json_object_get(needs, from))
        return;
    json_object_set_new(needs, from, json_true());
    json_array_append_new(course->relationships,
                          json_pack("{s:s, s:s, s:s, s:s}", "from_node_id", from, "to_node_id", to,
                                    "relationship_type", "PREREQUISITE", "explanation",
                                    explanation));
}

xmlDoc *course_xml(const struct course_package *course, const char *file)
{
    struct buf BUF_AUTO text = {0};
    struct error why = {0};
    xmlDoc *document = NULL;

    if (files_read(course->files, file, COURSE_FILE_CAP, &text, &why) == 0)
        document = xml_read(file, text.data ? text.data : "", text.len, &why);
    if (!document)
        course_say(course, FINDING_LEFT_OUT, file, 0, why.text, "files that cannot be read as XML");
    return document;
}

void course_text(const struct course_package *course, const xmlNode *text, const char *file,
                 json_t *components)
{
    json_auto_t *type = xml_attribute(text, "texttype"), *words = xml_text(text);

    if ((type && strcmp(json_string_value(type), "text/html") == 0) ||
        strstr(json_string_value(words), "</"))
        html_read_text(file, json_string_value(words), components, &course->report->lines);
    else if (json_string_length(words) > 0)
        html_add_component(components, "paragraph", "text", json_incref(words));
}

/* ---- questions ---- */

static json_t *question_text(const json_t *parameters)
{
    json_t *answer = json_object_get(parameters, "answer"), *one;
    json_auto_t *answers = json_is_array(answer) ? json_incref(answer)
                           : answer              ? json_pack("[O]", answer)
                                                 : json_array();
    const char *prompt = json_get_string(parameters, "prompt");
    struct buf BUF_AUTO text = {0};
    size_t i;

    buf_adds(&text, prompt ? prompt : "");
    buf_adds(&text, "\n");
    json_array_foreach(json_object_get(parameters, "options"), i, one)
        buf_addf(&text, "\n- %s", json_string_value(one));
    json_array_foreach(answers, i, one)
    {
        buf_adds(&text, i == 0 ? "\n\nAnswer: " : "; ");
        if (json_is_string(one))
            buf_adds(&text, json_string_value(one));
        else
            json_write(&text, one);
    }
    if (json_get_string(parameters, "explanation"))
        buf_addf(&text, "\n\n%s", json_get_string(parameters, "explanation"));
    return html_trimmed(&text);
}

void course_hints(json_t *parameters, json_t *hints)
{
    while (json_array_size(hints) > COURSE_HINTS_CAP) {
        size_t last = json_array_size(hints) - 1;
        json_t *joined =
            json_sprintf("%s\n\n%s", json_string_value(json_array_get(hints, last - 1)),
                         json_string_value(json_array_get(hints, last)));

        json_array_remove(hints, last);
        json_array_set_new(hints, last - 1, joined);
    }
    if (json_array_size(hints) > 0)
        json_object_set(parameters, "hints", hints);
}

void course_question(const struct course_package *course, json_t *components, json_t *parameters,
                     const char *file, size_t line)
{
    struct error why = {0};

    if (component_type_check(COURSE_QUESTION, parameters, NULL, NULL, "", &why) == 0) {
        json_array_append_new(components, json_pack("{s:s, s:o, s:I}", "type", COURSE_QUESTION,
                                                    "parameters", parameters, "order",
                                                    (json_int_t)json_array_size(components) + 1));
        return;
    }
    course_say(course, FINDING_CHANGED, file, line, why.text,
               "questions that the contract has no kind for are kept as text");
    html_add_component(components, "paragraph", "text", question_text(parameters));
    json_decref(parameters);
}
