# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs one analysis inside the sandbox: warms up, waits for the job, runs it, reports the result and exits.

The runner (image/runner/runner.c) starts it, already confined, with one socket. The frames are those of executor/frame.h. The runner checks
each of them, and it alone enforces the deadline and the caps. The code here provides good error messages; the sandbox does not depend on
it.

The policy that the server applied is applied again, to CPython's tree of the same bytes. That tree is compiled and run. If the policy
refuses it, nothing runs.

This module and its neighbours (guard.py, policy.py, report.py, hints.py, values.py, plots.py, grading.py, moved.py) cannot be imported, and the code has
its own namespace. That keeps mistakes apart and is no protection: code that reads frames reaches the socket and can forge its own result.
"""
import ast
import builtins
import functools
import gc
import importlib
import importlib.util
import io
import json
import os
import select
import signal
import struct
import sys
import types
import urllib.parse  # code_helpers needs it; loading it while warming costs no time of a job
import warnings

CONTROL_FD = 3
HEAD = struct.Struct(">B3xI")
REQUEST_HEAD = struct.Struct(">I")
ANSWER_HEAD = struct.Struct(">IH")
# The module's own functions make these anew in each call.
read_json, write_json = json.JSONDecoder().scan_once, json.JSONEncoder(ensure_ascii=False).encode

VALUE_CHARS = 32768  # of the last expression's value; escaped, and with the error, it stays under FRAME_RESULT_CAP
ERROR_CHARS = 8192
RESERVE_BYTES = 4 << 20  # freed after the code has failed, because it may have left no memory for the report
NAME_CHARS = 200  # of the exception's type
FILENAME = "<code>"
IDLE_SECONDS = 0.002  # in which a job that waited for its copy has come
REHEARSALS = 10  # after about so many calls Python has adapted a function's instructions


def open_control(fd):
    """Returns four functions that share the socket: send a frame, receive one, send a request to the session API, and send the result of
    a case and receive the next one."""
    last_id = 0

    def send(kind, payload=b""):
        view = memoryview(HEAD.pack(ord(kind), len(payload)) + payload)
        while view:
            view = view[os.write(fd, view):]

    def read(count):
        data = bytearray(count)
        view = memoryview(data)
        while view:
            got = os.readv(fd, [view])
            if got == 0:
                os._exit(0)  # the runner is gone
            view = view[got:]
        return data

    def receive():
        kind, count = HEAD.unpack(read(HEAD.size))
        return chr(kind), read(count)

    def ask(target):
        """GET target: returns the status and the body's bytes."""
        nonlocal last_id
        last_id += 1
        send("q", REQUEST_HEAD.pack(last_id) + b"GET " + target.encode("ascii"))
        _, answer = receive()
        _, status = ANSWER_HEAD.unpack_from(answer)
        return status, memoryview(answer)[ANSWER_HEAD.size:]

    def ask_case(result):
        nonlocal last_id
        last_id += 1
        send_whole(send, "c", REQUEST_HEAD.pack(last_id) + write_json(result).encode("utf-8", "replace"))
        _, answer = receive()
        _, status = ANSWER_HEAD.unpack_from(answer)
        return read_json(answer[ANSWER_HEAD.size:].decode(), 0)[0] if status == 200 else None

    return send, receive, ask, ask_case


def send_whole(send, kind, payload):
    """Delays the deadline's signal, so that it cannot interrupt a frame."""
    signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGALRM,))
    send(kind, payload)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGALRM,))


def load_file(name, folder):
    """Loads a module from its file, without adding it to sys.path or sys.modules."""
    spec = importlib.util.spec_from_file_location(name, os.path.join(folder, name + ".py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def make_checks(policy, folder):
    """{profile: its check of a tree}. Loads the tables now, because a job must not wait for that."""
    tables = policy.load(os.path.join(folder, "policy.json"))
    return {profile: functools.partial(policy.check, policy=table) for profile, table in tables.items()}


def check_of(job, parts):
    """The check of the job's profile and of the modules that are added to it. None: the profile is unknown."""
    check, added = parts.checks.get(job["profile"]), job.get("added")
    if check is None or not added:
        return check
    return functools.partial(check.func, policy=check.keywords["policy"].adding(added))


def builtins_of(job, parts):
    """The builtins that go with it."""
    own, added = parts.builtins.get(job["profile"]), job.get("added")
    return parts.make_builtins([*parts.importable[job["profile"]], *added]) if own and added else own


def open_stream(fd):
    raw = io.FileIO(fd, "wb", closefd=False)
    return io.TextIOWrapper(io.BufferedWriter(raw, 65536), "utf-8", "backslashreplace", "\n", line_buffering=True)


def clip(text, limit):
    """A plain str of at most that length. A subclass belongs to the code, and its methods may do anything."""
    if text is None:
        return None
    more = str.__len__(text) - limit
    return str.__getitem__(text, slice(limit)) + ("... (%d characters more)" % more if more > 0 else "")


class Disagreement(Exception):
    """The policy here refused what the server accepted: a stable code and a line (0: none)."""


def checked_tree(source, check):
    """The checked tree of exactly these bytes. The code that runs is compiled from it."""
    if check is None:  # the server knows a profile that this image does not
        raise Disagreement("unknown-profile", 0)
    try:
        tree = ast.parse(source, FILENAME)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise Disagreement("syntax", getattr(error, "lineno", None) or 0) from error
    found = check(tree)
    if found:
        line, code = found[0]
        raise Disagreement(code, line)
    return tree


def compile_checked(tree):
    """Two code objects: the statements, and the last expression or None."""
    try:
        return compile_tree(tree)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise Disagreement("syntax", getattr(error, "lineno", None) or 0) from error


def compile_tree(tree):
    body = list(tree.body)
    last = None
    if body and isinstance(body[-1], ast.Expr):
        last = body.pop().value
    statements = compile(ast.Module(body, tree.type_ignores), FILENAME, "exec", dont_inherit=True)
    if last is not None:
        futures = statements.co_flags & FUTURES
        last = compile(ast.Expression(last), FILENAME, "eval", futures, dont_inherit=True)
    return statements, last


def future_flags():
    import __future__
    flags = 0
    for name in __future__.all_feature_names:
        flags |= getattr(__future__, name).compiler_flag
    return flags


FUTURES = future_flags()


def make_finish(send, wait):
    """Returns the function that reports how the run ended, once, and ends the process."""
    finished = False

    def finish(exit_code, value=None, error=None, error_type=None, line=None, disagreement=None, bound=False):
        nonlocal finished
        if finished:
            return
        finished = True
        for name in ("stdout", "stderr"):
            try:
                getattr(sys, name).flush()
            except BaseException:  # the code has closed, removed or replaced a stream; nothing more can be written to it
                continue
        result = {"value": clip(value, VALUE_CHARS), "bound": bound, "error": clip(error, ERROR_CHARS),
                  "error_type": clip(error_type, NAME_CHARS), "line": line, "exit_code": exit_code,
                  "disagreement": disagreement}
        send("v", write_json(result).encode("utf-8", "replace"))
        wait()  # wait to be killed: ending this process uses CPU time that the answer needs
        os._exit(exit_code)

    return finish


def make_namespace(session_id, allowed_builtins):
    main = types.ModuleType("__main__")
    main.__dict__.update(__builtins__=allowed_builtins, session_id=session_id)
    sys.modules["__main__"] = main
    return main.__dict__


def import_one(name, parts):
    package = name.partition(".")[0]
    if package == "matplotlib":
        parts.plots.prepare()
    importlib.import_module(name)
    if package == "pandas":
        parts.values.print_whole_tables(sys.modules[package])


def import_early(names, parts):
    """Performs the code's imports before its time limit begins. An import that fails here fails again in the code, which can handle it."""
    names = [name for name in names if name not in sys.modules]
    if not names:
        return
    sys.stdout = sys.stderr = io.StringIO()  # output of an early import is not the code's output
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in names:
            try:
                import_one(name, parts)
            except ImportError:
                continue
    set_streams(parts)


def set_streams(parts):
    sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__ = parts.streams


def close_plots(plots, wanted):
    """Blocks matplotlib if it is not imported yet: unprepared, it would search for folders and fonts."""
    if "matplotlib.pyplot" in sys.modules:
        plots.set_quiet(not wanted)
    else:
        sys.modules["matplotlib"] = None


def set_up(job, parts):
    """Does everything that comes before the time limit begins, and returns the code's namespace. Also runs once as a rehearsal, leaving no
    trace."""
    session_id = job.get("session_id")
    if session_id is not None:
        os.environ["SESSION_ID"] = session_id
    parts.begin(session_id, job.get("also"))
    import_early(job["preload"], parts)
    if job.get("warnings"):
        parts.no_warnings.__exit__(None, None, None)
    return make_namespace(session_id, builtins_of(job, parts))


def execute(statements, last, namespace):
    exec(statements, namespace)
    return eval(last, namespace) if last is not None else None


def run_job(job, send, finish, parts):
    source = job["code"].encode("utf-8")
    reporter, namespace = parts.reporter, set_up(job, parts)
    close_plots(parts.plots, job.get("warnings"))
    reporter.code, reserve = job["code"], parts.__dict__.pop("reserve")
    parts.on_deadline = lambda frame: finish(1, **reporter.timeout(frame, job["timeout_ms"] / 1000))
    parts.guard.add_hook([*sys.path, *parts.folders])
    send("S")
    try:
        reporter.tree = checked_tree(source, check_of(job, parts))
        statements, last = compile_checked(reporter.tree)
    except Disagreement as refusal:
        finish(1, disagreement=dict(zip(("code", "line"), refusal.args)), **describe_refusal(reporter, refusal))
    send("C")
    if job.get("grading"):
        grade(job, compile(reporter.tree, FILENAME, "exec", dont_inherit=True), parts)
        finish(0)
    try:
        value = execute(statements, last, namespace)
        bound = value is None
        if bound:
            value = namespace.get("result")
        value = parts.values.show(value) if value is not None else None
    except SystemExit as end:
        del reserve
        ending = reporter.exited(end)
        draw(parts, send)
        finish(*ending)
    except MemoryError as error:
        del reserve
        finish(1, **describe(reporter, error, namespace))
    except BaseException as error:  # whatever the code raises is its result
        del reserve
        report = describe(reporter, error, namespace)
        draw(parts, send)
        finish(1, **report)
    else:
        report = draw(parts, send)
        finish(1 if report else 0, value=value, bound=bound and value is not None, **report)


def grade(job, code, parts):
    """Tests the learner's program against the cases that the server sends."""
    def swap_output(stream):
        sys.stdout = stream
        return functools.partial(set_streams, parts)

    program = parts.grading.Program(code, lambda: make_namespace(None, builtins_of(job, parts)),
                                    lambda error: describe(parts.reporter, error, {}), swap_output)
    parts.grading.grade(program, parts.ask_case)


def draw(parts, send):
    """Sends the open figures. Returns the report of the first that cannot be drawn, or {}."""
    reports = []

    def on_error(number, error):
        report = describe(parts.reporter, error, {})
        reports.append(dict(report, error="figure %d could not be drawn:\n%s" % (number, report["error"])))

    try:
        left_out = parts.plots.send_all(functools.partial(send_whole, send, "g"), on_error)
        if left_out:
            sys.stderr.write("%d more figures are open; the first %d are answered\n" % (left_out, parts.plots.COUNT_CAP))
        warning = parts.plots.missing_glyphs()
        if warning:
            sys.stderr.write(warning + "\n")
    except BaseException as error:  # the code can replace figures and streams
        on_error(0, error)
    return reports[0] if reports else {}


def describe(reporter, error, namespace):
    """The report of an exception, or only its name if the exception itself prevents a report."""
    try:
        return reporter.failed(error, namespace)
    except BaseException:
        name = reporter.kind(error)
        return {"error": "%s (its text could not be made)" % name, "error_type": name}


def describe_refusal(reporter, refusal):
    if refusal.__cause__ is not None:
        return reporter.failed(refusal.__cause__, {})
    return {"error": "line %d is refused: %s" % (refusal.args[1], refusal.args[0]), "error_type": "Disagreement"}


def prepare(parts, policy):
    """Prepares what jobs need but does not depend on them: the streams, warnings, and the builtins of each profile."""
    parts.reserve = bytes(RESERVE_BYTES)
    parts.streams = open_stream(1), open_stream(2)
    set_streams(parts)
    warnings.showwarning = parts.reporter.show_warning
    parts.no_warnings = warnings.catch_warnings()
    parts.no_warnings.__enter__()
    warnings.simplefilter("ignore")
    parts.importable = policy["profiles"]
    parts.make_builtins = functools.partial(parts.guard.make_builtins, builtins, policy=policy)
    parts.builtins = {profile: parts.make_builtins(allowed) for profile, allowed in parts.importable.items()}
    signal.signal(signal.SIGALRM, lambda _number, frame: parts.on_deadline(frame))


def rehearse(parts, times):
    """Runs the path of a job in advance, because code that runs for the first time is several times slower."""
    source = "rows = [{'a': n} for n in range(3)]\nprint(len(rows), file=out)\nsum(row['a'] for row in rows)"
    if "pandas" in sys.modules:
        source = ("import pandas\nframe = pandas.DataFrame([{'a': 1, 'b': 'x'}, {'a': 2, 'b': 'y'}])\n"
                  "print(frame.groupby('b').a.sum().sort_values(), frame[frame.a > 1], file=out)\n") + source
    profile, check = list(parts.checks.items())[-1]  # the widest
    job = write_json({"code": source, "profile": profile, "preload": ["json"]})
    before = sys.modules["__main__"]
    for _ in range(times):
        names = set_up(read_json(job, 0)[0], parts)
        statements, last = compile_checked(checked_tree(source.encode("utf-8"), check))
    sys.modules["__main__"] = before
    names["out"] = io.StringIO()
    write_json({"value": parts.values.show(execute(statements, last, names))}).encode("utf-8", "replace")
    names.clear()


def warm_copy(parts):
    """In a copy each page is slow when it is first written to. Does that in advance if no job comes at once."""
    if not select.select((CONTROL_FD,), (), (), IDLE_SECONDS)[0]:
        rehearse(parts, 1)


def main(argv):
    options = dict(zip(argv[1::2], argv[2::2]))
    here = os.path.dirname(os.path.abspath(argv[0]))
    send, receive, ask, ask_case = open_control(CONTROL_FD)
    folders = (here, options["--helpers"])
    with open(os.path.join(here, "policy.json"), encoding="utf-8") as file:
        policy = json.load(file)
    reporter = load_file("report", here).make_reporter(FILENAME, folders, int(options["--memory-mb"]))
    parts = types.SimpleNamespace(guard=load_file("guard", here), reporter=reporter, folders=folders, values=load_file("values", here),
                                  plots=load_file("plots", here), grading=load_file("grading", here), ask_case=ask_case,
                                  checks=make_checks(load_file("policy", here), here))
    load_file("moved", here).prepare()
    helpers = load_file("code_helpers", options["--helpers"])
    sys.modules["code_helpers"] = helpers
    parts.begin = helpers.__dict__.pop("connect")(ask)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in filter(None, options["--preload"].split(",")):
            import_one(name, parts)
    ruleset = options.get("--ruleset")
    confine = load_file("zygote", here).load(here, ruleset)
    prepare(parts, policy)
    rehearse(parts, REHEARSALS)
    if "matplotlib.pyplot" in sys.modules:
        parts.plots.rehearse()
    gc.collect()
    gc.freeze()  # so that it has fewer objects to traverse while the code runs
    ready = b"%d.%d.%d" % sys.version_info[:3]
    if ruleset is not None:
        send("R", ready)
    confine()
    send("R", ready)
    if ruleset is not None:
        warm_copy(parts)
    kind, job = receive()
    while kind == "p":  # answers whether this process is alive
        send("P")
        kind, job = receive()
    run_job(read_json(job.decode(), 0)[0], send, make_finish(send, receive), parts)


main(sys.argv)
