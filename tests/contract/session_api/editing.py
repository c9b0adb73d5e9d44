# SPDX-License-Identifier: GPL-3.0-or-later
"""Editing by many: ETags, calls that are repeated, races."""
import threading
import uuid

import harness

from .target import Case, paragraph

LISTS = ("~/nodes", "~/relationships", "~/positions", "~/nodes/N001/content", "~/nodes/N001/components")
# A write, and where its 412 reads the state from.
WRITES = [
    ("POST", "~/nodes", {"node_id": "N003", "title": "Three"}, "~/nodes"),
    ("PUT", "~/nodes/N001", {"title": "Eins"}, "~/nodes"),
    ("POST", "~/relationships", {"from_node_id": "N001", "to_node_id": "N002"}, "~/relationships"),
    ("PUT", "~/positions", {"positions": {"N001": {"x": 5, "y": 6}}}, "~/positions"),
    ("POST", "~/nodes/N001/content", {"explanation": "E"}, "~/nodes/N001/content"),
    ("POST", "~/nodes/N001/components/insert", paragraph("in"), "~/nodes/N001/components"),
    ("POST", "~/nodes/N001/components/reorder", [2, 1, 3], "~/nodes/N001/components"),
    ("PUT", "~/nodes/N001/components/1", paragraph("new"), "~/nodes/N001/components"),
    ("DELETE", "~/nodes/N001/components/1", None, "~/nodes/N001/components"),
    ("PUT", "~/nodes/N001/auto-save", {"components": [paragraph("auto"), paragraph("save")]}, "~/nodes/N001/components"),
    ("POST", "~/nodes/N001/components", {"components": [paragraph("whole")]}, "~/nodes/N001/components"),
    ("DELETE", "~/nodes/N002", None, "~/nodes"),
]


class ETags(Case):
    def setUp(self):
        super().setUp()
        self.paragraphs("N001", "a", "b")

    def test_every_list_has_one_that_stays(self):
        for path in LISTS:
            with self.subTest(path=path):
                self.assertEqual(self.tag(path), self.tag(path))

    def test_a_write_changes_it(self):
        for method, path, body, shown in WRITES:
            with self.subTest(method=method, path=path):
                before = self.tag(shown)
                self.good(method, path, body)
                self.assertNotEqual(self.tag(shown), before)

    def test_not_modified(self):
        for path in LISTS:
            with self.subTest(path=path):
                tag = self.tag(path)
                for given in (tag, '"other", ' + tag, "*"):
                    status, body, headers = self.ask("GET", path, If_None_Match=given)
                    self.assertEqual((status, body, headers["ETag"]), (304, b"", tag), given)
                self.assertEqual(self.ask("GET", path, If_None_Match='"other"')[0], 200)

    def test_a_write_that_comes_too_late_is_412_with_what_is_there(self):
        for method, path, body, shown in WRITES:
            with self.subTest(method=method, path=path):
                old = self.tag(shown)
                self.good("POST", "~/nodes/N001/components/insert", paragraph("meanwhile"))
                now = self.good("GET", shown)
                status, answer, headers = self.ask(method, path, body, If_Match=old)
                self.assertEqual((status, answer["current"]), (412, now))
                self.assertIsInstance(answer["detail"], str)
                self.assertEqual(headers["ETag"], self.tag(shown))
                self.assertEqual(self.good("GET", shown), now)

    def test_a_write_in_time(self):
        for method, path, body, shown in WRITES:
            with self.subTest(method=method, path=path):
                self.good(method, path, body, If_Match=self.tag(shown))

    def test_any_and_one_of_several(self):
        self.good("POST", "~/nodes/N001/components/insert", paragraph("c"), If_Match="*")
        tag = self.tag("~/nodes/N001/components")
        self.good("POST", "~/nodes/N001/components/insert", paragraph("d"), If_Match='"other", ' + tag)
        for given in ("nonsense", '""', "W/" + self.tag("~/nodes/N001/components"), '"other", "another"'):
            with self.subTest(given=given):
                self.assertEqual(self.ask("POST", "~/nodes/N001/components/insert", paragraph("e"), If_Match=given)[0], 412)
        self.assertEqual(self.texts("N001"), ["a", "b", "c", "d"])

    def test_a_sequence_does_not_mind_other_nodes(self):
        tag = self.tag("~/nodes/N001/components")
        self.paragraphs("N002", "x")
        self.assertEqual(self.tag("~/nodes/N001/components"), tag)
        self.good("DELETE", "~/nodes/N001/components/1", If_Match=tag)

    def test_it_never_comes_again(self):
        seen = set()
        for _ in range(3):
            tag = self.tag("~/nodes/N001/components")
            self.assertNotIn(tag, seen)
            seen.add(tag)
            self.good("DELETE", "~/nodes/N001")
            self.good("POST", "~/nodes", {"node_id": "N001", "title": "One"})

    def test_of_two_with_the_same_tag_one_wins(self):
        tag = self.tag("~/nodes/N001/components")
        statuses = []

        def save(text):
            client = harness.Client(self.port)
            statuses.append(client.http("POST", "/session/%s/nodes/N001/components" % self.sid,
                                        {"components": [paragraph(text)]}, If_Match=tag)[0])
            client.connection.close()

        together([lambda text="w%d" % number: save(text) for number in range(6)])
        self.assertEqual(sorted(statuses), [200] + [412] * 5)
        self.assertEqual(len(self.texts("N001")), 1)


class Revisions(Case):
    def test_a_stale_one_is_refused_with_the_current_text(self):
        self.need("revisions")
        self.paragraphs("N001", "a", "b")
        path = "~/nodes/N001/components/2"
        revision = self.good("GET", "~/nodes/N001/components")["components"][1]["revision"]
        self.good("PUT", path, {**paragraph("in time", 2), "expected_revision": revision})
        self.assertIn("in time", self.bad(409, "PUT", path, {**paragraph("late", 2), "expected_revision": revision}))
        for wrong in (0, -1, "1", 1.5, []):
            with self.subTest(wrong=wrong):
                self.assertEqual(self.places("PUT", path, {**paragraph("x", 2), "expected_revision": wrong}),
                                 {"expected_revision"})
        component = self.good("GET", "~/nodes/N001/components")["components"][1]
        self.assertEqual(component["parameters"]["text"], "in time")
        self.assertNotIn("expected_revision", component)


class Races(Case):
    def clients(self, count, work):
        """work(client, number) by that many at once; a failure of any fails the test."""
        failures = []

        def one(number):
            client = harness.Client(self.port)
            try:
                work(client, number)
            except BaseException as failure:    # the thread's own, told in the test's thread
                failures.append(failure)
            client.connection.close()

        together([lambda number=number: one(number) for number in range(count)])
        if failures:
            raise failures[0]

    def test_inserts_at_once_lose_none(self):
        def insert(client, number):
            for turn in range(10):
                status, answer, _ = client.http("POST", "/session/%s/nodes/N001/components/insert" % self.sid,
                                                {**paragraph("%d.%d" % (number, turn)), "position": 1})
                self.assertEqual(status, 200, answer)

        self.clients(6, insert)
        texts = self.texts("N001")
        self.assertEqual(sorted(texts), sorted("%d.%d" % (number, turn) for number in range(6) for turn in range(10)))
        for number in range(6):     # each client's own come in its order, newest first
            self.assertEqual([text for text in texts if text.startswith("%d." % number)],
                             ["%d.%d" % (number, turn) for turn in reversed(range(10))])

    def test_the_same_node_at_once_is_made_once(self):
        statuses = []
        self.clients(6, lambda client, number: statuses.append(
            client.http("POST", "/session/%s/nodes" % self.sid, {"node_id": "N003", "title": str(number)})[0]))
        self.assertEqual(sorted(statuses), [200] + [409] * 5)

    def test_the_same_relationship_at_once_is_made_once(self):
        statuses = []
        self.clients(6, lambda client, number: statuses.append(
            client.http("POST", "/session/%s/relationships" % self.sid, {"from_node_id": "N001", "to_node_id": "N002"})[0]))
        self.assertEqual(sorted(statuses), [200] + [409] * 5)
        self.assertEqual(len(self.relationships()), 1)

    def test_deletes_at_once(self):
        self.paragraphs("N001", *map(str, range(20)))
        self.clients(5, lambda client, number: [
            client.http("DELETE", "/session/%s/nodes/N001/components/1" % self.sid) for _ in range(3)])
        self.assertEqual(self.texts("N001"), list(map(str, range(15, 20))))


class Repeats(Case):
    """Idempotency-Key: the same call again is done once."""

    def setUp(self):
        super().setUp()
        self.need("idempotency")
        self.key = "key-" + str(uuid.uuid4())

    def test_a_repeat_has_the_first_answer(self):
        for method, path, body, _ in WRITES[:6]:
            with self.subTest(path=path):
                key = str(uuid.uuid4())
                first = self.ask(method, path, body, Idempotency_Key=key)
                again = self.ask(method, path, body, Idempotency_Key=key)
                self.assertEqual((first[0], first[1]), (again[0], again[1]))
                self.assertEqual(first[0], 200, first[1])
        self.assertEqual(self.texts("N001"), ["in"])
        self.assertEqual(self.good("GET", "~/nodes")["total"], 3)

    def test_a_session_is_made_once(self):
        first = self.good("POST", "/session/create", {}, Idempotency_Key=self.key)
        self.assertEqual(self.good("POST", "/session/create", {}, Idempotency_Key=self.key), first)

    def test_another_call_with_the_same_key_is_refused(self):
        self.good("POST", "~/nodes/N001/components/insert", paragraph("a"), Idempotency_Key=self.key)
        for path, body in (("~/nodes/N001/components/insert", paragraph("b")), ("~/nodes/N002/components/insert", paragraph("a"))):
            self.bad(409, "POST", path, body, Idempotency_Key=self.key)
        self.assertEqual(self.texts("N001"), ["a"])

    def test_at_once(self):
        answers = []

        def insert():
            client = harness.Client(self.port)
            answers.append(client.http("POST", "/session/%s/nodes/N001/components/insert" % self.sid, paragraph("a"),
                                       Idempotency_Key=self.key)[:2])
            client.connection.close()

        together([insert] * 5)
        self.assertEqual(answers, [answers[0]] * 5)
        self.assertEqual(answers[0][0], 200)
        self.assertEqual(self.texts("N001"), ["a"])

    def test_a_refusal_can_be_mended(self):
        self.bad(422, "POST", "~/nodes/N001/components/insert", {}, Idempotency_Key=self.key)
        self.assertEqual(self.texts("N001"), [])


def together(tasks):
    threads = [threading.Thread(target=task) for task in tasks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
