// SPDX-License-Identifier: GPL-3.0-or-later
// A component type and its fields as forms and checks see them (draw.tsx has all there are), and parameters by their type.
import type { componentTypes } from "contract";
import { isObject } from "../base/json";
import { emptyCase, tidyCase } from "./cases";

export { isObject };

export type KindName = (typeof componentTypes)[number]["name"];
// As the server's table has it; a text may also be a line or code.
export type Shape = (typeof componentTypes)[number]["parameters"][number]["kind"] | "line" | "code";

export interface Field {
  name: string;
  label: string;
  shape: Shape;
  needed: boolean;
  choices?: readonly string[];
  least?: number; // of a number
  most?: number; // of a number; of a list the items, of pictures their number
  hint?: string;
  item?: string; // what one item of a list is called
  kinds?: readonly string[]; // of a question that have the field; left out: all
}

export interface Kind {
  name: KindName;
  label: string;
  when: string; // when to use which, for the chooser
  fields: readonly Field[];
}

export type Parameters = Record<string, unknown>;
export type Texts = Record<string, string>;

// Whether a component with these parameters has the field.
export const applies = ({ kinds }: Field, { kind }: Parameters) => !kinds || kinds.includes(String(kind));

export const itemName = ({ item, shape }: Field) => item ?? (shape === "pictures" ? "picture" : "item");

// The two numbers that a chart of this visual type is drawn from.
export function chartNames(visualType: unknown): readonly [string, string] {
  return visualType === "bar-chart" ? ["current", "maximum"] : ["numerator", "denominator"];
}

export const isChart = (visualType: unknown) => ["pie-chart", "bar-chart", "fraction-circle"].includes(String(visualType));

// What a list of its own begins with, and what is added to it.
export const emptyItem = ({ shape }: Field): unknown => shape === "cases" ? emptyCase() : "";

// What a new component of a type starts with.
export function emptyParameters(kind: Kind): Parameters {
  const made: Parameters = {};
  for (const field of kind.fields) {
    if (field.shape === "pictures")
      made[field.name] = Object.fromEntries(Array.from({ length: field.most ?? 0 }, (_, i) =>
        [`svg${i + 1}`, { title: "", body: "", svgCode: "" }]));
    else if (field.shape === "choice") made[field.name] = field.name === "style" || field.needed ? field.choices![0] : undefined;
    else if (field.needed && applies(field, made)) made[field.name] = field.shape === "list" || field.shape === "cases" ? [emptyItem(field)] : "";
  }
  return JSON.parse(JSON.stringify(made)) as Parameters;
}

// A number as it is typed: "0.0" stays a text until there is more of it.
export const typedNumber = (text: string): unknown => text === "" ? undefined : String(Number(text)) === text ? Number(text) : text;
const numberOf = (value: unknown) => typeof value === "string" && value.trim() !== "" && Number.isFinite(Number(value)) ? Number(value) : value;

// A copy without what is empty and not needed, and without what the component does not have: what is sent.
export function tidy(kind: Kind, parameters: Parameters): Parameters {
  const made = { ...parameters };
  for (const field of kind.fields) {
    const { name, shape, needed } = field, value = made[name];
    if (Array.isArray(value) && (shape === "list" || shape === "answers")) made[name] = value.filter(item => item !== "");
    if (Array.isArray(value) && shape === "cases") made[name] = value.map(tidyCase);
    if (shape === "number") made[name] = numberOf(value);
    if (shape === "chart" && isObject(value)) made[name] = Object.fromEntries(Object.entries(value).map(([part, number]) => [part, numberOf(number)]));
    const isEmpty = made[name] === "" || made[name] === undefined || Array.isArray(made[name]) && made[name].length === 0;
    if (!needed && isEmpty || !applies(field, parameters) || shape === "chart" && !isChart(made.visual_type)) delete made[name];
  }
  return made;
}
