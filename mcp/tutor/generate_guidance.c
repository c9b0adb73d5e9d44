/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Facts for the model's next hint, without a model: the level that the learner has earned, the
 * likely cause of the last failure, the weakest prerequisite, one question to ask, and the facts to
 * withhold. It contains no solution, answer or hidden case.
 *
 * The level increases by one with a failed attempt: level 1 before any, level 2 after one, level 3
 * after two. So asking again without an attempt gives the same level.
 */
#include <stdio.h>
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/utf8.h"
#include "mcp/exercise/exercise.h"
#include "mcp/store/search/find.h"
#include "mcp/tutor/attempt.h"

#define EXCERPTS_ASKED FIND_LIMIT_MAX /* in the lesson; the first that is no exercise counts */
#define EXCERPT_SHOWN  300u           /* bytes */
#define MESSAGE_SHOWN  400u           /* bytes */

static int start(struct tool_call *call, struct error *err);

const struct tool tool_generate_guidance = {
    .name = "generate_guidance",
    .toolset = TOOLSET_TUTOR,
    .title = "Guidance for a hint",
    .description = "The next hint for an exercise: level, likely cause, one question to ask, facts "
                   "to withhold. Call it before you help; levels rise with the learner's attempts. "
                   "question: the learner's.",
    .call_title = "Guidance[ for {exercise_id}]",
    .icon = "ask",
    .use = "before you help with an exercise",
    .arguments = ARGUMENTS("generate_guidance", ARGUMENT_LEARNER, FIELD("exercise_id", FIELD_TEXT),
                           FIELD("question", FIELD_TEXT, .most = FIND_TEXT_MAX)),
    .start = start,
    .stop = tutor_call_stop,
};

/* ---- the likely cause ---- */

/* Of the message of the first failing test (grade.c); the first row whose words are in it. */
static const struct cause {
    const char *words, *cause, *question;
} causes[] = {
    {"has no function named", "the function is missing or has another name",
     "Which name does the task give the function?"},
    {"it ran for more than", "a loop that does not end, or far too much work",
     "What makes the loop end, and does each round come closer to that?"},
    {"too much memory", "a list or text that grows without an end",
     "How large does the largest value become?"},
    {"printed too much", "a print in a loop that does not end",
     "How many lines should the program print?"},
    {"returned None", "a missing return: the function computes, but gives nothing back",
     "What does the function give back to its caller?"},
    {"NameError", "a name that is not defined where it is used",
     "Where does this name get its value?"},
    {"IndexError", "an index beyond the end", "What is the last valid index?"},
    {"KeyError", "a key that is not in the dictionary",
     "Which keys can come, and which does the dictionary have?"},
    {"TypeError", "an operation on values of the wrong type",
     "Which type does each value have at this line?"},
    {"ZeroDivisionError", "a division by zero", "For which input is the divisor zero?"},
    {"RecursionError", "a recursion without an end", "Which call does not call itself again?"},
    {"must raise", "a case in which an error is asked for", "Which inputs are not allowed?"},
    {"the program printed", "the output differs, perhaps only in form",
     "How does each line of the output differ from the example?"},
    {"returned", "the result differs for this input",
     "What does the program do with this input, step by step?"},
    {"failed", "the program fails at this input",
     "What does the last line of the error say, in your own words?"},
};
static const struct cause of_hidden = {
    "", "an input that the examples do not show: empty, negative, equal or very large values",
    "Which unusual inputs could come?"};
static const struct cause of_answer = {"", "the idea behind the question is not clear yet",
                                       "Why do you think so?"};
static const struct cause of_none = {"", NULL, "What is asked for, in your own words?"};

static const struct cause *cause_of(const char *message)
{
    for (size_t i = 0; i < sizeof causes / sizeof causes[0]; i++)
        if (strstr(message, causes[i].words))
            return &causes[i];
    return &of_hidden;
}

/* The first visible test that failed gives the message. */
static const struct cause *add_failure(const json_t *result, struct buf *to)
{
    const json_t *tests = json_object_get(result, "tests"), *test;
    const char *message = json_get_string(result, "message"), *name = "the program";
    size_t i;

    if (!result)
        return &of_none;
    if (json_string_is(result, "status", "pass")) {
        buf_adds(to, "The last attempt was right.\n");
        return &of_none;
    }
    if (!tests)
        return &of_answer;
    json_array_foreach((json_t *)tests, i, test)
    {
        if (message || json_string_is(test, "status", "pass"))
            continue;
        name = json_get_string(test, "name");
        message = json_get_string(test, "message");
        if (message)
            break;
    }
    if (!message)
        return &of_hidden;
    buf_addf(to, "First failing case, which the learner may see: %s: %.*s\n", name,
             utf8_shown(message, MESSAGE_SHOWN), message);
    return cause_of(message);
}

/* ---- the parts ---- */

static const char *const general_hints[HELP_MAX] = {
    "a nudge: have the learner say what goes in, what comes out, and try the smallest example by "
    "hand.",
    "a hint at this error: point to the place where it goes wrong, and let the learner correct it.",
    "a similar worked example: solve a smaller task of the same kind, with other values and names, "
    "aloud. Then the learner solves this one.",
};

static int give_hint(struct tutor_call *teaching, const struct course_item *item, int *level,
                     struct error *err)
{
    const struct item_standing standing = standing_of_item(teaching->standing, item);
    const json_t *hints = json_object_get(item->parameters, "hints");
    struct buf *to = &teaching->call->text;
    const char *authored;
    int given, earned = (int)(standing.wrong < HELP_MAX - 1 ? standing.wrong + 1 : HELP_MAX);

    if (attempt_hints(teaching, item, &given, err) < 0)
        return -1;
    *level = given + 1 < earned ? given + 1 : earned;
    if (*level > given && learners_hint(teaching->learners, teaching->learner, teaching->sid,
                                        item->id, *level, teaching->now, err) < 0)
        return -1;
    authored = json_string_value(json_array_get(hints, (size_t)(*level - 1)));
    buf_addf(to, "Hint %d of %d: %s\n", *level, HELP_MAX,
             authored ? authored : general_hints[*level - 1]);
    if (*level <= given)
        buf_adds(to, *level < HELP_MAX ? "It was given before: the next level comes after the "
                                         "learner has handed in another attempt.\n"
                                       : "There is no further hint.\n");
    return 0;
}

/* The prerequisite with the least probability, of those that have graded items. */
static void add_weakest(const struct tutor_call *teaching, uint32_t lesson, struct buf *to)
{
    const struct path *path = teaching->standing->path;
    uint32_t weakest = COURSE_NONE;

    for (size_t i = path->needs_start[lesson]; i < path->needs_start[lesson + 1]; i++) {
        const uint32_t before = path->needs[i];
        const struct path_lesson *lessons = teaching->standing->lessons;

        if (teaching->course->lessons[before].graded > 0 && !lessons[before].withheld &&
            (weakest == COURSE_NONE || lessons[before].knowledge.p < lessons[weakest].knowledge.p))
            weakest = before;
    }
    if (weakest == COURSE_NONE)
        return;
    buf_adds(to, "Weakest prerequisite: ");
    tutor_add_lesson(teaching, weakest, to);
    buf_adds(to, ", ");
    tutor_add_state(teaching, weakest, to);
    buf_adds(to, ".\n");
}

/* The place of the lesson that has words of the learner's question. */
static void add_place(struct tutor_call *teaching, uint32_t lesson, struct buf *to)
{
    const char *question = argument_text(teaching->call, "question");
    const struct find_request request = {.text = question,
                                         .node_id = teaching->course->lessons[lesson].id,
                                         .limit = EXCERPTS_ASKED,
                                         .sort = FIND_BEST};
    struct buf BUF_AUTO json = {0};
    json_auto_t *found = NULL;
    struct error unused = {0};
    json_t *hit;
    size_t i;

    if (!question || store_find(teaching->store, teaching->sid, &request, &json, &unused) < 0)
        return;
    found = json_read(json.data, json.len, "the hits", &unused);
    json_array_foreach(json_object_get(found, "hits"), i, hit)
    {
        const char *type = json_get_string(hit, "component_type"),
                   *text = json_get_string(hit, "text");

        if (!type || !text || strcmp(type, EXERCISE_CODE) == 0 ||
            strcmp(type, EXERCISE_QUESTION) == 0)
            continue;
        buf_addf(to, "The lesson says about the question: %.*s\n", utf8_shown(text, EXCERPT_SHOWN),
                 text);
        return;
    }
}

/* ---- the call ---- */

/* The item that is named, else the first of the next lesson that is not solved. */
static const struct course_item *find_item(struct tutor_call *teaching, struct error *err)
{
    const struct course_lesson *lesson;
    uint32_t at;

    if (argument_text(teaching->call, "exercise_id"))
        return tutor_item(teaching, err);
    if (tutor_lesson(teaching, &at, err) < 0 || tutor_lesson_open(teaching, at, err) < 0)
        return NULL;
    lesson = &teaching->course->lessons[at];
    for (uint32_t i = 0; i < lesson->items; i++) {
        const struct course_item *item = &teaching->course->items[lesson->first_item + i];

        if (!standing_of_item(teaching->standing, item).solved)
            return item;
    }
    error_set(err, ERROR_NOT_FOUND,
              "The next lesson, %s, has no unsolved exercise. Explain it with "
              "get_chapter_content.",
              lesson->id);
    return NULL;
}

static int run(struct tutor_call *teaching, struct error *err)
{
    const struct course_item *item = find_item(teaching, err);
    struct buf *to = &teaching->call->text;
    json_auto_t *result = NULL;
    const struct cause *cause;
    int level;

    if (!item || learners_latest(teaching->learners, teaching->learner, teaching->sid, item->id,
                                 &result, err) < 0)
        return -1;
    buf_addf(to, "Guidance for %s in ", item->id);
    tutor_add_lesson(teaching, item->lesson, to);
    buf_addc(to, '\n');
    if (give_hint(teaching, item, &level, err) < 0)
        return -1;
    cause = add_failure(result, to);
    if (cause->cause)
        buf_addf(to, "Likely cause: %s.\n", cause->cause);
    add_place(teaching, item->lesson, to);
    add_weakest(teaching, item->lesson, to);
    buf_addf(to, "Ask: %s\n", cause->question);
    buf_addf(to, "Withhold: %s, also if the learner asks for it.\n",
             item->code ? "a solution, corrected lines of the learner's program, and results of "
                          "cases that are not shown"
                        : "the answer, which option is right, and the author's criteria");
    buf_addf(to, "Next call: %s when the learner has tried again.\n",
             item->code ? "submit_code" : "assess_response");
    return 0;
}

static int start(struct tool_call *call, struct error *err)
{
    return tutor_call_start(call, run, err);
}
