// SPDX-License-Identifier: GPL-3.0-or-later
// One tool call: what it is in words, how it goes, its code, its output, what it drew; and taking an edit back.
import { useState } from "preact/hooks";
import { NodeLink } from "../base/node_link";
import { nodesById, readOnly, session } from "../base/state";
import { standings, undoChange } from "../base/undo";
import { Code, Output } from "./code";
import { interrupts } from "./conversation";
import { Elapsed } from "./elapsed";
import { isSign, Sign } from "./icons";
import { duration, plain, splitResult } from "./output";
import { parsePartial } from "./partial_json";
import { refusals, type Refusal } from "./refusal";
import { failureAdvice, nodeOf, toolTitle } from "./tool_title";
import type { CallItem } from "./view";

function signOf(call: CallItem): Sign {
  if (call.state === "writing" || call.state === "running") return isSign(call.icon) ? call.icon : "edit";
  return call.state;
}

function stateWords(call: CallItem, asks: boolean): string {
  if (asks) return "waits for you";
  if (call.state === "waiting" && call.answer === "approved") return "approved";
  if (call.state === "waiting" && call.answer === "declined") return "declined";
  if (call.state === "running" && call.stands !== "") return call.stands;
  const time =
    call.milliseconds !== null && call.milliseconds > 0 && (call.state === "done" || call.state === "failed")
      ? ` · ${duration(call.milliseconds)}`
      : "";
  return call.state + time;
}

// Arguments other than the code, one line each.
/** The programs of a batch; none while their arguments arrive. */
function programsOf(args: Record<string, unknown>): { name: string; code: string }[] {
  const batch: unknown[] = Array.isArray(args.batch) ? args.batch : [];
  return batch.flatMap(part => {
    const { name, code } = (part ?? {}) as { name?: unknown; code?: unknown };
    return typeof name === "string" && typeof code === "string" ? [{ name, code }] : [];
  });
}

const DRAWN_APART = new Set(["code", "batch", "session_id", "idempotency_key"]);

function Arguments({ args }: { args: Record<string, unknown> }) {
  const rows = Object.entries(args).filter(([name]) => !DRAWN_APART.has(name));
  if (rows.length === 0) return null;
  return (
    <dl class="chat-arguments">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name.replaceAll("_", " ")}</dt>
          <dd>{typeof value === "object" ? <pre tabIndex={0}>{JSON.stringify(value, null, 2)}</pre> : String(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

function UndoLine({ changeSet }: { changeSet: string }) {
  const undo = standings.value.get(changeSet);
  const sid = session.value?.session_id;
  if (!undo || !sid) return null;
  return (
    <p class="chat-undo" role="status">
      {undo.state !== "undone" && !readOnly.value && (
        <button type="button" class="button button-small" disabled={undo.state === "busy"} onClick={() => void undoChange(sid, changeSet)}>
          {undo.state === "failed" ? "Try to undo again" : undo.state === "busy" ? "Undoing…" : "Undo"}
        </button>
      )}
      {undo.said !== "" && <span class={undo.state === "failed" ? "chat-bad" : ""}>{undo.said}</span>}
    </p>
  );
}

function Pictures({ call }: { call: CallItem }) {
  return (
    <>
      {call.pictures.map((picture, at) => (
        <img
          key={at}
          class="chat-picture"
          src={`data:${picture.mime};base64,${picture.base64.replace(/\s/g, "")}`}
          alt={
            call.pictures.length > 1
              ? `Figure ${at + 1} of ${call.pictures.length} drawn by the analysis`
              : "Figure drawn by the analysis"
          }
        />
      ))}
    </>
  );
}

function Details({ call, args }: { call: CallItem; args: Record<string, unknown> }) {
  const live = call.state === "running" || call.state === "writing" || call.state === "waiting";
  const { output, trailer } = splitResult(call.result ?? plain(call.output));
  return (
    <div class="chat-details" id={`call-details-${call.id}`}>
      {typeof args.code === "string" && <Code code={args.code} label="Python code" />}
      {programsOf(args).map(program => <Code key={program.name} code={program.code} label={`Python code: ${program.name}`} />)}
      <Arguments args={args} />
      {output.trim() !== "" && (
        <Output output={output} label={call.result === null ? "Output so far" : "Result"} fromEnd={live} />
      )}
      {trailer !== null && <p class="chat-trailer">{trailer}</p>}
    </div>
  );
}

function firstLine(call: CallItem): string {
  const output = splitResult(call.result ?? plain(call.output)).output.replace(/ \(component_id [^)]*\)/, "");
  if (/^\s*[{[]/.test(output)) return output.slice(0, 400).replace(/\s+/g, " ").trim();
  const lines = output
    .split("\n")
    .map(line => line.trim())
    .filter(line => line !== "");
  // Of an error's trace the last line says what it was.
  const failed = call.state === "failed" && call.icon === "code";
  return (failed ? lines.findLast(line => /^\w*(Error|Exception)\b/.test(line)) : undefined) ?? lines[0] ?? "";
}

const REFUSALS_SHOWN = 3;
const INSTEAD_SHOWN = 400; // characters; the whole text is in the details

function Refused({ found }: { found: Refusal[] }) {
  return (
    <div class="chat-refused">
      <p>This code was not run:</p>
      <ul>
        {found.slice(0, REFUSALS_SHOWN).map((one, at) => (
          <li key={at}>
            <p>
              <strong>Line {one.line}:</strong> {one.rule}
            </p>
            {one.code !== "" && <pre class="chat-output" tabIndex={0} role="group" aria-label={`Line ${one.line}`}>{one.code}</pre>}
            {one.instead !== "" && <p>{one.instead.length > INSTEAD_SHOWN ? `${one.instead.slice(0, INSTEAD_SHOWN)}…` : one.instead}</p>}
          </li>
        ))}
      </ul>
      {found.length > REFUSALS_SHOWN && <p>And {found.length - REFUSALS_SHOWN} more.</p>}
    </div>
  );
}

export function CallCard({ call }: { call: CallItem }) {
  const [chosen, setChosen] = useState<boolean | null>(null); // what the editor wants; null: as it goes
  const args = parsePartial(call.args);
  const asks = interrupts.value.some(one => one.toolCallId === call.id);
  const active = call.state === "writing" || call.state === "running";
  const open = chosen ?? (active && call.icon === "code");
  const title = toolTitle(call.title, call.name, args);
  const node = nodeOf(args);
  const known = nodesById.value.get(node);
  const words = stateWords(call, asks);
  const speaks = call.icon === "edit" || call.icon === "history"; // its answer is in words, not output
  const refused = call.icon === "code" && call.category === "validation" ? refusals(splitResult(call.result ?? "").output) : [];
  const advice = call.state === "failed" ? (splitResult(call.result ?? "").repair ?? failureAdvice(call.category)) : null;
  return (
    <article class={`chat-call chat-call-${call.state}${asks ? " chat-call-asks" : ""}`} aria-label={`${title}: ${words}`}>
      <button
        type="button"
        class="chat-call-head"
        id={`call-${call.id}`}
        aria-expanded={open}
        aria-controls={`call-details-${call.id}`}
        onClick={() => setChosen(!open)}
      >
        <Sign name={signOf(call)} />
        <span class="chat-call-title">{title}</span>
        {call.repair > 0 && (
          <span class="chip">
            attempt {call.repair + 1} of {Math.max(call.repair, call.repairsMax) + 1}
          </span>
        )}
        <span class="chat-call-state">
          {active && <span class="chat-dots" aria-hidden="true" />}
          {call.state === "done" && call.milliseconds !== null ? (
            <>
              <span class="hidden">done, </span>
              {duration(call.milliseconds)}
            </>
          ) : (
            words
          )}
          {call.state === "running" && call.startedAt !== null && (
            <>
              {" "}
              <Elapsed since={call.startedAt} />
            </>
          )}
        </span>
        <Sign name="open" />
      </button>
      {known && (
        <p class="chat-call-node">
          <NodeLink id={node} class="chat-node">{known.title || node}</NodeLink>
        </p>
      )}
      {open ? (
        <Details call={call} args={args} />
      ) : refused.length > 0 ? (
        <Refused found={refused} />
      ) : (
        firstLine(call) !== "" && <p class={`chat-first-line${speaks ? " chat-words" : ""}`}>{firstLine(call)}</p>
      )}
      {advice !== null && <p class="chat-advice">{advice}</p>}
      <Pictures call={call} />
      {call.changeSet !== null && <UndoLine changeSet={call.changeSet} />}
    </article>
  );
}
