/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Those who look on: clients of /mcp-sync, each in one session, and what is told to them. No
 * sockets here: web_socket.c has them. Everything runs on the loop's thread.
 *
 * A client says where its editor is ({"type": "context_update", ...}); each committed change of its
 * session, by whatever door, becomes {"type": "refresh_ui", "target", "node_id"}. What waits for a
 * slow client is told once; one that is too far behind is told to read everything again.
 */
#ifndef LECTERN_TRANSPORT_SYNC_H
#define LECTERN_TRANSPORT_SYNC_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/queue.h>

#include <jansson.h>

#include "helpers/base/buf.h"
#include "mcp/session/change_feed.h"

#define SYNC_CLIENTS_CAP 512
#define SYNC_MESSAGE_CAP ((size_t)16 << 10)  /* bytes of one message of a client */
#define SYNC_CHAT_CAP    ((size_t)512 << 10) /* of one that asks something, with a file perhaps */
#define SYNC_SAID_CAP    ((size_t)4 << 20) /* bytes of errors and answers that wait for one client */
#define SYNC_QUEUE_CAP   128u              /* refreshes that wait for one client */
#define SYNC_ERRORS_CAP  8u                /* errors that wait for one client; more close it */
#define SYNC_TEXT_MAX    256u              /* bytes of screen and action */

struct sync;
struct sync_client;

/* Where an editor is; "" where it did not say. */
struct sync_context {
    char session_id[SESSION_ID_SIZE];
    char node_id[NODE_ID_MAX + 1];
    char screen[SYNC_TEXT_MAX + 1];
    char action[SYNC_TEXT_MAX + 1];
};

/* feed: borrowed, NULL: nobody is told anything. wake: something waits for this client. */
struct sync *sync_create(struct change_feed *feed, void (*wake)(void *user), struct error *err);
void sync_destroy(struct sync *sync); /* when its clients are gone. Takes NULL */
size_t sync_clients(const struct sync *sync);

/* user: for wake. NULL when there are SYNC_CLIENTS_CAP, or no memory. */
struct sync_client *sync_client_create(struct sync *sync, void *user);
void sync_client_destroy(struct sync_client *client); /* takes NULL */

/* Named at connecting, or with a question. Where the editor is in that session is not known, unless
 * it is the client's already. */
void sync_client_join(struct sync_client *client, const char session_id[SESSION_ID_SIZE]);

/* A whole message. What is wrong with it is told to the client; -1: it is to be closed, as it has
 * sent nothing but errors. on_chat: for one of type chat_message, an object, borrowed. */
int sync_client_receive(struct sync_client *client, const char *text, size_t len,
                        void (*on_chat)(void *user, const json_t *message), void *user);
/* How long a message may be, by its beginning: a question may come with a file. */
size_t sync_message_cap(const char *text, size_t len);
/* A message for the client, copied, behind those that wait. -1: too much waits, or no memory: it is
 * to be closed. */
int sync_client_say(struct sync_client *client, const char *text, size_t len);

/* The next message for the client, appended to *to; false where none waits. */
bool sync_client_next(struct sync_client *client, struct buf *to);

const struct sync_context *sync_client_context(const struct sync_client *client);
/* The context told last by any client of the session; NULL where none is there. */
const struct sync_context *sync_last_context(const struct sync *sync, const char *session_id);

/* Each client's user, for closing them. */
void sync_each(struct sync *sync, void (*each)(void *user));

#endif
