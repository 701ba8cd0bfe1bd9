"""GraphML, Mermaid, .svg and .png."""

from __future__ import annotations

import re
import shutil
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from msdump import io
from msdump.errors import LossError, WriteError
from msdump.formats import dat, graphml, graphviz, mermaid, mindir
from msdump.graph import CNode, FuncGraph, Graph, NodeRef, Parameter, codec
from tests.conftest import FIXTURES

NS = "{http://graphml.graphdrawing.org/xmlns}"
ODD = FIXTURES / "dat" / "1.6.1_odd.dat"
GRAPHVIZ = shutil.which("dot")


def chain(length: int, name: str = "ReLU") -> Graph:
    nodes = [CNode(f"%{i}", name, (NodeRef(f"%{i - 1}" if i else "x"),)) for i in range(length)]
    nodes.append(CNode(f"%{length}", "Return", (NodeRef(f"%{length - 1}"),)))
    return Graph("g", {"g": FuncGraph("g", (Parameter("x"),), tuple(nodes))})


def test_graphml_holds_everything(tmp_path: Path) -> None:
    graph = dat.read(ODD)
    graphml.write(graph, tmp_path / "g.graphml")
    root = ET.parse(tmp_path / "g.graphml").getroot()
    inner = root.findall(f".//{NS}graph/{NS}node/{NS}graph/{NS}node")
    assert len(inner) == sum(len(f.nodes) + len(f.parameters) for f in graph.funcs.values())
    ids = {n.get("id") for n in root.iter(f"{NS}node")}
    edges = list(root.iter(f"{NS}edge"))
    assert {e.get("source") for e in edges} | {e.get("target") for e in edges} <= ids
    reader = codec.Reader()
    parts = [reader.part(d.text or "") for d in root.iter(f"{NS}data") if d.get("key") == "msdump"]
    assert [p for p in parts if isinstance(p, CNode)] == [n for _, n in graph.iter_nodes()]
    names = [d.text for n in inner for d in n if d.get("key") == "name"]
    assert "new\nline\ttab" in names
    assert "a/b\\c\"d'e#f//g" in names


def test_graphml_takes_any_text(tmp_path: Path) -> None:
    graphml.write(chain(1, "<&>\"'\x00\x1b\ud800\uffff]]>"), tmp_path / "g.graphml")
    shown = [d.text for d in ET.parse(tmp_path / "g.graphml").iter(f"{NS}data") if d.get("key") == "op"]
    assert shown == ["<&>\"'\ufffd\ufffd\ufffd\ufffd]]>", "Return"]


def test_graphml_names_its_loss(tmp_path: Path) -> None:
    graph = mindir.read(FIXTURES / "mindir" / "2.10.0_conv_relu.mindir")
    with pytest.raises(LossError) as error:
        graphml.write(graph, tmp_path / "g.graphml")
    assert error.value.lost == ("values of weights (2)",)


def test_mermaid_whole() -> None:
    assert mermaid.text(chain(1, 'a"b<c>;#')) == (
        "flowchart TB\n"
        '  subgraph f0["g"]\n'
        '    f0p0(["x"])\n'
        '    f0n0["a#34;b#60;c#62;#59;#35;"]\n'
        '    f0n1["Return"]\n'
        "  end\n"
        "  f0p0 --> f0n0\n"
        "  f0n0 --> f0n1\n"
    )


def test_mermaid_subgraphs_and_slots() -> None:
    text = mermaid.text(dat.read(ODD))
    assert '  subgraph f1["2_construct.30"]' in text
    assert "  f0n0 -.-> f1\n" in text
    assert "  f1p0 -->|0| f1n0" in text
    assert re.search(r"^  f0p5 -->\|1\| f1n0$", text, re.M)


def test_mermaid_refuses_what_is_not_drawn() -> None:
    with pytest.raises(WriteError) as error:
        mermaid.text(chain(600))
    assert error.value.what == "the graph has more than 500 edges, which is all that Mermaid draws"
    assert error.value.hint == "write .svg or .dot, or the part of it that matters"
    with pytest.raises(WriteError, match="takes more than 50,000 characters"):
        mermaid.text(Graph("g", {str(i): FuncGraph(str(i), (Parameter("x" * 30),)) for i in range(2000)}))


@pytest.mark.skipif(GRAPHVIZ is None, reason="Graphviz is not installed")
def test_svg_and_png(tmp_path: Path) -> None:
    graph = dat.read(ODD)
    io.write_graph(graph, tmp_path / "g.svg")
    io.write_graph(graph, tmp_path / "g.png")
    svg = (tmp_path / "g.svg").read_text(encoding="utf-8")
    assert svg.count('class="cluster"') == 7
    assert "weird name, with {braces} [x] (y) = %1 @z" in svg
    assert (tmp_path / "g.png").read_bytes().startswith(b"\x89PNG")


def test_without_graphviz_it_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(WriteError) as error:
        graphviz.render(chain(1), tmp_path / "g.svg", kind="svg")
    assert error.value.what == "svg needs Graphviz, and its program `dot` is not on the PATH"
    assert "graphviz.org" in error.value.hint


@pytest.mark.skipif(GRAPHVIZ is None, reason="Graphviz is not installed")
def test_a_drawing_that_takes_too_long_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graphviz, "PATIENCE", 0.001)
    with pytest.raises(WriteError, match="did not finish"):
        graphviz.render(chain(200), tmp_path / "g.svg", kind="svg")
