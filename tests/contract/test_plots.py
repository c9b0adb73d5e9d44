# SPDX-License-Identifier: GPL-3.0-or-later
"""A plot arrives as an image at the MCP SDK's client, from each engine."""
import unittest

from test_clients import NpmCase


class Plots(NpmCase):
    def test_plots(self):
        self.run_tests("plots", 2)


if __name__ == "__main__":
    unittest.main(verbosity=2)
