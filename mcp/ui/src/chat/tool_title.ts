// SPDX-License-Identifier: GPL-3.0-or-later
// A tool call in words, from its arguments as far as they have come.

type Arguments = Record<string, unknown>;

const word = (value: unknown): string => (typeof value === "string" ? value : typeof value === "number" ? String(value) : "");
const short = (value: string) => (value.length > 60 ? `${value.slice(0, 59)}…` : value);
const name = (value: unknown) => short(word(value).replaceAll("_", " "));
const behind = (preposition: string, value: unknown) =>
  word(value) === "" ? "" : `${preposition === "" ? "" : ` ${preposition}`} ${short(word(value))}`;
const size = (value: unknown, one: string) => {
  const many = Array.isArray(value) ? value.length : 0;
  return many === 1 ? `1 ${one}` : `${many} ${one}s`;
};
const article = (noun: string) => (noun === "" ? "a component" : `${/^[aeiou]/i.test(noun) ? "an" : "a"} ${noun}`);
const component = (args: Arguments) => {
  const place = word(args.component_order) || word(args.order);
  return place === "" ? "a component" : `component ${place}`;
};

function graphQuestion(args: Arguments): string {
  if (word(args.query) === "") return "Graph question";
  const ends = word(args.from_node_id) === "" ? "" : `${behind("from", args.from_node_id)}${behind("to", args.to_node_id)}`;
  return `Graph question: ${name(args.query)}${behind("of", args.node_id)}${ends}`;
}

function history(args: Arguments): string {
  switch (args.action) {
    case "undo":
      return word(args.change_set) === "" ? "Undo the last change" : "Undo a change";
    case "restore":
      return `Restore version ${word(args.version) || "…"}`;
    case "difference":
      return `Compare versions${behind("", args.version)}${behind("and", args.to_version)}`;
    default:
      return "Look at the history";
  }
}

const titles: Record<string, (args: Arguments) => string> = {
  execute_code: () => "Analysis",
  query_graph: graphQuestion,
  add_component: args => `Add ${article(name(args.component_type))}${behind("to", args.node_id)}`,
  batch_add_components: args => `Add ${size(args.components, "component")}${behind("to", args.node_id)}`,
  edit_component: args => `Edit ${component(args)}${behind("of", args.node_id)}`,
  delete_component: args => `Delete ${component(args)}${behind("of", args.node_id)}`,
  create_relationship: args => `Join${behind("", args.from_node_id) || " two nodes"}${behind("to", args.to_node_id)}`,
  change_curriculum: args =>
    `${args.dry_run === true ? "Try out" : "Change the curriculum:"} ${size(args.operations, "operation")}`,
  history,
};

export function toolTitle(tool: string, args: Arguments): string {
  const title = Object.hasOwn(titles, tool) ? titles[tool]?.(args) : undefined;
  return title ?? (short(tool.replaceAll("_", " ")) || "A tool");
}

const edits = new Set([
  "add_component",
  "batch_add_components",
  "edit_component",
  "delete_component",
  "create_relationship",
  "change_curriculum",
]);

// Whether it changes the curriculum when it goes through, and so can be undone.
export function isEdit(tool: string, args: Arguments): boolean {
  if (tool === "history") return args.action === "undo" || args.action === "restore";
  return edits.has(tool) && args.dry_run !== true;
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
