"""`msdump dump check DIR`."""

from __future__ import annotations

from typing import Any

import click

from msdump.cli.dump.opening import ended, open_dump, require_tensors
from msdump.cli.dump.options import selection_options
from msdump.cli.terminal import emit_json, emit_lines, json_option
from msdump.formats.dump.checking import DiskUse, check
from msdump.render.dump_text import bytes_text, flat


@click.command()
@click.argument("path")
@selection_options
@json_option
def command(path: str, as_json: bool, **selection: Any) -> int:
    """Truncated, unreadable, missing and duplicate files, and the disk space a dump takes.

    Exit status 1 when something is wrong.
    """
    dump = open_dump(path, selection)
    use = DiskUse()
    told = wrong = 0
    documents: list[dict[str, Any]] = []
    for finding in check(dump, use):
        told += 1
        wrong += not finding.harmless
        if as_json:
            documents.append({"kind": finding.kind, "path": finding.path, "what": finding.what})
        else:
            emit_lines([f"{finding.kind}   {flat(finding.path)}   {flat(finding.what)}"])
    require_tensors(dump, use.dumped + told)
    largest = use.operators.most_common(5)
    if as_json:
        document = {
            "schema": "msdump.dump-check/1",
            "same": not wrong,
            "files": use.files,
            "not_looked_at": use.unknown,
            "bytes": use.bytes,
            "findings": documents,
            "places": [
                {"rank": rank, "graph": graph, "iteration": iteration, "bytes": size}
                for (rank, graph, iteration), size in use.places.items()
            ],
            "operators": [{"op_type": name, "bytes": size} for name, size in use.operators.most_common()],
        }
        emit_json(document)
    else:
        said = f"{wrong:,} wrong" if wrong else "all whole"
        looked = use.files - use.unknown
        emit_lines([f"{looked:,} file{'s' * (looked != 1)}, {bytes_text(use.bytes)}: {said}"])
        if use.unknown:
            emit_lines([f"{use.unknown:,} more not looked at: they are no part of a dump"])
        if largest:
            emit_lines(["most space: " + ", ".join(f"{flat(n) or '-'} {bytes_text(size)}" for n, size in largest)])
    return ended(dump, 1 if wrong else 0)
