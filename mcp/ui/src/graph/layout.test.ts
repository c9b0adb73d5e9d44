// SPDX-License-Identifier: GPL-3.0-or-later
// Where nodes and titles stand.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { CourseNode, Relationship } from "../base/types";
import { placeTitles, type Candidate, type Measure } from "./labels";
import { structureOf } from "./reach";

const SHAPE = 0.5;
const node = (i: number, more: Partial<CourseNode>): CourseNode => ({ node_id: `N${i}`, title: `Lesson ${i}`, ...more } as CourseNode);
const chain = (count: number): Relationship[] => Array.from({ length: count - 1 }, (_, i) =>
  ({ id: i, from_node_id: `N${i}`, to_node_id: `N${i + 1}`, relationship_type: "PREREQUISITE" }) as Relationship);
const extent = (along: Float64Array) => Math.max(...along) - Math.min(...along);

test("a long chain is no pole: its chapters are blocks with names, in teaching order, and fill their place", () => {
  const chapters = ["2 Numbers", "3 Fractions", "10 Ratios"];
  const nodes = Array.from({ length: 48 }, (_, i) => node(i, { chapter: chapters[Math.floor(i / 16)] }));
  const { layout } = structureOf(nodes, chain(48), SHAPE);
  assert.deepEqual(layout.blocks.map(({ name }) => name), chapters);
  assert.deepEqual([...layout.order], nodes.map((_, i) => i));
  const shape = extent(layout.x) / extent(layout.y);
  assert(shape > SHAPE / 2 && shape < SHAPE * 2, `${shape}`);
  assert.equal(new Set(nodes.map((_, i) => `${layout.x[i]} ${layout.y[i]}`)).size, 48, "no two at one place");
});

test("without chapters a long chain is wrapped all the same, and a short one stands in its layers", () => {
  const long = structureOf(Array.from({ length: 60 }, (_, i) => node(i, {})), chain(60), SHAPE).layout;
  assert(extent(long.x) > 0 && extent(long.y) < 40);
  const short = structureOf(Array.from({ length: 8 }, (_, i) => node(i, { chapter: "1" })), chain(8), SHAPE).layout;
  assert.deepEqual([short.blocks, extent(short.y)], [[], 7]);
});

test("chapters of one name in two books are two", () => {
  const nodes = Array.from({ length: 40 }, (_, i) => node(i, { chapter: "1 Foundations", book: i % 2 ? "Elementary" : "Intermediate" }));
  const { layout, group } = structureOf(nodes, chain(40), SHAPE);
  assert.deepEqual(layout.blocks.map(({ name }) => name), ["1 Foundations · Intermediate", "1 Foundations · Elementary"]);
  assert.equal(new Set(group).size, 2);
});

// Every letter is 6 pixels wide.
const measure: Measure = {
  width: line => line.length * 6,
  lines: (text, width, most) => (text.match(new RegExp(`.{1,${Math.floor(width / 6)}}`, "g")) ?? []).slice(0, most),
};
const at = (key: string, x: number, y: number, more: Partial<Candidate> = {}): Candidate =>
  ({ key, x, y, size: 4, text: "A title of a lesson", room: 100, tall: 60, forced: false, ...more });
const keys = (candidates: Candidate[]) => placeTitles(candidates, { width: 400, height: 400 }, measure, []).map(({ key }) => key);

test("titles do not overlap: the more important stays", () => {
  assert.deepEqual(keys([at("a", 100, 100), at("b", 300, 100)]), ["a", "b"]);
  const crowd = Array.from({ length: 100 }, (_, i) => at(`${i}`, 40 + (i % 10) * 30, 40 + Math.floor(i / 10) * 30));
  const some = placeTitles(crowd, { width: 400, height: 400 }, measure, []);
  assert(some.length > 0 && some.length < 100, `${some.length}`);
  const boxes = some.map(({ lines, x, y, align }) => {
    const width = Math.max(...lines.map(measure.width)), left = align === "center" ? x - width / 2 : x;
    return { left, right: left + width, top: y, bottom: y + lines.length * 14 };
  });
  boxes.forEach((a, i) => boxes.slice(i + 1).forEach(b =>
    assert(a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top, JSON.stringify([a, b]))));
  for (const { left, right, top, bottom } of boxes) assert(left >= 0 && right <= 400 && top >= 0 && bottom <= 400);
});

test("the open node's title stands over nodes, but not over another title; one at the edge moves in", () => {
  const around = [at("x", 100, 110), at("y", 120, 104), at("z", 80, 112)];
  assert(keys([at("open", 100, 100, { forced: true }), ...around]).includes("open"));
  const [edge] = placeTitles([at("edge", 2, 100)], { width: 400, height: 400 }, measure, []);
  assert(edge.x > 40);
});
