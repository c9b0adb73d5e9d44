// SPDX-License-Identifier: GPL-3.0-or-later
// The two types that a learner answers: the task as learners see it, and below it, closed, the part for authors.
import type { ComponentChildren } from "preact";
import { plural } from "../base/words";
import { callText, kindOfCase, valueText } from "./cases";
import type { Parameters } from "./kinds";
import { Rich, RichLine } from "./rich";

const Code = ({ text, label }: { text: string; label: string }) => <pre class="n-codeblock" tabIndex={0} aria-label={label}><code>{text}</code></pre>;

const Texts = ({ texts }: { texts: readonly string[] }) => <ol>{texts.map((text, i) => <li key={i}><Rich text={text} /></li>)}</ol>;

function Cases({ cases, label, captioned }: { cases: readonly Parameters[]; label: string; captioned?: boolean }) {
  return (
    <table class="n-cases" aria-label={captioned ? undefined : label}>
      {captioned && <caption>{label}</caption>}
      <thead><tr><th scope="col">Call or input</th><th scope="col">Expected</th></tr></thead>
      <tbody>{cases.map((one, i) => {
        const kind = kindOfCase(one), name = one.name ? <p class="n-hint">{String(one.name)}</p> : null;
        return kind === "program"
          ? <tr key={i}><td>{name}{one.stdin ? <code>{String(one.stdin)}</code> : "no input"}</td><td>{one.stdout ? <code>{String(one.stdout)}</code> : "no output"}</td></tr>
          : <tr key={i}><td>{name}<code>{callText(one)}</code></td>
            <td>{kind === "raises" ? <>raises <code>{String(one.raises)}</code></> : <code>{valueText(one.expect)}</code>}</td></tr>;
      })}</tbody>
    </table>
  );
}

// Rows without content are left out.
function Author({ rows }: { rows: readonly [label: string, content: ComponentChildren][] }) {
  const shown = rows.filter(([, content]) => content);
  if (shown.length === 0) return null;
  return (
    <details class="n-author">
      <summary>For the author</summary>
      <dl>{shown.map(([label, content]) => <div key={label}><dt>{label}</dt><dd>{content}</dd></div>)}</dl>
    </details>
  );
}

const textsOf = (value: unknown) => Array.isArray(value) && value.length > 0 ? <Texts texts={value as string[]} /> : null;

export function CodeExercise({ parameters }: { parameters: Parameters }) {
  const { prompt, starter, solution, hints, compare, time_s: seconds } = parameters as Record<string, string | undefined>;
  const cases = parameters.cases as Parameters[], hidden = cases.filter(one => one.hidden), visible = cases.filter(one => !one.hidden);
  return (
    <div class="n-exercise">
      <p class="n-label">Code exercise</p>
      <Rich text={prompt!} />
      {starter && <Code text={starter} label="Starter code" />}
      {visible.length > 0 && <Cases cases={visible} label="Test cases" captioned />}
      {hidden.length > 0 && <p class="n-hint">{visible.length > 0 ? "And " : ""}{plural(hidden.length, "hidden case")}</p>}
      <Author rows={[
        ["Solution", solution && <Code text={solution} label="Solution" />],
        ["Hints", textsOf(hints)],
        ["Hidden cases", hidden.length > 0 && <Cases cases={hidden} label="Hidden cases" />],
        ["Comparison of results", compare],
        ["Time limit", seconds && plural(Number(seconds), "second")],
      ]} />
    </div>
  );
}

export function Question({ parameters }: { parameters: Parameters }) {
  const { prompt, kind, answer, tolerance, criteria, hints } = parameters;
  const options = kind === "choice" ? parameters.options as string[] : [], answers = [answer ?? []].flat() as (string | number)[];
  return (
    <div class="n-exercise">
      <p class="n-label">Question</p>
      <Rich text={prompt as string} />
      {options.length > 0 && <ul class="n-options">{options.map((option, i) => <li key={i}><RichLine text={option} /></li>)}</ul>}
      <Author rows={[
        [answers.length > 1 ? "Right answers" : "Right answer", kind !== "open" && answers.length > 0 && <ul>{answers.map((each, i) => <li key={i}>
          <RichLine text={String(each)} />
          {kind === "choice" && !options.includes(String(each)) && <span class="n-fault"> is none of the options</span>}</li>)}</ul>],
        ["Tolerance", kind === "number" && tolerance !== undefined && String(tolerance)],
        ["Criteria", kind === "open" && textsOf(criteria)],
        ["Hints", textsOf(hints)],
      ]} />
    </div>
  );
}
