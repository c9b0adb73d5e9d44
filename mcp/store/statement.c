/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Every SQL statement of the embedded store in one table, and the few verbs to run them.
 */
#include <stdarg.h>
#include <string.h>

#include "mcp/store/sqlite_store.h"

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

/* Without statistics SQLite takes any index on the session to be as good as one on a node's id, and
 * then reads all relationships of the session for those of one node. */
#define RELATIONSHIP_BY_FROM "relationship INDEXED BY relationship_by_from WHERE "
#define RELATIONSHIP_BY_TO   "relationship INDEXED BY relationship_by_to WHERE "

/* 1 in flags is ROW_RAW: what is no object has no part in the API's lists. */
static const char *const texts[STATEMENT_COUNT] = {
    [SQL_BEGIN] = "BEGIN",
    [SQL_BEGIN_WRITE] = "BEGIN IMMEDIATE",
    [SQL_COMMIT] = "COMMIT",
    [SQL_ROLLBACK] = "ROLLBACK",
    [SQL_SAVEPOINT] = "SAVEPOINT inner_write",
    [SQL_SAVEPOINT_KEEP] = "RELEASE inner_write",
    [SQL_SAVEPOINT_BACK] = "ROLLBACK TO inner_write",

    [SQL_SESSION_FIND] =
        "SELECT key, version, flags, title, further FROM session WHERE session_id = ?1",
    [SQL_SESSION_LIST] =
        "SELECT session_id, title, last_modified,"
        " (SELECT count(*) FROM node WHERE node.session = session.key AND flags & 1 = 0),"
        " (SELECT count(*) FROM relationship WHERE relationship.session = session.key AND flags & "
        "1 = 0)"
        " FROM session WHERE flags & 2 = 0 ORDER BY key",
    [SQL_SESSION_INSERT] = "INSERT INTO session (session_id, title, version, flags, further, "
                           "created_at, last_modified)"
                           " VALUES (?1, ?2, 0, ?3, ?4, ?5, ?5)",
    [SQL_SESSION_TOUCH] = "UPDATE session SET version = ?2, last_modified = ?3 WHERE key = ?1",
    [SQL_SESSION_SET_FURTHER] = "UPDATE session SET further = ?2, flags = ?3,"
                                " title = coalesce(?4, title) WHERE key = ?1",
    [SQL_SESSION_BY_KEY] = "SELECT flags, further, title FROM session WHERE key = ?1",
    [SQL_SESSION_SUM] = "SELECT (SELECT coalesce(sum(version), 0) FROM session)"
                        " + (SELECT coalesce(sum(version), 0) FROM deleted_session)",
    /* What refers to it goes with it. */
    [SQL_SESSION_DELETE] = "DELETE FROM session WHERE key = ?1",
    [SQL_SESSION_BURY] = "INSERT INTO deleted_session (session_id, version, at, who)"
                         " VALUES (?1, ?2, ?3, ?4)",
    [SQL_SESSION_DELETED] = "SELECT at, who FROM deleted_session WHERE session_id = ?1"
                            " ORDER BY rowid DESC LIMIT 1",

    [SQL_GRAPH_VERSION] = "SELECT version FROM graph_version WHERE session = ?1",

    /* A place may be had twice: a new node gets that of the last when that was deleted, and the
     * deletion may be undone. Keys tell who was there first. */
    [SQL_NODE_FIND] =
        "SELECT key, cursor, revision, place, title FROM node WHERE node_id = ?2 AND session = ?1"
        " ORDER BY place, key LIMIT 1",
    [SQL_NODE_CURSOR] = "SELECT cursor FROM node WHERE node_id = ?2"
                        " AND session = (SELECT key FROM session WHERE session_id = ?1)"
                        " ORDER BY place, key LIMIT 1",
    [SQL_NODE_BY_KEY] = "SELECT body, flags, title, place, revision,"
                        " created_at, session, node_id FROM node WHERE key = ?1",
    [SQL_NODE_LIST] = "SELECT body, flags, created_at, last_modified, key FROM node WHERE session "
                      "= ?1 ORDER BY place, key",
    [SQL_NODE_PAGE] = "SELECT key, node_id, title FROM node WHERE session = ?1 AND flags & 1 = 0"
                      " ORDER BY place, key LIMIT ?3 OFFSET ?2",
    [SQL_NODE_COUNT] = "SELECT count(*) FROM node WHERE session = ?1 AND flags & 1 = 0",
    [SQL_NODE_NAMES] = "SELECT node_id, title FROM node WHERE session = ?1 AND node_id IS NOT NULL"
                       " ORDER BY place, key",
    [SQL_NODE_OUTLINE] =
        "SELECT node_id, title, grouping,"
        " (SELECT count(*) FROM component WHERE component.node = node.key AND "
        "component.flags & 1 = 0)"
        " FROM node WHERE session = ?1 AND node_id IS NOT NULL ORDER BY place, key",
    [SQL_NODE_INSERT] =
        "INSERT INTO node (session, place, node_id, title, grouping, revision, cursor, created_at,"
        " last_modified, body, flags) VALUES (?1, ?2, ?3, ?4, ?5, 1, ?6, ?7, ?8, ?9, ?10)",
    [SQL_NODE_UPDATE] =
        "UPDATE node SET node_id = ?2, title = ?3, grouping = ?4, body = ?5, flags = ?6,"
        " cursor = ?7, last_modified = ?8, revision = revision + 1 WHERE key = ?1",
    [SQL_NODE_TOUCH] =
        "UPDATE node SET cursor = ?2, last_modified = ?3, flags = flags | ?4 WHERE key = ?1",
    [SQL_NODE_REINSERT] =
        "UPDATE node SET title = ?2, grouping = ?3, body = ?4, flags = ?5,"
        " cursor = ?6, last_modified = ?7, revision = revision + ?8 WHERE key = ?1",
    [SQL_NODE_REINSERT_BACK] =
        "INSERT INTO node (key, session, place, node_id, title, grouping, revision, cursor,"
        " created_at, last_modified, body, flags)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
    [SQL_NODE_DELETE] = "DELETE FROM node WHERE key = ?1",
    [SQL_NODE_TWINS] = "SELECT count(*) FROM node WHERE node_id = ?2 AND session = ?1",
    [SQL_NODE_SESSIONS] = "SELECT DISTINCT session.session_id, session.title FROM node JOIN session"
                          " ON session.key = node.session WHERE node.node_id = ?1 AND "
                          "session.flags & 2 = 0 ORDER BY session.key LIMIT 12",
    [SQL_NODE_LAST_PLACE] = "SELECT coalesce(max(place), -1) FROM node WHERE session = ?1",

    [SQL_NODE_RELATIONSHIPS] =
        "SELECT (SELECT count(*) FROM " RELATIONSHIP_BY_FROM "session = ?1 AND from_id = ?2)"
        " + (SELECT count(*) FROM " RELATIONSHIP_BY_TO
        "session = ?1 AND to_id = ?2 AND from_id IS NOT ?2)",
    [SQL_NODE_COMPONENTS] = "SELECT count(*) FROM component WHERE node = ?1 AND flags & 1 = 0",

    [SQL_COMPONENT_LIST] =
        "SELECT body, flags, key, place, position, component_id, revision, type FROM component"
        " WHERE node = ?1 ORDER BY coalesce(position, place + 1), place",
    [SQL_COMPONENT_FILE_LIST] =
        "SELECT body, flags, position FROM component WHERE node = ?1 ORDER BY place",
    [SQL_COMPONENT_INSERT] =
        "INSERT INTO component (node, place, position, component_id, revision, type, body, flags)"
        " VALUES (?1, ?2, ?3, ?4, 1, ?5, ?6, ?7)",
    [SQL_COMPONENT_UPDATE] = "UPDATE component SET type = ?2, body = ?3, flags = ?4, position = "
                             "?5, revision = ?6 WHERE key = ?1",
    [SQL_COMPONENT_PLACE] = "UPDATE component SET place = ?2, position = ?3 WHERE key = ?1",
    [SQL_COMPONENT_DELETE] = "DELETE FROM component WHERE key = ?1",
    [SQL_COMPONENT_MOVE] = "UPDATE component SET node = ?2, revision = ?3 WHERE key = ?1",

    [SQL_COMPONENT_REINSERT_BACK] =
        "INSERT INTO component (node, place, position, component_id, revision, type, body, flags)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",

    [SQL_RELATIONSHIP_LIST] = "SELECT body, flags, key, from_id, to_id, type FROM relationship "
                              "WHERE session = ?1 ORDER BY place, key",
    [SQL_RELATIONSHIP_BY_KEY] = "SELECT body, place FROM relationship WHERE key = ?1"
                                " AND session = ?2 AND flags & 1 = 0",
    [SQL_RELATIONSHIP_OF_NODE] =
        "SELECT key FROM (SELECT key, place FROM " RELATIONSHIP_BY_FROM
        "session = ?1 AND from_id = ?2 UNION SELECT key, place FROM " RELATIONSHIP_BY_TO
        "session = ?1 AND to_id = ?2) ORDER BY place, key",
    [SQL_RELATIONSHIP_BETWEEN] =
        "SELECT key, type FROM " RELATIONSHIP_BY_FROM "session = ?1 AND from_id = ?2 AND to_id = ?3"
        " ORDER BY place LIMIT 12",
    [SQL_RELATIONSHIP_FIND] = "SELECT key FROM " RELATIONSHIP_BY_FROM
                              "session = ?1 AND from_id = ?2 AND to_id = ?3 AND type = ?4"
                              " AND key <> ?5 ORDER BY place LIMIT 1",
    [SQL_RELATIONSHIP_NEEDED_BY] =
        "SELECT DISTINCT to_id FROM " RELATIONSHIP_BY_FROM "session = ?1 AND from_id = ?2"
        " AND instr(type, 'PREREQUISITE') > 0",
    [SQL_RELATIONSHIP_INSERT] =
        "INSERT INTO relationship (session, place, from_id, to_id, type, revision, body, flags)"
        " VALUES (?1, ?2, ?3, ?4, ?5, 1, ?6, ?7)",
    [SQL_RELATIONSHIP_UPDATE] =
        "UPDATE relationship SET from_id = ?2, to_id = ?3, type = ?4, body = ?5, flags = ?6,"
        " revision = revision + 1 WHERE key = ?1",
    [SQL_RELATIONSHIP_DELETE] = "DELETE FROM relationship WHERE key = ?1",
    [SQL_RELATIONSHIP_REINSERT_BACK] =
        "INSERT INTO relationship (key, session, place, from_id, to_id, type, revision, body,"
        " flags) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    [SQL_RELATIONSHIP_LAST_PLACE] =
        "SELECT coalesce(max(place), -1) FROM relationship WHERE session = ?1",

    [SQL_POSITION_LIST] = "SELECT node_id, body FROM position WHERE session = ?1 ORDER BY node_id",
    [SQL_POSITION_FIND] = "SELECT body FROM position WHERE session = ?1 AND node_id = ?2",
    [SQL_POSITION_SET] = "INSERT INTO position (session, node_id, body) VALUES (?1, ?2, ?3)"
                         " ON CONFLICT (session, node_id) DO UPDATE SET body = ?3",
    [SQL_POSITION_DELETE] = "DELETE FROM position WHERE session = ?1 AND node_id = ?2",

    [SQL_ANSWER_FIND] = "SELECT fingerprint, status, body FROM answer WHERE call_key = ?1",
    [SQL_ANSWER_KEEP] = "INSERT INTO answer (call_key, fingerprint, status, body, at, session)"
                        " VALUES (?1, ?2, ?3, ?4, ?5,"
                        " (SELECT key FROM session WHERE session_id = ?6))",
    [SQL_ANSWER_AMEND] = "UPDATE answer SET body = ?2 WHERE call_key = ?1",
    /* A few each time: more than come in, and none of them makes a call wait. */
    [SQL_ANSWER_DROP_OLD] = "DELETE FROM answer WHERE call_key IN"
                            " (SELECT call_key FROM answer WHERE at < ?1 ORDER BY at LIMIT 20)",

    [SQL_THREAD_FIND] = "SELECT key, title, messages, interrupts FROM chat_thread"
                        " WHERE session = ?1 AND thread_id = ?2",
    [SQL_THREAD_LIST] = "SELECT thread_id, title, updated_at FROM chat_thread WHERE session = ?1"
                        " ORDER BY updated_at DESC, key DESC LIMIT ?2",
    [SQL_THREAD_INSERT] = "INSERT INTO chat_thread (session, thread_id, title, messages, "
                          "interrupts, updated_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    [SQL_THREAD_UPDATE] = "UPDATE chat_thread SET messages = ?2, interrupts = ?3, updated_at = ?4"
                          " WHERE key = ?1",
    [SQL_THREAD_MESSAGES] = "SELECT body FROM chat_message WHERE thread = ?1 ORDER BY place",
    [SQL_THREAD_MESSAGE_INSERT] =
        "INSERT INTO chat_message (thread, place, body) VALUES (?1, ?2, ?3)",
    /* The numbers stand for what the API puts beside a body: an id, an order, a revision, a comma.
     * A blob's length is in bytes. */
    [SQL_CONTENT_BYTES] =
        "SELECT (SELECT coalesce(sum(length(CAST(body AS BLOB)) + 160), 0) FROM node"
        "  WHERE session = ?1 AND flags & 1 = 0)"
        " + (SELECT coalesce(sum(length(CAST(component.body AS BLOB)) + 100), 0)"
        "  FROM node JOIN component ON component.node = node.key"
        "  WHERE node.session = ?1 AND node.flags & 1 = 0 AND component.flags & 1 = 0)"
        " + (SELECT coalesce(sum(length(CAST(body AS BLOB)) + 80), 0) FROM relationship"
        "  WHERE session = ?1 AND flags & 1 = 0)",

    [SQL_CHANGE_INSERT] = "INSERT INTO change (session, version, change_set, at, who, entity, "
                          "entity_id, node_id, op, before, after)"
                          " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
    [SQL_CHANGE_WALK] = CHANGE_COLUMNS "WHERE session = ?1 AND version > ?2"
                                       " ORDER BY version DESC, key DESC",
    [SQL_CHANGE_SET] = CHANGE_COLUMNS "WHERE session = ?1 AND change_set = ?2 ORDER BY key DESC",
    [SQL_CHANGE_SETS] = "SELECT change.change_set, version, at, who, rows" CHANGE_SETS
                        " ORDER BY last DESC LIMIT ?5",
    [SQL_CHANGE_SETS_TOTAL] = "SELECT count(*)" CHANGE_SETS,
    [SQL_CHANGE_NEWEST] =
        "SELECT change_set, who, at FROM change WHERE session = ?1 ORDER BY version DESC, key DESC",
    [SQL_CHANGE_SET_SUM] = "SELECT count(*), min(key), min(version),"
                           " max(entity = 'session' AND op IN ('create', 'import'))"
                           " FROM change WHERE session = ?1 AND change_set = ?2",
    [SQL_CHANGE_FIRST] = "SELECT coalesce(max(version), 0) FROM change WHERE session = ?1"
                         " AND entity = 'session' AND op IN ('create', 'import')",
    /* The last change to a thing after ?2 and outside of ?3; else one to its node. */
    [SQL_CHANGE_LATER] =
        "SELECT who, version, change_set FROM change WHERE session = ?1 AND key > ?2"
        " AND change_set <> ?3 AND ((entity = ?4 AND entity_id = ?5) OR node_id = ?6)"
        " ORDER BY entity = ?4 AND entity_id = ?5 DESC, entity = 'node' AND op = 'delete' DESC,"
        " key DESC LIMIT 1",
    [SQL_CHANGE_REVISION] = "SELECT coalesce(max(json_extract(before, '$.revision')), 0)"
                            " FROM change WHERE session = ?1 AND entity = ?2 AND entity_id = ?3"
                            " AND op = 'delete'",
    [SQL_CHANGE_UNSHIFTED] = "SELECT count(*) FROM change WHERE session = ?1 AND version = ?2"
                             " AND (op = 'renumber' OR (entity = 'node' AND op = 'delete'))",
    /* What belongs to a node that comes or goes is not told apart, nor moves that follow. */
    [SQL_CHANGE_GROUPS] =
        "WITH own AS (SELECT * FROM change WHERE session = ?1 AND change_set = ?2)"
        " SELECT entity, op, node_id, count(DISTINCT entity_id), coalesce(before, after) FROM own"
        " WHERE op <> 'touch' AND (entity <> 'component' OR"
        "  (node_id NOT IN (SELECT entity_id FROM own WHERE entity = 'node'"
        "    AND op IN ('insert', 'delete') AND entity_id IS NOT NULL)"
        "   AND (op <> 'renumber' OR node_id NOT IN (SELECT node_id FROM own"
        "    WHERE entity = 'component' AND op IN ('insert', 'delete') AND node_id IS NOT NULL))))"
        " GROUP BY entity, op, CASE entity WHEN 'position' THEN NULL ELSE node_id END"
        " ORDER BY min(key)",
    [SQL_CHANGE_OLD_TITLE] =
        "SELECT json_extract(before, '$.node.title') FROM change WHERE session = ?1"
        " AND entity = 'node' AND entity_id = ?2 AND op = 'delete' ORDER BY key DESC LIMIT 1",
    /* An insertion with a deletion before it is an undoing: the thing is as old as it was. */
    [SQL_CHANGE_REUSED] =
        "SELECT count(*) FROM change WHERE session = ?1 AND key > ?2 AND change_set <> ?3"
        " AND entity = 'node' AND op = 'insert' AND entity_id = ?4"
        " AND json_extract(after, '$.key') IN (SELECT key FROM node) AND NOT EXISTS"
        " (SELECT 1 FROM change AS old WHERE old.session = ?1 AND old.key < change.key"
        "  AND old.entity = 'node' AND old.op = 'delete' AND old.entity_id = ?4"
        "  AND json_extract(old.before, '$.key') = json_extract(change.after, '$.key'))",
    [SQL_CHANGE_GONE] = "SELECT count(*) FROM change WHERE session = ?1 AND key > ?2"
                        " AND change_set <> ?3 AND entity = 'node' AND op = 'delete'"
                        " AND entity_id = ?4",
    [SQL_CHANGE_REPEATED] = "SELECT count(*) FROM change WHERE session = ?1 AND key > ?2"
                            " AND change_set <> ?3 AND entity = 'relationship' AND op = 'insert'"
                            " AND entity_id = ?4 AND NOT EXISTS (SELECT 1 FROM change AS old"
                            "  WHERE old.session = ?1 AND old.key < change.key"
                            "  AND old.entity = 'relationship' AND old.op = 'delete'"
                            "  AND old.entity_id = ?4)",

    [SQL_UNDONE_FIND] = "SELECT by_set FROM undone WHERE session = ?1 AND change_set = ?2",
    [SQL_UNDONE_SET] = "INSERT OR REPLACE INTO undone (session, change_set, by_set)"
                       " VALUES (?1, ?2, ?3)",
    [SQL_UNDONE_IS_UNDOING] = "SELECT count(*) FROM undone WHERE session = ?1 AND by_set = ?2",

    /* 2 in a session's flags is SESSION_GONE. */
    [SQL_COPY_SESSIONS] =
        "SELECT session_id,"
        " (SELECT count(*) FROM node WHERE node.session = session.key AND flags & 1 = 0),"
        " (SELECT count(*) FROM relationship WHERE relationship.session = session.key AND flags & "
        "1 = 0),"
        " flags & 2 FROM session ORDER BY key",
    [SQL_COPY_SESSION_TITLE] =
        "UPDATE session SET title = ?2 WHERE session_id = ?1 AND title <> ?2",
    [SQL_COPY_SESSION_GONE] = "UPDATE session SET flags = flags & ~2 | ?2 WHERE session_id = ?1",
    [SQL_COPY_NAME] = "SELECT theirs FROM upstream_name WHERE session = (SELECT key FROM session "
                      "WHERE session_id = ?1) AND kind = ?2 AND ours = ?3",
    [SQL_COPY_NAME_SET] =
        "INSERT INTO upstream_name (session, kind, ours, theirs)"
        " SELECT key, ?2, ?3, ?4 FROM session WHERE session_id = ?1"
        " ON CONFLICT (session, kind, ours) DO UPDATE SET theirs = excluded.theirs",
    [SQL_COPY_NAME_DROP] = "DELETE FROM upstream_name WHERE session = (SELECT key FROM session "
                           "WHERE session_id = ?1) AND kind = ?2 AND ours = ?3",
    [SQL_COPY_NODE_TIMES] =
        "UPDATE node SET created_at = coalesce(?2, created_at), last_modified = coalesce(?3, "
        "last_modified) WHERE key = ?1 AND (created_at IS NOT coalesce(?2, created_at) OR "
        "last_modified IS NOT coalesce(?3, last_modified))",
    [SQL_COPY_RELATIONSHIPS] = "SELECT key, body, place, from_id, to_id, type, (SELECT theirs FROM "
                               "upstream_name WHERE upstream_name.session = ?1 AND kind = "
                               "'relationship' AND ours = CAST(relationship.key AS TEXT))"
                               " FROM relationship WHERE session = ?1 AND flags & 1 = 0"
                               " ORDER BY place",
    [SQL_COPY_RELATIONSHIP] = "SELECT body FROM relationship WHERE key = ?1",
    [SQL_COPY_POSITIONS] = "SELECT node_id, body FROM position WHERE session = (SELECT key FROM "
                           "session WHERE session_id = ?1)",
    [SQL_COPY_LAST_CHANGE] = "SELECT coalesce(max(key), 0) FROM change",
    [SQL_COPY_CHANGED] =
        "SELECT DISTINCT node_id FROM (SELECT node_id FROM change WHERE session = (SELECT key FROM "
        "session WHERE session_id = ?1) AND (?2 IS NULL OR change_set = ?2) ORDER BY key DESC"
        " LIMIT ?3) WHERE node_id IS NOT NULL",
    [SQL_COPY_TOUCHED] =
        "SELECT session_id, entity, entity_id, node_id, op, json_extract(before, '$.node_id')"
        " FROM change JOIN session ON session.key = change.session WHERE change.key > ?1"
        " AND NOT (who = 'outside' AND change_set LIKE 'outside %') ORDER BY change.key",
    [SQL_COPY_KEYS] = "SELECT json_group_object(name, seq) FROM sqlite_sequence",
    [SQL_COPY_KEYS_RAISE] = "UPDATE sqlite_sequence SET seq = json_extract(?1, '$.' || name)"
                            " WHERE seq < json_extract(?1, '$.' || name)",
    [SQL_COPY_KEYS_ADD] = "INSERT INTO sqlite_sequence SELECT key, value FROM json_each(?1)"
                          " WHERE key NOT IN (SELECT name FROM sqlite_sequence)",
    [SQL_CHECK_PAGES] = "PRAGMA integrity_check(10)",
    [SQL_CHECK_KEYS] = "PRAGMA foreign_key_check",
};

int sqlite_fail(struct sqlite_store *store, struct error *err, const char *what)
{
    static const struct {
        int code;
        enum error_kind kind;
    } kinds[] = {{SQLITE_BUSY, ERROR_BUSY},    {SQLITE_LOCKED, ERROR_BUSY},
                 {SQLITE_NOMEM, ERROR_MEMORY}, {SQLITE_TOOBIG, ERROR_TOO_LARGE},
                 {SQLITE_FULL, ERROR_IO},      {SQLITE_IOERR, ERROR_IO},
                 {SQLITE_CORRUPT, ERROR_IO},   {SQLITE_NOTADB, ERROR_IO},
                 {SQLITE_READONLY, ERROR_IO},  {SQLITE_CANTOPEN, ERROR_IO}};
    int code = sqlite3_extended_errcode(store->db) & 0xFF;
    enum error_kind kind = ERROR_INTERNAL;

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (kinds[i].code == code)
            kind = kinds[i].kind;
    return error_set(err, kind, "%s: %s", what, sqlite3_errmsg(store->db));
}

sqlite3_stmt *sqlite_statement(struct sqlite_store *store, enum statement id, struct error *err)
{
    sqlite3_stmt **statement = &store->statements[id];

    if (!*statement && sqlite3_prepare_v3(store->db, texts[id], -1, SQLITE_PREPARE_PERSISTENT,
                                          statement, NULL) != SQLITE_OK) {
        sqlite_fail(store, err, "cannot ask the store");
        return NULL;
    }
    sqlite3_reset(*statement);
    sqlite3_clear_bindings(*statement);
    return *statement;
}

static int bind_text(sqlite3_stmt *statement, int index, const char *text, size_t len)
{
    if (!text)
        return sqlite3_bind_null(statement, index);
    return sqlite3_bind_text64(statement, index, text, len, SQLITE_STATIC, SQLITE_UTF8);
}

static int bind_order(sqlite3_stmt *statement, int index, const struct row_order *order)
{
    if (order->kind == ORDER_INTEGER)
        return sqlite3_bind_int64(statement, index, order->integer);
    if (order->kind == ORDER_REAL)
        return sqlite3_bind_double(statement, index, order->real);
    return sqlite3_bind_null(statement, index);
}

static int bind_all(sqlite3_stmt *statement, const char *format, va_list args)
{
    int rc = SQLITE_OK;

    for (int i = 1; rc == SQLITE_OK && format[i - 1]; i++) {
        switch (format[i - 1]) {
        case 'i':
            rc = sqlite3_bind_int64(statement, i, va_arg(args, int64_t));
            break;
        case 's': {
            const char *text = va_arg(args, const char *);

            rc = bind_text(statement, i, text, text ? strlen(text) : 0);
            break;
        }
        case 't': {
            const struct row_text *text = va_arg(args, const struct row_text *);

            rc = bind_text(statement, i, text->text, text->len);
            break;
        }
        case 'b': {
            const struct buf *buf = va_arg(args, const struct buf *);

            rc = bind_text(statement, i, buf ? buf->data : NULL, buf ? buf->len : 0);
            break;
        }
        case 'o':
            rc = bind_order(statement, i, va_arg(args, const struct row_order *));
            break;
        default:
            rc = SQLITE_MISUSE;
        }
    }
    return rc;
}

int sqlite_bind(struct sqlite_store *store, sqlite3_stmt *statement, struct error *err,
                const char *format, ...)
{
    va_list args;
    int rc;

    va_start(args, format);
    rc = bind_all(statement, format, args);
    va_end(args);
    return rc == SQLITE_OK ? 0 : sqlite_fail(store, err, "cannot ask the store");
}

int sqlite_next(struct sqlite_store *store, sqlite3_stmt *statement, struct error *err)
{
    switch (sqlite3_step(statement)) {
    case SQLITE_ROW:
        return 1;
    case SQLITE_DONE:
        sqlite3_reset(statement);
        return 0;
    default:
        sqlite_fail(store, err, "the store cannot do it");
        sqlite3_reset(statement);
        return -1;
    }
}

int sqlite_run(struct sqlite_store *store, struct error *err, enum statement id, const char *format,
               ...)
{
    sqlite3_stmt *statement = sqlite_statement(store, id, err);
    va_list args;
    int rc;

    if (!statement)
        return -1;
    va_start(args, format);
    rc = bind_all(statement, format, args);
    va_end(args);
    if (rc != SQLITE_OK)
        return sqlite_fail(store, err, "cannot ask the store");
    rc = sqlite_next(store, statement, err);
    /* Bindings are borrowed texts: they must not outlive the call. */
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    return rc < 0 ? -1 : 0;
}

int sqlite_number(struct sqlite_store *store, enum statement id, int64_t key, const char *text,
                  int64_t *number, struct error *err)
{
    sqlite3_stmt *statement = sqlite_statement(store, id, err);

    if (!statement || sqlite_bind(store, statement, err, text ? "is" : "i", key, text) != 0 ||
        sqlite_next(store, statement, err) < 0)
        return -1;
    *number = sqlite3_column_int64(statement, 0);
    sqlite3_reset(statement);
    return 0;
}

/* A SELECT that was left in the middle would hold its snapshot open. */
void sqlite_reset_all(struct sqlite_store *store)
{
    for (size_t i = 0; i < STATEMENT_COUNT; i++)
        if (store->statements[i])
            sqlite3_reset(store->statements[i]);
}

void sqlite_finalize_all(struct sqlite_store *store)
{
    for (size_t i = 0; i < STATEMENT_COUNT; i++) {
        sqlite3_finalize(store->statements[i]);
        store->statements[i] = NULL;
    }
}

const char *sqlite_text(sqlite3_stmt *statement, int column)
{
    return (const char *)sqlite3_column_text(statement, column);
}

struct row_text sqlite_row_text(sqlite3_stmt *statement, int column)
{
    const char *text = sqlite_text(statement, column);

    return (struct row_text){text, (size_t)sqlite3_column_bytes(statement, column)};
}

struct kept sqlite_kept(sqlite3_stmt *statement, int body_column)
{
    struct row_text body = sqlite_row_text(statement, body_column);

    return (struct kept){body.text, body.len,
                         (unsigned)sqlite3_column_int(statement, body_column + 1)};
}
