/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A growable byte buffer with a hard cap. Failing is sticky: past the cap, or without memory,
 * `failed` is set, what was added before stays, and further additions do nothing. So a writer adds
 * many pieces and asks once at the end. data is always followed by a NUL that len does not count,
 * once anything was added.
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
    size_t cap; /* most bytes len may reach */
    bool failed;
    bool starved; /* it failed for want of memory, not at its cap */
};

#define BUF_CAP_DEFAULT ((size_t)256 << 20)

/* cap 0: BUF_CAP_DEFAULT. A zeroed struct is as good as buf_init(buf, 0). */
void buf_init(struct buf *buf, size_t cap);
void buf_finish(struct buf *buf); /* frees; takes NULL and a zeroed struct in its stride */
void buf_clear(struct buf *buf);  /* keeps the memory; clears failed */

void buf_add(struct buf *buf, const void *data, size_t len);
void buf_adds(struct buf *buf, const char *text);
void buf_addc(struct buf *buf, char c);
void buf_addi(struct buf *buf, int64_t number); /* in decimal */
void buf_addf(struct buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Appends any bytes as valid UTF-8 without NUL: U+FFFD for each byte that belongs to no character,
 * and for NUL. At most cap bytes, whole characters; false where it was cut. A failed *to is the
 * caller's to see. */
bool utf8_clean(const char *text, size_t len, size_t cap, struct buf *to);

/* Room for len more bytes behind buf->len, to be filled and then counted by adding to buf->len;
 * NULL when it failed. */
char *buf_reserve(struct buf *buf, size_t len);

/* 0, or -1 with ERROR_TOO_LARGE when an addition failed. what names the content: "the answer". */
int buf_check(const struct buf *buf, const char *what, struct error *err);

/* The bytes, NUL-terminated, now the caller's to free(); NULL when it failed. The buffer is empty
 * afterwards. */
char *buf_steal(struct buf *buf, size_t *len);

#define BUF_AUTO __attribute__((cleanup(buf_finish)))

#endif
