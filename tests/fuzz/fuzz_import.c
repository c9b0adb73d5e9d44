/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * libFuzzer over a reader of imports, one program for each row of the table of formats: FUZZ_FORMAT
 * is its name, and FUZZ_FILES whether it reads several files.
 *
 *     build/fuzz/tests/fuzz/fuzz_import_csv -max_len=4096 CORPUS tests/fuzz/regression/import_csv
 */
#include "tests/fuzz/play_import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct format *format = format_find(FUZZ_FORMAT);

    expect_import(format != NULL);
    play_import(format, FUZZ_FILES, data, size);
    return 0;
}
