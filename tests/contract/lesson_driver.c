/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Lessons as text, for test_lesson_text.py: a lesson as JSON on each line of standard input, and on
 * each line of standard output the array of its parts, [text, estimated tokens] each.
 */
#include <stdio.h>
#include <stdlib.h>

#include "helpers/base/json.h"
#include "mcp/tutor/lesson_text.h"

static json_t *parts_of(const json_t *lesson)
{
    json_t *list = json_array();
    size_t parts = 1;

    for (size_t part = 1; part <= parts; part++) {
        struct buf BUF_AUTO text = {0};
        struct error err = {0};

        if (lesson_text(lesson, part, &parts, &text, &err) < 0) {
            fprintf(stderr, "lesson_driver: %s\n", err.text);
            exit(1);
        }
        json_array_append_new(
            list, json_pack("[s, I]", text.data, (json_int_t)token_estimate(text.data, text.len)));
    }
    return list;
}

int main(void)
{
    char *line = NULL;
    size_t size = 0;
    ssize_t len;

    while ((len = getline(&line, &size, stdin)) > 0) {
        struct buf BUF_AUTO answer = {0};
        json_auto_t *lesson = json_read(line, (size_t)len, "a lesson", NULL);
        json_auto_t *parts = lesson ? parts_of(lesson) : NULL;

        if (!parts)
            return 1;
        json_write(&answer, parts);
        printf("%s\n", answer.data);
    }
    free(line);
    return 0;
}
