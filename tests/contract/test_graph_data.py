# SPDX-License-Identifier: GPL-3.0-or-later
"""The answers of graph queries as data, complete and member by member, compared with networkx, on the same random and shared curricula as
test_graph_oracle.py, which parses the answers in words."""
import json
import random
import unittest

import networkx as nx

import harness
import test_graph_oracle as words

LIMIT = 3  # rows, in every other question


class DataChecks(words.Checks):
    """Every query of one curriculum; each answer whole, and again cut by a limit."""

    def ask(self, query, follows, **arguments):
        answer = self.driver.send({"query": query, "data": True, **arguments})
        self.test.assertNotIn("error", answer)
        data = answer["data"]
        self.test.assertEqual((data["query"], data["cut"], data["full"]), (query, 0, False))
        self.scope(data["over"], follows)
        self.limited(query, arguments, data)
        return data

    def limited(self, query, arguments, whole):
        """The same, but that each list ends at the limit, and that what is missing is counted."""
        data = self.driver.send({"query": query, "data": True, "limit": LIMIT, **arguments})["data"]
        lists = [key for key in whole if isinstance(whole[key], list)]
        for key in whole:
            if key in lists and not (query == "path" and key == "types"):
                self.test.assertEqual(data[key], whole[key][:LIMIT])
        self.test.assertEqual(data["cut"], sum(max(0, len(whole[key]) - LIMIT) for key in lists))

    def scope(self, over, follows):
        edges, strays, loops, parallel = self.oracle.left_out(follows)
        follows = self.oracle.followed(follows)
        every = [t for _, _, t in self.oracle.edges]
        self.test.assertEqual(over, {
            "types": sorted({t for t in every if follows(t)}), "edges": edges,
            "left_out": {"missing_end": strays, "to_itself": loops, "parallel": parallel},
            "not_followed": {t: every.count(t) for t in every if not follows(t)}})

    def equal(self, data, **members):
        self.test.assertEqual({key: data[key] for key in members}, members)

    # ---- the queries ----

    def cyclic(self):
        return [c for c in nx.strongly_connected_components(self.needs) if len(c) > 1]

    def counts(self):
        pieces = [len(p) for p in nx.weakly_connected_components(self.all)]
        edges, ids = self.oracle.edges, self.oracle.place
        data = self.ask("counts", words.is_any)
        self.equal(data, nodes=len(ids), relationships=len(edges), pieces=len(pieces), largest_piece=max(pieces, default=0),
                   isolated=pieces.count(1), to_itself=sum(a == b and a in ids for a, b, _ in edges))
        self.test.assertEqual({row["relationship_type"]: row["count"] for row in data["by_type"]},
                              {t: sum(t == u for _, _, u in edges) for _, _, t in edges})
        self.test.assertEqual([(r["from_node_id"], r["to_node_id"], r["relationship_type"]) for r in data["missing_end"]],
                              [e for e in edges if e[0] not in ids or e[1] not in ids])
        needs = data["prerequisites"]
        self.scope(needs["over"], words.is_prerequisite)
        self.equal(needs, starting_points=sum(d == 0 for _, d in self.needs.in_degree),
                   end_points=sum(d == 0 for _, d in self.needs.out_degree), cycle_groups=len(self.cyclic()),
                   nodes_in_cycles=sum(map(len, self.cyclic())),
                   levels=len(list(nx.topological_generations(self.whole))))

    def outline(self):
        data = self.ask("outline", words.is_any)
        self.equal(data, node_count=len(self.oracle.ids))
        listed = [node["node_id"] for group in data["groups"] for node in group["nodes"]]
        self.test.assertEqual(sorted(listed), sorted(self.oracle.ids))
        for node in self.some(1):
            own = [g for g in data["groups"] if node in [n["node_id"] for n in g["nodes"]]]
            self.test.assertEqual(self.ask("outline", words.is_any, node=node)["groups"], own)

    def ends(self):
        for query, degree in ("starting_points", self.needs.in_degree), ("end_points", self.needs.out_degree):
            self.equal(self.ask(query, words.is_prerequisite), nodes=[
                {"node_id": n, "isolated": self.needs.degree(n) == 0} for n in self.oracle.ids if degree(n) == 0])

    def reach(self):
        for node in self.some(5):
            for query, graph in ("needs", self.needs.reverse()), ("needed_by", self.needs):
                distance = nx.single_source_shortest_path_length(graph, node)
                del distance[node]
                data = self.ask(query, words.is_prerequisite, node=node)
                self.test.assertEqual({row["node_id"]: row["steps"] for row in data["nodes"]}, dict(distance))
                self.teaching_order([row["node_id"] for row in data["nodes"]])
                self.equal(data, node_id=node, direct=list(distance.values()).count(1),
                           in_cycle_with=len(self.whole.nodes[self.member[node]]["members"]) - 1)

    def common(self):
        for _ in range(3 if len(self.oracle.ids) > 1 else 0):
            a, b = self.some(2)
            of_a, of_b = nx.ancestors(self.needs, a), nx.ancestors(self.needs, b)
            data = self.ask("common_needs", words.is_prerequisite, **{"from": a, "to": b})
            self.equal(data, from_node_id=a, to_node_id=b, needs_of_from=len(of_a), needs_of_to=len(of_b))
            self.test.assertEqual(sorted(data["nodes"]), sorted(of_a & of_b))
            self.teaching_order(data["nodes"])

    def order(self):
        data = self.ask("order", words.is_prerequisite)
        in_cycle = set().union(*self.cyclic())
        self.equal(data, cycle_groups=len(self.cyclic()), nodes_in_cycles=len(in_cycle), nodes=[
            {"node_id": n, "step": i, "in_cycle": n in in_cycle}
            for i, group in enumerate(words.taught(self.whole, self.oracle.place)) for n in group])

    def levels(self):
        levels = [sorted((n for c in g for n in self.whole.nodes[c]["members"]), key=self.oracle.place.get)
                  for g in nx.topological_generations(self.whole)]
        self.equal(self.ask("levels", words.is_prerequisite), level_count=len(levels), levels=levels)
        for i, level in enumerate(levels[:4]):
            self.equal(self.ask("levels", words.is_prerequisite, node=level[0]), node_id=level[0], level=i)

    def chain(self):
        data = self.ask("longest_chain", words.is_prerequisite)
        if not self.oracle.ids:
            self.equal(data, steps=None, chain=[])
            return
        self.equal(data, steps=nx.dag_longest_path_length(self.whole))
        chain = [self.member[nodes[0]] for nodes in data["chain"]]
        self.test.assertEqual([set(nodes) for nodes in data["chain"]], [self.whole.nodes[c]["members"] for c in chain])
        self.test.assertEqual(len(chain), data["steps"] + 1)
        self.test.assertTrue(nx.is_path(self.whole, chain))

    def cycles(self):
        data = self.ask("cycles", words.is_prerequisite)
        self.equal(data, nodes_in_cycles=sum(map(len, self.cyclic())))
        for group in data["groups"]:
            cycle = group["cycle"]
            self.test.assertTrue(all(self.needs.has_edge(a, b) for a, b in zip(cycle, cycle[1:] + cycle[:1])))
            self.test.assertEqual(len(cycle), words.shortest_cycle(self.needs, set(cycle + group["also"])))
            self.test.assertTrue(group["shortest"])
            self.cut(group)
        self.test.assertEqual({frozenset(g["cycle"] + g["also"]) for g in data["groups"]}, set(map(frozenset, self.cyclic())))
        loops = {a for a, b, t in self.oracle.edges if a == b and a in self.oracle.place and self.oracle.followed(words.is_prerequisite)(t)}
        self.test.assertEqual(set(data["to_themselves"]), loops)

    def cut(self, group):
        """The edges of a cycle, and of those the one whose loss leaves the fewest nodes in cycles, then has the fewest types, then is last."""
        steps = list(zip(group["cycle"], group["cycle"][1:] + group["cycle"][:1]))
        types = {step: self.types_between(*step, words.is_prerequisite) for step in steps}
        self.test.assertEqual(
            [(edge["from_node_id"], edge["to_node_id"], edge["relationship_type"]) for edge in group["edges"]],
            [(*step, kind) for step in steps for kind in types[step]])
        left = {}
        for step in steps:
            without = nx.DiGraph(self.needs.subgraph(group["cycle"] + group["also"]))
            without.remove_edge(*step)
            left[step] = sum(len(c) for c in nx.strongly_connected_components(without) if len(c) > 1)
        start, end = min(reversed(steps), key=lambda step: (left[step], len(types[step])))
        self.test.assertEqual(group["cheapest_cut"],
                              {"nodes_left_in_cycles": left[start, end], "from_node_id": start, "to_node_id": end})

    def bottlenecks(self):
        data = self.ask("bottlenecks", words.is_path)
        expected = {n: value for n, value in nx.betweenness_centrality(self.ways, normalized=True).items() if value > 0}
        self.equal(data, exact=True, sources=len(self.oracle.ids), without=len(self.oracle.ids) - len(expected))
        self.test.assertEqual({row["node_id"] for row in data["nodes"]}, set(expected))
        for row in data["nodes"]:
            self.test.assertAlmostEqual(row["betweenness"], expected[row["node_id"]], delta=1e-12)
        falling = [round(row["betweenness"], 9) for row in data["nodes"]]
        self.test.assertEqual(falling, sorted(falling, reverse=True))

    def ranked(self, weights, name):
        weights = {n: weights[n] for n in self.oracle.ids if weights[n]}
        return [{"node_id": n, name: weights[n]}
                for n in sorted(weights, key=lambda n: (-weights[n], self.oracle.place[n]))]

    def hubs(self):
        self.equal(self.ask("hubs", words.is_prerequisite),
                   most_direct_dependents=self.ranked(dict(self.needs.out_degree), "count"),
                   most_direct_prerequisites=self.ranked(dict(self.needs.in_degree), "count"))

    def unlocks(self):
        reach = {n: len(nx.descendants(self.needs, n)) for n in self.oracle.ids}
        self.equal(self.ask("unlocks", words.is_prerequisite), nodes=self.ranked(reach, "dependents"),
                   without=list(reach.values()).count(0))

    def redundant(self):
        kept = nx.transitive_reduction(self.whole) if self.oracle.ids else self.whole
        expected = {(a, b) for a, b in self.needs.edges if self.member[a] != self.member[b]
                    and not kept.has_edge(self.member[a], self.member[b])}
        data = self.ask("redundant", words.is_prerequisite)
        found = [(row["from_node_id"], row["to_node_id"]) for row in data["edges"]]
        self.test.assertEqual((set(found), len(found)), (expected, len(expected)))
        for row in data["edges"]:
            between = row["through_node_id"]
            self.test.assertEqual(len({self.member[n] for n in row.values()}), 3)
            self.test.assertTrue(nx.has_path(self.needs, row["from_node_id"], between)
                                 and nx.has_path(self.needs, between, row["to_node_id"]))
        self.equal(data, cycle_groups_not_judged=len(self.cyclic()))

    def unreachable(self):
        starts = [n for n in self.oracle.ids if self.ways.in_degree(n) == 0]
        reached = set(starts).union(*(nx.descendants(self.ways, n) for n in starts))
        self.equal(self.ask("unreachable", words.is_path), nodes=[n for n in self.oracle.ids if n not in reached],
                   isolated=[n for n in self.oracle.ids if self.ways.degree(n) == 0])
        for node in self.some(3):
            reached = nx.descendants(self.all, node) | {node}
            self.equal(self.ask("unreachable", words.is_any, node=node, types=["all"]),
                       nodes=[n for n in self.oracle.ids if n not in reached])

    def types_between(self, a, b, follows):
        return sorted({t for p, q, t in self.oracle.edges if (p, q) == (a, b) and self.oracle.followed(follows)(t)})

    def paths(self):
        def steps(graph, a, b):
            return nx.shortest_path_length(graph, a, b) if nx.has_path(graph, a, b) else None
        for _ in range(6 if len(self.oracle.ids) > 1 else 0):
            a, b = self.some(2)
            data = self.ask("path", words.is_path, **{"from": a, "to": b})
            self.equal(data, from_node_id=a, to_node_id=b, steps=steps(self.ways, a, b))
            if data["steps"] is None:
                self.equal(data, nodes=[], types=[], steps_back=steps(self.ways, b, a),
                           steps_over_all_types=steps(self.all, a, b))
                continue
            nodes = data["nodes"]
            self.test.assertEqual((nodes[0], nodes[-1], len(nodes)), (a, b, data["steps"] + 1))
            self.equal(data, types=[self.types_between(x, y, words.is_path) for x, y in zip(nodes, nodes[1:])])
            self.test.assertTrue(nx.is_path(self.ways, nodes))

    def neighbours(self):
        for node in self.some(3):
            before, after = (sorted(side(node), key=self.oracle.place.get) for side in
                             (self.all.predecessors, self.all.successors))
            self.equal(self.ask("neighbours", words.is_any, node=node), node_id=node,
                       before=[{"node_id": n, "types": self.types_between(n, node, words.is_any)} for n in before],
                       after=[{"node_id": n, "types": self.types_between(node, n, words.is_any)} for n in after])


class GraphData(unittest.TestCase):
    def setUp(self):
        self.driver = words.Driver()

    def tearDown(self):
        self.assertEqual(self.driver.close(), 0)

    def test_random_curricula(self):
        print("seeds %d to %d" % (words.SEED, words.SEED + words.GRAPHS - 1))
        for seed in range(words.SEED, words.SEED + words.GRAPHS):
            with self.subTest(seed=seed):
                rng = random.Random(seed)
                DataChecks(self, self.driver, words.random_curriculum(rng), rng).every()

    def test_shared_curricula(self):
        for name in "fractions", "exercism_python", "openstax_algebra":
            with self.subTest(curriculum=name):
                with open(harness.shared("data", name + ".json"), encoding="utf-8") as file:
                    DataChecks(self, self.driver, json.load(file), random.Random(words.SEED)).every()


if __name__ == "__main__":
    unittest.main(verbosity=2)
