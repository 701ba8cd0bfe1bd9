"""What stands around the lines of a text that was pasted: fences, and layers in front of each line.

A layer is told by vote: two of three lines have it, and so have nearly all lines that a graph dump, a
log with tensors or a failure is known by (its signs), which without it would stand at column 1.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

_GRAPH = (
    r"# ?IR entry\s*: @|# ?Total (?:subgraphs?|params)\s*: |# ?Params:|# ?Attrs:"
    r"|subgraph (?:attr:|instance: |@)|%para\d+_[^ ]* ?: <|#-+> \d+$|# 1\.This file shows"
    r"|# \[No\.\d+\]|funcgraph fg_\w+|digraph mindspore \{"
)
_FAILURE = r"Traceback \(most recent call last\):|- The Traceback of Net Construct Code|- C\+\+ Call Stack"
_PRINTED = r"Tensor\(shape=\[|Tensor shape:\["
CLEAN = re.compile(rf"^(?:{_GRAPH}|{_FAILURE}|{_PRINTED})")
"""How a line begins that only MindSpore writes, where nothing was put in front of it."""
_SIGN = re.compile(rf"{_GRAPH}|{_FAILURE}|{_PRINTED}")
_SIGN_AT_COLUMN_1 = re.compile(rf"{_GRAPH}|{_FAILURE}")
"""Signs that begin a line; what Print wrote may have words before it."""
FENCE = re.compile(r"[ \t]*(?:`{3,}|~{3,})[\w.+-]*[ \t]*")
COLOR = re.compile(r"\x1b\[[0-9;:?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
"""A terminal's control sequences (ECMA-48 CSI, OSC)."""
_LOOKED_AT = 4000
_MOST_LAYERS = 8
_LONGEST_PREFIX = 120
_FEWEST_LINES = 3

_TIME = r"\d{1,2}:\d\d:\d\d(?:[.,:]\d+)*"
_DATE = r"(?:\d{4}[-/.]\d\d[-/.]\d\d|\d\d/\w{3}/\d{4}|\d\d[-/]\d\d(?:[-/]\d\d)?)"
_DAY = r"(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) )?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ \d]\d"
_STAMP = (
    rf"[ \t]*(?:[IWEF]\d{{4}} {_TIME} +\d+ \S+:\d+\]|\[[A-Z]+\] ?\w+\(\d+[^()]*\):{_DATE}-{_TIME}(?: ?\[\S+:\d+\])?"
    rf"|[\[(<]?(?:(?:{_DATE}|{_DAY})[T :_-]+{_TIME}(?: \d{{4}})?|{_TIME}|\d{{10,}}\.\d+|\[ *\d+\.\d+)"
    r"(?:Z| ?[+-]\d\d:?\d\d| UTC)?[\])>]?(?: ?[:,|])?)"
)
_TAG = (
    r"[ \t]*(?:std(?:out|err) [FP]\b|\[\d+,\d+\]<std(?:out|err)>:"
    r"|[\[(<]?(?:rank|local_rank|worker|device|node|npu|gpu|card|proc|process|default|server|host)"
    r"[ _:=#-]{0,2}\d+[\])>]?[:|]?"
    r"|\(\w+ pid=\d+[^()]*\)|[\w.-]+ *\||\[?\d+\]?:|\[[^\[\]]{1,60}\][:|]?)"
)
_LEVEL = (
    r"[ \t]*(?:- ?)?(?:[\w.]+ - )?[\[(]?(?:TRACE|DEBUG|INFO|WARNING|WARN|ERROR|CRITICAL|FATAL)[\])]?"
    r"(?::[\w.]+:| *\| [\w.:<>]+ -| ?-|[:|])?"
)


@dataclass(frozen=True, slots=True)
class Layer:
    """Something in front of each line.

    Attributes:
        what: what it is, for a note.
        pattern: matches it at the front of a line.
        tag: whether it tells from whom the line is, so that lines of several may be mixed.
    """

    what: str
    pattern: re.Pattern[str]
    tag: bool = False


_NUMBERS = tuple(
    Layer("a line number", re.compile(rf"[ \t]*(\d+)(?:{after}|$)"))
    for after in (r"\t", "[:-]", r" ?[|│→]", r"[.)]", " ")
)
"""As `cat -n`, `grep -n`, pagers, lists and editors write them; one way in a text."""
_LAYERS = (
    Layer("a quotation mark", re.compile(r"[ \t]*[>|│┃]")),
    Layer("a time stamp", re.compile(_STAMP)),
    *_NUMBERS,
    Layer("a tag", re.compile(_TAG, re.IGNORECASE), True),
    Layer("a logger's level", re.compile(_LEVEL)),
)


def layers_of(lines: Sequence[str], trusted: bool = False) -> list[Layer]:
    """The layers in front of the lines of a text, the outermost first.

    Args:
        lines: the text, or its beginning.
        trusted: the text is known for what it is, so that layers are told without any sign.
    """
    sample = [line for line in lines[:_LOOKED_AT] if line.strip()]
    found: list[Layer] = []
    while sample and len(found) < _MOST_LAYERS:
        signs = [(line, sign.start()) for line in sample if (sign := _SIGN.search(line))]
        if not signs and not trusted:
            return []
        layers = (*_LAYERS, _indentation(sample, signs), _prefix(sample))
        layer = next((one for one in layers if one is not None and _votes(one, sample, signs)), None)
        if layer is None:
            return found
        found.append(layer)
        sample = [rest for line in sample if (rest := strip(layer, line)[0]).strip()]
    return found


def strip(layer: Layer, line: str) -> tuple[str, str]:
    """A line without a layer, and what was taken off."""
    match = layer.pattern.match(line)
    return (line[match.end() :], match[0]) if match else (line, "")


def _votes(layer: Layer, sample: Sequence[str], signs: Sequence[tuple[str, int]]) -> bool:
    """Whether most lines have a layer, and of the lines with a sign nearly all, before the sign."""
    match = layer.pattern.match
    if layer in _NUMBERS and not _growing([found[1] for line in sample if (found := match(line))]):
        return False
    having = sum(match(line) is not None for line in sample)
    told = sum((found := match(line)) is not None and 0 < found.end() <= start for line, start in signs)
    if not signs:
        return having == len(sample)
    return having * 3 >= len(sample) * 2 and told * 10 >= len(signs) * 9


def _growing(numbers: Sequence[str]) -> bool:
    """Whether the numbers in front of the lines only grow, as numbers of lines do."""
    values = [int(number[:18]) for number in numbers]
    return len(values) > 1 and all(map(int.__lt__, values, values[1:]))


def _indentation(sample: Sequence[str], signs: Sequence[tuple[str, int]]) -> Layer | None:
    """The blanks in front of all lines with a sign; without any, of all lines."""
    blanks = [line[: len(line) - len(line.lstrip())] for line in ([line for line, _ in signs] or sample)]
    shortest = min(blanks, key=len)
    if not shortest or shortest.strip(" \t"):
        return None
    wide = f"{len(shortest)} blank" + "s" * (len(shortest) > 1)
    return Layer(wide if "\t" not in shortest else "a tab", re.compile(re.escape(shortest)))


def _prefix(sample: Sequence[str]) -> Layer | None:
    """What stands before the first sign that begins a line otherwise, its numbers free."""
    found = next((sign for line in sample if (sign := _SIGN_AT_COLUMN_1.search(line))), None)
    prefix = found.string[: found.start()] if found else ""
    if not prefix.strip() or len(prefix) > _LONGEST_PREFIX or len(sample) < _FEWEST_LINES:
        return None
    words, blanks = prefix.rstrip(), prefix[len(prefix.rstrip()) :]
    pattern = re.sub(r"\d+", r"\\d+", re.escape(words)) + (f"(?:{re.escape(blanks)}|$)" if blanks else "")
    return Layer(f"{words!r}", re.compile(pattern))


def fenced(lines: Sequence[str]) -> list[int] | None:
    """The indices of the lines between Markdown fences, of blocks that have a sign; None when none has."""
    kept: list[int] = []
    inside: list[int] | None = None
    for at, line in enumerate([*lines, ""]):
        if at == len(lines) or FENCE.fullmatch(line):
            if inside is not None and any(_SIGN.search(lines[i]) for i in inside):
                kept += inside
            inside = [] if inside is None else None
        elif inside is not None:
            inside.append(at)
    return kept or None


def mostly(lines: Sequence[str], has: Callable[[str], object]) -> bool:
    """Whether a quarter of the lines or more have something, or no line stands as MindSpore writes it."""
    having = sum(1 for line in lines if has(line))
    return having > 0 and (having * 4 >= len(lines) or not any(map(CLEAN.match, lines)))
