# SPDX-License-Identifier: GPL-3.0-or-later
"""Profiles from files: their faults, and the error of an import that names the profile with the module. Installation and runs are in the
classes below."""
import ast
import http.server
import importlib.util
import json
import os
import pathlib
import platform
import socket
import subprocess
import tempfile
import threading
import unittest
import unittest.mock
import urllib.parse
from concurrent.futures import ThreadPoolExecutor

import harness

GOOD = {"base": "minimal", "debian": ["python3-polars"], "modules": ["polars"], "memory_mb": 300}


class Files(unittest.TestCase):
    def setUp(self):
        self.workspace = harness.Workspace()
        self.addCleanup(self.workspace.close)
        folder = tempfile.TemporaryDirectory(prefix="lectern-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def validate(self, program, profile):
        done = self.workspace.run("validate", "--profiles", str(self.folder), "--profile", profile, "-", stdin=program.encode(), check=False)
        return done.returncode, (done.stdout + done.stderr).decode()

    def write(self, name="frames", **changes):
        content = {name: value for name, value in {**GOOD, **changes}.items() if value is not None}
        (self.folder / (name + ".json")).write_text(json.dumps(content))

    def test_the_file_allows_its_modules_and_those_of_its_base(self):
        self.write()
        self.assertEqual(self.validate("import polars\nimport json\n", "frames"), (0, "accepted\n"))
        status, text = self.validate("import pandas\n", "frames")
        self.assertEqual(status, 1)
        self.assertIn("It needs the profile data-science.", text)

    def test_an_import_names_the_profile_that_has_it(self):
        self.write()
        for profile in ("minimal", "data-science", "visualization"):
            status, text = self.validate("import polars\n", profile)
            self.assertEqual(status, 1)
            self.assertIn("Import 'polars' is not allowed in the current security profile. It needs the profile frames.", text)
            status, text = self.validate("import tensorflow\n", profile)
            self.assertEqual(status, 1)
            self.assertIn("No profile has it.", text)

    def test_the_shipped_files_are_right(self):
        for path in sorted((harness.ROOT / "image" / "profiles").glob("*.json")):
            first = json.loads(path.read_text())["modules"][0]
            done = self.workspace.run("validate", "--profile", path.stem, "-", stdin=b"import %s\n" % first.encode(), check=False)
            self.assertEqual((done.returncode, done.stdout), (0, b"accepted\n"), done.stderr)
            done = self.workspace.run("validate", "-", stdin=b"import %s\n" % first.encode(), check=False)
            self.assertIn(b"It needs the profile %s." % path.stem.encode(), done.stdout)

    def test_each_fault_is_named(self):
        faults = (
            ({"base": "wide"}, "base: 'wide' is not a built-in profile; those are minimal, data-science, visualization"),
            ({"base": None}, "base"),
            ({"debian": ["../etc"]}, "debian: '../etc' is not the name of a Debian package"),
            ({"debian": []}, "debian: has 0 entries, and must have from 1 to 32"),
            ({"modules": ["os path"]}, "'os path' is not the name of a module"),
            ({"modules": ["json"]}, "'json' is in the profile minimal already"),
            ({"modules": ["scipy.signal"]}, "'scipy.signal' needs the base data-science"),
            ({"modules": "polars"}, "modules"),
            ({"memory_mb": 1}, "memory_mb: must be a whole number from 64 to 8192"),
            ({"memory": 300}, "memory"),
        )
        for changes, words in faults:
            self.write(**changes)
            status, text = self.validate("print(1)\n", "frames")
            self.assertEqual(status, 2, text)
            self.assertIn(words, text)
        (self.folder / "frames.json").write_text("[]")
        self.assertIn("must be an object", self.validate("print(1)\n", "frames")[1])

    def test_an_unknown_profile_gets_the_list(self):
        self.write()
        for name in ("nope", "../frames", "Frames", "x" * 40):
            status, text = self.validate("print(1)\n", name)
            self.assertEqual(status, 2)
            self.assertIn("the profiles are minimal, data-science, visualization, frames", text)

    def test_another_file_with_a_fault_hinders_nobody(self):
        self.write()
        (self.folder / "broken.json").write_text("{")
        status, text = self.validate("print(1)\n", "frames")
        self.assertEqual(status, 0)
        self.assertIn("broken.json", text)


class Lock(unittest.TestCase):
    """Against the mirrors of this machine."""

    def setUp(self):
        self.workspace = harness.Workspace()
        self.addCleanup(self.workspace.close)
        folder = tempfile.TemporaryDirectory(prefix="lectern-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def lock(self, *options, **changes):
        content = {"base": "minimal", "debian": ["python3-mpmath"], "modules": ["mpmath", "mpmath.calculus"], "memory_mb": 256, **changes}
        (self.folder / "own.json").write_text(json.dumps(content))
        done = self.workspace.run("sandbox", "lock", "--profiles", str(self.folder), "--profile", "own", *options, check=False)
        text = (done.stdout + done.stderr).decode()
        if "no source has the index" in text or "apt-get install gpgv" in text:
            self.skipTest("SKIPPED: Debian's index cannot be read: %s" % text.strip().splitlines()[-1])
        return done.returncode, text

    def test_the_lock_has_what_the_pinned_python_lacks(self):
        status, text = self.lock()
        self.assertEqual(status, 0, text)
        rows = [line.split() for line in (self.folder / "own.lock").read_text().splitlines() if not line.startswith("#")]
        base = [line.split() for line in (harness.ROOT / "image" / "python.lock").read_text().splitlines()]
        self.assertEqual(rows[0], ["format", "1"])
        self.assertEqual(rows[1], next(row for row in base if row[0] == "release"))
        packages = {(row[0], row[2]) for row in rows[3:]}
        self.assertEqual(packages, {("python3-mpmath", "amd64"), ("python3-mpmath", "arm64")})
        self.assertEqual({len(row) for row in rows[3:]}, {6})
        modules = (self.folder / "own.modules").read_text().split()
        self.assertEqual(modules, sorted(modules))
        self.assertIn("mpmath.calculus.quadrature", modules)
        self.assertFalse([name for name in modules if not name.startswith("mpmath")])

    def test_a_module_that_the_packages_lack_is_named(self):
        status, text = self.lock(modules=["mpmath", "mpmath.spam"])
        self.assertEqual(status, 1)
        self.assertIn("the packages of the profile own have no module 'mpmath.spam'", text)
        self.assertFalse((self.folder / "own.lock").exists())
        self.assertTrue((self.folder / "own.modules").exists())

    def test_a_package_that_the_release_lacks_is_named(self):
        status, text = self.lock(debian=["python3-polars-of-nobody"])
        self.assertEqual(status, 1)
        self.assertIn("the release bookworm has no package python3-polars-of-nobody", text)

    def test_a_built_in_profile_has_no_lock(self):
        done = self.workspace.run("sandbox", "lock", check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"--profile must name a file of --profiles", done.stderr)

    def test_nothing_is_fetched_without_a_lock(self):
        (self.folder / "own.json").write_text(json.dumps(dict(GOOD)))
        done = self.workspace.run("sandbox", "fetch", "--profiles", str(self.folder), "--profile", "own", check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"lectern sandbox lock --profile own", done.stderr)


def programs(name):
    """The programs of a file of tests/data/profiles: [(title, first line of the output or None, source)]."""
    found = []
    for text in (harness.ROOT / "tests" / "data" / "profiles" / name).read_text().split("\n%% ")[1:]:
        title, _, source = text.partition("\n")
        wanted = None
        if source.startswith("%= "):
            wanted, _, source = source[3:].partition("\n")
        found.append((title, wanted, source))
    return found


class Daemon(http.server.BaseHTTPRequestHandler):
    """A Docker daemon that has every base, and has built every image that it was asked for."""

    def do_GET(self):
        name = self.path.split("/images/")[-1].removesuffix("/json")
        content = self.server.built.get(name, ("",))[0]
        body = {"/_ping": b"OK", "/version": json.dumps({"Arch": self.server.architecture}).encode()}.get(
            self.path, ('{"Labels":{"lectern.base":"x","lectern.content":"%s"}}' % content).encode())
        self.answer(200 if content or name.startswith("lectern-base") or self.path in ("/_ping", "/version") else 404, body)

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        query = {name: values[0] for name, values in urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query).items()}
        self.server.built[query["t"]] = json.loads(query["labels"])["lectern.content"], json.loads(query["buildargs"])["BASE"]
        self.answer(200, b"{}")

    def answer(self, status, body):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_words):
        pass


class Runs(unittest.TestCase):
    """The shipped profiles in each engine: ordinary programs run, and hostile ones are refused or contained.

    LECTERN_WHOLE=1 (make soak): every hostile program. Otherwise every twelfth, because each of them waits for a new sandbox."""

    EVERY = 1 if os.environ.get("LECTERN_WHOLE") else 12
    ENGINES = ("docker",) if os.environ.get("LECTERN_SANDBOX") == "docker" else (harness.LOCAL, "process")

    @classmethod
    def setUpClass(cls):
        cls.cache = harness.python_cache()
        for path in sorted((harness.ROOT / "image" / "profiles").glob("*.json")):
            done = subprocess.run([harness.LECTERN, "sandbox", "fetch", "--cache", cls.cache, "--profile", path.stem], capture_output=True, text=True)
            if "no source" in done.stderr:
                raise unittest.SkipTest("SKIPPED: the packages of %s are not here; lectern sandbox fetch --profile %s" % (path.stem, path.stem))
            assert done.returncode == 0, done.stderr
            if cls.ENGINES == ("docker",):
                subprocess.run([harness.LECTERN, "image", "build", "--cache", cls.cache, "--profile", path.stem, *cls.image(path.stem)],
                               check=True, stdout=subprocess.DEVNULL)

    @classmethod
    def image(cls, profile):
        """The options for its image, in place of the one that with_docker.sh has made for all tests."""
        return ["--image", "lectern-sandbox:test-" + profile] if cls.ENGINES == ("docker",) else []

    def setUp(self):
        self.workspace = harness.Workspace()
        self.addCleanup(self.workspace.close)
        folder = tempfile.TemporaryDirectory(prefix="lectern-test-")
        self.addCleanup(folder.cleanup)
        os.chmod(folder.name, 0o777)
        self.secret = pathlib.Path(folder.name) / "secret.txt"
        self.secret.write_text("SECRET-OF-THE-HOST")
        self.new = pathlib.Path(folder.name) / "new"
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.listener.setblocking(False)
        self.addCleanup(self.listener.close)

    def run_one(self, engine, profile, source):
        for name, value in (("PATH", self.secret), ("NEW", self.new), ("PORT", self.listener.getsockname()[1])):
            source = source.replace(name, str(value))
        done = self.workspace.run("exec", "--sandbox", engine, "--cache", self.cache, "--profile", profile, *self.image(profile), "--timeout",
                                  "3", "-", stdin=source.encode(), check=False)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def run_all(self, profile, kind, every=1):
        """[(engine, title, wanted, status, stdout, stderr)] of every n-th program, two at a time."""
        with ThreadPoolExecutor(2) as pool:
            jobs = [(engine, title, wanted, pool.submit(self.run_one, engine, profile, source))
                    for engine in self.ENGINES for title, wanted, source in programs("%s_%s.txt" % (profile, kind))[::every]]
            return [(engine, title, wanted, *job.result()) for engine, title, wanted, job in jobs]

    def check_ordinary(self, profile):
        for engine, title, wanted, status, out, errors in self.run_all(profile, "ordinary"):
            with self.subTest(engine=engine, program=title):
                self.assertEqual((status, errors), (0, ""))
                self.assertTrue(out.startswith(wanted), out)

    def check_hostile(self, profile):
        refused = contained = 0
        for engine, title, _, status, out, errors in self.run_all(profile, "hostile", self.EVERY):
            with self.subTest(engine=engine, program=title):
                self.assertNotIn("ESCAPED", out)
                self.assertNotIn("SECRET-OF-THE-HOST", out + errors)
                self.assertIn(status, (0, 1, 3, 124))
                self.assertNotIn("check inside the sandbox", errors)
            refused += status == 3
            contained += status != 3
        self.assertFalse(self.new.exists())
        self.assertRaises(BlockingIOError, self.listener.accept)
        print("%s: %d refused, %d contained" % (profile, refused, contained))
        self.assertGreater(contained, 0)
        self.assertEqual(refused + contained, len(self.ENGINES) * len(programs(profile + "_hostile.txt")[::self.EVERY]))

    def test_there_are_enough_hostile_programs(self):
        self.assertGreaterEqual(sum(len(programs(name + "_hostile.txt")) for name in ("language", "mathematics")), 30)

    def test_both_checks_decide_alike(self):
        """The validator, and the policy inside the sandbox with the same modules."""
        source = pathlib.Path(harness.BUILD / "share" / "policy.py")
        spec = importlib.util.spec_from_file_location("policy", source)
        policy = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(policy)
        tables = policy.load(source.with_name("policy.json"))
        for name in ("language", "mathematics"):
            profile = json.loads((harness.ROOT / "image" / "profiles" / (name + ".json")).read_text())
            own = tables[profile["base"]].adding(profile["modules"])
            texts = [text for kind in ("hostile", "ordinary") for _, _, text in programs("%s_%s.txt" % (name, kind))]
            texts += ["import %s\n" % module for other in ("nltk", "nltk.stem", "nltk.corpus", "sympy", "sympy.printing", "joblib", "mpmath")
                      for module in (other, other + " as x\nprint(x.os)", other + "\nprint(%s.stem)" % other, other + "\nprint(%s._x)" % other)]
            for text in texts:
                done = self.workspace.run("validate", "--profile", name, "-", stdin=text.encode(), check=False)
                with self.subTest(profile=name, program=text):
                    self.assertEqual(done.returncode == 0, policy.check(ast.parse(text), own) == [], done.stdout)

    def test_ordinary_programs_of_language(self):
        self.check_ordinary("language")

    def test_ordinary_programs_of_mathematics(self):
        self.check_ordinary("mathematics")

    def test_hostile_programs_of_language(self):
        self.check_hostile("language")

    def test_hostile_programs_of_mathematics(self):
        self.check_hostile("mathematics")

    def test_the_memory_is_the_profiles(self):
        for engine in self.ENGINES:
            status, _, errors = self.run_one(engine, "language", "import numpy\nprint(numpy.ones(10 ** 8).sum())\n")
            self.assertNotEqual(status, 0)
            status, out, errors = self.run_one(engine, "language", "import nltk, numpy\nprint(numpy.ones(3 * 10 ** 7).sum())\n")
            self.assertEqual((status, out), (0, "30000000.0\n"), errors)

    def test_models_and_pages_reach_the_modules(self):
        """By MCP and by POST /execute, in new sandboxes and in that of a session; a narrower profile for one program lacks them."""
        program = "import sympy\nprint(sympy.factorint(360))"
        for isolation in ("execution", "session"):
            server = harness.Server(self.workspace, "--sandbox", self.ENGINES[0], "--cache", self.cache, "--profile", "mathematics", "--isolation",
                                    isolation, *self.image("mathematics"))
            try:
                server.initialize()
                for _ in range(2):
                    self.assertEqual(server.good("execute_code", code=program).splitlines()[0], "{2: 3, 3: 2, 5: 1}")
                answer = server.request("tools/call", {"name": "execute_code", "arguments": {"code": "import nltk"}})["result"]
                self.assertIn("It needs the profile language.", answer["content"][0]["text"])
                for profile, runs in (("mathematics", True), (None, True), ("data-science", False), ("language", False)):
                    _, answer, _ = server.http("POST", "/execute", {"code": program, **({"profile": profile} if profile else {})})
                    self.assertEqual("{2: 3, 3: 2, 5: 1}" in json.dumps(answer), runs, answer)
                self.assertIn("the profiles are minimal, data-science, visualization, mathematics", json.dumps(answer))
            finally:
                self.assertEqual(server.close(), 0)

    def test_the_image_of_a_profile_has_its_packages(self):
        with unittest.mock.patch.dict(os.environ), http.server.ThreadingHTTPServer(("127.0.0.1", 0), Daemon) as server:
            os.environ.pop("LECTERN_IMAGE", None)  # of with_docker.sh
            server.built, server.architecture = {}, {"x86_64": "amd64", "aarch64": "arm64"}[platform.machine()]
            threading.Thread(target=server.serve_forever, daemon=True).start()
            for options in ([], ["--profile", "language"], ["--profile", "mathematics"], ["--profile", "language", "--image", "own:1"]):
                self.workspace.run("image", "build", "--cache", self.cache, "--docker-host", "tcp://127.0.0.1:%d" % server.server_port, *options)
            server.shutdown()
        version = self.workspace.run("--version").stdout.decode().split()[1]
        bases = [server.built[name][1] for name in ("lectern-sandbox:" + version, "lectern-sandbox:%s-language" % version,
                                                    "lectern-sandbox:%s-mathematics" % version)]
        self.assertEqual(len(set(bases)), 3, server.built)
        self.assertEqual(server.built["own:1"][1], bases[1])

    def test_nothing_runs_without_the_packages(self):
        with tempfile.TemporaryDirectory(prefix="lectern-test-") as empty:
            self.cache = empty
            status, _, errors = self.run_one("process", "language", "print(1)\n")
        self.assertEqual(status, 127)
        self.assertIn("lectern sandbox fetch --profile language --cache", errors)


if __name__ == "__main__":
    unittest.main()
