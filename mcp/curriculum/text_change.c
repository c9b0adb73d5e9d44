/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/curriculum/json_difference.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/utf8.h"
#include "mcp/curriculum/text.h"

#define SIDE_CAP      38      /* bytes of the old or the new words */
#define CONTEXT_CAP   22      /* bytes before and after them */
#define COUNT_CAP     14      /* of " (123 more)" */
#define WINDOW        64      /* words in which two texts must agree again */
#define CHANGES_SHOWN 8       /* places in a text */
#define PATH_CAP      80      /* bytes of a member's path */
#define IDEOGRAPHS    0x2E80u /* from here on a character is a word */

/* A text, or what is left of it. */
struct piece {
    const char *at, *end;
};

static size_t piece_len(struct piece piece)
{
    return (size_t)(piece.end - piece.at);
}

/* ---- words: letters and digits together, every other character alone ---- */

static bool is_space(char c)
{
    return (unsigned char)c <= ' ' || c == 0x7F;
}

static struct piece skip_space(struct piece rest)
{
    while (rest.at < rest.end && is_space(*rest.at))
        rest.at++;
    return rest;
}

/* Bytes of the character at the beginning; *letter: whether words continue with it. */
static size_t take_character(struct piece rest, bool *letter)
{
    uint32_t character = 0;
    size_t len;

    if (!((unsigned char)*rest.at & 0x80)) {
        *letter = isalnum((unsigned char)*rest.at) || *rest.at == '_';
        return 1;
    }
    len = utf8_decode(rest.at, piece_len(rest), &character);
    *letter = len > 0 && character < IDEOGRAPHS;
    return len > 0 ? len : 1;
}

/* The next word; empty at the end. */
static struct piece next_word(struct piece rest)
{
    struct piece word = skip_space(rest);
    bool letter;

    word.end = word.at;
    while (word.end < rest.end) {
        size_t len = take_character((struct piece){word.end, rest.end}, &letter);

        if (word.end > word.at && (!letter || is_space(*word.end)))
            break;
        word.end += len;
        if (!letter)
            break;
    }
    return word;
}

static bool same(struct piece one, struct piece other)
{
    return piece_len(one) == piece_len(other) && memcmp(one.at, other.at, piece_len(one)) == 0;
}

/* ---- where two texts differ ---- */

struct change {
    struct piece before, after; /* the words; one of them may be empty */
};

/* Where words of a window begin; the last one is followed by the empty one at the end of the text,
 * or by as many as the window has. */
struct window {
    struct piece words[WINDOW + 1];
    size_t count;
};

static void fill(struct window *window, struct piece rest)
{
    window->count = 0;
    while (window->count <= WINDOW) {
        struct piece word = next_word(rest);

        window->words[window->count++] = word;
        if (piece_len(word) == 0)
            return;
        rest.at = word.end;
    }
}

/* Two words in a row, or the end of both. */
static bool agree(const struct window *before, size_t i, const struct window *after, size_t j)
{
    if (i >= before->count || j >= after->count || !same(before->words[i], after->words[j]))
        return false;
    if (piece_len(before->words[i]) == 0)
        return true;
    return i + 1 < before->count && j + 1 < after->count &&
           same(before->words[i + 1], after->words[j + 1]);
}

/* Where they agree again after the fewest words. */
static bool find_agreement(const struct window *before, const struct window *after, size_t *i,
                           size_t *j)
{
    for (size_t sum = 1; sum < before->count + after->count; sum++) {
        for (*i = 0; *i <= sum; ++*i) {
            *j = sum - *i;
            if (agree(before, *i, after, *j))
                return true;
        }
    }
    return false;
}

/* The words of a window before its i-th. */
static struct piece words_until(const struct window *window, size_t i)
{
    const struct piece *words = window->words;

    return (struct piece){words[0].at, i > 0 ? words[i - 1].end : words[0].at};
}

/* The next change, from where both were read to; false: there is none. Moves both behind it. */
static bool next_change(struct piece *before, struct piece *after, struct change *change)
{
    struct window old, new;
    size_t i, j;

    for (;;) {
        struct piece one = next_word(*before), other = next_word(*after);

        if (!same(one, other))
            break;
        if (piece_len(one) == 0)
            return false;
        before->at = one.end;
        after->at = other.end;
    }
    fill(&old, *before);
    fill(&new, *after);
    if (find_agreement(&old, &new, &i, &j))
        *change = (struct change){words_until(&old, i), words_until(&new, j)};
    else
        *change = (struct change){skip_space(*before), skip_space(*after)};
    before->at = change->before.end;
    after->at = change->after.end;
    return true;
}

/* Leaves out what both end with, from white space on. */
static void cut_common_end(struct piece *before, struct piece *after)
{
    const char *end = before->end;
    size_t len = 0, kept = 0;

    while (len < piece_len(*before) && len < piece_len(*after) &&
           before->end[-1 - (ptrdiff_t)len] == after->end[-1 - (ptrdiff_t)len]) {
        len++;
        if (is_space(end[-(ptrdiff_t)len]))
            kept = len;
    }
    before->end -= kept;
    after->end -= kept;
}

/* ---- in words ---- */

/* On one line, at most cap bytes. */
static void add_words(struct buf *to, struct piece words, size_t cap)
{
    size_t start = to->len;

    for (const char *at = words.at; at < words.end; at++) {
        size_t len = to->len - start;

        if (len == cap) {
            to->len = start + utf8_cut(to->data + start, len, cap - 3);
            buf_adds(to, "...");
            return;
        }
        if (!is_space(*at))
            buf_addc(to, *at);
        else if (to->len > 0 && to->data[to->len - 1] != ' ')
            buf_addc(to, ' ');
    }
}

/* What stands before `until`, from a word on where there is white space, not from before `from`. */
static struct piece words_before(const char *from, const char *until)
{
    size_t len = (size_t)(until - from), least = len > CONTEXT_CAP ? len - CONTEXT_CAP : 0, at;

    for (at = least; at > 0 && at < len && !is_space(from[at - 1]); at++)
        continue;
    if (at == len)
        at = utf8_skip(from, len, least);
    return (struct piece){from + at, until};
}

static struct piece words_after(const char *from, const char *until)
{
    size_t len = (size_t)(until - from), most = len > CONTEXT_CAP ? CONTEXT_CAP : len, at;

    for (at = most; at > 0 && at < len && !is_space(from[at]); at--)
        continue;
    if (at == 0)
        at = utf8_cut(from, len, most);
    return (struct piece){from, from + at};
}

static void add_change(struct buf *to, const struct change *change)
{
    bool came = piece_len(change->after) > 0, went = piece_len(change->before) > 0;

    buf_adds(to, !went ? "[+" : !came ? "[-" : "[");
    add_words(to, change->before, SIDE_CAP);
    buf_adds(to, came && went ? " -> " : "");
    add_words(to, change->after, SIDE_CAP);
    buf_addc(to, ']');
}

/* whole: the new text; shown: how far it has been written. */
static void add_place(struct buf *to, const struct change *change, struct piece whole,
                      const char *shown)
{
    struct piece context = words_before(shown, change->after.at);
    bool gone = piece_len(change->after) == 0;

    if (context.at > shown)
        buf_adds(to, shown > whole.at ? " ... " : "... ");
    add_words(to, context, CONTEXT_CAP);
    if (gone && piece_len(context) > 0 && !is_space(context.end[-1]))
        buf_addc(to, ' ');
    add_change(to, change);
    if (gone && context.end < whole.end && !is_space(*context.end) &&
        !ispunct((unsigned char)*context.end))
        buf_addc(to, ' ');
}

static void add_end(struct buf *to, struct piece rest)
{
    struct piece context = words_after(rest.at, rest.end);

    add_words(to, context, CONTEXT_CAP);
    if (piece_len(skip_space((struct piece){context.end, rest.end})) > 0)
        buf_adds(to, " ...");
}

static void add_changes(struct buf *to, const struct change *changes, size_t count,
                        struct piece whole)
{
    const size_t most = to->len + TEXT_CHANGE_MAX - COUNT_CAP - CONTEXT_CAP - 4;
    const char *shown = whole.at;
    size_t i;

    for (i = 0; i < count && i < CHANGES_SHOWN; i++) {
        size_t len = to->len;

        add_place(to, &changes[i], whole, shown);
        if (to->len > most && i > 0) {
            to->len = len;
            break;
        }
        shown = changes[i].after.end;
    }
    if (i > 0)
        add_end(to, (struct piece){shown, whole.end});
    if (i < count)
        buf_addf(to, " (%zu more)", count - i);
}

void text_change(const char *before, const char *after, struct buf *to)
{
    struct change changes[CHANGES_SHOWN], further;
    struct piece old = {before ? before : "", NULL}, new = {after ? after : "", NULL};
    struct buf BUF_AUTO line = {0};
    struct piece whole;
    size_t count = 0;

    old.end = old.at + strlen(old.at);
    new.end = new.at + strlen(new.at);
    whole = new;
    if (same(old, new))
        return;
    cut_common_end(&old, &new);
    while (next_change(&old, &new, count < CHANGES_SHOWN ? &changes[count] : &further))
        count++;
    if (count == 0)
        buf_adds(&line, "white space");
    add_changes(&line, changes, count, whole);
    to->failed = to->failed || line.failed;
    buf_add(to, line.data, line.len);
}

/* ---- values ---- */

struct values {
    struct buf *to;
    size_t start, left_out;
};

static void add_value(struct values *values, const char *path, const json_t *before,
                      const json_t *after);

/* The text, or what the value is as JSON. Owned. */
static char *text_of(const json_t *value)
{
    if (!value)
        return strdup("");
    return json_is_string(value) ? strdup(json_string_value(value))
                                 : json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
}

static void add_leaf(struct values *values, const char *path, const json_t *before,
                     const json_t *after)
{
    char *old = text_of(before), *new = text_of(after);
    struct buf *to = values->to;

    if (to->len - values->start + TEXT_CHANGE_MAX + strlen(path) > VALUE_CHANGE_MAX) {
        values->left_out++;
    } else {
        buf_addf(to, "%s%s%s", to->len > values->start ? "; " : "", path, *path ? ": " : "");
        text_change(old, new, to);
        if (before && after && old && new &&strcmp(old, new) == 0)
            buf_adds(to, json_is_string(before) ? "a value for a text" : "a text for a value");
    }
    to->failed = to->failed || !old || !new;
    free(old);
    free(new);
}

static void add_member(struct values *values, const char *path, const char *name,
                       const json_t *before, const json_t *after)
{
    char inner[PATH_CAP];

    snprintf(inner, sizeof inner, "%s%s%.*s", path, *path ? "." : "",
             utf8_shown(name, PATH_CAP / 2), name);
    add_value(values, inner, before, after);
}

static void add_members(struct values *values, const char *path, const json_t *before,
                        const json_t *after)
{
    const char *name;
    json_t *value;

    json_object_foreach((json_t *)after, name, value)
        add_member(values, path, name, json_object_get(before, name), value);
    json_object_foreach((json_t *)before, name, value)
    {
        if (!json_object_get(after, name))
            add_member(values, path, name, value, NULL);
    }
}

/* What both arrays begin and end with is the same; of the rest the i-th is compared with the
 * i-th. */
static void add_items(struct values *values, const char *path, const json_t *before,
                      const json_t *after)
{
    size_t old = json_array_size(before), new = json_array_size(after), at = 0;

    while (old > 0 && new > 0 &&
           json_equal(json_array_get(before, old - 1), json_array_get(after, new - 1))) {
        old--;
        new --;
    }
    for (; at < old || at < new; at++) {
        char number[24];

        snprintf(number, sizeof number, "%zu", at);
        add_member(values, path, number, at < old ? json_array_get(before, at) : NULL,
                   at < new ? json_array_get(after, at) : NULL);
    }
}

/* The depth is bounded by what json_read takes. */
static void add_value(struct values *values, const char *path, /* NOLINT(misc-no-recursion) */
                      const json_t *before, const json_t *after)
{
    if (before && after && json_equal((json_t *)before, (json_t *)after))
        return;
    if (json_is_object(before) && json_is_object(after))
        add_members(values, path, before, after);
    else if (json_is_array(before) && json_is_array(after))
        add_items(values, path, before, after);
    else if (before || after)
        add_leaf(values, path, before, after);
}

void value_change(const json_t *before, const json_t *after, struct buf *to)
{
    struct values values = {to, to->len, 0};

    add_value(&values, "", before, after);
    if (values.left_out > 0)
        buf_addf(to, "%s%zu more", to->len > values.start ? "; " : "", values.left_out);
}

void value_change_text(const json_t *before, const json_t *after, char text[VALUE_CHANGE_SIZE])
{
    struct buf BUF_AUTO line = {0};

    value_change(before, after, &line);
    text_cut(text, VALUE_CHANGE_SIZE, line.data);
}
