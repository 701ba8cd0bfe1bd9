"""What is in a graph dump at a glance: entry, parameters, subgraphs, operators, without a Graph.

Made of the lines alone: those under the nodes are passed over, so a large file costs little more
than being read.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from msdump.formats.ir.elements import operator as op_text
from msdump.formats.pasted import clean_stream
from msdump.graph.graph import RETURN

_CHUNK = 1 << 22
_ENTRY = re.compile(rb"^# ?IR entry\s*: @(.*)$", re.MULTILINE)
_PARAMETER = re.compile(rb"^%para\d+(?:_| = )([^<]*?) ?: <", re.MULTILINE)
_OPERATOR = re.compile(
    rb"^ {0,4}(?:%\d+(?:\([^\n]*?\))? = )"
    rb"(call @[^(\n]*|\$\([^\n]*?\)(?:\[[^\n]*?\])?|[^(\n\[{]*(?:[\[{][^\n]*?[\]}])*)\("
    rb"|^ {0,4}([Rr]eturn|Primitive::Return\{prim_type=1\})\(|^subgraph @(.*?)(?: parent: |\()",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Summary:
    """What `graph show` tells first.

    Attributes:
        entry: name of the entry graph, "" when the file names none.
        parameters: names of the parameters told in the file's head.
        subgraphs: names, in the order of the file.
        operators: how many nodes have each operator; "call" and "call_var" are calls.
    """

    entry: str
    parameters: tuple[str, ...]
    subgraphs: tuple[str, ...]
    operators: Counter[str]

    @property
    def nodes(self) -> int:
        """How many CNodes there are, Returns too."""
        return self.operators.total()


def summary(path: str | Path) -> Summary:
    """The summary of a file. OSError when it cannot be read."""
    counts: Counter[bytes] = Counter()
    subgraphs: list[bytes] = []
    head = b""
    with clean_stream(path) as stream:
        rest = b""
        while chunk := stream.read(_CHUNK):
            end = chunk.rfind(b"\n") + 1
            block, rest = (rest + chunk[:end], chunk[end:]) if end else (b"", rest + chunk)
            if not subgraphs:
                head += block
            _count(block, counts, subgraphs)
        if not subgraphs:
            head += rest
        _count(rest, counts, subgraphs)
    start = head.find(b"\nsubgraph ")
    head = head[: start if start >= 0 else len(head)]
    entry = _ENTRY.search(head)
    return Summary(
        _text(entry[1]) if entry else "",
        tuple(_text(name) for name in _PARAMETER.findall(head)),
        tuple(map(_text, subgraphs)),
        _operators(counts),
    )


def _count(block: bytes, counts: Counter[bytes], subgraphs: list[bytes]) -> None:
    operators: list[bytes] = []
    for operator, returned, subgraph in _OPERATOR.findall(block):
        if subgraph:
            subgraphs.append(subgraph)
        else:
            operators.append(operator or returned)
    counts.update(operators)


def _operators(counts: Counter[bytes]) -> Counter[str]:
    found: Counter[str] = Counter()
    for text, count in counts.items():
        op, callee, _ = op_text.split_callee(_text(text))
        if op in op_text.RETURNS:
            op = RETURN
        elif not callee:
            op = op_text.split_op(op)[0]
        found[op] += count
    return found


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")
