# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the curriculum of the session that the analysis belongs to.

    from code_helpers import get_nodes, get_relationships, get_node_content, get_all_content, analyze_graph

Everything returned is a fresh copy: change it as you like. All reads of one run see the same nodes; any other
session than the run's own is refused.
"""

__all__ = ["get_nodes", "get_relationships", "get_node_content", "get_all_content", "analyze_graph"]


def connect(ask, own_session):
    """Makes the functions. ask(target) is a GET of the session API: (status, body). Called once, by the interpreter,
    before the analysis runs. The modules that are needed stay in this function, out of the module's reach."""
    import json
    import marshal
    import sys
    import time
    from urllib.parse import quote

    SINGLE_READS = 8      # contents read one by one; from then on in bulk
    PAGE = 200            # nodes of one bulk read
    KEPT_BYTES = 8 << 20  # the longest answer that is kept to be read again
    BUSY = (429, 503)
    BUSY_WAITS = (0.05, 0.1, 0.2, 0.4)  # seconds before another try

    def detail(body):
        try:
            value = json.loads(bytes(body))["detail"]
        except (ValueError, KeyError, TypeError):
            value = bytes(body[:500]).decode("utf-8", "replace")
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)

    def read(path):
        """The body of a GET below the session; LookupError carries the server's text for what is not there."""
        if own_session is None:
            raise RuntimeError("this run has no session, so there is no curriculum to read; "
                               "pass session_id to execute_code")
        for wait in (*BUSY_WAITS, None):
            status, body = ask("/session/%s%s" % (segment(own_session), path))
            if status not in BUSY or wait is None:
                break
            time.sleep(wait)
        if status == 200:
            return body
        text = detail(body)
        if status == 404:
            raise LookupError(text)
        raise RuntimeError("the curriculum could not be read (status %d): %s" % (status, text))

    def segment(text):
        """One segment of a path: dots alone would be taken for a way up."""
        quoted = quote(text, safe="")
        return quoted.replace(".", "%2E") if set(quoted) == {"."} else quoted

    def check_session(given):
        if given is None:
            return
        if not isinstance(given, str):
            raise TypeError("session_id must be text, not %s; leave it out to read this run's session"
                            % type(given).__name__)
        if own_session is not None and not str.__eq__(own_session, given):
            raise PermissionError("session %.40r is not this run's session; leave session_id out" % str(given))

    def keeper(path):
        """A reader of one list of the session: asked for once, parsed anew for every call."""
        kept = None

        def parsed():
            nonlocal kept
            body = kept if kept is not None else read(path)
            if len(body) <= KEPT_BYTES:
                kept = body
            return json.loads(bytes(body))

        return parsed

    read_nodes = keeper("/nodes")
    read_relationships = keeper("/relationships")

    def complete(component):
        """Both names of the type and of the place, and a confidence, as the contract has them."""
        kind = component.get("component_type", component.get("type"))
        place = component.get("order_index", component.get("order"))
        for key, value in (("component_type", kind), ("type", kind), ("parameters", {}), ("order_index", place),
                           ("order", place), ("confidence", None)):
            component.setdefault(key, value)
        return component

    def content(node_id, title, components):
        return {"node_id": node_id, "title": title, "components": [complete(part) for part in components]}

    titles = None

    def title_of(node_id, answer):
        nonlocal titles
        if "title" in answer:
            return answer["title"]
        if titles is None:
            titles = {node["node_id"]: node.get("title") for node in read_nodes()["nodes"]}
        return titles.get(node_id)

    def pages():
        """All contents, a page at a time."""
        offset = 0
        while True:
            page = json.loads(bytes(read("/components?offset=%d&limit=%d" % (offset, PAGE))))["nodes"]
            yield [content(node["node_id"], node.get("title"), node["components"]) for node in page]
            if len(page) < PAGE:
                return
            offset += len(page)

    single_reads = 0
    coming = None  # pages not read yet, once bulk reading has begun
    stored = {}    # node id: its content, packed, so that each call unpacks one of its own

    def read_single(node_id):
        try:
            answer = json.loads(bytes(read("/nodes/%s/components" % segment(node_id))))
        except UnicodeEncodeError:
            raise ValueError("node_id %a is no valid text" % node_id) from None
        except LookupError as error:
            raise ValueError(error.args[0]) from None
        return content(answer.get("node_id", node_id), title_of(node_id, answer), answer["components"])

    def get_nodes(session_id=None):
        """All nodes of the session, as dicts: node_id, title, content_category, chapter_id, and further fields."""
        check_session(session_id)
        return read_nodes()["nodes"]

    def get_relationships(session_id=None):
        """All relationships, as dicts: from_node_id, to_node_id, relationship_type, explanation, and further ones."""
        check_session(session_id)
        return read_relationships()["relationships"]

    def get_node_content(node_id):
        """One node's content: {"node_id", "title", "components": [{"component_type", "parameters", ...}]}."""
        nonlocal single_reads, coming
        if not isinstance(node_id, str):
            raise TypeError("node_id must be text such as 'N001', not %s; get_nodes() lists the nodes"
                            % type(node_id).__name__)
        node_id = str.__str__(node_id)
        if node_id not in stored and single_reads < SINGLE_READS:
            single_reads += 1
            return read_single(node_id)
        if coming is None:
            coming = pages()
        while node_id not in stored:
            page = next(coming, None)
            if page is None:
                return read_single(node_id)  # new since the pages were read, or not there at all
            for entry in page:
                stored[entry["node_id"]] = marshal.dumps(entry)
        return marshal.loads(stored[node_id])

    def get_all_content():
        """The content of every node, a list of what get_node_content returns, in the order of get_nodes()."""
        return [entry for page in pages() for entry in page]

    def analyze_graph(session_id=None):
        """The curriculum as a networkx.DiGraph: node attributes are the node's fields, edge attributes the
        relationship's. Of several relationships between the same two nodes the edge has the last one's fields
        (get_relationships() has all); a relationship to a node that does not exist is left out."""
        import networkx
        nodes, relationships = get_nodes(session_id), get_relationships(session_id)
        graph = networkx.DiGraph()
        graph.add_nodes_from((node["node_id"], node) for node in nodes)
        graph.add_edges_from((edge["from_node_id"], edge["to_node_id"], edge) for edge in relationships
                             if edge["from_node_id"] in graph and edge["to_node_id"] in graph)
        return graph

    module = sys.modules[__name__]
    for name in ("__loader__", "__spec__", "__file__", "__cached__"):
        module.__dict__.pop(name, None)
    for function in (get_nodes, get_relationships, get_node_content, get_all_content, analyze_graph):
        function.__qualname__ = function.__name__
        setattr(module, function.__name__, function)
