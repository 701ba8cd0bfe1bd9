"""The execution order after a subgraph: `#   1: @g:CNode_3{[0]: ValueNode<Primitive> Add, [1]: x}`.

Each line tells again what a node is, so the model holds only the order of the nodes; the lines are
made of the nodes. The C++ class of a constant or operator is a fact of the source, where it is not
the usual one. The name of a Return stands nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from msdump.formats.ir.dialects.dialect import Dialect, differing
from msdump.formats.ir.elements import operator as op_text
from msdump.formats.ir.elements.value import Values
from msdump.formats.ir.print.fit import ODD
from msdump.formats.ir.print.labels import FuncNames, Labels
from msdump.graph.abstract import ScalarType
from msdump.graph.graph import RETURN, FuncGraph
from msdump.graph.node import CALL, CALL_VAR, CNode, GraphRef, Operand, ValueNode
from msdump.graph.value import Monad, Named, NoneValue, Scalar, Sequence, Str, TensorValue, TypeValue

_NAMED = {"Symbol": "Symbol", "NameSpace": "NameSpace", "class": "ClassType", "Problem": "ErrorValue"}
_FLOATS = {"Float32": "FP32Imm", "Float64": "FP64Imm"}


@dataclass(slots=True)
class Entry:
    """One line: the name it gives the node, and its operands as (class or "", text)."""

    name: str
    items: list[tuple[str, str]] = field(default_factory=list)

    def text(self, classes: Mapping[str, str]) -> str:
        """The line without number and graph; `classes`: as `packed`."""
        pieces: list[str] = []
        for index, (usual, text) in enumerate(self.items):
            told = classes.get(f"{usual} {text}", usual)
            pieces.append(f"[{index}]: ValueNode<{told}> {text}" if usual else f"[{index}]: {text}")
        return f"{self.name}{{{', '.join(pieces)}}}"


class OrderText:
    """Makes the lines of execution orders of one graph."""

    def __init__(self, labels: Labels, dialect: Dialect) -> None:
        self._labels = labels
        self._dialect = dialect
        numbers = "general" if dialect.values.typed else dialect.values.numbers
        self._values = Values(differing(dialect, {"typed": False, "monads": "U", "numbers": numbers}))

    def entry(self, names: FuncNames, node: CNode) -> Entry:
        """The line of one node."""
        entry = Entry(node.debug_name)
        if node.op == RETURN and names.layout.numbers.get(node.name) is None:
            entry.items.append(("Primitive", "Return" if self._dialect.nodes.return_op != "return" else "return"))
        elif node.op in (CALL, CALL_VAR) and node.callee is not None:
            entry.items.append(self._operand(names, node.callee))
        else:
            entry.items.append(("Primitive", op_text.join_op(node.op, node.op_kind)))
        entry.items.extend(self._operand(names, operand) for operand in node.inputs)
        return entry

    def _operand(self, names: FuncNames, operand: Operand) -> tuple[str, str]:
        if isinstance(operand, GraphRef):
            return "FuncGraph", self._labels.graph(operand.name)
        if isinstance(operand, ValueNode):
            return self._class(operand), self._values.format(operand.value)
        owner = names if operand.graph in (None, names.key) else self._labels.funcs.get(operand.graph or "")
        if owner is None:
            return "", operand.name
        if operand.name in owner.debug:
            return "", owner.debug[operand.name]
        return "", self._dialect.nodes.param_prefix + owner.alias(operand.name)

    def _class(self, node: ValueNode) -> str:
        value = node.value
        if isinstance(value, Scalar):
            return "BoolImm" if value.kind == "Bool" else _FLOATS.get(value.kind, f"{value.kind or 'Int64'}Imm")
        if isinstance(value, Str):
            return "StringImm"
        if isinstance(value, TensorValue):
            return "Tensor"
        if isinstance(value, Sequence):
            return "ValueTuple" if value.kind == "Tuple" else "ValueList"
        if isinstance(value, Named):
            return _NAMED.get(value.kind, "Primitive")
        if isinstance(value, Monad):
            return "IOMonad" if value.kind == "IO" else "UMonad"
        if isinstance(value, (NoneValue, TypeValue)):
            return "None" if isinstance(value, NoneValue) else value.name
        return node.abstract.name if isinstance(node.abstract, ScalarType) else "Value"

    def lines(self, names: FuncNames, func: FuncGraph, classes: Mapping[str, str], odd: list[str]) -> Iterator[str]:
        """The lines of a subgraph's execution order; `odd` are those that cannot be read."""
        yield self._dialect.parts.order or "# Order:"
        nodes = {node.name: node for node in func.nodes}
        detached = list(func.detached)
        order = func.order or ()
        printed = names.layout.order_items
        for number, name in zip(names.layout.order_numbers or (), order, strict=True):
            node = nodes.get(name)
            if node is not None:
                entry = self.entry(names, node)
                items = printed.get(name)
                if items is not None and [t for _, t in items[1:]] == [t for _, t in entry.items[1:]]:
                    text = Entry(entry.name, list(items)).text({})
                else:
                    text = entry.text(classes)
            elif name == ODD:
                if odd:
                    yield odd.pop(0)
                continue
            elif not name and detached:
                alone = detached.pop(0)
                text = Entry(alone.name, list(alone.items)).text({})
                if alone.graph is not None:
                    yield f"#{number:>4}: @{alone.graph}:{text}"
                    continue
            else:
                continue
            yield f"#{number:>4}: @{names.label}:{text}"
