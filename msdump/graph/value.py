"""Constant values in a graph: literal operands and attribute values, with their kinds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Scalar:
    """A number or bool. `kind` is MindSpore's spelling ("Int64", "Float32", "Bool") or "" when the
    file does not tell; `value` is the Python number (releases to 1.6 print six decimals).
    `spelling` is how the file wrote it where that is not the usual way; it means nothing more."""

    kind: str
    value: int | float | bool
    spelling: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Str:
    """A string, as it was before MindSpore printed it (unescaped)."""

    value: str


@dataclass(frozen=True, slots=True)
class NoneValue:
    """Python's None."""


@dataclass(frozen=True, slots=True)
class TypeValue:
    """A type used as a value (Cast's target), such as "Float32"."""

    name: str


@dataclass(frozen=True, slots=True)
class Monad:
    """The first token of a chain of side effects: "U" or "IO"."""

    kind: str


@dataclass(frozen=True, slots=True)
class TensorValue:
    """A constant tensor. `text` is the numbers as printed, None when the file leaves them out;
    `data` is the little-endian bytes when the file carries them (.mindir, ms_output_*.pb)."""

    dtype: str
    shape: tuple[int, ...]
    text: str | None = None
    data: bytes | None = None


@dataclass(frozen=True, slots=True)
class Sequence:
    """A tuple, list or slice of values; `kind` is "Tuple", "List" or "Slice"."""

    kind: str
    items: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class DictValue:
    """A dictionary, in the file's order."""

    items: tuple[tuple[Value, Value], ...]


@dataclass(frozen=True, slots=True)
class Named:
    """Something told by a name alone: a class, a name space, a primitive used as a value.

    `kind` is MindSpore's word for it ("NameSpace", "class", "MetaFuncGraph", "Problem"), or
    "Primitive"/"Symbol" for a bare name.
    """

    kind: str
    name: str


@dataclass(frozen=True, slots=True)
class Opaque:
    """A value whose text has no structure that msdump knows; counted and listed."""

    text: str


Value: TypeAlias = Scalar | Str | NoneValue | TypeValue | Monad | TensorValue | Sequence | DictValue | Named | Opaque


class Attrs(Mapping[str, Value]):
    """Attributes by name: immutable, hashable, equal whatever their order."""

    __slots__ = ("_hash", "_items")

    def __init__(self, items: Mapping[str, Value] | tuple[tuple[str, Value], ...] = ()) -> None:
        self._items: dict[str, Value] = dict(items)
        self._hash: int | None = None

    def __getitem__(self, key: str) -> Value:
        return self._items[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(frozenset(self._items.items()))
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Attrs) and (self is other or self._items == other._items)

    def __repr__(self) -> str:
        return f"Attrs({self._items!r})"


NO_ATTRS = Attrs()
