/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The database of learners: names, caps, the log of evidence, submissions that are graded once,
 * hints, and what a deletion leaves.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "helpers/base/json.h"
#include "mcp/learner/learners.h"
#include "mcp/store/db.h"

#define SESSION "0b7a7a52-7f0e-4d0e-9c0a-0d6a7c1d0001"
#define ITEM    "0b7a7a52-7f0e-4d0e-9c0a-0d6a7c1d0002"

struct fixture {
    char folder[64], url[128];
    struct learners *learners;
    char id[LEARNER_ID_SIZE]; /* of Ada */
    struct error err;
};

static int open_database(void **state)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    const struct learner ada = {.name = "Ada"};

    strcpy(fixture->folder, "/tmp/lectern-test-XXXXXX");
    assert_non_null(mkdtemp(fixture->folder));
    snprintf(fixture->url, sizeof fixture->url, "sqlite:%s/learners.db", fixture->folder);
    fixture->learners = learners_open(fixture->url, STORE_WRITE, &fixture->err);
    assert_non_null(fixture->learners);
    assert_int_equal(learners_add(fixture->learners, &ada, fixture->id, &fixture->err), 0);
    *state = fixture;
    return 0;
}

static int close_database(void **state)
{
    struct fixture *fixture = *state;
    char command[128];

    learners_close(fixture->learners);
    snprintf(command, sizeof command, "rm -r %s", fixture->folder);
    assert_int_equal(system(command), 0); /* NOLINT(concurrency-mt-unsafe) */
    free(fixture);
    return 0;
}

static char *filled(size_t len)
{
    char *text = malloc(len + 1);

    memset(text, 'x', len);
    text[len] = '\0';
    return text;
}

static void must_fail(struct fixture *fixture, enum error_kind kind, const char *text, int rc)
{
    assert_int_equal(rc, -1);
    assert_int_equal(fixture->err.kind, kind);
    assert_non_null(strstr(fixture->err.text, text));
    memset(&fixture->err, 0, sizeof fixture->err);
}

static json_t *exported(struct fixture *fixture)
{
    struct buf BUF_AUTO json = {0};
    json_t *read;

    assert_int_equal(learners_export(fixture->learners, fixture->id, &json, &fixture->err), 0);
    read = json_read(json.data, json.len, "the export", &fixture->err);
    assert_non_null(read);
    return read;
}

static size_t count_of(struct fixture *fixture, const char *part)
{
    json_auto_t *all = exported(fixture);

    return json_array_size(json_object_get(all, part));
}

static struct learner_submission submission_of(const struct fixture *fixture, const char *digest)
{
    return (struct learner_submission){.learner = fixture->id,
                                       .session = SESSION,
                                       .node = "area",
                                       .item = ITEM,
                                       .text = "print(6)",
                                       .digest = digest,
                                       .hints = 1,
                                       .time = 1000};
}

/* Submits, which must succeed. */
static struct submitted submit(struct fixture *fixture, const char *digest, int64_t since)
{
    const struct learner_submission submission = submission_of(fixture, digest);
    struct submitted submitted;

    assert_int_equal(
        learners_submit(fixture->learners, &submission, since, &submitted, &fixture->err), 0);
    return submitted;
}

static int grade(struct fixture *fixture, int64_t submission, const char *status)
{
    json_auto_t *result = json_pack("{s:s}", "status", status);

    return learners_graded(fixture->learners, submission, result, EVIDENCE_GRADED_RIGHT, "note",
                           &fixture->err);
}

static void test_names(void **state)
{
    static const struct {
        const char *name, *error; /* NULL: accepted */
    } names[] = {
        {"Ada", NULL},
        {"Ada L.", NULL},
        {"Zoë Müller-Lüdenscheidt", NULL},
        {"学習者", NULL},
        {"learner 7", NULL},
        {"class 10b, seat 12", NULL},
        {"42", NULL},
        {NULL, "missing"},
        {"", "empty"},
        {"   ", "visible"},
        {"Ada\nGrace", "one line"},
        {"\xff", "UTF-8"},
        {"ada@example.org", "e-mail"},
        {"Ada <ada@example.org>", "e-mail"},
        {"ada（at）example＠org", "e-mail"},
        {"ada (at) example.org", "e-mail"},
        {"ada[AT]example.org", "e-mail"},
        {"+49 171 2345678", "telephone"},
        {"Ada 0171/234567", "telephone"},
        {"34 56 78", "telephone"},
        {"٠١٧١٢٣٤٥", "telephone"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct error err = {0};
        int rc = learner_name_check(names[i].name, &err);

        if (!names[i].error) {
            assert_int_equal(rc, 0);
            continue;
        }
        assert_int_equal(rc, -1);
        assert_int_equal(err.kind, ERROR_INVALID);
        assert_non_null(strstr(err.text, names[i].error));
        if (strcmp(names[i].error, "e-mail") == 0 || strcmp(names[i].error, "telephone") == 0) {
            assert_non_null(strstr(err.text, "such as \"Ada\""));
            assert_null(strstr(err.text, names[i].name));
        }
    }
}

/* Each text is accepted at its cap and refused above it. */
static void test_caps(void **state)
{
    struct fixture *fixture = *state;
    enum { NAME, TIER, NOTE, DIGEST, TEXT, RESULT, CASES };
    static const size_t caps[CASES] = {LEARNER_NAME_MAX, LEARNER_TIER_MAX,
                                       LEARNER_NOTE_MAX, LEARNER_DIGEST_MAX,
                                       LEARNER_TEXT_MAX, LEARNER_RESULT_MAX - 2 /* quotes */};

    for (size_t i = 0; i < (size_t)2 * CASES; i++) {
        const size_t which = i / 2;
        const bool above = i % 2;
        char *text = filled(caps[which] + above), id[LEARNER_ID_SIZE];
        struct learner learner = {.name = "Ada"};
        struct learner_submission submission = submission_of(fixture, "caps");
        const struct evidence evidence = {.kind = EVIDENCE_READ};
        struct submitted submitted = {0};
        json_auto_t *result = json_string(text);
        int rc = -1;

        if (which == NAME)
            learner.name = text;
        else if (which == TIER)
            learner.tier = text;
        else if (which == DIGEST)
            submission.digest = text;
        else if (which == TEXT)
            submission.text = text;
        if (which == NAME || which == TIER)
            rc = learners_add(fixture->learners, &learner, id, &fixture->err);
        else if (which == NOTE)
            rc = learners_log(fixture->learners, fixture->id, SESSION, "area", &evidence, text,
                              &fixture->err);
        else
            rc = learners_submit(fixture->learners, &submission, INT64_MAX, &submitted,
                                 &fixture->err);
        if (which == RESULT && rc == 0)
            rc = learners_graded(fixture->learners, submitted.submission, result,
                                 EVIDENCE_GRADED_RIGHT, NULL, &fixture->err) == 1
                     ? 0
                     : -1;
        if (above)
            must_fail(fixture, ERROR_TOO_LARGE, "", rc);
        else
            assert_int_equal(rc, 0);
        free(text);
    }
}

static void test_goal(void **state)
{
    struct fixture *fixture = *state;
    const struct learner half = {.name = "Grace", .goal_node = "area"};
    const struct learner whole = {
        .name = "Grace", .goal_session = SESSION, .goal_node = "area", .tier = "small"};
    char id[LEARNER_ID_SIZE];
    struct buf BUF_AUTO json = {0}, all = {0};
    json_auto_t *read = NULL, *list = NULL;

    must_fail(fixture, ERROR_INVALID, "both",
              learners_add(fixture->learners, &half, id, &fixture->err));
    assert_int_equal(learners_add(fixture->learners, &whole, id, &fixture->err), 0);
    assert_int_equal(strspn(id, "0123456789abcdef"), LEARNER_ID_SIZE - 1);
    assert_string_not_equal(id, fixture->id);
    assert_int_equal(learners_read(fixture->learners, id, &json, &fixture->err), 0);
    read = json_read(json.data, json.len, "the learner", &fixture->err);
    assert_true(json_string_is(read, "goal_session_id", SESSION));
    assert_true(json_string_is(read, "goal_node_id", "area"));
    assert_true(json_string_is(read, "tier", "small"));
    assert_int_equal(learners_read(fixture->learners, NULL, &all, &fixture->err), 0);
    list = json_read(all.data, all.len, "the learners", &fixture->err);
    assert_int_equal(json_array_size(list), 2);
    assert_true(json_is_null(json_object_get(json_array_get(list, 0), "goal_node_id")));
}

/* NULL: Ada has none. */
static void expect_row(struct fixture *fixture, const char *tier, const char *goal)
{
    struct buf BUF_AUTO json = {0};
    json_auto_t *read = NULL;

    assert_int_equal(learners_read(fixture->learners, fixture->id, &json, &fixture->err), 0);
    read = json_read(json.data, json.len, "the learner", &fixture->err);
    assert_int_equal(json_string_is(read, "tier", tier ? tier : "-"), tier != NULL);
    assert_int_equal(json_string_is(read, "goal_node_id", goal ? goal : "-"), goal != NULL);
    assert_int_equal(json_string_is(read, "goal_session_id", SESSION), goal != NULL);
}

static void test_set_tier_and_goal(void **state)
{
    struct fixture *fixture = *state;
    struct learners *learners = fixture->learners;
    struct error *err = &fixture->err;
    char unknown[LEARNER_ID_SIZE] = "00000000000000000000000000000000", *text = filled(41);

    for (int i = 0; i < 2; i++) {
        assert_int_equal(learners_set_tier(learners, fixture->id, "paid", err), 0);
        assert_int_equal(learners_set_goal(learners, fixture->id, SESSION, "area", err), 0);
        expect_row(fixture, "paid", "area");
    }
    must_fail(fixture, ERROR_TOO_LARGE, "at most 40",
              learners_set_tier(learners, fixture->id, text, err));
    must_fail(fixture, ERROR_INVALID, "both",
              learners_set_goal(learners, fixture->id, SESSION, NULL, err));
    must_fail(fixture, ERROR_INVALID, "empty",
              learners_set_goal(learners, fixture->id, SESSION, "", err));
    must_fail(fixture, ERROR_NOT_FOUND, "no learner",
              learners_set_tier(learners, unknown, "a", err));
    must_fail(fixture, ERROR_NOT_FOUND, "no learner",
              learners_set_goal(learners, unknown, NULL, NULL, err));
    expect_row(fixture, "paid", "area");
    assert_int_equal(learners_set_tier(learners, fixture->id, NULL, err), 0);
    assert_int_equal(learners_set_goal(learners, fixture->id, NULL, NULL, err), 0);
    expect_row(fixture, NULL, NULL);
    free(text);
}

static void test_a_submission_is_graded_once(void **state)
{
    struct fixture *fixture = *state;
    struct submitted first = submit(fixture, "one", 0), again = submit(fixture, "one", 0);

    assert_false(first.repeated);
    assert_true(again.repeated);
    assert_int_equal(again.submission, first.submission);
    assert_null(again.result);
    assert_int_equal(count_of(fixture, "submissions"), 1);
    assert_int_equal(count_of(fixture, "evidence"), 0);
    assert_int_equal(grade(fixture, first.submission, "pass"), 1);
    assert_int_equal(grade(fixture, first.submission, "fail"), 0);
    assert_int_equal(count_of(fixture, "evidence"), 1);
    again = submit(fixture, "one", 0);
    assert_true(again.repeated);
    assert_true(json_string_is(again.result, "status", "pass"));
    json_decref(again.result);
    /* Earlier ones do not count as repeated, as in a review on a later day. */
    again = submit(fixture, "one", 1001);
    assert_false(again.repeated);
    assert_int_not_equal(again.submission, first.submission);
    must_fail(fixture, ERROR_NOT_FOUND, "deleted", grade(fixture, 999, "pass"));
}

/* A submission that waits for its result counts too, and a repeated one needs no place. */
static void test_a_limit(void **state)
{
    struct fixture *fixture = *state;
    const struct submission_limit limits[] = {{.most = 1, .since = 1000},
                                              {.most = 1, .since = 1001}};
    struct learner_submission submission = submission_of(fixture, "two");
    struct submitted first = submit(fixture, "one", 0), other;

    submission.limit = &limits[0];
    assert_int_equal(learners_submit(fixture->learners, &submission, 0, &other, &fixture->err), 0);
    assert_int_equal(other.submission, 0);
    assert_int_equal(count_of(fixture, "submissions"), 1);
    submission.digest = "one";
    assert_int_equal(learners_submit(fixture->learners, &submission, 0, &other, &fixture->err), 0);
    assert_true(other.repeated);
    assert_int_equal(other.submission, first.submission);
    submission.digest = "two";
    submission.limit = &limits[1]; /* the first was before it */
    assert_int_equal(learners_submit(fixture->learners, &submission, 0, &other, &fixture->err), 0);
    assert_int_equal(count_of(fixture, "submissions"), 2);
}

/* Another item, another session or another learner: not the same submission. */
static void test_what_is_repeated(void **state)
{
    struct fixture *fixture = *state;
    const struct learner grace = {.name = "Grace"};
    char other[LEARNER_ID_SIZE];
    struct learner_submission submissions[4];
    struct submitted submitted;

    assert_int_equal(learners_add(fixture->learners, &grace, other, &fixture->err), 0);
    for (size_t i = 0; i < 4; i++)
        submissions[i] = submission_of(fixture, "one");
    submissions[1].learner = other;
    submissions[2].session = "another session";
    submissions[3].item = "another item";
    for (size_t i = 0; i < 8; i++) {
        assert_int_equal(
            learners_submit(fixture->learners, &submissions[i % 4], 0, &submitted, &fixture->err),
            0);
        assert_int_equal(submitted.repeated, i >= 4);
    }
    submissions[0].node = "moved to another lesson";
    assert_int_equal(
        learners_submit(fixture->learners, &submissions[0], 0, &submitted, &fixture->err), 0);
    assert_true(submitted.repeated);
}

struct seen {
    size_t count;
    int64_t last;
    const char *id;
};

static void on_pending(void *user, int64_t id, const struct learner_submission *submission)
{
    struct seen *seen = user;

    seen->count++;
    seen->last = id;
    assert_string_equal(submission->learner, seen->id);
    assert_string_equal(submission->session, SESSION);
    assert_string_equal(submission->node, "area");
    assert_string_equal(submission->item, ITEM);
    assert_string_equal(submission->text, "print(6)");
    assert_string_equal(submission->digest, "two");
    assert_int_equal(submission->hints, 1);
    assert_int_equal(submission->time, 1000);
}

static void test_pending(void **state)
{
    struct fixture *fixture = *state;
    struct submitted one = submit(fixture, "one", 0), two = submit(fixture, "two", 0);
    struct seen seen = {.id = fixture->id};

    assert_int_equal(grade(fixture, one.submission, "pass"), 1);
    learners_close(fixture->learners);
    fixture->learners = learners_open(fixture->url, STORE_WRITE, &fixture->err);
    assert_int_equal(learners_pending(fixture->learners, on_pending, &seen, &fixture->err), 0);
    assert_int_equal(seen.count, 1);
    assert_int_equal(seen.last, two.submission);
    assert_int_equal(grade(fixture, two.submission, "pass"), 1);
    assert_int_equal(learners_pending(fixture->learners, on_pending, &seen, &fixture->err), 0);
    assert_int_equal(seen.count, 1);
}

struct log {
    size_t count;
    int64_t times[8];
    enum evidence_kind kinds[8];
    int hints[8];
};

static void on_evidence(void *user, const char *session, const char *node,
                        const struct evidence *evidence)
{
    struct log *log = user;

    assert_string_equal(session, SESSION);
    assert_string_equal(node, "area");
    log->times[log->count] = evidence->time;
    log->kinds[log->count] = evidence->kind;
    log->hints[log->count++] = evidence->hints;
}

/* In the order of time, a graded submission at the time when it was handed in. */
static void test_evidence(void **state)
{
    struct fixture *fixture = *state;
    struct learners *learners = fixture->learners;
    const struct evidence read = {.kind = EVIDENCE_READ, .time = 2000},
                          verdict = {.kind = EVIDENCE_VERDICT_WRONG,
                                     .item = ITEM,
                                     .hints = 3,
                                     .time = 500};
    const struct evidence nameless = {.kind = EVIDENCE_VERDICT_WRONG},
                          helped = {.kind = EVIDENCE_READ, .hints = 4},
                          graded = {.kind = EVIDENCE_GRADED_RIGHT, .item = ITEM};
    struct log log = {0};

    assert_int_equal(
        learners_log(learners, fixture->id, SESSION, "area", &read, NULL, &fixture->err), 0);
    assert_int_equal(
        learners_log(learners, fixture->id, SESSION, "area", &verdict, "why", &fixture->err), 0);
    assert_int_equal(
        learners_log(learners, fixture->id, SESSION, "other", &read, NULL, &fixture->err), 0);
    assert_int_equal(grade(fixture, submit(fixture, "one", 0).submission, "pass"), 1);
    assert_int_equal(
        learners_evidence(learners, fixture->id, SESSION, "area", on_evidence, &log, &fixture->err),
        0);
    assert_int_equal(log.count, 3);
    assert_int_equal(log.times[0], 500);
    assert_int_equal(log.kinds[0], EVIDENCE_VERDICT_WRONG);
    assert_int_equal(log.hints[0], 3);
    assert_int_equal(log.times[1], 1000);
    assert_int_equal(log.kinds[1], EVIDENCE_GRADED_RIGHT);
    assert_int_equal(log.hints[1], 1);
    assert_int_equal(log.times[2], 2000);
    assert_int_equal(log.kinds[2], EVIDENCE_READ);
    assert_int_equal(count_of(fixture, "evidence"), 4);
    must_fail(fixture, ERROR_INVALID, "item",
              learners_log(learners, fixture->id, SESSION, "area", &nameless, NULL, &fixture->err));
    must_fail(fixture, ERROR_INTERNAL, "submissions only",
              learners_log(learners, fixture->id, SESSION, "area", &graded, NULL, &fixture->err));
    must_fail(fixture, ERROR_INVALID, "0 to 3",
              learners_log(learners, fixture->id, SESSION, "area", &helped, NULL, &fixture->err));
    must_fail(fixture, ERROR_NOT_FOUND, "lectern learner list",
              learners_log(learners, "nobody", SESSION, "area", &read, NULL, &fixture->err));
}

static void test_hints(void **state)
{
    struct fixture *fixture = *state;
    struct learners *learners = fixture->learners;
    static const int levels[] = {1, 1, 2, 3};
    int count;

    for (int i = 0; i < 4; i++)
        assert_int_equal(learners_hint(learners, fixture->id, SESSION, ITEM, levels[i],
                                       INT64_C(100) * (i + 1), &fixture->err),
                         0);
    must_fail(fixture, ERROR_INVALID, "from 1 to 3",
              learners_hint(learners, fixture->id, SESSION, ITEM, 4, 1, &fixture->err));
    must_fail(fixture, ERROR_INVALID, "from 1 to 3",
              learners_hint(learners, fixture->id, SESSION, ITEM, 0, 1, &fixture->err));
    assert_int_equal(learners_hints(learners, fixture->id, SESSION, ITEM, 0, &count, &fixture->err),
                     0);
    assert_int_equal(count, 3);
    assert_int_equal(
        learners_hints(learners, fixture->id, SESSION, ITEM, 400, &count, &fixture->err), 0);
    assert_int_equal(count, 1);
    assert_int_equal(
        learners_hints(learners, fixture->id, SESSION, "other", 0, &count, &fixture->err), 0);
    assert_int_equal(count, 0);
    assert_int_equal(count_of(fixture, "hints"), 4);
}

/* The bytes in the files are searched in tests/contract/test_learners.py. */
static void test_deletion(void **state)
{
    struct fixture *fixture = *state;
    const struct learner grace = {.name = "Grace"};
    char other[LEARNER_ID_SIZE];
    struct submitted submitted = submit(fixture, "one", 0);
    struct buf BUF_AUTO json = {0};
    json_t *backups = NULL;

    assert_int_equal(learners_add(fixture->learners, &grace, other, &fixture->err), 0);
    assert_int_equal(grade(fixture, submitted.submission, "pass"), 1);
    assert_int_equal(
        learners_hint(fixture->learners, fixture->id, SESSION, ITEM, 1, 1, &fixture->err), 0);
    assert_int_equal(learners_delete(fixture->learners, fixture->id, &backups, &fixture->err), 0);
    assert_int_equal(json_array_size(backups), 0);
    json_decref(backups);
    must_fail(fixture, ERROR_NOT_FOUND, "lectern learner list",
              learners_delete(fixture->learners, fixture->id, &backups, &fixture->err));
    must_fail(fixture, ERROR_NOT_FOUND, "",
              learners_read(fixture->learners, fixture->id, &json, &fixture->err));
    must_fail(fixture, ERROR_NOT_FOUND, "deleted", grade(fixture, submitted.submission, "pass"));
    assert_int_equal(learners_read(fixture->learners, other, &json, &fixture->err), 0);
}

/* No table of the one schema is in the other, and neither program takes the other's file. */
static void test_a_store_is_not_a_database_of_learners(void **state)
{
    struct fixture *fixture = *state;
    char url[128];

    assert_null(store_open(fixture->url, STORE_WRITE, &fixture->err));
    must_fail(fixture, ERROR_INVALID, "another", -1);
    snprintf(url, sizeof url, "sqlite:%s/none.db", fixture->folder);
    assert_null(learners_open(url, STORE_READ, &fixture->err));
    must_fail(fixture, ERROR_NOT_FOUND, "lectern learner add", -1);
    assert_null(learners_open("http://127.0.0.1:1", STORE_READ, &fixture->err));
    must_fail(fixture, ERROR_INVALID, "sqlite:PATH", -1);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
#define DATABASE_TEST(test) cmocka_unit_test_setup_teardown(test, open_database, close_database)
        DATABASE_TEST(test_caps),
        DATABASE_TEST(test_goal),
        DATABASE_TEST(test_set_tier_and_goal),
        DATABASE_TEST(test_a_submission_is_graded_once),
        DATABASE_TEST(test_a_limit),
        DATABASE_TEST(test_what_is_repeated),
        DATABASE_TEST(test_pending),
        DATABASE_TEST(test_evidence),
        DATABASE_TEST(test_hints),
        DATABASE_TEST(test_deletion),
        DATABASE_TEST(test_a_store_is_not_a_database_of_learners),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
