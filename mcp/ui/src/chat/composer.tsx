// SPDX-License-Identifier: GPL-3.0-or-later
// Where the editor writes. Enter sends, Shift+Enter makes a line, Escape stops a run.
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { isComposing } from "../base/keys";
import { connection, nodesById, openNode } from "../base/state";
import { approvals, ask, chooseSolve, draft, DRAFT, focusChat, interrupts, model, run, solve, stop } from "./conversation";
import { Sign } from "./icons";
import type { Approvals } from "./run_input";
import { fetchTalk } from "./talk_later";

const QUESTION_MAX = 64 * 1024; // bytes, as the server has it (RUN_INPUT_TEXT_MAX)

function hint(): string {
  if (model.value?.ready === false) return "No model is set up yet.";
  if (interrupts.value.length > 0) return "A question sent now declines the change that waits for your approval.";
  if (run.value) return "Your next question is asked when this answer is complete.";
  if (connection.value === "lost") return "Your question is kept until the connection is back.";
  if (solve.value) return "A planner, a coder and a debugger answer. They see this question alone, not the conversation.";
  return "";
}

function Context() {
  const node = openNode.value ? nodesById.value.get(openNode.value) : undefined;
  if (!node) return null;
  return (
    <span class="chat-context" title="The model knows which node you have open">
      About <b>{node.node_id}</b> {node.title}
    </span>
  );
}

export function Composer() {
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const words = draft.value;
  const on = run.value;
  const ready = model.value?.ready !== false;
  const over = words.length * 3 > QUESTION_MAX ? new TextEncoder().encode(words.trim()).length - QUESTION_MAX : 0;
  useLayoutEffect(() => {
    sessionStorage.setItem(DRAFT, words);
    if (!area.current) return;
    area.current.style.height = "auto";
    area.current.style.height = `${area.current.scrollHeight + 2}px`;
  }, [words]);
  const send = () => {
    const question = draft.value.trim();
    if (question === "" || !ready || over > 0) return;
    draft.value = "";
    ask(question);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey || isComposing(event)) return;
    event.preventDefault();
    send();
  };
  return (
    <form
      class="chat-composer"
      onSubmit={event => {
        event.preventDefault();
        send();
      }}
    >
      <label class="hidden" for={id}>
        Ask about this curriculum, or ask for a change
      </label>
      <div class="chat-box">
        <textarea
          ref={area}
          id={id}
          rows={1}
          onFocus={fetchTalk}
          value={words}
          aria-describedby={`${id}-hint`}
          placeholder="Ask, or ask for a change"
          onInput={event => {
            draft.value = event.currentTarget.value;
          }}
          onKeyDown={onKeyDown}
        />
        {on && (
          <button
            type="button"
            class="button chat-stop"
            disabled={on.phase === "stopping"}
            onClick={() => {
              stop();
              focusChat();
            }}
          >
            <Sign name="stopped" size={16} />
            {on.phase === "stopping" ? "Stopping…" : "Stop"}
          </button>
        )}
        {(!on || words.trim() !== "") && (
          <button
            type="submit"
            class="button button-main chat-send"
            disabled={words.trim() === "" || !ready || over > 0}
            title="Send (Enter)"
          >
            <Sign name="send" />
            <span class="hidden">Send</span>
          </button>
        )}
      </div>
      <div class="chat-composer-row">
        <label class="chat-approval-choice">
          Ask me before
          <select
            value={approvals.value}
            onChange={event => {
              approvals.value = event.currentTarget.value as Approvals;
            }}
          >
            <option value="destructive">destructive edits</option>
            <option value="every">every edit</option>
          </select>
        </label>
        <label class="chat-solve-choice" title="A planner, a coder and a debugger answer instead of one model with all tools">
          <input
            type="checkbox"
            checked={solve.value}
            onChange={event => {
              chooseSolve(event.currentTarget.checked);
            }}
          />
          Divide the work
        </label>
        <Context />
      </div>
      <p id={`${id}-hint`} class="chat-hint">
        {over > 0 ? `Too long by ${over.toLocaleString("en")} bytes: a question has at most 64 KB. Put the rest into a component, or ask in parts.` : hint()}
      </p>
    </form>
  );
}
