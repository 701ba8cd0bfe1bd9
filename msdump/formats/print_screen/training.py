"""The numbers of training in a log: epoch, step, loss, times, as LossMonitor and TimeMonitor print them.

`epoch: 12 step: 1, loss is 0.25` (LossMonitor), `Train epoch time: 99.0 ms, per step time: 99.0 ms`
(TimeMonitor), `epoch: 1/10, step: 5/20, loss: 2.3, lr: 0.1` and the like: names with a number behind
`is`, `:`, `=` or `[`. A number may be a tensor of one element, as MindSpore shows it.
"""

from __future__ import annotations

import os
import re

from msdump.errors import ReadError
from msdump.formats.pasted import Unwrapper
from msdump.formats.pasted.encoding import LineDecoder
from msdump.formats.print_screen.elements import NUMBER
from msdump.source import WHOLE, BytePlace

_SAMPLE = 2000
_TENSOR = re.compile(rf"Tensor\(shape=\[[1, ]*\], dtype=\w+, value= ?\[*\s*({NUMBER})\s*\]*\)")
_PAIR = re.compile(
    rf"(?P<name>(?:train |per[ _])?(?:epoch|step|loss|lr|acc(?:uracy)?|throughput)(?:[ _-](?:time|scale|size|rate))?)"
    rf"(?: is|s?)[ :=\[]+(?P<value>{NUMBER})(?:/ *\d+)?\]?(?: ?(?P<unit>ms|s)\b)?",
    re.IGNORECASE,
)


def read_training(path: str | os.PathLike[str], encoding: str = "") -> list[dict[str, float]]:
    """A row for each step or epoch that a log tells of: name → number, times with their unit in the name.

    Numbers of a line belong to the row before it, until one of its names is in that row already.

    Raises:
        ReadError: it cannot be opened, or no line tells a loss or a time.
    """
    name = os.fspath(path)
    try:
        with open(path, "rb") as stream:
            lines = [text for text, _ in LineDecoder(encoding, name, lambda note: None).lines(stream)]
    except OSError as error:
        raise ReadError(f"{name}: {error.strerror}") from error
    unwrap = Unwrapper(lines[:_SAMPLE], name, lambda note: None)
    rows: list[dict[str, float]] = []
    for line in lines:
        found = _numbers(unwrap(line)[0])
        if not any("loss" in key or "time" in key for key in found):
            continue
        if not rows or not rows[-1].keys().isdisjoint(found):
            rows.append({})
        rows[-1].update(found)
    if not rows:
        raise ReadError("no line tells a loss or a time of training", BytePlace(name, WHOLE))
    return rows


def _numbers(line: str) -> dict[str, float]:
    found: dict[str, float] = {}
    for match in _PAIR.finditer(_TENSOR.sub(r"\1", line)):
        key = match["name"].lower().replace("_", " ").removeprefix("train ")
        found.setdefault(f"{key} {match['unit']}" if match["unit"] else key, float(match["value"]))
    return found
