// SPDX-License-Identifier: GPL-3.0-or-later
// A component type and its fields as forms and checks see them (draw.tsx has all there are), and parameters by their type.
import type { componentTypes } from "contract";

export type KindName = (typeof componentTypes)[number]["name"];
// As the server's table has it; a text may also be a line or code.
export type Shape = (typeof componentTypes)[number]["parameters"][number]["kind"] | "line" | "svg";

export interface Field {
  name: string;
  label: string;
  shape: Shape;
  needed: boolean;
  choices?: readonly string[];
  pictures?: number;
  hint?: string;
}

export interface Kind {
  name: KindName;
  label: string;
  when: string; // when to use which, for the chooser
  fields: readonly Field[];
}

export type Parameters = Record<string, unknown>;
export type Texts = Record<string, string>;

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
