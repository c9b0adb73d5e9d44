# SPDX-License-Identifier: GPL-3.0-or-later
"""The base class of tests with WebSockets: each has its own server with two sessions, which must end cleanly."""
import asyncio
import unittest

import harness

SECONDS = 15  # for one message to come


class SocketCase(unittest.IsolatedAsyncioTestCase):
    options = ()

    def setUp(self):
        self.workspace = harness.Workspace()
        self.start()
        self.sid, self.other = self.new_session(), self.new_session()

    def start(self):
        self.server = harness.Server(self.workspace, "--no-demo", "--sandbox", harness.LOCAL, "--warm", "bare=0,data=0,plot=0",
                                     *self.options)

    def tearDown(self):
        if self.server.process.returncode is None:
            self.assertEqual(self.server.close(), 0)
        self.workspace.close()

    async def stop(self):
        """Ends the server, while the clients here go on and answer its close frames."""
        self.assertEqual(await asyncio.to_thread(self.server.close), 0)

    def new_session(self):
        return self.http("POST", "/session/create")["session_id"]

    def http(self, method, path, body=None, **headers):
        status, value, _ = self.server.http(method, path, body, **headers)
        self.assertEqual(status, 200, value)
        return value
