# SPDX-License-Identifier: GPL-3.0-or-later
"""The scripts behind make: a port in use is reported before anything is done, and the final report is correct."""
import http.server
import os
import shutil
import socket
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

REPORT = """<testsuite>
<testcase name="well" status="run"><system-out>all is well</system-out></testcase>
<testcase name="data" status="run"><system-out>SKIPPED: the shared data is not here</system-out></testcase>
<testcase name="part" status="run"><system-out>test_a ... skipped 'SKIPPED: no bwrap; make deps'</system-out></testcase>
%s</testsuite>
"""
FAILED = '<testcase name="bad" status="fail"><failure message=""/><system-out/></testcase>'
NOT_RUN = '<testcase name="gone" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/></testcase>'


def run(*command, **environment):
    names = ("PORT", "HOST", "DATA", "CI")
    clean = {name: value for name, value in os.environ.items() if name not in names}
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, cwd=ROOT,
                          env={**clean, **environment}, timeout=60, check=False)


class Run(unittest.TestCase):
    def test_taken_port_is_said_first(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            done = run("cmake/run.sh", PORT=str(port))
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"Port {port} is taken by", done.stderr)
        self.assertIn(f"(process {os.getpid()})", done.stderr)
        self.assertIn("make run PORT=", done.stderr)
        self.assertEqual(done.stdout, "", "nothing is done before")

    def test_wrong_port_is_refused(self):
        for port in ("x", "0", "65536", "-1"):
            with self.subTest(port):
                done = run("cmake/run.sh", PORT=port)
                self.assertEqual(done.returncode, 2)
                self.assertIn("PORT must be a number", done.stderr)


class Daemon(http.server.BaseHTTPRequestHandler):
    """What a Docker daemon of another architecture says of itself."""

    def do_GET(self):
        body = b"OK" if self.path == "/_ping" else b'{"Platform":{"Name":"Docker"},"Version":"26.1","Os":"linux","Arch":"s390x","KernelVersion":"6.1"}'
        self.send_response(200 if self.path in ("/_ping", "/version") else 404)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_words):
        pass


class Image(unittest.TestCase):
    LECTERN = Path(os.environ.get("LECTERN_BUILD", ROOT / "build" / "dev"), "lectern")

    def build(self, **environment):
        done = run(self.LECTERN, "image", "build", **environment)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        return done.stderr

    def test_daemon_of_another_architecture_is_refused(self):
        with http.server.HTTPServer(("127.0.0.1", 0), Daemon) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            said = self.build(DOCKER_HOST="tcp://127.0.0.1:%d" % server.server_port, DOCKER_TLS_VERIFY="")
            server.shutdown()
        self.assertIn("is for s390x", said)

    def test_base_of_the_users_is_refused_with_the_reason(self):
        self.assertIn("has the same Python as the other engines: unset LECTERN_BASE", self.build(LECTERN_BASE="debian:12"))


class Deps(unittest.TestCase):
    def test_unknown_group_is_refused(self):
        done = run("cmake/deps.sh", "kitchen")
        self.assertEqual(done.returncode, 2)
        self.assertIn("sandbox", done.stderr)

    def test_what_is_missing_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            for tool in ("dirname", "sed", "bash"):
                os.symlink(f"/usr/bin/{tool}", Path(folder, tool))
            done = run("/bin/bash", "cmake/deps.sh", "--check", "lint", PATH=folder)
        self.assertEqual(done.returncode, 1)
        for package in ("clang-format", "clang-tidy", "shellcheck", "apt-get install"):
            self.assertIn(package, done.stderr)


class Page(unittest.TestCase):
    """`make build` in a folder of its own: npm and CMake are played by scripts that write down how they were called."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="lectern-build-")
        self.addCleanup(folder.cleanup)
        self.place, self.tools = Path(folder.name, "clone"), Path(folder.name, "tools")
        for part in ("cmake", "mcp/ui"):
            shutil.copytree(ROOT / part, self.place / part)
        shutil.copy(ROOT / "Makefile", self.place)
        self.calls = Path(folder.name, "calls")
        self.tools.mkdir()
        for tool in ("bash", "cat", "cmp", "cp", "dirname", "ln", "make", "mkdir", "rm", "sed", "timeout"):
            os.symlink(shutil.which(tool), self.tools / tool)
        self.tool("cmake", "")
        self.script("#!/bin/bash\n", self.place / "cmake/deps.sh")  # all is there
        (self.place / "build/release").mkdir(parents=True)
        self.script("#!/bin/bash\n", self.place / "build/release/lectern")

    def script(self, text, path):
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)

    def tool(self, name, then):
        self.script(f'#!/bin/bash\necho {name} "$@" >>{self.calls}\n{then}\n', self.tools / name)

    def build(self, *targets):
        self.calls.write_text("")
        done = run("make", "-C", self.place, *targets, PATH=str(self.tools))
        return done, [line.split()[0] for line in self.calls.read_text().splitlines()]

    def missing(self):
        return (self.place / "build/page/missing.txt").read_text()

    def test_packages_come_with_the_build(self):
        self.tool("node", "")
        self.tool("npm", "")
        done, calls = self.build("build")
        self.assertEqual((done.returncode, done.stderr, calls[0], self.missing()), (0, "", "npm", ""))
        self.assertEqual(set(calls[1:]), {"cmake"})
        self.assertNotIn("npm", self.build("build")[1], "nothing changed")
        with open(self.place / "mcp/ui/package-lock.json", "a", encoding="utf-8") as lock:
            lock.write("\n")
        self.assertEqual(self.build("install")[1].count("npm"), 1, "the lock file changed")

    def test_without_npm_one_line_says_so(self):
        done, calls = self.build("build")
        self.assertEqual((done.returncode, set(calls)), (0, {"cmake"}))
        self.assertEqual(done.stderr, "The page is not built: npm and node are not installed; make deps installs them\n")
        self.tool("node", "")
        self.tool("npm", "echo no registry >&2; exit 1")
        done, _ = self.build("build")
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (0, 1))
        self.assertIn("npm could not install its packages (log: build/page/npm.log)", done.stderr)
        self.tool("npm", "")
        self.assertEqual((self.build("build")[0].stderr, self.missing()), ("", ""))


class Report(unittest.TestCase):
    def report(self, more, again="", **environment):
        with tempfile.NamedTemporaryFile("w", suffix=".xml") as file, tempfile.NamedTemporaryFile("w", suffix=".xml") as second:
            file.write(REPORT % more)
            file.flush()
            second.write("<testsuite>%s</testsuite>" % again)
            second.flush()
            return run("/usr/bin/python3", "-B", "cmake/test_report.py", file.name, "build", second.name if again else "/nowhere.xml", **environment)

    def test_skips_are_listed_and_pass_at_home(self):
        done = self.report("")
        self.assertEqual(done.returncode, 0)
        self.assertIn("part: no bwrap; make deps\n", done.stdout)
        self.assertTrue(done.stdout.endswith("\n3 passed, 0 failed\n"))

    def test_skips_fail_in_ci_but_for_shared_data(self):
        done = self.report("", CI="true")
        self.assertEqual(done.returncode, 1)
        self.assertIn("FAILED: part", done.stdout)
        self.assertTrue(done.stdout.endswith("\n2 passed, 1 failed\n"))

    def test_failures_and_tests_not_run_are_counted(self):
        done = self.report(FAILED + NOT_RUN)
        self.assertEqual(done.returncode, 1)
        self.assertTrue(done.stdout.endswith("\n3 passed, 1 failed, 1 skipped\n"))

    def test_a_failure_that_passes_again_alone_is_named(self):
        done = self.report(FAILED, again='<testcase name="bad" status="run" time="1"/>')
        self.assertEqual(done.returncode, 0)
        self.assertIn("FAILED BESIDE OTHERS, passed when run again alone: ", done.stdout)
        self.assertEqual(self.report(FAILED, again=FAILED).returncode, 1)
        self.assertEqual(self.report(FAILED, again='<testcase name="bad" status="run" time="1"><system-out>SKIPPED: no bwrap; make deps</system-out>'
                                                   '</testcase>').returncode, 1)
        self.assertEqual(self.report(FAILED, again='<testcase name="another" status="run" time="1"/>').returncode, 1)

    def test_no_report_is_a_failure(self):
        self.assertEqual(run("/usr/bin/python3", "-B", "cmake/test_report.py", "/nowhere.xml", "build").returncode, 1)

    def test_slow_quick_tests_are_named_and_do_not_fail(self):
        with tempfile.TemporaryDirectory() as folder:
            tests = (("slow", 9, "quick"), ("quick", 1, "quick"), ("long", 9, "full"))
            Path(folder, "CTestTestfile.cmake").write_text("".join(
                f'add_test({name} "true")\nset_tests_properties({name} PROPERTIES LABELS {tier})\n' for name, _, tier in tests), encoding="utf-8")
            report = Path(folder, "report.xml")
            report.write_text("<testsuite>%s</testsuite>" % "".join(
                f'<testcase name="{name}" status="run" time="{seconds}"/>' for name, seconds, _ in tests), encoding="utf-8")
            done = run("/usr/bin/python3", "-B", "cmake/test_report.py", report, folder)
        self.assertIn("==> Quick tests that took longer than 5 s: slow\n", done.stdout)
        self.assertEqual(done.returncode, 0)


if __name__ == "__main__":
    unittest.main()
