"""What the text of a dialect can hold of a graph, told from the dialect's own data."""

from __future__ import annotations

from collections.abc import Callable

from msdump.capability import EVERYTHING
from msdump.formats.ir.dialects.dialect import Dialect

NEVER = frozenset({"weights", "parameter_details", "tensor_data", "return_names", "graph_attr_kinds"})
"""What no .ir holds; the name of a Return stands in an execution order alone."""
_HELD_BY: dict[str, Callable[[Dialect], bool]] = {
    "element_shapes": lambda d: d.types.tuple_shape,
    "tensor_details": lambda d: d.types.shape == "paren",
    "shape_ranges": lambda d: d.types.shape == "paren",
    "ref_keys": lambda d: d.types.ref_keys,
    "exact_floats": lambda d: d.values.numbers == "fixed" and not d.values.typed,
    "small_floats": lambda d: d.values.numbers != "fixed" or d.values.typed,
    "value_kinds": lambda d: d.values.typed,
    "node_attrs": lambda d: d.nodes.labels,
    "bare_scopes": lambda d: bool(d.notes.scope),
    "location_columns": lambda d: d.notes.place == "span",
    "targets": lambda d: d.nodes.calls != "none",
    "unused_types": lambda d: d.parts.parameters_line or d.parts.block_head,
    "parameter_symbols": lambda d: d.parameters.symbols,
    "defaults": lambda d: d.parameters.tell_default,
    "counts": lambda d: any("{nodes}" in template for template in d.parts.header),
    "jit_config": lambda d: "{jit_config}" in d.parts.header,
}
"""Capabilities that some dialects have, and which."""


def capabilities(dialect: Dialect) -> frozenset[str]:
    """The capabilities of a dialect."""
    return EVERYTHING - NEVER - {name for name, holds in _HELD_BY.items() if not holds(dialect)}
