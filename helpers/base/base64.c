/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/base/base64.h"

#include <limits.h>

#include <openssl/evp.h>

void base64_write(struct buf *to, const void *bytes, size_t len)
{
    /* The library adds a NUL, which is not counted. */
    char *room = len < INT_MAX ? buf_reserve(to, (len + 2) / 3 * 4 + 1) : NULL;

    if (room)
        to->len += (size_t)EVP_EncodeBlock((unsigned char *)room, bytes, (int)len);
    else
        to->failed = true;
}
