"""A file on its way to a Graph: its subgraphs and nodes as text and as what has been found of them."""

from __future__ import annotations

from dataclasses import dataclass, field

from msdump.formats.ir.dialects.detect import detect
from msdump.formats.ir.elements.attribute import AttrText, NodeAttrs
from msdump.formats.ir.elements.call import Call, CallReader, split_comment
from msdump.formats.ir.elements.note import Notes
from msdump.formats.ir.elements.operand import Names, Operands
from msdump.formats.ir.elements.parameter import Parameters
from msdump.formats.ir.elements.preamble import Head, Preamble
from msdump.formats.ir.elements.type import Types
from msdump.formats.ir.elements.value import Values
from msdump.formats.ir.lower.order import OrderLines
from msdump.formats.ir.lower.under import Under
from msdump.formats.ir.syntax.body import Body, RawNode
from msdump.formats.ir.syntax.document import Block, Document
from msdump.graph.node import CNode, Parameter


@dataclass(slots=True)
class Parts:
    """A node between the passes."""

    raw: RawNode
    number: str | None
    debug_name: str
    call: Call
    attrs: NodeAttrs
    under: Under
    layout: str
    comments: tuple[str, ...]
    named: bool
    no_call: bool = False


@dataclass(slots=True)
class RawFunc:
    """A subgraph on its way: as text, and as what has been found of it."""

    name: str
    block: Block
    head: Head
    preamble: Preamble
    body: Body
    indent: int
    parameters: list[Parameter] = field(default_factory=list)
    numbers: list[int | None] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    parts: list[Parts] = field(default_factory=list)
    nodes: list[CNode] = field(default_factory=list)
    borrowed: dict[str, str] = field(default_factory=dict)
    order: OrderLines | None = None
    behind: str = ""


class Readers:
    """The readers of all elements of one file, in its dialect, with the names it declares."""

    def __init__(self, document: Document) -> None:
        self.document = document
        dialect = self.dialect = detect(document)
        self.types = Types(dialect)
        self.values = Values(dialect)
        self.attrs = AttrText(dialect, self.values)
        self.notes = Notes(dialect, self.types)
        self.parameters = Parameters(dialect, self.types)
        self.names = Names()
        self.operands = Operands(dialect, self.values, self.names)
        self.calls = CallReader(dialect.values.typed, lambda rest: self.attrs.readable(split_comment(rest)[0]))
