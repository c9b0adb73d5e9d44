# SPDX-License-Identifier: GPL-3.0-or-later
"""The contract's table of component types, and what is wrong with the parameters of one."""
from typing import Any, Callable, Dict, Iterator, List

Check = Callable[[Any], bool]
CATEGORIES = ("explanation", "real_world_example", "textbook_content", "memory_trick")
RELATIONSHIP_TYPES = ("LEADS_TO", "PREREQUISITE_FOR", "PREREQUISITE", "ENRICHMENT")
PICTURE_TEXTS = ("title", "body", "svgCode", "imagePath", "imageUrl")


def text(value: Any) -> bool:
    return isinstance(value, str)


def number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def texts(value: Any) -> bool:
    return isinstance(value, list) and all(text(entry) for entry in value)


def one_of(*choices: str) -> Check:
    return lambda value: value in choices


def picture(value: Any) -> bool:
    return isinstance(value, dict) and all(value.get(name) is None or text(value[name]) for name in PICTURE_TEXTS)


def pictures(count: int) -> Check:
    def check(value: Any) -> bool:
        return isinstance(value, dict) and all(picture(value.get("svg%d" % i, value.get("image%d" % i)))
                                               for i in range(1, count + 1))
    return check


def chart(value: Any) -> bool:
    return isinstance(value, dict) and any(all(number(value.get(name)) for name in names)
                                           for names in (("numerator", "denominator"), ("current", "maximum")))


# A name that ends with ? may be left out.
TYPES: Dict[str, Dict[str, Check]] = {
    "heading": {"text": text},
    "paragraph": {"text": text},
    "memory-trick": {"text": text},
    "definition": {"term": text, "definition": text},
    "step-sequence": {"steps": texts},
    "worked-example": {"problem": text, "solution": text, "answer": text},
    "callout-box": {"text": text, "style?": one_of("tip", "warning", "important", "info")},
    "two-pictures": {"pictures": pictures(2)},
    "three-pictures": {"pictures": pictures(3)},
    "four-pictures": {"pictures": pictures(4)},
    "hero-number": {
        "visual_type": one_of("text", "image", "pie-chart", "bar-chart", "fraction-circle", "svg"),
        "visual_content": text,
        "caption?": text,
        "background_style?": one_of("purple", "blue", "green", "orange", "red", "dark", "light"),
        "chart_data?": chart,
    },
    "three-svgs": {
        "title1": text, "title2": text, "title3": text,
        "description1": text, "description2": text, "description3": text,
        "svg1?": text, "svg2?": text, "svg3?": text,
    },
}


# With --exercises, those of Lectern too.
EXERCISES: Dict[str, Dict[str, Check]] = {
    "exercise-code": {"prompt": text, "cases": lambda value: isinstance(value, list)},
    "question": {"prompt": text, "kind": one_of("choice", "number", "text", "open")},
}


def faults(kind: str, parameters: Dict[str, Any]) -> Iterator[str]:
    for name, check in TYPES[kind].items():
        optional = name.endswith("?")
        value = parameters.get(name.rstrip("?"))
        if value is None and optional:
            continue
        if not check(value):
            yield "parameters.%s of a %s is missing or not what it should be" % (name.rstrip("?"), kind)


def known(kind: Any) -> List[str]:
    """What is wrong with a type's name, as a list of words."""
    return [] if kind in TYPES else ["'%s' is not a component type, send one of %s" % (kind, ", ".join(TYPES))]
