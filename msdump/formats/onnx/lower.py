"""A Graph to an ONNX ModelProto: what ties operators together. The operators are in operators.py."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np
import onnx
from onnx import helper, numpy_helper

from msdump.dtype import by_name
from msdump.errors import WriteError
from msdump.graph.abstract import Abstract, MonadType, RefType, ScalarType, SequenceType, TensorType
from msdump.graph.graph import RETURN, Graph
from msdump.graph.node import CALL, CALL_VAR, CNode, GraphRef, NodeRef, Operand, Parameter, ValueNode
from msdump.graph.value import NoneValue, Scalar, Sequence, Str, TensorValue, TypeValue, Value
from msdump.version import VERSION

OPSET = 20
"""The first with Gelu; LayerNormalization is there since 17."""
IR_VERSION = 9

Result: TypeAlias = "str | tuple[Result, ...] | None"
"""What stands for a node: the name of a tensor, a tuple of them, None for a monad."""


class Unsupported(Exception):
    """An operator, or a use of it, without a counterpart; the text says what."""


class Lowering:
    """One graph on its way to a model."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.nodes: list[onnx.NodeProto] = []
        self.initializers: list[onnx.TensorProto] = []
        self.results: dict[str, Result] = {}
        self.abstracts: dict[str, Abstract] = {}
        self.node = CNode("", "")
        self._names: Counter[str] = Counter()
        self._constants: dict[Any, str] = {}

    def model(self, operators: Mapping[str, Callable[[Lowering], Result]]) -> onnx.ModelProto:
        """The whole model.

        Args:
            operators: for each operator of MindSpore what makes the nodes of ONNX for the current node.

        Raises:
            WriteError: something in the graph has no counterpart; all of it is named.
        """
        root = self.graph.root
        inputs = [info for parameter in root.parameters if (info := self._parameter(parameter)) is not None]
        missing: Counter[str] = Counter()
        outputs: list[str] = []
        for node in root.nodes:
            self.node = node
            self.abstracts[node.name] = node.abstract
            try:
                if node.op == RETURN:
                    outputs = _flat(self.result(node.inputs[0])) if node.inputs else []
                elif node.op in operators:
                    self.results[node.name] = operators[node.op](self)
                else:
                    raise Unsupported(_called(node))
            except Unsupported as reason:
                missing[str(reason)] += 1
                self.results[node.name] = ""
        if missing:
            told = ", ".join(f"{name} ({count})" if count > 1 else name for name, count in sorted(missing.items()))
            hint = "only inference graphs of common operators can be written as ONNX"
            raise WriteError(f"no counterpart in ONNX: {told}", hint=hint)
        infos = [self._output(name, position) for position, name in enumerate(outputs)]
        made = helper.make_graph(self.nodes, root.name or "graph", inputs, infos, self.initializers)
        opset = helper.make_opsetid("", OPSET)
        model: onnx.ModelProto = helper.make_model(
            made, opset_imports=[opset], ir_version=IR_VERSION, producer_name="msdump", producer_version=VERSION
        )
        return model

    def _parameter(self, parameter: Parameter) -> onnx.ValueInfoProto | None:
        name = self.unique(parameter.name)
        self.results[parameter.name] = name
        self.abstracts[parameter.name] = parameter.abstract
        if parameter.default is not None:
            self.initializers.append(numpy_helper.from_array(np.ascontiguousarray(parameter.default.numpy()), name))
            return None
        if isinstance(parameter.abstract, MonadType):
            self.results[parameter.name] = None
            return None
        found = _value_info(name, parameter.abstract)
        if found is None:
            raise WriteError(f"parameter {parameter.name} is no tensor, and ONNX takes tensors alone")
        return found

    def _output(self, name: str, position: int) -> onnx.ValueInfoProto:
        """An output of its own name, whatever the tensor is called."""
        own = self.unique(f"output{position}")
        self.nodes.append(helper.make_node("Identity", [name], [own], name=own))
        kinds = _flat_types(self.abstracts.get(self._returned(), ScalarType("")))
        kind = kinds[position] if position < len(kinds) else None
        found = _value_info(own, kind) if kind is not None else None
        return found or onnx.ValueInfoProto(name=own)

    def _returned(self) -> str:
        operand = self.graph.root.output
        return operand.name if isinstance(operand, NodeRef) else ""

    def unique(self, name: str) -> str:
        """A tensor name that is not taken."""
        self._names[name] += 1
        return name if self._names[name] == 1 else self.unique(f"{name}.{self._names[name]}")

    def emit(self, op: str, inputs: list[str], outputs: int = 1, **attributes: Any) -> str:
        """Add a node; the name of its first output (with more: NAME, NAME.1, …)."""
        base = self.unique(self.node.fullname or f"{self.node.op}_{self.node.name.lstrip('%')}")
        names = [base, *(f"{base}.{i}" for i in range(1, outputs))]
        made = helper.make_node(op, inputs, names, name=base, **attributes)
        place = self.node.locations[0] if self.node.locations else None
        for key, text in (("scope", self.node.scope), ("source", f"{place.file}:{place.line}" if place else "")):
            if text and hasattr(made, "metadata_props"):
                made.metadata_props.add(key=key, value=text)
        self.nodes.append(made)
        return base

    # What an operator asks for

    def result(self, operand: Operand) -> Result:
        """What stands for an operand; constants become tensors."""
        if isinstance(operand, NodeRef):
            if operand.graph is not None:
                raise Unsupported("a variable of another subgraph")
            return self.results.get(operand.name, "")
        if isinstance(operand, GraphRef):
            raise Unsupported("a subgraph as a value")
        if isinstance(operand.value, Sequence):
            return tuple(self.constant(_array(item)) for item in operand.value.items)
        return self.constant(_array(operand.value))

    def tensor(self, slot: int, like: int | None = None) -> str:
        """The tensor in an input slot; a number takes the element type of the tensor in slot `like`."""
        operand = self.node.inputs[slot]
        if like is not None and isinstance(operand, ValueNode) and isinstance(operand.value, Scalar):
            return self.constant(np.asarray(operand.value.value, self.dtype(like)))
        found = self.result(operand)
        if not isinstance(found, str):
            raise Unsupported(f"{self.node.op} of a tuple")
        return found

    def constant(self, array: np.ndarray[Any, Any]) -> str:
        """An initializer with these values; the same values give the same one."""
        key = (array.dtype.str, array.shape, array.tobytes())
        name = self._constants.get(key)
        if name is None:
            name = self._constants[key] = self.unique(f"constant{len(self._constants)}")
            self.initializers.append(numpy_helper.from_array(array, name))
        return name

    def type(self, slot: int) -> TensorType:
        """The tensor type of an input.

        Raises:
            Unsupported: it is none, or not told.
        """
        operand = self.node.inputs[slot]
        kind: Abstract | None = None
        if isinstance(operand, NodeRef):
            kind = self.abstracts.get(operand.name)
        elif isinstance(operand, ValueNode) and isinstance(operand.value, TensorValue):
            kind = TensorType(operand.value.dtype, operand.value.shape)
        kind = kind.tensor if isinstance(kind, RefType) else kind
        if not isinstance(kind, TensorType) or kind.shape is None:
            raise Unsupported(f"{self.node.op} of an unknown type")
        return kind

    def rank(self, slot: int) -> int:
        """The number of dimensions of an input."""
        return len(self.type(slot).shape or ())

    def dtype(self, slot: int) -> np.dtype[Any]:
        """The element type of an input."""
        found = by_name(self.type(slot).dtype)
        if found is None:
            raise Unsupported(f"{self.node.op} of {self.type(slot).dtype}")
        return found.np

    def argument(self, slot: int | None, *names: str, default: Any = None) -> Any:
        """An argument: the constant in an input slot (2.x), or the attribute of the first name there
        is (1.x)."""
        if slot is not None and slot < len(self.node.inputs):
            operand = self.node.inputs[slot]
            if not isinstance(operand, ValueNode):
                raise Unsupported(f"{self.node.op} with {names[0] if names else 'an argument'} computed")
            return plain(operand.value)
        for name in names:
            if name in self.node.primitive_attrs:
                return plain(self.node.primitive_attrs[name])
        return default


def plain(value: Value) -> Any:
    """A constant as a Python value: numbers, strings, None, tuples; a type as its name."""
    if isinstance(value, Scalar | Str):
        return value.value
    if isinstance(value, NoneValue):
        return None
    if isinstance(value, TypeValue):
        return value.name
    if isinstance(value, Sequence):
        return tuple(plain(item) for item in value.items)
    if isinstance(value, TensorValue) and value.data is not None:
        return _array(value).tolist()
    raise Unsupported("a constant without a value")


def _array(value: Value) -> np.ndarray[Any, Any]:
    if isinstance(value, TensorValue) and value.data is not None:
        found = by_name(value.dtype)
        if found is not None:
            return np.frombuffer(value.data, found.np).reshape(value.shape)
    if isinstance(value, Scalar):
        found = by_name(value.kind)
        return np.asarray(value.value, found.np if found else None)
    raise Unsupported("a constant tensor without its numbers" if isinstance(value, TensorValue) else "a constant")


def _called(node: CNode) -> str:
    if node.op in (CALL, CALL_VAR):
        return "calls of subgraphs"
    return node.op


def _flat(result: Result) -> list[str]:
    if result is None:
        return []
    return [result] if isinstance(result, str) else [name for item in result for name in _flat(item)]


def _flat_types(abstract: Abstract) -> list[Abstract]:
    if isinstance(abstract, SequenceType):
        return [kind for element in abstract.elements or () for kind in _flat_types(element)]
    return [] if isinstance(abstract, MonadType) else [abstract]


def _value_info(name: str, abstract: Abstract) -> onnx.ValueInfoProto | None:
    if isinstance(abstract, RefType):
        abstract = abstract.tensor
    shape: tuple[int, ...] | None = ()
    if isinstance(abstract, TensorType):
        dtype, shape = by_name(abstract.dtype), abstract.shape
    elif isinstance(abstract, ScalarType):
        dtype = by_name(abstract.name)
    else:
        return None
    if dtype is None:
        return None
    sizes = None if shape is None else [f"{name}_{i}" if size < 0 else size for i, size in enumerate(shape)]
    number = helper.np_dtype_to_tensor_dtype(dtype.np)
    made: onnx.ValueInfoProto = helper.make_tensor_value_info(name, number, sizes)
    return made
