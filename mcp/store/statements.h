/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every SQL statement of the store: its id and its text. Included by db.h for the ids and by a
 * backend for the texts, each with its own STATEMENT; parameters are ?1, ?2, ... A backend with a
 * different dialect gets its own column here. 1 in flags is ROW_RAW, entries that are not in the
 * API's lists because they are not objects; 2 is ROW_ODD.
 */
/* clang-format off */
#ifndef STATEMENT
#define STATEMENT(id, text)
#endif

#define CHANGE_COLUMNS                                                                             \
    "SELECT key, version, change_set, at, who, entity, entity_id, node_id, op, before, after"      \
    " FROM change "

/* Of change sets with their last rows: those of the session (?1) after version ?2, up to ?3, that
 * touch node ?4 (NULL: all). A relationship touches both its ends. */
#define CHANGE_SETS                                                                                \
    " FROM (SELECT change_set, max(key) AS last, count(*) AS rows FROM change WHERE session = ?1"  \
    "  AND (?4 IS NULL OR change_set IN (SELECT change_set FROM change AS one WHERE session = ?1"  \
    "   AND (node_id = ?4 OR (entity = 'relationship' AND"                                         \
    "    (json_extract(coalesce(before, after), '$.relationship.from_node_id') = ?4"               \
    "     OR json_extract(coalesce(before, after), '$.relationship.to_node_id') = ?4)))))"         \
    "  GROUP BY change_set) AS sets JOIN change ON change.key = sets.last"                         \
    " WHERE change.version > ?2 AND change.version <= ?3"

/* The code of a node, which is another name of it: humanCodingScheme of CASE. Few bodies are parsed
 * for it; one that SQLite cannot read as JSON has none. */
#define NODE_CODE                                                                                  \
    "CASE WHEN instr(body, '\"humanCodingScheme\"') = 0 THEN NULL"                                 \
    " WHEN NOT json_valid(body) THEN NULL"                                                         \
    " WHEN json_type(body, '$.humanCodingScheme') = 'text'"                                        \
    " THEN json_extract(body, '$.humanCodingScheme') END"

/* Without statistics SQLite takes any index on the session to be as good as one on a node's id, and
 * then reads all relationships of the session for those of one node. */
#define RELATIONSHIP_BY_FROM "relationship INDEXED BY relationship_by_from WHERE "
#define RELATIONSHIP_BY_TO   "relationship INDEXED BY relationship_by_to WHERE "

/* Of a session's flags 2 is SESSION_GONE, 4 is SESSION_DROPPED and 8 is SESSION_PARTIAL. */
STATEMENT(SQL_SESSION_FIND,
    "SELECT key, version, flags, title FROM session WHERE session_id = ?1 AND flags & 4 = 0")
STATEMENT(SQL_SESSION_LIST,
    "SELECT session_id, title, last_modified,"
    " (SELECT count(*) FROM node WHERE node.session = session.key AND flags & 1 = 0),"
    " (SELECT count(*) FROM relationship WHERE relationship.session = session.key AND flags & "
    "1 = 0)"
    " FROM session WHERE flags & 6 = 0 ORDER BY key")
STATEMENT(SQL_SESSION_NAMES,
    "SELECT session_id, title FROM session WHERE flags & 6 = 0 ORDER BY key")
STATEMENT(SQL_SESSION_INSERT,
    "INSERT INTO session (session_id, title, version, flags, further, "
    "created_at, last_modified)"
    " VALUES (?1, ?2, 0, ?3, ?4, ?5, ?5)")
STATEMENT(SQL_SESSION_TOUCH, "UPDATE session SET version = ?2, last_modified = ?3 WHERE key = ?1")
STATEMENT(SQL_SESSION_SET_FURTHER,
    "UPDATE session SET further = ?2, flags = ?3,"
    " title = coalesce(?4, title) WHERE key = ?1")
STATEMENT(SQL_SESSION_BY_KEY, "SELECT flags, further, title FROM session WHERE key = ?1")
STATEMENT(SQL_SESSION_SUM,
    "SELECT (SELECT coalesce(sum(version), 0) FROM session WHERE flags & 4 = 0)"
    " + (SELECT coalesce(sum(version), 0) FROM deleted_session)")
/* What refers to it goes with it. */
STATEMENT(SQL_SESSION_DELETE, "DELETE FROM session WHERE key = ?1")
/* Its id may be given again at once. */
STATEMENT(SQL_SESSION_DROP,
    "UPDATE session SET flags = flags | 4, session_id = '-' || key WHERE key = ?1")
STATEMENT(SQL_PARTIAL_BEGIN, "UPDATE session SET flags = flags | 12 WHERE session_id = ?1")
STATEMENT(SQL_PARTIAL_END,
    "UPDATE session SET flags = flags & ~12 WHERE session_id = ?1 AND flags & 8 RETURNING key")
/* NULL: of all sessions. */
STATEMENT(SQL_PARTIAL_DROP,
    "UPDATE session SET flags = flags & ~8"
    " WHERE flags & 8 AND session_id = coalesce(?1, session_id)")
STATEMENT(SQL_DROPPED_FIND, "SELECT key FROM session WHERE flags & 12 = 4 LIMIT 1")
STATEMENT(SQL_DROPPED_NODES, "SELECT count(*) FROM (SELECT 1 FROM node WHERE session = ?1 LIMIT 1)")
/* Of the first nodes, so that a step does not look through all of them. */
STATEMENT(SQL_DROPPED_COMPONENTS_DELETE,
    "DELETE FROM component WHERE key IN (SELECT component.key FROM (SELECT key FROM node"
    " WHERE session = ?1 ORDER BY place LIMIT ?2) AS first CROSS JOIN component"
    " ON component.node = first.key LIMIT ?2)")
STATEMENT(SQL_DROPPED_NODES_DELETE,
    "DELETE FROM node WHERE key IN (SELECT key FROM node WHERE session = ?1 ORDER BY place LIMIT ?2)"
    " AND NOT EXISTS (SELECT 1 FROM component WHERE component.node = node.key)")
STATEMENT(SQL_DROPPED_RELATIONSHIPS,
    "SELECT count(*) FROM (SELECT 1 FROM relationship WHERE session = ?1 LIMIT 1)")
STATEMENT(SQL_DROPPED_RELATIONSHIPS_DELETE,
    "DELETE FROM relationship WHERE key IN"
    " (SELECT key FROM relationship WHERE session = ?1 LIMIT ?2)")
STATEMENT(SQL_DROPPED_CHANGES,
    "SELECT count(*) FROM (SELECT 1 FROM change WHERE session = ?1 LIMIT 1)")
STATEMENT(SQL_DROPPED_CHANGES_DELETE,
    "DELETE FROM change WHERE key IN (SELECT key FROM change WHERE session = ?1 LIMIT ?2)")
STATEMENT(SQL_DROPPED_MESSAGES,
    "SELECT count(*) FROM (SELECT 1 FROM chat_thread JOIN chat_message"
    " ON chat_message.thread = chat_thread.key WHERE session = ?1 LIMIT 1)")
STATEMENT(SQL_DROPPED_MESSAGES_DELETE,
    "DELETE FROM chat_message WHERE key IN (SELECT chat_message.key FROM chat_thread"
    " JOIN chat_message ON chat_message.thread = chat_thread.key WHERE session = ?1 LIMIT ?2)")
STATEMENT(SQL_DROPPED_TASKS, "SELECT count(*) FROM (SELECT 1 FROM task WHERE session = ?1 LIMIT 1)")
/* Of the first tasks, whose entries are few. */
STATEMENT(SQL_DROPPED_TASKS_DELETE,
    "DELETE FROM task WHERE key IN (SELECT key FROM task WHERE session = ?1 LIMIT ?2 / 10)")
STATEMENT(SQL_DROPPED_POSITIONS,
    "SELECT count(*) FROM (SELECT 1 FROM position WHERE session = ?1 LIMIT 1)")
STATEMENT(SQL_DROPPED_POSITIONS_DELETE,
    "DELETE FROM position WHERE session = ?1 AND node_id IN"
    " (SELECT node_id FROM position WHERE session = ?1 LIMIT ?2)")
STATEMENT(SQL_SESSION_BURY,
    "INSERT INTO deleted_session (session_id, version, at, who)"
    " VALUES (?1, ?2, ?3, ?4)")
STATEMENT(SQL_SESSION_DELETED,
    "SELECT at, who FROM deleted_session WHERE session_id = ?1"
    " ORDER BY rowid DESC LIMIT 1")

STATEMENT(SQL_SESSION_GRAPH_VERSION,
    "SELECT graph_version.version FROM session JOIN graph_version"
    " ON graph_version.session = session.key WHERE session_id = ?1 AND flags & 4 = 0")
STATEMENT(SQL_GRAPH_VERSION, "SELECT version FROM graph_version WHERE session = ?1")

/* A place may be had twice: a new node gets that of the last when that was deleted, and the
 * deletion may be undone. Keys tell who was there first. */
STATEMENT(SQL_NODE_FIND,
    "SELECT key, cursor, revision, place, title, rank FROM node WHERE node_id = ?2 AND session = ?1"
    " ORDER BY place, rank, key LIMIT 1")
STATEMENT(SQL_NODE_BY_KEY,
    "SELECT body, flags, title, place, revision,"
    " created_at, session, node_id, rank FROM node WHERE key = ?1")
STATEMENT(SQL_NODE_LIST,
    "SELECT body, flags, created_at, last_modified, key FROM node WHERE session "
    "= ?1 ORDER BY place, rank, key")
STATEMENT(SQL_NODE_PAGE,
    "SELECT key, node_id, title FROM node WHERE session = ?1 AND flags & 1 = 0"
    " ORDER BY place, rank, key LIMIT ?3 OFFSET ?2")
STATEMENT(SQL_NODE_COUNT, "SELECT count(*) FROM node WHERE session = ?1 AND flags & 1 = 0")
STATEMENT(SQL_NODE_NAMES,
    "SELECT node_id, title, " NODE_CODE " FROM node WHERE session = ?1 AND node_id IS NOT NULL"
    " ORDER BY place, rank, key")
STATEMENT(SQL_NODE_OUTLINE,
    "SELECT node_id, title, grouping,"
    " (SELECT count(*) FROM component WHERE component.node = node.key AND "
    "component.flags & 1 = 0), " NODE_CODE
    " FROM node WHERE session = ?1 AND node_id IS NOT NULL ORDER BY place, rank, key")
STATEMENT(SQL_NODE_INSERT,
    "INSERT INTO node (key, session, place, node_id, title, grouping, revision, cursor,"
    " created_at, last_modified, body, flags, rank)"
    " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)")
/* Those behind a node of the place ?2, the rank ?3 and the key ?4 make room. */
STATEMENT(SQL_NODE_MAKE_ROOM,
    "UPDATE node SET rank = rank + ?5 WHERE session = ?1 AND place = ?2 AND (rank, key) > (?3, ?4)")
STATEMENT(SQL_NODE_UPDATE,
    "UPDATE node SET node_id = ?2, title = ?3, grouping = ?4, body = ?5, flags = ?6,"
    " cursor = ?7, last_modified = ?8, revision = revision + 1 WHERE key = ?1")
/* The flags of ?4 become as in ?5. */
STATEMENT(SQL_NODE_TOUCH,
    "UPDATE node SET cursor = ?2, last_modified = ?3, flags = flags & ~?4 | ?5 WHERE key = ?1")
STATEMENT(SQL_NODE_DELETE, "DELETE FROM node WHERE key = ?1")
STATEMENT(SQL_NODE_TWINS, "SELECT count(*) FROM node WHERE node_id = ?2 AND session = ?1")
STATEMENT(SQL_NODE_SESSIONS,
    "SELECT DISTINCT session.session_id, session.title FROM node JOIN session"
    " ON session.key = node.session WHERE node.node_id = ?1 AND "
    "session.flags & 6 = 0 ORDER BY session.key LIMIT 12")
STATEMENT(SQL_NODE_LAST_PLACE, "SELECT coalesce(max(place), -1) FROM node WHERE session = ?1")

STATEMENT(SQL_NODE_RELATIONSHIPS,
    "SELECT (SELECT count(*) FROM " RELATIONSHIP_BY_FROM "session = ?1 AND from_id = ?2)"
    " + (SELECT count(*) FROM " RELATIONSHIP_BY_TO
    "session = ?1 AND to_id = ?2 AND from_id IS NOT ?2)")
STATEMENT(SQL_NODE_COMPONENTS, "SELECT count(*) FROM component WHERE node = ?1 AND flags & 1 = 0")

STATEMENT(SQL_COMPONENT_LIST,
    "SELECT body, flags, key, place, position, component_id, revision, type FROM component"
    " WHERE node = ?1 ORDER BY coalesce(position, place + 1), place")
STATEMENT(SQL_COMPONENT_HEADS,
    "SELECT CASE WHEN flags & 2 THEN body END, flags, key, place, position, component_id, revision"
    " FROM component WHERE node = ?1 ORDER BY coalesce(position, place + 1), place")
/* Of two types, in all nodes. */
STATEMENT(SQL_COMPONENT_OF_TYPES,
    "SELECT component.body, component.flags, node_id, component.place, position, component_id,"
    " component.revision, type FROM node JOIN component ON component.node = node.key"
    " WHERE session = ?1 AND type IN (?2, ?3) AND node.flags & 1 = 0 ORDER BY node.place, rank,"
    " node.key, coalesce(position, component.place + 1), component.place")
STATEMENT(SQL_COMPONENT_BY_KEY, "SELECT body, flags FROM component WHERE key = ?1")
STATEMENT(SQL_COMPONENT_FILE_LIST,
    "SELECT body, flags, position FROM component WHERE node = ?1 ORDER BY place")
STATEMENT(SQL_COMPONENT_INSERT,
    "INSERT INTO component (node, place, position, component_id, revision, type, body, flags)"
    " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)")
STATEMENT(SQL_COMPONENT_UPDATE,
    "UPDATE component SET type = ?2, body = ?3, flags = ?4, position = "
    "?5, revision = ?6 WHERE key = ?1")
STATEMENT(SQL_COMPONENT_PLACE, "UPDATE component SET place = ?2, position = ?3 WHERE key = ?1")
STATEMENT(SQL_COMPONENT_DELETE, "DELETE FROM component WHERE key = ?1")
STATEMENT(SQL_COMPONENT_MOVE, "UPDATE component SET node = ?2, revision = ?3 WHERE key = ?1")


STATEMENT(SQL_RELATIONSHIP_LIST,
    "SELECT body, flags, key, from_id, to_id, type FROM relationship "
    "WHERE session = ?1 ORDER BY place, key")
STATEMENT(SQL_RELATIONSHIP_BY_KEY,
    "SELECT body, place FROM relationship WHERE key = ?1"
    " AND session = ?2 AND flags & 1 = 0")
STATEMENT(SQL_RELATIONSHIP_OF_NODE,
    "SELECT key FROM (SELECT key, place FROM " RELATIONSHIP_BY_FROM
    "session = ?1 AND from_id = ?2 UNION SELECT key, place FROM " RELATIONSHIP_BY_TO
    "session = ?1 AND to_id = ?2) ORDER BY place, key")
STATEMENT(SQL_RELATIONSHIP_BETWEEN,
    "SELECT key, type FROM " RELATIONSHIP_BY_FROM "session = ?1 AND from_id = ?2 AND to_id = ?3"
    " ORDER BY place LIMIT 12")
STATEMENT(SQL_RELATIONSHIP_FIND,
    "SELECT key FROM " RELATIONSHIP_BY_FROM
    "session = ?1 AND from_id = ?2 AND to_id = ?3 AND type = ?4"
    " AND key <> ?5 ORDER BY place LIMIT 1")
STATEMENT(SQL_RELATIONSHIP_NEEDED_BY,
    "SELECT DISTINCT to_id FROM " RELATIONSHIP_BY_FROM "session = ?1 AND from_id = ?2"
    " AND (instr(type, 'PREREQUISITE') > 0 OR (?3 AND type = 'LEADS_TO'))")
STATEMENT(SQL_RELATIONSHIP_PREREQUISITES,
    "SELECT EXISTS (SELECT 1 FROM relationship WHERE session = ?1"
    " AND instr(type, 'PREREQUISITE') > 0)")
STATEMENT(SQL_RELATIONSHIP_INSERT,
    "INSERT INTO relationship (key, session, place, from_id, to_id, type, revision, body, flags)"
    " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)")
STATEMENT(SQL_RELATIONSHIP_UPDATE,
    "UPDATE relationship SET from_id = ?2, to_id = ?3, type = ?4, body = ?5, flags = ?6,"
    " revision = revision + 1 WHERE key = ?1")
STATEMENT(SQL_RELATIONSHIP_DELETE, "DELETE FROM relationship WHERE key = ?1")
STATEMENT(SQL_RELATIONSHIP_LAST_PLACE,
    "SELECT coalesce(max(place), -1) FROM relationship WHERE session = ?1")

STATEMENT(SQL_NODE_MAP_LIST,
    "SELECT node_id, body FROM position WHERE session = ?1 ORDER BY node_id")
STATEMENT(SQL_NODE_MAP_FIND, "SELECT body, 0 FROM position WHERE session = ?1 AND node_id = ?2")
STATEMENT(SQL_NODE_MAP_SET,
    "INSERT INTO position (session, node_id, body) VALUES (?1, ?2, ?3)"
    " ON CONFLICT (session, node_id) DO UPDATE SET body = ?3")
STATEMENT(SQL_NODE_MAP_DELETE, "DELETE FROM position WHERE session = ?1 AND node_id = ?2")

STATEMENT(SQL_ANSWER_FIND, "SELECT fingerprint, status, body FROM answer WHERE call_key = ?1")
STATEMENT(SQL_ANSWER_KEEP,
    "INSERT INTO answer (call_key, fingerprint, status, body, at, session)"
    " VALUES (?1, ?2, ?3, ?4, ?5,"
    " (SELECT key FROM session WHERE session_id = ?6))")
STATEMENT(SQL_ANSWER_AMEND, "UPDATE answer SET body = ?2 WHERE call_key = ?1")
/* A few each time: more than are added, but so few that no call waits. */
STATEMENT(SQL_ANSWER_DROP_OLD,
    "DELETE FROM answer WHERE call_key IN"
    " (SELECT call_key FROM answer WHERE at < ?1 ORDER BY at LIMIT 20)")

STATEMENT(SQL_SECRET_FIND, "SELECT value FROM secret WHERE name = ?1")
STATEMENT(SQL_SECRET_KEEP, "INSERT OR IGNORE INTO secret (name, value) VALUES (?1, ?2)")
/* Changes when another connection, of any process, has committed. */
STATEMENT(SQL_DATA_VERSION, "PRAGMA data_version")
STATEMENT(SQL_ENDED_COUNT, "SELECT count(*) FROM ended_id")
STATEMENT(SQL_ENDED_SINCE,
    "SELECT key, id, ends FROM ended_id WHERE key > ?1 AND ends > ?2 ORDER BY key")
STATEMENT(SQL_ENDED_KEEP, "INSERT OR IGNORE INTO ended_id (id, ends) VALUES (?1, ?2)")
/* A few each time, as of the answers. */
STATEMENT(SQL_ENDED_DROP_OLD,
    "DELETE FROM ended_id WHERE key IN"
    " (SELECT key FROM ended_id WHERE ends <= ?1 ORDER BY ends LIMIT 20)")

STATEMENT(SQL_THREAD_FIND,
    "SELECT key, title, messages, interrupts FROM chat_thread"
    " WHERE session = ?1 AND thread_id = ?2")
STATEMENT(SQL_THREAD_LIST,
    "SELECT thread_id, title, updated_at FROM chat_thread WHERE session = ?1"
    " ORDER BY updated_at DESC, key DESC LIMIT ?2")
STATEMENT(SQL_THREAD_INSERT,
    "INSERT INTO chat_thread (session, thread_id, title, messages, "
    "interrupts, updated_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)")
STATEMENT(SQL_THREAD_UPDATE,
    "UPDATE chat_thread SET messages = ?2, interrupts = ?3, updated_at = ?4"
    " WHERE key = ?1")
STATEMENT(SQL_THREAD_MESSAGES, "SELECT body FROM chat_message WHERE thread = ?1 ORDER BY place")
STATEMENT(SQL_THREAD_MESSAGE_INSERT,
    "INSERT INTO chat_message (thread, place, body) VALUES (?1, ?2, ?3)")

STATEMENT(SQL_TASK_FIND,
    "SELECT key, question, status, attempts, entries, created_at, updated_at FROM task"
    " WHERE task_id = ?2 AND session = ?1")
STATEMENT(SQL_TASK_SESSION,
    "SELECT session.session_id FROM task JOIN session ON session.key = task.session"
    " WHERE task_id = ?1 AND flags & 6 = 0")
STATEMENT(SQL_TASK_LIST,
    "SELECT task_id, question, status, created_at, updated_at, attempts FROM task"
    " WHERE session = ?1 ORDER BY key DESC LIMIT ?2")
STATEMENT(SQL_TASK_INSERT,
    "INSERT INTO task (session, task_id, question, status, attempts, entries, created_at,"
    " updated_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7)")
STATEMENT(SQL_TASK_UPDATE,
    "UPDATE task SET status = ?2, attempts = ?3, entries = ?4, updated_at = ?5 WHERE key = ?1")
STATEMENT(SQL_TASK_ENTRIES, "SELECT body FROM task_entry WHERE task = ?1 ORDER BY place")
STATEMENT(SQL_TASK_ENTRY_INSERT, "INSERT INTO task_entry (task, place, body) VALUES (?1, ?2, ?3)")
/* Those before a time, and the oldest above a number. */
STATEMENT(SQL_TASK_DROP_OLD,
    "DELETE FROM task WHERE key IN (SELECT key FROM task WHERE created_at < ?1"
    " OR key <= (SELECT key FROM task ORDER BY key DESC LIMIT 1 OFFSET ?2)"
    " ORDER BY key LIMIT ?3)")
/* The numbers are the sizes of what the API adds to a body: an id, an order, a revision, a comma.
 * The length of a blob is in bytes. */
STATEMENT(SQL_CONTENT_BYTES,
    "SELECT (SELECT coalesce(sum(length(CAST(body AS BLOB)) + 160), 0) FROM node"
    "  WHERE session = ?1 AND flags & 1 = 0)"
    " + (SELECT coalesce(sum(length(CAST(component.body AS BLOB)) + 100), 0)"
    "  FROM node JOIN component ON component.node = node.key"
    "  WHERE node.session = ?1 AND node.flags & 1 = 0 AND component.flags & 1 = 0)"
    " + (SELECT coalesce(sum(length(CAST(body AS BLOB)) + 80), 0) FROM relationship"
    "  WHERE session = ?1 AND flags & 1 = 0)")

STATEMENT(SQL_CHANGE_INSERT,
    "INSERT INTO change (session, version, change_set, at, who, entity, "
    "entity_id, node_id, op, before, after)"
    " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)")
STATEMENT(SQL_CHANGE_IS_LONG,
    "SELECT count(*) > ?2 FROM (SELECT 1 FROM change WHERE session = ?1 LIMIT ?2 + 1)")
STATEMENT(SQL_CHANGE_WALK,
          CHANGE_COLUMNS "WHERE session = ?1 AND version > ?2"
    " ORDER BY version DESC, key DESC")
STATEMENT(SQL_CHANGE_SET, CHANGE_COLUMNS "WHERE session = ?1 AND change_set = ?2 ORDER BY key DESC")
STATEMENT(SQL_CHANGE_SETS,
    "SELECT change.change_set, version, at, who, rows" CHANGE_SETS
    " ORDER BY last DESC LIMIT ?5")
STATEMENT(SQL_CHANGE_SETS_TOTAL, "SELECT count(*)" CHANGE_SETS)
STATEMENT(SQL_CHANGE_NEWEST,
    "SELECT change_set, who, at, version FROM change WHERE session = ?1"
    " ORDER BY version DESC, key DESC")
STATEMENT(SQL_CHANGE_SET_SUM,
    "SELECT count(*), min(key), min(version), max(version),"
    " max(entity = 'session' AND op IN ('create', 'import'))"
    " FROM change WHERE session = ?1 AND change_set = ?2")
/* The import that a session begins with, unless the log has a change of another writer. */
STATEMENT(SQL_CHANGE_OWN_IMPORT,
    "SELECT change_set, after FROM change WHERE session = ?1 AND entity = 'session'"
    " AND op = 'import'"
    " AND NOT EXISTS (SELECT 1 FROM change WHERE session = ?1 AND who IS NOT ?2)")
STATEMENT(SQL_CHANGE_BEFORE,
    "SELECT coalesce(max(version), 0) FROM change WHERE session = ?1 AND at < ?2")
STATEMENT(SQL_CHANGE_FIRST,
    "SELECT coalesce(max(version), 0) FROM change WHERE session = ?1"
    " AND entity = 'session' AND op IN ('create', 'import')")
/* The last change to a thing after ?2 and outside of ?3; else one to its node. */
STATEMENT(SQL_CHANGE_LATER,
    "SELECT who, version, change_set FROM change WHERE session = ?1 AND key > ?2"
    " AND change_set <> ?3 AND ((entity = ?4 AND entity_id = ?5) OR node_id = ?6)"
    " ORDER BY entity = ?4 AND entity_id = ?5 DESC, entity = 'node' AND op = 'delete' DESC,"
    " key DESC LIMIT 1")
STATEMENT(SQL_CHANGE_REVISION,
    "SELECT coalesce(max(json_extract(before, '$.revision')), 0)"
    " FROM change WHERE session = ?1 AND entity = ?2 AND entity_id = ?3"
    " AND op = 'delete'")
STATEMENT(SQL_CHANGE_UNSHIFTED,
    "SELECT count(*) FROM change WHERE session = ?1 AND version = ?2"
    " AND (op = 'renumber' OR (entity = 'node' AND op = 'delete'))")
/* What belongs to a node that comes or goes is not told apart, nor moves that follow. A component
 * that is deleted in one node and inserted in another has moved. */
STATEMENT(SQL_CHANGE_GROUPS,
    "WITH own AS (SELECT * FROM change WHERE session = ?1 AND change_set = ?2),"
    " moved AS (SELECT entity_id FROM own WHERE entity = 'component'"
    "  AND op IN ('insert', 'delete') GROUP BY entity_id"
    "  HAVING count(DISTINCT op) = 2 AND count(DISTINCT node_id) > 1),"
    " named AS (SELECT key, entity, CASE WHEN entity = 'component' AND op IN ('insert', 'delete')"
    "   AND entity_id IN moved THEN 'move ' || op ELSE op END AS op,"
    "  node_id, entity_id, before, after FROM own"
    "  WHERE op <> 'touch' AND (entity <> 'component' OR"
    "   (node_id NOT IN (SELECT entity_id FROM own WHERE entity = 'node'"
    "     AND op IN ('insert', 'delete') AND entity_id IS NOT NULL)"
    "    AND (op <> 'renumber' OR node_id NOT IN (SELECT node_id FROM own"
    "     WHERE entity = 'component' AND op IN ('insert', 'delete') AND node_id IS NOT NULL)))))"
    " SELECT entity, op, node_id, count(DISTINCT entity_id), coalesce(before, after) FROM named"
    " GROUP BY entity, op, CASE entity WHEN 'position' THEN NULL ELSE node_id END"
    " ORDER BY min(key)")
STATEMENT(SQL_CHANGE_OLD_TITLE,
    "SELECT json_extract(before, '$.node.title') FROM change WHERE session = ?1"
    " AND entity = 'node' AND entity_id = ?2 AND op = 'delete' ORDER BY key DESC LIMIT 1")
/* An insertion with a deletion before it is an undoing: the thing is as old as it was. */
STATEMENT(SQL_CHANGE_REUSED,
    "SELECT count(*) FROM change WHERE session = ?1 AND key > ?2 AND change_set <> ?3"
    " AND entity = 'node' AND op = 'insert' AND entity_id = ?4"
    " AND json_extract(after, '$.key') IN (SELECT key FROM node) AND NOT EXISTS"
    " (SELECT 1 FROM change AS old WHERE old.session = ?1 AND old.key < change.key"
    "  AND old.entity = 'node' AND old.op = 'delete' AND old.entity_id = ?4"
    "  AND json_extract(old.before, '$.key') = json_extract(change.after, '$.key'))")
STATEMENT(SQL_CHANGE_GONE,
    "SELECT count(*) FROM change WHERE session = ?1 AND key > ?2"
    " AND change_set <> ?3 AND entity = 'node' AND op = 'delete'"
    " AND entity_id = ?4")
STATEMENT(SQL_CHANGE_REPEATED,
    "SELECT count(*) FROM change WHERE session = ?1 AND key > ?2"
    " AND change_set <> ?3 AND entity = 'relationship' AND op = 'insert'"
    " AND entity_id = ?4 AND NOT EXISTS (SELECT 1 FROM change AS old"
    "  WHERE old.session = ?1 AND old.key < change.key"
    "  AND old.entity = 'relationship' AND old.op = 'delete'"
    "  AND old.entity_id = ?4)")

STATEMENT(SQL_UNDONE_FIND, "SELECT by_set FROM undone WHERE session = ?1 AND change_set = ?2")
STATEMENT(SQL_UNDONE_SET,
    "INSERT OR REPLACE INTO undone (session, change_set, by_set)"
    " VALUES (?1, ?2, ?3)")
STATEMENT(SQL_UNDONE_IS_UNDOING, "SELECT count(*) FROM undone WHERE session = ?1 AND by_set = ?2")

/* ---- the search: a row is node << 31, for a component | its key ---- */
STATEMENT(SQL_SEARCH_FORM, "SELECT version FROM search_form")
STATEMENT(SQL_SEARCH_FORM_DROP, "DELETE FROM search_form")
STATEMENT(SQL_SEARCH_FORM_SET, "INSERT INTO search_form (version) VALUES (?1)")
STATEMENT(SQL_SEARCH_DROP_TERMS, "DROP TABLE IF EXISTS search_term")
STATEMENT(SQL_SEARCH_DROP_ROWS, "DROP TABLE IF EXISTS search_row")
STATEMENT(SQL_SEARCH_DROP, "DROP TABLE IF EXISTS search")
/* The terms are made by us; the tokenizer only splits them at spaces. */
STATEMENT(SQL_SEARCH_CREATE,
    "CREATE VIRTUAL TABLE search USING fts5(head, term, words, columnsize = 0, tokenize ="
    " \"unicode61 remove_diacritics 0 categories 'L* M* N* S* P* Co'\")")
/* A setting, or "merge" and "optimize" with their amount. */
STATEMENT(SQL_SEARCH_SET, "INSERT INTO search (search, rank) VALUES (?1, ?2)")
STATEMENT(SQL_SEARCH_CREATE_TERMS, "CREATE VIRTUAL TABLE search_term USING fts5vocab(search, row)")
STATEMENT(SQL_SEARCH_CREATE_ROWS,
    "CREATE TABLE search_row (row INTEGER PRIMARY KEY, words INTEGER NOT NULL) STRICT")
STATEMENT(SQL_SEARCH_STALE_ALL,
    "INSERT OR IGNORE INTO search_stale SELECT key << 31 FROM node"
    " UNION ALL SELECT (node << 31) | key FROM component")
STATEMENT(SQL_SEARCH_STALE, "SELECT row FROM search_stale ORDER BY row LIMIT ?1")
STATEMENT(SQL_SEARCH_STALE_DROP, "DELETE FROM search_stale WHERE row <= ?1")
STATEMENT(SQL_SEARCH_STALE_ANY, "SELECT EXISTS (SELECT 1 FROM search_stale)")
/* Rows of a node that was deleted count for each session. */
STATEMENT(SQL_SEARCH_STALE_IN,
    "SELECT EXISTS (SELECT 1 FROM search_stale LEFT JOIN node ON node.key = row >> 31"
    " WHERE node.session IS NULL OR node.session = ?1)")
STATEMENT(SQL_SEARCH_HAS, "SELECT count(*) FROM search_row WHERE row = ?1")
STATEMENT(SQL_SEARCH_DELETE, "DELETE FROM search WHERE rowid = ?1")
STATEMENT(SQL_SEARCH_ROW_DELETE, "DELETE FROM search_row WHERE row = ?1")
STATEMENT(SQL_SEARCH_INSERT,
    "INSERT INTO search (rowid, head, term, words) VALUES (?1, ?2, ?3, ?4)")
STATEMENT(SQL_SEARCH_ROW_INSERT, "INSERT INTO search_row (row, words) VALUES (?1, ?2)")
STATEMENT(SQL_SEARCH_NODE, "SELECT body, flags, session FROM node WHERE key = ?1 AND flags & 1 = 0")
STATEMENT(SQL_SEARCH_COMPONENT,
    "SELECT component.body, component.flags, node.session, type FROM component"
    " JOIN node ON node.key = component.node WHERE component.key = ?1 AND component.node = ?2"
    " AND component.flags & 1 = 0")
/* Bodies that show the language of a session. */
STATEMENT(SQL_SEARCH_SAMPLE,
    "SELECT component.body FROM node JOIN component ON component.node = node.key"
    " WHERE node.session = ?1 ORDER BY node.place LIMIT ?2")
STATEMENT(SQL_SEARCH_TERM, "SELECT coalesce(sum(doc), 0) FROM search_term WHERE term = ?1")
STATEMENT(SQL_SEARCH_MATCH,
    "SELECT search_hit(search) FROM search WHERE search MATCH ?1 AND rowid BETWEEN ?2 AND ?3")
STATEMENT(SQL_SEARCH_HIT,
    "SELECT body, flags, type, component_id, coalesce(position, place + 1) FROM component"
    " WHERE key = ?1")
STATEMENT(SQL_SEARCH_LESSON, "SELECT body, flags, node_id, title FROM node WHERE key = ?1")
STATEMENT(SQL_SEARCH_LESSONS,
    "SELECT key, node_id, coalesce(last_modified, '') FROM node"
    " WHERE session = ?1 AND flags & 1 = 0 ORDER BY place, rank, key")
STATEMENT(SQL_SEARCH_LESSON_WORDS,
    "SELECT coalesce(sum(words), 0) FROM search_row WHERE row BETWEEN ?1 AND ?2")
STATEMENT(SQL_SEARCH_HAS_RELATIONSHIP,
    "SELECT (SELECT count(*) FROM " RELATIONSHIP_BY_FROM "session = ?1 AND from_id = ?2"
    "  AND (?3 IS NULL OR type = ?3))"
    " + (SELECT count(*) FROM " RELATIONSHIP_BY_TO "session = ?1 AND to_id = ?2"
    "  AND (?3 IS NULL OR type = ?3))")
STATEMENT(SQL_SEARCH_LINKS,
    "SELECT count(*) FROM " RELATIONSHIP_BY_FROM "session = ?1 AND from_id = ?2"
    " AND to_id LIKE ?3")
STATEMENT(SQL_SEARCH_HAS_TYPE,
    "SELECT count(*) FROM component WHERE node = ?1 AND type = ?2 AND flags & 1 = 0")

/* 2 in a session's flags is SESSION_GONE. */
STATEMENT(SQL_MIRROR_SESSIONS,
    "SELECT session_id,"
    " (SELECT count(*) FROM node WHERE node.session = session.key AND flags & 1 = 0),"
    " (SELECT count(*) FROM relationship WHERE relationship.session = session.key AND flags & "
    "1 = 0),"
    " flags & 2 FROM session ORDER BY key")
STATEMENT(SQL_MIRROR_SESSION_TITLE,
    "UPDATE session SET title = ?2 WHERE session_id = ?1 AND title <> ?2")
STATEMENT(SQL_MIRROR_SESSION_GONE, "UPDATE session SET flags = flags & ~2 | ?2 WHERE session_id = ?1")
STATEMENT(SQL_MIRROR_NAME,
    "SELECT theirs FROM upstream_name WHERE session = (SELECT key FROM session "
    "WHERE session_id = ?1) AND kind = ?2 AND ours = ?3")
STATEMENT(SQL_MIRROR_NAME_SET,
    "INSERT INTO upstream_name (session, kind, ours, theirs)"
    " SELECT key, ?2, ?3, ?4 FROM session WHERE session_id = ?1"
    " ON CONFLICT (session, kind, ours) DO UPDATE SET theirs = excluded.theirs")
STATEMENT(SQL_MIRROR_NAME_DROP,
    "DELETE FROM upstream_name WHERE session = (SELECT key FROM session "
    "WHERE session_id = ?1) AND kind = ?2 AND ours = ?3")
STATEMENT(SQL_MIRROR_NODE_TIMES,
    "UPDATE node SET created_at = coalesce(?2, created_at), last_modified = coalesce(?3, "
    "last_modified) WHERE key = ?1 AND (created_at IS NOT coalesce(?2, created_at) OR "
    "last_modified IS NOT coalesce(?3, last_modified))")
STATEMENT(SQL_MIRROR_RELATIONSHIPS,
    "SELECT key, body, place, from_id, to_id, type, (SELECT theirs FROM "
    "upstream_name WHERE upstream_name.session = ?1 AND kind = "
    "'relationship' AND ours = CAST(relationship.key AS TEXT))"
    " FROM relationship WHERE session = ?1 AND flags & 1 = 0"
    " ORDER BY place")
STATEMENT(SQL_MIRROR_RELATIONSHIP, "SELECT body FROM relationship WHERE key = ?1")
STATEMENT(SQL_MIRROR_NODE_MAP,
    "SELECT node_id, body FROM position WHERE session = (SELECT key FROM "
    "session WHERE session_id = ?1)")
STATEMENT(SQL_MIRROR_LAST_CHANGE, "SELECT coalesce(max(key), 0) FROM change")
STATEMENT(SQL_MIRROR_CHANGED,
    "SELECT DISTINCT node_id FROM (SELECT node_id FROM change WHERE session = (SELECT key FROM "
    "session WHERE session_id = ?1) AND (?2 IS NULL OR change_set = ?2) ORDER BY key DESC"
    " LIMIT ?3) WHERE node_id IS NOT NULL")
STATEMENT(SQL_MIRROR_TOUCHED,
    "SELECT session_id, entity, entity_id, node_id, op, json_extract(before, '$.node_id')"
    " FROM change JOIN session ON session.key = change.session WHERE change.key > ?1"
    " AND NOT (who = 'outside' AND change_set LIKE 'outside %') ORDER BY change.key")

/* ---- learners (mcp/learner/learners.c): the schema DB_LEARNERS ---- */

STATEMENT(SQL_LEARNER_INSERT,
    "INSERT INTO learner (learner_id, name, goal_session, goal_node, tier, created)"
    " VALUES (?1, ?2, ?3, ?4, ?5, ?6)")
STATEMENT(SQL_LEARNER_FIND, "SELECT key FROM learner WHERE learner_id = ?1")
/* Of one learner, or of all (NULL). */
STATEMENT(SQL_LEARNER_READ,
    "SELECT learner_id, name, goal_session, goal_node, tier, created,"
    " (SELECT count(*) FROM evidence WHERE evidence.learner = learner.key),"
    " (SELECT count(*) FROM submission WHERE submission.learner = learner.key),"
    " (SELECT count(*) FROM submission WHERE submission.learner = learner.key AND result IS NULL)"
    " FROM learner WHERE ?1 IS NULL OR learner_id = ?1 ORDER BY key")
STATEMENT(SQL_LEARNER_SET_TIER, "UPDATE learner SET tier = ?2 WHERE key = ?1")
STATEMENT(SQL_LEARNER_SET_GOAL,
    "UPDATE learner SET goal_session = ?2, goal_node = ?3 WHERE key = ?1")
STATEMENT(SQL_LEARNER_DELETE, "DELETE FROM learner WHERE key = ?1")
STATEMENT(SQL_LEARNER_ERASED_NOTE, "INSERT INTO erased (learner_id) VALUES (?1)")
STATEMENT(SQL_LEARNER_ERASED_FIND, "SELECT count(*) FROM erased WHERE learner_id = ?1")
STATEMENT(SQL_LEARNER_ERASED_DROP, "DELETE FROM erased WHERE learner_id = ?1")
STATEMENT(SQL_LEARNER_BACKUP_NOTE,
    "INSERT INTO backup (path, time) VALUES (?1, ?2)"
    " ON CONFLICT (path) DO UPDATE SET time = excluded.time")
STATEMENT(SQL_LEARNER_BACKUPS, "SELECT path FROM backup ORDER BY time, path")
STATEMENT(SQL_EVIDENCE_INSERT,
    "INSERT INTO evidence (learner, session_id, node_id, kind, item, hints, note, time)"
    " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)")
/* Of a submission (?1). */
STATEMENT(SQL_EVIDENCE_INSERT_GRADED,
    "INSERT INTO evidence (learner, session_id, node_id, kind, item, hints, note, time, submission)"
    " SELECT learner, session_id, node_id, ?2, item, hints, ?3, time, key FROM submission"
    " WHERE key = ?1")
/* Of a learner, and of one session and node, or of all (NULL). */
STATEMENT(SQL_EVIDENCE_READ,
    "SELECT session_id, node_id, kind, item, hints, note, time, submission FROM evidence"
    " WHERE learner = ?1"
    " AND (?2 IS NULL OR session_id = ?2) AND (?3 IS NULL OR node_id = ?3) ORDER BY time, key")
STATEMENT(SQL_SUBMISSION_INSERT,
    "INSERT INTO submission (learner, session_id, node_id, item, text, digest, hints, time)"
    " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)")
STATEMENT(SQL_SUBMISSION_SAME,
    "SELECT key, result FROM submission WHERE learner = ?1 AND session_id = ?2 AND item = ?3"
    " AND digest = ?4 AND time >= ?5 ORDER BY key DESC LIMIT 1")
/* Returns a row if it had no result before. */
STATEMENT(SQL_SUBMISSION_GRADE,
    "UPDATE submission SET result = ?2 WHERE key = ?1 AND result IS NULL RETURNING key")
STATEMENT(SQL_SUBMISSION_FIND, "SELECT key FROM submission WHERE key = ?1")
STATEMENT(SQL_SUBMISSION_RESULT,
    "SELECT result FROM submission WHERE key = ?1 AND result IS NOT NULL")
STATEMENT(SQL_SUBMISSION_PENDING,
    "SELECT submission.key, learner_id, session_id, node_id, item, text, digest, hints, time"
    " FROM submission JOIN learner ON learner.key = submission.learner"
    " WHERE result IS NULL ORDER BY submission.key")
STATEMENT(SQL_SUBMISSION_WITHDRAW, "DELETE FROM submission WHERE key = ?1 AND result IS NULL")
STATEMENT(SQL_SUBMISSION_LATEST,
    "SELECT result FROM submission WHERE learner = ?1 AND session_id = ?2 AND item = ?3"
    " AND result IS NOT NULL ORDER BY time DESC, key DESC LIMIT 1")
STATEMENT(SQL_SUBMISSION_COUNT,
    "SELECT count(*) FROM submission WHERE learner = ?1 AND time >= ?2")
STATEMENT(SQL_SUBMISSION_READ,
    "SELECT key, session_id, node_id, item, text, digest, hints, time, result FROM submission"
    " WHERE learner = ?1 ORDER BY key")
STATEMENT(SQL_HINT_INSERT,
    "INSERT INTO hint (learner, session_id, item, level, time) VALUES (?1, ?2, ?3, ?4, ?5)")
STATEMENT(SQL_HINT_COUNT,
    "SELECT count(DISTINCT level) FROM hint WHERE learner = ?1 AND session_id = ?2 AND item = ?3"
    " AND time >= ?4")
STATEMENT(SQL_HINT_READ,
    "SELECT session_id, item, level, time FROM hint WHERE learner = ?1 ORDER BY key")

#undef STATEMENT
#undef CHANGE_COLUMNS
#undef CHANGE_SETS
#undef RELATIONSHIP_BY_FROM
#undef RELATIONSHIP_BY_TO
/* clang-format on */
