// SPDX-License-Identifier: GPL-3.0-or-later
// The separator between two regions, moved with the pointer or the arrow keys. The widths are stored.
import { signal } from "@preact/signals";
import { useRef } from "preact/hooks";

const KEPT = "lectern.widths";
const USUAL = [44, 28, 28]; // percent
const LEAST = 16;
const STEP = 2;

function kept(): number[] {
  const found = (localStorage.getItem(KEPT) ?? "").split(" ").map(Number);
  const good = found.length === 3 && found.every(width => width >= LEAST) && Math.abs(found[0] + found[1] + found[2] - 100) < 1;
  return good ? found : USUAL;
}
export const widths = signal(kept());

function move(after: number, by: number): void {
  const next = [...widths.value];
  const most = next[after + 1] - LEAST;
  const least = LEAST - next[after];
  const step = Math.max(least, Math.min(most, by));
  next[after] += step;
  next[after + 1] -= step;
  widths.value = next;
  localStorage.setItem(KEPT, next.map(width => width.toFixed(2)).join(" "));
}

export function Separator({ after, between }: { after: number; between: [string, string] }) {
  const last = useRef<number | null>(null);
  const onKey = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -STEP, ArrowRight: STEP }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    move(after, by);
  };
  const onMove = (event: PointerEvent) => {
    if (last.current === null) return;
    const whole = (event.currentTarget as HTMLElement).parentElement?.clientWidth ?? 1;
    move(after, ((event.clientX - last.current) / whole) * 100);
    last.current = event.clientX;
  };
  return (
    <div class="separator" role="separator" tabIndex={0} aria-orientation="vertical" aria-label={`${between[0]} and ${between[1]}`}
      aria-valuenow={Math.round(widths.value[after])} aria-valuemin={LEAST} aria-valuemax={100 - 2 * LEAST} onKeyDown={onKey}
      onPointerDown={event => {
        last.current = event.clientX;
        event.currentTarget.setPointerCapture(event.pointerId);
      }} onPointerMove={onMove} onPointerUp={() => { last.current = null; }} onPointerCancel={() => { last.current = null; }}
      onDblClick={() => { widths.value = USUAL; localStorage.removeItem(KEPT); }} />
  );
}
