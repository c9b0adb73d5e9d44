# SPDX-License-Identifier: GPL-3.0-or-later
"""A sheet of many rows is imported, or refused with the cap that it exceeds, in memory that its size bounds. LECTERN_WHOLE=1: 1,000,000 rows
instead of 50,000."""
import os
import pathlib
import subprocess
import tempfile
import unittest

import harness

ROWS = 1_000_000 if os.environ.get("LECTERN_WHOLE") else 50_000
MEMORY = 64 << 20  # of a process, whatever it reads
MEMORY_PER_BYTE = 160  # of a sheet with short cells, whose values stand in objects
FILE_CAP = 256 << 20
SURVEYED = 100_000  # rows whose content can say what the columns are


def is_sanitized():
    """A sanitizer keeps memory of its own, and keeps what was freed."""
    data = pathlib.Path(harness.LECTERN).read_bytes()
    return b"__asan_init" in data or b"__tsan_init" in data


class Large(unittest.TestCase):
    def setUp(self):
        self.workspace = harness.Workspace()
        self.addCleanup(self.workspace.close)

    def write(self, heading, rows):
        path = pathlib.Path(self.workspace.data, "large.csv")
        with path.open("w", encoding="utf-8") as file:
            file.write(heading + "\n")
            for n in range(1, rows + 1):
                file.write("L%d,Lesson number %d,%s,%d\n" % (n, n, "L%d" % (n - 1) if n > 1 else "", n % 7))
        return path

    def load(self, path, bound, *words):
        """(exit status, what the import says); the process stays below that memory"""
        with tempfile.TemporaryFile() as said:
            process = subprocess.Popen([str(harness.LECTERN), "import", *words, str(path)], stdout=subprocess.DEVNULL, stderr=said,
                                       env=self.workspace.environment())
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            said.seek(0)
            if not is_sanitized():
                self.assertLess(usage.ru_maxrss << 10, bound)
            return process.returncode, said.read().decode()

    def bound(self, path):
        return MEMORY + MEMORY_PER_BYTE * path.stat().st_size

    def test_rows(self):
        path = self.write("Id,Title,Prerequisites,Stage", ROWS)
        status, said = self.load(path, self.bound(path))
        self.assertEqual(status, 0, said)
        self.assertIn("%d nodes, 0 components, %d relationships" % (ROWS, ROWS - 1), said)

    def test_rows_that_are_read_by_their_content(self):
        path = self.write("Codice,Titolo,Prerequisiti,Gradino", 20_000)
        status, said = self.load(path, self.bound(path), "--dry-run")
        self.assertEqual(status, 0, said)
        self.assertIn("20000 nodes, 0 components, 19999 relationships", said)
        path = self.write("Codice,Titolo,Prerequisiti,Gradino", SURVEYED + 1)
        status, said = self.load(path, self.bound(path), "--dry-run")
        self.assertEqual(status, 1)
        for words in "no column is called Id", "--map COLUMN=ROLE", "more than 100,000 rows":
            self.assertIn(words, said)

    def test_a_file_above_the_cap(self):
        path = pathlib.Path(self.workspace.data, "huge.csv")
        with path.open("wb") as file:
            file.write(b"Id,Title\n")
            file.truncate(FILE_CAP + 1)
        status, said = self.load(path, 2 * FILE_CAP)
        self.assertEqual(status, 1)
        self.assertIn("is larger than %d bytes" % FILE_CAP, said)


if __name__ == "__main__":
    unittest.main()
