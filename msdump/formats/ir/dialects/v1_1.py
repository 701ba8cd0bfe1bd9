"""1.1: parameters by name, source lines, free variables told as such."""

from dataclasses import replace

from msdump.formats.ir.dialects.v1_0 import DIALECT as OLDER

DIALECT = replace(
    OLDER,
    name="1.1",
    parameters=replace(OLDER.parameters, params="name", inner_params="name"),
    nodes=replace(OLDER.nodes, return_op="Return", free="graph"),
    notes=replace(OLDER.notes, empty_place=True),
)
