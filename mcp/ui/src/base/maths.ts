// SPDX-License-Identifier: GPL-3.0-or-later
// Maths in texts: $…$ and \(…\) in a line, $$…$$ and \[…\] on their own. Markdown leaves them alone and puts <var> with
// the source in their place; typeset() has KaTeX, which is loaded when the first one is seen, draw it there. Until then, and where
// KaTeX cannot read it, the source is shown.
import type { TokenizerAndRendererExtension, Tokens } from "marked";
import { load } from "./lazy";

interface Maths extends Tokens.Generic { tex: string; display: boolean }

const escaped = (text: string) => text.replace(/[&<>"]/g, mark => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[mark]!);

// A price is not maths: "$5 and $10" has a space before its closing sign, or a digit after it. The bounds prevent that a text with many
// opening signs is read to its end from each of them.
const FORMS: readonly { form: RegExp; display: boolean }[] = [
  { form: /^\$\$([^$]{1,4000}?)\$\$/, display: true },
  { form: /^\\\[([\s\S]{1,4000}?)\\\]/, display: true },
  { form: /^\\\((.{1,1000}?)\\\)/, display: false },
  { form: /^\$(?![\s$])((?:\\.|[^$\\\n]){0,1000}?(?:\\.|[^$\\\s]))\$(?!\d)/, display: false },
];

export function mathsAt(source: string): { raw: string; tex: string; display: boolean } | null {
  for (const { form, display } of FORMS) {
    const found = form.exec(source);
    if (found && found[1].trim()) return { raw: found[0], tex: found[1].trim(), display };
  }
  return null;
}

// <var> passes the sanitiser as it is, and its text is what a reader sees while KaTeX is not there.
function write(token: Tokens.Generic): string {
  const { tex, display } = token as unknown as Maths;
  const mark = display ? "$$" : "$";
  return `<var>${mark}${escaped(tex)}${mark}</var>`;
}

const BLOCK = /^ {0,3}(\$\$[^$]{1,4000}?\$\$|\\\[[\s\S]{1,4000}?\\\])[ \t]*(?:\n+|$)/;

export const mathsExtensions: TokenizerAndRendererExtension[] = [
  {
    name: "maths",
    level: "inline",
    start: source => {
      const at = source.search(/\$|\\[([]/);
      return at < 0 ? undefined : at;
    },
    tokenizer: source => {
      const found = mathsAt(source);
      return found ? { type: "maths", ...found } : undefined;
    },
    renderer: write,
  },
  { // on separate lines: its content is neither a list nor a heading
    name: "mathsBlock",
    level: "block",
    start: source => {
      const found = /\n {0,3}(?:\$\$|\\\[)/.exec(source);
      return found ? found.index + 1 : undefined;
    },
    tokenizer: source => {
      const block = BLOCK.exec(source), found = block && mathsAt(block[1]);
      return found && found.raw === block[1] ? { type: "mathsBlock", ...found, raw: block[0] } : undefined;
    },
    renderer: token => `<p>${write(token)}</p>`,
  },
];

type Katex = typeof import("./katex");

function draw(katex: Katex, element: Element): void {
  const found = /^(\$\$?)([\s\S]+)\1$/.exec(element.textContent ?? "");
  if (!found) return;
  const made = document.createElement("span");
  const display = found[1] === "$$";
  // The options keep a text from reaching outside: nothing that loads or links, no size and no expansion without end.
  try {
    katex.render(found[2], made, { displayMode: display, throwOnError: true, trust: false, strict: "ignore", maxSize: 20, maxExpand: 500 });
  } catch (error) {
    element.classList.add("maths-failed");
    element.setAttribute("title", error instanceof Error ? error.message : "This cannot be drawn as maths.");
    return;
  }
  made.className = display ? "maths maths-block" : "maths";
  element.replaceWith(made);
  if (display && made.scrollWidth > made.clientWidth) made.tabIndex = 0; // to be scrolled by keys
}

// Has the maths below root drawn. Safe to call again: what is drawn stays.
export async function typeset(root: Element): Promise<void> {
  const waiting = () => [...root.querySelectorAll("var:not(.maths-failed)")].filter(each => each.textContent?.startsWith("$"));
  if (waiting().length === 0) return;
  let katex: Katex;
  try {
    katex = await load("src/base/katex.ts", () => import("./katex"));
  } catch (error) {
    console.warn("Maths stay as their source for now:", error); // the connection is lost; the next text tries again
    return;
  }
  for (const element of waiting()) draw(katex, element);
}
