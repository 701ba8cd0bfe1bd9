"""What a vertex is by itself, as small integers that are equal where the meaning is equal.

Two graphs are compared by classes: the operator, its attributes, its constants and its type, with
everything left out that the compiler makes up anew in every run.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field

from msdump import graph as model
from msdump.graph.canon import MEANINGLESS_ATTRS
from msdump.graph.text import stable_text

GLUE = frozenset(
    {
        "call",
        "call_var",
        "Return",
        "Load",
        "UpdateState",
        "Depend",
        "MakeTuple",
        "MakeList",
        "TupleGetItem",
        "ListGetItem",
        "Switch",
        "SwitchLayer",
        "Partial",
        "Parameter",
        "graph",
    }
)
"""Operators that move values and control about and compute nothing."""

_SPELLING = {
    # Releases before 1.3 spell some primitives in lower case.
    "return": "Return",
    "make_tuple": "MakeTuple",
    "make_list": "MakeList",
    "tuple_getitem": "TupleGetItem",
    "list_getitem": "ListGetItem",
    "switch": "Switch",
    "switch_layer": "SwitchLayer",
    "partial": "Partial",
    "depend": "Depend",
    "load": "Load",
}


def operator_key(name: str) -> str:
    """The operator's name in one spelling for all releases."""
    return _SPELLING.get(name, name)


@dataclass(frozen=True, slots=True)
class Ignore:
    """What a comparison leaves out.

    Attributes:
        types: types and shapes.
        attrs: all attributes; `keys` names single ones.
        scope, names: scopes, and debug names, of nodes that otherwise agree.
        constants: literal operands.
        unknown_types: types where one side has none (its format does not tell them).
    """

    types: bool = False
    attrs: bool = False
    scope: bool = False
    names: bool = False
    constants: bool = False
    keys: frozenset[str] = frozenset()
    unknown_types: bool = False

    @classmethod
    def parse(cls, words: Iterable[str]) -> Ignore:
        """From "types", "attrs", "attr:KEY", "scope", "names", "constants"; ValueError for others."""
        flags: set[str] = set()
        keys: set[str] = set()
        for word in words:
            if word.startswith("attr:"):
                keys.add(word[5:])
            elif word in ("types", "attrs", "scope", "names", "constants"):
                flags.add(word)
            else:
                raise ValueError(word)
        return cls(
            "types" in flags,
            "attrs" in flags,
            "scope" in flags,
            "names" in flags,
            "constants" in flags,
            frozenset(keys),
        )


def value_key(value: model.Value) -> Hashable:
    """A constant's meaning: kinds that one release prints and another does not are left out."""
    if isinstance(value, model.Scalar):
        return ("nan",) if value.value != value.value else ("n", value.value)
    if isinstance(value, model.Str):
        return ("s", stable_text(value.value))
    if isinstance(value, model.NoneValue):
        return ("none",)
    if isinstance(value, model.TypeValue):
        return ("type", value.name)
    if isinstance(value, model.TensorValue):
        text = None if value.text is None else " ".join(value.text.split())
        return ("t", value.dtype, value.shape, text, value.data if text is None else None)
    if isinstance(value, model.Sequence):
        return ("q", value.kind == "List", tuple(value_key(item) for item in value.items))
    if isinstance(value, model.DictValue):
        return ("d", tuple((value_key(k), value_key(v)) for k, v in value.items))
    if isinstance(value, model.Named):
        return ("s", stable_text(value.name))  # some formats tell the kind, others quote the name
    if isinstance(value, model.Opaque):
        return ("o", stable_text(value.text))
    return ("v", stable_text(str(value)))


def type_key(abstract: model.Abstract) -> Hashable:
    """A type's meaning: what it holds and its shape, not what hangs on it (names, flags, values)."""
    if isinstance(abstract, model.RefType):
        return type_key(abstract.tensor)
    if isinstance(abstract, model.TensorType):
        return ("t", abstract.kind, abstract.dtype, abstract.shape)
    if isinstance(abstract, model.ScalarType):
        return ("s", abstract.name)
    if isinstance(abstract, model.SequenceType):
        inner = None if abstract.elements is None else tuple(type_key(e) for e in abstract.elements)
        return ("q", abstract.kind, inner)
    if isinstance(abstract, model.DictType):
        return ("d", abstract.keys, tuple(type_key(e) for e in abstract.elements))
    if isinstance(abstract, model.KeywordType):
        return ("k", abstract.key, type_key(abstract.element))
    if isinstance(abstract, model.FuncType):
        return ("f",)
    if isinstance(abstract, model.MonadType):
        return ("m", abstract.kind)
    if isinstance(abstract, model.NullType):
        return ("null",)
    if isinstance(abstract, model.OpaqueType):
        return ("o", stable_text(abstract.text))
    return ("o", stable_text(str(abstract)))


@dataclass(slots=True)
class Interner:
    """Small integers for keys, shared by both graphs of a comparison.

    Objects that readers share (types, attributes) are looked at once each, told by identity; they
    are kept alive here so that no identity is used twice.
    """

    ignore: Ignore = field(default_factory=Ignore)
    _ids: dict[Hashable, int] = field(default_factory=dict)
    _types: dict[int, int] = field(default_factory=dict)
    _attrs: dict[tuple[int, int, int, int], int] = field(default_factory=dict)
    _values: dict[int, int] = field(default_factory=dict)
    _alive: list[object] = field(default_factory=list)

    def of(self, key: Hashable) -> int:
        """The number of a key; equal keys have one number."""
        return self._ids.setdefault(key, len(self._ids))

    def type(self, abstract: model.Abstract) -> int:
        """The number of a type's meaning."""
        number = self._types.get(id(abstract))
        if number is None:
            number = self.of(("type", () if self.ignore.types else type_key(abstract)))
            self._types[id(abstract)] = number
            self._alive.append(abstract)
        return number

    def node_type(self, node: model.CNode) -> int:
        """The number of the meaning of a node's type, and of how the device holds it."""
        number = self.type(node.abstract)
        if node.device is None or self.ignore.types or self.ignore.unknown_types:
            return number
        return self.of(("on", number, tuple((kind.dtype, kind.format) for kind in node.device.outputs)))

    def value(self, value: model.Value) -> int:
        """The number of a constant's meaning."""
        number = self._values.get(id(value))
        if number is None:
            number = self.of(("value", () if self.ignore.constants else value_key(value)))
            self._values[id(value)] = number
            self._alive.append(value)
        return number

    def attrs(self, node: model.CNode) -> int:
        """The number of the meaning of a node's attributes, wherever on the node they hang."""
        parts = (node.primitive_attrs, node.cnode_attrs, node.primal_attrs, node.other_attrs)
        key = (id(parts[0]), id(parts[1]), id(parts[2]), id(parts[3]))
        number = self._attrs.get(key)
        if number is None:
            number = self.of(("attrs", frozenset(self.attr_keys(node).items())))
            self._attrs[key] = number
            self._alive.append(parts)
        return number

    def attr_keys(self, node: model.CNode) -> dict[str, Hashable]:
        """The attributes that mean something, each with its value's meaning."""
        found: dict[str, Hashable] = {}
        if not self.ignore.attrs:
            ignored = self.ignore.keys
            others = (attrs for _, attrs in node.other_attrs)
            for attrs in (*others, node.primal_attrs, node.cnode_attrs, node.primitive_attrs):
                for key, value in attrs.items():
                    if key not in MEANINGLESS_ATTRS and key not in ignored:
                        found[key] = value_key(value)
        return found
