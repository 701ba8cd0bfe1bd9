"""Python's control flow made functional, so that a condition may be a tensor.

`construct` is run to be recorded. A Python `if` would ask a tensor for its truth, which no one
knows yet; so `if`, `while`, `for`, `and`, `or`, `not` and the conditional expression are rewritten
into calls of `tracing.control`, with the branches as functions of the names they assign::

    if c:                        def then(y):
        y = y + 1                    y = y + 1
    return y                         return y,
                                 y, = flow.branch(c, then, orelse, (y,), ("y",))
                                 return y

Where control leaves a branch early (return, break, continue), what follows becomes a function too
(`after`), and branches end in signals: Fall, Next, Break, Return. Line numbers stay the user's own.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
import types
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from msdump.errors import TraceError
from msdump.runtime.tracing.names import assigned, item_holders, iter_own, jumps, leaves_loop
from msdump.source import TextPlace

FLOW = "_msdump_flow"
"""Name under which rewritten code finds `tracing.control`."""

_REFUSED: dict[type[ast.AST], str] = {
    ast.Try: "try has no meaning in a graph; check the condition with if",
    ast.Yield: "a generator cannot be compiled; build a list or a tuple",
    ast.YieldFrom: "a generator cannot be compiled; build a list or a tuple",
    ast.Await: "async code cannot be compiled; call the function directly",
    ast.AsyncFor: "async code cannot be compiled; use for",
    ast.AsyncWith: "async code cannot be compiled",
    ast.Global: "a global cannot be changed by a graph; return the value",
    ast.Nonlocal: "an outer name cannot be changed by a graph; return the value",
    ast.ClassDef: "a class cannot be defined in construct; define it at module level",
    ast.Delete: "del has no meaning in a graph; let the name go out of scope",
}


def rewrite(function: types.FunctionType, flow: types.ModuleType) -> types.FunctionType | None:
    """`function` with functional control flow, or None when its source cannot be had.

    Raises:
        TraceError: at the user's line, for statements that no graph can express.
    """
    try:
        lines, first = inspect.getsourcelines(function)
        tree = ast.parse(textwrap.dedent("".join(lines)))
    except (OSError, TypeError, SyntaxError):
        return None
    definition = tree.body[0]
    if not isinstance(definition, ast.FunctionDef):
        return None  # a lambda has no statements to rewrite
    ast.increment_lineno(tree, first - 1)
    _refuse(definition, function.__code__.co_filename, lines, first)
    definition.decorator_list = []
    definition.args.defaults = []
    definition.args.kw_defaults = [None] * len(definition.args.kwonlyargs)
    _Rewriter().function(definition)
    return _compile(definition, function, flow)


def _refuse(definition: ast.FunctionDef, file: str, lines: list[str], first: int) -> None:
    for node in iter_own(definition.body):
        reason = _REFUSED.get(type(node))
        if isinstance(node, (ast.For, ast.While)) and node.orelse:
            reason = "else after a loop cannot be compiled; set a flag in the loop and test it"
        if reason:
            line = getattr(node, "lineno", first)
            column = getattr(node, "col_offset", 0) + 1
            text = lines[line - first].rstrip("\n")
            dedented = len(lines[0]) - len(lines[0].lstrip())
            raise TraceError(reason, TextPlace(file, line, column + dedented, text))


def _compile(definition: ast.FunctionDef, function: types.FunctionType, flow: types.ModuleType) -> types.FunctionType:
    # A function around it gives the code the same free variables as the original's, and `flow`.
    free = list(function.__code__.co_freevars)
    outer = _definition("outer", _arguments([FLOW, *free]), [definition])
    module = ast.Module(body=[outer], type_ignores=[])
    ast.copy_location(outer, definition)
    ast.fix_missing_locations(module)
    code = compile(module, function.__code__.co_filename, "exec", dont_inherit=True)
    inner = _code_named(_code_named(code, "outer"), definition.name)
    cells = dict(zip(free, function.__closure__ or (), strict=True))
    cells[FLOW] = types.CellType(flow)
    closure = tuple(cells[name] for name in inner.co_freevars)
    made = types.FunctionType(inner, function.__globals__, function.__name__, function.__defaults__, closure)
    made.__kwdefaults__ = function.__kwdefaults__
    made.__qualname__ = function.__qualname__
    return made


def _code_named(code: types.CodeType, name: str) -> types.CodeType:
    return next(c for c in code.co_consts if isinstance(c, types.CodeType) and c.co_name == name)


def _definition(name: str, arguments: ast.arguments, body: list[ast.stmt]) -> ast.FunctionDef:
    # parsed, not constructed: the fields of a FunctionDef differ between releases of Python
    made = ast.parse(f"def {name}(): pass").body[0]
    assert isinstance(made, ast.FunctionDef)
    made.args = arguments
    made.body = body
    return made


def _arguments(names: list[str], defaults: list[str] | None = None) -> ast.arguments:
    extra = defaults or []
    return ast.arguments(
        posonlyargs=[],
        args=[ast.arg(arg=name, annotation=None) for name in [*names, *extra]],
        vararg=None,
        kwonlyargs=[],
        kw_defaults=[],
        kwarg=None,
        defaults=[_load(name) for name in extra],
    )


def _load(name: str) -> ast.Name:
    return ast.Name(id=name, ctx=ast.Load())


def _names(names: list[str], store: bool = False) -> ast.Tuple:
    context: Callable[[], ast.expr_context] = ast.Store if store else ast.Load
    return ast.Tuple(elts=[ast.Name(id=name, ctx=context()) for name in names], ctx=context())


def _strings(names: list[str]) -> ast.Tuple:
    return ast.Tuple(elts=[ast.Constant(name) for name in names], ctx=ast.Load())


def _flow(name: str, *arguments: ast.expr) -> ast.Call:
    function = ast.Attribute(value=_load(FLOW), attr=name, ctx=ast.Load())
    return ast.Call(func=function, args=list(arguments), keywords=[])


class _Rewriter:
    """Rewrites one function; `loops` holds the variables of each loop around the place."""

    def __init__(self) -> None:
        self.counter = 0
        self.loops: list[list[str]] = []
        self.nested = False  # inside a function made here, where results are signals
        self.local: set[str] = set()  # names of the function itself, not of what lies around it
        self.expressions = _Expressions(self)

    def fresh(self, stem: str) -> str:
        self.counter += 1
        return f"_{stem}_{self.counter}"

    def changed(self, nodes: Sequence[ast.AST]) -> list[str]:
        """Local names that `nodes` bind, or change an item of."""
        return sorted({*assigned(nodes), *(item_holders(nodes) & self.local)})

    def function(self, definition: ast.FunctionDef) -> None:
        """Rewrite a whole function in place."""
        arguments = definition.args
        known = {a.arg for a in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]}
        known |= {a.arg for a in (arguments.vararg, arguments.kwarg) if a}
        fresh = [name for name in assigned(definition.body) if name not in known]
        outer = (self.loops, self.nested, self.local)
        self.loops, self.nested, self.local = [], False, known | set(fresh)
        body = self.block(definition.body, None)
        self.loops, self.nested, self.local = outer
        start: list[ast.stmt] = [
            ast.Assign(targets=[_names([name], store=True).elts[0]], value=_flow("Undefined", ast.Constant(name)))
            for name in fresh
        ]
        for statement in start:
            ast.copy_location(statement, definition)
        definition.body = [*start, *body]

    def block(self, statements: list[ast.stmt], ending: ast.expr | None) -> list[ast.stmt]:
        """The statements rewritten; `ending` is returned where control reaches their end."""
        done: list[ast.stmt] = []
        for index, statement in enumerate(statements):
            rest = statements[index + 1 :]
            made = self.statement(statement, rest, ending)
            for new in made:
                _place(new, statement)
            done.extend(made)
            if made and isinstance(made[-1], ast.Return):
                return done
        if ending is not None:
            last = ast.Return(value=ending)
            done.append(_place(last, statements[-1]) if statements else last)
        return done

    def statement(self, node: ast.stmt, rest: list[ast.stmt], ending: ast.expr | None) -> list[ast.stmt]:
        if isinstance(node, ast.If):
            return self.if_(node, rest, ending)
        if isinstance(node, (ast.While, ast.For)):
            return self.loop(node, rest, ending)
        if isinstance(node, ast.Return):
            value = self.expressions.visit(node.value) if node.value else ast.Constant(None)
            return [ast.Return(value=_flow("Return", value) if self.nested else value)]
        if isinstance(node, (ast.Break, ast.Continue)):
            signal = "Break" if isinstance(node, ast.Break) else "Next"
            return [ast.Return(value=_flow(signal, _names(self.loops[-1])))]
        if isinstance(node, ast.FunctionDef):
            self.function(node)
            return [node]
        if isinstance(node, ast.With):
            node.body = self.block(node.body, None)
            return [node]
        if isinstance(node, ast.Assign) and _is_item(node.targets):
            return self.set_item(node.targets[0], self.expressions.visit(node.value))
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Subscript):
            read = ast.Subscript(value=node.target.value, slice=node.target.slice, ctx=ast.Load())
            value = ast.BinOp(left=read, op=node.op, right=node.value)
            return self.set_item(node.target, self.expressions.visit(value))
        if isinstance(node, ast.Assert):
            message = self.expressions.visit(node.msg) if node.msg else ast.Constant(None)
            return [ast.Expr(value=_flow("check", self.expressions.visit(node.test), message))]
        return [self.expressions.visit(node)]

    def set_item(self, target: ast.expr, value: ast.expr) -> list[ast.stmt]:
        # x[i] = v: a tensor in a graph is never changed in place, so the name is bound anew.
        assert isinstance(target, ast.Subscript)
        holder = self.expressions.visit(target.value)
        index = self.expressions.visit(target.slice)
        call = _flow("set_item", holder, _as_index(index), value)
        if isinstance(target.value, ast.Name) and target.value.id in self.local:
            return [ast.Assign(targets=[ast.Name(id=target.value.id, ctx=ast.Store())], value=call)]
        return [ast.Expr(value=call)]

    def made_function(
        self, name: str, names: list[str], body: list[ast.stmt], ending: ast.expr, first: list[ast.stmt] | None = None
    ) -> ast.FunctionDef:
        """A nested function of `names`; what else its body assigns starts from the outer value."""
        others = [n for n in self.changed(body) if n not in names]
        outer, self.nested = self.nested, True
        statements = [*(first or []), *self.block(body, ending)]
        self.nested = outer
        return _definition(name, _arguments(names, others), statements)

    def finish(self, result: ast.expr) -> ast.stmt:
        return ast.Return(value=result if self.nested else _flow("finish", result))

    def after(self, names: list[str], rest: list[ast.stmt], ending: ast.expr | None) -> ast.FunctionDef:
        return self.made_function(self.fresh("after"), names, rest, ending or _flow("Return", ast.Constant(None)))

    def if_(self, node: ast.If, rest: list[ast.stmt], ending: ast.expr | None) -> list[ast.stmt]:
        names = self.changed([*node.body, *node.orelse])
        early = jumps(node.body) or jumps(node.orelse)
        fall = _flow("Fall", _names(names))
        then = self.made_function(self.fresh("then"), names, node.body, fall)
        orelse = self.made_function(self.fresh("orelse"), names, node.orelse, fall)
        test = self.expressions.visit(node.test)
        arguments = (test, _load(then.name), _load(orelse.name), _names(names), _strings(names))
        if not early:
            return [then, orelse, self.rebind(names, _flow("branch", *arguments))]
        after = self.after(names, rest, ending)
        return [then, orelse, after, self.finish(_flow("branch_early", *arguments, _load(after.name)))]

    def rebind(self, names: list[str], value: ast.expr) -> ast.stmt:
        return ast.Assign(targets=[_names(names, store=True)], value=value) if names else ast.Expr(value=value)

    def loop(self, node: ast.While | ast.For, rest: list[ast.stmt], ending: ast.expr | None) -> list[ast.stmt]:
        target = [node.target] if isinstance(node, ast.For) else []
        names = self.changed([*node.body, *target])
        early = leaves_loop(node.body)
        self.loops.append(names)
        first: list[ast.stmt] = []
        parameters = names
        if isinstance(node, ast.For):
            item = self.fresh("item")
            parameters = [item, *names]
            first = [ast.Assign(targets=[node.target], value=_load(item))]
            for statement in first:
                ast.copy_location(statement, node)
        body = self.made_function(self.fresh("body"), parameters, node.body, _flow("Next", _names(names)), first)
        self.loops.pop()
        made: list[ast.stmt] = [body]
        if isinstance(node, ast.For):
            over = self.expressions.visit(node.iter)
            kind = "loop_over"
        else:
            test = ast.Return(value=self.expressions.visit(node.test))
            condition = self.made_function(self.fresh("condition"), names, [], ast.Constant(None))
            condition.body = [ast.copy_location(test, node)]
            made.append(condition)
            over = _load(condition.name)
            kind = "loop_while"
        arguments = (over, _load(body.name), _names(names), _strings(names))
        if not early:
            return [*made, self.rebind(names, _flow(kind, *arguments))]
        after = self.after(names, rest, ending)
        return [*made, after, self.finish(_flow(kind + "_early", *arguments, _load(after.name)))]


_Statement = TypeVar("_Statement", bound=ast.stmt)


def _place(new: _Statement, old: ast.stmt) -> _Statement:
    """Put a statement on the first line of the one it stands for: a call that reaches over several
    lines would be told by its last.
    """
    if new is not old:
        new.lineno, new.col_offset = old.lineno, old.col_offset
        new.end_lineno, new.end_col_offset = old.lineno, old.col_offset + 1
    ast.fix_missing_locations(new)
    return new


def _is_item(targets: list[ast.expr]) -> bool:
    return len(targets) == 1 and isinstance(targets[0], ast.Subscript)


def _as_index(index: ast.expr) -> ast.expr:
    """An index as an expression: `a:b` is slice(a, b) outside of brackets."""
    if isinstance(index, ast.Slice):
        parts = [part or ast.Constant(None) for part in (index.lower, index.upper, index.step)]
        return ast.Call(func=_load("slice"), args=parts, keywords=[])
    if isinstance(index, ast.Tuple):
        return ast.Tuple(elts=[_as_index(e) for e in index.elts], ctx=ast.Load())
    return index


class _Expressions(ast.NodeTransformer):
    """Calls, conditions and boolean operators inside expressions."""

    def __init__(self, rewriter: _Rewriter) -> None:
        self.rewriter = rewriter

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        self.rewriter.function(node)
        return node

    def visit_Call(self, node: ast.Call) -> Any:
        if isinstance(node.func, ast.Name) and node.func.id in ("super", "locals", FLOW):
            return node  # these look at the frame that calls them
        self.generic_visit(node)
        node.args = [node.func, *node.args]
        node.func = ast.copy_location(
            ast.Attribute(value=ast.copy_location(_load(FLOW), node), attr="call", ctx=ast.Load()), node
        )
        return node

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        self.generic_visit(node)
        if _binds(node):
            return node
        return ast.copy_location(
            _flow("choose", node.test, _thunk(node.body), _thunk(node.orelse)),
            node,
        )

    def visit_BoolOp(self, node: ast.BoolOp) -> Any:
        self.generic_visit(node)
        if _binds(node):
            return node
        name = "and_" if isinstance(node.op, ast.And) else "or_"
        return ast.copy_location(_flow(name, *(_thunk(value) for value in node.values)), node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        self.generic_visit(node)
        if isinstance(node.op, ast.Not):
            return ast.copy_location(_flow("not_", node.operand), node)
        return node


def _thunk(value: ast.expr) -> ast.Lambda:
    return ast.Lambda(args=_arguments([]), body=value)


def _binds(node: ast.expr) -> bool:
    """Whether an expression binds a name (`:=`), which a function around it would hide."""
    return any(isinstance(inner, ast.NamedExpr) for inner in ast.walk(node))
