// SPDX-License-Identifier: GPL-3.0-or-later
import assert from "node:assert/strict";
import { test } from "node:test";
import { diffWords, merge } from "../base/diff";
import { flatten, mergeValues, pairs } from "./flat";

const side = (pieces: ReturnType<typeof diffWords>, left: string) => pieces.filter(piece => piece.kind !== left).map(piece => piece.text).join("");

// A small generator, so that a failure can be repeated.
function random(seed: number) {
  return (below: number) => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return Math.floor(seed / 65536) % below;
  };
}

test("a difference holds both texts whole", () => {
  const next = random(7), words = ["one", "two", "three", " ", ", ", "vier", "π≈3", "\n\n", "🙂", "á"];
  for (let i = 0; i < 500; i++) {
    const text = () => Array.from({ length: next(12) }, () => words[next(words.length)]).join("");
    const before = text(), after = text(), pieces = diffWords(before, after);
    assert.equal(side(pieces, "new"), before);
    assert.equal(side(pieces, "gone"), after);
  }
});

test("only the changed words are marked", () => {
  assert.deepEqual(diffWords("A multiple of a number", "A factor of a number"),
    [{ kind: "same", text: "A " }, { kind: "gone", text: "multiple" }, { kind: "new", text: "factor" }, { kind: "same", text: " of a number" }]);
  assert.deepEqual(diffWords("", "new"), [{ kind: "new", text: "new" }]);
  assert.deepEqual(diffWords("same", "same"), [{ kind: "same", text: "same" }]);
});

test("texts too long to compare are still whole", () => {
  const before = "x y ".repeat(3000), after = "u v ".repeat(3000), pieces = diffWords(before, after);
  assert.equal(side(pieces, "new"), before);
  assert.equal(side(pieces, "gone"), after);
});

test("both sides' changes come together, and a clash is told", () => {
  assert.deepEqual(merge("one two three", "one 2 three", "one two three four"), { text: "one 2 three four", clash: false });
  assert.deepEqual(merge("a b c", "a b c", "a X c"), { text: "a X c", clash: false });
  assert.deepEqual(merge("a b c", "a X c", "a X c"), { text: "a X c", clash: false });
  const clash = merge("a b c", "a mine c", "a theirs c");
  assert.equal(clash.clash, true);
  assert.match(clash.text, /mine.*theirs/);
  assert.equal(merge("", "mine", "theirs").clash, true);
});

test("a merge loses no word of either side", () => {
  const next = random(11), words = "alpha beta gamma delta epsilon zeta".split(" ");
  for (let i = 0; i < 300; i++) {
    const base = Array.from({ length: 1 + next(8) }, () => words[next(words.length)]);
    const edit = (mark: string) => {
      const made = [...base];
      made.splice(next(made.length + 1), next(2), `${mark}${i}`);
      return made.join(" ");
    };
    const { text } = merge(base.join(" "), edit("mine"), edit("theirs"));
    assert(text.includes(`mine${i}`) && text.includes(`theirs${i}`), `${base.join(" ")} became ${text}`);
  }
});

test("parameters are compared and merged field by field", () => {
  const base = { term: "ratio", definition: "Two numbers." };
  const merged = mergeValues(base, { ...base, definition: "Two numbers, compared." }, { ...base, term: "a ratio" });
  assert.deepEqual(merged, { value: { term: "a ratio", definition: "Two numbers, compared." }, clash: false });
  assert.deepEqual(mergeValues({ steps: ["a", "b"] }, { steps: ["a", "B"] }, { steps: ["A", "b"] }), { value: { steps: ["A", "B"] }, clash: false });
  assert.equal(mergeValues({ steps: ["a"] }, { steps: ["a", "mine"] }, { steps: [] }).clash, true);
  assert.deepEqual(pairs("definition", base, { ...base, term: "x" }).map(pair => [pair.label, pair.mine, pair.theirs]), [["Term", "ratio", "x"]]);
  assert.deepEqual(flatten("two-pictures", { pictures: { svg1: { title: "t" } } }), [{ path: "pictures.svg1.title", label: "Picture 1, title", text: "t" }]);
  assert.deepEqual(flatten("unknown", [null, { a: 1 }]).map(each => each.text), ["1"]);
});
