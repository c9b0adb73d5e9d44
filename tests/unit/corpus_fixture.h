/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads the programs of tests/data. The head of each file says how it is laid out.
 */
#ifndef LECTERN_TEST_CORPUS_FIXTURE_H
#define LECTERN_TEST_CORPUS_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/buf.h"
#include "validator/validator.h"

#define PROGRAM "%% "
#define MESSAGE "%= "

/* The head of a program; the texts point into the file. */
struct program {
    const char *file, *profile, *rule, *message;
    size_t line, column;
    bool escaped, syntax, runtime;
    struct buf code;
};

static struct verdict verdict; /* of the program that each_program has come to */

static inline char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    long size;
    char *text;

    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    size = ftell(file);
    rewind(file);
    text = calloc(1, (size_t)size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)size, file), size);
    assert_int_equal(strlen(text), size);
    fclose(file);
    return text;
}

static inline const char *next_program(const char *at)
{
    const char *found = strncmp(at, PROGRAM, strlen(PROGRAM)) == 0 ? at : strstr(at, "\n" PROGRAM);

    return found && found != at ? found + 1 : found;
}

/* Bytes as in C; the ends of the lines are only layout. */
static inline void add_unescaped(struct buf *out, const char *text, const char *end)
{
    while (text < end) {
        unsigned byte = 0;

        if (*text == '\n') {
            text++;
        } else if (sscanf(text, "\\x%2x", &byte) == 1) {
            const char one = (char)byte;

            buf_add(out, &one, 1);
            text += strlen("\\x00");
        } else if (*text == '\\') {
            buf_add(out, text[1] == 'n' ? "\n" : "\\", 1);
            text += 2;
        } else {
            buf_add(out, text++, 1);
        }
    }
}

/* Cuts the head into words, and copies the code. */
static inline void read_program(struct program *program, char *head, char *end, bool last)
{
    char *code = strchr(head, '\n'), *rest = NULL;

    *code++ = '\0';
    if (strncmp(code, MESSAGE, strlen(MESSAGE)) == 0) {
        program->message = code + strlen(MESSAGE);
        code = strchr(code, '\n');
        *code++ = '\0';
    }
    program->profile = strtok_r(head + strlen(PROGRAM), " ", &rest);
    for (char *word = strtok_r(NULL, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        if (strcmp(word, "escaped") == 0)
            program->escaped = true;
        else if (strcmp(word, "runtime") == 0)
            program->runtime = true;
        else if (strcmp(word, "syntax") == 0 && !program->message)
            program->syntax = true;
        else if (sscanf(word, "%zu:%zu", &program->line, &program->column) != 2)
            program->rule = word;
    }
    end -= !last; /* an empty line before the next program */
    if (program->escaped)
        add_unescaped(&program->code, code, end);
    else
        buf_add(&program->code, code, (size_t)(end - code));
}

/* Reads the files of a folder; how many programs they have. */
static inline size_t each_program(const char *pattern, void (*check)(const struct program *program))
{
    size_t count = 0;
    glob_t files;

    assert_int_equal(glob(pattern, 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        char *text = read_file(files.gl_pathv[i]);

        for (char *at = (char *)next_program(text), *next; at; at = next, count++) {
            struct program program = {.file = files.gl_pathv[i]};
            const struct validator_profile *profile;

            next = (char *)next_program(strchr(at, '\n'));
            read_program(&program, at, next ? next : strchr(at, '\0'), !next);
            profile = validator_profile_find(program.profile);
            assert_non_null(profile);
            validator_check(program.code.data ? program.code.data : "", program.code.len, profile,
                            &verdict);
            check(&program);
            buf_finish(&program.code);
        }
        free(text);
    }
    globfree(&files);
    return count;
}

#endif
