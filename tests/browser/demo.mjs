// SPDX-License-Identifier: GPL-3.0-or-later
// What the scripts ask about the demo curriculum, and how the model that aimock plays goes about it: with real tools, and answers
// made of what those said. LECTERN_FACTS has what the demo's file says: the session, its nodes, the answer to the first question.
import { results } from "./model.mjs";

export const { sid, answer, nodes } = JSON.parse(process.env.LECTERN_FACTS);
export const [lesson] = nodes;
export const path = `/session/${sid}/nodes/${lesson.id}/components`;

const trick = lesson.components.findIndex(component => component.type === "memory-trick");
export const TRICK = lesson.components[trick].parameters.text;

// The pauses stand for the work of a longer analysis, so that its output can be seen to come.
export const CODE = `from code_helpers import analyze_graph, get_nodes
import time

graph = analyze_graph(session_id)
print(f"Looking at {graph.number_of_nodes()} nodes")
needs = {b for a, b, kind in graph.edges(data="relationship_type") if "PREREQUISITE" in kind}
for node in get_nodes(session_id):
    if node["node_id"] not in needs:
        time.sleep(0.3)
        print(node["node_id"], node["title"])
`;

export const ids = text => [...new Set(text.match(/\bN\d{3}\b/g) ?? [])];
const titles = new Map(nodes.map(node => [node.id, node.title]));

export const QUESTION = "Which nodes have no prerequisites?";
export const ANSWERED = "A course can begin with any of them.";
export const CHANGE = "Please delete the memory trick of the first lesson.";
export const DELETED = "The memory trick is gone.";
export const KEPT = "Nothing was deleted, as you wished.";
export const FORBIDDEN = "Which files does the server have?";
export const FORBIDDEN_SAID = "I may not look at files.";
export const HELLO = "Are you still there?";
export const HELLO_SAID = "I know what we spoke of.";

export const rows = [
  { asks: QUESTION, first: "I will look at the graph.", calls: [{ name: "execute_code", arguments: { code: CODE } }],
    says: request => {
      const found = ids(results(request).at(-1));
      return `**${found.length} nodes** have no prerequisites:\n\n${found.map(id => `- ${id} ${titles.get(id)}`).join("\n")}\n\n${ANSWERED}`;
    } },
  { asks: CHANGE, first: "I will delete it.",
    calls: [{ name: "delete_component", arguments: { node_id: lesson.id, component_order: trick + 1, confirm: true } }],
    says: request => /Deleted component/.test(results(request).at(-1)) ? DELETED : KEPT },
  { asks: FORBIDDEN, first: "I will try.", calls: [{ name: "execute_code", arguments: { code: 'title = "files"\nprint(open(title).read())\n' } }],
    says: FORBIDDEN_SAID },
  { asks: HELLO, says: `Yes, I am here. ${HELLO_SAID}` },
];
