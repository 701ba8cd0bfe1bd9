"""A graph as stable text: the same for two runs of one script, and good for a diff of lines.

Addresses, numbers, generated names, ids and machine paths are left out. Nodes stand after what
they use, in an order that follows from the connections alone, and are called by their operator with
a count of their own, so that one operator more does not rename all that follow.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator

from msdump.graph.abstract import NullType
from msdump.graph.graph import FuncGraph, Graph
from msdump.graph.index import GraphIndex
from msdump.graph.names import debug_label, file_label, graph_label, scope_label
from msdump.graph.node import CNode, GraphRef, Operand, Parameter, ValueNode, operator_name
from msdump.graph.text import stable_text, type_text, value_text
from msdump.graph.walk import called, operands_within, postorder, preorder

MEANINGLESS_ATTRS = frozenset(
    {
        # numbers that any earlier edit shifts
        "unique_id",
        "forward_unique_id",
        "forward_node_name",
        "forward_node_unique_id",
        "forward_comm_node_unique_id",
        "primal_debug_name",
        "j_user_forward_unique_id",
        "compile_phase",
        "node_id",
        # bookkeeping of the compiler that appears partway through the stages
        "checkpoint",
        "is_dynamic_len",
        "graph_id",
        "kernel_graph_id",
    }
)
"""Attributes that say nothing about the computation."""


def canon(graph: Graph, *, locations: bool = False) -> str:
    """The graph as stable text.

    Args:
        graph: any graph.
        locations: with the source line of each node. They move with every edit above them, so they
            are left out unless asked for.
    """
    return "\n".join(_Canon(graph, locations).lines()) + "\n"


def canon_lines(graph: Graph) -> Iterator[tuple[FuncGraph, CNode, str]]:
    """Each node with its FuncGraph and its canonical line, in the canonical order."""
    made = _Canon(graph, False)
    funcs = made.prepare()
    for func in funcs:
        for node in made.ordered[func.name]:
            yield func, node, made.node_line(func, node)


def canon_hash(graph: Graph) -> str:
    """A hash of the canonical text: equal for graphs whose canon is equal."""
    return hashlib.sha256(canon(graph).encode("utf-8", "surrogateescape")).hexdigest()


class _Canon:
    def __init__(self, graph: Graph, locations: bool) -> None:
        self.graph = graph
        self.locations = locations
        self.index = GraphIndex(graph)
        self.names: dict[tuple[str, str], str] = {}
        self.labels: dict[str, str] = {}
        self.ordered: dict[str, list[CNode]] = {}

    def prepare(self) -> list[FuncGraph]:
        """Name everything; the FuncGraphs in canonical order."""
        funcs = self._funcs()
        counts: Counter[str] = Counter()
        for func in funcs:
            label = graph_label(func.name)
            counts[label] += 1
            self.labels[func.name] = label if counts[label] == 1 else f"{label}.{counts[label]}"
        for func in funcs:
            self._name_nodes(func)
        return funcs

    def lines(self) -> Iterator[str]:
        graph = self.graph
        funcs = self.prepare()
        yield f"entry @{self.labels.get(graph.entry, graph_label(graph.entry))}"
        attrs = [f"{k}: {value_text(v)}" for k, v in sorted(graph.attrs.items()) if k not in MEANINGLESS_ATTRS]
        if attrs:
            yield "attrs {" + stable_text(", ".join(attrs)) + "}"
        for func in funcs:
            yield ""
            yield from self._func(func)

    def _funcs(self) -> list[FuncGraph]:
        """The FuncGraphs in the order the entry reaches them, then the others in the file's."""
        funcs = self.graph.funcs

        def below(name: str) -> list[str]:
            self.ordered[funcs[name].name] = self._order(funcs[name])
            return [other for other in called(self.ordered[funcs[name].name]) if other in funcs]

        entry = [self.graph.entry] if self.graph.entry in funcs else []
        return [funcs[name] for name in preorder([*entry, *funcs], below)]

    def _order(self, func: FuncGraph) -> list[CNode]:
        """The nodes after what they use, from the Return down; then those that nothing uses."""
        here = {node.name: node for node in reversed(func.nodes)}
        below = operands_within(func.name, here)
        used = {name for node in here for name in below(node)}
        unused = sorted((node for node in func.nodes if node.name not in used), key=_shallow)
        return [here[name] for name in postorder((node.name for node in (*unused, *func.nodes)), below)]

    def _name_nodes(self, func: FuncGraph) -> None:
        counts: Counter[str] = Counter()
        for parameter in func.parameters:
            label = parameter.name if "." in parameter.name else debug_label(parameter.name) or "arg"
            label = stable_text(label).replace("\n", "\\n")
            counts[label] += 1
            name = label if counts[label] == 1 else f"{label}.{counts[label]}"
            self.names[func.name, parameter.name] = f"%{name}"
        counts.clear()
        for node in self.ordered[func.name]:
            label = operator_name(node)
            counts[label] += 1
            self.names[func.name, node.name] = f"%{label}.{counts[label]}"

    def _func(self, func: FuncGraph) -> Iterator[str]:
        parent = ""
        if func.parent is not None:
            parent = f" parent @{self.labels.get(func.parent, graph_label(func.parent))}"
        yield f"graph @{self.labels[func.name]}{parent} {{"
        for parameter in func.parameters:
            yield "  " + self._parameter(func, parameter)
        for node in self.ordered[func.name]:
            yield "  " + self.node_line(func, node)
        yield "}"

    def _parameter(self, func: FuncGraph, parameter: Parameter) -> str:
        kind = type_text(parameter.abstract)
        return self.names[func.name, parameter.name] + (f" : {kind}" if kind else "")

    def node_line(self, func: FuncGraph, node: CNode) -> str:
        """A node as one line."""
        args = ", ".join(self._operand(func, operand) for operand in node.inputs)
        if node.callee is not None:
            call = f"{operator_name(node)} {self._operand(func, node.callee)}({args})"
        else:
            call = f"{operator_name(node)}({args})"
        text = call if node.op.lower() == "return" else f"{self.names[func.name, node.name]} = {call}"
        attrs = [
            f"{key}: {stable_text(value_text(value))}"
            for group in (node.primitive_attrs, node.cnode_attrs, node.primal_attrs, *(a for _, a in node.other_attrs))
            for key, value in group.items()
            if key not in MEANINGLESS_ATTRS
        ]
        if attrs:
            text += " {" + ", ".join(sorted(attrs)) + "}"
        if not isinstance(node.abstract, NullType):
            text += f" : {type_text(node.abstract)}"
        scope = scope_label(node.scope)
        if scope:
            text += f"  # {scope}"
        if self.locations and node.locations:
            place = node.locations[-1]
            text += f"  @ {file_label(place.file)}:{place.line}"
        return text.replace("\n", "\\n").replace("\r", "\\r")

    def _operand(self, func: FuncGraph, operand: Operand) -> str:
        if isinstance(operand, GraphRef):
            return "@" + self.labels.get(operand.name, graph_label(operand.name))
        if isinstance(operand, ValueNode):
            return stable_text(value_text(operand.value))
        owner = self.index.owner(func.name, operand)
        if owner is None:
            return f"?{debug_label(operand.name)}"
        name = self.names.get((owner, operand.name), "?")
        return name if owner == func.name else f"@{self.labels[owner]}:{name[1:]}"


def _shallow(node: CNode) -> tuple[bool, str, str, str]:
    """An order for nodes that nothing uses, by what they are: Return last."""
    return node.op.lower() == "return", operator_name(node), scope_label(node.scope), type_text(node.abstract)
