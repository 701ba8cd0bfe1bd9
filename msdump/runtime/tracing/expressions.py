"""Expressions of a construct: calls, conditions and boolean operators become calls of `tracing.flow`."""

from __future__ import annotations

import ast
from typing import Any, Protocol

from msdump.runtime.tracing.names import MUTATORS, binds, root_of
from msdump.runtime.tracing.syntax import FLOW, call_flow, load, thunk


class Rewriter(Protocol):
    """What rewrites the statements around the expressions: names of the function itself, and of the
    functions around it."""

    local: set[str]
    around: set[str]

    def function(self, definition: ast.FunctionDef) -> None:
        """Rewrite a function that stands among the expressions, in place."""


class Expressions(ast.NodeTransformer):
    """Calls, conditions and boolean operators inside expressions."""

    def __init__(self, rewriter: Rewriter) -> None:
        self.rewriter = rewriter

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        """See `ast.NodeVisitor`."""
        self.rewriter.function(node)
        return node

    def test(self, node: ast.expr) -> ast.expr:
        """A condition, of which only the truth matters."""
        if isinstance(node, ast.BoolOp) and not binds(node):
            name = "and_" if isinstance(node.op, ast.And) else "or_"
            return ast.copy_location(call_flow(name, *(thunk(self.test(value)) for value in node.values)), node)
        found: ast.expr = self.visit(node)
        return found

    def visit_Call(self, node: ast.Call) -> Any:
        """See `ast.NodeVisitor`."""
        if isinstance(node.func, ast.Name) and node.func.id in ("super", "locals", FLOW):
            return node  # these look at the frame that calls them
        method = node.func if isinstance(node.func, ast.Attribute) and node.func.attr in MUTATORS else None
        own = method is not None and root_of(method.value) in self.rewriter.local | self.rewriter.around
        self.generic_visit(node)
        if method is None:
            node.args = [node.func, *node.args]
        else:
            node.args = [method.value, ast.Constant(method.attr), ast.Constant(own), *node.args]
        name = "call" if method is None else "call_method"
        node.func = ast.copy_location(
            ast.Attribute(value=ast.copy_location(load(FLOW), node), attr=name, ctx=ast.Load()), node
        )
        return node

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        """See `ast.NodeVisitor`."""
        test = self.test(node.test)
        then, orelse = self.visit(node.body), self.visit(node.orelse)
        if binds(node):
            return ast.copy_location(ast.IfExp(test=test, body=then, orelse=orelse), node)
        return ast.copy_location(call_flow("choose", test, thunk(then), thunk(orelse)), node)

    def visit_BoolOp(self, node: ast.BoolOp) -> Any:
        """See `ast.NodeVisitor`."""
        self.generic_visit(node)
        if binds(node):
            return node
        name = "and_value" if isinstance(node.op, ast.And) else "or_value"
        return ast.copy_location(call_flow(name, *(thunk(value) for value in node.values)), node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        """See `ast.NodeVisitor`."""
        if isinstance(node.op, ast.Not):
            return ast.copy_location(call_flow("not_", self.test(node.operand)), node)
        self.generic_visit(node)
        return node

    def visit_Compare(self, node: ast.Compare) -> Any:
        """See `ast.NodeVisitor`."""
        self.generic_visit(node)
        if len(node.ops) == 1 or binds(node):
            return node
        # a < b < c is (a < b) and (b < c): the truth of a tensor again
        names = ast.Tuple(elts=[ast.Constant(type(op).__name__) for op in node.ops], ctx=ast.Load())
        return ast.copy_location(call_flow("compare", names, node.left, *map(thunk, node.comparators)), node)

    def _made(self, node: ast.expr) -> Any:
        self.generic_visit(node)
        return ast.copy_location(call_flow("made", node), node)

    def visit_List(self, node: ast.List) -> Any:
        """See `ast.NodeVisitor`."""
        return self._made(node) if isinstance(node.ctx, ast.Load) else node

    visit_ListComp = visit_Dict = visit_DictComp = visit_Set = visit_SetComp = _made
