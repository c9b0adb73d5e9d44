/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * libFuzzer over a model's answer: the stream of events and the message made of it, fed in parts.
 * The first byte says how long the parts are; it asserts that the cuts make no difference, that
 * what is told is whole characters, and that what is kept can be written.
 *
 *     build/fuzz/tests/fuzz/fuzz_model_stream -max_len=16384 -dict=tests/fuzz/model_stream.dict
 * CORPUS tests/fuzz/regression/model_stream
 */
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/play_model_stream.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    play_model_stream(data, size);
    return 0;
}
