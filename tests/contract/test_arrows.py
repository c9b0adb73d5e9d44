# SPDX-License-Identifier: GPL-3.0-or-later
"""The dependencies between the folders, checked from the #include lines.

Three rules: a file includes only project headers that the README.md of its folder allows; a third-party header has one owner; each header of the project
compiles alone, included twice. The last class applies the rules to invented files, to test that they detect violations.
"""
import fnmatch
import graphlib
import os
import re
import shlex
import subprocess
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("mcp", "validator", "executor", "helpers", "image")

# "Includes:" in the README.md of a folder names the folders and headers that its files may include, besides their own; it holds for the
# folders inside, unless they have a README.md of their own.
INCLUDES = re.compile(r"^Includes: (.*?)\.$", re.MULTILINE | re.DOTALL)


def read_arrows():
    """folder -> patterns of the headers that its files may include, its own first."""
    arrows = {}
    for readme in sorted(path for room in ROOMS for path in (ROOT / room).rglob("README.md")):
        folder = str(readme.parent.relative_to(ROOT))
        line = INCLUDES.search(readme.read_text(encoding="utf-8"))
        if line:
            targets = re.findall(r"`([^`]+)`", line.group(1))
            arrows[folder] = [folder + "/*"] + [target if target.endswith(".h") else target + "/*" for target in targets]
    return arrows


ARROWS = read_arrows()

# Third-party headers, and the files that own them.
OWNERS = (
    (r"libwebsockets\.h|lws.*", ["mcp/transport/*"]),
    (r"igraph/.*|igraph\.h", ["helpers/graph/*"]),
    (r"sqlite3.*", ["mcp/store/sqlite/*"]),
    (r"libpq.*|postgres.*", ["mcp/store/postgres/*"]),
    (r"csv\.h|yaml\.h|cmark\.h|libxml/.*", ["mcp/format/*"]),
    (r"seccomp\.h|linux/landlock\.h|linux/seccomp\.h", ["image/*"]),
    (r"Python\.h|frameobject\.h", ["image/python/*"]),
    (r"curl/.*", ["helpers/base/*"]),
    (r"archive\.h|archive_entry\.h", ["executor/pinned/unpack.c", "mcp/format/files.c"]),
    (r"jose/.*", ["mcp/auth/*"]),
    (r"openssl/.*", ["mcp/auth/*", "mcp/transport/http/*", "helpers/base/*"]),
    # Loops and timers; the protocol has timers (progress), no handles of sockets.
    (r"uv\.h|uv/.*", ["mcp/transport/*", "mcp/protocol/*", "mcp/chat/*", "mcp/model/*", "mcp/command/*", "mcp/auth/*",
                       "mcp/server.h", "mcp/tutor/grading.c", "executor/*", "helpers/base/loop_queue.*", "helpers/base/http.*"]),
)
# What the protocol may not name of libuv, in any spelling: it has timers, and no sockets.
SOCKETS = re.compile(r"\buv_(tcp|pipe|udp|stream|poll|listen|accept|read|write|tty)\w*")
# Headers of which only one source file may know.
SINGLE = ("curl/curl.h",)

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]*)"|<([^>\n]*)>)', re.MULTILINE)
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
PACKAGES = "jansson jose libuv libcurl sqlite3 libwebsockets igraph libseccomp cmocka"


def fits(path, patterns):
    return any(fnmatch.fnmatchcase(path, pattern) for pattern in patterns)


def allowed_from(path):
    return next((ARROWS[str(folder)] for folder in Path(path).parents if str(folder) in ARROWS), None)


def arrow_faults(files):
    """files: path -> text. Every include that the tables do not allow, one line each."""
    faults, users = [], {}
    for path, text in sorted(files.items()):
        allowed = allowed_from(path)
        if fits(path, ["mcp/protocol/*"]):
            faults += [f"{path}: uv_{name} in the protocol" for name in SOCKETS.findall(COMMENT.sub("", text))]
        for own, system in INCLUDE.findall(COMMENT.sub("", text)):
            if own and own not in files:
                faults.append(f'{path}: "{own}" is no header of ours; write the whole path from the root')
            elif own and not own.endswith(".h"):
                faults.append(f'{path}: includes "{own}", which is no header')
            elif own and not fits(own, allowed):
                faults.append(f"{path}: may not include {own}")
            for pattern, owners in OWNERS:
                if system and re.fullmatch(pattern, system) and not fits(path, owners):
                    faults.append(f"{path}: <{system}> belongs to {', '.join(owners)}")
            users.setdefault(system, []).append(path)
    for header in SINGLE:
        sources = [path for path in users.get(header, []) if path.endswith(".c")]
        headers = [path for path in users.get(header, []) if path.endswith(".h")]
        if len(sources) > 1 or headers:
            faults.append(f"<{header}> belongs to one source file, not to {', '.join(sources + headers)}")
    return faults


def project_files(pattern="*.[ch]"):
    """path -> text; the template X.h.in is the header X.h, which CMake writes."""
    return {str(path.relative_to(ROOT)).removesuffix(".in"): path.read_text(encoding="utf-8")
            for room in ROOMS for path in sorted((ROOT / room).rglob(pattern))}


def compiler():
    command = shlex.split(os.environ.get("LECTERN_CC") or os.environ.get("CC") or "cc")
    flags = subprocess.run(["pkg-config", "--cflags", *PACKAGES.split()], check=True, capture_output=True, text=True)
    return [*command, "-std=gnu11", "-D_GNU_SOURCE", '-DLECTERN_VERSION="0"', "-Wall", "-Wextra", "-Werror", "-fsyntax-only",
            *shlex.split(flags.stdout)]


def compile_fault(command, folder, header):
    """What the compiler says to a file that holds nothing but the header, twice; None when nothing."""
    source = f'#include "{header}"\n#include "{header}"\n'
    run = subprocess.run([*command, "-I", folder, "-x", "c", "-"], input=source, capture_output=True, text=True)
    return f"{header}: {run.stderr.strip()[:800]}" if run.returncode else None


class Arrows(unittest.TestCase):
    def test_includes_follow_the_arrows(self):
        files = project_files()
        self.assertGreater(len(files), 20)
        self.assertEqual([path for path in files if allowed_from(path) is None], [])
        self.assertEqual(arrow_faults({**files, **project_files("*.h.in")}), [])

    def test_no_arrow_runs_back(self):
        """The folders have an order in which each knows only those before it. Single headers are left out, and so are the two folders on
        top, which join all of mcp/; a folder is part of the one around it, which may know it."""
        sorter = graphlib.TopologicalSorter()
        for folder, targets in ARROWS.items():
            sorter.add(folder, *(other for other in ARROWS if folder not in ("mcp", "mcp/command", "mcp/ui") and other != folder
                                 and any(fnmatch.fnmatchcase(other + "/a.h", target) for target in targets if target.endswith("*"))))
        self.assertEqual(len(list(sorter.static_order())), len(ARROWS))  # a circle raises CycleError, which names it

    def test_each_named_folder_and_header_exists(self):
        self.assertEqual([(folder, target) for folder, targets in ARROWS.items() for target in targets
                          if not (ROOT / target.removesuffix("/*")).exists()], [])

    def test_headers_compile_alone(self):
        command = compiler()
        headers = [path for path in project_files() if path.endswith(".h")]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            faults = list(pool.map(lambda header: compile_fault(command, str(ROOT), header), headers))
        self.assertEqual([fault for fault in faults if fault], [])


class RulesCanFail(unittest.TestCase):
    BASE = {"helpers/base/error.h": "", "helpers/graph/graph.h": "", "executor/executor.h": "", "executor/frame.h": "",
            "mcp/store/store.h": "", "mcp/transport/transport.h": "", "validator/validator.h": "", "mcp/tool/tool.h": "", "mcp/curriculum/limits.h": "", "mcp/change/change_set.h": ""}

    def found(self, path, text):
        return arrow_faults({**self.BASE, path: text})

    def test_wrong_arrows_are_found(self):
        for path, header in (
            ("helpers/base/a.c", "validator/validator.h"),
            ("helpers/graph/a.c", "mcp/store/store.h"),
            ("validator/a.c", "executor/executor.h"),
            ("executor/a.c", "mcp/store/store.h"),
            ("executor/a.c", "helpers/graph/graph.h"),
            ("executor/wire/a.c", "helpers/base/error.h"),
            ("image/runner/runner.c", "helpers/base/error.h"),
            ("image/runner/runner.c", "executor/executor.h"),
            ("mcp/curriculum/a.c", "mcp/transport/transport.h"),
            ("mcp/curriculum/a.c", "mcp/store/store.h"),
            ("mcp/exercise/a.c", "mcp/curriculum/limits.h"),
            ("mcp/store/a.c", "mcp/change/change_set.h"),
            ("mcp/learner/a.c", "mcp/tool/tool.h"),
            ("mcp/protocol/a.c", "mcp/store/store.h"),
            ("mcp/transport/a.c", "mcp/curriculum/limits.h"),
        ):
            with self.subTest(path=path, header=header):
                self.assertEqual(len(self.found(path, f'#include "{header}"\n')), 1)

    def test_wrong_owners_are_found(self):
        for path, header in (
            ("mcp/tool/a.c", "igraph/igraph.h"),
            ("mcp/api/rest.c", "sqlite3.h"),
            ("mcp/protocol/a.c", "libwebsockets.h"),
            ("executor/a.c", "seccomp.h"),
            ("executor/a.c", "curl/curl.h"),
            ("mcp/curriculum/a.c", "uv.h"),
            ("helpers/base/http.h", "curl/curl.h"),
        ):
            with self.subTest(path=path, header=header):
                self.assertEqual(len(self.found(path, f"  #  include <{header}>\n")), 1)
        self.assertEqual(len(self.found("mcp/protocol/a.c", "#include <uv.h>\nuv_tcp_t server;\n")), 1)
        self.assertEqual(self.found("mcp/protocol/a.c", "#include <uv.h>\nuv_timer_t progress;\n"), [])
        two = {**self.BASE, "helpers/base/a.c": "#include <curl/curl.h>\n", "helpers/base/b.c": "#include <curl/curl.h>\n"}
        self.assertEqual(len(arrow_faults(two)), 1)

    def test_unknown_and_relative_headers_are_found(self):
        for text in ('#include "store.h"\n', '#include "../executor/executor.h"\n', '#include "helpers/base/nowhere.h"\n'):
            with self.subTest(text):
                self.assertEqual(len(self.found("mcp/curriculum/a.c", text)), 1)

    def test_right_arrows_and_comments_pass(self):
        self.assertEqual(self.found("mcp/tool/a.c", '#include "mcp/store/store.h"\n#include "helpers/graph/graph.h"\n'), [])
        self.assertEqual(self.found("image/runner/runner.c", '#include "executor/frame.h"\n#include <seccomp.h>\n'), [])
        self.assertEqual(self.found("validator/a.c", '/*\n#include "mcp/tool/tool.h"\n*/\n'), [])

    def test_headers_that_do_not_stand_alone_are_found(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("needs.h", "size_t need(void);\n"), ("twice.h", "struct twice { int a; };\n")):
                Path(folder, name).write_text(text, encoding="utf-8")
                self.assertIsNotNone(compile_fault(compiler(), folder, name))
            alone = "#ifndef A\n#define A\n#include <stddef.h>\nsize_t a(void);\n#endif\n"
            Path(folder, "alone.h").write_text(alone, encoding="utf-8")
            self.assertIsNone(compile_fault(compiler(), folder, "alone.h"))


if __name__ == "__main__":
    unittest.main()
