"""Calls of single operators."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tests.runtime.case import FLOATS, X4, A, B, Case, P, T, values, whole

# MindSpore 2.7's CPU has no kernels of these for BFloat16, nor of Roll.
NO_BFLOAT16: dict[str, Callable[..., Any]] = {
    "Sub": np.subtract,
    "Mul": np.multiply,
    "RealDiv": np.divide,
    "Div": np.divide,
    "Maximum": np.maximum,
    "Minimum": np.minimum,
    "SquaredDifference": lambda a, b: (a - b) ** 2,
}


def elementwise() -> Iterator[Case]:
    for name in ("Add", "Sub", "Mul", "RealDiv", "Div", "Maximum", "Minimum", "SquaredDifference"):
        for dtype in FLOATS:
            instead = NO_BFLOAT16[name](A, B + 3) if dtype == "bfloat16" and name in NO_BFLOAT16 else None
            yield Case("op", name, (T(A, dtype), T(B + 3, dtype)), label=dtype, instead=instead)
        yield Case("op", name, (T(A), T(values(3, seed="c") + 3)), label="broadcast")
        yield Case("op", name, (T(whole(2, 3), "int32"), T(whole(2, 3, seed="2", low=1), "int32")), label="int32")
    for name in ("FloorDiv", "FloorMod", "Mod", "Pow"):
        yield Case("op", name, (T(P), T(values(2, 3, seed="d", low=0.5, high=2))), label="float32")
        yield Case(
            "op", name, (T(whole(2, 3), "int32"), T(whole(2, 3, seed="2", low=1, high=4), "int32")), label="int32"
        )
    for name in ("Equal", "NotEqual", "Less", "LessEqual", "Greater", "GreaterEqual"):
        yield Case("op", name, (T(np.round(A)), T(np.round(B))))
        yield Case("op", name, (T(whole(5), "int64"), T(whole(5, seed="e"), "int64")), label="int64")
    for name in ("LogicalAnd", "LogicalOr"):
        yield Case("op", name, (T(A > 0, "bool_"), T(B > 0, "bool_")))
    yield Case("op", "LogicalNot", (T(A > 0, "bool_"),))
    for name in ("BitwiseAnd", "BitwiseOr", "BitwiseXor"):
        yield Case("op", name, (T(whole(6), "int32"), T(whole(6, seed="f"), "int32")))
    signed = (
        "Neg",
        "Abs",
        "Square",
        "Exp",
        "Sin",
        "Cos",
        "Tanh",
        "Erf",
        "Erfc",
        "Floor",
        "Ceil",
        "Sign",
        "Sinh",
        "Cosh",
        "Atan",
        "Asinh",
        "Expm1",
        "Rint",
        "Trunc",
    )
    for name in signed:
        yield Case("op", name, (T(A),))
    for name in ("Neg", "Exp", "Tanh", "Abs", "Square"):
        yield Case("op", name, (T(A, "float16"),), label="float16")
    for name in ("Log", "Sqrt", "Rsqrt", "Reciprocal", "Log1p"):
        yield Case("op", name, (T(P),))
    for name in ("Asin", "ACos", "Atanh", "Erfinv"):
        yield Case("op", name, (T(A / 2.25),), rtol=1e-4)
    yield Case("op", "Acosh", (T(P + 1),))
    yield Case("op", "Lgamma", (T(P),), rtol=1e-4)
    for name in ("IsNan", "IsInf", "IsFinite"):
        yield Case("op", name, (T([1.0, np.inf, -np.inf, np.nan]),))
    yield Case("op", "AddN", ((T(A), T(B), T(P)),))
    yield Case("op", "Atan2", (T(A), T(B)))
    yield Case("op", "Xlogy", (T(P), T(P + 1)))


def promotion() -> Iterator[Case]:
    kinds = ("bool_", "int8", "int16", "int32", "int64", "uint8", "float16", "bfloat16", "float32", "float64")
    for i, a in enumerate(kinds):
        for b in kinds[i + 1 :]:
            yield Case("op", "Add", (T([1, 0, 1], a), T([1, 1, 0], b)), label=f"{a}-{b}")
        if a != "bool_":
            no = a == "bfloat16"
            by_int, by_float, from_int = ([2, 4, 6], [1.5, 3, 4.5], [2, 1, 0]) if no else (None, None, None)
            yield Case("op", "Mul", (T([1, 2, 3], a), 2), label=f"{a}-int", instead=by_int)
            yield Case("op", "Mul", (T([1, 2, 3], a), 1.5), label=f"{a}-float", instead=by_float)
            yield Case("op", "Sub", (3, T([1, 2, 3], a)), label=f"int-{a}", instead=from_int)


def activations() -> Iterator[Case]:
    for name in (
        "ReLU",
        "ReLU6",
        "Sigmoid",
        "GeLU",
        "SiLU",
        "HSwish",
        "HSigmoid",
        "Softplus",
        "Softsign",
        "Mish",
        "SeLU",
        "FastGeLU",
    ):
        yield Case("op", name, (T(A * 2),), rtol=1e-4)
    for dtype in ("float16",):
        for name in ("ReLU", "Sigmoid", "GeLU", "Softmax", "LogSoftmax"):
            yield Case("op", name, (T(A, dtype),), label=dtype)
    yield Case("op", "Elu", (T(A),), {"alpha": 1.0})
    yield Case("op", "Softmax", (T(A),), {"axis": -1})
    yield Case("op", "Softmax", (T(A),), {"axis": 0}, label="axis0")
    yield Case("op", "LogSoftmax", (T(A),), {"axis": -1})
    yield Case("op", "HShrink", (T(A),), {"lambd": 0.5})
    yield Case("op", "SoftShrink", (T(A),), {"lambd": 0.5})
    yield Case("op", "PReLU", (T(X4), T(values(4, seed="w"))))
    yield Case("fn", "gelu", (T(A),), {"approximate": "none"}, rtol=1e-4)
    yield Case("fn", "leaky_relu", (T(A),), {"alpha": 0.2})
    yield Case("fn", "softplus", (T(A),))
    yield Case("fn", "celu", (T(A),))
    yield Case("fn", "glu", (T(values(2, 6)),))
    yield Case("fn", "hardtanh", (T(A),))
    yield Case("fn", "logsigmoid", (T(A),))


def reductions() -> Iterator[Case]:
    for name in ("ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd"):
        yield Case("op", name, (T(X4), 1), label="axis1")
        yield Case("op", name, (T(X4 / 2), (2, 3)), {"keep_dims": True}, label="keep", rtol=1e-4)
        yield Case("op", name, (T(A), ()), label="all")
    yield Case("op", "ReduceSum", (T(X4, "float16"), (2, 3)), label="float16")
    yield Case("op", "ReduceMean", (T(X4, "float16"), (2, 3)), label="float16")
    yield Case("op", "ReduceSum", (T(whole(3, 4), "int32"), 0), label="int32")
    yield Case("op", "ReduceAll", (T(A > -1, "bool_"), 1))
    yield Case("op", "ReduceAny", (T(A > 1, "bool_"), 1))
    yield Case("op", "Argmax", (T(A),), {"axis": -1})
    yield Case("op", "Argmin", (T(A),), {"axis": 0})
    yield Case("op", "ArgMaxWithValue", (T(A),), {"axis": 1})
    yield Case("op", "ArgMinWithValue", (T(A),), {"axis": 1, "keep_dims": True})
    yield Case("op", "TopK", (T(np.arange(7.0)[::-1] % 4 + np.arange(7) / 8), 3))
    yield Case("op", "Sort", (T(values(3, 5)),), {"axis": -1})
    yield Case("op", "Sort", (T(values(3, 5)),), {"axis": 0, "descending": True}, label="down")
    yield Case("op", "CumSum", (T(A), 1))
    yield Case("op", "CumSum", (T(A), 1), {"exclusive": True, "reverse": True}, label="exclusive")
    yield Case("op", "CumProd", (T(A), 1))
    yield Case("fn", "logsumexp", (T(A), 1))
    for name in ("sum", "mean", "max", "min", "std", "var", "argmax", "prod"):
        yield Case("method", name, (T(A),))
    yield Case("method", "sum", (T(whole(3, 4), "int32"),), label="int32")
    yield Case("method", "mean", (T(A), 1), label="axis")
    yield Case("method", "var", (T(A), 1), {"ddof": 1}, label="ddof")


def products() -> Iterator[Case]:
    m, n = values(3, 4, seed="m"), values(4, 5, seed="n")
    for dtype in ("float32", "float16"):
        yield Case("op", "MatMul", (T(m, dtype), T(n, dtype)), label=dtype)
    yield Case("op", "MatMul", (T(m.T), T(n.T)), {"transpose_a": True, "transpose_b": True}, label="transposed")
    yield Case("op", "MatMul", (T(whole(2, 3), "int32"), T(whole(3, 2), "int32")), label="int32")
    yield Case("op", "BatchMatMul", (T(values(2, 3, 4)), T(values(2, 4, 5))))
    yield Case("op", "BatchMatMul", (T(values(2, 3, 4)), T(values(2, 5, 4))), {"transpose_b": True}, label="transposed")
    yield Case("op", "BiasAdd", (T(m), T(values(4))))
    yield Case("op", "BiasAdd", (T(X4), T(values(4))), label="nchw")
    yield Case("fn", "matmul", (T(values(2, 3, 4)), T(values(4, 5))), label="broadcast")
    yield Case("fn", "matmul", (T(values(4)), T(values(4, 5))), label="vector")
    yield Case("fn", "addmm", (T(values(3, 5)), T(m), T(n)))
    yield Case(
        "op",
        "LayerNorm",
        (T(A), T(values(3)), T(values(3, seed="g"))),
        {"begin_norm_axis": 1, "begin_params_axis": 1, "epsilon": 1e-5},
        atol=1e-5,
    )
    yield Case("op", "L2Normalize", (T(A),), {"axis": 1})


def convolutions() -> Iterator[Case]:
    for mode, pad in (("same", 0), ("valid", 0), ("pad", 1), ("pad", (1, 2, 0, 3))):
        for stride in (1, 2):
            attrs = {"out_channel": 3, "kernel_size": (3, 2), "pad_mode": mode, "pad": pad, "stride": stride}
            label = f"{mode}{pad}-{stride}".replace(" ", "")
            yield Case("op", "Conv2D", (T(X4), T(values(3, 4, 3, 2))), attrs, label=label, atol=1e-5)
    yield Case(
        "op",
        "Conv2D",
        (T(X4), T(values(4, 1, 3, 3))),
        {"out_channel": 4, "kernel_size": 3, "group": 4},
        label="depthwise",
        atol=1e-5,
    )
    yield Case(
        "op",
        "Conv2D",
        (T(X4), T(values(6, 2, 3, 3))),
        {"out_channel": 6, "kernel_size": 3, "group": 2},
        label="groups",
        atol=1e-5,
    )
    yield Case(
        "op",
        "Conv2D",
        (T(X4), T(values(2, 4, 3, 3))),
        {"out_channel": 2, "kernel_size": 3, "dilation": 2},
        label="dilated",
        atol=1e-5,
    )
    for mode in ("valid", "same"):
        for name in ("MaxPool", "AvgPool"):
            yield Case("op", name, (T(X4),), {"kernel_size": 3, "strides": 2, "pad_mode": mode}, label=mode)
    yield Case("nn", "MaxPool2d", (T(X4),), {"kernel_size": 3, "stride": 2, "pad_mode": "pad", "padding": 1})
    yield Case(
        "nn",
        "MaxPool2d",
        (T(X4),),
        {"kernel_size": 3, "stride": 2, "pad_mode": "pad", "padding": 1, "ceil_mode": True},
        label="ceil",
    )
    yield Case("fn", "adaptive_avg_pool2d", (T(X4), (3, 4)))


def shapes() -> Iterator[Case]:
    yield Case("op", "Reshape", (T(A), (3, -1)))
    yield Case("op", "Transpose", (T(X4), (0, 2, 3, 1)))
    yield Case("op", "ExpandDims", (T(A), 1))
    yield Case("op", "Squeeze", (T(values(1, 3, 1)),))
    yield Case("op", "Squeeze", (T(values(1, 3, 1)),), {"axis": 0}, label="axis")
    yield Case("op", "Concat", ((T(A), T(B)),), {"axis": 1})
    yield Case("op", "Stack", ((T(A), T(B)),), {"axis": 1})
    yield Case("op", "Unstack", (T(A),), {"axis": 1})
    yield Case("op", "Split", (T(values(4, 6)),), {"axis": 1, "output_num": 3})
    yield Case("op", "Tile", (T(A), (2, 1, 2)))
    yield Case("op", "BroadcastTo", (T(values(3)),), {"shape": (2, 3)})
    yield Case("op", "BroadcastTo", (T(values(2, 1)),), {"shape": (-1, 3)}, label="minus")
    yield Case("op", "ReverseV2", (T(A),), {"axis": [1]})
    yield Case("op", "ReverseSequence", (T(values(4, 3)), T([1, 2, 4], "int32")), {"seq_dim": 0, "batch_dim": 1})
    yield Case("op", "Pad", (T(A),), {"paddings": ((1, 2), (0, 1))})
    yield Case("op", "MirrorPad", (T(A), T([[1, 1], [2, 0]], "int32")), {"mode": "REFLECT"})
    yield Case("op", "ZerosLike", (T(A),))
    yield Case("op", "OnesLike", (T(A, "float16"),))
    yield Case("op", "Eye", (3, 4, "float32"))
    yield Case("op", "Range", (1, 9, 3))
    yield Case("fn", "linspace", (0.0, 1.0, 5))
    yield Case("fn", "arange", (2, 9, 3))
    yield Case("fn", "triu", (T(values(3, 4)),), {"diagonal": 1})
    yield Case("fn", "tril", (T(values(3, 4)),))
    yield Case("fn", "flatten", (T(X4),), {"start_dim": 2})
    yield Case("fn", "pad", (T(X4), (1, 2, 0, 1)), {"mode": "constant", "value": 0.5})
    yield Case("fn", "pad", (T(X4), (1, 2, 0, 1)), {"mode": "replicate"}, label="replicate")
    yield Case("fn", "roll", (T(A), 1, 1), instead=np.roll(A, 1, 1))
    yield Case("fn", "chunk", (T(values(5, 2)), 2))
    yield Case("fn", "split", (T(values(5, 2)), 2))
    yield Case("fn", "meshgrid", (T(values(2)), T(values(3))), {"indexing": "ij"})
    yield Case("fn", "repeat_interleave", (T(A), 2, 1))
    for dtype in ("float16", "int32", "bool_", "int8", "uint8", "int64", "float64", "bfloat16"):
        yield Case("op", "Cast", (T([0.0, 1.5, -2.75, 3.0]), dtype), label=dtype)


def indices() -> Iterator[Case]:
    yield Case("op", "StridedSlice", (T(X4), (0, 1, 2, 0), (2, 3, 7, 6), (1, 1, 2, 3)))
    yield Case(
        "op", "StridedSlice", (T(X4), (0, 3), (1, 4), (1, 1)), {"begin_mask": 1, "shrink_axis_mask": 2}, label="mask"
    )
    yield Case("op", "Slice", (T(X4), (0, 1, 2, 0), (2, 2, 3, 4)))
    yield Case("op", "Gather", (T(values(5, 3)), T([[0, 2], [4, 1]], "int32"), 0))
    yield Case("op", "Gather", (T(values(5, 3)), T([2, 0], "int32"), 1), label="axis1")
    yield Case("op", "GatherD", (T(A), 1, T([[0, 2], [1, 1]], "int32")))
    yield Case("op", "GatherNd", (T(A), T([[0, 1], [1, 2]], "int32")))
    yield Case("op", "ScatterNd", (T([[0], [2], [0]], "int32"), T(values(3, 2)), (4, 2)))
    yield Case("op", "TensorScatterUpdate", (T(A), T([[0, 1], [1, 2]], "int32"), T(values(2))))
    yield Case("op", "Select", (T(A > 0, "bool_"), T(A), T(B)))
    yield Case("op", "MaskedFill", (T(A), T(A > 0, "bool_"), T(9.0)))
    yield Case("op", "MaskedSelect", (T(A), T(A > 0, "bool_")))
    yield Case("op", "OneHot", (T([1, 0, 3], "int32"), 4, T(1.0), T(0.0)))
    yield Case("op", "OneHot", (T([1, 0, 3], "int32"), 4, T(2.0), T(-1.0)), {"axis": 0}, label="axis0")
    yield Case("op", "UnsortedSegmentSum", (T(values(4, 2)), T([0, 2, 0, 1], "int32"), 3))
    yield Case("fn", "where", (T(A > 0, "bool_"), T(A), T(B)))
    yield Case("fn", "nonzero", (T(whole(3, 4, low=0, high=2), "int32"),))
    yield Case("fn", "clamp", (T(A), -0.5, 1.0))
    for label, index in (
        ("int", 1),
        ("negative", -1),
        ("slice", slice(1, 3)),
        ("step", (slice(None), slice(None, None, 2))),
        ("ellipsis", (Ellipsis, 0)),
        ("new", (None, slice(None), 1)),
        ("mixed", (0, slice(1, None), 2)),
    ):
        yield Case("operator", "getitem", (T(X4), index), label=label)
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow"):
        yield Case("operator", name, (T(P), 2), label="int")
        yield Case("operator", name, (3, T(P)), label="reflected")
        yield Case("operator", name, (T(whole(4, low=1), "int32"), 2), label="int32")
