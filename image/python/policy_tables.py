# SPDX-License-Identifier: GPL-3.0-or-later
"""The policy's tables, from policy.json: what `lectern validate --dump-policy` printed when the image was made."""
import copy
import json
import re

NAMES_AND_DOTS = re.compile(r"[A-Za-z0-9_.]*\Z")
PLACES = ("asked_for", "indexed", "base", "decorator", "wrapper")


class Module:
    """A row of the policy's modules."""

    def __init__(self, name, row, patterns, inner):
        self.name = name
        self.importable = row["importable"]
        self.profile = row["profile"]
        self.kind = row["kind"]
        self.listed = frozenset(row["attributes"]) if "attributes" in row else None
        if self.listed is not None:
            return
        own = [pattern[len(name) + 1:] for pattern in patterns if pattern.startswith(name + ".")]
        self.refused = inner.union(row.get("refused_attributes", ()), (one for one in own if one[-1] != "*"))
        self.begins = ("_", *(one[:-1] for one in own if one[-1] == "*"))

    def without(self, patterns):
        """The same, but that attributes of these patterns are refused too."""
        own = [pattern[len(self.name) + 1:] for pattern in patterns if pattern.rpartition(".")[0] == self.name]
        if not own or self.listed is not None:
            return self
        module = copy.copy(self)
        module.refused = self.refused.union(one for one in own if one[-1] != "*")
        module.begins = (*self.begins, *(one[:-1] for one in own if one[-1] == "*"))
        return module

    def allows(self, attribute):
        if self.listed is not None:
            return attribute in self.listed
        return attribute not in self.refused and not attribute.startswith(self.begins)


class Policy:
    """The dump's tables for one profile, as sets."""

    def __init__(self, dump, modules, reach):
        charts = "visualization" in reach
        patterns = () if charts else dump["chart_attributes"]
        self.modules = {module.name: module.without(patterns) for module in modules if module.profile in reach}
        roles = {}
        for name, its in dump["names"].items():
            for role in its:
                roles.setdefault(role, set()).add(name)
        self.names = frozenset(roles["name"])
        self.attributes = frozenset(roles["attribute"])
        self.writers = frozenset(roles["writer"])
        self.queries = frozenset(roles["query"])
        self.getters = frozenset(roles["getter"])
        self.by_name = frozenset(roles["by_name"])
        self.methods_by_name = self.by_name | frozenset(roles["method_by_name"])
        self.formats = frozenset(roles["format"])
        self.keywords = frozenset(roles["keyword"])
        self.options = frozenset(roles["option"])
        self.evaluated = frozenset(roles["evaluated"])
        self.places = {place: frozenset(roles[place]) for place in PLACES}
        self.no_bases = frozenset(roles["no_base"])
        self.of_place = self.no_bases.union(*self.places.values())
        self.types = frozenset(roles["type"])
        self.methods = self.attributes | self.writers | self.queries  # refused where a method is named by text
        self.uncalled = self.attributes | self.writers | self.queries | self.getters
        self.watched_names = self.names | self.getters | self.of_place | self.types
        self.stores, self.own_stores, self.item_stores, self.memory = (
            frozenset(roles[role]) for role in ("store", "own_store", "item_store", "memory"))
        self.charts = frozenset() if charts else frozenset(roles["chart"])
        self.checks = frozenset(roles["check"])
        self.of_arrays = self.stores | self.own_stores | self.item_stores | self.memory | self.charts
        self.readers = frozenset(dump["readers"])
        self.reader_names = frozenset(name.rpartition(".")[2] for name in self.readers)
        self.reader_keywords = frozenset(dump["reader_keywords"])
        self.reader_refused = frozenset(dump["reader_refused"])
        self.buffers = frozenset(dump["buffers"])
        self.watched_attributes = self.uncalled | self.of_place | self.of_arrays
        self.watched_calls = self.writers | self.queries | self.getters | self.methods_by_name | self.types | self.options
        self.dunders = frozenset(dump["dunder_methods"])
        self.path_keywords = frozenset(dump["path_keywords"])
        self.query_keywords = frozenset(dump["query_keywords"])
        self.storable = frozenset(dump["storable"])
        self.item_storable = frozenset(dump["item_storable"])
        self.evaluated_settings = frozenset(dump["evaluated_settings"])
        self.private_names = frozenset(dump["private_names"])
        self.dunder_texts = frozenset(dump["dunder_texts"])
        self.dunder_pieces = self.dunder_texts.union(dump["dunder_pieces"])
        commands = dump["command_texts"]
        self.commands = frozenset(one for one in commands if "*" not in one)
        self.command_begins = tuple(one[:-1] for one in commands if one[-1] == "*")
        self.command_parts = tuple(one[1:] for one in commands if one[0] == "*")

    @staticmethod
    def is_dunder(text):
        return text[:2] == "__" == text[-2:] and len(text) > 4

    def is_private(self, text):
        return text[:1] == "_" and not self.is_dunder(text) and text not in self.private_names

    def is_command(self, text):
        """Whether a library takes the text for a command, or it is a name that leads out of the program."""
        if text in self.commands or text.startswith(self.command_begins) or any(one in text for one in self.command_parts):
            return True
        return "__" in text and NAMES_AND_DOTS.match(text) is not None and not self.dunder_texts.isdisjoint(text.split("."))


def load(path):
    """{profile: its Policy}."""
    with open(path, encoding="utf-8") as file:
        dump = json.load(file)
    inner, ranks = frozenset(dump["inner_modules"]), dump["ranks"]
    modules = [Module(name, row, dump["refused_attributes"], inner) for name, row in dump["modules"].items()]
    return {profile: Policy(dump, modules, ranks[:rank]) for rank, profile in enumerate(ranks, 1)}
