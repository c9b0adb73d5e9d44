/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How many bytes of a connection libwebsockets has taken from the kernel so far.
 *
 * libwebsockets 4.1.6 keeps what came behind a request (pipelining) in a buffer. A next request
 * with a body that is read from that buffer goes wrong there: its own headers are handed out as its
 * body, again and again without end. It does not say where a request comes from, but the kernel
 * does: one for which nothing was taken since the last answer comes from the buffer.
 */
#include "mcp/transport/http_taken.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#define TRIES 16

static uint64_t received(int fd)
{
    struct tcp_info info = {0};
    socklen_t len = sizeof info;

    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len) < 0 ||
        len < offsetof(struct tcp_info, tcpi_bytes_received) + sizeof info.tcpi_bytes_received)
        return 0;
    return info.tcpi_bytes_received;
}

uint64_t http_bytes_taken(int fd)
{
    uint64_t before = received(fd), after;
    int waiting = 0;

    /* Both figures must be of one moment; more may arrive in between. */
    for (int i = 0; i < TRIES; i++) {
        if (ioctl(fd, FIONREAD, &waiting) < 0)
            return 0;
        after = received(fd);
        if (after == before)
            break;
        before = after;
    }
    return before - (uint64_t)waiting;
}
