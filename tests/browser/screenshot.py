# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes docs/page.png, the README's picture, from the real page: /usr/bin/python3 -B tests/browser/screenshot.py [FILE]. In a palette
of 256 colours where python3-matplotlib's Pillow is there."""
import importlib.util
import pathlib
import sys

import chromium  # noqa: F401  (finds the contract tests' harness)
import demo
import harness

COLOURS = 256


def main():
    file = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else harness.ROOT / "docs/page.png").resolve()
    file.parent.mkdir(exist_ok=True)
    demo.run("screenshot.mjs", 180, str(file))
    if importlib.util.find_spec("PIL"):
        from PIL import Image
        with Image.open(file) as picture:
            small = picture.convert("RGB").quantize(COLOURS, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
        small.save(file, optimize=True)
    print("%s: %d kB" % (file, file.stat().st_size // 1000))


if __name__ == "__main__":
    main()
