/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Keys are surrogate integers and nothing but they and the service's own ids is unique, because an
 * import keeps what breaks the contract: node ids that repeat or are missing, relationships that
 * dangle, orders that repeat, entries that are no objects. PRAGMA user_version counts the
 * migrations that a file has had.
 *
 * The log of evidence about learners names curricula by ids, without foreign keys: they are in
 * another database, and deleting a lesson loses no evidence. Triggers keep it append-only.
 */
#include "mcp/store/sqlite/sqlite_internal.h"

#include <stddef.h>

static const char *const curricula[] = {
    /* 1: sessions, nodes, components, relationships, and the log of their changes. */
    "CREATE TABLE session ("
    "  key INTEGER PRIMARY KEY AUTOINCREMENT,"
    "  session_id TEXT NOT NULL UNIQUE,"
    "  title TEXT NOT NULL,"
    "  version INTEGER NOT NULL," /* the cursor: rises by one with each write */
    "  flags INTEGER NOT NULL,"
    "  further TEXT NOT NULL," /* JSON object: the top level of the file but for nodes and
                                  relationships */
    "  created_at TEXT NOT NULL,"
    "  last_modified TEXT NOT NULL) STRICT;"
    "CREATE TABLE node ("
    "  key INTEGER PRIMARY KEY AUTOINCREMENT,"
    "  session INTEGER NOT NULL REFERENCES session ON DELETE CASCADE,"
    "  place INTEGER NOT NULL,"
    "  node_id TEXT, title TEXT, grouping ANY,"
    "  revision INTEGER NOT NULL,"
    "  cursor INTEGER NOT NULL," /* the session's version at the last write to the node or its
                                    components */
    "  created_at TEXT, last_modified TEXT,"
    "  body TEXT NOT NULL,"
    "  flags INTEGER NOT NULL) STRICT;"
    "CREATE INDEX node_by_place ON node (session, place);"
    "CREATE INDEX node_by_id ON node (node_id, session, place);"
    "CREATE TABLE component ("
    "  key INTEGER PRIMARY KEY AUTOINCREMENT,"
    "  node INTEGER NOT NULL REFERENCES node ON DELETE CASCADE,"
    "  place INTEGER NOT NULL,"
    "  position ANY," /* the order it says it has; NULL: the place tells */
    "  component_id TEXT NOT NULL UNIQUE,"
    "  revision INTEGER NOT NULL,"
    "  type TEXT,"
    "  body TEXT NOT NULL,"
    "  flags INTEGER NOT NULL) STRICT;"
    "CREATE INDEX component_by_place ON component (node, place);"
    "CREATE TABLE relationship ("
    "  key INTEGER PRIMARY KEY AUTOINCREMENT,"
    "  session INTEGER NOT NULL REFERENCES session ON DELETE CASCADE,"
    "  place INTEGER NOT NULL,"
    "  from_id TEXT, to_id TEXT, type TEXT,"
    "  revision INTEGER NOT NULL,"
    "  body TEXT NOT NULL,"
    "  flags INTEGER NOT NULL) STRICT;"
    "CREATE INDEX relationship_by_place ON relationship (session, place);"
    "CREATE INDEX relationship_by_from ON relationship (session, from_id);"
    "CREATE INDEX relationship_by_to ON relationship (session, to_id);"
    "CREATE TABLE change ("
    "  key INTEGER PRIMARY KEY AUTOINCREMENT,"
    "  session INTEGER NOT NULL REFERENCES session ON DELETE CASCADE,"
    "  version INTEGER NOT NULL,"
    "  change_set TEXT NOT NULL,"
    "  at TEXT NOT NULL,"
    "  who TEXT NOT NULL,"
    "  entity TEXT NOT NULL," /* session, node, component, relationship */
    "  entity_id TEXT,"
    "  op TEXT NOT NULL,"
    "  before TEXT, after TEXT) STRICT;"
    "CREATE INDEX change_by_version ON change (session, version);"
    "CREATE INDEX change_by_set ON change (session, change_set);",
    /* 2: whose component a change is of; what was undone; canvas positions; answers to calls that
     * carried a key; what a service that is the truth calls our things. From here on a change keeps
     * what was there before: what came after is the next change's before, or what is there now. */
    "DROP INDEX node_by_place;"
    "CREATE INDEX node_by_place ON node (session, place, flags);"
    "DROP INDEX component_by_place;"
    "CREATE INDEX component_by_place ON component (node, place, flags);"
    "DROP INDEX relationship_by_place;"
    "CREATE INDEX relationship_by_place ON relationship (session, place, flags);"
    "ALTER TABLE change ADD COLUMN node_id TEXT;"
    "CREATE INDEX change_by_entity ON change (session, entity, entity_id);"
    "CREATE TABLE undone ("
    "  session INTEGER NOT NULL REFERENCES session ON DELETE CASCADE,"
    "  change_set TEXT NOT NULL,"
    "  by_set TEXT NOT NULL," /* the change set that undid it */
    "  PRIMARY KEY (session, change_set)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE position ("
    "  session INTEGER NOT NULL REFERENCES session ON DELETE CASCADE,"
    "  node_id TEXT NOT NULL,"
    "  body TEXT NOT NULL,"
    "  PRIMARY KEY (session, node_id)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE answer ("
    "  call_key TEXT PRIMARY KEY,"
    "  fingerprint TEXT NOT NULL," /* of the call: a key is good for one */
    "  status INTEGER NOT NULL,"
    "  body TEXT NOT NULL,"
    "  at INTEGER NOT NULL) STRICT;" /* Unix time, seconds */
    "CREATE INDEX answer_by_time ON answer (at);"
    "CREATE TABLE upstream_name ("
    "  session INTEGER NOT NULL REFERENCES session ON DELETE CASCADE,"
    "  kind TEXT NOT NULL,"
    "  ours TEXT NOT NULL,"
    "  theirs TEXT NOT NULL,"
    "  PRIMARY KEY (session, kind, ours)) STRICT, WITHOUT ROWID;",
    /* 3: conversations of the chat. A thread's id is its client's, and good in its session. */
    "CREATE TABLE chat_thread ("
    "  key INTEGER PRIMARY KEY AUTOINCREMENT,"
    "  session INTEGER NOT NULL REFERENCES session ON DELETE CASCADE,"
    "  thread_id TEXT NOT NULL,"
    "  title TEXT NOT NULL,"
    "  messages INTEGER NOT NULL," /* how many there are */
    "  interrupts TEXT NOT NULL,"  /* JSON array: the approvals that are open */
    "  updated_at TEXT NOT NULL,"
    "  UNIQUE (session, thread_id)) STRICT;"
    "CREATE INDEX chat_thread_by_time ON chat_thread (session, updated_at);"
    "CREATE TABLE chat_message ("
    "  key INTEGER PRIMARY KEY,"
    "  thread INTEGER NOT NULL REFERENCES chat_thread ON DELETE CASCADE,"
    "  place INTEGER NOT NULL," /* 0, 1, 2, ... */
    "  body TEXT NOT NULL) STRICT;"
    "CREATE UNIQUE INDEX chat_message_by_place ON chat_message (thread, place);",
    /* 4: a number that rises with each change to what an outline shows, and with no other. Triggers
     * keep it, so that no write can forget it. */
    "CREATE TABLE graph_version ("
    "  session INTEGER PRIMARY KEY REFERENCES session ON DELETE CASCADE,"
    "  version INTEGER NOT NULL) STRICT;"
    "INSERT INTO graph_version (session, version) SELECT key, 0 FROM session;"
    "CREATE TRIGGER graph_of_session AFTER INSERT ON session BEGIN"
    "  INSERT INTO graph_version (session, version) VALUES (new.key, 0); END;"
    "CREATE TRIGGER graph_by_node_insert AFTER INSERT ON node BEGIN"
    "  UPDATE graph_version SET version = version + 1 WHERE session = new.session; END;"
    "CREATE TRIGGER graph_by_node_delete AFTER DELETE ON node BEGIN"
    "  UPDATE graph_version SET version = version + 1 WHERE session = old.session; END;"
    "CREATE TRIGGER graph_by_node_update AFTER UPDATE OF node_id, title, grouping, place ON node"
    "  WHEN old.node_id IS NOT new.node_id OR old.title IS NOT new.title"
    "    OR old.grouping IS NOT new.grouping OR old.place <> new.place BEGIN"
    "  UPDATE graph_version SET version = version + 1 WHERE session = new.session; END;"
    "CREATE TRIGGER graph_by_component_insert AFTER INSERT ON component BEGIN"
    "  UPDATE graph_version SET version = version + 1"
    "  WHERE session = (SELECT session FROM node WHERE key = new.node); END;"
    "CREATE TRIGGER graph_by_component_delete AFTER DELETE ON component BEGIN"
    "  UPDATE graph_version SET version = version + 1"
    "  WHERE session = (SELECT session FROM node WHERE key = old.node); END;"
    "CREATE TRIGGER graph_by_component_update AFTER UPDATE OF node, flags ON component"
    "  WHEN old.node <> new.node OR old.flags & 1 <> new.flags & 1 BEGIN"
    "  UPDATE graph_version SET version = version + 1"
    "  WHERE session = (SELECT session FROM node WHERE key = new.node); END;"
    "CREATE TRIGGER graph_by_relationship_insert AFTER INSERT ON relationship BEGIN"
    "  UPDATE graph_version SET version = version + 1 WHERE session = new.session; END;"
    "CREATE TRIGGER graph_by_relationship_delete AFTER DELETE ON relationship BEGIN"
    "  UPDATE graph_version SET version = version + 1 WHERE session = old.session; END;"
    "CREATE TRIGGER graph_by_relationship_update"
    "  AFTER UPDATE OF from_id, to_id, type, place, flags ON relationship"
    "  WHEN old.from_id IS NOT new.from_id OR old.to_id IS NOT new.to_id"
    "    OR old.type IS NOT new.type OR old.place <> new.place"
    "    OR old.flags & 1 <> new.flags & 1 BEGIN"
    "  UPDATE graph_version SET version = version + 1 WHERE session = new.session; END;",
    /* 5: sessions can be deleted. Kept answers go with their session. Of a deleted session only
     * this row stays: its version keeps the sum of all versions rising, which is an ETag. */
    "ALTER TABLE answer ADD COLUMN session INTEGER REFERENCES session ON DELETE CASCADE;"
    "CREATE TABLE deleted_session ("
    "  session_id TEXT NOT NULL,"
    "  version INTEGER NOT NULL," /* one above its last */
    "  at TEXT NOT NULL,"
    "  who TEXT NOT NULL) STRICT;"
    "CREATE INDEX deleted_session_by_id ON deleted_session (session_id);",
    /* 6: keys that all servers on this file share, and ids under them that were ended early. */
    "CREATE TABLE secret ("
    "  name TEXT PRIMARY KEY,"
    "  value TEXT NOT NULL) STRICT, WITHOUT ROWID;" /* in hex */
    "CREATE TABLE ended_id ("
    "  key INTEGER PRIMARY KEY AUTOINCREMENT,"
    "  id TEXT NOT NULL UNIQUE,"
    "  ends INTEGER NOT NULL) STRICT;" /* Unix time, seconds: then it ends by itself */
    "CREATE INDEX ended_id_by_end ON ended_id (ends);",
    /* 7: what the search must read again before the commit (mcp/store/search/search_index.c). A row
     * is node << 31, for a component | its key. Triggers keep it, so that no write can forget it.
     */
    "CREATE TABLE search_form (version INTEGER NOT NULL) STRICT;"
    "CREATE TABLE search_stale (row INTEGER PRIMARY KEY) STRICT;"
    "CREATE TRIGGER search_by_node_insert AFTER INSERT ON node BEGIN"
    "  INSERT OR IGNORE INTO search_stale VALUES (new.key << 31); END;"
    "CREATE TRIGGER search_by_node_delete AFTER DELETE ON node BEGIN"
    "  INSERT OR IGNORE INTO search_stale VALUES (old.key << 31); END;"
    "CREATE TRIGGER search_by_node_update AFTER UPDATE OF body, title, session ON node"
    "  WHEN old.body IS NOT new.body OR old.title IS NOT new.title BEGIN"
    "  INSERT OR IGNORE INTO search_stale VALUES (new.key << 31); END;"
    "CREATE TRIGGER search_by_component_insert AFTER INSERT ON component BEGIN"
    "  INSERT OR IGNORE INTO search_stale VALUES ((new.node << 31) | new.key); END;"
    "CREATE TRIGGER search_by_component_delete AFTER DELETE ON component BEGIN"
    "  INSERT OR IGNORE INTO search_stale VALUES ((old.node << 31) | old.key); END;"
    "CREATE TRIGGER search_by_component_update AFTER UPDATE OF node, type, body, flags ON component"
    "  WHEN old.node <> new.node OR old.type IS NOT new.type OR old.body IS NOT new.body"
    "    OR old.flags & 1 <> new.flags & 1 BEGIN"
    "  INSERT OR IGNORE INTO search_stale VALUES ((old.node << 31) | old.key),"
    "    ((new.node << 31) | new.key); END;",
    /* 8: a node may be inserted behind another one: it gets the same place and a rank behind it, so
     * that the places in the change log stay valid. */
    "ALTER TABLE node ADD COLUMN rank INTEGER NOT NULL DEFAULT 0;",
    /* 9: tasks of mcp/agent, each with its entries. */
    "CREATE TABLE task ("
    "  key INTEGER PRIMARY KEY AUTOINCREMENT,"
    "  session INTEGER NOT NULL REFERENCES session ON DELETE CASCADE,"
    "  task_id TEXT NOT NULL UNIQUE,"
    "  question TEXT NOT NULL,"
    "  status TEXT," /* of its answer; NULL: it has none */
    "  attempts INTEGER NOT NULL,"
    "  entries INTEGER NOT NULL," /* how many there are */
    "  created_at TEXT NOT NULL, updated_at TEXT NOT NULL) STRICT;"
    "CREATE INDEX task_by_session ON task (session);"
    "CREATE INDEX task_by_time ON task (created_at);"
    "CREATE TABLE task_entry ("
    "  key INTEGER PRIMARY KEY,"
    "  task INTEGER NOT NULL REFERENCES task ON DELETE CASCADE,"
    "  place INTEGER NOT NULL," /* 0, 1, 2, ... */
    "  body TEXT NOT NULL) STRICT;"
    "CREATE UNIQUE INDEX task_entry_by_place ON task_entry (task, place);",
};

static const char *const learners[] = {
    /* 1: learners, their submissions, the hints that they got, and the log of evidence. Times are
     * in seconds since 1970. */
    "CREATE TABLE learner ("
    "  key INTEGER PRIMARY KEY AUTOINCREMENT,"
    "  learner_id TEXT NOT NULL UNIQUE,"
    "  name TEXT NOT NULL,"
    "  goal_session TEXT, goal_node TEXT,"
    "  tier TEXT,"
    "  created INTEGER NOT NULL) STRICT;"
    "CREATE TABLE submission ("
    "  key INTEGER PRIMARY KEY AUTOINCREMENT,"
    "  learner INTEGER NOT NULL REFERENCES learner ON DELETE CASCADE,"
    "  session_id TEXT NOT NULL, node_id TEXT NOT NULL, item TEXT NOT NULL,"
    "  text TEXT NOT NULL,"
    "  digest TEXT NOT NULL,"
    "  hints INTEGER NOT NULL,"
    "  time INTEGER NOT NULL,"
    "  result TEXT) STRICT;" /* JSON; NULL until it is graded */
    "CREATE INDEX submission_by_digest ON submission (learner, item, digest);"
    "CREATE INDEX submission_by_time ON submission (learner, time);"
    "CREATE INDEX submission_pending ON submission (key) WHERE result IS NULL;"
    "CREATE TRIGGER submission_is_graded_once BEFORE UPDATE ON submission"
    "  WHEN old.result IS NOT NULL BEGIN"
    "  SELECT RAISE(ABORT, 'a submission is graded once'); END;"
    "CREATE TABLE evidence ("
    "  key INTEGER PRIMARY KEY AUTOINCREMENT,"
    "  learner INTEGER NOT NULL REFERENCES learner ON DELETE CASCADE,"
    "  session_id TEXT NOT NULL, node_id TEXT NOT NULL,"
    "  kind TEXT NOT NULL," /* of evidence_kinds, mcp/learner/knowledge.h */
    "  item TEXT,"
    "  hints INTEGER NOT NULL,"
    "  note TEXT,"
    "  time INTEGER NOT NULL,"
    "  submission INTEGER UNIQUE REFERENCES submission) STRICT;"
    "CREATE INDEX evidence_by_time ON evidence (learner, session_id, node_id, time);"
    "CREATE TRIGGER evidence_is_not_changed BEFORE UPDATE ON evidence BEGIN"
    "  SELECT RAISE(ABORT, 'evidence is append-only'); END;"
    "CREATE TRIGGER evidence_goes_with_its_learner BEFORE DELETE ON evidence"
    "  WHEN EXISTS (SELECT 1 FROM learner WHERE key = old.learner) BEGIN"
    "  SELECT RAISE(ABORT, 'evidence is append-only'); END;"
    "CREATE TABLE hint ("
    "  key INTEGER PRIMARY KEY AUTOINCREMENT,"
    "  learner INTEGER NOT NULL REFERENCES learner ON DELETE CASCADE,"
    "  session_id TEXT NOT NULL, item TEXT NOT NULL,"
    "  level INTEGER NOT NULL,"
    "  time INTEGER NOT NULL) STRICT;"
    "CREATE INDEX hint_by_item ON hint (learner, session_id, item);"
    /* Learners whose rows are deleted, but whose bytes may still be in the files. */
    "CREATE TABLE erased (learner_id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;"
    "CREATE TABLE backup (path TEXT PRIMARY KEY, time INTEGER NOT NULL) STRICT, WITHOUT ROWID;",
};

#define MIGRATIONS(list) .migrations = (list), .newest = sizeof(list) / sizeof(list)[0]
const struct sqlite_schema sqlite_schemas[DB_SCHEMA_COUNT] = {
    [DB_CURRICULA] = {.application_id = 0x4C656374, /* "Lect" */
                      .made_by = "lectern import FILE or lectern serve",
                      MIGRATIONS(curricula)},
    [DB_LEARNERS] = {.application_id = 0x4C65636C, /* "Lecl" */
                     .made_by = "lectern learner add NAME",
                     .secure_delete = true,
                     MIGRATIONS(learners)},
};

/* A pragma's or a count's one number; -1 with err where it cannot be had. */
static int read_number(sqlite3 *db, const char *sql, const char *path, int *number,
                       struct error *err)
{
    sqlite3_stmt *statement = NULL;
    int rc = -1;

    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW) {
        *number = sqlite3_column_int(statement, 0);
        rc = 0;
    } else {
        enum error_kind kind = sqlite3_errcode(db) == SQLITE_BUSY ? ERROR_BUSY : ERROR_IO;

        error_set(err, kind, "cannot read the store %s: %s", path, sqlite3_errmsg(db));
    }
    sqlite3_finalize(statement);
    return rc;
}

/* In a transaction, so that the three belong together while another process writes the schema. */
static int read_version(const struct sqlite_db *base, const char *path, int *version,
                        struct error *err)
{
    const struct sqlite_schema *schema = base->schema;
    sqlite3 *db = base->handle;
    int application, tables;

    if (read_number(db, "PRAGMA application_id", path, &application, err) < 0 ||
        read_number(db, "PRAGMA user_version", path, version, err) < 0 ||
        read_number(db, "SELECT count(*) FROM sqlite_master", path, &tables, err) < 0)
        return -1;
    if (application != schema->application_id && (application != 0 || tables > 0))
        return error_set(err, ERROR_INVALID,
                         "%s is a database of another program, choose another path for the store",
                         path);
    if (*version > schema->newest)
        return error_set(
            err, ERROR_UNAVAILABLE,
            "the store %s was written by a newer version of this program (form %d, known %d)", path,
            *version, schema->newest);
    return 0;
}

static int look_up_version(const struct sqlite_db *db, const char *path, int *version,
                           struct error *err)
{
    int rc;

    if (sqlite3_exec(db->handle, "BEGIN", NULL, NULL, NULL) != SQLITE_OK)
        return error_set(err, ERROR_IO, "cannot read the store %s: %s", path,
                         sqlite3_errmsg(db->handle));
    rc = read_version(db, path, version, err);
    sqlite3_exec(db->handle, "ROLLBACK", NULL, NULL, NULL);
    return rc;
}

int sqlite_check_schema(const struct sqlite_db *db, const char *path, bool older, struct error *err)
{
    int version = 0;

    if (look_up_version(db, path, &version, err) != 0)
        return -1;
    if (version < db->schema->newest && !older)
        return error_set(
            err, ERROR_UNAVAILABLE,
            "the store %s is of form %d, not %d: open it once for writing (lectern serve)", path,
            version, db->schema->newest);
    return 0;
}

static int migrate_from(sqlite3 *db, const struct sqlite_schema *schema, int version)
{
    char mark[96];

    for (int i = version; i < schema->newest; i++)
        if (sqlite3_exec(db, schema->migrations[i], NULL, NULL, NULL) != SQLITE_OK)
            return -1;
    sqlite3_snprintf(sizeof mark, mark, "PRAGMA application_id = %d; PRAGMA user_version = %d",
                     schema->application_id, schema->newest);
    return sqlite3_exec(db, mark, NULL, NULL, NULL) == SQLITE_OK ? 0 : -1;
}

int sqlite_migrate(const struct sqlite_db *base, const char *path, struct error *err)
{
    sqlite3 *db = base->handle;
    int version = 0;

    if (look_up_version(base, path, &version, err) != 0)
        return -1;
    if (version == base->schema->newest)
        return 0;
    if (sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL) != SQLITE_OK)
        goto failed;
    /* Another process may have been first. */
    if (read_version(base, path, &version, err) < 0) {
        sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
        return -1;
    }
    if (migrate_from(db, base->schema, version) == 0 &&
        sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) == SQLITE_OK)
        return 0;
failed:
    error_set(err, ERROR_IO, "cannot prepare the store %s: %s", path, sqlite3_errmsg(db));
    if (!sqlite3_get_autocommit(db))
        sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
    return -1;
}
