"""A dialect: how one release writes what every release means, as data.

A file carries no version, so a reader does not look for one: `detect.py` tells each field by itself
from what the lines look like, and the dialect whose fields agree best gives the rest. A file that
mixes (a release between two known ones) is that dialect with the differing fields replaced.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from importlib import import_module
from typing import Any

NAMES = ("1.0", "1.1", "1.3", "1.6", "1.8", "1.10", "2.0", "2.5", "2.10")
"""Releases from which on something is written in another way, oldest first."""
LATEST = NAMES[-1]


@dataclass(frozen=True, slots=True)
class Dialect:
    """What the text looks like. Templates name what stands there in braces.

    Attributes:
        name: the release it first appears in.
        header: templates of the lines before the first subgraph.
        colon: between a graph attribute's name and value.
        param_colon: between a parameter and its type.
        params: how a parameter is written: "index" (`%para1 = x`), "name" (`%para1_x`).
        inner_params: the same of a subgraph's own: "bare" (`%para_x`) or "name".
        shape: "vector" (`Tensor[Float32]x[const vector][2]`), "x" (`Tensor[Float32]x(2)`) or
            "paren" (`Tensor[Float32], (2)`).
        no_shape: types without a shape say so (`<Func, NoShape>`).
        tuple_shape: types of tuples tell their elements' shapes.
        ref: a reference's tensor: "Tensor(F32)" or "Tensor[Float32]".
        ref_keys: types tell the parameter a reference stands for.
        ref_colon: a colon stands before that parameter's name.
        vector: brackets of `[const vector]` in device types and flags: "[]" or "{}".
        typed: constants tell their type (`I64(1)`, `"text"`).
        tensor_gap: a space stands before the value of a constant tensor.
        numbers: floats are written "fixed" (six decimals) or "general" (six digits).
        weight: what stands before true or false at a back-end graph's parameter.
        tell_default: parameters that are weights say `has_default`.
        symbols: parameters tell their symbolic shape.
        labels: attributes of nodes say where they hang (`primitive_attrs: {…}`).
        monads: how the first monads look: "U" or "UMonad[U]".
        return_op: "return" or "Return".
        calls: graphs an indirect call may reach: "none", "bare" (`%3[g]()`), "at" (`%3[@@g]()`).
        free: a free variable: "plain", "graph" (`$(g:x)`) or "at" (`$(@g:para1_x)`).
        parent: the parent graph stands in the head of a subgraph.
        place: a source line: "paren" (`f.py(12)/`), "line" (`f.py:12/`) or "span" (`f.py:12, 4~9/`).
        scope: the line that tells the scope, or "".
        fullname: the line that tells the full name.
        types_before: what a line of types begins with.
        empty_place: a node without source lines has an empty note.
        instances: subgraphs tell their instance and its address.
        order: the line before the execution order, or "" without one.
        param_prefix: what an order line writes before a parameter's name.
        gap: empty lines after a subgraph.
        first_node: number of a graph's first node.
        bracket_attrs: attributes stand in brackets before the operands (analyze_fail).
        block_head: parameters of a subgraph stand with their types, one a line.
        root_free: the entry graph's parameters are free variables in other graphs, too.
        parameters_line: subgraphs tell the types of their parameters in a line of their own.
        no_place: a subgraph without a place has an empty line in its stead.
        candidate_dashes: other source lines of a node start with dashes.
        indent: spaces before a node; four more before the lines under it.
    """

    name: str
    header: tuple[str, ...]
    colon: str
    param_colon: str
    params: str
    inner_params: str
    shape: str
    no_shape: bool
    tuple_shape: bool
    ref: str
    ref_keys: bool
    ref_colon: bool
    vector: str
    typed: bool
    tensor_gap: bool
    numbers: str
    weight: str
    tell_default: bool
    symbols: bool
    labels: bool
    monads: str
    return_op: str
    calls: str
    free: str
    parent: bool
    place: str
    scope: str
    fullname: str
    types_before: str
    empty_place: bool
    instances: bool
    order: str
    param_prefix: str
    gap: int
    first_node: int
    bracket_attrs: bool
    block_head: bool
    root_free: bool
    parameters_line: bool
    no_place: bool
    candidate_dashes: bool
    indent: int


_NAME = re.compile(r"[0-9]{1,4}(\.[0-9]{1,4})*")


@functools.cache
def dialect(name: str) -> Dialect:
    """The dialect of a release ("1.8"; "1.8.1" and "1.9" are the last one known before).

    KeyError when there is none as old.
    """
    wanted = _version(name)
    older = [n for n in NAMES if _version(n) <= wanted]
    if not older:
        raise KeyError(name)
    module = import_module(f"msdump.formats.ir.dialects.v{older[-1].replace('.', '_')}")
    found: Dialect = module.DIALECT
    return found


def _version(name: str) -> tuple[int, ...]:
    if not _NAME.fullmatch(name):
        raise KeyError(name)
    return tuple(int(part) for part in name.split(".")[:2])


def dialects() -> tuple[Dialect, ...]:
    """Every known dialect, oldest first."""
    return tuple(dialect(name) for name in NAMES)


def nearest(facts: Mapping[str, Any]) -> Dialect:
    """The dialect that agrees with most of `facts` (field → value), with the others replaced.

    Of equally near ones the newest.
    """
    known = {f.name for f in fields(Dialect)} - {"name"}
    facts = {key: value for key, value in facts.items() if key in known}
    best = max(reversed(dialects()), key=lambda d: sum(getattr(d, key) == value for key, value in facts.items()))
    return replace(best, **facts)


_MOST = 1000
"""What a dialect counts (blanks, empty lines) stays below it in any file."""


def differing(plain: Dialect, features: Mapping[str, Any]) -> Dialect:
    """A dialect with some features replaced; those that are none, or not of their type, are passed over."""
    values: dict[str, Any] = {}
    for key, value in features.items():
        usual = getattr(plain, key, None)
        if type(value) is type(usual) and key != "name" and (type(value) is not int or 0 <= value < _MOST):
            values[key] = value
    return replace(plain, **values)


def differences(found: Dialect) -> dict[str, Any]:
    """The fields in which `found` is not the dialect of its name."""
    plain = dialect(found.name)
    return {f.name: getattr(found, f.name) for f in fields(Dialect) if getattr(found, f.name) != getattr(plain, f.name)}
