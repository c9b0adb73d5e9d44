/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * An engine for tests of the executor: each box is a process of the test program itself that speaks
 * frame.h, and misbehaves as it is told. No sandbox at all. A test program that uses it calls
 * fake_runner_main first thing in main().
 *
 * What a job's code says, a command a line, is what the fake does:
 *
 *   print TEXT      FRAME_STDOUT          err TEXT         FRAME_STDERR
 *   hex XX..        FRAME_STDOUT of those bytes            flood N          N bytes of output
 *   get PATH        a request; its answer goes to stdout   gets N           N requests in a row
 *   value TEXT      in FRAME_RESULT       raise TYPE TEXT  an error in FRAME_RESULT
 *   sleep MS        or till input ends    deaf MS          heeds nothing
 *   slow            reads answers a byte at a time         die              ends without a word
 *   garbage         bytes that are no frame                oversize         a head over its cap
 *   tail XX..       FRAME_STDOUT_TAIL     longtail N       the same of N zeros
 *   cut N           stdout_cut in FRAME_EXIT               figure TEXT      FRAME_ARTIFACT
 *   whose           prints which job of its process it is, and whose the first was
 *   unready         no FRAME_READY after this job
 *   twice           FRAME_STARTED again   exit STATUS      FRAME_EXIT with that status, and ends
 *
 * Where it serves a session it says FRAME_READY after each job, and to a job of another session
 * than the first it says FOREIGN. Before the job comes, fake_fault says what goes wrong.
 */
#ifndef LECTERN_TESTS_FAKE_ENGINE_H
#define LECTERN_TESTS_FAKE_ENGINE_H

#include <stdatomic.h>

#include "executor/engine.h"

enum fake_fault {
    FAKE_WELL,
    FAKE_NO_START,      /* start fails: the daemon is away */
    FAKE_DIES_WARMING,  /* ends before FRAME_READY */
    FAKE_NEVER_READY,   /* silence */
    FAKE_GARBAGE_READY, /* garbage for FRAME_READY */
    FAKE_NO_LANDLOCK,   /* FRAME_READY says so, or that there is no seccomp, or another Python */
    FAKE_NO_SECCOMP,
    FAKE_OTHER_PYTHON,
    FAKE_NO_SETTLE,     /* settle fails */
    FAKE_DIES_WITH_JOB, /* ready, but ends when the job comes */
    FAKE_MUTE,          /* takes the job and says nothing */
    FAKE_NO_PONG,       /* does not answer pings */
};

extern const struct engine engine_fake;
extern atomic_int fake_fault;   /* of the boxes that start from now on */
extern atomic_int fake_faulty;  /* of how many of them; below 0: of all */
extern atomic_int fake_boxes;   /* that exist */
extern atomic_int fake_started; /* ever */
extern atomic_int fake_made_of; /* the version of what they are made of; -1: cannot be told */

/* In a process that is a fake runner: does its work and exits. Returns in any other. */
void fake_runner_main(int argc, char **argv);

#endif
