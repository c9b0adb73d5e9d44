/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * libFuzzer over what an issuer answers.
 *
 *     build/fuzz/tests/fuzz/fuzz_issuer -max_len=4096 -dict=tests/fuzz/sign_in.dict CORPUS
 * tests/fuzz/regression/issuer
 */
#include "tests/fuzz/play_issuer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    play_issuer(data, size);
    return 0;
}
