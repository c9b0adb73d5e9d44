// SPDX-License-Identifier: GPL-3.0-or-later
// How the roles solved a question: a row for each step, two attempts at the program side by side, and the trace as a file.
import { useEffect, useRef, useState } from "preact/hooks";
import { sessionPath } from "../base/api";
import { session } from "../base/state";
import { Code } from "./code";
import { duration } from "./output";
import { attemptsOf, currencyOf, diagnosesBetween, stepsOf, type Attempt, type Step, type Task } from "./task";
import { number } from "./usage";

const tokens = (step: Step) => (step.input + step.output > 0 ? `${number(step.input)} / ${number(step.output)}` : "–");

function Row({ step, most, priced }: { step: Step; most: number; priced: boolean }) {
  return (
    <>
      <tr class={step.failed === null ? "" : "chat-task-failed"}>
        <th scope="row">
          {step.role} {step.attempt > 0 && <span class="chat-task-attempt">attempt {step.attempt}</span>}
        </th>
        <td>{step.by}</td>
        <td>{tokens(step)}</td>
        {priced && <td>{step.cost === null ? "–" : step.cost.toFixed(4)}</td>}
        <td class="chat-task-time">
          {step.seconds > 0 ? duration(step.seconds * 1000) : "–"}
          <span class="chat-task-bar" aria-hidden="true" style={{ width: `${most > 0 ? Math.round((step.seconds / most) * 100) : 0}%` }} />
        </td>
      </tr>
      {step.failed !== null && (
        <tr class="chat-task-why">
          <td colSpan={priced ? 5 : 4}>{step.failed}</td>
        </tr>
      )}
    </>
  );
}

function Steps({ task }: { task: Task }) {
  const steps = stepsOf(task.entries);
  const currency = currencyOf(task.entries);
  const most = Math.max(0, ...steps.map(step => step.seconds));
  return (
    <div class="chat-task-scroll" tabIndex={0} role="group" aria-label="Steps">
      <table>
        <thead>
          <tr>
            <th scope="col">Step</th>
            <th scope="col">By</th>
            <th scope="col">Tokens in / out</th>
            {currency !== null && <th scope="col">{currency}</th>}
            <th scope="col">Time</th>
          </tr>
        </thead>
        <tbody>
          {steps.map((step, at) => (
            <Row key={at} step={step} most={most} priced={currency !== null} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

const nameOf = (attempt: Attempt) => `Attempt ${attempt.number}`;

function Program({ attempt }: { attempt: Attempt }) {
  return (
    <div class="chat-task-program">
      <p class="chat-task-name">
        {nameOf(attempt)}
        {attempt.error !== null && ": failed"}
      </p>
      <Code code={attempt.source} label={`Program of attempt ${attempt.number}`} />
      {attempt.error !== null && <p class="chat-bad">{attempt.error}</p>}
    </div>
  );
}

interface Pair {
  attempts: Attempt[];
  first: Attempt;
  second: Attempt;
}

function Comparison({ attempts, first, second }: Pair) {
  return (
    <div class="chat-task-compare chat-task-two">
      <Program attempt={first} />
      <ol class="chat-task-between" aria-label="Changes">
        {diagnosesBetween(attempts, first.number, second.number).map(one => (
          <li key={one.attempt}>
            <p>{one.cause}</p>
            <p>
              <strong>→ {one.change}</strong> ({one.by === "rule" ? "by rule" : "by the debugger"})
            </p>
          </li>
        ))}
      </ol>
      <Program attempt={second} />
    </div>
  );
}

// The same in a window that is wide enough for two programs beside each other.
function Wide(pair: Pair) {
  const [open, setOpen] = useState(false);
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (open) dialog.current?.showModal();
  }, [open]);
  return (
    <>
      <button type="button" class="button button-small" onClick={() => setOpen(true)}>
        Side by side
      </button>
      {open && (
        <dialog
          ref={dialog}
          class="chat-task-wide"
          aria-label={`${nameOf(pair.first)} and ${nameOf(pair.second)}`}
          onClose={() => setOpen(false)}
          onKeyDown={event => event.key === "Escape" && event.stopPropagation()}
        >
          <div class="chat-task-body">
            <Comparison {...pair} />
            <button type="button" class="button" onClick={() => dialog.current?.close()}>
              Close
            </button>
          </div>
        </dialog>
      )}
    </>
  );
}

// Of the chosen ones the newest two are shown.
function Attempts({ attempts }: { attempts: Attempt[] }) {
  const [chosen, setChosen] = useState<number[]>([]);
  const shown = attempts.filter(one => chosen.includes(one.number));
  const [first, second] = shown;
  const choose = (one: number) =>
    setChosen(chosen.includes(one) ? chosen.filter(other => other !== one) : [...chosen.slice(-1), one]);
  return (
    <>
      <div class="chat-choice" role="group" aria-label={attempts.length > 1 ? "Programs: choose two to compare" : "Programs"}>
        {attempts.map(one => (
          <button
            key={one.number}
            type="button"
            class="button button-small"
            aria-pressed={chosen.includes(one.number)}
            onClick={() => choose(one.number)}
          >
            {nameOf(one)}
          </button>
        ))}
        {first && second && <Wide attempts={attempts} first={first} second={second} />}
      </div>
      {first && (second ? <Comparison attempts={attempts} first={first} second={second} /> : <Program attempt={first} />)}
    </>
  );
}

const plural = (many: number, word: string) => `${number(many)} ${word}${many === 1 ? "" : "s"}`;

export function TaskCard({ task }: { task: Task }) {
  const sid = session.value?.session_id;
  const [open, setOpen] = useState(false);
  const attempts = attemptsOf(task.entries);
  const requests = task.entries.filter(entry => entry.kind === "request").length;
  const file = () => `data:application/json;charset=utf-8,${encodeURIComponent(JSON.stringify(task, null, 2))}`;
  return (
    <div class="chat-task chat-unfolds">
      <button type="button" class="chat-more" aria-expanded={open} onClick={() => setOpen(!open)}>
        How it went: {task.status.replace("_", " ")}, {plural(attempts.length, "program")}, {plural(requests, "request")} to models
      </button>
      {open && (
        <div class="chat-task-body">
          <Steps task={task} />
          {attempts.length > 0 && <Attempts attempts={attempts} />}
          <p class="chat-quiet">
            <a href={file()} download={`task-${task.id}.json`}>
              Download the steps as JSON
            </a>
            {sid && task.kept !== "" && (
              <>
                , or{" "}
                <a href={`.${sessionPath(sid)}/tasks/${task.kept}?format=otlp`} download={`task-${task.id}-otlp.json`}>
                  for OpenTelemetry
                </a>
              </>
            )}
            {task.cut && ". Long texts and lists in it are cut."}
          </p>
        </div>
      )}
    </div>
  );
}
