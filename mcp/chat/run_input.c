/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/chat/run_input.h"

#include <stdio.h>
#include <string.h>

#include "helpers/base/fields.h"
#include "helpers/base/json.h"
#include "mcp/chat/prompt.h"
#include "mcp/curriculum/text.h"
#include "mcp/model/json_repair.h"

#define WHERE_SIZE 301u /* of what a page says of its place; longer is cut */
#define ADVICE                                                                                     \
    "Send {\"threadId\", \"runId\", \"messages\": [{\"id\", \"role\": \"user\", \"content\"}]}"

/* ---- the rows ----
 *
 * AG-UI's objects may have members of a later version, so they are open: only a misspelt name is
 * refused. Our own within them are closed.
 */

#define ID(member, max)                                                                            \
    FIELD(member, FIELD_TEXT, .required = true, .least = 1, .most = (double)(max),                 \
          .flags = FIELD_LINE)
#define WORDS(member) FIELD(member, FIELD_TEXT, .required = true, .flags = FIELD_NUL)

static const struct field part_rows[] = {
    FIELD("type", FIELD_TEXT, .required = true, .choices = (const char *const[]){"text", NULL}),
    WORDS("text"),
    {0},
};
static const struct fields part_fields = {
    .name = "a part", .rows = part_rows, .flags = FIELDS_OPEN};

static const struct field message_rows[] = {
    ID("id", THREAD_ID_MAX),
    FIELD("role", FIELD_TEXT, .required = true),
    FIELD("content", FIELD_ANY, .required = true), /* text, or an array of parts */
    {0},
};
static const struct fields message_fields = {
    .name = "a message", .rows = message_rows, .flags = FIELDS_OPEN};

static const struct field context_rows[] = {WORDS("description"), WORDS("value"), {0}};
static const struct fields context_fields = {
    .name = "context", .rows = context_rows, .flags = FIELDS_OPEN};

static const struct field approval_rows[] = {
    FIELD("approved", FIELD_FLAG, .required = true),
    FIELD("reason", FIELD_TEXT, .most = (double)RUN_INPUT_TEXT_MAX, .flags = FIELD_NUL),
    {0},
};
static const struct fields approval_fields = {.name = "an answer", .rows = approval_rows};

static const struct field answer_rows[] = {
    ID("interruptId", RUN_ID_MAX),
    FIELD("status", FIELD_TEXT, .required = true,
          .choices = (const char *const[]){"resolved", "cancelled", NULL}),
    FIELD("payload", FIELD_ANY, .of = &approval_fields), /* counts where it is resolved */
    {0},
};
static const struct fields answer_fields = {
    .name = "an answer", .rows = answer_rows, .flags = FIELDS_OPEN};

static const struct field own_rows[] = {
    FIELD("approvals", FIELD_TEXT, .choices = (const char *const[]){"destructive", "every", NULL}),
    FIELD("solve", FIELD_FLAG),
    {0},
};
static const struct fields own_fields = {.name = "forwardedProps.lectern", .rows = own_rows};

static const struct field forwarded_rows[] = {FIELD("lectern", FIELD_OBJECT, .of = &own_fields),
                                              {0}};
static const struct fields forwarded_fields = {
    .name = "forwardedProps", .rows = forwarded_rows, .flags = FIELDS_OPEN};

static const struct field input_rows[] = {
    ID("threadId", THREAD_ID_MAX),
    ID("runId", RUN_ID_MAX),
    FIELD("messages", FIELD_ARRAY, .required = true, .of = &message_fields),
    FIELD("resume", FIELD_ARRAY, .of = &answer_fields),
    FIELD("context", FIELD_ARRAY, .of = &context_fields),
    FIELD("forwardedProps", FIELD_ANY, .of = &forwarded_fields), /* a client's own */
    FIELD("protocolVersion", FIELD_ANY),
    FIELD("parentRunId", FIELD_ANY),
    FIELD("state", FIELD_ANY),
    FIELD("tools", FIELD_ANY),
    {0},
};
const struct fields run_input_fields = {
    .name = "a run input", .rows = input_rows, .flags = FIELDS_OPEN};

static const struct field stop_rows[] = {
    FIELD("type", FIELD_TEXT, .required = true,
          .choices = (const char *const[]){"lectern.stop", NULL}),
    ID("runId", RUN_ID_MAX),
    {0},
};
static const struct fields stop_fields = {.name = "lectern.stop", .rows = stop_rows};

static int check(const json_t *object, const struct fields *fields, const char *loc,
                 const char *advice, struct error *err)
{
    struct validation_errors problems;

    if (!json_is_object(object)) {
        struct buf BUF_AUTO names = {0};

        buf_init(&names, ERROR_TEXT_CAP / 2);
        fields_list(fields, &names);
        return error_set_at(err, loc, "%s must be an object with the members %s", loc,
                            names.data ? names.data : "");
    }
    validation_begin(&problems, loc);
    fields_check(fields, object, NULL, &problems);
    return validation_end(&problems, advice, err);
}

/* ---- messages ---- */

/* The text of a message, whichever form it has. */
static int read_content(const json_t *content, const char *loc, struct buf *text, struct error *err)
{
    const json_t *part;
    size_t i;

    if (json_is_string(content)) {
        buf_add(text, json_string_value(content), json_string_length(content));
        return 0;
    }
    if (!json_is_array(content))
        return error_set_at(err, loc, "%s.content must be text. " ADVICE, loc);
    json_array_foreach((json_t *)content, i, part)
    {
        const json_t *value = json_object_get(part, "text");
        char place[64];

        snprintf(place, sizeof place, "%s.content.%zu", loc, i);
        if (check(part, &part_fields, place, "Only parts of type text can be sent", err) < 0)
            return -1;
        if (text->len > 0)
            buf_addc(text, '\n');
        buf_add(text, json_string_value(value), json_string_length(value));
    }
    return 0;
}

static bool is_blank(const struct buf *text)
{
    for (size_t i = 0; i < text->len; i++) {
        if (!strchr(" \t\r\n", text->data[i]) || text->data[i] == '\0')
            return false;
    }
    return true;
}

struct input_taking {
    json_t *messages; /* what is taken, in its order */
    json_t *ids;      /* of these: a history is long */
};

/* A message without a role may be a question. */
static bool may_ask(const json_t *message)
{
    const char *role = json_get_string(message, "role");

    return !role || strcmp(role, "user") == 0;
}

/* A page keeps what was refused in its history, and sends it again with the next question. So what
 * cannot be taken is a fault of the newest message only; older ones are skipped. */
static int take_message(const json_t *message, size_t i, bool newest, struct input_taking *to,
                        struct error *err)
{
    struct buf BUF_AUTO text = {0};
    struct error own = {0};
    char loc[32];
    const json_t *id;
    int rc;

    snprintf(loc, sizeof loc, "messages.%zu", i);
    rc = check(message, &message_fields, loc, ADVICE, &own);
    if (rc == 0)
        rc = read_content(json_object_get(message, "content"), loc, &text, &own);
    if (rc == 0 && text.len > RUN_INPUT_TEXT_MAX) {
        rc = error_set(&own, ERROR_TOO_LARGE,
                       "%s is %zu bytes long: a message has at most %zu; send less, or put it into "
                       "the curriculum first",
                       loc, text.len, RUN_INPUT_TEXT_MAX);
    }
    if (rc == 0)
        rc = buf_check(&text, "a message", &own);
    if (rc != 0 && newest && err)
        *err = own;
    if (rc != 0)
        return newest ? -1 : 0;
    id = json_object_get(message, "id");
    if (is_blank(&text) || json_object_get(to->ids, json_string_value(id)))
        return 0;
    json_object_set_new(to->ids, json_string_value(id), json_true());
    json_array_append_new(to->messages, json_pack("{s:O, s:o}", "id", id, "content",
                                                  json_stringn(text.data, text.len)));
    return 0;
}

static int take_messages(const json_t *given, struct run_input *input, struct error *err)
{
    const json_t *messages = json_object_get(given, "messages"), *message;
    json_auto_t *ids = json_object();
    struct input_taking to = {input->messages, ids};
    size_t count = json_array_size(messages), newest = 0, i;

    if (input->resume) /* no question: skip the history */
        return 0;
    if (!ids)
        return error_set(err, ERROR_MEMORY, "out of memory for the question");
    json_array_foreach((json_t *)messages, i, message)
    {
        if (may_ask(message))
            newest = i;
    }
    for (i = count > RUN_INPUT_MESSAGES ? count - RUN_INPUT_MESSAGES : 0; i < count; i++) {
        message = json_array_get(messages, i);
        if (may_ask(message) && take_message(message, i, i == newest, &to, err) != 0)
            return -1;
    }
    return 0;
}

/* ---- answers ---- */

/* The text stays with the entry. */
static int take_answer(const json_t *entry, const char *loc, struct run_input *input,
                       struct error *err)
{
    struct run_answer *answer = &input->answers[input->answer_count];
    const json_t *payload = json_object_get(entry, "payload");
    char place[64];

    if (check(entry, &answer_fields, loc, NULL, err) < 0)
        return -1;
    snprintf(place, sizeof place, "%s.payload", loc);
    if (json_string_is(entry, "status", "cancelled"))
        payload = NULL;
    else if (check(payload, &approval_fields, place, NULL, err) < 0)
        return -1;
    answer->interrupt_id = json_get_string(entry, "interruptId");
    answer->approved = json_is_true(json_object_get(payload, "approved"));
    answer->reason = json_get_string(payload, "reason");
    for (size_t i = 0; i < input->answer_count; i++) {
        if (strcmp(input->answers[i].interrupt_id, answer->interrupt_id) == 0)
            return error_set_at(err, "resume", "resume answers the same interrupt twice");
    }
    input->answer_count++;
    return 0;
}

static int take_resume(const json_t *given, struct run_input *input, struct error *err)
{
    json_t *resume = json_object_get(given, "resume");
    const json_t *entry;
    size_t i;

    if (json_array_size(resume) == 0)
        return 0;
    if (json_array_size(resume) > RUN_INPUT_ANSWERS_MAX)
        return error_set_at(err, "resume", "resume must be a list of at most %u answers",
                            RUN_INPUT_ANSWERS_MAX);
    input->resume = json_incref(resume);
    json_array_foreach(resume, i, entry)
    {
        char loc[32];

        snprintf(loc, sizeof loc, "resume.%zu", i);
        if (take_answer(entry, loc, input, err) < 0)
            return -1;
    }
    return 0;
}

/* ---- where, and how ---- */

static const char *const place_names[] = {"node_id", "node_title", "screen", "action"};
#define PLACES (sizeof place_names / sizeof place_names[0])

/* Which word on the editor's place it is; PLACES: none, but the client's own. */
static size_t place_of(const json_t *item)
{
    size_t place = 0;

    while (place < PLACES && !json_string_is(item, "description", place_names[place]))
        place++;
    return place;
}

static int take_context(const json_t *given, struct run_input *input, struct error *err)
{
    const json_t *context = json_object_get(given, "context"), *item;
    json_auto_t *others = json_array();
    char values[PLACES][WHERE_SIZE] = {"", "", "", ""};
    size_t i;

    json_array_foreach((json_t *)context, i, item)
    {
        size_t place = place_of(item);
        char loc[32];

        snprintf(loc, sizeof loc, "context.%zu", i);
        if (check(item, &context_fields, loc, NULL, err) < 0)
            return -1;
        if (place < PLACES)
            text_cut_line(values[place], sizeof values[place], json_get_string(item, "value"));
        else
            json_array_append(others, (json_t *)item);
    }
    prompt_where(values[0], values[1], values[2], values[3], &input->where);
    prompt_context(others, &input->where);
    return buf_check(&input->where, "the context", err);
}

static int take_own(const json_t *given, struct run_input *input, struct error *err)
{
    const json_t *ours = json_object_get(json_object_get(given, "forwardedProps"), "lectern");
    const json_t *solve = json_object_get(ours, "solve");

    if (ours && !json_is_null(ours) &&
        check(ours, &own_fields, "forwardedProps.lectern", NULL, err) < 0)
        return -1;
    input->approvals =
        json_string_is(ours, "approvals", "every") ? APPROVALS_EVERY : APPROVALS_DESTRUCTIVE;
    input->solve = json_is_boolean(solve) ? json_is_true(solve) : -1;
    return 0;
}

static void take_id(const json_t *given, const char *name, char *to)
{
    const json_t *id = json_object_get(given, name);

    memcpy(to, json_string_value(id), json_string_length(id) + 1);
}

static int take_input(const json_t *given, struct run_input *input, struct error *err)
{
    if (check(given, &run_input_fields, "", ADVICE, err) < 0)
        return -1;
    take_id(given, "threadId", input->thread_id);
    take_id(given, "runId", input->run_id);
    if (take_resume(given, input, err) < 0 || take_messages(given, input, err) < 0 ||
        take_context(given, input, err) < 0 || take_own(given, input, err) < 0)
        return -1;
    if (json_array_size(input->messages) == 0 && !input->resume)
        return error_set_at(err, "messages",
                            "messages has no text of a user, and resume no answer: ask something");
    return 0;
}

/* JSON.stringify writes half a character as an escape, which is JSON, but no text. */
static json_t *read_frame(const char *text, size_t len, struct error *err)
{
    struct buf BUF_AUTO repaired = {0};
    json_t *given = json_read(text, len, "the frame", err);

    if (given || !json_repair_needed(text, len))
        return given;
    json_repair(text, len, &repaired, NULL);
    if (buf_check(&repaired, "the frame", err) < 0)
        return NULL;
    given = json_read(repaired.data, repaired.len, "the frame", err);
    if (given && err)
        *err = (struct error){0};
    return given;
}

int run_input_read(const char *text, size_t len, struct run_input *input, struct error *err)
{
    json_auto_t *given = NULL;

    memset(input, 0, sizeof *input);
    input->messages = json_array();
    if (!input->messages)
        return error_set(err, ERROR_MEMORY, "out of memory for the question");
    if (len > RUN_INPUT_CAP)
        return error_set(err, ERROR_TOO_LARGE,
                         "the frame has more than %zu MB: send the new message alone, the server "
                         "has those before it",
                         RUN_INPUT_CAP >> 20);
    given = read_frame(text, len, err);
    if (!given)
        return -1;
    if (!json_is_object(given))
        return error_set(err, ERROR_INVALID, "the frame must be an object. " ADVICE);
    if (!json_object_get(given, "type"))
        return take_input(given, input, err);
    input->stop = true;
    if (check(given, &stop_fields, "", "For a question: " ADVICE, err) < 0)
        return -1;
    take_id(given, "runId", input->run_id);
    return 0;
}

void run_input_finish(struct run_input *input)
{
    json_decref(input->messages);
    json_decref(input->resume);
    buf_finish(&input->where);
    memset(input, 0, sizeof *input);
}
