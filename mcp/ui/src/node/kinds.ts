// SPDX-License-Identifier: GPL-3.0-or-later
// The component types and their fields: one table that the chooser, the forms and the drawing read. Its names are those of
// mcp/session/component_type.c, which judges what is written; kinds.test.ts holds the two against each other.

export type Shape = "text" | "line" | "list" | "choice" | "pictures" | "chart" | "svg";

export interface Field {
  name: string;
  label: string;
  shape: Shape;
  needed: boolean;
  choices?: readonly string[];
  pictures?: number;
  hint?: string;
}

export type KindName = "heading" | "paragraph" | "memory-trick" | "definition" | "step-sequence" | "worked-example" | "callout-box" |
  "two-pictures" | "three-pictures" | "four-pictures" | "hero-number" | "three-svgs";

export interface Kind {
  name: KindName;
  label: string;
  when: string; // when to use which, for the chooser
  fields: readonly Field[];
}

const text = (name: string, label: string, hint?: string): Field => ({ name, label, shape: "text", needed: true, hint });
const line = (name: string, label: string, needed = true, hint?: string): Field => ({ name, label, shape: "line", needed, hint });
const svg = (name: string, label: string): Field => ({ name, label, shape: "svg", needed: false });
const pictures = (count: number): Field => ({ name: "pictures", label: "Pictures", shape: "pictures", needed: true, pictures: count });

export const calloutStyles = ["tip", "warning", "important", "info"] as const;
export const visualTypes = ["text", "image", "pie-chart", "bar-chart", "fraction-circle", "svg"] as const;
export const backgroundStyles = ["purple", "blue", "green", "orange", "red", "dark", "light"] as const;
export const pictureFields = ["title", "body", "svgCode", "imagePath", "imageUrl"] as const;

export const kinds: readonly Kind[] = [
  { name: "heading", label: "Heading", when: "Opens a section and says what it is about.", fields: [line("text", "Heading")] },
  { name: "paragraph", label: "Paragraph", when: "Explains in running text.", fields: [text("text", "Text")] },
  { name: "memory-trick", label: "Memory trick", when: "A rhyme, a picture or a rule of thumb that helps to remember.",
    fields: [text("text", "Trick")] },
  { name: "definition", label: "Definition", when: "Says exactly what one term means.",
    fields: [line("term", "Term"), text("definition", "What it means")] },
  { name: "step-sequence", label: "Steps", when: "A procedure that is done in a fixed order.",
    fields: [{ name: "steps", label: "Steps", shape: "list", needed: true }] },
  { name: "worked-example", label: "Worked example", when: "One task, solved in full.",
    fields: [text("problem", "Task"), text("solution", "Solution"), line("answer", "Answer")] },
  { name: "callout-box", label: "Callout", when: "A tip, a warning or a fact that must not be missed.",
    fields: [text("text", "Text"), { name: "style", label: "Style", shape: "choice", needed: false, choices: calloutStyles }] },
  { name: "two-pictures", label: "Two pictures", when: "Compares two things side by side.", fields: [pictures(2)] },
  { name: "three-pictures", label: "Three pictures", when: "Shows three cases or stages.", fields: [pictures(3)] },
  { name: "four-pictures", label: "Four pictures", when: "Shows four cases at a glance.", fields: [pictures(4)] },
  { name: "hero-number", label: "Big number", when: "One number, chart or picture that should stick.",
    fields: [
      { name: "visual_type", label: "Shown as", shape: "choice", needed: true, choices: visualTypes },
      text("visual_content", "Content", "The number or text; for an image its address, for an SVG its code."),
      line("caption", "Caption", false),
      { name: "background_style", label: "Background", shape: "choice", needed: false, choices: backgroundStyles },
      { name: "chart_data", label: "Chart", shape: "chart", needed: false }] },
  { name: "three-svgs", label: "Three drawings", when: "Three ideas, each with a title, a sentence and, if it helps, a drawing.",
    fields: [1, 2, 3].flatMap(i => [line(`title${i}`, `Title ${i}`), text(`description${i}`, `Description ${i}`),
      svg(`svg${i}`, `Drawing ${i}, SVG`)]) },
];

const byName = new Map<string, Kind>(kinds.map(kind => [kind.name, kind]));
export const kindOf = (name: unknown): Kind | undefined => byName.get(String(name));

export type Parameters = Record<string, unknown>;

export function isObject(value: unknown): value is Parameters {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

// The two numbers that a chart of this visual type is drawn from.
export function chartNames(visualType: unknown): readonly [string, string] {
  return visualType === "bar-chart" ? ["current", "maximum"] : ["numerator", "denominator"];
}

export const isChart = (visualType: unknown) => ["pie-chart", "bar-chart", "fraction-circle"].includes(String(visualType));

// What a new component of a type starts with.
export function emptyParameters(kind: Kind): Parameters {
  const made: Parameters = {};
  for (const field of kind.fields) {
    if (field.shape === "list") made[field.name] = [""];
    else if (field.shape === "pictures")
      made[field.name] = Object.fromEntries(Array.from({ length: field.pictures ?? 0 }, (_, i) =>
        [`svg${i + 1}`, { title: "", body: "", svgCode: "" }]));
    else if (field.shape === "choice") made[field.name] = field.name === "style" || field.needed ? field.choices![0] : undefined;
    else if (field.needed) made[field.name] = "";
  }
  return JSON.parse(JSON.stringify(made)) as Parameters;
}

// A copy without what is empty and not needed: what is sent.
export function tidy(kind: Kind, parameters: Parameters): Parameters {
  const made = { ...parameters };
  for (const field of kind.fields) {
    if (!field.needed && (made[field.name] === "" || made[field.name] === undefined)) delete made[field.name];
    if (field.shape === "list" && Array.isArray(made[field.name]))
      made[field.name] = (made[field.name] as unknown[]).filter(step => step !== "");
    if (field.shape === "chart" && !isChart(made.visual_type)) delete made[field.name];
  }
  return made;
}
