"""The nodes of a graph: parameters, CNodes, and the operands that tie them together."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from msdump.graph.abstract import NULL_TYPE, Abstract, DeviceType
from msdump.graph.value import NO_ATTRS, Attrs, Value

if TYPE_CHECKING:
    from msdump.tensor import TensorData


@dataclass(frozen=True, slots=True)
class Location:
    """A place in the user's source that a node comes from. Lines and columns count from 1 and 0,
    as MindSpore prints them. `code` is the line's text; `inlined` marks a frame of an inlined call;
    `role` is "" for the node itself, "forward" for the forward node a gradient node belongs to,
    "code" for other code that the node may come from; `group` counts the call stacks of one role
    from 1 (0: only one). `shared` says that several nodes come from this line."""

    file: str
    line: int
    end_line: int | None = None
    column: int | None = None
    end_column: int | None = None
    code: str = ""
    inlined: bool = False
    role: str = ""
    group: int = 0
    shared: bool = False


@dataclass(frozen=True, slots=True)
class NodeRef:
    """The output of a CNode or a Parameter, by its name; `graph` names the owner when it is
    another FuncGraph (a free variable). `abstract` is the type seen at this use, where it is not
    the one of the producer."""

    name: str
    graph: str | None = None
    abstract: Abstract | None = None


@dataclass(frozen=True, slots=True)
class GraphRef:
    """A subgraph used as an operand or called, by name. `abstract` is its type at this use where
    that is not a plain function."""

    name: str
    abstract: Abstract | None = None


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
    not look into it, as no other graph file has it. `symbols` is the symbolic shape of 2.5 and
    later ("[s1<[1,inf]>, 4]") where it says more than the shape. `device` and `is_weight` are told
    by back-end graphs.
    """

    name: str
    abstract: Abstract = NULL_TYPE
    has_default: bool = False
    attrs: Attrs = NO_ATTRS
    location: Location | None = None
    default: TensorData | None = field(default=None, compare=False, repr=False)
    symbols: str | None = None
    device: DeviceType | None = None
    is_weight: bool | None = None


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Signature(Generic[T]):
    """Something a file tells of each input and each output of a node."""

    inputs: tuple[T, ...]
    outputs: tuple[T, ...]


_NUMBERED = re.compile(r"(.+)-op(0|[1-9][0-9]{0,17})", re.DOTALL)
RETURN = "Return"
"""`op` of the last CNode of a FuncGraph."""
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
        op_number: the 0 of "Conv2D-op0", or None; `fullname` is made of it.
        op_label: what the full name has in place of the operator ("return" in 1.0); the whole full
            name where there is no number (a Load's is the parameter's name, a summary's its tag).
        debug_name: "CNode_155", "output", …: regenerated at will by the compiler.
        locations: innermost last, as MindSpore prints them.
        comments: other notes at the node (Comment, unknown ones), without the "# ".
        targets: the subgraphs an indirect call may reach, where the file names them.
        side_effects: "io", "memory", "load", where the file tells; None when it does not.
        other_attrs: attribute groups with other labels, or none, such as parallel strategies.
        device: the device's own types of inputs and outputs (back-end graphs), or None.
        object_kinds: "Tensor", "Scalar", "TupleUnfold" … of inputs and outputs, or None.
        symbols: symbolic shapes and values of inputs and outputs as printed, or None.
        failure: the number of the failure mark before the node (analyze_fail), or None.
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
    op_number: int | None = None
    op_label: str = ""
    debug_name: str = ""
    locations: tuple[Location, ...] = ()
    comments: tuple[str, ...] = ()
    targets: tuple[Operand, ...] = ()
    side_effects: tuple[str, ...] | None = None
    other_attrs: tuple[tuple[str, Attrs], ...] = ()
    device: Signature[DeviceType] | None = None
    object_kinds: Signature[str] | None = None
    symbols: Signature[str] | None = None
    failure: int | None = None

    @property
    def fullname(self) -> str:
        """The full name with scope, "Default/conv-Conv2d/Conv2D-op0"; "" where the file has none.

        It is derived and no field of its own: of the 55,000 full names in files of ten releases
        every one is `scope/operator-opN` (the callee's name for a call), but for those that name no
        operator at all (`op_label`). The other way round would lose the scope of the 90,000 nodes
        that have one and no full name (.dat, and .ir of front-end stages from 1.10 on).
        """
        if self.op_number is None:
            return self.op_label
        return f"{self.scope}/{self.op_label or own_label(self.op, self.callee)}-op{self.op_number}"


def operator_name(node: CNode) -> str:
    """The operator as summaries count it: "Add" also for PrimFunc_Add, "S-Prim-Add" on its own."""
    if node.op_kind in ("", "PrimFunc") or node.op.startswith(node.op_kind):
        return node.op
    if node.op_kind in ("S-Prim", "DoSignaturePrimitive"):
        return f"S-Prim-{node.op}"
    return f"{node.op_kind}:{node.op}"


def own_label(op: str, callee: Operand | None = None) -> str:
    """What a full name calls an operator: its name, for a call the name of the subgraph."""
    return callee.name if op == CALL and isinstance(callee, GraphRef) else op


def split_fullname(fullname: str, label: str, scope: str | None = None) -> tuple[str, int | None, str]:
    """`scope`, `op_number` and `op_label` of a CNode with this full name.

    Args:
        fullname: as a file has it; "" for none.
        label: `own_label` of the node.
        scope: the node's scope where the file tells it by itself; None when the full name has to.
    """
    head, slash, last = fullname.rpartition("/") if scope is None else (scope, "/", fullname[len(scope) + 1 :])
    match = _NUMBERED.fullmatch(last)
    if slash and match and f"{head}/{last}" == fullname:
        return head, int(match[2]), "" if match[1] == label else match[1]
    return scope or "", None, fullname


def take_fullname(fields: dict[str, Any]) -> None:
    """Puts in place of a CNode's "fullname", as JSON has it, the fields that it is made of."""
    label = own_label(fields.get("op", ""), fields.get("callee"))
    scope, number, name = split_fullname(fields.pop("fullname"), label, fields.get("scope", ""))
    fields |= {"scope": scope, "op_number": number, "op_label": name}
