from __future__ import annotations

import pytest

from msdump.errors import GraphError
from msdump.graph.find import Query, find, own_line
from msdump.io import read_graph
from tests.conftest import FIXTURES

VALIDATE = FIXTURES / "pairs" / "2.10.0_conv_cast_added" / "edited.ir"


def test_by_operator_scope_source_dtype_and_name() -> None:
    graph = read_graph(VALIDATE)
    assert [node.name for node in graph.find(op="Conv2D")] == ["%1", "%7"]
    assert [node.name for node in graph.find(op="Conv2D", scope="Default/conv1")] == ["%1"]
    assert {node.op for node in graph.find(scope="Default/fc")} == {
        "Load",
        "MatMul",
        "BiasAdd",
        "MakeTuple",
        "UpdateState",
    }
    assert [node.op for node in graph.find(source="net.py:28")] == ["Cast", "Exp", "Cast"]
    assert [node.op for node in graph.find(source="net.py:28-29")] == ["Cast", "Exp", "Cast", "Sigmoid"]
    assert [node.op for node in graph.find(dtype="Float16")] == ["Cast", "Exp"]
    assert [node.op for node in graph.find(name="%1")] == ["Conv2D"]
    assert [node.op for node in graph.find(name="conv2d")] == ["Conv2D", "Conv2D"]
    assert {node.op for node in find(graph, op="*Pool*")} == {"MaxPool"}
    assert find(graph, op="conv2d") == ()


def test_a_query_from_text() -> None:
    assert Query.parse("op=Cast scope=Default/a") == Query(op="Cast", scope="Default/a")
    assert Query.parse("Cast") == Query(op="Cast")
    assert Query.parse("net.py:25") == Query(source="net.py:25")
    assert Query.parse("Default/conv1") == Query(scope="Default/conv1")
    assert str(Query.parse("net.py:25 Cast")) == "op=Cast source=net.py:25"
    with pytest.raises(GraphError, match="'colour' is nothing a node is told by"):
        Query.parse("colour=red")


@pytest.mark.parametrize("source", ["net.py:abc", "net.py:", "net.py:1-", "a/net.py:1:2x", ":"])
def test_what_is_no_source_line_is_told(source: str) -> None:
    with pytest.raises(GraphError, match="is no source line"):
        Query(source=source)


@pytest.mark.parametrize("source", ["", "net.py", "net.py:25", "a/net.py:25-27", "C:\\work\\net.py", "C:/net.py:3"])
def test_what_is_a_source_line(source: str) -> None:
    assert Query(source=source).source == source


def test_the_users_own_line_and_not_the_library_s() -> None:
    (node,) = read_graph(VALIDATE).find(op="MaxPool")
    place = own_line(node)
    assert place is not None
    assert (place.file.rsplit("/", 1)[-1], place.line) == ("net.py", 25)
    assert place.code.strip().startswith("y = self.pool(y)")
    assert node.locations[-1].file.endswith("pooling.py")
