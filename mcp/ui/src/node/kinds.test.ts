// SPDX-License-Identifier: GPL-3.0-or-later
import assert from "node:assert/strict";
import { test } from "node:test";
import { readExact, writeExact } from "../base/json";
import { callText, CHOSEN, emptyCase, kindOfCase, memberDraft, caseMembers, tidyCase } from "./cases";
import { blanksOf, problemsOf } from "./check";
import { kindOf, kinds } from "./draw";
import { Drafts } from "./drafts";
import { flatten, mergeValues } from "./flat";
import { applies, emptyParameters, tidy, typedNumber, type Field, type Parameters } from "./kinds";

test("every type has words and every field a label", () => {
  for (const kind of kinds) {
    assert.match(kind.when, /^[A-Z].*\.$/);
    for (const each of [kind, ...kind.fields]) assert.match(each.label, /^[A-Z]/);
  }
  assert.deepEqual(kindOf("three-svgs")!.fields.slice(0, 3).map(field => field.name), ["title1", "description1", "svg1"]);
});

test("a new component of each type can be drawn, and is not written before it says something", () => {
  for (const kind of kinds) {
    const made = emptyParameters(kind);
    assert.deepEqual(problemsOf(kind.name, made), [], kind.name);
    if (!kind.fields.some(field => field.shape === "pictures")) assert(blanksOf(kind, tidy(kind, made)).length > 0, kind.name);
  }
});

// Whether a field takes a value that is no object.
function takes(field: Field, value: unknown, parameters: Parameters): boolean {
  if (!applies(field, parameters)) return true;
  if (value === undefined || value === null) return !field.needed;
  if (field.shape === "list" || field.shape === "cases") return Array.isArray(value);
  if (field.shape === "number") return typeof value === "number" && value <= (field.most ?? value);
  if (field.shape === "answers") return ["string", "number"].includes(typeof value) || Array.isArray(value);
  return typeof value === "string" && !["choice", "chart", "pictures"].includes(field.shape);
}

test("what breaks the rules is told by field, whatever it is", () => {
  for (const wrong of [null, undefined, 7, "some text", [], true]) {
    assert(problemsOf("paragraph", wrong).length > 0);
    assert(problemsOf(wrong, {}).length > 0);
    for (const kind of kinds) for (const field of kind.fields) {
      const broken = { ...emptyParameters(kind), visual_type: "pie-chart", visual_content: "", [field.name]: wrong };
      assert.equal(problemsOf(kind.name, broken).filter(problem => problem.field.startsWith(field.name)).length === 0, takes(field, wrong, broken),
        `${kind.name}.${field.name}: ${JSON.stringify(wrong)}`);
    }
  }
  assert.deepEqual(problemsOf("two-pictures", { pictures: { svg1: { title: 4 }, image2: null } }).map(problem => problem.field),
    ["pictures.svg1.title", "pictures.image2"]);
  assert.match(problemsOf("<script>", {})[0].text, /none of heading, paragraph/);
  assert.match(problemsOf("callout-box", { text: "", style: "loud" })[0].text, /"loud", which is none of tip/);
});

test("what is empty and not needed is not sent", () => {
  const hero = kindOf("hero-number")!;
  assert.deepEqual(tidy(hero, { visual_type: "text", visual_content: "7", caption: "", background_style: "", chart_data: { current: 1 }, own: 1 }),
    { visual_type: "text", visual_content: "7", own: 1 });
  assert.deepEqual(tidy(kindOf("step-sequence")!, { steps: ["a", "", "b"] }), { steps: ["a", "b"] });
});

test("a question has the fields of its kind", () => {
  const question = kindOf("question")!, all = { prompt: "p", options: ["a", "", "b"], answer: ["a", ""], tolerance: "0.50", criteria: ["c"] };
  const names = (kind: string) => Object.keys(tidy(question, { ...all, kind })).sort();
  assert.deepEqual(names("choice"), ["answer", "kind", "options", "prompt"]);
  assert.deepEqual(names("number"), ["answer", "kind", "prompt", "tolerance"]);
  assert.deepEqual(names("text"), ["answer", "kind", "prompt"]);
  assert.deepEqual(names("open"), ["criteria", "kind", "prompt"]);
  assert.deepEqual(tidy(question, { ...all, kind: "number", answer: "3/4" }), { prompt: "p", kind: "number", answer: "3/4", tolerance: 0.5 });
  assert.deepEqual(tidy(question, { ...all, kind: "choice" }).options, ["a", "b"]);
  const blanks = (parameters: Parameters) => blanksOf(question, tidy(question, parameters)).map(problem => problem.field);
  assert.deepEqual(blanks(emptyParameters(question)), ["prompt", "options.0", "answer"]);
  assert.deepEqual(problemsOf("question", { prompt: "p", kind: "open" }), [{ field: "criteria", text: "is missing" }]);
  assert.deepEqual(problemsOf("question", { prompt: "p", kind: "text", answer: ["a", 1, true] }).map(problem => problem.field), ["answer.2"]);
  assert.match(problemsOf("question", { prompt: "p", kind: "number", answer: 1, tolerance: -1 })[0].text, /must be 0 or more, not -1/);
});

test("a number is a text while it is typed", () => {
  assert.deepEqual(["", "0", "0.", "0.0", "0.05", "-", "1e3"].map(typedNumber), [undefined, 0, "0.", "0.0", 0.05, "-", "1e3"]);
  assert.deepEqual(tidy(kindOf("hero-number")!, { visual_type: "pie-chart", visual_content: "1", chart_data: { numerator: "0.0", denominator: 3 } }).chart_data,
    { numerator: 0, denominator: 3 });
});

const typed = (name: string, text: string) => ({ [name]: memberDraft(caseMembers.find(member => member.name === name)!, text) });

test("a case is sent as its kind and its texts say", () => {
  const draft = { ...emptyCase(), call: "area", ...typed("args", '[2, 3.0, {"py": "(1, 2)"}]'), ...typed("expect", "null"), ...typed("kwargs", ""), name: "" };
  assert.deepEqual(tidyCase(draft), { call: "area", args: [2, { py: "3.0" }, { py: "(1, 2)" }], expect: null });
  assert.deepEqual(tidyCase({ ...draft, [CHOSEN]: "raises", raises: "ValueError" }),
    { call: "area", args: [2, { py: "3.0" }, { py: "(1, 2)" }], raises: "ValueError" });
  assert.deepEqual(tidyCase({ ...draft, [CHOSEN]: "program", stdin: "", stdout: "6\n", hidden: true, extra: 1 }), { stdout: "6\n", hidden: true, extra: 1 });
  const stored = { call: "f", expect: 1, stdin: "both" };
  assert.deepEqual(tidyCase(stored), stored, "what nobody chose is kept");
  assert.deepEqual([{ raises: "E" }, { stdout: "" }, { stdin: "" }, {}, { args: [] }].map(kindOfCase), ["raises", "program", "program", "call", "call"]);
});

test("a text that is no JSON stays in the draft, and its place has the reason", () => {
  const code = kindOf("exercise-code")!, wrong = "[2, 'a'";
  const parameters = { prompt: "p", cases: [{ call: "f", ...typed("args", wrong), ...typed("expect", "True") }, { call: "f", ...typed("args", "2"),
    ...typed("kwargs", "[]"), ...typed("expect", '"a"') }] };
  const found = problemsOf(code.name, tidy(code, parameters));
  assert.deepEqual(found.map(problem => problem.field), ["cases.0.args", "cases.0.expect", "cases.1.args", "cases.1.kwargs"]);
  assert.match(found[0].text, /is not JSON: texts have double quotes/);
  assert.match(found[2].text, /in brackets, such as \[2, 3\]/);
  const drafts = new Drafts(null), draft = { type: code.name, parameters, base: null, revision: 0, after: null };
  drafts.keep("s", "n", "c", draft);
  assert.equal(JSON.stringify(drafts.read("s", "n", "c")).includes(JSON.stringify(wrong).slice(1, -1)), true);
  assert.deepEqual(blanksOf(code, tidy(code, emptyParameters(code))).map(problem => problem.field), ["prompt", "cases.0.call", "cases.0.expect"]);
});

test("cases of the store that break the rules have a problem at their place", () => {
  const of = (...cases: unknown[]) => problemsOf("exercise-code", { prompt: "p", cases }).map(problem => problem.field);
  assert.deepEqual(of({ call: "f", expect: null }, { stdin: "1", stdout: "" }, { call: "f", args: [], raises: "E", hidden: true, note: 3 }), []);
  assert.deepEqual(of(7, null, {}), ["cases.0", "cases.1", "cases.2.call", "cases.2.expect"]);
  assert.deepEqual(of({}), ["cases.0.call", "cases.0.expect"]);
  assert.deepEqual(of({ stdin: "1" }), ["cases.0.stdout"]);
  assert.deepEqual(of({ call: "f", expect: 1, stdout: "" }), ["cases.0.stdout"]);
  assert.deepEqual(of({ call: 1, expect: 1, args: {}, kwargs: [], hidden: "yes" }), ["cases.0.call", "cases.0.args", "cases.0.kwargs", "cases.0.hidden"]);
});

test("values of Python keep their type and are shown as Python writes them", () => {
  const text = '{"a": [6.0, 6, 0.5, 1e3, 123456789012345678901, "6.0", {"py": "{1, 2}"}, null, true]}', value = readExact(text);
  assert.deepEqual(value, { a: [{ py: "6.0" }, 6, 0.5, { py: "1e3" }, { py: "123456789012345678901" }, "6.0", { py: "{1, 2}" }, null, true] });
  assert.equal(writeExact(value, "json"), text);
  assert.equal(writeExact(value, "python"), '{"a": [6.0, 6, 0.5, 1e3, 123456789012345678901, "6.0", {1, 2}, None, True]}');
  assert.equal(callText({ call: "area", args: [2, "a"], kwargs: { unit: null } }), 'area(2, "a", unit=None)');
  assert.deepEqual(readExact("1e400"), { py: "1e400" });
  const long = JSON.stringify({ a: '1.0 \\" 2.0 "3.0" \n'.repeat(1_000_000) });
  assert.deepEqual(readExact(long), JSON.parse(long), "numbers in a text are text");
  assert.throws(() => readExact("[1,"), SyntaxError);
});

test("versions of an exercise are compared item by item", () => {
  const labels = (type: string, parameters: unknown) => flatten(type, parameters).map(each => `${each.label}: ${each.text}`);
  assert.deepEqual(labels("exercise-code", { prompt: "p", hints: ["h"], cases: [{ call: "f", args: [1, { py: "(2,)" }], expect: null, hidden: true }, 7] }),
    ["Task: p", "Hint 1: h", "Case 1, call: f", "Case 1, args: [1, (2,)]", "Case 1, expect: None", "Case 1, hidden: true", "Case 2: 7"]);
  assert.deepEqual(labels("question", { options: ["a", "b"], criteria: ["c"], answer: ["a", 2] }), ["Option 1: a", "Option 2: b", "Criterion 1: c", "Answer 1: a", "Answer 2: 2"]);
  assert.deepEqual(labels("step-sequence", { steps: ["s"] }), ["Step 1: s"]);
  const base = { cases: [{ call: "f", expect: 1 }] };
  assert.deepEqual(mergeValues(base, { cases: [{ call: "g", expect: 1 }] }, { cases: [{ call: "f", expect: 2 }] }), { value: { cases: [{ call: "g", expect: 2 }] }, clash: false });
});
