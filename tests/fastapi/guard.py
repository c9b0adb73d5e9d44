# SPDX-License-Identifier: GPL-3.0-or-later
"""What holds for every request: the bearer token where one is set, the cap on bodies, and the contract's 400."""
import os
from typing import Any, Dict, Optional

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response

BODY_CAP = 16 << 20


class Guard:
    """Plain ASGI, in front of all routes."""

    def __init__(self, app: Any) -> None:
        self.app = app
        token = os.environ.get("SESSION_API_TOKEN")
        self.expected = b"Bearer " + token.encode() if token else None

    def refusal(self, headers: Dict[bytes, bytes]) -> Optional[Response]:
        if self.expected and headers.get(b"authorization") != self.expected:
            return JSONResponse({"detail": "Send Authorization: Bearer TOKEN"}, 401, {"WWW-Authenticate": "Bearer"})
        if int(headers.get(b"content-length", 0)) > BODY_CAP:
            return JSONResponse({"detail": "The body is larger than 16 MiB"}, 413)
        return None

    async def __call__(self, scope: Dict[str, Any], receive: Any, send: Any) -> None:
        refusal = self.refusal(dict(scope["headers"])) if scope["type"] == "http" else None
        if refusal is None:
            await self.app(scope, receive, send)
            return
        while (await receive()).get("more_body"):   # a client that is still sending would not read the answer
            pass
        await refusal(scope, receive, send)


NO_JSON = ("value_error.jsondecode", "json_invalid")    # of pydantic 1 and 2


async def malformed_is_400(_: Request, error: RequestValidationError) -> Response:
    # Pydantic 2 adds the input, which JSON may not be able to carry, and the kinds of number that a field may have to the field's place.
    faults = [{"loc": [part for part in fault["loc"] if part not in ("int", "float")], "msg": fault["msg"], "type": fault["type"]}
              for fault in error.errors()]
    if any(fault["type"] in NO_JSON for fault in faults):
        return JSONResponse({"detail": "The body is no JSON"}, 400)
    return JSONResponse({"detail": faults}, 422)


def install(app: FastAPI) -> None:
    app.add_middleware(Guard)
    app.add_exception_handler(RequestValidationError, malformed_is_400)
