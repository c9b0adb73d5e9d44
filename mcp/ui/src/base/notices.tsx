// SPDX-License-Identifier: GPL-3.0-or-later
// What a person is to know now. News goes by itself, but not while it is pointed at or in the focus; what went wrong stays. Both regions stand there from the beginning, as screen readers only hear of changes in what they know.
import { useEffect, useState } from "preact/hooks";
import { Icon } from "./icons";
import { dismiss, notices, type Notice } from "./state";

const NEWS_MS = 9000;

function One({ notice }: { notice: Notice }) {
  const act = () => {
    dismiss(notice.id);
    notice.action?.run();
  };
  const [held, setHeld] = useState(false);
  useEffect(() => {
    if (held || notice.kind === "error") return;
    const timer = setTimeout(() => dismiss(notice.id), NEWS_MS);
    return () => clearTimeout(timer);
  }, [held, notice]);
  return (
    <div class={`notice notice-${notice.kind}`} onPointerEnter={() => setHeld(true)} onPointerLeave={() => setHeld(false)}
      onFocusIn={() => setHeld(true)} onFocusOut={() => setHeld(false)}>
      <p>{notice.text}</p>
      {notice.action && <button type="button" class="button button-small" onClick={act}>{notice.action.label}</button>}
      <button type="button" class="icon-button" aria-label="Close this notice" onClick={() => dismiss(notice.id)}>
        <Icon name="close" />
      </button>
    </div>
  );
}

export function Notices() {
  const of = (kind: Notice["kind"]) => notices.value.filter(notice => notice.kind === kind);
  return (
    <div class="notices">
      <div role="alert">{of("error").map(notice => <One key={notice.id} notice={notice} />)}</div>
      <div role="status">{of("info").map(notice => <One key={notice.id} notice={notice} />)}</div>
    </div>
  );
}
