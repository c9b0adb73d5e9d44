# SPDX-License-Identifier: GPL-3.0-or-later
"""find: questions with known answers over three curricula, what a model reads of its answers, and the same from analysis code."""
import contextlib
import json
import pathlib
import sys
import unittest
import urllib.parse

import harness

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "data"))
import find_questions  # noqa: E402

FIRST_THREE, FIRST = 95, 85  # of a hundred
TOKENS_A_HIT = 60            # of 4 bytes
TEXT_MAX = 1000


def curriculum(nodes, *edges):
    return {"nodes": [{"node_id": node, "title": "Lesson " + node, "components": []} for node in nodes],
            "relationships": [{"from_node_id": a, "to_node_id": b, "relationship_type": kind, "explanation": ""} for a, b, kind in edges]}


class Order(unittest.TestCase):
    """find and query_graph know one teaching order."""
    cases = (
        ("XAB", [("A", "B"), ("B", "A"), ("A", "X")], "PREREQUISITE", "ABX"),          # A and B need each other
        ("ABCDE", [("E", "B")], "PREREQUISITE", "AEBCD"),                              # one late lesson moves, and no other
        ("ABCDE", [("D", "B"), ("C", "B"), ("E", "D")], "PREREQUISITE_FOR", "ACEDB"),  # in the curriculum's own order
        ("CBA", [("A", "B"), ("B", "C")], "LEADS_TO", "ABC"),                          # no prerequisites: LEADS_TO counts
        ("CBA", [("A", "B"), ("B", "C")], "SEE_ALSO", "CBA"),
        ("CBA", [], "", "CBA"),
    )

    def test_orders_agree(self):
        with contextlib.closing(harness.Workspace()) as workspace:
            path = pathlib.Path(workspace.data, "curriculum.json")
            for nodes, edges, kind, expected in self.cases:
                with self.subTest(nodes=nodes, edges=edges, kind=kind):
                    path.write_text(json.dumps(curriculum(nodes, *((a, b, kind) for a, b in edges))), encoding="utf-8")
                    sid = workspace.load(path)
                    said = workspace.run("graph", "--session", sid, "order").stdout.decode().splitlines()
                    with contextlib.closing(harness.Server(workspace)) as server:
                        hits = server.http("GET", "/session/%s/find?sort=order" % sid)[1]["hits"]
                    self.assertEqual("".join(hit["node_id"] for hit in hits), expected)
                    self.assertEqual("".join(line[0] for line in said if ' "Lesson ' in line), expected)
                    if kind:
                        self.assertIn("Over LEADS_TO" if kind == "LEADS_TO" else "Not followed: SEE_ALSO" if kind == "SEE_ALSO" else "Over " + kind, said[-1])


def lesson(number, title, *components):
    return {"node_id": "N%04d" % number, "title": title, "components": [
        dict({"component_type": kind, "order": place}, parameters=parameters) for place, (kind, parameters) in enumerate(components, 1)]}


def text(words):
    return "paragraph", {"text": words}


class Ranking(unittest.TestCase):
    """Hundreds of lessons use the words more often and have them in longer titles; the equal title still comes first, then the equal term."""
    NAMES = ("Field", "Sheaf", "Tensor Product", "Category")

    @classmethod
    def setUpClass(cls):
        cls.workspace = harness.Workspace()
        cls.addClassCleanup(cls.workspace.close)
        nodes = [lesson(number, "%s of kind %d" % (cls.NAMES[number % 4], number), *[text("The %s and another %s: %s %d." % (
            3 * (cls.NAMES[number % 4].lower(),) + (place,))) for place in range(6)]) for number in range(400)]
        nodes += [lesson(400 + number, name, text("It is an example.")) for number, name in enumerate(cls.NAMES)]
        nodes += [lesson(500, "Basics", ("definition", {"term": "splitting field", "definition": "The smallest one in which it splits."}),
                         ("definition", {"term": "sheaf", "definition": "Data that is glued."}))]
        path = pathlib.Path(cls.workspace.data, "curriculum.json")
        path.write_text(json.dumps({"nodes": nodes, "relationships": []}), encoding="utf-8")
        cls.sid = cls.workspace.load(path)
        cls.server = harness.Server(cls.workspace)
        cls.addClassCleanup(cls.server.close)
        cls.server.initialize()

    def titles(self, text, **more):
        status, answer, _ = self.server.http("GET", "/session/%s/find?%s" % (self.sid, urllib.parse.urlencode(dict(more, text=text))))
        self.assertEqual(status, 200, answer)
        return [hit["title"] for hit in answer["hits"]]

    def test_equal_names_are_first(self):
        for name in self.NAMES:
            for text in (name, name.lower(), name + "s", "what is a %s?" % name, "definition of %s" % name, "Define the %s." % name.lower(),
                         "the meaning of \"%s\"" % name.lower()):
                with self.subTest(text):
                    self.assertEqual(self.titles(text)[0], name)
        self.assertEqual(self.titles("sheaf")[:2], ["Sheaf", "Basics"])

    def test_terms_count_in_a_long_question(self):
        for text in ("splitting field", "How is the splitting field of a given polynomial over another one made?"):
            with self.subTest(text):
                self.assertEqual(self.titles(text)[0], "Basics")

    def test_pages_are_one_list(self):
        whole = self.titles("field", limit=30)
        self.assertEqual(self.titles("field", limit=10) + self.titles("field", limit=20, offset=10), whole)
        self.assertEqual(self.titles("field", offset=5000), [])
        said = self.server.good("find", session_id=self.sid, text="field", limit=2, offset=2)
        self.assertRegex(said, r"^(At least )?\d+ lessons, from 3 to 4:\n")
        self.assertIn("none from the offset on", self.server.good("find", session_id=self.sid, text="field", offset=5000))


class Spellings(unittest.TestCase):
    """Words as TeX and as names of languages write them."""
    TEXTS = {
        "Theorem of K\\\"unneth": ("Kunneth", "Künneth", "KÜNNETH", "K\\\"{u}nneth"), "An \\'etale map": ("etale", "étale"),
        "M{\\\"o}bius": ("Mobius", "Möbius"), "\\v{C}ech complex": ("Cech", "Čech"), "Garc\\'{\\i}a": ("Garcia", "García"),
        "Erd\\H{o}s number": ("Erdos", "Erdős"), "A trap\\`ese": ("trapese", "trapèse"), "Fran\\c{c}ois": ("François", "Francois"),
        "Begin with C": ("C", "C\"", "\"C\""), "Then C++ of today": ("C++", "\"C++\"", "c++"), "Then C\\# too": ("C#", "\"C#\"", "csharp"),
    }

    @classmethod
    def setUpClass(cls):
        cls.workspace = harness.Workspace()
        path = pathlib.Path(cls.workspace.data, "spellings.json")
        nodes = [lesson(number, title, text("Of lesson %d." % number)) for number, title in enumerate(cls.TEXTS)]
        nodes.append(lesson(99, "Formulas", text("Here it stands: \\(\\frac{1}{2} \\in \\mathbb{Q}\\) as a quokka of \\(\\mathbb{Z}\\)")))
        path.write_text(json.dumps({"nodes": nodes, "relationships": []}), encoding="utf-8")
        cls.sid = cls.workspace.load(path)
        cls.server = harness.Server(cls.workspace)

    @classmethod
    def tearDownClass(cls):
        cls.server.close()
        cls.workspace.close()

    def hits(self, text):
        return self.server.http("GET", "/session/%s/find?%s" % (self.sid, urllib.parse.urlencode({"text": text})))[1]["hits"]

    def test_each_finds_its_lesson_alone(self):
        for title, questions in self.TEXTS.items():
            for question in questions:
                with self.subTest(title, question=question):
                    self.assertEqual([hit["title"] for hit in self.hits(question)], [title])

    def test_excerpts_show_formulas(self):
        self.assertEqual(self.hits("quokka")[0]["text"], "... \\(\\frac{1}{2} \\in \\mathbb{Q}\\) as a [quokka] of \\(\\mathbb{Z}\\)")


class Fields(unittest.TestCase):
    """Fields under the names that people give them are found and read, in sheets of four languages."""
    SHEETS = (
        ("Id,Title,Description,Content,Objectives\nL1,Pizza fractions,Learners share a margherita pizza fairly,Cut it in eight slices,Understand eighths\n",
         {"margherita": "Description", "slice": "Content", "eighth": "Objectives"}),
        ("Id;Titel;Beschreibung;Inhalt;Lernziele\nL1;Brüche;Die Klasse teilt eine Pizza gerecht;Man schneidet acht Stücke;Die Lernenden verstehen Achtel\n",
         {"gerecht": "Beschreibung", "Stück": "Inhalt", "Achtel": "Lernziele"}),
        ("Id;Titre;Description;Contenu;Objectifs d'apprentissage\nL1;Fractions;Les élèves partagent une pizza;On la coupe en huit parts;Comprendre les huitièmes\n",
         {"élève": "Description", "coupe": "Contenu", "huitièmes": "Objectifs d'apprentissage"}),
        ("Id;Título;Descripción;Contenido;Objetivos\nL1;Fracciones;La clase comparte una pizza;Se corta en ocho trozos;Entender los octavos\n",
         {"comparte": "Descripción", "trozo": "Contenido", "octavos": "Objetivos"}),
        ("Id,Title,DESCRIPTION,learning outcomes\nL1,Halves,The halves of a quokka,Knows a wombat\n",
         {"quokka": "DESCRIPTION", "wombat": "learning outcomes"}),
    )

    def setUp(self):
        self.workspace = harness.Workspace()
        self.addCleanup(self.workspace.close)
        self.folder = pathlib.Path(self.workspace.data, "sheets")
        self.folder.mkdir()

    def test_sheets_of_four_languages(self):
        sheets = []
        for sheet, words in self.SHEETS:
            (self.folder / "nodes.csv").write_text(sheet, encoding="utf-8")
            sheets.append((self.workspace.load(self.folder), words))
        with contextlib.closing(harness.Server(self.workspace)) as server:
            server.initialize()
            for sid, words in sheets:
                outline, whole = (server.good("find", session_id=sid, node_id="L1", **more) for more in ({}, {"in": "all"}))
                for word, field in words.items():
                    with self.subTest(word):
                        [hit] = server.http("GET", "/session/%s/find?%s" % (sid, urllib.parse.urlencode({"text": word})))[1]["hits"]
                        self.assertEqual((hit["node_id"], hit["field"]), ("L1", field))
                        self.assertRegex(outline, r"(?m)^%s, \d words: \w" % field)
                        self.assertRegex(whole, r'(?m)^%s: "\w' % field)
                        found = server.good("find", session_id=sid, text=word, **{"in": field.lower() if field.isascii() else field})
                        self.assertIn("L1", found)

    def load(self, **fields):
        path = pathlib.Path(self.workspace.data, "fields.json")
        path.write_text(json.dumps({"nodes": [dict({"node_id": "N1", "title": "One", "components": []}, **fields)], "relationships": []}), encoding="utf-8")
        return self.workspace.load(path)

    def test_values_for_programs_are_not_words(self):
        plain = self.load(components=[{"type": "paragraph", "order": 1, "parameters": {"text": "Words."}}], raw_content="Kept", node_type="core", chapter="C")
        sid = self.load(uuid="123e4567-e89b-12d3-a456-426614174000", made="2026-03-01", hours=3, open=True, note="A koala", place="52.5, 13.4",
                        many={"deep": {"er": ["A dingo"]}}, empty="", link="https://x.example/wallaby", raw_content="An emu")
        huge = self.load(long="字" * 100000, **{"Field %d" % number: "text " * 1000 for number in range(100)})
        with contextlib.closing(harness.Server(self.workspace)) as server:
            server.initialize()
            self.assertEqual(server.good("find", session_id=plain, node_id="N1"), 'N1 "One" in chapter "C", 1 words, 1 components, revision 1:\n1. paragraph, 1 words: Words.')
            outline, whole = (server.good("find", session_id=sid, node_id="N1", **more) for more in ({}, {"in": "all"}))
            self.assertEqual(sorted(outline.splitlines()[1:]), ["hours: 3", "many, 2 words: A dingo", "note, 2 words: A koala", "open: true", "raw_content, 2 words: An emu"])
            for value in "123e4567", "2026-03-01", "52.5", "wallaby":
                self.assertIn(value, whole)
                self.assertIn("No lesson found", server.good("find", session_id=sid, text=value))
            for word in "koala", "dingo", "emu":
                self.assertIn("N1", server.good("find", session_id=sid, text=word))
            server.good("change_curriculum", session_id=sid, operations=[{"op": "replace_text", "find": "koala", "replace": "possum"}])
            self.assertIn("[possum]", server.good("find", session_id=sid, text="possum"))
            outline = server.good("find", session_id=huge, node_id="N1")
            self.assertLess(len(outline.encode()), 40 * 300)
            self.assertIn("(61 other fields; all with in: all)", outline)


class Asking(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.workspace = harness.Workspace()
        cls.addClassCleanup(cls.workspace.close)
        cls.demo = cls.workspace.run("demo").stdout.decode().strip()
        cls.server = harness.Server(cls.workspace)
        cls.addClassCleanup(cls.server.close)
        cls.server.initialize()

    def judge(self, sid, questions, right_of):
        """How many questions have a right lesson first, and among the first three; and the others."""
        first = three = 0
        wrong = []
        for text, right in questions:
            status, answer, _ = self.server.http("GET", "/session/%s/find?%s" % (sid, urllib.parse.urlencode({"text": text, "limit": 3})))
            self.assertEqual(status, 200, answer)
            right = [right_of(hit) in right for hit in answer["hits"]]
            first += right[:1] == [True]
            three += any(right)
            if right[:1] != [True]:
                wrong.append((text, [(hit["node_id"], hit["title"]) for hit in answer["hits"]]))
        return first, three, wrong

    def check_questions(self, *judged):
        asked = sum(len(questions) for _, questions, _ in judged)
        first = three = 0
        wrong = []
        for sid, questions, right_of in judged:
            found = self.judge(sid, questions, right_of)
            first, three, wrong = first + found[0], three + found[1], wrong + found[2]
        print("of %d questions: right in the first %d, in the first three %d" % (asked, first, three))
        self.assertGreaterEqual(three * 100, FIRST_THREE * asked, wrong)
        self.assertGreaterEqual(first * 100, FIRST * asked, wrong)

    @staticmethod
    def questions(sid, name, by="node_id"):
        """Right lessons by their ids, or by their titles where books repeat one another."""
        split = "|" if by == "title" else None
        return sid, [(text, right.split(split)) for text, right in getattr(find_questions, name)], lambda hit: hit[by]


class Curricula(Asking):
    """A hundred questions over three curricula, twice."""

    def test_a_hundred_questions(self):
        self.check_questions(self.questions(self.demo, "DEMO"),
                             self.questions(self.workspace.load(harness.shared("data", "fractions.json")), "FRACTIONS"),
                             self.questions(self.workspace.load(harness.shared("data", "openstax_algebra.json")), "ALGEBRA", "title"))

    def test_another_hundred(self):
        self.check_questions(self.questions(self.demo, "DEMO_AGAIN"),
                             self.questions(self.workspace.load(harness.shared("data", "exercism_python.json")), "PYTHON"),
                             self.questions(self.workspace.load(harness.shared("data", "openstax_algebra.json")), "ALGEBRA_AGAIN", "title"))


class Find(Asking):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.sid = cls.demo

    def find(self, **given):
        return self.server.good("find", session_id=self.sid, **given)

    def test_questions_over_the_demo(self):
        self.check_questions(self.questions(self.demo, "DEMO"), self.questions(self.demo, "DEMO_AGAIN"))

    def test_answers_are_short_and_say_where(self):
        answer = self.find(text="ratio", sort="order", limit=3).splitlines()
        self.assertRegex(answer[0], r"^\d+ lessons, the first 3 in teaching order:$")
        self.assertRegex(answer[1], r'^N010 "What a ratio says", component \d+ \(definition\): ')
        self.assertIn(": [ratio]: A comparison of two ", answer[1])
        for line in answer[1:]:
            self.assertLess(len(line), TOKENS_A_HIT * 4, line)

    def test_a_lesson_is_read_without_its_drawings(self):
        outline, whole = (self.find(node_id="what a ratio says", **more) for more in ({}, {"in": "all"}))
        self.assertRegex(outline, r'^N010 "What a ratio says" in chapter "2 Ratio", \d+ words, \d+ components, revision 1:\n1\. heading, \d+ words: ')
        self.assertRegex(whole, r"svg, \d+\.\d kB")
        self.assertNotIn("<svg", whole)
        self.assertIn("Order in words, order in numbers.", whole)

    def test_one_type_is_read_without_the_others(self):
        outline, some = (self.find(node_id="what a ratio says", **more) for more in ({}, {"in": "definition"}))
        numbers = [line.split(".")[0] for line in outline.splitlines() if ". definition, " in line]
        shown = some.splitlines()[1:-1]
        self.assertEqual([line.split(". definition: {")[0] for line in shown], numbers)
        self.assertEqual(some.splitlines()[-1], "(%d other components; without in: the outline)" % (len(outline.splitlines()) - 1 - len(numbers)))

    def test_lessons_that_lack_something_and_thin_ones(self):
        export = json.loads(self.workspace.run("export", self.sid).stdout)
        lacking = [node["node_id"] for node in export["nodes"]
                   if not any(component["type"] == "worked-example" for component in node["components"])]
        said = self.find(without="worked-example", limit=50).splitlines()
        self.assertEqual(sorted(line.split()[0] for line in said[1:]), sorted(lacking))
        self.assertEqual({line.split()[0] for line in self.find(sort="words", limit=3).splitlines()[1:]}, {"N013", "N021", "N023"})

    def test_bad_input_says_what_to_send(self):
        for given, says in (({"text": "x" * (1 << 20)}, str(TEXT_MAX)), ({"text": "?!"}, "send words"),
                            ({"text": "ratio", "in": "definitions"}, "did you mean 'definition'"),
                            ({"without": "worked_example"}, "worked-example"), ({"node_id": "Ratio tabels"}, "N013"),
                            ({"sort": "size"}, "words"), ({"limit": 0}, "limit"), ({"query": "ratio"}, "text")):
            is_error, answer = self.server.call("find", session_id=self.sid, **given)
            self.assertTrue(is_error, given if len(str(given)) < 100 else "a long text")
            self.assertIn(says, answer)

    def test_no_text_is_a_query_language(self):
        for text in ('" OR 1=1', "ratio*", "NEAR(a b)", "{head}: x", "col:ratio", "a AND", "^ratio", "(((ratio", "ratio -",
                     "ratio'; DROP TABLE search", '"ratio', '""ratio""', "ratio NOT ratio", "search MATCH 'ratio'", "1:ratio", "@heading", "ratio\\ \t\n\u0000"[:-1],
                     "ratio " * 166, "r" * TEXT_MAX, "\u00e4\u0308\u0301" * 100, "\U0001f600 ratio"):
            is_error, answer = self.server.call("find", session_id=self.sid, text=text)
            self.assertFalse(is_error, (text, answer))
            self.assertRegex(answer, r"^(\d+ |At least \d+ |No )lessons? ?", text)
            if "ratio" in text:
                self.assertRegex(answer, r"(?m)^N010 ", text)
        self.assertIn("N010", self.find(text='ratio* AND NOT {head} "'))

    def test_two_languages(self):
        """Stems are those of the language that a curriculum, or one of its texts, is written in."""
        texts = (("K1", "Br\u00fcche erweitern", "Ein Bruch bleibt gleich, wenn man den Z\u00e4hler und den Nenner mit der gleichen Zahl "
                  "multipliziert."),
                 ("K2", "Anteile vergleichen", "Zwei Mischungen sind gleich stark, wenn das Verh\u00e4ltnis der Teile gleich ist."),
                 ("K3", "Word problems",
                  "These problems are written in English, so that you can use them when the pupils travel with their classes."))
        file = pathlib.Path(self.workspace.data, "two_languages.json")
        file.write_text(json.dumps({"relationships": [], "nodes": [
            {"node_id": node, "title": title, "components": [{"type": "paragraph", "order": 1, "parameters": {"text": text}}]}
            for node, title, text in texts]}))
        sid = self.workspace.load(file)
        for text, right in (("Br\u00fcchen", "K1"), ("multiplizieren", "K1"), ("der Zahlen", "K1"), ("Verh\u00e4ltnisse", "K2"),
                            ("Verhaltnis", "K2"), ("Anteil", "K2"), ("Mischung", "K2"), ("travelling pupil", "K3"), ("class", "K3")):
            answer = self.server.good("find", session_id=sid, text=text)
            self.assertRegex(answer, r"^\d+ lessons?.*:\n%s " % right, text)

    def test_one_text_of_another_language_keeps_the_small_words(self):
        """A component that looks French does not make words of how, do and the."""
        lessons = [lesson(i, "Topic %d" % i, text("This is how we do the work of topic %d and why the others need it." % i)) for i in range(40)]
        lessons.append(lesson(40, "Rounding", text("A number is cut to fewer digits.")))
        lessons.append(lesson(41, "Signs", text("Les nombres sont dans la liste, et vous avez le droit de les enclore avec des signes.")))
        file = pathlib.Path(self.workspace.data, "one_french.json")
        file.write_text(json.dumps({"nodes": lessons, "relationships": []}))
        answer = self.server.good("find", session_id=self.workspace.load(file), text="how do the digits work")
        self.assertRegex(answer, r"^\d+ lessons?.*:\nN0040 ")
        self.assertNotIn("[how]", answer)

    def test_an_edit_is_found_at_once_and_its_undo_too(self):
        self.server.good("add_component", session_id=self.sid, node_id="N013", component_type="paragraph",
                         parameters={"text": "Zebras in stripes."})
        self.assertIn('N013 "Ratio tables", component', self.find(text="zebra"))
        self.server.good("undo", session_id=self.sid)
        self.assertIn("No lesson found", self.find(text="zebra"))

    def test_analysis_code_finds_the_same(self):
        code = ("import json\nfrom code_helpers import find\n"
                "print(json.dumps([find('ratios', limit=3), find(node_id='N010')['title'], find(in_='definition', sort='order')[0]]))")
        hits, title, first = json.loads(self.server.good("execute_code", session_id=self.sid, code=code).splitlines()[0])
        _, outside, _ = self.server.http("GET", "/session/%s/find?text=ratios&limit=3" % self.sid)
        self.assertEqual((hits, title, first["component_type"]), (outside["hits"], "What a ratio says", "definition"))
        is_error, answer = self.server.call("execute_code", session_id=self.sid,
                                            code="from code_helpers import find\nfind('ratio', in_='definiton')")
        self.assertTrue(is_error)
        self.assertIn("did you mean 'definition'", answer)
        is_error, answer = self.server.call("execute_code", session_id=self.sid,
                                            code="from code_helpers import find\nfind('x' * 1000000)")
        self.assertTrue(is_error)
        self.assertIn("send a shorter text", answer)


if __name__ == "__main__":
    unittest.main(verbosity=2)
