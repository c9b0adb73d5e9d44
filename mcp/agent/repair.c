/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of repairs, each a function that changes the text of the program once and says what it
 * changed. They are tried from the first on until none applies; then the validator decides.
 */
#include "mcp/agent/repair.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/buf.h"
#include "helpers/base/json.h"

#define REPAIR_ROUNDS 40u /* changes of one program */
#define WORD_CAP      80u /* bytes of a misspelt name in an error's message */
#define SHOWN         60  /* bytes of a piece of the program in a text */

struct repair {
    const struct execution *execution;
    const struct plan *plan;
    const struct validator_profile *profile;
    struct buf source, next, cause, change;
    struct verdict *verdict; /* of source */
    struct verdict *trial;   /* of next */
    unsigned changes;
    bool of_run; /* the program as it was sent is accepted: it failed in its run */
};

static bool copy_word(const char *from, size_t len, char word[WORD_CAP])
{
    if (len == 0 || len >= WORD_CAP)
        return false;
    memcpy(word, from, len);
    word[len] = '\0';
    return true;
}

static bool is_name_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool is_name(const char *text)
{
    if (*text >= '0' && *text <= '9')
        return false;
    for (const char *c = text; *c; c++)
        if (!is_name_byte(*c))
            return false;
    return *text != '\0';
}

/* Takes the program in `next` as the new one. */
static bool take(struct repair *repair, const char *cause)
{
    struct buf before = repair->source;

    if (repair->next.failed)
        return false;
    repair->source = repair->next;
    repair->next = before;
    buf_clear(&repair->next);
    if (repair->changes++ == 0)
        buf_adds(&repair->cause, cause);
    validator_check(repair->source.data, repair->source.len, repair->profile, repair->verdict);
    return true;
}

/* Takes the program with `len` bytes at `at` replaced. */
static bool replace(struct repair *repair, size_t at, size_t len, const char *with,
                    const char *cause)
{
    buf_clear(&repair->next);
    buf_add(&repair->next, repair->source.data, at);
    buf_adds(&repair->next, with);
    buf_add(&repair->next, repair->source.data + at + len, repair->source.len - at - len);
    return take(repair, cause);
}

/* A sentence about a change. The diagnosis has room for the first ones. */
#define SAY(repair, ...)                                                                           \
    ((repair)->change.len < DIAGNOSIS_TEXT_MAX / 2 ? buf_addf(&(repair)->change, __VA_ARGS__)      \
                                                   : (void)0)

/* ---- Markdown: the one fenced block of a text is the program. With two blocks, or one that does
 * not end, nothing is certain. ---- */

struct code_fence {
    size_t line, body; /* where its line and the next one begin */
    char mark;
    bool bare; /* nothing follows the mark */
    bool python;
};

static size_t next_line(const struct buf *source, size_t at)
{
    const char *end = memchr(source->data + at, '\n', source->len - at);

    return end ? (size_t)(end - source->data) + 1 : source->len;
}

static bool read_fence(const struct buf *source, size_t at, struct code_fence *fence)
{
    static const char *const names[] = {"python", "py", "python3", "Python"};
    const size_t next = next_line(source, at);
    const char *text = source->data + at;
    size_t len = next - at;

    while (len > 0 && (*text == ' ' || *text == '\t')) {
        text++;
        len--;
    }
    while (len > 0 && strchr("\r\n \t", text[len - 1]))
        len--;
    if (len < 3 || (memcmp(text, "```", 3) != 0 && memcmp(text, "~~~", 3) != 0))
        return false;
    *fence = (struct code_fence){.line = at, .body = next, .mark = *text, .bare = len == 3};
    fence->python = fence->bare;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (len - 3 == strlen(names[i]) && memcmp(text + 3, names[i], len - 3) == 0)
            fence->python = true;
    return true;
}

static bool repair_fence(struct repair *repair)
{
    struct code_fence fences[2];
    size_t count = 0;

    if (repair->verdict->accepted)
        return false;
    for (size_t at = 0; at < repair->source.len; at = next_line(&repair->source, at)) {
        struct code_fence found;

        if (!read_fence(&repair->source, at, &found))
            continue;
        if (count == 2)
            return false;
        fences[count++] = found;
    }
    if (count != 2 || !fences[0].python || !fences[1].bare || fences[0].mark != fences[1].mark ||
        validator_is_blank(repair->source.data + fences[0].body, fences[1].line - fences[0].body))
        return false;
    buf_clear(&repair->next);
    buf_add(&repair->next, repair->source.data + fences[0].body, fences[1].line - fences[0].body);
    SAY(repair, "Took the program out of its Markdown code block. ");
    return take(repair, "The program stands in a Markdown code block.");
}

/* ---- the corrections that the validator knows ---- */

static bool has_diagnostic(const struct verdict *verdict, const struct diagnostic *sought)
{
    for (size_t i = 0; i < verdict->diagnostic_count; i++) {
        const struct diagnostic *found = &verdict->diagnostics[i];

        if (found->line == sought->line && found->column == sought->column &&
            strcmp(found->text, sought->text) == 0)
            return true;
    }
    return false;
}

static void say_correction(struct repair *repair, const struct correction *correction, size_t line)
{
    for (size_t i = 0; i < correction->count; i++) {
        const size_t len = correction->edits[i].len;
        const int shown = (int)(len < SHOWN ? len : SHOWN);
        const char *with = correction->edits[i].with;
        const size_t text = strcspn(with, "\n");

        if (len > 0 && *with &&
            !validator_is_blank(repair->source.data + correction->edits[i].at, len))
            SAY(repair, "Replaced `%.*s` with `%.*s` in line %zu. ", shown,
                repair->source.data + correction->edits[i].at, (int)text, with, line);
        else if (len > 0 && !*with)
            SAY(repair, "Deleted `%.*s` in line %zu. ", shown,
                repair->source.data + correction->edits[i].at, line);
        else if (with[text] == '\n')
            SAY(repair, "Added `%.*s`. ", (int)text, with);
        else
            SAY(repair, "Added `%s` in line %zu. ", with, line);
    }
}

static bool apply(struct repair *repair, const struct diagnostic *diagnostic)
{
    const struct correction *correction = &diagnostic->correction;
    size_t at = 0;

    buf_clear(&repair->next);
    for (size_t i = 0; i < correction->count; i++) {
        if (correction->edits[i].at < at)
            return false;
        buf_add(&repair->next, repair->source.data + at, correction->edits[i].at - at);
        buf_adds(&repair->next, correction->edits[i].with);
        at = correction->edits[i].at + correction->edits[i].len;
    }
    buf_add(&repair->next, repair->source.data + at, repair->source.len - at);
    if (repair->next.failed)
        return false;
    validator_check(repair->next.data, repair->next.len, repair->profile, repair->trial);
    if (has_diagnostic(repair->trial, diagnostic))
        return false;
    say_correction(repair, correction, diagnostic->line);
    return take(repair, diagnostic->text);
}

static bool repair_correction(struct repair *repair)
{
    struct diagnostic *diagnostic = malloc(sizeof *diagnostic);
    bool changed = false;

    for (size_t i = 0; diagnostic && !changed && i < repair->verdict->diagnostic_count; i++) {
        *diagnostic = repair->verdict->diagnostics[i];
        changed = diagnostic->correction.count > 0 && apply(repair, diagnostic);
    }
    free(diagnostic);
    return changed;
}

/* ---- errors of the run: a misspelt key, attribute or name. The hint behind the error was made in
 * the sandbox (image/python/hints.py). ---- */

struct run_error {
    const char *type, *text, *hint;
    size_t line, line_end; /* bytes of the line where it was raised */
};

static bool read_run_error(const struct repair *repair, struct run_error *error)
{
    const json_t *context = json_object_get(repair->execution->error, "context");
    const json_int_t line = json_integer_value(json_object_get(context, "line"));

    *error = (struct run_error){.type = json_get_string(context, "errorType"),
                                .text = json_get_string(context, "message"),
                                .hint = repair->execution->hint};
    if (!repair->of_run || repair->changes > 0 || !error->type || !error->text || line < 1)
        return false;
    for (json_int_t i = 1; i < line; i++)
        error->line = next_line(&repair->source, error->line);
    error->line_end = next_line(&repair->source, error->line);
    return error->hint && error->line < error->line_end;
}

/* The word in quotation marks behind a text: "did you mean 'title'?". */
static bool quoted_behind(const char *text, const char *behind, char word[WORD_CAP])
{
    const char *at = strstr(text, behind), *end;

    if (!at)
        return false;
    at += strlen(behind);
    end = strchr(at, '\'');
    return end && copy_word(at, (size_t)(end - at), word) && !strpbrk(word, "\"\\\n{}%");
}

/* The name behind a text: "did you mean .upper?". */
static bool name_behind(const char *text, const char *behind, char word[WORD_CAP])
{
    const char *at = strstr(text, behind);
    size_t len = 0;

    if (!at)
        return false;
    at += strlen(behind);
    while (is_name_byte(at[len]))
        len++;
    return copy_word(at, len, word) && is_name(word);
}

/* Replaces the only place of the text in the error's line that is bounded as a name is. */
static bool replace_in_line(struct repair *repair, const struct run_error *error, const char *text,
                            const char *with, const char *cause)
{
    const size_t len = strlen(text);
    const char *source = repair->source.data;
    size_t found = 0, count = 0;

    for (size_t at = error->line; at + len <= error->line_end; at++) {
        const bool left = at > 0 && is_name_byte(source[at - 1]) && is_name_byte(text[0]);
        const bool right = at + len < repair->source.len && is_name_byte(source[at + len]) &&
                           is_name_byte(text[len - 1]);

        if (memcmp(source + at, text, len) == 0 && !left && !right) {
            found = at;
            count++;
        }
    }
    if (count != 1)
        return false;
    SAY(repair, "Replaced `%s` with `%s`. ", text, with);
    return replace(repair, found, len, with, cause);
}

/* Replaces a key in quotation marks of either kind. */
static bool replace_key(struct repair *repair, const struct run_error *error, const char *key,
                        const char *with)
{
    static const char marks[] = "'\"";

    for (const char *mark = marks; *mark; mark++) {
        char old[WORD_CAP + 4], new[2 * WORD_CAP];

        snprintf(old, sizeof old, "%c%s%c", *mark, key, *mark);
        snprintf(new, sizeof new, "%c%s%c", *mark, with, *mark);
        if (replace_in_line(repair, error, old, new, "A key that does not exist is read."))
            return true;
    }
    return false;
}

/* The hints on fields that have names of their kind. Keys of other dicts and ids of nodes are data:
 * the nearest one would give another answer. */
static const char *const field_hints[] = {
    "the node ", "the component ", "the relationship ", "the node's cont", "the columns ",
};

static bool repair_key(struct repair *repair)
{
    static const char not_found[] = "Column not found: ";
    char key[WORD_CAP], near[WORD_CAP], *name = key;
    struct run_error error;
    bool of_field = false;

    if (!read_run_error(repair, &error) || strcmp(error.type, "KeyError") != 0 ||
        !quoted_behind(error.text, "KeyError: '", key))
        return false;
    if (strncmp(key, not_found, sizeof not_found - 1) == 0)
        name += sizeof not_found - 1;
    for (size_t i = 0; i < sizeof field_hints / sizeof *field_hints; i++)
        of_field = of_field || strncmp(error.hint, field_hints[i], strlen(field_hints[i])) == 0;
    of_field = of_field || strstr(error.hint, "['parameters'] has the fields");
    if (!of_field || strpbrk(name, "0123456789"))
        return false;
    return quoted_behind(error.hint, "did you mean '", near) &&
           replace_key(repair, &error, name, near);
}

/* c["term"] becomes c["parameters"]["term"]. */
static bool repair_parameter(struct repair *repair)
{
    char key[WORD_CAP], inside[2 * WORD_CAP], old[2 * WORD_CAP], new[3 * WORD_CAP];
    struct run_error error;
    const char *at, *end;

    if (!read_run_error(repair, &error) || strcmp(error.type, "KeyError") != 0 ||
        !quoted_behind(error.text, "KeyError: '", key))
        return false;
    snprintf(inside, sizeof inside, "'%s' is in ", key);
    at = strstr(error.hint, inside);
    end = at ? strstr(at, "[\"parameters\"]") : NULL;
    if (!end)
        return false;
    at += strlen(inside);
    for (const char *mark = "'\""; *mark; mark++) {
        snprintf(old, sizeof old, "%.*s[%c%s%c]", (int)(end - at), at, *mark, key, *mark);
        snprintf(new, sizeof new, "%.*s[\"parameters\"][%c%s%c]", (int)(end - at), at, *mark, key,
                 *mark);
        if (replace_in_line(repair, &error, old, new, "A parameter is read as a field."))
            return true;
    }
    return false;
}

static bool repair_attribute(struct repair *repair)
{
    char name[WORD_CAP], near[WORD_CAP], old[WORD_CAP + 2], new[WORD_CAP + 8];
    struct run_error error;

    if (!read_run_error(repair, &error) || strcmp(error.type, "AttributeError") != 0 ||
        !name_behind(error.text, "has no attribute '", name))
        return false;
    snprintf(old, sizeof old, ".%s", name);
    if (name_behind(error.hint, "did you mean .", near) ||
        quoted_behind(error.hint, "did you mean '", near))
        snprintf(new, sizeof new, ".%s", near);
    else if (strstr(error.hint, "are dicts: write value["))
        snprintf(new, sizeof new, "[\"%s\"]", name);
    else
        return false;
    return (new[0] == '[' || is_name(new + 1)) &&
           replace_in_line(repair, &error, old, new, "An attribute that does not exist is read.");
}

static bool repair_name(struct repair *repair)
{
    char name[WORD_CAP], near[WORD_CAP];
    struct run_error error;

    return read_run_error(repair, &error) && strcmp(error.type, "NameError") == 0 &&
           name_behind(error.text, "NameError: name '", name) &&
           name_behind(error.hint, "did you mean ", near) &&
           replace_in_line(repair, &error, name, near, "A name that is not bound is read.");
}

/* ---- a result that is bound and not printed, or not as JSON ---- */

static bool is_bound(const struct repair *repair, const char *name)
{
    return is_name(name) && validator_assigns(repair->source.data, repair->source.len, name);
}

/* The name that the last line prints: print(counts). */
static bool printed_name(const struct repair *repair, char name[WORD_CAP])
{
    static const char call[] = "print(";
    const char *source = repair->source.data;
    size_t end = repair->source.len, start;

    while (end > 0 && strchr("\r\n ", source[end - 1]))
        end--;
    for (start = end; start > 0 && source[start - 1] != '\n'; start--)
        continue;
    if (end < start + sizeof call || strncmp(source + start, call, strlen(call)) != 0 ||
        source[end - 1] != ')')
        return false;
    start += strlen(call);
    return copy_word(source + start, end - 1 - start, name) && is_bound(repair, name);
}

/* The name of the value of the only step; room holds it. */
static const char *result_name(const struct repair *repair, char room[WORD_CAP])
{
    const char *step = repair->plan->steps[0].name;

    if (is_bound(repair, step))
        return step;
    if (is_bound(repair, "result"))
        return "result";
    return printed_name(repair, room) ? room : NULL;
}

static void add_print(struct repair *repair, const char *step, const char *name)
{
    if (step)
        buf_addf(&repair->next, "print(json.dumps({\"%s\": %s}))\n", step, name);
    else
        buf_addf(&repair->next, "print(json.dumps(%s))\n", name);
    SAY(repair, "Added a line that prints `%s` as JSON. ", name);
}

/* Whether the last line of the output is "null", which is a value. */
static bool printed_null(const char *text)
{
    size_t len = strlen(text);

    while (len > 0 && strchr("\r\n ", text[len - 1]))
        len--;
    return len >= 4 && memcmp(text + len - 4, "null", 4) == 0 &&
           (len == 4 || text[len - 5] == '\n');
}

static bool repair_output(struct repair *repair)
{
    const struct plan *plan = repair->plan;
    const bool json = validator_assigns(repair->source.data, repair->source.len, "json");
    const json_t *result = repair->execution->result;
    char room[WORD_CAP];
    const char *name = plan->step_count == 1 ? result_name(repair, room) : NULL;

    if (!repair->verdict->accepted || repair->changes > 0 ||
        printed_null(repair->execution->stdout_text) || !repair->execution->ok ||
        plan->step_count == 0 ||
        (plan->step_count == 1 && (!name || (result && !json_is_null(result)))))
        return false;
    buf_clear(&repair->next);
    buf_add(&repair->next, repair->source.data, repair->source.len);
    if (repair->source.len > 0 && repair->source.data[repair->source.len - 1] != '\n')
        buf_addc(&repair->next, '\n');
    if (!json)
        buf_adds(&repair->next, "import json\n");
    if (name)
        add_print(repair, NULL, name);
    for (size_t i = 0; !name && i < plan->step_count; i++) {
        const char *step = plan->steps[i].name;

        if (json_object_get(result, step))
            continue;
        if (!is_bound(repair, step)) {
            buf_clear(&repair->change);
            return false;
        }
        add_print(repair, step, step);
    }
    return repair->change.len > 0 && take(repair, "A result is not printed as JSON.");
}

/* ---- the whole ---- */

static bool (*const rules[])(struct repair *repair) = {
    repair_fence,     repair_correction, repair_key,    repair_parameter,
    repair_attribute, repair_name,       repair_output,
};

static bool change_once(struct repair *repair)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i](repair))
            return true;
    return false;
}

static json_t *diagnosis_of(struct repair *repair)
{
    while (repair->change.len > 0 && repair->change.data[repair->change.len - 1] == ' ')
        repair->change.len--;
    return json_pack("{s:s%, s:s%, s:s%, s:s}", "cause", repair->cause.data, repair->cause.len,
                     "change", repair->change.data, repair->change.len, "source",
                     repair->source.data, repair->source.len, "by", "rule");
}

json_t *repair_by_rule(const struct code *code, const struct execution *execution,
                       const struct plan *plan, const struct validator_profile *profile,
                       struct error *err)
{
    struct repair repair = {.execution = execution, .plan = plan, .profile = profile};
    json_t *diagnosis = NULL;
    bool failed;

    buf_init(&repair.source, CODE_SOURCE_MAX);
    buf_init(&repair.next, CODE_SOURCE_MAX);
    buf_init(&repair.cause, DIAGNOSIS_TEXT_MAX);
    buf_init(&repair.change, DIAGNOSIS_TEXT_MAX);
    repair.verdict = calloc(1, sizeof *repair.verdict);
    repair.trial = calloc(1, sizeof *repair.trial);
    buf_add(&repair.source, code->source, code->source_len);
    failed = !repair.verdict || !repair.trial || repair.source.failed;
    if (!failed) {
        validator_check(repair.source.data, repair.source.len, profile, repair.verdict);
        repair.of_run = repair.verdict->accepted;
        while (repair.changes < REPAIR_ROUNDS && change_once(&repair))
            continue;
        if (repair.changes > 0 && repair.verdict->accepted && !(diagnosis = diagnosis_of(&repair)))
            failed = true;
    }
    if (failed)
        error_set(err, ERROR_MEMORY, "there was no memory to repair the program");
    buf_finish(&repair.source);
    buf_finish(&repair.next);
    buf_finish(&repair.cause);
    buf_finish(&repair.change);
    free(repair.verdict);
    free(repair.trial);
    return diagnosis;
}

bool code_is_placeholder(const char *source, size_t len, char why[REPAIR_WHY_CAP])
{
    const char *reason = validator_placeholder(source, len);

    if (reason)
        snprintf(why, REPAIR_WHY_CAP, "%s", reason);
    return reason != NULL;
}
