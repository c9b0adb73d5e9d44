/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The kernel's count of killed processes, in folders that look like those of both versions of
 * control groups.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image/runner/kills.h"

static char root[] = "/tmp/lectern-kills-XXXXXX";

static void write_file(const char *name, const char *text)
{
    char path[128];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", root, name);
    file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void remove_file(const char *name)
{
    char path[128];

    snprintf(path, sizeof path, "%s/%s", root, name);
    remove(path);
}

static int set_up(void **state)
{
    (void)state;
    strcpy(root + strlen(root) - 6, "XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    remove_file("memory.events");
    remove_file("memory/memory.oom_control");
    remove_file("memory");
    return rmdir(root);
}

static void make_version_1(const char *text)
{
    char path[128];

    snprintf(path, sizeof path, "%s/memory", root);
    assert_int_equal(mkdir(path, 0700), 0);
    write_file("memory/memory.oom_control", text);
}

static void test_version_2(void **state)
{
    unsigned long long number = 9;
    int fd;

    (void)state;
    write_file("memory.events", "low 0\nhigh 0\nmax 7\noom 3\noom_kill 0\noom_group_kill 5\n");
    fd = kills_open(root);
    assert_true(fd >= 0);
    assert_true(kills_read(fd, &number));
    assert_int_equal(number, 0);
    write_file("memory.events", "low 0\nhigh 0\nmax 7\noom 3\noom_kill 2\noom_group_kill 5\n");
    assert_true(kills_read(fd, &number)); /* the same file is read again from its beginning */
    assert_int_equal(number, 2);
    close(fd);
}

static void test_version_1(void **state)
{
    unsigned long long number = 0;
    int fd;

    (void)state;
    make_version_1("oom_kill_disable 0\nunder_oom 0\noom_kill 41\n");
    fd = kills_open(root);
    assert_true(kills_read(fd, &number));
    assert_int_equal(number, 41);
    close(fd);
}

static void test_version_2_comes_first(void **state)
{
    unsigned long long number = 0;
    int fd;

    (void)state;
    make_version_1("oom_kill 1\n");
    write_file("memory.events", "oom_kill 2\n");
    fd = kills_open(root);
    assert_true(kills_read(fd, &number));
    assert_int_equal(number, 2);
    close(fd);
}

static void test_not_counted(void **state)
{
    unsigned long long number = 6;
    int fd;

    (void)state;
    assert_int_equal(kills_open(root), -1);
    assert_false(kills_read(-1, &number));
    make_version_1("oom_kill_disable 0\nunder_oom 0\n"); /* Linux before 4.13 */
    fd = kills_open(root);
    assert_true(fd >= 0);
    assert_false(kills_read(fd, &number));
    assert_int_equal(number, 6);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_version_2, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_version_1, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_version_2_comes_first, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_not_counted, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
