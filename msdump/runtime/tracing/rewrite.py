"""Python's control flow made functional, so that a condition may be a tensor.

`construct` is run to be recorded. A Python `if` would ask a tensor for its truth, which no one
knows yet; so `if`, `while`, `for`, `and`, `or`, `not` and the conditional expression are rewritten
into calls of `tracing.flow`, with the branches as functions of the names they assign::

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
import sys
import textwrap
import types
from collections.abc import Sequence

from msdump.errors import TraceError
from msdump.runtime.tracing.expressions import Expressions
from msdump.runtime.tracing.names import (
    assigned,
    binds,
    item_holders,
    iter_own,
    jumps,
    leaves_loop,
    root_of,
)
from msdump.runtime.tracing.syntax import (
    FLOW,
    arguments_for,
    as_index,
    bind,
    call_flow,
    define,
    load,
    name_tuple,
    place,
    strings,
    to_read,
)
from msdump.source import TextPlace

_MADE = "_msdump_made"

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
    ast.Match: "match cannot be compiled; use if and elif",
}
if sys.version_info >= (3, 11):
    _REFUSED[ast.TryStar] = _REFUSED[ast.Try]


_BLOCKS = (ast.If, ast.For, ast.While)


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
        if isinstance(node, ast.While) and binds(node.test):
            reason = "a name bound in the condition of a while cannot be compiled; bind it before and in the loop"
        if isinstance(node, ast.With) and any(isinstance(i, _BLOCKS) and jumps([i]) for i in iter_own(node.body)):
            reason = (
                "return, break or continue under a condition inside with cannot be compiled; put it behind the with"
            )
        if reason:
            line = getattr(node, "lineno", first)
            column = getattr(node, "col_offset", 0) + 1
            text = lines[line - first].rstrip("\n")
            dedented = len(lines[0]) - len(lines[0].lstrip())
            raise TraceError(reason, TextPlace(file, line, column + dedented, text))


def _compile(definition: ast.FunctionDef, function: types.FunctionType, flow: types.ModuleType) -> types.FunctionType:
    # A function around it gives the code the same free variables as the original's, and `flow`.
    free = list(function.__code__.co_freevars)
    # The definition gets a name of its own, or the function would find itself in place of a global.
    name, definition.name = definition.name, _MADE
    outer = define("outer", arguments_for([FLOW, *free]), [definition])
    module = ast.Module(body=[outer], type_ignores=[])
    ast.copy_location(outer, definition)
    ast.fix_missing_locations(module)
    code = compile(module, function.__code__.co_filename, "exec", dont_inherit=True)
    inner = _code_named(_code_named(code, "outer"), _MADE).replace(co_name=name)
    cells = dict(zip(free, function.__closure__ or (), strict=True))
    cells[FLOW] = types.CellType(flow)
    closure = tuple(cells[name] for name in inner.co_freevars)
    made = types.FunctionType(inner, function.__globals__, function.__name__, function.__defaults__, closure)
    made.__kwdefaults__ = function.__kwdefaults__
    made.__qualname__ = function.__qualname__
    return made


def _code_named(code: types.CodeType, name: str) -> types.CodeType:
    return next(c for c in code.co_consts if isinstance(c, types.CodeType) and c.co_name == name)


class _Rewriter:
    """Rewrites one function; `loops` holds the variables of each loop around the place."""

    def __init__(self) -> None:
        self.counter = 0
        self.loops: list[list[str]] = []
        self.nested = False  # inside a function made here, where results are signals
        self.local: set[str] = set()  # names of the function itself, not of what lies around it
        self.around: set[str] = set()  # names of the functions around it
        self.expressions = Expressions(self)

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
        outer = (self.loops, self.nested, self.local, self.around)
        self.loops, self.nested, self.around = [], False, self.around | self.local
        self.local = known | set(fresh)
        body = self.block(definition.body, None)
        self.loops, self.nested, self.local, self.around = outer
        start: list[ast.stmt] = [bind(name, call_flow("Undefined", ast.Constant(name))) for name in fresh]
        if arguments.kwarg:
            start.append(bind(arguments.kwarg.arg, call_flow("made", load(arguments.kwarg.arg))))
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
                place(new, statement)
            done.extend(made)
            if made and isinstance(made[-1], ast.Return):
                return done
        if ending is not None:
            last = ast.Return(value=ending)
            done.append(place(last, statements[-1]) if statements else last)
        return done

    def statement(self, node: ast.stmt, rest: list[ast.stmt], ending: ast.expr | None) -> list[ast.stmt]:
        if isinstance(node, ast.If):
            return self.if_(node, rest, ending)
        if isinstance(node, (ast.While, ast.For)):
            return self.loop(node, rest, ending)
        if isinstance(node, ast.Return):
            value = self.expressions.visit(node.value) if node.value else ast.Constant(None)
            return [ast.Return(value=call_flow("Return", value) if self.nested else value)]
        if isinstance(node, (ast.Break, ast.Continue)):
            signal = "Break" if isinstance(node, ast.Break) else "Next"
            return [ast.Return(value=call_flow(signal, name_tuple(self.loops[-1])))]
        if isinstance(node, ast.FunctionDef):
            self.function(node)
            return [node]
        if isinstance(node, ast.With):
            node.body = self.block(node.body, None)
            return [node]
        if isinstance(node, ast.Assign):
            return self.assign(node.targets, self.expressions.visit(node.value))
        if isinstance(node, ast.AnnAssign) and node.value:
            return self.assign([node.target], self.expressions.visit(node.value))
        if isinstance(node, ast.AugAssign) and not isinstance(node.target, ast.Name):
            value = ast.BinOp(left=to_read(node.target), op=node.op, right=node.value)
            return self.assign([node.target], self.expressions.visit(value))
        if isinstance(node, ast.Assert):
            message = self.expressions.visit(node.msg) if node.msg else ast.Constant(None)
            return [ast.Expr(value=call_flow("check", self.expressions.test(node.test), message))]
        if isinstance(node, ast.Raise):
            return [ast.Expr(value=call_flow("check_raise")), self.expressions.visit(node)]
        return [self.expressions.visit(node)]

    def assign(self, targets: list[ast.expr], value: ast.expr) -> list[ast.stmt]:
        """Bind names; items and attributes by way of `flow`, since a graph changes nothing in place."""
        if len(targets) > 1:
            held = self.fresh("value")
            return [bind(held, value), *(made for t in targets for made in self.assign([t], load(held)))]
        target = targets[0]
        if isinstance(target, ast.Attribute):
            holder = self.expressions.visit(target.value)
            return [ast.Expr(value=call_flow("set_attribute", holder, ast.Constant(target.attr), value))]
        if isinstance(target, ast.Subscript):
            return self.set_item(target, value)
        if isinstance(target, ast.Name):
            return [bind(target.id, value)]
        after: list[ast.stmt] = []
        if isinstance(target, (ast.Tuple, ast.List)):
            parts: list[ast.expr] = []
            for part in target.elts:
                inner = part.value if isinstance(part, ast.Starred) else part
                if isinstance(inner, ast.Name):
                    parts.append(part)
                    continue
                held = self.fresh("part")
                name = ast.Name(id=held, ctx=ast.Store())
                parts.append(ast.Starred(value=name, ctx=ast.Store()) if isinstance(part, ast.Starred) else name)
                after += self.assign([inner], load(held))
            target = ast.Tuple(elts=parts, ctx=ast.Store())
        return [ast.Assign(targets=[target], value=value), *after]

    def set_item(self, target: ast.Subscript, value: ast.expr) -> list[ast.stmt]:
        # x[i] = v: a tensor in a graph is never changed in place, so what holds it is bound anew.
        root = root_of(target)
        own = root in self.local
        place = "set_item" if own else "set_item_around" if root in self.around else "set_item_outside"
        holder = self.expressions.visit(to_read(target.value))
        call = call_flow(place, holder, self.index(target), value)
        if isinstance(target.value, (ast.Name, ast.Subscript, ast.Attribute)) and (
            own or not isinstance(target.value, ast.Name)
        ):
            return self.assign([target.value], call)
        return [ast.Expr(value=call)]

    def index(self, target: ast.Subscript) -> ast.expr:
        index: ast.expr = self.expressions.visit(to_read(target.slice))
        return as_index(index)

    def made_function(
        self, name: str, names: list[str], body: list[ast.stmt], ending: ast.expr, first: list[ast.stmt] | None = None
    ) -> ast.FunctionDef:
        """A nested function of `names`; what else its body assigns starts from the outer value."""
        others = [n for n in self.changed(body) if n not in names]
        outer, self.nested = self.nested, True
        statements = [*(first or []), *self.block(body, ending)]
        self.nested = outer
        return define(name, arguments_for(names, others), statements)

    def finish(self, result: ast.expr) -> ast.stmt:
        return ast.Return(value=result if self.nested else call_flow("finish", result))

    def after(self, names: list[str], rest: list[ast.stmt], ending: ast.expr | None) -> ast.FunctionDef:
        return self.made_function(self.fresh("after"), names, rest, ending or call_flow("Return", ast.Constant(None)))

    def if_(self, node: ast.If, rest: list[ast.stmt], ending: ast.expr | None) -> list[ast.stmt]:
        names = self.changed([*node.body, *node.orelse])
        early = jumps(node.body) or jumps(node.orelse)
        fall = call_flow("Fall", name_tuple(names))
        then = self.made_function(self.fresh("then"), names, node.body, fall)
        orelse = self.made_function(self.fresh("orelse"), names, node.orelse, fall)
        test = self.expressions.test(node.test)
        arguments = (test, load(then.name), load(orelse.name), name_tuple(names), strings(names))
        if not early:
            return [then, orelse, self.rebind(names, call_flow("branch", *arguments))]
        after = self.after(names, rest, ending)
        return [then, orelse, after, self.finish(call_flow("branch_early", *arguments, load(after.name)))]

    def rebind(self, names: list[str], value: ast.expr) -> ast.stmt:
        return ast.Assign(targets=[name_tuple(names, store=True)], value=value) if names else ast.Expr(value=value)

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
            first = [ast.Assign(targets=[node.target], value=load(item))]
            for statement in first:
                ast.copy_location(statement, node)
        body = self.made_function(
            self.fresh("body"), parameters, node.body, call_flow("Next", name_tuple(names)), first
        )
        self.loops.pop()
        made: list[ast.stmt] = [body]
        if isinstance(node, ast.For):
            over = self.expressions.visit(node.iter)
            kind = "loop_over"
        else:
            test = ast.Return(value=self.expressions.test(node.test))
            condition = self.made_function(self.fresh("condition"), names, [], ast.Constant(None))
            condition.body = [ast.copy_location(test, node)]
            made.append(condition)
            over = load(condition.name)
            kind = "loop_while"
        arguments = (over, load(body.name), name_tuple(names), strings(names))
        if not early:
            return [*made, self.rebind(names, call_flow(kind, *arguments))]
        after = self.after(names, rest, ending)
        return [*made, after, self.finish(call_flow(kind + "_early", *arguments, load(after.name)))]
