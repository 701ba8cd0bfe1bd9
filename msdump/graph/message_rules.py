"""Reasons that MindSpore's own message gives, put into plain words.

A message is matched by its wording in any release from 1.0 to 2.10; what no rule knows is given as it
is, without its address and its C++ notation.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from msdump.graph.abstract import RefType, TensorType
from msdump.graph.failure import Failure
from msdump.graph.reason import Kind, Reason

_ADDRESS = re.compile(
    r"^(?:\w*Error: )?(?:For (?:primitive ?)?\[?['`]?(?:ops\.|operation )?['`]?\w+['`]?\]?(?:, ?| )(?=\S))+"
)
_VECTOR = re.compile(r"\.?(?:\[const vector\]|TensorShape)\s*[\[{]([^\[\]{}]*)[\]}]")
_ABSTRACT = re.compile(
    r"AbstractTensor\(shape: (\([^()]*\)), element: AbstractScalar\(Type: (\w+)(?:[^()]|\([^()]*\))*\).*?\)(?=[ ,.]|$)"
)
_ABOUT: tuple[tuple[re.Pattern[str], Kind], ...] = (
    (re.compile(r"\b(?:d?types?|Tensor\[\w+\])\b", re.IGNORECASE), "dtype"),
    (re.compile(r"shape|rank|dimension|\bdims?\b|broadcast|channel|size|length", re.IGNORECASE), "shape"),
    (re.compile(r"\baxis\b|index|range|must be|should be|can ?not|value|exist", re.IGNORECASE), "value"),
    (re.compile(r"\barguments?\b", re.IGNORECASE), "arguments"),
    (re.compile(r"unsupported|not supported|not callable", re.IGNORECASE), "unsupported"),
)


class _Rule(NamedTuple):
    wording: re.Pattern[str]
    kind: Kind
    why: str | Callable[[re.Match[str], Failure], str]
    advice: str = ""


def message_reason(failure: Failure) -> Reason | None:
    """The reason in MindSpore's message; None when there is no message."""
    text = failure.text.text
    if not failure.message and not failure.text.error:
        return None
    for rule in _RULES:
        found = rule.wording.search(failure.message) or rule.wording.search(text)
        if found is not None:
            why = found.expand(rule.why) if isinstance(rule.why, str) else rule.why(found, failure)
            return Reason(rule.kind, why, advice=rule.advice)
    said = plain_message(failure.message) or failure.text.error
    kind: Kind = next((kind for about, kind in _ABOUT if about.search(said)), "other")
    return Reason(kind, said)


def plain_message(message: str) -> str:
    """The first line of a message, without the operator that it begins with and its C++ notation."""
    line = message.split("\n")[0]
    while (inner := _VECTOR.sub(r"(\1)", line)) != line:
        line = inner
    line = _ABSTRACT.sub(r"Tensor[\2] \1", line)
    return _ADDRESS.sub("", line).rstrip(" .!")


def _dtypes(match: re.Match[str], failure: Failure) -> str:
    tensors = [a.abstract.tensor if isinstance(a.abstract, RefType) else a.abstract for a in failure.arguments]
    kinds = list(dict.fromkeys(t.dtype for t in tensors if isinstance(t, TensorType)))
    if len(kinds) > 1:
        return f"{failure.op} takes operands of one dtype: {' and '.join(kinds)}"
    if not kinds:
        return plain_message(failure.message)
    return f"{failure.op} does not take this dtype: {kinds[0]}"


def _needs_type(match: re.Match[str], failure: Failure) -> str:
    wanted = " or ".join(part for part in re.split(r"[,\s]+", match[2]) if part)
    return f"{match[1]} must be {wanted}, not {match[3].rstrip('. ')}"


def _index(match: re.Match[str], failure: Failure) -> str:
    return f"index {match[2]} is out of range for {match[1]} elements"


def _without_self(match: re.Match[str], failure: Failure) -> str:
    return f"{match[1]} takes {match[2]} argument{'s' * (match[2] != '1')}, {match[3]} are given"


def _undefined_for(match: re.Match[str], failure: Failure) -> str:
    return f"{match[1]} is not defined for {' and '.join(part.strip() for part in match[2].split(','))}"


_COMPUTE_OUTSIDE = "use an operator in its place, or compute it outside of construct"
_RULES = (
    _Rule(
        re.compile(r"unexpected keyword argument '?(\w+)'?"),
        "arguments",
        r"the function that is called has no parameter named \1",
        "give it by position, or by the name that the definition has",
    ),
    _Rule(
        re.compile(r"(?:External|ClassMember: .{0,300}) object has no attribute '?(\w+)'?"),
        "name",
        r"self has no attribute \1",
        "set it in __init__",
    ),
    _Rule(
        re.compile(r"'?(\w+)'? object has no attribute '?(\w+)'?"),
        "unsupported",
        r"\1 has no attribute \2: in a compiled graph only MindSpore's own methods can be called on it",
        _COMPUTE_OUTSIDE,
    ),
    _Rule(
        re.compile(r"[Nn]ame '(\w+)' is not defined|'(\w+)' is not defined"),
        "name",
        lambda match, _: f"the name {match[1] or match[2]} is not defined where construct uses it",
    ),
    _Rule(
        re.compile(r"Exceed function call depth limit (\d+)"),
        "unsupported",
        r"calls nest deeper than \1: a function that calls itself does not end",
        "raise max_call_depth if the recursion does end",
    ),
    _Rule(re.compile(r"object is not callable"), "unsupported", "what is called is neither a function nor a Cell"),
    _Rule(re.compile(r"key (\S+) does not exist in the dict"), "value", r"the dictionary has no key \1"),
    _Rule(re.compile(r"index should be in range\[-?\d+, ?(\d+)\), but got (-?\d+)"), "value", _index),
    _Rule(
        re.compile(r"[Tt]he axis(?: value)? must be in \[(-?\d+), ?(-?\d+)[)\]], but got (-?\d+)"),
        "value",
        r"axis \3 is out of range for \2 dimensions",
    ),
    _Rule(
        re.compile(r"Function:? ?'?(\w+?)(?:_\d+)?'? takes (\d+) positional arguments?, but (\d+)"),
        "arguments",
        _without_self,
    ),
    _Rule(
        re.compile(r"For operation '(\w+)', current input arguments types are <(.*?)>"),
        "unsupported",
        _undefined_for,
        _COMPUTE_OUTSIDE,
    ),
    _Rule(
        re.compile(r'Failed calling (\w+) with "(?:\w+(?:\(\))?\()?(.*?)\)?"'),
        "unsupported",
        r"\1 does not take (\2)",
    ),
    _Rule(
        re.compile(r"'x1_col':? ?(\d+) and 'x2_row':? ?(\d+)"),
        "shape",
        r"inner dimensions differ: \1 and \2",
        "transpose one of them, or change a layer's size",
    ),
    _Rule(
        re.compile(r"argument\[([\w, ]+?),? ?\] must be a type of \{(.*?)\}, but got (.*?)\.?$", re.MULTILINE),
        "dtype",
        _needs_type,
        "cast it",
    ),
    _Rule(
        re.compile(
            r"(?:must be|should be) (?:the )?same (?:data ?)?(?:type|dtype)|[Tt]ype.{0,40}not (?:the )?same"
            r"|unsupported (?:data )?type|type of .{0,60}should be (?:one of|same)",
            re.IGNORECASE,
        ),
        "dtype",
        _dtypes,
        "cast one of them",
    ),
)
