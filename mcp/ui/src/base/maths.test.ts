// SPDX-License-Identifier: GPL-3.0-or-later
import assert from "node:assert/strict";
import { test } from "node:test";
import { Marked } from "marked";
import { mathsAt, mathsExtensions } from "./maths";

const html = (text: string) => (new Marked({ gfm: true, async: false }).use({ extensions: mathsExtensions }).parse(text) as string).trim();

test("maths is found, and a price is none", () => {
  assert.deepEqual(mathsAt("$x_1$ and"), { raw: "$x_1$", tex: "x_1", display: false });
  assert.deepEqual(mathsAt("$$\n\\frac{1}{2}\n$$"), { raw: "$$\n\\frac{1}{2}\n$$", tex: "\\frac{1}{2}", display: true });
  assert.deepEqual(mathsAt("\\(a\\)"), { raw: "\\(a\\)", tex: "a", display: false });
  assert.deepEqual(mathsAt("$\\$5$"), { raw: "$\\$5$", tex: "\\$5", display: false });
  for (const text of ["$5 and $10", "$ x$", "$x $", "$$", "$$ $$", "$x", "$a\nb$"]) assert.equal(mathsAt(text), null, text);
});

test("Markdown leaves maths alone", () => {
  assert.equal(html("with $a_1 * b_1 * c_1$ and **bold**"), "<p>with <var>$a_1 * b_1 * c_1$</var> and <strong>bold</strong></p>");
  assert.equal(html("$$\na\n- b\n= c\n$$"), "<p><var>$$a\n- b\n= c$$</var></p>");
  assert.equal(html("costs $5 or $6"), "<p>costs $5 or $6</p>");
  assert.equal(html("costs \\$5\\$"), "<p>costs $5$</p>");
  assert.equal(html("`$x$`"), "<p><code>$x$</code></p>");
});

test("what looks like markup in maths stays text", () => {
  assert.equal(html('$<img src=x onerror="y">$'), "<p><var>$&lt;img src=x onerror=&quot;y&quot;&gt;$</var></p>");
});

test("many signs cost no time", () => {
  for (const text of ["$".repeat(20_000), "$a ".repeat(10_000), "\\(".repeat(10_000), "\\[".repeat(10_000), "$$\n".repeat(5000), "$a\\".repeat(5000)]) {
    const begun = Date.now();
    html(text);
    assert(Date.now() - begun < 4000, `${text.slice(0, 6)}: ${Date.now() - begun} ms`);
  }
});
