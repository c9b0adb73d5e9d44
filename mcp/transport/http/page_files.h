/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The embedded files of the page. The table is generated at build time by mcp/ui/build.mjs, or by
 * cmake/page.sh if the page cannot be built. Everything in it is static.
 */
#ifndef LECTERN_TRANSPORT_PAGE_FILES_H
#define LECTERN_TRANSPORT_PAGE_FILES_H

#include <stddef.h>

struct page_file {
    const char *path;  /* "/" or "/ui/NAME"; all but the first have a hash in their name */
    const char *type;  /* Content-Type */
    const char *etag;  /* of its bytes, without quotes */
    const char *bytes; /* may contain 0 bytes */
    size_t len;
    const char *gz; /* gzip of the same; NULL if it is not smaller */
    size_t gz_len;
};

extern const struct page_file page_files[];
extern const size_t page_file_count;
extern const char *const page_files_missing; /* why there are none, or NULL */

#endif
