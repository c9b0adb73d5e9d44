// SPDX-License-Identifier: GPL-3.0-or-later
// What can be added, with when to use which.
import { useLayoutEffect, useRef } from "preact/hooks";
import { kinds } from "./draw";
import type { Kind } from "./kinds";

export function Chooser({ choose, close }: { choose: (kind: Kind) => void; close: () => void }) {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => { // before the next key or click
    place.current?.querySelector("button")?.focus({ preventScroll: true });
    place.current?.scrollIntoView({ block: "nearest" });
  }, []);
  return (
    <div class="n-chooser" ref={place} role="group" aria-label="Choose what to add" onKeyDown={event => {
      const buttons = [...place.current!.querySelectorAll("button")], now = buttons.indexOf(event.target as HTMLButtonElement);
      const step = ({ ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 } as Record<string, number>)[event.key];
      if (step) {
        event.preventDefault();
        buttons[(now + step + buttons.length) % buttons.length].focus();
      } else if (event.key === "Escape") {
        event.stopPropagation();
        close();
      }
    }}>
      <p class="n-label">What do you want to add?</p>
      <ul>{kinds.map(kind => (
        <li key={kind.name}><button type="button" class="n-kind" onClick={() => choose(kind)}><strong>{kind.label}</strong> <span>{kind.when}</span></button></li>
      ))}</ul>
      <button type="button" class="button button-small" onClick={close}>Close</button>
    </div>
  );
}
