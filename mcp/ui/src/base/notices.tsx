// SPDX-License-Identifier: GPL-3.0-or-later
// The line below the regions: current notices, and the state of the connection. Its space is reserved, so that a notice neither covers nor
// moves anything; a longer notice can be expanded. Information disappears after a while, but not while it is under the pointer or has the
// focus; errors stay. Both live regions exist from the beginning, because screen readers only announce changes in regions that they know.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Icon } from "./icons";
import { connection, dismiss, nodes, notices, readOnly, relationships, session, tell, type Connection, type Notice } from "./state";
import { redoChange, standings, undoChange } from "./undo";
import { plural } from "./words";

const NEWS_MS = 9000;
const CONNECTION_WORDS: Record<Connection, string> = {
  connecting: "Connecting",
  open: "Connected",
  lost: "Connection lost",
};

// Follows its change: what was undone elsewhere cannot be undone here once more.
function UndoButton({ change: { sid, set } }: { change: NonNullable<Notice["change"]> }) {
  const known = standings.value.get(set);
  if (!known || readOnly.value) return null;
  const act = () => void (known.state === "undone" ? redoChange : undoChange)(sid, set).then(fault => fault && tell("error", `That failed: ${fault}`));
  const busy = known.state === "busy";
  const label = busy ? (known.by ? "Redoing…" : "Undoing…") : known.state === "undone" ? "Redo" : "Undo";
  return <button type="button" class="button button-small" aria-disabled={busy} onClick={act}>{label}</button>;
}

function One({ notice, more }: { notice: Notice; more: number }) {
  const [held, setHeld] = useState(false), [open, setOpen] = useState(false), [long, setLong] = useState(false);
  const place = useRef<HTMLParagraphElement>(null);
  const { action, change } = notice;
  const text = change && standings.value.get(change.set)?.state === "undone" ? change.undone : notice.text;
  const act = () => {
    dismiss(notice.id);
    action?.run();
  };
  useEffect(() => {
    if (held || open || notice.kind === "error") return;
    const timer = setTimeout(() => dismiss(notice.id), NEWS_MS);
    return () => clearTimeout(timer);
  }, [held, open, notice, text]);
  useLayoutEffect(() => {
    const element = place.current;
    if (element && !open) setLong(element.scrollHeight > element.clientHeight + 1);
  });
  return (
    <div class={`notice notice-${notice.kind}${open ? " notice-open" : ""}`} onPointerEnter={() => setHeld(true)} onPointerLeave={() => setHeld(false)}
      onFocusIn={() => setHeld(true)} onFocusOut={() => setHeld(false)}>
      <p ref={place}>{text}</p>
      {(long || open) && <button type="button" class="button button-small" aria-expanded={open} onClick={() => setOpen(!open)}>{open ? "Less" : "More"}</button>}
      {action && <button type="button" class="button button-small" onClick={act}>{action.label}</button>}
      {change && <UndoButton change={change} />}
      {more > 0 && <span class="notice-more">{more} more</span>}
      <button type="button" class="icon-button" aria-label="Close this notice" onClick={() => dismiss(notice.id)}>
        <Icon name="close" />
      </button>
    </div>
  );
}

export function StatusLine() {
  const newest = notices.value[notices.value.length - 1];
  const of = (kind: Notice["kind"]) => newest?.kind === kind && <One key={newest.id} notice={newest} more={notices.value.length - 1} />;
  const state = connection.value;
  return (
    <footer class={newest ? "status status-notice" : "status"}>
      <div role="alert">{of("error")}</div>
      <div role="status">{of("info")}</div>
      {!newest && session.value && <p class="status-size">{plural(nodes.value.length, "node")}, {plural(relationships.value.length, "link")}</p>}
      <span class={`connection connection-${state}`} role="status">
        {session.value && <><span class="connection-mark" aria-hidden="true" /><span class="connection-word">{CONNECTION_WORDS[state]}</span></>}
      </span>
    </footer>
  );
}
