// SPDX-License-Identifier: GPL-3.0-or-later
// The table of the appearance of component types, one row each: the labels of the fields in its form, and the component as learners see it.
// All other properties of a type come from the server's table (contract.ts).
import type { JSX } from "preact";
import { componentTypes } from "contract";
import { capital } from "../base/words";
import { Chart } from "./charts";
import { CodeExercise, Question } from "./exercises";
import { isChart, type Field, type Kind, type KindName, type Parameters, type Shape, type Texts } from "./kinds";
import { Picture, Pictures, Svg } from "./pictures";
import { Rich, RichLine } from "./rich";

interface Drawing {
  // In the order of the form; left out: as they are named.
  fields?: Record<string, [label: string, shape?: Shape, more?: Partial<Pick<Field, "hint" | "item" | "kinds" | "needed">>]>;
  draw: (texts: Texts, parameters: Parameters) => JSX.Element;
}

const calloutNames: Texts = { tip: "Tip", warning: "Watch out", important: "Important", info: "Good to know" };

function HeroNumber({ texts, data }: { texts: Texts; data: unknown }) {
  const type = texts.visual_type;
  return (
    <div class={`n-hero n-hero-${texts.background_style || "light"}`}>
      {isChart(type) && <Chart type={type} data={data} name={texts.caption || texts.visual_content} />}
      {type === "svg" ? <div class="n-frame"><Svg code={texts.visual_content} name={texts.caption} /></div>
        : type === "image" ? <div class="n-frame"><Picture address={texts.visual_content} name={texts.caption} /></div>
          : <p class="n-hero-text"><RichLine text={texts.visual_content} /></p>}
      {isChart(type) && !data && <p class="n-hero-note">No chart_data, so there is no chart.</p>}
      {texts.caption && <p class="n-caption"><RichLine text={texts.caption} /></p>}
    </div>
  );
}

export const drawings: Record<KindName, Drawing> = {
  heading: {
    fields: { text: ["Heading", "line"] },
    draw: ({ text }) => <h3 class="n-heading"><RichLine text={text} /></h3>,
  },
  paragraph: { draw: ({ text }) => <Rich text={text} /> },
  "memory-trick": {
    fields: { text: ["Trick"] },
    draw: ({ text }) => <div class="n-trick"><p class="n-label">Memory trick</p><Rich text={text} /></div>,
  },
  definition: {
    fields: { term: ["Term", "line"], definition: ["What it means"] },
    draw: texts => <dl class="n-definition"><dt><RichLine text={texts.term} /></dt><dd><Rich text={texts.definition} /></dd></dl>,
  },
  "step-sequence": {
    fields: { steps: ["Steps", undefined, { item: "step" }] },
    draw: (_, { steps }) => <ol class="n-steps">{(steps as string[]).map((step, i) => <li key={i}><Rich text={step} /></li>)}</ol>,
  },
  "worked-example": {
    fields: { problem: ["Task"], solution: ["Solution"], answer: ["Answer", "line"] },
    draw: ({ problem, solution, answer }) => (
      <div class="n-example">
        <p class="n-label">Worked example</p>
        <div class="n-problem"><Rich text={problem} /></div>
        <Rich text={solution} />
        <p class="n-answer"><span class="n-label">Answer</span> <RichLine text={answer} /></p>
      </div>
    ),
  },
  "callout-box": {
    draw: ({ text, style }) =>
      <div class={`n-callout n-callout-${style || "info"}`}><p class="n-label">{calloutNames[style || "info"]}</p><Rich text={text} /></div>,
  },
  "two-pictures": { draw: (_, { pictures }) => <Pictures given={pictures as Parameters} count={2} /> },
  "three-pictures": { draw: (_, { pictures }) => <Pictures given={pictures as Parameters} count={3} /> },
  "four-pictures": { draw: (_, { pictures }) => <Pictures given={pictures as Parameters} count={4} /> },
  "hero-number": {
    fields: {
      visual_type: ["Shown as"],
      visual_content: ["Content", "text", { hint: "The number or text; for an image its address, for an SVG its code." }],
      caption: ["Caption", "line"], background_style: ["Background"], chart_data: ["Chart"] },
    draw: (texts, { chart_data: data }) => <HeroNumber texts={texts} data={data} />,
  },
  "three-svgs": {
    fields: Object.fromEntries([1, 2, 3].flatMap(i => [[`title${i}`, [`Title ${i}`, "line"]], [`description${i}`, [`Description ${i}`]],
      [`svg${i}`, [`Drawing ${i}, SVG`, "code"]]])) as Drawing["fields"],
    draw: texts => (
      <div class="n-pictures n-pictures-3">
        {[1, 2, 3].map(i => (
          <figure key={i}>
            {texts[`svg${i}`] && <div class="n-frame"><Svg code={texts[`svg${i}`]} name={texts[`title${i}`]} /></div>}
            <figcaption><strong><RichLine text={texts[`title${i}`]} /></strong><Rich text={texts[`description${i}`]} /></figcaption>
          </figure>
        ))}
      </div>
    ),
  },
  "exercise-code": {
    fields: {
      prompt: ["Task"],
      starter: ["Starter code", "code", { hint: "The learner begins with it." }],
      cases: ["Test cases", undefined, { item: "case" }],
      solution: ["Solution", "code", { hint: "Learners do not see it." }],
      hints: ["Hints", undefined, { item: "hint", hint: "From a nudge to a similar example." }],
      compare: ["Comparison of results", undefined, { hint: "exact if none is chosen." }],
      time_s: ["Time limit", undefined, { hint: "In seconds." }] },
    draw: (_, parameters) => <CodeExercise parameters={parameters} />,
  },
  question: {
    fields: {
      prompt: ["Question"],
      kind: ["Answered with"],
      options: ["Options", undefined, { item: "option", kinds: ["choice"], needed: true }],
      answer: ["Right answers", undefined, { item: "answer", kinds: ["choice", "number", "text"], needed: true, hint: "For a choice, all of these must be chosen. Otherwise each of them is right alone." }],
      tolerance: ["Tolerance", undefined, { kinds: ["number"], hint: "By how much an answer may differ." }],
      criteria: ["Criteria", undefined, { item: "criterion", kinds: ["open"], needed: true, hint: "A point that a good answer makes." }],
      hints: ["Hints", undefined, { item: "hint", hint: "From a nudge to a similar example." }] },
    draw: (_, parameters) => <Question parameters={parameters} />,
  },
};

// What the chooser and the forms read of each type.
export const kinds: readonly Kind[] = componentTypes.map(({ name, label, use, parameters }) => {
  const own = drawings[name].fields ?? {}, order = Object.keys(own);
  const fields = parameters.map((parameter: (typeof parameters)[number]): Field => {
    const [words, shape, more] = own[parameter.name] ?? [capital(parameter.name.replaceAll("_", " "))];
    return { name: parameter.name, label: words, shape: shape ?? parameter.kind, needed: parameter.required,
      choices: "choices" in parameter ? parameter.choices : undefined, least: "least" in parameter ? parameter.least : undefined,
      most: "most" in parameter ? parameter.most : undefined, ...more };
  });
  return { name, label, when: `${capital(use)}.`, fields: fields.sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name)) };
});

const byName = new Map<string, Kind>(kinds.map(kind => [kind.name, kind]));
export const kindOf = (name: unknown): Kind | undefined => byName.get(String(name));
