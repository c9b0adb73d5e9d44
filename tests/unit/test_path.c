/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A learner's path on small graphs: what locks lessons, cycles, withheld lessons, the order of the
 * next lessons, and the words of their reasons. contract.path compares random graphs with a
 * reference.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "mcp/learner/path.h"
#include "tests/unit/failing_allocations.h"

#define DAY         INT64_C(86400)
#define NOW         (100 * DAY)
#define ITEMS(list) (sizeof(list) / sizeof *(list))
#define CAP         12

/* A lesson by one letter: '.' no evidence, 'l' explained, 'p' attempted, 'r' read and without
 * items, 'm' mastered, 'd' due since 3 days, 'D' due since 4 days and well remembered; 'W' no
 * evidence and withheld, 'X' due and withheld. */
static struct path_lesson lesson_of(char letter)
{
    struct path_lesson lesson = {.knowledge = {.p = 0.1, .items = 2}};
    struct knowledge *knowledge = &lesson.knowledge;

    lesson.withheld = letter == 'W' || letter == 'X';
    knowledge->read = letter == 'l' || letter == 'r';
    knowledge->items = letter == 'r' ? 0 : 2;
    knowledge->mastered = strchr("mdDX", letter) != NULL;
    knowledge->attempted = knowledge->mastered || letter == 'p';
    if (letter == 'm')
        knowledge->review = (struct review){50, 5, 50, NOW - DAY, NOW + 49 * DAY};
    if (letter == 'd' || letter == 'X')
        knowledge->review = (struct review){2, 5, 2, NOW - 5 * DAY, NOW - 3 * DAY};
    if (letter == 'D')
        knowledge->review = (struct review){50, 5, 50, NOW - 54 * DAY, NOW - 4 * DAY};
    return lesson;
}

/* edges: "01 12" for two of them, each lesson a digit. */
static struct path *path_of(const char *letters, const char *edges, uint32_t goal)
{
    struct path_lesson lessons[CAP];
    struct path_edge pairs[CAP];
    struct path_request request = {lessons, 0, pairs, 0, goal, NOW};
    struct error err;
    struct path *path;

    for (; letters[request.count]; request.count++)
        lessons[request.count] = lesson_of(letters[request.count]);
    for (; *edges; edges += edges[2] ? 3 : 2)
        pairs[request.edge_count++] =
            (struct path_edge){(uint32_t)(edges[0] - '0'), (uint32_t)(edges[1] - '0')};
    path = path_create(&request, &err);
    assert_non_null(path);
    return path;
}

static void write_digits(const uint32_t *list, uint32_t count, struct buf *to)
{
    for (uint32_t i = 0; i < count; i++)
        buf_addi(to, list[i]);
    buf_adds(to, "");
}

static void test_states_and_locks(void **state)
{
    static const struct {
        const char *letters, *edges;
        const char *states; /* Locked, Ready, Begun, Unlocking */
        const char *locks;  /* of the last lesson */
    } cases[] = {
        {".", "", "R", ""},
        {".", "00", "R", ""},
        {"..", "01 01", "RL", "0"},
        {"m.", "01", "UR", ""},
        {"D.", "01", "UR", ""},
        {"r.", "01", "UR", ""},
        {"l.", "01", "BL", "0"},
        {"p.", "01", "BL", "0"},
        {"...", "01 12", "RLL", "0"},       /* the one that locks is behind a locked one */
        {".p.", "01 12", "RBL", "1"},       /* the nearest is begun */
        {"....", "01 13 23", "RLRL", "20"}, /* the nearest first */
        {"....", "03 13 23", "RRRL", "012"},
        {".m.", "01 12", "RUR", ""},     /* nothing is behind a fulfilled one */
        {"...", "01 10 12", "RRL", "1"}, /* a group */
        {"....", "01 12 21 23", "RLLL", "0"},
        {".l..", "01 12 21 13 23", "RBLL", "10"}, /* begun, in a locked group */
        {".m..", "01 12 21 23", "RULL", "0"},
        {"W.", "01", "RR", ""},
        {"...W.", "01 13 34", "RLRLR", ""},
    };

    (void)state;
    for (size_t i = 0; i < ITEMS(cases); i++) {
        struct path *path = path_of(cases[i].letters, cases[i].edges, PATH_NO_GOAL);
        struct buf BUF_AUTO states = {0};
        struct buf BUF_AUTO locks = {0};
        uint32_t list[CAP], count;

        for (uint32_t v = 0; v < path->count; v++)
            buf_adds(&states, path->states[v] == LESSON_LOCKED        ? "L"
                              : path->states[v] == LESSON_READY       ? "R"
                              : lesson_state_unlocks(path->states[v]) ? "U"
                                                                      : "B");
        assert_int_equal(path_locks(path, path->count - 1, list, &count, NULL), 0);
        write_digits(list, count, &locks);
        assert_string_equal(states.data, cases[i].states);
        assert_string_equal(locks.data, cases[i].locks);
        path_destroy(path);
    }
}

/* Appends each next lesson with its reason: "2 next on the path to Ratios; ". */
static void write_next(const struct path *path, struct buf *to)
{
    for (uint32_t i = 0; i < path->next_count; i++) {
        buf_addf(to, "%s%u ", i > 0 ? "; " : "", path->next[i].lesson);
        path_reason_write(&path->next[i], "Ratios", to);
    }
    buf_adds(to, "");
}

static void test_next_and_left(void **state)
{
    static const struct {
        const char *letters, *edges;
        uint32_t goal;
        const char *left, *next;
    } cases[] = {
        {"", "", PATH_NO_GOAL, "", ""},
        {"m", "", PATH_NO_GOAL, "", ""},
        {"....", "", PATH_NO_GOAL, "",
         "0 next in teaching order; 1 next in teaching order; 2 next in teaching order"},
        /* Begun, then those that unlock most, then teaching order. */
        {"..p....", "13 14 05", PATH_NO_GOAL, "",
         "2 begun; 1 unlocks 2 lessons; 0 unlocks 1 lesson"},
        /* 2 needs both, so neither unlocks it alone. */
        {"...", "02 12", PATH_NO_GOAL, "", "0 next in teaching order; 1 next in teaching order"},
        /* A group counts with all its members, withheld ones do not. */
        {"...W", "01 12 21 03", PATH_NO_GOAL, "", "0 unlocks 2 lessons"},
        /* At most one review, that with the lowest recall. */
        {"dD.", "", PATH_NO_GOAL, "", "0 due for review for 3 days; 2 next in teaching order"},
        {"Dd...", "", PATH_NO_GOAL, "",
         "1 due for review for 3 days; 2 next in teaching order; 3 next in teaching order"},
        {"dd", "", PATH_NO_GOAL, "", "0 due for review for 3 days"},
        {"X", "", PATH_NO_GOAL, "", ""},
        {"W.", "01", PATH_NO_GOAL, "", "1 next in teaching order"},
        /* A goal: the path before others, however much these unlock. */
        {".......", "12 24 03 05 06", 4, "124",
         "1 next on the path to Ratios; 0 unlocks 3 lessons"},
        {"..p.", "03 13 23", 3, "0123",
         "2 begun, on the path to Ratios; 0 next on the path to Ratios; "
         "1 next on the path to Ratios"},
        {"m.", "01", 1, "1", "1 the goal"},
        {"mp.", "01", 1, "1", "1 the goal; 2 next in teaching order"},
        {"d..", "01 12", 2, "12", "0 due for review for 3 days; 1 next on the path to Ratios"},
        /* Mastered without its prerequisite, which is still left. */
        {".m.", "01 12", 2, "02", "0 next on the path to Ratios; 2 the goal"},
        /* A goal that is reached leaves nothing. */
        {".m.", "01 12", 1, "", "0 next in teaching order; 2 next in teaching order"},
        /* Of withheld lessons only the prerequisites are left. */
        {".W.", "01 12", 2, "02", "0 next on the path to Ratios; 2 the goal"},
        {".W", "01", 1, "0", "0 next on the path to Ratios"},
        {"...", "01 12 21", 1, "012", "0 next on the path to Ratios"},
        /* Teaching order is not the curriculum's order. */
        {"...", "20 21", 1, "21", "2 next on the path to Ratios"},
    };

    (void)state;
    for (size_t i = 0; i < ITEMS(cases); i++) {
        struct path *path = path_of(cases[i].letters, cases[i].edges, cases[i].goal);
        struct buf BUF_AUTO next = {0};
        struct buf BUF_AUTO left = {0};

        write_next(path, &next);
        write_digits(path->left, path->left_count, &left);
        assert_string_equal(left.data, cases[i].left);
        assert_string_equal(next.data, cases[i].next);
        path_destroy(path);
    }
}

static void test_prerequisites_once(void **state)
{
    struct path *path = path_of("...", "12 00 02 12 02", PATH_NO_GOAL);
    struct buf BUF_AUTO needs = {0};

    (void)state;
    assert_int_equal(path->needs_start[2], 0);
    write_digits(path->needs, (uint32_t)path->needs_start[3], &needs);
    assert_string_equal(needs.data, "01");
    path_destroy(path);
}

static void test_words(void **state)
{
    static const struct {
        struct path_step step;
        const char *words;
    } cases[] = {
        {{0, PATH_REVIEW, 0}, "due for review now"},
        {{0, PATH_REVIEW, 1}, "due for review for 1 day"},
        {{0, PATH_GOAL, 1}, "the goal"},
        {{0, PATH_TO_GOAL, 0}, "next on the path to {} and Ratios"},
        {{0, PATH_UNLOCKS, 1}, "unlocks 1 lesson"},
    };

    (void)state;
    for (size_t i = 0; i < ITEMS(cases); i++) {
        struct buf BUF_AUTO words = {0};

        path_reason_write(&cases[i].step, "{} and Ratios", &words);
        assert_string_equal(words.data, cases[i].words);
    }
    assert_string_equal(path_reason_name(PATH_UNLOCKS), "unlocks");
}

static void test_bad_requests(void **state)
{
    static const struct path_lesson lessons[2] = {0};
    static const struct path_edge edge = {0, 2};
    static const struct {
        struct path_request request;
        enum error_kind kind;
    } cases[] = {
        {{lessons, 2, &edge, 1, PATH_NO_GOAL, NOW}, ERROR_INVALID},
        {{lessons, 2, NULL, 0, 2, NOW}, ERROR_INVALID},
        {{lessons, PATH_LESSONS_CAP + 1, NULL, 0, PATH_NO_GOAL, NOW}, ERROR_TOO_LARGE},
        {{lessons, 2, &edge, PATH_EDGES_CAP + 1, PATH_NO_GOAL, NOW}, ERROR_TOO_LARGE},
    };

    (void)state;
    for (size_t i = 0; i < ITEMS(cases); i++) {
        struct error err = {0};

        assert_null(path_create(&cases[i].request, &err));
        assert_int_equal(err.kind, cases[i].kind);
    }
    path_destroy(NULL);
}

#ifdef COUNTS_ALLOCATIONS
static int create_and_lock(const struct path_request *request, struct error *err)
{
    struct path *path = path_create(request, err);
    uint32_t list[CAP], count;
    int rc = path ? path_locks(path, 1, list, &count, err) : -1;

    path_destroy(path);
    return rc;
}

/* Each allocation fails once. */
static void test_failing_allocations(void **state)
{
    static const struct path_lesson lessons[2] = {0};
    static const struct path_edge edge = {0, 1};
    static const struct path_request request = {lessons, 2, &edge, 1, 1, NOW};
    int rc = -1;
    long at = 0;

    (void)state;
    for (fail_at = 0; fail_at == 0;) {
        struct error err = {0};

        fail_at = ++at;
        live = 0;
        watching = true;
        rc = create_and_lock(&request, &err);
        watching = false;
        assert_int_equal(live, 0);
        assert_int_equal(err.kind, rc < 0 ? ERROR_MEMORY : ERROR_NONE);
    }
    fail_at = 0;
    assert_int_equal(rc, 0);
    assert_true(at > 12);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_states_and_locks),    cmocka_unit_test(test_next_and_left),
        cmocka_unit_test(test_prerequisites_once),  cmocka_unit_test(test_words),
        cmocka_unit_test(test_bad_requests),
#ifdef COUNTS_ALLOCATIONS
        cmocka_unit_test(test_failing_allocations),
#endif
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
