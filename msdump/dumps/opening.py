"""A dump at a path or URL, names that --map gives, and the graphs that tell where operators are."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, TypeAlias

from msdump.diff.dumps.renames import Renames, from_mapping, parse_rule
from msdump.errors import MsdumpError
from msdump.formats.dump import storage
from msdump.formats.dump.layout import EVERYTHING, Selection, place_of
from msdump.formats.dump.reading import Dump
from msdump.pipes import is_special, local
from msdump.source import WHOLE, BytePlace

if TYPE_CHECKING:
    from msdump.diff.dumps.places import Places
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
        graph: a graph file to take full names from, where no execution order tells them.

    Raises:
        ReadError: while iterating, when the path cannot be listed. Files that cannot be read are told
            in `problems`, and everything else is given.
    """
    selection = chosen(include, exclude, iterations, ranks, ops)
    names = {"": places_in(graph).names} if graph is not None else {}
    return Dump(local(path), selection, names)


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
    if text.endswith(".json"):
        import json

        try:
            return from_mapping(json.loads(content))
        except ValueError as error:
            raise MsdumpError(f"{text}: {error}") from None
    try:
        import yaml
    except ImportError:
        raise MsdumpError(
            f"{text} is YAML, and PyYAML is not installed", hint="install it with: pip install 'msdump[yaml]'"
        ) from None
    try:
        return from_mapping(yaml.safe_load(content))
    except yaml.YAMLError as error:
        raise MsdumpError(f"{text}: {' '.join(str(error).split())}") from None
    except MsdumpError as error:
        raise MsdumpError(f"{text}: {error}") from None


def places_in(graph: Path) -> Places:
    """Scopes and source lines of the operators of one graph file."""
    from msdump.diff.dumps.places import Places
    from msdump.io import read_graph

    with storage.local(os.fspath(graph)) as file:
        return Places([("", read_graph(file))])


def places_beside(dump: Dump, records: Sequence[DumpRecord]) -> Places | None:
    """The same from the graphs that MindSpore put beside the tensors, for the graphs of these records;
    what cannot be read there is left out, and None stands for no graph at all."""
    wanted: set[tuple[str, str]] = set()
    for path in {storage.parent(r.path): r.path for r in records}.values():
        place = place_of(storage.parts(path)[:-1], 0)
        if place.rank_dir:
            wanted.add((storage.join(dump.rank_directory(path, place.rank_dir), "graphs"), place.graph))
    graphs = []
    for directory, graph in sorted(wanted):
        for suffix in (".ir", ".pb"):
            path = storage.join(directory, f"ms_output_trace_code_graph_{graph}{suffix}")
            if not storage.exists(path) or is_special(path):
                continue
            from msdump.io import read_graph

            try:
                with storage.local(path) as file:
                    graphs.append((graph, read_graph(file)))
            except (MsdumpError, OSError):
                continue
            break
    if not graphs:
        return None
    from msdump.diff.dumps.places import Places

    return Places(graphs)
