/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The pure parts of the executor: frames, UTF-8 repair, Docker's streams, and the JSON of a job.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "executor/docker/docker_daemon.h"
#include "executor/wire/frame_decoder.h"
#include "executor/job_frame.h"
#include "executor/output.h"
#include "executor/sandbox.h"
#include "helpers/base/utf8.h"

/* ---- frames ---- */

/* Feeds bytes in pieces of `step`, notes types and payload sizes: "o5 x2 !" where ! is a breach. */
static char *decode(const struct frame_rule *rules, const void *bytes, size_t len, size_t step,
                    char seen[256])
{
    enum frame_decoded rc = FRAME_MORE;
    struct frame_decoder decoder;
    struct frame frame;

    seen[0] = '\0';
    frame_decoder_init(&decoder, rules);
    for (size_t at = 0; at < len && rc != FRAME_BREACH;) {
        const char *piece = (const char *)bytes + at;
        size_t left = len - at < step ? len - at : step;

        at += left;
        while ((rc = frame_decode(&decoder, &piece, &left, &frame)) == FRAME_COMPLETE)
            snprintf(seen + strlen(seen), 256 - strlen(seen), "%c%zu ", frame.type, frame.len);
        if (rc == FRAME_MORE)
            assert_int_equal(left, 0);
    }
    if (rc == FRAME_BREACH) {
        const char *more = "x";
        size_t left = 1;

        assert_string_not_equal(decoder.fault, "");
        assert_int_equal(frame_decode(&decoder, &more, &left, &frame), FRAME_BREACH);
        strcat(seen, "!");
    }
    frame_decoder_finish(&decoder);
    return seen;
}

static const struct frame_rule to_runner[] = {
    {FRAME_JOB, FRAME_JOB_HEAD, FRAME_JOB_CAP, 0},
    {FRAME_ANSWER, 6, FRAME_ANSWER_CAP, 6},
    {FRAME_PING, 0, 0, 0},
    {0},
};

static size_t add_frame(unsigned char *to, enum frame_type type, const char *payload)
{
    frame_pack(to, type, (uint32_t)strlen(payload));
    memcpy(to + FRAME_HEAD_SIZE, payload, strlen(payload));
    return FRAME_HEAD_SIZE + strlen(payload);
}

static void test_frames_in_any_pieces(void **state)
{
    unsigned char bytes[256];
    size_t len = 0;
    char seen[256];

    (void)state;
    len += add_frame(bytes + len, FRAME_READY, "{}");
    len += add_frame(bytes + len, FRAME_STARTED, "");
    len += add_frame(bytes + len, FRAME_STDOUT, "hello");
    len += add_frame(bytes + len, FRAME_STDERR, "");
    len += add_frame(bytes + len, FRAME_EXIT, "{\"status\":\"ok\"}");
    for (size_t step = 1; step <= len; step++)
        assert_string_equal(decode(frames_from_runner, bytes, len, step, seen), "R2 S0 o5 e0 x15 ");
}

static void test_payload_is_terminated(void **state)
{
    struct frame_decoder decoder;
    unsigned char bytes[64];
    const char *at = (const char *)bytes;
    struct frame frame;
    size_t len = add_frame(bytes, FRAME_STDOUT, "abc") + 1;

    (void)state;
    bytes[len - 1] = 'Z'; /* of the next frame */
    frame_decoder_init(&decoder, frames_from_runner);
    assert_int_equal(frame_decode(&decoder, &at, &len, &frame), FRAME_COMPLETE);
    assert_int_equal(len, 1);
    assert_string_equal(frame.payload, "abc");
    assert_int_equal(frame.total, 3);
    frame_decoder_finish(&decoder);
}

/* A long one is handed on as it comes: first what is held, then pieces that are not kept. */
static void test_held_payload(void **state)
{
    unsigned char bytes[64];
    char seen[256];
    size_t len = add_frame(bytes, FRAME_ANSWER, "123456789abc");

    (void)state;
    len += add_frame(bytes + len, FRAME_PING, "");
    assert_string_equal(decode(to_runner, bytes, len, len, seen), "A6 A6 p0 ");
    assert_string_equal(decode(to_runner, bytes, len, 4, seen), "A6 A2 A4 p0 ");
    len = add_frame(bytes, FRAME_ANSWER, "123456");
    assert_string_equal(decode(to_runner, bytes, len, 1, seen), "A6 ");
    len = add_frame(bytes, FRAME_ANSWER, "12345");
    assert_string_equal(decode(to_runner, bytes, len, len, seen), "!");
}

static void test_breaches(void **state)
{
    unsigned char bytes[16];
    char seen[256];

    (void)state;
    /* A type of the other direction, in both. */
    add_frame(bytes, FRAME_JOB, "");
    assert_string_equal(decode(frames_from_runner, bytes, 8, 3, seen), "!");
    add_frame(bytes, FRAME_READY, "");
    assert_string_equal(decode(to_runner, bytes, 8, 8, seen), "!");
    /* No type at all. */
    assert_string_equal(decode(frames_from_runner, "HTTP/1.1 ", 9, 9, seen), "!");
    /* Reserved bytes. */
    frame_pack(bytes, FRAME_STDOUT, 0);
    bytes[2] = 1;
    assert_string_equal(decode(frames_from_runner, bytes, 8, 8, seen), "!");
    /* Over the cap by one; a length that nobody has the memory for. */
    frame_pack(bytes, FRAME_STDOUT, FRAME_OUTPUT_CAP + 1);
    assert_string_equal(decode(frames_from_runner, bytes, 8, 8, seen), "!");
    frame_pack(bytes, FRAME_ANSWER, UINT32_MAX);
    assert_string_equal(decode(to_runner, bytes, 8, 8, seen), "!");
    /* STARTED has no payload. */
    frame_pack(bytes, FRAME_STARTED, 1);
    assert_string_equal(decode(frames_from_runner, bytes, 8, 8, seen), "!");
    /* At the cap is fine. */
    frame_pack(bytes, FRAME_STDOUT, FRAME_OUTPUT_CAP);
    assert_string_equal(decode(frames_from_runner, bytes, 8, 8, seen), "");
}

/* Any bytes at all: the decoder must neither crash nor take more than it was given. */
static void test_random_bytes(void **state)
{
    unsigned char bytes[512];
    unsigned seed = 12345;
    char seen[256];

    (void)state;
    for (int round = 0; round < 2000; round++) {
        for (size_t i = 0; i < sizeof bytes; i++) {
            seed = seed * 1103515245 + 12345;
            bytes[i] = (unsigned char)(seed >> 16);
        }
        if (round % 2) { /* a plausible beginning */
            frame_pack(bytes, FRAME_STDOUT, seed >> 24);
            bytes[1] = 0;
        }
        decode(frames_from_runner, bytes, sizeof bytes, 1 + (seed >> 16) % 64, seen);
    }
}

/* ---- UTF-8 ---- */

static void check_repair(const char *bytes, size_t len, const char *wanted)
{
    for (size_t step = 1; step <= len; step++) {
        struct utf8_repair repair = {0};
        struct buf to;

        buf_init(&to, 0);
        for (size_t at = 0; at < len; at += step)
            utf8_repair_feed(&repair, bytes + at, len - at < step ? len - at : step, &to);
        utf8_repair_end(&repair, &to);
        assert_string_equal(to.data, wanted);
        buf_finish(&to);
    }
}

#define R UTF8_REPLACEMENT

static void test_utf8(void **state)
{
    (void)state;
    check_repair("abc", 3, "abc");
    check_repair("gr\xc3\xb6\xc3\x9f"
                 "er \xe2\x82\xac \xf0\x9f\x98\x80",
                 17, "größer € 😀");
    check_repair("a\xff"
                 "b",
                 3, "a" R "b");
    check_repair("\xc3", 1, R);
    check_repair("\xc3(", 2, R "(");
    check_repair("\xe2\x82", 2, R); /* cut: one for the part */
    check_repair("\xe2\x82"
                 "A",
                 3, R "A");
    check_repair("\xc0\xaf", 2, R R);             /* overlong */
    check_repair("\xe0\x80\xaf", 3, R R R);       /* overlong */
    check_repair("\xed\xa0\x80", 3, R R R);       /* surrogate */
    check_repair("\xf4\x90\x80\x80", 4, R R R R); /* beyond U+10FFFF */
    check_repair("\xf0\x9f\x98\xf0\x9f\x98\x80", 7, R "😀");
    check_repair("\x80\x80", 2, R R);
}

/* ---- Docker's streams ---- */

static void test_demux(void **state)
{
    static const char wire[] =
        "\1\0\0\0\0\0\0\5hello\2\0\0\0\0\0\0\4oops\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\6 world";
    const size_t len = sizeof wire - 1;

    (void)state;
    for (size_t step = 1; step <= len; step++) {
        struct runner_stderr errors = {.len = 0};
        struct docker_demux demux = {.errors = &errors};
        char out[64] = "", piece[64];

        for (size_t at = 0; at < len; at += step) {
            size_t some = len - at < step ? len - at : step;
            ssize_t kept;

            memcpy(piece, wire + at, some);
            kept = docker_demux(&demux, piece, some);
            assert_true(kept >= 0);
            strncat(out, piece, (size_t)kept);
        }
        assert_string_equal(out, "hello world");
        assert_string_equal(runner_stderr_line(&errors), "oops");
    }
}

static void test_demux_refuses(void **state)
{
    struct docker_demux demux = {.head_len = 0};
    char bytes[] = "HTTP/1.1 400";

    (void)state;
    assert_int_equal(docker_demux(&demux, bytes, 12), -1);
}

/* ---- the JSON of a job ---- */

static struct frame status_frame(enum frame_type type, const char *text)
{
    return (struct frame){.type = type, .payload = text, .len = strlen(text)};
}

static void test_job_frame(void **state)
{
    struct execution_job job = {
        .code = "print('\xc3\xa4')\n", .code_len = 12, .session_id = "s1", .kind = "bare"};
    struct error err = {0};
    size_t len;
    char *frame = job_frame_pack(&job, 1234, &len, &err);
    struct frame_job limits;
    unsigned char type;
    json_t *json;

    (void)state;
    assert_non_null(frame);
    assert_int_equal(frame_unpack((unsigned char *)frame, &type), len - FRAME_HEAD_SIZE);
    assert_int_equal(type, FRAME_JOB);
    limits = frame_job_unpack(frame + FRAME_HEAD_SIZE);
    assert_int_equal(limits.timeout_ms, 1234);
    assert_int_equal(limits.stdout_cap, EXECUTION_STDOUT_CAP);
    assert_int_equal(limits.stderr_cap, EXECUTION_STDERR_CAP);
    assert_int_equal(limits.tail_cap, EXECUTION_TAIL_CAP);
    assert_int_equal(limits.output_limit, EXECUTION_OUTPUT_LIMIT);
    json = json_read(frame + FRAME_HEAD_SIZE + FRAME_JOB_HEAD,
                     len - FRAME_HEAD_SIZE - FRAME_JOB_HEAD, "job", &err);
    assert_string_equal(json_get_string(json, "code"), "print('ä')\n");
    assert_string_equal(json_get_string(json, "session_id"), "s1");
    assert_int_equal(json_integer_value(json_object_get(json, "timeout_ms")), 1234);
    assert_int_equal(json_array_size(json_object_get(json, "preload")), 0);
    assert_string_equal(json_get_string(json, "profile"), "minimal");
    json_decref(json);
    free(frame);
}

static void test_job_frame_refuses(void **state)
{
    struct execution_job job = {.code = "\xff", .code_len = 1, .kind = "bare"};
    struct error err = {0};
    size_t len;
    char *large;

    (void)state;
    assert_null(job_frame_pack(&job, 1, &len, &err));
    assert_int_equal(err.kind, ERROR_INVALID);
    large = malloc(FRAME_JOB_CAP);
    memset(large, 'x', FRAME_JOB_CAP);
    job.code = large;
    job.code_len = FRAME_JOB_CAP;
    assert_null(job_frame_pack(&job, 1, &len, &err));
    assert_int_equal(err.kind, ERROR_TOO_LARGE);
    free(large);
}

static void test_exit(void **state)
{
    static const struct {
        const char *text;
        enum execution_status status;
        bool good;
    } cases[] = {
        {"{\"status\":\"ok\",\"exit_code\":0,\"seconds\":0.5}", EXECUTION_OK, true},
        {"{\"status\":\"error\",\"exit_code\":1}", EXECUTION_OK, false},
        {"{\"status\":\"import\"}", EXECUTION_RUNTIME, true},
        {"{\"status\":\"timeout\"}", EXECUTION_TIMEOUT, true},
        {"{\"status\":\"memory\"}", EXECUTION_MEMORY, true},
        {"{\"status\":\"output\"}", EXECUTION_OUTPUT, true},
        {"{\"status\":\"crash\",\"signal\":11}", EXECUTION_CRASH, true},
        {"{\"status\":\"cancelled\"}", EXECUTION_CANCELLED, true},
        {"{\"status\":\"fine\"}", EXECUTION_OK, false},
        {"{}", EXECUTION_OK, false},
        {"[]", EXECUTION_OK, false},
        {"", EXECUTION_OK, false},
        {"{\"status\":", EXECUTION_OK, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct frame frame = status_frame(FRAME_EXIT, cases[i].text);
        struct job_exit ended = {0};
        struct error err = {0};

        assert_int_equal(job_exit_read(&frame, &ended, &err), cases[i].good ? 0 : -1);
        if (cases[i].good)
            assert_int_equal(ended.status, cases[i].status);
        else
            assert_int_equal(err.kind, ERROR_MALFORMED);
    }
}

static void test_exit_is_not_believed_blindly(void **state)
{
    struct frame frame =
        status_frame(FRAME_EXIT, "{\"status\":\"ok\",\"seconds\":-3,\"exit_code\":99999,"
                                 "\"stdout_cut\":-5,\"stderr_cut\":7}");
    struct job_exit ended = {0};

    (void)state;
    assert_int_equal(job_exit_read(&frame, &ended, NULL), 0);
    assert_true(ended.seconds < 0);
    assert_in_range(ended.exit_code, 0, 255);
    assert_int_equal(ended.stdout_cut, 0);
    assert_int_equal(ended.stderr_cut, 7);
    assert_true(ended.ran); /* unless it says that none has */
    frame = status_frame(FRAME_EXIT, "{\"status\":\"ok\",\"ran\":false}");
    assert_int_equal(job_exit_read(&frame, &ended, NULL), 0);
    assert_false(ended.ran);
}

static void test_result(void **state)
{
    struct frame frame =
        status_frame(FRAME_RESULT, "{\"value\":\"a\\u0000b\",\"error\":null,\"error_type\":7}");
    static const struct {
        const char *text;
        long line;
    } lines[] = {{"{\"line\":7}", 7},
                 {"{\"line\":-7}", 0},
                 {"{\"line\":\"7\"}", 0},
                 {"{\"line\":9999999999}", 0}};
    struct job_result result = {0};

    (void)state;
    assert_int_equal(job_result_read(&frame, &result, NULL), 0);
    assert_string_equal(result.value, "a" R "b");
    assert_null(result.error);
    assert_null(result.error_type);
    job_result_finish(&result);
    assert_int_equal(result.error_line, 0);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        frame = status_frame(FRAME_RESULT, lines[i].text);
        assert_int_equal(job_result_read(&frame, &result, NULL), 0);
        assert_int_equal(result.error_line, lines[i].line);
        job_result_finish(&result);
    }
    frame = status_frame(FRAME_RESULT, "\"no object\"");
    assert_int_equal(job_result_read(&frame, &result, NULL), -1);
}

/* It goes into the log, so nothing passes but a short word and a sane number. */
/* The runner passes it on unread: what has another type counts as left out. */
static void test_result_of_wrong_members(void **state)
{
    struct frame frame =
        status_frame(FRAME_RESULT, "{\"value\":7,\"error\":[],\"error_type\":{},"
                                   "\"line\":\"x\",\"bound\":1,\"exit_code\":\"3\"}");
    struct job_result result = {0};

    (void)state;
    assert_int_equal(job_result_read(&frame, &result, NULL), 0);
    assert_null(result.value);
    assert_null(result.error);
    assert_null(result.error_type);
    assert_false(result.value_bound);
    assert_int_equal(result.error_line, 0);
    assert_int_equal(result.exit_code, 0);
    job_result_finish(&result);
    frame = status_frame(FRAME_RESULT, "{\"exit_code\":259}");
    assert_int_equal(job_result_read(&frame, &result, NULL), 0);
    assert_int_equal(result.exit_code, 3);
    job_result_finish(&result);
}

static void test_disagreement(void **state)
{
    static const struct {
        const char *text, *code;
        long line;
    } cases[] = {
        {"{\"disagreement\":{\"code\":\"forbidden-name\",\"line\":7}}", "forbidden-name", 7},
        {"{\"disagreement\":{\"code\":\"syntax\",\"line\":0}}", "syntax", 0},
        {"{\"disagreement\":{\"code\":\"abcdefghijklmnopqrstuvwxyzabcdefg\",\"line\":7}}", "", 0},
        {"{\"disagreement\":{\"code\":\"a b\",\"line\":7}}", "", 0},
        {"{\"disagreement\":{\"code\":\"a\\u0000b\",\"line\":7}}", "", 0},
        {"{\"disagreement\":{\"code\":\"\",\"line\":7}}", "", 0},
        {"{\"disagreement\":{\"code\":\"a\",\"line\":-1}}", "", 0},
        {"{\"disagreement\":{\"code\":\"a\",\"line\":9999999999}}", "", 0},
        {"{\"disagreement\":{\"code\":\"a\",\"line\":\"7\"}}", "", 0},
        {"{\"disagreement\":{\"code\":7,\"line\":7}}", "", 0},
        {"{\"disagreement\":[\"a\",7]}", "", 0},
        {"{\"disagreement\":null}", "", 0},
        {"{}", "", 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct frame frame = status_frame(FRAME_RESULT, cases[i].text);
        struct job_result result = {0};

        assert_int_equal(job_result_read(&frame, &result, NULL), 0);
        assert_string_equal(result.refused, cases[i].code);
        assert_int_equal(result.refused_line, cases[i].line);
        job_result_finish(&result);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frames_in_any_pieces),
        cmocka_unit_test(test_payload_is_terminated),
        cmocka_unit_test(test_breaches),
        cmocka_unit_test(test_held_payload),
        cmocka_unit_test(test_random_bytes),
        cmocka_unit_test(test_utf8),
        cmocka_unit_test(test_demux),
        cmocka_unit_test(test_demux_refuses),
        cmocka_unit_test(test_job_frame),
        cmocka_unit_test(test_job_frame_refuses),
        cmocka_unit_test(test_exit),
        cmocka_unit_test(test_exit_is_not_believed_blindly),
        cmocka_unit_test(test_result),
        cmocka_unit_test(test_result_of_wrong_members),
        cmocka_unit_test(test_disagreement),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
