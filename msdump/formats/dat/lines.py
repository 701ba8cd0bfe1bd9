"""Lines of a .dat file gathered into graphs, parameters and nodes, as text with line numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from msdump.numerals import integer

HEADER = re.compile(r"# \[No\.(\d+)\] ?(.*?)(?: @ctx\.addr=0x[0-9a-fA-F]+)?$", re.S)
FUNCGRAPH = re.compile(r"funcgraph fg_(\w+)(?:\[fg_(\w+)\])?\(")
_PARAMETER = re.compile(r"        (?:, )?%para(\d+)")
_NODE = re.compile(r"    (?:%\d+(?: :| =)|[A-Za-z]\w*::)")
_NOTE = re.compile(r"      #|#(?! \[No\.| order:|=====|------)")
_FAILURE = re.compile(r"#-+> (\d+)$")
_FLAG = re.compile(r"([a-z_]\w*): (\S+)$")


@dataclass(slots=True)
class NodeText:
    """A node: its own text, the notes under it, the failure mark before it."""

    line: int
    text: str
    notes: list[str] = field(default_factory=list)
    failure: int | None = None


@dataclass(slots=True)
class GraphText:
    """One `funcgraph`, its header and the lines between."""

    line: int
    name: str
    notes: list[str] = field(default_factory=list)
    number: str = ""
    parent: str | None = None
    flags: dict[str, str] = field(default_factory=dict)
    parameters: list[tuple[int, str]] = field(default_factory=list)
    nodes: list[NodeText] = field(default_factory=list)
    closed: bool = False


def gather(text: str) -> tuple[list[GraphText], list[tuple[int, str]]]:
    """The graphs of a file, and lines that belong to none (number from 1, text)."""
    graphs: list[GraphText] = []
    strange: list[tuple[int, str]] = []
    current: GraphText | None = None
    state = "between"
    failure: int | None = None
    flags: dict[str, str] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("# [No."):
            header = HEADER.match(line)
            current = GraphText(number, header[2] if header else line, flags=flags)
            graphs.append(current)
            state, flags = "header", {}
        elif state == "parameters" and current:
            if line in ("    ) {", ") {"):
                state = "body"
            elif _PARAMETER.match(line):
                current.parameters.append((number, line))
            elif current.parameters:
                at, before = current.parameters[-1]
                current.parameters[-1] = (at, f"{before}\n{line}")
            elif line.strip():
                strange.append((number, line))
        elif state in ("header", "between") and line.startswith("funcgraph "):
            match = FUNCGRAPH.match(line)
            if current is None or state == "between":
                current = GraphText(number, match[1] if match else "graph")
                graphs.append(current)
            if match:
                current.number, current.parent = match[1], match[2]
            state = "parameters"
        elif state == "header" and current:
            if line.startswith("#"):
                current.notes.append(line)
            elif line.strip():
                current.name += "\n" + line
        elif state == "body" and current:
            mark = _FAILURE.match(line)
            if line == "}":
                current.closed = True
                state = "order"
            elif mark:
                failure = integer(mark[1])
            elif _NODE.match(line) or (line.startswith("    ") and not line.startswith("      ")):
                current.nodes.append(NodeText(number, line, failure=failure))
                failure = None
            elif not current.nodes:
                if line.strip():
                    strange.append((number, line))
            elif _NOTE.match(line):
                current.nodes[-1].notes.append(line)
            elif current.nodes[-1].notes:
                if line.strip():
                    current.nodes[-1].notes[-1] += "\n" + line
            else:
                current.nodes[-1].text += "\n" + line
        elif not line.startswith("#") and line.strip():
            flag = _FLAG.match(line)
            if flag:
                flags[flag[1]] = flag[2]
            elif state == "between":
                strange.append((number, line))
        elif line.startswith("#==="):
            state = "between"
    return graphs, strange
