# SPDX-License-Identifier: GPL-3.0-or-later
"""Frameworks of CASE as tools and publishers write them: the tree gives order and chapters, codes are names of nodes, faults are
reported once each and read, and an export has the tree for other tools and comes back equal."""
import json
import pathlib
import unittest
import uuid

import harness
from test_formats import FormatCase


def guid(number):
    return str(uuid.UUID(int=number + (4 << 76) + (8 << 60)))


def end(number, **more):
    return {"title": "t", "identifier": guid(number), "uri": "https://case.example/" + guid(number), **more}


def item(number, statement, code=None, **more):
    return {"identifier": guid(number), "uri": "https://case.example/" + guid(number), "fullStatement": statement,
            **({"humanCodingScheme": code} if code else {}), "lastChangeDateTime": "2025-02-01T08:00:00+00:00", **more}


def below(number, child, parent, **more):
    return {"identifier": guid(number), "uri": "https://case.example/" + guid(number), "associationType": "isChildOf",
            "originNodeURI": end(child), "destinationNodeURI": end(parent), "lastChangeDateTime": "2025-02-01T08:00:00+00:00", **more}


def framework():
    """Two strands of a music framework; what has no sequenceNumber comes last, by its code."""
    items = [item(15, "Sing in canon", "S.10"), item(14, "Keep a pulse", "S.2"), item(13, "Echo a tune", "S.1"), item(12, "Listening", "L"),
             item(11, "Singing", "S"), item(16, "Name an instrument", "L.1", notes="<p>By  sound </p>"), item(17, "Loose statement", "X")]
    edges = [below(21, 12, 1, sequenceNumber=2), below(22, 11, 1, sequenceNumber=1), below(23, 15, 11), below(24, 14, 11),
             below(25, 13, 11, sequenceNumber=7), below(26, 16, 12, sequenceNumber=1)]
    return {"CFDocument": {"identifier": guid(1), "uri": "https://case.example/" + guid(1), "creator": "A region", "title": "Music",
                           "lastChangeDateTime": "2025-02-01T08:00:00+00:00"}, "CFItems": items, "CFAssociations": edges}


class CaseFile(FormatCase):
    def codes(self, curriculum):
        return [node.get("humanCodingScheme") for node in curriculum["nodes"]]

    def export(self, curriculum):
        sid = self.workspace.load(self.write("in.json", curriculum))
        out = self.folder / "out.case.json"
        self.workspace.run("export", "--force", sid, str(out))
        return json.loads(out.read_text(encoding="utf-8"))


class ImportCase(CaseFile):
    def test_the_tree_gives_order_and_chapters(self):
        back, said = self.load(self.write("music.json", framework()))
        self.assertEqual(self.codes(back), ["S", "S.1", "S.2", "S.10", "L", "L.1", "X"])
        self.assertEqual([(node.get("chapter"), node.get("chapter_id")) for node in back["nodes"]],
                         [("Singing", 1)] * 4 + [("Listening", 2)] * 2 + [(None, None)])
        self.assertEqual(back["nodes"][5]["notes"], "<p>By  sound </p>")
        self.assertNotIn("is not a relationship type", said)
        self.assertEqual(sum(edge["relationship_type"] == "isChildOf" for edge in back["relationships"]), 4)

    def test_circles_and_several_parents(self):
        package = framework()
        package["CFAssociations"] += [below(31, 16, 11, sequenceNumber=1), below(32, 17, 17), below(33, 11, 13)]
        package["CFItems"] += [item(18, "Round", "R.1"), item(19, "And round", "R.2")]
        package["CFAssociations"] += [below(34, 18, 19), below(35, 19, 18)]
        back, _ = self.load(self.write("music.json", package))
        self.assertEqual(sorted(self.codes(back)), sorted(one["humanCodingScheme"] for one in package["CFItems"]))
        self.assertEqual(self.codes(back)[:5], ["S", "L.1", "S.1", "S.2", "S.10"])

    def test_equal_chapters_are_told_apart(self):
        package = framework()
        package["CFItems"][3]["fullStatement"] = "Singing"
        back, _ = self.load(self.write("music.json", package))
        self.assertEqual([node.get("chapter") for node in back["nodes"]], ["Singing"] * 4 + ["Singing (L)"] * 2 + [None])

    def test_an_export_comes_back_and_has_the_tree(self):
        first, _ = self.load(self.write("music.json", framework()))
        package = self.export(first)
        self.assertEqual(sorted(edge["identifier"] for edge in package["CFAssociations"]),
                         sorted(edge["identifier"] for edge in framework()["CFAssociations"]))
        self.assertEqual({one["identifier"]: one for one in package["CFItems"]}, {one["identifier"]: one for one in framework()["CFItems"]})
        self.assertEqual(self.load(self.folder / "out.case.json")[0], first)
        moved = {**first, "nodes": first["nodes"][::-1] + [{"node_id": "new", "title": "New", "chapter": "Singing", "chapter_id": 1},
                                                            {"node_id": "other", "title": "Other", "chapter": "Moving"}]}
        moved["relationships"] = first["relationships"] + [{"from_node_id": "new", "to_node_id": guid(13), "relationship_type": "LEADS_TO"}]
        package = self.export(moved)
        titles = {one["identifier"]: one["fullStatement"] for one in package["CFItems"]}
        parents = {titles[edge["originNodeURI"]["identifier"]]: titles.get(edge["destinationNodeURI"]["identifier"])
                   for edge in package["CFAssociations"] if edge["associationType"] == "isChildOf"}
        self.assertEqual((parents["New"], parents["Other"], parents["Moving"], parents["Echo a tune"]), ("Singing", "Moving", None, "Singing"))
        self.assertEqual(self.load(self.folder / "out.case.json")[0], moved)

    def test_chapters_are_exported_as_a_tree(self):
        demo = json.loads((harness.ROOT / "mcp/curriculum/demo/demo_curriculum.json").read_text(encoding="utf-8"))
        package = self.export(demo)
        items = {one["identifier"]: one for one in package["CFItems"]}
        tree = [edge for edge in package["CFAssociations"] if edge["associationType"] == "isChildOf"]
        self.assertEqual(len(tree), len(items))
        places = {}
        for edge in tree:
            places.setdefault(edge["destinationNodeURI"]["identifier"], []).append((edge["sequenceNumber"], edge["originNodeURI"]["identifier"]))
        chapters = [items[one]["fullStatement"] for _, one in sorted(places[package["CFDocument"]["identifier"]])]
        self.assertEqual(chapters, list(dict.fromkeys(node["chapter"] for node in demo["nodes"])))
        nodes = [items[one]["humanCodingScheme"] for _, chapter in sorted(places[package["CFDocument"]["identifier"]])
                 for _, one in sorted(places[chapter])]
        self.assertEqual(nodes, [node["node_id"] for node in demo["nodes"]])
        self.assertEqual(self.load(self.folder / "out.case.json")[0], demo)

    def test_faults_are_reported_once_and_read(self):
        package = framework()
        for one in package["CFItems"][:3]:
            one["abbreviatedStatement"] = one.pop("fullStatement")
        package["CFItems"][3]["educationLevel"] = None
        package["CFItems"][5]["humanCodingScheme"] = 7
        package["CFAssociations"][0].update(sequenceNumber="2", CFAssociationGroupingURI=None)
        package["CFAssociations"].append({"associationType": "isPeerOf", "originNodeURI": end(11)})
        package["CFItems"].append("no object")
        package["CFDefinitions"] = None
        del package["CFDocument"]["title"]
        back, said = self.load(self.write("poor.json", package))
        self.assertEqual(self.codes(back), ["S", "S.1", "S.2", "S.10", "L", "7", "X"])
        self.assertEqual(back["nodes"][1]["title"], "Echo a tune")
        for words in ("fullStatement is missing, which CASE 1.0 needs (3): CFItems.0; CFItems.1; CFItems.2", "title is missing",
                      "a number is read as a text: CFItems.5", "must be an object: CFItems.7", "associations without associationType"):
            self.assertIn(words, said)
        self.assertEqual(back["meta"]["case"]["associations"][-1]["associationType"], "isPeerOf")

    def test_exports_of_sql_server(self):
        package = framework()
        upper = json.loads(json.dumps(package["CFAssociations"]).replace(guid(11), guid(11).upper()))
        loud = [{"Human_Coding_Scheme" if key == "humanCodingScheme" else key.upper(): value for key, value in one.items()} for one in package["CFItems"]]
        for made in ([{"CFDocument": [package["CFDocument"]], "CFItems": json.dumps(loud), "cfassociations": upper}],
                     {"CFItems": loud, "CFAssociations": upper}):
            path = self.write("server.json", made)
            back, said = self.load(path, "--format", "case")
            with self.subTest(said):
                self.assertEqual(sorted(self.codes(back)), ["L", "L.1", "S", "S.1", "S.10", "S.2", "X"])
                self.assertEqual([node["title"] for node in back["nodes"] if node.get("chapter") == "Singing"],
                                 ["Singing", "Echo a tune", "Keep a pulse", "Sing in canon"])
                self.assertIn("keys in other letters", said)

    def test_a_code_is_a_name(self):
        package = framework()
        package["CFAssociations"].append({**below(41, 13, 14), "associationType": "precedes"})
        sid = self.workspace.load(self.write("music.json", package))
        needs = self.workspace.run("graph", "--session", sid, "needs", "s.2").stdout.decode()
        self.assertIn('S.1 "Echo a tune"', needs)
        self.assertIn('%s S.10 "Sing in canon"' % guid(15), self.workspace.run("graph", "--session", sid, "outline").stdout.decode())

    def test_composed_and_decomposed_titles_are_one(self):
        sid = self.workspace.load(self.write("in.json", {"nodes": [{"node_id": "a", "title": "Gro\u0308\u00dfe"}, {"node_id": "b", "title": "Z\u00e4hlen"}],
                                                         "relationships": [{"from_node_id": "b", "to_node_id": "a", "relationship_type": "PREREQUISITE"}]}))
        for name in ("Gr\u00f6\u00dfe", "gro\u0308\u00dfe"):
            self.assertIn("b ", self.workspace.run("graph", "--session", sid, "needs", name).stdout.decode())


if __name__ == "__main__":
    unittest.main()
