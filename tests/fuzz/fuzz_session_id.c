/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * libFuzzer over the ids of MCP sessions.
 *
 *     build/fuzz/tests/fuzz/fuzz_session_id -max_len=512 CORPUS tests/fuzz/regression/session_id
 */
#include "tests/fuzz/play_session_id.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    play_session_id(data, size);
    return 0;
}
