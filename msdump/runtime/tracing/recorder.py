"""Recording a network as it runs on Traced tensors: every operator it calls becomes a CNode."""

from __future__ import annotations

import types
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, NoReturn

from msdump.errors import ExecutionError, TraceError
from msdump.graph import Attrs, NodeRef, Operand, RefType, TensorType
from msdump.graph.value import Value
from msdump.runtime.ops import registry
from msdump.runtime.ops.registry import Operator, TensorSpec
from msdump.runtime.parameter import Parameter
from msdump.runtime.primitive import Primitive, element_type
from msdump.runtime.session import current
from msdump.runtime.tensor import Tensor
from msdump.runtime.tracing.builder import IO, MEMORY, FuncBuilder, first_monad
from msdump.runtime.tracing.checks import UNFIT, check_known, check_types
from msdump.runtime.tracing.constants import abstract_of, constant
from msdump.runtime.tracing.continuations import Continuations
from msdump.runtime.tracing.graph_builder import GraphBuilder, depth_error
from msdump.runtime.tracing.numbers import weighed
from msdump.runtime.tracing.places import user_place
from msdump.runtime.tracing.traced import Traced

_EFFECTS = {"io": IO, "memory": MEMORY}
_ANY_SHAPE = frozenset(("Depend", "MakeList", "MakeTuple", "Print", "TupleGetItem"))
_MISFITS = (ValueError, TypeError, IndexError, KeyError, AttributeError, ArithmeticError, ExecutionError)
"""What a kernel, run on stand-ins, may say of operands that do not fit it."""


class Recorder(GraphBuilder):
    """One network being recorded into a Graph.

    Attributes:
        flow: the module that rewritten code calls.
        weights: the network's parameters that are used, by name.
        containers: by id, each list, dict and set made while recording, and the region it was made in.
        continuations: of the function that is being called.
        depth: how many of the user's functions are being called.
    """

    def __init__(self, entry: str, flow: types.ModuleType, max_call_depth: int = 1000) -> None:
        super().__init__(entry)
        self.flow = flow
        self.weights: dict[str, Parameter] = {}
        self.containers: dict[int, tuple[Any, FuncBuilder]] = {}
        self.continuations = Continuations()
        self.depth = 0
        self._max_depth = max_call_depth

    @contextmanager
    def recording(self) -> Iterator[None]:
        """While it lasts, what this thread calls is recorded, not computed."""
        with current().recording(self):
            try:
                yield
            except BaseException:
                self.failed.append(self.func)
                raise

    def refuse_values(self, parameter: Parameter) -> NoReturn:
        """TraceError: a Parameter's values are not known before the graph runs."""
        raise TraceError(
            f"the values of the parameter {parameter.name} are not known while a graph is compiled",
            hint="compute with the parameter itself, or read it outside of construct",
        )

    def assign(self, parameter: Parameter, value: Any) -> None:
        """Record that a Parameter takes a value for good. TraceError for another shape."""
        made = value if isinstance(value, Tensor) else Tensor(value, parameter.dtype)
        if made.shape != parameter.shape:
            raise TraceError(
                f"the parameter {parameter.name} has the shape {parameter.shape} and cannot take one of {made.shape}",
                user_place(self.here()),
                hint="a Parameter keeps its shape",
            )
        if made._data.dtype != parameter._data.dtype:
            made = made.astype(parameter.dtype)
        self.record(Primitive("Assign"), (parameter, made))

    def record_print(self, values: tuple[Any, ...]) -> None:
        """Record a call of Print: it prints when the graph runs, in the order of the program."""
        if values:
            self.record(Primitive("Print").set_prim_instance_name("print"), values)

    def deeper(self) -> AbstractContextManager[None]:
        """A function is called, with continuations of its own: its return is not its caller's.

        TraceError when calls nest deeper than max_call_depth.
        """
        if self.depth >= self._max_depth:
            self.depth = 0
            raise depth_error(self._max_depth, user_place(self.here()))
        return self._call()

    @contextmanager
    def _call(self) -> Iterator[None]:
        self.depth += 1
        outer, self.continuations = self.continuations, Continuations()
        try:
            yield
        finally:
            self.continuations = outer
            self.depth -= 1

    # operands

    def operand(self, value: Any) -> tuple[Operand, Any]:
        """A value as an operand of the current FuncGraph, and what `infer` takes for it: a TensorSpec,
        the array of a constant tensor, or a Python value.
        """
        if isinstance(value, Traced):
            return self.reference(value.func, value.node), value.spec
        if isinstance(value, Parameter):
            return self._load(value), TensorSpec(value.shape, value._data.dtype)
        if isinstance(value, Tensor):
            return constant(value), value.init_data()._data
        if isinstance(value, (tuple, list)) and _holds_traced(value):
            parts = [self.operand(item) for item in value]
            specs = type(value)(spec for _, spec in parts)
            op = "MakeTuple" if isinstance(value, tuple) else "MakeList"
            return NodeRef(self.add(op, tuple(operand for operand, _ in parts), abstract_of(specs))), specs
        return constant(value), value

    def reference(self, owner: FuncBuilder, node: str) -> NodeRef:
        """A node or parameter of this FuncGraph or of one around it."""
        if owner is self.func:
            return NodeRef(node)
        inner: FuncBuilder | None = self.func
        while inner is not None and inner is not owner:
            inner.free = True
            inner = inner.parent
        if inner is None:
            raise TraceError(
                "a tensor of one branch or loop is used outside of it; return it from the branch, or assign it "
                "to a variable that is set before the if or the loop"
            )
        return NodeRef(node, owner.name)

    def weight(self, parameter: Parameter) -> NodeRef:
        """A network's parameter, as a parameter of the entry with a default."""
        known = self.weights.get(parameter.name)
        if known is None:
            self.weights[parameter.name] = parameter
            spec = TensorSpec(parameter.shape, parameter._data.dtype)
            self.entry.add_parameter(
                parameter.name, RefType(_tensor_type(spec), parameter.name, True), has_default=True
            )
        elif known is not parameter:
            raise TraceError(f"two parameters have the name {parameter.name}; give one of them another name")
        return self.reference(self.entry, parameter.name)

    def _written(self, parameter: Parameter) -> tuple[Operand, TensorSpec]:
        # an operator that writes takes the parameter itself, not a Load of it
        return self.weight(parameter), TensorSpec(parameter.shape, parameter._data.dtype)

    def _load(self, parameter: Parameter) -> NodeRef:
        # One Load serves until something is written: what a weight is then is read anew.
        found = self.func.loaded.get(parameter.name)
        if found is None:
            weight = self.weight(parameter)
            spec = TensorSpec(parameter.shape, parameter._data.dtype)
            found = self.add("Load", (weight, self.monad(MEMORY)), abstract_of(spec))
            self.func.loaded[parameter.name] = found
        return NodeRef(found)

    def monad(self, kind: str) -> Operand:
        """The token that the next effect of a kind takes: this FuncGraph's, else the one around it."""
        func: FuncBuilder | None = self.func
        while func is not None:
            token = func.monads.get(kind)
            if token is not None:
                return self.reference(func, token)
            func = func.parent
        return first_monad(kind)

    def acted(self, kind: str, node: str) -> None:
        """`node` of the current FuncGraph acts on the world; it took the token there was."""
        self.func.effect(kind, self.monad(kind), node, self.scopes[-1])

    # nodes

    def record(self, primitive: Primitive, arguments: Sequence[Any]) -> Any:
        """Record one call of a primitive; gives Traced tensors in the form of its result.

        TraceError at the user's line when shapes or types do not fit.
        """
        found = primitive.operator
        arguments, number = weighed(found, arguments)
        written = found.effect == "memory"
        parts = [self._written(a) if written and isinstance(a, Parameter) else self.operand(a) for a in arguments]
        inputs = [operand for operand, _ in parts]
        specs = [spec for _, spec in parts]
        try:
            if found.name not in _ANY_SHAPE:
                check_known(specs)
            given, attrs = self._attributes(found, primitive, len(arguments), specs)
            inputs += given
            result = registry.infer(found, specs, attrs)
            check_types(found, specs, attrs, result)
        except _MISFITS as error:
            raise self._refused(primitive, inputs, specs, error) from error
        kind = _EFFECTS.get(found.effect)
        if kind:
            inputs.append(self.monad(kind))
        shown = (
            {} if given else {name: value for name, value in attrs.items() if name not in found.params[: len(specs)]}
        )
        node = self.add(
            found.name,
            tuple(inputs),
            abstract_of(result),
            op_kind="PrimFunc" if found.prim_func else "",
            instance=primitive.instance_name,
            primitive_attrs=Attrs({name: _value(value) for name, value in shown.items()}),
        )
        if kind:
            self.acted(kind, node)
        made = self.unpack(result, node)
        if number and isinstance(made, Traced):
            made.number = True
        return made

    def _attributes(
        self, found: Operator, primitive: Primitive, given: int, specs: list[Any]
    ) -> tuple[list[Operand], dict[str, Any]]:
        """Attributes as operands (a primitive function's) and as keywords for `infer`."""
        attrs = registry.bind_attrs(found, given, {k: _plain(v) for k, v in primitive.attrs.items()})
        if found.inputs < 0:
            return [], attrs
        if not found.prim_func:
            return [], attrs
        # A primitive function of 2.x takes all its arguments in order, those with a default too.
        operands: list[Operand] = []
        for name in found.params[given:]:
            if name not in attrs:
                if name not in found.defaults:
                    break
                attrs[name] = found.defaults[name]
            operands.append(constant(attrs[name]))
        return operands, attrs

    def _refused(self, primitive: Primitive, inputs: list[Operand], specs: list[Any], error: Exception) -> TraceError:
        places = self.here()
        if isinstance(error, TraceError):
            return error if error.where else TraceError(error.what, user_place(places), error.hint)
        # The node stays, without a type, where the compilation stopped: analyze_fail.ir marks it.
        self.at_fault(primitive.name, tuple(inputs), locations=places)
        text = str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)
        if isinstance(error, AttributeError):  # a kernel that was given something else than an array
            text = UNFIT
        message = text if text.startswith("For '") else f"For '{primitive.name}', {text}"
        shown = ", ".join(_shown(spec) for spec in specs)
        return TraceError(message, user_place(places), hint=f"{primitive.name} was given ({shown})")

    def unpack(self, spec: Any, node: str) -> Any:
        """What an operator gave, as Traced tensors; elements of a tuple by TupleGetItem."""
        if isinstance(spec, TensorSpec):
            return Traced.of(spec, self.func, node)
        if isinstance(spec, (tuple, list)):
            items = []
            for index, item in enumerate(spec):
                if isinstance(item, (TensorSpec, tuple, list)):
                    inputs = (NodeRef(node), constant(index))
                    items.append(self.unpack(item, self.add("TupleGetItem", inputs, abstract_of(item))))
                else:
                    items.append(item)
            return type(spec)(items)
        return element_type(spec)


def active() -> Recorder:
    """The recorder at work in this thread; RuntimeError when nothing is being recorded."""
    recorder = current().thread.recorder
    if recorder is None:
        raise RuntimeError("nothing is being recorded")
    return recorder


def _tensor_type(spec: TensorSpec) -> TensorType:
    abstract = abstract_of(spec)
    assert isinstance(abstract, TensorType)  # what a TensorSpec gives
    return abstract


def _holds_traced(value: Any) -> bool:
    return any(_holds_traced(item) if isinstance(item, (tuple, list)) else isinstance(item, Tensor) for item in value)


def _plain(value: Any) -> Any:
    return value.init_data()._data if isinstance(value, Tensor) and not isinstance(value, Traced) else value


def _value(value: Any) -> Value:
    return constant(value).value


def _shown(spec: Any) -> str:
    abstract = abstract_of(spec)
    if isinstance(abstract, TensorType):
        return f"Tensor[{abstract.dtype}] {abstract.shape}"
    return repr(spec)
