# SPDX-License-Identifier: GPL-3.0-or-later
"""Profiles from files: their faults, and the error of an import that names the profile with the module. Installation and runs are in the
classes below."""
import json
import pathlib
import tempfile
import unittest

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


if __name__ == "__main__":
    unittest.main()
