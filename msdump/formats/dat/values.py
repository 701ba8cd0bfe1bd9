"""Values and operands as .dat spells them: `I64(1)`, `"str"`, `Tensor(43)[2]`, `%3`, `FuncGraph::fg_9`.

Strings stand in quotes and are not escaped, so a quote may be part of one: it ends a string only
where something follows that may follow a value.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from msdump import graph as model
from msdump import numerals
from msdump.dtype import by_name, by_number
from msdump.formats.brackets import closing
from msdump.formats.dat.types import DEPTH, dtype_name
from msdump.numerals import integer, real

_NODE = re.compile(r"%(?:para)?\d+")
_SCALAR = re.compile(r"(Bool|BF16|[IUFC]\d+)\(([^()]*)\)")
_TENSOR = re.compile(r"Tensor\((\d+)\)\[([-\d, ]*)\]")
_MONAD = re.compile(r"(UMonad|IOMonad)\[(\w+)\]")
_QUALIFIED = re.compile(r"([A-Za-z_]\w*)::([^\s,()\[\]{}@]+)")
_OBJECT = re.compile(r"@\w+")
_TYPE = re.compile(r"(?:[IUFC]\d+|BF16|Bool|String|Func|TypeType)(?=[,)\]}]|$)")
_BARE = re.compile(r"[^,()\[\]{}]+")
# What may follow the quote that ends a string: the end, a bracket, or a comma and another value.
_AFTER = re.compile(
    r"$|[)\]}](?:$|[,)\]}(]|    #| #scope)|,\s?(?:[%\"(\[{]|[A-Za-z_]\w*(?:=|::|\(|\[|[,)\]}])|None|[\w.]+=)|:"
)
FUNC_GRAPH = "FuncGraph"


class Values:
    """Reads values from one text; `node` and `graph` tell what `%3` and `fg_9` mean there.

    `greedy` takes the last quote that may end a string and not the first.
    """

    def __init__(
        self,
        text: str,
        node: Callable[[str], model.Operand],
        graph: Callable[[str], model.Operand],
        greedy: bool = False,
    ) -> None:
        self.text = text
        self.node = node
        self.graph = graph
        self.greedy = greedy

    def operands(self, at: int) -> tuple[tuple[model.Operand, ...], int]:
        """The arguments in the brackets that open at an offset, and where they close."""
        found: list[model.Operand] = []
        at += 1
        while at < len(self.text) and self.text[at] != ")":
            start = at
            operand, at = self.operand(at)
            found.append(operand)
            while at < len(self.text) and self.text[at] in ", ":
                at += 1
            if at == start:
                break
        return tuple(found), at + 1

    def operand(self, at: int) -> tuple[model.Operand, int]:
        """The operand at an offset, and where it ends."""
        node = _NODE.match(self.text, at)
        if node:
            return self.node(node[0]), node.end()
        qualified = _QUALIFIED.match(self.text, at)
        if qualified and qualified[1] == FUNC_GRAPH:
            return self.graph(qualified[2]), qualified.end()
        value, end = self.value(at)
        return model.ValueNode(value), end

    def attributes(self, at: int) -> tuple[dict[str, model.Value], int]:
        """`[k=v, …]` at an offset, and where it closes."""
        found: dict[str, model.Value] = {}
        at += 1
        while at < len(self.text) and self.text[at] != "]":
            equals = self.text.find("=", at)
            if equals < 0:
                return found, len(self.text)
            name = self.text[at:equals].strip()
            found[name], at = self.value(equals + 1)
            start = at
            while at < len(self.text) and self.text[at] in ", ":
                at += 1
            if at == start and at < len(self.text) and self.text[at] != "]":
                at += 1
        return found, at + 1

    def value(self, at: int, depth: int = 0) -> tuple[model.Value, int]:
        """The value at an offset, and where it ends."""
        text = self.text
        first = text[at : at + 1]
        if first == '"':
            end = self._string_end(at)
            return model.Str(text[at + 1 : end]), end + 1
        if first in ("(", "[", "{"):
            if depth > DEPTH:
                end = closing(text, at)
                return model.Opaque(text[at:end]), end
            return self._dict(at, depth) if first == "{" else self._sequence(at, depth)
        scalar = _SCALAR.match(text, at)
        if scalar:
            number = _number(scalar[1], scalar[2])
            return (
                model.Opaque(scalar[0]) if number is None else model.Scalar(dtype_name(scalar[1]), number)
            ), scalar.end()
        tensor = _TENSOR.match(text, at)
        if tensor:
            number, shape = integer(tensor[1]), numerals.shape(tensor[2])
            if number is None or shape is None:
                return model.Opaque(tensor[0]), tensor.end()
            found = by_number("type_id_1", number)
            return model.TensorValue(found.name if found else f"TypeId{number}", shape), self._past_object(tensor.end())
        monad = _MONAD.match(text, at)
        if monad:
            return model.Monad(monad[2]), monad.end()
        qualified = _QUALIFIED.match(text, at)
        if qualified:
            return model.Named(qualified[1], qualified[2]), self._past_primitive(qualified.end())
        if text.startswith("None", at) and text[at + 4 : at + 5] in (",", ")", "]", "}", "", "("):
            return model.NoneValue(), at + 4
        kind = _TYPE.match(text, at)
        if kind and by_name(kind[0]):
            return model.TypeValue(dtype_name(kind[0])), kind.end()
        return self._bare(at)

    def _bare(self, at: int) -> tuple[model.Value, int]:
        """A word, or text with brackets in it that has no structure."""
        end = at
        while end < len(self.text) and self.text[end] not in ",)]}":
            end = closing(self.text, end) if self.text[end] in "([{" else end + 1
        word = self.text[at:end]
        if _BARE.fullmatch(word):
            return model.Named("Symbol", word), end
        return model.Opaque(word), end

    def _past_object(self, at: int) -> int:
        """Behind the `@null` that 1.0 and 1.1 print for the Python object of a value."""
        found = _OBJECT.match(self.text, at)
        return found.end() if found else at

    def _past_primitive(self, at: int) -> int:
        """Behind what stands at a primitive used as a value: its object, type number, attributes."""
        at = self._past_object(at)
        if self.text.startswith("{prim_type=", at):
            at = closing(self.text, at)
        return self.attributes(at)[1] if self.text.startswith("[", at) else at

    def _sequence(self, at: int, depth: int) -> tuple[model.Value, int]:
        close = ")" if self.text[at] == "(" else "]"
        items: list[model.Value] = []
        end = at + 1
        while end < len(self.text) and self.text[end] != close:
            start = end
            item, end = self.value(end, depth + 1)
            items.append(item)
            while end < len(self.text) and self.text[end] in ", ":
                end += 1
            if end == start:
                end += 1
        return model.Sequence("Tuple" if close == ")" else "List", tuple(items)), end + 1

    def _dict(self, at: int, depth: int) -> tuple[model.Value, int]:
        items: list[tuple[model.Value, model.Value]] = []
        end = at + 1
        while end < len(self.text) and self.text[end] != "}":
            start = end
            key, end = self.value(end, depth + 1)
            if not self.text.startswith(":", end):
                end = closing(self.text, at)
                return model.Opaque(self.text[at:end]), end
            item, end = self.value(end + 1 + self.text.startswith(" ", end + 1), depth + 1)
            items.append((key, item))
            while end < len(self.text) and self.text[end] in ", ":
                end += 1
            if end == start:
                end += 1
        return model.DictValue(tuple(items)), end + 1

    def _string_end(self, at: int) -> int:
        """The offset of the quote that ends the string begun at `at`."""
        end, last = at, -1
        while True:
            end = self.text.find('"', end + 1)
            if end < 0:
                return last if last >= 0 else len(self.text)
            if _AFTER.match(self.text, end + 1):
                if not self.greedy:
                    return end
                last = end


def _number(kind: str, text: str) -> int | float | bool | None:
    if kind == "Bool":
        return text not in ("0", "false", "False")
    return real(text) if kind.startswith(("F", "BF")) else integer(text)
