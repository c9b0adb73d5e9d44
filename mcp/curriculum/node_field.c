/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/curriculum/node_field.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <unicase.h>

#include "mcp/curriculum/entity.h"

#define UUID_LEN   36u
#define DIGEST_MIN 32u /* characters: MD5 and longer ones */
#define DATE_MAX   40u /* bytes of a date with its time */
#define SCHEME_MAX 32u /* bytes of a URI's scheme */

/* ---- names ---- */

enum node_field node_field_of(const char *name)
{
    static const char *const structure[] = {
        "node_id",       "session_id",   "components",         "chapter",
        "chapter_id",    "node_type",    "content_category",   "order",
        "order_index",   "revision",     "expected_revision",  "created_at",
        "last_modified", "duplicate_id", "suggested_template", "overall_confidence"};

    if (strcmp(name, "title") == 0)
        return NODE_FIELD_TITLE;
    if (strcmp(name, "raw_content") == 0)
        return NODE_FIELD_CONTENT;
    for (size_t i = 0; entity_categories[i]; i++)
        if (strcmp(name, entity_categories[i]) == 0)
            return NODE_FIELD_CONTENT;
    for (size_t i = 0; i < sizeof structure / sizeof *structure; i++)
        if (strcmp(name, structure[i]) == 0)
            return NODE_FIELD_STRUCTURE;
    return NODE_FIELD_FURTHER;
}

bool node_field_ends_in(const char *name, const char *const *words)
{
    size_t len = strlen(name);

    while (len > 0 && isdigit((unsigned char)name[len - 1]))
        len--;
    for (; *words; words++) {
        size_t size = strlen(*words);
        const char *from = name + len - size;

        if (len < size || strncasecmp(from, *words, size) != 0)
            continue;
        /* "parent_id", "Image URL", "imageUrl", but not "valid" */
        if (len == size || strchr("_- .:", from[-1]) ||
            (isupper((unsigned char)from[0]) && islower((unsigned char)from[-1])))
            return true;
    }
    return false;
}

bool node_field_is_technical(const char *name)
{
    static const char *const words[] = {"id",    "ids",    "uuid", "guid",     "uri",        "url",
                                        "href",  "src",    "svg",  "svgcode",  "latex",      "tex",
                                        "color", "colour", "hash", "checksum", "identifier", NULL};

    return node_field_ends_in(name, words);
}

bool node_field_is_for_teachers(const char *path)
{
    static const char *const words[] = {
        "answer",
        "solution",
        "teacher",
        "instructor",
        "educator",
        "facilitator",
        "lecturer",
        "staff",
        "grading",
        "rubric",
        "marking",
        "markscheme",
        "lösung",
        "antwort",
        "lehrer",
        "lehrkraft",
        "lehrkräfte",
        "dozent",
        "erwartungshorizont",
        "bewertung",
        "corrigé",
        "corrige",
        "réponse",
        "reponse",
        "enseignant",
        "professeur",
        "formateur",
        "barème",
        "respuesta",
        "solución",
        "profesor",
        "docente",
        "rúbrica",
    };
    uint8_t *folded =
        u8_casefold((const uint8_t *)path, strlen(path) + 1, NULL, UNINORM_NFC, NULL, &(size_t){0});
    bool found = !folded;

    for (size_t i = 0; !found && i < sizeof words / sizeof *words; i++)
        found = strstr((const char *)folded, words[i]) != NULL;
    free(folded);
    return found;
}

/* ---- values ---- */

static size_t span_of(const char *text, size_t len, const char *accept)
{
    size_t at = 0;

    while (at < len && text[at] && strchr(accept, text[at]))
        at++;
    return at;
}

#define DIGITS "0123456789"
#define HEX    "0123456789abcdefABCDEF"

static bool is_uuid(const char *text, size_t len)
{
    if (len == UUID_LEN + 2 && *text == '{' && text[len - 1] == '}') {
        text++;
        len -= 2;
    }
    if (len != UUID_LEN)
        return false;
    for (size_t i = 0; i < len; i++) {
        bool dash = i == 8 || i == 13 || i == 18 || i == 23;

        if (dash ? text[i] != '-' : !isxdigit((unsigned char)text[i]))
            return false;
    }
    return true;
}

/* One run without blanks that begins with a scheme: "https://x.org/a", "urn:isbn:1". */
static bool is_uri(const char *text, size_t len)
{
    static const char *const schemes[] = {"urn:", "mailto:", "tel:", "data:", "doi:", "geo:"};
    size_t scheme = 0;

    for (size_t i = 0; i < len; i++)
        if (isspace((unsigned char)text[i]))
            return false;
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
        if (len > strlen(schemes[i]) && strncasecmp(text, schemes[i], strlen(schemes[i])) == 0)
            return true;
    while (scheme < len && scheme < SCHEME_MAX &&
           (isalnum((unsigned char)text[scheme]) || strchr("+-.", text[scheme])))
        scheme++;
    return scheme > 1 && len > scheme + 3 && memcmp(text + scheme, "://", 3) == 0;
}

/* The number of digits at *at, which is moved behind them; 0 unless there are least to most. */
static size_t take_digits(const char **at, const char *end, size_t least, size_t most)
{
    size_t digits = span_of(*at, (size_t)(end - *at), DIGITS);

    if (digits < least || digits > most)
        return 0;
    *at += digits;
    return digits;
}

/* 2026-03-01, 2026/3/1, 1.3.2026, 03/01/26, each with a time behind it; 2026-03-01T09:00:00Z. */
static bool is_date(const char *text, size_t len)
{
    const char *at = text, *end = text + len;
    char sign = '\0'; /* between its parts */

    if (len > DATE_MAX)
        return false;
    for (size_t part = 0; part < 3; part++) {
        if (take_digits(&at, end, 1, part == 1 ? 2 : 4) == 0)
            return false;
        if (part == 2)
            break;
        if (at == end || !strchr("-/.", *at) || (part == 1 && *at != sign))
            return false;
        sign = *at++;
    }
    /* One of its ends is a year: 1.2.3 is a section. */
    if (!(len >= 4 && span_of(text, len, DIGITS) == 4) && at - text < 8)
        return false;
    return at == end || (strchr("T ,", *at) &&
                         span_of(at, (size_t)(end - at), DIGITS "T ,Z+-:.") == (size_t)(end - at));
}

static bool is_colour(const char *text, size_t len)
{
    static const char *const functions[] = {"rgb(", "rgba(", "hsl(", "hsla("};

    if (*text == '#' && (len == 4 || len == 5 || len == 7 || len == 9))
        return span_of(text + 1, len - 1, HEX) == len - 1;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (len > strlen(functions[i]) &&
            strncasecmp(text, functions[i], strlen(functions[i])) == 0 && text[len - 1] == ')')
            return true;
    return false;
}

/* Two or three numbers, one of them with a fraction: "52.52, 13.405". */
static bool is_coordinates(const char *text, size_t len)
{
    const char *at = text, *end = text + len;
    size_t numbers = 0;
    bool fraction = false;

    at += span_of(at, (size_t)(end - at), "([ ");
    while (at < end && numbers < 4) {
        at += *at == '-' || *at == '+';
        if (take_digits(&at, end, 1, 7) == 0)
            return false;
        numbers++;
        if (at < end && *at == '.') {
            at++;
            fraction = true;
            if (take_digits(&at, end, 1, 15) == 0)
                return false;
        }
        if (at < end && span_of(at, (size_t)(end - at), ",; )]") == 0)
            return false;
        at += span_of(at, (size_t)(end - at), ",; )]");
    }
    return at == end && fraction && (numbers == 2 || numbers == 3);
}

static bool is_digest(const char *text, size_t len)
{
    return len >= DIGEST_MIN && span_of(text, len, HEX) == len && span_of(text, len, DIGITS) < len;
}

bool node_value_is_technical(const char *text, size_t len)
{
    while (len > 0 && isspace((unsigned char)*text)) {
        text++;
        len--;
    }
    while (len > 0 && isspace((unsigned char)text[len - 1]))
        len--;
    return len > 0 && (is_uuid(text, len) || is_uri(text, len) || is_date(text, len) ||
                       is_colour(text, len) || is_coordinates(text, len) || is_digest(text, len));
}

bool node_value_is_empty(const json_t *value)
{
    return !value || json_is_null(value) ||
           (json_is_string(value) && json_string_length(value) == 0) ||
           (json_is_array(value) && json_array_size(value) == 0) ||
           (json_is_object(value) && json_object_size(value) == 0);
}
