// SPDX-License-Identifier: GPL-3.0-or-later
// How a run ended, and what it has cost.
import { connection } from "../base/state";
import { askAgain, focusChat, run } from "./conversation";
import type { Usage } from "./frame";
import { Sign } from "./icons";
import { sentence } from "./output";
import { parts, saving, spent } from "./usage";
import type { EndItem } from "./view";

// words is the summary of the cost; the details can be expanded.
export function Cost({ usage, words }: { usage: Usage; words: string }) {
  return (
    <details class="chat-cost">
      <summary>{words}</summary>
      <p>
        {parts(usage)}.
        {usage.wholeCurriculumTokens > 0 &&
          " The figure behind “instead of” is about what reading the whole curriculum would take, once for each question."}
      </p>
    </details>
  );
}

export function Ending({ end }: { end: EndItem }) {
  if (end.ending === "interrupted") return null; // the approval that it waits for says so
  const bad = end.ending === "failed" || end.ending === "lost";
  const words = end.text ?? (end.ending === "stopped" ? "Stopped. The answer so far is kept." : "");
  const question = end.question;
  return (
    <div class={`chat-end ${end.past ? "chat-end-past" : `chat-end-${end.ending}`}`} role={bad && !end.past ? "alert" : undefined}>
      {words !== "" && (
        <p class="chat-end-words">
          <Sign name={bad ? "failed" : "stopped"} />
          <span>{sentence(words)}</span>
        </p>
      )}
      {end.ending !== "done" && question !== null && !end.past && (
        <button
          type="button"
          class="button button-small"
          disabled={run.value !== null || connection.value !== "open"}
          onClick={() => {
            askAgain(question);
            focusChat();
          }}
        >
          Try again
        </button>
      )}
      {end.usage && spent(end.usage) > 0 ? (
        <Cost usage={end.usage} words={saving(end.usage)} />
      ) : (
        end.ending === "done" && <span class="hidden">Done.</span>
      )}
    </div>
  );
}
