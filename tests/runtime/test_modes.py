"""PYNATIVE_MODE and GRAPH_MODE give the same: every operator, every recorded call, whole networks."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import msdump
from msdump import Parameter, Tensor, context, nn, ops
from msdump import dtype as dtypes
from msdump.errors import TraceError
from msdump.graph import Graph, RefType, SequenceType, TensorType
from msdump.runtime import functions
from msdump.runtime.ops.registry import OPERATORS
from msdump.runtime.primitive import primitive_class
from msdump.runtime.tracing.compile import compile_cell
from tests.runtime import nets
from tests.runtime.case import Case, parameter_value
from tests.runtime.cases import GROUPS
from tests.runtime.networks import NETWORKS
from tests.runtime.samples import DRAWS, GLUE, WRITES, iter_samples
from tests.runtime.test_against_mindspore import flat, given

CASES = [*(case for group in GROUPS.values() for case in group), *iter_samples()]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


class Slot:
    """Where one of construct's tensors, or a parameter, goes among the arguments of a call."""

    def __init__(self, place: int, held: bool = False) -> None:
        self.place = place
        self.held = held


def slotted(value: Any, tensors: list[Tensor]) -> Any:
    if isinstance(value, Tensor):
        tensors.append(value)
        return Slot(len(tensors) - 1)
    return tuple(slotted(v, tensors) for v in value) if isinstance(value, tuple) else value


class Calls(nn.Cell):
    """One call, its tensors the network's inputs; those that it writes are parameters."""

    def __init__(self, function: Callable[..., Any], form: list[Any], written: list[Tensor]) -> None:
        super().__init__()
        self.function = function
        self.form = form
        self.held = msdump.ParameterTuple([Parameter(t.copy(), name=f"p{i}") for i, t in enumerate(written)])

    def construct(self, *tensors: Tensor) -> Any:
        def put(value: Any) -> Any:
            if isinstance(value, Slot):
                return self.held[value.place] if value.held else tensors[value.place]
            return tuple([put(v) for v in value]) if isinstance(value, tuple) else value

        found = self.function(*[put(v) for v in self.form])
        return (found, *[p + 0 for p in self.held]) if self.held else found


class Method:
    def __init__(self, name: str, attrs: dict[str, Any]) -> None:
        self.name = name
        self.attrs = attrs

    def __call__(self, holder: Tensor, *args: Any) -> Any:
        return getattr(holder, self.name)(*args, **self.attrs)


class Function:
    def __init__(self, name: str, attrs: dict[str, Any]) -> None:
        self.function = getattr(functions, name)
        self.attrs = attrs

    def __call__(self, *args: Any) -> Any:
        return self.function(*args, **self.attrs)


def called(case: Case) -> Callable[..., Any]:
    if case.kind in ("op", "grad"):
        made: Callable[..., Any] = primitive_class(case.name)(**case.attrs)
        return made
    if case.kind in ("nn", "net"):
        layer = getattr(nets, case.name)(nn, ops) if case.kind == "net" else getattr(nn, case.name)(**case.attrs)
        for path, parameter in layer.parameters_and_names():
            parameter.set_data(parameter_value(path, parameter.shape))
        layer.set_train(case.train)
        return layer  # type: ignore[no-any-return]  # a Cell, which is callable
    if case.kind == "operator":
        return getattr(operator, case.name)  # type: ignore[no-any-return]  # a function of two
    return (Method if case.kind == "method" else Function)(case.name, case.attrs)


def network_of(case: Case) -> tuple[nn.Cell, list[Tensor]]:
    tensors: list[Tensor] = []
    written: list[Tensor] = []
    form: list[Any] = []
    for place, arg in enumerate(map(given, case.args)):
        if place in WRITES.get(case.name, ()):
            written.append(arg)
            form.append(Slot(len(written) - 1, held=True))
        else:
            form.append(slotted(arg, tensors))
    return Calls(called(case), form, written), tensors


NEEDS_VALUES = ("Cond", "TensorToScalar", "TensorToTuple")
"""Operators that give Python values of a tensor: no graph can have them before it runs."""


@pytest.mark.parametrize("case", [c for c in CASES if c.name not in (*GLUE, *NEEDS_VALUES)], ids=lambda c: c.key)
def test_both_modes_give_the_same(case: Case, capsys: pytest.CaptureFixture[str]) -> None:
    network, tensors = network_of(case)
    eager = flat(network(*tensors))
    network, tensors = network_of(case)
    compiled = compile_cell(network, {"tensors": tuple(tensors)})
    compiled.executor.observer = Checks()
    found = flat(compiled.run(tensors))
    assert len(eager) == len(found)
    for a, b in zip(eager, found, strict=True):
        assert type(a) is type(b)
        if not isinstance(a, Tensor):
            assert a == b
            continue
        assert (a.shape, a.dtype) == (b.shape, b.dtype)
        if case.name not in DRAWS:
            np.testing.assert_array_equal(a.asnumpy(), b.asnumpy())


@pytest.mark.parametrize("case", [c for c in CASES if c.name in NEEDS_VALUES], ids=lambda c: c.key)
def test_python_values_of_tensors_are_refused(case: Case) -> None:
    network, tensors = network_of(case)
    with pytest.raises(TraceError, match="depends on the values of its tensors"):
        compile_cell(network, {"tensors": tuple(tensors)})


class Checks:
    """Holds what each node gives against the type that was inferred for it."""

    def __init__(self) -> None:
        self.seen = 0

    def begin(self, graph: Graph) -> None:
        """A graph begins."""

    def __call__(self, func: Any, node: Any, inputs: Any, output: Any, begin: int, end: int) -> None:
        if node.op in ("Switch", "Partial", "UpdateState", "Print"):
            return
        self.hold(node.abstract, output, node.fullname)

    def hold(self, abstract: Any, value: Any, name: str) -> None:
        if isinstance(abstract, RefType):
            abstract = abstract.tensor
        if isinstance(abstract, SequenceType) and abstract.elements is not None:
            for element, item in zip(abstract.elements, value, strict=True):
                self.hold(element, item, name)
        elif isinstance(value, np.ndarray):
            self.seen += 1
            assert isinstance(abstract, TensorType), name
            found = dtypes.by_numpy(value.dtype)
            assert found is not None
            assert abstract.dtype == found.name, name
            assert abstract.shape is not None
            assert len(abstract.shape) == value.ndim, name
            assert all(a in (-1, b) for a, b in zip(abstract.shape, value.shape, strict=True)), name


@pytest.mark.parametrize("name", NETWORKS)
def test_networks_give_the_same_in_both_modes(name: str) -> None:
    inputs = NETWORKS[name].inputs()
    context.set_context(mode=context.PYNATIVE_MODE)
    eager = flat(NETWORKS[name].build()(*inputs))
    context.set_context(mode=context.GRAPH_MODE)
    network = NETWORKS[name].build()
    compiled = flat(network(*inputs))
    for a, b in zip(eager, compiled, strict=True):
        a, b = np.asarray(a), np.asarray(b)
        assert (a.shape, a.dtype) == (b.shape, b.dtype)
        np.testing.assert_array_equal(a, b)
    context.set_context(mode=context.PYNATIVE_MODE)
    if name != "refines":  # it counts in a parameter
        for a, b in zip(flat(network(*inputs)), compiled, strict=True):
            np.testing.assert_array_equal(a.asnumpy(), b.asnumpy())


@pytest.mark.parametrize("name", NETWORKS)
def test_types_of_networks_are_those_computed(name: str) -> None:
    network, inputs = NETWORKS[name].build(), NETWORKS[name].inputs()
    compiled = compile_cell(network, dict(inspect.signature(network.construct).bind(*inputs).arguments))
    compiled.executor.observer = checks = Checks()
    compiled.run(inputs)
    assert checks.seen > 5


def test_no_operator_is_left_out() -> None:
    called_here = {OPERATORS[c.name].name for c in CASES if c.kind in ("op", "grad")}
    assert {o.name for o in OPERATORS.values()} - called_here == GLUE
