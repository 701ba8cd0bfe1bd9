"""The nodes of a graph: parameters, CNodes, and the operands that tie them together."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from msdump.graph.abstract import NULL_TYPE, Abstract
from msdump.graph.value import NO_ATTRS, Attrs, Value

if TYPE_CHECKING:
    from msdump.tensor import TensorData


@dataclass(frozen=True, slots=True)
class Location:
    """A place in the user's source that a node comes from. Lines and columns count from 1 and 0,
    as MindSpore prints them. `code` is the line's text; `inlined` marks a frame of an inlined call;
    `role` is "" or "forward" (the forward node a gradient node belongs to)."""

    file: str
    line: int
    end_line: int | None = None
    column: int | None = None
    end_column: int | None = None
    code: str = ""
    inlined: bool = False
    role: str = ""


@dataclass(frozen=True, slots=True)
class NodeRef:
    """The output of a CNode or a Parameter, by its name; `graph` names the owner when it is
    another FuncGraph (a free variable)."""

    name: str
    graph: str | None = None


@dataclass(frozen=True, slots=True)
class GraphRef:
    """A subgraph used as an operand or called, by name."""

    name: str


@dataclass(frozen=True, slots=True)
class ValueNode:
    """A constant operand, with its type where the file tells it."""

    value: Value
    abstract: Abstract = NULL_TYPE


Operand: TypeAlias = NodeRef | GraphRef | ValueNode


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a FuncGraph. `name` is unique in its graph; `has_default` marks a weight.

    `default` is the weight's values where the file carries them (.mindir); equality of graphs does
    not look into it, as no other graph file has it.
    """

    name: str
    abstract: Abstract = NULL_TYPE
    has_default: bool = False
    attrs: Attrs = NO_ATTRS
    location: Location | None = None
    default: TensorData | None = field(default=None, compare=False, repr=False)


CALL = "call"
"""`op` of a CNode that calls a subgraph known by name (`call @g(...)`)."""
CALL_VAR = "call_var"
"""`op` of a CNode whose callee is a node, a free variable or an undeclared name (`%3(...)`)."""


@dataclass(frozen=True, slots=True)
class CNode:
    """One application of a primitive or a graph.

    Attributes:
        name: unique in its FuncGraph; readers give "%0", "%1", … by position.
        op: the primitive's name ("Add", also for PrimFunc_Add), CALL or CALL_VAR.
        inputs: operands in order, without the callee.
        abstract: type of the output.
        op_kind: how the primitive is bound: "" (Primitive), "PrimFunc", "S-Prim",
            "MetaFuncGraph", … as the file tells.
        callee: what is called when op is CALL (a GraphRef) or CALL_VAR.
        instance: the instance name of the primitive ("conv2d"), or "".
        primitive_attrs, cnode_attrs, primal_attrs: attributes by where they hang.
        scope: "Default/conv-Conv2d", without the operator's own "Conv2D-op0".
        fullname: the full name with scope ("Default/conv-Conv2d/Conv2D-op0") where the file has it.
        debug_name: "CNode_155", "output", …: regenerated at will by the compiler.
        locations: innermost last, as MindSpore prints them.
        comments: other notes at the node (SideEffect, Comment), without the "# ".
    """

    name: str
    op: str
    inputs: tuple[Operand, ...] = ()
    abstract: Abstract = NULL_TYPE
    op_kind: str = ""
    callee: Operand | None = None
    instance: str = ""
    primitive_attrs: Attrs = NO_ATTRS
    cnode_attrs: Attrs = NO_ATTRS
    primal_attrs: Attrs = NO_ATTRS
    scope: str = ""
    fullname: str = ""
    debug_name: str = ""
    locations: tuple[Location, ...] = ()
    comments: tuple[str, ...] = ()
