# SPDX-License-Identifier: GPL-3.0-or-later
"""Course packages of others: imports each, and compares the lessons and their order with a reading of the package's own structure by
ElementTree, which shares no code with Lectern's.

    bench_packages.py PACKAGE...    folders of Open edX courses (OLX) and of Common Cartridges, unpacked

docs/benchmarks.md lists the public ones that were tried, with commit and licence. They are not part of the project.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "contract"))
import harness  # noqa: E402


def local(element):
    return element.tag.rpartition("}")[2]


def sequentials(course):
    """The titles of the lessons of an OLX folder, in order."""
    def block(element):
        """The element, or the file that it points to."""
        name = element.get("url_name")
        path = course / local(element) / ("%s.xml" % name)
        return ElementTree.parse(path).getroot() if len(element) == 0 and name and path.exists() else element

    root = block(ElementTree.parse(course / "course.xml").getroot())
    for chapter in (block(child) for child in root if local(child) == "chapter"):
        for sequential in (block(child) for child in chapter if local(child) == "sequential"):
            yield sequential.get("display_name") or sequential.get("url_name")


def items(element):
    """The titles of the items of a cartridge that have a resource, in order."""
    for item in (child for child in element if local(child) == "item"):
        if item.get("identifierref"):
            yield next(child.text.strip() for child in item if local(child) == "title")
        yield from items(item)


def leads(package):
    if (package / "course.xml").exists():
        return list(sequentials(package))
    root = ElementTree.parse(package / "imsmanifest.xml").getroot()
    return [title for organization in root.iter() if local(organization) == "organization" for title in items(organization)]


def found_in_order(wanted, titles):
    """The number of wanted titles that follow each other in titles, with others in between."""
    rest = iter(titles)
    return sum(any(title == one for title in rest) for one in wanted)


def main(packages):
    if not packages:
        print(__doc__)
        return
    print("| package | lessons of the package | found in this order | nodes | components | relationships |\n|---|---|---|---|---|---|")
    for package in map(pathlib.Path, packages):
        with tempfile.TemporaryDirectory() as folder:
            store = "sqlite:" + folder + "/store.db"
            sid = subprocess.run([harness.LECTERN, "import", "--store", store, package], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                 text=True, check=True).stdout.split()[-1]
            whole = json.loads(subprocess.run([harness.LECTERN, "export", "--store", store, sid], stdout=subprocess.PIPE, check=True).stdout)
        wanted = [" ".join(title.split()) for title in leads(package)]
        titles = [" ".join(node["title"].split()) for node in whole["nodes"]]
        print("| %s | %d | %d | %d | %d | %d |" % (package.name, len(wanted), found_in_order(wanted, titles), len(titles),
                                                sum(len(node.get("components", [])) for node in whole["nodes"]), len(whole["relationships"])))


if __name__ == "__main__":
    main(sys.argv[1:])
