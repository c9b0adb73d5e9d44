# SPDX-License-Identifier: GPL-3.0-or-later
"""Sign-in by the tokens of an issuer that is written here: what is accepted and refused, new keys, and an issuer that is slow, away, or
answers garbage."""
import base64
import concurrent.futures
import hashlib
import hmac
import http.server
import json
import threading
import time
import unittest

import harness
import jwt
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from test_sign_in import SECONDS, SignedIn, bearer, upgrade, wait_for

AUDIENCE = "https://lectern.example.org/mcp"
IN_TIME = 15  # seconds within which a request is answered while the issuer does not answer
CURVES = {"ES256": ec.SECP256R1(), "ES384": ec.SECP384R1(), "ES512": ec.SECP521R1()}


def encoded(data):
    return base64.urlsafe_b64encode(data if isinstance(data, bytes) else json.dumps(data).encode()).rstrip(b"=").decode()


class Key:
    def __init__(self, algorithm, kid, bits=2048):
        self.algorithm, self.kid = algorithm, kid
        if algorithm in CURVES:
            self.private = ec.generate_private_key(CURVES[algorithm])
            self.public = jwt.algorithms.ECAlgorithm.to_jwk(self.private.public_key()) if hasattr(jwt.algorithms.ECAlgorithm, "to_jwk") else None
            self.public = json.loads(self.public) if self.public else self.curve_point()
        else:
            self.private = rsa.generate_private_key(65537, bits)
            self.public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(self.private.public_key()))
        self.public.pop("key_ops", None)
        self.public.update(kid=kid, use="sig", alg=algorithm)

    def curve_point(self):
        numbers, size = self.private.public_key().public_numbers(), (self.private.curve.key_size + 7) // 8
        return {"kty": "EC", "crv": {256: "P-256", 384: "P-384", 521: "P-521"}[self.private.curve.key_size],
                "x": encoded(numbers.x.to_bytes(size, "big")), "y": encoded(numbers.y.to_bytes(size, "big"))}

    def sign(self, claims, **header):
        header = {"typ": "at+jwt", "kid": self.kid, **header}
        return jwt.encode(claims, self.private, self.algorithm, {name: value for name, value in header.items() if value is not None})

    def pem(self):
        return self.private.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)


class Issuer:
    """Metadata and keys over HTTP. paths: answers by path, each bytes or a value; None: 404. delay: seconds before each answer."""

    def __init__(self):
        issuer = self
        self.requests, self.delay, self.paths = [], 0, {}

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                issuer.requests.append(self.path)
                issuer.wait.wait(issuer.delay)
                answer = issuer.paths.get(self.path)
                body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
                try:
                    self.send_response(404 if answer is None else 200)
                    self.send_header("Content-Length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)
                except OSError:
                    pass  # it has given up

            def log_message(self, *_):
                pass

        self.wait = threading.Event()
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.handle_error = lambda *_: None  # a client that has given up
        self.url = "http://127.0.0.1:%d" % self.server.server_port
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.05,))
        self.thread.start()

    def publish(self, *keys, form="/.well-known/oauth-authorization-server", path=""):
        self.paths = {form: {"issuer": self.url + path, "jwks_uri": self.url + "/keys"}, "/keys": {"keys": [key.public for key in keys]}}

    def fetches(self):
        return self.requests.count("/keys")

    def close(self):
        if self.wait.is_set():
            return
        self.wait.set()
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


class IssuerCase(unittest.TestCase):
    path = ""  # of the issuer's address
    options = ()

    @classmethod
    def setUpClass(cls):
        cls.keys = {name: Key(name, "key-" + name) for name in ("RS256", "ES256")}

    def setUp(self):
        self.workspace = harness.Workspace()
        self.addCleanup(self.workspace.close)
        self.issuer = Issuer()
        self.addCleanup(self.issuer.close)
        self.prepare()
        self.start()
        self.addCleanup(self.end)

    def prepare(self):
        self.issuer.publish(*self.keys.values())

    def start(self):
        self.server = harness.Server(self.workspace, "--sandbox", harness.LOCAL, "--warm", "bare=0,data=0,plot=0", "--issuer",
                                     self.issuer.url + self.path, "--audience", AUDIENCE, *self.options)

    def end(self):
        self.assertEqual(self.server.close(), 0)
        self.assertNotIn("eyJ", "".join(self.server.lines))

    def claims(self, **changed):
        now = int(time.time())
        claims = {"iss": self.issuer.url + self.path, "aud": AUDIENCE, "exp": now + 300, "iat": now, "sub": "anna", "client_id": "c1",
                  "scope": "openid read edit", **changed}
        return {name: value for name, value in claims.items() if value is not None}

    def token(self, algorithm="RS256", header=None, **changed):
        return self.keys[algorithm].sign(self.claims(**changed), **(header or {}))

    def ask(self, token, method="GET", path="/sessions"):
        """(status, headers) on a connection of its own."""
        client = harness.Client(self.server.port)
        try:
            status, _, headers = client.http(method, path, None, **bearer(token))
        finally:
            client.connection.close()
        return status, headers

    def refused(self, token, why):
        status, headers = self.ask(token)
        self.assertEqual(status, 401, why)
        self.assertIn('error="invalid_token"', headers["WWW-Authenticate"])
        self.assertIn(why, headers["WWW-Authenticate"])


class Tokens(IssuerCase):
    def test_good(self):
        for algorithm in ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512"):
            self.keys.setdefault(algorithm, Key(algorithm, "key-" + algorithm))
        self.issuer.publish(*self.keys.values())
        for algorithm in self.keys:
            self.assertEqual(self.ask(self.token(algorithm))[0], 200, algorithm)
        self.assertEqual(self.issuer.fetches(), 2)
        self.assertEqual(self.ask(self.token(aud=["https://other.example", AUDIENCE]))[0], 200)
        self.assertEqual(self.ask(self.token(nbf=int(time.time()) - 5, exp=time.time() + 60.5))[0], 200)
        for kind in ("JWT", "application/at+jwt", None):
            self.assertEqual(self.ask(self.token(header={"typ": kind}))[0], 200, kind)

    def test_metadata(self):
        client = harness.Client(self.server.port)
        for path in ("", "/mcp"):
            _, answer, _ = client.http("GET", "/.well-known/oauth-protected-resource" + path)
            self.assertEqual((answer["resource"], answer["authorization_servers"]), (AUDIENCE, [self.issuer.url]))
        client.connection.close()

    def test_scopes(self):
        read = self.token(scope="read")
        self.assertEqual(self.ask(read)[0], 200)
        for scope, status in (("read", 403), ("edit", 200), ("read edit", 200), ("reader editor", 403), ("", 403), (None, 403), (["edit"], 403)):
            self.assertEqual(self.ask(self.token(scope=scope, jti=str(scope)), "POST", "/session/create")[0], status, scope)
        status, headers = self.ask(self.token(scope="email"))
        self.assertEqual(status, 403)
        self.assertIn('scope="read"', headers["WWW-Authenticate"])

    def test_a_learner(self):
        """Bound to a learner by the claim; the scopes learn and operate reach nothing else. The server has no tutor: 404."""
        learner = "0123456789abcdef" * 2
        for claims, path, status in (({"scope": "learn", "learner": learner}, "/learners/" + learner, 404), ({"scope": "operate"}, "/learners/" + learner, 404),
                                     ({"scope": "learn", "learner": learner}, "/sessions", 403), ({"scope": "operate learn"}, "/sessions", 403),
                                     ({"scope": "read operate"}, "/sessions", 200), ({"scope": "read"}, "/learners/" + learner, 403)):
            self.assertEqual(self.ask(self.token(jti=str(claims), **claims), path=path)[0], status, claims)
        for wrong in (learner.upper(), learner[1:], 7, [learner], {}):
            self.refused(self.token(scope="learn", learner=wrong), "claim learner must be")

    def test_algorithms(self):
        """`none`, and a public key as the secret of an HMAC."""
        claims = self.claims()
        self.refused(jwt.encode(claims, None, "none", {"kid": "key-RS256"}), "base64url")
        for name in ("none", "None", "HS256", "RSA-OAEP", "ES256K", "EdDSA", None, 7):
            head = encoded({"alg": name, "kid": "key-RS256", "typ": "at+jwt"}) + "." + encoded(claims)
            for secret in (self.keys["RS256"].pem(), json.dumps(self.keys["RS256"].public).encode(), b""):
                signature = hmac.new(secret, head.encode(), hashlib.sha256).digest()
                self.refused(head + "." + encoded(signature), "algorithm")
        # The key of one algorithm for another.
        self.refused(self.keys["RS256"].sign(claims, kid="key-ES256"), "key")
        forged = jwt.encode(claims, self.keys["RS256"].private, "PS256", {"kid": "key-RS256"})
        self.refused(forged, "key")

    def test_foreign_keys(self):
        foreign = Key("RS256", "key-RS256")
        self.refused(foreign.sign(self.claims()), "signature")
        self.refused(foreign.sign(self.claims(), jwk=foreign.public), "signature")
        before = len(self.issuer.requests)
        self.issuer.paths["/foreign"] = {"keys": [foreign.public]}
        self.refused(foreign.sign(self.claims(), jku=self.issuer.url + "/foreign"), "signature")
        self.refused(foreign.sign(self.claims(), x5u=self.issuer.url + "/foreign", x5c=["MIIB"]), "signature")
        self.assertEqual(len(self.issuer.requests), before)
        self.refused(Key("RS256", "unknown").sign(self.claims(), jku=self.issuer.url + "/foreign"), "key")
        self.assertNotIn("/foreign", self.issuer.requests)

    def test_claims(self):
        now = int(time.time())
        for why, changed in (("audience", {"aud": "https://other.example"}), ("audience", {"aud": None}), ("audience", {"aud": AUDIENCE + "/"}),
                             ("audience", {"aud": [[AUDIENCE]]}), ("issuer", {"iss": "https://other.example"}), ("issuer", {"iss": None}),
                             ("issuer", {"iss": self.issuer.url + "/"}), ("expired", {"exp": now - 1}), ("ends", {"exp": None}),
                             ("ends", {"exp": "2030"}), ("ends", {"exp": -1}), ("not valid yet", {"nbf": now + 300}), ("valid", {"nbf": "now"}),
                             ("whose", {"sub": None, "client_id": None})):
            self.refused(self.token(**changed) if "aud" not in changed or not isinstance(changed["aud"], list)
                         else self.keys["RS256"].sign(self.claims(**changed)), why)
        for why, header in (("crit", {"crit": ["x"]}), ("type", {"typ": "logout+jwt"}), ("key id", {"kid": "x" * 300})):
            self.refused(self.token(header=header), why)

    def test_claims_that_two_readers_take_differently(self):
        """A text with U+0000, which others compare up to it, and a name twice."""
        for changed in ({"sub": "anna\0x"}, {"iss": self.issuer.url + self.path + "\0x"}, {"aud": [AUDIENCE + "\0x"]}, {"scope": "read\0"},
                        {"preferred_username": "a\0b"}, {"extra": [{"deep": "\0"}]}):
            self.refused(self.keys["RS256"].sign(self.claims(**changed)), "U+0000")
        claims = json.dumps(self.claims())[:-1] + ', "sub": "ben"}'
        head, key = encoded({"alg": "RS256", "kid": "key-RS256"}), self.keys["RS256"].private
        signature = key.sign((head + "." + encoded(claims.encode())).encode(), padding.PKCS1v15(), hashes.SHA256())
        self.refused(".".join((head, encoded(claims.encode()), encoded(signature))), "repeated")

    def test_tampered(self):
        good = self.token(scope="read")
        head, payload, signature = good.split(".")
        claims = json.loads(base64.urlsafe_b64decode(payload + "=="))
        self.refused(".".join((head, encoded(dict(claims, scope="edit")), signature)), "signature")
        self.refused(".".join((head, payload, signature[:-8] + "AAAAAAA" + signature[-1])), "signature")
        for broken in (head + "." + payload, good + ".x", head + ".." + signature, "..", "a.b.c", encoded([]) + "." + payload + "." + signature,
                       head + "." + encoded(b"\xff") + "." + signature, head + "." + payload + "=." + signature, "{" + good):
            status, _ = self.ask(broken)
            self.assertEqual(status, 401, broken)
        self.assertEqual(self.ask(good)[0], 200)

    def test_large(self):
        self.assertEqual(self.ask(self.token(extra="x" * 9000))[0], 431)
        self.assertEqual(self.ask(self.token(extra="x" * 4000))[0], 200)

    def test_name_and_holder(self):
        status, _ = self.ask(self.token(preferred_username="Anna Zoë\n"), "POST", "/session/create")
        self.assertEqual(status, 200)
        client = SignedIn(self.server.port, self.token(jti="1"), "2025-11-25")
        client.token = self.token(jti="2")  # a later token of the same holder
        self.assertEqual(client.post({"jsonrpc": "2.0", "id": 2, "method": "ping"})[0], 200)
        client.token = self.token(sub="ben")
        self.assertEqual(client.post({"jsonrpc": "2.0", "id": 3, "method": "ping"})[0], 404)
        client.connection.close()

    def test_end(self):
        token = self.token(exp=int(time.time()) + 3)
        self.assertEqual(self.ask(token)[0], 200)
        wait_for(lambda: self.ask(token)[0] == 401)

    def test_flood_of_unknown_keys(self):
        """They cost one fetch in all, and an honest token beside them is answered."""
        flood = [Key("ES256", "made-up-%d" % i).sign(self.claims()) for i in range(20)]
        with concurrent.futures.ThreadPoolExecutor(10) as pool:
            answers = list(pool.map(lambda token: self.ask(token)[0], flood))
        self.assertEqual(set(answers), {401})
        self.assertEqual(self.issuer.fetches(), 2)
        self.assertEqual(self.ask(self.token())[0], 200)


class NewKeys(IssuerCase):
    def test_new_key(self):
        old = self.token()
        self.assertEqual(self.ask(old)[0], 200)
        later = Key("ES256", "later")
        self.issuer.publish(later)
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            tokens = [later.sign(self.claims(jti=str(i))) for i in range(4)]
            self.assertEqual(list(pool.map(lambda token: self.ask(token)[0], tokens)), [200] * 4)
        self.assertEqual(self.issuer.fetches(), 2)
        self.assertEqual(self.ask(old)[0], 200)  # remembered
        self.refused(self.token(jti="new"), "key")  # its key is withdrawn
        self.assertEqual(self.issuer.fetches(), 2)

    def test_key_without_id(self):
        self.assertEqual(self.ask(self.token(header={"kid": None}))[0], 200)
        other = Key("RS256", "other")
        self.issuer.publish(*self.keys.values(), other)
        self.assertEqual(self.ask(other.sign(self.claims()))[0], 200)  # both are known now
        self.refused(self.token(header={"kid": None}, jti="2"), "key")

    def test_keys_that_do_not_count(self):
        weak, other, private = Key("RS256", "weak", 1024), Key("RS256", "other"), Key("RS256", "private")
        other.public["use"] = "enc"
        private.public["d"] = "AAAA"
        self.issuer.publish(weak, other, private)
        self.issuer.paths["/keys"]["keys"] += [7, {}, {"kty": "oct", "k": "AAAA", "kid": "oct"}, {"kty": "RSA", "kid": 5}]
        self.assertEqual(self.ask(private.sign(self.claims()))[0], 200)
        self.refused(weak.sign(self.claims()), "key")
        self.refused(other.sign(self.claims()), "key")
        secret = jwt.encode(self.claims(), b"\0\0\0", "HS256", {"kid": "oct"})
        self.refused(secret, "algorithm")


class WithPath(IssuerCase):
    """OpenID's form, which puts the issuer's path first, is the last one that is tried."""

    path = "/tenant"

    def prepare(self):
        self.issuer.publish(*self.keys.values(), form="/tenant/.well-known/openid-configuration", path=self.path)

    def test_good(self):
        self.assertEqual(self.ask(self.token())[0], 200)
        self.assertEqual(self.issuer.requests, ["/.well-known/oauth-authorization-server/tenant", "/.well-known/openid-configuration/tenant",
                                                "/tenant/.well-known/openid-configuration", "/keys"])


class Trouble(IssuerCase):
    def away(self, token):
        begin = time.monotonic()
        status, headers = self.ask(token)
        self.assertLess(time.monotonic() - begin, IN_TIME)
        self.assertEqual(status, 503)
        self.assertGreaterEqual(int(headers["Retry-After"]), 1)

    def trouble(self):
        """With a known token, and one that needs a key that is not known yet."""
        known = self.token()
        self.assertEqual(self.ask(known)[0], 200)
        unknown = Key("ES256", "later").sign(self.claims())
        return known, unknown

    def test_slow(self):
        known, unknown = self.trouble()
        self.issuer.delay = 60
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            waiting = pool.submit(self.away, unknown)
            wait_for(lambda: self.issuer.fetches() == 2)
            begin = time.monotonic()
            for _ in range(20):
                self.assertEqual(self.ask(known)[0], 200)
            self.assertEqual(self.ask(self.token("ES256"))[0], 200)  # a new token with a known key
            self.assertFalse(waiting.done() and time.monotonic() - begin < 1)
            waiting.result()
        self.away(unknown)

    def test_left_while_waiting(self):
        """A client that does not wait for the issuer, and an end of the server meanwhile."""
        _, unknown = self.trouble()
        self.issuer.delay = 60
        client = harness.Client(self.server.port)
        client.connection.request("GET", "/sessions", headers=bearer(unknown))
        wait_for(lambda: self.issuer.fetches() == 2)
        client.connection.close()
        client = harness.Client(self.server.port)
        client.connection.request("GET", "/sessions", headers=bearer(unknown))
        time.sleep(0.3)
        client.connection.close()

    def test_away(self):
        known, unknown = self.trouble()
        self.issuer.close()
        self.away(unknown)
        self.assertEqual(self.ask(known)[0], 200)

    def test_upgrade_while_away(self):
        """An upgrade does not wait for the issuer."""
        known, unknown = self.trouble()
        self.issuer.close()
        for _ in range(2):  # while the keys are being fetched, and when that has failed
            for path in ("/mcp-sync", "/chat?session_id=none"):
                status, headers = upgrade(self.server.port, path, unknown)
                self.assertEqual(status, 503, path)
                self.assertGreaterEqual(int(headers["Retry-After"]), 1)
                self.assertNotIn("WWW-Authenticate", headers)
            self.away(unknown)
        self.assertEqual(upgrade(self.server.port, "/mcp-sync", known)[0], 101)
        for refused in ("lectern_unknown", "a.b.c", self.token(aud="https://other.example")):  # the issuer is not asked about them
            status, headers = upgrade(self.server.port, "/mcp-sync", refused)
            self.assertEqual(status, 401, refused)
            self.assertIn('error="invalid_token"', headers["WWW-Authenticate"])

    def test_garbage(self):
        known, unknown = self.trouble()
        self.issuer.paths["/keys"] = b"<html>"
        self.away(unknown)
        self.away(unknown)
        self.assertEqual(self.ask(known)[0], 200)
        self.assertEqual(self.ask(self.token("ES256"))[0], 200)


class TroubleAtTheStart(IssuerCase):
    def prepare(self):
        self.issuer.publish(*self.keys.values())
        self.good = dict(self.issuer.paths)
        self.issuer.paths["/keys"] = None

    def test_comes_back(self):
        """No keys yet: 503, and they are fetched some seconds later."""
        self.assertEqual(self.ask(self.token())[0], 503)
        self.assertEqual(self.ask(self.token(), path="/health")[0], 200)
        self.issuer.paths = self.good
        wait_for(lambda: self.ask(self.token())[0] == 200)

    def test_garbage(self):
        """Each document is given to a new server, which fetches it at start."""
        form = "/.well-known/oauth-authorization-server"
        url = self.issuer.url
        self.assertEqual(self.ask(self.token())[0], 503)
        for metadata in (b"", b"null", b"[" * 5000, {"issuer": url + "x", "jwks_uri": url + "/keys"}, {"issuer": url}, {"issuer": url, "jwks_uri": 7},
                         {"issuer": url, "jwks_uri": "http://192.0.2.1/keys"}, {"issuer": url, "jwks_uri": "file:///etc/passwd"},
                         {"issuer": url, "jwks_uri": url + "/keys", "x": "x" * 100000}):
            self.end()
            self.issuer.paths = {form: metadata, "/keys": self.good["/keys"]}
            self.issuer.requests.clear()
            self.start()
            self.assertEqual(self.ask(self.token())[0], 503, str(metadata)[:80])
            self.assertIn(form, self.issuer.requests)
            self.assertEqual(self.issuer.fetches(), 0)


class BesideAFile(IssuerCase):
    """Tokens of a file do not depend on the issuer, whose keys never come here."""

    def prepare(self):
        super().prepare()
        self.issuer.paths["/keys"] = None
        file = self.workspace.data + "/tokens"
        self.ben = self.workspace.run("token", "--token-file", file, "ben").stdout.decode().strip()
        self.options = ("--token-file", file)

    def test_tokens(self):
        for token, status in ((self.ben, 200), (self.ben + "x", 401), (self.token(), 503)):
            self.assertEqual(self.ask(token)[0], status)
            self.assertEqual(upgrade(self.server.port, "/mcp-sync", token)[0], {200: 101}.get(status, status))


assert SECONDS > 5  # ISSUER_RETRY_MS, for wait_for


if __name__ == "__main__":
    unittest.main()
