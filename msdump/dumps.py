"""Tensor dumps as a library: read one, compare two, ask one what went wrong.

This is the front door: it ties the readers (msdump.formats.dump), the comparison (msdump.diff.dumps)
and graphs together, and holds no algorithm of its own.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from msdump.collector import collector_paused
from msdump.diff.blocks import Tolerance
from msdump.diff.dumps.journal import Journal, default_path
from msdump.diff.dumps.measure import Rule
from msdump.diff.dumps.pairs import Pairing, pair, pair_files
from msdump.diff.dumps.processes import side_by_side
from msdump.diff.dumps.renames import Renames, from_mapping, parse_rule
from msdump.diff.dumps.result import DumpDiff, TensorResult, Unpaired
from msdump.diff.dumps.run import MEMORY, Runner, compare, default_jobs, gil_enabled, on_threads
from msdump.errors import MsdumpError, ReadError
from msdump.formats.dump import storage
from msdump.formats.dump.layout import Selection, place_of
from msdump.formats.dump.reading import Dump

if TYPE_CHECKING:
    from msdump.diff.dumps.cluster import Cluster
    from msdump.diff.dumps.order import Launched
    from msdump.diff.dumps.places import Places
    from msdump.diff.dumps.verify import Verified
    from msdump.records import DumpRecord

Path: TypeAlias = "str | os.PathLike[str]"

_JOURNAL_AFTER = 2.0
"""Seconds after which a comparison begins to note what is done."""


class NothingToCompare(MsdumpError):
    """No tensor of one side has a partner on the other."""


def read_dump(
    path: Path,
    *,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    iterations: Collection[int] | None = None,
    ranks: Collection[int] | None = None,
    ops: Sequence[str] = (),
    graph: Path | None = None,
) -> Dump:
    """A dump directory, any directory inside one, or one file of it: iterate for DumpRecords.

    Args:
        path: a path, or a URL that fsspec knows (`msdump[remote]`).
        include: patterns of file names (or "op_type.op_name") that are wanted; empty: all.
        exclude: patterns that are not wanted.
        iterations: only these.
        ranks: only these.
        ops: patterns of operators, by type, name, or full name with scope.
        graph: a graph file to take full names from, where no execution order tells them.

    Raises:
        ReadError: while iterating, when the path cannot be listed. Files that cannot be read are told
            in `problems`, and everything else is given.
    """
    selection = Selection(
        tuple(include),
        tuple(exclude),
        None if iterations is None else frozenset(iterations),
        None if ranks is None else frozenset(ranks),
        tuple(ops),
    )
    names = {"": places_in(graph).names} if graph is not None else {}
    return Dump(os.fspath(path), selection, names)


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
            if not storage.exists(path):
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


def pair_dumps(a: Dump, b: Dump, renames: Renames | None = None) -> Pairing:
    """Which tensor of A meets which of B; reads names (and headers of .bin files) alone."""
    return _pair_records(a, b, list(a), list(b), renames)


def _pair_records(
    a: Dump, b: Dump, left: list[DumpRecord], right: list[DumpRecord], renames: Renames | None
) -> Pairing:
    tables = any(record.tensor is None for record in (*left, *right))
    if not tables and not storage.is_dir(a.root) and not storage.is_dir(b.root):
        return pair_files(left, right)
    return pair(
        left,
        right,
        renames,
        by_rank=_told(a, left, "own_rank") and _told(b, right, "own_rank"),
        by_iteration=_told(a, left, "own_iteration") and _told(b, right, "own_iteration"),
    )


def _told(dump: Dump, records: Sequence[DumpRecord], what: str) -> bool:
    """Whether the directories below the root tell rank or iteration. Where a directory of one was
    given instead, or the layout has none, nothing is said about the partner's."""
    given = len(storage.parts(dump.root))
    directories = {storage.parent(record.path) for record in records}
    return any(getattr(place_of(storage.parts(directory), given), what) for directory in directories)


def diff_dumps(
    a: Path,
    b: Path,
    *,
    rtol: float = 0.0,
    atol: float = 0.0,
    equal_nan: bool = False,
    strict_dtype: bool = False,
    renames: Renames | str | None = None,
    graph: Path | None = None,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    iterations: Collection[int] | None = None,
    ranks: Collection[int] | None = None,
    ops: Sequence[str] = (),
    jobs: int | None = None,
    memory: int = MEMORY,
    workers: int | None = None,
    scheduler: str | None = None,
    resume: bool = False,
    journal: Path | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> DumpDiff:
    """Compare two dumps tensor by tensor; the result is a sequence of frozen TensorResults.

    Two numbers are equal when `|a-b| <= atol + rtol*|b|`; the default is exactly equal.

    Args:
        a: the first dump (a path or a fsspec URL).
        b: the second.
        rtol: relative tolerance.
        atol: absolute tolerance.
        equal_nan: NaN equals NaN.
        strict_dtype: a different dtype is a difference, even when the values agree.
        renames: how operators of A are called in B: Renames, or what `--map` takes.
        graph: a graph file for scopes and source lines; None: those beside the dump.
        include: as `read_dump` has it, and so exclude, iterations, ranks, ops.
        exclude: patterns that are not wanted.
        iterations: only these.
        ranks: only these.
        ops: only these operators.
        jobs: how many work side by side; None: as many as there are processors.
        memory: bytes that are held at most, about.
        workers: so many processes on this machine, by way of Dask (`msdump[dask]`).
        scheduler: "HOST:PORT" of a Dask scheduler whose workers do the work.
        resume: go on where a killed run of the same comparison was.
        journal: the file that remembers what is done; None: one in the user's cache.
        on_progress: told how many of how many tensors are compared.

    Raises:
        NothingToCompare: no tensor has a partner.
        MsdumpError: a side cannot be read at all.
    """
    if isinstance(renames, str):
        renames = read_renames(renames)
    given = None if graph is None else places_in(graph)
    selection = read_dump(a, include=include, exclude=exclude, iterations=iterations, ranks=ranks, ops=ops).selection
    names = {} if given is None else {"": given.names}
    left, right = Dump(os.fspath(a), selection, names), Dump(os.fspath(b), selection, names)
    rule = Rule(Tolerance(rtol, atol, equal_nan), strict_dtype)
    remote = storage.is_url(left.root) or storage.is_url(right.root)
    # Records, pairs and results are many, and none holds another; what Dask makes may.
    paused = nullcontext() if workers or scheduler else collector_paused()
    with paused, _runner(jobs, memory, workers, scheduler, remote) as (runner, lister):
        pairing = pair_dumps(left, right, renames) if lister is None else lister(left, right, renames)
        _require_pairs(left, right, pairing)
        results = _compare(left, right, pairing, rule, runner, resume, journal, on_progress)
    places = given or places_beside(left, [p.a.record for p in pairing.pairs])
    problems = [p.line for p in (*left.problems, *right.problems)]
    problems += [r.error for r in results if r.error and r.what == "unreadable"]
    return DumpDiff(
        tuple(_placed(r, places) for r in results) if places is not None else tuple(results),
        tuple(_unpaired(x, places) for x in pairing.only_a),
        tuple(_unpaired(x, places) for x in pairing.only_b),
        rule.tolerance,
        tuple(dict.fromkeys(problems)),
        tuple(dict.fromkeys(str(n) for n in (*left.notes, *right.notes))),
    )


def verify_dump(
    path: Path,
    graph: Path | None = None,
    *,
    rtol: float | None = None,
    atol: float | None = None,
    dump: Dump | None = None,
) -> Iterator[Verified]:
    """Compute every dumped operator again from its dumped inputs, in double precision.

    Args:
        path: the dump.
        graph: the graph its operators are in; None: those beside the dump.
        rtol: relative tolerance; None: what the dumped type's precision allows.
        atol: absolute tolerance; None: rtol times the root mean square of the output.
        dump: the dump when it is open already; `path` is then only its name.

    Yields:
        A Verified for each launch, in execution order: right, wrong, or unchecked and why.
    """
    from msdump.diff.dumps.verify import verify
    from msdump.runtime.executor import execute_node

    dump = dump or read_dump(path, graph=graph)
    records = list(dump)
    places = places_in(graph) if graph is not None else places_beside(dump, records)
    if places is None:
        raise MsdumpError(f"{dump.root}: there is no graph beside it", hint="--graph FILE names one")
    yield from verify(records, places, execute_node, rtol=rtol, atol=atol)


def _require_pairs(a: Dump, b: Dump, pairing: Pairing) -> None:
    if pairing.pairs:
        return
    for dump, found in ((a, pairing.only_a), (b, pairing.only_b)):
        if not found:
            if dump.problems:
                raise dump.problems[0]
            chosen = dump.selection != Selection()
            raise NothingToCompare(
                f"{dump.root}: there is no dumped tensor in it" + (" among those chosen" if chosen else "")
            )
    one, other = pairing.only_a[0].record, pairing.only_b[0].record
    raise NothingToCompare(
        f"nothing to compare: none of {len(pairing.only_a)} tensors of {a.root} has a partner among the "
        f"{len(pairing.only_b)} of {b.root}",
        hint=f"names differ, such as {one.operator} and {other.operator}; --map FILE tells which belong together",
    )


Lister: TypeAlias = "Callable[[Dump, Dump, Renames | None], Pairing]"


@contextmanager
def _runner(
    jobs: int | None, memory: int, workers: int | None, scheduler: str | None, remote: bool
) -> Iterator[tuple[Runner, Lister | None]]:
    if workers is None and scheduler is None:
        # Threads where waiting for the network is what takes time, and where they run side by side.
        side = on_threads if remote or not gil_enabled() else side_by_side
        yield side(jobs or default_jobs(), memory), None
        return
    from msdump.diff.dumps.cluster import open_cluster

    with open_cluster(workers, scheduler) as cluster:

        def lister(a: Dump, b: Dump, renames: Renames | None, cluster: Cluster = cluster) -> Pairing:
            hosts: dict[str, set[str]] = {}
            left, right = (_listed_everywhere(dump, cluster, hosts) for dump in (a, b))
            everywhere = set(cluster.workers().values())
            cluster.hosts = {path: frozenset(found) for path, found in hosts.items() if found != everywhere}
            return _pair_records(a, b, left, right, renames)

        yield cluster.runner(), lister if scheduler is not None else None


def list_records(
    root: str, selection: Selection, names: dict[str, list[str]]
) -> tuple[list[DumpRecord], list[str], str]:
    """The records of a dump as the machine that runs this sees it, what it could not read of them, and
    why it sees nothing at all ("")."""
    dump = Dump(root, selection, names)
    try:
        records = list(dump)
    except MsdumpError as error:
        return [], [], error.line
    for record in records:
        if record.tensor is not None:
            with suppress(MsdumpError):
                _ = record.tensor.nbytes  # travels with the record, and is not asked for from afar
    return records, [p.line for p in dump.problems], ""


def _listed_everywhere(dump: Dump, cluster: Cluster, hosts: dict[str, set[str]]) -> list[DumpRecord]:
    """A dump's records as all hosts of a cluster together see them; `hosts` learns who sees what."""
    found = cluster.on_each_host(list_records, dump.root, dump.selection, dict(dump.graph_names))
    records: dict[tuple[str, str, int], DumpRecord] = {}
    unseen: list[str] = []
    for host, (seen, problems, nothing) in found.items():
        dump.problems += map(ReadError, problems)
        unseen += [nothing] if nothing else []
        for record in seen:
            records.setdefault((record.path, record.io, record.slot), record)
            hosts.setdefault(record.path, set()).add(host)
    if not records and unseen:
        raise MsdumpError(unseen[0], hint="no worker of the cluster sees it")
    return list(records.values())


def _compare(
    a: Dump,
    b: Dump,
    pairing: Pairing,
    rule: Rule,
    runner: Runner,
    resume: bool,
    journal: Path | None,
    on_progress: Callable[[int, int], None] | None,
) -> list[TensorResult]:
    pairs = pairing.pairs
    notes = Journal(
        os.fspath(journal) if journal is not None else default_path(a.root, b.root), rule, storage.fingerprint
    )
    done = notes.done(pairs) if resume else {}
    count = len(done)
    written = False
    began = time.monotonic()
    pending: list[tuple[int, TensorResult]] = []

    def on_result(index: int, result: TensorResult) -> None:
        nonlocal count, written
        count += 1
        pending.append((index, result))
        # Short comparisons leave no trace: a journal is begun when one has taken a while.
        if not written and (journal is not None or resume or time.monotonic() - began > _JOURNAL_AFTER):
            notes.start(keep=bool(done))
            written = True
        if written:
            for at, known in pending:
                notes.add(pairs[at], known)
            pending.clear()
        if on_progress is not None:
            on_progress(count, len(pairs))

    finished = False
    try:
        results = compare(pairs, rule, runner, done=done, on_result=on_result)
        finished = True
    finally:
        notes.end(finished and (written or bool(done)))
    return results


def _placed(result: TensorResult, places: Places) -> TensorResult:
    spot = places.spot(result.scope, result.op_name, result.graph)
    if spot is None:
        return result
    return replace(result, scope=result.scope or spot.full_name, source=spot.source, code=spot.code)


def _unpaired(launched: Launched, places: Places | None) -> Unpaired:
    r = launched.record
    spot = None if r.scope_name or places is None else places.spot("", r.op_name, r.graph)
    return Unpaired(
        r.operator,
        r.io,
        r.slot,
        r.iteration,
        r.rank,
        r.graph,
        launched.occurrence,
        r.scope_name or (spot.full_name if spot else ""),
        r.path,
    )
