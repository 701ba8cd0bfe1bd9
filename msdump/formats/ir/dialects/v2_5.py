"""2.5: constants tell their types, source lines their columns."""

from dataclasses import replace

from msdump.formats.ir.dialects.v2_0 import DIALECT as OLDER

DIALECT = replace(
    OLDER,
    name="2.5",
    colon=": ",
    param_colon=": ",
    ref_colon=False,
    typed=True,
    parameters_line=True,
    symbols=True,
    monads="UMonad[U]",
    place="span",
    vector="{}",
    param_prefix="param_",
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
)
