/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The tokenizer: a fast path for common tokens, indentation, strings, operators, then the main loop
 * with names and line ends, and resuming after an error. literal.c scans numbers.
 */
#include "validator/syntax/tokenizer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "helpers/base/utf8.h"
#include "validator/syntax/literal.h"
#include "validator/syntax/unicode.h"

/* The byte `ahead` of the place, -1 behind the end. */
static inline int peek(const struct tokenizer *t, size_t ahead)
{
    return t->at + ahead < t->len ? (unsigned char)t->source[t->at + ahead] : -1;
}

/* The bytes of the line end at `at`: 1, 2 for CR LF, 0 where there is none. */
static inline size_t line_end_size(const struct tokenizer *t, size_t at)
{
    if (at >= t->len)
        return 0;
    if (t->source[at] == '\n')
        return 1;
    if (t->source[at] == '\r')
        return at + 1 < t->len && t->source[at + 1] == '\n' ? 2 : 1;
    return 0;
}

/* Nothing can be read behind this error. */
static inline bool lose(struct tokenizer *t)
{
    t->lost = true;
    return false;
}

static inline enum token_kind give(struct tokenizer *t, struct token *token, enum token_kind kind,
                                   size_t start)
{
    token->kind = (uint8_t)kind;
    token->start = (uint32_t)start;
    token->length = (uint32_t)(t->at - start);
    return kind;
}

static inline char closing_of(char open)
{
    if (open == '(')
        return ')';
    if (open == '[')
        return ']';
    return '}';
}

/* CPython reads a field in brackets of its own. */
static inline size_t bracket_cap(const struct tokenizer *t)
{
    return t->field ? VALIDATOR_DEPTH_CAP - 1 : VALIDATOR_DEPTH_CAP;
}

/* The bytes up to the end of the line. */
static size_t rest_of_line(const char *text, size_t len)
{
    size_t at = 0;

    while (at < len && text[at] != '\n' && text[at] != '\r')
        at++;
    return at;
}

/* The error and where it is; what was read of the token is forgotten. */
__attribute__((format(printf, 4, 5))) static enum token_kind
tokenizer_fail(struct tokenizer *t, struct token *token, size_t at, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(t->error, sizeof t->error, format, args);
    va_end(args);
    t->error_at = at;
    t->edit_count = 0;
    t->ended = true;
    token->kind = TOKEN_ERROR;
    token->start = (uint32_t)at;
    return TOKEN_ERROR;
}

/* Adds an edit that corrects the error; with is static, and NULL adds none. */
static void correct(struct tokenizer *t, size_t at, size_t len, const char *with)
{
    if (with && t->edit_count < CORRECTION_EDITS_CAP)
        t->edits[t->edit_count++] = (struct tokenizer_edit){at, len, with};
}

/* The same for a character with a look-alike that is meant. A curved quotation mark is corrected
 * together with the one that closes it on its line. */
static void correct_character(struct tokenizer *t, size_t at, size_t used, const char *instead)
{
    const char *from = t->source + at + used;
    size_t len = rest_of_line(from, t->len - at - used);

    if (!instead || (*instead != '"' && *instead != '\'')) {
        correct(t, at, used, instead);
        return;
    }
    for (size_t i = 0; i < len && from[i] != *instead && from[i] != '\\'; i++) {
        uint32_t character;
        const char *other = NULL;
        size_t size = utf8_decode(from + i, len - i, &character);

        if (size > 1)
            (void)keyword_lookalike(character, &other);
        if (other && *other == *instead) {
            correct(t, at, used, instead);
            correct(t, at + used + i, size, instead);
            return;
        }
    }
}

/* Where a bracket that is never closed certainly ends: behind the last value of its line, if the
 * line ends with one. */
static void correct_bracket(struct tokenizer *t, size_t at, char close)
{
    size_t end = at + rest_of_line(t->source + at, t->len - at);

    while (end > at && (t->source[end - 1] == ' ' || t->source[end - 1] == '\t'))
        end--;
    if (memchr(t->source + at, '#', end - at) || end <= at + 1 ||
        (!keyword_is_name_byte((unsigned char)t->source[end - 1]) &&
         !strchr(")]}\"'", t->source[end - 1])))
        return;
    correct(t, end, 0, close == ')' ? ")" : close == ']' ? "]" : "}");
}

static enum token_kind tokenizer_not_utf8(struct tokenizer *t, struct token *token)
{
    return tokenizer_fail(t, token, t->at,
                          "The byte 0x%02X here is not UTF-8. Send the program as UTF-8 text.",
                          (unsigned char)t->source[t->at]);
}

/* ---- the short way, by a table of bytes ---- */

/* What a byte may begin or go on with, for the tokens that need no second look. */
enum byte_class {
    BYTE_NAME_START = 1 << 0,
    BYTE_NAME = 1 << 1,
    BYTE_DIGIT = 1 << 2,
    BYTE_SIGN = 1 << 3, /* may be an operator by itself */
    BYTE_OPEN = 1 << 4,
    BYTE_CLOSE = 1 << 5,
    BYTE_STOP = 1 << 6, /* ends a run of plain bytes in a string */
};

#define LETTER (BYTE_NAME_START | BYTE_NAME)
#define DIGIT  (BYTE_NAME | BYTE_DIGIT)
#define SIGN   BYTE_SIGN

static const uint8_t byte_classes[256] = {
    ['a' ... 'z'] = LETTER, ['A' ... 'Z'] = LETTER, ['_'] = LETTER,
    ['0' ... '9'] = DIGIT,  [','] = SIGN,           [';'] = SIGN,
    ['~'] = SIGN,           [':'] = SIGN,           ['%'] = SIGN,
    ['@'] = SIGN,           ['^'] = SIGN,           ['+'] = SIGN,
    ['-'] = SIGN,           ['*'] = SIGN,           ['/'] = SIGN,
    ['&'] = SIGN,           ['|'] = SIGN,           ['<'] = SIGN,
    ['>'] = SIGN,           ['='] = SIGN,           ['.'] = SIGN,
    ['('] = BYTE_OPEN,      ['['] = BYTE_OPEN,      ['{'] = BYTE_OPEN,
    [')'] = BYTE_CLOSE,     [']'] = BYTE_CLOSE,     ['}'] = BYTE_CLOSE,
    ['\''] = BYTE_STOP,     ['"'] = BYTE_STOP,      ['\\'] = BYTE_STOP,
    ['\n'] = BYTE_STOP,     ['\r'] = BYTE_STOP,     [0x80 ... 0xFF] = BYTE_STOP,
};

/* Where the string that begins at `at` with this quote ends, 0 where it wants a second look. */
static size_t find_plain_end(const struct tokenizer *t, size_t at, char quote)
{
    const char *source = t->source;

    for (at++; at < t->len; at++) {
        if (!(byte_classes[(unsigned char)source[at]] & BYTE_STOP))
            continue;
        if (source[at] == quote)
            return at + 1;
        if (source[at] == '\\' && at + 1 < t->len && source[at + 1] != '\n' &&
            source[at + 1] != '\r' && (unsigned char)source[at + 1] < 0x80)
            at++;
        else if (source[at] != '\'' && source[at] != '"')
            return 0;
    }
    return 0;
}

/* The tokens that ordinary programs mostly hold, as read_token would give them: a name of ASCII
 * letters, a decimal integer, an operator of one byte, a string on one line. False, with nothing
 * taken, for all else. */
bool tokenizer_common(struct tokenizer *t, struct token *token)
{
    const char *source = t->source;
    size_t at = t->at, end;
    unsigned char c, next;
    uint8_t class;

    if (t->line_start || t->pending != 0 || t->ended)
        return false;
    while (at < t->len && source[at] == ' ')
        at++;
    if (at + 1 >= t->len)
        return false;
    c = (unsigned char)source[at];
    class = byte_classes[c];
    end = at + 1;
    if (class & BYTE_NAME) {
        while (end < t->len && byte_classes[(unsigned char)source[end]] & BYTE_NAME)
            end++;
        next = end < t->len ? (unsigned char)source[end] : 0;
        if (next >= 0x80)
            return false;
        if (class & BYTE_DIGIT) {
            for (size_t i = at + 1; i < end; i++)
                if (source[i] < '0' || source[i] > '9')
                    return false;
            if (next == '.' || (c == '0' && end > at + 1))
                return false;
            token->kind = TOKEN_NUMBER;
            token->flags = TOKEN_DECIMAL_INT;
        } else {
            if ((next == '\'' || next == '"') && end - at <= 2)
                return false; /* the prefix of a string */
            token->kind = TOKEN_NAME;
            token->id = (uint8_t)keyword_find(source + at, end - at);
        }
    } else if (class & BYTE_SIGN) {
        next = (unsigned char)source[end];
        if (c == '=' && next == '=') {
            end++;
            c = OP_EQUAL;
        } else if (next == '=' || next == '>' || next == c ||
                   (c == '.' && byte_classes[next] & BYTE_DIGIT)) {
            return false;
        }
        token->kind = TOKEN_OP;
        token->id = c;
    } else if (class & BYTE_OPEN) {
        if (t->depth == bracket_cap(t))
            return false;
        t->bracket_at[t->depth] = (uint32_t)at;
        t->bracket_line[t->depth++] = t->line;
        token->kind = TOKEN_OP;
        token->id = c;
    } else if (class & BYTE_CLOSE) {
        if (t->depth == 0 || closing_of(source[t->bracket_at[t->depth - 1]]) != (char)c)
            return false;
        t->depth--;
        token->kind = TOKEN_OP;
        token->id = c;
    } else if (c == '\'' || c == '"') {
        if ((unsigned char)source[end] == c || (end = find_plain_end(t, at, (char)c)) == 0)
            return false;
        token->kind = TOKEN_STRING;
    } else if (c == '\n' && t->depth == 0 && !t->field && !t->blank_line) {
        t->line++;
        t->line_start = true;
        t->after_token = false;
        t->at = end;
        token->kind = TOKEN_NEWLINE;
        token->start = (uint32_t)at;
        token->length = 1;
        return true;
    } else {
        return false;
    }
    t->after_token = true;
    t->at = end;
    token->start = (uint32_t)at;
    token->length = (uint32_t)(end - at);
    return true;
}

/* ---- indentation, and lines that a backslash joins ---- */

#define TAB_SIZE 8

/* At a backslash: skips it and the line end behind it. */
static bool tokenizer_continuation(struct tokenizer *t, struct token *token)
{
    size_t size = line_end_size(t, t->at + 1);

    if (size == 0 && t->at + 1 < t->len) {
        tokenizer_fail(
            t, token, t->at,
            "A backslash outside a string must be the last character of its line. Delete it, or "
            "what follows it.");
        return false;
    }
    /* Behind CR LF at the end of the text Python sees one more line end. */
    if (t->at + 1 + size >= t->len && size != 2) {
        tokenizer_fail(t, token, t->at,
                       "The program ends behind this backslash. Delete it, or finish the line.");
        return lose(t);
    }
    t->at += 1 + size;
    t->line++;
    return true;
}

static enum token_kind inconsistent(struct tokenizer *t, struct token *token)
{
    t->in_place = true;
    return tokenizer_fail(
        t, token, t->at,
        "Tabs and spaces are mixed in this indentation. Indent with spaces only, four a level.");
}

/* Compares a line's indentation with the open ones: sets pending. False after an error. */
static bool settle_indentation(struct tokenizer *t, struct token *token, uint32_t column,
                               uint32_t alt_column)
{
    uint32_t *top = &t->columns[t->indent_count - 1];

    if (column > *top) {
        if (t->indent_count == VALIDATOR_INDENT_CAP) {
            tokenizer_fail(t, token, t->at,
                           "More than %d levels of indentation. Move inner blocks into functions.",
                           VALIDATOR_INDENT_CAP - 1);
            return lose(t);
        }
        if (alt_column <= t->alt_columns[t->indent_count - 1])
            return inconsistent(t, token) != TOKEN_ERROR;
        t->columns[t->indent_count] = column;
        t->alt_columns[t->indent_count++] = alt_column;
        t->pending = 1;
        return true;
    }
    while (t->indent_count > 1 && column < t->columns[t->indent_count - 1]) {
        t->indent_count--;
        t->pending--;
    }
    if (column != t->columns[t->indent_count - 1]) {
        t->in_place = true;
        tokenizer_fail(
            t, token, t->at,
            "This line is indented by %u columns, which matches no block around it (the nearest "
            "has %u). Indent it like the other lines of its block.",
            column, t->columns[t->indent_count - 1]);
        return false;
    }
    if (alt_column != t->alt_columns[t->indent_count - 1])
        return inconsistent(t, token) != TOKEN_ERROR;
    return true;
}

/* Reads the blanks at a line's start. False after an error. */
static bool tokenizer_indentation(struct tokenizer *t, struct token *token)
{
    uint32_t column = 0, alt_column = 0, first_column = 0;
    int c;

    t->line_start = false;
    t->blank_line = false;
    for (;; t->at++) {
        c = peek(t, 0);
        if (c == ' ') {
            column++;
            alt_column++;
        } else if (c == '\t') {
            column = (column / TAB_SIZE + 1) * TAB_SIZE;
            alt_column++;
        } else if (c == '\f') {
            column = alt_column = 0;
        } else if (c == '\\') {
            /* The indentation before the first backslash counts for the whole line. */
            first_column = first_column ? first_column : column;
            if (!tokenizer_continuation(t, token))
                return false;
            t->at--;
        } else {
            break;
        }
    }
    if (c == '#' || c == '\n' || c == '\r') {
        t->blank_line = true;
        return true;
    }
    if (c < 0)
        column = alt_column = first_column =
            0; /* Python sees a line end before the end of the text */
    if (t->depth > 0)
        return true;
    return settle_indentation(t, token, first_column ? first_column : column,
                              first_column ? first_column : alt_column);
}

/* ---- string literals, each one token with its prefix and quotes ---- */

/* A prefix of a string at the place, if a quote follows it: its flags and length. */
static bool tokenizer_prefix(const struct tokenizer *t, uint16_t *flags, size_t *len)
{
    bool bytes = false, raw = false, unicode = false, formatted = false;

    for (size_t i = 0; i < 3; i++) {
        int c = peek(t, i);

        if (c == '\'' || c == '"') {
            *flags = (uint16_t)((bytes ? TOKEN_BYTES : 0) | (raw ? TOKEN_RAW : 0) |
                                (formatted ? TOKEN_FORMATTED : 0));
            *len = i;
            return true;
        }
        c |= 0x20;
        if (c == 'b' && !bytes && !unicode && !formatted)
            bytes = true;
        else if (c == 'u' && !bytes && !unicode && !raw && !formatted)
            unicode = true;
        else if (c == 'r' && !raw && !unicode)
            raw = true;
        else if (c == 'f' && !bytes && !unicode && !formatted)
            formatted = true;
        else
            return false;
    }
    return false;
}

/* At a quote, behind the prefix that starts at `start`. */
static enum token_kind tokenizer_string(struct tokenizer *t, struct token *token, size_t start)
{
    char quote = t->source[t->at];
    size_t quotes = peek(t, 1) == quote && peek(t, 2) == quote ? 3 : 1;
    uint32_t character;
    size_t size;

    if (quotes == 3)
        token->flags |= TOKEN_TRIPLE;
    t->at += quotes;
    while (t->at < t->len) {
        char c = t->source[t->at];

        if (c == quote && (quotes == 1 || (peek(t, 1) == quote && peek(t, 2) == quote))) {
            t->at += quotes;
            return give(t, token, TOKEN_STRING, start);
        }
        if (c == '\\') {
            size = line_end_size(t, t->at + 1);
            t->line += size > 0;
            t->at += 1 + (size ? size : peek(t, 1) >= 0 && peek(t, 1) < 0x80);
            continue;
        }
        size = line_end_size(t, t->at);
        if (size > 0 && quotes == 1)
            break;
        if ((unsigned char)c >= 0x80) {
            if (token->flags & TOKEN_BYTES)
                return tokenizer_fail(
                    t, token, t->at,
                    "A bytes literal holds ASCII characters only. Write \"...\".encode() or an "
                    "escape such as \\xe9.");
            size = utf8_decode(t->source + t->at, t->len - t->at, &character);
            if (size == 0)
                return tokenizer_not_utf8(t, token);
            t->at += size;
            continue;
        }
        t->line += size > 0;
        t->at += size ? size : 1;
    }
    t->at = t->at > t->len ? t->len : t->at;
    t->cut_quote = quote;
    t->lost = quotes == 3;
    if (quotes == 3)
        return tokenizer_fail(t, token, start, "This string is never closed. Close it with %c%c%c.",
                              quote, quote, quote);
    if (start > 0 && start + 1 < t->len && quote == '\'' && t->source[start] == quote &&
        keyword_is_name_byte((unsigned char)t->source[start - 1]))
        return tokenizer_fail(
            t, token, start,
            "This apostrophe opens a string that is not closed. Put a text with an "
            "apostrophe in double quotes: \"it's\"; put '#' before prose.");
    return tokenizer_fail(
        t, token, start,
        "This string is not closed on its line. Close it with %c, or use %c%c%c for a text of "
        "several lines.",
        quote, quote, quote, quote);
}

/* ---- operators and brackets, and the signs of other languages ---- */

static enum token_kind read_bracket(struct tokenizer *t, struct token *token, char c)
{
    size_t start = t->at;
    char open;

    if (c == '(' || c == '[' || c == '{') {
        if (t->depth == bracket_cap(t))
            return tokenizer_fail(t, token, start,
                                  "More than %zu open brackets. Give names to inner parts.",
                                  bracket_cap(t));
        t->bracket_at[t->depth] = (uint32_t)start;
        t->bracket_line[t->depth++] = t->line;
    } else {
        if (t->depth == 0) {
            tokenizer_fail(t, token, start,
                           "This '%c' closes nothing. Delete it, or add the opening bracket.", c);
            if (rest_of_line(t->source + start, t->len - start) == 1 && start > 0 &&
                t->source[start - 1] == c) /* "a * b)" may lack its opening bracket */
                correct(t, start, 1, "");
            return TOKEN_ERROR;
        }
        open = t->source[t->bracket_at[t->depth - 1]];
        if (closing_of(open) != c)
            return tokenizer_fail(
                t, token, start,
                "'%c' cannot close the '%c' of line %u. Close that with '%c' first.", c, open,
                t->bracket_line[t->depth - 1], closing_of(open));
        t->depth--;
    }
    t->at++;
    token->id = (uint8_t)c;
    return give(t, token, TOKEN_OP, start);
}

/* Nothing but blanks stands before the place on its line. */
static bool begins_line(const struct tokenizer *t)
{
    size_t at = t->at;

    while (at > 0 && (t->source[at - 1] == ' ' || t->source[at - 1] == '\t'))
        at--;
    return at == 0 || t->source[at - 1] == '\n' || t->source[at - 1] == '\r';
}

/* Signs of other languages and of Python 2. */
static const struct foreign {
    const char *sign, *error;
    const char *instead, *apart; /* between blanks, and where they may be missing */
} foreign_signs[] = {
    {"<>", "'<>' is Python 2. Write '!='.", "!=", "!="},
    {"&&", "Python has no '&&'. Write 'and'.", "and", " and "},
    {"||", "Python has no '||'. Write 'or'.", "or", " or "},
};

/* An operator or a bracket. */
static enum token_kind tokenizer_operator(struct tokenizer *t, struct token *token)
{
    const char *instead;
    size_t start = t->at, used;
    int c = peek(t, 0);

    if (c < 0x20 || c == 0x7F)
        return tokenizer_fail(t, token, start,
                              "U+%04X, a control character, cannot stand here. Delete it.",
                              (unsigned)c);
    if (strchr("()[]{}", c))
        return read_bracket(t, token, (char)c);
    if (c == '!' && peek(t, 1) != '=' && t->depth == 0 && !t->field && begins_line(t)) {
        tokenizer_fail(t, token, start,
                       "Lines with '!' are a notebook's. Delete the line: nothing can be "
                       "installed, and the allowed modules are there.");
        correct(t, start, 0, "# ");
        return TOKEN_ERROR;
    }
    if ((c == '+' || c == '-') && peek(t, 1) == c && t->depth == 0 && !t->field &&
        (line_end_size(t, t->at + 2) || peek(t, 2) == ';')) {
        tokenizer_fail(t, token, start, "Python has no '%c%c'. Write '%c= 1'.", c, c, c);
        correct(t, start, 2, c == '+' ? " += 1" : " -= 1");
        return TOKEN_ERROR;
    }
    for (size_t i = 0; i < sizeof foreign_signs / sizeof *foreign_signs; i++) {
        const struct foreign *sign = &foreign_signs[i];

        if (c != sign->sign[0] || peek(t, 1) != sign->sign[1])
            continue;
        tokenizer_fail(t, token, start, "%s", sign->error);
        correct(t, start, 2,
                start > 0 && t->source[start - 1] == ' ' && peek(t, 2) == ' ' ? sign->instead
                                                                              : sign->apart);
        return TOKEN_ERROR;
    }
    token->id = (uint8_t)keyword_operator(t->source + t->at, t->len - t->at, &used);
    if (used == 0) {
        tokenizer_fail(t, token, start, "'%c' is not an operator of Python.%s", c,
                       keyword_lookalike((uint32_t)c, &instead));
        correct_character(t, start, 1, instead);
        return TOKEN_ERROR;
    }
    t->at += used;
    return give(t, token, TOKEN_OP, start);
}

/* ---- names, line ends, the end ---- */

static const char byte_order_mark[] = "\xEF\xBB\xBF";

void tokenizer_init(struct tokenizer *tokenizer, const char *source, size_t len)
{
    memset(tokenizer, 0, offsetof(struct tokenizer, bracket_at));
    tokenizer->columns[0] = tokenizer->alt_columns[0] = 0;
    tokenizer->error[0] = '\0';
    tokenizer->source = source;
    tokenizer->len = len;
    tokenizer->line = 1;
    tokenizer->line_start = true;
    tokenizer->indent_count = 1;
    if (len >= 3 && memcmp(source, byte_order_mark, 3) == 0)
        tokenizer->at = 3;
}

void tokenizer_init_field(struct tokenizer *tokenizer, const char *source, size_t from, size_t to,
                          uint32_t line)
{
    tokenizer_init(tokenizer, source, to);
    tokenizer->at = from;
    tokenizer->line = line;
    tokenizer->field = true;
    tokenizer->line_start = false;
}

static enum token_kind read_name(struct tokenizer *t, struct token *token, size_t start)
{
    uint32_t character;
    const char *instead;
    bool first = true;

    while (t->at < t->len) {
        unsigned char c = (unsigned char)t->source[t->at];
        size_t used = 1;

        if (c < 0x80) {
            if (!keyword_is_name_byte(c))
                break;
        } else {
            used = utf8_decode(t->source + t->at, t->len - t->at, &character);
            if (used == 0)
                return tokenizer_not_utf8(t, token);
            if (first ? !unicode_is_name_start(character) : !unicode_is_name_continue(character)) {
                tokenizer_fail(t, token, t->at,
                               "The character '%.*s' (U+%04X) cannot stand here: it is not "
                               "a letter, digit or operator of Python.%s",
                               (int)used, t->source + t->at, character,
                               keyword_lookalike(character, &instead));
                correct_character(t, t->at, used, instead);
                return TOKEN_ERROR;
            }
            token->flags |= TOKEN_NON_ASCII;
        }
        t->at += used;
        first = false;
    }
    if (!(token->flags & TOKEN_NON_ASCII))
        token->id = (uint8_t)keyword_find(t->source + start, t->at - start);
    return give(t, token, TOKEN_NAME, start);
}

static enum token_kind read_number(struct tokenizer *t, struct token *token)
{
    size_t start = t->at, error_at = 0;
    const char *error = NULL;
    bool decimal_int = false;
    size_t used = number_scan(t->source + start, t->len - start, &decimal_int, &error, &error_at);

    if (error)
        return tokenizer_fail(t, token, start + error_at, "%s", error);
    if (decimal_int)
        token->flags |= TOKEN_DECIMAL_INT;
    t->at = start + used;
    return give(t, token, TOKEN_NUMBER, start);
}

/* At the end of the text: an open bracket, the last NEWLINE, the last DEDENTs, then the end. */
static enum token_kind read_end(struct tokenizer *t, struct token *token)
{
    t->lost = t->depth > 0;
    if (t->depth > 0) {
        size_t at = t->bracket_at[t->depth - 1];

        tokenizer_fail(t, token, at, "This '%c' is never closed. Add the missing '%c'.",
                       t->source[at], closing_of(t->source[at]));
        correct_bracket(t, at, closing_of(t->source[at]));
        return TOKEN_ERROR;
    }
    if (t->after_token && !t->field) {
        t->after_token = false;
        t->line_start = true;
        return give(t, token, TOKEN_NEWLINE, t->at);
    }
    if (t->indent_count > 1) { /* behind a comment that no line end follows */
        t->pending = 2 - (int)t->indent_count;
        t->indent_count = 1;
        return give(t, token, TOKEN_DEDENT, t->at);
    }
    t->ended = true;
    return give(t, token, TOKEN_END, t->at);
}

/* A comment or line end that only who asked for trivia sees. True when it is to be given. */
static bool skip_comment(struct tokenizer *t)
{
    while (t->at < t->len && line_end_size(t, t->at) == 0)
        t->at++;
    return t->trivia;
}

static enum token_kind read_token(struct tokenizer *t, struct token *token)
{
    size_t start, prefix = 0, size;
    int c;

    for (;;) {
        while ((c = peek(t, 0)) == ' ' || c == '\t' || c == '\f')
            t->at++;
        start = t->at;
        if (c < 0)
            return read_end(t, token);
        if (c == '#') {
            if (skip_comment(t))
                return give(t, token, TOKEN_COMMENT, start);
            continue;
        }
        size = line_end_size(t, t->at);
        if (size > 0) {
            bool ends_line = t->depth == 0 && !t->field && !t->blank_line;

            t->at += size;
            t->line++;
            t->line_start = t->depth == 0 && !t->field;
            t->after_token = t->after_token && !ends_line;
            if (ends_line)
                return give(t, token, TOKEN_NEWLINE, start);
            if (t->trivia)
                return give(t, token, TOKEN_NL, start);
            if (t->line_start)
                return TOKEN_NL;
            continue;
        }
        if (c != '\\')
            break;
        if (!tokenizer_continuation(t, token))
            return TOKEN_ERROR;
    }
    t->after_token = true;
    if (keyword_is_name_byte((unsigned char)c) || c >= 0x80) {
        if (c >= '0' && c <= '9')
            return read_number(t, token);
        if (tokenizer_prefix(t, &token->flags, &prefix)) {
            t->at += prefix;
            return tokenizer_string(t, token, start);
        }
        return read_name(t, token, start);
    }
    if (c == '\'' || c == '"')
        return tokenizer_string(t, token, start);
    if (c == '.' && peek(t, 1) >= '0' && peek(t, 1) <= '9')
        return read_number(t, token);
    return tokenizer_operator(t, token);
}

enum token_kind tokenizer_next(struct tokenizer *t, struct token *token)
{
    enum token_kind kind;

    memset(token, 0, sizeof *token);
    if (tokenizer_common(t, token))
        return token->kind;
    if (t->ended) {
        token->start = (uint32_t)(t->error[0] ? t->error_at : t->at);
        token->kind = t->error[0] ? TOKEN_ERROR : TOKEN_END;
        return token->kind;
    }
    do {
        if (t->line_start && !tokenizer_indentation(t, token))
            return TOKEN_ERROR;
        if (t->pending > 0) {
            t->pending--;
            return give(t, token, TOKEN_INDENT, t->at);
        }
        if (t->pending < 0) {
            t->pending++;
            return give(t, token, TOKEN_DEDENT, t->at);
        }
        kind = read_token(t, token);
    } while (kind == TOKEN_NL && !t->trivia);
    return kind;
}

const char *token_kind_name(enum token_kind kind)
{
    static const char *const names[] = {
        [TOKEN_END] = "ENDMARKER", [TOKEN_NEWLINE] = "NEWLINE", [TOKEN_INDENT] = "INDENT",
        [TOKEN_DEDENT] = "DEDENT", [TOKEN_NAME] = "NAME",       [TOKEN_NUMBER] = "NUMBER",
        [TOKEN_STRING] = "STRING", [TOKEN_OP] = "OP",           [TOKEN_COMMENT] = "COMMENT",
        [TOKEN_NL] = "NL",         [TOKEN_ERROR] = "ERROR",
    };

    return names[kind];
}

/* going on behind an error, so that a program's problems are reported at once */

static size_t end_of_line(const struct tokenizer *t, size_t at)
{
    while (at < t->len && line_end_size(t, at) == 0)
        at++;
    return at;
}

/* The brackets that stay open behind the rest of a line, which is not read: those of the lines
 * before, and where the line goes on, its own. */
static void leave_brackets(struct tokenizer *t, size_t end)
{
    size_t last = end;

    for (size_t i = t->error_at; i < end; i++)
        if (t->depth > 0 && strchr(")]}", t->source[i]) && t->source[i])
            t->depth--;
    while (last > 0 && (t->source[last - 1] == ' ' || t->source[last - 1] == '\t'))
        last--;
    if (!t->cut_quote && last > 0 && t->source[last - 1] && strchr("([{,", t->source[last - 1]))
        return;
    while (t->depth > 0 && t->bracket_line[t->depth - 1] == t->line)
        t->depth--;
}

/* A text over two lines, as "a
 * b", is one mistake: the end of the line is behind its second quote. */
static size_t skip_cut_text(struct tokenizer *t, size_t end)
{
    size_t size = line_end_size(t, end), next = end_of_line(t, end + size), quotes = 0;

    for (size_t i = end + size; i < next; i++)
        quotes += t->source[i] == t->cut_quote;
    if (quotes % 2 == 0)
        return end;
    t->line++;
    return next;
}

bool tokenizer_resume(struct tokenizer *t)
{
    size_t end;

    if (t->lost || t->field || !t->error[0])
        return false;
    if (!t->in_place) {
        end = end_of_line(t, t->at > t->error_at ? t->at : t->error_at);
        leave_brackets(t, end);
        t->at = t->cut_quote ? skip_cut_text(t, end) : end;
        t->line_start = false;
        t->blank_line = false;
        t->after_token = true;
    }
    t->ended = t->in_place = false;
    t->cut_quote = '\0';
    t->error[0] = '\0';
    return true;
}
