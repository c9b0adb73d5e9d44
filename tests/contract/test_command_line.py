# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line under bad conditions: descriptors that are closed or full, misplaced arguments, unreadable folders. Each is reported,
and nothing is lost."""
import json
import os
import pathlib
import pty
import re
import subprocess
import unittest

import harness

CURRICULUM = {"nodes": [{"node_id": "N001", "title": "One", "components": []}], "relationships": []}


class LineCase(unittest.TestCase):
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

    def files(self):
        """Every file and folder of the data folder, with the files' bytes."""
        return {str(path): path.is_file() and path.read_bytes() for path in pathlib.Path(self.workspace.data).rglob("*")}

    def on_terminal(self, *words, stdin=b""):
        return harness.on_terminal([str(harness.LECTERN), *words], stdin, self.workspace.environment())


class CommandLine(LineCase):
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
            self.assertIn(f"unexpected argument 'N001'; see lectern {command} --help", done.stderr.decode())
        for word, said in (("--x", "unknown option '--x'; see lectern serve --help"),
                           ("--prot", "unknown option '--prot' (did you mean --port?); see lectern serve --help")):
            done = self.workspace.run("serve", word, check=False)
            self.assertEqual((done.returncode, done.stdout), (2, b""))
            self.assertEqual(f"lectern serve: {said}\n", done.stderr.decode())
        done = self.workspace.run("validate", "--facts", check=False) # a former option
        self.assertEqual((done.returncode, done.stdout, done.stderr.decode()),
                         (2, b"", "lectern validate: unknown option '--facts'; see lectern validate --help\n"))

    def test_help_fits_a_terminal(self):
        overview = self.workspace.run("--help").stdout.decode()
        commands = re.findall(r"^  ([a-z]+) ", overview, re.MULTILINE)
        self.assertIn("serve", commands)
        for words in (["--help"], *([command, "--help"] for command in commands)):
            lines = self.workspace.run(*words).stdout.decode().splitlines()
            self.assertTrue(lines[0].startswith("Usage: lectern "), words)
            self.assertEqual([line for line in lines if len(line) > 80], [], words)
            self.assertTrue(words == ["--help"] or lines[-5:-4] == ["  --help                   show this help"], lines[-5:])

    def test_graph_questions_by_their_words(self):
        self.file.write_text(json.dumps({
            "nodes": [{"node_id": f"N00{i}", "title": title, "components": []} for i, title in enumerate("ABCD", 1)],
            "relationships": [{"id": i, "from_node_id": f"N00{i}", "to_node_id": f"N00{i + 1}", "explanation": "",
                               "relationship_type": "PREREQUISITE"} for i in (1, 2, 3)]}))
        first = self.workspace.load(self.file)
        for words, options in (("path N001 N003", "path --from N001 --to N003"), ("path N003 --from N001", "path N001 N003"),
                               ("needs N003", "needs --node N003"), ("prerequisites C", "needs N003"),
                               ("levels B", "levels --node N002")):
            self.assertEqual(self.graph(words), self.graph(options))
            self.assertEqual(self.graph(words)[0], 0, words)
        self.assertIn('N001 "A"', self.graph("path N001 N003")[1])
        self.assertEqual(self.graph("bottlenecks")[0], 0)
        for words, usage in (("path", "path FROM TO"), ("path N001", "path FROM TO"), ("path N001 N002 N003", "path FROM TO"),
                             ("path N002 --from N001 --to N003", "path FROM TO"), ("prerequisites", "needs NODE"),
                             ("needs N001 N002", "needs NODE"), ("counts N001", "counts"), ("levels A B", "levels [NODE]")):
            self.assertEqual(self.graph(words), (2, f"lectern graph: usage: lectern graph {usage}\n"), words)
        self.assertIn("did you mean 'bottlenecks'?", self.graph("bottleneck")[1])
        for words in ("", "--help"):
            self.assertIn("path FROM TO", self.graph(words)[1])
        second = self.workspace.load(self.file)
        status, said = self.graph("counts")
        self.assertEqual(status, 2)
        for word in (first, second, "--session SID"):
            self.assertIn(word, said)

    def graph(self, words):
        """(exit status, what it printed) of lectern graph."""
        done = self.workspace.run("graph", *words.split(), check=False)
        return done.returncode, (done.stdout + done.stderr).decode()

    def doctor(self, *words):
        """The doctor's rows about the store, in words; what it must not print is looked for in all of them."""
        done = self.workspace.run("doctor", "--sandbox", harness.LOCAL, *words, check=False)
        self.assertNotRegex(done.stdout + done.stderr, rb"#|seconds=|secret")
        return [row for row in done.stdout.decode().splitlines() if re.match(r"\S+ +(store|session service)", row)]

    def test_doctor_only_reads(self):
        data = pathlib.Path(self.workspace.data)
        before = self.files()
        new = data / "new" / "lectern"
        self.assertEqual(self.doctor("--data", str(new)),
                         [f"ok     store              sqlite:{new}/lectern.db: no data folder yet; lectern serve creates it"])
        self.assertEqual(self.doctor()[0].split(": ")[-1], "no database yet; lectern serve creates it")
        rows = self.doctor("--data", str(new), "--store", "http://me:secret@127.0.0.1:9/")
        self.assertEqual([row.split()[0] for row in rows], ["MISSING", "MISSING"])
        answer = self.workspace.run("doctor", "--sandbox", harness.LOCAL, "--data", str(new), "--store", "http://127.0.0.1:9/", check=False)
        self.assertIn(b" fix: start it; curl -i http://127.0.0.1:9/health must answer", answer.stdout)
        answer = self.workspace.run("doctor", "--json", "--sandbox", harness.LOCAL, "--data", str(new), "--store", "http://127.0.0.1:9/",
                                  check=False)
        self.assertIn("start it; curl -i http://127.0.0.1:9/health must answer", [row["fix"] for row in json.loads(answer.stdout)])
        rows = self.doctor("--data", str(new), "--store", "http://127.0.0.1:9/")
        self.assertIn("http://127.0.0.1:9: no data folder yet", rows[0])
        self.assertIn("cannot be written: Not a directory", self.doctor("--data", str(self.file))[0])
        self.assertEqual(self.files(), before)
        self.assertNotIn(b"secret", self.workspace.run("export", "--store", "ftp://me:secret@host", check=False).stderr)
        server = harness.Server(self.workspace, "--no-demo")
        self.assertEqual(server.http("POST", "/session/create")[0], 200)
        rows = self.doctor()
        self.assertEqual([row.split()[0] for row in rows], ["ok", "ok"], rows)
        server.kill()
        before = self.files()
        self.assertTrue((data / "lectern.db-wal").stat().st_size > 0, "what the server wrote is in its log yet")
        self.assertEqual(self.doctor(), rows)
        self.assertEqual(self.files(), before)
        self.workspace.run("export")
        before = self.files()
        self.assertFalse((data / "lectern.db-wal").exists())
        self.assertEqual(self.doctor(), rows)
        self.assertEqual(self.files(), before)


class Data(LineCase):
    def test_commands_that_read_create_nothing(self):
        before = self.files()
        for words, status in ((("graph", "counts"), 1), (("export",), 1), (("backup", "copy.db"), 1), (("validate",), 0),
                              (("exec", "--sandbox", harness.LOCAL), 0), (("import", "--dry-run", str(self.file)), 0)):
            done = self.workspace.run(*words, stdin=b"print(1)", check=False)
            self.assertEqual(done.returncode, status, (words, done.stderr))
            self.assertEqual(self.files(), before, words)

    def test_a_session_is_the_only_one_or_is_named(self):
        """By its id or its title, in each command that takes one."""
        run, code = self.workspace.run, b"from code_helpers import get_nodes\nprint(len(get_nodes()))"

        def read(*words):
            return run("exec", "--sandbox", harness.LOCAL, *words, stdin=code, check=False)
        run("import", str(self.file), "--title", "One")
        self.assertEqual(read().stdout, b"1\n")
        sid = run("import", str(self.file), "--title", "Two").stdout.decode().strip()
        self.assertIn(b"this run has no session", read().stderr)
        for named in (sid, "Two", "two"):
            self.assertEqual(read("--session", named).stdout, b"1\n")
            self.assertIn(b"1 node", run("graph", "counts", "--session", named).stdout)
            self.assertEqual(len(json.loads(run("export", named).stdout)["nodes"]), 1)
        self.assertIn(b"'One'", read("--session", "Three").stderr)
        run("rename", "Two", "Three")
        run("delete", "--yes", "three")
        self.assertEqual([session["title"] for session in json.loads(run("sessions", "--json").stdout)["sessions"]], ["One"])

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
        for words, said in (((), "lectern rename SID TITLE"), ((one,), "lectern rename SID TITLE"), ((one, ""), "title: must not be empty"),
                            ((one, "x" * 2001), "longer than 2000 bytes")):
            fails(2, said, "rename", *words)
        fails(1, "there is no curriculum 'nonsense'", "rename", "nonsense", "x")
        fails(2, "lectern delete SID", "delete")
        fails(2, "add --yes", "delete", one, stdin=b"Fractions & more\n")
        fails(1, "there is no curriculum 'nonsense'", "delete", "nonsense", "--yes")
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

    def test_text_of_others_does_not_drive_a_terminal(self):
        hostile = "\x1b[2J\x07\r\x9b1m\u202eevil\x7f"
        escaped = b"\\x1b[2J\\x07\\x0d\\x9b1m\\u202eevil\\x7f"
        self.file.write_text(json.dumps({**CURRICULUM, "nodes": [
            {"node_id": "N001", "title": "One", "components": [{"type": "\x9b2m"}]},
            {"node_id": "N002", "title": hostile, "components": []}]}))
        source = ascii(hostile)[1:-1].encode()
        code = b"print('%s', 'tab\\there')" % source
        literal = b"open('%s')" % hostile.encode()
        sandbox = ("--sandbox", harness.LOCAL)
        runs = (
            (("exec", *sandbox), code, escaped + b" tab"),
            (("exec", *sandbox), b"raise ValueError('%s')" % source, escaped),
            (("exec", *sandbox, "--json"), code, b"\\u202eevil"),
            (("exec", *sandbox), literal, b"control character"),
            (("validate",), literal, b"control character"),
            (("import", str(self.file)), b"", b"'\\x9b2m' is not a component type"),
            (("graph", "counts", "--session", hostile), b"", b"\\x9b1m\\u202eevil"),
            (("graph", "outline"), b"", b"evil"),
            (("export",), b"", b"\\u202eevil"),
            (("import", hostile), b"", escaped),
            ((hostile,), b"", escaped),
        )
        for words, stdin, shows in runs:
            with self.subTest(words=words):
                shown = self.on_terminal(*words, stdin=stdin)
                self.assertIn(shows, shown)
                for control in ("\x1b", "\x07", "\x9b", "\u202e", "\x7f"):
                    self.assertNotIn(control.encode(), shown)
        done = self.workspace.run("exec", *sandbox, stdin=code)
        self.assertEqual(done.stdout, (hostile + " tab\there\n").encode(), "piped bytes are the program's own")

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
