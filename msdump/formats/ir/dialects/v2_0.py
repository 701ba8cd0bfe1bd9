"""2.0: a new head, parents of subgraphs, the execution order."""

from dataclasses import replace

from msdump.formats.ir.dialects.v1_10 import DIALECT as OLDER

DIALECT = replace(
    OLDER,
    name="2.0",
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
    ref="Tensor[Float32]",
    calls="at",
    parent=True,
    scope="# Scope: (",
    fullname="# Fullname with scope: (",
    order="# Order:",
    gap=2,
    numbers="general",
    candidate_dashes=False,
    no_place=True,
)
