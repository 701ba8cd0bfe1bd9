"""1.3: attributes say where they hang, monads order side effects."""

from dataclasses import replace

from msdump.formats.ir.dialects.v1_1 import DIALECT as OLDER

DIALECT = replace(
    OLDER,
    name="1.3",
    nodes=replace(OLDER.nodes, labels=True),
)
