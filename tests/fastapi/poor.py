# SPDX-License-Identifier: GPL-3.0-or-later
"""The service of the field, as the end of the contract tells it: bare component paths, fewer fields, other answers.
Validation, relationships and texts are those of the whole contract. Other services of the field let such a path say which session is
meant, by ?session_id= or X-Session-ID (naming), or list their sessions."""
import sqlite3
from typing import Any, Callable, Dict, List, Optional

from fastapi import APIRouter, Depends, Header, HTTPException, Path, Query
from fastapi.responses import JSONResponse, Response
from pydantic import StrictInt

import records
import rich_sessions
from database import Database
from models import BulkIn, NodeIn, PoorAutoSave, PoorComponent, PoorPositions, PoorSequence, RelationshipChange
from models import RelationshipIn, TextsIn
from records import Json

Order = Path(..., ge=1)
LEFT_OUT = {
    "components": {"component_id", "revision", "component_type", "order_index"},
    "relationships": {"id", "session_id"},
    "nodes": {"content_category"},
}
TIMES = ("created_at", "last_modified")


def plain_time(time: str) -> str:
    """2026-01-02T03:04:05.678Z as 2026-01-02 03:04:05, which is UTC too."""
    return time[:19].replace("T", " ")


def poorer(kind: str, shown: Json) -> Json:
    return {name: plain_time(value) if name in TIMES else value
            for name, value in shown.items() if name not in LEFT_OUT[kind]}


def rows_meant(db: sqlite3.Connection, nid: str, sid: Optional[str]) -> List[sqlite3.Row]:
    """Every session's node of that id where the request does not say which is meant."""
    return [records.node(db, sid, nid)] if sid else records.nodes_named(db, nid)


def mixture(db: sqlite3.Connection, nid: str, sid: Optional[str]) -> Json:
    rows = rows_meant(db, nid, sid)
    found = [poorer("components", component) for row in rows for component in records.components(db, row["key"])]
    found.sort(key=lambda component: component["order"])
    first: Dict[str, Any] = dict(rows[0]) if rows else {}
    return {"node_id": nid, "components": found, "total_components": len(found),
            "suggested_template": first.get("suggested_template"), "overall_confidence": first.get("overall_confidence")}


def first_node(db: sqlite3.Connection, nid: str, sid: Optional[str]) -> sqlite3.Row:
    rows = rows_meant(db, nid, sid)
    if not rows:
        raise HTTPException(404, "Node not found")
    return rows[0]


def session_routes(database: Database) -> APIRouter:
    api = APIRouter()

    def listed(sid: str, kind: str, read: Callable[[sqlite3.Connection, str], List[Json]]) -> Response:
        with database.read() as db:
            records.session(db, sid)
            found = [poorer(kind, shown) for shown in read(db, sid)]
        return JSONResponse({"session_id": sid, kind: found, "total": len(found)})

    @api.get("/session/{sid}/nodes")
    def nodes(sid: str) -> Response:
        return listed(sid, "nodes", records.list_nodes)

    @api.post("/session/{sid}/nodes")
    def create_node(sid: str, body: NodeIn) -> Json:
        with database.write() as db:
            if records.find_node(db, sid, body.node_id):
                raise HTTPException(400, "Node ID already exists")
            records.create_node(db, sid, body)
        return {"success": True, "message": "Node created"}

    @api.delete("/session/{sid}/nodes/{nid}")
    def delete_node(sid: str, nid: str) -> Json:
        with database.write() as db:
            records.delete_node(db, records.node(db, sid, nid))
        return {"success": True, "message": "Node deleted"}

    @api.get("/session/{sid}/nodes/{nid}/content")
    def content(sid: str, nid: str) -> Json:
        with database.read() as db:
            return records.texts(records.node(db, sid, nid))

    @api.post("/session/{sid}/nodes/{nid}/content")
    def write_content(sid: str, nid: str, body: TextsIn) -> Json:
        with database.write() as db:
            records.write_texts(db, records.node(db, sid, nid), body.dict(exclude_unset=True))
        return {"success": True, "message": "Content saved"}

    @api.put("/session/{sid}/nodes/{nid}/auto-save")
    def auto_save(sid: str, nid: str, body: PoorAutoSave) -> Json:
        with database.write() as db:
            if not db.execute("SELECT 1 FROM session WHERE session_id = ?", (sid,)).fetchone():
                return {"status": "session_expired", "saved_at": None, "components_saved": 0}
            total = records.replace_components(db, records.node(db, sid, nid), body.components)
        return {"status": "saved", "saved_at": plain_time(records.now()), "components_saved": total}

    @api.get("/session/{sid}/positions")
    def positions(sid: str) -> Json:
        with database.read() as db:
            records.session(db, sid)
            return {"positions": records.positions(db, sid)}

    @api.put("/session/{sid}/positions")
    def write_positions(sid: str, body: PoorPositions) -> Json:
        with database.write() as db:
            records.session(db, sid)
            records.write_positions(db, sid, body.dict()["positions"])
        return {"success": True, "message": "Positions saved"}

    @api.get("/session/{sid}/relationships")
    def relationships(sid: str) -> Response:
        return listed(sid, "relationships", records.relationships)

    @api.post("/session/{sid}/relationships")
    def create_relationship(sid: str, body: RelationshipIn) -> Json:
        with database.write() as db:
            records.create_relationship(db, sid, body)
            records.touch(db, sid)
        return {"success": True, "message": "Relationship created"}

    @api.post("/session/{sid}/relationships/bulk")
    def bulk(sid: str, body: BulkIn) -> Json:
        with database.write() as db:
            records.session(db, sid)
            records.create_all(db, sid, body.relationships)
        return {"success": True, "message": "Relationships created"}

    @api.put("/session/{sid}/relationships/{ident}")
    def change_relationship(sid: str, ident: int, body: RelationshipChange) -> Json:
        with database.write() as db:
            records.change_relationship(db, records.relationship(db, sid, ident), body.dict(exclude_unset=True))
        return {"success": True, "message": "Relationship updated"}

    @api.delete("/session/{sid}/relationships/{ident}")
    def delete_relationship(sid: str, ident: int) -> Json:
        with database.write() as db:
            db.execute("DELETE FROM relationship WHERE id = ?", (records.relationship(db, sid, ident)["id"],))
            records.touch(db, sid)
        return {"success": True, "message": "Relationship deleted"}

    return api


def component_routes(database: Database, naming: str) -> APIRouter:
    def by_query(session_id: Optional[str] = Query(None)) -> Optional[str]:
        return session_id

    def by_header(x_session_id: Optional[str] = Header(None)) -> Optional[str]:
        return x_session_id

    def unnamed() -> None:
        return None

    api = APIRouter(prefix="/nodes/{nid}/components")
    meant = Depends({"query": by_query, "header": by_header, "none": unnamed}[naming])

    @api.get("")
    def read(nid: str, sid: Optional[str] = meant) -> Response:
        with database.read() as db:
            return JSONResponse(mixture(db, nid, sid))

    @api.post("")
    def replace(nid: str, body: PoorSequence, sid: Optional[str] = meant) -> Response:
        with database.write() as db:
            records.replace_sequence(db, first_node(db, nid, sid), body)
            return JSONResponse(mixture(db, nid, sid))

    @api.post("/reorder")
    def reorder(nid: str, body: List[StrictInt], sid: Optional[str] = meant) -> Response:
        with database.write() as db:
            records.reorder_components(db, first_node(db, nid, sid), body)
            return JSONResponse(mixture(db, nid, sid))

    @api.put("/{order}")
    def update(nid: str, body: PoorComponent, order: int = Order, sid: Optional[str] = meant) -> Json:
        with database.write() as db:
            done = records.update_component(db, first_node(db, nid, sid), order, body)
        return poorer("components", done)

    @api.delete("/{order}")
    def delete(nid: str, order: int = Order, sid: Optional[str] = meant) -> Json:
        with database.write() as db:
            left = records.delete_component(db, first_node(db, nid, sid), order)
        return {"success": True, "remaining_components": left}

    return api


def routes(database: Database, naming: str = "none", listed: bool = False) -> APIRouter:
    api = APIRouter()
    whole = rich_sessions.routes(database)
    paths = ("/session/create", "/session/validate/{sid}", *(["/sessions"] if listed else []))
    api.routes += [route for route in whole.routes if route.path in paths]
    api.include_router(session_routes(database))
    api.include_router(component_routes(database, naming))
    return api
