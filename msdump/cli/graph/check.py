"""`msdump graph check FILE --expect FILE`."""

from __future__ import annotations

import sys

import click

from msdump.cli.graph.reading import read_one
from msdump.cli.terminal import emit_json, emit_lines, json_option
from msdump.graph.expect import check
from msdump.render.escape import escape_control


@click.command()
@click.argument("file")
@click.option("--expect", required=True, metavar="FILE", help="The expectations; - is standard input.")
@json_option
@click.pass_context
def command(ctx: click.Context, file: str, expect: str, as_json: bool) -> None:
    """Expectations on a graph, in the manner of FileCheck, for tests.

    \b
    CHECK: Conv2D … {stride: (1, 1, 1, 1)}    such a node comes next in order
    CHECK-NEXT: BiasAdd                       the very next node
    CHECK-NOT: Cast                           none before the next CHECK, or the end
    CHECK-COUNT-4: ReLU                       exactly four in all
    CHECK-DAG: Softmax                        one, wherever it stands
    CHECK-SCOPE: Default/block1               what follows is about this scope
    CHECK-GRAPH: construct                    what follows is about this subgraph

    Exit status 0: all hold; 1: one does not.
    """
    one = read_one(file)
    if expect == "-":
        text = sys.stdin.read()
    else:
        with open(expect, encoding="utf-8") as stream:
            text = stream.read()
    misses = check(one.graph, text)
    if as_json:
        rows = [{"line": miss.line, "directive": miss.directive, "why": miss.why} for miss in misses]
        document = {"schema": "msdump.graph-expect/1", "holds": not misses, "misses": rows}
        emit_json(document, indent=1)
    else:
        for miss in misses:
            emit_lines([escape_control(f"{expect}:{miss.line}: {miss.directive}"), escape_control(f"    {miss.why}")])
        emit_lines(["all expectations hold" if not misses else f"{len(misses)} expectations do not hold"])
    one.report()
    ctx.exit(2 if one.failed else 1 if misses else 0)
