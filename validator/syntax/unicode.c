/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validator/syntax/unicode.h"

#include <string.h>

#include <uniname.h>
#include <uninorm.h>
#include <unistr.h>
#include <unictype.h>

#define UNICODE_NAME_CAP    128 /* bytes of a character's name */
#define UNICODE_NFKC_FACTOR 18  /* most bytes that NFKC makes of one (U+FDFA) */

size_t unicode_decode(const char *text, size_t len, uint32_t *character)
{
    ucs4_t decoded;
    int used;

    if (len == 0)
        return 0;
    if ((unsigned char)text[0] < 0x80) {
        *character = (unsigned char)text[0];
        return 1;
    }
    used = u8_mbtoucr(&decoded, (const uint8_t *)text, len);
    if (used <= 0)
        return 0;
    *character = decoded;
    return (size_t)used;
}

void unicode_encode(struct buf *to, uint32_t character)
{
    uint8_t bytes[6];
    int len = u8_uctomb(bytes, character, sizeof bytes);

    if (len <= 0) { /* a lone surrogate, which a Python string may hold and UTF-8 may not */
        bytes[0] = (uint8_t)(0xE0 | (character >> 12 & 0x0F));
        bytes[1] = (uint8_t)(0x80 | (character >> 6 & 0x3F));
        bytes[2] = (uint8_t)(0x80 | (character & 0x3F));
        len = 3;
    }
    buf_add(to, bytes, (size_t)len);
}

bool unicode_is_name_start(uint32_t character)
{
    return character == '_' || uc_is_property_xid_start(character);
}

bool unicode_is_name_continue(uint32_t character)
{
    return uc_is_property_xid_continue(character);
}

void unicode_add_nfkc(struct buf *to, const char *text, size_t len)
{
    size_t room = len * UNICODE_NFKC_FACTOR;
    char *at = buf_reserve(to, room);

    if (!at)
        return;
    if (!u8_normalize(UNINORM_NFKC, (const uint8_t *)text, len, (uint8_t *)at, &room)) {
        to->failed = true;
        return;
    }
    to->len += room;
    to->data[to->len] = '\0';
}

/* Alphabets whose letters are drawn like Latin ones. */
static bool has_lookalikes(uint32_t character)
{
    static const char *const alphabets[] = {"Cyrillic", "Greek",   "Armenian",
                                            "Cherokee", "Coptic",  "Lisu",
                                            "Georgian", "Deseret", "Osage"};
    const uc_script_t *script = uc_script(character);

    for (size_t i = 0; script && i < sizeof alphabets / sizeof *alphabets; i++)
        if (strcmp(script->name, alphabets[i]) == 0)
            return true;
    return false;
}

bool unicode_mixes_alphabets(const char *name, size_t len)
{
    bool latin = false, other = false;
    uint32_t character;

    for (size_t at = 0, used; at < len; at += used) {
        used = unicode_decode(name + at, len - at, &character);
        if (used == 0)
            return false;
        if (character < 0x80)
            latin = latin || uc_is_property_alphabetic(character);
        else
            other = other || has_lookalikes(character);
    }
    return latin && other;
}

bool unicode_by_name(const char *name, size_t len, uint32_t *character)
{
    char text[UNICODE_NAME_CAP];
    ucs4_t found;

    if (len >= sizeof text || memchr(name, '\0', len))
        return false;
    memcpy(text, name, len);
    text[len] = '\0';
    found = unicode_name_character(text);
    *character = found;
    return found != UNINAME_INVALID;
}

const char *unicode_hidden(uint32_t character)
{
    if (character == 0)
        return "a NUL character";
    if (character == 0x0C)
        return "a form feed";
    if (character < 0x20 || (character >= 0x7F && character <= 0x9F))
        return "a control character";
    if (character == 0x2028 || character == 0x2029)
        return "a line separator that Python does not take as a line end";
    if (character == 0xFEFF)
        return "a byte order mark";
    if (character == 0x061C || character == 0x200E || character == 0x200F ||
        (character >= 0x202A && character <= 0x202E) ||
        (character >= 0x2066 && character <= 0x2069))
        return "a mark that changes the direction in which text is shown";
    return NULL;
}
