// SPDX-License-Identifier: GPL-3.0-or-later
// The empty conversation: examples of questions, or how to set up a model.
import { nodes, nodesById, openNode, readOnly, session } from "../base/state";
import { ask, focusChat, greeted, model } from "./conversation";

function suggestions(): string[] {
  const node = openNode.value ? nodesById.value.get(openNode.value) : undefined;
  return [
    "Which nodes have no prerequisites?",
    node ? `What does a learner need before “${node.title}”?` : "What is the longest chain of prerequisites?",
    "Where is the curriculum thin?",
  ];
}

export function SetUp() {
  const known = model.value;
  if (!known || known.ready) return null;
  return (
    <div class="chat-setup">
      <h3>The chat has no model yet</h3>
      <p>{known.advice || "Start Lectern with ANTHROPIC_API_KEY set."}</p>
      <p class="chat-quiet">Everything else works: look at the graph, open nodes{readOnly.value ? "" : ", edit them by hand, undo"}.</p>
    </div>
  );
}

export function Welcome() {
  const ready = model.value?.ready === true;
  return (
    <div class="chat-welcome">
      <h3>Ask about {session.value?.title || "this curriculum"}</h3>
      <p>
        Answers come from the {nodes.value.length > 0 ? `${nodes.value.length.toLocaleString("en")} nodes` : "nodes"} themselves:
        the model writes a small analysis, a sandbox runs it, and you see both. It can edit too. What deletes or replaces asks you
        first, and every edit can be undone.
      </p>
      <SetUp />
      {(ready || !greeted.value) && (
        <ul class="chat-suggestions" aria-label="Questions to begin with">
          {suggestions().map(words => (
            <li key={words}>
              <button
                type="button"
                class="chat-suggestion"
                disabled={!ready}
                onClick={() => {
                  ask(words);
                  focusChat();
                }}
              >
                {words}
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
