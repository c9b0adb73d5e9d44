/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Takes what matters out of a request's headers, once, as libwebsockets keeps them only while the
 * request is under way. A header that is too long or holds anything but printable ASCII makes the
 * whole request unreadable: it is refused rather than guessed at. Runs on the loop's thread.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <jansson.h>

#include "mcp/transport/http_server.h"

#define KEY_HEADER    "idempotency-key:"
#define EDITOR_HEADER "x-editor:"

static void set_wrong(struct server_request *request, int status, const char *wrong)
{
    request->wrong_status = status;
    request->wrong = wrong;
}

/* Trims and checks what was copied; false where it cannot be taken. */
static bool tidy(char *value, int len)
{
    if (len < 0)
        return false;
    while (len > 0 && (value[len - 1] == ' ' || value[len - 1] == '\t'))
        value[--len] = '\0';
    for (int i = 0; i < len; i++) {
        if ((unsigned char)value[i] < 0x20 || (unsigned char)value[i] >= 0x7F)
            return false;
    }
    return true;
}

static void read_known(struct lws *wsi, enum lws_token_indexes token, char *value, size_t size,
                       struct server_request *request)
{
    if (lws_hdr_total_length(wsi, token) == 0)
        return;
    if (!tidy(value, lws_hdr_copy(wsi, value, (int)size, token)))
        set_wrong(request, 400, "a header is too long or holds bytes that are not printable ASCII");
}

/* name is lower case and ends in its colon. */
static void read_custom(struct lws *wsi, const char *name, char *value, size_t size,
                        struct server_request *request)
{
    int name_len = (int)strlen(name);

    if (lws_hdr_custom_length(wsi, name, name_len) <= 0)
        return;
    if (!tidy(value, lws_hdr_custom_copy(wsi, value, (int)size, name, name_len)))
        set_wrong(request, 400, "a header is too long or holds bytes that are not printable ASCII");
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* In place; what is no escape stays. The new length. */
static size_t unescape(char *text)
{
    size_t used = 0;

    for (const char *at = text; *at; at++) {
        int high = *at == '%' ? hex_digit(at[1]) : -1;
        int low = high >= 0 ? hex_digit(at[2]) : -1;

        if (low >= 0)
            at += 2;
        if (low >= 0)
            text[used++] = (char)(unsigned char)(high * 16 + low);
        else
            text[used++] = *at;
    }
    text[used] = '\0';
    return used;
}

static bool has_control(const char *text)
{
    for (; *text; text++) {
        if ((unsigned char)*text < 0x20 || *text == 0x7F)
            return true;
    }
    return false;
}

/* Who edits, for the change log: UTF-8, as it is or with %XX, as a browser sends no other letters
 * in a header than those of Latin-1. */
static void read_editor(struct lws *wsi, struct server_request *request)
{
    char text[3 * HTTP_EDITOR_MAX + 32] = "";
    int len =
        lws_hdr_custom_copy(wsi, text, sizeof text, EDITOR_HEADER, (int)strlen(EDITOR_HEADER));
    char *begin = text + strspn(text, " \t");
    json_t *as_text = NULL;
    size_t used = 0, prefix;

    if (len >= 0) {
        for (size_t end = strlen(begin); end > 0 && strchr(" \t", begin[end - 1]); end--)
            begin[end - 1] = '\0';
        used = unescape(begin);
        prefix = strncmp(begin, HTTP_PAGE_PREFIX, sizeof HTTP_PAGE_PREFIX - 1) == 0
                     ? sizeof HTTP_PAGE_PREFIX - 1
                     : 0;
        as_text = used <= HTTP_EDITOR_MAX + prefix ? json_stringn(begin, used) : NULL;
    }
    if (!as_text || strlen(begin) != used || has_control(begin))
        request->wrong_editor =
            "X-Editor must be a name of at most 64 bytes of UTF-8 (as they are, "
            "or as %XX) in one line";
    else
        memcpy(request->editor, begin, used + 1);
    json_decref(as_text);
}

/* The path, decoded and as it was sent, and the query. */
static void read_target(const struct http_head *head, struct server_request *request)
{
    json_t *as_text;

    if (head->path_len >= sizeof request->path || head->query_len >= sizeof request->query) {
        set_wrong(request, 414, "the path or the query is too long");
        return;
    }
    memcpy(request->target, head->path, head->path_len);
    memcpy(request->path, head->path, head->path_len);
    memcpy(request->query, head->query, head->query_len);
    unescape(request->path);
    as_text = json_string(request->path);
    if (!as_text || strpbrk(request->path, "\r\n"))
        set_wrong(request, 400, "the path is not UTF-8 text");
    json_decref(as_text);
}

void server_request_read(struct lws *wsi, struct server_request *request)
{
    const struct http_head *head = http_connection_head(wsi);
    char text[64] = "", mode[32] = "", dest[32] = "";

    request->method = head->method;
    request->length = head->length;
    request->chunked = head->chunked;
    read_target(head, request);
    read_known(wsi, WSI_TOKEN_HOST, request->host, sizeof request->host, request);
    read_known(wsi, WSI_TOKEN_ORIGIN, request->origin, sizeof request->origin, request);
    read_custom(wsi, "sec-fetch-site:", request->site, sizeof request->site, request);
    read_custom(wsi, "sec-fetch-mode:", mode, sizeof mode, request);
    read_custom(wsi, "sec-fetch-dest:", dest, sizeof dest, request);
    request->opens_page = strcmp(mode, "navigate") == 0 && strcmp(dest, "document") == 0;
    read_known(wsi, WSI_TOKEN_HTTP_CONTENT_TYPE, request->content_type,
               sizeof request->content_type, request);
    read_known(wsi, WSI_TOKEN_HTTP_ACCEPT, request->accept, sizeof request->accept, request);
    read_known(wsi, WSI_TOKEN_HTTP_ACCEPT_ENCODING, request->accept_encoding,
               sizeof request->accept_encoding, request);
    read_known(wsi, WSI_TOKEN_HTTP_IF_MATCH, request->if_match, sizeof request->if_match, request);
    read_known(wsi, WSI_TOKEN_HTTP_IF_NONE_MATCH, request->if_none_match,
               sizeof request->if_none_match, request);
    read_custom(wsi, KEY_HEADER, request->idempotency_key, sizeof request->idempotency_key,
                request);
    request->has_key = lws_hdr_custom_length(wsi, KEY_HEADER, (int)strlen(KEY_HEADER)) >= 0;
    read_custom(wsi, "mcp-session-id:", request->mcp_session, sizeof request->mcp_session, request);
    read_custom(wsi, "mcp-protocol-version:", request->mcp_version, sizeof request->mcp_version,
                request);
    read_custom(wsi, "x-session-id:", request->session, sizeof request->session, request);
    if (lws_hdr_custom_length(wsi, EDITOR_HEADER, (int)strlen(EDITOR_HEADER)) >= 0)
        read_editor(wsi, request);
    read_known(wsi, WSI_TOKEN_HTTP_EXPECT, text, sizeof text, request);
    request->expects_continue = strcasecmp(text, "100-continue") == 0;
    request->preflight = strcmp(request->method, "OPTIONS") == 0 &&
                         lws_hdr_custom_length(wsi, "access-control-request-method:",
                                               (int)strlen("access-control-request-method:")) > 0;
    if (head->status != 0)
        set_wrong(request, head->status, head->wrong);
    request->unreadable = head->status != 0;
}

void server_request_check(const struct http_gate *gate, const struct server_request *request,
                          struct gate_verdict *verdict)
{
    const struct gate_request asked = {
        .host = request->host,
        .origin = request->origin,
        .site = request->site,
        .opens_page = request->opens_page && strcmp(request->method, "GET") == 0 &&
                      strcmp(request->path, http_route_page.path) == 0,
    };

    gate_check(gate, &asked, verdict);
}
