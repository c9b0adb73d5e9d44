/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/sandbox_user.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "executor/run_folder.h"
#include "helpers/base/cleanup.h"

#define FIRST_OF_PEOPLE 1000  /* those below belong to the system */
#define MAP_CAP         4096  /* what the kernel writes at once */
#define NOBODY          65534 /* and 65535 was the -1 of 16 bits */
#define LAST_ID         (UINT32_MAX - 1)

int sandbox_users_read(struct sandbox_users *users, const char *text, struct error *err)
{
    unsigned long long first, last;
    char rest;

    text = text ? text : SANDBOX_USERS_DEFAULT;
    if (text[0] < '0' || text[0] > '9' ||
        sscanf(text, "%10llu-%10llu%c", &first, &last, &rest) != 2 || first > last)
        return error_set(err, ERROR_INVALID,
                         "--sandbox-uids must be FIRST-LAST, such as %s, not '%s'",
                         SANDBOX_USERS_DEFAULT, text);
    if (first < FIRST_OF_PEOPLE || last > LAST_ID || (first <= NOBODY + 1 && last >= NOBODY))
        return error_set(err, ERROR_INVALID,
                         "--sandbox-uids must be from %d to %u and contain neither %d "
                         "(nobody) nor %d, such as %s, not '%s'",
                         FIRST_OF_PEOPLE, LAST_ID, NOBODY, NOBODY + 1, SANDBOX_USERS_DEFAULT, text);
    *users = (struct sandbox_users){(uid_t)first, (uid_t)last};
    return 0;
}

bool sandbox_users_are_mapped(const struct sandbox_users *users, const char *map)
{
    unsigned long long next = users->first, inside, outside, count;

    for (const char *line = map; next <= users->last;) {
        if (sscanf(line, "%10llu %10llu %10llu", &inside, &outside, &count) != 3)
            return false;
        if (inside <= next && next < inside + count) {
            next = inside + count;
            line = map; /* the lines are in no order */
        } else {
            line += strcspn(line, "\n");
            line += *line == '\n';
        }
    }
    return true;
}

int sandbox_users_check(const struct sandbox_users *users, struct error *err)
{
    static const char *const paths[] = {"/proc/self/uid_map", "/proc/self/gid_map"};

    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        char map[MAP_CAP];
        cleanup_fd int fd = open(paths[i], O_RDONLY | O_CLOEXEC);
        ssize_t len = fd < 0 ? -1 : read(fd, map, sizeof map - 1);

        if (len < 0)
            return error_errno(err, errno, "%s", paths[i]);
        map[len] = '\0';
        if (!sandbox_users_are_mapped(users, map))
            return error_set(err, ERROR_UNAVAILABLE,
                             "the server is root, and sandboxes do not run as root, but this user "
                             "namespace has no ids %u-%u for them (%s): name ids that it has with "
                             "--sandbox-uids, run the server as an ordinary user, or use Docker",
                             users->first, users->last, paths[i]);
    }
    return 0;
}

int sandbox_user_take(struct sandbox_user *user, const struct sandbox_users *users,
                      struct error *err)
{
    uint64_t count = (uint64_t)users->last - users->first + 1, start;
    char path[RUN_FOLDER_CAP + sizeof "/users"];

    *user = (struct sandbox_user){.lock = -1};
    if (run_folder(path, err) < 0)
        return error_wrap(err, "a user id for a sandbox");
    snprintf(path + strlen(path), sizeof "/users", "/users");
    cleanup_fd int lock = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (lock < 0)
        return error_errno(err, errno, "%s", path);
    if (getrandom(&start, sizeof start, 0) != (ssize_t)sizeof start)
        return error_errno(err, errno, "getrandom");
    for (uint64_t i = 0; i < count; i++) {
        uid_t id = users->first + (uid_t)((start % count + i) % count);
        struct flock byte = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = id, .l_len = 1};

        if (fcntl(lock, F_OFD_SETLK, &byte) == 0) {
            *user = (struct sandbox_user){.id = id, .lock = steal_fd(&lock)};
            return 0;
        }
        if (errno != EAGAIN && errno != EACCES)
            return error_errno(err, errno, "a lock on %s", path);
    }
    return error_set(err, ERROR_UNAVAILABLE,
                     "living sandboxes have all user ids from %u to %u: a larger range with "
                     "--sandbox-uids",
                     users->first, users->last);
}

void sandbox_user_give_back(struct sandbox_user *user)
{
    if (user->id != 0)
        close(user->lock);
    *user = (struct sandbox_user){.lock = -1};
}
