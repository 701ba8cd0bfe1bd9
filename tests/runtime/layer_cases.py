"""Calls of layers, losses, their backward halves, and whole networks."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tests.runtime.case import X4, A, B, Case, T, values, whole


def losses() -> Iterator[Case]:
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


def layers() -> Iterator[Case]:
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


def gradients() -> Iterator[Case]:
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


def networks() -> Iterator[Case]:
    ids = T(whole(2, 6, low=0, high=20), "int32")
    yield Case("net", "lenet", (T(values(2, 1, 32, 32)),), rtol=1e-4, atol=1e-4)
    yield Case("net", "residual", (T(values(2, 3, 8, 8)),), rtol=1e-4, atol=1e-4)
    yield Case("net", "residual", (T(values(2, 3, 8, 8)),), label="train", rtol=1e-3, atol=1e-3, train=True)
    yield Case("net", "transformer", (ids,), rtol=1e-4, atol=1e-5)
    yield Case("net", "recurrent", (ids,), rtol=1e-4, atol=1e-5)
