// SPDX-License-Identifier: GPL-3.0-or-later
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { blanksOf, problemsOf } from "./check";
import { backgroundStyles, calloutStyles, emptyParameters, kindOf, kinds, pictureFields, tidy, visualTypes } from "./kinds";

const source = readFileSync("mcp/session/component_type.c", "utf8");
const between = (start: string, end: string) => {
  const from = source.indexOf(start);
  assert(from >= 0, `component_type.c has no "${start}"`);
  return source.slice(from, source.indexOf(end, from));
};
const names = (text: string) => [...text.matchAll(/"([^"]+)"/g)].map(found => found[1]);

test("the types, their parameters and which are needed are those of the server's table", () => {
  const table = between("static const struct component_type built_in[] = {", "\n};");
  const rows = table.split(/\n    \{"/).slice(1).map(row => {
    const [name] = row.split('"', 1), rest = row.slice(name.length + 1);
    const fields = [...rest.matchAll(/(NEEDED_TEXT|TEXT_IF_ANY)\("(\w+)"\)|\{"(\w+)", SHAPE_(\w+), (true|false), (\w+), (\d)\}/g)].map(found => found[2]
      ? { name: found[2], needed: found[1] === "NEEDED_TEXT", shape: "TEXT", pictures: 0 }
      : { name: found[3], needed: found[5] === "true", shape: found[4], pictures: Number(found[7]) });
    return { name, fields };
  });
  const shapes: Record<string, string> = { text: "TEXT", line: "TEXT", svg: "TEXT", list: "TEXT_LIST", choice: "CHOICE", pictures: "PICTURES", chart: "CHART_DATA" };
  const sorted = (list: { name: string }[]) => [...list].sort((a, b) => a.name < b.name ? -1 : 1);
  assert.equal(rows.length, 12);
  assert.deepEqual(kinds.map(kind => ({ name: kind.name as string, fields: sorted(kind.fields.map(field =>
    ({ name: field.name, needed: field.needed, shape: shapes[field.shape], pictures: field.pictures ?? 0 }))) })),
  rows.map(row => ({ name: row.name, fields: sorted(row.fields) })));
});

test("the choices are those of the server's table", () => {
  assert.deepEqual(names(between("callout_styles[] =", "NULL}")), [...calloutStyles]);
  assert.deepEqual(names(between("visual_types[] =", "NULL}")), [...visualTypes]);
  assert.deepEqual(names(between("background_styles[] =", "NULL}")), [...backgroundStyles]);
  assert.deepEqual(names(between("picture_fields[] =", "NULL}")), [...pictureFields]);
});

test("a new component of each type can be drawn, and is not written before it says something", () => {
  for (const kind of kinds) {
    const made = emptyParameters(kind);
    assert.deepEqual(problemsOf(kind.name, made), [], kind.name);
    if (!kind.fields.some(field => field.pictures)) assert(blanksOf(kind, tidy(kind, made)).length > 0, kind.name);
  }
});

test("what breaks the rules is told by field, whatever it is", () => {
  for (const wrong of [null, undefined, 7, "some text", [], true]) {
    assert(problemsOf("paragraph", wrong).length > 0);
    assert(problemsOf(wrong, {}).length > 0);
    for (const kind of kinds) for (const field of kind.fields) {
      const broken = { ...emptyParameters(kind), visual_type: "pie-chart", visual_content: "", [field.name]: wrong };
      const isRight = wrong === undefined || wrong === null ? !field.needed : typeof wrong === "string" ? !["list", "choice", "chart", "pictures"].includes(field.shape)
        : Array.isArray(wrong) && field.shape === "list";
      assert.equal(problemsOf(kind.name, broken).filter(problem => problem.field.startsWith(field.name)).length > 0, !isRight, `${kind.name}.${field.name}: ${JSON.stringify(wrong)}`);
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
