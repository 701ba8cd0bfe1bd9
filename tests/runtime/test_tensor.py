"""Tensor and Parameter: types, text, conversions, indexing, and what they refuse."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import msdump
from msdump import Parameter, ParameterTuple, Tensor, ops


@pytest.mark.parametrize(
    ("data", "dtype"),
    [
        (3, "Int64"),
        (2.5, "Float32"),
        (True, "Bool"),
        (1 + 2j, "Complex128"),
        ([1, 2], "Int64"),
        ([1.5, 2], "Float32"),
        (np.ones(2), "Float64"),
        (np.ones(2, np.int8), "Int8"),
        (np.float16(1), "Float16"),
        (np.ones(2, ml_dtypes.bfloat16), "BFloat16"),
    ],
)
def test_data_gets_mindspores_type(data: Any, dtype: str) -> None:
    assert Tensor(data).dtype.name == dtype


def test_dtype_may_be_a_constant_a_name_or_a_numpy_type() -> None:
    for dtype in (msdump.float16, "float16", "Float16", np.float16, np.dtype(np.float16)):
        assert Tensor([1, 2], dtype).dtype is msdump.float16
    assert str(msdump.float32) == "Float32"
    with pytest.raises(TypeError, match="'nonsense' is not an element type"):
        Tensor([1], "nonsense")


def test_data_is_copied() -> None:
    array = np.zeros(2, np.float32)
    tensor = Tensor(array)
    array[0] = 9
    assert tensor.asnumpy().tolist() == [0, 0]


@pytest.mark.parametrize("data", ["text", object(), {"a": 1}, b"bytes"])
def test_data_that_is_no_tensor_is_a_type_error(data: Any) -> None:
    with pytest.raises(TypeError, match="For Tensor, the 'input_data' must be one of"):
        Tensor(data)


def test_the_text_is_mindspores() -> None:
    assert repr(Tensor([1.0, 2.5])) == "Tensor(shape=[2], dtype=Float32, value= [ 1.00000000e+00,  2.50000000e+00])"
    assert repr(Tensor(3)) == "Tensor(shape=[], dtype=Int64, value= 3)"
    assert str(Tensor([1.0, 2.5])) == "[1.  2.5]"
    assert repr(Parameter(Tensor([1.0, 2]), name="w")) == (
        "Parameter (name=w, shape=(2,), dtype=Float32, requires_grad=True)"
    )


def test_sizes() -> None:
    t = Tensor(np.zeros((2, 3), np.float16))
    assert (t.shape, t.ndim, t.size, t.itemsize, t.nbytes, t.strides, len(t)) == ((2, 3), 2, 6, 2, 12, (6, 2), 2)


def test_numbers_come_out_of_single_elements_alone() -> None:
    assert (float(Tensor(2.5)), int(Tensor([7])), bool(Tensor([True])), Tensor(3).item()) == (2.5, 7, True, 3)
    with pytest.raises(ValueError, match="The tensor should have only one element, but got 2"):
        bool(Tensor([1, 2]))


def test_writing_into_a_tensor_leaves_its_views_alone() -> None:
    t = Tensor([1.0, 2.0])
    view = t.reshape((2, 1))
    t[0] = 9.0
    assert t.tolist() == [9, 2]
    assert view.tolist() == [[1], [2]]
    out = view.asnumpy()
    out[0] = 5
    assert t.tolist() == [9, 2]


@pytest.mark.parametrize(
    ("index", "message"),
    [(2, "index 2 is out of bounds for dimension 0 with size 2"), ((0, 0, 0), "too many indices for a tensor of 2")],
)
def test_an_index_that_does_not_fit_is_an_index_error(index: Any, message: str) -> None:
    with pytest.raises(IndexError, match=message):
        Tensor(np.zeros((2, 3)))[index]


INDEXES = hnp.basic_indices((3, 4, 2), allow_newaxis=True, allow_ellipsis=True)


@given(INDEXES)
@settings(deadline=None)
def test_basic_indexing_is_numpys(index: Any) -> None:
    array = np.arange(24.0, dtype=np.float32).reshape(3, 4, 2)
    np.testing.assert_array_equal(Tensor(array)[index].asnumpy(), array[index])


@given(hnp.arrays(np.int64, st.integers(1, 5), elements=st.integers(-3, 2)))
@settings(deadline=None)
def test_indexing_with_a_tensor_is_numpys(index: np.ndarray[Any, Any]) -> None:
    array = np.arange(12.0, dtype=np.float32).reshape(3, 4)
    np.testing.assert_array_equal(Tensor(array)[Tensor(index)].asnumpy(), array[index])


def test_indexing_with_a_mask_and_mixtures_is_numpys() -> None:
    array = np.arange(12.0, dtype=np.float32).reshape(3, 4)
    t = Tensor(array)
    np.testing.assert_array_equal(t[t > 4].asnumpy(), array[array > 4])
    np.testing.assert_array_equal(t[Tensor([0, 2]), 1:3].asnumpy(), array[[0, 2], 1:3])
    np.testing.assert_array_equal(t[[0, 2]].asnumpy(), array[[0, 2]])


ARRAYS = hnp.arrays(
    st.sampled_from([np.dtype(t) for t in (np.float32, np.float64, np.int32, np.int64)]),
    hnp.array_shapes(max_dims=3, max_side=4),
    elements=st.integers(-8, 8),
)


@given(ARRAYS, st.sampled_from(["add", "sub", "mul", "maximum", "less", "equal"]))
@settings(deadline=None)
def test_elementwise_operators_are_numpys(array: np.ndarray[Any, Any], name: str) -> None:
    numpy_name = {"sub": "subtract", "mul": "multiply"}.get(name, name)
    want = getattr(np, numpy_name)(array, array[::-1])
    found = getattr(ops, name)(Tensor(array), Tensor(array[::-1]))
    np.testing.assert_array_equal(found.asnumpy(), want)
    assert found.asnumpy().dtype == want.dtype


@given(ARRAYS, st.data())
@settings(deadline=None)
def test_reductions_are_numpys(array: np.ndarray[Any, Any], data: st.DataObject) -> None:
    axis = data.draw(st.integers(-array.ndim, array.ndim - 1))
    keep = data.draw(st.booleans())
    for ours, theirs in (("ReduceSum", np.sum), ("ReduceMax", np.max), ("ReduceMin", np.min)):
        found = getattr(ops, ours)(keep_dims=keep)(Tensor(array), axis)
        np.testing.assert_array_equal(found.asnumpy(), theirs(array, axis=axis, keepdims=keep))


@given(st.integers(1, 4), st.integers(1, 4), st.integers(1, 4), st.booleans(), st.booleans())
@settings(deadline=None)
def test_matrix_products_are_numpys(m: int, k: int, n: int, ta: bool, tb: bool) -> None:
    a, b = np.arange(m * k, dtype=np.float32).reshape(m, k), np.arange(k * n, dtype=np.float32).reshape(k, n)
    found = ops.MatMul(ta, tb)(Tensor(a.T if ta else a), Tensor(b.T if tb else b))
    np.testing.assert_array_equal(found.asnumpy(), a @ b)


@given(st.integers(1, 2), st.integers(1, 3), st.integers(3, 6), st.integers(1, 3), st.integers(1, 2), st.integers(0, 2))
@settings(deadline=None, max_examples=40)
def test_convolution_is_the_sum_it_is_defined_by(n: int, c: int, size: int, k: int, stride: int, pad: int) -> None:
    rng = np.random.default_rng(n * size)
    x, w = rng.integers(-3, 4, (n, c, size, size)), rng.integers(-3, 4, (2, c, k, k))
    conv = ops.Conv2D(2, k, pad_mode="pad", pad=pad, stride=stride)
    found = conv(Tensor(x, msdump.float32), Tensor(w, msdump.float32)).asnumpy()
    wide = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    windows = np.lib.stride_tricks.sliding_window_view(wide, (k, k), axis=(2, 3))[:, :, ::stride, ::stride]
    np.testing.assert_array_equal(found, np.einsum("nchwij,ocij->nohw", windows, w))


HALVES = st.sampled_from([np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16)])


@given(HALVES, hnp.arrays(np.float32, 8, elements=st.floats(-4, 4, width=16)))
@settings(deadline=None)
def test_half_types_are_computed_wide_and_rounded_once(dtype: Any, values: np.ndarray[Any, Any]) -> None:
    x = values.astype(dtype)
    wide = x.astype(np.float32)
    for function, want in (
        (ops.sigmoid, 1 / (1 + np.exp(-wide))),
        (ops.tanh, np.tanh(wide)),
        (lambda t: ops.ReduceSum()(t, 0), wide.sum()),
        (lambda t: t @ t, wide @ wide),
    ):
        found = function(Tensor(x)).asnumpy()
        assert found.dtype == dtype
        np.testing.assert_array_equal(found.astype(np.float32), np.asarray(want).astype(dtype).astype(np.float32))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: Tensor([1.0, 2]) + Tensor([1.0, 2, 3]), ValueError, "For 'Add', .*could not be broadcast"),
        (lambda: Tensor([1], "uint16") + Tensor([1], "int8"), TypeError, "Int8 and UInt16 is not supported"),
        (lambda: ops.add(Tensor([1.0]), "x"), TypeError, "unsupported operand type: str"),
        (
            lambda: ops.MatMul()(Tensor(np.ones((2, 3))), Tensor(np.ones((4, 2)))),
            ValueError,
            "For 'MatMul' the input dimensions must be equal, but got 'x1_col': 3 and 'x2_row': 4.",
        ),
        (
            lambda: ops.MatMul()(Tensor(np.ones((2, 3), np.float32)), Tensor(np.ones((3, 2), np.float16))),
            TypeError,
            r"'x1' with type Tensor\[Float32\] and 'x2' with type Tensor\[Float16\]",
        ),
        (lambda: ops.reshape(Tensor([1, 2, 3]), (2, 2)), ValueError, r"For 'Reshape', the size of the input \(3,\)"),
        (lambda: ops.Softmax(axis=1, nonsense=2), TypeError, "Softmax has no attribute nonsense; it takes axis"),
        (lambda: ops.NoSuchOperator, AttributeError, "has no attribute 'NoSuchOperator'"),
    ],
)
def test_what_does_not_fit_is_said(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


def test_primitives_show_what_they_are() -> None:
    assert repr(ops.MatMul(transpose_b=True)) == "Prim[MatMul]<transpose_b=True>"
    assert repr(ops.Add()) == "Prim[Add]"
    assert ops.TensorAdd()(Tensor([1.0]), Tensor([2.0])).tolist() == [3]


def test_parameters_are_written_in_place_and_views_keep_their_values() -> None:
    weight = Parameter(Tensor([1.0, 2.0]), name="w")
    before = weight.reshape((2, 1))
    ops.assign(weight, Tensor([5.0, 6.0]))
    ops.assign_add(weight, Tensor([1.0, 1.0]))
    assert weight.tolist() == [6, 7]
    assert before.tolist() == [[1], [2]]
    with pytest.raises(ValueError, match="Can not change the shape of Parameter"):
        weight.set_data(Tensor([1.0]))


def test_parameters_are_copied_and_pickled_with_their_names() -> None:
    weight = Parameter(Tensor([1.0]), name="w", requires_grad=False)
    for other in (copy.deepcopy(weight), pickle.loads(pickle.dumps(weight)), weight.clone()):
        assert (other.name, other.requires_grad, other.tolist()) == ("w", False, [1])
        assert other is not weight
    with pytest.raises(ValueError, match="its name 'w' already exists"):
        ParameterTuple([weight, weight.clone()])


def test_a_tensor_with_init_is_filled_when_asked() -> None:
    t = Tensor(shape=(2, 2), dtype=msdump.float32, init="ones")
    assert t.has_init
    assert t.init_data().tolist() == [[1, 1], [1, 1]]
    assert not t.has_init


@pytest.mark.parametrize("made", [lambda: Tensor([1.0, 2.0]), lambda: Parameter([1.0, 2.0], "w")])
def test_what_comes_out_of_a_pickle_computes_in_a_process_that_imported_nothing(made: Callable[[], Tensor]) -> None:
    code = "import pickle, sys; print((pickle.load(sys.stdin.buffer) + 1).sum())"
    done = subprocess.run([sys.executable, "-c", code], input=pickle.dumps(made()), capture_output=True, check=True)
    assert done.stdout == b"5.0\n"
