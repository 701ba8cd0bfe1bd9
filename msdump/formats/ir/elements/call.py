"""The line of a node: number, name, operator, operands, attributes; cutting it into these.

Operands and strings may hold anything up to 2.0, so where the operands end is not always plain:
the closing bracket is the one after which attributes follow that can be read, and that leaves as
many operands as the line of types tells. Names of parameters that hold commas or brackets are found
first, by the table of parameters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from msdump.formats.ir.syntax.lexer import closing, split_items
from msdump.graph.abstract import Abstract, MonadType, ScalarType, TensorType

NODE = re.compile(r" *%(\d{1,18})(?:\((.*?)\))? = (.*)", re.DOTALL)
"""A node: number, debug name, the rest."""
_PLAIN = r"[^()\"\x00]*"
_SIMPLE = re.compile(
    r"((?:call @)?[^\s()\[\]{}$\"\x00]+)"  # the callee
    rf"\(({_PLAIN}(?:\({_PLAIN}\){_PLAIN})*)\)"  # operands with brackets one deep
    r"( [^\x00]*)?",
    re.DOTALL,
)
_ENDS = re.compile(r"\)(?=$| \{| [a-z_]+: \{|  #)")
_ODD = re.compile(r"[,\"()\[\]{}]")
_BRACKET = re.compile(r"[\[{]")
_NUMBERED = re.compile(r"para(\d{1,18})_")
_TRIES = 64
"""How many closing brackets are tried at most."""
_MERGE_LIMIT = 4000


def is_odd(name: str) -> bool:
    """Whether a parameter's name makes a line hard to cut."""
    return _ODD.search(name) is not None and (
        ", " in name or '"' in name or any(name.count(a) != name.count(b) for a, b in ("()", "[]", "{}"))
    )


@dataclass(slots=True)
class Call:
    """A call cut into pieces: what is called, the operands, and what follows the bracket."""

    callee: str
    operands: tuple[str, ...]
    rest: str
    sure: bool


class CallReader:
    """Cuts calls of one file.

    Args:
        quoted: strings stand in quotes.
        readable: says whether what follows the bracket is nothing but attributes.
    """

    def __init__(self, quoted: bool, readable: Callable[[str], bool]) -> None:
        self._quoted = quoted
        self._readable = readable
        self._known: dict[str, str] = {}  # texts that occur again, each kept once
        self.odd_names: dict[str, str] = {}
        """Number of a parameter → its name, of those whose names make a line hard to cut."""

    def cut(self, text: str, types: Sequence[Abstract] | None) -> Call | None:
        """The pieces of a call; `types` are those of its operands where the file tells them.

        None when it is no call.
        """
        hidden: list[str] = []
        if self.odd_names and "para" in text:
            text = self._hide(text, hidden)
        match = _SIMPLE.fullmatch(text)
        if match and (match[3] is None or self._readable(match[3])):
            inner = match[2]
            pieces = split_items(inner) if "(" in inner else inner.split(", ") if inner else []
            if len(pieces) == len(types) if types is not None else not _BRACKET.search(inner):
                return Call(
                    self._one(match[1]), tuple(map(self._known.setdefault, pieces, pieces)), match[3] or "", True
                )
        found = self._cut(text, types)
        return found if found is None or not hidden else self._shown(found, hidden)

    def _one(self, text: str) -> str:
        return self._known.setdefault(text, text)

    def _hide(self, text: str, hidden: list[str]) -> str:
        """The text with each odd name replaced by a mark."""
        pieces: list[str] = []
        at = 0
        for match in _NUMBERED.finditer(text):
            name = self.odd_names.get(match[1])
            if name is not None and match.start() >= at and text.startswith(name, match.end()):
                pieces.append(f"{text[at : match.end()]}\x00{len(hidden)}\x00")
                hidden.append(name)
                at = match.end() + len(name)
        return "".join([*pieces, text[at:]])

    def _shown(self, found: Call, hidden: list[str]) -> Call:
        """A call with the marks replaced by the odd names."""

        def show(piece: str) -> str:
            return re.sub("\x00(\\d+)\x00", lambda m: hidden[int(m[1])] if int(m[1]) < len(hidden) else m[0], piece)

        return Call(show(found.callee), tuple(map(show, found.operands)), show(found.rest), found.sure)

    def _cut(self, text: str, types: Sequence[Abstract] | None) -> Call | None:
        opening = _callee_end(text)
        if opening < 0:
            return None
        best: Call | None = None
        end = -1
        for end in self._ends(text, opening):
            rest = text[end + 1 :]
            if rest and not self._readable(rest):
                continue
            inner = text[opening + 1 : end]
            pieces, sure = self._operands(inner, types)
            found = Call(text[:opening], tuple(pieces), rest, sure)
            if sure:
                return found
            if best is None or (types is not None and _off(found, types) < _off(best, types)):
                best = found
        if best is None and end >= 0:
            pieces, _ = self._operands(text[opening + 1 : end], types)
            best = Call(text[:opening], tuple(pieces), text[end + 1 :], False)
        return best

    def _ends(self, text: str, opening: int) -> Iterator[int]:
        """Where the operands may end, the likeliest first."""
        end = closing(text, opening, self._quoted)
        if end >= 0:
            yield end
        for match in islice(_ENDS.finditer(text, opening), _TRIES):
            yield match.start()

    def _operands(self, inner: str, types: Sequence[Abstract] | None) -> tuple[list[str], bool]:
        pieces = split_items(inner, self._quoted)
        if types is None or len(pieces) == len(types):
            return pieces, True
        if not pieces and len(types) == 1:
            return [""], True
        if len(types) and len(inner) and (merged := merge(inner.split(", "), types)) is not None:
            return merged, all(_meant(text, expected) for text, expected in zip(merged, types, strict=True))
        return pieces, False


_COMMENT = re.compile(r" +#(?:(?!\}).)*$", re.DOTALL)


def split_comment(rest: str) -> tuple[str, str]:
    """What follows a call's bracket: attributes, and a comment that a person wrote behind them."""
    match = _COMMENT.search(rest) if "#" in rest else None
    return (rest[: match.start()], rest[match.start() :]) if match else (rest, "")


def _off(call: Call, types: Sequence[Abstract]) -> int:
    return abs(len(call.operands) - len(types))


def _callee_end(text: str) -> int:
    """Where the operands' bracket opens, -1 when there is none."""
    at = 0
    if text.startswith("$("):
        at = closing(text, 1) + 1
        if not at:
            return -1
    while match := re.search(r"[(\[{]", text[at:] if at else text):
        at += match.start()
        if text[at] == "(":
            return at
        end = closing(text, at)
        if end < 0:
            return text.find("(", at)
        at = end + 1
    return -1


def merge(pieces: list[str], types: Sequence[Abstract]) -> list[str] | None:
    """Neighbouring pieces joined by ", " so that there is one for each type, the likeliest way.

    None when there are too few pieces, or none fits.
    """
    spare = len(pieces) - len(types)
    if spare < 0 or not types or len(pieces) * len(types) * (spare + 1) > _MERGE_LIMIT * 8:
        return None
    worst = 10**9
    # best[j][s]: cost of giving the first j types the first j + s pieces; step[j][s]: how many the last got.
    best = [[worst] * (spare + 1) for _ in range(len(types) + 1)]
    step = [[0] * (spare + 1) for _ in range(len(types) + 1)]
    best[0][0] = 0
    for j, expected in enumerate(types):
        for used in range(spare + 1):
            if best[j][used] == worst:
                continue
            for more in range(spare - used + 1):
                first = j + used
                text = ", ".join(pieces[first : first + more + 1])
                cost = best[j][used] + _unlikely(text, expected)
                if cost < best[j + 1][used + more]:
                    best[j + 1][used + more] = cost
                    step[j + 1][used + more] = more
    if best[-1][spare] >= worst:
        return None
    merged: list[str] = []
    at, used = len(pieces), spare
    for j in range(len(types), 0, -1):
        more = step[j][used]
        merged.append(", ".join(pieces[at - more - 1 : at]))
        at -= more + 1
        used -= more
    return merged[::-1]


def _meant(text: str, expected: Abstract) -> bool:
    """Whether an operand put together of several pieces is one that may hold a comma."""
    return ", " not in text or _unlikely(text, expected) < _DOUBTFUL


_DOUBTFUL = 3
_REFERENCE = re.compile(r"%\d+|%para\d*_?[^\s,()]*|\$\([^,]*\)")


def _unlikely(text: str, expected: Abstract) -> int:
    """How unlikely it is that `text` is an operand of the type `expected`: 0 is likely."""
    if _REFERENCE.fullmatch(text):
        return 0 if not (isinstance(expected, ScalarType) and expected.name == "String") else 3
    if isinstance(expected, ScalarType) and expected.name == "String":
        return 1
    if isinstance(expected, TensorType):
        return 0 if text.startswith("Tensor(") and text.endswith(")") else 50
    if isinstance(expected, MonadType):
        return 0 if text in ("U", "IO", "UMonad[U]", "IOMonad[IO]") else 50
    if ", " in text:
        balanced = all(text.count(a) == text.count(b) for a, b in ("()", "[]", "{}"))
        return 2 if (balanced and text[0] in "([{") or text.startswith("Tensor(") else 40
    return 1
