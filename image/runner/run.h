/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One job from the runner's side: frames between the server and the interpreter, the deadline, the
 * caps, the watch over memory, and how it ended. One poll loop, one thread, nothing blocks: a
 * server that does not read holds back the code, never a deadline.
 *
 * A run goes WARMING, IDLE, IMPORTING, RUNNING, (ASKED), ENDING, ENDED. ASKED is the short time
 * between the deadline and the kill, in which the interpreter may still say where the code was. In
 * a session the first WARMING is the zygote's, then comes WARMED, and each run begins with COPYING,
 * in which its interpreter is asked for, and a short WARMING of its own (zygote.h). When it is
 * over it is killed, waited for, and everything of it is forgotten.
 */
#ifndef LECTERN_IMAGE_RUN_H
#define LECTERN_IMAGE_RUN_H

#include "image/runner/child.h"
#include "image/runner/options.h"

#define WARM_MS_MAX   120000 /* from start to ready */
#define COPY_MS_MAX   10000  /* from asking for a copy to its being ready */
#define IMPORT_MS_MAX 20000  /* importing before the clock starts */
#define ASKED_MS      200    /* for the interpreter's last words after the deadline */
#define ENDING_MS_MAX 1000   /* from the result to the process's end */
#define FLUSH_MS_MAX  2000   /* for a server that does not read the last frames */
#define LINGER_MS                                                                                  \
    50 /* for the server to hang up: taking processes down costs CPU that its answer needs */
#define WATCH_MS       50 /* between two looks at the memory */
#define OUTPUT_REST_MS 2  /* between two reads of output, so that small writes travel together */
#define HOLD_MS                                                                                    \
    2 /* for a start and output to wait for what follows: a short run is one message               \
       */

#define OUTSIDE_HIGH_WATER                                                                         \
    (1u << 20)                       /* bytes for the server that may wait before reading stops    \
                                      */
#define INSIDE_HIGH_WATER (1u << 20) /* bytes for the interpreter, likewise */
#define WARM_STDERR_CAP   (8u << 10) /* of what Python says before there is a job */

/* signals: a signalfd of SIGCHLD and the signals that ask the runner to end. Takes over the child.
 * The exit status of the runner: 0 after a job's last frame, in a session only when the server hung
 * up, else 1. */
int run_loop(struct child *child, const struct options *options, int signals);

#endif
