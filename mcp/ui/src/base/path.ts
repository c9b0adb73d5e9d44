// SPDX-License-Identifier: GPL-3.0-or-later
// A path between two nodes, as "A > B" in the search box: the server finds it, the graph lights it up and goes to it.
import { ask } from "./api";
import { lit, region, session, tell } from "./state";
import type { CourseNode } from "./types";
import { errorText } from "./words";

// What stands on both sides of an arrow; null: there is none.
export function sidesOf(typed: string): [from: string, to: string] | null {
  const sides = typed.split(/\s*(?:→|->|>)\s*/);
  return sides.length === 2 && sides[0].trim() !== "" ? [sides[0].trim(), sides[1].trim()] : null;
}

export async function showPath(from: CourseNode, to: CourseNode): Promise<void> {
  const sid = session.value?.session_id;
  if (!sid) return;
  try {
    const found = await ask(sid, "path", { from_node_id: from.node_id, to_node_id: to.node_id });
    if (session.value?.session_id !== sid) return;
    const nodes = found.nodes as string[];
    if (nodes.length > 0) {
      lit.value = { why: "path", nodes };
      region.value = "graph";
      return;
    }
    const back = typeof found.steps_back === "number" ? ` One leads the other way, in ${found.steps_back} steps.` : "";
    tell("info", `No path leads from “${from.title}” to “${to.title}”.${back}`);
  } catch (error) {
    tell("error", `The path could not be found. ${errorText(error)}`);
  }
}
