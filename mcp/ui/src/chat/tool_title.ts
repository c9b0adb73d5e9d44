// SPDX-License-Identifier: GPL-3.0-or-later
// The title of a tool call: the server's template for this tool, filled with the arguments that have arrived.

type Arguments = Record<string, unknown>;

const word = (value: unknown): string => (typeof value === "string" ? value : typeof value === "number" ? String(value) : "");
const short = (value: string) => (value.length > 60 ? `${value.slice(0, 59)}…` : value);
const words = (value: string) => short(value.replaceAll("_", " "));

function amount(value: unknown, thing: string): string {
  const many = Array.isArray(value) ? value.length : 0;
  return many === 1 ? `1 ${thing}` : `${many} ${thing}s`;
}

// One {name:how} or {name=how} of a template (mcp/tool/tool.h); null: the argument is not there, or of another value.
function filled(value: unknown, sign: string | undefined, how: string): string | null {
  const given = word(value);
  if (sign === "=") return (how === "" ? given !== "" : String(value) === how) ? "" : null;
  if (sign === ":" && how !== "words" && how !== "a") return amount(value, how);
  if (given === "") return null;
  if (how === "a") return `${/^[aeiou]/i.test(given) ? "an" : "a"} ${words(given)}`;
  return how === "words" ? words(given) : short(given);
}

const PLACES = /\[([^\]]*)\]|\{(\w+)(?:([:=])([^}]*))?\}/g;

function fill(template: string, args: Arguments): string | null {
  let whole = true;
  const title = template.replace(PLACES, (_, part?: string, name?: string, sign?: string, how?: string) => {
    const text = part !== undefined ? (fill(part, args) ?? "") : filled(args[name ?? ""], sign, how ?? "");
    whole &&= text !== null;
    return text ?? "";
  });
  return whole ? title : null;
}

export function toolTitle(template: string, tool: string, args: Arguments): string {
  for (const one of template.split("|")) {
    const title = fill(one, args);
    if (title) return title;
  }
  return words(tool) || "A tool";
}

// The node it is about, if one.
export const nodeOf = (args: Arguments): string => word(args.node_id) || word(args.from_node_id);

const advice: Record<string, string> = {
  validation: "Something in the call was not right. The model reads why and can correct it.",
  not_found: "It refers to something that does not exist. The model reads what exists and can correct it.",
  conflict: "Something has changed since the model read it, or exists already. It can read it again and send another call.",
  runtime: "The code failed. The model reads the error and can repair it.",
  timeout: "It took too long and was stopped. Ask about fewer nodes at once.",
  memory: "It needed more memory than it may have. Ask about fewer nodes at once.",
  output: "It printed more than can be kept. Ask for sums or a few rows.",
  cancelled: "It was stopped before it was done.",
  busy: "All sandboxes are in use. Ask again in a moment.",
  engine: "The sandbox could not be started; nothing is wrong with the code. Ask again, or see `lectern doctor`.",
  internal: "The server failed; its log says why.",
};

export const failureAdvice = (category: string | null): string | null =>
  category !== null && Object.hasOwn(advice, category) ? (advice[category] ?? null) : null;
