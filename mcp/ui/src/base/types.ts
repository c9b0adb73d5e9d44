// SPDX-License-Identifier: GPL-3.0-or-later
// The session API's forms, as far as the page uses them.

export interface SessionInfo { session_id: string; title: string; nodes?: number; relationships?: number; last_modified?: string }

export interface CourseNode {
  node_id: string;
  title: string;
  chapter_id?: string | number | null;
  chapter?: string | null;
  book?: string | null;
  node_type?: string | null;
  content_category?: string | null;
  revision?: number;
}

export interface Relationship {
  id: number;
  from_node_id: string;
  to_node_id: string;
  relationship_type: string; // base/relations.ts has those with words of their own; an import may bring others
  explanation?: string;
}

export interface Component {
  component_id: string;
  component_type: string;
  order: number;
  revision: number;
  parameters: Record<string, unknown>;
  confidence?: number;
}

// What "lectern.change" says: somebody's edit has landed.
export interface Change {
  target: "session" | "nodes" | "components" | "relationships" | "positions";
  node_id: string | null;
  who: string;
}

export interface HistoryEntry {
  change_set: string;
  version: number;
  at: string;
  who: string;
  entries?: { entity: string; op: string }[];
  [field: string]: unknown;
}
