# SPDX-License-Identifier: GPL-3.0-or-later
"""MCP clients of others, from npm, against a real server: clients/walk.mjs is what each of them must be able to do. They are installed
into the build folder from the lock file, with their node."""
import hashlib
import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import harness
import npm

SOURCES = harness.ROOT / "tests/contract/clients"
PLACE = harness.BUILD / "clients"
NODE = PLACE / npm.NODE
SECONDS = 600
DOCUMENT = harness.ROOT / "docs/clients.md"
CLAUDE = PLACE / "node_modules/@anthropic-ai/claude-code-linux-x64/claude"
MCPB = PLACE / "node_modules/@anthropic-ai/mcpb/dist/cli/cli.js"
# Only loopback, and when the shell ends nothing of it is left.
ALONE = ["bwrap", "--dev-bind", "/", "/", "--proc", "/proc", "--unshare-net", "--unshare-pid", "--die-with-parent"]
COUNTS = "40 nodes in 5 groups"


class NpmCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        npm.folder("clients")
        for script in SOURCES.glob("*.mjs"):  # beside node_modules, where their imports resolve; others may be reading them
            with tempfile.NamedTemporaryFile(dir=PLACE, delete=False) as copy:
                copy.write(script.read_bytes())
            os.replace(copy.name, PLACE / script.name)

    def run_tests(self, name, count):
        """Runs the tests of NAME.test.mjs, which are so many."""
        environment = dict(os.environ, LECTERN=str(harness.LECTERN), NODE_NO_WARNINGS="1", NO_COLOR="1")
        done = subprocess.run([NODE, "--test", "--test-reporter=spec", name + ".test.mjs"], cwd=PLACE, env=environment,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS, check=False)
        output = done.stdout.decode()
        self.assertEqual(done.returncode, 0, output)
        self.assertEqual(re.findall(r"^ℹ (?:pass|skipped|todo) (\d+)$", output, re.MULTILINE), [str(count), "0", "0"], output)


class Libraries(NpmCase):
    def test_sdk_v1(self):
        self.run_tests("sdk_v1", 3)

    def test_sdk_v2(self):
        self.run_tests("sdk_v2", 9)

    def test_ai_sdk(self):
        self.run_tests("ai_sdk", 3)

    def test_openai_agents(self):
        self.run_tests("openai_agents", 5)

    def test_mastra(self):
        self.run_tests("mastra", 3)

    def test_langchain(self):
        self.run_tests("langchain", 3)


class Seen(NpmCase):
    """Resources that change, completion and questions."""

    def test_sdks(self):
        self.run_tests("seen", 15)

    def test_inspector(self):
        self.run_tests("inspector", 5)


class Bridges(NpmCase):
    def test_bridges(self):
        self.run_tests("bridges", 6)


def blocks(kind):
    return re.findall(r"^```%s\n(.*?)^```$" % kind, DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


class Snippets(NpmCase):
    """Every block of docs/clients.md, with a server on each port that it names: a network of loopback alone has no others on it."""

    @classmethod
    def setUpClass(cls):
        if subprocess.run([*ALONE, "true"], stderr=subprocess.DEVNULL, check=False).returncode != 0:
            raise unittest.SkipTest("SKIPPED: bubblewrap cannot make a network here; lectern doctor says why")
        super().setUpClass()

    def setUp(self):
        self.workspace = harness.Workspace()
        self.addCleanup(self.workspace.close)
        self.folder = Path(self.workspace.data)
        self.workspace.run("demo")
        programs = self.folder / "bin"
        programs.mkdir()
        for name, target in {"node": NODE, "npx": PLACE / "npx.mjs", "claude": CLAUDE, "lectern": harness.LECTERN}.items():
            (programs / name).symlink_to(target)
        (PLACE / "npx.mjs").chmod(0o755)
        self.environment = dict(self.workspace.environment(), PATH="%s:%s" % (programs, os.environ["PATH"]), NODE_NO_WARNINGS="1",
                                LECTERN_WARM="bare=0,data=0,plot=0", XDG_DATA_HOME=self.workspace.data)

    def run_beside_a_server(self, script):
        """The output of a shell script, which runs beside a server on port 8001, and one on port 8002 that asks for a token."""
        started = "export LECTERN_TOKEN=$(lectern token --token-file tokens --scope edit test)\n"
        for options in ("--port 8001", "--port 8002 --token-file tokens"):
            started += "rm -f serve.log; lectern serve %s 2>serve.log & until grep -q 'Lectern serves' serve.log; do kill -0 $!; sleep 0.05; done\n" % options
        done = subprocess.run([*ALONE, "/bin/bash", "-e", "-c", started + script], cwd=self.folder, env=self.environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS, check=False)
        output = done.stdout.decode()
        self.assertEqual(done.returncode, 0, output)
        return output

    def test_claude_code(self):
        """Also the project's own .mcp.json, which asks for the binary in its build folder."""
        commands = next(block for block in blocks("sh") if "claude mcp" in block)
        for name, text in {"user": next(block for block in blocks("json") if "http" in block),
                           "own": (harness.ROOT / ".mcp.json").read_text(encoding="utf-8")}.items():
            project = self.folder / name
            project.mkdir()
            (project / ".mcp.json").write_text(text.replace('"lectern":', '"lectern-project":'), encoding="utf-8")
            (project / "build/release").mkdir(parents=True)
            (project / "build/release/lectern").symlink_to(harness.LECTERN)
        settings = self.folder / ".claude/settings.json"
        settings.parent.mkdir()
        settings.write_text(json.dumps({"enabledMcpjsonServers": ["lectern-project"]}), encoding="utf-8")  # the answer to its question
        with_token = next(line for block in blocks("sh") for line in block.splitlines() if line.startswith("claude mcp") and "TOKEN" in line)
        output = self.run_beside_a_server("cd user\n%s\n%scd ../own\nclaude mcp list\n" % (with_token, commands))
        found = re.findall(r"^([a-z-]+): .* - \S+ (.*)$", output, re.MULTILINE)
        self.assertEqual(sorted(found), [(name, "Connected") for name in (
            "lectern", "lectern-http", "lectern-project", "lectern-project", "lectern-token")], output)

    def test_command_lines(self):
        commands = next(block for block in blocks("sh") if "inspector" in block)
        output = self.run_beside_a_server(commands)
        self.assertEqual(output.count(COUNTS), 3, output)
        self.assertIn('"name": "change_curriculum"', output)
        self.assertIn("(%d tools, " % output.count('"inputSchema"'), output)
        self.assertNotRegex(output, "Warning: tool|[1-9][0-9]* (errors|warnings)")  # of inspector --strict

    def test_command_lines_with_a_token(self):
        block = next(block for block in blocks("sh") if "TOKEN" in block)
        output = self.run_beside_a_server("\n".join(line for line in block.splitlines() if line.startswith("npx")))
        self.assertEqual((output.count(COUNTS), output.count('"name": "change_curriculum"')), (1, 1), output)

    def test_bridges_that_serve(self):
        commands = next(block for block in blocks("sh") if "mcp-proxy" in block).splitlines()
        ports = re.findall(r"--port (\d+)", "\n".join(commands))
        self.assertEqual((len(commands), len(ports)), (2, 2))
        script = "\n".join("%s >bridge.log 2>&1 &" % command for command in commands)
        script += "".join("\nnode %s http://127.0.0.1:%s/mcp" % (PLACE / "configured.mjs", port) for port in ports)
        output = self.run_beside_a_server(script)
        self.assertEqual(output.count(COUNTS), 2, output)

    def test_configuration_files(self):
        script = ""
        for number, text in enumerate(blocks("json")):
            (self.folder / ("%d.json" % number)).write_text(re.sub(r'"type": "http", ', "", text), encoding="utf-8")
            script += "node %s %d.json\n" % (PLACE / "configured.mjs", number)
        output = self.run_beside_a_server(script)
        self.assertEqual(output.count(COUNTS), len(blocks("json")), output)

    def test_programs(self):
        script, versions = "", json.loads((SOURCES / "package.json").read_text(encoding="utf-8"))["dependencies"]
        for number, text in enumerate(blocks("js")):
            name = PLACE / ("snippet_%d.mjs" % number)
            name.write_text(text, encoding="utf-8")
            script += "node %s\n" % name
        output = self.run_beside_a_server(script)
        self.assertEqual(output.count(COUNTS), len(blocks("js")) + 1, output)  # OpenAI's asks over both transports
        installed = re.findall(r"npm install (\S+)@([0-9.]+)", DOCUMENT.read_text(encoding="utf-8"))
        self.assertEqual(len(installed), len(blocks("js")))
        self.assertEqual([(name, version) for name, version in installed if versions[name] != version], [])

    def test_every_block_is_run(self):
        text = DOCUMENT.read_text(encoding="utf-8")
        self.assertEqual(set(re.findall(r"^```([a-z]+)$", text, re.MULTILINE)), {"sh", "json", "js"})
        self.assertEqual(len(blocks("sh")), 4)


class Bundle(NpmCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = Path(folder.name)
        subprocess.run(["/usr/bin/python3", "-B", harness.ROOT / "cmake/bundle.py", harness.BUILD, self.out], check=True,
                       stdout=subprocess.DEVNULL)
        (self.bundle,) = self.out.glob("*.mcpb")

    def mcpb(self, *words):
        done = subprocess.run([NODE, MCPB, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS, check=False)
        self.assertEqual(done.returncode, 0, done.stdout.decode())

    def test_bundle_is_valid_and_serves(self):
        self.mcpb("unpack", self.bundle, self.out / "unpacked")
        self.mcpb("validate", self.out / "unpacked/manifest.json")
        manifest = json.loads((self.out / "unpacked/manifest.json").read_text(encoding="utf-8"))
        command = manifest["server"]["mcp_config"]["command"].replace("${__dirname}", str(self.out / "unpacked"))
        workspace = harness.Workspace()
        self.addCleanup(workspace.close)
        workspace.run("demo")
        with mock.patch.object(harness, "LECTERN", command):
            client = harness.Stdio(workspace)
        client.initialize()
        self.assertTrue(client.good("execute_code", code="print(6 * 7)").startswith("42\n"))  # by the runner in the bundle
        self.assertEqual(client.close(), 0)

    def test_registry_description(self):
        """The rules of the registry's schema of 2025-12-11 for what ours has."""
        server = json.loads((self.out / "server.json").read_text(encoding="utf-8"))
        (package,) = server["packages"]
        self.assertEqual(server["$schema"], "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json")
        self.assertRegex(server["name"], r"^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$")
        self.assertLessEqual(max(len(server["title"]), len(server["description"])), 100)
        self.assertEqual((package["registryType"], package["transport"]), ("mcpb", {"type": "stdio"}))
        self.assertTrue(package["identifier"].startswith("https://"))
        self.assertTrue(package["identifier"].endswith("/" + self.bundle.name))
        self.assertIn("/v%s/" % server["version"], package["identifier"])
        self.assertEqual(package["fileSha256"], hashlib.sha256(self.bundle.read_bytes()).hexdigest())


if __name__ == "__main__":
    unittest.main(verbosity=2)
