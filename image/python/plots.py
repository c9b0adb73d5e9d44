# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures: prepares matplotlib for a sandbox without writable files, and renders figures as PNG.

matplotlib needs a folder for its settings and one for its cache of fonts. The sandbox has neither: it gets existing settings, and only its
bundled fonts, so that a figure looks the same on every machine. One more font has the characters that those lack (Chinese, Japanese,
Korean), where it is installed. Characters that it lacks too are named on standard error.
"""
import base64
import importlib.util
import io
import logging
import math
import os
import re
import sys

DPI = 100
DPI_LEAST = 10
PIXELS = 2000  # of the longer side
PADDING = 0.1  # inches around what is drawn
TRIES = 5  # each with fewer pixels, until the figure fits
FEWER = 0.6
BASE64_CAP = 2 << 20  # FRAME_ARTIFACT_CAP
COUNT_CAP = 8  # FRAME_ARTIFACTS_MAX
NOWHERE = "/nonexistent"
FALLBACK_FONT = sys.prefix + "/share/fonts-droid-fallback/truetype/DroidSansFallback.ttf"  # also in guard.py and runner/landlock.c
GLYPHS_NAMED = 20

missing = {}  # characters without a glyph, in the order of their appearance

# The font manager reads this instead of its cache file: no known font, and the version that it expects.
NO_FONTS = ('{"__class__": "FontManager", "_version": %s, "_FontManager__default_weight": "normal", "default_size": null, '
            '"defaultFamily": {"ttf": "DejaVu Sans", "afm": "Helvetica"}, "afmlist": [], "ttflist": []}')


def prepare():
    """Imports matplotlib without pyplot, once."""
    if sys.modules.get("matplotlib.font_manager") is not None:
        return
    os.environ["MPLBACKEND"] = "Agg"
    os.environ["MATPLOTLIBRC"] = sys.prefix + "/share/matplotlib/mpl-data/matplotlibrc"  # otherwise it looks in its own package
    import matplotlib
    matplotlib.get_configdir = matplotlib.get_cachedir = lambda: NOWHERE
    set_quiet(True)
    load_fonts(matplotlib)
    if os.access(FALLBACK_FONT, os.R_OK):
        add_fallback(matplotlib.font_manager)
    watch_glyphs()


def load_fonts(matplotlib):
    """Loads its font manager with the bundled fonts only. By default it would start a process to find the machine's fonts, and write a
    cache file."""
    spec = importlib.util.find_spec("matplotlib.font_manager")
    module = importlib.util.module_from_spec(spec)
    module.open = lambda path, *_mode: io.StringIO(NO_FONTS % re.search(r"-v([0-9.]+)\.json$", os.fspath(path)).group(1))
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    del module.open
    matplotlib.font_manager = module
    folder = os.path.join(matplotlib.get_data_path(), "fonts", "ttf")
    for name in sorted(os.listdir(folder)):
        if name.endswith(".ttf"):
            module.fontManager.addfont(os.path.join(folder, name))


def add_fallback(module):
    """Takes a glyph that the chosen font lacks from the fallback font. The setting font.family would do this only for texts that name no
    font of their own; networkx names one for each label."""
    find = module.FontManager._find_fonts_by_props

    def find_with_fallback(self, *args, **options):
        return [*find(self, *args, **options), FALLBACK_FONT]

    module.FontManager._find_fonts_by_props = find_with_fallback


def watch_glyphs():
    """Collects the characters without a glyph. matplotlib reports one in a text by a call, and one in a formula by a log message."""
    import matplotlib._text_helpers

    def note(codepoint, *_fonts):
        if type(codepoint) is int:
            missing[chr(codepoint)] = None

    def note_in_formula(record):
        found = re.search(r"does not have a glyph for .* \[U\+([0-9a-f]+)\]", record.getMessage())
        if found:
            note(int(found.group(1), 16))
        return not found

    matplotlib._text_helpers.warn_on_missing_glyph = note
    logger = logging.getLogger("matplotlib.mathtext")
    logger.setLevel(logging.WARNING)
    logger.addFilter(note_in_formula)


def missing_glyphs():
    """A sentence about the characters without a glyph, or None."""
    names = ["%sU+%04X%s" % ((char + " (", ord(char), ")") if char.isprintable() else ("", ord(char), "")) for char in missing]
    if not names:
        return None
    more = len(names) - GLYPHS_NAMED
    return "the fonts of the figures have no glyph for: %s%s" % (", ".join(names[:GLYPHS_NAMED]), " and %d more" % more if more > 0 else "")


def set_quiet(quiet):
    """Suppresses matplotlib's log messages about missing fonts and badly placed labels."""
    logging.getLogger("matplotlib").setLevel(logging.ERROR if quiet else logging.WARNING)


def rehearse():
    """Draws and closes one figure in each way, because the first one is several times slower."""
    pyplot = sys.modules["matplotlib.pyplot"]
    figure, axes = pyplot.subplots(figsize=(2, 2))
    axes.plot([1, 2], label="$x^2$")
    axes.bar(["a", "b"], [1, 2])
    axes.legend()
    axes.set_title("a")
    figure.tight_layout()
    render(figure)
    if "pandas" in sys.modules:
        sys.modules["pandas"].Series([1, 2]).plot(ax=axes)
    pyplot.close("all")
    # A font keeps its file open. A copy of this process does not have that descriptor, and must not use a missing one.
    sys.modules["matplotlib.font_manager"]._get_font.cache_clear()


def pixels_of(width, height):
    """Dots per inch at which neither side is too long."""
    return min(DPI, PIXELS / width, PIXELS / height)


def bounds(figure, width, height):
    """The size of what is drawn, in inches, including what extends beyond the figure; None if it is not a reasonable rectangle."""
    figure.draw_without_rendering()
    box = figure.get_tightbbox(figure.canvas.get_renderer())
    sides = (box.width, box.height)
    if not all(map(math.isfinite, sides)) or not (0.1 < box.width < 2 * width and 0.1 < box.height < 2 * height):
        return None
    return box.padded(PADDING)


def render(figure):
    """Returns a PNG as base64."""
    width, height = figure.get_size_inches()
    dpi = pixels_of(width, height)
    if not DPI_LEAST <= dpi:
        raise ValueError("it is %g x %g inches large; plt.figure(figsize=(10, 6)) is a good size" % (width, height))
    figure.set_dpi(dpi)
    box = bounds(figure, width, height)
    if box is not None:
        dpi = pixels_of(box.width, box.height)
    for _ in range(TRIES):
        png = io.BytesIO()
        figure.canvas.print_figure(png, format="png", dpi=dpi, bbox_inches=box)
        text = base64.b64encode(png.getbuffer())
        if len(text) <= BASE64_CAP:
            return text
        dpi *= FEWER
    raise ValueError("as PNG it is larger than %d KB, however small it is drawn" % (BASE64_CAP >> 10))


def is_drawn_on(figure):
    """Whether it shows more than the background: df.plot() opens its own figure and leaves an empty one."""
    return len(figure.get_children()) > 1


def open_figures():
    """(number, figure) of the figures that are open and not empty, by number."""
    helpers = sys.modules.get("matplotlib._pylab_helpers")
    if helpers is None:
        return []
    managers = sorted(helpers.Gcf.figs.values(), key=lambda manager: manager.num)
    return [(manager.num, manager.canvas.figure) for manager in managers if is_drawn_on(manager.canvas.figure)]


def send_all(send, on_error):
    """Renders and sends the open figures; calls on_error(number, exception) for those that cannot be drawn. Returns the number left out."""
    drawn = open_figures()
    for number, figure in drawn[:COUNT_CAP]:
        try:
            text = render(figure)
        except BaseException as error:  # drawing calls back into the code, which may raise anything
            on_error(number, error)
            continue
        send(text)
    return max(len(drawn) - COUNT_CAP, 0)
