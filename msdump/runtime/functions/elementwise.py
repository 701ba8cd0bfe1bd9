"""Functions of `msdump.ops` that work element by element."""

from __future__ import annotations

from typing import Any

from msdump.runtime.functions.build import BOOL, op, prim
from msdump.runtime.tensor import Tensor

# Element by element, of two
add, sub, mul = op("Add"), op("Sub"), op("Mul")
div = divide = true_divide = op("Div")
floor_div = floor_divide = op("FloorDiv")
floor_mod = remainder = op("FloorMod")
fmod, pow, maximum, minimum = op("Mod"), op("Pow"), op("Maximum"), op("Minimum")
equal, not_equal = op("Equal"), op("NotEqual")
less = lt = op("Less")
less_equal = le = op("LessEqual")
greater = gt = op("Greater")
greater_equal = ge = op("GreaterEqual")
eq, ne = equal, not_equal
logical_and, logical_or, logical_xor = op("LogicalAnd"), op("LogicalOr"), op("LogicalXor")
bitwise_and, bitwise_or, bitwise_xor = op("BitwiseAnd"), op("BitwiseOr"), op("BitwiseXor")
left_shift = bitwise_left_shift = op("LeftShift")
right_shift = bitwise_right_shift = op("RightShift")
atan2, xlogy, squared_difference = op("Atan2"), op("Xlogy"), op("SquaredDifference")

# Element by element, of one
abs, neg, square, sign = op("Abs"), op("Neg"), op("Square"), op("Sign")
exp, expm1, log, log1p, log2, log10 = op("Exp"), op("Expm1"), op("Log"), op("Log1p"), op("Log2"), op("Log10")
sqrt, rsqrt, reciprocal = op("Sqrt"), op("Rsqrt"), op("Reciprocal")
sin, cos, tan, asin, acos, atan = op("Sin"), op("Cos"), op("Tan"), op("Asin"), op("ACos"), op("Atan")
sinh, cosh, tanh = op("Sinh"), op("Cosh"), op("Tanh")
asinh, acosh, atanh = op("Asinh"), op("Acosh"), op("Atanh")
floor, ceil, round, trunc = op("Floor"), op("Ceil"), op("Rint"), op("Trunc")
erf, erfc, erfinv, lgamma = op("Erf"), op("Erfc"), op("Erfinv"), op("Lgamma")
isnan, isinf, isfinite, logical_not = op("IsNan"), op("IsInf"), op("IsFinite"), op("LogicalNot")
bitwise_not = invert = op("Invert")
relu, relu6, sigmoid, silu = op("ReLU"), op("ReLU6"), op("Sigmoid"), op("SiLU")
selu, mish, softsign, logsigmoid = op("SeLU"), op("Mish"), op("Softsign"), op("LogSigmoid")
hardswish, hardsigmoid = op("HSwish"), op("HSigmoid")
zeros_like, ones_like, stop_gradient, identity = op("ZerosLike"), op("OnesLike"), op("StopGradient"), op("Identity")


def invert_or_not(input: Any) -> Tensor:
    """~input: logical for Bool, bitwise for integers."""
    return logical_not(input) if input.dtype == BOOL else bitwise_not(input)


def clamp(input: Any, min: Any = None, max: Any = None) -> Tensor:
    """Held between min and max."""
    return prim("ClampScalar")(input, min, max)


clip_by_value = clip = clamp


def addn(x: Any) -> Tensor:
    """The sum of tensors."""
    return prim("AddN")(tuple(x))
