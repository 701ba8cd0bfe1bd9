"""A dump held against the executor: every operator computed again from its dumped inputs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeAlias

from msdump.dumps.opening import NothingDumped, operators_beside, operators_in, read_dump
from msdump.errors import MsdumpError
from msdump.formats.dump.reading import Dump

if TYPE_CHECKING:
    from msdump.diff.dumps.recompute import Verified

Path: TypeAlias = "str | os.PathLike[str]"


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

    Raises:
        NothingDumped: there is no tensor in it.
        MsdumpError: no graph is given, and none stands beside the dump.

    Yields:
        A Verified for each launch, in execution order: right, wrong, or unchecked and why.
    """
    from msdump.diff.dumps.recompute import verify
    from msdump.runtime.executor import execute_node

    dump = dump or read_dump(path, graph=graph)
    records = list(dump)
    if not records:
        if dump.problems:  # they say why
            return
        raise NothingDumped(dump)
    places = operators_in(graph) if graph is not None else operators_beside(dump, records)
    if places is None:
        raise MsdumpError(f"{dump.root}: there is no graph beside it", hint="--graph FILE names one")
    yield from verify(records, places, execute_node, rtol=rtol, atol=atol)
