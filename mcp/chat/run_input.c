/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/chat/run_input.h"

#include <stdio.h>
#include <string.h>

#include "helpers/base/fields.h"
#include "helpers/base/json.h"
#include "mcp/chat/json_repair.h"
#include "mcp/chat/prompt.h"
#include "mcp/session/text.h"

#define WHERE_SIZE 301u /* of what a page says of its place; longer is cut */
#define ADVICE                                                                                     \
    "send {\"threadId\", \"runId\", \"messages\": [{\"id\", \"role\": \"user\", \"content\"}]}"

/* A text of 1 to max bytes in one line; to has one more. */
static int take_id(const json_t *object, const char *name, char *to, size_t max, struct error *err)
{
    const json_t *value = json_object_get(object, name);
    const char *text = json_string_value(value);
    size_t len = json_string_length(value);

    if (!text || len == 0 || len > max)
        return error_set_at(err, name, "%s must be a text of 1 to %zu bytes; " ADVICE, name, max);
    for (size_t i = 0; i < len; i++) {
        if ((unsigned char)text[i] < 0x20)
            return error_set_at(err, name, "%s holds a control character", name);
    }
    memcpy(to, text, len + 1);
    return 0;
}

/* ---- messages ---- */

static bool is_type(const json_t *object, const char *name, const char *wanted)
{
    const char *has = json_get_string(object, name);

    return has && strcmp(has, wanted) == 0;
}

static int add_part(const json_t *part, const char *loc, struct buf *text, struct error *err)
{
    const json_t *value = json_object_get(part, "text");

    if (!is_type(part, "type", "text") || !json_is_string(value))
        return error_set_at(err, loc, "%s: only parts of type text can be sent", loc);
    if (text->len > 0)
        buf_addc(text, '\n');
    buf_add(text, json_string_value(value), json_string_length(value));
    return 0;
}

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
        return error_set_at(err, loc, "%s.content must be text; " ADVICE, loc);
    json_array_foreach((json_t *)content, i, part)
    {
        if (add_part(part, loc, text, err) < 0)
            return -1;
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

/* What has no role may have been meant as a question. */
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
    char id[THREAD_ID_MAX + 1], loc[32];
    int rc;

    snprintf(loc, sizeof loc, "messages.%zu", i);
    rc = json_get_string(message, "role") ? 0
                                          : error_set_at(&own, loc, "%s has no role; " ADVICE, loc);
    if (rc == 0)
        rc = take_id(message, "id", id, sizeof id - 1, &own);
    if (rc == 0)
        rc = read_content(json_object_get(message, "content"), loc, &text, &own);
    if (rc == 0 && text.len > RUN_INPUT_TEXT_MAX) {
        rc = error_set(&own, ERROR_TOO_LARGE,
                       "%s is %zu bytes long: a message has at most %zu; send less, or put it into "
                       "the curriculum first",
                       loc, text.len, RUN_INPUT_TEXT_MAX);
    }
    if (rc == 0 && buf_check(&text, "a message", &own) != 0)
        rc = -1;
    if (rc != 0 && newest && err)
        *err = own;
    if (rc != 0)
        return newest ? -1 : 0;
    if (is_blank(&text) || json_object_get(to->ids, id))
        return 0;
    json_object_set_new(to->ids, id, json_true());
    json_array_append_new(to->messages, json_pack("{s:s, s:o}", "id", id, "content",
                                                  json_stringn(text.data, text.len)));
    return 0;
}

static int take_messages(const json_t *given, struct run_input *input, struct error *err)
{
    const json_t *messages = json_object_get(given, "messages"), *message;
    json_auto_t *ids = json_object();
    struct input_taking to = {input->messages, ids};
    size_t count = json_array_size(messages), newest = 0, i;

    if (!json_is_array(messages))
        return error_set_at(err, "messages", "messages must be a list; " ADVICE);
    if (input->resume) /* nothing is asked: the history is skipped */
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

/* ---- objects of our own within AG-UI's ---- */

static const char *const approval_names[] = {"destructive", "every", NULL};
static const struct field own_rows[] = {
    {.name = "approvals", .type = FIELD_TEXT, .choices = approval_names},
    {0},
};
static const struct fields own_fields = {.name = "forwardedProps.lectern", .rows = own_rows};

static const struct field answer_rows[] = {
    {.name = "approved", .type = FIELD_FLAG, .required = true},
    {.name = "reason", .type = FIELD_TEXT, .most = (double)RUN_INPUT_TEXT_MAX, .flags = FIELD_NUL},
    {0},
};
static const struct fields answer_fields = {.name = "an answer", .rows = answer_rows};

static const struct field stop_rows[] = {
    {.name = "type", .type = FIELD_TEXT, .required = true},
    {.name = "runId", .type = FIELD_TEXT, .required = true},
    {0},
};
static const struct fields stop_fields = {.name = "lectern.stop", .rows = stop_rows};

/* name: the member of loc that the object is. */
static int check_own(const json_t *object, const struct fields *fields, const char *loc,
                     const char *name, struct error *err)
{
    struct validation_errors problems;
    char where[64];

    snprintf(where, sizeof where, "%s%s%s", loc, *loc && *name ? "." : "", name);
    if (!json_is_object(object)) {
        struct buf BUF_AUTO names = {0};

        buf_init(&names, ERROR_TEXT_CAP / 2);
        fields_list(fields, &names);
        return error_set_at(err, where, "%s must be an object with the members %s", where,
                            names.data ? names.data : "");
    }
    validation_begin(&problems, where);
    fields_check(fields, object, NULL, &problems);
    return validation_end(&problems, NULL, err);
}

/* ---- answers ---- */

static int check_answer(const json_t *entry, const char *loc, struct error *err)
{
    const json_t *payload = json_object_get(entry, "payload");
    char id[RUN_ID_MAX + 1];

    if (take_id(entry, "interruptId", id, sizeof id - 1, err) < 0)
        return error_wrap(err, "%s", loc);
    if (is_type(entry, "status", "cancelled"))
        return 0;
    if (!is_type(entry, "status", "resolved"))
        return error_set_at(err, loc, "%s.status must be resolved or cancelled", loc);
    return check_own(payload, &answer_fields, loc, "payload", err);
}

static int check_repeats(const json_t *resume, size_t upto, struct error *err)
{
    const char *id = json_get_string(json_array_get(resume, upto), "interruptId");

    for (size_t i = 0; i < upto; i++) {
        if (is_type(json_array_get(resume, i), "interruptId", id))
            return error_set_at(err, "resume", "resume answers the same interrupt twice");
    }
    return 0;
}

static int take_resume(const json_t *given, struct run_input *input, struct error *err)
{
    json_t *resume = json_object_get(given, "resume");
    const json_t *entry;
    size_t i;

    if (!resume || json_is_null(resume) || (json_is_array(resume) && json_array_size(resume) == 0))
        return 0;
    if (!json_is_array(resume) || json_array_size(resume) > RUN_INPUT_ANSWERS_MAX)
        return error_set_at(err, "resume", "resume must be a list of at most %u answers",
                            RUN_INPUT_ANSWERS_MAX);
    json_array_foreach(resume, i, entry)
    {
        char loc[32];

        snprintf(loc, sizeof loc, "resume.%zu", i);
        if (check_answer(entry, loc, err) < 0 || check_repeats(resume, i, err) < 0)
            return -1;
    }
    input->resume = json_incref(resume);
    return 0;
}

size_t run_input_answers(const struct run_input *input,
                         struct run_answer answers[RUN_INPUT_ANSWERS_MAX])
{
    const json_t *entry;
    size_t i;

    json_array_foreach(input->resume, i, entry)
    {
        const json_t *payload = json_object_get(entry, "payload");

        answers[i].interrupt_id = json_get_string(entry, "interruptId");
        answers[i].approved = is_type(entry, "status", "resolved") &&
                              json_is_true(json_object_get(payload, "approved"));
        answers[i].reason = json_get_string(payload, "reason");
    }
    return json_array_size(input->resume);
}

/* ---- where, and how ---- */

static const char *const place_names[] = {"node_id", "node_title", "screen", "action"};
#define PLACES (sizeof place_names / sizeof place_names[0])

/* Which word on the editor's place it is; PLACES: none, but the client's own. */
static size_t place_of(const json_t *item)
{
    size_t place = 0;

    while (place < PLACES && !is_type(item, "description", place_names[place]))
        place++;
    return place;
}

static int take_context(const json_t *given, struct run_input *input, struct error *err)
{
    const json_t *context = json_object_get(given, "context"), *item;
    json_auto_t *others = json_array();
    char values[PLACES][WHERE_SIZE] = {"", "", "", ""};
    size_t i;

    if (context && !json_is_null(context) && !json_is_array(context))
        return error_set_at(err, "context",
                            "context must be a list of {\"description\", \"value\"}");
    json_array_foreach((json_t *)context, i, item)
    {
        const char *value = json_get_string(item, "value");
        size_t place = place_of(item);

        if (!json_get_string(item, "description") || !value)
            return error_set_at(err, "context",
                                "context.%zu must be {\"description\": text, \"value\": text}", i);
        if (place < PLACES)
            text_cut_line(values[place], sizeof values[place], value);
        else
            json_array_append(others, (json_t *)item);
    }
    prompt_where(values[0], values[1], values[2], values[3], &input->where);
    prompt_context(others, &input->where);
    return buf_check(&input->where, "the context", err);
}

static int take_approvals(const json_t *given, struct run_input *input, struct error *err)
{
    const json_t *ours = json_object_get(json_object_get(given, "forwardedProps"), "lectern");

    input->approvals = APPROVALS_DESTRUCTIVE;
    if (!ours || json_is_null(ours))
        return 0;
    if (check_own(ours, &own_fields, "forwardedProps", "lectern", err) < 0)
        return -1;
    if (is_type(ours, "approvals", "every"))
        input->approvals = APPROVALS_EVERY;
    return 0;
}

static int take_input(const json_t *given, struct run_input *input, struct error *err)
{
    if (take_id(given, "threadId", input->thread_id, THREAD_ID_MAX, err) < 0 ||
        take_id(given, "runId", input->run_id, RUN_ID_MAX, err) < 0 ||
        take_resume(given, input, err) < 0 || take_messages(given, input, err) != 0 ||
        take_context(given, input, err) < 0 || take_approvals(given, input, err) < 0)
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
        return error_set(err, ERROR_INVALID, "the frame must be an object; " ADVICE);
    if (json_object_get(given, "type")) {
        if (!is_type(given, "type", "lectern.stop"))
            return error_set_at(err, "type",
                                "the only type here is lectern.stop; for a question " ADVICE);
        input->stop = true;
        if (check_own(given, &stop_fields, "", "", err) < 0)
            return -1;
        return take_id(given, "runId", input->run_id, RUN_ID_MAX, err);
    }
    return take_input(given, input, err);
}

void run_input_finish(struct run_input *input)
{
    json_decref(input->messages);
    json_decref(input->resume);
    buf_finish(&input->where);
    memset(input, 0, sizeof *input);
}
