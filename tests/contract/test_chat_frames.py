# SPDX-License-Identifier: GPL-3.0-or-later
"""Every kind of frame that the chat can write, as its unit test writes them, held against AG-UI's own schemas and order."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import harness
import npm

SCRIPT = harness.ROOT / "tests/contract/chat/check_frames.mjs"


class Frames(unittest.TestCase):
    def check(self, text):
        place = npm.folder("chat")
        shutil.copy(SCRIPT, place / SCRIPT.name)     # beside node_modules, where its imports resolve
        return subprocess.run([str(place / npm.NODE), SCRIPT.name], cwd=place, input=text, capture_output=True, timeout=120,
                              check=False)

    def frames(self):
        with tempfile.TemporaryDirectory(prefix="lectern-frames-") as folder:
            path = pathlib.Path(folder) / "frames"
            done = subprocess.run([str(harness.BUILD / "tests/unit/test_chat_agui")], capture_output=True, timeout=120,
                                  cwd=harness.ROOT, env=dict(os.environ, LECTERN_FRAMES=str(path)), check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            return path.read_bytes()

    def test_frames(self):
        frames = self.frames()
        done = self.check(frames)
        self.assertEqual(done.returncode, 0, done.stderr.decode()[-2000:])
        self.assertIn(b"20 types", done.stdout)
        for faulty in (frames.replace(b'"toolCallName"', b'"x":1,"toolCallName"'), frames.replace(b'"role":"tool"', b'"role":null'),
                       b"\n".join(line for line in frames.split(b"\n") if b"STEP_FINISHED" not in line)):
            self.assertNotEqual(self.check(faulty).returncode, 0)


if __name__ == "__main__":
    unittest.main()
