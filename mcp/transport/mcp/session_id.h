/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The Mcp-Session-Id of MCP's revisions with sessions. It is what the server has to remember of a
 * session, sealed (helpers/base/seal.h), so no table of sessions exists: an id is good on each
 * server with the key, also after a restart, until its end or until it was ended.
 */
#ifndef LECTERN_TRANSPORT_SESSION_ID_H
#define LECTERN_TRANSPORT_SESSION_ID_H

#include <stdint.h>

#include "helpers/base/error.h"
#include "helpers/base/seal.h"
#include "mcp/protocol/client.h"

#define SESSION_ID_NAME_SIZE  16u                       /* random bytes, which name the session */
#define SESSION_ID_HOLDER_MAX (IDENTITY_ID_SIZE - 1)    /* bytes of the holder's id */
#define SESSION_ID_GOOD_S     (INT64_C(30) * 24 * 3600) /* from initialize on */

/* The text of an id with its NUL: three numbers, a version, a name and the texts of the client. */
#define SESSION_ID_PAYLOAD_CAP                                                                     \
    (64 + SESSION_ID_NAME_SIZE + SESSION_ID_HOLDER_MAX + CLIENT_WHO_SIZE + CLIENT_BOUND_SIZE)
#define SESSION_ID_TEXT_SIZE (SEAL_TEXT_LEN(SESSION_ID_PAYLOAD_CAP) + 1)

struct session_id {
    unsigned char name[SESSION_ID_NAME_SIZE];
    int64_t ends;                           /* Unix time, seconds */
    char holder[SESSION_ID_HOLDER_MAX + 1]; /* whose token opened it; "" without sign-in */
    struct client client; /* without its identity and learner, which each request shows */
};

/* A new id for the client, which has agreed on a version, good for SESSION_ID_GOOD_S after now. */
int session_id_make(struct session_id *id, const struct client *client, const char *holder,
                    int64_t now, struct error *err);

/* Writes its text, of visible ASCII. */
int session_id_write(const struct session_id *id, const unsigned char key[SEAL_KEY_SIZE],
                     char text[SESSION_ID_TEXT_SIZE], struct error *err);

/* 0; -1 if this is no text of session_id_write with this key, if it is over, or if this server does
 * not know its version of MCP. All of these are one answer, so that nobody learns from it. */
int session_id_read(struct session_id *id, const unsigned char key[SEAL_KEY_SIZE], const char *text,
                    int64_t now);

#endif
