# SPDX-License-Identifier: GPL-3.0-or-later
"""The sandbox on a kernel for 64-bit ARM, in an emulated machine: the runner, seccomp, Landlock, the zygote, each system call, and control
groups of version 2, which this machine may not have.

usage: kernel.py BUILD_FOLDER       that of the preset arm64, with its sysroot

The machine has no disk. Its initial file system is made here from the sysroot, the runner and the tests of tests/sandbox, and its
first process is this file too: as /init it runs the tests and prints how they ended.
"""
import contextlib
import ctypes
import gzip
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import time
from pathlib import Path

CALLS = ("test_bare", "test_arguments")
TESTS = {  # without bubblewrap, which is not in this machine
    "test_syscalls": [name + "." + test for name in ("EachSystemCall", "EachSystemCallOfACopy") for test in CALLS],
    "test_layers": ["Layers.test_what_python_needs_is_there", "Layers.test_the_one_exec_is_used_up", "Layers.test_both",
                    "LayersOfACopy.test_both"],
}
MS_BIND = 4096  # sys/mount.h
END = "tests ended with status "
MACHINE = ["qemu-system-aarch64", "-M", "virt", "-cpu", "cortex-a72", "-smp", "2", "-m", "1024", "-nic", "none", "-nographic", "-no-reboot"]
SECONDS = 1500  # for a machine that is busy with other work; it takes less than one minute
INSIDE = "/lectern"
PROGRAMS = ("lectern", "tests/unit/test_cgroup")  # of the build folder
GROUPS = Path("/sys/fs/cgroup")
# Of the sysroot: what Python needs.
LIBRARIES = r"usr/lib/aarch64-linux-gnu/(lib(c|m|z|expat|ffi|seccomp|crypto)\.so\.[\d.]+|ld-linux-aarch64\.so\.1)"
COPIED = re.compile(r"usr|lib|usr/bin|usr/bin/python3(\.11)?|usr/lib|usr/lib/ld-linux[^/]*|usr/lib/aarch64-linux-gnu|%s|"
                    r"usr/lib/python3\.11(/(?!config-|test|idlelib|lib2to3|__pycache__).*)?" % LIBRARIES)


def entry(name, mode, data=b"", number=0):
    """One file in the format newc of cpio."""
    name = name.encode() + b"\0"
    head = b"070701" + b"".join(b"%08x" % value for value in (number, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name), 0))
    return head + name + b"\0" * (-(len(head) + len(name)) % 4) + data + b"\0" * (-len(data) % 4)


def tree(source, place, copied=re.compile(".*")):
    """The entries of a file or folder, at that place in the file system."""
    if not copied.fullmatch(place):
        return
    status = source.lstat()
    if stat.S_ISLNK(status.st_mode):
        yield place, status.st_mode, os.readlink(source).encode()
    elif stat.S_ISREG(status.st_mode):
        yield place, status.st_mode | 0o444, source.read_bytes()
    else:
        yield place, stat.S_IFDIR | 0o755, b""
        for child in sorted(source.iterdir()):
            yield from tree(child, place + "/" + child.name, copied)


def libraries(build):
    """{name: file} of those that the programs need, and those that these need."""
    found = {path.name: path for path in (build / "sysroot/usr/lib/aarch64-linux-gnu").rglob("*.so*")}
    needed, left = {}, [build / name for name in PROGRAMS]
    while left:
        text = subprocess.run(["readelf", "-d", left.pop()], stdout=subprocess.PIPE, check=True, text=True).stdout
        names = set(re.findall(r"\(NEEDED\).*\[(.*)\]", text)) - set(needed)
        needed.update({name: found[name] for name in names})
        left.extend(found[name] for name in names)
    return needed


def file_system(build, source):
    for name in ("dev", "proc", "sys", "tmp", "etc", "lectern", "lectern/build", "lectern/tests", "lectern/libraries"):
        yield name, stat.S_IFDIR | 0o755, b""
    for name, path in sorted(libraries(build).items()):
        yield "lectern/libraries/" + name, stat.S_IFREG | 0o755, path.read_bytes()
    for name in PROGRAMS:
        yield "lectern/" + Path(name).name, stat.S_IFREG | 0o755, (build / name).read_bytes()
    for part in ("usr", "lib"):
        yield from tree(build / "sysroot" / part, part, COPIED)
    for name in ("usr/share", "usr/share/zoneinfo", "usr/share/fonts-droid-fallback", "usr/share/fonts-droid-fallback/truetype"):
        yield name, stat.S_IFDIR | 0o755, b""
    yield from tree(build / "share", "lectern/build/share")
    for part in ("sandbox", "data"):
        yield from tree(source / "tests" / part, "lectern/tests/" + part)
    yield "etc/passwd", stat.S_IFREG | 0o644, b"root:x:0:0:root:/:/bin/sh\n"
    yield "init", stat.S_IFREG | 0o755, b"#!/usr/bin/python3.11\n" + Path(__file__).read_bytes()


def start(build):
    source = Path(__file__).resolve().parents[2]
    kernel = next((build / "sysroot/boot").glob("vmlinuz-*"))
    packed = build / "kernel_test.cpio.gz"
    with gzip.open(packed, "wb", compresslevel=1) as file:
        for number, (name, mode, data) in enumerate(file_system(build, source), 1):
            file.write(entry(name, mode, data, number))
        file.write(entry("TRAILER!!!", 0))
    ran = subprocess.run([*MACHINE, "-kernel", kernel, "-initrd", packed, "-append", "console=ttyAMA0 quiet panic=-1"],
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS, check=False)
    text = ran.stdout.decode(errors="replace")
    print(text)
    return 0 if re.search(r"(?m)^%s0\r?$" % END, text) else 1


def run_analyses():
    """In a sandbox, and two in one session."""
    sys.path.insert(0, INSIDE + "/tests/sandbox")
    import sandbox
    for kind, count in ((sandbox.Sandbox, 1), (sandbox.Session, 2)):
        with kind() as box:
            for number in range(count):
                outcome = box.run("import statistics\nprint(statistics.mean([1, 2, %d]))" % number)
                expected = ("ok", "%s\n" % ("1", "1.3333333333333333")[number])
                if (outcome.status, outcome.text) != expected:
                    raise AssertionError("%s: %s, %r, %s" % (kind.__name__, outcome.status, outcome.text, outcome.complaints))
                print(kind.__name__, "ran", repr(outcome.text), flush=True)


def lectern(*words, **options):
    environment = dict(os.environ, LD_LIBRARY_PATH=INSIDE + "/libraries", LECTERN_DATA="/tmp/data", LECTERN_SANDBOX="process")
    return subprocess.Popen([INSIDE + "/lectern", *words, "--share", INSIDE + "/build/share", "--cache", "/tmp/cache"], env=environment,
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **options)


def groups():
    return sorted(GROUPS.glob("sandbox-*"))


def execute(code, bound=None):
    """The result of an analysis, and the highest number of control groups meanwhile; bound is what they may have of memory instead. A machine
    that is busy with other work may have no sandbox in time, so what can be repeated is."""
    result, most = {"error_info": {"isRetryable": True}}, 0
    while result["error_info"] and result["error_info"]["isRetryable"]:
        result, most = execute_once(code, bound)
    return result, most


def execute_once(code, bound):
    process, most = lectern("exec", "--json", "--profile", "minimal", "-"), 0
    process.stdin.write(code)
    process.stdin.close()
    while process.poll() is None:
        found = groups()
        most = max(most, len(found))
        for group in found if bound else ():
            with contextlib.suppress(OSError):  # it is gone
                (group / "memory.max").write_text(bound)
        time.sleep(0.01)
    return json.loads(process.stdout.read()), most


def check(what, *facts):
    print(what, *facts, flush=True)
    if not what:
        raise AssertionError(facts)


def place_python(folder):
    """The machine's Python stands in for the pinned one, in a folder like that one."""
    for name in ("usr", "etc"):
        (folder / name).mkdir(parents=True)
    mount(b"/usr", str(folder / "usr").encode(), None, MS_BIND)


def run_groups():
    """The engine `process` puts each sandbox into a control group, and leaves none."""
    lines = lectern("doctor", "--json").communicate()[0]
    rows = {row["name"]: row["text"] for row in json.loads(lines)}
    folder = Path(re.search(r"is not in (\S+)", rows["python"]).group(1))
    place_python(folder)
    rows = {row["name"]: row["text"] for row in json.loads(lectern("doctor", "--json").communicate()[0])}
    check("control groups in /sys/fs/cgroup bound memory and processes, and CPU time" in rows["local limits"], rows["local limits"])
    check("a control group" in rows["process"], rows["process"])
    result, most = execute("print(6 * 7)")
    check(result.get("stdout") == "42\n" and most > 0 and groups() == [], result, most, groups())
    result, most = execute("print(len([bytes([number]) * 1000000 for number in range(120)]))", "64M")
    check("memory" in json.dumps(result) and groups() == [], result, groups())
    killed = lectern("stdio")
    while not any((group / "cgroup.procs").read_text() for group in groups()):
        time.sleep(0.1)
    killed.kill()
    killed.wait()
    check(groups() != [], groups())
    result, most = execute("print(6 * 7)")
    check(result.get("stdout") == "42\n" and groups() == [], result, groups())


def mount(source, place, kind=None, flags=0):
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(source, place, kind, flags, None) < 0:
        raise OSError(ctypes.get_errno(), "mount %s" % place.decode())


def run_inside():
    for kind, place in ((b"proc", b"/proc"), (b"sysfs", b"/sys"), (b"devtmpfs", b"/dev"), (b"tmpfs", b"/tmp"), (b"cgroup2", b"/sys/fs/cgroup")):
        mount(kind, place, kind)
    print(*os.uname(), flush=True)
    os.environ.update(PATH="/usr/bin", LECTERN_BUILD=INSIDE + "/build", LECTERN_SHARED="/nowhere", LECTERN_PATIENCE="20", LECTERN_PYTHON="/tmp/python")
    place_python(Path(os.environ["LECTERN_PYTHON"]))
    statuses = [subprocess.run([INSIDE + "/test_cgroup", "kernel"], env={"LD_LIBRARY_PATH": INSIDE + "/libraries"}, check=False).returncode]
    run_groups()
    run_analyses()
    statuses += [subprocess.run([sys.executable, "-B", test + ".py", "-v", *names], cwd=INSIDE + "/tests/sandbox", check=False).returncode
                 for test, names in TESTS.items()]
    print("%s%d" % (END, max(statuses)), flush=True)


def main():
    if os.getpid() == 1:
        try:
            run_inside()
        finally:
            ctypes.CDLL(None).reboot(0x4321fedc)  # power off
    build = Path(sys.argv[1]).resolve()
    if not shutil.which(MACHINE[0]):
        print("SKIPPED: %s is missing: cmake/deps.sh test-full" % MACHINE[0])
        return 77
    if not (build / "share/runner").exists():
        print("SKIPPED: there is no build for arm64: make test-full TESTS=arm64")
        return 77
    return start(build)


if __name__ == "__main__":
    sys.exit(main())
