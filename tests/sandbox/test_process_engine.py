# SPDX-License-Identifier: GPL-3.0-or-later
"""The engine without namespaces: selected last, on a machine that allows no namespaces; and what it keeps from code that runs as the
server's own user, with every judgement of the code left out."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import sandbox

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "contract"))
import harness  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
USER = 54321  # nobody's
# A user namespace with one ordinary user, in which no further one can be made; the machine's own setting stays.
NO_NAMESPACES = ["unshare", "--user", "--map-user=1000", "--map-group=1000", "--keep-caps", "sh", "-c",
                 'echo 0 >/proc/sys/user/max_user_namespaces && exec setpriv --ambient-caps=-all --inh-caps=-all -- "$@"', "sh"]
ONLY_ROOT = ["unshare", "--user", "--map-root-user"]


def process_row():
    """What the doctor says of the engine; skips where it cannot work."""
    workspace = harness.Workspace()
    try:
        rows = json.loads(workspace.run("doctor", "--json", "--sandbox", "process", check=False).stdout)
    finally:
        workspace.close()
    row = next(row for row in rows if row["name"] == "process")
    if not row["ok"]:
        raise unittest.SkipTest("SKIPPED: " + row["text"])
    return row["text"]


class NoNamespaces(unittest.TestCase):
    """With neither a Docker daemon nor bubblewrap."""

    def setUp(self):
        process_row()
        if subprocess.run([*NO_NAMESPACES, "true"], capture_output=True, check=False).returncode != 0:
            raise unittest.SkipTest("SKIPPED: a user namespace cannot be made here: sysctl -w user.max_user_namespaces=15000")
        self.workspace = harness.Workspace()
        self.addCleanup(self.workspace.close)
        self.workspace.run("demo")

    def lectern(self, *words, stdin=b""):
        environment = dict(self.workspace.environment(), DOCKER_HOST="unix:///nonexistent/docker.sock")
        return subprocess.run([*NO_NAMESPACES, str(harness.LECTERN), *words], input=stdin, capture_output=True, env=environment,
                              timeout=harness.ANSWER_SECONDS, check=False)

    def test_an_analysis_is_answered(self):
        for isolation in ("execution", "session"):
            done = self.lectern("exec", "--isolation", isolation, "-", stdin=b"import pandas as pd\nprint(pd.Series([20, 22]).sum())")
            self.assertEqual((done.returncode, done.stdout), (0, b"42\n"), done.stderr)

    def test_the_others_are_refused(self):
        for engine in ("docker", "local"):
            done = self.lectern("exec", "--sandbox", engine, "-", stdin=b"print(1)")
            self.assertEqual(done.returncode, 127, done.stderr)

    def test_the_start_says_which_layers_hold(self):
        done = self.lectern("stdio", "--log", "info")
        self.assertEqual(done.returncode, 0, done.stderr)
        said = done.stderr.decode()
        self.assertRegex(said, r"code runs in the process sandbox: no Docker daemon answers.*user.max_user_namespaces is 0")
        self.assertRegex(said, r"seccomp holds \(.*\), Landlock ABI \d+ \(files, TCP.*There is no namespace")

    def test_doctor(self):
        done = self.lectern("doctor", "--json")
        self.assertEqual(done.returncode, 0, done.stdout)
        rows = {row["name"]: row for row in json.loads(done.stdout)}
        self.assertRegex(rows["process"]["text"], r"seccomp holds.*Landlock ABI.*There is no namespace")
        self.assertEqual([rows[name]["ok"] for name in ("process", "bubblewrap", "docker daemon")], [True, False, False])
        self.assertRegex(rows["process trial"]["text"], r"was ready after \d+\.\d\d s: Python 3\.11\.")
        self.assertRegex(rows["process landlock"]["text"], r"inside, ABI \d+: ")
        self.assertTrue(rows["process execve"]["ok"])
        self.assertIn("not by control groups", rows["local limits"]["text"])
        self.assertEqual({name for name in rows if name.endswith(("trial", "execve"))}, {"process trial", "process execve"})
        self.assertEqual([name for name, row in rows.items() if row["needed"] and not row["ok"]], [])
        done = self.lectern("doctor", "--json", "--sandbox", "local")
        self.assertEqual([row["name"] for row in json.loads(done.stdout) if row["needed"] and not row["ok"]], ["bubblewrap"])
        self.assertEqual(done.returncode, 1)


    def test_it_must_be_named_where_others_reach_the_server(self):
        done = self.lectern("doctor", "--json", "--host", "0.0.0.0")
        row = next(row for row in json.loads(done.stdout) if row["name"] == "process")
        self.assertEqual((row["ok"], row["needed"], row["fix"], done.returncode), (False, True, "--sandbox process", 1))
        for words, said in ((("--sandbox", "auto"), r"process: this sandbox has no namespaces, and the server listens on 0\.0\.0\.0, not on "
                                                    r"loopback, so it is not chosen automatically: --sandbox process"),
                            (("--sandbox", "process"), "code runs as a process of this machine, as the user of the server: seccomp holds")):
            environment = dict(self.workspace.environment(), DOCKER_HOST="unix:///nonexistent/docker.sock")
            server = subprocess.Popen([*NO_NAMESPACES, str(harness.LECTERN), "serve", "--host", "0.0.0.0", "--port", "0", "--no-auth", *words],
                                      stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment, text=True)
            lines = iter(server.stderr.readline, "")
            self.assertTrue(any(re.search(said, line) for line in lines), said)
            server.terminate()
            server.communicate(timeout=harness.ANSWER_SECONDS)


class OnlyRoot(unittest.TestCase):
    """A user namespace whose only user is root: no engine runs code as root there."""

    def test_it_does_not_start(self):
        if subprocess.run([*ONLY_ROOT, "true"], capture_output=True, check=False).returncode != 0:
            raise unittest.SkipTest("SKIPPED: a user namespace cannot be made here: sysctl -w user.max_user_namespaces=15000")
        workspace = harness.Workspace()
        self.addCleanup(workspace.close)
        workspace.run("demo")
        for engine in ("process", "local"):
            done = subprocess.run([*ONLY_ROOT, str(harness.LECTERN), "exec", "--sandbox", engine, "-"], input=b"print(1)", capture_output=True,
                                  env=workspace.environment(), timeout=harness.ANSWER_SECONDS, check=False)
            self.assertEqual((done.returncode, done.stdout), (127, b""), done.stderr)
            if b"bubblewrap is not installed" not in done.stderr:
                self.assertRegex(done.stderr, rb"the server is root, and sandboxes do not run as root, but this user namespace has no ids "
                                              rb"70000-99999 for them .*--sandbox-uids, run the server as an ordinary user, or use Docker")

    def test_a_range_with_root_is_refused(self):
        workspace = harness.Workspace()
        self.addCleanup(workspace.close)
        workspace.run("demo")
        for engine in ("process", "local"):
            done = workspace.run("exec", "--sandbox", engine, "--sandbox-uids", "0-70000", "-", stdin=b"print(1)", check=False)
            self.assertEqual(done.returncode, 1)
            self.assertIn(b"must be from 1000 to 4294967294 and contain neither 65534 (nobody) nor 65535", done.stderr)


# Nothing of it is refused by Python: open, sockets and processes as the interpreter's process has them.
PROBES = """
import os, socket, json
def attempt(act):
    try:
        return "DONE %%.60s" %% (act(),)
    except OSError as error:
        return type(error).__name__
SERVER = %(server)d
print(json.dumps({name: attempt(act) for name, act in {
    "the store": lambda: open(%(store)r, "rb").read(15),
    "the store's folder": lambda: os.listdir(os.path.dirname(%(store)r)),
    "a file of the user's": lambda: open(%(file)r).read(),
    "the password file": lambda: open("/etc/passwd").read(),
    "the server's environment": lambda: open("/proc/%%d/environ" %% SERVER).read(),
    "the server's memory": lambda: open("/proc/%%d/mem" %% SERVER, "rb").read(1),
    "the server's files": lambda: os.listdir("/proc/%%d/fd" %% SERVER),
    "a list of processes": lambda: os.listdir("/proc"),
    "its own memory map": lambda: open("/proc/self/maps").read(),
    "a new file": lambda: open("x", "w"),
    "a new file in /tmp": lambda: open("/tmp/lectern-new-file", "w"),
    "a signal to the server": lambda: os.kill(SERVER, 0),
    "a socket": lambda: socket.socket(socket.AF_UNIX),
    "a process": os.fork,
}.items()}))
"""


class OwnUser(unittest.TestCase):
    """The server is no root, so its sandboxes have its user, who may read the store."""

    def setUp(self):
        self.scoped = ", signals)" in process_row()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="lectern-test-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.folder.chmod(0o755)
        self.share = self.folder / "share"
        shutil.copytree(sandbox.SHARE, self.share)
        shutil.copyfile(HERE / "no_policy.py", self.share / "policy.py")
        shutil.copyfile(HERE / "no_guard.py", self.share / "guard.py")
        self.binary = self.folder / "lectern"
        shutil.copyfile(sandbox.BUILD / "tests/sandbox/lectern_without_validator", self.binary)
        self.binary.chmod(0o755)
        self.data = self.folder / "data"
        self.data.mkdir(mode=0o700)
        self.file = self.data / "private.txt"
        self.file.write_text("private")
        self.user = {"user": USER, "group": USER, "extra_groups": []} if os.getuid() == 0 else {}
        for path in (self.data, self.file) if self.user else ():
            try:
                os.chown(path, USER, USER)
            except OSError as error:  # a user namespace with few users
                raise unittest.SkipTest("SKIPPED: user %d does not exist here (%s): run the tests outside of this namespace" % (USER, error)) from error

    def start(self, *words):
        environment = dict(os.environ, LECTERN_DATA=str(self.data), HOME=str(self.data), XDG_CONFIG_HOME=str(self.data), LECTERN_CACHE=harness.python_cache())
        return subprocess.Popen([str(self.binary), *words], stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, **self.user)

    def probe(self, runner=None):
        """{what was tried: "DONE ..." or the error} in a sandbox of that user's server."""
        if runner:
            shutil.copyfile(sandbox.BUILD / "tests/sandbox" / runner, self.share / "runner")
        done = self.start("demo")
        _, said = done.communicate(timeout=60)
        self.assertEqual(done.returncode, 0, said)
        store = self.data / "lectern.db"
        self.assertEqual(store.stat().st_uid, USER if self.user else os.getuid())
        server = self.start("exec", "--sandbox", "process", "--share", str(self.share), "-")
        code = PROBES % {"server": server.pid, "store": str(store), "file": str(self.file)}
        out, said = server.communicate(code.encode(), timeout=60)
        self.assertEqual(server.returncode, 0, said)
        return json.loads(out)

    def test_nothing_is_reached(self):
        met = self.probe()
        self.assertEqual({name: got for name, got in met.items() if got.startswith("DONE")}, {})
        self.assertEqual(set(met.values()), {"PermissionError"})
        self.assertFalse(os.path.exists("/tmp/lectern-new-file"))

    def test_landlock_keeps_the_files(self):
        """Without it they are read: nothing else stands before them."""
        met = self.probe("runner_without_landlock")
        for name in ("the store", "the store's folder", "a file of the user's", "the password file", "a list of processes"):
            self.assertRegex(met[name], "^DONE")
        for name in ("a new file", "a new file in /tmp", "a signal to the server", "a socket", "a process"):  # seccomp's
            self.assertEqual(met[name], "PermissionError", name)

    def test_seccomp_keeps_the_calls(self):
        met = self.probe("runner_without_seccomp")
        self.assertRegex(met["a socket"], "^DONE")
        self.assertEqual(met["a process"], "BlockingIOError")  # the limit on processes
        if self.scoped:
            self.assertEqual(met["a signal to the server"], "PermissionError")
        files = {name for name in met if re.search("store|file|server's|maps|list|map", name)}
        self.assertGreater(len(files), 9)
        self.assertEqual({name: met[name] for name in files if met[name] not in ("PermissionError", "FileNotFoundError")}, {})


if __name__ == "__main__":
    unittest.main(verbosity=2)
