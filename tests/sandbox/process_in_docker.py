# SPDX-License-Identifier: GPL-3.0-or-later
"""Lectern itself inside an unprivileged container with Docker's default seccomp profile, where it can neither start containers nor make
namespaces: --sandbox auto selects the engine process.

Runs under with_docker.sh. The container has this machine's programs and libraries, the build folder and that of the pinned Python, read-only.
"""
import json
import os
import subprocess
import unittest

BUILD = os.path.realpath(os.environ["LECTERN_BUILD"])
CACHE = os.path.dirname(subprocess.run([BUILD + "/lectern", "sandbox", "fetch"], stdout=subprocess.PIPE, check=True, text=True).stdout.split()[-1])
HOST = ("/usr", "/bin", "/lib", "/lib64", "/etc/alternatives", "/etc/ld.so.cache")
PANDAS = b"import pandas as pd\nprint(pd.Series([20, 22]).sum())"


def in_container(user, *words, stdin=b""):
    return subprocess.run(["docker", "run", "--rm", "-i", "--network", "none", "--user", user, "--workdir", "/tmp", "--tmpfs", "/tmp:exec",
                           *(word for path in (*HOST, BUILD, CACHE) for word in ("-v", "%s:%s:ro" % (path, path))),
                           "-e", "HOME=/tmp", "-e", "LECTERN_DATA=/tmp/data", "-e", "LECTERN_CACHE=" + CACHE, "--entrypoint", "/bin/sh",
                           os.environ["LECTERN_IMAGE"], "-c",
                           'lectern=$1; shift; $lectern demo >/dev/null && exec $lectern "$@"', "sh", BUILD + "/lectern", *words],
                          input=stdin, capture_output=True, timeout=120, check=False)


class InContainer(unittest.TestCase):
    users = ("0:0", "1234:1234")

    def test_an_analysis_is_answered(self):
        for user in self.users:
            for isolation in ("execution", "session"):
                with self.subTest(user=user, isolation=isolation):
                    done = in_container(user, "exec", "--isolation", isolation, "-", stdin=PANDAS)
                    self.assertEqual((done.returncode, done.stdout), (0, b"42\n"), done.stderr)

    def test_nothing_else_works_there(self):
        for engine in ("docker", "local"):
            done = in_container("0:0", "exec", "--sandbox", engine, "-", stdin=b"print(1)")
            self.assertEqual(done.returncode, 127, done.stderr)

    def test_the_doctor_says_which_layers_hold(self):
        for user, name in zip(self.users, ("a separate user", "the user of the server")):
            done = in_container(user, "doctor", "--json")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            rows = {row["name"]: row for row in json.loads(done.stdout)}
            self.assertEqual([rows[row]["ok"] for row in ("docker daemon", "bubblewrap", "process")], [False, False, True])
            self.assertTrue(rows["process trial"]["ok"])
            self.assertRegex(rows["process"]["text"], "as %s: seccomp holds .*, Landlock ABI .*There is no namespace" % name)


if __name__ == "__main__":
    unittest.main(verbosity=2)
