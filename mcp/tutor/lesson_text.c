/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The lesson is written as one text, with the ends of its components. Then cuts are made from the
 * beginning: each part takes as much as fits.
 */
#include "mcp/tutor/lesson_text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/utf8.h"
#include "mcp/curriculum/node_field.h"
#include "mcp/curriculum/prose.h"
#include "mcp/exercise/exercise.h"
#include "mcp/format/markdown.h"

#define LABEL_CAP     63u /* bytes of a field's name */
#define FENCE_CAP     24u /* bytes of the line that opens a code block; a longer one opens none */
#define FENCE_TOKENS  (2u * FENCE_CAP + 4u) /* of an opening and a closing line */
#define HEADER_FORMAT "# %.*s%s\n\n"
#define NUMBER_CAP    60u /* bytes of " (part 2 of 3)" */

/* ---- the estimate ---- */

#define HALVES     2u  /* of a token */
#define SHORT_WORD 12u /* letters; longer runs are rarely words */

enum character_class { LETTER, DIGIT, SPACE, OTHER };

static enum character_class class_of(char c)
{
    unsigned char byte = (unsigned char)c;

    return isalpha(byte) ? LETTER : isdigit(byte) ? DIGIT : byte == ' ' ? SPACE : OTHER;
}

/* Whether a word may go on after this letter: not in "camelCase". */
static bool continues(char letter, char next)
{
    return class_of(next) == LETTER &&
           !(islower((unsigned char)letter) && isupper((unsigned char)next));
}

/* A character that is not ASCII has at most as many tokens as bytes. Letters of two bytes have
 * fewer, and so have the characters of Chinese, Japanese and Korean, but for rare ones. */
static size_t estimate_character(const char *text, size_t len, size_t *used)
{
    uint32_t c;

    *used = utf8_decode(text, len, &c);
    if (*used == 0)
        *used = 1;
    if (*used == 2)
        return HALVES;
    if (c >= 0x4E00 && c <= 0x9FFF) /* Chinese characters */
        return 4;
    if ((c >= 0x3000 && c <= 0x30FF) || (c >= 0xAC00 && c <= 0xD7A3) ||
        (c >= 0x2010 && c <= 0x2026))
        return 3; /* kana, Korean syllables, quotation marks */
    return *used * HALVES;
}

/* The half tokens of the run of characters at text, and its length. A word has a token for each
 * four letters, and takes the space before it; digits make groups of three; each punctuation mark
 * counts. */
static size_t estimate_run(const char *text, size_t len, size_t *used)
{
    enum character_class class = class_of(*text);
    size_t run = 1;

    if ((unsigned char)*text >= 0x80)
        return estimate_character(text, len, used);
    while (class != OTHER && run < len &&
           (class == LETTER ? continues(text[run - 1], text[run]) : class_of(text[run]) == class))
        run++;
    *used = run;
    if (class == SPACE)
        return run == 1 && run < len && class_of(text[run]) == LETTER ? 0 : HALVES;
    if (class == OTHER)
        return HALVES;
    return class == DIGIT     ? (run + 2) / 3 * HALVES
           : run > SHORT_WORD ? run
                              : (run + 3) / 4 * HALVES;
}

size_t token_estimate(const char *text, size_t len)
{
    size_t halves = 0, used;

    for (size_t at = 0; at < len; at += used)
        halves += estimate_run(text + at, len - at, &used);
    return (halves + HALVES - 1) / HALVES;
}

/* ---- code blocks ---- */

/* The line that has opened the code block at this place; len is 0 outside of one. */
struct fence {
    const char *line;
    size_t len, marks;
};

/* Follows one line (CommonMark, section 4.5). */
static void fence_follow(struct fence *fence, const char *line, size_t len)
{
    size_t blanks = 0, marks = 0;

    while (blanks < len && blanks < 3 && line[blanks] == ' ')
        blanks++;
    while (blanks + marks < len && (line[blanks] == '`' || line[blanks] == '~') &&
           line[blanks + marks] == line[blanks])
        marks++;
    if (marks < 3 || len > FENCE_CAP)
        return;
    if (fence->len == 0) {
        if (line[blanks] == '~' || !memchr(line + blanks + marks, '`', len - blanks - marks))
            *fence = (struct fence){line + blanks, len - blanks, marks};
    } else if (line[blanks] == *fence->line && marks >= fence->marks && blanks + marks == len) {
        fence->len = 0;
    }
}

/* The line may be in *to. */
static void fence_close(const struct fence *fence, struct buf *to)
{
    const char mark = *fence->line;

    for (size_t i = 0; i < fence->marks; i++)
        buf_addc(to, mark);
    buf_addc(to, '\n');
}

/* The code block at the end of text[from..end), where `fence` is the one at its beginning. */
static void fence_walk(struct fence *fence, const char *text, size_t from, size_t end)
{
    while (from < end) {
        const char *next = memchr(text + from, '\n', end - from);
        size_t stop = next ? (size_t)(next - text) : end;

        fence_follow(fence, text + from, stop - from);
        from = stop + 1;
    }
}

/* ---- the whole text ---- */

struct whole {
    struct buf text;
    struct buf ends; /* size_t: where each component ends */
    json_t *fields;  /* of the component that is being written; owned */
    size_t exercises;
};

/* Ends the component that begins at `from`, and a code block that it has left open. */
static void end_component(struct whole *whole, size_t from)
{
    struct fence open = {0};

    if (whole->text.len == from)
        return;
    fence_walk(&open, whole->text.data, from, whole->text.len);
    if (open.len > 0)
        fence_close(&open, &whole->text);
    buf_addc(&whole->text, '\n');
    buf_add(&whole->ends, &whole->text.len, sizeof whole->text.len);
}

/* "pictures.svg1.title" becomes svg1_title. */
static int add_field(void *user, const struct prose_text *text)
{
    static const char prefix[] = "pictures.";
    struct whole *whole = user;
    const char *path = text->path;
    char label[LABEL_CAP + 1];
    size_t len = 0;

    if (strncmp(path, prefix, sizeof prefix - 1) == 0)
        path += sizeof prefix - 1;
    for (; *path && len < LABEL_CAP; path++)
        label[len++] = (char)(isalnum((unsigned char)*path) ? *path : '_');
    label[len] = '\0';
    return json_object_set_new(whole->fields, label, json_stringn(text->text, text->len));
}

/* Types that have a form of their text are written in it, others as their readable fields. */
static int write_component(struct whole *whole, const json_t *component)
{
    const json_t *parameters = json_object_get(component, "parameters");
    const char *type = json_get_string(component, "type");
    size_t from = whole->text.len;
    int rc;

    type = type ? type : "";
    if (strcmp(type, EXERCISE_CODE) == 0 || strcmp(type, EXERCISE_QUESTION) == 0) {
        whole->exercises++;
        return 0;
    }
    whole->fields = json_object();
    if (!whole->fields)
        return -1;
    rc = prose_each(type, parameters, add_field, whole);
    if (rc == 0 && json_object_size(whole->fields) > 0 &&
        !(body_has_form(type) && body_write_plain(&whole->text, type, parameters)))
        body_write_plain(&whole->text, "", whole->fields);
    json_decref(whole->fields);
    whole->fields = NULL;
    end_component(whole, from);
    return rc;
}

/* One member of the node as it is written. */
struct lesson_field {
    const char *name;
    struct buf *to;
    size_t entries; /* of a list, so far */
};

/* "**Objectives:** text"; the texts of a list stand below its name. */
static int add_field_text(void *user, const struct prose_text *text)
{
    struct lesson_field *field = user;
    const char *rest = text->path + strlen(field->name);
    bool entry = *rest == '.' && rest[1 + strspn(rest + 1, "0123456789")] == '\0';

    if (text->count == 0 || node_field_is_for_teachers(text->path))
        return 0;
    if (entry && field->entries++ == 0)
        buf_addf(field->to, "**%s:**\n\n", field->name);
    if (entry)
        buf_adds(field->to, "- ");
    else
        buf_addf(field->to, "**%s:** ", text->path);
    buf_add(field->to, text->text, text->len);
    buf_adds(field->to, entry ? "\n" : "\n\n");
    return 0;
}

/* content: those of the contract, else the further ones. */
static int write_fields(struct whole *whole, const json_t *node, bool content)
{
    const enum node_field wanted = content ? NODE_FIELD_CONTENT : NODE_FIELD_FURTHER;
    size_t from = whole->text.len;
    const char *name;
    json_t *value;

    json_object_foreach((json_t *)node, name, value)
    {
        struct lesson_field field = {.name = name, .to = &whole->text};

        if (node_field_of(name) != wanted)
            continue;
        if (json_is_number(value) || json_is_boolean(value)) {
            if (node_field_is_technical(name) || node_field_is_for_teachers(name))
                continue;
            buf_addf(&whole->text, "**%s:** ", name);
            json_write(&whole->text, value);
            buf_adds(&whole->text, "\n\n");
        } else if (prose_of_field(name, value, add_field_text, &field) < 0) {
            return -1;
        }
        buf_adds(&whole->text, field.entries > 0 ? "\n" : "");
    }
    if (whole->text.len > from) /* end_component adds the blank line */
        whole->text.len--;
    end_component(whole, from);
    return 0;
}

static int write_whole(struct whole *whole, const json_t *lesson, struct error *err)
{
    json_t *component;
    const json_t *fields = json_object_get(lesson, "fields");
    const json_t *components = json_object_get(lesson, "components");
    size_t i, from;

    if (write_fields(whole, fields, false) < 0 ||
        (json_array_size(components) == 0 && write_fields(whole, fields, true) < 0))
        return error_set(err, ERROR_MEMORY, "out of memory for the text of a lesson");
    json_array_foreach(components, i, component)
    {
        if (write_component(whole, component) < 0)
            return error_set(err, ERROR_MEMORY, "out of memory for the text of a lesson");
    }
    from = whole->text.len;
    if (whole->exercises > 0)
        buf_addf(&whole->text, "%zu exercise%s: get_exercises\n", whole->exercises,
                 whole->exercises > 1 ? "s" : "");
    else if (from == 0)
        buf_adds(&whole->text, "The lesson has no text.\n");
    end_component(whole, from);
    return buf_check(&whole->text, "the text of the lesson", err) < 0 ||
                   buf_check(&whole->ends, "the text of the lesson", err) < 0
               ? -1
               : 0;
}

/* ---- cuts ---- */

/* The greatest end of a part that begins at `from` and has at most so many tokens. */
static size_t end_of_budget(const struct buf *text, size_t from, size_t budget)
{
    size_t at = from, left = budget * HALVES, used;

    while (at < text->len) {
        size_t halves = estimate_run(text->data + at, text->len - at, &used);

        if (halves > left)
            break;
        left -= halves;
        at += used;
    }
    return at;
}

/* The last place in text[from..end] behind `mark`, or `from`. */
static size_t last_behind(const char *text, size_t from, size_t end, const char *mark)
{
    size_t len = strlen(mark);

    while (end > from && (end - from < len || memcmp(text + end - len, mark, len) != 0))
        end--;
    return end;
}

static size_t next_cut(const struct whole *whole, size_t from, size_t budget)
{
    static const char *const marks[] = {"\n\n", "\n", " "};
    const size_t *ends = (const size_t *)(const void *)whole->ends.data;
    const char *text = whole->text.data;
    size_t limit = end_of_budget(&whole->text, from, budget), cut = from;

    if (limit == whole->text.len)
        return limit;
    for (size_t i = 0; i < whole->ends.len / sizeof *ends && ends[i] <= limit; i++)
        cut = ends[i] > from ? ends[i] : cut;
    for (size_t i = 0; cut == from && i < sizeof marks / sizeof *marks; i++)
        cut = last_behind(text, from, limit, marks[i]);
    if (cut > from || limit > from)
        return cut > from ? cut : limit;
    /* One run of letters is larger than a part. */
    return from + utf8_cut(text + from, whole->text.len - from, budget);
}

static void add_part(struct buf *to, const char *text, size_t from, size_t end,
                     const struct fence *open, const struct fence *close)
{
    if (open->len > 0) {
        buf_add(to, open->line, open->len);
        buf_addc(to, '\n');
    }
    while (end > from && text[end - 1] == '\n' && close->len == 0)
        end--;
    buf_add(to, text + from, end - from);
    if (end > from && text[end - 1] != '\n')
        buf_addc(to, '\n');
    if (close->len > 0)
        fence_close(close, to);
}

/* The title, and which part it is. */
static void add_header(struct buf *to, const char *title, size_t part, size_t parts)
{
    char number[NUMBER_CAP] = "";

    if (parts > 1)
        snprintf(number, sizeof number, " (part %zu of %zu)", part, parts);
    buf_addf(to, HEADER_FORMAT, utf8_shown(title, LESSON_TITLE_CAP), title, number);
}

/* Appends the part to *body, and counts all of them. */
static size_t cut_parts(const struct whole *whole, size_t budget, size_t part, struct buf *body)
{
    struct fence open = {0}, close = {0};
    size_t count = 0;

    for (size_t from = 0, end; from < whole->text.len; from = end) {
        end = next_cut(whole, from, budget);
        fence_walk(&close, whole->text.data, from, end);
        if (++count == part)
            add_part(body, whole->text.data, from, end, &open, &close);
        open = close;
    }
    return count;
}

int lesson_text(const json_t *lesson, size_t part, size_t *parts, struct buf *to, struct error *err)
{
    const char *title = json_get_string(lesson, "title");
    struct whole whole = {0};
    struct buf BUF_AUTO header = {0}, body = {0};
    int rc;

    title = title ? title : "";
    add_header(&header, title, 9999999, 9999999);
    rc = write_whole(&whole, lesson, err);
    if (rc == 0) {
        size_t taken = token_estimate(header.data, header.len) + FENCE_TOKENS;

        *parts = cut_parts(&whole, LESSON_PART_TOKENS - taken, part, &body);
        if (part < 1 || part > *parts)
            rc = error_set(err, ERROR_INVALID, "part must be between 1 and %zu", *parts);
    }
    if (rc == 0) {
        add_header(to, title, part, *parts);
        buf_add(to, body.data, body.len);
    }
    buf_finish(&whole.text);
    buf_finish(&whole.ends);
    return rc;
}
