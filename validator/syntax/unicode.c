/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validator/syntax/unicode.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <uniname.h>
#include <uninorm.h>
#include <unistr.h>
#include <unictype.h>

#include "helpers/base/utf8.h"
#include "validator/syntax/unicode_table.h"

#define COUNT(rows)         (sizeof(rows) / sizeof((rows)[0]))
#define UNICODE_NAME_CAP    128 /* bytes of a character's name */
#define UNICODE_NFKC_FACTOR 18  /* most bytes that NFKC makes of one (U+FDFA) */

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

/* Of characters, in unicode_table.h. */
enum level {
    LEVEL_UNASSIGNED,
    LEVEL_ASSIGNED,
    LEVEL_CONTINUES_NAME,
    LEVEL_BEGINS_NAME,
};

static enum level level_of(uint32_t character)
{
    size_t at = 0, end = COUNT(unicode_runs); /* the run is from at on, and before end */

    while (end - at > 1) {
        size_t middle = at + (end - at) / 2;

        if (unicode_runs[middle] >> 2 <= character)
            at = middle;
        else
            end = middle;
    }
    return (enum level)(unicode_runs[at] & 3);
}

bool unicode_is_name_start(uint32_t character)
{
    return level_of(character) == LEVEL_BEGINS_NAME;
}

bool unicode_is_name_continue(uint32_t character)
{
    return level_of(character) >= LEVEL_CONTINUES_NAME;
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
        used = utf8_decode(name + at, len - at, &character);
        if (used == 0)
            return false;
        if (character < 0x80)
            latin = latin || uc_is_property_alphabetic(character);
        else
            other = other || has_lookalikes(character);
    }
    return latin && other;
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

/* ---- names of characters, as in \N{BULLET}. What libunistring leaves out is made up for here: the
 * aliases of control characters, and names that follow from the character's number. ---- */

/* NameAliases.txt of Unicode 14: control characters, which have no names. */
static const struct {
    uint32_t character;
    const char *names;
} controls[] = {
    {0x00, "NULL|NUL"},
    {0x01, "START OF HEADING|SOH"},
    {0x02, "START OF TEXT|STX"},
    {0x03, "END OF TEXT|ETX"},
    {0x04, "END OF TRANSMISSION|EOT"},
    {0x05, "ENQUIRY|ENQ"},
    {0x06, "ACKNOWLEDGE|ACK"},
    {0x07, "ALERT|BEL"},
    {0x08, "BACKSPACE|BS"},
    {0x09, "CHARACTER TABULATION|HORIZONTAL TABULATION|HT|TAB"},
    {0x0A, "LINE FEED|NEW LINE|END OF LINE|EOL|LF|NL"},
    {0x0B, "LINE TABULATION|VERTICAL TABULATION|VT"},
    {0x0C, "FORM FEED|FF"},
    {0x0D, "CARRIAGE RETURN|CR"},
    {0x0E, "SHIFT OUT|LOCKING-SHIFT ONE|SO"},
    {0x0F, "SHIFT IN|LOCKING-SHIFT ZERO|SI"},
    {0x10, "DATA LINK ESCAPE|DLE"},
    {0x11, "DEVICE CONTROL ONE|DC1"},
    {0x12, "DEVICE CONTROL TWO|DC2"},
    {0x13, "DEVICE CONTROL THREE|DC3"},
    {0x14, "DEVICE CONTROL FOUR|DC4"},
    {0x15, "NEGATIVE ACKNOWLEDGE|NAK"},
    {0x16, "SYNCHRONOUS IDLE|SYN"},
    {0x17, "END OF TRANSMISSION BLOCK|ETB"},
    {0x18, "CANCEL|CAN"},
    {0x19, "END OF MEDIUM|EOM"},
    {0x1A, "SUBSTITUTE|SUB"},
    {0x1B, "ESCAPE|ESC"},
    {0x1C, "INFORMATION SEPARATOR FOUR|FILE SEPARATOR|FS"},
    {0x1D, "INFORMATION SEPARATOR THREE|GROUP SEPARATOR|GS"},
    {0x1E, "INFORMATION SEPARATOR TWO|RECORD SEPARATOR|RS"},
    {0x1F, "INFORMATION SEPARATOR ONE|UNIT SEPARATOR|US"},
    {0x7F, "DELETE|DEL"},
    {0x80, "PADDING CHARACTER|PAD"},
    {0x81, "HIGH OCTET PRESET|HOP"},
    {0x82, "BREAK PERMITTED HERE|BPH"},
    {0x83, "NO BREAK HERE|NBH"},
    {0x84, "INDEX|IND"},
    {0x85, "NEXT LINE|NEL"},
    {0x86, "START OF SELECTED AREA|SSA"},
    {0x87, "END OF SELECTED AREA|ESA"},
    {0x88, "CHARACTER TABULATION SET|HORIZONTAL TABULATION SET|HTS"},
    {0x89, "CHARACTER TABULATION WITH JUSTIFICATION|HORIZONTAL TABULATION WITH JUSTIFICATION|HTJ"},
    {0x8A, "LINE TABULATION SET|VERTICAL TABULATION SET|VTS"},
    {0x8B, "PARTIAL LINE FORWARD|PARTIAL LINE DOWN|PLD"},
    {0x8C, "PARTIAL LINE BACKWARD|PARTIAL LINE UP|PLU"},
    {0x8D, "REVERSE LINE FEED|REVERSE INDEX|RI"},
    {0x8E, "SINGLE SHIFT TWO|SINGLE-SHIFT-2|SS2"},
    {0x8F, "SINGLE SHIFT THREE|SINGLE-SHIFT-3|SS3"},
    {0x90, "DEVICE CONTROL STRING|DCS"},
    {0x91, "PRIVATE USE ONE|PRIVATE USE-1|PU1"},
    {0x92, "PRIVATE USE TWO|PRIVATE USE-2|PU2"},
    {0x93, "SET TRANSMIT STATE|STS"},
    {0x94, "CANCEL CHARACTER|CCH"},
    {0x95, "MESSAGE WAITING|MW"},
    {0x96, "START OF GUARDED AREA|START OF PROTECTED AREA|SPA"},
    {0x97, "END OF GUARDED AREA|END OF PROTECTED AREA|EPA"},
    {0x98, "START OF STRING|SOS"},
    {0x99, "SINGLE GRAPHIC CHARACTER INTRODUCER|SGC"},
    {0x9A, "SINGLE CHARACTER INTRODUCER|SCI"},
    {0x9B, "CONTROL SEQUENCE INTRODUCER|CSI"},
    {0x9C, "STRING TERMINATOR|ST"},
    {0x9D, "OPERATING SYSTEM COMMAND|OSC"},
    {0x9E, "PRIVACY MESSAGE|PM"},
    {0x9F, "APPLICATION PROGRAM COMMAND|APC"},
};

/* The parts of "HANGUL SYLLABLE GAG": a first consonant, a vowel, a last consonant. */
static const char *const leading[] = {"G",  "GG", "N", "D",  "DD", "R", "M", "B", "BB", "S",
                                      "SS", "",   "J", "JJ", "C",  "K", "T", "P", "H"};
static const char *const vowels[] = {"A",   "AE", "YA", "YAE", "EO", "E",  "YEO",
                                     "YE",  "O",  "WA", "WAE", "OE", "YO", "U",
                                     "WEO", "WE", "WI", "YU",  "EU", "YI", "I"};
static const char *const trailing[] = {"",   "G",  "GG", "GS", "N",  "NJ", "NH", "D", "L",  "LG",
                                       "LM", "LB", "LS", "LT", "LP", "LH", "M",  "B", "BS", "S",
                                       "SS", "NG", "J",  "C",  "K",  "T",  "P",  "H"};

#define FIRST_SYLLABLE   0xAC00
#define IDEOGRAPH_DIGITS 5
#define FIRST_COMPATIBLE 0xF900
#define LAST_COMPATIBLE  0xFAFF

static bool is_alias(const char *names, const char *name, size_t len)
{
    for (; *names; names += strcspn(names, "|"), names += *names == '|') {
        if (strcspn(names, "|") == len && strncasecmp(names, name, len) == 0)
            return true;
    }
    return false;
}

/* The longest of the rows that the text at *name begins with, which is passed. -1: none. */
static int take(const char *const *rows, size_t count, const char **name, const char *end)
{
    size_t best = 0;
    int found = -1;

    for (size_t i = 0; i < count; i++) {
        size_t len = strlen(rows[i]);

        if (len <= (size_t)(end - *name) && memcmp(rows[i], *name, len) == 0 &&
            (found < 0 || len > best)) {
            best = len;
            found = (int)i;
        }
    }
    *name += best;
    return found;
}

static bool syllable(const char *name, const char *end, uint32_t *character)
{
    int first = take(leading, COUNT(leading), &name, end);
    int vowel = take(vowels, COUNT(vowels), &name, end);
    int last = take(trailing, COUNT(trailing), &name, end);

    if (first < 0 || vowel < 0 || last < 0 || name != end)
        return false;
    *character = FIRST_SYLLABLE +
                 ((uint32_t)first * COUNT(vowels) + (uint32_t)vowel) * COUNT(trailing) +
                 (uint32_t)last;
    return true;
}

static bool ideograph(const char *digits, size_t len, uint32_t *character)
{
    char text[IDEOGRAPH_DIGITS + 1] = "";

    if (len != IDEOGRAPH_DIGITS && len != IDEOGRAPH_DIGITS - 1)
        return false;
    memcpy(text, digits, len);
    if (strspn(text, "0123456789ABCDEF") != len)
        return false;
    *character = (uint32_t)strtoul(text, NULL, 16);
    /* Those for compatibility are named so. */
    return level_of(*character) > LEVEL_UNASSIGNED &&
           uc_is_property_unified_ideograph(*character) &&
           !(*character >= FIRST_COMPATIBLE && *character <= LAST_COMPATIBLE);
}

bool unicode_by_name(const char *name, size_t len, uint32_t *character)
{
    static const char hangul[] = "HANGUL SYLLABLE ", unified[] = "CJK UNIFIED IDEOGRAPH-";
    const size_t hangul_len = sizeof hangul - 1, unified_len = sizeof unified - 1;
    char text[UNICODE_NAME_CAP];

    if (len >= hangul_len && strncasecmp(name, hangul, hangul_len) == 0)
        return memcmp(name, hangul, hangul_len) == 0 &&
               syllable(name + hangul_len, name + len, character);
    if (len >= unified_len && strncasecmp(name, unified, unified_len) == 0)
        return memcmp(name, unified, unified_len) == 0 &&
               ideograph(name + unified_len, len - unified_len, character);
    for (size_t i = 0; i < COUNT(controls); i++) {
        if (is_alias(controls[i].names, name, len)) {
            *character = controls[i].character;
            return true;
        }
    }
    if (len >= sizeof text || memchr(name, '\0', len))
        return false;
    memcpy(text, name, len);
    text[len] = '\0';
    *character = unicode_name_character(text);
    return level_of(*character) > LEVEL_UNASSIGNED; /* UNINAME_INVALID is not assigned */
}
