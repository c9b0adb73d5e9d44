/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The words of a text are compared as cells: one for each character of their canonical
 * decomposition, in lower case, and one for each run of white space, with the bytes that it came
 * from. So case, normal form and line breaks make no difference, and a place is always a range of
 * whole characters.
 */
#include "mcp/curriculum/replace_text.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unicase.h>
#include <uninorm.h>
#include <unictype.h>
#include <unistr.h>

#include "helpers/base/array.h"
#include "helpers/base/utf8.h"
#include "mcp/curriculum/text.h"

#define FORMS      2u /* the term and its plural */
#define TAG_MAX    300u
#define ENTITY_MAX 12u
#define LABEL_MAX  64u /* bytes of a hyphenated name on each side of a word */
#define MARKS_MAX  (4 * UC_DECOMPOSITION_MAX_LENGTH)

struct cell {
    ucs4_t character;
    uint32_t start, end; /* bytes of the text */
};

struct cells {
    struct cell *cells; /* owned */
    size_t count;
};

struct form {
    struct cells find;
    char *replace; /* owned */
};

/* How a text is written: the case of its letters. */
enum manner { LOWER, FIRST, WORDS, UPPER }; /* ratio, Ratio, Golden Ratio, RATIO */

struct replacement {
    struct form forms[FORMS]; /* the longest first */
    size_t count;
    bool parts, match_case;
    char *find; /* owned */
    enum manner manner;
    bool manner_follows; /* the replacement is written in the manner of the term */
    char *rare;          /* owned; a run of ASCII letters or digits of the term, in lower case */
};

/* ---- characters ---- */

static bool is_mark(ucs4_t character)
{
    return character >= 0x300 && uc_is_general_category_withtable(character, UC_CATEGORY_MASK_M);
}

/* Scripts that are written without spaces, or whose words take endings: each place is a word. */
static bool is_unspaced(ucs4_t character)
{
    static const ucs4_t ranges[][2] = {{0x0E00, 0x0EFF}, {0x1000, 0x109F},  {0x1780, 0x17FF},
                                       {0x2E80, 0x9FFF}, {0xAC00, 0xD7A3},  {0x1100, 0x11FF},
                                       {0xF900, 0xFAFF}, {0x20000, 0x3FFFF}};

    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
        if (character >= ranges[i][0] && character <= ranges[i][1])
            return true;
    return false;
}

/* A letter, or what can only be within a word. */
static bool is_of_word(ucs4_t character)
{
    static const ucs4_t joiners[] = {'_', 0xAD, 0x200C, 0x200D};

    for (size_t i = 0; i < sizeof joiners / sizeof joiners[0]; i++)
        if (character == joiners[i])
            return true;
    return (uc_is_alnum(character) || is_mark(character)) && !is_unspaced(character);
}

static int decompose(ucs4_t character, ucs4_t marks[MARKS_MAX], int count)
{
    ucs4_t parts[UC_DECOMPOSITION_MAX_LENGTH];
    int found = uc_canonical_decomposition(character, parts);

    if (found <= 0 || count + found > (int)MARKS_MAX) {
        marks[count] = character;
        return count + 1;
    }
    count = decompose(parts[0], marks, count);
    for (int i = 1; i < found && count < (int)MARKS_MAX; i++)
        marks[count++] = parts[i];
    return count;
}

static ucs4_t lower(ucs4_t character)
{
    character = uc_tolower(character);
    return character == 0x3C2 ? 0x3C3 : character; /* the sigma at the end of a word */
}

/* ---- cells ---- */

static int add_cell(struct cells *to, struct cell cell)
{
    if (!ARRAY_ROOM(to->cells, to->count))
        return -1;
    to->cells[to->count++] = cell;
    return 0;
}

static int add_character(struct cells *to, ucs4_t character, bool match_case, uint32_t start,
                         uint32_t end)
{
    ucs4_t marks[MARKS_MAX];
    int count = 1;

    if (uc_is_space(character) || character == 0xA0) {
        if (to->count > 0 && to->cells[to->count - 1].character == ' ') {
            to->cells[to->count - 1].end = end;
            return 0;
        }
        return add_cell(to, (struct cell){' ', start, end});
    }
    marks[0] = character;
    if (character >= 0x80)
        count = decompose(character, marks, 0);
    for (int i = 0; i < count; i++)
        if (add_cell(to, (struct cell){match_case ? marks[i] : lower(marks[i]), start, end}) != 0)
            return -1;
    return 0;
}

/* Appends the cells of len bytes at start. -1 without memory. */
static int read_cells(const char *text, size_t start, size_t len, bool match_case, struct cells *to)
{
    for (size_t at = start; at < start + len;) {
        uint32_t character;
        size_t size = utf8_decode(text + at, start + len - at, &character);

        if (size == 0) { /* cannot be: JSON texts are UTF-8 */
            size = 1;
            character = 0xFFFD;
        }
        if (add_character(to, character, match_case, (uint32_t)at, (uint32_t)(at + size)) != 0)
            return -1;
        at += size;
    }
    return 0;
}

/* ---- case ---- */

static bool is_word_start(const char *text, size_t at)
{
    return at == 0 || isspace((unsigned char)text[at - 1]);
}

static enum manner manner_of(const char *text, size_t len)
{
    size_t upper = 0, low = 0, words = 0, raised = 0;
    bool first = false;

    for (size_t at = 0; at < len;) {
        uint32_t character;
        size_t size = utf8_decode(text + at, len - at, &character);
        bool is_upper = size > 0 && uc_is_upper(character);

        if (size == 0)
            break;
        if (upper + low == 0)
            first = is_upper;
        words += is_word_start(text, at);
        raised += is_word_start(text, at) && is_upper;
        upper += is_upper;
        low += uc_is_lower(character);
        at += size;
    }
    if (upper > 1 && low == 0)
        return UPPER;
    if (words > 1 && raised == words)
        return WORDS;
    return first ? FIRST : LOWER;
}

/* Appends one character, in upper case. */
static void add_upper(struct buf *to, const char *text, size_t size)
{
    uint8_t raised[16];
    ucs4_t character;
    int len;

    u8_mbtouc(&character, (const uint8_t *)text, size);
    len = u8_uctomb(raised, uc_toupper(character), sizeof raised);
    buf_add(to, raised, len > 0 ? (size_t)len : 0);
}

static void add_whole(struct buf *to, const char *text, size_t len, bool raise)
{
    size_t size = 0;
    uint8_t *changed =
        (raise ? u8_toupper : u8_tolower)((const uint8_t *)text, len, NULL, NULL, NULL, &size);

    if (!changed && len > 0)
        to->failed = to->starved = true;
    buf_add(to, changed, changed ? size : 0);
    free(changed);
}

/* The replacement in the manner of what it replaces. */
static void add_replaced(const struct replacement *replacement, const char *replace,
                         enum manner manner, struct buf *to)
{
    struct buf BUF_AUTO low = {0};
    bool raise = manner != LOWER;

    if (replacement->match_case || manner == replacement->manner) {
        buf_adds(to, replace);
        return;
    }
    if (manner == UPPER) {
        add_whole(to, replace, strlen(replace), true);
        return;
    }
    if (replacement->manner_follows) {
        add_whole(&low, replace, strlen(replace), false);
        buf_add(&low, "", 0);
        to->failed = to->failed || low.failed;
        replace = low.data ? low.data : "";
    }
    for (size_t at = 0; replace[at];) {
        uint32_t character;
        size_t size = utf8_decode(replace + at, UTF8_LEN_MAX, &character);

        size = size > 0 ? size : 1;
        if (raise && is_word_start(replace, at))
            add_upper(to, replace + at, size);
        else
            buf_add(to, replace + at, size);
        raise = raise && manner == WORDS;
        at += size;
    }
}

/* ---- the plural, in English ---- */

static bool ends_with(const char *text, size_t len, const char *end)
{
    size_t need = strlen(end);

    return len >= need && strncasecmp(text + len - need, end, need) == 0;
}

/* Appends the plural of a text that ends with a letter; false: it has none. */
static bool add_plural(const char *text, struct buf *to)
{
    static const char *const hissing[] = {"s", "x", "z", "ch", "sh"};
    size_t len = strlen(text);
    bool raise = manner_of(text, len) == UPPER;
    const char *end = "s";

    if (len < 2 || !((unsigned char)text[len - 1] >= 0x80 || isalpha((unsigned char)text[len - 1])))
        return false;
    for (size_t i = 0; i < sizeof hissing / sizeof hissing[0]; i++)
        if (ends_with(text, len, hissing[i]))
            end = "es";
    if (ends_with(text, len, "y") && !strchr("aeiouAEIOU", text[len - 2])) {
        end = "ies";
        len--;
    }
    buf_add(to, text, len);
    for (; *end; end++)
        buf_addc(to, raise ? (char)toupper((unsigned char)*end) : *end);
    return true;
}

/* ---- making one ---- */

static size_t ascii_run(const char *text)
{
    size_t len = 0;

    while ((unsigned char)text[len] < 0x80 && isalnum((unsigned char)text[len]))
        len++;
    return len;
}

/* The longest run of ASCII letters and digits, which stand in the JSON text as they are. Not of it
 * are a last letter that may be composed with the mark behind it, and a last y, which the plural
 * has not. */
static char *find_rare(const char *find)
{
    const char *best = find;
    size_t most = 0;
    char *rare;

    for (const char *at = find; *at;) {
        size_t run = ascii_run(at), len = run;

        if (run > 0 && ((unsigned char)at[run] >= 0x80 || (!at[run] && strchr("yY", at[run - 1]))))
            len--;
        if (len > most) {
            best = at;
            most = len;
        }
        at += run > 0 ? run : 1;
    }
    rare = strndup(best, most);
    for (char *at = rare; at && *at; at++)
        *at = (char)tolower((unsigned char)*at);
    return rare;
}

static int add_form(struct replacement *replacement, const char *find, const char *replace)
{
    struct form *form = &replacement->forms[replacement->count++];

    form->replace = strdup(replace);
    if (!form->replace ||
        read_cells(find, 0, strlen(find), replacement->match_case, &form->find) != 0)
        return -1;
    return 0;
}

static int add_forms(struct replacement *replacement, const struct replacement_wanted *wanted)
{
    struct buf BUF_AUTO find = {0}, replace BUF_AUTO = {0};

    if (!wanted->no_plurals && add_plural(wanted->find, &find) &&
        (!*wanted->replace || add_plural(wanted->replace, &replace))) {
        buf_add(&replace, "", 0);
        if (find.failed || replace.failed ||
            add_form(replacement, find.data, replace.data ? replace.data : "") != 0)
            return -1;
    }
    return add_form(replacement, wanted->find, wanted->replace);
}

static int check_wanted(const struct replacement_wanted *wanted, struct error *err)
{
    bool any = false;

    for (const char *at = wanted->find; *at; at++)
        any = any || !isspace((unsigned char)*at);
    if (!any)
        return error_set_at(err, "find", "find: send the words to look for, such as \"ratio\"");
    if (strlen(wanted->find) > REPLACE_FIND_MAX)
        return error_set_at(err, "find", "find: has %zu bytes, send %u at most",
                            strlen(wanted->find), REPLACE_FIND_MAX);
    if (strlen(wanted->replace) > REPLACE_WITH_MAX)
        return error_set_at(err, "replace", "replace: has %zu bytes, send %u at most",
                            strlen(wanted->replace), REPLACE_WITH_MAX);
    if (strcmp(wanted->find, wanted->replace) == 0)
        return error_set_at(err, "replace",
                            "replace: is the same as find, so nothing would change");
    return 0;
}

/* Without the white space around it; owned by the caller. */
static char *trimmed(const char *text)
{
    size_t len;

    text += strspn(text, " \t\r\n");
    for (len = strlen(text); len > 0 && isspace((unsigned char)text[len - 1]);)
        len--;
    return strndup(text, len);
}

struct replacement *replacement_new(const struct replacement_wanted *wanted, struct error *err)
{
    struct replacement_wanted bare = *wanted;
    struct replacement *made;

    if (check_wanted(wanted, err) < 0)
        return NULL;
    made = calloc(1, sizeof *made);
    if (made) {
        made->parts = wanted->parts;
        made->match_case = wanted->match_case;
        made->find = trimmed(wanted->find);
        made->rare = made->find ? find_rare(made->find) : NULL;
    }
    if (made && made->find && made->rare) {
        bare.find = made->find;
        made->manner = manner_of(bare.find, strlen(bare.find));
        made->manner_follows =
            made->manner != LOWER && made->manner == manner_of(bare.replace, strlen(bare.replace));
        if (add_forms(made, &bare) == 0)
            return made;
    }
    replacement_free(made);
    error_set(err, ERROR_MEMORY, "out of memory for a replacement");
    return NULL;
}

void replacement_free(struct replacement *replacement)
{
    if (!replacement)
        return;
    for (size_t i = 0; i < FORMS; i++) {
        free(replacement->forms[i].find.cells);
        free(replacement->forms[i].replace);
    }
    free(replacement->find);
    free(replacement->rare);
    free(replacement);
}

bool replacement_may_be_in(const struct replacement *replacement, const char *bytes, size_t len)
{
    const char *rare = replacement->rare, *end = bytes + len;
    size_t need = strlen(rare);
    const char *low, *high;

    if (need == 0)
        return true;
    if (len < need)
        return false;
    end -= need - 1;
    low = memchr(bytes, rare[0], (size_t)(end - bytes));
    high = memchr(bytes, toupper((unsigned char)rare[0]), (size_t)(end - bytes));
    while (low || high) {
        const char **next = !high || (low && low <= high) ? &low : &high;
        const char *at = *next;

        if (strncasecmp(at, rare, need) == 0)
            return true;
        *next = memchr(at + 1, *at, (size_t)(end - at - 1));
    }
    return false;
}

/* ---- what stands beside a place, beyond the words that were read ---- */

/* Tags within a word; what other tags separate are different words. */
static bool is_within_words(const char *tag, size_t len)
{
    static const char *const names[] = {"b",    "i",    "u",     "s",   "em",  "strong", "span",
                                        "font", "mark", "small", "sub", "sup", "a",      "wbr"};
    size_t from = len > 1 && tag[1] == '/' ? 2 : 1, size = 0;

    while (from + size < len && isalnum((unsigned char)tag[from + size]))
        size++;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strlen(names[i]) == size && strncasecmp(tag + from, names[i], size) == 0)
            return true;
    return false;
}

/* &eacute; or &#233;, but not &nbsp; */
static bool is_letter_entity(const char *entity, size_t len)
{
    static const char *const ends[] = {"acute", "grave", "circ",  "uml", "tilde",
                                       "cedil", "ring",  "slash", "lig", "caron"};

    if (len > 3 && entity[1] == '#') {
        bool hex = entity[2] == 'x' || entity[2] == 'X';

        return is_of_word((ucs4_t)strtoul(entity + 2 + hex, NULL, hex ? 16 : 10));
    }
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (len > 1 && ends_with(entity + 1, len - 2, ends[i]))
            return true;
    return false;
}

static bool is_word_before(const char *text, size_t at)
{
    size_t start = at;
    uint32_t character;

    while (start > 0 && at - start < UTF8_LEN_MAX) {
        start--;
        if ((text[start] & 0xC0) != 0x80)
            break;
    }
    return start < at && utf8_decode(text + start, at - start, &character) > 0 &&
           is_of_word(character);
}

static bool is_digit_at(const char *text, size_t len, size_t at)
{
    return at < len && isdigit((unsigned char)text[at]);
}

static bool is_word_at(const char *text, size_t len, size_t at)
{
    uint32_t character;

    return at < len && utf8_decode(text + at, len - at, &character) > 0 && is_of_word(character);
}

/* Whether signs after a word make it part of a longer one: 1.5, C++, C#. */
static bool is_joined_after(const char *text, size_t len, size_t at)
{
    if (at > 0 && at < len && (text[at] == '.' || text[at] == ','))
        return is_digit_at(text, len, at - 1) && is_digit_at(text, len, at + 1);
    return at < len && (text[at] == '+' || text[at] == '#') &&
           (text[at + 1] == text[at] || !is_word_at(text, len, at + 1));
}

/* The same before it. */
static bool is_joined_before(const char *text, size_t len, size_t at)
{
    return at > 1 && (text[at - 1] == '.' || text[at - 1] == ',') &&
           is_digit_at(text, len, at - 2) && is_digit_at(text, len, at);
}

static bool is_of_label(char c)
{
    return isalnum((unsigned char)c) || c == '-' || c == '_' || (unsigned char)c >= 0x80;
}

/* Whether the bytes are a part of a hyphenated name, which has a number or two hyphens:
 * fig-ratio-1, step-by-step. In ratio-based a word is a word, and two hyphens in a row are a
 * dash. */
static bool is_in_label(const char *text, size_t len, size_t start, size_t end)
{
    size_t hyphens = 0, digits = 0, from = start, to = end;

    if (!(start > 0 && text[start - 1] == '-') && !(end < len && text[end] == '-'))
        return false;
    while (from > 0 && start - from < LABEL_MAX && is_of_label(text[from - 1]) &&
           !(from > 1 && text[from - 1] == '-' && text[from - 2] == '-'))
        from--;
    while (to < len && to - end < LABEL_MAX && is_of_label(text[to]) &&
           !(text[to] == '-' && text[to + 1] == '-'))
        to++;
    for (size_t i = from; i < to; i++) {
        bool outside = i < start || i >= end;

        hyphens += outside && text[i] == '-' && i > from && i + 1 < to;
        digits += outside && isdigit((unsigned char)text[i]);
    }
    return hyphens > 1 || (hyphens > 0 && digits > 0);
}

/* Whether a reader sees a letter right after at. */
static bool goes_on(const char *text, size_t len, size_t at)
{
    while (at < len && text[at] == '<') {
        const char *close = memchr(text + at, '>', len - at);

        if (!close || !is_within_words(text + at, (size_t)(close - text) - at))
            return false;
        at = (size_t)(close - text) + 1;
    }
    if (at < len && text[at] == '&') {
        const char *close = memchr(text + at, ';', len - at < ENTITY_MAX ? len - at : ENTITY_MAX);

        return close && is_letter_entity(text + at, (size_t)(close - text) - at + 1);
    }
    return is_word_at(text, len, at) || is_joined_after(text, len, at);
}

/* The last byte before at that c is, if it is near; len of the text if there is none. */
static size_t last_before(const char *text, size_t at, char c, size_t near, size_t none)
{
    for (size_t i = at; i-- > 0 && at - i <= near;)
        if (text[i] == c)
            return i;
    return none;
}

/* Whether a reader sees a letter right before at. */
static bool went_before(const char *text, size_t len, size_t at)
{
    size_t open;

    while (at > 0 && text[at - 1] == '>') {
        open = last_before(text, at, '<', TAG_MAX, len);
        if (open == len || !is_within_words(text + open, at - open))
            return false;
        at = open;
    }
    if (at > 0 && text[at - 1] == ';') {
        open = last_before(text, at, '&', ENTITY_MAX, len);
        return open != len && is_letter_entity(text + open, at - open);
    }
    return is_word_before(text, at) || is_joined_before(text, len, at);
}

/* ---- finding and replacing ---- */

static bool matches(const struct cells *text, size_t at, const struct cells *find)
{
    size_t end = at + find->count;

    if (end > text->count || text->cells[at].character != find->cells[0].character)
        return false;
    for (size_t i = 0; i < find->count; i++)
        if (text->cells[at + i].character != find->cells[i].character)
            return false;
    /* Whole characters, with all their marks. */
    if (at > 0 && text->cells[at - 1].start == text->cells[at].start)
        return false;
    return end == text->count || (text->cells[end].start != text->cells[end - 1].start &&
                                  !is_mark(text->cells[end].character));
}

static bool is_whole_word(const struct prose_text *text, const struct cells *cells, size_t at,
                          size_t count)
{
    const struct cell *first = &cells->cells[at], *last = &cells->cells[at + count - 1];

    if (is_of_word(first->character) && went_before(text->text, text->len, first->start))
        return false;
    if (is_of_word(last->character) && goes_on(text->text, text->len, last->end))
        return false;
    return !is_in_label(text->text, text->len, first->start, last->end);
}

struct text_work {
    const struct replacement *replacement;
    const struct prose_text *text;
    struct buf *to;
    struct replacement_counts *counts;
    struct buf is;  /* what is put in one place */
    size_t written; /* bytes of the text that are in to */
    bool changed;
};

static void count_form(struct replacement_counts *counts, const char *was, size_t len,
                       const struct buf *is)
{
    struct replacement_form form = {.count = 1};
    char copy[REPLACE_FORM_SIZE * 2];

    snprintf(copy, sizeof copy, "%.*s", (int)utf8_cut(was, len, sizeof copy - 1), was);
    text_cut_line(form.was, sizeof form.was, copy);
    text_cut_line(form.is, sizeof form.is, is->data ? is->data : "");
    for (size_t i = 0; i < counts->form_count && i < REPLACE_FORMS_MAX; i++) {
        if (strcmp(counts->forms[i].was, form.was) == 0 &&
            strcmp(counts->forms[i].is, form.is) == 0) {
            counts->forms[i].count++;
            return;
        }
    }
    if (counts->form_count < REPLACE_FORMS_MAX)
        counts->forms[counts->form_count] = form;
    counts->form_count++;
}

/* Where a deleted word stood between spaces, one is enough. */
static size_t skip_space(const struct text_work *work, size_t start, size_t end)
{
    const char *text = work->text->text;
    bool before = start == 0 || isspace((unsigned char)text[start - 1]);

    return work->is.len == 0 && before && end < work->text->len && text[end] == ' ' ? end + 1 : end;
}

static void replace_place(struct text_work *work, const char *replace, size_t start, size_t end)
{
    const char *was = work->text->text + start;
    size_t len = end - start;

    buf_clear(&work->is);
    add_replaced(work->replacement, replace, manner_of(was, len), &work->is);
    if (work->is.failed)
        work->to->failed = work->to->starved = true;
    if (work->is.len == len && memcmp(was, work->is.data, len) == 0)
        return;
    buf_add(work->to, work->text->text + work->written, start - work->written);
    buf_add(work->to, work->is.data, work->is.len);
    work->written = skip_space(work, start, end);
    work->changed = true;
    work->counts->places++;
    count_form(work->counts, was, len, &work->is);
}

/* The number of cells of the place at this cell; 0 if none begins there. */
static size_t try_place(struct text_work *work, const struct cells *cells, size_t at)
{
    bool inside = false;

    for (size_t i = 0; i < work->replacement->count; i++) {
        const struct form *form = &work->replacement->forms[i];
        size_t count = form->find.count;

        if (!matches(cells, at, &form->find))
            continue;
        if (!work->replacement->parts && !is_whole_word(work->text, cells, at, count)) {
            inside = true;
            continue;
        }
        replace_place(work, form->replace, cells->cells[at].start,
                      cells->cells[at + count - 1].end);
        return count;
    }
    work->counts->inside += inside;
    return 0;
}

static int replace_span(struct text_work *work, const struct prose_span *span)
{
    struct cells cells = {0};
    int rc = 0;

    if (!replacement_may_be_in(work->replacement, work->text->text + span->start, span->len))
        return 0;
    rc =
        read_cells(work->text->text, span->start, span->len, work->replacement->match_case, &cells);
    for (size_t at = 0; rc == 0 && at < cells.count;) {
        size_t count = try_place(work, &cells, at);

        at += count > 0 ? count : 1;
    }
    free(cells.cells);
    return rc;
}

int replacement_apply(const struct replacement *replacement, const struct prose_text *text,
                      struct buf *to, struct replacement_counts *counts, struct error *err)
{
    struct text_work work = {.replacement = replacement, .text = text, .to = to, .counts = counts};
    int rc = 0;

    for (size_t i = 0; rc == 0 && i < text->count; i++)
        rc = replace_span(&work, &text->spans[i]);
    if (work.changed)
        buf_add(to, text->text + work.written, text->len - work.written);
    buf_finish(&work.is);
    if (rc != 0)
        return error_set(err, ERROR_MEMORY, "out of memory for a replacement");
    if (work.changed && buf_check(to, "a text", err) < 0)
        return -1;
    return work.changed;
}

void replacement_say(const struct replacement_counts *counts, struct buf *to)
{
    size_t told = 0;

    for (size_t i = 0; i < counts->form_count && i < REPLACE_FORMS_MAX; i++) {
        buf_addf(to, "%s\"%s\" -> \"%s\" (%zu)", i > 0 ? ", " : "", counts->forms[i].was,
                 counts->forms[i].is, counts->forms[i].count);
        told += counts->forms[i].count;
    }
    if (told < counts->places)
        buf_addf(to, ", and %zu in other forms", counts->places - told);
}
