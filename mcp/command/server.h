/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Builds and takes down what a serving process is made of.
 */
#ifndef LECTERN_COMMAND_SERVER_H
#define LECTERN_COMMAND_SERVER_H

#include "mcp/command/config.h"
#include "mcp/server.h"

/* Work queues, executor and caches by the configuration, into *server, whose loop the caller gives.
 * An executor that cannot be had is no failure: server->analyses.executor_error then says why.
 * Wants server_finish in any case. */
int server_init(struct server *server, uv_loop_t *loop, const struct config *config,
                struct error *err);

/* What answers reads alone, for `exec`: the work queues read and graph, over server->store.url, and
 * the graphs' cache. */
int server_open_readers(struct server *server, const struct config *config, struct error *err);

/* Ends runs, works off the work queues, runs what tasks are left. The loop must then run once more
 * to close its queue. */
void server_finish(struct server *server);

/* The executor alone, for `exec` and `doctor`. */
struct executor *server_executor(const struct config *config, const char *const *kinds,
                                 struct error *err);
int server_executor_config(const struct config *config, struct executor_config *executor,
                           char *share, size_t size, struct error *err);

/* The configured profile, or NULL with the names there are. */
const struct validator_profile *server_profile(const struct config *config, struct error *err);

/* SIGINT and SIGTERM call on_signal on the loop; SIGPIPE is ignored. */
struct signals {
    uv_signal_t interrupt, terminate;
    void (*on_signal)(void *user);
    void *user;
    int number; /* of the last that came; 0: none yet */
};
int signals_init(struct signals *signals, uv_loop_t *loop, void (*on_signal)(void *), void *user,
                 struct error *err);
void signals_finish(struct signals *signals);

#endif
