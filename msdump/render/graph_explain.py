"""A failed compilation as a person reads it, and as JSON."""

from __future__ import annotations

from typing import Any

from msdump.graph.explain import Explanation
from msdump.graph.failure_text import Frame
from msdump.graph.text import value_text
from msdump.render.escape import escape_control
from msdump.render.graph_diff import Paint, plain


def explanation_lines(
    explanation: Explanation, paint: Paint = plain, verbose: bool = False, missing: str = ""
) -> list[str]:
    """Where it stopped, the operator with its operands, why, how control got there.

    `missing` is the analyze_fail file that the error names and that is not there.
    """
    failure, reason = explanation.failure, explanation.reason
    place = failure.place
    head = f"compilation stopped at {place}   {place.code}".rstrip() if place else "compilation stopped"
    lines = [paint(head, "head")]
    arguments = ",  ".join(map(str, failure.arguments))
    if explanation.op:
        lines.append(f"  {explanation.op}( {arguments} )" if arguments else f"  {explanation.op}")
    lines.append(paint(f"  {reason.why}", "removed"))
    lines += [f"    {detail}" for detail in reason.details]
    if reason.causes:
        lines.append("  likely, in this order")
        lines += [f"    {number}. {cause}" for number, cause in enumerate(reason.causes, 1)]
    if reason.advice:
        lines.append(paint(f"  {reason.advice}", "dim"))
    lines += _reached_from(explanation, paint, verbose)
    message = failure.message
    if failure.text.error:
        message = f"{failure.text.error}: {message}".removesuffix(": ")
    first = message.split("\n")[0]
    if first and failure.message.split("\n")[0] != reason.why:
        lines.append("MindSpore's message")
        lines += [f"  {line}" for line in (message.split("\n") if verbose else [first])]
    if missing:
        lines.append(paint(f"the graph at the failure is in {missing}, which is not here", "dim"))
    return [escape_control(line) if paint is plain else line for line in lines]


def _reached_from(explanation: Explanation, paint: Paint, verbose: bool) -> list[str]:
    frames = explanation.failure.frames
    rest = [frame for frame in frames if frame is not explanation.failure.place]
    shown = rest if verbose else [frame for frame in rest if frame.own or frame is frames[0]]
    if not shown:
        return []
    lines = ["reached from", *(f"  {frame}   {frame.code}".rstrip() for frame in shown)]
    hidden = len(rest) - len(shown)
    if hidden:
        lines.append(paint(f"  … and {hidden} line{'s' * (hidden != 1)} inside libraries", "dim"))
    return lines


def explanation_json(explanation: Explanation, missing: str = "") -> dict[str, Any]:
    """The `msdump.graph-explain/1` document."""
    failure, reason = explanation.failure, explanation.reason
    place = failure.place
    return {
        "schema": "msdump.graph-explain/1",
        "kind": reason.kind,
        "why": reason.why,
        "details": list(reason.details),
        "causes": list(reason.causes),
        "advice": reason.advice,
        "op": explanation.op,
        "graph": failure.func.name if failure.func is not None else "",
        "node": failure.node.name if failure.node is not None else "",
        "arguments": [
            {"name": a.name, "type": a.type, "value": "" if a.value is None else value_text(a.value)}
            for a in failure.arguments
        ],
        "source": str(place) if place else "",
        "code": place.code if place else "",
        "frames": [_frame(frame) for frame in failure.frames],
        "error": failure.text.error,
        "message": failure.message,
        "missing": missing,
    }


def _frame(frame: Frame) -> dict[str, Any]:
    return {"file": frame.file, "line": frame.line, "code": frame.code, "own": frame.own}
