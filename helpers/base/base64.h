/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LECTERN_BASE_BASE64_H
#define LECTERN_BASE_BASE64_H

#include <stddef.h>

#include "helpers/base/buf.h"

/* Appends the bytes in the standard alphabet, with padding (RFC 4648, section 4). */
void base64_write(struct buf *to, const void *bytes, size_t len);

#endif
