"""What a node calls: a primitive with how it is bound, a subgraph, or the output of a node."""

from __future__ import annotations

import re

from msdump.graph.node import CALL, CALL_VAR

_KINDS = (
    ("PrimFunc", "_"),
    ("S-Prim", "-"),
    ("S_Prim", "_"),
    ("MetaFuncGraph", "-"),
    ("MetaFuncGraph", "::"),
    ("MultitypeFuncGraph", "_"),
    ("MultitypeFuncGraph", "::"),
    ("Functional", "_"),
)
"""Words before an operator's name that tell how it is bound, and what joins them."""
_JOIN = {"PrimFunc": "_", "S-Prim": "-", "S_Prim": "_", "MetaFuncGraph": "-"}
_CLASSED = re.compile(r"(\w+)::(.*?)\{prim_type=(\d+)\}", re.DOTALL)
_TARGETS = re.compile(r"(.*?)\[(@.*|FuncUnion\(.*\)|[^\[\]=\"]*)\]", re.DOTALL)
_VARIABLE = re.compile(r"%|\$\(|[ΦΦф]|\[CNode\]\d|\d+(?:\[|$)|Parameter_\d+|@?\[?CNode[\]_]")
RETURNS = ("return", "Return", "Primitive::Return{prim_type=1}")


def split_op(text: str) -> tuple[str, str]:
    """(`op`, `op_kind`) of an operator's text: `PrimFunc_Add` is ("Add", "PrimFunc")."""
    if match := _CLASSED.fullmatch(text):
        op, kind = split_op(match[2])
        found = op, f"{match[1]}::{kind}"
        return found if join_op(*found) == text else (text, "")
    for kind, join in _KINDS:
        if text.startswith(kind + join) and len(text) > len(kind + join):
            op = text[len(kind + join) :]
            return (op, kind) if join_op(op, kind) == text else (text, "")
    return text, ""


def join_op(op: str, kind: str) -> str:
    """The text of an operator bound in the way `kind`."""
    if "::" in kind:
        outer, _, inner = kind.partition("::")
        number = 2 if outer == "PrimitivePy" else 1
        return f"{outer}::{join_op(op, inner)}{{prim_type={number}}}"
    return f"{kind}{_JOIN.get(kind, '::')}{op}" if kind else op


def split_callee(text: str) -> tuple[str, str, str | None]:
    """(`op`, callee text, targets text): what a call's text before the bracket calls.

    `op` is CALL, CALL_VAR, or the operator's text (then the callee is "").
    """
    if text.startswith("call @"):
        return CALL, text[6:], None
    targets: str | None = None
    if text.endswith("]") and (match := _TARGETS.fullmatch(text)) and match[1]:
        at_sign = match[2].startswith(("@", "FuncUnion("))
        if at_sign or _VARIABLE.match(match[1]):
            text, targets = match[1], match[2]
            return CALL_VAR, text, targets
    if _VARIABLE.match(text):
        return CALL_VAR, text, None
    return text, "", None


def split_targets(text: str, at: bool) -> tuple[str, ...] | None:
    """Names of the graphs an indirect call may reach, None when the text is something else."""
    if at and not text.startswith("@"):
        return None
    inner = text[1:] if at else text
    if inner.startswith("FuncUnion(") and inner.endswith(")"):
        names = tuple(inner[10:-1].split(", "))
    else:
        names = (inner,)
    if at:
        if not all(name.startswith("@") for name in names):
            return None
        names = tuple(name[1:] for name in names)
    found = join_targets(names, at)
    return names if found == text else None


def join_targets(names: tuple[str, ...], at: bool) -> str:
    """The text of the graphs an indirect call may reach."""
    sign = "@" if at else ""
    if len(names) == 1:
        return f"{sign}{sign}{names[0]}"
    return f"{sign}FuncUnion({', '.join(sign + name for name in names)})"
