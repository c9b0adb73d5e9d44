/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The cache of folders: which are removed, and which are kept.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "executor/cache.h"

#define HASH "0123456789abcdef"

static char cache[] = "/tmp/lectern-test-XXXXXX";

/* A folder with a file, last used that many days ago. */
static void make(const char *name, unsigned days)
{
    const time_t then = time(NULL) - (time_t)days * 24 * 60 * 60;
    struct error err = {0};
    char path[256], file[300];
    int fd;

    snprintf(path, sizeof path, "%s/%s", cache, name);
    assert_int_equal(cache_make_folder(path, &err), 0);
    snprintf(file, sizeof file, "%s/file", path);
    fd = open(file, O_WRONLY | O_CREAT, 0644);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(utimensat(AT_FDCWD, path, (struct timespec[2]){{then, 0}, {then, 0}}, 0), 0);
}

static bool there(const char *name)
{
    char path[256];

    snprintf(path, sizeof path, "%s/%s", cache, name);
    return access(path, F_OK) == 0;
}

static void test_old_folders_are_removed(void **state)
{
    static const char *const kept[] = {
        "python-" HASH,  /* named by the caller */
        "python-1" HASH, /* too long a hash, so not one of ours */
        "share-1111111111111111" /* in use */,
        "share-2222222222222222" /* young */,
        "photos-2019",
        "python-notes",
    };
    static const char *const old[] = {"python-3333333333333333", "share-" HASH};
    struct error err = {0};
    char path[256];
    int use, turn;

    (void)state;
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        make(kept[i], i == 3 ? CACHE_DAYS_KEPT - 1 : CACHE_DAYS_KEPT + 1);
    for (size_t i = 0; i < sizeof old / sizeof *old; i++)
        make(old[i], CACHE_DAYS_KEPT + 1);
    snprintf(path, sizeof path, "%s/%s", cache, kept[2]);
    use = cache_use(path, &err);
    assert_true(use >= 0);
    make(kept[2], CACHE_DAYS_KEPT + 1); /* a long use */
    snprintf(path, sizeof path, "%s/%s", cache, kept[0]);
    turn = cache_take_turn(cache, &err);
    cache_remove_old(cache, path);
    for (size_t i = 0; i < sizeof old / sizeof *old; i++)
        assert_true(there(old[i])); /* another has the turn */
    close(turn);
    cache_remove_old(cache, path);
    for (size_t i = 0; i < sizeof old / sizeof *old; i++)
        assert_false(there(old[i]));
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        assert_true(there(kept[i]));
    close(use);
    cache_remove_old(cache, path);
    assert_false(there(kept[2]));
}

static void test_unfinished_folders_are_removed(void **state)
{
    struct error err = {0};
    int turn;

    (void)state;
    make("share-" HASH CACHE_UNFINISHED "12", 0);
    make("share-x" CACHE_UNFINISHED "12", 0);
    turn = cache_take_turn(cache, &err);
    assert_true(turn >= 0);
    assert_false(there("share-" HASH CACHE_UNFINISHED "12"));
    assert_true(there("share-x" CACHE_UNFINISHED "12"));
    close(turn);
}

/* A use makes a folder young again. */
static void test_use(void **state)
{
    struct error err = {0};
    char path[256];
    int use;

    (void)state;
    make("share-4444444444444444", CACHE_DAYS_KEPT + 1);
    snprintf(path, sizeof path, "%s/share-4444444444444444", cache);
    use = cache_use(path, &err);
    assert_true(use >= 0);
    close(use);
    cache_remove_old(cache, "");
    assert_true(there("share-4444444444444444"));
    assert_int_equal(cache_use("/nonexistent/share-4444444444444444", &err), -1);
    assert_non_null(strstr(err.text, "/nonexistent"));
}

static void test_finish(void **state)
{
    struct error err = {0};
    char unfinished[300], path[256];

    (void)state;
    make("share-5555555555555555" CACHE_UNFINISHED "1", 0);
    snprintf(path, sizeof path, "%s/share-5555555555555555", cache);
    snprintf(unfinished, sizeof unfinished, "%s" CACHE_UNFINISHED "1", path);
    assert_int_equal(cache_finish(unfinished, path, cache, &err), 0);
    assert_true(there("share-5555555555555555/file"));
    assert_false(there("share-5555555555555555" CACHE_UNFINISHED "1"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_old_folders_are_removed),
        cmocka_unit_test(test_unfinished_folders_are_removed),
        cmocka_unit_test(test_use),
        cmocka_unit_test(test_finish),
    };
    int failed;

    if (!mkdtemp(cache))
        return 1;
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    cache_remove(cache);
    return failed;
}
