// SPDX-License-Identifier: GPL-3.0-or-later
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Finding, Imported } from "../base/types";
import { countsOf, hasUntyped, isClean, placeWords, shortReport, unlisted, updateWords } from "./summary";

const reason = (text: string, count: number, places: Finding["places"] = []): Finding => ({ reason: text, count, places });
const of = (report: Partial<Imported["report"]>, more: Partial<Imported> = {}): Imported => ({ session_id: "s", nodes: 1, components: 2, relationships: 0,
  report: { read: [], changed: [], leftOut: [], rules: [], ...report }, ...more });

test("counts and the report are in words", () => {
  assert.equal(countsOf(of({})), "1 lesson, 2 components, 0 links");
  const counted = (nodes: number, relationships: number) => ({ nodes, relationships, first: [] });
  const changes = { added: counted(2, 1), updated: counted(1, 0), unchanged: counted(5, 5), missing: counted(9, 9), components: 0 };
  assert.equal(countsOf({ session_id: "s", report: of({}).report, changes, change_set: null }), "8 lessons, 6 links");
  assert.equal(shortReport(of({})), "Nothing was changed or left out.");
  assert.equal(shortReport(of({ read: [reason("a", 2), reason("b", 1)], leftOut: [reason("c", 50)] })), "How it was read: 3. Left out: 50.");
  assert.equal(isClean(of({})), true);
  assert.equal(isClean(of({ rules: [reason("a", 1)] })), false);
});

test("a place names what it has", () => {
  assert.equal(placeWords({ file: "a.md", line: 4, value: "x" }), "a.md, line 4: “x”");
  assert.equal(placeWords({ file: "a.md" }), "a.md");
  assert.equal(placeWords({ value: "" }), "“”");
  assert.equal(placeWords({ line: 2, value: "x" }), "line 2: “x”");
  assert.equal(unlisted(reason("a", 7, [1, 2, 3, 4, 5].map(line => ({ file: "a", line })))), 2);
  assert.equal(unlisted(reason("a", 7, [{ file: "a" }])), 0, "a whole column");
  assert.equal(unlisted(reason("a", 7)), 0);
});

test("only relationships without a type ask for one", () => {
  assert.equal(hasUntyped(of({ read: [reason("relationships without a type are read as LEADS_TO", 3)] })), true);
  assert.equal(hasUntyped(of({ read: [reason("relationships PREREQUISITE from a column", 3)] })), false);
});

test("an update says what it has changed, and what it has deleted only where that was asked", () => {
  const counted = (nodes: number, relationships: number) => ({ nodes, relationships, first: [] });
  const changes = { added: counted(2, 1), updated: counted(0, 0), unchanged: counted(5, 5), missing: counted(1, 0), components: 0 };
  const done = of({}, { changes, change_set: "c" });
  assert.equal(updateWords(done, "T", false), "“T” is updated: 2 lessons added, 1 link added.");
  assert.equal(updateWords(done, "T", true), "“T” is updated: 2 lessons added, 1 lesson deleted, 1 link added.");
  assert.equal(updateWords(of({}, { changes }), "T", false), "“T” has all of it already: nothing was changed.");
});
