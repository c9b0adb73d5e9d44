# SPDX-License-Identifier: GPL-3.0-or-later
"""The evasions through a complete server, in one engine and with each isolation: contained, and the next call is right.

Ours go to a server without validator and policy, many in one run, because starting sandboxes is what takes time. The shared ones go to the
real server, one in each run.

LECTERN_SANDBOX: the engine. LECTERN_ENGINES: all with which this test is registered.
"""
import collections
import contextlib
import os
import re
import secrets
import subprocess
import textwrap
import unittest

import sandbox
import test_alone
from test_alone import ENGINE, category, harness
from test_doors import MARK, PROGRAMS

IN_ONE_RUN = 100
SECONDS = 60  # of one run; the machine is busy
BATCH = """
print("== %(id)s")
try:
%(code)s
except BaseException as error:
    print("ENDED", type(error).__name__)
"""


def choices(option):
    """What the product offers for an option, in the order of its message."""
    done = subprocess.run([harness.LECTERN, "exec", "--" + option, "?", "-"], input=b"1", capture_output=True, check=False)
    found = re.search(r"must be (.*) or (\S+), not '\?'", done.stderr.decode())
    return [*found[1].split(", "), found[2]]


def batches():
    """(name, code): programs of one profile, each in a try statement."""
    by_profile = collections.defaultdict(list)
    for program in PROGRAMS:
        by_profile[program.profile].append(program)
    for profile, programs in by_profile.items():
        for first in range(0, len(programs), IN_ONE_RUN):
            yield "%s from %d" % (profile, first), programs[first:first + IN_ONE_RUN]


class Evasions(unittest.TestCase):
    def next_call(self, setting, client, name):
        number = secrets.randbelow(10 ** 9)
        answer = setting.call(client, "print(%d + 1, session_id)" % number)
        self.assertTrue(answer["content"][0]["text"].startswith("%d %s\n" % (number + 1, setting.sid)), (name, answer))

    def check_ours(self, setting, client):
        for name, programs in batches():
            code = "".join(BATCH % {"id": program.id, "code": textwrap.indent(program.code.decode(), "    ")} for program in programs)
            answer = setting.call(client, code, SECONDS)
            text = answer["content"][0]["text"]
            with self.subTest(name):
                self.assertIsNone(category(answer), text[-2000:])
                self.assertEqual(re.findall("^== (.*)$", text, re.MULTILINE), [program.id for program in programs])
                self.assertNotRegex(text, MARK)
            self.next_call(setting, client, name)

    def check_shared(self, setting, client):
        for path in sorted(sandbox.shared("corpus/evasions").glob("*.py")):
            answer = setting.call(client, path.read_text(), SECONDS)
            with self.subTest(path.name):
                self.assertIn(category(answer), ("validation", "runtime"), answer)
                self.assertNotRegex(answer["content"][0]["text"], r"(?m)^PWN")
            if category(answer) == "runtime":
                self.next_call(setting, client, path.name)

    def test_each_isolation(self):
        secret = secrets.token_hex(16)  # one for all, so that the image is built once
        for isolation in choices("isolation"):
            words = ("--isolation", isolation, "--profile", "visualization", "--warm", "bare=1,data=1,plot=0", "--stdout-cap", "60000")
            for check, left_out in ((self.check_ours, {}), (self.check_shared, {"policy": True, "server": "../../lectern"})):
                with self.subTest(isolation), contextlib.ExitStack() as stack:
                    setting = test_alone.Setting(stack, secret, words=words, **left_out)
                    check(setting, setting.client())
                    self.assertEqual(setting.server.close(), 0)

    def test_each_engine_has_this_test(self):
        engines = {*os.environ["LECTERN_ENGINES"].split(",")}
        self.assertIn(ENGINE, engines)
        self.assertEqual({*choices("sandbox")} - {"auto"}, engines)


if __name__ == "__main__":
    unittest.main(verbosity=2)
