"""A failed compilation: the node at fault, its operands with types, and how control got there.

`analyze_fail.ir` (2.x) and `analyze_fail.dat` (1.x) hold the graphs on the evaluation stack, with a
mark before the node that each was at: `#------------------------> 3`. The highest number is the
innermost call.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from msdump.errors import GraphError
from msdump.graph.abstract import NULL_TYPE, Abstract
from msdump.graph.find import own_line
from msdump.graph.graph import FuncGraph, Graph
from msdump.graph.index import GraphIndex
from msdump.graph.names import debug_label, file_label, graph_label, in_library
from msdump.graph.node import CALL, CALL_VAR, CNode, GraphRef, Location, NodeRef, Operand, ValueNode, operator_name
from msdump.graph.text import operand_text, type_text, value_text
from msdump.graph.value import Named, Str

_TRACE = re.compile(r"^#? ?\d* ?In file (?P<file>.+?)[:(](?P<line>[0-9]{1,9})")
_NAMED_IN_MESSAGE = re.compile(r"For (?:primitive)?\[?'?`?(?:ops\.|operation )?'?(\w+)'?`?\]?")
_RULE = re.compile(r"^# ?[=-]{10,}|^[=-]{10,}$")
_SECTION = re.compile(r"^- (.*?):?(?: \(For framework developers\))?:?$")
_BOILERPLATE = re.compile(
    r"^# ?(?:The following shows|You can search|Refer to|\d\. ?(?:This file|You can|Refer)|The total of"
    r"|The rest function|num of)"
)


@dataclass(frozen=True, slots=True)
class Argument:
    """An operand of the node at fault: what it is called, its type, and its value when constant."""

    name: str
    type: str
    abstract: Abstract = NULL_TYPE
    value: str = ""


@dataclass(frozen=True, slots=True)
class Frame:
    """A place on the way to the fault: a line of code; `own` says it is not inside a library."""

    file: str
    line: int
    code: str = ""
    own: bool = True

    def __str__(self) -> str:
        return f"{file_label(self.file)}:{self.line}"


@dataclass(frozen=True, slots=True)
class Failure:
    """A failed compilation.

    Attributes:
        func, node: where it stopped.
        op: the operator, or what was called ("MatMul", "scale", "getattr").
        arguments: its operands.
        frames: the lines that led there, the innermost first.
        message: MindSpore's own message, its first paragraph; "" when the file has none.
        depth: how many graphs were on the evaluation stack.
    """

    func: FuncGraph
    node: CNode
    op: str
    arguments: tuple[Argument, ...]
    frames: tuple[Frame, ...]
    message: str
    depth: int

    @property
    def place(self) -> Frame | None:
        """The innermost line of the user's own code."""
        return next((frame for frame in self.frames if frame.own), self.frames[0] if self.frames else None)


def find_failure(graph: Graph, log: str = "") -> Failure:
    """The failure that a graph shows; `log` is the text of the error, where it was kept elsewhere.

    GraphError when no node carries a failure mark.
    """
    marked = [
        (n.failure, position, f, n) for position, (f, n) in enumerate(graph.iter_nodes()) if n.failure is not None
    ]
    if not marked:
        raise GraphError(
            "no node carries a failure mark: this is not the dump of a failed compilation",
            hint="explain reads analyze_fail.ir (2.x) and analyze_fail.dat (1.x)",
        )
    marked.sort(key=lambda item: item[:2])
    _, _, func, node = marked[-1]
    lines = log.splitlines() if log else list(graph.comments)
    message = message_of(lines)
    index = GraphIndex(graph)
    arguments = tuple(_argument(index, func, operand) for operand in node.inputs)
    path = [(f, n) for _, _, f, n in reversed(marked)]
    frames = _frames(path, lines)
    return Failure(func, node, _called(index, func, node, message), arguments, frames, message, len(marked))


def message_of(lines: list[str]) -> str:
    """MindSpore's message in a log or in the head of the file: its first paragraph."""
    said: list[str] = []
    caught = any(line.startswith("- Caught exception") for line in lines)
    inside = not caught
    for line in lines:
        text = line.rstrip()
        if text.startswith("- Caught exception"):
            inside = True
            continue
        section = _SECTION.match(text)
        if section and inside and said:
            break
        if not inside or _RULE.match(text) or _BOILERPLATE.match(text) or (section and not said):
            continue
        if not text.strip():
            if said:
                break
            continue
        if _TRACE.match(text.strip()) or text.startswith(("The function call stack", "No more function graphs")):
            if said:
                break
            continue
        said.append(text)
    while said and said[0].startswith("Traceback"):
        said = [line for line in said[1:] if not line.startswith(" ")]
    return "\n".join(said)


def _argument(index: GraphIndex, func: FuncGraph, operand: Operand) -> Argument:
    abstract: Abstract = NULL_TYPE
    if isinstance(operand, ValueNode):
        text = value_text(operand.value)
        return Argument("", type_text(operand.abstract), operand.abstract, text)
    name = operand_text(operand)
    if isinstance(operand, GraphRef):
        return Argument("@" + graph_label(operand.name), "Func")
    made = index.producer(func.name, operand)
    if made is not None:
        abstract = made.abstract
        label = debug_label(made.debug_name) if isinstance(made, CNode) else made.name
        name = label or (_bare(operator_name(made)) if isinstance(made, CNode) else name)
        if isinstance(made, CNode) and made.op == "resolve" and len(made.inputs) == 2:
            name = operand_text(made.inputs[1]).removeprefix("Symbol ").rsplit(".", 1)[-1]
        if isinstance(made, CNode) and not label and made.op in (CALL, CALL_VAR):
            name = operand.name
    if operand.abstract is not None:
        abstract = operand.abstract
    return Argument(name, type_text(abstract), abstract)


def _called(index: GraphIndex, func: FuncGraph, node: CNode, message: str) -> str:
    """What the node applies, in the user's words: an operator, a function, or self.mm."""
    if node.op not in (CALL, CALL_VAR):
        return _bare(operator_name(node))
    if isinstance(node.callee, GraphRef):
        return graph_label(node.callee.name).split(".")[0]
    if isinstance(node.callee, NodeRef):
        spelled = re.search(r"(?:S-Prim-|:)(\w+)\[", node.callee.name)
        if spelled:
            return spelled[1]
        made = index.producer(func.name, node.callee)
        if isinstance(made, CNode):
            if made.op == "Switch":
                return "if"
            if made.op in ("resolve", "getattr") and len(made.inputs) == 2:
                named = _NAMED_IN_MESSAGE.search(message)
                last = made.inputs[1]
                if isinstance(last, ValueNode):
                    word = last.value
                    text = (
                        word.value
                        if isinstance(word, Str)
                        else word.name
                        if isinstance(word, Named)
                        else value_text(word)
                    )
                    return named[1] if named and named[1][:1].isupper() else text.rsplit(".", 1)[-1]
    named = _NAMED_IN_MESSAGE.search(message)
    return named[1] if named else node.op


def _bare(operator: str) -> str:
    return operator.removeprefix("S-Prim-").split("[", 1)[0]


def _frames(path: list[tuple[FuncGraph, CNode]], lines: list[str]) -> tuple[Frame, ...]:
    found: dict[tuple[str, int], Frame] = {}

    def add(place: Location | None) -> None:
        if place is not None:
            own = not in_library(place.file)
            found.setdefault((place.file, place.line), Frame(place.file, place.line, place.code.strip(), own))

    for func, node in path:
        if node.locations:
            innermost = node.locations[-1]
            add(innermost)
            if own_line(node) is not innermost:
                add(own_line(node))
        elif func is path[0][0] and node is path[0][1]:
            for user in func.nodes:
                if any(isinstance(o, NodeRef) and o.name == node.name for o in (user.callee, *user.inputs)):
                    add(own_line(user))
        add(func.location)
    traced = [(m, i) for i, line in enumerate(lines) if (m := _TRACE.match(line.strip().removeprefix("# ")))]
    for match, number in reversed(traced):
        code = lines[number + 1].strip() if number + 1 < len(lines) else ""
        key = (match["file"], int(match["line"]))
        if key not in found:
            own = not in_library(match["file"])
            found[key] = Frame(match["file"], int(match["line"]), "" if code.startswith(("#", "-")) else code, own)
    return tuple(found.values())
