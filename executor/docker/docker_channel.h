/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A direct channel to the runner of a container: a Unix socket in a folder of this machine that is
 * mounted into the container read-only. A frame takes one hop; through the daemon's attached stream
 * it takes three (the daemon, the container's shim, the runner). The container still has no
 * network.
 *
 * The runner connects before it starts the interpreter, whose seccomp filter has no socket(2); the
 * socket and its folder are removed as soon as it has connected. They lie in the run folder, which
 * is for this user only, so no other process of the machine can reach a socket; a server that is
 * root also gives the socket to the user of the container alone, and asks the kernel for the user
 * that has connected. A daemon that does not share this
 * machine's files cannot mount the folder; its containers use the attached stream.
 */
#ifndef LECTERN_EXECUTOR_DOCKER_CHANNEL_H
#define LECTERN_EXECUTOR_DOCKER_CHANNEL_H

#include <sys/types.h>

#include "helpers/base/error.h"

#define CHANNEL_TARGET    "/channel" /* where the folder is in the container */
#define CHANNEL_SOCKET    "runner"
#define CHANNELS_PATH_CAP 224u
#define CHANNEL_PATH_CAP  256u /* that and a number */

/* The folder for all channels of one engine: in the run folder, and named after the owner. */
struct docker_channels {
    char path[CHANNELS_PATH_CAP]; /* "" if it could not be made; there are no channels then */
};

/* Makes the folder, and removes those of dead owners. owner: of owner_label. */
void docker_channels_open(struct docker_channels *channels, const char *owner);
void docker_channels_close(struct docker_channels *channels);

struct docker_channel {
    char folder[CHANNEL_PATH_CAP]; /* to mount; "" if there is no channel */
    int listener;                  /* -1: none */
    uid_t user;                    /* that may connect; 0: anybody who reaches it */
};

/* number: differs for each channel of the engine. user: the runner's on this machine; 0: unknown.
 * Returns -1 with an error and an empty channel. */
int docker_channel_open(struct docker_channel *channel, const struct docker_channels *channels,
                        unsigned long number, uid_t user, struct error *err);

/* Waits until the runner has connected, at most timeout_ms. other: a descriptor that becomes
 * readable if it does not connect. Returns the connection, non-blocking and owned by the caller, or
 * -1 with an error: ERROR_TIMEOUT, or another if `other` was readable first or another user has
 * connected. */
int docker_channel_accept(const struct docker_channel *channel, int other, int timeout_ms,
                          struct error *err);

/* Removes the socket and its folder. A connection stays. Does nothing for an empty channel. */
void docker_channel_close(struct docker_channel *channel);

#endif
