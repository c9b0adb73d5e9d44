/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Follows decode_str() of CPython's tokenizer step by step: line ends, byte order mark, the cookie
 * in the first two lines, then the whole text through that encoding.
 */
#include "validator/encoding/encoding.h"

#include <errno.h>
#include <iconv.h>
#include <stdbool.h>
#include <string.h>

#include "validator/encoding/encoding_own.h"
#include "validator/encoding/encoding_table.h"
#include "validator/syntax/unicode.h"

#define BYTE_ORDER_MARK "\xEF\xBB\xBF"
#define COOKIE_LINES    2
#define NORMAL_CAP      13 /* so much of a name CPython looks at for the two it knows by itself */
#define STEP            ((size_t)64 << 10)

static bool is_name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
}

static size_t skip_blanks(const char *line, size_t len)
{
    size_t at = 0;

    while (at < len && (line[at] == ' ' || line[at] == '\t' || line[at] == '\f'))
        at++;
    return at;
}

/* The cookie's name in one line, which begins with a comment. NULL where there is none. */
static const char *find_name(const char *line, size_t len, size_t *name_len)
{
    static const char word[] = "coding";
    const size_t word_len = sizeof word - 1;

    for (size_t at = 0; at + word_len < len; at++) {
        size_t start = at + word_len + 1, end;

        if (memcmp(line + at, word, word_len) != 0 ||
            (line[start - 1] != ':' && line[start - 1] != '='))
            continue;
        while (start < len && (line[start] == ' ' || line[start] == '\t'))
            start++;
        for (end = start; end < len && is_name_char(line[end]);)
            end++;
        *name_len = end - start;
        if (end > start)
            return line + start;
    }
    return NULL;
}

static const char *find_cookie(const char *text, size_t len, size_t *name_len)
{
    for (size_t line = 0; line < COOKIE_LINES; line++) {
        size_t size = 0, blanks;
        const char *name;

        while (size < len && text[size] != '\n' && text[size] != '\r')
            size++;
        blanks = skip_blanks(text, size);
        if (blanks < size && text[blanks] != '#')
            return NULL;
        name = find_name(text + blanks, size - blanks, name_len);
        if (name)
            return name;
        size += size < len;
        if (size < len && text[size - 1] == '\r' && text[size] == '\n')
            size++;
        text += size;
        len -= size;
    }
    return NULL;
}

/* CPython's get_normal_name(): the names that it knows without asking the codecs. */
static bool is_normal(const char *name, size_t len, const char *const *known)
{
    char buf[NORMAL_CAP] = "";

    for (size_t i = 0; i < len && i + 1 < sizeof buf; i++)
        buf[i] = (char)(name[i] == '_'                     ? '-'
                        : name[i] >= 'A' && name[i] <= 'Z' ? name[i] | 0x20
                                                           : name[i]);
    for (; *known; known++) {
        size_t size = strlen(*known);

        if (strncmp(buf, *known, size) == 0 && (buf[size] == '\0' || buf[size] == '-'))
            return true;
    }
    return false;
}

static bool is_utf8(const char *name, size_t len)
{
    static const char *const known[] = {"utf-8", NULL};

    return is_normal(name, len, known);
}

static const struct encoding *find_encoding(const char *name, size_t len)
{
    static const char *const known[] = {"latin-1", "iso-8859-1", "iso-latin-1", NULL};

    return is_normal(name, len, known) ? encoding_find("latin-1", 7) : encoding_find(name, len);
}

/* CPython turns line ends before it decodes, and ends the last line: behind CR LF once more. */
static void add_lines(struct buf *to, const char *bytes, size_t len)
{
    bool ends_twice = len > 1 && bytes[len - 2] == '\r' && bytes[len - 1] == '\n';

    for (size_t i = 0; i < len; i++) {
        if (bytes[i] != '\r')
            buf_addc(to, bytes[i]);
        else if (i + 1 == len || bytes[i + 1] != '\n')
            buf_addc(to, '\n');
    }
    if (ends_twice || (to->len > 0 && to->data[to->len - 1] != '\n'))
        buf_addc(to, '\n');
}

/* NULL, or what is wrong. */
static const char *convert(const char *name, char *bytes, size_t len, struct buf *to)
{
    iconv_t converter = iconv_open("UTF-8", name);
    size_t done = 0;

    if (converter == (iconv_t)-1)
        return "the C library here lacks the encoding";
    while (done != (size_t)-1 || errno == E2BIG) {
        char *room = buf_reserve(to, STEP), *end = room;
        size_t left = STEP;
        bool all = len == 0;

        if (!room)
            break;
        done = all ? iconv(converter, NULL, NULL, &end, &left)
                   : iconv(converter, &bytes, &len, &end, &left);
        to->len += (size_t)(end - room);
        if (all && done != (size_t)-1)
            break;
    }
    iconv_close(converter);
    return done == (size_t)-1 ? "these bytes do not stand for text in it" : NULL;
}

/* Characters for which Python has a private one, as before 2005. */
static bool is_of_2005(uint32_t character)
{
    static const uint32_t others[] = {0x1E3F,  0xE7C7,  0x20087, 0x20089,
                                      0x200CC, 0x215D7, 0x2298F, 0x241FE};

    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (character == others[i])
            return true;
    return (character >= 0x9FB4 && character <= 0x9FBB) ||
           (character >= 0xFE10 && character <= 0xFE19);
}

/* Whether text stands behind the last line end. CPython ends a program's last line before it
 * decodes, so after it no line end is made up: a statement there has none and is refused. A
 * backslash, at which a program cannot end either, tells the parser. */
static bool has_open_line(const struct buf *text)
{
    size_t at = text->len;

    while (at > 0 && (text->data[at - 1] == ' ' || text->data[at - 1] == '\t'))
        at--;
    return at > 0 && text->data[at - 1] != '\n';
}

/* What the C library takes and Python does not, or reads otherwise; and what no UTF-8 can say. */
static const char *check_characters(const struct buf *from, unsigned flags, struct buf *to)
{
    uint32_t character = 0;

    for (size_t at = 0, used; at < from->len; at += used) {
        used = unicode_decode(from->data + at, from->len - at, &character);
        if (used == 0)
            return "half a surrogate pair";
        if (character == 0) /* CPython takes the text for a C string */
            break;
        if (((flags & ENCODING_NO_C1) && character >= 0x80 && character < 0xA0) ||
            ((flags & ENCODING_NO_EURO) && character == 0x20AC) ||
            ((flags & ENCODING_NO_2005) && is_of_2005(character)) ||
            (at == 0 && character == 0xFEFF))
            return "these bytes do not stand for text in it";
        if ((flags & ENCODING_YEN) && (character == 0xA5 || character == 0x203E))
            buf_addc(to, character == 0xA5 ? '\\' : '~');
        else
            buf_add(to, from->data + at, used);
    }
    if (has_open_line(to))
        buf_addc(to, '\\');
    return NULL;
}

static const char *translate(const struct encoding *encoding, const char *bytes, size_t len,
                             struct buf *to)
{
    struct buf BUF_AUTO lines = {0};
    struct buf BUF_AUTO pairs = {0};
    struct buf BUF_AUTO text = {0};
    const char *error;

    add_lines(&lines, bytes, len);
    if (encoding->flags & ENCODING_UTF7)
        error = encoding_utf7(lines.data, lines.len, &text);
    else if (encoding->flags & ENCODING_ESCAPE)
        error = encoding_escape(lines.data, lines.len, &text);
    else if (encoding->flags & ENCODING_RAW_ESCAPE)
        error = encoding_raw_escape(lines.data, lines.len, &text);
    else if (!(encoding->flags & ENCODING_HZ))
        error = convert(encoding->iconv, lines.data, lines.len, &text);
    else if (!(error = encoding_hz(lines.data, lines.len, &pairs)))
        error = convert(encoding->iconv, pairs.data, pairs.len, &text);
    if (!error)
        error = check_characters(&text, encoding->flags, to);
    to->failed |= lines.failed || pairs.failed || text.failed;
    return error;
}

int decoded_init(struct decoded *decoded, const char *bytes, size_t len, struct error *err)
{
    size_t mark = len >= 3 && memcmp(bytes, BYTE_ORDER_MARK, 3) == 0 ? 3 : 0;
    const struct encoding *encoding;

    *decoded = (struct decoded){.text = bytes, .len = len};
    if (len > 0 && memchr(bytes, '\0', len)) {
        decoded->error = "the program holds a NUL byte";
        return 0;
    }
    decoded->name = find_cookie(bytes + mark, len - mark, &decoded->name_len);
    if (!decoded->name || is_utf8(decoded->name, decoded->name_len))
        return 0;
    encoding = find_encoding(decoded->name, decoded->name_len);
    if (mark > 0)
        decoded->error = "the program begins with a byte order mark of UTF-8";
    else if (!encoding)
        decoded->error = "there is no such encoding here";
    else
        decoded->error = translate(encoding, bytes, len, &decoded->own);
    decoded->text = decoded->own.data ? decoded->own.data : "";
    decoded->len = decoded->own.len;
    return buf_check(&decoded->own, "the program's text", err);
}

void decoded_finish(struct decoded *decoded)
{
    buf_finish(&decoded->own);
}
