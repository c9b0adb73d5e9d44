/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What libwebsockets 4.1.6 does not do as its documentation says. On the loop's thread.
 */
#ifndef LECTERN_TRANSPORT_LWS_WORKAROUNDS_H
#define LECTERN_TRANSPORT_LWS_WORKAROUNDS_H

#include <libwebsockets.h>

/* Version 4.1.6. Symptom: lws_close_reason() and -1 end a connection without a close frame, so the
 * frame is written as any other. Its number is private to libwebsockets: the header of 4.1 only
 * says that 4 is omitted from the enum. */
#define HTTP_WRITE_CLOSE_FRAME ((enum lws_write_protocol)4)

/* Answers a WebSocket upgrade with an error in the format of the session API. headers: further
 * ones, each "name: value\r\n"; or "". */
void http_refuse_upgrade(struct lws *wsi, int status, const char *headers, const char *text);

#endif
