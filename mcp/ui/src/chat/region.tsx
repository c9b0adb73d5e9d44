// SPDX-License-Identifier: GPL-3.0-or-later
// The chat: the list of conversations, the open conversation, and the composer.
import "./chat.css";
import { computed } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { connection } from "../base/state";
import { followChanges } from "../base/undo";
import { Composer } from "./composer";
import {
  focusChat,
  items,
  model,
  newThread,
  nextTry,
  openThread,
  retryNow,
  run,
  startConversation,
  stop,
  thread,
  threads,
} from "./conversation";
import { Until } from "./elapsed";
import { Cost } from "./ending";
import { Sign } from "./icons";
import { Messages } from "./messages";
import { sum, total } from "./usage";
import { SetUp } from "./welcome";

// The server's list, with the open conversation if it is not yet in it.
function known(): { id: string; title: string }[] {
  const all = threads.value.map(one => ({ id: one.thread_id, title: one.title || "A conversation" }));
  if (all.some(one => one.id === thread.value)) return all;
  const first = items.value.find(item => item.kind === "user");
  const title = first?.kind === "user" ? first.text : "New conversation";
  return [{ id: thread.value, title: title.length > 60 ? `${title.slice(0, 59)}…` : title }, ...all];
}

function Head() {
  const busy = run.value !== null;
  const spent = total(items.value);
  const choices = known();
  return (
    <div class="chat-head">
      <select
        class="chat-threads"
        aria-label="Conversation"
        value={thread.value}
        disabled={busy}
        title={busy ? "Stop first: leaving a conversation stops it" : undefined}
        onChange={event => openThread(event.currentTarget.value)}
      >
        {choices.map(one => (
          <option key={one.id} value={one.id}>
            {one.title}
          </option>
        ))}
      </select>
      <button
        type="button"
        class="button button-small chat-new"
        disabled={busy || items.value.length === 0}
        onClick={() => {
          newThread();
          focusChat();
        }}
      >
        <Sign name="plus" size={16} />
        New
      </button>
      {spent && spent.questions > 1 && (
        <div class="chat-total">
          <Cost usage={spent.usage} words={sum(spent.usage, spent.questions)} />
        </div>
      )}
    </div>
  );
}

function Banner() {
  if (connection.value !== "lost") return null;
  return (
    <div class="chat-banner" role="status">
      <p>The connection is lost. What you write is kept. Trying again {nextTry.value !== null && <Until at={nextTry.value} />}</p>
      <button type="button" class="button button-small" onClick={retryNow}>
        Try now
      </button>
    </div>
  );
}

// The edits of the model that the conversation shows: the result of a call says which change set it has made.
const madeSets = computed(() => items.value.flatMap(item => (item.kind === "call" && item.changeSet !== null ? [item.changeSet] : [])));

export default function ChatRegion() {
  useEffect(() => {
    const ends = [startConversation(), followChanges(() => madeSets.value)];
    return () => ends.forEach(end => end());
  }, []);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || event.defaultPrevented || !run.value) return;
    event.preventDefault();
    stop();
  };
  return (
    <div class="chat" onKeyDown={onKeyDown}>
      <h2 class="hidden">Chat</h2>
      <Head />
      <Banner />
      <Messages />
      {items.value.length > 0 && model.value?.ready === false && <SetUp />}
      <Composer />
    </div>
  );
}
