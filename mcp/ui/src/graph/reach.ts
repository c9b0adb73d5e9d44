// SPDX-License-Identifier: GPL-3.0-or-later
// The curriculum for the graph region: indices, depths, neighbours, and what can be reached from a node. Edges of all types lead from the
// earlier to the later node.
import type { CourseNode, Relationship } from "../base/types";
import { chapterOf } from "../base/words";
import { layOut, type Chapters, type Layout } from "./layers";

// By these depth goes; ENRICHMENT, and kinds that an import brings, say nothing of order.
const isOrder = (type: string) => type === "LEADS_TO" || type.includes("PREREQUISITE");

export interface Structure {
  nodes: CourseNode[];
  index: Map<string, number>;
  edges: Relationship[]; // whose ends both exist
  before: number[][]; // for each node, its direct predecessors
  after: number[][];
  layout: Layout;
  group: string[]; // of each node, its chapter or category
}

// Chapters with the same name in different books are distinct.
function groupsOf(nodes: CourseNode[]): string[] {
  const books = new Map<string, Set<string>>();
  for (const node of nodes) {
    const chapter = chapterOf(node);
    if (chapter) books.set(chapter, (books.get(chapter) ?? new Set()).add(node.book ?? ""));
  }
  return nodes.map(node => {
    const chapter = chapterOf(node);
    if (!chapter) return node.content_category || node.node_type || "Without a chapter";
    return node.book && (books.get(chapter)?.size ?? 0) > 1 ? `${chapter} · ${node.book}` : chapter;
  });
}

// Books in order, chapters of a book by name, nodes without a chapter last. Without chapters all nodes are one group without a name.
function chaptersOf(nodes: CourseNode[], group: string[]): Chapters {
  const books = new Map<string, number>();
  for (const node of nodes) books.set(node.book ?? "", books.get(node.book ?? "") ?? books.size);
  const book = new Map<string, number>();
  nodes.forEach((node, i) => {
    if (chapterOf(node)) book.set(group[i], book.get(group[i]) ?? books.get(node.book ?? "") ?? 0);
  });
  const names = [...book.keys()].sort((a, b) => book.get(a)! - book.get(b)! || a.localeCompare(b, undefined, { numeric: true }));
  const number = new Map(names.map((name, i) => [name, i]));
  const some = names.length > 0;
  const of = Int32Array.from(nodes, (node, i) => chapterOf(node) ? number.get(group[i])! : names.length);
  return { of, names: of.includes(names.length) ? [...names, some ? "Without a chapter" : ""] : names };
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
  const group = groupsOf(nodes);
  const graph = { count: nodes.length, from: Int32Array.from(from), to: Int32Array.from(to) };
  return { nodes, index, edges, before, after, layout: layOut(graph, shape, chaptersOf(nodes, group)), group };
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
