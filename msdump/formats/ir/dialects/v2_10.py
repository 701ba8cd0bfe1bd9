"""2.10: the configuration of jit in the head."""

from dataclasses import replace

from msdump.formats.ir.dialects.v2_5 import DIALECT as OLDER

DIALECT = replace(
    OLDER,
    name="2.10",
    parts=replace(
        OLDER.parts,
        header=(
            "# IR entry: @{entry}",
            "# Total subgraphs: {subgraphs}",
            "",
            "[jit_config]jit config {{",
            "{jit_config}",
            "[jit_config]}}",
            "[jit_config]",
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
)
