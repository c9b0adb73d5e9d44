/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The seccomp profile of a container: which system calls its first process and the interpreter may
 * make before and after they apply their own filters (image/runner/seccomp.c). It is much shorter
 * than Docker's own profile, and goes with the request that creates the container, so the daemon's
 * host needs no file. unit.system_calls compares it with tests/data/system_calls.txt, which gives
 * the reason of each call. Pure.
 */
#ifndef LECTERN_EXECUTOR_DOCKER_SECCOMP_H
#define LECTERN_EXECUTOR_DOCKER_SECCOMP_H

#include "helpers/base/json.h"

/* In the form that Docker reads: refused calls fail with EPERM. Owned; NULL if out of memory. */
json_t *docker_seccomp_profile(void);

/* The number of system calls that it allows. */
size_t docker_seccomp_count(void);

#endif
