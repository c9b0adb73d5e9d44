// SPDX-License-Identifier: GPL-3.0-or-later
// A component as learners see it, by its type: one function a type. What breaks the rules is shown as data with what is wrong.
import { Component as Base, type ComponentChildren, type JSX } from "preact";
import { Chart } from "./charts";
import { problemsOf, type Problem } from "./check";
import { isChart, isObject, kindOf, type KindName, type Parameters } from "./kinds";
import { Picture, Pictures, Svg } from "./pictures";
import { Rich, RichLine } from "./rich";

type Texts = Record<string, string>;

const calloutNames: Texts = { tip: "Tip", warning: "Watch out", important: "Important", info: "Good to know" };

function HeroNumber({ of }: { of: Parameters }) {
  const texts = of as Texts, type = texts.visual_type;
  return (
    <div class={`n-hero n-hero-${texts.background_style || "light"}`}>
      {isChart(type) && <Chart type={type} data={of.chart_data} name={texts.caption || texts.visual_content} />}
      {type === "svg" ? <div class="n-frame"><Svg code={texts.visual_content} name={texts.caption} /></div>
        : type === "image" ? <div class="n-frame"><Picture address={texts.visual_content} name={texts.caption} /></div>
          : <p class="n-hero-text"><RichLine text={texts.visual_content} /></p>}
      {isChart(type) && !of.chart_data && <p class="n-hero-note">No chart_data, so there is no chart.</p>}
      {texts.caption && <p class="n-caption"><RichLine text={texts.caption} /></p>}
    </div>
  );
}

const drawers: Record<KindName, (of: Parameters) => JSX.Element> = {
  heading: of => <h3 class="n-heading"><RichLine text={(of as Texts).text} /></h3>,
  paragraph: of => <Rich text={(of as Texts).text} />,
  "memory-trick": of => <div class="n-trick"><p class="n-label">Memory trick</p><Rich text={(of as Texts).text} /></div>,
  definition: of => (
    <dl class="n-definition"><dt><RichLine text={(of as Texts).term} /></dt><dd><Rich text={(of as Texts).definition} /></dd></dl>
  ),
  "step-sequence": of => <ol class="n-steps">{(of.steps as string[]).map((step, i) => <li key={i}><Rich text={step} /></li>)}</ol>,
  "worked-example": of => {
    const { problem, solution, answer } = of as Texts;
    return (
      <div class="n-example">
        <p class="n-label">Worked example</p>
        <div class="n-problem"><Rich text={problem} /></div>
        <Rich text={solution} />
        <p class="n-answer"><span class="n-label">Answer</span> <RichLine text={answer} /></p>
      </div>
    );
  },
  "callout-box": of => {
    const { text, style } = of as Texts;
    return <div class={`n-callout n-callout-${style || "info"}`}><p class="n-label">{calloutNames[style || "info"]}</p><Rich text={text} /></div>;
  },
  "two-pictures": of => <Pictures given={of.pictures as Parameters} count={2} />,
  "three-pictures": of => <Pictures given={of.pictures as Parameters} count={3} />,
  "four-pictures": of => <Pictures given={of.pictures as Parameters} count={4} />,
  "hero-number": of => <HeroNumber of={of} />,
  "three-svgs": of => (
    <div class="n-pictures n-pictures-3">
      {[1, 2, 3].map(i => {
        const texts = of as Texts, code = texts[`svg${i}`];
        return (
          <figure key={i}>
            {code && <div class="n-frame"><Svg code={code} name={texts[`title${i}`]} /></div>}
            <figcaption><strong><RichLine text={texts[`title${i}`]} /></strong><Rich text={texts[`description${i}`]} /></figcaption>
          </figure>
        );
      })}
    </div>
  ),
};

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
    this.setState({ fault: error instanceof Error ? error.message : String(error) });
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

const Body = ({ type, parameters }: { type: KindName; parameters: Parameters }) => drawers[type](parameters);

// A few words by which a component is known, in lists and to screen readers.
export function outline(type: unknown, parameters: unknown): string {
  const kind = kindOf(type), given = (isObject(parameters) ? parameters : {});
  const values = kind ? kind.fields.filter(field => !field.choices).map(field => given[field.name]) : Object.values(given);
  const text = values.flat().find(value => typeof value === "string" && value.trim() && !value.startsWith("<") && !value.startsWith("data:")) as string | undefined;
  const label = kind?.label ?? String(type ?? "unknown"), short = (text ?? "").replace(/\s+/g, " ").trim();
  return short ? `${label}: ${short.length > 40 ? `${short.slice(0, 38)}…` : short}` : label;
}
