# SPDX-License-Identifier: GPL-3.0-or-later
"""Archives of curricula: folders that were packed come as if they were folders, and an archive reaches nothing outside itself."""
import io
import json
import os
import pathlib
import tarfile
import tempfile
import unittest
import zipfile

import harness

NOTES = {"Kurs/1 Größe.md": "# Größe\n\nSee [[2 Maß]].\n", "Kurs/2 Maß.md": "# Maß\n\nText.\n"}


class Archives(unittest.TestCase):
    def setUp(self):
        self.workspace = harness.Workspace()
        self.addCleanup(self.workspace.close)
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.folder = pathlib.Path(kept.name)

    def zip(self, entries, name="a.zip", **how):
        path = self.folder / name
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, **how) as archive:
            for entry, text in entries.items():
                archive.writestr(entry, text)
        return path

    def tar(self, name, *members):
        path = self.folder / name
        with tarfile.open(path, "w:" + name.rpartition(".")[2]) as archive:
            for fields, content in members:
                member = tarfile.TarInfo()
                member.size = len(content)
                for field, value in fields.items():
                    setattr(member, field, value)
                archive.addfile(member, io.BytesIO(content))
        return path

    def load(self, path, *words):
        done = self.workspace.run("import", *words, str(path))
        return json.loads(self.workspace.run("export", done.stdout.decode().split()[-1]).stdout), done.stderr.decode()

    def refused(self, path, *words):
        done = self.workspace.run("import", str(path), check=False)
        self.assertEqual((done.returncode, done.stdout), (1, b""))
        for word in words:
            self.assertIn(word, done.stderr.decode())

    def check_notes(self, path):
        back, said = self.load(path)
        self.assertEqual([node["title"] for node in back["nodes"]], ["Größe", "Maß"])
        self.assertEqual(len(back["relationships"]), 1)
        return said


class Packed(Archives):
    def test_notes_in_every_archive(self):
        for suffix in ("gz", "bz2", "xz"):
            members = [({"name": name}, text.encode()) for name, text in NOTES.items()]
            self.check_notes(self.tar("notes.tar." + suffix, *members))
        self.check_notes(self.zip(NOTES))
        self.check_notes(self.zip({"top/" + name: text for name, text in NOTES.items()}, "another.ZIP"))

    def test_exports_come_back(self):
        sid = self.workspace.run("demo").stdout.decode().split()[-1]
        whole = json.loads(self.workspace.run("export", sid).stdout)
        for form in ("csv", "markdown"):
            folder = self.folder / form
            self.workspace.run("export", sid, "-o", str(folder), "--format", form)
            back, _ = self.load(self.zip({form + "/" + file.name: file.read_bytes() for file in folder.iterdir()}, form + ".zip"))
            self.assertEqual(back["nodes"], whole["nodes"])
            self.assertEqual(back["relationships"], whole["relationships"])

    def test_a_sheet_alone(self):
        back, _ = self.load(self.zip({"x/lessons.csv": "Id,Title,Prerequisites\nA,One,\nB,Two,A\n"}))
        self.assertEqual([node["title"] for node in back["nodes"]], ["One", "Two"])
        self.assertEqual([edge["from_node_id"] for edge in back["relationships"]], ["A"])

    def test_what_macos_adds_is_not_seen(self):
        said = self.check_notes(self.zip({**NOTES, "__MACOSX/Kurs/._1 Größe.md": b"\0\5", "Kurs/.DS_Store": b"\0", "Kurs/.obsidian/x.md": "# X"}))
        self.assertNotIn("MACOSX", said)

    def test_names_of_a_console(self):
        """Windows packs names in the code page of its console, without a mark of UTF-8."""
        path = self.folder / "windows.zip"
        whole = self.zip({"GrXXe.md": "# One", "b.md": "[[Größe]]"}).read_bytes()
        path.write_bytes(whole.replace(b"GrXXe.md", b"Gr\x94\xe1e.md"))
        back, said = self.load(path)
        self.assertEqual(len(back["relationships"]), 1, said)
        self.assertIn("names in the archive are not UTF-8 and are read as CP850: ", said)

    def test_other_files_are_counted(self):
        said = self.check_notes(self.zip({**NOTES, "Kurs/a.png": b"\x89PNG", "Kurs/b.png": b"\x89PNG"}))
        self.assertIn("files other than notes (.md, .markdown, .mdx), which are not read (2): a.png", said)


    def test_an_archive_of_archives(self):
        """As Notion exports a large workspace; deeper ones are not opened."""
        parts = [self.zip({name: text}, "part.zip").read_bytes() for name, text in NOTES.items()]
        self.check_notes(self.zip({"Export-Part-%d.zip" % number: part for number, part in enumerate(parts, 1)}))
        self.refused(self.zip({"b.zip": self.zip({"c.zip": self.zip(NOTES, "d.zip").read_bytes()}, "c.zip").read_bytes()}), "holds no curriculum")
        self.refused(self.zip({"b.zip": b"PK\3\4 damaged"}), "cannot be unpacked")
        said = self.check_notes(self.zip({**NOTES, "Kurs/b.zip": parts[0]}))
        self.assertIn("b.zip", said)


class Hostile(Archives):
    def test_paths_that_lead_out(self):
        said = self.check_notes(self.zip({**NOTES, "../x.md": "# Out", "/etc/y.md": "# Root", "Kurs/../../z.md": "# Up"}))
        self.assertIn("paths in the archive lead out of it, or are too long (3)", said)
        self.assertIn("../x.md", said)
        self.assertFalse(os.path.exists("/etc/y.md"))

    def test_links_and_devices(self):
        notes = [({"name": name}, text.encode()) for name, text in NOTES.items()]
        said = self.check_notes(self.tar("notes.tar.gz", *notes, ({"name": "Kurs/p.md", "type": tarfile.SYMTYPE, "linkname": "/etc/passwd"}, b""),
                                         ({"name": "Kurs/h.md", "type": tarfile.LNKTYPE, "linkname": "Kurs/2 Maß.md"}, b""),
                                         ({"name": "Kurs/d.md", "type": tarfile.CHRTYPE}, b"")))
        self.assertIn("links and special files in the archive, which are not read (3)", said)

    def test_bombs(self):
        self.refused(self.zip({"a.md": b"\0" * (100 << 20)}), "unpacks to more than 200 times its size")
        with tempfile.NamedTemporaryFile(suffix=".zip") as file:
            with zipfile.ZipFile(file, "w") as archive:
                for number in range(100001):
                    archive.writestr("%d.md" % number, "")
            self.refused(file.name, "holds more than 100000 files")

    def test_a_file_that_is_too_large(self):
        said = self.check_notes(self.zip({**NOTES, "Kurs/film.md": os.urandom(65 << 20)}))
        self.assertIn("files of the archive are too large: ", said)

    def test_damage(self):
        whole = self.zip({**NOTES, "c.md": os.urandom(5000)}).read_bytes()
        path = self.folder / "damaged.zip"
        for end in (10, 100, len(whole) // 2, len(whole) - 30):
            path.write_bytes(whole[:end])
            done = self.workspace.run("import", str(path), check=False)
            self.assertIn(done.returncode, (0, 1))
            self.assertTrue(done.returncode == 0 or b"damaged.zip" in done.stderr, done.stderr)

    def test_a_password(self):
        note = self.folder / "a.md"
        note.write_text("# Secret")
        packed = self.folder / "a.zip"
        # Made by hand: Python's zipfile writes no encrypted files. The flag stands in both headers.
        data = bytearray(self.zip({"a.md": "# Secret"}).read_bytes())
        data[6] |= 1
        data[data.index(b"PK\1\2") + 8] |= 1
        packed.write_bytes(data)
        self.refused(packed, "is encrypted: unpack it with its password")


class Others(Archives):
    """Documents that are no curriculum are named, with the way to make one of them."""

    def test_documents(self):
        for name, entry, words in (("a.docx", "word/document.xml", "a Word document: save it as Markdown"), ("a.pptx", "ppt/presentation.xml", "slides"),
                                   ("a.ods", "content.xml", "an OpenDocument file"), ("a.mbz", "moodle_backup.xml", "Common Cartridge"),
                                   ("a.h5p", "h5p.json", "an activity of H5P"), ("a.apkg", "collection.anki2", "a deck of Anki"),
                                   ("a.epub", "META-INF/container.xml", "an e-book")):
            self.refused(self.zip({"mimetype": "x", entry: "<x/>", "b/x.xml": "<x/>"}, name), words)
        for name, begin, words in (("a.pdf", b"%PDF-1.7\n", "a PDF"), ("a.xls", b"\xd0\xcf\x11\xe0\xa1\xb1", "an old Office"),
                                   ("a.db", b"SQLite format 3\0", "a database")):
            path = self.folder / name
            path.write_bytes(begin + b"\0" * 100)
            self.refused(path, words)
        for name in "a.html", "a.rst", "a.ipynb", "A.TEX":
            path = self.folder / name
            path.write_text('{"cells": []}' if name == "a.ipynb" else "<h1>Lesson</h1>")
            self.refused(path, "make Markdown of it (pandoc -t markdown)")

    def test_nothing_to_read(self):
        self.refused(self.zip({"a.png": b"\x89PNG"}), "holds no curriculum")
        self.refused(self.zip({}), "holds no curriculum")
        (self.folder / "empty").mkdir()
        self.refused(self.folder / "empty", "holds no curriculum")


if __name__ == "__main__":
    unittest.main()
