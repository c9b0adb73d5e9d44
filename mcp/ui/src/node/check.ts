// SPDX-License-Identifier: GPL-3.0-or-later
// What is wrong with a component's parameters. Imports keep what breaks the rules, so the page meets it: it then shows the data
// and these sentences. The server judges what is written; this only decides what can be drawn.
import { pictureFields } from "contract";
import { kindOf, kinds } from "./draw";
import { chartNames, isObject, type Field, type Kind, type Parameters } from "./kinds";

export interface Problem { field: string; text: string }

function nameOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : typeof value === "string" ? "text" : `a ${typeof value}`;
}

function checkPictures(field: Field, value: unknown): Problem[] {
  if (!isObject(value)) return [{ field: field.name, text: `must be an object of pictures, not ${nameOf(value)}` }];
  const found: Problem[] = [];
  for (let i = 1; i <= (field.pictures ?? 0); i++) {
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

function checkField(field: Field, parameters: Parameters): Problem[] {
  const value = parameters[field.name];
  if (value === undefined || (value === null && !field.needed))
    return field.needed ? [{ field: field.name, text: "is missing" }] : [];
  if (field.shape === "pictures") return checkPictures(field, value);
  if (field.shape === "chart") return checkChart(field, value, parameters);
  if (field.shape === "list") {
    if (!Array.isArray(value)) return [{ field: field.name, text: `must be a list of texts, not ${nameOf(value)}` }];
    return value.flatMap((step, i) => typeof step === "string" ? []
      : [{ field: `${field.name}.${i}`, text: `must be text, not ${nameOf(step)}` }]);
  }
  if (typeof value !== "string") return [{ field: field.name, text: `must be text, not ${nameOf(value)}` }];
  if (field.choices && !field.choices.includes(value))
    return [{ field: field.name, text: `is "${value.slice(0, 40)}", which is none of ${field.choices.join(", ")}` }];
  return [];
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
  return kind.fields.filter(field => field.needed).flatMap(field => {
    const value = parameters[field.name];
    if (typeof value === "string" && value.trim() === "") return [{ field: field.name, text: "is needed: write something here" }];
    return Array.isArray(value) && value.length === 0 ? [{ field: `${field.name}.0`, text: "is needed: write at least one" }] : [];
  });
}
