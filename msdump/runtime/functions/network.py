"""Functions of `msdump.ops` that networks are made of: activations, layers, losses, draws, new tensors."""

from __future__ import annotations

from typing import Any

from msdump.runtime.functions.build import FLOAT32, prim
from msdump.runtime.ops import random as _random
from msdump.runtime.tensor import Tensor

set_seed, get_seed = _random.set_seed, _random.get_seed


def softmax(input: Any, axis: int = -1, *, dtype: Any = None) -> Tensor:
    """Softmax along an axis."""
    found: Tensor = prim("Softmax", axis=axis)(input if dtype is None else input.astype(dtype))
    return found


def log_softmax(logits: Any, axis: int = -1) -> Tensor:
    """log(softmax) along an axis."""
    found: Tensor = prim("LogSoftmax", axis=axis)(logits)
    return found


def gelu(input: Any, approximate: str = "none") -> Tensor:
    """GELU: exact ("none") or by tanh ("tanh")."""
    found: Tensor = prim("GeLU")(input) if approximate == "tanh" else prim("GeluExt", approximate=approximate)(input)
    return found


def leaky_relu(input: Any, alpha: float = 0.2) -> Tensor:
    """The input where positive, alpha · x elsewhere."""
    found: Tensor = prim("LeakyReLU", negative_slope=alpha)(input)
    return found


def elu(input_x: Any, alpha: float = 1.0) -> Tensor:
    """Exponential linear unit."""
    found: Tensor = prim("Elu", alpha=alpha)(input_x)
    return found


def celu(x: Any, alpha: float = 1.0) -> Tensor:
    """Continuous exponential linear unit."""
    found: Tensor = prim("CeLU", alpha=alpha)(x)
    return found


def softplus(input: Any, beta: float = 1, threshold: float = 20) -> Tensor:
    """log(1 + exp(beta · x)) / beta."""
    found: Tensor = prim("SoftplusExt", beta=beta, threshold=threshold)(input)
    return found


def hardtanh(input: Any, min_val: float = -1.0, max_val: float = 1.0) -> Tensor:
    """The input held between min_val and max_val."""
    found: Tensor = prim("Hardtanh", min_val=min_val, max_val=max_val)(input)
    return found


def hardshrink(input: Any, lambd: float = 0.5) -> Tensor:
    """The input outside [−lambd, lambd], 0 inside."""
    found: Tensor = prim("HShrink", lambd=lambd)(input)
    return found


def softshrink(input: Any, lambd: float = 0.5) -> Tensor:
    """The input moved towards 0 by lambd."""
    found: Tensor = prim("SoftShrink", lambd=lambd)(input)
    return found


def threshold(input: Any, thr: float, value: float) -> Tensor:
    """The input where above thr, value elsewhere."""
    found: Tensor = prim("Threshold", threshold=thr, value=value)(input)
    return found


def glu(x: Any, axis: int = -1) -> Tensor:
    """The first half along an axis times the sigmoid of the second."""
    found: Tensor = prim("GLU", axis=axis)(x)
    return found


def dropout(input: Any, p: float = 0.5, training: bool = True, seed: Any = None) -> Tensor:
    """Elements dropped with probability p, the others scaled; x itself when not training."""
    if not training or p == 0:
        return input  # type: ignore[no-any-return]  # a Tensor
    seeds = {} if seed is None else {"seed0": int(seed)}
    found: Tensor = prim("Dropout", keep_prob=1.0 - p, **seeds)(input)[0]
    return found


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


def avg_pool2d(
    x: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int = 0,
) -> Tensor:
    """Mean of each window."""
    found: Tensor = prim(
        "AvgPool2D",
        kernel_size=kernel_size,
        stride=stride,
        padding=padding,
        ceil_mode=ceil_mode,
        count_include_pad=count_include_pad,
        divisor_override=divisor_override,
    )(x)
    return found


def adaptive_avg_pool2d(input: Any, output_size: Any) -> Tensor:
    """Mean over windows that divide the last two axes."""
    found: Tensor = prim("AdaptiveAvgPool2D", output_size=output_size)(input)
    return found


def layer_norm(input: Any, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Tensor:
    """Normalised over the last axes."""
    found: Tensor = prim("LayerNormExt")(input, tuple(normalized_shape), weight, bias, eps)[0]
    return found


def cross_entropy(
    input: Any,
    target: Any,
    weight: Any = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """Cross entropy of logits with class numbers or probabilities."""
    found: Tensor = prim(
        "CrossEntropyLoss", ignore_index=ignore_index, reduction=reduction, label_smoothing=label_smoothing
    )(input, target, weight)
    return found


def nll_loss(
    inputs: Any,
    target: Any,
    weight: Any = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """Negative log likelihood of log-probabilities at class numbers."""
    found: Tensor = prim("NLLLoss", reduction=reduction, ignore_index=ignore_index)(inputs, target, weight)[0]
    return found


def mse_loss(input: Any, target: Any, reduction: str = "mean") -> Tensor:
    """Squared distance."""
    found: Tensor = prim("MSELossExt", reduction=reduction)(input, target)
    return found


def l1_loss(input: Any, target: Any, reduction: str = "mean") -> Tensor:
    """Absolute distance."""
    found: Tensor = prim("L1LossExt", reduction=reduction)(input, target)
    return found


def smooth_l1_loss(input: Any, target: Any, beta: float = 1.0, reduction: str = "none") -> Tensor:
    """Squared near 0, absolute beyond beta."""
    found: Tensor = prim("SmoothL1Loss", beta=beta, reduction=reduction)(input, target)
    return found


def huber_loss(input: Any, target: Any, reduction: str = "mean", delta: float = 1.0) -> Tensor:
    """Squared near 0, linear beyond delta."""
    found: Tensor = prim("HuberLoss", reduction=reduction, delta=delta)(input, target)
    return found


def binary_cross_entropy(logits: Any, labels: Any, weight: Any = None, reduction: str = "mean") -> Tensor:
    """Binary cross entropy of probabilities."""
    found: Tensor = prim("BinaryCrossEntropy", reduction=reduction)(logits, labels, weight)
    return found


def binary_cross_entropy_with_logits(
    logits: Any, label: Any, weight: Any = None, pos_weight: Any = None, reduction: str = "mean"
) -> Tensor:
    """Binary cross entropy of sigmoid(logits)."""
    found: Tensor = prim("BCEWithLogitsLoss", reduction=reduction)(logits, label, weight, pos_weight)
    return found


def kl_div(logits: Any, labels: Any, reduction: str = "mean") -> Tensor:
    """Kullback-Leibler divergence of log-probabilities from probabilities."""
    found: Tensor = prim("KLDivLoss", reduction=reduction)(logits, labels)
    return found


def zeros(size: Any, dtype: Any = None) -> Tensor:
    """Zeros."""
    found: Tensor = prim("Zeros")(size if isinstance(size, int) else tuple(size), dtype or FLOAT32)
    return found


def ones(shape: Any, dtype: Any = None) -> Tensor:
    """Ones."""
    found: Tensor = prim("Ones")(shape if isinstance(shape, int) else tuple(shape), dtype or FLOAT32)
    return found


def full(size: Any, fill_value: Any, *, dtype: Any = None) -> Tensor:
    """A tensor of one value."""
    found: Tensor = prim("FillV2")(size if isinstance(size, int) else tuple(size), fill_value, dtype)
    return found


def full_like(input: Any, fill_value: Any, *, dtype: Any = None) -> Tensor:
    """A tensor of one value in another's shape."""
    found: Tensor = prim("FullLike")(input, fill_value, dtype)
    return found


def arange(start: Any = 0, end: Any = None, step: Any = 1, *, dtype: Any = None) -> Tensor:
    """start, start + step, … before end; one number is the end."""
    if end is None:
        start, end = 0, start
    found: Tensor = prim("Arange")(start, end, step, dtype)
    return found


def range(start: Any, end: Any, step: Any = 1) -> Tensor:
    """The same as arange, in MindSpore's older name."""
    return arange(start, end, step)


def linspace(start: Any, end: Any, steps: int) -> Tensor:
    """`steps` values evenly from start to end."""
    found: Tensor = prim("LinSpace")(start, end, steps)
    return found


def eye(n: int, m: Any = None, dtype: Any = None) -> Tensor:
    """Ones on the main diagonal."""
    found: Tensor = prim("Eye")(n, m, dtype or FLOAT32)
    return found


def meshgrid(*inputs: Any, indexing: str = "xy") -> tuple[Tensor, ...]:
    """Coordinate tensors of a grid."""
    found: tuple[Tensor, ...] = prim("Meshgrid", indexing=indexing)(inputs)
    return found


def standard_normal(shape: Any, seed: Any = None) -> Tensor:
    """Draws of the standard normal distribution."""
    found: Tensor = prim("StandardNormal", **({} if seed is None else {"seed": seed}))(tuple(shape))
    return found


def rand(*size: Any, dtype: Any = None) -> Tensor:
    """Draws from [0, 1)."""
    found: Tensor = prim("UniformReal")(size[0] if len(size) == 1 and not isinstance(size[0], int) else size)
    return found if dtype is None else found.astype(dtype)


def randn(*size: Any, dtype: Any = None) -> Tensor:
    """Draws of the standard normal distribution."""
    shape = size[0] if len(size) == 1 and not isinstance(size[0], int) else size
    return standard_normal(shape) if dtype is None else standard_normal(shape).astype(dtype)
