"""What a call of a cell or a primitive does now: run, be recorded, be watched.

The context tells of each change here, so that a call itself asks for nothing but its hook.
"""

from __future__ import annotations

from typing import Any

from msdump.runtime import cell as cells
from msdump.runtime.cell import Cell
from msdump.runtime.context import GRAPH_MODE, get_context, watch_context


def _graph_mode(cell: Cell, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    from msdump.runtime.tracing.compile import call_cell

    return call_cell(cell, args, kwargs)


def apply_context() -> None:
    """Put the hooks in place that the context asks for."""
    cells.set_call_hook(_graph_mode if get_context("mode") == GRAPH_MODE else None)


def follow_context() -> None:
    """Keep the hooks as the context asks from now on."""
    watch_context(apply_context)
    apply_context()
