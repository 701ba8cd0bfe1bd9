"""The capabilities of formats: what a file may hold of a graph, beside its structure, by name.

Structure (operators, operands, what calls what) is held by every format. A format, and each dialect
of .ir, has a frozen set of these names; `msdump.graph.project` cuts a graph down to such a set, and
names what is lost.
"""

from __future__ import annotations

CAPABILITIES: dict[str, str] = {
    # of a CNode
    "types": "types of nodes and parameters",
    "element_shapes": "shapes of the tensors inside tuples",
    "shape_ranges": "least and greatest shapes",
    "refs": "which parameters are references",
    "ref_keys": "names of the parameters that references stand for",
    "return_types": "types at Return",
    "return_facts": "scopes and places of Return itself",
    "return_names": "debug names of Returns that no execution order lists",
    "tensor_details": "values in types of tensors, and marks of references",
    "type_details": "details of types: values, marks of references, use flags",
    "constant_types": "types of constants",
    "use_types": "types seen at single uses of a node",
    "tensor_numbers": "numbers of constant tensors",
    "tensor_data": "bytes of constant tensors",
    "exact_floats": "floating-point values beyond six digits",
    "small_floats": "floating-point values beyond six decimals",
    "value_kinds": "kinds of constants and attributes (Int64, Float32, string, type)",
    "named_values": "names of classes, name spaces and primitives used as values",
    "type_values": "types used as values",
    "signature_attrs": "attributes of primitives bound with a signature",
    "attrs": "attributes of primitives",
    "node_attrs": "attributes of nodes beside those of their primitives",
    "other_attrs": "groups of attributes with other labels",
    "scopes": "scopes",
    "bare_scopes": "scopes of nodes without a full name",
    "fullnames": "full names with scope",
    "instances": "instance names of primitives",
    "op_kinds": "how primitives are bound",
    "debug_names": "debug names",
    "locations": "source locations",
    "call_stacks": "call stacks behind source locations",
    "location_columns": "columns and last lines of source locations",
    "location_details": "marks of source locations",
    "comments": "comments",
    "targets": "subgraphs that indirect calls may reach",
    "side_effects": "side effects",
    "device": "device types and object kinds",
    "symbols": "symbolic shapes and values",
    "failures": "marks of the failed compilation",
    # of a Parameter
    "inner_types": "types of the parameters of subgraphs",
    "unused_types": "types of the parameters of subgraphs that nothing uses",
    "parameter_names": "names of parameters",
    "parameter_symbols": "symbolic shapes of parameters",
    "defaults": "which parameters have a default",
    "parameter_details": "attributes and locations of parameters",
    "weights": "values of weights",
    # of a FuncGraph and of the Graph
    "graph_names": "names of subgraphs",
    "graph_attrs": "attributes of subgraphs",
    "graph_attr_kinds": "kinds of the attributes of subgraphs",
    "graph_details": "locations, flags and comments of subgraphs",
    "parents": "parents of subgraphs",
    "order": "execution order, and the order of nodes",
    "symbol_engine": "symbolic shape rules",
    "counts": "node counts of the compiler",
    "jit_config": "settings of the compiler",
}
"""Name of each capability, and how a person calls what it holds."""

EVERYTHING = frozenset(CAPABILITIES)
