// SPDX-License-Identifier: GPL-3.0-or-later
// Two versions of one thing side by side, and the way out of a stale edit: mine, theirs, or both in one.
import { useEffect, useRef } from "preact/hooks";
import { Words } from "../base/difference";
import { pairs } from "./flat";

interface Props {
  type: string;
  mine: unknown;
  theirs: unknown;
  who: string;
  busy: boolean;
  keepMine: () => void;
  takeTheirs: () => void;
  mergeBoth: () => void;
}

export function Stale({ type, mine, theirs, who, busy, keepMine, takeTheirs, mergeBoth }: Props) {
  const title = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    title.current?.focus();
  }, []);
  const differ = pairs(type, mine, theirs);
  return (
    <div class="n-stale" role="group" aria-label="Two versions">
      <p class="n-stale-title" tabIndex={-1} ref={title}><strong>{who} changed this while you were writing.</strong> Nothing is lost: here are both texts.
        What only one of them says is marked.</p>
      {differ.length === 0 && <p>Both say the same.</p>}
      {differ.map(pair => (
        <div class="n-pair" key={pair.path}>
          <p class="n-label">{pair.label}</p>
          <div class="n-side"><p class="n-hint">Yours</p><div class="n-words"><Words from={pair.theirs} to={pair.mine} without="gone" /></div></div>
          <div class="n-side"><p class="n-hint">{who}</p><div class="n-words"><Words from={pair.mine} to={pair.theirs} without="gone" /></div></div>
        </div>
      ))}
      <div class="n-actions">
        <button type="button" class="button button-main" disabled={busy} onClick={keepMine}>Keep mine</button>
        <button type="button" class="button" disabled={busy} onClick={takeTheirs}>Take theirs</button>
        <button type="button" class="button" disabled={busy} onClick={mergeBoth}>Edit both as one text</button>
      </div>
    </div>
  );
}
