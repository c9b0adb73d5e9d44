# SPDX-License-Identifier: GPL-3.0-or-later
"""How well find ranks over three curricula of LECTERN_SHARED: the questions of find_questions_fresh.py, which never tuned it. Prints,
by curriculum and kind, how many have a right lesson first, how many among the first three, and the mean reciprocal rank over ten.

    LECTERN_BUILD=build/release /usr/bin/python3 -B tests/bench/bench_ranking.py [BUILD_BEFORE] [--wrong]

With the build folder of an older version, that one's figures stand before; --wrong lists the questions not right at the first hit."""
import pathlib
import sys
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "contract"), str(HERE.parent / "data")]
import find_questions_fresh  # noqa: E402
import harness  # noqa: E402

CURRICULA = (("fractions", "FRACTIONS", "node_id"), ("exercism_python", "PYTHON", "node_id"),
             ("openstax_algebra", "ALGEBRA", "title"))
HITS = 10


def rank(hits, right, by):
    """The place of the first right lesson among the hits, or none."""
    return next((place for place, hit in enumerate(hits, 1) if hit[by] in right), None)


def ask(build):
    """By curriculum and kind: each question with the place of its right lesson and the first hit."""
    harness.LECTERN = pathlib.Path(build, "lectern").resolve()
    workspace = harness.Workspace()
    server = harness.Server(workspace)
    answers = {}
    for curriculum, name, by in CURRICULA:
        session = workspace.load(harness.shared("data", curriculum + ".json"))
        for kind, questions in getattr(find_questions_fresh, name).items():
            for text, right in questions:
                words = urllib.parse.urlencode({"text": text, "limit": HITS})
                status, answer, _ = server.http("GET", "/session/%s/find?%s" % (session, words))
                assert status == 200, answer
                hits = answer["hits"]
                place = rank(hits, right.split("|" if by == "title" else None), by)
                first = "%s %s" % (hits[0]["node_id"], hits[0]["title"]) if hits else "nothing"
                answers.setdefault((curriculum, kind), []).append((text, right, place, first))
    server.close()
    workspace.close()
    return answers


def figures(answered):
    places = [place for _, _, place, _ in answered if place]
    return "%3d %3d  %.2f" % (sum(place == 1 for place in places), sum(place <= 3 for place in places),
                              sum(1 / place for place in places) / len(answered))


def main(words):
    builds = [word for word in words if word != "--wrong"] + [harness.BUILD]
    sides = [ask(build) for build in builds]
    for side in sides:
        for name in [name for name, _, _ in CURRICULA] + ["all"]:
            side[name, "all"] = [each for key, answered in side.items() if name in (key[0], "all") and key[1] != "all" for each in answered]
    print("first hit, first three, mean reciprocal rank" + ": before, after" * (len(sides) - 1))
    print("%-17s %-9s %9s" % ("curriculum", "kind", "questions"))
    for key in sorted(sides[-1], key=lambda key: (key[0] == "all", key[0], key[1] == "all")):
        print("%-17s %-9s %9d   %s" % (*key, len(sides[-1][key]), "   ".join(figures(side[key]) for side in sides)))
    if "--wrong" in words:
        for build, side in zip(builds, sides):
            print("\n%s: not right at the first hit" % build)
            for text, right, place, first in side["all", "all"]:
                if place != 1:
                    print("  %r: %s at %s; first %s" % (text, right, place or "none", first))


if __name__ == "__main__":
    main(sys.argv[1:])
