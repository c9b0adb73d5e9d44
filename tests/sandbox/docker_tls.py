# SPDX-License-Identifier: GPL-3.0-or-later
"""The Docker engine over TCP, with and without TLS, against a real daemon with test certificates.

Runs under with_docker.sh, and restarts its daemon with other arguments; at the end with its own.
"""
import os
import socket
import subprocess
import tempfile
import unittest

FOLDER = os.environ["LECTERN_DOCKERD"]
BUILD = os.environ["LECTERN_BUILD"]
DOCKERD = os.path.join(os.path.dirname(os.path.abspath(__file__)), "dockerd.sh")
LECTERN = os.path.join(BUILD, "lectern")
FLOOD = b"for i in range(8):\n    print(str(i) * 7000)\n'done'"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def openssl(*words):
    subprocess.run(["openssl", *words], check=True, capture_output=True)


def make_authority(folder):
    os.makedirs(folder)
    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=authority", "-keyout",
            f"{folder}/ca-key.pem", "-out", f"{folder}/ca.pem")


def make_certificate(folder, name, extensions):
    with open(f"{folder}/extensions", "w") as file:
        file.write(extensions)
    openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={name}", "-keyout", f"{folder}/{name}key.pem", "-out",
            f"{folder}/{name}.csr")
    openssl("x509", "-req", "-days", "2", "-in", f"{folder}/{name}.csr", "-CA", f"{folder}/ca.pem", "-CAkey",
            f"{folder}/ca-key.pem", "-CAcreateserial", "-extfile", f"{folder}/extensions", "-out", f"{folder}/{name}cert.pem")


def daemon(what, *args):
    environment = dict(os.environ, LECTERN_DOCKERD_ARGS=" ".join(args))
    subprocess.run([DOCKERD, what, FOLDER], check=True, env=environment, stdout=subprocess.DEVNULL)


def execute(host, code, certificates=None):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("DOCKER_")}
    environment["DOCKER_HOST"] = host
    if certificates:
        environment.update(DOCKER_TLS_VERIFY="1", DOCKER_CERT_PATH=certificates)
    return subprocess.run([LECTERN, "exec", "--sandbox", "docker", "--image", os.environ["LECTERN_IMAGE"], "-"], input=code,
                          env=environment, capture_output=True, timeout=120)


def tearDownModule():
    daemon("stop")
    daemon("start")


class Tcp(unittest.TestCase):
    @classmethod
    def restart(cls, *args):
        daemon("stop")
        cls.port = free_port()
        cls.host = f"tcp://127.0.0.1:{cls.port}"
        daemon("start", "-H", cls.host, *args)

    def check_runs(self, certificates=None):
        done = execute(self.host, b"print(40 + 2)", certificates)
        self.assertEqual((done.returncode, done.stdout), (0, b"42\n"), done.stderr)
        done = execute(self.host, FLOOD, certificates)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, b"".join(b"%d" % i * 7000 + b"\n" for i in range(8)) + b"'done'\n")

    def check_refused(self, words, host, certificates=None):
        done = execute(host, b"print(1)", certificates)
        self.assertEqual(done.returncode, 127, done.stderr)
        self.assertIn(words, done.stderr.decode())


class Tls(Tcp):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="lectern-tls-")
        cls.certificates, cls.others = f"{cls.folder.name}/ours", f"{cls.folder.name}/others"
        for folder in (cls.certificates, cls.others):
            make_authority(folder)
            make_certificate(folder, "", "extendedKeyUsage=clientAuth\n")
        make_certificate(cls.certificates, "server-", "subjectAltName=IP:127.0.0.1\nextendedKeyUsage=serverAuth\n")
        cls.restart("--tlsverify", "--tlscacert", f"{cls.certificates}/ca.pem", "--tlscert",
                    f"{cls.certificates}/server-cert.pem", "--tlskey", f"{cls.certificates}/server-key.pem")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_runs(self):
        self.check_runs(self.certificates)

    def test_whole_sandbox(self):
        """The same tests as over a Unix socket: streams both ways, cancels, deadlines, floods."""
        environment = dict(os.environ, DOCKER_HOST=self.host, DOCKER_TLS_VERIFY="1", DOCKER_CERT_PATH=self.certificates)
        done = subprocess.run([f"{BUILD}/tests/sandbox/test_sandbox", "docker"], env=environment, capture_output=True,
                              timeout=600)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_refusals(self):
        self.check_refused("certificate", self.host, self.others)  # the daemon's is of no authority that we know
        mixed = f"{self.folder.name}/mixed"
        os.makedirs(mixed)
        for name, source in (("ca.pem", self.certificates), ("cert.pem", self.others), ("key.pem", self.others)):
            os.symlink(f"{source}/{name}", f"{mixed}/{name}")
        self.check_refused("certificate", self.host, mixed)  # ours is of none that it knows
        self.check_refused("DOCKER_TLS_VERIFY=1", self.host)  # plain words to a port of TLS
        # By another name than the certificate's.
        self.check_refused("certificate", f"tcp://localhost:{self.port}", self.certificates)


class Plain(Tcp):
    def test_runs(self):
        self.restart("--tls=false")
        self.check_runs()
        self.check_refused("DOCKER_CERT_PATH", self.host, "/nonexistent")


if __name__ == "__main__":
    unittest.main(verbosity=2)
