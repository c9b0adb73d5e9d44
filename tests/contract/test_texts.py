# SPDX-License-Identifier: GPL-3.0-or-later
"""No text that a user can see has one of the project's private words (words.py): the strings of the C files, in which the errors,
the tools' schemas and /openapi.json are too, those of the Python that runs in the sandbox, the page, and what the scripts print.
test_docs.py looks at the documents, at --help and at the doctor."""
import unittest
from pathlib import Path

from words import PRIVATE, c_texts, page_texts, python_texts, script_texts

ROOT = Path(__file__).resolve().parents[2]
SOURCES = (
    (c_texts, ("mcp/**/*.c", "mcp/**/*.h", "executor/**/*.[ch]", "helpers/**/*.[ch]", "image/**/*.[ch]", "validator/**/*.[ch]")),
    (python_texts, ("image/python/*.py", "helpers/python/*.py", "cmake/*.py")),
    (page_texts, ("mcp/ui/*.html", "mcp/ui/*.mjs", "mcp/ui/src/**/*.ts", "mcp/ui/src/**/*.tsx")),
    (script_texts, ("cmake/*.sh", "image/*.sh", ".ci/run", "Makefile")),
)


def found_in(texts, source):
    return [(words, text[:300]) for text in texts(source) if (words := PRIVATE.findall(text))]


class Texts(unittest.TestCase):
    def found(self):
        """file -> its texts with private words."""
        files = {}
        for texts, patterns in SOURCES:
            for path in sorted(path for pattern in patterns for path in ROOT.glob(pattern)):
                name = path.relative_to(ROOT).as_posix()
                if "node_modules" not in name and ".test." not in name:
                    files[name] = found_in(texts, path.read_text(encoding="utf-8"))
        self.assertGreater(len(files), 300)
        return {name: found for name, found in files.items() if found}

    def test_no_text_has_a_private_word(self):
        found = self.found()
        self.assertEqual(found, {})


class ReadersCanFail(unittest.TestCase):
    def words(self, texts, source):
        return [word for words, _ in found_in(texts, source) for word in words]

    def test_c(self):
        self.assertEqual(self.words(c_texts, 'error(err, "%s is "\n  "no number", a); /* "is no text" */ // "was told it"'), ["is no"])
        self.assertEqual(self.words(c_texts, 'f("it was " PRId64 "told it"); g("told"); h("there is no such node, it is no longer there")'), ["told"])

    def test_python(self):
        self.assertEqual(self.words(python_texts, '"""It is told."""\nx = f"{y} is no number"\n# is no text\n'), ["is no"])

    def test_page(self):
        self.assertEqual(self.words(page_texts, 'const a = `Load ${x} anew`; // anew it\nreturn <p>You were told.</p>;'), ["anew", "told"])

    def test_scripts(self):
        self.assertEqual(self.words(script_texts, 'x=told # echo told\n  echo "It is meant so" >&2\nrun: ## mends it\n'), ["is meant", "mends"])


if __name__ == "__main__":
    unittest.main()
