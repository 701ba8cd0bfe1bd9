"""Nested tuples, lists and dicts taken apart into leaves, and put together again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

Rebuild = Callable[[Iterator[Any]], Any]


def flatten(value: Any) -> tuple[list[Any], Rebuild, Any]:
    """The leaves of a nested value, a function that builds it anew from other leaves, and its form.

    Two values have one form when they nest alike: equal kinds, lengths and keys.
    """
    if isinstance(value, (tuple, list)):
        kind = type(value)
        parts = [flatten(item) for item in value]
        leaves = [leaf for part, _, _ in parts for leaf in part]

        def build_sequence(new: Iterator[Any]) -> Any:
            items = [rebuild(new) for _, rebuild, _ in parts]
            return kind(*items) if hasattr(kind, "_fields") else kind(items)

        return leaves, build_sequence, (kind, tuple(form for _, _, form in parts))
    if isinstance(value, dict):
        keys = list(value)
        parts = [flatten(value[key]) for key in keys]
        leaves = [leaf for part, _, _ in parts for leaf in part]

        def build_dict(new: Iterator[Any]) -> Any:
            return {key: rebuild(new) for key, (_, rebuild, _) in zip(keys, parts, strict=True)}

        return leaves, build_dict, (dict, tuple(zip(keys, (form for _, _, form in parts), strict=True)))
    return [value], next, None
