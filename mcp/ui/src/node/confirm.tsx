// SPDX-License-Identifier: GPL-3.0-or-later
// Asks before something is deleted, in its place.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { errorText } from "../base/words";
import { report } from "./store";

interface Props { label: string; children: ComponentChildren; remove: () => Promise<void>; close: (deleted: boolean) => void }

export function Confirm({ label, children, remove, close }: Props) {
  const [busy, setBusy] = useState(false), first = useRef<HTMLButtonElement>(null);
  useEffect(() => first.current?.focus(), []);
  const act = async () => {
    setBusy(true);
    try {
      await remove();
      close(true);
    } catch (error) {
      setBusy(false);
      report("error", `Not deleted: ${errorText(error)}`);
    }
  };
  return (
    <div class="n-confirm" role="alertdialog" aria-label={label} onKeyDown={event => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      close(false);
    }}>
      <p>{children}</p>
      <div class="n-actions">
        <button type="button" class="button button-bad" ref={first} disabled={busy} onClick={() => void act()}>{busy ? "Deleting…" : "Delete"}</button>
        <button type="button" class="button" disabled={busy} onClick={() => close(false)}>Keep it</button>
      </div>
    </div>
  );
}
