// SPDX-License-Identifier: GPL-3.0-or-later
// Code and output: monospace, what is long cut with a button to see it all.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { laterPart } from "../base/lazy";
import { cutOutput } from "./output";
import { number } from "./usage";

const HIGHLIGHTED_MAX = 20000; // characters; longer code stays plain
const OUTPUT_LINES = 14;
const OUTPUT_CHARACTERS = 4000;

// Until they are there, code is shown plain.
const colours = laterPart("src/chat/highlight.ts", () => import("./highlight"));

export function Code({ code, label }: { code: string; label: string }) {
  const place = useRef<HTMLElement>(null);
  const highlight = code.length <= HIGHLIGHTED_MAX ? colours.module.value?.highlight : null;
  useEffect(colours.want, []);
  useLayoutEffect(() => {
    if (!place.current) return;
    if (highlight)
      place.current.innerHTML = highlight(code); // escaped by the highlighter
    else place.current.textContent = code;
  }, [code, highlight]);
  return (
    <pre class="chat-code" tabIndex={0} role="group" aria-label={label}>
      <code ref={place} />
    </pre>
  );
}

// fromEnd: show the newest lines, while output is still arriving.
export function Output({ output, label, fromEnd }: { output: string; label: string; fromEnd: boolean }) {
  const [all, setAll] = useState(false);
  const { shown, lines, cut } = cutOutput(output, OUTPUT_LINES, OUTPUT_CHARACTERS, fromEnd);
  const place = useRef<HTMLPreElement>(null);
  useLayoutEffect(() => {
    if (fromEnd && place.current) place.current.scrollTop = place.current.scrollHeight;
  });
  const what = lines > OUTPUT_LINES ? `${number(lines)} lines` : `${number(output.length)} characters`;
  return (
    <>
      <pre ref={place} class="chat-output" tabIndex={0} role="group" aria-label={label}>
        {all ? output : shown}
      </pre>
      {cut && (
        <button type="button" class="chat-more" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? "Show less" : `Show all (${what})`}
        </button>
      )}
    </>
  );
}
