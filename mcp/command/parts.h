/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Builds and takes down what a serving process is made of.
 */
#ifndef LECTERN_COMMAND_PARTS_H
#define LECTERN_COMMAND_PARTS_H

#include "helpers/base/config.h"
#include "mcp/server_parts.h"

/* Work queues, executor and caches by the configuration, into *parts, whose loop the caller gives.
 * An executor that cannot be had is no failure: parts->executor_error then says why. Wants
 * parts_finish in any case. */
int parts_init(struct server_parts *parts, uv_loop_t *loop, const struct config *config,
               struct error *err);

/* What answers reads alone, for `exec`: the work queues read and graph, over parts->store_url, and
 * the graphs' cache. */
int parts_open_readers(struct server_parts *parts, struct error *err);

/* Ends runs, works off the work queues, runs what tasks are left. The loop must then run once more
 * to close its queue. */
void parts_finish(struct server_parts *parts);

/* The executor alone, for `exec` and `doctor`. */
struct executor *parts_executor(const struct config *config, const char *const *kinds,
                                struct error *err);
int parts_executor_config(const struct config *config, struct executor_config *executor,
                          char *share, size_t size, struct error *err);

/* The configured profile, or NULL with the names there are. */
const struct validator_profile *parts_profile(const struct config *config, struct error *err);

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
