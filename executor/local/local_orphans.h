/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sandboxes that a killed server left half made. bubblewrap's inner process waits for its outer one
 * before it asks to die with it; where a server is killed in that moment, the inner one waits for
 * ever. No code has run in it, and nothing else ends it.
 */
#ifndef LECTERN_EXECUTOR_LOCAL_ORPHANS_H
#define LECTERN_EXECUTOR_LOCAL_ORPHANS_H

#include <stddef.h>

/* Ends every bwrap of a runner whose owner, named in its command line (local_plan.h), is dead by
 * its process's number and start (owner.h); returns how many. */
size_t local_orphans_end(void);

#endif
