"""A .dat file to a Graph (formats/ir: the .dat section; what MindSpore 1.0 to 1.10 export)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from msdump.errors import ParseError
from msdump.formats.brackets import closing
from msdump.formats.dat.lines import GraphText, NodeText, gather
from msdump.formats.dat.types import scan_type
from msdump.formats.dat.values import Values
from msdump.formats.pasted import Pasted
from msdump.graph.abstract import NULL_TYPE, Abstract, ScalarType
from msdump.graph.graph import RETURN, FuncGraph, Graph, undeclared
from msdump.graph.layout import Layout
from msdump.graph.node import CALL, CALL_VAR, CNode, GraphRef, Location, NodeRef, Operand, Parameter, ValueNode
from msdump.graph.value import NO_ATTRS, Attrs, Named, Scalar, Str, Value
from msdump.numerals import integer
from msdump.source import Note, TextPlace

_PARAMETER = re.compile(
    r" {8}(?:, )?%para(\d+)(?: : (?P<type>.*?))?(?P<default> = @?\w+)?(?: {4}# (?P<name>.*))?$", re.S
)
_LEFT = re.compile(r" {4}(?:%(?P<id>\d+) (?:: (?P<type>.*?) )?= )?", re.S)
_OWNER = re.compile(r"\$\(")
_TARGET = re.compile(r"(?P<kind>[A-Za-z_]\w*)::(?P<name>[^\s()\[\]{}@]+)(?:@\w+)?")
_CALLED = re.compile(r"%(?:para)?\d+")
_SCOPE = re.compile(r" #scope: (?P<scope>[^\n]*?)(?: @ctx\.addr=0x[0-9a-fA-F]+)?$")
_GRAPH_NAMES = re.compile(r"    # fg_\w+=")
_GRAPH_NAME = re.compile(r"fg_(\w+)=(.*?)(?=, fg_\w+=|$)")
_IN_FILE = re.compile(r"#\s+In file (?P<file>.*?)(?:\((?P<line>\d+)\)|:(?P<line2>\d+))/(?P<code>.*)$", re.S)
_PRIMITIVES = {"Primitive", "PrimitivePy"}
PROBLEM = ScalarType("unknown")


@dataclass(slots=True)
class _Func:
    """One graph while it is read."""

    text: GraphText
    name: str
    parameters: list[Parameter] = field(default_factory=list)
    nodes: list[_Node] = field(default_factory=list)
    by_number: dict[str, Operand] = field(default_factory=dict)
    adopted: list[tuple[_Func, _Node]] = field(default_factory=list)
    """Its nodes that only other graphs list, with the graph whose numbers they are told in."""


@dataclass(slots=True)
class _Node:
    """A node's own parts; `owner` is the graph it is a guest of (`$(graph):`)."""

    text: NodeText
    number: str
    abstract: Abstract
    rest: str
    owner: str
    debug_name: str
    locations: tuple[Location, ...]
    comments: tuple[str, ...]
    name: str = ""


class Reader:
    """One reading of one text."""

    def __init__(self, text: str, file: str, pasted: Pasted | None = None) -> None:
        self.file = file
        self.pasted = pasted
        self.notes: list[Note] = list(pasted.notes) if pasted else []
        self.error: ParseError | None = None
        self._types: dict[str, tuple[Abstract, int]] = {}
        self._attrs: dict[str, Attrs] = {}
        self._stacks: dict[tuple[Location, ...], tuple[Location, ...]] = {}
        self._signatures: dict[str, tuple[Abstract, ...]] = {}
        self._locations: dict[str, tuple[Location | None, str, str]] = {}
        self._graphs, strange = gather(text)
        for number, line in strange[:100]:
            self._note(number, f"a line that is no part of a graph: {line.strip()[:60]!r}")
        self._funcs: list[_Func] = []
        self._by_number: dict[str, str] = {}
        self._parameters: dict[str, tuple[_Func, str]] = {}

    def read(self) -> Graph:
        """The Graph of the text.

        Raises:
            ParseError: there is no graph in it.
        """
        if not self._graphs:
            raise ParseError("no `# [No.1] NAME` and no funcgraph in it", self._at(1))
        names: set[str] = set()
        for text in self._graphs:
            name = text.name
            if name in names:  # analyze_fail lists a graph once for each context it was analysed in
                name = f"{name}@{text.number or len(names)}"
                name = name if name not in names else f"{name}.{len(names)}"
            names.add(name)
            func = _Func(text, name)
            self._funcs.append(func)
            self._by_number.setdefault(text.number, name)
            if not text.closed and self.error is None:
                where = self._at(text.line)
                self.error = ParseError(f"graph {name} is not closed: the file ends inside it", where)
            self._read_parameters(func)
            func.nodes = [self._split(node) for node in text.nodes]
        for func in self._funcs:
            self._number(func)
        owners = {func.name: _Owner(func) for func in self._funcs}
        for func in self._funcs:
            for node in func.nodes:
                if node.owner:
                    owner = owners.get(node.owner)
                    name = owner.find(node, func) if owner else node.debug_name or f"%{node.number}"
                    func.by_number[node.number] = NodeRef(name, node.owner)
        funcs = {func.name: self._lower(func) for func in self._funcs}
        return Graph(self._funcs[0].name, MappingProxyType(funcs), source=Layout("dat"), elsewhere=undeclared(funcs))

    def _note(self, line: int, what: str) -> None:
        self.notes.append(Note(what, self._at(line), "warning"))

    def _at(self, line: int) -> TextPlace:
        """The place of a line (from 1) in the file."""
        return self.pasted.place(self.file, line - 1) if self.pasted else TextPlace(self.file, line)

    def _type(self, text: str) -> Abstract:
        found = self._types.get(text)
        if found is None:
            found = self._types[text] = scan_type(text, 0)
        return found[0]

    def _read_parameters(self, func: _Func) -> None:
        taken: set[str] = set()
        for line, text in func.text.parameters:
            match = _PARAMETER.match(text)
            if not match:
                self._note(line, f"a parameter that cannot be read: {text.strip()[:60]!r}")
                continue
            name = match["name"] or f"para{match[1]}"
            name = f"para{match[1]}_{name}" if name in taken else name
            taken.add(name)
            kind = self._type(match["type"]) if match["type"] else NULL_TYPE
            func.parameters.append(Parameter(name, kind, match["default"] is not None))
            func.by_number["para" + match[1]] = NodeRef(name)
            self._parameters["para" + match[1]] = (func, name)

    def _split(self, node: NodeText) -> _Node:
        """Number, type, owner and the rest of a node; debug name and places from its notes."""
        left = _LEFT.match(node.text)
        number, kind, at = "", "", 4
        if left:
            number, kind, at = left["id"] or "", left["type"] or "", left.end()
        rest, owner = node.text[at:], ""
        if kind.startswith("$("):
            end = closing(kind, 1)
            owner, kind = kind[2 : end - 1], kind[end + 1 :]
        elif rest.startswith("$("):
            end = closing(rest, 1)
            owner, rest = rest[2 : end - 1], rest[end + 1 :]
        places: list[Location] = []
        comments: list[str] = []
        name = ""
        for note in node.notes:
            place, comment, found = self._place(note)
            name = found or name
            if place is not None:
                places.append(place)
            elif comment:
                comments.append(comment)
        abstract = self._type(kind) if kind else NULL_TYPE
        found_places = self._stacks.setdefault(tuple(places), tuple(places))
        return _Node(node, number, abstract, rest, owner, name, found_places, tuple(comments))

    def _place(self, note: str) -> tuple[Location | None, str, str]:
        """A note under a node: its place in the source, or other text; and the node's debug name,
        which 1.3 and later put behind a last `#`."""
        found = self._locations.get(note)
        if found is None:
            found = self._locations[note] = _place(note)
        return found

    def _number(self, func: _Func) -> None:
        position = 0
        for node in func.nodes:
            if node.owner and node.owner != func.name:
                continue
            node.owner = ""
            node.name = f"%{position}"
            position += 1
            if node.number:
                func.by_number[node.number] = NodeRef(node.name)

    def _lower(self, func: _Func) -> FuncGraph:
        text = func.text
        parent = self._by_number.get(text.parent) if text.parent else None
        location = next((place for note in text.notes if (place := self._place(note)[0])), None)
        nodes = [self._cnode(func, node) for node in func.nodes if not node.owner]
        nodes[-1:-1] = [_at_home(self._cnode(host, node), func.name) for host, node in func.adopted]
        flags = Attrs({key: _flag(value) for key, value in text.flags.items()}) if text.flags else NO_ATTRS
        return FuncGraph(func.name, tuple(func.parameters), tuple(nodes), location=location, parent=parent, flags=flags)

    def _ref(self, func: _Func, number: str) -> Operand:
        """`%3` or `%para3`, which may be another graph's."""
        found = func.by_number.get(number)
        if found is not None:
            return found
        owner = self._parameters.get(number)
        return NodeRef(owner[1], owner[0].name) if owner else NodeRef(f"%{number}")

    def _graph_ref(self, name: str) -> Operand:
        return GraphRef(self._by_number.get(name.removeprefix("fg_"), name))

    def _cnode(self, func: _Func, node: _Node) -> CNode:
        rest = node.rest
        scope = _SCOPE.search(rest)
        if scope:
            rest = rest[: scope.start()]
        names = _GRAPH_NAMES.search(rest, max(rest.rfind("    # fg_"), 0)) if "    # fg_" in rest else None
        if names:
            for number, name in _GRAPH_NAME.findall(rest, names.start()):
                self._by_number.setdefault(number, name)
            rest = rest[: names.start()]
        types_at = rest.rfind("    #(")
        types: tuple[Abstract, ...] = ()
        if types_at >= 0:
            types = self._input_types(rest[types_at + 6 : -1])
            rest = rest[:types_at]
        values = Values(rest, lambda found: self._ref(func, found[1:]), self._graph_ref)
        op, kind, callee, targets, at = self._target(func, rest, values)
        attrs = NO_ATTRS
        if rest.startswith("[", at):
            attrs, at = self._attributes(values, rest, at)
        inputs, end = values.operands(at) if rest.startswith("(", at) else ((), at)
        if end != len(rest) or (types and len(types) != len(inputs)):
            values.greedy = True
            again, greedy_end = values.operands(at) if rest.startswith("(", at) else ((), at)
            if greedy_end == len(rest) and (not types or len(types) == len(again)):
                inputs, end = again, greedy_end
        if end < len(rest) or (types and len(types) != len(inputs)):
            self._note(node.text.line, f"the arguments of {op} are written ambiguously; read as {len(inputs)}")
        if len(types) == len(inputs) and any(isinstance(given, ValueNode) for given in inputs):
            inputs = tuple(
                ValueNode(_known(given.value, known), known) if isinstance(given, ValueNode) else given
                for given, known in zip(inputs, types, strict=True)
            )
        return CNode(
            name=node.name,
            op=op,
            inputs=inputs,
            abstract=node.abstract,
            op_kind=kind,
            callee=callee,
            primitive_attrs=attrs,
            scope=scope["scope"] if scope else "",
            debug_name=node.debug_name,
            locations=node.locations,
            comments=node.comments,
            targets=targets,
            failure=node.text.failure,
        )

    def _input_types(self, text: str) -> tuple[Abstract, ...]:
        known = self._signatures.get(text)
        if known is not None:
            return known
        found: list[Abstract] = []
        at = 0
        while at < len(text):
            kind, end = scan_type(text, at)
            found.append(kind)
            at = end if end > at else at + 1
            while at < len(text) and text[at] in ", ":
                at += 1
        known = self._signatures[text] = tuple(found)
        return known

    def _attributes(self, values: Values, rest: str, at: int) -> tuple[Attrs, int]:
        """Attributes; the same text gives the same object."""
        guess = rest.find("](", at)
        key = rest[at : guess + 1]
        found = self._attrs.get(key) if guess > 0 else None
        if found is not None:
            return found, guess + 1
        items, end = values.attributes(at)
        attrs = Attrs(items) if items else NO_ATTRS
        if end == guess + 1:
            self._attrs[key] = attrs
        return attrs, end

    def _target(
        self, func: _Func, rest: str, values: Values
    ) -> tuple[str, str, Operand | None, tuple[Operand, ...], int]:
        """What a node applies: operator, how it is bound, callee, what an indirect call may reach,
        and the offset behind it."""
        called = _CALLED.match(rest)
        if called:
            at = called.end()
            targets: tuple[Operand, ...] = ()
            if rest.startswith("[", at):
                end = closing(rest, at)
                targets = tuple(self._targets(rest[at + 1 : end - 1]))
                at = end
            return CALL_VAR, "", self._ref(func, called[0][1:]), targets, at
        match = _TARGET.match(rest)
        if match:
            kind, name, at = match["kind"], match["name"], match.end()
            if rest.startswith("{", at):  # {prim_type=1}, or the signatures of a MultitypeFuncGraph
                at = closing(rest, at)
            if kind == "FuncGraph":
                return CALL, "", self._graph_ref(name), (), at
            if name.startswith("S-Prim-"):
                return name.removeprefix("S-Prim-"), "S-Prim", None, (), at
            name = RETURN if name == "return" else name
            return name, "" if kind in _PRIMITIVES else kind, None, (), at
        bracket = rest.find("(")
        if bracket > 0:
            value, end = values.value(0)
            if rest.startswith("(", end):
                return CALL_VAR, "", ValueNode(value), (), end
            bracket = rest.rfind("(") if not rest.endswith(")") else bracket
            return CALL_VAR, "", ValueNode(Named("Symbol", rest[:bracket])), (), bracket
        return CALL_VAR, "", ValueNode(Named("Symbol", rest)), (), len(rest)

    def _targets(self, text: str) -> Iterator[Operand]:
        """`FuncUnion(a, b)` or one graph's name."""
        if text.startswith("FuncUnion("):
            text = text[text.index("(") + 1 : -1]
        for name in text.split(", "):
            yield GraphRef(name)


class _Owner:
    """Finds the nodes of a graph that other graphs list as guests, by debug name or by text.

    A graph lists what its Return needs; nodes that only its inner graphs need are listed there
    alone, and are brought home.
    """

    def __init__(self, func: _Func) -> None:
        self._func = func
        self._names: dict[str, str] = {}
        self._count = 0
        for node in func.nodes:
            if node.name:
                self._count += 1
                self._names.setdefault(node.debug_name or _shape(node), node.name)

    def find(self, node: _Node, host: _Func) -> str:
        """The name in its own graph of a node that `host` lists as a guest."""
        key = node.debug_name or _shape(node)
        if key not in self._names:
            self._names[key] = node.name = f"%{self._count}"
            self._count += 1
            self._func.adopted.append((host, node))
        return self._names[key]


def _known(value: Value, kind: Abstract) -> Value:
    """A constant in the light of its type: what stands for a dead node is no string."""
    return Named("Problem", value.value) if isinstance(value, Str) and kind == PROBLEM else value


def _shape(node: _Node) -> str:
    """The text of a node without numbers."""
    return re.sub(r"%\d+", "%", node.rest)


def _at_home(node: CNode, graph: str) -> CNode:
    """A node told from another graph's view, as its own graph sees it."""

    def operand(given: Operand) -> Operand:
        return NodeRef(given.name) if isinstance(given, NodeRef) and given.graph == graph else given

    callee = None if node.callee is None else operand(node.callee)
    return replace(node, inputs=tuple(map(operand, node.inputs)), callee=callee)


def _flag(text: str) -> Value:
    number = integer(text)
    return Named("Symbol", text) if number is None else Scalar("", number)


def _place(note: str) -> tuple[Location | None, str, str]:
    text = note.strip()
    match = _IN_FILE.match(text)
    if not match:
        body = text.lstrip("# ")
        name = body if text.startswith("# #") or (text.startswith("#") and not text.startswith("# ")) else ""
        return None, "" if name else body, name
    code, name = match["code"], ""
    end = code.rfind("/#")
    if end >= 0 and not code.endswith("/"):
        code, name = code[:end], code[end + 2 :]
    elif code.endswith("/"):
        code = code[:-1]
    line = integer(match["line"] or match["line2"])
    return (None, text, "") if line is None else (Location(match["file"], line, code=code.strip()), "", name)
