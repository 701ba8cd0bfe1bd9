"""2.5: constants tell their types, source lines their columns."""

from dataclasses import replace

from msdump.formats.ir.dialects.v2_0 import DIALECT as OLDER

DIALECT = replace(
    OLDER,
    name="2.5",
    parts=replace(
        OLDER.parts,
        colon=": ",
        parameters_line=True,
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
            "[counts]Node counting information:",
            "[counts]Total number of nodes: {nodes}",
            "[counts]Total number of cnodes: {cnodes}",
            "[counts]",
        ),
    ),
    types=replace(OLDER.types, ref_colon=False, vector="{}"),
    values=replace(OLDER.values, typed=True, monads="UMonad[U]"),
    parameters=replace(OLDER.parameters, param_colon=": ", symbols=True),
    nodes=replace(OLDER.nodes, param_prefix="param_"),
    notes=replace(OLDER.notes, place="span"),
)
