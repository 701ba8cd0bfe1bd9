"""`context` as MindSpore has it: `from msdump import context`, then `context.set_context(…)`.

Modes, devices, saving of graphs, printing to a file, dumps, profiling; see
`msdump.runtime.settings.TABLE` for every key, its type, range, default and what it does here.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from msdump.formats.print_writer import open_print_writer
from msdump.runtime.context import (
    GRAPH_MODE,
    PYNATIVE_MODE,
    ContextError,
    ParallelMode,
    get_auto_parallel_context,
    get_context,
    reset_auto_parallel_context,
    set_auto_parallel_context,
    set_context,
)
from msdump.runtime.session import Session
from msdump.runtime.sink import Writers
from msdump.version import VERSION

if TYPE_CHECKING:
    from msdump.formats.dump.writing import DumpWriter
    from msdump.graph import Graph
    from msdump.records import Profile
    from msdump.runtime.dump_settings import DumpSettings


def _write_graph(graph: Graph, path: str, kind: str, dialect: str) -> None:
    if kind == "dot":
        from msdump.formats import dot

        dot.write(graph, path, force=True)
    else:
        from msdump.formats import ir

        ir.write(graph, path, dialect=dialect, force=True, lossy=True)  # as that release of MindSpore writes it


def _write_profile(profile: Profile, folder: str, tables: tuple[str, ...]) -> None:
    from msdump.formats.profile import write_profile

    write_profile(profile, folder, tables=tables)


def _open_dump(settings: DumpSettings, rank: int, device_target: str) -> DumpWriter:
    from msdump.formats.dump.writing import DumpWriter

    return DumpWriter(
        settings.path,
        net=settings.net_name,
        rank=rank,
        file_format=settings.file_format,
        tensors=settings.saved_data != "statistic",
        statistics=() if settings.saved_data == "tensor" else settings.statistics,
        config={"device_target": device_target, "ms_version": f"msdump {VERSION}"},
        settings=asdict(settings, dict_factory=_plain),
    )


def _plain(items: list[tuple[str, Any]]) -> dict[str, Any]:
    return {key: sorted(value) if isinstance(value, frozenset) else value for key, value in items}


def connect() -> None:
    """Have what the runtime makes written by this package's formats; done when the module is imported."""
    Session.writers = Writers(open_print_writer, _write_graph, _write_profile, _open_dump)


connect()

__all__ = [
    "GRAPH_MODE",
    "PYNATIVE_MODE",
    "ContextError",
    "ParallelMode",
    "get_auto_parallel_context",
    "get_context",
    "reset_auto_parallel_context",
    "set_auto_parallel_context",
    "set_context",
]
