"""What a format or a dialect reads back of what it wrote is the graph projected onto what it can hold."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from msdump.capability import CAPABILITIES, EVERYTHING
from msdump.conversion import convert, held
from msdump.errors import LossError
from msdump.formats import all_formats, ir
from msdump.formats.format import Format
from msdump.formats.ir.dialects.releases import NAMES
from msdump.graph.graph import Graph
from msdump.graph.layout import Layout
from msdump.graph.node import CNode
from msdump.graph.project import losses, project
from msdump.graph.value import Attrs, Scalar, Str
from msdump.io import read_graph, sniff, write_graph
from tests.conftest import FIXTURES
from tests.formats.ir.texts import real_files

FILES = [
    path
    for folder in ("ir", "fail", "dat", "dot", "anf_pb", "mindir")
    for path in sorted((FIXTURES / folder).iterdir())
    if path.suffix in (".ir", ".dat", ".dot", ".pb", ".mindir")
]
ODD = {"2.10.0_ConvChannels.ir", "2.0.0_ConvChannels.ir", "2.10.0_ConcatShapes.ir"}
"""Execution orders list nodes of a subgraph that stands twice in the file; a call is an operand."""
OTHERWISE = "what the text says otherwise"


@functools.lru_cache(maxsize=8)
def graph_of(path: Path) -> Graph:
    return read_graph(path)


def writable() -> Iterator[Format]:
    for known in all_formats():
        if known.kind == "graph" and known.write is not None and known.read is not None and known.name != "ir":
            yield known


@pytest.mark.parametrize("dialect", NAMES)
@pytest.mark.parametrize("path", [p for p in FILES if p.suffix == ".ir" and p.name not in ODD], ids=lambda p: p.name)
def test_a_file_of_any_dialect_in_any_other(path: Path, dialect: str) -> None:
    graph = graph_of(path)
    assert ir.parse(ir.to_bytes(graph, dialect)) == project(graph, ir.dialects()[dialect])
    bare = replace(graph, source=Layout())
    assert ir.parse(ir.to_bytes(bare, dialect)) == project(graph, ir.dialects()[dialect])


@pytest.mark.parametrize("dialect", NAMES)
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_dialect_says_what_is_lost_or_loses_nothing(path: Path, dialect: str, tmp_path: Path) -> None:
    graph, out = graph_of(path), tmp_path / "a.ir"
    lost: tuple[str, ...] = ()
    try:
        ir.write(graph, out, dialect=dialect)
    except LossError as error:
        lost = error.lost
    assert out.exists() == (not lost)
    ir.write(graph, out, dialect=dialect, lossy=True, force=True)
    whole = ir.read(out) == graph and not losses(graph, EVERYTHING - {"weights"})
    assert whole == (not lost)


@pytest.mark.parametrize("known", writable(), ids=lambda known: known.name)
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_file_in_any_other_format(path: Path, known: Format, tmp_path: Path) -> None:
    out = tmp_path / f"a{known.suffixes[0]}"
    graph = graph_of(path)
    write_graph(graph, out, to=known.name, lossy=True)
    assert sniff(out, "graph") is known
    assert read_graph(out) == project(graph, known.capabilities)


def test_real_files_in_any_dialect(tmp_path: Path) -> None:
    """The law, or a refusal that says so: one file in forty has what another dialect's text says otherwise."""
    files = [path for path in real_files() if path.stat().st_size < 200_000]
    files = files[:: len(files) // 30]
    otherwise = 0
    for path in files:
        graph = ir.read(path)
        for dialect, names in ir.dialects().items():
            data = ir.to_bytes(graph, dialect)
            if ir.parse(data) == project(graph, names):
                continue
            otherwise += 1
            with pytest.raises(LossError) as error:
                ir.write(graph, tmp_path / "never.ir", dialect=dialect)
            assert error.value.lost
    assert len(files) > 25
    assert otherwise <= len(files) * len(NAMES) * 0.08


def test_losses_are_named_and_counted(tmp_path: Path) -> None:
    path = FIXTURES / "ir" / "2.10.0_control_flow_if_type_inference.ir"
    out = tmp_path / "a.ir"
    with pytest.raises(LossError) as error:
        convert(path, out, dialect="1.1")
    assert error.value.lost == (
        "shapes of the tensors inside tuples (4)",
        "names of the parameters that references stand for (2)",
        "values in types of tensors, and marks of references (8)",
        "kinds of constants and attributes (Int64, Float32, string, type) (1)",
        "columns and last lines of source locations (150)",
        "subgraphs that indirect calls may reach (3)",
        "types of the parameters of subgraphs that nothing uses (6)",
        "which parameters have a default (1)",
        "node counts of the compiler (1)",
    )
    assert not out.exists()
    convert(path, out, dialect="1.1", lossy=True)
    assert read_graph(out) == project(read_graph(path), ir.dialects()["1.1"])


def changed(graph: Graph, **fields: object) -> Graph:
    """The graph with other fields in its first node."""
    first: CNode = graph.root.nodes[0]
    nodes = (replace(first, **fields), *graph.root.nodes[1:])  # type: ignore[arg-type]  # any field of a CNode
    return replace(graph, funcs={**graph.funcs, graph.entry: replace(graph.root, nodes=nodes)})


@pytest.mark.parametrize(
    ("name", "fields", "lost"),
    [
        ("1.1.1_containers_odd_validate.ir", {"cnode_attrs": Attrs({"a": Scalar("Int64", 1)})}, "node_attrs"),
        ("1.10.0_print_net_validate.ir", {"primitive_attrs": Attrs({"a": Scalar("Int64", 1)})}, "value_kinds"),
        ("2.0.0_containers_odd_symbol_resolve.ir", {"primitive_attrs": Attrs({"a": Str("1")})}, "value_kinds"),
        ("2.5.0_print_net_validate.ir", {"primitive_attrs": Attrs({"a": Str('1", b: "2')})}, OTHERWISE),
    ],
)
def test_an_edit_that_a_files_own_dialect_cannot_hold(
    name: str, fields: dict[str, object], lost: str, tmp_path: Path
) -> None:
    edited = changed(ir.read(FIXTURES / "ir" / name), **fields)
    with pytest.raises(LossError, match=CAPABILITIES.get(lost, lost).partition(" (")[0]):
        ir.write(edited, tmp_path / "a.ir")


def test_the_table_of_capabilities() -> None:
    table = held()
    assert [name for name in table if name.startswith("ir ")] == [f"ir {name}" for name in NAMES]
    assert all(names <= EVERYTHING for names in table.values())
    assert table["graph.json"] == EVERYTHING - {"weights"}
    assert table["ir 2.10"] - table["ir 2.5"] == {"jit_config"}
    assert table["ir 1.10"] - table["ir 1.8"] == {"defaults"}
    assert table["ir 1.8"] - table["ir 1.6"] == {"element_shapes", "ref_keys", "bare_scopes"}
    assert losses(graph_of(FILES[0]), EVERYTHING) == {}
