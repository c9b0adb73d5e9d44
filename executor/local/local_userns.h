/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whether this kernel lets ordinary users make user namespaces, which bubblewrap needs, and where
 * not, which of its switches is off: each has a remedy of its own.
 */
#ifndef LECTERN_EXECUTOR_LOCAL_USERNS_H
#define LECTERN_EXECUTOR_LOCAL_USERNS_H

struct local_userns {
    const char *text; /* what is so; static */
    const char *fix;  /* the command that fixes it; NULL where nothing is in the way */
};

/* root: "/proc/sys", or a folder like it in a test. */
struct local_userns local_userns_look(const char *root);

#endif
