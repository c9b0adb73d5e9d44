// SPDX-License-Identifier: GPL-3.0-or-later
// The curriculum as the graph region sees it: indices, depths, neighbours, and what is reached from a node. Edges lead from what comes
// first to what comes later, for all types.
import type { CourseNode, Relationship } from "../base/types";
import { layOut, type Layout } from "./layers";

// By these depth goes; ENRICHMENT, and kinds that an import brings, say nothing of order.
const isOrder = (type: string) => type === "LEADS_TO" || type.includes("PREREQUISITE");

export interface Structure {
  nodes: CourseNode[];
  index: Map<string, number>;
  edges: Relationship[]; // whose ends both exist
  before: number[][]; // of each node, what directly comes before it in order
  after: number[][];
  layout: Layout;
  group: string[]; // of each node, its chapter or category
}

function groupOf(node: CourseNode): string {
  const chapter = node.chapter ?? (node.chapter_id != null && node.chapter_id !== "" ? `Chapter ${node.chapter_id}` : null);
  return chapter || node.content_category || node.node_type || "Without a chapter";
}

export function structureOf(nodes: CourseNode[], relationships: Relationship[], shape: number): Structure {
  const index = new Map(nodes.map((node, i) => [node.node_id, i]));
  const edges = relationships.filter(edge => index.has(edge.from_node_id) && index.has(edge.to_node_id));
  const before: number[][] = nodes.map(() => []);
  const after: number[][] = nodes.map(() => []);
  const from: number[] = [];
  const to: number[] = [];
  for (const edge of edges) {
    const a = index.get(edge.from_node_id) as number;
    const b = index.get(edge.to_node_id) as number;
    if (a === b || !isOrder(edge.relationship_type)) continue;
    from.push(a);
    to.push(b);
    after[a].push(b);
    before[b].push(a);
  }
  const layout = layOut({ count: nodes.length, from: Int32Array.from(from), to: Int32Array.from(to) }, shape);
  return { nodes, index, edges, before, after, layout, group: nodes.map(groupOf) };
}

// All that is reached from a node over these neighbours, the node itself included.
export function reached(start: string, structure: Structure, way: "before" | "after"): string[] {
  const root = structure.index.get(start);
  if (root === undefined) return [];
  const seen = new Set([root]);
  const queue = [root];
  for (const node of queue)
    for (const next of structure[way][node])
      if (!seen.has(next)) {
        seen.add(next);
        queue.push(next);
      }
  return queue.map(node => structure.nodes[node].node_id);
}
