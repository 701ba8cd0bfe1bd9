"""What the printer does by itself, where no layout says otherwise."""

from __future__ import annotations

from dataclasses import replace

from msdump.formats.ir.dialects.dialect import Dialect
from msdump.formats.ir.elements import preamble
from msdump.graph.graph import FuncGraph, Graph
from msdump.graph.node import CNode, Location


def present(graph: Graph) -> dict[str, bool]:
    """Of which things a file's head can tell there are some."""
    root = graph.funcs.get(graph.entry)
    return {
        "attrs": bool(graph.attrs),
        "parameters": bool(root and root.parameters),
        "counts": graph.counts is not None,
        "jit_config": graph.jit_config is not None,
    }


class Counter:
    """The number the next parameter gets by itself: parameters are counted through the file."""

    def __init__(self, first: int) -> None:
        self.next = first

    def take(self, count: int) -> list[int]:
        """The next `count` numbers."""
        numbers = list(range(self.next, self.next + count))
        self.next += count
        return numbers


def plain_preamble(func: FuncGraph, dialect: Dialect, own: bool, comments: int) -> str:
    """The layout of what stands before a subgraph with so many comments there."""
    return preamble.default_layout(replace(func, comments=func.comments[:comments]), dialect, own)


def default_after(func: FuncGraph, dialect: Dialect) -> str:
    """The layout of what follows a subgraph: O the execution order, B an empty line."""
    return ("O" if func.order is not None else "") + "B" * dialect.parts.gap


class NoteLayouts:
    """The layouts of the lines under nodes (letters as in `note_text`), as the printer would have them."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._places: dict[int, tuple[tuple[Location, ...], str]] = {}

    def plain(self, node: CNode) -> str:
        """The layout of one node."""
        dialect = self._dialect
        layout = "T"
        if node.device is not None:
            layout += "D"
        if node.object_kinds is not None:
            layout += "K"
        if node.symbols is not None:
            layout += "Y"
        if node.fullname and dialect.notes.fullname:
            layout += "F"
        elif dialect.notes.scope:
            layout += "S"
        locations = node.locations
        if locations:
            found = self._places.get(id(locations))
            if found is None:
                found = self._places[id(locations)] = (locations, self._located(locations))
            layout += found[1]
        elif dialect.notes.empty_place:
            layout += "E"
        if node.side_effects is not None:
            layout += "X"
        return layout + "C" * len(node.comments) if node.comments else layout

    def _located(self, locations: tuple[Location, ...]) -> str:
        layout = ""
        role, group = "", 0
        dashes = self._dialect.notes.candidate_dashes
        for place in locations:
            new = place.role != role or place.group != group
            if place.role and (place.role != role or (new and not dashes)):
                layout += "H"
            layout += ("M" if new else "N") if place.role and dashes and place.group else "L"
            role, group = place.role, place.group
        return layout


def fits(layout: str, plain: str) -> bool:
    """Whether a layout that was read still has a place for each line of a node, and no more."""
    optional = "TSFEH"
    same = {"M": "L", "N": "L", "R": "C", "c": "C"}
    return sorted(same.get(c, c) for c in layout if c not in optional) == sorted(
        same.get(c, c) for c in plain if c not in optional
    )
