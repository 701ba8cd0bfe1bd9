"""Assertions for tests of networks and compilers, with failures that can be read.

Each takes what was read or the path of a file. In a pytest run the plugin of this package gives the
fixture `msdump_artifacts` for the files that a test makes::

    def test_same_graph(msdump_artifacts):
        compile_my_net(save_graphs_to=msdump_artifacts.folder)
        graph = msdump_artifacts.graph("*validate*.ir")
        assert_graph_matches(graph, "CHECK-COUNT-2: Conv2D")
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from msdump.diff.labels import Ignore
    from msdump.graph import Graph
    from msdump.records import PrintRecord

GraphOrPath: TypeAlias = "Graph | str | os.PathLike[str]"
PrintsOrPath: TypeAlias = "Sequence[PrintRecord] | str | os.PathLike[str]"

__all__ = [
    "Artifacts",
    "assert_graph_matches",
    "assert_graph_sound",
    "assert_graphs_equal",
    "assert_prints_close",
]


def assert_prints_close(
    actual: PrintsOrPath,
    expected: PrintsOrPath,
    *,
    rtol: float = 1e-5,
    atol: float = 1e-8,
    equal_nan: bool = False,
    align: str = "label",
) -> None:
    """Assert that two print logs hold the same values, up to a tolerance.

    Args:
        actual: a log: records, or the path of a print.pb.
        expected: the reference.
        rtol: relative part of the tolerance: `|actual - expected| <= atol + rtol * |expected|`.
        atol: its absolute part.
        equal_nan: whether NaN equals NaN.
        align: "label" pairs values by the strings they are printed under, "index" by position.

    Raises:
        AssertionError: the first divergence and a table of all.
    """
    from msdump.diff.records import diff_records
    from msdump.diff.tensor.tolerance import Tolerance
    from msdump.render.print_diff import diff_lines

    if align not in ("label", "index"):
        raise ValueError(f"align is 'label' or 'index', not {align!r}")
    result = diff_records(
        _prints(actual), _prints(expected), Tolerance(rtol, atol, equal_nan), "label" if align == "label" else "index"
    )
    if not result.same:
        raise AssertionError("print logs differ: " + "\n".join(line for _, line in diff_lines(result)))


def assert_graphs_equal(
    actual: GraphOrPath,
    expected: GraphOrPath,
    *,
    ignore: Iterable[str] | Ignore = (),
    scope: str = "",
    pins: Mapping[str, str] | None = None,
) -> None:
    """Assert that two graphs compute the same: names, numbers, order of lines and scopes aside.

    Args:
        actual: a graph, or the path of one in any format.
        expected: the other.
        ignore: "types", "attrs", "attr:KEY", "constants".
        scope: look only under this scope prefix.
        pins: nodes of `expected` that are the same as these of `actual`, by name.

    Raises:
        AssertionError: the report of `msdump graph diff`, expected against actual.
    """
    from msdump.diff.graphs import diff_graphs
    from msdump.render.graph_diff import diff_lines

    result = diff_graphs(_graph(expected), _graph(actual), ignore, scope, pins)
    if not result.same:
        raise AssertionError("graphs differ (expected against actual): " + "\n".join(diff_lines(result)))


def assert_graph_matches(graph: GraphOrPath, expectations: str) -> None:
    """Assert that a graph holds what FileCheck-like expectations say.

    Args:
        graph: a graph, or the path of one.
        expectations: lines such as "CHECK-COUNT-4: ReLU" (see `msdump graph check --help`).

    Raises:
        AssertionError: each expectation that does not hold, with what is so instead.
        GraphError: there is no expectation in the text, or one cannot be read.
    """
    from msdump.graph.expect import check

    misses = check(_graph(graph), expectations)
    if misses:
        raise AssertionError("the graph is not as expected:\n" + "\n".join(str(miss) for miss in misses))


def assert_graph_sound(graph: GraphOrPath) -> None:
    """Assert that a graph does not contradict itself: no dangling operand, cycle or wrong count."""
    from msdump.graph.verify import verify

    faults = [fault.what for fault in verify(_graph(graph)) if fault.level == "error"]
    if faults:
        raise AssertionError("the graph contradicts itself:\n" + "\n".join(faults))


class Artifacts:
    """The files that a test makes, below one folder.

    Attributes:
        folder: where to let them be written.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)

    def path(self, pattern: str) -> Path:
        """The newest file whose name fits a pattern, in the folder or below; AssertionError without one."""
        found = [path for path in self.folder.rglob(pattern) if path.is_file()]
        if not found:
            there = ", ".join(sorted(p.name for p in self.folder.rglob("*") if p.is_file())[:10]) or "no file at all"
            raise AssertionError(f"no file {pattern!r} was written; there is {there}")
        return max(sorted(found), key=lambda path: path.stat().st_mtime)

    def graph(self, pattern: str) -> Graph:
        """The graph in the newest file whose name fits ("*validate*.ir")."""
        return _graph(self.path(pattern))

    def prints(self, pattern: str = "*.pb") -> list[PrintRecord]:
        """The records of the newest print log whose name fits."""
        return list(_prints(self.path(pattern)))


def _graph(graph: GraphOrPath) -> Graph:
    from msdump.graph import Graph
    from msdump.io import read_graph

    return graph if isinstance(graph, Graph) else read_graph(graph)


def _prints(log: PrintsOrPath) -> Sequence[PrintRecord]:
    if isinstance(log, (str, os.PathLike)):
        from msdump.io import read_print

        return list(read_print(log))
    return list(log)
