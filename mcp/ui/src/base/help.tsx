// SPDX-License-Identifier: GPL-3.0-or-later
// What the keys do, and the keys of the whole page themselves. Regions add theirs to `shortcuts`.
import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { readOnly, region, type Region } from "./state";
import { undoLast } from "./undo";

interface Shortcut { keys: string; does: string; edits?: boolean }
const shortcuts = signal<{ where: string; keys: Shortcut[] }[]>([
  { where: "Everywhere", keys: [
    { keys: "/", does: "Find a node" },
    { keys: "Alt 1, Alt 2, Alt 3", does: "Go to the graph, the node, the chat" },
    { keys: "Alt U", does: "Undo the last change", edits: true },
    { keys: "?", does: "This list" },
    { keys: "Esc", does: "Close what is open" },
  ] },
]);
export function addShortcuts(where: string, keys: Shortcut[]): void {
  shortcuts.value = [...shortcuts.value.filter(each => each.where !== where), { where, keys }];
}

const helpOpen = signal(false);
const SINGLE_KEYS = "lectern.single-keys";
const singleKeys = signal(localStorage.getItem(SINGLE_KEYS) !== "off");
export function openHelp(): void {
  helpOpen.value = true;
}

// At once, so that the next key goes there. One that is hidden until it is drawn takes the focus then, if it is not elsewhere by now.
export function goTo(to: Region): void {
  region.value = to;
  const place = document.getElementById(`region-${to}`);
  place?.focus();
  const had = document.activeElement;
  if (had === place) return;
  requestAnimationFrame(() => {
    if (document.activeElement === had) place?.focus();
  });
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}

const ALT_KEYS: Record<string, () => void> = {
  Digit1: () => goTo("graph"),
  Digit2: () => goTo("node"),
  Digit3: () => goTo("chat"),
  KeyU: () => void undoLast(),
};

function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey) return;
  const run = event.altKey ? ALT_KEYS[event.code] : undefined;
  if (run) {
    event.preventDefault();
    run();
  } else if (!event.altKey && singleKeys.value && !isTyping(event.target) && !document.querySelector("dialog[open]")) {
    if (event.key === "/") {
      event.preventDefault();
      document.getElementById("search")?.focus();
    } else if (event.key === "?") {
      event.preventDefault();
      openHelp();
    }
  }
}

export function Help() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  const open = helpOpen.value;
  useEffect(() => {
    if (open) dialog.current?.showModal();
    else dialog.current?.close();
  }, [open]);
  const setSingle = (on: boolean) => {
    singleKeys.value = on;
    localStorage.setItem(SINGLE_KEYS, on ? "on" : "off");
  };
  return (
    <dialog ref={dialog} class="help" aria-labelledby="help-title" onClose={() => { helpOpen.value = false; }}
      onClick={event => event.target === dialog.current && dialog.current?.close()}>
      <div class="help-body">
        <h2 id="help-title">Keys</h2>
        {shortcuts.value.map(group => (
          <section key={group.where}>
            <h3>{group.where}</h3>
            <dl>{group.keys.filter(each => !each.edits || !readOnly.value).map(each => [<dt key={each.keys}>{each.keys.split(", ").map((key, i) => [i > 0 && " ", <kbd>{key}</kbd>])}</dt>,
              <dd>{each.does}</dd>])}</dl>
          </section>
        ))}
        <p><label><input type="checkbox" checked={singleKeys.value} onChange={event => setSingle(event.currentTarget.checked)} />{" "}
          Keys of one character ( / and ? ) work</label></p>
        <button type="button" class="button button-main" onClick={() => dialog.current?.close()}>Close</button>
      </div>
    </dialog>
  );
}
