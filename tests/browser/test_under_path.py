# SPDX-License-Identifier: GPL-3.0-or-later
"""The page behind a proxy that serves Lectern under a path, as nginx does with `location /lectern/ { proxy_pass http://.../; }`."""
import http.server
import subprocess
import threading
import unittest
import urllib.error
import urllib.request

import chromium
import harness

PREFIX = "/lectern"


def proxy(target):
    """Removes the prefix; keeps the paths that do not have it."""
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            if not self.path.startswith(PREFIX + "/"):
                self.server.outside.append(self.path)
                self.send_error(404)
                return
            try:
                answer = urllib.request.urlopen(target + self.path[len(PREFIX):], timeout=30)
            except urllib.error.HTTPError as error:
                answer = error
            body = answer.read()
            self.send_response(answer.status)
            self.send_header("Content-Type", answer.headers["Content-Type"])
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.outside = []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


class UnderPath(unittest.TestCase):
    def test_the_page_loads(self):
        command = chromium.chromium()
        workspace = harness.Workspace()
        self.addCleanup(workspace.close)
        server = harness.Server(workspace)
        self.addCleanup(server.close)
        front = proxy("http://127.0.0.1:%d" % server.port)
        self.addCleanup(front.server_close)
        self.addCleanup(front.shutdown)
        page = subprocess.run([
            command, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir=%s/chromium" % workspace.data,
            "--virtual-time-budget=20000", "--dump-dom", "http://127.0.0.1:%d%s/" % (front.server_address[1], PREFIX)],
            capture_output=True, timeout=120, text=True).stdout
        self.assertIn("Demo curriculum", page)
        self.assertNotIn("Lectern is loading", page)
        self.assertEqual([path for path in front.outside if path != "/favicon.ico"], [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
