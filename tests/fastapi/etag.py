# SPDX-License-Identifier: GPL-3.0-or-later
"""Strong ETags, 304 for what the client has, 412 with the present state for a write that comes too late."""
from typing import Any, Callable, Dict, Optional

from fastapi import FastAPI, Header, Request
from fastapi.responses import JSONResponse, Response

Json = Dict[str, Any]
IfMatch = Header(None, alias="If-Match")
IfNoneMatch = Header(None, alias="If-None-Match")


class Stale(Exception):
    def __init__(self, tag: str, current: Json) -> None:
        super().__init__(tag)
        self.tag = tag
        self.current = current


def named(header: Optional[str], tag: str) -> bool:
    return header is not None and (header.strip() == "*" or tag in [part.strip() for part in header.split(",")])


def answer(content: Json, tag: str, if_none_match: Optional[str]) -> Response:
    if named(if_none_match, tag):
        return Response(status_code=304, headers={"ETag": tag})
    return JSONResponse(content, headers={"ETag": tag})


def check(if_match: Optional[str], tag: str, current: Callable[[], Json]) -> None:
    """Within the transaction of the write."""
    if if_match is not None and not named(if_match, tag):
        raise Stale(tag, current())


async def answer_stale(_: Request, stale: Stale) -> Response:
    return JSONResponse({"detail": "It has changed since it was read", "current": stale.current}, 412, {"ETag": stale.tag})


def install(app: FastAPI) -> None:
    app.add_exception_handler(Stale, answer_stale)
