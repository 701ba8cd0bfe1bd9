"""Parameters as text: `%para1_x: <Tensor[Float32], (2, 3)> : [2, 3]`, `%para2_w: <…>  :  has_default`."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from msdump.formats.ir.dialects.dialect import Dialect
from msdump.formats.ir.elements.device import device_type, format_device
from msdump.formats.ir.elements.type import Types
from msdump.graph.abstract import NULL_TYPE, RefType, TensorType
from msdump.graph.node import Parameter

_INDEX = re.compile(r"%para(\d{1,18}) = (.*)", re.DOTALL)
_NAME = re.compile(r"%para(\d{1,18})_(.*)", re.DOTALL)
_BARE = re.compile(r"%para_(.*)", re.DOTALL)
_END = "  :  "


@dataclass(frozen=True, slots=True)
class ParameterLine:
    """A parameter with the number it is written with (None: without one)."""

    number: int | None
    parameter: Parameter


def split_name(text: str) -> tuple[int | None, str] | None:
    """(number, name) of `%para1_x`, `%para1 = x`, `%para_x`; None for anything else."""
    if match := _INDEX.fullmatch(text) or _NAME.fullmatch(text):
        return int(match[1]), match[2]
    match = _BARE.fullmatch(text)
    return (None, match[1]) if match else None


def join_name(number: int | None, name: str, how: str) -> str:
    """The text of a parameter's name where it is declared."""
    if number is None or how == "bare":
        return f"%para_{name}"
    return f"%para{number} = {name}" if how == "index" else f"%para{number}_{name}"


class Parameters:
    """Reads and prints the parameters of one dialect."""

    def __init__(self, dialect: Dialect, types: Types) -> None:
        self._dialect = dialect
        self._style = dialect.parameters
        self._types = types

    def parse(self, text: str) -> ParameterLine | None:
        """A parameter with its type; None when the text is none, or would print otherwise."""
        mark = self._style.param_colon + "<"
        at = text.find(mark)
        while at >= 0:
            found = self._parse(text[:at], text[at + len(mark) - 1 :])
            if found is not None and self.format(found.parameter, found.number, self._style.params) == text:
                return found
            at = text.find(mark, at + 1)
        return None

    def _parse(self, name: str, rest: str) -> ParameterLine | None:
        told = split_name(name)
        if told is None:
            return None
        kind, *ends = rest.split(_END)
        kind, bracket, symbols = kind.rpartition("> : ") if self._style.symbols else (kind, "", "")
        kind = kind if bracket else symbols or kind
        if not bracket and not kind.endswith(">"):
            return None  # the type goes on in the next line
        parameter = Parameter(told[1], self._types.parse(kind + ">" if bracket else kind))
        if bracket:
            plain = _symbols(parameter)
            parameter = replace(parameter, symbols=None if symbols == plain else symbols)
        elif self._style.symbols and _symbols(parameter):
            parameter = replace(parameter, symbols="")
        for end in ends:
            if end == "has_default":
                parameter = replace(parameter, has_default=True)
            elif end.startswith("<") and (device := device_type(end)):
                parameter = replace(parameter, device=device)
            elif end.startswith(self._style.weight) and end[len(self._style.weight) :] in (
                "true",
                "false",
            ):
                parameter = replace(parameter, is_weight=end.endswith("true"))
            else:
                return None
        return ParameterLine(told[0], parameter)

    def format(self, parameter: Parameter, number: int | None, how: str) -> str:
        """The text of a parameter with its type."""
        text = (
            f"{join_name(number, parameter.name, how)}{self._style.param_colon}{self._types.format(parameter.abstract)}"
        )
        if self._style.symbols and (symbols := _symbols(parameter) if parameter.symbols is None else parameter.symbols):
            text += f" : {symbols}"
        if parameter.has_default and self._style.tell_default:
            text += f"{_END}has_default"
        if parameter.device is not None:
            text += _END + format_device(parameter.device, self._dialect)
        if parameter.is_weight is not None:
            text += f"{_END}{self._style.weight}{'true' if parameter.is_weight else 'false'}"
        return text


def _symbols(parameter: Parameter) -> str:
    """The symbolic shape that says no more than the shape, "" where none is written."""
    abstract = parameter.abstract
    if abstract == NULL_TYPE or isinstance(abstract, RefType) or not isinstance(abstract, TensorType):
        return ""
    return f"[{', '.join(map(str, abstract.shape))}]" if abstract.shape is not None else ""
