/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A text is read once from its beginning: at each place either something that is no word begins
 * (one row of `marks`), and is passed over, or a character of words.
 */
#include "mcp/curriculum/prose.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unictype.h>

#include "helpers/base/utf8.h"
#include "mcp/curriculum/component_type.h"
#include "mcp/curriculum/node_field.h"

#define DEPTH_MAX   16   /* of objects and arrays; deeper texts are not read */
#define FIELD_DEPTH 4    /* likewise, of a node's further field */
#define ENTITY_MAX  12   /* bytes of a name between & and ; */
#define MARK_MAX    4096 /* bytes of a tag, or of the target of a link */
#define FEW_SPANS   64   /* of one text, without an allocation */

/* ---- one text ---- */

/* The length of what begins at text and is no word, 0 if nothing does. first: text is where a line
 * begins. */
typedef size_t mark_fn(const char *text, size_t len, bool first);

static bool starts(const char *text, size_t len, const char *with)
{
    size_t need = strlen(with);

    return len >= need && strncasecmp(text, with, need) == 0;
}

/* The length up to the end of `close`, or len if it does not come. */
static size_t through(const char *text, size_t len, const char *close)
{
    size_t need = strlen(close);

    for (size_t i = 0; i + need <= len; i++)
        if (strncasecmp(text + i, close, need) == 0)
            return i + need;
    return len;
}

/* A tag, a comment, or a whole element whose content is no text. */
static size_t mark_tag(const char *text, size_t len, bool first)
{
    static const char *const elements[] = {"svg", "script", "style", "pre", "code", "math"};
    const char *close;
    size_t end;

    (void)first;
    if (len < 3 || text[0] != '<' ||
        (!isalpha((unsigned char)text[1]) && text[1] != '/' && text[1] != '!'))
        return 0;
    if (starts(text, len, "<!--"))
        return through(text, len, "-->");
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++) {
        size_t name = strlen(elements[i]);
        char closing[16];

        if (!starts(text + 1, len - 1, elements[i]) || len == name + 1 ||
            isalnum((unsigned char)text[name + 1]))
            continue;
        end = through(text, len, ">");
        if (text[end - 2] == '/')
            return end;
        snprintf(closing, sizeof closing, "</%s>", elements[i]);
        return through(text, len, closing);
    }
    close = memchr(text, '>', len < MARK_MAX ? len : MARK_MAX);
    return close ? (size_t)(close - text) + 1 : 0; /* "a <b" is a comparison */
}

static size_t mark_entity(const char *text, size_t len, bool first)
{
    size_t i = 1;

    (void)first;
    if (text[0] != '&')
        return 0;
    if (i < len && text[i] == '#')
        i++;
    while (i < len && i < ENTITY_MAX && isalnum((unsigned char)text[i]))
        i++;
    return i > 1 && i < len && text[i] == ';' ? i + 1 : 0;
}

/* `code`, with as many backticks at its end as at its beginning; a fence up to its closing line. */
static size_t mark_code(const char *text, size_t len, bool first)
{
    char mark = text[0];
    size_t ticks = 0;

    if (mark != '`' && !(mark == '~' && first))
        return 0;
    while (ticks < len && text[ticks] == mark)
        ticks++;
    if (mark == '~' && ticks < 3)
        return 0;
    for (size_t i = ticks; i < len;) {
        size_t run = 0;

        while (i + run < len && text[i + run] == mark)
            run++;
        if (run == ticks || (ticks >= 3 && run > ticks))
            return i + run;
        i += run > 0 ? run : 1;
    }
    return ticks >= 3 ? len : ticks; /* a fence lasts to the end, a lone backtick is just that */
}

/* The target of [words](target). */
static size_t mark_target(const char *text, size_t len, bool first)
{
    size_t deep = 0;

    (void)first;
    if (!starts(text, len, "]("))
        return 0;
    for (size_t i = 1; i < len && i < MARK_MAX && text[i] != '\n'; i++) {
        if (starts(text + i, len - i, "]("))
            break; /* another one: this was none */
        deep += text[i] == '(';
        deep -= text[i] == ')';
        if (deep == 0)
            return i + 1;
    }
    return 0;
}

static size_t mark_url(const char *text, size_t len, bool first)
{
    static const char *const schemes[] = {"http://", "https://",    "ftp://",
                                          "mailto:", "data:image/", "www."};
    size_t end = 0;

    (void)first;
    for (size_t i = 0; end == 0 && i < sizeof schemes / sizeof *schemes; i++)
        end = starts(text, len, schemes[i]) ? strlen(schemes[i]) : 0;
    if (end == 0)
        return 0;
    while (end < len && !isspace((unsigned char)text[end]) && !strchr("<>\"'`", text[end]))
        end++;
    while (end > 0 && strchr(".,;:!?)]", text[end - 1]))
        end--;
    return end;
}

size_t prose_accent(const char *text, size_t len, size_t *letter, uint32_t *mark)
{
    static const struct {
        char sign; /* a letter needs braces after it */
        uint16_t mark;
    } accents[] = {
        {'\'', 0x301}, {'`', 0x300}, {'"', 0x308}, {'^', 0x302}, {'~', 0x303},
        {'=', 0x304},  {'.', 0x307}, {'v', 0x30C}, {'c', 0x327}, {'H', 0x30B},
        {'u', 0x306},  {'k', 0x328}, {'r', 0x30A}, {'d', 0x323}, {'b', 0x331},
    };
    bool outer = len > 0 && text[0] == '{', inner;
    size_t at = outer, i = 0;

    if (at + 2 >= len || text[at] != '\\')
        return 0;
    while (i < sizeof accents / sizeof *accents && accents[i].sign != text[at + 1])
        i++;
    if (i == sizeof accents / sizeof *accents)
        return 0;
    at += 2;
    inner = text[at] == '{';
    if (!inner && isalpha((unsigned char)accents[i].sign))
        return 0;
    at += inner;
    if (at + 1 < len && text[at] == '\\' && strchr("ij", text[at + 1])) /* without their dots */
        at++;
    if (at >= len || !isalpha((unsigned char)text[at]))
        return 0;
    *letter = at++;
    *mark = accents[i].mark;
    for (int close = inner + outer; close > 0; close--)
        if (at >= len || text[at++] != '}')
            return 0;
    return at;
}

/* \frac, \begin{align}, \( and so on. The words in \text{words} are read. */
static size_t mark_tex(const char *text, size_t len, bool first)
{
    size_t end = 1;

    (void)first;
    if (text[0] != '\\' || len < 2)
        return 0;
    if (!isalpha((unsigned char)text[1]))
        return strchr("()[]{}$\\,;:!", text[1]) ? 2 : 0;
    while (end < len && isalpha((unsigned char)text[end]))
        end++;
    if (end < len && text[end] == '{' &&
        (starts(text, len, "\\begin{") || starts(text, len, "\\end{")))
        end += through(text + end, len - end, "}");
    return end;
}

static const struct {
    char first; /* of the mark; 0: any letter */
    mark_fn *length;
} marks[] = {
    {'<', mark_tag},    {'&', mark_entity}, {'`', mark_code}, {'~', mark_code},
    {']', mark_target}, {'\\', mark_tex},   {0, mark_url},
};

static size_t mark_length(const char *text, size_t len, bool first, bool in_word)
{
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        size_t length = 0;

        if (marks[i].first ? marks[i].first == text[0]
                           : !in_word && strchr("hHfFmMdDwW", text[0]) != NULL)
            length = marks[i].length(text, len, first);
        if (length > 0)
            return length;
    }
    return 0;
}

static bool is_space(char c)
{
    return isspace((unsigned char)c) || c == '\0';
}

struct span_list {
    struct prose_span *spans;
    size_t cap, count;
};

/* Without the spaces around it. */
static void add_span(struct span_list *to, const char *text, size_t start, size_t end)
{
    while (start < end && is_space(text[start]))
        start++;
    while (end > start && is_space(text[end - 1]))
        end--;
    if (start == end)
        return;
    if (to->count < to->cap)
        to->spans[to->count] = (struct prose_span){start, end - start};
    to->count++;
}

int prose_spans(const char *text, size_t len, struct prose_span *spans, size_t cap, size_t *count)
{
    struct span_list to = {.spans = spans, .cap = cap};
    size_t start = 0, at = 0;

    while (at < len) {
        bool in_word = at > start && isalnum((unsigned char)text[at - 1]);
        uint32_t combining;
        size_t letter, accent = prose_accent(text + at, len - at, &letter, &combining);
        bool first = at == 0 || text[at - 1] == '\n';
        size_t mark = accent > 0 ? 0 : mark_length(text + at, len - at, first, in_word);

        if (mark == 0) {
            at += accent > 0 ? accent : 1;
            continue;
        }
        add_span(&to, text, start, at);
        at += mark;
        start = at;
    }
    add_span(&to, text, start, len);
    *count = to.count;
    return to.count > cap ? -1 : 0;
}

static bool is_word(const char *text, size_t len)
{
    uint32_t character;

    for (size_t at = 0; at < len;) {
        size_t size = utf8_decode(text + at, len - at, &character);

        if (size > 0 && uc_is_alnum(character))
            return true;
        at += size > 0 ? size : 1;
    }
    return false;
}

size_t prose_words_of(const struct prose_text *text)
{
    size_t words = 0;

    for (size_t i = 0; i < text->count; i++) {
        const char *at = text->text + text->spans[i].start, *end = at + text->spans[i].len;

        while (at < end) {
            size_t run = 0;

            while (at + run < end && !is_space(at[run]))
                run++;
            words += is_word(at, run);
            at += run > 0 ? run : 1;
        }
    }
    return words;
}

/* ---- which texts ---- */

struct prose_walk {
    prose_visit *visit;
    void *user;
    char path[PROSE_PATH_SIZE];
    unsigned flags; /* of the text's row */
    bool further;   /* in a node's further field */
};

/* Names, and ends of names, of members that are no words. */
static bool names_no_words(const char *name)
{
    static const char *const words[] = {"svg",   "svgcode", "url",    "uri",   "href",  "src",
                                        "link",  "path",    "code",   "id",    "key",   "type",
                                        "style", "color",   "colour", "class", "latex", "tex",
                                        "file",  "source",  NULL};

    return node_field_ends_in(name, words);
}

static int visit_text(struct prose_walk *walk, const json_t *value)
{
    struct prose_span few[FEW_SPANS], *spans = few;
    struct prose_text text = {.path = walk->path,
                              .text = json_string_value(value),
                              .len = json_string_length(value),
                              .flags = walk->flags,
                              .further = walk->further};
    size_t from = 0;
    int rc;

    if (walk->further && node_value_is_technical(text.text, text.len))
        return 0;
    while (from < text.len && is_space(text.text[from]))
        from++;
    if (starts(text.text + from, text.len - from, "<svg") ||
        starts(text.text + from, text.len - from, "<?xml"))
        return 0;
    if (prose_spans(text.text, text.len, few, FEW_SPANS, &text.count) < 0) {
        spans = malloc(text.count * sizeof *spans);
        if (!spans)
            return -1;
        prose_spans(text.text, text.len, spans, text.count, &text.count);
    }
    text.spans = spans;
    rc = walk->visit(walk->user, &text);
    if (spans != few)
        free(spans);
    return rc;
}

static int walk_value(struct prose_walk *walk, const json_t *value, unsigned depth);

/* row: what the table says about the member, or NULL. */
static int walk_member(struct prose_walk *walk, const char *name, const struct field *row,
                       const json_t *value, unsigned depth)
{
    size_t end = strlen(walk->path);
    int rc = 0;

    if (walk->further ? node_field_is_technical(name)
        : row         ? row->choices || row->flags & FIELD_NOT_PROSE
                      : !json_is_object(value) && names_no_words(name))
        return 0;
    if (snprintf(walk->path + end, sizeof walk->path - end, "%s%s", end > 0 ? "." : "", name) >=
        (int)(sizeof walk->path - end))
        walk->path[utf8_cut(walk->path, sizeof walk->path - 1, sizeof walk->path - 2)] = '\0';
    walk->flags = row ? row->flags : 0;
    rc = walk_value(walk, value, depth);
    walk->path[end] = '\0';
    return rc;
}

static const struct field *find_row(const struct field *rows, const char *name)
{
    for (; rows && rows->name; rows++)
        if (strcmp(rows->name, name) == 0)
            return rows;
    return NULL;
}

static int walk_object(struct prose_walk *walk, const struct field *rows, const json_t *object,
                       unsigned depth)
{
    const char *name;
    json_t *value;
    int rc = 0;

    json_object_foreach((json_t *)object, name, value)
    {
        rc = walk_member(walk, name, find_row(rows, name), value, depth);
        if (rc != 0)
            break;
    }
    return rc;
}

static int walk_value(struct prose_walk *walk, const json_t *value, unsigned depth)
{
    int rc = 0;

    if (json_is_string(value))
        return visit_text(walk, value);
    if (depth == DEPTH_MAX)
        return 0;
    if (json_is_object(value))
        return walk_object(walk, walk->further ? NULL : component_picture_rows, value, depth + 1);
    for (size_t i = 0; rc == 0 && i < json_array_size(value); i++) {
        char number[24];

        snprintf(number, sizeof number, "%zu", i + 1);
        rc = walk_member(walk, number, NULL, json_array_get(value, i), depth + 1);
    }
    return rc;
}

static int walk_node_field(struct prose_walk *walk, const char *name, const json_t *value)
{
    enum node_field field = node_field_of(name);

    if (field == NODE_FIELD_STRUCTURE)
        return 0;
    walk->further = field == NODE_FIELD_FURTHER;
    return walk_member(walk, name, NULL, value, walk->further ? DEPTH_MAX - FIELD_DEPTH : 0);
}

static int walk_node(struct prose_walk *walk, const json_t *node)
{
    const char *name;
    json_t *value;
    int rc = 0;

    json_object_foreach((json_t *)node, name, value)
    {
        rc = walk_node_field(walk, name, value);
        if (rc != 0)
            break;
    }
    return rc;
}

int prose_of_field(const char *name, const json_t *value, prose_visit *visit, void *user)
{
    struct prose_walk walk = {.visit = visit, .user = user};

    return walk_node_field(&walk, name, value);
}

int prose_each(const char *type, const json_t *parameters, prose_visit *visit, void *user)
{
    const struct component_type *row = component_type_find(type);
    struct prose_walk walk = {.visit = visit, .user = user};

    if (!json_is_object(parameters))
        return 0;
    if (!type)
        return walk_node(&walk, parameters);
    return walk_object(&walk, row ? row->parameters : NULL, parameters, 0);
}

static int count_words(void *user, const struct prose_text *text)
{
    *(size_t *)user += prose_words_of(text);
    return 0;
}

size_t prose_words(const char *type, const json_t *parameters)
{
    size_t words = 0;

    prose_each(type, parameters, count_words, &words);
    return words;
}
