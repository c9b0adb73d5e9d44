/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of a build without the page, for lectern_without_page (test_page.py). Linked before the
 * library that has the real one.
 */
#include "mcp/transport/http/page_files.h"

const struct page_file page_files[1];
const size_t page_file_count = 0;
const char *const page_files_missing = "npm could not install its packages (a test)";
