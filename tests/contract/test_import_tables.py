# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables as people and other programs save them: any encoding, separator and language of the headings; rows that cannot be read are named,
and the others come."""
import unittest

from test_formats import FormatCase


class Tables(FormatCase):
    def sheet(self, text, name="sheet.csv", *words):
        """(nodes as (id, title), relationships as (from, to, type), the curriculum, what the report says)"""
        back, said = self.load(self.write(name, text), *words)
        return ([(node["node_id"], node["title"]) for node in back["nodes"]],
                [(edge["from_node_id"], edge["to_node_id"], edge["relationship_type"]) for edge in back["relationships"]], back, said)

    def pair(self, nodes, edges, name="pair"):
        self.write(name + "/nodes.csv", nodes)
        self.write(name + "/edges.csv", edges)
        return self.load(self.folder / name)


class Encodings(Tables):
    TEXT = "Id,Title,Prerequisites\r\nL1,Größen – “naïf” €,\r\nL2,Œuvre,L1\r\n"
    NODES = [("L1", "Größen – “naïf” €"), ("L2", "Œuvre")]

    def test_encodings(self):
        for name, data, saying in (
                ("utf-8", self.TEXT.encode(), None),
                ("mark", self.TEXT.encode("utf-8-sig"), None),
                ("utf-16", self.TEXT.encode("utf-16"), "UTF-16"),
                ("big", b"\xfe\xff" + self.TEXT.encode("utf-16-be"), "UTF-16"),
                ("little without a mark", self.TEXT.encode("utf-16-le"), "UTF-16"),
                ("big without a mark", self.TEXT.encode("utf-16-be"), "UTF-16"),
                ("windows", self.TEXT.encode("cp1252"), "read as Windows-1252")):
            with self.subTest(name):
                nodes, edges, _, said = self.sheet(data)
                self.assertEqual((nodes, edges), (self.NODES, [("L1", "L2", "PREREQUISITE")]))
                self.assertNotIn("not certain", said)
                if saying:
                    self.assertIn(saying, said)
                else:
                    self.assertNotIn("Windows", said)

    def test_unicode_text_of_excel(self):
        nodes, edges, _, said = self.sheet(self.TEXT.replace(",", "\t").encode("utf-16"), "sheet.txt")
        self.assertEqual((nodes, edges), (self.NODES, [("L1", "L2", "PREREQUISITE")]))
        self.assertIn("sheet.txt: the file is UTF-16", said)
        nodes, _, _, said = self.sheet("# One\n\nText\n\n# Two\n", "notes.txt")
        self.assertEqual([title for _, title in nodes], ["One", "Two"])
        self.refused("import", self.write("letter.txt", "Dear all,\nhello\n"), saying=("letter.txt",))

    def test_an_encoding_that_is_not_certain_is_named(self):
        for text, code in (("Id,Title\nL1,Умножение\n", "cp1251"), ("Id,Title\rL1,Größe für Öl\r", "mac_roman")):
            nodes, _, _, said = self.sheet(text.encode(code))
            self.assertEqual([node[0] for node in nodes], ["L1"])
            self.assertIn("its encoding is not certain", said)
        nodes, _, _, said = self.sheet(b"Id,Title\nL1,caf\xe9 \x81\n")
        self.assertEqual(nodes, [("L1", "café \ufffd")])
        self.assertIn("a byte that is not a character (81) is kept as U+FFFD: ", said)
        self.assertIn(" line 2", said)

    def test_line_ends(self):
        for end in "\n", "\r\n", "\r":
            nodes, edges, _, said = self.sheet('Id,Title,Prerequisites%sL1,"A%sB",%sL2,Two,L1; L9%s'.replace("%s", end))
            self.assertEqual((nodes, edges), ([("L1", "A%sB" % end), ("L2", "Two")], [("L1", "L2", "PREREQUISITE")]))
            self.assertIn("line 4", said)

    def test_text_that_was_misread_is_named(self):
        wrong = "Größen".encode().decode("cp1252")
        nodes, _, _, said = self.sheet("Id,Title\nL1,Whole\nL2,%s messen\nL3,Âge à SÃO\n" % wrong)
        self.assertEqual(nodes[1], ("L2", wrong + " messen"))
        self.assertIn("line 3: '%s'" % wrong, said)
        self.assertNotIn("line 4", said)

    def test_exports_have_a_mark_and_come_back(self):
        long = "ü" * 32768
        curriculum = {"nodes": [{"node_id": "Ä", "title": "Größe", "note": long, "blank": "\u00a0"}, {"node_id": " ", "title": "  "}], "relationships": []}
        sid = self.workspace.load(self.write("in.json", curriculum))
        out = self.folder / "out"
        said = self.workspace.run("export", "--format", "csv", sid, str(out)).stderr.decode()
        self.assertIn("32,767", said)
        self.assertIn("'Ä'", said)
        for name in "nodes.csv", "relationships.csv":
            self.assertTrue((out / name).read_bytes().startswith(b"\xef\xbb\xbf"), name)
        self.assertEqual(self.load(out)[0], curriculum)


class Map(Tables):
    def test_a_column_that_no_sheet_has_is_named(self):
        sheet = "Id,Title,Builds on\nL1,One,\nL2,Two,L1\n"
        _, edges, _, said = self.sheet(sheet, "sheet.csv", "--map", "Bilds on=prerequisites")
        self.assertEqual(edges, [])
        self.assertIn("--map names a column that this sheet does not have", said)
        self.assertIn("line 1: 'Bilds on=prerequisites; the columns are Id, Title, Builds on'", said)
        _, edges, _, said = self.sheet(sheet, "sheet.csv", "--map", "builds on=prerequisites")
        self.assertEqual(edges, [("L1", "L2", "PREREQUISITE")])
        self.assertNotIn("does not have", said)

    def test_a_column_that_names_nothing_is_a_column(self):
        _, edges, _, said = self.sheet("Id,Title,Prerequisites\nL1,One,\nL2,Two,\n")
        self.assertEqual(edges, [])
        self.assertNotIn("no column is called", said)


class Rows(Tables):
    def test_several_columns_of_prerequisites(self):
        for heading in ("Id,Title,Prerequisite 1,Prerequisite 2", "Id,Title,Prereq_1,Prereq_2", "Id,Titel,Voraussetzung (1),Voraussetzung (2)",
                        "Id,Title,Prerequisites,Needs"):
            _, edges, _, said = self.sheet(heading + "\na,One,,\nb,Two,a,\nc,Three,a,Two\n")
            self.assertEqual(sorted((start, end) for start, end, _ in edges), [("a", "b"), ("a", "c"), ("b", "c")], said)

    def test_rows_of_blanks(self):
        blanks = ",,\n , ,\t\n\t,,\n\u00a0,\u202f,\u3000\n"
        back, said = self.pair("Id,Label,chapter\nA1,Count,Numbers\n" + blanks + "A2,Add,Numbers\n" + blanks,
                               "Source,Target,Type\nA1,A2,PREREQUISITE\n" + blanks)
        self.assertEqual([node["node_id"] for node in back["nodes"]], ["A1", "A2"])
        self.assertEqual(len(back["relationships"]), 1)
        self.assertNotIn("left out", said)
        self.assertEqual(self.sheet("\n,,\nId,Title,\nA,B,\n")[0], [("A", "B")])

    def test_ids_with_blanks_and_as_numbers(self):
        back, said = self.pair("Id,Label,hours:int\n 1 ,One, 3\n2,Two,4\u00a0\n", "Source,Target,Type\n1.0,2.0,PREREQUISITE\n")
        self.assertEqual([(node["node_id"], node["hours"]) for node in back["nodes"]], [("1", 3), ("2", 4)])
        self.assertEqual([(edge["from_node_id"], edge["to_node_id"]) for edge in back["relationships"]], [("1", "2")])
        self.assertEqual(said.count("blanks around ids and numbers"), 1)
        self.assertIn("ids in another form", said)
        self.assertEqual(self.sheet("Id,Title,Prerequisites\n1.0,A,\n2.0,B,1\n")[1], [("1.0", "2.0", "PREREQUISITE")])
        self.assertEqual(self.sheet("Id,Title,Prerequisites\n1,A,\n2,B,1.0\n")[1], [("1", "2", "PREREQUISITE")])

    def test_a_bad_row_does_not_stop_the_others(self):
        nodes, _, back, said = self.sheet("Id,Title,hours:int,components:json\nL1,Counting,2,,the basics\nL2,Adding,two,\n,Alone,1,\n,,5,\nL3,Broken,1,[1\n")
        self.assertEqual(nodes, [("L1", "Counting"), ("L2", "Adding"), ("Alone", "Alone"), ("L3", "Broken")])
        self.assertEqual(back["nodes"][1]["hours"], "two")
        for words in ("line 2: 'the basics'", "line 3: 'two'", "line 4: 'Alone'", "line 5", "line 6: '[1'"):
            self.assertIn(words, said)
        back, said = self.pair("Id\na\nb\n", "Source,Target\na,\na,b\nb,a,x,y\n")
        self.assertEqual(len(back["relationships"]), 2)
        self.assertIn("a row without Target is left out: ", said)
        self.assertIn("edges.csv line 2: 'a'", said)
        self.assertEqual(back["relationships"][1]["column 3"], "x")

    def test_two_rows_with_one_id(self):
        nodes, _, _, said = self.sheet("Id,Title\nA,One\nA,Two\nB,Three\n")
        self.assertEqual(len(nodes), 3)
        self.assertIn("another row has the same id", said)
        self.assertIn("line 3: 'A'", said)

    def test_titles_without_ids(self):
        nodes, edges, _, said = self.sheet("Title,Requires\nWhole numbers,\nAddition!,Whole numbers\nÜben,addition!\nÜben,\n數學,Whole numbers\n")
        self.assertEqual(nodes, [("Whole-numbers", "Whole numbers"), ("Addition", "Addition!"), ("Üben", "Üben"), ("Üben-2", "Üben"), ("數學", "數學")])
        self.assertEqual([edge[:2] for edge in edges], [("Whole-numbers", "Addition"), ("Addition", "Üben"), ("Whole-numbers", "數學")])
        self.assertIn("made from the titles", said)


class Quotes(Tables):
    """Quotes that do not follow RFC 4180 cost no row."""

    def cells(self, text, *words):
        nodes, _, back, said = self.sheet("Id,Title,Note\n" + text, "quotes.csv", *words)
        self.assertNotIn("Left out", said)
        return nodes, [node.get("Note") for node in back["nodes"]], said.replace(str(self.folder) + "/", "")

    def test_a_quote_that_is_never_closed(self):
        nodes, notes, said = self.cells('L1,"One,x\nL2,Two,y\nL3,Three,"open, with a comma\nL4,"Fo""u""r",z\nL5,"\n')
        self.assertEqual(nodes, [("L1", "One"), ("L2", "Two"), ("L3", "Three"), ("L4", 'Fo"u"r'), ("L5", "L5")])
        self.assertEqual(notes, ["x", "y", "open, with a comma", "z", None])
        self.assertIn('a quote is opened and never closed: it is left out, and its cell ends on its line (3): quotes.csv line 2: \'"One\'; '
                      'quotes.csv line 4: \'"open, with a comma\'; quotes.csv line 6: \'"\'', said)

    def test_lines_below_an_open_quote_are_rows(self):
        for below in 'L2,"Two, too",y', '"L2","Two, too","y"', 'L2,"Two, too","y"\r\n"L3",Three,':
            nodes, notes, said = self.cells('L1,One,"open\n' + below + "\n")
            self.assertEqual(nodes[:2], [("L1", "One"), ("L2", "Two, too")], below)
            self.assertEqual(notes[:2], ["open", "y"])
            self.assertIn("quotes.csv line 2: '\"open'", said)
        nodes, notes, said = self.cells('L1,One,"two\nlines"\nL2,Two,"a ""b""\n\nc"\n')
        self.assertEqual((notes, " line 2" in said), (["two\nlines", 'a "b"\n\nc'], False))

    def test_text_behind_a_closing_quote(self):
        nodes, _, said = self.cells('L1,"Macbeth" by Shakespeare,x\n"L2","Two" more\nL3,Three,"y"\n')
        self.assertEqual(nodes, [("L1", '"Macbeth" by Shakespeare'), ("L2", '"Two" more'), ("L3", "Three")])
        self.assertIn("a cell has text behind its closing quote: it is kept with its quotes (2): quotes.csv line 2: ", said)

    def test_quotes_that_are_not_doubled(self):
        nodes, notes, said = self.cells('L1,"He said "yes", and "no"",x\nL2,"a "b" c","line\nwith "one" more"\nL3,5" pipe,6"\nL4, "blank, before" ,z\n')
        self.assertEqual(nodes, [("L1", 'He said "yes'), ("L2", 'a "b" c'), ("L3", '5" pipe'), ("L4", "blank, before")])
        self.assertEqual(notes[1:], ['line\nwith "one" more', '6"', "z"])
        for words in ("not doubled: they are kept as text (3): quotes.csv line 2: ", "quotes.csv line 3: '\"line with \"one\" more\"'",
                      "a quote within a cell without quotes is its text (3)", "blanks between a separator and a quote are left out: quotes.csv line 6"):
            self.assertIn(words, said)

    def test_the_heading_too(self):
        for heading in '"Id,Title,Note', 'Id,"Title",Note"', 'Id, "Title",Note':
            nodes, _, back, said = self.sheet(heading + "\nL1,One,x\nL2,Two,y\n")
            self.assertEqual(nodes, [("L1", "One"), ("L2", "Two")])
            self.assertIn("line 1", said)


class Content(Tables):
    """Columns whose headings say nothing: their cells do, where they leave little doubt."""

    CHAIN = [("1", "2", "PREREQUISITE"), ("1", "3", "PREREQUISITE"), ("2", "3", "PREREQUISITE")]

    def rows(self, *rows, words=()):
        nodes, edges, back, said = self.sheet("".join("|".join(row) + "\n" for row in rows), "content.csv", *words)
        return nodes, edges, back, said.replace(str(self.folder) + "/", "")

    def test_languages(self):
        for heading in (("Codice", "Titolo", "Prerequisiti", "Ore"), ("Kod", "Tytuł", "Wymagania wstępne", "Godziny"), ("番号", "題名", "前提", "時間"),
                        ("Код", "Название", "Пререквизиты", "Часы"), ("Ref", "Aula dada", "Precisa de", "Tempo"), ("Id", "Titolo", "Prerequisiti", "Ore")):
            for first, second, third in ("L1", "L2", "L3"), ("M-10", "M-7", "M-2"), ("1", "2", "3"), ("zahl", "plus", "mal"):
                with self.subTest(heading=heading, first=first):
                    nodes, edges, back, said = self.rows(heading, (first, "Contare", "", "2"), (second, "Addizione", first, "3"),
                                                         (third, "数学 per", "%s, Addizione" % first, "3"))
                    self.assertEqual(nodes, [(first, "Contare"), (second, "Addizione"), (third, "数学 per")], said)
                    self.assertEqual(sorted(edges), sorted([(first, second, "PREREQUISITE"), (first, third, "PREREQUISITE"), (second, third, "PREREQUISITE")]))
                    self.assertEqual([node[heading[3]] for node in back["nodes"]], ["2", "3", "3"])
                    self.assertIn("a column is read as 'prerequisites' by its content; --map COLUMN=ROLE gives it another role, and --map COLUMN=field none: "
                                  "content.csv line 1: '%s'" % heading[2], said)
                    self.assertIn("a column is read as 'title' by its content", said)
                    self.assertEqual("a column is read as 'id' by its content" in said, heading[0] != "Id")

    def test_titles_without_ids(self):
        nodes, edges, _, _ = self.rows(("Titolo", "Descrizione", "Prerequisiti"), ("Contare", "Si impara a contare.", ""), ("Sommare", "Si somma.", "Contare"),
                                       ("Moltiplicare", "Di più.", "Sommare; Contare"))
        self.assertEqual([title for _, title in nodes], ["Contare", "Sommare", "Moltiplicare"])
        self.assertEqual(len(edges), 3)

    def test_an_id_that_is_not_the_first_column(self):
        nodes, edges, _, _ = self.rows(("Titolo", "Codice", "Prerequisiti"), ("Contare", "A1", ""), ("Sommare", "A2", "A1"), ("Dividere", "A3", "A1; A2"))
        self.assertEqual(nodes, [("A1", "Contare"), ("A2", "Sommare"), ("A3", "Dividere")])
        self.assertEqual(len(edges), 3)

    def test_numbered_columns_of_prerequisites(self):
        _, edges, _, said = self.rows(("Codice", "Titolo", "Prerequisito 1", "Prerequisito 2"), ("A1", "Uno", "", ""), ("A2", "Due", "A1", ""),
                                      ("A3", "Tre", "A2", "A1"), ("A4", "Quattro", "A3", "A2"))
        self.assertEqual(len(edges), 5, said)

    def test_what_is_not_certain_is_a_field(self):
        heading = "Codice", "Titolo", "X"
        rows = [("A%d" % n, "Lezione di " + name) for n, name in enumerate("uno due tre quattro cinque sei".split(), 1)]
        for column, why in ((("", "A1", "A1", "A1", "A1", "A1"), "one parent"), (("A2", "A3", "A4", "A5", "A6", ""), "the next row"),
                            (("A2", "A1", "A4", "A3", "A6", "A5"), "related rows"), (("", "A1", "x", "y", "z", "A5"), "names of no row"),
                            (("", "A1", "", "", "", ""), "one name"), (("A1", "A2", "A3", "A4", "A5", "A6"), "the row itself"),
                            (("", "1", "2", "2", "1", "1"), "numbers")):
            nodes, edges, back, said = self.rows(heading, *(row + (cell,) for row, cell in zip(rows, column, strict=True)))
            self.assertEqual((edges, [node.get("X", "") for node in back["nodes"]]), ([], list(column)), why)
            self.assertEqual(nodes, [(ident, title) for ident, title in rows])
            self.assertNotIn("'prerequisites' by its content", said)
        for column in ("2", "3", "1", "4", "2", "5"), ("", "1", "2", "1", "1", "2"), ("", "1", "", "1", "", "1"), ("", "", "1", "", "1", ""):
            _, edges, _, _ = self.rows(heading, *((str(n), title, cell) for n, ((_, title), cell) in enumerate(zip(rows, column, strict=True), 1)))
            self.assertEqual(edges, [], column)

    def test_a_heading_that_is_known_is_not_guessed(self):
        for heading in "Parent", "Related to", "Übergeordnet", "Siguiente", "Suivant", "Leads to":
            _, edges, back, said = self.rows(("Id", "Title", heading), ("a", "One", ""), ("b", "Two", "a"), ("c", "Three", "b"))
            self.assertEqual((edges, back["nodes"][1][heading]), ([], "a"))
            self.assertNotIn("by its content", said)

    def test_the_user_decides(self):
        rows = ("Codice", "Titolo", "Legame"), ("A1", "Uno", ""), ("A2", "Due", "A1"), ("A3", "Tre", "A2; A1")
        self.assertEqual(len(self.rows(*rows)[1]), 3)
        _, edges, back, said = self.rows(*rows, words=("--map", "Legame=field"))
        self.assertEqual((edges, back["nodes"][1]["Legame"]), ([], "A1"))
        self.assertNotIn("'prerequisites' by its content", said)
        nodes, _, _, _ = self.rows(*rows, words=("--map", "Titolo=field"))
        self.assertEqual([title for _, title in nodes], ["A1", "A2", "A3"])

    def test_no_row_of_headings(self):
        for rows in ((("L1", "Contare", ""), ("L2", "Sommare", "L1"), ("L3", "Dividere", "L2; L1")), (("p", "Contare", ""), ("q", "Sommare", "p"), ("r", "Dividere", "q, p")),
                     (("L1", "Contare"), ("L2", "Sommare"), ("L3", "Dividere"))):
            nodes, edges, _, said = self.rows(*rows)
            self.assertEqual(nodes, [row[:2] for row in rows])
            self.assertEqual(len(edges), 3 if len(rows[0]) > 2 else 0)
            self.assertIn("the sheet has no row of headings", said)
        nodes, _, _, said = self.rows(*rows, words=("--map", "column 2=field", "--map", "column 1=title"))
        self.assertEqual([title for _, title in nodes], ["L1", "L2", "L3"], said)
        nodes, _, _, said = self.rows(("Nome", "Cognome"), ("L2", "Sommare"), ("L3", "Dividere"))
        self.assertEqual(len(nodes), 2)
        self.assertNotIn("no row of headings", said)

    def test_ends_of_relationships(self):
        for rows, edges in ((("Inizio", "Fine"), ("L1", "L2"), ("L2", "L3"), ("L2", "L4")), 3), ((("L1", "L2"), ("L2", "L3"), ("L2", "L4")), 3), \
                ((("1", "2"), ("2", "3"), ("1", "3")), 3), ((("Da", "A", "Peso"), ("Contare", "Sommare", "1"), ("Sommare", "Dividere", "2")), 2), \
                ((("Da", "Verso"), ("Contare", "Sommare"), ("Sommare", "Dividere"), ("Dividere", "Alzare a potenza")), 3):
            nodes, back, _, said = self.rows(*rows)
            wanted = [row[:2] + ("LEADS_TO",) for row in rows[-edges:]]
            self.assertEqual(sorted(back), sorted(wanted), said)
            self.assertEqual({ident for ident, _ in nodes}, {ident for edge in wanted for ident in edge[:2]})
            self.assertIn("a column is read as 'source' by its content; --map", said)
            self.assertEqual("the sheet has no row of headings" in said, len(rows) == edges)
        _, edges, _, _ = self.rows(("A", "Da"), ("L2", "L1"), ("L3", "L2"))
        self.assertEqual(edges, [("L1", "L2", "LEADS_TO"), ("L2", "L3", "LEADS_TO")])
        _, edges, _, _ = self.rows(("Da", "Verso"), ("L1", "L2"), ("L2", "L3"), words=("--map", "Da=target", "--map", "Verso=source"))
        self.assertEqual(edges, [("L2", "L1", "LEADS_TO"), ("L3", "L2", "LEADS_TO")])

    def test_columns_that_are_no_ends(self):
        for rows, why in ((("Uno", "Due"), ("08:00", "09:00"), ("09:00", "10:00")), "times"), ((("Uno", "Due"), ("2026-01-01", "2026-01-02"), ("2026-01-02", "2026-01-03")), "dates"), \
                ((("Uno", "Due"), ("x", "y"), ("y", "y")), "a row with itself"), ((("Uno", "Due"), ("x", "y"), ("y", "x"), ("x", "y")), "a row twice"), \
                ((("Uno", "Due"), ("x", "p"), ("y", "q"), ("x", "q")), "no common names"), ((("Uno", "Due", "Tre"), ("1", "2", "3"), ("2", "3", "3"), ("2", "1", "3")), "numbers"):
            done = self.workspace.run("import", "--dry-run", str(self.write("odd.csv", "".join("|".join(row) + "\n" for row in rows))), check=False)
            self.assertNotIn("'source' by its content", done.stderr.decode(), why)
        nodes, edges, _, said = self.rows(("Codice", "Sopra", "Titolo"), ("x", "y", "Contare"), ("y", "z", "Sommare"), ("z", "w", "Dividere"))
        self.assertEqual([title for _, title in nodes], ["Contare", "Sommare", "Dividere"], said)

    def test_relationships_beside_it(self):
        back, _ = self.pair("Id,Label,Legame\na,One,\nb,Two,a\nc,Three,b\n", "Source,Target,Type\na,c,PREREQUISITE\n")
        self.assertEqual(len(back["relationships"]), 1)

    def test_a_sheet_that_says_nothing_is_refused(self):
        self.refused("import", self.write("odd.csv", "Uno,Due\n1.5,x\n1.5,x\n"), saying=("no column is called Id",))


class Headings(Tables):
    def test_languages_and_separators(self):
        for heading in (("Id", "Title", "Prerequisites", "Chapter"), ("Kennung", "Bezeichnung", "VORAUSSETZUNGEN", "Kapitel"),
                        ("Identifiant", "Titre", "Pré-requis", "Chapitre"), ("Código", "Título", "Requisitos previos", "Capítulo"),
                        ("node_id", "label", "depends on", "chapter"), ("Nr.", "Thema", "Voraussetzung", "kapitel"), ("N°", "Leçon", "Prerequis", "chapitre")):
            for separator in ",;\t|":
                with self.subTest(heading=heading, separator=separator):
                    inner = ";" if separator == "," else ","
                    rows = [heading, ("1", "One", "", "Start"), ("2", "Two", "1", "Start"), ("3", "Three", "one" + inner + " 2", "Start")]
                    nodes, edges, back, _ = self.sheet("".join(separator.join(row) + "\n" for row in rows))
                    self.assertEqual(nodes, [("1", "One"), ("2", "Two"), ("3", "Three")])
                    self.assertEqual(edges, [("1", "2", "PREREQUISITE"), ("1", "3", "PREREQUISITE"), ("2", "3", "PREREQUISITE")])
                    self.assertEqual({node["chapter"] for node in back["nodes"]}, {"Start"})

    def test_order(self):
        nodes, _, _, said = self.sheet("Id,Titel,Reihenfolge\nc,C,3\na,A,1\nd,D,\nb,B,2\n")
        self.assertEqual([node[0] for node in nodes], ["a", "b", "c", "d"])
        self.assertIn("in the order of a column", said)
        nodes, _, _, _ = self.sheet("Id,Title,Chapter,Order\nb,B,One,2\na,A,One,1\nd,D,Two,2\nc,C,Two,1\n")
        self.assertEqual([node[0] for node in nodes], ["a", "b", "c", "d"])

    def test_courses_named_by_a_word(self):
        nodes, edges, _, _ = self.sheet("Course,Title,Prerequisites\nCS1,Programs,\nCS2,Structures,CS1\n")
        self.assertEqual((nodes, edges), ([("CS1", "Programs"), ("CS2", "Structures")], [("CS1", "CS2", "PREREQUISITE")]))
        nodes, edges, _, _ = self.sheet("Course,Title,Prerequisites\nMath,Count,\nMath,Add,Count\n")
        self.assertEqual((nodes, edges), ([("Count", "Count"), ("Add", "Add")], [("Count", "Add", "PREREQUISITE")]))

    def test_edges_alone(self):
        text = "Source,Target,Type,Weight\nCounting,Adding,Directed,1\nAdding,Times,Directed,2\n"
        expected = [(name, name) for name in ("Counting", "Adding", "Times")]
        for name in "edges.csv", "folder/edges.csv", "any.csv":
            path = self.write(name, text)
            back, said = self.load(self.folder / "folder" if "/" in name else path)
            self.assertEqual([(node["node_id"], node["title"]) for node in back["nodes"]], expected)
            self.assertEqual([edge["Weight"] for edge in back["relationships"]], [1, 2])
            self.assertIn("the nodes are made of their ends (3)", said)
        for heading in "Quelle;Ziel;Typ", "Origen|Destino|Tipo", "Origine\tCible\tType", "From,To,Kind":
            separator = next(one for one in ";|\t," if one in heading)
            nodes, edges, _, _ = self.sheet(heading + "\n" + separator.join(("A", "B", "PREREQUISITE")) + "\n")
            self.assertEqual((nodes, edges), ([("A", "A"), ("B", "B")], [("A", "B", "PREREQUISITE")]))

    def test_types_in_other_letters(self):
        _, edges, back, said = self.sheet("From,To,Type\na,b,Prerequisite\nb,c,leads to\nc,d,related\n")
        self.assertEqual([kind for _, _, kind in edges], ["PREREQUISITE", "LEADS_TO", "related"])
        self.assertIn("a type of relationships in other letters is written as PREREQUISITE: sheet.csv line 2: 'Prerequisite'", said)
        again = self.load(self.round_trip({**back, "relationships": [dict(back["relationships"][0], relationship_type="prerequisite")]}, "csv"))[0]
        self.assertEqual(again["relationships"][0]["relationship_type"], "prerequisite")   # our own sheets are exact

    def test_one_file_with_all(self):
        text = '"_id","_labels","name","hours","_start","_end","_type"\n"0",":Lesson","Count","2",,,\n"1",":Lesson","Add","3",,,\n,,,,"0","1","PREREQUISITE"\n'
        for name in "all.csv", "folder/nodes.csv":
            path = self.write(name, text)
            back, _ = self.load(self.folder / "folder" if "/" in name else path)
            self.assertEqual([(node["node_id"], node["title"], node["hours"]) for node in back["nodes"]], [("0", "Count", "2"), ("1", "Add", "3")])
            self.assertEqual(back["relationships"], [{"from_node_id": "0", "to_node_id": "1", "relationship_type": "PREREQUISITE"}])

    def test_bars_of_neo4j(self):
        back, _ = self.pair("id:ID(Lesson)|name:STRING|tags:string[]|:LABEL\n0|Count|a;b|Lesson\n1|Add|c|Lesson;Core\n",
                            ":START_ID(Lesson)|:END_ID(Lesson)|:TYPE\n0|1|PREREQUISITE\n")
        self.assertEqual([(node["node_id"], node["title"], node["tags"], node["node_type"]) for node in back["nodes"]],
                         [("0", "Count", ["a", "b"], "Lesson"), ("1", "Add", ["c"], "Lesson;Core")])
        self.assertEqual(len(back["relationships"]), 1)

    def test_map(self):
        text = "Ref,What,Builds on,Secret\nA,One,,x\nB,Two,A,y\n"
        self.assertIn("no column is called Prerequisites", self.sheet("Id,Title,Builds on\nA,One,\n")[3])
        self.assertIn("--map", self.sheet("Id,Title,Builds on\nA,One,\n")[3])
        words = [word for one in ("ref=id", "What=title", "BUILDS ON=prerequisites", "Secret=ignore") for word in ("--map", one)]
        nodes, edges, back, _ = self.sheet(text, "map.csv", *words)
        self.assertEqual((nodes, edges), ([("A", "One"), ("B", "Two")], [("A", "B", "PREREQUISITE")]))
        self.assertNotIn("Secret", back["nodes"][0])
        for wrong in "Ref", "Ref=ids", "=id":
            self.refused("import", "--map", wrong, self.write("map.csv", text), saying=("--map " + wrong, "COLUMN=ROLE"))

    def test_dates_are_no_edges(self):
        nodes, edges, back, _ = self.sheet("Id,Title,Start,End\nA,One,May,June\nB,Two,June,July\n")
        self.assertEqual((nodes, edges), ([("A", "One"), ("B", "Two")], []))
        self.assertEqual(back["nodes"][0]["Start"], "May")


if __name__ == "__main__":
    unittest.main()
