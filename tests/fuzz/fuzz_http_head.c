/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * libFuzzer over the head of an HTTP request.
 *
 *     build/fuzz/tests/fuzz/fuzz_http_head -max_len=2048 CORPUS tests/fuzz/regression/http_head
 */
#include "tests/fuzz/play_http_head.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    play_http_head(data, size);
    return 0;
}
