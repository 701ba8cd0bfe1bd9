"""A failed compilation explained from whatever was brought: a graph, an error's text, a folder, or several.

`explain_path` is what `msdump graph explain` shows.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from msdump.formats.failure_log import inspect_failure_log
from msdump.formats.format import Reading
from msdump.graph import Graph
from msdump.graph.explain import Explanation, explain
from msdump.graph.failure import has_failed
from msdump.graph.failure_text import FailureText
from msdump.graph.structure_rules import Sources, no_sources
from msdump.io import inspect
from msdump.pipes import STDIN, is_special, local
from msdump.runtime.refusal import refusal


@dataclass(frozen=True, slots=True)
class Account:
    """What became of a failed compilation, from all that is at hand.

    Attributes:
        explanation: the failure and its reason.
        graph_path: the analyze_fail file that was read; "" when there is none.
        missing: the analyze_fail file that the text names and that is not there; else "".
        readings: the files that were read, with notes and what ended their reading early.
    """

    explanation: Explanation
    graph_path: str = ""
    missing: str = ""
    readings: tuple[Reading, ...] = ()


def explain_graph(graph: Graph, text: FailureText | None = None, source: str | None = None) -> Explanation:
    """A failed graph explained, with what its operators say of their operands.

    Args:
        graph: of an analyze_fail file.
        text: the error's text where the file does not hold it.
        source: folder of the source files that were compiled.
    """
    return explain(graph, text, refusal, sources_in(source) if source else no_sources)


def explain_path(path: str, error: str | None = None, source: str | None = None) -> Account:
    """The failure that a file tells of.

    Args:
        path: an analyze_fail file, the text of an error ("-" for standard input), or a folder with an
            analyze_fail file somewhere in it.
        error: a file with the error's text, where `path` does not hold it.
        source: folder of the source files that were compiled.

    Raises:
        UnknownFormatError: it is neither a failed graph nor the text of an error.
        GraphError: it is the graph of no failed compilation.
        ReadError, OSError: a file cannot be read.
    """
    path = newest_failure(path) if path != STDIN and os.path.isdir(path) else path
    readings = [inspect_failure_log(local(error))] if error is not None else []
    text = readings[0].content if readings else None
    first = inspect(path)
    if isinstance(first.content, Graph):
        found = explain_graph(first.content, text, source)
        return Account(found, path, "", (*readings, first))
    if text is None:
        first = first if isinstance(first.content, FailureText) else inspect_failure_log(local(path))
        text = first.content
    elif first.error is not None:
        raise first.error
    readings.append(first)
    named = graph_named_by(text, path)
    graph = inspect(named) if named else None
    if graph is None or not isinstance(graph.content, Graph) or not has_failed(graph.content):
        return Account(explain(None, text, refusal), "", text.graph_file, tuple(readings))
    return Account(explain_graph(graph.content, text, source), named, "", (*readings, graph))


def newest_failure(folder: str) -> str:
    """The newest analyze_fail file in a folder and the folders below it; the folder itself when there is none."""
    found = [
        os.path.join(here, name)
        for here, _, names in os.walk(folder)
        for name in names
        if name.startswith("analyze_fail") and name.endswith((".ir", ".dat"))
        if not is_special(os.path.join(here, name))
    ]
    return max(sorted(found), key=os.path.getmtime) if found else folder


def graph_named_by(text: FailureText, path: str) -> str:
    """The analyze_fail file that a text names: where it says, else beside the text by its base name; else ""."""
    if not text.graph_file:
        return ""
    beside = os.path.join(os.path.dirname(path), os.path.basename(text.graph_file.replace("\\", "/")))
    candidates = [text.graph_file, *([] if path == STDIN else [beside])]
    return next((name for name in candidates if os.path.isfile(name)), "")


def sources_in(folder: str) -> Sources:
    """Source files by the path that a graph has, looked up in a folder: by ever shorter ends of the path."""

    def read(path: str) -> str | None:
        parts = path.replace("\\", "/").strip("/").split("/")
        for skipped in range(len(parts)):
            found = os.path.join(folder, *parts[skipped:])
            if ".." not in parts and os.path.isfile(found):
                with open(found, encoding="utf-8", errors="replace") as stream:
                    return stream.read()
        return None

    return read
