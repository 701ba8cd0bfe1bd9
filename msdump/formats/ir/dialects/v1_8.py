"""1.8: shapes of tuples, keys of references, instances of subgraphs."""

from dataclasses import replace

from msdump.formats.ir.dialects.v1_6 import DIALECT as OLDER

DIALECT = replace(
    OLDER,
    name="1.8",
    parts=replace(OLDER.parts, instances=True),
    types=replace(OLDER.types, no_shape=True, tuple_shape=True, ref_keys=True),
    parameters=replace(OLDER.parameters, weight="IsWeight: "),
    notes=replace(OLDER.notes, scope="# scope: (", fullname="# fullname_with_scope: ("),
)
