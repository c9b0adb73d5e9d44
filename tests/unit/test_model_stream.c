/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Server-sent events: a table of streams with the events they hold, each fed whole, byte by byte,
 * and cut at every position.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mcp/model/model_stream.h"

struct seen {
    char text[4096]; /* "name=data;" of each event */
    size_t len;
    int answer; /* of on_event */
};

static int on_event(void *user, const char *name, const char *data, size_t len, struct error *err)
{
    struct seen *seen = user;

    assert_int_equal(data[len], '\0');
    seen->len +=
        (size_t)snprintf(seen->text + seen->len, sizeof seen->text - seen->len, "%s=", name);
    for (size_t i = 0; i < len; i++)
        seen->text[seen->len++] = (char)(data[i] == '\n' ? '|' : data[i] ? data[i] : '0');
    seen->text[seen->len++] = ';';
    seen->text[seen->len] = '\0';
    return seen->answer < 0 ? error_set(err, ERROR_INVALID, "no") : seen->answer;
}

/* Feeds the parts before and behind each of two cuts. */
static void check_cut(const char *bytes, size_t len, size_t first, size_t second,
                      const char *expected)
{
    struct seen seen = {.len = 0};
    struct model_stream stream;
    struct error err = {0};
    size_t cuts[] = {0, first, second, len};

    model_stream_init(&stream, on_event, &seen);
    for (size_t i = 0; i < 3; i++) {
        /* Its own block, so that reading past a part shows. */
        char *part = malloc(cuts[i + 1] - cuts[i] + 1);

        assert_non_null(part);
        memcpy(part, bytes + cuts[i], cuts[i + 1] - cuts[i]);
        part = realloc(part, cuts[i + 1] - cuts[i] + (cuts[i + 1] == cuts[i]));
        assert_int_equal(model_stream_feed(&stream, part, cuts[i + 1] - cuts[i], &err), 0);
        free(part);
    }
    model_stream_finish(&stream);
    assert_string_equal(seen.text, expected);
}

static const struct {
    const char *bytes, *expected;
    size_t len; /* where the bytes hold a NUL */
} cases[] = {
    {"data: a\n\n", "message=a;", 0},
    {"event: x\ndata: a\n\n", "x=a;", 0},
    {"event:x\r\ndata:a\r\n\r\n", "x=a;", 0},
    {"event: x\rdata: a\r\rdata: b\r\r", "x=a;message=b;", 0},
    {"data: a\r\n\ndata: b\n\r\n", "message=a;message=b;", 0},
    {"data: a\n\r\ndata: b\r\n\r", "message=a;message=b;", 0},
    {"\xEF\xBB\xBF"
     "data: a\n\n",
     "message=a;", 0},
    {"data: \xEF\xBB\xBF\n\n\xEF\xBB\xBF"
     "data: a\n\n",
     "message=\xEF\xBB\xBF;", 0},
    {"data: a\ndata: b\ndata\ndata:\n\n", "message=a|b||;", 0},
    {"data\n\n", "message=;", 0},
    {"data:  two\n\n", "message= two;", 0},
    {": comment\n\n:\n\nid: 7\nretry: 3\n\n", "", 0},
    {"event: lost\n\ndata: a\n\n", "message=a;", 0},
    {"event: x\nevent: y\ndata: a\n\n", "y=a;", 0},
    {"event: x\nevent\ndata: a\n\n", "message=a;", 0},
    {"datas: a\ndat: b\nData: c\n data: d\n\n", "", 0},
    {"data: no end\n", "", 0},
    {"data: no end", "", 0},
    {"data: a:b: c\n\n", "message=a:b: c;", 0},
    {"data: \xF0\x9F\xA6\x84 \xC3\xA4\n\n", "message=\xF0\x9F\xA6\x84 \xC3\xA4;", 0},
    {"data: a\0b\nevent: c\0d\n\n", "c?d=a0b;", 22},
    {"event: "
     "123456789012345678901234567890123456789012345678901234567890123456789012345\ndata: a\n\n",
     "123456789012345678901234567890123456789012345678901234567890123=a;", 0},
    {"\n\n\n", "", 0},
    {"\r\r\n\n\r\n", "", 0},
};

static void test_cases_at_every_cut(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t len = cases[i].len ? cases[i].len : strlen(cases[i].bytes);

        for (size_t first = 0; first <= len; first++) {
            for (size_t second = first; second <= len; second++)
                check_cut(cases[i].bytes, len, first, second, cases[i].expected);
        }
    }
}

static int feed_text(struct model_stream *stream, const char *text, struct error *err)
{
    return model_stream_feed(stream, text, strlen(text), err);
}

static void test_listener_ends_it(void **state)
{
    struct seen seen = {.answer = -1};
    struct model_stream stream;
    struct error err = {0};

    (void)state;
    model_stream_init(&stream, on_event, &seen);
    assert_int_equal(feed_text(&stream, "data: a\n\ndata: b\n\n", &err), -1);
    assert_int_equal(err.kind, ERROR_INVALID);
    assert_string_equal(seen.text, "message=a;");
    assert_int_equal(feed_text(&stream, "data: c\n\n", &err), -1);
    assert_int_equal(err.kind, ERROR_MALFORMED);
    assert_string_equal(seen.text, "message=a;");
    model_stream_finish(&stream);

    seen = (struct seen){.answer = 7};
    model_stream_init(&stream, on_event, &seen);
    assert_int_equal(feed_text(&stream, "data: a\n\n", &err), 7);
    model_stream_finish(&stream);
}

/* Each cap is reached, and passed by one byte. */
static int feed_many(struct model_stream *stream, size_t line, size_t lines, struct error *err)
{
    char *bytes = malloc(line);
    int rc = 0;

    assert_non_null(bytes);
    memset(bytes, 'x', line);
    for (size_t i = 0; rc == 0 && i < lines; i++) {
        rc = feed_text(stream, "data:", err);
        if (rc == 0)
            rc = model_stream_feed(stream, bytes, line, err);
        if (rc == 0)
            rc = feed_text(stream, "\n", err);
    }
    free(bytes);
    return rc == 0 ? feed_text(stream, "\n", err) : rc;
}

static int count_bytes(void *user, const char *name, const char *data, size_t len,
                       struct error *err)
{
    (void)name, (void)data, (void)err;
    *(size_t *)user += len;
    return 0;
}

static void test_caps(void **state)
{
    static const struct {
        size_t line, lines;
        bool fits;
    } rows[] = {
        {MODEL_STREAM_LINE_CAP - 5, 1, true},
        {MODEL_STREAM_LINE_CAP - 4, 1, false},
        {MODEL_STREAM_DATA_CAP / 4 - 1, 4, true}, /* and three line ends */
        {MODEL_STREAM_DATA_CAP / 4, 4, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct model_stream stream;
        struct error err = {0};
        size_t bytes = 0;
        int rc;

        model_stream_init(&stream, count_bytes, &bytes);
        rc = feed_many(&stream, rows[i].line, rows[i].lines, &err);
        assert_int_equal(rc, rows[i].fits ? 0 : -1);
        assert_int_equal(err.kind, rows[i].fits ? ERROR_NONE : ERROR_TOO_LARGE);
        assert_int_equal(bytes,
                         rows[i].fits ? rows[i].line * rows[i].lines + rows[i].lines - 1 : 0);
        model_stream_finish(&stream);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases_at_every_cut),
        cmocka_unit_test(test_listener_ends_it),
        cmocka_unit_test(test_caps),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
