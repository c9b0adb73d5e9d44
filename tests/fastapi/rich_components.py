# SPDX-License-Identifier: GPL-3.0-or-later
"""The whole contract: components, by the path with its session and by the bare one."""
import sqlite3
from typing import List, Optional, Union

from fastapi import APIRouter, Depends, Header, HTTPException, Path
from fastapi.responses import Response
from pydantic import StrictInt

import etag
import records
from database import Database
from etag import IfMatch, IfNoneMatch
from models import ComponentIn, InsertIn, Reorder, SequenceIn
from records import Json

Order = Path(..., ge=1)


class Place:
    """The node that a path means."""

    def __init__(self, nid: str, sid: Optional[str] = None) -> None:
        self.nid = nid
        self.sid = sid

    def row(self, db: sqlite3.Connection) -> sqlite3.Row:
        if self.sid:
            return records.node(db, self.sid, self.nid)
        rows = records.nodes_named(db, self.nid)
        if len(rows) > 1:
            raise HTTPException(409, "%d sessions have a node %s: name one in the header X-Session-ID" % (len(rows), self.nid))
        if not rows:
            raise HTTPException(404, "There is no node %s" % self.nid)
        return rows[0]


def scoped(sid: str, nid: str) -> Place:
    return Place(nid, sid)


def bare(nid: str, session_id: Optional[str] = None, x_session_id: Optional[str] = Header(None)) -> Place:
    return Place(nid, x_session_id or session_id)


def tag_of(row: sqlite3.Row) -> str:
    return '"n%d"' % row["version"]


def show(db: sqlite3.Connection, place: Place, if_none_match: Optional[str] = None) -> Response:
    row = place.row(db)
    return etag.answer(records.sequence(db, row), tag_of(row), if_none_match)


def checked(db: sqlite3.Connection, place: Place, if_match: Optional[str]) -> sqlite3.Row:
    row = place.row(db)
    etag.check(if_match, tag_of(row), lambda: records.sequence(db, row))
    return row


def component_routes(database: Database, prefix: str, place: object) -> APIRouter:
    api = APIRouter(prefix=prefix)
    where: Place = Depends(place)

    @api.get("/components")
    def read(place: Place = where, if_none_match: Optional[str] = IfNoneMatch) -> Response:
        with database.read() as db:
            return show(db, place, if_none_match)

    @api.post("/components")
    def replace(body: SequenceIn, place: Place = where, if_match: Optional[str] = IfMatch) -> Response:
        with database.write() as db:
            records.replace_sequence(db, checked(db, place, if_match), body)
            return show(db, place)

    @api.post("/components/reorder")
    def reorder(body: Union[Reorder, List[StrictInt]], place: Place = where, if_match: Optional[str] = IfMatch) -> Response:
        with database.write() as db:
            row = checked(db, place, if_match)
            records.reorder_components(db, row, body.order if isinstance(body, Reorder) else body)
            return show(db, place)

    @api.post("/components/insert")
    def insert(body: InsertIn, place: Place = where, if_match: Optional[str] = IfMatch) -> Json:
        with database.write() as db:
            done = records.insert_component(db, checked(db, place, if_match), body.position, body)
        return {"success": True, "message": "Component %d inserted" % done["order"], **done}

    @api.put("/components/{order}")
    def update(body: ComponentIn, order: int = Order, place: Place = where, if_match: Optional[str] = IfMatch) -> Json:
        with database.write() as db:
            done = records.update_component(db, checked(db, place, if_match), order, body)
        return {"success": True, "message": "Component %d saved" % order, **done}

    @api.delete("/components/{order}")
    def delete(order: int = Order, place: Place = where, if_match: Optional[str] = IfMatch) -> Json:
        with database.write() as db:
            left = records.delete_component(db, checked(db, place, if_match), order)
        return {"success": True, "remaining_components": left}

    return api


def routes(database: Database) -> APIRouter:
    api = APIRouter()
    api.include_router(component_routes(database, "/session/{sid}/nodes/{nid}", scoped))
    api.include_router(component_routes(database, "/nodes/{nid}", bare))

    @api.put("/session/{sid}/nodes/{nid}/auto-save")
    def auto_save(sid: str, nid: str, body: SequenceIn, if_match: Optional[str] = IfMatch) -> Json:
        with database.write() as db:
            row = checked(db, Place(nid, sid), if_match)
            total = records.replace_components(db, row, body.components)
        return {"success": True, "saved_at": records.now(), "total_components": total}

    return api
