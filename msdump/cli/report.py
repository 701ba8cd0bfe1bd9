"""`msdump report`: one page about print logs, graphs, compile stages and dumps, and pairs of them."""

from __future__ import annotations

import os
from collections.abc import Callable

import click

from msdump.cli.complaints import report_error
from msdump.cli.dispatch import STAGES, kind_of
from msdump.cli.dump.opening import open_dump
from msdump.cli.graph.passes import stage_files
from msdump.cli.graph.reading import read_one
from msdump.cli.numbers import ATOL, RTOL
from msdump.diff.dumps.launches import in_order
from msdump.diff.dumps.nan import search
from msdump.diff.dumps.tensor_statistics import tensor_statistics
from msdump.diff.passes import diff_stages
from msdump.dumps.comparing import diff_dumps
from msdump.dumps.opening import NothingToCompare
from msdump.errors import MsdumpError, ReadError, WriteError
from msdump.explanation import explain_graph
from msdump.formats.atomic import write_file
from msdump.graph.failure import has_failed
from msdump.io import stream
from msdump.render.dump_report import html_parts
from msdump.render.report_dump import TENSORS, DumpSummary, dump_parts
from msdump.render.report_graph import explanation_parts, graph_parts, passes_parts
from msdump.render.report_page import answer, article, page, text
from msdump.render.report_print import PrintSummary, print_parts

_KINDS = {"print": "print log", "graph": "graph", STAGES: "compile stages"}


@click.command()
@click.argument("inputs", metavar="IN…", nargs=-1, required=True)
@click.option("-o", "--output", metavar="report.html", required=True, help="The page to write.")
@click.option("--force", is_flag=True, help="Replace it when it is there.")
@click.option("--graph", metavar="FILE", help="A graph of the run, for scopes and source lines of dumps.")
@click.option("--rtol", type=RTOL, default=0.0, help="Of two logs or dumps: relative tolerance.")
@click.option("--atol", type=ATOL, default=0.0, help="Of two logs or dumps: absolute tolerance.")
def command(inputs: tuple[str, ...], output: str, force: bool, graph: str | None, rtol: float, atol: float) -> int:
    """One self-contained page about files and folders: print logs, graphs, compile stages, dumps.

    Two inputs of one kind are compared as well, and the comparison comes first. The page works offline, and
    big inputs are shown in part. Exit status 0 when it is written, 2 when an input could not be read to its end.
    """
    if os.path.exists(output) and not force and not os.path.isdir(output):
        raise WriteError(f"{output}: the file exists already", hint="give another name, or --force to replace it")
    kinds = [kind_of(path) for path in inputs]
    maker = _Maker(graph, rtol, atol)
    names = short_names(inputs)
    articles: list[tuple[str, str, list[str]]] = []
    if len(inputs) == 2 and kinds[0] == kinds[1] and (compared := maker.compare(kinds[0], inputs, names)):
        articles.append((f"{names[0]} against {names[1]}", "comparison", compared))
    for path, name, kind in zip(inputs, names, kinds, strict=True):
        articles.append((name, _KINDS.get(kind, "tensor dump"), maker.one(kind, path)))
    title = articles[0][0]
    body = []
    if len(articles) > 1:
        body.append(f"<h1>{text(title)}</h1>")
        links = (f'<a href="#part{n}">{text(name)}</a>' for n, (name, _, _) in enumerate(articles))
        body.append(f"<nav>{''.join(links)}</nav>")
    body += [article(number, *told) for number, told in enumerate(articles)]
    write_file(output, page(title, body).encode(), force=force)
    for error in maker.errors:
        report_error(error)
    return 2 if maker.errors else 0


def short_names(paths: tuple[str, ...]) -> list[str]:
    """What inputs are called: their paths without the folders that all have in common."""
    parts = [path.rstrip("/").split("/") for path in paths]
    common = 0
    while len(paths) > 1 and all(len(p) > common + 1 and p[: common + 1] == parts[0][: common + 1] for p in parts):
        common += 1
    return ["/".join(p[common:]) or path for p, path in zip(parts, paths, strict=True)]


class _Maker:
    """Reads inputs and has their parts rendered; what could not be read to its end is in `errors`."""

    def __init__(self, graph: str | None, rtol: float, atol: float) -> None:
        self.graph = graph
        self.rtol = rtol
        self.atol = atol
        self.errors: list[MsdumpError] = []
        self._folders = 0

    def one(self, kind: str, path: str) -> list[str]:
        """What the page says about one input."""
        ways: dict[str, Callable[[str], list[str]]] = {
            "print": self._print,
            "graph": self._graph,
            STAGES: self._stages,
        }
        return ways.get(kind, self._dump)(path)

    def compare(self, kind: str, paths: tuple[str, ...], names: list[str]) -> list[str]:
        """What it says about two of a kind, and of what could not be compared that it was not."""
        a, b = paths
        if kind == "graph":
            from msdump.cli.graph.reading import read_one
            from msdump.diff.graphs import diff_graphs
            from msdump.render.report_graph import graph_diff_parts

            one, two = read_one(a), read_one(b)
            cut = [f"{name}: {side.error}" for name, side in zip(names, (one, two), strict=True) if side.error]
            said = [answer(f"compared is what could be read: {'; '.join(cut)}", False)] if cut else []
            return said + graph_diff_parts(diff_graphs(one.graph, two.graph), names[0], names[1])
        if kind == "print":
            from msdump.diff.records import diff_records
            from msdump.diff.tensor.tolerance import Tolerance
            from msdump.io import stream
            from msdump.render.report_print import print_diff_parts

            try:
                logs = list(stream(a)), list(stream(b))
            except ReadError as error:
                return [answer(f"not compared: {error}", False)]
            return print_diff_parts(diff_records(*logs, Tolerance(self.rtol, self.atol)))
        if kind == STAGES:
            from msdump.cli.graph.passes import stage_files
            from msdump.diff.labels import Ignore
            from msdump.diff.passes import find_parting
            from msdump.render.report_graph import parting_parts

            return parting_parts(*find_parting(stage_files(a), stage_files(b), Ignore()))
        try:
            diff = diff_dumps(a, b, rtol=self.rtol, atol=self.atol, graph=self.graph)
        except NothingToCompare as error:
            return [answer(str(error), False)]
        return html_parts(diff, (names[0], names[1]), 500)

    def _print(self, path: str) -> list[str]:
        summary = PrintSummary()
        try:
            summary.add(stream(path))
        except ReadError as error:
            self.errors.append(error)
            summary.problem = str(error)
        return print_parts(summary)

    def _graph(self, path: str) -> list[str]:
        one = read_one(path)
        if one.error is not None:
            self.errors.append(one.error)
        head = explanation_parts(explain_graph(one.graph)) if has_failed(one.graph) else []
        return head + graph_parts(one.graph, [str(note) for note in one.notes], str(one.error or ""))

    def _stages(self, path: str) -> list[str]:
        self._folders += 1
        return passes_parts(list(diff_stages(stage_files(path))), self._folders)

    def _dump(self, path: str) -> list[str]:
        dump = open_dump(path, {}, self.graph)
        records = [launched.record for launched in in_order(dump)]
        summary = DumpSummary(records, search(records), metadata=dump.metadata())
        for record in records:
            if record.path and os.path.isfile(record.path):
                summary.sizes[record.op_type] += os.path.getsize(record.path)
            if len(summary.rows) < TENSORS:
                try:
                    if record.tensor is None:
                        values = dict(record.statistics or {})
                    else:
                        values = tensor_statistics(record.tensor)
                        values |= {"dtype": record.tensor.dtype.name, "shape": record.tensor.shape}
                    summary.rows.append((record, values))
                except ReadError:
                    continue  # told by the search for NaN already
        found = [*dump.problems, *(p for p in summary.odd.problems if isinstance(p, ReadError))]
        self.errors += found
        summary.problems = [str(problem) for problem in found]
        return dump_parts(summary)
