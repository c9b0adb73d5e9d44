# SPDX-License-Identifier: GPL-3.0-or-later
"""What the search costs on the algebra books of LECTERN_SHARED, 17,110 components: store_find.c, asked the questions of the tests.
The databases are in the build folder, so on a disk."""
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "contract"), str(HERE.parent / "data")]
import find_questions  # noqa: E402
import harness  # noqa: E402

questions = [text for text, _ in find_questions.FRACTIONS + find_questions.ALGEBRA + find_questions.ALGEBRA_AGAIN]
print("aims: find 5 ms at the 99th percentile, the index from nothing 3,000 ms, an edit 0.5 ms slower", flush=True)
subprocess.run([harness.BUILD / "tests/bench/store_find", harness.shared("data", "openstax_algebra.json"), harness.BUILD],
               input="\n".join(questions), text=True, check=True)
