# SPDX-License-Identifier: GPL-3.0-or-later
"""Parameters of components: misspelt ones on every route and tool, more pictures than a type allows, and types that a file adds
(--component-types). No analysis runs."""
import itertools
import json
import os
import re
import unittest

import harness

TYPES = [
    {"name": "fraction-bar", "use": "a bar that is cut into equal parts", "parameters": [
        {"name": "numerator", "type": "number", "required": True},
        {"name": "denominator", "type": "number", "required": True},
        {"name": "labels", "type": "text-list"},
        {"name": "colour", "type": "choice", "choices": ["red", "light blue"]},
        {"name": "shaded", "type": "boolean"},
        {"name": "axis", "type": "object"}]},
    {"name": "quote", "use": "somebody's words", "parameters": [{"name": "text", "type": "text", "required": True}]},
]
BAR = {"numerator": 1, "denominator": 2}
PICTURE = {"title": "t", "body": "b", "svgCode": "<svg/>"}
WRONG_FILES = [
    # what is in the file, what is said
    ("{", ("not JSON",)),
    ({}, ("must be an array", "not an object")),
    ([5], ("row 1", "must be an object, not a number")),
    ([TYPES[1], {"name": "a"}], ("row 2 (a)", "use: is needed", "parameters: is needed")),
    ([dict(TYPES[1], nam="b")], ("row 1 (quote)", "unknown member 'nam'")),
    ([dict(TYPES[1], name="two words")], ("row 1", "name: must be letters, digits")),
    ([dict(TYPES[1], name="a" * 65)], ("row 1", "is longer than 64 bytes")),
    ([dict(TYPES[1], name="heading")], ("row 1 (heading)", "'heading' is a built-in component type")),
    ([TYPES[1], TYPES[1]], ("row 2 (quote)", "row 1 has the name 'quote' already")),
    ([dict(TYPES[1], parameters=[])], ("parameters: must be an array of 1 to 16 parameters",)),
    ([dict(TYPES[1], parameters=[{"name": "a", "type": "texts"}])],
     ("parameters.0.type", "one of text, text-list, choice, number, boolean, object, not 'texts'; did you mean 'text'?")),
    ([dict(TYPES[1], parameters=[{"name": "a", "type": "choice"}])], ("parameters.0.choices", "1 to 32 texts")),
    ([dict(TYPES[1], parameters=[{"name": "a", "type": "choice", "choices": ["b", 5]}])],
     ("parameters.0.choices.1: must be text",)),
    ([dict(TYPES[1], parameters=[{"name": "a", "type": "text", "choices": ["b"]}])], ("only a parameter of type choice",)),
    ([dict(TYPES[1], parameters=[{"name": "a", "type": "text"}] * 2)], ("parameters.1.name: is there twice",)),
    ([dict(TYPES[1], parameters=[{"name": "a", "type": "text", "require": True}])],
     ("parameters.0.require", "did you mean 'required'?")),
    ([dict(TYPES[1], name="t%d" % i) for i in range(65)], ("has 65 component types, 64 at most",)),
]


class Case(unittest.TestCase):
    words = ()

    def setUp(self):
        self.workspace = harness.Workspace()
        self.addCleanup(self.workspace.close)
        self.sid = self.workspace.run("demo").stdout.decode().strip()

    def start(self, *words):
        self.server = harness.Server(self.workspace, *words)
        self.addCleanup(self.server.close)
        self.server.initialize()

    def ask(self, method, path, body=None):
        return self.server.http(method, "/session/%s/nodes/N001/components%s" % (self.sid, path), body)[:2]

    def call(self, tool, **arguments):
        return self.server.call(tool, session_id=self.sid, node_id="N001", **arguments)

    def components(self):
        return self.ask("GET", "")[1]["components"]

    def file(self, content):
        path = os.path.join(self.workspace.data, "types.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write(content if isinstance(content, str) else json.dumps(content))
        return path


class Parameters(Case):
    def setUp(self):
        super().setUp()
        self.start()
        status, answer = self.ask("POST", "", {"components": [
            {"type": "definition", "parameters": {"term": "t", "definition": "d", "tern": "kept"}}]})
        self.assertEqual(status, 200, answer)

    def edits(self, parameters):
        """The same edit in each way there is: (whether it was refused, what was said)."""
        yield self.call("edit_component", component_order=1, new_parameters=parameters)
        operation = {"op": "edit_component", "node_id": "N001", "component_order": 1, "new_parameters": parameters}
        yield self.server.call("change_curriculum", session_id=self.sid, operations=[operation])
        status, answer, _ = self.server.http("POST", "/session/%s/changes" % self.sid, {"operations": [operation]})
        yield status != 200, json.dumps(answer)
        status, answer = self.ask("PUT", "/1", {"parameters": {"term": "t", **({} if "definiton" in parameters else
                                                                               {"definition": "d"}), **parameters}})
        yield status != 200, json.dumps(answer)

    def test_a_misspelt_one_is_refused(self):
        before = self.components()
        for is_error, text in self.edits({"definiton": "new"}):
            self.assertTrue(is_error, text)
            self.assertIn("unknown parameter 'definiton'; did you mean 'definition'?", text)
            self.assertEqual(self.components(), before)

    def test_a_further_one_is_refused_from_a_model_and_kept_from_a_program(self):
        *of_models, (is_error, text) = self.edits({"source": "a book"})
        self.assertFalse(is_error, text)
        self.assertEqual(self.components()[0]["parameters"]["source"], "a book")
        for is_error, text in of_models:
            self.assertTrue(is_error, text)
            self.assertIn("unknown parameter 'source' of definition, which has the parameters term, definition", text)

    def test_a_further_one_is_refused_in_a_new_component(self):
        before = self.components()
        component = {"component_type": "heading", "parameters": {"text": "t", "level": 2}}
        for tool, arguments in [
                ("add_component", component), ("batch_add_components", {"components": [component]}),
                ("change_curriculum", {"operations": [{"op": "create_component", "node_id": "N001", **component}]})]:
            is_error, text = self.call(tool, **arguments) if tool != "change_curriculum" else \
                self.server.call(tool, session_id=self.sid, **arguments)
            self.assertTrue(is_error, (tool, text))
            self.assertIn("unknown parameter 'level' of heading, which has the parameters text", text)
        self.assertEqual(self.components(), before)

    def test_a_required_one_cannot_be_emptied(self):
        before = self.components()
        for empty in "", " \n", None, [], {}:
            for is_error, text in itertools.islice(self.edits({"definition": empty}), 3):  # not by PUT
                self.assertTrue(is_error, (empty, text))
                self.assertIn("parameters.definition", text)
        self.assertEqual(self.components(), before)

    def test_one_that_is_there_already_may_be_changed(self):
        for is_error, text in self.edits({"tern": "changed"}):
            self.assertFalse(is_error, text)
            self.assertEqual(self.components()[0]["parameters"]["tern"], "changed")


class Pictures(Case):
    def test_a_picture_too_many_is_refused_and_an_import_keeps_it(self):
        self.start()
        for word, count in (("two", 2), ("three", 3), ("four", 4)):
            for family in ("svg", "image"):
                pictures = {"%s%d" % (family, i): PICTURE for i in range(1, count + 1)}
                good = {"type": word + "-pictures", "parameters": {"pictures": dict(pictures, note="kept")}}
                self.assertEqual(self.ask("POST", "/insert", good)[0], 200)
                extra = "%s%d" % (family, count + 1)
                good["parameters"]["pictures"][extra] = PICTURE
                before = self.components()
                status, answer = self.ask("POST", "/insert", good)
                self.assertEqual(status, 422, answer)
                self.assertEqual([(f["loc"][-1], "one picture too many" in f["msg"]) for f in answer["detail"]], [(extra, True)])
                self.assertTrue(self.call("add_component", component_type=good["type"], parameters=good["parameters"])[0])
                self.assertEqual(self.components(), before)
        described = self.server.http("GET", "/openapi.json")[1]["components"]["schemas"]["ComponentNew"]["allOf"][0]["anyOf"]
        pictures = next(one for one in described if one["title"] == "two-pictures")["properties"]["parameters"]["properties"]
        known, numbered = pictures["pictures"]["propertyNames"]["anyOf"]
        taken = [name for name in ("svg1", "image2", "note", "svg3", "image0", "svg02")
                 if re.search(known["pattern"], name) or not re.search(numbered["not"]["pattern"], name)]
        self.assertEqual(taken, ["svg1", "image2", "note"])
        curriculum = {"nodes": [{"node_id": "N001", "title": "A", "components": [dict(good, order=1)]}]}
        path = self.file(curriculum)
        said = self.workspace.run("import", path)
        self.assertIn(b"image5: is one picture too many", said.stderr + said.stdout)


class Types(Case):
    def test_an_added_type_is_like_a_built_in_one(self):
        self.start("--component-types", self.file(TYPES))
        status, answer = self.ask("POST", "/insert", {"type": "fraction-bar", "parameters": dict(
            BAR, labels=["a"], colour="light blue", shaded=True, axis={"x": 1}, further=5)})
        self.assertEqual(status, 200, answer)
        is_error, text = self.call("add_component", component_type="fraction-bar", parameters=BAR)
        self.assertFalse(is_error, text)
        last = len(self.components())
        for parameters, says in (({"numerator": 1, "denominater": 2}, "did you mean 'denominator'?"),
                                 ({"numerator": "1", "denominator": 2}, "must be a number, not text"),
                                 (dict(BAR, labels="a"), "must be an array of text"),
                                 (dict(BAR, colour="blue"), "one of red, light blue"),
                                 (dict(BAR, shaded=1), "must be true or false"),
                                 (dict(BAR, axis=[]), "must be an object")):
            for refused, said in (self.call("add_component", component_type="fraction-bar", parameters=parameters),
                                  self.call("edit_component", component_order=last, new_parameters=parameters)):
                self.assertTrue(refused, said)
                self.assertIn(says, said)
            status, answer = self.ask("POST", "/insert", {"type": "fraction-bar", "parameters": parameters})
            self.assertEqual(status, 422, answer)
            self.assertIn(says, json.dumps(answer))
        self.assertIn("fraction-bar", self.call("add_component", component_type="fractionbar", parameters=BAR)[1])
        tools = {tool["name"]: tool for tool in self.server.request("tools/list")["result"]["tools"]}
        self.assertIn("fraction-bar: numerator (number), denominator (number), labels?, colour?, shaded?, axis?; quote: text",
                      tools["add_component"]["inputSchema"]["properties"]["parameters"]["description"])
        description = self.server.http("GET", "/openapi.json")[1]["components"]["schemas"]
        self.assertIn("fraction-bar", description["ComponentType"]["enum"])
        new = [one for one in description["ComponentNew"]["allOf"][0]["anyOf"] if one["title"] == "fraction-bar"][0]
        self.assertEqual(new["properties"]["parameters"]["required"], ["numerator", "denominator"])
        self.assertEqual(new["properties"]["parameters"]["properties"]["colour"], {"enum": ["red", "light blue", None]})

    def test_a_server_without_the_file_knows_none(self):
        self.start()
        status, answer = self.ask("POST", "/insert", {"type": "fraction-bar", "parameters": BAR})
        self.assertEqual(status, 422)
        self.assertIn("'fraction-bar' is not a component type", json.dumps(answer))
        self.assertIn("not a component type", self.call("add_component", component_type="quote", parameters={"text": "a"})[1])

    def test_an_import_reports_by_the_file(self):
        nodes = [{"node_id": "N001", "title": "A", "components": [{"type": "quote", "order": 1, "parameters": {"text": "a"}},
                                                                  {"type": "quote", "order": 2, "parameters": {"txt": "a"}}]}]
        path, types = os.path.join(self.workspace.data, "c.json"), self.file(TYPES)
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"nodes": nodes}, file)
        said = self.workspace.run("import", "--dry-run", "--component-types", types, path)
        said = (said.stdout + said.stderr).decode()
        self.assertIn("component 2", said)
        self.assertIn("parameters.text: is needed", said)
        self.assertNotIn("not a component type", said)
        said = self.workspace.run("import", "--dry-run", path)
        self.assertIn(b"'quote' is not a component type", said.stdout + said.stderr)

    def test_the_environment_names_the_file_too(self):
        os.environ["LECTERN_COMPONENT_TYPES"] = self.file(TYPES)
        self.addCleanup(os.environ.pop, "LECTERN_COMPONENT_TYPES")
        self.start()
        self.assertEqual(self.ask("POST", "/insert", {"type": "quote", "parameters": {"text": "a"}})[0], 200)

    def test_a_wrong_file_is_said_to_be_at_the_start(self):
        for content, says in WRONG_FILES:
            with self.subTest(says=says):
                path = self.file(content)
                said = self.workspace.run("export", "--component-types", path, self.sid, check=False)
                self.assertEqual((said.returncode, said.stdout), (2, b""), said)
                for words in (path, *says):
                    self.assertIn(words, said.stderr.decode())
        said = self.workspace.run("export", "--component-types", "/nonexistent/types.json", self.sid, check=False)
        self.assertEqual(said.returncode, 2)
        self.assertIn(b"/nonexistent/types.json: cannot open it", said.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
