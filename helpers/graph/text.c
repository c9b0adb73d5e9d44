/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads the cleaned characters of a text, and compares and copies such texts. See the header.
 */
#include "helpers/graph/text.h"

#include <locale.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <uninorm.h>
#include <wctype.h>

#include "helpers/base/utf8.h"

#define REPLACEMENT 0xfffdu

/* Returns the next character and advances *at; REPLACEMENT for an invalid byte. */
static uint32_t decode(const unsigned char **at)
{
    uint32_t c = REPLACEMENT;
    size_t size = utf8_decode((const char *)*at, UTF8_LEN_MAX, &c);

    *at += size > 0 ? size : 1;
    return c;
}

/* Spaces, controls, line and paragraph separators, and marks that hide or reorder text. */
static bool is_blank(uint32_t c)
{
    return c <= 0x20 || (c >= 0x7f && c <= 0xa0) || (c >= 0x2000 && c <= 0x200f) ||
           (c >= 0x2028 && c <= 0x202f) || (c >= 0x205f && c <= 0x206f) || c == 0x61c ||
           c == 0x3000 || c == 0xfeff;
}

/* Returns the next cleaned character, omitting spaces at the start and end; 0 at the end. */
static uint32_t next_clean(const unsigned char **at, bool *started)
{
    bool blank = false;

    while (**at) {
        const unsigned char *before = *at;
        uint32_t c = decode(at);

        if (is_blank(c)) {
            blank = true;
            continue;
        }
        if (blank && *started) {
            *at = before;
            *started = false; /* so that the character comes next, without another space */
            return ' ';
        }
        *started = true;
        return c;
    }
    return 0;
}

/* The bytes up to cap that are copied as they are: of ASCII, without spaces and quotes. */
static size_t word_length(const unsigned char *at, size_t cap)
{
    size_t len = 0;

    while (len < cap && at[len] > ' ' && at[len] < 0x7f && at[len] != '"')
        len++;
    return len;
}

void graph_text_add(struct buf *to, const char *text, size_t cap, bool quoted)
{
    const unsigned char *at = (const unsigned char *)text;
    size_t used = 0;
    bool started = false;
    uint32_t c;

    if (quoted)
        buf_addc(to, '"');
    while ((c = next_clean(&at, &started)) != 0) {
        size_t len = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
        const char *bytes = c == ' '             ? " "
                            : c == REPLACEMENT   ? "\xEF\xBF\xBD"
                            : quoted && c == '"' ? "'"
                                                 : (const char *)at - len;

        if (used + len > cap) {
            buf_adds(to, "…");
            break;
        }
        buf_add(to, bytes, len);
        used += len;
        len = c != ' ' ? word_length(at, cap - used) : 0;
        buf_add(to, at, len);
        at += len;
        used += len;
    }
    if (quoted)
        buf_addc(to, '"');
}

/* Folds case with the C.UTF-8 locale, which is built into the C library; without it only ASCII
 * letters. */
static wint_t fold(uint32_t c, locale_t locale)
{
    if (c == '"')
        return '\'';
    if (locale)
        return towlower_l((wint_t)c, locale);
    return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
}

static bool same_folded(const char *a, const char *b)
{
    const unsigned char *at_a = (const unsigned char *)a, *at_b = (const unsigned char *)b;
    bool started_a = false, started_b = false;
    locale_t locale = (locale_t)0;
    uint32_t left, right;

    do {
        left = next_clean(&at_a, &started_a);
        right = next_clean(&at_b, &started_b);
        if (left == right)
            continue;
        if (!locale && (left >= 0x80 || right >= 0x80))
            locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
        if (fold(left, locale) != fold(right, locale))
            break;
    } while (left && right);
    if (locale)
        freelocale(locale);
    return left == 0 && right == 0;
}

/* Whether a text may hold combining marks: bytes of characters from U+0300. */
static bool may_be_decomposed(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text >= 0xcc)
            return true;
    return false;
}

/* The text with composed letters; owned, NULL if it is not valid UTF-8. */
static char *compose(const char *text)
{
    size_t size = 0;

    /* With its final NUL, which stays. */
    return (char *)u8_normalize(UNINORM_NFC, (const uint8_t *)text, strlen(text) + 1, NULL, &size);
}

bool graph_text_same(const char *a, const char *b)
{
    char *left, *right;
    bool same = same_folded(a, b);

    if (same || !*a || !*b || (!may_be_decomposed(a) && !may_be_decomposed(b)))
        return same;
    left = compose(a);
    right = compose(b);
    same = left && right && same_folded(left, right);
    free(left);
    free(right);
    return same;
}

bool graph_text_blank(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    bool started = false;

    if (*at > ' ' && *at < 0x7f) /* nearly always */
        return false;
    return next_clean(&at, &started) == 0;
}

bool graph_text_is_utf8(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;

    while (*at) {
        const unsigned char *before = at;

        /* A replacement character in the text itself is three bytes long. */
        if (decode(&at) == REPLACEMENT && at != before + 3)
            return false;
    }
    return true;
}

/* ---- which of many nodes a name means ---- */

void graph_name_begin(struct graph_name *search, const char *name)
{
    memset(search, 0, sizeof *search);
    search->name = name;
}

void graph_name_feed(struct graph_name *search, const char *id, const char *title, const char *code)
{
    bool blank = graph_text_blank(search->name);
    bool same_code = !blank && code && graph_text_same(search->name, code);

    if (!blank && graph_text_same(search->name, id) && search->same_ids++ == 0)
        search->by_id = search->fed;
    if (same_code && search->same_codes++ == 0)
        search->by_code = search->fed;
    if ((same_code || (!blank && title && graph_text_same(search->name, title))) &&
        search->same_titles++ == 0)
        search->by_title = search->fed;
    search->fed++;
}

bool graph_name_found(const struct graph_name *search, size_t *place)
{
    *place = search->same_ids == 1     ? search->by_id
             : search->same_codes == 1 ? search->by_code
                                       : search->by_title;
    return search->same_ids == 1 || search->same_codes == 1 || search->same_titles == 1;
}
