"""`msdump graph show FILE`."""

from __future__ import annotations

import os

import click

from msdump.cli.graph.reading import OneGraph, read_one
from msdump.cli.terminal import color_option, emit_json, emit_lines, json_option
from msdump.formats.graph_json import node_data
from msdump.formats.ir.summary import summary
from msdump.graph import Graph
from msdump.graph.find import Query, select
from msdump.graph.node import operator_name
from msdump.graph.verify import verify
from msdump.io import sniff
from msdump.render import graph as render
from msdump.render.escape import escape_control
from msdump.render.graph import glance_lines
from msdump.source import Note


@click.command()
@click.argument("file")
@click.option("--op", default="", metavar="NAME", help="Nodes of this operator; * and ? stand for any.")
@click.option("--node", default="", metavar="NAME", help="The node of this name (%3), debug name or full name.")
@click.option("--scope", default="", metavar="PREFIX", help="Nodes under this scope.")
@click.option("--source", default="", metavar="FILE:LINE", help="Nodes that come from this source line.")
@click.option("--dtype", default="", metavar="NAME", help="Nodes whose output has this dtype.")
@click.option("--tree", is_flag=True, help="The scopes as a tree.")
@click.option("--nodes", is_flag=True, help="One line a node.")
@click.option("--opaque", is_flag=True, help="What is kept as text because its structure is not known.")
@click.option("--check", "verify_it", is_flag=True, help="Whether the graph contradicts itself; exit status 1 when so.")
@click.option("--all", "everything", is_flag=True, help="The whole summary, nothing folded.")
@json_option
@color_option
@click.pass_context
def command(
    ctx: click.Context,
    file: str,
    op: str,
    node: str,
    scope: str,
    source: str,
    dtype: str,
    tree: bool,
    nodes: bool,
    opaque: bool,
    verify_it: bool,
    everything: bool,
    as_json: bool,
    color: bool,
) -> None:
    """What is in a graph: entry, parameters, subgraphs, operators; or the nodes that are asked for."""
    del color
    if not (as_json or asked_for(op, node, scope, source, dtype, tree, nodes, opaque, verify_it, everything)):
        lines = _at_a_glance(file)
        if lines:
            emit_lines(lines)
            return
    one = read_one(file)
    graph = one.graph
    query = Query(op, node, scope, source, dtype)
    asked = any((op, node, scope, source, dtype))
    if as_json and not (asked or verify_it):
        from msdump.cli.graph.reading import graph_document

        click.echo(graph_document(graph))
    elif verify_it:
        ctx.exit(_verify(one, as_json))
    elif as_json:
        _selection(graph, query)
    elif opaque:
        emit_lines(render.opaque_lines(graph))
    elif tree:
        emit_lines(render.tree_lines(graph, select(graph, query) if asked else None))
    elif nodes or asked:
        found = list(select(graph, query))
        if asked:
            emit_lines([f"{len(found)} of {sum(len(f.nodes) for f in graph.funcs.values())} nodes"])
        several = len(graph.funcs) > 1
        for func, cnode in found:
            emit_lines([render.node_line(func, cnode, several)])
            if node:
                emit_lines(render.attribute_lines(cnode))
    else:
        emit_lines(render.summary_lines(graph, everything))
    one.report()
    ctx.exit(2 if one.failed else 0)


LARGE = 4 << 20
"""From how many bytes on the summary is made of the lines alone, without a Graph."""


def asked_for(*options: object) -> bool:
    """Whether anything beyond the summary is asked for."""
    return any(options)


def _at_a_glance(path: str) -> list[str]:
    """The summary of a large .ir file, which does not need every node read; [] for other files."""
    if not os.path.isfile(path) or os.path.getsize(path) < LARGE:
        return []
    if sniff(path, "graph").name != "ir":
        return []
    found = summary(path)
    return glance_lines(found.entry, found.parameters, found.subgraphs, found.operators)


def _selection(graph: object, query: object) -> None:
    """The nodes asked for, as JSON; the whole graph is `--json` without a selection."""
    assert isinstance(graph, Graph)
    assert isinstance(query, Query)
    rows = [{"graph": f.name, "op": operator_name(n), "node": node_data(n)} for f, n in select(graph, query)]
    document = {"schema": "msdump.graph-nodes/1", "query": str(query), "nodes": rows}
    emit_json(document, indent=1)


def _verify(one: OneGraph, as_json: bool) -> int:
    """What is not understood in the file, what ended its reading, and where the graph contradicts itself."""
    faults = verify(one.graph)
    wrong = any(fault.level == "error" for fault in faults)
    if as_json:
        rows = [{"rule": f.rule, "what": f.what, "graph": f.graph, "node": f.node, "level": f.level} for f in faults]
        notes = [
            {
                "what": n.what,
                "where": n.where.short() if n.where else None,
                "text": getattr(n.where, "text", ""),
                "level": n.level,
            }
            for n in one.notes
        ]
        emit_json(
            {"schema": "msdump.graph-check/1", "sound": not (wrong or one.failed), "faults": rows, "notes": notes},
            indent=1,
        )
    else:
        emit_lines(escape_control(_noted(note)) for note in one.notes)
        emit_lines(escape_control(f"{fault.level}: {fault.what}") for fault in faults)
        if one.unread:
            several = f"{len(one.unread)} lines of the file are" if len(one.unread) > 1 else "1 line of the file is"
            emit_lines([f"{several} not understood"])
        emit_lines(["the graph contradicts itself" if wrong else "nothing contradicts itself"])
    if one.error is not None:
        one.report()
        return 2
    return 1 if wrong or one.unread else 0


def _noted(note: Note) -> str:
    """A note with its line, and the line's text."""
    where = f" ({note.where.short()})" if note.where is not None and note.where.short() else ""
    text = getattr(note.where, "text", "")
    return f"{note.level}: {note.what}{where}" + (f": {text.strip()[:_WIDTH]}" if text else "")


_WIDTH = 120
"""How much of a line is shown."""
