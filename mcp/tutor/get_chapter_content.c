/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/base/json.h"
#include "mcp/store/entities/read.h"
#include "mcp/tutor/lesson_text.h"
#include "mcp/tutor/tutor_call.h"

#define PART_MAX 1000

static int start(struct tool_call *call, struct error *err);

const struct tool tool_get_chapter_content = {
    .name = "get_chapter_content",
    .toolset = TOOLSET_TUTOR,
    .title = "Text of a lesson",
    .description = "A lesson as text (default: the next), in parts.",
    .call_title = "Read {node_id}|Read the next lesson",
    .icon = "ask",
    .use = "to read a lesson before you explain it",
    .arguments = ARGUMENTS("get_chapter_content", ARGUMENT_LEARNER, FIELD("node_id", FIELD_TEXT),
                           FIELD("part", FIELD_WHOLE, .least = 1, .most = PART_MAX)),
    .read_only = true,
    .start = start,
    .stop = tutor_call_stop,
};

static int run(struct tutor_call *teaching, struct error *err)
{
    const size_t part = (size_t)argument_whole(teaching->call, "part", 1);
    struct buf *to = &teaching->call->text, BUF_AUTO json = {0}, BUF_AUTO own = {0};
    json_auto_t *lesson_read = NULL;
    json_t *fields;
    const char *id;
    uint32_t lesson;
    size_t parts;

    if (tutor_lesson(teaching, &lesson, err) < 0 || tutor_lesson_open(teaching, lesson, err) < 0)
        return -1;
    id = teaching->course->lessons[lesson].id;
    if (store_read_components(teaching->store, teaching->sid, id, &json, err) < 0 ||
        store_read_fields(teaching->store, teaching->sid, id, true, &own, err) < 0)
        return -1;
    lesson_read = json_read(json.data, json.len, "the lesson", err);
    fields = lesson_read ? json_read(own.data, own.len, "the lesson", err) : NULL;
    if (!fields || json_object_set_new(lesson_read, "fields", fields) < 0 ||
        lesson_text(lesson_read, part, &parts, to, err) < 0)
        return -1;
    buf_addf(to, "\n\n%s, part %zu of %zu. ", id, part, parts);
    if (part < parts)
        buf_addf(to, "Next call: get_chapter_content with node_id \"%s\" and part %zu.\n", id,
                 part + 1);
    else
        buf_addf(to,
                 "When the learner has understood it: update_progress with node_id \"%s\" and "
                 "event read or explained.\n",
                 id);
    return 0;
}

static int start(struct tool_call *call, struct error *err)
{
    return tutor_call_start(call, run, err);
}
