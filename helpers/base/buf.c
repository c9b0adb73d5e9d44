/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/utf8.h"

#define BUF_FIRST_SIZE 256

void buf_init(struct buf *buf, size_t cap)
{
    memset(buf, 0, sizeof *buf);
    buf->cap = cap ? cap : BUF_CAP_DEFAULT;
}

void buf_finish(struct buf *buf)
{
    if (!buf)
        return;
    free(buf->data);
    memset(buf, 0, sizeof *buf);
}

void buf_clear(struct buf *buf)
{
    buf->len = 0;
    buf->failed = buf->starved = false;
    if (buf->data)
        buf->data[0] = '\0';
}

char *buf_reserve(struct buf *buf, size_t len)
{
    size_t size = buf->size ? buf->size : BUF_FIRST_SIZE;
    char *data;

    if (buf->failed)
        return NULL;
    if (buf->cap == 0) /* a zeroed struct */
        buf->cap = BUF_CAP_DEFAULT;
    if (len > buf->cap - buf->len) {
        buf->failed = true;
        return NULL;
    }
    if (buf->len + len + 1 <= buf->size)
        return buf->data + buf->len;
    while (size < buf->len + len + 1)
        size *= 2;
    data = realloc(buf->data, size);
    if (!data) {
        buf->failed = buf->starved = true;
        return NULL;
    }
    buf->data = data;
    buf->size = size;
    return data + buf->len;
}

void buf_add(struct buf *buf, const void *data, size_t len)
{
    const bool fits = !buf->failed && len < buf->size - buf->len && len <= buf->cap - buf->len;
    char *room = fits ? buf->data + buf->len : buf_reserve(buf, len);

    if (!room)
        return;
    if (len > 0)
        memcpy(room, data, len);
    room[len] = '\0';
    buf->len += len;
}

void buf_adds(struct buf *buf, const char *text)
{
    buf_add(buf, text, strlen(text));
}

void buf_addc(struct buf *buf, char c)
{
    buf_add(buf, &c, 1);
}

static void add_digits(struct buf *buf, uint64_t number)
{
    char digits[20];
    size_t at = sizeof digits;

    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    buf_add(buf, digits + at, sizeof digits - at);
}

void buf_addi(struct buf *buf, int64_t number)
{
    if (number < 0)
        buf_addc(buf, '-');
    add_digits(buf, number < 0 ? 0 - (uint64_t)number : (uint64_t)number);
}

/* printf itself takes its slow path in a process with libquadmath (igraph's linear algebra), so the
 * conversions that nearly all texts are made of are done here: %s %c %d %u %ld %lu %zu %%. Without
 * that a call of query_graph takes a fifth more instructions. The length of the conversion that
 * begins after a percent sign, 0 for another one. */
static size_t conversion_len(const char *at)
{
    switch (*at) {
    case 's':
    case 'c':
    case 'd':
    case 'u':
    case '%':
        return 1;
    case 'z':
        return at[1] == 'u' ? 2 : 0;
    case 'l':
        return at[1] == 'd' || at[1] == 'u' ? 2 : 0;
    default:
        return 0;
    }
}

static void add_converted(struct buf *buf, const char *conversion, va_list *args)
{
    switch (*conversion) {
    case 's': {
        const char *text = va_arg(*args, const char *);

        buf_adds(buf, text ? text : "(null)");
        break;
    }
    case 'c':
        buf_addc(buf, (char)va_arg(*args, int));
        break;
    case 'd': /* NOLINT(bugprone-branch-clone): the next reads an argument of another type */
        buf_addi(buf, va_arg(*args, int));
        break;
    case 'u':
        buf_addi(buf, va_arg(*args, unsigned));
        break;
    case 'z':
        add_digits(buf, va_arg(*args, size_t));
        break;
    case 'l':
        if (conversion[1] == 'd')
            buf_addi(buf, va_arg(*args, long));
        else
            add_digits(buf, va_arg(*args, unsigned long));
        break;
    default:
        buf_addc(buf, '%');
    }
}

/* false: it has another conversion. */
static bool add_plain(struct buf *buf, const char *format, va_list *args)
{
    const char *percent;

    for (; (percent = strchr(format, '%')); format = percent) {
        size_t len = conversion_len(percent + 1);

        if (len == 0)
            return false;
        buf_add(buf, format, (size_t)(percent - format));
        add_converted(buf, percent + 1, args);
        percent += 1 + len;
    }
    buf_adds(buf, format);
    return true;
}

void buf_addf(struct buf *buf, const char *format, ...)
{
    const size_t before = buf->len;
    va_list args, again;
    char small[512];
    char *room;
    bool done;
    int len;

    va_start(args, format);
    done = add_plain(buf, format, &args);
    va_end(args);
    if (buf->data && (buf->failed || !done)) { /* all of it or nothing, as with any addition */
        buf->len = before;
        buf->data[before] = '\0';
    }
    if (done)
        return;
    va_start(args, format);
    va_copy(again, args);
    len = vsnprintf(small, sizeof small, format, args);
    va_end(args);
    if (len >= 0 && (size_t)len < sizeof small) {
        buf_add(buf, small, (size_t)len);
    } else if (len < 0) {
        buf->failed = true;
    } else {
        room = buf_reserve(buf, (size_t)len);
        if (room) {
            vsnprintf(room, (size_t)len + 1, format, again);
            buf->len += (size_t)len;
        }
    }
    va_end(again);
}

bool utf8_clean(const char *text, size_t len, size_t cap, struct buf *to)
{
    size_t from = 0, written = 0; /* text from there on must still be copied */
    uint32_t character;

    for (size_t at = 0; at < len;) {
        size_t size = utf8_decode(text + at, len - at, &character);
        bool good = size > 0 && character != 0;
        size_t more = good ? size : sizeof UTF8_REPLACEMENT - 1;

        if (more > cap - written) {
            buf_add(to, text + from, at - from);
            return false;
        }
        written += more;
        if (!good) {
            buf_add(to, text + from, at - from);
            buf_adds(to, UTF8_REPLACEMENT);
            from = at + 1;
        }
        at += good ? size : 1;
    }
    buf_add(to, text + from, len - from);
    return true;
}

int buf_check(const struct buf *buf, const char *what, struct error *err)
{
    if (!buf->failed)
        return 0;
    if (buf->starved)
        return error_set(err, ERROR_MEMORY, "out of memory for %s", what);
    return error_set(err, ERROR_TOO_LARGE, "%s is larger than its cap of %zu bytes", what,
                     buf->cap);
}

char *buf_steal(struct buf *buf, size_t *len)
{
    char *data;

    if (buf->failed || !buf_reserve(buf, 0))
        return NULL;
    data = buf->data;
    data[buf->len] = '\0';
    if (len)
        *len = buf->len;
    buf->data = NULL;
    buf->len = buf->size = 0;
    return data;
}
