"""1.1: parameters by name, source lines, free variables told as such."""

from dataclasses import replace

from msdump.formats.ir.dialects.v1_0 import DIALECT as OLDER

DIALECT = replace(
    OLDER,
    name="1.1",
    params="name",
    inner_params="name",
    return_op="Return",
    free="graph",
    empty_place=True,
)
