"""Type inference: the type of every node from the types of the entry's parameters."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from typing import Any

from msdump import dtype as dtypes
from msdump.errors import GraphError
from msdump.graph import (
    CALL,
    CALL_VAR,
    NULL_TYPE,
    RETURN,
    Abstract,
    CNode,
    FuncGraph,
    FuncType,
    Graph,
    GraphRef,
    MonadType,
    NodeRef,
    NullType,
    Operand,
    RefType,
    SequenceType,
    TensorType,
    ValueNode,
)
from msdump.graph.value import Monad
from msdump.runtime.executor.values import to_python
from msdump.runtime.ops import registry
from msdump.runtime.ops.registry import TensorSpec
from msdump.runtime.passes.substitute import Key, key_of
from msdump.runtime.tracing.constants import abstract_of

MONADS = {"IO": MonadType("IOMonad"), "U": MonadType("UMonad")}


def strip_types(graph: Graph) -> Graph:
    """The graph as it is before types are inferred: only the entry's parameters have theirs."""
    funcs = {}
    for name, func in graph.funcs.items():
        parameters = func.parameters
        if name != graph.entry:
            parameters = tuple(
                p if isinstance(p.abstract, MonadType) else replace(p, abstract=NULL_TYPE) for p in parameters
            )
        nodes = tuple(replace(node, abstract=NULL_TYPE) for node in func.nodes)
        funcs[name] = replace(func, parameters=parameters, nodes=nodes)
    return replace(graph, funcs=funcs)


def infer_types(graph: Graph) -> Graph:
    """Every node with the type of its output, every parameter with that of its arguments.

    GraphError for an operator that is not known, or operands that do not fit it.
    """
    types = _Inference(graph).run()
    funcs = {}
    for name, func in graph.funcs.items():
        parameters = tuple(replace(p, abstract=types.get((name, p.name), p.abstract)) for p in func.parameters)
        nodes = tuple(replace(n, abstract=types.get((name, n.name), n.abstract)) for n in func.nodes)
        funcs[name] = replace(func, parameters=parameters, nodes=nodes)
    return replace(graph, funcs=funcs)


class _Inference:
    """Walks calls as they run, without recursion: a FuncGraph that is called is walked before the
    call's type is asked for. A loop's own call has the type of its way out.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.types: dict[Key, Abstract] = {}
        self.outputs: dict[str, Abstract] = {}
        self.nodes = {(func.name, node.name): node for func, node in graph.iter_nodes()}
        self.open: set[str] = set()

    def run(self) -> dict[Key, Abstract]:
        root = self.graph.root
        self.types.update(((root.name, p.name), p.abstract) for p in root.parameters)
        # A node behind a loop's own call is known once the loop's output is: the next walk finds it.
        unknown = len(self.nodes) + 1
        while unknown:
            self._drive(root.name)
            before, unknown = unknown, sum(map(is_unknown, self.types.values()))
            if unknown == before:
                break
        return self.types

    def _drive(self, entry: str) -> None:
        stack: list[Generator[str, None, None]] = [self._walk(self.graph.funcs[entry])]
        self.open = {entry}
        names = [entry]
        while stack:
            wanted = next(stack[-1], None)
            if wanted is None:
                stack.pop()
                self.open.discard(names.pop())
            elif wanted not in self.open:
                self.open.add(wanted)
                names.append(wanted)
                stack.append(self._walk(self.graph.funcs[wanted]))

    def _walk(self, func: FuncGraph) -> Generator[str, None, None]:
        for node in func.nodes:
            if node.op in (CALL, CALL_VAR):
                for target, arguments in self._targets(func, node):
                    self._bind(target, arguments)
                    yield target.name
                    found = self.outputs.get(target.name, NULL_TYPE)
                    if not is_unknown(found):
                        self.types[func.name, node.name] = found
                self.types.setdefault((func.name, node.name), NULL_TYPE)
            else:
                self.types[func.name, node.name] = self._node(func, node)
        if func.nodes:
            found = self.types[func.name, func.nodes[-1].name]
            if not is_unknown(found):
                self.outputs[func.name] = found

    def _bind(self, target: FuncGraph, arguments: list[Abstract]) -> None:
        for parameter, argument in zip(target.parameters, arguments, strict=False):
            key = (target.name, parameter.name)
            if is_unknown(self.types.get(key, NULL_TYPE)):
                self.types[key] = argument

    def _targets(self, func: FuncGraph, node: CNode) -> list[tuple[FuncGraph, list[Abstract]]]:
        given = [self._type(func, operand) for operand in node.inputs]
        found: list[tuple[FuncGraph, list[Abstract]]] = []
        waiting: list[tuple[FuncGraph, Operand | None, list[Abstract]]] = [(func, node.callee, [])]
        while waiting:
            owner, operand, bound = waiting.pop(0)
            if isinstance(operand, GraphRef) and operand.name in self.graph.funcs:
                found.append((self.graph.funcs[operand.name], [*bound, *given]))
            elif isinstance(operand, NodeRef):
                key = key_of(owner, operand)
                made = self.nodes.get(key)
                holder = self.graph.funcs[key[0]]
                if made is not None and made.op == "Switch":
                    waiting += [(holder, choice, bound) for choice in made.inputs[1:]]
                elif made is not None and made.op == "Partial":
                    waiting.append((holder, made.inputs[0], [*map_types(self, holder, made.inputs[1:]), *bound]))
        return found

    def _type(self, func: FuncGraph, operand: Operand) -> Abstract:
        if isinstance(operand, NodeRef):
            return self.types.get(key_of(func, operand), NULL_TYPE)
        if isinstance(operand, GraphRef):
            return FuncType()
        if isinstance(operand.value, Monad):
            return MONADS[operand.value.kind]
        return operand.abstract

    def _node(self, func: FuncGraph, node: CNode) -> Abstract:
        types = [self._type(func, operand) for operand in node.inputs]
        if node.op in ("Switch", "Partial"):
            return FuncType()
        if node.op == "UpdateState":
            return types[0]
        if node.op in (RETURN, "Depend"):
            return types[0]
        if node.op == "Load":
            return types[0].tensor if isinstance(types[0], RefType) else types[0]
        if node.op in ("MakeTuple", "MakeList"):
            return SequenceType("Tuple" if node.op == "MakeTuple" else "List", tuple(types))
        if any(map(is_unknown, types)):
            return NULL_TYPE
        return self._operator(func, node, types)

    def _argument(self, func: FuncGraph, operand: Operand, abstract: Abstract) -> Any:
        """An operand as `registry.infer` takes it: what is known of it, values too where they are."""
        if isinstance(operand, ValueNode):
            return to_python(operand.value)
        if isinstance(operand, NodeRef) and isinstance(abstract, SequenceType):
            key = key_of(func, operand)
            made = self.nodes.get(key)
            if made is not None and made.op in ("MakeTuple", "MakeList"):
                owner = self.graph.funcs[key[0]]
                items = [self._argument(owner, o, self._type(owner, o)) for o in made.inputs]
                return items if made.op == "MakeList" else tuple(items)
        return spec_of(abstract)

    def _operator(self, func: FuncGraph, node: CNode, types: list[Abstract]) -> Abstract:
        found = registry.find(node.op)
        if found is None:
            raise GraphError(f"{node.op} {node.fullname or node.name} is not an operator that msdump knows")
        args = [
            self._argument(func, operand, t)
            for operand, t in zip(node.inputs, types, strict=True)
            if not isinstance(t, MonadType)
        ]
        attrs = {name: to_python(value) for name, value in node.primitive_attrs.items()}
        try:
            return abstract_of(registry.infer(found, args, registry.bind_attrs(found, len(args), attrs)))
        except (ValueError, TypeError, LookupError, ArithmeticError, AttributeError) as error:
            raise GraphError(f"{node.op} {node.fullname or node.name}: {error}") from error


def is_unknown(abstract: Abstract) -> bool:
    """Whether a type, or a part of it, is not inferred yet."""
    if isinstance(abstract, SequenceType):
        return any(map(is_unknown, abstract.elements or ()))
    return isinstance(abstract, NullType)


def map_types(inference: _Inference, func: FuncGraph, operands: tuple[Operand, ...]) -> list[Abstract]:
    """The types of some operands."""
    return [inference._type(func, operand) for operand in operands]


def spec_of(abstract: Abstract) -> Any:
    """A type as `registry.infer` takes it: TensorSpec, or a tuple of them."""
    if isinstance(abstract, RefType):
        abstract = abstract.tensor
    if isinstance(abstract, TensorType):
        found = dtypes.by_name(abstract.dtype)
        if found is None or abstract.shape is None:
            raise GraphError(f"a tensor of type {abstract.dtype} and shape {abstract.shape} cannot be computed with")
        return TensorSpec(abstract.shape, found.np)
    if isinstance(abstract, SequenceType) and abstract.elements is not None:
        items = [spec_of(element) for element in abstract.elements]
        return items if abstract.kind == "List" else tuple(items)
    raise GraphError(f"{abstract} cannot be computed with")
