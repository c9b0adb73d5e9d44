/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validator/syntax/number.h"

#include <string.h>

#include "validator/syntax/keyword.h"
#include "validator/syntax/unicode.h"

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

    return unicode_decode(s->text + s->at, s->len - s->at, &character) &&
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
               "operator or a "
               "space between.";
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
