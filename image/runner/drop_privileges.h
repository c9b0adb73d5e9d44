/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From a fork of the runner to the interpreter. The layers go on in this order: session of its own,
 * descriptors, resource limits, no capability, no new privilege, Landlock, seccomp, exec. A zygote
 * gets the same, but for what cloning takes, and what it hands on to its copies.
 */
#ifndef LECTERN_IMAGE_DROP_PRIVILEGES_H
#define LECTERN_IMAGE_DROP_PRIVILEGES_H

#include "image/runner/descriptors.h"
#include "image/runner/options.h"

#define DROP_PRIVILEGES_FAILED                                                                     \
    125 /* exit status of a child that could not become the interpreter */

/* In the child, with its own ends. Its messages go to its standard error, which the runner passes
 * on. */
_Noreturn void drop_privileges_and_exec(const struct options *options, const struct ends *its);

#endif
