"""A dialect: how one release writes what every release means, as data.

A file carries no version, so a reader does not look for one: `detect.py` tells each feature by itself
from what the lines look like, and the dialect whose features agree best gives the rest. A file that
mixes (a release between two known ones) is that dialect with the differing features replaced. No two
groups have a feature of one name.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args, get_type_hints

from msdump.graph.layout import Feature


@dataclass(frozen=True, slots=True)
class FileStyle:
    """The parts of a file: its head, what stands around a subgraph.

    Attributes:
        header: templates of the lines before the first subgraph.
        colon: between a graph attribute's name and value.
        parent: the parent graph stands in the head of a subgraph.
        instances: subgraphs tell their instance and its address.
        no_place: a subgraph without a place has an empty line in its stead.
        block_head: parameters of a subgraph stand with their types, one a line.
        parameters_line: subgraphs tell the types of their parameters in a line of their own.
        order: the line before the execution order, or "" without one.
        gap: empty lines after a subgraph.
    """

    header: tuple[str, ...]
    colon: Literal[" : ", ": "]
    parent: bool
    instances: bool
    no_place: bool
    block_head: bool
    parameters_line: bool
    order: str
    gap: int


@dataclass(frozen=True, slots=True)
class TypeStyle:
    """Types.

    Attributes:
        shape: "vector" (`Tensor[Float32]x[const vector][2]`), "x" (`Tensor[Float32]x(2)`) or
            "paren" (`Tensor[Float32], (2)`).
        no_shape: types without a shape say so (`<Func, NoShape>`).
        tuple_shape: types of tuples tell their elements' shapes.
        ref: a reference's tensor: "Tensor(F32)" or "Tensor[Float32]".
        ref_keys: types tell the parameter a reference stands for.
        ref_colon: a colon stands before that parameter's name.
        vector: brackets of `[const vector]` in device types and flags: "[]" or "{}".
    """

    shape: Literal["vector", "x", "paren"]
    no_shape: bool
    tuple_shape: bool
    ref: Literal["Tensor(F32)", "Tensor[Float32]"]
    ref_keys: bool
    ref_colon: bool
    vector: Literal["[]", "{}"]


@dataclass(frozen=True, slots=True)
class ValueStyle:
    """Constants.

    Attributes:
        typed: constants tell their type (`I64(1)`, `"text"`).
        tensor_gap: a space stands before the value of a constant tensor.
        numbers: floats are written "fixed" (six decimals) or "general" (six digits).
        monads: how the first monads look: "U" or "UMonad[U]".
    """

    typed: bool
    tensor_gap: bool
    numbers: Literal["fixed", "general"]
    monads: Literal["U", "UMonad[U]"]


@dataclass(frozen=True, slots=True)
class ParameterStyle:
    """Parameters, where they are declared.

    Attributes:
        param_colon: between a parameter and its type.
        params: how a parameter is written: "index" (`%para1 = x`), "name" (`%para1_x`).
        inner_params: the same of a subgraph's own: "bare" (`%para_x`) or "name".
        weight: what stands before true or false at a back-end graph's parameter.
        tell_default: parameters that are weights say `has_default`.
        symbols: parameters tell their symbolic shape.
    """

    param_colon: Literal[" : ", ": "]
    params: Literal["index", "name"]
    inner_params: Literal["bare", "name"]
    weight: Literal["IsWeight:", "IsWeight: "]
    tell_default: bool
    symbols: bool


@dataclass(frozen=True, slots=True)
class NodeStyle:
    """The line of a node, and references to others.

    Attributes:
        labels: attributes of nodes say where they hang (`primitive_attrs: {…}`).
        return_op: "return" or "Return".
        calls: graphs an indirect call may reach: "none", "bare" (`%3[g]()`), "at" (`%3[@@g]()`).
        free: a free variable: "plain", "graph" (`$(g:x)`) or "at" (`$(@g:para1_x)`).
        param_prefix: what an order line writes before a parameter's name.
        first_node: number of a graph's first node.
        indent: spaces before a node; four more before the lines under it.
    """

    labels: bool
    return_op: Literal["return", "Return", "Primitive::Return{prim_type=1}"]
    calls: Literal["none", "bare", "at"]
    free: Literal["plain", "graph", "at"]
    param_prefix: Literal["", "param_"]
    first_node: int
    indent: int


@dataclass(frozen=True, slots=True)
class NoteStyle:
    """The lines under a node.

    Attributes:
        place: a source line: "paren" (`f.py(12)/`), "line" (`f.py:12/`) or "span" (`f.py:12, 4~9/`).
        scope: the line that tells the scope, or "".
        fullname: the line that tells the full name.
        types_before: what a line of types begins with.
        empty_place: a node without source lines has an empty note.
        candidate_dashes: other source lines of a node start with dashes.
    """

    place: Literal["paren", "line", "span"]
    scope: str
    fullname: str
    types_before: Literal[": (", ":("]
    empty_place: bool
    candidate_dashes: bool


@dataclass(frozen=True, slots=True)
class Dialect:
    """What the text looks like, by what it is the look of. `name` is the release it first appears in."""

    name: str
    parts: FileStyle
    types: TypeStyle
    values: ValueStyle
    parameters: ParameterStyle
    nodes: NodeStyle
    notes: NoteStyle


_MOST = 1000
"""What a dialect counts (blanks, empty lines) stays below it in any file."""


@functools.cache
def _groups() -> Mapping[str, tuple[str, Any]]:
    """Feature → the field of Dialect that has it, and its type."""
    groups = get_type_hints(Dialect)
    return {
        feature: (group, kind)
        for group, cls in groups.items()
        if group != "name"
        for feature, kind in get_type_hints(cls).items()
    }


def features(found: Dialect) -> dict[str, Feature]:
    """All features of a dialect, by name."""
    return {feature: getattr(getattr(found, group), feature) for feature, (group, _) in _groups().items()}


def differing(plain: Dialect, given: Mapping[str, Feature]) -> Dialect:
    """A dialect with some features replaced; those that are none, or have no such value, are passed over."""
    changes: dict[str, dict[str, Feature]] = {}
    usual = features(plain)
    for feature, value in given.items():
        if feature in usual and type(value) is type(usual[feature]):
            group, kind = _groups()[feature]
            if (not get_args(kind) or value in get_args(kind) or kind == tuple[str, ...]) and (
                type(value) is not int or 0 <= value < _MOST
            ):
                changes.setdefault(group, {})[feature] = value
    groups = {group: replace(getattr(plain, group), **values) for group, values in changes.items()}
    return replace(plain, **groups)
