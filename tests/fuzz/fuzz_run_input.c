/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * libFuzzer over what a page sends up: it asserts that what is taken is as run_input.h says, that
 * it is taken the same once more, and that what is refused says why.
 *
 *     build/fuzz/tests/fuzz/fuzz_run_input -max_len=4096 -dict=tests/fuzz/run_input.dict
 * CORPUS tests/fuzz/regression/run_input
 */
#include "tests/fuzz/play_run_input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    play_run_input(data, size);
    return 0;
}
