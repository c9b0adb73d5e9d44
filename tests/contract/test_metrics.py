# SPDX-License-Identifier: GPL-3.0-or-later
"""GET /metrics, parsed by Prometheus' own parser: each counter increases by exactly what was done."""
import math
import time
import unittest

from prometheus_client.parser import text_string_to_metric_families

import harness

SETTLE_SECONDS = 20  # for sandboxes that are being started


class Metrics(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.workspace = harness.Workspace()
        cls.workspace.run("demo")
        cls.server = harness.Server(cls.workspace)

    @classmethod
    def tearDownClass(cls):
        assert cls.server.close() == 0
        cls.workspace.close()

    def read(self):
        """{(sample's name, labels as a sorted tuple): value}, and the families by name."""
        status, text, headers = self.server.http("GET", "/metrics")
        self.assertEqual(status, 200)
        self.assertEqual(headers["Content-Type"], "text/plain; version=0.0.4; charset=utf-8")
        families = list(text_string_to_metric_families(text.decode()))
        names = [family.name for family in families]
        self.assertEqual(len(names), len(set(names)))
        samples = {(sample.name, tuple(sorted(sample.labels.items()))): sample.value
                   for family in families for sample in family.samples}
        self.assertEqual(len(samples), sum(len(family.samples) for family in families))
        return samples, {family.name: family for family in families}

    def run_code(self, code, **fields):
        status, answer, _ = self.server.http("POST", "/execute", {"code": code, **fields})
        self.assertEqual(status, 200, answer)
        return answer

    @staticmethod
    def moved(before, after, name, **labels):
        key = (name, tuple(sorted(labels.items())))
        return after.get(key, 0) - before.get(key, 0)

    def test_types_and_names(self):
        _, families = self.read()
        for name, kind in (("lectern_runs", "counter"), ("lectern_run_attempts", "counter"),
                           ("lectern_run_seconds", "histogram"), ("lectern_run_waiting_seconds", "histogram"),
                           ("lectern_runs_queued", "gauge"), ("lectern_runs_running", "gauge"),
                           ("lectern_runs_success_ratio", "gauge"),
                           ("lectern_sandboxes", "gauge"), ("lectern_sandboxes_started", "counter"),
                           ("lectern_sandboxes_failed", "counter"), ("lectern_sandboxes_lost", "counter"),
                           ("lectern_runs_turned_away", "counter"), ("lectern_validator_refusals", "counter"),
                           ("lectern_validator_disagreements", "counter"), ("lectern_connections", "gauge"),
                           ("lectern_mcp_calls", "gauge"), ("lectern_mcp_streams", "gauge")):
            self.assertEqual(families[name].type, kind, name)
            self.assertTrue(families[name].documentation, name)

    def test_counts_move_by_what_was_done(self):
        before, _ = self.read()
        for _ in range(3):
            self.run_code("print(1)")
        self.run_code("1/0")
        self.run_code("import time\nt = time.time()\nwhile time.time() - t < 0.3: pass")
        self.run_code("while True: pass", timeout_seconds=1)
        self.run_code("import os")
        self.run_code("import os, sys")  # one program, whatever it breaks
        self.run_code("print('a'")
        after, _ = self.read()
        for name, labels, count in (
                ("lectern_run_attempts_total", {}, 6), ("lectern_runs_total", {"ended": "ok"}, 4),
                ("lectern_runs_total", {"ended": "runtime"}, 1), ("lectern_runs_total", {"ended": "timeout"}, 1),
                ("lectern_runs_total", {"ended": "engine"}, 0), ("lectern_runs_turned_away_total", {}, 0),
                ("lectern_run_seconds_count", {}, 6), ("lectern_run_waiting_seconds_count", {}, 6),
                ("lectern_validator_refusals_total", {"rule": "import-not-allowed"}, 2),
                ("lectern_validator_refusals_total", {"rule": "syntax"}, 1),
                ("lectern_validator_disagreements_total", {}, 0)):
            self.assertEqual(self.moved(before, after, name, **labels), count, (name, labels))
        self.assertEqual((after["lectern_runs_queued", ()], after["lectern_runs_running", ()]), (0, 0))
        ended = {dict(labels)["ended"]: count for (name, labels), count in after.items() if name == "lectern_runs_total"}
        self.assertAlmostEqual(after["lectern_runs_success_ratio", ()], ended["ok"] / sum(ended.values()), 6)
        # How long the others take is the machine's matter: one takes at least 0.3 s, and one its whole second.
        self.assertLessEqual(self.moved(before, after, "lectern_run_seconds_bucket", le="0.1"), 4)
        self.assertLessEqual(self.moved(before, after, "lectern_run_seconds_bucket", le="0.5"), 5)
        self.assertEqual(self.moved(before, after, "lectern_run_seconds_bucket", le="+Inf"), 6)
        self.assertGreaterEqual(self.moved(before, after, "lectern_run_seconds_sum"), 1.25)

    def test_histograms_are_cumulative(self):
        self.run_code("print(1)")
        samples, families = self.read()
        for name in ("lectern_run_seconds", "lectern_run_waiting_seconds"):
            buckets = [(float(sample.labels["le"]), sample.value) for sample in families[name].samples
                       if sample.name.endswith("_bucket")]
            self.assertEqual(buckets, sorted(buckets))
            self.assertEqual([count for _, count in buckets], sorted(count for _, count in buckets))
            self.assertTrue(math.isinf(buckets[-1][0]))
            self.assertEqual(buckets[-1][1], samples[name + "_count", ()])

    def test_sandboxes(self):
        def depth(samples, kind, state):
            return samples["lectern_sandboxes", (("kind", kind), ("state", state))]

        limit = time.monotonic() + SETTLE_SECONDS
        while True:
            before, _ = self.read()
            if depth(before, "bare", "ready") >= depth(before, "bare", "wanted") > 0:
                break
            self.assertLess(time.monotonic(), limit, before)
            time.sleep(0.1)
        kinds = {dict(labels)["kind"] for name, labels in before if name == "lectern_sandboxes"}
        self.assertLessEqual({"bare", "data"}, kinds)
        for kind in kinds:
            for state in ("ready", "starting", "busy", "wanted"):
                self.assertGreaterEqual(depth(before, kind, state), 0)
        for _ in range(3):
            self.run_code("print(1)")
        limit = time.monotonic() + SETTLE_SECONDS
        while True:  # each run has used one up, and each is replaced
            after, _ = self.read()
            if self.moved(before, after, "lectern_sandboxes_started_total", kind="bare") >= 3:
                break
            self.assertLess(time.monotonic(), limit, after)
            time.sleep(0.1)
        self.assertEqual(self.moved(before, after, "lectern_sandboxes_failed_total", kind="bare"), 0)
        self.assertEqual(self.moved(before, after, "lectern_sandboxes_lost_total", kind="bare"), 0)

    def test_without_an_executor(self):
        server = harness.Server(self.workspace, "--sandbox", "docker", "--docker-host", "unix:///no/such/socket")
        text = server.http("GET", "/metrics")[1].decode()
        samples = {sample.name: sample.value for family in text_string_to_metric_families(text)
                   for sample in family.samples}
        self.assertEqual(samples["lectern_run_attempts_total"], 0)
        self.assertNotEqual(samples["lectern_runs_success_ratio"], samples["lectern_runs_success_ratio"])  # not a number
        self.assertEqual(server.close(), 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
