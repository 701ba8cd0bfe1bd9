"""Small graphs made by hand for the executor's tests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msdump.graph import (
    CALL,
    CALL_VAR,
    RETURN,
    Attrs,
    CNode,
    FuncGraph,
    Graph,
    GraphRef,
    Location,
    MonadType,
    NodeRef,
    Operand,
    Parameter,
    ValueNode,
)
from msdump.graph.value import Monad, NoneValue, Scalar, Sequence, Str, Value


def const(value: Any) -> Value:
    if isinstance(value, bool):
        return Scalar("Bool", value)
    if isinstance(value, int):
        return Scalar("Int64", value)
    if isinstance(value, float):
        return Scalar("Float32", value)
    if isinstance(value, str):
        return Str(value)
    if isinstance(value, tuple):
        return Sequence("Tuple", tuple(const(v) for v in value))
    return NoneValue()


def operand(what: Any) -> Operand:
    """ "%0" and "x" are references, "g:%0" one of another graph, "@g" a graph; others are constants."""
    if isinstance(what, str):
        if what.startswith("@"):
            return GraphRef(what[1:])
        owner, _, name = what.rpartition(":")
        return NodeRef(name, owner or None)
    return what if isinstance(what, ValueNode) else ValueNode(const(what))


U = ValueNode(Monad("U"), MonadType("UMonad"))


def node(name: str, op: str, *inputs: Any, line: int = 0, **attrs: Any) -> CNode:
    callee: Operand | None = None
    operands = [operand(i) for i in inputs]
    if op.startswith("@"):
        op, callee = CALL, GraphRef(op[1:])
    elif op == CALL_VAR:
        callee, operands = operands[0], operands[1:]
    return CNode(
        name,
        op,
        tuple(operands),
        callee=callee,
        primitive_attrs=Attrs({k: const(v) for k, v in attrs.items()}),
        locations=(Location("net.py", line, code="y = self.op(x)"),) if line else (),
    )


def func(name: str, parameters: str, *nodes: CNode, output: Any) -> FuncGraph:
    made = tuple(Parameter(p, MonadType("UMonad")) if p == "u" else Parameter(p) for p in parameters.split())
    return FuncGraph(name, made, (*nodes, CNode("%end", RETURN, (operand(output),))))


def graph(*funcs: FuncGraph) -> Graph:
    table: Mapping[str, FuncGraph] = {f.name: f for f in funcs}
    return Graph(funcs[0].name, table)
