# SPDX-License-Identifier: GPL-3.0-or-later
"""The answers of graph queries compared with networkx: the words are parsed, so a wrong word is a wrong answer.

Hundreds of random curricula with every kind of defect (missing ends, loops, duplicates, cycles, odd titles), and the shared ones.
LECTERN_SEED selects other random ones, LECTERN_GRAPHS their number; a failure prints the seed of its graph.
"""
import json
import math
import os
import random
import re
import subprocess
import unittest

import networkx as nx

import harness

DRIVER = harness.BUILD / "tests" / "graph_driver"
SEED = int(os.environ.get("LECTERN_SEED", "20261121"))
GRAPHS = int(os.environ.get("LECTERN_GRAPHS", "300"))
TYPES = ["PREREQUISITE", "PREREQUISITE_FOR", "LEADS_TO", "ENRICHMENT", "SEE_ALSO"]
LIMIT = 500

LABEL = r'(\S+) (?:"[^"]*"|\(no title\))'
ROW = re.compile(LABEL + r"(.*)$")
MORE = re.compile(r"… and (\d+) more \(")


class Driver:
    """The library behind a pipe."""

    def __init__(self):
        self.process = subprocess.Popen([str(DRIVER)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def send(self, line):
        self.process.stdin.write(json.dumps(line).encode() + b"\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def load(self, curriculum):
        answer = self.send({"nodes": curriculum["nodes"], "relationships": curriculum["relationships"]})
        assert "error" not in answer, answer

    def ask(self, query, **arguments):
        answer = self.send({"query": query, "limit": LIMIT, **arguments})
        assert "error" not in answer, (query, arguments, answer)
        return answer["text"].splitlines()

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        return self.process.wait(timeout=60)


class Rows:
    """A list of an answer: the ids at the start of each row, what stands behind them, and how many rows were cut."""

    def __init__(self, lines):
        self.ids, self.rests, self.cut = [], [], 0
        for line in lines:
            more = MORE.match(line)
            row = ROW.match(line)
            if more:
                self.cut = int(more[1])
                break
            if not row:
                break
            self.ids.append(row[1])
            self.rests.append(row[2].strip())


class Oracle:
    """One curriculum as networkx sees it."""

    def __init__(self, curriculum):
        self.ids = list(dict.fromkeys(node["node_id"] for node in curriculum["nodes"]))
        self.place = {node: i for i, node in enumerate(self.ids)}
        self.edges = [(r["from_node_id"], r["to_node_id"], r["relationship_type"]) for r in curriculum["relationships"]]

    def followed(self, follows):
        """The types that are followed here: what is needed follows LEADS_TO where there is no prerequisite."""
        if follows is is_prerequisite and not any(is_prerequisite(kind) for _, _, kind in self.edges):
            return lambda kind: kind == "LEADS_TO"
        return follows

    def graph(self, follows):
        follows = self.followed(follows)
        graph = nx.DiGraph()
        graph.add_nodes_from(self.ids)
        graph.add_edges_from((a, b) for a, b, t in self.edges
                             if follows(t) and a in self.place and b in self.place and a != b)
        return graph

    def left_out(self, follows):
        """(edges, strays, loops, parallel) as the last line has to give them."""
        follows = self.followed(follows)
        ours = [(a, b) for a, b, t in self.edges if follows(t)]
        strays = [e for e in ours if e[0] not in self.place or e[1] not in self.place]
        loops = [e for e in ours if e[0] in self.place and e[0] == e[1]]
        whole = [e for e in ours if e[0] in self.place and e[1] in self.place and e[0] != e[1]]
        return len(set(whole)), len(strays), len(loops), len(whole) - len(set(whole))


def is_prerequisite(kind):
    return "PREREQUISITE" in kind


def is_path(kind):
    return is_prerequisite(kind) or kind == "LEADS_TO"


def is_any(_):
    return True


def random_curriculum(rng):
    count = rng.choice([0, 1, 2, 3, 5, 8, 13, 21, 34])
    ids = ["n%d" % i for i in range(count)]
    rng.shuffle(ids)
    letters = "ab \"\\\n\t→é\u202e(->),:"
    nodes = [{"node_id": node, "title": "".join(rng.choice(letters) for _ in range(rng.randrange(9))),
              "chapter": rng.choice(["one", "two", "three", None])} for node in ids]
    if count and rng.random() < 0.2:
        nodes.append(dict(rng.choice(nodes), title="again"))
    acyclic = rng.random() < 0.5
    wanted = rng.randrange(0, 1 + count * rng.choice([1, 2, 4]))
    kinds = rng.sample(TYPES, rng.randrange(1, len(TYPES) + 1))
    order = sorted(ids)
    edges = []
    for _ in range(wanted):
        a, b = rng.randrange(count), rng.randrange(count)
        if acyclic and a > b:
            a, b = b, a
        edges.append((order[a], order[b], rng.choice(kinds)))
        if a == b and rng.random() < 0.7:
            edges.pop()
    if edges and rng.random() < 0.3:
        edges += rng.sample(edges, rng.randrange(1, 1 + len(edges)))
    if count and rng.random() < 0.3:
        edges += [(rng.choice(ids), "gone", kinds[0]), ("gone", rng.choice(ids), kinds[0]), ("gone", "lost", kinds[-1])]
    rng.shuffle(edges)
    return {"nodes": nodes, "relationships": [
        {"from_node_id": a, "to_node_id": b, "relationship_type": t} for a, b, t in edges]}


def shortest_cycle(graph, group):
    part = graph.subgraph(group)
    best = math.inf
    for node in group:
        distance = nx.single_source_shortest_path_length(part, node)
        best = min([best] + [distance[p] + 1 for p in part.predecessors(node) if p in distance])
    return best


def taught(whole, place):
    """The nodes of a condensed graph of prerequisites in teaching order: in the curriculum's own order, where what a lesson needs and was
    not taught yet comes right before it."""
    first = {group: min(map(place.get, whole.nodes[group]["members"])) for group in whole}
    found = []

    def teach(group):
        if group not in found:
            for needed in sorted(whole.predecessors(group), key=first.get):
                teach(needed)
            found.append(group)

    for group in sorted(whole, key=first.get):
        teach(group)
    return [sorted(whole.nodes[group]["members"], key=place.get) for group in found]


class Checks:
    """Every query of one curriculum."""

    def __init__(self, test, driver, curriculum, rng):
        self.test, self.driver, self.rng = test, driver, rng
        self.oracle = Oracle(curriculum)
        self.needs = self.oracle.graph(is_prerequisite)
        self.ways = self.oracle.graph(is_path)
        self.all = self.oracle.graph(is_any)
        self.whole = nx.condensation(self.needs) if self.oracle.ids else nx.DiGraph()
        self.member = self.whole.graph.get("mapping", {})
        driver.load(curriculum)

    def same(self, rows, expected, ordered=False):
        """The rows are the expected ones, or as many of them as the limit and the cap let through."""
        expected = list(expected)
        self.test.assertEqual(len(rows.ids) + rows.cut, len(expected))
        self.test.assertEqual(len(rows.ids), len(set(rows.ids)))
        if ordered:
            self.test.assertEqual(rows.ids, expected[:len(rows.ids)])
        else:
            self.test.assertLessEqual(set(rows.ids), set(expected))

    def scope(self, line, follows):
        edges, strays, loops, parallel = self.oracle.left_out(follows)
        kinds = {t for _, _, t in self.oracle.edges if self.oracle.followed(follows)(t)}
        others = {t for _, _, t in self.oracle.edges} - kinds
        expected = "Over %s: %d edge%s." % (", ".join(sorted(kinds)) or "no type (none of those that count here occurs)",
                                            edges, "" if edges == 1 else "s")
        parts = [(strays, "with a missing end"), (loops, "from a node to itself"), (parallel, "parallel to another")]
        parts = ["%d %s" % part for part in parts if part[0]]
        if parts:
            expected += " Left out: %s." % ", ".join(parts)
        if others:
            every = [t for _, _, t in self.oracle.edges]
            expected += " Not followed: %s." % ", ".join("%s (%d)" % (t, every.count(t)) for t in sorted(others))
        self.test.assertEqual(line, expected)

    def ask(self, query, follows, **arguments):
        lines = self.driver.ask(query, **arguments)
        self.scope(lines[-1], follows)
        return lines

    def some(self, most):
        return self.rng.sample(self.oracle.ids, min(most, len(self.oracle.ids)))

    # ---- the queries ----

    def counts(self):
        lines = self.driver.ask("counts")
        pieces = list(nx.weakly_connected_components(self.all))
        line = next(l for l in lines if re.match(r"\d+ pieces?", l))
        found = re.match(r"(\d+) pieces?(?:, the largest of (\d+) nodes)?; (\d+) isolated\. ", line)
        self.test.assertEqual(int(found[1]), len(pieces))
        if found[2]:
            self.test.assertEqual(int(found[2]), max(map(len, pieces)))
        self.test.assertEqual(int(found[3]), sum(len(p) == 1 for p in pieces))
        self.scope(line[found.end():], is_any)
        self.test.assertTrue(lines[0].startswith("%d node" % len(self.oracle.ids)))
        cyclic = [c for c in nx.strongly_connected_components(self.needs) if len(c) > 1]
        words = ("%d cycle group%s of %d nodes in all" % (len(cyclic), "" if len(cyclic) == 1 else "s", sum(map(len, cyclic)))
                 if cyclic else "no cycle")
        self.test.assertIn(", %s, " % words, lines[-1])

    def outline(self):
        lines = self.ask("outline", is_any)
        listed = [i for line in lines[1:-1] for i in re.findall(LABEL, line.split("component", 1)[1])]
        if len(self.oracle.ids) <= 40:
            self.test.assertEqual(sorted(listed), sorted(self.oracle.ids))

    def ends(self):
        for query, degree in ("starting_points", self.needs.in_degree), ("end_points", self.needs.out_degree):
            rows = Rows(self.ask(query, is_prerequisite)[1:])
            self.same(rows, [n for n in self.oracle.ids if degree(n) == 0], ordered=True)
            for node, rest in zip(rows.ids, rows.rests):
                self.test.assertEqual(rest, "(isolated)" if self.needs.degree(node) == 0 else "")

    def reach(self):
        for node in self.some(5):
            for query, graph in ("needs", self.needs.reverse()), ("needed_by", self.needs):
                distance = nx.single_source_shortest_path_length(graph, node)
                del distance[node]
                rows = Rows(self.ask(query, is_prerequisite, node=node)[1:])
                self.same(rows, distance)
                self.test.assertEqual([int(r) for r in rows.rests], [distance[i] for i in rows.ids])
                self.teaching_order(rows.ids)

    def teaching_order(self, ids):
        at = {node: i for i, node in enumerate(ids)}
        for a, b in self.needs.subgraph(ids).edges:
            if self.member[a] != self.member[b]:
                self.test.assertLess(at[a], at[b])

    def common(self):
        if len(self.oracle.ids) < 2:
            return
        for _ in range(3):
            a, b = self.some(2)
            of_a, of_b = nx.ancestors(self.needs, a), nx.ancestors(self.needs, b)
            lines = self.ask("common_needs", is_prerequisite, **{"from": a, "to": b})
            numbers = re.search(r" needs (\d+), .* needs (\d+); (\d+) in common", lines[0])
            self.test.assertEqual([int(i) for i in numbers.groups()], [len(of_a), len(of_b), len(of_a & of_b)])
            self.same(Rows(lines[1:]), of_a & of_b)

    def order(self):
        lines = self.ask("order", is_prerequisite)
        cyclic = [c for c in nx.strongly_connected_components(self.needs) if len(c) > 1]
        rows = Rows(lines[2 if cyclic else 1:])
        expected = [node for group in taught(self.whole, self.oracle.place) for node in group]
        self.same(rows, expected, ordered=True)
        self.teaching_order(rows.ids)
        marked = {n for n, rest in zip(rows.ids, rows.rests) if rest.startswith("(cycle ")}
        self.test.assertEqual(marked, set().union(*cyclic) & set(rows.ids))

    def levels(self):
        lines = self.ask("levels", is_prerequisite)
        generations = [[n for c in g for n in self.whole.nodes[c]["members"]] for g in nx.topological_generations(self.whole)]
        found = [re.match(r"level (\d+), (\d+) nodes?: ", l) for l in lines if l.startswith("level ")]
        self.test.assertEqual([(int(f[1]), int(f[2])) for f in found], [(i, len(g)) for i, g in enumerate(generations)])
        for level, nodes in list(enumerate(generations))[:4]:
            line = self.ask("levels", is_prerequisite, node=self.rng.choice(nodes))[0]
            self.test.assertIn(" is on level %d of 0 to %d " % (level, len(generations) - 1), line)

    def chain(self):
        lines = self.ask("longest_chain", is_prerequisite)
        if not self.oracle.ids:
            return
        steps = int(re.match(r"The longest chain: (\d+) steps?,", lines[0])[1])
        self.test.assertEqual(steps, nx.dag_longest_path_length(self.whole))
        rows = [re.match(r"(?:cycle of \d+: )?" + LABEL, l)[1] for l in lines[1:-1] if "need one another" not in l]
        self.test.assertEqual(len(rows), steps + 1)
        for a, b in zip(rows, rows[1:]):
            self.test.assertTrue(self.whole.has_edge(self.member[a], self.member[b]))

    def cycles(self):
        lines = self.ask("cycles", is_prerequisite)
        groups = []
        for line, after in zip(lines, lines[1:]):
            found = re.match(r"\d+\. (\d+) nodes; a shortest cycle of (\d+): (.*)$", line)
            if not found:
                continue
            cycle = re.findall(LABEL, found[3])
            also = re.findall(LABEL, after) if after.startswith("  also: ") else []
            self.test.assertEqual(int(found[2]), len(cycle) - 1)
            self.test.assertEqual(cycle[0], cycle[-1])
            for a, b in zip(cycle, cycle[1:]):
                self.test.assertTrue(self.needs.has_edge(a, b))
            groups.append(frozenset(cycle) | frozenset(also))
            self.test.assertEqual(int(found[1]), len(groups[-1]))
            self.test.assertEqual(int(found[2]), shortest_cycle(self.needs, groups[-1]))
        expected = {frozenset(c) for c in nx.strongly_connected_components(self.needs) if len(c) > 1}
        self.test.assertEqual(set(groups), expected)
        loops = {a for a, b, t in self.oracle.edges if a == b and a in self.oracle.place and self.oracle.followed(is_prerequisite)(t)}
        at = [i for i, line in enumerate(lines) if " with an edge to " in line]
        self.same(Rows(lines[at[0] + 1:] if at else []), loops)

    def bottlenecks(self):
        lines = self.ask("bottlenecks", is_path)
        expected = nx.betweenness_centrality(self.ways, normalized=True)
        rows = Rows(lines[1:])
        self.same(rows, [n for n, value in expected.items() if value > 0])
        values = [float(rest) for rest in rows.rests]
        for node, value in zip(rows.ids, values):
            self.test.assertAlmostEqual(value, expected[node], delta=1e-9)
        self.test.assertEqual(values, sorted(values, reverse=True))

    def hubs(self):
        lines = self.ask("hubs", is_prerequisite)
        second = next(i for i, line in enumerate(lines) if line.startswith("With the most"))
        for part, degree in (lines[1:second], self.needs.out_degree), (lines[second + 1:], self.needs.in_degree):
            rows = Rows(part)
            ranked = sorted((n for n in self.oracle.ids if degree(n)), key=lambda n: (-degree(n), self.oracle.place[n]))
            self.same(rows, ranked, ordered=True)
            self.test.assertEqual([int(r) for r in rows.rests], [degree(n) for n in rows.ids])

    def unlocks(self):
        rows = Rows(self.ask("unlocks", is_prerequisite)[1:])
        reach = {n: len(nx.descendants(self.needs, n)) for n in self.oracle.ids}
        ranked = sorted((n for n in self.oracle.ids if reach[n]), key=lambda n: (-reach[n], self.oracle.place[n]))
        self.same(rows, ranked, ordered=True)
        self.test.assertEqual([int(r) for r in rows.rests], [reach[n] for n in rows.ids])

    def redundant(self):
        lines = self.ask("redundant", is_prerequisite)
        kept = nx.transitive_reduction(self.whole) if self.oracle.ids else self.whole
        expected = {(a, b) for a, b in self.needs.edges if self.member[a] != self.member[b]
                    and not kept.has_edge(self.member[a], self.member[b])}
        found = [re.match(LABEL + " -> " + LABEL + r" \(also through " + LABEL + r"\)$", line) for line in lines]
        found = [f.groups() for f in found if f]
        cut = sum(int(m[1]) for m in map(MORE.match, lines) if m)
        self.test.assertEqual(int(lines[0].split()[0]), len(expected))
        self.test.assertEqual(len(found) + cut, len(expected))
        self.test.assertLessEqual({f[:2] for f in found}, expected)
        for a, b, between in found:
            self.test.assertEqual(len({self.member[a], self.member[b], self.member[between]}), 3)
            self.test.assertTrue(nx.has_path(self.needs, a, between) and nx.has_path(self.needs, between, b))

    def unreachable(self):
        lines = self.ask("unreachable", is_path)
        starts = [n for n in self.oracle.ids if self.ways.in_degree(n) == 0]
        reached = set(starts).union(*(nx.descendants(self.ways, n) for n in starts))
        self.same(Rows(lines[1:]), [n for n in self.oracle.ids if n not in reached], ordered=True)
        at = next(i for i, line in enumerate(lines) if re.match(r"\d+ isolated node", line))
        self.same(Rows(lines[at + 1:]), [n for n in self.oracle.ids if self.ways.degree(n) == 0], ordered=True)
        for node in self.some(3):
            rows = Rows(self.ask("unreachable", is_any, node=node, types=["all"])[1:])
            reached = nx.descendants(self.all, node) | {node}
            self.same(rows, [n for n in self.oracle.ids if n not in reached], ordered=True)

    def paths(self):
        for _ in range(6 if len(self.oracle.ids) > 1 else 0):
            a, b = self.some(2)
            lines = self.ask("path", is_path, **{"from": a, "to": b})
            if not nx.has_path(self.ways, a, b):
                self.test.assertTrue(lines[0].startswith("No path from %s " % a))
                self.test.assertEqual(any(l.startswith("The other way round") for l in lines), nx.has_path(self.ways, b, a))
                self.test.assertEqual(any(l.startswith("Over all types there") for l in lines), nx.has_path(self.all, a, b))
                continue
            steps = int(re.search(r": (\d+) steps?\.$", lines[0])[1])
            path = [re.match(r"(?:-> )?" + LABEL, line)[1] for line in lines[1:-1]]
            self.test.assertEqual(steps, nx.shortest_path_length(self.ways, a, b))
            self.test.assertEqual((path[0], path[-1], len(path)), (a, b, steps + 1))
            for x, y, line in zip(path, path[1:], lines[2:]):
                self.test.assertTrue(self.ways.has_edge(x, y))
                kinds = sorted({t for p, q, t in self.oracle.edges if (p, q) == (x, y) and is_path(t)})
                self.test.assertTrue(line.endswith(" (%s)" % ", ".join(kinds)), line)

    def neighbours(self):
        for node in self.some(3):
            lines = self.ask("neighbours", is_any, node=node)
            after = next(i for i, line in enumerate(lines) if re.match(r"Directly after it: \d+$", line))
            self.same(Rows(lines[2:after]), self.all.predecessors(node))
            self.same(Rows(lines[after + 1:]), self.all.successors(node))

    def every(self):
        for check in (self.counts, self.outline, self.ends, self.reach, self.common, self.order, self.levels, self.chain,
                      self.cycles, self.bottlenecks, self.hubs, self.unlocks, self.redundant, self.unreachable, self.paths,
                      self.neighbours):
            with self.test.subTest(query=check.__name__):
                check()


class GraphOracle(unittest.TestCase):
    def setUp(self):
        self.driver = Driver()

    def tearDown(self):
        self.assertEqual(self.driver.close(), 0)

    def test_random_curricula(self):
        print("seeds %d to %d" % (SEED, SEED + GRAPHS - 1))
        for seed in range(SEED, SEED + GRAPHS):
            with self.subTest(seed=seed):
                rng = random.Random(seed)
                Checks(self, self.driver, random_curriculum(rng), rng).every()

    def test_same_input_same_answer(self):
        curriculum = random_curriculum(random.Random(SEED))
        shuffled = dict(curriculum, relationships=curriculum["relationships"][::-1])
        answers = []
        for one in curriculum, shuffled, curriculum:
            self.driver.load(one)
            answers.append([self.driver.ask(q) for q in ("order", "cycles", "bottlenecks", "redundant", "longest_chain")])
        self.assertEqual(answers[0], answers[1])
        self.assertEqual(answers[0], answers[2])

    def check_shared(self, name):
        with open(harness.shared("data", name + ".json"), encoding="utf-8") as file:
            curriculum = json.load(file)
        Checks(self, self.driver, curriculum, random.Random(SEED)).every()

    def test_fractions(self):
        self.check_shared("fractions")

    def test_exercism_python(self):
        self.check_shared("exercism_python")

    def test_openstax_algebra(self):
        self.check_shared("openstax_algebra")


if __name__ == "__main__":
    unittest.main(verbosity=2)
