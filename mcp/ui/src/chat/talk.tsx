// SPDX-License-Identifier: GPL-3.0-or-later
// The items of a conversation: questions, answers, thinking, calls and approvals. Loaded separately, because the first visit has none.
import { useState } from "preact/hooks";
import { CallCard } from "./call_card";
import { focusChat, takeBack } from "./conversation";
import { Ending } from "./ending";
import { Prose } from "./prose";
import { TaskCard } from "./task_card";
import type { Item, ThoughtItem, UserItem } from "./view";

export { Approvals } from "./approvals";

function Thought({ thought }: { thought: ThoughtItem }) {
  const [open, setOpen] = useState(false);
  if (thought.text.trim() === "") return null;
  return (
    <div class="chat-thought chat-unfolds">
      <button type="button" class="chat-more" aria-expanded={open} onClick={() => setOpen(!open)}>
        {thought.done ? "What it thought" : "It is thinking…"}
      </button>
      {open && <Prose text={thought.text} />}
    </div>
  );
}

function Question({ item }: { item: UserItem }) {
  const back = () => {
    takeBack(item.id);
    focusChat();
  };
  return (
    <article class="chat-user" aria-label="You">
      <p>{item.text}</p>
      {item.waiting && (
        <p class="chat-quiet">
          Not sent yet.{" "}
          <button type="button" class="chat-more" onClick={back}>
            Take it back
          </button>
        </p>
      )}
    </article>
  );
}

export function draw(item: Item) {
  switch (item.kind) {
    case "user":
      return <Question item={item} />;
    case "text":
      return item.text === "" ? null : (
        <article class="chat-answer" aria-label="Answer" aria-busy={!item.done}>
          <Prose text={item.text} />
          {item.cut && <p class="chat-quiet">The answer ends here.</p>}
        </article>
      );
    case "thought":
      return <Thought thought={item} />;
    case "call":
      return <CallCard call={item} />;
    case "note":
      return (
        <p class={`chat-note chat-note-${item.tone}`} role={item.tone === "error" ? "alert" : undefined}>
          {item.text}
        </p>
      );
    case "task":
      return <TaskCard task={item.task} />;
    case "end":
      return <Ending end={item} />;
  }
}
