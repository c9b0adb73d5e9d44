/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads the head of a request and writes it in one canonical form, for libwebsockets
 * (http_front.c): each line is a field, there is one Content-Length, the path of a plain
 * request is "/" (the handlers take it from struct http_head), and only a WebSocket's Upgrade is
 * left in.
 */
#include "mcp/transport/http/http_head.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define LENGTH_DIGITS_MAX 18

static const char *const methods[] = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"};

struct text {
    const char *at;
    size_t len;
};

struct head_field {
    struct text line, name, value;
};

static bool is(struct text text, const char *word)
{
    return strlen(word) == text.len && strncasecmp(text.at, word, text.len) == 0;
}

static int refuse(struct http_head *head, int status, const char *wrong)
{
    head->status = status;
    head->wrong = wrong;
    return -1;
}

/* ---- its beginning and end ---- */

/* Empty lines before a request are allowed, and mean nothing. */
static size_t skip_empty_lines(const char *text, size_t len)
{
    size_t at = 0;

    while (at < len && (text[at] == '\r' || text[at] == '\n'))
        at++;
    return at;
}

size_t http_head_end(const char *text, size_t len)
{
    const char *end = text + len, *at = text + skip_empty_lines(text, len);

    while ((at = memchr(at, '\n', (size_t)(end - at)))) {
        at++;
        if (at < end && *at == '\n')
            return (size_t)(at + 1 - text);
        if (at + 1 < end && at[0] == '\r' && at[1] == '\n')
            return (size_t)(at + 2 - text);
    }
    return 0;
}

bool http_head_plausible(const char *text, size_t len)
{
    size_t at = skip_empty_lines(text, len);

    return at == len || isalpha((unsigned char)text[at]);
}

/* ---- lines ---- */

enum { OTHER, CONTROL, TOKEN };
static const unsigned char kinds[256] = {
    [0 ... '\t' - 1] = CONTROL,
    ['\t' + 1 ... ' ' - 1] = CONTROL,
    [0x7F] = CONTROL,
    ['!'] = TOKEN,
    ['#' ... '\''] = TOKEN,
    ['*' ... '+'] = TOKEN,
    ['-' ... '.'] = TOKEN,
    ['0' ... '9'] = TOKEN,
    ['A' ... 'Z'] = TOKEN,
    ['^' ... 'z'] = TOKEN,
    ['|'] = TOKEN,
    ['~'] = TOKEN,
};

static bool is_token(struct text text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (kinds[(unsigned char)text.at[i]] != TOKEN)
            return false;
    }
    return text.len > 0;
}

/* Removes the next line from rest, without its end. false, with rest unchanged, if it is empty or
 * does not end with CR LF. */
static bool next_line(struct text *rest, struct text *line)
{
    const char *end = memchr(rest->at, '\n', rest->len);

    if (!end || end == rest->at || end[-1] != '\r')
        return false;
    line->at = rest->at;
    line->len = (size_t)(end - rest->at) - 1;
    if (line->len == 0)
        return false;
    rest->len -= (size_t)(end + 1 - rest->at);
    rest->at = end + 1;
    return true;
}

static struct text trim(struct text text)
{
    while (text.len > 0 && (*text.at == ' ' || *text.at == '\t'))
        text.at++, text.len--;
    while (text.len > 0 && (text.at[text.len - 1] == ' ' || text.at[text.len - 1] == '\t'))
        text.len--;
    return text;
}

static bool read_field(struct text line, struct head_field *field)
{
    const char *colon = memchr(line.at, ':', line.len);

    if (!colon)
        return false;
    field->line = line;
    field->name = (struct text){line.at, (size_t)(colon - line.at)};
    field->value = trim((struct text){colon + 1, line.len - field->name.len - 1});
    for (size_t i = 0; i < field->value.len; i++) {
        if (kinds[(unsigned char)field->value.at[i]] == CONTROL)
            return false;
    }
    return is_token(field->name);
}

/* ---- the request line ---- */

static int read_method(struct http_head *head, struct text method)
{
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        if (method.len == strlen(methods[i]) && memcmp(method.at, methods[i], method.len) == 0) {
            head->method = methods[i];
            return 0;
        }
    }
    if (!is_token(method))
        return refuse(head, 400, "the first line must be like GET /path HTTP/1.1");
    return refuse(head, 501, "unknown method: use GET, HEAD, POST, PUT, PATCH, DELETE or OPTIONS");
}

static bool is_hex(const char *at)
{
    return isxdigit((unsigned char)at[0]) && isxdigit((unsigned char)at[1]);
}

static int check_target(struct http_head *head, struct text target)
{
    for (size_t i = 0; i < target.len; i++) {
        unsigned char c = (unsigned char)target.at[i];

        if (c <= 0x20 || c == 0x7F)
            return refuse(head, 400, "the path holds a control character: write it as %XX");
        if (c != '%')
            continue;
        if (target.len - i < 3 || !is_hex(target.at + i + 1))
            return refuse(head, 400, "in the path, two hexadecimal digits must follow each '%'");
        if (target.at[i + 1] == '0' && target.at[i + 2] == '0')
            return refuse(head, 400, "the path must not hold %00");
    }
    return 0;
}

/* "http://HOST/path" means "/path" at HOST, whatever the Host field says. */
static struct text split_absolute(struct text target, struct text *host)
{
    static const char scheme[] = "http://";
    size_t skip = sizeof scheme - 1;

    if (target.len <= skip || strncasecmp(target.at, scheme, skip) != 0)
        return target;
    host->at = target.at + skip;
    while (host->len < target.len - skip && !strchr("/?", host->at[host->len]))
        host->len++;
    return (struct text){host->at + host->len, target.len - skip - host->len};
}

/* "/mcp/" and "//mcp", as clients join addresses, are "/mcp" to all that comes after. */
static void drop_slashes(struct http_head *head)
{
    while (head->path_len > 1 && head->path[head->path_len - 1] == '/')
        head->path_len--;
    while (head->path_len > 1 && head->path[1] == '/') {
        head->path++;
        head->path_len--;
    }
}

static int read_target(struct http_head *head, struct text target, struct text *host)
{
    const char *mark;

    if (check_target(head, target) < 0)
        return -1;
    target = split_absolute(target, host);
    if (host->len > 0 && (target.len == 0 || *target.at != '/')) {
        head->path = "/";
        head->path_len = 1;
    } else if (target.len == 0 || *target.at != '/') {
        return refuse(head, 400, "the path must begin with '/'");
    }
    mark = memchr(target.at, '?', target.len);
    if (!head->path) {
        head->path = target.at;
        head->path_len = mark ? (size_t)(mark - target.at) : target.len;
        drop_slashes(head);
    }
    head->query = mark ? mark + 1 : "";
    head->query_len = mark ? (size_t)(target.at + target.len - mark - 1) : 0;
    return 0;
}

static int read_request_line(struct http_head *head, struct text line, struct text *host,
                             struct text *version)
{
    const char *first = memchr(line.at, ' ', line.len);
    const char *last = memrchr(line.at, ' ', line.len);

    if (!first || first == last)
        return refuse(head, 400, "the first line must be like GET /path HTTP/1.1");
    *version = (struct text){last + 1, (size_t)(line.at + line.len - last - 1)};
    if (version->len != strlen("HTTP/1.1") || strncmp(version->at, "HTTP/", 5) != 0)
        return refuse(head, 400, "the first line must be like GET /path HTTP/1.1");
    if (strncmp(version->at, "HTTP/1.1", 8) != 0 && strncmp(version->at, "HTTP/1.0", 8) != 0)
        return refuse(head, 505, "this server supports HTTP/1.1 and HTTP/1.0 only");
    if (read_method(head, (struct text){line.at, (size_t)(first - line.at)}) < 0)
        return -1;
    return read_target(head, (struct text){first + 1, (size_t)(last - first - 1)}, host);
}

/* ---- the fields ---- */

static const char *const own_names[] = {
#define OWN_NAME(id, name) name,
    HTTP_OWN_FIELDS(OWN_NAME)
#undef OWN_NAME
};

/* HTTP_OWN_COUNT: it is none of them. */
static size_t find_own(struct text name)
{
    size_t i = 0;

    while (i < HTTP_OWN_COUNT && !is(name, own_names[i]))
        i++;
    return i;
}

/* All of them, and what they say together. */
struct head_fields {
    size_t count;
    bool own_repeated;
    bool has_length, upgrade_is_websocket, connection_upgrades;
    struct head_field each[HTTP_HEAD_LINES_CAP]; /* last: it is not cleared */
};

static bool has_word(struct text list, const char *word)
{
    while (list.len > 0) {
        const char *comma = memchr(list.at, ',', list.len);
        size_t len = comma ? (size_t)(comma - list.at) : list.len;

        if (is(trim((struct text){list.at, len}), word))
            return true;
        len += comma != NULL;
        list.at += len;
        list.len -= len;
    }
    return false;
}

/* Two lengths, a sign, hexadecimal: what one reader takes one way and the next another. */
static int read_length(struct http_head *head, struct head_fields *fields, struct text value)
{
    if (fields->has_length || value.len == 0 || value.len > LENGTH_DIGITS_MAX ||
        strspn(value.at, "0123456789") < value.len)
        return refuse(head, 400, "Content-Length must be one whole number");
    fields->has_length = true;
    head->length = strtoull(value.at, NULL, 10);
    return 0;
}

/* Those of MCP repeat the body: whoever forwards a request may have read another one of two. */
static int read_own(struct http_head *head, const struct head_field *field,
                    struct head_fields *fields)
{
    size_t i = find_own(field->name);

    if (i == HTTP_OWN_COUNT)
        return 0;
    if (head->own[i].at && strncmp(own_names[i], "mcp-", 4) == 0)
        return refuse(head, 400, "a header that begins with Mcp- must come only once");
    fields->own_repeated |= head->own[i].at != NULL;
    head->own[i] = (struct http_own_value){field->value.at, field->value.len};
    return 0;
}

static int read_fields(struct http_head *head, struct text rest, struct head_fields *fields)
{
    struct text line;
    struct head_field field;

    while (next_line(&rest, &line)) {
        if (!read_field(line, &field))
            return refuse(head, 400,
                          "each header must be one line like Name: value, without control "
                          "characters");
        if (fields->count == HTTP_HEAD_LINES_CAP)
            return refuse(head, 431, "there are too many headers: send at most 64");
        fields->each[fields->count++] = field;
        if (is(field.name, "content-length") && read_length(head, fields, field.value) < 0)
            return -1;
        if (read_own(head, &field, fields) < 0)
            return -1;
        head->chunked |= is(field.name, "transfer-encoding");
        fields->upgrade_is_websocket |= is(field.name, "upgrade") && is(field.value, "websocket");
        fields->connection_upgrades |=
            is(field.name, "connection") && has_word(field.value, "upgrade");
    }
    if (rest.len != 2)
        return refuse(head, 400, "each line of the headers must end in CR LF");
    return 0;
}

static bool is_too_long_for_websocket(const struct http_head *head)
{
    size_t parts = 0;

    for (size_t i = 0; i < head->query_len; i++)
        parts += head->query[i] == '&' || head->query[i] == ';';
    return parts >= HTTP_HEAD_PARTS_CAP || memchr(head->path, '&', head->path_len) ||
           memchr(head->path, ';', head->path_len);
}

/* ---- what libwebsockets gets ---- */

static void add_line(struct buf *to, const char *name, struct text value)
{
    buf_adds(to, name);
    buf_add(to, value.at, value.len);
    buf_adds(to, "\r\n");
}

/* The fields that are read through libwebsockets. It gets no others: version 4.1.6 does not answer
 * where a name is only the beginning of one that it knows, such as "Acc". */
static bool is_for_lws(struct text name)
{
    static const char *const names[] = {"access-control-request-method",
                                        "authorization",
                                        "connection",
                                        "cookie",
                                        "expect",
                                        "host",
                                        "idempotency-key",
                                        "if-match",
                                        "if-none-match",
                                        "last-event-id",
                                        "origin",
                                        "sec-fetch-dest",
                                        "sec-fetch-mode",
                                        "sec-fetch-site",
                                        "sec-websocket-extensions",
                                        "sec-websocket-key",
                                        "sec-websocket-protocol",
                                        "sec-websocket-version",
                                        "x-editor",
                                        "x-session-id"};
    static const char param[] = "mcp-param-";

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (is(name, names[i]))
            return true;
    }
    return name.len >= sizeof param && strncasecmp(name.at, param, sizeof param - 1) == 0;
}

static bool is_passed_on(const struct http_head *head, struct text name, bool absolute)
{
    size_t own = find_own(name);

    if (own < HTTP_OWN_COUNT)
        return !head->own[own].at;
    return is_for_lws(name) && !(head->websocket && is(name, "connection")) &&
           !(absolute && is(name, "host"));
}

static void write_target(const struct http_head *head, struct buf *to)
{
    if (!head->websocket) {
        buf_addc(to, '/');
        return;
    }
    buf_add(to, head->path, head->path_len);
    if (head->query_len > 0)
        buf_addc(to, '?');
    buf_add(to, head->query, head->query_len);
}

static void write_head(const struct http_head *head, const struct head_fields *fields,
                       struct text host, struct text version, struct buf *to)
{
    const uint64_t length = head->chunked ? 0 : head->length;

    buf_adds(to, head->method);
    buf_addc(to, ' ');
    write_target(head, to);
    add_line(to, " ", version);
    if (host.len > 0)
        add_line(to, "Host: ", host);
    for (size_t i = 0; i < fields->count; i++) {
        if (is_passed_on(head, fields->each[i].name, host.len > 0))
            add_line(to, "", fields->each[i].line);
    }
    if (head->websocket)
        buf_adds(to, "Upgrade: websocket\r\nConnection: Upgrade\r\n");
    else if (length > 0 || *head->method == 'P') /* POST, PUT, PATCH */
        buf_addf(to, "Content-Length: %" PRIu64 "\r\n", length);
    buf_adds(to, "\r\n");
}

void http_head_refuse(struct http_head *head, int status, const char *wrong, struct buf *to)
{
    memset(head, 0, sizeof *head);
    refuse(head, status, wrong);
    head->method = "GET";
    head->path = "/";
    head->path_len = 1;
    head->query = "";
    buf_adds(to, "GET / HTTP/1.1\r\nConnection: close\r\n\r\n");
}

void http_head_read(const char *text, size_t len, struct http_head *head, struct buf *to)
{
    size_t skipped = skip_empty_lines(text, len);
    struct text rest = {text + skipped, len - skipped}, line, host = {0}, version;
    struct head_fields fields;

    memset(head, 0, sizeof *head);
    memset(&fields, 0, offsetof(struct head_fields, each));
    if (!next_line(&rest, &line)) {
        refuse(head, 400, "each line of the headers must end in CR LF");
    } else if (read_request_line(head, line, &host, &version) == 0 &&
               read_fields(head, rest, &fields) == 0) {
        head->websocket = fields.upgrade_is_websocket && fields.connection_upgrades &&
                          strcmp(head->method, "GET") == 0 && version.at[7] == '1';
        if (head->websocket || fields.own_repeated)
            memset(head->own, 0, sizeof head->own);
        if (head->websocket && is_too_long_for_websocket(head))
            refuse(head, 400, "the path of a WebSocket has too many parameters");
        else if (head->websocket && (head->length > 0 || head->chunked))
            refuse(head, 400, "the request for a WebSocket must have no body");
    }
    if (head->status != 0)
        http_head_refuse(head, head->status, head->wrong, to);
    else
        write_head(head, &fields, host, version, to);
}
