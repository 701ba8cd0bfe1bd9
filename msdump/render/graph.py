"""A graph as a person reads it: its summary, its nodes one a line, its scopes as a tree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from collections.abc import Sequence as Names

from msdump.graph.find import own_line
from msdump.graph.graph import FuncGraph, Graph
from msdump.graph.names import file_label, graph_label, scope_label
from msdump.graph.node import CNode, GraphRef, Parameter, operator_name
from msdump.graph.opaque import iter_opaque
from msdump.graph.text import operand_text, type_text
from msdump.render.escape import escape_control

FOLDED = 20
"""How many of a kind a summary lists before it counts the rest."""


def summary_lines(graph: Graph, everything: bool = False) -> list[str]:
    """Entry, parameters, subgraphs, operator counts."""
    nodes = sum(len(func.nodes) for func in graph.funcs.values())
    operators = Counter(operator_name(node) for _, node in graph.iter_nodes())
    source = graph.source
    origin = f"{source.format} {source.dialect}".strip()
    lines = [f"graph @{graph.entry}: {_count(nodes, 'node')}, {_count(len(graph.funcs), 'subgraph')}"]
    if origin:
        lines[0] += f"   ({origin})"
    for comment in graph.comments[: None if everything else 4]:
        lines.append(f"  # {comment}")
    entry = graph.funcs.get(graph.entry)
    if entry is not None and entry.parameters:
        weights = sum(1 for p in entry.parameters if is_weight(p))
        lines += ["", f"{_count(len(entry.parameters), 'parameter')}, {weights} of them weights"]
        width = min(max(len(p.name) for p in entry.parameters), 40)
        shown = entry.parameters if everything else _inputs_first(entry.parameters)[:FOLDED]
        lines += [f"  {p.name:<{width}}  {type_text(p.abstract)}".rstrip() for p in shown]
        if len(shown) < len(entry.parameters):
            lines.append(f"  … {len(entry.parameters) - len(shown)} more")
    lines += _operator_lines(operators, everything)
    if len(graph.funcs) > 1:
        lines += ["", "subgraphs"]
        funcs = list(graph.funcs.values())
        shown_funcs = funcs if everything else funcs[:FOLDED]
        for func in shown_funcs:
            mark = "   entry" if func.name == graph.entry else ""
            where = f"   {file_label(func.location.file)}:{func.location.line}" if func.location else ""
            lines.append(f"  @{func.name}: {_count(len(func.nodes), 'node')}{where}{mark}")
        if len(shown_funcs) < len(funcs):
            lines.append(f"  … {len(funcs) - len(shown_funcs)} more")
    return [escape_control(line).replace("\n", "\\n") for line in lines]


def glance_lines(entry: str, parameters: Names[str], subgraphs: Names[str], operators: Counter[str]) -> list[str]:
    """The summary of a large file, from names and counts alone; `--all` reads the rest."""
    nodes = sum(operators.values())
    lines = [f"graph @{entry}: {_count(nodes, 'node')}, {_count(len(subgraphs), 'subgraph')}"]
    for title, names, mark in (("parameter", parameters, ""), ("subgraph", subgraphs, "@")):
        if names and (title == "parameter" or len(names) > 1):
            lines += ["", _count(len(names), title)]
            lines += [f"  {mark}{name}" for name in names[:FOLDED]]
            if len(names) > FOLDED:
                lines.append(f"  … {len(names) - FOLDED} more")
    lines += _operator_lines(operators, False)
    return [escape_control(line).replace("\n", "\\n") for line in lines]


def _operator_lines(operators: Counter[str], everything: bool) -> list[str]:
    if not operators:
        return []
    ordered = sorted(operators.items(), key=lambda item: (-item[1], item[0]))
    listed = ordered if everything else ordered[:FOLDED]
    lines = ["", "operators", *(f"  {number:>6}  {name}" for name, number in listed)]
    if len(listed) < len(ordered):
        lines.append(f"  {sum(n for _, n in ordered[len(listed) :]):>6}  others, of {len(ordered) - len(listed)} kinds")
    return lines


def _inputs_first(parameters: tuple[Parameter, ...]) -> list[Parameter]:
    return [p for p in parameters if not is_weight(p)] + [p for p in parameters if is_weight(p)]


def is_weight(parameter: Parameter) -> bool:
    """Whether an entry parameter is a weight: it has a default, is a reference, or says so."""
    return parameter.has_default or bool(parameter.is_weight) or type(parameter.abstract).__name__ == "RefType"


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def node_line(func: FuncGraph, node: CNode, with_graph: bool = True) -> str:
    """`@g %3 = Conv2D(%1, %2) → Tensor[Float32] (1, 3)   Default/conv1   net.py:25  y = conv(x)`."""
    args = ", ".join(operand_text(operand) for operand in node.inputs)
    callee = ""
    if node.callee is not None:
        callee = " " + (f"@{node.callee.name}" if isinstance(node.callee, GraphRef) else operand_text(node.callee))
    text = f"{node.name} = " if node.name and node.op.lower() != "return" else ""
    text += f"{operator_name(node)}{callee}({args})"
    kind = type_text(node.abstract)
    if kind:
        text += f" → {kind}"
    if with_graph:
        text = f"@{func.name}  {text}"
    scope = scope_label(node.fullname or node.scope)
    if scope:
        text += f"   {scope}"
    place = own_line(node)
    if place is not None:
        text += f"   {file_label(place.file)}:{place.line}  {place.code.strip()}".rstrip()
    return escape_control(text).replace("\n", "\\n")


def attribute_lines(node: CNode) -> list[str]:
    """A node's attributes, one a line."""
    from msdump.graph.text import value_text

    groups = (node.primitive_attrs, node.cnode_attrs, node.primal_attrs, *(attrs for _, attrs in node.other_attrs))
    pairs = [(key, value_text(value)) for group in groups for key, value in group.items()]
    return [escape_control(f"    {key}: {value}").replace("\n", "\\n") for key, value in sorted(pairs)]


def tree_lines(graph: Graph, found: Iterable[tuple[FuncGraph, CNode]] | None = None) -> list[str]:
    """The scopes as a tree, each with how many nodes are in it and in those below."""
    total: Counter[tuple[str, ...]] = Counter()
    own: dict[tuple[str, ...], Counter[str]] = {}
    loose: Counter[str] = Counter()
    for func, node in graph.iter_nodes() if found is None else found:
        scope = scope_label(node.scope)
        if not scope:
            loose[graph_label(func.name)] += 1
            continue
        parts = tuple(scope.split("/"))
        for depth in range(1, len(parts) + 1):
            total[parts[:depth]] += 1
        own.setdefault(parts, Counter())[operator_name(node)] += 1
    lines = []
    for parts in sorted(total):
        ops = own.get(parts, Counter())
        some = ", ".join(f"{op} ×{n}" if n > 1 else op for op, n in sorted(ops.items())[:8])
        more = " …" if len(ops) > 8 else ""
        head = f"{'  ' * (len(parts) - 1)}{parts[-1]}  ({total[parts]})"
        lines.append(f"{head:<40}  {some}{more}".rstrip())
    if loose:
        lines.append("nodes without a scope, by subgraph" if lines else "no node has a scope; by subgraph:")
        lines += [f"  @{name}  ({number})" for name, number in loose.most_common()]
    return [escape_control(line) for line in lines]


def opaque_lines(graph: Graph) -> list[str]:
    """What is kept as text because its structure is not known: where it stands, and the text."""
    lines = []
    for found in iter_opaque(graph):
        lines.append(escape_control(f"  {found.where or 'the graph'}  {found.kind}  {found.text}").replace("\n", "\\n"))
    return [f"{_count(len(lines), 'piece')} of opaque text", *lines]
