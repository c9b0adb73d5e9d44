/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Admonitions as callouts of Obsidian, before a note is parsed:
 *
 *   !!! warning "Title"          :::warning[Title]            > [!warning] Title
 *       Text, indented.          Text.                        > Text.
 *                                :::
 *
 * "???" and "???+" (folded), ":::warning Title" and ":::{warning}" are read as well. A line stays
 * a line; one is added where a text follows without a blank one. Code blocks stay as they are.
 */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "mcp/format/markdown.h"

#define INDENT     4u /* columns of the text below "!!!" */
#define COLONS_MIN 3u
#define LINES_CAP  5000u /* of one between colons */

struct admonition_lines {
    const char *at, *end;
    size_t number;
    const char *name;
    struct findings *said;
    struct buf *to;
};

struct admonition_head {
    const char *kind, *title;
    size_t kind_len, title_len;
    char fold;     /* '+', '-' or 0 */
    size_t colons; /* of ":::"; 0 for "!!!" */
    bool more;     /* words that are neither kind nor title */
};

static size_t line_len(const struct admonition_lines *lines)
{
    const char *found = memchr(lines->at, '\n', (size_t)(lines->end - lines->at));

    return found ? (size_t)(found - lines->at) : (size_t)(lines->end - lines->at);
}

static void next_line(struct admonition_lines *lines)
{
    lines->at += line_len(lines);
    lines->at += lines->at < lines->end;
    lines->number++;
}

static bool is_blank(const char *line, size_t len)
{
    while (len > 0 && strchr(" \t", line[len - 1]))
        len--;
    return len == 0;
}

static size_t count_of(const char *line, size_t len, char sign)
{
    size_t count = 0;

    while (count < len && line[count] == sign)
        count++;
    return count;
}

static size_t kind_len(const char *text, size_t len)
{
    size_t at = 0;

    while (at < len && (isalnum((unsigned char)text[at]) || strchr("-_", text[at])))
        at++;
    return at;
}

static void set_title(struct admonition_head *head, const char *from, const char *end)
{
    while (from < end && strchr(" \t", *from))
        from++;
    while (end > from && strchr(" \t", end[-1]))
        end--;
    head->title = from;
    head->title_len = (size_t)(end - from);
}

/* `!!! note inline "Title"`. */
static bool read_bangs(const char *line, size_t len, struct admonition_head *head)
{
    const char *end = line + len, *at = line + 3, *quote;

    if (len < 5 || (memcmp(line, "!!!", 3) != 0 && memcmp(line, "???", 3) != 0))
        return false;
    head->fold = *line == '?' ? '-' : 0;
    if (head->fold && *at == '+')
        head->fold = *at++;
    if (at == end || *at != ' ')
        return false;
    while (at < end && *at == ' ')
        at++;
    head->kind = at;
    head->kind_len = kind_len(at, (size_t)(end - at));
    at += head->kind_len;
    if (head->kind_len == 0 || (at < end && *at != ' '))
        return false;
    quote = memchr(at, '"', (size_t)(end - at));
    head->more = !is_blank(at, (size_t)((quote ? quote : end) - at));
    if (quote) {
        const char *last = end;

        while (last > quote + 1 && last[-1] != '"')
            last--;
        set_title(head, quote + 1, last > quote + 1 ? last - 1 : end);
    }
    return true;
}

/* ":::note", ":::note Title", ":::note[Title]", ":::{note}". */
static bool read_colons(const char *line, size_t len, struct admonition_head *head)
{
    static const char *const kinds[] = {"note",      "tip",        "info",     "warning", "danger",
                                        "caution",   "important",  "success",  "error",   "hint",
                                        "attention", "example",    "question", "quote",   "details",
                                        "seealso",   "admonition", "abstract", "summary", "failure",
                                        "bug",       "secondary"};
    size_t colons = count_of(line, len, ':');
    const char *at = line + colons, *end = line + len;
    bool brace, known = false;

    if (colons < COLONS_MIN)
        return false;
    while (at < end && *at == ' ')
        at++;
    brace = at < end && *at == '{';
    at += brace;
    head->colons = colons;
    head->kind = at;
    head->kind_len = kind_len(at, (size_t)(end - at));
    at += head->kind_len;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        known = known || (strlen(kinds[i]) == head->kind_len &&
                          strncasecmp(kinds[i], head->kind, head->kind_len) == 0);
    if (!known || (brace && (at == end || *at++ != '}')))
        return false;
    while (end > at && strchr(" \t", end[-1]))
        end--;
    if (at < end && *at == '[' && end[-1] == ']')
        set_title(head, at + 1, end - 1);
    else if (at < end && !strchr(" {", *at))
        return false;
    else
        set_title(head, at, end);
    return true;
}

static void write_head(struct admonition_lines *lines, const struct admonition_head *head)
{
    buf_adds(lines->to, "> [!");
    buf_add(lines->to, head->kind, head->kind_len);
    buf_addc(lines->to, ']');
    if (head->fold)
        buf_addc(lines->to, head->fold);
    if (head->title_len > 0) {
        buf_addc(lines->to, ' ');
        buf_add(lines->to, head->title, head->title_len);
    }
    buf_addc(lines->to, '\n');
    if (head->more)
        findings_add(lines->said, FINDING_LEFT_OUT, PLACE(lines->name, lines->number, NULL),
                     "words for the layout of an admonition (inline, end) are left out");
}

static void write_text(struct admonition_lines *lines, const char *line, size_t len)
{
    buf_adds(lines->to, len > 0 ? "> " : ">");
    buf_add(lines->to, line, len);
    buf_addc(lines->to, '\n');
}

/* Bytes of the blanks that are four columns; 0: there are fewer. */
static size_t indent_of(const char *line, size_t len)
{
    size_t blanks = count_of(line, len < INDENT ? len : INDENT, ' ');

    if (blanks < len && line[blanks] == '\t')
        return blanks + 1;
    return blanks == INDENT ? blanks : 0;
}

/* The indented lines, with the blank ones between them. */
static void take_indented(struct admonition_lines *lines)
{
    for (;;) {
        struct admonition_lines ahead = *lines;
        size_t blanks = 0, indent;

        while (ahead.at < ahead.end && is_blank(ahead.at, line_len(&ahead))) {
            next_line(&ahead);
            blanks++;
        }
        indent = ahead.at < ahead.end ? indent_of(ahead.at, line_len(&ahead)) : 0;
        if (indent == 0) {
            if (blanks == 0 && lines->at < lines->end)
                buf_addc(lines->to, '\n');
            return;
        }
        for (; blanks > 0; blanks--)
            buf_adds(lines->to, ">\n");
        lines->at = ahead.at;
        lines->number = ahead.number;
        write_text(lines, lines->at + indent, line_len(lines) - indent);
        next_line(lines);
    }
}

static bool is_close(const char *line, size_t len, size_t colons)
{
    size_t count = count_of(line, len, ':');

    return count == colons && is_blank(line + count, len - count);
}

/* Up to the closing colons; false, with nothing taken: they do not come, or after too many lines.
 */
static bool take_colons(struct admonition_lines *lines, const struct admonition_head *head)
{
    struct admonition_lines ahead = *lines;
    bool closed = false;
    size_t deep = 1;

    for (next_line(&ahead); ahead.at < ahead.end && ahead.number - lines->number < LINES_CAP;
         next_line(&ahead)) {
        struct admonition_head inner = {0};
        size_t len = line_len(&ahead);

        if (is_close(ahead.at, len, head->colons) && --deep == 0) {
            closed = true;
            break;
        }
        if (read_colons(ahead.at, len, &inner) && inner.colons == head->colons)
            deep++;
    }
    if (!closed) {
        findings_add(lines->said, FINDING_CHANGED, PLACE(lines->name, lines->number, NULL),
                     "admonitions (:::note) that no line ::: ends are kept as text");
        return false;
    }
    write_head(lines, head);
    for (next_line(lines); lines->at < ahead.at; next_line(lines))
        write_text(lines, lines->at, line_len(lines));
    next_line(lines);
    buf_addc(lines->to, '\n');
    return true;
}

static bool take_admonition(struct admonition_lines *lines)
{
    struct admonition_head head = {0};
    size_t len = line_len(lines);

    if (read_bangs(lines->at, len, &head)) {
        write_head(lines, &head);
        next_line(lines);
        take_indented(lines);
        return true;
    }
    head = (struct admonition_head){0};
    return read_colons(lines->at, len, &head) && take_colons(lines, &head);
}

/* The signs of the fence that a line begins or, if it has at least as many, ends. */
static size_t fence_of(const char *line, size_t len, char *sign)
{
    size_t blanks = count_of(line, len < 4 ? len : 4, ' '), count;

    if (blanks > 3 || blanks == len || !strchr("`~", line[blanks]))
        return 0;
    *sign = line[blanks];
    count = count_of(line + blanks, len - blanks, *sign);
    return count >= 3 ? count : 0;
}

void admonitions_as_quotes(struct buf *text, const char *name, size_t line, struct findings *said)
{
    struct buf BUF_AUTO to = {0};
    struct admonition_lines lines = {.at = text->data,
                                     .end = text->data + text->len,
                                     .number = line,
                                     .name = name,
                                     .said = said,
                                     .to = &to};
    size_t fence = 0;
    char open = 0, sign = 0;

    if (text->len == 0 ||
        !(strstr(text->data, "!!!") || strstr(text->data, "???") || strstr(text->data, ":::")))
        return;
    while (lines.at < lines.end) {
        size_t len = line_len(&lines), signs = fence_of(lines.at, len, &sign);

        if (fence > 0 && signs >= fence && sign == open) {
            fence = 0;
        } else if (fence == 0 && signs > 0) {
            fence = signs;
            open = sign;
        } else if (fence == 0 && take_admonition(&lines)) {
            continue;
        }
        buf_add(&to, lines.at, len);
        buf_addc(&to, '\n');
        next_line(&lines);
    }
    buf_clear(text);
    buf_add(text, to.data, to.len);
    text->failed = text->failed || to.failed;
}
