"""Why something failed: the form in which every rule gives its answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["arguments", "shape", "dtype", "value", "branches", "unsupported", "name", "raised", "other"]


@dataclass(frozen=True, slots=True)
class Reason:
    """The reason of a failure.

    Attributes:
        kind: what does not fit; "other" when nothing but MindSpore's own message is known.
        why: one sentence in plain words.
        details: further facts, such as what each branch returns.
        causes: what is likely to be wrong, the likeliest first, where the file does not decide it.
        advice: what can be done, or "".
        op: the operator's name, where the rule knows it better than the graph does; else "".
        certain: whether it follows from what is in the file; what a message of MindSpore says goes
            before one that does not.
        assumed: attributes of the operator that were taken to have their defaults.
    """

    kind: Kind
    why: str
    details: tuple[str, ...] = ()
    causes: tuple[str, ...] = ()
    advice: str = ""
    op: str = ""
    certain: bool = True
    assumed: tuple[str, ...] = ()
