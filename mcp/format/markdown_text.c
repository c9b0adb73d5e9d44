/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The text of a note: any bytes as UTF-8 with "\n", and the reasons that an import reports.
 */
#include <stdlib.h>
#include <string.h>
#include <uniconv.h>

#include "helpers/base/utf8.h"
#include "mcp/format/file.h"
#include "mcp/format/markdown.h"

/* ---- characters ---- */

/* The line of the first byte that is no UTF-8, or is NUL; 0: there is none. *other: whether any
 * character but ASCII stands in the text. */
static size_t find_damage(const struct buf *text, bool *other)
{
    size_t line = 1, found = 0;

    *other = false;
    for (size_t at = 0; at < text->len;) {
        uint32_t character = 0;
        size_t len = utf8_decode(text->data + at, text->len - at, &character);

        if ((len == 0 || character == 0) && found == 0)
            found = line;
        line += character == '\n';
        *other = *other || len > 1;
        at += len > 0 ? len : 1;
    }
    return found;
}

static bool convert(struct buf *text, size_t skip, const char *from)
{
    size_t len = 0;
    uint8_t *made = u8_conv_from_encoding(from, iconveh_error, text->data + skip, text->len - skip,
                                          NULL, NULL, &len);

    if (!made)
        return false;
    buf_clear(text);
    buf_add(text, made, len);
    free(made);
    return true;
}

static void decode(struct buf *text, const char *name, struct findings *said)
{
    bool is_little = text->len >= 2 && memcmp(text->data, "\xFF\xFE", 2) == 0;
    bool is_big = text->len >= 2 && memcmp(text->data, "\xFE\xFF", 2) == 0, other;
    struct buf BUF_AUTO clean = {0};
    size_t line;

    if ((is_little || is_big) && convert(text, 2, is_little ? "UTF-16LE" : "UTF-16BE"))
        findings_add(said, FINDING_READ, PLACE(name, 0, NULL), "files in UTF-16 are read as such");
    line = find_damage(text, &other);
    if (line == 0)
        return;
    /* Valid characters beside the wrong byte show that the file is UTF-8, with a damage. */
    if (!other && !memchr(text->data, '\0', text->len) && convert(text, 0, "CP1252")) {
        findings_add(
            said, FINDING_CHANGED, PLACE(name, line, NULL),
            "text that is not UTF-8 is read as Windows-1252; if letters are wrong, save the "
            "file as UTF-8");
        return;
    }
    utf8_clean(text->data, text->len, text->len * UTF8_LEN_MAX, &clean);
    buf_clear(text);
    buf_add(text, clean.data, clean.len);
    findings_add(said, FINDING_CHANGED, PLACE(name, line, NULL),
                 "bytes that are not UTF-8 are replaced by " UTF8_REPLACEMENT);
}

/* CRLF and CR become LF, in place. */
static bool unify_lines(struct buf *text)
{
    size_t len = 0;

    if (text->len == 0 || !memchr(text->data, '\r', text->len))
        return false;
    for (size_t at = 0; at < text->len; at++) {
        bool is_end = text->data[at] == '\r';

        if (is_end && at + 1 < text->len && text->data[at + 1] == '\n')
            at++;
        text->data[len++] = is_end ? '\n' : text->data[at];
    }
    text->len = len;
    return true;
}

void note_decode(struct buf *text, const char *name, struct findings *said)
{
    size_t mark;

    decode(text, name, said);
    mark = file_mark(text->data, text->len);
    if (mark > 0) {
        memmove(text->data, text->data + mark, text->len - mark);
        text->len -= mark;
    }
    if (unify_lines(text))
        findings_add(said, FINDING_READ, PLACE(name, 0, NULL),
                     "ends of lines of other systems (CRLF, CR) are read as LF");
    buf_add(text, "", 0);
}
