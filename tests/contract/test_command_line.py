# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line in the hands of the clumsy: descriptors that are closed or full, words that belong nowhere, folders that
cannot be read. Each is told, and nothing is lost."""
import json
import os
import pathlib
import pty
import subprocess
import unittest

import harness

CURRICULUM = {"nodes": [{"node_id": "N001", "title": "One", "components": []}], "relationships": []}


class CommandLine(unittest.TestCase):
    def setUp(self):
        self.workspace = harness.Workspace()
        self.addCleanup(self.workspace.close)
        self.file = pathlib.Path(self.workspace.data, "one.json")
        self.file.write_text(json.dumps(CURRICULUM))

    def shell(self, line):
        """(exit status, standard error) of a shell's line; $L is lectern, $F a curriculum."""
        done = subprocess.run(["/bin/sh", "-c", line], capture_output=True, check=False, timeout=harness.ANSWER_SECONDS,
                              stdin=subprocess.DEVNULL,
                              env=dict(self.workspace.environment(), L=str(harness.LECTERN), F=str(self.file)))
        return done.returncode, done.stderr.decode()

    def test_full_output_is_told(self):
        for line in ('"$L" import "$F"', '"$L" export', '"$L" graph counts', '"$L" --help', '"$L" serve --help',
                     'echo "print(1)" | "$L" validate --json'):
            status, said = self.shell(line + " >/dev/full")
            self.assertEqual(status, 1, line)
            self.assertIn("standard output: No space left on device", said, line)

    def test_closed_descriptors(self):
        status, said = self.shell('"$L" import "$F" >&-')
        self.assertEqual((status, "standard output: Bad file descriptor" in said), (1, True), said)
        for line in ('"$L" export >/dev/null 2>&-', '"$L" export <&- >/dev/null', '"$L" graph counts <&- 2>&- >/dev/null'):
            self.assertEqual(self.shell(line), (0, ""), line)
        self.assertEqual(self.shell('"$L" export >&- 2>&- <&-')[0], 1)

    def test_words_that_belong_nowhere(self):
        for command in ("serve", "stdio", "doctor", "demo", "sessions"):
            done = self.workspace.run(command, "N001", check=False)
            self.assertEqual((done.returncode, done.stdout), (2, b""), command)
            self.assertIn("'N001' is no option", done.stderr.decode())

    def test_sessions_rename_delete(self):
        one, two = (self.workspace.run("import", str(self.file), "--title", title).stdout.decode().strip()
                    for title in ("One", "Two"))
        run = self.workspace.run

        def fails(status, said, *words, **given):
            done = run(*words, check=False, **given)
            self.assertEqual((done.returncode, done.stdout), (status, b""), words)
            self.assertIn(said, done.stderr.decode())

        def titles():
            return {session["session_id"]: session["title"] for session in json.loads(run("sessions", "--json").stdout)["sessions"]}

        self.assertEqual(titles(), {one: "One", two: "Two"})
        lines = run("sessions").stdout.decode().splitlines()
        self.assertEqual(lines[1].split()[:3] + lines[1].split()[-1:], [one, "1", "0", "One"])
        run("rename", one, "Fractions & more")
        self.assertEqual(titles()[one], "Fractions & more")
        self.assertEqual(json.loads(run("export", one).stdout)["meta"], {"title": "Fractions & more"})
        for words, said in (((), "lectern rename SID TITLE"), ((one,), "lectern rename SID TITLE"), ((one, ""), "title: is needed"),
                            ((one, "x" * 2001), "longer than 2000 bytes")):
            fails(2, said, "rename", *words)
        fails(1, "there is no session", "rename", "nonsense", "x")
        fails(2, "lectern delete SID", "delete")
        fails(2, "add --yes", "delete", one, stdin=b"Fractions & more\n")
        fails(1, "there is no session", "delete", "nonsense", "--yes")
        self.assertIn(one, titles())
        run("delete", one, "--yes")
        self.assertEqual(titles(), {two: "Two"})
        fails(1, "was deleted by command", "export", one)

    def test_delete_asks_for_the_title_at_a_terminal(self):
        sid = self.workspace.run("import", str(self.file), "--title", "One").stdout.decode().strip()
        for typed, status, left in ((b"Two\n", 2, 1), (b"One\n", 0, 0)):
            leader, follower = pty.openpty()
            process = subprocess.Popen([str(harness.LECTERN), "delete", sid], stdin=follower, stderr=subprocess.PIPE,
                                       env=self.workspace.environment())
            os.close(follower)
            os.write(leader, typed)
            _, said = process.communicate(timeout=harness.ANSWER_SECONDS)
            os.close(leader)
            self.assertEqual(process.returncode, status, said)
            self.assertIn(b'This deletes "One"', said)
            self.assertEqual(json.loads(self.workspace.run("sessions", "--json").stdout)["total"], left)

    def test_an_export_is_the_users_own_file(self):
        """Its permissions are those of any new file: what the umask leaves."""
        self.workspace.run("import", str(self.file))
        for umask, file_mode, folder_mode in (("022", 0o644, 0o755), ("077", 0o600, 0o700), ("002", 0o664, 0o775)):
            made = self.file.with_name("made" + umask)
            for line in ('umask %s; "$L" export -o %s.json', 'umask %s; "$L" export --format markdown -o %s'):
                self.assertEqual(self.shell(line % (umask, made))[0], 0)
            self.assertEqual(made.with_suffix(".json").stat().st_mode & 0o7777, file_mode)
            self.assertEqual(made.stat().st_mode & 0o7777, folder_mode)
            self.assertEqual({file.stat().st_mode & 0o7777 for file in made.iterdir()}, {file_mode})

    def test_backup(self):
        self.workspace.run("import", str(self.file))
        copy = self.file.with_name("copy.db")
        self.assertEqual(self.workspace.run("backup", str(copy)).stdout.decode(), f"{copy}\n")
        self.assertEqual(self.workspace.run("export", "--store", f"sqlite:{copy}").stdout,
                         self.workspace.run("export").stdout)
        before = copy.read_bytes()
        for words, status, said in (((str(copy),), 1, "exists already"), ((), 2, "lectern backup FILE"),
                                    (("a", "b"), 2, "lectern backup FILE"), (("/no/such/copy.db",), 1, "No such file")):
            done = self.workspace.run("backup", *words, check=False)
            self.assertEqual((done.returncode, done.stdout), (status, b""), words)
            self.assertIn(said, done.stderr.decode())
        self.assertEqual(copy.read_bytes(), before)
        self.assertFalse([path.name for path in copy.parent.iterdir() if path.name.startswith("copy.db.")])

    def test_share_that_is_not_there(self):
        done = self.workspace.run("exec", "--share", "/no/such/folder", stdin=b"print(1)", check=False)
        self.assertEqual((done.returncode, done.stdout), (1, b""))
        self.assertIn("--share /no/such/folder: No such file or directory", done.stderr.decode())

    def test_interrupted_import_leaves_nothing(self):
        path = harness.shared("data", "openstax_algebra.json")
        for signal in ("INT", "TERM", "KILL"):
            process = subprocess.Popen([str(harness.LECTERN), "import", str(path)], stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL,
                                       env=self.workspace.environment())
            log = pathlib.Path(self.workspace.data, "lectern.db-wal")
            while process.poll() is None and not (log.exists() and log.stat().st_size > 1 << 20):
                os.sched_yield()
            process.send_signal(getattr(__import__("signal"), "SIG" + signal))
            printed = process.communicate(timeout=harness.ANSWER_SECONDS)[0]
            self.assertEqual(printed, b"")
        done = self.workspace.run("export", check=False)
        self.assertIn("holds no session yet", done.stderr.decode())
        self.workspace.load(self.file)
        self.assertEqual(json.loads(self.workspace.run("export").stdout), CURRICULUM)


if __name__ == "__main__":
    unittest.main()
