"""Python's collector of cycles, paused where very many objects without cycles are made.

Each of its looks goes through all objects there are, so that making a million of them spends a
quarter of the time on looks that find nothing.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_paused() -> Iterator[None]:
    """While it lasts, no cycles are looked for; nested uses, and a collector that is off, are left as they are."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()
