# SPDX-License-Identifier: GPL-3.0-or-later
"""The tutor over HTTP: get_learner_state and the other reading tools with 10,000 rows of evidence over 6,439 lessons, and submit_code on a
warm sandbox, side by side with execute_code of print(1).

    bench_tutor.py [ENGINE ...]

The engines (local, process or docker) are for submit_code; default: local and process. The largest answer of each tool is printed in
tokens where npm is installed. LECTERN_BENCH_ROUNDS: calls of each reading tool (200); LECTERN_BENCH_SUBMISSIONS (60)."""
import contextlib
import json
import os
import pathlib
import random
import re
import sqlite3
import statistics
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "contract"))
import harness  # noqa: E402
import load  # noqa: E402
import tokens  # noqa: E402

LESSONS = 6439
RELATIONSHIPS = 9000
EVIDENCE = 10000
ROUNDS = int(os.environ.get("LECTERN_BENCH_ROUNDS", "200"))
SUBMISSIONS = int(os.environ.get("LECTERN_BENCH_SUBMISSIONS", "60"))
STATE_AIM_MS = 20
SUBMIT_AIM_MS = 50
NONE_WARM = "bare=0,data=0,plot=0"
SOLUTION = "def double(n):\n    return 2 * n\n\nEDITION = %d\n"
QUESTION = {"component_type": "question", "content": "", "order": 1,
            "parameters": {"prompt": "Which number is it? " + "Some words about it. " * 20, "kind": "number", "answer": 1,
                           "hints": ["A number.", "A small number.", "Like 2 - 2, but with one less taken away."]}}
EXERCISE = {"component_type": "exercise-code", "content": "", "order": 1, "parameters": {
    "prompt": "Write `double(n)`, which returns twice the number.", "starter": "def double(n):\n    return n\n",
    "cases": [{"name": "case %d" % n, "call": "double", "args": [n], "expect": 2 * n, "hidden": n > 3} for n in range(1, 9)]}}


def lesson(number):
    return "N%04d" % number


def curriculum():
    draw = random.Random(31)
    pairs = {(lesson(number), lesson(number + 1 + int(draw.expovariate(1 / 20)))) for number in
             (draw.randrange(LESSONS - 200) for _ in range(RELATIONSHIPS))}
    return {"nodes": [{"node_id": lesson(number), "title": "Lesson number %d about a subject" % number, "chapter": "Chapter %d" % (number // 40),
                       "components": [dict(QUESTION, order=order) for order in (1, 2, 3)]} for number in range(LESSONS)],
            "relationships": [{"from_node_id": before, "to_node_id": after, "relationship_type": "PREREQUISITE"} for before, after in sorted(pairs)]}


@contextlib.contextmanager
def serving(document, *words):
    with contextlib.closing(harness.Workspace()) as workspace:
        path = pathlib.Path(workspace.data, "curriculum.json")
        path.write_text(json.dumps(document), encoding="utf-8")
        session = workspace.load(path)
        with contextlib.closing(harness.Server(workspace, "--toolset", "all", *words)) as server:
            server.initialize()
            yield workspace, server, session


def items_of(data):
    """The ids of the questions of each lesson."""
    with contextlib.closing(sqlite3.connect(pathlib.Path(data, "lectern.db"))) as database:
        rows = database.execute("SELECT node_id, component_id FROM component JOIN node ON component.node = node.key ORDER BY node_id, position")
        found = {}
        for node, item in rows:
            found.setdefault(node, []).append(item)
        return found


def fill(data, who, session):
    """Evidence of a year over half of the lessons, in teaching order: right answers for the most part, and some reviews."""
    draw, now, items = random.Random(32), int(time.time()), items_of(data)
    with contextlib.closing(sqlite3.connect(pathlib.Path(data, "learners.db"))) as database, database:
        key, = database.execute("SELECT key FROM learner WHERE learner_id = ?", (who,)).fetchone()
        for number in range(EVIDENCE):
            node = lesson(number // 3 if draw.random() < 0.9 else draw.randrange(number // 3 + 1))
            database.execute("INSERT INTO evidence (learner, session_id, node_id, kind, item, hints, note, time) VALUES (?, ?, ?, ?, ?, 0, NULL, ?)",
                             (key, session, node, draw.choice(("graded_right",) * 4 + ("graded_wrong",)), items[node][number % 3],
                              now - 365 * 86400 + number * 3000))


def cpu_ms(server):
    fields = pathlib.Path("/proc/%d/stat" % server.process.pid).read_text(encoding="ascii").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") * 1000


def summary(spent):
    return "least %6.2f  %s" % (min(spent), load.summary(spent))


def measure(server, tool, **arguments):
    """(milliseconds of each call, the longest answer)."""
    spent, longest = [], ""
    for _ in range(ROUNDS):
        start = time.perf_counter()
        text = server.good(tool, **arguments)
        spent.append((time.perf_counter() - start) * 1000)
        longest = max(longest, text, key=len)
    return spent, longest


def reading():
    with serving(curriculum(), "--sandbox", harness.LOCAL, "--warm", NONE_WARM) as (workspace, server, session):
        who = re.search("[0-9a-f]{32}", server.good("register_learner", name="Ada", goal=lesson(LESSONS - 300)))[0]
        fill(workspace.data, who, session)
        begun = re.search(r"^practising: (N\d{4})", server.good("get_learner_state", learner_id=who, detail="full"), re.MULTILINE)[1]
        item = re.search(r"^exercise_id: (\S+)", server.good("get_exercises", learner_id=who, node_id=begun), re.MULTILINE)[1]
        calls = {"get_learner_state": {}, "get_learner_state, full": {"detail": "full"}, "get_learner_state of a lesson": {"node_id": begun},
                 "get_chapter_content": {"node_id": begun}, "get_exercises": {"node_id": begun, "limit": 5},
                 "generate_guidance": {"exercise_id": item}}
        longest = {}
        print("%d rows of evidence over %d lessons, %d calls of each, ms" % (EVIDENCE, LESSONS, ROUNDS))
        for name, arguments in calls.items():
            before = cpu_ms(server)
            spent, longest[name] = measure(server, re.split(",| ", name)[0], learner_id=who, **arguments)
            print("%-30s %s  processor %5.1f%s" % (name, summary(spent), (cpu_ms(server) - before) / ROUNDS,
                                                   "  (aim: %d)" % STATE_AIM_MS if name == "get_learner_state" else ""), flush=True)
        print("%-30s %s" % ("query_graph counts, beside", summary(measure(server, "query_graph", query="counts")[0])))
    try:
        for name, count in zip(longest, tokens.count(list(longest.values()))):
            print("%-30s %5d tokens in its longest answer" % (name, count))
    except unittest.SkipTest as skip:
        print(skip)


def grading(engine):
    document = {"nodes": [{"node_id": "N1", "title": "Functions", "components": [EXERCISE]}], "relationships": []}
    with serving(document, "--sandbox", engine) as (_, server, _):
        who = re.search("[0-9a-f]{32}", server.good("register_learner", name="Ada"))[0]
        item = re.search(r"^exercise_id: (\S+)", server.good("get_exercises", learner_id=who, node_id="N1"), re.MULTILINE)[1]
        client = load.Client(server.port)
        graded, plain = [], []
        for number in range(SUBMISSIONS + 1):
            load.wait_calm(server.port, "bare", 1)
            start = time.perf_counter()
            answer = json.loads(server.good("submit_code", learner_id=who, exercise_id=item, code=SOLUTION % number))
            graded.append((time.perf_counter() - start) * 1000)
            assert answer["status"] == "pass" and answer["attempt"], answer
            load.wait_calm(server.port, "bare", 1)
            plain.append(client.timed("print(1)")[0])
        print("%-8s submit_code of 8 cases, ms        %s  (aim: %d)" % (engine, summary(graded[1:]), SUBMIT_AIM_MS))
        print("%-8s execute_code of print(1), ms      %s" % (engine, summary(plain[1:])))
        print("%-8s the ratio of the medians          %.2f" % (engine, statistics.median(graded[1:]) / statistics.median(plain[1:])))
        client.close()


def main():
    reading()
    for engine in sys.argv[1:] or ("local", "process"):
        grading(engine)


if __name__ == "__main__":
    main()
