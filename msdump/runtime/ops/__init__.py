"""Primitives: kernels over numpy by kind, in one registry.

`msdump.ops` is the front door for users; graphs and networks ask `registry.find`.
"""

from msdump.runtime.ops import (
    activation,
    communication,
    control,
    conv,
    create,
    elementwise,
    gradient,
    index,
    loss,
    matmul,
    norm,
    optim,
    output,
    pool,
    random,
    reduce,
    registry,
    rnn,
    set_item,
    shape,
)

__all__ = [
    "activation",
    "communication",
    "control",
    "conv",
    "create",
    "elementwise",
    "gradient",
    "index",
    "loss",
    "matmul",
    "norm",
    "optim",
    "output",
    "pool",
    "random",
    "reduce",
    "registry",
    "rnn",
    "set_item",
    "shape",
]
