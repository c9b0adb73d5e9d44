# SPDX-License-Identifier: GPL-3.0-or-later
"""The programs of tests/data: hostile ones by family, ordinary ones, and mistakes. The head of each file says how it is laid out;
tests/parts/corpus.h reads the same files in C.

LECTERN_WHOLE=1 (make soak): sample() leaves nothing out. LECTERN_SEED: its choice."""
import dataclasses
import os
import pathlib
import random
import re

FOLDER = pathlib.Path(__file__).resolve().parent
WHOLE = os.environ.get("LECTERN_WHOLE") == "1"
SEED = int(os.environ.get("LECTERN_SEED", random.SystemRandom().randrange(10 ** 9)))


def sample(items, every):
    """One of each `every` of the list, beginning at a place that SEED draws; with WHOLE all."""
    if WHOLE or every == 1:
        return items
    first = random.Random(SEED).randrange(every)
    print("one of each %d programs, LECTERN_SEED=%d; LECTERN_WHOLE=1 runs them all" % (every, SEED))
    return items[first::every]


@dataclasses.dataclass
class Program:
    family: str
    number: int
    profile: str
    code: bytes
    words: list
    message: str

    @property
    def id(self):
        return "%s-%d" % (self.family, self.number)

    @property
    def stage(self):
        """Where it is stopped: before it runs (static), or by the sandbox (runtime)."""
        return "runtime" if "runtime" in self.words else "static"


def unescaped(text):
    """Bytes as in C, without the ends of the lines, which are only layout."""
    return re.sub(rb"\\(?:n|x([0-9a-f]{2})|\\)", lambda found: bytes([int(found[1], 16)]) if found[1] else
                  b"\n" if found[0] == b"\\n" else b"\\", text.replace(b"\n", b""))


def programs(kind):
    """Of hostile, ordinary or mistakes."""
    found = []
    for path in sorted((FOLDER / kind).glob("*.txt")):
        parts = re.split(rb"^%% (.*)\n", path.read_bytes(), flags=re.MULTILINE)[1:]
        for number, (head, code) in enumerate(zip(parts[::2], parts[1::2]), 1):
            profile, *words = head.decode().split()
            message = re.match(rb"%= (.*)\n", code)
            code = code[message.end() if message else 0:]
            if 2 * number < len(parts):
                code = code[:-1]  # the empty line before the next program
            if "escaped" in words:
                code = unescaped(code)
            found.append(Program(path.stem, number, profile, code, words, message[1].decode() if message else ""))
    return found
