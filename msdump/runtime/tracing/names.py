"""Which names a piece of Python assigns, and whether control can leave it early."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def iter_own(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """The nodes below `nodes` that run in the same scope: nested functions stay closed."""
    stack = list(nodes)
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, _SCOPES):
            stack.extend(ast.iter_child_nodes(node))


def assigned(nodes: Iterable[ast.AST]) -> list[str]:
    """Names bound by `nodes`, sorted: assignments, loop targets, imports, functions."""
    found: set[str] = set()
    bound_inside: set[int] = set()  # targets of comprehensions live in a scope of their own
    for node in iter_own(nodes):
        if isinstance(node, _COMPREHENSIONS):
            for generator in node.generators:
                bound_inside.update(id(n) for n in ast.walk(generator.target))
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and id(node) not in bound_inside:
            found.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            found.update(alias.asname or alias.name.split(".")[0] for alias in node.names)
    return sorted(found)


MUTATORS = frozenset(
    (
        *("add", "append", "clear", "difference_update", "discard", "extend", "insert", "intersection_update"),
        *("pop", "popitem", "remove", "reverse", "setdefault", "sort", "symmetric_difference_update", "update"),
    )
)
"""Methods that change a list, dict or set."""


def item_holders(nodes: Iterable[ast.AST]) -> set[str]:
    """Names of what `nodes` change in place: x in `x[i] = v`, `x[i][j] = v` and `x.append(v)`."""
    found: set[str] = set()
    for node in iter_own(nodes):
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            found.add(root_of(node))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in MUTATORS:
            found.add(root_of(node.func.value))
    return found - {""}


def root_of(node: ast.expr) -> str:
    """The name x of `x`, `x[i]` and `x[i][j]`; "" for anything else."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def jumps(nodes: Iterable[ast.stmt]) -> bool:
    """Whether control can leave `nodes` other than at their end: by return, or by break or continue
    of a loop around them.
    """
    return any(_leaves(node, (ast.Return, ast.Break, ast.Continue)) for node in nodes)


def leaves_loop(nodes: Iterable[ast.stmt]) -> bool:
    """Whether a loop's body can end the loop itself: by return, or by a break of its own."""
    return any(_leaves(node, (ast.Return, ast.Break)) for node in nodes)


def _leaves(node: ast.stmt, kinds: tuple[type[ast.stmt], ...]) -> bool:
    if isinstance(node, kinds):
        return True
    if isinstance(node, (ast.For, ast.While)):
        # break and continue in there are that loop's own
        return any(isinstance(inner, ast.Return) for inner in iter_own(node.body))
    if isinstance(node, ast.If):
        return any(_leaves(inner, kinds) for inner in [*node.body, *node.orelse])
    return isinstance(node, ast.With) and any(_leaves(inner, kinds) for inner in node.body)


def binds(node: ast.expr) -> bool:
    """Whether an expression binds a name (`:=`), which a function around it would hide."""
    return any(isinstance(inner, ast.NamedExpr) for inner in ast.walk(node))
