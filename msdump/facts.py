"""The facts of a graph that a file format may or may not carry (see graph/carry)."""

from __future__ import annotations

FACTS: dict[str, str] = {
    # of a CNode
    "types": "types of nodes and parameters",
    "element_shapes": "shapes of the tensors inside tuples",
    "refs": "which parameters are references",
    "return_types": "types at Return",
    "return_facts": "scopes and places of Return itself",
    "return_names": "debug names of Return",
    "type_details": "details of types: ref keys, bounds and symbols of shapes, use flags",
    "constant_types": "types of constants",
    "use_types": "types seen at single uses of a node",
    "tensor_numbers": "numbers of constant tensors",
    "exact_floats": "digits of floating-point values",
    "value_kinds": "kinds of values",
    "named_values": "names of classes, name spaces and primitives used as values",
    "type_values": "types used as values",
    "signature_attrs": "attributes of primitives bound with a signature",
    "attrs": "attributes of primitives",
    "node_attrs": "attributes of nodes",
    "scopes": "scopes",
    "fullnames": "full names with scope",
    "instances": "instance names of primitives",
    "op_kinds": "how primitives are bound",
    "debug_names": "debug names",
    "locations": "source locations",
    "call_stacks": "call stacks behind source locations",
    "location_details": "columns, ends and marks of source locations",
    "comments": "comments",
    "targets": "subgraphs that indirect calls may reach",
    "side_effects": "side effects",
    "device": "device types and object kinds",
    "symbols": "symbolic shapes and values",
    "failures": "marks of the failed compilation",
    # of a Parameter
    "inner_types": "types of the parameters of subgraphs",
    "parameter_names": "names of parameters",
    "defaults": "which parameters have a default",
    "parameter_details": "attributes and locations of parameters",
    "weights": "values of weights",
    # of a FuncGraph and of the Graph
    "graph_names": "names of subgraphs",
    "graph_attrs": "attributes of subgraphs",
    "graph_details": "locations, flags and comments of subgraphs",
    "parents": "parents of subgraphs",
    "order": "execution order, and the order of nodes",
    "symbol_engine": "symbolic shape rules",
    "counts": "node counts and compiler settings",
}
"""Name of each fact that a format may or may not carry, and how a person calls it. Structure
(operators, operands, what calls what) is carried by every format."""

EVERYTHING = frozenset(FACTS)
