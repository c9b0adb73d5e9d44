# SPDX-License-Identifier: GPL-3.0-or-later
"""The WebSocket client of python3-websockets. Its versions 10 (Debian 12) and 15 (Debian 13) both have this one; `websockets.connect` is
another client, with other options, in each."""
from websockets.exceptions import ConnectionClosed, InvalidStatusCode  # noqa: F401
from websockets.legacy.client import connect  # noqa: F401
