// SPDX-License-Identifier: GPL-3.0-or-later
// What waits for the editor's word: what would change, before and after, and what would be lost. All that is open is answered at
// once.
import { useId, useState } from "preact/hooks";
import { NodeLink } from "../base/node_link";
import { connection, nodesById, readOnly } from "../base/state";
import { Words } from "../base/difference";
import { answer, interrupts } from "./conversation";
import type { Change, Interrupt } from "./frame";

const SAME_SHOWN = 160; // characters of what stays the same, around what does not

function Difference({ change }: { change: Change }) {
  const { before, after } = change;
  if (before === null && after === null) return null;
  const label = before === null ? "New" : after === null ? "Will be gone" : "Before and after";
  return (
    <div class="chat-difference" tabIndex={0} role="group" aria-label={label}>
      <span class="chat-difference-label">{label}</span>
      <p>
        <Words from={before ?? ""} to={after ?? ""} most={SAME_SHOWN} labels />
      </p>
    </div>
  );
}

function OneChange({ change }: { change: Change }) {
  const id = change.node_id;
  const words = [id, change.title].filter(Boolean).join(" ");
  return (
    <li>
      <p class="chat-change">
        {id !== null && nodesById.value.has(id) ? <NodeLink id={id} class="chat-node">{words}</NodeLink> : <strong>{words}</strong>}
        {change.what !== "" && <span> {change.what}</span>}
      </p>
      <Difference change={change} />
    </li>
  );
}

// Of a single change the effect only says it once more.
function effectOf({ effect, changes, more }: Interrupt["metadata"]): string | null {
  const lines = (effect ?? "").trim().split("\n");
  return changes.length === 1 && more === 0 && lines.length === 1 && lines[0]?.startsWith("- ") ? null : effect;
}

function About({ one: { message, metadata } }: { one: Interrupt }) {
  const { attempt, changes, more } = metadata, effect = effectOf(metadata);
  return (
    <>
      {attempt > 1 && !/attempt \d/i.test(message) && (
        <p class="chat-attempt">Attempt {attempt}: an earlier one did not go through.</p>
      )}
      <p class="chat-message">{message || "The model wants to make a change."}</p>
      {changes.length > 0 && (
        <ul class="chat-changes">
          {changes.map((change, at) => (
            <OneChange key={at} change={change} />
          ))}
        </ul>
      )}
      {more > 0 && <p class="chat-quiet">and {more} more, not shown here</p>}
      {effect !== null && <p class="chat-effect">{effect}</p>}
    </>
  );
}

interface Choice {
  approved: boolean | null;
  reason: string;
}
const undecided: Choice = { approved: null, reason: "" };

function Reason({ value, onInput }: { value: string; onInput: (reason: string) => void }) {
  const id = useId();
  return (
    <p class="chat-reason">
      <label for={id}>If you decline, why? The model reads it.</label>
      <input
        id={id}
        class="field"
        maxLength={500}
        value={value}
        placeholder="optional"
        onInput={event => onInput(event.currentTarget.value)}
      />
    </p>
  );
}

export function Approvals() {
  const [choices, setChoices] = useState<ReadonlyMap<string, Choice>>(new Map());
  const heading = useId();
  const open = interrupts.value;
  if (open.length === 0) return null;
  const choiceOf = (id: string) => choices.get(id) ?? undecided;
  const choose = (id: string, part: Partial<Choice>) => setChoices(new Map(choices).set(id, { ...choiceOf(id), ...part }));
  const send = (approved: (id: string) => boolean) => {
    answer(
      open.map(one => ({
        interruptId: one.id,
        approved: approved(one.id),
        reason: approved(one.id) ? "" : choiceOf(one.id).reason.trim(),
      })),
    );
    setChoices(new Map());
    document.getElementById(`call-${open[0]?.toolCallId ?? ""}`)?.focus();
  };
  const single = open.length === 1 ? open[0] : undefined;
  const decided = open.every(one => choiceOf(one.id).approved !== null);
  const offline = connection.value !== "open";
  return (
    <section class="chat-approvals" aria-labelledby={heading}>
      <h3 id={heading}>{single ? "May this be done?" : `${open.length} changes wait for your approval`}</h3>
      {single && <About one={single} />}
      {single && <Reason value={choiceOf(single.id).reason} onInput={reason => choose(single.id, { reason })} />}
      {!single && (
        <ol class="chat-approval-list">
          {open.map((one, at) => (
            <li key={one.id}>
              <About one={one} />
              <div class="chat-choice" role="group" aria-label={`Change ${at + 1} of ${open.length}`}>
                {!readOnly.value && [true, false].map(approved => (
                  <button
                    key={String(approved)}
                    type="button"
                    class="button button-small"
                    aria-pressed={choiceOf(one.id).approved === approved}
                    onClick={() => choose(one.id, { approved })}
                  >
                    {approved ? "Approve" : "Decline"}
                  </button>
                ))}
              </div>
              {choiceOf(one.id).approved === false && (
                <Reason value={choiceOf(one.id).reason} onInput={reason => choose(one.id, { reason })} />
              )}
            </li>
          ))}
        </ol>
      )}
      <div class="chat-approval-buttons">
        {!single && !readOnly.value && (
          <button
            type="button"
            class="button button-main"
            disabled={!decided || offline}
            onClick={() => send(id => choiceOf(id).approved === true)}
          >
            Send answers
          </button>
        )}
        {!readOnly.value && <button type="button" class={`button ${single ? "button-main" : ""}`} disabled={offline} onClick={() => send(() => true)}>
          {single ? "Approve" : "Approve all"}
        </button>}
        <button type="button" class="button" disabled={offline} onClick={() => send(() => false)}>
          {single ? "Decline" : "Decline all"}
        </button>
      </div>
      {readOnly.value && <p class="chat-quiet">You may read only: somebody who may edit can approve this.</p>}
      {offline && <p class="chat-quiet">The connection is lost. You can answer when it is back.</p>}
    </section>
  );
}
