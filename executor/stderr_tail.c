/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/stderr_tail.h"

#include <string.h>

void stderr_tail_add(struct stderr_tail *tail, const char *bytes, size_t len)
{
    if (len > STDERR_TAIL_KEPT) {
        bytes += len - STDERR_TAIL_KEPT;
        len = STDERR_TAIL_KEPT;
    }
    if (tail->len + len > STDERR_TAIL_KEPT) {
        size_t gone = tail->len + len - STDERR_TAIL_KEPT;

        memmove(tail->kept, tail->kept + gone, tail->len - gone);
        tail->len -= gone;
    }
    memcpy(tail->kept + tail->len, bytes, len);
    tail->len += len;
}

const char *stderr_tail_line(const struct stderr_tail *tail, char line[3 * STDERR_TAIL_KEPT + 1])
{
    size_t len = tail->len, to = 0;

    while (len > 0 && tail->kept[len - 1] == '\n')
        len--;
    for (size_t i = 0; i < len; i++) {
        char c = tail->kept[i];

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
