/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The runner's side of zygote.h: one copy after the other. A copy is asked for before its job
 * comes, so that no job waits for a clone, and from then on it is the run's child like one that was
 * started. When its run is over it is killed, waited for, and everything of it is forgotten: a run
 * that begins is all zero but for what belongs to the runner.
 */
#ifndef LECTERN_IMAGE_FORK_SERVER_H
#define LECTERN_IMAGE_FORK_SERVER_H

struct runner_run;

#define COPY_MS_MAX 10000 /* from asking to its being ready */

/* The child that has warmed up is a zygote from now on; the first copy is asked for. */
int fork_server_begin(struct runner_run *run);
/* The zygote's answer, or its end, which is the runner's. */
int fork_server_take(struct runner_run *run);
/* After a run whose child is gone and whose last frame has left. */
int fork_server_next(struct runner_run *run);

#endif
