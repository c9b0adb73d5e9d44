// SPDX-License-Identifier: GPL-3.0-or-later
// The small pure parts: places, drafts, charts, addresses, people and times.
import assert from "node:assert/strict";
import { test } from "node:test";
import { person } from "../base/words";
import { sourceOf } from "./address";
import { bar, circles, sector } from "./charts";
import { Drafts, type Draft } from "./drafts";
import { carriedOver, dropPlace, moved, orderOf } from "./order";
import { ago } from "./ago";

test("a move is told to the server as the old places in their new sequence", () => {
  const before = ["a", "b", "c", "d"];
  assert.deepEqual(moved(before, 0, 2), ["b", "c", "a", "d"]);
  assert.deepEqual(orderOf(before, moved(before, 0, 2)), [2, 3, 1, 4]);
  assert.deepEqual(moved(before, 3, 0), ["d", "a", "b", "c"]);
});

test("a move is carried over to a sequence that has changed", () => {
  assert.deepEqual(carriedOver(["a", "new", "b", "c"], ["b", "a", "c"], "a"), ["new", "b", "a", "c"]);
  assert.deepEqual(carriedOver(["a", "c"], ["b", "a", "c"], "a"), ["a", "c"]);
  assert.deepEqual(carriedOver(["x", "a"], ["a", "b"], "a"), ["a", "x"]);
});

test("a thing is dropped behind those whose middle it has passed", () => {
  assert.deepEqual([5, 15, 25, 99].map(y => dropPlace([10, 20, 30], y)), [0, 1, 2, 3]);
});

class Held implements Storage {
  private readonly map = new Map<string, string>();
  room = Infinity;
  get length() { return this.map.size; }
  clear() { this.map.clear(); }
  getItem(key: string) { return this.map.get(key) ?? null; }
  key(index: number) { return [...this.map.keys()][index] ?? null; }
  removeItem(key: string) { this.map.delete(key); }
  setItem(key: string, value: string) {
    if (value.length > this.room) throw new DOMException("full", "QuotaExceededError");
    this.map.set(key, value);
  }
}

const draft: Draft = { type: "paragraph", parameters: { text: "half a sentence" }, base: { text: "" }, revision: 3, after: null };

test("a draft outlasts the page, by session, node and component", () => {
  const storage = new Held(), drafts = new Drafts(storage);
  drafts.keep("s", "N/1", "c", draft);
  const again = new Drafts(storage);
  assert.deepEqual(again.read("s", "N/1", "c"), draft);
  assert.deepEqual(again.of("s", "N/1"), ["c"]);
  assert.deepEqual([again.of("s", "N"), again.of("s", "N/1/c"), again.read("s", "N/1", "d")], [[], [], null]);
  again.drop("s", "N/1", "c");
  assert.equal(new Drafts(storage).read("s", "N/1", "c"), null);
});

test("where the browser keeps nothing a draft lives as long as the page, and that is known", () => {
  const storage = new Held();
  storage.room = 10;
  for (const drafts of [new Drafts(storage), new Drafts(null)]) {
    drafts.keep("s", "n", "c", draft);
    assert.deepEqual(drafts.read("s", "n", "c"), draft);
    assert.deepEqual(drafts.of("s", "n"), ["c"]);
  }
  const full = new Drafts(storage);
  full.keep("s", "n", "c", draft);
  assert.equal(full.full, true);
});

test("a form that nobody has written in leaves nothing", () => {
  const storage = new Held(), drafts = new Drafts(storage);
  const heading: Draft = { type: "heading", parameters: { text: "" }, base: null, revision: 0, after: null };
  for (const untouched of [heading, { ...draft, parameters: { ...draft.base } }]) {
    drafts.keep("s", "n", "c", draft);
    drafts.keep("s", "n", "c", untouched); // what was written has been taken back
    assert.equal(storage.length, 0);
    assert.deepEqual(drafts.of("s", "n"), ["c"], "its form is still open");
    drafts.dropUntouched("s", "n", "c");
    assert.deepEqual(drafts.of("s", "n"), []);
  }
  drafts.keep("s", "n", "c", draft);
  drafts.dropUntouched("s", "n", "c");
  assert.deepEqual(new Drafts(storage).read("s", "n", "c"), draft);
});

test("what is no draft is none", () => {
  const storage = new Held();
  for (const text of ["{", "null", "[]", '{"type": 3, "parameters": {}}', '{"type": "paragraph", "parameters": 4}']) {
    storage.setItem("lectern.draft/s/n/c", text);
    assert.equal(new Drafts(storage).read("s", "n", "c"), null, text);
  }
});

test("circles are cut into their parts, and more than a whole takes more circles", () => {
  const filled = (numerator: number, denominator: number, cut: boolean) =>
    circles(numerator, denominator, cut)?.sectors.map(each => `${each.filter(one => one.filled).length}/${each.length}`);
  assert.deepEqual(filled(2, 3, true), ["2/3"]);
  assert.deepEqual(filled(5, 3, true), ["3/3", "2/3"]);
  assert.deepEqual(filled(0, 4, true), ["0/4"]);
  assert.deepEqual(filled(2, 5, false), ["1/2"]);
  assert.deepEqual(filled(5, 5, false), ["1/1"]);
  assert.deepEqual(filled(1, 1000, true), ["1/2"]);
  for (const [numerator, denominator] of [[1, 0], [-1, 2], [NaN, 2], [1, Infinity], [100, 1]]) assert.equal(circles(numerator, denominator, true), null);
  assert.equal(sector(50, 50, 46, 0, 0.25), "M50 50L50 4A46 46 0 0 1 96 50Z");
  assert.match(sector(50, 50, 46, 0, 0.75), /A46 46 0 1 1 4 50Z/);
});

test("a bar is filled by its share", () => {
  assert.deepEqual(bar(28, 80), { filled: 35, over: false, said: "28 of 80" });
  assert.deepEqual(bar(90, 80), { filled: 100, over: true, said: "90 of 80" });
  for (const [current, maximum] of [[1, 0], [-1, 5], [NaN, 5]]) assert.equal(bar(current, maximum), null);
});

test("only data and, when asked for, this server's pictures are loaded", () => {
  const kind = (address: string) => sourceOf(address, "https://here.example:8001/#node").kind;
  for (const address of ["data:image/png;base64,AAAA", "data:image/svg+xml,%3Csvg%3E", " DATA:image/jpeg;base64,AA"]) assert.equal(kind(address), "load", address);
  for (const address of ["/images/a.png", "images/a.png", "https://here.example:8001/a.png"]) assert.equal(kind(address), "link", address);
  for (const address of ["https://elsewhere.example/a.png", "//elsewhere.example/a.png", "http://here.example:8001/a.png"]) assert.equal(kind(address), "link", address);
  for (const address of ["javascript:alert(1)", "java\tscript:alert(1)", "data:text/html,<script>", "vbscript:x", "file:///etc/passwd", "blob:x", "http://"])
    assert.equal(kind(address), "text", address);
});

test("people and times are told in words", () => {
  assert.equal(person("page:Anna/x1y2"), "Anna");
  assert.equal(person("chat:Anna/x1y2", true), "The chat for Anna");
  assert.equal(person("chat:Anna/x1y2"), "the chat for Anna");
  assert.equal(person("rest:Beatrix"), "Beatrix");
  assert.equal(person("rest", true), "A program");
  assert.equal(person("Beatrix"), "Beatrix");
  assert.equal(person(null, true), "Somebody");
  assert.equal(ago(1000, 2000), "just now");
  assert.equal(ago(0, 5 * 60_000), "5 minutes ago");
  assert.equal(ago(0, 26 * 3600_000), "yesterday");
});
