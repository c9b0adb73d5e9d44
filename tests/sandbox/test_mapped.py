# SPDX-License-Identifier: GPL-3.0-or-later
"""All files that a sandbox's interpreter has mapped are those of the pinned Python and of the runner, byte for byte, in the sandboxes of a
server in each engine. LECTERN_SANDBOX: local, process or docker."""
import filecmp
import os
import pathlib
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "contract"))
import harness  # noqa: E402
import sandbox  # noqa: E402

ENGINE = os.environ["LECTERN_SANDBOX"]
FIGURES = {"python", "libc", "libblas", "ft2font"}  # an interpreter that is ready to draw has these, among others
FIGURE = "import matplotlib.pyplot as plt\nimport pandas, scipy.stats\nplt.plot([1, 2])\nprint('drawn')"


def processes(server):
    """Those below the server; of Docker those below the first process of each container."""
    if ENGINE != "docker":
        return list(harness.descendants(server.process.pid))
    containers = subprocess.run(["docker", "ps", "--quiet"], capture_output=True, check=True, text=True).stdout.split()
    # One that has ended since is not there any more.
    said = subprocess.run(["docker", "inspect", "--format", "{{.State.Pid}}", *containers], capture_output=True, check=False, text=True).stdout
    return [process for pid in said.split() for process in (int(pid), *harness.descendants(int(pid)))]


def mapped(pid):
    """The paths of the files, as the process sees them."""
    lines = (line.split(maxsplit=5) for line in pathlib.Path("/proc/%d/maps" % pid).read_text().splitlines())
    return {line[5] for line in lines if len(line) == 6 and line[5].startswith("/")}


@unittest.skipIf(os.getuid() != 0, "SKIPPED: the memory map of a sandbox is root's to read: sudo make test-full TESTS=sandbox.mapped")
class Mapped(unittest.TestCase):
    def setUp(self):
        self.workspace = harness.Workspace()
        self.addCleanup(self.workspace.close)
        self.workspace.run("demo")

    def source(self, path):
        """Where the file comes from: the pinned folder, which is the root but in `process`, or the share folder."""
        path = path.removeprefix(str(sandbox.PINNED)) if ENGINE == "process" else path
        return sandbox.PINNED / path[1:] if path.startswith("/usr/") else sandbox.SHARE / os.path.basename(path)

    def check(self, pid, needed):
        """Whether it had all that is needed until the end of the check, which fails at a file that is not ours."""
        try:
            paths = mapped(pid)
            foreign = [path for path in paths if not filecmp.cmp("/proc/%d/root%s" % (pid, path), self.source(path), shallow=False)]
            names = {os.path.basename(path).partition(".")[0].rstrip("0123456789") for path in mapped(pid)}
        except OSError:  # it has ended
            return False
        self.assertEqual(foreign, [])
        return needed <= names

    def test_every_file_is_ours(self):
        for isolation, needed in (("execution", FIGURES), ("session", FIGURES | {"fork"})):
            with self.subTest(isolation=isolation):
                server = harness.Server(self.workspace, "--sandbox", ENGINE, "--isolation", isolation, "--warm", "plot=1", "--profile", "visualization")
                self.addCleanup(server.close)
                server.initialize()
                failed, text = server.call("execute_code", code=FIGURE)
                self.assertTrue(not failed and "drawn" in text, text)
                until = time.monotonic() + sandbox.READY_SECONDS
                while not any([self.check(pid, needed) for pid in processes(server) if harness.is_interpreter(pid)]):
                    self.assertLess(time.monotonic(), until, "no interpreter is warm")
                    time.sleep(0.1)


if __name__ == "__main__":
    unittest.main()
