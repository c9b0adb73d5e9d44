// SPDX-License-Identifier: GPL-3.0-or-later
// The types of relationships and their names, for the graph, the legend, the lesson and its forms. Every relationship leads from the
// earlier node to the later one.
import type { relationshipTypes } from "contract";

export interface Relation {
  type: string;
  forward: string; // EARLIER … LATER
  back: string; // LATER … EARLIER
  line: string;
  width: number;
}

export const RELATIONS: readonly (Relation & { type: (typeof relationshipTypes)[number] })[] = [
  { type: "PREREQUISITE", forward: "is needed for", back: "needs", line: "thick", width: 2 },
  { type: "PREREQUISITE_FOR", forward: "prepares for", back: "builds on", line: "medium", width: 1.4 },
  { type: "LEADS_TO", forward: "leads to", back: "follows", line: "thin", width: 0.9 },
  { type: "ENRICHMENT", forward: "is enriched by", back: "enriches", line: "wedge", width: 3 },
];

// An import keeps kinds that are not among these: they are called by their own name and drawn neutrally.
export function relationOf(type: string): Relation {
  const words = type.toLowerCase().replaceAll("_", " ");
  return RELATIONS.find(each => each.type === type) ?? { type, forward: words, back: `${words}, from`, line: "grey", width: 0.9 };
}

// Those that these links have: the known ones first, in their order, then the others by name.
export function relationsOf(types: Iterable<string>): Relation[] {
  const there = new Set(types);
  const others = [...there].filter(type => !RELATIONS.some(each => each.type === type)).sort();
  return [...RELATIONS.filter(each => there.has(each.type)), ...others.map(relationOf)];
}
