# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the MCP bundle and the registry's description of it: bundle.py BUILD OUT, both folders.

The bundle is what `make install` installs, the licence, and a manifest (MCPB 0.4: a zip archive). Files are in order and without times,
so that the same build gives the same bytes."""
import hashlib
import json
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
NO_TIME = (1980, 1, 1, 0, 0, 0)  # the earliest of a zip archive
ARCHITECTURES = {"x86_64": "x64", "aarch64": "arm64"}


def manifest(server):
    return {
        "manifest_version": "0.4",
        "name": "lectern",
        "display_name": server["title"],
        "version": server["version"],
        "description": server["description"],
        "author": {"name": "The authors of Lectern"},
        "license": "GPL-3.0-or-later",
        "server": {"type": "binary", "entry_point": "bin/lectern",
                   "mcp_config": {"command": "${__dirname}/bin/lectern", "args": ["stdio"]}},
        "tools_generated": True,
        "prompts_generated": True,
        "compatibility": {"platforms": ["linux"]},
    }


def write(folder, path):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(path for path in folder.rglob("*") if path.is_file()):
            entry = zipfile.ZipInfo(str(file.relative_to(folder)), NO_TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if file.stat().st_mode & 0o100 else 0o100644) << 16
            archive.writestr(entry, file.read_bytes())


def main(build, out):
    server = json.loads((ROOT / "server.json").read_text(encoding="utf-8"))
    version = re.search(r"^project\(lectern VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"), re.MULTILINE)[1]
    if server["version"] != version:
        sys.exit("server.json is of version %s, the project of %s: write the same in both" % (server["version"], version))
    out.mkdir(parents=True, exist_ok=True)
    path = out / ("lectern-%s-linux-%s.mcpb" % (version, ARCHITECTURES[platform.machine()]))
    with tempfile.TemporaryDirectory() as folder:
        stage = pathlib.Path(folder)
        subprocess.run(["cmake", "--install", build, "--prefix", stage, "--strip"], check=True, stdout=subprocess.DEVNULL)
        shutil.copy(ROOT / "LICENSE", stage)
        (stage / "manifest.json").write_text(json.dumps(manifest(server), indent=2) + "\n", encoding="utf-8")
        write(stage, path)
    server["packages"][0]["fileSha256"] = hashlib.sha256(path.read_bytes()).hexdigest()
    (out / "server.json").write_text(json.dumps(server, indent=2) + "\n", encoding="utf-8")
    print("%s, %.1f MB, and server.json beside it" % (path, path.stat().st_size / 1e6))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
