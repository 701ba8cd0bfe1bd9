"""Constants as text: `I64(1)`, `(1, 2)`, `Tensor(shape=[2], dtype=Int8, value=[1 2])`, and back.

Each distinct text is read once. A constant whose text would not be printed back the same is kept
as Opaque. Releases before 2.5 write no types with their constants, so the type of the operand,
where the file tells it, says what a word is.
"""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

from msdump.dtype import by_name
from msdump.formats.ir.dialects.dialect import Dialect
from msdump.formats.ir.elements.number import format_number, parse_number, short_kind
from msdump.formats.ir.syntax.lexer import split_items
from msdump.graph.abstract import Abstract, MonadType, ScalarType, SequenceType, TensorType
from msdump.graph.value import (
    DictValue,
    Monad,
    Named,
    NoneValue,
    Opaque,
    Scalar,
    Sequence,
    Str,
    TensorValue,
    TypeValue,
    Value,
)

Place: TypeAlias = Literal["operand", "attr"]
_DEPTH = 64

_TYPED = re.compile(r"([A-Z][A-Za-z]*\d*)\(([^()]*|\(.*\))\)")
_TENSOR = re.compile(r"Tensor\(shape=\[((?:-?\d{1,18}(?:, -?\d{1,18})*)?)\], dtype=(\w+), value=(.*)\)", re.DOTALL)
_NAME_SPACE = re.compile(r"[A-Za-z]+: '[^']*'")
_SLICE = re.compile(r"Slice\[([^\[\]]*)\]")
_CLASS = re.compile(r"class '([^']*)'")
_WORD = re.compile(r"[^\W\d][\w.:\-]*(?:\[[\w.\-]*\])?")
_NAMED = re.compile(r"(NameSpace|ValueProblem|UMonad|IOMonad)\[(.*)\]", re.DOTALL)
_KEY = re.compile(r"\[Key\]\[(\w+)\](.*)", re.DOTALL)
_PROBLEMS = ("Dead Node", "DeadNode", "Poly Node", "PolyNode", "Error Node")


class Values:
    """Reads and prints the constants of one dialect; keeps what it has read."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._typed = dialect.values.typed
        self._read: dict[tuple[str, int, Place], tuple[Abstract | None, Value]] = {}

    def parse(self, text: str, abstract: Abstract | None = None, place: Place = "operand") -> Value:
        """The constant that `text` stands for; `abstract` is its type where the file tells it."""
        key = (text, id(abstract), place)
        found = self._read.get(key)
        if found is None:
            value = self._parse(text, abstract, place, _DEPTH)
            if self.format(value, place) != text:
                value = self._spelt(value, text)
                if self.format(value, place) != text:
                    value = Opaque(text)
            found = self._read[key] = (abstract, value)  # the type is kept so that its id stays its own
        return found[1]

    def _spelt(self, value: Value, text: str) -> Value:
        return Scalar(value.kind, value.value, text) if isinstance(value, Scalar) else value

    def format(self, value: Value, place: Place = "operand") -> str:
        """The text of a constant."""
        return self._format(value, place, False)

    # Reading

    def _parse(self, text: str, abstract: Abstract | None, place: Place, depth: int) -> Value:
        if not depth:
            return Opaque(text)
        if not self._typed and isinstance(abstract, ScalarType) and abstract.name == "String":
            return Str(text)
        if self._typed and len(text) > 1 and text[0] == text[-1] == '"':
            return Str(text[1:-1])
        if text.startswith("Tensor(") and (found := self._tensor(text)) is not None:
            return found
        if text[:1] in "([" and text[-1:] in ")]" and text[:1]:
            return self._sequence(text, abstract, place, depth)
        if text[:1] == "{" and text[-1:] == "}":
            return self._dict(text, place, depth)
        return self._scalar(text, abstract) or self._word(text, abstract, place, depth == _DEPTH)

    def _tensor(self, text: str) -> Value | None:
        if match := _TENSOR.fullmatch(text):
            shape = tuple(int(n) for n in match[1].split(", ")) if match[1] else ()
            numbers = match[3][1:] if match[3][:1] in ("\n", " ") and self._gap(shape, match[3]) else match[3]
            return TensorValue(match[2], shape, None if numbers == "[...]" else numbers)
        return None

    def _gap(self, shape: tuple[int, ...], numbers: str) -> bool:
        """Whether the first character of a tensor's numbers only sets them off."""
        return numbers[0] == "\n" or self._dialect.values.tensor_gap

    def _sequence(self, text: str, abstract: Abstract | None, place: Place, depth: int) -> Value:
        kind = "Tuple" if text[0] == "(" else "List"
        pieces = split_items(text[1:-1], self._typed)
        types = abstract.elements if isinstance(abstract, SequenceType) else None
        if types is not None and len(types) != len(pieces):
            pieces = _merge(pieces, types) or pieces
        if types is None or len(types) != len(pieces):
            types = (None,) * len(pieces)  # type: ignore[assignment]  # no type known for any
        items = tuple(self._parse(p, t, place, depth - 1) for p, t in zip(pieces, types or (), strict=True))
        return Sequence(kind, items)

    def _dict(self, text: str, place: Place, depth: int) -> Value:
        items: list[tuple[Value, Value]] = []
        for piece in split_items(text[1:-1], self._typed):
            key, colon, value = piece.partition(": ")
            if not colon:
                return Opaque(text)
            items.append((self._parse(key, None, place, depth - 1), self._parse(value, None, place, depth - 1)))
        return DictValue(tuple(items))

    def _scalar(self, text: str, abstract: Abstract | None) -> Value | None:
        if match := _TYPED.fullmatch(text):
            known = by_name(match[1])
            number = parse_number(match[2], known.name) if known else None
            return Scalar(known.name, number) if known and number is not None else None
        if text in ("true", "false"):
            return Scalar("Bool", text == "true")
        kind = abstract.name if isinstance(abstract, ScalarType) else ""
        known = by_name(kind) if kind else None
        number = parse_number(text, known.name if known else "")
        return None if number is None else Scalar(known.name if known else "", number)

    def _word(self, text: str, abstract: Abstract | None, place: Place, top: bool) -> Value:
        """Anything that is told by a word."""
        if text == "None":
            return NoneValue()
        if text in ("U", "IO") and not self._typed and place == "operand":
            return Monad(text)
        if match := _NAMED.fullmatch(text):
            return Monad(match[2]) if match[1].endswith("Monad") else Named(_KINDS.get(match[1], match[1]), match[2])
        if match := _CLASS.fullmatch(text):
            return Named("class", match[1])
        if match := _SLICE.fullmatch(text):
            return Sequence("Slice", tuple(self._parse(p, None, place, 1) for p in match[1].split(" : ")))
        if match := _KEY.fullmatch(text):
            return Named(f"Key {match[1]}", match[2])
        if text in _PROBLEMS:
            return Named("Problem", text)
        if not self._typed and _NAME_SPACE.fullmatch(text):
            return Named("NameSpace", text)
        of_type = isinstance(abstract, ScalarType) and "TypeType" in abstract.name
        if (self._typed and (top or place == "operand")) or (place == "operand" and of_type):
            if by_name(text) is not None or re.fullmatch(r"(Tensor|Type|Func|List|Tuple)\w*(\[\w+\])?", text):
                return TypeValue(text)
            return Named("Symbol", text) if _WORD.fullmatch(text) else Opaque(text)
        if text.startswith(("S-Prim-", "MetaFuncGraph-", "MultitypeFuncGraph")):
            return Named("Primitive", text)
        if isinstance(abstract, (TensorType, MonadType)):
            return Opaque(text)
        return Str(text)

    # Printing

    def _format(self, value: Value, place: Place, inside: bool) -> str:
        if isinstance(value, Scalar):
            return self._format_scalar(value)
        if isinstance(value, Str):
            return f'"{value.value}"' if self._typed and not (place == "attr" and inside) else value.value
        if isinstance(value, Sequence):
            if value.kind == "Slice":
                return f"Slice[{' : '.join(self._format(item, place, True) for item in value.items)}]"
            inner = ", ".join(self._format(item, place, True) for item in value.items)
            return f"({inner})" if value.kind == "Tuple" else f"[{inner}]"
        if isinstance(value, TensorValue):
            return self._format_tensor(value)
        if isinstance(value, DictValue):
            pairs = (f"{self._format(k, place, False)}: {self._format(v, place, False)}" for k, v in value.items)
            return "{" + ", ".join(pairs) + "}"
        if isinstance(value, NoneValue):
            return "None"
        if isinstance(value, TypeValue):
            return value.name
        if isinstance(value, Monad):
            return value.kind if self._dialect.values.monads == "U" else f"{_monad(value.kind)}[{value.kind}]"
        if isinstance(value, Named):
            return self._format_named(value)
        return value.text

    def _format_scalar(self, scalar: Scalar) -> str:
        if scalar.spelling:
            read = self._scalar(scalar.spelling, ScalarType(scalar.kind))
            if isinstance(read, Scalar) and repr(read.value) == repr(scalar.value):
                return scalar.spelling
        number = format_number(scalar, self._dialect.values.numbers if not self._typed else "general")
        if self._typed and scalar.kind:
            return f"{short_kind(scalar.kind)}({int(scalar.value) if scalar.kind == 'Bool' else number})"
        if isinstance(scalar.value, bool):
            return "true" if scalar.value else "false"
        return number

    def _format_tensor(self, tensor: TensorValue) -> str:
        gap = " " if self._dialect.values.tensor_gap else ""
        numbers = "[...]" if tensor.text is None else tensor.text
        if len(tensor.shape) > 1 and tensor.text is not None:
            gap = "\n"
        shape = ", ".join(map(str, tensor.shape))
        return f"Tensor(shape=[{shape}], dtype={tensor.dtype}, value={gap}{numbers})"

    def _format_named(self, named: Named) -> str:
        if named.kind == "class":
            return f"class '{named.name}'"
        if named.kind.startswith("Key "):
            return f"[Key][{named.kind[4:]}]{named.name}"
        if self._typed and named.kind in _WORDS:
            return f"{_WORDS[named.kind]}[{named.name}]"
        return named.name


_KINDS = {"ValueProblem": "Problem"}
_WORDS = {"NameSpace": "NameSpace", "Problem": "ValueProblem"}


def _monad(kind: str) -> str:
    return "IOMonad" if kind == "IO" else "UMonad"


def _merge(pieces: list[str], types: tuple[Abstract, ...]) -> list[str] | None:
    """Pieces put together again where a string holds a ", ", so that there are as many as types."""
    spare = len(pieces) - len(types)
    if spare < 0:
        return None
    strings = [i for i, t in enumerate(types) if isinstance(t, ScalarType) and t.name == "String"]
    if len(strings) != 1:
        return None
    first = strings[0]
    return [*pieces[:first], ", ".join(pieces[first : first + spare + 1]), *pieces[first + spare + 1 :]]
