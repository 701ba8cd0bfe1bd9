"""Why a compilation failed, in plain words."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from msdump.graph.failure import Argument, Failure, failure_of_text, find_failure
from msdump.graph.failure_text import FailureText
from msdump.graph.graph import Graph
from msdump.graph.message_rules import message_reason
from msdump.graph.reason import Kind, Reason
from msdump.graph.structure_rules import STRUCTURE_RULES, Sources, no_sources, refused_call
from msdump.graph.value import Attrs, Scalar, Str

Check: TypeAlias = "Callable[[str, Sequence[Argument], Attrs], Reason | None]"
"""(operator, operands, attributes) → why it refuses them; `msdump.runtime.refusal` has the operators' own."""

_NUMBER = re.compile(r"\d+")
_SET_IN_MESSAGE = re.compile(r"'?(\w+)'?(?:=|: )(True|False|[0-9]{1,9})\b")


@dataclass(frozen=True, slots=True)
class Explanation:
    """A failure and what it means.

    Attributes:
        failure: the node at fault and how control got there.
        reason: why it failed.
    """

    failure: Failure
    reason: Reason

    @property
    def kind(self) -> Kind:
        """What does not fit."""
        return self.reason.kind

    @property
    def why(self) -> str:
        """The reason in one sentence."""
        return self.reason.why

    @property
    def op(self) -> str:
        """The operator or function at fault, as the one who knows it best spells it."""
        return self.reason.op or self.failure.op


def explain(
    graph: Graph | None,
    text: FailureText | None = None,
    check: Check | None = None,
    sources: Sources = no_sources,
) -> Explanation:
    """What went wrong in a failed compilation.

    Args:
        graph: read from analyze_fail.ir or analyze_fail.dat; None when there is only a text.
        text: what MindSpore said, where the graph's file does not hold it (1.x, 2.0).
        check: what operators say of their operands.
        sources: path of a source file, as the graph has it → its text, or None.

    Raises:
        GraphError: no node of the graph carries a failure mark.
    """
    failure = find_failure(graph, text) if graph is not None else failure_of_text(text or FailureText())
    return Explanation(failure, _reason(graph, failure, check, sources))


def _reason(graph: Graph | None, failure: Failure, check: Check | None, sources: Sources) -> Reason:
    if graph is not None:
        for rule in STRUCTURE_RULES:
            found = rule(graph, failure, sources)
            if found is not None:
                return found
    refused = _refused(failure, check) if check is not None and failure.node is not None else None
    if refused is not None and refused.certain:
        return refused
    said = message_reason(failure)
    if said is not None and said.kind != "other":
        return said
    unknown = Reason("other", f"{failure.op or 'it'} cannot be evaluated with these operands")
    return refused or said or refused_call(failure) or unknown


def _refused(failure: Failure, check: Check) -> Reason | None:
    """What the operator's own checks say.

    Where the graph does not hold its attributes they are looked up in the message, and an answer that
    assumes some must agree with it: the numbers that it names stand there too.
    """
    attrs = failure.attrs
    if attrs is None:
        attrs = _attrs_in(failure.message)
    reason = check(failure.op, failure.arguments, attrs)
    if reason is None or failure.attrs is not None or not reason.assumed:
        return reason
    if failure.message:
        return reason if set(_NUMBER.findall(reason.why)) <= set(_NUMBER.findall(failure.message)) else None
    told = f"if {' and '.join(reason.assumed)} {'is' if len(reason.assumed) == 1 else 'are'} not set, which is not told"
    return replace(reason, details=(*reason.details, told), certain=False)


def _attrs_in(message: str) -> Attrs:
    """Attributes that a message mentions: `transpose_a=True`, `'group': 2`, `data_format is NCHW`."""
    found = {
        name: Scalar("Bool", value == "True") if value in ("True", "False") else Scalar("Int64", int(value))
        for name, value in _SET_IN_MESSAGE.findall(message)
    }
    layout = re.search(r"data_?format'?(?: is|:|=) ?'?(N\w+)", message)
    return Attrs({**found, **({"data_format": Str(layout[1])} if layout else {})})
