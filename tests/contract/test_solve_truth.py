# SPDX-License-Identifier: GPL-3.0-or-later
"""The shared questions over the tool `solve`: plans and programs are replayed, the first program broken in three of ten by a recorded
mistake, and in one of twenty three times. Every answer is right, every repaired question is solved, every other one failed."""
import collections
import json
import re
import unittest

import harness
from chat_case import ChatWorkspace
from solve_case import KEY, Case, Roles, kind_of, mistakes, requests, same, truth_cases

STATUS = re.compile(r"\A(\w+): ")
VALUES = re.compile(r"^values: (.*?)( \(cut\))?$", re.MULTILINE)
TASK = re.compile(r"^task (\S+)$", re.MULTILINE)
ATTEMPTS = re.compile(r"^attempts (\d+), model requests (\d+), tokens in (\d+), out (\d+)", re.MULTILINE)


def broken_programs(number, program, recorded):
    """The first programs of the coder and the debugger for this question."""
    if number % 20 == 9:
        return ["raise ValueError(%d)\n%s" % (again, program) for again in range(3)]
    if number % 10 in (0, 3, 6):
        return [recorded[7 * number % len(recorded)] + "\n" + program]
    return []


class SolveTruth(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.workspace = ChatWorkspace(ANTHROPIC_API_KEY=KEY)
        cls.addClassCleanup(cls.workspace.close)
        recorded = mistakes()
        assert len(recorded) > 300
        cls.sids, cls.rows, cls.cases = {}, [], []
        for number, (name, row) in enumerate(truth_cases()):
            if name not in cls.sids:
                cls.sids[name] = cls.workspace.load(harness.shared("data", name + ".json"))
            broken = broken_programs(number, row["code"], recorded)
            # The same question is asked of several curricula.
            cls.cases.append(Case("%s: %s" % (name, row["question"]), kind_of(row["answer"]), row["code"], broken, key=row["id"]))
            cls.rows.append((cls.sids[name], row, len(broken)))

    def ask(self, planner):
        """(question, status, values, attempts, requests, tokens in, tokens out) of each question."""
        with Roles(self.cases) as model:
            client = harness.Server(self.workspace, "--no-demo", "--toolset", "editor,solve", "--llm-url", model.url, "--llm-model", "played",
                                    "--planner", planner)
            client.initialize()
            found = []
            for case, (sid, _, _) in zip(self.cases, self.rows):
                _, text = client.call("solve", session_id=sid, question=case.question)
                values = VALUES.search(text)
                self.assertFalse(values and values.group(2), "cut")
                figures = [int(figure) for figure in ATTEMPTS.search(text).groups()]
                found.append((STATUS.match(text).group(1), json.loads(values.group(1)) if values else {}, figures, text))
            self.metrics = client.http("GET", "/metrics")[1].decode().splitlines()
            self.assertEqual(client.close(), 0)
            self.log = client.lines
            model.check()
        return model, found

    def test_programs_of_a_coder(self):
        model, found = self.ask("model")
        wrong, asked_all = [], 0
        for case, (_, row, broken), (status, values, (attempts, asked, _, _), text) in zip(self.cases, self.rows, found):
            asked_all += asked
            good = broken < 3
            if status != ("solved" if good else "failed") or (good and not same(values.get(case.key), row["answer"])) or \
                    attempts < min(broken + 1, 3) - (broken == 1):
                wrong.append("%s (%d broken): %s" % (case.question, broken, text[:500]))
        self.assertEqual(wrong, [])
        self.assertEqual(asked_all, sum(book.requests for book in model.ledger.values()))
        self.assertEqual(sum(figures[2] for _, _, figures, _ in found), sum(book.input for book in model.ledger.values()))
        self.assertEqual(sum(figures[3] for _, _, figures, _ in found), sum(book.output for book in model.ledger.values()))
        self.check_traces(model, found)
        self.check_figures(model, found)
        statuses = [status for status, _, _, _ in found]
        print("%d questions: %s; %d requests, %s" % (len(found), {status: statuses.count(status) for status in sorted(set(statuses))}, asked_all,
                                                    {role: book.requests for role, book in model.ledger.items()}))

    def check_figures(self, model, found):
        """So are the figures of /metrics, and the lines of the log."""
        def figure(name):
            return float(next((line.rsplit(" ", 1)[1] for line in self.metrics if line.startswith(name + " ")), 0))

        for role, book in model.ledger.items():
            labels = 'role="%s",model="played"' % role
            self.assertEqual(figure("lectern_task_requests_total{%s}" % labels), book.requests)
            self.assertEqual([figure('lectern_task_tokens_total{%s,kind="%s"}' % (labels, kind)) for kind in ("input", "output")],
                             [book.input, book.output])
            self.assertEqual(len([line for line in self.log if "task=" in line and " role=%s attempt=" % role in line and " model=" in line]), book.requests)
        for status in ("solved", "failed"):
            count = len([one for one in found if one[0] == status])
            self.assertEqual(figure('lectern_tasks_total{status="%s"}' % status), count)
            self.assertEqual(len([line for line in self.log if " status=%s " % status in line and "task=" in line]), count)
        self.assertEqual(figure("lectern_task_attempts_sum"), sum(figures[0] for _, _, figures, _ in found))

    def check_traces(self, model, found):
        """The requests in the store are those of the ledger."""
        kept = collections.defaultdict(lambda: [0, 0, 0])
        for _, _, _, text in found:
            task = json.loads(self.workspace.run("trace", "--json", TASK.search(text).group(1)).stdout)
            for entry in requests(task["entries"]):
                usage = entry["usage"]
                kept[entry["role"]] = [a + b for a, b in zip(kept[entry["role"]], (1, usage["input"], usage["output"]))]
        self.assertEqual(dict(kept), {role: [book.requests, book.input, book.output] for role, book in model.ledger.items()})

    def test_rules_alone(self):
        client = harness.Stdio(self.workspace, "--toolset", "solve", "--planner", "rules")
        client.initialize()
        wrong, solved = [], 0
        for sid, row, _ in self.rows:
            _, text = client.call("solve", session_id=sid, question=row["question"])
            status, values = STATUS.match(text).group(1), VALUES.search(text)
            solved += status == "solved"
            if status not in ("solved", "refused") or (values and not same(next(iter(json.loads(values.group(1)).values())), row["answer"])):
                wrong.append("%s: %s" % (row["question"], text[:300]))
        self.assertEqual(client.close(), 0)
        self.assertEqual(wrong, [])
        self.assertGreater(solved, 0)
        print("%d of %d questions answered by rules" % (solved, len(self.rows)))


if __name__ == "__main__":
    unittest.main(verbosity=2)
