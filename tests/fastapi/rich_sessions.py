# SPDX-License-Identifier: GPL-3.0-or-later
"""The whole contract: sessions, nodes, positions, relationships."""
import sqlite3
from typing import Callable, Optional

from fastapi import APIRouter, HTTPException
from fastapi.responses import Response

import etag
import records
from database import Database
from etag import IfMatch, IfNoneMatch
from models import BulkIn, NodeChange, NodeIn, PositionsIn, RelationshipChange, RelationshipIn, SessionIn, TextsIn
from records import Json

View = Callable[[sqlite3.Connection, str], Json]


def nodes_view(db: sqlite3.Connection, sid: str) -> Json:
    nodes = records.list_nodes(db, sid)
    return {"session_id": sid, "nodes": nodes, "total": len(nodes)}


def relationships_view(db: sqlite3.Connection, sid: str) -> Json:
    found = records.relationships(db, sid)
    return {"session_id": sid, "relationships": found, "total": len(found)}


def positions_view(db: sqlite3.Connection, sid: str) -> Json:
    return {"session_id": sid, "positions": records.positions(db, sid)}


def all_components_view(db: sqlite3.Connection, sid: str) -> Json:
    rows = db.execute("SELECT * FROM node WHERE session_id = ? ORDER BY key", (sid,)).fetchall()
    nodes = [{"node_id": row["node_id"], "title": row["title"], "components": records.components(db, row["key"])}
             for row in rows]
    return {"session_id": sid, "nodes": nodes, "total": len(nodes), "offset": 0}


def tag_of(db: sqlite3.Connection, sid: str) -> str:
    return '"s%d"' % records.session(db, sid)["version"]


def routes(database: Database) -> APIRouter:
    api = APIRouter()

    def show(sid: str, view: View, if_none_match: Optional[str]) -> Response:
        with database.read() as db:
            tag = tag_of(db, sid)
            return etag.answer(view(db, sid), tag, if_none_match)

    def check(db: sqlite3.Connection, sid: str, if_match: Optional[str], view: View) -> None:
        etag.check(if_match, tag_of(db, sid), lambda: view(db, sid))

    @api.get("/sessions")
    def sessions() -> Json:
        with database.read() as db:
            found = [dict(row) for row in db.execute(
                "SELECT session_id, title, (SELECT count(*) FROM node n WHERE n.session_id = s.session_id) AS nodes,"
                " (SELECT count(*) FROM relationship r WHERE r.session_id = s.session_id) AS relationships, last_modified"
                " FROM session s ORDER BY rowid")]
        return {"sessions": found, "total": len(found)}

    @api.post("/session/create")
    def create(body: SessionIn = SessionIn()) -> Json:
        with database.write() as db:
            sid = records.create_session(db, body.title)
        return {"session_id": sid, "expires_in_hours": None, "message": "Session created"}

    @api.get("/session/validate/{sid}")
    def validate(sid: str) -> Json:
        with database.read() as db:
            valid = db.execute("SELECT 1 FROM session WHERE session_id = ?", (sid,)).fetchone() is not None
        return {"session_id": sid, "valid": valid, "message": "Session is valid" if valid else "Unknown session"}

    @api.get("/session/{sid}/nodes")
    def nodes(sid: str, if_none_match: Optional[str] = IfNoneMatch) -> Response:
        return show(sid, nodes_view, if_none_match)

    @api.post("/session/{sid}/nodes")
    def create_node(sid: str, body: NodeIn, if_match: Optional[str] = IfMatch) -> Json:
        with database.write() as db:
            check(db, sid, if_match, nodes_view)
            if records.find_node(db, sid, body.node_id):
                raise HTTPException(409, "There is a node %s already" % body.node_id)
            records.create_node(db, sid, body)
        return {"success": True, "message": "Node %s created" % body.node_id}

    @api.put("/session/{sid}/nodes/{nid}")
    def change_node(sid: str, nid: str, body: NodeChange, if_match: Optional[str] = IfMatch) -> Json:
        with database.write() as db:
            check(db, sid, if_match, nodes_view)
            records.change_node(db, records.node(db, sid, nid), body)
        return {"success": True, "message": "Node %s changed" % nid}

    @api.delete("/session/{sid}/nodes/{nid}")
    def delete_node(sid: str, nid: str, if_match: Optional[str] = IfMatch) -> Json:
        with database.write() as db:
            check(db, sid, if_match, nodes_view)
            records.delete_node(db, records.node(db, sid, nid))
        return {"success": True, "message": "Node %s deleted" % nid}

    @api.get("/session/{sid}/nodes/{nid}/content")
    def content(sid: str, nid: str, if_none_match: Optional[str] = IfNoneMatch) -> Response:
        return show(sid, lambda db, sid: records.texts(records.node(db, sid, nid)), if_none_match)

    @api.post("/session/{sid}/nodes/{nid}/content")
    def write_content(sid: str, nid: str, body: TextsIn, if_match: Optional[str] = IfMatch) -> Json:
        given = body.dict(exclude_unset=True)
        if not given:
            raise records.field_fault(["body"], "send at least one of the four texts")
        with database.write() as db:
            row = records.node(db, sid, nid)
            check(db, sid, if_match, lambda db, sid: records.texts(row))
            records.write_texts(db, row, given)
        return {"success": True, "message": "Content of %s saved" % nid}

    @api.get("/session/{sid}/positions")
    def positions(sid: str, if_none_match: Optional[str] = IfNoneMatch) -> Response:
        return show(sid, positions_view, if_none_match)

    @api.put("/session/{sid}/positions")
    def write_positions(sid: str, body: PositionsIn, if_match: Optional[str] = IfMatch) -> Json:
        with database.write() as db:
            check(db, sid, if_match, positions_view)
            records.write_positions(db, sid, body.dict()["positions"])
        return {"success": True, "message": "%d positions saved" % len(body.positions)}

    @api.get("/session/{sid}/components")
    def all_components(sid: str, if_none_match: Optional[str] = IfNoneMatch) -> Response:
        return show(sid, all_components_view, if_none_match)

    @api.get("/session/{sid}/relationships")
    def relationships(sid: str, if_none_match: Optional[str] = IfNoneMatch) -> Response:
        return show(sid, relationships_view, if_none_match)

    @api.post("/session/{sid}/relationships")
    def create_relationship(sid: str, body: RelationshipIn, if_match: Optional[str] = IfMatch) -> Json:
        with database.write() as db:
            check(db, sid, if_match, relationships_view)
            ident = records.create_relationship(db, sid, body)
            records.touch(db, sid)
        return {"success": True, "message": "Relationship %d created" % ident, "id": ident}

    @api.post("/session/{sid}/relationships/bulk")
    def bulk(sid: str, body: BulkIn, if_match: Optional[str] = IfMatch) -> Json:
        with database.write() as db:
            check(db, sid, if_match, relationships_view)
            records.create_all(db, sid, body.relationships)
        return {"success": True, "message": "%d relationships created" % len(body.relationships),
                "created": len(body.relationships)}

    @api.put("/session/{sid}/relationships/{ident}")
    def change_relationship(sid: str, ident: int, body: RelationshipChange, if_match: Optional[str] = IfMatch) -> Json:
        with database.write() as db:
            check(db, sid, if_match, relationships_view)
            records.change_relationship(db, records.relationship(db, sid, ident), body.dict(exclude_unset=True))
        return {"success": True, "message": "Relationship %d changed" % ident}

    @api.delete("/session/{sid}/relationships/{ident}")
    def delete_relationship(sid: str, ident: int, if_match: Optional[str] = IfMatch) -> Json:
        with database.write() as db:
            check(db, sid, if_match, relationships_view)
            db.execute("DELETE FROM relationship WHERE id = ?", (records.relationship(db, sid, ident)["id"],))
            records.touch(db, sid)
        return {"success": True, "message": "Relationship %d deleted" % ident}

    return api
