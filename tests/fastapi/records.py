# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows to what the API shows, and back. Each function works within the transaction of its caller."""
import datetime
import json
import sqlite3
import uuid
from typing import Any, Dict, Iterable, List, Optional

from fastapi import HTTPException

from component_types import CATEGORIES
from models import ComponentIn, NodeIn, RelationshipIn, SequenceIn

Json = Dict[str, Any]
NODE_FIELDS = ("title", "content_category", "raw_content", "chapter_id")


def now() -> str:
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


# ---- sessions ----


def session(db: sqlite3.Connection, sid: str) -> sqlite3.Row:
    row = db.execute("SELECT * FROM session WHERE session_id = ?", (sid,)).fetchone()
    if row is None:
        raise HTTPException(401, "Unknown session %s" % sid)
    return row


def touch(db: sqlite3.Connection, sid: str) -> int:
    """Raises the session's version with each write; it is what an ETag names."""
    db.execute("UPDATE session SET version = version + 1, last_modified = ? WHERE session_id = ?", (now(), sid))
    return session(db, sid)["version"]


def create_session(db: sqlite3.Connection, title: str) -> str:
    sid = str(uuid.uuid4())
    db.execute("INSERT INTO session (session_id, title, last_modified) VALUES (?, ?, ?)", (sid, title, now()))
    for node_id in ("N001", "N002"):
        create_node(db, sid, NodeIn(node_id=node_id, title="Node " + node_id))
    return sid


# ---- nodes ----


def find_node(db: sqlite3.Connection, sid: str, nid: str) -> Optional[sqlite3.Row]:
    session(db, sid)
    return db.execute("SELECT * FROM node WHERE session_id = ? AND node_id = ?", (sid, nid)).fetchone()


def node(db: sqlite3.Connection, sid: str, nid: str) -> sqlite3.Row:
    row = find_node(db, sid, nid)
    if row is None:
        raise HTTPException(404, "There is no node %s" % nid)
    return row


def nodes_named(db: sqlite3.Connection, nid: str) -> List[sqlite3.Row]:
    """Of any session, oldest first."""
    return db.execute("SELECT * FROM node WHERE node_id = ? ORDER BY key", (nid,)).fetchall()


def show_node(row: sqlite3.Row) -> Json:
    shown = json.loads(row["further"])
    shown.update({name: row[name] for name in ("node_id", *NODE_FIELDS, "session_id", "created_at", "last_modified")})
    return shown


def list_nodes(db: sqlite3.Connection, sid: str) -> List[Json]:
    return [show_node(row) for row in db.execute("SELECT * FROM node WHERE session_id = ? ORDER BY key", (sid,))]


def touch_node(db: sqlite3.Connection, row: sqlite3.Row) -> None:
    db.execute("UPDATE node SET version = ?, last_modified = ? WHERE key = ?",
               (touch(db, row["session_id"]), now(), row["key"]))


def create_node(db: sqlite3.Connection, sid: str, body: NodeIn) -> None:
    time = now()
    db.execute("INSERT INTO node (session_id, node_id, title, content_category, raw_content, chapter_id, further, version,"
               " created_at, last_modified) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
               (sid, body.node_id, body.title, body.content_category, body.raw_content, body.chapter_id,
                dump(body.further()), touch(db, sid), time, time))


def change_node(db: sqlite3.Connection, row: sqlite3.Row, body: NodeIn) -> None:
    given = body.dict(exclude_unset=True)
    values = [given.get(name, row[name]) for name in NODE_FIELDS]
    further = {**json.loads(row["further"]), **body.further()}
    db.execute("UPDATE node SET title = ?, content_category = ?, raw_content = ?, chapter_id = ?, further = ?"
               " WHERE key = ?", (*values, dump(further), row["key"]))
    touch_node(db, row)


def delete_node(db: sqlite3.Connection, row: sqlite3.Row) -> None:
    db.execute("DELETE FROM relationship WHERE session_id = ? AND ? IN (from_node_id, to_node_id)",
               (row["session_id"], row["node_id"]))
    db.execute("DELETE FROM node WHERE key = ?", (row["key"],))
    touch(db, row["session_id"])


def texts(row: sqlite3.Row) -> Json:
    kept = json.loads(row["texts"])
    return {"session_id": row["session_id"], "node_id": row["node_id"], **{name: kept.get(name) for name in CATEGORIES}}


def write_texts(db: sqlite3.Connection, row: sqlite3.Row, given: Json) -> None:
    db.execute("UPDATE node SET texts = ? WHERE key = ?", (dump({**json.loads(row["texts"]), **given}), row["key"]))
    touch_node(db, row)


def positions(db: sqlite3.Connection, sid: str) -> Json:
    rows = db.execute("SELECT node_id, position FROM node WHERE session_id = ? AND position IS NOT NULL ORDER BY key", (sid,))
    return {row["node_id"]: json.loads(row["position"]) for row in rows}


def write_positions(db: sqlite3.Connection, sid: str, given: Json) -> None:
    for nid, point in given.items():
        db.execute("UPDATE node SET position = ? WHERE key = ?", (dump(point) if point else None, node(db, sid, nid)["key"]))
    touch(db, sid)


# ---- components ----


def show_component(row: sqlite3.Row, order: int) -> Json:
    shown = json.loads(row["further"])
    shown.update(component_id=row["component_id"], revision=row["revision"], type=row["type"], component_type=row["type"],
                 order=order, order_index=order, parameters=json.loads(row["parameters"]), confidence=row["confidence"])
    return shown


def components(db: sqlite3.Connection, key: int) -> List[Json]:
    rows = db.execute("SELECT * FROM component WHERE node = ? ORDER BY place", (key,))
    return [show_component(row, order) for order, row in enumerate(rows, 1)]


def sequence(db: sqlite3.Connection, row: sqlite3.Row) -> Json:
    shown = components(db, row["key"])
    told = [component["confidence"] for component in shown]
    overall = row["overall_confidence"]
    if overall is None and told:
        overall = sum(told) / len(told)
    return {"node_id": row["node_id"], "title": row["title"], "components": shown, "total_components": len(shown),
            "suggested_template": row["suggested_template"], "overall_confidence": overall}


def component_at(db: sqlite3.Connection, row: sqlite3.Row, order: int) -> sqlite3.Row:
    found = db.execute("SELECT * FROM component WHERE node = ? AND place = ?", (row["key"], order)).fetchone()
    if found is None:
        raise HTTPException(404, "Node %s has no component %d" % (row["node_id"], order))
    return found


def put_component(db: sqlite3.Connection, key: int, place: int, body: ComponentIn, ident: str, revision: int) -> None:
    db.execute("INSERT INTO component (node, place, component_id, revision, type, parameters, confidence, further)"
               " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
               (key, place, ident, revision, body.type, dump(body.parameters), body.confidence, dump(body.further())))


def insert_component(db: sqlite3.Connection, row: sqlite3.Row, position: Optional[int], body: ComponentIn) -> Json:
    total = db.execute("SELECT count(*) FROM component WHERE node = ?", (row["key"],)).fetchone()[0]
    place = min(position or total + 1, total + 1)
    db.execute("UPDATE component SET place = place + 1 WHERE node = ? AND place >= ?", (row["key"], place))
    put_component(db, row["key"], place, body, str(uuid.uuid4()), 1)
    touch_node(db, row)
    return show_component(component_at(db, row, place), place)


def update_component(db: sqlite3.Connection, row: sqlite3.Row, order: int, body: ComponentIn) -> Json:
    old = component_at(db, row, order)
    further = {**json.loads(old["further"]), **body.further()}
    db.execute("UPDATE component SET type = ?, parameters = ?, confidence = ?, further = ?, revision = revision + 1"
               " WHERE key = ?", (body.type, dump(body.parameters), body.confidence, dump(further), old["key"]))
    touch_node(db, row)
    return show_component(component_at(db, row, order), order)


def delete_component(db: sqlite3.Connection, row: sqlite3.Row, order: int) -> int:
    db.execute("DELETE FROM component WHERE key = ?", (component_at(db, row, order)["key"],))
    db.execute("UPDATE component SET place = place - 1 WHERE node = ? AND place > ?", (row["key"], order))
    touch_node(db, row)
    return db.execute("SELECT count(*) FROM component WHERE node = ?", (row["key"],)).fetchone()[0]


def in_order(given: Iterable[ComponentIn]) -> List[ComponentIn]:
    """By what they say of their order; one that says nothing stands where it was sent."""
    return [body for _, body in sorted(((body.order or place, body) for place, body in enumerate(given, 1)),
                                       key=lambda pair: pair[0])]


def replace_components(db: sqlite3.Connection, row: sqlite3.Row, given: List[ComponentIn]) -> int:
    old = {component["component_id"]: component["revision"] for component in components(db, row["key"])}
    db.execute("DELETE FROM component WHERE node = ?", (row["key"],))
    for place, body in enumerate(in_order(given), 1):
        revision = old.pop(body.component_id, 0)    # an id is good for one component, and only where it was
        put_component(db, row["key"], place, body, body.component_id if revision else str(uuid.uuid4()), revision + 1)
    touch_node(db, row)
    return len(given)


def replace_sequence(db: sqlite3.Connection, row: sqlite3.Row, body: SequenceIn) -> None:
    replace_components(db, row, body.components)
    db.execute("UPDATE node SET suggested_template = ?, overall_confidence = ? WHERE key = ?",
               (body.suggested_template, body.overall_confidence, row["key"]))


def reorder_components(db: sqlite3.Connection, row: sqlite3.Row, order: List[int]) -> None:
    keys = [found["key"] for found in db.execute("SELECT key FROM component WHERE node = ? ORDER BY place", (row["key"],))]
    if sorted(order) != list(range(1, len(keys) + 1)):
        raise field_fault(["body", "order"], "send each of the places 1 to %d once" % len(keys))
    for place, old in enumerate(order, 1):
        db.execute("UPDATE component SET place = ? WHERE key = ?", (place, keys[old - 1]))
    touch_node(db, row)


# ---- relationships ----


def field_fault(loc: List[Any], message: str) -> HTTPException:
    return HTTPException(422, [{"loc": loc, "msg": message, "type": "value_error"}])


def show_relationship(row: sqlite3.Row) -> Json:
    shown = json.loads(row["further"])
    shown.update({name: row[name] for name in row.keys() if name != "further"})
    return shown


def relationships(db: sqlite3.Connection, sid: str) -> List[Json]:
    rows = db.execute("SELECT * FROM relationship WHERE session_id = ? ORDER BY id", (sid,))
    return [show_relationship(row) for row in rows]


def relationship(db: sqlite3.Connection, sid: str, ident: int) -> sqlite3.Row:
    session(db, sid)
    row = db.execute("SELECT * FROM relationship WHERE session_id = ? AND id = ?", (sid, ident)).fetchone()
    if row is None:
        raise HTTPException(404, "There is no relationship %d" % ident)
    return row


def create_relationship(db: sqlite3.Connection, sid: str, body: RelationshipIn) -> int:
    for nid in (body.from_node_id, body.to_node_id):
        node(db, sid, nid)
    try:
        done = db.execute("INSERT INTO relationship (session_id, from_node_id, to_node_id, relationship_type, explanation,"
                          " created_by, confidence_score, further, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                          (sid, body.from_node_id, body.to_node_id, body.relationship_type, body.explanation,
                           body.created_by, body.confidence_score, dump(body.further()), now()))
    except sqlite3.IntegrityError as error:
        raise HTTPException(409, "There is a %s from %s to %s already" %
                            (body.relationship_type, body.from_node_id, body.to_node_id)) from error
    return done.lastrowid


def create_all(db: sqlite3.Connection, sid: str, bodies: List[RelationshipIn]) -> None:
    """All or none, each bad one named."""
    bad, status = [], 422
    for place, body in enumerate(bodies):
        try:
            create_relationship(db, sid, body)
        except HTTPException as error:
            bad.append({"loc": ["body", "relationships", place], "msg": error.detail, "type": "value_error"})
            status = error.status_code
    if len(bad) == 1 and status != 422:
        raise HTTPException(status, "relationships.%d: %s" % (bad[0]["loc"][2], bad[0]["msg"]))
    if bad:
        raise HTTPException(422, bad)
    touch(db, sid)


def change_relationship(db: sqlite3.Connection, row: sqlite3.Row, given: Json) -> None:
    values = [given.get(name, row[name]) for name in ("relationship_type", "explanation", "confidence_score")]
    try:
        db.execute("UPDATE relationship SET relationship_type = ?, explanation = ?, confidence_score = ? WHERE id = ?",
                   (*values, row["id"]))
    except sqlite3.IntegrityError as error:
        raise HTTPException(409, "There is one of that type between these nodes already") from error
    touch(db, row["session_id"])
