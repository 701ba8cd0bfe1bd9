"""Pieces of Python's syntax, made or changed: what rewritten code is put together from."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable
from typing import TypeVar

FLOW = "_msdump_flow"
"""Name under which rewritten code finds `tracing.flow`."""


def define(name: str, arguments: ast.arguments, body: list[ast.stmt]) -> ast.FunctionDef:
    """A function of this name."""
    # parsed, not constructed: the fields of a FunctionDef differ between releases of Python
    made = ast.parse(f"def {name}(): pass").body[0]
    assert isinstance(made, ast.FunctionDef)
    made.args = arguments
    made.body = body
    return made


def arguments_for(names: list[str], defaults: list[str] | None = None) -> ast.arguments:
    """Parameters of a function; `defaults` have the value of the outer name."""
    extra = defaults or []
    return ast.arguments(
        posonlyargs=[],
        args=[ast.arg(arg=name, annotation=None) for name in [*names, *extra]],
        vararg=None,
        kwonlyargs=[],
        kw_defaults=[],
        kwarg=None,
        defaults=[load(name) for name in extra],
    )


def load(name: str) -> ast.Name:
    """A name that is read."""
    return ast.Name(id=name, ctx=ast.Load())


def name_tuple(names: list[str], store: bool = False) -> ast.Tuple:
    """Names in a tuple, read or bound."""
    context: Callable[[], ast.expr_context] = ast.Store if store else ast.Load
    return ast.Tuple(elts=[ast.Name(id=name, ctx=context()) for name in names], ctx=context())


def bind(name: str, value: ast.expr) -> ast.stmt:
    """An assignment to one name."""
    return ast.Assign(targets=[ast.Name(id=name, ctx=ast.Store())], value=value)


def strings(names: list[str]) -> ast.Tuple:
    """Names in a tuple, as strings."""
    return ast.Tuple(elts=[ast.Constant(name) for name in names], ctx=ast.Load())


def call_flow(name: str, *arguments: ast.expr) -> ast.Call:
    """A call of a function of `tracing.flow`."""
    function = ast.Attribute(value=load(FLOW), attr=name, ctx=ast.Load())
    return ast.Call(func=function, args=list(arguments), keywords=[])


def thunk(value: ast.expr) -> ast.Lambda:
    """An expression as a function without parameters."""
    return ast.Lambda(args=arguments_for([]), body=value)


_Statement = TypeVar("_Statement", bound=ast.stmt)


def place(new: _Statement, old: ast.stmt) -> _Statement:
    """Put a statement on the first line of the one it stands for: a call that reaches over several
    lines would be told by its last.
    """
    if new is not old:
        new.lineno, new.col_offset = old.lineno, old.col_offset
        new.end_lineno, new.end_col_offset = old.lineno, old.col_offset + 1
    ast.fix_missing_locations(new)
    return new


def to_read(node: ast.expr) -> ast.expr:
    """A copy of a target, to be read."""
    made = copy.deepcopy(node)
    if isinstance(made, (ast.Name, ast.Attribute, ast.Subscript)):
        made.ctx = ast.Load()
    return made


def as_index(index: ast.expr) -> ast.expr:
    """An index as an expression: `a:b` is slice(a, b) outside of brackets."""
    if isinstance(index, ast.Slice):
        parts = [part or ast.Constant(None) for part in (index.lower, index.upper, index.step)]
        return ast.Call(func=load("slice"), args=parts, keywords=[])
    if isinstance(index, ast.Tuple):
        return ast.Tuple(elts=[as_index(e) for e in index.elts], ctx=ast.Load())
    return index
