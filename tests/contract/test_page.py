# SPDX-License-Identifier: GPL-3.0-or-later
"""The page as served: headers, caching, both encodings, the size of a first visit; and what is served if it could not be built."""
import gzip
import html.parser
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import harness

POLICY = ("default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src data:; connect-src 'self'; "
          "base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
FIRST_PAINT_CAP = 45000
FIRST_VISIT_CAP = 120000
IMPORTED = re.compile(r"""(?:\bimport|\bfrom)\s*["']([^"']+\.js)["']""")
LATER = re.compile(r"""\bimport\(\s*["']([^"']+\.js)["']\s*\)""")
OF_STYLE = re.compile(r"url\(([^)]+)\)")


class Elements(html.parser.HTMLParser):
    """(tag, attributes) of all, and what stands inside scripts and styles."""

    def __init__(self, text):
        super().__init__()
        self.found = []
        self.inline = ""
        self.within = ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))
        self.within = tag

    def handle_endtag(self, tag):
        self.within = ""

    def handle_data(self, data):
        if self.within in ("script", "style"):
            self.inline += data.strip()

    def of(self, tag, **wanted):
        return [attrs for name, attrs in self.found if name == tag and all(attrs.get(key) == value for key, value in wanted.items())]


class Served(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.workspace = harness.Workspace()
        cls.server = harness.Server(cls.workspace, "--no-demo")
        cls.addClassCleanup(cls.workspace.close)
        cls.addClassCleanup(lambda: cls.server.close())
        _, text, _ = cls.server.http("GET", "/")
        if b"built without its page" in text:
            raise unittest.SkipTest("SKIPPED: the page is not built in; `make run` brings npm's packages and builds it")
        cls.index = Elements(text.decode())
        cls.weights = {}

    def get(self, path, **headers):
        """The status, body (unpacked) and headers; the body's length on its way is kept in weights."""
        status, body, answer = self.server.http("GET", path, **headers)
        if status == 200:
            self.weights[path] = len(body)
        if answer.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        return status, body, answer

    def script(self, path):
        status, body, _ = self.get(path, Accept_Encoding="gzip")
        self.assertEqual(status, 200, path)
        return body.decode()

    @staticmethod
    def below_ui(name):
        return "/ui/" + name.rsplit("/", 1)[-1]

    def closure(self, path, found):
        if path not in found:
            found.add(path)
            for name in IMPORTED.findall(self.script(path)):
                self.closure(self.below_ui(name), found)
        return found

    def everything(self):
        """Every path that the page names, by following it."""
        main = "/" + self.index.of("script")[0]["src"]
        paths = {"/" + link["href"] for link in self.index.of("link") if link["rel"] != "icon"}
        paths |= {"/" + meta["content"] for meta in self.index.of("meta", name="style-of")}
        scripts = set()
        waiting = [main]
        while waiting:
            path = waiting.pop()
            if path not in scripts:
                scripts.add(path)
                text = self.script(path)
                waiting += [self.below_ui(name) for name in IMPORTED.findall(text) + LATER.findall(text)]
        paths |= scripts
        for style in [path for path in paths if path.endswith(".css")]:
            _, text, _ = self.get(style)
            paths |= {self.below_ui(name.strip("\"'")) for name in OF_STYLE.findall(text.decode()) if not name.strip("\"'").startswith("data:")}
        return paths

    def test_index(self):
        status, _, headers = self.get("/")
        self.assertEqual(status, 200)
        self.assertEqual(headers["Content-Type"], "text/html; charset=utf-8")
        self.assertEqual(headers["Cache-Control"], "no-cache")
        self.assertEqual(self.index.inline, "", "no script and no style in the page itself")
        for tag, attrs in self.index.found:
            self.assertNotIn("style", attrs, tag)
            self.assertFalse([name for name in attrs if name.startswith("on")], tag)
        for attrs in self.index.of("script"):
            self.assertRegex(attrs["src"], r"^ui/")
        for attrs in self.index.of("link"):
            self.assertRegex(attrs["href"], r"^data:image/svg\+xml," if attrs["rel"] == "icon" else r"^ui/")

    def test_headers_of_all_files(self):
        paths = self.everything()
        self.assertGreater(len(paths), 8)
        for path in {"/"} | paths:
            with self.subTest(path):
                status, plain, headers = self.get(path)
                self.assertEqual(status, 200)
                self.assertNotIn("Content-Encoding", headers)
                self.assertEqual(headers["Content-Security-Policy"], POLICY)
                self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
                self.assertEqual(headers["Referrer-Policy"], "no-referrer")
                self.assertEqual(headers["Cross-Origin-Opener-Policy"], "same-origin")
                self.assertIn("camera=()", headers["Permissions-Policy"])
                self.assertEqual(headers["Vary"], "Accept-Encoding")
                if path != "/":
                    self.assertEqual(headers["Cache-Control"], "public, max-age=31536000, immutable")
                    self.assertRegex(path, r"-[A-Za-z0-9]{8}\.[a-z0-9]+$", "its name holds a hash")
                status, packed, of_packed = self.get(path, Accept_Encoding="br, gzip;q=0.5")
                self.assertEqual((status, packed), (200, plain))
                self.assertEqual(of_packed["Content-Type"], headers["Content-Type"])
                if not path.endswith(".woff2"):
                    self.assertEqual(of_packed["Content-Encoding"], "gzip")
                    self.assertNotEqual(of_packed["ETag"], headers["ETag"], "two codings are two representations")

    def test_not_again(self):
        main = "/" + self.index.of("script")[0]["src"]
        for path in ("/", main):
            for coding in ("identity", "gzip"):
                _, _, headers = self.get(path, Accept_Encoding=coding)
                status, body, again = self.server.http("GET", path, If_None_Match='"no", ' + headers["ETag"], Accept_Encoding=coding)
                self.assertEqual((status, body), (304, b""))
                self.assertEqual(again["ETag"], headers["ETag"])
                self.assertEqual(again["Cache-Control"], headers["Cache-Control"])
                self.assertEqual(again["Vary"], "Accept-Encoding")
                status, body, _ = self.get(path, If_None_Match='"no"', Accept_Encoding=coding)
                self.assertEqual(status, 200)

    def test_codings(self):
        for accepted, packed in (("gzip", True), ("GZIP", True), ("deflate, gzip", True), ("gzip;q=0", False), ("gzip; q=0.0", False),
                                 ("x-gzip-not", False), ("br", False), ("", False)):
            with self.subTest(accepted):
                _, _, headers = self.get("/", Accept_Encoding=accepted)
                self.assertEqual(headers.get("Content-Encoding"), "gzip" if packed else None)

    def test_methods_and_paths(self):
        main = "/" + self.index.of("script")[0]["src"]
        for path in ("/", main):
            _, body, headers = self.get(path)
            status, nothing, of_head = self.server.http("HEAD", path)
            self.assertEqual((status, nothing), (200, b""))
            self.assertEqual(of_head["Content-Length"], str(len(body)))
            self.assertEqual(of_head["ETag"], headers["ETag"])
            status, answer, of_post = self.server.http("POST", path, {})
            self.assertEqual((status, of_post["Allow"]), (405, "GET, HEAD, OPTIONS"))
            self.assertIn("GET", answer["detail"])
            self.assertEqual(of_post["Cache-Control"], "no-store")
        for path in ("/ui", "/ui/", "/ui/no.js", "/ui/../etc/passwd", "/ui/%2e%2e/health2", main + "x", main + "/x"):
            with self.subTest(path):
                status, answer, headers = self.server.http("GET", path)
                self.assertEqual(status, 404, answer)
                self.assertEqual(headers["Cache-Control"], "no-store")
        status, answer, _ = self.server.http("GET", "/uibeside")
        self.assertEqual(status, 404)
        self.assertNotIn("the page has no file", answer["detail"])

    def test_weight_of_a_first_visit(self):
        main = "/" + self.index.of("script")[0]["src"]
        styles = ["/" + link["href"] for link in self.index.of("link", rel="stylesheet")]
        self.assertEqual(len(styles), 1)
        for path in ["/"] + styles:
            self.get(path, Accept_Encoding="gzip")
        paint = self.closure(main, set()) | {"/", *styles}
        self.assertEqual({"/" + link["href"] for link in self.index.of("link", rel="modulepreload")}, paint - {"/", main, *styles})
        visit = set(paint)
        for name in LATER.findall("".join(self.script(path) for path in paint if path.endswith(".js"))):
            visit |= self.closure(self.below_ui(name), set())
        for meta in self.index.of("meta", name="style-of"):
            if meta["data-part"].endswith("/region.tsx"):
                self.get("/" + meta["content"], Accept_Encoding="gzip")
                visit.add("/" + meta["content"])
        first_paint = sum(self.weights[path] for path in paint)
        first_visit = sum(self.weights[path] for path in visit)
        print("first paint %.1f kB, first visit %.1f kB, gzipped" % (first_paint / 1000, first_visit / 1000))
        self.assertGreater(len(visit - paint), 2)
        self.assertLessEqual(first_paint, FIRST_PAINT_CAP)
        self.assertLessEqual(first_visit, FIRST_VISIT_CAP)


class Missing(unittest.TestCase):
    """Without npm, or with no registry in reach."""

    def test_server_without_its_page(self):
        workspace = harness.Workspace()
        self.addCleanup(workspace.close)
        with mock.patch.object(harness, "LECTERN", harness.BUILD / "lectern_without_page"):
            server = harness.Server(workspace, "--no-demo")
        self.addCleanup(server.close)
        self.assertNotIn("Page: http", "".join(server.lines))
        self.assertIn("Page: not in this build: npm could not install its packages (a test)", "".join(server.lines))
        status, text, headers = server.http("GET", "/")
        self.assertEqual(status, 200)
        self.assertEqual(headers["Content-Security-Policy"], POLICY)
        page = Elements(text.decode())
        self.assertEqual(page.of("script"), [])
        self.assertIn("npm could not install its packages (a test)", text.decode())
        self.assertIn("<code>make run</code>", text.decode())
        self.assertEqual(server.http("GET", "/ui/main.js")[0], 404)
        self.assertEqual(server.http("GET", "/sessions")[0], 200)
        self.assertEqual(server.http("GET", "/health")[0], 200)

    def test_no_registry_in_reach(self):
        if not shutil.which("npm"):
            raise unittest.SkipTest("SKIPPED: npm is not installed; `make deps` brings it")
        with tempfile.TemporaryDirectory(prefix="lectern-page-") as place:
            place = Path(place)
            for part in ("cmake", "mcp/ui"):
                shutil.copytree(harness.ROOT / part, place / part)
            away = dict(os.environ, NPM_CONFIG_REGISTRY="http://127.0.0.1:9", NPM_CONFIG_CACHE=str(place / "cache"), CI="")
            script = place / "cmake/page.sh"
            done = subprocess.run([script], env=away, capture_output=True, text=True, timeout=200, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            reason = (place / "build/page/missing.txt").read_text(encoding="utf-8")
            self.assertIn("npm could not install", reason)
            self.assertIn(reason, done.stderr)
            subprocess.run([script, "--table", place / "out"], env=away, capture_output=True, timeout=60, check=True)
            self.assertIn(reason, (place / "out/page_files.c").read_text(encoding="utf-8"))
            subprocess.run([os.environ.get("LECTERN_CC", "cc"), "-std=gnu11", "-Wall", "-Werror", "-I", harness.ROOT, "-c",
                            place / "out/page_files.c", "-o", place / "out/page_files.o"], check=True, timeout=60)
            done = subprocess.run([script], env=dict(away, CI="true"), capture_output=True, timeout=200, check=False)
            self.assertEqual(done.returncode, 1, "continuous integration does not go on without it")


if __name__ == "__main__":
    unittest.main()
