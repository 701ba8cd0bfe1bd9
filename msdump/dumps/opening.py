"""A dump at a path or URL, names that --map gives, and the graphs that tell where operators are."""

from __future__ import annotations

import functools
import os
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from msdump.diff.dumps.renames import Renames, from_mapping, parse_rule
from msdump.errors import MsdumpError, ReadError
from msdump.formats.dump import storage
from msdump.formats.dump.layout import EVERYTHING, Selection, place_of
from msdump.formats.dump.reading import Dump
from msdump.json_text import parse_json
from msdump.pipes import is_special, local
from msdump.source import WHOLE, BytePlace

if TYPE_CHECKING:
    from msdump.diff.dumps.operators import OperatorIndex
    from msdump.graph import Graph
    from msdump.records import DumpRecord

Path: TypeAlias = "str | os.PathLike[str]"
Patterns: TypeAlias = "str | Sequence[str]"
Numbers: TypeAlias = "int | Collection[int] | None"


class NothingToCompare(MsdumpError):
    """No tensor of one side has a partner on the other."""


class NothingDumped(NothingToCompare):
    """A dump, or what was chosen of it, holds no tensor at all."""

    def __init__(self, dump: Dump) -> None:
        chosen = " among those chosen" if dump.selection != EVERYTHING else ""
        super().__init__(f"there is no dumped tensor in it{chosen}", BytePlace(dump.root, WHOLE))


def read_dump(
    path: Path,
    *,
    include: Patterns = (),
    exclude: Patterns = (),
    iterations: Numbers = None,
    ranks: Numbers = None,
    ops: Patterns = (),
    graph: Path | None = None,
) -> Dump:
    """A dump directory, any directory inside one, or one file of it: iterate for DumpRecords.

    Args:
        path: a path, a URL that fsspec knows (`msdump[remote]`), or `-` for standard input.
        include: patterns of file names (or "op_type.op_name") that are wanted; empty: all.
        exclude: patterns that are not wanted.
        iterations: only these, or this one.
        ranks: only these, or this one.
        ops: patterns of operators, by type, name, or full name with scope.
        graph: a graph file to take full names from, where no execution order tells them; None: the
            graphs that MindSpore put beside the dump.

    Raises:
        ReadError: while iterating, when the path cannot be listed. Files that cannot be read are told
            in `problems`, and everything else is given.
    """
    selection = chosen(include, exclude, iterations, ranks, ops)
    return Dump(local(path), selection, GraphNames(None if graph is None else tuple(operators_in(graph).names)))


def chosen(include: Patterns, exclude: Patterns, iterations: Numbers, ranks: Numbers, ops: Patterns) -> Selection:
    """What `read_dump` was asked for; a pattern or a number alone is one."""
    return Selection(_patterns(include), _patterns(exclude), _numbers(iterations), _numbers(ranks), _patterns(ops))


def _patterns(given: Patterns) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


def _numbers(given: Numbers) -> frozenset[int] | None:
    if given is None:
        return None
    return frozenset((given,) if isinstance(given, int) else given)


def read_renames(text: str) -> Renames:
    """What `--map` says: a YAML or JSON file, or a rule as sed writes it (`s/PATTERN/REPLACEMENT/`).

    Raises:
        MsdumpError: neither, or what it says is wrong.
    """
    if not os.path.isfile(text):
        rule = parse_rule(text)
        if rule is None:
            raise MsdumpError(f"{text}: neither a file nor a rule", hint="give a YAML file, or s/PATTERN/REPLACEMENT/")
        return rule
    content = storage.read_text(text)
    try:
        return from_mapping(parse_json(content, text) if text.endswith(".json") else _yaml(content, text))
    except ReadError:
        raise
    except MsdumpError as error:
        raise MsdumpError(f"{text}: {error}", hint=error.hint) from None


def _yaml(content: str, text: str) -> object:
    try:
        import yaml
    except ImportError:
        raise MsdumpError(
            f"{text} is YAML, and PyYAML is not installed", hint="install it with: pip install 'msdump[yaml]'"
        ) from None
    try:
        return yaml.safe_load(content)
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # ValueError: a number or date that is none
        raise MsdumpError(" ".join(str(error).split())) from None


def operators_in(graph: Path) -> OperatorIndex:
    """Scopes and source lines of the operators of one graph file."""
    from msdump.diff.dumps.operators import OperatorIndex
    from msdump.io import read_graph

    with storage.local(os.fspath(graph)) as file:
        return OperatorIndex([("", read_graph(file))])


def graph_beside(directory: str, graph: str) -> Graph | None:
    """The graph that MindSpore put beside the tensors of a rank; None where there is none to be read."""
    for suffix in (".ir", ".pb"):
        path = storage.join(directory, "graphs", f"ms_output_trace_code_graph_{graph}{suffix}")
        with suppress(MsdumpError, OSError):
            if storage.exists(path) and not is_special(path):
                return _read_graph(path, storage.fingerprint(path))
    return None


@functools.lru_cache(maxsize=8)
def _read_graph(path: str, _written: tuple[int, int]) -> Graph:
    from msdump.io import read_graph

    with storage.local(path) as file:
        return read_graph(file)


@dataclass(frozen=True, slots=True)
class GraphNames:
    """Full names of a graph's operators as it lists them: `given` ones, or those of the graph beside a
    dump (directory of the rank, graph id)."""

    given: tuple[str, ...] | None = None

    def __call__(self, directory: str, graph: str) -> Sequence[str]:
        """The names, none where there is no graph."""
        if self.given is not None:
            return self.given
        found = graph_beside(directory, graph)
        return () if found is None else [n.fullname for _, n in found.iter_nodes() if n.fullname]


def operators_beside(dump: Dump, records: Sequence[DumpRecord]) -> OperatorIndex | None:
    """The same from the graphs that MindSpore put beside the tensors, for the graphs of these records;
    what cannot be read there is left out, and None stands for no graph at all."""
    wanted: set[tuple[str, str]] = set()
    for path in {storage.parent(r.path): r.path for r in records}.values():
        place = place_of(storage.parts(path)[:-1], 0)
        if place.rank_dir:
            wanted.add((dump.rank_directory(path, place.rank_dir), place.graph))
    graphs = [(graph, found) for directory, graph in sorted(wanted) if (found := graph_beside(directory, graph))]
    if not graphs:
        return None
    from msdump.diff.dumps.operators import OperatorIndex

    return OperatorIndex(graphs)
