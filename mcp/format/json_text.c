/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One pass over the tokens of a text that jansson refuses. It knows texts, comments, brackets and
 * words, copies them with as few changes as possible and with their line ends, and leaves it to
 * jansson to parse the result.
 */
#include "mcp/format/json_text.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/format/encoding.h"
#include "mcp/format/file.h"

#define DEPTH_CAP 2048u /* of objects and arrays, as jansson has it */
#define WORD_CAP  400u  /* bytes of a number that is kept as text; a double needs 325 */
#define HALF      "\\ufffd"

struct pass {
    const char *name;
    const char *at, *end, *line_start;
    size_t line;
    struct buf to;
    json_t *keys[DEPTH_CAP]; /* of each open object; NULL for an array; owned */
    size_t depth;
    bool at_key;      /* a text here is a key */
    const char *hint; /* static: the right form of the text that is odd; or NULL */
    size_t hint_line, hint_column;
    struct findings found; /* owned */
};

static void add_finding(struct pass *pass, enum finding_kind kind, const char *value,
                        const char *reason)
{
    findings_add(&pass->found, kind, PLACE(pass->name, pass->line, value), "%s", reason);
}

static void set_hint(struct pass *pass, const char *hint)
{
    if (pass->hint)
        return;
    pass->hint = hint;
    pass->hint_line = pass->line;
    pass->hint_column = (size_t)(pass->at - pass->line_start) + 1;
}

/* One byte as it is. */
static void copy(struct pass *pass)
{
    if (*pass->at == '\n') {
        pass->line++;
        pass->line_start = pass->at + 1;
    }
    buf_addc(&pass->to, *pass->at++);
}

/* The code of an escape "\uD83D" at the place; -1: it is none. */
static long escaped_code(const struct pass *pass, const char *at)
{
    char digits[5] = {0};

    if (pass->end - at < 6 || at[0] != '\\' || at[1] != 'u')
        return -1;
    memcpy(digits, at + 2, 4);
    return strspn(digits, "0123456789abcdefABCDEF") == 4 ? strtol(digits, NULL, 16) : -1;
}

static void copy_escape(struct pass *pass)
{
    long code = escaped_code(pass, pass->at),
         next = code >= 0 ? escaped_code(pass, pass->at + 6) : -1;
    bool is_high = code >= 0xD800 && code < 0xDC00, is_low = code >= 0xDC00 && code < 0xE000;
    bool is_pair = is_high && next >= 0xDC00 && next < 0xE000;

    if (is_pair) {
        buf_add(&pass->to, pass->at, 12);
        pass->at += 12;
    } else if (is_high || is_low) {
        char shown[7] = {0};

        memcpy(shown, pass->at, 6);
        add_finding(pass, FINDING_CHANGED, shown, "half a character is kept as U+FFFD");
        buf_adds(&pass->to, HALF);
        pass->at += 6;
    } else {
        copy(pass);
        if (pass->at < pass->end)
            copy(pass);
    }
}

static void see_key(struct pass *pass, const char *token, size_t len)
{
    json_t *keys = pass->depth > 0 ? pass->keys[pass->depth - 1] : NULL;
    json_auto_t *key = keys ? json_loadb(token, len, JSON_DECODE_ANY, NULL) : NULL;

    if (!key)
        return;
    if (json_object_get(keys, json_string_value(key)))
        add_finding(pass, FINDING_LEFT_OUT, json_string_value(key),
                    "a key stands twice in one object: its last value is kept, and the one before "
                    "it is left out");
    json_object_set_new(keys, json_string_value(key), json_true());
}

static void copy_text(struct pass *pass)
{
    size_t start = pass->to.len;

    copy(pass);
    while (pass->at < pass->end && *pass->at != '"') {
        if (*pass->at == '\n')
            set_hint(pass, "a line end within a text is written as \\n");
        if (*pass->at == '\\')
            copy_escape(pass);
        else
            copy(pass);
    }
    if (pass->at < pass->end)
        copy(pass);
    if (pass->at_key && !pass->to.failed)
        see_key(pass, pass->to.data + start, pass->to.len - start);
    pass->at_key = false;
}

/* Whether a comment begins at the place. */
static bool is_comment(const struct pass *pass, const char *at)
{
    return pass->end - at >= 2 && at[0] == '/' && (at[1] == '/' || at[1] == '*');
}

static const char *comment_end(const struct pass *pass, const char *at)
{
    bool is_block = at[1] == '*';

    for (at += 2; at < pass->end; at++) {
        if (!is_block && *at == '\n')
            return at;
        if (is_block && at + 1 < pass->end && at[0] == '*' && at[1] == '/')
            return at + 2;
    }
    return pass->end;
}

static void skip_comment(struct pass *pass)
{
    const char *end = comment_end(pass, pass->at);
    json_auto_t *comment = json_stringn(pass->at, (size_t)(end - pass->at));

    add_finding(pass, FINDING_LEFT_OUT, json_string_value(comment), "comments in JSON");
    for (; pass->at < end; pass->at++) {
        if (*pass->at != '\n')
            continue;
        pass->line++;
        pass->line_start = pass->at + 1;
        buf_addc(&pass->to, '\n');
    }
}

static bool closes(const struct pass *pass)
{
    const char *at = pass->at + 1;

    while (at < pass->end) {
        if (strchr(" \t\r\n", *at))
            at++;
        else if (is_comment(pass, at))
            at = comment_end(pass, at);
        else
            return *at == '}' || *at == ']';
    }
    return false;
}

static void copy_mark(struct pass *pass)
{
    bool is_open = *pass->at == '{' || *pass->at == '[';

    if (is_open && pass->depth < DEPTH_CAP) {
        pass->at_key = *pass->at == '{';
        pass->keys[pass->depth++] = pass->at_key ? json_object() : NULL;
    } else if (!is_open && *pass->at != ',') {
        if (pass->depth > 0)
            json_decref(pass->keys[--pass->depth]);
        pass->at_key = false;
    } else if (*pass->at == ',' && closes(pass)) {
        add_finding(pass, FINDING_READ, NULL, "a comma before a closing bracket does not count");
        pass->at++;
        return;
    } else if (*pass->at == ',') {
        pass->at_key = pass->depth > 0 && pass->keys[pass->depth - 1];
    }
    copy(pass);
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || strchr("_+-.$", c);
}

/* Whether a word is a number that jansson cannot keep. */
static bool is_too_large(const char *word)
{
    const char *digits = word + (*word == '-');
    size_t whole = strspn(digits, "0123456789");
    char *end;

    if (whole == 0 || (digits[0] == '0' && whole > 1))
        return false;
    if (digits[whole] == '\0') {
        errno = 0;
        strtoll(word, &end, 10);
        return errno == ERANGE;
    }
    return strspn(word, "0123456789+-.eE") == strlen(word) && isinf(strtod(word, &end)) &&
           *end == '\0';
}

static void copy_word(struct pass *pass)
{
    static const char *const specials[] = {"NaN", "Infinity", "-Infinity", "+Infinity", "-NaN"};
    char word[WORD_CAP + 1];
    size_t len = 0;
    bool special = false;

    while (pass->at + len < pass->end && pass->at[len] && is_word(pass->at[len]))
        len++;
    snprintf(word, sizeof word, "%.*s", (int)(len < WORD_CAP ? len : WORD_CAP), pass->at);
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++)
        special = special || strcmp(word, specials[i]) == 0;
    if (len <= WORD_CAP && (special || is_too_large(word))) {
        add_finding(pass, FINDING_CHANGED, word,
                    special ? "NaN and Infinity, which JSON does not have, are kept as text"
                            : "a number that is too large to be kept as such is kept as text");
        buf_addf(&pass->to, "\"%s\"", word);
        pass->at += len;
        return;
    }
    if (strcmp(word, "True") == 0 || strcmp(word, "False") == 0 || strcmp(word, "None") == 0)
        set_hint(pass, "write true, false or null; Python writes JSON with json.dumps()");
    else if (pass->at_key)
        set_hint(pass, "a key stands in double quotes, as in {\"nodes\": []}");
    for (size_t i = 0; i < len; i++)
        copy(pass);
}

static void run_pass(struct pass *pass)
{
    while (pass->at < pass->end && !pass->to.failed) {
        if (*pass->at == '"')
            copy_text(pass);
        else if (is_comment(pass, pass->at))
            skip_comment(pass);
        else if (*pass->at && strchr("{}[],", *pass->at))
            copy_mark(pass);
        else if (*pass->at && is_word(*pass->at))
            copy_word(pass);
        else {
            if (*pass->at == '\'')
                set_hint(pass, "texts and keys stand in double quotes, as in {\"title\": \"A\"}");
            copy(pass);
        }
    }
    while (pass->depth > 0)
        json_decref(pass->keys[--pass->depth]);
}

static json_t *read_changed(const struct buf *text, const char *name, struct format_report *report,
                            struct error *err)
{
    struct pass *pass = calloc(1, sizeof *pass);
    json_t *value = NULL;

    if (!pass) {
        error_set(err, ERROR_MEMORY, "out of memory for %s", name);
        return NULL;
    }
    pass->name = name;
    pass->at = pass->line_start = text->data;
    pass->end = text->data + text->len;
    pass->line = 1;
    buf_init(&pass->to, 2 * text->len + WORD_CAP);
    run_pass(pass);
    if (buf_check(&pass->to, name, err) == 0)
        value = json_read(pass->to.data ? pass->to.data : "", pass->to.len, name, err);
    if (value)
        findings_move(&report->lines, &pass->found);
    else if (pass->hint)
        error_set(err, ERROR_MALFORMED, "%s is not JSON that can be kept: line %zu, column %zu: %s",
                  name, pass->hint_line, pass->hint_column, pass->hint);
    findings_finish(&pass->found);
    buf_finish(&pass->to);
    free(pass);
    return value;
}

json_t *json_text_read(const char *text, size_t len, const char *name, struct format_report *report,
                       struct error *err)
{
    size_t skip = file_mark(text, len);
    struct buf BUF_AUTO decoded = {0};
    json_t *value = json_loadb(text + skip, len - skip,
                               JSON_DECODE_ANY | JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES, NULL);

    if (value)
        return value;
    buf_init(&decoded, 4 * (len + 16)); /* no encoding needs more bytes in UTF-8 */
    buf_add(&decoded, text, len);
    if (encoding_to_utf8(&decoded, name, report, err) < 0)
        return NULL;
    return read_changed(&decoded, name, report, err);
}
