// SPDX-License-Identifier: GPL-3.0-or-later
// A text of the curriculum: Markdown with maths, sanitised.
import { useEffect, useMemo, useRef } from "preact/hooks";
import { renderer, wantRenderer } from "../base/markdown_later";
import { typeset } from "../base/maths";

// Plain until what draws it is there.
function useHtml(text: string, inline: boolean): { __html: string } | undefined {
  const drawing = renderer.value;
  useEffect(wantRenderer, []);
  return useMemo(() => drawing ? { __html: inline ? drawing.markdownInline(text) : drawing.markdown(text) } : undefined, [text, drawing]);
}

export function Rich({ text }: { text: string }) {
  const html = useHtml(text, false);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => void typeset(place.current!), [html]);
  return html ? <div key="drawn" class="n-rich" ref={place} dangerouslySetInnerHTML={html} /> : <div class="n-rich" ref={place}>{text}</div>;
}

export function RichLine({ text }: { text: string }) {
  const html = useHtml(text, true);
  const place = useRef<HTMLSpanElement>(null);
  useEffect(() => void typeset(place.current!), [html]);
  return html ? <span key="drawn" class="n-rich" ref={place} dangerouslySetInnerHTML={html} /> : <span class="n-rich" ref={place}>{text}</span>;
}
