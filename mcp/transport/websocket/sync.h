/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The clients of /mcp-sync, each in one session, and the messages to them. The sockets are in
 * web_socket.c. Everything runs on the loop's thread.
 *
 * A client reports the position of its editor ({"type": "context_update", ...}). Each committed
 * change of its session, from any source, becomes {"type": "refresh_ui", "target", "node_id"}.
 * Equal refreshes that wait for a slow client are merged; a client that is too far behind is asked
 * to read everything again.
 */
#ifndef LECTERN_TRANSPORT_SYNC_H
#define LECTERN_TRANSPORT_SYNC_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/queue.h>

#include <jansson.h>

#include "helpers/base/buf.h"
#include "mcp/change/change_feed.h"

#define SYNC_CLIENTS_CAP 512
#define SYNC_MESSAGE_CAP ((size_t)16 << 10)  /* bytes of one message of a client */
#define SYNC_CHAT_CAP    ((size_t)512 << 10) /* of a question, perhaps with a file */
#define SYNC_SAID_CAP    ((size_t)4 << 20) /* bytes of errors and answers that wait for one client */
#define SYNC_QUEUE_CAP   128u              /* refreshes that wait for one client */
#define SYNC_ERRORS_CAP  8u   /* errors that wait for one client; if exceeded, it is closed */
#define SYNC_TEXT_MAX    256u /* bytes of screen and action */

struct sync;
struct sync_client;

/* The position of an editor; "" where unknown. */
struct sync_context {
    char session_id[SESSION_ID_SIZE];
    char node_id[NODE_ID_MAX + 1];
    char screen[SYNC_TEXT_MAX + 1];
    char action[SYNC_TEXT_MAX + 1];
};

/* feed is borrowed; NULL: nothing is reported. wake is called when something waits for this
 * client. */
struct sync *sync_create(struct change_feed *feed, void (*wake)(void *user), struct error *err);
void sync_destroy(struct sync *sync); /* after its clients are gone; takes NULL */
size_t sync_clients(const struct sync *sync);

/* user is passed to wake. NULL at SYNC_CLIENTS_CAP or without memory. */
struct sync_client *sync_client_create(struct sync *sync, void *user);
void sync_client_destroy(struct sync_client *client); /* takes NULL */

/* Sets the session, named at connect or in a question. The position of the editor in it is unknown,
 * unless it is already the client's session. */
void sync_client_join(struct sync_client *client, const char session_id[SESSION_ID_SIZE]);

/* The only session of this client: it is in it, and joins no other. Before any join. */
void sync_client_bind(struct sync_client *client, const char session_id[SESSION_ID_SIZE]);

/* Receives one complete message. Errors in it are reported to the client. Returns -1 if the client
 * must be closed, because it has sent nothing but errors. on_chat receives a chat_message: an
 * object, borrowed. */
int sync_client_receive(struct sync_client *client, const char *text, size_t len,
                        void (*on_chat)(void *user, const json_t *message), void *user);
/* The maximum length of a message, by its beginning: a question may contain a file. */
size_t sync_message_cap(const char *text, size_t len);
/* Queues a copy of a message for the client. Returns -1 if too much waits or without memory: close
 * the client. */
int sync_client_say(struct sync_client *client, const char *text, size_t len);

/* Appends the next message for the client to *to; false if none waits. */
bool sync_client_next(struct sync_client *client, struct buf *to);

const struct sync_context *sync_client_context(const struct sync_client *client);
/* The context last reported by any client of the session; NULL if there is none. */
const struct sync_context *sync_last_context(const struct sync *sync, const char *session_id);

/* Calls each with the user of every client, to close them. */
void sync_each(struct sync *sync, void (*each)(void *user));

#endif
