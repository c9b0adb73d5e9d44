/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "image/runner/landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "image/runner/log_error.h"

#ifndef __NR_landlock_create_ruleset
#define __NR_landlock_create_ruleset 444
#define __NR_landlock_add_rule       445
#define __NR_landlock_restrict_self  446
#endif

#define CREATE_RULESET_VERSION 1u
#define RULE_PATH_BENEATH      1

#define FS_EXECUTE   (UINT64_C(1) << 0)
#define FS_READ_FILE (UINT64_C(1) << 2)
#define FS_READ_DIR  (UINT64_C(1) << 3)

#define READ_TREE (FS_READ_FILE | FS_READ_DIR)

struct ruleset_attr {
    uint64_t handled_fs;
    uint64_t handled_net;
    uint64_t scoped;
};

struct path_attr {
    uint64_t allowed;
    int32_t parent_fd;
} __attribute__((packed));

/* The rights of each ABI (all bits from 0 on), and the size of its struct. A kernel newer than the
 * last row is treated like the last row. */
static const struct abi {
    struct ruleset_attr all;
    size_t size;
} abis[] = {
    {{(1u << 13) - 1, 0, 0}, 8},  /* 1: files */
    {{(1u << 14) - 1, 0, 0}, 8},  /* 2: refer */
    {{(1u << 15) - 1, 0, 0}, 8},  /* 3: truncate */
    {{(1u << 15) - 1, 3, 0}, 16}, /* 4: TCP bind and connect */
    {{(1u << 16) - 1, 3, 0}, 16}, /* 5: ioctl on devices */
    {{(1u << 16) - 1, 3, 3}, 24}, /* 6: abstract sockets and signals are restricted to the domain */
};
#define ABI_LAST ((int)(sizeof abis / sizeof *abis))

int landlock_abi(void)
{
    long abi = syscall(__NR_landlock_create_ruleset, NULL, 0, CREATE_RULESET_VERSION);

    return abi > 0 ? (int)abi : 0;
}

static int create_ruleset(bool scoped)
{
    int abi = landlock_abi();
    struct ruleset_attr attr;
    long fd;

    if (abi > ABI_LAST)
        abi = ABI_LAST;
    attr = abis[abi - 1].all;
    if (!scoped)
        attr.scoped = 0;
    fd = syscall(__NR_landlock_create_ruleset, &attr, abis[abi - 1].size, 0u);
    return fd < 0 ? log_errno("landlock_create_ruleset") : (int)fd;
}

static int add_path(int ruleset, const char *path, uint64_t allowed)
{
    struct path_attr attr = {.allowed = allowed};
    struct stat status;
    int fd = open(path, O_PATH | O_CLOEXEC);
    int done = -1;

    if (fd < 0)
        return errno == ENOENT || errno == EACCES ? 0 : log_errno("open %s", path);
    attr.parent_fd = fd;
    if (fstat(fd, &status) < 0) {
        log_errno("stat %s", path);
        goto out;
    }
    if (!S_ISDIR(status.st_mode))
        attr.allowed &= ~FS_READ_DIR;
    if (syscall(__NR_landlock_add_rule, ruleset, RULE_PATH_BENEATH, &attr, 0u) < 0) {
        log_errno("landlock_add_rule %s", path);
        goto out;
    }
    done = 0;
out:
    close(fd);
    return done;
}

/* The pinned Python, of which only the loader is executed (it maps Python like a library), and two
 * devices. It needs nothing of /etc, where Docker puts files of the container. */
static int add_interpreter(int ruleset, const struct options *options)
{
    const struct {
        const char *root, *path;
        uint64_t allowed;
    } rows[] = {
        {options->python_root, "/usr", READ_TREE}, {"", options->loader, FS_READ_FILE | FS_EXECUTE},
        {"", options->helpers, READ_TREE},         {"", options->interpreter, FS_READ_FILE},
        {"", "/dev/null", FS_READ_FILE},           {"", "/dev/urandom", FS_READ_FILE},
    };
    char path[PATH_MAX];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (snprintf(path, sizeof path, "%s%s", rows[i].root, rows[i].path) >= (int)sizeof path)
            return log_error("the path of %s is too long", rows[i].root);
        if (add_path(ruleset, path, rows[i].allowed) < 0)
            return -1;
    }
    return 0;
}

static int restrict_self(int ruleset)
{
    if (syscall(__NR_landlock_restrict_self, ruleset, 0u) < 0)
        return log_errno("landlock_restrict_self");
    return 0;
}

int landlock_rules(const struct options *options)
{
    int ruleset = create_ruleset(true);

    if (ruleset >= 0 && add_interpreter(ruleset, options) < 0) {
        close(ruleset);
        return -1;
    }
    return ruleset;
}

int landlock_confine_interpreter(const struct options *options)
{
    int ruleset, done;

    if (landlock_abi() == 0)
        return 0;
    ruleset = landlock_rules(options);
    if (ruleset < 0)
        return -1;
    done = options->session ? add_path(ruleset, "/proc", FS_READ_FILE) : 0;
    if (done == 0)
        done = restrict_self(ruleset);
    close(ruleset);
    return done;
}

int landlock_confine_runner(void)
{
    int ruleset, done;

    if (landlock_abi() == 0)
        return 0;
    /* Not scoped: the runner must be able to kill the interpreter, which is in another domain. */
    ruleset = create_ruleset(false);
    if (ruleset < 0)
        return -1;
    done = restrict_self(ruleset);
    close(ruleset);
    return done;
}
