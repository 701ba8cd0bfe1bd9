"""Losses."""

from __future__ import annotations

from typing import Any

import numpy as np

from msdump.runtime.misfit import ValueMisfit
from msdump.runtime.ops.activation import log_softmax, softplus_of
from msdump.runtime.ops.elementwise import quiet
from msdump.runtime.ops.registry import Array, TensorSpec, operator, same
from msdump.runtime.promotion import BFLOAT16, FLOAT16, FLOAT32, promote, promoted_spec

_HALF = (FLOAT16, BFLOAT16)
# The enum of 2.x graphs.
_REDUCTIONS = {0: "sum", 1: "mean", 2: "none"}


def reduce_loss(loss: Array, reduction: Any) -> Any:
    """The mean, the sum, or the elements as they are."""
    kind = _REDUCTIONS.get(reduction, reduction) if isinstance(reduction, int) else str(reduction).lower()
    if kind == "none":
        return loss
    if kind not in ("mean", "sum"):
        raise ValueMisfit(f"reduction must be 'mean', 'sum' or 'none', but got {reduction!r}")
    wide = loss.astype(FLOAT32) if loss.dtype in _HALF else loss
    return np.asarray(np.mean(wide) if kind == "mean" else np.sum(wide)).astype(loss.dtype)


def _infer_softmax_ce(logits: Any, labels: Any) -> Any:
    return TensorSpec(logits.shape[:1], logits.dtype), TensorSpec(logits.shape, logits.dtype)


@operator("SoftmaxCrossEntropyWithLogits", inputs=2, infer=_infer_softmax_ce)
@quiet
def softmax_cross_entropy(logits: Array, labels: Array) -> Any:
    """(loss of each sample, gradient) for logits and labels (N, C)."""
    log = log_softmax(logits, -1)
    return -np.sum(labels * log, axis=-1), np.exp(log) - labels


@operator("SparseSoftmaxCrossEntropyWithLogits", inputs=2, prim_func=False)
@quiet
def sparse_softmax_cross_entropy(logits: Array, labels: Array, is_grad: bool = False, sens: float = 1.0) -> Any:
    """The mean loss for class numbers, or its gradient for the logits."""
    log = log_softmax(logits, -1)
    if not is_grad:
        return np.asarray(-np.mean(np.take_along_axis(log, labels[:, None].astype(np.int64), 1))).astype(logits.dtype)
    gradient = np.exp(log)
    gradient[np.arange(len(labels)), labels] -= 1
    return (gradient / logits.dtype.type(len(labels))).astype(logits.dtype)


def _nll(
    log: Array, labels: Array, weight: Any, reduction: Any, ignore_index: int, smoothing: float
) -> tuple[Any, Any]:
    classes = log.shape[1]
    weights = np.ones(classes, log.dtype) if weight is None else weight
    kept = labels != ignore_index
    safe = np.where(kept, labels, 0)
    share = np.where(kept, weights[safe], np.zeros((), log.dtype))
    loss = -share * np.take_along_axis(log, safe[:, None], 1).squeeze(1)
    total = np.sum(share)
    if smoothing:
        shape = (1, classes) + (1,) * (log.ndim - 2)
        smooth = np.where(kept, -np.sum(log * weights.reshape(shape), axis=1), np.zeros((), log.dtype))
        amount = log.dtype.type(smoothing)
        loss = (1 - amount) * loss + amount / log.dtype.type(classes) * smooth
    kind = _REDUCTIONS.get(reduction, reduction) if isinstance(reduction, int) else reduction
    if kind == "mean":
        return np.asarray(np.sum(loss) / total).astype(log.dtype), total
    return (np.asarray(np.sum(loss)) if kind == "sum" else loss).astype(log.dtype), total


@operator("NLLLoss", inputs=3)
@quiet
def nll_loss(
    logits: Array, labels: Array, weight: Any = None, reduction: Any = "mean", ignore_index: int = -100
) -> Any:
    """(loss, total weight) of log-probabilities (N, C, …) at class numbers (N, …)."""
    return _nll(logits, labels, weight, reduction, ignore_index, 0.0)


@operator("CrossEntropyLoss", "CrossEntropy", inputs=3, prim_func=False)
@quiet
def cross_entropy(
    logits: Array,
    labels: Array,
    weight: Any = None,
    ignore_index: int = -100,
    reduction: Any = "mean",
    label_smoothing: float = 0.0,
) -> Any:
    """Cross entropy of logits (N, C, …) with class numbers (N, …) or probabilities (N, C, …)."""
    wide = logits.astype(FLOAT32) if logits.dtype in _HALF else logits
    single = wide.ndim == 1
    if single:
        wide, labels = wide[None], labels[None]
    log = log_softmax(wide, 1)
    scale = None if weight is None else weight.astype(wide.dtype)
    if labels.ndim == log.ndim:
        target = labels.astype(wide.dtype)
        if label_smoothing:
            target = target * (1 - label_smoothing) + label_smoothing / log.shape[1]
        if scale is not None:
            target = target * scale.reshape((1, -1) + (1,) * (log.ndim - 2))
        loss = -np.sum(target.astype(wide.dtype) * log, axis=1)
        found = reduce_loss(loss, reduction)
    else:
        found, _ = _nll(log, labels.astype(np.int64), scale, reduction, ignore_index, label_smoothing)
    if single and np.ndim(found) == 1:
        found = found[0]
    return np.asarray(found).astype(logits.dtype)


def _infer_loss(x: Any, y: Any, *_: Any, **named: Any) -> TensorSpec:
    shape, dtype = promoted_spec(x, y)
    return TensorSpec(shape if named.get("reduction", "mean") in ("none", 2) else (), dtype)


@operator("MSELossExt", "MSELoss", inputs=2, infer=_infer_loss)
def mse_loss(x: Array, target: Array, reduction: Any = "mean") -> Any:
    """(x − target)²."""
    x, target = promote(x, target)
    return reduce_loss(np.square(x - target), reduction)


@operator("L1LossExt", "L1Loss", inputs=2, infer=_infer_loss)
def l1_loss(x: Array, target: Array, reduction: Any = "mean") -> Any:
    """|x − target|."""
    x, target = promote(x, target)
    return reduce_loss(np.abs(x - target), reduction)


@operator("SmoothL1Loss", inputs=2)
def smooth_l1_loss(x: Array, target: Array, beta: float = 1.0, reduction: Any = "none") -> Any:
    """½ d²/beta where the distance d is below beta, d − beta/2 beyond."""
    x, target = promote(x, target)
    distance = np.abs(x - target)
    b = x.dtype.type(beta)
    return reduce_loss(np.where(distance < b, x.dtype.type(0.5) * distance * distance / b, distance - b / 2), reduction)


@operator("HuberLoss", inputs=2)
def huber_loss(x: Array, target: Array, reduction: Any = "mean", delta: float = 1.0) -> Any:
    """½ d² up to a distance d of delta, delta · (d − delta/2) beyond."""
    x, target = promote(x, target)
    distance = np.abs(x - target)
    d = x.dtype.type(delta)
    half = x.dtype.type(0.5)
    return reduce_loss(np.where(distance <= d, half * distance * distance, d * (distance - half * d)), reduction)


@operator("BinaryCrossEntropy", inputs=3)
@quiet
def binary_cross_entropy(x: Array, labels: Array, weight: Any = None, reduction: Any = "mean") -> Any:
    """−(y·log x + (1−y)·log(1−x)) of probabilities, each logarithm held above −100 as MindSpore's CPU kernel does."""
    wide, target = (a.astype(FLOAT32) if a.dtype in _HALF else a for a in (x, labels))
    tiny = wide.dtype.type(1e-12)
    loss = -(target * np.log(wide + tiny) + (1 - target) * np.log(1 - wide + tiny))
    if weight is not None:
        loss = loss * weight
    return reduce_loss(loss.astype(x.dtype), reduction)


@operator("BCEWithLogitsLoss", inputs=4)
@quiet
def bce_with_logits(
    x: Array, target: Array, weight: Any = None, pos_weight: Any = None, reduction: Any = "mean"
) -> Any:
    """Binary cross entropy of sigmoid(x), computed stably."""
    wide, y = (a.astype(FLOAT32) if a.dtype in _HALF else a for a in (x, target))
    if pos_weight is None:
        loss = (1 - y) * wide + softplus_of(-wide)
    else:
        loss = (1 - y) * wide + (1 + (pos_weight - 1) * y) * softplus_of(-wide)
    if weight is not None:
        loss = loss * weight
    return reduce_loss(loss.astype(x.dtype), reduction)


@operator("SigmoidCrossEntropyWithLogits", inputs=2, infer=same)
@quiet
def sigmoid_cross_entropy(logits: Array, label: Array) -> Any:
    """Elementwise binary cross entropy of sigmoid(logits)."""
    return (np.maximum(logits, 0) - logits * label + np.log1p(np.exp(-np.abs(logits)))).astype(logits.dtype)


@operator("KLDivLoss", inputs=2)
@quiet
def kl_div(logits: Array, labels: Array, reduction: Any = "mean") -> Any:
    """Labels · (log labels − logits), 0 where labels are 0; "batchmean" divides by the batch."""
    loss = np.where(labels > 0, labels * (np.log(np.where(labels > 0, labels, 1)) - logits), 0).astype(logits.dtype)
    if reduction == "batchmean":
        return np.asarray(np.sum(loss) / logits.shape[0]).astype(logits.dtype)
    return reduce_loss(loss, reduction)
