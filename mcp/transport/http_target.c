/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * libwebsockets has no call back before it decodes, and receives with the C library's recv(). So
 * this program has a recv() of its own, as the linker lets it: it receives, and on the thread of a
 * server also looks at the first line of what begins a request. It changes nothing, and a line that
 * does not agree with what libwebsockets says is not believed.
 */
#include "mcp/transport/http_target.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "mcp/session/rest.h"

#define LINE_CAP (2 * REST_PATH_MAX + 32) /* method, path and query, version */

enum line_state { LINE_NONE, LINE_COMES, LINE_COMPLETE };

struct line {
    enum line_state state;
    size_t len;
    char text[LINE_CAP];
};

struct http_targets {
    struct line **lines; /* by descriptor; NULL where none was ever asked for */
    size_t count;
};

static __thread struct http_targets *watching; /* this thread's server, or NULL */

static void note(struct line *line, const char *bytes, size_t len)
{
    for (size_t i = 0; i < len && line->state == LINE_COMES; i++) {
        if (bytes[i] == '\n' && line->len > 0) {
            line->text[line->len] = '\0';
            line->state = LINE_COMPLETE;
        } else if (line->len == LINE_CAP - 1) {
            line->state = LINE_NONE;
        } else if (bytes[i] != '\r' && bytes[i] != '\n') {
            line->text[line->len++] = bytes[i];
        }
    }
}

ssize_t recv(int fd, void *bytes, size_t len, int flags)
{
    ssize_t received = recvfrom(fd, bytes, len, flags, NULL, NULL);

    if (received > 0 && watching && (size_t)fd < watching->count && watching->lines[fd] &&
        !(flags & MSG_PEEK))
        note(watching->lines[fd], bytes, (size_t)received);
    return received;
}

struct http_targets *http_targets_create(void)
{
    return calloc(1, sizeof(struct http_targets));
}

void http_targets_destroy(struct http_targets *targets)
{
    if (!targets)
        return;
    if (watching == targets)
        watching = NULL;
    for (size_t i = 0; i < targets->count; i++)
        free(targets->lines[i]);
    free(targets->lines);
    free(targets);
}

static bool make_room(struct http_targets *targets, size_t count)
{
    struct line **more;

    if (count <= targets->count)
        return true;
    count += count / 2;
    more = realloc(targets->lines, count * sizeof *more);
    if (!more)
        return false;
    memset(more + targets->count, 0, (count - targets->count) * sizeof *more);
    targets->lines = more;
    targets->count = count;
    return true;
}

void http_targets_expect(struct http_targets *targets, int fd)
{
    struct line *line;

    watching = targets;
    if (fd < 0 || !make_room(targets, (size_t)fd + 1))
        return;
    line = targets->lines[fd];
    if (!line)
        line = targets->lines[fd] = malloc(sizeof *line);
    if (!line)
        return;
    line->state = LINE_COMES;
    line->len = 0;
}

static void decode(const char *encoded, size_t len, char *to)
{
    const char *end = encoded + len;
    size_t used = 0;

    while (encoded < end) {
        char hex[3] = "";

        if (end - encoded > 2 && *encoded == '%' && isxdigit((unsigned char)encoded[1]) &&
            isxdigit((unsigned char)encoded[2])) {
            memcpy(hex, encoded + 1, 2);
            to[used++] = (char)strtol(hex, NULL, 16);
            encoded += 3;
        } else {
            to[used++] = *encoded++;
        }
    }
    to[used] = '\0';
}

/* Takes "..", and what it takes back, out of a decoded path. */
static void tidy(char *path)
{
    char *to = path;

    for (const char *at = path; *at;) {
        size_t len = 1 + strcspn(at + 1, "/");

        if (len == 3 && !strncmp(at, "/..", 3)) {
            while (to > path && *--to != '/')
                ;
        } else if (len > 1 && (len != 2 || at[1] != '.')) {
            memmove(to, at, len);
            to += len;
        }
        at += len;
    }
    *to = '\0';
}

/* What libwebsockets takes away or turns into another. */
static const char *next_kept(const char *at)
{
    return at + strspn(at, "/.+ ");
}

/* Whether libwebsockets makes this path of what was sent. */
static bool is_same(const char *encoded, size_t len, const char *decoded)
{
    char sent[LINE_CAP] = "";
    const char *a = sent, *b = decoded;

    decode(encoded, len, sent);
    tidy(sent);
    for (a = next_kept(a), b = next_kept(b); *a && *a == *b;
         a = next_kept(a + 1), b = next_kept(b + 1))
        ;
    return *a == *b;
}

static bool keep(const char *from, size_t len, char *to, size_t size)
{
    if (len >= size)
        return false;
    memcpy(to, from, len);
    to[len] = '\0';
    return true;
}

/* Whether it is a request's first line at all: not so where the last answer was to one that came
 * from libwebsockets' own buffer. */
static bool is_request_line(const struct line *line, const char *method)
{
    size_t len = strlen(method);

    return line && line->state == LINE_COMPLETE && line->len > len + strlen(" / HTTP/1.1") - 1 &&
           !strncmp(line->text, method, len) && !strncmp(line->text + len, " /", 2) &&
           !strncmp(line->text + line->len - strlen(" HTTP/1.1"), " HTTP/1.", strlen(" HTTP/1."));
}

enum http_target_found http_targets_find(const struct http_targets *targets, int fd,
                                         const char *method, const char *decoded_path, char *path,
                                         size_t path_size, char *query, size_t query_size)
{
    const struct line *line = fd >= 0 && (size_t)fd < targets->count ? targets->lines[fd] : NULL;
    const char *target, *behind;
    size_t path_len;

    if (!is_request_line(line, method))
        return HTTP_TARGET_UNKNOWN;
    target = line->text + strlen(method) + 1;
    path_len = strcspn(target, "? ");
    behind = target + path_len + (target[path_len] == '?');
    if (is_same(target, path_len, decoded_path) && keep(target, path_len, path, path_size) &&
        keep(behind, target[path_len] == '?' ? strcspn(behind, " ") : 0, query, query_size))
        return HTTP_TARGET_FOUND;
    return HTTP_TARGET_DIFFERS;
}
