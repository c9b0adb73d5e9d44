/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Texts of other encodings. The code page is a table and not iconv's, because iconv loads a module
 * for it, which small images do not have.
 */
#include "mcp/format/encoding.h"

#include <ctype.h>
#include <string.h>
#include <unistr.h>

#include "mcp/curriculum/text.h"
#include "mcp/format/file.h"

#define WORD_SHOWN_CAP 60 /* bytes of a word in the report */

/* Windows-1252 from 0x80 to 0x9F (Unicode's mapping table CP1252.TXT); 0: not defined. The bytes
 * from 0xA0 are the characters of the same number. */
static const uint16_t windows_1252[32] = {
    0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0,      0x017D, 0,      0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178};

/* Appends a character in UTF-8. */
static void add_character(struct buf *to, ucs4_t character)
{
    uint8_t bytes[6];
    int len = u8_uctomb(bytes, character, sizeof bytes);

    if (len > 0)
        buf_add(to, bytes, (size_t)len);
}

/* ---- UTF-16 ---- */

enum order { ORDER_NONE, ORDER_LITTLE, ORDER_BIG };

/* The byte order of UTF-16. Without a mark it is certain where the units have a NUL byte on the
 * same side throughout, and so many of them that the text is not binary: characters of ASCII, which
 * separate the words and cells of any script. */
static enum order utf16_order(const char *text, size_t len)
{
    size_t nuls[2] = {0};

    if (len >= 2 && memcmp(text, "\xFF\xFE", 2) == 0)
        return ORDER_LITTLE;
    if (len >= 2 && memcmp(text, "\xFE\xFF", 2) == 0)
        return ORDER_BIG;
    if (len < 4 || len % 2 != 0)
        return ORDER_NONE;
    for (size_t i = 0; i < len; i++)
        nuls[i % 2] += text[i] == '\0';
    if (nuls[0] == 0 && nuls[1] > len / 2 / 16)
        return ORDER_LITTLE;
    return nuls[1] == 0 && nuls[0] > len / 2 / 16 ? ORDER_BIG : ORDER_NONE;
}

static int add_utf16(struct buf *to, const char *text, size_t len, enum order order,
                     const char *name, struct error *err)
{
    const uint8_t *bytes = (const uint8_t *)text;
    size_t line = 1;

    for (size_t i = 0; i + 1 < len;) {
        uint16_t units[2];
        ucs4_t character;
        size_t there = 0;
        int took;

        for (; there < 2 && i + 2 * there + 1 < len; there++) {
            uint8_t first = bytes[i + 2 * there], second = bytes[i + 2 * there + 1];

            units[there] =
                (uint16_t)(order == ORDER_LITTLE ? first | second << 8 : first << 8 | second);
        }
        took = u16_mbtoucr(&character, units, there);
        if (took < 1)
            return error_set(err, ERROR_MALFORMED,
                             "%s line %zu: this is not text in UTF-16: save the file as UTF-8",
                             name, line);
        line += character == '\n';
        if (i > 0 || character != 0xFEFF)
            add_character(to, character);
        i += 2 * (size_t)took;
    }
    return 0;
}

/* ---- Windows-1252 ---- */

/* Whether another code page is as likely: letters that Western languages do not have, or three
 * letters beyond ASCII in a row, as words of other alphabets have them. */
static bool is_doubtful(const char *text, size_t len)
{
    size_t run = 0;

    for (size_t i = 0; i < len; i++) {
        unsigned char byte = (unsigned char)text[i];

        run = byte >= 0xC0 ? run + 1 : 0;
        if (run >= 3 || (byte >= 0x80 && strchr("\x83\x88\x8A\x8E\x9A\x9E\x9F", byte)))
            return true;
    }
    return false;
}

static void add_windows_1252(struct buf *to, const char *text, size_t len, const char *name,
                             struct format_report *report)
{
    size_t line = 1;

    for (size_t i = 0; i < len; i++) {
        unsigned char byte = (unsigned char)text[i];
        ucs4_t character = byte >= 0x80 && byte < 0xA0 ? windows_1252[byte - 0x80] : byte;

        line += byte == '\n' || (byte == '\r' && (i + 1 == len || text[i + 1] != '\n'));
        if (character == 0 && byte != 0)
            findings_add(&report->lines, FINDING_CHANGED, PLACE(name, line, NULL),
                         "a byte that is not a character (%02X) is kept as U+FFFD", byte);
        add_character(to, character == 0 && byte != 0 ? 0xFFFD : character);
    }
    if (is_doubtful(text, len))
        findings_add(&report->lines, FINDING_CHANGED, PLACE(name, 0, NULL),
                     "the file is not UTF-8, and its encoding is not certain: it is read as "
                     "Windows-1252; where letters are wrong, save it as UTF-8 and import it again");
    else
        format_note(report, "%s: the file is not UTF-8: it is read as Windows-1252", name);
}

/* ---- text whose encoding was mistaken before ---- */

/* The byte that Windows-1252 has for a character; -1: none. */
static int byte_of(ucs4_t character)
{
    if (character < 0x100)
        return (int)character;
    for (int i = 0; i < 32; i++)
        if (windows_1252[i] == character)
            return 0x80 + i;
    return -1;
}

/* The bytes at the beginning of a text that are the characters of one letter's UTF-8, read as
 * Windows-1252 ("Ã¶" for ö); 0: none. */
static size_t misread_letter(const char *text, size_t len)
{
    uint8_t bytes[4];
    size_t at = 0, count = 0, needed = 1;
    ucs4_t letter;

    while (count < needed && at < len) {
        ucs4_t character;
        int took = u8_mbtoucr(&character, (const uint8_t *)text + at, len - at);
        int byte = took > 0 ? byte_of(character) : -1;

        if (byte < 0x80)
            return 0;
        if (count == 0 && (byte < 0xC2 || byte > 0xF4))
            return 0;
        if (count == 0)
            needed = byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
        bytes[count++] = (uint8_t)byte;
        at += (size_t)took;
    }
    return count == needed && u8_mbtoucr(&letter, bytes, needed) == (int)needed ? at : 0;
}

/* Reports each word that was UTF-8 and was read and saved as Windows-1252; it is kept. */
static void report_misread(const char *text, size_t len, const char *name,
                           struct format_report *report)
{
    size_t line = 1, word = 0;

    for (size_t i = 0; i < len; i++) {
        size_t end = i;
        char found[WORD_SHOWN_CAP * 2];

        line += text[i] == '\n' || (text[i] == '\r' && (i + 1 == len || text[i + 1] != '\n'));
        if ((unsigned char)text[i] < 0x80 && !isalnum((unsigned char)text[i]))
            word = i + 1;
        /* An upper case letter before it: "MAÇÃ”, the end of a word in quotes. */
        if ((unsigned char)text[i] < 0xC3 || (i > word && isupper((unsigned char)text[i - 1])) ||
            misread_letter(text + i, len - i) == 0)
            continue;
        while (end < len && !strchr(" \t\r\n,;|\"", text[end]))
            end++;
        snprintf(found, sizeof found, "%.*s",
                 (int)(end - word < sizeof found ? end - word : sizeof found - 1), text + word);
        findings_add(&report->lines, FINDING_READ, PLACE(name, line, found),
                     "a text looks like UTF-8 that another program read as Windows-1252 and saved: "
                     "it is kept as it is");
        i = end > i ? end - 1 : i;
    }
}

int encoding_to_utf8(struct buf *text, const char *name, struct format_report *report,
                     struct error *err)
{
    const char *from = text->data ? text->data : "";
    size_t len = text->len, mark = file_mark(from, len);
    bool is_utf8 = u8_check((const uint8_t *)from + mark, len - mark) == NULL;
    enum order order = utf16_order(from, len);
    struct buf BUF_AUTO made = {0};

    buf_init(&made, text->cap);
    if (order != ORDER_NONE) {
        if (add_utf16(&made, from, len, order, name, err) < 0)
            return -1;
        format_note(report, "%s: the file is UTF-16: it is converted to UTF-8", name);
    } else if (is_utf8) {
        buf_add(&made, from + mark, len - mark);
    } else {
        add_windows_1252(&made, from + mark, len - mark, name, report);
    }
    if (made.data && memchr(made.data, '\0', made.len)) {
        size_t kept = 0;

        for (size_t i = 0; i < made.len; i++)
            if (made.data[i] != '\0')
                made.data[kept++] = made.data[i];
        findings_add_count(&report->lines, FINDING_LEFT_OUT, made.len - kept, PLACE(name, 0, NULL),
                           "NUL bytes");
        made.len = kept;
    }
    buf_add(&made, "", 0);
    if (buf_check(&made, name, err) < 0)
        return -1;
    if (is_utf8)
        report_misread(made.data, made.len, name, report);
    buf_finish(text);
    *text = made;
    made = (struct buf){0};
    return 0;
}
