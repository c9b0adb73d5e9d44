/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The line of `lectern validate --facts` for many programs, without a file and a process for each.
 * On standard input: for each program its length in decimal, a line feed, and its bytes. The
 * answers come in the same order.
 */
#include <stdio.h>
#include <stdlib.h>

#include "validator/facts_line.h"
#include "validator/limits.h"

static int answer(const char *program, size_t len)
{
    struct buf BUF_AUTO line = {0};
    struct error err = {0};

    if (facts_line("", program, len, &line, &err) < 0) {
        fprintf(stderr, "facts_driver: %s\n", err.text);
        return -1;
    }
    fwrite(line.data, 1, line.len, stdout);
    return 0;
}

int main(void)
{
    size_t len;

    while (scanf("%zu", &len) == 1 && getchar() == '\n' && len <= VALIDATOR_PARSE_CAP) {
        /* Of its exact size, so that a sanitizer sees a read behind it. */
        char *program = malloc(len ? len : 1);

        if (!program || fread(program, 1, len, stdin) != len || answer(program, len) < 0) {
            free(program);
            return 2;
        }
        free(program);
    }
    return feof(stdin) ? 0 : 2;
}
