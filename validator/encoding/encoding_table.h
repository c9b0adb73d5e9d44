/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The encodings that Python knows by an encoding cookie, with the C library's names for them.
 */
#ifndef LECTERN_VALIDATOR_ENCODING_TABLE_H
#define LECTERN_VALIDATOR_ENCODING_TABLE_H

#include <stddef.h>

enum encoding_flags {
    ENCODING_NO_C1 = 1 << 0,   /* U+0080 to U+009F come from bytes that Python refuses */
    ENCODING_NO_EURO = 1 << 1, /* so does U+20AC */
    ENCODING_YEN = 1 << 2,     /* U+00A5 and U+203E are Python's '\\' and '~' */
    ENCODING_NO_2005 = 1 << 3, /* characters that GB 18030 moved in 2005 are elsewhere for Python */
    ENCODING_HZ = 1 << 4,      /* GB2312 behind the signs of RFC 1843: encoding_own.h */
    ENCODING_UTF7 = 1 << 5,    /* the C library's is laxer: likewise */
    ENCODING_ESCAPE = 1 << 6,  /* unicode_escape: likewise */
    ENCODING_RAW_ESCAPE = 1 << 7, /* raw_unicode_escape: likewise */
};

struct encoding {
    const char *iconv; /* for iconv_open(3) */
    unsigned flags;
    const char *names; /* Python's, normalised, a blank between; the module's own name first */
};

/* The row of a name as it stands in a cookie. NULL where Python has none of it, or the C library
 * reads it otherwise than Python does. Static. */
const struct encoding *encoding_find(const char *name, size_t len);

#endif
