# SPDX-License-Identifier: GPL-3.0-or-later
"""Graphs as other tools write them: GraphML of NetworkX, Gephi, Neo4j and yEd, GEXF of Gephi and NetworkX, node-link JSON of NetworkX, D3,
Cytoscape.js and JSON Graph Format. Nodes, directions, types and chapters come, and the report names what does not."""
import io
import json
import unittest

import networkx as nx

import harness
from test_formats import FormatCase


class Graphs(FormatCase):
    def graph(self, text, name, *words):
        """({id: node}, relationships as (from, to, type), the curriculum, what the report says)"""
        back, said = self.load(self.write(name, text), *words)
        edges = [(edge["from_node_id"], edge["to_node_id"], edge["relationship_type"]) for edge in back["relationships"]]
        return {node["node_id"]: node for node in back["nodes"]}, edges, back, said

    def written(self, graph, kind):
        to = io.BytesIO()
        {"graphml": nx.write_graphml_xml, "gexf": nx.write_gexf}[kind](graph, to)
        return to.getvalue()

    def answer(self, path, *query):
        sid = self.workspace.run("import", str(path)).stdout.decode().split()[-1]
        return self.workspace.run("graph", "--session", sid, *query).stdout.decode()

    def not_read(self, text, name, *saying):
        self.refused("import", self.write(name, text), saying=(name,) + saying)


def lessons(kind=nx.DiGraph):
    graph = kind()
    graph.add_node("a", label="Counting", hours=2, share=0.5, done=True, Description="To ten", Kapitel="Numbers")
    graph.add_node("b", label="Adding", hours=3, share=1e-07, done=False, Prerequisites="a")
    graph.add_node("c d", Name="Größe & <more>")
    graph.add_edge("a", "b", weight=2.5)
    graph.add_edge("b", "c d", relationship="PREREQUISITE")
    graph.graph["name"] = "Numbers first"
    return graph


class Networkx(Graphs):
    def test_graph(self):
        for kind in "graphml", "gexf":
            with self.subTest(kind):
                nodes, edges, back, said = self.graph(self.written(lessons(), kind), "a." + kind)
                self.assertEqual([(key, node["title"]) for key, node in nodes.items()], [("a", "Counting"), ("b", "Adding"), ("c d", "Größe & <more>")])
                self.assertEqual(edges, [("a", "b", "LEADS_TO"), ("b", "c d", "PREREQUISITE")])
                node = nodes["a"]
                self.assertEqual((node["hours"], node["share"], node["done"], node["Description"], node["chapter"]), (2, 0.5, True, "To ten", "Numbers"))
                self.assertIsInstance(node["hours"], int)
                self.assertIs(nodes["b"]["done"], False)
                self.assertEqual(nodes["b"]["share"], 1e-07)
                self.assertEqual(back["relationships"][0]["weight"], 2.5)
                self.assertEqual(back["meta"]["title"], "Numbers first")
                self.assertIn("relationships without a type (1) are read as LEADS_TO; where they mean order", said)
                self.assertIn("a field is kept as 'chapter': ", said)
                self.assertNotIn("Left out", said)

    def test_commands(self):
        for kind in "graphml", "gexf":
            path = self.write("a." + kind, self.written(lessons(), kind))
            self.assertIn("Counting", self.answer(path, "order"))
            self.assertIn("Adding", self.answer(path, "needs", "c d"))
            self.assertIn("3 nodes", self.workspace.run("import", "--dry-run", path).stderr.decode())
            edges = self.graph(self.written(lessons(), kind), "b." + kind, "--untyped", "PREREQUISITE")[1]
            self.assertEqual(edges[0], ("a", "b", "PREREQUISITE"))
            sid = self.workspace.run("import", path).stdout.decode().split()[-1]
            self.refused("export", "--format", kind, sid, "x", saying=("%s is a format of imports only" % kind, "--format json"))
            self.refused("export", sid, "x." + kind, saying=("%s is a format of imports only" % kind,))

    def test_prerequisites(self):
        graph = nx.DiGraph()
        graph.add_node(1, title="Counting")
        graph.add_node(2, title="Adding", requires="Counting; 9")
        for kind in "graphml", "gexf":
            nodes, edges, _, said = self.graph(self.written(graph, kind), "a." + kind)
            self.assertEqual((list(nodes), edges), (["1", "2"], [("1", "2", "PREREQUISITE")]))
            self.assertEqual(nodes["2"]["requires"], "Counting; 9")
            self.assertIn("'requires' names neither the id nor the title of another row: ", said)

    def test_undirected(self):
        for kind in "graphml", "gexf":
            _, edges, back, said = self.graph(self.written(lessons(nx.MultiGraph), kind), "a." + kind)
            self.assertEqual(len(edges), 2)
            self.assertIn("relationships without a direction: read as from source to target (2)", said)

    def test_parallel_edges_and_loops(self):
        graph = nx.MultiDiGraph([("a", "b"), ("a", "b"), ("a", "a")])
        for kind in "graphml", "gexf":
            _, edges, _, said = self.graph(self.written(graph, kind), "a." + kind)
            self.assertEqual(sorted(edges), [("a", "a", "LEADS_TO"), ("a", "b", "LEADS_TO"), ("a", "b", "LEADS_TO")])
            self.assertIn("a relationship leads from a node to itself", said)
            self.assertIn("a relationship repeats an earlier one", said)

    def test_the_ending_xml(self):
        for kind in "graphml", "gexf":
            text = b"\n<!-- a comment\n -->".join(self.written(lessons(), kind).partition(b"?>")[::2]).replace(b"'utf-8'\n", b"'utf-8'?>\n", 1)
            self.assertEqual(len(self.graph(text, "a.xml")[0]), 3)

    def test_encodings(self):
        text = self.written(lessons(), "graphml").decode().split("?>", 1)[1]
        for code in "utf-16", "iso-8859-1", "windows-1252", "utf-8-sig":
            with self.subTest(code):
                head = '<?xml version="1.0" encoding="%s"?>' % code.replace("-sig", "")
                self.assertEqual(self.graph((head + text).encode(code), "a.graphml")[0]["c d"]["title"], "Größe & <more>")
        self.assertEqual(len(self.graph(('<?xml version="1.0" encoding="utf-16"?>' + text).encode("utf-16"), "a.xml")[0]), 3)

    def test_large(self):
        graph = nx.DiGraph()
        nx.add_path(graph, range(3000))
        for kind in "graphml", "gexf":
            nodes, edges, _, _ = self.graph(self.written(graph, kind), "a." + kind)
            self.assertEqual((len(nodes), len(edges)), (3000, 2999))

    def test_map(self):
        graph = nx.DiGraph([("a", "b")])
        graph.nodes["b"].update({"Builds on": "a", "Unterricht": "Zwei", "secret": "x"})
        for kind in "graphml", "gexf":
            nodes, edges, _, _ = self.graph(self.written(graph, kind), "a." + kind, "--map", "unterricht=title", "--map", "secret=ignore",
                                            "--map", "Builds on=prerequisites")
            self.assertEqual((nodes["b"]["title"], "secret" in nodes["b"]), ("Zwei", False))
            self.assertEqual(edges, [("a", "b", "LEADS_TO")])
        self.refused("import", "--map", "a=b", str(self.folder / "a.gexf"), saying=("must be COLUMN=ROLE",))


HEAD = """<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:y="http://www.yworks.com/xml/graphml" xmlns:x="http://www.yworks.com/xml/yfiles-common/markup/2.0">
  <!--Created by yEd 3.23-->
  <key attr.name="Description" attr.type="string" for="graph" id="d0"/>
  <key for="port" id="d1" yfiles.type="portgraphics"/>
  <key attr.name="url" attr.type="string" for="node" id="d4"/>
  <key attr.name="description" attr.type="string" for="node" id="d5"/>
  <key for="node" id="d6" yfiles.type="nodegraphics"/>
  <key for="graphml" id="d7" yfiles.type="resources"/>
  <key attr.name="description" attr.type="string" for="edge" id="d9"/>
  <key for="edge" id="d10" yfiles.type="edgegraphics"/>
  <key attr.name="minutes" attr.type="int" for="node" id="d11"><default xml:space="preserve">45</default></key>
"""


def shape(label):
    return """<data key="d4" xml:space="preserve"/><data key="d6"><y:ShapeNode><y:Geometry height="30.0" width="30.0" x="1.0" y="2.0"/><y:Fill color="#FFCC00"/>
        <y:NodeLabel alignment="center" hasText="true">%s<y:LabelModel><y:SmartNodeLabelModel distance="4.0"/></y:LabelModel>
        <y:ModelParameter><y:SmartNodeLabelModelParameter labelRatioX="0.0"/></y:ModelParameter></y:NodeLabel>
        <y:Shape type="rectangle"/></y:ShapeNode></data>""" % label


def arrow(source, target, label=""):
    return """<data key="d10"><y:PolyLineEdge><y:Path sx="0.0"/><y:LineStyle type="line"/><y:Arrows source="%s" target="%s"/>
        %s<y:BendStyle smoothed="false"/></y:PolyLineEdge></data>""" % (source, target, label and "<y:EdgeLabel>%s<y:LabelModel/></y:EdgeLabel>" % label)


YED = HEAD + """  <graph edgedefault="directed" id="G">
    <data key="d0" xml:space="preserve"/>
    <node id="n0" yfiles.foldertype="group">
      <data key="d4" xml:space="preserve"/>
      <data key="d6"><y:ProxyAutoBoundsNode><y:Realizers active="0">
        <y:GroupNode><y:NodeLabel>Numbers</y:NodeLabel><y:State closed="false"/></y:GroupNode>
        <y:GroupNode><y:NodeLabel>Folder 1</y:NodeLabel><y:State closed="true"/></y:GroupNode>
      </y:Realizers></y:ProxyAutoBoundsNode></data>
      <graph edgedefault="directed" id="n0:">
        <node id="n0::n0">""" + shape("Counting") + """<data key="d5"><![CDATA[To <ten>]]></data><data key="d11">90</data></node>
        <node id="n0::n1">""" + shape("Adding\nin steps") + """</node>
        <edge id="n0::e0" source="n0::n0" target="n0::n1">""" + arrow("none", "standard", "requires") + """</edge>
      </graph>
    </node>
    <node id="n1">""" + shape("Dividing") + """<port name="North"/></node>
    <edge id="e0" source="n1" target="n0::n1">""" + arrow("standard", "none") + """</edge>
    <edge id="e1" source="n1" target="n0::n0">""" + arrow("none", "none") + """</edge>
    <hyperedge><endpoint node="n1"/><endpoint node="n0::n0"/></hyperedge>
  </graph>
  <data key="d7"><y:Resources><y:Resource id="1">abc</y:Resource></y:Resources></data>
</graphml>
"""


class Yed(Graphs):
    def test_labels_groups_and_arrows(self):
        nodes, edges, back, said = self.graph(YED, "yed.graphml")
        self.assertEqual({key: (node["title"], node.get("chapter")) for key, node in nodes.items()},
                         {"n0::n0": ("Counting", "Numbers"), "n0::n1": ("Adding\nin steps", "Numbers"), "n1": ("Dividing", None)})
        self.assertEqual(edges, [("n0::n0", "n0::n1", "requires"), ("n0::n1", "n1", "LEADS_TO"), ("n1", "n0::n0", "LEADS_TO")])
        self.assertEqual((nodes["n0::n0"]["description"], nodes["n0::n0"]["minutes"], nodes["n1"]["minutes"]), ("To <ten>", 90, 45))
        for words in ("1 group is the chapter of the nodes in it", "shapes, colours and positions of a drawing (7)", "hyperedges, which join", "line %d" % (1 + YED[:YED.index("<hyperedge")].count("\n")),
                      "arrow is drawn at its source goes the way of the arrow", "without a direction: read as from source to target", "ports, places at a node",
                      "pictures and icons of a drawing"):
            self.assertIn(words, said)

    def test_a_group_with_edges_or_fields_is_a_node(self):
        text = HEAD + """<graph edgedefault="directed"><node id="g" yfiles.foldertype="group">%s%s<graph edgedefault="directed" id="g:">
            <node id="in" yfiles.foldertype="group">%s<graph edgedefault="directed"><node id="g::a">%s</node></graph></node></graph></node><node id="b"/>%s</graph></graphml>"""
        for more, edge in (("", '<edge source="b" target="g"/>'), ('<data key="d5">All of it</data>', "")):
            nodes, _, _, _ = self.graph(text % (shape("Outer"), more, shape("Inner"), shape("A"), edge), "a.graphml")
            self.assertEqual((nodes["g"]["title"], nodes["g::a"]["chapter"], "in" in nodes), ("Outer", "Outer: Inner", False), nodes)

    def test_yfiles_html(self):
        text = HEAD.replace('yfiles.type="nodegraphics"', 'attr.name="NodeLabels"') + """<graph edgedefault="directed"><node id="n0"><data key="d6"><x:List>
            <y:Label><y:Label.Text><![CDATA[Counting]]></y:Label.Text></y:Label></x:List></data></node>
            <node id="n1"><data key="d6"><x:List><y:Label Text="Adding"/></x:List></data></node></graph></graphml>"""
        self.assertEqual([node["title"] for node in self.graph(text, "a.graphml")[0].values()], ["Counting", "Adding"])


class Graphml(Graphs):
    def read(self, inner, keys="", *words):
        return self.graph("<graphml>%s\n%s</graphml>" % (keys, inner), "a.graphml", *words)

    def test_values_that_do_not_fit(self):
        keys = "".join('<key id="k%d" for="node" attr.name="%s" attr.type="%s"/>' % (i, kind, kind)
                       for i, kind in enumerate(("int", "long", "float", "double", "boolean", "string")))
        good, bad = ("-3", "9223372036854775807", "1.5e3", "0.1", "false", "007"), ("3.5", "9223372036854775808", "NaN", "0x1p3", "maybe", " a ")
        nodes, _, _, said = self.read('<graph edgedefault="directed"><node id="a">%s</node>\n<node id="b">%s</node></graph>' % tuple(
            "".join('<data key="k%d">%s</data>' % pair for pair in enumerate(values)) for values in (good, bad)), keys)
        self.assertEqual([nodes["a"][kind] for kind in ("int", "long", "float", "double", "boolean", "string")], [-3, 2 ** 63 - 1, 1500.0, 0.1, False, "007"])
        self.assertEqual([nodes["b"][kind] for kind in ("int", "long", "float", "double", "boolean", "string")], [value.strip() for value in bad])
        for kind, value in zip(("int", "long", "float", "double", "boolean"), bad):
            self.assertRegex(said, "a value of '%s' is not of its type, %s: it is kept as text: .*line 3: '%s'" % (kind, kind, value))

    def test_apoc_and_undeclared_keys(self):
        nodes, edges, back, said = self.read("""<graph id="G" edgedefault="directed"><node id="n0" labels=":Lesson"><data key="labels">:Lesson</data>
            <data key="name">Counting</data></node><node id="n1"/><edge id="e0" source="n0" target="n1" label="PREREQUISITE"><data key="label">PREREQUISITE</data>
            </edge></graph>""", '<key id="name" for="node" attr.name="name"/>')
        self.assertEqual((nodes["n0"]["title"], nodes["n0"]["labels"], edges), ("Counting", ":Lesson", [("n0", "n1", "PREREQUISITE")]))
        self.assertIn("a value whose key is not declared is kept as text", said)

    def test_nothing_is_lost_silently(self):
        nodes, edges, back, said = self.read("""<graph edgedefault="directed"><node id="a"><data key="t">One</data></node>
<node id="a"><data key="t">Two</data></node>
<node/>
<edge source="a" target="gone"/>
<edge source="a"/>
<edge source="a" target="a" directed="false"/>
<node id="b"><locator/></node><edge source="a" target="b" sourceport="p"/></graph>""", '<key id="t" for="all" attr.name="Title"/>')
        self.assertEqual([(node["node_id"], node["title"]) for node in back["nodes"]], [("a", "One"), ("a", "Two"), ("b", "b")])
        self.assertEqual([edge[:2] for edge in edges], [("a", "gone"), ("a", "a"), ("a", "b")])
        for words in ("another node has the same id; both are kept: ", "a.graphml line 3: 'a'", "a node without an id and a title: ", "line 4",
                      "to_node_id of a relationship does not exist", "a relationship without a target: ", "line 6", "without a direction",
                      "a relationship leads from a node to itself", "an element inside a node that is not read", "the ports of an edge"):
            self.assertIn(words, said)

    def test_several_graphs(self):
        nodes, edges, back, said = self.read("""<graph id="one" edgedefault="directed"><edge source="a" target="b"/><node id="a"/><node id="b"/></graph>
            <graph id="two" edgedefault="undirected"><node id="a"/><node id="c"/><edge source="a" target="c"/></graph>""")
        self.assertEqual((list(nodes), [edge[:2] for edge in edges]), (["a", "b", "2::a", "c"], [("a", "b"), ("2::a", "c")]))
        self.assertIn("2 graphs are read as one curriculum", said)
        self.assertIn("an id that an earlier graph of the file has", said)

    def test_names_that_are_taken(self):
        nodes, _, _, said = self.read("""<graph edgedefault="directed"><node id="a"><data key="i">Z9</data><data key="c">text</data><data key="x">1</data>
            <data key="y">2</data></node></graph>""", '<key id="i" attr.name="node_id"/><key id="c" attr.name="components"/><key id="x" attr.name="v"/><key id="y" attr.name="v"/>')
        self.assertEqual(nodes["a"], {"node_id": "a", "title": "a", "node_id (2)": "Z9", "components (text)": "text", "v": "1", "v (2)": "2"})
        self.assertIn("a name of a field that is taken has a number after it", said)

    def test_types_in_other_letters(self):
        _, edges, back, said = self.read("""<graph edgedefault="directed"><node id="a"/><node id="b"/><edge source="a" target="b" label="leads to"/>
            <edge source="b" target="a" label="Prerequisite"/><edge source="a" target="b" label="0.75"/></graph>""")
        self.assertEqual([edge[2] for edge in edges], ["LEADS_TO", "PREREQUISITE", "LEADS_TO"])
        self.assertEqual(back["relationships"][2]["label"], "0.75")
        self.assertIn("a type of relationships in other letters is written as PREREQUISITE", said)

    def test_what_is_no_graph(self):
        self.not_read("<graphml/>", "a.graphml", "line 1", "there is no <graph> in it", '<node id="n1"/>')
        self.not_read("<svg/>", "a.graphml", "the root is <svg>, and must be <graphml>")
        self.not_read("<graphml>\n<graph>\n<node</graphml>", "a.graphml", "line 3", "is not XML")
        self.not_read("", "a.graphml", "is not XML")
        self.not_read("<graphml><graph><node/></graph></graphml>", "a.graphml", "it has no node_id")

    def test_hostile_xml(self):
        graph = '<graphml><graph edgedefault="directed"><node id="%s"/></graph></graphml>'
        self.not_read('<!DOCTYPE x [<!ENTITY a "b">]>' + graph % "&a;", "a.graphml", "declares entities")
        self.not_read('<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>' + graph % "n", "a.graphml", "declares entities")
        bomb = "".join('<!ENTITY a%d "%s">' % (i, "&a%d;" % (i - 1) * 10 if i else "x" * 10) for i in range(12))
        self.refused("import", self.write("a.graphml", "<!DOCTYPE x [%s]>" % bomb + graph % "&a11;"), saying=("a.graphml",))
        self.not_read("<graphml>" + "<graph><node id='a'>" * 5000, "a.graphml", "is not XML")
        nodes, _, _, _ = self.graph('<!DOCTYPE graphml SYSTEM "http://127.0.0.1:1/graphml.dtd">' + graph % "n", "a.graphml")
        self.assertEqual(list(nodes), ["n"])

    def test_defaults_are_bounded(self):
        keys = "".join('<key id="k%d" for="node" attr.name="k%d"><default>x</default></key>' % (i, i) for i in range(1500))
        self.not_read("<graphml>%s<graph>%s</graph></graphml>" % (keys, "".join('<node id="%d"/>' % i for i in range(1000))), "a.graphml",
                      "defaults of attributes give more than 1000000 values")


class Gexf(Graphs):
    GEPHI = """<?xml version='1.0' encoding='UTF-8'?>
<gexf xmlns="http://gexf.net/1.3" version="1.3" xmlns:viz="http://gexf.net/1.3/viz" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
  <meta lastmodifieddate="2024-02-03"><creator>Gephi 0.10.1</creator><title>Numbers</title><description>First year</description></meta>
  <graph defaultedgetype="directed" idtype="string" mode="static">
    <attributes class="node" mode="static">
      <attribute id="modularity_class" title="Modularity Class" type="integer"><default>0</default></attribute>
      <attribute id="tags" title="tags" type="liststring"/>
      <attribute id="hours" title="hours" type="listinteger"/>
      <attribute id="open" title="open" type="boolean"/>
    </attributes>
    <attributes class="edge" mode="static"><attribute id="modularity_class" title="certain" type="float"/></attributes>
    <nodes>
      <node id="1" label="Counting">
        <attvalues><attvalue for="modularity_class" value="4"/><attvalue for="tags" value="[a, &quot;b, c&quot;]"/><attvalue for="hours" value="1|2"/>
          <attvalue for="open" value="true"/></attvalues>
        <viz:size value="10.0"/><viz:position x="-1.5" y="2.0"/><viz:color r="1" g="2" b="3"/>
      </node>
      <node id="2" label="Adding" start="2001"><attvalues><attvalue for="tags" value="[&quot;open"/><attvalue for="hours" value="[1, two]"/></attvalues><spells><spell start="2001"/></spells></node>
      <node id="3" label="3"/>
    </nodes>
    <edges>
      <edge id="0" source="1" target="2" weight="2.0" label="prerequisite"><attvalues><attvalue for="modularity_class" value="0.5"/></attvalues></edge>
      <edge id="1" source="2" target="3" type="undirected"/>
      <edge id="2" source="1" target="3" kind="ENRICHMENT" type="directed"/>
      <edge id="3" source="3" target="1" type="mutual"/>
    </edges>
  </graph>
</gexf>
"""

    def test_gephi(self):
        nodes, edges, back, said = self.graph(self.GEPHI, "gephi.gexf")
        self.assertEqual([(node["node_id"], node["title"]) for node in back["nodes"]], [("1", "Counting"), ("2", "Adding"), ("3", "3")])
        self.assertEqual((nodes["1"]["Modularity Class"], nodes["3"]["Modularity Class"], nodes["1"]["tags"], nodes["1"]["hours"], nodes["1"]["open"]),
                         (4, 0, ["a", "b, c"], [1, 2], True))
        self.assertEqual((nodes["2"]["tags"], nodes["2"]["hours"], nodes["2"]["start"]), ('["open', "[1, two]", "2001"))
        self.assertEqual(edges, [("1", "2", "PREREQUISITE"), ("2", "3", "LEADS_TO"), ("1", "3", "ENRICHMENT"), ("3", "1", "LEADS_TO")])
        self.assertEqual((back["relationships"][0]["weight"], back["relationships"][0]["certain"]), (2.0, 0.5))
        self.assertEqual((back["meta"]["title"], back["meta"]["description"], back["meta"]["creator"]), ("Numbers", "First year", "Gephi 0.10.1"))
        for words in ("of a drawing (viz) (3)", "the times of nodes and edges (spells)", "without a direction: read as from source to target (2)",
                      "a value of 'tags' is not of its type, liststring", "a value of 'hours' is not of its type, listinteger", "in other letters is written as PREREQUISITE"):
            self.assertIn(words, said)
        self.assertIn("Counting", self.answer(self.folder / "gephi.gexf", "needs", "2"))

    def test_older_versions_and_hierarchies(self):
        for version, inner in (
                ("1.1", '<nodes><node id="g" label="Numbers"><nodes><node id="a" label="A"/><node id="b" label="B"/></nodes><edges><edge source="a" target="b" type="dir"/></edges></node></nodes>'),
                ("1.2", '<nodes><node id="a" label="A" pid="g"/><node id="b" label="B" pid="g"/><node id="g" label="Numbers"/></nodes><edges><edge source="a" target="b" type="directed"/></edges>'),
                ("1.2", '<nodes><node id="g" label="Numbers"/><node id="a" label="A"><parents><parent for="g"/></parents></node><node id="b" label="B" pid="g"/></nodes>'
                        '<edges><edge source="a" target="b" type="directed"/></edges>')):
            with self.subTest(version):
                nodes, edges, _, said = self.graph('<gexf xmlns="http://www.gexf.net/%sdraft" version="%s"><graph>%s</graph></gexf>' % (version, version, inner), "a.gexf")
                self.assertEqual({key: node["chapter"] for key, node in nodes.items()}, {"a": "Numbers", "b": "Numbers"})
                self.assertEqual(edges, [("a", "b", "LEADS_TO")])
                self.assertNotIn("without a direction", said)

    def test_attvalues_by_id_and_unknown_groups(self):
        nodes, edges, _, said = self.graph('<gexf><graph><attributes class="node"><attribute id="0" title="Name" type="string"/></attributes><nodes><node id="a" label="a" pid="gone">'
                                           '<attvalues><attvalue id="0" value="Counting"/><attvalue for="9" value="x"/></attvalues></node><node id="b"/></nodes>'
                                           '<edges><edge source="a" target="b"/></edges></graph></gexf>', "a.gexf")
        self.assertEqual((nodes["a"]["title"], nodes["a"]["9"]), ("Counting", "x"))
        for words in ("the group of a node does not exist", "whose attribute is not declared", "without a direction"): # GEXF's own default
            self.assertIn(words, said)

    def test_what_is_no_graph(self):
        for text in "<gexf/>", "<graphml/>", "<gexf><nodes/></gexf>":
            self.not_read(text, "a.gexf", "line 1", "it must be <gexf><graph")
        self.not_read("<gexf><graph>", "a.gexf", "is not XML")


class NodeLink(Graphs):
    NODES = [{"id": "a", "label": "Counting", "hours": 2}, {"id": "b", "name": "Adding", "Prerequisites": ["a"], "Kapitel": "One"}]

    def test_networkx(self):
        for key in "links", "edges": # until NetworkX 3.3, and since
            for kind in nx.DiGraph, nx.MultiDiGraph:
                data = nx.node_link_data(lessons(kind))
                data[key] = data.pop("links", None) or data.pop("edges")
                nodes, edges, back, said = self.graph(data, "a.json")
                self.assertEqual([node["title"] for node in back["nodes"]], ["Counting", "Adding", "Größe & <more>"])
                self.assertEqual((edges, nodes["a"]["hours"], nodes["a"]["chapter"]), ([("a", "b", "LEADS_TO"), ("b", "c d", "PREREQUISITE")], 2, "Numbers"))
                self.assertEqual((back["meta"]["title"], back["directed"]), ("Numbers first", True))
                self.assertIn("2 relationships are read from", said)
        _, edges, _, said = self.graph(nx.node_link_data(lessons(nx.Graph)), "a.json")
        self.assertEqual(len(edges), 2)
        self.assertIn("without a direction: read as from source to target (2)", said)
        nodes, edges, _, _ = self.graph(nx.node_link_data(nx.DiGraph({"a": []})), "a.json")
        self.assertEqual((list(nodes), edges), (["a"], []))

    def test_commands(self):
        path = self.write("a.json", nx.node_link_data(lessons()))
        self.assertIn("Counting", self.answer(path, "order"))
        self.assertIn("Adding", self.answer(path, "needs", "c d"))

    def test_fields_have_roles(self):
        nodes, edges, _, said = self.graph({"nodes": self.NODES, "links": [{"source": "b", "target": "a", "type": "enrichment"}, {"source": "a"}, "x"]}, "a.json")
        self.assertEqual((edges, nodes["b"]["chapter"]), ([("b", "a", "ENRICHMENT"), ("a", "b", "PREREQUISITE")], "One"))
        self.assertIn("a relationship without a target: links: '{\"from_node_id\":\"a\"}'", said)
        self.assertIn("a relationship without a source: links: '{\"node_id\":\"x\"}'", said)
        _, edges, _, _ = self.graph({"nodes": ["a", "b", 3], "edges": [["a", "b"], ["b", 3]]}, "a.json")
        self.assertEqual([edge[:2] for edge in edges], [("a", "b"), ("b", "3")])

    def test_d3_ends(self):
        """By place, whether nodes have ids or not; or by the node itself."""
        for nodes, names in (([{"name": "A"}, {"name": "B"}], ("N001", "N002")), ([{"id": "x"}, {"id": "y"}], ("x", "y")), ([{"id": 5}, {"id": 6}], ("5", "6"))):
            found, edges, _, said = self.graph({"nodes": nodes, "links": [{"source": 1, "target": 0, "value": 3}]}, "a.json")
            self.assertEqual((tuple(found), edges), (names, [(names[1], names[0], "LEADS_TO")]))
            self.assertIn("counted from 0", said)
        _, edges, _, said = self.graph({"nodes": [{"id": 0}, {"id": 1}], "links": [{"source": 1, "target": 0}]}, "a.json")
        self.assertEqual(edges, [("1", "0", "LEADS_TO")])
        self.assertNotIn("counted from 0", said)
        _, edges, _, _ = self.graph({"nodes": self.NODES, "links": [{"source": {"id": "a", "x": 1.5, "index": 0}, "target": {"id": "b", "index": 1}}]}, "a.json")
        self.assertEqual(edges, [("a", "b", "LEADS_TO")])

    def test_cytoscape(self):
        nodes, edges, back, said = self.graph(nx.cytoscape_data(lessons()), "a.cyjs.json")
        self.assertEqual([(node["node_id"], node["title"]) for node in back["nodes"]], [("a", "Counting"), ("b", "Adding"), ("c d", "c d")])
        self.assertEqual(edges[1], ("b", "c d", "PREREQUISITE"))
        one = [{"group": "nodes", "data": {"id": "g", "label": "Numbers"}}, {"data": {"id": "a", "label": "A", "parent": "g"}, "position": {"x": 1, "y": 2}},
               {"data": {"id": "b", "label": "B"}}, {"group": "edges", "data": {"id": "e", "source": "a", "target": "b", "interaction": "needs"}}]
        for elements in one, {"nodes": one[:3], "edges": one[3:]}:
            nodes, edges, back, said = self.graph({"elements": elements, "data": {"name": "Mine"}}, "a.json")
            self.assertEqual((list(nodes), nodes["a"]["chapter"], back["meta"]["title"]), (["a", "b"], "Numbers", "Mine"))
            self.assertIn("positions, styles and states of a drawing: elements", said)
            self.assertEqual(edges, [("a", "b", "needs")])

    def test_json_graph_format(self):
        second = {"graph": {"directed": True, "label": "Mine", "metadata": {"year": 1}, "nodes": {"a": {"label": "A", "metadata": {"hours": 2}}, "b": {}},
                            "edges": [{"source": "a", "target": "b", "relation": "PREREQUISITE", "metadata": {"w": 1}}, {"source": "b", "target": "a", "directed": False}]}}
        first = json.loads(json.dumps(second))
        first["graph"]["nodes"] = [{"id": "a", "label": "A", "metadata": {"hours": 2}}, {"id": "b"}]
        for file in second, first, {"graphs": [second["graph"]]}:
            nodes, edges, back, said = self.graph(file, "a.json")
            self.assertEqual((nodes["a"], nodes["b"]["title"]), ({"node_id": "a", "title": "A", "hours": 2}, "b"))
            self.assertEqual((edges, back["relationships"][0]["w"], back["meta"]["title"]), ([("a", "b", "PREREQUISITE"), ("b", "a", "LEADS_TO")], 1, "Mine"))
            self.assertIn("without a direction", said)
            self.assertIn('"year":1', json.dumps(back, separators=(",", ":")))

    def test_what_is_no_graph_stays(self):
        for file in ({"nodes": [{"node_id": "a", "title": "A"}], "links": ["https://example.org"]}, {"nodes": [{"node_id": "a", "title": "A"}], "relationships": [], "edges": [1]},
                     {"nodes": [{"node_id": "a", "title": "A"}], "graph": {"a": 1}, "elements": [1], "graphs": []}):
            self.assertEqual(self.load(self.write("a.json", file))[0], file)


class Lists(Graphs):
    """Lists of lessons in JSON that nobody made for us."""
    LESSONS = [{"id": 1, "title": "Counting", "text": "One, two."}, {"id": 2, "title": "Adding", "prerequisites": [1]}, {"id": 3, "title": "Halves", "prerequisites": "Adding; 1"}]
    EDGES = [("1", "2", "PREREQUISITE"), ("1", "3", "PREREQUISITE"), ("2", "3", "PREREQUISITE")]

    def check(self, text, name="a.json"):
        nodes, edges, back, said = self.graph(text, name)
        self.assertEqual((list(nodes), sorted(edges), nodes["1"]["text"]), (["1", "2", "3"], self.EDGES, "One, two."))
        self.assertIn("3 nodes are read from", said)
        return back, said

    def test_lists(self):
        self.check(json.dumps(self.LESSONS))
        back, said = self.check(json.dumps({"name": "Numbers", "grade": 2, "authors": ["A"], "lessons": self.LESSONS}))
        self.assertEqual((back["meta"]["title"], back["grade"], back["authors"]), ("Numbers", 2, ["A"]))
        self.assertIn("'lessons'", said)

    def test_lines(self):
        lines = [json.dumps(lesson) for lesson in self.LESSONS]
        self.check("\n".join(lines), "a.jsonl")
        _, said = self.check("\r\n\r\n".join([lines[0], "{bad}", *lines[1:], '{"id": 4,']) + "\r\n", "a.ndjson")
        self.assertIn("lines that are not JSON (2): a.ndjson line 3; a.ndjson line 9", said)
        self.refused("import", self.write("b.jsonl", "{bad}\n{worse\n"), saying=("b.jsonl line 1",))

    def test_other_lists_are_refused(self):
        for value in ([], [1, 2], ["a"], [{"x": 1}], {"lessons": self.LESSONS, "units": self.LESSONS}, {"lessons": []}):
            self.refused("import", self.write("a.json", json.dumps(value)), saying=("not a curriculum",))


class Decoding(Graphs):
    """JSON that a strict decoder refuses."""

    def said(self, text):
        back, said = self.load(self.write("a.json", text))
        return back["nodes"][0], said

    def test_values_that_are_no_numbers_of_json(self):
        for value in "NaN", "Infinity", "-Infinity", "12345678901234567890", "-9223372036854775809", "1e999":
            node, said = self.said('{"nodes": [\n{"node_id": "a", "title": "%s,]",\n "n": %s, "m": 9223372036854775807}]}' % (value, value))
            self.assertEqual((node["n"], node["m"], node["title"]), (value, 2 ** 63 - 1, value + ",]"))
            self.assertIn("kept as text: a.json line 3: '%s'" % value, said)

    def test_commas_and_comments(self):
        node, said = self.said('// mine\n{"nodes": [/* two\nlines */ {"node_id": "a", "title": "A // \\" /* b */",}, // end\n],}')
        self.assertEqual(node, {"node_id": "a", "title": 'A // " /* b */'})
        self.assertIn("comments in JSON (3): a.json line 1: '// mine'; a.json line 2", said)
        self.assertIn("a comma before a closing bracket does not count (3): a.json line 3", said)

    def test_half_characters(self):
        node, said = self.said('{"nodes": [{"node_id": "a", "title": "half \\ud83d, low \\uDC00, whole \\ud83d\\ude00 \\\\ud83d"}]}')
        self.assertEqual(node["title"], "half \ufffd, low \ufffd, whole \U0001f600 \\ud83d")
        self.assertIn("half a character is kept as U+FFFD (2): a.json line 1: '\\ud83d'", said)

    def test_keys_that_stand_twice(self):
        node, said = self.said('{"nodes": [{"node_id": "a",\n"title": "A", "title": "B", "x": {"title": 1},\n"t\\u0069tle": "C"}]}')
        self.assertEqual(node, {"node_id": "a", "title": "C", "x": {"title": 1}})
        self.assertRegex(said, "Left out .*\n- a key stands twice in one object: .* \\(2\\): a.json line 2: 'title'; a.json line 3: 'title'")
        package = '{"CFDocument": {},' + json.dumps(self.framework()[1])[1:]
        self.assertIn("a key stands twice in one object", self.load(self.write("a.case.json", package))[1])

    def test_encodings(self):
        for code in "utf-8-sig", "utf-16", "windows-1252":
            node, said = self.said('{"nodes": [{"node_id": "a", "title": "Größe"}]}'.encode(code))
            self.assertEqual(node["title"], "Größe")

    def test_errors_say_what_to_write(self):
        for text, words in (("{'nodes': []}", ("line 1, column 2", "double quotes")), ('{"nodes":\n [True]}', ("line 2, column 3", "true, false or null")),
                            ('{\nnodes: []}', ("line 2, column 1", "a key stands in double quotes")), ('{"nodes": ["a\nb"}', ("line 1", "\\n")),
                            ('{"nodes": [}', ("line 1, column",)), ('{"nodes": ["', ("line 1, column",)), ("[" * 100000, ("line 1",)), ("{\"a\":" * 5000, ("line 1",)),
                            ('{"nodes": [] /* ', ("line 1",)), ('{"a": "\\u12', ("line 1",)), ("", ("line 1",))):
            with self.subTest(text[:40]):
                self.refused("import", self.write("a.json", text), saying=("is not JSON that can be kept",) + words)


class Texts(Graphs):
    """import_curriculum."""

    def test_graphs(self):
        client = harness.Stdio(self.workspace)
        self.addCleanup(lambda: client.process.poll() is None and client.close())
        client.initialize()
        for kind in "graphml", "gexf":
            text = self.written(lessons(), kind).decode()
            for place, text in enumerate((text, text.split("?>", 1)[1], text.replace("utf-8", "iso-8859-1"), "```xml\n%s\n```\n" % text)):
                title = "%s %d" % (kind, place)
                said = client.good("import_curriculum", text=text, title=title)
                self.assertIn("3 nodes", said)
                self.assertIn("are read as LEADS_TO", said)
                self.assertIn("Größe & <more>", client.good("find", session_id=title))
        is_error, said = client.call("import_curriculum", text='<?xml version="1.0"?><svg/>')
        self.assertTrue(is_error)
        self.assertIn("the root is <svg>", said)
        client.good("import_curriculum", text="<p>A note</p>\n\n# In HTML\n", title="Note")


if __name__ == "__main__":
    unittest.main()
