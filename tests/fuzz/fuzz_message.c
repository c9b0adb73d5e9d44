/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * libFuzzer over a message of JSON-RPC.
 *
 *     build/fuzz/tests/fuzz/fuzz_message -max_len=4096 CORPUS tests/fuzz/regression/message
 */
#include "tests/fuzz/play_message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    play_message(data, size);
    return 0;
}
