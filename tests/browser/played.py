# SPDX-License-Identifier: GPL-3.0-or-later
"""The model played byte by byte (tests/parts/replay_model.py) for a script of this folder, which asks it what came: GET /journal."""
import json
import sys

import chromium
import harness

sys.path.insert(0, str(harness.ROOT / "tests/parts"))
from replay_model import KEY, Replay  # noqa: E402


class Played(Replay):
    """Answers in their order; of /journal a list of {"asked": the newest message's texts, "closed": whether the client left}."""

    def _handle(self, connection, request):
        if request.path != "/journal":
            return super()._handle(connection, request)
        entries = [{"asked": self._texts(one), "closed": one.closed is not None} for one in self.requests]
        body = json.dumps(entries).encode()
        connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n"
                           b"content-length: %d\r\n\r\n" % len(body) + body)
        return False

    @staticmethod
    def _texts(request):
        content = request.json["messages"][-1]["content"]
        return [content] if isinstance(content, str) else [block["text"] for block in content if block["type"] == "text"]


def run(script, seconds, answers, *words):
    """Runs it on the demo in a data folder of its own, with LECTERN_MODEL and LECTERN_MODEL_KEY; then looks at what was asked."""
    workspace = harness.Workspace()
    try:
        workspace.run("demo")
        with Played(answers) as model:
            output = chromium.run(script, workspace, seconds, *words, LECTERN_MODEL=model.url, LECTERN_MODEL_KEY=KEY)
            model.check()
            left = next(model._answers, None)
            assert left is None, "the model was to be asked more than that"
            return output
    finally:
        workspace.close()
