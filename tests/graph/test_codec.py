from __future__ import annotations

import json

import pytest

from msdump.errors import GraphError
from msdump.graph import CNode, FuncGraph, Graph, Location, NodeRef, Parameter, SequenceType, TensorType, codec
from msdump.graph.node import ValueNode
from msdump.graph.value import Attrs, Scalar, Sequence, Str, TensorValue

NODE = CNode(
    "%0",
    "Add",
    (NodeRef("x", "g"), ValueNode(TensorValue("Float32", (1,), data=b"\0\xff"))),
    SequenceType("Tuple", (TensorType("Float32", (2, -1)),)),
    primitive_attrs=Attrs({"a": Scalar("Float32", float("-inf")), "b": Sequence("List", (Str("é\ud800"),))}),
    locations=(Location("f.py", 3),),
    side_effects=("io",),
)


def test_a_node_as_json() -> None:
    assert codec.encode(CNode("%0", "Add", (NodeRef("x"),), TensorType("Bool", ()))) == {
        "kind": "cnode",
        "name": "%0",
        "op": "Add",
        "inputs": [{"kind": "node", "name": "x"}],
        "abstract": {"kind": "tensor_type", "dtype": "Bool", "shape": []},
    }


def test_there_and_back() -> None:
    assert codec.decode(json.loads(json.dumps(codec.encode(NODE)))) == NODE
    graph = Graph("g", {"g": FuncGraph("g", (Parameter("x"),), (NODE,))})
    assert codec.decode(json.loads(json.dumps(codec.encode(graph)))) == graph


def test_parts_that_return_are_written_once() -> None:
    writer, reader = codec.Writer(), codec.Reader()
    first, second = writer.text(NODE), writer.text(NODE)
    assert '"abstract":{"#":0}' in second
    assert len(second) < len(first) / 2
    assert first.isascii()
    assert (reader.part(first), reader.part(second)) == (NODE, NODE)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "{}",
        '{"kind": "nothing"}',
        '{"kind": ["cnode"]}',
        '{"kind": "cnode"}',
        '{"kind": "cnode", "name": 3, "op": "Add"}',
        '{"kind": "cnode", "name": "%0", "op": "Add", "abstract": "Float32"}',
        '{"kind": "cnode", "name": "%0", "op": "Add", "inputs": "x"}',
        '{"kind": "sequence_type", "type": 3}',
        '{"attrs": [1]}',
        '{"base64": "*"}',
        '{"float": "much"}',
        '{"#": 7}',
        '{"kind": "cnode", "name": null, "op": "Add"}',
        "[" * 100_000,
    ],
)
def test_what_stands_for_no_part_is_an_error(text: str) -> None:
    with pytest.raises(GraphError, match="no part of a graph"):
        codec.Reader().part(text)
