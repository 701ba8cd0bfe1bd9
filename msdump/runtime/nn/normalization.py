"""Normalisation layers."""

from __future__ import annotations

from typing import Any

from msdump.runtime.cell import Cell
from msdump.runtime.functions.build import FLOAT32
from msdump.runtime.nn.checks import one_of
from msdump.runtime.parameter import Parameter
from msdump.runtime.primitive import Primitive
from msdump.runtime.tensor import Tensor, initializer


class _BatchNorm(Cell):
    """Batch normalisation: with the batch's own statistics while training, the moving ones otherwise."""

    ranks: tuple[int, ...] = ()

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.9,
        affine: bool = True,
        gamma_init: Any = "ones",
        beta_init: Any = "zeros",
        moving_mean_init: Any = "zeros",
        moving_var_init: Any = "ones",
        use_batch_statistics: bool | None = None,
        data_format: str = "NCHW",
        dtype: Any = FLOAT32,
    ) -> None:
        super().__init__()
        if not isinstance(num_features, int) or num_features < 1:
            raise ValueError(f"For '{self.cls_name}', the 'num_features' must be at least 1, but got {num_features}.")
        if not 0 <= momentum <= 1:
            raise ValueError(
                f"For '{self.cls_name}', the 'momentum' must be a number in range [0, 1], but got {momentum}."
            )
        self.format = one_of(data_format, ("NCHW", "NHWC", "NCDHW"), "format", self.cls_name)
        self.num_features, self.eps, self.use_batch_statistics = num_features, eps, use_batch_statistics
        self.momentum = 1.0 - momentum
        self.moving_mean = Parameter(initializer(moving_mean_init, num_features, dtype), "mean", requires_grad=False)
        self.moving_variance = Parameter(
            initializer(moving_var_init, num_features, dtype), "variance", requires_grad=False
        )
        self.gamma = Parameter(initializer(gamma_init, num_features, dtype), "gamma", requires_grad=affine)
        self.beta = Parameter(initializer(beta_init, num_features, dtype), "beta", requires_grad=affine)
        self.bn_train = Primitive(
            "BatchNorm", is_training=True, epsilon=eps, momentum=self.momentum, data_format=data_format
        )
        self.bn_infer = Primitive("BatchNorm", is_training=False, epsilon=eps, data_format=data_format)
        self.assign = Primitive("Assign")

    def construct(self, x: Tensor) -> Any:
        """Apply the normalisation; while training the moving statistics move on."""
        if x.ndim not in self.ranks:
            raise ValueError(
                f"For '{self.cls_name}', the in_shape must have {' or '.join(map(str, self.ranks))} dims, "
                f"but got {x.ndim}."
            )
        training = self.training if self.use_batch_statistics is None else self.use_batch_statistics
        if not training:
            found: Tensor = self.bn_infer(x, self.gamma, self.beta, self.moving_mean, self.moving_variance)[0]
            return found
        out, mean, variance, _, _ = self.bn_train(x, self.gamma, self.beta, self.moving_mean, self.moving_variance)
        self.assign(self.moving_mean, mean)
        self.assign(self.moving_variance, variance)
        return out

    def extend_repr(self) -> str:
        """Sizes, constants and parameters."""
        return (
            f"num_features={self.num_features}, eps={self.eps}, momentum={1.0 - self.momentum}, gamma={self.gamma}, "
            f"beta={self.beta}, moving_mean={self.moving_mean}, moving_variance={self.moving_variance}"
        )


class BatchNorm1d(_BatchNorm):
    """Batch normalisation of (N, C) or (N, C, L)."""

    ranks = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Batch normalisation of (N, C, H, W)."""

    ranks = (4,)


class BatchNorm3d(_BatchNorm):
    """Batch normalisation of (N, C, D, H, W)."""

    ranks = (5,)


class LayerNorm(Cell):
    """Normalisation over the last axes, of normalized_shape; parameters `gamma` and `beta`."""

    def __init__(
        self,
        normalized_shape: Any,
        begin_norm_axis: int = -1,
        begin_params_axis: int = -1,
        gamma_init: Any = "ones",
        beta_init: Any = "zeros",
        epsilon: float = 1e-7,
        dtype: Any = FLOAT32,
    ) -> None:
        super().__init__()
        if not isinstance(normalized_shape, tuple | list):
            raise TypeError(
                f"For '{self.cls_name}', the type of 'normalized_shape' must be tuple[int] or list[int], but got "
                f"{normalized_shape} and the type is {type(normalized_shape)}."
            )
        if not normalized_shape:
            raise ValueError(f"For '{self.cls_name}', 'normalized_shape' must have at least one dimension.")
        self.normalized_shape = tuple(normalized_shape)
        self.begin_norm_axis, self.begin_params_axis, self.epsilon = begin_norm_axis, begin_params_axis, epsilon
        self.gamma = Parameter(initializer(gamma_init, self.normalized_shape, dtype), "gamma")
        self.beta = Parameter(initializer(beta_init, self.normalized_shape, dtype), "beta")
        self.layer_norm = Primitive(
            "LayerNorm", begin_norm_axis=begin_norm_axis, begin_params_axis=begin_params_axis, epsilon=epsilon
        )

    def construct(self, input_x: Tensor) -> Any:
        """Apply the normalisation."""
        gamma: Tensor = self.gamma
        beta: Tensor = self.beta
        if gamma.dtype != input_x.dtype:
            gamma, beta = gamma.astype(input_x.dtype), beta.astype(input_x.dtype)
        return self.layer_norm(input_x, gamma, beta)[0]

    def extend_repr(self) -> str:
        """Shape and parameters."""
        return (
            f"normalized_shape={self.normalized_shape}, begin_norm_axis={self.begin_norm_axis}, "
            f"begin_params_axis={self.begin_params_axis}, gamma{self.gamma}, beta={self.beta}"
        )


class GroupNorm(Cell):
    """Normalisation of the channels of each sample in groups; parameters `gamma` and `beta`."""

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        gamma_init: Any = "ones",
        beta_init: Any = "zeros",
        dtype: Any = FLOAT32,
    ) -> None:
        super().__init__()
        if num_channels % num_groups:
            raise ValueError(
                f"For '{self.cls_name}', the 'num_channels' must be divided by 'num_groups', but got 'num_channels': "
                f"{num_channels}, 'num_groups': {num_groups}."
            )
        self.num_groups, self.num_channels, self.eps = num_groups, num_channels, eps
        self.gamma = Parameter(initializer(gamma_init, (num_channels,), dtype), "gamma", requires_grad=affine)
        self.beta = Parameter(initializer(beta_init, (num_channels,), dtype), "beta", requires_grad=affine)
        self.group_norm = Primitive("GroupNorm")

    def construct(self, x: Tensor) -> Any:
        """Apply the normalisation."""
        return self.group_norm(x, self.num_groups, self.gamma, self.beta, self.eps)[0]

    def extend_repr(self) -> str:
        """Groups and channels."""
        return f"num_groups={self.num_groups}, num_channels={self.num_channels}"
