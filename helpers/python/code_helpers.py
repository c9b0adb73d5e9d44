# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the curriculum of the session that the analysis belongs to, and those that its call names in also.

    from code_helpers import get_nodes, get_relationships, get_node_content, get_all_content, analyze_graph, query_graph, find

Everything returned is a fresh copy: change it as you like. What was read once is kept for the run, so all reads see the same
nodes. session_id is this run's own unless it names one of also, as the call does or by its id; any other is refused.
"""

__all__ = ["get_nodes", "get_relationships", "get_node_content", "get_all_content", "analyze_graph", "query_graph", "find"]


def connect(ask):
    """Makes the functions. ask(target) is a GET of the session API: (status, body). Called once, by the interpreter, while
    it warms; what it returns is called with the session when the job comes. The modules that are needed stay in this
    function, out of the module's reach."""
    import gc
    import json
    import marshal
    import sys
    import time
    from unicodedata import normalize
    from urllib.parse import quote

    own_session = None
    others = {}     # what the call names in also, and their ids: the id
    curricula = {}  # id: what is read of it

    def begin(session_id, also=None):
        nonlocal own_session
        own_session = session_id
        others.clear()
        others.update(also or {})

    SINGLE_READS = 8       # contents read one by one; from then on in bulk
    PAGE = 200             # nodes of one bulk read
    KEPT_BYTES = 32 << 20  # answers kept to be read again, all together
    BUSY = (429, 503)
    BUSY_WAITS = (0.05, 0.1, 0.2, 0.4)  # seconds before another try
    TARGET_MAX = 4000  # bytes; less than FRAME_REQUEST_CAP of executor/frame.h
    WRONG = (404, 409, 422)             # what was asked for is not there, or not one thing
    INSTEAD = {
        403: "read less often: get_nodes(), get_relationships() and get_all_content() read everything at once and may be "
             "called again for nothing; query_graph() answers for the whole graph",
        413: "ask for less at once: query_graph(..., limit=100), or get_node_content(node_id) for the nodes that matter",
        429: "the server is busy: send the analysis again in a moment",
        503: "the server is busy: send the analysis again in a moment",
    }

    def detail(body):
        try:
            value = json.loads(bytes(body))["detail"]
            if isinstance(value, list):
                value = "; ".join(part["msg"] for part in value)
        except (ValueError, KeyError, TypeError):
            value = bytes(body[:500]).decode("utf-8", "replace")
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)

    def read(path):
        """The body of a GET; LookupError carries the server's text for what is not there."""
        if len(path) > TARGET_MAX:
            raise ValueError("what is asked for has %d bytes: send a shorter text or id, of at most 1000 bytes" % len(path))
        for wait in (*BUSY_WAITS, None):
            status, body = ask(path)
            if status not in BUSY or wait is None:
                break
            time.sleep(wait)
        if status == 200:
            return body
        text = detail(body)
        if status in WRONG:
            raise LookupError(text)
        instead = "; " + INSTEAD[status] if status in INSTEAD else ""
        raise RuntimeError("the curriculum could not be read (status %d): %s%s" % (status, text, instead))

    def segment(text):
        """One segment of a path: dots alone would be taken for a way up."""
        quoted = quote(text, safe="")
        return quoted.replace(".", "%2E") if set(quoted) == {"."} else quoted

    def named(given):
        """The id of the session that is meant."""
        if given is None:
            return own_session
        if not isinstance(given, str):
            raise TypeError("session_id must be text, not %s; leave it out to read this run's session"
                            % type(given).__name__)
        given = str.__str__(given)
        if own_session is None or given == own_session:
            return own_session
        if given in others:
            return others[given]
        raise PermissionError("session %.40r is not this run's session: leave session_id out, or name it in also, an "
                              "argument of execute_code%s" % (given, "; named there: " + ", ".join(others) if others else ""))

    def curriculum(given):
        session_id = named(given)
        if session_id is None:
            raise RuntimeError("this run has no session, so there is no curriculum to read; name one as session_id")
        if session_id not in curricula:
            curricula[session_id] = Curriculum(session_id)
        return curricula[session_id]

    class WithoutCollector:
        """What is parsed is many new objects and none of them garbage: to look for some takes a third of the time."""

        def __enter__(self):
            self.enabled = gc.isenabled()
            gc.disable()

        def __exit__(self, *_):
            if self.enabled:
                gc.enable()

    kept = {}  # path: body
    kept_bytes = 0

    def read_again(path):
        """What stands at the path: asked for once, as long as there is room to keep it; parsed anew for every call."""
        nonlocal kept_bytes
        body = kept.get(path)
        if body is None:
            body = read(path)
            if kept_bytes + len(body) <= KEPT_BYTES:
                kept[path] = body
                kept_bytes += len(body)
        with WithoutCollector():
            return json.loads(str(body, "utf-8"))

    NAMES = {"component_type", "type", "parameters", "order_index", "order", "confidence"}

    def complete(component):
        """Both names of the type and of the place, and a confidence, as the contract has them."""
        kind = component.get("component_type", component.get("type"))
        place = component.get("order_index", component.get("order"))
        for key, value in (("component_type", kind), ("type", kind), ("parameters", {}), ("order_index", place),
                           ("order", place), ("confidence", None)):
            component.setdefault(key, value)

    def content(node_id, title, components):
        for component in components:
            if not NAMES <= component.keys():
                complete(component)
        return {"node_id": node_id, "title": title, "components": components}

    class Curriculum:
        """What is read of one session."""

        def __init__(self, session_id):
            self.path = "/session/" + segment(session_id)
            self.titles = None
            self.pages = 0         # read so far; each holds PAGE nodes
            self.complete_at = -1  # pages there are, once that is known
            self.page_of = {}      # node id: the page that its content is on
            self.unused = {}       # node id: its content, parsed and given to nobody yet
            self.packed = {}       # node id: its content, so that each call unpacks one of its own
            self.single_reads = 0

        def read(self, path):
            return read_again(self.path + path)

        def title_of(self, node_id, answer):
            if "title" in answer:
                return answer["title"]
            if self.titles is None:
                self.titles = {node["node_id"]: node.get("title") for node in self.read("/nodes")["nodes"]}
            return self.titles.get(node_id)

        def ids_of_title(self, title):
            """The nodes of a code (humanCodingScheme of a standard), or of a title, in any letter case and form of Unicode."""
            def plain(text):
                return normalize("NFC", str(text)).casefold()
            nodes = self.read("/nodes")["nodes"]
            for key in ("humanCodingScheme", "title"):
                ids = [node["node_id"] for node in nodes if plain(node.get(key)) == plain(title)]
                if ids:
                    return ids
            return []

        def read_page(self, number):
            """The contents on a page."""
            nodes = self.read("/components?offset=%d&limit=%d" % (number * PAGE, PAGE))["nodes"]
            contents = [content(node["node_id"], node.get("title"), node["components"]) for node in nodes]
            if number == self.pages:
                self.pages += 1
                self.page_of.update((entry["node_id"], number) for entry in contents)
                if len(nodes) < PAGE:
                    self.complete_at = self.pages
            return contents

        def read_single(self, node_id):
            try:
                path = "/nodes/%s/components" % segment(node_id)
            except UnicodeEncodeError:
                raise ValueError("node_id %a is not valid text" % node_id) from None
            try:
                answer = self.read(path)
            except LookupError as error:
                ids = self.ids_of_title(node_id)
                if len(ids) == 1 and ids[0] != node_id:
                    return self.read_single(ids[0])
                why = "%r is the title of %d nodes: %s" % (node_id, len(ids), ", ".join(ids)) if ids else error.args[0]
                raise ValueError(why) from None
            return content(answer.get("node_id", node_id), self.title_of(node_id, answer), answer["components"])

        def read_from_page(self, node_id):
            """A content on a page that is known: the first time as it was parsed, from then on unpacked."""
            if node_id in self.packed:
                return marshal.loads(self.packed[node_id])
            if node_id not in self.unused:
                self.unused.update((entry["node_id"], entry) for entry in self.read_page(self.page_of[node_id])
                                   if entry["node_id"] not in self.packed)
            entry = self.unused.pop(node_id, None)
            if entry is None:  # gone since the page was read first
                return self.read_single(node_id)
            self.packed[node_id] = marshal.dumps(entry)
            return entry

        def node_content(self, node_id):
            if node_id not in self.page_of and self.single_reads < SINGLE_READS:
                self.single_reads += 1
                return self.read_single(node_id)
            while node_id not in self.page_of and self.pages != self.complete_at:
                self.unused.update((entry["node_id"], entry) for entry in self.read_page(self.pages))
            if node_id not in self.page_of:  # new since the pages were read, or not there at all
                return self.read_single(node_id)
            return self.read_from_page(node_id)

        def all_content(self):
            contents, number = [], 0
            with WithoutCollector():
                while number != self.complete_at:
                    contents += self.read_page(number)
                    number += 1
            return contents

    def get_nodes(session_id=None):
        """All nodes of the session, as dicts: node_id, title, content_category, chapter_id, and further fields."""
        return curriculum(session_id).read("/nodes")["nodes"]

    def get_relationships(session_id=None):
        """All relationships, as dicts: from_node_id, to_node_id, relationship_type, explanation, and further ones."""
        return curriculum(session_id).read("/relationships")["relationships"]

    def get_node_content(node_id, session_id=None):
        """One node's content, by its id or a title that one node has: {"node_id", "title", "components":
        [{"component_type", "parameters", ...}]}."""
        if not isinstance(node_id, str):
            raise TypeError("node_id must be text such as 'N001', not %s; get_nodes() lists the nodes"
                            % type(node_id).__name__)
        return curriculum(session_id).node_content(str.__str__(node_id))

    def get_all_content(session_id=None):
        """The content of every node, a list of what get_node_content returns, in the order of get_nodes()."""
        return curriculum(session_id).all_content()

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

    def argument(name, value):
        if not isinstance(value, str):
            raise TypeError("%s must be text, not %s" % (name, type(value).__name__))
        try:
            return "%s=%s" % (name, quote(str.__str__(value), safe=""))
        except UnicodeEncodeError:
            raise ValueError("%s %a is not valid text" % (name, value)) from None

    def query_graph(query, node_id=None, from_node_id=None, to_node_id=None, types=None, limit=None, words=False, parts=None,
                    session_id=None, framework=None):
        """One of the graph's queries, computed by the server, as a dict: "query", "over" (the relationship types and edges it
        speaks about), "cut" (rows left out) and its own members; nodes are ids. In teaching order or the greatest first.

        @QUERIES@

        types: relationship types instead of the query's own, or "all". limit: rows of each list; all without.
        words: count the words of nodes, in outline, order and levels. parts: how many, of pace.
        framework: of coverage, a curriculum that the call names in also."""
        if not isinstance(query, str):
            raise TypeError("query must be text such as 'bottlenecks', not %s" % type(query).__name__)
        read_from = curriculum(session_id)
        asked = [argument(name, value) for name, value in (("node_id", node_id), ("from_node_id", from_node_id),
                                                           ("to_node_id", to_node_id)) if value is not None]
        if framework is not None:
            asked.append(argument("framework", named(framework)))
        for kind in [] if types is None else [types] if isinstance(types, str) else types:
            asked.append(argument("types", kind))
        for name, value, without in (("limit", limit, "leave it out for all rows"), ("parts", parts, "only pace takes it")):
            if value is None:
                continue
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise ValueError("%s must be a whole number from 1 on; %s" % (name, without))
            asked.append("%s=%d" % (name, value))
        if words:
            asked.append("words=true")
        try:
            path = "/graph/%s" % segment(str.__str__(query)) + ("?" + "&".join(asked) if asked else "")
        except UnicodeEncodeError:
            raise ValueError("query %a is not valid text" % query) from None
        try:
            return read_from.read(path) if str.__str__(query) else list_queries(read_from)
        except LookupError as error:
            raise ValueError(error.args[0]) from None

    def find(text=None, in_=None, without=None, node_id=None, sort=None, limit=20, session_id=None):
        """Lessons by their words, the best first, as a list of dicts: node_id, title, component_order, component_type, field,
        text (the words around). text: words in any form, "a phrase"; in_: titles, a component type or a parameter; without: a
        component type, relationships, a relationship type or a field that lessons must lack; sort: best, order, words,
        changed. With node_id and no text: that lesson as a dict with its words and components."""
        if not isinstance(limit, int) or isinstance(limit, bool) or limit < 1:
            raise ValueError("limit must be a whole number from 1 on")
        given = (("text", text), ("in", in_), ("without", without), ("node_id", node_id), ("sort", sort))
        parts = [argument(name, value) for name, value in given if value is not None] + ["limit=%d" % limit]
        try:
            answer = curriculum(session_id).read("/find?" + "&".join(parts))
        except LookupError as error:
            raise ValueError(error.args[0]) from None
        return answer.get("hits", answer)

    def list_queries(read_from):
        queries = read_from.read("/graph")["queries"]
        raise ValueError("say which query: " + ", ".join(row["query"] for row in queries))

    module = sys.modules[__name__]
    for name in ("__loader__", "__spec__", "__file__", "__cached__"):
        module.__dict__.pop(name, None)
    for function in (get_nodes, get_relationships, get_node_content, get_all_content, analyze_graph, query_graph, find):
        function.__qualname__ = function.__name__
        setattr(module, function.__name__, function)
    return begin
