"""Each dumped operator computed again from its dumped inputs: which kernel is wrong, with no second device."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, Literal, TypeAlias

import numpy as np

from msdump.diff.dumps.kernels import Kernels
from msdump.diff.dumps.launches import PARAMETER, Launched, in_order
from msdump.diff.dumps.operators import OperatorIndex, spot_of
from msdump.diff.dumps.result import Spot
from msdump.diff.tensor.metrics import TensorDiff, diff_tensors
from msdump.diff.tensor.tolerance import Tolerance
from msdump.errors import MsdumpError
from msdump.graph import NO_ATTRS, CNode, NodeRef, TensorType, ValueNode
from msdump.graph.value import TensorValue, TypeValue
from msdump.records import DumpRecord
from msdump.tensor_stats import real_values

Array: TypeAlias = "np.ndarray[Any, Any]"
Execute: TypeAlias = "Callable[[CNode, Mapping[int, Any]], tuple[Array, ...]]"
"""(node, arrays by operand) → outputs, in double precision where the operator has it."""

State = Literal["right", "wrong", "unchecked"]

_RANDOM = re.compile(
    r"Dropout(?:\dD|DoMask|GenMask(?:V3)?)?|StandardNormal|StandardLaplace|Uniform(?:Int|Real|Ext)?|Rand\w*|Random\w*"
    r"|Multinomial\w*|Bernoulli\w*|Gamma|Poisson|Normal\w*|TruncatedNormal|ParameterizedTruncatedNormal|LogNormal\w*"
    r"|Inplace(?:Uniform|Normal|Random|Bernoulli)\w*|Generator"
)
# What one rounding of each type allows, times a margin for sums taken in another order.
_RTOL: dict[str, float] = {"float64": 1e-10, "float32": 1e-4, "float16": 4e-3, "bfloat16": 3e-2}


@dataclass(frozen=True, slots=True)
class Verified:
    """One launch of an operator.

    Attributes:
        record: one of its records, for names and place; `occurrence` counts launches from 0.
        state: "right", "wrong", or "unchecked".
        why: why it is unchecked, or which output is wrong, in a phrase.
        outputs: slot → how the dumped output (a) compares with the computed one (b).
        spot: scope and source line.
    """

    record: DumpRecord
    occurrence: int
    state: State
    why: str = ""
    outputs: Mapping[int, TensorDiff] | None = None
    spot: Spot | None = None


def verify(
    records: Iterable[DumpRecord],
    places: OperatorIndex,
    execute: Execute,
    *,
    rtol: float | None = None,
    atol: float | None = None,
) -> Iterator[Verified]:
    """Every launch in execution order, checked or not.

    Args:
        records: of a dump.
        places: the graphs its operators are in.
        execute: computes one node.
        rtol: relative tolerance; None: what the dumped type's precision allows.
        atol: absolute tolerance; None: rtol times the root mean square of the computed output, and a
            hundredth of rtol times the largest input, so that what is left of cancelling terms is not
            held against a kernel.
    """
    runs: dict[_Run, list[Launched]] = {}
    placed = in_order(records)
    for launched in placed:
        runs.setdefault(_run(launched), []).append(launched)
    kernels: dict[tuple[int, int, str], Kernels] = {}
    for _, group in groupby(placed, key=lambda x: (*_run(x), x.record.op_type, x.record.op_name)):
        tensors = list(group)
        first = tensors[0].record
        if first.op_type in (PARAMETER, "TensorDump", ""):
            continue
        place = (first.rank, first.iteration, first.graph)
        if place not in kernels:
            kernels[place] = Kernels((x for x in placed if _run(x)[:3] == place), places, first.graph)
        known = kernels[place]
        node = known.node(first.op_type, first.op_name)
        try:
            state, why, found = _check(node, tensors, runs[_run(tensors[0])], places, known, execute, rtol, atol)
        except MsdumpError as error:
            state, why, found = "unchecked", error.what, None
        spot = spot_of(node) if node is not None else places.spot(first.scope_name, first.op_name, first.graph)
        yield Verified(first, tensors[0].occurrence, state, why, found, spot)


_Run: TypeAlias = "tuple[int, int, str, int]"


def _run(launched: Launched) -> _Run:
    r = launched.record
    return r.rank, r.iteration, r.graph, launched.occurrence


def _check(
    node: CNode | None,
    tensors: list[Launched],
    run: list[Launched],
    places: OperatorIndex,
    kernels: Kernels,
    execute: Execute,
    rtol: float | None,
    atol: float | None,
) -> tuple[State, str, dict[int, TensorDiff] | None]:
    dumped = {t.record.slot: t.record.tensor for t in tensors if t.record.io == "output"}
    wanted = {slot: tensor for slot, tensor in dumped.items() if tensor is not None}
    if not wanted:
        return "unchecked", "its output was not dumped", None
    if node is None:
        return "unchecked", "the graph does not hold it, or several that it may be", None
    if _RANDOM.fullmatch(node.op):
        return "unchecked", "it draws random numbers", None
    if any(t.record.tensor is not None and t.record.tensor.opaque for t in tensors):
        return "unchecked", "a tensor's type is unknown", None
    if any(getattr(t.record.tensor, "surplus", 0) for t in tensors):
        return "unchecked", "a file has more bytes than its header tells", None
    given = _inputs(node, {t.record.slot: t.record for t in tensors if t.record.io == "input"}, run, places, kernels)
    try:
        computed = execute(_with_dtype(node), given)
    except MsdumpError as error:
        return "unchecked", error.what, None
    found: dict[int, TensorDiff] = {}
    wrong: list[str] = []
    for slot, tensor in sorted(wanted.items()):
        if slot >= len(computed):
            continue
        ours = _typed(computed[slot], tensor.dtype.np)
        theirs = _shaped(tensor.numpy(), ours.shape)
        diff = diff_tensors(theirs, ours, _tolerance(tensor.dtype.numpy, ours, list(given.values()), rtol, atol))
        found[slot] = diff
        if not diff.same:
            wrong.append(f"output {slot}")
    if not found:
        return "unchecked", "it has other outputs than were dumped", None
    return ("wrong" if wrong else "right"), ", ".join(wrong), found


def _with_dtype(node: CNode) -> CNode:
    """A Cast with its type as an operand: kernel graphs of some releases leave it to the output's type."""
    if node.op != "Cast" or not isinstance(node.abstract, TensorType):
        return node
    return replace(node, inputs=(*node.inputs[:1], ValueNode(TypeValue(node.abstract.dtype))), primitive_attrs=NO_ATTRS)


def _shaped(array: Array, shape: tuple[int, ...]) -> Array:
    # Views (Reshape and its kin) are dumped with the shape of what they view.
    return array.reshape(shape) if array.size == math.prod(shape) else array


def _inputs(
    node: CNode, dumped: dict[int, DumpRecord], run: list[Launched], places: OperatorIndex, kernels: Kernels
) -> dict[int, Any]:
    """Arrays for the operands of a node: its dumped inputs, and where one was left out the dumped output
    of the operator that makes it."""
    variable = [i for i, o in enumerate(node.inputs) if not isinstance(o, ValueNode)]
    loaded = {}
    for slot, r in dumped.items():
        if r.tensor is not None:
            array = r.tensor.numpy()
            told = kernels.abstract(node, "input", slot)
            if told is not None and told.shape is not None and all(d >= 0 for d in told.shape):
                array = _shaped(array, told.shape)
            loaded[slot] = array
    if len(variable) == 1 and len(loaded) > 1 and not set(loaded) <= set(range(len(node.inputs))):
        return {variable[0]: tuple(loaded[slot] for slot in sorted(loaded))}
    found: dict[int, Any] = {}
    for index, operand in enumerate(node.inputs):
        if isinstance(operand, ValueNode):
            # A constant comes from the graph, but for tensors, which graphs print in part.
            if isinstance(operand.value, TensorValue) and index in loaded:
                found[index] = loaded[index]
        elif index in loaded:
            found[index] = loaded[index]
        elif isinstance(operand, NodeRef):
            made = _output_of(places.operand(node, operand), run, kernels)
            if made is not None:
                found[index] = made
    return found


def _output_of(maker: object, run: list[Launched], kernels: Kernels) -> Array | None:
    if not isinstance(maker, CNode):
        return None
    for launched in run:
        r = launched.record
        if r.io == "output" and r.slot == 0 and r.tensor is not None and kernels.node(r.op_type, r.op_name) is maker:
            told = kernels.abstract(maker, "output", 0)
            array = r.tensor.numpy()
            return _shaped(array, told.shape) if told is not None and told.shape is not None else array
    return None


def _typed(computed: Array, dtype: np.dtype[Any]) -> Array:
    """The computed output as the dumped type would hold it, where that type cannot hold a fraction."""
    if dtype.kind in "biu" and computed.dtype != dtype:
        return computed.astype(dtype)
    return computed


def _tolerance(dtype: str, ours: Array, terms: Sequence[Any], rtol: float | None, atol: float | None) -> Tolerance:
    relative = _RTOL.get(dtype, 0.0) if rtol is None else rtol
    if atol is None:
        atol = relative * _root_mean_square(_finite(ours))
        # What is left when terms cancel keeps the rounding of the terms, however small it is itself.
        largest = [float(f.max()) for t in terms if isinstance(t, np.ndarray) and (f := _finite(t)).size]
        atol += relative * 0.01 * max(largest, default=0.0)
    return Tolerance(relative, atol, equal_nan=True)


def _root_mean_square(magnitudes: Array) -> float:
    # Of parts of the largest, since squares of large numbers leave the floats.
    largest = float(magnitudes.max()) if magnitudes.size else 0.0
    if largest == 0:
        return 0.0
    parts = magnitudes / largest
    return largest * float(np.sqrt(np.mean(parts * parts)))


def _finite(array: Array) -> Array:
    """The finite magnitudes of floating-point values; nothing for other types."""
    if array.dtype.kind not in "fcV":
        return np.zeros(0)
    real: Array = np.abs(real_values(array))
    return real[np.isfinite(real)]
