# SPDX-License-Identifier: GPL-3.0-or-later
"""The documents agree with the project: the commands of README.md and docs/ run, the tables of packages and options are those of
the project, the make targets, paths and links exist, and no text that a user sees has one of the project's private words.

Each block ```sh of a document is run, in order, in one bash with -e in a scratch folder, with `lectern` in PATH and a server whose
port stands in for 8001; NOT_RUN lists the commands left out. Blocks of other kinds (```text, ```json) are not run.
"""
import json
import os
import re
import subprocess
import unittest
from pathlib import Path

import harness
from words import PRIVATE

ROOT = Path(__file__).resolve().parents[2]
USER_DOCUMENTS = ("README.md", *sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("docs/*.md")))
DOCUMENTS = (*USER_DOCUMENTS, "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGES.md", "WEEK_NOTES.md")

# Commands that no test can run, by how their lines begin, and why.
NOT_RUN = {
    "make run": "installs packages, builds, and serves until it is stopped",
    "make test": "runs this test",
    "ANTHROPIC_API_KEY=… make run": "needs a key, and serves until it is stopped",
    "claude mcp": "needs Claude Code; contract.clients runs those of docs/clients.md",
    "npx": "needs packages of npm; contract.clients runs them",
    "build/release/lectern serve --llm-url": "needs a model service, and serves until it is stopped",
    "lectern doctor --store http://cms.example": "needs a CMS",
    "lectern serve --store http://cms.example": "needs a CMS, and serves until it is stopped",
}

SOURCES = ("mcp", "validator", "executor", "helpers", "image", "tests", "cmake")
FOLDERS = r"(?:mcp|validator|executor|helpers|image|tests|cmake|\.ci)/[A-Za-z0-9_./]*"


def make_targets(makefile):
    return {name for line in re.findall(r"^([a-z][a-z ]*):(?!=)", makefile, re.MULTILINE) for name in line.split()}


def unknown_targets(document, targets):
    """The words after `make` in code that no rule makes."""
    code = "\n".join(re.findall(r"```.*?```|`[^`\n]+`", document, re.DOTALL))
    words = re.findall(r"(?:^|`)make((?: [a-z]+\b(?!=))+)", code, re.MULTILINE)
    return sorted({word for group in words for word in group.split()} - targets)


def unknown_paths(document, root):
    """Project paths in code marks that lead nowhere. THING stands for a name, and is left out."""
    paths = re.findall(rf"`({FOLDERS})`", document)
    return sorted({path for path in paths if "THING" not in path and not (root / path).exists()})


def sources():
    """The names of the project's source files, and their texts as one."""
    files = [path for folder in SOURCES for path in sorted((ROOT / folder).rglob("*"))
             if path.suffix in (".c", ".h", ".py", ".ts", ".tsx", ".mjs", ".sh") and "node_modules" not in path.parts]
    return {path.name for path in files}, "\n".join(path.read_text(encoding="utf-8") for path in files)


def unknown_names(document, files, text):
    """Source files without a folder, and functions, types and constants, in code marks that the sources do not have."""
    marks = re.findall(r"`([^`\n]+)`", document)
    names = {mark for mark in marks if re.fullmatch(r"\w+\.(?:c|h|py|tsx?|mjs|sh)", mark)} - files
    words = {mark.removeprefix("struct ").removeprefix("enum ").removesuffix("()") for mark in marks}
    words = {word for word in words if re.fullmatch(r"\w*[a-zA-Z]_[a-zA-Z]\w*", word) and not word.endswith(("_NAME", "_THING"))}
    return sorted(names | {word for word in words if not re.search(rf"\b{word}\b", text)})


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


def script(document, used):
    """The lines of a document's sh blocks that are run. The entries of NOT_RUN that others match are added to used."""
    lines = "".join(re.findall(r"^```sh\n(.*?)^```$", document, re.MULTILINE | re.DOTALL)).splitlines()
    left_out = [next((start for start in NOT_RUN if line.startswith(start)), None) for line in lines]
    used.update(filter(None, left_out))
    return "\n".join(line for line, start in zip(lines, left_out) if not start)


def anchors(document):
    """The anchors of a document's headings, as GitHub makes them."""
    return {re.sub(r"[^a-z0-9 -]", "", line.lower()).replace(" ", "-") for line in re.findall(r"^#+ (.*)$", document, re.MULTILINE)}


def broken_links(name):
    """Relative links of a document whose file or heading does not exist. Those in a fence are text."""
    broken = []
    for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"^```.*?^```$", "", read(name), flags=re.MULTILINE | re.DOTALL)):
        path, _, anchor = target.partition("#")
        file = (ROOT / name).parent / path if path else ROOT / name
        if "://" not in target and (not file.exists() or (anchor and anchor not in anchors(file.read_text(encoding="utf-8")))):
            broken.append(target)
    return broken


def hunks_that_do_not_fit(document, root):
    """(file, first line) of each part of a document's diffs whose old lines do not stand in the file, once and in one piece."""
    wrong = []
    for old, new, body in re.findall(r"^--- (\S+)\n\+\+\+ b/(\S+)\n(.*?)(?=^--- |^```$)", document, re.MULTILINE | re.DOTALL):
        if old == "/dev/null":
            wrong += [(new, "it is there already")] if (root / new).exists() else []
            continue
        text = (root / new).read_text(encoding="utf-8") if (root / new).exists() else ""
        for hunk in re.split(r"^@@ .*\n", body, flags=re.MULTILINE)[1:]:
            lines = [line[1:] for line in hunk.splitlines() if line[:1] in (" ", "-")]
            if text.count("\n".join(lines) + "\n") != 1:
                wrong.append((new, lines[0]))
    return wrong


class Commands(unittest.TestCase):
    def run_script(self, text):
        """Runs a script in a scratch folder beside a server; (exit status, output). curl fails on an HTTP error."""
        workspace = harness.Workspace()
        self.addCleanup(workspace.close)
        environment = dict(workspace.environment(), LECTERN_SANDBOX=harness.LOCAL,
                           PATH="%s:%s" % (harness.LECTERN.parent, os.environ["PATH"]))
        del environment["XDG_CONFIG_HOME"]
        Path(workspace.data, ".curlrc").write_text("fail\n", encoding="utf-8")
        server = harness.Server(workspace, "--sandbox", harness.LOCAL, "--warm", "bare=0,data=0,plot=0")
        self.addCleanup(server.close)
        done = subprocess.run(["/bin/bash", "-eo", "pipefail", "-c", text.replace(":8001", ":%d" % server.port)], cwd=workspace.data, env=environment, check=False,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=harness.ANSWER_SECONDS)
        return done.returncode, done.stdout.decode()

    def test_commands_of_the_documents_run(self):
        used = set()
        for name in USER_DOCUMENTS:
            text = script(read(name), used)
            if text:
                with self.subTest(name):
                    status, output = self.run_script(text)
                    self.assertEqual(status, 0, output)
        self.assertEqual(used, set(NOT_RUN))

    def test_a_wrong_command_is_found(self):
        used = set()
        text = script("```sh\nmake run   # serves\nlectern sesions\n```\n```text\nnot run\n```\n", used)
        self.assertEqual((text, used), ("lectern sesions", {"make run"}))
        status, output = self.run_script(text)
        self.assertEqual((status, "did you mean 'sessions'" in output), (2, True), output)
        self.assertEqual(self.run_script("curl -s localhost:8001/nowhere")[0], 22)


class Words(unittest.TestCase):
    def test_users_see_no_private_words(self):
        workspace = harness.Workspace()
        self.addCleanup(workspace.close)
        overview = workspace.run("--help").stdout.decode()
        texts = {name: read(name) for name in USER_DOCUMENTS}
        for name in set(DOCUMENTS) - set(USER_DOCUMENTS):
            texts[name] = re.sub(r"```.*?```|`[^`\n]*`", "", read(name), flags=re.DOTALL)  # these name files and identifiers
        texts["--help"] = overview
        for command in re.findall(r"^  ([a-z]+) ", overview, re.MULTILINE):
            texts[command + " --help"] = workspace.run(command, "--help").stdout.decode()
        self.assertIn("serve --help", texts)
        texts["doctor"] = workspace.run("doctor", check=False).stdout.decode()
        self.assertIn("bubblewrap", texts["doctor"])
        found = {name: sorted(set(PRIVATE.findall(text))) for name, text in texts.items()}
        self.assertEqual({name: words for name, words in found.items() if words}, {})

    def test_private_words_are_found(self):
        self.assertEqual(PRIVATE.findall("What mends it? Nobody was told; a plane lands on a judgement."), ["mends", "told", "judgement"])


class Documents(unittest.TestCase):
    def test_readme_fits_a_screen(self):
        self.assertLessEqual(len(read("README.md").splitlines()), 80)

    def test_links_lead_somewhere(self):
        for name in DOCUMENTS:
            self.assertEqual(broken_links(name), [], name)

    def test_options_are_those_of_the_help(self):
        workspace = harness.Workspace()
        self.addCleanup(workspace.close)
        options = re.findall(r"^  (--[a-z-]+(?: [A-Z]\S*)?) +(.*(?:\n {27}.*)*)", workspace.run("serve", "--help").stdout.decode(),
                             re.MULTILINE)
        table = "".join("| `%s` | %s |\n" % (option, " ".join(words.split())) for option, words in options)
        self.assertIn("| `--port N` |", table)
        self.assertIn(table, read("docs/configuration.md"))

    def test_package_table_is_the_one_of_deps(self):
        table = subprocess.run([ROOT / "cmake/deps.sh", "--table"], capture_output=True, text=True, check=True).stdout
        self.assertIn("| libigraph-dev |", table)
        self.assertIn(table, read("docs/configuration.md"))

    def test_packages_of_the_page_are_named(self):
        package = json.loads((ROOT / "mcp/ui/package.json").read_text(encoding="utf-8"))
        table = read("docs/configuration.md").split("| npm package |")[1].split("\n\n")[0]
        self.assertEqual(sorted(re.findall(r"^\| ([^ |]+) \|", table, re.MULTILINE)),
                         sorted({**package["dependencies"], **package["devDependencies"]}))

    def test_targets_and_paths_exist(self):
        targets = make_targets(read("Makefile"))
        self.assertIn("run", targets)
        for name in DOCUMENTS:
            with self.subTest(name):
                document = read(name)
                self.assertEqual(unknown_targets(document, targets), [])
                self.assertEqual(unknown_paths(document, ROOT), [])

    def test_files_and_functions_exist(self):
        files, text = sources()
        for name in ("ARCHITECTURE.md", "CONTRIBUTING.md"):
            self.assertEqual(unknown_names(read(name), files, text), [], name)

    def test_the_worked_example_fits_the_code(self):
        example = read("docs/example-graph-query.md")
        self.assertGreater(example.count("\n+"), 50)
        self.assertEqual(hunks_that_do_not_fit(example, ROOT), [])
        self.assertEqual(len(hunks_that_do_not_fit(example.replace("ROW(needs,", "ROW(wants,"), ROOT)), 1)
        self.assertEqual(len(hunks_that_do_not_fit(example.replace("b/helpers/graph/query_siblings.c", "b/helpers/graph/ask.h"), ROOT)), 1)

    def test_wrong_names_are_found(self):
        text = "Say `make coffee` and see `mcp/nowhere/` and `tests/unit/test_THING.c`.\n```sh\nmake run tea   # or not\n```\n"
        self.assertEqual(unknown_targets(text, {"run"}), ["coffee", "tea"])
        self.assertEqual(unknown_paths(text, ROOT), ["mcp/nowhere/"])
        text = "`run_step()` of `run.c` and `struct run_state`, not `rum_step` of `route.c`; `rule_NAME` is a function."
        self.assertEqual(unknown_names(text, {"run.c"}, "void run_step(void);\nenum run_state"), ["route.c", "rum_step"])


if __name__ == "__main__":
    unittest.main()
