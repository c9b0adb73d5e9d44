/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What literals stand for. What libunistring leaves out of the names of characters is made up for
 * here: the aliases of control characters, and the names that follow from the character's number,
 * as CPython's unicodedata has them.
 */
#include "validator/syntax/literal.h"

#include <string.h>
#include <strings.h>

#include "validator/syntax/unicode.h"

/* ---- names of characters, as in \N{BULLET} ---- */

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

static bool character_by_name(const char *name, size_t len, uint32_t *character)
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

/* ---- literals ---- */

#define LAST_CHARACTER 0x10FFFF

struct decoder {
    struct buf *to;
    const char *source;
    size_t at, end;
    unsigned flags;
    const char *error;
};

void literal_body(const char *source, const struct token *token, size_t *start, size_t *end)
{
    size_t quotes = token->flags & TOKEN_TRIPLE ? 3 : 1;

    *start = token->start;
    while (source[*start] != '\'' && source[*start] != '"')
        ++*start;
    *start += quotes;
    *end = token->start + token->length - quotes;
}

static int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Exactly `count` digits at the place. */
static void read_hex(struct decoder *d, size_t count, const char *error)
{
    uint32_t value = 0;

    for (size_t i = 0; i < count; i++) {
        int digit = d->at < d->end ? hex_value(d->source[d->at]) : -1;

        if (digit < 0) {
            d->error = error;
            return;
        }
        value = value << 4 | (uint32_t)digit;
        d->at++;
    }
    if (value > LAST_CHARACTER) {
        d->error = "There is no character above \\U0010FFFF.";
        return;
    }
    unicode_encode(d->to, value);
}

static void read_octal(struct decoder *d)
{
    uint32_t value = 0;

    for (size_t i = 0;
         i < 3 && d->at < d->end && d->source[d->at] >= '0' && d->source[d->at] <= '7'; i++)
        value = value * 8 + (uint32_t)(d->source[d->at++] - '0');
    unicode_encode(d->to, d->flags & TOKEN_BYTES ? value & 0xFF : value);
}

/* Behind \N. */
static void read_character_name(struct decoder *d)
{
    const char *close = d->at < d->end && d->source[d->at] == '{'
                            ? memchr(d->source + d->at, '}', d->end - d->at)
                            : NULL;
    size_t name = d->at + 1;
    uint32_t character;

    if (!close || close == d->source + name) {
        d->error =
            "\\N wants a character's name in braces: \\N{BULLET}. For a backslash write \\\\N.";
        return;
    }
    if (!character_by_name(d->source + name, (size_t)(close - d->source) - name, &character)) {
        d->error = "There is no character of the name behind this \\N. Write the character itself.";
        return;
    }
    unicode_encode(d->to, character);
    d->at = (size_t)(close - d->source) + 1;
}

/* At a backslash. */
static void read_escape(struct decoder *d)
{
    static const char from[] = "\\'\"abfnrtv", to[] = "\\'\"\a\b\f\n\r\t\v";
    const char *simple;
    char c;

    if (d->at + 1 >= d->end) { /* only in a piece of an f-string, before a field */
        buf_addc(d->to, '\\');
        d->at++;
        return;
    }
    c = d->source[d->at + 1];
    simple = c ? strchr(from, c) : NULL;
    d->at += 2;
    if (simple)
        buf_addc(d->to, to[simple - from]);
    else if (c == '\n' || c == '\r')
        d->at += c == '\r' && d->at < d->end && d->source[d->at] == '\n';
    else if (c >= '0' && c <= '7') {
        d->at--;
        read_octal(d);
    } else if (c == 'x')
        read_hex(d, 2,
                 "\\x wants two hexadecimal digits: \\x41. For a backslash write \\\\, or put r "
                 "before the string.");
    else if (c == 'u' && !(d->flags & TOKEN_BYTES))
        read_hex(d, 4,
                 "\\u wants four hexadecimal digits: \\u00e9. For a backslash write \\\\, or put r "
                 "before the string.");
    else if (c == 'U' && !(d->flags & TOKEN_BYTES))
        read_hex(d, 8,
                 "\\U wants eight hexadecimal digits. For a backslash write \\\\, or put r before "
                 "the string.");
    else if (c == 'N' && !(d->flags & TOKEN_BYTES))
        read_character_name(d);
    else { /* unknown escapes stay as they are */
        buf_addc(d->to, '\\');
        d->at--;
    }
}

void literal_decode(struct buf *to, const char *source, size_t from, size_t end, unsigned flags,
                    const char **error, size_t *error_at)
{
    struct decoder d = {.to = to, .source = source, .at = from, .end = end, .flags = flags};

    while (d.at < d.end && !d.error) {
        char c = source[d.at];
        size_t run = d.at;

        if (c == '\\' && !(flags & TOKEN_RAW)) {
            *error_at = d.at;
            read_escape(&d);
            continue;
        }
        if ((flags & TOKEN_FORMATTED) && (c == '{' || c == '}') && d.at + 1 < end &&
            source[d.at + 1] == c) {
            buf_addc(to, c);
            d.at += 2;
            continue;
        }
        if (c == '\r') { /* a line end is a line feed, however it was written */
            buf_addc(to, '\n');
            d.at += d.at + 1 < end && source[d.at + 1] == '\n' ? 2 : 1;
            continue;
        }
        do
            run++;
        while (run < end && source[run] != '\\' && source[run] != '{' && source[run] != '}' &&
               source[run] != '\r');
        buf_add(to, source + d.at, run - d.at);
        d.at = run;
    }
    *error = d.error;
}
