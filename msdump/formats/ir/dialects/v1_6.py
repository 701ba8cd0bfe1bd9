"""1.6: shapes in parentheses, indirect calls name their graphs."""

from dataclasses import replace

from msdump.formats.ir.dialects.v1_3 import DIALECT as OLDER

DIALECT = replace(
    OLDER,
    name="1.6",
    shape="paren",
    tensor_gap=False,
    calls="bare",
    free="at",
    candidate_dashes=True,
    root_free=True,
    empty_place=False,
)
