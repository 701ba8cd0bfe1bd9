"""What differs between matched vertices: attributes, constants, types, operands, names."""

from __future__ import annotations

from dataclasses import dataclass, field

from msdump.diff.edits import ChangeKind, Pair
from msdump.diff.flat import NODE, PARAM, Flat
from msdump.diff.labels import Ignore, Interner
from msdump.diff.match import Matching
from msdump.graph.abstract import Abstract, NullType
from msdump.graph.names import debug_label, graph_label, scope_label
from msdump.graph.node import CNode, Parameter, ValueNode
from msdump.graph.text import operand_text, type_text, value_text
from msdump.graph.value import Sequence, Str, Value


@dataclass(slots=True)
class Draft:
    """A change before its cause is known.

    Attributes:
        x, y: vertex in the first and in the second graph, -1 where there is none.
        follows: vertices (side, vertex) whose own change explains this one, wholly.
        types_only: nothing but types differs.
    """

    kind: ChangeKind
    x: int
    y: int
    what: dict[str, Pair] = field(default_factory=dict)
    follows: list[tuple[int, int]] = field(default_factory=list)
    types_only: bool = False


class Comparison:
    """The drafts of all changes, in the order of the second graph, removed nodes where they were."""

    def __init__(self, matching: Matching, ignore: Ignore) -> None:
        self.matching = matching
        self.a, self.b = matching.a, matching.b
        self.ignore = ignore
        self.interner: Interner = matching.interner
        self.untyped = ignore.unknown_types and (_untyped(self.a) or _untyped(self.b))
        self.drafts: list[Draft] = []

    def run(self) -> list[Draft]:
        """All drafts."""
        a, b, back = self.a, self.b, self.matching.back
        partner = self.matching.partner
        at: dict[int, list[int]] = {}
        last = -1
        for x in a.order:
            if partner[x] >= 0:
                last = partner[x]
            elif a.kind[x] == NODE:
                at.setdefault(last, []).append(x)
        self.drafts = [Draft("removed", x, -1) for x in at.get(-1, ())]
        for y in b.order:
            x = back[y]
            if b.kind[y] == NODE:
                if x < 0:
                    self.drafts.append(Draft("added", -1, y))
                else:
                    self._nodes(x, y)
            elif b.kind[y] == PARAM and x >= 0 and b.func[y] == b.entry:
                self._parameters(x, y)
            self.drafts.extend(Draft("removed", x, -1) for x in at.get(y, ()))
        return self.drafts

    # ---------------------------------------------------------------- pairs
    def _nodes(self, x: int, y: int) -> None:
        a, b = self.a, self.b
        what: dict[str, Pair] = {}
        if a.op[x] != b.op[y]:
            what["op"] = (a.names[x], b.names[y])
        one, two = a.item[x], b.item[y]
        assert isinstance(one, CNode)
        assert isinstance(two, CNode)
        if a.label[x] != b.label[y]:
            what.update(self._attributes(one, two))
        wired, follows = self._operands(x, y, what)
        if self.ignore.unknown_types:
            _drop_respelled(what)
        types_only = not what
        if a.type[x] != b.type[y] and self._typed(one.abstract, two.abstract):
            kinds = (type_text(one.abstract) or None, type_text(two.abstract) or None)
            if kinds[0] != kinds[1] or one.device == two.device:
                what["type"] = kinds
            else:
                what["device"] = (device_text(one), device_text(two))
        if what:
            what.update(wired)
            self.drafts.append(Draft("changed", x, y, what, follows, types_only and not wired))
        elif wired:
            self.drafts.append(Draft("rewired", x, y, wired, follows))
        moved = self._place(x, y, one, two)
        if moved:
            self.drafts.append(Draft("moved", x, y, moved))

    def _typed(self, one: Abstract, two: Abstract) -> bool:
        """Whether types are to be compared: both sides have some, and these two tell theirs."""
        if self.untyped:
            return False
        return not (self.ignore.unknown_types and (isinstance(one, NullType) or isinstance(two, NullType)))

    def _attributes(self, one: CNode, two: CNode) -> dict[str, Pair]:
        left, right = self.interner.attr_keys(one), self.interner.attr_keys(two)
        found: dict[str, Pair] = {}
        if left == right:
            return found
        for key in sorted(left.keys() | right.keys()):
            if left.get(key) != right.get(key):
                found[key] = (_attribute(one, key), _attribute(two, key))
        return found

    def _operands(self, x: int, y: int, what: dict[str, Pair]) -> tuple[dict[str, Pair], list[tuple[int, int]]]:
        """Rewired slots, and the changes that explain them; constants that changed go to `what`."""
        a, b = self.a, self.b
        partner, back = self.matching.partner, self.matching.back
        ours = [partner[p] if p >= 0 else p for p in a.operands[x]]
        if ours == b.operands[y]:
            return {}, []
        wired: dict[str, Pair] = {}
        follows: list[tuple[int, int]] = []
        alone = False
        for i, j in _align(a.operands[x], ours, b.operands[y], partner, back):
            p = a.operands[x][i] if i >= 0 else None
            q = b.operands[y][j] if j >= 0 else None
            if p is not None and q is not None and (p == q if p < 0 else partner[p] == q):
                continue
            causes = []
            if p is not None and p >= 0 and partner[p] < 0:
                causes.append((0, p))
            if q is not None and q >= 0 and back[q] < 0:
                causes.append((1, q))
            slot = self._slot(x, y, i, j)
            if slot in what or slot in wired:  # an attribute of that name changed too, or another slot
                slot = f"input {(j - b.callee[y]) if j >= 0 else (i - a.callee[x])}"
            pair = (self._text(0, x, i), self._text(1, y, j))
            if causes:
                follows.extend(causes)
                if not self._passed_by(p, q):
                    wired[slot] = pair
            elif (p is None or p < 0) and (q is None or q < 0):
                if pair[0] == pair[1]:
                    continue
                if not self.ignore.constants:
                    what[slot] = pair
            else:
                wired[slot] = pair
                alone = True
        return wired, [] if alone else follows

    def _passed_by(self, p: int | None, q: int | None) -> bool:
        """Whether what was inserted or removed between stands in the line of the old operand."""
        if p is None or q is None:
            return True
        a, b = self.a, self.b
        ours = _sources(a, p, self.matching.partner)
        theirs = _sources(b, q, self.matching.back)
        return not ours or not theirs or any((self.matching.partner[v] if v >= 0 else v) in theirs for v in ours)

    def _slot(self, x: int, y: int, i: int, j: int) -> str:
        """What a slot is called: by the operator's own input_names, else by number."""
        flat, vertex, position = (self.b, y, j) if j >= 0 else (self.a, x, i)
        position -= flat.callee[vertex]
        if position < 0:
            return "callee"
        node = flat.item[vertex]
        assert isinstance(node, CNode)
        names = node.primitive_attrs.get("input_names")
        if isinstance(names, Sequence) and position < len(names.items):
            name = names.items[position]
            if isinstance(name, Str) and name.value:
                return name.value
        return f"input {position}"

    def _text(self, side: int, vertex: int, position: int) -> str | None:
        """An operand for a person: a constant's value, an operator with its scope, a parameter."""
        if position < 0:
            return None
        flat = (self.a, self.b)[side]
        node = flat.item[vertex]
        assert isinstance(node, CNode)
        shift = flat.callee[vertex]
        operand = node.callee if position < shift else node.inputs[position - shift]
        assert operand is not None
        if isinstance(operand, ValueNode):
            return value_text(operand.value)
        code = flat.operands[vertex][position]
        return operand_text(operand) if code < 0 else vertex_text(flat, code)

    def _place(self, x: int, y: int, one: CNode, two: CNode) -> dict[str, Pair]:
        """Scope, debug name and subgraph, where both sides tell and they differ."""
        moved: dict[str, Pair] = {}
        if not self.ignore.scope:
            left, right = scope_label(one.scope), scope_label(two.scope)
            if left and right and left != right:
                moved["scope"] = (left, right)
            home = self.matching.partner[self.a.func[x]]
            if home != self.b.func[y]:
                moved["graph"] = (_graph_name(self.a, x), _graph_name(self.b, y))
        if not self.ignore.names:
            left, right = debug_label(one.debug_name), debug_label(two.debug_name)
            if left and right and left != right:
                moved["name"] = (one.debug_name, two.debug_name)
        return moved

    def _parameters(self, x: int, y: int) -> None:
        a, b = self.a, self.b
        one, two = a.item[x], b.item[y]
        assert isinstance(one, Parameter)
        assert isinstance(two, Parameter)
        known = not (isinstance(one.abstract, NullType) or isinstance(two.abstract, NullType))
        if a.type[x] != b.type[y] and known and self._typed(one.abstract, two.abstract):
            what: dict[str, Pair] = {"type": (type_text(one.abstract), type_text(two.abstract))}
            self.drafts.append(Draft("changed", x, y, what, types_only=True))
        left, right = debug_label(one.name), debug_label(two.name)
        if left != right and left and right and not self.ignore.names and a.func[x] == a.entry:
            self.drafts.append(Draft("moved", x, y, {"name": (one.name, two.name)}))


def _untyped(flat: Flat) -> bool:
    """Whether a side has no types at all: its format has none, or no inference has run."""
    return all(isinstance(i.abstract, NullType) for i in flat.item if isinstance(i, CNode))


_WORDS = {
    # MindSpore's numbers for words that some releases print (mindspore/ops: Format, PadMode).
    '"NCHW"': "0",
    '"NHWC"': "1",
    '"NCDHW"': "4",
    '"pad"': "0",
    '"same"': "1",
    '"valid"': "2",
}


def _drop_respelled(what: dict[str, Pair]) -> None:
    """Take out of a difference between two releases what only another place tells.

    Newer releases pass as constant inputs what older ones had as attributes ("axis", "transpose_b"),
    drop its second name ("transpose_x2"), and print numbers for words ("format").
    """

    def meaning(text: str | None) -> str:
        plain = _WORDS.get(text or "", text or "").removeprefix("(").removesuffix(")").removesuffix(",")
        return {"False": "0", "True": "1"}.get(plain, plain)

    for key, (old, new) in list(what.items()):
        if key != "op" and old is not None and new is not None and meaning(old) == meaning(new):
            del what[key]
    for side in (0, 1):
        gone = {k: meaning(p[side]) for k, p in what.items() if p[1 - side] is None and not k.startswith("input ")}
        come = {k: meaning(p[1 - side]) for k, p in what.items() if p[side] is None and k.startswith("input ")}
        passed = set(gone.values()) & set(come.values())
        for key in [k for k, value in (*gone.items(), *come.items()) if value in passed]:
            del what[key]


def device_text(node: CNode) -> str | None:
    """How the device holds a node's outputs: `Float32 DefaultFormat`, None when not decided yet."""
    if node.device is None:
        return None
    return ", ".join(f"{kind.dtype} {kind.format}" for kind in node.device.outputs)


def _attribute(node: CNode, key: str) -> str | None:
    for attrs in (node.primitive_attrs, node.cnode_attrs, node.primal_attrs, *(a for _, a in node.other_attrs)):
        value: Value | None = attrs.get(key)
        if value is not None:
            return value_text(value)
    return None


def _graph_name(flat: Flat, vertex: int) -> str:
    item = flat.item[flat.func[vertex]]
    return graph_label(str(getattr(item, "name", "")))


def vertex_text(flat: Flat, vertex: int) -> str:
    """A vertex for a person: `Conv2D Default/conv1-Conv2d`, `parameter x`, `@construct`."""
    item = flat.item[vertex]
    if isinstance(item, Parameter):
        return f"parameter {item.name}"
    if isinstance(item, CNode):
        where = scope_label(item.scope)
        return f"{flat.names[vertex]} {where}" if where else f"{flat.names[vertex]} {item.debug_name or item.name}"
    return "@" + graph_label(item.name)


def _sources(flat: Flat, code: int, partner: list[int]) -> set[int]:
    """The nearest matched vertices (or constants) that feed an operand."""
    found: set[int] = set()
    layer = [code]
    for _ in range(6):
        deeper: list[int] = []
        for v in layer:
            if v < 0 or partner[v] >= 0:
                found.add(v)
            else:
                deeper.extend(flat.operands[v][:12])
        layer = deeper[:24]
        if not layer:
            break
    return found


def _align(
    row_a: list[int], ours: list[int], theirs: list[int], partner: list[int], back: list[int]
) -> list[tuple[int, int]]:
    """Which slot of one node is which of the other; -1 where one has more."""
    if len(ours) == len(theirs):
        return [(i, i) for i in range(len(ours))]
    pairs: list[tuple[int, int]] = []
    start = 0
    while start < len(ours) and start < len(theirs) and ours[start] == theirs[start]:
        start += 1
    end_a, end_b = len(ours), len(theirs)
    while end_a > start and end_b > start and ours[end_a - 1] == theirs[end_b - 1]:
        end_a -= 1
        end_b -= 1
    waiting: dict[int, list[int]] = {}
    for j in range(end_b - 1, start - 1, -1):
        waiting.setdefault(theirs[j], []).append(j)
    rest: list[int] = []
    taken: set[int] = set()
    low = start - 1
    for i in range(start, end_a):
        queue = waiting.get(ours[i])
        while queue and queue[-1] <= low:
            queue.pop()
        if queue:
            low = queue.pop()
            taken.add(low)
            pairs.append((i, low))
        else:
            rest.append(i)
    left = [j for j in range(start, end_b) if j not in taken]
    # What remains: gone or new operands; what is still there in another place, in turn.
    for i in rest:
        j = -1
        if not _gone(row_a[i], partner) and len(left) <= 32:
            fits = (j for j in left if (theirs[j] < 0) == (row_a[i] < 0) and not _gone(theirs[j], back))
            j = next(fits, -1)
            if j >= 0:
                left.remove(j)
        pairs.append((i, j))
    pairs.extend((-1, j) for j in left)
    return pairs


def _gone(code: int, partner: list[int]) -> bool:
    return code >= 0 and partner[code] < 0
