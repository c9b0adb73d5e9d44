/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Who may speak to this server: the rules of Host, Origin and Sec-Fetch-Site against DNS rebinding
 * and against web pages of others. Pure; every path and every WebSocket upgrade passes here first.
 */
#ifndef LECTERN_TRANSPORT_HTTP_GATE_H
#define LECTERN_TRANSPORT_HTTP_GATE_H

#include <stdbool.h>

#include "helpers/base/error.h"

struct http_gate {
    const char *host;                 /* as configured; a name or an address */
    int port;                         /* as bound */
    const char *const *allow_origins; /* NULL-terminated, or NULL */
    const char *const *allow_hosts;
};

struct gate_verdict {
    int status;         /* 0: let in; else 400 or 403 */
    bool cross_origin;  /* let in by allow_origins: the answer carries CORS headers */
    struct error error; /* why not, and which option opens it */
};

/* What a request says of who sends it: the headers' values, NULL or empty where absent. */
struct gate_request {
    const char *host, *origin;
    const char *site; /* Sec-Fetch-Site */
    bool opens_page;  /* a browser goes to our page: by a link, not for another page's use */
};

void gate_check(const struct http_gate *gate, const struct gate_request *request,
                struct gate_verdict *verdict);

#endif
