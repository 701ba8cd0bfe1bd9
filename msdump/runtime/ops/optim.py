"""Operators that write parameters in place: assignments and the optimisers' updates.

The first operands are the parameters' own arrays; the value given back is what they hold after.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from msdump.runtime.misfit import ShapeMisfit, shape_text
from msdump.runtime.ops.registry import Array, operator, same


def _infer_assign(parameter: Any, value: Any) -> Any:
    if hasattr(value, "shape") and value.shape != parameter.shape:
        raise ShapeMisfit(
            f"For 'Assign','value' must have the same shape as 'variable'. But got 'value' shape: {value.shape}, "
            f"'variable' shape: {parameter.shape}.",
            f"a value of shape {shape_text(value.shape)} does not fit the parameter's {shape_text(parameter.shape)}",
        )
    return parameter


@operator("Assign", "assign", inputs=2, infer=_infer_assign, effect="memory")
def assign(parameter: Array, value: Any) -> Any:
    """Parameter ← value."""
    parameter[...] = value
    return parameter


@operator("AssignAdd", inputs=2, infer=same, effect="memory")
def assign_add(parameter: Array, value: Any) -> Any:
    """Parameter ← parameter + value."""
    parameter[...] = parameter + np.asarray(value, parameter.dtype)
    return parameter


@operator("AssignSub", inputs=2, infer=same, effect="memory")
def assign_sub(parameter: Array, value: Any) -> Any:
    """Parameter ← parameter − value."""
    parameter[...] = parameter - np.asarray(value, parameter.dtype)
    return parameter


@operator("ApplyMomentum", inputs=5, infer=same, effect="memory", prim_func=False)
def apply_momentum(
    variable: Array,
    accumulation: Array,
    learning_rate: Any,
    gradient: Array,
    momentum: Any,
    use_nesterov: bool = False,
    use_locking: bool = False,
    gradient_scale: float = 1.0,
) -> Any:
    """Accumulation ← momentum · accumulation + gradient; variable ← variable − rate · accumulation."""
    rate, factor = np.asarray(learning_rate, variable.dtype), np.asarray(momentum, variable.dtype)
    accumulation[...] = accumulation * factor + gradient
    step = gradient * rate + accumulation * factor * rate if use_nesterov else accumulation * rate
    variable[...] = variable - step
    return variable


@operator("SGD", inputs=6, infer=same, effect="memory", prim_func=False)
def sgd(
    parameter: Array,
    gradient: Array,
    learning_rate: Any,
    accum: Array,
    momentum: Any,
    stat: Array,
    dampening: float = 0.0,
    weight_decay: float = 0.0,
    nesterov: bool = False,
) -> Any:
    """Stochastic gradient descent with momentum; `stat` is 1 before the first step and 0 after."""
    factor, rate = np.asarray(momentum, parameter.dtype), np.asarray(learning_rate, parameter.dtype)
    gradient = gradient + parameter.dtype.type(weight_decay) * parameter
    if np.any(stat > 0):
        accum[...] = gradient
        stat[...] = 0
    else:
        accum[...] = accum * factor + gradient * parameter.dtype.type(1 - dampening)
    parameter[...] = parameter - rate * (gradient + factor * accum if nesterov else accum)
    return parameter


@operator("Adam", inputs=10, effect="memory", prim_func=False)
def adam(
    var: Array,
    m: Array,
    v: Array,
    beta1_power: Any,
    beta2_power: Any,
    lr: Any,
    beta1: Any,
    beta2: Any,
    epsilon: Any,
    gradient: Array,
    use_locking: bool = False,
    use_nesterov: bool = False,
) -> Any:
    """(var, m, v) after one step of Adam, written in place."""
    one = var.dtype.type(1)
    b1, b2 = np.asarray(beta1, var.dtype), np.asarray(beta2, var.dtype)
    rate = np.asarray(lr, var.dtype) * np.sqrt(one - np.asarray(beta2_power)) / (one - np.asarray(beta1_power))
    m[...] = m + (gradient - m) * (one - b1)
    v[...] = v + (gradient * gradient - v) * (one - b2)
    step = m * b1 + (one - b1) * gradient if use_nesterov else m
    var[...] = var - rate * step / (np.sqrt(v) + np.asarray(epsilon, var.dtype))
    return var, m, v
