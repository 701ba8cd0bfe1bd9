"""One call at least of every operator that cases.py, compared with MindSpore, does not call."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.runtime.case import X4, A, B, Case, P, T, values, whole

DRAWS = frozenset(
    ("Dropout", "DropoutGenMask", "Randn", "RandpermV2", "StandardNormal", "UniformInt", "UniformReal", "Randperm")
)
"""Operators whose values two calls do not share."""

GLUE = frozenset(("ControlDepend", "RefToEmbed", "UpdateState"))
"""What stands in graphs alone: no value a network could return."""

WRITES: dict[str, tuple[int, ...]] = {
    "Adam": (0, 1, 2),
    "ApplyMomentum": (0, 1),
    "Assign": (0,),
    "AssignAdd": (0,),
    "AssignSub": (0,),
    "SGD": (0, 3, 5),
}
"""Operators that write, and which of their operands are Parameters that they change."""

_F = T(A)
_MASK = (T(A > 0, "bool_"), T(B > 0, "bool_"))
_ROWS = (T(values(4)), T(values(4, seed="2")), T(values(4, seed="3")), T(values(4, low=0.5)))
_WEIGHTS = (T(values(3, low=-0.5, high=0.5)), T(values(3, seed="b2")))
_LSTM = (T(values(5, 2, 3)), T(values(1, 2, 4)), T(values(1, 2, 4, seed="c")), T(values(16 * 3 + 16 * 4 + 32, 1, 1)))

_TABLE: dict[str, list[tuple[tuple[Any, ...], dict[str, Any]]]] = {
    "AdaptiveAvgPool1D": [((T(values(2, 3, 8)),), {"output_size": 4})],
    "AdaptiveAvgPool2D": [((T(X4),), {"output_size": (3, 4)})],
    "AdaptiveMaxPool2D": [((T(X4),), {"output_size": (3, 4)})],
    "AddExt": [((_F, T(B), 2), {})],
    "Addmm": [((T(values(3, 5)), T(values(3, 4)), T(values(4, 5)), 0.5, 2), {})],
    "Arange": [((0, 7, 2), {})],
    "Assert": [((T(True, "bool_"), _F), {})],
    "AvgPool2D": [((T(X4),), {"kernel_size": 2})],
    "AvgPoolGrad": [
        ((T(X4), T(values(2, 4, 3, 3)), T(values(2, 4, 3, 3))), {"kernel_size": 2, "strides": 2}),
    ],
    "BCEWithLogitsLoss": [((_F, T((B > 0) * 1.0)), {})],
    "BatchNorm": [((T(X4), *_ROWS), {}), ((T(X4), *_ROWS), {"is_training": True})],
    "BatchNormExt": [((T(X4), *_ROWS), {})],
    "BinaryCrossEntropy": [((T(values(2, 3, low=0.1, high=0.9)), T((B > 0) * 1.0)), {})],
    "CeLU": [((_F,), {})],
    "Chunk": [((T(values(5, 2)), 2), {})],
    "ClampScalar": [((_F, -0.5, 1.0), {})],
    "Conj": [((_F,), {})],
    "ConstantPadND": [((_F, (1, 2)), {})],
    "Conv2DTranspose": [
        ((T(X4), T(values(4, 3, 3, 3)), (2, 3, 9, 8)), {"out_channel": 4, "kernel_size": 3}),
    ],
    "CountNonZero": [((T(np.round(A)),), {}), ((T(np.round(A)), 1), {})],
    "CrossEntropyLoss": [((T(values(4, 5)), T([0, 3, 2, 4], "int32")), {})],
    "CumsumExt": [((_F, 1), {})],
    "DType": [((_F,), {})],
    "Dense": [((_F, T(values(4, 3)), T(values(4))), {})],
    "Depend": [((_F, T(B)), {})],
    "Diag": [((T(values(3)),), {}), ((T(values(3, 3)),), {"diagonal": 1})],
    "DivNoNan": [((_F, T(np.round(B))), {})],
    "Dropout": [((_F,), {"keep_prob": 0.5})],
    "DropoutDoMask": [((T(values(2, 4)), T([0b10110101], "uint8"), 0.5), {})],
    "DropoutGenMask": [(((2, 4), 0.5), {})],
    "DropoutGrad": [((_F, T((B > 0) * 1.0)), {"keep_prob": 0.5})],
    "DynamicBroadcastTo": [((T(values(3)), (2, 3)), {})],
    "DynamicRecurrent": [
        ((T(values(5, 2, 3)), T(values(2, 4)), T(values(12, 3)), T(values(12, 4)), T(values(12)), T(values(12))), {}),
    ],
    "DynamicShape": [((_F,), {})],
    "Einsum": [(((_F, T(values(3, 4))),), {"equation": "ij,jk->ik"})],
    "Embedding": [((T([[1, 0], [3, 2]], "int32"), T(values(5, 3))), {})],
    "EmbeddingLookup": [((T(values(5, 3)), T([1, 4], "int32"), 1), {})],
    "Eps": [((_F,), {})],
    "Fill": [(("float32", (2, 3), 1.5), {})],
    "FillV2": [(((2, 3), T(1.5)), {})],
    "Flatten": [((T(X4),), {})],
    "FlattenExt": [((T(X4), 1, 2), {})],
    "FullLike": [((_F, 2.5), {})],
    "FusedBatchNorm": [((T(X4), *_ROWS), {})],
    "FusedBatchNormGradCPU": [((T(values(2, 4, 7, 6, seed="up")), T(X4), *_ROWS), {})],
    "GLU": [((T(values(2, 6)),), {})],
    "GeluExt": [((_F,), {}), ((_F,), {"approximate": "tanh"})],
    "GroupNorm": [((T(X4), 2, _ROWS[0], _ROWS[1]), {})],
    "Hardtanh": [((_F,), {})],
    "HuberLoss": [((_F, T(B)), {})],
    "Identity": [((_F,), {})],
    "Index": [((_F, (T([1, 0], "int32"), T([2, 1], "int32"))), {})],
    "IndexSelect": [((_F, 1, T([2, 0], "int32")), {})],
    "Invert": [((T(whole(4), "int32"),), {})],
    "IsClose": [((_F, T(A + 1e-7)), {})],
    "KLDivLoss": [((_F, T(P)), {})],
    "L1LossExt": [((_F, T(B)), {})],
    "LSTM": [(_LSTM, {"input_size": 3, "hidden_size": 4, "num_layers": 1, "has_bias": True, "bidirectional": False})],
    "LayerNormExt": [((_F, (3,), *_WEIGHTS), {})],
    "LeakyReLU": [((_F,), {})],
    "LeftShift": [((T(whole(4), "int32"), T([0, 1, 2, 3], "int32")), {})],
    "Lerp": [((_F, T(B), 0.25), {})],
    "LinSpace": [((0.0, 1.0, 5), {})],
    "Log10": [((T(P),), {})],
    "Log2": [((T(P),), {})],
    "LogSigmoid": [((_F,), {})],
    "LogSumExp": [((_F, 1), {})],
    "LogicalXor": [(_MASK, {})],
    "LpNorm": [((_F,), {"axis": 1})],
    "MSELossExt": [((_F, T(B)), {})],
    "MakeList": [((_F, T(B)), {})],
    "MakeTuple": [((_F, T(B), 3), {})],
    "MatMulBiasAddFusion": [((_F, T(values(3, 4)), T(values(4))), {})],
    "MatMulBiasAddReluFusion": [((_F, T(values(3, 4)), T(values(4))), {})],
    "MatMulExt": [((_F, T(values(3, 4))), {})],
    "MaxPoolWithMask": [((T(X4),), {"kernel_size": 2})],
    "MeanExt": [((_F,), {}), ((_F, 1, True), {})],
    "Meshgrid": [(((T(values(2)), T(values(3))),), {})],
    "NLLLoss": [((_F, T([1, 2], "int32"), T(values(3, low=0.5))), {})],
    "NanToNum": [((T([np.nan, np.inf, -np.inf, 1.0]),), {})],
    "NonZero": [((T(np.round(A)),), {})],
    "OneHotExt": [((T([1, 0, 3], "int32"), 4), {}), ((T([1, 0, 3], "int32"),), {})],
    "Ones": [(((2, 3),), {})],
    "Outer": [((T(values(2)), T(values(3))), {})],
    "PadV3": [((_F, (1, 2, 0, 1), 0.5), {})],
    "Print": [(("x", _F), {})],
    "Randn": [(((2, 3),), {})],
    "RandpermV2": [((5,), {})],
    "Rank": [((_F,), {})],
    "RepeatInterleaveInt": [((_F, 2, 1), {})],
    "RightShift": [((T(whole(4), "int32"), T([0, 1, 2, 3], "int32")), {})],
    "RmsNorm": [((_F, T(values(3))), {})],
    "Roll": [((_F,), {"shift": 1, "axis": 1})],
    "ScalarBool": [((2,), {})],
    "ScalarCast": [((2, "float32"), {})],
    "ScalarToTensor": [((2.5,), {})],
    "ScalarUadd": [((2,), {})],
    "ScalarUsub": [((2,), {})],
    "SelectExtView": [((_F, 1, 2), {})],
    "SequenceMask": [((T([1, 3], "int32"), 4), {}), ((T([1, 3], "int32"),), {})],
    "SequenceSlice": [(((1, 2, 3, 4), 0, 4, 2), {})],
    "Shape": [((_F,), {})],
    "SigmoidCrossEntropyWithLogits": [((_F, T((B > 0) * 1.0)), {})],
    "Size": [((_F,), {})],
    "SliceExt": [((T(X4), 2, 1, 6, 2), {})],
    "SmoothL1Loss": [((_F, T(B)), {})],
    "SoftmaxBackward": [((_F, T(B)), {})],
    "SoftplusExt": [((_F,), {})],
    "SplitTensor": [((T(values(5, 2)), 2), {})],
    "SplitWithSize": [((T(values(5, 2)), (2, 3)), {})],
    "StandardNormal": [(((2, 3),), {})],
    "Std": [((_F,), {}), ((_F, 1), {})],
    "SubExt": [((_F, T(B), 2), {})],
    "SumExt": [((_F,), {}), ((_F, 1, True), {})],
    "Tan": [((_F,), {})],
    "TensorScatterAdd": [((_F, T([[0, 1], [1, 2]], "int32"), T(values(2))), {})],
    "TensorScatterElements": [((_F, T([[0, 2], [1, 1]], "int32"), T(values(2, 2))), {"axis": 1})],
    "TensorToScalar": [((T(2.5),), {})],
    "TensorToTuple": [((T([1, 2], "int64"),), {})],
    "Threshold": [((_F,), {"threshold": 0.5, "value": 9.0})],
    "Tril": [((_F,), {})],
    "Triu": [((_F,), {"diagonal": 1})],
    "TruncateDiv": [((_F, T(B + 3)), {})],
    "TupleAdd": [(((1, 2), (3,)), {})],
    "TupleGetItem": [(((_F, T(B)), 1), {})],
    "TupleSetItem": [(((_F, T(B)), 1, _F), {})],
    "TupleToTensor": [(((1, 2, 3),), {})],
    "UniformInt": [(((2, 3), T(0, "int32"), T(9, "int32")), {})],
    "UniformReal": [(((2, 3),), {})],
    "Var": [((_F,), {}), ((_F, 1, 0), {})],
    "Zeros": [(((2, 3),), {})],
    "Cond": [((T(True, "bool_"),), {})],
    "bool_not": [((True,), {})],
    "dict_getitem": [(({"a": 1, "b": 2}, "b"), {})],
    "make_dict": [((("a", "b"), (1, 2)), {})],
    "sequence_len": [(((1, 2, 3),), {}), ((_F,), {})],
    "tensor_setitem": [((_F, 0, 9.0), {}), ((_F, slice(0, 1), T(values(1, 3))), {})],
    "Adam": [
        ((_F, T(A * 0), T(A * 0), T(0.9), T(0.99), T(0.01), T(0.9), T(0.99), T(1e-8), T(B)), {}),
    ],
    "ApplyMomentum": [((_F, T(A * 0), T(0.1), T(B), T(0.9)), {})],
    "Assign": [((_F, T(B)), {})],
    "AssignAdd": [((_F, T(B)), {})],
    "AssignSub": [((_F, T(B)), {})],
    "SGD": [((_F, T(B), T(0.1), T(A * 0), T(0.9), T(A * 0)), {})],
    "Load": [((_F,), {})],
    "AllReduce": [((_F,), {})],
    "AllGather": [((_F,), {})],
    "ReduceScatter": [((_F,), {})],
    "Broadcast": [(((_F, T(B)),), {"root_rank": 0})],
    "Barrier": [((), {})],
    "AlltoAll": [((_F,), {"split_count": 1, "split_dim": 0, "concat_dim": 1})],
}

for _name in ("Add", "Sub", "Mul", "Div", "FloorDiv", "Mod", "Pow"):
    _TABLE[f"Scalar{_name}"] = [((7, 2), {})]
for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    _TABLE[f"scalar_{_name}"] = [((7, 2), {})]
for _name in ("and", "or", "eq"):
    _TABLE[f"bool_{_name}"] = [((True, False), {})]


def iter_samples() -> Iterator[Case]:
    """The table as cases; a second call of one operator is labelled by its number."""
    for name, calls in _TABLE.items():
        for number, (args, attrs) in enumerate(calls):
            yield Case("op", name, args, attrs, label=str(number) if number else "")
