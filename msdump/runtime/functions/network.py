"""Functions of `msdump.ops` that networks are made of: activations, layers, losses, draws, new tensors."""

from __future__ import annotations

from typing import Any

from msdump.runtime.functions.build import FLOAT32, function, many, op, prim
from msdump.runtime.ops import random as _random
from msdump.runtime.tensor import Tensor

set_seed, get_seed = _random.set_seed, _random.get_seed

# Activations
log_softmax = function("LogSoftmax", "logits", axis=-1)
elu = function("Elu", "input_x", alpha=1.0)
celu = function("CeLU", "x", alpha=1.0)
softplus = function("SoftplusExt", "input", beta=1, threshold=20)
hardtanh = function("Hardtanh", "input", min_val=-1.0, max_val=1.0)
hardshrink = function("HShrink", "input", lambd=0.5)
softshrink = function("SoftShrink", "input", lambd=0.5)
glu = function("GLU", "x", axis=-1)

# Losses
mse_loss = function("MSELossExt", "input target", reduction="mean")
l1_loss = function("L1LossExt", "input target", reduction="mean")
smooth_l1_loss = function("SmoothL1Loss", "input target", beta=1.0, reduction="none")
huber_loss = function("HuberLoss", "input target", reduction="mean", delta=1.0)
binary_cross_entropy = function("BinaryCrossEntropy", "logits labels weight=None", reduction="mean")
binary_cross_entropy_with_logits = function(
    "BCEWithLogitsLoss", "logits label weight=None pos_weight=None", reduction="mean"
)
kl_div = function("KLDivLoss", "logits labels", reduction="mean")
cross_entropy = function(
    "CrossEntropyLoss", "input target weight=None", ignore_index=-100, reduction="mean", label_smoothing=0.0
)

# Layers and new tensors
adaptive_avg_pool2d = function("AdaptiveAvgPool2D", "input", output_size=...)
avg_pool2d = function(
    "AvgPool2D",
    "x",
    kernel_size=...,
    stride=None,
    padding=0,
    ceil_mode=False,
    count_include_pad=True,
    divisor_override=0,
)
linspace = op("LinSpace")


def softmax(input: Any, axis: int = -1, *, dtype: Any = None) -> Tensor:
    """Softmax along an axis."""
    return prim("Softmax", axis=axis)(input if dtype is None else input.astype(dtype))


def gelu(input: Any, approximate: str = "none") -> Tensor:
    """GELU: exact ("none") or by tanh ("tanh")."""
    return prim("GeLU")(input) if approximate == "tanh" else prim("GeluExt", approximate=approximate)(input)


def leaky_relu(input: Any, alpha: float = 0.2) -> Tensor:
    """The input where positive, alpha · x elsewhere."""
    return prim("LeakyReLU", negative_slope=alpha)(input)


def threshold(input: Any, thr: float, value: float) -> Tensor:
    """The input where above thr, value elsewhere."""
    return prim("Threshold", threshold=thr, value=value)(input)


def dropout(input: Any, p: float = 0.5, training: bool = True, seed: Any = None) -> Tensor:
    """Elements dropped with probability p, the others scaled; x itself when not training."""
    if not training or p == 0:
        return input  # type: ignore[no-any-return]  # a Tensor
    seeds = {} if seed is None else {"seed0": int(seed)}
    return prim("Dropout", keep_prob=1.0 - p, **seeds)(input)[0]


def conv2d(
    input: Any,
    weight: Any,
    bias: Any = None,
    stride: Any = 1,
    pad_mode: str = "valid",
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Tensor:
    """Convolution of (N, C, H, W)."""
    made = prim(
        "Conv2D",
        out_channel=weight.shape[0],
        kernel_size=tuple(weight.shape[2:]),
        pad_mode=pad_mode,
        pad=padding,
        stride=stride,
        dilation=dilation,
        group=groups,
    )
    out: Tensor = made(input, weight)
    return out if bias is None else prim("BiasAdd")(out, bias)


def max_pool2d(
    x: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    return_indices: bool = False,
    ceil_mode: bool = False,
) -> Any:
    """Maximum of each window; with return_indices also where it was."""
    made = prim(
        "MaxPoolWithMask", kernel_size=kernel_size, strides=stride, pads=padding, dilation=dilation, ceil_mode=ceil_mode
    )
    out, index = made(x)
    return (out, index) if return_indices else out


def layer_norm(input: Any, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Tensor:
    """Normalised over the last axes."""
    return prim("LayerNormExt")(input, tuple(normalized_shape), weight, bias, eps)[0]


def nll_loss(
    inputs: Any,
    target: Any,
    weight: Any = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """Negative log likelihood of log-probabilities at class numbers."""
    return prim("NLLLoss", reduction=reduction, ignore_index=ignore_index)(inputs, target, weight)[0]


def zeros(size: Any, dtype: Any = None) -> Tensor:
    """Zeros."""
    return prim("Zeros")(size if isinstance(size, int) else tuple(size), dtype or FLOAT32)


def ones(shape: Any, dtype: Any = None) -> Tensor:
    """Ones."""
    return prim("Ones")(shape if isinstance(shape, int) else tuple(shape), dtype or FLOAT32)


def full(size: Any, fill_value: Any, *, dtype: Any = None) -> Tensor:
    """A tensor of one value."""
    return prim("FillV2")(size if isinstance(size, int) else tuple(size), fill_value, dtype)


full_like = function("FullLike", "input fill_value dtype=None")


def arange(start: Any = 0, end: Any = None, step: Any = 1, *, dtype: Any = None) -> Tensor:
    """start, start + step, … before end; one number is the end."""
    if end is None:
        start, end = 0, start
    return prim("Arange")(start, end, step, dtype)


def range(start: Any, end: Any, step: Any = 1) -> Tensor:
    """The same as arange, in MindSpore's older name."""
    return arange(start, end, step)


def eye(n: int, m: Any = None, dtype: Any = None) -> Tensor:
    """Ones on the main diagonal."""
    return prim("Eye")(n, m, dtype or FLOAT32)


def meshgrid(*inputs: Any, indexing: str = "xy") -> tuple[Tensor, ...]:
    """Coordinate tensors of a grid."""
    return many("Meshgrid", indexing=indexing)(inputs)


def standard_normal(shape: Any, seed: Any = None) -> Tensor:
    """Draws of the standard normal distribution."""
    return prim("StandardNormal", **({} if seed is None else {"seed": seed}))(tuple(shape))


def rand(*size: Any, dtype: Any = None) -> Tensor:
    """Draws from [0, 1)."""
    found: Tensor = prim("UniformReal")(size[0] if len(size) == 1 and not isinstance(size[0], int) else size)
    return found if dtype is None else found.astype(dtype)


def randn(*size: Any, dtype: Any = None) -> Tensor:
    """Draws of the standard normal distribution."""
    shape = size[0] if len(size) == 1 and not isinstance(size[0], int) else size
    return standard_normal(shape) if dtype is None else standard_normal(shape).astype(dtype)
