/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/exercise/answer.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unicase.h>
#include <uninorm.h>
#include <unictype.h>

#include "helpers/base/buf.h"
#include "helpers/base/json.h"
#include "helpers/base/utf8.h"
#include "mcp/exercise/exercise.h"
#include "mcp/exercise/number.h"

#define EQUAL_WITHIN 1e-9 /* of the right answer: the rounding of a double, and a little more */
#define NO_ATTEMPT   " This does not count as an attempt."

static const struct answer_grade
    right = {ANSWER_RIGHT, "The answer is right."},
    wrong = {ANSWER_WRONG, "The answer is wrong."},
    wrong_set = {ANSWER_WRONG, "The choice is wrong: all right options must be chosen, and no "
                               "others."},
    is_empty = {ANSWER_NONE, "The answer is empty." NO_ATTEMPT},
    is_too_long = {ANSWER_NONE, "The answer is too long for this question." NO_ATTEMPT},
    is_not_number = {ANSWER_NONE, "The answer must be a number alone: a decimal, a fraction or a "
                                  "mixed number, with or without a unit." NO_ATTEMPT},
    is_not_option = {ANSWER_NONE, "The answer must be an option of the question: its text, its "
                                  "number or its letter." NO_ATTEMPT},
    is_two_options = {ANSWER_NONE, "The answer fits more than one option. Send the number or the "
                                   "letter of one." NO_ATTEMPT},
    is_list = {ANSWER_NONE, "The answer must be a single option." NO_ATTEMPT},
    is_open = {ANSWER_OPEN, "The server does not grade open questions. Compare the answer with the "
                            "criteria of the question."};

static int starve(struct error *err)
{
    error_set(err, ERROR_MEMORY, "out of memory for an answer");
    return -1;
}

/* ---- texts as they are compared ---- */

/* Characters whose other forms NFKC keeps. */
static const struct {
    uint32_t first, last;
    char form;
} forms[] = {
    {0x2010, 0x2015, '-'}, {0x2212, 0x2212, '-'}, {0x2018, 0x201B, '\''},
    {0x201C, 0x201F, '"'}, {0x2044, 0x2044, '/'}, {0x2215, 0x2215, '/'},
};

static bool is_raised(uint32_t c)
{
    return c == 0xB2 || c == 0xB3 || c == 0xB9 || (c >= 0x2070 && c <= 0x207F);
}

static bool is_vulgar_fraction(uint32_t c)
{
    return (c >= 0xBC && c <= 0xBE) || (c >= 0x2150 && c <= 0x215F) || c == 0x2189;
}

/* Appends the text with a sign before a character that NFKC would join to the number before it:
 * "x²" with ^, and the fraction of "1½" with a space. */
static void separate(const char *text, struct buf *to)
{
    uint32_t c, last = 0;
    size_t step;

    for (; *text; text += step) {
        step = utf8_decode(text, UTF8_LEN_MAX, &c);
        if (step == 0) { /* no UTF-8, which equals nothing */
            step = 1;
            c = 0;
            buf_adds(to, UTF8_REPLACEMENT);
            continue;
        }
        if (is_raised(c) && !is_raised(last))
            buf_addc(to, '^');
        else if (is_vulgar_fraction(c))
            buf_addc(to, ' ');
        buf_add(to, text, step);
        last = c;
    }
}

/* A letter before the last one makes a word of the end. */
static bool ends_in_word(const char *text, size_t len)
{
    return len >= 2 && (isalpha((unsigned char)text[len - 1]) || text[len - 1] & 0x80) &&
           (isalpha((unsigned char)text[len - 2]) || text[len - 2] & 0x80);
}

static void drop_final_punctuation(struct buf *text)
{
    size_t len = text->len;

    while (len > 0 && (strchr(" .,;:?", text->data[len - 1]) ||
                       (text->data[len - 1] == '!' && ends_in_word(text->data, len - 1))))
        len--;
    if (len > 0) {
        text->len = len;
        text->data[len] = '\0';
    }
}

int answer_fold(const char *text, struct buf *to, struct error *err)
{
    struct buf BUF_AUTO apart = {0};
    size_t size = 0;
    uint8_t *normal = NULL, *folded = NULL;

    separate(text, &apart);
    if (!apart.failed && apart.len > 0)
        normal = u8_normalize(UNINORM_NFKC, (const uint8_t *)apart.data, apart.len, NULL, &size);
    if (normal)
        folded = u8_casefold(normal, size, NULL, UNINORM_NFKC, NULL, &size);
    free(normal);
    if (apart.failed || (apart.len > 0 && !folded)) {
        free(folded);
        return starve(err);
    }
    for (size_t at = 0, step; folded && at < size; at += step) {
        char form = '\0';
        uint32_t c;

        step = utf8_decode((const char *)folded + at, size - at, &c);
        for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
            if (c >= forms[i].first && c <= forms[i].last)
                form = forms[i].form;
        if (uc_is_property_white_space(c))
            form = ' ';
        if (form == '\0')
            buf_add(to, folded + at, step);
        else if (form != ' ' || (to->len > 0 && to->data[to->len - 1] != ' '))
            buf_addc(to, form);
    }
    free(folded);
    buf_adds(to, ""); /* never NULL */
    if (to->failed)
        return starve(err);
    if (to->len > 0 && to->data[to->len - 1] == ' ')
        to->data[--to->len] = '\0';
    drop_final_punctuation(to);
    return 0;
}

/* The same for a right answer, which may be a number. */
static int fold_right(const json_t *answer, struct buf *to, struct error *err)
{
    struct buf BUF_AUTO number = {0};

    if (json_is_string(answer))
        return answer_fold(json_string_value(answer), to, err);
    json_write(&number, answer);
    buf_adds(&number, "");
    return number.failed ? starve(err) : answer_fold(number.data, to, err);
}

/* ---- choice ---- */

enum { NO_OPTION = -1, TWO_OPTIONS = -2 };

struct choice {
    const json_t *options;
    size_t count;
    struct buf folded[EXERCISE_LIST_CAP];
    bool has_number, has_letter; /* an option is a whole number, or one letter */
};

static bool is_letter(const char *text)
{
    return isalpha((unsigned char)text[0]) && text[1] == '\0';
}

static bool is_whole_number(const char *text)
{
    return *text && text[strspn(text, "0123456789")] == '\0';
}

/* The index of the option with this number or letter, or NO_OPTION. */
static int option_by_label(const struct choice *choice, const char *folded)
{
    char label[4]; /* without brackets: "12" or "b" */
    size_t len;
    long index = NO_OPTION;

    folded += *folded == '(';
    len = strcspn(folded, ")");
    if (len == 0 || len >= sizeof label || folded[len + (folded[len] == ')')] != '\0')
        return NO_OPTION;
    memcpy(label, folded, len);
    label[len] = '\0';
    if (is_whole_number(label) && !choice->has_number)
        index = strtol(label, NULL, 10) - 1;
    else if (is_letter(label) && !choice->has_letter)
        index = label[0] - 'a';
    return index >= 0 && index < (long)choice->count ? (int)index : NO_OPTION;
}

/* Sets *found to the option that text, len bytes, means. */
static int find_option(const struct choice *choice, const char *text, size_t len, int *found,
                       struct error *err)
{
    struct buf BUF_AUTO copy = {0};
    struct buf BUF_AUTO folded = {0};

    *found = NO_OPTION;
    for (; len > 0 && isspace((unsigned char)*text); len--)
        text++;
    while (len > 0 && isspace((unsigned char)text[len - 1]))
        len--;
    if (len == 0)
        return 0;
    buf_add(&copy, text, len);
    if (copy.failed)
        return starve(err);
    if (answer_fold(copy.data, &folded, err) < 0)
        return -1;
    for (size_t i = 0; i < choice->count; i++) {
        if (strcmp(json_string_value(json_array_get(choice->options, i)), copy.data) == 0) {
            *found = (int)i;
            return 0;
        }
        if (strcmp(choice->folded[i].data, folded.data) == 0)
            *found = *found == NO_OPTION ? (int)i : TWO_OPTIONS;
    }
    if (*found == NO_OPTION)
        *found = option_by_label(choice, folded.data);
    return 0;
}

/* The length of the separator of a list at the beginning of text; 0 if there is none. */
static size_t separator_length(const char *text)
{
    if (*text && strchr(",;&\n", *text))
        return 1;
    return isspace((unsigned char)*text) && strncasecmp(text + 1, "and", 3) == 0 &&
                   isspace((unsigned char)text[4])
               ? 4
               : 0;
}

/* Sets chosen[i] for each option of the list, and *fault to NULL; or *fault to the grade of a list
 * that has a piece which is no option. The longest piece that is an option is taken first. */
static int read_list(const struct choice *choice, const char *given, bool *chosen,
                     const struct answer_grade **fault, struct error *err)
{
    struct {
        const char *start, *end;
    } pieces[ANSWER_PIECES_CAP];
    size_t count = 0, taken = 0;

    for (const char *at = given, *start = given;; at++) {
        size_t len = separator_length(at);

        if (*at && len == 0)
            continue;
        if (start + strspn(start, " \t\r") < at) {
            if (count == ANSWER_PIECES_CAP) {
                *fault = &is_not_option;
                return 0;
            }
            pieces[count].start = start;
            pieces[count++].end = at;
        }
        if (!*at)
            break;
        start = at + len;
        at = start - 1;
    }
    while (taken < count) {
        size_t last = count;
        int found = NO_OPTION;

        for (; last > taken && found == NO_OPTION; last--)
            if (find_option(choice, pieces[taken].start,
                            (size_t)(pieces[last - 1].end - pieces[taken].start), &found, err) < 0)
                return -1;
        if (found < 0) {
            *fault = found == TWO_OPTIONS ? &is_two_options : &is_not_option;
            return 0;
        }
        chosen[found] = true;
        taken = last + 1;
    }
    *fault = count > 0 ? NULL : &is_not_option;
    return 0;
}

static const struct answer_grade *grade_choice(const json_t *question, const char *given,
                                               struct choice *choice, struct error *err)
{
    const json_t *answer = json_object_get(question, "answer");
    bool several = json_is_array(answer), chosen[EXERCISE_LIST_CAP] = {false}, same = true;
    const struct answer_grade *fault;
    size_t number = 0;

    choice->options = json_object_get(question, "options");
    for (; choice->count < json_array_size(choice->options); choice->count++) {
        struct buf *folded = &choice->folded[choice->count];

        if (answer_fold(json_string_value(json_array_get(choice->options, choice->count)), folded,
                        err) < 0)
            return NULL;
        choice->has_number = choice->has_number || is_whole_number(folded->data);
        choice->has_letter = choice->has_letter || is_letter(folded->data);
    }
    if (read_list(choice, given, chosen, &fault, err) < 0)
        return NULL;
    if (fault)
        return fault;
    for (size_t i = 0; i < choice->count; i++) {
        const json_t *option = json_array_get(choice->options, i);
        bool needed = !several && json_equal(option, answer);

        for (size_t j = 0; j < json_array_size(answer); j++)
            needed = needed || json_equal(option, json_array_get(answer, j));
        same = same && needed == chosen[i];
        number += chosen[i];
    }
    if (!several && number > 1)
        return &is_list;
    return same ? &right : several ? &wrong_set : &wrong;
}

/* ---- number and text ---- */

static const struct answer_grade *grade_number(const json_t *question, const json_t *answers,
                                               const char *folded, struct error *err)
{
    double tolerance = json_number_value(json_object_get(question, "tolerance"));
    double given[NUMBER_READINGS_MAX], wanted[NUMBER_READINGS_MAX];
    size_t count = number_read(folded, true, given);

    if (count == 0)
        return &is_not_number;
    for (size_t i = 0; i < json_array_size(answers); i++) {
        struct buf BUF_AUTO text = {0};
        size_t wanted_count;

        if (fold_right(json_array_get(answers, i), &text, err) < 0)
            return NULL;
        wanted_count = number_read(text.data, false, wanted);
        for (size_t j = 0; j < count * wanted_count; j++) {
            double right_one = wanted[j / count];

            if (fabs(given[j % count] - right_one) <= tolerance + EQUAL_WITHIN * fabs(right_one))
                return &right;
        }
    }
    return &wrong;
}

static const struct answer_grade *grade_text(const json_t *answers, const char *folded,
                                             struct error *err)
{
    for (size_t i = 0; i < json_array_size(answers); i++) {
        struct buf BUF_AUTO text = {0};

        if (fold_right(json_array_get(answers, i), &text, err) < 0)
            return NULL;
        if (strcmp(text.data, folded) == 0)
            return &right;
    }
    return &wrong;
}

const struct answer_grade *answer_grade(const json_t *question, const char *given,
                                        struct error *err)
{
    json_t *answer = json_object_get(question, "answer");
    struct buf BUF_AUTO folded = {0};

    if (strlen(given) > ANSWER_CAP && !json_string_is(question, "kind", "open"))
        return &is_too_long;
    if (answer_fold(given, &folded, err) < 0)
        return NULL;
    if (folded.len == 0)
        return &is_empty;
    if (json_string_is(question, "kind", "open"))
        return &is_open;
    if (json_string_is(question, "kind", "choice")) {
        struct choice choice = {0};
        const struct answer_grade *grade = grade_choice(question, given, &choice, err);

        for (size_t i = 0; i < EXERCISE_LIST_CAP; i++)
            buf_finish(&choice.folded[i]);
        return grade;
    }
    json_auto_t *answers = json_is_array(answer) ? json_incref(answer) : json_pack("[O]", answer);
    if (!answers) {
        starve(err);
        return NULL;
    }
    return json_string_is(question, "kind", "number")
               ? grade_number(question, answers, folded.data, err)
               : grade_text(answers, folded.data, err);
}

json_t *answer_result(const struct answer_grade *grade)
{
    return json_pack("{s:s, s:s}", "status", grade->result == ANSWER_RIGHT ? "pass" : "fail",
                     "message", grade->text);
}
