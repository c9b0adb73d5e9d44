// SPDX-License-Identifier: GPL-3.0-or-later
// JSON whose numbers are values of Python: 6.0 is not 6, and integers have any length. JavaScript keeps neither, so readExact() puts the
// author's form of a literal, {"py": "6.0"}, in the place of such a number (mcp/exercise/python_value.h). Pure.
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const TOKEN = /\\.|"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const isInexact = (text: string) => {
  const number = Number(text);
  return NUMBER.test(text) && (/[.eE]/.test(text) ? Number.isInteger(number) || !Number.isFinite(number) : !Number.isSafeInteger(number));
};

// Throws a SyntaxError, as JSON.parse does.
export function readExact(text: string): unknown {
  let isInText = false;
  return JSON.parse(text.replace(TOKEN, token => {
    if (token === '"') isInText = !isInText;
    return !isInText && isInexact(token) ? `{"py":"${token}"}` : token;
  }));
}

// The text of {"py": TEXT}; null for any other value.
function literalOf(value: Record<string, unknown>): string | null {
  return typeof value.py === "string" && Object.keys(value).length === 1 ? value.py : null;
}

const words = new Map<unknown, string>([[null, "None"], [true, "True"], [false, "False"]]);

// On one line: as JSON that readExact() reads, or as Python writes it.
export function writeExact(value: unknown, as: "json" | "python"): string {
  if (Array.isArray(value)) return `[${value.map(each => writeExact(each, as)).join(", ")}]`;
  if (!isObject(value)) return as === "python" && words.get(value) || JSON.stringify(value) || "";
  const literal = literalOf(value);
  if (literal !== null && (as === "python" || isInexact(literal))) return literal;
  return `{${Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}: ${writeExact(each, as)}`).join(", ")}}`;
}
