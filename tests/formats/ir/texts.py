"""Small graph texts that tests put together, and the files they run over."""

from __future__ import annotations

from pathlib import Path

from msdump.formats import ir
from msdump.graph import CNode, Graph
from tests.conftest import FIXTURES, REAL, real

FILES = sorted((FIXTURES / "ir").glob("*.ir"))


def v1(body: str, params: str = "%para1_x : <Tensor[Float32]x[const vector][2]>") -> str:
    """A 1.1 file with one subgraph of these nodes."""
    return (
        f"#IR entry      : @main.1\n#attrs         :\n#Total params  : 1\n\n{params}\n\n#Total subgraph : 1\n\n"
        f"subgraph attr:\nsubgraph @main.1() {{\n{body}\n}}\n\n"
    )


def v2(body: str, params: str = "%para1_x: <Tensor[Float32], (2)> : [2]") -> str:
    """A 2.10 file with one subgraph of these nodes."""
    return (
        f"# IR entry: @main_1\n# Total subgraphs: 1\n\n# Total params: 1\n# Params:\n{params}\n\n"
        f"subgraph attr:\nsubgraph instance: main_1 : 0x1\n\nsubgraph @main_1() {{\n{body}\n}}\n\n\n"
    )


def exact(text: str) -> Graph:
    """The graph of a text that prints back as it was."""
    graph = ir.parse(text)
    assert ir.format_graph(graph) == text
    return graph


def first(graph: Graph) -> CNode:
    """The first node of the entry graph."""
    return graph.root.nodes[0]


def real_files() -> list[Path]:
    """Every real graph dump."""
    found = real(*(f"{folder}/**/*" for folder in ("ir", "pairs", "run_folder", "fail", "docs")))
    return [
        path
        for path in found
        if "actor_set" not in path.name
        and (path.suffix == ".ir" or "trace_code_graph" in path.name or (path.parts[-4] == "ir" and not path.suffix))
    ]


def sample(files: list[Path], each: int = 1) -> list[Path]:
    """Files that cover every release and network."""
    groups: dict[tuple[str, ...], list[Path]] = {}
    for path in files:
        groups.setdefault(path.relative_to(REAL).parts[:3], []).append(path)
    chosen = []
    for group in groups.values():
        small = [path for path in group if path.stat().st_size < 120_000] or group[:1]
        chosen += [small[(7 * number) % len(small)] for number in range(min(each, len(small)))]
    return sorted(set(chosen))
