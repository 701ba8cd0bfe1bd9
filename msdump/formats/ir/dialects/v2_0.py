"""2.0: a new head, parents of subgraphs, the execution order."""

from dataclasses import replace

from msdump.formats.ir.dialects.v1_10 import DIALECT as OLDER

DIALECT = replace(
    OLDER,
    name="2.0",
    parts=replace(
        OLDER.parts,
        header=(
            "# IR entry: @{entry}",
            "# Total subgraphs: {subgraphs}",
            "",
            "[attrs]# Attrs:",
            "{attrs}",
            "[attrs]",
            "# Total params: {params}",
            "[parameters]# Params:",
            "{parameters}",
            "",
        ),
        parent=True,
        order="# Order:",
        gap=2,
        no_place=True,
    ),
    types=replace(OLDER.types, ref="Tensor[Float32]"),
    values=replace(OLDER.values, numbers="general"),
    nodes=replace(OLDER.nodes, calls="at"),
    notes=replace(OLDER.notes, scope="# Scope: (", fullname="# Fullname with scope: (", candidate_dashes=False),
)
