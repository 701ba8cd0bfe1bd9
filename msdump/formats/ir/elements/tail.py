"""The lines after the last subgraph: rules of symbol engines, and what else a file ends with."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from msdump.graph.graph import FuncGraph

_RULE = re.compile(r"  (.*?) = (.*)")


@dataclass(slots=True)
class Tail:
    """What the end tells: rules by engine, other lines, and a layout of both.

    A layout has "" for an empty line, "{comment}" for any other, "{engines}" for all rules.
    """

    rules: dict[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    comments: list[str] = field(default_factory=list)
    layout: list[str] = field(default_factory=list)
    unread: list[int] = field(default_factory=list)
    """Of each other line, its index."""


def read_tail(lines: list[str]) -> Tail:
    """What the lines after the last subgraph tell."""
    tail = Tail()
    at = 0
    while at < len(lines):
        line = lines[at]
        if line == "symbol engine details:" and "{engines}" not in tail.layout:
            end = _engines(lines, at + 1, tail)
            if end > at:
                tail.layout.append("{engines}")
                at = end
                continue
        if line:
            tail.comments.append(line)
            tail.unread.append(at)
        tail.layout.append("{comment}" if line else "")
        at += 1
    return tail


def _engines(lines: list[str], at: int, tail: Tail) -> int:
    """Reads the engines from `at` on; where they end, or -1 when they read otherwise."""
    found: dict[str, tuple[tuple[str, str], ...]] = {}
    while at < len(lines) and lines[at].endswith(" {"):
        name = lines[at][:-2]
        rules: list[tuple[str, str]] = []
        at += 1
        while at < len(lines) and (match := _RULE.fullmatch(lines[at])):
            rules.append((match[1], match[2]))
            at += 1
        if at >= len(lines) or lines[at] != "}" or name in found:
            return -1
        found[name] = tuple(rules)
        at += 1
        if at < len(lines) and not lines[at] and at + 1 < len(lines) and lines[at + 1].endswith(" {"):
            at += 1
    tail.rules = found
    return at if found else -1


def print_engines(funcs: list[FuncGraph]) -> list[str]:
    """The lines that tell the rules of all engines."""
    lines: list[str] = []
    for func in funcs:
        if func.symbol_engine is not None:
            lines.append(f"{func.symbol_engine.name} {{")
            lines.extend(f"  {left} = {right}" for left, right in func.symbol_engine.rules)
            lines.extend(("}", ""))
    return ["symbol engine details:", *lines[:-1]] if lines else []


def default_layout(funcs: list[FuncGraph]) -> list[str]:
    """The layout a file ends with: the rules, if any, then the last newline."""
    return ["{engines}", "", ""] if print_engines(funcs) else [""]
