/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * User ids for sandboxes: each has one of its own, from a range, and the group id of the same
 * number. So no two sandboxes share what the kernel keeps by user, such as signals, /proc, and the
 * limit on processes, and none shares it with another service, as nobody would.
 *
 * An id is taken with a lock on the byte of that number in one file of the run folder. The lock is
 * by open file description, so it holds between the servers of this machine and within one, and it
 * ends with the server, also if that is killed. The search begins at a random id, because servers
 * with different run folders (containers, ordinary users) do not see the locks of each other. An
 * ask of /proc instead would miss the ids that are given out and not yet used.
 *
 * Any thread.
 */
#ifndef LECTERN_EXECUTOR_SANDBOX_USER_H
#define LECTERN_EXECUTOR_SANDBOX_USER_H

#include <stdbool.h>
#include <sys/types.h>

#include "helpers/base/error.h"

/* Above the ids of people, of systemd's dynamic users (61184-65519) and of nobody (65534), and
 * below those that are given away for containers (/etc/subuid: from 100000) and to directories of
 * people (SSSD: from 200000). systemd's list of ids calls this part unused. */
#define SANDBOX_USERS_DEFAULT "70000-99999"

struct sandbox_users {
    uid_t first, last;
};

/* text: "FIRST-LAST", or NULL: the default. Returns -1 with ERROR_INVALID. */
int sandbox_users_read(struct sandbox_users *users, const char *text, struct error *err);

/* Whether the map of a user namespace (user_namespaces(7): /proc/self/uid_map) has all of them. */
bool sandbox_users_are_mapped(const struct sandbox_users *users, const char *map);

/* Returns -1 with what to do if this process's user namespace lacks some of them. */
int sandbox_users_check(const struct sandbox_users *users, struct error *err);

struct sandbox_user {
    uid_t id; /* 0: none was taken */
    int lock;
};

/* Takes an id that no living sandbox has. Returns -1 with *user empty. */
int sandbox_user_take(struct sandbox_user *user, const struct sandbox_users *users,
                      struct error *err);

/* Does nothing if none was taken. */
void sandbox_user_give_back(struct sandbox_user *user);

#endif
