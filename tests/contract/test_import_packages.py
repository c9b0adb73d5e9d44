# SPDX-License-Identifier: GPL-3.0-or-later
"""Course packages written after their specifications, as the tools write them: Open edX (OLX) and IMS Common Cartridge."""
import io
import json
import pathlib
import tarfile
import tempfile
import unittest
import zipfile

import harness


class Packages(unittest.TestCase):
    def setUp(self):
        self.workspace = harness.Workspace()
        self.addCleanup(self.workspace.close)
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.path = pathlib.Path(kept.name)

    def tar(self, files, name="course.tar.gz"):
        path = self.path / name
        with tarfile.open(path, "w:gz") as archive:
            for entry, text in files.items():
                content = text.encode() if isinstance(text, str) else text
                member = tarfile.TarInfo(entry)
                member.size = len(content)
                archive.addfile(member, io.BytesIO(content))
        return path

    def zip(self, files, name="course.imscc"):
        path = self.path / name
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for entry, text in files.items():
                archive.writestr(entry, text)
        return path

    def folder(self, files, name="unpacked"):
        for entry, text in files.items():
            path = self.path / name / entry
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode() if isinstance(text, str) else text)
        return self.path / name

    def load(self, path, *words):
        done = self.workspace.run("import", *words, str(path))
        self.sid = done.stdout.decode().split()[-1]
        return json.loads(self.workspace.run("export", self.sid).stdout), done.stderr.decode()

    def refused(self, path, *words):
        done = self.workspace.run("import", str(path), check=False)
        self.assertEqual((done.returncode, done.stdout), (1, b""))
        for word in words:
            self.assertIn(word, done.stderr.decode())

    def needs(self, back):
        for edge in back["relationships"]:
            self.assertEqual(edge["relationship_type"], "PREREQUISITE")
        return [(edge["from_node_id"], edge["to_node_id"]) for edge in back["relationships"]]

    def parts(self, back, node):
        found = [entry for entry in back["nodes"] if entry["node_id"] == node]
        self.assertEqual(len(found), 1, node)
        return [(part["type"], part["parameters"]) for part in found[0]["components"]]

    def says(self, said, *lines):
        for line in lines:
            self.assertIn(line, said)


PROBLEM = """<problem display_name="Check" max_attempts="2">
<p>Look at the rule.</p>
<multiplechoiceresponse><label>Which is <em>even</em>?</label><choicegroup type="MultipleChoice">
<choice correct="false">3</choice><choice correct="true">4 <choicehint>Right.</choicehint></choice></choicegroup>
<solution><p>4 is 2 times 2.</p></solution></multiplechoiceresponse>
<choiceresponse><label>Which are odd?</label><checkboxgroup>
<choice correct="true">1</choice><choice correct="false">2</choice><choice correct="true">5</choice></checkboxgroup></choiceresponse>
<optionresponse><label>Bigger?</label><optioninput options="('two','three')" correct="three"/></optionresponse>
<optionresponse><label>Smaller?</label><optioninput><option correct="True">two</option><option correct="False">three</option></optioninput></optionresponse>
<stringresponse answer="Berlin" type="ci"><label>Capital?</label><additional_answer answer="City of Berlin"/><textline size="20"/></stringresponse>
<numericalresponse answer="200"><label>Half of 400?</label><responseparam type="tolerance" default="5%"/><formulaequationinput/></numericalresponse>
<demandhint><hint>Think.</hint><hint>Divide.</hint></demandhint>
</problem>"""
OLX = {
    "course.xml": '<course url_name="2026_T1" org="Lectern" course="M101"/>',
    "course/2026_T1.xml": '<course display_name="Numbers" language="en"><chapter url_name="ch1"/><chapter url_name="ch2"/><wiki slug="M101"/></course>',
    "chapter/ch1.xml": '<chapter display_name="Week 1"><sequential url_name="count"/><sequential url_name="even"/></chapter>',
    "chapter/ch2.xml": '<chapter display_name="Week 2"><sequential url_name="inline" display_name="All in one" format="Homework">'
                       '<vertical display_name="Page"><html><p>Inline <b>text</b>.</p></html></vertical></sequential></chapter>',
    "sequential/count.xml": '<sequential display_name="Counting"><vertical url_name="v1"/></sequential>',
    "sequential/even.xml": '<sequential display_name="Even numbers"><vertical url_name="v2"/></sequential>',
    "vertical/v1.xml": '<vertical display_name="Start"><html url_name="h1"/><video url_name="film"/><discussion url_name="d1" display_name="Say hello"/></vertical>',
    "vertical/v2.xml": '<vertical display_name="Test"><problem url_name="p1"/><lti_consumer url_name="tool" display_name="Outside"/></vertical>',
    "html/h1.xml": '<html filename="h1" display_name="Text"/>',
    "html/h1.html": '<h2>Numbers</h2><p>See <a href="https://example.org/a b">this</a> and x<sup>2</sup> &nbsp;&amp; <em>more</em>.</p>'
                    '<ol><li>One</li><li>Two <ul><li>inner</li></ul></li></ol><ul><li>a</li><li>b</li></ul>'
                    '<blockquote><p>Said</p></blockquote><pre>x = 1\n  y</pre><img src="/static/a.png" alt="A hand"/>'
                    '<table><tr><th>n</th><th>2n</th></tr><tr><td>1</td><td>2</td></tr></table><script>alert(1)</script><style>p{}</style>',
    "video/film.xml": '<video url_name="film" display_name="A film" youtube="1.00:abcDEF" sub="abc"><source src="https://example.org/a.mp4"/><transcript language="de" src="film-de.srt"/></video>',
    "problem/p1.xml": PROBLEM,
    "policies/2026_T1/policy.json": '{"course/2026_T1": {"start": "2026-01-01"}, "sequential/even": '
                                    '{"prereq": "block-v1:Lectern+M101+2026_T1+type@sequential+block@count", "min_score": 80}}',
    "drafts/vertical/v9.xml": "<vertical/>",
    "static/a.png": b"\x89PNG",
    "static/table.csv": "Id,Title\nA,One\n",
    "about/overview.html": "<p>About</p>",
    "vertical/orphan.xml": "<vertical/>",
}


class Olx(Packages):
    def check(self, path):
        back, said = self.load(path)
        self.assertEqual([(node["node_id"], node["title"], node["chapter"], node["chapter_id"]) for node in back["nodes"]],
                         [("count", "Counting", "Week 1", 1), ("even", "Even numbers", "Week 1", 1), ("inline", "All in one", "Week 2", 2)])
        self.assertEqual(self.needs(back), [("count", "even")])
        self.assertIn("80 percent", back["relationships"][0]["explanation"])
        self.assertEqual({key: back["meta"][key] for key in ("title", "org", "course", "run", "start")},
                         {"title": "Numbers", "org": "Lectern", "course": "M101", "run": "2026_T1", "start": "2026-01-01"})
        return back, said

    def test_course(self):
        back, said = self.check(self.tar({"course/" + name: text for name, text in OLX.items()}))
        self.assertEqual(self.parts(back, "count"), [
            ("heading", {"text": "Start"}),
            ("heading", {"text": "Numbers"}),
            ("paragraph", {"text": "See [this](<https://example.org/a b>) and x^2 \u00a0& *more*."}),
            ("step-sequence", {"steps": ["One", "Two\n\n- inner"]}),
            ("paragraph", {"text": "- a\n- b"}),
            ("paragraph", {"text": "> Said"}),
            ("paragraph", {"text": "```\nx = 1\n  y\n```"}),
            ("paragraph", {"text": "![A hand](/static/a.png)"}),
            ("paragraph", {"text": "| n | 2n |\n| --- | --- |\n| 1 | 2 |"}),
            ("paragraph", {"text": "Video: [A film](https://www.youtube.com/watch?v=abcDEF)\n\nTranscript: abc; de: film-de.srt"}),
        ])
        self.assertEqual(back["nodes"][0]["components"][1]["url_name"], "h1")
        self.assertEqual(back["nodes"][0]["components"][1]["display_name"], "Text")
        self.assertEqual(self.parts(back, "inline"), [("heading", {"text": "Page"}), ("paragraph", {"text": "Inline **text**."})])
        self.assertEqual(back["nodes"][2]["format"], "Homework")
        self.says(said, "(LTI) (2): ", "discussion: Say hello", "lti_consumer: Outside", "drafts:", "static, assets), which are named in its text (2)",
                  "blocks that no other block names: vertical/orphan.xml", "scripts and styles of pages (2)", "settings of blocks that have no place",
                  "'max_attempts'", "such as its wiki:", "pages and settings around the course")
        self.assertNotIn("rule", said.lower())

    def test_problems(self):
        back, _ = self.check(self.tar(OLX))
        self.assertEqual([part for kind, part in self.parts(back, "even") if kind == "question"], [
            {"kind": "choice", "prompt": "Look at the rule.\n\nWhich is *even*?", "options": ["3", "4"], "answer": "4"},
            {"kind": "choice", "prompt": "Which are odd?", "options": ["1", "2", "5"], "answer": ["1", "5"]},
            {"kind": "choice", "prompt": "Bigger?", "options": ["two", "three"], "answer": "three"},
            {"kind": "choice", "prompt": "Smaller?", "options": ["two", "three"], "answer": "two"},
            {"kind": "text", "prompt": "Capital?", "answer": ["Berlin", "City of Berlin"]},
            {"kind": "number", "prompt": "Half of 400?", "answer": "200", "tolerance": 10.0, "explanation": "4 is 2 times 2.", "hints": ["Think.", "Divide."]},
        ])

    def test_folders(self):
        back, said = self.check(self.folder(OLX))
        inside, _ = self.check(self.folder({"course/" + name: text for name, text in OLX.items()}, "outer"))
        self.assertEqual(inside["nodes"], back["nodes"])
        self.refused(self.path / "unpacked" / "course.xml", "import the whole export of Studio", "course.tar.gz")

    def test_files_beside_the_course(self):
        _, said = self.load(self.tar({**{"course/" + name: text for name, text in OLX.items()}, "a": "x", "readme.xml": "<p/>"}))
        self.says(said, "files beside the course (2): a; readme.xml")

    def test_other_problems(self):
        files = {**OLX, "vertical/v2.xml": '<vertical><problem url_name="p1"/><openassessment url_name="essay"><prompts><prompt><description>Why?</description></prompt></prompts>'
                 '<rubric><criterion><name>Reason</name><prompt>Gives a reason</prompt><option points="1"><name>Yes</name></option></criterion></rubric></openassessment>'
                 '<problem url_name="p2"><script type="loncapa/python">x = 1</script><numericalresponse answer="$x"/></problem></vertical>',
                 "problem/p1.xml": '<problem><p>Write code.</p><coderesponse><answer>1</answer></coderesponse><multiplechoiceresponse><choicegroup><choice correct="true">only</choice></choicegroup></multiplechoiceresponse></problem>'}
        back, said = self.load(self.tar(files))
        parts = self.parts(back, "even")
        self.assertEqual([kind for kind, _ in parts], ["paragraph", "paragraph", "paragraph", "question", "paragraph"])
        self.assertIn("<coderesponse>", parts[1][1]["text"])
        self.assertIn("- only", parts[2][1]["text"])
        self.assertEqual(parts[3][1], {"prompt": "Why?", "kind": "open", "criteria": ["Gives a reason"]})
        self.assertIn("loncapa/python", parts[4][1]["text"])
        self.says(said, "are kept as XML", "questions that the contract has no kind for are kept as text:", "problems that a script computes")

    def test_broken_references(self):
        files = {**OLX, "sequential/count.xml": '<sequential display_name="Counting"><vertical url_name="gone"/><vertical url_name="../../etc/passwd"/>'
                 '<vertical url_name="v1"/><vertical url_name="v1"/><vertical url_name="loop"/></sequential>',
                 "vertical/loop.xml": '<vertical><vertical url_name="loop"/><vertical url_name="bad"/><html url_name="nopage"/></vertical>',
                 "vertical/bad.xml": '<!DOCTYPE a [<!ENTITY x "y">]><vertical display_name="&x;"/>', "html/nopage.xml": '<html filename="../h1"/>'}
        files["chapter/ch2.xml"] = files["chapter/ch2.xml"].replace("</chapter>", '<sequential url_name="torn"/><sequential url_name="count"/></chapter>')
        files["sequential/torn.xml"] = "<sequential><vert"
        back, said = self.check(self.tar(files))
        self.assertEqual(len(self.parts(back, "count")), 10)
        self.says(said, "whose files are missing:", "vertical/gone", "references that lead out of the course:", "are read where they are named first (3)",
                  "files that cannot be read as XML (2)", "declares entities", "pages whose files are missing:")

    def test_policy(self):
        policy = {"course/2026_T1": {"start": "2026-01-01", "tabs": [{"type": "wiki"}], "graceperiod": ""},
                  "sequential/even": {"display_name": "Even numbers", "prereq": "count", "min_score": 80, "due": "2026-02-01", "graded": True, "format": None},
                  "vertical/v2": {"display_name": "Test", "hide": True}, "sequential/gone": {"due": "2026-03-01"}}
        back, said = self.check(self.tar({**OLX, "policies/2026_T1/policy.json": json.dumps(policy)}))
        self.assertEqual((back["nodes"][1]["due"], back["nodes"][1]["graded"]), ("2026-02-01", True))
        self.says(said, "settings of the course (policy.json) that have no place (5)", "course/2026_T1 tabs", "vertical/v2 hide", "sequential/gone due")
        self.assertNotIn("even due", said)

    def test_hostile(self):
        self.refused(self.tar({**OLX, "course.xml": '<!DOCTYPE c [<!ENTITY a "b">]><course url_name="2026_T1"/>'}), "declares entities")
        self.refused(self.tar({"course.xml": "<course/>"}), "the course has no lesson")
        deep = "<wrapper>" * 100 + "</wrapper>" * 100
        back, said = self.check(self.tar({**OLX, "vertical/v1.xml": "<vertical>%s<html><p>%s</p></html></vertical>" % (deep, "<b>" * 40 + "x" + "</b>" * 40)}))
        self.says(said, "blocks that are nested too deep:")
        back, said = self.check(self.tar({**OLX, "html/h1.html": "<div>" * 5000 + "deep"}))
        self.says(said, "elements of a page that are nested too deep")
        _, said = self.load(self.tar({**OLX, "policies/2026_T1/policy.json": '{"sequential/even": {"prereq": "nowhere"}}'}))
        self.says(said, "prerequisites that name neither a chapter nor a lesson of the course:", "'nowhere'")


def qti(*items, title="Quiz"):
    return ('<questestinterop xmlns="http://www.imsglobal.org/xsd/ims_qtiasiv1p2"><assessment ident="quiz1" title="%s"><qtimetadata><qtimetadatafield>'
            "<fieldlabel>cc_maxattempts</fieldlabel><fieldentry>1</fieldentry></qtimetadatafield></qtimetadata>"
            '<section ident="root_section">%s</section></assessment></questestinterop>' % (title, "".join(items)))


def item(ident, prompt, response, conditions="", rest=""):
    return ('<item ident="%s" title="Q %s"><itemmetadata><qtimetadata><qtimetadatafield><fieldlabel>cc_profile</fieldlabel><fieldentry>x</fieldentry></qtimetadatafield>'
            '</qtimetadata></itemmetadata><presentation><material><mattext texttype="text/html">%s</mattext></material>%s</presentation>'
            '<resprocessing><outcomes><decvar maxvalue="100" minvalue="0" varname="SCORE" vartype="Decimal"/></outcomes>%s</resprocessing>%s</item>'
            % (ident, ident, prompt, response, conditions, rest))


def choose(rows, *labels):
    return ('<response_lid ident="r1" rcardinality="%s"><render_choice>%s</render_choice></response_lid>'
            % (rows, "".join('<response_label ident="%s"><material><mattext texttype="text/plain">%s</mattext></material></response_label>' % label for label in labels)))


def when(test, score=100):
    return '<respcondition continue="No"><conditionvar>%s</conditionvar><setvar action="Set" varname="SCORE">%d</setvar></respcondition>' % (test, score)


def equal(text):
    return '<varequal respident="r1">%s</varequal>' % text


WRITE = '<response_str ident="r1" rcardinality="Single"><render_fib><response_label ident="a" rshuffle="No"/></render_fib></response_str>'
QUIZ = qti(
    item("i1", "&lt;p&gt;Which is &lt;b&gt;even&lt;/b&gt;?&lt;/p&gt;", choose("Single", ("a", "3"), ("b", "4")),
         '<respcondition continue="Yes"><conditionvar><other/></conditionvar><displayfeedback linkrefid="general_fb"/></respcondition>'
         + when(equal("a"), 20) + when(equal("b")),
         '<itemfeedback ident="general_fb"><flow_mat><material><mattext texttype="text/plain">4 is 2 times 2.</mattext></material></flow_mat></itemfeedback>'
         '<itemfeedback ident="a_fb"><flow_mat><material><mattext>No.</mattext></material></flow_mat></itemfeedback>'),
    item("i2", "Odd ones?", choose("Multiple", ("a", "1"), ("b", "2"), ("c", "5")), when("<and>%s<not>%s</not>%s</and>" % (equal("a"), equal("b"), equal("c")))),
    item("i3", "3 is odd.", choose("Single", ("t", "True"), ("f", "False")), when(equal("t"))),
    item("i4", "Capital?", WRITE, when(equal("Berlin")) + when(equal("berlin"))),
    item("i5", "Why?", WRITE),
    item("i6", "About pi?", WRITE, when("<or>%s<and><vargte respident='r1'>3</vargte><varlte respident='r1'>3.5</varlte></and></or>" % equal("3.25"))),
)
MANIFEST = """<?xml version="1.0" encoding="UTF-8"?>
<manifest identifier="m1" xmlns="http://www.imsglobal.org/xsd/imsccv1p%(version)s/imscp_v1p1" xmlns:lomimscc="http://ltsc.ieee.org/xsd/imsccv1p%(version)s/LOM/manifest">
<metadata><schema>IMS Common Cartridge</schema><schemaversion>1.%(version)s.0</schemaversion>
<lomimscc:lom><lomimscc:general><lomimscc:title><lomimscc:string>Numbers</lomimscc:string></lomimscc:title></lomimscc:general></lomimscc:lom></metadata>
<organizations><organization identifier="org_1" structure="rooted-hierarchy"><item identifier="LearningModules">
<item identifier="mod1"><title>Week 1</title>
 <item identifier="it1" identifierref="page1"><title>Counting</title></item>
 <item identifier="it2" identifierref="quiz1"><title>Quiz</title></item></item>
<item identifier="mod2"><title>Week 2</title>
 <item identifier="it3" identifierref="link1"><title>Video</title></item>
 <item identifier="it4"><title>Folder</title><item identifier="it5" identifierref="topic1"><title>Talk</title></item>
  <item identifier="it6" identifierref="file1"><title>Sheet</title></item></item>
 <item identifier="it7" identifierref="lti1"><title>Tool</title></item></item>
</item></organization></organizations>
<resources>
<resource identifier="page1" type="webcontent" href="wiki_content/a%%20page.html"><file href="wiki_content/a%%20page.html"/><dependency identifierref="pic"/></resource>
<resource identifier="pic" type="webcontent" href="web_resources/a.png"><file href="web_resources/a.png"/></resource>
<resource identifier="quiz1" type="imsqti_xmlv1p2/imscc_xmlv1p%(version)s/assessment"><file href="quiz1/assessment_qti.xml"/></resource>
<resource identifier="link1" type="imswl_xmlv1p%(version)s"><file href="link1.xml"/></resource>
<resource identifier="topic1" type="imsdt_xmlv1p%(version)s"><file href="topic1.xml"/></resource>
<resource identifier="file1" type="webcontent" href="web_resources/t.pdf"><file href="web_resources/t.pdf"/></resource>
<resource identifier="lti1" type="imsbasiclti_xmlv1p0"><file href="lti1.xml"/></resource>
<resource identifier="bank1" type="imsqti_xmlv1p2/imscc_xmlv1p%(version)s/question-bank"><file href="bank1.xml"/></resource>
<resource identifier="page2" type="webcontent" href="wiki_content/free.html"><file href="wiki_content/free.html"/></resource>
<resource identifier="set1" type="associatedcontent/imscc_xmlv1p1/learning-application-resource" href="course_settings/canvas_export.txt"><file href="course_settings/module_meta.xml"/></resource>
</resources></manifest>"""
CARTRIDGE = {
    "imsmanifest.xml": MANIFEST % {"version": 1},
    "wiki_content/a page.html": "<html><head><title>Counting</title></head><body><h2>One</h2><p>Count to <strong>ten</strong>.</p></body></html>",
    "wiki_content/free.html": "<html><head><title>Free &amp; easy</title></head><body><p>Text</p></body></html>",
    "web_resources/a.png": b"PNG", "web_resources/t.pdf": b"PDF", "web_resources/nodes.csv": "Id,Title\nA,B\n",
    "quiz1/assessment_qti.xml": QUIZ,
    "bank1.xml": '<questestinterop><objectbank ident="bank1"><qtimetadata><qtimetadatafield><fieldlabel>bank_title</fieldlabel><fieldentry>Spare</fieldentry></qtimetadatafield></qtimetadata>%s</objectbank></questestinterop>' % item("b1", "2 + 2?", WRITE, when(equal("4"))),
    "link1.xml": '<webLink xmlns="http://www.imsglobal.org/xsd/imsccv1p1/imswl_v1p1"><title>A video</title><url href="https://example.org/v?a=1&amp;b=2" target="_blank"/></webLink>',
    "topic1.xml": '<topic xmlns="http://www.imsglobal.org/xsd/imsccv1p1/imsdt_v1p1"><title>Talk</title><text texttype="text/html">&lt;p&gt;What do &lt;em&gt;you&lt;/em&gt; think?&lt;/p&gt;</text></topic>',
    "lti1.xml": "<x/>",
    "course_settings/module_meta.xml": '<modules xmlns="http://canvas.instructure.com/xsd/cccv1p0"><module identifier="mod1"><title>Week 1</title>'
    "<requireSequentialProgress>true</requireSequentialProgress><completionRequirements><completionRequirement type=\"must_view\"><identifierref>it1</identifierref></completionRequirement>"
    '</completionRequirements></module><module identifier="mod2"><title>Week 2</title><prerequisites><prerequisite type="context_module"><title>Week 1</title>'
    "<identifierref>mod1</identifierref></prerequisite><prerequisite type=\"context_module\"><identifierref>gone</identifierref></prerequisite></prerequisites></module></modules>",
}


class Cartridge(Packages):
    def check(self, path):
        back, said = self.load(path)
        self.assertEqual([(node["node_id"], node["title"], node.get("chapter")) for node in back["nodes"]],
                         [("it1", "Counting", "Week 1"), ("it2", "Quiz", "Week 1"), ("it3", "Video", "Week 2"), ("it4", "Folder", "Week 2"),
                          ("it7", "Tool", "Week 2"), ("bank1", "Spare", None), ("page2", "Free & easy", None)])
        self.assertEqual(self.needs(back), [("it1", "it2"), ("it2", "it3")])
        self.assertEqual(back["meta"]["title"], "Numbers")
        return back, said

    def test_course(self):
        back, said = self.check(self.zip(CARTRIDGE))
        self.assertEqual(self.parts(back, "it1"), [("heading", {"text": "One"}), ("paragraph", {"text": "Count to **ten**."})])
        self.assertEqual(self.parts(back, "it3"), [("paragraph", {"text": "[A video](https://example.org/v?a=1&b=2)"})])
        self.assertEqual(self.parts(back, "it4"), [("heading", {"text": "Talk"}), ("paragraph", {"text": "What do *you* think?"}),
                                                   ("heading", {"text": "Sheet"}), ("paragraph", {"text": "[Sheet](<web_resources/t.pdf>)"})])
        self.assertEqual(self.parts(back, "page2"), [("paragraph", {"text": "Text"})])
        self.says(said, "tools of other servers (LTI)", "completion requirements of modules", "'must_view'", "files and settings that no item names",
                  "prerequisites of modules without lessons in the cartridge", "'gone'", "files other than pages are kept as links", "lessons after the others (2)",
                  "settings of assessments", "feedback to single answers")
        self.assertNotIn("rule", said.lower())

    def test_questions(self):
        back, said = self.check(self.zip(CARTRIDGE))
        parts = self.parts(back, "it2")
        self.assertEqual([kind for kind, _ in parts], ["question"] * 6)
        self.assertEqual([part for _, part in parts], [
            {"kind": "choice", "prompt": "Which is **even**?", "options": ["3", "4"], "answer": "4", "explanation": "4 is 2 times 2."},
            {"kind": "choice", "prompt": "Odd ones?", "options": ["1", "2", "5"], "answer": ["1", "5"]},
            {"kind": "choice", "prompt": "3 is odd.", "options": ["True", "False"], "answer": "True"},
            {"kind": "text", "prompt": "Capital?", "answer": ["Berlin", "berlin"]},
            {"kind": "open", "prompt": "Why?", "criteria": ["The answer does what the task asks."]},
            {"kind": "number", "prompt": "About pi?", "answer": 3.25, "tolerance": 0.25},
        ])
        self.assertEqual(self.parts(back, "bank1"), [("question", {"kind": "text", "prompt": "2 + 2?", "answer": "4"})])
        self.says(said, "essay questions have no criteria")

    def test_versions_and_folders(self):
        whole, _ = self.check(self.zip(CARTRIDGE))
        for version in (2, 3):
            files = {**CARTRIDGE, "imsmanifest.xml": MANIFEST % {"version": version}}
            self.assertEqual(self.check(self.folder(files, "v%d" % version))[0]["nodes"], whole["nodes"])
        self.refused(self.path / "v2" / "imsmanifest.xml", "is not a whole cartridge", "COURSE.imscc")

    def test_broken_references(self):
        manifest = CARTRIDGE["imsmanifest.xml"].replace("web_resources/t.pdf", "../../etc/passwd").replace('identifierref="link1"', 'identifierref="gone"')
        back, said = self.load(self.zip({**CARTRIDGE, "imsmanifest.xml": manifest, "topic1.xml": '<!DOCTYPE a [<!ENTITY x "y">]><topic><text>&x;</text></topic>'}))
        self.assertEqual([node["node_id"] for node in back["nodes"]], ["it1", "it2", "it3", "it4", "it7", "link1", "bank1", "page2"])
        self.assertEqual(self.parts(back, "it4"), [("heading", {"text": "Talk"}), ("heading", {"text": "Sheet"})])
        self.says(said, "lead out of the cartridge", "'../../etc/passwd'", "items whose resource is missing", "'gone'", "declares entities", "lessons without content")

    def test_hostile(self):
        self.refused(self.zip({"imsmanifest.xml": '<!DOCTYPE m [<!ENTITY a "b">]><manifest/>'}), "declares entities")
        self.refused(self.zip({"imsmanifest.xml": "<manifest/>"}), "the course has no lesson")
        deep = '<item identifier="d"><title>x</title>' * 80 + "</item>" * 80
        _, said = self.load(self.zip({"imsmanifest.xml": "<manifest><organizations><organization>%s</organization></organizations></manifest>" % deep}))
        self.says(said, "items that are nested too deep")


CANVAS_NAMESPACE = 'xmlns="http://canvas.instructure.com/xsd/cccv1p0"'


def typed(question, kind):
    return question.replace("<fieldlabel>cc_profile</fieldlabel><fieldentry>x</fieldentry>", "<fieldlabel>question_type</fieldlabel><fieldentry>%s</fieldentry>" % kind)


def part(ident, prompt, *labels):
    return choose("Single", *labels).replace('ident="r1" rcardinality="Single">', 'ident="%s"><material><mattext texttype="text/plain">%s</mattext></material>' % (ident, prompt))


FULL_QUIZ = qti(
    typed(item("i1", "Which is even?", choose("Single", ("a", "3"), ("b", "4")), when(equal("b"))), "multiple_choice_question"),
    typed(item("i2", "Match.", part("response_1", "cat", ("x", "animal"), ("y", "plant")) + part("response_2", "rose", ("x", "animal"), ("y", "plant")),
               when('<varequal respident="response_1">x</varequal>', 50) + when('<varequal respident="response_2">y</varequal>', 50)), "matching_question"),
    typed(item("i3", "A [n] has leaves.", part("response_n", "n", ("u", "tree"), ("v", "oak")), when('<varequal respident="response_n">u</varequal>')
               + when('<varequal respident="response_n">v</varequal>')), "fill_in_multiple_blanks_question"))
LOR = "associatedcontent/imscc_xmlv1p1/learning-application-resource"
CANVAS = {
    "imsmanifest.xml": """<manifest identifier="m2"><organizations><organization identifier="org_1"><item identifier="LearningModules">
<item identifier="mod1"><title>Week 1</title><item identifier="a1" identifierref="as1"><title>Essay</title></item>
 <item identifier="h1"><title>Practice</title></item><item identifier="q1" identifierref="quiz1"><title>Quiz</title></item>
 <item identifier="h2"><title>Project</title></item><item identifier="h3"><title>More</title></item>
 <item identifier="a2" identifierref="as2"><title>Report</title></item><item identifier="h4"><title>The end</title></item></item>
<item identifier="mod2"><title>Week 2</title><item identifier="a3" identifierref="as3"><title>New form</title></item></item>
</item></organization></organizations><resources>
<resource identifier="as1" type="%(lor)s" href="as1/essay.html"><file href="as1/essay.html"/><file href="as1/assignment_settings.xml"/></resource>
<resource identifier="as2" type="%(lor)s" href="as2/gone.html"><file href="as2/gone.html"/><file href="as2/assignment_settings.xml"/></resource>
<resource identifier="as3" type="assignment_xmlv1p0" href="as3/assignment.xml"><file href="as3/assignment.xml"/></resource>
<resource identifier="as3_fallback" type="webcontent"><variant identifier="v" identifierref="as3"><metadata/></variant><file href="as3/new-form.html"/></resource>
<resource identifier="quiz1" type="imsqti_xmlv1p2/imscc_xmlv1p1/assessment"><file href="quiz1/assessment_qti.xml"/><dependency identifierref="quiz1_meta"/></resource>
<resource identifier="quiz1_meta" type="%(lor)s" href="quiz1/assessment_meta.xml"><file href="quiz1/assessment_meta.xml"/><file href="non_cc_assessments/quiz1.xml.qti"/></resource>
<resource identifier="bank1" type="%(lor)s" href="non_cc_assessments/bank1.xml.qti"><file href="non_cc_assessments/bank1.xml.qti"/></resource>
</resources></manifest>""" % {"lor": LOR},
    "as1/essay.html": "<html><head><title>Assignment: Essay</title></head><body><p>Write <b>two</b> pages.</p></body></html>",
    "as1/assignment_settings.xml": "<assignment %s identifier='as1'><title>Essay</title><points_possible>10</points_possible></assignment>" % CANVAS_NAMESPACE,
    "as2/assignment_settings.xml": "<assignment %s identifier='as2'><title>Report</title><description>&lt;p&gt;Report on &lt;em&gt;it&lt;/em&gt;.&lt;/p&gt;</description></assignment>" % CANVAS_NAMESPACE,
    "as3/assignment.xml": "<assignment identifier='as3'><title>New form</title><text texttype='text/html'>&lt;p&gt;Draw.&lt;/p&gt;</text></assignment>",
    "as3/new-form.html": "<html><body><p>Draw.</p></body></html>",
    "quiz1/assessment_qti.xml": qti(item("i1", "Which is even?", choose("Single", ("a", "3"), ("b", "4")), when(equal("b")))),
    "quiz1/assessment_meta.xml": "<quiz %s identifier='quiz1'><title>Quiz</title><description>&lt;p&gt;Take your time.&lt;/p&gt;</description><time_limit>5</time_limit></quiz>" % CANVAS_NAMESPACE,
    "non_cc_assessments/quiz1.xml.qti": FULL_QUIZ,
    "non_cc_assessments/bank1.xml.qti": CARTRIDGE["bank1.xml"],
    "course_settings/module_meta.xml": '<modules %s><module identifier="mod1"><title>Week 1</title><require_sequential_progress>true</require_sequential_progress></module>'
    '<module identifier="mod2"><prerequisites><prerequisite type="context_module"><identifierref>mod1</identifierref></prerequisite></prerequisites></module></modules>' % CANVAS_NAMESPACE,
    "loose/notes.txt": "Nothing names this.",
}


class Canvas(Packages):
    def test_headings_and_assignments(self):
        back, said = self.load(self.zip(CANVAS))
        self.assertEqual([(node["node_id"], node["title"], node.get("chapter"), node.get("chapter_id")) for node in back["nodes"]],
                         [("a1", "Essay", "Week 1", 1), ("q1", "Quiz", "Week 1 / Practice", 2), ("a2", "Report", "Week 1 / More", 3),
                          ("a3", "New form", "Week 2", 4), ("bank1", "Spare", None, None)])
        self.assertEqual(self.needs(back), [("a1", "q1"), ("q1", "a2"), ("a2", "a3")])
        self.assertEqual(self.parts(back, "a1"), [("paragraph", {"text": "Write **two** pages."})])
        self.assertEqual(self.parts(back, "a2"), [("paragraph", {"text": "Report on *it*."})])
        self.assertEqual(self.parts(back, "a3"), [("paragraph", {"text": "Draw."})])
        self.assertEqual(self.parts(back, "bank1"), [("question", {"kind": "text", "prompt": "2 + 2?", "answer": "4"})])
        self.says(said, "headings of a module (items without content) begin a chapter (2)", "headings of a module without lessons below (2)", "'The end'",
                  "settings of quizzes and assignments, such as points and dates (3)", "other forms of a resource that is read (variants)",
                  "files that the manifest does not name: loose/notes.txt")
        self.assertNotIn("lessons without content", said)

    def test_questions_of_canvas_alone(self):
        back, said = self.load(self.zip(CANVAS))
        self.assertEqual(self.parts(back, "q1"), [
            ("paragraph", {"text": "Take your time."}),
            ("question", {"kind": "choice", "prompt": "Which is even?", "options": ["3", "4"], "answer": "4"}),
            ("question", {"kind": "choice", "prompt": "Match.\n\ncat", "options": ["animal", "plant"], "answer": "animal"}),
            ("question", {"kind": "choice", "prompt": "Match.\n\nrose", "options": ["animal", "plant"], "answer": "plant"}),
            ("question", {"kind": "text", "prompt": "A [n] has leaves.\n\nn", "answer": ["tree", "oak"]}),
        ])
        self.says(said, "quizzes with more questions in Canvas's own file are read from that file: non_cc_assessments/quiz1.xml.qti")
        back, said = self.load(self.zip({**CANVAS, "non_cc_assessments/quiz1.xml.qti": CANVAS["quiz1/assessment_qti.xml"]}))
        self.assertEqual(len(self.parts(back, "q1")), 2)
        self.says(said, "Canvas's own files of quizzes have the same questions again: non_cc_assessments/quiz1.xml.qti")

    def test_the_preferred_form_of_a_resource(self):
        files = {**CANVAS, "imsmanifest.xml": CANVAS["imsmanifest.xml"].replace('identifierref="as3"><title>', 'identifierref="as3_fallback"><title>')}
        back, _ = self.load(self.zip(files))
        self.assertEqual([node["node_id"] for node in back["nodes"]], ["a1", "q1", "a2", "a3", "bank1"])
        self.assertEqual(self.parts(back, "a3"), [("paragraph", {"text": "Draw."})])


if __name__ == "__main__":
    unittest.main()
