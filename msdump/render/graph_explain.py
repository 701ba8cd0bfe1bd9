"""A failed compilation as a person reads it, and as JSON."""

from __future__ import annotations

from typing import Any

from msdump.graph.explain import Explanation
from msdump.graph.failure import Argument, Frame
from msdump.render.escape import escape_control
from msdump.render.graph_diff import Paint, plain


def explanation_lines(explanation: Explanation, paint: Paint = plain, verbose: bool = False) -> list[str]:
    """Where it stopped, the operator with its operands, why, how control got there."""
    failure = explanation.failure
    place = failure.place
    head = f"compilation stopped at {place}   {place.code}".rstrip() if place else "compilation stopped"
    lines = [paint(head, "head")]
    arguments = ",  ".join(_argument(argument) for argument in failure.arguments)
    lines.append(f"  {failure.op}( {arguments} )" if arguments else f"  {failure.op}")
    lines.append(paint(f"  {explanation.why}", "removed"))
    lines += [f"    {detail}" for detail in explanation.details]
    if explanation.advice:
        lines.append(paint(f"  {explanation.advice}", "dim"))
    rest = [frame for frame in failure.frames if frame is not place]
    shown = rest if verbose else [frame for frame in rest if frame.own or frame is failure.frames[0]]
    if shown:
        lines.append("reached from")
        lines += [f"  {frame}   {frame.code}".rstrip() for frame in shown]
        if len(shown) < len(rest):
            lines.append(paint(f"  … and {len(rest) - len(shown)} lines inside libraries", "dim"))
    first = failure.message.split("\n")[0]
    if first and first != explanation.why:
        lines.append("MindSpore's message")
        lines += [f"  {line}" for line in (failure.message.split("\n") if verbose else [first])]
    return [escape_control(line) if paint is plain else line for line in lines]


def _argument(argument: Argument) -> str:
    if argument.value:
        return argument.value
    return f"{argument.name}: {argument.type}" if argument.type else argument.name


def explanation_json(explanation: Explanation) -> dict[str, Any]:
    """The `msdump.graph-explain/1` document."""
    failure = explanation.failure
    place = failure.place
    return {
        "schema": "msdump.graph-explain/1",
        "kind": explanation.kind,
        "why": explanation.why,
        "details": list(explanation.details),
        "advice": explanation.advice,
        "op": failure.op,
        "graph": failure.func.name,
        "node": failure.node.name,
        "arguments": [{"name": a.name, "type": a.type, "value": a.value} for a in failure.arguments],
        "source": str(place) if place else "",
        "code": place.code if place else "",
        "frames": [_frame(frame) for frame in failure.frames],
        "message": failure.message,
    }


def _frame(frame: Frame) -> dict[str, Any]:
    return {"file": frame.file, "line": frame.line, "code": frame.code, "own": frame.own}
