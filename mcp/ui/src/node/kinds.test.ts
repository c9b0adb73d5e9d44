// SPDX-License-Identifier: GPL-3.0-or-later
import assert from "node:assert/strict";
import { test } from "node:test";
import { blanksOf, problemsOf } from "./check";
import { kindOf, kinds } from "./draw";
import { emptyParameters, tidy } from "./kinds";

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
