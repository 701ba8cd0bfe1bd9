"""Losses as layers."""

from __future__ import annotations

from typing import Any

from msdump.runtime import functions as ops
from msdump.runtime.cell import Cell
from msdump.runtime.functions.build import FLOAT32
from msdump.runtime.nn.checks import boolean
from msdump.runtime.primitive import Primitive
from msdump.runtime.tensor import Tensor


class LossBase(Cell):
    """Base of losses: `get_loss` reduces what a subclass computed by `reduction`."""

    def __init__(self, reduction: str = "mean") -> None:
        super().__init__()
        if reduction not in ("mean", "sum", "none"):
            raise ValueError(
                f"For '{self.cls_name}', the 'reduction' must be in ['mean', 'sum', 'none'], but got {reduction}."
            )
        self.reduction = reduction
        self.reduce_mean = Primitive("ReduceMean")
        self.reduce_sum = Primitive("ReduceSum")

    def get_loss(self, x: Tensor, weights: Any = 1.0) -> Tensor:
        """The input times weights, reduced; computed in Float32."""
        dtype = x.dtype
        x = x.astype(FLOAT32) * weights
        if self.reduction == "mean":
            x = self.reduce_mean(x, tuple(range(x.ndim)))
        elif self.reduction == "sum":
            x = self.reduce_sum(x, tuple(range(x.ndim)))
        return x.astype(dtype)

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        """The loss; subclasses define it."""
        raise NotImplementedError


class L1Loss(LossBase):
    """|logits − labels|."""

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        """The loss."""
        return self.get_loss(ops.abs(logits - labels))


class MSELoss(LossBase):
    """(logits − labels)²."""

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        """The loss."""
        return self.get_loss(ops.square(logits - labels))


class SmoothL1Loss(LossBase):
    """Squared where the distance is below beta, linear beyond."""

    def __init__(self, beta: float = 1.0, reduction: str = "none") -> None:
        super().__init__(reduction)
        self.beta = beta

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        """The loss."""
        return ops.smooth_l1_loss(logits, labels, self.beta, self.reduction)


class HuberLoss(LossBase):
    """Squared where the distance is up to delta, linear beyond."""

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        super().__init__(reduction)
        self.delta = delta

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        """The loss."""
        return ops.huber_loss(logits, labels, self.reduction, self.delta)


class SoftmaxCrossEntropyWithLogits(LossBase):
    """Cross entropy of softmax(logits) with probabilities, or with class numbers when sparse."""

    def __init__(self, sparse: bool = False, reduction: str = "none") -> None:
        super().__init__(reduction)
        self.sparse = boolean(sparse, "sparse", self.cls_name)
        self.softmax_cross_entropy = Primitive("SoftmaxCrossEntropyWithLogits")
        self.sparse_softmax_cross_entropy = Primitive("SparseSoftmaxCrossEntropyWithLogits")
        self.one_hot = Primitive("OneHot")
        self.on_value, self.off_value = Tensor(1.0, FLOAT32), Tensor(0.0, FLOAT32)

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        """The loss of each sample, reduced."""
        if self.sparse:
            if self.reduction == "mean":
                return self.sparse_softmax_cross_entropy(logits, labels)  # type: ignore[no-any-return]  # a Tensor
            labels = self.one_hot(labels, logits.shape[-1], self.on_value, self.off_value)
        return self.get_loss(self.softmax_cross_entropy(logits, labels)[0])


class CrossEntropyLoss(LossBase):
    """Cross entropy of logits (N, C, …) with class numbers or probabilities."""

    def __init__(
        self, weight: Any = None, ignore_index: int = -100, reduction: str = "mean", label_smoothing: float = 0.0
    ) -> None:
        super().__init__(reduction)
        self.weight, self.ignore_index, self.label_smoothing = weight, ignore_index, label_smoothing

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        """The loss."""
        return ops.cross_entropy(logits, labels, self.weight, self.ignore_index, self.reduction, self.label_smoothing)


class NLLLoss(LossBase):
    """Negative log likelihood of log-probabilities (N, C, …) at class numbers."""

    def __init__(self, weight: Any = None, ignore_index: int = -100, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.weight, self.ignore_index = weight, ignore_index

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        """The loss."""
        return ops.nll_loss(logits, labels, self.weight, self.ignore_index, self.reduction)


class BCELoss(LossBase):
    """Binary cross entropy of probabilities."""

    def __init__(self, weight: Any = None, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.weight = weight

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        """The loss."""
        return ops.binary_cross_entropy(logits, labels, self.weight, self.reduction)


class BCEWithLogitsLoss(LossBase):
    """Binary cross entropy of sigmoid(logits)."""

    def __init__(self, reduction: str = "mean", weight: Any = None, pos_weight: Any = None) -> None:
        super().__init__(reduction)
        self.weight, self.pos_weight = weight, pos_weight

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        """The loss."""
        return ops.binary_cross_entropy_with_logits(logits, labels, self.weight, self.pos_weight, self.reduction)


class KLDivLoss(LossBase):
    """Kullback-Leibler divergence of log-probabilities from probabilities."""

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        """The loss."""
        return ops.kl_div(logits, labels, self.reduction)


class WithLossCell(Cell):
    """A network and its loss as one cell: (data, label) → loss."""

    def __init__(self, backbone: Cell, loss_fn: Cell) -> None:
        super().__init__(auto_prefix=False)
        self._backbone = backbone
        self._loss_fn = loss_fn

    def construct(self, data: Any, label: Any) -> Any:
        """The loss of the network's output for data."""
        return self._loss_fn(self._backbone(data), label)

    @property
    def backbone_network(self) -> Cell:
        """The network."""
        return self._backbone
