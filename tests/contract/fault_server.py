# SPDX-License-Identifier: GPL-3.0-or-later
"""A server between ours and a session service that misbehaves on request: raw sockets, one request for each connection."""
import http.client
import socket
import threading
import time

HUGE_PIECE = b"x" * (1 << 20)


class FaultServer:
    """mode: pass, silent (for ever), refuse (nobody listens), 503, garbage, half, huge, lost (done, but not answered),
    undescribed (no /openapi.json), held (until the next set(), then passed on), unanswered (done, and
    answered after the next set()).
    only: the methods it is for; about: texts, one of which its path or X-Session-ID has; after: how many of those go through before."""

    def __init__(self, port):
        self.behind = port
        self.mode = "pass"
        self.only = ()
        self.about = ()
        self.holding = 0
        self.released = threading.Event()
        self.after = 0
        self.seen = []
        self.ending = threading.Event()
        self.lock = threading.Lock()
        self.threads = []
        self.listener = None
        self.port = 0
        self._listen()

    @property
    def url(self):
        return "http://127.0.0.1:%d" % self.port

    def _listen(self):
        self.listener = socket.socket()
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.listener.bind(("127.0.0.1", self.port))
        self.listener.listen(128)
        self.port = self.listener.getsockname()[1]
        self._start(self._accept, self.listener)

    def _start(self, work, argument):
        thread = threading.Thread(target=work, args=(argument,), daemon=True)
        self.threads.append(thread)
        thread.start()

    def set(self, mode, only=(), after=0, about=()):
        with self.lock:
            was, self.mode, self.only, self.after, self.about = self.mode, mode, only, after, about
            self.released.set()
            if mode in ("held", "unanswered"):
                self.released = threading.Event()
        if mode == "refuse":
            self._deafen()
        elif was == "refuse":
            self._listen()

    def _deafen(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()

    def _accept(self, listener):
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            self._start(self._serve, connection)

    def wait_for(self, count):
        """Until so many requests are held."""
        until = time.monotonic() + 60
        while self.holding < count:
            assert time.monotonic() < until, "%d of %d requests are held" % (self.holding, count)
            time.sleep(0.01)

    def _hold(self):
        with self.lock:
            released = self.released
            self.holding += 1
        released.wait()
        with self.lock:
            self.holding -= 1

    def _mode_for(self, method, path, headers):
        where = path + " " + headers.get("X-Session-ID", "")
        with self.lock:
            if self.mode == "pass" or (self.only and method not in self.only):
                return "pass"
            if self.about and not any(text in where for text in self.about):
                return "pass"
            if self.after > 0:
                self.after -= 1
                return "pass"
            return self.mode

    @staticmethod
    def _read(connection):
        data = b""
        while b"\r\n\r\n" not in data:
            more = connection.recv(65536)
            if not more:
                return None
            data += more
        head, body = data.split(b"\r\n\r\n", 1)
        lines = head.decode("latin-1").split("\r\n")
        headers = dict(line.split(": ", 1) for line in lines[1:])
        length = int(headers.get("Content-Length", 0))
        while len(body) < length:
            body += connection.recv(65536)
        method, path, _ = lines[0].split(" ")
        return method, path, headers, body

    def _forward(self, method, path, headers, body):
        behind = http.client.HTTPConnection("127.0.0.1", self.behind, timeout=30)
        kept = {name: value for name, value in headers.items() if name.lower() not in ("host", "content-length")}
        behind.request(method, path, body or None, kept)
        answer = behind.getresponse()
        text = answer.read()
        behind.close()
        head = "HTTP/1.1 %d X\r\nContent-Type: application/json\r\n" % answer.status
        if answer.headers.get("ETag"):
            head += "ETag: %s\r\n" % answer.headers["ETag"]
        length = "" if answer.status == 304 else "Content-Length: %d\r\n" % len(text)
        return (head + length + "Connection: close\r\n\r\n").encode() + text

    def _serve(self, connection):
        with connection:
            try:
                request = self._read(connection)
                if request:
                    self.seen.append(request[:3])
                    self._answer(connection, self._mode_for(*request[:3]), request)
            except OSError:
                pass  # who asked has given up

    def _answer(self, connection, mode, request):
        if mode == "silent":
            self.ending.wait()
        elif mode == "503":
            connection.sendall(b"HTTP/1.1 503 X\r\nContent-Length: 22\r\nConnection: close\r\n\r\n{\"detail\": \"too busy\"}")
        elif mode == "garbage":
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 18\r\nConnection: close\r\n\r\n<html>what?</html>")
        elif mode == "half":
            answer = self._forward(*request)
            connection.sendall(answer[:len(answer) - 7])
        elif mode == "huge":
            connection.sendall(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{\"nodes\": \"")
            while not self.ending.is_set():
                connection.sendall(HUGE_PIECE)
        elif mode == "lost":
            self._forward(*request)
        elif mode == "undescribed" and request[1] == "/openapi.json":
            connection.sendall(b"HTTP/1.1 404 X\r\nContent-Length: 23\r\nConnection: close\r\n\r\n{\"detail\": \"Not Found\"}")
        else:
            if mode == "held":
                self._hold()
            answer = self._forward(*request) if mode == "unanswered" else None
            if answer:
                self._hold()
            connection.sendall(answer or self._forward(*request))

    def close(self):
        self.ending.set()
        self.released.set()
        if self.mode != "refuse":
            self._deafen()
        for thread in self.threads:
            thread.join(timeout=30)
