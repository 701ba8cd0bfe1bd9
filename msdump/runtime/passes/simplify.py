"""Identities removed and equal nodes merged: what MindSpore's optimiser does first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msdump.graph import CALL, CALL_VAR, RETURN, CNode, FuncGraph, Graph, NodeRef, Operand, TensorType, ValueNode
from msdump.graph.value import Scalar, TensorValue
from msdump.runtime.ops import registry
from msdump.runtime.passes.substitute import Key, drop_dead, key_of, renumber, resolve, substitute


def is_impure(op: str) -> bool:
    """Whether two calls of an operator are not the same as one: it acts, draws, or reads what others
    change; or nobody knows what it does.
    """
    found = registry.find(op)
    return op == "Load" or found is None or bool(found.effect)


def remove_identities(graph: Graph) -> Graph:
    """Nodes that give one of their operands back, replaced by it: x + 0, x * 1, a Cast to its own
    type, a Reshape to its own shape, TupleGetItem of a MakeTuple.
    """
    nodes = {(func.name, node.name): node for func, node in graph.iter_nodes()}
    types = {(func.name, p.name): p.abstract for func in graph.funcs.values() for p in func.parameters}
    types.update((key, node.abstract) for key, node in nodes.items())
    mapping: dict[Key, Key | Operand] = {}
    for func, node in graph.iter_nodes():
        rule = _IDENTITIES.get(node.op)
        kept = rule(func, node, types, nodes) if rule else None
        if kept is not None:
            owner, operand = kept
            mapping[(func.name, node.name)] = key_of(owner, operand) if isinstance(operand, NodeRef) else operand
    return renumber(drop_dead(substitute(graph, mapping))) if mapping else graph


Rule = Callable[[FuncGraph, CNode, dict[Key, Any], dict[Key, CNode]], "tuple[FuncGraph, Operand] | None"]


def _same_type(func: FuncGraph, node: CNode, types: dict[Key, Any], _nodes: Any) -> tuple[FuncGraph, Operand] | None:
    operand = node.inputs[0]
    if isinstance(operand, NodeRef) and isinstance(node.abstract, TensorType):
        return (func, operand) if types.get(key_of(func, operand)) == node.abstract else None
    return None


def _neutral(number: float, sides: tuple[int, ...]) -> Rule:
    def rule(func: FuncGraph, node: CNode, types: dict[Key, Any], _nodes: Any) -> tuple[FuncGraph, Operand] | None:
        for side in sides:
            operand = node.inputs[1 - side]
            if (
                _is_number(node.inputs[side], number)
                and not (number == 0 and _is_inexact(node))
                and isinstance(operand, NodeRef)
                and types.get(key_of(func, operand)) == node.abstract
            ):
                return func, operand
        return None

    return rule


def _is_inexact(node: CNode) -> bool:
    # -0.0 + 0 is 0.0: adding zero changes a negative zero, so only integers go without it
    return not (isinstance(node.abstract, TensorType) and node.abstract.dtype.lstrip("U").startswith("Int"))


def _is_number(operand: Operand, number: float) -> bool:
    if not isinstance(operand, ValueNode):
        return False
    value = operand.value
    if isinstance(value, Scalar):
        return value.value == number
    return isinstance(value, TensorValue) and value.shape == () and value.text == str(number)


def _item(func: FuncGraph, node: CNode, _types: Any, nodes: dict[Key, CNode]) -> tuple[FuncGraph, Operand] | None:
    source, index = node.inputs
    if not isinstance(source, NodeRef) or not isinstance(index, ValueNode) or not isinstance(index.value, Scalar):
        return None
    made = nodes.get(key_of(func, source))
    if made is None or made.op != "MakeTuple" or source.graph:
        return None
    return func, made.inputs[int(index.value.value)]


_IDENTITIES: dict[str, Rule] = {
    "Identity": _same_type,
    "Cast": _same_type,
    "Reshape": _same_type,
    "StopGradient": _same_type,
    "Add": _neutral(0, (0, 1)),
    "Sub": _neutral(0, (1,)),
    "Mul": _neutral(1, (0, 1)),
    "RealDiv": _neutral(1, (1,)),
    "Div": _neutral(1, (1,)),
    "TupleGetItem": _item,
}


def _exact(operand: Operand) -> Any:
    return (_exact_value(operand.value), operand.abstract) if isinstance(operand, ValueNode) else operand


def _exact_value(value: Any) -> Any:
    # -0.0 equals 0.0 and is another number, so a Float is compared as it is written.
    return value if isinstance(value, TensorValue) else (value, repr(value))


_MERGED_GLUE = frozenset(("Partial", "Switch"))
_UNMERGED = frozenset((RETURN, CALL, CALL_VAR, "UpdateState"))


def merge_equal(graph: Graph) -> Graph:
    """Nodes of one FuncGraph that compute the same, merged into the first of them."""
    mapping: dict[Key, Key | Operand] = {}
    for func in graph.funcs.values():
        seen: dict[Any, Key] = {}
        for node in func.nodes:
            if node.op not in _MERGED_GLUE and (node.op in _UNMERGED or is_impure(node.op)):
                continue
            inputs = tuple(
                resolve(key_of(func, o), mapping) if isinstance(o, NodeRef) else _exact(o) for o in node.inputs
            )
            attrs = tuple((name, _exact_value(value)) for name, value in node.primitive_attrs.items())
            what = (node.op, node.op_kind, inputs, attrs, node.abstract)
            first = seen.setdefault(what, (func.name, node.name))
            if first != (func.name, node.name):
                mapping[(func.name, node.name)] = first
    return renumber(drop_dead(substitute(graph, mapping))) if mapping else graph
