# SPDX-License-Identifier: GPL-3.0-or-later
"""--tls-cert and --tls-key: everything that is said without TLS is said with it, certificates are read again, and clients that do not
speak it, or not on, do not hold up others."""
import asyncio
import concurrent.futures
import hashlib
import http.client
import json
import os
import shutil
import socket
import ssl
import subprocess
import time
import unittest
import warnings
from pathlib import Path

import harness
import web_sockets

SECONDS = 20


class Tls(unittest.TestCase):
    def setUp(self):
        if not shutil.which("openssl"):
            raise unittest.SkipTest("SKIPPED: openssl is not installed; `make deps` brings it")
        self.workspace = harness.Workspace()
        self.addCleanup(self.workspace.close)
        self.folder = Path(self.workspace.data)
        self.cert, self.key = str(self.folder / "cert.pem"), str(self.folder / "key.pem")
        self.make(self.cert, self.key)
        self.sid = self.workspace.load(harness.ROOT / "mcp/curriculum/demo/demo_curriculum.json")
        self.server = harness.Server(self.workspace, "--sandbox", harness.LOCAL, "--warm", "bare=0,data=0,plot=0", "--tls-cert", self.cert,
                                     "--tls-key", self.key)
        self.server.connection = self.connect()
        self.addCleanup(self.end)

    def end(self):
        if self.server.process.returncode is None:
            self.assertEqual(self.server.close(), 0)

    def make(self, cert, key, kind=("ec", "-pkeyopt", "ec_paramgen_curve:P-256")):
        subprocess.run(["openssl", "req", "-x509", "-newkey", *kind, "-nodes", "-days", "2", "-subj",
                        "/CN=lectern", "-addext", "subjectAltName=IP:127.0.0.1", "-out", cert + ".new", "-keyout", key + ".new"],
                       check=True, capture_output=True)
        os.replace(key + ".new", key)
        os.replace(cert + ".new", cert)

    def context(self):
        return ssl.create_default_context(cafile=self.cert)

    def connect(self):
        return http.client.HTTPSConnection("127.0.0.1", self.server.port, timeout=harness.ANSWER_SECONDS, context=self.context())

    def test_mcp(self):
        self.server.initialize()
        self.assertIn("40 nodes", self.server.good("query_graph", query="counts"))
        self.assertIn("1", self.server.good("execute_code", code="print(1)"))

    def test_large(self):
        """Bodies and answers of many records, on a kept connection."""
        body = {"component_type": "paragraph", "text": "x" * 3_000_000}
        for _ in range(3):
            status, answer, _ = self.server.http("POST", "/session/%s/nodes/N001/content" % self.sid, body)
            self.assertEqual(status, 422, answer)
            status, answer, _ = self.server.http("GET", "/session/%s/components" % self.sid)
            self.assertEqual(status, 200)
            self.assertGreater(len(json.dumps(answer)), 100_000)

    def test_many(self):
        def ask(_):
            connection = self.connect()
            connection.request("GET", "/sessions")
            status = connection.getresponse().status
            connection.close()
            return status
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            self.assertEqual(set(pool.map(ask, range(60))), {200})

    def test_web_socket(self):
        async def watch():
            url = "wss://127.0.0.1:%d/mcp-sync?session_id=%s" % (self.server.port, self.sid)
            async with web_sockets.connect(url, ssl=self.context()) as client:
                status, _, _ = await asyncio.to_thread(self.server.http, "PUT", "/session/" + self.sid, {"title": "New"})
                self.assertEqual(status, 200)
                return json.loads(await asyncio.wait_for(client.recv(), SECONDS))
        self.assertEqual(asyncio.run(watch())["type"], "refresh_ui")

    def presented(self):
        """The certificate that a new client is shown."""
        context = ssl._create_unverified_context()  # it is compared below
        with socket.create_connection(("127.0.0.1", self.server.port)) as plain, context.wrap_socket(plain) as client:
            self.assertIn(client.version(), ("TLSv1.2", "TLSv1.3"))
            return hashlib.sha256(client.getpeercert(True)).digest()

    def wanted(self):
        return hashlib.sha256(ssl.PEM_cert_to_DER_cert(Path(self.cert).read_text())).digest()

    def test_new_certificate(self):
        """A connection that is open goes on; a certificate without its key changes nothing."""
        self.assertEqual(self.server.http("GET", "/health")[0], 200)
        first = self.wanted()
        self.make(self.cert, str(self.folder / "other.pem"))
        time.sleep(1.2)
        self.assertEqual(self.presented(), first)
        self.make(self.cert, self.key)
        end = time.monotonic() + SECONDS
        while self.presented() != self.wanted():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.2)
        self.assertEqual(self.server.http("GET", "/health")[0], 200)
        self.assertIn("the certificate in use stays", "".join(self.server.lines))

    def test_not_tls(self):
        """Plain HTTP, garbage, an old version, a client that says nothing and one that leaves: others are answered meanwhile."""
        silent = socket.create_connection(("127.0.0.1", self.server.port))
        half = socket.create_connection(("127.0.0.1", self.server.port))
        half.sendall(b"\x16\x03\x01\x02\x00\x01")
        for text in (b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", b"\0" * 100, os.urandom(1000)):
            with socket.create_connection(("127.0.0.1", self.server.port), timeout=SECONDS) as client:
                client.sendall(text)
                try:
                    self.assertNotIn(b"200", client.recv(4096))
                except ConnectionResetError:
                    pass
        old = ssl._create_unverified_context()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            old.minimum_version = old.maximum_version = ssl.TLSVersion.TLSv1_1
        with socket.create_connection(("127.0.0.1", self.server.port), timeout=SECONDS) as plain:
            self.assertRaises((ssl.SSLError, ConnectionResetError), old.wrap_socket, plain)
        for _ in range(50):
            socket.create_connection(("127.0.0.1", self.server.port)).close()
        self.assertEqual(self.server.http("GET", "/health")[0], 200)
        silent.close()
        half.close()

    def test_forward_secrecy(self):
        """TLS 1.2 is spoken with an ephemeral key alone, whatever the client offers."""
        context = ssl._create_unverified_context()
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        for kind in ("ec", "-pkeyopt", "ec_paramgen_curve:P-256"), ("rsa:2048",):
            self.make(self.cert, self.key, kind)
            end = time.monotonic() + SECONDS
            while self.presented() != self.wanted():
                self.assertLess(time.monotonic(), end)
                time.sleep(0.2)
            for offered, spoken in ("ALL:@SECLEVEL=0", True), ("kRSA", False), ("ECDHE+AES:!AESGCM:!AESCCM", False):
                context.set_ciphers(offered)
                with self.subTest(kind=kind[0], offered=offered), \
                        socket.create_connection(("127.0.0.1", self.server.port), timeout=SECONDS) as plain:
                    if spoken:
                        with context.wrap_socket(plain) as client:
                            self.assertRegex(client.cipher()[0], r"^ECDHE-(RSA|ECDSA)-(AES(128|256)-GCM|CHACHA20)")
                    else:
                        self.assertRaises((ssl.SSLError, ConnectionResetError), context.wrap_socket, plain)

    def test_browsers_stay_with_tls(self):
        self.server.connection = self.connect()
        for path in ("/", "/health", "/sessions", "/nowhere"):
            self.assertEqual(self.server.http("GET", path)[2]["Strict-Transport-Security"], "max-age=31536000", path)

    def test_client_that_does_not_read(self):
        """It keeps neither memory nor the end of the server."""
        with socket.create_connection(("127.0.0.1", self.server.port)) as plain, self.context().wrap_socket(plain, server_hostname="127.0.0.1") as client:
            for _ in range(200):
                client.sendall(b"GET /session/%s/components HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" % self.sid.encode())
            self.assertEqual(self.server.http("GET", "/health")[0], 200)
            self.assertEqual(self.server.close(), 0)

    def test_no_files(self):
        for cert, key in ((self.key, self.cert), (self.cert, self.cert), ("/nowhere", self.key), (self.cert, "/dev/null")):
            done = self.workspace.run("serve", "--port", "0", "--no-demo", "--tls-cert", cert, "--tls-key", key, check=False)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(b"--tls-", done.stderr)


if __name__ == "__main__":
    unittest.main()
