/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Bytes of a TCP connection that its reader has taken from the kernel so far. By itself, as the
 * kernel's and glibc's headers for TCP cannot stand in one file.
 */
#ifndef LECTERN_TRANSPORT_HTTP_TAKEN_H
#define LECTERN_TRANSPORT_HTTP_TAKEN_H

#include <stdint.h>

uint64_t http_bytes_taken(int fd); /* 0 where the kernel does not tell */

#endif
