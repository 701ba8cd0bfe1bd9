"""What is known of an operand at a failure, followed through the nodes and callers that gave it.

A graph that is being parsed still has `resolve` and `getattr` nodes for names, `MakeTuple` calls
for tuples, and parameters whose arguments stand in the caller.
"""

from __future__ import annotations

import re
from collections.abc import Sequence as Seq
from itertools import pairwise

from msdump.graph.find import own_line
from msdump.graph.graph import FuncGraph, Graph
from msdump.graph.index import GraphIndex
from msdump.graph.names import debug_label, graph_label
from msdump.graph.node import CALL, CALL_VAR, CNode, GraphRef, NodeRef, Operand, Parameter, ValueNode
from msdump.graph.operator_text import split_operator
from msdump.graph.value import NO_ATTRS, Attrs, DictValue, Named, Sequence, Str, Value

_SPELLED = re.compile(r":((?:\w+::)?(?:S-Prim-)?\w+\[.*)", re.DOTALL)
_MADE = re.compile(r"= *(?:_get_cache_prim\()?(?:\w+\.)*([A-Z]\w+)\b")
FREE_PARAMETER = re.compile(r"(.*):%para\d+_(.*)")
"""`@graph:%para2_name`: a parameter of another subgraph."""
_SYMBOLS = ("resolve", "getattr")
_UNPACK = ("UnpackCall", "DoUnpackCall", "unpack_call")
_DEEPEST = 50

Step = tuple[FuncGraph, CNode]


class Trail:
    """The calls that led to a failure, innermost first, and what their nodes are given."""

    def __init__(self, graph: Graph, calls: Seq[Step]) -> None:
        self.index = GraphIndex(graph)
        self._callers = {func.name: caller for (func, _), caller in pairwise(calls)}

    def made(self, func: FuncGraph, operand: Operand | None) -> tuple[FuncGraph, CNode | Parameter | Operand | None]:
        """What gives an operand, and where that stands: a parameter is followed into the caller."""
        for _ in range(_DEEPEST):
            if isinstance(operand, GraphRef) and (free := FREE_PARAMETER.fullmatch(operand.name)):
                operand = NodeRef(free[2], free[1])
            if not isinstance(operand, NodeRef):
                break
            owner = self.index.owner(func.name, operand)
            made = self.index.producer(func.name, operand)
            if owner is None or made is None:
                return func, None
            holder = self.index.graph.funcs[owner]
            argument = self._argument(holder, made) if isinstance(made, Parameter) else None
            if argument is None:
                return holder, made
            func, operand = argument
        return func, operand

    def _argument(self, func: FuncGraph, parameter: Parameter) -> tuple[FuncGraph, Operand] | None:
        """The operand that a call on the trail gives to a parameter."""
        caller = self._callers.get(func.name)
        if caller is None or len(caller[1].inputs) != len(func.parameters):
            return None
        return caller[0], caller[1].inputs[func.parameters.index(parameter)]

    def value(self, func: FuncGraph, operand: Operand, depth: int = 0) -> Value | None:
        """The constant that an operand is, tuples and dictionaries of constants included; else None."""
        func, made = self.made(func, operand)
        if isinstance(made, ValueNode):
            return made.value
        if not isinstance(made, CNode) or depth > _DEEPEST:
            return None
        name = self.symbol(func, made.callee) if made.op == CALL_VAR else made.op
        items = [self.value(func, each, depth + 1) for each in made.inputs]
        known = tuple(item for item in items if item is not None)
        if len(known) < len(items):
            return None
        if name in ("MakeTuple", "make_tuple", "MakeList", "make_list"):
            return Sequence("List" if "ist" in name else "Tuple", known)
        if name == "make_dict" and len(known) == 2 and all(isinstance(item, Sequence) for item in known):
            keys, values = (item.items for item in known if isinstance(item, Sequence))
            return DictValue(tuple(zip(keys, values, strict=False)))
        return None

    def symbol(self, func: FuncGraph, operand: Operand | None) -> str:
        """The last part of the name that an operand was looked up by: "transpose" of ops.transpose; or ""."""
        func, made = self.made(func, operand)
        if isinstance(made, ValueNode):
            return _last_part(made.value)
        if isinstance(made, GraphRef):
            return graph_label(made.name).split(".")[0]
        if isinstance(made, CNode) and made.op in _SYMBOLS and len(made.inputs) == 2:
            return self.symbol(func, made.inputs[1])
        return ""

    def called(self, func: FuncGraph, callee: Operand | None, depth: int = 0) -> tuple[str, Attrs | None]:
        """What a callee is in the user's words, and its attributes where they are known.

        An operator ("BiasAdd"), a function ("mix"), a variable that holds one ("bias_add_op"), "if"
        for a choice of branches, or "".
        """
        if isinstance(callee, NodeRef) and (spelled := _SPELLED.search(callee.name)):
            return split_operator(spelled[1])
        func, made = self.made(func, callee)
        if not isinstance(made, CNode):
            return self.symbol(func, callee), None
        if made.op in ("Switch", "switch"):
            return "if", None
        if made.op in _UNPACK and made.inputs and depth < _DEEPEST:
            inner, _ = self.called(func, made.inputs[0], depth + 1)
            given = self.value(func, made.inputs[-1])
            return self._written(made) or inner, _keywords(given) if isinstance(given, DictValue) else None
        if made.op in (CALL, CALL_VAR) and depth < _DEEPEST:
            maker, _ = self.called(func, made.callee, depth + 1)
            if maker == "_get_cache_prim" and made.inputs:
                return self._written(made) or self.symbol(func, made.inputs[0]), NO_ATTRS
            if maker[:1].isupper() and not made.inputs:
                return maker, NO_ATTRS
        return self._written(made) or self.symbol(func, callee) or debug_label(made.debug_name), None

    @staticmethod
    def _written(made: CNode) -> str:
        """The class that a source line makes an operator of: `op = _get_cache_prim(P.BiasAdd)(…)`."""
        place = own_line(made) or (made.locations[-1] if made.locations else None)
        match = _MADE.search(place.code) if place is not None and made.op not in _SYMBOLS else None
        return match[1] if match else ""


def _keywords(given: DictValue) -> Attrs:
    return Attrs({key.value: value for key, value in given.items if isinstance(key, Str)})


def _last_part(value: Value) -> str:
    text = value.value if isinstance(value, Str) else value.name if isinstance(value, Named) else ""
    return text.rsplit(".", 1)[-1].removesuffix("'")
