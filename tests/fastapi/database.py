# SPDX-License-Identifier: GPL-3.0-or-later
"""The CMS's SQLite file: its tables, one connection a thread, and transactions."""
import contextlib
import sqlite3
import threading
from typing import Iterator

SCHEMA = """
CREATE TABLE IF NOT EXISTS session (
  session_id TEXT PRIMARY KEY, title TEXT NOT NULL, version INTEGER NOT NULL DEFAULT 1, last_modified TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS node (
  key INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL REFERENCES session ON DELETE CASCADE,
  node_id TEXT NOT NULL, title TEXT NOT NULL, content_category TEXT, raw_content TEXT, chapter_id INTEGER,
  further TEXT NOT NULL DEFAULT '{}', texts TEXT NOT NULL DEFAULT '{}', position TEXT, suggested_template TEXT,
  overall_confidence REAL, version INTEGER NOT NULL DEFAULT 1, created_at TEXT NOT NULL, last_modified TEXT NOT NULL,
  UNIQUE (session_id, node_id));
CREATE INDEX IF NOT EXISTS node_by_id ON node (node_id);
CREATE TABLE IF NOT EXISTS component (
  key INTEGER PRIMARY KEY AUTOINCREMENT, node INTEGER NOT NULL REFERENCES node ON DELETE CASCADE,
  place INTEGER NOT NULL, component_id TEXT NOT NULL UNIQUE, revision INTEGER NOT NULL DEFAULT 1, type TEXT NOT NULL,
  parameters TEXT NOT NULL, confidence REAL, further TEXT NOT NULL DEFAULT '{}');
CREATE INDEX IF NOT EXISTS component_by_place ON component (node, place);
CREATE TABLE IF NOT EXISTS relationship (
  id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL REFERENCES session ON DELETE CASCADE,
  from_node_id TEXT NOT NULL, to_node_id TEXT NOT NULL, relationship_type TEXT NOT NULL, explanation TEXT,
  created_by TEXT, confidence_score REAL, further TEXT NOT NULL DEFAULT '{}', created_at TEXT NOT NULL,
  UNIQUE (session_id, from_node_id, to_node_id, relationship_type));
"""


class Database:
    """Any thread may use it; each has a connection of its own."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._local = threading.local()
        self._writer = threading.Lock()     # SQLite's own waiting is by polling, and unfair
        self._connection().executescript(SCHEMA)

    def _connection(self) -> sqlite3.Connection:
        if not hasattr(self._local, "connection"):
            connection = sqlite3.connect(self._path, timeout=30, isolation_level=None)
            connection.row_factory = sqlite3.Row
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA foreign_keys = ON")
            self._local.connection = connection
        return self._local.connection

    @contextlib.contextmanager
    def _transaction(self, begin: str) -> Iterator[sqlite3.Connection]:
        connection = self._connection()
        connection.execute(begin)
        try:
            yield connection
        except BaseException:
            connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")

    def read(self) -> contextlib.AbstractContextManager:
        """One snapshot."""
        return self._transaction("BEGIN")

    @contextlib.contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """All or nothing, one writer at a time, durable at its end."""
        with self._writer, self._transaction("BEGIN IMMEDIATE") as connection:
            yield connection
