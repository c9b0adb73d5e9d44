# SPDX-License-Identifier: GPL-3.0-or-later
"""Lessons as text in parts (mcp/tutor/lesson_text.h): what is in them, where they are cut, and that each part is small enough."""
import json
import re
import unittest

import harness
import learner
import tokens

CAP = 1500  # tokens of a part
COUNTED = 3  # parts of a lesson whose tokens are counted; the others repeat them
DEMO = harness.ROOT / "mcp/curriculum/demo/demo_curriculum.json"
ENGLISH = ("The ratio of two quantities compares their sizes: for each three litres of paint, two litres of water are added. "
           "Whoever understands proportional relationships can calculate discounts, mixtures, speeds and maps. ")
CODE = ("def simplest_ratio(first, second):\n    \"\"\"The ratio in its simplest form.\"\"\"\n    factor = gcd(first, second)\n"
        "    if factor == 0:\n        raise ValueError(f\"no ratio of {first} and {second}\")\n    return [first // factor, second // factor]\n\n")
CHINESE = "比例是两个数量之间的关系。如果两个数量同时扩大或缩小相同的倍数，它们的比值保持不变。练习是学习的最好方法。"
JAPANESE = "比は二つの量の関係を表します。同じ数を掛けても、割っても、比の値は変わりません。コンピュータで計算してみましょう。"
KOREAN = "비율은 두 양 사이의 관계를 나타냅니다. 같은 수를 곱하거나 나누어도 비의 값은 변하지 않습니다. "
GERMAN = "Die größte Verhältnisgleichung enthält vier Größen; übrige Einträge lassen sich auflösen. "
NUMBERS = "| 1 | 2.5 | 17 | 3 : 4 | 12 × 3 = 36 | £4.20 | 75 % | ½ |\n"


def text(type_name, **parameters):
    return {"type": type_name, "parameters": parameters}


def lesson(*components, title="Ratios"):
    return {"node_id": "N1", "title": title, "components": list(components)}


def parts_of(lessons):
    """The parts of each lesson: [[text, estimate], ...]."""
    return learner.compute(lessons, (harness.BUILD / "tests/lesson_driver",))


def bodies(parts):
    """The parts without the title above them."""
    return [part.partition("\n\n")[2] for part, _ in parts]


def fenced(count):
    return "```python\n" + CODE * count + "```"


HUGE = {
    "English": lesson(text("paragraph", text=ENGLISH * 200)),
    "German": lesson(text("paragraph", text=GERMAN * 200)),
    "Chinese": lesson(text("paragraph", text=CHINESE * 200), title="比例" * 200),
    "Japanese": lesson(text("paragraph", text=JAPANESE * 200)),
    "Korean": lesson(text("paragraph", text=KOREAN * 200)),
    "code": lesson(text("paragraph", text=fenced(80))),
    "numbers": lesson(text("paragraph", text=NUMBERS * 300)),
    "many": lesson(*[text("paragraph", text=ENGLISH * 3) for _ in range(60)]),
    "one word": lesson(text("paragraph", text="honorificabilitudinitatibus" * 1000)),
    "classical": lesson(text("paragraph", text="學而時習之，不亦說乎？龜茲之樂，爨僰之民，籲天而鬱鬱不得志。" * 200)),
    "Russian": lesson(text("paragraph", text="Отношение двух величин сравнивает их размеры. " * 200)),
    "emoji": lesson(text("paragraph", text="🙂👩‍🔬🇩🇪" * 1500)),
    "steps": lesson(text("step-sequence", steps=[ENGLISH] * 100)),
    "mixed": lesson(*[text("paragraph", text=one * 10) for one in (ENGLISH, CHINESE, fenced(3), KOREAN, NUMBERS, JAPANESE)] * 5),
}


def demo():
    nodes = json.loads(DEMO.read_text())["nodes"]
    return [{"node_id": "N", "title": node["title"], "components": node["components"]} for node in nodes]


class LessonText(unittest.TestCase):
    def test_a_lesson_word_for_word(self):
        svg = "<svg><text>drawn</text></svg>"
        given = lesson(
            text("heading", text="What a ratio is"), text("paragraph", text="One.\n\nTwo."), text("memory-trick", text="First\nthings first"),
            text("definition", term="ratio", definition="A comparison."), text("step-sequence", steps=["Divide.", "Check."]),
            text("callout-box", text="Mind the order.", style="tip"), text("hero-number", visual_type="svg", visual_content=svg, caption="A bar"),
            text("two-pictures", pictures={"svg1": {"title": "Before", "body": "Two.", "svgCode": svg}, "image2": {"title": "After", "imageUrl": "u"}}),
            text("exercise-code", prompt="Write f.", cases=[], solution="s"), text("question", prompt="Why?", kind="open", answer="a"))
        [[[found, _]]] = parts_of([given])
        self.assertEqual(found, "# Ratios\n\n## What a ratio is\n\nOne.\n\nTwo.\n\n> First\n> things first\n\n**term:** ratio\n\n"
                         "**definition:** A comparison.\n\n1. Divide.\n2. Check.\n\n> Mind the order.\n\n**caption:** A bar\n\n"
                         "**svg1_title:** Before\n\n**svg1_body:** Two.\n\n**image2_title:** After\n\n2 exercises: get_exercises\n")

    def test_small_lessons(self):
        one, none, odd = parts_of([lesson(text("question", prompt="Why?", kind="open")), lesson(), lesson(
            text("paragraph", text=7), text("new-type", hint="kept", other=[1]), {"type": None}, {})])
        self.assertEqual(one[0][0], "# Ratios\n\n1 exercise: get_exercises\n")
        self.assertEqual(none[0][0], "# Ratios\n\nThe lesson has no text.\n")
        self.assertEqual(odd[0][0], "# Ratios\n\n**hint:** kept\n")

    def test_further_fields_stand_first(self):
        given = dict(lesson(text("paragraph", text="One.")), fields={
            "node_id": "N1", "title": "Ratios", "chapter": "C", "Description": "A pizza.", "Lernziele": ["Achtel", "Viertel"], "hours": 3, "open": True,
            "More": {"für": "dich"}, "made": "2026-03-01", "image_url": "x", "raw_content": "Not shown.", "none": None})
        bare = dict(lesson(), fields={"title": "Ratios", "raw_content": "All of it.", "Contenu": "Le texte."})
        same = dict(lesson(text("paragraph", text="One.")), fields={"title": "Ratios", "chapter": "C", "raw_content": "Not shown."})
        found, alone, usual = ([part for part, _ in parts] for parts in parts_of([given, bare, same]))
        self.assertEqual(found, ["# Ratios\n\n**Description:** A pizza.\n\n**Lernziele:**\n\n- Achtel\n- Viertel\n\n**hours:** 3\n\n**open:** true\n\n"
                                 "**More.für:** dich\n\nOne.\n"])
        self.assertEqual(alone, ["# Ratios\n\n**Contenu:** Le texte.\n\n**raw_content:** All of it.\n"])
        self.assertEqual(usual, ["# Ratios\n\nOne.\n"])
        for part, estimate in parts_of([dict(lesson(), fields={"Description": GERMAN * 200})])[0]:
            self.assertLessEqual(estimate, CAP)

    def test_learners_get_no_answers_of_a_field(self):
        names = ["Answer key", "answers", "Solution", "Lösungen", "LO\u0308SUNG", "Teacher notes", "Lehrerhinweise", "Corrigé", "Respuestas", "rubric"]
        given = dict(lesson(text("paragraph", text="One.")), fields={
            "title": "Ratios", **{name: "SECRET" for name in names}, "grading points": 7, "Quiz": {"question": "Six or seven?", "answer": "SECRET"},
            "Solutions of others": ["SECRET", {"x": "SECRET"}]})
        self.assertEqual([part for part, _ in parts_of([given])[0]], ["# Ratios\n\n**Quiz.question:** Six or seven?\n\nOne.\n"])

    def test_cuts_are_between_components(self):
        [parts] = parts_of([HUGE["many"]])
        self.assertGreater(len(parts), 3)
        for number, (part, _) in enumerate(parts, 1):
            self.assertTrue(part.startswith("# Ratios (part %d of %d)\n\nThe ratio" % (number, len(parts))), part[:80])
            self.assertTrue(part.endswith("maps. \n"), part[-80:])

    def test_cuts_are_between_words(self):
        [parts] = parts_of([HUGE["English"]])
        self.assertEqual(" ".join(" ".join(bodies(parts)).split()), (ENGLISH * 200).strip())

    def test_cuts_are_between_paragraphs(self):
        [parts] = parts_of([lesson(text("paragraph", text="\n\n".join([ENGLISH.strip()] * 100)))])
        for part, _ in parts:
            self.assertTrue(part.endswith("maps.\n"), part[-80:])

    def test_nothing_is_lost(self):
        for name, parts in zip(HUGE, parts_of(list(HUGE.values()))):
            given = "".join("".join(value) if isinstance(value, list) else value
                            for component in HUGE[name]["components"] for value in component["parameters"].values())
            strip = lambda one: re.sub(r"\s|```(python)?|(?m:^\d+\. )", "", one)
            self.assertEqual(strip("\n".join(bodies(parts))), strip(given), name)

    def test_code_blocks_are_closed_in_each_part(self):
        [parts] = parts_of([HUGE["code"]])
        self.assertGreater(len(parts), 3)
        for body in bodies(parts):
            self.assertTrue(body.startswith("```python\n") and body.endswith("\n```\n"), body)
            self.assertEqual(body.count("```"), 2)

    def test_an_open_code_block_ends_with_its_component(self):
        [[[found, _]]] = parts_of([lesson(text("paragraph", text="~~~~ c\nint x;"), text("heading", text="Next"))])
        self.assertEqual(found, "# Ratios\n\n~~~~ c\nint x;\n~~~~\n\n## Next\n")

    def test_the_same_lesson_gives_the_same_parts(self):
        self.assertEqual(parts_of(list(HUGE.values())), parts_of(list(HUGE.values())))

    def test_the_demo_shows_no_drawing_and_no_exercise(self):
        lessons = demo()
        for one, parts in zip(lessons, parts_of(lessons)):
            shown = "\n".join(part for part, _ in parts)
            self.assertNotRegex(shown, r"<svg|</|<!--|def \w+\(")
            for component in one["components"]:
                if component["type"] in ("exercise-code", "question"):
                    self.assertNotIn(component["parameters"]["prompt"], shown)
                if component["type"] in ("paragraph", "heading"):
                    self.assertIn(component["parameters"]["text"], shown)

    def test_estimates_are_within_the_cap(self):
        for parts in parts_of(demo() + list(HUGE.values())):
            for part, estimate in parts:
                self.assertLessEqual(estimate, CAP, part[:200])


class Tokens(unittest.TestCase):
    def test_parts_are_within_the_cap(self):
        named = list(HUGE.items()) + [(one["title"], one) for one in demo()]
        rows = [(name, part, estimate) for (name, _), parts in zip(named, parts_of([one for _, one in named])) for part, estimate in parts[:COUNTED]]
        largest = {}
        for (name, part, estimate), count in zip(rows, tokens.count([part for _, part, _ in rows])):
            largest[name] = max(largest.get(name, (0, 0, 0)), (count, estimate, len(part)))
            self.assertLessEqual(count, CAP, "%s: %s" % (name, part[:200]))
            self.assertLessEqual(count, estimate, "%s: %s" % (name, part[:200]))
        print("\n" + "\n".join("%-10s %5d tokens, %5d estimated, %6d characters" % (name, *largest[name]) for name in HUGE))
        self.assertGreater(largest["English"][0], CAP / 2)  # not too cautious


if __name__ == "__main__":
    unittest.main()
