# SPDX-License-Identifier: GPL-3.0-or-later
"""The dependencies between the modules of ARCHITECTURE.md, checked from the #include lines.

Three rules: a file includes only project headers that its module may use; a third-party header has one owner; each header of the project
compiles alone, included twice. The last class applies the rules to invented files, to test that they detect violations.
"""
import fnmatch
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

# Files by pattern, and the project headers they may include; the first pattern that fits counts. "*" reaches across folders.
ARROWS = (
    ("helpers/base/*", ["helpers/base/*"]),
    ("helpers/graph/*", ["helpers/graph/*", "helpers/base/*"]),
    # Inside the validator: bytes, tree, facts, rules, each knowing only those before it; the tables know none of them.
    ("validator/syntax/*", ["validator/syntax/*", "validator/limits.h", "validator/report.h", "validator/validator.h",
                            "helpers/base/*"]),
    ("validator/encoding.[ch]", ["validator/encoding.h", "validator/syntax/*", "helpers/base/*"]),
    ("validator/facts/*", ["validator/facts/*", "validator/syntax/*", "validator/limits.h", "helpers/base/*"]),
    ("validator/policy/*", ["validator/policy/*", "validator/validator.h", "helpers/base/*"]),
    ("validator/*", ["validator/*", "helpers/base/*"]),
    # Answers in words and numbers are read here, without Python's literals.
    ("mcp/exercise/answer.*", ["mcp/exercise/*", "helpers/base/*"]),
    ("mcp/exercise/number.*", ["mcp/exercise/number.h", "helpers/base/*"]),
    # An exercise's cases have values that JSON cannot say, written as Python literals.
    ("mcp/exercise/grade.*", ["mcp/exercise/*", "validator/validator.h", "executor/executor.h", "helpers/base/*"]),
    # Exercises of a file are checked as components.
    ("mcp/exercise/exercise_file.*", ["mcp/exercise/*", "mcp/format/file.h", "mcp/curriculum/component_type.h", "helpers/base/*"]),
    ("mcp/exercise/digest.*", ["mcp/exercise/*", "validator/validator.h", "helpers/base/*"]),
    ("mcp/exercise/*", ["mcp/exercise/*", "validator/python_literal.h", "helpers/base/*"]),
    # A path needs the teaching order, which uses no igraph.
    ("mcp/learner/path.*", ["mcp/learner/*", "helpers/graph/order.h", "helpers/base/*"]),
    # The data about learners, in a database of another schema.
    ("mcp/learner/learners.*", ["mcp/learner/*", "mcp/store/db.h", "mcp/store/store.h", "helpers/base/*"]),
    # What a learner knows: a fold of a list, which knows neither the list's storage nor the curriculum.
    ("mcp/learner/*", ["mcp/learner/*", "helpers/base/*"]),
    # The tutor joins learners, exercises and curricula; its tools are tools.
    ("mcp/tutor/*", ["mcp/tutor/*", "mcp/learner/*", "mcp/exercise/*", "mcp/tool/tool.h", "mcp/tool/arguments.h", "mcp/tool/failure.h", "mcp/format/*",
                     "mcp/curriculum/*", "mcp/session/*", "mcp/store/store.h", "mcp/auth/identity.h", "mcp/server.h", "executor/executor.h",
                     "validator/validator.h", "helpers/*"]),
    # The roles that solve a question: their messages are values; the rest runs models, programs and graph queries.
    ("mcp/agent/message.*", ["mcp/agent/message.h", "helpers/base/*"]),
    ("mcp/agent/attempts.*", ["mcp/agent/attempts.h", "mcp/tool/failure.h", "validator/validator.h", "helpers/base/*"]),
    ("mcp/agent/*", ["mcp/agent/*", "mcp/model/*", "mcp/tool/*", "mcp/curriculum/*", "mcp/session/*", "mcp/store/store.h", "mcp/format/file.h",
                     "mcp/auth/identity.h", "mcp/server.h", "executor/executor.h", "validator/validator.h", "helpers/*"]),
    ("mcp/curriculum/*", ["mcp/curriculum/*", "mcp/exercise/*", "helpers/base/*"]),
    ("executor/frame.h", []),
    # What both sides of a sandbox's wall read alike; the runner links it, and nothing else of ours.
    ("executor/wire/*", ["executor/wire/*", "executor/frame.h"]),
    ("executor/*", ["executor/*", "helpers/base/*"]),
    ("image/*", ["image/*", "executor/frame.h", "executor/wire/*"]),
    # Inside the server: the curriculum knows nobody, the protocol no sockets and no storage, the transport no storage.
    # What a session's graph answers is a read of the session; the store itself knows no graphs.
    ("mcp/session/graph_cache.*", ["mcp/session/graph_cache.h", "mcp/store/store.h", "helpers/graph/graph.h",
                                   "helpers/base/*"]),
    ("mcp/session/session_facts.*", ["mcp/curriculum/*", "mcp/session/*", "mcp/store/store.h", "helpers/graph/graph.h", "helpers/base/*"]),
    ("mcp/session/change_effect.c", ["mcp/curriculum/*", "mcp/session/*", "mcp/store/store.h", "helpers/graph/graph.h",
                                     "helpers/graph/difference.h", "helpers/graph/text.h", "helpers/base/*"]),
    ("mcp/api/graph.c", ["mcp/api/*", "mcp/curriculum/*", "mcp/session/*", "mcp/store/store.h", "helpers/graph/graph.h",
                              "helpers/base/*"]),
    # Below the store: one folder for each database, which knows none of the store's rules.
    ("mcp/store/sqlite/*", ["mcp/store/sqlite/*", "mcp/store/db.h", "mcp/store/statements.h", "helpers/base/*"]),
    ("mcp/store/db.*", ["mcp/store/db.h", "mcp/store/statements.h", "mcp/store/store.h", "mcp/curriculum/row.h", "helpers/base/*"]),
    # A node is named for an edit as it is for a question.
    ("mcp/store/session_name.c", ["mcp/store/*", "mcp/curriculum/*", "helpers/graph/text.h", "helpers/base/*"]),
    ("mcp/store/read.c", ["mcp/store/*", "mcp/curriculum/*", "helpers/graph/text.h", "helpers/base/*"]),
    ("mcp/store/search_order.c", ["mcp/store/*", "helpers/graph/order.h", "helpers/base/*"]),
    ("mcp/store/*", ["mcp/store/*", "mcp/curriculum/*", "helpers/base/*"]),
    ("mcp/format/*", ["mcp/format/*", "mcp/curriculum/*", "helpers/base/*"]),
    ("mcp/api/*", ["mcp/api/*", "mcp/curriculum/*", "mcp/session/*", "mcp/store/*", "mcp/format/*", "helpers/base/*"]),
    ("mcp/session/*", ["mcp/curriculum/*", "mcp/session/*", "mcp/store/*", "mcp/format/*", "helpers/base/*"]),
    ("mcp/tool/execute_code.c", ["mcp/tool/*", "mcp/api/rest.h", "mcp/server.h", "helpers/base/*"]),
    ("mcp/tool/analysis.c", ["mcp/tool/*", "mcp/auth/*", "mcp/api/rest.h", "mcp/server.h", "helpers/base/*"]),
    ("mcp/tool/import_curriculum.c", ["mcp/tool/*", "mcp/curriculum/*", "mcp/session/*", "mcp/store/*", "mcp/format/format.h", "helpers/base/*"]),
    ("mcp/tool/solution_check.c", ["mcp/tool/*", "mcp/auth/limits.h", "mcp/exercise/*", "mcp/curriculum/*", "mcp/session/*", "mcp/server.h", "helpers/base/*"]),
    ("mcp/tool/*", ["mcp/tool/*", "mcp/auth/identity.h", "mcp/curriculum/*", "mcp/session/*", "mcp/store/*", "mcp/server.h", "validator/validator.h",
                    "executor/executor.h", "helpers/*"]),
    # Who the client is: no sockets of ours, no storage.
    ("mcp/auth/*", ["mcp/auth/*", "helpers/base/*"]),
    ("mcp/resource/*", ["mcp/resource/*", "mcp/tool/tool.h", "mcp/tool/arguments.h", "mcp/store/store.h", "mcp/format/markdown.h",
                        "mcp/curriculum/curriculum_uri.h", "helpers/base/*"]),
    ("mcp/prompt/*", ["mcp/prompt/*", "mcp/resource/resource.h", "mcp/tool/tool.h", "mcp/tool/arguments.h", "helpers/base/*"]),
    # The feed says that something has changed, and the row of a resource which one it is.
    ("mcp/protocol/*", ["mcp/protocol/*", "mcp/auth/identity.h", "mcp/tool/tool.h", "mcp/resource/resource.h", "mcp/prompt/prompt.h",
                        "mcp/session/change_feed.h", "mcp/server.h", "helpers/base/*"]),
    # The client of a model's service knows no curriculum.
    ("mcp/model/*", ["mcp/model/*", "helpers/base/*"]),
    # The chat: no sockets, no SQL; a session by its store, and what a change set would do before it is approved.
    ("mcp/chat/approval*", ["mcp/chat/*", "mcp/tool/tool.h", "mcp/tool/trial.h", "mcp/curriculum/text.h", "helpers/base/*"]),
    ("mcp/chat/*", ["mcp/chat/*", "mcp/model/*", "mcp/agent/attempts.h", "mcp/agent/budget.h", "mcp/agent/solve.h", "mcp/auth/identity.h", "mcp/tool/tool.h", "mcp/tool/code_helpers.h", "mcp/store/store.h",
                    "mcp/session/change_feed.h", "mcp/curriculum/component_type.h", "mcp/curriculum/text.h", "mcp/server.h",
                    "helpers/base/*"]),
    ("mcp/transport/http_execute.c", ["mcp/transport/*", "mcp/auth/identity.h", "mcp/tool/analysis.h", "mcp/tool/run_answer.h",
                                      "helpers/base/*"]),
    ("mcp/transport/http_learners.c", ["mcp/transport/*", "mcp/auth/identity.h", "mcp/tutor/tutor.h", "mcp/api/rest.h", "mcp/server.h",
                                       "helpers/base/*"]),
    # Which scope a client asks its issuer for follows from the tools of the server.
    ("mcp/transport/http_sign_in.c", ["mcp/transport/*", "mcp/auth/*", "mcp/tool/tool.h", "mcp/server.h", "helpers/base/*"]),
    ("mcp/transport/http_metrics.c", ["mcp/transport/*", "mcp/auth/identity.h", "mcp/chat/chat.h", "mcp/protocol/peer.h", "mcp/server.h",
                                      "mcp/agent/solver.h", "mcp/agent/totals.h", "executor/executor.h",
                                      "mcp/session/graph_cache.h", "helpers/base/*"]),
    # The sockets of the chat; what is said on them is the chat's.
    ("mcp/transport/web_socket.c", ["mcp/transport/*", "mcp/auth/*", "mcp/chat/chat.h", "mcp/chat/run_input.h",
                                    "mcp/chat/legacy_chat.h", "mcp/chat/prompt.h", "helpers/base/*"]),
    ("mcp/transport/sync.*", ["mcp/transport/sync.h", "mcp/session/change_feed.h", "helpers/base/*"]),
    ("mcp/transport/http.c", ["mcp/transport/*", "mcp/auth/*", "mcp/chat/chat.h", "mcp/api/rest.h", "mcp/server.h",
                              "helpers/base/*"]),
    # Which sessions of MCP clients are over is in the store.
    ("mcp/transport/mcp_sessions.c", ["mcp/transport/*", "mcp/auth/*", "mcp/session/ended_ids.h", "helpers/base/*"]),
    ("mcp/transport/*", ["mcp/transport/*", "mcp/auth/*", "mcp/protocol/client.h", "mcp/protocol/peer.h", "mcp/protocol/message.h", "mcp/api/rest.h",
                         "mcp/server.h", "helpers/base/*"]),
    ("mcp/server.h", ["executor/executor.h", "helpers/base/*", "validator/validator.h"]),
    ("mcp/command/validate.c", ["mcp/command/*", "mcp/format/file.h", "validator/limits.h", "validator/validator.h",
                                "helpers/base/*"]),
    ("mcp/command/sandbox.c", ["mcp/command/*", "mcp/format/file.h", "executor/pinned/pinned.h", "executor/pinned/additions.h"]),
    ("mcp/*", ["mcp/*", "validator/validator.h", "executor/executor.h", "helpers/*"]),
)

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
    (r"openssl/.*", ["mcp/auth/*", "mcp/transport/tls.*", "helpers/base/*"]),
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
    return next((targets for pattern, targets in ARROWS if fnmatch.fnmatchcase(path, pattern)), None)


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

    def test_headers_compile_alone(self):
        command = compiler()
        headers = [path for path in project_files() if path.endswith(".h")]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            faults = list(pool.map(lambda header: compile_fault(command, str(ROOT), header), headers))
        self.assertEqual([fault for fault in faults if fault], [])


class RulesCanFail(unittest.TestCase):
    BASE = {"helpers/base/error.h": "", "helpers/graph/graph.h": "", "executor/executor.h": "", "executor/frame.h": "",
            "mcp/store/store.h": "", "mcp/transport/transport.h": "", "validator/validator.h": "", "mcp/tool/tool.h": ""}

    def found(self, path, text):
        return arrow_faults({**self.BASE, path: text})

    def test_wrong_arrows_are_found(self):
        for path, header in (
            ("helpers/base/a.c", "validator/validator.h"),
            ("helpers/graph/a.c", "mcp/store/store.h"),
            ("validator/a.c", "executor/executor.h"),
            ("executor/a.c", "mcp/store/store.h"),
            ("executor/a.c", "helpers/graph/graph.h"),
            ("executor/frame.h", "helpers/base/error.h"),
            ("executor/wire/a.c", "helpers/base/error.h"),
            ("image/runner/runner.c", "helpers/base/error.h"),
            ("image/runner/runner.c", "executor/executor.h"),
            ("mcp/session/a.c", "mcp/transport/transport.h"),
            ("mcp/exercise/answer.c", "executor/executor.h"),
            ("mcp/learner/a.c", "mcp/store/store.h"),
            ("mcp/learner/path.c", "helpers/graph/graph.h"),
            ("mcp/learner/learners.c", "mcp/tool/tool.h"),
            ("mcp/protocol/a.c", "mcp/store/store.h"),
            ("mcp/transport/a.c", "mcp/tool/tool.h"),
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
            ("mcp/session/a.c", "uv.h"),
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
                self.assertEqual(len(self.found("mcp/session/a.c", text)), 1)

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
