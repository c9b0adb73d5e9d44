// SPDX-License-Identifier: GPL-3.0-or-later
// The search box. Matching nodes are highlighted in the graph. Choosing one opens it or, after an arrow ("A > B"), shows the path to it.
import { useState } from "preact/hooks";
import { ask } from "./api";
import { findNodes, NodeBox } from "./find";
import { Icon } from "./icons";
import { lit, nodes, openNode, region, session, tell } from "./state";
import type { CourseNode } from "./types";
import { errorText } from "./words";

const SHOWN = 12;

// The text on both sides of an arrow; null if there is none.
function sidesOf(typed: string): [from: string, to: string] | null {
  const sides = typed.split(/\s*(?:→|->|>)\s*/);
  return sides.length === 2 && sides[0].trim() !== "" ? [sides[0].trim(), sides[1].trim()] : null;
}

// The server finds it, the graph lights it up and goes to it.
async function showPath(from: CourseNode, to: CourseNode): Promise<void> {
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

export function Search() {
  const [typed, setTyped] = useState(""), [open, setOpen] = useState(false);
  const [found, setFound] = useState<CourseNode[]>([]);

  const type = (text: string) => {
    const sides = sidesOf(text);
    const all = findNodes(nodes.value, sides ? sides[1] : text);
    setTyped(text);
    setFound(all);
    setOpen(text.trim() !== "");
    if (all.length > 0 && !sides) lit.value = { why: "search", nodes: all.map(node => node.node_id) };
    else if (lit.value?.why === "search") lit.value = null;
  };
  const choose = (node: CourseNode) => {
    const sides = sidesOf(typed);
    const from = sides && findNodes(nodes.value, sides[0])[0];
    if (from) {
      void showPath(from, node);
      return;
    }
    openNode.value = node.node_id;
    region.value = "node";
  };
  return (
    <div class="search">
      <Icon name="search" />
      <NodeBox id="search" typed={typed} found={found.slice(0, SHOWN)} open={open} setOpen={to => setOpen(to && typed !== "")} type={type} choose={choose}
        escape={() => type("")} input={{ "aria-label": "Find nodes by id or title, or a path: A > B", placeholder: "Find a node, or a path: A > B",
          onFocus: () => setOpen(typed !== "") }} />
      <kbd class="search-key" aria-hidden="true">/</kbd>
      {open && <p class="search-count" role="status">
        {found.length === 0 ? "No id or title matches." : found.length > SHOWN ? `${found.length} nodes, lit in the graph` : ""}
      </p>}
    </div>
  );
}
