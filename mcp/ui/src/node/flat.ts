// SPDX-License-Identifier: GPL-3.0-or-later
// Parameters as a list of named texts and back, so that two versions can be laid side by side and merged. Pure.
import { merge } from "../base/diff";
import { capital } from "../base/words";
import { shownMember } from "./cases";
import { kindOf } from "./draw";
import { isObject, itemName, type Parameters } from "./kinds";

interface Flat { path: string; label: string; text: string }

const fieldOf = (type: string, path: string[]) => kindOf(type)?.fields.find(each => each.name === path[0]);

const labelOf = (type: string, path: string[]): string => {
  const field = fieldOf(type, path);
  const first = field?.label ?? path[0];
  if (path.length === 1) return first;
  const number = field?.shape === "pictures" ? /\d+$/.exec(path[1])?.[0] : field?.item && String(Number(path[1]) + 1);
  return number ? [`${capital(itemName(field!))} ${number}`, ...path.slice(2)].join(", ") : [first, ...path.slice(1)].join(", ");
};

export function flatten(type: string, parameters: unknown): Flat[] {
  const found: Flat[] = [];
  const visit = (value: unknown, path: string[]) => {
    const isMember = path.length === 3 && fieldOf(type, path)?.shape === "cases";
    if (value === undefined || value === null && !isMember) return;
    if (isMember) found.push({ path: path.join("."), label: labelOf(type, path), text: shownMember(path[2], value) });
    else if (Array.isArray(value)) value.forEach((each, i) => visit(each, [...path, String(i)]));
    else if (isObject(value)) Object.entries(value).forEach(([name, each]) => visit(each, [...path, name]));
    else found.push({ path: path.join("."), label: path.length ? labelOf(type, path) : "Value", text: String(value) });
  };
  visit(parameters, []);
  return found;
}

interface Pair { path: string; label: string; mine: string; theirs: string }

// The fields in which the two differ.
export function pairs(type: string, mine: unknown, theirs: unknown): Pair[] {
  const all = new Map<string, Pair>();
  const put = (from: unknown, side: "mine" | "theirs") => {
    for (const { path, label, text } of flatten(type, from)) {
      const pair = all.get(path) ?? { path, label, mine: "", theirs: "" };
      pair[side] = text;
      all.set(path, pair);
    }
  };
  put(mine, "mine");
  put(theirs, "theirs");
  return [...all.values()].filter(pair => pair.mine !== pair.theirs);
}

export const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

// Both sides' changes in one, value by value; clashes is true where both have changed the same words.
export function mergeValues(base: unknown, mine: unknown, theirs: unknown): { value: unknown; clash: boolean } {
  if (same(mine, theirs) || same(theirs, base)) return { value: mine, clash: false };
  if (same(mine, base)) return { value: theirs, clash: false };
  if (typeof mine === "string" && typeof theirs === "string") {
    const merged = merge(typeof base === "string" ? base : "", mine, theirs);
    return { value: merged.text, clash: merged.clash };
  }
  if (isObject(mine) && isObject(theirs)) {
    const before: Parameters = isObject(base) ? base : {}, made: Parameters = {};
    let clash = false;
    for (const name of new Set([...Object.keys(theirs), ...Object.keys(mine)])) {
      const one = mergeValues(before[name], mine[name], theirs[name]);
      clash ||= one.clash;
      if (one.value !== undefined) made[name] = one.value;
    }
    return { value: made, clash };
  }
  if (Array.isArray(mine) && Array.isArray(theirs) && Array.isArray(base) && mine.length === theirs.length && base.length === mine.length) {
    const each = mine.map((item, i) => mergeValues(base[i], item, theirs[i]));
    return { value: each.map(one => one.value), clash: each.some(one => one.clash) };
  }
  return { value: mine, clash: true };
}
