"""Graphs made for tests of matching."""

from __future__ import annotations

import random

from msdump.graph import CNode, FuncGraph, Graph, GraphRef, NodeRef, Parameter


def made(nodes: list[CNode], last: str, *others: FuncGraph) -> Graph:
    """An entry @main(x) of these nodes that returns `last`."""
    nodes = [*nodes, CNode("", "Return", (NodeRef(last),))]
    main = FuncGraph("main", (Parameter("x"),), tuple(nodes))
    return Graph("main", {"main": main, **{func.name: func for func in others}})


def chain(count: int, op: str = "ReLU", without: int = -1) -> Graph:
    """Identical operators in a line."""
    nodes: list[CNode] = []
    last = "x"
    for i in range(count):
        if i != without:
            nodes.append(CNode(f"%{i}", op, (NodeRef(last),)))
            last = f"%{i}"
    return made(nodes, last)


def fan(count: int, without: int = -1) -> Graph:
    """Identical operators beside each other, put into one tuple."""
    nodes = [CNode(f"%{i}", "ReLU", (NodeRef("x"),)) for i in range(count) if i != without]
    return made([*nodes, CNode("%t", "MakeTuple", tuple(NodeRef(n.name) for n in nodes))], "%t")


def dead(count: int) -> Graph:
    """Identical operators that nothing uses."""
    return made([CNode(f"%{i}", "ReLU", (NodeRef("x"),)) for i in range(count)], "x")


def blocks(count: int, without: int = -1) -> Graph:
    """Identical blocks in a line, each with a shortcut around it."""
    nodes: list[CNode] = []
    last = "x"
    for block in range(count):
        if block == without:
            continue
        start = last
        for op in ("MatMul", "BiasAdd", "Softmax"):
            nodes.append(CNode(f"%{len(nodes)}", op, (NodeRef(last),)))
            last = nodes[-1].name
        nodes.append(CNode(f"%{len(nodes)}", "Add", (NodeRef(last), NodeRef(start))))
        last = nodes[-1].name
    return made(nodes, last)


def ring(count: int) -> Graph:
    """Subgraphs that call each other in rings."""
    funcs = []
    for i in range(count):
        nodes = (
            CNode("%0", "call", (NodeRef("p"),), callee=GraphRef(f"g{(i + 1) % count}")),
            CNode("%1", "call", (NodeRef("%0"),), callee=GraphRef(f"g{(i + 7) % count}")),
            CNode("%2", "Add", (NodeRef("%0"), NodeRef("%1"))),
            CNode("", "Return", (NodeRef("%2"),)),
        )
        funcs.append(FuncGraph(f"g{i}", (Parameter("p"),), nodes))
    return made([CNode("%0", "call", (NodeRef("x"),), callee=GraphRef("g0"))], "%0", *funcs)


def random_net(count: int, seed: int, ops: tuple[str, ...]) -> Graph:
    """A net without any order in it."""
    chosen = random.Random(seed)
    nodes = [CNode("%0", chosen.choice(ops), (NodeRef("x"),))]
    for i in range(1, count):
        inputs = tuple(NodeRef(f"%{chosen.randrange(max(0, i - 50), i)}") for _ in range(chosen.choice((1, 2, 2, 3))))
        nodes.append(CNode(f"%{i}", chosen.choice(ops), inputs))
    return made(nodes, f"%{count - 1}")
