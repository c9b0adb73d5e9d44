// SPDX-License-Identifier: GPL-3.0-or-later
// A text of the curriculum: Markdown with maths, sanitised.
import { useEffect, useMemo, useRef } from "preact/hooks";
import { renderer, wantRenderer } from "../base/markdown_later";
import { typeset } from "../base/maths";

// Plain until what draws it is there.
function Text({ text, inline }: { text: string; inline: boolean }) {
  const drawing = renderer.value, place = useRef<HTMLDivElement>(null);
  const html = useMemo(() => drawing ? { __html: inline ? drawing.markdownInline(text) : drawing.markdown(text) } : undefined, [text, drawing]);
  useEffect(wantRenderer, []);
  useEffect(() => void typeset(place.current!), [html]);
  const Tag = (inline ? "span" : "div") as "div";
  return html ? <Tag key="drawn" class="n-rich" ref={place} dangerouslySetInnerHTML={html} /> : <Tag class="n-rich" ref={place}>{text}</Tag>;
}

export const Rich = ({ text }: { text: string }) => <Text text={text} inline={false} />;
export const RichLine = ({ text }: { text: string }) => <Text text={text} inline />;
