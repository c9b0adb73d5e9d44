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
export type Finding = Omit<Answer<"Finding">, "places"> & { places: { file?: string; line?: number; value?: string }[] };
// The answer for a new curriculum, or for an update of one.
export type Imported = { session_id: string | null; report: Record<keyof Answer<"Findings">, Finding[]> }
  & Partial<Pick<Answer<"SessionImported">, "nodes" | "components" | "relationships" | "lessons">>
  & Partial<Pick<Answer<"SessionUpdated">, "changes" | "change_set">>;

// What "lectern.change" says: somebody's edit has landed.
export interface Change {
  target: "session" | "nodes" | "components" | "relationships" | "positions";
  node_id: string | null;
  who: string;
}
