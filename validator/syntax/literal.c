/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Literals: where a number ends, the value of a string, and the pieces of an f-string.
 */
#include "validator/syntax/literal.h"

#include <string.h>

#include "helpers/base/utf8.h"
#include "validator/syntax/unicode.h"

/* ---- numbers ---- */

struct scan {
    const char *text;
    size_t len, at;
    const char *error;
};

static int peek(const struct scan *s, size_t ahead)
{
    return s->at + ahead < s->len ? (unsigned char)s->text[s->at + ahead] : -1;
}

static bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

static bool is_digit_of(int c, int base)
{
    if (base == 16)
        return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    return c >= '0' && c < '0' + base;
}

/* Digits with single underscores between them, the first of which stands at the place or behind one
 * underscore where that is allowed. */
static void read_digits(struct scan *s, int base, bool underscore_first)
{
    static const char bad[] =
        "A digit must follow here. In a number, '_' stands only between two digits.";

    if (underscore_first && peek(s, 0) == '_')
        s->at++;
    for (;;) {
        if (!is_digit_of(peek(s, 0), base)) {
            s->error = bad;
            return;
        }
        while (is_digit_of(peek(s, 0), base))
            s->at++;
        if (peek(s, 0) != '_')
            return;
        s->at++;
    }
}

static bool follows(const struct scan *s, const char *word)
{
    size_t len = strlen(word);

    return s->len - s->at >= len && memcmp(s->text + s->at, word, len) == 0;
}

static bool begins_name(const struct scan *s)
{
    uint32_t character;

    return utf8_decode(s->text + s->at, s->len - s->at, &character) &&
           unicode_is_name_continue(character);
}

/* A name must not follow directly, but for the keywords that may: 1if x else y. */
static void check_end(struct scan *s)
{
    static const char *const words[] = {"and", "else", "for", "if", "in", "is", "or", "not"};
    int c = peek(s, 0);

    if (c < 0x80 && (c < 0 || !keyword_is_name_byte((unsigned char)c)))
        return;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (follows(s, words[i]))
            return;
    if (c >= 0x80 && !begins_name(s)) /* the tokenizer reports the character */
        return;
    s->error = "A letter follows a number directly. A name begins with a letter or '_'; put an "
               "operator or a space between.";
}

static void read_based(struct scan *s, int base)
{
    s->at += 2;
    read_digits(s, base, true);
    if (!s->error && is_digit(peek(s, 0)))
        s->error = base == 8 ? "Octal numbers have the digits 0 to 7."
                             : "Binary numbers have the digits 0 and 1.";
    if (!s->error)
        check_end(s);
}

/* 'e', a sign, digits. False where this 'e' begins a word ("1else") and is no exponent. */
static bool read_exponent(struct scan *s)
{
    bool has_sign = peek(s, 1) == '+' || peek(s, 1) == '-';

    if (!has_sign && !is_digit(peek(s, 1))) {
        check_end(s);
        return false;
    }
    s->at += has_sign ? 2 : 1;
    read_digits(s, 10, false);
    return true;
}

static void read_decimal(struct scan *s, bool *decimal_int)
{
    size_t start = s->at;
    bool leading_zero = peek(s, 0) == '0', only_digits = true;

    if (peek(s, 0) != '.')
        read_digits(s, 10, false);
    if (!s->error && peek(s, 0) == '.') {
        only_digits = false;
        s->at++;
        if (is_digit(peek(s, 0)))
            read_digits(s, 10, false);
    }
    if (s->error)
        return;
    if (peek(s, 0) == 'e' || peek(s, 0) == 'E') {
        if (read_exponent(s))
            only_digits = false;
    }
    if (!s->error && (peek(s, 0) == 'j' || peek(s, 0) == 'J')) {
        only_digits = false;
        s->at++;
    }
    if (!s->error && only_digits && leading_zero)
        for (size_t i = start; i < s->at; i++)
            if (s->text[i] != '0' && s->text[i] != '_') {
                s->at = start;
                s->error = "A decimal number has no leading zeros. Drop them, or write 0o17 for an "
                           "octal number.";
                return;
            }
    if (!s->error)
        check_end(s);
    *decimal_int = only_digits;
}

size_t number_scan(const char *text, size_t len, bool *decimal_int, const char **error,
                   size_t *error_at)
{
    struct scan s = {.text = text, .len = len};
    int second = len > 1 ? text[1] | 0x20 : 0;

    *decimal_int = false;
    if (text[0] == '0' && (second == 'x' || second == 'o' || second == 'b'))
        read_based(&s, second == 'x' ? 16 : second == 'o' ? 8 : 2);
    else
        read_decimal(&s, decimal_int);
    *error = s.error;
    *error_at = s.at;
    return s.at;
}

/* ---- the values of strings ---- */

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
    if (!unicode_by_name(d->source + name, (size_t)(close - d->source) - name, &character)) {
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

/* ---- the pieces of an f-string ---- */

void fstring_init(struct fstring *fstring, const char *source, const struct token *token)
{
    memset(fstring, 0, sizeof *fstring);
    fstring->source = source;
    literal_body(source, token, &fstring->at, &fstring->end);
    fstring->raw = token->flags & TOKEN_RAW;
}

static enum fstring_piece_kind fail(struct fstring *f, struct fstring_piece *piece, size_t at,
                                    const char *error)
{
    f->error = error;
    f->error_at = at;
    piece->kind = FSTRING_ERROR;
    return FSTRING_ERROR;
}

/* Literal text up to a field, the end of a spec, or the end. */
static enum fstring_piece_kind read_text(struct fstring *f, struct fstring_piece *piece)
{
    size_t at = f->at;

    while (at < f->end) {
        char c = f->source[at];

        if (c == '\\' && !f->raw) {
            bool named = at + 2 < f->end && f->source[at + 1] == 'N' && f->source[at + 2] == '{';

            if (at + 1 < f->end && (f->source[at + 1] == '{' || f->source[at + 1] == '}')) {
                at++; /* the brace keeps its meaning */
                continue;
            }
            at += 2;
            if (named) {
                while (at < f->end && f->source[at] != '}')
                    at++;
                at += at < f->end;
            }
            continue;
        }
        if (c != '{' && c != '}') {
            at++;
            continue;
        }
        if (f->level == 0 && at + 1 < f->end && f->source[at + 1] == c) {
            at += 2;
            continue;
        }
        if (f->level == 0 && c == '}')
            return fail(f, piece, at,
                        "A single '}' in an f-string. Write '}}' for the character itself.");
        break;
    }
    piece->kind = FSTRING_TEXT;
    piece->start = f->at;
    piece->end = f->at = at < f->end ? at : f->end;
    return FSTRING_TEXT;
}

static bool is_blank(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (!strchr(" \t\n\f\r", text[i]) || text[i] == '\0')
            return false;
    return true;
}

static bool closes(char open, char close)
{
    return (open == '(' && close == ')') || (open == '[' && close == ']') ||
           (open == '{' && close == '}');
}

static const char unended[] = "A string or bracket inside the braces of this f-string is not "
                              "closed. In Python 3.11 a string in there cannot use the "
                              "quotes of the f-string itself: write f\"{d['key']}\".";

/* Where the expression at f->at ends: FSTRING_FIELD, or FSTRING_ERROR. */
static enum fstring_piece_kind find_expression_end(struct fstring *f, struct fstring_piece *piece,
                                                   size_t *end)
{
    char open[VALIDATOR_DEPTH_CAP];
    size_t depth = 0, quotes = 0, opened_at = f->at, at;
    char quote = 0;

    for (at = f->at; at < f->end; at++) {
        char c = f->source[at];
        bool tripled = at + 2 < f->end && f->source[at + 1] == c && f->source[at + 2] == c;

        if (c == '\\')
            return fail(
                f, piece, at,
                "Python 3.11 allows no backslash inside the braces of an f-string. Put that part "
                "into a variable before, or use chr(10) for a line end.");
        if (quote) {
            if (c == quote && (quotes == 1 || tripled)) {
                at += quotes - 1;
                quote = 0;
            }
            continue;
        }
        if (c == '\'' || c == '"') {
            quote = c;
            quotes = tripled ? 3 : 1;
            opened_at = at;
            at += quotes - 1;
        } else if (c == '(' || c == '[' || c == '{') {
            if (depth == sizeof open)
                return fail(f, piece, at,
                            "Too many open brackets in an f-string. Work the value out before it.");
            opened_at = at;
            open[depth++] = c;
        } else if (c == '#') {
            return fail(
                f, piece, at,
                "Python 3.11 allows no '#' inside the braces of an f-string. Put that part into a "
                "variable before.");
        } else if (depth == 0 && strchr("!:}=<>", c) && c) {
            if (at + 1 < f->end && f->source[at + 1] == '=' && c != ':' && c != '}')
                at++;
            else if (c != '<' && c != '>')
                break;
        } else if (c == ')' || c == ']' || c == '}') {
            if (depth == 0 || !closes(open[depth - 1], c))
                return fail(
                    f, piece, at,
                    "A bracket inside the braces of this f-string closes nothing that is open.");
            depth--;
        }
    }
    if (quote || depth > 0)
        return fail(f, piece, opened_at, unended);
    *end = at;
    return FSTRING_FIELD;
}

static const char unclosed[] = "A field of this f-string lacks its '}': f\"{x:.2f}\". Write '{{' "
                               "for the character '{' itself.";

/* Behind the expression: '=', '!r', ':' or '}'. */
static enum fstring_piece_kind read_field_tail(struct fstring *f, struct fstring_piece *piece)
{
    if (f->at < f->end && f->source[f->at] == '=') {
        piece->shows_source = true;
        f->at++;
        while (f->at < f->end && f->source[f->at] && strchr(" \t\n\f\r\v", f->source[f->at]))
            f->at++;
    }
    if (f->at < f->end && f->source[f->at] == '!') {
        f->at++;
        if (f->at >= f->end)
            return fail(f, piece, f->at - 1, unclosed);
        piece->conversion = f->source[f->at];
        if (piece->conversion == '\0' || !strchr("sra", piece->conversion))
            return fail(f, piece, f->at, "Behind '!' in an f-string stands r, s or a: {name!r}.");
        f->at++;
    }
    if (f->at < f->end && f->source[f->at] == ':') {
        f->at++;
        f->level++;
        if (f->at >= f->end)
            return fail(f, piece, f->at - 1, unclosed);
    } else if (f->at < f->end && f->source[f->at] == '}') {
        if (piece->shows_source && piece->conversion == 0)
            piece->conversion = 'r'; /* without a format, as CPython's parser does */
        f->at++;
    } else {
        return fail(f, piece, f->at < f->end ? f->at : f->end - 1, unclosed);
    }
    piece->kind = FSTRING_FIELD;
    return FSTRING_FIELD;
}

static const char cut[] =
    "This f-string ends inside of its braces. In Python 3.11 a string in there cannot use the "
    "quotes of the f-string itself: write f\"{', '.join(xs)}\". For the character '{' write '{{'.";

/* Whether the expression that the end of the string cuts off was in the middle: the string's own
 * quote ended it, as in f"{", ".join(x)}". */
static bool breaks_off(const struct fstring *f, size_t end)
{
    return is_blank(f->source + f->at, end - f->at) || strchr(" =+-*/%,(<>", f->source[end - 1]);
}

static enum fstring_piece_kind read_field(struct fstring *f, struct fstring_piece *piece)
{
    size_t end;

    if (f->level >= FSTRING_SPEC_LEVELS)
        return fail(f, piece, f->at,
                    "Fields of an f-string nest too deeply. Work the format out before.");
    f->at++;
    if (find_expression_end(f, piece, &end) == FSTRING_ERROR)
        return FSTRING_ERROR;
    if (end >= f->end)
        return fail(f, piece, f->at - 1, breaks_off(f, end) ? cut : unclosed);
    if (is_blank(f->source + f->at, end - f->at))
        return fail(f, piece, f->at - 1,
                    "An empty pair of braces in an f-string. Write an expression in it, or '{{}}' "
                    "for the characters themselves.");
    piece->level = f->level;
    piece->start = f->at;
    piece->end = f->at = end;
    return read_field_tail(f, piece);
}

enum fstring_piece_kind fstring_next(struct fstring *f, struct fstring_piece *piece)
{
    char c;

    memset(piece, 0, sizeof *piece);
    if (f->error)
        return fail(f, piece, f->error_at, f->error);
    for (;;) {
        if (f->at >= f->end) {
            if (f->level > 0)
                return fail(f, piece, f->end - 1, unclosed);
            return FSTRING_END;
        }
        c = f->source[f->at];
        if (f->level > 0 && c == '}') {
            f->level--;
            f->at++;
            continue;
        }
        piece->level = f->level;
        if (c != '{' || (f->level == 0 && f->at + 1 < f->end && f->source[f->at + 1] == '{'))
            return read_text(f, piece);
        return read_field(f, piece);
    }
}
