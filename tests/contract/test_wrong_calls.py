# SPDX-License-Identifier: GPL-3.0-or-later
"""Wrong calls that models make: the words of each error contain the call that works. Each case takes it out of the error's text and
sends it; the wrong call itself changes nothing."""
import copy
import json
import re
import unittest

import harness

LESSON, OTHER = "N010", "N011"
WORKED = {"problem": "What is 2 : 4?", "solution": "Divide by 2.", "answer": "1 : 2"}
MEANT = re.compile(r"did you mean (?:'([^']+)'|(N\d+) )")


def at(value, path):
    for name in path:
        value = value[name]
    return value


# ---- how an error's text mends a call: functions (tool, arguments, text) -> (tool, arguments) ----

def meant_tool(tool, arguments, text):
    """Another tool is meant; its arguments are those that the error of the next call names."""
    return MEANT.search(text).group(1), arguments


def meant(*path):
    """A value that is meant."""
    def mend(tool, arguments, text):
        found = MEANT.search(text)
        at(arguments, path[:-1])[path[-1]] = found.group(1) or found.group(2)
        return tool, arguments
    return mend


def named(*path):
    """A name that is meant."""
    def mend(tool, arguments, text):
        holder = at(arguments, path[:-1])
        holder[re.search(r"'%s'; did you mean '([^']+)'" % path[-1], text).group(1)] = holder.pop(path[-1])
        return tool, arguments
    return mend


def said(pattern, *path):
    """A value that the text says, by a pattern; a number where it is one."""
    def mend(tool, arguments, text):
        value = re.search(pattern, text).group(1)
        at(arguments, path[:-1])[path[-1]] = int(value) if value.isdigit() else value
        return tool, arguments
    return mend


def needed(wrong, right, *path):
    """The text says that one member is unknown and another is needed: that is what was meant."""
    def mend(tool, arguments, text):
        holder = at(arguments, path)
        assert "%s: is needed" % right in text or "%s: is missing" % right in text, text
        assert wrong not in holder or "'%s'" % wrong in text, text
        holder[right] = holder.pop(wrong)
        return tool, arguments
    return mend


def must_be(words, value, *path):
    """The text says what a value must be, and the caller has it."""
    def mend(tool, arguments, text):
        assert re.search(words, text), (words, text)
        at(arguments, path[:-1])[path[-1]] = value
        return tool, arguments
    return mend


def shown(*path):
    """The text shows the value, as JSON."""
    def mend(tool, arguments, text):
        at(arguments, path[:-1])[path[-1]] = json.loads(re.search(r": (\{\"[^}]*\})", text).group(1))
        return tool, arguments
    return mend


def instead(words, **right):
    """The text names the members to send; the others go."""
    def mend(tool, arguments, text):
        assert re.search(words, text), (words, text)
        assert all(name in text for name in right), text
        return tool, right
    return mend


def operation(tool, arguments, text):
    """What was called as a tool is an operation."""
    other, op = re.search(r'call (\w+) with \{"operations": \[\{"op": "(\w+)"', text).groups()
    assert all(name in text for name in arguments), text
    return other, {"operations": [{"op": op, **arguments}]}


def both(first, second):
    return lambda tool, arguments, text: second(*first(tool, arguments, text), text)


def left_out(name):
    def mend(tool, arguments, text):
        assert "leave %s out" % name in text, text
        del arguments[name]
        return tool, arguments
    return mend


def op(**members):
    return {"operations": [members]}


def edit(**arguments):
    return {"node_id": LESSON, "component_order": 3, "new_parameters": {"definition": "How much of one comes with the other."}, **arguments}


def add(kind, parameters, **more):
    return {"node_id": LESSON, "component_type": kind, "parameters": parameters, **more}


def exercise(*cases, **more):
    return add("exercise-code", {"prompt": "Write double().", "cases": list(cases), **more})


def question(**members):
    return add("question", {"prompt": "What is half of 6?", **members})


FIRST = ("operations", 0)
DOUBLE = {"call": "double", "args": [2], "expect": 4}
CASE = ("parameters", "cases", 0)
TEXT = {"text": "Ratios compare."}
NODE_TITLE = {"node_id": LESSON, "title": "Ratios"}

# tool, arguments, how the error's text mends them
WRONG = (
    # tools of other servers, and operations called as tools
    ("search", {"text": "ratio"}, meant_tool),
    ("search_nodes", {"text": "ratio"}, meant_tool),
    ("read_node", {"node_id": LESSON}, meant_tool),
    ("Find", {"text": "ratio"}, meant_tool),
    ("lectern__find", {"text": "ratio"}, meant_tool),
    ("update_component", edit(), meant_tool),
    ("add_components", add("paragraph", TEXT), meant_tool),
    ("run_code", {"code": "print(1)"}, meant_tool),
    ("rename_node", NODE_TITLE, operation),
    ("delete_node", {"node_id": LESSON}, operation),
    ("add_node", {"node_id": "N099", "title": "New"}, operation),
    ("replace_text", {"find": "ratio", "replace": "quotient"}, operation),
    # names of arguments
    ("find", {"query": "ratio"}, lambda tool, arguments, text: (tool, {re.search(r"session_id, (\w+)", text).group(1): arguments["query"]})),
    ("find", {"node": LESSON}, named("node")),
    ("find", {"id": LESSON}, named("id")),
    ("find", {"txt": "ratio"}, named("txt")),
    ("history", {"action": "difference", "from_version": 1}, named("from_version")),
    ("query_graph", {"query": "needs", "node": LESSON}, named("node")),
    ("query_graph", {"question": "cycles"}, needed("question", "query")),
    ("execute_code", {"python": "print(1)"}, needed("python", "code")),
    ("execute_code", {"code": "print(1)", "timeout": 5}, named("timeout")),
    ("edit_component", {"node_id": LESSON, "component_order": 3, "parameters": {"definition": "Another."}}, named("parameters")),
    ("add_component", {"node_id": LESSON, "type": "paragraph", "parameters": TEXT}, named("type")),
    ("add_component", {"node_id": LESSON, "component_type": "paragraph", "content": TEXT}, needed("content", "parameters")),
    ("create_relationship", {"from": LESSON, "to": "N013"}, both(named("from"), named("to"))),
    ("create_relationship", {"source": LESSON, "target": "N013"}, both(needed("source", "from_node_id"), needed("target", "to_node_id"))),
    ("change_curriculum", {"changes": [{"op": "rename_node", **NODE_TITLE}]}, needed("changes", "operations")),
    ("batch_add_components", {"node_id": LESSON, "items": [{"type": "paragraph", "parameters": TEXT}]}, needed("items", "components")),
    # misspelt parameters of components
    ("edit_component", edit(new_parameters={"definiton": "Another."}), named("new_parameters", "definiton")),
    ("add_component", add("worked-example", {"problem": "p", "solution": "s", "anser": "a"}), named("parameters", "anser")),
    ("add_component", add("worked-example", {"problem": "p", "solution": "s"}), must_be("answer: is needed, send text", "a", "parameters", "answer")),
    ("add_component", add("paragraph", {}), must_be("text: is needed, send text", "Words.", "parameters", "text")),
    ("add_component", add("step-sequence", {"steps": "One"}), must_be("must be an array of text", ["One"], "parameters", "steps")),
    ("add_component", add("step-sequence", {"steps": [{"text": "One"}]}), must_be("steps.0: must be text", ["One"], "parameters", "steps")),
    ("add_component", add("callout-box", {"text": "a", "style": "note"}), said(r"must be one of (\w+)", "parameters", "style")),
    ("edit_component", edit(new_parameters={"definition": 7}), must_be("must be text, not a number", "7", "new_parameters", "definition")),
    ("batch_add_components", {"node_id": LESSON, "components": [{"type": "paragraph", **TEXT}]},
     must_be("components.0.parameters: is missing, send an object. .*text", {"type": "paragraph", "parameters": TEXT}, "components", 0)),
    # exercises and questions
    ("add_component", add("exercise-code", {"prompt": "Write double()."}),
     must_be(r"cases: is needed, send array of \{call, args, expect or raises\}", [DOUBLE], "parameters", "cases")),
    ("add_component", add("exercise-code", {"prompt": "Write double().", "cases": DOUBLE}),
     must_be(r"cases: must be an array of 1 to \d+ cases", [DOUBLE], "parameters", "cases")),
    ("add_component", exercise("double(2) == 4"), must_be(r"cases\.0: must be an object, .*\{call, args, expect or raises\}", DOUBLE, *CASE)),
    ("add_component", exercise({"call": "double(2)", "expect": 4}), must_be("the name of a function, .*args has its arguments", DOUBLE, *CASE)),
    ("add_component", exercise({"call": "double", "args": [2]}), must_be("needs one of expect and raises", DOUBLE, *CASE)),
    ("add_component", exercise({**DOUBLE, "raises": "ValueError"}), must_be("one of expect and raises, and has both", DOUBLE, *CASE)),
    ("add_component", exercise({"call": "double", "args": [2], "expected": 4}), named(*CASE, "expected")),
    ("add_component", exercise({**DOUBLE, "args": 2}), must_be("args: must be an array, not a number", [2], *CASE, "args")),
    ("add_component", exercise({"input": "2", "output": "4"}), shown(*CASE)),
    ("add_component", exercise({**DOUBLE, "stdin": "2"}), must_be("both call and stdin or stdout; write two cases", DOUBLE, *CASE)),
    ("add_component", exercise({**DOUBLE, "expect": {"py": "double(2)"}}), must_be("only a literal .*: a number", {"py": "4"}, *CASE, "expect")),
    ("add_component", exercise({"call": "double", "args": [None], "raises": "an error"}), said(r"such as (\w+Error)", *CASE, "raises")),
    ("add_component", exercise(DOUBLE, hint=["Add."]), named("parameters", "hint")),
    ("add_component", exercise(DOUBLE, hints="Add."), must_be("hints: must be an array of at most 3 texts", ["Add."], "parameters", "hints")),
    ("add_component", exercise(DOUBLE, compare="approx"), meant("parameters", "compare")),
    ("add_component", exercise(DOUBLE, compare="equal"), said(r"compare: must be one of (\w+)", "parameters", "compare")),
    ("add_component", exercise(DOUBLE, time_s=60), said(r"time_s: must be a number from [\d.]+ to (\d+)", "parameters", "time_s")),
    ("add_component", add("exercise", {"prompt": "Write double().", "cases": [DOUBLE]}), meant("component_type")),
    ("add_component", question(answer=3), said(r"kind: is needed, send one of \w+, (\w+)", "parameters", "kind")),
    ("add_component", question(kind="multiple-choice", options=["2", "3"], answer="3"), meant("parameters", "kind")),
    ("add_component", question(kind="choice", options=["two", "three"], answer=3),
     said('answer: must be one of the options, word for word, such as "([^"]+)"', "parameters", "answer")),
    ("add_component", question(kind="choice", options=["3"], answer="3"),
     must_be(r"options: a choice needs at least two of them, such as \[\"yes\", \"no\"\]", ["2", "3"], "parameters", "options")),
    ("add_component", question(kind="number", answer="3 apples"), must_be("answer: must be a number, such as 0.75", 3, "parameters", "answer")),
    ("add_component", question(kind="text"), must_be("answer: is needed, send the right answer", "three", "parameters", "answer")),
    ("add_component", question(kind="text", answer=3, tolerance=0.1), said("only a question of kind (number)", "parameters", "kind")),
    ("add_component", question(kind="open", answer="Three, because 3 + 3 = 6."),
     must_be(r"criteria: an open question needs them, .*: \[\"says why\"\]", ["says why"], "parameters", "criteria")),
    # near names: types, queries, lessons, places to search
    ("add_component", add("worked_example", WORKED), meant("component_type")),
    ("add_component", add("example", WORKED), meant("component_type")),
    ("find", {"text": "ratio", "in": "definitions"}, meant("in")),
    ("find", {"without": "worked example"}, meant("without")),
    ("find", {"node_id": LESSON, "in": "full"}, said("send (all) or a component type", "in")),
    ("find", {"node_id": "N10"}, meant("node_id")),
    ("find", {"node_id": "Ratio table"}, meant("node_id")),
    ("find", {"text": "ratio", "sort": "relevance"}, said(r"one of (\w+)", "sort")),
    ("create_relationship", {"from_node_id": LESSON, "to_node_id": "N0013"}, meant("to_node_id")),
    ("create_relationship", {"from_node_id": LESSON, "to_node_id": "N013", "relationship_type": "prerequisite"}, meant("relationship_type")),
    ("create_relationship", {"from_node_id": LESSON, "to_node_id": "N013", "relationship_type": "REQUIRES"},
     said(r"must be one of \w+, \w+, (\w+)", "relationship_type")),
    ("query_graph", {"query": "cycle"}, meant("query")),
    ("query_graph", {"query": "which lessons are hubs?"}, meant("query")),
    ("query_graph", {"query": "order", "types": ["PREREQUISITES"]}, meant("types", 0)),
    ("history", {"action": "diff", "version": 1}, said(r"or (\w+)\.", "action")),
    ("find", {"session_id": "Ratios", "text": "ratio"}, left_out("session_id")),
    # what is no value of its type, or out of its bounds
    ("find", {"text": "ratio", "limit": "five"}, must_be("whole number from 1 to 200", 5, "limit")),
    ("find", {"text": "ratio", "limit": 1000}, said(r"to (\d+)", "limit")),
    ("find", {"text": ["ratio", "rate"]}, must_be("must be text, not an array", "ratio rate", "text")),
    ("find", {"node_id": 10}, must_be("must be text, not a number", LESSON, "node_id")),
    ("query_graph", {"query": "pace"}, said(r"such as (\d+)", "parts")),
    ("query_graph", {"query": "path", "node_id": LESSON}, instead("takes from_node_id and to_node_id", from_node_id=LESSON,
                                                                 to_node_id="N012", query="path")),
    ("history", {"version": "v1"}, must_be("whole number", 1, "version")),
    ("add_component", add("paragraph", TEXT, position=99), said(r"1 to (\d+)", "position")),
    ("add_component", add("paragraph", TEXT, position="first"), said(r"whole number from (\d+) on", "position")),
    ("edit_component", edit(component_order=30, new_parameters={"text": "Compare."}), said(r"it has (\d), counted from 1", "component_order")),
    ("edit_component", edit(component_order=0), must_be("from 1 on", 3, "component_order")),
    ("edit_component", {"node_id": LESSON, "component_id": "3", "new_parameters": {"definition": "Another."}},
     lambda tool, arguments, text: (tool, {"node_id": LESSON, "new_parameters": {"definition": "Another."},
                                           re.search("to name a component by its place send (component_order), 1 to 7", text).group(1): 3})),
    ("edit_component", {"node_id": LESSON, "new_parameters": {"definition": "Another."}}, must_be("needs component_order", 3, "component_order")),
    ("edit_component", edit(new_parameters="Another."), must_be("must be an object, not text", {"definition": "Another."}, "new_parameters")),
    ("edit_component", edit(expected_revision=9), said(r"is at revision (\d+), not 9", "expected_revision")),
    # operations
    ("change_curriculum", {"operations": {"op": "rename_node", **NODE_TITLE}},
     must_be("must be an array, not an object", [{"op": "rename_node", **NODE_TITLE}], "operations")),
    ("change_curriculum", {"operations": ["rename_node N010 Ratios"]},
     must_be("an operation must be an object such as", {"op": "rename_node", **NODE_TITLE}, *FIRST)),
    ("change_curriculum", {"op": "rename_node", **NODE_TITLE},
     lambda tool, arguments, text: (tool, {re.match(r"(\w+): is needed, send an array", text).group(1): [arguments]})),
    ("change_curriculum", op(op="rename", **NODE_TITLE), meant(*FIRST, "op")),
    ("change_curriculum", op(op="update_node", **NODE_TITLE), meant(*FIRST, "op")),
    ("change_curriculum", op(operation="rename_node", **NODE_TITLE),
     lambda tool, arguments, text: (tool, op(**{re.search(r": (op) is needed, one of .*rename_node", text).group(1): "rename_node"}, **NODE_TITLE))),
    ("change_curriculum", op(op="rename_node", id=LESSON, title="Ratios"), named(*FIRST, "id")),
    ("change_curriculum", op(op="move_component", node_id=LESSON, components=[3], into_node_id=OTHER), meant(*FIRST, "op")),
    ("change_curriculum", op(op="move_components", node_id=LESSON, components=True, into_node_id=OTHER),
     must_be("components: must be an array", [3], *FIRST, "components")),
    ("change_curriculum", op(op="replace_text", find="ratio", replace_with="quotient"), named(*FIRST, "replace_with")),
    ("change_curriculum", op(op="replace_text", old="ratio", new="quotient"),
     both(needed("old", "find", *FIRST), needed("new", "replace", *FIRST))),
    ("change_curriculum", op(op="split_node", node_id=LESSON, title="More", components=[7]),
     must_be("new_node_id: is needed, send text", "N099", *FIRST, "new_node_id")),
    ("change_curriculum", op(op="reorder_components", node_id=LESSON, order=[2, 1]),
     must_be("send each of 1 to 7 once", [2, 1, 3, 4, 5, 6, 7], *FIRST, "order")),
    ("change_curriculum", op(op="delete_relationship", from_node_id=LESSON, to_node_id=OTHER),
     said(r"there is (\w+) \(id", *FIRST, "relationship_type")),
    ("change_curriculum", {**op(op="rename_node", **NODE_TITLE), "expected_version": 9999}, said(r"at version (\d+) now", "expected_version")),
)
# What is no mistake any more: sent as it is, it works.
TAKEN = (
    ("find", {"text": "ratio", "limit": "5"}),
    ("find", {"node_id": "what a ratio says"}),
    ("edit_component", edit(component_order="3")),
    ("edit_component", edit(new_parameters='{"definition": "Another."}')),
    ("change_curriculum", {"operations": '[{"op": "rename_node", "node_id": "N010", "title": "Ratios"}]'}),
    ("change_curriculum", {**op(op="rename_node", **NODE_TITLE), "dry_run": "true"}),
    ("batch_add_components", {"node_id": LESSON, "components": [{"component_type": "paragraph", "parameters": TEXT}]}),
    ("query_graph", {"query": "order", "types": "PREREQUISITE"}),
)


class WrongCalls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.workspace = harness.Workspace()
        cls.addClassCleanup(cls.workspace.close)
        cls.workspace.run("demo")
        cls.client = harness.Stdio(cls.workspace)
        cls.client.initialize()
        cls.addClassCleanup(cls.client.close)

    def call(self, tool, arguments):
        """(is_error, text), with the protocol's own errors."""
        answer = self.client.request("tools/call", {"name": tool, "arguments": arguments})
        if "error" in answer:
            return True, answer["error"]["message"]
        return answer["result"].get("isError", False), answer["result"]["content"][0]["text"]

    def version(self):
        return int(re.search(r"at version (\d+)", self.client.good("history", limit=1)).group(1))

    def works(self, tool, arguments):
        """The call works; what it changed is taken back."""
        before = self.version()
        is_error, text = self.call(tool, arguments)
        self.assertFalse(is_error, (tool, arguments, text))
        if self.version() != before:
            self.client.good("undo")

    def test_each_error_says_the_call_that_works(self):
        self.assertGreaterEqual(len(WRONG), 60)
        for tool, arguments, mend in WRONG:
            with self.subTest(tool=tool, arguments=arguments):
                before = self.version()
                is_error, text = self.call(tool, arguments)
                self.assertTrue(is_error, text)
                self.assertEqual(self.version(), before)
                self.works(*mend(tool, copy.deepcopy(arguments), text))

    def test_what_is_understood_anyhow(self):
        for tool, arguments in TAKEN:
            with self.subTest(tool=tool, arguments=arguments):
                self.works(tool, arguments)


if __name__ == "__main__":
    unittest.main(verbosity=2)
