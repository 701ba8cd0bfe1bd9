"""Calls of operators and layers that real MindSpore and msdump both run: the same numbers in both.

This module knows neither: it holds names, attributes and seeded inputs. `record_ops.py` runs the
calls with MindSpore and keeps the results in fixtures/ops; test_against_mindspore.py compares.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

FLOATS = ("float32", "float16", "bfloat16")


@dataclass(frozen=True)
class T:
    """A tensor argument: float64 or integer values, and the element type they get."""

    values: Any
    dtype: str = "float32"


@dataclass(frozen=True)
class Case:
    """One call.

    Attributes:
        kind: "op" (a primitive: ops.NAME(**attrs)(*args)), "fn" (ops.NAME(*args, **attrs)), "method"
            (args[0].NAME(*args[1:], **attrs)), "operator" (Python's), "nn" (nn.NAME(**attrs)(*args)), "net"
            (a network of nets.py), or "grad" (a primitive of the backward half).
        rtol, atol: how far apart Float32 results may be.
        train: call the layer in training.
    """

    kind: str
    name: str
    args: tuple[Any, ...]
    attrs: dict[str, Any] = field(default_factory=dict)
    label: str = ""
    rtol: float = 1e-5
    atol: float = 1e-6
    train: bool = False

    @property
    def key(self) -> str:
        """A name for it that stays the same."""
        return f"{self.kind}.{self.name}" + (f".{self.label}" if self.label else "")


def values(*shape: int, seed: str = "", low: float = -2.0, high: float = 2.0) -> Any:
    """Seeded values of a shape, exact in every floating type (multiples of 1/16)."""
    rng = np.random.RandomState(zlib.crc32(f"{seed}{shape}".encode()))
    return np.round(rng.uniform(low, high, shape) * 16) / 16


def whole(*shape: int, seed: str = "", low: int = -9, high: int = 10) -> Any:
    """Seeded integers of a shape."""
    return np.random.RandomState(zlib.crc32(f"{seed}{shape}".encode())).randint(low, high, shape)


def parameter_value(name: str, shape: tuple[int, ...]) -> Any:
    """What a layer's parameter of a name is set to in both runtimes."""
    found = values(*shape, seed=name, low=-0.5, high=0.5)
    return np.abs(found) + 0.5 if "variance" in name else found


A, B = values(2, 3, seed="a"), values(2, 3, seed="b")
P = values(2, 3, seed="p", low=0.125, high=3.0)
X4 = values(2, 4, 7, 6, seed="x")


def _elementwise() -> Iterator[Case]:
    for name in ("Add", "Sub", "Mul", "RealDiv", "Div", "Maximum", "Minimum", "SquaredDifference"):
        for dtype in FLOATS:
            yield Case("op", name, (T(A, dtype), T(B + 3, dtype)), label=dtype)
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


def _promotion() -> Iterator[Case]:
    kinds = ("bool_", "int8", "int16", "int32", "int64", "uint8", "float16", "bfloat16", "float32", "float64")
    for i, a in enumerate(kinds):
        for b in kinds[i + 1 :]:
            yield Case("op", "Add", (T([1, 0, 1], a), T([1, 1, 0], b)), label=f"{a}-{b}")
        if a != "bool_":
            yield Case("op", "Mul", (T([1, 2, 3], a), 2), label=f"{a}-int")
        if a != "bool_":
            yield Case("op", "Mul", (T([1, 2, 3], a), 1.5), label=f"{a}-float")
            yield Case("op", "Sub", (3, T([1, 2, 3], a)), label=f"int-{a}")


def _activations() -> Iterator[Case]:
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


def _reductions() -> Iterator[Case]:
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


def _products() -> Iterator[Case]:
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


def _convolutions() -> Iterator[Case]:
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


def _shapes() -> Iterator[Case]:
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
    yield Case("fn", "pad", (T(X4), (1, 2)), {"mode": "replicate"}, label="replicate")
    yield Case("fn", "roll", (T(A), 1, 1))
    yield Case("fn", "chunk", (T(values(5, 2)), 2))
    yield Case("fn", "split", (T(values(5, 2)), 2))
    yield Case("fn", "meshgrid", (T(values(2)), T(values(3))), {"indexing": "ij"})
    yield Case("fn", "repeat_interleave", (T(A), 2, 1))
    for dtype in ("float16", "int32", "bool_", "int8", "uint8", "int64", "float64", "bfloat16"):
        yield Case("op", "Cast", (T([0.0, 1.5, -2.75, 3.0]), dtype), label=dtype)


def _indices() -> Iterator[Case]:
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


def _losses() -> Iterator[Case]:
    logits, classes = values(4, 5), [0, 3, 2, 4]
    onehot = np.eye(5)[classes]
    yield Case("op", "SoftmaxCrossEntropyWithLogits", (T(logits), T(onehot)), atol=1e-5)
    yield Case("op", "SparseSoftmaxCrossEntropyWithLogits", (T(logits), T(classes, "int32")))
    prob = values(3, 4, low=0.125, high=0.875)
    target = (values(3, 4, seed="t") > 0).astype(float)
    for reduction in ("mean", "sum", "none"):
        pair = (T(A), T(B))
        for name in ("L1Loss", "MSELoss", "SmoothL1Loss", "HuberLoss"):
            yield Case("nn", name, pair, {"reduction": reduction}, label=reduction)
        yield Case(
            "nn",
            "SoftmaxCrossEntropyWithLogits",
            (T(logits), T(classes, "int32")),
            {"sparse": True, "reduction": reduction},
            label=reduction,
        )
        yield Case(
            "nn", "CrossEntropyLoss", (T(logits), T(classes, "int32")), {"reduction": reduction}, label=reduction
        )
        yield Case("nn", "BCELoss", (T(prob), T(target)), {"reduction": reduction}, label=reduction)
        yield Case("nn", "BCEWithLogitsLoss", (T(values(3, 4)), T(target)), {"reduction": reduction}, label=reduction)
    yield Case("nn", "CrossEntropyLoss", (T(logits), T(classes, "int32")), {"label_smoothing": 0.1}, label="smooth")
    yield Case("nn", "CrossEntropyLoss", (T(logits), T(classes, "int32")), {"ignore_index": 3}, label="ignore")
    yield Case("nn", "CrossEntropyLoss", (T(logits), T(onehot)), label="probabilities")
    yield Case("nn", "NLLLoss", (T(np.log(values(4, 5, low=0.1, high=1) + 0.1)), T(classes, "int32")))
    yield Case("nn", "KLDivLoss", (T(np.log(prob)), T(prob[::-1].copy())))
    yield Case("nn", "RMSELoss", (T(A), T(B)))
    yield Case("nn", "MAELoss", (T(A), T(B)))
    yield Case("nn", "CosineEmbeddingLoss", (T(A), T(B), T([1, -1], "int32")))


def _layers() -> Iterator[Case]:
    yield Case("nn", "Conv2d", (T(X4),), {"in_channels": 4, "out_channels": 3, "kernel_size": 3}, atol=1e-5)
    yield Case(
        "nn",
        "Conv2d",
        (T(X4),),
        {
            "in_channels": 4,
            "out_channels": 4,
            "kernel_size": 3,
            "pad_mode": "pad",
            "padding": 1,
            "stride": 2,
            "has_bias": True,
            "group": 2,
        },
        label="all",
        atol=1e-5,
    )
    yield Case(
        "nn",
        "Conv1d",
        (T(values(2, 4, 9)),),
        {"in_channels": 4, "out_channels": 3, "kernel_size": 3, "has_bias": True},
        atol=1e-5,
    )
    for mode, padding in (("same", 0), ("valid", 0), ("pad", 1)):
        yield Case(
            "nn",
            "Conv2dTranspose",
            (T(X4),),
            {
                "in_channels": 4,
                "out_channels": 3,
                "kernel_size": 3,
                "stride": 2,
                "pad_mode": mode,
                "padding": padding,
                "has_bias": True,
            },
            label=mode,
            atol=1e-5,
        )
    yield Case("nn", "Dense", (T(A),), {"in_channels": 3, "out_channels": 4})
    yield Case(
        "nn", "Dense", (T(values(2, 5, 3)),), {"in_channels": 3, "out_channels": 4, "activation": "relu"}, label="3d"
    )
    yield Case("nn", "BatchNorm2d", (T(X4),), {"num_features": 4}, atol=1e-5)
    yield Case("nn", "BatchNorm2d", (T(X4),), {"num_features": 4}, label="train", atol=1e-5, train=True)
    yield Case("nn", "BatchNorm1d", (T(A),), {"num_features": 3}, atol=1e-5)
    yield Case("nn", "LayerNorm", (T(values(2, 4, 3)),), {"normalized_shape": (3,)}, atol=1e-5)
    yield Case(
        "nn",
        "LayerNorm",
        (T(values(2, 4, 3)),),
        {"normalized_shape": (4, 3), "begin_norm_axis": 1, "begin_params_axis": 1},
        label="two",
        atol=1e-5,
    )
    yield Case("nn", "GroupNorm", (T(X4),), {"num_groups": 2, "num_channels": 4}, atol=1e-5)
    yield Case("nn", "AvgPool2d", (T(X4),), {"kernel_size": 3, "stride": 2})
    yield Case("nn", "AvgPool2d", (T(X4),), {"kernel_size": 3, "stride": 1, "pad_mode": "same"}, label="same")
    yield Case("nn", "Embedding", (T([[1, 0], [3, 2]], "int32"),), {"vocab_size": 5, "embedding_size": 3})
    yield Case(
        "nn",
        "Embedding",
        (T([[1, 0], [3, 2]], "int32"),),
        {"vocab_size": 5, "embedding_size": 3, "use_one_hot": True},
        label="onehot",
    )
    for name in ("ReLU", "GELU", "Sigmoid", "Tanh", "Softmax", "LogSoftmax", "LeakyReLU", "ELU", "HSwish", "SiLU"):
        yield Case("nn", name, (T(A),), rtol=1e-4)
    yield Case("nn", "PReLU", (T(X4),), {"channel": 4})
    x, h, c = values(5, 2, 3), values(4, 2, 4, seed="h"), values(4, 2, 4, seed="c")
    attrs = {"input_size": 3, "hidden_size": 4, "num_layers": 2, "bidirectional": True}
    yield Case("nn", "LSTM", (T(x), (T(h), T(c))), attrs, atol=1e-5)
    yield Case("nn", "LSTM", (T(x), (T(h), T(c)), T([3, 5], "int32")), attrs, label="lengths", atol=1e-5)
    yield Case("nn", "GRU", (T(x), T(h)), attrs, atol=1e-5)
    yield Case("nn", "RNN", (T(x), T(h)), attrs, atol=1e-5)
    yield Case(
        "nn",
        "LSTM",
        (T(values(2, 5, 3)), (T(h[:1]), T(c[:1]))),
        {"input_size": 3, "hidden_size": 4, "batch_first": True},
        label="first",
        atol=1e-5,
    )
    yield Case(
        "nn", "GRU", (T(x), T(h[:1])), {"input_size": 3, "hidden_size": 4, "has_bias": False}, label="nobias", atol=1e-5
    )
    yield Case("nn", "LSTMCell", (T(values(2, 3)), (T(h[0]), T(c[0]))), {"input_size": 3, "hidden_size": 4}, atol=1e-5)
    yield Case("nn", "GRUCell", (T(values(2, 3)), T(h[0])), {"input_size": 3, "hidden_size": 4}, atol=1e-5)
    yield Case("nn", "RNNCell", (T(values(2, 3)), T(h[0])), {"input_size": 3, "hidden_size": 4}, atol=1e-5)
    q, k = values(5, 2, 8), values(3, 2, 8, seed="k")
    yield Case("nn", "MultiheadAttention", (T(q), T(k), T(k + 1)), {"embed_dim": 8, "num_heads": 2}, atol=1e-5)
    yield Case(
        "nn",
        "MultiheadAttention",
        (T(q), T(q), T(q)),
        {"embed_dim": 8, "num_heads": 2, "batch_first": True},
        label="first",
        atol=1e-5,
    )
    yield Case("nn", "TransformerEncoderLayer", (T(q),), {"d_model": 8, "nhead": 2, "dim_feedforward": 16}, atol=1e-5)
    yield Case(
        "nn",
        "TransformerEncoderLayer",
        (T(q), T(np.triu(np.ones((5, 5)), 1) > 0, "bool_")),
        {"d_model": 8, "nhead": 2, "dim_feedforward": 16, "norm_first": True, "activation": "gelu"},
        label="masked",
        atol=1e-5,
    )
    yield Case(
        "nn", "TransformerDecoderLayer", (T(q), T(k)), {"d_model": 8, "nhead": 2, "dim_feedforward": 16}, atol=1e-5
    )


def _gradients() -> Iterator[Case]:
    pool = np.max(np.lib.stride_tricks.sliding_window_view(X4, (2, 2), axis=(2, 3))[:, :, ::2, ::2], axis=(4, 5))
    up = values(*pool.shape, seed="up")
    attrs = {"kernel_size": 2, "strides": 2, "pad_mode": "valid"}
    yield Case("grad", "MaxPoolGrad", (T(X4), T(pool), T(up)), attrs)
    for mode in ("valid", "same"):
        sizes = (5, 4) if mode == "valid" else (7, 6)
        given = (T(values(2, 3, *sizes, seed="up")), T(X4), (3, 4, 3, 3))
        conv = {"out_channel": 3, "kernel_size": (3, 3), "pad_mode": mode, "pad": 0, "stride": (1, 1)}
        yield Case("grad", "Conv2DBackpropFilter", given, conv, label=mode, atol=1e-4)
    mean, variance = A.mean(axis=1, keepdims=True), A.var(axis=1, keepdims=True)
    norm = (T(A), T(B), T(variance), T(mean), T(values(3, seed="g")))
    yield Case("grad", "LayerNormGrad", norm, {"begin_norm_axis": 1, "begin_params_axis": 1}, rtol=1e-4, atol=1e-4)
    axes = (0, 2, 3)
    batch = (
        T(values(2, 4, 7, 6, seed="up")),
        T(X4),
        T(values(4)),
        T(X4.mean(axis=axes)),
        T(X4.var(axis=axes)),
        T(X4.var(axis=axes)),
    )
    yield Case("grad", "BatchNormGrad", batch, {"is_training": True, "epsilon": 1e-5}, rtol=1e-4, atol=1e-4)
    yield Case("grad", "ReluGrad", (T(B), T(np.maximum(A, 0))))
    yield Case("grad", "SigmoidGrad", (T(values(2, 3, low=0, high=1)), T(B)))
    yield Case("grad", "TanhGrad", (T(values(2, 3, low=-1, high=1)), T(B)))
    yield Case("grad", "GeLUGrad", (T(B), T(A), T(A)), rtol=1e-4)
    yield Case("grad", "BiasAddGrad", (T(X4),))


def _networks() -> Iterator[Case]:
    ids = T(whole(2, 6, low=0, high=20), "int32")
    yield Case("net", "lenet", (T(values(2, 1, 32, 32)),), rtol=1e-4, atol=1e-4)
    yield Case("net", "residual", (T(values(2, 3, 8, 8)),), rtol=1e-4, atol=1e-4)
    yield Case("net", "residual", (T(values(2, 3, 8, 8)),), label="train", rtol=1e-3, atol=1e-3, train=True)
    yield Case("net", "transformer", (ids,), rtol=1e-4, atol=1e-5)
    yield Case("net", "recurrent", (ids,), rtol=1e-4, atol=1e-5)


GROUPS: dict[str, list[Case]] = {
    "elementwise": list(_elementwise()),
    "promotion": list(_promotion()),
    "activations": list(_activations()),
    "reductions": list(_reductions()),
    "products": list(_products()),
    "convolutions": list(_convolutions()),
    "shapes": list(_shapes()),
    "indices": list(_indices()),
    "losses": list(_losses()),
    "layers": list(_layers()),
    "gradients": list(_gradients()),
    "networks": list(_networks()),
}
