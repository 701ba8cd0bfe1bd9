"""The stages of compilation, in order, each a pass over the whole Graph."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from msdump.errors import GraphError
from msdump.graph import Graph
from msdump.graph.verify import verify
from msdump.runtime.passes.fold import fold_constants
from msdump.runtime.passes.inline import inline
from msdump.runtime.passes.lift import lift_closures
from msdump.runtime.passes.simplify import merge_equal, remove_identities
from msdump.runtime.passes.substitute import drop_dead, renumber
from msdump.runtime.passes.types import infer_types, strip_types

Pass = Callable[[Graph], Graph]

OPTIMIZATIONS: tuple[tuple[str, Pass], ...] = (
    ("drop_dead", lambda graph: renumber(drop_dead(graph))),
    ("fold_constants", fold_constants),
    ("remove_identities", remove_identities),
    ("merge_equal", merge_equal),
)
"""What the stage `optimize` does, in rounds until nothing changes."""

_ROUNDS = 4


@dataclass(frozen=True, slots=True)
class Stage:
    """A graph as it is after a stage. `main` stages are numbered, the others are steps of one."""

    name: str
    graph: Graph
    main: bool = True


def iter_stages(recorded: Graph) -> Iterator[Stage]:
    """Compile a graph as it was recorded; the last stage's graph is the one that runs.

    GraphError when an operator's operands do not fit it, or the graph contradicts itself.
    """
    graph = strip_types(recorded)
    yield Stage("parse", graph)
    graph = infer_types(graph)
    yield Stage("type_inference", graph)
    graph = inline(graph)
    yield Stage("inline", graph)
    count = 0
    for _ in range(_ROUNDS):
        before = graph
        for name, optimization in OPTIMIZATIONS:
            graph = optimization(graph)
            yield Stage(f"opt_pass_{count}_{name}", graph, main=False)
            count += 1
        if graph == before:
            break
    yield Stage("optimize", graph)
    validate(graph)
    yield Stage("validate", graph)
    graph = lift_closures(graph)
    yield Stage("execute", graph)


def validate(graph: Graph) -> None:
    """GraphError when the graph has an operand that nothing gives, a cycle, or a wrong count."""
    problems = verify(graph)
    if problems:
        raise GraphError(f"the compiled graph is not valid: {problems[0]}")
