"""Types inferred without computing are the types computed: over every recorded call, and at random."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given as over
from hypothesis import settings
from hypothesis import strategies as st

from msdump.runtime.ops import registry
from msdump.runtime.ops.registry import TensorSpec, infer, spec_of
from msdump.runtime.primitive import primitive_class
from msdump.runtime.tensor import plain
from tests.runtime.case import Case
from tests.runtime.cases import GROUPS
from tests.runtime.test_against_mindspore import given

# Shapes that only the values tell.
BY_VALUE = {"Range", "MaskedSelect", "MirrorPad"}
CALLS = [c for group in GROUPS.values() for c in group if c.kind == "op" and c.name not in BY_VALUE]


def specs(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return TensorSpec(value.shape, value.dtype)
    if isinstance(value, tuple | list):
        return type(value)(specs(v) for v in value)
    return value


@pytest.mark.parametrize("case", CALLS, ids=lambda c: c.key)
def test_inferred_types_are_the_computed_ones(case: Case) -> None:
    primitive = primitive_class(case.name)(**case.attrs)
    args = [plain(given(a)) for a in case.args]
    computed = primitive.operator.kernel(*args, **primitive.attrs)
    assert infer(primitive.operator, [specs(a) for a in args], primitive.attrs) == spec_of(computed)


DTYPES = [np.dtype(t) for t in (np.float16, np.float32, np.float64, np.int32, np.int64, np.int8)]
SHAPES = st.lists(st.integers(1, 4), max_size=3).map(tuple)


@over(st.data(), st.sampled_from(["Add", "Sub", "Mul", "Maximum", "Less", "Equal", "Div"]))
@settings(deadline=None, max_examples=60)
def test_binary_operators_infer_shape_and_type(data: st.DataObject, name: str) -> None:
    shape = data.draw(SHAPES)
    other = tuple(data.draw(st.sampled_from([n, 1])) for n in shape)
    x, y = (np.ones(s, data.draw(st.sampled_from(DTYPES))) for s in (shape, other))
    found = registry.OPERATORS[name]
    assert infer(found, [specs(x), specs(y)], {}) == spec_of(found.kernel(x, y))
