/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/exercise/number.h"

#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unictype.h>

#include "helpers/base/utf8.h"

#define GROUP        3u /* digits between two separators */
#define DECIMALS_MAX 2u /* readings of one decimal */
#define DEGREE_SIGN  0xB0u

/* They change the number that they follow. */
static const char *const not_units[] = {
    "x",        "y",         "z",        "n",         "i",          "e",          "k",
    "pi",       "\xCF\x80",  "dozen",    "hundred",   "thousand",   "million",    "billion",
    "hundreds", "thousands", "millions", "billions",  "half",       "halves",     "third",
    "thirds",   "quarter",   "quarters", "fourth",    "fourths",    "fifth",      "fifths",
    "sixth",    "sixths",    "seventh",  "sevenths",  "eighth",     "eighths",    "ninth",
    "ninths",   "tenth",     "tenths",   "hundredth", "hundredths", "thousandth", "thousandths",
};

static const char *skip_spaces(const char *at)
{
    while (isspace((unsigned char)*at))
        at++;
    return at;
}

static size_t digits_at(const char *text)
{
    return strspn(text, "0123456789");
}

/* The length of a decimal without its exponent. A space before a group of digits belongs to it. */
static size_t decimal_length(const char *text)
{
    size_t len = 0;

    for (;;) {
        len += strspn(text + len, "0123456789.,'");
        if (len == 0 || text[len] != ' ' || digits_at(text + len + 1) != GROUP)
            return len;
        len++;
    }
}

/* Writes the digits without separators, for strtod: false if the separators other than the decimal
 * mark are not between groups of three. */
static bool drop_separators(const char *text, size_t len, char mark, char *to)
{
    const char *point = memchr(text, mark, len);
    size_t whole = point ? (size_t)(point - text) : len, group = 0, groups = 0, kept = 0;
    char separator = '\0';

    for (size_t i = 0; i < len; i++) {
        if (i == whole) {
            to[kept++] = '.';
        } else if (isdigit((unsigned char)text[i])) {
            to[kept++] = text[i];
            group += i < whole;
        } else {
            if (i > whole || (separator && text[i] != separator) || group == 0 || group > GROUP ||
                (groups > 0 && group != GROUP) || *text == '0')
                return false;
            separator = text[i];
            groups++;
            group = 0;
        }
    }
    to[kept] = '\0';
    /* One point alone is a decimal mark. */
    return kept > (size_t)(point != NULL) && (groups == 0 || group == GROUP) &&
           (separator != '.' || groups > 1 || point);
}

/* Reads a decimal from its first digit or mark on. *end is the text after it. */
static size_t read_decimal(const char *text, double readings[DECIMALS_MAX], const char **end)
{
    size_t len = decimal_length(text), exponent = 0, count = 0;
    char copy[2 * NUMBER_DIGITS_CAP + 1];

    if (tolower((unsigned char)text[len]) == 'e') {
        size_t sign = text[len + 1] == '-' || text[len + 1] == '+';
        size_t digits = digits_at(text + len + 1 + sign);

        exponent = digits > 0 ? 1 + sign + digits : 0;
    }
    *end = text + len + exponent;
    if (len == 0 || len > NUMBER_DIGITS_CAP || exponent > NUMBER_DIGITS_CAP)
        return 0;
    for (const char *mark = ".,"; *mark; mark++) {
        double value;

        if (!drop_separators(text, len, *mark, copy))
            continue;
        strncat(copy, text + len, exponent);
        value = strtod(copy, NULL);
        if (isfinite(value) && (count == 0 || readings[0] != value))
            readings[count++] = value;
    }
    return count;
}

/* The letters at the beginning. */
static size_t letters_at(const char *text)
{
    size_t len = 0, step;
    uint32_t c;

    while (text[len]) {
        step = utf8_decode(text + len, UTF8_LEN_MAX, &c);
        if (step == 0 || !uc_is_alpha(c))
            break;
        len += step;
    }
    return len;
}

static bool is_unit(const char *text)
{
    size_t letters = letters_at(text), step;
    uint32_t c;

    for (size_t i = 0; i < sizeof not_units / sizeof *not_units; i++)
        if (strlen(not_units[i]) == letters && strncasecmp(text, not_units[i], letters) == 0)
            return false;
    for (const char *at = text; *at; at += step) {
        step = utf8_decode(at, UTF8_LEN_MAX, &c);
        if (step == 0)
            return false;
        if (uc_is_alpha(c) || c == '%' || c == DEGREE_SIGN ||
            uc_is_general_category(c, UC_CATEGORY_Sc))
            continue;
        if (at == text || c > 0x7F || !strchr("/^-0123456789", (int)c))
            return false;
    }
    return true;
}

size_t number_read(const char *text, bool has_unit, double readings[NUMBER_READINGS_MAX])
{
    const char *at = skip_spaces(text), *end, *unit;
    double sign = *at == '-' ? -1 : 1, above[DECIMALS_MAX], below[DECIMALS_MAX], whole = 0;
    size_t digits, count, tops, bottoms;

    if (*at == '-' || *at == '+')
        at = skip_spaces(at + 1);
    /* The whole ones of a mixed number. */
    digits = digits_at(at);
    if (digits > 0 && digits <= NUMBER_DIGITS_CAP && at[digits] == ' ') {
        const char *top = skip_spaces(at + digits), *slash = skip_spaces(top + digits_at(top));

        if (digits_at(top) > 0 && *slash == '/') {
            whole = strtod(at, NULL);
            at = top;
        }
    }
    tops = count = read_decimal(at, above, &end);
    if (count == 0)
        return 0;
    memcpy(readings, above, count * sizeof *readings);
    unit = skip_spaces(end);
    if (*unit == '/') {
        bottoms = read_decimal(skip_spaces(unit + 1), below, &end);
        count = 0;
        for (size_t i = 0; i < tops * bottoms; i++)
            if (below[i / tops] != 0 && isfinite(above[i % tops] / below[i / tops]))
                readings[count++] = above[i % tops] / below[i / tops];
        unit = skip_spaces(end);
    }
    if (*unit && !(has_unit && is_unit(unit)))
        return 0;
    for (size_t i = 0; i < count; i++)
        readings[i] = sign * (whole + readings[i]);
    if (strcmp(unit, "%") == 0 || strcmp(unit, "percent") == 0) {
        for (size_t i = 0; i < count; i++)
            readings[count + i] = readings[i] / 100;
        count *= 2;
    }
    return count;
}
