"""What a function of the user takes, read from the source file that defines it."""

from __future__ import annotations

import ast
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Definition:
    """A function's signature, self not counted.

    Attributes:
        name, line: what it is called; where it is defined, from 1.
        parameters: names of the positional parameters, in order.
        required: how many of them have no default.
        variadic: takes any number of further arguments (`*args`).
    """

    name: str
    line: int
    parameters: tuple[str, ...]
    required: int
    variadic: bool = False

    def takes(self, count: int) -> bool:
        """Whether a call with so many positional arguments fits."""
        return self.required <= count and (self.variadic or count <= len(self.parameters))


def find_definition(source: str, name: str, line: int) -> Definition | None:
    """The definition of `name` that a call at `line` means: a method of the class around it, else a function.

    None when the source does not parse, or defines no such function, or several that could be meant.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return None
    around = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and node.lineno <= line <= (node.end_lineno or node.lineno)
    ]
    scopes: list[ast.ClassDef | ast.Module] = [*reversed(around), tree]
    for scope in scopes:
        found = [node for node in scope.body if isinstance(node, ast.FunctionDef) and node.name == name]
        if found:
            return _signature(found[-1], method=scope is not tree)
    methods = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name == name]
    return _signature(methods[0], method=methods[0].args.args[:1] != []) if len(methods) == 1 else None


def _signature(found: ast.FunctionDef, method: bool) -> Definition:
    static = any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in found.decorator_list)
    names = [arg.arg for arg in (*found.args.posonlyargs, *found.args.args)]
    if method and not static and names[:1] in (["self"], ["cls"]):
        del names[0]
    return Definition(
        found.name, found.lineno, tuple(names), len(names) - len(found.args.defaults), found.args.vararg is not None
    )
