# SPDX-License-Identifier: GPL-3.0-or-later
"""tools/call execute_code over HTTP on a waiting container against what most people do, `docker run` of the same code: side by side in
one run, in turns, so that a noisy machine is noisy for both. What is added to the code's own time, too, and what the start of the next
container costs a call that comes meanwhile.

    bench_execute_code.py [ROUNDS [PAIRS]]

Wants a Docker daemon (DOCKER_HOST) with the sandbox image."""
import pathlib
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "contract"))
import harness  # noqa: E402
import load  # noqa: E402

ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 15
PAIRS = int(sys.argv[2]) if len(sys.argv) > 2 else 60
REFILL_BEGINS_SECONDS = 0.2  # after a call, so that the next comes while a container starts


def side_by_side(server, client):
    print("%-10s %24s %26s %8s %26s" % ("", "execute_code, ms", "docker run, ms", "ratio", "added to the code's, ms"))
    for name, (kind, code) in load.PROGRAMS.items():
        ours, added, usual = [], [], []
        for _ in range(ROUNDS):
            load.wait_calm(server.port, kind, 1)
            whole, own = client.timed(code)
            ours.append(whole)
            added.append(whole - own)
            usual.append(load.timed(load.docker_run, code))
        print("%-10s %12.2f (max %6.1f) %14.1f (max %6.0f) %7.0fx %12.2f (max %6.1f)" % (
            name, statistics.median(ours), max(ours), statistics.median(usual), max(usual),
            statistics.median(usual) / statistics.median(ours), statistics.median(added), max(added)))


def with_and_without_refill(server, client):
    """Pairs of calls: the first when all is calm, the second while the container that replaces the first one's is being started."""
    kind, code = load.PROGRAMS["print(1)"]
    calm, meanwhile = [], []
    while len(calm) < PAIRS:
        load.wait_calm(server.port, kind, 2)
        calm.append(client.timed(code)[0])
        time.sleep(REFILL_BEGINS_SECONDS)
        starting = load.pool(server.port).get((kind, "starting"), 0)
        whole = client.timed(code)[0]
        if starting:
            meanwhile.append(whole)
    print("print(1), nothing starting, %3d calls, ms:  %s" % (len(calm), load.summary(calm)))
    if meanwhile:
        print("print(1), one is starting,  %3d calls, ms:  %s" % (len(meanwhile), load.summary(meanwhile)))


def main():
    workspace = harness.Workspace()
    workspace.run("demo")
    server = harness.Server(workspace, "--sandbox", "docker")
    client = load.Client(server.port)
    for _, code in load.PROGRAMS.values():
        client.execute(code)
        load.docker_run(code)
    side_by_side(server, client)
    with_and_without_refill(server, client)
    client.close()
    server.close()
    workspace.close()


if __name__ == "__main__":
    main()
