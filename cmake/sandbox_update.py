#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes image/python.lock and tests/python.lock anew: the newest packages of the sandbox's Python in its Debian release, and the tests of
CPython of the same version, for amd64 and arm64.

The indexes of the release come from Debian's mirror (or MIRROR=URL), and count only if gpgv accepts their signature with the keys of
debian-archive-keyring. Nothing is installed or unpacked; `lectern sandbox fetch` does that with the lock file alone.

The packages of image/python.lock are those of WANTED and their dependencies, without LEFT_OUT. Of alternatives the first counts, as for
apt. That of tests/python.lock stands alone: its folder holds programs for the tests of the validator, and nothing runs there.
"""
import hashlib
import lzma
import os
import re
import subprocess
import sys
import tempfile
import urllib.request
from datetime import datetime, timedelta, timezone
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RELEASE = "bookworm"
ARCHITECTURES = ("amd64", "arm64")
WANTED = ("python3 python3-numpy python3-pandas python3-networkx python3-scipy python3-tabulate python3-matplotlib "
          "fonts-droid-fallback").split()
WANTED_OF_TESTS = ["libpython3.11-testsuite"]
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
MIRROR = os.environ.get("MIRROR") or "http://deb.debian.org/debian"
# Archive and suite.
SUITES = ((MIRROR, RELEASE), (MIRROR, f"{RELEASE}-updates"),
          (os.environ.get("SECURITY_MIRROR") or "http://deb.debian.org/debian-security", f"{RELEASE}-security"))

# Packages that others name and Python does not need when it runs; a name that ends in * stands for all that begin so.
LEFT_OUT = {
    "scipy's package names a compiler, which only programs that compile use":
        "python3-pythran python3-gast python3-beniget python3-ply g++* gcc gcc-1* cpp* binutils* libxsimd-dev libboost-dev libboost1.* "
        "libc6-dev libc-dev-bin linux-libc-dev libstdc++-*-dev",
    "maintainer scripts name these; none of them runs":
        "dpkg debconf debconf-2.0 perl* adduser passwd ucf sensible-utils init-system-helpers fontconfig-config install-info tar libperl5*",
    "fonttools reads and writes more kinds of files than matplotlib needs of it":
        "python3-lxml python3-brotli python3-lz4 python3-fs python3-ufolib2 python3-unicodedata2 python3-sympy unicode-data",
    "figures are drawn by Agg into files": "python3-pil.imagetk python3-tk tk* tcl* blt libtk* libtcl* python3-pyqt5* libqt* libx11* libxft* libxss*",
    "the settings of matplotlib need nothing of a page": "libjs-* fonts-lyx fonts-font-awesome javascript-common",
    "no mail and no page is read": "media-types mime-support mailcap",
}


def left_out(name):
    return any(name == word or ("*" in word and re.fullmatch(word.replace("+", r"\+").replace("*", ".*"), name))
               for words in LEFT_OUT.values() for word in words.split())


def get(url):
    with urllib.request.urlopen(url, timeout=60) as answer:
        return answer.read()


def signed_text(archive, suite):
    """The text of a suite's InRelease, of which gpgv says that Debian has signed it."""
    with tempfile.TemporaryDirectory() as folder:
        signed = Path(folder, "InRelease")
        signed.write_bytes(get(f"{archive}/dists/{suite}/InRelease"))
        run = subprocess.run(["gpgv", "--keyring", KEYRING, "--output", f"{folder}/text", str(signed)], capture_output=True, text=True)
        if run.returncode:
            sys.exit(f"sandbox_update: the signature of {archive}/dists/{suite}/InRelease is not Debian's: {run.stderr.strip()}")
        return Path(folder, "text").read_text(encoding="utf-8")


def stanzas(text):
    for stanza in text.split("\n\n"):
        fields = dict(re.findall(r"^([A-Za-z0-9-]+): (.*)$", stanza, re.MULTILINE))
        if fields:
            yield fields


def newer(version, than):
    return subprocess.run(["dpkg", "--compare-versions", version, "gt", than]).returncode == 0


def read_indexes():
    """architecture -> name -> fields of its newest version, and the newest time at which a suite was signed."""
    packages = {architecture: {} for architecture in ARCHITECTURES}
    newest = None
    for archive, suite in SUITES:
        text = signed_text(archive, suite)
        date = datetime.strptime(re.search(r"^Date: (.*)$", text, re.MULTILINE)[1], "%a, %d %b %Y %H:%M:%S %Z")
        newest = max(newest or date, date)
        for architecture, known in packages.items():
            path = f"main/binary-{architecture}/Packages.xz"
            sums = re.search(r"^SHA256:\n((?: .*\n?)+)", text, re.MULTILINE)[1]
            wanted = next(line.split()[0] for line in sums.splitlines() if line.split()[2] == path)
            index = get(f"{archive}/dists/{suite}/{path}")
            if hashlib.sha256(index).hexdigest() != wanted:
                sys.exit(f"sandbox_update: {archive}/dists/{suite}/{path} is not what InRelease names; try again, the mirror may be changing")
            for fields in stanzas(lzma.decompress(index).decode()):
                name = fields["Package"]
                if name not in known or newer(fields["Version"], known[name]["Version"]):
                    known[name] = fields
            print(f"sandbox_update: read {suite} for {architecture}", file=sys.stderr)
    return packages, newest.replace(tzinfo=timezone.utc)


def closure(known):
    """The names of WANTED and of what they need, sorted."""
    chosen, waiting = set(WANTED), list(WANTED)
    providers = {}
    for name in sorted(known):
        for provided in known[name].get("Provides", "").split(","):
            providers.setdefault(re.sub(r"[ :(].*", "", provided.strip()), []).append(name)
    while waiting:
        fields = known[waiting.pop(0)]
        for clause in f"{fields.get('Pre-Depends', '')},{fields.get('Depends', '')}".split(","):
            names = [re.sub(r"[ :(].*", "", name.strip()) for name in clause.split("|") if name.strip()]
            if not names or any(name in chosen or left_out(name) for name in names):
                continue
            name = next((name for name in names if name in known), None) or next(iter(providers.get(names[0], [])), None)
            if not name:
                sys.exit(f"sandbox_update: {fields['Package']} needs {clause.strip()}, which {RELEASE} does not have")
            if name not in chosen and not left_out(name):
                chosen.add(name)
                waiting.append(name)
    return sorted(chosen)


def write(lock, purpose, fetch, snapshot, packages, choose):
    """Writes one lock file; choose() takes the packages of an architecture and returns the names of those wanted."""
    lines = [f"# {purpose}. `make sandbox-update` writes this file; `{fetch}` brings them.",
             "# package version architecture SHA-256 bytes path",
             "format 1", f"release {RELEASE}", f"snapshot {snapshot}"]
    for architecture, known in packages.items():
        rows = [known[name] for name in choose(known)]
        # The architecture of those who unpack the row: a package for all of them has a row for each.
        lines += [f"{row['Package']} {row['Version']} {architecture} {row['SHA256']} {row['Size']} {row['Filename']}" for row in rows]
        size = sum(int(row["Size"]) for row in rows)
        print(f"sandbox_update: {lock} for {architecture}: {len(rows)} packages, {size / 1e6:.1f} MB", file=sys.stderr)
    new = ROOT / f"{lock}.new"
    new.write_text("\n".join(lines) + "\n", encoding="utf-8")
    new.replace(ROOT / lock)


def main():
    packages, newest = read_indexes()
    # The archive of snapshots takes a state of the mirror some hours after it was signed.
    snapshot = (newest + timedelta(days=1)).strftime("%Y%m%dT%H%M%SZ")
    write("image/python.lock", "The packages of the sandbox's Python", "lectern sandbox fetch", snapshot, packages, closure)
    write("tests/python.lock", "The tests of CPython, of the version in image/python.lock", "lectern sandbox fetch --share tests", snapshot,
          packages, lambda known: WANTED_OF_TESTS)


if __name__ == "__main__":
    main()
