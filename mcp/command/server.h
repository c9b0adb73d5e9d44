/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Creates and destroys the parts of a serving process.
 */
#ifndef LECTERN_COMMAND_SERVER_H
#define LECTERN_COMMAND_SERVER_H

#include "mcp/command/config.h"
#include "mcp/server.h"

/* Creates work queues, executor and caches from the configuration, for the caller's loop. A missing
 * executor is not an error: server->analyses.executor_error says why. Call server_finish in any
 * case. */
int server_init(struct server *server, uv_loop_t *loop, const struct config *config,
                struct error *err);

/* The part that answers reads, for `exec`: the work queues read and graph for server->store.url,
 * and the cache of graphs. */
int server_open_readers(struct server *server, const struct config *config, struct error *err);

/* The roles that solve questions, for a chat; with the toolset solve server_init creates them. Does
 * nothing if they are there. */
int server_open_solver(struct server *server, const struct config *config, struct error *err);

/* Ends the runs, finishes the jobs of the work queues, and runs the remaining tasks. The loop must
 * then run once more to close its queue. */
void server_finish(struct server *server);

/* Only the executor, for `exec` and `doctor`. */
struct executor *server_executor(const struct config *config, const char *const *kinds,
                                 struct error *err);
int server_executor_config(const struct config *config, struct executor_config *executor,
                           char *share, size_t size, struct error *err);

bool server_is_loopback(const struct config *config); /* only this machine reaches it */

/* The configured profile, which lives as long as the config; NULL with an error that lists the
 * names. Call it once. */
const struct validator_profile *server_profile(const struct config *config, struct error *err);

/* SIGINT and SIGTERM call on_signal on the loop; SIGPIPE is ignored. */
struct signals {
    uv_signal_t interrupt, terminate, hangup;
    struct tutor *tutor; /* SIGHUP reads its tiers again; NULL, or without a file: as usual */
    void (*on_signal)(void *user);
    void *user;
    int number; /* of the last signal; 0: none yet */
};
/* The tutor is set before. */
int signals_init(struct signals *signals, uv_loop_t *loop, void (*on_signal)(void *), void *user,
                 struct error *err);
void signals_finish(struct signals *signals);

#endif
