/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * libFuzzer over tokens and the file of them.
 *
 *     build/fuzz/tests/fuzz/fuzz_token -max_len=4096 -dict=tests/fuzz/sign_in.dict CORPUS
 * tests/fuzz/regression/token
 */
#include "tests/fuzz/play_token.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    play_token(data, size);
    return 0;
}
