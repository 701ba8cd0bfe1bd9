"""`msdump graph run FILE --inputs in.npz -o out.npz`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
import numpy as np

from msdump.cli.graph.reading import read_one
from msdump.cli.terminal import emit_json
from msdump.errors import DecodeError, ExecutionError
from msdump.formats.atomic import new_file
from msdump.render.escape import escape_control
from msdump.runtime.executor import Executor, missing_operators
from msdump.runtime.executor.places import place_of, title_of
from msdump.runtime.promotion import spelled
from msdump.source import BytePlace

if TYPE_CHECKING:
    from msdump.runtime.executor import Missing


@click.command()
@click.argument("file")
@click.option("--inputs", "given", metavar="IN.npz", help="Arrays in0, in1, … for the inputs in order, or by name.")
@click.option("-o", "--output", metavar="OUT.npz", help="Where the outputs go, as out0, out1, …; else a summary.")
@click.option("--force", is_flag=True, help="Write over an existing file.")
@click.option("--dump", "dump", metavar="DIR", help="Write every operator's tensors there, in MindSpore's dump layout.")
@click.option(
    "--list-missing", is_flag=True, help="List what cannot be executed, and run nothing. Exit status 1 if any."
)
@click.option(
    "--max-call-depth", type=click.IntRange(1), default=1000, show_default=True, help="How deep calls may nest."
)
@click.option("--json", "as_json", is_flag=True, help="Report as JSON.")
@click.pass_context
def command(
    ctx: click.Context,
    file: str,
    given: str | None,
    output: str | None,
    force: bool,
    dump: str | None,
    list_missing: bool,
    max_call_depth: int,
    as_json: bool,
) -> None:
    """Execute a graph (.mindir, .ir, …) on numpy.

    Weights come from a .mindir itself; for other files, or to replace them, they stand in IN.npz
    under the parameter's name.
    """
    one = read_one(file)
    if one.error is not None:
        raise one.error
    if list_missing:
        missing = missing_operators(one.graph)
        _show_missing(file, missing, as_json)
        ctx.exit(1 if missing else 0)
    executor = Executor(one.graph, max_call_depth=max_call_depth)
    values = _inputs(executor, given)
    recorder = None
    if dump is not None:
        from msdump.cli.graph.node_dump import NodeDump

        recorder = NodeDump(dump, one.graph)
        executor.observer = recorder
    try:
        found = executor.run(values)
    finally:
        if recorder is not None:
            recorder.parameters({n: v for n, v in values.items() if n in {p.name for p in executor.inputs}})
            recorder.close()
    outputs = _flat(found)
    if output is not None:
        _write(output, outputs, force)
    _show(outputs, as_json, output is None)


def _inputs(executor: Executor, path: str | None) -> dict[str, Any]:
    """Arrays by parameter name: in0, in1, … are the inputs in order, other names parameters."""
    if path is None:
        return {}
    try:
        loaded = np.load(path, allow_pickle=False)
        arrays = {"in0": loaded} if isinstance(loaded, np.ndarray) else {name: loaded[name] for name in loaded.files}
    except OSError:
        raise
    except Exception as error:
        raise DecodeError(f"is not .npz or .npy: {error}", BytePlace(path, 0)) from error
    wanted = executor.inputs
    names = {p.name for p in executor.graph.root.parameters}
    values: dict[str, Any] = {}
    for name, array in arrays.items():
        if name in names:
            values[name] = array
        elif name.startswith("in") and name[2:].isdigit() and int(name[2:]) < len(wanted):
            values[wanted[int(name[2:])].name] = array
        else:
            raise ExecutionError(
                f"{path} holds {name}, but the graph has no such parameter and takes {len(wanted)} inputs",
                hint="its parameters: " + ", ".join(sorted(names)),
            )
    return values


def _flat(value: Any) -> list[Any]:
    """Outputs in order; a tuple of tuples is read from left to right."""
    if isinstance(value, tuple | list):
        return [leaf for item in value for leaf in _flat(item)]
    return [] if value is None else [np.asarray(value)]


def _write(path: str, outputs: list[Any], force: bool) -> None:
    with new_file(path, force=force) as stream:
        np.savez(stream, **{f"out{i}": array for i, array in enumerate(outputs)})


def _show(outputs: list[Any], as_json: bool, values: bool) -> None:
    if as_json:
        rows = [{"name": f"out{i}", "dtype": spelled(a.dtype), "shape": list(a.shape)} for i, a in enumerate(outputs)]
        emit_json({"schema": "msdump.graph-run/1", "outputs": rows})
        return
    for i, array in enumerate(outputs):
        click.echo(f"out{i}  Tensor[{spelled(array.dtype)}] {tuple(array.shape)}")
        if values:
            click.echo(np.array2string(array, threshold=64))


def _show_missing(file: str, missing: list[Missing], as_json: bool) -> None:
    if as_json:
        rows = []
        for m in missing:
            place = place_of(m.node)
            rows.append(
                {
                    "op": m.op,
                    "node": m.node.name,
                    "fullname": m.node.fullname,
                    "graph": m.func,
                    "source": None if place is None else f"{place.file}:{place.line}",
                    "what": m.what,
                }
            )
        emit_json({"schema": "msdump.graph-missing/1", "missing": rows})
        return
    if not missing:
        click.echo(f"{escape_control(file)}: every operator can be executed")
        return
    names = sorted({m.op for m in missing})
    click.echo(f"{len(names)} operators cannot be executed: {escape_control(', '.join(names))}")
    for m in missing:
        place = place_of(m.node)
        where = "" if place is None else f"  {place.file}:{place.line}  {place.text.strip()}"
        click.echo(escape_control(f"  {m.op}  {title_of(m.node)} in @{m.func}{where}"))


__all__ = ["command"]
