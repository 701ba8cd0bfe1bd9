"""Constant folding: what depends on nothing but constants is computed while compiling."""

from __future__ import annotations

from typing import Any

import numpy as np

from msdump.errors import MsdumpError
from msdump.graph import CALL, CALL_VAR, RETURN, CNode, FuncGraph, Graph, NodeRef, Operand, ValueNode
from msdump.graph.value import Monad, NoneValue
from msdump.runtime.executor.single import execute_node
from msdump.runtime.executor.values import to_python
from msdump.runtime.passes.simplify import is_impure
from msdump.runtime.passes.substitute import Key, drop_dead, key_of, renumber, substitute
from msdump.runtime.tracing.constants import constant

_GLUE = frozenset(
    (RETURN, CALL, CALL_VAR, "Switch", "Partial", "UpdateState", "Depend", "MakeTuple", "MakeList", "TupleGetItem")
)
LIMIT = 1 << 16
"""Results of more elements stay nodes: a graph is no place for large arrays."""


def fold_constants(graph: Graph) -> Graph:
    """Nodes whose operands are all constants, replaced by their results."""
    mapping: dict[Key, Key | Operand] = {}
    for func in graph.funcs.values():
        for node in func.nodes:
            folded = _folded(func, node, mapping)
            if folded is not None:
                mapping[func.name, node.name] = folded
    return renumber(drop_dead(substitute(graph, mapping))) if mapping else graph


def _folded(func: FuncGraph, node: CNode, mapping: dict[Key, Key | Operand]) -> ValueNode | None:
    if node.op in _GLUE or is_impure(node.op) or not node.inputs:
        return None
    inputs: dict[int, Any] = {}
    for position, operand in enumerate(node.inputs):
        known = mapping.get(key_of(func, operand)) if isinstance(operand, NodeRef) else operand
        if not isinstance(known, ValueNode) or isinstance(known.value, Monad):
            return None
        if known is not operand:
            inputs[position] = _array(known)
    try:
        (result,) = execute_node(node, inputs, float64=False)
    except (MsdumpError, ValueError):
        return None  # several outputs, or an operator that fails: it fails when the graph runs
    if not isinstance(result, np.ndarray) or result.size > LIMIT:
        return None
    made = constant(result)
    # What an operator gives as a Python value is not of the node's type: it stays.
    return made if made.abstract == node.abstract else None


def _array(known: ValueNode) -> Any:
    return None if isinstance(known.value, NoneValue) else to_python(known.value)
