"""The graph model: frozen values in MindSpore's own words, no input or output."""

from msdump.graph.abstract import (
    NULL_TYPE,
    Abstract,
    DictType,
    FuncType,
    MonadType,
    NullType,
    OpaqueType,
    RefType,
    ScalarType,
    SequenceType,
    Shape,
    TensorType,
)
from msdump.graph.graph import RETURN, FuncGraph, Graph
from msdump.graph.node import CALL, CALL_VAR, CNode, GraphRef, Location, NodeRef, Operand, Parameter, ValueNode
from msdump.graph.value import NO_ATTRS, Attrs, Value

__all__ = [
    "CALL",
    "CALL_VAR",
    "NO_ATTRS",
    "NULL_TYPE",
    "RETURN",
    "Abstract",
    "Attrs",
    "CNode",
    "DictType",
    "FuncGraph",
    "FuncType",
    "Graph",
    "GraphRef",
    "Location",
    "MonadType",
    "NodeRef",
    "NullType",
    "OpaqueType",
    "Operand",
    "Parameter",
    "RefType",
    "ScalarType",
    "SequenceType",
    "Shape",
    "TensorType",
    "Value",
    "ValueNode",
]
