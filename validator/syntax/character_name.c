/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What libunistring leaves out is made up for here: the aliases of control characters, and the
 * names that follow from the character's number, as CPython's unicodedata has them.
 */
#include "validator/syntax/character_name.h"

#include <string.h>
#include <strings.h>

#include "validator/syntax/unicode.h"

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

#define COUNT(rows)      (sizeof(rows) / sizeof((rows)[0]))
#define FIRST_SYLLABLE   0xAC00
#define IDEOGRAPH_DIGITS 5

static const struct {
    uint32_t first, last;
} ideographs[] = {{0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0x20000, 0x2A6DF}, {0x2A700, 0x2B738},
                  {0x2B740, 0x2B81D}, {0x2B820, 0x2CEA1}, {0x2CEB0, 0x2EBE0}, {0x30000, 0x3134A}};

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
    uint32_t value = 0;

    if (len != IDEOGRAPH_DIGITS && len != IDEOGRAPH_DIGITS - 1)
        return false;
    for (size_t i = 0; i < len; i++) {
        if (digits[i] >= '0' && digits[i] <= '9')
            value = value * 16 + (uint32_t)(digits[i] - '0');
        else if (digits[i] >= 'A' && digits[i] <= 'F')
            value = value * 16 + (uint32_t)(digits[i] - 'A' + 10);
        else
            return false;
    }
    for (size_t i = 0; i < COUNT(ideographs); i++) {
        if (value >= ideographs[i].first && value <= ideographs[i].last) {
            *character = value;
            return true;
        }
    }
    return false;
}

bool character_by_name(const char *name, size_t len, uint32_t *character)
{
    static const char hangul[] = "HANGUL SYLLABLE ", unified[] = "CJK UNIFIED IDEOGRAPH-";
    const size_t hangul_len = sizeof hangul - 1, unified_len = sizeof unified - 1;

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
    return unicode_by_name(name, len, character);
}
