/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a fuzzer found, or was led to, played again: a folder of tests/fuzz/regression.
 */
#ifndef LECTERN_TEST_REGRESSION_INPUTS_H
#define LECTERN_TEST_REGRESSION_INPUTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#define REGRESSION_INPUT_MAX ((size_t)1 << 20) /* bytes of one; of a longer one the beginning */

/* Each input in memory of its own size, so that a sanitizer sees a byte too many. */
static inline void replay_input(const char *path, void (*play)(const uint8_t *bytes, size_t len))
{
    FILE *file = fopen(path, "rb");
    uint8_t *room = malloc(REGRESSION_INPUT_MAX), *bytes;
    size_t len;

    assert_non_null(file);
    assert_non_null(room);
    len = fread(room, 1, REGRESSION_INPUT_MAX, file);
    fclose(file);
    bytes = realloc(room, len > 0 ? len : 1);
    assert_non_null(bytes);
    play(bytes, len);
    free(bytes);
}

static inline void replay_inputs(const char *folder, void (*play)(const uint8_t *bytes, size_t len))
{
    DIR *inputs = opendir(folder);
    const struct dirent *entry;
    size_t count = 0;

    assert_non_null(inputs);
    while ((entry = readdir(inputs))) { /* NOLINT(concurrency-mt-unsafe): one thread */
        char path[512];

        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        replay_input(path, play);
        count++;
    }
    closedir(inputs);
    assert_true(count > 0);
}

#endif
