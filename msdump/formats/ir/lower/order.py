"""Reading the execution order after a subgraph: which node each of its lines tells."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from msdump.formats.ir.print.fit import ODD
from msdump.formats.ir.print.labels import FuncNames
from msdump.formats.ir.print.order import Entry, OrderText
from msdump.graph.graph import RETURN, DetachedNode, FuncGraph
from msdump.graph.node import CNode

_ENTRY = re.compile(r"#\s+(\d{1,18}): ")
_ELSEWHERE = re.compile(r"#\s+\d{1,18}: @([^:]*):")
_CLASS = re.compile(r"ValueNode<(\w+)> ")


@dataclass(slots=True)
class Found:
    """An execution order that was read.

    Attributes:
        names: of nodes, "" for a detached one, ODD for a line that cannot be read.
        numbers: as printed.
        odd: the lines that cannot be read.
        detached: nodes that stand here only.
        returns: Return → its name.
        items: node → class and text of its operator and operands, where they are others than at the node.
        classes: (usual class, text) → the class told; shared by all orders of a file.
    """

    classes: dict[tuple[str, str], str]
    names: list[str] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    odd: list[str] = field(default_factory=list)
    detached: list[DetachedNode] = field(default_factory=list)
    returns: dict[str, str] = field(default_factory=dict)
    items: dict[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OrderLines:
    """The lines of an execution order, and the layout of what follows the subgraph."""

    entries: list[str]
    layout: str


def order_lines(lines: list[str], heading: str) -> OrderLines | None:
    """The execution order in what follows a subgraph; None without one."""
    before = 0
    while before < len(lines) and not lines[before]:
        before += 1
    if before == len(lines) or lines[before] != heading or not heading:
        return None
    end = len(lines)
    while end > before + 1 and not lines[end - 1]:
        end -= 1
    entries: list[str] = []
    for line in lines[before + 1 : end]:
        if _ENTRY.match(line) or not entries:
            entries.append(line)
        else:
            entries[-1] += "\n" + line
    return OrderLines(entries, "B" * before + "O" + "B" * (len(lines) - end))


def match_order(
    entries: list[str], names: FuncNames, func: FuncGraph, made: OrderText, classes: dict[tuple[str, str], str]
) -> Found:
    """Finds the node that each line tells; `classes` are those found before, and are added to."""
    found = Found(classes)
    whole: dict[str, list[CNode]] = {}
    operands: dict[str, list[CNode]] = {}
    made_of: dict[str, Entry] = {}
    for node in func.nodes:
        entry = made_of[node.name] = made.entry(names, node)
        text = _CLASS.sub("ValueNode ", entry.text({}))
        whole.setdefault(text[len(entry.name) :] if node.op == RETURN else text, []).append(node)
        operands.setdefault(_without_operator(text), []).append(node)
    for line in entries:
        match = _ENTRY.match(line)
        number = int(match[1]) if match else 0
        prefix = f"#{number:>4}: @{names.label}:"
        found.numbers.append(number)
        if line.startswith(prefix):
            known = _match(line[len(prefix) :], whole, operands, made_of, found)
        else:
            known = _elsewhere(line, number, found)
        if not known:
            found.names.append(ODD)
            found.odd.append(line)
    return found


def _elsewhere(line: str, number: int, found: Found) -> bool:
    """Reads a line about a node of another subgraph."""
    match = _ELSEWHERE.match(line)
    if match is None or not line.startswith(f"#{number:>4}: @"):
        return False
    text = line[match.end() :]
    name = text.partition("{[0]: ")[0]
    items = _items(text[len(name) :])
    if items is None or Entry(name, items).text({}) != text:
        return False
    found.names.append("")
    found.detached.append(DetachedNode(name, tuple(items), match[1]))
    return True


def _without_operator(text: str) -> str:
    name, _, rest = text.partition("{[0]: ")
    _, comma, operands = rest.partition(", [1]: ")
    return f"{name}{{{comma}{operands}"


def _match(
    text: str,
    whole: dict[str, list[CNode]],
    operands: dict[str, list[CNode]],
    made_of: dict[str, Entry],
    found: Found,
) -> bool:
    """Finds the node of one line: the same text, the same but for the operator's, or none at all."""
    plain = _CLASS.sub("ValueNode ", text)
    label = plain.partition("{[0]: ")[0]
    items = _items(text[len(label) :])
    literal = items is not None and Entry(label, items).text({}) == text
    for key in (plain, plain[len(label) :]):
        for node in whole.get(key, ())[:1]:
            usual = _classes(text, Entry(label, made_of[node.name].items), found.classes)
            if not usual:
                if items is None or not literal:
                    continue
                found.items[node.name] = tuple(items)
            found.names.append(node.name)
            if node.op == RETURN:
                found.returns[node.name] = label
            if len(whole[key]) > 1:
                whole[key].pop(0)
            return True
    if items is None or not literal:
        return False
    for node in operands.get(_without_operator(plain), ())[:1]:
        found.names.append(node.name)
        found.items[node.name] = tuple(items)
        return True
    found.names.append("")
    found.detached.append(DetachedNode(label, tuple(items)))
    return True


def _items(text: str) -> list[tuple[str, str]] | None:
    """The operator and operands of a line."""
    if not text.startswith("{[0]: ") or not text.endswith("}"):
        return None
    items: list[tuple[str, str]] = []
    rest = text[len("{[0]: ") : -1]
    while True:
        item, more, rest = rest.partition(f", [{len(items) + 1}]: ")
        match = _CLASS.match(item)
        items.append((match[1], item[match.end() :]) if match else ("", item))
        if not more:
            return items


def _classes(text: str, entry: Entry, known: dict[tuple[str, str], str]) -> bool:
    """Whether a line tells classes that agree with those known; they are then known, too."""
    given = _CLASS.findall(text)
    usual = [item for item in entry.items if item[0]]
    if len(given) != len(usual):
        return False
    new = dict(zip(usual, given, strict=True))
    if any(known.get(item, told) != told for item, told in new.items()):
        return False
    if entry.text(packed({**known, **new})) != text:
        return False
    known.update(new)
    return True


def packed(classes: Mapping[tuple[str, str], str]) -> dict[str, str]:
    """Classes that are not the usual ones, as a layout holds them: "Int64Imm 1" → "FP32Imm"."""
    return {f"{usual} {text}": told for (usual, text), told in classes.items() if told != usual}
