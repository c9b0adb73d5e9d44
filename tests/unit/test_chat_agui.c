/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * AG-UI frames: each event of a run, what a run that ends must have closed, single frames, and a
 * thread as a snapshot of messages. With LECTERN_FRAMES=FILE every frame is written there as well,
 * a line each, in an order that a client takes: tests/contract/test_chat_frames.py holds them
 * against the protocol's own schemas and verifier.
 */
#include "tests/unit/session_fixture.h"

#include "mcp/chat/agui.h"

static FILE *frames_file;

/* Frames so far, without what the clock says. */
static json_t *frames;

static void on_frame(void *user, const char *frame, size_t len)
{
    json_t *value = parse(frame);
    const json_t *timestamp = json_object_get(value, "timestamp");

    assert_null(user);
    assert_int_equal(strlen(frame), len);
    assert_null(strchr(frame, '\n'));
    if (frames_file)
        fprintf(frames_file, "%s\n", frame);
    if (timestamp) {
        assert_true(json_is_integer(timestamp));
        assert_true(json_integer_value(timestamp) > 1600000000000);
        json_object_del(value, "timestamp");
    }
    json_array_append_new(frames, value);
}

static void add_buf(struct buf *frame)
{
    assert_false(frame->failed);
    on_frame(NULL, frame->data, frame->len);
    buf_finish(frame);
}

static int set_up(void **state)
{
    (void)state;
    frames = json_array();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    json_decref(frames);
    return 0;
}

static void expect(const char *wanted)
{
    json_auto_t *list = parse(wanted);
    struct buf text BUF_AUTO = {0};

    if (!same_json(list, frames)) {
        json_write(&text, frames);
        fail_msg("frames are %s", text.data);
    }
    json_array_clear(frames);
}

#define WRITE(run, ...) agui_write(run, &(struct run_event){__VA_ARGS__}, on_frame, NULL)
#define SAY(words)      .text = (words), .len = strlen(words)
#define STARTED                                                                                    \
    "{\"type\":\"RUN_STARTED\",\"threadId\":\"t\",\"runId\":\"r\",\"protocolVersion\":\"1.0\"}"
#define FINISHED(outcome)                                                                          \
    "{\"type\":\"RUN_FINISHED\",\"threadId\":\"t\",\"runId\":\"r\",\"outcome\":" outcome "}"

static void test_a_whole_run(void **state)
{
    struct agui_run run = {.thread_id = "t", .run_id = "r"};
    struct run_usage usage = {
        .tokens = {.input = 10, .cache_write = 20, .cache_read = 300, .output = 7},
        .requests = 1,
        .whole_curriculum = 90000};
    struct tool_call call = {.image_count = 1};
    struct tool_call failed = {.failure = {.category = FAILURE_RUNTIME}};

    (void)state;
    snprintf(call.images[0].mime, sizeof call.images[0].mime, "image/png");
    call.images[0].base64 = (char[]){"AAAA"};
    call.images[0].len = 4;
    WRITE(&run, .kind = RUN_BEGAN);
    WRITE(&run, .kind = RUN_TURN_BEGAN, .number = 1);
    WRITE(&run, .kind = RUN_THINKING_BEGAN, .id = "h");
    WRITE(&run, .kind = RUN_THINKING, .id = "h", SAY("hm"));
    WRITE(&run, .kind = RUN_THINKING_ENDED, .id = "h");
    WRITE(&run, .kind = RUN_TEXT_BEGAN, .id = "m");
    WRITE(&run, .kind = RUN_TEXT, .id = "m", SAY("a \"\n\xf0\x9f\xa6\x93"));
    WRITE(&run, .kind = RUN_TEXT, .id = "m", SAY(""));
    WRITE(&run, .kind = RUN_TEXT_ENDED, .id = "m");
    WRITE(&run, .kind = RUN_CALL_BEGAN, .id = "c1", .name = "execute_code", .message_id = "m");
    WRITE(&run, .kind = RUN_CALL_BEGAN, .id = "c2", .name = "no_such_tool");
    WRITE(&run, .kind = RUN_CALL_ARGUMENTS, .id = "c1", SAY("{\"code\":1}"));
    WRITE(&run, .kind = RUN_CALL_ENDED, .id = "c1");
    WRITE(&run, .kind = RUN_CALL_ENDED, .id = "c2");
    expect("[" STARTED ",{\"type\":\"STEP_STARTED\",\"stepName\":\"turn 1\"},"
           "{\"type\":\"REASONING_START\",\"messageId\":\"h\"},"
           "{\"type\":\"REASONING_MESSAGE_START\",\"messageId\":\"h\",\"role\":\"reasoning\"},"
           "{\"type\":\"REASONING_MESSAGE_CONTENT\",\"messageId\":\"h\",\"delta\":\"hm\"},"
           "{\"type\":\"REASONING_MESSAGE_END\",\"messageId\":\"h\"},"
           "{\"type\":\"REASONING_END\",\"messageId\":\"h\"},"
           "{\"type\":\"TEXT_MESSAGE_START\",\"messageId\":\"m\",\"role\":\"assistant\"},"
           "{\"type\":\"TEXT_MESSAGE_CONTENT\",\"messageId\":\"m\","
           "\"delta\":\"a \\\"\\n\xf0\x9f\xa6\x93\"},"
           "{\"type\":\"TEXT_MESSAGE_END\",\"messageId\":\"m\"},"
           "{\"type\":\"TOOL_CALL_START\",\"toolCallId\":\"c1\",\"toolCallName\":\"execute_code\","
           "\"parentMessageId\":\"m\",\"metadata\":{\"title\":\"Analysis\",\"icon\":\"code\"}},"
           "{\"type\":\"TOOL_CALL_START\",\"toolCallId\":\"c2\",\"toolCallName\":\"no_such_tool\"},"
           "{\"type\":\"TOOL_CALL_ARGS\",\"toolCallId\":\"c1\",\"delta\":\"{\\\"code\\\":1}\"},"
           "{\"type\":\"TOOL_CALL_END\",\"toolCallId\":\"c1\"},"
           "{\"type\":\"TOOL_CALL_END\",\"toolCallId\":\"c2\"}]");
    WRITE(&run, .kind = RUN_TURN_ENDED, .number = 1, .usage = &usage);
    expect("[{\"type\":\"CUSTOM\",\"name\":\"lectern.usage\",\"value\":{\"inputTokens\":330,"
           "\"cachedInputTokens\":300,\"cacheWriteInputTokens\":20,\"outputTokens\":7,"
           "\"requests\":1,\"wholeCurriculumTokens\":90000}},"
           "{\"type\":\"STEP_FINISHED\",\"stepName\":\"turn 1\"}]");
    WRITE(&run, .kind = RUN_CALL_STARTED, .id = "c1", .name = "execute_code");
    WRITE(&run, .kind = RUN_CALL_STANDS, .id = "c1", SAY("running"));
    WRITE(&run, .kind = RUN_CALL_PRINTED, .id = "c1", SAY("1\n"));
    WRITE(&run, .kind = RUN_CALL_RESULT, .id = "c1", .message_id = "x1", SAY("done"), .call = &call,
          .milliseconds = 12, .waited = 7, .repairs_max = 2);
    WRITE(&run, .kind = RUN_CALL_RESULT, .id = "c2", .message_id = "x2", SAY("no"), .call = &failed,
          .is_error = true, .category = "runtime", .repair = 2, .repairs_max = 2);
    WRITE(&run, .kind = RUN_CALL_RESULT, .id = "c2", .message_id = "x3", SAY("not called"),
          .is_error = true, .repairs_max = 2);
    expect("[{\"type\":\"CUSTOM\",\"name\":\"lectern.started\",\"value\":{\"toolCallId\":\"c1\"}},"
           "{\"type\":\"CUSTOM\",\"name\":\"lectern.progress\",\"value\":{\"toolCallId\":\"c1\","
           "\"message\":\"running\"}},"
           "{\"type\":\"CUSTOM\",\"name\":\"lectern.output\",\"value\":{\"toolCallId\":\"c1\","
           "\"text\":\"1\\n\"}},"
           "{\"type\":\"TOOL_CALL_RESULT\",\"messageId\":\"x1\",\"toolCallId\":\"c1\",\"role\":"
           "\"tool\",\"content\":[{\"type\":\"text\",\"text\":\"done\"},{\"type\":\"image\","
           "\"source\":{\"type\":\"data\",\"value\":\"AAAA\",\"mimeType\":\"image/png\"}}],"
           "\"metadata\":{\"isError\":false,\"milliseconds\":12,\"waited\":7,\"repair\":0,"
           "\"repairsMax\":2}},"
           "{\"type\":\"TOOL_CALL_RESULT\",\"messageId\":\"x2\",\"toolCallId\":\"c2\",\"role\":"
           "\"tool\",\"content\":\"no\",\"metadata\":{\"isError\":true,\"category\":\"runtime\","
           "\"milliseconds\":0,\"waited\":0,\"repair\":2,\"repairsMax\":2}},"
           "{\"type\":\"TOOL_CALL_RESULT\",\"messageId\":\"x3\",\"toolCallId\":\"c2\",\"role\":"
           "\"tool\",\"content\":\"not called\",\"metadata\":{\"isError\":true,"
           "\"milliseconds\":0,\"waited\":0,\"repair\":0,\"repairsMax\":2}}]");
    WRITE(&run, .kind = RUN_WAITING, .number = 2, .milliseconds = 500, SAY("overloaded"));
    WRITE(&run, .kind = RUN_LIMIT, .name = "turns", SAY("24 turns"));
    WRITE(&run, .kind = RUN_AGAIN, .id = "n1", SAY("Asked again."));
    WRITE(&run, .kind = RUN_ENDED, .outcome = RUN_SUCCEEDED);
    expect("[{\"type\":\"CUSTOM\",\"name\":\"lectern.waiting\",\"value\":{\"attempt\":2,"
           "\"milliseconds\":500,\"why\":\"overloaded\"}},"
           "{\"type\":\"CUSTOM\",\"name\":\"lectern.limit\",\"value\":{\"limit\":\"turns\","
           "\"message\":\"24 turns\"}},"
           "{\"type\":\"CUSTOM\",\"name\":\"lectern.again\",\"value\":{\"id\":\"n1\","
           "\"message\":\"Asked again.\"}}," FINISHED("{\"type\":\"success\"}") "]");
    agui_run_close(&run);
}

static void test_a_run_ends_with_nothing_open(void **state)
{
    struct agui_run run = {.thread_id = "t", .run_id = "r"};

    (void)state;
    WRITE(&run, .kind = RUN_BEGAN);
    WRITE(&run, .kind = RUN_TURN_BEGAN, .number = 1);
    WRITE(&run, .kind = RUN_THINKING_BEGAN, .id = "h");
    WRITE(&run, .kind = RUN_TEXT_BEGAN, .id = "m");
    WRITE(&run, .kind = RUN_CALL_BEGAN, .id = "c", .name = "n");
    json_array_clear(frames);
    WRITE(&run, .kind = RUN_ENDED, .outcome = RUN_CANCELLED);
    expect("[{\"type\":\"STEP_FINISHED\",\"stepName\":\"turn 1\"},"
           "{\"type\":\"TEXT_MESSAGE_END\",\"messageId\":\"m\"},"
           "{\"type\":\"REASONING_MESSAGE_END\",\"messageId\":\"h\"},"
           "{\"type\":\"REASONING_END\",\"messageId\":\"h\"},"
           "{\"type\":\"TOOL_CALL_END\",\"toolCallId\":\"c\"}," FINISHED(
               "{\"type\":\"cancelled\"}") "]");
    agui_run_close(&run);
}

static void test_ends(void **state)
{
    struct agui_run run = {.thread_id = "t", .run_id = "r"};
    json_auto_t *interrupts =
        parse("[{\"id\":\"i\",\"reason\":\"lectern.approval\",\"message\":\"?\",\"toolCallId\":"
              "\"c\",\"responseSchema\":{\"type\":\"object\"},\"metadata\":{\"more\":0}}]");
    json_auto_t *task = parse("{\"id\":\"m\"}");
    json_auto_t *models =
        parse("{\"small\":{\"input\":1,\"output\":4,\"cache_read\":2,\"cache_write\":0}}");
    struct run_usage usage = {.tokens = {.input = 1, .cache_read = 2, .output = 4}, .requests = 1};
    struct error err = {.kind = ERROR_BUSY, .text = "overloaded"};
    struct buf frame = {0};

    (void)state;
    WRITE(&run, .kind = RUN_BEGAN);
    WRITE(&run, .kind = RUN_ENDED, .outcome = RUN_INTERRUPTED, .interrupts = interrupts);
    expect("[" STARTED "," FINISHED(
        "{\"type\":\"interrupt\",\"interrupts\":[{\"id\":\"i\",\"reason\":\"lectern.approval\","
        "\"message\":\"?\",\"toolCallId\":\"c\",\"responseSchema\":{\"type\":\"object\"},"
        "\"metadata\":{\"more\":0}}]}") "]");
    WRITE(&run, .kind = RUN_BEGAN);
    WRITE(&run, .kind = RUN_TEXT_BEGAN, .id = "m");
    WRITE(&run, .kind = RUN_ENDED, .outcome = RUN_FAILED, .err = &err, .usage = &usage);
    expect("[" STARTED ",{\"type\":\"TEXT_MESSAGE_START\",\"messageId\":\"m\",\"role\":"
           "\"assistant\"},{\"type\":\"CUSTOM\",\"name\":\"lectern.usage\",\"value\":{"
           "\"inputTokens\":3,\"cachedInputTokens\":2,\"cacheWriteInputTokens\":0,"
           "\"outputTokens\":4,\"requests\":1,\"wholeCurriculumTokens\":0}},"
           "{\"type\":\"TEXT_MESSAGE_END\",\"messageId\":\"m\"},"
           "{\"type\":\"RUN_ERROR\",\"message\":\"overloaded\",\"code\":\"busy\",\"usage\":[{"
           "\"inputTokens\":3,\"outputTokens\":4,\"totalTokens\":7,\"cachedInputTokens\":2,"
           "\"cacheWriteInputTokens\":0}]}]");
    WRITE(&run, .kind = RUN_BEGAN);
    WRITE(&run, .kind = RUN_ENDED, .outcome = RUN_SUCCEEDED, .status = "partial");
    expect("[" STARTED
           "," FINISHED("{\"type\":\"success\"},\"result\":{\"status\":\"partial\"}") "]");
    WRITE(&run, .kind = RUN_BEGAN);
    WRITE(&run, .kind = RUN_TURN_BEGAN, .number = 1, .name = "coder");
    WRITE(&run, .kind = RUN_TURN_ENDED, .number = 1, .name = "coder");
    WRITE(&run, .kind = RUN_TASK, .id = "m", .task = task);
    WRITE(&run, .kind = RUN_ENDED, .outcome = RUN_SUCCEEDED, .status = "solved", .usage = &usage,
          .models = models);
    expect("[" STARTED ",{\"type\":\"STEP_STARTED\",\"stepName\":\"coder\"},"
           "{\"type\":\"STEP_FINISHED\",\"stepName\":\"coder\"},"
           "{\"type\":\"CUSTOM\",\"name\":\"lectern.task\",\"value\":{\"id\":\"m\"}},"
           "{\"type\":\"CUSTOM\",\"name\":\"lectern.usage\",\"value\":{"
           "\"inputTokens\":3,\"cachedInputTokens\":2,\"cacheWriteInputTokens\":0,"
           "\"outputTokens\":4,\"requests\":1,\"wholeCurriculumTokens\":0}}," FINISHED(
               "{\"type\":\"success\"},\"result\":{\"status\":\"solved\"},\"usage\":[{"
               "\"model\":\"small\",\"inputTokens\":3,\"outputTokens\":4,\"totalTokens\":7,"
               "\"cachedInputTokens\":2,\"cacheWriteInputTokens\":0}]") "]");
    WRITE(&run, .kind = RUN_BEGAN);
    WRITE(&run, .kind = RUN_ENDED, .outcome = RUN_INTERRUPTED, .interrupts = interrupts);
    json_array_clear(frames);
    WRITE(&run, .kind = RUN_BEGAN);
    WRITE(&run, .kind = RUN_ENDED, .outcome = RUN_SUCCEEDED);
    agui_run_error("no", NULL, &frame);
    add_buf(&frame);
    agui_run_error("no", "invalid", &frame);
    /* Not a second one in the file: nothing comes after an error but a start. */
    buf_finish(&frame);
    expect("[" STARTED "," FINISHED("{\"type\":\"success\"}") ",{\"type\":\"RUN_ERROR\","
                                                              "\"message\":\"no\"}]");
    agui_run_close(&run);
}

static void test_a_live_run(void **state)
{
    struct agui_run run = {.thread_id = "t", .run_id = "r"};
    static const struct store_change changes[] = {
        {STORE_SESSION, "s", NULL, "import"},      {STORE_NODES, "s", "N001", "page:Anna/ab12"},
        {STORE_COMPONENTS, "s", "a\"b", "mcp"},    {STORE_RELATIONSHIPS, "s", NULL, "rest"},
        {STORE_NODE_MAP, "s", "N002", "rest:cms"},
    };
    json_auto_t *value = parse("{\"version\":1,\"threads\":[]}");
    struct buf frame = {0};

    (void)state;
    WRITE(&run, .kind = RUN_BEGAN);
    agui_state(value, &frame);
    add_buf(&frame);
    json_array_clear(frames);
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        json_auto_t *change = agui_change_value(&changes[i]);

        agui_change(change, &frame);
        add_buf(&frame);
    }
#define CHANGE(target, node, who)                                                                  \
    "{\"type\":\"CUSTOM\",\"name\":\"lectern.change\",\"value\":{\"target\":\"" target             \
    "\",\"node_id\":" node ",\"who\":\"" who "\"}}"
    expect("[" CHANGE("session", "null", "import") "," CHANGE(
        "nodes", "\"N001\"",
        "page:Anna/ab12") "," CHANGE("components", "\"a\\\"b\"",
                                     "mcp") "," CHANGE("relationships", "null",
                                                       "rest") "," CHANGE("positions", "\"N002\"",
                                                                          "rest:cms") "]");
    WRITE(&run, .kind = RUN_ENDED, .outcome = RUN_SUCCEEDED);
    agui_run_close(&run);
}

static void test_a_thread_as_messages(void **state)
{
    struct agui_run run = {.thread_id = "t", .run_id = "r"};
    struct thread thread = {
        .messages = parse(
            "[{\"id\":\"q1\",\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"(where)"
            "\"},{\"type\":\"text\",\"text\":\"Why?\"}],\"shown\":{\"text\":\"Why?\"}},"
            "{\"id\":\"a1\",\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\","
            "\"thinking\":\"hm\",\"signature\":\"s\"},{\"type\":\"redacted_thinking\",\"data\":"
            "\"d\"},{\"type\":\"text\",\"text\":\"Look\"},{\"type\":\"tool_use\",\"id\":\"c1\","
            "\"name\":\"n\",\"input\":{\"a\":0.95}},{\"type\":\"tool_use\",\"id\":\"c2\",\"name\":"
            "\"n\",\"input\":{}}]},"
            "{\"id\":\"u2\",\"role\":\"user\",\"content\":[{\"type\":\"tool_result\","
            "\"tool_use_id\":\"c1\",\"content\":[{\"type\":\"text\",\"text\":\"cut\"},{\"type\":"
            "\"image\",\"source\":{\"type\":\"base64\",\"media_type\":\"image/png\",\"data\":"
            "\"AAAA\"}}]},{\"type\":\"tool_result\",\"tool_use_id\":\"c2\",\"content\":\"bad\","
            "\"is_error\":true}],\"shown\":{\"results\":[{\"id\":\"x1\",\"tool_call_id\":\"c1\","
            "\"text\":\"whole\",\"is_error\":false,\"category\":null,\"milliseconds\":5,\"waited\":"
            "2,"
            "\"repair\":0}]}},"
            "{\"id\":\"n1\",\"role\":\"note\",\"shown\":{\"kind\":\"stopped\",\"text\":\"No\"}},"
            "{\"role\":\"note\",\"shown\":{}},"
            "{\"id\":\"n2\",\"role\":\"note\",\"shown\":{\"kind\":\"usage\",\"usage\":{"
            "\"outputTokens\":3}}},"
            "{\"id\":\"a2\",\"role\":\"assistant\",\"content\":[]},"
            "{\"id\":\"a3\",\"role\":\"assistant\",\"content\":[{\"type\":\"tool_use\","
            "\"id\":\"c3\",\"name\":\"execute_code\",\"input\":{}}]},"
            "{\"id\":\"q2\",\"role\":\"user\",\"content\":[{\"type\":\"tool_result\","
            "\"tool_use_id\":\"c3\",\"content\":\"Not done\",\"is_error\":true},{\"type\":\"text\","
            "\"text\":\"and?\"}],\"shown\":{\"text\":\"and?\",\"results\":[{\"id\":\"x3\","
            "\"tool_call_id\":\"c3\",\"text\":\"Not done\",\"is_error\":true}]}}]"),
    };
    struct buf frame = {0};

    (void)state;
    WRITE(&run, .kind = RUN_BEGAN);
    json_array_clear(frames);
    agui_messages(&thread, &frame);
    add_buf(&frame);
    expect("[{\"type\":\"MESSAGES_SNAPSHOT\",\"messages\":["
           "{\"id\":\"q1\",\"role\":\"user\",\"content\":\"Why?\"},"
           "{\"id\":\"a1-thinking-0\",\"role\":\"reasoning\",\"content\":\"hm\"},"
           "{\"id\":\"a1\",\"role\":\"assistant\",\"content\":\"Look\",\"toolCalls\":[{\"id\":"
           "\"c1\",\"type\":\"function\",\"function\":{\"name\":\"n\",\"arguments\":"
           "\"{\\\"a\\\":0.95}\"}},{\"id\":\"c2\",\"type\":\"function\",\"function\":{\"name\":"
           "\"n\",\"arguments\":\"{}\"}}]},"
           "{\"id\":\"x1\",\"role\":\"tool\",\"toolCallId\":\"c1\",\"content\":[{\"type\":\"text\","
           "\"text\":\"whole\"},{\"type\":\"image\",\"source\":{\"type\":\"data\",\"value\":"
           "\"AAAA\",\"mimeType\":\"image/png\"}}],\"metadata\":{\"isError\":false,\"repairsMax\":"
           "2,\"milliseconds\":5,\"waited\":2,\"repair\":0}},"
           "{\"id\":\"u2-result-1\",\"role\":\"tool\",\"toolCallId\":\"c2\",\"content\":\"bad\","
           "\"metadata\":{\"isError\":true,\"repairsMax\":2}},"
           "{\"id\":\"n1\",\"role\":\"activity\",\"activityType\":\"lectern.note\",\"content\":{"
           "\"kind\":\"stopped\",\"text\":\"No\"}},"
           "{\"id\":\"n2\",\"role\":\"activity\",\"activityType\":\"lectern.usage\",\"content\":{"
           "\"outputTokens\":3}},"
           "{\"id\":\"a3\",\"role\":\"assistant\",\"toolCalls\":[{\"id\":\"c3\",\"type\":"
           "\"function\",\"function\":{\"name\":\"execute_code\",\"arguments\":\"{}\"},"
           "\"metadata\":{\"title\":\"Analysis\",\"icon\":\"code\"}}]},"
           "{\"id\":\"x3\",\"role\":\"tool\",\"toolCallId\":\"c3\",\"content\":\"Not done\","
           "\"metadata\":{\"isError\":true,\"repairsMax\":2}},"
           "{\"id\":\"q2\",\"role\":\"user\",\"content\":\"and?\"}]}]");
    WRITE(&run, .kind = RUN_ENDED, .outcome = RUN_SUCCEEDED);
    agui_run_close(&run);
    json_decref(thread.messages);
}

int main(void)
{
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_a_whole_run), TEST(test_a_run_ends_with_nothing_open), TEST(test_ends),
        TEST(test_a_live_run),  TEST(test_a_thread_as_messages),
    };
    const char *path = getenv("LECTERN_FRAMES"); /* NOLINT(concurrency-mt-unsafe): one thread */
    int failed;

    frames_file = path ? fopen(path, "w") : NULL;
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (frames_file)
        fclose(frames_file);
    return failed;
}
