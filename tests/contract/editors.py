# SPDX-License-Identifier: GPL-3.0-or-later
"""Concurrent editors of one session, over REST and MCP, each with its own components between those of the others; and clients of /mcp-sync
that watch. An editor remembers each edit that was acknowledged; the tests compare that with the session."""
import asyncio
import http.client
import random
import re
import threading
import time
import uuid

import harness

NODES = 10
KEEPS = 6       # components an editor has at most
TRIES = 400
BUSY_SECONDS = 0.05
COMPONENT_ID = re.compile(r"component_id ([0-9a-f-]{36})")


class Gone(Exception):
    """The server went away in the middle of a call."""


class Edit:
    """One call, which can be repeated: its key says that it is the same."""

    def __init__(self, op, node, component_id=None, text=None):
        self.op, self.node, self.component_id, self.text = op, node, component_id, text
        self.key = str(uuid.uuid4())
        self.order = self.tag = None    # of a delete by REST, which knows places only
        self.started = self.ended = None


class Rest:
    """The session API; perform() gives the component's id, or None where the call must be made anew."""

    name = "rest"

    def __init__(self, port, sid):
        self.client = harness.Client(port)
        self.sid = sid

    def ask(self, method, path, body=None, **headers):
        return self.client.http(method, "/session/%s/nodes/%s" % (self.sid, path), body, **headers)

    def insert(self, edit):
        return self.ask("POST", edit.node + "/components/insert",
                        {"type": "paragraph", "parameters": {"text": edit.text}, "position": 1}, Idempotency_Key=edit.key)

    def update(self, edit):
        return self.ask("PUT", edit.node + "/components/1", {
            "component_id": edit.component_id, "type": "paragraph", "parameters": {"text": edit.text}, "confidence": 1},
            Idempotency_Key=edit.key)

    def delete(self, edit):
        if edit.tag is None:
            _, found, headers = self.ask("GET", edit.node + "/components")
            edit.order = next(component["order"] for component in found["components"]
                              if component["component_id"] == edit.component_id)
            edit.tag = headers["ETag"]
        return self.ask("DELETE", "%s/components/%d" % (edit.node, edit.order), None, Idempotency_Key=edit.key,
                        If_Match=edit.tag)

    def perform(self, edit):
        status, answer, _ = getattr(self, edit.op)(edit)
        if status == 412:
            edit.tag, edit.key = None, str(uuid.uuid4())    # another call: it names another state
        if status in (412, 429, 503):
            return None
        if status != 200:
            raise AssertionError((edit.op, status, answer))
        return edit.component_id or answer["component_id"]

    def close(self):
        self.client.connection.close()


class Mcp:
    """The tools, over HTTP."""

    name = "mcp"

    def __init__(self, port, sid):
        self.client = harness.Client(port)
        self.sid = sid
        self.client.initialize()

    def insert(self, edit):
        return self.client.call("add_component", session_id=self.sid, node_id=edit.node, component_type="paragraph",
                                parameters={"text": edit.text}, position=1, idempotency_key=edit.key)

    def update(self, edit):
        return self.client.call("edit_component", session_id=self.sid, node_id=edit.node, component_id=edit.component_id,
                                new_parameters={"text": edit.text}, idempotency_key=edit.key)

    def delete(self, edit):
        return self.client.call("delete_component", session_id=self.sid, node_id=edit.node, component_id=edit.component_id,
                                idempotency_key=edit.key)

    def perform(self, edit):
        is_error, text = getattr(self, edit.op)(edit)
        if is_error and "busy" in text:
            return None
        if is_error:
            raise AssertionError((edit.op, text))
        return edit.component_id or COMPONENT_ID.search(text).group(1)

    def close(self):
        self.client.connection.close()


class Editor(threading.Thread):
    """Edits until told to stop, or until the server is gone."""

    def __init__(self, number, door, port, sid, stop, pause):
        super().__init__(daemon=True)
        self.number, self.door, self.port, self.sid, self.stop, self.pause = number, door, port, sid, stop, pause
        self.node = "E%02d" % (number % NODES)
        self.random = random.Random(number)
        self.kept = {}          # component_id -> text, as acknowledged
        self.done = []          # acknowledged edits
        self.doubt = None       # the edit whose answer never came
        self.failure = None
        self.count = 0

    def run(self):
        connected = None
        try:
            connected = self.door(self.port, self.sid)
            while not self.stop.is_set():
                self.make(connected, self.next_edit())
                self.stop.wait(self.random.uniform(0, 2 * self.pause))
        except (OSError, http.client.HTTPException, Gone):
            pass
        except Exception as failure:    # told in the test's thread
            self.failure = failure
        finally:
            if connected:
                connected.close()

    def next_edit(self):
        self.count += 1
        text = "%d.%d" % (self.number, self.count)
        op = self.random.choices(("insert", "update", "delete"), (5, 3, 2))[0]
        if not self.kept or (op == "insert" and len(self.kept) < KEEPS):
            return Edit("insert", self.node, None, text)
        component_id = self.random.choice(list(self.kept))
        if op == "delete" or len(self.kept) == KEEPS and self.door is Mcp:
            return Edit("delete", self.node, component_id)
        return Edit("update", self.node, component_id, text)

    def make(self, connected, edit):
        self.doubt = edit
        edit.started = time.monotonic()
        for _ in range(TRIES):
            component_id = connected.perform(edit)
            if component_id:
                self.acknowledge(edit, component_id)
                return
            time.sleep(BUSY_SECONDS)
        raise AssertionError("an edit was put off %d times" % TRIES)

    def acknowledge(self, edit, component_id):
        edit.ended = time.monotonic()
        edit.component_id = component_id
        self.doubt = None
        self.done.append(edit)
        if edit.op == "delete":
            del self.kept[component_id]
        else:
            self.kept[component_id] = edit.text

    def settle(self, port):
        """After a crash: makes the call whose answer never came once more, with its key."""
        if self.doubt:
            connected = self.door(port, self.sid)
            self.make(connected, self.doubt)
            connected.close()


def make_nodes(client, sid):
    for number in range(NODES):
        status, answer, _ = client.http("POST", "/session/%s/nodes" % sid, {"node_id": "E%02d" % number, "title": "Editors"})
        assert status == 200, answer


def start(count, port, sid, pause, first=0):
    """(editors, stop): of the numbers from first on, every other by MCP."""
    stop = threading.Event()
    editors = [Editor(number, (Rest, Mcp)[number % 2], port, sid, stop, pause) for number in range(first, first + count)]
    for editor in editors:
        editor.start()
    return editors, stop


def finish(editors, stop):
    stop.set()
    for editor in editors:
        editor.join()
    for editor in editors:
        if editor.failure:
            raise editor.failure


def compare(case, client, sid, editors):
    """No acknowledged edit is lost, none is doubled, and the orders are dense."""
    for number in range(NODES):
        node = "E%02d" % number
        status, answer, _ = client.http("GET", "/session/%s/nodes/%s/components" % (sid, node))
        case.assertEqual(status, 200)
        components = answer["components"]
        case.assertEqual([component["order"] for component in components], list(range(1, len(components) + 1)))
        expected = {}
        for editor in editors:
            if editor.node == node:
                expected.update(editor.kept)
        case.assertEqual({component["component_id"]: component["parameters"]["text"] for component in components}, expected)


class Watchers(threading.Thread):
    """Clients of /mcp-sync that say they are in a session, and note what they are told, and when."""

    def __init__(self, count, port, sid):
        super().__init__(daemon=True)
        self.count, self.port, self.sid = count, port, sid
        self.told = [[] for _ in range(count)]      # (time, message)
        self.ready = threading.Event()
        self.failure = None
        self.loop = asyncio.new_event_loop()
        self.over = asyncio.Event()

    def run(self):
        try:
            self.loop.run_until_complete(self.watch_all())
        except Exception as failure:    # told in the test's thread
            self.failure = failure
        finally:
            self.ready.set()
            self.loop.close()

    async def watch_all(self):
        import web_sockets
        url = "ws://127.0.0.1:%d/mcp-sync" % self.port
        sockets = [await web_sockets.connect(url) for _ in range(self.count)]
        for number, socket in enumerate(sockets):
            await socket.send('{"type": "context_update", "context": {"session_id": "%s", "node_id": "E%02d", "screen": "editor",'
                              ' "action": "edit"}}' % (self.sid, number % NODES))
            await socket.ping()
        tasks = [asyncio.ensure_future(self.watch(socket, told)) for socket, told in zip(sockets, self.told)]
        self.ready.set()
        await self.over.wait()
        for socket in sockets:
            await socket.close()
        await asyncio.gather(*tasks)

    async def watch(self, socket, told):
        async for message in socket:
            told.append((time.monotonic(), message))
        if not self.over.is_set():
            raise AssertionError("a client of /mcp-sync was disconnected")

    def close(self):
        self.loop.call_soon_threadsafe(self.over.set)
        self.join()
        if self.failure:
            raise self.failure
