"""Layers: what networks are made of, under MindSpore's names."""

from msdump.runtime.cell import Cell
from msdump.runtime.containers import CellDict, CellList, SequentialCell
from msdump.runtime.nn.activation import (
    CELU,
    ELU,
    GELU,
    GLU,
    FastGelu,
    Hardtanh,
    HShrink,
    HSigmoid,
    HSwish,
    LeakyReLU,
    LogSigmoid,
    LogSoftmax,
    Mish,
    PReLU,
    ReLU,
    ReLU6,
    SeLU,
    Sigmoid,
    SiLU,
    Softmax,
    Softmin,
    SoftShrink,
    Softsign,
    Tanh,
    Tanhshrink,
    Threshold,
    get_activation,
)  # fmt: skip
from msdump.runtime.nn.basic import Dense, Dropout, Flatten, Identity, OneHot, Pad
from msdump.runtime.nn.conv import Conv1d, Conv2d, Conv2dTranspose
from msdump.runtime.nn.embedding import Embedding, EmbeddingLookup
from msdump.runtime.nn.loss import (
    BCELoss,
    BCEWithLogitsLoss,
    CrossEntropyLoss,
    HuberLoss,
    KLDivLoss,
    L1Loss,
    LossBase,
    MSELoss,
    NLLLoss,
    SmoothL1Loss,
    SoftmaxCrossEntropyWithLogits,
    WithLossCell,
)  # fmt: skip
from msdump.runtime.nn.normalization import BatchNorm1d, BatchNorm2d, BatchNorm3d, GroupNorm, LayerNorm
from msdump.runtime.nn.pooling import (
    AdaptiveAvgPool1d,
    AdaptiveAvgPool2d,
    AdaptiveMaxPool2d,
    AvgPool1d,
    AvgPool2d,
    MaxPool1d,
    MaxPool2d,
)  # fmt: skip
from msdump.runtime.nn.recurrent import GRU, LSTM, RNN
from msdump.runtime.nn.transformer import (
    MultiheadAttention,
    TransformerEncoder,
    TransformerEncoderLayer,
)  # fmt: skip

__all__ = [
    "CELU", "ELU", "GELU", "GLU", "GRU", "LSTM", "RNN", "AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveMaxPool2d",
    "AvgPool1d", "AvgPool2d", "BCELoss", "BCEWithLogitsLoss", "BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "Cell",
    "CellDict", "CellList", "Conv1d", "Conv2d", "Conv2dTranspose", "CrossEntropyLoss", "Dense",
    "Dropout", "Embedding", "EmbeddingLookup", "FastGelu", "Flatten", "GroupNorm", "HShrink", "HSigmoid",
    "HSwish", "Hardtanh", "HuberLoss", "Identity", "KLDivLoss", "L1Loss", "LayerNorm", "LeakyReLU",
    "LogSigmoid", "LogSoftmax", "LossBase", "MSELoss", "MaxPool1d", "MaxPool2d", "Mish",
    "MultiheadAttention", "NLLLoss", "OneHot", "PReLU", "Pad", "ReLU", "ReLU6", "SeLU",
    "SequentialCell", "SiLU", "Sigmoid", "SmoothL1Loss", "SoftShrink", "Softmax", "SoftmaxCrossEntropyWithLogits",
    "Softmin", "Softsign", "Tanh", "Tanhshrink", "Threshold",
    "TransformerEncoder", "TransformerEncoderLayer", "WithLossCell", "get_activation",
]  # fmt: skip
