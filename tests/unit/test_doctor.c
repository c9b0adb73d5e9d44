/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The doctor's rows about the layers inside a sandbox, from an engine that says what a test wants.
 */
#include "executor/doctor.c" /* NOLINT(bugprone-suspicious-include) */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include <cmocka.h>

#include "executor/frame.h"

/* The state of the engine is what its sandbox sends before it ends; its box is the socket. */
struct engine_box {
    int fd;
    bool ended;
};

static struct engine_box box;

static struct engine_box *start(void *state, const struct execution_kind *kind, struct error *err)
{
    unsigned char head[FRAME_HEAD_SIZE];
    const char *report = state;
    int ends[2];

    assert_string_equal(kind->name, "bare");
    if (!report) {
        error_set(err, ERROR_UNAVAILABLE, "it does not start");
        return NULL;
    }
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
    frame_pack(head, FRAME_READY, (uint32_t)strlen(report));
    if (report[0])
        assert_int_equal(write(ends[1], head, sizeof head), sizeof head);
    assert_int_equal(write(ends[1], report, strlen(report)), strlen(report));
    close(ends[1]);
    box = (struct engine_box){.fd = ends[0]};
    return &box;
}

static void destroy(void *state, struct engine_box *its)
{
    (void)state;
    close(its->fd);
    its->ended = true;
}

static int get_fd(const struct engine_box *its)
{
    return its->fd;
}

static ssize_t take(struct engine_box *its, void *bytes, size_t size)
{
    return recv(its->fd, bytes, size, 0);
}

static const char *last_words(struct engine_box *its)
{
    (void)its;
    return "its last words";
}

static const struct engine engine = {
    .start = start, .destroy = destroy, .fd = get_fd, .receive = take, .stderr_tail = last_words};

static const struct row {
    const char *report;            /* NULL: it does not start; "": it ends */
    const char *trial;             /* in the text of the first row */
    const char *landlock, *execve; /* in the fix of these rows; "": they are ok; NULL: there are
                                      none */
} table[] = {
    {"{\"python\":\"3.11.2\",\"landlock_abi\":7,\"seccomp\":1,\"exec_once\":true}", "Python 3.11.2",
     "", ""},
    {"{\"python\":\"3.11.9\",\"landlock_abi\":6,\"seccomp\":1,\"exec_once\":false}",
     "Python 3.11.9", "", "Linux 5.5"},
    {"{\"python\":\"3.11.2\",\"landlock_abi\":5,\"seccomp\":1,\"exec_once\":true}", "Python",
     "Linux 6.12", ""},
    {"{\"python\":\"3.11.2\",\"landlock_abi\":3,\"seccomp\":1,\"exec_once\":true}", "Python",
     "TCP: 6.7", ""},
    {"{\"python\":\"3.11.2\",\"landlock_abi\":2,\"seccomp\":1,\"exec_once\":true}", "Python",
     "truncating files: 6.2", ""},
    {"{\"python\":\"3.11.2\",\"landlock_abi\":0,\"seccomp\":1}", "no Landlock", NULL, NULL},
    {"{\"python\":\"3.11.2\",\"landlock_abi\":7,\"seccomp\":0}", "no seccomp", NULL, NULL},
    {"{\"python\":\"3.13.1\",\"landlock_abi\":7,\"seccomp\":1}", "Python 3.13.1", NULL, NULL},
    {"{\"landlock_abi\":7,\"seccomp\":1}", "Python of no version", NULL, NULL},
    {"no JSON", "report", NULL, NULL},
    {"", "was not ready: its last words", NULL, NULL},
    {NULL, "it does not start", NULL, NULL},
};

static void assert_row(const struct executor_check *row, const char *name, const char *fix)
{
    assert_string_equal(row->name, name);
    assert_int_equal(row->ok, !fix[0]);
    assert_non_null(strstr(row->fix, fix));
}

static void test_inside(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct doctor_rows rows = {.count = 0};

        box.ended = true;
        check_inside(&rows, &inside_docker, &engine, (void *)table[i].report);
        assert_true(box.ended);
        assert_string_equal(rows.rows[0].name, "docker trial");
        assert_int_equal(rows.rows[0].ok, table[i].landlock != NULL);
        if (!strstr(rows.rows[0].text, table[i].trial))
            fail_msg("row %zu: %s", i, rows.rows[0].text);
        assert_int_equal(rows.count, table[i].landlock ? 3 : 1);
        if (!table[i].landlock)
            continue;
        assert_row(&rows.rows[1], "docker landlock", table[i].landlock);
        assert_row(&rows.rows[2], "docker execve", table[i].execve);
    }
}

/* An engine whose sandboxes do not become ready is none that works. */
static void test_needed(void **state)
{
    const struct executor_config any = {.engine = EXECUTOR_AUTO};
    const struct executor_config docker = {.engine = EXECUTOR_DOCKER};
    struct doctor_rows rows = {.count = 0};

    (void)state;
    add_row(&rows, "docker trial", false, "", "no");
    add_row(&rows, "bubblewrap trial", false, "", "no");
    assert_false(is_needed(&rows, &any, "docker trial")); /* process works */
    assert_true(is_needed(&rows, &docker, "docker trial"));
    assert_false(is_needed(&rows, &docker, "bubblewrap trial"));
    assert_false(is_needed(&rows, &docker, "docker landlock"));
    add_row(&rows, "process trial", false, "", "no");
    assert_true(is_needed(&rows, &any, "docker trial"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_inside),
        cmocka_unit_test(test_needed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
