"""What MindSpore calls an abstract: the inferred type of a node's output."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

Shape: TypeAlias = tuple[int, ...]
"""Sizes from the outermost dimension in; -1 is a dimension known only at run time."""


@dataclass(frozen=True, slots=True)
class TensorType:
    """A tensor. `dtype` is MindSpore's 2.x spelling; `shape` is None when the file gives none.

    `min_shape`/`max_shape` bound dynamic dimensions (1.x), `symbols` are the symbolic dimensions
    of 2.5 and later as printed ("s1<[1,inf]>"), `value` says a constant stands behind it. `kind` is
    another word than "Tensor" for a tensor of another sort ("CSRTensor", "Any(Tensor)").
    """

    dtype: str
    shape: Shape | None = None
    min_shape: Shape | None = None
    max_shape: Shape | None = None
    symbols: tuple[str, ...] | None = None
    value: str | None = None
    kind: str = "Tensor"


@dataclass(frozen=True, slots=True)
class RefType:
    """A reference to a parameter's tensor. `marks` are further words of the type ("is_inplace")."""

    tensor: TensorType
    ref_key: str | None = None
    is_parameter: bool = False
    marks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ScalarType:
    """A scalar or another atom: "Int64", "Bool", "String", "TypeType", "None", …"""

    name: str
    value: str | None = None


@dataclass(frozen=True, slots=True)
class SequenceNode:
    """Where the elements of a sequence were put together (1.6 to 2.0 print it in the type).

    Attributes:
        node: the node or constant, as an `# Order` line spells it.
        flags: for each element, 1 when something uses it; None when the file gives no flags.
        pointer: heap address of the flags, as printed.
    """

    node: str
    flags: tuple[int, ...] | None = None
    pointer: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class SequenceType:
    """A tuple, a list or a slice; `elements` is None when only the kind is known.

    `use_flags` says for each element whether something uses it (2.5 and later); `nodes` where the
    sequence was put together (1.6 to 2.0).
    """

    kind: str  # "Tuple" | "List" | "Slice"
    elements: tuple[Abstract, ...] | None
    use_flags: tuple[int, ...] | None = None
    nodes: tuple[SequenceNode, ...] = ()


@dataclass(frozen=True, slots=True)
class DictType:
    """A dictionary; keys as printed."""

    keys: tuple[str, ...]
    elements: tuple[Abstract, ...]


@dataclass(frozen=True, slots=True)
class KeywordType:
    """An argument given by keyword."""

    key: str
    element: Abstract


@dataclass(frozen=True, slots=True)
class FuncType:
    """A function: a graph, a primitive, a partial."""


@dataclass(frozen=True, slots=True)
class MonadType:
    """A token that orders side effects: "UMonad" (memory) or "IOMonad" (input and output)."""

    kind: str


@dataclass(frozen=True, slots=True)
class NullType:
    """No type inferred yet (`<null>`)."""


@dataclass(frozen=True, slots=True)
class OpaqueType:
    """A type whose text has no structure that msdump knows; counted and listed."""

    text: str


@dataclass(frozen=True, slots=True)
class DeviceType:
    """How the device holds an output, in back-end graphs: "Float32", "DefaultFormat", (1, 3)."""

    dtype: str
    format: str
    shape: Shape


NULL_TYPE = NullType()

Abstract: TypeAlias = (
    TensorType
    | RefType
    | ScalarType
    | SequenceType
    | DictType
    | KeywordType
    | FuncType
    | MonadType
    | NullType
    | OpaqueType
)
