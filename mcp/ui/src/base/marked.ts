// SPDX-License-Identifier: GPL-3.0-or-later
// Markdown as this page reads it. Its HTML is not safe yet: base/markdown.ts sanitises it.
import { Lexer, Marked } from "marked";
import { mathsExtensions } from "./maths";

export const marked = new Marked({ gfm: true, breaks: false, async: false }).use({ extensions: mathsExtensions });
// HTML in a text is shown as text, so that nothing is lost; a few simple tags without attributes are kept.
const PLAIN_TAGS = /&lt;(\/?(?:b|br|code|del|em|i|ins|kbd|mark|q|s|small|strong|sub|sup|u)\s*\/?)&gt;/gi;
const escape = (text: string) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
marked.use({ renderer: { html: ({ text, block }) => {
  const words = escape(text).replace(PLAIN_TAGS, "<$1>");
  return block ? `<p>${words}</p>` : words;
} } });

// Independent blocks: in a text that is being streamed, all but the last are finished.
export function blocksOf(text: string): string[] {
  const blocks: string[] = [];
  for (const { type, raw } of new Lexer(marked.defaults).blockTokens(text.replaceAll("\r", ""))) {
    if (type === "space" && blocks.length > 0) blocks[blocks.length - 1] += raw;
    else blocks.push(raw);
  }
  return blocks;
}
