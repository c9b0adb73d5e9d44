/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A page on the web can make its visitor's browser send requests to a loopback server, and by DNS
 * rebinding even read the answers. A page cannot forge three headers: Host names the server it
 * believes it speaks to, Origin the page itself, and Sec-Fetch-Site says how the two are related.
 * So Host must be a name that only this machine answers to (or one the user gave), Origin, where
 * there is one, this server's own, and without it the page must not be another site's. Another port
 * of this machine is the same site, and still another's page.
 */
#include "mcp/transport/http_gate.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "mcp/protocol/message.h"

static const char *const loopback_names[] = {"localhost", "127.0.0.1", "[::1]", NULL};
static const char *const wildcards[] = {"0.0.0.0", "::", "[::]", NULL};

/* "[::1]:8001" as name "[::1]" and port ":8001"; the port may be missing. */
struct authority {
    const char *name;
    size_t name_len;
    const char *port; /* behind the colon, or NULL */
};

static struct authority split(const char *text)
{
    struct authority authority = {.name = text, .name_len = strlen(text)};
    const char *colon = strrchr(text, ':');

    if (colon && !strchr(colon, ']')) {
        authority.name_len = (size_t)(colon - text);
        authority.port = colon + 1;
    }
    return authority;
}

static bool is_name(const struct authority *authority, const char *name)
{
    return strlen(name) == authority->name_len &&
           strncasecmp(name, authority->name, authority->name_len) == 0;
}

static bool in_list(const char *const *list, const char *text)
{
    for (; list && *list; list++) {
        if (strcasecmp(*list, text) == 0)
            return true;
    }
    return false;
}

static bool is_our_port(const struct http_gate *gate, const char *port)
{
    char ours[16];

    snprintf(ours, sizeof ours, "%d", gate->port);
    return strcmp(ours, port) == 0;
}

static bool is_loopback(const struct authority *authority)
{
    for (size_t i = 0; loopback_names[i]; i++) {
        if (is_name(authority, loopback_names[i]))
            return true;
    }
    return false;
}

/* The address or name it listens on; an IPv6 address stands in brackets in a Host header. A
 * wildcard address is nobody's name. */
static bool is_configured_name(const struct http_gate *gate, const struct authority *authority)
{
    char bracketed[256];

    if (!gate->host || in_list(wildcards, gate->host))
        return false;
    snprintf(bracketed, sizeof bracketed, "[%s]", gate->host);
    return is_name(authority, gate->host) || is_name(authority, bracketed);
}

static bool host_allowed(const struct http_gate *gate, const char *host)
{
    struct authority authority = split(host);

    if ((is_loopback(&authority) || is_configured_name(gate, &authority)) &&
        (!authority.port || is_our_port(gate, authority.port)))
        return true;
    for (const char *const *allowed = gate->allow_hosts; allowed && *allowed; allowed++) {
        if (strcasecmp(*allowed, host) == 0 || is_name(&authority, *allowed))
            return true;
    }
    return false;
}

/* The page came from this very server: under the name of this request, or under a loopback name and
 * our port. */
static bool is_same_origin(const struct http_gate *gate, const char *host, const char *origin)
{
    static const char *const schemes[] = {"http://", "https://"};
    struct authority authority;

    for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++) {
        if (strncasecmp(origin, schemes[i], strlen(schemes[i])) != 0)
            continue;
        origin += strlen(schemes[i]);
        authority = split(origin);
        return strcasecmp(origin, host) == 0 ||
               (i == 0 && is_loopback(&authority) && authority.port &&
                is_our_port(gate, authority.port));
    }
    return false;
}

/* A page of another site need not send Origin: its pictures and scripts come without. */
static void check_site(const struct gate_request *request, struct gate_verdict *verdict)
{
    if (!request->site || request->opens_page ||
        (strcmp(request->site, "cross-site") != 0 && strcmp(request->site, "same-site") != 0))
        return;
    error_set(
        &verdict->error, ERROR_INVALID,
        "requests from pages of other sites are refused (Sec-Fetch-Site: %s). To allow a page, "
        "send "
        "the request with CORS and start Lectern with --allow-origin and the origin of the page",
        request->site);
    verdict->status = 403;
}

void gate_check(const struct http_gate *gate, const struct gate_request *request,
                struct gate_verdict *verdict)
{
    const char *host = request->host, *origin = request->origin;

    memset(verdict, 0, sizeof *verdict);
    if (!host || !*host) {
        error_set(&verdict->error, ERROR_MALFORMED, "the request has no Host header: send one");
        verdict->status = 400;
        return;
    }
    if (!host_allowed(gate, host)) {
        error_set(&verdict->error, ERROR_INVALID,
                  "Host '%.*s' is not allowed. Use http://127.0.0.1:%d, or "
                  "start it with --allow-host %.*s",
                  message_show(host), host, gate->port, message_show(host), host);
        verdict->status = 403;
        return;
    }
    if (!origin || !*origin) {
        check_site(request, verdict);
        return;
    }
    if (is_same_origin(gate, host, origin))
        return;
    if (strcmp(origin, "null") == 0) {
        error_set(&verdict->error, ERROR_INVALID,
                  "Origin 'null' (a file, a sandboxed frame) is never allowed: serve the page from "
                  "a server and start Lectern with --allow-origin and that server's origin");
        verdict->status = 403;
        return;
    }
    if (in_list(gate->allow_origins, origin)) {
        verdict->cross_origin = true;
        return;
    }
    error_set(&verdict->error, ERROR_INVALID,
              "pages from Origin '%.*s' may not use this server. If they should, start it with "
              "--allow-origin %.*s",
              message_show(origin), origin, message_show(origin), origin);
    verdict->status = 403;
}
