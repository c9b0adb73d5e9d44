/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A growable byte buffer with a hard cap. A failure is sticky: past the cap, or when out of memory,
 * `failed` is set, the existing content remains, and further additions do nothing. So a writer adds
 * many pieces and checks once at the end. Once anything was added, data is followed by a NUL that
 * len does not count.
 */
#ifndef LECTERN_BASE_BUF_H
#define LECTERN_BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "helpers/base/error.h"

struct buf {
    char *data; /* owned; NULL while empty */
    size_t len; /* bytes in use */
    size_t size;
    size_t cap; /* upper limit of len */
    bool failed;
    bool starved; /* it failed because memory ran out, not at its cap */
};

#define BUF_CAP_DEFAULT ((size_t)256 << 20)

/* cap 0 means BUF_CAP_DEFAULT. A zeroed struct is equivalent to buf_init(buf, 0). */
void buf_init(struct buf *buf, size_t cap);
void buf_finish(struct buf *buf); /* frees the memory; takes NULL and a zeroed struct */
void buf_clear(struct buf *buf);  /* keeps the memory; resets failed */

void buf_add(struct buf *buf, const void *data, size_t len);
void buf_adds(struct buf *buf, const char *text);
void buf_addc(struct buf *buf, char c);
void buf_addi(struct buf *buf, int64_t number); /* in decimal */
void buf_addf(struct buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Appends any bytes as valid UTF-8 without NUL: each invalid byte, and each NUL, becomes U+FFFD.
 * Appends at most cap bytes, in whole characters; returns false if the text was cut. The caller
 * must check *to for failure. */
bool utf8_clean(const char *text, size_t len, size_t cap, struct buf *to);

/* Makes room for len more bytes after buf->len. The caller fills them and increases buf->len.
 * Returns NULL on failure. */
char *buf_reserve(struct buf *buf, size_t len);

/* Returns 0, or -1 with ERROR_TOO_LARGE if an addition failed. what names the content: "the
 * answer". */
int buf_check(const struct buf *buf, const char *what, struct error *err);

/* Returns the bytes, NUL-terminated, which the caller must free(); NULL if the buffer failed. The
 * buffer is empty afterwards. */
char *buf_steal(struct buf *buf, size_t *len);

#define BUF_AUTO __attribute__((cleanup(buf_finish)))

#endif
