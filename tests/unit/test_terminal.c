/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a terminal is not sent as it is. contract.command_line looks at the commands on a terminal.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "helpers/base/log.h"
#include "helpers/base/terminal.h"

static void escapes_what_drives_a_terminal(void **state)
{
    static const struct {
        const char *text;
        size_t len, size;
        const char *escape;
    } cases[] = {
        {"a", 1, 1, ""},
        {"\xC2\xA0", 2, 2, ""},
        {"\xE2\x82\xAC", 3, 3, ""},
        {"\xF0\x9F\xA6\x84", 4, 4, ""},
        {"\\", 1, 1, ""},
        {"\0", 1, 1, "\\x00"},
        {"\n", 1, 1, "\\x0a"},
        {"\x1b[2J", 4, 1, "\\x1b"},
        {"\x7f", 1, 1, "\\x7f"},
        {"\xC2\x80", 2, 2, "\\x80"},
        {"\xC2\x9B"
         "1m",
         4, 2, "\\x9b"},
        {"\xD8\x9C", 2, 2, "\\u061c"},
        {"\xE2\x80\x8D", 3, 3, ""}, /* a zero width joiner is part of ordinary text */
        {"\xE2\x80\x8E", 3, 3, "\\u200e"},
        {"\xE2\x80\xAE", 3, 3, "\\u202e"},
        {"\xE2\x81\xA6", 3, 3, "\\u2066"},
        {"\xE2\x81\xA9", 3, 3, "\\u2069"},
        {"\x9B"
         "1m",
         3, 1, "\\x9b"},
        {"\xE2\x82", 2, 1, "\\xe2"},
    };
    char escape[TERMINAL_ESCAPE_SIZE];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(terminal_escape(cases[i].text, cases[i].len, escape), cases[i].size);
        assert_string_equal(escape, cases[i].escape);
    }
}

static void log_lines_are_escaped_too(void **state)
{
    static const char end[] = " error test: a\\x0ab \\x9b1m \\u202e \xE2\x82\xAC \\xff\n";
    char line[LOG_LINE_CAP] = "";
    int ends[2], standard_error = dup(STDERR_FILENO);
    ssize_t len;

    (void)state;
    assert_int_equal(pipe(ends), 0);
    dup2(ends[1], STDERR_FILENO);
    log_error("test", "a\nb \xC2\x9B%s \xE2\x80\xAE \xE2\x82\xAC \xFF", "1m");
    dup2(standard_error, STDERR_FILENO);
    len = read(ends[0], line, sizeof line - 1);
    assert_true(len > (ssize_t)strlen(end));
    assert_string_equal(line + len - strlen(end), end);
    close(ends[0]);
    close(ends[1]);
    close(standard_error);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(escapes_what_drives_a_terminal),
        cmocka_unit_test(log_lines_are_escaped_too),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
