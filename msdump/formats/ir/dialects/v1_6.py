"""1.6: shapes in parentheses, indirect calls name their graphs."""

from dataclasses import replace

from msdump.formats.ir.dialects.v1_3 import DIALECT as OLDER

DIALECT = replace(
    OLDER,
    name="1.6",
    types=replace(OLDER.types, shape="paren"),
    values=replace(OLDER.values, tensor_gap=False),
    nodes=replace(OLDER.nodes, calls="bare", free="at"),
    notes=replace(OLDER.notes, candidate_dashes=True, empty_place=False),
)
