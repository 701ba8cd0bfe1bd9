"""Checks of layers' arguments, in MindSpore's words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def positive(value: Any, name: str, layer: str) -> int:
    """An int above 0; ValueError otherwise."""
    if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
        raise ValueError(
            f"For '{layer}', the '{name}' must be int and must > 0, but got '{value}' with type "
            f"'{type(value).__name__}'."
        )
    return value


def boolean(value: Any, name: str, layer: str) -> bool:
    """A bool; TypeError otherwise."""
    if not isinstance(value, bool):
        raise TypeError(f"For '{layer}', the type of '{name}' must be bool, but got {type(value).__name__}.")
    return value


def one_of(value: Any, allowed: Sequence[str], name: str, layer: str) -> str:
    """One of some strings; ValueError otherwise."""
    if value not in allowed:
        raise ValueError(
            f"For '{layer}', the '{name}' must be str and must be in '{list(allowed)}', but got '{value}'."
        )
    found: str = value
    return found


def pair(value: Any, name: str, layer: str, count: int = 2) -> tuple[int, ...]:
    """One number an axis from an int or a tuple; TypeError or ValueError otherwise."""
    if isinstance(value, int) and not isinstance(value, bool):
        numbers: tuple[int, ...] = (value,) * count
    elif isinstance(value, tuple | list):
        numbers = tuple(value)[-count:]
    else:
        raise TypeError(f"For '{layer}', the type of '{name}' must be int or tuple, but got {type(value).__name__}.")
    if len(numbers) != count or any(not isinstance(n, int) or n < 1 for n in numbers):
        raise ValueError(f"For '{layer}', the '{name}' must be {count} positive integers, but got {value}.")
    return numbers
