// SPDX-License-Identifier: GPL-3.0-or-later
// The cases of a code exercise: the kinds of them, their members, the rules, and their drafts. Pure.
import { isObject, readExact, writeExact } from "../base/json";

// Two members exist in drafts alone: the kind that was chosen, beside members of others, and in the place of a value the text that was
// typed, so that the text stays as it is while it is no JSON.
export const CHOSEN = "draft:kind";
const TYPED = "draft:text";

export type CaseKind = "call" | "raises" | "program";
export const caseKinds: Record<CaseKind, string> =
  { call: "A call and its result", raises: "A call that raises an exception", program: "The whole program" };

interface Member {
  name: string;
  label: string;
  kinds: readonly CaseKind[]; // that have it
  json?: "array" | "object" | "any"; // a value of Python, which is entered as JSON
  long?: boolean; // of several lines
  needed?: boolean;
  blank?: boolean; // may be an empty text where it is needed
  hint?: string;
}

const calls = ["call", "raises"] as const;
export const caseMembers: readonly Member[] = [
  { name: "name", label: "Name", kinds: [...calls, "program"] },
  { name: "call", label: "Function", kinds: calls, needed: true },
  { name: "args", label: "Arguments, as JSON", kinds: calls, json: "array", hint: 'Such as [2, "a", {"py": "(1, 2)"}], with a literal of Python where JSON has no form.' },
  { name: "kwargs", label: "Keyword arguments, as JSON", kinds: calls, json: "object" },
  { name: "expect", label: "Expected result, as JSON", kinds: ["call"], json: "any", needed: true, hint: "null for a function without a result." },
  { name: "raises", label: "Exception", kinds: ["raises"], needed: true, hint: "Its name, such as ValueError." },
  { name: "stdin", label: "Input (stdin)", kinds: ["program"], long: true },
  { name: "stdout", label: "Expected output (stdout)", kinds: ["program"], long: true, needed: true, blank: true },
];

type Case = Record<string, unknown>;

const typed = (text: string) => ({ [TYPED]: text });
const typedIn = (value: unknown) => isObject(value) && typeof value[TYPED] === "string" ? value[TYPED] : null;

export const emptyCase = (): Case => ({ call: "", expect: typed("") });

export function kindOfCase(one: Case): CaseKind {
  if (typeof one[CHOSEN] === "string") return one[CHOSEN] as CaseKind;
  const has = (name: string) => one[name] !== undefined;
  return has("raises") ? "raises" : !has("call") && (has("stdin") || has("stdout")) ? "program" : "call";
}

// The text in the field of a member, and the value that the draft keeps of a text that is typed
// there.
export function memberText({ json }: Member, value: unknown): string {
  if (value === undefined) return "";
  return typedIn(value) ?? (json || typeof value !== "string" ? writeExact(value, "json") : value);
}
export const memberDraft = ({ json }: Member, text: string): unknown => json ? typed(text) : text;

function readValue({ json }: Member, text: string): { value: unknown } | { problem: string } {
  let value: unknown;
  try {
    value = readExact(text);
  } catch {
    return { problem: 'is not JSON: texts have double quotes, and null, true and false are in lower case; {"py": "(1, 2)"} is a literal of Python' };
  }
  if (json === "array" && !Array.isArray(value)) return { problem: "must be an array in brackets, such as [2, 3]" };
  if (json === "object" && !isObject(value)) return { problem: 'must be an object in braces, such as {"width": 2}' };
  return { value };
}

const isBlank = (value: unknown) => (typedIn(value) ?? value) === "";

// The case as it is sent. A typed text that is no JSON stays.
export function tidyCase(one: unknown): unknown {
  if (!isObject(one)) return one;
  const made = { ...one }, kind = kindOfCase(one);
  delete made[CHOSEN];
  for (const member of caseMembers) {
    const { name } = member, text = typedIn(made[name]);
    if (CHOSEN in one && !member.kinds.includes(kind) || !member.needed && isBlank(made[name])) delete made[name];
    else if (text !== null) {
      const read = readValue(member, text);
      if ("value" in read) made[name] = read.value;
    }
  }
  return made;
}

interface CaseProblem { name: string; text: string }

// The problems of a case of the store or of a draft.
export function caseProblems(one: Case): CaseProblem[] {
  const kind = kindOfCase(one);
  const found = caseMembers.flatMap((member): CaseProblem[] => {
    const { name, json, needed, kinds } = member, value = one[name], text = typedIn(value);
    const problem = (words: string) => [{ name, text: words }];
    if (!kinds.includes(kind)) return value === undefined || CHOSEN in one ? [] : problem("belongs to another kind of case");
    if (value === undefined) return needed ? problem("is missing") : [];
    if (text !== null) {
      const read = readValue(member, text);
      return isBlank(value) || "value" in read ? [] : problem(read.problem);
    }
    if (json) return json === "array" && !Array.isArray(value) ? problem("must be a list") : json === "object" && !isObject(value) ? problem("must be an object") : [];
    return typeof value === "string" ? [] : problem("must be text");
  });
  if (one.hidden !== undefined && typeof one.hidden !== "boolean") found.push({ name: "hidden", text: "must be true or false" });
  return found;
}

// The members that are needed and empty.
export const caseBlanks = (one: Case): string[] => caseMembers
  .filter(({ name, kinds, needed, blank }) => needed && !blank && kinds.includes(kindOfCase(one)) && isBlank(typeof one[name] === "string" ? one[name].trim() : one[name]))
  .map(({ name }) => name);

// "area(2, 3, unit="cm")", and a value as Python writes it.
export function callText({ call, args, kwargs }: Case): string {
  const named = Object.entries(isObject(kwargs) ? kwargs : {}).map(([name, value]) => `${name}=${writeExact(value, "python")}`);
  return `${String(call)}(${[...(Array.isArray(args) ? args : []).map(value => writeExact(value, "python")), ...named].join(", ")})`;
}

export const valueText = (value: unknown): string => typedIn(value) ?? writeExact(value, "python");

// The value of a member in a comparison of versions.
export const shownMember = (name: string, value: unknown): string =>
  caseMembers.some(member => member.name === name && member.json) || typeof value === "object" ? valueText(value) : String(value);
