// SPDX-License-Identifier: GPL-3.0-or-later
// The answers of the session API, as far as the page uses them: each is what the server's own table of it says (contract.ts).
import type { Schemas } from "contract";

interface Simple { string: string; integer: number; number: number; boolean: boolean; null: null }
type Members<P, Needed> =
  { [Name in keyof P as Name extends Needed ? Name : never]: Shape<P[Name]> } & { [Name in keyof P as Name extends Needed ? never : Name]?: Shape<P[Name]> };

// The type that a JSON Schema describes; unknown where the schema is open.
export type Shape<S> = S extends { $ref: `#/components/schemas/${infer Name extends keyof Schemas}` } ? Shape<Schemas[Name]>
  : S extends { properties: infer P; required: (infer Needed)[] } ? Members<P, Needed>
  : S extends { properties: infer P } ? Members<P, never>
  : S extends { items: infer Item } ? Shape<Item>[]
  : S extends { type: (infer Type)[] | infer Type } ? Simple[Type & keyof Simple]
  : unknown;
export type Answer<Name extends keyof Schemas> = Shape<Schemas[Name]>;

export type SessionInfo = Answer<"Sessions">["sessions"][number];
export type HistoryEntry = Answer<"History">["changes"][number];

// The page relies on more than the server guarantees, because an import keeps what breaks the rules; and it knows additional fields.
export interface CourseNode extends Answer<"Node"> {
  node_id: string;
  title: string; // "" if it has none (readNodes)
  chapter_id: string | number | null;
  chapter?: string | null;
  book?: string | null;
  node_type?: string | null;
  content_category: string | null;
}
// to_title: of a node of another curriculum, to which this is a link.
export interface Relationship extends Answer<"Relationship"> { from_node_id: string; to_node_id: string; relationship_type: string; to_title?: string }
export interface Component extends Answer<"Component"> { component_type: string; order: number; parameters: Record<string, unknown> }

// Of an import: one reason with its occurrences and the first places.
export interface Finding { reason: string; count: number; places: { file?: string; line?: number; value?: string }[] }
interface Changed { nodes: number; relationships: number; first: { node_id: string; title: string | null }[] }
export interface Imported {
  session_id: string | null; // null: a dry run of a new one
  report: Record<"read" | "changed" | "leftOut" | "rules", Finding[]>;
  // Of a new curriculum. lessons: the first ones, of a dry run.
  nodes?: number;
  components?: number;
  relationships?: number;
  lessons?: { node_id: string | null; title: string | null; components: number; needs: string[] }[];
  // Of an update. change_set: by which it is undone; null: nothing was written.
  changes?: Record<"added" | "updated" | "unchanged" | "missing", Changed>;
  change_set?: string | null;
}

// What "lectern.change" says: somebody's edit has landed.
export interface Change {
  target: "session" | "nodes" | "components" | "relationships" | "positions";
  node_id: string | null;
  who: string;
}
