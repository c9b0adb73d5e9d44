// SPDX-License-Identifier: GPL-3.0-or-later
// The component types and their fields, which the chooser, the forms and the drawing read: those of the server's table
// (base/contract.ts), with words for people. A type without words here gets those of its name.
import { componentTypes } from "../base/contract";

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

export type KindName = (typeof componentTypes)[number]["name"];

export interface Kind {
  name: KindName;
  label: string;
  when: string; // when to use which, for the chooser
  fields: readonly Field[];
}

interface Words {
  label: string;
  when: string;
  fields: Record<string, [label: string, shape?: Shape, hint?: string]>; // in the order of the form
}

const pictures: Words["fields"] = { pictures: ["Pictures"] };

const words: Partial<Record<KindName, Words>> = {
  heading: { label: "Heading", when: "Opens a section and says what it is about.", fields: { text: ["Heading", "line"] } },
  paragraph: { label: "Paragraph", when: "Explains in running text.", fields: { text: ["Text"] } },
  "memory-trick": { label: "Memory trick", when: "A rhyme, a picture or a rule of thumb that helps to remember.", fields: { text: ["Trick"] } },
  definition: { label: "Definition", when: "Says exactly what one term means.",
    fields: { term: ["Term", "line"], definition: ["What it means"] } },
  "step-sequence": { label: "Steps", when: "A procedure that is done in a fixed order.", fields: { steps: ["Steps"] } },
  "worked-example": { label: "Worked example", when: "One task, solved in full.",
    fields: { problem: ["Task"], solution: ["Solution"], answer: ["Answer", "line"] } },
  "callout-box": { label: "Callout", when: "A tip, a warning or a fact that must not be missed.", fields: { text: ["Text"], style: ["Style"] } },
  "two-pictures": { label: "Two pictures", when: "Compares two things side by side.", fields: pictures },
  "three-pictures": { label: "Three pictures", when: "Shows three cases or stages.", fields: pictures },
  "four-pictures": { label: "Four pictures", when: "Shows four cases at a glance.", fields: pictures },
  "hero-number": { label: "Big number", when: "One number, chart or picture that should stick.",
    fields: {
      visual_type: ["Shown as"],
      visual_content: ["Content", "text", "The number or text; for an image its address, for an SVG its code."],
      caption: ["Caption", "line"], background_style: ["Background"], chart_data: ["Chart"] } },
  "three-svgs": { label: "Three drawings", when: "Three ideas, each with a title, a sentence and, if it helps, a drawing.",
    fields: Object.fromEntries([1, 2, 3].flatMap(i => [[`title${i}`, [`Title ${i}`, "line"]], [`description${i}`, [`Description ${i}`]],
      [`svg${i}`, [`Drawing ${i}, SVG`, "svg"]]])) as Words["fields"] },
};

const shapes = { text: "text", "text-list": "list", choice: "choice", pictures: "pictures", chart: "chart" } as const;
const spoken = (name: string) => name.charAt(0).toUpperCase() + name.slice(1).replaceAll(/[-_]/g, " ");

function kindOfType(type: (typeof componentTypes)[number]): Kind {
  const own = words[type.name], order = Object.keys(own?.fields ?? {});
  const fields = type.parameters.map((parameter): Field => {
    const [label, shape, hint] = own?.fields[parameter.name] ?? [spoken(parameter.name)];
    return { name: parameter.name, label, shape: shape ?? shapes[parameter.type], needed: parameter.required, hint,
      choices: "choices" in parameter ? parameter.choices : undefined, pictures: "count" in parameter ? parameter.count : undefined };
  });
  fields.sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
  return { name: type.name, label: own?.label ?? spoken(type.name), when: own?.when ?? `${spoken(type.use)}.`, fields };
}

export const kinds: readonly Kind[] = componentTypes.map(kindOfType);

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
