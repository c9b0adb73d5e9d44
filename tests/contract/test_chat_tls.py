# SPDX-License-Identifier: GPL-3.0-or-later
"""A service with an untrusted certificate: the page shows what is wrong and what to do, and nothing is sent to the service. The server's
machine trusts a test authority, so a valid certificate is accepted."""
import os
import pathlib
import select
import shutil
import socket
import ssl
import stat
import subprocess
import tempfile
import threading
import unittest
from unittest import mock

import chat_case
import harness
from chat_case import ChatWorkspace, KEY, Page, Replay, serve
from replay_model import answer, text

AUTHORITIES = "/etc/ssl/certs/ca-certificates.crt"
# A mount of its own: nobody else sees the other authorities.
STARTER = """#!/bin/sh
exec unshare --mount --map-root-user sh -c 'mount --bind "$0" "$1" && shift && exec "$@"' '%s' '%s' '%s' "$@"
"""
ADVICE = ("certificate authorities", "--llm-url", "clock")


def openssl(*words):
    subprocess.run(["openssl", *words], check=True, capture_output=True)


class Authority:
    """Makes certificates for servers, in a folder."""

    def __init__(self, folder):
        self.folder = folder
        self.path = self.make_own("authority", "/CN=test-authority")

    def make_own(self, name, subject, *more):
        """One that vouches for itself; the file has the key as well."""
        path = "%s/%s.pem" % (self.folder, name)
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", subject,
                *more, "-keyout", path + ".key", "-out", path)
        return path

    def make(self, name, address, days):
        path = "%s/%s.pem" % (self.folder, name)
        openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=" + name, "-addext",
                "subjectAltName=" + address, "-keyout", path + ".key", "-out", path + ".csr")
        openssl("x509", "-req", "-in", path + ".csr", "-CA", self.path, "-CAkey", self.path + ".key", "-CAcreateserial",
                "-copy_extensions", "copy", "-days", str(days), "-out", path)
        return path


class Front:
    """TLS in front of the model, for one client at a time: what it sends once that is agreed on goes on, and is counted."""

    def __init__(self, certificate, behind):
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(certificate, certificate + ".key")
        self.behind = behind
        self.connections = self.bytes = 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = "https://127.0.0.1:%d" % self.listener.getsockname()[1]
        self.thread = threading.Thread(target=self._accept, daemon=True)
        self.thread.start()

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            self.connections += 1
            client.settimeout(chat_case.SECONDS)
            try:
                with self.context.wrap_socket(client, server_side=True) as wrapped:
                    self._serve(wrapped)
            except OSError:
                client.close()

    def _serve(self, client):
        """Bytes both ways, until one side has no more."""
        with socket.create_connection(("127.0.0.1", self.behind)) as model:
            while True:
                for ready in select.select([client, model], [], [], chat_case.SECONDS)[0] or [None]:
                    data = ready.recv(65536) if ready else b""
                    if not data:
                        return
                    self.bytes += len(data) if ready is client else 0
                    (model if ready is client else client).sendall(data)

    def close(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.thread.join(chat_case.SECONDS)


class Tls(unittest.IsolatedAsyncioTestCase):
    @classmethod
    def setUpClass(cls):
        if subprocess.run(["unshare", "--mount", "--map-root-user", "true"], capture_output=True, check=False).returncode != 0:
            raise unittest.SkipTest("SKIPPED: a user namespace cannot be made here: sysctl -w user.max_user_namespaces=15000")
        cls.folder = tempfile.TemporaryDirectory(prefix="lectern-test-tls-")
        cls.addClassCleanup(cls.folder.cleanup)
        if not shutil.which("openssl"):
            raise unittest.SkipTest("SKIPPED: openssl is not installed; `make deps` brings it")
        if not os.path.exists(AUTHORITIES):
            raise unittest.SkipTest("SKIPPED: ca-certificates is not installed; `make deps` brings it")
        cls.authority = Authority(cls.folder.name)
        starter = pathlib.Path(cls.folder.name, "lectern")
        starter.write_text(STARTER % (cls.authority.path, AUTHORITIES, harness.LECTERN))
        starter.chmod(starter.stat().st_mode | stat.S_IXUSR)
        cls.starter = starter

    async def ask(self, url):
        """The run of a question to a service there, and what the server logged."""
        workspace = ChatWorkspace(ANTHROPIC_API_KEY=KEY)
        self.addCleanup(workspace.close)
        sid = workspace.load(chat_case.DEMO_FILE)
        with mock.patch.object(harness, "LECTERN", self.starter):
            server = serve(workspace, "--warm", "bare=0,data=0,plot=0", "--llm-model", "played", "--llm-url", url)
        try:
            async with Page(server.port, sid) as page:
                run = await page.ask("Hello?")
        finally:
            self.assertEqual(server.close(), 0)
        self.assertFalse([line for line in (*page.frames, *server.lines) if KEY in line])
        return run

    async def refused(self, certificate, *said):
        with Replay([]) as model:
            front = Front(certificate, model.port)
            run = await self.ask(front.url)
            front.close()
            self.assertEqual(run.outcome, "error")
            for word in ("no secure connection", front.url, *said, *ADVICE):
                self.assertIn(word.lower(), run.error.lower())
            self.assertEqual((front.connections, front.bytes, model.requests), (1, 0, []), "sent, or tried again")

    async def test_a_certificate_that_is_trusted(self):
        """Without it the others would prove nothing."""
        with Replay([answer(text("Safely here."))]) as model:
            front = Front(self.authority.make("good", "IP:127.0.0.1", 2), model.port)
            run = await self.ask(front.url)
            front.close()
            self.assertEqual((run.outcome, run.text), ("success", "Safely here."))
            self.assertGreater(front.bytes, 0)
            self.assertEqual(model.violations, [])

    async def test_a_certificate_of_its_own(self):
        await self.refused(self.authority.make_own("own", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"), "self-signed")

    async def test_a_certificate_of_another(self):
        await self.refused(self.authority.make("another", "DNS:other.example", 2), "no alternative certificate subject name")

    async def test_a_certificate_that_has_expired(self):
        await self.refused(self.authority.make("expired", "IP:127.0.0.1", 0), "expired")

    async def test_a_service_without_tls(self):
        with Replay([]) as model:
            run = await self.ask(model.url.replace("http:", "https:"))
            for word in ("no secure connection", *ADVICE):
                self.assertIn(word, run.error)
            self.assertEqual(model.requests, [])


if __name__ == "__main__":
    unittest.main()
