"""1.10: parameters that are weights say so; lines of source after a colon."""

from dataclasses import replace

from msdump.formats.ir.dialects.v1_8 import DIALECT as OLDER

DIALECT = replace(
    OLDER,
    name="1.10",
    parameters=replace(OLDER.parameters, tell_default=True),
    notes=replace(OLDER.notes, place="line"),
)
