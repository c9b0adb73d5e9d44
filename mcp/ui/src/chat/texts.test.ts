// SPDX-License-Identifier: GPL-3.0-or-later
import assert from "node:assert/strict";
import { test } from "node:test";
import { refusals } from "./refusal";
import { diff } from "../base/diff";
import { blocksOf } from "../base/marked";
import { mentioned, mentions, nodeNames } from "./mentions";
import { addOutput, cutOutput, duration, OUTPUT_KEPT, plain, sentence, splitResult } from "./output";
import { parsePartial } from "./partial_json";
import { failureAdvice, toolTitle } from "./tool_title";
import { saving, total } from "./usage";

// ---- diff ----

const show = (before: string, after: string) =>
  diff(before, after)
    .map(piece => (piece.kind === "same" ? piece.text : piece.kind === "gone" ? `[-${piece.text}-]` : `[+${piece.text}+]`))
    .join("");
const side = (before: string, after: string, without: string) =>
  diff(before, after)
    .filter(piece => piece.kind !== without)
    .map(piece => piece.text)
    .join("");

test("a difference is told by words", () => {
  assert.equal(show("keeps both quantities in step", "keeps two quantities in step"), "keeps [-both-][+two+] quantities in step");
  assert.equal(show("one two", "one two three"), "one two[+ three+]");
  assert.equal(show("same", "same"), "same");
  assert.equal(show("", "new"), "[+new+]");
  assert.equal(show("old", ""), "[-old-]");
});

test("neighbouring changes are one", () => assert.equal(show("a b c d", "a x y d"), "a [-b c-][+x y+] d"));

test("both sides of a difference are whole, of any two texts", () => {
  const texts = [
    "",
    "a",
    "Halve one, and the other halves.",
    "Größe × 3 = 🙂 ok",
    "line\n\nline two\n",
    "<b>bold</b> & x",
    "a b a b a b",
    "b a b a b",
  ];
  for (const before of texts)
    for (const after of texts) {
      assert.equal(side(before, after, "new"), before);
      assert.equal(side(before, after, "gone"), after);
    }
});

test("two long texts without anything in common are replaced whole", () => {
  const before = "x ".repeat(3000);
  const after = "y ".repeat(3000);
  assert.equal(side(before, after, "new"), before);
  assert.equal(side(before, after, "gone"), after);
});

// ---- blocks ----

test("blocks together are the text", () => {
  const text = "# Head\n\nText\nmore\n\n- one\n\n- two\n\n  inner\n\nAfter\n\n```py\na\n\nb\n```\n\n$$\nx\n\ny\n$$\n\nEnd";
  const blocks = blocksOf(text);
  assert.equal(blocks.join(""), text);
  assert.deepEqual(
    blocks.map(block => block.trim().split("\n")[0]),
    ["# Head", "Text", "- one", "After", "```py", "$$", "End"],
  );
});

test("however a text streams in, finished blocks stay what they were", () => {
  const text = "A\n\n1. x\n2. y\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n~~~\nno ``` end\n\n~~~\n\nB **b\n\nC\r\n\r\nD";
  let before: string[] = [];
  for (let end = 1; end <= text.length; end++) {
    const blocks = blocksOf(text.slice(0, end));
    assert.equal(blocks.join("").trimEnd(), text.slice(0, end).replaceAll("\r", "").trimEnd());
    for (let at = 0; at < before.length - 1; at++) assert.equal(blocks[at], before[at]);
    before = blocks;
  }
});

// ---- partial JSON ----

test("arguments are read wherever they are cut", () => {
  const whole =
    '{"node_id":"N013","code":"print(\\"a\\u00e9\\\\n\\")\\n# {[","list":[1,{"a":true}],"number":-12.5e3,"none":null}';
  const read = JSON.parse(whole) as Record<string, unknown>;
  for (let end = 0; end <= whole.length; end++) {
    const part = parsePartial(whole.slice(0, end));
    if (typeof part.code === "string") assert(String(read.code).startsWith(part.code), `${end}: ${part.code}`);
    if (end > 18) assert.equal(part.node_id, "N013", `at ${end}`);
  }
  assert.deepEqual(parsePartial(whole), read);
  assert.deepEqual(parsePartial("[1]"), {});
  assert.deepEqual(parsePartial("}}{{"), {});
});

// ---- output ----

test("output is shown without escapes and controls", () => {
  assert.equal(plain("\u001b[1;31mred\u001b[0m \u001b]0;title\u0007ok\u0000\u0008"), "red ok");
  assert.equal(plain("10%\r50%\r100%\nend\r\n"), "100%\nend\n");
  assert.equal(plain("a\u202eevil\u2066b"), "aevilb");
});

test("of much output the end is kept while it comes, and what is long is cut", () => {
  const kept = addOutput("line\n".repeat(OUTPUT_KEPT / 5), "last\n");
  assert(kept.length <= OUTPUT_KEPT);
  assert(kept.endsWith("last\n"));
  const cut = cutOutput("1\n2\n3\n4\n", 2, 100, false);
  assert.deepEqual([cut.shown, cut.lines, cut.cut], ["1\n2", 4, true]);
  assert.equal(cutOutput("1\n2\n3\n4\n", 2, 100, true).shown, "3\n4");
  assert.equal(cutOutput("x".repeat(50), 2, 10, false).shown.length, 10);
});

test("an analysis' last line stands apart", () => {
  assert.deepEqual(splitResult("3\n[ok, 0.532 s, 1 figure]"), { output: "3", trailer: "ok, 0.532 s, 1 figure", repair: null });
  assert.deepEqual(splitResult("[1, 2]"), { output: "[1, 2]", trailer: null, repair: null });
  assert.deepEqual(
    splitResult(
      "KeyError\n[runtime, 0.1 s]\n\nAttempt 2 of 3 is next. Correct the cause of the error, then run the whole program again.",
    ),
    { output: "KeyError", trailer: "runtime, 0.1 s", repair: "Attempt 2 of 3 is next." },
  );
  assert.equal(splitResult("KeyError\n\nAttempt 3 of 3 was the last. Run no more code.").repair, "Attempt 3 of 3 was the last.");
  assert.equal(sentence("the service is away (503)"), "The service is away (503).");
  assert.equal(duration(532), "532 ms");
  assert.equal(duration(61500), "1 min 1 s");
});

// ---- titles ----

test("calls are named by the server's template and their arguments", () => {
  const add = "Add {component_type:a}[ to {node_id}]|Add a component[ to {node_id}]";
  const ask = "Graph question: {query:words}[ of {node_id}][ from {from_node_id}][ to {to_node_id}]|Graph question";
  const change = "{dry_run=true}Try out {operations:operation}|Change the curriculum: {operations:operation}";
  const history = "{action=undo}{change_set=}Undo a change|{action=undo}Undo the last change|Look at the history";
  const titles: [string, Record<string, unknown>, string][] = [
    ["Analysis", { code: "1" }, "Analysis"],
    [ask, {}, "Graph question"],
    [ask, { query: "prerequisites", node_id: "N013" }, "Graph question: prerequisites of N013"],
    [
      ask,
      { query: "shortest_path", from_node_id: "N001", to_node_id: "N_2" },
      "Graph question: shortest path from N001 to N_2",
    ],
    [add, {}, "Add a component"],
    [add, { node_id: "N021" }, "Add a component to N021"],
    [add, { node_id: "N021", component_type: "example_box" }, "Add an example box to N021"],
    [add, { node_id: 7, component_type: "tip" }, "Add a tip to 7"],
    [add, { node_id: "{query}[x]", component_type: "a|b" }, "Add an a|b to {query}[x]"],
    ["Add {components:component}", { components: [1, 2] }, "Add 2 components"],
    [change, {}, "Change the curriculum: 0 operations"],
    [change, { operations: [1] }, "Change the curriculum: 1 operation"],
    [change, { operations: [1, 2], dry_run: true }, "Try out 2 operations"],
    [history, { action: "undo" }, "Undo the last change"],
    [history, { action: "undo", change_set: "c" }, "Undo a change"],
    [history, {}, "Look at the history"],
  ];
  for (const [template, args, title] of titles) assert.equal(toolTitle(template, "x", args), title);
  assert.equal(toolTitle("", "some_new_tool", {}), "some new tool");
  assert.equal(toolTitle("", "constructor", {}), "constructor");
  assert.equal(toolTitle("", "", {}), "A tool");
});

test("titles take arguments of any kind, cut anywhere", () => {
  for (const how of ["", ":words", ":a", ":thing", "=", "=undo"])
    for (const value of [null, {}, [], 7, "<script>alert(1)</script>".repeat(50), undefined, true])
      assert(toolTitle(`Do {name${how}}[ to {name${how}}]|Do`, "x", { name: value }).length < 300);
});

test("what a failure means", () => {
  assert.equal(failureAdvice("toString"), null);
  assert(failureAdvice("timeout"));
});

// ---- nodes ----

const names = nodeNames([
  { node_id: "N001", title: "Factors, multiples and the times tables" },
  { node_id: "N013", title: "Ratio tables" },
  { node_id: "N013b", title: "Ratio tables in cooking" },
  { node_id: "12", title: "Sums" },
  { node_id: "intro", title: "Introduction to maths" },
  { node_id: "N021", title: "Density" },
]);
const ids = (text: string, whole = false) => mentions(text, names, whole).map(one => one.id);

test("nodes are found by id and by title, the longest first, and only those that there are", () => {
  assert.deepEqual(ids("N001, N999 and (N013b)."), ["N001", "N013b"]);
  assert.deepEqual(ids("Begin with ratio tables in cooking, then Ratio tables."), ["N013b", "N013"]);
  assert.deepEqual(ids("12 sums, an intro, xN001 N0013"), []);
  assert.deepEqual(ids("intro", true), ["intro"]);
  assert.deepEqual(ids("The density of water; Density"), ["N021"]);
  assert.deepEqual(ids("Ratio\ntables and Ratio - tables"), ["N013"]);
  assert.deepEqual(ids("print(N001)", true), ["N001"]);
  assert.deepEqual(mentioned(["N001 N001", "N013"], names), ["N001", "N013"]);
  const [one] = mentions("see N013:", names);
  assert.deepEqual([one?.start, one?.end], [4, 8]);
});

test("a long text is searched in no time", () => {
  const many = nodeNames(
    Array.from({ length: 6500 }, (_, at) => ({ node_id: `N${at}`, title: `The node number ${at} of many` })),
  );
  const start = Date.now();
  assert(mentioned(["the node number ".repeat(2000)], many).length === 0);
  assert(Date.now() - start < 3000, `${Date.now() - start} ms`);
});

// ---- tokens ----

const usage = { inputTokens: 400, cachedInputTokens: 100, outputTokens: 12, requests: 2, wholeCurriculumTokens: 310000 };

test("tokens and what they save", () => {
  assert.equal(saving(usage), "412 tokens instead of about 310,000: 99.9% less");
  assert.equal(saving({ ...usage, wholeCurriculumTokens: 0 }), "412 tokens");
  assert.equal(saving({ ...usage, wholeCurriculumTokens: 300 }), "412 tokens; the whole curriculum is about 300");
  const end = { kind: "end" as const, id: "r", ending: "done" as const, text: null, usage, question: null, past: false };
  const sum = total([end, { ...end, ending: "interrupted" }, end]);
  assert.deepEqual([sum?.questions, sum?.usage.inputTokens, sum?.usage.wholeCurriculumTokens], [2, 800, 620000]);
});

test("why code was refused: the rule, the line, what to write instead", () => {
  const result = "Code analysis blocked. Nothing ran:\nline 1: Import 'os' is not allowed. Read the curriculum with get_nodes().\n" +
    "    import os\n           ^\nline 3: invalid syntax\n";
  assert.deepEqual(refusals(result), [
    { line: 1, rule: "Import 'os' is not allowed.", instead: "Read the curriculum with get_nodes().", code: "import os" },
    { line: 3, rule: "invalid syntax", instead: "", code: "" },
  ]);
  assert.deepEqual(refusals("NameError: name 'line 1' is not defined"), []);
});
