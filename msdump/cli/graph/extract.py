"""`msdump graph extract FILE --node NAME -o OUT`, and `--reduce CMD`."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from typing import TYPE_CHECKING

import click

from msdump.cli.graph.reading import read_one
from msdump.cli.terminal import emit_lines
from msdump.errors import GraphError, WriteError
from msdump.graph.edit import extract, neighbours, reduce
from msdump.graph.find import Query, select
from msdump.graph.node import RETURN
from msdump.io import format_to_write, write_graph

if TYPE_CHECKING:
    from msdump.graph import Graph
    from msdump.graph.edit.extract import Direction


@click.command()
@click.argument("file")
@click.option("--node", metavar="NAME", help="The operator to cut around: its name, debug name, full name or operator.")
@click.option("--graph", "func", default="", metavar="NAME", help="The subgraph it is in, where several have one.")
@click.option(
    "--depth",
    type=click.IntRange(0),
    help="Over how many edges; 1 by itself, with --upstream or --downstream as many as there are.",
)
@click.option("--upstream", is_flag=True, help="What the operator needs.")
@click.option("--downstream", is_flag=True, help="What needs the operator.")
@click.option("--reduce", "test", metavar="CMD", help="Make it as small as it can be while CMD exits with 0.")
@click.option(
    "--timeout", type=click.FloatRange(0, min_open=True), default=60.0, show_default=True, help="Seconds for one CMD."
)
@click.option(
    "-o", "--output", "out", metavar="OUT", required=True, help="The file to write; its suffix says the format."
)
@click.option("--to", default="", metavar="FORMAT", help="The format to write, whatever the suffix.")
@click.option("--force", is_flag=True, help="Replace OUT when it is there.")
@click.option("--lossy", is_flag=True, help="Leave out what the format cannot carry.")
def command(
    file: str,
    node: str | None,
    func: str,
    depth: int | None,
    upstream: bool,
    downstream: bool,
    test: str | None,
    timeout: float,
    out: str,
    to: str,
    force: bool,
    lossy: bool,
) -> None:
    """Cut the part around an operator out of a graph, as a graph of its own: for a bug report.

    What the part takes from outside becomes its parameters; the subgraphs it calls come along. With
    --reduce, the part (or the whole of FILE) is made smaller as long as CMD finds it interesting:
    CMD gets the name of a graph file in place of {} (or at its end) and says so by exit status 0.
    """
    if node is None and test is None:
        raise click.UsageError("--node NAME says what to cut out, --reduce CMD what to reduce")
    if os.path.lexists(out) and not force:
        raise WriteError(f"{out}: the file exists", hint="--force replaces it")
    one = read_one(file)
    if one.error is not None:
        raise one.error
    graph = one.graph
    if node is not None:
        direction: Direction = "both" if upstream == downstream else "upstream" if upstream else "downstream"
        if depth is None and not (upstream or downstream):
            depth = 1
        graph = _around(graph, node, func, depth, direction)
    if test is not None:
        graph = _reduced(graph, test, timeout, out, to, lossy)
    write_graph(graph, out, to=to, force=force, lossy=lossy)
    emit_lines([f"{_size(graph)} of {_size(one.graph)}: {out}"])


def _around(graph: Graph, name: str, func: str, depth: int | None, direction: Direction) -> Graph:
    """The part around the one node of that name, debug name, full name or operator."""
    func = func.lstrip("@")
    found = list(select(graph, Query(name=name, graph=func))) or list(select(graph, Query(op=name, graph=func)))
    found = [(holder, node) for holder, node in found if node.op != RETURN]
    where = f" in @{func}" if func else ""
    if not found:
        raise GraphError(f"there is no operator {name}{where}", hint="`msdump graph show FILE --nodes` lists them")
    if len(found) > 1:
        some = [f"--node {shlex.quote(n.name)} --graph {shlex.quote(f.name)}" for f, n in found[:4]]
        more = f", and {len(found) - 4} more" if len(found) > 4 else ""
        raise GraphError(f"{len(found)} operators are {name}{where}", hint="one of: " + ", ".join(some) + more)
    holder, node = found[0]
    names = neighbours(graph, node.name, holder.name, depth=depth, direction=direction)
    return extract(graph, names, holder.name, outputs=[node.name] if direction == "upstream" else ())


def _reduced(graph: Graph, test: str, timeout: float, out: str, to: str, lossy: bool) -> Graph:
    """The smallest graph that a command is found to exit with 0 for."""
    chosen = format_to_write(out, "graph", to)
    with tempfile.TemporaryDirectory(prefix="msdump-reduce-") as folder:
        path = os.path.join(folder, "reduced" + chosen.suffixes[0])
        quoted = shlex.quote(path)
        words = test.replace("{}", quoted) if "{}" in test else f"{test} {quoted}"
        status = 0

        def interesting(candidate: Graph) -> bool:
            nonlocal status
            write_graph(candidate, path, to=chosen.name, force=True, lossy=lossy)
            try:
                done = subprocess.run(
                    words,
                    shell=True,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    timeout=timeout,
                    check=False,
                )
            except subprocess.TimeoutExpired:
                status = -1
                return False
            status = done.returncode
            return status == 0

        try:
            return reduce(graph, interesting)
        except GraphError as error:
            how = f"did not end in {timeout:g} s" if status == -1 else f"exits with {status}"
            error.hint = f"{test!r} {how} for it; it has to exit with 0 for what is interesting"
            raise


def _size(graph: Graph) -> str:
    nodes = sum(len(func.nodes) for func in graph.funcs.values())
    several = "" if len(graph.funcs) == 1 else f" in {len(graph.funcs)} subgraphs"
    return f"{nodes:,} node{'s' * (nodes != 1)}{several}"
