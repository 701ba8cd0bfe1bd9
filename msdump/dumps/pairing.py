"""Which tensors of two dumps meet, also where only the hosts of a cluster see them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, TypeAlias

from msdump.diff.dumps.pairs import Pairing, pair, pair_files
from msdump.diff.dumps.renames import Renames
from msdump.dumps.opening import NothingDumped, NothingToCompare
from msdump.errors import MsdumpError, ReadError
from msdump.formats.dump import storage
from msdump.formats.dump.layout import Selection, place_of
from msdump.formats.dump.reading import Dump, NamesInGraph

if TYPE_CHECKING:
    from msdump.diff.dumps.cluster import Cluster
    from msdump.records import DumpRecord

Path: TypeAlias = "str | os.PathLike[str]"


def pair_dumps(a: Dump, b: Dump, renames: Renames | None = None) -> Pairing:
    """Which tensor of A meets which of B; reads names (and headers of .bin files) alone."""
    return pair_records(a, b, list(a), list(b), renames)


def pair_records(a: Dump, b: Dump, left: list[DumpRecord], right: list[DumpRecord], renames: Renames | None) -> Pairing:
    """The same of records that are listed already. Two files meet whatever they are called; ranks and
    iterations tell partners apart where directories below the roots tell them."""
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


def require_pairs(a: Dump, b: Dump, pairing: Pairing) -> None:
    """Raises NothingToCompare, with what may be done, when no tensor has a partner."""
    if pairing.pairs:
        return
    for dump, found in ((a, pairing.only_a), (b, pairing.only_b)):
        if not found:
            if dump.problems:
                raise dump.problems[0]
            raise NothingDumped(dump)
    one, other = pairing.only_a[0].record, pairing.only_b[0].record
    raise NothingToCompare(
        f"nothing to compare: none of {len(pairing.only_a)} tensors of {a.root} has a partner among the "
        f"{len(pairing.only_b)} of {b.root}",
        hint=f"names differ, such as {one.operator} and {other.operator}; --map FILE tells which belong together",
    )


def list_records(root: str, selection: Selection, names: NamesInGraph) -> tuple[list[DumpRecord], list[str], str]:
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


def listed_everywhere(dump: Dump, cluster: Cluster, hosts: dict[str, set[str]]) -> list[DumpRecord]:
    """A dump's records as all hosts of a cluster together see them; `hosts` learns who sees what."""
    found = cluster.on_each_host(list_records, dump.root, dump.selection, dump.names_in_graph)
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
