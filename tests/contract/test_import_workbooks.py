# SPDX-License-Identifier: GPL-3.0-or-later
"""Workbooks (.xlsx) as openpyxl writes them, and parts of other writers by hand: the sheets come as sheets of CSV do."""
import datetime
import io
import json
import pathlib
import tempfile
import unittest
import zipfile

import openpyxl

import harness

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
STRICT = "http://purl.oclc.org/ooxml/spreadsheetml/main"


class Workbooks(unittest.TestCase):
    def setUp(self):
        self.workspace = harness.Workspace()
        self.addCleanup(self.workspace.close)
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.path = pathlib.Path(kept.name) / "plan.xlsx"

    def save(self, **sheets):
        book = openpyxl.Workbook()
        book.remove(book.active)
        for name, rows in sheets.items():
            sheet = book.create_sheet(name.replace("_", " "))
            for row in rows:
                sheet.append(row)
        book.save(self.path)
        return book

    def parts(self, **replaced):
        """A workbook of these parts, by hand."""
        names = {"workbook": "xl/workbook.xml", "relations": "xl/_rels/workbook.xml.rels", "sheet": "xl/worksheets/sheet1.xml",
                 "texts": "xl/sharedStrings.xml", "styles": "xl/styles.xml"}
        with zipfile.ZipFile(self.path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("[Content_Types].xml", "<Types/>")
            for part, text in replaced.items():
                archive.writestr(names[part], text)

    def sheet(self, rows, namespace=MAIN, settings="", more=""):
        self.parts(workbook=f'<x:workbook xmlns:x="{namespace}" xmlns:r="urn:r">{settings}<x:sheets><x:sheet name="Plan" sheetId="9" r:id="rId7"/></x:sheets>'
                            "</x:workbook>",
                   relations='<Relationships><Relationship Id="rId7" Target="/xl/worksheets/sheet1.xml"/></Relationships>',
                   styles=more or "<styleSheet/>", sheet=f'<x:worksheet xmlns:x="{namespace}"><x:sheetData>{rows}</x:sheetData></x:worksheet>')

    def load(self, *words):
        done = self.workspace.run("import", *words, str(self.path))
        return json.loads(self.workspace.run("export", done.stdout.decode().split()[-1]).stdout), done.stderr.decode()

    def refused(self, *words):
        done = self.workspace.run("import", str(self.path), check=False)
        self.assertEqual((done.returncode, done.stdout), (1, b""))
        for word in words:
            self.assertIn(word, done.stderr.decode())

    def edges(self, back):
        return sorted((edge["from_node_id"], edge["relationship_type"], edge["to_node_id"]) for edge in back["relationships"])


class Sheets(Workbooks):
    def test_lessons_with_prerequisites(self):
        self.save(Lessons=[["Nr", "Titel", "Voraussetzungen", "Lernziele"], [1, "Brüche", None, "kürzen"], [2, "Prozente", 1, "rechnen"],
                           [3, "Zinsen", "1; Prozente", None]])
        back, _ = self.load()
        self.assertEqual([(node["node_id"], node["title"]) for node in back["nodes"]], [("1", "Brüche"), ("2", "Prozente"), ("3", "Zinsen")])
        self.assertEqual(back["nodes"][0]["Lernziele"], "kürzen")
        self.assertEqual(self.edges(back), [("1", "PREREQUISITE", "2"), ("1", "PREREQUISITE", "3"), ("2", "PREREQUISITE", "3")])

    def test_headings_of_any_language(self):
        self.save(課程=[["番号", "題名", "前提", "時間"], [1, "数える", None, 2], [2, "足す", "1", 3], [3, "掛ける", "1; 2", 3]])
        back, said = self.load()
        self.assertEqual([(node["node_id"], node["title"], node["時間"]) for node in back["nodes"]], [("1", "数える", 2), ("2", "足す", 3), ("3", "掛ける", 3)])
        self.assertEqual(self.edges(back), [("1", "PREREQUISITE", "2"), ("1", "PREREQUISITE", "3"), ("2", "PREREQUISITE", "3")])
        self.assertIn("a column is read as 'prerequisites' by its content", said)
        self.save(Plan=[["Spesa", "Euro"], ["x y", 1.5], ["x y", 1.5]])
        self.refused("no column is called Id")

    def test_no_row_of_headings(self):
        """The first lesson needs nothing, so that its row is shorter than the others."""
        for first, second, third in ("L1", "L2", "L3"), (1, 2, 3):
            self.save(Plan=[["School year 2026"], [first, "Counting", None], [], [second, "Adding", first], [third, "Dividing", f"{second}, {first}"]])
            back, said = self.load()
            names = [str(first), str(second), str(third)]
            self.assertEqual([(node["node_id"], node["title"]) for node in back["nodes"]], list(zip(names, ["Counting", "Adding", "Dividing"], strict=True)), said)
            self.assertEqual(len(self.edges(back)), 3, said)
            self.assertIn("the sheet has no row of headings", said)
            self.assertIn("cells stand above the row of headings: Plan line 1: 'School year 2026'", said)
        self.save(Plan=[["L1", "L2"], ["L2", "L3"], ["L2", "L4"]])
        self.assertEqual(self.edges(self.load()[0]), [("L1", "LEADS_TO", "L2"), ("L2", "LEADS_TO", "L3"), ("L2", "LEADS_TO", "L4")])

    def test_values_of_every_type(self):
        self.save(Lessons=[["Id", "Title", "Minutes", "Weight", "Optional", "Date", "At"],
                           ["a", "One", 45, 0.1, True, datetime.date(2026, 3, 31), datetime.datetime(2026, 3, 31, 9, 30)],
                           ["b", "Two", 90, 2.5, False, datetime.date(1999, 12, 31), datetime.datetime(2000, 1, 1)]])
        one, two = self.load()[0]["nodes"]
        self.assertEqual((one["Minutes"], one["Weight"], one["Optional"], one["Date"], one["At"]), (45, 0.1, True, "2026-03-31", "2026-03-31 09:30:00"))
        self.assertEqual((two["Minutes"], two["Optional"], two["Date"]), (90, False, "1999-12-31"))

    def test_a_sheet_of_relationships(self):
        self.save(Kanten=[["Source", "Target", "Type"], ["a", "b", "ENRICHMENT"]], Lessons=[["Id", "Title"], ["a", "One"], ["b", "Two"]])
        self.assertEqual(self.edges(self.load()[0]), [("a", "ENRICHMENT", "b")])

    def test_relationships_alone(self):
        self.save(Edges=[["Source", "Target"], ["a", "b"], ["b", "c"]])
        back, _ = self.load()
        self.assertEqual([node["node_id"] for node in back["nodes"]], ["a", "b", "c"])

    def test_a_sheet_for_each_chapter(self):
        """Columns in another order and with another name; prerequisites across the sheets."""
        self.save(Algebra=[["Id", "Title", "Hours"], ["a", "One", 2]], Geometry=[["Title", "Id", "Prerequisites", "Room"], ["Two", "b", "One", "R1"]])
        back, _ = self.load()
        self.assertEqual([(node["node_id"], node.get("Hours"), node.get("Room")) for node in back["nodes"]], [("a", 2, None), ("b", None, "R1")])
        self.assertEqual(self.edges(back), [("a", "PREREQUISITE", "b")])

    def test_a_title_above_the_headings(self):
        self.save(Plan=[["School year 2026"], [], [None, "Id", "Title"], [None, "a", "One"], [], [None, "b", "Two"]])
        back, said = self.load()
        self.assertEqual([node["title"] for node in back["nodes"]], ["One", "Two"])
        self.assertIn("cells stand above the row of headings: Plan line 1: 'School year 2026'", said)

    def test_sheets_without_lessons(self):
        self.save(Lessons=[["Id", "Title"], ["a", "One"]], Remarks=[["Ask the office."]], Empty=[])
        _, said = self.load()
        self.assertIn("Left out (1):\n- sheets have no column with an id or a title: Remarks\n", said)

    def test_formulas_bring_their_saved_value(self):
        """openpyxl computes nothing; other programs save the value beside the formula."""
        self.sheet('<x:row r="1"><x:c r="A1" t="inlineStr"><x:is><x:t>Id</x:t></x:is></x:c><x:c r="B1" t="inlineStr"><x:is><x:t>Title</x:t></x:is></x:c></x:row>'
                   '<x:row r="2"><x:c r="A2"><x:f>1+1</x:f><x:v>2</x:v></x:c><x:c r="B2" t="str"><x:f>"O"&amp;"ne"</x:f><x:v>One</x:v></x:c></x:row>'
                   '<x:row r="3"><x:c r="A3"><x:v>3</x:v></x:c><x:c r="B3" t="e"><x:f>1/0</x:f><x:v>#DIV/0!</x:v></x:c></x:row>', STRICT)
        back, said = self.load()
        self.assertEqual([(node["node_id"], node["title"]) for node in back["nodes"]], [("2", "One"), ("3", "#DIV/0!")])
        self.assertIn("cells have an error instead of a value: it is kept as text: Plan: '#DIV/0!'", said)

    def test_days_since_1904(self):
        cells = "".join('<x:c t="inlineStr"><x:is><x:t>%s</x:t></x:is></x:c>' % word for word in ("Id", "Title", "Day"))
        self.sheet(f'<x:row>{cells}</x:row><x:row><x:c><x:v>1</x:v></x:c><x:c t="inlineStr"><x:is><x:r><x:t>O</x:t></x:r><x:r><x:t>ne</x:t></x:r>'
                   '<x:rPh><x:t>ワン</x:t></x:rPh></x:is></x:c><x:c s="1"><x:v>0.5</x:v></x:c></x:row>'
                   '<x:row><x:c><x:v>2</x:v></x:c><x:c t="inlineStr"><x:is><x:t>Two</x:t></x:is></x:c><x:c s="1"><x:v>1</x:v></x:c></x:row>',
                   settings='<x:workbookPr date1904="1"/>',
                   more=f'<styleSheet xmlns="{MAIN}"><numFmts><numFmt numFmtId="170" formatCode="[$-407]d\\. mmmm yyyy"/></numFmts>'
                        '<cellXfs><xf numFmtId="0"/><xf numFmtId="170"/></cellXfs></styleSheet>')
        one, two = self.load()[0]["nodes"]
        self.assertEqual((one["title"], one["Day"], two["Day"]), ("One", "0.5", "1904-01-02"))

    def test_the_option_map(self):
        self.save(Lessons=[["Code", "Thema", "Builds on"], ["a", "One", None], ["b", "Two", "a"]])
        back, _ = self.load("--map", "Builds on=prerequisites")
        self.assertEqual(self.edges(back), [("a", "PREREQUISITE", "b")])


class Faults(Workbooks):
    def test_no_headings(self):
        self.save(Lessons=[["one", "two"], ["three", "four"]])
        self.refused("no sheet has a row of headings such as Id, Title, Prerequisites")

    def test_no_workbook(self):
        self.path.write_bytes(b"Id,Title\na,One\n")
        self.refused("is not a workbook: save it again as .xlsx, or as .csv")

    def test_entities(self):
        self.sheet("")
        self.parts(workbook='<!DOCTYPE a [<!ENTITY b "c">]><workbook><sheets><sheet name="&b;" id="r"/></sheets></workbook>')
        self.refused("declares entities")

    def test_missing_parts(self):
        self.parts(workbook='<workbook><sheets><sheet name="Plan" id="r"/><sheet/></sheets></workbook>')
        self.refused("no sheet has a row of headings")

    def test_far_cells(self):
        cells = "".join('<x:c t="inlineStr"><x:is><x:t>%s</x:t></x:is></x:c>' % word for word in ("Id", "Title"))
        self.sheet(f'<x:row r="1">{cells}</x:row><x:row r="4294967295">{cells}<x:c r="XFD9"><x:v>1</x:v></x:c><x:c r="ZZZZZZZZZZ1"><x:v>1</x:v></x:c></x:row>')
        back, said = self.load()
        self.assertEqual(len(back["nodes"]), 1)
        self.assertIn("cells stand beyond column 1024 (2)", said)

    def test_many_rows(self):
        buffer = io.StringIO()
        buffer.write('<x:row><x:c t="inlineStr"><x:is><x:t>Id</x:t></x:is></x:c></x:row>')
        for number in range(200000):
            buffer.write("<x:row><x:c><x:v>%d</x:v></x:c></x:row>" % number)
        self.sheet(buffer.getvalue())
        done = self.workspace.run("import", "--dry-run", str(self.path))
        self.assertIn("200000 nodes", done.stderr.decode())


if __name__ == "__main__":
    unittest.main()
