/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/local/process_host.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef __NR_landlock_create_ruleset
#define __NR_landlock_create_ruleset 444
#endif
#define LANDLOCK_ASK_VERSION 1u
/* linux/seccomp.h, which belongs to the runner */
#define SECCOMP_GET_ACTION_AVAIL 2u
#define SECCOMP_RET_ERRNO        0x00050000u

static bool has_seccomp(void)
{
    const uint32_t action = SECCOMP_RET_ERRNO;

    return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

/* True if that cannot be found out. */
static bool has_network(void)
{
    struct ifaddrs *all;
    bool up = false;

    if (getifaddrs(&all) < 0)
        return true;
    for (const struct ifaddrs *one = all; one && !up; one = one->ifa_next)
        up = (one->ifa_flags & IFF_UP) != 0;
    freeifaddrs(all);
    return up;
}

struct process_host process_host_look(void)
{
    long abi = syscall(__NR_landlock_create_ruleset, NULL, 0, LANDLOCK_ASK_VERSION);

    return (struct process_host){
        .landlock_abi = abi > 0 ? (int)abi : 0, .seccomp = has_seccomp(), .network = has_network()};
}

int process_host_check(const struct process_host *host, struct error *err)
{
    if (!host->seccomp)
        return error_set(err, ERROR_UNAVAILABLE,
                         "this kernel has no seccomp filters, which a sandbox without namespaces "
                         "needs: a kernel with CONFIG_SECCOMP_FILTER");
    if (host->landlock_abi < PROCESS_LANDLOCK_FILES)
        return error_set(err, ERROR_UNAVAILABLE,
                         "this kernel has no Landlock, which a sandbox without namespaces needs: "
                         "Linux 6.7 or newer with lsm=landlock");
    if (host->landlock_abi < PROCESS_LANDLOCK_NETWORK && host->network)
        return error_set(err, ERROR_UNAVAILABLE,
                         "Landlock ABI %d of this kernel does not cover the network, and an "
                         "interface is up: Linux 6.7 or newer (ABI %d), or a network namespace in "
                         "which no interface is up",
                         host->landlock_abi, PROCESS_LANDLOCK_NETWORK);
    return 0;
}

void process_host_describe(const struct process_host *host, char *text, size_t size)
{
    snprintf(text, size,
             "seccomp holds (no socket, no process, no signal), Landlock ABI %d (files%s%s)%s, no "
             "new privileges. There is no namespace: names and sizes of files, process ids and the "
             "host's name can be seen",
             host->landlock_abi, host->landlock_abi >= PROCESS_LANDLOCK_NETWORK ? ", TCP" : "",
             host->landlock_abi >= PROCESS_LANDLOCK_SCOPES ? ", signals" : "",
             host->network ? "" : ", no network in this namespace");
}
