"""A failed compilation: the node at fault, its operands with types, and how control got there.

`analyze_fail.ir` (2.x) and `analyze_fail.dat` (1.x) hold the graphs on the evaluation stack, with a
mark before the node that each was at: `#------------------------> 3`. The highest number is the
innermost call.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from msdump.errors import GraphError
from msdump.graph.abstract import NULL_TYPE, Abstract, FuncType, MonadType
from msdump.graph.failure_text import FailureText, Frame, read_failure_text
from msdump.graph.find import own_line
from msdump.graph.graph import FuncGraph, Graph
from msdump.graph.names import debug_label, graph_label, in_library
from msdump.graph.node import (
    CALL,
    CALL_VAR,
    CNode,
    GraphRef,
    Location,
    NodeRef,
    Operand,
    Parameter,
    ValueNode,
    operator_name,
)
from msdump.graph.operator_text import split_operator
from msdump.graph.text import operand_text, type_text, value_text
from msdump.graph.trail import FREE_PARAMETER, Step, Trail
from msdump.graph.value import Attrs, Value

NAMED_IN_MESSAGE = re.compile(r"For (?:primitive ?)?\[?'?`?(?:ops\.|operation )?'?(\w+)'?`?\]?")
_CAPTURED = re.compile(r"^(?:@[^:]*:)?(?:%para\d+_)?[фΦ]|^@:")
_CALLED_IN_CODE = re.compile(r"(?:[=(,+*/-]|\breturn\b|^) *(?:\w+\.)*(\w+)\(")


@dataclass(frozen=True, slots=True)
class Argument:
    """An operand of the node at fault: what it is called, its type, and its value where that is known."""

    name: str
    abstract: Abstract = NULL_TYPE
    value: Value | None = None

    @property
    def type(self) -> str:
        """The type in words; "" when none was inferred."""
        return type_text(self.abstract)

    def __str__(self) -> str:
        if self.value is not None:
            return f"{self.name}: {value_text(self.value)}" if self.name else value_text(self.value)
        return f"{self.name}: {self.type}" if self.name and self.type else self.name or self.type


@dataclass(frozen=True, slots=True)
class Failure:
    """A failed compilation.

    Attributes:
        text: what MindSpore said: of the file's head, or where it was kept elsewhere.
        op: the operator, or what was called ("MatMul", "scale", "getattr").
        frames: the lines that led there, the innermost first.
        func, node: where it stopped; None when there is no graph.
        arguments: its operands.
        attrs: the operator's attributes as far as they are known; None when nothing is.
        depth: how many graphs were on the evaluation stack.
        trail: the calls that led there, None when there is no graph.
    """

    text: FailureText
    op: str
    frames: tuple[Frame, ...]
    func: FuncGraph | None = None
    node: CNode | None = None
    arguments: tuple[Argument, ...] = ()
    attrs: Attrs | None = None
    depth: int = 0
    trail: Trail | None = None

    @property
    def message(self) -> str:
        """MindSpore's own message, its first paragraph; "" when there is none."""
        return self.text.message

    @property
    def place(self) -> Frame | None:
        """The innermost line of the user's own code."""
        return next((frame for frame in self.frames if frame.own), self.frames[0] if self.frames else None)


def has_failed(graph: Graph) -> bool:
    """Whether a node carries a failure mark."""
    return any(node.failure is not None for _, node in graph.iter_nodes())


def find_failure(graph: Graph, text: FailureText | None = None) -> Failure:
    """The failure that a graph shows; `text` is that of the error, where it was kept elsewhere.

    GraphError when no node carries a failure mark.
    """
    marked = [
        (n.failure, position, f, n) for position, (f, n) in enumerate(graph.iter_nodes()) if n.failure is not None
    ]
    if not marked:
        raise GraphError(
            "no node carries a failure mark: this is not the dump of a failed compilation",
            hint="explain reads analyze_fail.ir (2.x) and analyze_fail.dat (1.x), and the text of the error",
        )
    marked.sort(key=lambda item: item[:2], reverse=True)
    calls = [(func, node) for _, _, func, node in marked]
    func, node = calls[0]
    said = text or read_failure_text(graph.comments)
    trail = Trail(graph, calls)
    arguments = tuple(a for operand in node.inputs if (a := _argument(trail, func, operand)) is not None)
    frames = _frames(calls, said)
    op, attrs = _called(trail, func, node, said.message)
    return Failure(said, op, frames, func, node, arguments, attrs, len(marked), trail)


def failure_of_text(text: FailureText) -> Failure:
    """The failure that a text tells of, without a graph."""
    named = NAMED_IN_MESSAGE.search(text.message)
    failure = Failure(text, named[1] if named else "", text.frames)
    place = failure.place
    if named is None and place is not None and text.compiled and (called := _CALLED_IN_CODE.search(place.code)):
        return replace(failure, op=called[1])
    return failure


def _argument(trail: Trail, func: FuncGraph, operand: Operand) -> Argument | None:
    """An operand as it is shown; None for a token of side effects."""
    if isinstance(operand, ValueNode):
        return None if isinstance(operand.abstract, MonadType) else Argument("", operand.abstract, operand.value)
    if isinstance(operand, GraphRef) and (free := FREE_PARAMETER.fullmatch(operand.name)):
        operand = NodeRef(free[2], free[1], operand.abstract)
    if isinstance(operand, GraphRef):
        return Argument("@" + graph_label(operand.name), operand.abstract or FuncType())
    made = trail.index.producer(func.name, operand)
    abstract = operand.abstract or (made.abstract if made is not None else NULL_TYPE)
    if isinstance(abstract, MonadType):
        return None
    return Argument(_name(trail, func, operand, made), abstract, trail.value(func, operand))


def _name(trail: Trail, func: FuncGraph, operand: NodeRef, made: CNode | Parameter | None) -> str:
    if not isinstance(made, CNode):
        return _CAPTURED.sub("", made.name if made is not None else operand_text(operand))
    label = debug_label(made.debug_name)
    if made.op in ("resolve", "getattr") and len(made.inputs) == 2:
        return trail.symbol(func, operand) or label
    return _CAPTURED.sub("", label) or (
        operand.name if made.op in (CALL, CALL_VAR) else split_operator(operator_name(made))[0]
    )


def _called(trail: Trail, func: FuncGraph, node: CNode, message: str) -> tuple[str, Attrs | None]:
    """What the node applies, in the user's words, with its attributes where they are known."""
    if node.op not in (CALL, CALL_VAR):
        name, spelled = split_operator(operator_name(node))
        return name, node.primitive_attrs or spelled or node.primitive_attrs
    if isinstance(node.callee, GraphRef):
        return graph_label(node.callee.name).split(".")[0], None
    name, attrs = trail.called(func, node.callee)
    named = NAMED_IN_MESSAGE.search(message)
    if named is not None and name != "if" and named[1][:1].isupper():
        return named[1], attrs
    return name or (named[1] if named else node.op), attrs


def _frames(calls: Sequence[Step], text: FailureText) -> tuple[Frame, ...]:
    """The lines of the calls, innermost first, then those that the text alone tells of."""
    found: dict[tuple[str, int], Frame] = {}

    def add(place: Location | None) -> None:
        if place is not None:
            frame = Frame(place.file, place.line, place.code.strip(), not in_library(place.file))
            found.setdefault((place.file, place.line), frame)

    for func, node in calls:
        if node.locations:
            innermost = node.locations[-1]
            add(innermost)
            if own_line(node) is not innermost:
                add(own_line(node))
        elif (func, node) == calls[0]:
            for user in func.nodes:
                if any(isinstance(o, NodeRef) and o.name == node.name for o in (user.callee, *user.inputs)):
                    add(own_line(user))
        add(func.location)
    for frame in text.frames:
        found.setdefault((frame.file, frame.line), frame)
    return tuple(found.values())
