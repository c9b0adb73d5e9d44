# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures: ordinary plotting programs through the validator, the policy in the sandbox and all layers, to PNG; and hostile ones. A quarter of
the ordinary ones run; LECTERN_WHOLE=1 (make soak): all."""
import base64
import functools
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

import sandbox
from sandbox import PLOT_PRELOAD

sys.path.insert(0, str(sandbox.ROOT / "tests/data"))
import corpus  # noqa: E402

HEAD = "import matplotlib.pyplot as plt\nimport numpy as np\nimport pandas as pd\nimport networkx as nx\n"
run = functools.partial(sandbox.run, kind="plot", preload=PLOT_PRELOAD, profile="visualization", memory_mb=512)


def size_of(artifact):
    """Width and height, from the PNG's own head."""
    png = base64.b64decode(artifact, validate=True)
    assert png[:8] == b"\x89PNG\r\n\x1a\n" and png[-8:-4] == b"IEND", png[:20]
    return struct.unpack(">II", png[16:24])


def accepted(code):
    return subprocess.run([sandbox.BUILD / "lectern", "validate", "--profile", "visualization", "-"], input=code.encode(),
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


ORDINARY = {
    "a line": "plt.plot([1, 2, 3], [3, 1, 2])\nplt.show()",
    "lines with a legend": "x = np.linspace(0, 10, 50)\nfor k in (1, 2):\n    plt.plot(x, np.sin(k * x), label=f'k={k}')\n"
                           "plt.legend(loc='upper right')\nplt.grid(True)\nplt.tight_layout()",
    "bars": "names = ['intro', 'middle', 'end']\nplt.figure(figsize=(8, 4))\nplt.bar(names, [3, 5, 2], color='steelblue')\n"
            "plt.xticks(rotation=45, ha='right')\nplt.ylabel('nodes')\nplt.title('Nodes per chapter')",
    "horizontal bars": "fig, ax = plt.subplots()\nax.barh(['a', 'b'], [1, 2])\nax.invert_yaxis()\nax.bar_label(ax.containers[0])",
    "a histogram": "plt.hist(np.random.default_rng(1).normal(size=500), bins=20, edgecolor='black', alpha=0.7)",
    "points with colours": "p = plt.scatter([1, 2, 3], [1, 2, 3], c=[1, 2, 3], cmap='viridis', s=[20, 40, 80])\n"
                           "plt.colorbar(p, label='depth')",
    "several axes": "fig, axes = plt.subplots(2, 2, figsize=(10, 8), sharex=True)\nfor i, ax in enumerate(axes.flat):\n"
                    "    ax.plot(range(i + 2))\n    ax.set_title(f'part {i}')\nfig.suptitle('All')\nfig.tight_layout()",
    "logarithmic": "plt.loglog([1, 10, 100], [1, 100, 10000])\nplt.yscale('log')\nplt.xscale('symlog')",
    "dates": "import datetime\ndays = [datetime.date(2024, 1, 1) + datetime.timedelta(days=i) for i in range(40)]\n"
             "fig, ax = plt.subplots()\nax.plot(days, range(40))\nfig.autofmt_xdate()",
    "words and arrows": "fig, ax = plt.subplots()\nax.text(0.5, 0.5, 'Größe → α', fontsize=14, fontweight='bold', ha='center',"
                        " bbox=dict(boxstyle='round', facecolor='wheat'))\n"
                        "ax.annotate('here', xy=(0.2, 0.2), xytext=(0.6, 0.8), arrowprops=dict(arrowstyle='->'))",
    "formulas": "plt.plot([1, 2])\nplt.title(r'$\\alpha^2 + \\frac{1}{2}\\sum_i x_i$')\nplt.xlabel('$x$')",
    "an image": "plt.imshow(np.arange(100).reshape(10, 10), cmap='Blues', aspect='auto')\nplt.colorbar()\nplt.axis('off')",
    "a pie": "plt.pie([30, 70], labels=['a', 'b'], autopct='%1.1f%%', startangle=90, explode=(0.1, 0))\nplt.axis('equal')",
    "boxes": "plt.boxplot([[1, 2, 3, 9], [2, 3, 4]], labels=['a', 'b'])\nplt.figure()\nplt.violinplot([[1, 2, 3, 9]])",
    "areas and errors": "plt.fill_between([1, 2, 3], [1, 2, 1], alpha=0.3)\nplt.errorbar([1, 2], [1, 2], yerr=[.1, .2], fmt='o')\n"
                        "plt.stackplot([1, 2, 3], [1, 2, 3], [2, 2, 2])\nplt.axhline(1, linestyle='--')\nplt.axvspan(1, 2, alpha=.1)",
    "steps and stems": "plt.step([1, 2, 3], [1, 3, 2], where='mid')\nplt.stem([1, 2, 3], [1, 3, 2])",
    "a polar one": "ax = plt.subplot(projection='polar')\nax.plot(np.linspace(0, 6, 50), np.linspace(0, 1, 50))",
    "two scales": "fig, ax = plt.subplots()\nax.plot([1, 2])\nother = ax.twinx()\nother.plot([20, 10], color='tab:red')\n"
                  "other.set_ylabel('right', color='tab:red')",
    "contours": "x, y = np.meshgrid(np.linspace(-1, 1, 20), np.linspace(-1, 1, 20))\nplt.contourf(x, y, x * y, levels=8)\n"
                "plt.pcolormesh(x, y, x, shading='auto')",
    "a table": "plt.table(cellText=[['1', '2']], colLabels=['a', 'b'], loc='center')\nplt.axis('off')",
    "settings": "plt.rcParams['figure.figsize'] = (6, 4)\nplt.rcParams['font.size'] = 9\n"
                "plt.rcParams['font.family'] = 'Arial'\nplt.plot([1])\nplt.title('a font that is not there')",
    "a frame's own": "df = pd.DataFrame({'chapter': ['a', 'b'], 'nodes': [3, 4], 'edges': [1, 2]})\n"
                     "df.plot(x='chapter', y=['nodes', 'edges'], kind='bar', title='Counts')",
    "a series' own": "s = pd.Series([3, 1, 2], index=['a', 'b', 'c'])\ns.sort_values().plot.barh()\nplt.tight_layout()",
    "a histogram of a frame": "df = pd.DataFrame({'a': range(9), 'b': range(9)})\ndf.hist(bins=3)\ndf.boxplot(column='a')",
    "a time series of pandas": "pd.Series(range(30), index=pd.date_range('2024-01-01', periods=30)).plot(figsize=(9, 3))",
    "colours by a map": "colors = plt.cm.viridis(np.linspace(0, 1, 3))\nplt.bar([1, 2, 3], [1, 2, 3], color=colors)\n"
                        "plt.get_cmap('tab10')",
    "a graph": "g = nx.DiGraph([('a', 'b'), ('b', 'c'), ('a', 'c')])\nplt.figure(figsize=(8, 6))\n"
               "nx.draw(g, nx.spring_layout(g, seed=1), with_labels=True, node_color='lightblue', node_size=800, arrows=True)",
    "a graph in parts": "g = nx.path_graph(5, create_using=nx.DiGraph)\nplace = nx.kamada_kawai_layout(g)\n"
                        "nx.draw_networkx_nodes(g, place, node_color=range(5), cmap=plt.cm.Reds)\n"
                        "nx.draw_networkx_edges(g, place, connectionstyle='arc3,rad=0.2')\nnx.draw_networkx_labels(g, place)\n"
                        "nx.draw_networkx_edge_labels(g, place, edge_labels={(0, 1): 'x'})\nplt.axis('off')",
    "a graph by its own layout": "nx.draw_circular(nx.karate_club_graph(), with_labels=True)\nplt.figure()\n"
                                 "nx.draw_networkx(nx.cycle_graph(4))",
    "a grid of parts": "fig = plt.figure(constrained_layout=True)\ngrid = fig.add_gridspec(2, 2)\n"
                       "fig.add_subplot(grid[0, :]).plot([1])\nfig.add_subplot(grid[1, 0]).plot([2])",
}


class Ordinary(unittest.TestCase):
    def check(self, name, code, drawn):
        with self.subTest(name):
            told = accepted(HEAD + code)
            self.assertEqual(told.returncode, 0, told.stdout)
            outcome = drawn(HEAD + code, timeout_ms=20000)
            self.assertEqual((outcome.status, outcome.result["error"]), ("ok", None), outcome.result)
            self.assertEqual((outcome.text, outcome.stderr), ("", b""))
            self.assertGreaterEqual(len(outcome.artifacts), 1)
            for artifact in outcome.artifacts:
                self.assertTrue(all(50 < side <= 2100 for side in size_of(artifact)), size_of(artifact))
            return outcome

    def test_they_are_drawn(self):
        """Each in a clean copy of one interpreter: to start one takes longer than all that is drawn."""
        with sandbox.Session(kind="plot", preload=PLOT_PRELOAD, memory_mb=512, bwrap=True) as box:
            for name, code in corpus.sample(list(ORDINARY.items()), 4):
                self.check(name, code, functools.partial(box.run, profile="visualization"))
            self.assertEqual(box.stop(), "")

    def test_one_in_a_sandbox_of_its_own(self):
        for name in ("a line", "several axes", "formulas"):
            self.assertEqual(self.check(name, ORDINARY[name], functools.partial(run, bwrap=True)).complaints, "")


class Figures(unittest.TestCase):
    def draw(self, code, **fields):
        return run(HEAD + code, **fields)

    def test_all_that_are_open_in_order(self):
        outcome = self.draw("for n in (3, 1, 2):\n    plt.figure(n, figsize=(3 * n, 3)).gca().plot([n])\nplt.close(3)\n1 + 1")
        self.assertEqual([round(size_of(artifact)[0] / 300) for artifact in outcome.artifacts], [1, 2])
        self.assertEqual(outcome.result["value"], "2")

    def test_none_where_none_is_open(self):
        for code in ("plt.plot([1])\nplt.close()", "1", "plt.figure()", "fig, ax = plt.subplots()\nplt.close('all')"):
            outcome = self.draw(code)
            self.assertEqual((outcome.status, outcome.artifacts), ("ok", []), code)

    def test_a_failed_run_shows_what_it_drew(self):
        for code, status in (("1 / 0", "error"), ("raise SystemExit(0)", "ok"), ("raise SystemExit(3)", "error")):
            outcome = self.draw("plt.plot([1, 2])\n" + code)
            self.assertEqual((outcome.status, len(outcome.artifacts)), (status, 1), code)

    def test_large_ones_are_drawn_small(self):
        outcome = self.draw("plt.figure(figsize=(120, 40)).gca().plot([1])")
        self.assertTrue(all(side <= 2050 for side in size_of(outcome.artifacts[0])))
        outcome = self.draw("plt.figure(figsize=(60000, 100)).gca().plot([1])")
        self.assertEqual((outcome.status, outcome.artifacts), ("error", []))
        self.assertIn("figsize=(10, 6)", outcome.result["error"])
        outcome = self.draw("plt.figure(figsize=(12, 12))\nplt.axes([0, 0, 1, 1])\n"
                            "plt.imshow(np.random.default_rng(1).random((1200, 1200, 3)))\n7", timeout_ms=20000)
        self.assertEqual((outcome.status, len(outcome.artifacts)), ("ok", 1), outcome.result)
        self.assertLess(len(outcome.artifacts[0]), 2 << 20)
        outcome = self.draw("plt.plot([1])\nplt.text(1e6, 1e6, 'far away')")
        self.assertEqual((outcome.status, len(outcome.artifacts)), ("ok", 1), outcome.result)
        self.assertTrue(all(side <= 2050 for side in size_of(outcome.artifacts[0])))

    def test_eight_large_ones_to_a_server_that_is_slow(self):
        code = ("for n in range(8):\n    plt.figure(figsize=(6, 6))\n    plt.axes([0, 0, 1, 1])\n"
                "    plt.imshow(np.random.default_rng(n).random((500, 500, 3)), interpolation='nearest')\nprint('done')")
        outcome = self.draw(code, timeout_ms=30000)
        self.assertEqual((outcome.status, outcome.text, len(outcome.artifacts)), ("ok", "done\n", 8), outcome.result)
        self.assertGreater(sum(map(len, outcome.artifacts)), 6 << 20)

    def test_more_than_are_answered(self):
        outcome = self.draw("for n in range(11):\n    plt.figure(figsize=(1, 1)).gca().plot([1])", timeout_ms=20000)
        self.assertEqual((outcome.status, len(outcome.artifacts)), ("ok", 8))
        self.assertIn(b"3 more figures are open; the first 8 are answered", outcome.stderr)

    def test_what_fails_while_it_is_drawn(self):
        outcome = self.draw("fig, ax = plt.subplots()\nlabels = {}\nax.plot([1, 2])\n"
                            "ax.xaxis.set_major_formatter(lambda x, place: labels[x])\nplt.figure(); plt.plot([1])\n7")
        self.assertEqual((outcome.status, outcome.result["error_type"], len(outcome.artifacts)), ("error", "KeyError", 1))
        self.assertEqual((outcome.result["value"], outcome.result["line"]), ("7", 8))
        self.assertIn("figure 1 could not be drawn", outcome.result["error"])
        outcome = self.draw("plt.title('$\\\\frac{1$')")
        self.assertEqual((outcome.status, outcome.result["error_type"]), ("error", "ValueError"))

    def test_drawing_counts_as_running(self):
        outcome = self.draw("plt.scatter(range(10), range(10))\n"
                            "plt.gca().xaxis.set_major_formatter(lambda x, place: all(True for _ in iter(int, 1)))", timeout_ms=700)
        self.assertEqual((outcome.status, outcome.result["error_type"]), ("timeout", "TimeoutError"))

    def test_showing_and_the_like_do_nothing(self):
        outcome = self.draw("plt.ion()\nfig, ax = plt.subplots()\nax.plot([1])\nplt.show()\nplt.show(block=False)\nfig.show()\n"
                            "plt.draw()\nplt.pause(0.01)\nplt.ioff()", warnings=True)
        self.assertEqual((outcome.status, outcome.stderr, len(outcome.artifacts)), ("ok", b"", 1), outcome.result)

    def test_fonts_that_are_not_there_are_told_when_asked_for(self):
        outcome = self.draw("plt.rcParams['font.family'] = 'Arial'\nplt.title('x')", warnings=True)
        self.assertIn(b"findfont: Font family", outcome.stderr)

    def test_characters_of_other_scripts_have_their_glyphs(self):
        """A box is drawn for each character without a glyph, so figures of different characters are the same then."""
        for code in ("plt.title(%r)", "plt.title(%r, fontfamily='serif', fontweight='bold')", "plt.rcParams['font.family'] = 'Arial'\nplt.bar([%r], [1])",
                     "nx.draw_networkx_labels(nx.path_graph(1), {0: (0, 0)}, {0: %r})"):
            with self.subTest(code):
                first, second = (self.draw(code % text) for text in ("分数かな한글", "除法カナ수학"))
                self.assertEqual((first.stderr, second.stderr), (b"", b""))
                self.assertTrue(first.artifacts != second.artifacts, "the same boxes")

    def test_characters_without_a_glyph_are_named_once(self):
        for code, text in (("plt.title('\U00012000\U00012001 a')\nplt.tight_layout()\nplt.figure()\nplt.title('\U00012000')",
                            "𒀀 (U+12000), 𒀁 (U+12001)"),
                           ("plt.title('\U00012000 $x^2$')\nplt.ylabel('\U00012000')", "𒀀 (U+12000)"),
                           ("plt.title(''.join(map(chr, range(0x12000, 0x12020))))", "%s and 12 more" % ", ".join(
                               "%c (U+%X)" % (number, number) for number in range(0x12000, 0x12014))),
                           ("plt.title('a\\x01')", "U+0001")):
            for warnings in (False, True):
                outcome = self.draw(code, warnings=warnings)
                self.assertEqual((outcome.status, outcome.stderr.decode()),
                                 ("ok", "the fonts of the figures have no glyph for: %s\n" % text), code)

    def test_the_first_one_is_quick(self):
        with sandbox.Sandbox("plot", PLOT_PRELOAD, 512) as box:
            outcome = box.run(HEAD + "plt.plot([1, 2])", profile="visualization")
        self.assertEqual((outcome.status, len(outcome.artifacts)), ("ok", 1))  # within the limit: no list of fonts is made first

    def test_without_pyplot_a_frame_says_what_is_missing(self):
        outcome = sandbox.run("import pandas as pd\npd.Series([1]).plot()", kind="data", preload=sandbox.DATA_PRELOAD,
                              profile="visualization")
        self.assertEqual(outcome.result["error_type"], "ImportError")
        self.assertIn("import matplotlib.pyplot as plt", outcome.result["error"])
        self.assertNotIn("tmp", outcome.result["error"])


class InASession(unittest.TestCase):
    """Each job in a copy of the same interpreter: the figures of one are not those of the next."""

    def test_each_job_has_its_own(self):
        with sandbox.Session("plot", PLOT_PRELOAD, 512, bwrap=True) as box:
            for count in (5, 0, 5):
                outcome = box.run(HEAD + "for n in range(%d):\n    plt.figure(figsize=(3, 3)).gca().plot([n])\nplt.show()" % count,
                                  profile="visualization", timeout_ms=20000)
                self.assertEqual((outcome.status, len(outcome.artifacts), outcome.stderr), ("ok", count, b""), outcome.result)


# Refused by the validator; and without it harmless inside.
HOSTILE = (
    "plt.imread('/etc/passwd')", "plt.imread('/usr/share/matplotlib/mpl-data/images/back.png')", "plt.imsave('/tmp/x.png', [[1]])",
    "plt.savefig('/tmp/x.png')", "plt.plot([1])\nplt.gcf().savefig('/tmp/x.png')", "plt.gcf().canvas.print_figure('/tmp/x')",
    "plt.gcf().canvas.print_png('/tmp/x')", "f = plt.gcf()\ng = f.savefig\ng('/tmp/x')", "plt.style.use('/etc/passwd')",
    "plt.style.use('ggplot')", "plt.rc_context(fname='/etc/passwd')", "plt.rc_file('/etc/passwd')", "plt.switch_backend('TkAgg')",
    "plt.rcParams['text.usetex'] = True\nplt.title('x')", "plt.title('x', usetex=True)", "plt.matplotlib.use('TkAgg')",
    "plt.rcParams['backend'] = 'module://os'", "plt.matplotlib.font_manager.fontManager.addfont('/etc/passwd')",
    "import matplotlib", "import matplotlib.animation", "from matplotlib import animation", "from matplotlib import font_manager",
    "import matplotlib.backends.backend_pdf", "import matplotlib.image as i", "import PIL.Image", "plt.os", "plt.sys.modules",
    "plt.importlib", "plt.matplotlib.os.system('id')", "plt.get_current_fig_manager()", "plt.new_figure_manager(1)",
    "plt.gcf().canvas.manager.toolbar.save_figure()", "plt.rcParams['axes.prop_cycle'] = \"cycler('color', [print(1)])\"",
    "plt.imshow([[1]]).write_png('/tmp/x')", "plt.text(0, 0, 'x').get_fontproperties().set_file('/etc/passwd')",
    "plt.rcParams['savefig.directory'] = '/tmp'\nplt.gcf().savefig(fname='x')", "x = plt\nx.imread('/etc/passwd')",
    "plt.rcParams['animation.ffmpeg_path'] = 'id'\nplt.matplotlib.animation.FFMpegWriter().setup(plt.gcf(), 'x')",
    "plt.cbook.get_sample_data('x')", "plt.get_plot_commands.__globals__", "plt.register_cmap.__self__",
)


class Hostile(unittest.TestCase):
    def test_refused_before_it_runs(self):
        for code in HOSTILE:
            with self.subTest(code):
                self.assertEqual(accepted(HEAD + code).returncode, 1)

    def test_and_once_more_inside(self):
        for code in HOSTILE[:6]:
            with self.subTest(code):
                self.assertIsNotNone(run(HEAD + code).result["disagreement"])

    def test_harmless_without_the_policy(self):
        """The walls behind it: nothing is read, nothing is written, nothing started."""
        for code in ("plt.imread('/etc/passwd')", "plt.savefig('/tmp/lectern-plot.png')", "plt.style.use('/etc/passwd')",
                     "plt.rc_file('/etc/passwd')", "plt.rcParams['text.usetex'] = True\nplt.title('x')\nplt.gcf().canvas.draw()",
                     "plt.matplotlib.font_manager.fontManager.addfont('/etc/passwd')", "plt.matplotlib.os.system('id')",
                     "plt.text(0, 0, 'x').get_fontproperties().set_file('/etc/passwd')\nplt.gcf().canvas.draw()",
                     "plt.switch_backend('TkAgg')", "plt.matplotlib.texmanager.TexManager().make_tex('x', 10)",
                     "plt.matplotlib._get_executable_info('dvipng')\nplt.matplotlib.subprocess.run(['id'])"):
            with self.subTest(code):
                outcome = run(HEAD + code, bwrap=True, policy=False)
                self.assertEqual(outcome.status, "error", outcome.result)
                self.assertNotIn("root:", str(outcome.result))
                self.assertFalse(os.path.exists("/tmp/lectern-plot.png"))

    def test_backends_and_managers_of_ones_own(self):
        interpreter = sandbox.interpreter_that_allows(self, "matplotlib", "matplotlib._pylab_helpers")
        for code in ("plt.get_fignums = None\nplt.plot([1])", "from matplotlib import _pylab_helpers as h\nh.Gcf.figs = {1: 7}",
                     "from matplotlib import _pylab_helpers as h\nh.Gcf = None",
                     "plt.gcf().canvas.print_figure = lambda buffer, **k: buffer.write(b'x')\nplt.plot([1])"):
            with self.subTest(code):
                outcome = run(HEAD + code, interpreter=interpreter)
                self.assertIn(outcome.status, ("ok", "error", "crash"))
                self.assertTrue(all(artifact.startswith(b"iVBORw0KGgo") for artifact in outcome.artifacts))


# Stands in for interpreter.py, as in test_runner.py.
LIAR = """
import os, struct, sys
def send(kind, payload=b"", count=None):
    view = memoryview(struct.pack(">B3xI", ord(kind), len(payload) if count is None else count) + payload)
    while view:
        view = view[os.write(3, view):]
def receive():
    head = os.read(3, 8)
    need = struct.unpack(">B3xI", head)[1]
    while need > 0:
        need -= len(os.read(3, need))
send("R", b"3")
receive()
PNG = b"iVBORw0KGgo"
RESULT = b'{"value": null, "error": null, "error_type": null, "line": null}'
"""


class Liars(unittest.TestCase):
    def lie(self, code, **fields):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "liar.py"
            path.write_text(LIAR + code + "\nimport time\ntime.sleep(20)")
            return sandbox.run("print(1)", interpreter=path, **fields)

    def test_garbage_is_a_breach(self):
        for name, code in {
                "no PNG": "send('S'); send('g', b'AAAAAAAAAAAA')", "too short": "send('S'); send('g', b'iVBO')",
                "empty": "send('S'); send('g')", "another alphabet": "send('S'); send('g', PNG + b'A' * 4 + b'-')",
                "a line end": "send('S'); send('g', PNG + b'AAAA\\n')", "a NUL": "send('S'); send('g', PNG + b'AAAA\\0')",
                "an odd length": "send('S'); send('g', PNG + b'AA')", "padding inside": "send('S'); send('g', PNG + b'A==A=')",
                "three of padding": "send('S'); send('g', PNG + b'AA===')", "too large": "send('S'); send('g', b'', (2 << 20) + 1)",
                "before the start": "send('g', PNG + b'A')", "too many": "send('S')\nfor _ in range(9): send('g', PNG + b'A')",
                "after the result": "send('S'); send('v', RESULT); send('g', PNG + b'AA')"}.items():
            with self.subTest(name):
                outcome = self.lie(code)
                if name == "after the result":
                    self.assertEqual((outcome.status, outcome.artifacts), ("ok", []))
                    continue
                self.assertEqual((outcome.status, outcome.result), ("crash", {}))
                self.assertEqual(len(outcome.artifacts), 8 if name == "too many" else 0)

    def test_what_is_sound_passes(self):
        outcome = self.lie("send('S'); send('g', PNG + b'A'); send('g', PNG + b'AA+8='); send('g', PNG + b'AAA=='); send('v', RESULT)")
        self.assertEqual(outcome.artifacts, [b"iVBORw0KGgoA", b"iVBORw0KGgoAA+8=", b"iVBORw0KGgoAAA=="])
        self.assertEqual(outcome.status, "ok")

    def test_the_largest_one_after_the_other(self):
        outcome = self.lie("send('S')\nfor _ in range(8): send('g', PNG + b'A' * ((2 << 20) - len(PNG)))\nsend('v', RESULT)")
        self.assertEqual((outcome.status, [len(a) for a in outcome.artifacts]), ("ok", [2 << 20] * 8))


if __name__ == "__main__":
    unittest.main()
