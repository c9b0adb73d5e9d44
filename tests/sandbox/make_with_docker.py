# SPDX-License-Identifier: GPL-3.0-or-later
"""`make image` and `make run` as a user types them, in a clean clone, beside a Docker daemon: the analyses run in containers.

Runs under with_docker.sh, which starts the daemon and names it in DOCKER_HOST; no other setting of the tests reaches the commands.
"""
import json
import os
import pathlib
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD_SECONDS = 1100
ANSWER_SECONDS = 30
HELD_BYTES = 150_000_000  # more than a warm interpreter has
HOLD = "held = b'x' * %d\nfor i in range(20_000_000):\n    pass\nprint(len(held))" % HELD_BYTES


def docker(*words):
    return subprocess.run(["docker", *words], capture_output=True, text=True, check=True).stdout


def memory_of(pid):
    """Its resident memory, in bytes; 0 of a process that has ended."""
    try:
        return int(pathlib.Path("/proc/%s/statm" % pid).read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def largest_in_containers(image):
    """The memory of the largest process inside a container of the image, in bytes."""
    sizes = [0]
    for container in docker("ps", "--quiet", "--filter", "ancestor=" + image).split():
        try:
            sizes += [memory_of(line.strip()) for line in docker("top", container, "-o", "pid").splitlines()[1:]]
        except subprocess.CalledProcessError:  # the container has ended since
            continue
    return max(sizes)


class Make(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="lectern-make-")
        cls.addClassCleanup(cls.folder.cleanup)
        cls.clone = pathlib.Path(cls.folder.name, "lectern")
        # The files that git knows, as they are now: a change that is not committed yet is tested too.
        listed = subprocess.run(["git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"],
                                cwd=ROOT, capture_output=True, check=True).stdout
        names = b"".join(name + b"\0" for name in listed.split(b"\0") if name and os.path.lexists(os.path.join(os.fsencode(ROOT), name)))
        cls.clone.mkdir()
        packed = subprocess.run(["tar", "-c", "--null", "--files-from=-"], cwd=ROOT, input=names, capture_output=True, check=True).stdout
        subprocess.run(["tar", "-x"], cwd=cls.clone, input=packed, check=True)
        ours = ("LECTERN_", "CTEST_", "MAKE")
        cls.environment = {name: value for name, value in os.environ.items() if not name.startswith(ours) and name not in ("CI", "HOST")}
        with socket.create_server(("127.0.0.1", 0)) as free:
            cls.port = free.getsockname()[1]
        cls.environment.update(DATA=str(pathlib.Path(cls.folder.name, "data")), PORT=str(cls.port))
        done = cls.make("image")
        if done.returncode:
            raise AssertionError("make image: exit %d\n%s" % (done.returncode, done.stdout[-4000:]))
        cls.image = [line.split()[1].rstrip(",") for line in done.stdout.splitlines() if line.startswith("==> lectern-sandbox:")][-1]

    @classmethod
    def make(cls, target):
        return subprocess.run(["make", target], cwd=cls.clone, env=cls.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=BUILD_SECONDS, check=False)

    def test_make_image_gives_the_daemon_the_image(self):
        version = subprocess.run([self.clone / "build/release/lectern", "--version"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(self.image, "lectern-sandbox:" + version.split()[-1])
        self.assertEqual(docker("image", "ls", "--quiet", self.image).count("\n"), 1)
        again = self.make("image")
        self.assertEqual(again.returncode, 0, again.stdout)
        self.assertIn("==> %s is there" % self.image, again.stdout)

    def run_until_it_serves(self):
        """Starts `make run`; returns the lines up to the one that says that it serves."""
        server = subprocess.Popen(["make", "run"], cwd=self.clone, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  text=True, start_new_session=True)
        self.addCleanup(server.stdout.close)
        self.addCleanup(self.stop, server)
        watchdog = threading.Timer(BUILD_SECONDS, os.killpg, (server.pid, signal.SIGKILL))
        watchdog.start()
        self.addCleanup(watchdog.cancel)
        lines = []
        for line in server.stdout:
            lines.append(line)
            if line.startswith("    Claude Code:"):
                threading.Thread(target=server.stdout.read, daemon=True).start()  # the log, so that the pipe never fills
                return "".join(lines)
        raise AssertionError("make run ended:\n" + "".join(lines))

    @staticmethod
    def stop(server):
        if server.poll() is None:
            os.killpg(server.pid, signal.SIGINT)  # Ctrl-C
        server.wait(ANSWER_SECONDS)

    def execute(self, code):
        body = json.dumps({"code": code}).encode()
        request = urllib.request.Request("http://127.0.0.1:%d/execute" % self.port, body, {"Content-Type": "application/json"})
        deadline = time.monotonic() + ANSWER_SECONDS
        while True:
            try:
                with urllib.request.urlopen(request, timeout=ANSWER_SECONDS) as answer:
                    return json.load(answer)
            except urllib.error.URLError as error:
                if not isinstance(error.reason, ConnectionRefusedError):  # refused: the server does not listen yet
                    raise
            self.assertLess(time.monotonic(), deadline, "the server does not answer")
            time.sleep(0.1)

    def test_make_run_answers_analyses_from_containers(self):
        said = self.run_until_it_serves()
        self.assertIn("==> Sandbox image for the Docker daemon", said)
        for sign in ("could not be made", "No Docker daemon", "That failed", "bubblewrap"):
            self.assertNotIn(sign, said)
        self.assertEqual(self.execute("print(6 * 7)")["stdout"], "42\n")
        self.assertLess(largest_in_containers(self.image), HELD_BYTES)
        answers, largest = [], 0
        job = threading.Thread(target=lambda: answers.append(self.execute(HOLD)))
        job.start()
        while job.is_alive():
            largest = max(largest, largest_in_containers(self.image))
        self.assertEqual(answers[0]["stdout"], "%d\n" % HELD_BYTES, answers)
        self.assertGreater(largest, HELD_BYTES, "the analysis ran in no container")


if __name__ == "__main__":
    unittest.main(verbosity=2)
