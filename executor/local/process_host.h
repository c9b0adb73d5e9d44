/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What this machine offers to a sandbox without namespaces: Landlock, seccomp, and whether there is
 * a network to keep from it.
 */
#ifndef LECTERN_EXECUTOR_LOCAL_PROCESS_HOST_H
#define LECTERN_EXECUTOR_LOCAL_PROCESS_HOST_H

#include <stdbool.h>
#include <stddef.h>

#include "helpers/base/error.h"

#define PROCESS_LANDLOCK_FILES   1 /* oldest ABI that limits which files are read */
#define PROCESS_LANDLOCK_NETWORK 4 /* oldest ABI that refuses TCP */
#define PROCESS_LANDLOCK_SCOPES  6 /* oldest ABI that refuses signals and abstract sockets */

struct process_host {
    int landlock_abi; /* 0: none */
    bool seccomp;     /* filters, with errors as their action */
    bool network;     /* some interface is up, the loopback included */
};

/* Asks the kernel. */
struct process_host process_host_look(void);

/* Returns 0 if every layer that a sandbox without namespaces relies on holds on that machine,
 * otherwise -1 with the first that does not, and what to do. */
int process_host_check(const struct process_host *host, struct error *err);

/* Writes which layers hold and which are missing. */
void process_host_describe(const struct process_host *host, char *text, size_t size);

#endif
