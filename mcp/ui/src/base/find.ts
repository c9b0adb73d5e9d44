// SPDX-License-Identifier: GPL-3.0-or-later
// Finding nodes by what a person types: ids and titles, whatever their case and accents. Ids and beginnings of words come first.
import type { CourseNode } from "./types";

export function plain(text: string): string {
  return text.normalize("NFKD").replace(/\p{Mn}/gu, "").toLowerCase();
}

// 0: does not fit; higher is better.
function fit(node: CourseNode, words: string[]): number {
  const id = plain(node.node_id);
  const title = plain(node.title);
  let sum = 0;
  for (const word of words) {
    if (id === word) sum += 100;
    else if (title.startsWith(word)) sum += 20;
    else if (` ${title}`.includes(` ${word}`)) sum += 10;
    else if (id.startsWith(word)) sum += 8;
    else if (title.includes(word) || id.includes(word)) sum += 2;
    else return 0;
  }
  return sum;
}

export function findNodes(nodes: CourseNode[], typed: string): CourseNode[] {
  const words = plain(typed).split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const found = nodes.map(node => ({ node, fit: fit(node, words) })).filter(each => each.fit > 0);
  return found.sort((a, b) => b.fit - a.fit).map(each => each.node);
}
