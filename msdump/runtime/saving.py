"""save_graphs: each stage's graph handed to the sink, under the names and numbers MindSpore gives."""

from __future__ import annotations

import itertools
import os
from dataclasses import dataclass, field, replace

from msdump.errors import TraceError
from msdump.graph import Graph
from msdump.runtime.context import get_context, save_graphs_level
from msdump.runtime.parallel_context import rank, rank_folder
from msdump.runtime.session import current
from msdump.runtime.spelling import in_words_of
from msdump.runtime.stages import Stage


@dataclass(slots=True)
class GraphSaver:
    """Saves the stages of one compilation.

    Files are numbered through the whole process and a folder: `00_parse_0000.ir`,
    `00_parse_0001.dot`, `01_type_inference_0002.ir`, …; steps of a stage have its number's place in
    their own name (`opt_pass_2_merge_equal_0010.ir`). Release 1.1 gives a .dot no number.
    """

    level: int
    folder: str
    dialect: str
    stages: itertools.count[int] = field(default_factory=itertools.count)

    @staticmethod
    def from_context() -> GraphSaver:
        """As save_graphs, save_graphs_path and save_graphs_dialect say now."""
        folder = os.path.join(os.path.abspath(get_context("save_graphs_path")), rank_folder())
        return GraphSaver(save_graphs_level(), folder, get_context("save_graphs_dialect"))

    def save(self, stage: Stage) -> None:
        """Save a stage, if its kind is asked for."""
        name = f"{next(self.stages):02d}_{stage.name}" if stage.main else stage.name
        if self.level < (1 if stage.main else 2):
            return
        os.makedirs(self.folder, exist_ok=True)
        graph = in_words_of(stage.graph, self.dialect)
        _write(graph, self._path(name, "ir", numbered=True), "ir", self.dialect)
        if self.level >= 3:
            _write(graph, self._path(name, "dot", numbered=not self.dialect.startswith("1.1")), "dot", self.dialect)

    def save_failure(self, graph: Graph, error: TraceError) -> None:
        """Leave rank_<n>/om/analyze_fail.ir: the graph as far as it came, the message, the node at fault."""
        folder = os.path.join(os.path.abspath(get_context("save_graphs_path")), f"rank_{rank()[0]}", "om")
        os.makedirs(folder, exist_ok=True)
        message = (_ROW, "- Caught exception:", _ROW, *error.what.split("\n"))  # framed as MindSpore has it
        told = replace(in_words_of(graph, self.dialect), comments=message)
        _write(told, os.path.join(folder, "analyze_fail.ir"), "ir", self.dialect)

    def _path(self, name: str, suffix: str, *, numbered: bool) -> str:
        number = f"_{next(current().saved.setdefault(self.folder, itertools.count())):04d}" if numbered else ""
        return os.path.join(self.folder, f"{name}{number}.{suffix}")


_ROW = "-" * 52


def _write(graph: Graph, path: str, kind: str, dialect: str) -> None:
    writers = current().writers
    if writers is not None:
        writers.graph(graph, path, kind, dialect)
