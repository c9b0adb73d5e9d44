# SPDX-License-Identifier: GPL-3.0-or-later
"""A CMS's session API: FastAPI over SQLite, under uvicorn.

    /usr/bin/python3 tests/fastapi/service.py --database FILE [--port 0] [--undescribed] [--exercises] [--poor [--naming query|header] [--listed]]

Port 0 takes a free one. Says "Serving http://127.0.0.1:PORT" on standard output once it listens. With SESSION_API_TOKEN set it
wants that token. --poor is the service of the field, as the end of the contract describes it; poor.py says what its options are.
--undescribed: no /openapi.json. --exercises: it stores the component types of exercises.
"""
import argparse
import socket

import uvicorn
from fastapi import FastAPI

import etag
import guard
import poor
import rich_components
import rich_sessions
from component_types import EXERCISES, TYPES
from database import Database
from records import Json


def application(database: Database, options: argparse.Namespace) -> FastAPI:
    app = FastAPI(title="CMS", version="1.0", openapi_url=None if options.undescribed else "/openapi.json")

    @app.get("/health")
    def health() -> Json:
        return {"status": "healthy", "service": "cms", "version": "1.0"}

    if options.poor:
        app.include_router(poor.routes(database, options.naming, options.listed))
    else:
        app.include_router(rich_sessions.routes(database))
        app.include_router(rich_components.routes(database))
    guard.install(app)
    etag.install(app)
    return app


def main() -> None:
    parser = argparse.ArgumentParser(description="The session API of a CMS")
    parser.add_argument("--database", required=True)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--poor", action="store_true")
    parser.add_argument("--naming", choices=("none", "query", "header"), default="none")
    parser.add_argument("--listed", action="store_true")
    parser.add_argument("--undescribed", action="store_true")
    parser.add_argument("--exercises", action="store_true")
    options = parser.parse_args()
    if options.exercises:
        TYPES.update(EXERCISES)
    app = application(Database(options.database), options)
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", options.port))
    listener.listen(1024)
    print("Serving http://127.0.0.1:%d" % listener.getsockname()[1], flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False)).run(sockets=[listener])


if __name__ == "__main__":
    main()
