# SPDX-License-Identifier: GPL-3.0-or-later
"""The cases of test_session_api.py, by subject."""
