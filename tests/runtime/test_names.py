"""Names of `ops` held against MindSpore 1.1.1's and 2.7.0's own; record_names.py recorded them."""

from __future__ import annotations

import inspect
import json
from typing import Any

import numpy as np
import pytest

import msdump
from msdump import Tensor, ops
from msdump.ops import composite as C
from msdump.ops import functional as F
from msdump.ops import operations as P
from msdump.runtime.ops.registry import OPERATORS
from msdump.runtime.primitive import Primitive
from tests.conftest import FIXTURES

RELEASES = ("1.1", "2.7")
RECORDED = {r: json.loads((FIXTURES / "ops" / f"names_{r}.json").read_text()) for r in RELEASES}
PARTS = {"ops": ops, "functional": F, "composite": C, "operations": P}
LEAST = {
    "1.1": {"ops": 273, "functional": 82, "composite": 4, "operations": 188},
    "2.7": {"ops": 470, "functional": 240, "composite": 6, "operations": 200},
}
# Functions of 1.1 that only make the primitive of a newer name: `ops.TensorAdd()` gives one either way.
MAKERS = {"FastGelu", "GatherV2", "Gelu", "Pack", "TensorAdd", "Unpack"}
# An operator that goes by another name in the graphs of one release.
RENAMED = {"ScalarFloordiv": "scalar_floordiv", "string_equal": "string_eq"}


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("part", PARTS)
def test_a_name_is_a_class_or_callable_as_in_mindspore_or_is_missing_by_name(release: str, part: str) -> None:
    found = 0
    for name, kind in RECORDED[release][part].items():
        kind, _, operator = kind.partition(" ")
        value = getattr(PARTS[part], name, None)
        if value is None:
            with pytest.raises(AttributeError) as raised:
                getattr(PARTS[part], name)
            assert str(raised.value) == f"module {PARTS[part].__name__!r} has no attribute {name!r}"
            assert RENAMED.get(operator, operator) not in OPERATORS, f"{name}: msdump has {operator}"
            continue
        found += 1
        if name in MAKERS:
            assert issubclass(value, Primitive)
            continue
        assert inspect.isclass(value) == (kind == "class"), name
        assert callable(value), name
        if operator and isinstance(value, Primitive):
            assert value.operator is OPERATORS[RENAMED.get(operator, operator)], name
    # How many were held against it: what MindSpore has and msdump has as well.
    assert found >= LEAST[release][part]


def test_what_ops_lists_can_be_had_and_a_lower_case_operator_is_no_class() -> None:
    for name in dir(ops):
        assert hasattr(ops, name)
    lower = [name for name in OPERATORS if name[0].islower()]
    assert lower
    assert [name for name in lower if inspect.isclass(getattr(ops, name, None))] == []
    assert {"tensor_add", "square", "print_"} <= set(dir(F))
    assert not {"TensorAdd", "Square"} & set(dir(F))
    assert {"TensorAdd", "Square", "Print"} <= set(dir(P))


X = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)
Y = np.array([[2.0, 0.5], [3.0, -4.0]], np.float32)
CALLS: list[tuple[str, tuple[Any, ...], Any]] = [
    ("tensor_add", (X, Y), X + Y),
    ("tensor_sub", (X, Y), X - Y),
    ("tensor_mul", (X, Y), X * Y),
    ("tensor_div", (X, Y), X / Y),
    ("tensor_pow", (X, 2), X**2),
    ("tensor_floordiv", (X, Y), X // Y),
    ("tensor_mod", (X, Y), np.mod(X, Y)),
    ("tensor_lt", (X, Y), X < Y),
    ("tensor_le", (X, Y), X <= Y),
    ("tensor_gt", (X, Y), X > Y),
    ("tensor_ge", (X, Y), X >= Y),
    ("neg_tensor", (X,), -X),
    ("square", (X,), X * X),
    ("sqrt", (X,), np.sqrt(X)),
    ("equal", (X, Y), X == Y),
    ("pack", ((X, Y),), np.stack([X, Y])),
    ("strided_slice", (X, (0, 1), (2, 2), (1, 1)), X[0:2, 1:2]),
    ("reduce_sum", (X, 0), X.sum(0)),
    ("tensor_exp", (X,), np.exp(X)),
    ("scalar_to_array", (3.0,), np.float32(3.0)),
    ("expand_dims", (X, 0), X[None]),
    ("addn", ((X, Y, Y),), X + Y + Y),
    ("reshape", (X, (4,)), X.reshape(4)),
]


@pytest.mark.parametrize(("name", "args", "want"), CALLS, ids=[c[0] for c in CALLS])
def test_a_functional_name_computes(name: str, args: tuple[Any, ...], want: Any) -> None:
    def given(value: Any) -> Any:
        return tuple(given(v) for v in value) if isinstance(value, tuple) else value

    def tensors(value: Any) -> Any:
        if isinstance(value, np.ndarray):
            return Tensor(value)
        return tuple(map(tensors, value)) if isinstance(value, tuple) else value

    got = getattr(F, name)(*map(tensors, args))
    assert getattr(ops, name) is getattr(F, name)
    assert got.asnumpy().dtype == np.asarray(want).dtype
    np.testing.assert_allclose(got.asnumpy(), want, rtol=1e-6)


def test_scalars_and_tuples_have_functions_too() -> None:
    assert F.scalar_add(2, 3) == 5
    assert F.make_tuple(1, 2) == (1, 2)
    assert F.tuple_getitem((4, 5), 1) == 5
    assert F.dtype(Tensor(X)) == msdump.float32
    assert F.fill(msdump.int32, (2,), 7).asnumpy().tolist() == [7, 7]


def test_print_is_a_function_as_well(capfd: pytest.CaptureFixture[str]) -> None:
    F.print_("loss", Tensor(np.float32(1.5)))
    assert capfd.readouterr().out == "loss\nTensor(shape=[], dtype=Float32, value= 1.5)\n"


def test_an_unknown_functional_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match=r"module 'msdump\.ops\.functional' has no attribute 'tensor_everything'"):
        F.tensor_everything  # noqa: B018 - asking is the test
