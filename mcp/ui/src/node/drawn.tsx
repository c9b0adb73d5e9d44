// SPDX-License-Identifier: GPL-3.0-or-later
// A component as learners see it. What breaks the rules is shown as data with what is wrong.
import { Component as Base, type ComponentChildren } from "preact";
import { errorText } from "../base/words";
import { problemsOf, type Problem } from "./check";
import { drawings, kindOf } from "./draw";
import { isObject, type KindName, type Parameters, type Texts } from "./kinds";

function Broken({ type, parameters, problems }: { type: unknown; parameters: unknown; problems: Problem[] }) {
  return (
    <div class="n-broken">
      <p><strong>This cannot be drawn{typeof type === "string" && kindOf(type) ? "" : ": its type is not known"}.</strong> Its data is kept unchanged. The problem:</p>
      <ul>{problems.map(problem => <li key={problem.field + problem.text}><code>{problem.field}</code> {problem.text}</li>)}</ul>
      <details><summary>Data</summary><pre tabIndex={0} aria-label="Data of this component">{JSON.stringify({ type, parameters }, null, 2)}</pre></details>
    </div>
  );
}

interface Given { type: unknown; parameters: unknown }

// A fault of our own in drawing one component leaves the others, and its data, on the page.
class Guard extends Base<Given & { children: ComponentChildren }, { fault: string | null }> {
  override state = { fault: null as string | null };

  override componentDidCatch(error: unknown): void {
    console.error(error);
    this.setState({ fault: errorText(error) });
  }

  override render() {
    const { type, parameters, children } = this.props;
    return this.state.fault === null ? children
      : <Broken type={type} parameters={parameters} problems={[{ field: "page", text: `could not be drawn: ${this.state.fault}` }]} />;
  }
}

export function Drawn({ type, parameters }: Given) {
  const problems = problemsOf(type, parameters);
  if (problems.length) return <Broken type={type} parameters={parameters} problems={problems} />;
  return <Guard key={JSON.stringify(parameters)} type={type} parameters={parameters}><Body type={type as KindName} parameters={parameters as Parameters} /></Guard>;
}

const Body = ({ type, parameters }: { type: KindName; parameters: Parameters }) => drawings[type].draw(parameters as Texts, parameters);

// A few words by which a component is known, in lists and to screen readers.
export function outline(type: unknown, parameters: unknown): string {
  const kind = kindOf(type), given = (isObject(parameters) ? parameters : {});
  const values = kind ? kind.fields.filter(field => !field.choices).map(field => given[field.name]) : Object.values(given);
  const text = values.flat().find(value => typeof value === "string" && value.trim() && !value.startsWith("<") && !value.startsWith("data:")) as string | undefined;
  const label = kind?.label ?? String(type ?? "unknown"), short = (text ?? "").replace(/\s+/g, " ").trim();
  return short ? `${label}: ${short.length > 40 ? `${short.slice(0, 38)}…` : short}` : label;
}
