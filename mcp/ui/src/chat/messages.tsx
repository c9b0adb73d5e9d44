// SPDX-License-Identifier: GPL-3.0-or-later
// The conversation: its items in their order, followed to the end as long as the reader is there.
import { effect, signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { interrupts, items, run, spoken, waiting } from "./conversation";
import { Elapsed, Until } from "./elapsed";
import { Sign } from "./icons";
import { Keep } from "./keep";
import { sentence } from "./output";
import { talk, Talked } from "./talk_later";
import { stepWords } from "./task";
import { keyOf } from "./view";
import { Welcome } from "./welcome";

const NEAR_END = 48; // pixels

// What is going on, in a few words.
function Status() {
  const on = run.value;
  if (!on) return null;
  const last = items.value[items.value.length - 1];
  const again = waiting.value;
  let words = stepWords(on.step) || "Thinking";
  if (on.phase === "stopping") words = "Stopping";
  else if (on.phase === "sending") words = "Sending";
  else if (last?.kind === "text" && !last.done) words = "Writing";
  else if (last?.kind === "call" && last.state === "running") words = "Working";
  return (
    <p class="chat-status">
      <span class="chat-dots" aria-hidden="true" />
      <span role="status">
        {again && on.phase !== "stopping" ? (
          <>
            {sentence(again.why)} It is asked again <Until at={again.until} />, attempt {again.attempt}.
          </>
        ) : (
          words
        )}
      </span>
      {!again && <Elapsed since={on.since} />}
    </p>
  );
}

const atEnd = signal(true);

// Follows the end while the reader is there, else leaves the view alone; also over a time in which the region is not shown.
function useFollowing() {
  const log = useRef<HTMLDivElement>(null);
  const inner = useRef<HTMLDivElement>(null);
  const seen = useRef({ height: 0, top: 0 });
  const toEnd = () => {
    if (log.current) log.current.scrollTop = log.current.scrollHeight;
    atEnd.value = true;
  };
  const look = () => {
    const place = log.current;
    // Not the reader, but the room has changed.
    if (!place || place.clientHeight === 0 || place.clientHeight !== seen.current.height) return;
    seen.current.top = place.scrollTop;
    atEnd.value = place.scrollHeight - place.scrollTop - place.clientHeight < NEAR_END;
  };
  const onSize = () => {
    const place = log.current;
    if (!place || place.clientHeight === 0) {
      seen.current.height = 0;
      return;
    }
    const wasHidden = seen.current.height === 0;
    seen.current.height = place.clientHeight;
    if (atEnd.peek()) toEnd();
    else if (wasHidden) place.scrollTop = seen.current.top;
  };
  // Approvals are shown from their beginning.
  const showApprovals = () => {
    const panel = inner.current?.querySelector<HTMLElement>(".chat-approvals");
    if (!atEnd.peek() || !panel || !log.current || panel.offsetHeight < log.current.clientHeight) return;
    log.current.scrollTop += panel.getBoundingClientRect().top - log.current.getBoundingClientRect().top - 8;
  };
  useEffect(() => {
    const watcher = new ResizeObserver(onSize);
    if (inner.current) watcher.observe(inner.current);
    if (log.current) watcher.observe(log.current);
    const ends = [
      effect(() => {
        if (spoken.value > 0) toEnd();
      }),
      effect(() => {
        if (interrupts.value.length > 0) requestAnimationFrame(showApprovals);
      }),
    ];
    return () => {
      watcher.disconnect();
      ends.forEach(end => end());
    };
  }, []);
  return { log, inner, look, toEnd };
}

export function Messages() {
  const { log, inner, look, toEnd } = useFollowing();
  return (
    <div class="chat-messages">
      <div ref={log} class="chat-log" role="log" aria-live="polite" aria-label="Conversation" tabIndex={0} onScroll={look}>
        <div ref={inner} class="chat-inner">
          {items.value.length === 0 && <Welcome />}
          {talk.value && items.value.map(item => <Keep key={keyOf(item)} value={item} draw={talk.value!.draw} />)}
          {(items.value.length > 0 || interrupts.value.length > 0) && <Talked />}
          <Status />
        </div>
      </div>
      {!atEnd.value && (
        <button
          type="button"
          class="chat-jump"
          onClick={() => {
            toEnd();
            log.current?.focus();
          }}
        >
          <Sign name="down" size={16} />
          Jump to the newest
        </button>
      )}
    </div>
  );
}
