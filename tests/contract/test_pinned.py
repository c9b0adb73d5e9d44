# SPDX-License-Identifier: GPL-3.0-or-later
"""lectern sandbox fetch: packages from several sources, of which only the SHA-256 counts; no half folder, whatever happens; and nothing
that a package says reaches outside the folder. The packages are made up, and a server here stands for every mirror: it is the proxy,
too, so that nothing is asked of another machine. The class Real brings the packages of image/python.lock from Debian's mirrors."""
import hashlib
import http.server
import io
import os
import pathlib
import platform
import signal
import subprocess
import tarfile
import tempfile
import threading
import time
import unittest

import harness

TRIPLET, ARCHITECTURE = {"x86_64": ("x86_64-linux-gnu", "amd64"), "aarch64": ("aarch64-linux-gnu", "arm64")}[platform.machine()]
LOADER = f"usr/lib/{TRIPLET}/ld-linux-test.so.2"


def entry(name, content=b"", **fields):
    member = tarfile.TarInfo(name)
    member.size, member.mode = len(content), 0o644
    for field, value in fields.items():
        setattr(member, field, value)
    return member, content


def deb(*entries):
    """A Debian package: an archive of ar with data.tar.xz, made by hand."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:xz") as tar:
        for member, content in entries:
            tar.addfile(member, io.BytesIO(content))
    package = b"!<arch>\n"
    for name, content in (("debian-binary", b"2.0\n"), ("control.tar.xz", b""), ("data.tar.xz", data.getvalue())):
        package += b"%-16s%-12d%-6d%-6d%-8s%-10d`\n" % (name.encode(), 0, 0, 0, b"100644", len(content)) + content + b"\n" * (len(content) % 2)
    return package


# Stands for the loader and for the Python that it starts to compile the modules.
BASE = deb(entry("./lib/", type=tarfile.DIRTYPE), entry("./" + LOADER, b"#!/bin/sh\nexit 0\n", mode=0o755),
           entry("./usr/bin/python3.11", b"python", mode=0o4755))


class Mirrors(http.server.ThreadingHTTPServer):
    """Every mirror. files: (host, path) -> bytes; a path alone is one of all hosts. hold: requests wait for it."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Answer)
        self.files, self.asked, self.hold = {}, [], None
        self.url = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        host, path = self.path.removeprefix("http://").split("/", 1) if self.path.startswith("http") else ("", self.path[1:])
        self.server.asked.append((host, path))
        name = path[path.index("pool/"):] if "pool/" in path else path
        content = self.server.files.get((host, path), self.server.files.get(name))
        self.send_response(404 if content is None else 200)
        self.send_header("Content-Length", str(len(content or b"")))
        self.end_headers()
        if content:
            self.wfile.write(content[:10])
            if self.server.hold:
                self.server.hold.wait(30)
            try:
                self.wfile.write(content[10:])
            except OSError:
                pass  # the client was killed

    def log_message(self, *_):
        pass


class FetchCase(unittest.TestCase):
    def setUp(self):
        self.mirrors = Mirrors()
        self.addCleanup(self.mirrors.server_close)
        self.addCleanup(self.mirrors.shutdown)
        folder = tempfile.TemporaryDirectory(prefix="lectern-test-")
        self.addCleanup(folder.cleanup)
        self.top = pathlib.Path(folder.name)
        self.share, self.cache = self.top / "share", self.top / "cache"
        self.share.mkdir()
        self.bin = self.top / "bin"
        self.bin.mkdir()
        self.apt("", "")

    def lock(self, **packages):
        """Writes the lock file. The names of packages -> bytes; names that begin with updates_ are of the security archive."""
        rows = []
        for name, content in packages.items():
            path = f"pool/{'updates/' if name.startswith('updates_') else ''}main/{name}.deb"
            rows.append(f"{name} 1.0 {ARCHITECTURE} {hashlib.sha256(content).hexdigest()} {len(content)} {path}\n")
            self.mirrors.files.setdefault(path, content)
        (self.share / "python.lock").write_text("format 1\nrelease bookworm\nsnapshot 20260101T000000Z\n" + "".join(rows))

    def command(self, *words):
        return [str(harness.LECTERN), "sandbox", "fetch", "--share", str(self.share), "--cache", str(self.cache), *words]

    def apt(self, targets, proxy):
        """What apt says of its sources, one a line, and of its proxy: by default, that there is none."""
        for name, said in (("apt-get", targets), ("apt-config", proxy)):
            (self.bin / name).write_text(f"#!/bin/sh\ncat <<'SAID'\n{said}\nSAID\n")
            (self.bin / name).chmod(0o755)

    def environment(self):
        environment = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
        return dict(environment, PATH=f"{self.bin}:{environment['PATH']}", HOME=str(self.top), XDG_CONFIG_HOME=str(self.top), http_proxy=self.mirrors.url)

    def fetch(self, *words, fails=False):
        """The folder; with `fails` what the command said."""
        done = subprocess.run(self.command(*words), capture_output=True, text=True, env=self.environment(), timeout=60, check=False)
        harness.check_log(done.stderr.encode())
        self.assertEqual(done.returncode, int(fails), done.stderr)
        if fails:
            self.assertEqual(self.folders(), [])
            return done.stderr
        return pathlib.Path(done.stdout.split(": ", 1)[1].strip())

    def folders(self):
        """All that is in the cache but the lock."""
        return sorted(path.name for path in self.cache.glob("*") if path.name != "fetch.lock")


class Sources(FetchCase):
    def test_a_folder_is_made_once(self):
        self.lock(base=BASE, more=deb(
            entry("./lib/more/one", b"1"), entry("usr/share/doc/more/readme", b"no"), entry("usr/lib/python3/dist-packages/p/tests/t.py", b""),
            entry(f"usr/lib/{TRIPLET}/blas/libblas.so.3", b"b"), entry(f"usr/lib/{TRIPLET}/lapack/liblapack.so.3", b"l"),
            entry("usr/lib/more/two", type=tarfile.LNKTYPE, linkname="./lib/more/one"),
            entry("usr/lib/more/three", type=tarfile.SYMTYPE, linkname="/lib/more/one"),
            entry("usr/lib/more/four", type=tarfile.SYMTYPE, linkname="../../bin/python3.11")))
        folder = self.fetch()
        self.assertEqual(folder.parent, self.cache)
        self.assertEqual(self.folders(), [folder.name])
        files = {str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir()}
        self.assertEqual(files, {LOADER, "usr/bin/python3.11", "usr/bin/python3", "usr/lib/more/one", "usr/lib/more/two", "usr/lib/more/three",
                                 "usr/lib/more/four", f"usr/lib/{TRIPLET}/blas/libblas.so.3", f"usr/lib/{TRIPLET}/libblas.so.3",
                                 f"usr/lib/{TRIPLET}/lapack/liblapack.so.3", f"usr/lib/{TRIPLET}/liblapack.so.3"})
        self.assertEqual(os.readlink(folder / "usr/lib/more/three"), "one")
        self.assertEqual(os.readlink(folder / "usr/lib/more/four"), "../../bin/python3.11")
        self.assertEqual(os.readlink(folder / f"usr/lib/{TRIPLET}/libblas.so.3"), "blas/libblas.so.3")
        self.assertEqual((folder / "usr/bin/python3").read_bytes(), b"python")
        for path, mode in ((folder, 0o755), (folder / "usr/bin/python3.11", 0o755), (folder / "usr/lib/more/one", 0o644)):
            self.assertEqual(path.stat().st_mode & 0o7777, mode)
        asked = len(self.mirrors.asked)
        self.assertEqual(self.fetch(), folder)
        self.assertEqual(len(self.mirrors.asked), asked)

    def test_a_folder_without_python(self):
        """As that of tests/python.lock: nothing is compiled."""
        self.lock(tests=deb(entry("./usr/lib/python3.11/test/test_one.py", b"no Python")))
        folder = self.fetch()
        self.assertEqual([path.name for path in folder.rglob("*") if not path.is_dir()], ["test_one.py"])

    def test_each_source_in_its_turn(self):
        """A named mirror, Debian's, then the snapshots; a security update may have moved into the main archive."""
        self.lock(base=BASE, updates_late=deb(entry("./usr/share/late", b"1")), updates_old=deb(entry("./usr/share/old", b"1")))
        late, old = (self.mirrors.files.pop(f"pool/updates/main/updates_{name}.deb") for name in ("late", "old"))
        self.mirrors.files["deb.debian.org", "debian/pool/main/updates_late.deb"] = late
        self.mirrors.files["snapshot.debian.org", "archive/debian-security/20260101T000000Z/pool/updates/main/updates_old.deb"] = old
        folder = self.fetch("--mirror", self.mirrors.url + "/here")
        self.assertEqual([(folder / "usr/share" / name).read_bytes() for name in ("late", "old")], [b"1", b"1"])
        hosts = [host for host, _ in self.mirrors.asked]
        self.assertLess(hosts.index("127.0.0.1:%d" % self.mirrors.server_port), hosts.index("deb.debian.org"))
        self.assertEqual(self.mirrors.asked[-1][0], "snapshot.debian.org")

    def test_mirrors_and_proxy_of_apt(self):
        host = dict(line.strip().split("=", 1) for line in open("/etc/os-release", encoding="utf-8") if "=" in line)
        if host.get("ID") != "debian":
            self.skipTest("SKIPPED: this machine is no Debian")
        self.lock(base=BASE, updates_one=deb(entry("./usr/share/one", b"1")))
        code = host["VERSION_CODENAME"]
        self.apt(f"{code} http://apt.test/debian/\n{code}-security http://apt.test/security/\nnodistro http://third.test/debian/",
                 f"proxy='{self.mirrors.url}'")
        environment = self.environment()
        del environment["http_proxy"]
        subprocess.run(self.command(), check=True, capture_output=True, env=environment, timeout=60)
        self.assertEqual(self.mirrors.asked, [("apt.test", "debian/pool/main/base.deb"), ("apt.test", "debian/pool/main/updates_one.deb"),
                                              ("apt.test", "security/pool/updates/main/updates_one.deb")])

    def test_other_bytes_are_not_taken(self):
        self.lock(base=BASE)
        self.mirrors.files["deb.debian.org", "debian/pool/main/base.deb"] = BASE[:-1] + b"!"
        self.fetch()
        self.assertEqual(self.mirrors.asked[-1][0], "snapshot.debian.org")

    def test_nowhere(self):
        self.lock(base=BASE, lost=b"lost")
        for content in (None, b"LOST", b"lost and more", b"los"):
            self.mirrors.files["pool/main/lost.deb"] = content
            said = self.fetch(fails=True)
            self.assertIn("no source has the package lost 1.0", said)
            self.assertIn("`make sandbox-update`", said)

    def test_no_network(self):
        self.lock(base=BASE)
        self.mirrors.shutdown()
        self.mirrors.server_close()
        said = self.fetch(fails=True)
        self.assertRegex(said, r"no source of packages answers.*copy the folder %s/python-[0-9a-f]{16} from" % self.cache)

    def test_a_bad_lock_file(self):
        for text, reason in (("", "no packages"), ("x 1 amd64\n", "format 1"), ("format 1\nx 1 amd64 00 1 pool/x\n", "a package has"),
                             (f"format 1\nx 1 {ARCHITECTURE} {'0' * 64} 1 pool/../x\n", "a package has")):
            (self.share / "python.lock").write_text(text)
            self.assertIn(reason, self.fetch(fails=True))


class Interrupted(FetchCase):
    def start(self):
        process = subprocess.Popen(self.command(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment())
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def test_killed(self):
        self.lock(base=BASE, more=deb(entry("./usr/share/more", b"1")))
        self.mirrors.hold = threading.Event()
        process = self.start()
        deadline = time.monotonic() + 30
        while not self.mirrors.asked and time.monotonic() < deadline:
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        self.mirrors.hold.set()
        self.mirrors.hold = None
        self.assertEqual([".tmp-" in name for name in self.folders()], [True])
        folder = self.fetch()
        self.assertEqual(self.folders(), [folder.name])

    def test_killed_while_compiling(self):
        self.lock(base=deb(entry(LOADER, b"#!/bin/sh\nkill -9 $PPID\n", mode=0o755), entry("usr/bin/python3.11")))
        process = self.start()
        process.communicate(timeout=30)
        self.assertEqual(process.returncode, -signal.SIGKILL)
        self.assertEqual([".tmp-" in name for name in self.folders()], [True])

    def test_two_at_once(self):
        self.lock(base=BASE)
        self.mirrors.hold = threading.Event()
        processes = [self.start(), self.start()]
        time.sleep(0.5)
        self.mirrors.hold.set()
        said = [process.communicate(timeout=30) for process in processes]
        self.assertEqual([process.returncode for process in processes], [0, 0], said)
        self.assertEqual(sum("waiting for it" in err for _, err in said), 1, said)
        self.assertEqual(sum(path.endswith("base.deb") and host == "deb.debian.org" for host, path in self.mirrors.asked), 1)

    def test_compiling_fails(self):
        self.lock(base=deb(entry(LOADER, b"#!/bin/sh\nexit 1\n", mode=0o755), entry("usr/bin/python3.11")))
        self.assertIn("could not compile", self.fetch(fails=True))

    def test_full_disk(self):
        self.lock(base=BASE, large=deb(entry("usr/share/large", os.urandom(3 << 20))))
        self.check_full_disk()
        self.lock(base=BASE, wide=deb(entry("usr/share/wide", bytes(3 << 20))))  # there is space for the package
        self.check_full_disk()

    def check_full_disk(self):
        self.cache.mkdir(exist_ok=True)
        options = ["-m"] if os.geteuid() == 0 else ["-r", "-m"]
        mount = ["unshare", *options, "sh", "-c", 'mount -t tmpfs -o size=1m none "$0" || exit 99; "$@"; echo "$? $(ls -A "$0")"']
        done = subprocess.run([*mount, str(self.cache), *self.command()], capture_output=True, text=True, env=self.environment(),
                              timeout=60, check=False)
        if done.returncode in (1, 99):
            self.skipTest("SKIPPED: this user cannot mount a small disk: " + done.stderr)
        self.assertEqual(done.stdout, "1 fetch.lock\n", done.stderr)
        self.assertIn("No space left on device", done.stderr)
        self.assertIn("--cache DIR", done.stderr)


class Hostile(FetchCase):
    def test_paths_that_lead_out(self):
        outside = self.top / "outside"
        outside.mkdir()
        for name, entries in {
            "dots": [entry("./../../../outside/file", b"x")],
            "dots inside": [entry("usr/lib/../../../../outside/file", b"x")],
            "absolute": [entry(f"{outside}/file", b"x")],
            "device": [entry("dev/null", type=tarfile.CHRTYPE, devmajor=1, devminor=3)],
            "pipe": [entry("pipe", type=tarfile.FIFOTYPE)],
            "link out": [entry("usr/lib/out", type=tarfile.SYMTYPE, linkname="../../../outside")],
            "link by a link": [entry("usr/a", type=tarfile.SYMTYPE, linkname="lib/b/../../../../outside")],
            "through a link": [entry("usr/out", type=tarfile.SYMTYPE, linkname=str(outside)), entry("usr/out/file", b"x")],
            "hard link out": [entry("usr/out", type=tarfile.LNKTYPE, linkname="../../outside")],
            "hard link to a name": [entry("usr/out", type=tarfile.LNKTYPE, linkname="/etc/passwd")],
            "twice": [entry("usr/one", b"1"), entry("./usr/one", b"2")],
        }.items():
            with self.subTest(name):
                self.lock(base=BASE, **{name.replace(" ", "_"): deb(*entries)})
                wanted = "usr/out: File exists" if name == "through a link" else name.replace(" ", "_") + " 1.0: "
                self.assertIn(wanted, self.fetch(fails=True))
                self.assertEqual(list(outside.iterdir()), [])

    def test_damaged(self):
        whole = deb(entry("usr/one", os.urandom(50000)))
        for name, content in {"empty": b"x", "cut": whole[:-20000], "no_data": b"!<arch>\n", "flipped": whole[:9000] + b"?" + whole[9001:]}.items():
            with self.subTest(name):
                self.lock(base=BASE, **{name: content})
                self.assertIn(name + " 1.0: ", self.fetch(fails=True))


class Profiles(FetchCase):
    """Packages of a profile beside those of the lock file."""

    def setUp(self):
        super().setUp()
        self.profiles = self.share / "profiles"
        self.profiles.mkdir()
        (self.profiles / "own.json").write_text('{"base": "minimal", "debian": ["more"], "modules": ["more"], "memory_mb": 128}')

    def test_each_profile_has_a_folder(self):
        more = deb(entry("usr/lib/python3/dist-packages/more.py", b"more"))
        self.lock(more=more)
        (self.share / "python.lock").rename(self.profiles / "own.lock")
        self.lock(base=BASE)
        plain, own = self.fetch(), self.fetch("--profile", "own")
        self.assertEqual(self.folders(), sorted((plain.name, own.name)))
        self.assertEqual((own / "usr/lib/python3/dist-packages/more.py").read_bytes(), b"more")
        self.assertTrue((own / "usr/bin/python3.11").exists())
        self.assertFalse((plain / "usr/lib/python3").exists())
        self.assertEqual(self.fetch("--profile", "minimal"), plain)
        # Another version of a package of the profile is another folder, and the plain one stays.
        text = (self.profiles / "own.lock").read_text()
        (self.profiles / "own.lock").write_text(text.replace("more 1.0", "more 1.1"))
        self.assertNotIn(self.fetch("--profile", "own"), (plain, own))
        self.assertEqual(self.fetch(), plain)

    def test_faults_of_its_lock_file(self):
        self.lock(base=BASE)
        for text, words in (("more 1.0\n", "\"format 1\" does not stand before"), ("format 1\nmore 1.0\n", "line 2: a package has a name")):
            (self.profiles / "own.lock").write_text(text)
            self.assertIn(words, self.fetch("--profile", "own", fails=True))

    def test_an_index_that_debian_has_not_signed_is_refused(self):
        self.lock(base=BASE)
        self.mirrors.files["mirror.example", "debian/dists/bookworm/InRelease"] = b"Suite: bookworm\nSHA256:\n"
        done = subprocess.run([harness.LECTERN, "sandbox", "lock", "--share", self.share, "--profile", "own", "--mirror", "http://mirror.example/debian"],
                              capture_output=True, text=True, env=self.environment(), timeout=60, check=False)
        if "apt-get install gpgv" in done.stderr:
            self.skipTest("SKIPPED: no gpgv; apt-get install gpgv debian-archive-keyring")
        self.assertEqual(done.returncode, 1)
        self.assertIn("the signature of http://mirror.example/debian is not one of the keys in", done.stderr)
        self.assertEqual([path for _, path in self.mirrors.asked], ["debian/dists/bookworm/InRelease"])
        self.assertEqual(sorted(path.name for path in self.profiles.iterdir()), ["own.json"])


class Real(unittest.TestCase):
    def test_python_of_the_lock_file(self):
        with tempfile.TemporaryDirectory(prefix="lectern-test-") as cache:
            done = subprocess.run([harness.LECTERN, "sandbox", "fetch", "--cache", cache], capture_output=True, text=True, timeout=900, check=False)
            if done.returncode and "no source of packages answers" in done.stderr:
                self.skipTest("SKIPPED: " + done.stderr)
            self.assertEqual(done.returncode, 0, done.stderr)
            folder = next(pathlib.Path(cache).glob("python-*"))
            before = sorted(folder.rglob("*"))
            loader = next((folder / "usr/lib" / TRIPLET).glob("ld-linux-*.so.*"))
            code = ("import sys; sys.path.insert(0, %r); import moved; moved.prepare()\n"  # as the engine process does
                    "import numpy, pandas, scipy.stats, networkx, matplotlib.pyplot as plot, tabulate\n"
                    "assert sys.version_info[:2] == (3, 11) and sys.prefix == %r, sys.prefix\n"
                    "assert all(module.__file__.startswith(sys.prefix) for module in (numpy, pandas, scipy, networkx, plot, tabulate))\n"
                    "assert numpy.linalg.inv(numpy.eye(2) * 2)[0, 0] == 0.5\n"
                    "assert scipy.stats.pearsonr([1, 2, 3], [2, 4, 6])[0] > 0.99\n"
                    "plot.plot([1, 2]); plot.title('\\u8bfe\\u7a0b'); plot.savefig('/dev/null', format='png')\n"
                    "maps = [line.split()[-1] for line in open('/proc/self/maps') if '.so' in line]\n"
                    "assert all(path.startswith(sys.prefix) for path in maps), maps\n"
                    "print(*(module.__version__ for module in (numpy, pandas, scipy, networkx, tabulate)))\n") % (
                        str(harness.LECTERN.parent / "share"), str(folder / "usr"))
            settings = folder / "usr/share/matplotlib/mpl-data/matplotlibrc"  # not those of this machine, in /etc
            done = subprocess.run([loader, "--inhibit-cache", "--library-path", folder / "usr/lib" / TRIPLET, folder / "usr/bin/python3.11", "-I", "-B",
                                   "-c", code], env={"MPLBACKEND": "agg", "MPLCONFIGDIR": cache, "MATPLOTLIBRC": str(settings)},
                                  capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            print("numpy, pandas, scipy, networkx, tabulate:", done.stdout.strip())
            self.assertEqual(sorted(folder.rglob("*")), before)
            self.assertFalse([path for path in before if path.suffix == ".pyc" and cache.encode() in path.read_bytes()])


if __name__ == "__main__":
    unittest.main()
