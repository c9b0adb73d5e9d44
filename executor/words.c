/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/words.h"

#include <string.h>

void words_add(struct words *words, const char *bytes, size_t len)
{
    if (len > WORDS_KEPT) {
        bytes += len - WORDS_KEPT;
        len = WORDS_KEPT;
    }
    if (words->len + len > WORDS_KEPT) {
        size_t gone = words->len + len - WORDS_KEPT;

        memmove(words->kept, words->kept + gone, words->len - gone);
        words->len -= gone;
    }
    memcpy(words->kept + words->len, bytes, len);
    words->len += len;
}

const char *words_line(const struct words *words, char line[3 * WORDS_KEPT + 1])
{
    size_t len = words->len, to = 0;

    while (len > 0 && words->kept[len - 1] == '\n')
        len--;
    for (size_t i = 0; i < len; i++) {
        char c = words->kept[i];

        if (c == '\n') {
            memcpy(line + to, " / ", 3);
            to += 3;
        } else {
            if (c < ' ' || c > '~')
                c = '?';
            line[to++] = c;
        }
    }
    line[to] = '\0';
    return line;
}
