/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The sealed text has a line for each member. None of them contains a line end: the client's name
 * is a plain word (client_introduce), and an id of a holder or a curriculum has none.
 */
#include "mcp/transport/mcp/session_id.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "mcp/protocol/peer.h"

#define PURPOSE "mcp session"

int session_id_make(struct session_id *id, const struct client *client, const char *holder,
                    int64_t now, struct error *err)
{
    memset(id, 0, sizeof *id);
    if (getrandom(id->name, sizeof id->name, 0) != (ssize_t)sizeof id->name)
        return error_errno(err, errno, "getrandom for a session id");
    id->ends = now + SESSION_ID_GOOD_S;
    id->client = *client;
    snprintf(id->holder, sizeof id->holder, "%s", holder);
    return 0;
}

int session_id_write(const struct session_id *id, const unsigned char key[SEAL_KEY_SIZE],
                     char text[SESSION_ID_TEXT_SIZE], struct error *err)
{
    const struct client *client = &id->client;
    struct buf BUF_AUTO payload = {0}, BUF_AUTO sealed = {0};

    buf_init(&payload, SESSION_ID_PAYLOAD_CAP);
    buf_init(&sealed, SESSION_ID_TEXT_SIZE - 1);
    buf_addf(&payload, "%" PRId64 "\n%u\n%u\n%s\n%s\n%s\n%s\n", id->ends, client->capabilities,
             client->toolsets, client->version, id->holder, client->who, client->bound_session);
    buf_add(&payload, id->name, sizeof id->name);
    if (!payload.failed)
        seal(&sealed, key, PURPOSE, payload.data, payload.len);
    if (payload.failed || sealed.failed)
        return error_set(err, ERROR_INTERNAL, "a session id of this client is too long");
    memcpy(text, sealed.data, sealed.len + 1);
    return 0;
}

/* The next line of the payload, which was sealed here, so it is there. */
static const char *take_line(char **at)
{
    char *line = *at, *end = line ? strchr(line, '\n') : NULL;

    if (end)
        *end = '\0';
    *at = end ? end + 1 : NULL;
    return end ? line : "";
}

static int read_payload(struct session_id *id, struct buf *payload)
{
    struct client *client = &id->client;
    char *at = payload->data;

    memset(id, 0, sizeof *id);
    client_init(client, 0, NULL, NULL);
    id->ends = strtoll(take_line(&at), NULL, 10);
    client->capabilities = (unsigned)strtoul(take_line(&at), NULL, 10);
    client->toolsets = (unsigned)strtoul(take_line(&at), NULL, 10);
    client->version = protocol_version_find(take_line(&at));
    snprintf(id->holder, sizeof id->holder, "%s", take_line(&at));
    snprintf(client->who, sizeof client->who, "%s", take_line(&at));
    snprintf(client->bound_session, sizeof client->bound_session, "%s", take_line(&at));
    if (!client->version || !at || payload->data + payload->len != at + sizeof id->name)
        return -1;
    memcpy(id->name, at, sizeof id->name);
    return 0;
}

int session_id_read(struct session_id *id, const unsigned char key[SEAL_KEY_SIZE], const char *text,
                    int64_t now)
{
    struct buf BUF_AUTO payload = {0};

    buf_init(&payload, SESSION_ID_PAYLOAD_CAP);
    if (seal_open(&payload, key, PURPOSE, text, strlen(text)) < 0 || payload.len == 0)
        return -1;
    return read_payload(id, &payload) < 0 || id->ends <= now ? -1 : 0;
}
