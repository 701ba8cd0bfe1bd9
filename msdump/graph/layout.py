"""How a file spelled its graph: what is needed to print it back as it was, and means nothing.

One frozen class a format, `Layout` for those that have nothing to say. As data (`layout_data`,
`layout_from`) a layout is a mapping of its fields' names, those with their usual value left out.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Mapping
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass
from types import MappingProxyType, UnionType
from typing import Any, TypeAlias, Union, cast, get_args, get_origin, get_type_hints

Feature: TypeAlias = str | int | bool | tuple[str, ...]


def _nothing() -> Any:
    """The default of a field that is a mapping."""
    return field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class Layout:
    """Where a graph comes from.

    Attributes:
        format: name of the format it was read from; "" for a graph that was made otherwise.
        dialect: the release whose spelling the file has; "" where the format has one only.
    """

    format: str = ""
    dialect: str = ""


@dataclass(frozen=True, slots=True)
class AnfLayout(Layout):
    """`bare`: the file has no message around its graph (anf_ir.proto of 1.0)."""

    bare: bool = False


@dataclass(frozen=True, slots=True)
class MindirLayout(Layout):
    """The versions that a model tells of itself."""

    ir_version: str = ""
    producer: str = ""
    model_version: str = ""
    mind_ir_version: int | None = None


@dataclass(frozen=True, slots=True)
class FuncLayout:
    """How an .ir file spelled one FuncGraph, where that is not what the printer does by itself.

    Attributes:
        name: of the FuncGraph, as it was read.
        label: its printed name, where that repeats in the file; None: its name.
        instance: what the instance line calls it; None: its printed name.
        address: of its instance, on the compiler's heap.
        engine: address of its symbol engine.
        before: kinds of the lines before its head, a letter each (`elements.preamble`).
        between: (index of a node, kind) of each line before that node that is no part of a node
            (`syntax.body`).
        after: kinds of the lines after its closing brace: O execution order, B empty, C other.
        notes: node → kinds of the lines under it, a letter each (`elements.note`).
        numbers: node → its printed number, None for one without.
        params: printed numbers of the parameters, None for one without.
        labels: parameter → its printed name, where names repeat.
        aliases: parameter → the other name that its uses are printed with.
        unnamed: nodes printed without a debug name.
        no_call: nodes whose text is no call, kept whole as `op`.
        borrowed: node → the FuncGraph whose parameters it writes as if they were its own.
        indent: blanks before a node; None: as the dialect has it.
        open: the closing brace is missing.
        order_numbers: printed numbers of the execution order's lines.
        order_items: node → class and text of its operator and operands there, where they are others.
    """

    name: str = ""
    label: str | None = None
    instance: str | None = None
    address: str = "0x0"
    engine: str = "0x0"
    before: str | None = None
    between: tuple[tuple[int, str], ...] | None = None
    after: str | None = None
    notes: Mapping[str, str] = _nothing()
    numbers: Mapping[str, int | None] = _nothing()
    params: tuple[int | None, ...] | None = None
    labels: Mapping[str, str] = _nothing()
    aliases: Mapping[str, str] = _nothing()
    unnamed: tuple[str, ...] = ()
    no_call: tuple[str, ...] = ()
    borrowed: Mapping[str, str] = _nothing()
    indent: int | None = None
    open: bool = False
    order_numbers: tuple[int, ...] | None = None
    order_items: Mapping[str, tuple[tuple[str, str], ...]] = _nothing()


@dataclass(frozen=True, slots=True)
class IrLayout(Layout):
    """How an .ir file spelled its graph.

    Attributes:
        differs: features in which the file is not its dialect, by name.
        header: templates of the lines of its head (`elements.header`); None: the dialect's.
        tail: templates of the lines of its end (`elements.tail`); None: as usual.
        totals: "params", "subgraphs" → (the count printed, the count there was), where these differ.
        newline: what ends a line.
        trimmed: no line ends with a blank.
        classes: "Int64Imm 1" → the C++ class that execution orders give a constant, where it is
            not the usual one.
        unprinted: the FuncGraph that stands in another file.
        loose: printed numbers of its parameters.
        funcs: of each FuncGraph in the file, in its order.
    """

    format: str = "ir"
    differs: Mapping[str, Feature] = _nothing()
    header: tuple[str, ...] | None = None
    tail: tuple[str, ...] | None = None
    totals: Mapping[str, tuple[int, int]] = _nothing()
    newline: str = "\n"
    trimmed: bool = False
    classes: Mapping[str, str] = _nothing()
    unprinted: str | None = None
    loose: tuple[int | None, ...] = ()
    funcs: tuple[FuncLayout, ...] = ()


_CLASSES: Mapping[str, type[Layout]] = {"ir": IrLayout, "anf_pb": AnfLayout, "mindir": MindirLayout}


def layout_data(layout: Layout | FuncLayout) -> dict[str, Any]:
    """A layout as data of JSON."""
    usual = {f.name: _usual(f) for f in fields(layout) if f.name != "format"}
    pairs = ((f.name, getattr(layout, f.name)) for f in fields(layout))
    return {name: _plain(value) for name, value in pairs if name not in usual or value != usual[name]}


def _usual(of: Field[Any]) -> Any:
    return of.default if of.default is not MISSING else of.default_factory() if callable(of.default_factory) else None


def _plain(value: Any) -> Any:
    if isinstance(value, FuncLayout):
        return layout_data(value)
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


def layout_from(data: Any) -> Layout:
    """The layout that such data stand for; keys that are not known are passed over.

    ValueError when a field is not of its type.
    """
    if not isinstance(data, Mapping):
        raise ValueError("a layout is a mapping")
    found: Layout = _typed(_CLASSES.get(str(data.get("format")), Layout), data, "source")
    return found


_hints = functools.cache(get_type_hints)


def _typed(kind: Any, data: Any, where: str) -> Any:
    """Data as a value of a type: of its fields, its items, one of its choices."""
    origin, args = get_origin(kind), get_args(kind)
    if is_dataclass(kind) and isinstance(data, Mapping):
        hints: Mapping[str, Any] = _hints(cast("Any", kind))
        return cast("Any", kind)(**{k: _typed(hints[k], v, f"{where}.{k}") for k, v in data.items() if k in hints})
    if origin is tuple and isinstance(data, list):
        kinds = args[:1] * len(data) if args[-1] is Ellipsis else args
        if len(kinds) == len(data):
            return tuple(_typed(k, v, where) for k, v in zip(kinds, data, strict=True))
    elif origin is Mapping and isinstance(data, Mapping):
        return {str(key): _typed(args[1], item, where) for key, item in data.items()}
    elif origin is None and type(data) is kind:
        return data
    elif origin in (Union, UnionType):
        for choice in args:
            with contextlib.suppress(ValueError):
                return _typed(choice, data, where)
    raise ValueError(f"{where} cannot be {data!r}"[:200])
