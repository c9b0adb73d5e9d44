/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The model's client against a service that is played byte by byte (tests/parts/replay_model.py, as
 * a child process): each scenario has an address of its own.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <netinet/in.h>

#include "helpers/base/http.h"
#include "helpers/base/json.h"
#include "mcp/model/model.h"
#include "mcp/command/config.h"

#define KEY "test-key-0123456789"
#define BODY                                                                                       \
    "{\"model\":\"m\",\"max_tokens\":100,\"stream\":true,\"messages\":[{\"role\":\"user\","        \
    "\"content\":\"hi\"}]}"
#define RETRY_MS 20

static struct {
    pid_t pid;
    int hold; /* its standard input: it ends with us */
    int port;
} service;

/* One call and what was heard of it. */
struct asked {
    struct model_call call;
    uv_loop_t loop;
    struct loop_queue *loop_queue;
    struct model *model;
    char text[1 << 16];
    size_t len;
    unsigned waits;
    char why[ERROR_TEXT_CAP];
    bool done;
    bool cancel_at_text;
};

static int start_service(void **state)
{
    int in[2], out[2];
    char line[32] = "";
    FILE *said;

    (void)state;
    signal(SIGPIPE, SIG_IGN);
    if (pipe(in) < 0 || pipe(out) < 0)
        return -1;
    service.pid = fork();
    if (service.pid == 0) {
        dup2(in[0], STDIN_FILENO);
        dup2(out[1], STDOUT_FILENO);
        close(in[1]);
        close(out[0]);
        execlp("python3", "python3", "-B", "tests/parts/replay_model.py", (char *)NULL);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    service.hold = in[1];
    said = fdopen(out[0], "r");
    if (said && fgets(line, sizeof line, said))
        service.port = (int)strtol(line, NULL, 10);
    if (said)
        fclose(said);
    return service.port > 0 ? 0 : -1;
}

static int stop_service(void **state)
{
    (void)state;
    close(service.hold);
    return waitpid(service.pid, NULL, 0) == service.pid ? 0 : -1;
}

/* ---- asking ---- */

static void on_text(void *user, size_t block, const char *text, size_t len)
{
    struct asked *asked = user;

    (void)block;
    assert_true(asked->len + len < sizeof asked->text);
    memcpy(asked->text + asked->len, text, len);
    asked->len += len;
    asked->text[asked->len] = '\0';
    if (asked->cancel_at_text)
        model_call_cancel(&asked->call);
}

/* Longer answers than the text has room for are only counted. */
static void on_flood(void *user, size_t block, const char *text, size_t len)
{
    (void)block, (void)text;
    ((struct asked *)user)->len += len;
}

static void on_wait(struct model_call *call, unsigned attempt, unsigned wait_ms, const char *why)
{
    struct asked *asked = call->user;

    (void)wait_ms;
    assert_int_equal(attempt, ++asked->waits + 1);
    snprintf(asked->why, sizeof asked->why, "%s", why);
}

static void on_done(struct model_call *call)
{
    struct asked *asked = call->user;

    assert_false(asked->done);
    asked->done = true;
    uv_stop(&asked->loop);
}

static struct asked *asked_create(const struct model_config *config)
{
    struct asked *asked = calloc(1, sizeof *asked);
    struct error err = {0};

    assert_non_null(asked);
    assert_int_equal(uv_loop_init(&asked->loop), 0);
    asked->loop_queue = loop_queue_create(&asked->loop, &err);
    assert_non_null(asked->loop_queue);
    asked->model = model_create(config, asked->loop_queue, &err);
    assert_non_null(asked->model);
    asked->call.user = asked;
    asked->call.listener.on_text = on_text;
    asked->call.on_wait = on_wait;
    asked->call.on_done = on_done;
    buf_adds(&asked->call.body, BODY);
    return asked;
}

/* A model of one scenario, asked. */
static struct asked *ask(const char *scenario)
{
    char url[128];
    struct model_config config = {
        .url = url, .name = "claude-test", .key = KEY, .retry_ms = RETRY_MS};
    struct asked *asked;
    struct error err = {0};

    snprintf(url, sizeof url, "http://127.0.0.1:%d/%s/", service.port, scenario);
    asked = asked_create(&config);
    assert_int_equal(model_call_start(asked->model, &asked->call, &err), 0);
    assert_false(asked->done);
    return asked;
}

static void on_timer(uv_timer_t *timer)
{
    uv_stop(timer->loop);
}

/* Runs the loop until the call is done, or so long. */
static void run_for(struct asked *asked, unsigned ms)
{
    uv_timer_t timer;

    uv_timer_init(&asked->loop, &timer);
    uv_timer_start(&timer, on_timer, ms, 0);
    uv_run(&asked->loop, UV_RUN_DEFAULT);
    uv_close((uv_handle_t *)&timer, NULL);
    uv_run(&asked->loop, UV_RUN_NOWAIT);
}

static void run_until_done(struct asked *asked)
{
    if (!asked->done)
        run_for(asked, 30000);
    assert_true(asked->done);
}

static void asked_destroy(struct asked *asked)
{
    model_destroy(asked->model);
    loop_queue_destroy(asked->loop_queue);
    uv_run(&asked->loop, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&asked->loop), 0);
    assert_true(asked->done);
    assert_null(strstr(asked->call.err.text, KEY));
    model_call_finish(&asked->call);
    free(asked);
}

/* What came to a scenario, as the service tells it; a new reference. */
static json_t *journal_of(const char *scenario)
{
    struct http_client *client = http_client_create(NULL);
    struct http_response response = {0};
    char url[64], prefix[64];
    json_t *all, *entry, *of_it = json_array();
    size_t i;

    snprintf(url, sizeof url, "http://127.0.0.1:%d/journal", service.port);
    snprintf(prefix, sizeof prefix, "/%s/", scenario);
    assert_int_equal(
        http_send(client, &(struct http_request){.url = url, .direct = true}, &response, NULL), 0);
    all = json_read(response.body.data, response.body.len, "the journal", NULL);
    assert_non_null(all);
    json_array_foreach(all, i, entry)
    {
        if (strncmp(json_get_string(entry, "path"), prefix, strlen(prefix)) == 0)
            json_array_append(of_it, entry);
    }
    json_decref(all);
    http_response_finish(&response);
    http_client_destroy(client);
    return of_it;
}

static size_t requests_of(const char *scenario)
{
    json_t *journal = journal_of(scenario);
    size_t count = json_array_size(journal);

    json_decref(journal);
    return count;
}

/* ---- answers ---- */

static void test_streams(void **state)
{
    struct asked *asked = ask("hello");
    json_t *journal, *headers, *content;

    (void)state;
    run_until_done(asked);
    assert_int_equal(asked->call.err.kind, ERROR_NONE);
    assert_string_equal(asked->text, "Hello, w\xC3\xB6rld \xF0\x9F\xA6\x84");
    assert_true(asked->call.message.ended);
    assert_int_equal(asked->call.message.stop, MODEL_STOP_END_TURN);
    assert_int_equal(model_usage_input(&asked->call.message.usage), 15);
    assert_int_equal(asked->call.message.usage.output, 9);
    assert_memory_equal(asked->call.request_id, "req_", 4);
    content = model_message_content(&asked->call.message, false, NULL);
    assert_int_equal(json_array_size(content), 1);
    json_decref(content);

    journal = journal_of("hello");
    assert_int_equal(json_array_size(journal), 1);
    headers = json_object_get(json_array_get(journal, 0), "headers");
    assert_string_equal(json_get_string(json_array_get(journal, 0), "path"), "/hello/v1/messages");
    assert_string_equal(json_get_string(json_array_get(journal, 0), "body"), BODY);
    assert_string_equal(json_get_string(headers, "x-api-key"), KEY);
    assert_null(json_get_string(headers, "authorization"));
    assert_string_equal(json_get_string(headers, "anthropic-version"), MODEL_VERSION);
    assert_string_equal(json_get_string(headers, "content-type"), "application/json");
    assert_int_equal(json_array_size(json_object_get(json_array_get(journal, 0), "violations")), 0);
    json_decref(journal);
    asked_destroy(asked);
}

static void test_bytes_one_by_one(void **state)
{
    struct asked *asked = ask("bytes");
    BUF_AUTO struct buf text = {0};
    json_t *content;

    (void)state;
    run_until_done(asked);
    assert_int_equal(asked->call.err.kind, ERROR_NONE);
    assert_string_equal(asked->text, "\xF0\x9F\xA6\x84 ab");
    content = model_message_content(&asked->call.message, false, NULL);
    json_write(&text, content);
    assert_string_equal(text.data,
                        "[{\"type\":\"thinking\",\"thinking\":\"hm \xC3\xA4\",\"signature\":"
                        "\"c2lnbmVk\"},{\"type\":\"text\",\"text\":\"\xF0\x9F\xA6\x84 ab\"},"
                        "{\"type\":\"tool_use\",\"id\":\"c1\",\"name\":\"run\",\"input\":{\"code\":"
                        "\"print('\xF0\x9F\xA6\x84')\"}}]");
    json_decref(content);
    asked_destroy(asked);
}

/* Holds it at its first text. */
static void on_flood_held(void *user, size_t block, const char *text, size_t len)
{
    struct asked *asked = user;

    on_flood(user, block, text, len);
    model_call_hold(&asked->call, true);
}

/* Who does not read holds the service up; nothing is lost. */
static void test_hold(void **state)
{
    struct asked *asked = ask("flood");
    size_t held;

    (void)state;
    asked->call.listener.on_text = on_flood_held;
    while (asked->len == 0)
        uv_run(&asked->loop, UV_RUN_ONCE);
    held = asked->len;
    run_for(asked, 50);
    assert_int_equal(asked->len, held);
    assert_false(asked->done);
    asked->call.listener.on_text = on_flood;
    model_call_hold(&asked->call, false);
    run_until_done(asked);
    assert_int_equal(asked->call.err.kind, ERROR_NONE);
    assert_int_equal(asked->len, 60 * 16 * 1024);
    asked_destroy(asked);
}

/* One that is held can be cancelled. */
static void test_cancel_while_held(void **state)
{
    struct asked *asked = ask("flood");

    (void)state;
    asked->call.listener.on_text = on_flood_held;
    while (asked->len == 0)
        uv_run(&asked->loop, UV_RUN_ONCE);
    run_for(asked, 20);
    model_call_cancel(&asked->call);
    model_call_hold(&asked->call, false);
    run_until_done(asked);
    assert_int_equal(asked->call.err.kind, ERROR_CANCELLED);
    asked_destroy(asked);
}

/* How each scenario ends: what is said, how often it was asked. */
static const struct {
    const char *scenario;
    enum error_kind kind;
    const char *words; /* in the error */
    const char *text;  /* that was heard before */
    unsigned requests;
} ends[] = {
    {"overloaded-twice", ERROR_NONE, "", "Hello, w\xC3\xB6rld \xF0\x9F\xA6\x84", 3},
    {"asked-anew", ERROR_NONE, "", "Hello, w\xC3\xB6rld \xF0\x9F\xA6\x84", 2},
    {"drop-first", ERROR_NONE, "", "Hello, w\xC3\xB6rld \xF0\x9F\xA6\x84", 3},
    {"slow", ERROR_NONE, "", "Hello", 1},
    {"overloaded", ERROR_BUSY, "overloaded", "", 3},
    {"limited", ERROR_BUSY, "wait 120 s", "", 1},
    {"spent", ERROR_BUSY, "spend limit", "", 1},
    {"key", ERROR_UNAVAILABLE, "ANTHROPIC_API_KEY", "", 1},
    {"forbidden", ERROR_UNAVAILABLE, "claude-test", "", 1},
    {"unknown-model", ERROR_UNAVAILABLE, "'claude-test'", "", 1},
    {"too-long", ERROR_TOO_LARGE, "Begin a new one", "", 1},
    {"too-large", ERROR_TOO_LARGE, "Begin a new one", "", 1},
    {"bad-request", ERROR_INVALID, "tools.0: \\x1b[31mno\\x0axx", "", 1},
    {"page", ERROR_MALFORMED, "does not speak the Messages API", "", 1},
    {"moved", ERROR_UNAVAILABLE, "has moved", "", 1},
    {"huge-error", ERROR_UNAVAILABLE, "500", "", 1},
    {"drop-in-text", ERROR_IO, "in the middle", "Hello", 1},
    {"drop-in-call", ERROR_IO, "in the middle", "I run.", 1},
    {"end-early", ERROR_IO, "in the middle", "Hello", 1},
    {"error-event", ERROR_BUSY, "overloaded", "Hel", 1},
    {"malformed", ERROR_MALFORMED, "not JSON", "Hello", 1},
    {"refusal", ERROR_NONE, "", "", 1},
};

static void test_ends(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        struct asked *asked = ask(ends[i].scenario);

        run_until_done(asked);
        if (asked->call.err.kind != ends[i].kind || !strstr(asked->call.err.text, ends[i].words))
            print_error("%s: %s: %s\n", ends[i].scenario, error_kind_name(asked->call.err.kind),
                        asked->call.err.text);
        assert_int_equal(asked->call.err.kind, ends[i].kind);
        assert_non_null(strstr(asked->call.err.text, ends[i].words));
        assert_true(strlen(asked->call.err.text) < 800);
        assert_string_equal(asked->text, ends[i].text);
        assert_int_equal(requests_of(ends[i].scenario), ends[i].requests);
        assert_int_equal(asked->waits, ends[i].requests - 1);
        assert_int_equal(asked->call.message.ended, ends[i].kind == ERROR_NONE);
        asked_destroy(asked);
    }
}

/* ---- stopping ---- */

static void check_left(const char *scenario)
{
    for (int i = 0; i < 1000; i++) {
        json_t *journal = journal_of(scenario);
        const json_t *entry = json_array_get(journal, json_array_size(journal) - 1);
        double closed = json_real_value(json_object_get(entry, "closed"));

        json_decref(journal);
        if (closed > 0)
            return;
        usleep(5000);
    }
    fail_msg("%s: the connection stays open", scenario);
}

/* Nothing flows: after some text, before the answer's head, and before a further attempt. */
static void test_cancel_while_silent(void **state)
{
    static const char *const scenarios[] = {"hold", "silent"};

    (void)state;
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
        struct asked *asked = ask(scenarios[i]);

        while (requests_of(scenarios[i]) == 0 || (i == 0 && asked->len == 0))
            run_for(asked, 5);
        assert_false(asked->done);
        model_call_cancel(&asked->call);
        model_call_cancel(&asked->call);
        run_until_done(asked);
        assert_int_equal(asked->call.err.kind, ERROR_CANCELLED);
        assert_string_equal(asked->text, i == 0 ? "Hello" : "");
        check_left(scenarios[i]);
        assert_int_equal(requests_of(scenarios[i]), 1);
        model_call_cancel(&asked->call); /* too late, and harmless */
        asked_destroy(asked);
    }
}

static void test_cancel_by_listener(void **state)
{
    struct asked *asked = ask("flood");

    (void)state;
    asked->cancel_at_text = true;
    run_until_done(asked);
    assert_int_equal(asked->call.err.kind, ERROR_CANCELLED);
    assert_true(asked->len <= 4096); /* one delta */
    asked_destroy(asked);
}

static void test_destroy_while_silent(void **state)
{
    struct asked *asked = ask("hold");

    (void)state;
    while (asked->len == 0)
        uv_run(&asked->loop, UV_RUN_ONCE);
    assert_false(asked->done);
    model_destroy(asked->model);
    asked->model = NULL;
    run_until_done(asked);
    assert_int_equal(asked->call.err.kind, ERROR_CANCELLED);
    asked_destroy(asked);
}

static void on_heard(struct model_call *call)
{
    ((struct asked *)call->user)->done = true;
}

static void run_until_heard(struct asked *asked, const struct asked *heard, const char *text)
{
    for (unsigned i = 0; i < 3000 && strcmp(heard->text, text) != 0; i++)
        run_for(asked, 10);
    assert_string_equal(heard->text, text);
}

/* One too many is told so; those that wait are given up at once, and take their turn. */
static void test_queue(void **state)
{
    size_t count = MODEL_REQUESTS_MAX + MODEL_REQUESTS_WAIT;
    struct asked *first = ask("hold");
    struct error err = {0};
    struct asked *heard = calloc(count, sizeof *heard);

    (void)state;
    assert_non_null(heard);
    for (size_t i = 1; i <= count; i++) {
        struct model_call *call = &heard[i - 1].call;

        call->user = &heard[i - 1];
        call->on_done = on_heard;
        call->listener.on_text = on_text;
        buf_adds(&call->body, BODY);
        assert_int_equal(model_call_start(first->model, call, &err), i < count ? 0 : -1);
    }
    assert_int_equal(err.kind, ERROR_BUSY);
    model_call_finish(&heard[count - 1].call);
    for (size_t i = 0; i + 1 < MODEL_REQUESTS_MAX; i++)
        run_until_heard(first, &heard[i], "Hello");
    model_call_cancel(&heard[count - 2].call); /* the last in the queue */
    run_for(first, 50);
    assert_true(heard[count - 2].done);
    assert_int_equal(heard[count - 2].call.err.kind, ERROR_CANCELLED);
    assert_string_equal(heard[MODEL_REQUESTS_MAX - 1].text, "");
    model_call_cancel(&heard[0].call);
    run_until_heard(first, &heard[MODEL_REQUESTS_MAX - 1], "Hello"); /* its turn has come */
    assert_true(heard[0].done);
    model_destroy(first->model);
    first->model = NULL;
    run_until_done(first);
    for (size_t i = 0; i + 1 < count; i++) {
        assert_true(heard[i].done);
        assert_int_equal(heard[i].call.err.kind, ERROR_CANCELLED);
        model_call_finish(&heard[i].call);
    }
    asked_destroy(first);
    free(heard);
}

/* ---- where no service is ---- */

static void test_nobody_there(void **state)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int taken = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0); /* bound, and not listening */
    socklen_t len = sizeof address;
    char url[128], shown[128];
    struct model_config config = {.url = url, .auth_token = KEY, .retry_ms = RETRY_MS};
    struct error err = {0};
    struct asked *asked;

    (void)state;
    assert_int_equal(bind(taken, (struct sockaddr *)&address, sizeof address), 0);
    getsockname(taken, (struct sockaddr *)&address, &len);
    snprintf(url, sizeof url, "http://me:secret@127.0.0.1:%d", ntohs(address.sin_port));
    snprintf(shown, sizeof shown, "http://127.0.0.1:%d", ntohs(address.sin_port));
    asked = asked_create(&config);
    assert_int_equal(model_call_start(asked->model, &asked->call, &err), 0);
    run_until_done(asked);
    assert_int_equal(asked->call.err.kind, ERROR_UNAVAILABLE);
    assert_non_null(strstr(asked->call.err.text, shown));
    assert_non_null(strstr(asked->call.err.text, "--llm-url"));
    assert_non_null(strstr(asked->why, "nobody answers"));
    assert_null(strstr(asked->call.err.text, "secret"));
    assert_int_equal(asked->waits, 2);
    asked_destroy(asked);
    close(taken);
}

/* A service without TLS where TLS was asked for: said so, and once. */
static void test_no_tls(void **state)
{
    char url[64];
    struct model_config config = {.url = url, .key = KEY};
    struct error err = {0};
    struct asked *asked;

    (void)state;
    snprintf(url, sizeof url, "https://127.0.0.1:%d", service.port);
    asked = asked_create(&config);
    assert_int_equal(model_call_start(asked->model, &asked->call, &err), 0);
    run_until_done(asked);
    assert_int_equal(asked->call.err.kind, ERROR_UNAVAILABLE);
    assert_non_null(strstr(asked->call.err.text, "no secure connection"));
    assert_int_equal(asked->waits, 0);
    asked_destroy(asked);
}

static const struct {
    struct model_config config;
    bool ready;
    const char *advice; /* in it */
    const char *address;
} configs[] = {
    {{.key = "k"}, true, "", "https://api.anthropic.com"},
    {{.auth_token = "t"}, true, "", "https://api.anthropic.com"},
    {{0}, false, "Set ANTHROPIC_API_KEY", "https://api.anthropic.com"},
    {{.url = "http://localhost:11434/"}, true, "", "http://localhost:11434"},
    {{.url = "http://127.0.0.1:8080/v1/"}, true, "", "http://127.0.0.1:8080"},
    {{.url = "http://[::1]:8080"}, true, "", "http://[::1]:8080"},
    {{.url = "http://localhost.example.org"},
     false,
     "ANTHROPIC_API_KEY",
     "http://localhost.example.org"},
    {{.url = "http://127.example.org"}, false, "ANTHROPIC_API_KEY", "http://127.example.org"},
    {{.url = "ftp://localhost"}, false, "--llm-url", "ftp://localhost"},
    {{.url = "localhost:11434"}, false, "--llm-url", "localhost:11434"},
    {{.url = "https://a:b@host/x/"}, false, "ANTHROPIC_API_KEY", "https://host/x"},
    {{.key = "two\r\nlines: x"}, false, "ANTHROPIC_API_KEY is not", "https://api.anthropic.com"},
    {{.auth_token = "a b"}, false, "ANTHROPIC_AUTH_TOKEN is not", "https://api.anthropic.com"},
};

static void test_ready(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof configs / sizeof *configs; i++) {
        struct asked *asked = asked_create(&configs[i].config);
        struct error err = {0};
        char advice[512];

        assert_int_equal(model_ready(asked->model, advice, sizeof advice), configs[i].ready);
        assert_non_null(strstr(advice, configs[i].advice));
        assert_string_equal(model_address(asked->model), configs[i].address);
        assert_true(strlen(model_name(asked->model)) > 0);
        if (!configs[i].ready) {
            assert_int_equal(model_call_start(asked->model, &asked->call, &err), -1);
            assert_int_equal(err.kind, ERROR_UNAVAILABLE);
        }
        asked->done = true;
        asked_destroy(asked);
    }
}

/* ---- options and environment ---- */

static struct model_config read_config(int argc, char **argv, struct config *config)
{
    struct model_config model;
    struct error err = {0};

    assert_int_equal(config_read(config, CONFIG_SERVE, argc, argv, &err), 0);
    config_model(config, &model);
    return model;
}

static void test_config(void **state)
{
    static const char *const names[] = {"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN",
                                        "ANTHROPIC_BASE_URL", "LECTERN_LLM_URL",
                                        "LECTERN_LLM_MODEL"};
    char *words[] = {"--llm-url", "http://localhost:11434", "--llm-model", "llama"};
    char *key[] = {"--llm-key", "x"};
    struct model_config model;
    struct config config;
    struct error err = {0};

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unsetenv(names[i]);
    setenv("HOME", "/nowhere", 1);
    model = read_config(0, words, &config);
    assert_null(model.url);
    assert_null(model.key);
    assert_null(model.auth_token);
    assert_string_equal(model.name, MODEL_DEFAULT_NAME);
    config_finish(&config);

    setenv("ANTHROPIC_API_KEY", "k", 1);
    setenv("ANTHROPIC_AUTH_TOKEN", "", 1);
    setenv("ANTHROPIC_BASE_URL", "http://base", 1);
    setenv("LECTERN_LLM_MODEL", "other", 1);
    model = read_config(0, words, &config);
    assert_string_equal(model.url, "http://base");
    assert_string_equal(model.key, "k");
    assert_null(model.auth_token); /* set to nothing is not set */
    assert_string_equal(model.name, "other");
    config_finish(&config);

    model = read_config(4, words, &config);
    assert_string_equal(model.url, "http://localhost:11434");
    assert_string_equal(model.name, "llama");
    config_finish(&config);

    assert_int_equal(config_read(&config, CONFIG_SERVE, 2, key, &err), -1); /* never on a line */
    config_finish(&config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_streams),
        cmocka_unit_test(test_bytes_one_by_one),
        cmocka_unit_test(test_hold),
        cmocka_unit_test(test_cancel_while_held),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_cancel_while_silent),
        cmocka_unit_test(test_cancel_by_listener),
        cmocka_unit_test(test_destroy_while_silent),
        cmocka_unit_test(test_queue),
        cmocka_unit_test(test_nobody_there),
        cmocka_unit_test(test_no_tls),
        cmocka_unit_test(test_ready),
        cmocka_unit_test(test_config),
    };

    return cmocka_run_group_tests(tests, start_service, stop_service);
}
