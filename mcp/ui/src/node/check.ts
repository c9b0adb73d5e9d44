// SPDX-License-Identifier: GPL-3.0-or-later
// What is wrong with a component's parameters. Imports keep what breaks the rules, so the page meets it: it then shows the data
// and these sentences. The server judges what is written; this only decides what can be drawn.
import { pictureFields } from "contract";
import { caseBlanks, caseProblems } from "./cases";
import { kindOf, kinds } from "./draw";
import { applies, chartNames, isObject, type Field, type Kind, type Parameters, type Shape } from "./kinds";

export interface Problem { field: string; text: string }

function nameOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : typeof value === "string" ? "text" : `a ${typeof value}`;
}

function checkPictures(field: Field, value: unknown): Problem[] {
  if (!isObject(value)) return [{ field: field.name, text: `must be an object of pictures, not ${nameOf(value)}` }];
  const found: Problem[] = [];
  for (let i = 1; i <= (field.most ?? 0); i++) {
    const key = `svg${i}` in value ? `svg${i}` : `image${i}`;
    const picture = value[key];
    if (picture === undefined) found.push({ field: `${field.name}.svg${i}`, text: `is missing, and so is image${i}` });
    else if (!isObject(picture)) found.push({ field: `${field.name}.${key}`, text: `must be an object, not ${nameOf(picture)}` });
    else
      for (const name of pictureFields)
        if (picture[name] !== undefined && picture[name] !== null && typeof picture[name] !== "string")
          found.push({ field: `${field.name}.${key}.${name}`, text: `must be text, not ${nameOf(picture[name])}` });
  }
  return found;
}

function checkChart(field: Field, value: unknown, parameters: Parameters): Problem[] {
  if (!isObject(value)) return [{ field: field.name, text: `must be an object, not ${nameOf(value)}` }];
  return chartNames(parameters.visual_type)
    .filter(name => typeof value[name] !== "number")
    .map(name => ({ field: `${field.name}.${name}`,
      text: value[name] === undefined ? "is missing" : `must be a number, not ${nameOf(value[name])}` }));
}

// Its items, each of which must be as `one` says.
function checkItems(field: Field, value: unknown, what: string, one: (item: unknown) => string | null): Problem[] {
  if (!Array.isArray(value)) return [{ field: field.name, text: `must be a list of ${what}, not ${nameOf(value)}` }];
  return value.flatMap((item, i) => {
    const text = one(item);
    return text ? [{ field: `${field.name}.${i}`, text }] : [];
  });
}

const isText = (value: unknown) => typeof value === "string" ? null : `must be text, not ${nameOf(value)}`;
const isAnswer = (value: unknown) => typeof value === "string" || typeof value === "number" ? null : `must be text or a number, not ${nameOf(value)}`;
const isCase = (value: unknown) => isObject(value) ? null : `must be an object, not ${nameOf(value)}`;

function checkCases(field: Field, value: unknown): Problem[] {
  const inner = (Array.isArray(value) ? value : []).flatMap((one, i) => isObject(one)
    ? caseProblems(one).map(({ name, text }) => ({ field: `${field.name}.${i}.${name}`, text })) : []);
  return [...checkItems(field, value, "cases", isCase), ...inner];
}

function checkNumber({ name, least, most }: Field, value: unknown): Problem[] {
  const range = most === undefined ? `${least} or more` : `from ${least} to ${most}`;
  if (typeof value !== "number") return [{ field: name, text: `must be a number ${range}, not ${nameOf(value)}` }];
  return value < (least ?? value) || value > (most ?? value) ? [{ field: name, text: `must be ${range}, not ${value}` }] : [];
}

function checkText({ name, choices }: Field, value: unknown): Problem[] {
  const text = isText(value);
  if (text) return [{ field: name, text }];
  return choices && !choices.includes(value as string)
    ? [{ field: name, text: `is "${(value as string).slice(0, 40)}", which is none of ${choices.join(", ")}` }] : [];
}

const checks: Partial<Record<Shape, (field: Field, value: unknown, parameters: Parameters) => Problem[]>> = {
  pictures: checkPictures,
  chart: checkChart,
  cases: checkCases,
  number: checkNumber,
  list: (field, value) => checkItems(field, value, "texts", isText),
  answers: (field, value) => checkItems(field, Array.isArray(value) ? value : [value], "answers", isAnswer),
};

function checkField(field: Field, parameters: Parameters): Problem[] {
  const value = parameters[field.name];
  if (!applies(field, parameters)) return [];
  if (value === undefined || (value === null && !field.needed))
    return field.needed ? [{ field: field.name, text: "is missing" }] : [];
  return (checks[field.shape] ?? checkText)(field, value, parameters);
}

export function problemsOf(type: unknown, parameters: unknown): Problem[] {
  const kind = kindOf(type);
  if (!kind)
    return [{ field: "type", text: `is ${JSON.stringify(type ?? null).slice(0, 60)}, which is none of ` +
      kinds.map(each => each.name).join(", ") }];
  if (!isObject(parameters)) return [{ field: "parameters", text: `must be an object, not ${nameOf(parameters)}` }];
  return kind.fields.flatMap(field => checkField(field, parameters));
}

// Values that are present but blank: not an error in stored data, but not to be written.
export function blanksOf(kind: Kind, parameters: Parameters): Problem[] {
  const blank = (...path: (string | number)[]) => ({ field: path.join("."), text: "is needed: write something here" });
  return kind.fields.filter(field => field.needed && applies(field, parameters)).flatMap(field => {
    const value = parameters[field.name];
    if (typeof value === "string" && value.trim() === "") return [blank(field.name)];
    if (!Array.isArray(value)) return [];
    if (value.length === 0) return [{ field: `${field.name}.0`, text: "is needed: write at least one" }];
    return field.shape === "cases" ? value.flatMap((one, i) => caseBlanks(one as Parameters).map(name => blank(field.name, i, name))) : [];
  });
}
